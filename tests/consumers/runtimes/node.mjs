// SPDX-License-Identifier: Apache-2.0
// Half of node.py: reads what its argument names, a JSON file, and prints the outputs in the same form.
import {readFileSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";

const asked = JSON.parse(readFileSync(process.argv[2], "utf8"));
const ort = createRequire(asked.packages)(asked.package);
const arrays = {
    float32: Float32Array, float64: Float64Array, float16: Uint16Array, bool: Uint8Array, uint8: Uint8Array,
    int8: Int8Array, int32: Int32Array, int64: BigInt64Array,
};

function read({type, dims, file}) {
    const bytes = new Uint8Array(readFileSync(file)); // a copy begins at offset 0, as larger elements ask
    return new ort.Tensor(type, new arrays[type](bytes.buffer), dims);
}

const session = await ort.InferenceSession.create(readFileSync(asked.model), {executionProviders: [asked.provider]});
const inputs = Object.fromEntries(asked.inputs.map(i => [i.name, read(i)]));
const found = await session.run(inputs, asked.outputs.map(o => o.name));
const told = asked.outputs.map(({name, file}) => {
    const {type, dims, data} = found[name];
    writeFileSync(file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return {type, dims, file};
});
writeFileSync(asked.told, JSON.stringify(told));
