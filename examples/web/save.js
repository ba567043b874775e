// SPDX-License-Identifier: Apache-2.0
// Gives a file to the reader: through a file picker as a stream where there is one, else as a download.

export function download(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

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
