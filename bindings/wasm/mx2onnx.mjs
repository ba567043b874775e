// SPDX-License-Identifier: Apache-2.0
// Converts MXNet models to ONNX: libmx2onnx as WebAssembly. mx2onnx.d.ts says what there is.
import { errorNamed } from "./errors.js";
import { bytesOf as bytesOnly, dimsOf, doubles, flag, int32, int64, named, settled, sizesAndNames, text, textOrNull, unsigned } from "./arguments.js";
import { optionsOf, setOptions } from "./options.js";
import { Node, NodeError, Refused, counting, dtypeOf, inferring, lowering, part } from "./node.js";
import createCore from "./mx2onnx-core.mjs";

export {
  Mx2onnxError, InvalidArgumentError, OutOfMemoryError, FileError, NotFoundError, FormatError, UnsupportedError, ShapeError,
  MissingParameterError, TooLargeError, CancelledError, InternalError,
} from "./errors.js";
export { float } from "./node.js";

const STATUS = ["OK", "INVALID_ARGUMENT", "OUT_OF_MEMORY", "IO", "NOT_FOUND", "FORMAT", "UNSUPPORTED", "SHAPE",
  "MISSING_PARAMETER", "TOO_LARGE", "CANCELLED", "INTERNAL"]; // by -status
const SEVERITY = ["error", "warning", "note", "debug"];
const PUBLISHED = ["shapes", "normalization"];
const GRAPHS = ["mxnet", "onnx"];
const UNSUPPORTED = -6;
const LEAST_INT = -(2 ** 31), MOST_SIZE = 2 ** 32 - 1; // of C's types here
const TEXT_RESULTS = new Set(["status_name", "node_name", "node_operator", "node_domain", "node_attribute", "node_attribute_key",
  "node_attribute_value", "node_input_name", "get_text", "get_metadata"]);
const LONG = { node_input_read: 2 }; // the argument that is an int64_t
const PHASES = "other load infer lower write".split(" ");
const VARIABLES = ["input", "weight", "unused"];
const PRECISIONS = [null, "float32", "float16"];
const DIAGNOSTIC_BYTES = 9 * 4; // of mx2onnx_diagnostic: its size, severity, status, then texts
const TEXTS = ["node", "op", "attribute", "name", "message", "advice"];

// ---- the module, with the functions that it may call back

class Core {
  constructor(module) {
    this.m = module;
    this.users = new Map(); // what a callback's `user` stands for
    this.next = 1;
    this.release = module.addFunction((user) => this.users.delete(user), "vi");
    this.free = module.addFunction((data) => this.f("memory_free", data), "vi");
    this.read = module.addFunction((offset, buffer, size, user) => this.guard(user, (u) => {
      const bytes = bytesOnly(settled(u.call(Number(offset), size >>> 0), "read"));
      if (bytes.length !== size >>> 0) {
        throw new RangeError(`read gave ${bytes.length} bytes of ${size >>> 0}`);
      }
      module.HEAPU8.set(bytes, buffer >>> 0);
    }), "ijiii");
    this.write = module.addFunction((data, size, user) => this.guard(user, (u) => {
      settled(u.call(module.HEAPU8.slice(data >>> 0, (data >>> 0) + (size >>> 0))), "write");
    }), "iiii");
    // What a structure of C has at these bytes.
    const view = () => new DataView(module.HEAPU8.buffer);
    this.progress = module.addFunction((progress, user) => this.guard(user, (u) => {
      const at = progress >>> 0, v = view();
      const now = { phase: PHASES[v.getInt32(at + 4, true)] ?? "other", node: this.text(v.getUint32(at + 8, true)),
        done: Number(v.getBigUint64(at + 16, true)), total: Number(v.getBigUint64(at + 24, true)) };
      u.model.stopped = Boolean(settled(u.call(now), "onProgress"));
      return u.model.stopped ? 1 : 0;
    }), "iii");
    this.count = module.addFunction((node, user) => this.guard(user, (u) =>
      Number(this.withNode(node >>> 0, u.model, u.call.count)), 0), "iii");
    const handle = (what) => module.addFunction((node, user) => this.guard(user, (u) => this.handle(node >>> 0, u, what), UNSUPPORTED), "iii");
    this.infer = handle("infer");
    this.lower = handle("lower");
    // The functions of a node for node.js: texts and arrays are handed over for the call, Int32Arrays come back.
    this.lib = new Proxy({}, { get: (_, name) => (...values) => this.call(name, values) });
    this.log = module.addFunction((entry, user) => {
      this.guard(user, (u) => {
        const at = entry >>> 0, v = view();
        settled(u.call(SEVERITY[v.getInt32(at + 4, true)] ?? "debug", this.text(v.getUint32(at + 8, true))), "onLog");
      });
    }, "vii");
  }

  /** mx2onnx_NAME. */
  f(name, ...rest) {
    return this.m["_mx2onnx_" + name](...rest);
  }

  // An exception must not cross the library: it is kept, and thrown when the call is back. After one no function is called.
  guard(user, run, stop = 1) {
    const u = this.users.get(user);
    if (u.model.thrown) {
      return stop;
    }
    u.model.inside++;
    try {
      return run(u) ?? 0;
    } catch (error) {
      u.model.thrown ??= { error }; // else it was a reader's, in a handler
      return stop;
    } finally {
      u.model.inside--;
    }
  }

  user(model, call) {
    const id = this.next++;
    this.users.set(id, { model, call });
    return id;
  }

  /** mx2onnx_NAME with texts and arrays. */
  call(name, values) {
    const s = new Scratch(this.m), out = [];
    try {
      const plain = (value, i) => {
        if (typeof value === "string") {
          return s.text(value);
        }
        if (value && Object.getPrototypeOf(value) === Object.prototype) { // a structure, whose members take four bytes each
          const members = Object.values(value).map(plain);
          return s.numbers(Uint32Array.of(4 * (members.length + 1), ...members));
        }
        if (ArrayBuffer.isView(value)) {
          const p = s.bytes(value.byteLength);
          this.m.HEAPU8.set(bytesOnly(value), p);
          value instanceof Int32Array && out.push([value, p]);
          return p;
        }
        if (LONG[name] === i) {
          return BigInt(value);
        }
        const number = Number(value ?? 0);
        if (number < LEAST_INT || number > MOST_SIZE) {
          throw new RangeError(`a number must be from ${LEAST_INT} to ${MOST_SIZE}, not ${value}`);
        }
        return number;
      };
      const result = this.f(name, ...values.map(plain));
      out.forEach(([array, p]) => bytesOnly(array).set(this.m.HEAPU8.subarray(p, p + array.byteLength)));
      return !TEXT_RESULTS.has(name) ? result : result ? this.text(result) : null;
    } finally {
      s.free();
    }
  }

  withNode(pointer, model, run) {
    const node = new Node(pointer, {
      lib: this.lib,
      dtypeName: (number) => (number < 0 ? null : this.dtype(number)),
      dtypeNumber: (name) => this.dtypeNumber(name),
      readBytes: (size, read) => this.readBytes(size, read),
      message: () => model.errorText(),
    });
    try {
      return run(node);
    } finally {
      node._close();
    }
  }

  handle(pointer, user, what) {
    try {
      this.withNode(pointer, user.model, user.call[what]);
      return 0;
    } catch (error) {
      if (error instanceof Refused) {
        return UNSUPPORTED;
      }
      if (error instanceof NodeError) {
        return error.code;
      }
      throw error;
    }
  }

  dtypeNumber(name) {
    const number = this.call("dtype_from_name", [text(name, "an element type")]);
    if (number < 0) {
      throw new TypeError(`'${name}' is not an element type; use one of MXNet's, such as float32 or int64`);
    }
    return number;
  }

  readBytes(size, read) {
    const s = new Scratch(this.m);
    try {
      const p = s.bytes(size);
      read(p, size);
      return this.m.HEAPU8.slice(p, p + size);
    } finally {
      s.free();
    }
  }

  dtype(number) {
    return this.text(this.f("dtype_name", number));
  }

  text(pointer) {
    return pointer ? this.m.UTF8ToString(pointer >>> 0) : "";
  }
}

// What is handed over for one call.
class Scratch {
  constructor(module) {
    this.m = module;
    this.blocks = [];
  }

  bytes(size) {
    const p = this.m._malloc(size || 1) >>> 0;
    if (!p) {
      throw errorNamed("OUT_OF_MEMORY", "out of memory", []);
    }
    this.blocks.push(p);
    return p;
  }

  text(string) {
    if (textOrNull(string, "a text") === null) {
      return 0;
    }
    const size = this.m.lengthBytesUTF8(string) + 1, p = this.bytes(size);
    this.m.stringToUTF8(string, p, size);
    return p;
  }

  numbers(values) {
    const p = this.bytes(values.byteLength);
    this.m.HEAPU8.set(new Uint8Array(values.buffer), p);
    return p;
  }

  free() {
    this.blocks.forEach((p) => this.m._free(p));
  }
}

/** A number for C's size_t. */
const within = (value, what) => {
  if (unsigned(value, what) > MOST_SIZE) {
    throw new RangeError(`${what} must be ${MOST_SIZE} at most, not ${value}`);
  }
  return value;
};

const bytesOf = (data) => (typeof data === "string" ? new TextEncoder().encode(data) : bytesOnly(data));

const READ_AHEAD = { least: 1 << 16, most: 4 << 20, gap: 1 << 12 }; // bytes; what is read in order is read in larger pieces

/** Frees a buffer now and leaves it without bytes: a message to a closed port is deleted. The collector would run after some hundred MB. */
export function discard(buffer) {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.postMessage(null, [buffer]);
  port1.close();
}

/** In a worker, a Blob is read piece by piece, so that it is never in memory as a whole. */
export function blobReader(blob) {
  const reader = new globalThis.FileReaderSync();
  let start = 0, held = new Uint8Array(), ahead = READ_AHEAD.least;
  const read = (offset, size) => {
    const end = start + held.length;
    if (offset < start || offset + size > end) {
      const inOrder = offset >= start && offset <= end + READ_AHEAD.gap;
      ahead = inOrder ? Math.min(2 * ahead, READ_AHEAD.most) : READ_AHEAD.least;
      start = offset;
      discard(held.buffer);
      held = new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, Math.min(blob.size, offset + Math.max(size, ahead)))));
    }
    return held.subarray(offset - start, offset - start + size);
  };
  return { size: blob.size, read };
}

const isReader = (data) => data !== null && typeof data === "object" && typeof data.read === "function";

// ---- a model

class Model {
  #core;
  #m;
  #model;

  constructor(core) {
    this.#core = core;
    this.#m = core.m;
    this.thrown = null;
    this.stopped = false; // by the progress function
    this.inside = 0; // callbacks that are running
    this.#model = this.#new();
  }

  #new() {
    return this.#with((s) => {
      const out = s.bytes(4), status = this.#f("model_new", out);
      if (status !== 0) {
        throw errorNamed(STATUS[-status], "out of memory", []);
      }
      return this.#m.HEAPU32[out >>> 2];
    });
  }

  #f(name, ...rest) {
    return this.#core.f(name, ...rest);
  }

  #with(run) {
    const s = new Scratch(this.#m);
    try {
      return run(s);
    } finally {
      s.free();
    }
  }

  // What a callback threw, once the call that led to it is back.
  #rethrow() {
    if (this.inside > 0) {
      return;
    }
    const thrown = this.thrown;
    this.thrown = null;
    this.stopped = false;
    if (thrown) {
      throw thrown.error;
    }
  }

  // Functions that return no status, but may ask the progress function.
  #look(run) {
    const found = run(), stopped = this.inside === 0 && this.stopped;
    this.#rethrow();
    if (stopped) {
      throw errorNamed("CANCELLED", "the progress function stopped the work", []);
    }
    return found;
  }

  #check(status) {
    this.#rethrow();
    if (status !== 0) {
      throw errorNamed(STATUS[-status] ?? "UNKNOWN", this.errorText(), this.diagnostics);
    }
    return this;
  }

  #call(name, ...rest) {
    return this.#with((s) => this.#check(this.#f(name, this.#model,
      ...rest.map((r) => (typeof r === "string" ? s.text(r) : r)))));
  }

  #copy(bytes) {
    const copy = this.#f("memory_new", bytes.length) >>> 0;
    if (!copy) {
      throw errorNamed("OUT_OF_MEMORY", "out of memory", []);
    }
    this.#m.HEAPU8.set(bytes, copy);
    return copy;
  }

  // Bytes are copied into the module's memory, a reader is asked when they are needed.
  #loadFrom(memory, callback, data) {
    if (isReader(data)) {
      const size = BigInt(unsigned(data.size, "size")), user = this.#core.user(this, data.read);
      return this.#call(callback, size, this.#core.read, user, this.#core.release);
    }
    const bytes = bytesOf(data), copy = this.#copy(bytes);
    return this.#call(memory, copy, bytes.length, copy, this.#core.free);
  }

  load(data) {
    return this.#loadFrom("load_memory", "load_callback", data);
  }

  loadParams(data) {
    return this.#loadFrom("load_params_memory", "load_params_callback", data);
  }

  // Bytes that are read during the call only.
  #loadBytes(name, data) {
    const bytes = bytesOf(data);
    return this.#with((s) => {
      const p = s.bytes(bytes.length);
      this.#m.HEAPU8.set(bytes, p);
      return this.#check(this.#f(name, this.#model, p, bytes.length));
    });
  }

  loadSymbol(data) {
    return this.#loadBytes("load_symbol_memory", data);
  }

  /** The whole shape, also where a dim had a name before; null takes it back. One that is refused changes nothing. */
  inputShape(input, dims) {
    text(input, "an input");
    if (dims === null) {
      return this.#call("set_input_shape", input, -1, 0, 0);
    }
    const [sizes, names] = sizesAndNames(dims);
    return this.#with((s) => {
      const texts = s.numbers(Uint32Array.from(names, (d) => s.text(d)));
      return this.#check(this.#f("set_input_shape", this.#model, s.text(input), names.length, s.numbers(sizes), texts));
    });
  }

  /** Makes a dim dynamic under a name; null: fixed again. */
  inputDimName(input, axis, name) {
    return this.#call("set_input_dim_name", text(input, "an input"), Number(within(axis, "axis")), textOrNull(name, "a name") ?? 0);
  }

  inputDtype(input, dtype) {
    return this.#call("set_input_dtype", text(input, "an input"), dtype === null ? -1 : this.#core.dtypeNumber(dtype));
  }

  inputChannelsLast(input, on = true) {
    return this.#call("set_input_channels_last", text(input, "an input"), flag(on));
  }

  inputChannelsReversed(input, on = true) {
    return this.#call("set_input_channels_reversed", text(input, "an input"), flag(on));
  }

  inputMean(input, values) {
    return this.#with((s) => this.#check(this.#f("set_input_mean", this.#model, s.text(text(input, "an input")), values.length,
      s.numbers(doubles(values)))));
  }

  inputScale(input, values) {
    return this.#with((s) => this.#check(this.#f("set_input_scale", this.#model, s.text(text(input, "an input")), values.length,
      s.numbers(doubles(values)))));
  }

  addOutput(name) {
    return this.#call("add_output", text(name, "a name"));
  }

  clearOutputs() {
    return this.#call("clear_outputs");
  }

  rename(from, to) {
    return this.#call("rename", text(from, "a name"), to === null ? 0 : text(to, "a name"));
  }

  /** A value for a variable; the data is copied. */
  setParam(name, data, options) {
    const { dtype = dtypeOf(data), dims = [data.length] } = named(options, "the options");
    const number = this.#core.dtypeNumber(dtype), sizes = dimsOf(dims), bytes = bytesOnly(data);
    text(name, "a name");
    return this.#with((s) => {
      const called = s.text(name), at = s.numbers(sizes), copy = this.#copy(bytes);
      const value = s.numbers(Uint32Array.of(24, number, dims.length, at, copy, bytes.length)); // mx2onnx_array
      return this.#check(this.#f("set_param", this.#model, called, value, copy, this.#core.free));
    });
  }

  /** Takes back what setParam set: the array of a file with this name is used again. */
  removeParam(name) {
    return this.#call("remove_param", text(name, "a name"));
  }

  /** What was set for an input: { shape, dtype }; null for what was not. A dim is a number, a name, or null if it is open. */
  chosen(input) {
    const c = this.#core, rank = new Int32Array(1), at = c.call("get_input_shape", [this.#model, text(input, "an input"), rank]) >>> 0;
    const view = new DataView(this.#m.HEAPU8.buffer), dtype = c.call("get_input_dtype", [this.#model, input]);
    const dim = (_, axis) => {
      const named = c.call("get_input_dim_name", [this.#model, input, axis]), size = Number(view.getBigInt64(at + 8 * axis, true));
      return named ? c.text(named) : size < 0 ? null : size;
    };
    return { shape: rank[0] < 0 ? null : Array.from({ length: rank[0] }, dim), dtype: dtype < 0 ? null : c.text(c.f("dtype_name", dtype)) };
  }

  /** The name that rename() set for `from`; null if it set none. */
  chosenName(from) {
    return this.#core.text(this.#core.call("get_rename", [this.#model, text(from, "a name")])) || null;
  }

  /** What was set for an input: { channelsLast, channelsReversed, mean, scale }. */
  preprocessing(input) {
    const c = this.#core, ask = (name) => c.call(name, [this.#model, text(input, "an input")]) !== 0;
    const values = (name) => {
      const n = new Int32Array(1), p = c.call(name, [this.#model, text(input, "an input"), n]) >>> 0;
      const view = new DataView(this.#m.HEAPU8.buffer);
      return Array.from({ length: n[0] }, (_, i) => view.getFloat64(p + 8 * i, true));
    };
    return { channelsLast: ask("get_input_channels_last"), channelsReversed: ask("get_input_channels_reversed"),
      mean: values("get_input_mean"), scale: values("get_input_scale") };
  }

  /** The version with which the ONNX model imports a domain other than ONNX's own; 0 takes it back to 1. */
  setDomainVersion(domain, version) {
    return this.#call("set_domain_version", text(domain, "a domain"), Number(int32(version, "a version")));
  }

  domainVersion(domain) {
    return this.#core.call("get_domain_version", [this.#model, text(domain, "a domain")]);
  }

  /** An entry of the ONNX model's metadata_props; null removes it. */
  setMetadata(key, value) {
    return this.#call("set_metadata", text(key, "a key"), value === null ? 0 : text(value, "a value"));
  }

  clearMetadata() {
    return this.#call("set_metadata", 0, 0);
  }

  /** The entries that were set, a Map sorted by key. */
  get metadata() {
    const keys = this.#names("metadata_count", "metadata_key");
    return new Map(keys.map((key) => [key, this.#core.call("get_metadata", [this.#model, key])]));
  }

  /** The graph for parameters without a symbol: that of the published net of this name, or of the one that they fit. */
  loadNet(name = null) {
    return this.#call("load_net", textOrNull(name, "a name"));
  }

  identifyNet() {
    this.#call("identify_net");
    return this.#names("candidate_count", "candidate_name").map((name, i) => ({
      name, title: this.#core.text(this.#f("candidate_title", this.#model, i)) }));
  }

  /** Another catalogue of nets than that in the library: the bytes of its file. */
  loadCatalogue(data) {
    return this.#loadBytes("load_catalogue_memory", data);
  }

  usePublished(what) {
    return this.#call("use_published", PUBLISHED.indexOf(what));
  }

  get netTitle() {
    return this.#core.text(this.#f("net_title", this.#model)) || null;
  }

  get catalogue() {
    return this.#names("catalogue_count", "catalogue_name").map((name, i) => ({
      name, text: this.#core.text(this.#f("catalogue_text", this.#model, i)) }));
  }

  get nets() {
    return this.#names("catalogue_count", "catalogue_json").map((text) => JSON.parse(text));
  }

  setNodePrecision(name, precision) {
    if (!PRECISIONS.includes(precision)) {
      throw new TypeError(`a precision is float32, float16 or null, not ${String(precision)}`);
    }
    return this.#call("set_node_precision", text(name, "a name"), PRECISIONS.indexOf(precision));
  }

  nodePrecision(name) {
    return PRECISIONS[this.#core.call("get_node_precision", [this.#model, text(name, "a name")])] ?? null;
  }

  /** A handler {infer(node), lower(node)} for nodes whose operator or op_type is `name`; null takes it back, and null for both all. */
  customOperator(name, handler, options) {
    const { outputs = 1, overrides = false } = named(options, "the options");
    const c = this.#core, counts = typeof outputs === "function", fixed = counts ? 0 : Number(within(outputs, "outputs"));
    if (handler === null) {
      return this.#call("set_custom_operator", name === null ? 0 : text(name, "a name"), 0, 0, 0);
    }
    text(name, "a name");
    named(handler, "the handler");
    const functions = { infer: inferring(handler), lower: handler.lower && lowering(handler), count: counts ? counting(outputs) : null };
    const given = Uint32Array.of(24, fixed, flag(overrides), c.infer, handler.lower ? c.lower : 0, counts ? c.count : 0); // mx2onnx_handler
    return this.#with((s) => this.#check(this.#f("set_custom_operator", this.#model, s.text(name), s.numbers(given),
      c.user(this, functions), c.release)));
  }

  errorText() {
    return this.#core.text(this.#f("error", this.#model));
  }

  onProgress(call) {
    const c = this.#core;
    return call ? this.#call("set_progress", c.progress, c.user(this, call), c.release)
      : this.#call("set_progress", 0, 0, 0);
  }

  /** Choices by name, { opset: 17, float16: "inside" }; null is the default. */
  setOptions(values) {
    setOptions(values, {
      number: (code, value) => this.#call("set_option", code, value),
      reset: (code) => this.#call("reset_option", code),
      text: (code, value) => this.#call("set_text", code, value),
    });
    return this;
  }

  get options() {
    return optionsOf((code) => this.#f("get_option", this.#model, code), (code) => this.#core.call("get_text", [this.#model, code]));
  }

  onLog(call, options) {
    const { least = "note" } = named(options, "the options");
    const c = this.#core, severity = SEVERITY.indexOf(least);
    if (severity < 0) {
      throw new TypeError(`least is one of ${SEVERITY.join(", ")}, not ${String(least)}`);
    }
    return call ? this.#call("set_log", severity, c.log, c.user(this, call), c.release) : this.#call("set_log", severity, 0, 0, 0);
  }

  infer() {
    return this.#call("infer");
  }

  get inputs() {
    return this.#values("input_count", "input_name", "input_dtype", "input_rank", "input_dim", "input_dim_name");
  }

  get outputs() {
    return this.#values("output_count", "output_name", "output_dtype", "output_rank", "output_dim", "output_dim_name");
  }

  #names(count, name) {
    return this.#look(() =>
      Array.from({ length: this.#f(count, this.#model) }, (_, i) => this.#core.text(this.#f(name, this.#model, i))));
  }

  // Inputs or outputs, by C's functions for them.
  #values(count, name, dtype, rank, dim, dimName) {
    return this.#names(count, name).map((called, i) => {
      const n = this.#f(rank, this.#model, i);
      const dims = n < 0 ? null : Array.from({ length: n }, (_, axis) => {
        const size = Number(this.#f(dim, this.#model, i, axis));
        return size >= 0 ? size : this.#core.text(this.#f(dimName, this.#model, i, axis)) || null;
      });
      const kind = this.#f(dtype, this.#model, i);
      return { name: called, dtype: kind < 0 ? null : this.#core.dtype(kind), dims };
    });
  }

  get params() {
    const view = () => new DataView(this.#m.HEAPU8.buffer);
    const params = () => this.#names("param_count", "param_name").map((name, i) => {
      const rank = this.#f("param_rank", this.#model, i), at = this.#f("param_dims", this.#model, i) >>> 0;
      return {
        name,
        dtype: this.#core.dtype(this.#f("param_dtype", this.#model, i)),
        dims: Array.from({ length: rank }, (_, axis) => Number(view().getBigInt64(at + 8 * axis, true))),
        byteLength: Number(this.#f("param_size", this.#model, i)),
        used: this.#f("param_used", this.#model, i) !== 0,
        bytes: (piece) => {
          const { offset = 0, size } = named(piece, "the part");
          const whole = Number(this.#f("param_size", this.#model, i));
          const [from, count] = part(offset, size ?? Math.max(0, whole - Number(offset)), whole);
          return this.#core.readBytes(count, (p) => this.#check(this.#f("param_read", this.#model, i, BigInt(from), p, count)));
        },
      };
    });
    return this.#look(params);
  }

  get operators() {
    return this.#names("operator_count", "operator_name").map((name, i) => ({
      name,
      uses: this.#f("operator_node_count", this.#model, i),
      supported: this.#f("operator_supported", this.#model, i) !== 0,
    }));
  }

  get variables() {
    return this.#names("variable_count", "variable_name").map((name, i) => ({
      name, kind: VARIABLES[this.#f("variable_kind", this.#model, i)] ?? "other" }));
  }

  #graph(name, which) {
    if (!GRAPHS.includes(which)) {
      throw new TypeError(`a graph is one of ${GRAPHS.join(", ")}, not ${which}`);
    }
    return this.#with((s) => {
      const out = s.bytes(4);
      this.#check(this.#f(name, this.#model, GRAPHS.indexOf(which), out));
      return this.#core.text(this.#m.HEAPU32[out >>> 2]);
    });
  }

  graph(which = "onnx") {
    return JSON.parse(this.#graph("graph_json", which));
  }

  graphText(which = "onnx") {
    return this.#graph("graph_text", which);
  }

  get written() {
    return {
      opset: this.#f("written_opset", this.#model),
      nodes: this.#f("written_node_count", this.#model),
      bytes: Number(this.#f("written_size", this.#model)),
      files: Array.from({ length: this.#f("written_file_count", this.#model) }, (_, i) =>
        this.#core.text(this.#f("written_file_name", this.#model, i))),
    };
  }

  exportBytes() {
    return this.#with((s) => {
      const out = s.bytes(8);
      this.#check(this.#f("export_memory", this.#model, out, out + 4));
      const data = this.#m.HEAPU32[out >>> 2], size = this.#m.HEAPU32[(out + 4) >>> 2];
      const copy = this.#m.HEAPU8.slice(data, data + size);
      this.#f("memory_free", data);
      return copy;
    });
  }

  exportTo(write) {
    return this.#call("export_callback", this.#core.write, this.#core.user(this, write), this.#core.release);
  }

  get diagnostics() {
    return this.#with((s) => {
      const p = s.bytes(DIAGNOSTIC_BYTES), word = p >>> 2, found = [];
      const count = this.#f("diagnostic_count", this.#model);
      for (let i = 0; i < count; i++) {
        this.#m.HEAPU32[word] = DIAGNOSTIC_BYTES;
        if (this.#f("diagnostic_get", this.#model, i, p) === 0) {
          const [severity, status, ...texts] = this.#m.HEAP32.slice(word + 1, word + 9);
          found.push({ severity: SEVERITY[severity] ?? "debug", status: STATUS[-status] ?? "UNKNOWN",
            ...Object.fromEntries(TEXTS.map((name, k) => [name, this.#core.text(texts[k])])) });
        }
      }
      return found;
    });
  }

  get report() {
    return this.#with((s) => {
      const out = s.bytes(4), status = this.#look(() => this.#f("report_json", this.#model, out));
      if (status !== 0) { // the report holds the diagnostics, so this status is not among them
        throw errorNamed(STATUS[-status] ?? "UNKNOWN", this.#core.text(this.#f("status_text", status)), []);
      }
      return JSON.parse(this.#core.text(this.#m.HEAPU32[out >>> 2]));
    });
  }

  /** For a callback: ends the call that runs. */
  cancel() {
    this.#f("cancel", this.#model);
  }

  /** Makes the model as it was made: without what was loaded and chosen, and without functions. */
  reset() {
    return this.#call("model_reset");
  }

  close() {
    if (this.inside > 0) {
      throw errorNamed("INVALID_ARGUMENT", "the model is in use: one of its own callbacks cannot call it; call it after the callback has returned", []);
    }
    this.#f("model_free", this.#model);
    this.#model = 0;
  }
}

// ---- the library

class Library {
  #core;

  constructor(core) {
    this.#core = core;
  }

  get version() {
    return this.#core.text(this.#core.f("version"));
  }

  model() {
    return new Model(this.#core);
  }

  /** The opsets that are written: { oldest, newest, default }. */
  get opsets() {
    const c = this.#core;
    return { oldest: c.f("opset_min"), newest: c.f("opset_max"), default: c.f("opset_default") };
  }

  /** What can be converted. */
  knownOperators() {
    const c = this.#core;
    return Array.from({ length: c.f("known_operator_count") }, (_, i) => ({
      name: c.text(c.f("known_operator_name", i)),
      aliases: c.text(c.f("known_operator_aliases", i)).split(" ").filter(Boolean),
      opset: c.f("known_operator_opset", i),
      status: c.text(c.f("known_operator_status", i)),
      refuses: c.text(c.f("known_operator_refuses", i)).split("\n").filter(Boolean),
      differs: c.text(c.f("known_operator_differs", i)).split("\n").filter(Boolean),
    }));
  }

  /** Programs that a model can be written for, by setTarget. */
  targets() {
    const c = this.#core;
    return Array.from({ length: c.f("target_count") }, (_, i) => ({
      name: c.text(c.f("target_name", i)), text: c.text(c.f("target_text", i)) }));
  }

  /** A model in one call; the result is { onnx, diagnostics }. */
  convert({ model, symbol, params = [], inputs = {}, outputs = [], options = {}, onProgress = null }) {
    const m = this.model();
    try {
      if (model !== undefined) {
        m.load(model);
      } else {
        m.loadSymbol(symbol);
      }
      (Array.isArray(params) ? params : [params]).forEach((p) => m.loadParams(p));
      for (const [name, input] of Object.entries(inputs)) {
        const { dims, dtype } = Array.isArray(input) ? { dims: input } : input;
        dims === undefined || m.inputShape(name, dims);
        dtype === undefined || m.inputDtype(name, dtype);
      }
      outputs.forEach((name) => m.addOutput(name));
      m.setOptions(options).onProgress(onProgress);
      const onnx = m.exportBytes();
      return { onnx, diagnostics: m.diagnostics };
    } finally {
      m.close();
    }
  }
}

/** Loads the module: from the folder of this file, or from `wasm` (its bytes, or where it is). */
export default async function mx2onnx({ wasm } = {}) {
  const options = {};
  if (typeof wasm === "string" || wasm instanceof URL) {
    options.locateFile = () => String(wasm);
  } else if (wasm) {
    options.wasmBinary = bytesOf(wasm);
  } else if (typeof process === "object" && process.versions?.node) {
    const { readFile } = await import("node:fs/promises");
    options.wasmBinary = await readFile(new URL("mx2onnx-core.wasm", import.meta.url));
  }
  return new Library(new Core(await createCore(options)));
}
