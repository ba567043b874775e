# SPDX-License-Identifier: Apache-2.0
"""NumPy's arithmetic, comparisons, elementwise functions, where."""
from . import build, case, data, param

NAN, INF = float("nan"), float("inf")
NM = [{0: "n", 1: "m"}]
CASES = []


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


def numbers(dtype, *shape, low=None, high=None):
    """Whole and halved numbers of a type, none of them 0."""
    unsigned, real = dtype in ("uint8", "bool"), dtype.startswith("float")
    if dtype == "bool":
        return data(*shape, dtype="bool", low=0, high=1)
    return data(*shape, dtype=dtype, low=low if low is not None else 1 if unsigned else 0.5 if real else 1,
                high=high if high is not None else 4, kind="uniform" if real else "int")


# ---- two tensors: shapes
PAIRS = ["add", "subtract", "multiply", "true_divide", "mod", "power", "equal", "not_equal", "greater",
         "greater_equal", "less", "less_equal"]
for op in PAIRS:
    few = op not in PAIRS[:6]
    first = dict(kind="int", low=-1, high=1) if few else dict(low=0.5, high=3)
    CASES += [
        np_case(op, "np." + op, [data(2, 3, 4, **first), data(2, 3, 4, **first)],
                dynamic=[{0: "n", 1: "m"}, {0: "n", 1: "m"}]),
        np_case(op + "_ranks", "np." + op, [data(2, 3, 4, **first), data(3, 1, **first)], dynamic=[{0: "n"}, None]),
        np_case(op + "_scalar_left", "np." + op, [data(**first), data(3, 4, **first)], dynamic=[None, {0: "n"}]),
        np_case(op + "_both_scalars", "np." + op, [data(**first), data(**first)]),
        np_case(op + "_empty", "np." + op, [data(0, 4, **first), data(1, 4, **first)], dynamic=None),
        np_case(op + "_param", "np." + op, [data(2, 3, **first), param(3, **first)]),
    ]

# ---- two tensors: types
TYPES = ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64"]
FLOATS = TYPES[5:]


def accepts(op, x, y):
    """What MXNet 1.9.1 has a kernel for."""
    whole = x not in FLOATS and y not in FLOATS
    if op in ("add", "multiply", "power"):
        return {x, y} != {"int8", "uint8"}
    if op == "true_divide":
        return x == y or (x in FLOATS) != (y in FLOATS)
    if op in ("subtract", "mod"):
        return (x == y and x != "bool") or not whole
    return x == y


for op in ("add", "subtract", "multiply", "true_divide", "mod", "power"):
    for x in TYPES:
        for y in TYPES:
            if accepts(op, x, y) and not (x == y == "float32"):
                second = numbers(y, 3, 4) if op not in ("true_divide", "mod") or y != "bool" else \
                    data(3, 4, dtype="bool", values=[[True] * 4] * 3)
                CASES.append(np_case("%s_%s_%s" % (op, x, y), "np." + op, [numbers(x, 3, 4), second]))
for op in PAIRS[6:]:
    for x in TYPES:
        CASES.append(np_case("%s_%s" % (op, x), "np." + op, [numbers(x, 3, 4, low=1, high=2), numbers(x, 3, 4, low=1, high=2)]))

MIXED = [-7.5, -7.0, -1.0, 0.0, 0.5, 3.0, 7.0, 7.5]
CASES += [
    np_case("mod_signs", "np.mod", [data(values=MIXED), data(values=[[2.0], [-2.0], [0.0], [-0.75]])], dynamic=None),
    np_case("mod_signs_i32", "np.mod", [data(values=[-7, -1, 0, 5, 8], dtype="int32"),
                                        data(values=[[3], [-3], [0]], dtype="int32")], dynamic=None),
    np_case("true_divide_zero", "np.true_divide", [data(values=[1.0, -1.0, 0.0]), data(values=[0.0, 0.0, 0.0])]),
    np_case("true_divide_zero_i32", "np.true_divide", [data(values=[1, -1, 0], dtype="int32"),
                                                       data(values=[0, 0, 0], dtype="int32")]),
    np_case("equal_nan", "np.equal", [data(values=[NAN, 1.0]), data(values=[NAN, 1.0])]),
    np_case("not_equal_nan", "np.not_equal", [data(values=[NAN, 1.0]), data(values=[NAN, 1.0])]),
    np_case("less_nan", "np.less", [data(values=[NAN, 1.0]), data(values=[2.0, NAN])]),
    np_case("add_i32_i64_param", "np.add", [data(2, 3, dtype="int32"), param(3, dtype="int64")]),
    np_case("maximum", "np.maximum", [data(2, 3), data(3)]),
    np_case("minimum", "np.minimum", [data(2, 3), data()]),
    np_case("hypot", "np.hypot", [data(2, 3), data(3)]),
]

# ---- a tensor and a number
SCALARS = ["add", "subtract", "rsubtract", "multiply", "true_divide", "rtrue_divide", "mod", "rmod", "power",
           "rpower", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal"]
for op in SCALARS:
    path = "np._internal.%s_scalar" % op
    CASES += [
        np_case(op + "_number", path, [data(2, 3, low=0.5, high=3)], dict(scalar=2.0, is_int=False), dynamic=NM),
        np_case(op + "_number_rank0", path, [data(low=0.5, high=3)], dict(scalar=1.7, is_int=False)),
        np_case(op + "_number_empty", path, [data(0, 3)], dict(scalar=1.7, is_int=False), dynamic=None),
        np_case(op + "_number_default", path, [data(2, 3, low=0.5, high=3)]),
    ]
    for t in TYPES:
        if t == "float32":
            continue
        for name, attrs in (("int", dict(scalar=2, is_int=True)), ("fraction", dict(scalar=1.7, is_int=False)),
                            ("cut", dict(scalar=1.7, is_int=True))):
            if op in ("rtrue_divide", "rmod") and t == "bool":
                x = data(3, dtype="bool", values=[True] * 3)
            else:
                x = numbers(t, 3, low=1, high=3)
            CASES.append(np_case("%s_%s_%s" % (op, name, t), path, [x], attrs))
CASES += [
    np_case("mod_number_signs", "np._internal.mod_scalar", [data(values=MIXED)], dict(scalar=-2.0, is_int=False)),
    np_case("subtract_number_wraps", "np._internal.subtract_scalar", [data(values=[0, 1, 5], dtype="uint8")],
            dict(scalar=2)),
    np_case("true_divide_by_zero", "np._internal.true_divide_scalar", [data(values=[1.0, -1.0, 0.0])],
            dict(scalar=0.0, is_int=False)),
]

# ---- elementwise functions
UNARY = {"absolute": (-3, 3), "arccos": (-1, 1), "arccosh": (1, 4), "arcsin": (-1, 1), "arcsinh": (-3, 3),
         "arctan": (-3, 3), "arctanh": (-0.9, 0.9), "cbrt": (-9, 9), "ceil": (-3, 3), "cos": (-4, 4),
         "cosh": (-3, 3), "degrees": (-4, 4), "exp": (-3, 3), "expm1": (0.5, 3), "fix": (-3, 3), "floor": (-3, 3),
         "log": (0.1, 9), "log10": (0.1, 9), "log1p": (0.5, 9), "log2": (0.1, 9), "negative": (-3, 3),
         "radians": (-180, 180), "reciprocal": (0.5, 3), "rint": (-3, 3), "sign": (-3, 3), "sin": (-4, 4),
         "sinh": (-3, 3), "sqrt": (0, 9), "square": (-3, 3), "tan": (-1, 1), "tanh": (-3, 3), "trunc": (-3, 3),
         "logical_not": (-1, 1)}
# float64 that the runtime computes in float32
IN_FLOAT32 = ("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cosh", "sinh", "tan")
for op, (low, high) in sorted(UNARY.items()):
    CASES += [
        np_case(op, "np." + op, [data(2, 3, low=low, high=high)], dynamic=NM),
        np_case(op + "_rank0", "np." + op, [data(low=low, high=high)]),
        np_case(op + "_empty", "np." + op, [data(0, 3, low=low, high=high)], dynamic=None),
        np_case(op + "_f16", "np." + op, [data(5, dtype="float16", low=low, high=high)]),
        np_case(op + "_f64", "np." + op, [data(5, dtype="float64", low=low, high=high)],
                rtol=1e-6 if op in IN_FLOAT32 else None),
    ]
    if op not in ("arccos", "arccosh", "arcsin", "arctanh"):
        CASES += [np_case("%s_%s" % (op, t), "np." + op, [data(5, dtype=t, low=1, high=5, kind="int")])
                  for t in ("int8", "uint8", "int32", "int64")]
CASES += [
    np_case("logical_not_bool", "np.logical_not", [data(4, dtype="bool")]),
    np_case("logical_not_values", "np.logical_not", [data(values=[-1.0, 0.0, 0.5, NAN])]),
    np_case("relu", "npx.relu", [data(2, 3, low=-2, high=2)], dynamic=NM),
    np_case("relu_rank0", "npx.relu", [data(values=-1.5, dtype="float32")]),
    np_case("relu_i32", "npx.relu", [data(4, dtype="int32")]),
    np_case("sigmoid", "npx.sigmoid", [data(2, 3, low=-2, high=2)], dynamic=NM),
    np_case("sigmoid_rank0", "npx.sigmoid", [data(low=-2, high=2)]),
    np_case("copy", "np.copy", [data(2, 3)]),
]

# ---- where
COND = data(3, 4, dtype="bool")
CASES += [
    np_case("where", "np.where", [COND, data(3, 4), data(3, 4)], dynamic=[{0: "n"}] * 3),
    np_case("where_broadcast", "np.where", [data(3, 1, dtype="bool"), data(2, 1, 4), data(3, 4)], dynamic=None),
    np_case("where_broadcast_dynamic", "np.where", [data(2, 1, dtype="bool"), data(2, 4), data(4)],
            dynamic=[{0: "n"}, {0: "n"}, None]),
    np_case("where_float_condition", "np.where", [data(values=[0.0, 0.5, NAN, -1.0]), data(4), data(4)]),
    np_case("where_int_condition", "np.where", [data(4, dtype="int32", low=0, high=1), data(4), data()]),
    np_case("where_rank0", "np.where", [data(dtype="bool"), data(), data()]),
    np_case("where_empty", "np.where", [data(0, 4, dtype="bool"), data(0, 4), data(0, 4)], dynamic=None),
    np_case("where_i32", "np.where", [COND, data(3, 4, dtype="int32"), data(4, dtype="int32")]),
    np_case("where_i8", "np.where", [COND, data(3, 4, dtype="int8"), data(4, dtype="int8")]),
    np_case("where_f16", "np.where", [COND, data(3, 4, dtype="float16"), data(4, dtype="float16")]),
    np_case("where_lscalar", "np._internal.where_lscalar", [COND, data(3, 4)], dict(scalar=1.5)),
    np_case("where_lscalar_i32", "np._internal.where_lscalar", [COND, data(2, 3, 4, dtype="int32")], dict(scalar=1.7),
            dynamic=[None, {0: "n"}]),
    np_case("where_rscalar", "np._internal.where_rscalar", [COND, data(3, 4)], dict(scalar=-1.5)),
    np_case("where_rscalar_wide", "np._internal.where_rscalar", [COND, data(1, 1)], dict(scalar=2), dynamic=[{0: "n"}, None]),
    np_case("where_scalar2", "np._internal.where_scalar2", [COND], dict(x=1.5, y=-2)),
]


def assign(value, start_axis):
    """MXNet assigns in place only, so not to a variable."""
    def make(mx):
        x, mask = (mx.sym.Variable(n).as_np_ndarray() for n in ("x", "mask"))
        return mx.sym.np._internal.boolean_mask_assign_scalar(mx.sym.np._internal.multiply_scalar(x, scalar=2), mask,
                                                              value=value, start_axis=start_axis)
    return make


MASK = {"x": {0: "n"}, "mask": {0: "n"}}
for name, x, mask, value, axis, dynamic in (
        ("", data(3, 4), COND, 7.5, 0, MASK), ("_rows", data(3, 4, 2), data(3, dtype="bool"), 7.5, 0, MASK),
        ("_axis", data(2, 3, 4), data(3, dtype="bool"), -1, 1, {"x": {0: "n"}, "mask": None}),
        ("_i32", data(3, 4, dtype="int32"), COND, 7.5, 0, MASK),
        ("_float_mask", data(3), data(values=[0.0, 0.5, -1.0]), 2, 0, MASK)):
    CASES.append(build("mask_assign" + name, assign(value, axis), {"x": x, "mask": mask}, dynamic=dynamic, np_shape=True))
