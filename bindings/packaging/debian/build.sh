#!/usr/bin/env bash
# Builds the Debian packages of a release's source archive, or without one of the last commit, and has lintian look at them.
#
#     bash build.sh OUTPUT [libmx2onnx-VERSION.tar.gz]          # DEB_BUILD_OPTIONS=nocheck leaves the tests out
set -euo pipefail
mkdir -p "$1"
output=$(cd "$1" && pwd)
archive=${2:+$(realpath "$2")}
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
version=$(dpkg-parsechangelog -l bindings/packaging/debian/changelog -S Version)
source=$output/libmx2onnx-${version%-*}
original=$output/libmx2onnx_${version%-*}.orig.tar.gz
rm -rf "$source"
if [ -n "$archive" ]; then
    cp "$archive" "$original"
else
    git archive --prefix="$(basename "$source")/" HEAD | gzip -n >"$original"
fi
tar -x -C "$output" -f "$original"
cp -r bindings/packaging/debian "$source/debian"
rm "$source/debian/build.sh"
(cd "$source" && dpkg-buildpackage -us -uc)
lintian --fail-on error --tag-display-limit 0 "$output"/libmx2onnx_*.changes
