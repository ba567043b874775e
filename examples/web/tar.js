// SPDX-License-Identifier: Apache-2.0
// What is in a .tar or .tar.gz, as { path, file } with slices of the archive.

const BLOCK = 512;
const text = (bytes, from, size) => new TextDecoder().decode(bytes.subarray(from, from + size)).replace(/\0.*/s, "");

/** Is it a gzip or a tar? */
export async function isTar(file) {
  const head = new Uint8Array(await file.slice(0, 262).arrayBuffer());
  return (head[0] === 0x1f && head[1] === 0x8b) || text(head, 257, 5) === "ustar";
}

async function plain(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    return file;
  }
  try {
    return await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
  } catch {
    throw new Error(`${file.name} is damaged, or unpacked larger than the browser can keep`);
  }
}

// "30 path=long/name\n" and so on.
function paxPath(bytes) {
  return /(?:^|\n)\d+ path=([^\n]*)/.exec(new TextDecoder().decode(bytes))?.[1];
}

export async function untar(file) {
  const tar = await plain(file), found = [];
  let longer = null; // the name that a record before the file's own gives it
  for (let at = 0; at + BLOCK <= tar.size;) {
    const head = new Uint8Array(await tar.slice(at, at + BLOCK).arrayBuffer());
    if (head[0] === 0) {
      break;
    }
    const size = parseInt(text(head, 124, 12), 8), type = String.fromCharCode(head[156]), data = tar.slice(at + BLOCK, at + BLOCK + size);
    if (!(size >= 0) || data.size !== size) {
      throw new Error(`${file.name} is damaged: a member of it ends after the archive`);
    }
    if (type === "L" || type === "x") {
      const bytes = new Uint8Array(await data.arrayBuffer());
      longer = type === "L" ? text(bytes, 0, size) : paxPath(bytes) ?? longer;
    } else {
      const folder = text(head, 257, 5) === "ustar" ? text(head, 345, 155) : "";
      const path = (longer ?? (folder && folder + "/") + text(head, 0, 100)).replace(/^\.\//, "");
      if (type === "0" || type === "\0") {
        found.push({ path, file: data });
      }
      longer = null;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}
