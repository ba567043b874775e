# SPDX-License-Identifier: Apache-2.0
"""Image operators, assignment to slices, and the CTC loss."""
from . import build, case, data, param

HW = [{0: "h", 1: "w"}]
NHW = [{0: "n", 1: "h", 2: "w"}]


def image(*shape, dtype="uint8"):
    return data(*shape, dtype=dtype, low=0, high=255)


def resize(name, x, **attrs):
    options = {k: attrs.pop(k) for k in ("dynamic", "dynamic_error", "error", "sizes", "atol") if k in attrs}
    return case("resize_" + name, "image.resize", [x], attrs, **options)


def assign(name, shape, begin, end, step=(), dtype="float32", **options):
    """_slice_assign_scalar and _slice_assign of one slice."""
    import numpy as np
    part = np.zeros(shape)[tuple(slice(b, e, (list(step) + [None] * 9)[i]) for i, (b, e) in enumerate(zip(begin, end)))]
    attrs = dict(begin=begin, end=end, step=step)
    options.setdefault("dynamic", None)
    return [case("assign_scalar_" + name, "_internal._slice_assign_scalar", [data(*shape, dtype=dtype)],
                 dict(attrs, scalar=2.5), **options),
            case("assign_" + name, "_internal._slice_assign",
                 [data(*shape, dtype=dtype), param(*part.shape, dtype=dtype)], attrs, **options)]


def ctc(name, t, n, c, labels, lengths=(), dtype="float32", **attrs):
    """Time and batch are dynamic; data lengths stay within the shorter run."""
    inputs = [data(t, n, c, low=-3, high=3), data(values=labels, dtype=dtype)]
    inputs += [data(values=v) for v in lengths]
    return case("ctc_" + name, "CTCLoss", inputs, attrs,
                dynamic=[{0: "t", 1: "n"}] + [{0: "n"}] * (len(inputs) - 1))


CASES = [
    case("to_tensor", "image.to_tensor", [image(4, 5, 3)], dynamic=HW),
    case("to_tensor_batch", "image.to_tensor", [image(2, 4, 5, 3)], dynamic=NHW),
    case("to_tensor_float", "image.to_tensor", [image(4, 5, 1, dtype="float32")]),
    case("to_tensor_i32", "image.to_tensor", [image(4, 5, 3, dtype="int32")]),
    case("normalize", "image.normalize", [data(3, 4, 5)], dict(mean=(0.1, 0.2, 0.3), std=(0.5, 0.6, 2)),
         dynamic=[{1: "h", 2: "w"}]),
    case("normalize_shared", "image.normalize", [data(2, 3, 4, 5)], dict(mean=(0.1,), std=(0.5,)),
         dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("normalize_one", "image.normalize", [data(1, 4, 5)], dict(mean=0.1, std=0.5), dynamic=[{1: "h"}]),
    case("normalize_f16", "image.normalize", [data(2, 3, 4, 5, dtype="float16")],
         dict(mean=(0.1, 0.2, 0.3), std=(0.5, 0.5, 0.25))),
    case("normalize_f64", "image.normalize", [data(3, 4, 5, dtype="float64")], dict(mean=(0.5, 0.25, 0.75), std=(2,)),
         dynamic=[{2: "w"}]),
    case("normalize_default", "image.normalize", [data(3, 4, 5)], error="mean"),
    case("normalize_channels", "image.normalize", [data(2, 4, 5)], dict(mean=(1,), std=(2,)), error="channels"),
    case("crop", "image.crop", [image(6, 7, 3)], dict(x=1, y=2, width=4, height=3), dynamic=None),
    case("crop_batch", "image.crop", [image(2, 6, 7, 3)], dict(x=0, y=0, width=7, height=2), dynamic=NHW,
         sizes={"w": 9}),
    case("crop_float", "image.crop", [data(6, 7, 1)], dict(x=3, y=2, width=4, height=4)),
    case("flip_batch_rows", "image.flip_left_right", [image(2, 4, 5, 3)], error="must have 3 dimensions"),
    case("flip_batch_columns", "image.flip_top_bottom", [image(2, 4, 5, 3)], error="must have 3 dimensions"),
    case("crop_outside", "image.crop", [image(6, 7, 3)], dict(x=4, y=2, width=4, height=3), error="width"),
    case("crop_below", "image.crop", [image(6, 7, 3)], dict(x=1, y=4, width=4, height=3), error="height"),
    resize("smaller", data(8, 10, 3), size=(5, 4), dynamic=None),
    resize("larger", data(4, 5, 3), size=(9, 7), dynamic=HW),
    resize("square", data(6, 4, 3), size=5, dynamic=None),
    resize("batch", data(2, 6, 4, 3), size=(5, 3), dynamic=NHW),
    resize("ratio", data(4, 6, 3), size=3, keep_ratio=True, dynamic=None),
    resize("ratio_high", data(9, 4, 1), size=3, keep_ratio=True, dynamic=None),
    resize("ratio_batch", data(2, 4, 7, 3), size=3, keep_ratio=True),
    resize("ratio_two", data(4, 6, 3), size=(3, 3), keep_ratio=True, dynamic=None),
    resize("nearest", data(5, 7, 3), size=(4, 9), interp=0, dynamic=None),
    resize("nearest_uint8", image(5, 7, 3), size=(4, 3), interp=0, dynamic=HW),
    resize("cubic", data(6, 7, 3), size=(4, 9), interp=2, dynamic=None),
    resize("cubic_gray", data(3, 7, 3, 1), size=(8, 4), interp=2, dynamic=NHW),
    resize("cubic_gray_one", data(7, 3, 1), size=(3, 5), interp=2, dynamic=None),
    resize("f64", data(4, 5, 3, dtype="float64"), size=(7, 3), dynamic=None, atol=1e-6),
    resize("whole_uint8", image(4, 6, 3), size=(3, 2), dynamic=None),
    resize("area", data(4, 6, 3), size=(3, 2), interp=3, error="interp"),
    resize("none", data(4, 6, 3), error="size"),
    case("flip_left_right", "image.flip_left_right", [image(5, 4, 3)], dynamic=[{0: "h"}]),
    case("flip_top_bottom", "image.flip_top_bottom", [data(4, 5, 1)], dynamic=[{1: "w"}]),

    *assign("plain", (3, 4), (1, None), (None, 2)),
    *assign("rest", (3, 4, 2), (0,), (2,)),
    *assign("step", (7, 4), (1, None), (6, None), (2, 1)),
    *assign("back", (5, 4), (-1, 3), (None, 0), (-2, -1)),
    *assign("all", (3, 4), (None, None), (None, None)),
    *assign("far", (3, 4), (-100, 1), (100, 50)),
    *assign("i32", (3, 4), (1,), (2,), dtype="int32"),
    *assign("f16", (3, 4), (1,), (2,), dtype="float16"),
    case("assign_scalar_dynamic", "_internal._slice_assign_scalar", [data(2, 5, 3)],
         dict(begin=(None, 1), end=(None, 3), scalar=-1), dynamic=[{0: "n", 2: "c"}]),
    case("assign_dynamic", "_internal._slice_assign", [data(2, 5, 3), data(2, 2, 3)],
         dict(begin=(None, 1), end=(None, 3)), dynamic=[{0: "n", 2: "c"}, {0: "n", 2: "c"}]),
    case("assign_scalar_sliced_dynamic", "_internal._slice_assign_scalar", [data(5, 3)],
         dict(begin=(1,), end=(3,), scalar=-1), dynamic=[{0: "n"}]),
    case("assign_scalar_empty", "_internal._slice_assign_scalar", [data(5, 3)],
         dict(begin=(3,), end=(3,), scalar=-1), dynamic=None),

    ctc("padded", 6, 3, 5, [[1, 2, 0], [3, 3, 4], [4, 0, 0]]),
    ctc("last", 6, 3, 5, [[0, 2, -1], [3, 3, 1], [-1, -1, -1]], blank_label="last"),
    ctc("empty", 4, 2, 3, [[0, 0], [1, 2]]),
    ctc("too_long", 3, 2, 4, [[1, 1, 1], [1, 2, 3]]),
    ctc("data_lengths", 6, 3, 5, [[1, 2, 0], [3, 3, 4], [4, 0, 0]], [[6, 4, 3]], use_data_lengths=True),
    build("ctc_label_lengths", lambda mx: mx.sym.CTCLoss(data=mx.sym.Variable("x"), label=mx.sym.Variable("l"),
                                                         label_lengths=mx.sym.Variable("n"), use_label_lengths=True),
          {"x": data(6, 3, 5), "l": data(values=[[1, 2, 4], [3, 3, 4], [4, 1, 1]]), "n": data(values=[2, 3, 1])},
          dynamic={"x": {0: "t", 1: "n"}, "l": {0: "n"}, "n": {0: "n"}}),
    ctc("both_lengths", 6, 3, 5, [[1, 2, 4], [3, 3, 4], [4, 1, 1]], [[5, 6, 2], [2, 3, 1]], use_data_lengths=True,
        use_label_lengths=True, blank_label="first"),
    ctc("int_labels", 5, 2, 4, [[1, 2, 3], [2, 2, 0]], dtype="int32"),
    build("ctc_param", lambda mx: mx.sym.CTCLoss(mx.sym.Variable("x"), mx.sym.Variable("l")), {"x": data(5, 2, 4)},
          {"l": param(values=[[1, 2], [3, 0]])}, dynamic={"x": {0: "t"}}),
]
