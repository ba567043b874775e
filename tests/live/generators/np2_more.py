# SPDX-License-Identifier: Apache-2.0
"""Random cases: the rarer operators that MXNet 2 has alone (2.0.0b1 is their oracle)."""
import numpy as np

from . import build, case, data, mxnet2, options
from .np2 import EPS, inner, np_case, number, numbers


# ---- an integer tensor and a number

for _way in ("left", "right"):
    for _name in ("bitwise_%s_shift_scalar" % _way, "rbitwise_%s_shift_scalar" % _way):
        def shift(r, name=_name):
            shape, t = r.shape(0, 3), r.pick("int8", "uint8", "int32", "int64")
            low, high = (0, 6) if name[0] == "r" else (-20, 50)
            return inner(r, name, [numbers(r, t, shape, low, high)], dict(scalar=r.int(0, 5), is_int=True), dims=[r.dims(len(shape))])
        mxnet2(_name)(shift)


@mxnet2("gcd_scalar")
def gcd_scalar(r):
    shape = r.shape(0, 3)
    return inner(r, "gcd_scalar", [numbers(r, r.pick("int32", "int64"), shape)], dict(scalar=r.int(1, 9), is_int=True),
                 dims=[r.dims(len(shape))])


@mxnet2("rfmod_scalar")
def rfmod_scalar(r):
    t, shape = r.pick("int32", "int64", "float32", "float64"), r.shape(0, 3)
    return inner(r, "rfmod_scalar", [numbers(r, t, shape, 1, 5)], number(r, t, 1, 9), dims=[r.dims(len(shape))],
                 rtol=1e-4)


# ---- arrays made from attributes, together with an input, since a graph needs one

def created(r, name, attrs):
    def make(mx):
        f = getattr(mx.sym.np._internal, name)
        out = f(**attrs)
        return mx.sym.Group([mx.sym.Variable("x").as_np_ndarray() * 1] + (list(out) if isinstance(out, (list, tuple)) else [out]))
    return build("case", make, {"x": data(2)}, np_shape=True, **options(r, None))


@mxnet2("tri")
def tri(r):
    return created(r, "tri", dict(N=r.int(0, 5), **r.attrs(M=lambda: r.int(0, 5), k=lambda: r.int(-3, 3),
                                                           dtype=lambda: r.pick("float32", "int32", "float64"))))


@mxnet2("tril_indices")
def tril_indices(r):
    return created(r, "tril_indices", dict(n=r.int(1, 5), m=r.int(1, 5), **r.attrs(k=lambda: r.int(-3, 3))))


def of_type(r):
    """How MXNet 2 writes a number: whole, unsigned or with a fraction."""
    kind = r.int(0, 2)
    return kind, ("int", "uint", "double")[kind]


@mxnet2("full")
def full(r):
    kind, name = of_type(r)
    attrs = dict(shape=r.shape(1, 3), double_value=0, int_value=0, uint_value=0, value_type=kind,
                 dtype=r.pick("float32", "float64", "int32", "int64"))
    attrs[name + "_value"] = r.real(-3, 3) if name == "double" else r.int(0 if name == "uint" else -5, 5)
    return created(r, "full", attrs)


@mxnet2("linspace")
def linspace(r):
    kind, name = of_type(r)
    attrs = dict(start_double=0.0, stop_double=0.0, start_int=0, stop_int=0, start_uint=0, stop_uint=0, value_type=kind, num=r.int(1, 7),
                 dtype=r.pick("float32", "float64"), **r.attrs(endpoint=lambda: r.chance()))
    attrs["start_" + name], attrs["stop_" + name] = (r.real(0, 2), r.real(3, 9)) if name == "double" else (r.int(0, 2), r.int(3, 9))
    return created(r, "linspace", attrs)


# ---- matrices

def matrix(r):
    return r.rng.normal(size=r.shape(0, 1, 3) + (r.int(1, 5), r.int(1, 5)))


@mxnet2("qr")
def qr(r):
    x = matrix(r)
    return inner(r, "qr", [data(*x.shape, values=x, dtype=r.pick("float32", "float64"))], dims=[None], rtol=1e-3, atol=1e-4)


@mxnet2("matrix_rank")
def matrix_rank(r):
    x = matrix(r)
    if r.chance():
        return inner(r, "matrix_rank_none_tol", [data(*x.shape, values=x)], EPS, dims=[None])
    return inner(r, "matrix_rank", [data(*x.shape, values=x), data(*x.shape[:-2], low=.01, high=.5)], dims=[None, None])


@mxnet2("lstsq")
def lstsq(r):
    m, n, t = r.int(1, 6), r.int(1, 5), r.pick("float32", "float64")
    b = (m,) if r.chance() else (m, r.int(1, 3))
    a = r.rng.normal(size=(m, n)) + 2 * np.eye(m, n)
    return inner(r, "lstsq", [data(m, n, values=a, dtype=t), data(*b, dtype=t)], dict(EPS, rcond=r.pick(-1.0, .001)), dims=[None, None],
                 imperative=True, rtol=1e-2, atol=1e-3)


# ---- the rest

@mxnet2("fill_diagonal")
def fill_diagonal(r):
    rank = r.int(2, 3)
    shape = (r.int(1, 5), r.int(1, 5)) if rank == 2 else (r.int(1, 4),) * 3
    value = tuple(r.real(-3, 3) for _ in range(r.int(1, 3)))
    return inner(r, "fill_diagonal", [data(*shape)], dict(val=value, **r.attrs(wrap=lambda: r.chance())), dims=[None], in_place=True)


@mxnet2("intgemm")
def intgemm(r):
    x = data(r.int(1, 3), 64, low=-3, high=2)
    if r.chance():
        return np_case(r, "npx.intgemm_maxabsolute", [x])
    return np_case(r, "npx.intgemm_prepare_data", [x, data(1, values=[r.real(1, 3)])])


@mxnet2("quantized_reshape_legacy")
def quantized_reshape(r):
    shape = r.shape(2, 4)
    x = [data(*shape, dtype=r.pick("int8", "uint8")), data(1, values=[-1.0]), data(1, values=[1.0])]
    return case("case", "contrib.quantized_reshape", x, dict(shape=r.pick((0, -1), (-1,), (-3, -2))),
                **options(r, {0: "n"} if r.chance() else None, None, None))
