// SPDX-License-Identifier: Apache-2.0
// What can be chosen, one row a choice: how it is shown, what it does to a model, and how the command line and Python say it.
// A value of "" or false is not a choice, and neither is one that has no effect with the others (`counts`).

import { isOpen, sizes } from "./checks.js";

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
const words = (text) => text.split(/[\s,]+/).filter(Boolean);
const pairs = (text) => words(text).map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
const numbers = (text) => words(text).map(Number);

/** As Python writes a text, a number, a list. */
export function python(value) {
  return Array.isArray(value) ? "[" + value.map(python).join(", ") + "]" : typeof value === "string" ? JSON.stringify(value) : String(value);
}

const check = (key, label, flag, help) => ({ key, label, help, kind: "check",
  apply: (m) => m.setOptions({ [key]: true }), cli: () => [flag], python: () => [key.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase()) + " = True"] });

const size = (key, label) => ({ key, label, kind: "number", early: true, apply: (m, v) => m.setOptions({ [key]: Number(v) }),
  cli: (v) => ["--" + key, v], python: (v) => [`${key} = ${v}`] });

const precision = (key, label, flag, kind) => ({ key, label, kind: "text", help: "names of nodes or operators, separated by spaces; with float16",
  counts: (all) => Boolean(all.float16), apply: (m, v) => words(v).forEach((name) => m.setNodePrecision(name, kind)), cli: (v) => words(v).flatMap((name) => [flag, name]),
  python: (v) => words(v).map((name) => `set_node_precision(${python(name)}, ${python(kind)})`) });

/** Choices for the whole model; those that are `early` are made before anything is loaded. */
export const MODEL = [
  { key: "float16", label: "float16", kind: "select", values: [["", "no"], ["inside", "inside, with float32 inputs and outputs"], ["all", "everywhere"]],
    apply: (m, v) => m.setOptions({ float16: v }), cli: (v) => ["--float16" + (v === "all" ? "" : "=" + v)], python: (v) => [`float16 = ${python(v)}`] },
  { key: "target", label: "Target", kind: "select", values: [["", "any ONNX runtime"]],
    apply: (m, v) => m.setOptions({ target: v }), cli: (v) => ["--for", v], python: (v) => [`target = ${python(v)}`] },
  { key: "opset", label: "Opset", kind: "select", help: "17, or newer if needed", values: [["", "automatic"], ...range(12, 28).map((v) => [v, v])],
    apply: (m, v) => m.setOptions({ opset: Number(v) }), cli: (v) => ["--opset", v], python: (v) => [`opset = ${v}`] },
  { ...check("keepBatchNorm", "Keep BatchNorm after convolutions", "--keep-batch-norm"), counts: (all) => !all.initializersAsInputs },
  check("trustIndices", "Trust indices", "--trust-indices", "they are inside their tables: Embedding and take without a Clip"),
  check("initializersAsInputs", "List parameters as inputs too", "--initializers-as-inputs"),
  { key: "unknownDomain", label: "Domain for unknown operators", kind: "text", help: "keeps them for a runtime that has them; for example mxnet",
    apply: (m, v) => m.setOptions({ unknownDomain: v }), cli: (v) => ["--keep-unknown=" + v], python: (v) => [`unknown_domain = ${python(v)}`] },
  precision("keepFloat32", "Keep in float32", "--keep-float32", "float32"),
  precision("forceFloat16", "Convert to float16 anyway", "--force-float16", "float16"),
  { key: "rename", label: "Rename", kind: "text", help: "OLD=NEW, separated by spaces", late: true,
    apply: (m, v) => pairs(v).forEach((pair) => m.rename(...pair)), cli: (v) => words(v).flatMap((pair) => ["--rename", pair]),
    python: (v) => pairs(v).map((pair) => `rename(${pair.map(python).join(", ")})`) },
  { key: "prefix", label: "Parameter prefix", kind: "text", help: "such as resnet_, where only the symbol or only the parameters have it",
    apply: (m, v) => m.setOptions({ paramPrefix: v }), cli: (v) => ["--prefix", v], python: (v) => [`param_prefix = ${python(v)}`] },
  check("structuralNames", "Match structural names", "--structural-names", "of save_parameters: features.0.weight"),
  { key: "seed", label: "Seed for random operators", kind: "number", apply: (m, v) => m.setOptions({ seed: Number(v) }), cli: (v) => ["--seed", v],
    python: (v) => [`seed = ${v}`] },
];

/** Choices for parameters that come without a symbol. */
export const NET = [size("classes", "Classes"), size("crop", "Crop"), size("segments", "Segments"),
  { key: "normalization", label: "Use the published mean and scale", kind: "check", help: "unless there is a mean or a scale of your own",
    counts: (all) => Object.values(all.inputs ?? {}).every((values) => !values.mean && !values.scale), apply: (m) => m.usePublished("normalization"),
    cli: () => ["--published", "normalization"], python: () => ['use_published("normalization")'] }];

/** Choices for an input; `name` is the input's. */
export const INPUT = [
  { key: "shape", label: "Shape", kind: "text", apply: (m, v, name) => m.inputShape(name, parseDims(v)),
    cli: (v, name, all) => dimsOption(name, v, all.dtype), python: (v, name) => [`set_input_shape(${python(name)}, ${tuple(parseDims(v))})`] },
  { key: "dtype", label: "Type", kind: "select",
    values: [["", "unchanged"], ..."float32 float16 uint8 int32 int64 int8 float64 bool".split(" ").map((v) => [v, v])],
    apply: (m, v, name) => m.inputDtype(name, v), cli: (v, name, all) => (all.shape ? [] : ["--input", `${name}=:${v}`]),
    python: (v, name) => [`set_input_dtype(${python(name)}, ${python(v)})`] },
  { key: "mean", label: "Mean", kind: "text", help: "123.68,116.78,103.94, or one number for all channels", apply: (m, v, name) => m.inputMean(name, numbers(v)),
    cli: (v, name) => ["--mean", name + "=" + numbers(v).join(",")], python: (v, name) => [`set_input_mean(${python(name)}, ${python(numbers(v))})`] },
  { key: "scale", label: "Scale", kind: "text", help: "0.0171,0.0175,0.0174, or one number for all channels", apply: (m, v, name) => m.inputScale(name, numbers(v)),
    cli: (v, name) => ["--scale", name + "=" + numbers(v).join(",")], python: (v, name) => [`set_input_scale(${python(name)}, ${python(numbers(v))})`] },
  { key: "last", label: "Channels last", kind: "check", apply: (m, v, name) => m.inputChannelsLast(name),
    cli: (v, name) => ["--channels-last=" + name], python: (v, name) => [`set_input_channels_last(${python(name)})`] },
  { key: "reversed", label: "Swap RGB and BGR", kind: "check", apply: (m, v, name) => m.inputChannelsReversed(name),
    cli: (v, name) => ["--reverse-channels=" + name], python: (v, name) => [`set_input_channels_reversed(${python(name)})`] },
];

/** "batch,3,224,224", "1x3x224x224" or "batch x 3" as a list of numbers, names and, for ?, null; "()" is a scalar. */
export function parseDims(text) {
  const cut = text.trim().replace(/^\(|\)$/g, "");
  return cut === "" ? [] : sizes(cut).map((p) => (/^\d+$/.test(p) ? Number(p) : p === "" || isOpen(p) ? null : p));
}

/** The other way round. */
export const dimsText = (shape) => (shape.length ? shape.map((d) => d ?? "?").join(",") : "()");

const tuple = (shape) => "(" + shape.map((d) => (d === null ? "None" : python(d))).join(", ") + (shape.length === 1 ? ",)" : ")");

function dimsOption(name, text, dtype) {
  const shape = parseDims(text), dynamic = shape.some((d) => typeof d !== "number");
  const said = shape.length === 0 ? "()" : shape.map((d) => d ?? "?").join(dynamic ? "," : "x");
  return [dynamic ? "--dynamic" : "--input", `${name}=${said}${dtype ? ":" + dtype : ""}`];
}

const made = (rows, values) => rows.filter(({ key, counts }) => values?.[key] && (counts?.(values) ?? true)).map((row) => [row, values[row.key]]);

/** [[row, value, input's name, the input's choices]...] of all that is chosen, in the order in which it is applied.
 * @param {any} choices
 * @param {(row: any) => boolean} when */
export function chosen(choices, when = () => true) {
  const inputs = Object.entries(choices.inputs ?? {});
  return [...made([...NET, ...MODEL.filter((row) => !row.late)], choices),
    ...inputs.flatMap(([name, values]) => made(INPUT, values).map(([row, value]) => [row, value, name, values])),
    ...made(MODEL.filter((row) => row.late), choices)].filter(([row]) => when(row));
}

export function applyEarly(model, choices) {
  chosen(choices, (row) => row.early).forEach(([row, ...rest]) => row.apply(model, ...rest));
}

export function apply(model, choices) {
  chosen(choices, (row) => !row.early && !row.late).forEach(([row, ...rest]) => row.apply(model, ...rest));
  (choices.outputs ?? []).forEach((name) => model.addOutput(name));
  chosen(choices, (row) => row.late).forEach(([row, ...rest]) => row.apply(model, ...rest));
}
