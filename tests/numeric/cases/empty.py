# SPDX-License-Identifier: Apache-2.0
"""Sizes of 0, at export and when the model runs; signed zeros."""
from . import FROM_12, build, case, data, param

CASES = []


def np_case(name, op, inputs, attrs=None, **options):
    CASES.append(case(name, op, inputs, attrs, np_shape=True, **options))


# ---- known at export
np_case("batch_dot_none", "npx.batch_dot", [data(2, 3, 0), data(2, 0, 4)])
np_case("batch_dot_no_rows", "npx.batch_dot", [data(2, 0, 3), data(2, 3, 4)])
np_case("batch_dot_no_batch", "npx.batch_dot", [data(0, 2, 3), data(0, 3, 4)], dynamic=None)
np_case("matmul_none", "np.matmul", [data(2, 3, 0), data(0, 4)])
np_case("matmul_none_vector", "np.matmul", [data(3, 0), data(0)])
np_case("dot_none", "np.dot", [data(3, 0), data(0, 4)])
np_case("dot_vectors", "np.dot", [data(0), data(0)], dynamic=None)
np_case("inv_none", "np.linalg.inv", [data(2, 0, 0)])
np_case("det_no_batch", "np.linalg.det", [data(0, 3, 3)], dynamic=None)
np_case("solve_none", "np.linalg.solve", [data(2, 3, 3), data(2, 3, 0)])
np_case("cholesky_none", "np.linalg.cholesky", [data(2, 0, 0)])
np_case("mean_none", "mean", [data(2, 0, 3)], dict(axis=1))
np_case("mean_none_all", "mean", [data(2, 0)], dynamic=None)
np_case("moments_none", "moments", [data(2, 0, 3)], dict(axes=(1,), keepdims=True))
np_case("layer_none", "LayerNorm", [data(2, 3, 0), param(0), param(0)], dict(output_mean_var=True))
for name in ("var", "std"):
    for ddof in (-1, 1, 2):
        np_case("%s_none_ddof_%d" % (name, ddof), "np." + name, [data(0, 2)], dict(axis=0, ddof=ddof), dynamic=None)

# ---- known when the model runs
RUN = dict(sizes={"n": 0}, dynamic=[{0: "n"}])
np_case("any_run", "np.any", [data(3, 2)], **RUN)
np_case("any_axis_run", "np.any", [data(3, 2)], dict(axis=0), **RUN)
np_case("all_run", "np.all", [data(3, 2)], **RUN)
np_case("prod_run", "np.prod", [data(3, 2)], dict(axis=0), **RUN)
np_case("prod_i32_run", "np.prod", [data(3, 2, dtype="int32")], **RUN)
np_case("sum_run", "np.sum", [data(3, 2)], **RUN)
np_case("argmax_run", "np.argmax", [data(3, 2)], dict(axis=1), **RUN)
np_case("cholesky_run", "np.linalg.cholesky", [data(2, 2, 2, values=[[[4, 2], [2, 5]], [[9, 3], [3, 2]]])], **RUN)
np_case("inv_run", "np.linalg.inv", [data(2, 2, 2, values=[[[4, 2], [2, 5]], [[9, 3], [3, 2]]])], **RUN)
np_case("flip_none", "np.flip", [data(2, 3, 4)])
np_case("flip_none_run", "np.flip", [data(2, 3, 4)], **RUN)
np_case("flip_scalar", "np.flip", [data()])

for name, text, shapes, dims in (("einsum_sum", "ij,kj->ik", ((2, 3), (4, 3)), ({1: "n"}, {1: "n"})),
                                 ("einsum_outer", "cea,adc->ace", ((2, 3, 4), (4, 2, 2)), ({0: "c"}, {2: "c"})),
                                 ("einsum_one", "ab,ba->a", ((2, 3), (3, 2)), ({0: "a"}, {1: "a"}))):
    CASES.append(build(name + "_run", lambda mx, text=text: mx.sym.np.einsum(text, *[
        mx.sym.Variable(v).as_np_ndarray() for v in "xy"]), {v: data(*s) for v, s in zip("xy", shapes)}, np_shape=True,
        dynamic=list(dims), sizes={list(dims[0].values())[-1]: 0}, opsets=FROM_12))
np_case("einsum_none", "np._internal.einsum", [data(2, 0), data(4, 0)], dict(subscripts="ij,kj->ik", optimize=0), dynamic=None)

# sizes of 0 that a run brings, through shapes that have to be computed then


def moved(name, make, shape, zero, fixed=(), **options):
    """make(mx.sym, x) with all dims of x open, except the fixed ones; those in `zero` are 0 in the second run."""
    dims = {axis: "d%d" % axis for axis in range(len(shape)) if axis not in fixed}
    CASES.append(build(name + "_run", lambda mx: make(mx.sym, mx.sym.Variable("x").as_np_ndarray()), {"x": data(*shape, **options)},
                       np_shape=True, dynamic=[dims], sizes={"d%d" % axis: 0 for axis in zero}))


for name, zero in (("rows", (0,)), ("columns", (1,)), ("both", (0, 1))):
    moved("repeat_inner_" + name, lambda sym, x: sym.np.repeat(x, 3, axis=1), (2, 3, 4), zero)
    moved("repeat_flat_" + name, lambda sym, x: sym.np.repeat(x, 2), (2, 3), zero)
    moved("tile_" + name, lambda sym, x: sym.np.tile(x, (2, 3)), (2, 3), zero)
    moved("stack_" + name, lambda sym, x: sym.npx.reshape(sym.np.stack([x, x], axis=1), (-2, -5)), (3, 2), zero)
    moved("split_" + name, lambda sym, x: sym.npx.reshape(sym.np.split(x, 2, axis=2)[1], (-5, -2)), (2, 3, 4), zero, (2,))
    moved("expand_dims_" + name, lambda sym, x: sym.np.expand_dims(sym.np.expand_dims(x, 0), 2), (2, 3), zero)
    moved("ravel_" + name, lambda sym, x: sym.np.ravel(x), (2, 3, 4), zero)
    moved("merged_" + name, lambda sym, x: sym.npx.reshape(x, (-5, -4)), (2, 3, 4, 2), zero)
    moved("merged_within_" + name, lambda sym, x: sym.npx.reshape(x, (-2, -5, -2)), (2, 3, 4, 2), zero)
    moved("split_axis_" + name, lambda sym, x: sym.npx.reshape(x, (-5, -6, 2, -1, -4)), (2, 3, 4, 2), zero, (2,))
    moved("turned_merged_" + name, lambda sym, x: sym.npx.reshape(sym.np.transpose(x, (0, 2, 1, 3)), (-5, -4)), (2, 3, 4, 2), zero)
    moved("turned_chain_" + name, lambda sym, x: sym.np.transpose(sym.npx.reshape(sym.np.transpose(x, (0, 2, 1, 3)), (-5, -4)), (1, 0, 2)),
          (2, 3, 4, 2), zero)
    moved("sliced_" + name, lambda sym, x: sym.npx.reshape(x[:, 1:], (-5, -4)), (3, 4, 2), zero[:1])
    moved("int_" + name, lambda sym, x: sym.npx.reshape(x, (-5, -4)), (2, 3, 4, 2), zero, dtype="int32")
    moved("bool_" + name, lambda sym, x: sym.npx.reshape(x, (-5, -4)), (2, 3, 4, 2), zero, dtype="bool")
for name, dims, rows in (("", {0: "t"}, {}), ("_open", {0: "t", 1: "n"}, {0: "r"})):
    keys = {**dims, 0: "s"}
    np_case("selfatt_qk%s_run" % name, "contrib.interleaved_matmul_selfatt_qk", [data(3, 2, 12)], dict(heads=2), dynamic=[dims],
            sizes={"t": 0})
    np_case("selfatt_valatt%s_run" % name, "contrib.interleaved_matmul_selfatt_valatt", [data(3, 2, 12), data(4, 3, 3)], dict(heads=2),
            dynamic=[dims, {**rows, 1: "t", 2: "t"}], sizes={"t": 0, **({"n": 3, "r": 6} if rows else {})})
    for zero in ("s", "t", "st"):
        np_case("encdec_qk%s_run_%s" % (name, zero), "contrib.interleaved_matmul_encdec_qk", [data(4, 3, 10), data(5, 3, 20)],
                dict(heads=2), dynamic=[dims, keys], sizes=dict.fromkeys(zero, 0))
for zero in ("s", "t", "st"):
    np_case("encdec_valatt_run_" + zero, "contrib.interleaved_matmul_encdec_valatt", [data(5, 3, 20), data(6, 4, 5)], dict(heads=2),
            dynamic=[{0: "s"}, {1: "t", 2: "s"}], sizes=dict.fromkeys(zero, 0))
for name, perm in (("rows", (1, 0, 2)), ("turned", (1, 2, 0))):
    CASES.append(build("turned_matmul_%s_run" % name, lambda mx, perm=perm: mx.sym.npx.batch_dot(*[
        mx.sym.np.transpose(mx.sym.Variable(v).as_np_ndarray(), axes) for v, axes in (("x", (0, 1, 2)), ("y", perm))]),
        {"x": data(2, 3, 4), "y": data(*[(2, 4, 5)[perm.index(axis)] for axis in range(3)])}, np_shape=True,
        dynamic=[{} if name == "turned" else {2: "k"}, {0: "k"}], sizes={"k": 0}))
moved("repeat_rows", lambda sym, x: sym.np.repeat(x, 2, axis=0), (2, 3), (0,))

Z, INF, NAN = 0.0, float("inf"), float("nan")
Y = [0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, INF, -INF, INF, INF, 1.0, -1.0, NAN, 0.0, 2.0, -2.0, 2.0, -2.0]
X = [-1.0, -1.0, -0.0, -0.0, 0.0, 0.0, 1.0, 1.0, INF, -INF, -INF, 1.0, -INF, INF, 0.0, NAN, 0.0, 0.0, -0.0, -0.0]
np_case("arctan2_zeros", "np.arctan2", [data(values=Y), data(values=X)])
np_case("arctan2_zeros_f64", "np.arctan2", [data(values=Y, dtype="float64"), data(values=X, dtype="float64")], rtol=1e-6)
np_case("arctan2_number_zero", "np._internal.arctan2_scalar", [data(values=[-0.0, 0.0, 1.0])], dict(scalar=-1.0, is_int=False))
np_case("rarctan2_number_zero", "np._internal.rarctan2_scalar", [data(values=[-0.0, 0.0, 1.0])], dict(scalar=0.0, is_int=False))
CASES += [
    case("quantized_act_u8", "contrib.quantized_act", [data(2, 3, dtype="uint8", low=0, high=255), data(1), data(1)],
         dict(act_type="relu"), dynamic=None),
    case("quantized_act_s8", "contrib.quantized_act", [data(2, 3, dtype="int8", low=-127, high=127), data(1), data(1)],
         dict(act_type="relu"), dynamic=None),
]

# ---- known at export
np_case("matmul_no_columns", "np.matmul", [data(2, 3), data(3, 0)], dynamic=None)
np_case("roll_none", "np.roll", [data(0, 3)], dict(shift=1, axis=0), dynamic=None)
np_case("tril_no_rows", "np.tril", [data(2, 0, 3)], dynamic=None)
np_case("tril_no_columns", "np.tril", [data(2, 3, 0)], dynamic=None)
np_case("adaptive_pooling_no_columns", "contrib.AdaptiveAvgPooling2D", [data(2, 3, 4, 0)], dict(output_size=(2, 2)), dynamic=None)
np_case("repeat_none", "np.repeat", [data(0, 3)], dict(repeats=2, axis=0), dynamic=None)
