// SPDX-License-Identifier: Apache-2.0
// What the page asks for where the files alone do not say it: the other half of a model, one of several models, a published net.
import { card, el, name, shown } from "./dom.js";
import { isParams, isSymbolFile } from "./pick.js";

/** What is missing is asked for, where it is a whole file: no parameters were chosen, or such that can be read and are of no published net. */
export function otherHalf({ looked, files, failure, choices }, title, choose) {
  const hasSymbol = files.some(isSymbolFile), button = (text) => el("p", {}, el("button", { type: "button", click: choose }, text));
  if (looked?.missing.length > 0 && hasSymbol && !files.some(isParams)) {
    return card("note", [el("strong", {}, "Its parameters are not here yet. "), "Drop them, too: a file such as ", name(title + "-0000.params"), "."],
      button("Choose the parameters"));
  }
  if (!looked && failure?.status === "NOT_FOUND" && !choices.net && files.length > 0 && files.every(isParams)) {
    return card("note", [el("strong", {}, "Its graph is not here yet. "), "Drop the symbol, too: a file such as ", name(title + "-symbol.json"), "."],
      button("Choose the symbol"));
  }
  return null;
}

export function whichField(models, which, change) {
  const box = el("select", { id: "model", change: () => change(Number(box.value)) },
    models.map((model, i) => el("option", { value: i, selected: i === which }, shown(model.title))));
  return el("div", { class: "field" }, el("label", { for: "model" }, `${models.length} models are in these files`), box);
}

/** To name the net, where parameters alone were not enough. */
export function netField(nets, chosen, change) {
  const box = el("select", { id: "net", change: () => change(box.value) }, el("option", { value: "" }, "none of these"),
    nets.map((net) => el("option", { value: net.name, selected: net.name === chosen }, net.name)));
  return el("div", { class: "field" }, el("label", { for: "net" }, "The published net that these parameters belong to"), box);
}
