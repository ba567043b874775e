#!/bin/sh
# The shared cases, callbacks and custom operators in Python, against MX2ONNX_LIBRARY; see ../test.py. tests/python has the rest.
cd "$(dirname "$0")/../.." || exit 1
for python in "${MX2ONNX_BUILD:-build}/venv/bin/python" python3; do
  "$python" -c 'import pytest, numpy' 2>/dev/null && break
  python=
done
[ -n "$python" ] || { echo "no Python has pytest and NumPy: apt-get install python3-pytest python3-numpy"; exit 77; }
out=$("$python" -m pytest -q -p no:cacheprovider tests/python/test_cases.py tests/python/test_custom.py tests/python/test_callbacks.py 2>&1)
status=$?
[ $status -eq 0 ] || echo "$out"
count() { echo "$out" | tail -1 | sed -n "s/.*\b\([0-9][0-9]*\) $1.*/\1/p" | grep . || echo 0; }
echo "$(count passed) passed, $(count failed) failed"
exit $status
