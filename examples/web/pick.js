// SPDX-License-Identifier: Apache-2.0
// Which of the chosen files are models. What else was in the folder (texts, photos) does no harm, and may be of use.

import { isTar, untar } from "./tar.js";
import { contents, members, store } from "./zip.js";

const HEAD = 1 << 20; // bytes in which a symbol says that it is one
const EPOCH = /^(.*)-(\d{4,})\.params$/;
const ARCHIVE = /\.(zip|mar|tar|tgz|tar\.gz|tar\.bz2)$/i;
const PARAMS = /\.(params|npz|npy)$/i;
const USEFUL = /\.(json|params|npz|npy|txt|names)$/i; // of the members of an archive
const HINTS = /(-shapes|^signature|\/signature)\.json$/; // of shapes, which the library reads next to a symbol

const baseOf = (path) => path.replace(/^.*\//, "");
const folderOf = (path) => path.slice(0, path.length - baseOf(path).length);
const startsWith = (bytes, ...values) => values.every((v, i) => bytes[i] === v);

async function isSymbol(file) {
  const text = await file.slice(0, HEAD).text();
  return /^\s*\{/.test(text) && (/"nodes"\s*:/.test(text) || (file.size > HEAD && /"nodes"\s*:/.test(await file.text())));
}

/** Are these the inputs and outputs that MXNet had? */
async function isRecorded({ path, file }) {
  return /\.npz$/i.test(path) && Object.keys(await members(file).catch(() => ({}))).some((n) => n.startsWith("input:"));
}

/** symbol, params, archive, image, recorded, labels, hint or other. */
async function kindOf(given) {
  const { path, file } = given;
  const head = new Uint8Array(await file.slice(0, 8).arrayBuffer());
  if (HINTS.test(path)) {
    return "hint";
  }
  if (path.endsWith(".json") || head.includes(0x7b)) {
    if (await isSymbol(file)) {
      return "symbol";
    }
    if (/-symbol\.json$/.test(path)) {
      return "symbol"; // a damaged one: the library says what is wrong with it
    }
  }
  if (PARAMS.test(path) || startsWith(head, 0x12, 1, 0, 0, 0, 0, 0, 0) || /^(params|model_algo-\d+)$/.test(baseOf(path))) {
    return await isRecorded(given) ? "recorded" : "params";
  }
  if (ARCHIVE.test(path) || startsWith(head, 0x50, 0x4b, 3, 4) || startsWith(head, 0x1f, 0x8b)) {
    return "archive";
  }
  return file.type.startsWith("image/") ? "image" : /\.(txt|names)$/i.test(path) ? "labels" : "other";
}

const title = (path) => baseOf(path).replace(/(-symbol)?\.json$/, "");
const stemOf = ({ path }) => path.replace(/(-symbol)?\.json$/, "");

/** The symbol whose name a file of parameters begins with; the longest one, for net-b-0000.params is not of net. */
function owner({ path }, symbols) {
  const named = symbols.filter((s) => path.startsWith(stemOf(s) + ".") || path.startsWith(stemOf(s) + "-"));
  return named.sort((a, b) => stemOf(b).length - stemOf(a).length)[0];
}

/** Rows for a symbol: one for each epoch of its name, or one with all of its parameters. */
function rows(symbol, params) {
  const epochs = params.map((p) => [EPOCH.exec(p.path), p]).filter(([m]) => m?.[1] === stemOf(symbol)).sort(([a], [b]) => b[2] - a[2]);
  if (epochs.length > 0) {
    const epoch = ([, , digits]) => (epochs.length > 1 ? `, epoch ${Number(digits)}` : "");
    return epochs.map(([m, p]) => ({ title: title(symbol.path) + epoch(m), files: [symbol, p] }));
  }
  const all = params.filter((p) => EPOCH.test(p.path)).length > 1 ? params.map((p) => [p]) : [params];
  return all.map((some) => ({ title: title(symbol.path) + (all.length > 1 ? ", " + baseOf(some[0].path) : ""), files: [symbol, ...some] }));
}

/** Each symbol with the parameters of its name, whole models first. Parameters of no symbol's name are those of the one symbol of their
 * folder that has none: which of several they fit is not guessed. */
function paired(symbols, params) {
  const own = new Map(symbols.map((s) => [s, params.filter((p) => owner(p, symbols) === s)]));
  const loose = params.filter((p) => !owner(p, symbols)), bare = symbols.filter((s) => own.get(s).length === 0);
  const near = (s) => (bare.filter((b) => folderOf(b.path) === folderOf(s.path)).length === 1 ? loose.filter((p) => folderOf(p.path) === folderOf(s.path)) : []);
  const models = symbols.flatMap((s) => rows(s, bare.includes(s) ? near(s) : own.get(s)));
  return models.sort((a, b) => Number(b.files.length > 1) - Number(a.files.length > 1));
}

const kindsOf = (files) => Promise.all(files.map(async (file) => [await kindOf(file), file]));

/** An archive as [[kind, file]...]: itself, a tar as a zip, or where there is more or less in it than one model, its members. */
async function unpacked(archive) {
  const { path, file } = archive;
  try {
    const tar = await isTar(file) ? await untar(file) : null, names = tar ? tar.map((member) => member.path) : Object.keys(await members(file));
    const count = (test) => names.filter((n) => test.test(n)).length, symbols = count(/-symbol\.json$/), params = count(PARAMS);
    if (symbols === 1 ? params > 0 && count(EPOCH) < 2 : symbols === 0 && (params === 0 || count(/\.json$/) > 0)) {
      return [["archive", { path, file: tar ? await store(tar) : file }]];
    }
    const folder = baseOf(path).replace(ARCHIVE, ""), found = tar ?? await contents(file, (n) => USEFUL.test(n));
    return await kindsOf(found.map((member) => ({ path: `${folder}/${member.path}`, file: member.file, archive: path })));
  } catch {
    return [["archive", archive]]; // the library says what is wrong with it
  }
}

/**
 * { models: [{ title, files }], images, recorded, labels: a file or undefined, others: what is left out }; files are { path, file } and, of
 * one that was unpacked, archive. `models` has a row for each symbol and, where there are several, epoch; for each archive that the library
 * looks through; and one for parameters that come without a symbol.
 */
export async function pick(chosen) {
  const kinds = (await Promise.all((await kindsOf(chosen)).map(async ([kind, file]) => (kind === "archive" ? unpacked(file) : [[kind, file]])))).flat();
  const of = (kind) => kinds.filter(([k]) => k === kind).map(([, file]) => file), symbols = of("symbol"), params = of("params"), hints = of("hint");
  const alone = symbols.length === 1 && params.filter(({ path }) => EPOCH.test(path)).length <= 1;
  const ofSymbols = alone ? [{ title: title(symbols[0].path), files: [symbols[0], ...params] }] : paired(symbols, params);
  const used = new Set(ofSymbols.flatMap((model) => model.files));
  ofSymbols.forEach((model) => {
    const near = hints.filter((h) => folderOf(h.path) === folderOf(model.files[0].path));
    model.files = near.length > 0 ? [...model.files, ...near] : model.files;
  });
  const models = [...ofSymbols, ...of("archive").map((archive) => ({ title: baseOf(archive.path), files: [archive] })),
    ...(symbols.length === 0 && params.length > 0 ? [{ title: baseOf(params[0].path), files: params }] : [])];
  const spare = symbols.length > 0 ? params.filter((p) => !used.has(p)) : [];
  return { models, images: of("image"), recorded: of("recorded"), labels: of("labels")[0], others: [...of("other"), ...spare, ...(models.length === 0 ? hints : [])] };
}

export const isSymbolFile = ({ path }) => path.endsWith(".json") && !HINTS.test(path);
export const isParams = ({ path }) => !path.endsWith(".json") && !ARCHIVE.test(path);
const symbolFirst = (files) => files.sort((a, b) => Number(isSymbolFile(b)) - Number(isSymbolFile(a)));

/** The only model that was found, if none of it nor of `files` is an archive. */
const separate = (files, { models: [only, ...more] }) => only && more.length === 0 && files.length > 0
  && ![...files, ...only.files].some(({ path }) => ARCHIVE.test(path)) && only.files;

/** The files of a model with the half that it waited for, or null where what was found is another model. */
export function joined(files, found) {
  const fresh = separate(files, found) || [], all = [...files, ...fresh], half = fresh.some(isSymbolFile) !== fresh.some(isParams);
  return half && files.some(isSymbolFile) !== fresh.some(isSymbolFile) && all.some(isParams) ? symbolFirst(all) : null;
}

/** The files of a model with other parameters, or null where no parameters alone were found. */
export function replaced(files, found) {
  const fresh = separate(files, found), rest = files.filter((file) => !isParams(file));
  return fresh && fresh.every(isParams) && rest.some(isSymbolFile) ? symbolFirst([...rest, ...fresh]) : null;
}
