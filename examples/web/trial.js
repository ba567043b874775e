// SPDX-License-Identifier: Apache-2.0
// Runs the converted model: on an image, on numbers, at random, or on what MXNet recorded.
import { answers } from "./answers.js";
import { Cancelled, Client } from "./client.js";
import { compare, TOLERANCE } from "./compare.js";
import { at, dims as dimsText, el, name, table } from "./dom.js";
import { onnxName, readNpz } from "./npz.js";
import { imageAxes, numbers, pixels, plain, random, SCALES, typed } from "./tensors.js";

const runner = new Client("runner.js");
const USUAL = 224; // of a side that has no size of its own
let fields = 0;

function labelled(text, control) {
  control.id = "trial" + ++fields;
  return el("div", { class: "field" }, el("label", { for: control.id }, text), control);
}

const choice = (values) => el("select", {}, values.map((v) => el("option", { value: v }, v)));

// ---- the fields of an input

const isInteger = (type) => /^u?int/.test(type);

/** What an open dim may be: 1 for the first, a side of an image, a length. */
const usual = (input, axis) => (axis === 0 ? 1 : input.dims.length === 4 ? USUAL : 16);

function openDims(inputs) {
  const found = new Map();
  inputs.forEach((input) => input.dims.forEach((d, axis) => typeof d === "number" || found.has(d) || found.set(d, usual(input, axis))));
  return found;
}

function inputPart(input) {
  const image = imageAxes(input.dims.map((d) => (typeof d === "number" ? d : 8)));
  const source = choice([...(image ? ["an image"] : []), ...(isInteger(input.type) ? ["numbers"] : []), "random", ...(isInteger(input.type) ? [] : ["numbers"])]);
  const file = el("input", { type: "file", accept: "image/*" }), scale = choice(Object.keys(SCALES)), text = el("input", { type: "text", placeholder: "101 2023 2003 102" });
  const parts = { "an image": [labelled("Image", file), labelled("Pixel values", scale)], numbers: [labelled("Numbers, then zeros", text)], random: [] };
  const place = el("div", { class: "fields" }), show = () => place.replaceChildren(...parts[source.value]);
  source.addEventListener("change", show);
  show();
  return {
    element: el("fieldset", {}, el("legend", {}, name(input.name), ` ${input.type} ${dimsText(input.dims)}`), labelled("Value", source), place),
    async value(sizes) {
      const dims = input.dims.map((d) => (typeof d === "number" ? d : sizes.get(d))), feed = { name: input.name, type: input.type, dims };
      if (source.value === "an image") {
        if (!file.files[0]) {
          throw new Error("choose an image first, or use random values");
        }
        const { values, bitmap } = await pixels(file.files[0], input.type, dims, scale.value);
        const { height, width } = imageAxes(dims);
        return { ...feed, data: values, bitmap, size: [height, width] };
      }
      const shape = imageAxes(dims);
      return { ...feed, data: source.value === "random" ? random(input.type, dims) : numbers(input.type, dims, text.value), size: shape && [shape.height, shape.width] };
    },
  };
}

// ---- runs

const milliseconds = (ms) => (ms < 10 ? ms.toFixed(1) : Math.round(ms)) + " ms";

function times({ first, each, runs }) {
  return el("p", { id: "time" }, el("strong", {}, milliseconds(each)), runs ? ` a run (mean of ${runs}; the first took ${milliseconds(first)})` : " for the first run");
}

async function labelsOf(box) {
  return box.files[0] ? (await box.files[0].text()).split(/\r?\n/) : [];
}

async function runOnce(parts, sizes, labels, place) {
  const feeds = await Promise.all(parts.map((part) => part.value(sizes)));
  const done = await runner.ask("run", { feeds: feeds.map(({ name, type, dims, data }) => ({ name, type, dims, data })) });
  const seen = feeds.find((f) => f.size) ?? {};
  place.replaceChildren(times(done), ...answers(done.outputs, { bitmap: seen.bitmap, size: seen.size, labels: await labelsOf(labels) }));
}

/** The arrays of a recorded .npz through the model, beside those that MXNet gave. */
async function runRecorded(file, model, place) {
  const arrays = await readNpz(file), recorded = Object.fromEntries(Object.entries(arrays).filter(([n]) => n.startsWith("output:")).map(([n, a]) => [onnxName(n.slice(7)), a]));
  const feeds = model.inputs.map(({ name: input, type }) => {
    const array = arrays["input:" + input];
    if (!array) {
      throw new Error(`the file has no input:${input}; it holds ${Object.keys(arrays).join(", ")}`);
    }
    return { name: input, type, dims: array.dims, data: array.type === type ? array.data : typed(type, plain(array)) };
  });
  const done = await runner.ask("run", { feeds, once: true });
  const rows = done.outputs.map((o) => {
    const { error, why } = recorded[o.name] ? compare(o, recorded[o.name]) : { error: Infinity, why: "not recorded" }, good = error <= TOLERANCE;
    return [name(o.name), el("span", { class: good ? "good" : "error" }, good ? "agrees" : "differs"), why || error.toPrecision(2) + " of the largest number"];
  });
  const good = rows.every(([, verdict]) => verdict.className === "good");
  place.replaceChildren(times(done), el("p", { id: "verdict", class: good ? "good" : "error" }, good ? "It agrees with MXNet." : "It differs from MXNet."),
    table("Outputs compared with MXNet", ["Output", "Verdict", "Largest difference"], rows));
}

/** Runs something, with its failure as a text. */
async function attempt(said, run) {
  said.className = "";
  said.textContent = "Running …";
  try {
    await run();
    said.textContent = "";
  } catch (error) {
    said.className = "error";
    said.textContent = error instanceof Cancelled ? "" : "It did not run: " + error.message;
  }
}

function draw(model, said) {
  const sizes = openDims(model.inputs), parts = model.inputs.map(inputPart), labels = el("input", { type: "file", accept: ".txt" });
  const place = el("div", { id: "answers", role: "region", "aria-label": "Answers" }), recorded = el("input", { type: "file", accept: ".npz", id: "recorded" });
  const dims = [...sizes].map(([dim, size]) => labelled("Size of " + dim, el("input", { type: "number", min: 1, value: size,
    input: (event) => sizes.set(dim, Math.max(1, Number(event.target.value) || 1)) })));
  recorded.addEventListener("change", () => recorded.files[0] && attempt(said, () => runRecorded(recorded.files[0], model, place)));
  return [...parts.map((part) => part.element), el("div", { class: "fields" }, dims, labelled("Class names, one per line (optional)", labels)),
    el("p", { class: "buttons" }, el("button", { type: "button", id: "run", class: "primary", click: () => attempt(said, () => runOnce(parts, sizes, labels, place)) }, "Run"),
      el("label", { class: "button", for: "recorded" }, "Compare with a recorded .npz", recorded)), said, place];
}

/** Offers to run an ONNX file; the runtime is only loaded when it is wanted. */
export function offerTrial(file) {
  runner.cancel();
  at("try").hidden = false;
  const said = el("p", { role: "status" });
  const start = el("button", { type: "button", id: "start", click: () => attempt(said, async () => {
    const model = await runner.ask("open", { file });
    at("trial").replaceChildren(...draw(model, said));
  }) }, "Load in ONNX Runtime");
  at("trial").replaceChildren(el("p", { class: "buttons" }, start), said);
}
