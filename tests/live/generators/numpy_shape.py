# SPDX-License-Identifier: Apache-2.0
"""Random cases: NumPy's joins, splits, products, padding, moves along axes, with dynamic dims (numpy_ops.py has more of
them with fixed ones); arrays from attributes."""

from . import build, data, op, options
from .numpy_math import TYPES, np_case, shape_of

SOME = ("float32", "float32", "float64", "float16", "int32", "int64", "uint8", "int8", "bool")


def moved(r, name, attrs, shape, dims=None):
    return np_case(r, "np." + name, [data(*shape, dtype=r.pick(*SOME))], attrs,
                   [r.dims(len(shape)) if dims is None else dims])


@op("np.expand_dims")
def expand_dims(r):
    shape = shape_of(r)
    return moved(r, "expand_dims", dict(axis=r.int(-len(shape) - 1, len(shape))), shape)


@op("np.moveaxis")
def moveaxis(r):
    shape = r.shape(1, 4)
    n = r.int(1, len(shape))
    pick = [tuple(int(a) for a in r.rng.permutation(len(shape))[:n]) for _ in range(2)]
    return moved(r, "moveaxis", dict(source=pick[0], destination=pick[1]), shape)


@op("np.swapaxes")
def swapaxes(r):
    shape = r.shape(1, 4)
    return moved(r, "swapaxes", dict(axis1=r.int(-len(shape), len(shape) - 1), axis2=r.int(0, len(shape) - 1)), shape)


@op("np.flip")
def flip(r):
    shape = r.shape(1, 4)
    axes = tuple(int(a) for a in r.rng.permutation(len(shape))[:r.int(1, len(shape))])
    return moved(r, "flip", dict(axis=r.pick(axes, axes[0])), shape)


@op("np.broadcast_to")
def broadcast_to(r):
    full = r.shape(0, 4)
    own = tuple(1 if r.chance(.4) else d for d in full)[r.int(0, len(full)) if r.chance(.3) else 0:]
    return moved(r, "broadcast_to", dict(shape=full), own, {})


@op("np.atleast")
def atleast(r):
    return moved(r, "atleast_%dd" % r.int(1, 3), {}, shape_of(r, 0, 4))


@op("np.roll")
def roll(r):
    shape = r.shape(1, 3)
    axes = tuple(int(a) for a in r.rng.permutation(len(shape))[:r.int(1, len(shape))])
    attrs = r.pick(dict(shift=r.int(-7, 7)), dict(shift=r.int(-7, 7), axis=r.int(-len(shape), len(shape) - 1)),
                   dict(shift=tuple(r.int(-7, 7) for _ in axes), axis=axes))
    return moved(r, "roll", attrs, shape)


@op("np.diagonal", "np.trace")
def diagonal(r):
    shape, name = r.shape(2, 4), r.pick("diagonal", "trace")
    a = [int(a) for a in r.rng.permutation(len(shape))[:2]]
    attrs = r.attrs(offset=lambda: r.int(-1, 1))
    a = a if r.chance() else [0, 1]
    if a != [0, 1]:
        attrs.update(axis1=a[0], axis2=a[1])
    return np_case(r, "np." + name, [data(*shape, dtype=r.pick("float32", "float64", "int32", "int64"))], attrs,
                   [r.dims(len(shape), [i for i in range(len(shape)) if i not in a])])


@op("np.diag")
def diag(r):
    return moved(r, "diag", r.attrs(k=lambda: r.int(-2, 2)), r.shape(1, 2, least=3), {})


@op("np.split")
def split(r):
    name, shape = r.pick("hsplit", "dsplit", "split"), r.shape(3, 4, most=4)
    axis = {"hsplit": 1, "dsplit": 2, "split": 0}[name]
    parts = r.int(1, 3)
    shape = shape[:axis] + (shape[axis] * parts,) + shape[axis + 1:]
    points = tuple(sorted({r.int(1, shape[axis]) for _ in range(r.int(1, 2))}))
    return np_case(r, "np." + name, [data(*shape, dtype=r.pick(*SOME[:-1]))],
                   dict(indices_or_sections=r.pick(parts, points)), [r.dims(len(shape), [a for a in range(4) if a != axis])])


@op("np.tile", "np.repeat")
def tile(r):
    shape = r.shape(1, 3)
    if r.chance():
        reps = tuple(d if i < 2 else 1 for i, d in enumerate(r.tuple(r.int(1, 4), 1, 3)))  # as for tile
        return np_case(r, "np.tile", [data(*shape)], dict(reps=reps), [r.dims(len(shape))])
    attrs = dict(repeats=r.int(1, 3), axis=r.pick(None, r.int(-len(shape), len(shape) - 1)))
    return np_case(r, "np.repeat", [data(*shape)], attrs, [r.dims(len(shape))])


def several(name, shapes, attrs, dtype="float32"):
    def make(mx):
        return getattr(mx.sym.np, name)([mx.sym.Variable("x%d" % i).as_np_ndarray() for i in range(len(shapes))], **attrs)
    return make, {"x%d" % i: data(*s, dtype=dtype) for i, s in enumerate(shapes)}


@op("np.concatenate")
def concatenate(r):
    shape = r.shape(1, 4)
    axis = r.int(-len(shape), len(shape) - 1)
    shapes = [list(shape) for _ in range(r.int(1, 3))]
    for s in shapes:
        s[axis] = r.int(0 if r.chance(.1) else 1, 4)
    d = {a: n for a, n in (r.dims(len(shape)) or {}).items() if a != axis % len(shape)}
    attrs = dict(axis=axis) if r.chance(.8) else dict(axis=None)
    make, inputs = several("concatenate", shapes, attrs, r.pick(*SOME))
    return build("case", make, inputs, np_shape=True, **options(r, *[d] * len(shapes)))


@op("np.stack")
def stack(r):
    name, shape = r.pick("stack", "vstack", "hstack", "dstack", "column_stack"), r.shape(0, 3)
    n = r.int(1, 3)
    attrs = dict(axis=r.int(-len(shape) - 1, len(shape))) if name == "stack" else {}
    make, inputs = several(name, [shape] * n, attrs, r.pick(*SOME))
    return build("case", make, inputs, np_shape=True, **options(r, *[r.dims(len(shape))] * n))


@op("np.dot")
def dot(r):
    k, dtype = r.int(1, 4), r.pick("float32", "float64")
    a, b = r.shape(0, 2) + (k,), (k,)
    if r.chance(.7):
        b = r.shape(0, 1) + (k, r.int(1, 4))
    if r.chance(.1):
        a = ()
    return np_case(r, "np.dot", [data(*a, dtype=dtype), data(*b, dtype=dtype)], None,
                   [{0: "n"} if len(a) > 1 and r.chance() else {}, {0: "m"} if len(b) > 2 and r.chance() else {}])


@op("np.matmul")
def matmul(r):
    k, dtype = r.int(1, 4), r.pick("float32", "float64")
    batch = r.shape(0, 2)
    a = tuple(1 if r.chance(.2) else d for d in batch) + (r.int(1, 4), k)
    b = batch + (k, r.int(1, 4))
    a, b = (a[-1:] if r.chance(.15) else a), (b[-2:-1] if r.chance(.15) else b)
    rows = {len(a) - 2: "rows"} if len(a) > 1 and r.chance() else {}
    return np_case(r, "np.matmul", [data(*a, dtype=dtype), data(*b, dtype=dtype)], None, [rows, {}])


@op("np.tensordot")
def tensordot(r):
    n, dtype = r.int(0, 2), r.pick("float32", "float64")
    left, mid, right = r.shape(0, 2), r.tuple(n, 1, 4), r.shape(0, 2)
    if r.chance():
        return np_case(r, "np.tensordot", [data(*left + mid, dtype=dtype), data(*mid + right, dtype=dtype)], dict(axes=n),
                       [{0: "n"} if left and r.chance() else {}, {}])
    order = [int(i) for i in r.rng.permutation(n)]
    axes = ([len(left) + i - (n + len(left) if r.chance(.3) else 0) for i in order], order)
    return np_case(r, "np.tensordot", [data(*left + mid, dtype=dtype), data(*mid + right, dtype=dtype)], dict(axes=axes),
                   [{0: "n"} if left and r.chance() else {}, {}])


@op("np.einsum")
def einsum(r):
    size = {c: r.int(1, 4) for c in "abcde"}
    terms = ["".join(r.rng.permutation(list("abcde"))[:r.int(1, 3)]) for _ in range(r.int(1, 3))]
    if r.chance(.15):
        terms[0] = terms[0] + terms[0][0]  # a diagonal
    used = sorted(set("".join(terms)))
    text = ",".join(terms)
    if r.chance(.8):
        text += "->" + "".join(r.rng.permutation(used)[:r.int(0, len(used))])
    shapes = [tuple(size[c] for c in t) for t in terms]
    first = used[0] if r.chance() else None
    dims = [{i: "d" + c for i, c in enumerate(t) if c == first and t.count(c) == 1} for t in terms]
    if any(first and t.count(first) > 1 for t in terms):
        dims = [{}] * len(terms)

    def make(mx):
        return mx.sym.np.einsum(text, *[mx.sym.Variable("x%d" % i).as_np_ndarray() for i in range(len(terms))])
    dtype = r.pick("float32", "float32", "float64", "int32")
    inputs = {"x%d" % i: data(*s, dtype=dtype) for i, s in enumerate(shapes)}
    return build("case", make, inputs, np_shape=True, atol=1e-5, **options(r, *dims))


@op("np.pad")
def pad(r):
    shape, mode = r.shape(1, 4, most=4), r.pick("constant", "edge", "reflect", "symmetric", "maximum", "minimum")
    attrs = dict(pad_width=tuple(r.tuple(2, 0, 3) for _ in shape), mode=mode)
    if mode == "constant" and r.chance():
        attrs["constant_values"] = r.real(-3, 3)
    d = r.dims(len(shape)) if mode in ("constant", "edge") else None
    dtype = r.pick("float32", "float64", "float16", "int32", "int8")
    return np_case(r, "np.pad", [data(*shape, dtype=dtype)], attrs, [d or {}])


def made(name, args, attrs):
    def make(mx):
        return mx.sym.Group([mx.sym.Variable("x").as_np_ndarray() * 1, getattr(mx.sym.np, name)(*args, **attrs)])
    return make


@op("np.made")
def from_attributes(r):
    """Operators without inputs, together with one that has an input."""
    name = r.pick("zeros", "ones", "full", "arange", "eye", "identity", "hanning", "hamming", "blackman", "linspace",
                  "logspace", "indices")
    attrs = r.attrs(dtype=lambda: r.pick(*TYPES[1:]))
    if name in ("hanning", "hamming", "blackman"):
        args, attrs = (r.int(1, 8),), r.attrs(dtype=lambda: r.pick("float32", "float64"))
    elif name in ("zeros", "ones"):
        args = (shape_of(r),)
    elif name == "full":
        args = (shape_of(r), float(r.int(0, 5)))
    elif name == "arange":
        start, step = r.pick(0, 1, 2), r.pick(1, 2, 3)
        args = (start, start + step * r.int(0, 5), step)
    elif name == "eye":
        args = (r.int(0, 4), r.int(1, 4), r.int(-2, 2))
    elif name == "identity":
        args = (r.int(0, 4),)
    elif name == "indices":
        args, attrs = (r.shape(1, 3),), r.attrs(dtype=lambda: r.pick("int32", "int64", "float32"))
    else:
        args = (0, r.pick(2, 3), r.int(1, 6))
        attrs = r.attrs(endpoint=lambda: r.chance(), dtype=lambda: r.pick("float32", "float64"))
    return build("case", made(name, args, attrs), {"x": data(2)}, np_shape=True, atol=1e-6, **options(r, None))


@op("np.full_like")
def full_like(r):
    shape = shape_of(r)
    attrs = dict(r.attrs(dtype=lambda: r.pick("float32", "float64", "int32", "int64", "int8", "bool")), fill_value=r.int(0, 3))
    return np_case(r, "np.full_like", [data(*shape, dtype=r.pick("float32", "float64", "int32"))], attrs, [r.dims(len(shape))])
