// SPDX-License-Identifier: Apache-2.0
// The steps of bindings/cases, which every language takes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError, Model, Mx2onnxError } from 'mx2onnx';

const CASES = fileURLToPath(new URL('../../cases/', import.meta.url));
const path = (file) => join(CASES, file);
const contents = (file) => readFileSync(path(file));
const digest = (data) => createHash('sha256').update(data).digest('hex');

class Thrown extends Error {}

function thrower() {
  throw new Thrown('of the language');
}

const like = (node) => node.setOutputLike(0, 0);
const leaky = (node) =>
  node.setResult(0, node.add('LeakyRelu', [node.inputs[0]], `{"alpha": ${node.attribute('slope')}}`));

const half = (node) => node.inputs[0].dims[1] / 2;
const dimText = (d) => (typeof d === 'object' ? -1 : d);

const handlers = {
  leaky: () => ({ infer: like, lower: leaky }),
  split2: () => ({
    infer(node) {
      const [x] = node.inputs;
      for (let i = 0; i < node.outputCount; i++) {
        node.setOutput(i, x.dtype, x.dims.map((d, axis) => (axis === 1 ? half(node) : d)));
      }
    },
    lower(node) {
      const sizes = new BigInt64Array(2).fill(BigInt(half(node)));
      return node.add('Split', [node.inputs[0], sizes], { axis: 1 }, { outputs: 2 });
    },
  }),
  table: () => ({
    infer: like,
    lower(node) {
      const [x, table] = node.inputs;
      const data = table.bytes();
      const words = new Uint32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)).reverse();
      return node.add('Mul', [x, node.constant(words, { dtype: table.storedDtype, dims: [words.length] })]);
    },
  }),
  describe: () => ({
    infer: like,
    lower(node) {
      const parts = [`name=${node.name}`, `operator=${node.operator}`, `opset=${node.opset}`, `domain=${node.domain ?? ''}`];
      for (const [key, value] of node.attributes) parts.push(`${key}=${value}`);
      parts.push(`outputs=${node.outputCount}`);
      for (const i of node.inputs) {
        parts.push(
          `input=${i.name} ${i.dtype ?? 'unknown'} (${i.dims.map(dimText)}) ${i.storedDtype ?? 'unknown'} ${i.byteLength}`,
        );
      }
      return node.add('Describe', [node.inputs[0]], { text: parts.join(';') }, { domain: node.domain });
    },
  }),
  refuse: () => ({ infer: (node) => node.fail('refused on purpose'), lower: leaky }),
  'throw in infer': () => ({ infer: thrower, lower: leaky }),
  'throw in lower': () => ({ infer: like, lower: thrower }),
  busy: (model) => ({
    infer(node) {
      assert.throws(() => model.setOptions({ opset: 13 }), InvalidArgumentError);
      assert.throws(() => model.inputs, InvalidArgumentError);
      assert.throws(() => model.close(), InvalidArgumentError);
      like(node);
    },
    lower: leaky,
  }),
  'shape only': () => ({ infer: like }),
};

class Run {
  constructor(folder) {
    this.folder = folder;
    this.model = new Model();
  }

  reader({ file, throw: fails }) {
    const data = contents(file);
    return { size: data.length, read: (offset, size) => (fails ? thrower() : data.subarray(offset, offset + size)) };
  }

  load = ({ file }) => this.model.load(path(file));
  load_memory = ({ file }) => this.model.load(contents(file));
  load_callback = (step) => this.model.load(this.reader(step));
  load_symbol = ({ file }) => this.model.loadSymbol(path(file));
  load_symbol_memory = ({ file }) => this.model.loadSymbol(contents(file));
  load_params = ({ file }) => this.model.loadParams(path(file));
  load_params_memory = ({ file }) => this.model.loadParams(contents(file));
  load_params_callback = (step) => this.model.loadParams(this.reader(step));
  set_param = ({ name, dtype, dims, bytes }) => this.model.setParam(name, Uint8Array.from(bytes), { dtype, dims });
  load_catalogue = ({ file }) => this.model.loadCatalogue(path(file));
  load_net = async ({ name }) => ({ net: (await this.model.loadNet(name)).netTitle });
  identify_net = () => this.model.identifyNet();
  use_published = ({ choice }) => this.model.usePublished(choice.toLowerCase());
  nets = () => ({ nets: this.model.catalogue });
  param_prefix = ({ prefix }) => this.model.setOptions({ paramPrefix: prefix });
  input_shape = ({ input, dims }) => this.model.inputShape(input, dims);
  input_dim_name = ({ input, axis, name }) => this.model.inputDimName(input, axis, name);
  input_dtype = ({ input, dtype }) => this.model.inputDtype(input, dtype);
  channels_last = ({ input, on }) => this.model.inputChannelsLast(input, on);
  channels_reversed = ({ input, on }) => this.model.inputChannelsReversed(input, on);
  mean = ({ input, values }) => this.model.inputMean(input, values);
  scale = ({ input, values }) => this.model.inputScale(input, values);
  add_output = ({ name }) => this.model.addOutput(name);
  rename = ({ old, new: name }) => this.model.rename(old, name);
  opset = ({ opset }) => this.model.setOptions({ opset });
  external_data = ({ mode, threshold }) =>
    this.model.setOptions({ externalData: mode.toLowerCase().replace('_', '-'), externalThreshold: threshold });
  full_checksum = ({ on }) => this.model.setOptions({ fullChecksum: on });
  check_file = ({ file }) => this.model.checkExternalData(path(file));
  initializers_as_inputs = ({ on }) => this.model.setOptions({ initializersAsInputs: on });
  keep_batch_norm = ({ on }) => this.model.setOptions({ keepBatchNorm: on });
  fsync = ({ on }) => this.model.setOptions({ fsync: on });
  float16 = ({ mode }) => this.model.setOptions({ float16: mode.toLowerCase() });
  keep_float32 = ({ name, keep }) => this.model.setNodePrecision(name, keep ? 'float32' : 'float16');
  target = ({ name }) => this.model.setOptions({ target: name });
  trust_indices = ({ on }) => this.model.setOptions({ trustIndices: on });

  option = ({ which, value }) => this.model.setOptions({ [camel(which)]: value });
  reset_option = ({ which }) => this.model.setOptions({ [camel(which)]: null });
  seed = ({ seed }) => this.model.setOptions({ seed });
  unknown_domain = ({ domain }) => this.model.setOptions({ unknownDomain: domain });
  log = ({ handler }) => {
    const functions = { throw: thrower, collect: () => void this.lines++ };
    this.model.onLog(handler && functions[handler]);
  };


  progress({ handler }) {
    const functions = { cancel: () => true, throw: thrower, watch: ({ done, total }) => void (this.watched = [done, total]) };
    this.model.onProgress(handler && functions[handler]);
  }

  custom_operator = ({ name, handler, outputs }) =>
    this.model.customOperator(name, handler && handlers[handler](this.model), { outputs });

  infer = () => this.model.infer();

  async export_file({ path: name = 'model.onnx' }) {
    const target = join(this.folder, name);
    try {
      await this.model.export(target);
      const got = { sha256: digest(readFileSync(target)) };
      rmSync(target);
      if (readdirSync(this.folder).length) {
        got.data_sha256 = digest(readFileSync(`${target}.data`));
        rmSync(`${target}.data`);
      }
      return got;
    } finally {
      assert.deepEqual(readdirSync(this.folder), []);
    }
  }

  export_memory = async () => ({ sha256: digest(await this.model.exportBytes()) });

  async export_stream({ throw: fails }) {
    const pieces = [];
    await this.model.exportTo(fails ? thrower : (bytes) => pieces.push(bytes));
    return { sha256: digest(Buffer.concat(pieces)) };
  }

  look() {
    const m = this.model;
    const values = (list) => list.map((v) => ({ name: v.name, dtype: v.dtype ?? 'unknown', dims: v.dims }));
    const params = m.params.map((p) => ({ name: p.name, dtype: p.dtype, dims: p.dims, used: p.used, sha256: digest(p.bytes()) }));
    const rest = { variables: m.variables.map(({ name, kind }) => ({ name, kind: kind.toUpperCase() })), operators: m.operators, written: { opset: m.written.opset, nodes: m.written.nodes, bytes: m.written.bytes } };
    return { inputs: values(m.inputs), outputs: values(m.outputs), params, ...rest };
  }

  async step(step) {
    this.lines = 0;
    this.watched = null;
    let got = { status: 'OK' };
    try {
      got = { ...got, ...(await this[step.do](step)) };
    } catch (e) {
      if (!(e instanceof Mx2onnxError) && !(e instanceof Thrown)) throw e;
      got.status = e instanceof Thrown ? 'THROWN' : e.status;
    }
    if (step.expect.option !== undefined) got.option = this.model.options[camel(step.which)] ?? 0; // null is the automatic opset
    got.log = this.lines;
    got.progress = this.watched;
    got.diagnostics = this.model.diagnostics.map(({ severity, status, node, op, attribute, name }) => ({
      severity: severity.toUpperCase(), status, node, op, attribute, name: name.split('/').at(-1),
    }));
    for (const [key, want] of Object.entries(step.expect)) assert.deepEqual(got[key], want, `${step.do}: ${key}`);
  }
}

const camel = (name) => name.toLowerCase().replace(/_(\w)/g, (_, c) => c.toUpperCase());

const { cases } = JSON.parse(contents('cases.json'));
assert.ok(cases.length > 20);
for (const { name, steps } of cases) {
  test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mx2onnx-'));
    const run = new Run(folder);
    try {
      for (const step of steps) await run.step(step);
    } finally {
      run.model.close();
      rmSync(folder, { recursive: true });
    }
  });
}
