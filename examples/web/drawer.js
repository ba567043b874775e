// SPDX-License-Identifier: Apache-2.0
// The worker that reads the graphs of a model and places their nodes.
import { familyOf } from "./family.js";
import { mxnetGraph } from "./graph.js";
import { layout } from "./layout.js";
import { blobReader } from "./mx2onnx.mjs";
import { readOnnx } from "./onnx.js";

const OUTSIDE = { input: "input", output: "output" };
const WIDEST_DIM = 14; // characters of a size on an edge

/** "float32 (n, 3, (h + 1)/2, 8)" as it is written on an edge: n×3×⋯×8 for a size that is a long formula. */
function shapeLabel(text) {
  const parts = [""];
  let depth = 0;
  for (const c of text.slice(text.indexOf("(") + 1)) {
    depth += c === "(" ? 1 : c === ")" ? -1 : 0;
    if (depth < 0) {
      break; // what comes after the shape is of another output
    }
    if (c === "," && depth === 0) {
      parts.push("");
    } else {
      parts[parts.length - 1] += c;
    }
  }
  return text.includes("(") ? parts.map((d) => d.trim()).filter(Boolean).map((d) => (d.length > WIDEST_DIM ? "⋯" : d)).join("×") : "";
}

/** Edges from the maker of a value to its readers; the first edge of a value has the value's shape. */
function edgesOf(nodes, describe) {
  const maker = new Map(), edges = [], labels = [], labelled = new Set();
  nodes.forEach((node, k) => node.gives.forEach((value) => maker.set(value, k)));
  nodes.forEach((node, k) => {
    const from = new Map();
    for (const value of node.reads) {
      const made = maker.get(value);
      if (made !== undefined && made < k && !from.has(made)) {
        from.set(made, value);
      }
    }
    for (const [made, value] of from) {
      edges.push([made, k]);
      labels.push(labelled.has(value) ? "" : shapeLabel(describe(value)));
      labelled.add(value);
    }
  });
  return { edges, labels };
}

/** Nodes, inputs and outputs as what is drawn: { name, op, family, kind, attributes, reads, gives }, and edges between them. */
function drawn({ nodes, inputs, outputs, describe }) {
  const found = [...inputs.map((i) => ({ name: i, op: OUTSIDE.input, kind: "end", attributes: [], reads: [], gives: [i] })),
    ...nodes.map((n) => ({ ...n, kind: "node" })),
    ...outputs.map((o) => ({ name: o, op: OUTSIDE.output, kind: "end", attributes: [], reads: [o], gives: [] }))];
  const { edges, labels } = edgesOf(found, describe);
  found.forEach((node) => {
    node.family = familyOf(node.op);
    node.width = Math.min(220, 44 + 7.8 * Math.max(node.op.length, Math.min(node.name.length, 24)));
    node.reads = node.reads.map((value) => [value, describe(value)]);
    node.gives = node.gives.map((value) => [value, describe(value)]);
  });
  return { nodes: found, edges, labels };
}

function fromMxnet(found) {
  const graph = mxnetGraph(found);
  if (!graph) {
    throw new Error("its symbol is of a form that the page does not read");
  }
  const values = new Map([...graph.inputs, ...graph.params, ...graph.nodes].map((n) => [n.name, n.outputs]));
  return drawn({ inputs: graph.inputs.map((i) => i.name), outputs: graph.outputs,
    nodes: graph.nodes.map(({ name, op, inputs, attributes }) => ({ name, op, attributes, reads: inputs, gives: [name] })),
    describe: (value) => (values.get(value) ?? []).map((v) => v.join(" ")).join(", ") });
}

function fromOnnx(file) {
  const graph = readOnnx(blobReader(file)), params = new Set(graph.params.map((p) => p.name));
  return drawn({ inputs: graph.inputs.map((i) => i.name).filter((i) => !params.has(i)), outputs: graph.outputs.map((o) => o.name),
    nodes: graph.nodes.map(({ name, op, domain, inputs, outputs, attributes }) => ({ name, op: domain ? domain + "." + op : op,
      attributes, reads: inputs.filter(Boolean), gives: outputs.filter(Boolean) })),
    describe: (value) => (graph.values.get(value) ?? []).join(" ") });
}

self.onmessage = ({ data: { id, task, request } }) => {
  try {
    const graph = task === "mxnet" ? fromMxnet(request) : fromOnnx(request.file);
    self.postMessage({ id, result: { ...graph, layout: layout(graph.nodes, graph.edges) } });
  } catch (error) {
    self.postMessage({ id, failure: { message: error.message } });
  }
};
