# SPDX-License-Identifier: Apache-2.0
"""The seed of random operators."""
import json

import pytest

import mx2onnx

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
np = pytest.importorskip("numpy")

SYMBOL = json.dumps({
    "nodes": [{"op": op, "name": name, "inputs": [], "attrs": {"shape": "(4, 5)"}}
              for op, name in (("_random_uniform", "a"), ("_random_uniform", "b"), ("_random_gamma", "c"))],
    "arg_nodes": [], "heads": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})


def draw(tmp_path, seed):
    path = mx2onnx.export_model(SYMBOL, {}, [], onnx_file_path=str(tmp_path / "x.onnx"), seed=seed)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {})


def test_the_same_seed_gives_the_same_values(tmp_path):
    first, again = draw(tmp_path, 7), draw(tmp_path, 7)
    for x, y in zip(first, again):
        assert np.array_equal(x, y)


def test_each_operator_draws_for_itself(tmp_path):
    a, b, _ = draw(tmp_path, 7)
    assert not np.array_equal(a, b)


def test_another_seed_gives_other_values(tmp_path):
    assert not np.array_equal(draw(tmp_path, 7)[0], draw(tmp_path, 8)[0])


def test_without_a_seed_the_runtime_chooses(tmp_path):
    path = mx2onnx.export_model(SYMBOL, {}, [], onnx_file_path=str(tmp_path / "x.onnx"))
    assert not any(a.name == "seed" for n in onnx.load(path).graph.node for a in n.attribute)


DROPPED = json.dumps({
    "nodes": [{"op": "null", "name": "x", "inputs": []}]
    + [{"op": "Dropout", "name": name, "inputs": [[0, 0, 0]], "attrs": {"p": "0.5", "mode": "always"}} for name in "ab"],
    "arg_nodes": [0], "heads": [[1, 0, 0], [2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})


def drop(tmp_path, **choices):
    path = mx2onnx.export_model(DROPPED, {}, [(8, 8)], onnx_file_path=str(tmp_path / "x.onnx"), **choices)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": np.ones((8, 8), np.float32)})


def test_dropout_that_always_drops_has_the_seed(tmp_path):
    first, again = drop(tmp_path, seed=7), drop(tmp_path, seed=7)
    assert np.array_equal(first[0], again[0]) and np.array_equal(first[1], again[1])
    assert not np.array_equal(*first)
    assert not np.array_equal(first[0], drop(tmp_path, seed=9)[0])


def test_dropouts_of_one_value_differ(tmp_path):
    assert not np.array_equal(*drop(tmp_path))
