# SPDX-License-Identifier: Apache-2.0
"""UpSampling, Pad, Crop, BilinearResize2D."""
from . import build, case, data, param

HW = [{0: "n", 2: "h", 3: "w"}]


def nearest(name, shapes, scale, dynamic="batch", sizes=None, error=None, **attrs):
    return case(name, "UpSampling", [data(*s) for s in shapes],
                dict(scale=scale, sample_type="nearest", num_args=len(shapes), **attrs), dynamic=dynamic, sizes=sizes,
                error=error)


def bilinear(name, shape, scale, dynamic="batch"):
    k = 2 * scale - scale % 2
    return case(name, "UpSampling", [data(*shape), param(shape[1], 1, k, k)],
                dict(scale=scale, sample_type="bilinear", num_filter=shape[1], num_args=2), dynamic=dynamic)


def pad(name, shape, width, mode="constant", dynamic="batch", dtype="float32", error=None, **attrs):
    return case(name, "Pad", [data(*shape, dtype=dtype)], dict(mode=mode, pad_width=width, **attrs), dynamic=dynamic,
                error=error)


def resize(name, shape, dynamic="batch", sizes=None, dynamic_error=None, dtype="float32", **attrs):
    return case("resize_" + name, "contrib.BilinearResize2D", [data(*shape, dtype=dtype)], attrs, dynamic=dynamic,
                sizes=sizes, dynamic_error=dynamic_error, rtol=1e-5 if dtype == "float64" else None)


def _like(mx):
    """The size of another layer's result, the usual way to merge a feature pyramid."""
    x = mx.sym.Variable("x")
    small = mx.sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pool_type="max", name="down")
    return mx.sym.contrib.BilinearResize2D(small, x, mode="like", name="up") + x


def _crop_like(mx):
    """An upsampled map cropped to the size of its source, as in fully convolutional networks."""
    x, w = mx.sym.Variable("x"), mx.sym.Variable("w")
    up = mx.sym.Deconvolution(mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="avg"), w, kernel=(4, 4),
                              stride=(2, 2), num_filter=3, num_group=3, name="up")
    return mx.sym.Crop(up, x, center_crop=True, name="crop")


CASES = [
    nearest("nearest", [(2, 3, 4, 5)], 2, dynamic=HW),
    nearest("nearest_three", [(1, 2, 3, 3)], 3),
    nearest("nearest_one", [(1, 2, 3, 3)], 1),
    nearest("nearest_concat", [(2, 3, 4, 6), (2, 1, 2, 3)], 2),
    nearest("nearest_concat_three", [(2, 3, 4, 6), (2, 1, 8, 12), (2, 2, 2, 3)], 2, multi_input_mode="concat"),
    nearest("nearest_sum", [(2, 3, 4, 6), (2, 3, 2, 3)], 2, multi_input_mode="sum"),
    nearest("nearest_dynamic_pair", [(2, 3, 4, 6), (2, 3, 2, 3)], 2, multi_input_mode="sum",
            dynamic=[{0: "n", 2: "h", 3: "w"}, {0: "n", 2: "hh", 3: "ww"}], sizes={"h": 6, "w": 4, "hh": 3, "ww": 2}),
    nearest("nearest_indivisible", [(2, 3, 4, 4), (2, 3, 3, 3)], 2, error="scale"),
    bilinear("bilinear", (2, 3, 4, 5), 2, dynamic=HW),
    bilinear("bilinear_three", (1, 2, 3, 4), 3),
    bilinear("bilinear_one", (1, 2, 3, 4), 1),
    bilinear("bilinear_four", (1, 2, 3, 4), 4),

    pad("pad", (2, 3, 4, 5), (0, 0, 0, 0, 1, 2, 3, 0), dynamic=HW),
    pad("pad_value", (2, 3, 4, 5), (0, 0, 0, 0, 1, 1, 2, 2), constant_value=1.5),
    pad("pad_edge", (2, 3, 4, 5), (0, 0, 0, 0, 1, 2, 3, 0), mode="edge", dynamic=HW),
    pad("pad_reflect", (2, 3, 4, 5), (0, 0, 0, 0, 1, 2, 3, 0), mode="reflect", dynamic=HW),
    pad("pad_5d", (1, 2, 3, 4, 5), (0, 0, 0, 0, 1, 0, 0, 2, 1, 1), constant_value=-1),
    pad("pad_5d_edge", (1, 2, 3, 4, 5), (0, 0, 0, 0, 1, 0, 0, 2, 1, 1), mode="edge"),
    pad("pad_5d_reflect", (1, 2, 3, 4, 5), (0, 0, 0, 0, 1, 0, 0, 2, 1, 1), mode="reflect"),
    pad("pad_nothing", (2, 3, 4, 5), (0, 0, 0, 0, 0, 0, 0, 0)),
    pad("pad_float16", (2, 3, 4, 5), (0, 0, 0, 0, 1, 2, 3, 0), dtype="float16", constant_value=0.5),
    pad("pad_float64", (2, 3, 4, 5), (0, 0, 0, 0, 1, 2, 3, 0), dtype="float64", constant_value=0.1),
    pad("pad_count", (2, 3, 4), (0, 0, 1, 1), error="data"),

    case("crop", "Crop", [data(2, 3, 7, 8)], dict(num_args=1, h_w=(3, 4), offset=(1, 2)), dynamic=HW),
    case("crop_corner", "Crop", [data(2, 3, 7, 8)], dict(num_args=1, h_w=(7, 4))),
    case("crop_center", "Crop", [data(2, 3, 7, 8)], dict(num_args=1, h_w=(4, 3), center_crop=True), dynamic=HW,
         sizes={"h": 10, "w": 9}),
    case("crop_like", "Crop", [data(2, 3, 7, 8), data(2, 1, 4, 5)], dict(num_args=2, offset=(2, 1)),
         dynamic=[{0: "n", 2: "h", 3: "w"}, {0: "n", 2: "hh", 3: "ww"}]),
    case("crop_like_center", "Crop", [data(2, 3, 7, 8), data(2, 1, 4, 5)], dict(num_args=2, center_crop=True),
         dynamic=[{0: "n", 2: "h", 3: "w"}, {0: "n", 2: "hh", 3: "ww"}], sizes={"h": 12, "w": 13, "hh": 6, "ww": 6}),
    case("crop_too_large", "Crop", [data(2, 3, 7, 8)], dict(num_args=1, h_w=(6, 4), offset=(2, 2)), dynamic=None,
         error="offset"),
    build("crop_network", _crop_like, inputs={"x": data(1, 3, 7, 9)}, params={"w": param(3, 1, 4, 4)},
          dynamic={"x": {0: "n", 2: "h", 3: "w"}}, sizes={"h": 8, "w": 12}),

    resize("size", (2, 3, 4, 5), height=7, width=9),
    resize("size_dynamic", (2, 3, 4, 5), height=7, width=9, dynamic=HW, sizes={"h": 9, "w": 3}),
    resize("shrink", (2, 3, 9, 8), height=4, width=3),
    resize("shrink_half", (2, 3, 9, 8), height=4, width=3, align_corners=False),
    resize("half_pixel", (2, 3, 4, 5), height=7, width=9, align_corners=False, dynamic=HW),
    resize("to_one", (2, 3, 4, 5), height=1, width=1),
    resize("to_one_half_pixel", (2, 3, 4, 5), height=1, width=1, align_corners=False),
    resize("from_one", (2, 3, 1, 1), height=3, width=4),
    resize("from_one_half_pixel", (2, 3, 1, 1), height=3, width=4, align_corners=False),
    resize("same", (2, 3, 4, 5), height=4, width=5),
    resize("scale", (2, 3, 4, 5), scale_height=2, scale_width=1.5, dynamic=HW),
    resize("scale_down", (2, 3, 9, 7), scale_height=0.5, scale_width=0.5, dynamic=HW, sizes={"h": 6, "w": 8}),
    resize("scale_third", (2, 3, 10, 9), scale_height=0.3, scale_width=0.7),
    resize("odd_scale", (2, 3, 7, 8), mode="odd_scale", scale_height=2, scale_width=2, dynamic=HW),
    resize("odd_scale_down", (2, 3, 7, 8), mode="odd_scale", scale_height=0.5, scale_width=0.5, dynamic=HW),
    resize("even_down", (2, 3, 7, 8), mode="to_even_down", dynamic=HW),
    resize("even_up", (2, 3, 7, 8), mode="to_even_up", dynamic=HW),
    resize("odd_down", (2, 3, 7, 8), mode="to_odd_down", dynamic=HW),
    resize("odd_up", (2, 3, 7, 8), mode="to_odd_up", dynamic=HW),
    resize("even_down_static", (2, 3, 7, 8), mode="to_even_down"),
    resize("odd_up_static", (2, 3, 7, 8), mode="to_odd_up", align_corners=False),
    resize("large", (1, 1, 37, 53), height=61, width=71),
    resize("large_half_pixel", (1, 1, 37, 53), height=61, width=71, align_corners=False),
    resize("float64", (2, 3, 4, 5), dtype="float64", height=7, width=9),
    *[case("resize_to_nothing_" + name, "contrib.BilinearResize2D", [data(2, 3, *shape)], attrs, dynamic=None)
      for name, shape, attrs in (("even_down", (4, 1), dict(mode="to_even_down")), ("even_down_both", (1, 1), dict(mode="to_even_down")),
                                 ("scale", (4, 5), dict(scale_height=2.0, scale_width=.1)),
                                 ("odd_scale", (4, 6), dict(mode="odd_scale", scale_height=.1, scale_width=.1)))],
    case("resize_without_pixels", "contrib.BilinearResize2D", [data(2, 3, 0, 4)], dict(height=3, width=3), np_shape=True, error="an image needs pixels"),
    case("resize_like", "contrib.BilinearResize2D", [data(2, 3, 4, 5), data(2, 1, 7, 6)], dict(mode="like"),
         dynamic=[{0: "n", 2: "h", 3: "w"}, {0: "n", 2: "hh", 3: "ww"}]),
    case("resize_like_static", "contrib.BilinearResize2D", [data(2, 3, 4, 5), data(2, 1, 7, 6)],
         dict(mode="like", align_corners=False)),
    build("resize_network", _like, inputs={"x": data(1, 2, 9, 11)}, dynamic={"x": {0: "n", 2: "h", 3: "w"}},
          sizes={"h": 12, "w": 7}),
]
