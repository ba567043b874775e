#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the library's graphs with those of torch's exporter, for the same nets at the same sizes: the nodes left when ONNX Runtime
has optimised them, and the time of an inference.

    python3 tests/bench/inference.py --oracle build/oracle/bin/python [NET...]     half an hour, 12 GB of disk

makes an environment of inference-requirements.txt in build/inference, where it goes on. MXNet 1.9.1 with GluonCV and GluonNLP
(tests/oracle/setup.sh) builds the nets of tests/zoo. Of torch's files (two exporters, two kinds of attention) the fastest counts.
A time is processor time of one thread, and a ratio the median of those of turns, in which files run one after the other in a
new order; each round of turns makes the sessions anew. inference.json keeps what was found, README.md gets the table.
"""
import argparse
import collections
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "support"))

import documents  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
RESULTS, README = os.path.join(HERE, "inference.json"), os.path.join(HERE, "README.md")
BEGIN, END = "<!-- made by inference.py -->", "<!-- end -->"
OURS, REQUIREMENTS = "mx2onnx", os.path.join(HERE, "inference-requirements.txt")


def environment(folder):
    """Its Python, where all that is needed is."""
    python, stamp = os.path.join(folder, "bin", "python"), os.path.join(folder, "requirements.txt")
    if not os.path.exists(stamp) or open(stamp).read() != open(REQUIREMENTS).read():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-cache-dir", "-r", REQUIREMENTS], check=True)
        shutil.copy(REQUIREMENTS, stamp)
    return python


# ---- graphs and sessions

def session(path, optimized=None):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if optimized:
        options.optimized_model_filepath = optimized
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def operators(path):
    import onnx
    return collections.Counter(n.op_type for n in onnx.load(path, load_external_data=False).graph.node)


def optimized(path):
    """The operators that are left at session time."""
    out = path + ".optimized.onnx"
    session(path, out)
    found = operators(out)
    for name in os.listdir(os.path.dirname(path)):
        if name.startswith(os.path.basename(out)):
            os.remove(os.path.join(os.path.dirname(path), name))
    return found


class Runner:
    def __init__(self, path, arrays):
        self.session = session(path)
        types = {"tensor(float)": "float32", "tensor(int64)": "int64", "tensor(int32)": "int32"}
        self.feed = {i.name: arrays[i.name].astype(types[i.type]) for i in self.session.get_inputs()}
        self.session.run(None, self.feed)

    def seconds(self):
        start = time.process_time()
        self.session.run(None, self.feed)
        return time.process_time() - start


def measured(files, arrays, rounds, turns):
    """{name: [seconds of each turn]}; the k-th of all are of one turn."""
    taken = {name: [] for name in files}
    for _ in range(rounds):
        runners = {name: Runner(path, arrays) for name, path in random.sample(sorted(files.items()), len(files))}
        for _ in range(turns):
            for name in random.sample(sorted(files), len(files)):
                taken[name].append(runners[name].seconds())
    return taken


# ---- a net

def ours(net, args, inputs, folder):
    prefix, out = os.path.join(folder, "net"), os.path.join(folder, "ours.onnx")
    dims = ["%s=%s" % (name, "x".join(map(str, shape))) for name, (shape, _) in inputs.items()]
    subprocess.run([args.oracle, os.path.join(HERE, "make_net.py"), net, prefix, *dims], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([args.tool, prefix + "-symbol.json", "-q", "-o", out, *(a for d in dims for a in ("--input", d))], check=True)
    return out


def median_ratio(taken, name):
    return statistics.median(a / b for a, b in zip(taken[OURS], taken[name]))


def fastest(files, arrays, turns):
    """The fastest of torch's files, each measured in turns with the library's file; two sessions at a time."""
    found = {}
    for name in files:
        if name != OURS:
            taken = measured({OURS: files[OURS], name: files[name]}, arrays, 1, turns)
            found[name] = median_ratio(taken, name)
            print("    ratio to %s: %.3f" % (name, found[name]), flush=True)
    return max(found, key=found.get)


def compared(net, args, folder):
    import torch_side
    inputs = torch_side.NETS[net][1]
    files = {OURS: ours(net, args, inputs, folder), **torch_side.exports(net, folder)}
    torch_side.torch.manual_seed(0)
    arrays = {name: draw(shape).numpy() for name, (shape, draw) in inputs.items()}
    best = fastest(files, arrays, args.turns)
    taken = measured({n: files[n] for n in (OURS, best)}, arrays, args.rounds, args.turns)
    written, left = [[count(files[n]) for n in (OURS, best)] for count in (operators, optimized)]
    return {"torch": best, "nodes": [sum(c.values()) for c in written], "optimized": [sum(c.values()) for c in left],
            "milliseconds": [float("%.3g" % (1e3 * statistics.median(taken[n]))) for n in (OURS, best)],
            "ratio": round(median_ratio(taken, best), 3), "least": round(min(taken[OURS]) / min(taken[best]), 3),
            "only": [dict(sorted(c.items())) for c in (left[0] - left[1], left[1] - left[0])]}


# ---- the table

def texts(counts):
    return ", ".join("%d %s" % (n, op) for op, n in sorted(counts.items(), key=lambda i: (-i[1], i[0])))


def lines(results):
    yield "| net | torch's file | nodes | when optimised | time | of the least | only mx2onnx has | only torch's has |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for net, r in sorted(results.items()):
        yield "| %s | %s | %d / %d | %d / %d | %.3f | %.3f | %s | %s |" % (
            net, r["torch"], *r["nodes"], *r["optimized"], r["ratio"], r["least"], *map(texts, r["only"]))


def keep(net, found):
    results = dict(documents.load(RESULTS), **{net: found})
    documents.save(RESULTS, results)
    documents.write(README, documents.with_table(README, BEGIN, END, lines(results)))


def check():
    text = documents.with_table(README, BEGIN, END, lines(documents.load(RESULTS)))
    return 0 if documents.is_text(README, text, "run inference.py") else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="*", help="default: all")
    parser.add_argument("--oracle", help="the Python that has MXNet")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=4, help="new sessions")
    parser.add_argument("--turns", type=int, default=15, help="runs of each session")
    parser.add_argument("--check", action="store_true", help="is README's table that of inference.json?")
    args = parser.parse_args()
    if args.check:
        return check()
    python = environment(os.path.join(args.build, "inference"))
    if sys.prefix != os.path.join(os.path.realpath(args.build), "inference"):
        os.execv(python, [python, *sys.argv])
    import torch_side
    args.tool = os.path.join(args.build, "examples", "mx2onnx")
    for net in args.net or torch_side.NETS:
        with tempfile.TemporaryDirectory() as folder:
            found = compared(net, args, folder)
        print(net, found, flush=True)
        keep(net, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
