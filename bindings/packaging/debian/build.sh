#!/usr/bin/env bash
# Builds the Debian packages of the last commit, and has lintian look at them.
#
#     bash build.sh OUTPUT          # DEB_BUILD_OPTIONS=nocheck leaves the tests out
set -euo pipefail
mkdir -p "$1"
output=$(cd "$1" && pwd)
cd "$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)"
version=$(dpkg-parsechangelog -l bindings/packaging/debian/changelog -S Version)
source=$output/libmx2onnx-${version%-*}
rm -rf "$source"
git archive --prefix="$(basename "$source")/" HEAD | tar -x -C "$output"
mv "$source/bindings/packaging/debian" "$output/debian"
tar -c -J -C "$output" -f "$output/libmx2onnx_${version%-*}.orig.tar.xz" "$(basename "$source")"
mv "$output/debian" "$source/debian"
rm "$source/debian/build.sh"
(cd "$source" && dpkg-buildpackage -us -uc)
lintian --fail-on error --tag-display-limit 0 "$output"/libmx2onnx_*.changes
