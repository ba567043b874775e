# SPDX-License-Identifier: Apache-2.0
"""Random cases: matrix products."""
from . import case, data, one, op, options, with_elements


@op("dot")
def dot(r):
    k = r.int(1, 5)
    a, b = r.shape(0, 2) + (k,), (k,) + r.shape(0, 2)
    attrs = {}
    if len(a) > 1 and r.chance(.3):
        attrs["transpose_a"], a = True, a[-1:] + a[:-1]
    if len(b) > 1 and r.chance(.3):
        attrs["transpose_b"], b = True, b[1:] + b[:1]
    return case("case", "dot", [data(*a), data(*b)], attrs, **options(r, None, None))


@op("batch_dot")
def batch_dot(r):
    n, m, k, p = r.tuple(4, 1, 5)
    attrs = r.attrs(transpose_a=lambda: r.chance(), transpose_b=lambda: r.chance())
    a = (n, k, m) if attrs.get("transpose_a") else (n, m, k)
    b = (n, p, k) if attrs.get("transpose_b") else (n, k, p)
    d = r.chance()
    return case("case", "batch_dot", [data(*a), data(*b)], attrs,
                **options(r, {0: "batch"} if d else None, {0: "batch"} if d else None))


@op("_linalg_gemm2", "_linalg_gemm")
def gemm(r):
    m, k, n = r.tuple(3, 1, 5)
    batch = r.shape(0, 2)
    attrs = r.attrs(transpose_a=lambda: r.chance(), transpose_b=lambda: r.chance(), alpha=lambda: r.real(.5, 2))
    a = batch + ((k, m) if attrs.get("transpose_a") else (m, k))
    b = batch + ((n, k) if attrs.get("transpose_b") else (k, n))
    d = {0: "batch"} if batch and r.chance() else {}
    dtype = r.pick("float32", "float64")
    if r.chance():
        return case("case", "linalg.gemm2", [data(*a, dtype=dtype), data(*b, dtype=dtype)], attrs, **options(r, d, d))
    attrs.update(r.attrs(beta=lambda: r.real(.5, 2)))
    return case("case", "linalg.gemm", [data(*a, dtype=dtype), data(*b, dtype=dtype), data(*batch, m, n, dtype=dtype)],
                attrs, **options(r, d, d, d))


@op("_linalg_syrk")
def syrk(r):
    c = one(r, "linalg.syrk", r.shape(2, 4), r.attrs(transpose=lambda: r.chance(), alpha=lambda: r.real(.5, 2)))
    return with_elements(c)  # of sums without a term MXNet leaves the result unset
