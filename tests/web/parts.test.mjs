// SPDX-License-Identifier: Apache-2.0
// Parts of the page that need no browser; test.sh runs it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as checks from "../../examples/web/checks.js";
import { parseDims } from "../../examples/web/choices.js";
import { commandLine, pythonProgram } from "../../examples/web/commands.js";
import { compare } from "../../examples/web/compare.js";
import { familyOf } from "../../examples/web/family.js";
import { mxnetGraph } from "../../examples/web/graph.js";
import { labels } from "../../examples/web/ink.js";
import { layout } from "../../examples/web/layout.js";
import { boxesOf, figures, maskOf, meaning, pointsOf } from "../../examples/web/meaning.js";
import { onnxName, readNpz } from "../../examples/web/npz.js";
import { readOnnx } from "../../examples/web/onnx.js";
import { joined, pick, replaced } from "../../examples/web/pick.js";
import { fromHalf, toHalf } from "../../examples/web/tensors.js";
import { members, store } from "../../examples/web/zip.js";

const { MX2ONNX_WEB: WEB, MX2ONNX_WEB_MODELS: MODELS, MX2ONNX_WEB_SCRATCH: SCRATCH, MX2ONNX_TOOL: TOOL, MX2ONNX_PYTHON: PYTHON = "python3" } = process.env;
const SAMPLES = fileURLToPath(new URL("../data/samples/archives/", import.meta.url));
const NETS = ["densenet121", "mobilefacenet", "ssd_300_mobilenet0.25_voc"];
const run = (program, ...rest) => execFileSync(program, rest, { encoding: "utf8", maxBuffer: 1 << 28 });

test("the page is small", () => {
  const site = join(WEB, "site"), later = ["packages", "samples", "sw.js"]; // what is loaded when it is asked for
  const size = readdirSync(site).filter((name) => !later.includes(name)).reduce((sum, name) => sum + gzipSync(readFileSync(join(site, name)), { level: 9 }).length, 0);
  console.log("the page: " + Math.round(size / 1000) + " KB by gzip");
  assert.ok(size < 800000, size + " bytes");
});

const graphOf = (net) => mxnetGraph(JSON.parse(run(TOOL, "inspect", join(MODELS, net + "-symbol.json"), "--symbol", "--json")));

test("MXNet's graph from the library's JSON is that of the symbol", () => {
  for (const net of NETS) {
    const graph = graphOf(net), symbol = JSON.parse(readFileSync(join(MODELS, net + "-symbol.json"), "utf8"));
    const byName = new Map(symbol.nodes.map((n) => [n.name, n])), sources = (n) => n.inputs.map(([k]) => symbol.nodes[k].name), node = (value) => value.replace(/\[\d+\]$/, "");
    assert.ok(graph.nodes.length > 50, net);
    for (const { name, op, inputs, outputs } of graph.nodes) {
      assert.deepEqual([name, op, inputs.map(node)], [name, byName.get(name)?.op, sources(byName.get(name))]);
      assert.ok(outputs.every(([type, dims]) => /^\w+$/.test(type) && Array.isArray(dims)) && outputs.length > 0, name);
    }
    assert.deepEqual(graph.outputs.map(node), symbol.heads.map(([k]) => symbol.nodes[k].name));
  }
});

test("nodes may have several outputs, and shapes may be unknown", () => {
  const value = (name, dtype, shape) => ({ name, dtype, shape });
  const { nodes, inputs, params, outputs } = mxnetGraph({ inputs: [value("a", "float32", [2])], parameters: [value("w", "unknown", null)],
    outputs: [value("s_output1", "float32", ["n"])],
    nodes: [{ name: "s", op: "split", inputs: ["a"], attributes: { k: "v", __hidden__: "1" }, outputs: [value("s_output0", "float32", ["n", null]), value("s_output1", "float32", ["n"])] },
      { name: "g", op: "f", inputs: ["s_output1", "w"], attributes: {}, outputs: [value("g_output", "unknown", null)] }] });
  assert.deepEqual(nodes, [{ name: "s", op: "split", inputs: ["a"], gives: ["s[0]", "s[1]"], outputs: [["float32", ["n", null]], ["float32", ["n"]]], attributes: [["k", "v"]] },
    { name: "g", op: "f", inputs: ["s[1]", "w"], gives: ["g"], outputs: [["unknown", null]], attributes: [] }]);
  assert.deepEqual([inputs, params, outputs], [[{ name: "a", outputs: [["float32", [2]]] }], [{ name: "w", outputs: [["unknown", null]] }], ["s[1]"]]);
});

test("an ONNX file is read as onnx reads it", () => {
  const file = join(SCRATCH, "read.onnx"), net = join(MODELS, "ssd_300_mobilenet0.25_voc");
  run(TOOL, net + "-symbol.json", "-o", file, "--quiet");
  const want = JSON.parse(run(PYTHON, "-c", `import json, onnx, sys
g = onnx.load(sys.argv[1]).graph
print(json.dumps([[n.op_type, list(n.input), list(n.output), [a.name for a in n.attribute]] for n in g.node]
  + [[t.name, list(t.dims)] for t in g.initializer] + [[v.name, [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim]] for v in [*g.input, *g.output]]))`, file));
  const bytes = readFileSync(file);
  const graph = readOnnx({ size: bytes.length, read: (offset, size) => bytes.subarray(offset, offset + size) });
  assert.deepEqual([...graph.nodes.map((n) => [n.op, n.inputs, n.outputs, n.attributes.map(([name]) => name)]), ...graph.params.map((p) => [p.name, p.dims]),
    ...[...graph.inputs, ...graph.outputs].map((v) => [v.name, v.dims])], want);
  const conv = graph.nodes.find((n) => n.op === "Conv");
  assert.equal(Object.fromEntries(conv.attributes).kernel_shape, "[3, 3]");
  for (let size = 0; size < 4000; size += 37) { // a damaged file is an error, no endless loop
    try {
      readOnnx({ size, read: (offset, n) => bytes.subarray(offset, Math.min(size, offset + n)) });
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  }
});

test("nodes are placed below what they read, and none upon another", () => {
  const { nodes, outputs } = graphOf("ssd_300_mobilenet0.25_voc");
  const number = new Map(nodes.map((n, i) => [n.name, i]));
  const edges = nodes.flatMap((n, i) => n.inputs.filter((x) => number.has(x)).map((x) => [number.get(x), i]));
  const placed = layout(nodes.map(() => ({ width: 100 })), edges);
  assert.ok(outputs.length > 0 && edges.length > 200);
  edges.forEach(([from, to]) => assert.ok(placed.nodes[from].y < placed.nodes[to].y));
  placed.nodes.forEach(({ x, y }) => assert.ok(x >= 50 && x <= placed.width - 50 && y > 0 && y < placed.height));
  const seen = new Map();
  placed.nodes.forEach(({ x, y }) => seen.set(y, [...(seen.get(y) ?? []), x]));
  for (const xs of seen.values()) {
    xs.sort((a, b) => a - b).forEach((x, i) => assert.ok(i === 0 || x - xs[i - 1] >= 100 - 1e-6));
  }
  const deep = Array.from({ length: 100000 }, (_, i) => [i, i + 1]);
  const chain = layout(Array.from({ length: 100001 }, () => ({ width: 100 })), deep).nodes;
  assert.ok(chain.every(({ y }, i) => i === 0 || y > chain[i - 1].y));
});

test("no shape on an edge covers another", () => {
  const boxes = [], context = { measureText: (text) => ({ width: 7 * text.length }), fillText() {}, fillRect: (...box) => boxes.push(box) };
  const far = [0, 5, 30, 60, 200, 205, 400], graph = { labels: far.map((_, i) => "1×64×" + i), layout: { edges: far.map((x) => [[100, 0], [100 + x, 80]]) } };
  labels(context, graph, far.keys(), { left: 0, top: 0, right: 1000, bottom: 1000 }, {});
  assert.ok(boxes.length > 3);
  boxes.forEach(([x, y, w, h], i) => boxes.slice(i + 1).forEach(([x2, y2, w2, h2]) =>
    assert.ok(x + w <= x2 || x2 + w2 <= x || y + h <= y2 || y2 + h2 <= y, JSON.stringify(boxes))));
});

test("chains are straight, and no wider than they must be", () => {
  const straight = (nodes, edges) => layout(nodes.map((width) => ({ width })), edges).nodes.map(({ x }) => Math.round(x));
  assert.equal(new Set(straight([100, 180, 60, 220], [[0, 1], [1, 2], [2, 3]])).size, 1, "a chain of nodes of all widths");
  // Blocks of a residual net: a chain of three next to an edge that skips them, fifty times.
  const edges = [], count = 50;
  for (let block = 0; block < count; block++) {
    const first = 4 * block;
    edges.push([first, first + 1], [first + 1, first + 2], [first + 2, first + 3], [first, first + 3], [first + 3, first + 4]);
  }
  const placed = layout(Array.from({ length: 4 * count + 1 }, () => ({ width: 150 })), edges);
  assert.ok(placed.width < 2 * 150 + 100, "it does not drift: " + placed.width);
  const joins = new Set(Array.from({ length: count }, (_, block) => Math.round(placed.nodes[4 * block].x)));
  assert.ok(joins.size <= 2, [...joins].join(" "));
});

test("operators have families", () => {
  const families = { Convolution: "conv", Conv: "conv", FullyConnected: "conv", Gemm: "conv", BatchNorm: "norm", BatchNormalization: "norm", relu: "act",
    LeakyReLU: "act", SoftmaxOutput: "act", MaxPool: "pool", Pooling: "pool", Concat: "shape", Reshape: "shape", elemwise_add: "math", _mul_scalar: "math",
    RNN: "rnn", LSTM: "rnn", _contrib_box_nms: "detect", NonMaxSuppression: "detect", input: "end", Custom: "other",
    broadcast_add: "math", broadcast_sub: "math", broadcast_mul: "math", broadcast_to: "shape", Cast: "shape", amp_cast: "shape", argmax: "math", ArgMax: "math", slice_like: "shape" };
  assert.deepEqual(Object.fromEntries(Object.keys(families).map((op) => [op, familyOf(op)])), families);
});

test("texts of fields are checked", () => {
  const good = ["batch,3,224,224", "1x3x224x224", "[1,1,8,8]", "(2, 3)", "()", "?,3", "5", "2,", "n_1,größe", "-1,3", "None,3", "batch x 1 x 8 x 8"],
    bad = ["1,-2", "1,none", "1.5,2", "1,,2", "99999999999999999999", "a[,2", "1,2]"];
  assert.deepEqual(good.map(checks.shape), good.map(() => ""));
  bad.forEach((text) => assert.notEqual(checks.shape(text), "", text));
  assert.deepEqual(["[1, 2]", "(1,2)", "()", " 3 "].map(checks.bareShape), ["1, 2", "1,2", "()", "3"]);
  for (const [key, right, wrong] of [["mean", "1.5, 2e-3", "1,abc"], ["scale", "1", "Infinity"], ["rename", "a=b c=d", "a b"], ["seed", "3", "-1"], ["classes", "10", "0"]]) {
    assert.equal(checks.wrongWith(key, right), "", key);
    assert.notEqual(checks.wrongWith(key, wrong), "", key);
  }
});

const fileOf = (path, content, type = "") => ({ path, file: new File([content], path.split("/").at(-1), { type }) });
const SYMBOL = '{"nodes": [], "heads": []}', PARAMS = new Uint8Array([0x12, 1, 0, 0, 0, 0, 0, 0]);
const titles = async (...files) => (await pick(files)).models.map((m) => [m.title, ...m.files.map(({ path }) => path)]);

test("models are found among files, with and without what belongs to none", async () => {
  const symbol = fileOf("net-symbol.json", SYMBOL), params = fileOf("net-0000.params", PARAMS), later = fileOf("net-0010.params", PARAMS);
  const other = fileOf("b/face-symbol.json", SYMBOL), near = fileOf("b/weights.params", PARAMS);
  assert.deepEqual(await titles(fileOf("README.md", "{}"), params, fileOf("a.json", "{}"), symbol), [["net", "net-symbol.json", "net-0000.params"]]);
  assert.deepEqual(await titles(symbol, params, later), [["net, epoch 10", "net-symbol.json", "net-0010.params"], ["net, epoch 0", "net-symbol.json", "net-0000.params"]]);
  assert.deepEqual(await titles(symbol, params, other, near), [["net", "net-symbol.json", "net-0000.params"], ["face", "b/face-symbol.json", "b/weights.params"]]);
  assert.deepEqual(await titles(params), [["net-0000.params", "net-0000.params"]]);
  assert.deepEqual(await titles(fileOf("x.zip", "PK\u0003\u0004")), [["x.zip", "x.zip"]]);
  assert.deepEqual(await titles(fileOf("m/net-symbol.json", SYMBOL), fileOf("m/signature.json", "{}")), [["net", "m/net-symbol.json", "m/signature.json"]]);
  const found = await pick([fileOf("synset.txt", "cat"), fileOf("cat.png", "x", "image/png"), fileOf("config.json", "{}"), fileOf("a.pdf", "x")]);
  assert.deepEqual([found.models.length, found.labels.path, found.images.length, found.others.map((f) => f.path)], [0, "synset.txt", 1, ["config.json", "a.pdf"]]);
  const paths = async (before, ...after) => joined(before, await pick(after))?.map((f) => f.path) ?? null;
  assert.deepEqual(await paths([symbol], params), ["net-symbol.json", "net-0000.params"]);
  assert.deepEqual(await paths([params], symbol), ["net-symbol.json", "net-0000.params"]);
  assert.equal(await paths([symbol], other), null);
  const instead = async (before, ...after) => replaced(before, await pick(after))?.map((f) => f.path) ?? null;
  assert.deepEqual(await instead([symbol, params], later), ["net-symbol.json", "net-0010.params"]);
  assert.equal(await instead([symbol, params], other), null);
  assert.equal(await instead([params], later), null);
  assert.equal(await paths([fileOf("wrong.params", PARAMS)], symbol, params), null, "a whole model");
  assert.equal(await paths([symbol], fileOf("x.zip", "PK\u0003\u0004")), null);
});

test("of a folder with several models pairs of one name come first, and none is made up", async () => {
  const a = fileOf("a-symbol.json", SYMBOL), b = fileOf("b-symbol.json", SYMBOL), ab = fileOf("a-b-symbol.json", SYMBOL), c = fileOf("c/c-symbol.json", SYMBOL);
  const ofB = fileOf("b-0000.params", PARAMS), ofAb = fileOf("a-b-0001.params", PARAMS), lost = fileOf("d-0000.params", PARAMS), near = fileOf("c/best.params", PARAMS);
  assert.deepEqual(await titles(a, b, ofB), [["b", "b-symbol.json", "b-0000.params"], ["a", "a-symbol.json"]]);
  assert.deepEqual(await titles(a, ab, ofAb, b, lost), [["a-b", "a-b-symbol.json", "a-b-0001.params"], ["a", "a-symbol.json"], ["b", "b-symbol.json"]]);
  assert.deepEqual((await pick([a, b, lost])).others, [lost]);
  assert.deepEqual(await titles(a, c, near, ofB, b), [["c", "c/c-symbol.json", "c/best.params"], ["b", "b-symbol.json", "b-0000.params"], ["a", "a-symbol.json"]]);
});

test("an archive is looked through by the library, or unpacked where it has not one whole model", async () => {
  const members = (...names) => names.map((path) => ({ path, file: new Blob([path.endsWith(".json") ? SYMBOL : PARAMS]) }));
  const zip = async (...names) => ({ path: "my.zip", file: new File([await store(members(...names))], "my.zip") });
  assert.deepEqual(await titles(await zip("m/a-symbol.json", "m/a-0000.params", "signature.json")), [["my.zip", "my.zip"]]);
  assert.deepEqual(await titles(await zip("m/a-symbol.json", "m/a-0000.params", "b-symbol.json", "b-0000.params")),
    [["a", "my/m/a-symbol.json", "my/m/a-0000.params"], ["b", "my/b-symbol.json", "my/b-0000.params"]]);
  assert.deepEqual(await titles(await zip("a-symbol.json", "a-0000.params", "a-0007.params")),
    [["a, epoch 7", "my/a-symbol.json", "my/a-0007.params"], ["a, epoch 0", "my/a-symbol.json", "my/a-0000.params"]]);
  assert.deepEqual(await titles(await zip("a-symbol.json"), fileOf("a-0000.params", PARAMS)), [["a", "my/a-symbol.json", "a-0000.params"]]);
  const [{ files: [unpacked] }] = (await pick([await zip("a-symbol.json")])).models;
  assert.deepEqual([await unpacked.file.text(), unpacked.archive], [SYMBOL, "my.zip"]);
  const recorded = new File([await store(members("input:data.npy", "output:softmax_output.npy"))], "net.npz");
  assert.deepEqual((await pick([{ path: "net.npz", file: recorded }])).recorded.length, 1);
});

test("a recording of the script has each output under its name in the ONNX file", async () => {
  for (const [net, ...names] of [["states", "dense0_fwd", "lstm0_rnn01", "lstm0_rnn02"], ["words", "topk", "nms", "proposal0", "proposal1"]]) {
    const zip = new Blob([readFileSync(new URL(`../data/recorded/recorder/${net}.zip`, import.meta.url))]);
    const arrays = await readNpz(new Blob([await (await members(zip))["recorded.npz"]()]));
    const found = Object.keys(arrays).filter((n) => n.startsWith("output:")).map((n) => onnxName(n.slice(7)));
    assert.deepEqual(names.filter((n) => !found.includes(n)), []);
  }
});

test("the meaning of outputs is found", () => {
  const output = (dims, data, type = "float32") => ({ name: "o", type, dims, data: Float32Array.from(data) });
  const kind = (outputs, size) => meaning(outputs, size)?.kind ?? null;
  assert.deepEqual(meaning([output([1, 3], [0.1, 0.7, 0.2])]), { kind: "classes", count: 3, chances: true,
    best: [1, 2, 0].map((id) => ({ id, value: Math.fround([0.1, 0.7, 0.2][id]) })) });
  assert.equal(kind([output([1, 128], Array.from({ length: 128 }, (_, i) => i - 60))]), "embedding");
  assert.equal(kind([output([5], [1, 2, 3, 4, 5])]), null);
  const ssd = boxesOf([output([1, 2, 6], [1, 0.9, 0, 0, 0.5, 0.5, -1, 0, 0, 0, 0, 0])], [100, 200]);
  assert.deepEqual(ssd[0].box, [0, 0, 0.5, 0.5]);
  const three = boxesOf([output([1, 1, 1], [2]), output([1, 1, 1], [0.5]), output([1, 1, 4], [20, 10, 100, 50])], [100, 200]);
  assert.deepEqual(three, [{ id: 2, score: 0.5, box: [0.1, 0.1, 0.5, 0.5] }]);
  const heat = new Float32Array(17 * 64 * 48);
  heat[5 * 64 * 48 + 32 * 48 + 12] = 1;
  const { points } = meaning([output([1, 17, 64, 48], heat)], [256, 192]);
  assert.deepEqual([points.length, points[5]], [17, { x: 12.5 / 48, y: 32.5 / 64, score: 1 }]);
  assert.deepEqual(pointsOf(output([1, 1, 1, 2], [0, 3])), [{ x: 0.75, y: 0.5, score: 3 }]);
  const mask = maskOf(output([1, 2, 1, 2], [1, 0, 0, 1]));
  assert.deepEqual([[...mask.pixels].filter((_, i) => i % 4 === 3), mask.shares.length], [[0, 170], 2]);
  assert.equal(kind([output([1, 3, 16, 16], new Float32Array(768))]), "picture");
  assert.deepEqual(figures([output([2], [1, 3])])[0], { name: "o", type: "float32", dims: [2], low: 1, high: 3, mean: 2, first: [1, 3] });
});

test("commands quote what a shell and Python would take for something else", () => {
  const evil = "a b'$(touch x);\"\\\n-symbol.json", choices = { inputs: { "in put": { shape: "n,3" } }, outputs: ["o`ut"], opset: "13" };
  const words = run("sh", "-c", commandLine([evil], choices, "-o.onnx").replace(/^mx2onnx/, "printf '%s\\0'")).split("\0");
  assert.deepEqual(words, ["convert", evil, "-o", "./-o.onnx", "--opset", "13", "--dynamic", "in put=n,3", "--output", "o`ut", ""]);
  const program = pythonProgram({ paths: [evil], symbol: false }, choices, "x\u2028.onnx");
  const called = run(PYTHON, "-c", program.replace("import mx2onnx", `class M:
    def __enter__(self): return self
    def __exit__(self, *e): pass
    def __getattr__(self, name): return lambda *a: print(name, ascii(a))
class mx2onnx: Model = M`));
  assert.equal(called.split("\n")[0], "load ('a b\\'$(touch x);\"\\\\\\n-symbol.json',)");
  assert.match(called, /set_input_shape \('in put', \('n', 3\)\)/);
});

test("dims are read as the command line reads them", () => {
  assert.deepEqual(["1x3x224x224", "batch,3,?", "xmax,2", "()", "?x3", "5", "(2, 3)", "-1,None,3", "batch x 1 x 8"].map(parseDims),
    [[1, 3, 224, 224], ["batch", 3, null], ["xmax", 2], [], [null, 3], [5], [2, 3], [null, null, 3], ["batch", 1, 8]]);
});

test("every float16 number goes both ways", () => {
  for (let bits = 0; bits < 65536; bits++) {
    const value = fromHalf(bits);
    Number.isNaN(value) ? assert.ok(Number.isNaN(fromHalf(toHalf(value)))) : assert.equal(toHalf(value), bits, String(value));
  }
  assert.deepEqual([65519, 65520, 2 ** -25, 1.5 * 2 ** -25, 1 + 2 ** -11, 1 + 3 * 2 ** -11].map(toHalf), [0x7bff, 0x7c00, 0, 1, 0x3c00, 0x3c02]);
});

test("zips are made and read", async () => {
  const files = [["a/b.txt", "hello"], ["ü.bin", "x".repeat(70000)], ["empty", ""]].map(([path, text]) => ({ path, file: new Blob([text]) }));
  const zip = await store(files), file = join(SCRATCH, "made.zip");
  writeFileSync(file, Buffer.from(await zip.arrayBuffer()));
  assert.equal(run(PYTHON, "-c", "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nprint(z.testzip(), ascii([(i.filename, i.file_size) for i in z.infolist()]))", file).trim(),
    "None [('a/b.txt', 5), ('\\xfc.bin', 70000), ('empty', 0)]");
  const found = await members(new Blob([readFileSync(join(SAMPLES, "mlp.mar"))]));
  const symbol = Object.keys(found).find((name) => name.endsWith("-symbol.json"));
  assert.ok(JSON.parse(new TextDecoder().decode(await found[symbol]())).nodes.length > 0);
  assert.ok(readdirSync(SAMPLES).length > 0);
});

test("what differs from MXNet is said", () => {
  const of = (data, dims = [data.length]) => ({ type: "float32", dims, data: Float32Array.from(data) });
  assert.equal(compare(of([1, 2]), of([1, 2])).error, 0);
  assert.equal(compare(of([1, 4]), of([1, 2])).error, 1);
  assert.equal(compare(of([NaN, 2]), of([NaN, 4])).error, 0.5);
  assert.equal(compare(of([NaN]), of([1])).error, Infinity);
  assert.equal(compare(of([Infinity]), of([-Infinity])).error, Infinity);
  assert.match(compare(of([1, 2], [1, 2]), of([1, 2])).why, /shape/);
  assert.equal(compare(of([1]), of([0])).error, Infinity);
});
