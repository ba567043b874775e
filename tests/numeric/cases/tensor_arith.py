# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, comparisons and logic of two tensors, of a tensor and a number, of many; clip."""
import numpy as np

from . import build, case, data, param

NAN, INF = float("nan"), float("inf")
BOTH = [{0: "n", 1: "m"}, {0: "n", 1: "m"}]
CASES = []

# ---- equal shapes
ELEMWISE = {"elemwise_add": None, "elemwise_sub": None, "elemwise_mul": None, "elemwise_div": 1,
            "_internal._maximum": None, "_internal._minimum": None, "_internal._power": 1, "_internal._mod": 1,
            "_internal._hypot": None, "_internal._grad_add": None, "_internal._equal": 0, "_internal._not_equal": 0,
            "_internal._greater": 0, "_internal._greater_equal": 0, "_internal._lesser": 0,
            "_internal._lesser_equal": 0, "_internal._logical_and": 0, "_internal._logical_or": 0,
            "_internal._logical_xor": 0}
for op, kind in sorted(ELEMWISE.items()):
    name = op.replace("_internal._", "")
    # 1: second operand positive; 0: few values, so that equal ones meet
    low = {None: -3, 1: 0.5, 0: -1}[kind]
    how = dict(kind="int", high=1) if kind == 0 else dict(high=3)
    first = dict(low=0.5, high=3) if "power" in op else dict(low=low if kind == 0 else -3, **how)
    CASES.append(case(name, op, [data(2, 3, 4, **first), data(2, 3, 4, low=low, **how)], dynamic=BOTH))
    CASES.append(case(name + "_f16", op,
    [data(5, dtype="float16", **first), data(5, dtype="float16", low=low, **how)]))
    CASES.append(case(name + "_f64", op,
    [data(5, dtype="float64", **first), data(5, dtype="float64", low=low, **how)]))
    ints = dict(low=1, high=4) if kind == 1 else dict(low=-2, high=2)
    for dtype in ("int32", "int64", "int8", "uint8"):
        low_int = 0 if dtype == "uint8" and kind != 1 else ints["low"]
        if dtype == "uint8" and "sub" in op:
            continue
        CASES.append(case("%s_%s" % (name, dtype), op,
        [data(3, 4, dtype=dtype, low=0 if dtype == "uint8" else -4, high=4)
                     if "power" not in op else data(3, 4, dtype=dtype, low=0, high=4),
                     data(3, 4, dtype=dtype, low=low_int, high=ints["high"])]))

# ---- broadcasting
BROADCAST = ["add", "sub", "mul", "div", "power", "maximum", "minimum", "mod", "hypot", "equal", "not_equal",
"greater",
             "greater_equal", "lesser", "lesser_equal", "logical_and", "logical_or", "logical_xor"]
for name in BROADCAST:
    op = "broadcast_" + name
    few = name.startswith(("equal", "not", "great", "less", "logical"))
    first = dict(kind="int", low=-1, high=1) if few else dict(low=0.5, high=3)
    CASES += [
        case(op, op, [data(2, 3, 4, **first), data(2, 1, 4, **first)], dynamic=[{0: "n", 1: "m"}, {0: "n"}]),
        case(op + "_ranks", op, [data(2, 3, 4, **first), data(3, 1, **first)], dynamic=[{0: "n"}, None]),
        case(op + "_left", op, [data(1, 4, **first), data(3, 4, **first)], dynamic=[None, {0: "n"}]),
        case(op + "_param", op, [data(2, 3, **first), param(1, 3, **first)]),
        case(op + "_i32", op, [data(2, 3, dtype="int32", low=1, high=5), data(1, 3, dtype="int32", low=1, high=3)],
             dynamic=[{0: "n"}, None]),
        case(op + "_f16", op, [data(2, 3, dtype="float16", **first), data(2, 1, dtype="float16", **first)]),
    ]

MIXED = [-7.5, -7.0, -1.0, 0.0, 0.5, 3.0, 7.0, 7.5]
CASES += [
    case("sub_u8_wraps", "elemwise_sub",
         [data(values=[1, 5, 0], dtype="uint8"), data(values=[2, 3, 1], dtype="uint8")]),
    case("div_i32_truncates", "elemwise_div", [data(values=[-7, 7, -1], dtype="int32"),
                                               data(values=[2, -2, 3], dtype="int32")]),
    case("power_negative_base", "_internal._power", [data(values=[-2.0, -2.0, -8.0, 0.0, 4.0]),
                                                     data(values=[2.0, 3.0, 0.5, 0.0, -1.0])]),
    case("maximum_nan", "_internal._maximum",
         [data(values=[NAN, 1.0, NAN, INF, 3.0]), data(values=[1.0, NAN, NAN, 2.0, 4.0])]),
    case("minimum_nan", "_internal._minimum",
         [data(values=[NAN, 1.0, NAN, -INF, 3.0]), data(values=[1.0, NAN, NAN, 2.0, 4.0])]),
    case("broadcast_maximum_nan", "broadcast_maximum", [data(values=[[NAN], [1.0]]), data(values=[[1.0, NAN]])],
         dynamic=None),
    case("equal_nan", "broadcast_equal", [data(values=[NAN, 1.0]), data(values=[NAN, 1.0])]),
    case("not_equal_nan", "broadcast_not_equal", [data(values=[NAN, 1.0]), data(values=[NAN, 1.0])]),
    case("logical_and_values", "broadcast_logical_and", [data(values=[0.0, 0.5, -1.0, 2.0]),
                                                         data(values=[1.0, -0.5, 0.0, 3.0])]),
    case("mod_signs", "broadcast_mod",
         [data(values=MIXED), data(values=[2.0, -2.0, 3.0, 0.0, -0.3, -3.0, 2.5, -2.5])]),
    case("mod_zero", "broadcast_mod", [data(values=[-1.0, 0.0, 5.5]), data(values=[0.0, 0.0, 0.0])]),
    case("mod_inf", "broadcast_mod", [data(values=[-5.0, 5.0]), data(values=[INF, INF])]),
    case("mod_i32_signs", "broadcast_mod", [data(values=[-7, 7, -7, 7, 6], dtype="int32"),
                                            data(values=[2, -2, -2, 0, 3], dtype="int32")]),
    *[case("mod_%s_lowest" % t, "broadcast_mod", [data(values=[np.iinfo(t).min, np.iinfo(t).min, 7, -7], dtype=t),
                                                  data(values=[-1, 0, -1, 3], dtype=t)]) for t in ("int8", "int32", "int64")],
    *[case("mod_scalar_%s_lowest" % t, "_internal._mod_scalar", [data(values=[np.iinfo(t).min, 7], dtype=t)], dict(scalar=-1))
      for t in ("int8", "int32", "int64")],
    case("rmod_scalar_i32_lowest", "_internal._rmod_scalar", [data(values=[-1, 0, 3, -7], dtype="int32")], dict(scalar=-2147483648)),
    case("mod_u8_zero", "broadcast_mod", [data(values=[7, 8], dtype="uint8"), data(values=[0, 3], dtype="uint8")]),
    build("add_operator", lambda mx: mx.sym.Variable("x") + mx.sym.Variable("y"), {"x": data(2, 3), "y": data(2, 3)}),
    build("same_twice", lambda mx: (lambda x: x * x)(mx.sym.Variable("x")), {"x": data(2, 3)}),
    build("of_params", lambda mx: mx.sym.Variable("x") + mx.sym.Variable("a") * mx.sym.Variable("b"),
          {"x": data(2, 3)}, {"a": param(2, 3), "b": param(2, 3)}, dynamic=None),
    build("mask", lambda mx: (lambda x: x * (x > 0))(mx.sym.Variable("x")), {"x": data(3, 4)}),

    # ---- many
    case("add_n_1", "add_n", [data(2, 3)]),
    case("add_n_2", "add_n", [data(2, 3), data(2, 3)]),
    case("add_n_3", "add_n", [data(2, 3), data(2, 3), data(2, 3)]),
    case("add_n_4_i32", "add_n", [data(2, 3, dtype="int32") for _ in range(4)]),
    case("add_n_3_i8", "add_n", [data(2, 3, dtype="int8") for _ in range(3)]),
    case("add_n_f16", "ElementWiseSum", [data(2, 3, dtype="float16") for _ in range(3)]),
    case("add_n_f64", "add_n", [data(2, 3, dtype="float64") for _ in range(3)]),
]

# ---- a tensor and a number
SCALAR = ["plus", "minus", "rminus", "mul", "div", "rdiv", "power", "rpower", "maximum", "minimum", "mod", "rmod",
          "hypot", "equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal", "logical_and",
          "logical_or", "logical_xor"]
for name in SCALAR:
    op = "_internal._%s_scalar" % name
    positive = dict(low=0.5, high=3)
    few = name.startswith(("equal", "not", "great", "less", "logical"))
    values = dict(kind="int", low=0, high=3) if few else positive
    number = 2 if few else 1.7
    CASES += [
        case(name + "_scalar", op, [data(2, 3, 4, **values)], dict(scalar=number)),
        case(name + "_scalar_f16", op, [data(2, 3, dtype="float16", **values)], dict(scalar=number)),
        case(name + "_scalar_f64", op, [data(2, 3, dtype="float64", **values)], dict(scalar=number)),
        case(name + "_scalar_negative", op, [data(2, 3, **(values if "pow" in name else dict(low=-3, high=3)))],
             dict(scalar=-1.5) if name != "rpower" else dict(scalar=0.5)),
        case(name + "_scalar_missing", op, [data(2, 3, **values)]),
    ]
    for dtype in ("int32", "int64", "int8", "uint8"):
        CASES.append(case("%s_scalar_%s" % (name, dtype), op, [data(3, 4, dtype=dtype, low=1, high=4)],
                          dict(scalar=2.7)))
    if name not in ("hypot",):
        CASES.append(case(name + "_scalar_not_int", op, [data(3, 4, dtype="int32", low=1, high=4)],
                          dict(scalar=2.5, is_int=False)))

CASES += [
    case("plus_scalar_0", "_internal._plus_scalar", [data(2, 3)], dict(scalar=0)),
    case("mul_scalar_1", "_internal._mul_scalar", [data(2, 3)], dict(scalar=1)),
    case("mul_scalar_minus_1", "_internal._mul_scalar", [data(2, 3)], dict(scalar=-1)),
    case("mul_scalar_minus_1_u8", "_internal._mul_scalar", [data(values=[1, 2], dtype="uint8")], dict(scalar=1.0)),
    case("rdiv_scalar_1", "_internal._rdiv_scalar", [data(2, 3, low=1, high=2)], dict(scalar=1)),
    case("rminus_scalar_0", "_internal._rminus_scalar", [data(2, 3)], dict(scalar=0)),
    case("plus_scalar_u8_far", "_internal._plus_scalar", [data(values=[1, 2], dtype="uint8")], dict(scalar=3e9)),
    case("plus_scalar_u8_negative", "_internal._plus_scalar", [data(values=[1, 2], dtype="uint8")], dict(scalar=-1)),
    case("greater_scalar_u8_negative", "_internal._greater_scalar", [data(values=[1, 255], dtype="uint8")],
         dict(scalar=-1)),
    case("plus_scalar_i8_wraps", "_internal._plus_scalar", [data(values=[1, 2], dtype="int8")], dict(scalar=200)),
    case("power_scalar_2", "_internal._power_scalar", [data(2, 3)], dict(scalar=2)),
    case("power_scalar_half", "_internal._power_scalar", [data(values=[-1.0, 0.0, 4.0])], dict(scalar=0.5)),
    case("minimum_scalar_inf", "_internal._minimum_scalar", [data(2, 3)], dict(scalar="inf")),
    case("maximum_scalar_inf", "_internal._maximum_scalar", [data(2, 3)], dict(scalar="-inf")),
    case("maximum_scalar_nan_data", "_internal._maximum_scalar", [data(values=[NAN, -1.0, 3.0])], dict(scalar=0)),
    case("minimum_scalar_nan_data", "_internal._minimum_scalar", [data(values=[NAN, -1.0, 3.0])], dict(scalar=0)),
    case("div_scalar_0", "_internal._div_scalar", [data(values=[1.0, -1.0, 0.0])], dict(scalar=0)),
    case("div_scalar_i32_negative", "_internal._div_scalar", [data(values=[-7, 7, -1], dtype="int32")],
         dict(scalar=2)),
    case("rdiv_scalar_i32", "_internal._rdiv_scalar", [data(values=[-2, 2, 3], dtype="int32")], dict(scalar=7)),
    *[case("rdiv_scalar_%s_by_zero" % t, "_internal._rdiv_scalar", [data(values=[0, 2, -3], dtype=t)], dict(scalar=v))
      for t, v in (("int8", 3), ("int32", 3), ("int64", -5), ("uint8", 7))],
    *[case("rdiv_scalar_%s_lowest" % t, "_internal._rdiv_scalar", [data(values=[-1, 2, 0], dtype=t)], dict(scalar=v))
      for t, v in (("int8", -128), ("int32", -2147483648))],
    case("mod_scalar_signs", "_internal._mod_scalar", [data(values=MIXED)], dict(scalar=2)),
    case("mod_scalar_signs_negative", "_internal._mod_scalar", [data(values=MIXED)], dict(scalar=-2.5)),
    case("mod_scalar_0", "_internal._mod_scalar", [data(values=MIXED)], dict(scalar=0)),
    case("mod_scalar_i32_signs", "_internal._mod_scalar", [data(values=[-7, -2, 0, 5], dtype="int32")],
         dict(scalar=3)),
    case("mod_scalar_i32_negative", "_internal._mod_scalar", [data(values=[-7, -2, 0, 5], dtype="int32")],
         dict(scalar=-3)),
    case("mod_scalar_i32_half", "_internal._mod_scalar", [data(values=[-7, -2, 0, 5], dtype="int32")],
         dict(scalar=0.5)),
    case("rmod_scalar_signs", "_internal._rmod_scalar", [data(values=[-7.5, -2.0, 0.0, 2.0, 0.3])], dict(scalar=5)),
    case("rmod_scalar_i32", "_internal._rmod_scalar", [data(values=[-7, -2, 0, 2], dtype="int32")], dict(scalar=5)),
    case("logical_and_scalar_0", "_internal._logical_and_scalar", [data(values=[0.0, 0.5])], dict(scalar=0)),
    case("logical_or_scalar_0", "_internal._logical_or_scalar", [data(values=[0.0, 0.5])], dict(scalar=0)),
    case("logical_xor_scalar_0", "_internal._logical_xor_scalar", [data(values=[0.0, 0.5])], dict(scalar=0)),
    case("logical_and_scalar_half_i32", "_internal._logical_and_scalar", [data(values=[0, 3], dtype="int32")],
         dict(scalar=0.5)),
    case("plus_scalar_bool", "_internal._plus_scalar", [data(values=[True, False], dtype="bool")], dict(scalar=2)),
    case("plus_scalar_bool_not_int", "_internal._plus_scalar", [data(values=[True, False], dtype="bool")],
         dict(scalar=0.5, is_int=False)),
    build("operators", lambda mx: 2 - (mx.sym.Variable("x") * 3 + 1) / 2, {"x": data(2, 3)}),
    build("minus", lambda mx: -mx.sym.Variable("x"), {"x": data(2, 3)}),
    build("one_over", lambda mx: 1 / (mx.sym.Variable("x") + 3), {"x": data(2, 3)}),
    build("preprocess", lambda mx: (mx.sym.Variable("data") - 127.5) * 0.0078125,
          {"data": data(2, 3, 4, 4, low=0, high=255)}),
    case("smooth_l1", "smooth_l1", [data(values=[-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])]),
    case("smooth_l1_2", "smooth_l1", [data(2, 5, low=-1, high=1)], dict(scalar=2)),
    case("smooth_l1_i32", "smooth_l1", [data(values=[-3, -1, 0, 1, 2], dtype="int32")], dict(scalar=2)),
    case("smooth_l1_f16", "smooth_l1", [data(2, 5, dtype="float16", low=-3, high=3)], dict(scalar=0.5)),
    case("smooth_l1_f64", "smooth_l1", [data(2, 5, dtype="float64", low=-3, high=3)], dict(scalar=3)),

    # ---- clip
    case("clip", "clip", [data(2, 3, 4, low=-3, high=3)], dict(a_min=-1, a_max=1.5)),
    case("clip_f16", "clip", [data(2, 3, dtype="float16", low=-3, high=3)], dict(a_min=-1, a_max=1.5)),
    case("clip_f64", "clip", [data(2, 3, dtype="float64", low=-3, high=3)], dict(a_min=-1, a_max=1.5)),
    case("clip_relu6", "clip", [data(2, 3, 4, low=-3, high=9)], dict(a_min=0, a_max=6)),
    case("clip_nan", "clip", [data(values=[NAN, -INF, INF, 0.5])], dict(a_min=-1, a_max=1)),
    case("clip_crossed", "clip", [data(values=[0.0, 1.0, 2.0, 3.0, 5.0])], dict(a_min=3, a_max=1)),
    case("clip_open_above", "clip", [data(2, 3)], dict(a_min=0, a_max="inf")),
    case("clip_open_below", "clip", [data(2, 3)], dict(a_min="-inf", a_max=0.25)),
    case("clip_i32", "clip", [data(values=[-3, -2, -1, 0, 1, 2, 3], dtype="int32")], dict(a_min=-1.7, a_max=1.7)),
    case("clip_i64", "clip", [data(values=[-3, -2, -1, 0, 1, 2, 3], dtype="int64")], dict(a_min=-1.7, a_max=1.7)),
    case("clip_i8", "clip", [data(values=[-100, -2, 0, 100], dtype="int8")], dict(a_min=-1000, a_max=50)),
    case("clip_u8", "clip", [data(values=[0, 5, 200, 255], dtype="uint8")], dict(a_min=-1, a_max=100.5)),
    case("clip_above_all", "clip", [data(values=[1, 2], dtype="int32")], dict(a_min="inf", a_max="inf"), error="is inf, which no int32 is"),
    case("clip_below_all", "clip", [data(values=[1, 2], dtype="int8")], dict(a_min=0, a_max="-inf"), error="is -inf, which no int8 is"),
] + [
    case(op + "_infinite", "_internal._%s_scalar" % op, [data(values=[1, 2, 3], dtype=t)], dict(scalar=v), error="is %s, but the data is %s" % (v, t))
    for op, t, v in [("rdiv", "int32", "nan"), ("rmod", "int64", "inf"), ("logical_and", "int8", "inf"), ("logical_or", "uint8", "nan"),
                     ("logical_xor", "int8", "-inf"), *((op, "int32", "inf") for op in (
                         "div", "equal", "greater", "greater_equal", "hypot", "lesser", "lesser_equal", "maximum", "minimum", "minus", "mod",
                         "mul", "not_equal", "plus", "power", "rminus", "rpower", "scatter_minus", "scatter_plus"))]
]
