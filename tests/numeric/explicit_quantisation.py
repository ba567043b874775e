#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of TensorRT's explicit quantisation (NVIDIA, "Working with Quantized Types"; onnx-tensorrt, docs/operators.md), checked on the
graph, since no GPU is needed to read it.

    python tests/numeric/explicit_quantisation.py MODEL.onnx...     what breaks a rule; exit 1 if anything does

    scale   a constant of floats, positive and finite: one number, or one for each channel of a weight
    zero    a constant of int8, all 0
    axis    that of a weight's outputs: 0 of Conv and of a Gemm that transposes it, 1 of other products and of ConvTranspose
    pairs   a quantised value is dequantised before anything computes with it; only its shape may change
    both    a product whose weight is quantised reads quantised data, too
    bias    floats
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

MOVES = ("Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze")
PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul")
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16)


class Graph:
    def __init__(self, graph):
        self.nodes = graph.node
        self.constants = {i.name: i for i in graph.initializer}
        self.made = {o: n for n in graph.node for o in n.output}
        self.readers = {}
        for n in graph.node:
            for k, name in enumerate(n.input):
                self.readers.setdefault(name, []).append((n, k))

    def value(self, name):
        return numpy_helper.to_array(self.constants[name]) if name in self.constants else None

    def before_moves(self, name):
        """The node that made a value which only moved since; None for a constant or an input."""
        node = self.made.get(name)
        while node is not None and node.op_type in MOVES:
            node = self.made.get(node.input[0])
        return node


def attribute(n, name, default):
    return next((onnx.helper.get_attribute_value(a) for a in n.attribute if a.name == name), default)


def output_axis(n):
    """The axis of a product's weight that its outputs are on."""
    return 0 if n.op_type == "Conv" or (n.op_type == "Gemm" and attribute(n, "transB", 0)) else 1


def check_level(g, n):
    """Scale, zero point and axis of a QuantizeLinear or DequantizeLinear."""
    scale, zero = g.value(n.input[1]), g.value(n.input[2]) if len(n.input) > 2 else None
    if scale is None:
        yield "the scale is computed"
        return
    if g.constants[n.input[1]].data_type not in FLOATS or not (np.isfinite(scale).all() and (scale > 0).all()):
        yield "the scale is not of positive floats"
    if zero is None or zero.dtype != np.int8 or zero.any() or zero.shape != scale.shape:
        yield "the zero point is not a constant of int8 with zeros, as many as there are scales"
    if scale.size > 1 and scale.ndim > 0:
        yield from check_channels(g, n, scale)


def check_channels(g, n, scale):
    weight = g.value(n.input[0])
    if weight is None:
        yield "there is a scale for each channel of data; TensorRT takes them for weights alone"
        return
    axis = attribute(n, "axis", 1)
    for reader, k in g.readers.get(n.output[0], []):
        if reader.op_type not in PRODUCTS or k != 1 or axis % weight.ndim != output_axis(reader):
            yield "the scales are on axis %d of a weight of %s, input %d" % (axis, reader.op_type, k)
    if scale.shape != (weight.shape[axis],):
        yield "there are %d scales for %d channels" % (scale.size, weight.shape[axis])


def check_pair(g, n):
    x = n.input[0]
    if n.op_type == "QuantizeLinear":
        waiting = [n.output[0]]
        while waiting:
            for reader, _ in g.readers.get(waiting.pop(), []):
                if reader.op_type in MOVES:
                    waiting.append(reader.output[0])
                elif reader.op_type != "DequantizeLinear":
                    yield "%s computes with levels" % reader.op_type
    elif x in g.constants:
        if g.constants[x].data_type != TensorProto.INT8:
            yield "the constant is not of int8"
    elif getattr(g.before_moves(x), "op_type", None) != "QuantizeLinear":
        yield "what is dequantised comes from no QuantizeLinear"


def check_product(g, n):
    makers = [getattr(g.before_moves(name), "op_type", None) for name in n.input]
    if makers[1] == "DequantizeLinear" and makers[0] != "DequantizeLinear":
        yield "the weight is quantised, the data are not"
    if len(makers) > 2 and makers[2] == "DequantizeLinear":
        yield "the bias is quantised"


def check(graph):
    """(how many levels there are, [what breaks a rule])."""
    g, found, count = Graph(graph), [], 0
    for n in g.nodes:
        wrong = []
        if n.op_type in ("QuantizeLinear", "DequantizeLinear"):
            count += 1
            wrong = [*check_level(g, n), *check_pair(g, n)]
        elif n.op_type in PRODUCTS:
            wrong = check_product(g, n)
        found += ["%s '%s': %s" % (n.op_type, n.name, w) for w in wrong]
    return count, found


def main(paths):
    failed = False
    for path in paths:
        count, found = check(onnx.load(path).graph)
        print("%s: %d levels, %d against the rules" % (path, count, len(found)), *found, sep="\n    ")
        failed = failed or found or not count
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
