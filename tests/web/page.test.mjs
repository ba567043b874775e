// SPDX-License-Identifier: Apache-2.0
// The page of examples/web, in Chromium, the whole way; test.sh runs it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { accessible, byCommandLine, byPython, choose, convert, download, drawn, looked, memory, model, MODELS, open, PLAIN, ROOT, same, sample, SCRATCH,
  view } from "./browser.mjs";

const EXAMPLES = join(ROOT, "examples"), DIGITS = ["symbol.json", "0000.params"].map((end) => join(EXAMPLES, "digits", "digits-" + end));
const SHAPES = ["symbol.json", "0000.params"].map((end) => join(EXAMPLES, "shapes", "shapes-" + end));
const GIB = 2 ** 30;
let page, context, faults, close, url;

before(async () => ({ page, context, faults, close, url } = await open()));
after(() => close());

const field = (label) => page.getByLabel(label, { exact: true });
const text = (selector) => page.textContent(selector);
const openDetails = () => page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
const stage = (name) => page.waitForFunction((wanted) => document.body.dataset.stage === wanted, name);
const focused = () => page.evaluate(() => document.activeElement.id);
const afresh = () => page.goto(url);

/** Is all of an element in the window? */
const inWindow = (selector) => page.$eval(selector, (e) => {
  const box = e.getBoundingClientRect();
  return box.width > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
});

/** Nodes that are in sight in a graph, by name. */
const inSight = (n = 0) => page.$$eval(".picture:not([hidden]) .view", (views, k) => {
  const view = views[k].getBoundingClientRect();
  return [...views[k].querySelectorAll(".node")].filter((node) => {
    const box = node.getBoundingClientRect(), x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    return x > view.left && x < view.right && y > view.top && y < view.bottom;
  }).map((node) => node.querySelector(".name").textContent);
}, n);

const frames = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));

/** Files that a test makes, as the browser gets them. */
const made = (name, content, mimeType = "application/octet-stream") => ({ name, mimeType, buffer: Buffer.from(content) });
const given = (path) => made(basename(path), readFileSync(path));

/** Drops files on the page. */
const drop = (files) => page.evaluate((list) => {
  const transfer = new DataTransfer();
  list.forEach(([name, bytes]) => transfer.items.add(new File([new Uint8Array(bytes)], name)));
  document.getElementById("status").textContent = "Reading …";
  document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}, files.map(({ name, buffer }) => [name, [...buffer]]));

/** The files through the page, beside what the commands that it shows write. */
async function sameBytes(folder) {
  await convert(page);
  const file = await download(page);
  same(file, await byCommandLine(page, folder));
  return file;
}

async function run() {
  await view(page, "try");
  await page.waitForSelector("#run, #trial .error");
}

async function agrees(npz) {
  await run();
  await page.setInputFiles("#recorded", npz);
  await page.waitForSelector("#verdict, #trial .error");
  assert.equal(await text("#verdict"), "It agrees with MXNet.", await text("#trial"));
}

test("a sample, by the keyboard alone", async () => {
  await accessible(page, "empty page");
  await page.focus("#sample-digits");
  await page.keyboard.press("Enter");
  await stage("ready");
  assert.equal(await page.title(), "digits – MXNet to ONNX");
  await page.focus("#convert");
  await page.keyboard.press("Enter");
  await stage("done");
  assert.equal(await focused(), "result", "the focus goes to the result");
  await page.focus("#tab-graph");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "tab-compare");
  await drawn(page);
  await page.focus(".view");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  assert.match(await text("#inspector"), /SoftmaxOutput.*MXNet: softmax.*Softmax.*ONNX: softmax/s, "the node, and that of the other graph");
  await page.keyboard.press("Escape");
  assert.ok(await page.isHidden("#inspector"));
});

test("files: looked at, converted, as the command line and Python do it", async () => {
  await choose(page, [DIGITS[0]]);
  assert.match(await text("#said"), /14 of the 14 parameters.*conv1_weight.*load the file/s);
  assert.match(await text("#summary"), /14 parameters missing/);
  await choose(page, DIGITS);
  assert.match(await text("#summary"), /14 nodes, 8 operators, 14 arrays of 55.4 KB.*can be converted/);
  assert.equal(await page.inputValue("#inputs input"), "batch,1,height,width");
  const file = await sameBytes(dirname(DIGITS[0]));
  same(file, await byPython(page, dirname(DIGITS[0])));
  await openDetails();
  await accessible(page, "a model");
  // What a file picker would give, in the page's own store.
  await page.evaluate(() => { globalThis.showSaveFilePicker = async ({ suggestedName }) =>
    (await navigator.storage.getDirectory()).getFileHandle("saved-" + suggestedName, { create: true }); });
  await page.click("#save");
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("Saved."));
  const saved = await page.evaluate(async () =>
    Array.from(new Uint8Array(await (await (await (await navigator.storage.getDirectory()).getFileHandle("saved-digits.onnx")).getFile()).arrayBuffer())));
  assert.ok(readFileSync(file).equals(Buffer.from(saved)));
});

test("choices", async () => {
  await view(page, "code");
  const fields = { Shape: "n,1,8,8", Mean: "16", Scale: "0.125", "Keep in float32": "fc2", Rename: "data=pixels" };
  for (const [name, value] of Object.entries(fields)) {
    await field(name).fill(value);
  }
  await field("Type").selectOption("uint8");
  await field("Channels last").check();
  await field("float16").selectOption("inside");
  await field("Opset").selectOption("14");
  for (const output of ["fc1", "softmax"]) {
    await field("Add an output").fill(output);
    await field("Add an output").press("Tab");
    await page.waitForSelector(`.chips >> text=${output}`);
  }
  await page.waitForFunction(() => document.getElementById("command").textContent.includes("--output softmax"));
  assert.match(await text("#command"), /--dynamic data=n,1,8,8:uint8 .*--channels-last=data/);
  same(await sameBytes(dirname(DIGITS[0])), await byPython(page, dirname(DIGITS[0])));
  assert.match(await text("#result"), /opset 14.*uint8 \(n, 8, 8, 1\).*fc1.*softmax/s);
  await field("Shape").fill("n,1,16,16");
  await page.waitForSelector("#said .error");
  assert.match(await text("#said"), /fc1.*FullyConnected/s);
});

test("a folder, and a drop", async () => {
  await choose(page, dirname(DIGITS[0]), "#folder");
  assert.match(await text("#summary"), /can be converted/);
  await drop(SHAPES.map(given));
  await looked(page);
  assert.match(await text("#model-title"), /shapes/);
});

test("a face net in a .tar.gz: an embedding, and MXNet's numbers", async () => {
  await choose(page, model("face.tar.gz"));
  await convert(page);
  await agrees(model("mobilefacenet.npz"));
  assert.equal(await field("Size of height").inputValue(), "112", "the first side that the net takes");
  await page.getByRole("radio", { name: "Random" }).check();
  await page.click("#run");
  await page.waitForSelector("[data-answer=embedding]");
  assert.match(await text("#time"), /ms a run/);
});

test("a detector: boxes on a picture, and MXNet's numbers", async () => {
  await choose(page, model("ssd_300_mobilenet0.25_voc-symbol.json", "ssd_300_mobilenet0.25_voc-0000.params"));
  await field("Shape").fill("1,3,128,128");
  await sameBytes(MODELS);
  await agrees(model("ssd_300_mobilenet0.25_voc.npz"));
  const picture = join(SCRATCH, "picture.png");
  await page.screenshot({ path: picture });
  await page.getByRole("radio", { name: "Picture" }).check();
  await page.locator("#trial input[type=file][accept='image/*']").setInputFiles(picture);
  await page.waitForSelector("[data-answer=boxes] canvas");
  await accessible(page, "a trial");
});

test("an archive, and numbers typed in", async () => {
  const archives = join(ROOT, "tests", "data", "samples", "archives");
  await choose(page, join(archives, "mlp.mar"));
  await field("Shape").fill("2,5");
  await sameBytes(archives);
  await run();
  await page.getByRole("radio", { name: "Numbers" }).check();
  await page.getByRole("textbox", { name: "Numbers" }).fill("1 2 3 4 5 6");
  await page.click("#run");
  await page.waitForSelector("[data-answer=classes]");
});

test("a mask", async () => {
  await choose(page, model("deep-symbol.json"));
  await field("Shape").fill("1,5,20,30");
  await convert(page);
  await run();
  await page.getByRole("radio", { name: "Random" }).check();
  await page.click("#run");
  await page.waitForSelector("[data-answer=mask] canvas[width='30'][height='20']");
});

test("parameters of no published net", async () => {
  await choose(page, [DIGITS[1]]);
  assert.match(await text("#said"), /none of the \d+ published nets/);
  await field("The published net that these parameters belong to").selectOption("alexnet");
  await looked(page);
  assert.match(await text("#said .error"), /alexnet/);
});

test("a model that cannot be converted", async () => {
  await choose(page, model("fails-symbol.json"));
  await field("Shape").fill("2,3");
  await page.waitForFunction(() => document.querySelectorAll("#said .card.error").length === 2);
  assert.match(await text("#said"), /mine.*Custom.*Register a handler.*yours.*_contrib_nobody_knows.*Register a handler/s);
  await page.click("#convert");
  await page.waitForFunction(() => document.getElementById("working").textContent === "It could not be converted.");
  assert.ok(await page.isHidden("#result"));
  assert.equal(await focused(), "convert");
  await page.evaluate(() => { document.getElementById("more").open = true; });
  await field("Domain for unknown operators").fill("mxnet");
  await page.waitForFunction(() => document.querySelector("#summary").textContent.includes("It can be converted."));
});

test("a choice that was typed last does not hold up the next model", async () => {
  await choose(page, model("fails-symbol.json"));
  await field("Shape").fill("2,3");
  await choose(page, DIGITS);
  // The page's own timer runs as long; of two, the one that was set first ends first.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
  await looked(page);
  assert.notEqual(await page.inputValue("#inputs input"), "2,3");
});

test("parameters alone, of a published net", async () => {
  await choose(page, model("densenet121-0000.params"));
  assert.match(await text("#summary"), /those of densenet121/);
  assert.equal(await page.inputValue("#inputs input"), "batch,3,224,224");
  await sameBytes(MODELS);
  console.log("densenet121: " + await text("#seconds"));
});

test("names are texts", async () => {
  await choose(page, model("hostile-symbol.json"));
  await field("Shape").fill("2,3");
  await convert(page);
  await openDetails();
  await view(page, "compare");
  await drawn(page);
  await page.click(".node.node:nth-of-type(2)");
  assert.equal(await page.title(), "hostile – MXNet to ONNX");
  assert.equal(await page.$eval("#bench", (main) => main.querySelectorAll("script, img, iframe").length), 0);
  const said = await text("#pictures");
  assert.ok(said.includes("<script>document.title='x'</script>") && said.includes("\\u202etxt.exe") && said.includes("\\u0007"));
  assert.doesNotMatch(await text("#main"), /[\u202a-\u202e\u2066-\u2069\u200b]/);
  await accessible(page, "hostile names");
});

test("of a thousand nodes only those in sight are drawn", async () => {
  await choose(page, model("deep-symbol.json"));
  await field("Shape").fill("2,3");
  await convert(page);
  await view(page, "compare");
  await drawn(page);
  await page.focus(".view");
  await page.keyboard.press("End");
  await frames();
  assert.match(await text("#pictures"), /1,000 nodes/);
  assert.ok((await page.$$(".node")).length < 200, "only nodes in sight are in the page");
});

test("cancelled, and 1 GiB of parameters without holding them", async () => {
  await choose(page, model("large-symbol.json", "large-0000.params"));
  await field("Shape").fill("1,16384");
  await page.click("#convert");
  await page.waitForFunction(() => document.getElementById("progress").value > 0);
  assert.equal(await focused(), "cancel");
  assert.ok(await page.$eval("#fields", (fields) => fields.disabled), "no choice can change meanwhile");
  await page.click("#cancel");
  await page.waitForFunction(() => document.getElementById("working").textContent.startsWith("Cancelled"));
  assert.ok(await page.isHidden("#result"));
  const idle = memory();
  let most = 0;
  const timer = setInterval(() => { most = Math.max(most, memory()); }, 200);
  await convert(page).finally(() => clearInterval(timer));
  most = Math.max(most, memory());
  console.log(`1 GiB: ${await text("#seconds")}, ${Math.round((most - idle) / 2 ** 20)} MiB more than before`);
  assert.ok(most > 0 && most - idle < GIB / 2, "memory grew by " + (most - idle));
  same(await download(page), await byCommandLine(page, MODELS));
});

test("a model that is too large for a page", async () => {
  await choose(page, model("huge-symbol.json", "huge-0000.params"));
  await field("Shape").fill("1,16384");
  await page.click("#convert");
  await page.waitForFunction(() => document.getElementById("working").textContent === "It could not be converted.");
  assert.match(await text("#said"), /2 GiB.*use the command line under Code/is);
  assert.doesNotMatch(await text("#summary"), /can be converted/);
});

test("on a phone, in the dark, without a network", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await context.setOffline(true);
  await page.reload();
  await sample(page, "digits");
  await convert(page);
  await view(page, "compare");
  await drawn(page);
  await accessible(page, "graphs on a phone");
  await run();
  await openDetails();
  await accessible(page, "phone");
  await context.setOffline(false);
});

test("nothing went wrong on the way", () => {
  assert.deepEqual(faults.filter((f) => !/ERR_INTERNET_DISCONNECTED/.test(f)), []);
});
