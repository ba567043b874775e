#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet 1.9.1 computes for whole nets over sequences (RECORDED of tests/zoo/nets/gluonnlp.py), at the size of
each net's declaration and at its three other ones.

Run it with the Python of the oracle environment (see README.md here):

    python tests/oracle/record_sequences.py

Writes tests/data/recorded/sequences/NET.zip: the symbol, the shapes of the parameters, inputs and outputs. Weights come
from a rule (tests/numeric/weights.py).
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [os.path.join(HERE, os.pardir, "zoo"), os.path.join(HERE, os.pardir, "numeric"), HERE]
os.environ.setdefault("OMP_NUM_THREADS", "1")  # sums in one order on every machine

import calibrate  # noqa: E402 first: it sets MXNet up
import nets.gluonnlp  # noqa: E402
import numpy as np  # noqa: E402

import recorded  # noqa: E402
import weights  # noqa: E402


def record(net):
    made = net.make()
    symbol = made[0] if isinstance(made, tuple) else made  # constants are made by the rule, too
    text, writer, runs = symbol.tojson(), recorded.Writer(), []
    shapes, _, _ = symbol.infer_shape(**net.shapes())
    shapes = {n: s for n, s in zip(symbol.list_arguments(), shapes) if n not in net.inputs}
    params = weights.make(text, shapes, {})
    rng = np.random.RandomState(1)
    for sizes in [None] + net.sizes:
        given = net.shapes(sizes)
        inputs = {n: i.array(rng, given[n]) for n, i in net.inputs.items()}
        outputs = [o.asnumpy() for o in calibrate.bind(symbol, dict(params, **inputs)).forward(is_train=False)]
        runs.append({"sizes": sizes, "inputs": {n: writer.put(a) for n, a in inputs.items()},
                     "outputs": [writer.put(o) for o in outputs]})
    file = recorded.path("sequences", net.name)
    writer.save(file, {"symbol": text, "params": {n: list(s) for n, s in shapes.items()}, "runs": runs,
                       "dynamic": {n: [names.get(axis, d) for axis, d in enumerate(net.inputs[n].shape)]
                                   for n, names in net.dynamic.items()}})
    print("%-30s %d outputs %s, max %.3g, std %.3g, %d bytes" % (
        net.name, len(outputs), outputs[0].shape, abs(outputs[0]).max(), outputs[0].std(), os.path.getsize(file)), flush=True)


def main():
    failed = 0
    for net in nets.gluonnlp.RECORDED:  # a process for each: Gluon counts its names through the life of a process
        pid = os.fork()
        if pid == 0:
            record(net)
            os._exit(0)
        failed += os.waitpid(pid, 0)[1] != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
