# SPDX-License-Identifier: Apache-2.0
"""NumPy's rarer operators, and what is refused."""
from . import build, case, data

NAN, INF = float("nan"), float("inf")
NM = [{0: "n", 1: "m"}]
CASES = []


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


SIGNED = dict(low=-3, high=3)
CASES += [
    np_case("arctan2", "np.arctan2", [data(3, 4, **SIGNED), data(3, 4, **SIGNED)]),
    np_case("arctan2_axes", "np.arctan2", [data(values=[0.0, 1.0, -1.0, 2.0, 0.0]), data(values=[0.0, 0.0, 0.0, -1.0, -1.0])]),
    np_case("arctan2_broadcast", "np.arctan2", [data(2, 1, **SIGNED), data(3, **SIGNED)], dynamic=[{0: "n"}, None]),
    np_case("arctan2_i32", "np.arctan2", [data(3, dtype="int32"), data(3, dtype="int32")], error="needs a float type"),
    np_case("hypot_i64", "np.hypot", [data(3, dtype="int64"), data(3, dtype="int64")], error="needs a float type"),
    np_case("arctan2_number", "np._internal.arctan2_scalar", [data(5, **SIGNED)], dict(scalar=-1.5, is_int=False)),
    np_case("rarctan2_number", "np._internal.rarctan2_scalar", [data(5, **SIGNED)], dict(scalar=1.5, is_int=False)),
    np_case("copysign", "np.copysign", [data(3, 4, **SIGNED), data(4, **SIGNED)]),
    np_case("copysign_i32", "np.copysign", [data(5, dtype="int32"), data(5, dtype="int32")]),
    np_case("copysign_number", "np._internal.copysign_scalar", [data(5, **SIGNED)], dict(scalar=-2.0, is_int=False)),
    np_case("rcopysign_number", "np._internal.rcopysign_scalar", [data(5, **SIGNED)], dict(scalar=-2.0, is_int=False)),
    np_case("ldexp", "np.ldexp", [data(3, 4, **SIGNED), data(3, 4, **SIGNED)]),
    np_case("ldexp_i32", "np.ldexp", [data(values=[1, 2, -3, 5], dtype="int32"), data(values=[3, -1, 1, 0], dtype="int32")]),
    np_case("ldexp_number", "np._internal.ldexp_scalar", [data(5, **SIGNED)], dict(scalar=2, is_int=True)),
    np_case("rldexp_number", "np._internal.rldexp_scalar", [data(5, **SIGNED)], dict(scalar=2, is_int=True)),
]
for op in ("and", "or", "xor"):
    CASES.append(np_case("bitwise_%s_bool" % op, "np.bitwise_" + op, [data(2, 3, dtype="bool"), data(2, 3, dtype="bool")]))
    for t in ("int8", "uint8", "int32", "int64"):
        CASES.append(np_case("bitwise_%s_%s" % (op, t), "np.bitwise_" + op, [data(2, 3, dtype=t), data(2, 3, dtype=t)],
                             opsets=(18, 21, 26)))
    CASES += [
        np_case("bitwise_%s_number" % op, "np._internal.bitwise_%s_scalar" % op, [data(2, 3, dtype="int32")],
                dict(scalar=3), opsets=(18, 21, 26)),
        np_case("bitwise_%s_number_bool" % op, "np._internal.bitwise_%s_scalar" % op, [data(2, 3, dtype="bool")],
                dict(scalar=1)),
        np_case("bitwise_%s_old" % op, "np.bitwise_" + op, [data(3, dtype="int32"), data(3, dtype="int32")],
                opsets=(12, 17), error="choose opset 18"),
        np_case("bitwise_%s_number_old" % op, "np._internal.bitwise_%s_scalar" % op, [data(3, dtype="int32")], dict(scalar=3),
                opsets=(12, 17), error="choose opset 18"),
    ]
CASES += [np_case("bitwise_not_" + t, "np.bitwise_not", [data(5, dtype=t)]) for t in ("bool", "int8", "uint8", "int32", "int64")]
WILD = data(values=[NAN, INF, -INF, 0.0, -1.5])
for op in ("isnan", "isinf", "isfinite", "isposinf", "isneginf"):
    CASES += [np_case(op, "np." + op, [WILD]),
              np_case(op + "_f16", "np." + op, [data(values=[NAN, INF, -INF, 0.0], dtype="float16")]),
              np_case(op + "_f64", "np." + op, [data(values=[NAN, INF, -INF, 0.0], dtype="float64")]),
              np_case(op + "_i32", "np." + op, [data(3, dtype="int32")]),
              np_case(op + "_rank0", "np." + op, [data()])]
CASES += [
    np_case("nan_to_num", "np.nan_to_num", [WILD]),
    np_case("nan_to_num_values", "np.nan_to_num", [WILD], dict(nan=2.0, posinf=9.0, neginf=-9.0)),
    np_case("nan_to_num_f16", "np.nan_to_num", [data(values=[NAN, INF, -INF, 1.0], dtype="float16")]),
    np_case("nan_to_num_i32", "np.nan_to_num", [data(3, dtype="int32")]),
    np_case("around", "np.around", [data(values=[0.5, 1.5, 2.5, -0.5, -1.5, 2.4])]),
    np_case("around_1", "np.around", [data(2, 3, low=-3, high=3)], dict(decimals=1), dynamic=NM),
    np_case("around_m1", "np.around", [data(values=[15.0, 24.0, -37.0])], dict(decimals=-1)),
    np_case("around_i32", "np.around", [data(values=[15, 25, -37], dtype="int32")], dict(decimals=-1)),
    np_case("around_i8_far", "np.around", [data(values=[15, 25, -37], dtype="int8")], dict(decimals=-3)),
    np_case("around_i32_up", "np.around", [data(values=[15, 25, -37], dtype="int32")], dict(decimals=2)),
]

# ---- moving along axes
for name, attrs in (("", dict(shift=2)), ("_axis", dict(shift=1, axis=1)), ("_back", dict(shift=-1, axis=-1)),
                    ("_far", dict(shift=7, axis=0)), ("_two", dict(shift=(1, -1), axis=(0, 1))),
                    ("_one_for_two", dict(shift=5, axis=(0, 1))), ("_none", dict(shift=3, axis=1))):
    CASES.append(np_case("roll" + name, "np.roll", [data(2, 3)], attrs, dynamic=NM))
for k in (-1, 0, 1, 2, 3):
    CASES.append(np_case("rot90_%s" % str(k).replace("-", "m"), "np.rot90", [data(2, 3, 4)], dict(k=k), dynamic=NM))
CASES += [
    np_case("rot90_axes", "np.rot90", [data(2, 3, 4)], dict(k=1, axes=(2, 0)), dynamic=NM),
    np_case("rot90_i32", "np.rot90", [data(2, 3, dtype="int32")], dict(k=1)),
    np_case("diff", "np.diff", [data(3, 5)], dynamic=NM),
    np_case("diff_2", "np.diff", [data(4, 5)], dict(n=2, axis=0), dynamic=NM),
    np_case("diff_0", "np.diff", [data(4, 5)], dict(n=0)),
    np_case("diff_empty", "np.diff", [data(2, 3)], dict(n=3)),
    np_case("diff_rounded", "np.diff", [data(9, 40)], dict(n=3), rtol=0, atol=0, dynamic=NM),
    np_case("diff_f16", "np.diff", [data(9, 40, dtype="float16")], dict(n=4), dynamic=NM),
    np_case("diff_rounded_f64", "np.diff", [data(40, 3, dtype="float64")], dict(n=5, axis=0), rtol=0, atol=0, dynamic=NM),
    np_case("diff_of_nothing", "np.diff", [data(0, 4)], dict(n=2, axis=0)),
    np_case("diff_i32_twice", "np.diff", [data(7, dtype="int32")], dict(n=2)),
    np_case("diff_i32", "np.diff", [data(7, dtype="int32")]),
    np_case("diagonal", "np.diagonal", [data(3, 4)], dynamic=None),
    np_case("diagonal_offset", "np.diagonal", [data(2, 3, 4)], dict(offset=1, axis1=1, axis2=2)),
    np_case("diagonal_below", "np.diagonal", [data(3, 4, 2)], dict(offset=-1, axis1=0, axis2=-2), dynamic=[{2: "n"}]),
    np_case("diagonal_outside", "np.diagonal", [data(2, 3, 4)], dict(offset=4, axis1=1, axis2=2)),
    np_case("diag_outside", "np.diag", [data(3, 2)], dict(k=-3), dynamic=None),
    np_case("trace_outside", "np.trace", [data(2, 3, 4)], dict(offset=-3, axis1=1, axis2=2)),
    np_case("diag_matrix", "np.diag", [data(3, 4)], dict(k=1), dynamic=None),
    np_case("diag_vector", "np.diag", [data(3)], dict(k=-1)),
    np_case("trace", "np.trace", [data(3, 4)], dynamic=None),
    np_case("trace_offset", "np.trace", [data(2, 3, 4)], dict(offset=-1, axis1=1, axis2=2)),
    np_case("trace_i8", "np.trace", [data(values=[[100, 0], [0, 100]], dtype="int8")], dynamic=None),
]
for op, shape, how, name in (("hsplit", (2, 6), 3, ""), ("hsplit", (6,), 2, "_vector"), ("hsplit", (2, 6), (1, 4), "_at"),
                             ("dsplit", (2, 3, 4), 2, ""), ("dsplit", (2, 3, 4), (1, 3), "_at")):
    CASES.append(np_case(op + name, "np." + op, [data(*shape)], dict(indices_or_sections=how),
                         dynamic=None if len(shape) == 1 else "batch"))


def made(name, *args, **attrs):
    def make(mx):
        return mx.sym.Group([mx.sym.Variable("x").as_np_ndarray() * 1, getattr(mx.sym.np, name)(*args, **attrs)])
    return make


for name, args, attrs in (
        ("logspace", (0, 2, 5), {}), ("logspace_base", (0, 3, 4), dict(endpoint=False, base=2.0)),
        ("logspace_i32", (0, 2, 4), dict(dtype="int32")), ("logspace_one", (1, 2, 1), {}), ("logspace_none", (1, 2, 0), {}),
        ("indices", ((2, 3),), {}), ("indices_one", ((4,),), dict(dtype="float32")), ("indices_empty", ((0, 3),), {})):
    CASES.append(build(name, made(name.split("_")[0], *args, **attrs), {"x": data(2)}, np_shape=True))


# ---- refused
def initial(op):
    return lambda mx: getattr(mx.sym.np, op)(mx.sym.Variable("x").as_np_ndarray(), initial=1.0)


for op in ("sum", "prod", "max", "min"):
    CASES.append(build(op + "_initial", initial(op), {"x": data(2, 3)}, np_shape=True, error="initial"))
CASES += [
    np_case("mean_initial", "np._internal.mean", [data(2, 3)], dict(initial=1.0), error="initial"),
    np_case("mod_bools", "np.mod", [data(3, dtype="bool"), data(3, dtype="bool")], error="both inputs are bool"),
    np_case("max_of_nothing", "np.max", [data(0, 3)], dynamic=None, error="axis 0 is empty"),
    np_case("add_u8_i8", "np.add", [data(3, dtype="uint8"), data(3, dtype="int8")], error="no common type"),
    np_case("subtract_bools", "np.subtract", [data(3, dtype="bool"), data(3, dtype="bool")], error="both inputs are bool"),
    np_case("bitwise_float", "np.bitwise_and", [data(3), data(3)], error="integers and bool only"),
    np_case("reshape_beside_0", "np.reshape", [data(0, 3)], dict(newshape=(0, -1)), dynamic=None, error="replace -1 by a number"),
    np_case("xreshape_code", "npx.reshape", [data(2, 3)], dict(newshape=(-5, -5)), error="newshape"),
    np_case("xreshape_drop", "npx.reshape", [data(2, 3)], dict(newshape=(-3, -2)), dynamic=None, error="to drop"),
    build("einsum_letters", lambda mx: mx.sym.np.einsum("ij->i", mx.sym.Variable("x").as_np_ndarray()), {"x": data(3)},
          np_shape=True, error="subscripts"),
    np_case("tensordot_axes", "np.tensordot", [data(2, 3), data(3)], dict(axes=2), error="axes to sum over"),
    np_case("matmul_scalar", "np.matmul", [data(2, 3), data()], error="has rank 0"),
    np_case("pad_rank", "np.pad", [data(2, 3, 4)], dict(pad_width=((1, 1), (1, 1)), mode="edge"), error="pad_width"),
    np_case("pad_crops_edge", "np.pad", [data(3, 4)], dict(pad_width=((-1, 2), (1, -2)), mode="edge"), dynamic=NM),
    np_case("pad_crops_constant", "np._internal.pad", [data(3, 4)], dict(pad_width=((-1, 2), (0, -2)), constant_value=2.5), dynamic=NM),
    np_case("pad_crops_all", "np.pad", [data(3, 4)], dict(pad_width=((2, -3), (0, 0))), dynamic=None),
    np_case("pad_crops_vector", "np.pad", [data(4, dtype="int32")], dict(pad_width=(-1, 2))),
    np_case("pad_crops_reflect", "np.pad", [data(3, 4)], dict(pad_width=((-1, 2), (0, 0)), mode="reflect"), error="a width is -1"),
    np_case("pad_crops_edge_all", "np.pad", [data(3, 4)], dict(pad_width=((-3, 1), (0, 0)), mode="edge"), dynamic=None,
            error="3 elements are cropped of an axis of 3"),
    np_case("pad_crops_more", "np.pad", [data(3, 4)], dict(pad_width=((0, 0), (-3, -2))), dynamic=None,
            error="5 elements are cropped of an axis of 4"),
    np_case("pad_edge_of_nothing", "np.pad", [data(0, 3)], dict(pad_width=((1, 1), (1, 1)), mode="edge"), dynamic=None,
            error="only mode constant can pad it"),
    np_case("broadcast_to_size", "np.broadcast_to", [data(3)], dict(shape=(2,)), error="broadcast to"),
]
