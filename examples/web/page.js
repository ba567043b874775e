// SPDX-License-Identifier: Apache-2.0
// The page: its state, what changes the state, and the one function that shows it. The parts draw themselves elsewhere.
//
// Stages: empty -> reading -> refused (not even a graph) or ready (a graph, and fields) -> converting -> done. A choice that changes
// leads from done to ready.
import { Cancelled, Client } from "./client.js";
import { at, card, el, name, shown } from "./dom.js";
import { fromDrop, fromInput } from "./files.js";
import { chips, inputFields, mainFields, moreFields, offered, offerShapes, ownOutputs, prefill, wrongChoices } from "./form.js";
import { drawMxnet, drawOnnx, searchFor, showGraphs } from "./look.js";
import { joined, pick } from "./pick.js";
import { messages, report, summary } from "./report.js";
import { commands, resultOf, save } from "./result.js";
import { tiles } from "./samples.js";
import { canStream, download } from "./save.js";
import { hold, sweepAll } from "./sink.js";
import { Trial } from "./trial.js";

const PAUSE = 300; // milliseconds without a key, before a choice is looked at
const TABS = ["graph", "compare", "try", "report", "code"];
const isSymbol = ({ path }) => path.endsWith(".json");
const NO_MODEL = "A model is a -symbol.json and its .params, a folder with them, or a .zip, .mar or .tar.gz.";
const converter = new Client("converter.js"), page = "model-" + [...crypto.getRandomValues(new Uint32Array(4))].join("-");
const trial = new Trial({ fits });

const state = {
  stage: "empty", trouble: null, notice: "", busy: false, // looking at choices
  models: [], which: 0, files: [], sample: null, labels: null, // what was chosen
  key: 0, choices: null, edits: 0, // the model, and how often its choices were changed
  looked: null, failure: null, nets: [], nodes: [], // what is known of it
  result: null, progress: null, outcome: "", onnx: [], // what became of it
  tab: "graph", kind: "mxnet", // what is in sight
};
let job = 0; // the last question; answers to earlier ones are dropped
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

/** Opens what was chosen or dropped: a model, the other half of one, or a picture for the trial. */
async function open(files) {
  if (files.length === 0) {
    complain("There is no file that can be read in what was dropped.");
    return;
  }
  const found = await pick(files), symbols = state.files.filter(isSymbol);
  const held = state.stage === "refused" && symbols.length > 0 ? symbols : state.files; // the parameters were wrong
  const both = waits() ? joined(held, found) : null;
  if (found.models.length > 0) {
    const [first] = found.models, models = both ? [{ title: first.title, files: both }] : found.models;
    const out = [...found.others, ...found.images].map(({ path }) => shown(path));
    await start(models, 0, { labels: found.labels?.file ?? null, notice: leftOut(out) });
  } else if (found.images.length > 0 && state.stage === "done") {
    set({ tab: "try" });
    trial.useImage(found.images[0].file);
  } else {
    complain(`${listed(files.map(({ path }) => shown(path)))} ${files.length === 1 ? "is not a model" : "are not a model"} of MXNet. ${NO_MODEL}`);
  }
}

/** Is a half of the model missing: parameters, or the symbol of parameters? */
const waits = () => state.looked?.missing.length > 0 || state.stage === "refused" || (state.files.length > 0 && !state.files.some(isSymbol));

const listed = (paths) => (paths.length > 4 ? `${paths.slice(0, 3).join(", ")} and ${paths.length - 3} more` : paths.join(", "));
const leftOut = (paths) => (paths.length > 0 ? `Left out, since not part of a model: ${listed(paths)}` : "");

/** What was dropped is of no use; a model that is there stays. */
function complain(text) {
  set(state.stage === "empty" ? { trouble: text } : { notice: text });
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
  converter.cancel();
  if (state.stage === "converting") {
    sweepAll(page);
  }
  clearTimeout(waiting); // a choice for it
  trial.close();
  drawMxnet(null);
  return { trouble: null, notice: "", models: [], which: 0, files: [], sample: null, labels: null,
    key: state.key + 1, choices: { inputs: {}, outputs: [] }, edits: 0, looked: null, failure: null, nets: [], nodes: [],
    result: null, progress: null, outcome: "", onnx: [], tab: "graph", kind: "mxnet" };
}

async function start(models, which, more = {}) {
  if (history.state !== "model") {
    history.pushState("model", ""); // Back leads to the landing
  }
  set({ ...afresh(), stage: "reading", busy: true, models, which, files: models[which].files, ...more });
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

async function draw(looked) {
  const { key } = state, nodes = await drawMxnet(looked.graph, (output) => setOutputs([...new Set([...state.choices.outputs, output])]));
  if (key === state.key) {
    set({ nodes });
  }
}

/** Not even a graph: the files are wrong, or parameters of a net that must be named, or a choice does not fit. */
async function refuse(error, mine) {
  const params = state.files.some(({ path }) => /\.(params|npz|npy)$/.test(path)) && !state.files.some(isSymbol);
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
    invalid?.focus();
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

/** Does the model take pixels from 0 to 255, since it, or what was chosen, brings them into a range of its own? */
function takesRaw() {
  const inputs = new Set(state.looked.inputs.map((input) => input.name)), { choices } = state;
  return Boolean(choices.normalization) || Object.values(choices.inputs).some((values) => values.mean || values.scale)
    || state.nodes.some((node) => ["math", "norm"].includes(node.family) && node.reads.some(([value]) => inputs.has(value)));
}

async function finish(result) {
  const redraw = result.graph !== state.looked.graph;
  set({ stage: "done", looked: result, result, progress: null, outcome: "Converted.", kind: "onnx" });
  at("result").focus({ preventScroll: true });
  trial.offer({ file: result.file, sample: state.sample, labels: state.labels, raw: takesRaw() });
  if (redraw) {
    draw(result);
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
  show(["landing", !there], ["bench", there], ["another", there], ["chip", there], ["notice", state.notice], ["trouble", state.trouble],
    ["fields", fielded], ["convert", stage !== "converting" && stage !== "done"], ["cancel", stage === "converting"], ["progress", stage === "converting"],
    ["result", stage === "done"], ["download", stage === "done"], ["save", stage === "done" && canStream()]);
  at("notice-text").textContent = state.notice;
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
  part("which", [models, which], () => models.length > 1 && whichField());
  const wrong = wrongText();
  part("summary", [looked, failure, wrong], () => (wrong ? card("error", `A field is not right: ${wrong}.`) : looked && summary(looked, failure)));
  part("said", [looked, failure, nets, key, wrong], () => {
    if (wrong) {
      return null; // what was said is of other choices
    }
    const half = otherHalf(), said = messages(looked?.diagnostics ?? [], failure ?? looked?.failure, findInGraph);
    return [half, half && said.length > 0 ? el("details", {}, el("summary", {}, "What the converter says"), said) : said, nets.length > 0 && netField()];
  });
  part("result", [state.result], () => state.result && resultOf(state.result, target()));
  at("version").textContent = looked ? " " + looked.version : "";
}

function whichField() {
  const box = el("select", { id: "model", change: () => start(state.models, Number(box.value), { labels: state.labels }) },
    state.models.map((model, i) => el("option", { value: i, selected: i === state.which }, shown(model.title))));
  return el("div", { class: "field" }, el("label", { for: "model" }, `${state.models.length} models are in these files`), box);
}

/** What is missing is asked for, where it is a whole file. */
function otherHalf() {
  const { looked, files, failure } = state, hasSymbol = files.some(isSymbol);
  const choose = (text) => el("p", {}, el("button", { type: "button", click: () => at("files").click() }, text));
  if (looked?.missing.length > 0 && hasSymbol) {
    const guess = target().replace(/\.onnx$/, "-0000.params");
    return card("note", [el("strong", {}, "Its parameters are not here yet. "), "Drop them, too: a file such as ", name(guess), "."], choose("Choose the parameters"));
  }
  if (!looked && failure?.status && !hasSymbol && files.length > 0 && files.every(({ path }) => /\.(params|npz|npy)$/.test(path))) {
    return card("note", [el("strong", {}, "Its graph is not here yet. "), "Drop the symbol, too: a file such as ", name(target().replace(/\.onnx$/, "-symbol.json")), "."],
      choose("Choose the symbol"));
  }
  return null;
}

/** To name the net, where parameters alone were not enough. */
function netField() {
  const box = el("select", { id: "net", change: () => { state.choices.net = box.value; set({ stage: "reading", failure: null }); look(true); } },
    el("option", { value: "" }, "none of these"),
    state.nets.map((net) => el("option", { value: net.name, selected: net.name === state.choices.net }, net.name)));
  return el("div", { class: "field" }, el("label", { for: "net" }, "The published net that these parameters belong to"), box);
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
  const { looked, result, choices, edits, onnx, kind } = state, both = Boolean(result);
  for (const each of TABS) {
    at("tab-" + each).setAttribute("aria-selected", String(each === tab));
    at("tab-" + each).tabIndex = each === tab ? 0 : -1;
  }
  const graphs = tab === "graph" || tab === "compare";
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
    part("commands", [looked, edits], () => (none ? el("p", {}, none) : commands(looked, choices, target(), state.sample && state.files)));
  }
  if (tab === "try") {
    trial.show(at("trial"));
  }
}

/** Shows a node or an operator of MXNet's graph. */
function findInGraph(text) {
  set({ tab: state.tab === "compare" ? "compare" : "graph", kind: "mxnet" });
  searchFor(text);
}

// ---- the page itself

function dropping() {
  let inside = 0; // elements that the pointer is over
  const over = (change) => {
    inside = Math.max(0, change === 0 ? 0 : inside + change);
    document.body.classList.toggle("over", inside > 0);
    at("veil").hidden = inside === 0 || state.stage === "empty";
  };
  document.addEventListener("dragenter", () => over(1));
  document.addEventListener("dragleave", () => over(-1));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    over(0);
    open(await fromDrop(event.dataTransfer));
  });
}

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
at("save").addEventListener("click", async () => set({ notice: await save(state.result.file, target()) }));
at("notice-close").addEventListener("click", () => set({ notice: "" }));
document.addEventListener("keydown", (event) => event.key === "Escape" && state.notice && set({ notice: "" }));
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
  left = { models: state.models, which: state.which, more: { sample: state.sample, labels: state.labels } };
  set({ ...afresh(), stage: "empty", busy: false });
  at("pick-files").focus();
});
addEventListener("beforeunload", (event) => state.stage === "converting" && event.preventDefault());
at("samples").replaceChildren(...tiles(openSample));
dropping();
tabs();
offerShapes();
trial.onConvert = convert;
hold(page);
sweepAll(page);
history.replaceState(null, ""); // a page that is loaded again has no model
render();
navigator.serviceWorker?.register("sw.js").catch(() => {}); // without it the page needs the network
