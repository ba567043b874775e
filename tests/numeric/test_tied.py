# SPDX-License-Identifier: Apache-2.0
"""A weight that is looked up and multiplied, as language models tie their embedding to their last layer, is written once."""
import json
import os

import numpy as np
import onnx
import pytest

import compare
import ndarray_list

import mx2onnx

ROWS, COLUMNS = 300, 64


def net(path, rows=ROWS):
    nodes = [{"op": "null", "name": "ids", "inputs": []}, {"op": "null", "name": "w", "inputs": []},
             {"op": "Embedding", "name": "looked_up", "attrs": {"input_dim": str(rows), "output_dim": str(COLUMNS)},
              "inputs": [[0, 0, 0], [1, 0, 0]]},
             {"op": "Activation", "name": "tanh", "attrs": {"act_type": "tanh"}, "inputs": [[2, 0, 0]]},
             {"op": "FullyConnected", "name": "scores", "attrs": {"num_hidden": str(rows), "no_bias": "True", "flatten": "False"},
              "inputs": [[3, 0, 0], [1, 0, 0]]}]
    with open(path / "net-symbol.json", "w") as f:
        json.dump({"nodes": nodes, "arg_nodes": [0, 1], "heads": [[4, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
    w = np.random.RandomState(3).normal(size=(rows, COLUMNS)).astype(np.float32)
    ndarray_list.save(str(path / "net.params"), {"arg:w": w})
    return w


def export(path, opset=17, **choices):
    with mx2onnx.Model() as m:
        m.load_symbol(path / "net-symbol.json")
        m.load_params(path / "net.params")
        m.set_input_shape("ids", (2, 5))
        m.opset = opset
        for name, value in choices.items():
            setattr(m, name, value)
        m.export(path / "net.onnx")
    return str(path / "net.onnx")


def weights(file):
    """The types of large initialisers."""
    return [t.data_type for t in onnx.load(file, load_external_data=False).graph.initializer if np.prod(t.dims) >= ROWS * COLUMNS]


def scores(w, ids):
    """MXNet's Embedding and FullyConnected without flattening."""
    return (np.tanh(w[ids.astype(np.int64)].astype(np.float64)) @ w.T.astype(np.float64)).astype(np.float32)


IDS = np.array([[0, 299, 7, 8, 9], [1, 2, 150, 151, 7]], np.float32)


@pytest.mark.parametrize("opset", (11, 17, 26))
def test_tied_weights_are_written_once(tmp_path, opset):
    w = net(tmp_path)
    file = export(tmp_path, opset)
    compare.check(file, opset)
    assert weights(file) == [onnx.TensorProto.FLOAT]
    compare.agree(compare.run(compare.session(file), {"ids": IDS}), [scores(w, IDS)])


def test_tied_weights_stay_in_place(tmp_path):
    w = net(tmp_path)
    file = export(tmp_path, external_data="in-place", external_threshold=1)
    assert weights(file) == [onnx.TensorProto.FLOAT] and not os.path.exists(file + ".data")
    compare.agree(compare.run(compare.session(file), {"ids": IDS}), [scores(w, IDS)])


def test_tied_weights_are_written_once_in_float16(tmp_path):
    w = net(tmp_path)
    file = export(tmp_path, float16=True)
    assert weights(file) == [onnx.TensorProto.FLOAT16]
    compare.agree([compare.run(compare.session(file), {"ids": IDS})[0].astype(np.float32)], [scores(w, IDS)], rtol=1e-2)


def test_small_ones_stay_two(tmp_path):
    """A node costs more than a few bytes twice."""
    net(tmp_path, 16)
    assert "Transpose" not in [n.op_type for n in onnx.load(export(tmp_path)).graph.node]
