# SPDX-License-Identifier: Apache-2.0
"""Random cases: operators that work element by element."""
import numpy as np

from . import FLOATS, NUMBERS, case, data, one, op, options, param

UNARY = {"abs": (-2, 2), "arccos": (-.9, .9), "arcsin": (-.9, .9), "arctan": (-3, 3), "arcsinh": (-3, 3),
         "arccosh": (1.1, 4), "arctanh": (-.9, .9), "cbrt": (-4, 4), "ceil": (-3, 3), "cos": (-3, 3), "cosh": (-2, 2),
         "degrees": (-3, 3), "erf": (-2, 2), "exp": (-2, 2), "expm1": (-2, 2), "fix": (-3, 3), "floor": (-3, 3),
         "log": (.1, 4), "log10": (.1, 4), "log1p": (-.5, 4), "log2": (.1, 4), "logical_not": (-1, 1),
         "negative": (-2, 2), "radians": (-90, 90), "rcbrt": (.2, 4), "reciprocal": (.2, 4), "relu": (-2, 2),
         "rint": (-3, 3), "round": (-3, 3), "rsqrt": (.2, 4), "sigmoid": (-4, 4), "sign": (-2, 2), "sin": (-3, 3),
         "sinh": (-2, 2), "softsign": (-3, 3), "sqrt": (.1, 4), "square": (-2, 2), "tan": (-1, 1), "tanh": (-3, 3),
         "trunc": (-3, 3)}


def unary(name):
    def make(r):
        low, high = UNARY[name]
        return one(r, name, r.shape(), dtype=r.pick(*FLOATS), low=low, high=high)
    return make


for _name in UNARY:
    op(_name)(unary(_name))


@op("Activation")
def activation(r):
    act = r.pick("relu", "sigmoid", "softrelu", "softsign", "tanh")
    return one(r, "Activation", r.shape(), dict(act_type=act), r.pick(*FLOATS), low=-4, high=4)


@op("LeakyReLU")
def leaky_relu(r):
    shape = r.shape()
    act = r.pick("leaky", "elu", "selu", "gelu", "prelu")
    attrs = r.attrs(slope=lambda: r.real(0, 1))
    attrs["act_type"] = act
    dtype = r.pick(*FLOATS)
    inputs = [data(*shape, dtype=dtype, low=-3, high=3)]
    if act == "prelu":
        channels = shape[1] if len(shape) > 1 else shape[0]
        inputs.append(param(r.pick(1, channels), dtype=dtype, low=0, high=.5))
    return case("case", "LeakyReLU", inputs, attrs, **options(r, r.dims(len(shape), [0, 2, 3])))


SCALARS = ("_plus_scalar", "_minus_scalar", "_rminus_scalar", "_mul_scalar", "_div_scalar", "_rdiv_scalar",
           "_power_scalar", "_rpower_scalar", "_maximum_scalar", "_minimum_scalar", "_mod_scalar", "_rmod_scalar",
           "_equal_scalar", "_not_equal_scalar", "_greater_scalar", "_greater_equal_scalar", "_lesser_scalar",
           "_lesser_equal_scalar")


def scalar(name):
    def make(r):
        dtype = r.pick(*NUMBERS)
        positive = "div" in name or "power" in name or "mod" in name
        whole = np.dtype(dtype).kind != "f"
        value = float(r.int(1, 4)) if whole or r.chance(.3) else r.real(.3, 3)
        if not positive and dtype != "uint8" and r.chance():
            value = -value
        made = {"low": 1, "high": 3} if whole and positive else {"low": .3, "high": 3} if positive else {}
        return one(r, "_internal." + name, r.shape(), dict(scalar=value), dtype, **made)
    return make


for _name in SCALARS:
    op(_name)(scalar(_name))

BINARY = ("add", "sub", "mul", "div", "mod", "power", "maximum", "minimum", "equal", "not_equal", "greater",
          "greater_equal", "lesser", "lesser_equal", "hypot", "logical_and", "logical_or", "logical_xor")


def broadcast_dims(r, a, b):
    """Dims that both have share a name; what is broadcast from 1 stays fixed."""
    if r.chance(.3):
        return None, None
    rank = len(a)
    names = {axis for axis in range(rank) if r.chance(.7)}
    return ({i: "d%d" % i for i in names if a[i] > 1 or b[i] == 1 and a[i] == b[i]},
            {i: "d%d" % i for i in names if b[i] > 1 or a[i] == 1 and a[i] == b[i]})


def broadcast(name):
    def make(r):
        full = r.shape()
        a = tuple(1 if r.chance(.3) else d for d in full)
        b = tuple(1 if r.chance(.3) else d for d in full)
        dtype = r.pick(*NUMBERS)
        careful = name in ("div", "mod", "power", "hypot")
        if dtype != "float32" and name == "hypot":
            dtype = "float64"
        whole = np.dtype(dtype).kind != "f"
        made = {"low": 1, "high": 3} if whole and careful else {"low": .3, "high": 3} if careful else {}
        return case("case", "broadcast_" + name, [data(*a, dtype=dtype, **made), data(*b, dtype=dtype, **made)],
                    **options(r, *broadcast_dims(r, a, b)))
    return make


for _name in BINARY:
    op("broadcast_" + _name)(broadcast(_name))


def elemwise(name):
    def make(r):
        shape, dtype = r.shape(), r.pick(*NUMBERS)
        made = {"low": 1, "high": 3} if name == "elemwise_div" else {}
        d = r.dims(len(shape))
        return case("case", name, [data(*shape, dtype=dtype, **made), data(*shape, dtype=dtype, **made)],
                    **options(r, d, d))
    return make


for _name in ("elemwise_add", "elemwise_sub", "elemwise_mul", "elemwise_div"):
    op(_name)(elemwise(_name))


@op("add_n")
def add_n(r):
    shape, n = r.shape(), r.int(1, 4)
    d = r.dims(len(shape))
    return case("case", "add_n", [data(*shape) for _ in range(n)], **options(r, *[d] * n))


@op("clip")
def clip(r):
    low = r.real(-1, .5)
    return one(r, "clip", r.shape(), dict(a_min=low, a_max=low + r.real(0, 1)), r.pick(*FLOATS))


@op("Cast")
def cast(r):
    return one(r, "Cast", r.shape(), dict(dtype=r.pick("float32", "float64", "float16", "int32", "int64", "uint8", "int8")),
               r.pick(*NUMBERS), low=0, high=5)


@op("where")
def where(r):
    shape = r.shape(1, 3)
    d = r.dims(len(shape))
    flat = len(shape) > 1 and r.chance(.3)
    condition = shape[:1] if flat else shape
    dc = {a: n for a, n in (d or {}).items() if a == 0} if flat else d
    return case("case", "where", [data(*condition, kind="int", low=0, high=1, dtype=r.pick("float32", "int32")),
                                  data(*shape), data(*shape)], **options(r, dc, d, d))


for _name in ("_equal", "_not_equal", "_greater", "_greater_equal", "_lesser", "_lesser_equal", "_maximum", "_minimum",
              "_mod", "_power", "_hypot", "_logical_and", "_logical_or", "_logical_xor"):
    def same_shape(r, name=_name):
        shape, dtype = r.shape(), r.pick("float32", "float64") if name == "_hypot" else r.pick(*NUMBERS)
        made = {"low": 1, "high": 3} if name in ("_mod", "_power", "_hypot") else {}
        d = r.dims(len(shape))
        return case("case", "_internal." + name, [data(*shape, dtype=dtype, **made), data(*shape, dtype=dtype, **made)],
                    **options(r, d, d))
    op(_name)(same_shape)

for _name in ("_hypot_scalar", "_logical_and_scalar", "_logical_or_scalar", "_logical_xor_scalar"):
    op(_name)(lambda r, name=_name: one(r, "_internal." + name, r.shape(), dict(scalar=float(r.int(0, 3))),
                                        r.pick("float32", "float64")))


@op("smooth_l1")
def smooth_l1(r):
    return one(r, "smooth_l1", r.shape(), r.attrs(scalar=lambda: r.real(.5, 3)), r.pick(*FLOATS), low=-3, high=3)


@op("hard_sigmoid")
def hard_sigmoid(r):
    return one(r, "hard_sigmoid", r.shape(), r.attrs(alpha=lambda: r.real(.1, 1), beta=lambda: r.real(0, 1)),
               r.pick(*FLOATS), low=-5, high=5)


@op("erfinv")
def erfinv(r):
    return one(r, "erfinv", r.shape(), low=-.95, high=.95)


@op("gamma", "gammaln")
def gamma(r):
    return one(r, r.pick("gamma", "gammaln"), r.shape(), low=.2, high=6, atol=2e-6)  # gammaln is 0 at 1 and 2


@op("amp_cast")
def amp_cast(r):
    return one(r, "amp_cast", r.shape(), dict(dtype=r.pick("float16", "float32")), r.pick("float16", "float32", "int32"),
               native=True)


@op("amp_multicast")
def amp_multicast(r):
    n = r.int(1, 3)
    attrs = dict(num_outputs=n)
    attrs.update(r.attrs(cast_narrow=lambda: r.chance()))
    shapes = [r.shape() for _ in range(n)]
    return case("case", "amp_multicast", [data(*s, dtype=r.pick("float16", "float32")) for s in shapes], attrs,
                native=True, **options(r, *[{a: "i%d_%d" % (i, a) for a in (r.dims(len(s)) or {})}
                                            for i, s in enumerate(shapes)]))
