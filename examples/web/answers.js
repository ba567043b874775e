// SPDX-License-Identifier: Apache-2.0
// Draws what the outputs of a model mean, as meaning.js found it.
import { el, name, shown, table } from "./dom.js";
import { COLOURS, LEAST_SCORE } from "./meaning.js";

const COARSE = 64; // pixels of a side below which a picture is shown in squares
const LEAST_JOINT = 0.2;

const named = (labels, id) => (labels[id] ? shown(labels[id]) : "class " + id);

function canvasOf(width, height, label) {
  const canvas = el("canvas", { width, height, role: "img", "aria-label": label, class: Math.max(width, height) <= COARSE ? "coarse" : "" });
  return [canvas, canvas.getContext("2d")];
}

function classes({ count, chances, best }, { labels }) {
  const rows = best.map(({ id, value }) => [named(labels, id), chances ? (100 * value).toFixed(2) + " %" : value.toPrecision(5)]);
  return [el("h3", {}, `${rows[0][0]}`), el("p", { class: "quiet" }, `The best ${rows.length} of ${count} classes`),
    chances && el("div", { class: "bars", "aria-hidden": "true" }, best.map(({ id, value }, i) => {
      const bar = el("span", { class: "bar" });
      bar.style.width = 100 * value + "%";
      return el("div", {}, el("span", { class: "label" }, named(labels, id)), el("span", { class: "track" }, bar), el("span", {}, rows[i][1]));
    })), table("Best classes", ["Class", chances ? "Chance" : "Score"], rows)];
}

let last = { values: null, same: null }; // the last embedding, and the cosine of its angle with the one before

/** The next embedding is of another model. */
export function forget() {
  last = { values: null, same: null };
}

function embedding({ values }) {
  const norm = Math.hypot(...values), before = last.values;
  if (before !== values) { // not the same one, drawn again
    last = { values, same: before?.length === values.length ? values.reduce((sum, v, i) => sum + v * before[i], 0) / (norm * Math.hypot(...before)) : null };
  }
  const { same } = last;
  return [el("h3", {}, `An embedding of ${values.length} numbers`),
    el("p", {}, `Length ${norm.toPrecision(5)}` + (same === null ? "" : `; cosine with the one before: ${same.toFixed(4)}`))];
}

function boxes({ boxes: good }, { bitmap, labels }) {
  const made = [el("h3", {}, `${good.length === 1 ? "1 box" : good.length + " boxes"} of a score of ${LEAST_SCORE} and more`)];
  if (bitmap) {
    const scale = Math.max(1, Math.ceil(512 / bitmap.width)), [canvas, context] = canvasOf(bitmap.width * scale, bitmap.height * scale, "The image with its boxes");
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    context.lineWidth = Math.max(2, canvas.width / 200);
    context.font = `600 ${Math.max(12, canvas.width / 36)}px system-ui, sans-serif`;
    context.textBaseline = "bottom";
    good.forEach((b) => boxOn(context, b, `${named(labels, b.id)} ${b.score.toFixed(2)}`));
    made.push(canvas);
  }
  return [...made, good.length > 0 && table("Boxes", ["Class", "Score", "Left, top, right, bottom"],
    good.map((b) => [named(labels, b.id), b.score.toFixed(3), b.box.map((v) => v.toFixed(3)).join(", ")]))];
}

function boxOn(context, { id, box }, text) {
  const { width, height } = context.canvas, [x, y, right, bottom] = box.map((v, i) => v * (i % 2 ? height : width));
  const high = parseInt(context.font.split(" ")[1], 10) + 4, top = Math.max(high, y);
  context.strokeStyle = context.fillStyle = COLOURS[Math.abs(Math.round(id)) % COLOURS.length];
  context.strokeRect(x, y, right - x, bottom - y);
  context.fillRect(x - context.lineWidth / 2, top - high, context.measureText(text).width + 8, high);
  context.fillStyle = "#ffffff";
  context.fillText(text, x + 3, top - 2);
}

function points({ points: found }, { bitmap }) {
  const good = found.filter((p) => p.score >= LEAST_JOINT), made = [el("h3", {}, `${good.length} of ${found.length} key points`)];
  if (bitmap) {
    const [canvas, context] = canvasOf(bitmap.width, bitmap.height, "The image with its key points");
    context.drawImage(bitmap, 0, 0);
    good.forEach(({ x, y }, i) => {
      context.fillStyle = COLOURS[i % COLOURS.length];
      context.beginPath();
      context.arc(x * bitmap.width, y * bitmap.height, Math.max(3, bitmap.width / 80), 0, 7);
      context.fill();
    });
    made.push(canvas);
  }
  return [...made, table("Key points", ["Point", "Score", "Across, down"], found.map((p, i) => [String(i), p.score.toFixed(3), `${p.x.toFixed(3)}, ${p.y.toFixed(3)}`]))];
}

function painted({ width, height, pixels }, label, bitmap) {
  const [canvas, context] = canvasOf(width, height, label), layer = new OffscreenCanvas(width, height);
  layer.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  if (bitmap) {
    context.drawImage(bitmap, 0, 0, width, height);
  } else {
    context.fillRect(0, 0, width, height);
  }
  context.drawImage(layer, 0, 0);
  return canvas;
}

function mask(found, { bitmap, labels }) {
  return [el("h3", {}, `A mask of ${found.channels} classes`), painted(found, "The mask", bitmap),
    table("Shares of the classes", ["Class", "Share"], found.shares.slice(0, 10).map(({ id, share }) => [named(labels, id), (100 * share).toFixed(1) + " %"]))];
}

const picture = (found) => [el("h3", {}, "An image"), painted(found, "The output as an image", null)];

const DRAWN = { classes, embedding, boxes, points, mask, picture };
const number = (v) => (Number.isFinite(v) ? String(Number(v.toPrecision(5))) : String(v));

const figures = (rows) => el("details", { open: true }, el("summary", {}, "Outputs in figures"),
  el("div", { class: "wraps" }, table("Outputs", ["Output", "Minimum, mean, maximum", "First values"], rows.map((o) => [
    [name(o.name), el("span", { class: "quiet" }, ` ${o.type} (${o.dims.join(", ")})`)], [o.low, o.mean, o.high].map(number).join(", "), o.first.map(number).join(", ")]))));

/** `given`: { bitmap, labels }. */
export function answers({ meaning, figures: rows }, given) {
  return [meaning && el("div", { "data-answer": meaning.kind }, DRAWN[meaning.kind](meaning, given)), el("div", {}, figures(rows))].filter(Boolean);
}
