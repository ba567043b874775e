# SPDX-License-Identifier: Apache-2.0
"""Operators that MXNet 2 has alone, and attributes that are new there."""
import json

from . import build, case, data, param

ORACLE = "2.0.0b1"
NAN, INF = float("nan"), float("inf")


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


def inner(name, op, inputs, attrs=None, **options):
    return np_case(name, "np._internal." + op, inputs, attrs, **options)


def doubles(*values):
    return data(values=list(values), dtype="float64")


CASES = []

# ---- interp
XP, FP = doubles(0, 1, 2.5), doubles(1, 3, -2)
X = data(values=[[-1, 0, 0.5], [1, 2, 9]], dtype="float64")
CASES += [
    inner("interp", "interp", [XP, FP, X], dynamic=[None, None, {0: "n"}]),
    inner("interp_points", "interp", [data(values=[0.0, 1, 2, 3], dtype="float64"), data(4, dtype="float64"), X],
          dynamic=[{0: "k"}, {0: "k"}, {0: "n"}], sizes={"k": 3}),
    inner("interp_ends", "interp", [XP, FP, X], dict(left=-7, right=8.5)),
    inner("interp_period", "interp", [XP, FP, doubles(0.7, 1.2, -3.1, 5.9, -0.1)], dict(period=2.75)),
    inner("interp_short_period", "interp", [XP, FP, X], dict(period=2.0, left=9, right=9)),
    inner("interp_negative_period", "interp", [XP, FP, doubles(0.7, 1.2, -3.1, 5.9, -0.1)], dict(period=-2.0), error="positive"),
    inner("interp_number", "interp", [XP, FP], dict(x_scalar=0.5, x_is_scalar=True)),
    inner("interp_number_beyond", "interp", [XP, FP], dict(x_scalar=-3, x_is_scalar=True)),
    inner("interp_one_point", "interp", [doubles(1), doubles(5), X], dict(left=-1)),
    inner("interp_step", "interp", [doubles(0, 1, 1, 2), doubles(0, 1, 5, 6), doubles(0.5, 1, 1.5, 2)]),
    inner("interp_special", "interp", [XP, FP, doubles(NAN, INF, -INF)]),
    inner("interp_float32", "interp", [data(3), data(3), data(2)], error="float64"),
]

# ---- cross
V = {"3_3": ((4, 3), (4, 3)), "2_2": ((4, 2), (4, 2)), "2_3": ((4, 2), (4, 3)), "3_2": ((4, 3), (4, 2))}
CASES += [np_case("cross_" + n, "np.cross", [data(*a), data(*b)]) for n, (a, b) in V.items()] + [
    np_case("cross_axes", "np.cross", [data(3, 4), data(4, 3)], dict(axisa=0, axisc=0), dynamic=[{1: "n"}, {0: "n"}]),
    np_case("cross_axisb", "np.cross", [data(4, 5, 3), data(4, 3, 5)], dict(axisb=1)),
    np_case("cross_broadcast", "np.cross", [data(3), data(4, 3)], dynamic=[None, {0: "n"}]),
    np_case("cross_float64", "np.cross", [data(4, 3, dtype="float64"), data(4, 3, dtype="float64")]),
    np_case("cross_one_wide", "np.cross", [data(1, 2), data(4, 3)], dynamic=[None, {0: "n"}]),
    np_case("cross_shorter", "np.cross", [data(4, 3), data(3)], dynamic=None, error="has rank 0 and the first"),
    np_case("cross_four", "np.cross", [data(4, 4), data(4, 4)], error="2 or 3"),
]

# ---- kron
CASES += [
    np_case("kron", "np.kron", [data(2, 3), data(4, 2)], dynamic=[{0: "n"}, {1: "m"}]),
    np_case("kron_vector", "np.kron", [data(3), data(2, 3)], dynamic=[None, {0: "n"}]),
    np_case("kron_number", "np.kron", [data(2, 3), data(values=2.5)], dynamic=[{0: "n"}, None]),
    np_case("kron_int", "np.kron", [data(2, 3, dtype="int32"), data(2, 2, dtype="int32")]),
    np_case("kron_3d", "np.kron", [data(2, 3, 2), data(2, 2, 3)]),
]

# ---- triangles
CASES += [
    np_case("triu", "np.triu", [data(3, 4)], dynamic=[{0: "n"}]),
    np_case("triu_k", "np.triu", [data(2, 3, 4)], dict(k=1), dynamic=[{0: "n"}]),
    np_case("triu_negative", "np.triu", [data(4, 3)], dict(k=-2), dynamic=[{0: "n", 1: "m"}]),
    np_case("triu_vector", "np.triu", [data(3)], dynamic=[{0: "n"}]),
    np_case("triu_int", "np.triu", [data(3, 3, dtype="int64")]),
]


def made(op, *args, **attrs):
    """An operator without inputs, together with one that has an input: the symbol has to read one."""
    def make(mx):
        f = mx.sym.np
        for part in op.split("."):
            f = getattr(f, part)
        out = f(*args, **attrs)
        return mx.sym.Group([mx.sym.Variable("x").as_np_ndarray() * 1] + (list(out) if isinstance(out, (list, tuple)) else [out]))
    return make


FULL = dict(shape=(2, 3), double_value=0, int_value=0, uint_value=0)
LINES = dict(start_double=0.0, stop_double=0.0, start_int=0, stop_int=0, start_uint=0, stop_uint=0)
for name, f in (
        ("tri", made("_internal.tri", N=3)), ("tri_wide", made("_internal.tri", N=2, M=4, k=1, dtype="int32")),
        ("tri_below", made("_internal.tri", N=3, M=2, k=-1, dtype="float64")), ("tri_empty", made("_internal.tri", N=0, M=2)),
        ("tril_indices", made("_internal.tril_indices", n=3, m=3)), ("tril_indices_wide", made("_internal.tril_indices", n=3, m=4, k=1)),
        ("tril_indices_none", made("_internal.tril_indices", n=2, m=2, k=-3)), ("tril_indices_whole", made("_internal.tril_indices", n=2, m=3, k=5)),
        ("tril_indices_grow", made("_internal.tril_indices", n=9, m=4, k=-3)), ("tril_indices_few", made("_internal.tril_indices", n=70, m=60, k=-50)),
        ("tril_indices_negative", made("_internal.tril_indices", n=-1, m=2)), ("tril_indices_minus", made("_internal.tril_indices", n=3, m=-1, k=2)),
        ("tril_indices_many", made("_internal.tril_indices", n=90, m=50, k=-7)), ("tril_indices_column", made("_internal.tril_indices", n=4, m=1, k=-1)),
        ("full_int", made("_internal.full", **dict(FULL, int_value=7, value_type=0, dtype="int64"))),
        ("full_vector", made("_internal.full", **dict(FULL, shape=(5,), int_value=-7, value_type=0, dtype="int32"))),
        ("full_uint", made("_internal.full", **dict(FULL, uint_value=9, value_type=1, dtype="uint8"))),
        ("full_double", made("_internal.full", **dict(FULL, double_value=2.5, value_type=2, dtype="float32"))),
        ("full_large", made("_internal.full", **dict(FULL, int_value=2 ** 40, value_type=0, dtype="int64"))),
        ("linspace_int", made("_internal.linspace", **dict(LINES, num=5, start_int=-2, stop_int=4, value_type=0, dtype="float32"))),
        ("linspace_uint", made("_internal.linspace", **dict(LINES, num=5, start_uint=2, stop_uint=4, value_type=1, dtype="float32"))),
        ("linspace_double", made("_internal.linspace", **dict(LINES, num=5, start_double=0.5, stop_double=4, endpoint=False, value_type=2,
                                                              dtype="float64"))),
        ("linspace_to_int", made("_internal.linspace", **dict(LINES, num=4, stop_int=9, value_type=0, dtype="int32")))):
    CASES.append(build(name, f, {"x": data(2)}, np_shape=True))

# ---- repeats: 2.0.0b1 computes it for the first axis
CASES += [
    inner("repeats_one", "repeats", [data(3, 2)], dict(repeats=(3,), axis=0)),
    inner("repeats_vector", "repeats", [data(3)], dict(repeats=(2,), axis=-1)),
    inner("repeats_flat", "repeats", [data(3, 2)], dict(repeats=(2,))),
    inner("repeats_no_columns", "repeats", [data(3, 2)], dict(repeats=(2,), axis=0), dynamic=[{0: "n", 1: "m"}], sizes={"m": 0}),
    inner("repeats_no_rows", "repeats", [data(3, 2, 4)], dict(repeats=(2,), axis=0), dynamic=[{0: "n", 1: "m"}], sizes={"n": 0}),
    inner("repeats_no_middle", "repeats", [data(3, 2, 4)], dict(repeats=(2,), axis=0), dynamic=[{0: "n", 1: "m"}], sizes={"m": 0}),
    np_case("reshape_merged_no_rows", "npx.reshape", [data(3, 2, 4, 2)], dict(newshape=(-5, -4)),
            dynamic=[{0: "n", 1: "m", 2: "k"}], sizes={"n": 0}),
    np_case("reshape_merged_no_inner", "npx.reshape", [data(3, 2, 4, 2)], dict(newshape=(-5, -4)),
            dynamic=[{0: "n", 1: "m", 2: "k"}], sizes={"k": 0}),
    inner("repeats_each", "repeats", [data(3, 2)], dict(repeats=(1, 0, 2), axis=0), dynamic=None),
    inner("repeats_each_flat", "repeats", [data(2, 3)], dict(repeats=(1, 2, 0, 1, 1, 3)), dynamic=None),
    inner("repeats_fewer", "repeats", [data(4, 2)], dict(repeats=(1, 2, 3), axis=0), dynamic=None),
    inner("repeats_fewer_flat", "repeats", [data(2, 2)], dict(repeats=(1, 0, 2)), dynamic=None),
    inner("repeats_each_int", "repeats", [data(3, 2, dtype="int32")], dict(repeats=(0, 2, 1), axis=-2), dynamic=None),
    inner("repeats_second", "repeats", [data(3, 2)], dict(repeats=(2,), axis=1), error="wrong elements"),
]

# ---- assignment: as a graph 2.0.0b1 leaves undefined what fill_diagonal does not write
for name, shape, attrs in (("", (3, 4), dict(val=(9,))), ("_tall", (7, 2), dict(val=(1, 2))), ("_wrapped", (7, 2), dict(val=(1, 2), wrap=True)),
                           ("_cube", (3, 3, 3), dict(val=(1.5, 2))), ("_wide", (2, 5), dict(val=(1, 2, 3), wrap=True))):
    CASES.append(inner("fill_diagonal" + name, "fill_diagonal", [data(*shape)], attrs, dynamic=None, in_place=True))
for t in ("int8", "uint8", "int32", "int64"):
    CASES.append(inner("fill_diagonal_beyond_" + t, "fill_diagonal", [data(7, 7, dtype=t)],
                       dict(val=(300.7, -300.7, -1.5, 3e9, 9.3e18, -3e9)), dynamic=None, in_place=True))
    CASES.append(inner("fill_diagonal_far_" + t, "fill_diagonal", [data(3, 3, dtype=t)], dict(val=(9.3e18,)), dynamic=None, in_place=True))
CASES.append(inner("fill_diagonal_int", "fill_diagonal", [data(3, 3, dtype="int32")], dict(val=(1.5, 2, 3)), dynamic=None, in_place=True))
for op in ("index_add", "index_update"):
    opsets = dict(opsets=(16, 17, 21, 26)) if op == "index_add" else {}
    for name, a, ind, val in (("", (4, 3), data(2, 3, values=[[0, 1, 3], [1, 2, 0]], dtype="int64"), data(3)),
                              ("_rows", (4, 3), data(1, 2, values=[[2, 0]], dtype="int32"), data(2, 3)),
                              ("_vector", (4, 3), data(2, values=[2, 0], dtype="int32"), data(2, 3)),
                              ("_number", (4, 3), data(1, 2, values=[[2, 0]], dtype="int64"), data(values=5.0)),
                              ("_one_row", (4, 3), data(1, 2, values=[[2, 0]], dtype="int64"), data(3))):
        CASES.append(np_case(op + name, "npx." + op, [data(*a), ind, val], dynamic=[{0: "n"}, None, None], **opsets))
    CASES.append(np_case(op + "_int", "npx." + op, [data(4, 3, dtype="int32"), data(1, 2, values=[[2, 0]], dtype="int64"),
                                                    data(2, 3, dtype="int32")], dynamic=[{0: "n"}, None, None], **opsets))
for op in ("index_add", "index_update"):
    CASES.append(np_case(op + "_cube", "npx." + op, [data(4, 3), data(1, 2, 2, values=[[[2, 0], [1, 3]]], dtype="int64"), data(3)],
                         dynamic=None, error="must have rank 1 or 2"))
CASES.append(np_case("index_add_twice", "npx.index_add", [data(4, 3), data(1, 3, values=[[2, 2, 0]], dtype="int64"), data(3, 3)],
                     dynamic=None, opsets=(16, 17, 21, 26)))

# ---- digamma
CASES += [
    np_case("digamma", "npx.digamma", [data(3, 4, low=0.05, high=9)]),
    np_case("digamma_special", "npx.digamma", [data(values=[0.5, 1, 1.4616321, 10, 100, -0.5, -1.25, -1e-3, 1e-3, -3.7, 1e6])]),
    np_case("digamma_poles", "npx.digamma", [data(values=[-1.0, 0.0, -7.0])]),
    np_case("digamma_next_to_0", "npx.digamma", [data(values=[-1e-9, 2e-9, -3e-9])]),
    np_case("digamma_float64", "npx.digamma", [data(3, 4, dtype="float64", low=0.1, high=9)], rtol=1e-6),
    np_case("digamma_float16", "npx.digamma", [data(3, 4, dtype="float16", low=0.5, high=9)]),
]

# ---- greatest common divisor
CASES += [
    np_case("gcd", "np.gcd", [data(3, 4, dtype="int32", low=-20, high=20), data(1, 4, dtype="int32", low=0, high=20)], dynamic=[{0: "n"}, None]),
    np_case("gcd_zeros", "np.gcd", [data(values=[0, 0, 6], dtype="int64"), data(values=[0, 4, 0], dtype="int64")]),
    np_case("gcd_uint8", "np.gcd", [data(3, 4, dtype="uint8", low=1, high=99), data(3, 4, dtype="uint8", low=1, high=99)]),
    inner("gcd_number", "gcd_scalar", [data(3, 4, dtype="int32", low=-20, high=20)], dict(scalar=12, is_int=True)),
    *[inner("%s_wrapped_%s" % (f, t), f + "_scalar", [data(values=[3, 6, 44, 0], dtype=t)], dict(scalar=300, is_int=True))
      for f in ("gcd", "lcm") for t in ("int8", "uint8")],
    inner("gcd_other_number", "gcd_scalar", [data(3, 4, dtype="int64", low=0, high=99)], dict(scalar=7, is_int=True)),
    inner("gcd_fraction", "gcd_scalar", [data(3, dtype="int32")], dict(scalar=2.5, is_int=False), error="must be an integer"),
    np_case("gcd_float", "np.gcd", [data(3), data(3)], error="integers only"),
]

# ---- means and products of nothing, and from a number
CASES += [
    inner("mean_of_nothing", "mean", [data(0, 3)], dict(axis=(0,)), dynamic=None, error="the mean of no elements"),
    inner("prod_initial", "prod", [data(2, 3)], dict(initial=1.0), error="initial"),
]

# ---- quantised tensors
RANGE = [data(1, values=[-1.5]), data(1, values=[2.0])]
for t in ("int8", "uint8"):
    CASES += [
        np_case("quantized_reshape_" + t, "npx.quantized_reshape", [data(2, 3, 4, dtype=t)] + RANGE, dict(newshape=(-2, -1)),
                dynamic=[{0: "n"}, None, None]),
        np_case("quantized_transpose_" + t, "npx.quantized_transpose", [data(2, 3, 4, dtype=t)] + RANGE, dict(axes=(2, 0, 1)),
                dynamic=[{0: "n"}, None, None]),
        case("quantized_reshape_legacy_" + t, "contrib.quantized_reshape", [data(2, 3, 4, dtype=t)] + RANGE, dict(shape=(0, -1)),
             dynamic=[{0: "n"}, None, None]),
        case("quantized_transpose_legacy_" + t, "contrib.quantized_transpose", [data(2, 3, dtype=t)] + RANGE,
             dynamic=[{0: "n"}, None, None]),
    ]
CASES += [
    np_case("quantized_reshape_reverse", "npx.quantized_reshape", [data(2, 3, 4, dtype="int8")] + RANGE, dict(newshape=(-1, -2), reverse=True),
            dynamic=None),
    case("quantized_reshape_legacy_reverse", "contrib.quantized_reshape", [data(2, 3, 4, dtype="int8")] + RANGE,
         dict(shape=(-1, 0), reverse=True), dynamic=None),
    case("quantized_reshape_target", "contrib.quantized_reshape", [data(2, 3, 4, dtype="int8")] + RANGE, dict(target_shape=(2, 0)), dynamic=None),
    case("quantized_reshape_highest", "contrib.quantized_reshape", [data(2, 3, 4, dtype="int8")] + RANGE,
         dict(target_shape=(0, 4, 3), keep_highest=True), dynamic=None),
    np_case("intgemm_maxabsolute", "npx.intgemm_maxabsolute", [data(3, 64, low=-3, high=2)]),
    np_case("intgemm_prepare_data", "npx.intgemm_prepare_data", [data(3, 64, low=-3, high=2), data(1, values=[2.5])]),
]

# ---- attention within a window
NL = {0: "n", 1: "length"}
for name, attrs, n in (("", dict(w=1, symmetric=True), 3), ("_behind", dict(w=2, symmetric=False), 3)):
    D = data(2, dtype="int32", values=[1, 2])
    CASES += [
        np_case("sldwin_score" + name, "npx.sldwin_atten_score", [data(2, 5, 2, 4), data(2, 5, 2, 4), D], attrs, dynamic=[NL, NL, None]),
        np_case("sldwin_context" + name, "npx.sldwin_atten_context", [data(2, 5, 2, n), data(2, 5, 2, 4), D], attrs, dynamic=[NL, NL, None]),
        np_case("sldwin_mask" + name, "npx.sldwin_atten_mask_like", [data(2, 5, 2, n), D, data(2, dtype="int32", values=[3, 5])], attrs,
                dynamic=[NL, None, {0: "n"}]),
    ]

# ---- rank, qr
DEFICIENT = [[1, 2, 3], [2, 4, 6], [0, 1, 5], [1, 3, 8]]
EPS = dict(finfoEps32=2 ** -23, finfoEps64=2.0 ** -52)
CASES += [
    inner("rank", "matrix_rank_none_tol", [data(2, 3, 4)], EPS),
    inner("rank_deficient", "matrix_rank_none_tol", [data(values=DEFICIENT)], EPS, dynamic=None),
    inner("rank_float64", "matrix_rank_none_tol", [data(4, 3, dtype="float64")], dict(EPS, finfoEps64=2.0 ** -50), dynamic=None),
    inner("rank_hermitian", "matrix_rank_none_tol", [data(3, 3)], dict(EPS, hermitian=True), error="hermitian"),
    inner("rank_eps", "matrix_rank_none_tol", [data(2, 3, 4)], dict(finfoEps32=.05, finfoEps64=0)),
    inner("rank_tol", "matrix_rank", [data(2, 3, 4), data(2, values=[0.5, 2.0])], dynamic=[{0: "n"}, {0: "n"}]),
    inner("rank_tols_of_one", "matrix_rank", [data(1, 3, 4), data(2, values=[0.5, 2.0])], dynamic=None),
    inner("rank_tol_hermitian", "matrix_rank", [data(2, 3, 3), data(2)], dict(hermitian=True), error="hermitian"),
    inner("qr", "qr", [data(4, 3)], dynamic=None),
    inner("qr_wide", "qr", [data(2, 3, 5)]),
    inner("qr_square", "qr", [data(4, 4, dtype="float64")], dynamic=None),
    inner("qr_done", "qr", [data(values=[[2.0, 1, 5], [0, -3, 1], [0, 0, 4], [0, 0, 0]])], dynamic=None),
    inner("qr_vector", "qr", [data(3, 1)], dynamic=None),
    inner("qr_int", "qr", [data(4, 3, dtype="int32")], dynamic=None),
    inner("qr_columns", "qr", [data(4, 3)], dynamic=[{1: "w"}], sizes=dict(w=6)),
]

# ---- what oneDNN's pass writes
CASES += [
    case("fused_score", "_internal._sg_onednn_selfatt_qk", [data(2, 5, 24)], dict(heads=2), dynamic=[{0: "n", 1: "t"}]),
    case("fused_value", "_internal._sg_onednn_selfatt_valatt", [data(2, 4, 5, 5), data(2, 5, 24)], dict(heads=4),
         dynamic=[{0: "n", 2: "t", 3: "t"}, {0: "n", 1: "t"}]),
    case("fused_score_quantized", "_internal._sg_onednn_selfatt_qk", [data(2, 5, 24)], dict(heads=4, quantized=True), outputs=[0],
         error="quantized"),
    case("fused_value_quantized", "_internal._sg_onednn_selfatt_valatt", [data(2, 2, 5, 5), data(2, 5, 24)], dict(heads=2, quantized=True), outputs=[0],
         error="quantized"),
]


def fused(**attrs):
    """From a file: mx.sym does not compose it."""
    nodes = [dict(op="null", name=n, inputs=[]) for n in "xy"]
    nodes.append(dict(op="_sg_onednn_batch_dot", name="op", attrs=attrs, inputs=[[0, 0, 0], [1, 0, 0]]))
    text = json.dumps(dict(nodes=nodes, arg_nodes=[0, 1], heads=[[2, 0, 0]], attrs={"mxnet_version": ["int", 20000]}))
    return lambda mx: mx.sym.fromjson(text)


CASES += [
    build("fused_batch_dot", fused(), {"x": data(2, 3, 4), "y": data(2, 4, 5)}),
    build("fused_batch_dot_transposed", fused(transpose_a="True", transpose_b="True"), {"x": data(2, 4, 3), "y": data(2, 5, 4)}),
    build("fused_batch_dot_quantized", fused(quantized="True"), {"x": data(2, 3, 4), "y": data(2, 4, 5)}, error="quantized"),
]

CASES.append(case("deconvolution_target", "Deconvolution", [data(1, 2, 5, 5), data(2, 3, 3, 3)],
                  dict(kernel=(3, 3), stride=(2, 2), target_shape=(10, 9), num_filter=3, no_bias=True), dynamic=None, error="target_shape"))
CASES.append(np_case("group_norm_mean_var", "npx.group_norm", [data(2, 4, 3), data(4), data(4)], dict(num_groups=2, output_mean_var=True),
                     atol=1e-5))
CASES.append(np_case("cast_beyond_uint64", "npx.cast", [param(values=[2.0 ** 64, 1e30, INF, NAN, -1, -2.0 ** 63, -1e30, 2.0 ** 63, 3])],
                     dict(dtype="uint64")))
