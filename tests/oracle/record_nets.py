#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet 1.9.1 computes for whole nets (tests/oracle/nets.py) at batch 1 and 3.

Run it with the Python of the oracle environment (see README.md here):

    python tests/oracle/record_nets.py                 all nets
    python tests/oracle/record_nets.py resnet50_v2     some

Writes tests/data/recorded/nets/NET.zip: the symbol, the shapes of the parameters, one number per BatchNorm, the
outputs. Weights come from a rule (tests/numeric/weights.py). The line printed for each net holds the scale of its
output and how far MXNet's float32 is from the same net in float64: the noise below which no implementation agrees (0: the net
does not run in float64).
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, os.pardir, "numeric"))
os.environ.setdefault("OMP_NUM_THREADS", "1")  # sums in one order on every machine


def record(name):
    import numpy as np

    import nets
    import recorded
    net = nets.Net(name)
    writer = recorded.Writer()
    outputs = {batch: net.run(batch) for batch in (1, 3)}
    exact = net.exact(3)
    noise = max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(outputs[3], exact))
    spread = max(float(np.abs(o[0] - o[1]).max()) for o in outputs[3])
    index = {"symbol": net.text, "params": {n: list(s) for n, s in net.shapes.items()}, "aux": net.aux,
             "scales": net.scales, "dims": list(net.dims), "range": list(net.range), "noise": float("%.2g" % noise),
             "runs": {str(batch): [writer.put(o) for o in out] for batch, out in outputs.items()}}
    file = recorded.path("nets", name)
    writer.save(file, index)
    print("%-20s %3d outputs %s, max %.3g, std %.3g, images differ by %.3g, float32 noise %.1e, %d bytes" % (
        name, len(exact), outputs[3][0].shape, np.abs(exact[0]).max(), exact[0].std(), spread, noise,
        os.path.getsize(file)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="*", help="names in tests/oracle/nets.py (default: all)")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return record(args.net[0])
    if not args.net:
        import nets
        args.net = list(nets.NETS)
    failed = []
    for name in args.net:  # a process for each: Gluon counts its names through the life of a process
        p = subprocess.run([sys.executable, os.path.abspath(__file__), "--worker", name], stderr=subprocess.PIPE, text=True)
        if p.returncode:
            print(p.stderr)
            failed.append(name)
    if failed:
        print("not recorded: " + ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
