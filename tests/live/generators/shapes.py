# SPDX-License-Identifier: Apache-2.0
"""Random cases: shapes, slices, joins."""
from . import at_least, case, data, one, op, options


@op("Reshape")
def reshape(r):
    """Codes that fit the shape, made by walking over it; from the right with reverse (MXNet reads codes backwards
    then, and past the end of the list where two numbers do not follow -4)."""
    whole, reverse = r.shape(1, 4), r.chance(.2)
    shape = whole[::-1] if reverse else whole
    codes, i, open_dim, fixed = [], 0, r.chance(.4), set()
    kinds = ("keep", "copy", "join", "rest") + (() if open_dim else ("split",))  # MXNet fails where -1 meets -4
    while i < len(shape):
        how = r.pick(*kinds)
        if how == "keep":
            codes.append(0)
            i += 1
        elif how == "copy" and open_dim:
            codes.append(-1)
            open_dim = False
            i += 1
        elif how == "copy":
            codes.append(shape[i])
            fixed.add(i)
            i += 1
        elif how == "join" and i + 1 < len(shape):
            codes.append(-3)
            i += 2
        elif how == "split":
            d = shape[i]
            a = r.pick(*[k for k in range(1, d + 1) if d % k == 0])
            codes += [-4] + r.pick([a, d // a], [a, -1], [-1, d // a])
            fixed.add(i)
            i += 1
        elif how == "rest":
            codes.append(-2)
            i = len(shape)
    if open_dim and r.chance():
        codes.append(1)
    if reverse:
        fixed = {len(shape) - 1 - a for a in fixed}
    attrs = dict(shape=tuple(codes[::-1]), reverse=True) if reverse else dict(shape=tuple(codes))
    return one(r, "Reshape", whole, attrs, r.pick("float32", "int32"),
               axes=[a for a in range(len(whole)) if a not in fixed])


@op("transpose")
def transpose(r):
    shape = r.shape(1, 5)
    attrs = {} if r.chance(.3) else dict(axes=tuple(int(a) for a in r.rng.permutation(len(shape))))
    return one(r, "transpose", shape, attrs, r.pick("float32", "int32", "float16"))


@op("SwapAxis")
def swap_axis(r):
    shape = r.shape(2, 5)
    return one(r, "SwapAxis", shape, dict(dim1=r.int(0, len(shape) - 1), dim2=r.int(0, len(shape) - 1)))


@op("expand_dims")
def expand_dims(r):
    shape = r.shape(1, 4)
    return one(r, "expand_dims", shape, dict(axis=r.int(-len(shape) - 1, len(shape))))


@op("squeeze")
def squeeze(r):
    shape = tuple(1 if r.chance() else d for d in r.shape(1, 5))
    ones = [a for a, d in enumerate(shape) if d == 1]
    attrs = {}
    if ones and r.chance(.7):
        some = [a for a in ones if r.chance()] or ones[:1]
        attrs["axis"] = some[0] if len(some) == 1 else tuple(a - len(shape) if r.chance(.3) else a for a in some)
    return at_least(one(r, "squeeze", shape, attrs, axes=[a for a in range(len(shape)) if a not in ones]),
                    no_ones(attrs, len(shape)))


def no_ones(attrs, rank):
    """Without an axis the rank would depend on a dynamic dim that is 1."""
    return {} if "axis" in attrs else {"d%d" % a: 2 for a in range(rank)}


@op("slice")
def slice_(r):
    shape = r.shape(1, 4, 7)
    begin, end, step = [], [], []
    for d in shape[:r.int(1, len(shape))]:
        s = r.pick(1, 1, 1, 2, -1, -2)
        lo = r.int(0, d - 1)
        hi = r.int(lo + 1, d)
        b, e = (lo, hi) if s > 0 else (hi - 1, lo - 1)
        e = None if e < 0 or r.chance(.2) else e
        b = None if r.chance(.2) else b - d if r.chance(.2) else b
        begin.append(b), end.append(e), step.append(s)
    attrs = dict(begin=tuple(begin), end=tuple(end))
    if any(s != 1 for s in step) or r.chance(.3):
        attrs["step"] = tuple(step)
    return at_least(one(r, "slice", shape, attrs, axes=() if r.nothing else [0] if r.chance() else None))


@op("slice_axis")
def slice_axis(r):
    shape = r.shape(1, 4, 7)
    axis = r.int(-len(shape), len(shape) - 1)
    d = shape[axis]
    b = r.int(0, d - 1)
    e = r.int(b + 1, d)
    if r.chance(.3):  # both from the end, or MXNet refuses
        b, e = b - d, e - d if e < d else None
    return at_least(one(r, "slice_axis", shape, dict(axis=axis, begin=b, end=None if r.chance(.2) else e),
                        axes=() if r.nothing else None))


@op("slice_like")
def slice_like(r):
    small = r.shape(1, 4)
    big = tuple(d + r.int(0, 3) for d in small)
    axes = tuple(a for a in range(len(small)) if r.chance())
    attrs = dict(axes=axes) if axes else {}
    d = r.dims(len(small))
    return case("case", "slice_like", [data(*big), data(*small)], attrs, **options(
        r, {a: "x%d" % a for a in (d or {})}, {a: "y%d" % a for a in (d or {})}))


@op("SliceChannel")
def slice_channel(r):
    shape = list(r.shape(1, 4))
    axis = r.int(-len(shape), len(shape) - 1)
    n = r.int(1, 4)
    squeeze_axis = r.chance(.3)
    shape[axis] = n if squeeze_axis else n * r.int(1, 3)
    attrs = dict(num_outputs=n)
    if axis != 1 or r.chance():
        attrs["axis"] = axis
    if squeeze_axis:
        attrs["squeeze_axis"] = True
    return one(r, "SliceChannel", shape, attrs, axes=[a for a in range(len(shape)) if a != axis % len(shape)])


@op("Concat")
def concat(r):
    shape, n = list(r.shape(1, 4)), r.int(1, 4)
    axis = r.int(0, len(shape) - 1)
    attrs = {} if axis == 1 and r.chance() else dict(dim=axis - len(shape) if r.chance(.3) else axis)
    inputs, dims = [], []
    d = r.dims(len(shape))
    for i in range(n):
        shape[axis] = r.int(1, 4)
        inputs.append(data(*shape))
        dims.append({a: "c%d" % i if a == axis else x for a, x in (d or {}).items()})
    return case("case", "Concat", inputs, attrs, **options(r, *dims))


@op("stack")
def stack(r):
    shape, n = r.shape(1, 3), r.int(1, 4)
    d = r.dims(len(shape))
    return case("case", "stack", [data(*shape) for _ in range(n)], r.attrs(axis=lambda: r.int(-len(shape) - 1, len(shape))),
                **options(r, *[d] * n))


@op("tile")
def tile(r):
    shape = r.shape(1, 4, 3)
    reps = r.tuple(r.int(1, 5), 1, 3)
    many = 0  # MXNet fails, or gives zeros, where more than two axes are repeated
    reps = tuple(1 if d > 1 and (many := many + 1) > 2 else d for d in reps)
    return one(r, "tile", shape, dict(reps=reps), r.pick("float32", "int32"))


@op("repeat")
def repeat(r):
    shape = r.shape(1, 4, 3)
    return one(r, "repeat", shape, dict(r.attrs(axis=lambda: r.int(-len(shape), len(shape) - 1)), repeats=r.int(1, 3)))


@op("broadcast_to")
def broadcast_to(r):
    full = r.shape(1, 4)
    shape = tuple(1 if r.chance() else d for d in full)
    target = tuple(0 if d == s and r.chance() else d for d, s in zip(full, shape))
    return one(r, "broadcast_to", shape, dict(shape=target),
               axes=[a for a in range(len(full)) if target[a] == 0])


@op("broadcast_axis")
def broadcast_axis(r):
    shape = tuple(1 if r.chance() else d for d in r.shape(0, 3)) + (1,)
    ones = [a for a, d in enumerate(shape) if d == 1]
    some = tuple(a for a in ones if r.chance()) or tuple(ones[:1])
    return one(r, "broadcast_axis", shape, dict(axis=some, size=tuple(r.int(1, 4) for _ in some)),
               axes=[a for a in range(len(shape)) if a not in ones])


@op("reverse")
def reverse(r):
    shape = r.shape(1, 4)
    return one(r, "reverse", shape, dict(axis=tuple(sorted({r.int(0, len(shape) - 1) for _ in range(2)}))))


@op("depth_to_space")
def depth_to_space(r):
    b = r.int(1, 3)
    return one(r, "depth_to_space", (r.int(1, 2), b * b * r.int(1, 2), r.int(1, 4), r.int(1, 4)), dict(block_size=b),
               axes=[0, 2, 3])


@op("space_to_depth")
def space_to_depth(r):
    b = r.int(1, 3)
    return one(r, "space_to_depth", (r.int(1, 2), r.int(1, 3), b * r.int(1, 3), b * r.int(1, 3)), dict(block_size=b),
               axes=[0, 1])


@op("_split_v2")
def split_v2(r):
    shape = list(r.shape(1, 4, 6))
    axis = r.int(-len(shape), len(shape) - 1)
    attrs = dict(axis=axis)
    if r.chance():
        n = r.int(1, 4)
        squeeze_axis = r.chance(.3)
        shape[axis] = n if squeeze_axis else n * r.int(1, 3)
        attrs.update(indices=(), sections=n, squeeze_axis=squeeze_axis)
    else:
        cuts = sorted({r.int(1, max(1, shape[axis] - 1)) for _ in range(r.int(1, 3))})
        attrs["indices"] = (0,) + tuple(cuts)
    return one(r, "_internal._split_v2", shape, attrs, axes=[a for a in range(len(shape)) if a != axis % len(shape)])


@op("broadcast_like")
def broadcast_like(r):
    full = r.shape(1, 4)
    small = tuple(1 if r.chance() else d for d in full)
    attrs = {}
    if r.chance(.3):
        ones = [a for a, d in enumerate(small) if d == 1] or [0]
        small = tuple(1 if a == ones[0] else d for a, d in enumerate(small))
        attrs = dict(lhs_axes=(ones[0],), rhs_axes=(r.int(0, len(full) - 1),))
    d = r.dims(len(full), [a for a, x in enumerate(small) if x == 1])
    return case("case", "broadcast_like", [data(*small), data(*full)], attrs, **options(r, None, d))


@op("reshape_like")
def reshape_like(r):
    shape = r.shape(1, 4)
    other = tuple(int(d) for d in r.rng.permutation(shape))
    return case("case", "reshape_like", [data(*shape), data(*other)], **options(r, None, None))
