// SPDX-License-Identifier: Apache-2.0
// The page of examples/web, in Chromium, the whole way; test.sh runs it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, renameSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { accessible, byCommandLine, byPython, choose, convert, download, drawn, drop, looked, memory, model, MODELS, open, PLAIN, ROOT, same, sample, SCRATCH,
  serve, until, view } from "./browser.mjs";
import { randomParams } from "../../examples/web/samples.js";
import { store } from "../../examples/web/zip.js";

const EXAMPLES = join(ROOT, "examples"), DIGITS = ["symbol.json", "0000.params"].map((end) => join(EXAMPLES, "digits", "digits-" + end));
const SHAPES = ["symbol.json", "0000.params"].map((end) => join(EXAMPLES, "shapes", "shapes-" + end));
let page, context, faults, close, url;

before(async () => ({ page, context, faults, close, url } = await open()));
after(() => close());

const field = (label) => page.getByLabel(label, { exact: true });
const text = (selector) => page.textContent(selector);
const openDetails = () => page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
const stage = (name) => page.waitForFunction((wanted) => document.body.dataset.stage === wanted, name);
const focused = () => page.evaluate(() => document.activeElement.id);
const afresh = () => page.goto(url);

/** Waits until the service worker answers the page: its files are kept when it is ready, but until then fetches go to the network. */
const controlled = (of) => until(of, () => navigator.serviceWorker.controller?.state === "activated");

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

/** The files through the page, next to what the commands that it shows write. */
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

test("a sample is converted by the keyboard alone", async () => {
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
  assert.match(await text("#said"), /14 parameters are needed.*conv1_weight.*load the file/is);
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

test("choices are those of the command line", async () => {
  await choose(page, DIGITS);
  await openDetails();
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

test("a folder can be chosen, and files can be dropped", async () => {
  await choose(page, dirname(DIGITS[0]), "#folder");
  assert.match(await text("#summary"), /can be converted/);
  await drop(page, SHAPES.map(given));
  assert.match(await text("#model-title"), /shapes/);
});

test("a face net in a .tar.gz gives an embedding and MXNet's numbers", async () => {
  await choose(page, model("face.tar.gz"));
  await convert(page);
  await agrees(model("mobilefacenet.npz"));
  assert.equal(await field("Size of height").inputValue(), "112", "the first side that the net takes");
  await page.getByRole("radio", { name: "Random" }).check();
  await page.click("#run");
  await page.waitForSelector("[data-answer=embedding]");
  assert.match(await text("#time"), /ms a run/);
});

test("a detector gives boxes on a picture and MXNet's numbers", async () => {
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

test("an archive is converted, and takes numbers that are typed in", async () => {
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

test("a mask is drawn", async () => {
  await choose(page, model("deep-symbol.json"));
  await field("Shape").fill("1,5,20,30");
  await convert(page);
  await run();
  await page.getByRole("radio", { name: "Random" }).check();
  await page.click("#run");
  await page.waitForSelector("[data-answer=mask] canvas[width='30'][height='20']");
});

test("parameters of no published net are said to be such", async () => {
  await choose(page, [DIGITS[1]]);
  assert.match(await text("#said"), /none of the \d+ published nets/);
  assert.match(await page.locator("#no-graph").innerText(), /^The graph appears here/);
  await field("The published net that these parameters belong to").selectOption("alexnet");
  await looked(page);
  assert.match(await text("#said .error"), /alexnet/);
});

test("a model that cannot be converted has its errors", async () => {
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
  await page.waitForFunction(() => document.getElementById("said").textContent.includes("shape of this output is unknown"));
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

test("parameters alone are those of a published net", async () => {
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

test("a half waits for the other half, in either order", async () => {
  await afresh();
  for (const [first, second] of [DIGITS, DIGITS.toReversed()]) {
    await choose(page, [first]);
    assert.match(await text("#said"), /(Its parameters are|Its graph is) not here yet/);
    await drop(page, [given(second)]);
    assert.match(await text("#summary"), /It can be converted/);
    assert.equal((await convert(page)).includes("digits.onnx"), true);
    await afresh();
  }
  await choose(page, [DIGITS[0]]);
  await drop(page, [made("digits-0000.params", "<!DOCTYPE html><html>")]);
  assert.match(await text("#said"), /web page/);
  assert.doesNotMatch(await text("#said"), /not here yet/);
  await drop(page, [given(DIGITS[1])]); // in the place of the wrong ones
  assert.match(await text("#summary"), /It can be converted/);
  assert.equal(await text("#chip"), "digits-symbol.json, digits-0000.params");
});

test("parameters that are not those of the graph are said in full, and replaced", async () => {
  await afresh();
  await choose(page, [DIGITS[0], SHAPES[1]]);
  assert.doesNotMatch(await text("#said"), /not here yet|What the converter says/);
  assert.match(await text("#said .card.error"), /14 of 14 parameters/);
  await drop(page, [given(DIGITS[1])]);
  assert.match(await text("#summary"), /It can be converted/);
  assert.equal(await text("#chip"), "digits-symbol.json, digits-0000.params");
  await field("Shape").fill("n,1,8,8");
  await drop(page, [{ ...given(DIGITS[1]), name: "digits-0007.params" }]);
  assert.equal(await text("#chip"), "digits-symbol.json, digits-0007.params", "another epoch of a whole model");
  assert.match(await convert(page), /\(n, 1, 8, 8\)/, "with the same choices");
  await drop(page, [given(SHAPES[1])]);
  assert.equal(await text("#chip"), "shapes-0000.params", "parameters of another model");
  await choose(page, [made("wrong.params", "<!DOCTYPE html>")]);
  assert.doesNotMatch(await text("#said"), /not here yet/, "they cannot be read");
});

test("an archive may have several models, or half a model", async () => {
  const zip = async (name, paths) => made(name, Buffer.from(await (await store(paths.map((path) => ({ path: basename(path), file: new Blob([readFileSync(path)]) })))).arrayBuffer()));
  await afresh();
  await drop(page, [await zip("both.zip", [...DIGITS, ...SHAPES])]);
  assert.deepEqual(await page.$$eval("#model option", (options) => options.map((o) => o.textContent)), ["digits", "shapes"]);
  assert.match(await convert(page), /digits.onnx/);
  await view(page, "code");
  assert.match(await text("#commands"), /the files of both\.zip.*convert both\/digits-symbol\.json both\/digits-0000\.params/s);
  await drop(page, [await zip("half.zip", [DIGITS[0]])]);
  assert.match(await text("#said"), /Its parameters are not here yet/);
  await drop(page, [given(DIGITS[1])]);
  assert.match(await convert(page), /digits.onnx/);
});

test("what is dropped on a model is used for it: recorded numbers, pictures and names of classes", async () => {
  await afresh();
  await choose(page, model("mobilefacenet-symbol.json", "mobilefacenet-0000.params"));
  await drop(page, [given(model("mobilefacenet.npz")[0])], false);
  await page.waitForFunction(() => /Convert the model: then it is tried with mobilefacenet.npz/.test(document.getElementById("notice").textContent));
  await convert(page);
  await page.waitForSelector("#verdict");
  await view(page, "graph");
  await drop(page, [given(model("mobilefacenet.npz")[0])], false);
  await page.waitForSelector("#tab-try[aria-selected=true]");
  assert.equal(await text("#verdict"), "It agrees with MXNet.");
  assert.match(await text("#model-title"), /mobilefacenet/);
  await choose(page, DIGITS);
  await convert(page);
  await run();
  await page.getByRole("radio", { name: "Random" }).check();
  await drop(page, [made("three.svg", readFileSync(join(EXAMPLES, "web", "samples", "digits.svg")), "image/svg+xml")], false);
  await page.waitForFunction(() => document.querySelector("[data-answer=classes] h3")?.textContent === "class 3");
  await drop(page, [made("names.txt", "zero\none\ntwo\nthree")], false);
  await page.waitForFunction(() => document.querySelector("[data-answer=classes] h3")?.textContent === "three");
});

test("embeddings are compared with that before of the same model alone", async () => {
  const embed = async () => {
    await page.getByRole("radio", { name: "Random" }).check();
    await page.click("#run");
    await page.waitForSelector("[data-answer=embedding]");
    return text("[data-answer=embedding]");
  };
  await afresh();
  await choose(page, model("face.tar.gz"));
  for (const opset of ["17", "18"]) {
    await field("Opset").selectOption(opset);
    await convert(page);
    await run();
    assert.doesNotMatch(await embed(), /cosine/);
    assert.match(await embed(), /cosine with the one before/);
  }
});

test("the camera stops where it is not wanted any more", async () => {
  await afresh();
  await sample(page, "shapes");
  await convert(page);
  await run();
  await page.evaluate(() => {
    const devices = navigator.mediaDevices, real = devices.getUserMedia.bind(devices);
    globalThis.streams = [];
    globalThis.gate = Promise.resolve();
    devices.getUserMedia = async (wanted) => {
      const stream = await real(wanted);
      globalThis.streams.push(stream);
      await globalThis.gate;
      return stream;
    };
  });
  const started = (n) => page.waitForFunction((count) => globalThis.streams.length === count && !document.getElementById("frame").disabled, n);
  const live = () => page.evaluate(() => globalThis.streams.flatMap((s) => s.getTracks()).filter((track) => track.readyState === "live").length);
  await page.getByRole("radio", { name: "Camera" }).check();
  await page.click("#camera");
  await started(1);
  assert.equal(await text("#camera"), "Stop the camera");
  await page.click("#camera");
  assert.deepEqual([await live(), await text("#camera")], [0, "Start the camera"]);
  await page.click("#camera");
  await started(2);
  await view(page, "graph");
  assert.equal(await live(), 0, "another view");
  await view(page, "try");
  await page.evaluate(() => { globalThis.gate = new Promise((open) => { globalThis.openGate = open; }); });
  await page.click("#camera");
  await page.waitForFunction(() => globalThis.streams.length === 3);
  await page.getByRole("radio", { name: "Random" }).check();
  await page.evaluate(() => globalThis.openGate());
  await page.waitForFunction(() => globalThis.streams[2].getTracks().every((track) => track.readyState === "ended"));
  await page.getByRole("radio", { name: "Camera" }).check();
  await page.click("#camera");
  await started(4);
  await page.goBack();
  await stage("empty");
  assert.equal(await live(), 0, "the model is left");
});

test("Try says why there is nothing to try, and its button converts", async () => {
  await afresh();
  await choose(page, [made("wrong.params", "<!DOCTYPE html>")]);
  await view(page, "try");
  assert.match(await text("#trial"), /no model that can be converted/);
  assert.equal(await page.$("#trial button"), null);
  await choose(page, DIGITS);
  await view(page, "try");
  await page.click("#trial button");
  await stage("done");
  await page.waitForSelector("#run");
});

test("other files do no harm: texts are class names, the rest is left out", async () => {
  const synset = made("synset.txt", Array.from({ length: 10 }, (_, i) => "digit " + i).join("\n"), "text/plain");
  await drop(page, [given(DIGITS[0]), made("README.md", "# digits"), synset, made("photo.jpg", "\xff\xd8", "image/jpeg"), given(DIGITS[1]), made("config.json", "{}")]);
  assert.match(await text("#summary"), /14 arrays.*It can be converted/);
  assert.match(await text("#notice"), /Left out.*README.md.*config.json.*photo.jpg/);
  await convert(page);
  await run();
  await page.getByRole("radio", { name: "Random" }).check();
  await page.click("#run");
  await page.waitForSelector("[data-answer=classes]");
  assert.match(await text("#answers"), /digit \d/);
});

test("a folder with several models, and epochs, offers them", async () => {
  const files = [...DIGITS, ...SHAPES].map(given);
  await drop(page, [...files, { ...given(DIGITS[1]), name: "digits-0012.params" }]);
  assert.deepEqual(await page.$$eval("#model option", (options) => options.map((o) => o.textContent)), ["digits, epoch 12", "digits, epoch 0", "shapes"]);
  await field("3 models are in these files").selectOption("shapes");
  await looked(page);
  await page.waitForFunction(() => document.getElementById("model-title").textContent === "shapes");
  await looked(page);
  assert.match(await text("#summary"), /75 nodes.*It can be converted/);
});

test("what is not a model is said by its name, and a model that is there stays", async () => {
  await afresh();
  await sample(page, "shapes");
  await drop(page, [made("notes.md", "text")], false);
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await text("#notice"), /notes.md is not a model of MXNet.*-symbol.json/);
  assert.match(await text("#model-title"), /shapes/);
  await afresh();
  await drop(page, [], false);
  await page.waitForSelector("#trouble:not([hidden])");
  assert.match(await text("#trouble"), /no file that can be read/);
  await drop(page, [made("holiday.params", "<html>"), given(DIGITS[0])]);
  assert.match(await text("#said"), /holiday\.params/, "the file that is wrong");
  assert.doesNotMatch(await text("#said"), /'params'|(^|\s)params:/);
  assert.equal(await text("#working"), "");
  const zip = readFileSync(join(ROOT, "tests", "data", "samples", "archives", "mlp.mar"));
  await choose(page, made("docs.zip", zip.subarray(0, 200)));
  assert.match(await text("#said"), /docs\.zip/);
  assert.equal(await page.$("#net"), null, "no nets are offered for an archive");
});

test("shapes are checked before they are used", async () => {
  await choose(page, DIGITS);
  for (const [wrong, why] of [["1,-2,8,8", /'-2' is not a size/], ["1,1,1.5,8", /'1\.5' is not a size/],
    ["99999999999999999999,1,8,8", /too large/], ["1,,8,8", /missing between/]]) {
    await field("Shape").fill(wrong);
    assert.match(await text("#inputs .wrong"), why);
    assert.equal(await field("Shape").getAttribute("aria-invalid"), "true");
    assert.match(await text("#summary"), /A field is not right/);
  }
  await page.click("#convert", { force: true }); // it says that it is disabled
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-invalid")), "true", "the focus goes to the field");
  assert.equal(await page.getAttribute("body", "data-stage"), "ready");
  await accessible(page, "a wrong shape");
  for (const [good, meant] of [["[1,1,8,8]", /float32 \(1, 1, 8, 8\)/], ["data=1x1x8x8", /float32 \(1, 1, 8, 8\)/], ["None,1,8,8", /float32 \(batch, 1, 8, 8\)/],
    ["n x 1 x 8 x 8", /float32 \(n, 1, 8, 8\)/]]) {
    await field("Shape").fill(good);
    assert.match(await convert(page), meant);
  }
  await openDetails();
  await field("Mean").fill("abc");
  assert.match(await text("#inputs"), /'abc' is not a number/);
  await field("Mean").fill("");
});

test("an output that does not exist, and sizes that cannot be, are said and not ignored", async () => {
  await afresh();
  await choose(page, DIGITS);
  await page.waitForSelector(".node");
  await openDetails();
  await page.fill("#output", "nosuch");
  await page.press("#output", "Enter");
  assert.match(await text("#output-wrong"), /no node of this name/);
  await page.click("#convert");
  assert.equal(await page.getAttribute("body", "data-stage"), "ready");
  assert.equal(await focused(), "output");
  await page.fill("#output", "fc1");
  await page.press("#output", "Enter");
  assert.match(await convert(page), /fc1/);
  await page.click("#tab-try");
  const size = page.getByLabel("Size of batch");
  for (const [wrong, why] of [["-3", /not an integer/], ["1.5", /not an integer/], ["", /not an integer/], ["100000000", /choose smaller/]]) {
    await size.fill(wrong);
    await page.click("#run");
    await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("trial").textContent), why.source);
    assert.doesNotMatch(await text("#answers"), /What ONNX Runtime says/, "the page says it");
  }
});

test("names in both fields of precisions are said, and convert after one is removed", async () => {
  await afresh();
  await choose(page, DIGITS);
  await openDetails();
  await field("float16").selectOption("inside");
  await field("Keep in float32").fill("fc1 fc2");
  await field("Convert to float16 anyway").fill("fc2");
  assert.match(await text("#summary"), /'fc2' is in Keep in float32 and in Convert to float16 anyway/);
  await page.click("#convert", { force: true });
  assert.equal(await page.getAttribute("body", "data-stage"), "ready");
  assert.equal(await focused(), "summary", "which says it");
  await field("Keep in float32").fill("fc1");
  await convert(page);
});

test("fields stay the elements that they are while answers come and outputs are chosen", async () => {
  await afresh();
  await choose(page, DIGITS);
  await openDetails();
  await field("Rename").evaluate((e) => { e.dataset.kept = "yes"; });
  await field("Add an output").fill("fc1");
  await field("Add an output").press("Tab");
  await page.waitForSelector("#chips >> text=fc1");
  await field("Shape").fill("n,1,8,8");
  await page.waitForFunction(() => document.getElementById("status").textContent === "Ready to convert.");
  assert.deepEqual([await field("Rename").getAttribute("data-kept"), await field("Add an output").inputValue()], ["yes", ""]);
  await page.click("#chips button");
  await page.waitForFunction(() => document.getElementById("own-outputs").textContent.includes("softmax (n, 10)"));
});

test("the files of a sample can be downloaded where its commands are shown", async () => {
  await afresh();
  await sample(page, "digits");
  await view(page, "code");
  for (const path of DIGITS) {
    const [given] = await Promise.all([page.waitForEvent("download"), page.click(`#sample-files >> text=${basename(path)}`)]);
    assert.equal(given.suggestedFilename(), basename(path));
    assert.ok(readFileSync(await given.path()).equals(readFileSync(path)));
  }
  await choose(page, DIGITS);
  await view(page, "code");
  assert.equal(await page.$("#sample-files"), null);
});

test("key points are where the heat is", async () => {
  await afresh();
  await choose(page, model("pose-symbol.json", "pose-0000.params"));
  await field("Shape").fill("1,3,256,192");
  await convert(page);
  await run();
  await field("Pixel values").selectOption("0 to 1");
  await page.locator("#trial input[type=file][accept='image/*']").setInputFiles(made("dot.svg",
    '<svg xmlns="http://www.w3.org/2000/svg" width="192" height="256"><path d="M0 0h192v256H0z"/><path fill="#fff" d="M100 60h4v4h-4z"/></svg>', "image/svg+xml"));
  await page.waitForSelector("[data-answer=points] canvas");
  const rows = await page.$$eval("[data-answer=points] tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual([rows.length, rows[0], rows[3]], [17, ["0", "1.000", "0.531, 0.242"], ["3", "0.250", "0.531, 0.242"]]); // 25.5 / 48, 15.5 / 64
});

async function chooseMean() {
  const symbol = { nodes: [{ op: "null", name: "data", inputs: [] }, { op: "null", name: "m", inputs: [] }, { op: "broadcast_sub", name: "less", inputs: [[0, 0, 0], [1, 0, 0]] }],
    arg_nodes: [0, 1], heads: [[2, 0, 0]] };
  await choose(page, [made("mean-symbol.json", JSON.stringify(symbol)), made("mean-0000.params", Buffer.from(await randomParams([["m", [1, 3, 1, 1]]]).arrayBuffer()))]);
  await field("Shape").fill("1,3,8,8");
}

test("a net that subtracts a mean itself takes pixels from 0 to 255; one node is a node", async () => {
  await afresh();
  await chooseMean();
  await convert(page);
  assert.match(await text("#bench"), /1 node/);
  assert.doesNotMatch(await text("#bench"), /\b1 nodes/);
  await run();
  assert.equal(await field("Pixel values").inputValue(), "0 to 255");
});

test("what a net does to its pixels is known where its graph was drawn after the conversion", async () => {
  await afresh();
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...more) {
      setTimeout(() => post.call(this, message, ...more), message.task === "mxnet" ? 3000 : 0);
    };
  });
  await chooseMean();
  await convert(page);
  await run();
  assert.equal(await field("Pixel values").inputValue(), "0 to 255");
});

test("a net of one channel takes pixels from 0 to 1 unless it says otherwise", async () => {
  await afresh();
  await choose(page, DIGITS);
  await convert(page);
  await run();
  assert.equal(await field("Pixel values").inputValue(), "0 to 1");
});

test("a picked node is not under the map", async () => {
  await afresh();
  await sample(page, "shapes");
  await page.waitForSelector(".node");
  await page.focus(".view");
  await page.keyboard.press("End");
  await page.waitForSelector(".node[aria-pressed=true]");
  await frames();
  const [node, map] = await page.evaluate(() => [".node[aria-pressed=true]", ".map"].map((what) => document.querySelector(what).getBoundingClientRect().toJSON()));
  assert.ok(node.right <= map.left || node.left >= map.right || node.bottom <= map.top || node.top >= map.bottom, JSON.stringify([node, map]));
});

test("the shapes of examples/shapes convert and run with their defaults", async () => {
  await afresh();
  await choose(page, SHAPES);
  await convert(page);
  await run();
  assert.equal(await field("Size of height").inputValue(), "128", "a size that the net takes");
  assert.equal(await field("Pixel values").inputValue(), "0 to 255", "the net subtracts a mean itself");
  await page.locator("#trial input[type=file][accept='image/*']").setInputFiles(join(EXAMPLES, "web", "samples", "shapes.svg"));
  await page.waitForSelector("[data-answer=boxes] canvas");
  assert.equal(await page.$$eval("[data-answer=boxes] tbody tr", (rows) => rows.length), 3);
  await page.getByRole("radio", { name: "Random" }).check();
  await page.click("#run");
  await page.waitForSelector("[data-answer=boxes]");
  await field("Size of height").fill("200");
  await page.click("#run");
  await page.waitForSelector("#answers .card.error");
  const said = await text("#answers .card-line");
  assert.match(said, /cannot work with these sizes/);
  assert.doesNotMatch(said, /azure|Status/, "in words");
  assert.match(await text("#answers details"), /What ONNX Runtime says/);
});

test("the sample detector finds the three shapes, from its picture and a camera", async () => {
  await afresh();
  await sample(page, "shapes");
  await convert(page);
  await run();
  await page.click("#sample-picture");
  await page.waitForSelector("[data-answer=boxes] canvas");
  const found = await page.$$eval("[data-answer=boxes] tbody td:first-child", (cells) => cells.map((c) => c.textContent).sort());
  assert.deepEqual(found, ["circle", "square", "triangle"]);
  await page.locator("#trial input[type=file][accept='image/*']").setInputFiles(made("circle.svg", String(readFileSync(join(EXAMPLES, "web", "samples", "shapes.svg")))
    .replaceAll(/<path d="M(74|88)[^>]*>/g, ""), "image/svg+xml"));
  await page.waitForFunction(() => /^1 box of/.test(document.querySelector("[data-answer=boxes] h3")?.textContent));
  await page.getByRole("radio", { name: "Camera" }).check();
  await page.click("#run");
  await page.waitForFunction(() => /start the camera and take a frame first/.test(document.getElementById("answers").textContent));
  await page.click("#camera");
  await page.click("#frame:not([disabled])");
  await page.waitForSelector("[data-answer=boxes]");
});

test("a picture that is dropped on a converted model is tried", async () => {
  await afresh();
  await sample(page, "shapes");
  await convert(page);
  await drop(page, [made("dropped.svg", readFileSync(join(EXAMPLES, "web", "samples", "shapes.svg")), "image/svg+xml")], false);
  await page.waitForSelector("[data-answer=boxes] canvas");
  assert.equal(await page.getAttribute("#tab-try", "aria-selected"), "true");
  assert.equal(await text("#model-title"), "shapes");
});

test("the sample of digits is a three; its operators lead to the graph", async () => {
  await afresh();
  await sample(page, "digits");
  await convert(page);
  await run();
  await page.click("#sample-picture");
  await page.waitForSelector("[data-answer=classes]");
  assert.equal(await text("[data-answer=classes] h3"), "3");
  await accessible(page, "classes");
  await view(page, "report");
  await accessible(page, "a report");
  await page.click("#report button:has-text('Pooling')");
  assert.match(await text("#matches"), /^1 of 2$/);
  assert.ok((await inSight()).includes("pool1"));
});

test("the sample of parameters alone is recognised", async () => {
  await afresh();
  await sample(page, "parameters");
  assert.match(await text("#summary"), /those of squeezenet1\.1/);
  await convert(page);
  await drawn(page);
});

test("Convert, Download and the node are in the window, on a laptop and a phone", async () => {
  for (const viewport of [{ width: 1280, height: 720 }, { width: 390, height: 844 }, { width: 320, height: 568 }]) {
    await page.setViewportSize(viewport);
    await afresh();
    await sample(page, "digits");
    assert.ok(await inWindow("#convert"), "Convert");
    await convert(page);
    assert.ok(await inWindow("#download"), "Download");
    await page.click(".picture:not([hidden]) .node >> nth=1");
    assert.ok((await text("#inspector")).includes("conv1"));
    await page.locator("#inspector").scrollIntoViewIfNeeded();
    await accessible(page, viewport.width + " pixels");
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("a wide graph is in sight at first, stays when zoomed, and is seen whole", async () => {
  await afresh();
  await choose(page, model("ssd_300_mobilenet0.25_voc-symbol.json", "ssd_300_mobilenet0.25_voc-0000.params"));
  await page.waitForSelector(".node");
  assert.ok((await inSight()).includes("data"));
  const map = await page.locator(".map").first().boundingBox();
  await page.mouse.click(map.x + map.width / 2, map.y + map.height / 2);
  await frames();
  const middle = await inSight();
  assert.ok(middle.length > 0 && !middle.includes("data"), "the map leads elsewhere");
  await page.focus("#pictures .view");
  await page.keyboard.press("End");
  const last = await page.$eval(".node[aria-pressed=true] .name", (e) => e.textContent);
  for (let i = 0; i < 3; i++) {
    await page.click(".picture-tools button[title='Zoom out']");
  }
  await frames();
  assert.ok((await inSight()).includes(last), "the picked node is in sight still");
  const drag = async (from, to, steps) => {
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(...to, { steps });
    await page.mouse.up();
    await frames();
  };
  const place = () => page.$eval(".nodes", (e) => e.style.transform);
  const before = await place();
  await drag([600, 300], [700, 380], 5);
  assert.notEqual(await place(), before, "dragged");
  const scale = async () => Number(/scale\(([\d.]+)\)/.exec(await place())[1]);
  const was = await scale();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  await frames();
  assert.ok(await scale() > was, "Ctrl and the wheel zoom the graph");
  assert.equal(await page.evaluate(() => devicePixelRatio), 1, "and not the page");
  await page.keyboard.press("0");
  await frames();
  const { width, height } = await page.$eval(".view", (v) => ({ width: v.clientWidth, height: v.clientHeight }));
  const [x, y] = (await place()).match(/-?[\d.]+/g).map(Number);
  assert.ok(x >= 0 && y >= 0 && x < width && y < height && await scale() < 0.1, "all of it fits");
});

test("two fingers zoom the graph", async () => {
  const touch = await context.newCDPSession(page), centre = await page.$eval(".view", (v) => {
    const box = v.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  });
  const scale = () => page.$eval(".nodes", (e) => Number(/scale\(([\d.]+)\)/.exec(e.style.transform)[1]));
  const fingers = (type, apart) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? []
    : [{ x: centre[0] - apart, y: centre[1], id: 0 }, { x: centre[0] + apart, y: centre[1], id: 1 }] });
  await frames();
  const before = await scale();
  await fingers("touchStart", 40);
  for (const apart of [60, 80, 120]) {
    await fingers("touchMove", apart);
  }
  await fingers("touchEnd");
  await frames();
  assert.ok(await scale() > 2 * before);
});

test("a search finds nodes, keys follow edges, the other graph follows", async () => {
  await afresh();
  await sample(page, "parameters");
  await convert(page);
  await view(page, "compare");
  await drawn(page);
  await page.keyboard.press("/");
  assert.equal(await focused(), "search");
  await page.keyboard.type("concat");
  assert.match(await text("#matches"), /^1 of 8$/);
  await page.keyboard.press("Enter");
  assert.match(await text("#matches"), /^2 of 8$/);
  await page.keyboard.press("ArrowDown");
  const picked = () => page.$$eval(".node[aria-pressed=true] .name", (names) => names.map((n) => n.textContent));
  assert.deepEqual(await picked(), ["squeezenet0_concat1", "squeezenet0_concat1"], "in both graphs");
  await page.keyboard.press("ArrowUp");
  const [left] = await picked();
  await page.keyboard.press("ArrowRight");
  const [right] = await picked();
  assert.notEqual(left, right);
  await page.keyboard.press("ArrowDown");
  assert.deepEqual((await picked())[0], "squeezenet0_concat1", "from either branch the key leads along its edge");
  await page.fill("#search", "nothing like this");
  assert.equal(await text("#matches"), "nothing found");
  await page.fill("#search", "softmaxoutput");
  assert.equal(await text("#matches"), "nothing found", "ONNX has no such operator");
  await view(page, "graph");
  await page.click("#kinds button:has-text('MXNet')");
  await page.fill("#search", "dropout");
  assert.equal(await text("#matches"), "1 of 1");
  await page.click("#kinds button:has-text('ONNX')");
  assert.equal(await text("#matches"), "nothing found", "in the graph that is in sight");
  await page.fill("#search", "conv");
  const found = await text("#matches");
  await page.click("#kinds button:has-text('MXNet')");
  assert.match(await text("#matches"), /^\d+ (of \d+|found)$/);
  await page.click("#kinds button:has-text('ONNX')");
  assert.equal(await text("#matches"), found);
  await view(page, "compare");
  assert.deepEqual(await page.$$eval(".picture-tools button", (tools) => new Set(tools.map((t) => t.ariaLabel)).size), 6, "each tool names its graph");
});

test("a picked node stays picked when the model is converted, and a click on none of them lets it go", async () => {
  await afresh();
  await choose(page, DIGITS);
  await page.click(".node >> text=conv1");
  const picked = () => page.$$eval(".picture:not([hidden]) .node[aria-pressed=true] .name", (names) => names.map((n) => n.textContent));
  assert.deepEqual(await picked(), ["conv1"]);
  await convert(page);
  await page.waitForFunction(() => /MXNet: conv1.*ONNX: conv1/s.test(document.getElementById("inspector").textContent));
  assert.deepEqual(await picked(), ["conv1"], "in ONNX's graph");
  await field("Opset").selectOption("14");
  await page.waitForFunction(() => !document.getElementById("inspector").textContent.includes("ONNX"));
  assert.deepEqual(await picked(), ["conv1"], "in MXNet's again");
  const view = await page.locator(".view").first().boundingBox();
  await page.mouse.click(view.x + 8, view.y + view.height / 2);
  assert.deepEqual([await picked(), await page.isHidden("#inspector")], [[], true]);
});

test("an output that is made in the graph is said, and can be undone", async () => {
  await afresh();
  await choose(page, DIGITS);
  await page.click(".node >> text=fc1");
  await page.click("#inspector button:has-text('Make it an output')");
  assert.match(await text("#notice"), /fc1 is the output.*Undo/s);
  await page.waitForFunction(() => document.getElementById("status").textContent === "Ready to convert.");
  await page.waitForSelector(".node.end >> text=fc1");
  await page.waitForFunction(() => document.activeElement.textContent === "Make it an output");
  await page.click("#notice-undo");
  assert.ok(await page.isHidden("#notice"));
  assert.match(await convert(page), /softmax/);
});

test("a notice goes away by itself, but not under the pointer or with the focus", async () => {
  await afresh();
  await sample(page, "digits");
  await page.mouse.move(0, 0);
  await drop(page, [made("notes.md", "text")], false);
  await page.waitForSelector("#notice:not([hidden])");
  const state = () => page.$eval("#notice", (e) => e.getAnimations()[0].playState);
  assert.equal(await state(), "running");
  await page.focus("#notice-close");
  assert.equal(await state(), "paused");
  await page.evaluate(() => document.activeElement.blur());
  await page.hover("#notice");
  assert.equal(await state(), "paused");
  await page.mouse.move(0, 0);
  await page.$eval("#notice", (e) => e.getAnimations()[0].finish());
  await page.waitForSelector("#notice", { state: "hidden" });
});

test("on a phone the picked node, the answers and the file are in sight", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await afresh();
  await sample(page, "digits");
  await convert(page);
  const [said, file] = await page.evaluate(() => ["working", "result"].map((id) => document.getElementById(id).getBoundingClientRect().toJSON()));
  assert.ok(file.height < 32 && Math.abs(said.top - file.top) < 8 && said.right < file.left, JSON.stringify([said, file]));
  await page.waitForSelector("#pictures .picture:not([hidden]) .node");
  await page.focus("#pictures .picture:not([hidden]) .view");
  await page.keyboard.press("End");
  await page.waitForSelector("#inspector:not([hidden])");
  await frames();
  const [node, sheet] = await page.evaluate(() => [".picture:not([hidden]) .node[aria-pressed=true]", "#inspector"].map((what) => document.querySelector(what).getBoundingClientRect().toJSON()));
  assert.ok(node.bottom <= sheet.top && node.top >= 0, JSON.stringify([node, sheet]));
  await run();
  await page.click("#sample-picture");
  await page.waitForSelector("[data-answer=classes]");
  await page.waitForFunction(() => document.querySelector("[data-answer=classes] h3").getBoundingClientRect().bottom < document.querySelector(".act").getBoundingClientRect().top);
  assert.ok(await page.$$eval("#answers .wraps .scroll", (all) => all.every((e) => e.scrollWidth <= e.clientWidth)), "figures wrap");
  await page.setViewportSize({ width: 320, height: 568 });
  assert.ok(await page.$eval(".tabs", (tabs) => tabs.scrollWidth <= tabs.clientWidth), "all tabs");
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("rows of a long table are made as they come into sight", async () => {
  await afresh();
  await choose(page, model("densenet121-0000.params"));
  await view(page, "report");
  const rows = () => page.$$eval("#report [aria-label=Parameters] tbody tr", (all) => all.length), arrays = Number(/(\d+) arrays/.exec(await text("#summary"))[1]);
  assert.ok(arrays > 300 && await rows() <= 100);
  for (let n = await rows(); n < arrays; n = await rows()) {
    await page.$eval("#report [aria-label=Parameters]", (e) => { e.scrollIntoView(); e.scrollTop = e.scrollHeight; });
    await page.waitForFunction((before) => document.querySelectorAll("#report [aria-label=Parameters] tbody tr").length > before, n);
  }
  assert.equal(await rows(), arrays);
});

test("the input is drawn where inference failed", async () => {
  await afresh();
  await choose(page, [DIGITS[0]]);
  await page.waitForSelector(".node.end");
  assert.ok((await inSight()).includes("data"));
});

test("a page that scrolls is not trapped by the graph", async () => {
  await page.setViewportSize({ width: 800, height: 600 });
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  const graph = page.locator("#pictures .picture:not([hidden]) .view:not(.waiting)").first();
  await graph.scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY), box = await graph.boundingBox();
  await page.mouse.move(box.x + box.width / 2, Math.min(500, box.y + 40));
  await page.mouse.wheel(0, -200);
  await page.waitForFunction((y) => scrollY < y, before);
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("what is shown is of the choices that are shown", async () => {
  await afresh();
  await choose(page, DIGITS);
  await field("Shape").fill("n,1,8,8");
  await page.click("#convert"); // before the choice was looked at
  await stage("done");
  assert.equal(await text("#status"), "Converted.");
  assert.match(await text("#result"), /\(n, 1, 8, 8\)/);
  await field("Opset").selectOption("14");
  assert.ok(await page.isHidden("#result"), "of other choices");
  assert.match(await convert(page), /opset 14/);
});

test("leaving is asked about while a model is converted", async () => {
  const asks = () => page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await afresh();
  await choose(page, model("large-symbol.json", "large-0000.params"));
  await field("Shape").fill("1,16384");
  assert.equal(await asks(), false);
  await page.click("#convert");
  await page.waitForFunction(() => document.getElementById("progress").value > 0);
  assert.equal(await asks(), true);
  assert.doesNotMatch(await text("#form"), /cannot be converted|not known/, "what was said was of the earlier shape");
  await choose(page, DIGITS); // a drop meanwhile ends the work
  assert.equal(await page.getAttribute("body", "data-stage"), "ready");
  assert.equal(await text("#working"), "");
});

test("Back leads from a model to the landing, and asks while it is converted", async () => {
  await afresh();
  await sample(page, "digits");
  await field("Opset").selectOption("14");
  await convert(page);
  await page.goBack();
  await stage("empty");
  assert.ok(await page.isVisible("#landing") && await page.isHidden("#bench"));
  assert.equal(await focused(), "pick-files");
  assert.equal(await page.title(), "MXNet to ONNX");
  await page.goForward();
  await stage("ready");
  assert.equal(await text("#model-title"), "digits");
  assert.equal(await field("Opset").inputValue(), "14", "with its choices");
  await page.goBack();
  await stage("empty");
  await choose(page, model("large-symbol.json", "large-0000.params"));
  await field("Shape").fill("1,16384");
  for (const answer of ["dismiss", "accept"]) {
    await page.click("#convert");
    await page.waitForFunction(() => document.getElementById("progress").value > 0);
    const asked = page.waitForEvent("dialog");
    page.evaluate(() => history.back());
    const dialog = await asked;
    assert.match(dialog.message(), /being converted/);
    await dialog[answer]();
    if (answer === "dismiss") {
      assert.equal(await page.getAttribute("body", "data-stage"), "converting");
      await page.click("#cancel");
      await page.waitForFunction(() => document.getElementById("working").textContent.startsWith("Cancelled"));
    }
  }
  await stage("empty");
  await sample(page, "digits");
  assert.match(await convert(page), /Converted|opset/);
});

test("borders of controls have a contrast of 3 to 1", async () => {
  await afresh();
  await sample(page, "digits");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const ratios = await page.$$eval("#fields input, #fields select, #another", (controls) => {
      const light = (colour) => {
        const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
      };
      return controls.filter((c) => c.checkVisibility()).map((c) => {
        const [a, b] = [light(getComputedStyle(c).borderTopColor), light(getComputedStyle(c).backgroundColor)];
        return Math.max(a, b) / Math.min(a, b);
      });
    });
    assert.ok(ratios.length > 3 && ratios.every((ratio) => ratio >= 3), `${colorScheme}: ${ratios.map((r) => r.toFixed(2))}`);
  }
  await page.emulateMedia({ colorScheme: null });
});

test("the same file is opened again", async () => {
  await choose(page, DIGITS);
  assert.equal(await page.$eval("#files", (input) => input.files.length), 0, "choosing it again is a change");
});

test("the network fails, and it is said", async () => {
  const plain = await context.newPage(); // where there is no service worker
  for (const [path, stop] of [["samples/shapes-symbol.json", "abort"], ["samples/shapes-symbol.json", "404"], ["mx2onnx-core.wasm", "abort"], ["converter.js", "abort"]]) {
    await plain.route("**/" + path, (route) => (stop === "abort" ? route.abort() : route.fulfill({ status: 404, body: "<html>" })));
    await plain.goto(url.replace("localhost", PLAIN));
    await plain.click("#sample-shapes");
    await plain.waitForSelector("#trouble:not([hidden]), #said .card.error");
    assert.match(await plain.textContent("#trouble") + await plain.textContent("#said"), /could not be loaded/, path);
    await plain.unroute("**/" + path);
  }
  for (const path of ["runner.js", "packages/*.wasm"]) {
    await plain.route("**/" + path, (route) => route.abort());
    await plain.goto(url.replace("localhost", PLAIN));
    await sample(plain, "digits");
    await convert(plain);
    await view(plain, "try");
    await plain.waitForSelector("#trial .card.error");
    assert.match(await plain.textContent("#trial .card-line"), /ONNX Runtime could not be loaded. Check the network/, path);
    await plain.unroute("**/" + path);
    await plain.click("text=Load again");
    await plain.waitForSelector("#run");
  }
  await plain.close();
});

test("an output is added and the range of pixels known while the graph is still drawn", async () => {
  const plain = await context.newPage(); // where there is no service worker
  let draw;
  const held = new Promise((done) => { draw = done; });
  await plain.route("**/drawer.js", async (route) => {
    await held;
    await route.continue();
  });
  await plain.goto(url.replace("localhost", PLAIN));
  await choose(plain, SHAPES);
  await plain.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  const box = plain.getByLabel("Add an output", { exact: true });
  await box.fill("none_such");
  await box.press("Tab");
  await plain.waitForFunction(() => /none_such/.test(document.getElementById("said").textContent)); // the library says it
  await plain.click("#chips button");
  await convert(plain);
  await view(plain, "try");
  await plain.waitForSelector("text=Loading ONNX Runtime");
  draw();
  await plain.waitForSelector("#run");
  assert.equal(await plain.getByLabel("Pixel values", { exact: true }).inputValue(), "0 to 255", "the net subtracts a mean itself");
  await plain.close();
});

test("plain http: the page converts, and says what a browser does not let it do", async () => {
  const plain = await context.newPage(), wrong = [];
  plain.on("pageerror", (error) => wrong.push(String(error)));
  await plain.goto(url.replace("localhost", PLAIN));
  assert.equal(await plain.evaluate(() => isSecureContext), false);
  assert.ok(await plain.isHidden("#offline"), "the footer says nothing that is not so");
  await page.waitForFunction(() => !document.getElementById("offline").hidden);
  await sample(plain, "digits");
  await convert(plain);
  await view(plain, "code");
  await plain.click("#commands button:has-text('Copy')");
  await plain.waitForFunction(() => /Copied|Ctrl\+C/.test(document.getElementById("commands").textContent));
  assert.deepEqual(wrong, []);
  await plain.close();
});

test("nothing is left in the browser's store", async () => {
  const stored = () => page.evaluate(async () => {
    const names = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) {
      names.push(name);
    }
    return names.filter((name) => name.startsWith("model-")).length;
  });
  await afresh();
  await sample(page, "digits");
  await convert(page);
  assert.equal(await stored(), 1);
  const emptied = () => until(page, async () => {
    for await (const name of (await navigator.storage.getDirectory()).keys()) {
      if (name.startsWith("model-")) {
        return false;
      }
    }
    return true;
  });
  await page.goBack();
  await emptied();
  await sample(page, "digits");
  await convert(page);
  await afresh();
  await emptied();
  const reload = () => {
    page.once("dialog", (dialog) => dialog.accept());
    return page.reload();
  };
  for (const leave of [() => page.click("#cancel"), reload]) { // while a file is written
    await choose(page, model("large-symbol.json", "large-0000.params"));
    await field("Shape").fill("1,16384");
    await page.click("#convert");
    await page.waitForFunction(() => document.getElementById("progress").value > 0);
    await leave();
    await emptied();
  }
});

test("a first visit loads less than 1 MB, and ONNX Runtime when it is first used", async () => {
  const names = async () => page.evaluate(async () => (await (await caches.open("mx2onnx-files")).keys()).map(({ url: key }) => new URL(key).pathname));
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.evaluate(async () => {
    for (const key of await caches.keys()) {
      await caches.delete(key);
    }
    await (await navigator.serviceWorker.getRegistration()).unregister();
  });
  await afresh();
  await controlled(page);
  const kept = await names(), site = join(process.env.MX2ONNX_WEB, "site");
  assert.ok(kept.includes("/page.js") && kept.includes("/mx2onnx-core.wasm") && !kept.some((name) => name.includes("packages/")), kept.join(" "));
  const size = kept.reduce((sum, name) => sum + gzipSync(readFileSync(join(site, name))).length, 0);
  console.log(`first visit: ${Math.round(size / 1000)} KB by gzip`);
  assert.ok(size < 1e6, size + " bytes");
  await sample(page, "digits");
  await convert(page);
  await run();
  await until(page, async () => (await (await caches.open("mx2onnx-files")).keys()).some(({ url: key }) => key.includes("ort-wasm")));
});

test("another version of the page takes the place of the one that was kept", async () => {
  const site = join(SCRATCH, "site"), next = join(SCRATCH, "next");
  cpSync(join(process.env.MX2ONNX_WEB, "site"), site, { recursive: true });
  cpSync(site, next, { recursive: true });
  appendFileSync(join(next, "style.css"), "/* another version */");
  cpSync(join(EXAMPLES, "web", "sw.js"), join(next, "sw.js"));
  execFileSync("python3", [join(EXAMPLES, "web", "files.py"), next]);
  const later = Date.now() / 1000 + 60; // the server answers by times, which are whole seconds
  for (const name of ["style.css", "sw.js"]) {
    utimesSync(join(next, name), later, later);
  }
  const { server, url: there } = await serve(site), second = await context.newPage();
  const kept = (path) => second.evaluate(async (wanted) => (await (await caches.open("mx2onnx-files")).keys()).map((key) => key.url)
    .filter((key) => key.includes(wanted)), path);
  try {
    await second.goto(there);
    await controlled(second);
    const [old] = await kept("/style.css");
    renameSync(join(next, "style.css"), join(site, "style.css"));
    assert.doesNotMatch(await second.evaluate(async () => (await fetch("style.css")).text()), /another version/, "all of a page is of one version");
    renameSync(join(next, "sw.js"), join(site, "sw.js")); // Chromium may find it by itself, a while after the page is open
    await second.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    // The next worker waits until this one has nothing to do, up to five minutes: the page asks for no file until the old one is gone.
    await until(second, async (gone) => !(await (await caches.open("mx2onnx-files")).keys()).some((key) => key.url === gone), old);
    await until(second, async () => /another version/.test(await (await fetch("style.css")).text()));
    assert.equal((await kept("/page.js")).length, 1);
  } finally {
    await second.close();
    server.kill();
  }
});

test("3,000 nodes are drawn without a long task", async () => {
  await afresh();
  await page.evaluate(() => {
    globalThis.long = [];
    new PerformanceObserver((list) => globalThis.long.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
  });
  await choose(page, model("thousands-symbol.json"));
  await field("Shape").fill("2,3");
  await looked(page);
  await page.waitForSelector(".node");
  await page.focus(".view");
  for (const key of ["End", "Home", "-", "-", "-", "0", "+", "+"]) {
    await page.keyboard.press(key);
    await frames();
  }
  await page.fill("#search", "r2998");
  await frames();
  assert.equal(await text("#matches"), "1 of 1");
  assert.ok((await inSight()).includes("r2998") && (await page.$$(".node")).length < 300);
  const long = await page.evaluate(() => globalThis.long.map(Math.round));
  console.log(`3,000 nodes: long tasks of ${long.join(", ") || "none"} ms`);
});

test("a conversion can be cancelled, and 1 GiB of parameters is not held", async () => {
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
  assert.ok(most > 0 && most - idle < 64e6, "memory grew by " + (most - idle));
  same(await download(page), await byCommandLine(page, MODELS));
});

test("a model that is too large for a page is refused", async () => {
  await choose(page, model("huge-symbol.json", "huge-0000.params"));
  await field("Shape").fill("1,16384");
  await page.click("#convert");
  await page.waitForFunction(() => document.getElementById("working").textContent === "It could not be converted.");
  assert.match(await text("#said"), /2 GiB.*use the command line under Code/is);
  assert.doesNotMatch(await text("#summary"), /can be converted/);
});

test("a sample is converted on a phone, in the dark, without a network", async () => {
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
