// SPDX-License-Identifier: Apache-2.0
// The map of a graph that is much larger than its view: all nodes, and what is in sight, which a pointer moves.
import { el } from "./dom.js";
import { HEIGHT, palette, sized } from "./ink.js";

const LARGE = 2.5, WIDE = 480; // a graph of so many views has a map, in a view of so many pixels

const clamp = (v, least, most) => Math.min(most, Math.max(least, v));

export class GraphMap {
  #graph;
  #moveTo;
  #ink = el("canvas", {});
  #nodes = null; // a picture of all nodes, until they change

  /** `moveTo(x, y)` brings a point of the graph into the middle of the view. */
  constructor(graph, moveTo) {
    this.#graph = graph;
    this.#moveTo = moveTo;
    this.element = el("div", { class: "map", "aria-hidden": "true", hidden: true, pointerdown: (event) => this.#press(event),
      pointermove: (event) => event.buttons && this.#press(event) }, this.#ink);
  }

  /** Nodes, or the colours, have changed. */
  forget() {
    this.#nodes = null;
  }

  /** place: { x, y, k }, of the graph in the view; view: [width, height]; found: nodes that are marked. */
  draw({ x, y, k }, [w, h], found) {
    const { layout } = this.#graph;
    this.element.hidden = w < WIDE || (layout.height * k < LARGE * h && layout.width * k < LARGE * w);
    if (this.element.hidden) {
      return;
    }
    const { context, width, height } = sized(this.#ink), across = width / layout.width, down = height / layout.height;
    if (this.#nodes?.width === this.#ink.width && this.#nodes.height === this.#ink.height) {
      context.drawImage(this.#nodes, 0, 0, width, height);
    } else {
      this.#drawNodes(context, across, down, found);
      this.#nodes = new OffscreenCanvas(this.#ink.width, this.#ink.height);
      this.#nodes.getContext("2d").drawImage(this.#ink, 0, 0);
    }
    const left = clamp(-x / k, 0, layout.width) * across, right = clamp((w - x) / k, 0, layout.width) * across;
    const top = clamp(-y / k, 0, layout.height) * down, bottom = clamp((h - y) / k, 0, layout.height) * down;
    context.strokeStyle = palette().accent;
    context.lineWidth = 2;
    context.strokeRect(left + 1, top, Math.max(4, right - left - 2), Math.max(6, bottom - top));
  }

  #drawNodes(context, across, down, found) {
    const colour = palette();
    this.#graph.layout.nodes.forEach(({ x, y }, n) => {
      const node = this.#graph.nodes[n];
      context.fillStyle = found.has(n) ? colour.accent : colour[node.family];
      context.fillRect((x - node.width / 2) * across, (y - HEIGHT / 2) * down, Math.max(1.5, node.width * across), Math.max(1, HEIGHT * down));
    });
  }

  #press(event) {
    const box = this.element.getBoundingClientRect(), { layout } = this.#graph;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.#moveTo(((event.clientX - box.left) / box.width) * layout.width, ((event.clientY - box.top) / box.height) * layout.height);
  }
}
