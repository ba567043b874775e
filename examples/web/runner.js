// SPDX-License-Identifier: Apache-2.0
// The worker that runs the ONNX file, in ONNX Runtime.
import * as ort from "./packages/ort.wasm.min.mjs";
import { blobReader } from "./mx2onnx.mjs";
import { readOnnx } from "./onnx.js";

const LARGEST = 2 ** 31 - 1; // of a model in memory
const ENOUGH = 1000; // milliseconds of runs behind the first one

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = new URL("packages/", import.meta.url).href;
ort.env.logLevel = "error";
let session = null;

async function open({ file }) {
  await session?.release();
  session = null;
  if (file.size > LARGEST) {
    throw new Error("ONNX Runtime needs the whole model in memory, and a browser allows it at most 2 GiB; run it outside the browser");
  }
  const graph = readOnnx(blobReader(file)), params = new Set(graph.params.map((p) => p.name)), started = performance.now();
  session = await ort.InferenceSession.create(new Uint8Array(await file.arrayBuffer()), { executionProviders: ["wasm"], graphOptimizationLevel: "all" });
  return { inputs: graph.inputs.filter((i) => !params.has(i.name)), outputs: graph.outputs, milliseconds: performance.now() - started };
}

/** feeds: [{ name, type, dims, data }]. The first run and the mean of further ones. */
async function run({ feeds, once }) {
  const given = Object.fromEntries(feeds.map(({ name, type, dims, data }) => [name, new ort.Tensor(type, data, dims)]));
  let started = performance.now();
  const outputs = await session.run(given), first = performance.now() - started;
  started = performance.now();
  let runs = 0;
  for (; !once && runs < 20 && performance.now() - started + first < ENOUGH; runs++) {
    await session.run(given);
  }
  const each = runs ? (performance.now() - started) / runs : first;
  return { first, each, runs, outputs: session.outputNames.map((name) => ({ name, type: outputs[name].type, dims: [...outputs[name].dims], data: outputs[name].data })) };
}

const TASKS = { open, run };
let queue = Promise.resolve();

self.onmessage = ({ data: { id, task, request } }) => {
  queue = queue.then(async () => {
    try {
      self.postMessage({ id, result: await TASKS[task](request) });
    } catch (error) {
      self.postMessage({ id, failure: { message: String(error.message ?? error) } });
    }
  });
};
