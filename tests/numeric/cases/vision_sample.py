# SPDX-License-Identifier: Apache-2.0
"""Maps read between their cells: samplers and deformable convolutions."""

from . import build, case, data, param

SAMPLER, GRID, TRANSFORMER = "BilinearSampler", "GridGenerator", "SpatialTransformer"
OPSETS = (11, 13, 15, 16, 17, 19, 20, 21, 22, 26)
MAPS = [{0: "n", 1: "c", 2: "h", 3: "w"}, {0: "n", 2: "oh", 3: "ow"}]
AFFINE = dict(transform_type="affine", target_shape=(5, 6))
THETA = [[1, 0, 0, 0, 1, 0], [0.7, -0.3, 0.2, 0.4, 1.2, -0.1]]
FIRST = dict(transform_type="affine", sampler_type="bilinear", target_shape=(5, 6))

CASES = [
    case("sampler", SAMPLER, [data(2, 3, 6, 7), data(2, 2, 4, 5, low=-1.3, high=1.3)], dynamic=MAPS, opsets=OPSETS),
    case("sampler_corners", SAMPLER, [data(1, 2, 4, 5), data(values=[[[[-1, 1, -1, 0]], [[-1, -1, 1, 0]]]])], dynamic=None),
    case("sampler_far", SAMPLER, [data(2, 3, 6, 7), data(2, 2, 4, 5, low=-5, high=5)], dynamic=MAPS),
    case("sampler_one_cell", SAMPLER, [data(2, 3, 1, 1), data(2, 2, 4, 5)], dynamic=[{0: "n"}, {0: "n"}]),
    case("sampler_f16", SAMPLER, [data(2, 3, 6, 7, dtype="float16"), data(2, 2, 4, 5, dtype="float16")], dynamic=None,
         opsets=OPSETS),
    case("sampler_f64", SAMPLER, [data(2, 3, 6, 7, dtype="float64"), data(2, 2, 4, 5, dtype="float64")], dynamic=MAPS,
         opsets=OPSETS, rtol=1e-6),
    case("sampler_grid_rank", SAMPLER, [data(2, 3, 6, 7), data(2, 3, 4, 5)], dynamic=None, error="has shape"),
    case("grid_affine", GRID, [data(values=THETA)], AFFINE),
    case("grid_affine_column", GRID, [data(values=THETA)], dict(AFFINE, target_shape=(5, 1))),
    case("grid_affine_no_target", GRID, [data(values=THETA)], dict(transform_type="affine"), error="target_shape"),
    case("grid_warp", GRID, [data(2, 2, 4, 5, low=-2, high=2)], dict(transform_type="warp"), dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("transformer", TRANSFORMER, [data(2, 3, 6, 7), data(values=THETA)], FIRST, opsets=OPSETS,
         dynamic=[{0: "n", 1: "c", 2: "h", 3: "w"}, {0: "n"}]),
    case("transformer_same_size", TRANSFORMER, [data(2, 3, 5, 6), data(values=THETA)], FIRST),
    case("transformer_f64", TRANSFORMER, [data(2, 3, 6, 7, dtype="float64"), data(values=THETA, dtype="float64")], FIRST,
         rtol=1e-6),
    case("transformer_column", TRANSFORMER, [data(2, 3, 6, 7), data(values=THETA)], dict(FIRST, target_shape=(5, 1)),
         error="target_shape"),
    build("flow", lambda mx: mx.sym.BilinearSampler(mx.sym.Variable("x"), mx.sym.GridGenerator(
        mx.sym.Variable("flow"), transform_type="warp")), {"x": data(2, 3, 6, 7), "flow": data(2, 2, 6, 7, low=-3, high=3)},
        dynamic={"x": {0: "n", 2: "h", 3: "w"}, "flow": {0: "n", 2: "h", 3: "w"}}),
]

# ---- DeformableConvolution, ModulatedDeformableConvolution
PLAIN, MODULATED = "contrib.DeformableConvolution", "contrib.ModulatedDeformableConvolution"
FORMS = (12, 13, 16, 17, 18, 19, 21, 22, 26)
SAME = dict(kernel=(3, 3), pad=(1, 1), num_filter=4)
GROWING = [{0: "n", 2: "h", 3: "w"}, {0: "n", 2: "h", 3: "w"}]


def deform(channels, h, w, oh, ow, filters=4, kernel=9, groups=1, conv_groups=1, mask=False, bias=True, far=2.5, size=(3, 3),
           dtype="float32"):
    """Inputs of a deformable convolution."""
    found = [data(2, channels, h, w, dtype=dtype), data(2, 2 * groups * kernel, oh, ow, low=-far, high=far, dtype=dtype)]
    if mask:
        found.append(data(2, groups * kernel, oh, ow, low=0, high=1, dtype=dtype))
    found.append(param(filters, channels // conv_groups, *size, dtype=dtype))
    return found + ([param(filters, dtype=dtype)] if bias else [])


CASES += [
    case("deform", PLAIN, deform(3, 6, 7, 6, 7), SAME, dynamic=GROWING, opsets=FORMS),
    case("deform_no_bias", PLAIN, deform(3, 6, 7, 6, 7, bias=False), dict(SAME, no_bias=True), dynamic=GROWING),
    case("deform_valid", PLAIN, deform(3, 6, 7, 4, 5), dict(kernel=(3, 3), num_filter=4)),
    case("deform_two_pads", PLAIN, deform(3, 6, 7, 5, 9, kernel=6, size=(2, 3)), dict(kernel=(2, 3), pad=(0, 2), num_filter=4)),
    case("modulated_two_pads", MODULATED, deform(3, 6, 7, 5, 9, kernel=6, mask=True, size=(2, 3)), dict(kernel=(2, 3), pad=(0, 2), num_filter=4)),
    case("deform_stride", PLAIN, deform(3, 7, 9, 4, 5), dict(SAME, stride=(2, 2))),
    case("deform_dilate", PLAIN, deform(3, 7, 8, 7, 8), dict(SAME, dilate=(2, 2), pad=(2, 2)), dynamic=GROWING),
    case("deform_groups", PLAIN, deform(4, 6, 7, 6, 7, groups=2), dict(SAME, num_deformable_group=2), dynamic=GROWING,
         opsets=FORMS),
    case("deform_conv_groups", PLAIN, deform(4, 6, 7, 6, 7, conv_groups=2), dict(SAME, num_group=2), dynamic=GROWING),
    case("deform_all_groups", PLAIN, deform(4, 6, 7, 6, 7, groups=4, conv_groups=2),
         dict(SAME, num_group=2, num_deformable_group=4, layout="NCHW"), dynamic=GROWING),
    case("deform_oblong", PLAIN, deform(3, 6, 9, 4, 3, kernel=6, size=(2, 3)),
         dict(kernel=(2, 3), stride=(2, 3), pad=(1, 2), dilate=(1, 2), num_filter=4)),
    case("deform_one_tap", PLAIN, deform(3, 6, 7, 6, 7, kernel=1, size=(1, 1)), dict(kernel=(1, 1), num_filter=4)),
    case("deform_far", PLAIN, deform(3, 6, 7, 6, 7, far=12), SAME),
    case("deform_zero", PLAIN, deform(3, 6, 7, 6, 7, far=0), SAME),
    case("deform_f64", PLAIN, deform(3, 6, 7, 6, 7, dtype="float64"), SAME, opsets=FORMS),
    case("deform_offset", PLAIN, deform(3, 6, 7, 6, 6), SAME, error="has shape"),
    case("deform_divides", PLAIN, deform(3, 6, 7, 6, 7, groups=2), dict(SAME, num_deformable_group=2),
         error="num_deformable_group"),
    case("modulated", MODULATED, deform(3, 6, 7, 6, 7, mask=True), SAME, dynamic=GROWING + GROWING[1:], opsets=FORMS),
    case("modulated_no_bias", MODULATED, deform(3, 6, 7, 6, 7, mask=True, bias=False), dict(SAME, no_bias=True)),
    case("modulated_groups", MODULATED, deform(4, 6, 7, 6, 7, mask=True, groups=2, conv_groups=2),
         dict(SAME, num_deformable_group=2, num_group=2), opsets=FORMS),
    case("modulated_stride", MODULATED, deform(3, 7, 9, 4, 5, mask=True), dict(SAME, stride=(2, 2))),
    case("modulated_valid", MODULATED, deform(3, 6, 7, 4, 5, mask=True), dict(kernel=(3, 3), num_filter=4)),
    case("modulated_far", MODULATED, deform(3, 6, 7, 6, 7, mask=True, far=12), SAME),
    case("modulated_f64", MODULATED, deform(3, 6, 7, 6, 7, mask=True, dtype="float64"), SAME, opsets=FORMS),
]

# ---- Correlation, im2col, col2im
CORR = "Correlation"
PAIR = [{0: "n", 1: "c", 2: "h", 3: "w"}] * 2
WIDE = dict(max_displacement=2, pad_size=2)


def two(*shape, dtype="float32"):
    return [data(*shape, dtype=dtype), data(*shape, dtype=dtype)]


CASES += [
    case("correlation", CORR, two(1, 3, 6, 7), dynamic=PAIR),
    case("correlation_pad", CORR, two(1, 3, 6, 7), WIDE, dynamic=PAIR),
    case("correlation_difference", CORR, two(1, 3, 6, 7), dict(WIDE, is_multiply=False), dynamic=PAIR),
    case("correlation_kernel", CORR, two(1, 3, 6, 7), dict(WIDE, kernel_size=3, pad_size=3), dynamic=PAIR),
    case("correlation_stride1", CORR, two(1, 3, 6, 7), dict(WIDE, stride1=2), dynamic=PAIR),
    case("correlation_stride2", CORR, two(1, 2, 7, 7), dict(max_displacement=4, stride2=2, pad_size=4), dynamic=PAIR),
    case("correlation_all", CORR, two(1, 2, 8, 9),
         dict(max_displacement=5, stride2=2, stride1=3, kernel_size=3, pad_size=5, is_multiply=False), dynamic=PAIR),
    case("correlation_none", CORR, two(1, 3, 6, 7), dict(max_displacement=0), dynamic=PAIR),
    case("correlation_f64", CORR, two(1, 3, 6, 7, dtype="float64"), WIDE, dynamic=PAIR),
    case("correlation_f64_kernel", CORR, two(1, 3, 6, 7, dtype="float64"), dict(WIDE, kernel_size=3), rtol=1e-6),
    case("correlation_even", CORR, two(1, 3, 6, 7), dict(WIDE, kernel_size=2), error="kernel_size"),
    case("correlation_too_far", CORR, two(1, 3, 6, 7), dict(max_displacement=4), error="max_displacement"),
    case("correlation_no_stride", CORR, two(1, 3, 6, 7), dict(stride2=0), error="stride2"),
    case("im2col", "im2col", [data(2, 3, 6, 7)], dict(kernel=(3, 3)), dynamic=[{0: "n", 1: "c", 2: "h", 3: "w"}]),
    case("im2col_all", "im2col", [data(2, 3, 8, 9)], dict(kernel=(3, 2), stride=(2, 3), dilate=(2, 1), pad=(1, 2)),
         dynamic=[{0: "n", 1: "c", 2: "h", 3: "w"}]),
    case("im2col_1d", "im2col", [data(2, 3, 8)], dict(kernel=(3,)), error="kernel"),
    case("im2col_f64", "im2col", [data(2, 3, 6, 7, dtype="float64")], dict(kernel=(3, 3))),
    case("im2col_large", "im2col", [data(2, 3, 6, 7)], dict(kernel=(9, 3)), error="kernel"),
    case("col2im", "col2im", [data(2, 27, 20)], dict(output_size=(6, 7), kernel=(3, 3)), opsets=(12, 13, 17, 18, 21, 26)),
    case("col2im_all", "col2im", [data(2, 18, 12)],
         dict(output_size=(8, 9), kernel=(3, 2), stride=(2, 3), dilate=(2, 1), pad=(1, 2)), opsets=(12, 13, 17, 18, 21, 26)),
    case("col2im_spare", "col2im", [data(2, 12, 12)], dict(output_size=(7, 8), kernel=(2, 2), stride=(2, 2)),
         opsets=(12, 13, 17, 18, 21, 26)),
    case("col2im_f64", "col2im", [data(2, 27, 20, dtype="float64")], dict(output_size=(6, 7), kernel=(3, 3)), rtol=1e-6,
         opsets=(12, 13, 17, 18, 21, 26)),
    case("col2im_1d", "col2im", [data(2, 9, 6)], dict(output_size=(8,), kernel=(3,)), error="kernel"),
    case("col2im_rows", "col2im", [data(2, 26, 20)], dict(output_size=(6, 7), kernel=(3, 3)), error="kernel"),
    case("col2im_cells", "col2im", [data(2, 27, 21)], dict(output_size=(6, 7), kernel=(3, 3)), error="has shape"),
]
