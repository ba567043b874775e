// SPDX-License-Identifier: Apache-2.0
// Where the ONNX file goes while it is written: into the browser's own store on the disk, so that it is never in memory, or
// where there is none, into pieces of a Blob.
import { discard } from "./mx2onnx.mjs";

async function stored(page) {
  const folder = await navigator.storage.getDirectory(), name = `${page}-${Date.now()}.onnx`;
  const handle = /** @type {any} */ (await folder.getFileHandle(name, { create: true })), access = await handle.createSyncAccessHandle();
  let offset = 0;
  return {
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        const n = access.write(at ? bytes.subarray(at) : bytes, { at: offset });
        if (n === 0) {
          throw new Error("the browser has no more room for the file");
        }
        at += n;
        offset += n;
      }
      discard(bytes.buffer);
    },
    async finish() {
      access.close();
      return handle.getFile();
    },
    async discard() {
      access.close();
      await folder.removeEntry(name);
    },
  };
}

function inMemory() {
  let pieces = [];
  return {
    write: (bytes) => { pieces.push(bytes); },
    finish: async () => new Blob(pieces),
    discard: async () => { pieces = []; },
  };
}

/** A sink for the page of this name. */
export async function openSink(page) {
  try {
    return await stored(page);
  } catch {
    return inMemory();
  }
}

/** Says that the page of this name is there, as long as it is: what it has stored is not swept by others. */
export function hold(page) {
  navigator.locks?.request(page, () => new Promise(() => {}));
}

/** Deletes the page's own files of before that time, and what pages that are gone have left. True if all of them are deleted: a worker
 * that was ended may still hold one for a moment. */
export async function sweep(page, before = Date.now()) {
  let all = true;
  try {
    const folder = await navigator.storage.getDirectory(), { held, pending } = await navigator.locks.query();
    const others = [...held, ...pending].map((lock) => lock.name).filter((name) => name !== page);
    const later = (name) => name.startsWith(page) && Number(/-(\d+)\.onnx$/.exec(name)?.[1]) >= before;
    for await (const name of folder.keys()) {
      if (name.startsWith("model-") && !later(name) && !others.some((other) => name.startsWith(other))) {
        await folder.removeEntry(name).catch(() => { all = false; });
      }
    }
  } catch {
    // there is no store
  }
  return all;
}

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/** The same, again and again until nothing is left, after `wait` milliseconds. */
export async function sweepAll(page, wait = 0) {
  const before = Date.now();
  await pause(wait);
  for (let next = 50; next < 60_000 && !await sweep(page, before); next *= 2) {
    await pause(next);
  }
}
