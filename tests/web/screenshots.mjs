// SPDX-License-Identifier: Apache-2.0
// Pictures of the page for anyone to look at: each state at three widths, light and dark; test.sh --screenshots runs it.
//
//     node screenshots.mjs FOLDER [PART OF A NAME]
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { convert, drawn, looked, model, open, ROOT, sample, view } from "./browser.mjs";

const WIDTHS = { phone: [390, 844], laptop: [1366, 768], wide: [2560, 1440] };
const [folder, wanted = ""] = process.argv.slice(2);

const converted = (key) => async (page) => {
  await sample(page, key);
  await convert(page);
  await view(page, "compare");
  await drawn(page);
};

async function tried(page, name, shape, answer) {
  await page.setInputFiles("#files", model(name + "-symbol.json", name + "-0000.params"));
  await page.getByLabel("Shape", { exact: true }).fill(shape);
  await looked(page);
  await convert(page);
  await view(page, "try");
  await page.locator("#trial input[type=file][accept='image/*']").setInputFiles(join(ROOT, "examples", "web", "samples", "shapes.svg"));
  await page.waitForSelector(`[data-answer=${answer}]`);
}

const STATES = { // name: what leads to it
  "1-landing": async () => {},
  "2-landing-trouble": async (page) => {
    await page.setInputFiles("#files", join(ROOT, "README.md"));
    await page.waitForSelector("#trouble:not([hidden])");
  },
  "3-ready": (page) => sample(page, "shapes"),
  "4-half": async (page) => {
    await page.setInputFiles("#files", join(ROOT, "examples", "digits", "digits-symbol.json"));
    await page.waitForSelector("#said .card.note");
  },
  "5-advanced": async (page) => {
    await sample(page, "digits");
    await page.click("#more > summary");
    await page.getByLabel("Shape", { exact: true }).fill("1,-2,8,8");
  },
  "6-fails": async (page) => {
    await page.setInputFiles("#files", model("fails-symbol.json"));
    await page.waitForSelector("#summary p");
    await page.getByLabel("Shape", { exact: true }).fill("2,3");
    await looked(page);
  },
  "7-done": async (page) => {
    await converted("parameters")(page);
    await view(page, "graph");
    await page.fill("#search", "concat");
  },
  "8-compare": async (page) => {
    await converted("digits")(page);
    await page.fill("#search", "conv2");
  },
  "9-large": async (page) => {
    await page.setInputFiles("#files", model("ssd_300_mobilenet0.25_voc-symbol.json", "ssd_300_mobilenet0.25_voc-0000.params"));
    await page.waitForSelector("#pictures .picture-title");
    await looked(page);
  },
  "10-large-fit": async (page) => {
    await STATES["9-large"](page);
    await page.click(".picture-tools button[title=Fit]");
  },
  "11-try": async (page) => {
    await converted("shapes")(page);
    await view(page, "try");
    await page.click("#sample-picture");
    await page.waitForSelector("[data-answer], #answers .card");
  },
  "12-report": async (page) => {
    await converted("parameters")(page);
    await view(page, "report");
  },
  "13-converting": async (page) => {
    await page.setInputFiles("#files", model("large-symbol.json", "large-0000.params"));
    await page.getByLabel("Shape", { exact: true }).fill("1,16384");
    await page.click("#convert");
    await page.waitForFunction(() => document.getElementById("progress").value > 0);
  },
  "14-cancelled": async (page) => {
    await STATES["13-converting"](page);
    await page.click("#cancel");
    await page.waitForSelector("#convert:not([hidden])");
  },
  "15-camera": async (page) => {
    await converted("shapes")(page);
    await view(page, "try");
    await page.getByRole("radio", { name: "Camera" }).check();
    await page.click("#camera");
    await page.waitForFunction(() => document.querySelector("#trial video")?.readyState === 4);
  },
  "16-embedding": (page) => tried(page, "mobilefacenet", "1,3,112,112", "embedding"),
  "17-mask": (page) => tried(page, "mask", "1,3,240,320", "mask"),
  "18-points": (page) => tried(page, "pose", "1,3,256,192", "points"),
  "19-code": async (page) => {
    await converted("digits")(page);
    await view(page, "code");
  },
};

mkdirSync(folder, { recursive: true });
const { page, close, url, faults } = await open("screenshots");
for (const [name, lead] of Object.entries(STATES).filter(([n]) => n.includes(wanted))) {
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.goto(url);
  await lead(page);
  for (const [size, [width, height]] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: size === "phone" });
    }
  }
}
console.log(faults.length > 0 ? faults : `pictures are in ${folder}`);
await close();
