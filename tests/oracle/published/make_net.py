# SPDX-License-Identifier: Apache-2.0
"""Where MXNet is: a published net with weights of a rule, as save_parameters and as export() write it, and what MXNet computes.

    python make_net.py FOLDER NET SIZE [classes=N ...]

SIZE is the shape of a batch of the input, 2x3x64x64. FOLDER then holds x.params, net-symbol.json, net-0000.params and run.npz.
"""
import os
import sys

import mxnet as mx
import numpy as np

from published import nets


def values(name, shape, rng):
    if name.endswith(("gamma", "running_var")):
        return rng.uniform(0.7, 1.3, shape)
    if name.endswith(("beta", "running_mean", "bias")):
        return rng.uniform(-0.1, 0.1, shape)
    return rng.normal(size=shape) * np.sqrt(1.0 / np.prod(shape[1:]) if len(shape) > 1 else 0.01)


def flat(outputs):
    return nets.flatten(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs])


def main():
    folder, name, size = sys.argv[1:4]
    given = {k: int(v) for k, v in (a.split("=") for a in sys.argv[4:])}
    rng = np.random.RandomState(len(name))
    net, = [n for n in nets.published() if n.name == name and "MXNet" not in n.source]
    block = net.make(**given)
    block.initialize(mx.init.Uniform(0.05))
    data = rng.uniform(-1, 1, [int(d) for d in size.split("x")]).astype(np.float32)
    block(mx.nd.array(data))  # now all shapes are known
    for n, p in block.collect_params().items():
        if not isinstance(p, mx.gluon.Constant):
            p.set_data(mx.nd.array(values(n, p.shape, rng)))
    block.save_parameters(os.path.join(folder, "x.params"))
    block.hybridize()
    outputs = flat(block(mx.nd.array(data)))
    block.export(os.path.join(folder, "net"))
    np.savez(os.path.join(folder, "run.npz"), data=data, **{"o%d" % i: o.asnumpy() for i, o in enumerate(outputs)})


main()
