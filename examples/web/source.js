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

// The net of parameters without a symbol; where several fit, the one that the file is named after.
function loadNet(model, choices, paths) {
  const wanted = choices.net || model.catalogue.map((n) => n.name).find((n) => paths.length === 1 && paths[0].startsWith(n + "-"));
  try {
    model.loadNet(choices.net || null);
  } catch (error) {
    if (choices.net || !wanted || error.status !== "INVALID_ARGUMENT") {
      throw error;
    }
    model.loadNet(wanted);
  }
}

/** Runs `read`; where it fails, the file is called by its own name and not by that of a reader. */
function named(path, read) {
  try {
    read();
  } catch (error) {
    const base = path.split("/").at(-1), own = (text) => text?.replace(/'(model|params|symbol)'/g, `'${base}'`);
    error.diagnostics = (error.diagnostics ?? []).map((d) => ({ ...d, message: own(d.message),
      name: /^(model|params|symbol)$/.test(d.name) ? base : d.name }));
    error.message = own(error.message).replace(/^(model|params|symbol): /, base + ": ");
    throw error;
  }
}

/** Loads what sort() found; `json` becomes the symbol's text. */
export async function load(model, source, choices) {
  if (source.whole) {
    named(source.whole.path, () => model.load(blobReader(source.whole.file)));
    return;
  }
  source.json ??= await source.symbol?.file.text();
  if (source.symbol) {
    named(source.symbol.path, () => model.loadSymbol(source.json));
  }
  source.params.forEach(({ path, file }) => named(path, () => model.loadParams(blobReader(file))));
  if (!source.symbol) {
    loadNet(model, choices, source.paths);
  }
}
