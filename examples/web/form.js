// SPDX-License-Identifier: Apache-2.0
// Fields for rows of choices.js.
import { at, dims, el, name, shown } from "./dom.js";
import { INPUT, MODEL, NET, dimsText } from "./choices.js";

let fields = 0;

function control(row, id, value, changed) {
  const common = { id, name: id, "aria-describedby": row.help ? id + "-help" : undefined };
  if (row.kind === "check") {
    return el("input", { ...common, type: "checkbox", checked: Boolean(value), change: (e) => changed(e.target.checked) });
  }
  if (row.kind === "select") {
    return el("select", { ...common, change: (e) => changed(e.target.value) },
      row.values.map(([key, text]) => el("option", { value: key, selected: key === (value ?? "") }, text)));
  }
  return el("input", { ...common, type: row.kind === "number" ? "number" : "text", min: row.kind === "number" ? 0 : undefined,
    value: value ?? "", placeholder: row.placeholder, list: row.list, autocomplete: "off", spellcheck: "false",
    input: (e) => changed(e.target.value.trim()) });
}

/** A field of a row; `changed` gets its value. */
export function field(row, value, changed) {
  const id = "field" + ++fields;
  return el("div", { class: "field " + row.kind + (row.key === "shape" ? " wide" : "") }, el("label", { for: id }, row.label), control(row, id, value, changed),
    row.help && el("small", { class: "help quiet", id: id + "-help" }, row.help));
}

/** Shapes and what is done before the net, for every input. */
export function inputFields(inputs, choices, changed) {
  return inputs.map((input) => {
    const values = (choices.inputs[input.name] ??= {});
    const make = (row) => field(row, values[row.key], (value) => { values[row.key] = value; changed(); });
    const [shape, dtype, ...rest] = INPUT;
    return el("fieldset", {}, el("legend", {}, "Input ", name(input.name)),
      el("div", { class: "fields" }, make({ ...shape, placeholder: "batch,3,224,224", list: "shapes",
        help: "sizes; a name stands for any size" }), make(dtype)),
      el("details", {}, el("summary", {}, "Preprocessing"), el("div", { class: "fields" }, rest.map(make))));
  });
}

function outputFields(looked, nodes, choices, changed) {
  const draw = () => list.replaceChildren(...choices.outputs.map((output) => el("li", {}, el("button", { type: "button",
    "aria-label": "Remove the output " + shown(output),
    click: () => { choices.outputs = choices.outputs.filter((o) => o !== output); draw(); changed(); } }, name(output), " ×"))));
  const add = (value) => {
    if (value && !choices.outputs.includes(value)) {
      choices.outputs.push(value);
      draw();
      changed();
    }
  };
  const list = el("ul", { class: "chips" }), box = el("select", { id: "output", change: () => { add(box.value); box.value = ""; } },
    el("option", { value: "" }, "select a node"), nodes.map((node) => el("option", { value: node }, shown(node))));
  draw();
  return el("fieldset", {}, el("legend", {}, "Outputs"),
    el("p", { class: "quiet" }, choices.outputs.length ? "Instead of the model's own outputs:" : "The model's own outputs: ",
      choices.outputs.length ? "" : looked.outputs.map((o) => [name(o.name), " " + dims(o.shape) + " "]).flat()), el("div", { class: "field" }, el("label", { for: "output" }, "Add an output"), box), list);
}

/** All other choices. */
export function modelFields(looked, nodes, choices, changed) {
  const make = (row) => field(row, choices[row.key], (value) => { choices[row.key] = value; changed(row.early); });
  const rows = MODEL.map((row) => (row.key === "target"
    ? { ...row, values: [...row.values, ...looked.targets.map((t) => [t.name, t.name + ": " + t.text])] } : row));
  return [outputFields(looked, nodes, choices, changed),
    looked.net && el("fieldset", {}, el("legend", {}, "Net"), el("div", { class: "fields" }, NET.map(make))),
    el("div", { class: "fields" }, rows.map(make))].filter(Boolean);
}

/** What is known of the inputs becomes the choice, where there is none. */
export function prefill(looked, choices) {
  for (const input of looked.inputs) {
    const values = (choices.inputs[input.name] ??= {});
    values.shape ??= input.shape ? dimsText(input.shape) : "";
  }
}

/** Common shapes, for the fields of shapes to offer. */
export function offerShapes() {
  document.body.append(el("datalist", { id: "shapes" }, ["batch,3,224,224", "batch,3,112,112", "1,3,512,512", "batch,1,28,28",
    "batch,128"].map((value) => el("option", { value }))));
  return at("shapes");
}
