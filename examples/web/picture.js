// SPDX-License-Identifier: Apache-2.0
// A graph as a picture that scrolls: nodes are buttons over lines, and only those in sight are in the page, so that
// thousands of them cost no more than a few.
import { el, name, shown } from "./dom.js";

const HEIGHT = 44, MARGIN = 200; // of a node; what is drawn beyond the edge of what is seen
const SVG = "http://www.w3.org/2000/svg";

const path = (points) => points.map(([x, y], i) => {
  if (i === 0) {
    return `M${x} ${y + HEIGHT / 2}`;
  }
  const [px, py] = points[i - 1], from = py + (i === 1 ? HEIGHT / 2 : 0), to = y - (i === points.length - 1 ? HEIGHT / 2 : 0);
  return `C${px} ${(from + to) / 2} ${x} ${(from + to) / 2} ${x} ${to}`;
}).join("");

/** Things by the stretch of height that they take, in slices, so that those in sight are found at once. */
function slices(list, span) {
  const found = new Map();
  list.forEach((thing, k) => {
    const [top, bottom] = span(thing);
    for (let s = Math.floor(top / 500); s <= Math.floor(bottom / 500); s++) {
      found.has(s) ? found.get(s).push(k) : found.set(s, [k]);
    }
  });
  return (from, to) => {
    const seen = new Set();
    for (let s = Math.floor(from / 500); s <= Math.floor(to / 500); s++) {
      found.get(s)?.forEach((k) => seen.add(k));
    }
    return seen;
  };
}

export class Picture {
  #graph;
  #scale = 1;
  #picked = -1;
  #onPick;
  #shown = new Map(); // number of a node -> its button

  constructor(title, graph, onPick) {
    this.#graph = graph;
    this.#onPick = onPick;
    this.lines = document.createElementNS(SVG, "svg");
    this.lines.setAttribute("aria-hidden", "true");
    this.canvas = el("div", { class: "canvas" }, this.lines);
    this.view = el("div", { class: "view", tabindex: "0", role: "group", "aria-label": title + ": arrow keys go from node to node",
      scroll: () => requestAnimationFrame(() => this.#draw()), keydown: (event) => this.#key(event) }, this.canvas);
    this.nodesIn = slices(graph.layout.nodes, ({ y }) => [y - HEIGHT, y + HEIGHT]);
    this.edgesIn = slices(graph.layout.edges, (points) => [points[0][1], points.at(-1)[1]]);
    this.element = el("div", { class: "picture" }, el("div", { class: "buttons" }, el("h3", {}, title),
      el("span", { class: "quiet" }, graph.nodes.filter((n) => n.kind === "node").length.toLocaleString("en") + " nodes"),
      this.#button("−", "Smaller", 1 / 1.25), this.#button("+", "Larger", 1.25)), this.view);
    new ResizeObserver(() => this.#draw()).observe(this.view);
  }

  #button(text, label, factor) {
    return el("button", { type: "button", "aria-label": label, click: () => {
      this.#scale = Math.min(2, Math.max(0.25, this.#scale * factor));
      this.#redraw();
    } }, text);
  }

  #redraw() {
    this.#shown.forEach((button) => button.remove());
    this.#shown.clear();
    this.#draw();
  }

  /** Brings what is in sight into the page and takes the rest out. */
  #draw() {
    const { layout } = this.#graph, scale = this.#scale, { scrollTop, clientHeight } = this.view;
    this.canvas.style.width = layout.width * scale + "px";
    this.canvas.style.height = layout.height * scale + "px";
    const from = (scrollTop - MARGIN) / scale, to = (scrollTop + clientHeight + MARGIN) / scale, seen = this.nodesIn(from, to);
    for (const [k, button] of this.#shown) {
      if (!seen.has(k)) {
        button.remove();
        this.#shown.delete(k);
      }
    }
    seen.forEach((k) => this.#shown.has(k) || this.#show(k));
    this.lines.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    const d = [...this.edgesIn(from, to)].map((k) => path(layout.edges[k])).join("");
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", d);
    this.lines.replaceChildren(line);
  }

  #show(k) {
    const node = this.#graph.nodes[k], { x, y } = this.#graph.layout.nodes[k], scale = this.#scale;
    const button = el("button", { type: "button", tabindex: "-1", class: "node " + node.kind, "data-node": k, "aria-pressed": String(k === this.#picked),
      click: () => this.pick(k, true) }, el("b", {}, shown(node.op)), name(node.name));
    Object.assign(button.style, { left: x * scale + "px", top: y * scale + "px", width: node.width + "px", height: HEIGHT + "px",
      transform: `translate(-50%, -50%) scale(${scale})` });
    this.#shown.set(k, button);
    this.canvas.append(button);
    return button;
  }

  /** Brings a node into sight, marked. */
  pick(k, tell = false) {
    this.#shown.get(this.#picked)?.setAttribute("aria-pressed", "false");
    this.#picked = k;
    const { x, y } = this.#graph.layout.nodes[k], { clientWidth, clientHeight } = this.view;
    if (!tell || y * this.#scale < this.view.scrollTop + HEIGHT || y * this.#scale > this.view.scrollTop + clientHeight - HEIGHT) {
      this.view.scrollTop = y * this.#scale - clientHeight / 2;
    }
    this.view.scrollLeft = x * this.#scale - clientWidth / 2;
    this.#draw();
    this.#shown.get(k)?.setAttribute("aria-pressed", "true");
    tell && this.#onPick(k);
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? this.#graph.nodes.length - 1 : this.#picked + step;
    if (next >= 0 && next < this.#graph.nodes.length) {
      event.preventDefault();
      this.pick(next, true);
      this.#shown.get(next)?.focus({ preventScroll: true });
    }
  }

  centre() {
    this.view.scrollLeft = (this.canvas.scrollWidth - this.view.clientWidth) / 2;
    this.#draw();
  }
}
