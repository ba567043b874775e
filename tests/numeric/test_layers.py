# SPDX-License-Identifier: Apache-2.0
"""Layers that MXNet 1.9.1 cannot run on a CPU, against recorded runs of the same layer in a form that it can, or
against the definition."""
import json
import math

import numpy as np
import pytest

import compare
import ndarray_list
import test_ops
from cases import load

OPSETS = (11, 17, 21)


def convert_and_run(converter, folder, symbol, inputs, params, opset, dynamic=None, arrays=None):
    """Outputs for `arrays` (default: `inputs`, from which the shapes are taken)."""
    files = [str(folder / f) for f in ("x-symbol.json", "x.params", "x.onnx")]
    with open(files[0], "w") as f:
        json.dump(symbol, f)
    if params:
        ndarray_list.save(files[1], params)
    converter(files[0], files[1] if params else None, {n: (a.shape, a.dtype.name) for n, a in inputs.items()},
              dynamic or {}, opset, files[2])
    compare.check(files[2], opset)
    return compare.run(compare.session(files[2]), arrays or inputs)


def symbol_of(op, inputs, attrs):
    nodes = [{"op": "null", "name": n, "inputs": []} for n in inputs]
    nodes.append({"op": op, "name": "op", "attrs": {k: str(v) for k, v in attrs.items()},
                  "inputs": [[i, 0, 0] for i in range(len(inputs))]})
    return {"nodes": nodes, "arg_nodes": list(range(len(inputs))), "heads": [[len(inputs), 0, 0]],
            "attrs": {"mxnet_version": ["int", 10901]}}


# ---- losses of plug-ins

@pytest.mark.parametrize("opset", OPSETS)
def test_warp_ctc_is_a_softmax(converter, opset, tmp_path):
    x = np.random.RandomState(5).normal(size=(6, 4)).astype(np.float32)
    attrs = {"label_length": 2, "input_length": 3}
    symbol = symbol_of("WarpCTC", ["x", "label"], attrs)
    got, = convert_and_run(converter, tmp_path, symbol, {"x": x}, None, opset)
    e = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(got, e / e.sum(1, keepdims=True), rtol=1e-6)


# ---- channels last

def last(a):
    return np.ascontiguousarray(np.moveaxis(a, 1, -1))


CHANNELS_LAST = [c for c in load("nn_conv") if c.op in ("Convolution", "Deconvolution") and c.error is None
                 and len(c.attrs["kernel"]) > 1 and all(a.role == "param" for a in list(c.inputs.values())[1:])]


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("c", CHANNELS_LAST, ids=lambda c: c.name)
def test_channels_last_agree_with_channels_first(converter, c, opset, tmp_path):
    """GPUs alone run these in MXNet. The truth is the recorded run with the channels first."""
    symbol = json.loads(test_ops.STORED.entry(c)["symbol"])
    symbol["nodes"][-1]["attrs"]["layout"] = "NHWC" if len(c.attrs["kernel"]) == 2 else "NDHWC"
    dynamic = {n: {0 if a == 0 else a - 1: d for a, d in dims.items()} for n, dims in c.dynamic.items()}
    params = {"arg:" + n: last(a) if a.ndim > 1 else a for n, a in c.arrays().items() if c.inputs[n].role == "param"}
    for run in range(len(c.runs())):
        first = {n: last(a) for n, a in c.arrays().items() if c.inputs[n].role == "data"}
        arrays = {n: last(a) for n, a in c.arrays(run).items() if c.inputs[n].role == "data"}
        got = convert_and_run(converter, tmp_path, symbol, first, params, opset, dynamic, arrays)
        compare.agree(got, [last(w) for w in test_ops.STORED.outputs(c, run)], c.rtol, c.atol)


# ---- float16, which MXNet multiplies on GPUs alone

HALF = [c for c in load("nn_conv") if c.error is None and c.op and not c.native
        and all(a.dtype == "float32" for a in c.inputs.values())]


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("c", HALF, ids=lambda c: c.name)
def test_a_layer_saved_in_float16_agrees(converter, c, opset, tmp_path):
    arrays = {n: a.astype(np.float16) for n, a in c.arrays().items()}
    inputs = {n: a for n, a in arrays.items() if c.inputs[n].role == "data"}
    params = {"arg:" + n: a for n, a in arrays.items() if c.inputs[n].role == "param"}
    got = convert_and_run(converter, tmp_path, json.loads(test_ops.STORED.entry(c)["symbol"]), inputs, params, opset)
    assert got[0].dtype == np.float16
    compare.agree([g.astype(np.float32) for g in got], test_ops.STORED.outputs(c, 0), rtol=1e-2)


# ---- what MXNet 2 writes

def group_norm(x, gamma, beta, groups, eps):
    """MXNet 2.0: one gamma and beta a channel (src/operator/nn/group_norm-inl.h there)."""
    g = x.reshape(x.shape[0], groups, -1).astype(np.float64)
    g = (g - g.mean(axis=2, keepdims=True)) / np.sqrt(g.var(axis=2, keepdims=True) + eps)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return (g.reshape(x.shape) * gamma.reshape(shape) + beta.reshape(shape)).astype(x.dtype)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("shape", [(2, 6, 5), (2, 6, 4, 3)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_group_norm_may_have_a_factor_for_each_channel(converter, shape, opset, dynamic, tmp_path):
    rng = np.random.RandomState(7)
    x, gamma, beta = (rng.normal(size=s).astype("float32") for s in (shape, (6,), (6,)))
    names = {"x": {a: "d%d" % a for a in range(len(shape)) if a != 1}} if dynamic else {}
    got = convert_and_run(converter, tmp_path, symbol_of("GroupNorm", ["x", "gamma", "beta"], {"num_groups": 3}),
                          {"x": x}, {"arg:gamma": gamma, "arg:beta": beta}, opset, names)
    compare.agree(got, [group_norm(x, gamma, beta, 3, 1e-5)])


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("kind,definition", [
    ("log_sigmoid", lambda v: -math.log1p(math.exp(-v)) if v > -30 else v),
    ("mish", lambda v: v * math.tanh(math.log1p(math.exp(v)) if v < 30 else v)),
])
def test_activations_of_mxnet_2_agree_with_their_definitions(converter, kind, definition, opset, tmp_path):
    x = np.array([[-80, -3, -0.5, 0, 0.25, 2, 80]], dtype="float32")
    got = convert_and_run(converter, tmp_path, symbol_of("Activation", ["x"], {"act_type": kind}), {"x": x}, {}, opset)
    compare.agree(got, [np.array([[definition(float(v)) for v in x[0]]], dtype="float32")])


# ---- random

@pytest.mark.parametrize("opset", (12, 17, 21))
@pytest.mark.parametrize("axes", [(), (1,)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_dropout_always_drops_in_the_right_proportion(converter, opset, axes, dynamic, tmp_path):
    """The share that is dropped, the scale of the rest, and one mask along the axes that share it."""
    x = np.full((50, 40, 3), -2, dtype="float32")
    symbol = symbol_of("Dropout", ["x"], {"p": 0.25, "mode": "always", "axes": axes})
    symbol["nodes"].append({"op": "negative", "name": "after", "inputs": [[1, 0, 0]]})  # not at the end of the graph
    symbol["heads"] = [[2, 0, 0]]
    names = {"x": {0: "n", 1: "m"}} if dynamic else {}
    y, = convert_and_run(converter, tmp_path, symbol, {"x": x}, {}, opset, names)
    values = np.unique(y)
    assert np.allclose(values, [0, 2 / 0.75])
    assert abs((y == 0).mean() - 0.25) < (0.15 if axes else 0.05)
    if axes:
        assert (y == y[:, :1]).all()


# ---- float16 data with the float32 statistics that MXNet keeps for it

@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("relu", [False, True])
def test_a_block_in_float16_agrees(converter, opset, relu, tmp_path):
    """A convolution in float16 with its normalisation, which runtimes like to fuse."""
    names = ["x", "w", "gamma", "beta", "mean", "var"]
    nodes = [{"op": "null", "name": n, "inputs": []} for n in names]
    nodes += [{"op": "Convolution", "name": "conv", "inputs": [[0, 0, 0], [1, 0, 0]],
               "attrs": {"kernel": "(3, 3)", "num_filter": "4", "no_bias": "True"}},
              {"op": "_contrib_BatchNormWithReLU" if relu else "BatchNorm", "name": "bn",
               "inputs": [[6, 0, 0]] + [[i, 0, 0] for i in range(2, 6)], "attrs": {"fix_gamma": "False", "eps": "1e-5"}}]
    symbol = {"nodes": nodes, "arg_nodes": list(range(6)), "heads": [[7, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    rng = np.random.RandomState(3)
    x, w = (rng.uniform(-1, 1, size=s).astype("float16") for s in ((2, 3, 6, 6), (4, 3, 3, 3)))
    gamma, beta, mean, var = (rng.uniform(0.5, 2, size=4).astype("float32") for _ in range(4))
    params = {"arg:w": w, "arg:gamma": gamma, "arg:beta": beta, "aux:mean": mean, "aux:var": var}
    got, = convert_and_run(converter, tmp_path, symbol, {"x": x}, params, opset, {"x": {0: "n"}})
    windows = np.lib.stride_tricks.sliding_window_view(x.astype("float64"), (3, 3), axis=(2, 3))
    want = np.einsum("nchwij,fcij->nfhw", windows, w.astype("float64"))
    column = [v.reshape(1, 4, 1, 1) for v in (gamma, beta, mean, var)]
    want = (want - column[2]) / np.sqrt(column[3] + 1e-5) * column[0] + column[1]
    want = np.maximum(want, 0) if relu else want
    assert got.dtype == np.float16
    compare.agree([got.astype("float32")], [want.astype("float32")], rtol=5e-3)
