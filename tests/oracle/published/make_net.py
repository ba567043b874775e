# SPDX-License-Identifier: Apache-2.0
"""Where MXNet is: a published net with weights of a rule, as save_parameters and as export() write it, and what MXNet computes.

    python make_net.py FOLDER NET INPUT=SIZE,... [classes=N ...]

SIZE is the shape of an input, data=2x3x64x64. FOLDER then holds x.params, run.npz, and of a net of images net-symbol.json and
net-0000.params.
"""
import os
import sys

if sys.argv[2].startswith("elmo"):  # its weights, once they are in oneDNN's layout, take no others
    os.environ["MXNET_MKLDNN_ENABLED"] = "0"

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

from published import nets  # noqa: E402

WORDS = 1000


def values(name, shape, rng):
    if name.endswith(("gamma", "running_var")):
        return rng.uniform(0.7, 1.3, shape)
    if name.endswith(("beta", "running_mean", "bias")):
        return rng.uniform(-0.1, 0.1, shape)
    return rng.normal(size=shape) * np.sqrt(1.0 / np.prod(shape[1:]) if len(shape) > 1 else 0.01)


def draw(net, name, shape, rng):
    """Of sentences: words or letters, how many of them are valid, masks, states."""
    if "GluonNLP" not in net.source or name == "memory" or name[0] in "hcrfbp":  # states are called so
        return rng.uniform(-1, 1, shape)
    if len(shape) == 1:
        return rng.randint(1, 5, shape)
    if name.endswith("mask"):
        return np.arange(shape[1]) < rng.randint(2, shape[1] + 1, (shape[0], 1))
    return rng.randint(0, 200 if len(shape) == 3 else WORDS, shape) if name in ("data", "data0") else rng.randint(0, 2, shape)


def compute(net, block, given):
    """As GluonCV and GluonNLP call it: with arrays, not with symbols."""
    if net.name.startswith("big_rnn"):
        return block(given[0], given[1:])
    if net.name.startswith("elmo"):
        pairs = [given[i:i + 2] for i in range(1, 9, 2)]
        return block(given[0], [pairs[:2], pairs[2:]], given[9])
    if net.name.endswith("step"):
        states = given[1:]
        for word in given[0].T:
            out, states, _ = block.decode_step(word, states)
        return out
    return net.call(block, *given)


def flat(outputs):
    return nets.flatten(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs])


def main():
    folder, name, sizes = sys.argv[1:4]
    chosen = {k: int(v) for k, v in (a.split("=") for a in sys.argv[4:])}
    rng = np.random.RandomState(len(name))
    net, = [n for n in nets.published() if n.name == name and "MXNet" not in n.source]
    block = net.make(**chosen)
    block.initialize(mx.init.Uniform(0.05))
    shapes = {n: [int(d) for d in size.split("x")] for n, size in (s.split("=") for s in sizes.split(","))}
    data = {n: draw(net, n, shape, rng).astype(np.float32) for n, shape in shapes.items()}
    given = [mx.nd.array(data[n]) for n in net.inputs]
    compute(net, block, given)  # now all shapes are known
    if net.name.startswith("transformer"):  # of its other parts, too
        block(given[0], given[0])
    for n, p in block.collect_params().items():
        if not isinstance(p, mx.gluon.Constant):
            p.set_data(mx.nd.array(values(n, p.shape, rng)))
    block.save_parameters(os.path.join(folder, "x.params"))
    if "GluonNLP" not in net.source:
        block.hybridize()
    outputs = flat(compute(net, block, given))
    if "GluonNLP" not in net.source:
        block.export(os.path.join(folder, "net"))
    np.savez(os.path.join(folder, "run.npz"), **{"i:" + n: a for n, a in data.items()},
             **{"o%d" % i: o.asnumpy() for i, o in enumerate(outputs)})


main()
