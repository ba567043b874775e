// SPDX-License-Identifier: Apache-2.0
// The page: what was chosen, what is known of it, what became of it. The parts draw themselves elsewhere.
import { Cancelled, Client } from "./client.js";
import { at, el, name, shown } from "./dom.js";
import { fromDrop, fromInput } from "./files.js";
import { inputFields, modelFields, offerShapes, prefill } from "./form.js";
import { mxnetGraph } from "./graph.js";
import { look } from "./look.js";
import { messages, report, summary } from "./report.js";
import { commands, resultOf } from "./result.js";
import { offerTrial } from "./trial.js";

const EXAMPLE = ["digits-symbol.json", "digits-0000.params"];
const converter = new Client("converter.js"), page = "model-" + crypto.randomUUID();
let state = { key: "", files: [], choices: {}, looked: null, drawn: "" };
let looking = 0; // the last question; answers to earlier ones are dropped
let waiting = 0; // the timer of a choice that is not looked at yet

const target = () => {
  const base = (state.looked?.paths[0] ?? "model").split("/").at(-1);
  return (base.replace(/(-symbol)?\.json$|-\d{4,}\.params$|\.tar\.gz$|\.\w+$/i, "") || "model") + ".onnx";
};

function say(text, error = false) {
  at("status").textContent = text;
  at("status").className = error ? "error" : "";
}

// ---- a model is chosen

async function open(files) {
  if (files.length === 0) {
    return;
  }
  converter.cancel();
  clearTimeout(waiting); // a choice for the last model
  state = { key: crypto.randomUUID(), files, choices: { inputs: {}, outputs: [] }, looked: null, drawn: "" };
  look(null, null);
  ["model", "result", "look", "try"].forEach((id) => { at(id).hidden = true; });
  await inspect(true);
}

async function inspect(first = false) {
  const mine = ++looking, { key, files, choices } = state;
  say("Looking …");
  try {
    const looked = await converter.ask("look", { key, files, choices, first });
    if (mine === looking) {
      state.looked = looked;
      first && prefill(looked, choices);
      first ? draw() : update();
      say("");
    }
  } catch (error) {
    const field = await netField(error);
    if (mine === looking && !(error instanceof Cancelled)) {
      refuse(error, field);
    }
  }
}

// Not even a graph: the files are wrong, or parameters of a net that must be named, or a choice does not fit.
function refuse(error, field) {
  say("This cannot be converted.", true);
  at("said").replaceChildren(...messages([], error), ...field);
  if (state.looked) {
    return;
  }
  at("model").hidden = false;
  at("form").hidden = true;
  at("model-title").textContent = shown(state.files[0].path.split("/").at(-1));
  at("summary").replaceChildren();
}

// To name the net, where parameters alone were not enough.
async function netField(error) {
  const { files, looked } = state;
  if (looked || files.some(({ path }) => path.endsWith(".json")) || !["NOT_FOUND", "INVALID_ARGUMENT", "SHAPE"].includes(error.status)) {
    return [];
  }
  const found = await converter.ask("nets");
  const box = el("select", { id: "net", change: () => { state.choices.net = box.value; inspect(true); } }, el("option", { value: "" }, "none of these"),
    found.map((net) => el("option", { value: net.name, selected: net.name === state.choices.net }, net.name)));
  return [el("div", { class: "field" }, el("label", { for: "net" }, "The published net whose parameters these are"), box)];
}

// ---- what is known of it

const textOf = (looked) => looked.graph?.text ?? looked.graph?.json ?? "";
const nodes = () => (mxnetGraph(state.looked.graph ?? {})?.nodes ?? []).map((node) => node.name);

/** All of it, with fields as they were chosen. */
function draw() {
  const { looked, choices } = state;
  at("model").hidden = at("form").hidden = false;
  at("model-title").replaceChildren(name(target().replace(/\.onnx$/, "")));
  at("version").textContent = " " + looked.version;
  at("inputs").replaceChildren(...inputFields(looked.inputs, choices, changed));
  at("working").textContent = "";
  update();
}

/** What changes with the choices. */
function update() {
  const { looked, choices } = state;
  at("summary").replaceChildren(...summary(looked));
  at("said").replaceChildren(...messages(looked.diagnostics, looked.failure));
  at("report").replaceChildren(...report(looked));
  textOf(looked) === state.drawn || look(looked.graph, null);
  state.drawn = textOf(looked);
  at("choices").contains(document.activeElement) || at("choices").replaceChildren(...modelFields(looked, nodes(), choices, changed));
  at("commands").replaceChildren(...commands(looked, choices, target()));
}

function changed() {
  clearTimeout(waiting);
  at("result").hidden = at("try").hidden = true; // of other choices
  waiting = setTimeout(inspect, 300);
}

// ---- conversion

function busy(on) {
  at("convert").disabled = on;
  at("cancel").hidden = at("progress").hidden = !on;
  at("progress").removeAttribute("value");
  at("working").textContent = on ? "Converting …" : "";
}

async function convert() {
  clearTimeout(waiting);
  looking++;
  busy(true);
  at("result").hidden = true;
  const { key, files, choices } = state;
  try {
    const result = await converter.ask("convert", { key, files, choices, page }, ({ done, total }) => {
      at("progress").max = total;
      at("progress").value = done;
    });
    busy(false);
    state.looked = result;
    state.drawn = textOf(result); // both are drawn below
    update();
    at("result").replaceChildren(...resultOf(result, target()));
    at("result").hidden = false;
    at("working").textContent = "Converted.";
    look(result.graph, result.file);
    offerTrial(result.file);
  } catch (error) {
    busy(false);
    at("working").textContent = error instanceof Cancelled ? "Cancelled; nothing was written." : "It could not be converted.";
    error instanceof Cancelled || at("said").replaceChildren(...messages([], error));
  }
}

// ---- the page itself

async function example() {
  open(await Promise.all(EXAMPLE.map(async (path) => ({ path, file: new File([await (await fetch("example/" + path)).blob()], path) }))));
}

function dropping() {
  const over = (on) => (event) => {
    event.preventDefault();
    at("drop").classList.toggle("over", on);
  };
  document.addEventListener("dragover", over(true));
  document.addEventListener("dragleave", over(false));
  document.addEventListener("drop", async (event) => {
    over(false)(event);
    open(await fromDrop(event.dataTransfer));
  });
}

for (const id of ["files", "folder"]) {
  at(id).addEventListener("change", () => open(fromInput(at(id))));
}
at("example").addEventListener("click", example);
at("cancel").addEventListener("click", () => converter.cancel());
at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  convert();
});
dropping();
offerShapes();
navigator.serviceWorker?.register("sw.js").catch(() => {}); // without it the page needs the network
