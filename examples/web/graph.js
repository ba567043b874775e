// SPDX-License-Identifier: Apache-2.0
// An MXNet graph as { nodes: [{ name, op, inputs: [name], attributes: [[key, value]], outputs: [[type, dims]] }], inputs, params,
// outputs }: from the text that the library gives of a model, or from the symbol where that has no shapes.

const TYPE = /^(?: :|,) (\w+) (?=[(?])/;

/** Where the parenthesis at 0 ends; 1 for another character. */
function closing(text) {
  let depth = 0, at = 0;
  do {
    depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
    at++;
  } while (depth > 0 && at < text.length);
  return at;
}

/** "float32 (1, floor((h + 1)/2)), int64 ()" after the first " : " that leads to nothing else. */
function values(text) {
  for (let at = text.indexOf(" : "); at >= 0; at = text.indexOf(" : ", at + 1)) {
    const found = [];
    let rest = text.slice(at);
    for (let match; (match = TYPE.exec(rest));) {
      const shape = rest.slice(match[0].length), end = closing(shape);
      found.push([match[1], shape.slice(0, end)]);
      rest = shape.slice(end);
    }
    if (found.length && rest.trim() === "") {
      return { head: text.slice(0, at), found };
    }
  }
  return { head: text, found: [] };
}

/** Names with commas between them; a name may hold commas, so what is known counts. */
function names(text, known) {
  const found = [];
  let held = "";
  for (const part of text === "" ? [] : text.split(", ")) {
    held = held ? held + ", " + part : part;
    const bare = held.replace(/\[\d+\]$/, "");
    if (known.has(held) || known.has(bare)) {
      found.push(known.has(held) ? held : bare);
      held = "";
    }
  }
  return held ? [...found, held] : found;
}

function attributes(text) {
  return text ? text.split(/, (?=[A-Za-z_]\w*=)/).map((pair) => {
    const equals = pair.indexOf("=");
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  }) : [];
}

function node(head, known) {
  const match = /^(.*?) = ([^\s(]+)\((.*)$/s.exec(head);
  if (!match) {
    return null;
  }
  const [, name, op, rest] = match, brace = rest.endsWith("}") ? rest.indexOf(") {") : -1;
  const inside = brace >= 0 ? rest.slice(0, brace) : rest.replace(/\)$/, "");
  return { name, op, inputs: names(inside, known), attributes: attributes(brace >= 0 ? rest.slice(brace + 3, -1) : "") };
}

/** MXNet's graph from Model.symbolText(). */
export function fromSymbolText(text) {
  const graph = { nodes: [], inputs: [], params: [], outputs: [] }, known = new Set();
  for (const line of text.split("\n")) {
    const { head, found } = values(line), variable = /^(input|param) (.*)$/s.exec(head);
    if (line.startsWith("output ")) {
      graph.outputs.push(line.slice(7).replace(/\[\d+\]$/, ""));
    } else if (variable) {
      known.add(variable[2]);
      graph[variable[1] + "s"].push({ name: variable[2], outputs: found });
    } else {
      const made = node(head, known);
      if (made) {
        known.add(made.name);
        graph.nodes.push({ ...made, outputs: found });
      }
    }
  }
  return graph;
}

/** The same from the text of a symbol file, without shapes. */
export function fromSymbolJson(text) {
  const { nodes, heads } = JSON.parse(text), graph = { nodes: [], inputs: [], params: [], outputs: heads.map(([k]) => nodes[k].name) };
  for (const { name, op, inputs, attrs, attr, param } of nodes) {
    if (op === "null") {
      graph.params.push({ name, outputs: [] });
    } else {
      graph.nodes.push({ name, op, inputs: inputs.map(([k]) => nodes[k].name), attributes: Object.entries(attrs ?? attr ?? param ?? {}), outputs: [] });
    }
  }
  return graph;
}

/** What the worker found: { text } or, where inference failed, { json }; `inputs` are names of inputs that the library knows. */
export function mxnetGraph({ text, json, inputs = [] }) {
  try {
    const graph = text ? fromSymbolText(text) : json ? fromSymbolJson(json) : null;
    if (graph && json && !text) {
      graph.inputs = graph.params.filter(({ name }) => inputs.includes(name));
      graph.params = graph.params.filter(({ name }) => !inputs.includes(name));
    }
    return graph;
  } catch {
    return null; // a symbol of a form that the library knows and this does not
  }
}
