// SPDX-License-Identifier: Apache-2.0
// From the library, which cannot wait, to a stream, which takes what it can. C waits for each callback, and no event reaches the
// stream meanwhile: once it is full, the rest goes through a temporary file, so that memory holds no model.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PIECE = 1 << 16;

export class Waiting {
  #stream;
  #error = null;
  #file = null;
  #folder = null;
  #size = 0;
  #failed = (error) => {
    this.#error ??= { error };
  };
  #closed = () => {
    this.#error ??= { error: new Error('the stream was closed before the whole model was written') };
  };

  constructor(stream) {
    this.#stream = stream;
    stream.on('error', this.#failed);
    stream.on('close', this.#closed);
  }

  #check() {
    if (this.#error) throw this.#error.error;
  }

  /** For the library; it does not wait. An array in memory comes as one piece, of any size. */
  write(bytes) {
    this.#check();
    let at = 0;
    for (; this.#file === null && at < bytes.length && !this.#stream.writableNeedDrain; at += PIECE) {
      this.#stream.write(bytes.subarray(at, at + PIECE));
    }
    if (at < bytes.length) this.#keep(bytes.subarray(at));
  }

  #keep(bytes) {
    if (this.#file === null) {
      this.#folder = mkdtempSync(join(tmpdir(), 'mx2onnx-'));
      this.#file = openSync(join(this.#folder, 'rest'), 'wx+', 0o600);
    }
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done, bytes.length - done);
    this.#size += bytes.length;
  }

  async #drained(signal) {
    if (this.#stream.writableNeedDrain) await once(this.#stream, 'drain', { signal });
    this.#check();
  }

  /** The rest, as the stream takes it. */
  async end(signal) {
    for (let at = 0; at < this.#size; ) {
      await this.#drained(signal);
      const bytes = Buffer.allocUnsafe(Math.min(PIECE, this.#size - at));
      const count = readSync(this.#file, bytes, 0, bytes.length, at);
      if (count === 0) throw new Error('the temporary file is shorter than what was written to it');
      this.#stream.write(bytes.subarray(0, count));
      at += count;
    }
    this.#check();
  }

  close() {
    this.#stream.off('error', this.#failed);
    this.#stream.off('close', this.#closed);
    if (this.#file !== null) closeSync(this.#file);
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true });
  }
}
