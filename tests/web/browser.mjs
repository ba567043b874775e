// SPDX-License-Identifier: Apache-2.0
// The page in Chromium without a screen: what the tests do with it.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const { MX2ONNX_WEB: WEB, MX2ONNX_WEB_MODELS: MODELS, MX2ONNX_WEB_SCRATCH: SCRATCH, MX2ONNX_TOOL: TOOL } = process.env;
export const model = (...names) => names.map((name) => join(MODELS, name));

const { chromium } = createRequire(join(WEB, "x"))("playwright-core");
const AXE = readFileSync(join(WEB, "node_modules", "axe-core", "axe.min.js"), "utf8");
export const PLAIN = "plain.test"; // this machine by a name that is not trusted as localhost is
const PATIENCE = Number(process.env.MX2ONNX_WEB_PATIENCE ?? 300000); // milliseconds, for machines that are busy

/** serve.py on its own port. */
export async function serve(site = join(WEB, "site")) {
  const server = spawn("python3", ["-u", join(ROOT, "examples", "web", "serve.py"), site, "0"]);
  const [line] = await new Promise((done) => server.stdout.once("data", (data) => done(String(data).match(/http:\S+/))));
  return { server, url: line };
}

/** A page with what went wrong in it, as `faults`; its camera is one that shows a pattern. */
export async function open(profile = "profile") {
  const { server, url } = await serve();
  const context = await chromium.launchPersistentContext(join(SCRATCH, profile), { executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
      `--host-resolver-rules=MAP ${PLAIN} 127.0.0.1`], acceptDownloads: true,
    viewport: { width: 1280, height: 900 } });
  const page = context.pages()[0] ?? await context.newPage(), faults = [];
  context.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(url);
  return { page, context, faults, url, close: async () => {
    await context.close();
    server.kill();
  } };
}

const modelOf = (page) => page.evaluate(() => document.body.dataset.model);

/** Waits until the page has looked at another model than `before`. */
async function another(page, before) {
  await page.waitForFunction((old) => document.body.dataset.model !== old, before);
  await looked(page);
}

/** Chooses files and waits until the page has looked at them. */
export async function choose(page, files, id = "#files") {
  const before = await modelOf(page);
  await page.setInputFiles(id, files);
  await another(page, before);
}

/** Drops files, { name, buffer }, on the page; waits as choose() does, unless they are not a model. */
export async function drop(page, files, isModel = true) {
  const before = await modelOf(page);
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    list.forEach(([name, bytes, type]) => transfer.items.add(new File([new Uint8Array(bytes)], name, { type })));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, files.map(({ name, buffer, mimeType }) => [name, [...buffer], mimeType]));
  if (isModel) {
    await another(page, before);
  }
}

export const looked = (page) => page.waitForFunction(() => !/^(Reading|Looking)/.test(document.getElementById("status").textContent));

/** Waits until a function of the page that answers later gives true: waitForFunction() takes the promise itself for an answer. */
export async function until(page, holds, arg) {
  for (const end = Date.now() + PATIENCE; !await page.evaluate(holds, arg);) {
    assert.ok(Date.now() < end, "waited in vain for " + holds);
    await new Promise((done) => { setTimeout(done, 50); });
  }
}

/** Opens a view of the page. */
export const view = (page, tab) => page.click("#tab-" + tab);

/** Opens one of the samples, by its key. */
export async function sample(page, key) {
  const before = await modelOf(page);
  await page.click("#sample-" + key);
  await another(page, before);
}

/** Converts; the text of the result. */
export async function convert(page) {
  await page.click("#convert");
  await page.waitForFunction(() => !["ready", "converting"].includes(document.body.dataset.stage) || document.getElementById("working").textContent.startsWith("It could"),
    undefined, { timeout: 4 * PATIENCE });
  assert.equal(await page.textContent("#working"), "Converted.", await page.textContent("#said"));
  return page.textContent("#result");
}

/** Both graphs are drawn. */
export const drawn = (page) => page.waitForFunction(() => document.querySelectorAll("#pictures .picture-title").length === 2);

/** The path of what the page gives as a download. */
export async function download(page) {
  const [given] = await Promise.all([page.waitForEvent("download", { timeout: 4 * PATIENCE }), page.click("#download")]);
  const file = join(SCRATCH, given.suggestedFilename());
  await given.saveAs(file);
  return file;
}

const shell = (command, folder) => execFileSync("sh", ["-c", command], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });

/** What the command line that the page shows writes, in the folder of the files. */
export async function byCommandLine(page, folder) {
  await view(page, "code");
  const file = join(SCRATCH, "native.onnx"), said = await page.textContent("#command");
  shell(said.replace(/^mx2onnx /, "'" + TOOL + "' ").replace(/ -o ('[^']*'|\S+)/, " -o '" + file + "' --quiet"), folder);
  return file;
}

/** The same for the Python program. */
export async function byPython(page, folder) {
  await view(page, "code");
  const file = join(SCRATCH, "python.onnx"), said = await page.textContent("#python");
  execFileSync("python3", ["-c", said.replace(/m\.export\(.*\)/, `m.export(${JSON.stringify(file)})`)], { cwd: folder });
  return file;
}

/** Fails unless the files hold the same bytes. */
export const same = (a, b) => shell(`cmp '${a}' '${b}'`);

/** No violation of accessibility that axe-core finds, and nothing wider than the window. */
export async function accessible(page, where) {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map((v) =>
    v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join(" | ")));
  assert.deepEqual(found, [], where);
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= window, `${where}: ${wide} pixels in a window of ${window}`);
}

/** Bytes that all processes of the browser hold that are theirs alone. */
export function memory() {
  let sum = 0;
  for (const process of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${process}/cmdline`, "utf8").includes(SCRATCH)) {
        sum += 1024 * Number(/^Private_Dirty: +(\d+)/m.exec(readFileSync(`/proc/${process}/smaps_rollup`, "utf8"))?.[1] ?? 0);
      }
    } catch {
      // it ended meanwhile
    }
  }
  return sum;
}
