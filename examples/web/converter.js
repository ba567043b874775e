// SPDX-License-Identifier: Apache-2.0
// The worker that looks into models and converts them. It keeps nothing between two requests but the library and the
// files as they were sorted, so that it can be ended at any time.
import mx2onnx from "./mx2onnx.mjs";
import { apply, applyEarly } from "./choices.js";
import { openSink, sweep } from "./sink.js";
import { load, sort } from "./source.js";

const loading = mx2onnx();
let sorted = { key: null, source: null };

async function sourceOf(key, files) {
  if (sorted.key !== key) {
    sorted = { key, source: await sort(files) };
  }
  return sorted.source;
}

const failure = (error) => ({ message: error.message, status: error.status ?? "", diagnostics: error.diagnostics ?? [] });

/** What `run` gives, or its failure, which must not hide what else is known. */
function tried(run) {
  try {
    return { value: run() };
  } catch (error) {
    return { value: null, failure: failure(error) };
  }
}

async function withModel({ key, files, choices }, run) {
  const library = await loading, source = await sourceOf(key, files), model = library.model();
  try {
    applyEarly(model, choices);
    await load(model, source, choices);
    return await run(model, source, library);
  } finally {
    model.close();
  }
}

function facts(model, source, library, failed) {
  const diagnostics = model.diagnostics; // the next call clears its errors
  const { value: graph } = tried(() => JSON.stringify(model.graph("mxnet")));
  return {
    version: library.version, targets: library.targets(), failure: failed, graph,
    paths: source.paths, symbol: Boolean(source.symbol), net: model.netTitle, inputs: model.inputs, outputs: model.outputs,
    operators: model.operators,
    params: model.params.map(({ name, dtype, dims, byteLength, used }) => ({ name, dtype, dims, byteLength, used })), // what can be sent
    missing: model.variables.filter(({ kind }) => kind === "weight").map(({ name }) => name), diagnostics,
  };
}

/** What is known of the model with these choices, and why it could not be converted. */
const look = (request) => withModel(request, (model, source, library) => {
  if (request.first && model.netTitle) {
    tried(() => model.usePublished("shapes"));
  }
  const chosen = tried(() => apply(model, request.choices)), inferred = chosen.failure ? chosen : tried(() => model.infer());
  return facts(model, source, library, inferred.failure);
});

const convert = (request, id) => withModel(request, async (model, source, library) => {
  const started = performance.now();
  await sweep(request.page);
  const sink = await openSink(request.page);
  try {
    apply(model, request.choices);
    let told = 0;
    model.onProgress(({ done, total }) => {
      if (total && performance.now() - told > 50) {
        told = performance.now();
        self.postMessage({ id, progress: { done, total } });
      }
    });
    model.exportTo((bytes) => sink.write(bytes));
    const file = await sink.finish(), seconds = (performance.now() - started) / 1000;
    return { ...facts(model, source, library), written: model.written, file, seconds };
  } catch (error) {
    await sink.discard();
    throw error;
  }
});

const nets = async () => {
  const model = (await loading).model(), found = model.catalogue;
  model.close();
  return found;
};

const TASKS = { look, convert, nets };
let queue = Promise.resolve(); // one request after the other

self.onmessage = ({ data: { id, task, request } }) => {
  queue = queue.then(async () => {
    try {
      self.postMessage({ id, result: await TASKS[task](request, id) });
    } catch (error) {
      self.postMessage({ id, failure: failure(error) });
    }
  });
};
