// SPDX-License-Identifier: Apache-2.0
// Models to begin with: two that are trained, and parameters alone, with random weights.
import { el } from "./dom.js";

const fetched = (...paths) => Promise.all(paths.map(async (path) => {
  const response = await fetch("samples/" + path);
  if (!response.ok) {
    throw new Error(`the server answered ${response.status} for ${path}`);
  }
  return { path, file: new File([await response.blob()], path) };
}));

// SqueezeNet 1.1: a first convolution; fires of a squeeze and two expansions; a last convolution.
const FIRES = [[64, 16], [128, 16], [128, 32], [256, 32], [256, 48], [384, 48], [384, 64], [512, 64]];

function* squeezeNet() {
  let conv = 0;
  const array = (out, into, side) => {
    const name = `squeezenet0_conv${conv++}_`;
    return [[name + "weight", [out, into, side, side]], [name + "bias", [out]]];
  };
  yield* array(64, 3, 3);
  for (const [into, squeezed] of FIRES) {
    yield* array(squeezed, into, 1);
    yield* array(4 * squeezed, squeezed, 1);
    yield* array(4 * squeezed, squeezed, 3);
  }
  yield* array(1000, 512, 1);
}

/** Arrays as MXNet saves them: 1 of float32 each, with random numbers as large as a layer wants them. */
export function randomParams(arrays) {
  const parts = [], record = (...numbers) => parts.push(new Uint32Array(numbers)), long = (n) => record(n, 0);
  [0x112, 0, arrays.length].forEach(long);
  for (const [, shape] of arrays) {
    record(0xf993fac9, 0, shape.length);
    shape.forEach(long);
    record(1, 0, 0);
    const count = shape.reduce((a, b) => a * b), most = shape.length > 1 ? Math.sqrt((6 * shape[0]) / count) : 0;
    parts.push(Float32Array.from({ length: count }, () => (Math.random() * 2 - 1) * most));
  }
  long(arrays.length);
  for (const [name] of arrays) {
    const bytes = new TextEncoder().encode("arg:" + name);
    long(bytes.length);
    parts.push(bytes);
  }
  return new Blob(parts);
}

const squeezed = () => [{ path: "squeezenet1.1-0000.params", file: new File([randomParams([...squeezeNet()])], "squeezenet1.1-0000.params") }];

/** `picture`: what is tried with it, and how its pixels are scaled. */
export const SAMPLES = [
  { key: "digits", title: "Digits", text: "A classifier of handwritten digits, 14 nodes", picture: "samples/digits.svg", scale: "0 to 1",
    labels: "0 1 2 3 4 5 6 7 8 9".split(" "), files: () => fetched("digits-symbol.json", "digits-0000.params") },
  { key: "shapes", title: "Shapes", text: "An SSD detector that draws boxes", picture: "samples/shapes.svg", scale: "0 to 255",
    labels: ["circle", "square", "triangle"], files: () => fetched("shapes-symbol.json", "shapes-0000.params") },
  { key: "parameters", title: "Parameters alone", text: "SqueezeNet without its symbol, random weights", picture: "samples/parameters.svg",
    files: async () => squeezed() },
];

export const tiles = (open) => SAMPLES.map((sample) => el("li", {}, el("button", { type: "button", class: "tile", id: "sample-" + sample.key,
  click: () => open(sample) }, el("img", { src: sample.picture, alt: "", width: 64, height: 64 }),
el("div", {}, el("strong", {}, sample.title), el("span", { class: "quiet" }, sample.text)))));
