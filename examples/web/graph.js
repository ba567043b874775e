// SPDX-License-Identifier: Apache-2.0
// A graph as { nodes: [{ name, op, inputs: [name], attributes: [[key, value]], outputs: [[type, dims]] }], inputs, outputs }, from
// the text that the library gives of an MXNet model.

const VALUE = /^(?: :|,) (\w+) (\((?:[^()]|\([^()]*\))*\)|\?)/;

/** "float32 (1, 3), int64 ()" behind the last " : " that leads to nothing else. */
function values(text) {
  for (let at = text.indexOf(" : "); at >= 0; at = text.indexOf(" : ", at + 1)) {
    const found = [];
    let rest = text.slice(at);
    for (let match; (match = VALUE.exec(rest)); rest = rest.slice(match[0].length)) {
      found.push([match[1], match[2]]);
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
