# SPDX-License-Identifier: Apache-2.0
"""Quantised operators: 8-bit integers that carry a range. Whole numbers must agree exactly."""
from . import aux, build, case, data, param


def end(v):
    """One end of a range."""
    return param(values=[v])


def i8(*shape, **options):
    return data(*shape, dtype="int8", low=-128, high=127, **options)


def u8(*shape, **options):
    return data(*shape, dtype="uint8", low=0, high=255, **options)


def w8(*shape):
    return param(*shape, dtype="int8", low=-127, high=127)


def i32(*shape, size=2000000):
    return data(*shape, dtype="int32", low=-size, high=size)


def product(name, op, x, weight, bias, ends, attrs):
    """Inputs by name: a missing bias leaves no hole, but one among the arguments of Python's function."""
    names = ["data", "weight", "bias"][:3 if bias else 2]
    names += ["%s_%s" % (e, n) for n in names for e in ("min", "max")]
    arrays = dict(zip(names, [x, weight] + ([bias] if bias else []) + [end(v) for v in ends[:2 * len(names) // 3]]))
    attrs = dict(attrs, no_bias=not bias)
    return build(name, lambda mx: getattr(mx.sym.contrib, op)(**{n: mx.sym.Variable(n) for n in names}, **attrs),
                 {"data": x}, {n: a for n, a in arrays.items() if n != "data"})


def conv(name, x, filters, channels, kernel, bias=True, **attrs):
    return product("conv_" + name, "quantized_conv", x, w8(filters, channels, *kernel), w8(filters) if bias else None,
                   (-0.5, 1.5, -0.25, 0.75, -1, 1), dict(attrs, num_filter=filters, kernel=kernel))


def dense(name, x, hidden, width, bias=True, **attrs):
    return product("fc_" + name, "quantized_fully_connected", x, w8(hidden, width), w8(hidden) if bias else None,
                   (-2, 1.5, -0.25, 0.75, -1, 3), dict(attrs, num_hidden=hidden))


def pool(name, x, **attrs):
    return case("pool_" + name, "contrib.quantized_pooling", [x, end(-1), end(2)], attrs)


def add(name, l, r, **options):
    return case("add_" + name, "contrib.quantized_elemwise_add", [l, r, end(-1), end(2), end(-3), end(1.5)],
                dict(min_calib_range=-4, max_calib_range=4.5), **options)


def mul(name, **attrs):
    return case("mul_" + name, "contrib.quantized_elemwise_mul", [i8(2, 5), i8(2, 5), end(-1), end(2), end(-3), end(1)],
                attrs)


def norm(name, x, channels, ends=(-1, 2), **attrs):
    return case("norm_" + name, "contrib.quantized_batch_norm",
                [x, param(channels, low=0.5, high=2), param(channels), aux(channels), aux(channels, low=0.5, high=2),
                 *map(end, ends)], dict(attrs, min_calib_range=-2, max_calib_range=3))


def joined(name, arrays, ends, **attrs):
    return case("concat_" + name, "contrib.quantized_concat", arrays + [end(v) for v in ends],
                dict(attrs, num_args=len(arrays)))


def net(mx):
    """A layer as quantize_model writes it."""
    x = mx.sym.contrib.quantize_v2(mx.sym.Variable("x"), min_calib_range=0.0, max_calib_range=2.0, out_type="uint8")
    v = {n: mx.sym.Variable(n) for n in ("w", "w_min", "w_max")}
    y = mx.sym.contrib.quantized_conv(data=x[0], weight=v["w"], min_data=x[1], max_data=x[2], min_weight=v["w_min"],
                                      max_weight=v["w_max"], kernel=(3, 3), num_filter=4, no_bias=True)
    y = mx.sym.contrib.requantize(y[0], y[1], y[2], min_calib_range=-3.0, max_calib_range=3.0)
    y = mx.sym.contrib.quantized_pooling(y[0], y[1], y[2], kernel=(2, 2), stride=(2, 2), pool_type="max")
    y = mx.sym.contrib.quantized_flatten(y[0], y[1], y[2])
    return mx.sym.contrib.dequantize(y[0], y[1], y[2])


def at_run_time(mx):
    """Two layers whose ranges follow from the data."""
    y = mx.sym.contrib.quantize_v2(mx.sym.Variable("x"), out_type="int8")
    for i, width in enumerate((6, 4)):
        v = [mx.sym.Variable(n + str(i)) for n in ("w", "w_min", "w_max")]
        y = mx.sym.contrib.quantized_fully_connected(data=y[0], weight=v[0], min_data=y[1], max_data=y[2],
                                                     min_weight=v[1], max_weight=v[2], num_hidden=width, no_bias=True)
        y = mx.sym.contrib.requantize(y[0], y[1], y[2])
    return mx.sym.contrib.dequantize(y[0], y[1], y[2])


WIDE = dict(low=-3, high=3)

CASES = [
    case("v2", "contrib.quantize_v2", [data(2, 5, **WIDE)], dynamic=[{0: "n", 1: "w"}]),
    case("v2_uint8", "contrib.quantize_v2", [data(2, 5, **WIDE)], dict(out_type="uint8")),
    case("v2_auto", "contrib.quantize_v2", [data(2, 5, **WIDE)], dict(out_type="auto")),
    case("v2_calibrated", "contrib.quantize_v2", [data(2, 50, **WIDE)], dict(min_calib_range=-2, max_calib_range=1.5)),
    case("v2_calibrated_uint8", "contrib.quantize_v2", [data(2, 50, **WIDE)],
         dict(out_type="uint8", min_calib_range=-1, max_calib_range=2.5)),
    case("v2_calibrated_auto", "contrib.quantize_v2", [data(2, 50, **WIDE)],
         dict(out_type="auto", min_calib_range=-1, max_calib_range=2.5)),
    case("v2_calibrated_auto_positive", "contrib.quantize_v2", [data(2, 50, low=0, high=3)],
         dict(out_type="auto", min_calib_range=0, max_calib_range=2.5)),
    case("v2_rank4", "contrib.quantize_v2", [data(2, 3, 4, 5, **WIDE)], dict(min_calib_range=-2, max_calib_range=2)),
    case("v2_halves", "contrib.quantize_v2", [data(values=[[0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 200, -200]])],
         dict(min_calib_range=-127.5, max_calib_range=127.5)),
    case("v2_ends", "contrib.quantize_v2", [data(values=[[-1.0, 1.0, -0.5, 2.0, -2.0]])],
         dict(min_calib_range=-1, max_calib_range=1)),
    case("v2_ends_odd", "contrib.quantize_v2", [data(values=[[-0.7, 0.7, -0.35, 2.0, -2.0]])],
         dict(min_calib_range=-0.7, max_calib_range=0.5)),
    case("v2_ends_uint8", "contrib.quantize_v2", [data(values=[[0.0, 0.3, 0.1, 2.0, -2.0]])],
         dict(min_calib_range=0, max_calib_range=0.3, out_type="uint8")),
] + [
    case("v2_ends_found_%d" % k, "contrib.quantize_v2", [data(values=[[-e, e / 3, e / 2]])], dynamic=None)
    for k, e in enumerate((0.1, 0.3, 0.7, 1.0, 1.7, 2.9, 3.3, 7.7))
] + [
    case("v2_empty_range", "contrib.quantize_v2", [data(2, 3)], dict(min_calib_range=0, max_calib_range=0)),
    case("v2_tiny_range", "contrib.quantize_v2", [data(values=[0, 1e-38, -1e-38, 1])], dict(min_calib_range=-3e-37, max_calib_range=3e-37)),
    case("v1_tiny_range", "contrib.quantize", [data(values=[0, 1e-38, -1e-38, 1]), param(values=[-3e-37]), param(values=[3e-37])],
         dict(out_type="int8")),
    case("v2_again", "contrib.quantize_v2", [i8(2, 3)], error="quantised already"),
    case("v1", "contrib.quantize", [data(2, 50, **WIDE), end(-2), end(1.5)]),
    case("v1_int8", "contrib.quantize", [data(2, 50, **WIDE), end(-2), end(1.5)], dict(out_type="int8")),
    case("v1_int8_edges", "contrib.quantize", [data(2, 3, **WIDE), data(values=[-1.0]), data(values=[1.25])],
         dict(out_type="int8")),
    case("dequantize", "contrib.dequantize", [i8(2, 50), end(-2), end(1.5)]),
    case("dequantize_uint8", "contrib.dequantize", [u8(2, 50), end(0), end(1.5)]),
    case("dequantize_ranks", "contrib.dequantize", [i8(2, 3, 4, 5), data(values=[-1.0]), data(values=[1.25])],
         dynamic=[{0: "n", 2: "h"}, None, None]),
    case("dequantize_int32", "contrib.dequantize", [i32(2, 3), end(0), end(1.5)], error="int8 or uint8"),
    case("requantize", "contrib.requantize", [i32(2, 50), end(-500), end(500)]),
    case("requantize_calibrated", "contrib.requantize", [i32(2, 50), end(-500), end(500)],
         dict(min_calib_range=-0.3, max_calib_range=0.25)),
    case("requantize_uint8", "contrib.requantize", [i32(2, 50), end(-500), end(500)],
         dict(min_calib_range=-0.3, max_calib_range=0.25, out_type="uint8")),
    case("requantize_auto", "contrib.requantize", [i32(2, 50), end(-500), end(500)],
         dict(min_calib_range=0, max_calib_range=0.25, out_type="auto")),
    case("requantize_rank4", "contrib.requantize", [i32(2, 3, 4, 5), end(-500), end(500)],
         dict(min_calib_range=-0.3, max_calib_range=0.4)),

    conv("plain", u8(2, 3, 6, 6), 4, 3, (3, 3)),
    conv("no_bias", u8(2, 3, 6, 6), 4, 3, (3, 3), False),
    conv("strided", u8(2, 3, 7, 6), 4, 3, (3, 2), stride=(2, 1), pad=(1, 1)),
    conv("dilated", u8(2, 3, 9, 9), 4, 3, (3, 3), False, dilate=(2, 2), pad=(2, 2)),
    conv("layout", u8(2, 3, 6, 6), 4, 3, (1, 1), False, layout="NCHW"),
    case("conv_groups", "contrib.quantized_conv",
         [u8(2, 4, 6, 6), w8(4, 2, 3, 3), w8(4)] + [end(v) for v in (-1, 1, -1, 1, -1, 1)],
         dict(num_group=2, num_filter=4, kernel=(3, 3)), error="num_group"),
    case("conv_channels_last", "contrib.quantized_conv",
         [u8(2, 6, 6, 4), w8(4, 3, 3, 4), w8(4)] + [end(v) for v in (-1, 1, -1, 1, -1, 1)],
         dict(layout="NHWC", num_filter=4, kernel=(3, 3)), error="layout"),
    conv("volume", u8(1, 2, 4, 5, 4), 3, 2, (3, 3, 2)),
    conv("volume_layout", u8(1, 2, 4, 5, 4), 3, 2, (3, 3, 2), layout="NCDHW"),
    dense("plain", i8(2, 7), 4, 7),
    dense("no_bias", i8(2, 7), 4, 7, False),
    dense("uint8", u8(2, 7), 4, 7),
    dense("uint8_no_bias", u8(3, 9), 4, 9, False),
    dense("flatten", i8(2, 3, 4), 4, 12),
    dense("keep", i8(2, 3, 4), 5, 4, False, flatten=False),
    pool("max", i8(2, 3, 6, 6), kernel=(2, 2), stride=(2, 2), pool_type="max"),
    pool("max_uint8", u8(2, 3, 7, 7), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max"),
    pool("max_full", i8(2, 3, 6, 6), kernel=(3, 3), stride=(2, 2), pool_type="max", pooling_convention="full"),
    pool("max_nothing", i8(2, 3, 6, 6), kernel=(2, 1), stride=(3, 3), pad=(1, 0), pool_type="max",
         pooling_convention="full"),
    pool("max_nothing_uint8", u8(2, 3, 6, 4), kernel=(3, 1), stride=(1, 2), pad=(1, 0), pool_type="max",
         pooling_convention="full"),
    pool("avg", i8(2, 3, 6, 6), kernel=(2, 2), stride=(2, 2), pool_type="avg"),
    pool("avg_uint8", u8(2, 3, 6, 6), kernel=(3, 3), stride=(3, 3), pool_type="avg"),
    pool("avg_padded", i8(2, 3, 6, 6), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg",
         count_include_pad=False),
    pool("global", i8(2, 3, 4, 4), kernel=(1, 1), pool_type="avg", global_pool=True),
    pool("global_max", u8(2, 3, 4, 4), kernel=(1, 1), pool_type="max", global_pool=True),
    case("pool_sum", "contrib.quantized_pooling", [i8(2, 3, 4, 4), end(-1), end(1)],
         dict(kernel=(2, 2), pool_type="sum"), error="pool_type"),
    case("act", "contrib.quantized_act", [i8(2, 5), end(-1), end(2)], dict(act_type="relu")),
    case("act_tanh", "contrib.quantized_act", [i8(2, 5), end(-1), end(2)], dict(act_type="tanh"), error="relu"),
    case("flatten", "contrib.quantized_flatten", [i8(2, 3, 4), end(-1), end(2)], dynamic=[{0: "n", 2: "w"}]),
    case("flatten_uint8", "contrib.quantized_flatten", [u8(2, 3, 4, 2), end(0), end(2)]),
    joined("plain", [i8(2, 3), i8(2, 4)], [-1, 1, -2, 2]),
    joined("uint8", [u8(2, 3, 2), u8(2, 4, 2)], [0, 1, 0, 2.5]),
    joined("mixed", [u8(2, 3), i8(2, 2), u8(2, 4)], [0, 1, -2, 2, 0, 1.5]),
    joined("same", [i8(2, 3), i8(2, 3)], [-1, 1, -1, 1]),
    joined("axis", [i8(2, 3, 2), i8(2, 3, 1)], [-1, 1, -0.5, 0.75], dim=2),
    add("int8", i8(2, 30), i8(2, 30)),
    add("uint8", u8(2, 30), u8(2, 30)),
    add("mixed", u8(2, 30), i8(2, 30)),
    add("mixed_other", i8(2, 30), u8(2, 30)),
    mul("int32"),
    mul("calibrated", min_calib_range=-5, max_calib_range=6),
    mul("float", enable_float_output=True),
    norm("int8", i8(2, 3, 4, 4), 3),
    norm("uint8", u8(2, 3, 4, 4), 3),
    norm("negative", i8(2, 3, 4, 4), 3, ends=(-3, 0.5)),
    case("norm_open", "contrib.quantized_batch_norm",
         [i8(2, 3, 2, 2), param(3), param(3), aux(3), aux(3), end(-1), end(2)], error="calibrate"),
    case("embedding", "contrib.quantized_embedding", [data(2, 3, low=0, high=6, kind="int"), w8(5, 4), end(-1), end(2)],
         dict(input_dim=5, output_dim=4)),
    case("embedding_int32", "contrib.quantized_embedding",
         [data(2, dtype="int32", low=-1, high=6), w8(5, 4), end(-1), end(2)], dict(input_dim=5, output_dim=4)),
    build("net", net, {"x": data(2, 3, 8, 8, low=0, high=2)},
          {"w": w8(4, 3, 3, 3), "w_min": end(-0.5), "w_max": end(0.5)}),
    build("net_at_run_time", at_run_time, {"x": data(3, 5, **WIDE)},
          {"w0": w8(6, 5), "w_min0": end(-0.5), "w_max0": end(0.5),
           "w1": w8(4, 6), "w_min1": end(-2), "w_max1": end(2)}),
]

CASES.append(conv("two_pads", u8(2, 3, 7, 6), 4, 3, (3, 4), pad=(0, 2)))
