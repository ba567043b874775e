// SPDX-License-Identifier: Apache-2.0
// Asks a worker and waits for its answer. Cancelling ends the worker, at once; the next question starts a new one.

export class Cancelled extends Error {}

/** The worker refused: `status` and `diagnostics` as the library has them. */
export class Refused extends Error {
  constructor({ message, status, diagnostics }) {
    super(message);
    Object.assign(this, { status, diagnostics: diagnostics ?? [] });
  }
}

export class Client {
  #url;
  #worker = null;
  #waiting = new Map();
  #next = 1;
  #answered = false; // by this worker: it was loaded

  constructor(url) {
    this.#url = url;
  }

  #start() {
    this.#worker = new Worker(this.#url, { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#answer(data);
    this.#answered = false;
    this.#worker.onerror = (event) => this.#end(Object.assign(new Error(event.message
      || (this.#answered ? "a part of the page ran out of memory" : "a part of the page could not be loaded")), { unloaded: !this.#answered && !event.message }));
  }

  #answer({ id, progress, result, failure }) {
    this.#answered = true;
    const waiting = this.#waiting.get(id);
    if (progress) {
      waiting?.progress?.(progress);
      return;
    }
    this.#waiting.delete(id);
    if (failure) {
      waiting?.failed(new Refused(failure));
    } else {
      waiting?.done(result);
    }
  }

  #end(error) {
    this.#worker?.terminate();
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    waiting.forEach(({ failed }) => failed(error));
  }

  /** The answer to `task`; `progress` is called meanwhile. */
  ask(task, request, progress) {
    if (!this.#worker) {
      this.#start();
    }
    const id = this.#next++;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done, failed, progress });
      this.#worker.postMessage({ id, task, request });
    });
  }

  cancel() {
    this.#end(new Cancelled("cancelled"));
  }
}
