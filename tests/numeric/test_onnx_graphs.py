# SPDX-License-Identifier: Apache-2.0
"""Graphs of ONNX's nodes that a handler adds (onnx_graphs.py): random ones, and those that were once written wrongly."""
import numpy as np
import pytest

from onnx_graphs import Graph, f32


@pytest.mark.parametrize("part", range(8))
def test_random_graphs_compute_what_their_nodes_do(part):
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


@pytest.mark.parametrize("starts, ends", [((0, 1), (3, 4)), ((-3, -2), (2 ** 63 - 1, -1)), ((1, 0), (2 ** 63 - 1, -2)), ((0, 2), (-1, 2 ** 63 - 1))])
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
