# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions of one tensor, identities and casts."""
from . import build, case, data, param

# name: (low, high) of the interval on which the function is smooth
FLOAT = {
    "abs": (-3, 3), "arccos": (-0.99, 0.99), "arccosh": (1.1, 5), "arcsin": (-0.99, 0.99), "arcsinh": (-3, 3),
    "arctan": (-3, 3), "arctanh": (-0.9, 0.9), "cbrt": (-8, 8), "ceil": (-3, 3), "cos": (-4, 4), "cosh": (-3, 3),
    "degrees": (-3, 3), "erf": (-3, 3), "erfinv": (-0.999, 0.999), "exp": (-3, 3), "expm1": (-2, 2), "fix": (-3, 3),
    "floor": (-3, 3), "gamma": (0.1, 6), "gammaln": (0.1, 20), "log": (0.1, 5), "log10": (0.1, 5), "log1p": (-0.9, 5),
    "log2": (0.1, 5), "logical_not": (-2, 2), "negative": (-3, 3), "radians": (-200, 200), "rcbrt": (0.5, 8),
    "reciprocal": (0.5, 4), "relu": (-3, 3), "rint": (-3, 3), "round": (-3, 3), "rsqrt": (0.1, 5), "sigmoid": (-5, 5),
    "sign": (-2, 2), "sin": (-4, 4), "sinh": (-3, 3), "softsign": (-3, 3), "sqrt": (0.1, 5), "square": (-3, 3),
    "tan": (-1.2, 1.2), "tanh": (-3, 3), "trunc": (-3, 3),
}
HALVES = [-2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, 2.4, -2.6, 3.0, -3.0]
NAN, INF = float("nan"), float("inf")

# float64 that the runtime computes in float32
SINGLE = {"arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cosh", "erf", "erfinv", "sinh", "softsign",
          "tan"}

CASES = []
for name, (low, high) in sorted(FLOAT.items()):
    CASES.append(case(name, name, [data(2, 3, 4, low=low, high=high)]))
    CASES.append(case(name + "_f16", name, [data(2, 5, dtype="float16", low=low, high=high)]))
    CASES.append(case(name + "_f64", name, [data(7, dtype="float64", low=low, high=high)],
                      rtol=2e-6 if name in SINGLE else 1e-9))

# Integers keep their type: what is between is lost.
for name in ("abs", "ceil", "floor", "fix", "negative", "relu", "rint", "round", "sign", "square", "trunc",
             "logical_not"):
    CASES.append(case(name + "_i32", name, [data(3, 4, dtype="int32")]))
    CASES.append(case(name + "_i64", name, [data(3, 4, dtype="int64")]))
    CASES.append(case(name + "_i8", name, [data(3, 4, dtype="int8")]))
    CASES.append(case(name + "_u8", name, [data(3, 4, dtype="uint8")]))
for name in ("sqrt", "exp", "log10", "reciprocal", "rsqrt", "degrees", "sigmoid", "expm1", "log1p", "cbrt"):
    CASES.append(case(name + "_i32", name, [data(3, 4, dtype="int32", low=1, high=9)]))
CASES.append(case("cbrt_i32_exact", "cbrt", [data(values=[-64, 27, 63, 64, 125, 1000], dtype="int32")]))
CASES.append(case("log10_i32_exact", "log10", [data(values=[1, 10, 99, 100, 1000, 1000000], dtype="int32")]))
CASES.append(case("log2_i64_exact", "log2", [data(values=[1, 2, 7, 8, 1024, 1 << 29], dtype="int64")]))
CASES.append(case("exp_i64", "exp", [data(values=[0, 1, 5, 20], dtype="int64")]))
CASES.append(case("sqrt_u8", "sqrt", [data(values=[0, 1, 15, 200], dtype="uint8")]))

for name in ("round", "rint", "fix", "trunc", "floor", "ceil"):
    CASES.append(case(name + "_halves", name, [data(values=HALVES)]))
    CASES.append(case(name + "_halves_f16", name, [data(values=HALVES, dtype="float16")]))
for name in ("relu", "abs", "exp", "log", "sqrt", "tanh", "sigmoid", "negative", "square", "reciprocal", "floor",
             "round", "trunc"):
    CASES.append(case(name + "_special", name, [data(values=[NAN, INF, -INF, 0.0, 1.0])]))

CASES += [
    case("relu_rank1", "relu", [data(5)], dynamic=[{0: "n"}]),
    case("relu_rank6", "relu", [data(1, 2, 1, 3, 1, 2)]),
    case("erfinv_ends", "erfinv", [data(values=[-1.0, 1.0, 0.0, 0.9999, -0.9999, 1.5])]),
    case("gamma_negative", "gamma", [data(values=[-0.5, -1.5, -2.3, -4.7, 0.25, 0.5, 10.0, 20.5])]),
    case("gammaln_negative", "gammaln", [data(values=[-0.5, -1.5, -2.3, -4.7, 0.25, 0.5, 1.0, 2.0, 50.0, 1000.0])]),
    case("gamma_int", "gamma", [data(values=[1, 2, 3, 5], dtype="int32")]),
    case("cbrt_known", "cbrt", [data(values=[-8.0, -1.0, 0.0, 1.0, 27.0])]),
    case("logical_not_values", "logical_not", [data(values=[0.0, 0.5, -1.0, 2.0, -0.0])]),
    case("chain_of_nots", "logical_not", [data(2, 3, kind="int", low=0, high=1)]),

    # ---- identities
    case("block_grad", "BlockGrad", [data(2, 3)]),
    case("stop_gradient", "stop_gradient", [data(2, 3)]),
    case("copy", "identity", [data(2, 3)]),
    case("copy_i32", "identity", [data(2, 3, dtype="int32")]),
    case("gradientmultiplier", "contrib.gradientmultiplier", [data(2, 3)], dict(scalar=0.3)),
    case("identity_like_rhs", "_internal._identity_with_attr_like_rhs", [data(2, 3), data(2, 3)]),
    case("cast_storage", "cast_storage", [data(2, 3)], dict(stype="default")),
    build("block_grad_inside", lambda mx: mx.sym.relu(mx.sym.BlockGrad(mx.sym.Variable("x") * 2)), {"x": data(2, 3)}),

    # ---- casts
    case("cast_f64_f32", "Cast", [data(2, 3, dtype="float64")], dict(dtype="float32")),
    case("cast_f32_f64", "Cast", [data(2, 3)], dict(dtype="float64")),
    case("cast_same", "Cast", [data(2, 3)], dict(dtype="float32")),
    case("cast_f32_f16", "Cast", [data(2, 3)], dict(dtype="float16")),
    case("cast_f16_f32", "Cast", [data(2, 3, dtype="float16")], dict(dtype="float32")),
    case("cast_f32_i32", "Cast", [data(values=[1.9, -1.9, 0.5, -0.5, 100.0])], dict(dtype="int32")),
    case("cast_f32_i64", "Cast", [data(values=[1.9, -1.9, 0.5, -0.5, 1e6])], dict(dtype="int64")),
    case("cast_f32_i8", "Cast", [data(values=[1.9, -1.9, 100.0, -100.0])], dict(dtype="int8")),
    case("cast_f32_u8", "Cast", [data(values=[1.9, 0.0, 100.0, 255.0])], dict(dtype="uint8")),
    case("cast_f32_bool", "Cast", [data(values=[0.0, 0.3, -1.0, 2.0])], dict(dtype="bool")),
    case("cast_i32_f32", "Cast", [data(2, 3, dtype="int32")], dict(dtype="float32")),
    case("cast_i64_i32", "Cast", [data(2, 3, dtype="int64")], dict(dtype="int32")),
    case("cast_i32_i8", "Cast", [data(values=[-5, 7, 127], dtype="int32")], dict(dtype="int8")),
    case("cast_u8_f32", "Cast", [data(2, 3, dtype="uint8")], dict(dtype="float32")),
    build("cast_there_and_back", lambda mx: mx.sym.Cast(mx.sym.Cast(mx.sym.Variable("x"), dtype="int32"),
                                                        dtype="float32"), {"x": data(2, 4, low=-5, high=5)}),
    build("cast_param", lambda mx: mx.sym.Cast(mx.sym.Variable("w"), dtype="float32") + mx.sym.Variable("x"),
          {"x": data(2, 3)}, {"w": param(2, 3, dtype="int32")}, dynamic=None),
    case("amp_cast_f16", "amp_cast", [data(2, 3)], dict(dtype="float16")),
    case("amp_cast_back", "amp_cast", [data(2, 3, dtype="float16")], dict(dtype="float32")),
    case("amp_cast_int", "amp_cast", [data(2, 3, dtype="int32")], dict(dtype="float16")),
    case("amp_cast_f64", "amp_cast", [data(2, 3, dtype="float64")], dict(dtype="float16"), native=True),
    case("amp_multicast", "amp_multicast", [data(2, 3, dtype="float16"), data(2, 3), data(4, dtype="float16")],
         dict(num_outputs=3), native=True),
    case("amp_multicast_narrow", "amp_multicast", [data(2, 3, dtype="float16"), data(2, 3)],
         dict(num_outputs=2, cast_narrow=True), native=True),
    case("amp_multicast_narrow_wide", "amp_multicast", [data(2, 3), data(3)], dict(num_outputs=2, cast_narrow=True), native=True),
    case("amp_multicast_int", "amp_multicast", [data(2, 3, dtype="float16"), data(2, 3), data(2, dtype="int32")],
         dict(num_outputs=3), native=True),
    case("amp_multicast_one", "amp_multicast", [data(2, 3, dtype="float16")], dict(num_outputs=1), native=True),
]
