#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The MXNet side of differential.py: runs the cases whose names come on standard input (operator, seed, index a line)
and appends (number of the line, result, refusal) to a file of pickles.

    python tests/live/mxnet_side.py OUT < names      (the Python of the oracle environment)
"""
import argparse
import os
import pickle
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "oracle"))
sys.path.insert(0, HERE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    args = parser.parse_args()

    import generators
    import record
    import mxnet as mx
    with open(args.out, "ab") as f:
        for line in sys.stdin:
            number, name, seed, index = line.split()
            c = generators.make(name, int(seed), int(index))
            try:
                entry = (int(number), record.record_case(mx, c), None)
            except Exception as e:  # MXNet's refusal is a result
                entry = (int(number), None, "%s: %s" % (type(e).__name__, record.short(str(e))))
            pickle.dump(entry, f)
            f.flush()


if __name__ == "__main__":
    sys.exit(main())
