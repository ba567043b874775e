// SPDX-License-Identifier: Apache-2.0
// The page in Debian's Firefox: converted, drawn, run. All else is tested in Chromium.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { byCommandLine, model, MODELS, SCRATCH, serve } from "./browser.mjs";
import { openFirefox } from "./firefox.mjs";

const there = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find(existsSync);
const wait = (condition) => `while (!(${condition})) { await new Promise((done) => setTimeout(done, 100)); }`;
const text = (id) => `document.getElementById("${id}").textContent`;

test("Firefox gives the command line's bytes and MXNet's numbers", { skip: there ? false : "no Firefox" }, async () => {
  const { server, url } = await serve(), firefox = await openFirefox(there, SCRATCH);
  try {
    await firefox.goto(url);
    await firefox.run(`document.body.dataset.stopped = ""; addEventListener("securitypolicyviolation", (e) => { document.body.dataset.stopped += e.violatedDirective; });`);
    await firefox.choose("#files", model("mobilefacenet-symbol.json", "mobilefacenet-0000.params"));
    const said = await firefox.run(`${wait(`${text("summary")}.includes("can be converted")`)} document.getElementById("convert").click();
      ${wait(`["Converted.", "It could not be converted."].includes(document.getElementById("working").textContent)`)} return ${text("working")};`);
    assert.equal(said, "Converted.");
    const sum = await firefox.run(`for await (const [name, file] of (await navigator.storage.getDirectory()).entries()) {
        const bytes = await (await file.getFile()).arrayBuffer(), sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
        return Array.from(sum, (b) => b.toString(16).padStart(2, "0")).join("");
      }`);
    const native = await byCommandLine({ click: (id) => firefox.run(`document.querySelector("${id}").click();`), textContent: () => firefox.run(`return ${text("command")};`) }, MODELS);
    assert.equal(sum, createHash("sha256").update(readFileSync(native)).digest("hex"));
    await firefox.run(`${wait(`document.querySelectorAll(".picture .node").length > 5`)} document.getElementById("tab-try").click();
      ${wait(`document.querySelector("#run, #trial .error")`)}`);
    await firefox.choose("#recorded", model("mobilefacenet.npz"));
    assert.match(await firefox.run(`${wait(`document.querySelector("#verdict, #trial .error")`)} return ${text("trial")};`), /It agrees with MXNet/);
    assert.equal(await firefox.run("return document.body.dataset.stopped;"), "", "the page's own policy stops nothing");
  } finally {
    await firefox.close();
    server.kill();
  }
});
