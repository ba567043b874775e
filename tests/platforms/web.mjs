// SPDX-License-Identifier: Apache-2.0
// Converts the model of examples/digits in the page of examples/web, in Chromium without a screen, and compares the file with
// one that the native command line wrote:
//     node web.mjs BUILD TOOL [SCREENSHOT]      with npm's playwright-core, and Debian's chromium
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const [build, tool, screenshot] = process.argv.slice(2);
const root = fileURLToPath(new URL("../..", import.meta.url)), digits = join(root, "examples", "digits");
const { chromium } = createRequire(join(process.cwd(), "x"))("playwright-core");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
  const file = path.startsWith("/build-wasm/") ? join(build, path.slice("/build-wasm".length)) : join(root, path);
  try {
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    response.end(readFileSync(file));
  } catch {
    response.statusCode = 404;
    response.end();
  }
}).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const folder = mkdtempSync(join(tmpdir(), "mx2onnx-web-"));
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.log("page: " + error));
  page.on("console", (message) => console.log("page: " + message.text()));
  await page.goto(`http://127.0.0.1:${server.address().port}/examples/web/index.html`);

  await page.setInputFiles("#files", [join(digits, "digits-symbol.json")]);
  await page.fill("#shapes", "data=1,1,8,8");
  await page.click("button");
  await page.waitForSelector("#result.error", { timeout: 60000 });
  assert.match(await page.textContent("#said"), /error: .*conv/);

  await page.setInputFiles("#files", [join(digits, "digits-symbol.json"), join(digits, "digits-0000.params")]);
  await page.fill("#shapes", "data=batch,1,8,8");
  await page.click("button");
  await page.waitForSelector("#download", { timeout: 60000 });
  const got = await page.evaluate(async () =>
    Array.from(new Uint8Array(await (await fetch(document.getElementById("download").href)).arrayBuffer())));
  const native = join(folder, "digits.onnx");
  execFileSync(tool, [join(digits, "digits-symbol.json"), "--dynamic", "data=batch,1,8,8", "-o", native, "--quiet"]);
  assert.ok(Buffer.from(got).equals(readFileSync(native)), "the page writes other bytes than the command line");
  console.log(await page.textContent("#result"));
  if (screenshot) {
    await page.screenshot({ path: screenshot });
  }
} finally {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true });
}
