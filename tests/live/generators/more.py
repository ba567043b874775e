# SPDX-License-Identifier: Apache-2.0
"""Random cases: attention, images, losses over time, writing to slices, 8-bit integers."""
import numpy as np

from . import NUMBERS, at_least, aux, build, case, data, one, op, options, param


@op("selfatt_qk", "selfatt_valatt")
def selfatt(r):
    t, n, heads, d, dtype = r.int(1, 5), r.int(1, 4), r.int(1, 4), r.int(1, 5), "float32"
    length, batch = ({0: "t"} if r.chance() else {}), ({1: "n"} if r.chance() else {})
    qkv = data(t, n, heads * 3 * d, dtype=dtype)
    if r.chance():
        return case("case", "contrib.interleaved_matmul_selfatt_qk", [qkv], dict(heads=heads),
                    **options(r, {**length, **batch}))
    return case("case", "contrib.interleaved_matmul_selfatt_valatt", [qkv, data(n * heads, t, t, dtype=dtype)],
                dict(heads=heads), **options(r, length, {1: "t", 2: "t"} if length else {}))


@op("encdec_qk", "encdec_valatt")
def encdec(r):
    t, s, n, heads, d = r.int(1, 5), r.int(1, 5), r.int(1, 4), r.int(1, 4), r.int(1, 5)
    d_t, d_s = {0: "t"} if r.chance() else {}, {0: "s"} if r.chance() else {}
    kv = data(s, n, heads * 2 * d)
    if r.chance():
        return case("case", "contrib.interleaved_matmul_encdec_qk", [data(t, n, heads * d), kv], dict(heads=heads),
                    **options(r, d_t, d_s))
    return case("case", "contrib.interleaved_matmul_encdec_valatt", [kv, data(n * heads, t, s)], dict(heads=heads),
                **options(r, d_s, {**({1: "t"} if d_t else {}), **({2: "s"} if d_s else {})}))


@op("div_sqrt_dim")
def div_sqrt_dim(r):
    return one(r, "contrib.div_sqrt_dim", r.shape(), None, r.pick("float32", "float64", "float16"))


def image(r, *dtypes):
    shape = (() if r.chance() else (r.int(1, 3),)) + (r.int(2, 8), r.int(2, 8), r.pick(1, 3))
    dtype = r.pick(*dtypes)
    return shape, dict(dtype=dtype, low=0, high=255)


@op("image.to_tensor")
def to_tensor(r):
    shape, made = image(r, "uint8", "float32", "int32")
    return one(r, "image.to_tensor", shape, axes=range(len(shape) - 1), **made)


@op("image.normalize")
def normalize(r):
    c = r.pick(1, 3)
    shape = (() if r.chance() else (r.int(1, 3),)) + (c, r.int(1, 5), r.int(1, 5))
    many = r.pick(1, c)
    attrs = dict(mean=tuple(r.real(-1, 1) for _ in range(many)), std=tuple(r.real(.2, 2) for _ in range(many)))
    return one(r, "image.normalize", shape, attrs, r.pick("float32", "float64", "float16"),
               axes=[a for a in range(len(shape)) if a != len(shape) - 3])


@op("image.crop")
def crop(r):
    shape, made = image(r, "uint8", "float32")
    h, w = shape[-3:-1]
    x, y = r.int(0, w - 1), r.int(0, h - 1)
    return one(r, "image.crop", shape, dict(x=x, y=y, width=r.int(1, w - x), height=r.int(1, h - y)),
               axes=range(len(shape) - 1), **made)


@op("image.resize")
def resize(r):
    shape, made = image(r, "float32", "float32", "uint8")
    attrs = dict(size=r.pick(r.int(1, 9), r.tuple(2, 1, 9)))
    if made["dtype"] == "uint8":
        attrs["interp"] = 0  # values between pixels are rounded at halves
    else:
        attrs.update(r.attrs(interp=lambda: r.int(0, 2)))
    attrs.update(r.attrs(keep_ratio=lambda: r.chance()))
    keep = attrs.get("keep_ratio")
    return one(r, "image.resize", shape, attrs, axes=range(len(shape) - (3 if keep else 1)), atol=1e-3, **made)


@op("image.flip")
def flip(r):
    """Of an odd size MXNet leaves what is in the middle unset."""
    h, w, c = 2 * r.int(1, 4), 2 * r.int(1, 4), r.pick(1, 3)
    way = r.pick("left_right", "top_bottom")
    return one(r, "image.flip_" + way, (h, w, c), None, r.pick("uint8", "float32"), axes=[0 if way == "left_right" else 1],
               low=0, high=255)


@op("CTCLoss")
def ctc_loss(r):
    t, n, c, most = r.int(2, 6), r.int(1, 3), r.int(2, 5), r.int(1, 3)
    last = r.chance()
    low, high, rest = (0, c - 2, -1) if last else (1, c - 1, 0)
    labels = np.full((n, most), rest)
    lengths = [r.int(1, most) for _ in range(n)]
    for row, k in zip(labels, lengths):
        row[:k] = [r.int(low, high) for _ in range(k)]
    d = {0: "n"} if r.chance() else {}
    inputs = [data(t, n, c, low=-3, high=3), data(values=labels, dtype=r.pick("float32", "int32"))]
    attrs = dict(blank_label="last") if last else r.attrs(blank_label=lambda: "first")
    if r.chance(.3):
        attrs["use_data_lengths"] = True
        inputs.append(data(values=[r.int(1, t) for _ in range(n)], dtype="float32"))
        if r.chance():
            attrs["use_label_lengths"] = True
            inputs.append(data(values=lengths, dtype="float32"))
    time = {0: "t"} if r.chance() else {}
    return at_least(case("case", "CTCLoss", inputs, attrs, atol=1e-4, **options(r, {**time, **({1: "n"} if d else {})}, *[d] * (len(inputs) - 1))),
                    {"t": t} if "use_data_lengths" in attrs else {})  # MXNet reads as far as the lengths say


@op("_slice_assign")
def slice_assign(r):
    shape = r.shape(1, 3, least=2)
    n, dtype = r.int(1, len(shape)), r.pick(*NUMBERS)
    begin, end, step = [], [], []
    for size in shape[:n]:
        back = r.chance(.3)
        step.append(r.pick(-1, -2) if back else r.pick(None, 1, 2))
        a, b = sorted((r.int(0, size - 1), r.int(0, size - 1)))
        begin.append(b if back else r.pick(None, a, a - size))
        end.append((a - 1 if a else None) if back else r.pick(None, b + 1))
    part = np.zeros(shape)[tuple(slice(*x) for x in zip(begin, end, step))].shape
    attrs = dict(begin=tuple(begin), end=tuple(end), step=tuple(step))
    d = {a: "d%d" % a for a in range(n, len(shape)) if r.chance()}
    if r.chance():
        return case("case", "_internal._slice_assign_scalar", [data(*shape, dtype=dtype)],
                    dict(attrs, scalar=float(r.int(0, 4))), **options(r, d))
    return case("case", "_internal._slice_assign", [data(*shape, dtype=dtype), data(*part, dtype=dtype)], attrs,
                **options(r, d, d))


for _name in ("_scatter_plus_scalar", "_scatter_minus_scalar"):
    op(_name)(lambda r, name=_name: one(r, "_internal." + name, r.shape(), dict(scalar=r.real(-2, 2)),
                                        r.pick("float32", "float64")))
for _name in ("_grad_add", "_scatter_elemwise_div"):
    def pair(r, name=_name):
        shape = r.shape()
        d = r.dims(len(shape))
        return case("case", "_internal." + name, [data(*shape), data(*shape, low=.5, high=2)], **options(r, d, d))
    op(_name)(pair)
for _name in ("make_loss", "contrib.gradientmultiplier", "Dropout"):
    op(_name)(lambda r, name=_name: one(r, name, r.shape()))


@op("_scatter_set_nd")
def scatter_set_nd(r):
    shape, dtype = r.shape(1, 3), r.pick(*NUMBERS)
    m = r.int(1, len(shape))
    cells = int(np.prod(shape[:m]))
    chosen = r.rng.permutation(cells)[:r.int(1, cells)]  # no cell twice: which one stays is not defined
    index = np.stack(np.unravel_index(chosen, shape[:m]))
    inputs = {"x": data(*shape, dtype=dtype), "value": data(len(chosen), *shape[m:], dtype=dtype),
              "index": data(values=index, dtype=r.pick("int32", "int64", "float32"))}

    def make(mx):
        """In place, so not to a variable."""
        x, value, index = (mx.sym.Variable(n) for n in inputs)
        return mx.sym._internal._scatter_set_nd(x * 1, value, index, shape=shape)
    return build("case", make, inputs, **options(r, {}, {}, {}))


@op("cast_storage")
def cast_storage(r):
    return one(r, "cast_storage", r.shape(), dict(stype="default"))


# ---- 8-bit integers that carry a range
def end(v):
    return param(values=[v])


def byte(r, *shape, dtype=None, role=data):
    dtype = dtype or r.pick("int8", "uint8")
    return role(*shape, dtype=dtype, low=0 if dtype == "uint8" else -127, high=255 if dtype == "uint8" else 127)


def ends(r, n=1):
    return [end(v) for _ in range(n) for v in (r.real(-2, -.2), r.real(.2, 3))]


def batch(r, n):
    return options(r, r.pick({}, {0: "n"}), *[{}] * (n - 1))


@op("contrib.quantize_v2")
def quantize_v2(r):
    attrs = r.attrs(out_type=lambda: r.pick("int8", "uint8", "auto"))
    unsigned = attrs.get("out_type") in ("uint8", "auto") and r.chance()
    if r.chance(.7):
        attrs.update(min_calib_range=0.0 if unsigned else -r.real(.5, 2), max_calib_range=r.real(.5, 3))
    values = r.rng.uniform(0 if unsigned else -3, 3, size=r.shape(1, 4))
    values.flat[0] = 3.25  # the largest is 127.5, which saturates; -127.5 is -127 or -128
    return case("case", "contrib.quantize_v2", [data(values=values)], attrs, **batch(r, 1))


@op("contrib.dequantize")
def dequantize(r):
    return case("case", "contrib.dequantize", [byte(r, *r.shape(1, 4))] + ends(r), **batch(r, 1))


@op("contrib.requantize")
def requantize(r):
    attrs = dict(min_calib_range=-r.real(.1, .5), max_calib_range=r.real(.1, .5)) if r.chance(.7) else {}
    x = data(*r.shape(1, 4), dtype="int32", low=-2000000, high=2000000)
    return case("case", "contrib.requantize", [x, end(-500.0), end(500.0)], attrs, **batch(r, 1))


def product(r, name, x, weight, bias, attrs):
    names = ["data", "weight", "bias"][:3 if bias else 2]
    given = dict(zip(names, [x, weight, bias]))
    ranges = dict(zip(["%s_%s" % (e, n) for n in names for e in ("min", "max")], ends(r, len(names))))
    attrs = dict(attrs, no_bias=not bias)
    names += list(ranges)
    return build("case", lambda mx: getattr(mx.sym.contrib, name)(**{n: mx.sym.Variable(n) for n in names}, **attrs),
                 {"data": x}, {**{n: a for n, a in given.items() if n != "data"}, **ranges}, **batch(r, 1))


@op("contrib.quantized_conv")
def quantized_conv(r):
    c, filters, kernel = r.int(1, 3), r.int(1, 4), r.tuple(2, 1, 3)
    attrs = dict(num_filter=filters, kernel=kernel, **r.attrs(stride=lambda: r.tuple(2, 1, 2), pad=lambda: r.tuple(2, 0, 1)))
    bias = byte(r, filters, dtype="int8", role=param) if r.chance() else None
    return product(r, "quantized_conv", byte(r, r.int(1, 2), c, r.int(4, 7), r.int(4, 7), dtype="uint8"),
                   byte(r, filters, c, *kernel, dtype="int8", role=param), bias, attrs)


@op("contrib.quantized_fully_connected")
def quantized_dense(r):
    width, hidden = r.int(1, 8), r.int(1, 5)
    bias = byte(r, hidden, dtype="int8", role=param) if r.chance() else None
    return product(r, "quantized_fully_connected", byte(r, r.int(1, 4), width),
                   byte(r, hidden, width, dtype="int8", role=param), bias, dict(num_hidden=hidden))


@op("contrib.quantized_pooling")
def quantized_pooling(r):
    kernel = r.tuple(2, 1, 3)
    attrs = dict(kernel=kernel, pool_type=r.pick("max", "max", "avg"))
    attrs.update(r.attrs(stride=lambda: r.tuple(2, 1, 3), pooling_convention=lambda: r.pick("valid", "full"),
                         pad=lambda: tuple(r.int(0, k - 1) for k in kernel)))
    if attrs["pool_type"] == "avg":
        attrs.pop("pooling_convention", None), attrs.pop("pad", None)
    x = byte(r, r.int(1, 2), r.int(1, 3), r.int(4, 8), r.int(4, 8))
    return case("case", "contrib.quantized_pooling", [x] + ends(r), attrs, **batch(r, 1))


@op("contrib.quantized_act", "contrib.quantized_flatten")
def quantized_unary(r):
    name = r.pick("act", "flatten")
    attrs = dict(act_type="relu") if name == "act" else {}
    return case("case", "contrib.quantized_" + name, [byte(r, *r.shape(2, 4), dtype="int8")] + ends(r), attrs, **batch(r, 1))


class HalfWay:
    """Integers of a quantized_concat: they differ from MXNet's, by one, only where the exact quotient is half way between two and float32
    rounds it: MXNet multiplies by a scale where QuantizeLinear divides by one."""

    def __init__(self, c, n):
        self.case, self.n = c, n

    def exact(self, want):
        """What is rounded in the run whose outputs these are."""
        found, reach = [], np.abs(want[1:]).max()
        for run in range(len(self.case.runs())):
            given = list(self.case.arrays(run).values())
            scales = [np.abs(given[self.n + 2 * i:self.n + 2 * i + 2]).max() / reach for i in range(self.n)]
            found.append(np.concatenate([x * np.float64(scale) for x, scale in zip(given, scales)], axis=1))
        return min((x for x in found if x.shape == want[0].shape), key=lambda x: np.abs(x - want[0]).max(initial=0))

    def __call__(self, got, want, rtol, atol):
        import compare  # not where MXNet is
        compare.agree(got[1:], want[1:], rtol, atol)
        g, w = got[0], want[0]
        assert (g.dtype, g.shape) == (w.dtype, w.shape)
        exact = self.exact(want)
        for value in (g, w):
            far = np.abs(value - exact) - .5 > 2.0 ** -21 * np.abs(exact)
            assert not far.any(), "not rounded: %s of %s" % (value[far], exact[far])


@op("contrib.quantized_concat")
def quantized_concat(r):
    n, shape, dim = r.int(2, 3), list(r.shape(2, 4)), 1
    arrays = []
    for _ in range(n):
        shape[dim] = r.int(1, 4)
        arrays.append(byte(r, *shape, dtype="int8"))
    c = case("case", "contrib.quantized_concat", arrays + ends(r, n), dict(num_args=n), **options(r, *[r.pick({}, {0: "n"})] * n))
    c.agree = HalfWay(c, n)
    return c


@op("contrib.quantized_elemwise_add")
def quantized_add(r):
    shape = r.shape(1, 4)
    return case("case", "contrib.quantized_elemwise_add", [byte(r, *shape), byte(r, *shape)] + ends(r, 2),
                dict(min_calib_range=-r.real(1, 4), max_calib_range=r.real(1, 4)), ties=.02, **options(r, *[r.pick({}, {0: "n"})] * 2))


@op("contrib.quantized_elemwise_mul")
def quantized_mul(r):
    shape = r.shape(1, 4)
    attrs = r.pick({}, dict(min_calib_range=-r.real(1, 4), max_calib_range=r.real(1, 4)), dict(enable_float_output=True))
    return case("case", "contrib.quantized_elemwise_mul", [byte(r, *shape, dtype="int8") for _ in range(2)] + ends(r, 2), attrs,
                **options(r, *[r.pick({}, {0: "n"})] * 2))


@op("contrib.quantized_batch_norm")
def quantized_batch_norm(r):
    c = r.int(1, 4)
    x = byte(r, r.int(1, 3), c, r.int(1, 4), r.int(1, 4), dtype="int8")
    return case("case", "contrib.quantized_batch_norm",
                [x, param(c, low=.5, high=2), param(c), aux(c), aux(c, low=.5, high=2)] + ends(r),
                dict(min_calib_range=-r.real(1, 3), max_calib_range=r.real(1, 3)), **batch(r, 1))


@op("contrib.quantized_embedding")
def quantized_embedding(r):
    rows, width = r.int(2, 5), r.int(1, 4)
    return case("case", "contrib.quantized_embedding",
                [data(*r.shape(1, 3), kind="int", low=0, high=rows - 1),
                 byte(r, rows, width, dtype="int8", role=param)] + ends(r), dict(input_dim=rows, output_dim=width), **batch(r, 1))
