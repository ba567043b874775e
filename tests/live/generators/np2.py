# SPDX-License-Identifier: Apache-2.0
"""Random cases: operators that MXNet 2 has alone, or has changed (2.0.0b1 is their oracle)."""
from . import at_least, case, data, mxnet2, of_nothing, options, with_elements
from .draws import MANY, alike, drawn, opsets
from .elementwise import broadcast_dims
from .shapes import no_ones
from .np_draws import LAWS, law

WHOLE = ("int8", "uint8", "int32", "int64")
REAL = ("float32", "float32", "float64", "float16")
ANY = ("bool",) + WHOLE + REAL
EPS = dict(finfoEps32=2 ** -23, finfoEps64=2.0 ** -52)


def np_case(r, name, inputs, attrs=None, dims=None, **more):
    return case("case", name, inputs, attrs, np_shape=True, **options(r, *(dims or [None] * len(inputs)), **more))


def inner(r, name, *rest, **more):
    return np_case(r, "np._internal." + name, *rest, **more)


def pair(r):
    """Two shapes that broadcast, and their dynamic dims."""
    full = r.shape(0, 3)
    a, b = (tuple(1 if r.chance(.3) else d for d in full) for _ in range(2))
    return (a, b) + tuple(broadcast_dims(r, a, b))


def numbers(r, dtype, shape, low=-9, high=9):
    if dtype == "bool":
        return data(*shape, dtype="bool", low=1 if low > 0 else 0, high=1)
    if dtype == "uint8":
        low = max(low, 0)
    return data(*shape, dtype=dtype, low=low, high=high, kind="uniform" if dtype[0] == "f" else "int")


def number(r, dtype, low=-5, high=5):
    """The attributes of a number other than zero."""
    whole = r.chance()
    v = r.int(max(low, 1) if dtype == "uint8" else low, high) if whole else r.real(low, high)
    return dict(scalar=v or 2, is_int=whole)


def double(c, dtypes):
    """ONNX Runtime has float32 kernels alone for some functions, and float16 is rounded at each step."""
    if "float16" in dtypes:
        c.rtol = 2e-2
    return c


# ---- arithmetic

def same_type(name, types, low=-9, high=9):
    def make(r):
        t = r.pick(*types)
        a, b, da, db = pair(r)
        return inner(r, name, [numbers(r, t, a), numbers(r, t, b, low, high)], dims=[da, db])
    return make


def with_number(name, types, low=-5, high=5):
    def make(r):
        t = r.pick(*types)
        shape = r.shape(0, 3)
        x = numbers(r, t, shape, 1, 5) if name[0] == "r" else numbers(r, t, shape)
        return inner(r, name, [x], number(r, t, low, high), dims=[r.dims(len(shape))])
    return make


for name in ("fmax", "fmin"):
    mxnet2(name)(same_type(name, WHOLE + REAL))
    mxnet2(name + "_scalar")(with_number(name + "_scalar", ANY))
mxnet2("fmod")(same_type("fmod", ("int32", "int64", "float32", "float64"), 1, 5))
mxnet2("fmod_scalar")(with_number("fmod_scalar", ("int32", "int64", "float64"), 1))


@mxnet2("floor_divide")
def floor_divide(r):
    x, y = r.pick("int32", "int64", "uint8", "float32", "float64"), r.pick("int32", "int64", "uint8", "float32", "float64")
    a, b, da, db = pair(r)
    return inner(r, "floor_divide", [numbers(r, x, a, -20, 20), numbers(r, y, b, 1, 4)], dims=[da, db])


mxnet2("floor_divide_scalar")(with_number("floor_divide_scalar", ("int32", "int64", "uint8", "float64"), 1))
mxnet2("rfloor_divide_scalar")(with_number("rfloor_divide_scalar", ("int32", "int64", "float64"), 1))


@mxnet2("logaddexp")
def logaddexp(r):
    t = r.pick("float32", "float64")
    a, b, da, db = pair(r)
    return inner(r, "logaddexp", [numbers(r, t, a, -5, 5), numbers(r, t, b, -5, 5)], dims=[da, db], rtol=1e-5)


mxnet2("logaddexp_scalar")(with_number("logaddexp_scalar", ("float32", "float64")))

for name in ("logical_and", "logical_or", "logical_xor", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal"):
    def compare(r, name=name):
        a, b, da, db = pair(r)
        x, y = (numbers(r, r.pick(*ANY), s, -1, 1) for s in (a, b))
        for v in (x, y):
            v.kind = "int"
        return np_case(r, "np." + name, [x, y], dims=[da, db])

    def compare_number(r, name=name):
        t, shape = r.pick(*ANY), r.shape(0, 3)
        x = numbers(r, t, shape, -1, 1)
        x.kind = "int"
        return inner(r, name + "_scalar", [x], dict(scalar=r.int(-1, 1), is_int=True), dims=[r.dims(len(shape))])
    mxnet2(name)(compare)
    mxnet2(name + "_scalar")(compare_number)

for name in ("add", "subtract", "multiply", "mod", "power", "true_divide"):
    def mixed(r, name=name):
        types = WHOLE + ("float32", "float64")
        x, y = r.pick(*types), r.pick(*types)
        a, b, da, db = pair(r)
        return np_case(r, "np." + ("divide" if name == "true_divide" else name),
                       [numbers(r, x, a, 1, 3), numbers(r, y, b, 1, 3)], dims=[da, db])
    mxnet2(name)(mixed)

for way in ("left", "right"):
    def shift(r, way=way):
        x, y = r.pick(*WHOLE), r.pick(*WHOLE)
        a, b, da, db = pair(r)
        return inner(r, "bitwise_%s_shift" % way, [numbers(r, x, a, -50, 50), numbers(r, y, b, 0, 6)], dims=[da, db])
    mxnet2("bitwise_%s_shift" % way)(shift)

FUNCTIONS = ("arcsinh arctan cbrt ceil cos cosh degrees exp expm1 fix floor log log10 log1p log2 radians rint sin sinh sqrt tan tanh "
             "trunc").split()


@mxnet2("function")
def function(r):
    t, shape = r.pick("bool", *WHOLE), r.shape(0, 3)
    return np_case(r, "np." + r.pick(*FUNCTIONS), [numbers(r, t, shape, 1, 4)], dims=[r.dims(len(shape))])


@mxnet2("activation")
def activation(r):
    t, shape = r.pick("float32", "float64", "float16"), r.shape(1, 4)
    name = r.pick("log_sigmoid", "mish")
    x, dims = [numbers(r, t, shape)], [r.dims(len(shape))]
    if r.chance():
        return case("case", "Activation", x, dict(act_type=name), **options(r, *dims, rtol=1e-5 if t == "float64" else None, atol=1e-6))
    return case("case", name, x, **options(r, *dims, rtol=1e-5 if t == "float64" else None, atol=1e-6))


@mxnet2("digamma")
def digamma(r):
    t, shape = r.pick("float32", "float64"), r.shape(0, 3)
    return np_case(r, "npx.digamma", [numbers(r, t, shape, .1, 20)], dims=[r.dims(len(shape))], rtol=1e-5)


# ---- reductions under their new names

for name in ("sum", "prod", "max", "min", "mean", "std", "var", "all", "any"):
    def reduction(r, name=name):
        shape = r.shape(1, 4)
        t = r.pick("float32", "float64", "int32", "int64")
        axes = r.pick(None, (), (r.int(-len(shape), len(shape) - 1),), tuple(sorted({r.int(0, len(shape) - 1) for _ in shape})))
        attrs = r.attrs(keepdims=lambda: r.chance())
        if axes is not None:
            attrs["axis"] = axes
        if name in ("std", "var"):
            attrs.update(r.attrs(ddof=lambda: 0))
        c = np_case(r, "np." + name, [numbers(r, t, shape, 1, 1 if name == "prod" and t[0] == "i" else 3)], attrs,
                    dims=[r.dims(len(shape))], rtol=1e-5 if t == "float64" else None, atol=1e-5)
        return of_nothing(c) if name in ("mean", "std", "var") else with_elements(c) if name in ("max", "min") else c
    mxnet2("reduce_" + name)(reduction)


@mxnet2("cumsum")
def cumsum(r):
    shape = r.shape(1, 3)
    attrs = r.attrs(axis=lambda: r.int(-len(shape), len(shape) - 1), dtype=lambda: r.pick("float32", "float64", "int32"))
    return np_case(r, "np.cumsum", [numbers(r, r.pick("float32", "int32", "float64"), shape)], attrs, dims=[r.dims(len(shape))])


# ---- shapes

@mxnet2("transpose")
def transpose(r):
    shape = r.shape(0, 4)
    attrs = dict(axes=tuple(int(a) for a in r.rng.permutation(len(shape)))) if shape and r.chance() else {}
    return np_case(r, "np.transpose", [data(*shape)], attrs, dims=[r.dims(len(shape))])


@mxnet2("squeeze")
def squeeze(r):
    shape = tuple(1 if r.chance() else d for d in r.shape(1, 4))
    ones = [i for i, d in enumerate(shape) if d == 1]
    attrs = dict(axis=tuple(ones[:r.int(1, len(ones))])) if ones and r.chance() else {}
    open_ = r.dims(len(shape), [i for i in range(len(shape)) if i not in ones])
    return at_least(np_case(r, "np.squeeze", [data(*shape)], attrs, dims=[open_]), no_ones(attrs, len(shape)))


@mxnet2("roll")
def roll(r):
    shape = r.shape(1, 3)
    attrs = dict(shift=r.int(-7, 7))
    if r.chance():
        attrs["axis"] = r.int(-len(shape), len(shape) - 1)
    return np_case(r, "np.roll", [data(*shape)], attrs, dims=[r.dims(len(shape))])


@mxnet2("rollaxis")
def rollaxis(r):
    shape = r.shape(1, 4)
    n = len(shape)
    return np_case(r, "np.rollaxis", [data(*shape)], dict(axis=r.int(-n, n - 1), start=r.int(-n, n)), dims=[r.dims(n)])


@mxnet2("moveaxis")
def moveaxis(r):
    shape = r.shape(1, 4)
    n = len(shape)
    return np_case(r, "np.moveaxis", [data(*shape)], dict(source=r.int(-n, n - 1), destination=r.int(-n, n - 1)), dims=[r.dims(n)])


@mxnet2("tri")
def triangle(r):
    shape = r.shape(1, 4)
    return np_case(r, "np." + r.pick("triu", "tril"), [numbers(r, r.pick("float32", "int32", "float64"), shape)],
                   r.attrs(k=lambda: r.int(-4, 4)), dims=[r.dims(len(shape))])


@mxnet2("kron")
def kron(r):
    a, b = r.shape(0, 3, most=3), r.shape(0, 3, most=3)
    t = r.pick("float32", "float64", "int32")
    return np_case(r, "np.kron", [numbers(r, t, a), numbers(r, t, b)], dims=[r.dims(len(a)), None])


@mxnet2("cross")
def cross(r):
    lead, da = r.shape(0, 2), None
    a, b = (lead if r.chance(.7) else lead[1:]) + (r.int(2, 3),), lead + (r.int(2, 3),)
    if r.chance() and len(a) == len(b):
        da = {0: "n"} if len(a) > 1 else None
    return np_case(r, "np.cross", [data(*a), data(*b)], dims=[da, da])


@mxnet2("repeats")
def repeats(r):
    shape = r.shape(1, 3)
    flat = r.chance()
    count = 1
    for d in shape:
        count *= d
    n = count if flat else shape[0]
    each = r.chance()
    attrs = dict(repeats=tuple(r.int(0, 3) for _ in range(n)) if each else (r.int(1, 3),))
    if each and not any(attrs["repeats"]):
        attrs["repeats"] = (1,) * n
    if not flat:
        attrs["axis"] = 0
    return inner(r, "repeats", [data(*shape)], attrs, dims=[None if each else r.dims(len(shape))])


@mxnet2("array_split")
def array_split(r):
    shape = r.shape(1, 3, most=6)
    axis = r.int(0, len(shape) - 1)
    cuts = tuple(sorted({0} | {r.int(1, shape[axis]) for _ in range(r.int(1, 2))}))
    return inner(r, "array_split", [data(*shape)], dict(indices=cuts, axis=axis, squeeze_axis=False),
                 dims=[r.dims(len(shape), [a for a in range(len(shape)) if a != axis])])


@mxnet2("diagonal")
def diagonal(r):
    shape = r.shape(2, 4)
    a, b = (int(i) for i in r.rng.permutation(len(shape))[:2])
    return np_case(r, "np." + r.pick("diagonal", "trace"), [data(*shape)], dict(offset=r.int(-1, 1), axis1=a, axis2=b),
                   dims=[r.dims(len(shape), [i for i in range(len(shape)) if i not in (a, b)])])


# ---- indexing, masks, interpolation

@mxnet2("advanced_indexing")
def advanced_indexing(r):
    shape, dtype = r.shape(1, 3), r.pick("float32", "int32", "float64")
    if r.chance(.3):
        mask = data(shape[0], dtype="bool")
        return inner(r, "advanced_indexing", [numbers(r, dtype, shape), mask], dims=[{0: "n"}, {0: "n"}] if r.chance() else None)
    index = data(*r.shape(0, 2), dtype=r.pick("int32", "int64"), low=0, high=shape[0] - 1)
    if 0 in shape + index.shape:
        raise ValueError("nothing")
    c = inner(r, "advanced_indexing", [numbers(r, dtype, shape), index], dims=[{1: "m"} if len(shape) > 1 else None,
                                                                               r.dims(len(index.shape))])
    return at_least(c, dict.fromkeys(("m", "d0", "d1"), 1))


@mxnet2("advanced_indexing_multiple")
def advanced_indexing_multiple(r):
    shape = r.shape(1, 4)
    m = r.int(1, len(shape))
    least = min(shape[:m])
    index = data(m, *r.shape(1, 2), dtype=r.pick("int32", "int64"), low=-least, high=least - 1)
    return inner(r, "advanced_indexing_multiple", [data(*shape), index], dims=[None, r.dims(len(index.shape), range(1, 3))])


@mxnet2("masked_softmax")
def masked_softmax(r):
    shape = r.shape(1, 4)
    n, t = len(shape), r.pick("float32", "float64", "float16")
    mask = tuple(1 if r.chance(.2) else d for d in shape)
    names = r.dims(n)
    attrs = r.attrs(axis=lambda: r.int(-n, n - 1), temperature=lambda: r.real(1, 3), normalize=lambda: r.chance())
    return np_case(r, "npx." + r.pick("masked_softmax", "masked_log_softmax"), [data(*shape, dtype=t, low=-3, high=3),
                                                                                data(*mask, dtype="bool")], attrs,
                   dims=[names, {a: d for a, d in (names or {}).items() if mask[a] == shape[a]}], rtol=1e-5 if t == "float64" else None)


@mxnet2("interp")
def interp(r):
    n, shape = r.int(2, 6), r.shape(0, 2)
    xp = data(n, dtype="float64", values=sorted(round(float(v), 2) + i for i, v in enumerate(r.rng.uniform(0, .9, n))))
    attrs = r.attrs(left=lambda: r.real(-3, 3), right=lambda: r.real(-3, 3))
    if r.chance(.3):
        attrs["period"] = r.real(n + 1, n + 4)
    return inner(r, "interp", [xp, data(n, dtype="float64"), data(*shape, dtype="float64", low=-2, high=n + 2)], attrs,
                 dims=[None, None, r.dims(len(shape))], rtol=1e-6)


for name in ("index_add", "index_update"):
    def assign(r, name=name):
        shape = r.shape(1, 3)
        m = r.int(1, len(shape))
        k = r.int(1, min(shape[:m]))
        columns = [[int(v) for v in r.rng.permutation(shape[i])[:k]] for i in range(m)]  # no cell is written twice
        ind = data(m, k, dtype=r.pick("int32", "int64"), values=columns)
        val = (k,) + shape[m:] if r.chance(.7) else shape[m:]
        c = np_case(r, "npx." + name, [data(*shape), ind, data(*val)], dims=[{i: "d%d" % i for i in range(m)} if not val[1:]
                                                                           and m == len(shape) else None, None, None])
        return c
    mxnet2(name)(assign)


# ---- tensors made from attributes, with a tensor

@mxnet2("norm")
def norm(r):
    shape = r.shape(1, 3)
    return np_case(r, "npx.norm", [data(*shape)], r.attrs(ord=lambda: r.int(1, 2), axis=lambda: r.int(0, len(shape) - 1),
                                                          keepdims=lambda: r.chance()), dims=[r.dims(len(shape))])


@mxnet2("group_norm")
def group_norm(r):
    groups = r.int(1, 3)
    channels = groups * r.int(1, 3)
    shape = (r.int(1, 3), channels) + r.shape(1, 2)
    return np_case(r, "npx.group_norm", [data(*shape), data(channels), data(channels)], dict(num_groups=groups, eps=1e-3),
                   dims=[r.dims(len(shape), [0] + list(range(2, len(shape)))), None, None])


# ---- integers, quantised tensors, windows of attention

@mxnet2("gcd")
def gcd(r):
    t = r.pick("int32", "int64", "uint8", "int8")
    a, b, da, db = pair(r)
    return inner(r, r.pick("gcd", "lcm"), [numbers(r, t, a, 1, 9), numbers(r, t, b, 1, 9)], dims=[da, db])


@mxnet2("quantized_shape")
def quantized_shape(r):
    shape = r.shape(2, 4)
    x = [data(*shape, dtype=r.pick("int8", "uint8")), data(1, values=[-1.0]), data(1, values=[1.0])]
    if r.chance():
        return np_case(r, "npx.quantized_transpose", x, dict(axes=tuple(int(a) for a in r.rng.permutation(len(shape)))),
                       dims=[r.dims(len(shape)), None, None])
    return np_case(r, "npx.quantized_reshape", x, dict(newshape=(-2, -1)), dims=[r.dims(1), None, None])


@mxnet2("sldwin")
def sldwin(r):
    batch, length, heads, w, both = r.int(1, 3), r.int(2, 7), r.int(1, 3), r.int(1, 2), r.chance()
    n = 2 * w + 1 if both else w + 1
    dilation = data(heads, dtype="int32", low=1, high=2)
    attrs, open_ = dict(w=w, symmetric=both), r.pick(None, {0: "batch"}, {0: "batch", 1: "length"})
    score, value = data(batch, length, heads, n), data(batch, length, heads, 4)
    name = r.pick("score", "context", "mask_like")
    if name == "score":
        return np_case(r, "npx.sldwin_atten_score", [value, data(batch, length, heads, 4), dilation], attrs, dims=[open_, open_, None])
    if name == "context":
        return np_case(r, "npx.sldwin_atten_context", [score, value, dilation], attrs, dims=[open_, open_, None])
    return np_case(r, "npx.sldwin_atten_mask_like", [score, dilation, data(batch, dtype="int32", low=0, high=length)], attrs,
                   dims=[open_, None, {0: "batch"} if open_ else None])


# ---- random laws

LAWS["laplace"] = LAWS["logistic"]
for name in ("laplace", "normal", "uniform", "gamma", "exponential"):
    mxnet2("random_" + name)(law(name))


@mxnet2("random_binomial")
def random_binomial(r):
    """Numbers of hits as attributes, or of each of several trials."""
    if r.chance():
        attrs = dict(n=r.int(1, 20), p=r.real(.1, .9), shape=(MANY,))
        return drawn(case("case", "random_binomial", [], attrs, opsets=opsets(r)["opsets"], dynamic=[]), alike(0))
    trials = data(3, values=[r.int(1, 20) for _ in range(3)])
    chances = data(3, values=[r.real(.1, .9) for _ in range(3)])
    return drawn(case("case", "sample_binomial", [trials, chances], dict(shape=(MANY,)), **dict(options(r, None, None), **opsets(r))),
                 alike(1))
