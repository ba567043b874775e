#!/usr/bin/env bash
# The program that meson built. For bindings/test.py, which says where the build is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ -x "$MX2ONNX_BUILD/bindings/cpp_cases" ] || { echo "no C++ compiler was there when the library was built: apt-get install g++"; exit 77; }
exec "$MX2ONNX_BUILD/bindings/cpp_cases" ../cases
