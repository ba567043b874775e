// SPDX-License-Identifier: Apache-2.0
// Which of the chosen files are models. What else was in the folder (texts, photos) does no harm, and may be of use.

const HEAD = 1 << 20; // bytes in which a symbol says that it is one
const EPOCH = /^(.*)-(\d{4,})\.params$/;
const ARCHIVE = /\.(zip|mar|tar|tgz|tar\.gz|tar\.bz2)$/i;
const PARAMS = /\.(params|npz|npy)$/i;
const HINTS = /(-shapes|^signature|\/signature)\.json$/; // of shapes, which the library reads next to a symbol

const baseOf = (path) => path.replace(/^.*\//, "");
const folderOf = (path) => path.slice(0, path.length - baseOf(path).length);
const startsWith = (bytes, ...values) => values.every((v, i) => bytes[i] === v);

async function isSymbol(file) {
  const text = await file.slice(0, HEAD).text();
  return /^\s*\{/.test(text) && (/"nodes"\s*:/.test(text) || (file.size > HEAD && /"nodes"\s*:/.test(await file.text())));
}

/** symbol, params, archive, image, labels, hint or other. */
async function kindOf({ path, file }) {
  const head = new Uint8Array(await file.slice(0, 8).arrayBuffer());
  if (HINTS.test(path)) {
    return "hint";
  }
  if (path.endsWith(".json") || head.includes(0x7b)) {
    if (await isSymbol(file)) {
      return "symbol";
    }
    if (/-symbol\.json$/.test(path)) {
      return "symbol"; // a damaged one, of which the library says what is wrong
    }
  }
  if (PARAMS.test(path) || startsWith(head, 0x12, 1, 0, 0, 0, 0, 0, 0) || /^(params|model_algo-\d+)$/.test(baseOf(path))) {
    return "params";
  }
  if (ARCHIVE.test(path) || startsWith(head, 0x50, 0x4b, 3, 4) || startsWith(head, 0x1f, 0x8b)) {
    return "archive";
  }
  return file.type.startsWith("image/") ? "image" : /\.(txt|names)$/i.test(path) ? "labels" : "other";
}

const title = (path) => baseOf(path).replace(/(-symbol)?\.json$/, "");

/** The parameters for a symbol, best first: of its name and the highest epoch, of its name, of its folder. */
function paramsFor(symbol, params) {
  const stem = symbol.path.replace(/(-symbol)?\.json$/, "");
  const epochs = params.map((p) => [EPOCH.exec(p.path), p]).filter(([m]) => m?.[1] === stem).sort(([a], [b]) => b[2] - a[2]);
  if (epochs.length > 0) {
    const epoch = ([, , digits]) => (epochs.length > 1 ? `, epoch ${Number(digits)}` : "");
    return epochs.map(([m, p]) => ({ title: title(symbol.path) + epoch(m), files: [symbol, p] }));
  }
  const own = params.filter((p) => p.path.startsWith(stem + ".") || p.path.startsWith(stem + "-"));
  const near = own.length > 0 ? own : params.filter((p) => folderOf(p.path) === folderOf(symbol.path));
  const all = near.filter((p) => EPOCH.test(p.path)).length > 1 ? near.map((p) => [p]) : [near];
  return all.map((some) => ({ title: title(symbol.path) + (all.length > 1 ? ", " + baseOf(some[0].path) : ""), files: [symbol, ...some] }));
}

/**
 * { models: [{ title, files }], images, labels: a file or undefined, others: what is left out }; files are { path, file }. `models` has
 * a row for each symbol and, where there are several, epoch; for each archive; and one for parameters that come without a symbol.
 */
export async function pick(files) {
  const kinds = await Promise.all(files.map(kindOf)), of = (kind) => files.filter((_, i) => kinds[i] === kind);
  const symbols = of("symbol"), params = of("params"), hints = of("hint");
  const loose = symbols.length === 1 && params.filter(({ path }) => EPOCH.test(path)).length <= 1;
  const ofSymbols = loose ? [{ title: title(symbols[0].path), files: [symbols[0], ...params] }] : symbols.flatMap((s) => paramsFor(s, params));
  ofSymbols.forEach((model) => {
    const near = hints.filter((h) => folderOf(h.path) === folderOf(model.files[0].path));
    model.files = near.length > 0 ? [...model.files, ...near] : model.files;
  });
  const models = [...ofSymbols, ...of("archive").map((archive) => ({ title: baseOf(archive.path), files: [archive] })),
    ...(symbols.length === 0 && params.length > 0 ? [{ title: baseOf(params[0].path), files: params }] : [])];
  return { models, images: of("image"), labels: of("labels")[0], others: [...of("other"), ...(models.length === 0 ? hints : [])] };
}

const isParams = ({ path }) => !path.endsWith(".json") && !ARCHIVE.test(path);
const isSymbolFile = ({ path }) => path.endsWith(".json") && !HINTS.test(path);

/** The files of a model with those that it waited for, or null where they are another model. */
export function joined(files, found) {
  const [only] = found.models, has = (list, test) => list.some(test);
  if (found.models.length !== 1 || files.length === 0 || has([...files, ...only.files], ({ path }) => ARCHIVE.test(path))) {
    return null;
  }
  const oneSymbol = has(files, isSymbolFile) !== has(only.files, isSymbolFile);
  const bothHalves = has([...files, ...only.files], isParams);
  return oneSymbol && bothHalves ? [...files, ...only.files].sort((a, b) => Number(isSymbolFile(b)) - Number(isSymbolFile(a))) : null;
}
