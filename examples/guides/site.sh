#!/usr/bin/env bash
# Makes the guides a static site, build/site, which any web server may serve in any folder, and which works from the disk, too: Sphinx,
# MyST and Furo from PyPI, in a separate environment. Warnings are errors, and every link is checked.
#
#     bash examples/guides/site.sh [BUILD] [--converter]    BUILD is a meson build (default: build). With --converter the page of
#                                                           examples/web is made, too, which takes emscripten and npm
#
# Ends with 77 where the packages cannot be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. examples/setup.sh

build=build converter=''
for argument in "$@"; do
    case $argument in
        --converter) converter=--converter ;;
        *) build=$argument ;;
    esac
done
tool=$build/examples/mx2onnx
[ -x "$tool" ] || give_up "there is no $tool: meson setup $build && meson compile -C $build"
if ! make_venv "$build/venv-site" examples/guides/site/requirements.txt; then
    rm -rf "$build/venv-site"
    echo "Sphinx, MyST and Furo cannot be installed from PyPI: see examples/guides/site/requirements.txt"
    exit 77
fi
[ -z "$converter" ] || bash examples/web/site.sh --back ../index.html

export MX2ONNX_STAGE=$PWD/$build/site-source MX2ONNX_LIBRARY=$PWD/$build/lib/libmx2onnx.so PYTHONDONTWRITEBYTECODE=1
python3 examples/guides/site/stage.py "$tool" "$MX2ONNX_STAGE" $converter
rm -rf "$build/site"
"$build/venv-site/bin/python" -m sphinx -q -n -W --keep-going -E -d "$build/site-cache" -c examples/guides/site "$MX2ONNX_STAGE" "$build/site"
rm -f "$build/site/.buildinfo" "$build/site/objects.inv"
touch "$build/site/.nojekyll"
[ -z "$converter" ] || cp -r build/web/site "$build/site/convert"
"$build/venv-site/bin/python" examples/guides/site/check.py "$build/site"
