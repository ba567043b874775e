# SPDX-License-Identifier: Apache-2.0
"""Random cases: NumPy's rarest operators, densities, decompositions, changes of images."""
import numpy as np

from . import at_least, case, data, op
from .numpy_ops import ALL, array, broadcast_pair, np_options, single

INTERNAL = "np._internal."
WHOLE = ("int8", "uint8", "int32", "int64")


def several(shape, name, *args, **options):
    """Its limits say that there are elements."""
    if 0 in shape:
        raise ValueError("nothing")
    return at_least(case("case", name, *args, **options), {"d%d" % a: 1 for a in range(len(shape))})


@op("np_percentile")
def percentile(r):
    shape = r.shape(1, 3, 5)
    attrs = dict(r.attrs(interpolation=lambda: r.pick("linear", "lower", "higher", "midpoint", "nearest"), keepdims=lambda: r.chance()))
    if r.chance(.7):
        axes = [a for a in range(len(shape)) if r.chance()] or [0]
        attrs["axis"] = tuple(a - (len(shape) if r.chance(.3) else 0) for a in axes)
    inputs, dims = [array(r, shape, r.pick(*ALL[1:]))], [r.dims(len(shape))]
    if r.chance():
        attrs["q_scalar"] = r.real(0, 100)
    else:
        inputs.append(data(r.int(1, 4), low=0, high=100))
        dims.append(None)
    return several(shape, INTERNAL + "percentile", inputs, attrs, **np_options(r, *dims, rtol=1e-3, atol=1e-3))


@op("np_average")
def average(r):
    shape = r.shape(1, 3, 4)
    t = r.pick("float32", "float32", "float64")
    attrs, inputs = r.attrs(returned=lambda: r.chance()), [data(*shape, dtype=t)]
    how = r.pick("same", "vector", "none")
    axis = r.int(0, len(shape) - 1)
    if how == "vector" or r.chance():
        attrs["axis"] = (axis,)
    if how == "none":
        attrs["weighted"] = False
    else:
        inputs.append(data(*(shape if how == "same" else shape[axis:axis + 1]), dtype=t, low=.2, high=2))
    return case("case", INTERNAL + "average", inputs, attrs, **np_options(r, *[None] * len(inputs)))


def place(r, shape):
    """An axis, or none, and how long it is."""
    if r.chance(.2):
        return {}, int(np.prod(shape))
    axis = r.int(0, len(shape) - 1)
    return dict(axis=axis - (len(shape) if r.chance(.3) else 0)), shape[axis]


@op("np_delete")
def delete(r):
    shape = r.shape(1, 3, 5)
    attrs, size = place(r, shape)
    inputs = [array(r, shape, r.pick(*ALL[1:]))]
    how = r.pick("one", "slice", "list")
    if how == "one":
        attrs["int_ind"] = r.int(-size, size - 1)
    elif how == "slice":
        attrs.update(r.attrs(start=lambda: r.int(-7, 7), stop=lambda: r.int(-7, 7)), step=r.pick(-2, -1, 1, 1, 2, 3))
    else:
        inputs.append(data(values=[r.int(-2, size) for _ in range(r.int(1, 4))], dtype=r.pick("int64", "int32")))
    dims = r.dims(len(shape)) if how != "slice" else None
    return case("case", INTERNAL + "delete", inputs, attrs, imperative=True, **np_options(r, dims, *[None] * (len(inputs) - 1)))


@op("np_insert")
def insert(r):
    shape = r.shape(1, 3, 4)
    t = r.pick(*ALL[3:])
    attrs, size = place(r, shape)
    count = r.int(1, 3)
    axis = attrs["axis"] % len(shape) if "axis" in attrs else 0
    whole = shape if "axis" in attrs else (size,)
    rows = whole[:axis] + (count,) + whole[axis + 1:]
    how = r.pick("scalar", "tensor")
    if how == "scalar":
        attrs["int_ind"] = r.int(-size, size)
        inputs = [array(r, shape, t), array(r, (count,) + rows[:axis] + rows[axis + 1:], r.pick(t, "float32"))]
    else:
        inputs = [array(r, shape, t), array(r, rows, r.pick(t, "float32")),
                  data(values=[r.int(-size, size) for _ in range(count)], dtype="int64")]
    return case("case", INTERNAL + "insert_" + how, inputs, attrs, **np_options(r, *[None] * len(inputs)))


@op("np_ediff1d")
def ediff1d(r):
    shape, t = r.shape(1, 3, 4), r.pick(*ALL[3:])
    attrs, inputs = {}, [array(r, shape, t)]
    for end in ("begin", "end"):
        how = r.pick("none", "number", "array")
        if how == "number":
            attrs["to_%s_scalar" % end] = r.real(-3, 3)
        elif how == "array":
            attrs["to_%s_arr_given" % end] = True
            inputs.append(array(r, r.shape(1, 2, 3), t))
    return several(shape, INTERNAL + "ediff1d", inputs, attrs, **np_options(r, r.dims(len(shape)), *[None] * (len(inputs) - 1), atol=1e-2))


single("np_diagflat", "np.diagflat", ALL[1:], shapes=lambda r: r.shape(1, 3, 3), attrs=lambda r, s: r.attrs(k=lambda: r.int(-3, 3)))
single("np_diag", "np.diag", ALL[1:], shapes=lambda r: r.shape(1, 2, 5), attrs=lambda r, s: r.attrs(k=lambda: r.int(-3, 3)))
single("np_trace", "np.trace", ALL[3:], shapes=lambda r: r.shape(2, 3, 5), attrs=lambda r, s: r.attrs(offset=lambda: r.int(-3, 3)), atol=1e-2)


@op("np_bincount")
def bincount(r):
    n = r.int(0 if r.chance(.1) else 1, 8)
    inputs, attrs = [data(n, dtype=r.pick(*WHOLE), low=0, high=6)], r.attrs(minlength=lambda: r.int(0, 9))
    if r.chance():
        inputs.append(data(n, dtype=r.pick("float32", "float64", "int32")))
        attrs["has_weights"] = True
    dims = {0: "n"} if n and r.chance() else None
    return case("case", INTERNAL + "bincount", inputs, attrs, imperative=True, **np_options(r, *[dims] * len(inputs)))


@op("np_unique")
def unique(r):
    shape = r.shape(1, 3, 4)
    attrs = {k: r.chance() for k in ("return_index", "return_inverse", "return_counts")}
    if r.chance(.4):
        attrs["axis"] = r.int(-len(shape), len(shape) - 1)
    return several(shape, INTERNAL + "unique", [data(*shape, dtype=r.pick(*ALL[1:]), low=0, high=3, kind="int")], attrs, imperative=True,
                **np_options(r, r.dims(len(shape))))


@op("npx_nonzero")
def nonzero(r):
    shape = r.shape(1, 4, 4)
    return case("case", "npx.nonzero", [data(*shape, dtype=r.pick(*ALL), low=0, high=1, kind="int")], {}, imperative=True,
                **np_options(r, r.dims(len(shape))))


@op("np_lcm")
def lcm(r):
    x, y = broadcast_pair(r)
    t = r.pick("int32", "int64")
    return case("case", "np.lcm", [data(*x, dtype=t, low=-9, high=9), data(*y, dtype=t, low=-9, high=9)], **np_options(r, None, None))


@op("np_polyval")
def polyval(r):
    t = r.pick("float32", "float64")
    return case("case", "np.polyval", [data(r.int(1, 40 if r.chance(.1) else 6), dtype=t), data(*r.shape(1, 3, 4), dtype=t)],
                **np_options(r, None, None, atol=1e-4))


@op("np_norm")
def norm(r):
    shape = r.shape(1, 3, 4)
    attrs = r.attrs(keepdims=lambda: r.chance())
    if r.chance(.3):
        attrs["flag"] = -2
    elif len(shape) > 1 and r.chance():
        a, b = (int(x) for x in r.rng.permutation(len(shape))[:2])
        a, b = (a, b) if shape[a] <= shape[b] else (b, a)
        attrs.update(axis=(a, b), **r.pick(dict(flag=1), dict(flag=2), dict(ord=1), dict(ord=-1), dict(ord=2, flag=0), dict(ord=-2, flag=0)))
    else:
        attrs.update(axis=(r.int(0, len(shape) - 1),), ord=r.pick(1, 2, 3, .5, 0))
    return case("case", INTERNAL + "norm", [data(*shape, dtype=r.pick("float32", "float64"))], attrs, **np_options(r, None, atol=1e-4))


def matrices(r, rows, columns):
    return r.shape(0, 2, 3) + (rows, columns)


for _name in ("eigvalsh", "eigh"):
    @op("np_" + _name)
    def eigen(r, name=_name):
        n = r.int(1, 6)
        x = r.rng.normal(size=matrices(r, n, n))
        inputs = [data(*x.shape, values=x + np.swapaxes(x, -1, -2), dtype=r.pick("float32", "float64"))]
        return case("case", "np.linalg." + name, inputs, dict(UPLO=r.pick("L", "U")), **np_options(r, None, atol=1e-3))


@op("np_svd")
def svd(r):
    n = r.int(1, 5)
    x = r.rng.normal(size=matrices(r, n, n + r.int(0, 3)))
    return case("case", "np.linalg.svd", [data(*x.shape, values=x, dtype=r.pick("float32", "float64"))], **np_options(r, None, atol=1e-3))


@op("np_pinv")
def pinv(r):
    x = r.rng.normal(size=matrices(r, r.int(1, 5), r.int(1, 5)))
    return case("case", INTERNAL + "pinv_scalar_rcond", [data(*x.shape, values=x, dtype=r.pick("float32", "float64"))], dict(rcond=1e-5),
                **np_options(r, None, atol=1e-2))


POSITIVE = dict(low=.5, high=3)
DENSITIES = {"uniform": (dict(low=0, high=1), dict(low=2, high=3)), "normal": (dict(low=-1, high=1), POSITIVE), "gamma": (POSITIVE, POSITIVE),
             "exponential": (POSITIVE,), "poisson": (POSITIVE,), "negative_binomial": (dict(low=1, high=4), dict(low=.2, high=.9)),
             "generalized_negative_binomial": (POSITIVE, POSITIVE)}


def density(name):
    def make(r):
        shape, t = r.shape(1, 3, 4), r.pick("float32", "float64")
        own = shape[:r.int(1, len(shape))]
        at = dict(low=0, high=6, kind="int") if name.endswith(("poisson", "binomial")) else dict(low=.2, high=1.8)
        c = case("case", "_internal._random_pdf_" + name, [data(*shape, dtype=t, **at)] + [data(*own, dtype=t, **p) for p in DENSITIES[name]],
                 r.attrs(is_log=lambda: r.chance()), dynamic=None, opsets=(r.opset,), atol=1e-4)
        return c
    return make


for _name in DENSITIES:
    op("_random_pdf_" + _name)(density(_name))


def change(name):
    def make(r):
        factor = r.real(0, 2)
        x = data(r.int(1, 5), r.int(1, 5), 3 if name == "hue" else r.pick(1, 3, 3), low=0, high=255)
        return case("case", "image.random_" + name, [x], dict(min_factor=factor, max_factor=factor), dynamic=None, opsets=(r.opset,), atol=1e-1)
    return make


for _name in ("brightness", "contrast", "saturation", "hue"):
    op("_image_random_" + _name)(change(_name))


@op("quadratic")
def quadratic(r):
    return case("case", "contrib.quadratic", [data(*r.shape(1, 3), dtype=r.pick("float32", "float64", "float16"))],
                r.attrs(a=lambda: r.real(-2, 2), b=lambda: r.real(-2, 2), c=lambda: r.real(-2, 2)), dynamic=None, opsets=(r.opset,))


@op("hawkesll")
def hawkesll(r):
    n, k, t = r.int(1, 3), r.int(1, 3), r.int(1, 6)
    inputs = [data(n, k, low=.5, high=2), data(k, low=.1, high=.9), data(k, low=.5, high=2), data(n, k, low=0, high=1), data(n, t, low=.1, high=1),
              data(n, t, dtype="int32", low=0, high=k - 1), data(values=[float(r.int(0, t)) for _ in range(n)]), data(n, low=7, high=9)]
    return case("case", "contrib.hawkesll", inputs, dynamic=None, opsets=(r.opset,), atol=1e-4)
