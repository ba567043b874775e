// SPDX-License-Identifier: Apache-2.0
// What the outputs of a model mean, as far as their shapes say it: classes, boxes, key points, a mask, a picture, an embedding, or
// plain numbers. Without a page, so that it is worked out in a worker.
import { plain } from "./tensors.js";

export const LEAST_SCORE = 0.3;
const MOST_BOXES = 50, BEST = 5;
const LEAST_SIDE = 16; // of a picture
const JOINTS = 17; // of COCO's people
export const COLOURS = ["#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#800000", "#808000", "#000075"];
const RGB = COLOURS.map((c) => [1, 3, 5].map((k) => parseInt(c.slice(k, k + 2), 16)));

const row = (output) => plain(output).slice(0, output.dims.slice(1).reduce((a, b) => a * b, 1));

const isChances = (values) => values.every((v) => v >= 0 && v <= 1.001) && Math.abs(values.reduce((a, b) => a + b, 0) - 1) < 0.01;

function classes(values) {
  const order = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, BEST);
  return { kind: "classes", count: values.length, chances: isChances(values), best: order.map((id) => ({ id, value: values[id] })) };
}

/** [{ id, score, box }] of GluonCV's three outputs, or of MultiBoxDetection's one; boxes as shares of the picture. */
export function boxesOf(outputs, [height, width]) {
  const [first] = outputs, three = outputs.length >= 3 && outputs.slice(0, 3).every((o) => o.dims.length === 3)
    && first.dims[2] === 1 && outputs[1].dims[2] === 1 && outputs[2].dims[2] === 4;
  if (three) {
    const [ids, scores, corners] = outputs.slice(0, 3).map(row);
    return [...ids.keys()].map((k) => ({ id: ids[k], score: scores[k],
      box: [0, 1, 2, 3].map((c) => corners[4 * k + c] / (c % 2 ? height : width)) }));
  }
  if (first.dims.length === 3 && first.dims[2] === 6) {
    const values = row(first);
    return Array.from({ length: first.dims[1] }, (_, k) => ({ id: values[6 * k], score: values[6 * k + 1], box: [...values.slice(6 * k + 2, 6 * k + 6)] }));
  }
  return null;
}

function boxes(found) {
  const good = found.filter((b) => b.id >= 0 && b.score >= LEAST_SCORE).sort((a, b) => b.score - a.score);
  return { kind: "boxes", boxes: good.slice(0, MOST_BOXES) };
}

/** Where each heat map is highest, as shares of the picture. */
export function pointsOf(output) {
  const [, maps, height, width] = output.dims, values = row(output), plane = height * width;
  return Array.from({ length: maps }, (_, m) => {
    let most = 0;
    for (let i = 1; i < plane; i++) {
      most = values[m * plane + i] > values[m * plane + most] ? i : most;
    }
    return { x: ((most % width) + 0.5) / width, y: (Math.floor(most / width) + 0.5) / height, score: values[m * plane + most] };
  });
}

/** The class that is greatest in each pixel, as colours; none for class 0. */
export function maskOf(output) {
  const [, channels, height, width] = output.dims, values = row(output), plane = height * width, pixels = new Uint8ClampedArray(4 * plane), counts = new Map();
  for (let i = 0; i < plane; i++) {
    let most = 0;
    for (let c = 1; c < channels; c++) {
      most = values[c * plane + i] > values[most * plane + i] ? c : most;
    }
    counts.set(most, (counts.get(most) ?? 0) + 1);
    const [r, g, b] = most ? RGB[most % RGB.length] : [0, 0, 0];
    pixels[4 * i] = r;
    pixels[4 * i + 1] = g;
    pixels[4 * i + 2] = b;
    pixels[4 * i + 3] = most ? 170 : 0;
  }
  const shares = [...counts].sort((a, b) => b[1] - a[1]).map(([id, n]) => ({ id, share: n / plane }));
  return { kind: "mask", width, height, channels, pixels, shares };
}

function pictureOf(output) {
  const [, channels, height, width] = output.dims, values = row(output), plane = height * width, pixels = new Uint8ClampedArray(4 * plane);
  const { low, high } = range(values), scale = 255 / (high - low || 1);
  for (let i = 0; i < plane; i++) {
    for (let c = 0; c < 3; c++) {
      pixels[4 * i + c] = (values[(channels === 3 ? c * plane : 0) + i] - low) * scale;
    }
    pixels[4 * i + 3] = 255;
  }
  return { kind: "picture", width, height, pixels };
}

function range(values) {
  let low = Infinity, high = -Infinity, sum = 0;
  for (const v of values) {
    low = Math.min(low, v);
    high = Math.max(high, v);
    sum += v;
  }
  return { low, high, mean: sum / values.length };
}

const isPose = ({ dims }, size) => dims[1] === JOINTS && size && dims[2] * 4 === size[0] && dims[3] * 4 === size[1];

/** What the outputs mean, or null; `size` is [height, width] of the picture that went in, if there was one. */
export function meaning(outputs, size) {
  const [first] = outputs, { dims } = first, found = size ? boxesOf(outputs, size) : null;
  if (found) {
    return boxes(found);
  }
  if (dims.length === 2 && dims[1] > 1) {
    const values = row(first), power = Math.log2(values.length) % 1 === 0 && values.length >= 64;
    return power && !isChances(values) ? { kind: "embedding", values: Array.from(values) } : classes(values);
  }
  if (dims.length !== 4 || Math.min(dims[2], dims[3]) < LEAST_SIDE) {
    return null;
  }
  return isPose(first, size) ? { kind: "points", points: pointsOf(first) } : dims[1] === 1 || dims[1] === 3 ? pictureOf(first) : maskOf(first);
}

/** Figures of each output: { name, type, dims, low, mean, high, first: [number] }. */
export const figures = (outputs) => outputs.map((o) => {
  const values = plain(o);
  return { name: o.name, type: o.type, dims: o.dims, ...range(values), first: Array.from(values.slice(0, 5)) };
});
