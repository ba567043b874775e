# SPDX-License-Identifier: Apache-2.0
"""Random cases: operators that few programs hold."""
import numpy as np

from . import aux, build, case, data, one, op, options
from .more import end
from .numpy_ops import ALL, array, np_options

NP = "np._internal."
REAL = ("float32", "float32", "float64", "float16")


# ---- layers and heads under other names

@op("IdentityAttachKLSparseReg")
def sparse_reg(r):
    shape = (r.int(1, 3), r.int(1, 4))
    make = lambda mx: mx.sym.IdentityAttachKLSparseReg(mx.sym.Variable("x"), penalty=.1, name="reg")  # noqa: E731
    return build("case", make, {"x": data(*shape, low=.1, high=.9)}, {"reg_moving_avg": aux(shape[1], low=.1, high=.5)},
                 **options(r, r.dims(2, [0])))


@op("_identity_with_attr_like_rhs")
def like(r):
    shape = r.shape()
    d = r.dims(len(shape))
    return case("case", "_internal._identity_with_attr_like_rhs", [data(*shape), data(*shape)], **options(r, d, d))


@op("_zeros_without_dtype")
def zeros_without_dtype(r):
    shape = r.shape()
    make = lambda mx: mx.sym.Variable("x") + mx.sym._internal._zeros_without_dtype(shape=shape)  # noqa: E731
    return build("case", make, {"x": data(*shape)}, **options(r, None))


@op("_square_sum")
def square_sum(r):
    shape = r.shape(2, 2)
    make = lambda mx: mx.sym._internal._square_sum(  # noqa: E731
        mx.sym.cast_storage(mx.sym.Variable("x"), "row_sparse"), axis=axis, keepdims=keep)
    axis, keep = r.int(0, 1), r.chance()
    return build("case", make, {"x": data(*shape)}, **options(r, r.dims(2)))


@op("_sparse_retain")
def sparse_retain(r):
    n = r.int(1, 5)
    rows = sorted(int(i) for i in r.rng.permutation(n)[:r.int(1, n)])
    make = lambda mx: mx.sym.sparse.retain(mx.sym.cast_storage(mx.sym.Variable("x"), "row_sparse"), mx.sym.Variable("rows"))  # noqa: E731
    return build("case", make, {"x": data(n, r.int(1, 4)), "rows": data(values=rows)}, **options(r, {1: "m"} if r.chance() else None, None))


# ---- tests of values

@op("contrib.allclose")
def allclose(r):
    shape, t = r.shape(), r.pick(*REAL)
    x = r.rng.uniform(-1, 1, size=shape)
    near = x + r.pick(0, 1e-9, 1) * r.rng.uniform(-1, 1, size=shape)
    c = case("case", "contrib.allclose", [data(*shape, values=x, dtype=t), data(*shape, values=near, dtype=t)],
             r.attrs(rtol=lambda: r.pick(1e-5, 1e-2), atol=lambda: r.pick(1e-8, 1e-2), equal_nan=lambda: r.chance()), np_shape=True,
             **options(r, None, None))
    return c


@op("all_finite")
def all_finite(r):
    shape = r.shape()
    x = r.rng.uniform(-1, 1, size=shape)
    if x.size and r.chance():
        x.flat[r.int(0, x.size - 1)] = r.pick(np.nan, np.inf, -np.inf)
    return case("case", "all_finite", [data(*shape, values=x, dtype=r.pick(*REAL))], **options(r, None))


@op("multi_all_finite")
def multi_all_finite(r):
    n = r.int(1, 3)
    arrays = [r.rng.uniform(-1, 1, size=r.shape()) for _ in range(n)]
    if arrays[0].size and r.chance():
        arrays[0].flat[0] = r.pick(np.nan, np.inf)
    return case("case", "multi_all_finite", [data(*a.shape, values=a) for a in arrays], dict(num_arrays=n), **options(r, *[None] * n))


@op("npx_constraint_check")
def constraint_check(r):
    return case("case", "npx.constraint_check", [data(*r.shape(), dtype="bool", low=1, high=1)], **np_options(r, None))


# ---- images

@op("_image_adjust_lighting")
def adjust_lighting(r):
    alpha = tuple(r.real(-.3, .3) for _ in range(3))
    return one(r, "image.adjust_lighting", (r.int(1, 5), r.int(1, 5), 3), dict(alpha=alpha), axes=[0, 1], low=0, high=255, atol=1e-2)


@op("_image_random_lighting")
def random_lighting(r):
    return case("case", "image.random_lighting", [data(r.int(1, 5), r.int(1, 5), 3, low=0, high=255)], dict(alpha_std=0.0),
                dynamic=None, opsets=(r.int(11, 21),), atol=1e-2)


# ---- 8-bit integers

@op("contrib.quantize")
def quantize(r):
    attrs = r.attrs(out_type=lambda: r.pick("uint8", "int8"))
    return case("case", "contrib.quantize", [data(*r.shape(1, 3), low=-1.5, high=1.5), end(r.real(-2, -1)), end(r.real(1, 2))], attrs,
                ties=.02, **options(r, r.pick(None, {0: "n"})))


# ---- decompositions

def symmetric(r):
    n = r.int(1, 5)
    x = r.rng.normal(size=r.shape(0, 1, 3) + (n, n))
    return x + np.swapaxes(x, -1, -2)


@op("linalg.syevd")
def syevd(r):
    x = symmetric(r)
    c = case("case", "linalg.syevd", [data(*x.shape, values=x, dtype=r.pick("float32", "float64"))], atol=2e-3,
             **options(r, {0: "n"} if x.ndim > 2 and r.chance() else None))
    c.agree = eigen_agree
    return c


def eigen_agree(got, want, rtol=None, atol=None):
    """The sign of a vector is not defined."""
    (u, l), (v, m) = got, want
    assert u.shape == v.shape and l.shape == m.shape and u.dtype == v.dtype and l.dtype == m.dtype
    assert np.allclose(l, m, atol=1e-4 * max(1, np.abs(m).max(initial=0)))
    assert np.allclose(np.abs(u), np.abs(v), atol=atol or 1e-4)


@op("np_pinv_tensor")
def pinv(r):
    x = r.rng.normal(size=r.shape(0, 1, 3) + (r.int(1, 4), r.int(1, 4)))
    t = r.pick("float32", "float64")
    return case("case", NP + "pinv", [data(*x.shape, values=x, dtype=t), data(*x.shape[:-2], values=np.full(x.shape[:-2], 1e-5), dtype=t)],
                dict(hermitian=False), **np_options(r, None, None, atol=1e-2))


# ---- NumPy

@op("_npi_lcm_scalar")
def lcm_scalar(r):
    return case("case", NP + "lcm_scalar", [data(*r.shape(0, 3), dtype=r.pick("int32", "int64"), low=-9, high=9)],
                dict(scalar=r.int(1, 9), is_int=True), **np_options(r, None))


@op("_npi_diag_indices_from")
def diag_indices_from(r):
    n, rank = r.int(1, 4), r.int(2, 3)
    d = {a: "n" for a in range(rank)} if r.chance() else None
    return case("case", NP + "diag_indices_from", [data(*[n] * rank, dtype=r.pick("float32", "int32"))], **np_options(r, d))


@op("_npi_insert_slice")
def insert_slice(r):
    shape, t = r.shape(1, 3, 6), r.pick(*ALL[3:])
    if 0 in shape:
        raise ValueError("nothing")
    axis = r.int(0, len(shape) - 1)
    start, stop, step = r.int(0, shape[axis] - 1), r.int(0, shape[axis]), r.pick(1, 2, 3)
    count = len(range(start, stop, step))
    rows = shape[:axis] + (1 if r.chance(.3) else count,) + shape[axis + 1:]
    return case("case", NP + "insert_slice", [array(r, shape, t), array(r, rows, t)],
                dict(axis=axis - (len(shape) if r.chance(.3) else 0), start=start, stop=stop, step=step), **np_options(r, None, None))


@op("_npi_boolean_mask_assign_tensor")
def mask_assign(r):
    lead, mask, rest = (r.shape(1, 1) if r.chance(.3) else ()), r.shape(1, 2), r.shape(0, 2)
    where = r.rng.uniform(size=mask) < .5
    axis = len(lead)
    many = r.chance(.7)
    value = lead + (int(where.sum()) if many else 1,) + rest

    def make(mx):
        x, m, v = (mx.sym.Variable(n).as_np_ndarray() for n in ("x", "mask", "value"))
        return mx.sym.np._internal.boolean_mask_assign_tensor(mx.sym.np._internal.multiply_scalar(x, scalar=2), m, v, start_axis=axis)
    return build("case", make, {"x": data(*lead, *mask, *rest), "mask": data(*mask, values=where, dtype="bool"), "value": data(*value)},
                 **np_options(r, None, None, None))


@op("_random_pdf_dirichlet")
def dirichlet(r):
    lead, k = r.shape(1, 2, 3), r.int(1, 4)
    t = r.pick("float32", "float64")
    x = r.rng.dirichlet(np.ones(k), size=lead + (r.int(1, 3),))
    return case("case", "_internal._random_pdf_dirichlet", [data(*x.shape, values=x, dtype=t), data(*lead, k, dtype=t, low=.5, high=3)],
                r.attrs(is_log=lambda: r.chance()), dynamic=None, opsets=(r.opset,), atol=1e-3)
