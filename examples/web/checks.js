// SPDX-License-Identifier: Apache-2.0
// What is wrong with the text of a field, in words, or "" where nothing is. The library checks what the texts mean.

const MOST = Number.MAX_SAFE_INTEGER;
const NAME = /^[\p{L}_][\p{L}\p{N}_.+\-*/ ]*$/u;
const words = (text) => text.split(/[\s,]+/).filter(Boolean);

/** A shape as it is meant where brackets are around it, or the input's name and "=" precede it. */
export const bareShape = (text) => text.trim().replace(/^[^=,()[\]]+=\s*/, "").replace(/^\[(.*)\]$/s, "$1").replace(/^\((.+)\)$/s, "$1").trim();

/** The sizes of a shape without brackets, as texts: "batch,3", "1x3x8x8" and "batch x 3". */
export function sizes(bare) {
  const parts = bare.split(/^[\d?]+(x[\d?]+)+$/.test(bare) ? "x" : /,|\s+x\s+/).map((p) => p.trim());
  return parts.at(-1) === "" && parts.length > 1 ? parts.slice(0, -1) : parts;
}

/** Sizes that may vary and have no name, as the command line has them. */
export const isOpen = (part) => ["?", "-1", "None", "*", "-", "any"].includes(part);

function wrongDim(part) {
  if (/^[\p{L}_?]\w*(x\d+)+$/u.test(part)) {
    return `'${part}' is one word: write commas between sizes, such as batch,1,8,8`;
  }
  if (/^\d+$/.test(part)) {
    return Number(part) > MOST ? `${part} is too large for a size` : "";
  }
  if (isOpen(part) || NAME.test(part) && !/^none$/i.test(part)) {
    return "";
  }
  return part === "" ? "a size is missing between two commas"
    : `'${part}' is not a size: write a number, or a word such as batch for a size that may vary`;
}

export function shape(text) {
  const bare = bareShape(text);
  if (bare === "" || bare === "()") {
    return "";
  }
  return sizes(bare).map(wrongDim).find(Boolean) ?? "";
}

function numbers(text) {
  const wrong = words(text).find((word) => !Number.isFinite(Number(word)));
  return wrong === undefined ? "" : `'${wrong}' is not a number: write for example 123.68,116.78,103.94, or one number for all channels`;
}

const whole = (least, most) => (text) => (/^-?\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? ""
  : `write an integer from ${least} to ${most}`);

function renames(text) {
  const wrong = text.split(/\s+/).filter(Boolean).find((pair) => !/^[^=].*=.+$/.test(pair));
  return wrong === undefined ? "" : `'${wrong}' is not of the form OLD=NEW`;
}

const CHECKS = { shape, mean: numbers, scale: numbers, rename: renames, seed: whole(0, 2 ** 31 - 1),
  classes: whole(1, MOST), crop: whole(1, MOST), segments: whole(1, MOST) };

/** What is wrong with a value of the row of choices.js with this key. */
export const wrongWith = (key, value) => (typeof value === "string" && value !== "" && CHECKS[key] ? CHECKS[key](value) : "");

/** What is wrong with all choices together, or "". */
export function clash({ float16, keepFloat32 = "", forceFloat16 = "" }) {
  const both = float16 && words(keepFloat32).find((name) => words(forceFloat16).includes(name));
  return both ? `'${both}' is in Keep in float32 and in Convert to float16 anyway: remove it from one of them` : "";
}
