#!/usr/bin/env python3
"""Benchmarks of the command line, as ratios of whole processes taken in one interleaved run.

    python3 tests/bench/bench.py                                 # against cp
    python3 tests/bench/bench.py --exporter-python PYTHON        # and against MXNet's own exporter

PYTHON is an interpreter that has mxnet==1.9.1 and onnx (tests/oracle/README.md says how to make one). Nothing here is a
test: a slow machine fails nothing. The figures are medians; memory is the peak resident size that the kernel accounts
to the process, file mappings included.
"""
import argparse
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

EXPORT_BY_MXNET = """
import sys, numpy as np, mxnet as mx
mx.onnx.export_model(sys.argv[1], sys.argv[2], [(1, 3, 224, 224)], [np.float32], sys.argv[3])
"""

MAKE_RESNET50 = """
import sys, mxnet as mx
from mxnet.gluon.model_zoo import vision
net = vision.resnet50_v1()
net.initialize(mx.init.Xavier())
net.hybridize()
net(mx.nd.zeros((1, 3, 224, 224)))
net.export(sys.argv[1])
"""


def run(command):
    """Seconds and peak kilobytes of one finished process."""
    begin = time.perf_counter()
    with open(os.devnull, "w") as null:
        child = subprocess.Popen(command, stdout=null, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("failed: " + " ".join(command))
    return time.perf_counter() - begin, usage.ru_maxrss


def fresh(targets):
    """No run pays for an earlier one: old targets are gone, and nothing waits to be written to the disk."""
    for target in targets:
        if os.path.exists(target):
            os.unlink(target)
    os.sync()


def interleaved(commands, runs):
    """Each command (its words, the files that it makes) in turn, `runs` times after one warm-up; by name the median of
    seconds, the peak memory, and the median of the ratios to the last command, pair by pair."""
    taken = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, (command, targets) in commands.items():
            fresh(targets)
            figures = run(command)
            if turn > 0:
                taken[name].append(figures)
    last = list(commands)[-1]
    figures = {}
    for name, results in taken.items():
        seconds = [s for s, _ in results]
        base = [s for s, _ in taken[last]]
        figures[name] = {
            "seconds": round(statistics.median(seconds), 4),
            "ratio": round(statistics.median(a / b for a, b in zip(seconds, base)), 4),
            "peak_kib": max(k for _, k in results),
        }
    return figures


def write_mlp(folder, layers, width):
    """A chain of fully connected layers, `layers` * width * width * 4 bytes, as MXNet would have saved it."""
    nodes = [{"op": "null", "name": "data", "inputs": []}]
    head = 0
    names = []
    for i in range(layers):
        names.append("fc%d_weight" % i)
        nodes.append({"op": "null", "name": names[-1], "inputs": []})
        nodes.append({"op": "FullyConnected", "name": "fc%d" % i, "inputs": [[head, 0, 0], [len(nodes) - 1, 0, 0]],
                      "attrs": {"num_hidden": str(width), "no_bias": "True"}})
        head = len(nodes) - 1
    symbol = {"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"],
              "heads": [[head, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    symbol_path, params_path = os.path.join(folder, "mlp-symbol.json"), os.path.join(folder, "mlp-0000.params")
    with open(symbol_path, "w") as f:
        json.dump(symbol, f)
    block = os.urandom(1 << 20)
    with open(params_path, "wb") as f:
        f.write(struct.pack("<QQQ", 0x112, 0, layers))
        for _ in range(layers):
            f.write(struct.pack("<IiiqqiIi", 0xF993FAC9, 0, 2, width, width, 1, 0, 0))
            for _ in range(width * width * 4 // len(block)):
                f.write(block)
        f.write(struct.pack("<Q", layers))
        for name in names:
            text = ("arg:" + name).encode()
            f.write(struct.pack("<Q", len(text)) + text)
    return symbol_path, params_path


def show(title, figures):
    print(title)
    for name, f in figures.items():
        print("  %-24s %9.3f s   ratio %7.3f   peak %8.1f MiB" % (name, f["seconds"], f["ratio"], f["peak_kib"] / 1024))
    sys.stdout.flush()


def against_cp(cli, folder, layers, runs):
    symbol, params = write_mlp(folder, layers, 4096)
    out = os.path.join(folder, "out")
    base = [cli, symbol, params, "-q", "--input", "data=1x4096", "-o"]
    return interleaved({
        "mx2onnx": (base + [out + ".onnx"], [out + ".onnx"]),
        "mx2onnx, external data": (base + [out + "-ext.onnx", "--external", "always"],
                                   [out + "-ext.onnx", out + "-ext.onnx.data"]),
        "cp params": (["cp", params, out + ".copy"], [out + ".copy"]),
    }, runs)


def against_exporter(cli, folder, python, runs):
    prefix = os.path.join(folder, "resnet50")
    subprocess.run([python, "-c", MAKE_RESNET50, prefix], check=True, stdout=subprocess.DEVNULL)
    symbol, params = prefix + "-symbol.json", prefix + "-0000.params"
    return interleaved({
        "MXNet's exporter": ([python, "-c", EXPORT_BY_MXNET, symbol, params, prefix + "-old.onnx"],
                             [prefix + "-old.onnx"]),
        "mx2onnx": ([cli, symbol, params, "-q", "--input", "data=1x3x224x224", "-o", prefix + ".onnx"],
                    [prefix + ".onnx"]),
    }, runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default=os.path.join(ROOT, "build", "examples", "mx2onnx"), help="the command to time")
    parser.add_argument("--exporter-python", help="a Python with mxnet 1.9.1 and onnx")
    parser.add_argument("--layers", type=int, default=16, help="of 64 MiB each; 16 make 1 GiB (default)")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", help="write the figures to this file too")
    parser.add_argument("--folder", help="where the files go (default: a temporary folder)")
    args = parser.parse_args()
    if not os.path.exists(args.cli):
        sys.exit("%s: not there; build the project first (README.md)" % args.cli)
    folder = tempfile.mkdtemp(prefix="mx2onnx-bench-", dir=args.folder)
    results = {}
    try:
        title = "%.2f GiB of parameters, file to file, warm cache" % (args.layers / 16)
        results[title] = against_cp(args.cli, folder, args.layers, args.runs)
        show(title, results[title])
        if args.exporter_python:
            title = "ResNet-50, whole process"
            results[title] = against_exporter(args.cli, folder, args.exporter_python, args.runs)
            show(title, results[title])
    finally:
        shutil.rmtree(folder)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(results, f, indent=2)


if __name__ == "__main__":
    main()
