// SPDX-License-Identifier: Apache-2.0
// Choices of a model by name, { opset: 17, float16: 'inside', target: null }; null is the default. The package for browsers
// (bindings/wasm) has this file, too.
import { int64, named, text } from './arguments.js';

const number = (code) => ({ code, to: (value, name) => int64(value, name), from: Number });
const unless = (code, none) => ({ ...number(code), from: (value) => (Number(value) === none ? null : Number(value)) });
const flag = (code) => ({
  code,
  to(value, name) {
    if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false, not ${JSON.stringify(value)}`);
    return value ? 1 : 0;
  },
  from: (value) => Number(value) !== 0,
});
const word = (code, words) => ({
  code,
  to(value, name) {
    if (words.includes(value)) return words.indexOf(value);
    throw new TypeError(`${name} is one of ${words.join(', ')}, not ${String(value)}`);
  },
  from: (value) => words[Number(value)] ?? String(value),
});

const NUMBERS = {
  opset: unless(1, 0),
  float16: word(2, ['off', 'all', 'inside']),
  trustIndices: flag(3),
  keepBatchNorm: flag(4),
  initializersAsInputs: flag(5),
  seed: unless(6, -1),
  externalData: word(7, ['auto', 'never', 'always', 'in-place', 'link']),
  externalThreshold: number(8),
  fullChecksum: flag(9),
  fsync: flag(10),
  classes: number(11),
  crop: number(12),
  segments: number(13),
  vocabulary: number(14),
  memoryLimit: number(15),
  expansionLimit: number(16),
  nodesLimit: number(17),
  outputLimit: number(18),
  foldInputScale: flag(19),
  nodeMetadata: flag(20),
  structuralNames: flag(21),
};
const TEXTS = { target: 1, unknownDomain: 2, paramPrefix: 3, producer: 4, docString: 5, sideFile: 6, sourceName: 7 };

/** Sets what `values` names by {number, reset, text}, functions of an option's code; nothing is set if a value is of the wrong type. */
export function setOptions(values, set) {
  const calls = Object.entries(named(values, 'the options'))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      if (Object.hasOwn(TEXTS, name)) {
        const words = value === null ? null : text(value, name);
        return () => set.text(TEXTS[name], words);
      }
      if (!Object.hasOwn(NUMBERS, name)) throw new TypeError(`'${name}' is not an option; the options are ${[...Object.keys(NUMBERS), ...Object.keys(TEXTS)].join(', ')}`);
      const { code, to } = NUMBERS[name];
      if (value === null) return () => set.reset(code);
      const chosen = BigInt(to(value, name));
      return () => set.number(code, chosen);
    });
  calls.forEach((call) => call());
}

/** All choices, by functions of an option's code. */
export const optionsOf = (number, text) => ({
  ...Object.fromEntries(Object.entries(NUMBERS).map(([name, { code, from }]) => [name, from(number(code))])),
  ...Object.fromEntries(Object.entries(TEXTS).map(([name, code]) => [name, text(code)])),
});

const camel = (name) => name.toLowerCase().replace(/_(\w)/g, (_, c) => c.toUpperCase());
/** Texts of the library name C's options. */
export const optionWords = (message) =>
  message
    .replace(/\bmx2onnx_set_option: ([A-Z0-9_]+) /g, (_, name) => `${camel(name)} `)
    .replace(/\bmx2onnx_set_(option|text): /g, '') // what follows is about the value
    .replace(/\bMX2ONNX_(OPTION|TEXT)_(\w+)/g, (_, kind, name) => camel(name));
