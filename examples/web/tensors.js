// SPDX-License-Identifier: Apache-2.0
// Values for inputs: of random numbers, of an image, of a text of numbers; and numbers of any type.

const ARRAYS = { float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array,
  int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array, float16: globalThis.Float16Array ?? Uint16Array };

export const count = (dims) => dims.reduce((n, d) => n * d, 1);

/** A float32 as the bits of the nearest float16. */
export function toHalf(value) {
  const f = new Float32Array([value]), [bits] = new Uint32Array(f.buffer), sign = (bits >>> 16) & 0x8000, size = Math.abs(f[0]);
  if (!(size < 65520)) {
    return sign | (Number.isNaN(size) ? 0x7e00 : 0x7c00);
  }
  if (size < 2 ** -14) {
    return sign | even(size * 2 ** 24);
  }
  const exponent = Math.floor(Math.log2(size)), fraction = even((size / 2 ** exponent - 1) * 1024);
  return sign | (((exponent + 15) << 10) + fraction);
}

function even(x) {
  const low = Math.floor(x), rest = x - low;
  return rest > 0.5 || (rest === 0.5 && low % 2) ? low + 1 : low;
}

/** The other way round. */
export function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  return exponent === 31 ? (fraction ? NaN : sign * Infinity) : sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction);
}

/** Numbers as an element type has them; `list` is any list of them. */
export function typed(type, list) {
  const Kind = ARRAYS[type];
  if (!Kind) {
    throw new Error("values of the type " + type + " cannot be made here");
  }
  if (type === "float16" && Kind === Uint16Array) {
    return Uint16Array.from(list, toHalf);
  }
  return type === "int64" || type === "uint64" ? Kind.from(list, (v) => BigInt(Math.trunc(Number(v)))) : Kind.from(list, Number);
}

/** As plain numbers. */
export function plain({ type, data }) {
  return type === "float16" && data instanceof Uint16Array ? Float32Array.from(data, fromHalf)
    : data instanceof BigInt64Array || data instanceof BigUint64Array ? Float64Array.from(data, Number) : data;
}

export function random(type, dims) {
  const real = type.startsWith("float"), most = type === "bool" ? 2 : type === "uint8" ? 256 : 10;
  return typed(type, Array.from({ length: count(dims) }, () => (real ? Math.random() * 2 - 1 : Math.floor(Math.random() * most))));
}

export function numbers(type, dims, text) {
  const found = text.split(/[\s,;[\]]+/).filter(Boolean).map(Number);
  if (found.some(Number.isNaN)) {
    throw new Error(`'${text.split(/[\s,;[\]]+/).filter(Boolean).find((w) => Number.isNaN(Number(w)))}' is not a number`);
  }
  if (found.length > count(dims)) {
    throw new Error(`${found.length} numbers are too many for ${dims.join(" x ")}`);
  }
  return typed(type, [...found, ...new Array(count(dims) - found.length).fill(0)]); // the rest is padding
}

/** Where an image's channels are: { axis, height, width, channels }, or null if the dims are not those of an image. */
export function imageAxes(dims) {
  const fits = (channels) => channels === 1 || channels === 3;
  return dims.length !== 4 ? null : fits(dims[1]) ? { axis: 1, channels: dims[1], height: dims[2], width: dims[3] }
    : fits(dims[3]) ? { axis: 3, channels: dims[3], height: dims[1], width: dims[2] } : null;
}

const IMAGENET = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] };
export const SCALES = { "0 to 255": (v) => v, "0 to 1": (v) => v / 255, "-1 to 1": (v) => v / 127.5 - 1,
  "ImageNet's mean and deviation": (v, c) => (v / 255 - IMAGENET.mean[c]) / IMAGENET.deviation[c] };

/** The pixels of a picture (an ImageBitmap), made as large as the input is. */
export function pixels(bitmap, type, dims, scale) {
  const { axis, channels, height, width } = imageAxes(dims);
  const canvas = new OffscreenCanvas(width, height), context = canvas.getContext("2d", { willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height), plane = height * width, out = new Float32Array(channels * plane);
  for (let i = 0; i < plane; i++) {
    const grey = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
    for (let c = 0; c < channels; c++) {
      out[axis === 1 ? c * plane + i : i * channels + c] = SCALES[scale](channels === 1 ? grey : data[4 * i + c], c);
    }
  }
  const all = new Float32Array(count(dims)); // the same picture for the whole batch
  for (let n = 0; n < dims[0]; n++) {
    all.set(out, n * out.length);
  }
  return typed(type, all);
}

/** The values of an input: of `from`, { bitmap, scale } or { text } or { array } or {} for random ones. */
export function valuesOf({ type, dims, from }) {
  if (from.bitmap) {
    return pixels(from.bitmap, type, dims, from.scale);
  }
  if (from.array) {
    return from.array.type === type ? from.array.data : typed(type, plain(from.array));
  }
  return from.text === undefined ? random(type, dims) : numbers(type, dims, from.text);
}
