#!/usr/bin/env bash
# Declarations up to date, clippy, tests and doc tests, packages. For bindings/test.py, which says where the library is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v cargo >/dev/null || { echo "Rust is not installed: apt-get install cargo"; exit 77; }
wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' mx2onnx/Cargo.toml)
found=$(rustc --version | cut -d' ' -f2)
at_least() { [ "$(printf '%s\n' "$1" "$found" | sort -V | head -1)" = "$1" ]; }
if ! at_least "$wanted"; then
    echo "Rust $found is older than $wanted: install a newer one with rustup"
    exit 77
fi
export CARGO_TARGET_DIR="$MX2ONNX_BUILD/rust"
python3 generate.py --check
if cargo clippy --version >/dev/null 2>&1; then cargo clippy -q --all-targets -- -D warnings; fi
status=0
found=$(cargo test -q 2>&1) || status=1
[ $status = 0 ] || echo "$found"
sed -nE 's/^test result: .* ([0-9]+) passed; ([0-9]+) failed.*/\1 passed, \2 failed/p' <<<"$found"
both=()
if at_least 1.90; then both=(-p mx2onnx); fi # before it the one must be published before the other is packaged
cargo package -q --allow-dirty --no-verify -p mx2onnx-sys "${both[@]}"
exit $status
