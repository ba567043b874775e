// SPDX-License-Identifier: Apache-2.0
// What callbacks throw and give, and arguments that C's types cannot hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileError, InvalidArgumentError, Model } from 'mx2onnx';

const SYMBOL = Buffer.from(JSON.stringify({
  nodes: [
    { op: 'null', name: 'x', inputs: [] },
    { op: 'Custom', name: 'c', attrs: { op_type: 'mine' }, inputs: [[0, 0, 0]] },
  ],
  arg_nodes: [0],
  heads: [[1, 0, 0]],
}));
class Thrown extends Error {}
const thrower = () => {
  throw new Thrown();
};
const lower = (node) => node.add('Relu', [node.inputs[0]]);

async function made(handler = { lower }) {
  const m = await Model.open(SYMBOL);
  return m.inputShape('x', [2, 4]).customOperator('mine', handler);
}

const READS = {
  'more than was asked for': [(data) => Buffer.concat([data, Buffer.alloc(4 << 20, 65)]), RangeError], // C's memory was overwritten
  'no bytes': [() => new Uint8Array(), FileError],
  'a text': [(data) => 'a'.repeat(data.length), TypeError],
  'a number': [(data) => data.length, TypeError],
  nothing: [() => undefined, TypeError],
  'a promise': [async (data) => data, TypeError],
  'a promise that fails': [async () => thrower(), TypeError],
  'what it throws': [thrower, Thrown],
};
for (const [name, [give, error]] of Object.entries(READS)) {
  test(`a read gives ${name}`, async () => {
    const read = (offset, size) => give(SYMBOL.subarray(offset, offset + size));
    await assert.rejects(new Model().load({ size: SYMBOL.length, read }), error);
    await assert.rejects(new Model().loadParams({ size: SYMBOL.length, read }), error);
  });
}

test('the size of a reader must be a count of bytes', async () => {
  for (const size of [-1, 1.5, NaN, 2 ** 64, 2n ** 64n]) await assert.rejects(new Model().load({ size, read() {} }), RangeError);
  for (const size of ['1', true, undefined, null]) await assert.rejects(new Model().load({ size, read() {} }), TypeError);
});

test('a callback that gives a promise is an error of its call', async () => {
  const m = await made();
  await assert.rejects(m.exportTo(async () => thrower()), /write must be synchronous/);
  await assert.rejects(m.exportBytes({ onProgress: async () => thrower() }), /onProgress must be synchronous/);
  m.onLog(async () => {});
  assert.throws(() => m.addOutput('nosuch'), /onLog must be synchronous/);
  m.onLog(null);
  m.customOperator('mine', { infer: async () => thrower(), lower });
  await assert.rejects(m.infer(), /infer must be synchronous/);
  m.customOperator('mine', { lower: async () => thrower() });
  await assert.rejects(m.exportBytes(), /lower must be synchronous/);
  m.customOperator('mine', { lower });
  assert.ok((await m.exportBytes()).length > 100);
  m.close();
});

test('an exception of a log function comes out of the call that logs', async () => {
  const m = await made();
  m.onLog(thrower, { least: 'debug' });
  assert.throws(() => m.addOutput('nosuch'), Thrown);
  await assert.rejects(m.graphText(), Thrown);
  m.setOptions({ opset: 17 });
  m.onLog(null);
  assert.ok(await m.graphText());
  m.close();
});

test('a model is in use in the callbacks of a call that gives no promise', async () => {
  const m = await made();
  let refused = 0;
  m.onLog(() => {
    for (const call of [() => m.close(), () => m.onLog(null), () => m.inputs, () => m.report, () => m.customOperator('mine', null)]) {
      assert.throws(call, InvalidArgumentError);
      refused++;
    }
  });
  assert.throws(() => m.addOutput('nosuch'), /nosuch/);
  assert.ok(refused >= 5);
  m.onLog(null);
  assert.ok((await m.exportBytes()).length > 100);
  m.close();
});

test('an array is refused where an object with names belongs', async () => {
  const array = [1, 3];
  const data = new Float32Array(3);
  const m = new Model();
  for (const value of [array, data, 'float32', 3, () => {}]) {
    const calls = [
      () => m.setParam('w', data, value), () => m.onLog(() => {}, value), () => m.customOperator('mine', { lower }, value),
      () => m.customOperator('mine', value), () => m.setOptions(value),
    ];
    for (const call of calls) assert.throws(call, { name: 'TypeError', message: /must be an object, not / }, `${call} ${value}`);
    const later = [
      () => m.load(SYMBOL, value), () => m.loadSymbol(SYMBOL, value), () => m.loadParams(SYMBOL, value), () => m.loadNet(null, value),
      () => m.identifyNet(value), () => m.loadCatalogue(SYMBOL, value), () => m.checkExternalData('a.onnx', value), () => m.infer(value),
      () => m.export('a.onnx', value), () => m.exportBytes(value), () => m.exportTo(() => {}, value), () => m.graph('onnx', value),
      () => m.graphText('onnx', value), () => Model.open(SYMBOL, value),
    ];
    for (const call of later) await assert.rejects(call, { name: 'TypeError', message: /must be an object, not / }, `${call} ${value}`);
  }
  assert.throws(() => m.setParam('w', data, array), { message: 'the options must be an object, not an array' });
  m.setParam('w', data, { dims: array }).setParam('v', data, null).setParam('u', data);
  assert.deepEqual(m.params.map((p) => p.dims), [array, [3], [3]]);
  assert.throws(() => m.params[0].bytes(array), TypeError);
  for (const dims of [1, {}, new Set([1]), { length: 1, 0: 1 }, '1', null]) { // C took it for a scalar
    assert.throws(() => m.setParam('w', new Float32Array(1), { dims }), { name: 'TypeError', message: /^dims must be an array, not / });
    if (dims !== null) assert.throws(() => m.inputMean('x', dims), { name: 'TypeError', message: /^the values must be an array, not / });
  }
  m.close();
  const nodes = { constant: (node) => node.constant(data, array), add: (node) => node.add('Relu', [node.inputs[0]], null, array),
    attributes: (node) => node.add('Relu', [node.inputs[0]], array), bytes: (node) => node.inputs[0].bytes(array) };
  for (const [name, call] of Object.entries(nodes)) {
    const model = await made({ lower: call });
    await assert.rejects(model.exportBytes(), { name: 'TypeError', message: /must be an object, not an array/ }, name);
    model.close();
  }
});

test('numbers must fit', async () => {
  const m = await made();
  const calls = {
    opset: [(v) => m.setOptions({ opset: v }), 2n ** 63n],
    seed: [(v) => m.setOptions({ seed: v }), 2n ** 63n],
    limit: [(v) => m.setOptions({ memoryLimit: v }), 2n ** 63n],
    netSize: [(v) => m.setOptions({ classes: v }), 2n ** 63n],
    threshold: [(v) => m.setOptions({ externalThreshold: v }), 2n ** 63n],
    dim: [(v) => m.inputShape('x', [v, 4]), 2n ** 63n],
    axis: [(v) => m.inputDimName('x', v, 'n'), 2n ** 64n, -1],
    outputs: [(v) => m.customOperator('other', { lower }, { outputs: v }), 2n ** 64n, -1],
    param: [(v) => m.setParam('y', new Float32Array(4), { dims: [v] }), 2n ** 63n],
  };
  const before = m.options.memoryLimit;
  for (const [name, [call, ...large]] of Object.entries(calls)) {
    for (const v of [1.5, NaN, Infinity, 2 ** 60, -(2n ** 65n), ...large]) assert.throws(() => call(v), RangeError, `${name} ${v}`);
    const others = [true, {}, [1], Symbol('one')];
    for (const v of name === 'dim' ? others : ['1', ...others]) assert.throws(() => call(v), TypeError, `${name} ${String(v)}`);
  }
  for (const v of ['1', '14', 'None', 'null', '4.5', '-1']) assert.throws(() => m.inputShape('x', [v, 4]), InvalidArgumentError, v);
  m.inputShape('x', [2, 4]);
  for (const v of ['1', true, null, 1n]) assert.throws(() => m.inputMean('x', [v]), TypeError);
  for (const v of [NaN, Infinity]) assert.throws(() => m.inputScale('x', [v]), InvalidArgumentError);
  assert.equal(m.options.memoryLimit, before);
  await m.infer();
  assert.deepEqual(m.inputs[0].dims, [2, 4]);
  m.close();
});

test('numbers and texts of a handler must fit', async () => {
  const numbers = {
    infer: [(n, v) => n.setOutputLike(v, 0), (n, v) => n.setOutputLike(0, v), (n, v) => n.setOutput(0, 'float32', [{ input: v, axis: 0 }]),
      (n, v) => n.setOutput(0, 'float32', [{ input: 0, axis: v }])],
    lower: [(n, v) => n.add('Relu', [n.inputs[0]], null, { outputs: v }), (n, v) => n.setResult(v, n.inputs[0])],
  };
  for (const [where, uses] of Object.entries(numbers)) {
    for (const use of uses) {
      for (const v of [-1, 1.5, NaN, 2n ** 64n, '0', true]) {
        const error = typeof v === 'number' || typeof v === 'bigint' ? RangeError : TypeError;
        const m = await made({ lower, [where]: (node) => use(node, v) });
        await assert.rejects(m.exportBytes(), error);
        m.close();
      }
    }
  }
  const texts = [(n) => n.fail('a\0b'), (n) => n.add('Re\0lu', [n.inputs[0]]), (n) => n.add('Relu', [n.inputs[0]], null, { domain: '\0' })];
  for (const use of texts) {
    const m = await made({ lower: use });
    await assert.rejects(m.exportBytes(), TypeError);
    m.close();
  }
});

test('names must be those that C can hold', async () => {
  const m = await made();
  const calls = [
    (v) => m.rename('x', v), (v) => m.rename(v, 'y'), (v) => m.inputShape(v, [1]), (v) => m.inputShape('x', [v, 4]),
    (v) => m.inputDimName('x', 0, v), (v) => m.inputDimName(v, 0, 'n'), (v) => m.inputDtype(v, 'int8'), (v) => m.inputDtype('x', v),
    (v) => m.inputChannelsLast(v), (v) => m.inputChannelsReversed(v), (v) => m.inputMean(v, [1]), (v) => m.inputScale(v, [1]),
    (v) => m.addOutput(v), (v) => m.setOptions({ target: v }), (v) => m.setNodePrecision(v, 'float32'), (v) => m.setOptions({ unknownDomain: v }), (v) => m.setOptions({ paramPrefix: v }),
    (v) => m.setParam(v, new Float32Array(1)), (v) => m.customOperator(v, { lower }), (v) => m.customOperator(v, null),
  ];
  const later = [(v) => m.load(v), (v) => m.loadSymbol(v), (v) => m.loadParams(v), (v) => m.loadNet(v), (v) => m.loadCatalogue(v),
    (v) => m.checkExternalData(v), (v) => m.export(v)];
  for (const v of ['x\0y', 'x\0', '\ud800', 'a\udc00b']) {
    for (const call of calls) assert.throws(() => call(v), TypeError, String(call));
    for (const call of later) await assert.rejects(call(v), TypeError, String(call));
  }
  await m.infer();
  assert.deepEqual(m.inputs.map((i) => [i.name, i.dims]), [['x', [2, 4]]]);
  m.close();
});
