# SPDX-License-Identifier: Apache-2.0
"""Random graphs of ONNX's nodes, which a handler adds: whether the library's file computes what the nodes do one by one.

    python tests/numeric/onnx_graphs.py --count 10000 --seed 7       prints each graph that differs
    python tests/numeric/onnx_graphs.py --graph 7/1234               one, with its nodes

What MXNet's operators are written as meets only some forms of ONNX's nodes. A handler may write any: attributes that no operator of MXNet
has, reductions of reductions, nodes that read one another's transposed results. The passes must not change what they compute. Each node is
run alone in ONNX Runtime when it is drawn, so that nothing of the library, and no optimisation, takes part in the expected results; nodes
that ONNX Runtime refuses are dropped. Exported at any opset from 11 on, for any target, with known and open dims, and with the steps of
preprocessing, which passes move into the first layers.
"""
import argparse
import json
import logging
import random
import sys

import numpy as np
import onnx
import onnx.helper as oh
import onnxruntime as ort

import mx2onnx

NEWEST = 21  # ONNX Runtime has kernels for all forms of it
OPSETS = (11, 12, 13, 14, 15, 17, 18, 20, 21)
TARGETS = ("onnxruntime",) * 4 + ("openvino", "tensorrt", "tract")
LARGEST = 1e4  # of a value: sums of larger ones cancel
UNARY = ("Abs", "Elu", "Erf", "Exp", "HardSigmoid", "Identity", "LeakyRelu", "Neg", "Relu", "Selu", "Sigmoid", "Sin", "Softplus", "Softsign",
         "Tanh")
REDUCTIONS = tuple("Reduce" + of for of in ("L1", "L2", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"))
f32 = np.float32

ort.set_default_logger_severity(4)
logging.getLogger("mx2onnx").setLevel(logging.ERROR)


def session(model):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run_alone(op, inputs, attributes, outputs):
    """The results of one node, or None if ONNX Runtime refuses it."""
    names = ["" if x is None else "x%d" % i for i, x in enumerate(inputs)]
    node = oh.make_node(op, names, ["y%d" % i for i in range(outputs)], **attributes)
    values = [oh.make_tensor_value_info(n, oh.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in zip(names, inputs) if x is not None]
    results = [onnx.ValueInfoProto(name="y%d" % i) for i in range(outputs)]
    model = oh.make_model(oh.make_graph([node], "g", values, results), opset_imports=[oh.make_opsetid("", NEWEST)], ir_version=10)
    try:
        return session(model.SerializeToString()).run(None, {n: x for n, x in zip(names, inputs) if x is not None})
    except Exception:  # its classes are many
        return None


class Value:
    def __init__(self, array, exact=False, constant=False):
        self.array, self.exact, self.constant = array, exact, constant
        self.shape, self.ndim = array.shape, array.ndim


class Graph:
    """steps: (operator, numbers of inputs, attributes, numbers of outputs), in the order of computation."""

    def __init__(self, seed, index):
        self.index, self.r = index, random.Random("%s/%s" % (seed, index))
        self.np = np.random.RandomState(self.r.randrange(2 ** 32))
        self.values, self.steps, self.inputs = [], [], []
        self.prepared = {}  # by input: the steps that the model does before these nodes

    # ---- values

    def numbers(self, shape, least=None):
        if least is not None:
            return self.np.uniform(least, least + 1, shape).astype(f32)
        return self.np.uniform(-2, 2, shape).astype(f32)

    def value(self, array, **more):
        self.values.append(Value(array, **more))
        return len(self.values) - 1

    def constant(self, array):
        return self.value(np.asarray(array), constant=True)

    def ints(self, *v):
        return self.constant(np.array(v, np.int64))

    def pick(self, fits=lambda v: True, dtype=np.float32):
        """The number of a value that fits, rather a new one than an old one."""
        fit = [i for i, v in enumerate(self.values) if not v.constant and v.array.dtype == dtype and v.array.size and fits(v)]
        return self.r.choice(fit[-3:] if self.r.random() < 0.7 else fit) if fit else None

    def add(self, op, inputs, attributes=None, outputs=1, exact=False):
        arrays = [None if i is None else self.values[i].array for i in inputs]
        results = run_alone(op, arrays, attributes or {}, outputs)
        if results is None or any(not fits(r) for r in results):
            return None
        exact = exact and all(i is None or self.values[i].exact or self.values[i].constant for i in inputs)
        numbers = [self.value(r, exact=exact) for r in results]
        self.steps.append((op, inputs, attributes or {}, numbers))
        return numbers

    # ---- nodes

    def axis(self, v, least=0):
        axis = self.r.randrange(least, v.ndim)
        return axis - v.ndim if self.r.random() < 0.3 else axis

    def some(self, n, least=1):
        axes = self.r.sample(range(n), self.r.randint(least, n))
        return [a - n if self.r.random() < 0.2 else a for a in axes]

    def unary(self):
        op = self.r.choice(UNARY)
        attributes = {}
        if op in ("LeakyRelu", "Elu") and self.r.random() < 0.7:
            attributes = {"alpha": self.r.choice([0.1, 0.5])}
        elif op == "HardSigmoid" and self.r.random() < 0.5:
            attributes = {"alpha": 0.3, "beta": 0.25}
        self.add(op, [self.pick()], attributes)

    def clip(self):
        x = self.pick()
        least = self.constant(f32(self.r.choice([-1, 0, 0.5]))) if self.r.random() < 0.7 else None
        most = self.constant(f32(self.r.choice([1, 0.25, 6]))) if self.r.random() < 0.7 else None
        self.add("Clip", [x, least] + ([most] if most is not None else []) if least is not None or most is not None else [x])

    def binary(self):
        op = self.r.choice(["Add", "Add", "Mul", "Mul", "Sub", "Div", "Max", "Min", "Pow", "PRelu"])
        x = self.pick()
        shape = self.values[x].shape
        kind = self.r.random()
        if op == "Pow":
            y = self.constant(f32(self.r.choice([2, 3, 1, 0])))
        elif op == "PRelu":
            y = self.constant(self.numbers([n if self.r.random() < 0.5 else 1 for n in shape]))
        elif kind < 0.3 and op != "Div":
            y = self.pick(lambda v: broadcast(v.shape, shape))
        elif kind < 0.45:
            y = self.constant(np.full([1] * self.r.choice([0, 1]), self.r.choice([0, 1, -1, 2, 0.5]) if op != "Div" else 2, f32))
        else:
            part = list(shape)[self.r.randint(0, len(shape)):] if self.r.random() < 0.5 else list(shape)
            part = [n if self.r.random() < 0.6 else 1 for n in part]
            y = self.constant(self.numbers(part, 0.5 if op == "Div" else None))
        if op not in ("Pow", "PRelu") and self.r.random() < 0.5:
            x, y = y, x
            if op == "Div" and not self.values[y].constant:
                x, y = y, x
        self.add(op, [x, y])

    def transpose(self):
        x = self.pick(lambda v: v.ndim > 1)
        if x is not None:
            perm = list(range(self.values[x].ndim))
            self.r.shuffle(perm)
            self.add("Transpose", [x], {"perm": perm} if self.r.random() < 0.9 else {}, exact=True)

    def layout(self):
        x = self.pick(lambda v: v.ndim in (3, 4))
        if x is not None:
            perm = self.r.choice([[0, 2, 3, 1], [0, 3, 1, 2]] if self.values[x].ndim == 4 else [[0, 2, 1]])
            self.add("Transpose", [x], {"perm": perm}, exact=True)

    def reshape(self):
        x = self.pick()
        v = self.values[x]
        way = self.r.random()
        if way < 0.15:
            return self.add("Flatten", [x], {"axis": self.r.randint(-v.ndim, v.ndim)} if self.r.random() < 0.8 else {}, exact=True)
        if way < 0.35:
            n = self.r.randint(1, 2)
            axes = self.r.sample(range(v.ndim + n), n)
            return self.add("Unsqueeze", [x, self.ints(*axes)], exact=True) if v.ndim + n < 6 else None
        if way < 0.5:
            ones = [i - (v.ndim if self.r.random() < 0.3 else 0) for i in range(v.ndim) if v.shape[i] == 1]
            given = [self.ints(*ones[:self.r.randint(1, len(ones))])] if ones and self.r.random() < 0.7 else []
            return self.add("Squeeze", [x] + given, exact=True) if ones else None
        sizes = list(v.shape)
        for _ in range(self.r.randint(1, 3)):
            if self.r.random() < 0.5 and len(sizes) > 1:
                i = self.r.randrange(len(sizes) - 1)
                sizes[i:i + 2] = [sizes[i] * sizes[i + 1]]
            elif sizes:
                i = self.r.randrange(len(sizes))
                d = self.r.choice([d for d in range(1, sizes[i] + 1) if sizes[i] % d == 0])
                sizes[i:i + 1] = [d, sizes[i] // d]
        sizes = sizes[:]
        for i in range(len(sizes)):
            if i < v.ndim and sizes[i] == v.shape[i] and self.r.random() < 0.3:
                sizes[i] = 0
        if sizes and self.r.random() < 0.4:
            sizes[self.r.randrange(len(sizes))] = -1
        zero = {"allowzero": 1} if 0 not in sizes and self.r.random() < 0.2 else {}
        return self.add("Reshape", [x, self.ints(*sizes)], zero, exact=True) if len(sizes) < 6 else None

    def concat(self):
        x = self.pick(lambda v: v.ndim > 0)
        if x is None:
            return
        axis = self.axis(self.values[x])
        def same(shape):
            return [n for i, n in enumerate(shape) if i != axis % len(shape)]
        parts = [x]
        for _ in range(self.r.randint(0, 2)):
            other = self.pick(lambda v: v.ndim == self.values[x].ndim and same(v.shape) == same(self.values[x].shape))
            parts.append(other)
        if self.r.random() < 0.3:
            shape = list(self.values[x].shape)
            shape[axis] = self.r.randint(1, 2)
            parts.append(self.constant(self.numbers(shape)))
        self.r.shuffle(parts)
        self.add("Concat", parts, {"axis": axis}, exact=True)

    def slice(self):
        x = self.pick(lambda v: v.ndim > 0)
        if x is None:
            return
        v = self.values[x]
        axes = self.some(v.ndim)
        starts, ends, steps = [], [], []
        for a in axes:
            n, step = v.shape[a], self.r.choice([1, 1, 1, 2, -1])
            first, last = self.r.randint(0, n - 1), self.r.randint(1, n)
            if step > 0:
                starts.append(self.r.choice([0, first, first - n]))
                ends.append(self.r.choice([2 ** 63 - 1, n, last, last - n if last < n else n]))
            else:
                starts.append(self.r.choice([-1, n - 1, n + 3, last - 1]))
                ends.append(self.r.choice([-2 ** 63 + 1, -n - 1, first - 1 - n]))
            steps.append(step)
        more = [self.ints(*axes)] if axes != list(range(len(axes))) or self.r.random() < 0.7 else [None]
        more += [self.ints(*steps)] if any(s != 1 for s in steps) or self.r.random() < 0.3 else []
        while more and more[-1] is None:
            more.pop()
        self.add("Slice", [x, self.ints(*starts), self.ints(*ends)] + more, exact=True)

    def split(self):
        x = self.pick(lambda v: v.ndim > 0 and max(v.shape) > 1)
        if x is None:
            return
        v = self.values[x]
        axis = self.r.choice([i for i in range(v.ndim) if v.shape[i] > 1])
        size = v.shape[axis]
        parts = self.r.randint(2, min(size, 3))
        attributes = {"axis": axis - (v.ndim if self.r.random() < 0.3 else 0)}
        if self.r.random() < 0.5 and size % parts == 0:
            self.add("Split", [x], dict(attributes, num_outputs=parts), parts, exact=True)
        else:
            cuts = sorted(self.r.sample(range(1, size), parts - 1))
            sizes = [b - a for a, b in zip([0] + cuts, cuts + [size])]
            self.add("Split", [x, self.ints(*sizes)], attributes, parts, exact=True)

    def gather(self):
        x = self.pick(lambda v: v.ndim > 0)
        if x is None:
            return
        axis = self.axis(self.values[x])
        n = self.values[x].shape[axis]
        shape = self.r.choice([(), (1,), (2,), (2, 1)])
        self.add("Gather", [x, self.constant(self.np.randint(-n, n, shape).astype(np.int64))], {"axis": axis}, exact=True)

    def pad(self):
        x = self.pick(lambda v: v.ndim > 0)
        if x is None:
            return
        v = self.values[x]
        mode = self.r.choice(["constant", "constant", "constant", "edge", "reflect"])
        axes = self.some(v.ndim) if self.r.random() < 0.3 else list(range(v.ndim))
        least = -1 if self.r.random() < 0.2 and mode == "constant" else 0
        each = [self.r.choice([0, 0, 1, 2, least]) for _ in range(2 * len(axes))]
        if v.ndim > 2 and self.r.random() < 0.5 and len(axes) == v.ndim:
            for i in (0, 1):
                each[i] = each[v.ndim + i] = 0
        more = [self.constant(f32(self.r.choice([0, 0, 1, -1])))] if mode == "constant" and self.r.random() < 0.6 else [None]
        more += [self.ints(*axes)] if axes != list(range(v.ndim)) or self.r.random() < 0.2 else []
        while more and more[-1] is None:
            more.pop()
        self.add("Pad", [x, self.ints(*each)] + more, {"mode": mode} if mode != "constant" or self.r.random() < 0.3 else {}, exact=True)

    def reduce(self):
        op = self.r.choice(REDUCTIONS)
        x = self.pick(lambda v: v.ndim > 0)
        if x is None:
            return
        axes = [self.ints(*self.some(self.values[x].ndim))] if self.r.random() < 0.8 else []
        attributes = {"keepdims": self.r.randint(0, 1)} if self.r.random() < 0.8 else {}
        if self.r.random() < 0.2:
            attributes["noop_with_empty_axes"] = self.r.randint(0, 1)
        found = self.add(op, [x] + axes, attributes)
        if found and self.r.random() < 0.5 and self.values[found[0]].ndim:
            again = [self.ints(*self.some(self.values[found[0]].ndim))] if self.r.random() < 0.8 else []
            self.add(op, [found[0]] + again, {"keepdims": self.r.randint(0, 1)} if self.r.random() < 0.4 else attributes)

    def softmax(self):
        x = self.pick(lambda v: v.ndim > 0)
        if x is not None:
            op = self.r.choice(["Softmax", "LogSoftmax"])
            self.add(op, [x], {"axis": self.axis(self.values[x])} if self.r.random() < 0.8 else {})

    def matmul(self):
        x = self.pick(lambda v: v.ndim > 0)
        if x is None:
            return
        v = self.values[x]
        way = self.r.random()
        if way < 0.2:
            y = self.pick(lambda w: w.ndim > 1 and w.shape[-2] == v.shape[-1])
            found = self.add("MatMul", [x, y]) if y is not None else None
        elif way < 0.4 and v.ndim > 1:
            found = self.add("MatMul", [self.constant(self.numbers((self.r.randint(1, 4), v.shape[-2]))), x])
        else:
            shape = [v.shape[-1], self.r.randint(1, 5)]
            shape = [self.r.choice([1, v.shape[-3] if v.ndim > 2 else 1])] + shape if self.r.random() < 0.2 else shape
            found = self.add("MatMul", [x, self.constant(self.numbers(shape))])
            if found and self.r.random() < 0.25:  # another product of the same
                self.add("MatMul", [x, self.constant(self.numbers((v.shape[-1], self.r.randint(1, 5))))])
        if found and self.r.random() < 0.5:
            shape = list(self.values[found[0]].shape)
            shape = shape[self.r.randint(0, len(shape)):] if self.r.random() < 0.5 else shape
            other = self.constant(self.numbers([n if self.r.random() < 0.8 else 1 for n in shape]))
            pair = [found[0], other]
            self.r.shuffle(pair)
            self.add("Add", pair)

    def gemm(self):
        x = self.pick(lambda v: v.ndim == 2)
        if x is None:
            return
        v, n = self.values[x], self.r.randint(1, 4)
        attributes = {k: 1 for k in ("transA", "transB") if self.r.random() < 0.4}
        attributes.update((k, self.r.choice([0.5, 1.0, -2.0])) for k in ("alpha", "beta") if self.r.random() < 0.25)
        rows, inner = v.shape[::-1] if "transA" in attributes else v.shape
        y = self.constant(self.numbers((n, inner) if "transB" in attributes else (inner, n)))
        c = [self.constant(self.numbers(self.r.choice([(n,), (1, n), (rows, n), (rows, 1), (1,), ()])))] if self.r.random() < 0.5 else []
        found = self.add("Gemm", [x, y] + c, attributes)
        if found and self.r.random() < 0.5:
            self.add("Add", [found[0], self.constant(self.numbers(self.r.choice([(n,), (1, n), (rows, n), (rows, 1), (1, rows, n)])))])

    def image(self):
        return self.pick(lambda v: v.ndim in (3, 4))

    def conv(self):
        x = self.image()
        if x is None:
            return
        v, turned = self.values[x], self.r.random() < 0.2
        spatial, channels, out = v.ndim - 2, v.shape[1], self.r.randint(1, 4)
        groups = self.r.choice([g for g in (1, 1, 1, 2, 3, channels) if channels % g == 0])
        out = out * groups if out * groups < 9 else groups
        kernel = [self.r.randint(1, 3) for _ in range(spatial)]
        attributes = {"group": groups} if groups > 1 or self.r.random() < 0.2 else {}
        if self.r.random() < 0.5:
            attributes["pads"] = [self.r.randint(0, 2) for _ in range(2 * spatial)]
        elif self.r.random() < 0.2:
            attributes["auto_pad"] = self.r.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        if self.r.random() < 0.3:
            attributes["strides"] = [self.r.randint(1, 2) for _ in range(spatial)]
        if self.r.random() < 0.2 and "auto_pad" not in attributes:
            attributes["dilations"] = [self.r.randint(1, 2) for _ in range(spatial)]
        if self.r.random() < 0.3:
            attributes["kernel_shape"] = kernel
        weight = self.constant(self.numbers([channels, out // groups] + kernel if turned else [out, channels // groups] + kernel))
        bias = [self.constant(self.numbers(out))] if self.r.random() < 0.5 else []
        found = self.add("ConvTranspose" if turned else "Conv", [x, weight] + bias, attributes)
        if found and self.r.random() < 0.5:
            self.norm(found[0])
        elif found and self.r.random() < 0.3:
            shape = [out] + [1] * spatial
            self.add("Add", [found[0], self.constant(self.numbers(self.r.choice([shape, [1] + shape, [1], []])))])

    def norm(self, x=None):
        x = self.pick(lambda v: v.ndim > 1) if x is None else x
        if x is None:
            return
        v, way = self.values[x], self.r.random()
        n = v.shape[1]
        epsilon = {"epsilon": self.r.choice([1e-5, 1e-3, 0.1])} if self.r.random() < 0.7 else {}
        scale, bias = self.constant(self.numbers(n)), self.constant(self.numbers(n))
        if way < 0.7:
            self.add("BatchNormalization", [x, scale, bias, self.constant(self.numbers(n)), self.constant(self.numbers(n, 0.2))], epsilon)
        elif way < 0.8 and v.ndim > 2:
            self.add("InstanceNormalization", [x, scale, bias], epsilon)
        else:
            axis = self.axis(v)
            shape = v.shape[axis:]
            more = [self.constant(self.numbers(shape))] if self.r.random() < 0.6 else []
            self.add("LayerNormalization", [x, self.constant(self.numbers(shape))] + more, dict(epsilon, axis=axis))

    def pool(self):
        x = self.image()
        if x is None:
            return
        if self.r.random() < 0.15:
            return self.add(self.r.choice(["GlobalAveragePool", "GlobalMaxPool"]), [x])
        op = self.r.choice(["MaxPool", "AveragePool", "AveragePool", "LpPool"])
        kernel = [self.r.randint(1, min(3, n)) for n in self.values[x].shape[2:]]
        attributes = {"kernel_shape": kernel}
        if self.r.random() < 0.4:
            attributes["pads"] = [self.r.randint(0, k - 1) for k in kernel * 2]
        elif self.r.random() < 0.15:
            attributes["auto_pad"] = self.r.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        if self.r.random() < 0.5:
            attributes["strides"] = [self.r.randint(1, min(2, k) if "auto_pad" in attributes else 2) for k in kernel]
        if self.r.random() < 0.2 and "auto_pad" not in attributes:
            attributes["ceil_mode"] = 1
        if op == "AveragePool" and self.r.random() < 0.5:
            attributes["count_include_pad"] = self.r.randint(0, 1)
        self.add(op, [x], attributes)

    def where(self):
        x = self.pick()
        shape = self.values[x].shape
        condition = self.constant(self.np.rand(*[n if self.r.random() < 0.7 else 1 for n in shape]) < 0.5)
        y = self.pick(lambda v: broadcast(v.shape, shape)) if self.r.random() < 0.5 else self.constant(f32(self.r.choice([0, -1, 3])))
        pair = [x, y]
        self.r.shuffle(pair)
        self.add("Where", [condition] + pair)

    def expand(self):
        x = self.pick()
        shape = [n if n != 1 or self.r.random() < 0.4 else self.r.randint(1, 3) for n in self.values[x].shape]
        if self.r.random() < 0.3:
            shape = [self.r.randint(1, 2)] + shape
        if self.r.random() < 0.3:
            shape = [n if self.r.random() < 0.7 else 1 for n in shape]
        if self.r.random() < 0.3:
            return self.add("Tile", [x, self.ints(*(self.r.randint(1, 2) for _ in self.values[x].shape))], exact=True)
        return self.add("Expand", [x, self.ints(*shape)], exact=True) if len(shape) < 6 else None

    def sizes(self):
        """A Reshape to sizes that are computed from those of a value."""
        x = self.pick(lambda v: v.ndim > 1)
        if x is None:
            return
        v = self.values[x]
        at = self.r.randrange(v.ndim)
        if self.r.random() < 0.5:
            attributes = {"start": at - (v.ndim if self.r.random() < 0.3 else 0)}
            attributes.update({"end": at + 1} if self.r.random() < 0.5 else {})
            shape = self.add("Shape", [x], attributes, exact=True)
            one = shape
        else:
            shape = self.add("Shape", [x], exact=True)
            one = self.add("Gather", [shape[0], self.ints(at)], exact=True)
        if one and self.values[one[0]].shape == (1,):
            parts = [one[0], self.ints(-1)]
            if self.r.random() < 0.5:
                parts.reverse()
            to = self.add("Concat", parts, {"axis": 0}, exact=True)
            self.add("Reshape", [x, to[0]], exact=True)
        elif one:
            to = self.add("Concat", [self.ints(2), one[0]], {"axis": 0}, exact=True) if self.r.random() < 0.5 else one
            y = self.constant(self.numbers(()))
            self.add("Expand", [y, to[0]], exact=True)

    def rounded(self):
        """What is not continuous, of values that are the same on both sides."""
        x = self.pick(lambda v: v.exact)
        if x is not None:
            op = self.r.choice(["Floor", "Sign", "Round", "Ceil", "ArgMax", "Cast", "QuantizeLinear"])
            if op == "ArgMax" and self.values[x].ndim:
                self.add(op, [x], {"axis": self.axis(self.values[x]), "keepdims": self.r.randint(0, 1)}, exact=True)
            elif op == "Cast":
                found = self.add(op, [x], {"to": 7}, exact=True)
                self.add("Cast", [found[0]], {"to": 1}, exact=True)
            elif op == "QuantizeLinear":
                levels = [self.constant(f32(0.5)), self.constant(self.r.choice([np.int8(3), np.uint8(10)]))]
                found = self.add(op, [x] + levels, exact=True)
                self.add("DequantizeLinear", [found[0]] + levels, exact=True)
            elif op != "ArgMax":
                self.add(op, [x], exact=True)

    def cast(self):
        """Through another type and back; ONNX Runtime leaves out roundings where it has no kernel for float16 between them."""
        x = self.pick(lambda v: v.exact)
        if x is not None:
            other, = self.add("Cast", [x], {"to": self.r.choice([6, 7, 9, 10, 11])}, exact=True)
            self.add("Cast", [other], {"to": 1}, exact=True)

    def condition(self):
        """Comparisons of what is the same on both sides."""
        x = self.pick(lambda v: v.exact)
        if x is None:
            return
        shape = self.values[x].shape
        y = self.pick(lambda v: v.exact and broadcast(v.shape, shape))
        found = self.add(self.r.choice(["Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"]), [x, y], exact=True)
        if self.r.random() < 0.5:
            found = self.add("Not", found, exact=True)
        if self.r.random() < 0.3:
            found = self.add(self.r.choice(["And", "Or", "Xor"]), [found[0], found[0]], exact=True)
        other = self.pick(lambda v: broadcast(v.shape, self.values[found[0]].shape))
        self.add("Where", [found[0], other, self.constant(f32(self.r.choice([0, 1])))])

    def recurrent(self):
        x = self.pick(lambda v: v.ndim == 3)
        if x is None:
            return
        v, n = self.values[x], self.r.randint(1, 3)
        op, gates = self.r.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
        two = self.r.choice([1, 1, 2])
        attributes = {"hidden_size": n}
        if two == 2:
            attributes["direction"] = "bidirectional"
        elif self.r.random() < 0.3:
            attributes["direction"] = "reverse"
        if op == "GRU" and self.r.random() < 0.5:
            attributes["linear_before_reset"] = 1
        shapes = [(two, gates * n, v.shape[2]), (two, gates * n, n), (two, 2 * gates * n)][:self.r.choice([2, 3, 3])]
        found = self.add(op, [x] + [self.constant(self.numbers(s)) for s in shapes], attributes, self.r.randint(1, 2))
        if found and two == 1:
            self.add("Squeeze", [found[0], self.ints(1)])
        elif found:
            self.add("Transpose", [found[0]], {"perm": [0, 2, 1, 3]})

    # ---- all of it

    def draw(self):
        often = [self.binary, self.conv, self.layout, self.matmul, self.pad]
        kinds = [self.unary, self.clip, self.transpose, self.reshape, self.concat, self.slice, self.split, self.gather, self.reduce,
                 self.softmax, self.gemm, self.norm, self.pool, self.where, self.expand, self.sizes, self.rounded, self.cast, self.condition,
                 self.recurrent, *often, *often]
        kinds = self.r.sample(kinds, self.r.randint(2, 8))
        for _ in range(self.r.randint(1, 2)):
            shape = self.r.choice([(2, 3, 4, 5), (1, 4, 6, 6), (2, 4, 5), (3, 4), (2, 1, 3), (4,), (1, 3, 8, 8), (2, 6, 3, 3)])
            prepared = len(shape) > 2 and self.r.random() < 0.2
            self.inputs.append(self.value(self.np.uniform(-2, 2, shape).astype(f32), exact=not prepared))
            if prepared:
                self.prepared[self.inputs[-1]] = self.preparation(shape[1])
        for _ in range(self.r.randint(2, 14)):
            self.r.choice(kinds)()
        read = {i for _, inputs, _, _ in self.steps for i in inputs}
        made = [i for _, _, _, out in self.steps for i in out]
        last = [i for i in made if i not in read] + [i for i in made if i in read and self.r.random() < 0.15]
        self.outputs = self.r.sample(last, min(len(last), 6))
        self.opset, self.target = self.r.choice(OPSETS), self.r.choice(TARGETS)
        self.open = self.r.random() < 0.5
        return self

    def preparation(self, channels):
        steps = {}
        if self.r.random() < 0.6:
            steps["mean"] = self.np.uniform(-3, 3, self.r.choice([1, channels])).tolist()
        if self.r.random() < 0.6:
            steps["scale"] = self.np.uniform(0.2, 3, self.r.choice([1, channels])).tolist()
        if self.r.random() < 0.4:
            steps["channels_last"] = True
        if channels == 3 and self.r.random() < 0.4:
            steps["channels_reversed"] = True
        return steps

    def fed(self, i, x):
        """The array that a caller gives for input i: the steps of preprocessing make x of it."""
        steps = self.prepared.get(i, {})
        each = (-1,) + (1,) * (x.ndim - 2)
        x = x / np.reshape(steps.get("scale", [1]), each) + np.reshape(steps.get("mean", [0]), each)
        x = x[:, ::-1] if "channels_reversed" in steps else x
        return np.ascontiguousarray(np.moveaxis(x, 1, -1) if "channels_last" in steps else x, f32)

    def export(self):
        """The library's model of these nodes, as one custom operator."""
        names = ["data%d" % i for i in range(len(self.inputs))]
        nodes = [{"op": "null", "name": n, "inputs": []} for n in names]
        nodes.append({"op": "Custom", "name": "c", "attrs": {"op_type": "any"}, "inputs": [[i, 0, 0] for i in range(len(names))]})
        symbol = {"nodes": nodes, "arg_nodes": list(range(len(names))), "heads": [[len(names), k, 0] for k in range(len(self.outputs))],
                  "attrs": {"mxnet_version": ["int", 10901]}}

        def lower(node):
            made = dict(zip(self.inputs, node.inputs))
            for i, v in enumerate(self.values):
                if v.constant:
                    made[i] = node.constant(v.array)
            for op, inputs, attributes, outputs in self.steps:
                results = node.add(op, *(None if i is None else made[i] for i in inputs), outputs=len(outputs), **attributes)
                made.update(zip(outputs, results if isinstance(results, tuple) else (results,)))
            return [made[i] for i in self.outputs]

        def infer(node):
            for k, i in enumerate(self.outputs):
                v = self.values[i]
                node.set_output(k, v.array.dtype.name, [None] * v.ndim if self.open else v.shape)

        with mx2onnx.Model(json.dumps(symbol).encode()) as m:
            for i, n in zip(self.inputs, names):
                shape = self.values[i].shape
                m.set_input_shape(n, ["%s_%d" % (n, k) for k in range(len(shape))] if self.open else shape)
                for step, how in self.prepared.get(i, {}).items():
                    getattr(m, "set_input_" + step)(n, how)
            m.opset, m.target = self.opset, self.target
            m.add_custom_operator(mx2onnx.CustomOperator("any", lower, infer=infer, outputs=len(self.outputs)))
            return m.export_bytes()

    def computed(self, inputs):
        """All values for these inputs, node by node; None if ONNX Runtime refuses one, or its numbers are too large."""
        found = [v.array for v in self.values]
        for i, x in inputs.items():
            found[i] = x
        for op, given, attributes, out in self.steps:
            results = run_alone(op, [None if i is None else found[i] for i in given], attributes, len(out))
            if results is None or not all(map(fits, results)):
                return None
            if op == "Split" and self.opset < 18 and len({r.shape for r in results}) > 1 and "num_outputs" in attributes:
                return None  # before 18 the parts are equal
            if "Pool" in op and any(k > n for k, n in zip(attributes.get("kernel_shape", []), found[given[0]].shape[2:])):
                return None  # ONNX Runtime has a window there in a part of the cases
            if op == "PRelu" and results[0].shape != found[given[0]].shape:
                return None  # ONNX Runtime also broadcasts the data
            for i, x in zip(out, results):
                found[i] = x
        return found

    def resized(self):
        """The inputs with other sizes on some axes, 1 among them."""
        r, arrays = np.random.RandomState(self.r.randrange(2 ** 32)), {}
        for i in self.inputs:
            shape = list(self.values[i].shape)
            for axis in self.r.sample(range(len(shape)), self.r.randint(0, min(2, len(shape)))):
                if axis != 1 or i not in self.prepared:
                    shape[axis] = self.r.choice([1, shape[axis] + 1, shape[axis] + 3, 2 * shape[axis]])
            arrays[i] = r.uniform(-2, 2, shape).astype(f32)
        return arrays

    def difference(self):
        """None, or what is wrong; mx2onnx.Error if the library refuses the nodes. Open dims are also run at other sizes."""
        model = session(self.export())
        found = self.differs(model, [v.array for v in self.values])
        for _ in range(3 if self.open and not found else 0):
            values = self.computed(self.resized())
            found = values and self.differs(model, values)
            if found:
                return "at the sizes %s: %s" % ([values[i].shape for i in self.inputs], found)
        return found

    def differs(self, model, values):
        try:
            results = model.run(None, {"data%d" % k: self.fed(i, values[i]) for k, i in enumerate(self.inputs)})
        except Exception as e:  # its classes are many
            return "ONNX Runtime: %s" % e
        for i, result in zip(self.outputs, results):
            expected = values[i]
            if expected.dtype != result.dtype or expected.shape != result.shape:
                return "value %d is %s of %s instead of %s of %s" % (i, result.dtype, result.shape, expected.dtype, expected.shape)
            if expected.dtype.kind != "f":
                same = (expected == result).all()
            else:
                same = (np.abs(expected - result) <= 1e-4 * np.abs(expected) + 5e-5 * max(1, np.abs(expected).max(initial=0))).all()
            if not same:
                return "value %d differs by %g" % (i, np.abs(expected.astype(float) - result).max())
        return None

    def checked(self):
        """None if the graph agrees, or needs a newer opset than was drawn; otherwise what is wrong."""
        try:
            return self.difference()
        except mx2onnx.Error as e:
            return None if "choose opset" in str(e) else str(e)

    def text(self):
        lines = ["opset %d, for %s, %s dims; outputs %s" % (self.opset, self.target, "open" if self.open else "known", self.outputs)]
        for i, v in enumerate(self.values):
            if v.constant or i in self.inputs:
                numbers = " = %s" % v.array.tolist() if v.constant and v.array.size < 9 else ""
                lines.append("%d: %s %s%s %s" % (i, v.array.dtype, v.shape, numbers, self.prepared.get(i, "")))
        for op, inputs, attributes, out in self.steps:
            lines.append("%s = %s(%s) %s -> %s" % (out, op, inputs, attributes or "", [self.values[i].shape for i in out]))
        return "\n".join(lines)


def fits(array):
    """False for an array without elements, where runtimes differ, and for numbers that are too large to compare sums of them."""
    return array.size > 0 and (array.dtype.kind != "f" or (np.isfinite(array).all() and np.abs(array).max() < LARGEST))


def broadcast(a, b):
    try:
        np.broadcast_shapes(a, b)
        return True
    except ValueError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--graph", help="SEED/INDEX: this one alone")
    args = parser.parse_args()
    if args.graph:
        g = Graph(*args.graph.split("/")).draw()
        print(g.text())
        print(g.difference() or "agrees")
        return 0
    wrong = 0
    for i in range(args.count):
        g = Graph(args.seed, i).draw()
        found = g.checked() if g.outputs else None
        if found:
            wrong += 1
            print("%d/%d: %s" % (args.seed, i, found.split("\n")[0]), flush=True)
    print("%d graphs, %d differ or are refused" % (args.count, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
