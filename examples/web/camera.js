// SPDX-License-Identifier: Apache-2.0
// A camera whose frames are taken: its picture, a button that starts and stops it, and one that takes a frame.
import { el } from "./dom.js";

/** `take` gets a frame, as an ImageBitmap. */
export class Camera {
  #stream = null;
  #turn = 0; // a stream that comes after it was stopped is let go
  #video = el("video", { muted: true, playsinline: true, hidden: true, "aria-label": "The camera" });
  #said = el("p", { role: "status" });
  #switch = el("button", { type: "button", id: "camera", click: () => (this.#stream ? this.stop() : this.#start()) }, "Start the camera");
  #frame;

  constructor(take) {
    this.#frame = el("button", { type: "button", id: "frame", class: "primary", hidden: true, disabled: true,
      click: async () => take(await createImageBitmap(this.#video)) }, "Take a frame and run");
    this.element = el("div", {}, this.#video, el("p", { class: "buttons" }, this.#switch, this.#frame), this.#said);
  }

  async #start() {
    const mine = ++this.#turn;
    this.#said.textContent = "";
    try {
      if (!navigator.mediaDevices) {
        throw new Error("browsers give it to pages that come by https alone.");
      }
      const stream = await navigator.mediaDevices.getUserMedia({ video: true });
      if (mine !== this.#turn) {
        end(stream);
        return;
      }
      this.#stream = stream;
      this.#show();
      await this.#video.play();
      this.#frame.disabled = mine !== this.#turn;
    } catch (error) {
      if (mine === this.#turn) {
        this.stop();
        this.#said.textContent = "The camera cannot be used: " + (error.name === "NotAllowedError" ? "the browser does not allow it." : error.message);
      }
    }
  }

  #show() {
    const on = this.#stream !== null;
    this.#video.srcObject = this.#stream;
    this.#video.hidden = this.#frame.hidden = !on;
    this.#frame.disabled = true;
    this.#switch.textContent = on ? "Stop the camera" : "Start the camera";
  }

  stop() {
    this.#turn++;
    end(this.#stream);
    this.#stream = null;
    this.#show();
  }
}

const end = (stream) => stream?.getTracks().forEach((track) => track.stop());
