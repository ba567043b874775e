#!/usr/bin/env bash
# Makes the page a folder of files, build/web/site, that any web server may serve: builds the WebAssembly module (emscripten, which
# is installed by apt-get where it is missing) and fetches what the page runs with from npm, as package-lock.json says.
#
#     bash examples/web/site.sh [--test] [--back ADDRESS]
#
# --test adds what tests/web needs. --back adds a link to ADDRESS, for a page that is part of another site. MX2ONNX_MODULE names a folder
# with a module that is built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. examples/setup.sh

here=examples/web
site=build/web/site
omit=--omit=dev back=''
while [ $# -gt 0 ]; do
    case $1 in
        --test) omit=--include=dev ;;
        --back) back=$2 && shift ;;
        *) give_up "$1 is not an option" ;;
    esac
    shift
done

module=${MX2ONNX_MODULE:-build/platforms/wasm/build/bindings/wasm}
command -v python3 >/dev/null || install_packages python3
[ -n "${MX2ONNX_MODULE:-}" ] || python3 tests/platforms/run.py --build wasm
command -v npm >/dev/null || install_packages nodejs npm
wanted="$omit $(cksum <"$here/package-lock.json")"
if [ "$(cat build/web/fetched 2>/dev/null)" != "$wanted" ]; then
    say "Fetching the npm packages of $here/package-lock.json"
    mkdir -p build/web
    cp "$here/package.json" "$here/package-lock.json" build/web/
    (cd build/web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error "$omit") </dev/null || give_up "npm could not fetch them"
    echo "$wanted" >build/web/fetched
fi

rm -rf "$site"
mkdir -p "$site/packages" "$site/samples"
cp "$here"/*.html "$here"/*.css "$here"/*.js "$here"/*.svg "$here"/*.webmanifest "$site/"
cp "$module"/{arguments.js,errors.js,node.js,options.js,mx2onnx.mjs,mx2onnx-core.mjs,mx2onnx-core.wasm} "$site/"
cp build/web/node_modules/onnxruntime-web/dist/{ort.wasm.min.mjs,ort-wasm-simd-threaded.mjs,ort-wasm-simd-threaded.wasm} "$site/packages/"
cp "$here"/samples/*.svg examples/digits/digits-{symbol.json,0000.params} examples/shapes/shapes-{symbol.json,0000.params} "$site/samples/"
cp LICENSE "$site/LICENSE.txt"
[ -z "$back" ] || sed -i "s|<a href=\"LICENSE.txt\">|<a href=\"$back\">Documentation</a>\n      &|" "$site/index.html"
python3 "$here/files.py" "$site"
