#!/bin/sh
# Compiles the binding and its tests with mono's mcs and runs them: test.sh LIBRARY [FOLDER]
# LIBRARY is libmx2onnx.so; what is compiled goes into FOLDER (default: build/ here).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$(cd "$(dirname "$1")" && pwd)
out=${2:-$here/build}
mkdir -p "$out"
mcs -langversion:7 -warnaserror -target:library -doc:"$out/Mx2onnx.xml" -out:"$out/Mx2onnx.dll" "$here"/src/*.cs
mcs -langversion:7 -warnaserror -r:"$out/Mx2onnx.dll" -out:"$out/tests.exe" "$here"/tests/*.cs
LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec mono "$out/tests.exe" "$here/../.."
