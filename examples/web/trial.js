// SPDX-License-Identifier: Apache-2.0
// Runs the converted model: on a picture, a camera frame, numbers, at random, or on what MXNet recorded.
import { answers, forget } from "./answers.js";
import { Camera } from "./camera.js";
import { Cancelled, Client } from "./client.js";
import { card, dims as dimsText, el, name, shown, table } from "./dom.js";
import { imageAxes, SCALES } from "./tensors.js";

const SIDES = [224, 256, 300, 320, 416, 512, 128, 112, 64, 32, 28, 16, 8, 4, 2, 1]; // of pictures; the first that the model takes
const MOST = 1e8; // numbers of an input
const WITHOUT_FILE = { ready: "Convert the model first; then it runs here in ONNX Runtime, on a picture, a camera frame, or recorded numbers.",
  reading: "The model is being read.", converting: "The model is being converted; then it runs here.",
  refused: "The files hold no model that can be converted: the messages say what is wrong." };
const LENGTH = 16; // of other dims without a known size
const runner = new Client("runner.js");
let fields = 0;

function labelled(text, control, help) {
  control.id = "trial" + ++fields;
  return el("div", { class: "field" }, el("label", { for: control.id }, text), control, help && el("small", { class: "help quiet" }, help));
}

const isInteger = (type) => /^u?int/.test(type);
const isOpen = (d) => typeof d !== "number";
const mayBeImage = (input) => imageAxes(input.dims.map((d, axis) => (isOpen(d) ? (axis === 1 ? 3 : 8) : d)));

/** A picture as an ImageBitmap; createImageBitmap alone does not take an SVG. */
async function bitmapOf(file) {
  try {
    return await createImageBitmap(file);
  } catch {
    const url = URL.createObjectURL(file), image = new Image();
    try {
      image.src = url;
      await image.decode();
      return await createImageBitmap(image);
    } catch {
      throw new Error(`${shown(file.name || "this file")} is not a picture that the browser can read`);
    } finally {
      URL.revokeObjectURL(url);
    }
  }
}

/** What ONNX Runtime says, in words; `unloaded`: it was not even there. */
function inWords({ message, unloaded }) {
  if (unloaded || /no available backend|failed to fetch|fetching of the wasm failed|dynamically imported module/i.test(message)) {
    return "ONNX Runtime could not be loaded. Check the network, then load it again.";
  }
  const node = /Non-zero status code returned while running (\S+) node\. Name:'([^']*)'/.exec(message);
  if (node) {
    return `the node ${shown(node[2])} (${node[1]}) cannot work with these sizes. Choose sizes that the model was made for, or convert it again with a fixed shape.`;
  }
  const clash = /ERROR_MESSAGE: .*was false\. (.*)/s.exec(message);
  if (clash) {
    return `the model cannot work with these sizes (${shown(clash[1].trim())}). Choose sizes that it was made for, or convert it again with a fixed shape.`;
  }
  const wrong = /Got invalid dimensions for input: (\S+) for the following indices[\s\S]*?index: (\d+) Got: (\d+) Expected: (\d+)/.exec(message);
  if (wrong) {
    return `the input ${shown(wrong[1])} wants ${wrong[4]} at place ${Number(wrong[2]) + 1} of its shape, and ${wrong[3]} was given.`;
  }
  if (/bad_alloc|out of memory|allocat/i.test(message)) {
    return "there is not enough memory in the browser for this model; run it outside the browser.";
  }
  return shown(message.split("\n")[0]);
}

const milliseconds = (ms) => (ms < 10 ? ms.toFixed(1) : Math.round(ms)) + " ms";

const times = ({ first, each, runs }) => el("p", { id: "time", class: "quiet" }, el("strong", {}, milliseconds(each)),
  runs === 0 ? " for the first run" : runs === 1 ? ` a run; the first took ${milliseconds(first)}` : ` a run (the mean of ${runs}; the first took ${milliseconds(first)})`);

export class Trial {
  #fits;
  #file = null;
  #sample = null;
  #labels = [];
  #raw = null; // promise: does it take pixels from 0 to 255?
  #scale = ""; // of pixels, to begin with, if it is known
  #inputs = null; // those of the model, once it is loaded
  #sizes = new Map(); // of open dims
  #parts = []; // of inputs: { element, from(), and use(file) and camera where it takes pictures }
  #place = null;
  #answers = el("div", { id: "answers", role: "region", "aria-label": "Answers", tabindex: "-1" });
  #said = el("p", { role: "status" });
  #running = 0;
  #stage = "ready"; // the page's
  #last = null; // what the last run gave, to be drawn with other names
  #waiting = null; // what was dropped before the model was loaded

  /** `fits(shapes)`: does the model take inputs of these shapes, { name: [sizes] }? */
  constructor({ fits }) {
    this.#fits = fits;
    this.onConvert = () => {};
  }

  /** The file to try; what the sample is, and names of classes, if any; a promise: does it take pixels from 0 to 255? */
  offer({ file, sample, labels, raw }) {
    this.close();
    this.#raw = raw;
    this.#file = file;
    this.#sample = sample;
    this.#labels = labels ?? sample?.labels ?? [];
    this.#refresh();
  }

  /** Calls the classes by other names, also in the answers that are there. */
  call(labels) {
    this.#labels = labels;
    if (this.#last) {
      this.#answers.replaceChildren(...this.#last());
    }
  }

  /** Forgets the model and all that runs. */
  close() {
    runner.cancel();
    this.hide();
    forget();
    this.#file = this.#inputs = this.#last = this.#waiting = null;
    this.#parts = [];
    this.#running++;
    this.#said.textContent = "";
    this.#answers.replaceChildren();
    this.#refresh();
  }

  /** Shows it in `place`, at a stage of the page: once the model is converted, it is loaded. */
  show(place, stage) {
    const changed = this.#place === null || this.#stage !== stage;
    this.#place = place;
    this.#stage = stage;
    if ((changed && !this.#file) || (this.#file && !this.#inputs && !place.dataset.loading)) {
      this.#refresh();
    }
  }

  /** It is not in sight any more. */
  hide() {
    this.#stopCameras();
  }

  #refresh() {
    if (!this.#place) {
      return;
    }
    if (!this.#file) {
      delete this.#place.dataset.loading;
      this.#place.replaceChildren(el("div", { class: "try-empty" }, el("h2", {}, "Try the ONNX model"), el("p", {}, WITHOUT_FILE[this.#stage] ?? WITHOUT_FILE.ready),
        this.#stage === "ready" && el("button", { type: "button", class: "primary", click: () => this.onConvert() }, "Convert")));
    } else if (this.#place.checkVisibility()) {
      this.#load();
    }
  }

  async #load() {
    const mine = ++this.#running, file = this.#file;
    this.#place.dataset.loading = "yes";
    this.#place.replaceChildren(el("p", { role: "status", class: "quiet" }, "Loading ONNX Runtime and the model …"));
    try {
      const { inputs } = await runner.ask("open", { file });
      const sizes = await this.#usualSizes(inputs), raw = await this.#raw;
      if (mine === this.#running) {
        this.#inputs = inputs;
        this.#sizes = sizes;
        this.#scale = this.#sample?.scale ?? (raw ? "0 to 255" : "");
        this.#draw();
      }
    } catch (error) {
      if (mine === this.#running && !(error instanceof Cancelled)) {
        runner.cancel();
        this.#place.replaceChildren(this.#failed("It cannot be loaded", error), el("button", { type: "button", click: () => this.#load() }, "Load again"));
      }
    }
  }

  #failed(what, error) {
    const said = inWords(error);
    return card("error", [el("strong", {}, what), ": ", said], said !== shown(error.message)
      && el("details", {}, el("summary", {}, "What ONNX Runtime says"), el("pre", { tabindex: "0" }, shown(error.message))));
  }

  /** What open dims may be: 1 for a batch, the first side of a picture that the model takes, a length. */
  async #usualSizes(inputs) {
    const sizesFor = (side) => {
      const found = new Map();
      inputs.forEach((input) => input.dims.forEach((d, axis) => {
        if (isOpen(d) && !found.has(d)) {
          found.set(d, axis === 0 ? 1 : input.dims.length === 4 ? side : LENGTH);
        }
      }));
      return found;
    };
    if (!inputs.some((input) => input.dims.length === 4 && input.dims.slice(1).some(isOpen))) {
      return sizesFor(SIDES[0]);
    }
    for (const side of SIDES) {
      const sizes = sizesFor(side);
      if (await this.#fits(Object.fromEntries(inputs.map((input) => [input.name, this.#dims(input, sizes)]))).catch(() => true)) {
        return sizes;
      }
    }
    return sizesFor(SIDES[0]);
  }

  #dims(input, sizes = this.#sizes) {
    return input.dims.map((d) => (isOpen(d) ? sizes.get(d) : d));
  }

  // ---- fields

  #draw() {
    this.#parts = this.#inputs.map((input) => this.#inputPart(input));
    const labels = el("input", { type: "file", accept: ".txt,.names", change: async () =>
      this.call(labels.files[0] ? (await labels.files[0].text()).split(/\r?\n/) : []) });
    const recorded = el("input", { type: "file", accept: ".npz", id: "recorded", hidden: true, "aria-label": "A recorded .npz",
      change: () => { this.#recorded(recorded.files[0]); recorded.value = ""; } });
    const sizes = [...this.#sizes].map(([dim, size]) => labelled("Size of " + dim, el("input", { type: "number", min: 1, value: size,
      input: (event) => this.#sizes.set(dim, Number(event.target.value)) })));
    const left = el("div", {}, el("h2", {}, "Try the ONNX model"), this.#parts.map((part) => part.element),
      sizes.length > 0 && el("fieldset", {}, el("legend", {}, "Sizes"), el("div", { class: "fields" }, sizes)),
      el("p", { class: "buttons" }, el("button", { type: "button", id: "run", class: "primary", click: () => this.run() }, "Run"),
        el("button", { type: "button", click: () => recorded.click() }, "Compare with a recorded .npz"), recorded),
      el("details", {}, el("summary", {}, "Class names"), labelled("A file with one name a line", labels)));
    this.#place.replaceChildren(el("div", { class: "trial" }, left, el("div", {}, this.#said, this.#answers)));
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) {
      this.take(waiting);
    }
  }

  #inputPart(input) {
    const image = mayBeImage(input), ways = [...(image ? ["picture", "camera"] : []), ...(isInteger(input.type) ? ["numbers", "random"] : ["random", "numbers"])];
    const part = { input, way: ways[0], bitmap: null }, place = el("div", {}), group = "way" + ++fields;
    const usual = this.#scale || (image?.channels === 1 ? "0 to 1" : "ImageNet's mean and deviation");
    const scale = el("select", { change: () => part.bitmap && this.run() }, Object.keys(SCALES).map((v) => el("option", { value: v,
      selected: v === usual }, v)));
    const text = el("input", { type: "text", placeholder: "101 2023 2003 102" }), preview = el("canvas", { hidden: true, role: "img", "aria-label": "The picture" });
    const camera = new Camera((frame) => {
      take(frame);
      this.run();
    });
    const take = (bitmap) => {
      part.bitmap = bitmap;
      preview.hidden = false;
      [preview.width, preview.height] = [bitmap.width, bitmap.height];
      preview.getContext("2d").drawImage(bitmap, 0, 0);
    };
    const bodies = {
      picture: () => [this.#pictureField(use), labelled("Pixel values", scale), preview],
      camera: () => [camera.element, labelled("Pixel values", scale)],
      numbers: () => [labelled("Numbers", text, "what is missing becomes 0")], random: () => [],
    };
    const use = async (file) => {
      try {
        take(await bitmapOf(file));
        await this.run();
      } catch (error) {
        this.#answers.replaceChildren(card("error", error.message));
      }
    };
    const choose = (way) => {
      part.way = way;
      part.bitmap = null; // that of another way
      preview.hidden = true;
      camera.stop();
      place.replaceChildren(...bodies[way]());
    };
    choose(ways[0]);
    if (image) {
      Object.assign(part, { camera, use: (file) => {
        part.element.querySelector("input[value=picture]").checked = true;
        choose("picture");
        use(file);
      } });
    }
    part.from = () => this.#from(part, text.value, scale.value);
    part.element = el("fieldset", {}, el("legend", {}, name(input.name), ` ${input.type} ${dimsText(input.dims)}`),
      el("div", { class: "ways", role: "radiogroup", "aria-label": "Values" }, ways.map((way) => el("label", {}, el("input", { type: "radio", name: group, value: way,
        checked: way === ways[0], change: () => choose(way) }), way[0].toUpperCase() + way.slice(1)))), place);
    return part;
  }

  #from(part, text, scale) {
    if (part.way === "picture" || part.way === "camera") {
      if (!part.bitmap) {
        throw new Error(part.way === "camera" ? "start the camera and take a frame first" : "choose a picture first, or take random values");
      }
      return { bitmap: part.bitmap, scale };
    }
    return part.way === "numbers" ? { text } : {};
  }

  #pictureField(use) {
    const chosen = el("input", { type: "file", accept: "image/*", change: () => chosen.files[0] && use(chosen.files[0]) });
    const sample = this.#sample?.picture && el("p", { class: "buttons" }, el("button", { type: "button", id: "sample-picture", click: async () =>
      use(await (await fetch(this.#sample.picture)).blob()) }, el("img", { src: this.#sample.picture, alt: "", width: 28, height: 28 }), "Use the sample picture"));
    return el("div", {}, labelled("Picture", chosen), sample);
  }

  #stopCameras() {
    this.#parts.forEach((part) => part.camera?.stop());
  }

  /** Tries a picture or recorded numbers, { image } or { recorded }, that were dropped on the page. */
  take(given) {
    if (!this.#inputs) {
      this.#waiting = given; // until the model is loaded
    } else if (given.recorded) {
      this.#recorded(given.recorded);
    } else {
      const part = this.#parts.find(({ use }) => use);
      if (part) {
        part.use(given.image);
      } else {
        this.#answers.replaceChildren(card("error", "No input of the model takes a picture."));
      }
    }
  }

  // ---- runs

  #checkSizes() {
    for (const [dim, size] of this.#sizes) {
      if (!Number.isInteger(size) || size < 1) {
        throw new Error(`the size of ${shown(String(dim))} is not an integer from 1 on`);
      }
    }
    const elements = this.#inputs.map((input) => this.#dims(input).reduce((product, d) => product * Number(d), 1));
    if (Math.max(...elements) > MOST) {
      throw new Error("an input of these sizes has more than a hundred million numbers: choose smaller ones");
    }
  }

  /** `run` gives a function that makes the answers. */
  async #attempt(what, run) {
    const mine = ++this.#running;
    this.#said.textContent = "Running …";
    this.#last = null;
    this.#answers.replaceChildren();
    try {
      const draw = await run();
      if (mine === this.#running) {
        this.#last = draw;
        this.#answers.replaceChildren(...draw());
      }
    } catch (error) {
      if (mine === this.#running && !(error instanceof Cancelled)) {
        this.#answers.replaceChildren(this.#failed(what, error));
      }
    }
    if (mine === this.#running) {
      this.#said.textContent = "";
      this.#bringAnswers();
    }
  }

  /** On a phone the answers are below the fields: they come into sight. */
  #bringAnswers() {
    const { top } = this.#answers.getBoundingClientRect();
    if (this.#answers.firstElementChild && (top < 0 || top > innerHeight / 2)) {
      this.#answers.scrollIntoView({ block: "start" });
    }
  }


  run() {
    return this.#attempt("It did not run", async () => {
      this.#checkSizes();
      const feeds = this.#parts.map(({ input, from }) => ({ name: input.name, type: input.type, dims: this.#dims(input), from: from() }));
      const axes = feeds.map((feed) => imageAxes(feed.dims)).find(Boolean), bitmap = feeds.map((feed) => feed.from.bitmap).find(Boolean);
      const done = await runner.ask("run", { feeds, size: axes ? [axes.height, axes.width] : null });
      return () => [times(done.times), ...answers(done, { bitmap, labels: this.#labels })];
    });
  }

  #recorded(file) {
    return file && this.#attempt("It did not run", async () => {
      const { times: taken, rows } = await runner.ask("recorded", { file }), good = rows.every((r) => r.agrees);
      return () => [el("p", { id: "verdict", class: good ? "good" : "error" }, good ? "It agrees with MXNet." : "It differs from MXNet."), times(taken),
        table("Outputs compared with MXNet", ["Output", "Verdict", "Largest difference"], rows.map((r) => [name(r.name),
          el("span", { class: r.agrees ? "good" : "error" }, r.agrees ? "agrees" : "differs"), r.said]))];
    });
  }
}
