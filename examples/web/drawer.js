// SPDX-License-Identifier: Apache-2.0
// The worker that reads the graphs of a model and places their nodes.
import { familyOf } from "./family.js";
import { mxnetGraph } from "./graph.js";
import { layout } from "./layout.js";
import { blobReader } from "./mx2onnx.mjs";
import { readOnnx } from "./onnx.js";

const OUTSIDE = { input: "input", output: "output" };
const WIDEST_DIM = 14; // characters of a size on an edge

const sizes = (dims) => dims.map((d) => String(d ?? "?"));

/** A shape as it is written on an edge: n×3×⋯×8 where a size is a long formula. */
const shapeLabel = ([, dims] = []) => sizes(dims ?? []).map((d) => (d.length > WIDEST_DIM ? "⋯" : d)).join("×");

/** "float32 (n, 3, 8)" of [type, dims]; nothing where neither is known. */
function typeText([type, dims]) {
  const shape = dims ? `(${sizes(dims).join(", ")}${dims.length === 1 ? "," : ""})` : "?";
  return type === "unknown" && !dims ? "" : `${type} ${shape}`;
}

/** Edges from the maker of a value to its readers; the first edge of a value has the value's shape. `typesOf` gives the types of a value,
 * [[type, dims]], beginning with that of its first output. */
function edgesOf(nodes, typesOf) {
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
      labels.push(labelled.has(value) ? "" : shapeLabel(typesOf(value)[0]));
      labelled.add(value);
    }
  });
  return { edges, labels };
}

/** Nodes, inputs and outputs as what is drawn: { name, op, family, kind, attributes, reads, gives }, and edges between them. */
function drawn({ nodes, inputs, outputs, typesOf }) {
  const describe = (value) => typesOf(value).map(typeText).filter(Boolean).join(", ");
  const found = [...inputs.map((i) => ({ name: i, op: OUTSIDE.input, kind: "end", attributes: [], reads: [], gives: [i] })),
    ...nodes.map((n) => ({ ...n, kind: "node" })),
    ...outputs.map((o) => ({ name: o, op: OUTSIDE.output, kind: "end", attributes: [], reads: [o], gives: [] }))];
  const { edges, labels } = edgesOf(found, typesOf);
  found.forEach((node) => {
    node.family = familyOf(node.op);
    node.width = Math.min(220, 44 + 7.8 * Math.max(node.op.length, Math.min(node.name.length, 24)));
    node.reads = node.reads.map((value) => [value, describe(value)]);
    node.gives = node.gives.map((value) => [value, describe(value)]);
  });
  return { nodes: found, edges, labels };
}

function fromMxnet(found) {
  const graph = mxnetGraph(JSON.parse(found.json));
  const values = new Map([...graph.inputs, ...graph.params].map((n) => [n.name, n.outputs]));
  graph.nodes.forEach(({ gives, outputs }) => gives.forEach((value, k) => values.set(value, [outputs[k]])));
  return drawn({ inputs: graph.inputs.map((i) => i.name), outputs: graph.outputs,
    nodes: graph.nodes.map(({ name, op, inputs, gives, attributes }) => ({ name, op, attributes, reads: inputs, gives })),
    typesOf: (value) => values.get(value) ?? [] });
}

function fromOnnx(file) {
  const graph = readOnnx(blobReader(file)), params = new Set(graph.params.map((p) => p.name));
  return drawn({ inputs: graph.inputs.map((i) => i.name).filter((i) => !params.has(i)), outputs: graph.outputs.map((o) => o.name),
    nodes: graph.nodes.map(({ name, op, domain, inputs, outputs, attributes }) => ({ name, op: domain ? domain + "." + op : op,
      attributes, reads: inputs.filter(Boolean), gives: outputs.filter(Boolean) })),
    typesOf: (value) => (graph.values.has(value) ? [graph.values.get(value)] : []) });
}

self.onmessage = ({ data: { id, task, request } }) => {
  try {
    const graph = task === "mxnet" ? fromMxnet(request) : fromOnnx(request.file);
    self.postMessage({ id, result: { ...graph, layout: layout(graph.nodes, graph.edges) } });
  } catch (error) {
    self.postMessage({ id, failure: { message: error.message } });
  }
};
