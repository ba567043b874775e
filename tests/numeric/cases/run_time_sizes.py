# SPDX-License-Identifier: Apache-2.0
"""Sizes at run time that are 0, 1 or no multiple where those of the export are not, and the other way round."""
from . import FROM_12, build, case, data


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


def one(name, op, size, **options):
    """A matrix of the size at the export, the other at run time."""
    return np_case("%s_%d" % (name, size), op, options.pop("inputs")(size), dynamic=options.pop("dynamic"),
                   sizes=dict(k=1 - size if size < 2 else 1), **options)


def summed(text, n):
    return lambda mx: mx.sym.np.einsum(text, *[mx.sym.Variable("x%d" % i).as_np_ndarray() for i in range(n)])


KK = {0: "k", 1: "k"}


def halves(mx):
    """Parts that must be equal, since they are added."""
    x = mx.sym.Variable("x").as_np_ndarray()
    a, b = mx.sym.np._internal.split(x, indices=(), sections=2, axis=1)
    return a * 2 + b


CASES = [
    # ---- parts of an axis
    np_case("split_v2_of_nothing", "_internal._split_v2", [data(2, 6)], dict(indices=(), sections=3), dynamic=[{1: "k"}], sizes=dict(k=0)),
    np_case("split_v2_from_nothing", "_internal._split_v2", [data(2, 0)], dict(indices=(), sections=3), dynamic=[{1: "k"}],
            sizes=dict(k=6)),
    np_case("hsplit_of_nothing", "np._internal.hsplit", [data(2, 6)], dict(indices=(), sections=3), dynamic=[{1: "k"}], sizes=dict(k=0)),
    np_case("hsplit_from_nothing", "np._internal.hsplit", [data(2, 0)], dict(indices=(), sections=3), dynamic=[{1: "k"}], sizes=dict(k=6)),
    np_case("hsplit_static_nothing", "np._internal.hsplit", [data(2, 0)], dict(indices=(), sections=3), dynamic=None),
    np_case("hsplit_uneven", "np._internal.hsplit", [data(2, 6)], dict(indices=(), sections=3), dynamic=[{1: "k"}], sizes=dict(k=8)),
    np_case("hsplit_fewer", "np._internal.hsplit", [data(2, 6)], dict(indices=(), sections=3), dynamic=[{1: "k"}], sizes=dict(k=2)),
    np_case("hsplit_uneven_first", "np._internal.hsplit", [data(2, 7)], dict(indices=(), sections=3), dynamic=[{1: "k"}], sizes=dict(k=6)),
    np_case("split_uneven_axis0", "np._internal.split", [data(4, 3)], dict(indices=(), sections=2, axis=0), dynamic=[{0: "k"}],
            sizes=dict(k=5)),
    np_case("split_squeezed", "np._internal.split", [data(3, 2)], dict(indices=(), sections=3, axis=0, squeeze_axis=True),
            dynamic=[{1: "k"}], sizes=dict(k=0)),
    np_case("split_at_of_nothing", "np._internal.split", [data(2, 6)], dict(indices=(0, 0, 0), axis=1), dynamic=[{1: "k"}],
            sizes=dict(k=0)),
    build("split_and_added", halves, {"x": data(2, 6)}, dynamic={"x": {1: "k"}}, sizes=dict(k=4), np_shape=True),
    build("split_nothing_and_added", halves, {"x": data(2, 6)}, dynamic={"x": {1: "k"}}, sizes=dict(k=0), np_shape=True),

    # ---- means of nothing
    np_case("adaptive_pooling_of_nothing", "contrib.AdaptiveAvgPooling2D", [data(2, 3, 0, 6)], dict(output_size=(2, 1)), dynamic=None),

    # ---- one or nothing at run time
    case("broadcast_like_one", "broadcast_like", [data(1, 3), data(4, 3)], dynamic=[None, {0: "b"}], sizes=dict(b=1)),
    case("broadcast_like_from_one", "broadcast_like", [data(1, 3), data(1, 3)], dynamic=[None, {0: "b"}], sizes=dict(b=4)),
    case("broadcast_like_axes_one", "broadcast_like", [data(2, 1), data(4, 5)], dict(lhs_axes=(1,), rhs_axes=(0,)), dynamic=[None,
            {0: "b"}], sizes=dict(b=1)),
    np_case("broadcast_like_nothing", "broadcast_like", [data(1, 3), data(4, 3)], dynamic=[None, {0: "b"}], sizes=dict(b=0)),
    case("squeeze_from_one", "squeeze", [data(1, 1, 2)], dict(axis=(0,)), dynamic=[{1: "k"}], sizes=dict(k=3)),
    np_case("squeeze_nothing", "squeeze", [data(1, 3, 2)], dict(axis=(0,)), dynamic=[{1: "k"}], sizes=dict(k=0)),
] + [
    np_case("pad_%s_%s" % (mode, name), "np.pad", [data(size, 2)], dict(pad_width=((1, 2), (1, 0)), mode=mode), dynamic=[{0: "k"}],
            sizes=dict(k=other))
    for mode in ("constant", "edge", "reflect", "symmetric", "maximum", "minimum") for name, size, other in (("one", 4, 1), ("from_one",
            1, 4))
] + [
    one("cholesky", "np.linalg.cholesky", size, inputs=lambda k: [data(k, k, low=1, high=2)], dynamic=[KK]) for size in (0, 1)
] + [
    one("inverse", "np.linalg.inv", size, inputs=lambda k: [data(k, k, low=1, high=2)], dynamic=[KK]) for size in (0, 1, 2)
] + [
    one("solve", "np.linalg.solve", size, inputs=lambda k: [data(k, k, low=1, high=2), data(k, 2)], dynamic=[KK,
            {0: "k"}]) for size in (0, 1, 2)
] + [
    np_case("insert_%s" % name, "np._internal.insert_tensor", [data(size, 4), data(*values), data(values=[0, 0], dtype="int64")],
            dict(axis=0),
            dynamic=[{0: "k"}, {}, None], sizes=dict(k=other))
    for name, size, other, values in (("into_one", 3, 1, (2, 4)), ("into_nothing", 3, 0, (2, 4)), ("from_nothing", 0, 3, (2, 4)),
            ("one_value", 3, 1, (1, 4)))
] + [
    np_case("insert_rows_of_%s" % name, "np._internal.insert_tensor", [data(3, 4), data(size, 4), data(values=[1, 2], dtype="int64")],
            dict(axis=0),
            dynamic=[{}, {0: "r"}, None], sizes=dict(r=other)) for name, size, other in (("one", 2, 1), ("two", 1, 2))
] + [
    build("einsum_ellipsis_%s" % name, summed(text, len(shapes)), {"x%d" % i: data(*s) for i, s in enumerate(shapes)}, np_shape=True,
            dynamic=None, opsets=FROM_12)
    for name, text, shapes in (("scalar", "...->...", ((),)), ("scalars", "...,...->...", ((), ())), ("scalar_rest", "...,...ij->...ij",
            ((), (2, 2, 3))), ("implicit", "...", ((),)), ("implicit_both", "...,...", ((), (2,))))
] + [
    np_case("slice_%s_%d" % (name, size), "slice", [data(size, 3)], dict(begin=(begin,), end=(end,), step=(step,)), dynamic=[{0: "k"}],
            sizes=dict(k=other))  # MXNet's executor stops at some results without elements
    for name, begin, end, step, sizes in (("late_steps", -3, 2, 2, ((6, 2), (2, 5), (3, 1))),
            ("back", 1, -3, -1, ((6, 2), (2, 5), (3, 1))), ("back_none", 2, 5, -1, ((6, 2), (2, 5), (3, 1))))
    for size, other in sizes
] + [
    np_case("assign_back_%s" % name, "_internal._slice_assign_scalar", [data(size, 2)],
            dict(begin=(begin,), end=(end,), step=(step,), scalar=9), dynamic=[{0: "k"}], sizes=dict(k=2))
    for name, size, begin, end, step in (("before", 5, -3, None, -1), ("before_steps", 6, -3, None, -2), ("before_end", 6, -3, 0, -1),
            ("far", 5, -9, None, -1))
] + [
    np_case("slice_back_%s" % name, "slice", [data(size, 3)], dict(begin=(begin,), end=(end,), step=(step,)), dynamic=[{0: "k"}],
            sizes=dict(k=2))
    for name, size, begin, end, step in (("before", 5, -3, None, -1), ("before_steps", 6, -3, None, -2), ("before_end", 6, -3, 0, -1),
            ("two", 5, -2, None, -1))
]
