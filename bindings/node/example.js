// A custom operator, a named dim, everything in memory: node example.js
// The net is relu -> Custom(op_type="my_leaky", slope=0.25) -> tanh; a model of your own is a file: Model.open('net-symbol.json').
import { Model, UnsupportedError } from 'mx2onnx';

const symbol = JSON.stringify({
  nodes: [
    { op: 'null', name: 'data', inputs: [] },
    { op: 'relu', name: 'r', inputs: [[0, 0, 0]] },
    { op: 'Custom', name: 'c', attrs: { op_type: 'my_leaky', slope: '0.25' }, inputs: [[1, 0, 0]] },
    { op: 'tanh', name: 't', inputs: [[2, 0, 0]] },
  ],
  arg_nodes: [0],
  heads: [[3, 0, 0]],
});

const model = await Model.open(Buffer.from(symbol));
model.inputShape('data', ['batch', 4]);
model.customOperator('my_leaky', {
  infer: (node) => node.setOutputLike(0, 0),
  lower: (node) => node.add('LeakyRelu', [node.inputs[0]], { alpha: Number(node.attribute('slope')) }),
});
try {
  const bytes = await model.exportBytes({ onProgress: (done, total) => console.log(`${done} of ${total} bytes`) });
  console.log(`${bytes.length} bytes, ${model.written.nodes} nodes`);
  console.log(await model.graphText());
} catch (e) {
  if (e instanceof UnsupportedError) for (const d of e.diagnostics) console.error(d.node, d.message, d.advice);
  throw e;
} finally {
  model.close();
}
