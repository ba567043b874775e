// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { callbacks, koffi, lib, memoryFree } from './native.js';
import { InvalidArgumentError } from './errors.js';
import { errorOf, words } from './words.js';
import { bytesOf, dimsOf, doubles, flag, int32, named, settled, sizesAndNames, text, textOrNull, unsigned } from './arguments.js';
import { optionsOf, setOptions } from './options.js';
import { Waiting } from './streams.js';
import { Node, NodeError, Refused, counting, dtypeOf, inferring, lowering, part } from './node.js';

const SEVERITIES = ['error', 'warning', 'note', 'debug'];
const PHASES = ['other', 'load', 'infer', 'lower', 'write'];
const VARIABLES = ['input', 'weight', 'unused'];
const PRECISIONS = [null, 'float32', 'float16'];
const PUBLISHED = { shapes: 0, normalization: 1 };
const GRAPHS = { mxnet: 0, onnx: 1 };
const UNSUPPORTED = -6;

const release = ({ handle, functions }) => {
  if (handle) lib.model_free(handle);
  for (const f of functions.values()) for (const pointer of f) koffi.unregister(pointer);
  functions.clear();
};
const forgotten = new FinalizationRegistry(release);

const chosen = (names, value, what) => {
  if (!Object.hasOwn(names, value)) throw new TypeError(`${what} is one of ${Object.keys(names).join(', ')}, not ${value}`);
  return names[value];
};

/** A path, which may be a file: URL. */
const path = (value) => text(value instanceof URL ? fileURLToPath(value) : value, 'a path');

/** Memory that the library keeps, and frees with memory_free. */
function copied(data) {
  const bytes = bytesOf(data);
  const memory = lib.memory_new(Math.max(1, bytes.byteLength));
  if (!memory) throw errorOf(-2);
  if (bytes.byteLength) koffi.encode(memory, 'uint8_t', bytes, bytes.byteLength);
  return [memory, bytes.byteLength];
}

const dtypeName = (number) => (number < 0 ? null : lib.dtype_name(number));

function dtypeNumber(name) {
  const number = lib.dtype_from_name(text(name, 'an element type'));
  if (number < 0) throw new TypeError(`'${name}' is not an element type; use one of MXNet's, such as float32 or int64`);
  return number;
}

/** Runs read(pointer, size) on new memory, and returns the contents. */
function readBytes(size, read) {
  const memory = lib.memory_new(Math.max(1, size));
  if (!memory) throw errorOf(-2);
  try {
    read(memory, size);
    return size ? Buffer.from(koffi.decode(memory, 'uint8_t', size)) : Buffer.alloc(0);
  } finally {
    lib.memory_free(memory);
  }
}

function newHandle() {
  const out = [null];
  const status = lib.model_new(out);
  if (status !== 0) throw errorOf(status);
  return out[0];
}

export class Model {
  #state = { handle: null, functions: new Map() };
  #busy = false;
  #thrown = null;
  #progress = null; // of onProgress
  #watch = null; // signal and progress of the call that runs

  constructor() {
    this.#state.handle = newHandle();
    forgotten.register(this, this.#state, this.#state);
    if (new.target === Model) Object.preventExtensions(this); // model.opset = 13 would be without effect: options have setOptions
  }

  /** A new model with what `source` holds; see load. */
  static async open(source, options) {
    const model = new Model();
    try {
      await model.load(source, options);
      return model;
    } catch (e) {
      model.close();
      throw e;
    }
  }

  // ---- life

  close() {
    if (this.#busy) throw new InvalidArgumentError('the model is in use: await the call that is running before the next one', 'INVALID_ARGUMENT');
    forgotten.unregister(this.#state);
    release(this.#state);
    this.#state.handle = null;
  }

  /** Ends the call that runs, also for a callback; later calls are as ever. */
  cancel() {
    if (!this.#state.handle) throw new TypeError('the model is closed');
    lib.cancel(this.#state.handle);
  }

  /** Makes the model as it was made: without what was loaded and chosen, and without functions. */
  reset() {
    this.#call('model_reset');
    for (const key of [...this.#state.functions.keys()]) this.#replace(key, []);
    this.#progress = null;
    return this;
  }

  #open() {
    if (!this.#state.handle) throw new TypeError('the model is closed');
    if (this.#busy) throw new InvalidArgumentError('the model is in use: await the call that is running before the next one', 'INVALID_ARGUMENT');
    return this.#state.handle;
  }

  #done(status) {
    const thrown = this.#thrown;
    this.#thrown = null;
    if (thrown) throw thrown.error;
    if (status !== 0) throw errorOf(status, lib.error(this.#state.handle), this.diagnostics);
    return this;
  }

  /** Runs calls of C; the model is busy for the callbacks in them. */
  #run(work) {
    const handle = this.#open();
    this.#busy = true;
    try {
      return work(handle);
    } finally {
      this.#busy = false;
    }
  }

  #call(name, ...args) {
    return this.#done(this.#run((handle) => lib[name](handle, ...args)));
  }

  /** Functions that return no status: what a callback throws comes out here. */
  #look(work) {
    const found = this.#run(work);
    this.#done(0);
    return found;
  }

  /** Gives functions to the library, or takes them back; they live as long as it has them, whatever the call throws. */
  #give(key, pointers, name, ...args) {
    const status = this.#run((handle) => lib[name](handle, ...args));
    if (status === 0) this.#replace(key, pointers);
    else pointers.forEach((pointer) => koffi.unregister(pointer));
    return this.#done(status);
  }

  /** The same off the main thread; the model is busy until the promise settles. */
  async #later(name, ...args) {
    const handle = this.#open();
    this.#busy = true;
    let status;
    try {
      status = await new Promise((resolve, reject) =>
        lib[name].async(handle, ...args, (error, result) => (error ? reject(error) : resolve(result))),
      );
    } finally {
      this.#busy = false;
    }
    return this.#done(status);
  }

  /** The same, ended by a signal; onProgress hears of it. */
  async #watching(options, name, ...args) {
    const { signal, onProgress = this.#progress } = named(options, 'the options');
    signal?.throwIfAborted();
    this.#open();
    this.#watch = signal || onProgress ? { signal, onProgress } : null;
    // Set or taken back before the call only: one after it would forget the errors that it found.
    const watched = this.#state.functions.has('progress');
    if (this.#watch && !watched) {
      const pointer = this.#function('progress', function (progress) { return this.#watched(progress); }, 1);
      this.#give('progress', [pointer], 'set_progress', pointer, null, null);
    } else if (!this.#watch && watched) {
      this.#give('progress', [], 'set_progress', null, null, null);
    }
    try {
      return await this.#later(name, ...args);
    } finally {
      this.#watch = null;
    }
  }

  #watched(progress) {
    this.#watch?.signal?.throwIfAborted();
    if (!this.#watch?.onProgress) return 0;
    const { phase, done, total, node } = koffi.decode(progress, 'mx2onnx_progress');
    const now = { phase: PHASES[phase] ?? 'other', done: Number(done), total: Number(total), node };
    return flag(settled(this.#watch.onProgress(now), 'onProgress'));
  }

  /** A function for the library. What it throws is kept, and stops the call with `stop`. */
  #function(type, call, stop) {
    const self = new WeakRef(this);
    return koffi.register((...args) => {
      const model = self.deref();
      if (!model || model.#thrown) return stop;
      try {
        return call.call(model, ...args);
      } catch (error) {
        model.#thrown ??= { error };
        return stop;
      }
    }, callbacks[type]);
  }

  #replace(key, pointers) {
    for (const old of this.#state.functions.get(key) ?? []) koffi.unregister(old);
    if (pointers.length) this.#state.functions.set(key, pointers);
    else this.#state.functions.delete(key);
  }

  // ---- load

  async #loadFrom(what, source, options) {
    named(options, 'the options').signal?.throwIfAborted();
    if (typeof source === 'string' || source instanceof URL) {
      return this.#watching(options, what.file, path(source));
    }
    this.#open();
    if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) {
      const [memory, size] = copied(source);
      return this.#watching(options, what.memory, memory, size, memory, memoryFree);
    }
    const size = unsigned(source.size, 'size');
    const read = this.#function(
      'read',
      (offset, buffer, length) => {
        const size = Number(length);
        let done = 0;
        while (done < size) {
          const data = bytesOf(settled(source.read(Number(offset) + done, size - done), 'read'));
          if (!data.byteLength) return 1;
          if (data.byteLength > size - done) throw new RangeError(`read gave ${data.byteLength} bytes of ${size - done}`);
          koffi.encode(buffer, done, 'uint8_t', data, data.byteLength);
          done += data.byteLength;
        }
        return 0;
      },
      1,
    );
    this.#state.functions.set({}, [read]);
    return this.#watching(options, what.callback, size, read, null, null);
  }

  /** A path (symbol file, prefix, folder, archive), bytes of an archive or a symbol, or {size, read(offset, length)}. */
  load(source, options) {
    return this.#loadFrom({ file: 'load', memory: 'load_memory', callback: 'load_callback' }, source, options);
  }

  /** A path, or the JSON as bytes. */
  async loadSymbol(source, options) {
    if (typeof source === 'string' || source instanceof URL) return this.#watching(options, 'load_symbol_file', path(source));
    const bytes = Buffer.from(bytesOf(source));
    return this.#watching(options, 'load_symbol_memory', bytes, bytes.byteLength);
  }

  /** A path, bytes, or {size, read(offset, length)}. */
  loadParams(source, options) {
    const what = { file: 'load_params_file', memory: 'load_params_memory', callback: 'load_params_callback' };
    return this.#loadFrom(what, source, options);
  }

  /** The graph for parameters without a symbol: that of the published net of this name, or of the one that they fit. */
  async loadNet(name = null, options) {
    return this.#watching(options, 'load_net', textOrNull(name, 'a name'));
  }

  /** All published nets that the parameters fit. */
  async identifyNet(options) {
    await this.#watching(options, 'identify_net');
    return this.#list('candidate_count', (handle, i) => ({ name: lib.candidate_name(handle, i), title: lib.candidate_title(handle, i) }));
  }

  /** What was published with the net for its inputs: shapes or normalization. */
  usePublished(what) {
    return this.#call('use_published', chosen(PUBLISHED, what, 'what was published'));
  }

  /** Another catalogue of nets than that in the library: a path, or bytes. */
  async loadCatalogue(source, options) {
    if (typeof source === 'string' || source instanceof URL) return this.#watching(options, 'load_catalogue_file', path(source));
    const bytes = Buffer.from(bytesOf(source));
    return this.#watching(options, 'load_catalogue_memory', bytes, bytes.byteLength);
  }

  get netTitle() {
    return lib.net_title(this.#open());
  }

  get catalogue() {
    return this.#list('catalogue_count', (handle, i) => ({ name: lib.catalogue_name(handle, i), text: lib.catalogue_text(handle, i) }));
  }

  get nets() {
    return this.#list('catalogue_count', (handle, i) => JSON.parse(lib.catalogue_json(handle, i)));
  }

  /** A value for a variable; the data is copied. */
  setParam(name, data, options) {
    this.#open();
    const { dtype = dtypeOf(data), dims = [data.length] } = named(options, 'the options');
    const [number, sizes] = [dtypeNumber(dtype), dimsOf(dims)];
    text(name, 'a name');
    const [memory, size] = copied(data);
    return this.#call('set_param', name, { dtype: number, rank: dims.length, dims: sizes, data: memory, size }, memory, memoryFree);
  }

  /** Takes back what setParam set: the array of a file with this name is used again. */
  removeParam(name) {
    return this.#call('remove_param', text(name, 'a name'));
  }

  // ---- choose

  /** The whole shape, also where a dim had a name before; null takes it back. One that is refused changes nothing. */
  inputShape(input, dims) {
    text(input, 'an input');
    if (dims === null) return this.#call('set_input_shape', input, -1, null, null);
    const [sizes, names] = sizesAndNames(dims);
    return this.#call('set_input_shape', input, names.length, sizes, names);
  }

  inputDimName(input, axis, name) {
    return this.#call('set_input_dim_name', text(input, 'an input'), unsigned(axis, 'axis'), textOrNull(name, 'a name'));
  }

  inputDtype(input, dtype) {
    return this.#call('set_input_dtype', text(input, 'an input'), dtype === null ? -1 : dtypeNumber(dtype));
  }

  inputChannelsLast(input, on = true) {
    return this.#call('set_input_channels_last', text(input, 'an input'), flag(on));
  }

  inputChannelsReversed(input, on = true) {
    return this.#call('set_input_channels_reversed', text(input, 'an input'), flag(on));
  }

  inputMean(input, values) {
    return this.#call('set_input_mean', text(input, 'an input'), values.length, doubles(values));
  }

  inputScale(input, values) {
    return this.#call('set_input_scale', text(input, 'an input'), values.length, doubles(values));
  }

  /** What was set for an input: {shape, dtype}; null for what was not. A dim is a number, a name, or null if it is open. */
  chosen(input) {
    const handle = this.#open();
    text(input, 'an input');
    const rank = [0];
    const found = lib.get_input_shape(handle, input, rank);
    const sizes = rank[0] > 0 ? Array.from(koffi.decode(found, 'int64_t', rank[0]), Number) : [];
    const dim = (size, axis) => lib.get_input_dim_name(handle, input, axis) ?? (size < 0 ? null : size);
    return { shape: rank[0] < 0 ? null : sizes.map(dim), dtype: dtypeName(lib.get_input_dtype(handle, input)) };
  }

  /** The name that rename() set for `from`; null if it set none. */
  chosenName(from) {
    return lib.get_rename(this.#open(), text(from, 'a name')) ?? null;
  }

  /** What was set for an input: {channelsLast, channelsReversed, mean, scale}. */
  preprocessing(input) {
    const handle = this.#open();
    text(input, 'an input');
    const values = (name) => {
      const n = [0];
      const found = lib[name](handle, input, n);
      return found ? Array.from(koffi.decode(found, 'double', Number(n[0]))) : [];
    };
    return {
      channelsLast: lib.get_input_channels_last(handle, input) !== 0,
      channelsReversed: lib.get_input_channels_reversed(handle, input) !== 0,
      mean: values('get_input_mean'),
      scale: values('get_input_scale'),
    };
  }

  /** The version with which the ONNX model imports a domain other than ONNX's own; 0 takes it back to 1. */
  setDomainVersion(domain, version) {
    return this.#call('set_domain_version', text(domain, 'a domain'), int32(version, 'a version'));
  }

  domainVersion(domain) {
    return lib.get_domain_version(this.#open(), text(domain, 'a domain'));
  }

  /** An entry of the ONNX model's metadata_props; null removes it. */
  setMetadata(key, value) {
    return this.#call('set_metadata', text(key, 'a key'), value === null ? null : text(value, 'a value'));
  }

  clearMetadata() {
    return this.#call('set_metadata', null, null);
  }

  /** The entries that were set, a Map sorted by key. */
  get metadata() {
    return new Map(
      this.#list('metadata_count', (handle, i) => {
        const key = lib.metadata_key(handle, i);
        return [key, lib.get_metadata(handle, key)];
      }),
    );
  }

  addOutput(name) {
    return this.#call('add_output', text(name, 'a name'));
  }

  /** The outputs of the file again. */
  clearOutputs() {
    return this.#call('clear_outputs');
  }

  /** `from` is the name in the MXNet file; null takes the new name back. */
  rename(from, to) {
    return this.#call('rename', text(from, 'a name'), to === null ? null : text(to, 'a name'));
  }

  /** Are the files that an ONNX model names there, long enough and unchanged? The notes say it of each. */
  async checkExternalData(file, options) {
    return this.#watching(options, 'check_external_data', path(file));
  }

  /** With float16: a node, or all nodes of an operator; 'float32', 'float16', or null: as the library decides. */
  setNodePrecision(name, precision) {
    if (!PRECISIONS.includes(precision)) throw new TypeError(`a precision is float32, float16 or null, not ${String(precision)}`);
    return this.#call('set_node_precision', text(name, 'a name'), PRECISIONS.indexOf(precision));
  }

  nodePrecision(name) {
    return PRECISIONS[lib.get_node_precision(this.#open(), text(name, 'a name'))] ?? null;
  }

  /** Choices by name, { opset: 17, float16: 'inside' }; null is the default. */
  setOptions(values) {
    this.#open();
    setOptions(values, {
      number: (code, value) => this.#call('set_option', code, value),
      reset: (code) => this.#call('reset_option', code),
      text: (code, value) => this.#call('set_text', code, value),
    });
    return this;
  }

  get options() {
    const handle = this.#open();
    return optionsOf((code) => lib.get_option(handle, code), (code) => lib.get_text(handle, code));
  }

  /** fn(severity, message) for lines of the severity `least` and graver, or null. */
  onLog(fn, options) {
    this.#open();
    const { least = 'note' } = named(options, 'the options');
    if (!SEVERITIES.includes(least)) throw new TypeError(`least is one of ${SEVERITIES.join(', ')}, not ${String(least)}`);
    const call = (entry) => {
      const { severity, message } = koffi.decode(entry, 'mx2onnx_log_entry');
      settled(fn(SEVERITIES[severity] ?? 'debug', words(message)), 'onLog');
    };
    const pointers = fn ? [this.#function('log', call, undefined)] : [];
    return this.#give('log', pointers, 'set_log', SEVERITIES.indexOf(least), pointers[0] ?? null, null, null);
  }

  /** fn({phase, done, total, node}) in calls that give a promise; true stops one. null for none. */
  onProgress(fn) {
    this.#open();
    this.#progress = fn ?? undefined;
    return this;
  }

  /** handler {infer(node), lower(node)}, or null; null for the name, too, takes all handlers back. */
  customOperator(name, handler, options) {
    this.#open();
    const { outputs = 1, overrides = false } = named(options, 'the options');
    if (name === null && handler === null) {
      this.#call('set_custom_operator', null, null, null, null);
      for (const key of [...this.#state.functions.keys()]) if (String(key).startsWith('operator ')) this.#replace(key, []);
      return this;
    }
    const key = `operator ${text(name, 'a name')}`;
    if (handler === null) return this.#give(key, [], 'set_custom_operator', name, null, null, null);
    named(handler, 'the handler');
    const counts = typeof outputs === 'function';
    const fixed = counts ? 0 : unsigned(outputs, 'outputs');
    const infer = this.#function('custom', running(inferring(handler)), UNSUPPORTED);
    const lower = handler.lower ? this.#function('custom', running(lowering(handler)), UNSUPPORTED) : null;
    const count = counts ? this.#function('outputs', countingOf(counting(outputs)), 0) : null;
    const struct_size = koffi.sizeof('mx2onnx_handler');
    const given = { struct_size, output_count: fixed, infer, lower, count_outputs: count, overrides: flag(overrides) };
    return this.#give(key, [infer, lower, count].filter(Boolean), 'set_custom_operator', name, given, null, null);
  }

  _node(pointer) {
    return new Node(pointer, { lib, dtypeName, dtypeNumber, readBytes, message: () => words(lib.error(this.#state.handle)) });
  }

  /** Runs a handler on a node. */
  _handle(pointer, run) {
    const node = this._node(pointer);
    try {
      run(node);
      return 0;
    } catch (e) {
      if (e instanceof Refused) return UNSUPPORTED;
      if (e instanceof NodeError) return e.code;
      throw e;
    } finally {
      node._close();
    }
  }

  // ---- look

  infer(options) {
    return this.#watching(options, 'infer');
  }

  /** Inputs or outputs, by C's functions for them. */
  #values(count, name, dtype, rank, dim, dimName) {
    return this.#list(count, (handle, i) => {
      const n = lib[rank](handle, i);
      const dims = Array.from({ length: Math.max(0, n) }, (_, axis) => {
        const size = Number(lib[dim](handle, i, axis));
        return size >= 0 ? size : lib[dimName](handle, i, axis);
      });
      return { name: lib[name](handle, i), dtype: dtypeName(lib[dtype](handle, i)), dims: n < 0 ? null : dims };
    });
  }

  get inputs() {
    return this.#values('input_count', 'input_name', 'input_dtype', 'input_rank', 'input_dim', 'input_dim_name');
  }

  get outputs() {
    return this.#values('output_count', 'output_name', 'output_dtype', 'output_rank', 'output_dim', 'output_dim_name');
  }

  #list(count, get) {
    return this.#look((handle) => Array.from({ length: Number(lib[count](handle)) }, (_, i) => get(handle, i)));
  }

  get variables() {
    return this.#list('variable_count', (handle, i) => ({ name: lib.variable_name(handle, i), kind: VARIABLES[lib.variable_kind(handle, i)] ?? 'other' }));
  }

  get params() {
    return this.#list('param_count', (handle, i) => {
      const rank = lib.param_rank(handle, i);
      const dims = rank > 0 ? Array.from(koffi.decode(lib.param_dims(handle, i), 'int64_t', rank), Number) : [];
      return {
        name: lib.param_name(handle, i),
        dtype: dtypeName(lib.param_dtype(handle, i)),
        dims,
        byteLength: Number(lib.param_size(handle, i)),
        used: lib.param_used(handle, i) !== 0,
        bytes: (piece) => {
          const { offset = 0, size } = named(piece, 'the part');
          const whole = Number(lib.param_size(this.#open(), i));
          const [from, count] = part(offset, size ?? Math.max(0, whole - Number(offset)), whole);
          return readBytes(count, (memory) => this.#call('param_read', i, from, memory, count));
        },
      };
    });
  }

  get operators() {
    return this.#list('operator_count', (handle, i) => ({
      name: lib.operator_name(handle, i),
      uses: Number(lib.operator_node_count(handle, i)),
      supported: lib.operator_supported(handle, i) !== 0,
    }));
  }

  // ---- export

  /** Writes a file: whole, or the target is untouched. */
  async export(file, options) {
    await this.#watching(options, 'export_file', path(file));
  }

  /** The ONNX model as a Buffer. */
  async exportBytes(options) {
    const data = [null];
    const size = [0];
    await this.#watching(options, 'export_memory', data, size);
    try {
      return Buffer.from(koffi.decode(data[0], 'uint8_t', Number(size[0])));
    } finally {
      lib.memory_free(data[0]);
    }
  }

  /** Calls write(bytes) in order, a function or a method; or writes to a stream as it takes the bytes. */
  async exportTo(target, options) {
    this.#open();
    const stream = typeof target?.on === 'function' ? new Waiting(target) : null;
    const put = typeof target === 'function' ? target : (bytes) => (stream ?? target).write(bytes);
    const write = (data, size) => {
      settled(put(Buffer.from(koffi.decode(data, 'uint8_t', Number(size)))), 'write');
      return 0;
    };
    const pointer = this.#function('write', write, 1);
    try {
      await this.#watching(options, 'export_callback', pointer, null, null);
      await stream?.end(options?.signal);
    } finally {
      koffi.unregister(pointer);
      stream?.close();
    }
  }

  // ---- report

  get diagnostics() {
    const handle = this.#open();
    const found = [];
    for (let i = 0; i < Number(lib.diagnostic_count(handle)); i++) {
      const d = { struct_size: koffi.sizeof('mx2onnx_diagnostic') };
      if (lib.diagnostic_get(handle, i, d) !== 0) continue;
      found.push({
        severity: SEVERITIES[d.severity] ?? 'debug',
        status: lib.status_name(d.status),
        node: d.node,
        op: d.op,
        attribute: d.attribute,
        name: d.name,
        message: words(d.message),
        advice: words(d.advice),
      });
    }
    return found;
  }

  /** Of the last export. */
  get written() {
    const handle = this.#open();
    return {
      opset: lib.written_opset(handle),
      nodes: Number(lib.written_node_count(handle)),
      bytes: Number(lib.written_size(handle)),
      files: Array.from({ length: Number(lib.written_file_count(handle)) }, (_, i) => lib.written_file_name(handle, i)),
    };
  }

  get report() {
    const out = [null];
    const status = this.#look((handle) => lib.report_json(handle, out));
    if (status !== 0) throw errorOf(status); // the report holds the diagnostics, so this status is not among them
    return JSON.parse(out[0]);
  }

  async #graph(name, which, options) {
    const out = [null];
    await this.#watching(options, name, chosen(GRAPHS, which, 'a graph'), out);
    return out[0];
  }

  async graph(which = 'onnx', options) {
    return JSON.parse(await this.#graph('graph_json', which, options));
  }

  async graphText(which = 'onnx', options) {
    return this.#graph('graph_text', which, options);
  }
}

// Outside of the class: a function that the library has must not hold the model, or that would never be collected.
const running = (run) => function (pointer) {
  return this._handle(pointer, run);
};
const countingOf = (count) => function (pointer) {
  const node = this._node(pointer);
  try {
    return count(node);
  } finally {
    node._close();
  }
};

for (const name of ['dispose', 'asyncDispose']) {
  const symbol = Symbol[name] ?? Symbol.for(`nodejs.${name}`);
  Object.defineProperty(Model.prototype, symbol, {
    value: name === 'dispose' ? function () { this.close(); } : async function () { this.close(); },
  });
}
