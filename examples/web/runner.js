// SPDX-License-Identifier: Apache-2.0
// The worker that runs the ONNX file, in ONNX Runtime: values are made, run and understood here, off the page's own thread.
import * as ort from "./packages/ort.wasm.min.mjs";
import { compare, TOLERANCE } from "./compare.js";
import { figures, meaning } from "./meaning.js";
import { onnxName, readNpz } from "./npz.js";
import { valuesOf } from "./tensors.js";

const LARGEST = 2 ** 31 - 1; // of a model in memory
const ENOUGH = 1000; // milliseconds of runs after the first one

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
  session = await ort.InferenceSession.create(new Uint8Array(await file.arrayBuffer()), { executionProviders: ["wasm"], graphOptimizationLevel: "all" });
  return { inputs: session.inputMetadata.map(({ name, type, shape }) => ({ name, type, dims: [...shape] })) };
}

/** The outputs, the time of the first run and, unless `once`, the mean of further ones. */
async function runs(feeds, once) {
  const given = Object.fromEntries(feeds.map((feed) => [feed.name, new ort.Tensor(feed.type, valuesOf(feed), feed.dims)]));
  let started = performance.now();
  const found = await session.run(given), first = performance.now() - started;
  started = performance.now();
  let count = 0;
  for (; !once && count < 20 && performance.now() - started + first < ENOUGH; count++) {
    await session.run(given);
  }
  const each = count > 0 ? (performance.now() - started) / count : first;
  const outputs = session.outputNames.map((name) => ({ name, type: found[name].type, dims: [...found[name].dims], data: found[name].data }));
  return { outputs, times: { first, each, runs: count } };
}

/** feeds: [{ name, type, dims, from }], where `from` is what valuesOf() takes. */
async function run({ feeds, size }) {
  const { outputs, times } = await runs(feeds, false);
  return { times, meaning: meaning(outputs, size), figures: figures(outputs) };
}

/** The arrays of a recorded .npz through the model, next to those that MXNet gave. */
async function recorded({ file }) {
  const arrays = await readNpz(file);
  const wanted = Object.fromEntries(Object.entries(arrays).filter(([n]) => n.startsWith("output:")).map(([n, a]) => [onnxName(n.slice(7)), a]));
  const feeds = session.inputMetadata.map(({ name, type }) => {
    const array = arrays["input:" + name];
    if (!array) {
      throw new Error(`the file has no input:${name}; it holds ${Object.keys(arrays).join(", ")}`);
    }
    return { name, type, dims: array.dims, from: { array } };
  });
  const { outputs, times } = await runs(feeds, true);
  const rows = outputs.map((o) => {
    const { error, why } = wanted[o.name] ? compare(o, wanted[o.name]) : { error: Infinity, why: "not recorded" };
    return { name: o.name, agrees: error <= TOLERANCE, said: why || error.toPrecision(2) + " of the largest number" };
  });
  return { times, rows };
}

const TASKS = { open, run, recorded };
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
