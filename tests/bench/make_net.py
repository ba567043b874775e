#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a net of tests/zoo/nets at its true size, with random parameters; runs where MXNet 1.9.1 and GluonNLP are.

    python make_net.py NET PREFIX [INPUT=1x3x299x299 ...]
                          PREFIX-symbol.json and PREFIX-0000.params; prints [[name, shape, type], ...] of its inputs
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, os.pardir, d) for d in ("zoo", "oracle")]
printed = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what libraries print is not the answer

import numpy as np  # noqa: E402

for name in ("bool", "int", "float", "object"):  # what GluonNLP knows from an older NumPy
    if name not in np.__dict__:
        setattr(np, name, getattr(__import__("builtins"), name))

import mxnet as mx  # noqa: E402

import nets  # noqa: E402

IMAGE = (1, 3, 224, 224)  # the zoo's own may be smaller


def drawn(shape):
    """What keeps values of a deep net in bounds."""
    if len(shape) < 2:
        return mx.nd.random.uniform(.5, 1, shape)
    return mx.nd.random.normal(0, float(np.prod(shape[1:])) ** -.5, shape)


def main():
    net = nets.load()[sys.argv[1]]
    made = net.make()
    symbol, given = made if isinstance(made, tuple) else (made, {})
    aux = symbol.list_auxiliary_states()
    inputs = {n: s if len(s) != 4 else IMAGE for n, s in net.shapes().items()}
    inputs.update({n: tuple(map(int, dims.split("x"))) for n, _, dims in (a.partition("=") for a in sys.argv[3:])})
    shapes, _, aux_shapes = symbol.infer_shape_partial(**inputs)
    params = {}
    for names, sizes, kind in ((symbol.list_arguments(), shapes, "arg:"), (aux, aux_shapes, "aux:")):
        for name, shape in zip(names, sizes):
            if name in given:
                params[kind + name] = mx.nd.array(given[name], dtype=given[name].dtype)
            elif name not in net.inputs and not name.endswith("label"):
                params[kind + name] = drawn(shape)
    symbol.save(sys.argv[2] + "-symbol.json")
    mx.nd.save(sys.argv[2] + "-0000.params", params)
    names = [n for n in symbol.list_arguments() if n in inputs]
    print(json.dumps([[n, inputs[n], net.inputs[n].dtype] for n in names]), file=printed)


if __name__ == "__main__":
    main()
