// SPDX-License-Identifier: Apache-2.0
// What the reader drops or chooses, as a list of { path, file }.

import { at } from "./dom.js";

const hidden = (path) => path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX");

/** From <input type="file">, also of a folder. */
export function fromInput(input) {
  const found = [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  input.value = ""; // or choosing the same file again would not be a change
  return found.filter(({ path }) => !hidden(path));
}

/** Gives what is dropped on the page to `open`; a veil shows that it may be dropped where there is a model already. */
export function receive(open, hasModel) {
  let inside = 0; // elements that the pointer is over
  const over = (change) => {
    inside = Math.max(0, change === 0 ? 0 : inside + change);
    document.body.classList.toggle("over", inside > 0);
    at("veil").hidden = inside === 0 || !hasModel();
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

/** From what was dropped: files, and folders with all that is in them. */
async function fromDrop(transfer) {
  // Entries must be taken before the first await: the list is empty afterwards.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const found = entries.length ? (await Promise.all(entries.map(walk))).flat()
    : [...transfer.files].map((file) => ({ path: file.name, file }));
  return found.filter(({ path }) => !hidden(path));
}

async function walk(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = entry.createReader(), found = [];
  for (;;) { // a reader gives a hundred at a time
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) {
      return found;
    }
    found.push(...(await Promise.all(some.map(walk))).flat());
  }
}
