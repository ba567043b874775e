// SPDX-License-Identifier: Apache-2.0
// A node of MXNet's graph, as a handler of a custom operator sees it. The package for browsers (bindings/wasm) has this file, too: what
// differs is given to the Node, as {lib, dtypeName, dtypeNumber, readBytes, message}.
import { bytesOf, dimsOf, named, settled, text, textOrNull, unsigned } from './arguments.js';

/** Node.fail: the library has the text already. */
export class Refused extends Error {}

/** A call of a node failed; the call that led to the handler says so with all diagnostics. */
export class NodeError extends Error {
  constructor(code, status, message) {
    super(message);
    this.name = 'NodeError';
    this.code = code;
    this.status = status;
  }
}

const MOST_OUTPUTS = 4096; // of a node, for C

const ARRAYS = new Map([
  [Float32Array, 'float32'],
  [Float64Array, 'float64'],
  [Int8Array, 'int8'],
  [Uint8Array, 'uint8'],
  [Uint8ClampedArray, 'uint8'],
  [Int16Array, 'int16'],
  [Uint16Array, 'uint16'],
  [Int32Array, 'int32'],
  [Uint32Array, 'uint32'],
  [BigInt64Array, 'int64'],
  [BigUint64Array, 'uint64'],
]);

/** The element type that a typed array says by itself. */
export function dtypeOf(data) {
  for (const [type, name] of ARRAYS) if (data?.constructor === type) return name;
  throw new TypeError('give a dtype with data of this kind');
}

class Input {
  #node;
  constructor(node, index) {
    const handle = node._open();
    const { lib, dtypeName } = node._of;
    this.#node = node;
    this.index = index;
    this.name = lib.node_input_name(handle, index) ?? '';
    this.dtype = dtypeName(lib.node_input_dtype(handle, index));
    const rank = lib.node_input_rank(handle, index);
    /** null while the rank is unknown; a dim is a size, or {input, axis} where it is dynamic. */
    this.dims =
      rank < 0
        ? null
        : Array.from({ length: rank }, (_, axis) => {
            const size = Number(lib.node_input_dim(handle, index, axis));
            return size < 0 ? { input: index, axis } : size;
          });
    this.storedDtype = dtypeName(lib.node_input_stored_dtype(handle, index));
    this.byteLength = Number(lib.node_input_size(handle, index));
  }

  /** A parameter's contents from `offset` on: dense, row-major, little-endian, of storedDtype. */
  bytes(piece) {
    const { offset = 0, size = Math.max(0, this.byteLength - Number(offset)) } = named(piece, 'the part');
    if (this.storedDtype === null) throw new TypeError(`input '${this.name}' is not a parameter: its value is not known yet`);
    const { lib, readBytes } = this.#node._of;
    const [from, count] = part(offset, size, this.byteLength);
    return readBytes(count, (memory) => this.#node._check(lib.node_input_read(this.#node._open(), this.index, from, memory, count)));
  }

  _value() {
    return this.#node._of.lib.node_input_value(this.#node._open(), this.index);
  }
}

/** Offset and size of what is read of so many bytes. */
export function part(offset, size, whole) {
  const [from, count] = [Number(unsigned(offset, 'offset')), Number(unsigned(size, 'size'))];
  if (from + count > whole) throw new RangeError(`there are ${whole} bytes, and not ${count} from ${from} on`);
  return [from, count];
}

class Result {
  #node;
  constructor(node, number) {
    this.#node = node;
    this.number = number;
  }

  _value() {
    this.#node._open();
    return this.number;
  }
}

export class Node {
  #handle;
  #of;
  constructor(handle, of) {
    this.#handle = handle;
    this.#of = of;
    const { lib } = of;
    this.name = lib.node_name(handle) ?? '';
    this.operator = lib.node_operator(handle) ?? '';
    this.opset = lib.node_opset(handle);
    this.domain = lib.node_domain(handle);
    this.outputCount = Number(lib.node_output_count(handle));
    this.attributes = new Map();
    for (let i = 0; i < Number(lib.node_attribute_count(handle)); i++) {
      this.attributes.set(lib.node_attribute_key(handle, i), lib.node_attribute_value(handle, i));
    }
    this.inputs = Array.from({ length: Number(lib.node_input_count(handle)) }, (_, i) => new Input(this, i));
  }

  _open() {
    if (!this.#handle) throw new TypeError('the node was used after its handler returned; use it inside the handler only');
    return this.#handle;
  }

  get _of() {
    return this.#of;
  }

  _close() {
    this.#handle = null;
  }

  _check(status) {
    if (status !== 0) throw new NodeError(status, this.#of.lib.status_name(status), this.#of.message());
  }

  /** The text of an attribute, or undefined. */
  attribute(key) {
    return this.#of.lib.node_attribute(this._open(), text(key, 'a key')) ?? undefined;
  }

  /** Refuses the node. */
  fail(message) {
    this.#of.lib.node_fail(this._open(), text(String(message), 'a message'));
    throw new Refused(message);
  }

  setOutputLike(output, input) {
    this._check(this.#of.lib.node_set_output_like(this._open(), unsigned(output, 'output'), unsigned(input, 'input')));
  }

  setOutput(output, dtype, dims) {
    const handle = this._open();
    const isDim = (d) => d !== null && typeof d === 'object';
    const sizes = dimsOf(dims.map((d) => (isDim(d) ? null : d)));
    this._check(this.#of.lib.node_set_output(handle, unsigned(output, 'output'), this.#of.dtypeNumber(dtype), dims.length, sizes));
    dims.forEach((d, axis) => {
      if (!isDim(d)) return;
      this._check(this.#of.lib.node_set_output_dim(handle, output, axis, unsigned(d.input, 'input'), unsigned(d.axis, 'axis')));
    });
  }

  constant(data, options) {
    const { dtype = dtypeOf(data), dims = [data.length] } = named(options, 'the options');
    const bytes = bytesOf(data);
    const value = new Int32Array(1);
    const array = { dtype: this.#of.dtypeNumber(dtype), rank: dims.length, dims: dimsOf(dims), data: bytes, size: bytes.byteLength };
    this._check(this.#of.lib.node_add_constant(this._open(), array, value));
    return new Result(this, value[0]);
  }

  #value(value) {
    if (value === null || value === undefined) return 0;
    if (value instanceof Result || value instanceof Input) return value._value();
    return this.constant(value).number;
  }

  add(opType, inputs, attributes = null, options) {
    const { domain = null, outputs = 1 } = named(options, 'the options');
    text(opType, 'opType');
    if (unsigned(outputs, 'outputs') > MOST_OUTPUTS) throw new RangeError(`a node has ${MOST_OUTPUTS} outputs at most, not ${outputs}`);
    const values = Int32Array.from(inputs.length ? inputs : [null], (v) => this.#value(v));
    const made = new Int32Array(Math.max(1, Number(outputs)));
    const json = attributes !== null && typeof attributes !== 'string' ? attributesText(named(attributes, 'the attributes')) : textOrNull(attributes, 'attributes');
    const node = {
      op_type: opType,
      domain: textOrNull(domain, 'a domain'),
      attributes: json,
      input_count: inputs.length,
      inputs: values,
      output_count: Number(outputs),
    };
    this._check(this.#of.lib.node_add(this._open(), node, made));
    const results = Array.from(made.subarray(0, Number(outputs)), (n) => new Result(this, n));
    return results.length === 1 ? results[0] : results;
  }

  setResult(output, value) {
    this._check(this.#of.lib.node_set_result(this._open(), unsigned(output, 'output'), this.#value(value)));
  }
}

/** An attribute that is a float although its value is whole: float(1), float([1, 2]). */
export class Float {
  constructor(value) {
    this.value = value;
  }
}
export const float = (value) => new Float(value);

const floatText = (v) => (Number.isInteger(v) ? v.toFixed(1) : String(v));

function attributeText(value) {
  if (value instanceof Float) {
    return Array.isArray(value.value) ? `[${value.value.map(floatText).join(',')}]` : floatText(value.value);
  }
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) {
    const floats = value.some((v) => typeof v === 'number' && !Number.isInteger(v));
    return `[${value.map((v) => (floats ? floatText(v) : attributeText(v))).join(',')}]`;
  }
  return JSON.stringify(value);
}

const attributesText = (attributes) =>
  `{${Object.entries(attributes)
    .map(([k, v]) => `${JSON.stringify(k)}:${attributeText(v)}`)
    .join(',')}}`;

const likeInput = (node) => {
  for (let i = 0; i < node.outputCount; i++) node.setOutputLike(i, 0);
};

/** What a handler {infer, lower} does with a node. */
export const inferring = (handler) => (handler.infer ? (node) => settled(handler.infer(node), 'infer') : likeInput);
export const counting = (count) => (node) => {
  try {
    return settled(unsigned(count(node), 'the number of outputs'), 'outputs');
  } catch (e) {
    if (e instanceof Refused) return 0; // the library has the reason, and refuses 0
    throw e;
  }
};
export const lowering = (handler) => (node) => setResults(node, settled(handler.lower(node), 'lower'));

const setResults = (node, results) => {
  if (results === undefined || results === null) return;
  (Array.isArray(results) ? results : [results]).forEach((value, i) => node.setResult(i, value));
};
