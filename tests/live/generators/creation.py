# SPDX-License-Identifier: Apache-2.0
"""Random cases: arrays made from attributes."""
from . import case, op

DTYPES = ("float32", "float64", "float16", "int32", "int64", "uint8", "int8")


def create(r, name, attrs):
    attrs = dict(r.attrs(dtype=lambda: r.pick(*DTYPES)), **attrs)
    return case("case", "_internal." + name, [], attrs, opsets=(r.opset,), dynamic=None)


@op("_zeros", "_ones")
def fill(r):
    return create(r, r.pick("_zeros", "_ones"), dict(shape=r.shape()))


@op("_full")
def full(r):
    return create(r, "_full", dict(shape=r.shape(), value=float(r.int(0, 5))))


@op("_eye")
def eye(r):
    return create(r, "_eye", dict(r.attrs(M=lambda: r.int(0, 5), k=lambda: r.int(-3, 3)), N=r.int(1, 5)))


@op("_arange")
def arange(r):
    start, step = r.pick(0, 1, 2.5, 4.75), r.pick(1, 2, 3, .5, 1.75)
    attrs = dict(start=start, stop=start + step * r.int(1, 6), step=step)
    attrs.update(r.attrs(repeat=lambda: r.int(1, 3)))
    return create(r, "_arange", attrs)


@op("_linspace")
def linspace(r):
    attrs = dict(start=r.int(0, 3), stop=r.int(4, 9), num=r.int(1, 7))
    attrs.update(r.attrs(endpoint=lambda: r.chance()))
    return create(r, "_linspace", attrs)
