#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ONNX side of differential.py: converts each case of NAMES, runs it and compares it with MXNet's results.

    python tests/live/onnx_side.py LIBRARY RESULTS NAMES OUT      (RESULTS: a pickle {(operator, seed, index): result})
"""
import argparse
import functools
import os
import pickle
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "numeric"))
sys.path.insert(0, HERE)

import numpy as np  # noqa: E402

import compare  # noqa: E402
import convert  # noqa: E402
import generators  # noqa: E402
import ndarray_list  # noqa: E402
import side  # noqa: E402

# ONNX Runtime has float32 kernels alone for many operators, and attributes are float32: there float64 is that exact
compare.TOLERANCE["float64"] = 1e-6
REFUSALS = (-6, -7)  # UNSUPPORTED; SHAPE: a size of 0, a dim that must be fixed


def export(converter, c, symbol, folder, dynamic):
    files = [os.path.join(folder, f) for f in ("case-symbol.json", "case.params", "case.onnx")]
    with open(files[0], "w") as f:
        f.write(symbol)
    arrays = c.arrays()
    stored = {("aux:" if c.inputs[n].role == "aux" else "arg:") + n: a for n, a in arrays.items()
              if c.inputs[n].role != "data"}
    if stored:
        ndarray_list.save(files[1], stored)
    signature = {n: (a.shape, np.dtype(a.dtype).name) for n, a in c.inputs.items() if a.role == "data"}
    converter(files[0], files[1] if stored else None, signature, c.dynamic if dynamic else {}, c.opsets[0], files[2])
    compare.check(files[2], c.opsets[0])
    s = compare.session(files[2])
    compare.check_signature(s, signature, c.dynamic if dynamic else {})
    return s


def try_case(converter, c, result):
    """What went wrong: [(kind, text)] with kind "refused" or "mismatch"."""
    found, agree = [], getattr(c, "agree", functools.partial(compare.agree, ties=c.ties))
    for dynamic in [False, True] if c.dynamic else [False]:
        way = "dynamic" if dynamic else "fixed"
        try:
            with tempfile.TemporaryDirectory() as folder:
                s = export(converter, c, result["symbol"], folder, dynamic)
            for run, sizes in enumerate(c.runs() if dynamic else c.runs()[:1]):
                agree(compare.run(s, c.arrays(run), sizes), result["runs"][run], c.rtol, c.atol)
        except convert.ConversionError as e:
            found.append(("refused" if e.status in REFUSALS else "mismatch", "%s: %s" % (way, e)))
        except Exception as e:  # a mismatch is counted and the run goes on
            found.append(("mismatch", "%s: %s: %s" % (way, type(e).__name__, e)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("library", "results", "names", "out"):
        parser.add_argument(name)
    args = parser.parse_args()
    converter = convert.route("capi", args.library or None)
    with open(args.results, "rb") as f:
        results = pickle.load(f)
    side.serve(args.names, args.out, lambda *name: try_case(converter, generators.make(*name), results[name]))


if __name__ == "__main__":
    sys.exit(main())
