// SPDX-License-Identifier: Apache-2.0
// The graph of an ONNX file, read from where it lies: weights are stepped over. The numbers are those of onnx.proto.

const WINDOW = 1 << 18;
const TYPES = ["undefined", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64", "uint32",
  "uint64", "complex64", "complex128", "bfloat16"];
const MOST_LISTED = 64; // values of an attribute that are shown

/** Bytes at an offset, by way of a window over `reader` ({ size, read(offset, size) }). */
class Bytes {
  #reader;
  #start = 0;
  #window = new Uint8Array();

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

  /** [number, offset behind it] */
  varint(at) {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.slice(at, ++at)[0];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) {
        return [BigInt.asIntN(64, value), at];
      }
    }
    throw new Error("the ONNX file is damaged");
  }
}

/** The fields of the message in [from, to): { field, value } for numbers, { field, from, to } for what has a length. */
function* fields(bytes, { from, to }) {
  for (let at = from; at < to;) {
    const [tag, behind] = bytes.varint(at), field = Number(tag >> 3n), wire = Number(tag & 7n);
    if (wire === 0) {
      const [value, next] = bytes.varint(behind);
      at = next;
      yield { field, value };
    } else if (wire === 2) {
      const [size, start] = bytes.varint(behind);
      at = start + Number(size);
      yield { field, from: start, to: at };
    } else {
      at = behind + (wire === 5 ? 4 : 8);
      yield { field, from: behind, to: at };
    }
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
  for (let at = field.from; at < field.to;) {
    const [value, next] = bytes.varint(at);
    found.push(value);
    at = next;
  }
  return found;
}

function floats(bytes, { from, to }) {
  const view = new DataView(bytes.slice(from, to).slice().buffer);
  return Array.from({ length: (to - from) / 4 }, (_, i) => Number(view.getFloat32(4 * i, true).toPrecision(7)));
}

function tensor(bytes, span) {
  const made = { name: "", type: "", dims: [] };
  for (const f of fields(bytes, span)) {
    f.field === 1 && made.dims.push(...numbers(bytes, f).map(Number));
    f.field === 2 && (made.type = TYPES[Number(f.value)] ?? "unknown");
    f.field === 8 && (made.name = text(bytes, f));
  }
  return made;
}

const shape = (dims) => "(" + dims.join(", ") + ")";

function attribute(bytes, span) {
  let name = "", value = "";
  const ints = [], reals = [], texts = [];
  for (const f of fields(bytes, span)) {
    f.field === 1 && (name = text(bytes, f));
    f.field === 2 && (value = String(float(bytes, f)));
    f.field === 3 && (value = String(f.value));
    f.field === 4 && (value = text(bytes, f));
    if (f.field === 5) {
      const t = tensor(bytes, f);
      value = t.type + " " + shape(t.dims);
    }
    f.field === 6 && (value = "a graph");
    f.field === 7 && reals.push(...floats(bytes, f));
    f.field === 8 && ints.push(...numbers(bytes, f));
    f.field === 9 && texts.push(text(bytes, f));
  }
  const items = ints.length ? ints : reals.length ? reals : texts;
  return [name, items.length ? list(items) : value];
}

function node(bytes, span) {
  const made = { name: "", op: "", inputs: [], outputs: [], attributes: [], domain: "" };
  for (const f of fields(bytes, span)) {
    f.field === 1 && made.inputs.push(text(bytes, f));
    f.field === 2 && made.outputs.push(text(bytes, f));
    f.field === 3 && (made.name = text(bytes, f));
    f.field === 4 && (made.op = text(bytes, f));
    f.field === 5 && made.attributes.push(attribute(bytes, f));
    f.field === 7 && (made.domain = text(bytes, f));
  }
  return made;
}

function* inside(bytes, span, ...path) {
  const [field, ...rest] = path;
  for (const f of fields(bytes, span)) {
    if (f.field === field) {
      rest.length ? yield* inside(bytes, f, ...rest) : yield f;
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
  for (const f of inside(bytes, whole, 7)) {
    for (const part of fields(bytes, f)) {
      part.field === 1 && graph.nodes.push(node(bytes, part));
      part.field === 5 && graph.params.push(tensor(bytes, part));
      const kept = { 11: graph.inputs, 12: graph.outputs, 13: [] }[part.field];
      if (kept) {
        const value = valueInfo(bytes, part);
        kept.push(value);
        graph.values.set(value.name, [value.type, shape(value.dims)]);
      }
    }
  }
  graph.params.forEach((p) => graph.values.set(p.name, [p.type, shape(p.dims)]));
  return graph;
}
