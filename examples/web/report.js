// SPDX-License-Identifier: Apache-2.0
// What the converter says of a model: in a line, as messages with their remedies, and as tables.
import { bytes, dims, el, name, shown, table } from "./dom.js";

const MOST_ROWS = 2000; // of a table
const count = (n, what) => n.toLocaleString("en") + " " + what + (n === 1 ? "" : "s");

export function summary(looked) {
  const size = looked.params.reduce((sum, p) => sum + p.bytes, 0), nodes = looked.operators.reduce((sum, o) => sum + o.uses, 0);
  const unsupported = looked.operators.filter((o) => !o.supported).length;
  return [looked.net ? "No symbol, but the parameters are those of " + looked.net + ". " : "",
    count(nodes, "node") + ", " + count(looked.operators.length, "operator") + ", " + count(looked.params.length, "array") + " of " + bytes(size) + ". ",
    looked.missing.length ? el("span", { class: "error" }, count(looked.missing.length, "parameter") + " missing. ") : "",
    unsupported ? el("span", { class: "error" }, count(unsupported, "operator") + " not supported. ") : "",
    !looked.failure ? el("span", { class: "good" }, "It can be converted.") : ""];
}

// Functions and options of the C header are those of the page's fields.
const FIELDS = { mx2onnx_set_input_shape: "the field Shape", mx2onnx_set_input_dtype: "the field Type", MX2ONNX_TEXT_PARAM_PREFIX: "the field Parameter prefix",
  MX2ONNX_TEXT_UNKNOWN_DOMAIN: "the field Domain for unknown operators", MX2ONNX_OPTION_OPSET: "the field Opset", mx2onnx_load_net: "the choice of a net",
  MX2ONNX_OPTION_CLASSES: "the field Classes", MX2ONNX_OPTION_CROP: "the field Crop", mx2onnx_add_output: "the field Add an output", mx2onnx_set_custom_operator: "a program of your own" };
const SIDE_FILE = "use the command line below, which writes the weights to a separate file, or choose float16, which halves them";

/** The way out, as far as it is another one here. */
function advice(d) {
  return d.status === "TOO_LARGE" && !d.node ? SIDE_FILE : d.advice.replace(/(?:mx2onnx_[a-z_]+|MX2ONNX_[A-Z_]+)(\(\))?/g, (f) => FIELDS[f.replace("()", "")] ?? f);
}

function message(d) {
  const where = [d.node && ["node ", name(d.node)], d.operator && [" (", name(d.operator), ")"], d.attribute && [", attribute ", name(d.attribute)],
    !d.node && d.name && name(d.name)].filter(Boolean).flat();
  return el("div", { class: "said " + d.severity }, el("p", {}, el("strong", {}, d.severity), " ", ...where, where.length ? ": " : "", shown(d.message)),
    d.advice && el("p", { class: "advice" }, "→ ", shown(advice(d))));
}

/** Errors first; notes are folded away. */
export function messages(diagnostics, failure) {
  const known = failure?.diagnostics?.length ? failure.diagnostics : diagnostics, grave = known.filter((d) => d.severity === "error");
  const rest = known.filter((d) => d.severity !== "error");
  const bare = failure && grave.length === 0 ? [el("div", { class: "said error" }, el("p", {}, shown(failure.message)))] : [];
  const notes = rest.length ? [el("details", {}, el("summary", {}, count(rest.length, "note")), rest.slice(0, MOST_ROWS).map(message))] : [];
  return [...bare, ...grave.slice(0, MOST_ROWS).map(message), ...notes];
}

/** A bar for each of the first dozen items, { label, value, text }. */
export function bars(items, title) {
  const top = items.slice(0, 12), most = Math.max(1, ...top.map((i) => i.value));
  return el("div", { class: "bars", role: "img", "aria-label": title }, top.map(({ label, value, text }) => {
    const bar = el("span", { class: "bar" });
    bar.style.width = (100 * value) / most + "%";
    return el("div", {}, el("span", { class: "label" }, name(label)), el("span", { class: "track" }, bar), el("span", { class: "value" }, text));
  }));
}

function parameterRows(params) {
  return params.slice(0, MOST_ROWS).map((p) => [name(p.name), p.dtype, dims(p.shape), bytes(p.bytes), p.used ? "" : "unused"]);
}

/** Operators and parameters, as plots and tables. */
export function report(looked) {
  const heavy = [...looked.params].sort((a, b) => b.bytes - a.bytes).map((p) => ({ label: p.name, value: p.bytes, text: bytes(p.bytes) }));
  const rest = looked.params.length - MOST_ROWS;
  return [el("h3", {}, "Operators"),
    bars(looked.operators.map((o) => ({ label: o.name, value: o.uses, text: String(o.uses) })), "Operators by use"),
    table("Operators", ["Operator", "Nodes", "Remark"], looked.operators.map((o) => [name(o.name), String(o.uses),
      o.supported ? "" : el("span", { class: "error" }, "not supported")])),
    el("h3", {}, "Parameters"), bars(heavy, "Largest parameters"),
    table("Parameters", ["Name", "Type", "Shape", "Size", "Remark"], parameterRows(looked.params)),
    rest > 0 && el("p", { class: "quiet" }, rest.toLocaleString("en") + " more"),
    looked.missing.length > 0 && el("p", { class: "error" }, "Missing: ", looked.missing.slice(0, 200).map((m) => [name(m), " "]).flat())]
    .filter(Boolean);
}
