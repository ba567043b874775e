# SPDX-License-Identifier: Apache-2.0
"""Nodes that handlers of custom operators add: what the library refuses, the onnx package or ONNX Runtime refuses too, and what it takes, they
run. Each case is an operator, its inputs (a shape: float32 of that shape, which is not known before the model runs; an array: a constant), its
attributes, the number of outputs, and words of the message; without words it is a node that runs."""
import json

import mx2onnx
import numpy as np
import onnx
import onnx.helper
import onnxruntime as ort
import pytest

ort.set_default_logger_severity(4)

OPSET = 24
SILENT = ("ScatterElements", "ScatterND")  # ONNX Runtime takes an unknown reduction for none
f32 = np.float32


def ints(*v):
    return np.array(v, np.int64)


def zeros(*shape):
    return np.zeros(shape, f32)


def case(op, inputs, words=None, outputs=1, **attributes):
    return pytest.param(op, inputs, attributes, outputs, words, id="%s-%s" % (op, words or "runs"))


X = (2, 4, 6, 6)
W = zeros(3, 4, 3, 3)
RNN = [(5, 2, 3), zeros(1, 4, 3), zeros(1, 4, 4)]
ATTRIBUTES = [
    case("LeakyRelu", [X], "ONNX's LeakyRelu has no attribute 'slope'", slope=0.5),
    case("Cast", [X], "'to' is missing, but ONNX's Cast needs it", outputs=1),
    case("Concat", [X, X], "'axis' is missing, but ONNX's Concat needs it"),
    case("MaxPool", [X], "'kernel_shape' is missing, but ONNX's MaxPool needs it"),
    case("RNN", RNN, "'hidden_size' is missing, but ONNX's RNN needs it"),
    case("LRN", [X], "'size' is missing, but ONNX's LRN needs it"),
    case("MaxPool", [X], "'kernel_shape' is 2, but must be a list of integers in ONNX's MaxPool", kernel_shape=2),
    case("Concat", [X, X], "'axis' is a list of 1, but must be an integer in ONNX's Concat", axis=[1]),
    case("Concat", [X, X], "'axis' is 1.5, but must be an integer in ONNX's Concat", axis=1.5),
    case("Concat", [X, X], "'axis' is \"1\", but must be an integer in ONNX's Concat", axis="1"),
    case("LeakyRelu", [X], "'alpha' is a list of 1, but must be a number in ONNX's LeakyRelu", alpha=[0.5]),
    case("Gelu", [X], "'approximate' is 1, but must be a text in ONNX's Gelu", approximate=1),
    case("RNN", RNN, "'activations' is \"Tanh\", but must be a list of texts in ONNX's RNN", hidden_size=4, activations="Tanh"),
    case("ConstantOfShape", [ints(2, 3)], "'value' is 1, but must be a tensor in ONNX's ConstantOfShape", value=1),
    case("MaxPool", [X], kernel_shape=[2, 2]),
    case("RNN", RNN, hidden_size=4, activations=["Tanh"]),
    case("ConstantOfShape", [ints(2, 3)]),
    # texts
    case("Conv", [X, W], "'auto_pad' is \"SAME\", which ONNX's Conv does not have", auto_pad="SAME"),
    case("MaxPool", [X], "'auto_pad' is \"same_upper\"", kernel_shape=[2, 2], auto_pad="same_upper"),
    case("Resize", [X, None, np.array([1, 1, 2, 2], f32)], "'mode' is \"bilinear\"", mode="bilinear"),
    case("Resize", [X, None, np.array([1, 1, 2, 2], f32)], "'coordinate_transformation_mode' is \"corners\"", mode="linear",
         coordinate_transformation_mode="corners"),
    case("Resize", [X, None, np.array([1, 1, 2, 2], f32)], "'nearest_mode' is \"round\"", nearest_mode="round"),
    case("Pad", [X, ints(0, 0, 1, 1, 0, 0, 1, 1)], "'mode' is \"symmetric\"", mode="symmetric"),
    case("DepthToSpace", [X], "'mode' is \"crd\"", blocksize=2, mode="crd"),
    case("ScatterND", [X, ints(0).reshape(1, 1), zeros(1, 4, 6, 6)], "'reduction' is \"sum\"", reduction="sum"),
    case("ScatterElements", [(2, 3), ints(0, 0, 0).reshape(1, 3), zeros(1, 3)], "'reduction' is \"sum\"", reduction="sum"),
    case("RNN", RNN, "'direction' is \"backward\"", hidden_size=4, direction="backward"),
    case("RNN", RNN, "'activations' is \"Swish\"", hidden_size=4, activations=["Swish"]),
    case("RoiAlign", [X, zeros(1, 4), ints(0)], "'mode' is \"mean\"", mode="mean"),
    case("GridSample", [X, zeros(2, 3, 3, 2)], "'mode' is \"bilinear\"", mode="bilinear"),
    case("GridSample", [X, zeros(2, 3, 3, 2)], "'padding_mode' is \"reflect\"", padding_mode="reflect"),
    case("Gelu", [X], "'approximate' is \"erf\"", approximate="erf"),
    case("Conv", [X, W], auto_pad="SAME_LOWER"),
    case("Resize", [X, None, np.array([1, 1, 2, 2], f32)], mode="cubic", coordinate_transformation_mode="align_corners"),
    case("Pad", [X, ints(0, 0, 1, 1, 0, 0, 1, 1)], mode="wrap"),
    case("DepthToSpace", [X], blocksize=2, mode="CRD"),
    case("RNN", RNN, hidden_size=4, direction="reverse", activations=["Softsign"]),
    case("GridSample", [X, zeros(2, 3, 3, 2)], mode="cubic", padding_mode="reflection"),
    case("Gelu", [X], approximate="tanh"),
]


def in_the_library(op, inputs, attributes, outputs):
    """None, or the error of the library."""
    symbol = {"nodes": [{"op": "null", "name": "data%d" % i, "inputs": []} for i in range(len(inputs))]
              + [{"op": "Custom", "name": "c", "attrs": {"op_type": "any"}, "inputs": [[i, 0, 0] for i in range(len(inputs))]}],
              "arg_nodes": list(range(len(inputs))), "heads": [[len(inputs), 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}

    def lower(node):
        values = [node.inputs[i] if isinstance(x, tuple) else node.constant(x) if x is not None else None for i, x in enumerate(inputs)]
        node.add(op, *values, outputs=outputs, **attributes)
        return node.constant(np.zeros((2, 2), f32))

    with mx2onnx.Model(json.dumps(symbol).encode()) as m:
        for i, x in enumerate(inputs):
            m.set_input_shape("data%d" % i, x if isinstance(x, tuple) else (1,))
        m.opset = OPSET
        m.add_custom_operator(mx2onnx.CustomOperator("any", lower, infer=lambda node: node.set_output(0, "float32", (2, 2))))
        try:
            m.export_bytes()
        except mx2onnx.Error as e:
            return str(e)
    return None


def in_the_runtime(op, inputs, attributes, outputs):
    """None, or what the onnx package or ONNX Runtime says."""
    names = ["" if x is None else "x%d" % i for i, x in enumerate(inputs)]
    given = [(n, x) for n, x in zip(names, inputs) if isinstance(x, tuple)]
    constants = [onnx.numpy_helper.from_array(x, n) for n, x in zip(names, inputs) if isinstance(x, np.ndarray)]
    node = onnx.helper.make_node(op, names, ["y%d" % i for i in range(outputs)], **attributes)
    graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_tensor_value_info(n, 1, x) for n, x in given],
                                   [onnx.ValueInfoProto(name="y%d" % i) for i in range(outputs)], constants)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=10)
    try:
        onnx.checker.check_model(onnx.shape_inference.infer_shapes(model, strict_mode=True))
        session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        session.run(None, {n: np.zeros(x, f32) for n, x in given})
    except Exception as e:  # their classes are many
        return str(e)
    return None


def check(op, inputs, attributes, outputs, words):
    error = in_the_library(op, inputs, attributes, outputs)
    theirs = in_the_runtime(op, inputs, attributes, outputs)
    if words is None:
        assert error is None and theirs is None, (error, theirs)
    else:
        assert error is not None and words in error and "node 'c' (Custom)" in error, (error, theirs)
        assert theirs is not None or op in SILENT


@pytest.mark.parametrize("op, inputs, attributes, outputs, words", ATTRIBUTES)
def test_attributes_are_those_that_onnx_runtime_takes(op, inputs, attributes, outputs, words):
    check(op, inputs, attributes, outputs, words)
