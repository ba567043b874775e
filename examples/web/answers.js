// SPDX-License-Identifier: Apache-2.0
// What the outputs of a model mean, as far as their shapes say it: classes, boxes, masks, an embedding, or plain numbers.
import { el, name, shown, table } from "./dom.js";
import { plain } from "./tensors.js";

const COLOURS = ["#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#800000", "#808000", "#000075"];
const LEAST_SCORE = 0.3, MOST_BOXES = 50;
const LEAST_SIDE = 16; // of a picture

const row = (output, n = 0) => {
  const size = output.dims.slice(1).reduce((a, b) => a * b, 1);
  return plain(output).slice(n * size, (n + 1) * size);
};

// ---- classes and embeddings

const isChances = (values) => values.every((v) => v >= 0 && v <= 1.001) && Math.abs(values.reduce((a, b) => a + b, 0) - 1) < 0.01;

function classes(output, labels) {
  const values = row(output), order = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, 5), chances = isChances(values);
  const rows = order.map((k) => [labels[k] ? shown(labels[k]) : "class " + k, chances ? (100 * values[k]).toFixed(2) + " %" : values[k].toPrecision(5)]);
  return el("div", { "data-answer": "classes" }, el("h3", {}, "Best of " + values.length + " classes"), table("Best classes", ["Class", chances ? "Chance" : "Score"], rows));
}

let before = null; // the last embedding, to compare with

function embedding(output) {
  const values = row(output), norm = Math.hypot(...values);
  const same = before?.length === values.length ? values.reduce((sum, v, i) => sum + v * before[i], 0) / (norm * Math.hypot(...before)) : null;
  before = values;
  return el("div", { "data-answer": "embedding" }, el("h3", {}, `An embedding of ${values.length} numbers`),
    el("p", {}, `Length ${norm.toPrecision(5)}` + (same === null ? "" : `; cosine with the one before: ${same.toFixed(4)}`)));
}

// ---- boxes

/** [{ id, score, box }] of GluonCV's three outputs, or of MultiBoxDetection's one; boxes as shares of the picture. */
export function boxesOf(outputs, [height, width]) {
  const [first] = outputs, three = outputs.length >= 3 && outputs.slice(0, 3).every((o) => o.dims.length === 3)
    && first.dims[2] === 1 && outputs[1].dims[2] === 1 && outputs[2].dims[2] === 4;
  if (three) {
    const [ids, scores, corners] = outputs.map((o) => row(o));
    return [...ids.keys()].map((k) => ({ id: ids[k], score: scores[k],
      box: [0, 1, 2, 3].map((c) => corners[4 * k + c] / (c % 2 ? height : width)) }));
  }
  if (first.dims.length === 3 && first.dims[2] === 6) {
    const values = row(first);
    return Array.from({ length: first.dims[1] }, (_, k) => ({ id: values[6 * k], score: values[6 * k + 1], box: [...values.slice(6 * k + 2, 6 * k + 6)] }));
  }
  return null;
}

function canvasOf(width, height, label) {
  const canvas = el("canvas", { width, height, role: "img", "aria-label": label });
  return [canvas, canvas.getContext("2d")];
}

function boxes(found, bitmap, labels) {
  const good = found.filter((b) => b.id >= 0 && b.score >= LEAST_SCORE).sort((a, b) => b.score - a.score).slice(0, MOST_BOXES);
  const what = (b) => (labels[b.id] ? shown(labels[b.id]) : "class " + b.id);
  const made = el("div", { "data-answer": "boxes" }, el("h3", {}, `${good.length} boxes of a score of ${LEAST_SCORE} and more`));
  if (bitmap) {
    const [canvas, context] = canvasOf(bitmap.width, bitmap.height, "The image with its boxes");
    context.drawImage(bitmap, 0, 0);
    context.lineWidth = Math.max(2, bitmap.width / 250);
    good.forEach((b) => {
      const [x, y, right, bottom] = b.box.map((v, i) => v * (i % 2 ? bitmap.height : bitmap.width));
      context.strokeStyle = COLOURS[Math.abs(b.id) % COLOURS.length];
      context.strokeRect(x, y, right - x, bottom - y);
    });
    made.append(canvas);
  }
  made.append(table("Boxes", ["Class", "Score", "Left, top, right, bottom"], good.map((b) => [what(b), b.score.toFixed(3), b.box.map((v) => v.toFixed(3)).join(", ")])));
  return made;
}

// ---- masks and pictures

function paint(output, colour) {
  const [, channels, height, width] = output.dims, values = row(output), [canvas, context] = canvasOf(width, height, "The output as an image");
  const image = context.createImageData(width, height), plane = width * height;
  for (let i = 0; i < plane; i++) {
    image.data.set([...colour(values, i, plane, channels), 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function best(values, i, plane, channels) {
  let most = 0;
  for (let c = 1; c < channels; c++) {
    most = values[c * plane + i] > values[most * plane + i] ? c : most;
  }
  return most ? [1, 3, 5].map((k) => parseInt(COLOURS[most % COLOURS.length].slice(k, k + 2), 16)) : [0, 0, 0];
}

function picture(output) {
  const [, channels] = output.dims, values = row(output), low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const level = (v) => (255 * (v - low)) / (high - low || 1), isMask = channels !== 1 && channels !== 3;
  const colour = isMask ? best : (all, i, plane) => [0, 1, 2].map((c) => level(all[(channels === 3 ? c : 0) * plane + i]));
  return el("div", { "data-answer": isMask ? "mask" : "picture" }, el("h3", {}, isMask ? `A mask of ${channels} classes` : "An image"), paint(output, colour));
}

// ---- all of it

function figures(outputs) {
  return table("Outputs", ["Output", "Type", "Shape", "Minimum", "Mean", "Maximum", "First values"], outputs.map((o) => {
    const values = plain(o), number = (v) => (Number.isFinite(v) ? String(Number(v.toPrecision(5))) : String(v));
    const [low, high, sum] = values.reduce(([l, h, s], v) => [Math.min(l, v), Math.max(h, v), s + v], [Infinity, -Infinity, 0]);
    return [name(o.name), o.type, "(" + o.dims.join(", ") + ")", number(low), number(sum / values.length), number(high), [...values.slice(0, 5)].map(number).join(", ")];
  }));
}

function meaning(outputs, { bitmap, size, labels }) {
  const [first] = outputs, rank = first.dims.length, found = size ? boxesOf(outputs, size) : null;
  if (found) {
    return boxes(found, bitmap, labels);
  }
  if (rank === 2 && first.dims[1] > 1) {
    const values = row(first), power = Math.log2(values.length) % 1 === 0 && values.length >= 64;
    return power && !isChances(values) ? embedding(first) : classes(first, labels);
  }
  return rank === 4 && Math.min(first.dims[2], first.dims[3]) >= LEAST_SIDE ? picture(first) : null;
}

/** `size`: [height, width] of the picture that went in, if there was one. */
export const answers = (outputs, given) => [meaning(outputs, given), figures(outputs)].filter(Boolean);
