# SPDX-License-Identifier: Apache-2.0
"""Quantised operators whose ranges are empty, as calibration finds them for values that are always 0, or so narrow that a bias does not
fit into steps of data times weight. What is compared here does not depend on the processor, unlike other fused layers."""
from . import aux, case, data, param
from .fused import C, dense, dense_whole, layer, none, norm_params, relu, with_norm
from .quantize import end

EMPTY = (0, 0)
LITTLE = data(5, 7, low=0, high=0.4)  # data that their empty range saturates, and no product of these


def ranges(c, **ends):
    """A case of a dense layer with other ranges of its weight or bias, and with weights that no processor saturates."""
    for name, reach in ends.items():
        c.inputs["f_%s_quantize_min" % name] = param(values=[-reach])
        c.inputs["f_%s_quantize_max" % name] = param(values=[reach])
        if reach == 0:
            c.inputs["f_%s_quantize" % name] = param(values=[[0] * 7] * 4 if name == "weight" else [0] * 4, dtype="int8")
    if ends.get("weight"):
        c.inputs["f_weight_quantize"] = param(4, 7, dtype="int8", low=-60, high=60)
    return c


def narrow(name, reach, low=None, high=None, whole=True, **ends):
    x = data(5, 7, low=-reach, high=reach)
    name, first = "narrow_" + name, (-reach, reach)
    return ranges(dense_whole(name, none, low, high, x=x, first=first) if whole else dense(name, none, [first, (-1, 2)], x=x), **ends)


A, B = [-5, -5, -5, 0, 0, 0, 7, 7, 7, -128, 127, 1], [-3, 0, 3] * 4
AU, BU = [0, 0, 0, 5, 5, 5, 200, 200, 200, 1, 127, 255], [0, 3, 255] * 4
CALIBRATED = dict(min_calib_range=0, max_calib_range=0)


def pair(name, op, types, ends=(-1, 2, -3, 1.5), **attrs):
    """Two operands of each sign, with a result that is calibrated to an empty range."""
    arrays = [data(values=[i if t == "int8" else u], dtype=t) for t, i, u in zip(types, (A, B), (AU, BU))]
    return case(name, "contrib.quantized_elemwise_" + op, arrays + [end(v) for v in ends], dict(CALIBRATED, **attrs), dynamic=None)


def added(name, ends):
    """The sums of both types."""
    short = {"int8": "i8", "uint8": "u8"}
    return [pair("add_%s_%s_%s" % (name, short[l], short[r]), "add", (l, r), ends) for l in short for r in short]


def joined(name, types, *ends):
    arrays = [data(2, 3, dtype=t, low=-128 if t == "int8" else 0, high=127 if t == "int8" else 255) for t in types]
    return case("concat_" + name, "contrib.quantized_concat", arrays + [end(v) for v in ends], dict(num_args=len(types)))


def requantized(name, low, high, **attrs):
    return case("requantize_" + name, "contrib.requantize", [data(values=[[-5, 0, 7, 2000000000]], dtype="int32"), end(low), end(high)],
                attrs, dynamic=None)


def norm(name, dtype, x, ends):
    """Slopes and shifts of each sign, as channels."""
    signs = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0]
    return case("norm_" + name, "contrib.quantized_batch_norm",
                [data(values=[[[[v] for v in x]] * 10], dtype=dtype), param(values=signs), param(values=[0.5, 0.0, -0.5] * 3 + [1.0]),
                 aux(values=[0.0] * 9 + [0.5]), aux(values=[1.0] * 10), end(ends[0]), end(ends[1])], CALIBRATED, dynamic=None)


CASES = [
    # ---- fused layers: the bias remains
    layer("empty_data", none, -1, 2, first=EMPTY),
    layer("empty_data_int8", none, -1, 2, first=EMPTY, dtype="int8"),
    layer("empty_data_relu", relu, -1, 2, first=EMPTY),
    layer("empty_data_norm", with_norm(fix_gamma=False), -1, 2, dict(C, **norm_params("n", 4)), first=EMPTY),
    dense("empty_data", none, [EMPTY, (-1, 2)], x=LITTLE),
    dense("empty_data_relu", relu, [EMPTY, (-1, 2)], x=LITTLE),
    dense("empty_data_rows", none, [EMPTY, (-1, 2)], x=LITTLE, rows=True),
    dense_whole("empty_data_whole", none, -1, 2, x=LITTLE, first=EMPTY),
    dense_whole("empty_data_open", relu, None, None, x=LITTLE, first=EMPTY),
    ranges(dense("empty_weight", none, [(-1, 1), (-1, 2)], x=LITTLE), weight=0),
    ranges(dense("empty_weight_and_data", none, [EMPTY, (-1, 2)], x=LITTLE), weight=0),
    narrow("floats", 1e-4, whole=False, weight=0.5, bias=20),
    narrow("whole", 1e-3, -1, 2, weight=1e-2, bias=1),
    narrow("open", 1e-2, weight=1e-2, bias=7),
] + [
    # ---- a result that is calibrated to an empty range: the ends of the type, or 0, as oneDNN makes them of infinity and NaN
    *added("both", (0, 0, 0, 0)), *added("left", (0, 0, -1, 1)), *added("right", (-1, 1, 0, 0)), *added("neither", (-1, 2, -3, 1.5)),
    pair("mul", "mul", ("int8", "int8")),
    pair("mul_of_nothing", "mul", ("int8", "int8"), (0, 0, 0, 0)),
    pair("mul_float", "mul", ("int8", "int8"), enable_float_output=True),
    norm("int8", "int8", [-5, 0, 7], (-1, 2)),
    norm("uint8", "uint8", [0, 7, 255], (-1, 2)),
    norm("of_nothing", "int8", [-5, 0, 7], (0, 0)),
    requantized("calibrated", -500, 500, **CALIBRATED),
    requantized("calibrated_uint8", -500, 500, out_type="uint8", **CALIBRATED),

    # ---- operands of an empty range
    requantized("nothing", 0, 0),
    requantized("nothing_uint8", 0, 0, out_type="uint8"),
    requantized("nothing_calibrated", 0, 0, **CALIBRATED),
    requantized("nothing_calibrated_uint8", 0, 0, out_type="uint8", **CALIBRATED),
    case("quantize", "contrib.quantize", [data(values=[[-1.0, 0.0, 2.0]]), end(0), end(0)], dict(out_type="int8"), dynamic=None),
    case("quantize_uint8", "contrib.quantize", [data(values=[[-1.0, 0.0, 2.0]]), end(0), end(0)], dynamic=None),
    joined("empty", ("int8", "int8"), 0, 0, 0, 0),
    joined("empty_uint8", ("uint8", "uint8"), 0, 0, 0, 0),
    joined("one_empty", ("int8", "int8"), 0, 0, -1, 2),
    joined("reversed", ("int8", "int8"), 2, -1, 2, -1),
]
