// SPDX-License-Identifier: Apache-2.0
// A graph as a picture that is dragged and zoomed. Lines are painted; nodes are buttons, and only those in sight are in the page, so that
// thousands of them cost no more than a few. From far away nodes are painted, too.
import { count, el, name, shown } from "./dom.js";
import { arrow, box, forgetColours, HEIGHT, labels, line, palette, sized } from "./ink.js";
import { GraphMap } from "./map.js";

const LEAST = 0.004, MOST = 3; // of the scale
const BUTTONS_FROM = 0.4, LABELS_FROM = 0.6, ARROWS_FROM = 0.24; // the scales from which nodes are buttons, and so on
const SLICE = 500;
const STEP = 1.25;
const AIR = 40; // pixels around a graph that is fitted
const READABLE = 0.75, FIRST = 0.85; // scales: of a graph that is seen whole at first, of one that is not
const TAP = 4; // pixels that a pointer may move in a click

const clamp = (v, least, most) => Math.min(most, Math.max(least, v));

/** Things by the stretch of height that they take, in slices, so that those in sight are found at once. */
function slices(list, span) {
  const found = new Map();
  list.forEach((thing, k) => {
    const [top, bottom] = span(thing);
    for (let s = Math.floor(top / SLICE); s <= Math.floor(bottom / SLICE); s++) {
      if (!found.has(s)) {
        found.set(s, []);
      }
      found.get(s).push(k);
    }
  });
  return (from, to) => {
    const seen = new Set();
    for (let s = Math.floor(from / SLICE); s <= Math.floor(to / SLICE); s++) {
      found.get(s)?.forEach((k) => seen.add(k));
    }
    return seen;
  };
}

/** How large the reader has letters, on a large screen say, next to the usual size. */
const unit = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

const pictures = new Set();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  forgetColours();
  pictures.forEach((picture) => picture.redraw());
});

export class Picture {
  #graph;
  #onPick;
  #place = { x: 0, y: 0, k: 1 }; // of the graph's origin in the view, and the scale
  #picked = -1;
  #found = new Set(); // what a search found
  #shown = new Map(); // number of a node -> its button
  #pointers = new Map();
  #moved = 0;
  #waiting = false;
  #placed = () => this.start(); // how it was placed last, until the reader moves it

  constructor(title, graph, onPick) {
    this.#graph = graph;
    this.#onPick = onPick;
    this.ink = el("canvas", { "aria-hidden": "true" });
    this.nodes = el("div", { class: "nodes" });
    this.view = el("div", { class: "view", tabindex: "0", role: "group",
      "aria-label": `${title}: arrow keys follow the edges, plus and minus zoom, 0 shows all of it`, keydown: (event) => this.#key(event),
      pointerdown: (event) => this.#press(event), pointermove: (event) => this.#drag(event), pointerup: (event) => this.#release(event),
      pointercancel: (event) => this.#release(event), dblclick: (event) => this.#zoomAt(STEP * STEP, ...this.#inView(event)) },
    this.ink, this.nodes);
    this.view.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.map = new GraphMap(graph, (x, y) => this.#centre(x, y));
    const nodes = graph.nodes.filter((n) => n.kind === "node").length;
    const tool = (text, label, run) => el("button", { type: "button", "aria-label": `${label}, ${title}`, title: label, click: run }, text);
    this.element = el("div", { class: "picture" }, this.view,
      el("div", { class: "picture-title" }, el("h2", {}, title), el("span", { class: "quiet" }, " " + count(nodes, "node"))), this.map.element,
      el("div", { class: "picture-tools" }, tool("+", "Zoom in", () => this.#zoomAt(STEP)), tool("−", "Zoom out", () => this.#zoomAt(1 / STEP)),
        tool("⤢", "Fit", () => this.fit())));
    this.nodesIn = slices(graph.layout.nodes, ({ y }) => [y - HEIGHT, y + HEIGHT]);
    this.edgesIn = slices(graph.layout.edges, (points) => [points[0][1], points.at(-1)[1]]);
    this.#link();
    new ResizeObserver(() => this.#resized()).observe(this.view);
    pictures.add(this);
  }

  /** Forgets the picture. */
  drop() {
    pictures.delete(this);
    this.element.remove();
  }

  #link() {
    this.below = this.#graph.nodes.map(() => []);
    this.above = this.#graph.nodes.map(() => []);
    for (const [from, to] of this.#graph.edges) {
      this.below[from].push(to);
      this.above[to].push(from);
    }
  }

  #resized() {
    if (this.view.clientWidth > 0) {
      this.#placed?.();
      this.redraw();
    }
  }

  // ---- places

  #inView(event) {
    const bounds = this.view.getBoundingClientRect();
    return [event.clientX - bounds.left, event.clientY - bounds.top];
  }

  #moveTo(place) {
    this.#place = place;
    this.#placed = null;
    this.#keepInside();
    this.#soon();
  }

  /** A point of the graph in the middle of the view. */
  #centre(x, y) {
    const { k } = this.#place;
    this.#moveTo({ x: this.view.clientWidth / 2 - x * k, y: this.view.clientHeight / 2 - y * k, k });
  }

  /** Some of the graph stays in sight. */
  #keepInside() {
    const { layout } = this.#graph, p = this.#place, { clientWidth: w, clientHeight: h } = this.view;
    p.x = clamp(p.x, Math.min(0, w / 2) - layout.width * p.k, w / 2 + Math.max(0, w / 2 - 60));
    p.y = clamp(p.y, h / 2 - layout.height * p.k, h / 2);
  }

  #zoomAt(factor, x = this.view.clientWidth / 2, y = this.view.clientHeight / 2) {
    const p = this.#place, k = clamp(p.k * factor, Math.min(LEAST, this.#wholeScale()), MOST), ratio = k / p.k;
    this.#moveTo({ x: x - (x - p.x) * ratio, y: y - (y - p.y) * ratio, k });
  }

  #wholeScale() {
    const { layout } = this.#graph, { clientWidth: w, clientHeight: h } = this.view;
    return Math.min(unit(), Math.max(1, w - AIR) / layout.width, Math.max(1, h - AIR) / layout.height);
  }

  /** The first node in the middle, near the top: what one sees at first. */
  start() {
    const { layout } = this.#graph, { clientWidth: w } = this.view, first = layout.nodes[0] ?? { x: layout.width / 2, y: 0 };
    if (this.#wholeScale() >= READABLE * unit()) {
      this.fit();
    } else {
      const k = FIRST * unit();
      this.#moveTo({ x: w / 2 - first.x * k, y: 56 - (first.y - HEIGHT / 2) * k, k });
    }
    this.#placed = () => this.start();
  }

  /** All of it. */
  fit() {
    const { layout } = this.#graph, { clientWidth: w, clientHeight: h } = this.view, k = this.#wholeScale();
    this.#moveTo({ x: (w - layout.width * k) / 2, y: (h - layout.height * k) / 2, k });
    this.#placed = () => this.fit();
  }

  // ---- drawing

  redraw() {
    this.map.forget();
    this.#soon();
  }

  #soon() {
    if (!this.#waiting) {
      this.#waiting = true;
      requestAnimationFrame(() => {
        this.#waiting = false;
        this.#draw();
      });
    }
  }

  /** Brings what is in sight into the page and takes the rest out. */
  #draw() {
    if (this.view.clientWidth === 0) {
      return;
    }
    const { x, y, k } = this.#place, { clientWidth, clientHeight } = this.view;
    const sight = { left: -x / k, right: (clientWidth - x) / k, top: (-y - HEIGHT) / k, bottom: (clientHeight - y + HEIGHT) / k };
    const seen = [...this.nodesIn(sight.top, sight.bottom)].filter((n) => this.#isIn(n, sight));
    this.nodes.style.transform = `translate(${x}px, ${y}px) scale(${k})`;
    this.#showButtons(k >= BUTTONS_FROM ? new Set(seen) : new Set());
    this.#paint(sight, k < BUTTONS_FROM ? seen : []);
    this.map.draw(this.#place, [clientWidth, clientHeight], this.#found);
  }

  #isIn(n, sight) {
    const at = this.#graph.layout.nodes[n], half = this.#graph.nodes[n].width / 2;
    return at.x + half >= sight.left && at.x - half <= sight.right && at.y + HEIGHT >= sight.top && at.y - HEIGHT <= sight.bottom;
  }

  #showButtons(seen) {
    for (const [n, button] of this.#shown) {
      if (!seen.has(n) && button !== document.activeElement) {
        button.remove();
        this.#shown.delete(n);
      }
    }
    const fresh = [...seen].filter((n) => !this.#shown.has(n)).map((n) => this.#button(n));
    this.nodes.append(...fresh);
  }

  #button(n) {
    const node = this.#graph.nodes[n], { x, y } = this.#graph.layout.nodes[n];
    const button = el("button", { type: "button", tabindex: "-1", class: "node " + node.kind, "data-node": n, "data-family": node.family,
      "aria-pressed": String(n === this.#picked), click: () => this.#moved <= TAP && this.pick(n, true) },
    el("b", {}, shown(node.op)), name(node.name));
    Object.assign(button.style, { left: x + "px", top: y + "px", width: node.width + "px" });
    this.#shown.set(n, button);
    return button;
  }

  #paint(sight, nodes) {
    const { context } = sized(this.ink), { x, y, k } = this.#place, { layout } = this.#graph, colour = palette();
    const edges = [...this.edgesIn(sight.top, sight.bottom)];
    context.translate(x, y);
    context.scale(k, k);
    context.lineWidth = Math.max(1.4, 0.7 / k);
    context.strokeStyle = context.fillStyle = colour.line;
    context.beginPath();
    edges.forEach((e) => line(context, layout.edges[e], k));
    context.stroke();
    if (k >= ARROWS_FROM) {
      context.beginPath();
      edges.forEach((e) => arrow(context, layout.edges[e].at(-1)));
      context.fill();
    }
    if (this.#picked >= 0) {
      this.#paintPicked(context, edges, k, colour);
    }
    nodes.forEach((n) => box(context, this.#graph.nodes[n], layout.nodes[n],
      n === this.#picked || this.#found.has(n) ? colour.accent : colour[this.#graph.nodes[n].family], k));
    if (k >= LABELS_FROM) {
      labels(context, this.#graph, edges, sight, colour);
    }
  }

  #paintPicked(context, edges, k, colour) {
    const mine = edges.filter((e) => this.#graph.edges[e].includes(this.#picked));
    context.strokeStyle = context.fillStyle = colour.accent;
    context.lineWidth *= 1.8;
    context.beginPath();
    mine.forEach((e) => line(context, this.#graph.layout.edges[e], k));
    context.stroke();
    context.beginPath();
    mine.forEach((e) => arrow(context, this.#graph.layout.edges[e].at(-1)));
    context.fill();
  }

  // ---- pointers

  #press(event) {
    if (event.button !== 0) {
      return;
    }
    this.#pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.#pointers.size === 1) {
      this.#moved = 0;
    }
  }

  #drag(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      return;
    }
    const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]], others = [...this.#pointers].filter(([id]) => id !== event.pointerId);
    this.#moved += Math.abs(dx) + Math.abs(dy);
    if (this.#moved > TAP && !this.view.hasPointerCapture(event.pointerId)) {
      this.view.setPointerCapture(event.pointerId); // a click on a node stays a click until then
      this.view.classList.add("held");
    }
    this.#pointers.set(event.pointerId, [event.clientX, event.clientY]);
    const p = this.#place;
    if (others.length === 0) {
      this.#moveTo({ ...p, x: p.x + dx, y: p.y + dy });
    } else {
      this.#pinch(before, [event.clientX, event.clientY], others[0][1]);
    }
  }

  #pinch(before, now, still) {
    const bounds = this.view.getBoundingClientRect(), far = ([x, y]) => Math.hypot(x - still[0], y - still[1]);
    this.#moveTo({ ...this.#place, x: this.#place.x + (now[0] - before[0]) / 2, y: this.#place.y + (now[1] - before[1]) / 2 });
    this.#zoomAt(far(now) / Math.max(1, far(before)), (now[0] + still[0]) / 2 - bounds.left, (now[1] + still[1]) / 2 - bounds.top);
  }

  #release(event) {
    const pressed = this.#pointers.delete(event.pointerId);
    this.view.classList.remove("held");
    if (pressed && event.type === "pointerup" && this.#pointers.size === 0 && this.#moved <= TAP && this.#picked >= 0 && !event.target.closest(".node")) {
      this.pick(-1, true); // a click on none of the nodes
    }
  }

  #wheel(event) {
    const lines = event.deltaMode === 1 ? 32 : 1, scrolls = document.documentElement.scrollHeight > innerHeight + 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.#zoomAt(Math.exp(-clamp(event.deltaY * lines, -200, 200) / 200), ...this.#inView(event));
    } else if (!scrolls || this.view.contains(document.activeElement)) { // a page that scrolls must not be trapped
      event.preventDefault();
      const [dx, dy] = event.shiftKey && !event.deltaX ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      this.#moveTo({ ...this.#place, x: this.#place.x - dx * lines, y: this.#place.y - dy * lines });
    }
  }

  // ---- what is picked

  /** Brings a node into sight, marked. */
  pick(n, tell = false) {
    this.#shown.get(this.#picked)?.setAttribute("aria-pressed", "false");
    this.#picked = n;
    this.#shown.get(n)?.setAttribute("aria-pressed", "true");
    if (tell) {
      this.#onPick(n); // before it is brought into sight: the inspector takes room
    }
    if (n >= 0) {
      this.#bring(n, tell);
    }
    this.#draw();
  }

  #bring(n, gently) {
    const { x, y } = this.#graph.layout.nodes[n], { clientWidth: w, clientHeight: h } = this.view, p = this.#place;
    const k = p.k < BUTTONS_FROM ? 1 : p.k, sx = x * k + p.x, sy = y * k + p.y, half = (this.#graph.nodes[n].width / 2) * k;
    const inside = k === p.k && sx - half > 0 && sx + half < w && sy > HEIGHT && sy < h - HEIGHT && !this.#isUnderMap(sx, sy, half, k);
    if (!inside || !gently) {
      const across = k === p.k && sx - half > 0 && sx + half < w && !this.#isUnderMap(sx, h / 2, half, k) ? p.x : w / 2 - x * k;
      this.#place = { x: across, y: h / 2 - y * k, k };
      this.#keepInside();
    }
    this.#placed = () => this.#bring(n, true); // in sight still, when the view gets narrower
  }

  #isUnderMap(x, y, half, k) {
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = this.map.element, left = offsetLeft - this.view.offsetLeft, top = offsetTop - this.view.offsetTop;
    return offsetWidth > 0 && x + half > left && x - half < left + offsetWidth && y + HEIGHT * k > top && y - HEIGHT * k < top + offsetHeight;
  }

  /** Marks what a search found. */
  mark(found) {
    this.#found = new Set(found);
    this.map.forget();
    this.#soon();
  }

  get picked() {
    return this.#picked;
  }

  // ---- keys

  /** The node that is nearest from left to right, to one side, in the same row. */
  #sideways(n, side) {
    const { nodes } = this.#graph.layout, me = nodes[n];
    let best = -1;
    for (const k of this.nodesIn(me.y, me.y)) {
      const away = (nodes[k].x - me.x) * side;
      if (nodes[k].y === me.y && away > 0 && (best < 0 || away < (nodes[best].x - me.x) * side)) {
        best = k;
      }
    }
    return best;
  }

  #next(key) {
    const last = this.#graph.nodes.length - 1, n = this.#picked;
    if (key === "Home" || key === "End" || n < 0) {
      return key === "End" ? last : 0;
    }
    const [first] = { ArrowDown: this.below[n], ArrowUp: this.above[n] }[key] ?? [this.#sideways(n, key === "ArrowRight" ? 1 : -1)];
    return first ?? -1;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const tools = { "+": () => this.#zoomAt(STEP), "=": () => this.#zoomAt(STEP), "-": () => this.#zoomAt(1 / STEP), 0: () => this.fit(),
      Escape: () => { this.pick(-1, true); this.view.focus(); } };
    if (tools[event.key]) {
      event.preventDefault();
      tools[event.key]();
    } else if (/^(Arrow|Home|End)/.test(event.key)) {
      event.preventDefault();
      const next = this.#next(event.key);
      if (next >= 0) {
        this.pick(next, true);
        this.focusNode(next);
      }
    }
  }

  focusNode(n) {
    this.#shown.get(n)?.focus({ preventScroll: true });
  }
}
