// SPDX-License-Identifier: Apache-2.0
// Arrays of NumPy's .npz, as { name: { type, dims, data } }.
import { members } from "./zip.js";

const KINDS = { f2: ["float16", Uint16Array], f4: ["float32", Float32Array], f8: ["float64", Float64Array], i1: ["int8", Int8Array], i2: ["int16", Int16Array],
  i4: ["int32", Int32Array], i8: ["int64", BigInt64Array], u1: ["uint8", Uint8Array], u2: ["uint16", Uint16Array], u4: ["uint32", Uint32Array],
  u8: ["uint64", BigUint64Array], b1: ["bool", Uint8Array] };

function parse(name, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), wide = bytes[6] > 1, start = wide ? 12 : 10;
  const size = wide ? view.getUint32(8, true) : view.getUint16(8, true);
  const header = new TextDecoder("latin1").decode(bytes.subarray(start, start + size));
  const [, order, kind] = /'descr': *'([<>|=])(\w+)'/.exec(header) ?? [], shape = /'shape': *\(([^)]*)\)/.exec(header);
  if (!KINDS[kind] || order === ">" || !shape || /'fortran_order': *True/.test(header)) {
    throw new Error(name + " is of a form that the page does not read; mx2onnx verify does");
  }
  const dims = shape[1].split(",").map((d) => d.trim()).filter(Boolean).map(Number), [type, Kind] = KINDS[kind];
  return { type, dims, data: new Kind(bytes.slice(start + size).buffer) };
}

export async function readNpz(file) {
  const found = {};
  for (const [name, read] of Object.entries(await members(file))) {
    found[name.replace(/\.npy$/, "")] = parse(name, await read());
  }
  return found;
}

/** MXNet's conv0_output is conv0 in the ONNX file, split0_output1 is split01. */
export const onnxName = (name) => name.replace(/^(.+)_output(\d*)$/s, "$1$2");
