// SPDX-License-Identifier: Apache-2.0
// The converted model: facts, the ways to save it, and the commands that do the same.
import { bytes, dims, el, name } from "./dom.js";
import { commandLine, pythonProgram } from "./commands.js";
import { canStream, download, saveAs } from "./save.js";

const values = (list) => list.map((v) => [name(v.name), ` ${v.dtype} ${dims(v.shape)} `]).flat();

async function save(result, target, said) {
  try {
    if (await saveAs(result.file, target)) {
      said.textContent = "Saved.";
    }
  } catch (error) {
    said.textContent = "It could not be saved: " + error.message;
  }
}

export function resultOf(result, target) {
  const said = el("span", { role: "status" });
  const { written, seconds } = result;
  return [el("p", {}, el("strong", {}, name(target)), `: ${bytes(result.file.size)}, ${written.nodes.toLocaleString("en")} nodes, opset ${written.opset}, `,
    el("span", { id: "seconds" }, seconds.toFixed(2) + " s")),
    el("p", {}, "Inputs: ", ...values(result.inputs)), el("p", {}, "Outputs: ", ...values(result.outputs)),
    el("p", { class: "buttons" }, el("button", { type: "button", id: "download", class: "primary", click: () => download(result.file, target) }, "Download"),
      canStream() && el("button", { type: "button", id: "save", click: () => save(result, target, said) }, "Save as …"), said)];
}

function copied(title, text, id) {
  const button = el("button", { type: "button", click: async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } }, "Copy");
  return el("div", {}, el("h3", {}, title), el("pre", { id, tabindex: "0" }, text), button);
}

export function commands(looked, choices, target) {
  return [copied("Command line", commandLine(looked.paths, choices, target), "command"),
    copied("Python", pythonProgram(looked, choices, target), "python"),
    el("p", { class: "quiet" }, "Paths are relative to the files that you chose. Weights in a separate file (--external always) need the command line: the page writes a single file of at most 2 GiB.")];
}
