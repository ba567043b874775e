#!/bin/sh
# Compiles the binding and its tests with mono's mcs and runs them against MX2ONNX_LIBRARY; see ../test.py. Each first use of the library is
# tried with a library that has the name alone that programs are linked with, in mono and, where it is installed, in .NET.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v mcs >/dev/null && command -v mono >/dev/null || { echo "mono is not installed: apt-get install mono-mcs mono-runtime"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mcs -langversion:7 -warnaserror -target:library -doc:"$out/Mx2onnx.xml" -out:"$out/Mx2onnx.dll" "$here"/src/*.cs
mcs -langversion:7 -warnaserror -r:"$out/Mx2onnx.dll" -out:"$out/tests.exe" "$here"/tests/*.cs
mkdir "$out/spans" # as for .NET 8
mcs -langversion:7.2 -warnaserror -unsafe -define:SPANS -target:library -doc:"$out/spans/Mx2onnx.xml" -out:"$out/spans/Mx2onnx.dll" "$here"/src/*.cs
mcs -langversion:7.2 -warnaserror -define:SPANS -r:"$out/spans/Mx2onnx.dll" -out:"$out/spans/tests.exe" "$here"/tests/*.cs
status=0
for tests in "$out/tests.exe" "$out/spans/tests.exe"; do
  LD_LIBRARY_PATH=$(dirname "$MX2ONNX_LIBRARY")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} mono "$tests" "$here/../.." || status=1
done

mkdir "$out/versioned"
ln -s "$(readlink -f "$MX2ONNX_LIBRARY")" "$out/versioned/libmx2onnx.so.0"
echo '{"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"}, "rollForward": "LatestMajor"}}' >"$out/tests.runtimeconfig.json"
export LD_LIBRARY_PATH="$out/versioned" DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
run() { "$@" "$out/tests.exe" "$here/../.." "$first" >"$out/said" 2>&1 && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "$1, $first:"; cat "$out/said"; }; }
passed=0
failed=0
for first in $(mono "$out/tests.exe" "$here/../.." ""); do
  run mono
  if command -v dotnet >/dev/null; then run dotnet exec --runtimeconfig "$out/tests.runtimeconfig.json"; fi
done
echo "$passed passed, $failed failed"
[ $status = 0 ] && [ $failed = 0 ]
