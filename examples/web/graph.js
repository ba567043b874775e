// SPDX-License-Identifier: Apache-2.0
// MXNet's graph, as Model.graph("mxnet") gives it (lib/schema/graph.json), with the names of nodes in place of those of values: what is
// drawn is an edge from a node to a node. { nodes: [{ name, op, inputs: [name], attributes: [[key, value]], outputs: [[type, dims]] }],
// inputs, params, outputs }

const typeOf = ({ dtype, shape }) => [dtype, shape];

export function mxnetGraph({ nodes, inputs, outputs, parameters }) {
  const maker = new Map(nodes.flatMap((node) => node.outputs.map((value) => [value.name, node.name])));
  const from = (value) => maker.get(value) ?? value, variable = (value) => ({ name: value.name, outputs: [typeOf(value)] });
  return {
    nodes: nodes.map((node) => ({ name: node.name, op: node.op, inputs: node.inputs.map(from), outputs: node.outputs.map(typeOf),
      attributes: Object.entries(node.attributes).filter(([key]) => !key.startsWith("__")) })),
    inputs: inputs.map(variable), params: parameters.map(variable), outputs: outputs.map(({ name }) => from(name)),
  };
}
