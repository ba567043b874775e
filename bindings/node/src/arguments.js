// SPDX-License-Identifier: Apache-2.0
// Arguments of C's functions: an integer is not cut to the width of C's type, and a text not at a NUL; both are errors. The package for
// browsers (bindings/wasm) has this file, too.

const integer = (low, high) => (value, what) => {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new TypeError(`${what} must be an integer, not ${shown(value)}`);
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`${what} must be an integer, a BigInt from 2^53 on, not ${value}`);
  }
  if (value < low || value > high) throw new RangeError(`${what} must be from ${low} to ${high}, not ${value}`);
  return value;
};

const shown = (value) => (typeof value === 'string' ? JSON.stringify(value) : typeof value);

export const int32 = integer(-(2n ** 31n), 2n ** 31n - 1n);
export const int64 = integer(-(2n ** 63n), 2n ** 63n - 1n);
export const unsigned = integer(0n, 2n ** 64n - 1n);

export const flag = (value) => (value ? 1 : 0);

/** A name. */
export function text(value, what) {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string, not ${typeof value}`);
  if (value.includes('\0')) throw new TypeError(`${what} must not contain a NUL character: ${JSON.stringify(value)}`);
  if (/\p{Surrogate}/u.test(value)) throw new TypeError(`${what} must be Unicode, without a lone surrogate: ${JSON.stringify(value)}`);
  return value;
}

export const textOrNull = (value, what) => (value === null || value === undefined ? null : text(value, what));

/** What a call takes by name, or nothing. An array is an object, too, and has none of the names: it would be ignored. */
export function named(value, what) {
  if (value === null || value === undefined) return {};
  const other = Array.isArray(value) || ArrayBuffer.isView(value) ? 'an array' : typeof value === 'object' ? null : shown(value);
  if (other) throw new TypeError(`${what} must be an object, not ${other}`);
  return value;
}

/** Has a length that is passed to C; what has none would be a list of none. */
function list(values, what) {
  if (!Array.isArray(values) && !(ArrayBuffer.isView(values) && 'length' in values)) throw new TypeError(`${what} must be an array, not ${shown(values)}`);
  return values;
}

/** Dims for the library: null is -1. */
export const dimsOf = (dims) =>
  BigInt64Array.from(list(dims, 'dims').length ? dims : [0], (d, axis) => (d === null ? -1n : BigInt(int64(d, `dim ${axis}`))));

/** The dims of an input as two lists: the sizes, where -1 replaces each name, and the names, where null replaces each size. */
export const sizesAndNames = (dims) => {
  if (typeof dims === 'string' || typeof dims?.[Symbol.iterator] !== 'function') throw new TypeError(`dims must be an array, not ${shown(dims)}`);
  const names = Array.from(dims, (d) => (typeof d === 'string' ? text(d, 'the name of a dim') : null));
  return [dimsOf(Array.from(dims, (d) => (typeof d === 'string' ? null : d))), names];
};

export const doubles = (values) =>
  Float64Array.from(list(values, 'the values').length ? values : [0], (value) => {
    if (typeof value !== 'number') throw new TypeError(`a value must be a number, not ${shown(value)}`);
    return value;
  });

export function bytesOf(data) {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw new TypeError(`bytes must be an ArrayBuffer, a typed array or a Buffer, not ${shown(data)}`);
}

/** What a callback gives: C waits for it, and cannot wait for a promise. */
export function settled(result, what) {
  if (typeof result?.then === 'function') {
    result.then(undefined, () => {}); // the TypeError reports it
    throw new TypeError(`${what} must be synchronous, and gave a promise`);
  }
  return result;
}
