// Only checked by tsc: the declarations fit the way the package is used.
import { Model, UnsupportedError, float, type Handler, type Value } from 'mx2onnx';

export async function convert(path: string, signal: AbortSignal): Promise<Value[]> {
  using m = await Model.open(path);
  const handler: Handler = {
    infer: (node) => node.setOutput(0, 'float32', [node.inputs[0].dims![0], 2, null]),
    lower(node) {
      const [a, b] = node.add('Split', [node.inputs[0], null], { axis: 1, alpha: float(1) }, { outputs: 2 });
      return node.add('Add', [a, b, new Float32Array([1])]);
    },
  };
  m.inputShape('data', ['batch', 3, null]).customOperator('my_op', handler).setOptions({ opset: 17, target: null });
  try {
    await m.export('net.onnx', { signal, onProgress: ({ done, total }) => done > total });
  } catch (e) {
    if (e instanceof UnsupportedError) console.log(e.diagnostics[0].advice, e.status);
    throw e;
  }
  // @ts-expect-error there is no such mode
  m.setOptions({ float16: 'half' });
  // @ts-expect-error a shape is a list
  m.inputShape('data', 3);
  return m.outputs;
}
