# SPDX-License-Identifier: Apache-2.0
"""The builder alone: the models of builder_cases.c at several opsets, checked in full by the onnx package, run in ONNX
Runtime, and compared with what NumPy computes. Opsets beyond the runtime's are run as the newest one it knows."""
import os
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import onnx
import onnxruntime as ort
import pytest

ort.set_default_logger_severity(3)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "oracle"))
import attributes  # noqa: E402

BUILD = os.environ.get("MX2ONNX_BUILD", os.path.join(HERE, "..", "..", "build"))
PROGRAM = os.environ.get("BUILDER_CASES", os.path.join(BUILD, "tests", "numeric", "builder_cases"))
OPSETS = [11, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 26, 28]
RUN_UP_TO = 26
SIZES = {"batch": 3, "h": 5, "w": 7, "t": 4, "n": 6}
TYPES = {"float64": np.float64, "float16": np.float16, "int8": np.int8, "uint8": np.uint8, "int32": np.int32,
         "int64": np.int64}
f32 = np.float32


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def constants(x):
    return {"scalar": x + f32(0.5), "floats": x * np.array([1, 2, 3], f32), "fill": x + 7,
            "ints": (x.astype(np.int64) + [1, 2, 3]).astype(f32)}


def fill_dynamic(x):
    return {"y": np.full(x.shape, 2.5, f32), "z": np.full((5, 2, 3), -3, np.int64)}


def folded(x):
    i = x.astype(np.int64)
    return {"y": x * f32(0.75) + 4, "p": i + 23, "g": i + [8, 5, 7, 6], "range": x + np.array([1, 3, 5, 7], f32),
            "mod": i + [2, 1, -1, -2], "tile": x + np.array([1, 2, 1, 2], f32)}


def views(x):
    c = np.arange(24, dtype=f32).reshape(2, 3, 4)
    return {"transposed": x + c.transpose(2, 0, 1), "reshaped": x + c.transpose(1, 0, 2).reshape(3, 8),
            "sliced": x + c[:, 0:3:2, ::-2], "joined": x + np.concatenate([c, c], 1),
            "expanded": x + np.broadcast_to(c[:, 1:2], (5, 2, 3, 4)), "cast": x.astype(np.int32) + c.astype(np.int32),
            "split": x + c[:, :, 2:], "row": x + c[:, -1]}


def reshape(x):
    return {"ints": x.reshape(2, 12), "dims": x.reshape(6, 4), "twice": x.reshape(4, 6), "scalar": x[0, 1, 2]}


def reshape_dynamic(x):
    b, _, h, w = x.shape
    return {"flat": x.reshape(b, 6, h * w), "split": x.reshape(b, 2, 3, h, w),
            "moved": x.transpose(0, 2, 3, 1).reshape(b * h, w, 6), "all": x.reshape(-1) * 2,
            "back": (x * 3).reshape(h, w, 3, 2 * b)}


def axes(x, p):
    return {"unsqueezed": x[None, ..., None], "squeezed": x[:, 0], "both": -x, "swapped": x.swapaxes(0, 2),
            "flattened": x.reshape(2, 3), "unsqueezed_p": p[:, None], "squeezed_p": p[:, 0],
            "flattened_p": p.reshape(len(p), -1)}


def transpose(x):
    return {"y": -x.transpose(2, 0, 1), "identity": -x, "joined": x.transpose(2, 0, 1).transpose(0, 2, 1), "plain": x.T}


def expand(x, p):
    return {"y": np.broadcast_to(x, (4, 2, 3)), "z": np.broadcast_to(x, (3, 2, 3)),
            "p_": np.broadcast_to(p, (2, 3, 5, 5))}


def ints(*v):
    return np.array(v, np.int64)


def sizes(x):
    b, c, h, w = x.shape
    return {"one": ints(w), "list": ints((h - 1) // 2 + 1, 3 * w, b * h, (20 - h) // 3, 9), "whole": ints(*x.shape),
            "part": ints(c, h, w), "again": ints((h - 1) // 2 + 1 + w), "shape": ints(c, h)}


def sizes_made(x):
    nz = np.flatnonzero(x)
    return {"count": ints(len(nz)), "twice": np.array([nz, nz]).reshape(-1, 2), "fill": np.full(len(nz), 4, f32)}


def concat(x, p):
    return {"y": np.concatenate([x, x, x], -1), "z": np.concatenate([x, p], 0), "one": -x}


def slice_(x, p):
    h = p.shape[1]
    return {"y": x[1:4:2, :, ::-3], "all": -x, "one": x[:, 2:-1], "empty": x[:, 4:2], "p_": p[:, 1:], "last": p[:, -2:],
            "back": p[:, ::-2], "half": p[:, h // 2:], "first": p[:, :h // 2], "rest": ints(h - 1)}


def split(x):
    return {"a": x[:, :1], "c": x[:, 3:], "half": x[:, 3:]}


def gather(x, i, f):
    return {"y": np.take(x, i, 1), "z": x[2], "by_float": x[f.astype(np.int64)],
            "elements": np.take_along_axis(x[:, :2], i.astype(np.int64), 0), "nd": x[i[:, 0], i[:, 1]]}


def tile(x, p):
    return {"y": np.tile(x, (1, 2)), "p_": np.tile(p, (3, 1)), "one": -x}


def pad(x, p):
    by = ((0, 0), (1, 0), (2, 1))
    true = np.pad((x != 0), ((0, 0), (0, 0), (1, 0)), constant_values=True)
    return {"constant": np.pad(x, ((0, 1), (1, 0), (2, 1)), constant_values=1.5),
            "zero": np.pad(x[:, :, :-1], ((0, 1), (1, 0), (2, 0))), "edge": np.pad(x, by, "edge"),
            "reflect": np.pad(x, by, "reflect"), "p_": np.pad(p, ((0, 0), (2, 1))), "nothing": -x,
            "axes": np.pad(x, ((0, 0), (0, 0), (1, 2))), "bools": true}


def reduce(x, p):
    r = {"p_": p.sum((1, 2), keepdims=True), "node": x.max(2)}
    how = {"Sum": np.sum, "Mean": np.mean, "Max": np.max, "Min": np.min, "Prod": np.prod,
           "L1": lambda v, a, keepdims: np.abs(v).sum(a, keepdims=keepdims),
           "L2": lambda v, a, keepdims: np.sqrt((v * v).sum(a, keepdims=keepdims)),
           "LogSumExp": lambda v, a, keepdims: np.log(np.exp(v).sum(a, keepdims=keepdims)),
           "SumSquare": lambda v, a, keepdims: (v * v).sum(a, keepdims=keepdims)}
    for name, f in how.items():
        r["Reduce%s_axis" % name] = f(x, (0, 2), keepdims=False)
        r["Reduce%s_keep" % name] = f(x, 1, keepdims=True)
        r["Reduce%s_all" % name] = f(x, (0, 1, 2), keepdims=False)
    return r


def softmax_(x):
    return {"last": softmax(x, -1), "middle": softmax(x, 1), "log": np.log(softmax(x, 0)), "node": softmax(x, 1),
            "default_": softmax(x, -1)}


def matmul(x, y, c):
    return {"z": x @ y, "gemm": f32(0.5) * (x.reshape(-1, 4) @ y) + c, "einsum": np.einsum("bij,jk->bki", x, y)}


def where(x, y):
    c = x > y
    return {"floats": np.where(c, x, y), "scalar": np.where(c, x, f32(0)), "bools": np.where(c, x != 0, ~c),
            "int16": np.where(c, x.astype(np.int16), y.astype(np.int16)),
            "int64": np.where(c, x.astype(np.int64), y.astype(np.int64)), "broadcast": np.where(x[:1] != 0, x, y)}


def clip(x):
    return {"both": np.clip(x, -0.5, 0.5), "low": np.maximum(x, 0), "high": np.minimum(x, f32(0.25)),
            "int16": np.clip(x.astype(np.int16), -1, 1)}


def neutral(x):
    return {"y": -x, "grown": np.broadcast_to(x, (4, 2, 3))}


def convolve(x, w, pads, strides, group=1):
    """By definition, in double."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    n, c, h, wd = x.shape
    o, ci, kh, kw = w.shape
    oh, ow = (h - kh) // strides[0] + 1, (wd - kw) // strides[1] + 1
    y = np.zeros((n, o, oh, ow))
    for k in range(o):
        first = k // (o // group) * ci
        for i in range(oh):
            for j in range(ow):
                part = x[:, first:first + ci, i * strides[0]:i * strides[0] + kh, j * strides[1]:j * strides[1] + kw]
                y[:, k, i, j] = (part * w[k]).sum((1, 2, 3))
    return y


def convolve_transposed(x, w, strides, pads, add):
    n, c, h, wd = x.shape
    _, o, kh, kw = w.shape
    y = np.zeros((n, o, (h - 1) * strides[0] + kh + add[0], (wd - 1) * strides[1] + kw + add[1]))
    for i in range(h):
        for j in range(wd):
            y[:, :, i * strides[0]:i * strides[0] + kh, j * strides[1]:j * strides[1] + kw] += np.einsum(
                "nc,cokl->nokl", x[:, :, i, j].astype(np.float64), w)
    return y[:, :, pads[0]:y.shape[2] - pads[2], pads[1]:y.shape[3] - pads[3]]


def kernels(x, w):
    r = {}
    for name, t in TYPES.items():
        a, k = x.astype(t), w.astype(t)
        r["conv_" + name] = convolve(a, k, (1, 0, 1, 0), (2, 1)).astype(t)
        r["max_" + name] = np.maximum(a, t(1))
        r["mul_" + name] = a * t(2)
        r["sum_" + name] = a.sum((2, 3), dtype=np.float64 if name[0] == "f" else np.int64).astype(t)
        r["exp_" + name] = np.exp(np.minimum(a, t(1)).astype(np.float64)).astype(t)
        r["arg_" + name] = a.argmax(3)[..., None]
        r["less_" + name] = a < t(1)
        r["pow_" + name] = a ** t(2)
    return r


def batch_norm(x):
    a = np.array([1, 2, 3], f32)[:, None]
    c = np.array([0.5, 1, 2], f32)[:, None]

    def norm(v):
        return (v - a) / np.sqrt(c + 1e-3) * a + c
    return {"y": norm(x), "half": norm(x.astype(np.float16).astype(f32)).astype(np.float16),
            "double_": norm(x.astype(np.float64))}


def conv(x, k, d):
    y = convolve(x, k, (1, 1, 0, 0), (1, 2), 2)
    z = convolve_transposed(x, d, (2, 2), (1, 1, 1, 1), (1, 0))
    n, c, h, w = x.shape
    oh, ow = -(-(h - 3) // 2) + 1, -(-(w - 3) // 2) + 1
    p = np.stack([np.stack([x[:, :, 2 * i:2 * i + 3, 2 * j:2 * j + 3].max((2, 3)) for j in range(ow)], -1)
                  for i in range(oh)], -2)
    average = (x[:, :, 1:, 1:] + x[:, :, :-1, 1:] + x[:, :, 1:, :-1] + x[:, :, :-1, :-1]) / 4
    return {"y": y, "size": ints(*y.shape), "z": z, "z_size": ints(*z.shape), "p": p, "p_size": ints(*p.shape),
            "average": average, "global": x.mean((2, 3), keepdims=True)}


def resize(x, p):
    def up(v):
        return v.repeat(2, 2).repeat(2, 3)
    return {"scaled": up(x), "sized": up(x), "p_": up(p), "p_size": ints(*up(p).shape), "int64": up(x.astype(np.int64))}


def indices(x):
    order = np.argsort(-x, 1, kind="stable")[:, :2]
    i = x.argmax(1)
    scattered = x.copy()
    scattered[1] = x[0] * 10
    return {"top": np.take_along_axis(x, order, 1), "at": order, "arg": x.argmin(0), "hot": np.eye(6, dtype=f32)[i],
            "hot_int": np.eye(6, dtype=np.int32)[i], "cumsum": x.cumsum(1), "scattered": scattered,
            "compressed": x[:, 1:3]}


def rnn(x, w, r):
    def sigmoid(v):
        return 1 / (1 + np.exp(-v))
    h = c = np.zeros((x.shape[1], 3))
    out = []
    for step in x:
        i, o, f, g = np.split(step @ w[0].T + h @ r[0].T, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return {"y": np.stack(out)[:, None], "h": h[None], "c": c[None]}


def loop(x):
    return {"sum": x.sum(0), "all": x.cumsum(0) * x.shape[1], "n_": ints(x.shape[1])}


def scan(x):
    return {"sum": x.sum(0), "all": -x.cumsum(0)}


def branches(x, c):
    return {"y": -x if c[0] else x}


def layer_norm(x):
    return {"y": (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)}


def grid_sample(x, grid):
    h, w = x.shape[2:]

    def at(i, j):
        return x[0, 0, i, j] if 0 <= i < h and 0 <= j < w else 0
    y = np.zeros((1, 1) + grid.shape[1:3])
    for i in range(grid.shape[1]):
        for j in range(grid.shape[2]):
            u, v = (grid[0, i, j, 0] + 1) / 2 * (w - 1), (grid[0, i, j, 1] + 1) / 2 * (h - 1)
            a, b = int(np.floor(v)), int(np.floor(u))
            y[0, 0, i, j] = sum(at(a + di, b + dj) * (1 - abs(v - a - di)) * (1 - abs(u - b - dj))
                                for di in (0, 1) for dj in (0, 1))
    return {"y": y}


EXPECTED = {f.__name__.rstrip("_"): f for f in (
    constants, fill_dynamic, folded, views, reshape, reshape_dynamic, axes, transpose, expand, sizes, sizes_made, concat,
    slice_, split, gather, tile, pad, reduce, softmax_, matmul, where, clip, neutral, kernels, batch_norm, conv, resize,
    indices, rnn, loop, branches, scan, layer_norm, grid_sample)}
SINCE = {"matmul": 12, "layer_norm": 17, "grid_sample": 16}
# How many nodes of a kind the whole model of a case holds, at opset 17: what needs no node has none.
NODES = {
    "constants": {"Add": 3, "Mul": 1, "Cast": 2},
    "views": {"Add": 8, "Cast": 1},
    "reshape": {"Reshape": 4, "Slice": 1},
    "folded": {"Mul": 1, "Add": 6, "Cast": 1},
    "neutral": {"Neg": 1, "Mul": 1},
    "tile": {"Tile": 2, "Neg": 1},
    "transpose": {"Transpose": 2, "Neg": 2, "Identity": 1},  # two outputs are one
    "concat": {"Concat": 2, "Neg": 1},
    "expand": {"Expand": 3, "Shape": 1, "Concat": 1},
    "fill_dynamic": {"Expand": 2, "Shape": 3, "Concat": 1},
}


@pytest.fixture(scope="module", params=OPSETS)
def written(request, tmp_path_factory):
    where_to = tmp_path_factory.mktemp("builder%d" % request.param)
    text = subprocess.run([PROGRAM, str(where_to), str(request.param)], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = dict(line.split(" ", 1) for line in text.splitlines())
    assert set(lines) == set(EXPECTED)
    return request.param, where_to, lines


def feed_for(model, case):
    rng = np.random.default_rng(7)
    feed = {}
    for i in model.graph.input:
        t = i.type.tensor_type
        shape = [d.dim_value if d.HasField("dim_value") else SIZES[d.dim_param] for d in t.shape.dim]
        if t.elem_type != onnx.TensorProto.FLOAT:
            feed[i.name] = rng.integers(0, 2, shape).astype(np.int32)
        elif case == "kernels":
            feed[i.name] = rng.integers(0, 3, shape).astype(f32)
        elif case == "gather" and i.name == "f":
            feed[i.name] = np.array([4, 0, 2], f32)
        elif case == "sizes_made":
            feed[i.name] = np.array([0, 1, 0, 2, 3, 4], f32)[:shape[0]]
        else:
            feed[i.name] = rng.standard_normal(shape).astype(f32)
    return feed


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_built_nodes_pass_the_checker_and_run(written, case):
    opset, where_to, lines = written
    if opset < SINCE.get(case, 0):
        assert lines[case].startswith("- ")
        assert "opset %d" % SINCE[case] in lines[case] and "opset %d" % opset in lines[case]
        return
    assert not lines[case].startswith("-"), lines[case]
    model = onnx.load(where_to / (case + ".onnx"))
    onnx.checker.check_model(model, full_check=True)
    assert [o.version for o in model.opset_import if not o.domain] == [opset]
    check_declared(model)
    if opset == 17 and case in NODES:
        assert dict(Counter(n.op_type for n in model.graph.node)) == NODES[case]
    feed = feed_for(model, case)
    model.opset_import[0].version = min(opset, RUN_UP_TO)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    got = dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))
    want = EXPECTED[case](**feed)
    assert set(got) == set(want)
    declared = {o.name: o.type.tensor_type.shape for o in model.graph.output}
    for name in want:
        assert got[name].shape == np.shape(want[name]), name
        close(name, got[name], np.asarray(want[name]))
        for d, size in zip(declared[name].dim, got[name].shape):
            if d.HasField("dim_value"):
                assert d.dim_value == size, name
            elif d.dim_param in SIZES:
                assert SIZES[d.dim_param] == size, name


# Operators whose first version is of another meaning, or that are never written in it.
FIRST = {"GroupNormalization": 21, "Dropout": 12}
FIXED = {"i": "tensor(int64)", "f": "tensor(float)", "b": "tensor(bool)", "n": "tensor(int32)"}


def test_attributes_are_those_of_onnx():
    with open(os.path.join(HERE, "..", "..", "lib", "onnx", "schema", "attributes.inc"), encoding="utf-8") as f:
        assert f.read() == attributes.text()


# A text that is not one of a few; and what else the descriptions have in quotes.
FREE = {("Einsum", "equation")}
OTHERS = {"i", "length_original", "length_resized", "max_sequence_length", "nearest", "output_width", "output_width_int", "round_int",
          "x_original", "x_resized"}


def test_words_are_those_of_onnx():
    """words.inc has each attribute that is a text; its words, and the default, are in onnx's description, which has no others in quotes."""
    with open(os.path.join(HERE, "..", "..", "lib", "onnx", "schema", "words.inc"), encoding="utf-8") as f:
        rows = re.findall(r'^OX_WORDS\("(\w+)",\s+"([\w ]+)",\s+"([\w ]+)"\)', f.read(), re.M)
    table = {(op, attribute): words.split() for attribute, ops, words in rows for op in ops.split()}
    texts = (onnx.defs.OpSchema.AttrType.STRING, onnx.defs.OpSchema.AttrType.STRINGS)
    with open(os.path.join(HERE, "..", "..", "lib", "onnx", "schema", "attributes.inc"), encoding="utf-8") as f:
        operators = re.findall(r"^OX_ATTRIBUTES\((\w+),", f.read(), re.M)
    found = set()
    for op in operators:
        schema = onnx.defs.get_schema(op, onnx.defs.onnx_opset_version(), "")
        for name, what in schema.attributes.items():
            if what.type in texts and (op, name) not in FREE:
                found.add((op, name))
                words = table[op, name]
                assert words == sorted(words)
                text = schema.doc if name == "activations" else what.description
                assert set(words) <= set(re.findall(r"\w+", text)), (op, name)
                quoted = set(re.findall("[\"'`](\\w+)[\"'`]", what.description)) - set(schema.attributes) - {i.name for i in schema.inputs}
                assert quoted <= set(words) | OTHERS, (op, name)
                default = what.default_value.s.decode()
                assert not default or default in words, (op, name)
    assert found == set(table)


def allowed(schema, type_str):
    """The element types of a type or of a named constraint."""
    found = [c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == type_str]
    return list(found[0]) if found else [type_str]


def test_operators_inc_agrees_with_the_onnx_package():
    """operators.inc against the registry of the onnx package: since when, how many inputs, which types belong together."""
    text = subprocess.run([PROGRAM, "--operators"], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    assert [r[0] for r in rows] == sorted(r[0] for r in rows) and len(rows) > 150
    first = {}
    for s in onnx.defs.get_all_schemas_with_history():
        if not s.domain:
            first[s.name] = min(s.since_version, first.get(s.name, 99))
    for name, since, ins, outs, needs, gives in rows:
        schema = onnx.defs.get_schema(name, onnx.defs.onnx_opset_version(), "")
        assert not schema.deprecated, name
        assert int(since) == FIRST.get(name, first[name]), name
        letters = ins.rstrip("*")
        variadic = bool(schema.inputs) and schema.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic
        assert variadic == ins.endswith("*") and len(letters) == len(schema.inputs), name
        assert int(needs) == (schema.min_input if schema.min_input > 1 else 0), name
        variadic = schema.outputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic
        assert variadic == outs.endswith("*") and len(outs.rstrip("*")) == len(schema.outputs), name
        assert int(gives) == (schema.min_output if schema.min_output > 1 else 0), name
        data = {i.type_str for i, k in zip(schema.inputs, letters) if k == "T"}
        data |= {o.type_str for o, k in zip(schema.outputs, outs) if k == "T"}
        # What is called one type here may be several in onnx, where one type for all is allowed too.
        assert len(data) <= 1 or set.intersection(*[set(allowed(schema, t)) for t in data]), name
        for one, letter in list(zip(schema.inputs, letters)) + list(zip(schema.outputs, outs)):
            if letter in FIXED:
                assert FIXED[letter] in allowed(schema, one.type_str), name


def close(name, got, want):
    if got.dtype == np.float16:
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), 4e-3, 4e-3, err_msg=name)
    elif got.dtype.kind == "f":
        np.testing.assert_allclose(got, want, 2e-5, 1e-6, err_msg=name)
    else:
        np.testing.assert_array_equal(got, want, err_msg=name)


def check_declared(model):
    """What onnx infers by itself must agree with what the model declares; strict inference raises if it does not."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    inferred = onnx.shape_inference.infer_shapes(bare, strict_mode=True, data_prop=True)
    mine = {v.name: v.type.tensor_type for v in model.graph.value_info}
    for v in inferred.graph.value_info:
        t = v.type.tensor_type
        if v.name not in mine or not t.HasField("shape"):
            continue
        assert mine[v.name].elem_type == t.elem_type, v.name
        assert len(mine[v.name].shape.dim) == len(t.shape.dim), v.name
        for a, b in zip(mine[v.name].shape.dim, t.shape.dim):
            if a.HasField("dim_value") and b.HasField("dim_value"):
                assert a.dim_value == b.dim_value, v.name
            if b.HasField("dim_value"):
                assert a.HasField("dim_value"), v.name + ": onnx knows more"
