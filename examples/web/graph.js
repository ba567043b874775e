// SPDX-License-Identifier: Apache-2.0
// MXNet's graph, as Model.graph("mxnet") gives it (lib/schema/graph.json), with short names of values: that of the node, and its index where the
// node has several outputs. { nodes: [{ name, op, inputs: [value], gives: [value], attributes: [[key, value]], outputs: [[type, dims]] }],
// inputs, params, outputs }

const typeOf = ({ dtype, shape }) => [dtype, shape];

export function mxnetGraph({ nodes, inputs, outputs, parameters }) {
  const called = (node, k) => (node.outputs.length > 1 ? `${node.name}[${k}]` : node.name);
  const maker = new Map(nodes.flatMap((node) => node.outputs.map((value, k) => [value.name, called(node, k)])));
  const from = (value) => maker.get(value) ?? value, variable = (value) => ({ name: value.name, outputs: [typeOf(value)] });
  return {
    nodes: nodes.map((node) => ({ name: node.name, op: node.op, inputs: node.inputs.map(from), gives: node.outputs.map((_, k) => called(node, k)),
      outputs: node.outputs.map(typeOf), attributes: Object.entries(node.attributes).filter(([key]) => !key.startsWith("__")) })),
    inputs: inputs.map(variable), params: parameters.map(variable), outputs: outputs.map(({ name }) => from(name)),
  };
}
