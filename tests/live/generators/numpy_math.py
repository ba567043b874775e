# SPDX-License-Identifier: Apache-2.0
"""Random cases: NumPy's arithmetic with dynamic dims (numpy_ops.py has more types, with fixed ones), functions, where."""
from . import NUMBERS, build, case, data, op, options, with_elements
from .elementwise import broadcast_dims

WHOLE = ("int8", "uint8", "int32", "int64")
REAL = ("float16", "float32", "float64")
TYPES = ("bool",) + WHOLE + REAL


def np_case(r, name, inputs, attrs=None, dims=None, **more):
    return case("case", name, inputs, attrs, np_shape=True, **options(r, *(dims or [None] * len(inputs)), **more))


def shape_of(r, low=0, high=3):
    """Now and then with an axis of size 0."""
    shape = r.shape(low, high)
    return (0,) + shape[1:] if shape and r.chance(.05) else shape


def numbers(r, dtype, shape, low=None, high=None):
    """Numbers that no operator here divides by 0 with, or rounds at an edge of."""
    if dtype == "bool":
        return data(*shape, dtype="bool", low=1 if low else 0, high=1)
    real = dtype in REAL
    return data(*shape, dtype=dtype, low=low if low is not None else .5 if real else 1, high=high or 4,
                kind="uniform" if real else "int")


def pair(r):
    """Two shapes that broadcast, of different ranks at times, and their dynamic dims."""
    full = r.shape(0, 3)
    a, b = (tuple(1 if r.chance(.3) else d for d in full) for _ in range(2))
    da, db = broadcast_dims(r, a, b)
    gone = r.int(0, len(full)) if r.chance(.3) else 0
    db = {i - gone: n for i, n in (db or {}).items() if i >= gone}
    return (b[gone:], a, db, da) if r.chance() else (a, b[gone:], da, db)


def accepts(name, x, y):
    """What MXNet 1.9.1 has a kernel for."""
    if name in ("add", "multiply", "power"):
        return {x, y} != {"int8", "uint8"}
    if name == "true_divide":
        return x == y or (x in REAL) != (y in REAL)
    if name in ("subtract", "mod"):
        return (x == y and x != "bool") or x in REAL or y in REAL
    return x == y


def binary(name, compares):
    def make(r):
        x, y = r.pick(*TYPES), r.pick(*TYPES)
        if compares or not accepts(name, x, y):
            y = x = r.pick(*TYPES[1:]) if name in ("subtract", "mod") else x
        a, b, da, db = pair(r)
        if compares:
            made = [data(*s, dtype=x, kind="int", low=0, high=1) for s in (a, b)]
        else:
            made = [numbers(r, x, a, high=3), numbers(r, y, b, low=1 if y == "bool" else None, high=3)]
        return np_case(r, "np." + name, made, None, [da, db])
    return make


for _name in ("add", "subtract", "multiply", "true_divide", "mod", "power"):
    op("np." + _name)(binary(_name, False))
for _name in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"):
    op("np." + _name)(binary(_name, True))
for _name in ("maximum", "minimum", "hypot", "arctan2", "copysign", "ldexp"):
    def of_one_type(r, name=_name):
        dtype = r.pick("float32", "float32", "float64", "int32") if name in ("maximum", "minimum", "copysign") else \
            r.pick("float32", "float32", "float64")
        low = -3 if dtype == "int32" else -3.0
        a, b, da, db = pair(r)
        return np_case(r, "np." + name, [data(*s, dtype=dtype, low=low, high=3) for s in (a, b)], None, [da, db])
    op("np." + _name)(of_one_type)
for _name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    def bits(r, name=_name):
        dtype = r.pick("bool", *WHOLE)
        if dtype != "bool":
            r.opset = r.int(18, 26)  # the first with the operators
        if r.chance(.3):
            shape = shape_of(r)
            return np_case(r, "np._internal.%s_scalar" % name, [data(*shape, dtype=dtype)], dict(scalar=r.int(0, 5)),
                           [r.dims(len(shape))])
        a, b, da, db = pair(r)
        return np_case(r, "np." + name, [data(*a, dtype=dtype), data(*b, dtype=dtype)], None, [da, db])
    op("np." + _name)(bits)

for _name in ("arctan2", "rarctan2", "copysign", "rcopysign", "ldexp", "rldexp"):
    def real_scalar(r, name=_name):
        shape, whole = shape_of(r), "ldexp" in name
        value = r.int(1, 3) if whole else r.pick(-1, 1) * r.real(.3, 3)
        return np_case(r, "np._internal.%s_scalar" % name, [data(*shape, dtype=r.pick("float32", "float64"), low=-3, high=3)],
                       dict(scalar=value, is_int=whole), [r.dims(len(shape))])
    op("np.%s_scalar" % _name)(real_scalar)

UNARY = {"arccos": (-.9, .9), "arccosh": (1.1, 4), "arcsin": (-.9, .9), "arcsinh": (-3, 3),
         "arctan": (-3, 3), "arctanh": (-.9, .9), "cbrt": (-9, 9), "cosh": (-3, 3),
         "degrees": (-4, 4), "expm1": (.5, 3), "fix": (-3, 3), "log10": (1.2, 9), "log1p": (.5, 9), "radians": (-180, 180),
         "reciprocal": (.5, 3), "sin": (-4, 4), "sinh": (-3, 3), "tan": (-1, 1), }
for _name in UNARY:
    def unary(r, name=_name):
        shape, (low, high) = shape_of(r), UNARY[name]
        whole = r.chance(.25) and name not in ("arccos", "arccosh", "arcsin", "arctanh")
        made = data(*shape, dtype=r.pick(*WHOLE), kind="int", low=2, high=5) if whole else \
            data(*shape, dtype=r.pick("float32", *REAL), low=low, high=high)
        return np_case(r, "np." + name, [made], None, [r.dims(len(shape))])
    op("np." + _name)(unary)
for _name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf"):
    def special(r, name=_name):
        values = [r.pick(float("nan"), float("inf"), -float("inf"), 0.0, 1.5) for _ in range(r.int(1, 6))]
        return np_case(r, "np." + name, [data(values=values, dtype=r.pick(*REAL))], None, [r.pick({}, {0: "n"})])
    op("np." + _name)(special)


@op("np.nan_to_num")
def nan_to_num(r):
    values = [r.pick(float("nan"), float("inf"), -float("inf"), 0.0, 1.5) for _ in range(r.int(1, 6))]
    attrs = r.attrs(nan=lambda: r.real(-2, 2), posinf=lambda: 9.0, neginf=lambda: -9.0)
    return np_case(r, "np.nan_to_num", [data(values=values, dtype=r.pick(*REAL))], attrs, [r.pick({}, {0: "n"})])


@op("np.bitwise_not")
def bitwise_not(r):
    shape = shape_of(r)
    return np_case(r, "np.bitwise_not", [data(*shape, dtype=r.pick("bool", *WHOLE))], None, [r.dims(len(shape))])


@op("np.clip")
def clip(r):
    shape, low = shape_of(r), r.real(-1, .5)
    return np_case(r, "np.clip", [data(*shape, dtype=r.pick("float32", "float64"))], dict(a_min=low, a_max=low + r.real(0, 1)),
                   [r.dims(len(shape))])


@op("np.where")
def where(r):
    a, b, da, db = pair(r)
    dtype, condition = r.pick(*TYPES), r.pick("bool", "float32", "int32")
    made = data(*a, dtype=condition, kind="int", low=0, high=1)
    # not more than two shapes: the third is that of the second
    return with_elements(np_case(r, "np.where", [made, data(*b, dtype=dtype), data(*b, dtype=dtype)], None, [da, db, db]))


@op("np.where_scalar")
def where_scalar(r):
    how = r.pick("lscalar", "rscalar", "scalar2")
    a, b, da, db = pair(r)
    condition = data(*a, dtype="bool")
    if how == "scalar2":
        return np_case(r, "np._internal.where_scalar2", [condition], dict(x=r.real(-3, 3), y=r.int(-3, 3)), [da])
    return np_case(r, "np._internal.where_" + how, [condition, data(*b, dtype=r.pick("float32", "float64", "int32"))],
                   dict(scalar=r.real(-3, 3)), [da, db])


@op("np.boolean_mask_assign")
def mask_assign(r):
    """MXNet assigns in place only, so not to a variable."""
    shape = r.shape(1, 3)
    axis = r.int(0, len(shape) - 1)
    end = r.int(axis + 1, len(shape))
    value = r.real(-3, 3)

    def make(mx):
        x, mask = (mx.sym.Variable(n).as_np_ndarray() for n in ("x", "mask"))
        return mx.sym.np._internal.boolean_mask_assign_scalar(mx.sym.np._internal.multiply_scalar(x, scalar=2), mask,
                                                              value=value, start_axis=axis)
    d = r.dims(len(shape)) or {}
    return build("case", make, {"x": data(*shape, dtype=r.pick("float32", "float64", "int32")),
                                "mask": data(*shape[axis:end], dtype="bool")}, np_shape=True,
                 **options(r, d, {a - axis: n for a, n in d.items() if axis <= a < end}))


def some_axes(r, rank, several=True):
    if not rank or r.chance(.25):
        return {}
    if not several or r.chance():
        return dict(axis=r.int(-rank, rank - 1))
    return dict(axis=tuple(sorted(int(a) for a in r.rng.permutation(rank)[:r.int(1, rank)])))


for _name in ("argmax", "argmin"):
    def arg(r, name=_name):
        shape = r.shape(0, 3)
        attrs = dict(some_axes(r, len(shape), False), **r.attrs(keepdims=lambda: r.chance()))
        return np_case(r, "np._internal." + name, [data(*shape, dtype=r.pick("float32", "float64", "int32", "int64"),
                                                        kind="distinct", low=0, high=1000)], attrs, [r.dims(len(shape))])
    op("np." + _name)(arg)


@op("np.cumsum")
def cumsum(r):
    shape, dtype = r.shape(1, 3), r.pick(*NUMBERS)
    attrs = dict(some_axes(r, len(shape), False), **r.attrs(dtype=lambda: r.pick("float32", "float64", "int32", "int64")))
    return np_case(r, "np.cumsum", [data(*shape, dtype=dtype, kind="int", low=0, high=3)], attrs, [r.dims(len(shape))])


def made(r, name, attrs, noise=None):
    """An array that is made from attributes alone. `noise`: of float32, where the value is 0."""
    attrs = dict(attrs, **r.attrs(dtype=lambda: r.pick("float32", "float64", "float32")))
    wide = attrs.get("dtype") == "float64"
    return np_case(r, name, [], attrs, rtol=1e-6 if wide else None, atol=None if wide else noise)


op("np_windows")(lambda r: made(r, r.pick("np.hanning", "np.hamming", "np.blackman"), dict(M=r.int(0, 12)),
                              noise=1e-7))
op("np_eye")(lambda r: made(r, "np.eye", dict(r.attrs(M=lambda: r.int(1, 5), k=lambda: r.int(-3, 3)), N=r.int(1, 5))))
op("np_identity")(lambda r: made(r, "np.identity", dict(n=r.int(1, 5))))
op("np_logspace")(lambda r: made(r, "np.logspace", dict(
    r.attrs(num=lambda: r.int(1, 9), endpoint=lambda: r.chance(), base=lambda: r.real(2, 10)),
    start=r.real(-2, 1), stop=r.real(1, 3))))
