// SPDX-License-Identifier: Apache-2.0
// Gives a file to the reader: through a file picker as a stream where there is one, else as a download.

const KEPT = 60_000; // milliseconds for which a file that is downloaded must be there
let last = -Infinity; // when a download was started

export function download(file, name) {
  last = performance.now();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

/** The milliseconds until no download reads its file any more. */
export const untilSaved = () => Math.max(0, last + KEPT - performance.now());

export const canStream = () => typeof globalThis.showSaveFilePicker === "function";

/** False if the reader thought better of it. */
export async function saveAs(file, suggestedName) {
  let handle;
  try {
    handle = await globalThis.showSaveFilePicker({ suggestedName, types: [{ description: "ONNX", accept: { "application/octet-stream": [".onnx"] } }] });
  } catch (error) {
    if (error.name === "AbortError") {
      return false;
    }
    throw error;
  }
  await file.stream().pipeTo(await handle.createWritable());
  return true;
}
