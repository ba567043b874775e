// SPDX-License-Identifier: Apache-2.0
// The command line and the Python program that do what the page does.
import { chosen, python } from "./choices.js";

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");
const safePath = (path) => (path.startsWith("-") ? "./" + path : path);

export function commandLine(paths, choices, target) {
  const options = [...chosen(choices).flatMap(([row, ...rest]) => row.cli(...rest)),
    ...(choices.outputs ?? []).flatMap((name) => ["--output", name]), ...(choices.net ? ["--net", choices.net] : [])];
  const words = ["mx2onnx", "convert", ...paths.map(safePath), "-o", safePath(target), ...options];
  return words.map(quoted).join(" ");
}

function loads({ paths, symbol, net }) {
  if (paths.length === 1 && !symbol && !net) {
    return [`load(${python(paths[0])})`];
  }
  const [first, ...rest] = paths;
  const params = (symbol ? rest : paths).map((path) => `load_params(${python(path)})`);
  return symbol ? [`load_symbol(${python(first)})`, ...params] : [...params, `load_net(${net ? python(net) : ""})`];
}

/** `source`: { paths, symbol: whether the first of them is one }. */
export function pythonProgram(source, choices, target) {
  const lines = (when) => chosen(choices, when).flatMap(([row, ...rest]) => row.python(...rest));
  const calls = [...lines((row) => row.early), ...loads({ ...source, net: choices.net }), ...lines((row) => !row.early && !row.late),
    ...(choices.outputs ?? []).map((name) => `add_output(${python(name)})`), ...lines((row) => row.late),
    `export(${python(target)})`];
  return ["import mx2onnx", "", "with mx2onnx.Model() as m:", ...calls.map((call) => "    m." + call)].join("\n") + "\n";
}
