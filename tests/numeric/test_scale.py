# SPDX-License-Identifier: Apache-2.0
"""Numbers that multiply what a convolution reads or gives, in its weights: against the definition, computed in float64."""
import json

import numpy as np
import pytest

import compare
from test_batch_norm import EPS, convert, operators

BEFORE, BEHIND = 0.0078125, 3.7


def net(op, norm):
    """data - 127.5 -> times BEFORE -> conv -> norm -> times BEHIND. The difference stays: the padding is not of data."""
    nodes = []

    def add(op, name, *inputs, **attrs):
        names = [n["name"] for n in nodes]
        nodes.append({"op": op, "name": name, "inputs": [[names.index(i), 0, 0] for i in inputs],
                      "attrs": {k: str(v) for k, v in attrs.items()}})
    for name in ["data", "weight", "bias"] + ["gamma", "beta", "mean", "var"] * norm:
        add("null", name)
    add("_minus_scalar", "centred", "data", scalar=127.5)
    add("_mul_scalar", "scaled", "centred", scalar=BEFORE)
    add(op, "conv", "scaled", "weight", "bias", kernel="(3, 3)", pad="(1, 1)", num_filter=4, no_bias=False)
    if norm:
        add("BatchNorm", "norm", "conv", "gamma", "beta", "mean", "var", eps=EPS, fix_gamma=False)
    add("_mul_scalar", "out", "norm" if norm else "conv", scalar=BEHIND)
    return json.dumps({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"],
                       "heads": [[len(nodes) - 1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("op, onnx_op", [("Convolution", "Conv"), ("Deconvolution", "ConvTranspose")])
def test_numbers_go_into_the_weights(tmp_path, op, onnx_op, norm):
    r = np.random.RandomState(5)
    p = {n: r.uniform(0.5, 2, s).astype("float32") for n, s in (
        ("weight", (4, 4, 3, 3)), ("bias", 4), ("gamma", 4), ("beta", 4), ("mean", 4), ("var", 4))[:6 if norm else 2]}
    x = r.uniform(0, 255, (2, 4, 5, 5)).astype("float32")
    model, found = convert(tmp_path / "folded.onnx", net(op, norm), p)
    assert operators(model) == ["Sub", onnx_op]
    wide = {k: v.astype("float64") for k, v in p.items()}
    factor = wide["gamma"] / np.sqrt(wide["var"] + EPS) if norm else np.ones(4)
    shift = wide["beta"] + factor * (wide["bias"] - wide["mean"]) if norm else wide["bias"]
    along = factor[:, None, None, None] if op == "Convolution" else factor[:, None, None]
    np.testing.assert_allclose(found["weight"], wide["weight"] * along * BEFORE * BEHIND, rtol=5e-7)
    np.testing.assert_allclose(found[model.graph.node[1].input[2]], shift * BEHIND, rtol=5e-7)
    kept, _ = convert(tmp_path / "kept.onnx", net(op, norm), p, keep_batch_norm=True)
    assert operators(kept) == ["Sub", "Mul", onnx_op] + ["BatchNormalization"] * norm + ["Mul"]
    one, two = [compare.session(str(tmp_path / f)).run(None, {"data": x})[0] for f in ("folded.onnx", "kept.onnx")]
    np.testing.assert_allclose(one, two, rtol=0, atol=2e-6 * np.abs(two).max())
