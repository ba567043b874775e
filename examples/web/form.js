// SPDX-License-Identifier: Apache-2.0
// Fields for rows of choices.js. What is wrong with a text is said below its field.
import { bareShape, clash, wrongWith } from "./checks.js";
import { INPUT, MODEL, NET, dimsText } from "./choices.js";
import { dims, el, name, shown } from "./dom.js";

const MAIN = ["float16", "opset", "target"]; // the choices that are always in sight
const HEIGHT_AND_WIDTH = { 2: "height", 3: "width" };
let fields = 0;

function control(row, id, value, changed) {
  const common = { id, name: id, "aria-describedby": `${id}-wrong${row.help ? ` ${id}-help` : ""}` };
  if (row.kind === "check") {
    return el("input", { ...common, type: "checkbox", checked: Boolean(value), change: (e) => changed(e.target.checked) });
  }
  if (row.kind === "select") {
    return el("select", { ...common, change: (e) => changed(e.target.value) },
      row.values.map(([key, text]) => el("option", { value: key, selected: key === (value ?? "") }, text)));
  }
  return el("input", { ...common, type: "text", inputmode: row.kind === "number" ? "numeric" : undefined, value: value ?? "",
    placeholder: row.placeholder, list: row.list, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    input: (e) => changed(e.target.value.trim()) });
}

/** A field of a row; `changed` gets its value. */
export function field(row, value, changed) {
  const id = "field" + ++fields, wrong = el("small", { class: "wrong", id: id + "-wrong" });
  const check = (given) => {
    wrong.textContent = wrongWith(row.key, given);
    input.setAttribute("aria-invalid", String(wrong.textContent !== ""));
  };
  const input = control(row, id, value, (given) => {
    check(given);
    changed(row.key === "shape" ? bareShape(given) || given : given);
  });
  check(value ?? "");
  return el("div", { class: `field ${row.kind} of-${row.key}` }, el("label", { for: id }, row.label), input, wrong,
    row.help && el("small", { class: "help quiet", id: id + "-help" }, row.help));
}

/** Shapes and what is done before the net, for every input. */
export function inputFields(inputs, choices, changed) {
  return inputs.map((input) => {
    const values = (choices.inputs[input.name] ??= {});
    const make = (row) => field(row, values[row.key], (value) => { values[row.key] = value; changed(); });
    const [shape, dtype, ...rest] = INPUT;
    return el("fieldset", {}, el("legend", {}, "Input ", name(input.name)),
      el("div", { class: "fields" }, make({ ...shape, placeholder: "1,3,224,224", list: "shapes",
        help: "e.g. 1,3,224,224; write a word such as batch for a size that may vary" })),
      el("details", {}, el("summary", {}, "Type and preprocessing"), el("div", { class: "fields" }, [dtype, ...rest].map(make))));
  });
}

const rowsOf = (main, looked) => MODEL.filter((row) => MAIN.includes(row.key) === main)
  .sort((a, b) => (main ? MAIN.indexOf(a.key) - MAIN.indexOf(b.key) : 0))
  .map((row) => (row.key === "target" ? { ...row, values: [...row.values, ...looked.targets.map((t) => [t.name, t.name + ": " + t.text])] } : row));

const maker = (choices, changed) => (row) => field(row, choices[row.key], (value) => { choices[row.key] = value; changed(); });

/** The choices that most models need, if any. */
export function mainFields(looked, choices, changed) {
  return [el("div", { class: "fields" }, rowsOf(true, looked).map(maker(choices, changed)))];
}

/**
 * `nodes` returns the names of the nodes. They come later than the field; until then, only the library checks a name. The contents of
 * #own-outputs, #chips and #nodes come later, too.
 */
function outputFields(nodes, choices, changed) {
  const box = el("input", { id: "output", type: "text", list: "nodes", autocomplete: "off", spellcheck: "false", placeholder: "the name of a node" });
  const wrong = el("small", { class: "wrong", id: "output-wrong", role: "status" });
  const add = () => {
    const value = box.value.trim();
    const known = nodes();
    wrong.textContent = value && known.length > 0 && !known.includes(value) ? "the model has no node of this name" : "";
    box.setAttribute("aria-invalid", String(wrong.textContent !== "")); // then nothing is converted
    if (value && !wrong.textContent) {
      box.value = "";
      changed([...new Set([...choices.outputs, value])]);
    }
  };
  box.setAttribute("aria-describedby", "output-wrong");
  box.addEventListener("change", add);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { // adds the output, and does not convert yet
      event.preventDefault();
      add();
    }
  });
  return el("fieldset", {}, el("legend", {}, "Outputs"), el("p", { class: "quiet", id: "own-outputs" }), el("ul", { class: "chips", id: "chips" }),
    el("div", { class: "field" }, el("label", { for: "output" }, "Add an output"), box, wrong, el("datalist", { id: "nodes" })));
}

/** What #own-outputs has. */
export const ownOutputs = (looked, choices) => (choices.outputs.length ? "Instead of the model's own outputs:"
  : ["The model's own outputs: ", looked.outputs.map((o) => [name(o.name), " " + dims(o.dims) + " "])]);

/** What #chips has: the chosen outputs. */
export const chips = (choices, changed) => choices.outputs.map((output) => el("li", {}, el("button", { type: "button",
  "aria-label": "Remove the output " + shown(output), click: () => changed(choices.outputs.filter((o) => o !== output)) }, name(output), " ×")));

/** What #nodes has: the names to choose from. */
export const offered = (nodes) => nodes.slice(0, 2000).map((node) => el("option", { value: node }));

/** All other choices; `nodes` returns the names of the nodes, `outputsChanged` gets the list of outputs. */
export function moreFields(looked, nodes, choices, changed, outputsChanged) {
  const make = maker(choices, changed);
  return [outputFields(nodes, choices, outputsChanged),
    looked.net && el("fieldset", {}, el("legend", {}, "Net"), el("div", { class: "fields" }, NET.map(make))),
    el("div", { class: "fields" }, rowsOf(false, looked).map(make))].filter(Boolean);
}

/** The input's shape, with words for sizes that the library has numbered. */
function friendly({ name: input, dims: sizes }) {
  return sizes.map((d, axis) => (sizes.length === 4 && d === `${input}_dim${axis}` ? HEIGHT_AND_WIDTH[axis] ?? d : d));
}

/** What is known of the inputs becomes the choice, where there is none. True if that says more than was known. */
export function prefill(looked, choices) {
  let more = false;
  for (const input of looked.inputs) {
    const values = (choices.inputs[input.name] ??= {});
    values.shape ??= input.dims ? dimsText(friendly(input)) : "";
    more ||= Boolean(input.dims) && values.shape !== dimsText(input.dims);
  }
  return more;
}

/** What is wrong with the choices, or "". */
export function wrongChoices(choices) {
  const of = (values) => Object.entries(values).map(([key, value]) => wrongWith(key, value)).find(Boolean);
  return of(choices) ?? Object.values(choices.inputs).map(of).find(Boolean) ?? clash(choices);
}

/** Common shapes, for the fields of shapes to offer. */
export function offerShapes() {
  document.body.append(el("datalist", { id: "shapes" }, ["batch,3,224,224", "batch,3,112,112", "1,3,512,512", "batch,1,28,28",
    "batch,128"].map((value) => el("option", { value }))));
}
