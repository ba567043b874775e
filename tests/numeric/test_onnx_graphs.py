# SPDX-License-Identifier: Apache-2.0
"""Graphs of ONNX's nodes that a handler adds (onnx_graphs.py): random ones, and those that were once written wrongly."""
import json
import re

import numpy as np
import onnx
import pytest

import mx2onnx
from onnx_graphs import Graph, f32, session


@pytest.mark.parametrize("part", range(8))
def test_random_graphs_give_what_their_nodes_give(part):
    graphs = [Graph(1, i).draw() for i in range(100 * part, 100 * part + 100)]
    found = {g.index: g.checked() for g in graphs if g.outputs}
    assert {i: text for i, text in found.items() if text} == {}
    assert len(found) > 80


def graph(*shapes, opset=21, target="onnxruntime", dims_are_open=False):
    g = Graph(0, 0)
    g.opset, g.target, g.open = opset, target, dims_are_open
    g.inputs = [g.value(np.linspace(-2, 2, int(np.prod(s)), dtype=f32).reshape(s), exact=True) for s in shapes]
    return g


def check(g, *outputs):
    g.outputs = list(outputs)
    assert g.difference() is None, g.text()


@pytest.mark.parametrize("dims_are_open", [False, True])
def test_a_squeeze_without_axes_removes_those_of_size_1_only(dims_are_open):
    g = graph((2, 4, 5), dims_are_open=dims_are_open)
    image, = g.add("Reshape", [0, g.ints(2, 1, 4, 5)])
    turned, = g.add("Transpose", [image], {"perm": [0, 3, 1, 2]})
    one, = g.add("Squeeze", [turned, g.ints(2)])
    all_ones, = g.add("Squeeze", [image])
    last, = g.add("Transpose", [all_ones], {"perm": [0, 2, 1]})
    check(g, one, last)


def test_a_squeeze_without_axes_stays_after_the_transpose_of_open_dims():
    g = graph((1, 3, 8, 6), dims_are_open=True)
    one, = g.add("Transpose", [0], {"perm": [0, 1, 3, 2]})
    other, = g.add("Transpose", [one], {"perm": [3, 1, 2, 0]})
    selu, = g.add("Selu", [other])
    check(g, one, *g.add("Squeeze", [selu]))


@pytest.mark.parametrize("zero_point", [np.uint8(10), np.uint8([10, 0, 3, 128])], ids=["one", "of_each_channel"])
def test_levels_with_a_zero_point_stay_uint8_for_a_target_of_int8(zero_point):
    g = graph((2, 4), target="tensorrt", opset=17)
    scale = g.constant(np.full(zero_point.shape, 0.5, f32))
    levels, = g.add("QuantizeLinear", [0, scale, g.constant(zero_point)])
    check(g, *g.add("DequantizeLinear", [levels, scale, g.constant(zero_point)]))


@pytest.mark.parametrize("between, relus", [
    ([], 1), (["Relu"], 1), (["Neg"], 1), (["Relu", "Neg"], 2), (["Flatten"], 1), (["Relu", "Flatten"], 1), (["Relu", "Transpose", "Flatten"], 1),
    (["Relu", "Concat"], 2), (["Levels"], 1), (["Levels", "Flatten"], 1), (["Levels", "Neg"], 2), (["Signed"], 1),
    (["Relu", "Signed"], 2)])
def test_values_that_were_cut_at_0_are_not_cut_again_for_a_target_of_int8(between, relus):
    g = graph((3, 4), target="tensorrt", opset=17)
    step, x = g.constant(f32(0.5)), 0
    for op in between + ["Levels"]:
        if op in ("Levels", "Signed"):
            none = g.constant(np.uint8(0) if op == "Levels" else np.int8(0))
            x, = g.add("DequantizeLinear", [*g.add("QuantizeLinear", [x, step, none]), step, none])
        elif op == "Concat":
            x, = g.add(op, [x, 0], {"axis": 0})
        else:
            x, = g.add(op, [x])
    g.outputs = [x]
    assert [n.op_type for n in onnx.load_from_string(g.export()).graph.node].count("Relu") == relus


def test_a_reshape_to_sizes_that_are_not_known_stays_after_its_transpose():
    g = graph((2, 4, 5), dims_are_open=True)
    minus, = g.add("Mul", [g.constant(f32([-1])), 0])
    one, = g.add("Transpose", [minus], {"perm": [1, 0, 2]})
    other, = g.add("Transpose", [minus], {"perm": [1, 0, 2]})
    least, = g.add("Min", [one, other])
    back, = g.add("Transpose", [least], {"perm": [1, 0, 2]})
    last, = g.add("Shape", [least], {"start": 2, "end": 3})
    sizes, = g.add("Concat", [g.ints(-1), last], {"axis": 0})
    check(g, back, *g.add("Reshape", [least, sizes]))


@pytest.mark.parametrize("size", range(1, 8))
@pytest.mark.parametrize("kernel, stride, pads", [(1, 2, (0, 0)), (1, 3, (0, 0)), (2, 2, (0, 1)), (2, 3, (1, 1)), (3, 2, (0, 2)), (3, 2, (1, 0))])
def test_in_ceil_mode_no_window_starts_in_the_padding_of_an_open_dim(kernel, stride, pads, size):
    g = graph((1, 2, size), dims_are_open=True)
    pooled = g.add("MaxPool", [0], {"kernel_shape": [kernel], "strides": [stride], "pads": pads, "ceil_mode": 1})
    assert pooled or size + sum(pads) < kernel
    if pooled:
        check(g, *g.add("Shape", pooled))


@pytest.mark.parametrize("starts, ends", [
    ((0, 1), (3, 4)), ((-3, -2), (2 ** 63 - 1, -1)), ((1, 0), (2 ** 63 - 1, -2)), ((0, 2), (-1, 2 ** 63 - 1))])
def test_a_slice_takes_what_there_is_of_an_open_dim(starts, ends):
    g = graph((3, 4), dims_are_open=True)
    part, = g.add("Slice", [0, g.ints(*starts), g.ints(*ends), g.ints(0, 1)])
    last, = g.add("Shape", [part], {"start": -1})
    sizes, = g.add("Concat", [last, g.ints(-1)], {"axis": 0})
    g.resized = lambda: {0: np.ones((2, 7), f32)}
    check(g, *g.add("Reshape", [part, sizes]))


@pytest.mark.parametrize("attributes", [{}, {"axis": -1}])
def test_softmax_of_a_value_of_unknown_rank_is_along_the_last_axis(attributes):
    g = graph((2, 1, 3), opset=12, dims_are_open=True)
    x, = g.add("Squeeze", [0])
    check(g, *g.add("Softmax", [x], attributes))


@pytest.mark.parametrize("bias", [None, "after", "before", "one", "two"])
@pytest.mark.parametrize("moves, axis, parts", [
    ([(0, 2, 1)], 1, 3), ([(0, 2, 1)], -2, [4, 12, 8]), ([(2, 0, 1)], 0, 3), ([(2, 0, 1)], 1, 2), ([(0, 2, 1)], 2, 3),
    (["2,3,2,12", (0, 2, 1, 3)], 3, 3), (["2,3,2,12", (0, 2, 1, 3)], 1, 2), (["2,3,12,2", (0, 2, 1, 3)], 3, 2),
    (["2,3,2,12", (3, 0, 2, 1)], 0, [2, 10]), (["6,24", (1, 0)], 0, 3), (["6,24", (1, 0)], 1, 3), ([(0, 2, 1), "2,24,3,1"], 1, 3),
    ([(0, 2, 1), "2,4,6,3"], 1, 2), ([(0, 2, 1), "2,4,6,3"], 2, 3), ([(0, 2, 1), "2,4,6,3"], 3, 3), (["1,6,24", (0, 2, 1)], 1, 3), (["2,1,3,24", (1, 3, 0, 2)], 1, 3),
    (["2,3,24", (1, 0, 2), (0, 2, 1)], 1, 3), (["2,3,2,12", "2,3,2,3,4", (4, 0, 1, 2, 3)], 0, 2), (["3,2,24", (2, 1, 0)], 0, 3),
    ([(2, 1, 0), "24,3,2", (1, 2, 0), "3,2,24", (2, 0, 1), "24,6"], 0, 3), (["144", "24,6", (1, 0)], 0, 3), (["2,72", (1, 0)], 0, 3)])
def test_moved_and_split_products_agree(moves, axis, parts, bias):
    r = np.random.RandomState(1)
    g = graph((2, 3, 4))
    y, = g.add("MatMul", [0, g.constant(r.normal(size=(4, 24)).astype(f32))])
    if bias:
        c = g.constant(r.normal(size={"one": (1,), "two": (1, 24)}.get(bias, (24,))).astype(f32))
        y, = g.add("Add", [c, y] if bias == "before" else [y, c])
    for move in moves:
        y, = g.add("Reshape", [y, g.ints(*map(int, move.split(",")))]) if isinstance(move, str) else g.add("Transpose", [y], {"perm": move})
    sizes = {} if isinstance(parts, list) else {"num_outputs": parts}
    check(g, *g.add("Split", [y] + ([] if sizes else [g.ints(*parts)]), {"axis": axis, **sizes}, outputs=parts if sizes else len(parts)))


@pytest.mark.parametrize("axis", [None, -2, 1, -3])
@pytest.mark.parametrize("dims_are_open", [False, True])
def test_the_axis_of_a_transform_is_kept_at_opset_17(axis, dims_are_open):
    g = graph((2, 3, 4, 1), dims_are_open=dims_are_open, opset=17)
    x, = g.add("Reshape", [0, g.ints(0, 0, -1, 1)]) if axis != -3 else g.add("Unsqueeze", [*g.add("Squeeze", [0]), g.ints(3)])
    check(g, *g.add("DFT", [x, None] + ([] if axis is None else [g.constant(np.int64(axis))])))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
@pytest.mark.parametrize("op, bounds", [("Max", None), ("Min", None), ("Clip", []), ("Clip", [1]), ("Clip", [None, 1]), ("Clip", [-1, 1])])
def test_extremes_of_integers_agree_at_opset_11(op, bounds, dtype):
    g = graph((3, 4), (3, 4), (3, 4), (3, 4), opset=11)
    to = {"to": onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))}
    more = [None if v is None else g.constant(dtype(v)) for v in bounds or []]
    numbers = [g.add("Cast", [i], to)[0] for i in g.inputs]
    check(g, *g.add(op, [numbers[0], *more] if bounds is not None else numbers))


@pytest.mark.parametrize("rank_is_known", [True, False])
@pytest.mark.parametrize("start, end", [
    (0, 2), (1, None), (1, 3), (1, 2), (-2, None), (0, -1), (-2, -1), (0, 100), (-100, 2), (-100, -1)])
def test_a_part_of_a_shape_is_kept_before_opset_15(start, end, rank_is_known):
    g = graph((2, 4, 5), opset=14, dims_are_open=True)
    x = 0 if rank_is_known else g.add("Squeeze", [0])[0]
    check(g, *g.add("Shape", [x], dict({"start": start}, **({} if end is None else {"end": end}))))


def followed_by(operator, attributes, lower, infer, opset=21, target=None, outputs=1):
    """The model of a handler whose result an operator of MXNet reads."""
    nodes = [{"op": "null", "name": "data", "inputs": []},
             {"op": "Custom", "name": "c", "attrs": {"op_type": "any"}, "inputs": [[0, 0, 0]]},
             {"op": operator, "name": "after", "attrs": attributes, "inputs": [[1, 0, 0]]}]
    symbol = {"nodes": nodes, "arg_nodes": [0], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    with mx2onnx.Model(json.dumps(symbol).encode()) as m:
        m.set_input_shape("data", (1, 1, 2, 4) if outputs == 1 else tuple("abcd"))
        m.opset, m.target = opset, target
        m.add_custom_operator(mx2onnx.CustomOperator("any", lower, infer=infer, outputs=outputs))
        return session(m.export_bytes())


@pytest.mark.parametrize("operator, attributes, written, rank", [
    ("repeat", {"repeats": "2", "axis": "0"}, (0, 3), 2), ("repeat", {"repeats": "2", "axis": "2"}, (2, 3, 0, 4), 4),
    ("_npi_repeats", {"repeats": "(2,)", "axis": "0"}, (0, 3), 2), ("_np_roll", {"shift": "(1,)", "axis": "(0,)"}, (0, 3), 2),
    ("_np_roll", {"shift": "(1,)"}, (0, 3), 2), ("_contrib_AdaptiveAvgPooling2D", {"output_size": "(2,2)"}, (1, 2, 0, 4), 4)])
def test_a_handler_may_write_nothing_where_it_declares_an_open_size(operator, attributes, written, rank):
    shape = [None if size == 0 else size for size in written]
    zeros = np.zeros(written, f32)
    model = followed_by(operator, attributes, lambda node: node.constant(zeros), lambda node: node.set_output(0, "float32", shape))
    assert len(model.get_outputs()[0].shape) == rank


@pytest.mark.parametrize("factors", [(1, 1, 1, 1.5), (1, 1, 1, 2), (0.5, 1, 1, 2), (1, 2, 1, 2), (1, 1, 1, 2048)])
def test_a_repeat_after_the_resize_of_a_handler_enlarges_what_that_gives(factors):
    shape = [int(f * size) for f, size in zip(factors, (2, 1, 2, 4))]
    x = np.arange(16, dtype=f32).reshape(2, 1, 2, 4)
    words = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}

    def lower(node):
        return node.add("Resize", node.constant(x), None, node.constant(np.array(factors, f32)), **words)

    model = followed_by("repeat", {"repeats": "2", "axis": "2"}, lower, lambda node: node.set_output(0, "float32", shape))
    result, = model.run(None, {"data": np.zeros((1, 1, 2, 4), f32)})
    rows = [np.floor(np.arange(n) / f).astype(int) for n, f in zip(shape, factors)]
    assert (result == np.repeat(x[np.ix_(*rows)], 2, axis=2)).all()


@pytest.mark.parametrize("computed", ["axes", "pads", "rank", None])
def test_a_pad_of_some_axes_before_opset_18_needs_what_is_known(computed):
    def lower(node):
        known = {"pads": node.constant(np.int64([1, 0])), "axes": node.constant(np.int64([-1]))}
        x = node.inputs[0]
        at_run_time = node.add("Cast", node.add("ReduceMax", node.add("Exp", x), keepdims=0), to=7)  # 1
        if computed == "rank":
            x = node.add("Compress", x, node.add("Cast", node.add("Reshape", x, node.constant(np.int64([-1]))), to=9))
            x = node.add("Squeeze", node.add("Reshape", x, node.add("Reshape", at_run_time, node.constant(np.int64([1])))))
        elif computed:
            number = node.add("Reshape", at_run_time, node.constant(np.int64([1])))
            known[computed] = number if computed == "axes" else node.add("Concat", number, number, axis=0)
        return node.add("ReduceSum", node.add("Pad", x, known["pads"], None, known["axes"]), keepdims=0)

    def model():
        return followed_by("relu", {}, lower, lambda node: node.set_output(0, "float32", ()), opset=17)
    if computed:
        with pytest.raises(mx2onnx.Error, match="Pad of computed axes"):
            model()
    else:
        assert model().run(None, {"data": np.ones((1, 1, 2, 4), f32)})[0] == 8


@pytest.mark.parametrize("part", [{"start": 1, "end": 1}, {"start": 3, "end": 2}, {"start": 100}])
def test_a_part_of_a_shape_may_be_empty_before_opset_15(part):
    def lower(node):
        nonzero = node.add("NonZero", node.inputs[0])  # of an unknown size
        sizes = node.add("Concat", node.add("Shape", nonzero, **part), node.constant(np.int64([7])), axis=0)
        return node.add("Cast", sizes, to=1)

    model = followed_by("relu", {}, lower, lambda node: node.set_output(0, "float32", (1,)), opset=14)
    result, = model.run(None, {"data": np.full((1, 1, 2, 4), 1, f32)})
    assert (result == [7]).all()


@pytest.mark.parametrize("perm", [[0, 100000], [-1, 0], [0, 0]])
def test_the_axes_of_a_transpose_are_checked_before_its_rank_is_known(perm):
    def lower(node):
        x = node.add("Squeeze", node.inputs[0])
        return [x, node.add("Transpose", x, perm=perm)]

    def infer(node):
        node.set_output(0, "float32", (4, 4))  # which says the rank, after the Transpose was added
        node.set_output(1, "float32", (4, 4))

    with pytest.raises(mx2onnx.Error, match="perm"):
        followed_by("relu", {}, lower, infer, outputs=2)


def test_pads_of_a_convolution_may_be_fewer_than_its_rank_asks_for_later():
    def lower(node):
        padded = node.add("Pad", node.add("Squeeze", node.inputs[0]), node.constant(np.int64([0, 0, 1, 1, 0, 0, 1, 1])))
        return [node.add("Conv", padded, node.constant(np.ones((3, 2, 3, 3), f32)), pads=[1]), padded]

    def infer(node):
        node.set_output(0, "float32", (1, 3, 2, 4))
        node.set_output(1, "float32", (1, 2, 4, 6))

    with pytest.raises(Exception, match="pads"):  # ONNX Runtime refuses it, as it does the node
        followed_by("relu", {}, lower, infer, outputs=2).run(None, {"data": np.zeros((1, 2, 2, 4), f32)})


@pytest.mark.parametrize("chain", [["2,4,0", (2, 0, 1)], [(1, 2, 0), "4,0,2,1", (3, 0, 1, 2)], ["0", "2,0,4"], [(2, 1, 0), "8,0", (1, 0), "0,2,4"]])
def test_reshapes_and_transposes_of_nothing_agree(chain):
    def lower(node):
        x = node.add("Slice", node.inputs[0], *map(node.constant, np.int64([[0], [0], [1]])))
        x = node.add("Squeeze", x, node.constant(np.int64([0])))
        for move in chain:
            if isinstance(move, str):
                x = node.add("Reshape", x, node.constant(np.int64(move.split(","))), allowzero=1)
            else:
                x = node.add("Transpose", x, perm=list(move))
        return node.add("ReduceSum", x, keepdims=0)

    model = followed_by("relu", {}, lower, lambda node: node.set_output(0, "float32", ()))
    assert model.run(None, {"data": np.ones((1, 1, 2, 4), f32)})[0] == 0


@pytest.mark.parametrize("op, shapes, words", [
    ("Add", [(0, 2 ** 40, 1), (0, 1, 2 ** 40)], None), ("Where", [(0, 2 ** 40, 1), (0, 1, 2 ** 40)], None),
    ("Gather", [(0, 2 ** 40), (0, 2 ** 40)], None), ("Gather", [(2 ** 50, 0), (0,)], None),
    ("Concat", [(0, 2 ** 53)] * 1030, "a tensor of the model would have more than 2^53 elements")])
def test_constants_without_elements_are_not_computed(op, shapes, words):
    def lower(node):
        inputs = [node.constant(np.zeros(s, np.int64 if op == "Gather" and i == 1 else f32)) for i, s in enumerate(shapes)]
        inputs = [node.constant(np.zeros(shapes[0], bool)), *inputs] if op == "Where" else inputs
        node.add(op, *inputs, **({"axis": 1} if op in ("Gather", "Concat") else {}))
        return node.inputs[0]

    def infer(node):
        node.set_output(0, like=0)

    if words:
        with pytest.raises(mx2onnx.Error, match=re.escape(words)):
            followed_by("relu", {}, lower, infer)
    else:  # which nothing reads, so that it is not written
        assert [n.shape for n in followed_by("relu", {}, lower, infer).get_outputs()] == [[1, 1, 2, 4]]


@pytest.mark.parametrize("op, at, dtype", [("Resize", 2, f32), ("ReduceSum", 1, np.int64), ("Expand", 1, np.int64), ("Pad", 1, np.int64)])
def test_a_constant_without_elements_may_not_have_longer_axes_than_another(op, at, dtype):
    def lower(node):
        half = node.constant(np.zeros((0, 2 ** 53), dtype))
        node.add(op, node.inputs[0], *[None] * (at - 1), node.add("Concat", half, half, axis=1))
        return node.inputs[0]

    with pytest.raises(mx2onnx.Error, match=re.escape("a constant has more than 2^53 elements")):
        followed_by("relu", {}, lower, lambda node: node.set_output(0, like=0))


@pytest.mark.parametrize("shape", [(), (4,)], ids=["one", "of_each_channel"])
@pytest.mark.parametrize("made, read", [(False, False), (True, False), (False, True), (True, True)])
def test_levels_of_int8_have_a_zero_point_where_those_of_uint8_have_none(made, read, shape):
    def lower(node):
        scale, zero = node.constant(np.full(shape, 0.01, f32)), node.constant(np.zeros(shape, np.uint8))
        axis = {"axis": 3} if shape else {}
        levels = node.add("QuantizeLinear", node.inputs[0], scale, *[zero] * made, **axis)
        return node.add("DequantizeLinear", levels, scale, *[zero] * read, **axis)

    model = followed_by("identity", {}, lower, lambda node: node.set_output(0, like=0), opset=17, target="tensorrt")
    x = np.linspace(-1, 3, 8, dtype=f32).reshape(1, 1, 2, 4)
    got, = model.run(None, {"data": x})
    assert np.abs(got - np.clip(x, 0, 2.55)).max() <= 0.01 * 255 / 127 / 2 + 1e-6


def of_handler(lower, declared, head, shape=tuple("abcd"), **options):
    """A model of a node with outputs of the declared shapes. Output `head` is the model's."""
    nodes = [{"op": "null", "name": "data", "inputs": []},
             {"op": "Custom", "name": "c", "attrs": {"op_type": "any"}, "inputs": [[0, 0, 0]]}]
    symbol = {"nodes": nodes, "arg_nodes": [0], "heads": [[1, head, 0]], "attrs": {"mxnet_version": ["int", 10901]}}

    def infer(node):
        for i, dims in enumerate(declared):
            node.set_output(i, "float32", dims)

    m = mx2onnx.Model(json.dumps(symbol).encode())
    m.set_input_shape("data", shape)
    for name, value in options.items():
        setattr(m, name, value)
    m.add_custom_operator(mx2onnx.CustomOperator("any", lower, infer=infer, outputs=len(declared)))
    return m


def ints(node, *numbers):
    return node.constant(np.array(numbers, np.int64))


@pytest.mark.parametrize("declared", [(3, 2, None), (3, 2, 1), (3, 2, 4), (None, 2, 4)])
@pytest.mark.parametrize("shape", [("a", "b"), (2, 3)])
def test_a_reshape_to_sizes_that_are_declared_alone_stays(declared, shape):
    def lower(node):
        turned = node.add("Transpose", node.inputs[0], perm=[1, 0])
        y = node.add("Reshape", turned, node.add("Cast", node.add("Any", node.inputs[0], domain="com.example"), to=7))
        return node.add("Relu", node.add("Transpose", y, perm=[2, 1, 0])), y

    assert " = Reshape(" in of_handler(lower, [(None,) * 3, declared], 0, shape).graph_text("onnx")


@pytest.mark.parametrize("first, second", [(0, 1), (70, 70), (-70, 0), (0, 5)])
def test_reductions_along_axes_that_a_declared_rank_does_not_have_stay(first, second):
    def lower(node):
        x = node.add("Squeeze", node.inputs[0])
        inner = node.add("ReduceSum", x, ints(node, first), keepdims=0)
        return x, inner, node.add("ReduceSum", inner, ints(node, second), keepdims=0)

    assert of_handler(lower, [(2, 4), (4,), ()], 2).graph_text("onnx").count(" = ReduceSum(") == 2


def test_products_of_a_declared_rank_are_written():
    def lower(node):
        x = node.add("Squeeze", node.inputs[0])
        x = node.add("Squeeze", node.add("Unsqueeze", x, ints(node, 0)))
        products = [node.add("MatMul", x, node.constant(np.full((4, 2), k, f32))) for k in range(1, 4)]
        return x, node.add("Concat", *products, axis=-1)

    m = of_handler(lower, [(2, 4), (2, 6)], 1)
    got, = session(m.export_bytes()).run(None, {"data": np.arange(8, dtype=f32).reshape(1, 1, 2, 4)})
    assert (got == np.repeat([[6, 22]], 6, 0).T * np.repeat([1, 2, 3], 2)).all()


def test_levels_by_a_step_of_unknown_rank_stay_uint8():
    def lower(node):
        step = node.add("Cast", node.add("Any", node.inputs[0], domain="com.example"), to=1)
        return node.add("DequantizeLinear", node.add("QuantizeLinear", node.inputs[0], step), step)

    assert " : uint8 " in of_handler(lower, [(2, 3)], 0, (2, 3), target="tensorrt", opset=17).graph_text("onnx")


def test_a_where_may_choose_infinity_for_a_target_without_masks():
    def lower(node):
        y = node.add("Cast", node.add("ArgMax", node.inputs[0], axis=-1), to=1)
        y = node.add("Mul", node.add("Mul", y, node.constant(f32(1e38))), node.constant(f32(10)))
        return node.add("Where", node.constant(np.array([True, False, True, True])), node.inputs[0], y)

    x = np.arange(8, dtype=f32).reshape(1, 1, 2, 4)
    m = of_handler(lower, [(1, 1, 2, 4)], 0, (1, 1, 2, 4), target="opencv4", opset=17)
    got, = session(m.export_bytes()).run(None, {"data": x})
    assert got.ravel().tolist() == [0, np.inf, 2, 3, 4, np.inf, 6, 7]


def kept(*names):
    nodes = [{"op": "null", "name": "data", "inputs": []}]
    nodes += [{"op": name, "name": name.lower(), "inputs": [[i, 0, 0]]} for i, name in enumerate(names)]
    m = mx2onnx.Model(json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[len(names), 0, 0]],
                                  "attrs": {"mxnet_version": ["int", 10901]}}).encode())
    m.set_input_shape("data", (2, 3))
    m.unknown_domain = "com.example"
    return m


def test_an_operator_without_a_lower_function_is_kept_with_an_unknown_rank():
    m = kept("Foo", "Bar", "relu")
    m.set_input_dtype("bar", "float32")
    m.add_custom_operator(mx2onnx.CustomOperator("Bar", None, infer=lambda node: node.set_output(0, "float32", (2, 3))))
    assert "bar = com.example::Bar(foo) : float32" in m.graph_text("onnx")


def test_a_dim_of_an_unknown_operator_without_a_shape_has_no_name():
    with pytest.raises(mx2onnx.Error, match="the input has no known rank"):
        kept("Foo").set_input_dim_name("foo", 0, "n")


def unknown(node, x):
    """x, of an unknown rank."""
    return node.add("Cast", node.add("Any", x, domain="com.example"), to=1)


def test_a_sum_with_a_product_of_unknown_rank_stays():
    def lower(node):
        x = unknown(node, node.inputs[0])
        product = node.add("MatMul", x, node.constant(np.ones((3, 4), f32)))
        return x, node.add("Add", product, node.constant(np.ones(4, f32)))

    text = of_handler(lower, [(2, 3), (2, 4)], 1, (2, 3)).graph_text("onnx")
    assert " = MatMul(" in text and " = Add(" in text


def test_transposes_that_were_written_before_their_rank_was_known_stay():
    def lower(node):
        x = unknown(node, node.inputs[0])
        turned = node.add("Transpose", x)
        return x, turned, node.add("Transpose", turned)

    assert of_handler(lower, [(2, 3), (3, 2), (2, 3)], 2, (2, 3)).graph_text("onnx").count(" = Transpose(") == 2


@pytest.mark.parametrize("target", ["onnxruntime", "tract"])
@pytest.mark.parametrize("turned", [{"transA": 1}, {"transB": 1}, {"transA": 1, "transB": 1}])
def test_a_gemm_may_have_unknown_ranks(turned, target):
    def lower(node):
        halves = node.add("Cast", unknown(node, node.inputs[0]), to=10)
        return node.add("Cast", node.add("Gemm", halves, halves, **turned), to=1)

    assert of_handler(lower, [(2, 2)], 0, (2, 2), target=target, opset=17).export_bytes()


@pytest.mark.parametrize("type_is_written", [False, True])
def test_the_type_of_levels_is_that_of_their_zero_point(type_is_written):
    def lower(node):
        step = node.constant(f32(0.5))
        levels = node.add("QuantizeLinear", node.inputs[0], step, **({"output_dtype": 2} if type_is_written else {}))
        return node.add("DequantizeLinear", levels, step)

    m = onnx.load_from_string(of_handler(lower, [(2, 3)], 0, (2, 3), target="tensorrt", opset=21).export_bytes())
    types = [a.i for n in m.graph.node for a in n.attribute if a.name == "output_dtype"]
    assert types == ([onnx.TensorProto.INT8] if type_is_written else [])
    assert {i.data_type for i in m.graph.initializer if not i.dims} == {onnx.TensorProto.FLOAT, onnx.TensorProto.INT8}


def test_values_that_a_handler_added_do_not_count_after_its_call():
    def lower(node):
        x = node.inputs[0]
        for _ in range(600):
            x = node.add("Neg", x)
        return x

    m = of_handler(lower, [(2, 3)], 0, (2, 3))
    m.memory_limit = 4 << 20
    for _ in range(2000):
        m.graph_text("onnx")


@pytest.mark.parametrize("training", [0, 1])
@pytest.mark.parametrize("half", [False, True])
def test_a_norm_by_the_batch_stays_after_a_convolution(training, half):
    def lower(node):
        image, weight = node.inputs[0], np.linspace(-1, 1, 27, dtype=f32).reshape(9, 3, 1, 1)
        if half:
            image, weight = node.add("Cast", image, to=10), weight.astype(np.float16)
        y = node.add("Conv", image, node.constant(weight))
        y = node.add("BatchNormalization", y, *[node.constant(np.full(9, v, f32)) for v in (1, 0, 2, 3)], training_mode=training)
        return node.add("Cast", y, to=1)

    m = onnx.load_from_string(of_handler(lower, [(2, 9, 4, 4)], 0, (2, 3, 4, 4), opset=17).export_bytes())
    norms = [n for n in m.graph.node if n.op_type == "BatchNormalization"]
    assert [a.i for n in norms for a in n.attribute if a.name == "training_mode"] == [1] * training
