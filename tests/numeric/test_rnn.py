# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers as MXNet 1.9.1 runs them on GPUs alone: sequence lengths, float16, a projection without states.

The truth is a model in NumPy, which is held against the recorded runs of the same layers first; or these runs."""
import json

import numpy as np
import pytest

import compare
import ndarray_list
import test_ops
from cases import load
from test_layers import convert_and_run, symbol_of

OPSETS = (11, 17, 21)
PLAIN = {c.name: c for c in load("rnn") if c.op == "RNN" and c.error is None}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(mode, gates, hidden, h, c, recurrent, bias):
    """h (before a projection) and c after one step; gates: what the input gives."""
    r = recurrent + bias
    if mode == "lstm":
        i, f, g, o = np.split(gates + r, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if mode == "gru":
        (xr, xz, xn), (hr, hz, hn) = np.split(gates, 3, axis=-1), np.split(r, 3, axis=-1)
        z = sigmoid(xz + hz)
        return (1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * h, c
    return (np.maximum(gates + r, 0) if mode == "rnn_relu" else np.tanh(gates + r)), c


class Layers:
    """The vector of parameters taken apart, as src/operator/rnn-inl.h lays it out."""

    def __init__(self, attrs, vector, inputs):
        self.mode, self.hidden = attrs["mode"], attrs["state_size"]
        self.layers, self.ways = attrs["num_layers"], 2 if attrs.get("bidirectional") else 1
        self.projected = attrs.get("projection_size")
        self.width = self.projected or self.hidden
        rows = {"lstm": 4, "gru": 3}.get(self.mode, 1) * self.hidden
        self.at, self.vector, self.cells = 0, vector.astype(np.float64), []
        for layer in range(self.layers):
            read = inputs if layer == 0 else self.width * self.ways
            for _ in range(self.ways):
                self.cells.append([self.take(rows, read), self.take(rows, self.width),
                                   self.take(self.width, self.hidden) if self.projected else None])
        for cell in self.cells:
            cell += [self.take(rows), self.take(rows)]
        assert self.at == len(vector)

    def take(self, *shape):
        n = int(np.prod(shape))
        self.at += n
        return self.vector[self.at - n:self.at].reshape(shape)

    def run(self, x, h0, c0, lengths):
        """Output and final states; steps after a sample's length are not read, and their outputs are 0."""
        last_h, last_c = h0.astype(np.float64), c0.astype(np.float64)
        x = x.astype(np.float64)
        for layer in range(self.layers):
            y = np.zeros(x.shape[:2] + (self.ways * self.width,))
            for way in range(self.ways):
                k = layer * self.ways + way
                w, r, p, wb, rb = self.cells[k]
                for n, length in enumerate(lengths):
                    h, c = last_h[k, n].copy(), last_c[k, n].copy()
                    for t in range(length) if way == 0 else reversed(range(length)):
                        m, c = step(self.mode, w @ x[t, n] + wb, self.hidden, h, c, r @ h, rb)
                        h = p @ m if p is not None else m
                        y[t, n, way * self.width:(way + 1) * self.width] = h
                    last_h[k, n], last_c[k, n] = h, c
            x = y
        return [x, last_h, last_c]


def model(c, lengths, run=0):
    arrays = c.arrays(run)
    x, vector, h0 = (list(arrays.values())[i] for i in range(3))
    c0 = list(arrays.values())[3] if c.attrs["mode"] == "lstm" else h0
    outputs = Layers(c.attrs, vector, x.shape[2]).run(x, h0, c0, lengths)
    n = 1 if not c.attrs["state_outputs"] else 3 if c.attrs["mode"] == "lstm" else 2
    return [o.astype(x.dtype) for o in outputs[:n]]


CHECKED = [c for c in PLAIN.values() if "lengths" not in c.name]


@pytest.mark.parametrize("c", CHECKED, ids=lambda c: c.name)
def test_the_model_in_numpy_agrees_with_mxnet(c):
    """The model in NumPy is MXNet."""
    test_ops.STORED.entry(c)
    for run in range(len(c.runs())):
        time, batch = list(c.arrays(run).values())[0].shape[:2]
        compare.agree(model(c, [time] * batch, run), test_ops.STORED.outputs(c, run), rtol=1e-5)


def parts(c, dtype=None):
    """Graph inputs and parameters of a case."""
    arrays = {n: a.astype(dtype or a.dtype) for n, a in c.arrays().items()}
    return ({n: a for n, a in arrays.items() if c.inputs[n].role == "data"},
            {"arg:" + n: a for n, a in arrays.items() if c.inputs[n].role == "param"})


WITH_LENGTHS = [c for c in CHECKED if c.inputs["data0"].shape[:2] == (4, 2) and c.inputs["data0"].dtype == "float32"]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("c", WITH_LENGTHS, ids=lambda c: c.name)
def test_steps_after_the_length_are_not_read(converter, c, opset, dynamic, tmp_path):
    symbol = json.loads(test_ops.STORED.entry(c)["symbol"])
    node = symbol["nodes"][-1]
    node["attrs"]["use_sequence_length"] = "True"
    node["inputs"].append([len(symbol["nodes"]), 0, 0])
    symbol["nodes"].insert(-1, {"op": "null", "name": "lengths", "inputs": []})
    node["inputs"][-1][0] = len(symbol["nodes"]) - 2
    symbol["heads"] = [[len(symbol["nodes"]) - 1, k, 0] for k in range(len(symbol["heads"]))]
    symbol["arg_nodes"] = list(range(len(symbol["nodes"]) - 1))
    lengths = np.array([3, 1], dtype="int32")
    inputs, params = parts(c)
    inputs["lengths"] = lengths
    dims = dict(c.dynamic, lengths={0: "n"}) if dynamic and c.dynamic else {}
    got = convert_and_run(converter, tmp_path, symbol, inputs, params, opset, dims)
    compare.agree(got, model(c, lengths))


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("c", WITH_LENGTHS, ids=lambda c: c.name)
def test_an_rnn_of_float16_agrees(converter, c, opset, tmp_path):
    inputs, params = parts(c, np.float16)
    got = convert_and_run(converter, tmp_path, json.loads(test_ops.STORED.entry(c)["symbol"]), inputs, params, opset)
    assert all(g.dtype == np.float16 for g in got)
    compare.agree([g.astype(np.float32) for g in got], test_ops.STORED.outputs(c, 0), rtol=2e-2)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("c", [c for c in CHECKED if c.attrs.get("projection_size")], ids=lambda c: c.name)
def test_a_projection_may_lack_states(converter, c, opset, tmp_path):
    """MXNet 1.9.1 crashes on it."""
    symbol = json.loads(test_ops.STORED.entry(c)["symbol"])
    symbol["nodes"][-1]["attrs"]["state_outputs"] = "False"
    symbol["heads"] = symbol["heads"][:1]
    inputs, params = parts(c)
    got = convert_and_run(converter, tmp_path, symbol, inputs, params, opset)
    compare.agree(got, test_ops.STORED.outputs(c, 0)[:1], c.rtol, c.atol)


# ---- operators of indices that MXNet 1.9.1 runs from no symbol

@pytest.mark.parametrize("opset", OPSETS)
def test_an_index_of_rank_2_is_unravelled(converter, opset, tmp_path):
    """1.9.1 takes vectors alone for granted, MXNet 2 any rank (src/operator/tensor/ravel.h there)."""
    x = np.array([[22, 41, 0], [37, 1, 5]], dtype="int64")
    got = convert_and_run(converter, tmp_path, symbol_of("_unravel_index", ["x"], {"shape": "(7, 6)"}), {"x": x}, None,
                          opset, {"x": {0: "n", 1: "m"}})
    compare.agree(got, [np.stack(np.unravel_index(x, (7, 6)))])


@pytest.mark.parametrize("opset", OPSETS)
def test_fill_element_agrees_with_its_definition(converter, opset, tmp_path):
    x, v, i = np.zeros((3, 4), "float32"), np.array([5, 6, 7], "float32"), np.array([0, 3, 1], "float32")
    got = convert_and_run(converter, tmp_path, symbol_of("fill_element_0index", ["x", "v", "i"], {}),
                          {"x": x, "v": v, "i": i}, None, opset, {n: {0: "n"} for n in "xvi"})
    want = x.copy()
    want[np.arange(3), i.astype(int)] = v
    compare.agree(got, [want])


@pytest.mark.parametrize("mode", ("lstm", "gru"))
@pytest.mark.parametrize("opset", OPSETS)
def test_an_rnn_of_no_rows_gives_an_empty_output(converter, tmp_path, mode, opset):
    """ONNX Runtime's kernels do not outlive a batch of 0, its GRU neither a time of 0. Nor does MXNet
    have a result, but an empty output is one."""
    attrs = dict(mode=mode, state_size=3, num_layers=2, bidirectional=True)
    size = 2 * {"lstm": 4, "gru": 3}[mode] * 3 * ((2 + 3 + 2) + (6 + 3 + 2))
    names = ["x", "w", "h", "c"][:4 if mode == "lstm" else 3]
    files = [str(tmp_path / f) for f in ("x-symbol.json", "x.params", "x.onnx")]
    with open(files[0], "w") as f:
        json.dump(symbol_of("RNN", names, attrs), f)
    ndarray_list.save(files[1], {"arg:w": np.ones(size, np.float32)})
    inputs = {n: ((3, 2, 2) if n == "x" else (4, 2, 3), "float32") for n in names if n != "w"}
    converter(files[0], files[1], inputs, {n: {0: "t", 1: "n"} if n == "x" else {1: "n"} for n in inputs}, opset, files[2])
    s = compare.session(files[2])
    for t, n in ((3, 0), (0, 2), (0, 0), (1, 1)):
        fed = {name: np.zeros((t if name == "x" else 4, n) + shape[2:], np.float32) for name, (shape, _) in inputs.items()}
        assert s.run(None, fed)[0].shape == (t, n, 6)
