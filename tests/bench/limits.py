#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What 10,000 nodes of each operator cost: processor time and memory a node of ONNX, and whether that is linear.

    build/venv/bin/python tests/bench/limits.py [--only WORD...] [--count 10000] [--cases 3]   an hour; exit 1 if one costs too much

The operators are those of the registry (mx2onnx ops), their attributes and inputs those of the recorded cases (tests/numeric/cases):
of each operator the first case, the one with the most attributes, and one with dynamic dims. A case's nodes are copied; each copy reads
its weights, and its own member of a chain of squares in the place of the first input, so that no two copies are one. Every copy's
outputs are outputs of the model, or nothing would read the copies; what an output costs is measured first, by squares that
are all outputs, or one of them, and taken off.

    memory   1 KiB a node and the bytes written, above that of one copy; a node is one of ONNX, or one of MXNet where those are more,
             in both with the nodes of bodies
    time     that of 10,000 copies is at most 2.5 times that of 5,000, in processor time; what is above is measured again, by turns
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "numeric"), os.path.join(ROOT, "bindings", "python")]

import cases  # noqa: E402
import ndarray_list  # noqa: E402
import onnx  # noqa: E402
import recorded  # noqa: E402

NODE, STEEP, AGAIN = 1024, 2.5, 5


# ---- models

def chained(arrays):
    """The input that the chain takes the place of: the first that can be squared."""
    for name, a in arrays.items():
        if a.role == "data" and str(a.dtype) != "bool":
            return name
    return None


def copies(symbol, count, link):
    """The symbol with `count` copies of all that is not a variable."""
    graph = json.loads(symbol)
    nodes, heads = [n for n in graph["nodes"] if n["op"] == "null"], []
    where = {n["name"]: i for i, n in enumerate(nodes)}
    last = where.get(link)
    for k in range(count):
        number = {}
        if last is not None:
            nodes.append({"op": "elemwise_mul", "name": "square%d" % k, "inputs": [[last, 0, 0], [last, 0, 0]]})
            last = len(nodes) - 1
        for i, n in enumerate(graph["nodes"]):
            if n["op"] == "null":
                number[i] = last if n["name"] == link else where[n["name"]]
                continue
            number[i] = len(nodes)
            nodes.append(dict(n, name="%s_%d" % (n["name"], k), inputs=[[number[e[0]], *e[1:]] for e in n["inputs"]]))
        heads += [[number[h[0]], *h[1:]] for h in graph["heads"]]
    attrs = graph.get("attrs", {})
    return {"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"], "heads": heads, "attrs": attrs}


def shapes(case, dynamic):
    """The options that say the inputs."""
    found = []
    for name, a in case.inputs.items():
        if a.role == "data":
            names = case.dynamic.get(name, {}) if dynamic else {}
            dims = ",".join(str(names.get(axis) or d) for axis, d in enumerate(a.shape))
            dims = dims + ":" + str(a.dtype) if dims else "():" + str(a.dtype)
            found += ["--input", "%s=%s" % (name, dims)]
    return found


def operators_in(graph):
    """With those of bodies."""
    return sum(1 + sum(map(operators_in, n.get("subgraphs", []))) for n in graph["nodes"] if n["op"] != "null")


class Subject:
    """A case to be copied."""

    def __init__(self, folder, case, symbol, dynamic):
        self.folder, self.case, self.symbol, self.dynamic = folder, case, symbol, dynamic
        self.link = chained(case.inputs)
        graph = json.loads(symbol)
        self.own, self.heads = operators_in(graph), len(graph["heads"])
        self.params = os.path.join(folder, "net-0000.params")
        stored = {("aux:" if case.inputs[n].role == "aux" else "arg:") + n: a for n, a in case.arrays().items()
                  if case.inputs[n].role != "data"}
        ndarray_list.save(self.params, stored)

    def command(self, count):
        path = os.path.join(self.folder, "net%d-symbol.json" % count)
        if not os.path.exists(path):
            with open(path, "w") as f:
                json.dump(copies(self.symbol, count, self.link), f, separators=(",", ":"))
        return [ARGS.tool, path, self.params, "-q", "-o", os.path.join(self.folder, "out.onnx"), *shapes(self.case, self.dynamic)]

    def clean(self):
        for name in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, name))


# ---- figures

def run(command):
    """(processor seconds, peak KiB); None if it failed."""
    p = subprocess.run([ARGS.runner, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if p.returncode != 0:
        return None
    return tuple(map(float, p.stdout.split()[1:]))


def graph_nodes(graph):
    """With those of bodies."""
    return len(graph.node) + sum(graph_nodes(a.g) for n in graph.node for a in n.attribute if a.HasField("g"))


def nodes_of(subject, count):
    """Of ONNX; None where the case is not converted."""
    p = subprocess.run(subject.command(count), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return graph_nodes(onnx.load(os.path.join(subject.folder, "out.onnx")).graph) if p.returncode == 0 else None


def cost_of_output(folder, count):
    """Bytes that an output of the model takes in addition to the value itself."""
    peaks = []
    for heads in (1, count):
        nodes = [{"op": "null", "name": "data", "inputs": []}]
        nodes += [{"op": "elemwise_mul", "name": "square%d" % k, "inputs": [[k, 0, 0], [k, 0, 0]]} for k in range(count)]
        path = os.path.join(folder, "outputs-symbol.json")
        with open(path, "w") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0], "heads": [[k, 0, 0] for k in range(count + 1 - heads, count + 1)],
                       "attrs": {"mxnet_version": ["int", 10901]}}, f, separators=(",", ":"))
        peaks.append(run([ARGS.tool, path, "-q", "-o", os.path.join(folder, "out.onnx"), "--input", "data=2,3"])[1])
        os.unlink(path)
    return (peaks[1] - peaks[0]) * 1024 / count


def measure(subject, count, output):
    few, some = nodes_of(subject, 1), nodes_of(subject, 101)
    base, half, whole = (run(subject.command(n)) for n in (1, count // 2, count))
    if few is None or some is None or base is None or half is None or whole is None:
        return None
    made = (some - few) / 100
    nodes = count * max(made, subject.own + (subject.link is not None))
    steep = (whole[0] - base[0]) / max(half[0] - base[0], 1e-3)
    if steep > STEEP:
        turns = [(run(subject.command(count // 2))[0], run(subject.command(count))[0]) for _ in range(AGAIN)]
        steep = (min(b for _, b in turns) - base[0]) / max(min(a for a, _ in turns) - base[0], 1e-3)
    written = os.path.getsize(os.path.join(subject.folder, "out.onnx"))
    memory = (whole[1] - base[1]) * 1024 - count * subject.heads * output
    return {"nodes": made, "us": 1e6 * (whole[0] - base[0]) / nodes, "bytes": memory / nodes, "constants": written / nodes, "steep": steep}


# ---- which cases

def operators():
    """{any name: canonical name} of the registry."""
    listed = json.loads(subprocess.run([ARGS.tool, "ops", "--json"], stdout=subprocess.PIPE, check=True, text=True).stdout)["operators"]
    return {name: o["name"] for o in listed if o["status"] != "no" for name in [o["name"], *o["aliases"]]}


def chosen():
    """[(operator, case, symbol, dynamic)]: of each operator the first case, that with the longest attributes, a dynamic one."""
    known, found = operators(), {}
    for group in cases.groups():
        reader = recorded.Reader(recorded.path("ops", group))
        for c in cases.load(group):
            if c.name not in reader.index or c.error:
                continue
            symbol = reader.index[c.name]["symbol"]
            ops = {known.get(n["op"]) for n in json.loads(symbol)["nodes"] if n["op"] != "null"}
            if len(ops) == 1:
                found.setdefault(ops.pop(), []).append((c, symbol))
    for op in sorted(filter(None, found)):
        plain = [(c, s) for c, s in found[op]]
        picks = [(*plain[0], False), (*max(plain, key=lambda x: len(x[1])), False)]
        picks += [(c, s, True) for c, s in plain if c.dynamic][:1]
        yield from ((op, *p) for i, p in enumerate(picks[:ARGS.cases]) if p not in picks[:i])
    for op in sorted(set(known.values()) - set(found)):
        print("%-40s no recorded case of it alone" % op)


def main():
    failed = []
    print("%-40s %-34s %6s %8s %8s %9s %6s" % ("operator", "case", "nodes", "us", "bytes", "constants", "steep"))
    with tempfile.TemporaryDirectory() as folder:
        output = cost_of_output(folder, ARGS.count)
        print("an output of the model: %.0f bytes" % output)
        for op, case, symbol, dynamic in chosen():
            if ARGS.only and op not in ARGS.only and case.name not in ARGS.only:
                continue
            subject = Subject(folder, case, symbol, dynamic)
            m = measure(subject, ARGS.count, output)
            subject.clean()
            name = case.name + (" dynamic" if dynamic else "")
            if m is None:
                print("%-40s %-34s not converted" % (op, name), flush=True)
                continue
            bad = m["bytes"] > NODE + m["constants"] or m["steep"] > STEEP
            failed += [op] if bad else []
            print("%-40s %-34s %6.1f %8.1f %8.0f %9.0f %6.2f%s"
                  % (op, name, m["nodes"], m["us"], m["bytes"], m["constants"], m["steep"], "  TOO MUCH" if bad else ""), flush=True)
    if failed:
        sys.exit("too much: " + ", ".join(sorted(set(failed))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    build = os.environ.get("MX2ONNX_BUILD", os.path.join(ROOT, "build"))
    parser.add_argument("--tool", default=os.path.join(build, "examples", "mx2onnx"))
    parser.add_argument("--runner", default=os.path.join(build, "tests", "bench", "run"))
    parser.add_argument("--only", nargs="*", default=[], help="names of operators or cases")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--cases", type=int, default=3)
    ARGS = parser.parse_args()
    main()
