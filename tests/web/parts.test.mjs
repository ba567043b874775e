// SPDX-License-Identifier: Apache-2.0
// Parts of the page that need no browser; test.sh runs it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { parseDims } from "../../examples/web/choices.js";
import { commandLine, pythonProgram } from "../../examples/web/commands.js";
import { compare } from "../../examples/web/compare.js";
import { fromSymbolJson, fromSymbolText } from "../../examples/web/graph.js";
import { layout } from "../../examples/web/layout.js";
import { readOnnx } from "../../examples/web/onnx.js";
import { fromHalf, toHalf } from "../../examples/web/tensors.js";
import { members, store } from "../../examples/web/zip.js";

const { MX2ONNX_WEB: WEB, MX2ONNX_WEB_MODELS: MODELS, MX2ONNX_WEB_SCRATCH: SCRATCH, MX2ONNX_TOOL: TOOL, MX2ONNX_PYTHON: PYTHON = "python3" } = process.env;
const SAMPLES = fileURLToPath(new URL("../data/samples/archives/", import.meta.url));
const NETS = ["densenet121", "mobilefacenet", "ssd_300_mobilenet0.25_voc"];
const run = (program, ...rest) => execFileSync(program, rest, { encoding: "utf8", maxBuffer: 1 << 28 });

test("the page is small", () => {
  const site = join(WEB, "site"), later = ["packages", "example", "files.json", "sw.js"]; // what is loaded when it is asked for
  const size = readdirSync(site).filter((name) => !later.includes(name)).reduce((sum, name) => sum + gzipSync(readFileSync(join(site, name)), { level: 9 }).length, 0);
  console.log("the page: " + Math.round(size / 1000) + " KB by gzip");
  assert.ok(size < 720000, size + " bytes");
});

test("MXNet's graph from the library's text is that of the symbol", () => {
  for (const net of NETS) {
    const file = join(MODELS, net + "-symbol.json"), text = fromSymbolText(run(TOOL, "inspect", file, "--symbol"));
    const symbol = fromSymbolJson(readFileSync(file, "utf8")), byName = new Map(symbol.nodes.map((n) => [n.name, n]));
    assert.ok(text.nodes.length > 50, net);
    for (const { name, op, inputs, outputs } of text.nodes) {
      assert.deepEqual([name, op, inputs], [name, byName.get(name)?.op, byName.get(name)?.inputs]);
      assert.ok(outputs.every(([type, dims]) => /^\w+$/.test(type) && /^\(.*\)$/.test(dims)) && outputs.length > 0, name);
    }
    assert.deepEqual(text.outputs, symbol.outputs);
  }
});

test("texts that look like the format", () => {
  const { nodes } = fromSymbolText("input a, b : float32 (2,)\nx = f(a, b, a, b) {s=u : v, t=(1, 2)} : float32 (n, floor((h + 1)/2)), int64 ()\n"
    + "y) = g(x[1]) : float32 ()\noutput y)\n");
  assert.deepEqual(nodes, [{ name: "x", op: "f", inputs: ["a, b", "a, b"], attributes: [["s", "u : v"], ["t", "(1, 2)"]],
    outputs: [["float32", "(n, floor((h + 1)/2))"], ["int64", "()"]] }, { name: "y)", op: "g", inputs: ["x"], attributes: [], outputs: [["float32", "()"]] }]);
});

test("an ONNX file read as onnx reads it", () => {
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
  const { nodes, outputs } = fromSymbolText(run(TOOL, "inspect", join(MODELS, "ssd_300_mobilenet0.25_voc-symbol.json"), "--symbol"));
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

test("dims as the command line reads them", () => {
  assert.deepEqual(["1x3x224x224", "batch,3,?", "xmax,2", "()", "?x3", "5", "(2, 3)"].map(parseDims),
    [[1, 3, 224, 224], ["batch", 3, null], ["xmax", 2], [], [null, 3], [5], [2, 3]]);
});

test("float16, all of it", () => {
  for (let bits = 0; bits < 65536; bits++) {
    const value = fromHalf(bits);
    Number.isNaN(value) ? assert.ok(Number.isNaN(fromHalf(toHalf(value)))) : assert.equal(toHalf(value), bits, String(value));
  }
  assert.deepEqual([65519, 65520, 2 ** -25, 1.5 * 2 ** -25, 1 + 2 ** -11, 1 + 3 * 2 ** -11].map(toHalf), [0x7bff, 0x7c00, 0, 1, 0x3c00, 0x3c02]);
});

test("zips that are made and read", async () => {
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
