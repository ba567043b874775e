#!/usr/bin/env bash
# Makes the page a folder of files, build/web/site, that any web server may serve: builds the WebAssembly module (emscripten, which
# is installed by apt-get where it is missing) and fetches what the page runs with from npm, as package-lock.json says.
#
#     bash examples/web/site.sh [--test]      with what tests/web needs, too
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. examples/setup.sh

here=examples/web
site=build/web/site
omit=--omit=dev
if [ "${1:-}" = --test ]; then
    omit=--include=dev
fi

python3 tests/platforms/run.py --build wasm
command -v npm >/dev/null || install_packages nodejs npm
mkdir -p "$site/packages" "$site/example"
if ! cmp -s "$here/package-lock.json" build/web/package-lock.json || { [ "$omit" = --include=dev ] && [ ! -d build/web/node_modules/axe-core ]; }; then
    say "Fetching the npm packages of $here/package-lock.json"
    cp "$here/package.json" build/web/
    cp "$here/package-lock.json" build/web/package-lock.next
    rm -f build/web/package-lock.json
    (cd build/web && mv package-lock.next package-lock.json && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error $omit) </dev/null \
        || { rm -f build/web/package-lock.json; give_up "npm could not fetch them"; }
fi

cp "$here"/*.html "$here"/*.css "$here"/*.js "$site/"
cp build/platforms/wasm/build/bindings/wasm/{mx2onnx.mjs,mx2onnx-core.mjs,mx2onnx-core.wasm} "$site/"
cp build/web/node_modules/onnxruntime-web/dist/{ort.wasm.min.mjs,ort-wasm-simd-threaded.mjs,ort-wasm-simd-threaded.wasm} "$site/packages/"
cp examples/digits/digits-{symbol.json,0000.params} "$site/example/"
python3 "$here/files.py" "$site"
