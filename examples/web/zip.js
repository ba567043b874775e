// SPDX-License-Identifier: Apache-2.0
// Archives of what was chosen, and what is in an archive. Blobs are put together and cut without reading them.

const CHECKED = 16 << 20; // larger members get no checksum: they are stored, and read where they are
const LARGEST = 2 ** 32 - 1; // of a zip without extensions

const CRC = Uint32Array.from({ length: 256 }, (_, k) => {
  for (let i = 0; i < 8; i++) {
    k = k & 1 ? 0xedb88320 ^ (k >>> 1) : k >>> 1;
  }
  return k;
});

function crc32(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) {
    c = CRC[(c ^ b) & 255] ^ (c >>> 8);
  }
  return (c ^ 0xffffffff) >>> 0;
}

/** A record of a zip: its fields of 2 or 4 bytes, in order. */
function record(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((n, [size]) => n + size, 0)));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) {
      view.setUint16(at, value, true);
    } else {
      view.setUint32(at, value, true);
    }
    at += size;
  }
  return view.buffer;
}

/** The files as a zip that stores them, without the sums of large ones, which a zip should have: the library then chooses the model of a folder as it does for the command line. */
export async function store(files) {
  const parts = [], entries = [];
  let offset = 0;
  for (const { path, file } of files) {
    const name = new TextEncoder().encode(path);
    const crc = file.size <= CHECKED ? crc32(new Uint8Array(await file.arrayBuffer())) : 0;
    const common = [[2, 20], [2, 0x800], [2, 0], [4, 0x00210000], [4, crc], [4, file.size], [4, file.size], [2, name.length], [2, 0]];
    parts.push(record([4, 0x04034b50], ...common), name, file);
    entries.push(record([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), name);
    offset += 30 + name.length + file.size;
  }
  if (offset > LARGEST) {
    throw new Error("the folder holds more than 4 GiB; choose the symbol and its parameters alone");
  }
  const directory = new Blob(entries);
  return new Blob([...parts, directory, record([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length],
    [4, directory.size], [4, offset], [2, 0])]);
}

/** [[name, where it is]] of the members of a zip. */
async function listed(blob) {
  const tail = new DataView(await blob.slice(-65557).arrayBuffer());
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) {
    end--;
  }
  if (end < 0) {
    throw new Error("this is not a zip");
  }
  const start = tail.getUint32(end + 16, true), count = tail.getUint16(end + 10, true);
  const list = new DataView(await blob.slice(start, start + tail.getUint32(end + 12, true)).arrayBuffer()), found = [];
  for (let at = 0, i = 0; i < count; i++) {
    const [length, extra, comment] = [28, 30, 32].map((k) => list.getUint16(at + k, true));
    const member = { method: list.getUint16(at + 10, true), size: list.getUint32(at + 20, true), offset: list.getUint32(at + 42, true) };
    found.push([new TextDecoder().decode(new Uint8Array(list.buffer, at + 46, length)), member]);
    at += 46 + length + extra + comment;
  }
  return found;
}

/** The members with names that are wanted, as [{ path, file }]: slices of the zip, or unpacked. */
export async function contents(blob, wanted) {
  const all = await listed(blob);
  return Promise.all(all.filter(([name]) => wanted(name)).map(async ([path, member]) => ({ path, file: await cut(blob, member) })));
}

async function cut(blob, { method, size, offset }) {
  const local = new DataView(await blob.slice(offset, offset + 30).arrayBuffer());
  const start = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true), data = blob.slice(start, start + size);
  return method === 0 ? data : new Response(data.stream().pipeThrough(new DecompressionStream("deflate-raw"))).blob();
}

/** The members of a zip, { name: function that gives its bytes }. */
export async function members(blob) {
  const read = async (member) => new Uint8Array(await (await cut(blob, member)).arrayBuffer());
  return Object.fromEntries((await listed(blob)).map(([name, member]) => [name, () => read(member)]));
}
