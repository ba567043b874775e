#!/usr/bin/env bash
# ESLint and TypeScript over the page's modules, with the types of the module and of ONNX Runtime; after examples/web/site.sh --test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
checked=build/web/checked
rm -rf "$checked"
mkdir -p "$checked/packages"
cp examples/web/*.js tests/web/eslint.config.mjs tests/web/tsconfig.json "$checked/"
cp bindings/wasm/mx2onnx.d.ts "$checked/mx2onnx.d.mts"
cp bindings/node/src/{common,node,options}.d.ts "$checked/"
echo 'export * from "onnxruntime-web";' >"$checked/packages/ort.wasm.min.d.mts"
cd "$checked"
../node_modules/.bin/eslint --max-warnings 0 ./*.js
../node_modules/.bin/tsc -p tsconfig.json
