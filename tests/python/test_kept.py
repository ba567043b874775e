# SPDX-License-Identifier: Apache-2.0
"""Nodes after an operator that is kept, of unknown shape: what ONNX Runtime computes where the kept operator is Identity."""
import json

import mx2onnx
import pytest

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 3, 4)).astype(np.float32)
WEIGHT, BIAS = RNG.normal(size=(5, 12)).astype(np.float32), RNG.normal(size=5).astype(np.float32)
LAST = RNG.normal(size=(5, 4)).astype(np.float32)
NORM = {name: RNG.uniform(0.5, 2, size=3).astype(np.float32) for name in ("gamma", "beta", "moving_mean", "moving_var")}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def norm(x):
    gamma, beta, mean, var = (v[:, None] for v in NORM.values())
    return (x - mean) / np.sqrt(var + 1e-3) * gamma + beta


CASES = {
    "_plus_scalar": ({"scalar": "2"}, {}, lambda x: x + 2),
    "_mul_scalar": ({"scalar": "-1"}, {}, lambda x: -x),
    "broadcast_mul": ({}, {"other": BIAS[:4]}, lambda x: x * BIAS[:4]),
    "elemwise_sub": ({}, {"other": X}, lambda x: x - X),
    "exp": ({}, {}, np.exp),
    "abs": ({}, {}, np.abs),
    "square": ({}, {}, np.square),
    "clip": ({"a_min": "-0.5", "a_max": "0.5"}, {}, lambda x: np.clip(x, -0.5, 0.5)),
    "_copy": ({}, {}, lambda x: x),
    "Dropout": ({}, {}, lambda x: x),
    "Cast": ({"dtype": "int32"}, {}, lambda x: x.astype(np.int32)),
    "LeakyReLU": ({"act_type": "leaky", "slope": "0.1"}, {}, lambda x: np.where(x < 0, x * np.float32(0.1), x)),
    "LeakyReLU, one slope": ({"act_type": "prelu"}, {"gamma": BIAS[:1]}, lambda x: np.where(x < 0, x * BIAS[:1], x)),
    "Pooling": ({"global_pool": "True", "pool_type": "avg", "kernel": "(1,)"}, {}, lambda x: x.mean(-1, keepdims=True)),
    "Pooling, max": ({"global_pool": "True", "pool_type": "max", "kernel": "(1,)"}, {}, lambda x: x.max(-1, keepdims=True)),
    "SoftmaxOutput": ({"preserve_shape": "True"}, {}, softmax),
    "softmax": ({}, {}, softmax),
    "log_softmax": ({}, {}, lambda x: np.log(softmax(x))),
    "BatchNorm": ({"fix_gamma": "False"}, NORM, norm),
    "FullyConnected": ({"num_hidden": "5"}, {"weight": WEIGHT, "bias": BIAS}, lambda x: x.reshape(2, 12) @ WEIGHT.T + BIAS),
    "FullyConnected, no flatten": ({"num_hidden": "5", "flatten": "False"}, {"weight": LAST, "bias": BIAS}, lambda x: x @ LAST.T + BIAS),
}


def model_with(op, attrs, values):
    variables = [{"op": "null", "name": name, "inputs": []} for name in ["data", *values]]
    kept = len(variables)
    inputs = [[kept, 0, 0]] + [[1 + i, 0, 0] for i in range(len(values))]
    nodes = variables + [{"op": "Mystery", "name": "kept", "inputs": [[0, 0, 0]]},
                         {"op": op.split(",")[0], "name": "y", "inputs": inputs, "attrs": attrs}]
    model = mx2onnx.Model()
    model.load_symbol(json.dumps({"nodes": nodes, "arg_nodes": list(range(kept)), "heads": [[kept + 1, 0, 0]],
                                  "attrs": {"mxnet_version": ["int", 10901]}}))
    for name, value in values.items():
        model.set_param(name, value)
    model.set_input_shape("data", (2, 3, 4))
    model.unknown_domain = "mxnet"
    return model


def with_identity(data):
    model = onnx.load_from_string(data)
    for node in model.graph.node:
        if node.op_type == "Mystery":
            node.op_type, node.domain = "Identity", ""
    return model.SerializeToString()


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("op", CASES)
def test_the_shape_is_not_needed(op, opset):
    attrs, values, expected = CASES[op]
    with model_with(op, attrs, values) as model:
        model.opset = opset
        data = model.export_bytes()
    session = onnxruntime.InferenceSession(with_identity(data), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"data": X})[0], expected(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("op, attrs, values", [("softmax", {"axis": "1"}, {}), ("BatchNorm", {"axis": "2"}, {k: np.ones(4, np.float32) for k in NORM}),
                                               ("LeakyReLU", {"act_type": "prelu"}, {"gamma": BIAS[:3]}),
                                               ("Dropout", {"mode": "always", "axes": "(1,)"}, {}), ("SoftmaxOutput", {}, {}), ("SoftmaxOutput", {"multi_output": "True"}, {}),
                                               ("Pooling", {"global_pool": "True", "pool_type": "sum", "kernel": "(1,)"}, {}),
                                               ("Flatten", {}, {})])
def test_the_shape_is_needed(op, attrs, values):
    with model_with(op, attrs, values) as model:
        with pytest.raises(mx2onnx.ShapeError, match="'kept' of this operator is unknown, but node 'y'"):
            model.export_bytes()
        model.set_input_shape("kept", (2, 3, 4))
        onnx.checker.check_model(onnx.load_from_string(model.export_bytes()))
