# SPDX-License-Identifier: Apache-2.0
"""Operators that few models hold: densities, changes of images, checks, what contrib has."""
from . import build, case, data

CASES = []
NAN, INF = float("nan"), float("inf")


def add(*arguments, **options):
    CASES.append(case(*arguments, **options))


# ---- densities of samples
P = dict(low=0.5, high=3)
for name, params in (("uniform", (dict(low=0, high=1), dict(low=2, high=3))), ("normal", (dict(low=-1, high=1), P)), ("gamma", (P, P)),
                     ("exponential", (P,)), ("poisson", (P,)), ("negative_binomial", (dict(low=1, high=4), dict(low=0.2, high=0.9))),
                     ("generalized_negative_binomial", (P, P))):
    op = "_internal._random_pdf_" + name
    kind = "int" if name in ("poisson", "negative_binomial", "generalized_negative_binomial") else None
    at = dict(low=0, high=6, kind=kind) if kind else dict(low=0.2, high=1.8)
    for log in (False, True):
        add("pdf_%s%s" % (name, "_log" * log), op, [data(2, 3, 4, **at)] + [data(2, 3, **p) for p in params], dict(is_log=log),
            dynamic=[{0: "n", 2: "k"}] + [{0: "n"}] * len(params))
    add("pdf_%s_one" % name, op, [data(5, **at)] + [data(5, **p) for p in params])
    add("pdf_%s_f64" % name, op, [data(2, 5, dtype="float64", **at)] + [data(2, dtype="float64", **p) for p in params], rtol=1e-6)
DIRICHLET = "_internal._random_pdf_dirichlet"
for log in (False, True):
    add("pdf_dirichlet%s" % ("_log" * log), DIRICHLET, [data(2, 5, 3, low=0.1, high=0.9), data(2, 3, **P)], dict(is_log=log),
        dynamic=[{0: "n", 1: "m"}, {0: "n"}])
add("pdf_dirichlet_vector", DIRICHLET, [data(3, low=0.1, high=0.9), data(3, **P)], dynamic=None)
add("pdf_dirichlet_rows", DIRICHLET, [data(4, 3, low=0.1, high=0.9), data(4, 3, **P)])
add("pdf_i32", "_internal._random_pdf_exponential", [data(5, dtype="int32"), data(5, dtype="int32")], error="needs a float type")

# ---- images: with one number to draw from, MXNet's draw is known
for t in ("float32", "uint8"):
    x = data(5, 4, 3, dtype=t, low=0, high=255, kind="int" if t == "uint8" else None)
    gray = data(5, 4, 1, dtype=t, low=0, high=255, kind="int" if t == "uint8" else None)
    for what in ("brightness", "contrast", "saturation"):
        for factor in (0.4, 1.7):
            attrs = dict(min_factor=factor, max_factor=factor)
            add("%s_%s_%d" % (what, t, factor * 10), "image.random_" + what, [x], attrs, dynamic=[{0: "h", 1: "w"}], ties=0.05)
        add("%s_%s_gray" % (what, t), "image.random_" + what, [gray], attrs, ties=0.05)
    for factor in (0.0, 0.3, 0.9):
        add("hue_%s_%d" % (t, factor * 10), "image.random_hue", [x], dict(min_factor=factor, max_factor=factor),
            dynamic=[{0: "h", 1: "w"}], ties=0.3, atol=1e-2)
    add("lighting_" + t, "image.adjust_lighting", [x], dict(alpha=(0.1, -0.2, 0.3)), dynamic=[{0: "h", 1: "w"}])
    add("lighting_random_" + t, "image.random_lighting", [x], dict(alpha_std=0.0), opsets=(12, 17, 21))
add("hue_edges", "image.random_hue", [data(values=[[[255, 0, 0], [0, 255, 0], [0, 0, 255]], [[9, 9, 9], [255, 255, 255], [0, 0, 0]],
                                                   [[200, 200, 10], [10, 200, 200], [200, 10, 200]]])],
    dict(min_factor=0.5, max_factor=0.5), dynamic=None, atol=1e-2)
add("lighting_two", "image.adjust_lighting", [data(5, 4, 3)], dict(alpha=(0.1, 0.2)), error="must have 3")

# ---- contrib
for t in ("float32", "float64", "float16", "int32"):
    add("quadratic_" + t, "contrib.quadratic", [data(2, 3, dtype=t)], dict(a=2.5, b=-1.0, c=0.5))
    add("quadratic_defaults_" + t, "contrib.quadratic", [data(2, 3, dtype=t)])
for name, a, b, attrs in (("same", [1.0, 2.0], [1.0, 2.0], {}), ("far", [1.0, 2.0], [1.0, 2.1], {}), ("near", [1.0, 2.0], [1.0, 2.1], dict(rtol=0.1)),
                          ("atol", [0.0, 2.0], [0.01, 2.0], dict(atol=0.1)), ("nan", [NAN, 2.0], [NAN, 2.0], {}),
                          ("nan_unequal", [NAN, 2.0], [NAN, 2.0], dict(equal_nan=False)), ("nan_one", [NAN, 2.0], [1.0, 2.0], {}),
                          ("inf", [INF, -INF], [INF, -INF], {}), ("inf_far", [INF, 1.0], [-INF, 1.0], {}),
                          ("inf_one", [1.0, 1.0], [INF, 1.0], {})):
    for t in ("float32", "float64", "float16"):
        add("allclose_%s_%s" % (name, t), "contrib.allclose", [data(values=a, dtype=t), data(values=b, dtype=t)], attrs, np_shape=True)
for name in ("round_ste", "sign_ste"):
    add(name, "contrib." + name, [data(values=[-2.5, -0.5, 0.0, 0.5, 1.4, 2.5])])
for name, values in (("yes", [1.0, -2.0]), ("nan", [1.0, NAN]), ("inf", [INF, 1.0]), ("minus_inf", [1.0, -INF])):
    for t in ("float32", "float64", "float16"):
        add("all_finite_%s_%s" % (name, t), "all_finite", [data(values=values, dtype=t)])
    add("multi_all_finite_" + name, "multi_all_finite", [data(3, 2), data(values=values), data(4)], dict(num_arrays=3), dynamic=None)
add("multi_all_finite_two", "multi_all_finite", [data(3, 2), data(4)], dict(num_arrays=2), dynamic=None)

# ---- hawkesll
MARKS = data(2, 6, dtype="int32", low=0, high=2)
add("hawkesll", "contrib.hawkesll", [data(2, 3, low=0.5, high=2), data(3, low=0.1, high=0.9), data(3, low=0.5, high=2), data(2, 3, low=0, high=1),
                                     data(2, 6, low=0.1, high=1), MARKS, data(values=[6.0, 4.0]), data(values=[9.0, 8.0])],
    dynamic=[{0: "n"}, None, None, {0: "n"}, {0: "n", 1: "t"}, {0: "n", 1: "t"}, {0: "n"}, {0: "n"}])
add("hawkesll_one", "contrib.hawkesll", [data(1, 1, low=0.5, high=2), data(1, low=0.1, high=0.9), data(1, low=0.5, high=2), data(1, 1, low=0, high=1),
                                         data(1, 1, low=0.1, high=1), data(1, 1, dtype="int32", low=0, high=0), data(values=[1.0]), data(values=[2.0])],
    dynamic=None)
CASES.append(build("sparse_retain", lambda mx: mx.sym.sparse.retain(mx.sym.cast_storage(mx.sym.Variable("x"), "row_sparse"), mx.sym.Variable("rows")),
                   {"x": data(4, 3), "rows": data(values=[0, 2])}, dynamic={"x": {0: "n", 1: "m"}, "rows": {0: "k"}}))


def made(op, **attrs):
    """Numbers that their type does not hold wrap around."""
    return lambda mx: mx.sym.Group([getattr(mx.sym._internal, op)(**attrs), mx.sym.Variable("x") * 1])


BYTES = [1, 5, 100, 255]
for dtype, value in (("uint8", -1), ("uint8", 300.9), ("int8", 128), ("int8", -129), ("int32", 1e10)):
    CASES.append(build("full_beyond_%s_%d" % (dtype, value), made("_full", shape=(2, 3), value=value, dtype=dtype), {"x": data(2)}))
for dtype, start, stop, step in (("uint8", 253, 259, 1), ("int8", -126, -132, -2)):
    CASES.append(build("arange_beyond_" + dtype, made("_arange", start=start, stop=stop, step=step, dtype=dtype), {"x": data(2)}))
add("one_hot_beyond", "one_hot", [data(values=[0, 2, 1], dtype="int32")], dict(depth=3, off_value=-1, on_value=257, dtype="uint8"))
for a_min, a_max in ((0, -1), (-5, -1.5), (300, 400), (300, 50), (-1, 3), (5, 2)):
    add("clip_beyond_u8_%d_%d" % (a_min, a_max), "clip", [data(values=BYTES, dtype="uint8")], dict(a_min=a_min, a_max=a_max))
for t in ("int8", "uint8", "int32", "int64"):
    for i, (a_min, a_max) in enumerate(((2, -0.5), (2.5, 1.5), (2.7, 2.2), (-0.5, -1.5), (0.3, 0.1))):
        if t != "uint8" or a_min > 0:
            values = [0, 1, 2, 3, 100] if t == "uint8" else [-3, -2, -1, 0, 1, 2, 3]
            add("clip_crossed_%s_%d" % (t, i), "clip", [data(values=values, dtype=t)], dict(a_min=a_min, a_max=a_max))
add("clip_beyond_i8", "clip", [data(values=[1, -5, 100, -128], dtype="int8")], dict(a_min=-200, a_max=300))
add("clip_beyond_i32", "clip", [data(values=[1, -5, 100, -128], dtype="int32")], dict(a_min=-1e10, a_max=1e10))
