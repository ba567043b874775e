#!/bin/sh
# node --test and tsc against MX2ONNX_LIBRARY; see ../test.py. koffi and typescript come from npm the first time.
cd "$(dirname "$0")" || exit 1
command -v node >/dev/null && command -v npm >/dev/null || { echo "Node.js is not installed: apt-get install nodejs npm"; exit 77; }
if [ ! -e node_modules/koffi ] || [ ! -e node_modules/.bin/tsc ]; then
  npm install --no-package-lock --no-audit --no-fund >/dev/null 2>&1 || { echo "npm cannot fetch them: npm install --prefix bindings/node"; exit 77; }
fi
out=$(node --test test/*.test.js 2>&1)
status=$?
[ $status -eq 0 ] || echo "$out"
node_modules/.bin/tsc -p . || status=1
echo "$(echo "$out" | sed -n 's/^[#ℹ] pass //p') passed, $(echo "$out" | sed -n 's/^[#ℹ] fail //p') failed"
exit $status
