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


class Side:
    """Converts in one folder; what a case leaves is written over by the next."""

    def __init__(self, library, folder):
        self.converter = convert.route("capi", library)
        self.symbol, self.params, self.out = (os.path.join(folder, f) for f in ("case-symbol.json", "case.params", "case.onnx"))

    def export(self, c, symbol, dynamic):
        """The session of the file that the converter makes of the case."""
        with open(self.symbol, "w") as f:
            f.write(symbol)
        arrays = c.arrays()
        stored = {("aux:" if c.inputs[n].role == "aux" else "arg:") + n: a for n, a in arrays.items()
                  if c.inputs[n].role != "data"}
        if stored:
            ndarray_list.save(self.params, stored)
        signature = {n: (a.shape, np.dtype(a.dtype).name) for n, a in c.inputs.items() if a.role == "data"}
        if os.path.exists(self.out):
            os.unlink(self.out)
        self.converter(self.symbol, self.params if stored else None, signature, dynamic, c.opsets[0], self.out)
        compare.check(self.out, c.opsets[0])
        s = compare.session(self.out)
        if not any(None in dims.values() for dims in dynamic.values()):
            compare.check_signature(s, signature, dynamic)
        return s

    def try_case(self, c, result):
        """What went wrong: [(kind, text)] with kind "refused", "empty" or "mismatch"."""
        found, agree = [], getattr(c, "agree", functools.partial(compare.agree, ties=c.ties))
        c.arrays = functools.lru_cache(maxsize=None)(c.arrays)
        for way, dynamic in ways(c).items():
            try:
                s = self.export(c, result["symbol"], dynamic)
                for run in range(len(c.runs()) if dynamic else 1):
                    arrays, want = c.arrays(run), result["runs"][run]
                    got = compute(s, arrays, want)
                    (same_shapes if c.of_nothing and is_empty(arrays) else agree)(got, want, c.rtol, c.atol)
            except Empty as e:
                found.append(("empty", "%s: %s" % (way, e)))
            except convert.ConversionError as e:
                found.append(("refused" if e.status in REFUSALS else "mismatch", "%s: %s" % (way, e)))
            except Exception as e:  # a mismatch is counted and the run goes on
                found.append(("mismatch", "%s: %s: %s" % (way, type(e).__name__, e)))
            else:
                if dynamic and not c.np_shape:
                    outlive(s, c)
        return found


def ways(c):
    """{what is tried: the dynamic dims that are asked for}."""
    tried = {"fixed": {}}
    if c.dynamic:
        tried["dynamic"] = c.dynamic
        if c.open:
            tried["open"] = {name: dict.fromkeys(dims) for name, dims in c.dynamic.items()}
    return tried


class Empty(Exception):
    """ONNX Runtime has no result at a size of 0."""


def is_empty(arrays):
    return any(a.size == 0 for a in arrays.values())


def compute(s, arrays, want):
    """The outputs, of the shapes that are declared. A size that is scaled to 0 is one, too."""
    try:
        return compare.run(s, arrays, sizes(s, arrays))
    except Exception as e:
        if (is_empty(arrays) or any(w.size == 0 for w in want)) and type(e).__module__.startswith("onnxruntime"):
            raise Empty(e) from e
        raise


def same_shapes(got, want, rtol, atol):
    assert [(g.shape, g.dtype) for g in got] == [(w.shape, w.dtype) for w in want], (got, want)


def sizes(s, arrays):
    """{dim name: size}: names that two inputs share promise that the sizes are equal."""
    known = {}
    for i in s.get_inputs():
        for dim, size in zip(i.shape, arrays[i.name].shape):
            if not isinstance(dim, str):
                continue
            assert known.setdefault(dim, size) == size, "%s of %s is %d, and %d elsewhere" % (dim, i.name, size, known[dim])
    return known


def outlive(s, c):
    """With no row at all there is no result of MXNet's, and an error is one answer; the end of the process is none."""
    arrays = c.arrays()
    none = {}
    for i in s.get_inputs():
        dims, given = c.dynamic.get(i.name, {}), arrays[i.name]
        none[i.name] = np.zeros([c.least.get(dims[axis], 0) if axis in dims else d for axis, d in enumerate(given.shape)],
                                given.dtype)
    try:
        s.run(None, none)
    except Exception:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("library", "results", "names", "out"):
        parser.add_argument(name)
    args = parser.parse_args()
    with open(args.results, "rb") as f:
        results = pickle.load(f)
    here = Side(args.library or None, os.path.dirname(args.names))
    side.serve(args.names, args.out, lambda *name: here.try_case(generators.make(*name), results[name]))


if __name__ == "__main__":
    sys.exit(main())
