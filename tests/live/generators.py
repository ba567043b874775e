# SPDX-License-Identifier: Apache-2.0
"""Random cases of operators, the same for the same seed wherever they are made (no MXNet here).

A generator gets a Random and returns a case as in tests/numeric/cases. It may make cases that MXNet refuses: they are
counted and dropped. An attribute is given or left to its default by chance, so that defaults are tried too.
"""
import os
import sys
import zlib

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "numeric"))

from cases import aux, case, data, param  # noqa: E402

GENERATORS = {}
FLOATS = ("float32", "float32", "float32", "float64", "float16")
NUMBERS = ("float32", "float32", "float64", "float16", "int32", "int64", "uint8", "int8")
OPSETS = tuple(range(12, 27))


def op(*names):
    def add(f):
        for n in names:
            GENERATORS[n] = f
        return f
    return add


class Random:
    def __init__(self, seed):
        self.rng = np.random.RandomState(zlib.crc32(seed.encode()) & 0x7FFFFFFF)
        self.opset = self.pick(*OPSETS)

    def int(self, low, high):
        return int(self.rng.randint(low, high + 1))

    def chance(self, p=0.5):
        return bool(self.rng.uniform() < p)

    def pick(self, *choices):
        return choices[self.rng.randint(len(choices))]

    def real(self, low, high):
        return round(float(self.rng.uniform(low, high)), 3)

    def shape(self, low=1, high=4, most=5, least=1):
        return tuple(self.int(least, most) for _ in range(self.int(low, high)))

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


# ---- element by element

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


# ---- layers

@op("Convolution")
def convolution(r):
    n = r.int(1, 3)
    group = r.pick(1, 1, 1, 2, 3)
    channels, filters = group * r.int(1, 3), group * r.int(1, 3)
    kernel = r.tuple(n, 1, 3)
    attrs = dict(kernel=kernel, num_filter=filters)
    attrs.update(r.attrs(stride=lambda: r.tuple(n, 1, 2), pad=lambda: r.tuple(n, 0, 2), dilate=lambda: r.tuple(n, 1, 2)))
    if group > 1:
        attrs["num_group"] = group
    size = tuple(r.int(5, 8) for _ in range(n))
    inputs = [data(r.int(1, 3), channels, *size), param(filters, channels // group, *kernel)]
    if r.chance():
        attrs["no_bias"] = True
    else:
        inputs.append(param(filters))
    return case("case", "Convolution", inputs, attrs, **options(r, r.dims(n + 2, [0, 2, 3, 4])))


@op("Deconvolution")
def deconvolution(r):
    n = r.int(1, 2)
    group = r.pick(1, 1, 2)
    channels, filters = group * r.int(1, 3), group * r.int(1, 3)
    kernel, stride = r.tuple(n, 1, 4), r.tuple(n, 1, 3)
    attrs = dict(kernel=kernel, num_filter=filters, stride=stride)
    axes = [0, 2, 3]
    size = tuple(r.int(2, 5) for _ in range(n))
    if r.chance(.2):
        attrs["target_shape"] = tuple((d - 1) * s + k - r.int(0, min(k - 1, 2)) for d, s, k in zip(size, stride, kernel))
        axes = [0]
    else:
        attrs.update(r.attrs(pad=lambda: tuple(r.int(0, (k - 1) // 2) for k in kernel),
                             adj=lambda: tuple(r.int(0, s - 1) for s in stride)))
    if r.chance(.3):
        attrs["dilate"] = r.tuple(n, 1, 2)
    if group > 1:
        attrs["num_group"] = group
    inputs = [data(r.int(1, 3), channels, *size), param(channels, filters // group, *kernel)]
    if r.chance(.3):  # the default is no bias
        attrs["no_bias"] = False
        inputs.append(param(filters))
    return case("case", "Deconvolution", inputs, attrs, **options(r, r.dims(n + 2, axes)))


@op("Pooling")
def pooling(r):
    n = r.int(1, 3)
    kernel = r.tuple(n, 1, 3)
    attrs = dict(kernel=kernel)
    attrs.update(r.attrs(pool_type=lambda: r.pick("max", "avg", "sum", "lp"), stride=lambda: r.tuple(n, 1, 3),
                         pooling_convention=lambda: r.pick("valid", "full"),
                         pad=lambda: tuple(r.int(0, k - 1) for k in kernel), count_include_pad=lambda: r.chance()))
    if attrs.get("pool_type") == "lp":
        attrs["p_value"] = r.int(1, 3)
    if r.chance(.15):
        attrs["global_pool"] = True
        if r.chance():
            del attrs["kernel"]
            attrs.pop("stride", None), attrs.pop("pad", None)
    size = tuple(r.int(4, 9) for _ in range(n))
    low = .1 if attrs.get("pool_type") == "lp" else -1
    return one(r, "Pooling", (r.int(1, 3), r.int(1, 3)) + size, attrs, low=low)


@op("Pooling_v1")
def pooling_v1(r):
    kernel = r.tuple(2, 1, 3)
    attrs = dict(kernel=kernel)
    attrs.update(r.attrs(pool_type=lambda: r.pick("max", "avg", "sum"), stride=lambda: r.tuple(2, 1, 3),
                         pooling_convention=lambda: r.pick("valid", "full"),
                         pad=lambda: tuple(r.int(0, k - 1) for k in kernel)))
    return one(r, "Pooling_v1", (r.int(1, 3), r.int(1, 3), r.int(4, 9), r.int(4, 9)), attrs)


@op("FullyConnected")
def fully_connected(r):
    shape, hidden = r.shape(1, 4), r.int(1, 5)
    flatten = r.chance(.6)
    attrs = dict(num_hidden=hidden)
    if not flatten:
        attrs["flatten"] = False
    width = int(np.prod(shape[1:])) if flatten else shape[-1]
    inputs = [data(*shape), param(hidden, width)]
    if r.chance():
        attrs["no_bias"] = True
    else:
        inputs.append(param(hidden))
    return case("case", "FullyConnected", inputs, attrs,
                **options(r, r.dims(len(shape), [0] if flatten else range(len(shape) - 1))))


@op("BatchNorm")
def batch_norm(r):
    shape = r.shape(2, 5)
    attrs = r.attrs(eps=lambda: r.real(1e-3, .1), fix_gamma=lambda: r.chance(), use_global_stats=lambda: r.chance())
    axis = 1
    if r.chance(.3):
        axis = r.int(-len(shape), len(shape) - 1)
        attrs["axis"] = axis
    if r.chance(.1):
        attrs["output_mean_var"] = True
    c = shape[axis]
    axes = [a for a in range(len(shape)) if a != axis % len(shape)]
    return case("case", "BatchNorm", [data(*shape), param(c, low=.5, high=3), param(c), aux(c), aux(c, low=.3, high=2)],
                attrs, **options(r, r.dims(len(shape), axes)))


@op("LayerNorm")
def layer_norm(r):
    shape = r.shape(1, 4)
    attrs = r.attrs(eps=lambda: r.real(1e-3, .1))
    axis = -1
    if r.chance():
        axis = attrs["axis"] = r.int(-len(shape), len(shape) - 1)
    if r.chance(.15):
        attrs["output_mean_var"] = True
    c = shape[axis]
    axes = [a for a in range(len(shape)) if a != axis % len(shape)]
    return case("case", "LayerNorm", [data(*shape), param(c), param(c)], attrs,
                **options(r, r.dims(len(shape), axes)))


@op("InstanceNorm")
def instance_norm(r):
    shape = r.shape(3, 5, 5, 2)
    return case("case", "InstanceNorm", [data(*shape), param(shape[1]), param(shape[1])],
                r.attrs(eps=lambda: r.real(1e-3, .1)), **options(r, r.dims(len(shape), [0, 2, 3, 4])))


@op("L2Normalization")
def l2_normalization(r):
    mode = r.pick("instance", "channel", "spatial")
    shape = r.shape(3 if mode != "instance" else 2, 4)
    return one(r, "L2Normalization", shape, dict(r.attrs(eps=lambda: r.real(1e-6, .1)), mode=mode))


@op("LRN")
def lrn(r):
    attrs = dict(nsize=r.pick(1, 3, 5))
    attrs.update(r.attrs(alpha=lambda: r.real(1e-3, .5), beta=lambda: r.real(.3, 1), knorm=lambda: r.real(.5, 3)))
    return one(r, "LRN", r.shape(4, 4, 6), attrs)


@op("Pad")
def pad(r):
    n = r.int(2, 3)
    shape = (r.int(1, 3), r.int(1, 3)) + tuple(r.int(3, 6) for _ in range(n))
    attrs = dict(mode=r.pick("constant", "edge", "reflect"), pad_width=(0, 0, 0, 0) + r.tuple(2 * n, 0, 2))
    if r.chance():
        attrs["constant_value"] = r.real(-2, 2)
    return one(r, "Pad", shape, attrs, r.pick("float32", "float32", "float64"))


@op("UpSampling")
def upsampling(r):
    return one(r, "UpSampling", (r.int(1, 3), r.int(1, 3), r.int(1, 5), r.int(1, 5)),
               dict(scale=r.int(1, 3), sample_type="nearest"))


@op("_contrib_AdaptiveAvgPooling2D")
def adaptive_avg_pooling(r):
    attrs = {} if r.chance(.2) else dict(output_size=r.pick((r.int(1, 4),), r.tuple(2, 1, 4)))
    return one(r, "contrib.AdaptiveAvgPooling2D", (r.int(1, 3), r.int(1, 3), r.int(2, 9), r.int(2, 9)), attrs)


@op("_contrib_BilinearResize2D")
def bilinear_resize(r):
    how = r.pick("size", "scale", "size")
    attrs = dict(height=r.int(1, 9), width=r.int(1, 9)) if how == "size" else dict(
        scale_height=r.pick(.5, 1.5, 2., 3.), scale_width=r.pick(.5, 1.5, 2., 3.))
    if r.chance(.4):
        attrs["align_corners"] = r.chance()
    return one(r, "contrib.BilinearResize2D", (r.int(1, 3), r.int(1, 3), r.int(2, 6), r.int(2, 6)), attrs)


@op("Crop")
def crop(r):
    h, w = r.int(2, 5), r.int(2, 5)
    shape = (r.int(1, 2), r.int(1, 3), h + r.int(0, 4), w + r.int(0, 4))
    attrs = dict(h_w=(h, w), num_args=1)
    if r.chance():
        attrs["center_crop"] = True
    elif r.chance():
        attrs["offset"] = (r.int(0, shape[2] - h), r.int(0, shape[3] - w))
    return one(r, "Crop", shape, attrs, axes=[0, 1])


@op("Embedding")
def embedding(r):
    shape, rows, width = r.shape(1, 3), r.int(2, 6), r.int(1, 4)
    return case("case", "Embedding", [data(*shape, dtype=r.pick("float32", "int32", "int64"), kind="int", low=-2,
                                           high=rows + 2), param(rows, width)],
                dict(input_dim=rows, output_dim=width), **options(r, r.dims(len(shape))))


# ---- softmax and losses

def softmax(name):
    def make(r):
        shape = r.shape(1, 4)
        attrs = {}
        if r.chance():
            attrs["axis"] = r.int(-len(shape), len(shape) - 1)
        if r.chance(.3):
            attrs["temperature"] = r.real(.5, 3)
        dtype = r.pick("float32", "float32", "float16", "float64")
        return one(r, name, shape, attrs, dtype, low=-4, high=4)
    return make


for _name in ("softmax", "log_softmax", "softmin"):
    op(_name)(softmax(_name))


@op("SoftmaxActivation")
def softmax_activation(r):
    return one(r, "SoftmaxActivation", r.shape(2, 4), r.attrs(mode=lambda: r.pick("instance", "channel")))


@op("SoftmaxOutput")
def softmax_output(r):
    """Natively: oneDNN takes the last axis where MXNet's own kernel flattens."""
    return one(r, "SoftmaxOutput", r.shape(2, 4), r.attrs(multi_output=lambda: r.chance(), preserve_shape=lambda: r.chance(),
                                                          grad_scale=lambda: 2.0, use_ignore=lambda: True), native=True)


for _name in ("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"):
    op(_name)(lambda r, name=_name: one(r, name, r.shape(1, 3), r.attrs(grad_scale=lambda: 2.0)))
for _name in ("MakeLoss", "BlockGrad", "_copy", "ones_like", "zeros_like", "shape_array", "size_array", "Flatten"):
    op(_name)(lambda r, name=_name: one(r, name if name[0] != "_" else "_internal." + name, r.shape(), None,
                                        r.pick("float32", "float64", "float16")))


# ---- reductions

def reduce(name):
    def make(r):
        shape = r.shape(1, 4)
        attrs = r.attrs(keepdims=lambda: r.chance())
        n = len(shape)
        how = r.pick("none", "one", "some", "empty")
        if how == "one":
            attrs["axis"] = r.int(-n, n - 1)
        elif how == "some":
            axes = sorted({r.int(0, n - 1) for _ in range(r.int(1, n))})
            attrs["axis"] = tuple(a - n if r.chance(.3) else a for a in axes)
        elif how == "empty":
            attrs["axis"] = ()
        if how in ("one", "some") and name not in ("norm", "nansum", "nanprod") and r.chance(.2):
            attrs["exclude"] = True
        dtype = r.pick("float32", "float32", "float64", "int32", "int64") if name != "norm" else "float32"
        if name == "norm":
            attrs.update(r.attrs(ord=lambda: r.pick(1, 2)))
            if how in ("empty", "some"):
                attrs.pop("axis", None)
        made = {"low": 1, "high": 3} if name == "mean" and dtype[0] == "i" else {}
        return one(r, name, shape, attrs, dtype, **made)
    return make


for _name in ("sum", "mean", "prod", "max", "min", "norm", "nansum", "nanprod"):
    op(_name)(reduce(_name))


def argreduce(name):
    def make(r):
        shape = r.shape(1, 4)
        attrs = r.attrs(keepdims=lambda: r.chance(), axis=lambda: r.int(-len(shape), len(shape) - 1))
        return one(r, name, shape, attrs, r.pick("float32", "float64", "int32"), kind="distinct", low=-50, high=200)
    return make


for _name in ("argmax", "argmin"):
    op(_name)(argreduce(_name))


# ---- shapes

@op("Reshape")
def reshape(r):
    """Codes that fit the shape, made by walking over it; from the right with reverse (MXNet reads codes backwards
    then, and past the end of the list where -4 has no two numbers behind it)."""
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
    return one(r, "squeeze", shape, attrs, axes=[a for a in range(len(shape)) if a not in ones])


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
    return one(r, "slice", shape, attrs, axes=[0] if r.chance() else None)


@op("slice_axis")
def slice_axis(r):
    shape = r.shape(1, 4, 7)
    axis = r.int(-len(shape), len(shape) - 1)
    d = shape[axis]
    b = r.int(0, d - 1)
    e = r.int(b + 1, d)
    if r.chance(.3):  # both from the end, or MXNet refuses
        b, e = b - d, e - d if e < d else None
    return one(r, "slice_axis", shape, dict(axis=axis, begin=b, end=None if r.chance(.2) else e))


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
    return one(r, "tile", shape, dict(reps=r.tuple(r.int(1, 5), 1, 3)), r.pick("float32", "int32"))


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


# ---- products

@op("dot")
def dot(r):
    k = r.int(1, 5)
    a, b = r.shape(0, 2) + (k,), (k,) + r.shape(0, 2)
    attrs = {}
    if len(a) > 1 and r.chance(.3):
        attrs["transpose_a"], a = True, a[-1:] + a[:-1]
    if len(b) > 1 and r.chance(.3):
        attrs["transpose_b"], b = True, b[1:] + b[:1]
    return case("case", "dot", [data(*a), data(*b)], attrs, **options(r, None, None))


@op("batch_dot")
def batch_dot(r):
    n, m, k, p = r.tuple(4, 1, 5)
    attrs = r.attrs(transpose_a=lambda: r.chance(), transpose_b=lambda: r.chance())
    a = (n, k, m) if attrs.get("transpose_a") else (n, m, k)
    b = (n, p, k) if attrs.get("transpose_b") else (n, k, p)
    d = r.chance()
    return case("case", "batch_dot", [data(*a), data(*b)], attrs,
                **options(r, {0: "batch"} if d else None, {0: "batch"} if d else None))


def make(name, seed, index):
    """Case number `index` of an operator; None where the dice give dims that contradict each other."""
    r = Random("%s/%d/%d" % (name, seed, index))
    try:
        c = GENERATORS[name](r)
    except ValueError:
        return None
    c.group, c.name = "random", "%s/%d/%d" % (name, seed, index)
    return c
