# SPDX-License-Identifier: Apache-2.0
"""Arithmetic and functions of NumPy that MXNet 2 has alone, or that mean something else there."""
import numpy as np

from . import build, case, data

ORACLE = "2.0.0b1"
NAN, INF = float("nan"), float("inf")
BROADCAST = [{0: "n", 1: "m"}, {1: "m"}]
CASES = []


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


def pair(t, **values):
    return [data(3, 4, dtype=t, **values), data(1, 4, dtype=t, **values)]


WHOLE = ["int8", "uint8", "int32", "int64"]
FLOATS = ["float16", "float32", "float64"]

# ---- of one type
SPECIAL = [data(values=[NAN, 1.0, NAN, INF, -2.0, 5.0]), data(values=[2.0, NAN, NAN, 3.0, -1.0, INF])]
for op in ("fmax", "fmin", "fmod"):
    CASES += [np_case(op, "np." + op, pair("float32", low=-3, high=3), dynamic=BROADCAST),
              np_case(op + "_special", "np." + op, SPECIAL)]
    for t in WHOLE + ["float16", "float64"]:
        low = 0 if t == "uint8" else -9
        CASES.append(np_case("%s_%s" % (op, t), "np." + op, pair(t, low=low, high=9)))
    for t in ("int32", "uint8", "float16", "float32", "bool"):
        CASES += [np_case("%s_number_%s" % (op, t), "np._internal.%s_scalar" % op, [data(3, 4, dtype=t)],
                          dict(scalar=2, is_int=True)),
                  np_case("%s_fraction_%s" % (op, t), "np._internal.%s_scalar" % op, [data(3, 4, dtype=t)],
                          dict(scalar=-1.5, is_int=False))]


def remainders(mx):
    """Of constants below 0: computed at export."""
    f, x = mx.sym.np._internal, mx.sym.var("x").as_np_ndarray()
    numbers = mx.sym.np.arange(-3, 3, dtype="int32")
    return mx.sym.Group([f.fmod_scalar(numbers, scalar=2, is_int=True) + x, f.mod_scalar(numbers, scalar=2, is_int=True) + x,
                         f.rfmod_scalar(f.fmod_scalar(numbers, scalar=2, is_int=True) + 7, scalar=-5, is_int=True) + x])


CASES += [build("remainders", remainders, {"x": data(6, dtype="int32")}, np_shape=True, dynamic=None),
          np_case("rfmod_number", "np._internal.rfmod_scalar", [data(3, 4, dtype="int32")], dict(scalar=7, is_int=True)),
          np_case("rfmod_fraction", "np._internal.rfmod_scalar", [data(3, 4)], dict(scalar=1.5, is_int=False)),
          np_case("fmod_by_zero", "np.fmod", [data(values=[1.0, -1.0, 0.0]), data(values=[0.0, 0.0, 0.0])]),
          np_case("fmod_by_zero_int", "np.fmod", [data(values=[1, -1, 0], dtype="int32"),
                                                  data(values=[0, 2, 0], dtype="int32")])]

# ---- floor_divide: of two types too
CASES += [
    np_case("floor_divide", "np._internal.floor_divide", pair("float32", low=-3, high=3), dynamic=BROADCAST),
    np_case("floor_divide_special", "np._internal.floor_divide", [data(values=[1.0, -1.0, 0.0, 5.0, -5.0, 3.0]),
                                                        data(values=[0.0, 0.0, 0.0, INF, INF, -0.5])]),
]
for t in WHOLE + ["float16", "float64"]:
    low = 1 if t == "uint8" else -9
    divisors = data(2, 1, dtype=t, values=[[2], [3]]) if t == "uint8" else data(2, 1, dtype=t, values=[[2], [-3]])
    CASES.append(np_case("floor_divide_" + t, "np._internal.floor_divide", [data(2, 7, dtype=t, low=low, high=9), divisors],
                         dynamic=[{1: "m"}, None]))
for t in ("bool", "int8", "uint8", "int64", "float16", "float32"):
    x = data(3, 4, dtype=t, low=0 if t in ("bool", "uint8") else -9, high=1 if t == "bool" else 9)
    CASES += [np_case("floor_divide_number_" + t, "np._internal.floor_divide_scalar", [x], dict(scalar=2, is_int=True)),
              np_case("floor_divide_fraction_" + t, "np._internal.floor_divide_scalar", [x],
                      dict(scalar=-1.25, is_int=False))]
CASES += [
    np_case("rfloor_divide_number", "np._internal.rfloor_divide_scalar",
            [data(values=[1, 2, -3, 4, -9], dtype="int32")], dict(scalar=7, is_int=True)),
    np_case("rfloor_divide_fraction", "np._internal.rfloor_divide_scalar", [data(3, 4)], dict(scalar=7.5, is_int=False)),
]
for t in WHOLE:  # quotients that C leaves undefined
    lowest, y = int(np.iinfo(t).min), ([0, 0] if t == "uint8" else [0, -1]) + [2, 4, 8]
    x = [lowest, 7, lowest, 7, 9]
    CASES += [
        np_case("floor_divide_undefined_" + t, "np._internal.floor_divide", [data(values=x, dtype=t), data(values=y[1:] + [0], dtype=t)]),
        np_case("floor_divide_zeros_" + t, "np._internal.floor_divide", [data(values=x, dtype=t), data(values=[0, 0, 2, 0, 3], dtype=t)]),
        np_case("rfloor_divide_undefined_" + t, "np._internal.rfloor_divide_scalar", [data(values=y, dtype=t)],
                dict(scalar=lowest, is_int=True)),
        np_case("rfloor_divide_seven_" + t, "np._internal.rfloor_divide_scalar", [data(values=y, dtype=t)], dict(scalar=7, is_int=True)),
        np_case("floor_divide_by_0_" + t, "np._internal.floor_divide_scalar", [data(values=x, dtype=t)], dict(scalar=0, is_int=True))]
    if t != "uint8":
        CASES.append(np_case("floor_divide_by_minus_1_" + t, "np._internal.floor_divide_scalar", [data(values=x, dtype=t)],
                             dict(scalar=-1, is_int=True)))

# ---- two types
TYPES = ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64"]
for a in TYPES:
    for b in TYPES:
        if a == b:
            continue
        y = data(3, 4, dtype=b, low=1, high=3, kind="int")
        CASES.append(np_case("floor_divide_%s_%s" % (a, b), "np._internal.floor_divide", [data(3, 4, dtype=a), y]))
CASES += [np_case("%s_int8_uint8" % op, "np." + op, [data(3, 4, dtype="int8"), data(3, 4, dtype="uint8", low=1, high=5)])
          for op in ("add", "subtract", "multiply", "mod", "power")]

# The first operand of arctan2 is a float, the second one may be an integer; bits are integers and bools.
CASES += [np_case("arctan2_%s_%s" % (a, b), "np.arctan2", [data(3, 4, dtype=a, low=-3, high=3), data(1, 4, dtype=b, low=0, high=1)],
                  dynamic=BROADCAST, **(dict(rtol=1e-6) if "float64" in (a, b) else {}))  # ONNX Runtime's arctan is of float32
          for a, b in (("float32", "int64"), ("float32", "bool"), ("float64", "float32"), ("float32", "float64"), ("float16", "float32"),
                       ("float16", "int8"))]
CASES += [np_case("bitwise_%s_%s_%s" % (op, a, b), "np.bitwise_" + op,
                  [data(3, 4, dtype=a, low=0, high=1 if a == "bool" else 9), data(1, 4, dtype=b, low=0, high=1 if b == "bool" else 9)],
                  opsets=(18, 21, 26), dynamic=BROADCAST)
          for op in ("and", "or", "xor") for a, b in (("int8", "uint8"), ("bool", "int32"), ("int64", "uint8"))]

# ---- logaddexp
CASES += [
    np_case("logaddexp", "np._internal.logaddexp", pair("float32", low=-3, high=3), dynamic=BROADCAST),
    np_case("logaddexp_special", "np._internal.logaddexp", [data(values=[1000.0, -1000.0, INF, -INF, -INF, NAN]),
                                                  data(values=[1000.0, -1001.0, 1.0, 1.0, -INF, 1.0])]),
    np_case("logaddexp_float_int", "np._internal.logaddexp", [data(3, 4), data(3, 4, dtype="int32")]),
    np_case("logaddexp_half_float", "np._internal.logaddexp", [data(3, 4, dtype="float16"), data(3, 4)]),
]
for t in FLOATS + ["int32", "uint8", "bool"]:
    CASES += [np_case("logaddexp_number_" + t, "np._internal.logaddexp_scalar", [data(3, 4, dtype=t)],
                      dict(scalar=2, is_int=True)),
              np_case("logaddexp_fraction_" + t, "np._internal.logaddexp_scalar", [data(3, 4, dtype=t)],
                      dict(scalar=-0.5, is_int=False))]

# ---- logical: of any types, to bool
for op in ("logical_and", "logical_or", "logical_xor"):
    CASES.append(np_case(op, "np." + op, [data(3, 4, kind="int", low=0, high=1), data(1, 4, kind="int", low=0, high=1)],
                         dynamic=BROADCAST))
    for a, b in (("bool", "bool"), ("int32", "float32"), ("bool", "int64"), ("uint8", "float16"), ("float64", "int8")):
        CASES.append(np_case("%s_%s_%s" % (op, a, b), "np." + op,
                             [data(3, 4, dtype=a, kind="int", low=0, high=1), data(3, 4, dtype=b, kind="int", low=0, high=1)]))
    for t in ("bool", "int32", "float32"):
        for n in (0, 2):
            CASES.append(np_case("%s_number_%d_%s" % (op, n, t), "np._internal.%s_scalar" % op,
                                 [data(3, 4, dtype=t, kind="int", low=0, high=1)], dict(scalar=n, is_int=True)))
        CASES.append(np_case("%s_fraction_%s" % (op, t), "np._internal.%s_scalar" % op,
                             [data(3, 4, dtype=t, kind="int", low=0, high=1)], dict(scalar=0.5, is_int=False)))

# ---- a number that the type has no place for wraps around
CASES += [np_case(op + "_wraps", "np._internal.%s_scalar" % op, [data(3, 4, dtype="uint8", low=250, high=255)],
                  dict(scalar=-3, is_int=True)) for op in ("less", "greater_equal", "equal", "logical_or", "floor_divide", "fmax")]

# ---- shifts
for op in ("left", "right"):
    for t in WHOLE:
        x = data(3, 4, dtype=t, low=0 if t == "uint8" else -90, high=90)
        CASES += [
            np_case("shift_%s_%s" % (op, t), "np._internal.bitwise_%s_shift" % op, [x, data(1, 4, dtype=t, low=0, high=5)],
                    dynamic=BROADCAST),
            np_case("shift_%s_number_%s" % (op, t), "np._internal.bitwise_%s_shift_scalar" % op, [x],
                    dict(scalar=3, is_int=True)),
            np_case("shift_%s_of_number_%s" % (op, t), "np._internal.rbitwise_%s_shift_scalar" % op,
                    [data(3, 4, dtype=t, low=0, high=5)], dict(scalar=77, is_int=True)),
            np_case("shift_%s_by_none_%s" % (op, t), "np._internal.bitwise_%s_shift_scalar" % op, [x],
                    dict(scalar=0, is_int=True)),
            np_case("shift_%s_of_one_%s" % (op, t), "np._internal.rbitwise_%s_shift_scalar" % op,
                    [data(3, 4, dtype=t, low=0, high=5)], dict(scalar=1, is_int=True)),
        ]
    CASES += [np_case("shift_%s_%sfraction" % (op, r), "np._internal.%sbitwise_%s_shift_scalar" % (r, op),
                      [data(3, 4, dtype="int32")], dict(scalar=2.5, is_int=False), error="must be an integer for a shift")
              for r in ("", "r")]
    CASES += [np_case("shift_%s_%s_%s" % (op, a, b), "np._internal.bitwise_%s_shift" % op,
                      [data(3, 4, dtype=a, low=0, high=90), data(3, 4, dtype=b, low=0, high=5)])
              for a, b in (("int8", "int32"), ("int64", "uint8"), ("int8", "uint8"))]

# ---- functions of integers are floats in MXNet 2
FUNCTIONS = ("arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees exp expm1 fix floor log log10 log1p log2 "
             "radians rint sin sinh sqrt tan tanh trunc").split()
for op in FUNCTIONS:
    low, high = (0, 1) if op[:4] in ("arcc", "arcs", "arct") else (1, 5)
    if op == "arccosh":
        low, high = 1, 5
    if op == "arctanh":
        low, high = 0, 0
    for t in ("bool", "int8", "uint8", "int32", "int64"):
        CASES.append(np_case("%s_%s" % (op, t), "np." + op, [data(3, 4, dtype=t, low=min(low, 1) if t == "bool" else low,
                                                                  high=min(high, 1) if t == "bool" else high)]))

# ---- activations
for op in ("log_sigmoid", "mish"):
    CASES += [case(op, op, [data(3, 4, low=-9, high=9)]), case(op + "_half", op, [data(3, 4, dtype="float16")]),
              case(op + "_double", op, [data(3, 4, dtype="float64")], rtol=1e-6),  # ONNX Runtime has float32 kernels
              case(op + "_int", op, [data(3, 4, dtype="int32")]),
              case(op + "_activation", "Activation", [data(3, 4, low=-9, high=9)], dict(act_type=op)),
              ]

# ---- a number that no integer is
for op in ("arctan2", "copysign", "floor_divide", "fmax", "fmin", "fmod", "ldexp", "logaddexp", "rarctan2", "rcopysign", "rfloor_divide",
           "rfmod", "rldexp"):
    CASES.append(np_case(op + "_infinite", "np._internal.%s_scalar" % op, [data(values=[1, 2], dtype="int32")], dict(scalar="inf"),
                         error="is inf, but the data is int32"))

for t in ("float16", "float64"):
    CASES.append(np_case("ldexp_far_" + t, "np._internal.ldexp_scalar", [data(values=[0, 1, -2], dtype=t)], dict(scalar=300)))
