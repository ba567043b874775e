// SPDX-License-Identifier: Apache-2.0
// Both graphs side by side, and the node that was picked.
import { Client } from "./client.js";
import { at, el, name, shown, table } from "./dom.js";
import { Picture } from "./picture.js";
import { bars } from "./report.js";

const drawers = { mxnet: new Client("drawer.js"), onnx: new Client("drawer.js") };
let turn = 0; // the last model; graphs of earlier ones are dropped

function details(title, node) {
  const values = (list) => list.map(([value, type]) => [name(value), el("span", { class: "dims" }, shown(type))]);
  return el("div", { class: "details" }, el("h4", {}, title + ": ", name(node.name), " "), el("p", {}, el("b", {}, shown(node.op))),
    node.attributes.length > 0 && table(title + ": attributes of the node", ["Attribute", "Value"], node.attributes.map(([key, value]) => [name(key), shown(value)])),
    node.reads.length > 0 && table(title + ": inputs of the node", ["Input", "Type and shape"], values(node.reads)),
    node.gives.length > 0 && table(title + ": outputs of the node", ["Output", "Type and shape"], values(node.gives)));
}

/** The node of the other graph that this one became or comes from: its name, or its name and what was added behind a /. */
export function counterpart(node, nodes) {
  const base = node.name.split("/")[0];
  const exact = nodes.findIndex((n) => n.name === node.name), close = nodes.findIndex((n) => n.name.split("/")[0] === base);
  return exact >= 0 ? exact : close;
}

function side(kind, title, graph, sides) {
  const panel = el("div", { class: "panel", role: "region", "aria-label": "The node of " + title, "aria-live": "polite" },
    el("p", { class: "quiet" }, "Select a node to see its attributes and shapes."));
  const show = (k) => panel.replaceChildren(details(title, graph.nodes[k]));
  const picture = new Picture(title, graph, (k) => {
    show(k);
    const other = sides[kind === "mxnet" ? "onnx" : "mxnet"], there = other ? counterpart(graph.nodes[k], other.graph.nodes) : -1;
    there >= 0 && other.follow(there);
  });
  sides[kind] = { graph, follow: (k) => { picture.pick(k); show(k); } };
  return { element: el("div", { class: "side" }, picture.element, panel), picture };
}

async function add(kind, title, request, sides, place) {
  const mine = turn, started = performance.now();
  try {
    const graph = await drawers[kind].ask(kind, request);
    if (mine !== turn) {
      return;
    }
    const { element, picture } = side(kind, title, graph, sides);
    place.replaceChildren(element);
    picture.centre();
    place.dataset.milliseconds = Math.round(performance.now() - started);
    kind === "onnx" && place.append(counts(graph));
  } catch (error) {
    place.replaceChildren(el("p", { class: "error" }, "The graph cannot be drawn: " + error.message));
  }
}

function counts({ nodes }) {
  const found = new Map();
  nodes.forEach(({ kind, op }) => kind === "node" && found.set(op, (found.get(op) ?? 0) + 1));
  const items = [...found].sort((a, b) => b[1] - a[1]).map(([label, value]) => ({ label, value, text: String(value) }));
  return el("div", {}, el("h4", {}, "ONNX operators"), bars(items, "ONNX operators by use"));
}

/** Draws MXNet's graph, { text } or { json } or null, and ONNX's behind a conversion (`file`). */
export function look(mxnet, file) {
  turn++;
  const sides = {}, places = { mxnet: el("div", {}), onnx: el("div", {}) };
  at("pictures").replaceChildren(places.mxnet, places.onnx);
  at("look").hidden = !mxnet && !file;
  mxnet && add("mxnet", "MXNet", mxnet, sides, places.mxnet);
  file && add("onnx", "ONNX", { file }, sides, places.onnx);
}
