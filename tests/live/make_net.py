#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The MXNet side of nets.py: makes one net at its usual input size, saves it as MXNet saves it, runs it.

    python tests/live/make_net.py NET FOLDER      (the Python of the oracle environment)

Writes net-symbol.json, net-0000.params and outputs.npz (batchB_I: output I at batch B; exactB_I: the same in float64
where MXNet can).
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "oracle"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", help="a name in tests/oracle/nets.py")
    parser.add_argument("folder")
    args = parser.parse_args()

    import mxnet as mx
    import numpy as np

    import nets
    net = nets.Net(args.net, usual=True)
    os.makedirs(args.folder, exist_ok=True)
    net.symbol.save(os.path.join(args.folder, "net-symbol.json"))
    mx.nd.save(os.path.join(args.folder, "net-0000.params"), {n: mx.nd.array(a) for n, a in net.arrays().items()})
    found = {}
    for batch in (1, 3):
        for i, o in enumerate(net.run(batch)):
            found["batch%d_%d" % (batch, i)] = o
    for i, o in enumerate(net.exact(1)):
        found["exact1_%d" % i] = o
    for batch in (1, 3):
        found["data%d" % batch] = net.data(batch)
    np.savez(os.path.join(args.folder, "outputs.npz"), **found)


if __name__ == "__main__":
    sys.exit(main())
