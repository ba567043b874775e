#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The MXNet side of differential.py: what MXNet computes for each case of NAMES goes to OUT (side.py).

    python tests/live/mxnet_side.py NAMES OUT      (the Python of the oracle environment)
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "oracle"))
sys.path.insert(0, HERE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names")
    parser.add_argument("out")
    args = parser.parse_args()

    import generators
    import record
    import mxnet as mx
    import side

    def answer(op, seed, index):
        try:
            return record.record_case(mx, generators.make(op, seed, index))
        except Exception as e:
            raise ValueError(record.short(str(e))) from e

    side.serve(args.names, args.out, answer)


if __name__ == "__main__":
    sys.exit(main())
