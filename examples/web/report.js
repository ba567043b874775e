// SPDX-License-Identifier: Apache-2.0
// What the converter says of a model: in a line, as messages with their remedies, and as tables.
import { bytes, card, count, dims, el, grow, name, shown, table } from "./dom.js";
import { familyOf } from "./family.js";

const MOST_CARDS = 20;

/** A line of figures, and whether it can be converted; `failure` is what a conversion said. */
export function summary(looked, failure, stage) {
  const size = looked.params.reduce((sum, p) => sum + p.byteLength, 0), nodes = looked.operators.reduce((sum, o) => sum + o.uses, 0);
  const unsupported = looked.operators.filter((o) => !o.supported).length, bad = failure ?? looked.failure;
  return [el("p", { class: "quiet" }, looked.net ? `No symbol, but the parameters are those of ${looked.net}. ` : "",
    `${count(nodes, "node")}, ${count(looked.operators.length, "operator")}, ${count(looked.params.length, "array")} of ${bytes(size)}. `),
  stage !== "converting" && el("p", {}, // what is known may be of earlier choices
    el("span", { class: bad ? "pill error" : "pill good" }, bad ? "It cannot be converted yet." : stage === "done" ? "It is converted." : "It can be converted."), " ",
    looked.missing.length > 0 && [el("span", { class: "pill error" }, count(looked.missing.length, "parameter") + " missing"), " "],
    unsupported > 0 && el("span", { class: "pill error" }, count(unsupported, "operator") + " not supported"))];
}

// Functions and options of the C header are those of the page's fields.
const FIELDS = { set_input_shape: "the field Shape", set_input_dtype: "the field Type", set_input_mean: "the field Mean", set_input_scale: "the field Scale",
  set_input_channels_last: "the field Channels last", set_input_channels_reversed: "the field Swap RGB and BGR", rename: "the field Rename",
  TEXT_PARAM_PREFIX: "the field Parameter prefix", TEXT_UNKNOWN_DOMAIN: "the field Domain for unknown operators", OPTION_OPSET: "the field Opset",
  OPTION_STRUCTURAL_NAMES: "the field Match structural names",
  TEXT_TARGET: "the field Target", OPTION_FLOAT16: "the field float16", set_node_precision: "the field Keep in float32",
  OPTION_SEED: "the field Seed for random operators", load_net: "the choice of a net", load_params: "a file of parameters", load_symbol: "the symbol file",
  load: "the model's files", OPTION_CLASSES: "the field Classes", OPTION_CROP: "the field Crop", add_output: "the field Add an output",
  set_custom_operator: "a program of your own" };
const SIDE_FILE = "use the command line under Code, which writes the weights to a separate file, or choose float16, which halves them";

/** The library's words with the names of fields in the place of its functions and options. */
const inFields = (text) => text.replace(/(?:mx2onnx|MX2ONNX)_(\w+)(\(\))?/g, (whole, f) => FIELDS[f] ?? FIELDS[f.replace(/_(memory|callback|file)$/, "")] ?? whole);

/** The way out, as far as it is another one here. */
const advice = (d) => (d.status === "TOO_LARGE" && !d.node ? SIDE_FILE : inFields(d.advice));

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A name that leads to its node, or nodes, in the graph. */
const link = (text, find) => el("button", { type: "button", class: "link", title: "Find it in the graph", click: () => find(text) }, name(text));

function message(d, find) {
  const where = [d.node && ["node ", link(d.node, find)], d.op && [" (", name(d.op), ")"], d.attribute && [", attribute ", name(d.attribute)],
    !d.node && d.name && !d.message.includes(`'${d.name}'`) && link(d.name, find)].filter(Boolean).flat();
  return card(d.severity, [el("strong", {}, sentence(d.severity)), ": ", ...where, where.length > 0 ? ": " : "", shown(inFields(d.message))],
    d.advice && el("p", { class: "advice" }, shown(sentence(advice(d)))));
}

/** Where the library was not even asked. */
function broken(failure) {
  return card("error", [el("strong", {}, "Error"), ": ", shown(inFields(failure.message))]);
}

/** Errors first; notes are folded away. `find` shows a node in the graph. */
export function messages(diagnostics, failure, find) {
  const known = failure?.diagnostics?.length ? failure.diagnostics : diagnostics, grave = known.filter((d) => d.severity === "error");
  const rest = known.filter((d) => d.severity !== "error"), more = grave.length - MOST_CARDS;
  return [failure && grave.length === 0 && broken(failure), grave.slice(0, MOST_CARDS).map((d) => message(d, find)),
    more > 0 && el("p", { class: "error" }, count(more, "more error")),
    rest.length > 0 && el("details", {}, el("summary", {}, count(rest.length, "note")), grow(el("div"), rest, (d) => message(d, find)))].flat().filter(Boolean);
}

/** A bar for each of the first dozen items, { label, value, text }; those of operators have the colours of their families. */
export function bars(items, title, ofOperators = false) {
  const top = items.slice(0, 12), most = Math.max(1, ...top.map((i) => i.value));
  return el("div", { class: "bars", role: "img", "aria-label": title }, top.map(({ label, value, text }) => {
    const bar = el("span", { class: "bar" });
    bar.style.width = (100 * value) / most + "%";
    return el("div", { "data-family": ofOperators && familyOf(label) }, el("span", { class: "label" }, name(label)), el("span", { class: "track" }, bar),
      el("span", { class: "value" }, text));
  }));
}

/** How often each operator is used, most often first. */
function uses(nodes) {
  const found = new Map();
  nodes.filter((node) => node.kind === "node").forEach(({ op }) => found.set(op, (found.get(op) ?? 0) + 1));
  return [...found].sort((a, b) => b[1] - a[1]).map(([label, value]) => ({ label, value, text: String(value) }));
}

/** Operators and parameters, as plots and tables; `onnx` are the nodes of the ONNX file, if there is one; `find` shows an operator in the graph. */
export function report(looked, onnx, find) {
  const heavy = [...looked.params].sort((a, b) => b.byteLength - a.byteLength)
    .map((p) => ({ label: p.name, value: p.byteLength, text: bytes(p.byteLength) }));
  return [el("section", {}, el("h2", {}, "Operators of MXNet"),
    bars(looked.operators.map((o) => ({ label: o.name, value: o.uses, text: String(o.uses) })), "Operators by use", true),
    table("Operators", ["Operator", "Nodes", "Remark"], looked.operators, (o) => [link(o.name, find), String(o.uses),
      o.supported ? "" : el("span", { class: "error" }, "not supported")])),
  onnx.length > 0 && el("section", {}, el("h2", {}, "Operators of ONNX"), bars(uses(onnx), "ONNX operators by use", true)),
  looked.params.length > 0 && el("section", {}, el("h2", {}, "Parameters"), bars(heavy, "Largest parameters"),
    table("Parameters", ["Name", "Type", "Shape", "Size", "Remark"], looked.params,
      (p) => [name(p.name), p.dtype, dims(p.dims), bytes(p.byteLength), p.used ? "" : "unused"])),
  looked.missing.length > 0 && el("section", {}, el("h2", {}, "Missing parameters"), grow(el("ul", { class: "error" }), looked.missing, (m) => el("li", {}, name(m))))]
    .filter(Boolean);
}
