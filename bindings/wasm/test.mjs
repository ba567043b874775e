// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const digits = join(root, "examples", "digits"), samples = join(root, "tests", "data", "samples");
const { default: mx2onnx, blobReader, discard, Mx2onnxError, UnsupportedError, float } = await import(pathToFileURL(process.env.MX2ONNX_WASM));
const library = await mx2onnx();
const symbol = readFileSync(join(digits, "digits-symbol.json")), params = readFileSync(join(digits, "digits-0000.params"));
const what = { symbol, params, inputs: { data: ["batch", 1, 8, 8] } };

const loaded = () => library.model().loadSymbol(symbol).loadParams(params).inputShape("data", [1, 1, 8, 8]);

function failure(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  assert.fail("it did not fail");
}

test("a model is converted from bytes", () => {
  const { onnx, diagnostics } = library.convert(what);
  assert.equal(onnx[0], 8); // ir_version
  assert.ok(onnx.length > params.length / 2);
  assert.deepEqual(diagnostics.filter((d) => d.severity === "error"), []);
  assert.match(library.version, /^\d+\.\d+\.\d+$/);
});

test("pieces and a reader give the same bytes", () => {
  const whole = loaded().exportBytes(), pieces = [];
  loaded().exportTo((bytes) => pieces.push(bytes));
  assert.deepEqual(Buffer.concat(pieces), Buffer.from(whole));
  const file = join(digits, "digits-0000.params"), fd = openSync(file, "r");
  let most = 0;
  const read = (offset, size) => {
    const bytes = new Uint8Array(size);
    most = Math.max(most, size);
    return bytes.subarray(0, readSync(fd, bytes, 0, size, offset));
  };
  const model = library.model().loadSymbol(symbol).loadParams({ size: statSync(file).size, read });
  assert.deepEqual(model.inputShape("data", [1, 1, 8, 8]).exportBytes(), whole);
  assert.ok(most > 0);
  model.close();
  closeSync(fd);
});

test("a blob is read in large pieces where it is read in order, in small ones elsewhere", () => {
  const bytes = new Uint8Array(32 << 20), pieces = [], held = [];
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = (i * 7) >> 8;
  }
  globalThis.FileReaderSync = class {
    readAsArrayBuffer([from, to]) {
      pieces.push(to - from);
      held.push(bytes.slice(from, to).buffer);
      return held.at(-1);
    }
  };
  const { size, read } = blobReader({ size: bytes.length, slice: (from, to) => [from, to] });
  for (let at = 0; at < size; at += 1000000) {
    const wanted = Math.min(1000000, size - at);
    assert.ok(Buffer.from(read(at, wanted)).equals(Buffer.from(bytes.subarray(at, at + wanted))), "at " + at);
  }
  assert.ok(pieces.length < 16, pieces.length + " pieces");
  assert.equal(Math.max(...pieces), 4 << 20);
  pieces.length = 0;
  for (const at of [1 << 24, 1 << 20, 1 << 22, 12, 1 << 23]) {
    assert.deepEqual([...read(at, 3)], [...bytes.subarray(at, at + 3)]);
  }
  assert.deepEqual(pieces, [65536, 65536, 65536, 65536, 65536]);
  assert.deepEqual(held.map((b) => b.byteLength > 0), held.map((b) => b === held.at(-1)), "only the last one takes memory");
  const buffer = new ArrayBuffer(5);
  discard(buffer);
  assert.equal(buffer.byteLength, 0);
  delete globalThis.FileReaderSync;
});

test("the model describes itself", () => {
  const model = loaded().inputShape("data", ["batch", 1, 8, 8]).infer();
  assert.deepEqual(model.inputs.find((i) => i.name === "data"),
    { name: "data", dtype: "float32", dims: ["batch", 1, 8, 8] });
  assert.deepEqual(model.outputs.map((o) => o.dims), [["batch", 10]]);
  assert.equal(typeof model.report, "object");
  assert.deepEqual(model.variables.filter(({ kind }) => kind !== "unused"), [{ name: "data", kind: "input" }]);
  assert.ok(model.operators.some((o) => o.name === "Convolution" && o.uses > 0 && o.supported));
  const { bytes, ...weight } = model.params.find((p) => p.name === "fc1_weight");
  assert.deepEqual(weight, { name: "fc1_weight", dtype: "float32", dims: [64, 128], byteLength: 32768, used: true });
  assert.equal(bytes().length, 32768);
  assert.match(model.graphText(), /opset 17/);
  assert.match(model.graphText("mxnet"), /fc1/);
  assert.throws(() => model.graph("other"), TypeError);
  const [mxnet, onnx] = [model.graph("mxnet"), model.graph()];
  assert.ok(mxnet.schema === 1 && mxnet.graph === "mxnet" && mxnet.nodes.some(({ name, op }) => name === "fc1" && op === "FullyConnected"));
  assert.ok(onnx.graph === "onnx" && onnx.nodes.some(({ op, mxnet }) => op === "Gemm" && mxnet.node === "fc1"));
  model.exportBytes();
  assert.equal(model.written.opset, 17);
  const known = library.knownOperators();
  assert.ok(known.some((o) => o.name === "Convolution" && o.opset > 6));
  assert.ok(known.every(({ aliases, status, refuses, differs }) => status && [...aliases, ...refuses, ...differs].every(Boolean)));
  assert.ok(known.some(({ aliases }) => aliases.length > 1) && known.some(({ status, refuses }) => status === "partial" && refuses.length > 1));
  assert.ok(known.some(({ status, differs }) => status === "differs" && differs.length > 0));
  assert.ok(library.targets().every((t) => t.name && t.text));
  model.close();
});

test("archives are read from memory", () => {
  for (const name of ["mlp.mar", "mlp-0.4.model"]) {
    const { onnx } = library.convert({ model: readFileSync(join(samples, "archives", name)), inputs: { data: [2, 5] } });
    assert.ok(onnx.length > 100, name);
  }
  const error = failure(() => library.convert({ model: readFileSync(join(samples, "archives", "mlp.tar.gz")) }));
  assert.equal(error.status, "UNSUPPORTED");
});

test("options change the model", () => {
  const plain = library.convert(what).onnx, half = library.convert({ ...what, options: { float16: "inside" } }).onnx;
  assert.ok(half.length < plain.length * 0.7);
  assert.notDeepEqual(library.convert({ ...what, options: { opset: 12 } }).onnx, plain);
});

test("values, and what the library logs", () => {
  const lines = [], graph = { nodes: [{ op: "null", name: "x", inputs: [] }, { op: "null", name: "w", inputs: [] },
    { op: "elemwise_add", name: "sum", inputs: [[0, 0, 0], [1, 0, 0]] }], arg_nodes: [0, 1], heads: [[2, 0, 0]] };
  const model = library.model().onLog((severity, message) => lines.push([severity, message]));
  model.loadSymbol(JSON.stringify(graph)).inputShape("x", [3]).setParam("w", new Float32Array([5, 6, 7]));
  const onnx = Buffer.from(model.exportBytes());
  assert.ok(onnx.includes(Buffer.from(new Float32Array([5, 6, 7]).buffer)));
  assert.ok(lines.every(([severity, message]) => severity && message));
  assert.equal(failure(() => model.setParam("w", new Float32Array(3), { dims: [4] })).status, "INVALID_ARGUMENT");
  assert.throws(() => model.setParam("w", new Float32Array(3), [1, 3]), TypeError);
  model.close();
});

test("errors have a status and diagnostics", () => {
  const missing = failure(() => library.convert({ symbol, inputs: { data: [1, 1, 8, 8] } }));
  assert.ok(missing instanceof Mx2onnxError && missing.name === "MissingParameterError");
  assert.equal(missing.status, "MISSING_PARAMETER");
  assert.ok(missing.diagnostics.some((d) => d.severity === "error" && d.message));
  const shape = failure(() => library.convert({ ...what, inputs: { data: [1, 1, 28, 28] } }));
  assert.equal(shape.status, "SHAPE");
  assert.equal(shape.diagnostics.at(-1).op, "FullyConnected");
  assert.equal(loaded().setOptions({ outputLimit: 123 }).options.outputLimit, 123);
  assert.throws(() => loaded().setOptions({ patience: 1 }), TypeError);
  assert.equal(failure(() => library.model().loadSymbol("no json")).status, "FORMAT");
  assert.equal(failure(() => loaded().inputShape("nothing", [1])).status, "NOT_FOUND");
  assert.throws(() => library.model().loadParams(42), TypeError);
});

test("progress is reported, and can end the call", () => {
  const seen = [], model = loaded().onProgress(({ done, total }) => { seen.push([done, total]); });
  model.exportBytes();
  assert.ok(seen.length > 0);
  assert.equal(seen.at(-1)[0], seen.at(-1)[1]);
  assert.ok(seen.at(-1)[1] > 1000);
  model.onProgress(() => true);
  assert.equal(failure(() => model.exportBytes()).status, "CANCELLED");
  model.onProgress(null);
  assert.ok(model.exportBytes().length > 0);
  model.close();
});

test("a progress function that gives nothing, or false, stops nothing", () => {
  for (const gives of [undefined, false, null, 0]) {
    const model = loaded().onProgress(() => gives);
    assert.ok(model.exportBytes().length > 1000, String(gives));
    model.close();
  }
});

const cases = join(root, "bindings", "cases"), OURS = (name) => readFileSync(join(cases, name + "-symbol.json"));
const leaky = { lower: (node) => node.add("LeakyRelu", [node.inputs[0]], { alpha: Number(node.attribute("slope")) }) };
const leak = () => library.model().loadSymbol(OURS("leaky")).inputShape("x", [1, 4]);
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
/** What the shared cases expect of an export with this handler. */
const expected = (handler) => JSON.parse(readFileSync(join(cases, "cases.json"))).cases.map((c) => c.steps)
  .filter((steps) => steps.some((s) => s.handler === handler))
  .flatMap((steps) => steps.flatMap((s) => s.expect.sha256 ?? []));

test("custom operators have handlers", () => {
  const model = leak(), missing = failure(() => model.exportBytes());
  assert.ok(missing instanceof UnsupportedError && missing.status === "UNSUPPORTED");
  const onnx = model.customOperator("leaky", leaky).exportBytes();
  assert.match(model.graphText(), /LeakyRelu/);
  assert.equal(model.outputs[0].dims.length, 2);
  assert.ok(model.inputShape("x", ["n", 4]).exportBytes().length > 0);
  assert.equal(failure(() => model.customOperator("leaky", null).exportBytes()).status, "UNSUPPORTED");
  model.close();
  assert.ok(onnx.length > 50);
});

test("a node describes itself and takes what it is given", () => {
  let seen, model = leak();
  model.customOperator("leaky", {
    infer: (node) => node.setOutput(0, "float32", [{ input: 0, axis: 0 }, 4]),
    lower(node) {
      seen = node;
      assert.deepEqual([node.name.length > 0, node.operator, node.opset, node.domain, node.outputCount], [true, "leaky", 17, null, 1]);
      assert.equal(node.attributes.get("slope"), node.attribute("slope"));
      assert.equal(node.attribute("nosuch"), undefined);
      const [x] = node.inputs;
      assert.deepEqual([x.name, x.dtype, x.dims, x.storedDtype, x.byteLength], ["x", "float32", [1, 4], null, 0]);
      assert.throws(() => x.bytes(), /is not a parameter/);
      const half = node.constant(new Float32Array([0.5]), { dims: [] });
      const [a, b] = node.add("Split", [x, new BigInt64Array([2n, 2n])], { axis: 1 }, { outputs: 2 });
      const both = node.add("Concat", [a, b], { axis: 1 });
      return node.add("Mul", [node.add("Elu", [both], { alpha: float(1) }), half]);
    },
  });
  assert.match(model.graphText(), /Split[^]*Concat[^]*Elu[^]*Mul/);
  assert.throws(() => seen.attribute("slope"), /used after its handler returned/);
  model.close();
});

test("a handler can read a parameter", () => {
  const graph = { nodes: [{ op: "null", name: "x", inputs: [] }, { op: "null", name: "w", inputs: [] },
    { op: "Custom", name: "c", attrs: { op_type: "mine" }, inputs: [[0, 0, 0], [1, 0, 0]] }], arg_nodes: [0, 1], heads: [[2, 0, 0]] };
  const model = library.model().loadSymbol(JSON.stringify(graph)).inputShape("x", [2]).setParam("w", new Float32Array([3, 4]));
  let found;
  model.customOperator("mine", { lower: (node) => { found = node.inputs[1]; const bytes = found.bytes();
    assert.deepEqual([...new Float32Array(bytes.buffer, bytes.byteOffset, 2)], [3, 4]);
    return node.add("Mul", [node.inputs[0], node.constant(bytes, { dtype: found.storedDtype, dims: [2] })]); } });
  assert.ok(Buffer.from(model.exportBytes()).includes(Buffer.from(new Float32Array([3, 4]).buffer)));
  assert.deepEqual([found.storedDtype, found.byteLength], ["float32", 8]);
  model.close();
});

test("the shared cases of a handler give the same bytes", () => {
  const model = library.model().loadSymbol(OURS("leaky")), wanted = expected("leaky");
  assert.ok(wanted.length > 0);
  const found = [["n", 4], [1, 4], [2, 4], ["batch", 4]].map((shape) => digest(model.customOperator("leaky", leaky).inputShape("x", shape).exportBytes()));
  assert.ok(found.some((sum) => wanted.includes(sum)), found.join(" "));
  model.close();
});

test("exceptions, refusals and results of handlers are passed on", () => {
  const thrown = new Error("mine"), handlers = [[{ infer: () => { throw thrown; } }, thrown], [{ lower: () => { throw thrown; } }, thrown]];
  for (const [handler, error] of handlers) {
    const model = leak().customOperator("leaky", { ...leaky, ...handler });
    assert.equal(failure(() => model.exportBytes()), error);
    assert.ok(model.customOperator("leaky", leaky).exportBytes().length > 0);
    model.close();
  }
  const model = leak();
  model.customOperator("leaky", { lower: (node) => node.fail("not this one") });
  const refused = failure(() => model.exportBytes());
  assert.equal(refused.status, "UNSUPPORTED");
  assert.match(refused.message, /not this one/);
  model.customOperator("leaky", { lower: (node) => node.add("NoSuch", [node.inputs[0]]) });
  assert.match(failure(() => model.exportBytes()).message, /ONNX has no operator/);
  model.customOperator("leaky", { lower: async () => {} });
  assert.throws(() => model.exportBytes(), /lower must be synchronous/);
  model.customOperator("leaky", { lower: (node) => {
    assert.equal(failure(() => model.setOptions({ opset: 13 })).status, "INVALID_ARGUMENT");
    assert.throws(() => model.close(), Mx2onnxError);
    return leaky.lower(node);
  } });
  assert.ok(model.exportBytes().length > 0);
  for (const value of [-1, 1.5, 2n ** 64n, 2 ** 32, 2n ** 40n]) {
    model.customOperator("leaky", { lower: (node) => node.setResult(value, node.inputs[0]) });
    assert.throws(() => model.exportBytes(), RangeError, String(value));
  }
  for (const value of ["1", true, null]) {
    model.customOperator("leaky", { lower: (node) => node.setResult(value, node.inputs[0]) });
    assert.throws(() => model.exportBytes(), TypeError, String(value));
  }
  model.close();
});

test("options are set and reset", () => {
  const model = loaded(), some = { opset: library.opsets.oldest, seed: 3, float16: "inside", keepBatchNorm: true, target: "opencv4" };
  const { opset, seed, float16, keepBatchNorm, target } = model.setOptions(some).options;
  assert.deepEqual({ opset, seed, float16, keepBatchNorm, target }, some);
  model.setOptions(Object.fromEntries(Object.keys(model.options).map((name) => [name, null])));
  assert.deepEqual(model.options, loaded().options);
  assert.ok(Buffer.from(model.setOptions({ producer: "a test" }).exportBytes()).includes("a test"));
  const error = failure(() => model.setOptions({ opset: library.opsets.newest + 1 }));
  assert.equal(error.status, "INVALID_ARGUMENT");
  assert.match(error.message, /OPSET is/);
  model.close();
});

test("progress has a phase, and a log a least severity", () => {
  const model = loaded(), seen = [], lines = { error: [], note: [], debug: [] };
  model.onProgress((now) => { seen.push(now); }).exportBytes();
  assert.ok(seen.some(({ phase }) => phase === "lower") && seen.every(({ phase, total }) => total === 0 || phase === "write"));
  assert.ok(seen.every(({ node }) => typeof node === "string"));
  model.onProgress(null);
  for (const least of Object.keys(lines)) {
    model.onLog((severity) => { lines[least].push(severity); }, { least });
    model.graphText();
    failure(() => model.addOutput("nosuch"));
  }
  assert.ok(lines.error.length > 0 && lines.error.every((l) => l === "error") && !lines.note.includes("debug") && lines.debug.includes("debug"));
  model.close();
});

test("each choice can be taken back, and parts of a parameter can be read", () => {
  const model = loaded(), want = model.exportBytes();
  model.inputShape("data", [2, 1, 8, 8]).inputDtype("data", "float64").addOutput("fc1_output").rename("data", "pixels");
  assert.notDeepEqual(model.exportBytes(), want);
  model.inputDtype("data", null).clearOutputs().rename("data", null).inputShape("data", null).inputShape("data", [1, 1, 8, 8]);
  assert.deepEqual(model.exportBytes(), want);
  assert.equal(model.setNodePrecision("softmax", "float16").nodePrecision("softmax"), "float16");
  assert.equal(model.setNodePrecision("softmax", null).nodePrecision("softmax"), null);
  const [{ bytes }] = model.params, whole = bytes();
  assert.deepEqual(bytes({ offset: 4, size: 8 }), whole.slice(4, 12));
  assert.equal(bytes({ offset: whole.length }).length, 0);
  for (const range of [{ offset: whole.length, size: 1 }, { size: whole.length + 1 }, { offset: -1 }]) {
    assert.throws(() => bytes(range), RangeError);
  }
  model.close();
});

test("outputs that depend on the node, and an operator that the library knows", () => {
  const nodes = [{ op: "null", name: "x", inputs: [] }, { op: "Custom", name: "c", attrs: { op_type: "mine", n: "2" }, inputs: [[0, 0, 0]] }];
  const model = library.model().loadSymbol(JSON.stringify({ nodes, arg_nodes: [0], heads: [[1, 0, 0], [1, 1, 0]] })).inputShape("x", [2, 4]);
  const lower = (node) => [node.add("Relu", [node.inputs[0]]), node.add("Neg", [node.inputs[0]])];
  model.customOperator("mine", { lower }, { outputs: (node) => Number(node.attribute("n")) }).exportBytes();
  assert.equal(model.outputs.length, 2);
  const thrown = new Error("mine");
  model.customOperator("mine", { lower }, { outputs: () => { throw thrown; } });
  assert.equal(failure(() => model.exportBytes()), thrown);
  model.customOperator("mine", { lower }, { outputs: (node) => node.fail("not counted on purpose") });
  assert.match(failure(() => model.exportBytes()).message, /not counted on purpose/);
  assert.equal(failure(() => model.customOperator(null, null).exportBytes()).status, "UNSUPPORTED");
  nodes[1] = { op: "relu", name: "r", inputs: [[0, 0, 0]] };
  model.reset().loadSymbol(JSON.stringify({ nodes, arg_nodes: [0], heads: [[1, 0, 0]] })).inputShape("x", [2, 4]);
  const elu = { lower: (node) => node.add("Elu", [node.inputs[0]]) };
  assert.equal(failure(() => model.customOperator("relu", elu).exportBytes()).status, "INVALID_ARGUMENT");
  assert.match(model.customOperator("relu", elu, { overrides: true }).graphText(), /Elu/);
  model.close();
});

test("settings are read and taken back", () => {
  const m = loaded(), want = m.exportBytes();
  m.setMetadata("b", "two").setMetadata("a", "");
  assert.deepEqual([...m.metadata], [["a", ""], ["b", "two"]]);
  assert.equal(failure(() => m.setMetadata("input:data", "x")).status, "INVALID_ARGUMENT");
  assert.ok(Buffer.from(m.exportBytes()).includes("\n\x01b\x12\x03two"));
  assert.equal(m.setMetadata("a", null).metadata.size, 1);
  assert.equal(m.clearMetadata().metadata.size, 0);
  const chosen = library.model();
  assert.deepEqual([chosen.chosen("data"), chosen.chosenName("data")], [{ shape: null, dtype: null }, null]);
  chosen.inputShape("data", ["n", 1, -1]).inputDtype("data", "uint8").rename("data", "pixels");
  assert.deepEqual([chosen.chosen("data"), chosen.chosenName("data")], [{ shape: ["n", 1, null], dtype: "uint8" }, "pixels"]);
  chosen.close();
  m.inputMean("data", [1]).inputScale("data", [0.5]).inputChannelsLast("data");
  assert.deepEqual(m.preprocessing("data"), { channelsLast: true, channelsReversed: false, mean: [1], scale: [0.5] });
  m.inputMean("data", []).inputScale("data", []).inputChannelsLast("data", false);
  assert.deepEqual(m.preprocessing("data"), { channelsLast: false, channelsReversed: false, mean: [], scale: [] });
  const bias = m.params.find((p) => p.name === "fc1_bias");
  m.setParam("fc1_bias", new Uint8Array(bias.byteLength), bias);
  assert.notDeepEqual(m.exportBytes(), want);
  assert.deepEqual(m.removeParam("fc1_bias").exportBytes(), want);
  assert.equal(failure(() => m.removeParam("fc1_bias")).status, "NOT_FOUND");
  assert.equal(m.setDomainVersion("ai.onnx.ml", 3).domainVersion("ai.onnx.ml"), 3);
  assert.equal(m.setDomainVersion("ai.onnx.ml", 0).domainVersion("ai.onnx.ml"), 1);
  m.loadCatalogue(readFileSync(join(root, "bindings", "cases", "nets.zip")));
  assert.ok(m.catalogue.length > 0);
  assert.equal(failure(() => m.identifyNet()).status, "NOT_FOUND");
  m.close();
});

test("cancel ends a call", () => {
  const model = loaded();
  assert.equal(failure(() => model.onProgress(() => { model.cancel(); }).exportBytes()).status, "CANCELLED");
  model.onProgress(null).cancel();
  assert.ok(model.exportBytes().length > 1000);
  assert.deepEqual(model.written.files, []);
  model.close();
});

test("a reset model is new", () => {
  const model = loaded(), want = model.exportBytes();
  model.onProgress(() => true).onLog(() => { throw new Error("mine"); });
  model.reset();
  assert.deepEqual([model.inputs, model.params, model.diagnostics], [[], [], []]);
  model.inputShape("data", [1, 1, 8, 8]).loadSymbol(symbol).loadParams(params); // a choice may come before the load
  assert.deepEqual(model.exportBytes(), want);
  model.onProgress(() => { model.reset(); });
  assert.equal(failure(() => model.exportBytes()).status, "INVALID_ARGUMENT");
  model.close();
});

/** The dims of an input, and of the output that follows it. */
const shapes = (model) => [model.infer().inputs[0].dims, model.outputs[0].dims];

test("a shape takes the names of the one before it back", () => {
  const model = loaded().inputShape("data", ["n", 1, 8, 8]).inputShape("data", [7, 1, 8, 8]);
  assert.deepEqual(shapes(model), [[7, 1, 8, 8], [7, 10]]);
  assert.deepEqual(shapes(model.inputShape("data", ["m", 1, 8, 8])), [["m", 1, 8, 8], ["m", 10]]);
  assert.deepEqual(shapes(model.inputShape("data", [null, 1, 8, 8])), [["batch", 1, 8, 8], ["batch", 10]]);
  model.close();
});

test("a shape that is refused changes nothing", () => {
  const model = loaded().inputShape("data", ["b", 1, 8, 8]);
  for (const dims of [[7, 1, "14", 8], ["m", 1, 8, "None"], ["m", 3, -7, 28], ["m", ""], ["m", 1, 8, 2 ** 70], ["m", "x\0"]]) {
    assert.throws(() => model.inputShape("data", dims));
    assert.deepEqual(shapes(model), [["b", 1, 8, 8], ["b", 10]], String(dims));
  }
  assert.equal(failure(() => model.inputShape("data", [7, 1, "14", 8])).diagnostics.at(-1).name, "data");
  model.close();
});

test("the text of a size is not a name", () => {
  const model = loaded();
  for (const name of ["1", "14", "None", "4.5"]) {
    assert.equal(failure(() => model.inputShape("data", [name, 1, 8, 8])).status, "INVALID_ARGUMENT", name);
  }
  for (const size of [4.5, 2 ** 70]) {
    assert.throws(() => model.inputShape("data", [size, 1, 8, 8]), RangeError);
  }
  model.close();
});

test("an exception of a callback comes out as it is", () => {
  const model = loaded(), thrown = new Error("mine");
  assert.equal(failure(() => model.exportTo(() => { throw thrown; })), thrown);
  assert.equal(failure(() => model.onProgress(() => { throw thrown; }).exportBytes()), thrown);
  assert.equal(failure(() => library.model().loadParams({ size: 100, read: () => { throw thrown; } })), thrown);
  model.close();
});

const LOOKS = ["inputs", "outputs", "variables", "operators", "params", "report", "catalogue"];

test("what a progress function throws comes out of the look that asks it, and a look that is stopped does not give an empty answer", () => {
  for (const look of LOOKS) {
    const model = loaded(), thrown = new Error("mine");
    model.onProgress(() => { throw thrown; });
    assert.equal(failure(() => model[look]), thrown, look);
    model.onProgress(() => true);
    assert.equal(failure(() => model[look]).status, "CANCELLED", look);
    model.onProgress(null).setOptions({ opset: 17 });
    assert.equal(model.inputs.length, 1);
    assert.ok(model.exportBytes().length > 1000);
    model.close();
  }
});

test("the first exception counts, and no function is called after it", () => {
  const model = loaded(), thrown = new Error("mine");
  let lines = 0;
  model.onLog(() => { lines++; throw thrown; }, { least: "debug" });
  assert.equal(failure(() => model.graphText()), thrown);
  assert.equal(lines, 1);
  model.onLog(() => model.close(), { least: "debug" });
  assert.equal(failure(() => model.graphText()).status, "INVALID_ARGUMENT");
  model.onLog(null);
  assert.match(model.graphText(), /Conv/);
  model.close();
});

test("results of callbacks are checked", () => {
  const gives = [(o, n) => new Uint8Array(n + 1), (o, n) => new Uint8Array(n - 1), (o, n) => new Uint16Array(n), (o, n) => "a".repeat(n),
    () => undefined, (o, n) => n, async (o, n) => new Uint8Array(n)];
  for (const read of gives) {
    const error = failure(() => library.model().loadParams({ size: 100, read }));
    assert.ok(error instanceof RangeError || error instanceof TypeError, String(read));
  }
  const model = loaded();
  assert.throws(() => model.exportTo(async () => {}), /write must be synchronous/);
  assert.throws(() => model.onProgress(async () => {}).exportBytes(), /onProgress must be synchronous/);
  assert.ok(model.onProgress(null).exportBytes().length > 1000);
  model.close();
});

test("numbers and names must fit", () => {
  const model = loaded(), before = model.options.memoryLimit;
  const numbers = [[(v) => model.setOptions({ opset: v }), 2n ** 63n], [(v) => model.setOptions({ memoryLimit: v }), 2n ** 63n], [(v) => model.inputShape("data", [v, 1, 8, 8]), 2n ** 63n],
    [(v) => model.setParam("w", new Int8Array(1), { dims: [v] }), 2n ** 63n], [(v) => model.inputDimName("data", v, "n"), -1, 2 ** 32], [(v) => model.params[0].bytes({ offset: v }), -1],
    [(v) => library.model().loadParams({ size: v, read() {} }), -1, 2n ** 64n]];
  for (const [call, ...large] of numbers) {
    for (const v of [1.5, NaN, Infinity, 2 ** 60, ...large]) {
      assert.throws(() => call(v), RangeError, String(call) + v);
    }
    for (const v of [true, {}, [1]]) {
      assert.throws(() => call(v), TypeError, String(call));
    }
  }
  for (const v of ["1", true, null]) {
    assert.throws(() => model.inputMean("data", [v]), TypeError);
  }
  const names = [(v) => model.rename("data", v), (v) => model.rename(v, "x"), (v) => model.inputShape(v, [1]), (v) => model.addOutput(v),
    (v) => model.inputDtype("data", v), (v) => model.inputDimName(v, 0, "n"), (v) => model.inputDimName("data", 0, v), (v) => model.inputMean(v, [1]), (v) => model.setParam(v, new Int8Array(1)), (v) => model.setParam("w", new Int8Array(1), { dtype: v }),
    (v) => model.setNodePrecision(v, "float32"), (v) => model.setOptions({ target: v }), (v) => model.setOptions({ unknownDomain: v }), (v) => model.loadNet(v),
    (v) => model.setOptions({ paramPrefix: v }), (v) => model.inputChannelsLast(v)];
  for (const call of names) {
    for (const v of ["data\0x", "data\0", "\ud800", 8, true, {}]) {
      assert.throws(() => call(v), TypeError, String(call));
    }
  }
  assert.throws(() => model.inputShape("data", ["n\0", 1, 8, 8]), TypeError);
  assert.equal(model.options.memoryLimit, before);
  assert.deepEqual(model.setOptions({ opset: null }).infer().inputs.map((i) => [i.name, i.dims]), [["data", [1, 1, 8, 8]]]);
  model.close();
});

// More than MX_SPOOL_MEMORY, compressed: it would go to a temporary file where there are files.
test("a large compressed array is read", async () => {
  const { deflateRawSync, crc32 } = await import("node:zlib");
  const n = 3 << 20, header = Buffer.from("{'descr': '<f4', 'fortran_order': False, 'shape': (" + n + ",), }".padEnd(117) + "\n");
  const npy = Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Buffer.from([header.length & 255, header.length >> 8]),
    header, Buffer.from(new Float32Array(n).fill(1.5).buffer)]);
  const graph = { nodes: [{ op: "null", name: "data", inputs: [] }, { op: "null", name: "w", inputs: [] },
    { op: "elemwise_add", name: "sum", inputs: [[0, 0, 0], [1, 0, 0]] }], arg_nodes: [0, 1], heads: [[2, 0, 0]] };
  const { onnx } = library.convert({ symbol: JSON.stringify(graph), params: zip("w.npy", npy, deflateRawSync(npy), crc(npy)),
    inputs: { data: [n] } });
  assert.ok(onnx.length > 4 * n);
  assert.equal(Buffer.from(onnx).indexOf(Buffer.from(new Float32Array(1000).fill(1.5).buffer)) > 0, true);

  function crc(bytes) {
    if (crc32) {
      return crc32(bytes);
    }
    const table = Uint32Array.from({ length: 256 }, (_, k) => {
      for (let i = 0; i < 8; i++) {
        k = k & 1 ? 0xedb88320 ^ (k >>> 1) : k >>> 1;
      }
      return k;
    });
    let c = 0xffffffff;
    for (const b of bytes) {
      c = table[(c ^ b) & 255] ^ (c >>> 8);
    }
    return (c ^ 0xffffffff) >>> 0;
  }
});

/** An archive of one compressed member. */
function zip(name, data, packed, crc) {
  const local = Buffer.alloc(30), central = Buffer.alloc(46), end = Buffer.alloc(22);
  local.writeUInt32LE(0x04034b50, 0);
  central.writeUInt32LE(0x02014b50, 0);
  for (const [b, at] of [[local, 4], [central, 6]]) {
    b.writeUInt16LE(20, at);
    b.writeUInt16LE(8, at + 4);
    b.writeUInt16LE(0x21, at + 8); // 1980-01-01
    b.writeUInt32LE(crc, at + 10);
    b.writeUInt32LE(packed.length, at + 14);
    b.writeUInt32LE(data.length, at + 18);
    b.writeUInt16LE(name.length, at + 22);
  }
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + packed.length, 16);
  return Buffer.concat([local, Buffer.from(name), packed, central, Buffer.from(name), end]);
}
