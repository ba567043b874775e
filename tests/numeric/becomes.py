# SPDX-License-Identifier: Apache-2.0
"""Which ONNX operators each operator becomes: what the conversions of the recorded cases write at opset 17, by the metadata of the nodes,
and of the golden cases where nothing is recorded, as of random operators.

    python tests/numeric/becomes.py      writes tests/data/recorded/onnx.json, which 'mx2onnx ops' shows
"""
import glob
import json
import os
import pathlib
import re
import tempfile

import onnx

import cases
import convert
import recorded

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "..", "data", "recorded", "onnx.json")
OPSET = 17
NODE_METADATA = 20  # of mx2onnx_option


class Named(convert.CApi):
    """The C API, with the MXNet operator in each node's metadata."""

    def _convert(self, model, *arguments):
        self.lib.mx2onnx_set_option(model, NODE_METADATA, 1)
        super()._convert(model, *arguments)


def nodes(graph):
    """(MXNet operator, ONNX operator) of each node, and of the graphs in its attributes."""
    for node in graph.node:
        data = {p.key: p.value for p in node.metadata_props}
        if "mxnet_op" in data:
            yield data["mxnet_op"], node.op_type
        for a in node.attribute:
            for inner in [a.g] * a.HasField("g") + list(a.graphs):
                yield from nodes(inner)


NODE = re.compile(r"^([^#\n]*?) = (?:[\w.]+::)?(\w+)\(", re.M)


def covers(opsets):
    numbers = [int(n) for n in re.findall(r"\d+", opsets)]
    return not numbers or numbers[0] <= OPSET <= numbers[-1]


def golden():
    """{operator: {ONNX operator: cases}} of the golden cases of one operator, and none for nodes whose result is gone."""
    found = {}
    for path in sorted(glob.glob(os.path.join(HERE, "..", "ops", "*", "*.txt"))):
        with open(path, encoding="utf-8") as f:
            cases_of_file = re.split(r"\n\s*\n", f.read())
        for before, after in (c.split("\n---\n", 1) for c in cases_of_file if "\n---\n" in c and "\nsubgraph" not in c):
            results = dict(NODE.findall(before))
            ours = set(results.values())
            for opsets, graph in re.findall(r"^(every opset|opset [\d to,]+)\n(.*?)(?=^opset |\Z)", after, re.M | re.S):
                if len(ours) > 1:
                    for result, op in results.items() if covers(opsets) else ():
                        if not re.search(r"\b%s\b" % re.escape(result), graph):
                            found.setdefault(op, {})
                elif covers(opsets):
                    count = found.setdefault(min(ours), {})
                    count.update({name: count.get(name, 0) + 1 for _, name in NODE.findall(graph)})
    return found


def collect(convert_case, folder, library=None):
    """{operator as MXNet saves it: [ONNX operators, the most frequent first]}."""
    found, converter = {}, Named(convert.library(library))
    for group in cases.groups():
        index = recorded.Reader(recorded.path("ops", group)).index
        for c in cases.load(group):
            if c.error or c.name not in index:
                continue
            out = convert_case(converter, c, OPSET if OPSET >= min(c.opsets) else min(c.opsets), folder, False)
            pairs = set(nodes(onnx.load(out).graph))
            for op in {n["op"] for n in json.loads(index[c.name]["symbol"])["nodes"]} - {"null"}:
                found.setdefault(op, {})
            for op, name in pairs:
                count = found.setdefault(op, {})
                count[name] = count.get(name, 0) + 1
    for op, count in golden().items():
        if not found.get(op):
            found[op] = count
    return {op: sorted(count, key=lambda n: (-count[n], n)) for op, count in sorted(found.items())}


def main():
    import test_ops
    with tempfile.TemporaryDirectory() as folder:
        found = collect(test_ops.convert_case, pathlib.Path(folder))
    with open(FILE, "w", encoding="utf-8") as out:
        json.dump(found, out, indent=0)
        out.write("\n")


if __name__ == "__main__":
    main()
