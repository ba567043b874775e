#!/bin/sh
# Compiles the binding and its tests with mono's mcs and runs them against MX2ONNX_LIBRARY; see ../test.py.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v mcs >/dev/null && command -v mono >/dev/null || { echo "mono is not installed: apt-get install mono-mcs mono-runtime"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mcs -langversion:7 -warnaserror -target:library -doc:"$out/Mx2onnx.xml" -out:"$out/Mx2onnx.dll" "$here"/src/*.cs
mcs -langversion:7 -warnaserror -r:"$out/Mx2onnx.dll" -out:"$out/tests.exe" "$here"/tests/*.cs
LD_LIBRARY_PATH=$(dirname "$MX2ONNX_LIBRARY")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} mono "$out/tests.exe" "$here/../.."
