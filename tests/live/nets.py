#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts the nets of tests/oracle/nets.py at their usual sizes and compares them with MXNet 1.9.1 running beside.

    python tests/live/nets.py --oracle build/oracle/bin/python                  all nets
    python tests/live/nets.py --oracle build/oracle/bin/python lenet resnet50_v2

Each net is made with MXNet, saved, and converted through the C API, the Python package and the command line, at
opsets 12, 13, 17, 21, 26 and 28, with batch 1, batch 3 and a dynamic batch (run at 1 and 3; opset 28 is checked only).
The three ways must write the same file. One line per net is printed; results.json and results.txt hold every run. The
exit status is 0 if all agree: full check passed, max|difference| <= 1e-4 max|reference|.
"""
import argparse
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "numeric"))

import numpy as np  # noqa: E402

import compare  # noqa: E402
import convert  # noqa: E402

NETS = """alexnet vgg16_bn resnet18_v1 resnet50_v2 resnext50_32x4d se_resnext50_32x4d resnest50 densenet121 inceptionv3
googlenet squeezenet1.1 mobilenet1.0 mobilenetv2_1.0 mobilenetv3_large xception darknet53 cifar_resnet20_v1 arcface lenet
mlp""".split()
OPSETS = (12, 13, 17, 21, 26, 28)
ROUTES = ("capi", "python", "cli")
BOUND = 1e-4


def relative(got, want):
    worst = 0.0
    for g, w in zip(got, want):
        if g.shape != w.shape or g.dtype != w.dtype:
            raise AssertionError("%s %s instead of %s %s" % (g.dtype, g.shape, w.dtype, w.shape))
        most, scale = compare.difference(g, w)
        worst = max(worst, most / scale)
    return worst


def convert_all(routes, folder, batch, opset, data):
    """Every way writes the file; the first one's path. The others must equal it."""
    first = None
    for name, route in routes.items():
        out = os.path.join(folder, name, "net.onnx")
        os.makedirs(os.path.dirname(out), exist_ok=True)
        route(os.path.join(folder, "net-symbol.json"), os.path.join(folder, "net-0000.params"),
              {"data": ((batch or 1,) + data.shape[1:], "float32")}, {} if batch else {"data": {0: "batch"}}, opset, out)
        if first is None:
            first = out
        else:
            assert filecmp.cmp(first, out, shallow=False), "%s wrote another file than %s" % (name, ROUTES[0])
            os.unlink(out)
    return first


def try_net(routes, folder, threads):
    """One row per (opset, batch, run)."""
    stored = dict(np.load(os.path.join(folder, "outputs.npz")))
    want = {b: [stored[k] for k in sorted(stored) if k.startswith("batch%d_" % b)] for b in (1, 3)}
    exact = [stored[k] for k in sorted(stored) if k.startswith("exact1_")]
    noise = relative([w.astype(np.float64) for w in want[1]], exact)
    rows = []
    for opset in OPSETS:
        for batch in (1, 3, None):
            row = {"opset": opset, "batch": batch or "dynamic", "noise": noise}
            try:
                out = convert_all(routes, folder, batch, opset, stored["data1"])
                row["nodes"] = len(compare.check(out, opset).graph.node)
                row["checked"] = True
                if opset != 28:
                    s = compare.session(out, threads)
                    row["relative"] = {}
                    for b in [batch] if batch else [1, 3]:
                        got = compare.run(s, {"data": stored["data%d" % b]}, {"batch": b})
                        row["relative"][str(b)] = relative(got, want[b])
                row["passed"] = all(r <= BOUND for r in row.get("relative", {}).values())
            except Exception as e:  # one failed conversion is a result; the others are still of interest
                row.update(passed=False, error="%s: %s" % (type(e).__name__, str(e)[:500]))
            rows.append(row)
    return rows


def line(name, rows, seconds):
    passed = sum(r["passed"] for r in rows)
    worst = max([v for r in rows for v in r.get("relative", {}).values()] or [float("nan")])
    runs = sum(len(r.get("relative", {})) for r in rows)
    text = "%-20s %2d of %2d conversions passed, %2d runs, worst relative difference %.1e (float32 noise %.1e), %s nodes, %.0f s" % (
        name, passed, len(rows), runs, worst, rows[0]["noise"], rows[0].get("nodes", "?"), seconds)
    errors = sorted({r["error"] for r in rows if "error" in r})
    return "\n    ".join([text] + errors[:3])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="*", help="default: all")
    parser.add_argument("--oracle", required=True, help="the Python of the oracle environment (tests/oracle/setup.sh)")
    parser.add_argument("--library", help="libmx2onnx.so (default: MX2ONNX_LIBRARY, else build/)")
    parser.add_argument("--tool", help="the command line mx2onnx (default: MX2ONNX_TOOL, else build/examples/)")
    parser.add_argument("--routes", default=",".join(ROUTES), help="of capi, python, cli (default: all)")
    parser.add_argument("--results", default=".", help="folder for results.json and results.txt (default: this one)")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    routes = {n: convert.route(n, args.library, args.tool) for n in args.routes.split(",")}
    results, lines = {}, []
    for name in args.net or NETS:
        folder = tempfile.mkdtemp()
        start = time.time()
        try:
            p = subprocess.run([args.oracle, os.path.join(HERE, "make_net.py"), name, folder], stderr=subprocess.PIPE,
                               text=True)
            if p.returncode:
                sys.exit(p.stderr)
            results[name] = try_net(routes, folder, args.threads)
        finally:
            shutil.rmtree(folder)
        lines.append(line(name, results[name], time.time() - start))
        print(lines[-1], flush=True)
        os.makedirs(args.results, exist_ok=True)
        with open(os.path.join(args.results, "results.json"), "w") as f:
            json.dump(results, f, indent=1)
        with open(os.path.join(args.results, "results.txt"), "w") as f:
            f.write("\n".join(lines) + "\n")
    return 0 if all(r["passed"] for rows in results.values() for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
