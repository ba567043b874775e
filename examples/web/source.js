// SPDX-License-Identifier: Apache-2.0
// Which files are what: a symbol and its parameters, or something that the library looks through itself. Files are read
// piece by piece; only a tar in gzip is unpacked.
import { blobReader } from "./mx2onnx.mjs";
import { isTar, untar } from "./tar.js";
import { store } from "./zip.js";

const EPOCH = /-\d{4,}\.params$/;
const PARAMS = /\.(params|npz|npy)$/;
const isSymbol = ({ path }) => path.endsWith(".json");
const isLoose = ({ path }) => !path.includes("/");

/** { symbol, params } of files that were chosen one by one, or { whole } for the library to look through; with `paths` as the
 * command line would name them. */
export async function sort(files) {
  if (files.length === 1) {
    const [{ path, file }] = files;
    return PARAMS.test(path) ? { symbol: null, params: [file], paths: [path] }
      : { whole: await isTar(file) ? await store(await untar(file)) : file, paths: [path] };
  }
  const symbols = files.filter(isSymbol), params = files.filter((f) => !isSymbol(f));
  if (symbols.length === 1 && files.every(isLoose) && params.filter(({ path }) => EPOCH.test(path)).length <= 1) {
    return { symbol: symbols[0].file, params: params.map((f) => f.file), paths: [symbols[0].path, ...params.map((f) => f.path)] };
  }
  if (symbols.length === 0 && files.every(isLoose)) {
    return { symbol: null, params: params.map((f) => f.file), paths: params.map((f) => f.path) };
  }
  return { whole: await store(files), paths: [files[0].path.split("/")[0]] };
}

// The net of parameters without a symbol; where several fit, the one that the file is named after.
function loadNet(model, choices, paths) {
  const wanted = choices.net || model.catalogue().map((n) => n.name).find((n) => paths.length === 1 && paths[0].startsWith(n + "-"));
  try {
    model.loadNet(choices.net || null);
  } catch (error) {
    if (choices.net || !wanted || error.status !== "INVALID_ARGUMENT") {
      throw error;
    }
    model.loadNet(wanted);
  }
}

/** The text of the symbol, where it is a file of its own. */
async function symbolText(source) {
  const file = source.symbol ?? (source.paths.length === 1 && source.paths[0].endsWith(".json") ? source.whole : null);
  return file ? file.text() : null;
}

/** Loads what sort() found; `json` becomes the symbol's text. */
export async function load(model, source, choices) {
  source.json ??= await symbolText(source);
  if (source.whole) {
    model.load(blobReader(source.whole));
    return;
  }
  if (source.symbol) {
    model.loadSymbol(source.json);
  }
  source.params.forEach((file) => model.loadParams(blobReader(file)));
  if (!source.symbol) {
    loadNet(model, choices, source.paths);
  }
}
