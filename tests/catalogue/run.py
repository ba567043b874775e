#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published nets from save_parameters files, by the command line, beside the ordinary way over export(), in ONNX Runtime: the same
outputs, bit for bit; and beside what MXNet computed.

    python tests/catalogue/run.py --oracle build/oracle/bin/python --tool build/examples/mx2onnx [NET...] > tests/catalogue/results.txt

By hand, some minutes; needs ONNX Runtime here and MXNet there.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(HERE, os.pardir, "oracle")
EVERY = (1, 2, 5, 23)
BOUND = 1e-4  # max|difference| <= BOUND * max|reference|
ROWS = "rows of detections"  # with random weights scores tie, and the order of rows hangs on the last bits

NETS = [  # name, input, numbers of classes, other sizes, what is not compared with MXNet
    ("mobilenet0.25", "2x3x64x64", EVERY, "", ""),
    ("resnet18_v1", "2x3x64x64", EVERY, "", ""),
    ("resnet18_v2", "2x3x64x64", (5,), "", ""),
    ("cifar_resnet20_v1", "2x3x32x32", EVERY, "", ""),
    ("squeezenet1.1", "2x3x224x224", (1, 23), "", ""),
    ("densenet121", "1x3x224x224", (5,), "", ""),
    ("mobilenetv3_small", "2x3x64x64", (2, 23), "", ""),
    ("shufflenet_v1", "2x3x64x64", (5,), "", ""),
    ("hrnet_w18_small_v1_c", "1x3x64x64", (5,), "", ""),
    ("ssd_300_mobilenet0.25_custom", "1x3x128x128", EVERY, "", ROWS),
    ("yolo3_mobilenet0.25_custom", "1x3x96x96", EVERY, "", ROWS),
    ("center_net_resnet18_v1b_voc", "1x3x64x64", (5,), "", ROWS),
    ("faster_rcnn_resnet50_v1b_custom", "1x3x96x96", (2, 5), "", ROWS),
    ("fcn_resnet50_voc", "1x3x64x64", (1, 5, 23), "crop=64", ""),
    ("psp_resnet50_ade", "1x3x64x64", (5,), "crop=64", ""),
    ("fastscnn_citys", "1x3x64x64", (2, 23), "crop=64", ""),
    ("resnet18_v1b_kinetics400", "3x3x64x64", (1, 5), "segments=3", ""),
    ("simple_pose_resnet18_v1b", "1x3x64x64", (None,), "", ""),
]


class Failed(Exception):
    """What a program said that failed."""


def run(*command):
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        raise Failed(" ".join((p.stdout + p.stderr).split())[-200:])
    return p.stdout


def outputs(path, data):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: data})


def difference(got, want):
    return max(float(np.abs(g.astype(np.float64) - w).max() / max(np.abs(w).max(), 1e-30)) for g, w in zip(got, want))


def check(options, name, size, classes, more, rows, folder):
    given = ([] if classes is None else ["classes=%d" % classes]) + more.split()
    env = os.path.join(ORACLE, "published", "make_net.py")
    run("env", "PYTHONPATH=" + ORACLE, options.oracle, env, folder, name, size, *given)
    x, symbol = os.path.join(folder, "x.params"), os.path.join(folder, "net-symbol.json")
    sizes = [w for part in more.split() for w in ("--" + part.split("=")[0], part.split("=")[1])]
    files = [os.path.join(folder, n) for n in ("alone.onnx", "ordinary.onnx")]
    said = run(options.tool, x, "-o", files[0], "--net", name, "--input", size, *sizes)
    run(options.tool, symbol, "-o", files[1], "--input", size)
    recorded = np.load(os.path.join(folder, "run.npz"))
    alone, ordinary = [outputs(f, recorded["data"]) for f in files]
    same = len(alone) == len(ordinary) and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(alone, ordinary))
    off = difference(alone, [recorded["o%d" % i] for i in range(len(alone))])
    good = same and (bool(rows) or off <= BOUND)
    told = re.search(r"fits +(.*)", said).group(1)
    print("%-4s %-34s %-52s %-6s %s" % ("ok" if good else "BAD", " ".join([name] + given), told, "same" if same else "OTHER",
                                        rows or "%.1e" % off), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("nets", nargs="*")
    options = parser.parse_args()
    good, count = 0, 0
    for name, size, numbers, more, rows in NETS:
        for classes in numbers:
            if options.nets and name not in options.nets:
                continue
            count += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    good += check(options, name, size, classes, more, rows, folder)
                except Failed as e:
                    print("BAD  %s %s: %s" % (name, classes, e), flush=True)
    print("%d of %d agree" % (good, count))
    return good != count


if __name__ == "__main__":
    sys.exit(main())
