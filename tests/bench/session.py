# SPDX-License-Identifier: Apache-2.0
"""From files to a loaded ONNX Runtime session, with an ordinary ONNX file and with the weights where they are.

    python3 session.py MX2ONNX SYMBOL PARAMS SHAPE RUNS FOLDER      a Python with onnxruntime; prints JSON

Each turn is a separate process, measured once its imports are done: the conversion, as a process, and the session. Files are in the
page cache. Ratios are medians of those of the turns.
"""
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time

WAYS = {"ordinary": (), "place": ("--external", "in-place"), "place_nodes": ("--external", "in-place", "--keep-batch-norm")}


def cpu():
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def turn(tool, symbol, params, shape, out, *options):
    import onnxruntime
    chosen = onnxruntime.SessionOptions()
    chosen.intra_op_num_threads = 1
    before = time.perf_counter(), cpu()
    subprocess.run([tool, symbol, params, "-q", "--input", "data=" + shape, "-o", out, *options], check=True)
    middle = time.perf_counter()
    onnxruntime.InferenceSession(out, chosen, providers=["CPUExecutionProvider"])
    print(time.perf_counter() - before[0], cpu() - before[1], middle - before[0])


def main(tool, symbol, params, shape, runs, folder):
    taken = {way: [] for way in WAYS}
    for i in range(int(runs) + 1):
        for way in random.sample(list(WAYS), len(WAYS)):
            out = os.path.join(folder, way + ".onnx")
            done = subprocess.run([sys.executable, __file__, "--turn", tool, symbol, params, shape, out, *WAYS[way]],
                                  check=True, stdout=subprocess.PIPE, text=True)
            if i > 0:
                taken[way].append(tuple(map(float, done.stdout.split())))
    found = {}
    for way, list_ in taken.items():
        found[way] = {k: round(statistics.median(t[n] for t in list_), 4) for n, k in enumerate(("seconds", "cpu", "convert_seconds"))}
        for n, k in enumerate(("ratio", "cpu_ratio")):
            found[way][k] = round(statistics.median(a[n] / b[n] for a, b in zip(list_, taken["ordinary"])), 3)
        found[way]["runs"] = len(list_)
    print(json.dumps(found))


if __name__ == "__main__":
    turn(*sys.argv[2:]) if sys.argv[1] == "--turn" else main(*sys.argv[1:])
