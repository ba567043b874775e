// SPDX-License-Identifier: Apache-2.0
// Converts what page.js sends. In a worker, so that the page lives on, and because only here a file can be read piece by
// piece: neither the parameters nor the ONNX file lie in memory as a whole.
import mx2onnx, { blobReader } from "../../build-wasm/bindings/wasm/mx2onnx.mjs";

const loading = mx2onnx();
const shown = (values) => values.map((v) => `${v.name} ${v.dtype} (${(v.shape ?? ["?"]).map((d) => d ?? "?").join(", ")})`).join("; ");
const lines = (diagnostics) => diagnostics.map((d) => `${d.severity}: ${d.node && d.node + ": "}${d.message}${d.advice && "; " + d.advice}`);

async function load(model, files) {
  const symbol = files.find((f) => f.name.endsWith(".json"));
  if (!symbol) {
    model.load(blobReader(files[0]));
    return;
  }
  model.loadSymbol(await symbol.arrayBuffer());
  files.filter((f) => f !== symbol).forEach((f) => model.loadParams(blobReader(f)));
}

self.onmessage = async ({ data: { files, shapes, half } }) => {
  const library = await loading, model = library.model(), started = performance.now(), pieces = [];
  try {
    await load(model, files);
    Object.entries(shapes).forEach(([name, shape]) => model.setInput(name, shape));
    half && model.setFloat16("inside");
    model.onProgress((done, total) => { self.postMessage({ progress: done / total }); });
    model.exportTo((bytes) => { pieces.push(bytes); });
    self.postMessage({
      onnx: new Blob(pieces),
      name: files[0].name.replace(/(-symbol\.json|-\d{4}\.params|\.\w+)$/, "") + ".onnx",
      seconds: (performance.now() - started) / 1000,
      inputs: shown(model.inputs()),
      outputs: shown(model.outputs()),
      diagnostics: lines(model.diagnostics()),
    });
  } catch (error) {
    self.postMessage({ error: error.message, diagnostics: lines(error.diagnostics ?? []) });
  }
  model.free();
};
