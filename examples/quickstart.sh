#!/usr/bin/env bash
# From a fresh Debian or Ubuntu machine to a converted model: installs what is missing, builds the program, converts the
# sample model examples/digits, shows what is in it, runs it in ONNX Runtime and compares the results with MXNet's, if
# ONNX Runtime can be installed.
#
#     bash examples/quickstart.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. examples/setup.sh

# shellcheck disable=SC2086 # a list
install_packages $BUILD_PACKAGES
# The tests take most of the time to build. A build that has them keeps them.
if [ -e build/build.ninja ]; then
    build build
else
    build build -Dtests=disabled
fi
tool=build/examples/mx2onnx
model=build/digits.onnx
environment=build/venv-quickstart

say "Converting examples/digits, a small convolutional net that MXNet 1.9.1 trained"
echo "$tool examples/digits/digits-symbol.json -o $model --dynamic data=batch,1,8,8 -v"
"$tool" examples/digits/digits-symbol.json -o "$model" --dynamic data=batch,1,8,8 -v

say "The graph of $model"
"$tool" inspect examples/digits/digits-symbol.json --dynamic data=batch,1,8,8 --graph

if ! make_venv "$environment" examples/requirements.txt; then
    say "ONNX Runtime could not be installed (pip failed), so the model was not run; it is in $model"
    say "Done. Next: $tool --help"
    exit
fi
ln -sf "$PWD/$tool" "$environment/bin/mx2onnx"
say "Ten digits through ONNX Runtime"
"$environment/bin/python" examples/digits/classify.py "$model"
say "The same ten, compared with what MXNet computed"
VIRTUAL_ENV=$environment "$tool" verify "$model" --data examples/digits/recorded.npz
say "Done. To go on in this shell, with mx2onnx and a Python that has ONNX Runtime:"
echo "    . $environment/bin/activate && cd examples/digits && mx2onnx --help"
