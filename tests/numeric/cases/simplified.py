# SPDX-License-Identifier: Apache-2.0
"""Nodes that become one, or none (fuse.c, narrow.c, batch_norm.c, product.c, fold.c in lib/onnx)."""
from . import aux, build, data, param

OPSETS = (11, 13, 17, 18, 21, 26)


def variables(mx, *names):
    return [mx.sym.Variable(n) for n in names]


def product(add, **flags):
    def make(mx):
        x, w, c = variables(mx, "x", "w", "c")
        return add(mx.sym, mx.sym.dot(x, w, **flags), c)
    return make


def behind(s, y, c):
    return s.broadcast_add(y, c)


def before(s, y, c):
    return s.broadcast_add(c, y)


def grown(mx):
    """The sum is larger than the product."""
    x, w, c = variables(mx, "x", "w", "c")
    return mx.sym.broadcast_add(mx.sym.dot(x, w), c)


def padded(width, **attrs):
    def make(mx):
        x, w, b = variables(mx, "x", "w", "b")
        return mx.sym.Convolution(mx.sym.Pad(x, mode="constant", pad_width=width), w, b, num_filter=4, **attrs)
    return make


def padded_for(*readers):
    """A Pad that two convolutions read, and these."""
    def make(mx):
        x, w, b, v = variables(mx, "x", "w", "b", "v")
        y = mx.sym.Pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 0, 2, 1))
        return mx.sym.Group([mx.sym.Convolution(y, w, b, num_filter=4, kernel=(3, 3), stride=(2, 2), pad=(1, 1)),
                             mx.sym.Convolution(y, v, num_filter=3, kernel=(5, 4), no_bias=True, num_group=3)] + [r(mx.sym, y) for r in readers])
    return make


def biased(*shape, op="Convolution", first=False, norm=False, twice=False):
    """A layer without a bias, to which a parameter of this shape is added."""
    def make(mx):
        x, w, c = variables(mx, "x", "w", "c")
        y = getattr(mx.sym, op)(x, w, num_filter=4, kernel=(3, 3), no_bias=True)
        z = mx.sym.broadcast_add(c, y) if first else mx.sym.broadcast_add(y, c)
        z = mx.sym.BatchNorm(z, *variables(mx, "gamma", "beta", "mean", "var"), fix_gamma=False) if norm else z
        return mx.sym.Group([z, mx.sym.tanh(y)]) if twice else z
    weight = (4, 3, 3, 3) if op == "Convolution" else (3, 4, 3, 3)
    return make, {"x": data(2, 3, 6, 6)}, dict({"w": param(*weight), "c": param(*shape)}, **({k: (aux if k in ("mean", "var") else param)(
        4, low=.5, high=2) for k in ("gamma", "beta", "mean", "var")} if norm else {}))


def pooled(width, **attrs):
    """A Pad that only a pooling reads."""
    return lambda mx: mx.sym.Pooling(mx.sym.Pad(mx.sym.Variable("x"), mode="constant", pad_width=(0, 0, 0, 0) + width), **attrs)


def norm_behind(op, names, bias=True, **attrs):
    """The layer on each input, with one weight and one normalisation."""
    def make(mx):
        own, norm = variables(mx, *["w", "b"][:1 + bias]), variables(mx, "gamma", "beta", "mean", "var")
        layer = dict(attrs, num_filter=6, kernel=(3, 3), no_bias=not bias)
        found = [mx.sym.BatchNorm(getattr(mx.sym, op)(x, *own, **layer), *norm, fix_gamma=False)
                 for x in variables(mx, *names)]
        return mx.sym.Group(found) if len(found) > 1 else found[0]
    return make


def norm_of_norm(mx):
    once = norm_behind("Convolution", "x")(mx)
    return mx.sym.BatchNorm(once, *variables(mx, "gamma", "beta", "mean", "var"), eps=0.5, fix_gamma=True)


NORM = {"gamma": param(6, low=0.5, high=2), "beta": param(6), "mean": aux(6), "var": aux(6, low=0.5, high=2)}


def cell(mx):
    """The first step of a cell: its state is a parameter, and so is what it makes of it."""
    x, w, b, h, u, c = variables(mx, "x", "w", "b", "h", "u", "c")
    state = mx.sym.FullyConnected(h, u, c, num_hidden=9)
    one, two, three = mx.sym.SliceChannel(state, num_outputs=3, axis=1)
    y = mx.sym.broadcast_add(mx.sym.FullyConnected(x, w, b, num_hidden=3), one)
    return mx.sym.broadcast_add(mx.sym.broadcast_mul(y, two), three)


def heads(widths, bias=True):
    def make(mx):
        x = mx.sym.Variable("x")
        return mx.sym.Group([mx.sym.Activation(mx.sym.FullyConnected(
            x, *variables(mx, "w%d" % i, *["b%d" % i] * bias), num_hidden=n, flatten=False, no_bias=not bias),
            act_type="tanh") for i, n in enumerate(widths)])
    return make


def head_params(widths, bias=True):
    found = {"w%d" % i: param(n, 5) for i, n in enumerate(widths)}
    return dict(found, **{"b%d" % i: param(n) for i, n in enumerate(widths)}) if bias else found


def joined(mx):
    x, y = variables(mx, "x", "y")
    return mx.sym.Concat(y, mx.sym.Concat(x, mx.sym.Concat(y, x, dim=1), dim=1), dim=1)


def routing(mx):
    """Weights that begin equal, and a table that is summed."""
    x, w = variables(mx, "x", "w")
    equal = mx.sym.softmax(mx.sym.zeros((3, 4)), axis=1)
    return mx.sym.broadcast_mul(mx.sym.dot(x, equal), mx.sym.sum(mx.sym.square(w), axis=1))


def chain(*steps):
    """A Reshape for each list, a transpose for each tuple."""
    def make(mx):
        x = mx.sym.Variable("x")
        for step in steps:
            x = mx.sym.Reshape(x, shape=step) if isinstance(step, list) else mx.sym.transpose(x, axes=step)
        return x
    return make


def attention(mx):
    """Queries and keys whose heads become part of the batch."""
    q, k = (mx.sym.Reshape(mx.sym.transpose(mx.sym.Reshape(v, shape=(0, 0, 2, -1)), axes=(0, 2, 1, 3)), shape=(-3, 0, 0))
            for v in variables(mx, "x", "y"))
    mixed = mx.sym.batch_dot(mx.sym.softmax(mx.sym.batch_dot(q, k, transpose_b=True)), k)
    heads = mx.sym.Reshape(mixed, shape=(-4, -1, 2, 0, 0))
    return mx.sym.Reshape(mx.sym.transpose(heads, axes=(0, 2, 1, 3)), shape=(0, 0, -3))


def logits(mx):
    """Sums that begin with zeros. The softmax after them has the same result for either sign of zero."""
    x, y = variables(mx, "x", "y")
    first = mx.sym.broadcast_add(mx.sym.zeros((3, 4)), x)
    return mx.sym.Group([mx.sym.softmax(first), mx.sym.softmax(first + y)])


def unravelled(mx):
    at = mx.sym.unravel_index(mx.sym.arange(-3, 3, dtype="int32"), shape=(2, 3))
    return at + mx.sym.Variable("x")


CASES = [
    build("sum_row", product(behind), {"x": data(3, 5)}, {"w": param(5, 4), "c": param(4)}, opsets=OPSETS),
    build("sum_row_first", product(before), {"x": data(3, 5)}, {"w": param(5, 4), "c": param(1, 4)}, opsets=OPSETS),
    build("sum_column", product(behind, transpose_b=True), {"x": data(3, 5), "c": data(3, 1)},
          {"w": param(4, 5)}, opsets=OPSETS),
    build("sum_transposed", product(behind, transpose_a=True), {"x": data(5, 3)}, {"w": param(5, 4), "c": param(1, 1)},
          dynamic=None, opsets=OPSETS),
    build("sum_double", product(behind), {"x": data(3, 5, dtype="float64")},
          {"w": param(5, 4, dtype="float64"), "c": param(4, dtype="float64")}, opsets=OPSETS),
    build("sum_grown", grown, {"x": data(1, 5)}, {"w": param(5, 4), "c": param(3, 4)}, dynamic=None, opsets=OPSETS),
    build("pad", padded((0, 0, 0, 0, 5, 0, 2, 7), kernel=(3, 3), pad=(1, 0)), {"x": data(2, 3, 8, 8)},
          {"w": param(4, 3, 3, 3), "b": param(4)}, dynamic=[{0: "n", 2: "h"}], opsets=OPSETS),
    build("pad_wide", padded((0, 0, 0, 0, 9, 9, 4, 0), kernel=(3, 3), dilate=(2, 1), stride=(2, 1)),
          {"x": data(2, 3, 8, 8)}, {"w": param(4, 3, 3, 3), "b": param(4)}, opsets=OPSETS),
    build("pad_3d", padded((0, 0, 0, 0, 1, 0, 2, 1, 3, 0), kernel=(3, 3, 2)), {"x": data(2, 3, 5, 6, 4)},
          {"w": param(4, 3, 3, 3, 2), "b": param(4)}, opsets=OPSETS),
    *(build("pad_" + name, padded_for(*readers), {"x": data(2, 3, 8, 8)}, {"w": param(4, 3, 3, 3), "b": param(4), "v": param(3, 1, 5, 4)},
            dynamic=[{0: "n", 2: "h"}], opsets=OPSETS)
      for name, readers in (("of_two", ()), ("also_read", (lambda s, y: s.Pooling(y, kernel=(2, 2), pool_type="max"),)),
                            ("that_is_a_result", (lambda s, y: y,)))),
    *(build("pad_" + name, pooled(*args, **attrs), {"x": data(2, 3, 8, 8, dtype=dtype, low=-3, high=-1)}, dynamic=[{0: "n", 2: "h"}], opsets=OPSETS)
      for name, args, attrs, dtype in (
          ("max", [(1, 0, 0, 2)], dict(kernel=(3, 3), stride=(2, 2), pool_type="max"), "float32"),
          ("max_pads", [(1, 1, 1, 1)], dict(kernel=(3, 3), pad=(1, 1), pool_type="max"), "float32"),
          ("max_half", [(1, 0, 0, 2)], dict(kernel=(3, 3), stride=(2, 2), pool_type="max"), "float16"),
          ("max_wide", [(2, 0, 0, 3)], dict(kernel=(2, 2), pool_type="max"), "float64"),
          ("mean", [(1, 0, 0, 1)], dict(kernel=(3, 3), pool_type="avg"), "float32"),
          ("mean_wide", [(2, 1, 0, 3)], dict(kernel=(2, 2), pool_type="avg"), "float32"),
          ("mean_pads", [(1, 1, 1, 1)], dict(kernel=(3, 3), pad=(1, 1), pool_type="avg", count_include_pad=False), "float32"),
          ("mean_half", [(1, 0, 0, 2)], dict(kernel=(3, 3), pool_type="avg", count_include_pad=False), "float16"))),
    build("norm_deconv", norm_behind("Deconvolution", "x", bias=False, stride=(2, 2)), {"x": data(2, 4, 5, 5)},
          dict(NORM, w=param(4, 6, 3, 3)), opsets=OPSETS),
    build("norm_deconv_groups", norm_behind("Deconvolution", "x", num_group=2), {"x": data(2, 4, 5, 5)},
          dict(NORM, w=param(4, 3, 3, 3), b=param(6)), opsets=OPSETS),
    build("norm_twins", norm_behind("Convolution", "xy"), {"x": data(2, 4, 5, 5), "y": data(2, 4, 6, 6)},
          dict(NORM, w=param(6, 4, 3, 3), b=param(6)), opsets=OPSETS),
    build("norm_of_norm", norm_of_norm, {"x": data(2, 4, 5, 5)},
          dict(NORM, w=param(6, 4, 3, 3), b=param(6)), opsets=OPSETS),
    build("mean_of_mean", lambda mx: mx.sym.mean(mx.sym.mean(mx.sym.Variable("x"), axis=3), axis=2),
          {"x": data(2, 3, 4, 5)}, dynamic=[{0: "n", 2: "h"}], opsets=OPSETS),
    build("max_of_max", lambda mx: mx.sym.max(mx.sym.max(mx.sym.Variable("x"), axis=(0, 2), keepdims=True), axis=3,
                                              keepdims=True), {"x": data(2, 3, 4, 5)}, opsets=OPSETS),
    build("mean_of_one", lambda mx: mx.sym.mean(mx.sym.Variable("x"), axis=1) * 2, {"x": data(2, 1, 4)}, opsets=OPSETS),
    *(build("bias_" + name, *biased(*shape, **more), dynamic=[{0: "n"}], opsets=OPSETS) for name, shape, more in (
        ("added", (1, 4, 1, 1), {}), ("added_first", (1, 4, 1, 1), {"first": True}), ("normalised", (1, 4, 1, 1), {"norm": True}),
        ("of_columns", (1, 1, 1, 4), {}), ("of_rows", (1, 1, 4, 1), {}), ("of_one", (1, 1, 1, 1), {}), ("read_twice", (1, 4, 1, 1), {"twice": True}),
        ("of_deconvolution", (1, 4, 1, 1), {"op": "Deconvolution"}), ("of_pixels", (1, 4, 4, 4), {}))),
    *(build(name, lambda mx, make=make: make(mx.sym, mx.sym.Variable("x")), {"x": data(2, 3, 4)}, dynamic=[dynamic], opsets=OPSETS)
      for dynamic, more in (({}, ""), ({0: "n", 2: "w"}, "_dynamic"))
      for name, make in (("mean_of_ones" + more, lambda s, x: s.broadcast_div(x, s.mean(s.ones_like(x), axis=1, keepdims=True))),
                         ("most_of_ones" + more, lambda s, x: s.broadcast_mul(x, s.max(s.ones_like(x), axis=(0, 2), keepdims=True))),
                         ("product_of_ones" + more, lambda s, x: s.broadcast_add(x, s.prod(s.ones_like(x), axis=0, keepdims=True))),
                         ("sum_of_ones" + more, lambda s, x: s.broadcast_add(x, s.sum(s.ones_like(x), axis=2, keepdims=True))),
                         ("sum_of_zeros" + more, lambda s, x: s.broadcast_add(x, s.sum(s.zeros_like(x)))))),
    build("where_not", lambda mx: mx.sym.where(mx.sym.Variable("x") != 1, *variables(mx, "y", "z")),
          {"x": data(values=[[1, 2, 1], [0, 1, 3]], dtype="float32"), "y": data(2, 3), "z": data(2, 3)}, dynamic=None, opsets=OPSETS),
    build("concat_of_concats", joined, {"x": data(2, 3, 4), "y": data(2, 2, 4)}, opsets=OPSETS),
    build("first_step", cell, {"x": data(4, 6)},
          {"w": param(3, 6), "b": param(3), "h": param(1, 7), "u": param(9, 7), "c": param(9)}, opsets=OPSETS),
    build("heads", heads((1, 3, 1)), {"x": data(2, 6, 5)}, head_params((1, 3, 1)), dynamic=[{0: "n", 1: "t"}],
          opsets=OPSETS),
    build("heads_without_bias", heads((2, 1, 4), bias=False), {"x": data(2, 6, 5)}, head_params((2, 1, 4), bias=False),
          opsets=OPSETS),
    build("logits", logits, {"x": data(3, 4), "y": data(3, 4)}, dynamic=None, opsets=OPSETS),
    build("chain_heads", chain([0, 0, 2, -1], (0, 2, 1, 3), [-3, 0, 0]), {"x": data(1, 4, 6)}, dynamic=[{1: "t"}], opsets=OPSETS),
    build("chain_back", chain([-4, 1, -1, 0, 0], (0, 2, 1, 3), [0, 0, -3]), {"x": data(2, 4, 3)}, dynamic=[{1: "t"}], opsets=OPSETS),
    build("chain_keys", chain([0, 0, 2, -1], (0, 2, 1, 3), [-3, 0, 0], (0, 2, 1)), {"x": data(3, 4, 6)}, dynamic=[{0: "n", 1: "t"}],
          opsets=OPSETS),
    build("chain_between", chain([2, 3, -1], (1, 0, 2), [0, -3], (1, 0)), {"x": data(6, 5)}, dynamic=[{1: "n"}], opsets=OPSETS),
    build("chain_in_order", chain((0, 2, 1), [0, -4, 2, 3, 0], (0, 3, 1, 2)), {"x": data(2, 4, 6)}, dynamic=[{0: "n", 1: "t"}],
          opsets=OPSETS),
    build("chain_ones", chain((0, 3, 1, 2), [0, -3, 0], (2, 0, 1), [0, 0, 1, -1]), {"x": data(2, 3, 4, 1)}, opsets=OPSETS),
    build("chain_torn", chain((1, 0), [4, 6], (1, 0), [3, 8], (1, 0)), {"x": data(4, 6)}, dynamic=None, opsets=OPSETS),
    build("chain_attention", attention, {"x": data(1, 4, 6), "y": data(1, 5, 6)}, dynamic=[{1: "t"}, {1: "s"}], opsets=OPSETS),
    build("chain_attention_batch", attention, {"x": data(2, 4, 6), "y": data(2, 5, 6)}, dynamic=[{0: "n", 1: "t"}, {0: "n", 1: "s"}],
          opsets=OPSETS),
    build("unravelled", unravelled, {"x": data(2, 6, dtype="int32")}, dynamic=None, opsets=OPSETS),
    build("routing", routing, {"x": data(2, 3)}, {"w": param(4, 6)}, opsets=OPSETS),
]
