// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CancelledError, InvalidArgumentError, Model, NotFoundError, UnsupportedError, features, float, knownOperators, opsets, targets, version } from 'mx2onnx';

const DIGITS = fileURLToPath(new URL('../../../examples/digits/digits-symbol.json', import.meta.url));
const LEAKY = fileURLToPath(new URL('../../cases/leaky-symbol.json', import.meta.url));

async function digits() {
  return (await Model.open(DIGITS)).inputShape('data', ['batch', 1, 8, 8]);
}

async function folder(run) {
  const path = mkdtempSync(join(tmpdir(), 'mx2onnx-'));
  try {
    await run(path);
  } finally {
    rmSync(path, { recursive: true });
  }
}

test('the library says what it is', () => {
  assert.match(version, /^\d+\.\d+\.\d+$/);
  assert.equal(typeof features.zip, 'boolean');
  assert.ok(targets().some((t) => t.name === 'opencv4' && t.text));
  const [pooling] = knownOperators().filter((o) => o.name === 'Pooling');
  assert.ok(pooling.opset >= 1 && pooling.status === 'partial' && pooling.refuses.some((line) => line.includes('"same"')));
  const [cast] = knownOperators().filter((o) => o.name === 'Cast');
  assert.ok(cast.status === 'differs' && cast.refuses.length === 0 && cast.differs.length === 1);
});

test('a stream, a function and a file get the same bytes', () =>
  folder(async (path) => {
    const m = await digits();
    const want = await m.exportBytes();
    const stream = createWriteStream(join(path, 'a.onnx'));
    await m.exportTo(stream);
    stream.end();
    await finished(stream);
    await m.export(join(path, 'b.onnx'));
    for (const name of ['a.onnx', 'b.onnx']) assert.ok(readFileSync(join(path, name)).equals(want));
    assert.equal(m.written.bytes, want.length);
    assert.equal(m.report.written.nodes, m.written.nodes);
    m.close();
  }));

/** A net of 4 MiB, many pieces of the library's. */
async function large() {
  const nodes = [...['x', 'w'].map((name) => ({ op: 'null', name, inputs: [] })),
    { op: 'FullyConnected', name: 'fc', attrs: { num_hidden: '1024', no_bias: 'True' }, inputs: [[0, 0, 0], [1, 0, 0]] }];
  const m = await Model.open(Buffer.from(JSON.stringify({ nodes, arg_nodes: [0, 1], heads: [[2, 0, 0]] })));
  return m.setParam('w', Float32Array.from({ length: 1 << 20 }, (_, i) => i), { dims: [1024, 1024] }).inputShape('x', [1, 1024]);
}

test('a stream that is slow is waited for', async () => {
  const m = await large();
  const want = await m.exportBytes();
  const taken = [];
  let most = 0;
  const slow = new Writable({
    highWaterMark: 1024,
    write(chunk, _, done) {
      most = Math.max(most, this.writableLength);
      taken.push(chunk);
      setImmediate(done);
    },
  });
  await m.exportTo(slow);
  slow.end();
  await finished(slow);
  assert.ok(Buffer.concat(taken).equals(want));
  assert.ok(most < want.length / 4, `${most} bytes of ${want.length} were kept`); // all of them, without waiting
  m.close();
});

test('a stream that fails, or is closed, or never takes the rest', async () => {
  const m = await large();
  const failing = new Writable({ write: (chunk, _, done) => setImmediate(done, new RangeError('full')) });
  await assert.rejects(m.exportTo(failing), RangeError);
  const closed = new PassThrough();
  closed.destroy();
  await assert.rejects(m.exportTo(closed), (e) => e instanceof Error);
  const control = new AbortController();
  const stuck = new Writable({ highWaterMark: 1, write() { setImmediate(() => control.abort()); } });
  await assert.rejects(m.exportTo(stuck, { signal: control.signal }));
  assert.ok((await m.exportBytes()).length > 50000);
  m.close();
});

test('a URL wherever there is a path, and a signal wherever there is a promise', () =>
  folder(async (path) => {
    const signal = AbortSignal.abort(new RangeError('no'));
    const file = pathToFileURL(join(path, 'a b.onnx'));
    const m = new Model();
    await m.loadSymbol(pathToFileURL(DIGITS));
    await m.loadParams(pathToFileURL(DIGITS.replace('symbol.json', '0000.params')));
    m.inputShape('data', [1, 1, 8, 8]);
    await m.export(file);
    await m.checkExternalData(file);
    assert.deepEqual(readdirSync(path), ['a b.onnx']);
    const calls = [() => m.loadNet(null, { signal }), () => m.identifyNet({ signal }), () => m.loadCatalogue(file, { signal }),
      () => m.checkExternalData(file, { signal }), () => m.graphText('onnx', { signal }), () => m.graph('mxnet', { signal }), () => m.loadSymbol(file, { signal }),
      () => m.exportTo(() => {}, { signal })];
    for (const call of calls) await assert.rejects(call(), RangeError, String(call));
    m.close();
  }));

test('a signal ends an export', () =>
  folder(async (path) => {
    const m = await digits();
    const target = join(path, 'a.onnx');
    await assert.rejects(m.export(target, { signal: AbortSignal.abort(new Error('before')) }), /before/);
    const control = new AbortController();
    const onProgress = () => control.abort(new RangeError('within'));
    await assert.rejects(m.export(target, { signal: control.signal, onProgress }), RangeError);
    await assert.rejects(m.export(target, { onProgress: () => true }), CancelledError);
    assert.deepEqual(readdirSync(path), []);
    await m.export(target);
    assert.deepEqual(readdirSync(path), ['a.onnx']);
    m.close();
  }));

test('a signal ends inference and loading', async () => {
  const m = await digits();
  const calls = [(signal) => m.infer({ signal }), (signal) => Model.open(DIGITS, { signal })];
  for (const call of calls) {
    await assert.rejects(call(AbortSignal.abort(new Error('before'))), /before/);
    await (await call(new AbortController().signal)).infer();
  }
  const control = new AbortController();
  const running = m.inputShape('data', [2, 1, 8, 8]).infer({ signal: control.signal });
  control.abort(new RangeError('within')); // before the main thread hears of any progress
  await assert.rejects(running, RangeError);
  assert.ok((await m.exportBytes()).length > 1000);
  m.close();
});

test('a model is in use until the promise settles', async () => {
  const m = await digits();
  const running = m.exportBytes();
  assert.throws(() => m.setOptions({ opset: 13 }), InvalidArgumentError);
  assert.throws(() => m.close(), InvalidArgumentError);
  await assert.rejects(m.exportBytes(), InvalidArgumentError);
  assert.ok((await running).length > 1000);
  m.close();
  m.close();
  assert.throws(() => m.inputs, /closed/);
  await assert.rejects(m.infer(), /closed/);
});

test('different models work at the same time', async () => {
  const models = await Promise.all([digits(), digits(), digits()]);
  const [a, b, c] = await Promise.all(models.map((m) => m.exportBytes({ onProgress() {} })));
  assert.ok(a.equals(b) && b.equals(c));
  models.forEach((m) => m[Symbol.dispose ?? Symbol.for('nodejs.dispose')]());
  assert.throws(() => models[0].inputs, /closed/);
});

test('errors are typed and speak of this package', async () => {
  const m = await digits();
  assert.throws(() => m.inputShape('nosuch', [1]), NotFoundError);
  assert.throws(() => m.inputDtype('data', 'float99'), /'float99' is not an element type; use one of/);
  assert.throws(() => m.setOptions({ float16: 'half' }), /one of off, all, inside/);
  await assert.rejects(Model.open('/nosuch-symbol.json'), NotFoundError);
  const leaky = await Model.open(LEAKY);
  leaky.inputShape('x', [1, 4]);
  await assert.rejects(leaky.exportBytes(), (e) => {
    assert.ok(e instanceof UnsupportedError && e.status === 'UNSUPPORTED' && e.name === 'UnsupportedError');
    assert.ok(e.diagnostics.every((d) => !/mx2onnx_/.test(d.message + d.advice)));
    assert.match(e.message, /customOperator/);
    return true;
  });
});

test('attributes keep their kinds', async () => {
  const m = await Model.open(LEAKY);
  m.inputShape('x', ['n', 4]).customOperator('leaky', {
    lower: (node) =>
      node.add('Mine', [node.inputs[0], null, new Float32Array([0.5])],
        { a: 1, b: float(1), c: [1, 2], d: [1, 0.5], e: 'text', f: 2n }, { domain: 'com.example' }),
  });
  assert.match(await m.graphText(), /com.example::Mine\(\w+, -, .*\) \{a=1, b=1, c=\[1, 2\], d=\[1, 0.5\], e="text", f=2\} : float32 \(n, 4\)/);
  const bytes = (await m.exportBytes()).toString('latin1');
  // AttributeProto: name (field 1), then the value by its kind: i is field 3, f field 2
  assert.ok(bytes.includes('\n\x01a\x18\x01') && bytes.includes('\n\x01b\x15\0\0\x80?'));
});

test('a node is gone when its handler has returned', async () => {
  const m = await Model.open(LEAKY);
  let kept;
  m.inputShape('x', [1, 4]).customOperator('leaky', { lower: (node) => ((kept = node), node.add('Relu', [node.inputs[0]])) });
  await m.exportBytes();
  assert.throws(() => kept.add('Relu', [kept.inputs[0]]), /used after its handler returned/);
});

test('a value is gone when its handler has returned', async () => {
  for (const keep of [(node) => node.inputs[0], (node) => node.add('Abs', [node.inputs[0]])]) {
    let kept;
    const lower = (node) => {
      const y = node.add('Relu', [kept ?? node.inputs[0]]);
      kept = keep(node);
      return y;
    };
    for (const again of [false, true]) {
      const m = await Model.open(LEAKY);
      m.inputShape('x', [1, 4]).customOperator('leaky', { lower });
      if (again) await assert.rejects(m.exportBytes(), /used after its handler returned/);
      else await m.exportBytes();
    }
  }
});

test('a model that is not closed is collected, with its functions', () => {
  const code = `
    import { Model } from 'mx2onnx';
    const made = await (async () => {
      const m = await Model.open(${JSON.stringify(LEAKY)});
      m.inputShape('x', [1, 4]).onLog(() => {}).customOperator('leaky', { infer: (n) => n.setOutputLike(0, 0), lower: (n) => n.inputs[0] });
      await m.exportBytes({ onProgress: () => {} });
      return new WeakRef(m);
    })();
    for (let i = 0; i < 100 && made.deref(); i++) { await new Promise((r) => setImmediate(r)); gc(); }
    process.stdout.write(String(made.deref() === undefined));`;
  const options = { encoding: 'utf8', cwd: fileURLToPath(new URL('..', import.meta.url)) };
  assert.equal(execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], options), 'true');
});

test('the example runs', () => {
  const out = execFileSync(process.execPath, [fileURLToPath(new URL('../example.js', import.meta.url))], { encoding: 'utf8' });
  assert.match(out, /LeakyRelu/);
});

test('options are set and reset', async () => {
  const m = await digits();
  assert.deepEqual([m.options.opset, m.options.seed, m.options.float16, m.options.fsync, m.options.target], [null, null, 'off', false, null]);
  assert.ok(opsets.oldest <= opsets.default && opsets.default <= opsets.newest);
  const some = { opset: opsets.oldest, seed: 3, float16: 'inside', keepBatchNorm: true, externalData: 'in-place', target: 'opencv4', nodesLimit: 5000 };
  const { opset, seed, float16, keepBatchNorm, externalData, target, nodesLimit } = m.setOptions(some).options;
  assert.deepEqual({ opset, seed, float16, keepBatchNorm, externalData, target, nodesLimit }, some);
  m.setOptions(Object.fromEntries(Object.keys(m.options).map((name) => [name, null]))).setOptions({ producer: 'a test', opset: undefined });
  assert.ok((await m.exportBytes()).includes('a test'));
  for (const wrong of [{ opsett: 17 }, { fsync: 1 }, { fsync: 'yes' }, { float16: true }, { target: 4 }, { opset: '17' }]) {
    assert.throws(() => m.setOptions({ seed: 4, ...wrong }), TypeError, JSON.stringify(wrong));
  }
  assert.equal(m.options.seed, null); // all or nothing of a wrong type
  assert.throws(() => m.setOptions({ opset: opsets.newest + 1 }), /^InvalidArgumentError: opset is/);
  m.close();
});

test('progress has a phase, and a log a least severity', async () => {
  const m = await digits();
  const seen = [];
  const lines = { error: [], note: [], debug: [] };
  await m.exportBytes({ onProgress: (now) => void seen.push(now) });
  assert.ok(seen.some(({ phase }) => phase === 'lower') && seen.every(({ phase, total }) => total === 0 || phase === 'write'));
  assert.deepEqual(Object.keys(seen[0]), ['phase', 'done', 'total', 'node']);
  for (const least of Object.keys(lines)) {
    m.onLog((severity) => void lines[least].push(severity), { least });
    await m.graphText();
    assert.throws(() => m.addOutput('nosuch'), NotFoundError);
  }
  assert.ok(lines.error.every((s) => s === 'error') && lines.error.length && !lines.note.includes('debug') && lines.debug.includes('debug'));
  assert.throws(() => m.onLog(() => {}, { least: 'all' }), TypeError);
  m.close();
});

test('each choice can be taken back, and parts of a parameter can be read', async () => {
  const m = await digits();
  const want = await m.exportBytes();
  m.inputShape('data', [2, 1, 8, 8]).inputDtype('data', 'float64').addOutput('fc1_output').rename('data', 'pixels');
  assert.ok(!(await m.exportBytes()).equals(want));
  m.inputDtype('data', null).clearOutputs().rename('data', null).inputShape('data', null).inputShape('data', ['batch', 1, 8, 8]);
  assert.ok((await m.exportBytes()).equals(want));
  assert.equal(m.setNodePrecision('softmax', 'float16').nodePrecision('softmax'), 'float16');
  assert.equal(m.setNodePrecision('softmax', null).nodePrecision('softmax'), null);
  assert.throws(() => m.setNodePrecision('softmax', 'half'), TypeError);
  const p = m.params.find(({ name }) => name === 'fc1_weight');
  const whole = p.bytes();
  assert.ok(p.bytes({ offset: 4, size: 8 }).equals(whole.subarray(4, 12)) && p.bytes({ offset: p.byteLength }).length === 0);
  for (const range of [{ offset: p.byteLength, size: 1 }, { size: p.byteLength + 1 }, { offset: -1 }]) assert.throws(() => p.bytes(range), RangeError);
  m.close();
});

test('outputs that depend on the node, and an operator that the library knows', async () => {
  const nodes = [{ op: 'null', name: 'x', inputs: [] }, { op: 'Custom', name: 'c', attrs: { op_type: 'mine', n: '2' }, inputs: [[0, 0, 0]] }];
  const m = await Model.open(Buffer.from(JSON.stringify({ nodes, arg_nodes: [0], heads: [[1, 0, 0], [1, 1, 0]] })));
  const lower = (node) => [node.add('Relu', [node.inputs[0]]), node.add('Neg', [node.inputs[0]])];
  m.inputShape('x', [2, 4]).customOperator('mine', { lower }, { outputs: (node) => Number(node.attribute('n')) });
  await m.exportBytes();
  assert.equal(m.outputs.length, 2);
  m.customOperator('mine', { lower }, { outputs: () => { throw new SyntaxError('mine'); } });
  await assert.rejects(m.exportBytes(), SyntaxError);
  m.customOperator('mine', { lower }, { outputs: (node) => node.fail('not counted on purpose') });
  await assert.rejects(m.exportBytes(), (e) => e instanceof UnsupportedError && e.message.includes('not counted on purpose'));
  m.customOperator(null, null);
  await assert.rejects(m.exportBytes(), UnsupportedError);
  m.reset();
  nodes[1] = { op: 'relu', name: 'r', inputs: [[0, 0, 0]] };
  await m.load(Buffer.from(JSON.stringify({ nodes, arg_nodes: [0], heads: [[1, 0, 0]] })));
  const elu = { lower: (node) => node.add('Elu', [node.inputs[0]]) };
  m.inputShape('x', [2, 4]).customOperator('relu', elu);
  await assert.rejects(m.exportBytes(), InvalidArgumentError);
  assert.match(await m.customOperator('relu', elu, { overrides: true }).graphText(), /Elu/);
  m.close();
});

test('cancel ends a call, and the files of an export are listed', () =>
  folder(async (path) => {
    const m = await digits();
    await assert.rejects(m.exportBytes({ onProgress: () => { m.cancel(); } }), CancelledError);
    m.cancel();
    m.setOptions({ externalData: 'always', externalThreshold: 1, sideFile: 'weights.bin' });
    await m.export(join(path, 'model.onnx'));
    assert.deepEqual(m.written.files, ['model.onnx', 'weights.bin']);
    assert.deepEqual(readdirSync(path).sort(), m.written.files);
    m.close();
    assert.throws(() => m.cancel(), TypeError);
  }));

test('a reset model is new', async () => {
  const m = await digits();
  const want = await m.exportBytes();
  m.onProgress(() => true);
  await assert.rejects(m.exportBytes(), CancelledError);
  m.onLog(() => {
    throw new Error('mine');
  });
  m.reset();
  assert.deepEqual([m.inputs, m.params, m.diagnostics], [[], [], []]);
  await m.inputShape('data', ['batch', 1, 8, 8]).load(DIGITS); // a choice may come before the load
  assert.ok((await m.exportBytes()).equals(want));
  await assert.rejects(m.exportBytes({ onProgress: () => { m.reset(); } }), InvalidArgumentError);
  m.close();
});

test('numbers of a later library are accepted', async () => {
  const { errorOf } = await import('../src/words.js');
  const { lib } = await import('../src/native.js');
  const error = errorOf(-99, 'x');
  assert.deepEqual([error.name, error.status, error.message], ['Mx2onnxError', 'UNKNOWN', 'x']);
  assert.deepEqual([lib.dtype_name(99), lib.status_name(-99)], ['unknown', 'UNKNOWN']);
});

test('advice about a shape is a call of this package', async () => {
  const { words } = await import('../src/words.js');
  for (const [given, said] of [['data=1x3x?x224', "inputShape('data', [1, 3, null, 224])"], ['data=?x3xSIZE', "inputShape('data', [null, 3, SIZE])"],
    ['data=n,3,max', "inputShape('data', ['n', 3, 'max'])"], ['my_label=batch', "inputShape('my_label', ['batch'])"], ['x=DIMS', "inputShape('x', DIMS)"]]) {
    assert.equal(words(`set it with mx2onnx_set_input_shape: ${given}, or not`), `set it with ${said}, or not`);
  }
});

test('names and paths of the caller stay as they are', async () => {
  const { words } = await import('../src/words.js');
  assert.equal(words("'mx2onnx_fc1' of '/tmp/mx2onnx_data/mx2onnx_net.params' (mx2onnx_add_output)"),
    "'mx2onnx_fc1' of '/tmp/mx2onnx_data/mx2onnx_net.params' (addOutput)");
});

test('a slip is an error', async () => {
  const m = await digits();
  assert.throws(() => m.setOptions({ opset: 9 }), /^InvalidArgumentError: opset is 9, but must be/);
  assert.throws(() => { m.opset = 13; }, TypeError); // options have setOptions
  assert.throws(() => m.inputShape('data', 'batch,1,8,8'), /^TypeError: dims must be an array, not "batch,1,8,8"$/);
  assert.throws(() => m.inputShape('data', 4), /^TypeError: dims must be an array, not number$/);
  class Own extends Model { more = 1; }
  const own = new Own();
  assert.equal(own.more, 1);
  own.close();
  m.close();
});

test('settings are read and taken back', async () => {
  const m = await digits();
  const want = await m.exportBytes();
  m.setMetadata('b', 'two').setMetadata('a', '');
  assert.deepEqual([...m.metadata], [['a', ''], ['b', 'two']]);
  assert.throws(() => m.setMetadata('input:data', 'x'), InvalidArgumentError);
  assert.ok((await m.exportBytes()).includes('\n\x01b\x12\x03two'));
  assert.equal(m.setMetadata('a', null).metadata.size, 1);
  assert.equal(m.clearMetadata().metadata.size, 0);
  const chosen = new Model();
  assert.deepEqual([chosen.chosen('data'), chosen.chosenName('data')], [{ shape: null, dtype: null }, null]);
  chosen.inputShape('data', ['n', 1, -1]).inputDtype('data', 'uint8').rename('data', 'pixels');
  assert.deepEqual([chosen.chosen('data'), chosen.chosenName('data')], [{ shape: ['n', 1, null], dtype: 'uint8' }, 'pixels']);
  chosen.close();
  m.inputMean('data', [1]).inputScale('data', [0.5]).inputChannelsLast('data');
  assert.deepEqual(m.preprocessing('data'), { channelsLast: true, channelsReversed: false, mean: [1], scale: [0.5] });
  m.inputMean('data', []).inputScale('data', []).inputChannelsLast('data', false);
  assert.deepEqual(m.preprocessing('data'), { channelsLast: false, channelsReversed: false, mean: [], scale: [] });
  const bias = m.params.find((p) => p.name === 'fc1_bias');
  m.setParam('fc1_bias', new Uint8Array(bias.byteLength), { dtype: bias.dtype, dims: bias.dims });
  assert.ok(!(await m.exportBytes()).equals(want));
  assert.ok((await m.removeParam('fc1_bias').exportBytes()).equals(want));
  assert.throws(() => m.removeParam('fc1_bias'), NotFoundError);
  assert.equal(m.setDomainVersion('ai.onnx.ml', 3).domainVersion('ai.onnx.ml'), 3);
  assert.equal(m.setDomainVersion('ai.onnx.ml', 0).domainVersion('ai.onnx.ml'), 1);
  await m.loadCatalogue(readFileSync(new URL('../../cases/nets.zip', import.meta.url)));
  assert.ok(m.catalogue.length > 0);
  assert.deepEqual(m.nets.map((net) => net.name), m.catalogue.map((net) => net.name));
  await assert.rejects(m.identifyNet(), NotFoundError);
  m.close();
});

test('a program in CommonJS imports the package, and requires it where Node can', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const run = (text) => execFileSync(process.execPath, ['--input-type=commonjs', '-e', text], { cwd: folder, encoding: 'utf8' }).trim();
  assert.equal(run("import('mx2onnx').then(({ version }) => console.log(version))"), version);
  if (process.features.require_module) {
    assert.equal(run("console.log(require('mx2onnx').version)"), version);
  }
});
