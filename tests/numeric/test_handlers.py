# SPDX-License-Identifier: Apache-2.0
"""Nodes that handlers of custom operators add: what the library refuses, the onnx package or ONNX Runtime refuses too, and what it takes, they
run. Each case is an operator, its inputs (a shape: float32 of that shape, which is not known before the model runs; an array: a constant), its
attributes, the number of outputs, and words of the message; without words it is a node that runs. `anyway` is what ONNX Runtime makes of a node
that it takes although ONNX does not have it."""
import json

import mx2onnx
import numpy as np
import onnx
import onnx.helper
import onnxruntime as ort
import pytest

ort.set_default_logger_severity(4)

OPSETS = {"RMSNormalization": 23}  # others: 21, which has kernels for all
TYPES = {"NonMaxSuppression": onnx.TensorProto.INT64}  # of the first output
f32 = np.float32


def ints(*v):
    return np.array(v, np.int64)


def zeros(*shape):
    return np.zeros(shape, f32)


def case(op, inputs, words=None, outputs=1, anyway=None, **attributes):
    return pytest.param(op, inputs, attributes, outputs, words, anyway, id="%s-%s" % (op, words or "runs"))


X = (2, 4, 6, 6)
W = zeros(3, 4, 3, 3)
RNN = [(5, 2, 3), zeros(1, 4, 3), zeros(1, 4, 4)]
ATTRIBUTES = [
    case("LeakyRelu", [X], "ONNX's LeakyRelu has no attribute 'slope'", slope=0.5),
    case("ReduceMean", [X], "give it as one", axes=[1]),
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
    case("ScatterND", [X, ints(0).reshape(1, 1), zeros(1, 4, 6, 6)], "'reduction' is \"sum\"", reduction="sum", anyway="no reduction"),
    case("ScatterElements", [(2, 3), ints(0, 0, 0).reshape(1, 3), zeros(1, 3)], "'reduction' is \"sum\"", reduction="sum", anyway="no reduction"),
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

C4 = [zeros(4)] * 4
SHAPES = [
    # broadcasting
    case("Add", [(2, 3), zeros(2, 4)], "input 1 of ONNX's Add has shape (2, 4), which cannot be broadcast to (2, 3)"),
    case("Where", [np.array([True, False]), (3, 3), zeros(3)], "input 1 of ONNX's Where has shape (3, 3), which cannot be broadcast to (2,)"),
    case("Max", [(2, 3), zeros(3), zeros(2, 1), zeros(5, 2, 2)], "input 3 of ONNX's Max has shape (5, 2, 2)"),
    case("PRelu", [(2, 3), zeros(4)], "input 1 of ONNX's PRelu has shape (4,), which cannot be broadcast to (2, 3)"),
    case("PRelu", [(2, 1), zeros(2, 4)], "input 1 of ONNX's PRelu has shape (2, 4)", anyway="a larger output"),
    case("Expand", [(2, 3), ints(2, 4)], "input 0 of ONNX's Expand has shape (2, 3), which cannot be broadcast to (2, 4)"),
    case("Add", [(2, 3), zeros(4, 1, 3)]),
    case("PRelu", [(2, 3, 4), zeros(3, 1)]),
    case("Expand", [(2, 1), ints(3, 1, 4)]),
    # matrices
    case("MatMul", [(2, 3), zeros(4, 5)], "ONNX's MatMul of shapes (2, 3) and (4, 5) multiplies rows of 3 with columns of 4"),
    case("MatMul", [(2, 3), zeros(2)], "ONNX's MatMul of shapes (2, 3) and (2,) multiplies"),
    case("MatMul", [(2, 4, 3), zeros(3, 3, 5)], "input 1 of ONNX's MatMul has shape (3, 3, 5), which cannot be broadcast"),
    case("Gemm", [(2, 3), zeros(4, 5)], "ONNX's Gemm of shapes (2, 3) and (4, 5) multiplies rows of 3 with columns of 4"),
    case("Gemm", [(2, 3), zeros(3, 5)], "multiplies rows of 2", transA=1),
    case("Gemm", [(2, 3, 1), zeros(3, 5)], "input 0 of ONNX's Gemm has shape (2, 3, 1), but must have rank 2"),
    case("Gemm", [(2, 3), zeros(3, 5), zeros(2)], "input 2 of ONNX's Gemm has shape (2,), which cannot be broadcast to (2, 5)"),
    case("MatMul", [(2, 4, 3), zeros(3, 5)]),
    case("MatMul", [(3,), zeros(2, 3, 5)]),
    case("Gemm", [(3, 2), zeros(5, 3), zeros(2, 1)], transA=1, transB=1),
    # windows
    case("Conv", [X, zeros(3, 3, 3, 3)], "axis 1 of input 0 of ONNX's Conv has the size 4, but must have 3 times group, as axis 1 of input 1"),
    case("Conv", [X, zeros(3, 2, 3, 3)], "'group' is 2, but the size of input 1 of ONNX's Conv on axis 0, 3, is not a multiple of it", group=2),
    case("Conv", [X, W, zeros(4)], "axis 0 of input 2 of ONNX's Conv has the size 4, but must have 3, as axis 0 of input 1"),
    case("Conv", [X, zeros(3, 4, 3)], "input 1 of ONNX's Conv has shape (3, 4, 3), but must have the rank of input 0"),
    case("Conv", [X, W], "'kernel_shape' has 2 on axis 1, but input 1 of ONNX's Conv has 3", kernel_shape=[3, 2]),
    case("Conv", [X, W], "the kernel of ONNX's Conv has 3 on axis 1 with dilation 4, but the input has 6 there, and 2 of padding",
         dilations=[1, 4], pads=[1, 1, 1, 1]),
    case("Conv", [X, W], "'pads' has length 2, but must have 4 for an input of shape (2, 4, 6, 6)", pads=[1, 1]),
    case("Conv", [X, W], "'strides' has length 1, but must have 2", strides=[1]),
    case("ConvTranspose", [X, W], "axis 1 of input 0 of ONNX's ConvTranspose has the size 4, but must have 3, as axis 0 of input 1"),
    case("ConvTranspose", [X, zeros(4, 3, 3, 3), zeros(4)], "axis 0 of input 2 of ONNX's ConvTranspose has the size 4, but must have 3 times group"),
    case("MaxPool", [X], "the kernel of ONNX's MaxPool has 7 on axis 0", kernel_shape=[7, 1], anyway="an empty output"),
    case("MaxPool", [X], "the kernel of ONNX's MaxPool has 9 on axis 1", kernel_shape=[1, 9]),
    case("MaxPool", [X], "'kernel_shape' has length 1, but must have 2", kernel_shape=[2]),
    case("AveragePool", [X], "'pads' has 2 on axis 1, but must be less than kernel_shape, 2", kernel_shape=[2, 2], pads=[0, 2, 0, 0]),
    case("GlobalAveragePool", [(2, 3)], "input 0 of ONNX's GlobalAveragePool has shape (2, 3), but must have at least rank 3"),
    case("Conv", [X, zeros(6, 2, 3, 3), zeros(6)], group=2, dilations=[2, 3], pads=[0, 1, 0, 0]),
    case("ConvTranspose", [X, zeros(4, 3, 3, 3), zeros(6)], group=2, strides=[2, 2]),
    case("MaxPool", [X], kernel_shape=[7, 7], strides=[2, 2], ceil_mode=1),
    case("MaxPool", [X], kernel_shape=[7, 7], auto_pad="SAME_UPPER"),
    case("DepthToSpace", [X], "'blocksize' is 3, but the size of input 0 of ONNX's DepthToSpace on axis 1, 4, is not a multiple of its square",
         blocksize=3),
    case("SpaceToDepth", [X], "'blocksize' is 4, but the size of input 0 of ONNX's SpaceToDepth on axis 2, 6", blocksize=4),
    # norms
    case("BatchNormalization", [X, *C4[:3], zeros(3)], "axis 0 of input 4 of ONNX's BatchNormalization has the size 3, but must have 4"),
    case("BatchNormalization", [X, zeros(4, 1), *C4[:3]], "input 1 of ONNX's BatchNormalization has shape (4, 1), but must have rank 1"),
    case("InstanceNormalization", [X, zeros(4), zeros(5)], "axis 0 of input 2 of ONNX's InstanceNormalization has the size 5"),
    case("InstanceNormalization", [(2, 4), zeros(4), zeros(4)], "input 0 of ONNX's InstanceNormalization has shape (2, 4), but must have at least"),
    case("GroupNormalization", [X, zeros(2), zeros(4)], "axis 0 of input 1 of ONNX's GroupNormalization has the size 2, but must have 4", num_groups=2),
    case("GroupNormalization", [X, zeros(4), zeros(4)], "'num_groups' is 3, but the size of input 0 of ONNX's GroupNormalization", num_groups=3),
    case("LayerNormalization", [X, zeros(5)], "input 1 of ONNX's LayerNormalization has shape (5,), which cannot be broadcast to (6,)"),
    case("LayerNormalization", [X, zeros(6, 6), zeros(4)], "input 2 of ONNX's LayerNormalization has shape (4,)", axis=2),
    case("RMSNormalization", [X, zeros(4)], "input 1 of ONNX's RMSNormalization has shape (4,), which cannot be broadcast to (6,)"),
    case("BatchNormalization", [X, *C4]),
    case("GroupNormalization", [X, zeros(4), zeros(4)], num_groups=2),
    case("LayerNormalization", [X, zeros(6, 6), zeros(6, 6)], axis=-2),
    # axes
    case("Softmax", [(2, 3)], "'axis' is 2, but must be -2 to 1 for an input of shape (2, 3) in ONNX's Softmax", axis=2),
    case("Concat", [(2, 3), (2, 3)], "'axis' is -3, but must be -2 to 1", axis=-3),
    case("Gather", [(2, 3), ints(0)], "'axis' is 5, but must be -2 to 1", axis=5),
    case("Flatten", [(2, 3)], "'axis' is 3, but must be -2 to 2", axis=3),
    case("OneHot", [ints(0, 1), np.int64(3).reshape(1), zeros(2)], "'axis' is 2, but must be -2 to 1", axis=2),
    case("ReduceSum", [(2, 3), ints(2)], "input 1 of ONNX's ReduceSum has axis 2, but must have axes from -2 to 1"),
    case("Squeeze", [(2, 1), ints(0)], "input 1 of ONNX's Squeeze has axis 0, but input 0 of shape (2, 1) does not have the size 1 there"),
    case("Unsqueeze", [(2, 3), ints(1, 1)], "input 1 of ONNX's Unsqueeze has axis 1 twice"),
    case("Unsqueeze", [(2, 3), ints(3)], "input 1 of ONNX's Unsqueeze has axis 3, but must have axes from -3 to 2"),
    case("Transpose", [(2, 3, 4)], "'perm' of ONNX's Transpose has axis 1 twice", perm=[0, 1, 1]),
    case("Transpose", [(2, 3, 4)], "'perm' has length 2, but must have 3", perm=[0, 1]),
    case("Transpose", [(2, 3, 4)], "'perm' has axis -1, but must have the axes from 0 to 2", perm=[0, 1, -1]),
    case("Flatten", [(2, 3)], axis=2),
    case("Flatten", [(2, 3)], axis=-2),
    case("OneHot", [ints(0, 1), np.int64(3).reshape(1), zeros(2)], axis=-2),
    case("ReduceSum", [(2, 3), ints(-2, 1)]),
    case("Squeeze", [(2, 1), ints(-1)]),
    case("Unsqueeze", [(2, 3), ints(-1, 0)]),
    case("Transpose", [(2, 3, 4)], perm=[2, 0, 1]),
    # lengths
    case("Tile", [(2, 3), ints(1, 2, 3)], "input 1 of ONNX's Tile has 3 elements, but must have 2"),
    case("Pad", [(2, 3), ints(1, 1)], "input 1 of ONNX's Pad has 2 elements, but must have 4"),
    case("Pad", [(2, 3), ints(1, 1, 1, 1), np.array(0, f32), ints(0)], "input 1 of ONNX's Pad has 4 elements, but must have 2"),
    case("Slice", [(4, 3), ints(0, 0), ints(1)], "input 2 of ONNX's Slice has 1 elements, but must have 2"),
    case("Slice", [(4, 3), ints(0), ints(1), ints(2)], "input 3 of ONNX's Slice has axis 2"),
    case("Slice", [(4, 3), ints(0), ints(1), ints(0), ints(1, 1)], "input 4 of ONNX's Slice has 2 elements, but must have 1"),
    case("Slice", [(4, 3), ints(0, 0), ints(1, 1), ints(0, -2)], "input 3 of ONNX's Slice has axis -2 twice"),
    case("Slice", [(4,), ints(0, 0), ints(1, 1)], "input 1 of ONNX's Slice has 2 elements, but input 0 of shape (4,) has 1 axes"),
    case("Resize", [X, None, np.array([2, 2], f32)], "input 2 of ONNX's Resize has 2 elements, but must have 4"),
    case("Resize", [X, None, None, ints(8, 8)], "input 3 of ONNX's Resize has 2 elements, but must have 4"),
    case("Tile", [(2, 3), ints(1, 2)]),
    case("Pad", [(2, 3), ints(1, 1), np.array(0, f32), ints(-1)]),
    case("Slice", [(4, 3), ints(0, 1), ints(1, 3)]),
    case("Resize", [X, None, np.array([2, 2], f32)], axes=[2, 3]),
    # joins and parts
    case("Concat", [(2, 3), (4, 3)], "input 1 of ONNX's Concat has shape (4, 3), which differs from that of input 0, (2, 3), on other axes than 1", axis=1),
    case("Concat", [(2, 3), (2, 3, 1)], "input 1 of ONNX's Concat has shape (2, 3, 1)", axis=1),
    case("Split", [(2, 6), ints(2, 3)], "the sizes in input 1 of ONNX's Split do not add up to 6", outputs=2, axis=1),
    case("Split", [(2, 6), ints(2, 4)], "input 1 of ONNX's Split has 2 elements, but the number of outputs is 3", outputs=3, axis=1),
    case("Split", [(2, 6)], "'num_outputs' is 3, but ONNX's Split has 2 outputs", outputs=2, axis=1, num_outputs=3,
         anyway="a part is lost"),
    case("Split", [(2, 6)], "ONNX's Split gives 4 parts of 2, which are more than 6", outputs=4, axis=1),
    case("Split", [(2, 6), ints(2, 4)], "'num_outputs' is 2, but ONNX's Split has 2 outputs, whose sizes are in input 1", outputs=2, axis=1,
         num_outputs=2),
    case("Reshape", [(2, 6), ints(5, 2)], "input 0 of ONNX's Reshape has shape (2, 6) with 12 elements, which is not the product 10 as in input 1"),
    case("Reshape", [(2, 6), ints(5, -1)], "input 0 of ONNX's Reshape has shape (2, 6) with 12 elements, which is not a multiple of 5"),
    case("Reshape", [(2, 6), ints(-1, -1)], "input 1 of ONNX's Reshape has -1 as element 1, which is there twice"),
    case("Reshape", [(2, 6), ints(-2, 6)], "input 1 of ONNX's Reshape has -2 as element 0, which is negative"),
    case("Reshape", [(2, 6), ints(2, 6, 0)], "input 1 of ONNX's Reshape has 0 as element 2, which is for a size that input 0 does not have"),
    case("Concat", [(2, 3), (4, 3)], axis=0),
    case("Split", [(2, 6), ints(2, 4)], outputs=2, axis=-1),
    case("Split", [(2, 7)], outputs=4, axis=1, num_outputs=4),
    case("Reshape", [(2, 6), ints(0, 3, -1)]),
    # recurrence, boxes, grids
    case("LSTM", [(5, 2, 3), zeros(1, 16, 4), zeros(1, 16, 4)], "axis 2 of input 1 of ONNX's LSTM has the size 4, but must have 3", hidden_size=4),
    case("GRU", [(5, 2, 3), zeros(1, 12, 3), zeros(1, 9, 4)], "axis 1 of input 2 of ONNX's GRU has the size 9, but must have 12", hidden_size=4),
    case("RNN", [(5, 3), zeros(1, 4, 3), zeros(1, 4, 4)], "input 0 of ONNX's RNN has shape (5, 3), but must have rank 3", hidden_size=4),
    case("NonMaxSuppression", [(1, 5, 4), zeros(1, 2, 6)], "axis 2 of input 1 of ONNX's NonMaxSuppression has the size 6, but must have 5"),
    case("RoiAlign", [X, zeros(2, 4), ints(0)], "axis 0 of input 2 of ONNX's RoiAlign has the size 1, but must have 2"),
    case("GridSample", [X, zeros(3, 3, 3, 2)], "axis 0 of input 1 of ONNX's GridSample has the size 3, but must have 2"),
    case("LSTM", [(5, 2, 3), zeros(1, 16, 3), zeros(1, 16, 4)], hidden_size=4),
    case("NonMaxSuppression", [(1, 5, 4), zeros(1, 2, 5)]),
    case("RoiAlign", [X, zeros(2, 4), ints(0, 1)]),
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
        m.opset = OPSETS.get(op, 21)
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
                                   [onnx.helper.make_tensor_value_info("y%d" % i, TYPES.get(op, 1), None) for i in range(outputs)], constants)
    if op == "GroupNormalization":  # a function: the checker requires the shape of its result
        graph.output[0].type.tensor_type.shape.CopyFrom(graph.input[0].type.tensor_type.shape)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSETS.get(op, 21))], ir_version=10)
    try:
        onnx.checker.check_model(onnx.shape_inference.infer_shapes(model, strict_mode=True))
        session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        session.run(None, {n: np.zeros(x, f32) for n, x in given})
    except Exception as e:  # their classes are many
        return str(e)
    return None


def check(op, inputs, attributes, outputs, words, anyway):
    error = in_the_library(op, inputs, attributes, outputs)
    theirs = in_the_runtime(op, inputs, attributes, outputs)
    if words is None:
        assert error is None and theirs is None, (error, theirs)
    else:
        assert error is not None and words in error and "node 'c' (Custom)" in error, (error, theirs)
        assert (theirs is None) == (anyway is not None), theirs


@pytest.mark.parametrize("op, inputs, attributes, outputs, words, anyway", ATTRIBUTES)
def test_attributes_are_those_that_onnx_runtime_takes(op, inputs, attributes, outputs, words, anyway):
    check(op, inputs, attributes, outputs, words, anyway)


@pytest.mark.parametrize("op, inputs, attributes, outputs, words, anyway", SHAPES)
def test_shapes_are_those_that_onnx_runtime_takes(op, inputs, attributes, outputs, words, anyway):
    check(op, inputs, attributes, outputs, words, anyway)
