// SPDX-License-Identifier: Apache-2.0
// The page: its state, what changes the state, and the one function that shows it. The parts draw themselves elsewhere.
//
// Stages: empty -> reading -> refused (not even a graph) or ready (a graph, and fields) -> converting -> done. A choice that changes
// leads from done to ready.
import { netField, otherHalf, whichField } from "./asks.js";
import { Cancelled, Client } from "./client.js";
import { at, card, el, name, shown } from "./dom.js";
import { fromInput, receive } from "./files.js";
import { chips, inputFields, mainFields, moreFields, offered, offerShapes, ownOutputs, prefill, wrongChoices } from "./form.js";
import { drawMxnet, drawOnnx, searchFor, showGraphs } from "./look.js";
import { note } from "./notice.js";
import { isParams, isSymbolFile, joined, pick, replaced } from "./pick.js";
import { messages, report, summary } from "./report.js";
import { commands, resultOf, save } from "./result.js";
import { tiles } from "./samples.js";
import { canStream, download, untilSaved } from "./save.js";
import { hold, sweepAll } from "./sink.js";
import { Trial } from "./trial.js";

const PAUSE = 300; // milliseconds without a key, before a choice is looked at
const TABS = ["graph", "compare", "try", "report", "code"];
const NO_MODEL = "A model is a -symbol.json and its .params, a folder with them, or a .zip, .mar or .tar.gz.";
const converter = new Client("converter.js"), page = "model-" + [...crypto.getRandomValues(new Uint32Array(4))].join("-");
const trial = new Trial({ fits });

const state = {
  stage: "empty", trouble: null, busy: false, // looking at choices
  models: [], which: 0, files: [], sample: null, labels: null, toTry: null, // what was chosen, and what is tried once it is converted
  key: 0, choices: null, edits: 0, // the model, and how often its choices were changed
  looked: null, failure: null, nets: [], nodes: [], // what is known of it
  result: null, progress: null, outcome: "", onnx: [], // what became of it
  tab: "graph", kind: "mxnet", // what is in sight
};
let job = 0; // the last question; answers to earlier ones are dropped
let opening = 0; // the last time that files were chosen
let waiting = 0; // the timer of a choice that is not looked at yet

function set(changes) {
  Object.assign(state, changes);
  render();
}

const target = () => {
  const base = (state.looked?.paths[0] ?? state.files[0]?.path ?? "model").split("/").at(-1);
  return (base.replace(/(-symbol)?\.json$|-\d{4,}\.params$|\.tar\.gz$|\.\w+$/i, "") || "model") + ".onnx";
};

// ---- a model is chosen

/** Opens what was chosen or dropped: a model, the other half of one, other parameters, or what the model that is there is tried with. */
async function open(files) {
  const mine = ++opening;
  if (files.length === 0) {
    complain("There is no file that can be read in what was dropped.");
    return;
  }
  const found = await pick(files), more = await together(found);
  if (mine !== opening) {
    return;
  }
  if (found.models.length > 0) {
    const [first] = found.models, models = more ? [{ title: first.title, files: more.files }] : found.models;
    const out = [...found.others, ...found.images, ...found.recorded].map(({ path }) => shown(path));
    await start(models, 0, { labels: await namesIn(found.labels) ?? (more && state.labels), ...(more?.choices && { choices: more.choices }) }, leftOut(out));
  } else if (!await useful(found)) {
    complain(`${listed(files.map(({ path }) => shown(path)))} ${files.length === 1 ? "is not a model" : "are not a model"} of MXNet. ${NO_MODEL}`);
  }
}

/** Is a half of the model missing: parameters, or the symbol of parameters? */
const waits = () => state.looked?.missing.length > 0 || state.stage === "refused" || (state.files.length > 0 && !state.files.some(isSymbolFile));

/** The files of the model that is there with what was found, { files, choices }: its other half, or parameters that replace its own. Null
 * where what was found is another model. */
async function together(found) {
  const other = replaced(state.files, found), both = waits() ? joined(state.files, found) : null;
  if (!other || !state.files.some(isParams)) {
    return both && { files: both };
  }
  const whole = state.stage !== "converting" && await completes(other);
  return whole && !waits() ? { files: other, choices: state.choices } : whole || waits() ? { files: other } : null;
}

/** Are these files a model with all of its parameters? */
async function completes(files) {
  const looked = await converter.ask("look", { ...question(), key: `${state.key}/${opening}`, files }).catch(() => null);
  return looked?.missing.length === 0 && looked.params.some((p) => p.used);
}

const namesIn = async (labels) => (labels ? (await labels.file.text()).split(/\r?\n/) : null);

/** Is what was found of use for the model that is there: a picture or recorded numbers to try it with, or names of classes? */
async function useful({ images, recorded, labels }) {
  const [toTry] = [...recorded.map(({ path, file }) => ({ path, given: { recorded: file } })), ...images.map(({ path, file }) => ({ path, given: { image: file } }))];
  if (state.stage === "empty" || !(toTry || labels)) {
    return false;
  }
  if (labels) {
    set({ labels: await namesIn(labels) });
    trial.call(state.labels);
    note(`The lines of ${shown(labels.path)} are the names of the classes now.`);
  }
  if (toTry && state.stage === "done") {
    tryWith(toTry.given);
  } else if (toTry) {
    set({ toTry: toTry.given });
    note(`Convert the model: then it is tried with ${shown(toTry.path)}.`);
  }
  return true;
}

function tryWith(given) {
  set({ tab: "try", toTry: null });
  trial.take(given);
}

const listed = (paths) => (paths.length > 4 ? `${paths.slice(0, 3).join(", ")} and ${paths.length - 3} more` : paths.join(", "));
const leftOut = (paths) => (paths.length > 0 ? `Left out, since not part of a model: ${listed(paths)}` : "");

/** What was dropped is of no use; a model that is there stays. */
function complain(text) {
  if (state.stage === "empty") {
    set({ trouble: text });
  } else {
    note(text);
  }
}

async function openSample(sample) {
  try {
    const files = await sample.files();
    await start([{ title: sample.title, files }], 0, { sample });
  } catch (error) {
    complain(`The sample could not be loaded: ${error.message}. Try again when the network is there, or drop a model of your own.`);
  }
}

/** What a model starts with, after the last one was let go. */
function afresh() {
  job++; // what is on its way is of the last model
  opening++;
  converter.cancel();
  if (state.stage === "converting" || state.result) {
    sweepAll(page, untilSaved()); // a download that was started may still read the file
  }
  clearTimeout(waiting); // a choice for it
  trial.close();
  drawMxnet(null);
  note("");
  return { trouble: null, models: [], which: 0, files: [], sample: null, labels: null, toTry: null,
    key: state.key + 1, choices: { inputs: {}, outputs: [] }, edits: 0, looked: null, failure: null, nets: [], nodes: [],
    result: null, progress: null, outcome: "", onnx: [], tab: "graph", kind: "mxnet" };
}

async function start(models, which, more = {}, said = "") {
  if (history.state !== "model") {
    history.pushState("model", ""); // Back leads to the landing
  }
  set({ ...afresh(), stage: "reading", busy: true, models, which, files: models[which].files, ...more });
  note(said);
  await look(true);
  at("model-title").focus({ preventScroll: true });
}

/** The question that the converter is asked: the files and the choices, as they are now. */
const question = () => ({ key: String(state.key), files: state.files, choices: structuredClone(state.choices), page });

async function look(first = false) {
  const mine = ++job;
  set({ busy: true });
  try {
    const looked = await converter.ask("look", { ...question(), first });
    if (mine === job) {
      await known(looked, first);
    }
  } catch (error) {
    if (mine === job && !(error instanceof Cancelled)) {
      await refuse(error, mine);
    }
  }
}

async function known(looked, first) {
  const redraw = !state.looked || looked.graph !== state.looked.graph;
  if (first && prefill(looked, state.choices)) {
    await look(); // with the names of dims that the fields have
    return;
  }
  set({ stage: "ready", busy: false, looked, failure: null });
  if (redraw) {
    draw(looked);
  }
}

let drawing = Promise.resolve(); // until the graph's nodes are known

function draw(looked) {
  const { key } = state;
  drawing = drawMxnet(looked.graph, makeOutput).then((nodes) => {
    if (nodes && key === state.key) {
      set({ nodes });
    }
  });
}

/** Not even a graph: the files are wrong, or parameters of a net that must be named, or a choice does not fit. */
async function refuse(error, mine) {
  const params = state.files.some(({ path }) => /\.(params|npz|npy)$/.test(path)) && !state.files.some(isSymbolFile);
  const nameless = params && !state.looked && ["NOT_FOUND", "INVALID_ARGUMENT", "SHAPE"].includes(error.status);
  const nets = nameless ? await converter.ask("nets").catch(() => []) : [];
  if (mine === job) {
    set({ stage: state.looked ? "ready" : "refused", busy: false, failure: readable(error), nets });
  }
}

/** An error that is the library's, or one in words where a part of the page is not there. */
function readable(error) {
  if (error.status) {
    return error;
  }
  converter.cancel(); // the next question starts a new worker
  const unloaded = /fetch|import|compil|wasm|could not be loaded/i.test(error.message);
  return { message: unloaded ? "A part of the page could not be loaded. Check the network, then choose the model again." : error.message, diagnostics: [] };
}

// ---- choices

function changed() {
  clearTimeout(waiting);
  job++; // what is on its way is of other choices
  trial.close();
  drawOnnx(null);
  const wrong = wrongChoices(state.choices);
  set({ stage: state.looked ? "ready" : "refused", edits: state.edits + 1, busy: !wrong, failure: null, result: null, outcome: "", onnx: [], kind: "mxnet" });
  if (!wrong) {
    waiting = setTimeout(look, PAUSE);
  }
}

function setOutputs(outputs) {
  state.choices.outputs = outputs;
  changed();
}

/** Adds an output that was chosen in the graph, and says so: the field is elsewhere. */
function makeOutput(output) {
  const { key, choices: { outputs: before } } = state;
  if (before.includes(output)) {
    note(`${shown(output)} is an output already.`);
    return;
  }
  setOutputs([...before, output]);
  note(`${shown(output)} is ${before.length > 0 ? "one of the outputs" : "the output, instead of the model's own,"} now.`,
    () => state.key === key && setOutputs(before));
}

/** Does the model take inputs of these shapes, { name: [sizes] }? The library knows. */
async function fits(shapes) {
  const choices = structuredClone(state.choices);
  Object.entries(shapes).forEach(([input, shape]) => { choices.inputs[input] = { ...choices.inputs[input], shape: shape.join(",") }; });
  const looked = await converter.ask("look", { ...question(), choices });
  return !looked.failure;
}

// ---- conversion

async function convert() {
  if (!["ready", "done"].includes(state.stage)) {
    return;
  }
  const invalid = at("form").querySelector("[aria-invalid=true]");
  if (invalid || wrongChoices(state.choices)) {
    invalid?.closest("details")?.setAttribute("open", "");
    (invalid ?? at("summary")).focus();
    return;
  }
  clearTimeout(waiting);
  const mine = ++job;
  trial.close();
  set({ stage: "converting", busy: false, progress: null, result: null, failure: null, outcome: "" });
  at("cancel").focus();
  try {
    const result = await converter.ask("convert", question(), (progress) => mine === job && set({ progress }));
    if (mine === job) {
      finish(result);
    }
  } catch (error) {
    if (mine === job) {
      set({ stage: "ready", failure: error instanceof Cancelled ? null : readable(error),
        outcome: error instanceof Cancelled ? "Cancelled; nothing was written." : "It could not be converted." });
      at("convert").focus();
    }
  }
}

/** Does the model take pixels from 0 to 255, since it, or what was chosen, brings them into its own range? */
function takesRaw(looked) {
  const inputs = new Set(looked.inputs.map((input) => input.name)), { choices } = state;
  return Boolean(choices.normalization) || Object.values(choices.inputs).some((values) => values.mean || values.scale)
    || state.nodes.some((node) => ["math", "norm"].includes(node.family) && node.reads.some(([value]) => inputs.has(value)));
}

async function finish(result) {
  const redraw = result.graph !== state.looked.graph;
  set({ stage: "done", looked: result, result, progress: null, outcome: "Converted.", kind: "onnx" });
  at("result").focus({ preventScroll: true });
  if (redraw) {
    draw(result);
  }
  trial.offer({ file: result.file, sample: state.sample, labels: state.labels, raw: drawing.then(() => takesRaw(result)) });
  if (state.toTry) {
    tryWith(state.toTry);
  }
  const { key } = state, onnx = await drawOnnx(result.file);
  if (key === state.key && state.result === result) {
    set({ onnx });
  }
}

// ---- what is shown

const drawn = new Map(); // what the parts were made of

/** Makes the children of an element anew where something that they show has changed. */
function part(id, needs, make) {
  const before = drawn.get(id);
  if (!before || needs.some((need, i) => need !== before[i])) {
    drawn.set(id, needs);
    at(id).replaceChildren(...[make()].flat(Infinity).filter(Boolean));
  }
}

function show(...pairs) {
  pairs.forEach(([id, on]) => { at(id).hidden = !on; });
}

const wrongText = () => (state.stage === "ready" ? wrongChoices(state.choices) : "");

const SAID = {
  empty: () => state.trouble ?? "", reading: () => "Reading the model …", refused: () => "This cannot be converted.",
  ready: () => state.outcome || (wrongText() ? "A field is not right." : state.busy ? "Looking at the choices …"
    : state.looked?.failure || state.failure ? "It cannot be converted yet." : "Ready to convert."),
  converting: () => "Converting …", done: () => "Converted.",
};

function render() {
  const { stage, looked, tab } = state, there = stage !== "empty", fielded = Boolean(looked);
  Object.assign(document.body.dataset, { stage, model: state.key });
  document.title = there ? `${shown(target().replace(/\.onnx$/, ""))} – MXNet to ONNX` : "MXNet to ONNX";
  show(["landing", !there], ["bench", there], ["another", there], ["chip", there], ["trouble", state.trouble],
    ["fields", fielded], ["convert", stage !== "converting" && stage !== "done"], ["cancel", stage === "converting"], ["progress", stage === "converting"],
    ["result", stage === "done"], ["download", stage === "done"], ["save", stage === "done" && canStream()]);
  at("status").textContent = SAID[stage]();
  at("working").textContent = stage === "reading" ? "Reading the model …" : stage === "converting" ? "Converting …"
    : state.busy ? "Looking at the choices …" : state.outcome;
  at("fields").disabled = stage === "converting";
  at("convert").setAttribute("aria-disabled", String(!fielded || Boolean(wrongChoices(state.choices))));
  renderProgress();
  renderModel();
  renderFields();
  renderViews(tab);
}

function renderProgress() {
  const { progress } = state, bar = at("progress");
  if (progress) {
    bar.max = progress.total;
    bar.value = progress.done;
  } else {
    bar.removeAttribute("value");
  }
}

/** What is known of the model and what is wrong with it. */
function renderModel() {
  const { stage, looked, failure, models, which, files, key, nets, trouble } = state, title = target().replace(/\.onnx$/, "");
  part("trouble", [trouble], () => trouble && card("error", trouble));
  if (stage === "empty") {
    return;
  }
  part("chip", [files], () => listed(files.map(({ path }) => shown(path))));
  part("model-title", [title], () => name(title));
  part("which", [models, which], () => models.length > 1 && whichField(models, which, (other) => start(models, other, { labels: state.labels })));
  const wrong = wrongText();
  part("summary", [looked, failure, wrong, stage], () => (wrong ? card("error", `A field is not right: ${wrong}.`) : looked && summary(looked, failure, stage)));
  part("said", [looked, failure, nets, key, wrong, stage === "converting"], () => {
    if (wrong || (stage === "converting" && looked?.failure)) {
      return null; // what was said is of other choices
    }
    const half = otherHalf(state, title, () => at("files").click()), said = messages(looked?.diagnostics ?? [], failure ?? looked?.failure, findInGraph);
    return [half, half && said.length > 0 ? el("details", {}, el("summary", {}, "What the converter says"), said) : said,
      nets.length > 0 && netField(nets, state.choices.net, chooseNet)];
  });
  part("result", [state.result], () => state.result && resultOf(state.result, target()));
  at("version").textContent = looked ? " " + looked.version : "";
}

function chooseNet(net) {
  state.choices.net = net;
  set({ stage: "reading", failure: null });
  look(true);
}

function renderFields() {
  const { key, looked, nodes, choices } = state, fielded = Boolean(looked);
  if (!fielded) {
    return;
  }
  part("inputs", [key, fielded], () => inputFields(looked.inputs, choices, changed));
  part("main-choices", [key, fielded], () => mainFields(looked, choices, changed));
  if (at("more").open) { // a field is made once: who writes into it while an answer comes loses nothing
    const own = choices.outputs.length > 0 ? null : looked.outputs.map((o) => o.name + o.dims).join();
    part("choices", [key, Boolean(looked.net)], () => moreFields(looked, nodeNames, choices, changed, setOutputs));
    part("own-outputs", [at("own-outputs"), choices.outputs, own], () => ownOutputs(looked, choices));
    part("chips", [at("chips"), choices.outputs], () => chips(choices, setOutputs));
    part("nodes", [at("nodes"), nodes], () => offered(nodeNames()));
  }
}

const nodeNames = () => state.nodes.filter((n) => n.kind === "node").map((n) => n.name);

function renderViews(tab) {
  const { stage, looked, result, choices, edits, onnx, kind } = state, both = Boolean(result);
  for (const each of TABS) {
    at("tab-" + each).setAttribute("aria-selected", String(each === tab));
    at("tab-" + each).tabIndex = each === tab ? 0 : -1;
  }
  const graphs = tab === "graph" || tab === "compare";
  show(["no-graph", state.stage === "refused" && !looked]);
  show(["panel-graph", graphs], ["panel-try", tab === "try"], ["panel-report", tab === "report"], ["panel-code", tab === "code"]);
  at("panel-graph").setAttribute("aria-labelledby", "tab-" + (graphs ? tab : "graph"));
  part("kinds", [tab === "graph" && both, kind], () => tab === "graph" && both && ["mxnet", "onnx"].map((each) => el("button", { type: "button",
    "aria-pressed": String(each === kind), click: () => set({ kind: each }) }, each === "mxnet" ? "MXNet" : "ONNX")));
  if (graphs) {
    showGraphs(tab === "compare" ? "both" : both ? kind : "mxnet");
  }
  if (tab === "report") {
    part("report", [looked, onnx], () => (looked ? report(looked, onnx, findInGraph) : el("p", {}, "Nothing is known of the model yet.")));
  }
  if (tab === "code") {
    const wrong = wrongText();
    const none = wrong ? `There is no command while a field is not right: ${wrong}.` : looked ? "" : "There is no command for what cannot be read.";
    part("commands", [looked, edits], () => (none ? el("p", {}, none) : commands(looked, choices, target(), state.sample && state.files, state.files[0].archive)));
  }
  if (tab === "try") {
    trial.show(at("trial"), stage);
  } else {
    trial.hide();
  }
}

/** Shows a node or an operator of MXNet's graph. */
function findInGraph(text) {
  set({ tab: state.tab === "compare" ? "compare" : "graph", kind: "mxnet" });
  searchFor(text);
  at("panel-graph").scrollIntoView({ block: "nearest" }); // on a phone it is elsewhere
}

// ---- the page itself

function tabs() {
  for (const [i, tab] of TABS.entries()) {
    at("tab-" + tab).addEventListener("click", () => set({ tab }));
    at("tab-" + tab).addEventListener("keydown", (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1 + TABS.length, Home: 0, End: TABS.length - 1 }[event.key];
      if (to !== undefined) {
        event.preventDefault();
        set({ tab: TABS[to % TABS.length] });
        at("tab-" + state.tab).focus();
      }
    });
  }
}

for (const [button, input] of [["pick-files", "files"], ["pick-folder", "folder"], ["another", "files"]]) {
  at(button).addEventListener("click", () => at(input).click());
}
for (const id of ["files", "folder"]) {
  at(id).addEventListener("change", () => open(fromInput(at(id))));
}
at("cancel").addEventListener("click", () => {
  converter.cancel();
  sweepAll(page);
});
at("download").addEventListener("click", () => download(state.result.file, target()));
at("save").addEventListener("click", async () => note(await save(state.result.file, target())));
at("more").addEventListener("toggle", render);
at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  convert();
});
let left = null; // the model from which Back led, for Forward
addEventListener("popstate", () => {
  if (history.state === "model" && state.stage === "empty" && left) { // Forward
    start(left.models, left.which, left.more);
  }
  if (history.state === "model" || state.stage === "empty") {
    return;
  }
  if (state.stage === "converting" && !confirm("The model is being converted. Stop that and leave it?")) {
    history.pushState("model", "");
    return;
  }
  left = { models: state.models, which: state.which, more: { sample: state.sample, labels: state.labels, choices: state.choices } };
  set({ ...afresh(), stage: "empty", busy: false });
  at("pick-files").focus();
});
addEventListener("beforeunload", (event) => state.stage === "converting" && event.preventDefault());
at("samples").replaceChildren(...tiles(openSample));
receive(open, () => state.stage !== "empty");
tabs();
offerShapes();
trial.onConvert = convert;
hold(page);
sweepAll(page);
history.replaceState(null, ""); // a page that is loaded again has no model
render();
navigator.serviceWorker?.register("sw.js").catch(() => {}); // without it the page needs the network
navigator.serviceWorker?.ready.then(() => show(["offline", true]));
