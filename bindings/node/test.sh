#!/usr/bin/env bash
# For bindings/test.py, which says where the library is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v npm >/dev/null || { echo "no npm"; exit 77; }
[ -d node_modules ] || npm install --no-audit --no-fund --silent || { echo "npm cannot install koffi"; exit 77; }
status=0
found=$(npm test 2>&1) || status=1
[ $status = 0 ] || echo "$found"
pass=$(grep -oE '(^|[^a-z])pass [0-9]+' <<<"$found" | tail -1 | grep -oE '[0-9]+')
fail=$(grep -oE '(^|[^a-z])fail [0-9]+' <<<"$found" | tail -1 | grep -oE '[0-9]+')
echo "$pass passed, $fail failed"
exit $status
