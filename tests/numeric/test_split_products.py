# SPDX-License-Identifier: Apache-2.0
"""Attention of a packed product, which becomes a product for each part: against the definition, computed in float64."""
import json

import numpy as np
import pytest

import compare
import mx2onnx

WIDTH = 5


def graph(nodes, heads):
    """`nodes`: (operator, name, [input or (input, output)], attributes), in order."""
    names = [n[1] for n in nodes]

    def entry(i):
        name, output = i if isinstance(i, tuple) else (i, 0)
        return [names.index(name), output, 0]
    return json.dumps({"nodes": [{"op": op, "name": name, "inputs": [entry(i) for i in inputs],
                                  "attrs": {k: str(v) for k, v in attrs.items()}} for op, name, inputs, attrs in nodes],
                       "arg_nodes": [i for i, n in enumerate(nodes) if n[0] == "null"], "heads": [entry(h) for h in heads],
                       "attrs": {"mxnet_version": ["int", 10901]}})


def product(heads, d, bias):
    inputs = ["x", "w"] + ["b"] * bias
    return [("null", i, [], {}) for i in inputs] + [
        ("FullyConnected", "fc", inputs, {"num_hidden": 3 * heads * d, "flatten": False, "no_bias": not bias})]


def interleaved(heads, d, bias):
    """GluonNLP's BERT: (time, batch, heads * 3 * d)."""
    return graph(product(heads, d, bias) + [
        ("_contrib_interleaved_matmul_selfatt_qk", "scores", ["fc"], {"heads": heads}), ("softmax", "share", ["scores"], {}),
        ("_contrib_interleaved_matmul_selfatt_valatt", "out", ["fc", "share"], {"heads": heads})], ["out"])


def turned(heads, d, bias):
    """GluonNLP's GPT-2: (batch, time, 3 * heads * d), whose columns are split after a Transpose. The keys are an output."""
    nodes = product(heads, d, bias) + [("SwapAxis", "turned", ["fc"], {"dim1": 1, "dim2": 2}),
                                       ("SliceChannel", "parts", ["turned"], {"num_outputs": 3, "axis": 1})]
    for k in range(3):
        nodes += [("Reshape", "apart%d" % k, [("parts", k)], {"shape": (0, -4, heads, -1, 0)}),
                  ("Reshape", "heads%d" % k, ["apart%d" % k], {"shape": (-1, 0, 0), "reverse": True}),
                  ("SwapAxis", "rows%d" % k, ["heads%d" % k], {"dim1": 1, "dim2": 2})]
    return graph(nodes + [("_contrib_div_sqrt_dim", "query", ["rows0"], {}), ("batch_dot", "scores", ["query", "heads1"], {}),
                          ("softmax", "share", ["scores"], {}), ("batch_dot", "out", ["share", "rows2"], {})], ["out", "rows1"])


def attention(q, k, v):
    """(rows, time, d) each."""
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
    share = np.exp(scores - scores.max(axis=2, keepdims=True))
    return share / share.sum(axis=2, keepdims=True) @ v


def definition(kind, heads, x, w, b):
    y = x.astype(np.float64) @ w.T.astype(np.float64) + b
    rows, columns = y.shape[:2]
    if kind is interleaved:
        q, k, v = y.reshape(rows, columns * heads, 3, -1).transpose(2, 1, 0, 3)
        return [attention(q, k, v).transpose(1, 0, 2).reshape(rows, columns, -1)]
    q, k, v = y.reshape(rows, columns, 3, heads, -1).transpose(2, 0, 3, 1, 4).reshape(3, rows * heads, columns, -1)
    return [attention(q, k, v), k]


def products(path):
    import onnx
    return sum(n.op_type in ("MatMul", "Gemm") for n in onnx.load(path).graph.node)


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("heads, d", [(1, 8), (2, 8), (3, 7)])
@pytest.mark.parametrize("kind", [interleaved, turned])
def test_a_split_product_agrees(tmp_path, kind, heads, d, bias, dynamic, opset):
    rng = np.random.RandomState(heads + d)
    params = {"w": rng.normal(size=(3 * heads * d, WIDTH)).astype(np.float32)}
    if bias:
        params["b"] = rng.normal(size=3 * heads * d).astype(np.float32)
    path = str(tmp_path / "x.onnx")
    shapes = [(4, 2), (1, 1), (3, 1), (1, 6)]
    for first in shapes[:1] if dynamic else shapes:
        with mx2onnx.Model() as m:
            m.load_symbol(kind(heads, d, bias))
            for name, array in params.items():
                m.set_param(name, array)
            m.set_input_shape("x", (*(("a", "b") if dynamic else first), WIDTH))
            m.opset = opset
            m.export(path)
        # Of one head and one row nothing is moved in the end (layout.c): the product is split as it is.
        split = kind is interleaved or not dynamic and first[0] == 1 and heads > 1
        assert products(path) == (5 if split else 3)
        for shape in shapes if dynamic else [first]:
            x = rng.normal(size=(*shape, WIDTH)).astype(np.float32)
            want = definition(kind, heads, x, params["w"], params.get("b", 0))
            for got, exact in zip(compare.run(compare.session(path), {"x": x}), want):
                np.testing.assert_allclose(got, exact, rtol=1e-5, atol=1e-5)
