# SPDX-License-Identifier: Apache-2.0
"""Random cases: the operators of mx.np."""
from . import FLOATS, at_least, build, case, closed, data, of_nothing, op, options, with_elements
from .shapes import no_ones

ALL = ("bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float32", "float64")
INTERNAL = "np._internal."


def np_options(r, *dims, **more):
    return options(r, *dims, np_shape=True, **more)


def full_shape(r):
    return r.shape(0, 4, 4)


def array(r, shape, dtype, low=-3, high=3):
    if dtype == "bool":
        return data(*shape, dtype="bool", low=0, high=1)
    if dtype == "uint8":
        low = max(low, 0)
    return data(*shape, dtype=dtype, low=low, high=high)


def shape_of(r, low=0, high=4, most=4):
    return r.shape(low, high, most, least=0 if r.chance(.05) else 1)


def dims_of(r, shape):
    return None if 0 in shape else r.dims(len(shape))


def single(name, path, dtypes, low=-3, high=3, attrs=None, shapes=shape_of, limited=lambda c: c, **more):
    def make(r):
        shape = shapes(r)
        a = attrs(r, shape) if attrs else {}
        return limited(case("case", path, [array(r, shape, r.pick(*dtypes), low, high)], a,
                            **np_options(r, dims_of(r, shape), **more)))
    op(name)(make)


# ---- elementwise
for _name, (_low, _high) in {"absolute": (-3, 3), "ceil": (-3, 3), "cos": (-4, 4), "exp": (-3, 3), "floor": (-3, 3),
                             "log": (1, 9), "log2": (1, 9), "negative": (-3, 3), "sign": (-3, 3), "sqrt": (0, 9),
                             "square": (-3, 3), "tanh": (-3, 3), "trunc": (-3, 3), "logical_not": (-1, 1),
                             "rint": (-3, 3), "isnan": (-1, 1), "isfinite": (-1, 1)}.items():
    single("np_" + _name, "np." + _name, ALL[1:], _low, _high)
single("np_around", "np.around", ALL[3:], attrs=lambda r, s: r.attrs(decimals=lambda: r.int(-1, 2)), atol=1e-2)
single("npx_relu", "npx.relu", ALL[1:])
single("npx_sigmoid", "npx.sigmoid", FLOATS)


def broadcast_pair(r, shape=shape_of):
    """Two shapes that broadcast."""
    whole = shape(r)

    def part():
        s = tuple(1 if r.chance(.25) else d for d in whole)
        return s[r.int(0, len(s)):] if r.chance(.3) else s
    return (whole, part()) if r.chance() else (part(), whole)


def pair(name):
    def make(r):
        x, y = broadcast_pair(r)
        real = name in ("arctan2", "hypot")
        t = r.pick(*(FLOATS if real else ALL))
        u = t if real or r.chance(.6) else r.pick(*ALL)
        low = 1 if name in ("mod", "true_divide", "power") else -3
        return case("case", "np." + name, [array(r, x, t, 0 if name == "power" else -3), array(r, y, u, low)],
                    **np_options(r, None, None))
    return make


for _name in ("add", "subtract", "multiply", "true_divide", "mod", "power", "equal", "not_equal", "greater",
              "greater_equal", "less", "less_equal", "arctan2", "copysign", "hypot"):
    op("np_" + _name)(pair(_name))


def scalar(name):
    def make(r):
        shape = shape_of(r)
        whole = r.chance()
        v = r.int(1, 4) if whole else r.real(.5, 4)
        low = 1 if name in ("rtrue_divide", "rmod") or "power" in name else -3
        t = r.pick(*(ALL[1:] if low == 1 else ALL))
        return case("case", INTERNAL + name + "_scalar", [array(r, shape, t, low)],
                    dict(scalar=v, is_int=whole if r.chance(.8) else True), **np_options(r, dims_of(r, shape)))
    return make


for _name in ("add", "subtract", "rsubtract", "multiply", "true_divide", "rtrue_divide", "mod", "rmod", "power", "rpower",
              "equal", "not_equal", "greater", "greater_equal", "less", "less_equal"):
    op("np_%s_scalar" % _name)(scalar(_name))


@op("np_where")
def where(r):
    x, y = broadcast_pair(r, full_shape)
    t = r.pick(*ALL[1:])
    condition = array(r, x if r.chance() else y, r.pick(*ALL), -1, 1)
    return with_elements(case("case", "np.where", [condition, array(r, x, t), array(r, y, t)], **np_options(r, None, None, None)))


# ---- reductions
def reduce_attrs(r, shape):
    n = len(shape)
    attrs = r.attrs(keepdims=lambda: r.chance())
    how = r.pick("none", "one", "some", "empty")
    if how == "one" and n:
        attrs["axis"] = r.int(-n, n - 1)
    elif how == "some" and n:
        axes = {r.int(0, n - 1) for _ in range(r.int(1, n))}
        attrs["axis"] = tuple(a - n if r.chance(.3) else a for a in sorted(axes))
    elif how == "empty":
        attrs["axis"] = ()
    return attrs


def typed(r, shape):
    attrs = reduce_attrs(r, shape)
    attrs.update(r.attrs(dtype=lambda: r.pick("int32", "int64", "float32", "float64", "int8")) if r.chance(.4) else {})
    return attrs


def moments(r, shape):
    return dict(typed(r, shape), **r.attrs(ddof=lambda: r.int(0, 2)))


for _name in ("max", "min", "all", "any"):
    single("np_" + _name, "np." + _name, ALL, attrs=reduce_attrs, shapes=full_shape,
           limited=with_elements if _name in ("max", "min") else lambda c: c)
single("np_sum", "np.sum", ALL, attrs=typed, atol=1e-2)
# few elements: what a product is beyond 32 bits is the runtime's affair
single("np_prod", "np.prod", ALL[1:], low=1, high=2, attrs=typed, shapes=lambda r: r.shape(0, 3, 2))
single("np_mean", "np.mean", ALL, attrs=typed, shapes=full_shape, atol=1e-2, limited=of_nothing)
for _name in ("std", "var"):
    single("np_" + _name, "np." + _name, ALL[1:], attrs=moments, shapes=lambda r: r.shape(1, 4, 4, least=3), atol=1e-2,
           limited=of_nothing)


# ---- shapes
@op("np_reshape")
def reshape(r):
    shape = r.shape(1, 4, 4)
    new, left = [], 1
    for d in shape:
        left *= d
    for f in (2, 3):
        if left % f == 0 and r.chance():
            new.append(f)
            left //= f
    new.insert(r.int(0, len(new)), left if r.chance() else -1)
    return case("case", "np.reshape", [data(*shape)], dict(newshape=tuple(new)), **np_options(r, None))


@op("npx_reshape")
def xreshape(r):
    shape = tuple(r.pick(1, 2, 4, 6) for _ in range(r.int(1, 4)))
    new, i = [], 0
    while i < len(shape):
        how = r.pick("copy", "copy", "rest", "merge", "split", "drop", "one")
        if how == "rest":
            new.append(-4)
            i = len(shape)
        elif how == "merge" and i + 1 < len(shape):
            new.append(-5)
            i += 2
        elif how == "split" and shape[i] > 1:
            a = 2
            new += [-6] + r.pick([a, shape[i] // a], [-1, a], [a, -1])
            i += 1
        elif how == "drop" and shape[i] == 1:
            new.append(-3)
            i += 1
        elif how == "one" and not new:
            new.append(1)
        else:
            new.append(-2)
            i += 1
    return case("case", "npx.reshape", [data(*shape)], dict(newshape=tuple(new)), **np_options(r, r.dims(len(shape), [0])))


@op("np_transpose")
def transpose(r):
    shape = shape_of(r)
    axes = [int(a) for a in r.rng.permutation(len(shape))]
    attrs = dict(axes=tuple(axes)) if r.chance() and shape else {}
    return case("case", "np.transpose", [array(r, shape, r.pick(*ALL[1:]))], attrs, **np_options(r, dims_of(r, shape)))


@op("np_squeeze")
def squeeze(r):
    shape = tuple(r.pick(1, 1, 3) for _ in range(r.int(0, 4)))
    ones = [i for i, d in enumerate(shape) if d == 1]
    attrs = dict(axis=tuple(a for a in ones if r.chance())) if r.chance() and shape else {}
    return at_least(case("case", "np.squeeze", [array(r, shape, r.pick(*ALL[1:]))], attrs,
                         **np_options(r, {i: "d%d" % i for i, d in enumerate(shape) if d > 1 and r.chance()})),
                    no_ones(attrs, len(shape)))


@op("np_moveaxis")
def moveaxis(r):
    shape = r.shape(1, 4, 4)
    n = len(shape)
    k = r.int(1, n)
    source, to = ([int(a) - (n if r.chance(.3) else 0) for a in r.rng.permutation(n)[:k]] for _ in range(2))
    return case("case", "np.moveaxis", [data(*shape)], dict(source=tuple(source), destination=tuple(to)),
                **np_options(r, r.dims(n)))


single("np_tril", "np.tril", ALL[1:], shapes=lambda r: r.shape(1, 4, 5), attrs=lambda r, s: r.attrs(k=lambda: r.int(-4, 4)))
single("np_diff", "np.diff", ALL[3:], shapes=lambda r: r.shape(1, 3, 6, least=2),
       attrs=lambda r, s: r.attrs(n=lambda: r.int(0, 2), axis=lambda: r.int(-len(s), len(s) - 1)), atol=1e-2)
single("np_rot90", "np.rot90", ALL[1:], shapes=lambda r: r.shape(2, 4, 4), attrs=lambda r, s: r.attrs(k=lambda: r.int(-3, 5)))


@op("np_roll")
def roll(r):
    shape = r.shape(1, 3, 5)
    attrs = dict(shift=r.int(-7, 7))
    if r.chance(.7):
        attrs["axis"] = r.int(-len(shape), len(shape) - 1)
    return case("case", "np.roll", [array(r, shape, r.pick(*ALL[1:]))], attrs, **np_options(r, r.dims(len(shape))))


@op("np_pad")
def pad(r):
    shape = r.shape(2, 4, 5)
    mode = r.pick("constant", "edge", "reflect", "symmetric", "maximum", "minimum")
    width = tuple((r.int(0, 6), r.int(0, 6)) for _ in shape)
    c = case("case", "np.pad", [array(r, shape, r.pick(*ALL[1:]))], dict(pad_width=width, mode=mode), **np_options(r, None))
    return closed(c) if mode in ("reflect", "symmetric") else c


@op("np_concatenate")
def concatenate(r):
    shape = r.shape(1, 4, 4)
    axis = r.int(0, len(shape) - 1)
    n = r.int(1, 4)
    t = r.pick(*ALL)
    sizes = [r.int(0 if r.chance(.1) else 1, 4) for _ in range(n)]
    name = r.pick("concatenate", "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack")
    if name == "stack":
        sizes = [shape[axis]] * n
    axis = 0 if name == "vstack" else 1 if name in ("hstack", "column_stack") and len(shape) > 1 else \
        2 if name == "dstack" and len(shape) > 2 else axis
    inputs = {"x%d" % i: array(r, shape[:axis] + (s,) + shape[axis + 1:], t) for i, s in enumerate(sizes)}
    attrs = dict(axis=None if r.chance(.2) else axis - (len(shape) if r.chance(.3) else 0)) if name == "concatenate" else \
        dict(axis=axis) if name == "stack" else {}

    def make(mx):
        return getattr(mx.sym.np, name)([mx.sym.Variable(k).as_np_ndarray() for k in inputs], **attrs)
    return build("case", make, inputs, **np_options(r, *[None] * n))


# ---- products
@op("np_dot")
def dot(r):
    x, y = r.shape(0, 3, 4), r.shape(0, 3, 4)
    if x and y:
        y = y[:-2] + (x[-1],) + y[-1:] if len(y) > 1 else (x[-1],)
    t = r.pick("float32", "float32", "float64")
    return case("case", "np.dot", [data(*x, dtype=t), data(*y, dtype=t)], **np_options(r, None, None, atol=1e-5))


@op("np_matmul")
def matmul(r):
    lead_x, lead_y = broadcast_pair(r)
    n, k, m = (r.int(1, 4) for _ in range(3))
    x = (k,) if r.chance(.2) else lead_x[:3] + (n, k)
    y = (k,) if r.chance(.2) else lead_y[:3] + (k, m)
    return case("case", "np.matmul", [data(*x), data(*y)], **np_options(r, None, None, atol=1e-5))


@op("np_tensordot")
def tensordot(r):
    x, y = list(r.shape(1, 4, 3)), list(r.shape(1, 4, 3))
    k = r.int(0, min(len(x), len(y)))
    a, b = ([int(v) for v in r.rng.permutation(len(s))[:k]] for s in (x, y))
    for i, j in zip(a, b):
        y[j] = x[i]
    return case("case", "np.tensordot", [data(*x), data(*y)], dict(axes=(a, b)), **np_options(r, None, None, atol=1e-5))


@op("np_einsum")
def einsum(r):
    letters = "ijkl"
    size = {c: r.int(1, 4) for c in letters}
    n = r.int(1, 3)
    terms = ["".join(c for c in letters if r.chance(.5)) for _ in range(n)]
    used = sorted(set("".join(terms)))
    out = "".join(c for c in used if r.chance(.5))
    text = ",".join(terms) + ("->" + out if r.chance(.8) else "")
    inputs = {"x%d" % i: data(*[1 if r.chance(.1) else size[c] for c in t]) for i, t in enumerate(terms)}

    def make(mx):
        return mx.sym.np.einsum(text, *[mx.sym.Variable(k).as_np_ndarray() for k in inputs])
    return build("case", make, inputs, **np_options(r, *[None] * n, atol=1e-5))
