# SPDX-License-Identifier: Apache-2.0
"""Random cases of operators, the same for the same seed wherever they are made (no MXNet here).

A generator gets a Random and returns a case as in tests/numeric/cases. It may make cases that MXNet refuses: they are
counted and dropped. An attribute is given or left to its default by chance, so that defaults are tried too. A case whose
values cannot be MXNet's brings its own comparison, `agree`.

Sizes of 0 are not a generator's business: NOTHING of the cases have some in what Random.shape() draws, and vary() lets
dynamic dims be 0 in one of the runs. MXNet knows them under NumPy's shape semantics, so these cases are under those.
"""
import os
import sys
import zlib

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "numeric"))

from cases import aux, build, case, data, param  # noqa: E402,F401

GENERATORS = {}
MXNET2 = {}  # those of what only MXNet 2 has, or has changed
FLOATS = ("float32", "float32", "float32", "float64", "float16")
NUMBERS = ("float32", "float32", "float64", "float16", "int32", "int64", "uint8", "int8")
OPSETS = tuple(range(11, 27)) + 3 * (11, 13, 17, 21, 26)  # what is promised of every operator more often than the rest


def op(*names):
    def add(f):
        for n in names:
            GENERATORS[n] = f
        return f
    return add


def mxnet2(name):
    def add(f):
        MXNET2["np2_" + name] = f
        return f
    return add


NOTHING = .03  # share of the cases whose shapes hold sizes of 0


class Random:
    def __init__(self, seed):
        self.rng = np.random.RandomState(zlib.crc32(seed.encode()) & 0x7FFFFFFF)
        self.opset = self.pick(*OPSETS)
        self.nothing = self.chance(NOTHING)

    def int(self, low, high):
        return int(self.rng.randint(low, high + 1))

    def chance(self, p=0.5):
        return bool(self.rng.uniform() < p)

    def pick(self, *choices):
        return choices[self.rng.randint(len(choices))]

    def real(self, low, high):
        return round(float(self.rng.uniform(low, high)), 3)

    def shape(self, low=1, high=4, most=5, least=1):
        return tuple(0 if self.nothing and self.chance(.3) else self.int(least, most) for _ in range(self.int(low, high)))

    def tuple(self, n, low, high):
        return tuple(self.int(low, high) for _ in range(n))

    def attrs(self, **makers):
        """Each attribute with chance 2 in 3."""
        return {k: f() for k, f in makers.items() if self.chance(2 / 3)}

    def dims(self, rank, axes=None):
        """Which of `axes` (default: all) are dynamic."""
        axes = range(rank) if axes is None else [a for a in axes if a < rank]
        how = self.pick("none", "first", "all", "some")
        if how == "none":
            return None
        if how == "first":
            return {a: "d%d" % a for a in list(axes)[:1]} or None
        return {a: "d%d" % a for a in axes if how == "all" or self.chance()} or None


def options(r, *dims, **more):
    """The options that every case has; `dims` says for each data input which dims are dynamic."""
    return dict(opsets=(r.opset,), dynamic=[d or {} for d in dims], **more)


def one(r, name, shape, attrs=None, dtype="float32", axes=None, **more):
    """A case of one data input."""
    made = {k: more.pop(k) for k in ("low", "high", "kind", "values") if k in more}
    return case("case", name, [data(*shape, dtype=dtype, **made)], attrs,
                **options(r, r.dims(len(shape), axes), **more))


def at_least(c, sizes=None):
    """The case with the least sizes of dynamic dims, {dim name: size}; default: those that are declared, for a case whose
    values or attributes count on them."""
    c.least = c.static_sizes() if sizes is None else sizes
    return c


def with_elements(c):
    """The case, whose limits say that sizes are not 0; no case where one is."""
    if any(0 in a.shape for a in c.inputs.values()):
        raise ValueError("nothing")
    return at_least(c, dict.fromkeys(c.static_sizes(), 1))


def closed(c):
    """The case, whose limits want sizes that are known."""
    c.closed = True
    return c


def of_nothing(c):
    """The case, whose limits say that values are not MXNet's where an input is empty; shapes and types are."""
    c.of_nothing = True
    return c


def open_as_they_are(r, c):
    """Opens dims of a case whose generator opens none, since its shapes hang together: they run at the sizes that they have. A
    size of 1 stays, which may be one that broadcasts."""
    named = {name: {axis: "%s_%d" % (name, axis) for axis, size in enumerate(a.shape) if size != 1 and r.chance(.7)}
             for name, a in c.inputs.items() if a.role == "data"}
    c.dynamic = {name: dims for name, dims in named.items() if dims}
    at_least(c)
    c.sizes, c.open = c.static_sizes(), r.chance(.25)


def vary(r, c):
    """Sizes of the dynamic dims in the second run: one more (the default), some more, 1 or 0. Where the dims are 0, that
    may be what the model is exported with, too."""
    how = r.pick("default", "default", "default", "more", "more", "one", "none")
    fixed = c.static_sizes()
    empty = sorted(d for d in fixed if c.least.get(d, 0) == 0)
    if how == "none" and empty:
        chosen = r.pick([r.pick(*empty)], empty)
        c.np_shape = True
        if r.chance(.3):
            resize(c, dict.fromkeys(chosen, 0))
            c.sizes = {d: fixed[d] for d in chosen}
        else:
            c.sizes = dict.fromkeys(chosen, 0)
    elif how != "default":
        c.sizes = {d: max(1, c.least.get(d, 0)) if how == "one" else size + r.int(1, 5) for d, size in fixed.items()
                   if r.chance(.7)}
    c.sizes = dict(c.sizes, **{d: c.least[d] for d, size in c.other_sizes().items() if size < c.least.get(d, 0)})
    c.open = r.chance(.25)  # the dims have no names


def resize(c, sizes):
    for name, dims in c.dynamic.items():
        a = c.inputs[name]
        a.shape = tuple(sizes.get(dims.get(axis), size) for axis, size in enumerate(a.shape))


def make(name, seed, index):
    """Case number `index` of an operator; None where the dice give dims that contradict each other."""
    r = Random("%s/%d/%d" % (name, seed, index))
    try:
        c = (GENERATORS.get(name) or MXNET2[name])(r)
        c.least, c.of_nothing = getattr(c, "least", {}), getattr(c, "of_nothing", False)
        if c.dynamic or getattr(c, "closed", False) or r.chance(.4):
            vary(r, c)
        else:
            open_as_they_are(r, c)
    except (ValueError, IndexError, ZeroDivisionError) as e:
        if type(e) is not ValueError and not r.nothing:  # a size of 0 is nothing that a generator counts with
            raise
        return None
    c.np_shape = c.np_shape or r.nothing
    c.group, c.name = "random", "%s/%d/%d" % (name, seed, index)
    return c


from . import (control, creation, draws, elementwise, graphs, heads, indexing, layers, linalg, more,  # noqa: E402,F401
               np2, np2_more, np_draws, numpy_math, numpy_ops, numpy_shape, products, rare, reductions, seldom, sequences,
               shapes, vision)
from . import hard  # noqa: E402,F401 (makes cases of the others)
