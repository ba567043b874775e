# SPDX-License-Identifier: Apache-2.0
"""Binding a symbol, and how large the numbers are that each BatchNorm of a net reads."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "numeric"))
os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")  # each layer as it is

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

import weights  # noqa: E402

NORMS = ("BatchNorm", "_contrib_SyncBatchNorm")
LEAST = 1e-6  # a variance
MXNET2 = hasattr(mx, "npx") and not hasattr(mx.sym, "load_json")
NUMPY = {"square": "_npi_square", "broadcast_sub": "_npi_subtract", "mean": "_npi_mean", "sqrt": "_npi_sqrt",
         "_maximum_scalar": "_npi_maximum_scalar", "broadcast_mul": "_npi_multiply"} if MXNET2 else {}


def load(text):
    """The symbol of a JSON text."""
    return mx.sym.fromjson(text) if MXNET2 else mx.sym.load_json(text)


class Called:
    """MXNet 2's CachedOp with its arrays, called as an executor."""

    def __init__(self, symbol, given):
        self.op = mx.nd.CachedOp(symbol)
        self.arrays = [mx.np.array(given[n], dtype=given[n].dtype) for n in symbol.list_inputs()]

    def forward(self, is_train):
        assert not is_train
        outputs = self.op(*self.arrays, default_device=mx.cpu())
        return outputs if isinstance(outputs, (list, tuple)) else [outputs]


def bind(symbol, given):
    """The executor of a symbol; `given` is {name: array} and may hold more than it has. What is missing and called
    a label is zero."""
    if MXNET2:
        return Called(symbol, given)
    arguments, aux = symbol.list_arguments(), symbol.list_auxiliary_states()
    labels = [n for n in arguments if n not in given and n.endswith("label")]
    if labels:
        shapes, _, _ = symbol.infer_shape(**{n: given[n].shape for n in arguments if n in given})
        dtype = np.result_type(*(t for t in {np.dtype(a.dtype) for a in given.values()} if t.kind == "f"))
        given = dict(given, **{n: np.zeros(s, dtype) for n, s in zip(arguments, shapes) if n in labels})
    arrays = {n: given[n] if isinstance(given[n], mx.nd.NDArray) else mx.nd.array(given[n], dtype=given[n].dtype)
              for n in arguments + aux}
    return symbol.bind(mx.cpu(), {n: arrays[n] for n in arguments}, grad_req="null",
                       aux_states={n: arrays[n] for n in aux})


def fitting(text):
    """The symbol whose outputs are the variances of what the BatchNorms read, each BatchNorm with a mean and a variance
    that fit what it reads itself, as weights.make fits them; and the names of the BatchNorms."""
    graph = json.loads(load(text).tojson())
    nodes, place, fitted = [], {}, {}

    def add(op, *inputs, **attrs):
        nodes.append({"op": NUMPY.get(op, op), "name": "fitting%d" % len(nodes), "attrs": {k: str(v) for k, v in attrs.items()},
                      "inputs": inputs})
        return [len(nodes) - 1, 0, 0]

    for number, n in enumerate(graph["nodes"]):
        n["inputs"] = [[place[e[0]], e[1], 0] for e in n["inputs"]]
        if n["op"] in NORMS:
            x, states = n["inputs"][0], tuple(e[0] for e in n["inputs"][3:])
            if states not in fitted:  # states that several layers share fit the first, as in weights.make
                away = add("square", add("broadcast_sub", x, add("mean", x)))
                size = add("_maximum_scalar", add("mean", away), scalar=LEAST)
                mean = add("broadcast_mul", n["inputs"][3], add("sqrt", size))
                fitted[states] = n["name"], size, mean, add("broadcast_mul", n["inputs"][4], size)
            n["inputs"] = n["inputs"][:3] + list(fitted[states][2:])
        nodes.append(n)
        place[number] = len(nodes) - 1
    symbol = {"nodes": nodes, "attrs": graph["attrs"], "heads": [f[1] for f in fitted.values()],
              "arg_nodes": [k for k, n in enumerate(nodes) if n["op"] == "null"]}
    return load(json.dumps(symbol)), [f[0] for f in fitted.values()]


def scales(text, given):
    """{BatchNorm node: variance of its input}, to three digits. `given`: inputs and parameters that weights.make made without
    any scales."""
    if not any(op in NORMS for _, op, _, _ in weights.graph(text)):
        return {}
    symbol, names = fitting(text)
    return {n: float("%.3g" % float(o.asnumpy())) for n, o in zip(names, bind(symbol, given).forward(is_train=False))}
