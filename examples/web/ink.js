// SPDX-License-Identifier: Apache-2.0
// What is painted of a graph: lines with arrowheads, shapes on them, and nodes that are too small for buttons.

export const HEIGHT = 44; // of a node
const CURVES_FROM = 0.12; // the scale from which lines are curves

const FAMILIES = ["conv", "norm", "act", "pool", "shape", "math", "rnn", "detect", "other", "end"];
let colours = null;

/** The colours of the style sheet, for what is painted. */
export function palette() {
  if (!colours) {
    const style = getComputedStyle(document.documentElement), of = (key) => style.getPropertyValue("--" + key).trim();
    colours = Object.fromEntries([...FAMILIES, "quiet", "paper", "accent", "line"].map((key) => [key, of(key)]));
  }
  return colours;
}

/** The colours are read again when they are next wanted. */
export function forgetColours() {
  colours = null;
}

/** The context of a canvas as large as its element, in CSS pixels. */
export function sized(canvas) {
  const ratio = devicePixelRatio || 1, { clientWidth: width, clientHeight: height } = canvas, context = canvas.getContext("2d");
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** Adds the line of an edge to the path of the context. */
export function line(context, points, k) {
  context.moveTo(points[0][0], points[0][1] + HEIGHT / 2);
  for (let i = 1; i < points.length; i++) {
    const [px, py] = points[i - 1], [px2, py2] = points[i], from = py + (i === 1 ? HEIGHT / 2 : 0), to = py2 - (i === points.length - 1 ? HEIGHT / 2 + 5 : 0);
    if (k < CURVES_FROM || px === px2) {
      context.lineTo(px2, to);
    } else {
      context.bezierCurveTo(px, (from + to) / 2, px2, (from + to) / 2, px2, to);
    }
  }
}

/** The same for its arrowhead. */
export function arrow(context, [x, y]) {
  const tip = y - HEIGHT / 2;
  context.moveTo(x, tip);
  context.lineTo(x - 4.5, tip - 8);
  context.lineTo(x + 4.5, tip - 8);
  context.closePath();
}

export function box(context, node, { x, y }, colour, k) {
  const high = Math.max(HEIGHT, 1.2 / k);
  context.fillStyle = colour;
  context.fillRect(x - node.width / 2, y - high / 2, node.width, high);
}

const LABEL_HEIGHT = 16;

/** Where a label of this width finds room near (x, y), or null. */
function room(taken, x, y, width) {
  const free = (at) => taken.every((t) => Math.abs(t.x - x) >= (t.width + width) / 2 || Math.abs(t.y - at) >= LABEL_HEIGHT);
  const found = [y, y + LABEL_HEIGHT, y - LABEL_HEIGHT].find(free);
  return found === undefined ? null : { x, y: found, width };
}

/** The shapes on edges, in the part of the graph that is in sight; none covers another. */
export function labels(context, graph, edges, sight, colour) {
  const taken = [];
  context.font = "11px ui-monospace, 'DejaVu Sans Mono', monospace";
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (const e of edges) {
    const text = graph.labels[e], points = graph.layout.edges[e], [[fx, fy], [tx, ty]] = points;
    const x = (fx + tx) / 2, y = (fy + HEIGHT / 2 + ty - (points.length > 2 ? 0 : HEIGHT / 2)) / 2 - 2;
    if (text && y > sight.top && y < sight.bottom && x > sight.left && x < sight.right) {
      const label = room(taken, x, y, context.measureText(text).width + 6);
      if (label) {
        taken.push(label);
        context.fillStyle = colour.paper;
        context.fillRect(x - label.width / 2, label.y - LABEL_HEIGHT / 2, label.width, LABEL_HEIGHT);
        context.fillStyle = colour.quiet;
        context.fillText(text, x, label.y);
      }
    }
  }
}
