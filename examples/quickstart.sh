#!/usr/bin/env bash
# From a fresh Debian or Ubuntu machine to a converted model: installs what is missing, builds the library, converts the
# sample model examples/digits, shows what is in it, and runs it in ONNX Runtime if that can be had.
#
#     bash examples/quickstart.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. examples/setup.sh

# shellcheck disable=SC2086 # a list
install_packages $BUILD_PACKAGES
build build
tool=build/examples/mx2onnx
model=build/digits.onnx

say "Converting examples/digits, a small convolutional net that MXNet 1.9.1 trained"
echo "$tool examples/digits/digits-symbol.json -o $model --dynamic data=batch,1,8,8 -v"
"$tool" examples/digits/digits-symbol.json -o "$model" --dynamic data=batch,1,8,8 -v

say "The graph of $model"
"$tool" inspect examples/digits/digits-symbol.json --dynamic data=batch,1,8,8 --graph

if make_venv build/venv-quickstart examples/requirements.txt; then
    say "Ten digits through ONNX Runtime"
    build/venv-quickstart/bin/python examples/digits/classify.py "$model"
else
    say "ONNX Runtime could not be installed (pip failed), so the model was not run; it is in $model"
fi
say "Done. Next: $tool --help"
