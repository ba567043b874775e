// SPDX-License-Identifier: Apache-2.0
// The notice: a line about what was done, which can be undone where it says so. It goes away by itself at the end of its animation, which
// does not move while the pointer or the focus is in it.
import { at } from "./dom.js";

let undoing = null;

/** Says a text, or with "" nothing any more. */
export function note(text, undo = null) {
  const box = at("notice");
  undoing = undo;
  at("notice-text").textContent = text;
  at("notice-undo").hidden = !undo;
  box.hidden = !text;
  box.getAnimations().forEach((animation) => { animation.currentTime = 0; });
}

at("notice-close").addEventListener("click", () => note(""));
at("notice").addEventListener("animationend", () => note(""));
at("notice-undo").addEventListener("click", () => {
  undoing?.();
  note("");
});
document.addEventListener("keydown", (event) => event.key === "Escape" && note(""));
