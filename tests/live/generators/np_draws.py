# SPDX-License-Identifier: Apache-2.0
"""Random cases: the random operators of mx.np. The parameters' axes are the last ones; along the others is what is drawn."""
import json

import numpy as np

from . import build, case, data, op, options
from .draws import MANY, alike, drawn, opsets

TYPES = ("float32", "float32", "float64", "float16")


def np_options(r, *dims):
    return dict(options(r, *dims, np_shape=True), **opsets(r))


def columns(trailing):
    """Compares each distribution along the `trailing` axes by itself."""
    rows = alike(1)

    def agree(got, want, rtol=None, atol=None):
        assert all(g.shape == w.shape for g, w in zip(got, want)), [(g.shape, w.shape) for g, w in zip(got, want)]
        if any(not w.size for w in want):
            return
        turned = [[a.reshape((-1,) + a.shape[a.ndim - trailing:]).reshape(
            -1, int(np.prod(a.shape[a.ndim - trailing:], dtype=np.int64))).T for a in side] for side in (got, want)]
        rows(*turned, rtol, atol)
    return agree


# name: its parameters, and how each is drawn
LAWS = {
    "uniform": dict(low=lambda r: r.real(-3, 0), high=lambda r: r.real(1, 4)),
    "normal": dict(loc=lambda r: r.real(-2, 2), scale=lambda r: r.real(.1, 3)),
    "gamma": dict(shape=lambda r: r.real(.2, 8), scale=lambda r: r.real(.2, 3)),
    "gumbel": dict(loc=lambda r: r.real(-2, 2), scale=lambda r: r.real(.1, 3)),
    "logistic": dict(loc=lambda r: r.real(-2, 2), scale=lambda r: r.real(.1, 3)),
    "exponential": dict(scale=lambda r: r.real(.2, 5)),
    "rayleigh": dict(scale=lambda r: r.real(.2, 5)),
    "weibull": dict(a=lambda r: r.real(.7, 5)),
    "powerd": dict(a=lambda r: r.real(.3, 5)),
    "pareto": dict(a=lambda r: r.real(6, 20)),
}
LAWS["uniform_n"], LAWS["normal_n"] = LAWS["uniform"], LAWS["normal"]
TYPED = ("uniform", "normal", "gamma", "uniform_n", "normal_n")


def law(name):
    def make(r):
        shape = r.shape(0, 2, 3)
        attrs, inputs, dims = {}, [], []
        for p, value in LAWS[name].items():
            if r.chance():
                attrs[p] = value(r)
                continue
            part = tuple(1 if r.chance(.2) else d for d in shape)[r.int(0, len(shape)) if r.chance(.3) else 0:]
            values = np.array([value(r) for _ in range(int(np.prod(part)))]).reshape(part)
            t = r.pick("float32", "float32", "float64") if not inputs else inputs[0].dtype
            attrs[p] = None
            inputs.append(data(*part, values=values, dtype=t))
            dims.append({a: "d%d" % (len(shape) - len(part) + a) for a, d in enumerate(part) if d > 1 and r.chance(.2)})
        own = np.broadcast_shapes(*[i.shape for i in inputs])
        attrs["size"] = (MANY,) if name.endswith("_n") else (MANY,) + own
        if not name.endswith("_n"):
            dims = [{} for _ in dims]
        if name in TYPED and r.chance(.7):
            attrs["dtype"] = r.pick(*TYPES)
        c = case("case", "np._internal." + name, inputs, attrs, **np_options(r, *dims))
        return drawn(c, columns(len(own)))
    return make


for _name in LAWS:
    op("_npi_" + _name)(law(_name))


@op("_npi_bernoulli")
def bernoulli(r):
    how = r.pick("prob", "logit")
    low, high = (.05, .95) if how == "prob" else (-3, 3)
    attrs = dict(prob=None, logit=None, is_logit=how == "logit", dtype=r.pick("float32", "bool", "int32", "uint8", "float16"))
    shape, inputs = (), []
    if r.chance():
        attrs[how] = r.real(low, high)
    else:
        shape = r.shape(0, 2, 3)
        inputs = [data(*shape, low=low, high=high, dtype=r.pick("float32", "float64"))]
    attrs["size"] = (MANY,) + shape
    c = case("case", "np._internal.bernoulli", inputs, attrs, **np_options(r, *[None] * len(inputs)))
    return drawn(c, columns(len(shape)))


@op("_npi_choice")
def choice(r):
    n = r.int(2, 8)
    attrs, inputs, dims = dict(a=n, replace=r.chance(), weighted=r.chance()), [], []
    if r.chance(.4):
        inputs.append(data(n, dtype=r.pick("float32", "int64")))
        attrs["a"] = None
        dims.append({0: "n"} if r.chance(.4) and not attrs["weighted"] else {})
    if attrs["weighted"]:
        p = r.rng.uniform(.1, 1, size=n)
        inputs.append(data(n, values=p / p.sum()))
        dims.append({})
    attrs["size"] = (MANY,) if attrs["replace"] else (r.int(1, n),)
    c = case("case", "np._internal.choice", inputs, attrs, **np_options(r, *dims))
    return drawn(c, alike(0) if attrs["replace"] else distinct(n))


def distinct(n):
    """Different items; their order is not defined."""
    def agree(got, want, rtol=None, atol=None):
        (g,), (w,) = got, want
        assert g.dtype == w.dtype and g.shape == w.shape
        assert len(set(g.tolist())) == g.size and 0 <= g.min() and g.max() <= 2 * n + 5, g  # a second run has more items
    return agree


@op("_npi_multinomial")
def multinomial(r):
    k = r.int(1, 5)
    p = np.round(r.rng.uniform(.1, 1, size=k), 3)
    p = p / p.sum() * .999
    attrs = dict(n=str(r.int(1, 9)), size="(%d,)" % MANY)
    if r.chance():
        attrs["pvals"] = str(tuple(p.tolist()))
        return drawn(build("case", loaded(attrs, []), {}, **np_options(r)), columns(1))
    inputs = {"p": data(k, values=p, dtype=r.pick("float32", "float64"))}
    return drawn(build("case", loaded(attrs, ["p"]), inputs, **np_options(r, None)), columns(1))


def loaded(attrs, names):
    """mx.sym cannot compose this operator with a tensor; a file can hold it."""
    nodes = [dict(op="null", name=n, inputs=[]) for n in names]
    nodes.append(dict(op="_npi_multinomial", name="op", attrs=attrs, inputs=[[i, 0, 0] for i in range(len(names))]))
    text = json.dumps(dict(nodes=nodes, arg_nodes=list(range(len(names))), heads=[[len(names), 0, 0]],
                           attrs={"mxnet_version": ["int", 10901], "is_np_shape": ["int", 1]}))
    return lambda mx: mx.sym.load_json(text)
