# SPDX-License-Identifier: Apache-2.0
"""Weights of a net by a rule: the same numbers here and where MXNet runs, so that no weights need to be stored.

A parameter is made from its name, its shape and the place where the graph reads it. Convolution and fully connected
weights are He-uniform; a BatchNorm's variance is scattered about one recorded number per layer, so that activations
keep a scale of about 1 through any depth; gammas, betas and means are non-trivial.
"""
import json
import zlib

import numpy as np

SLOTS = {  # (operator, input) -> what it is; everything else is a weight if its rank is over 1, else a bias
    ("BatchNorm", 1): "gamma", ("BatchNorm", 2): "beta", ("BatchNorm", 3): "mean", ("BatchNorm", 4): "variance",
    ("LeakyReLU", 1): "slope",
}
SLOTS.update({(op, slot): kind for op in ("_contrib_SyncBatchNorm", "LayerNorm", "InstanceNorm", "GroupNorm")
              for slot, kind in enumerate(("gamma", "beta", "mean", "variance"), 1)})
NEVER_FIXED = ("LayerNorm", "InstanceNorm", "GroupNorm")  # their gamma is always read


def graph(symbol):
    """[(name, op, attrs, [(node, output)])] of a symbol's JSON text."""
    return [(n["name"], n["op"], n.get("attrs", n.get("attr", n.get("param", {}))) or {},
             [(e[0], e[1]) for e in n["inputs"]]) for n in json.loads(symbol)["nodes"]]


def places(symbol):
    """{variable: (operator, input number, node name, attrs)} of its first reader."""
    nodes, found = graph(symbol), {}
    for name, op, attrs, inputs in nodes:
        for slot, (source, _) in enumerate(inputs):
            if nodes[source][1] == "null":
                found.setdefault(nodes[source][0], (op, slot, name, attrs))
    return found


def make(symbol, shapes, scales, dtype=np.float32):
    """{parameter: array} for {parameter: shape}; `scales` is {BatchNorm node: variance of what it reads}."""
    where, made = places(symbol), {}
    for name, shape in shapes.items():
        op, slot, node, attrs = where[name]
        rng = np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)
        kind = SLOTS.get((op, slot))
        if kind == "gamma":
            fixed = op not in NEVER_FIXED and attrs.get("fix_gamma", "True") in ("True", "1", "true")
            a = rng.uniform(*((0.5, 3.0) if fixed else (0.7, 1.3)), size=shape)  # a fixed gamma must not be read
        elif kind == "beta":
            a = rng.uniform(-0.2, 0.2, size=shape)
        elif kind == "mean":
            a = rng.uniform(-0.3, 0.3, size=shape) * np.sqrt(scales.get(node, 1.0))
        elif kind == "variance":
            a = rng.uniform(0.6, 1.4, size=shape) * scales.get(node, 1.0)
        elif kind == "slope":
            a = rng.uniform(0.1, 0.4, size=shape)
        elif len(shape) > 1:
            bound = np.sqrt(6.0 / np.prod(shape[1:]))
            a = rng.uniform(-bound, bound, size=shape)
        else:
            a = rng.uniform(-0.1, 0.1, size=shape)
        made[name] = a.astype(dtype)
    return made


def data(net, shape, low, high):
    """The input of a run: noise about another colour in each image, so that the images differ after any pooling."""
    rng = np.random.RandomState(zlib.crc32(("%s/%d" % (net, shape[0])).encode()) & 0x7FFFFFFF)
    colour = rng.uniform(0, 1, size=tuple(shape[:2]) + (1,) * (len(shape) - 2))
    noise = rng.uniform(0, 1, size=shape)
    return (low + (high - low) * (colour + noise) / 2).astype(np.float32)
