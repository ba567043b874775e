#!/usr/bin/env bash
# Tests the page of examples/web in Debian's Chromium, driven by npm's playwright-core: makes the page and the models, and runs ESLint,
# TypeScript, the tests of bindings/wasm, parts.test.mjs and page.test.mjs, and firefox.test.mjs where there is a Firefox. Ends with 77 where there is no emscripten, npm or
# Chromium, where Node.js is older than playwright wants it, or where the sources that the module is built with cannot be had.
#
#     bash tests/web/test.sh [BUILD] [NODE'S OPTION...]      MX2ONNX_PYTHON, or python3, needs NumPy and onnx; MX2ONNX_JUNIT names
#                                                   a file for the results
#     bash tests/web/test.sh [BUILD] --screenshots [NAME]    no tests, but pictures of each state in build/web/screenshots
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$PWD/${1:-build}
[ $# -eq 0 ] || shift

for tool in emcc npm chromium; do
    if ! command -v $tool >/dev/null; then
        echo "no $tool: apt-get install emscripten npm chromium"
        exit 77
    fi
done
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 20 ]; then
    echo "Node.js $(node --version) is older than 20: put a newer one, such as Debian 13 has, first on PATH"
    exit 77
fi
if [ ! -e build/platforms/wasm/deps/done ] && ! python3 tests/platforms/dependencies.py --all; then
    echo "the system's archive does not have the sources of libzip and what it needs: apt-get source --download-only libzip"
    exit 77
fi
bash examples/web/site.sh --test
bash tests/web/lint.sh

export MX2ONNX_WEB=$PWD/build/web
export MX2ONNX_WASM=$PWD/build/platforms/wasm/build/bindings/wasm/mx2onnx.mjs
export MX2ONNX_WEB_MODELS=$MX2ONNX_WEB/models
export MX2ONNX_TOOL=$build/examples/mx2onnx
export MX2ONNX_LIBRARY=$build/lib/libmx2onnx.so
export MX2ONNX_PYTHON=${MX2ONNX_PYTHON:-python3}
export PYTHONPATH=$PWD/bindings/python
scratch=$(mktemp -d)
if [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -1)" -gt 8000000 ]; then # GiBs are written and read again
    rmdir "$scratch"
    scratch=$(mktemp -d -p /dev/shm)
fi
export MX2ONNX_WEB_SCRATCH=$scratch
trap 'rm -rf "$scratch"' EXIT
[ "$MX2ONNX_WEB_MODELS" -nt tests/web/models.py ] || "$MX2ONNX_PYTHON" tests/web/models.py "$MX2ONNX_WEB_MODELS"
if [ "${1:-}" = --screenshots ]; then
    node tests/web/screenshots.mjs "$MX2ONNX_WEB/screenshots" "${@:2}"
    exit
fi
reporters=(--test-reporter=spec --test-reporter-destination=stdout)
if [ -n "${MX2ONNX_JUNIT:-}" ]; then
    reporters+=(--test-reporter=./tests/web/junit.mjs "--test-reporter-destination=$MX2ONNX_JUNIT")
fi
node --test --test-timeout=1500000 "${reporters[@]}" "$@" bindings/wasm/test.mjs tests/web/parts.test.mjs tests/web/page.test.mjs tests/web/firefox.test.mjs
