// SPDX-License-Identifier: Apache-2.0
// Which files are what: a symbol and its parameters, or something that the library looks through itself. Files are read
// piece by piece; only a tar in gzip is unpacked.
import { blobReader } from "./mx2onnx.mjs";
import { isTar, untar } from "./tar.js";
import { store } from "./zip.js";

const ARCHIVE = /\.(zip|mar|tar|tgz|tar\.gz)$/i;
const HINTS = /(-shapes|^signature|\/signature)\.json$/; // of shapes, which the library reads itself next to a symbol
const isSymbol = ({ path }) => path.endsWith(".json");

/** { symbol, params } as { path, file }, or { whole } for the library to look through; with `paths` as the command line would name
 * them. The files are those of one model, as pick.js finds them. */
export async function sort(files) {
  if (files.some(({ path }) => HINTS.test(path))) {
    return { whole: { path: files[0].path.split("/")[0], file: await store(files) }, params: [], paths: [files[0].path.split("/")[0]] };
  }
  const [{ path, file }] = files, symbols = files.filter(isSymbol), params = files.filter((f) => !isSymbol(f));
  if (files.length === 1 && (ARCHIVE.test(path) || await isArchive(file, path))) {
    return { whole: { path, file: await isTar(file) ? await store(await untar(file)) : file }, params: [], paths: [path] };
  }
  return { symbol: symbols[0] ?? null, params, paths: [...symbols, ...params].map((f) => f.path) };
}

// A zip of another name; .params of MXNet 2 are one, too.
async function isArchive(file, path) {
  return !/\.(params|npz|npy|json)$/.test(path) && (await isTar(file) || new Uint8Array(await file.slice(0, 2).arrayBuffer())[0] === 0x50);
}

/** The model calls what it loads next by this name. */
const name = (model, path) => model.setOptions({ sourceName: path.split("/").at(-1) });

/** Loads what sort() found; `json` becomes the symbol's text. */
export async function load(model, source, choices) {
  if (source.whole) {
    name(model, source.whole.path);
    model.load(blobReader(source.whole.file));
    return;
  }
  source.json ??= await source.symbol?.file.text();
  if (source.symbol) {
    name(model, source.symbol.path);
    model.loadSymbol(source.json);
  }
  for (const { path, file } of source.params) {
    name(model, path);
    model.loadParams(blobReader(file));
  }
  if (!source.symbol) {
    model.loadNet(choices.net || null);
  }
}
