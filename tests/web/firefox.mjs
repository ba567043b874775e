// SPDX-License-Identifier: Apache-2.0
// Drives Debian's Firefox by Marionette, the protocol that it speaks itself: lengths and JSON over a socket.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf"; // WebDriver's key of a reference to one

/** A connection to the port that the browser names once it listens. */
async function reach(browser) {
  for await (const line of createInterface({ input: browser.stdout })) {
    const port = /Marionette\s.*Listening on port (\d+)/.exec(line)?.[1];
    if (port) {
      const socket = connect(Number(port), "127.0.0.1");
      await new Promise((done, failed) => socket.once("connect", done).once("error", failed));
      return socket;
    }
  }
  throw new Error("Firefox ended before it listened");
}

/** Starts it with a profile in `folder`: { goto, run, choose, close }. */
export async function openFirefox(program, folder) {
  const profile = join(folder, "firefox");
  mkdirSync(profile, { recursive: true });
  writeFileSync(join(profile, "user.js"), 'user_pref("marionette.port", 0);\n');
  const browser = spawn("sh", ["-c", 'exec "$@" 2>&1', "sh", program, "--marionette", "--headless", "--no-remote", "--profile", profile],
    { stdio: ["ignore", "pipe", "ignore"] });
  const socket = await reach(browser), waiting = new Map();
  browser.stdout.resume(); // its further output is not read
  let held = Buffer.alloc(0), next = 1;
  socket.on("data", (data) => {
    held = Buffer.concat([held, data]);
    for (let colon; (colon = held.indexOf(":")) > 0;) {
      const size = Number(held.subarray(0, colon)), end = colon + 1 + size;
      if (held.length < end) {
        return;
      }
      const message = JSON.parse(held.subarray(colon + 1, end));
      held = held.subarray(end);
      Array.isArray(message) && waiting.get(message[1])(message);
    }
  });
  const command = async (name, parameters = {}) => {
    const id = next++, text = JSON.stringify([0, id, name, parameters]);
    socket.write(Buffer.byteLength(text) + ":" + text);
    const [, , error, result] = await new Promise((done) => waiting.set(id, done));
    if (error) {
      throw new Error(name + ": " + error.message);
    }
    return result?.value ?? result;
  };
  await command("WebDriver:NewSession", {});
  await command("WebDriver:SetTimeouts", { script: 1200000 });
  return {
    goto: (url) => command("WebDriver:Navigate", { url }),
    /** The body of an async function in the page; what it gives. */
    run: (body) => command("WebDriver:ExecuteAsyncScript", { newSandbox: false, sandbox: null, args: [],
      script: `const done = arguments[0]; (async () => { ${body} })().then(done, (e) => done("error: " + e));` }),
    async choose(selector, files) {
      const found = await command("WebDriver:FindElement", { using: "css selector", value: selector });
      await command("WebDriver:ElementSendKeys", { id: found[ELEMENT], text: files.join("\n") });
    },
    async close() {
      await command("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
      socket.destroy();
      browser.kill();
    },
  };
}
