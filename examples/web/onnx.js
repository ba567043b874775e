// SPDX-License-Identifier: Apache-2.0
// The graph of an ONNX file, read where it is: weights are stepped over. The numbers are those of onnx.proto.

const WINDOW = 1 << 18;
const TYPES = ["undefined", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64", "uint32",
  "uint64", "complex64", "complex128", "bfloat16"];
const MOST_LISTED = 64; // values of an attribute that are shown

/** Bytes at an offset, through a window over `reader` ({ size, read(offset, size) }). */
class Bytes {
  #reader;
  #start = 0;
  #window = new Uint8Array();
  next = 0; // after the last varint

  constructor(reader) {
    this.#reader = reader;
  }

  slice(from, to) {
    if (to > this.#reader.size) {
      throw new Error("the ONNX file ends too early");
    }
    if (from < this.#start || to > this.#start + this.#window.length) {
      this.#start = from;
      this.#window = this.#reader.read(from, Math.min(Math.max(WINDOW, to - from), this.#reader.size - from));
    }
    return this.#window.subarray(from - this.#start, to - this.#start);
  }

  /** The number at an offset, with `next` set to the offset after it. A BigInt where it is too large for a number. */
  varint(at) {
    const bytes = this.slice(at, Math.min(at + 10, this.#reader.size));
    let value = 0;
    for (let i = 0, times = 1; i < bytes.length; i++, times *= 128) {
      value += (bytes[i] & 127) * times;
      if (bytes[i] < 128) {
        this.next = at + i + 1;
        return value <= Number.MAX_SAFE_INTEGER ? value : exact(bytes.subarray(0, i + 1));
      }
    }
    throw new Error("the ONNX file is damaged");
  }
}

const exact = (bytes) => BigInt.asIntN(64, bytes.reduceRight((value, byte) => (value << 7n) | BigInt(byte & 127), 0n));

/** The fields of the message in [from, to): { field, value } for numbers, { field, from, to } for what has a length. */
function* fields(bytes, { from, to }) {
  for (let at = from; at < to;) {
    const tag = Number(bytes.varint(at)), field = tag >>> 3, wire = tag & 7;
    at = bytes.next;
    if (wire === 0) {
      const value = bytes.varint(at);
      at = bytes.next;
      yield { field, value, from: 0, to: 0 };
    } else {
      const size = wire === 2 ? Number(bytes.varint(at)) : wire === 5 ? 4 : 8, start = wire === 2 ? bytes.next : at;
      at = start + size;
      yield { field, value: undefined, from: start, to: at };
    }
  }
}

/** Calls the function of each field that is known: { number of a field: what takes it }. */
function each(bytes, span, known) {
  for (const f of fields(bytes, span)) {
    known[f.field]?.(f);
  }
}

const text = (bytes, { from, to }) => new TextDecoder().decode(bytes.slice(from, to));
const float = (bytes, { from, to }) => Number(new DataView(bytes.slice(from, to).slice().buffer).getFloat32(0, true).toPrecision(7));
const list = (items) => "[" + items.slice(0, MOST_LISTED).join(", ") + (items.length > MOST_LISTED ? ", …" : "") + "]";

/** Numbers of a repeated field, packed or not. */
function numbers(bytes, field) {
  if (field.value !== undefined) {
    return [field.value];
  }
  const found = [];
  for (let at = field.from; at < field.to; at = bytes.next) {
    found.push(bytes.varint(at));
  }
  return found;
}

function floats(bytes, { from, to }) {
  const view = new DataView(bytes.slice(from, to).slice().buffer);
  return Array.from({ length: (to - from) / 4 }, (_, i) => Number(view.getFloat32(4 * i, true).toPrecision(7)));
}

function tensor(bytes, span) {
  const made = { name: "", type: "", dims: [] };
  each(bytes, span, {
    1: (f) => made.dims.push(...numbers(bytes, f).map(Number)),
    2: (f) => { made.type = TYPES[Number(f.value)] ?? "unknown"; },
    8: (f) => { made.name = text(bytes, f); },
  });
  return made;
}

const shape = (dims) => "(" + dims.join(", ") + ")";

function tensorText(bytes, span) {
  const made = tensor(bytes, span);
  return made.type + " " + shape(made.dims);
}

function attribute(bytes, span) {
  let name = "", value = "";
  const ints = [], reals = [], texts = [];
  each(bytes, span, {
    1: (f) => { name = text(bytes, f); },
    2: (f) => { value = String(float(bytes, f)); },
    3: (f) => { value = String(f.value); },
    4: (f) => { value = text(bytes, f); },
    5: (f) => { value = tensorText(bytes, f); },
    6: () => { value = "a graph"; },
    7: (f) => reals.push(...floats(bytes, f)),
    8: (f) => ints.push(...numbers(bytes, f)),
    9: (f) => texts.push(text(bytes, f)),
  });
  const items = ints.length ? ints : reals.length ? reals : texts;
  return [name, items.length ? list(items) : value];
}

function node(bytes, span) {
  const made = { name: "", op: "", inputs: [], outputs: [], attributes: [], domain: "" };
  each(bytes, span, {
    1: (f) => made.inputs.push(text(bytes, f)),
    2: (f) => made.outputs.push(text(bytes, f)),
    3: (f) => { made.name = text(bytes, f); },
    4: (f) => { made.op = text(bytes, f); },
    5: (f) => made.attributes.push(attribute(bytes, f)),
    7: (f) => { made.domain = text(bytes, f); },
  });
  return made;
}

function* inside(bytes, span, ...path) {
  const [field, ...rest] = path;
  for (const f of fields(bytes, span)) {
    if (f.field === field && rest.length) {
      yield* inside(bytes, f, ...rest);
    } else if (f.field === field) {
      yield f;
    }
  }
}

function valueInfo(bytes, span) {
  const made = { name: "", type: "", dims: [] };
  for (const f of inside(bytes, span, 1)) {
    made.name = text(bytes, f);
  }
  for (const f of inside(bytes, span, 2, 1, 1)) {
    made.type = TYPES[Number(f.value)] ?? "unknown";
  }
  for (const dim of inside(bytes, span, 2, 1, 2, 1)) {
    const [part] = fields(bytes, dim);
    made.dims.push(!part ? "?" : part.field === 1 ? Number(part.value) : text(bytes, part));
  }
  return made;
}

/** { opset, nodes, inputs, outputs, params, values: Map of [type, dims] by name }. */
export function readOnnx(reader) {
  const bytes = new Bytes(reader), graph = { opset: 0, nodes: [], inputs: [], outputs: [], params: [], values: new Map() };
  const whole = { from: 0, to: reader.size };
  for (const f of inside(bytes, whole, 8, 2)) {
    graph.opset ||= Number(f.value);
  }
  const value = (kept) => (part) => {
    const found = valueInfo(bytes, part);
    kept.push(found);
    graph.values.set(found.name, [found.type, found.dims]);
  };
  const known = { 1: (part) => graph.nodes.push(node(bytes, part)), 5: (part) => graph.params.push(tensor(bytes, part)),
    11: value(graph.inputs), 12: value(graph.outputs), 13: value([]) };
  for (const f of inside(bytes, whole, 7)) {
    each(bytes, f, known);
  }
  graph.params.forEach((p) => graph.values.set(p.name, [p.type, p.dims]));
  return graph;
}
