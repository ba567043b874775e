# SPDX-License-Identifier: Apache-2.0
"""Random cases: operators that pick elements by index."""
from . import case, data, one, op, options, param

INDEX = ("float32", "int32", "int64")


@op("take")
def take(r):
    shape, indices = r.shape(1, 3), r.shape(1, 3)
    axis = r.int(-len(shape), len(shape) - 1)
    attrs = r.attrs(mode=lambda: r.pick("clip", "wrap"))
    if axis != 0 or r.chance():
        attrs["axis"] = axis
    d = r.dims(len(shape))
    return case("case", "take", [data(*shape), data(*indices, dtype=r.pick(*INDEX), kind="int", low=-8, high=8)], attrs,
                **options(r, {a: "a%d" % a for a in (d or {})}, r.dims(len(indices))))


@op("pick")
def pick(r):
    shape = r.shape(1, 4)
    attrs = r.attrs(keepdims=lambda: r.chance(), mode=lambda: r.pick("clip", "wrap"))
    axis = -1
    if r.chance():
        axis = attrs["axis"] = r.int(-len(shape), len(shape) - 1)
    gone = axis % len(shape)
    kept = attrs.get("keepdims", False)
    index = tuple(1 if a == gone else d for a, d in enumerate(shape) if kept or a != gone)
    d = r.dims(len(shape), [a for a in range(len(shape)) if a != gone])
    di = {(a if kept or a < gone else a - 1): n for a, n in (d or {}).items()}
    return case("case", "pick", [data(*shape), data(*(index or (1,)), dtype=r.pick(*INDEX), kind="int", low=-8, high=8)],
                attrs, **options(r, d, di))


@op("one_hot")
def one_hot(r):
    depth = r.int(1, 6)
    attrs = dict(depth=depth)
    attrs.update(r.attrs(on_value=lambda: float(r.int(1, 4)), off_value=lambda: float(r.int(0, 3)),
                         dtype=lambda: r.pick("float32", "float64", "float16", "int32", "int64", "uint8", "int8")))
    return one(r, "one_hot", r.shape(1, 3), attrs, r.pick(*INDEX), kind="int", low=-2, high=depth + 1)


@op("gather_nd")
def gather_nd(r):
    shape = r.shape(1, 4)
    m = r.int(1, len(shape))
    rest = r.shape(1, 2)
    most = min(shape[:m]) - 1
    d = r.dims(len(rest))
    return case("case", "gather_nd", [data(*shape), data(m, *rest, dtype=r.pick(*INDEX), kind="int", low=0, high=most)],
                **options(r, None, {a + 1: n for a, n in (d or {}).items()}))


@op("batch_take")
def batch_take(r):
    n, c = r.int(1, 5), r.int(1, 5)
    d = r.pick({}, {0: "n"})
    return case("case", "batch_take", [data(n, c), data(n, dtype="int32", kind="int", low=-3, high=7)],
                **options(r, d, d))


@op("diag")
def diag(r):
    shape = r.shape(1, 4)
    attrs = r.attrs(k=lambda: r.int(-2, 2))
    if len(shape) > 2 and r.chance():
        axes = r.rng.permutation(len(shape))
        attrs.update(axis1=int(axes[0]), axis2=int(axes[1]))
    return one(r, "diag", shape, attrs)


@op("argmax_channel")
def argmax_channel(r):
    return one(r, "argmax_channel", r.shape(2, 3), None, kind="distinct")


@op("softmax_cross_entropy")
def softmax_cross_entropy(r):
    n, c = r.int(1, 5), r.int(2, 5)
    d = r.pick({}, {0: "n"})
    return case("case", "softmax_cross_entropy", [data(n, c), data(n, kind="int", low=0, high=c - 1)],
                **options(r, d, d))


@op("_rnn_param_concat")
def rnn_param_concat(r):
    return case("case", "_internal._rnn_param_concat", [param(r.int(1, 6)) for _ in range(r.int(1, 3))]
                + [data(r.int(1, 4))], dict(dim=0), **options(r, {0: "n"} if r.chance() else None))
