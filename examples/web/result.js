// SPDX-License-Identifier: Apache-2.0
// The converted model: facts, the ways to save it, and the commands that do the same.
import { commandLine, pythonProgram } from "./commands.js";
import { bytes, count, dims, el, name } from "./dom.js";
import { download, saveAs } from "./save.js";

const values = (list) => list.map((v) => [name(v.name), ` ${v.dtype ?? "?"} ${dims(v.dims)} `]);

/** What became of saving, in words; "" if the reader thought better of it. */
export async function save(file, target) {
  try {
    return await saveAs(file, target) ? "Saved." : "";
  } catch (error) {
    return "It could not be saved: " + error.message;
  }
}

export function resultOf({ file, written, seconds, inputs, outputs }, target) {
  return [el("h2", {}, name(target)),
    el("p", {}, `${bytes(file.size)}, ${count(written.nodes, "node")}, opset ${written.opset}, `, el("span", { id: "seconds" }, seconds.toFixed(2) + " s")),
    el("p", {}, el("span", { class: "quiet" }, "Inputs: "), values(inputs)), el("p", {}, el("span", { class: "quiet" }, "Outputs: "), values(outputs))];
}

function copied(title, text, id) {
  const said = el("span", { role: "status", class: "quiet" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(block);
      said.textContent = "The browser does not let the page copy; the text is selected: copy it with Ctrl+C";
    }
    setTimeout(() => { said.textContent = ""; }, 4000);
  };
  const block = el("pre", { id, tabindex: "0" }, text);
  return el("div", {}, el("h2", {}, title), block, el("p", { class: "buttons" }, el("button", { type: "button", click: copy }, "Copy"), said));
}

/** `files`: those of a sample, which a visitor does not have; `archive`: the one that was unpacked, if any. */
export function commands(looked, choices, target, files, archive) {
  return [archive && el("p", {}, "The commands read the files of ", name(archive), ", unpacked into a folder of that name."),
  files && el("p", { id: "sample-files" }, "The commands read the sample's files; download them: ", files.map(({ path, file }, i) =>
    [i > 0 && ", ", el("button", { type: "button", class: "link", click: () => download(file, path) }, name(path))])),
  copied("Command line", commandLine(looked.paths, choices, target), "command"),
    copied("Python", pythonProgram(looked, choices, target), "python"),
    el("p", { class: "quiet" }, "Paths are relative to the files that you chose. Weights in a separate file (--external always) need the command line: "
      + "the page writes a single file of at most 2 GiB.")];
}
