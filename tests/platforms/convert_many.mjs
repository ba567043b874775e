// SPDX-License-Identifier: Apache-2.0
// tests/numeric/convert_many through the module of bindings/wasm: node convert_many.mjs BUILD FOLDER
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [build, folder] = process.argv.slice(2);
const { default: mx2onnx } = await import(pathToFileURL(join(build, "bindings", "wasm", "mx2onnx.mjs")));
const library = await mx2onnx();
const TYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"];
const STATUS = ["OK", "INVALID_ARGUMENT", "OUT_OF_MEMORY", "IO", "NOT_FOUND", "FORMAT", "UNSUPPORTED", "SHAPE",
  "MISSING_PARAMETER", "TOO_LARGE", "CANCELLED", "INTERNAL"];

function convert(model, words) {
  const [symbol, params, opset] = words.splice(0, 3);
  if (params === "+") {
    model.load(readFileSync(symbol));
  } else {
    model.loadSymbol(readFileSync(symbol));
    params === "-" || model.loadParams(readFileSync(params));
  }
  while (words.length > 0) {
    const [name, type, rank] = words.splice(0, 3), dims = words.splice(0, Number(rank));
    model.inputShape(name, dims.map((d) => (/^\d/.test(d) ? Number(d) : d))).inputDtype(name, TYPES[type] ?? null);
  }
  model.setOptions({ opset: parseInt(opset, 10), keepBatchNorm: opset.includes(",keep"), float16: opset.includes(",float16") ? "all" : "off" });
  return model.exportBytes();
}

readFileSync(0, "utf8").trimEnd().split("\n").forEach((line, n) => {
  const [name, ...words] = line.split(" "), model = library.model();
  try {
    writeFileSync(join(folder, n + ".onnx"), convert(model, words));
    console.log(name + " 0 0");
  } catch (error) {
    if (!STATUS.includes(error.status)) {
      throw error;
    }
    console.log(`${name} -${STATUS.indexOf(error.status)} ${error.message}`);
  }
  model.close();
});
