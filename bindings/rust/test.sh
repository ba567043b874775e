#!/usr/bin/env bash
# Declarations up to date, clippy, tests and doc tests, packages. For bindings/test.py, which says where the library is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v cargo >/dev/null || { echo "no cargo"; exit 77; }
export CARGO_TARGET_DIR="$MX2ONNX_BUILD/rust"
python3 generate.py --check
if cargo clippy --version >/dev/null 2>&1; then cargo clippy -q --all-targets -- -D warnings; fi
status=0
found=$(cargo test -q 2>&1) || status=1
[ $status = 0 ] || echo "$found"
sed -nE 's/^test result: .* ([0-9]+) passed; ([0-9]+) failed.*/\1 passed, \2 failed/p' <<<"$found"
cargo package -q --allow-dirty --no-verify -p mx2onnx-sys -p mx2onnx
exit $status
