// SPDX-License-Identifier: Apache-2.0
// Places the nodes of a graph in rows, each below all that it reads. Without recursion and in a time that grows with nodes and
// edges alone, since nets are thousands of nodes deep.
import { align } from "./align.js";

const LONGEST = 400; // rows that an edge is led around nodes; a longer one goes straight
const SWEEPS = 6;

/** The row of every node: below its inputs, and what reads nothing just above its first reader. */
function rows(count, edges) {
  const row = new Array(count).fill(0), above = Array.from({ length: count }, () => []), below = Array.from({ length: count }, () => []);
  edges.forEach(([from, to]) => { above[to].push(from); below[from].push(to); });
  for (let i = 0; i < count; i++) { // nodes come after what they read
    row[i] = above[i].reduce((most, from) => Math.max(most, row[from] + 1), 0);
  }
  for (let i = count - 1; i >= 0; i--) {
    if (above[i].length === 0 && below[i].length > 0) {
      row[i] = Math.max(0, Math.min(...below[i].map((to) => row[to])) - 1);
    }
  }
  return row;
}

/** Items in rows: the nodes, and a bend for each row that an edge passes. */
function items(nodes, edges, row) {
  const made = nodes.map((node, i) => ({ row: row[i], width: node.width, above: [], below: [], x: 0, bend: false })), paths = [];
  for (const [from, to] of edges) {
    const path = [from], span = row[to] - row[from];
    for (let r = 1; r < span && span <= LONGEST; r++) {
      path.push(made.push({ row: row[from] + r, width: 10, above: [], below: [], x: 0, bend: true }) - 1);
    }
    path.push(to);
    for (let k = 1; k < path.length && span <= LONGEST; k++) {
      made[path[k]].above.push(path[k - 1]);
      made[path[k - 1]].below.push(path[k]);
    }
    paths.push(path);
  }
  return { made, paths };
}

const mean = (made, others, otherwise) => (others.length ? others.reduce((sum, k) => sum + made[k].x, 0) / others.length : otherwise);

/** Moves the items of a row, which are in order, to where they want to be as far as there is room. */
function settle(made, line, wanted, gap) {
  line.sort((a, b) => wanted.get(a) - wanted.get(b) || a - b);
  let edge = -Infinity;
  for (const k of line) {
    made[k].x = Math.max(wanted.get(k), edge + made[k].width / 2);
    edge = made[k].x + made[k].width / 2 + gap;
  }
  const shift = line.reduce((sum, k) => sum + wanted.get(k) - made[k].x, 0) / line.length;
  line.forEach((k) => { made[k].x += shift; });
}

/**
 * nodes: [{ width }], after what they read; edges: [[from, to]]. Gives { x, y } of the middle of each node, the points of each edge,
 * and the size of the whole.
 */
export function layout(nodes, edges, { height = 44, between = 44, gap = 24 } = {}) {
  const row = rows(nodes.length, edges), { made, paths } = items(nodes, edges, row), lines = [];
  made.forEach((item, k) => (lines[item.row] ??= []).push(k));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    for (const line of down ? lines : lines.toReversed()) {
      settle(made, line, new Map(line.map((k) => [k, mean(made, down ? made[k].above : made[k].below, made[k].x)])), gap);
    }
  }
  align(made, lines, gap).forEach((at, k) => { made[k].x = at; });
  const left = made.reduce((least, item) => Math.min(least, item.x - item.width / 2), 0);
  const right = made.reduce((most, item) => Math.max(most, item.x + item.width / 2), 0);
  const x = (k) => made[k].x - left + gap, y = (k) => made[k].row * (height + between) + gap + height / 2;
  return {
    nodes: nodes.map((_, k) => ({ x: x(k), y: y(k) })), edges: paths.map((path) => path.map((k) => [x(k), y(k)])),
    width: right - left + 2 * gap, height: lines.length * (height + between) + 2 * gap,
  };
}
