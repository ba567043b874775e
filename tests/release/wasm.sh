# in: trixie
# files: npm/mx2onnx-wasm-*.tgz
# npm install of the WebAssembly package's file, which depends on nothing.
apt_install nodejs npm ca-certificates
mkdir program
cd program
npm init -y >/dev/null
npm install --offline --no-audit --no-fund /with/release/npm/mx2onnx-wasm-*.tgz
cat >wasm.mjs <<'N'
import { readFileSync, writeFileSync } from 'node:fs';
import mx2onnx from 'mx2onnx-wasm';
const library = await mx2onnx();
const symbol = readFileSync(process.env.DIGITS);
const params = readFileSync(process.env.DIGITS.replace('-symbol.json', '-0000.params'));
const { onnx } = library.convert({ symbol, params, inputs: { data: [1, 1, 8, 8] } });
writeFileSync(process.env.OUT + '/wasm.onnx', onnx);
N
node wasm.mjs
