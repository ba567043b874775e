# SPDX-License-Identifier: Apache-2.0
"""Random cases: reductions."""
from . import of_nothing, one, op


def reduce(name):
    def make(r):
        shape = r.shape(1, 4)
        attrs = r.attrs(keepdims=lambda: r.chance())
        n = len(shape)
        how = r.pick("none", "one", "some", "empty")
        if how == "one":
            attrs["axis"] = r.int(-n, n - 1)
        elif how == "some":
            axes = sorted({r.int(0, n - 1) for _ in range(r.int(1, n))})
            attrs["axis"] = tuple(a - n if r.chance(.3) else a for a in axes)
        elif how == "empty":
            attrs["axis"] = ()
        if how in ("one", "some") and name not in ("norm", "nansum", "nanprod") and r.chance(.2):
            attrs["exclude"] = True
        dtype = r.pick("float32", "float32", "float64", "int32", "int64") if name != "norm" else "float32"
        if name == "norm":
            attrs.update(r.attrs(ord=lambda: r.pick(1, 2)))
            if how in ("empty", "some"):
                attrs.pop("axis", None)
        made = {"low": 1, "high": 3} if name == "mean" and dtype[0] == "i" else {}
        if "prod" in name and dtype[0] == "i":
            made = {"low": -1, "high": 1}  # what overflows is undefined
        c = one(r, name, shape, attrs, dtype, atol=1e-6, **made)  # sums that cancel are noise
        return of_nothing(c) if name == "mean" else c
    return make


for _name in ("sum", "mean", "prod", "max", "min", "norm", "nansum", "nanprod"):
    op(_name)(reduce(_name))


def argreduce(name):
    def make(r):
        shape = r.shape(1, 4)
        attrs = r.attrs(keepdims=lambda: r.chance(), axis=lambda: r.int(-len(shape), len(shape) - 1))
        return one(r, name, shape, attrs, r.pick("float32", "float64", "int32"), kind="distinct", low=-50, high=200)
    return make


for _name in ("argmax", "argmin"):
    op(_name)(argreduce(_name))


@op("moments")
def moments(r):
    shape = r.shape(1, 4)
    axes = tuple(sorted({r.int(0, len(shape) - 1) for _ in range(r.int(1, len(shape)))}))
    return of_nothing(one(r, "moments", shape, dict(r.attrs(keepdims=lambda: r.chance()), axes=axes)))
