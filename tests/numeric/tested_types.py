# SPDX-License-Identifier: Apache-2.0
"""With which element types each operator is tested: what the recorded cases feed it. The list is empty where no case feeds it alone.

    python tests/numeric/tested_types.py      writes tests/data/recorded/types.json, which the support table shows
"""
import json
import os

import numpy as np

import cases
import recorded

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "recorded", "types.json")
ORDER = ["float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool"]


def collect():
    """{operator as MXNet saves it: [types of its first input, or of its output where it has none]}."""
    found = {}
    for group in cases.groups():
        reader = recorded.Reader(recorded.path("ops", group))
        for c in cases.load(group):
            if c.error or c.name not in reader.index:
                continue
            entry = reader.index[c.name]
            nodes = json.loads(entry["symbol"])["nodes"]
            for node in nodes:
                if node["op"] == "null":
                    continue
                types = found.setdefault(node["op"], set())
                first = nodes[node["inputs"][0][0]] if node["inputs"] else None
                if first is None and len([n for n in nodes if n["op"] != "null"]) == 1:
                    name = reader.get(entry["runs"][0][0]).dtype.name
                elif first is not None and first["op"] == "null" and first["name"] in c.inputs:
                    name = np.dtype(c.inputs[first["name"]].dtype).name
                else:
                    continue
                types.add(name)
    return {op: sorted(types, key=ORDER.index) for op, types in sorted(found.items())}


if __name__ == "__main__":
    with open(FILE, "w") as out:
        json.dump(collect(), out, indent=0)
        out.write("\n")
