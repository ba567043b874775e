// SPDX-License-Identifier: Apache-2.0
// Both graphs, the node that was picked in one of them and the one that goes with it in the other, and the search.
import { Client } from "./client.js";
import { at, el, name, shown } from "./dom.js";
import { Picture } from "./picture.js";

const TITLES = { mxnet: "MXNet", onnx: "ONNX" };
const drawers = { mxnet: new Client("drawer.js"), onnx: new Client("drawer.js") };
const places = { mxnet: el("div", { class: "picture" }), onnx: el("div", { class: "picture" }) };
const sides = { mxnet: null, onnx: null }; // { graph, picture } of what is drawn
let active = "mxnet"; // the graph in which a node was picked last
const turns = { mxnet: 0, onnx: 0 }; // the last graphs; answers for earlier ones are dropped
let lost = null; // the node that was picked in a graph that is drawn again
let addOutput = (output) => output; // what the page does with it
let matches = [], match = -1, searched = null; // what was found, in which graph

// ---- the node that was picked

const pairs = (list) => el("dl", { class: "pairs" }, list.map(([key, value]) => el("div", {}, el("dt", {}, key), el("dd", { class: "dims" }, value))));

function details(kind, node) {
  const values = (list) => pairs(list.map(([value, type]) => [name(value), shown(type || "–")]));
  const isNode = kind === "mxnet" && node.kind === "node";
  return el("div", { class: "details", "data-family": node.family }, el("p", { class: "op" }, shown(node.op)),
    el("h3", {}, TITLES[kind] + ": ", name(node.name)),
    node.attributes.length > 0 && [el("h4", {}, "Attributes"), pairs(node.attributes.map(([key, value]) => [name(key), shown(value)]))],
    node.reads.length > 0 && [el("h4", {}, "Inputs"), values(node.reads)],
    node.gives.length > 0 && [el("h4", {}, "Outputs"), values(node.gives)],
    isNode && el("button", { type: "button", "data-adds": true, click: () => addOutput(node.name) }, "Make it an output"));
}

/** The node of the other graph that this one became or comes from: its name, or its name and what was added after a /. */
export function counterpart(node, nodes) {
  const base = node.name.split("/")[0];
  const exact = nodes.findIndex((n) => n.name === node.name), close = nodes.findIndex((n) => n.name.split("/")[0] === base);
  return exact >= 0 ? exact : close;
}

const otherThan = (kind) => (kind === "mxnet" ? "onnx" : "mxnet");

function inspect(kind, n) {
  const panel = at("inspector"), other = otherThan(kind), focus = document.activeElement;
  const held = panel.contains(focus) && (focus.matches("[data-adds]") ? "[data-adds]" : "button");
  panel.hidden = n < 0;
  if (n < 0) {
    panel.replaceChildren();
    return;
  }
  const node = sides[kind].graph.nodes[n], there = sides[other] ? counterpart(node, sides[other].graph.nodes) : -1;
  const close = () => {
    lost = null;
    inspect(kind, -1);
    sides[kind]?.picture.pick(-1, true);
    sides[kind]?.picture.view.focus();
  };
  panel.replaceChildren(el("div", { class: "inspector-head" }, el("h2", {}, "Node"),
    el("button", { type: "button", class: "plain", "aria-label": "Close the node", click: close }, "×")), details(kind, node),
  there >= 0 ? details(other, sides[other].graph.nodes[there]) : "");
  if (held) { // the button that was pressed, made anew
    panel.querySelector(held)?.focus({ preventScroll: true });
  }
}

function picked(kind, n) {
  const other = sides[otherThan(kind)];
  active = kind;
  inspect(kind, n);
  if (other) {
    other.picture.pick(n < 0 ? -1 : counterpart(sides[kind].graph.nodes[n], other.graph.nodes));
  }
}

/** The node that is picked, if any. */
const pickedNode = () => sides[active]?.graph.nodes[sides[active].picture.picked] ?? null;

/** Picks in a graph that was drawn the node that was picked before, or the one that goes with it. */
function pickAgain(kind) {
  const node = pickedNode() ?? lost, n = node ? counterpart(node, sides[kind].graph.nodes) : -1;
  if (n >= 0 && n !== sides[kind].picture.picked) {
    sides[kind].picture.pick(n);
  }
  if (kind === active || !sides[active]) {
    picked(kind, n);
  } else {
    inspect(active, sides[active].picture.picked);
  }
}

// ---- the search

const visible = () => [active, "mxnet", "onnx"].find((kind) => sides[kind] && !places[kind].hidden);

function say() {
  at("matches").textContent = !at("search").value.trim() ? "" : matches.length === 0 ? "nothing found"
    : match < 0 ? `${matches.length} found` : `${match + 1} of ${matches.length}`;
}

/** Looks in the graph that is in sight for what is typed, and marks it; nothing moves. */
function search() {
  const wanted = at("search").value.trim().toLowerCase(), kind = visible(), nodes = sides[kind]?.graph.nodes ?? [];
  if (searched !== kind) {
    sides[searched]?.picture.mark([]);
  }
  searched = kind;
  matches = [...nodes.keys()].filter((n) => wanted && (nodes[n].name.toLowerCase().includes(wanted) || nodes[n].op.toLowerCase().includes(wanted)));
  match = matches.indexOf(sides[kind]?.picture.picked);
  sides[kind]?.picture.mark(matches);
  say();
}

function find() {
  search();
  match = -1;
  step(1);
}

/** Looks for a node or an operator, as if it were typed. */
export function searchFor(text) {
  at("search").value = text;
  find();
}

function step(by) {
  if (visible() !== searched) {
    search();
  }
  if (matches.length > 0) {
    match = match < 0 && by < 0 ? matches.length - 1 : (match + by + matches.length) % matches.length;
    sides[searched].picture.pick(matches[match], true);
  }
  say();
}

at("search").addEventListener("input", find);
at("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  } else if (event.key === "ArrowDown" && matches.length > 0) {
    event.preventDefault();
    sides[searched]?.picture.focusNode(matches[Math.max(0, match)]);
  }
});
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
  if (event.key === "/" && !typing && at("panel-graph").checkVisibility()) {
    event.preventDefault();
    at("search").focus();
  }
});

// ---- both graphs

async function add(kind, request) {
  const mine = turns[kind], started = performance.now();
  places[kind].replaceChildren(el("div", { class: "view waiting" }, "Drawing …"));
  try {
    const graph = await drawers[kind].ask(kind, request);
    if (mine !== turns[kind]) {
      return null;
    }
    const picture = new Picture(TITLES[kind], graph, (n) => {
      lost = null;
      picked(kind, n);
    });
    sides[kind] = { graph, picture };
    places[kind].replaceChildren(...picture.element.childNodes);
    places[kind].dataset.milliseconds = Math.round(performance.now() - started);
    pickAgain(kind);
    search();
    return graph;
  } catch (error) {
    if (mine === turns[kind]) {
      places[kind].replaceChildren(el("div", { class: "view waiting" }, el("p", {}, "The graph cannot be drawn: " + shown(error.message))));
    }
    return null;
  }
}

function clear(kind) {
  turns[kind]++;
  sides[kind]?.picture.drop();
  sides[kind] = null;
  places[kind].replaceChildren(el("div", { class: "view waiting" }, kind === "onnx" ? "Convert the model to see its ONNX graph here." : ""));
}

/** Draws MXNet's graph, the JSON of it, or none, for a model that is left; gives its nodes, or null where it could not be drawn or another
 * is drawn by now. `toOutput` adds an output by its name. What is picked and searched stays where the graph is that of the same model with other choices. */
export async function drawMxnet(graph, toOutput) {
  lost = graph ? pickedNode() ?? lost : null;
  addOutput = toOutput;
  clear("mxnet");
  clear("onnx");
  if (!graph) {
    inspect("mxnet", -1);
    at("search").value = "";
    search();
    return [];
  }
  return (await add("mxnet", { json: graph }))?.nodes ?? null;
}

/** Draws ONNX's graph after a conversion, or none. */
export async function drawOnnx(file) {
  lost = pickedNode() ?? lost;
  clear("onnx");
  if (sides.mxnet) {
    pickAgain("mxnet");
  }
  return (file ? await add("onnx", { file }) : null)?.nodes ?? [];
}

/** Which graphs are in sight: "mxnet", "onnx" or "both". */
export function showGraphs(which) {
  const kinds = ["mxnet", "onnx"].filter((kind) => which === "both" || which === kind);
  ["mxnet", "onnx"].forEach((kind) => { places[kind].hidden = !kinds.includes(kind); });
  if (at("pictures").childElementCount === 0) {
    at("pictures").append(places.mxnet, places.onnx);
  }
  if (visible() !== searched) {
    search();
  }
}
