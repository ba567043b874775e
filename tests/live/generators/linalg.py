# SPDX-License-Identifier: Apache-2.0
"""Random cases: linear algebra on matrices that are far from singular."""
import numpy as np

from . import case, data, op, options


def matrix(r, rows, columns=None):
    """One matrix, or a batch, and the batch's dynamic dims."""
    lead = r.pick((), (), (2,), (2, 2))
    a = r.rng.uniform(-1, 1, size=lead + (rows, columns or rows))
    return a, r.pick({}, {0: "n"}) if lead else {}


def linalg_case(r, name, arrays, attrs, d, **more):
    dtype = r.pick("float32", "float32", "float64")
    return case("case", name, [data(values=a, dtype=dtype) for a in arrays], attrs, rtol=1e-3 if dtype == "float32" else None,
                **options(r, *[d] * len(arrays), **more))


def definite(r):
    a, d = matrix(r, r.int(1, 4))
    return a @ np.swapaxes(a, -1, -2) + 2 * np.eye(a.shape[-1]), d


def dominant(r, n=None):
    a, d = matrix(r, n or r.int(1, 4))
    return a + 4 * np.eye(a.shape[-1]), d


for _name in ("trmm", "trsm"):
    def triangular(r, name=_name):
        a, d = dominant(r)
        n, other = a.shape[-1], r.int(1, 4)
        attrs = r.attrs(transpose=lambda: r.chance(), rightside=lambda: r.chance(), lower=lambda: r.chance(),
                        alpha=lambda: r.real(-2, 2))
        b = r.rng.uniform(-1, 1, size=a.shape[:-2] + ((other, n) if attrs.get("rightside") else (n, other)))
        return linalg_case(r, "linalg." + name, [a, b], attrs, d)
    op("linalg." + _name)(triangular)


@op("linalg.potrf")
def potrf(r):
    a, d = definite(r)
    return linalg_case(r, "linalg.potrf", [a], r.attrs(lower=lambda: r.chance()), d)


@op("linalg.potri")
def potri(r):
    a, d = dominant(r)
    return linalg_case(r, "linalg.potri", [a], r.attrs(lower=lambda: r.chance()), d)


@op("linalg.gelqf")
def gelqf(r):
    rows = r.int(1, 3)
    a, d = matrix(r, rows, rows + r.int(0, 2))
    return linalg_case(r, "linalg.gelqf", [a + 2 * np.eye(*a.shape[-2:])], None, d)


for _name in ("linalg.inverse", "linalg.det", "linalg.slogdet", "np.linalg.inv", "np.linalg.det", "np.linalg.slogdet"):
    def square(r, name=_name):
        a, d = dominant(r)
        a = a[..., r.rng.permutation(a.shape[-1]), :]  # rows have to change places
        return linalg_case(r, name, [a], None, d, np_shape=name.startswith("np."))
    op(_name)(square)


@op("np.linalg.cholesky")
def cholesky(r):
    a, d = definite(r)
    return linalg_case(r, "np.linalg.cholesky", [a], None, d, np_shape=True)


@op("np.linalg.solve")
def solve(r):
    a, d = dominant(r)
    b = r.rng.uniform(-1, 1, size=a.shape[:-1] + ((r.int(1, 3),) if a.ndim > 2 or r.chance() else ()))
    return linalg_case(r, "np.linalg.solve", [a, b], None, d, np_shape=True)


@op("np.linalg.tensorinv")
def tensorinv(r):
    a, _ = dominant(r, 6)
    shape = r.pick((2, 3, 6), (6, 2, 3), (3, 2, 2, 3))
    a = a.reshape(-1, 6, 6)[0].reshape(shape)
    return linalg_case(r, "np.linalg.tensorinv", [a], dict(ind=1 if shape[0] == 6 else 2), {}, np_shape=True)


@op("np.linalg.tensorsolve")
def tensorsolve(r):
    a, _ = dominant(r, 6)
    b, shape = r.pick(((2, 3), (2, 3, 6)), ((6,), (6, 2, 3)), ((6,), (6, 6)))
    return linalg_case(r, "np.linalg.tensorsolve", [a.reshape(-1, 6, 6)[0].reshape(shape), r.rng.uniform(-1, 1, size=b)],
                       None, {}, np_shape=True)


@op("linalg.sumlogdiag")
def sumlogdiag(r):
    a, d = definite(r)
    return linalg_case(r, "linalg.sumlogdiag", [a], None, d)


def pieces(name, core):
    def make(r):
        shape = r.pick((), (2,), (2, 2)) + core
        attrs = r.attrs(offset=lambda: r.int(-2, 2))
        if "trian" in name:
            attrs.update(r.attrs(lower=lambda: r.chance()))
        return case("case", "linalg." + name, [data(*shape, dtype=r.pick("float32", "float64"))], attrs,
                    **options(r, {0: "n"} if len(shape) > len(core) and r.chance() else None))
    return make


for _name in ("extractdiag", "extracttrian"):
    op("linalg." + _name)(pieces(_name, (4, 4)))
op("linalg.makediag")(pieces("makediag", (3,)))
op("linalg.maketrian")(pieces("maketrian", (6,)))
