# SPDX-License-Identifier: Apache-2.0
"""What the cases of differential.py reach of each operator: opsets, dynamic dims, element types, sizes of 0 and 1."""
import collections
import json
import os
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
OPSETS = (11, 13, 17, 21, 26)  # those of every recorded case

ALONE = {  # operators that no oracle runs: tests/numeric compares them with its own computation, or in another way
    "MXNet has them on GPUs only": "CuDNNBatchNorm _contrib_count_sketch _contrib_fft _contrib_ifft",
    "MXNet calls them without a graph only": "_onehot_encode fill_element_0index _copyto _CrossDeviceCopy "
                                          "_random_binomial_like",
    "MXNet leaves the result unset, or draws it": "_image_random_color_jitter _image_random_flip_left_right "
                                                  "_image_random_flip_top_bottom",
    "made by a pass of oneDNN, of nodes that have cases": "_sg_mkldnn_conv _sg_mkldnn_fully_connected _sg_onednn_batch_dot "
                                                          "_sg_onednn_selfatt_qk _sg_onednn_selfatt_valatt",
    "of a plug-in": "WarpCTC",
}


def operators(symbol):
    """The operators' names in a symbol file and its subgraphs."""
    found = set()
    for node in symbol["nodes"]:
        found.add(node["op"])
        for graph in node.get("subgraphs", ()):
            found |= operators(graph)
    return found - {"null"}


def reached(c, symbol):
    """The operators of a case, and what it shows of them."""
    given = [a for a in c.inputs.values() if a.role == "data"]
    here = {d for a in given for d in a.shape}
    later = set(c.other_sizes().values())
    marks = [str(c.opsets[0])] + ["dynamic"] * bool(c.dynamic) + ["open"] * bool(c.dynamic and c.open)
    marks += ["0 at export"] * (0 in here) + ["0 at run"] * (0 in later) + ["1"] * (1 in here | later)
    return [sorted(operators(json.loads(symbol))), marks + sorted({str(a.dtype) for a in c.inputs.values()})]


def known():
    """{name in files: name in the table} of all operators."""
    tool = os.environ.get("MX2ONNX_TOOL") or os.path.join(ROOT, "build", "examples", "mx2onnx")
    rows = json.loads(subprocess.run([tool, "ops", "--json"], check=True, capture_output=True, text=True).stdout)["operators"]
    return {name: row["name"] for row in rows if row["status"] != "no" for name in [row["name"]] + row["aliases"]}


def gather(found):
    """{operator: how often each mark was part of a case that agreed}."""
    table = known()
    seen = {name: collections.Counter() for name in table.values()}
    for kept in found.values():
        if kept["outcome"] == "agreed":
            ops, marks = kept["reached"]
            for name in {table[op] for op in ops if op in table}:
                seen[name].update(["cases"] + marks)
    return seen


def print_all(found):
    """A line for each operator, then which lack what."""
    seen = gather(found)
    for name, count in sorted(seen.items()):
        print("%s: %s" % (name, ", ".join("%s %d" % x for x in sorted(count.items()))))
    print("%d operators in the table" % len(seen))
    for why, names in ALONE.items():
        print("no oracle, %s: %s" % (why, names))
        for name in names.split():
            seen.pop(name, None)
    lacking = ["cases"] + ["%d" % o for o in OPSETS] + ["dynamic", "0 at run", "0 at export"]
    for mark in lacking:
        missing = sorted(name for name, count in seen.items() if not count[mark] and (mark == "cases" or count["cases"]))
        print("without %s: %d: %s" % (mark, len(missing), ", ".join(missing)))
