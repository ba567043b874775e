#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws random cases once, to be kept as recorded ones (tests/numeric/cases/drawn.py).

    python tests/live/draw.py --oracle build/oracle/bin/python
    build/oracle/bin/python tests/oracle/record.py drawn

The first writes which cases there are: of each generator the first few that MXNet takes. The second records them.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, os.pardir, "numeric"))

import cases.drawn  # noqa: E402
import differential  # noqa: E402
import generators  # noqa: E402
import recorded  # noqa: E402

SEED = 20
FLOAT64 = 1e-6  # as onnx_side.py
LARGE = 4096  # bytes of all outputs, above which a case is not worth its place


def kept(args):
    """(name, declaration) of the cases that are kept."""
    block = [(op, SEED, i) for op in sorted(generators.GENERATORS) for i in range(2 * args.each)]
    made = [generators.make(*name) for name in block]
    made = [None if c is None or hasattr(c, "agree") else c for c in made]  # no value of a random operator can be kept
    results = differential.mxnet_results(args.oracle, block, made)
    answers = differential.compared(args.library, block, results)
    count = {}
    for i, (op, _, index) in enumerate(block):
        result, _ = results.get(i, (None, None))
        if result is None or any(kind == "refused" for kind, _ in answers[i]):
            continue
        outputs = [o for run in result["runs"] for o in run]
        if sum(o.nbytes for o in outputs) <= LARGE and count.get(op, 0) < args.each:
            count[op] = count.get(op, 0) + 1
            if made[i].rtol is None and any(o.dtype == "float64" for o in outputs):
                made[i].rtol = FLOAT64
            yield "%s_%d" % (op, index), cases.drawn.declaration(made[i], result["symbol"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True, help="the Python of the oracle environment (tests/oracle/setup.sh)")
    parser.add_argument("--library", help="libmx2onnx.so (default: MX2ONNX_LIBRARY, else build/)")
    parser.add_argument("--each", type=int, default=3, help="cases of a generator")
    args = parser.parse_args()
    index = {name: {"drawn": said} for name, said in kept(args)}
    recorded.Writer().save(cases.drawn.FILE, index)
    print("%d cases; record them: tests/oracle/record.py drawn" % len(index))


if __name__ == "__main__":
    sys.exit(main())
