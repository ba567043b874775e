# SPDX-License-Identifier: Apache-2.0
"""Reductions, norm, moments, argmax and argmin."""
from . import build, case, data, param

NAN = float("nan")
ALL = [{0: "a", 1: "b", 2: "c"}]
CASES = []
for op in ("sum", "mean", "max", "min", "prod", "nansum", "nanprod"):
    CASES += [
        case(op + "_all", op, [data(2, 3, 4)]),
        case(op + "_all_keep", op, [data(2, 3, 4)], dict(keepdims=True)),
        case(op + "_none", op, [data(2, 3, 4)], dict(axis=None)),
        case(op + "_empty", op, [data(2, 3, 4)], dict(axis=())),
        case(op + "_empty_exclude", op, [data(2, 3, 4)], dict(axis=(), exclude=True)),
        case(op + "_1", op, [data(2, 3, 4)], dict(axis=1), dynamic=ALL),
        case(op + "_1_keep", op, [data(2, 3, 4)], dict(axis=1, keepdims=True), dynamic=ALL),
        case(op + "_negative", op, [data(2, 3, 4)], dict(axis=-1)),
        case(op + "_two", op, [data(2, 3, 4)], dict(axis=(2, 0)), dynamic=ALL),
        case(op + "_two_keep", op, [data(2, 3, 4)], dict(axis=(-1, 0), keepdims=1)),
        case(op + "_every", op, [data(2, 3, 4)], dict(axis=(0, 1, 2))),
        case(op + "_every_keep", op, [data(2, 3, 4)], dict(axis=(0, 1, 2), keepdims=True)),
        case(op + "_exclude", op, [data(2, 3, 4)], dict(axis=1, exclude=True)),
        case(op + "_exclude_keep", op, [data(2, 3, 4)], dict(axis=(0, -1), exclude=True, keepdims=True)),
        case(op + "_exclude_nothing", op, [data(2, 3)], dict(axis=(0, 1), exclude=True)),
        case(op + "_vector", op, [data(5)]),
        case(op + "_vector_axis", op, [data(5)], dict(axis=0), dynamic=[{0: "n"}]),
        case(op + "_size_1", op, [data(2, 1, 3)], dict(axis=1)),
        case(op + "_rank5", op, [data(2, 2, 3, 2, 2)], dict(axis=(1, 3))),
        case(op + "_f16", op, [data(2, 3, 4, dtype="float16")], dict(axis=1)),
        case(op + "_f64", op, [data(2, 3, 4, dtype="float64")], dict(axis=1)),
        case(op + "_i32", op, [data(2, 3, dtype="int32", low=1, high=5)], dict(axis=1)),
        case(op + "_i64", op, [data(2, 3, dtype="int64", low=1, high=5)], dict(axis=1)),
        case(op + "_i8", op, [data(2, 3, dtype="int8", low=1, high=3)], dict(axis=1)),
        case(op + "_u8", op, [data(2, 3, dtype="uint8", low=1, high=3)], dict(axis=1)),
    ]
WITH_NAN = [[1.0, NAN, 2.0], [NAN, NAN, NAN]]
CASES += [
    case("nansum_nan", "nansum", [data(values=WITH_NAN)], dict(axis=1)),
    case("nanprod_nan", "nanprod", [data(values=WITH_NAN)], dict(axis=1)),
    case("nansum_nan_exclude_nothing", "nansum", [data(values=WITH_NAN)], dict(axis=(0, 1), exclude=True)),
    case("sum_axis", "sum_axis", [data(2, 3)], dict(axis=1)),
    case("max_axis", "max_axis", [data(2, 3)], dict(axis=0)),
    build("mean_of_param", lambda mx: mx.sym.broadcast_sub(mx.sym.Variable("x"), mx.sym.mean(mx.sym.Variable("w"))),
          {"x": data(2, 3)}, {"w": param(3, 4)}),

    # ---- norm
    case("norm", "norm", [data(2, 3, 4)]),
    case("norm_keep", "norm", [data(2, 3, 4)], dict(keepdims=True)),
    case("norm_1", "norm", [data(2, 3, 4)], dict(axis=1), dynamic=ALL),
    case("norm_negative", "norm", [data(2, 3, 4)], dict(axis=-1, keepdims=True)),
    case("norm_two", "norm", [data(2, 3, 4)], dict(axis=(1, 2))),
    case("norm_ord1", "norm", [data(2, 3, 4)], dict(ord=1, axis=2)),
    case("norm_ord1_all", "norm", [data(2, 3, 4)], dict(ord=1)),
    case("norm_vector", "norm", [data(5)], dict(axis=0)),
    case("norm_f16", "norm", [data(2, 3, dtype="float16")], dict(axis=1)),
    case("norm_f64", "norm", [data(2, 3, dtype="float64")], dict(axis=1)),
    case("norm_out_same", "norm", [data(2, 3)], dict(axis=1, out_dtype="float32")),
    case("norm_ord3", "norm", [data(2, 3)], dict(axis=1, ord=3), error="ord"),

    # ---- moments
    case("moments", "moments", [data(2, 3, 4)], dict(axes=(1,)), dynamic=ALL),
    case("moments_keep", "moments", [data(2, 3, 4)], dict(axes=(0, 2), keepdims=True)),
    case("moments_negative", "moments", [data(2, 3, 4)], dict(axes=(-1,))),
    case("moments_f64", "moments", [data(2, 3, dtype="float64")], dict(axes=(1,))),
]

# ---- arg
for op in ("argmax", "argmin"):
    CASES += [
        case(op, op, [data(2, 3, 4, kind="distinct")], dict(axis=1), dynamic=ALL),
        case(op + "_none", op, [data(2, 3, 4, kind="distinct")]),
        case(op + "_none_keep", op, [data(2, 3, 4, kind="distinct")], dict(keepdims=True)),
        case(op + "_keep", op, [data(2, 3, 4, kind="distinct")], dict(axis=-1, keepdims=True)),
        case(op + "_0", op, [data(2, 3, 4, kind="distinct")], dict(axis=0)),
        case(op + "_vector", op, [data(6, kind="distinct")], dict(axis=0)),
        case(op + "_vector_keep", op, [data(6, kind="distinct")], dict(axis=0, keepdims=True)),
        case(op + "_ties", op, [data(values=[[1, 3, 3], [2, 2, 2]])], dict(axis=1), dynamic=None),
        case(op + "_f16", op, [data(2, 5, dtype="float16", kind="distinct")], dict(axis=1)),
        case(op + "_f64", op, [data(2, 5, dtype="float64", kind="distinct")], dict(axis=1)),
        case(op + "_i32", op, [data(2, 5, dtype="int32")], dict(axis=1)),
        case(op + "_i64", op, [data(2, 5, dtype="int64")], dict(axis=1)),
        case(op + "_u8", op, [data(2, 5, dtype="uint8")], dict(axis=1)),
    ]
CASES += [
    case("argmax_channel", "argmax_channel", [data(2, 5, kind="distinct")]),
    case("argmax_channel_rank4", "argmax_channel", [data(2, 3, 2, 2, kind="distinct")],
         dynamic=[{0: "n", 2: "h", 3: "w"}]),
]
