# SPDX-License-Identifier: Apache-2.0
"""Random cases: layers of nets."""
import numpy as np

from . import at_least, aux, build, case, data, of_nothing, one, op, options, param


LAYOUTS = ("NCW", "NCHW", "NCDHW")


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
    if r.chance(.2):
        attrs["layout"] = LAYOUTS[n - 1]
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
    if r.chance(.2):
        attrs["layout"] = LAYOUTS[n - 1]
    if group > 1:
        attrs["num_group"] = group
    inputs = [data(r.int(1, 3), channels, *size), param(channels, filters // group, *kernel)]
    if r.chance(.3):  # the default is to have no bias
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
    if attrs.get("pooling_convention") == "full" and "stride" in attrs:  # no window wholly outside: see the table's limits
        attrs["stride"] = tuple(min(s, k - p) for s, k, p in zip(attrs["stride"], kernel, attrs.get("pad", (0, 0))))
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
    c = one(r, "Pad", shape, attrs, r.pick("float32", "float32", "float64"))
    return at_least(c) if attrs["mode"] == "reflect" else c  # what there is to reflect reaches as far as the padding


@op("UpSampling")
def upsampling(r):
    return one(r, "UpSampling", (r.int(1, 3), r.int(1, 3), r.int(1, 5), r.int(1, 5)),
               dict(scale=r.int(1, 3), sample_type="nearest"))


@op("_contrib_AdaptiveAvgPooling2D")
def adaptive_avg_pooling(r):
    attrs = {} if r.chance(.2) else dict(output_size=r.pick((r.int(1, 4),), r.tuple(2, 1, 4)))
    return of_nothing(one(r, "contrib.AdaptiveAvgPooling2D", (r.int(1, 3), r.int(1, 3), r.int(2, 9), r.int(2, 9)), attrs))


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


@op("Convolution_v1")
def convolution_v1(r):
    group = r.pick(1, 1, 2)
    channels, filters = group * r.int(1, 3), group * r.int(1, 3)
    kernel = r.tuple(2, 1, 3)
    attrs = dict(kernel=kernel, num_filter=filters, num_group=group)
    attrs.update(r.attrs(stride=lambda: r.tuple(2, 1, 2), pad=lambda: r.tuple(2, 0, 2), dilate=lambda: r.tuple(2, 1, 2),
                         no_bias=lambda: r.chance(), layout=lambda: r.pick("None", "NCHW")))
    inputs = [data(r.int(1, 3), channels, r.int(5, 8), r.int(5, 8)), param(filters, channels // group, *kernel)]
    if not attrs.get("no_bias"):
        inputs.append(param(filters))
    return case("case", "Convolution_v1", inputs, attrs, **options(r, r.dims(4, [0, 2, 3])))


def batch_norm_like(name, shape):
    def make(r):
        dims = shape(r)
        attrs = r.attrs(eps=lambda: r.real(1e-3, .1), fix_gamma=lambda: r.chance(), use_global_stats=lambda: r.chance())
        if "Sync" in name:
            attrs.update(key="k", ndev=1)
        c = dims[1]
        return case("case", name, [data(*dims), param(c, low=.5, high=3), param(c), aux(c), aux(c, low=.3, high=2)], attrs,
                    **options(r, r.dims(len(dims), [0, 2, 3])))
    return make


op("_contrib_SyncBatchNorm")(batch_norm_like("contrib.SyncBatchNorm", lambda r: r.shape(2, 4)))
op("_contrib_BatchNormWithReLU")(batch_norm_like("contrib.BatchNormWithReLU", lambda r: r.shape(4, 4)))


@op("BatchNorm_v1")
def batch_norm_v1(r):
    """MXNet's Python takes no auxiliary states for it; they get their own names."""
    shape = r.shape(2, 4)
    attrs = r.attrs(eps=lambda: r.real(1e-3, .1), fix_gamma=lambda: r.chance())
    if len(shape) == 4 and r.chance(.3):
        attrs["output_mean_var"] = True
    c = shape[1]
    inputs = {"data": data(*shape), "op_gamma": param(c, low=.5, high=3), "op_beta": param(c), "op_moving_mean": aux(c),
              "op_moving_var": aux(c, low=.3, high=2)}
    return build("case", lambda mx: mx.sym.BatchNorm_v1(mx.sym.Variable("data"), name="op", **attrs), inputs,
                 **options(r, r.dims(len(shape), [0, 2, 3])))


@op("GroupNorm")
def group_norm(r):
    groups = r.int(1, 3)
    shape = (r.int(1, 3), groups * r.int(1, 3)) + r.shape(1, 3)
    attrs = dict(r.attrs(eps=lambda: r.real(1e-3, .1)), num_groups=groups)
    if r.chance(.1):
        attrs["output_mean_var"] = True
    return case("case", "GroupNorm", [data(*shape), param(groups), param(groups)], attrs,
                **options(r, r.dims(len(shape), [0, 2, 3, 4])))


@op("UpSampling/bilinear")
def upsampling_bilinear(r):
    channels, scale = r.int(1, 3), r.int(1, 4)
    kernel = 2 * scale - scale % 2
    return case("case", "UpSampling", [data(r.int(1, 3), channels, r.int(2, 5), r.int(2, 5)),
                                       param(channels, 1, kernel, kernel)],
                dict(scale=scale, sample_type="bilinear", num_filter=channels, num_args=2),
                **options(r, r.dims(4, [0, 2, 3])))


@op("UpSampling/several")
def upsampling_several(r):
    scale, mode = r.pick(2, 4), r.pick("concat", "sum")
    n, c, h, w = r.int(1, 2), r.int(1, 3), r.int(1, 3), r.int(1, 3)
    inputs = [data(n, c, 2 * h, 2 * w), data(n, c if mode == "sum" else r.int(1, 3), h, w)]
    return case("case", "UpSampling", inputs, dict(scale=scale, sample_type="nearest", multi_input_mode=mode, num_args=2),
                **options(r, *[r.pick({}, {0: "n"})] * 2))


@op("Crop/like")
def crop_like(r):
    h, w = r.int(2, 5), r.int(2, 5)
    attrs = dict(num_args=2)
    top, left = r.int(0, 4), r.int(0, 4)
    if r.chance():
        attrs["center_crop"] = True
    elif r.chance():
        attrs["offset"] = (top, left)
    n = r.int(1, 2)
    return case("case", "Crop", [data(n, r.int(1, 3), h + top, w + left), data(n, r.int(1, 3), h, w)], attrs,
                **options(r, *[r.pick({}, {0: "n"})] * 2))


@op("_contrib_BilinearResize2D/modes")
def bilinear_resize_modes(r):
    mode = r.pick("odd_scale", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up", "like")
    attrs = dict(mode=mode)
    if mode == "odd_scale":
        attrs.update(scale_height=r.pick(.5, 1.5, 2., 3.), scale_width=r.pick(.5, 1.5, 2., 3.))
    if r.chance(.4):
        attrs["align_corners"] = r.chance()
    inputs = [data(r.int(1, 3), r.int(1, 3), r.int(2, 7), r.int(2, 7))]
    dims = [r.dims(4)]
    if mode == "like":
        inputs.append(data(1, 1, r.int(1, 8), r.int(1, 8)))
        dims.append(r.pick({}, {2: "h", 3: "w"}))
    c = case("case", "contrib.BilinearResize2D", inputs, attrs, **options(r, *dims))
    return at_least(c, {"d2": 2, "d3": 2})  # ONNX Runtime refuses to make the even size below 1
