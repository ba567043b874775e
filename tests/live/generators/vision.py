# SPDX-License-Identifier: Apache-2.0
"""Random cases: boxes, detection heads, regions, samplers."""
import numpy as np

from . import at_least, case, data, of_nothing, op, options, param


def joined(r, *arrays, **given):
    return data(values=np.concatenate(arrays, axis=-1), **given)


def uniform(r, low, high, *shape):
    return r.rng.uniform(low, high, size=shape)


def corners(r, *shape, low=-0.1, high=0.6, least=0.05, most=0.6):
    first = uniform(r, low, high, *shape, 2)
    return np.concatenate([first, first + uniform(r, least, most, *shape, 2)], axis=-1)


def named(r, *names):
    """{axis: name} of some of the names; None leaves an axis alone."""
    return {a: n for a, n in enumerate(names) if n and r.chance()}


@op("contrib.box_nms")
def box_nms(r):
    shape = r.pick((), (1,), (2,), (3,), (2, 2)) + (r.int(1, 40),)
    width, center = r.int(6, 8), r.chance(0.3)
    start = r.int(0, width - 4)
    free = [i for i in range(width) if not start <= i < start + 4]
    score = free[r.int(0, len(free) - 1)]
    rest = [i for i in free if i != score]
    a = uniform(r, -1, 1, *shape, width)
    a[..., score] = np.round(uniform(r, -0.3, 1, *shape), 2 if r.chance() else 7)
    a[..., start:start + 4] = corners(r, *shape)
    if center:
        a[..., start + 2:start + 4] = uniform(r, -0.05, 0.6, *shape, 2)
    attrs = dict(coord_start=start, score_index=score)
    if rest and r.chance(0.7):
        attrs["id_index"] = rest[0]
        a[..., rest[0]] = r.rng.randint(-1, r.int(1, 6), size=shape)
    if center or r.chance(0.2):
        attrs["in_format"] = "center"
    attrs.update(r.attrs(overlap_thresh=lambda: r.real(0, 1.1), valid_thresh=lambda: r.real(-0.5, 0.9),
                         topk=lambda: r.int(-1, 45), background_id=lambda: r.int(-1, 2), force_suppress=lambda: r.chance(),
                         out_format=lambda: r.pick("corner", "center")))
    names = ["b%d" % i for i in range(len(shape) - 1)] + ["n"]
    return case("case", "contrib.box_nms", [data(values=a)], attrs, **options(r, named(r, *names)))


@op("contrib.box_iou")
def box_iou(r):
    dtype, lead = r.pick("float32", "float64"), r.pick((), (2,))
    attrs = r.attrs(format=lambda: r.pick("corner", "center"))
    return case("case", "contrib.box_iou",
                [data(values=corners(r, *lead, r.int(1, 6), least=-0.2), dtype=dtype),
                 data(values=corners(r, r.int(1, 6), least=-0.2), dtype=dtype)], attrs,
                **options(r, named(r, "l"), named(r, "r")))


@op("contrib.box_decode")
def box_decode(r):
    n, boxes, dtype = r.int(1, 3), r.int(1, 8), r.pick("float32", "float64")
    attrs = r.attrs(std0=lambda: r.real(0.1, 1), std1=lambda: r.real(0.1, 1), std2=lambda: r.real(0.1, 1),
                    std3=lambda: r.real(0.1, 1), clip=lambda: r.real(-1, 2), format=lambda: r.pick("corner", "center"))
    many = named(r, None, "boxes")
    return case("case", "contrib.box_decode", [data(n, boxes, 4, dtype=dtype), data(values=corners(r, 1, boxes), dtype=dtype)],
                attrs, **options(r, {**named(r, "n"), **many}, many))


@op("contrib.box_encode")
def box_encode(r):
    n, boxes, refs = r.int(1, 3), r.int(1, 8), r.int(1, 4)
    d = named(r, "n", "boxes")
    first = {a: x for a, x in d.items() if a == 0}
    return case("case", "contrib.box_encode",
                [data(n, boxes, kind="int", low=-1, high=1), data(n, boxes, kind="int", low=0, high=refs - 1),
                 data(values=corners(r, n, boxes)), data(values=corners(r, n, refs)), data(4), data(4, low=0.1, high=1)],
                **options(r, d, d, d, first, None, None))


@op("contrib.bipartite_matching")
def bipartite_matching(r):
    shape = r.pick((), (2,), (2, 2)) + (r.int(1, 6), r.int(1, 6))
    attrs = dict(threshold=r.real(-0.9, 0.9))
    attrs.update(r.attrs(is_ascend=lambda: r.chance(), topk=lambda: r.int(-1, 7)))
    return case("case", "contrib.bipartite_matching", [data(*shape, kind="distinct")], attrs,
                **options(r, named(r, *["d%d" % i for i in range(len(shape))])))


@op("contrib.MultiBoxPrior")
def multibox_prior(r):
    attrs = r.attrs(sizes=lambda: tuple(r.real(0.1, 1) for _ in range(r.int(1, 3))),
                    ratios=lambda: tuple(r.real(0.3, 3) for _ in range(r.int(1, 3))), clip=lambda: r.chance(),
                    steps=lambda: r.pick((-1.0, -1.0), (0.25, 0.125), (0.1, 0.3)),
                    offsets=lambda: (r.real(0, 1), r.real(0, 1)))
    return case("case", "contrib.MultiBoxPrior", [data(1, 2, r.int(1, 6), r.int(1, 6))], attrs,
                **options(r, named(r, "n", "c", "h", "w")))


@op("contrib.MultiBoxDetection")
def multibox_detection(r):
    n, classes, anchors = r.int(1, 3), r.int(2, 5), r.int(1, 40)
    prob = np.round(uniform(r, 0, 1, n, classes, anchors) ** 2, r.pick(2, 7))
    attrs = r.attrs(clip=lambda: r.chance(), threshold=lambda: r.real(0, 0.8), nms_threshold=lambda: r.real(-0.1, 1.1),
                    force_suppress=lambda: r.chance(), nms_topk=lambda: r.int(-1, 45),
                    variances=lambda: tuple(r.real(0.05, 0.4) for _ in range(4)))
    batch = named(r, "n")
    return case("case", "contrib.MultiBoxDetection",
                [data(values=prob), data(n, 4 * anchors), data(values=corners(r, 1, anchors))], attrs,
                **options(r, batch, batch, None))


def proposal(r, name, n):
    h, w, stride = r.int(2, 7), r.int(2, 7), r.pick(4, 8, 16)
    scales, ratios = r.pick((2,), (2, 4), (1.5, 3, 5)), r.pick((1,), (0.5, 1, 2), (0.7, 1.4))
    anchors = len(scales) * len(ratios)
    info = np.stack([uniform(r, stride, h * stride, n), uniform(r, stride, w * stride, n), uniform(r, 0.5, 2, n)], axis=1)
    attrs = dict(feature_stride=stride, scales=scales, ratios=ratios, rpn_min_size=r.int(0, 16),
                 rpn_pre_nms_top_n=r.int(0, 120), rpn_post_nms_top_n=r.int(1, 40))
    attrs.update(r.attrs(threshold=lambda: r.real(0.1, 1), output_score=lambda: True, iou_loss=lambda: r.chance(0.3)))
    many = named(r, "n" if n > 1 else None, None, "h", "w")
    return case("case", name, [data(n, 2 * anchors, h, w, kind="distinct", low=0.0, high=1.0),
                               data(n, 4 * anchors, h, w, low=-0.6, high=0.6), data(values=info)],
                attrs, **options(r, many, many, {a: x for a, x in many.items() if a == 0}))


@op("contrib.Proposal")
def one_image(r):
    return proposal(r, "contrib.Proposal", 1)


@op("contrib.MultiProposal")
def several_images(r):
    return proposal(r, "contrib.MultiProposal", r.int(1, 3))


def rois(r, n, images, size):
    return np.concatenate([r.rng.randint(0, images, size=(n, 1)), corners(r, n) * size], axis=-1)


def pooled(r, name, attrs, more=(), channels=None, dtype="float32", made=rois):
    n, h, w, regions = r.int(1, 3), r.int(1, 9), r.int(1, 9), r.int(1, 6)
    scale = r.pick(1.0, 0.5, 0.125)
    attrs = dict(attrs, spatial_scale=scale)
    of_region = named(r, "r")
    given = [data(n, channels or r.int(1, 4), h, w, dtype=dtype),
             data(values=made(r, regions, n, max(h, w) / scale), dtype=dtype)]
    # a second run with another number of images keeps the images of the regions
    c = case("case", name, given + [data(regions, *m, dtype=dtype) for m in more], attrs,
             **options(r, named(r, "n", None, "h", "w"), *[of_region for _ in range(1 + len(more))]))
    return of_nothing(at_least(c, {"n": n}))  # limits: an image without pixels


@op("contrib.ROIAlign")
def roi_align(r):
    size = r.tuple(2, 1, 4)
    attrs = dict(pooled_size=size)
    attrs.update(r.attrs(sample_ratio=lambda: r.int(-1, 3), aligned=lambda: r.chance(), position_sensitive=lambda: r.chance()))
    channels = r.int(1, 3) * (size[0] * size[1] if attrs.get("position_sensitive") else 1)
    return pooled(r, "contrib.ROIAlign", attrs, channels=channels, dtype=r.pick("float32", "float32", "float64"))


@op("ROIPooling")
def roi_pooling(r):
    r.opset = r.int(11, 21)  # the last with a kernel
    return pooled(r, "ROIPooling", dict(pooled_size=r.tuple(2, 1, 4)))


@op("contrib.PSROIPooling")
def psroi_pooling(r):
    size, dims = r.int(1, 4), r.int(1, 3)
    attrs = dict(output_dim=dims, pooled_size=size)
    attrs.update(r.attrs(group_size=lambda: r.int(0, 4)))
    group = attrs.get("group_size") or size
    return pooled(r, "contrib.PSROIPooling", attrs, channels=dims * group * group)


@op("contrib.DeformablePSROIPooling")
def deformable_psroi_pooling(r):
    size, classes, group = r.int(1, 4), r.int(1, 3), r.int(1, 3)
    dims = classes * r.int(1, 2)
    attrs = dict(output_dim=dims, pooled_size=size, group_size=group, trans_std=r.real(0, 1), sample_per_part=r.int(1, 4))
    attrs.update(r.attrs(part_size=lambda: r.int(0, 4)))
    part = attrs.get("part_size") or size
    more = [(2 * classes, part, part)]
    if r.chance(0.3):
        attrs["no_trans"], more = True, []
    return pooled(r, "contrib.DeformablePSROIPooling", attrs, more, channels=dims * group * group)


@op("contrib.RROIAlign")
def rroi_align(r):
    def made(r, n, images, size):
        return np.concatenate([r.rng.randint(0, images, size=(n, 1)), uniform(r, 0, size, n, 2),
                               uniform(r, 0.01 * size, 0.7 * size, n, 2), uniform(r, -180, 180, n, 1)], axis=1)
    attrs = dict(pooled_size=r.tuple(2, 1, 4))
    attrs.update(r.attrs(sampling_ratio=lambda: r.int(-1, 3)))
    return pooled(r, "contrib.RROIAlign", attrs, made=made)


@op("BilinearSampler")
def bilinear_sampler(r):
    n, far, dtype = r.int(1, 3), r.pick(0.9, 1.4, 4), r.pick("float32", "float32", "float64")
    d = named(r, "n")
    return case("case", "BilinearSampler", [data(n, r.int(1, 3), r.int(1, 7), r.int(1, 7), dtype=dtype),
                                            data(n, 2, r.int(1, 5), r.int(1, 5), low=-far, high=far, dtype=dtype)],
                atol=1e-6,  # GridSample has no float64 kernel below opset 20
                **options(r, {**d, **named(r, None, "c", "h", "w")},
                          {**d, **named(r, None, None, "oh", "ow")}))


@op("GridGenerator")
def grid_generator(r):
    if r.chance():
        return case("case", "GridGenerator", [data(r.int(1, 3), 6)],
                    dict(transform_type="affine", target_shape=r.tuple(2, 1, 6)), **options(r, named(r, "n")))
    return case("case", "GridGenerator", [data(r.int(1, 3), 2, r.int(2, 6), r.int(2, 6), low=-3, high=3)],
                dict(transform_type="warp"), **options(r, named(r, "n", None, "h", "w")))


@op("SpatialTransformer")
def spatial_transformer(r):
    n, batch = r.int(1, 3), named(r, "n")
    return case("case", "SpatialTransformer", [data(n, r.int(1, 3), r.int(1, 7), r.int(1, 7)), data(n, 6)],
                dict(transform_type="affine", sampler_type="bilinear", target_shape=r.tuple(2, 2, 6)),
                **options(r, {**batch, **named(r, None, "c", "h", "w")}, batch))


def deformable(r, name, mask):
    n, kernel, stride, dilate, pad = r.int(1, 2), r.tuple(2, 1, 3), r.tuple(2, 1, 2), r.tuple(2, 1, 2), r.tuple(2, 0, 2)
    groups, conv_groups = r.pick(1, 1, 2), r.pick(1, 1, 2)
    channels, filters = 2 * r.int(1, 2), conv_groups * r.int(1, 3)
    size = [r.int(5, 8), r.int(5, 8)]
    out = [(size[i] + 2 * pad[i] - dilate[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)]
    attrs = dict(kernel=kernel, num_filter=filters, stride=stride, dilate=dilate, pad=pad, num_group=conv_groups,
                 num_deformable_group=groups, no_bias=r.chance())
    taps, far, dtype = groups * kernel[0] * kernel[1], r.pick(0.5, 2, 6), r.pick("float32", "float32", "float64")
    given = [data(n, channels, *size, dtype=dtype), data(n, 2 * taps, *out, low=-far, high=far, dtype=dtype)]
    given += [data(n, taps, *out, low=0, high=1, dtype=dtype)] if mask else []
    weights = [param(filters, channels // conv_groups, *kernel, dtype=dtype)]
    weights += [] if attrs["no_bias"] else [param(filters, dtype=dtype)]
    batch = named(r, "n")
    return case("case", name, given + weights, attrs, **options(r, *[batch for _ in given]))


@op("contrib.DeformableConvolution")
def deformable_convolution(r):
    return deformable(r, "contrib.DeformableConvolution", False)


@op("contrib.ModulatedDeformableConvolution")
def modulated_deformable_convolution(r):
    return deformable(r, "contrib.ModulatedDeformableConvolution", True)


@op("Correlation")
def correlation(r):
    shape = (r.int(1, 2), r.int(1, 3), r.int(4, 9), r.int(4, 9))
    attrs = r.attrs(kernel_size=lambda: r.pick(1, 3), max_displacement=lambda: r.int(0, 3), stride1=lambda: r.int(1, 3),
                    stride2=lambda: r.int(1, 2), pad_size=lambda: r.int(0, 4), is_multiply=lambda: r.chance())
    d = named(r, "n", "c", "h", "w")
    return of_nothing(case("case", "Correlation", [data(*shape), data(*shape)], attrs, **options(r, d, d)))


def windows(r):
    return dict(kernel=r.tuple(2, 1, 3), **r.attrs(stride=lambda: r.tuple(2, 1, 3), dilate=lambda: r.tuple(2, 1, 2),
                                                   pad=lambda: r.tuple(2, 0, 2)))


@op("im2col")
def im2col(r):
    return case("case", "im2col", [data(r.int(1, 2), r.int(1, 3), r.int(5, 8), r.int(5, 8))], windows(r),
                **options(r, named(r, "n", "c", "h", "w")))


@op("col2im")
def col2im(r):
    attrs, size, cells = windows(r), r.tuple(2, 5, 8), 1
    for i in range(2):
        k, s, d, p = (attrs.get(n, (x, x))[i] for n, x in (("kernel", 1), ("stride", 1), ("dilate", 1), ("pad", 0)))
        cells *= (size[i] + 2 * p - d * (k - 1) - 1) // s + 1
    attrs["output_size"] = size
    rows = r.int(1, 3) * attrs["kernel"][0] * attrs["kernel"][1]
    return case("case", "col2im", [data(r.int(1, 2), rows, cells)], attrs, **options(r, named(r, "n")))
