# SPDX-License-Identifier: Apache-2.0
"""Numbers that multiply what a convolution reads or gives, in its weights: against the definition, computed in float64."""
import json

import numpy as np
import onnx
import onnx.numpy_helper
import pytest

import compare
import mx2onnx
from test_batch_norm import EPS, convert, operators

SIZES = {"channels": (1, 4, 1, 1), "row": (4, 1, 1), "number": (1,)}


def net(op, norm, groups):
    """data - 127.5 -> relu -> times before -> conv -> norm -> times after. The difference stays: the padding is not of data."""
    nodes = []

    def add(op, name, *inputs, **attrs):
        names = [n["name"] for n in nodes]
        nodes.append({"op": op, "name": name, "inputs": [[names.index(i), 0, 0] for i in inputs],
                      "attrs": {k: str(v) for k, v in attrs.items()}})
    for name in ["data", "weight", "bias", "before", "after"] + ["gamma", "beta", "mean", "var"] * norm:
        add("null", name)
    add("_minus_scalar", "centred", "data", scalar=127.5)
    add("relu", "positive", "centred")  # a number of an input itself stays where it is
    add("broadcast_mul", "scaled", "positive", "before")
    add(op, "conv", "scaled", "weight", "bias", kernel="(3, 3)", pad="(1, 1)", num_filter=4, num_group=groups,
        no_bias=False)
    if norm:
        add("BatchNorm", "norm", "conv", "gamma", "beta", "mean", "var", eps=EPS, fix_gamma=False)
    add("broadcast_div", "out", "norm" if norm else "conv", "after")
    return json.dumps({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"],
                       "heads": [[len(nodes) - 1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})


def along(op, groups, inputs, outputs):
    """The factors of a weight (out, in / groups, 3, 3), or (in, out / groups, 3, 3) of a transposed convolution."""
    f = np.zeros((4, 4 // groups, 1, 1))
    for row, column in np.ndindex(4, 4 // groups):
        other = row // (4 // groups) * (4 // groups) + column
        i, o = (other, row) if op == "Convolution" else (row, other)
        f[row, column] = inputs[i] * outputs[o]
    return f


@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("op, onnx_op", [("Convolution", "Conv"), ("Deconvolution", "ConvTranspose")])
def test_numbers_go_into_the_weights(tmp_path, op, onnx_op, groups, norm, size):
    r = np.random.RandomState(5)
    p = {n: r.uniform(0.5, 2, s).astype("float32") for n, s in (
        ("weight", (4, 4 // groups, 3, 3)), ("bias", 4), ("before", SIZES[size]), ("after", SIZES[size]),
        ("gamma", 4), ("beta", 4), ("mean", 4), ("var", 4))[:8 if norm else 4]}
    x = r.uniform(0, 255, (2, 4, 5, 5)).astype("float32")
    model, found = convert(tmp_path / "folded.onnx", net(op, norm, groups), p)
    assert operators(model) == ["Sub", "Relu", onnx_op]
    wide = {k: v.astype("float64") for k, v in p.items()}
    before, after = [np.broadcast_to(wide[n].reshape(-1), 4) for n in ("before", "after")]
    factor = wide["gamma"] / np.sqrt(wide["var"] + EPS) if norm else np.ones(4)
    shift = wide["beta"] + factor * (wide["bias"] - wide["mean"]) if norm else wide["bias"]
    want = wide["weight"] * along(op, groups, before, factor / after)
    np.testing.assert_allclose(found["weight"], want, rtol=5e-7)
    np.testing.assert_allclose(found[model.graph.node[2].input[2]], shift / after, rtol=5e-7)
    kept, _ = convert(tmp_path / "kept.onnx", net(op, norm, groups), p, keep_batch_norm=True)
    assert operators(kept) == ["Sub", "Relu", "Mul", onnx_op] + ["BatchNormalization"] * norm + ["Div"]
    one, two = [compare.session(str(tmp_path / f)).run(None, {"data": x})[0] for f in ("folded.onnx", "kept.onnx")]
    np.testing.assert_allclose(one, two, rtol=0, atol=2e-6 * np.abs(two).max())


@pytest.mark.parametrize("shape", [(1, 1, 5, 1), (1, 1, 1, 5), (1, 4, 5, 5), (2, 1, 1, 1)])
def test_a_scale_that_varies_over_positions_is_not_folded(tmp_path, shape):
    p = {"weight": np.ones((4, 4, 3, 3), "float32"), "bias": np.ones(4, "float32"),
         "before": np.full(shape, 3, "float32"), "after": np.full(shape, 3, "float32")}
    model, found = convert(tmp_path / "net.onnx", net("Convolution", False, 1), p)
    assert operators(model) == ["Sub", "Relu", "Mul", "Conv", "Div"]
    assert np.array_equal(found["weight"], p["weight"])


@pytest.mark.parametrize("shape", [(1, 3), (2, 3), (3,)])
def test_a_number_goes_into_the_constants_after_it(tmp_path, shape):
    nodes = [("null", "data", [], {}), ("null", "anchors", [], {}), ("abs", "absolute", [0], {}),
             ("_mul_scalar", "small", [2], {"scalar": "0.1"}), ("broadcast_mul", "boxes", [1, 3], {}),
             ("broadcast_div", "back", [4, 1], {})]
    symbol = json.dumps({"nodes": [{"op": op, "name": n, "inputs": [[i, 0, 0] for i in inputs], "attrs": attrs}
                                   for op, n, inputs, attrs in nodes],
                         "arg_nodes": [0, 1], "heads": [[5, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})
    anchors = np.random.RandomState(3).uniform(1, 300, shape).astype("float32")
    model = onnx.load(mx2onnx.export_model(symbol, {"anchors": anchors}, [(2, 3)], onnx_file_path=str(tmp_path / "net.onnx")))
    assert operators(model) == ["Abs", "Mul", "Div"]
    found = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    assert np.array_equal(found["anchors"], anchors)  # it has another reader
    np.testing.assert_allclose(found[model.graph.node[1].input[1]], anchors.astype("float64") * 0.1, rtol=2e-7)
    x = np.random.RandomState(4).normal(size=(2, 3)).astype("float32")
    np.testing.assert_allclose(compare.session(str(tmp_path / "net.onnx")).run(None, {"data": x})[0], np.abs(x) * 0.1, rtol=1e-6)
