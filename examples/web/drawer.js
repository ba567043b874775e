// SPDX-License-Identifier: Apache-2.0
// The worker that reads the graphs of a model and places their nodes.
import { mxnetGraph } from "./graph.js";
import { layout } from "./layout.js";
import { blobReader } from "./mx2onnx.mjs";
import { readOnnx } from "./onnx.js";

const OUTSIDE = { input: "input", output: "output" };

/** Nodes, inputs and outputs as what is drawn: { name, op, kind, attributes, reads, gives }, and edges between them. */
function drawn({ nodes, inputs, outputs, describe }) {
  const found = [...inputs.map((i) => ({ name: i, op: OUTSIDE.input, kind: "end", attributes: [], reads: [], gives: [i] })),
    ...nodes.map((n) => ({ ...n, kind: "node" })),
    ...outputs.map((o) => ({ name: o, op: OUTSIDE.output, kind: "end", attributes: [], reads: [o], gives: [] }))];
  const maker = new Map(), edges = [];
  found.forEach((node, k) => node.gives.forEach((value) => maker.set(value, k)));
  found.forEach((node, k) => new Set(node.reads.map((value) => maker.get(value))).forEach((from) => {
    from !== undefined && from < k && edges.push([from, k]);
  }));
  found.forEach((node) => {
    node.width = Math.min(220, 40 + 7.5 * Math.max(node.op.length, Math.min(node.name.length, 24)));
    node.reads = node.reads.map((value) => [value, describe(value)]);
    node.gives = node.gives.map((value) => [value, describe(value)]);
  });
  return { nodes: found, edges };
}

function fromMxnet(found) {
  const graph = mxnetGraph(found), values = new Map([...graph.inputs, ...graph.params, ...graph.nodes].map((n) => [n.name, n.outputs]));
  return drawn({ inputs: graph.inputs.map((i) => i.name), outputs: graph.outputs,
    nodes: graph.nodes.map(({ name, op, inputs, attributes }) => ({ name, op, attributes, reads: inputs, gives: [name] })),
    describe: (value) => (values.get(value) ?? []).map((v) => v.join(" ")).join(", ") });
}

function fromOnnx(file) {
  const graph = readOnnx(blobReader(file)), params = new Set(graph.params.map((p) => p.name));
  return { ...drawn({ inputs: graph.inputs.map((i) => i.name).filter((i) => !params.has(i)), outputs: graph.outputs.map((o) => o.name),
    nodes: graph.nodes.map(({ name, op, domain, inputs, outputs, attributes }) => ({ name, op: domain ? domain + "." + op : op, attributes,
      reads: inputs.filter(Boolean), gives: outputs.filter(Boolean) })),
    describe: (value) => (graph.values.get(value) ?? []).join(" ") }), params: graph.params };
}

self.onmessage = ({ data: { id, task, request } }) => {
  try {
    const graph = task === "mxnet" ? fromMxnet(request) : fromOnnx(request.file);
    self.postMessage({ id, result: { ...graph, layout: layout(graph.nodes, graph.edges) } });
  } catch (error) {
    self.postMessage({ id, failure: { message: error.message } });
  }
};
