# SPDX-License-Identifier: Apache-2.0
"""Binding a symbol, and how large the numbers are that each BatchNorm of a net reads."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "numeric"))
os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")  # each layer as it is: training mode can be bound

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

import weights  # noqa: E402

NORMS = ("BatchNorm", "_contrib_SyncBatchNorm")


def bind(symbol, given):
    """The executor of a symbol; `given` is {name: array} and may hold more than it has. What is missing and called
    a label is zero."""
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


def entries(symbol):
    """{(node number in the JSON, output): the symbol of it}."""
    inside, found, at = symbol.get_internals(), {}, 0
    outputs = inside.list_outputs()
    for number, node in enumerate(json.loads(symbol.tojson())["nodes"]):
        seen = set()
        while at < len(outputs) and outputs[at] not in seen and inside[at].name == node["name"]:
            found[number, len(seen)] = inside[at]
            seen.add(outputs[at])
            at += 1
    assert at == len(outputs), "the internal outputs of MXNet are in another order than its nodes"
    return found


def training(text):
    """The symbol where each normalisation is a BatchNorm that uses what it sees."""
    graph = json.loads(text)
    for n in graph["nodes"]:
        if n["op"] in NORMS:
            n["op"] = "BatchNorm"
            attrs = n.get("attrs", n.get("attr", n.get("param", {})))
            for a in ("use_global_stats", "ndev", "key"):
                attrs.pop(a, None)
    return mx.sym.load_json(json.dumps(graph))


def scales(text, given):
    """{BatchNorm node: variance of its input}, to three digits. `given`: inputs and any parameters. In training mode
    each layer is normalised by its own batch, so that one pass shows them all."""
    if not any(op in NORMS for _, op, _, _ in weights.graph(text)):
        return {}
    symbol = training(text)
    found, read = entries(symbol), {}
    for name, op, _, inputs in weights.graph(symbol.tojson()):
        if op == "BatchNorm":
            read.setdefault(name, found[inputs[0]])
    mx.random.seed(1)
    outputs = bind(mx.sym.Group(list(read.values())), given).forward(is_train=True)
    return {n: float("%.3g" % max(o.asnumpy().var(), 1e-6)) for n, o in zip(read, outputs)}
