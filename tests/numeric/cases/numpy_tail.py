# SPDX-License-Identifier: Apache-2.0
"""NumPy's rarest operators: percentiles, edits of axes, counts and positions."""
from . import build, case, data

CASES = []
NM = [{0: "n", 1: "m"}]


def np_case(name, op, inputs, attrs=None, **options):
    CASES.append(case(name, op, inputs, attrs, np_shape=True, **options))


# ---- percentile
Q = data(values=[0.0, 10.0, 50.0, 62.5, 100.0])
for how in ("linear", "lower", "higher", "midpoint", "nearest"):
    np_case("percentile_" + how, "np._internal.percentile", [data(3, 4, 5), Q], dict(axis=(1,), interpolation=how),
            dynamic=[{0: "n", 1: "m"}, None])
    np_case("percentile_q_" + how, "np._internal.percentile", [data(3, 4)], dict(interpolation=how, q_scalar=37.5), dynamic=NM)
np_case("percentile_axes", "np._internal.percentile", [data(3, 4, 5), Q], dict(axis=(0, -1), keepdims=True),
        dynamic=[{0: "n"}, {0: "q"}])
np_case("percentile_keepdims", "np._internal.percentile", [data(3, 4)], dict(keepdims=True, q_scalar=50.0), dynamic=NM)
np_case("percentile_f64", "np._internal.percentile", [data(7, dtype="float64"), data(values=[20.0, 81.0], dtype="float64")])
np_case("percentile_f16", "np._internal.percentile", [data(7, dtype="float16"), Q], rtol=1e-3)
np_case("percentile_i32", "np._internal.percentile", [data(3, 7, dtype="int32"), data(values=[20, 81], dtype="int32")], dict(axis=(1,)))
np_case("percentile_u8", "np._internal.percentile", [data(7, dtype="uint8")], dict(q_scalar=90.0))
np_case("percentile_rank0_q", "np._internal.percentile", [data(3, 4), data(values=25.0)], dict(axis=(0,)))
np_case("percentile_one", "np._internal.percentile", [data(1, 4)], dict(axis=(0,), q_scalar=25.0), dynamic=NM)
np_case("percentile_q_low", "np._internal.percentile", [data(4)], dict(q_scalar=-1.0), error="0 to 100")

# ---- average
np_case("average", "np._internal.average", [data(3, 4), data(3, 4, low=0.5, high=2)], dict(axis=(1,)), dynamic=NM * 2)
np_case("average_all", "np._internal.average", [data(3, 4), data(3, 4, low=0.5, high=2)], dynamic=NM * 2)
np_case("average_returned", "np._internal.average", [data(3, 4), data(3, 4, low=0.5, high=2)], dict(axis=(0,), returned=True))
np_case("average_vector", "np._internal.average", [data(3, 4, 2), data(4, low=0.5, high=2)], dict(axis=(-2,), returned=True),
        dynamic=[{0: "n", 1: "m"}, {0: "m"}])
np_case("average_plain", "np._internal.average", [data(3, 4)], dict(axis=(0, 1), weighted=False, returned=True), dynamic=NM)
np_case("average_plain_axis", "np._internal.average", [data(3, 4)], dict(axis=(1,), weighted=False), dynamic=NM)
np_case("average_f64", "np._internal.average", [data(3, 4, dtype="float64"), data(4, dtype="float64", low=0.5, high=2)], dict(axis=(1,)))
np_case("average_f16", "np._internal.average", [data(3, 4, dtype="float16"), data(4, dtype="float16", low=0.5, high=2)], dict(axis=(1,)))

# ---- delete
for name, attrs in (("one", dict(int_ind=1, axis=1)), ("one_back", dict(int_ind=-1, axis=0)), ("one_flat", dict(int_ind=5)),
                    ("one_back_2", dict(int_ind=-2, axis=-1))):
    np_case("delete_" + name, "np._internal.delete", [data(3, 4)], attrs, dynamic=NM, imperative=True)
for name, attrs in (("slice", dict(start=1, stop=6, step=2, axis=1)), ("slice_all", dict(step=1, axis=0)),
                    ("slice_none", dict(start=2, stop=1, step=1, axis=0)), ("slice_back", dict(start=-1, step=-3, axis=1)),
                    ("slice_back_to", dict(start=5, stop=1, step=-2, axis=1)),
                    ("slice_flat", dict(start=3, stop=-3, step=4)), ("slice_far", dict(start=-99, stop=99, step=2, axis=1))):
    np_case("delete_" + name, "np._internal.delete", [data(3, 7)], attrs, dynamic=None, imperative=True)
np_case("delete_step_0", "np._internal.delete", [data(3, 7)], dict(step=0, axis=1), error="step")
np_case("delete_outside", "np._internal.delete", [data(3)], dict(int_ind=3, axis=0), error="outside")
for t in ("int64", "int32"):
    np_case("delete_list_" + t, "np._internal.delete", [data(5, 4), data(values=[1, 3, 1, 7, -1], dtype=t)], dict(axis=0),
            dynamic=[{0: "n", 1: "m"}, {0: "k"}], imperative=True)
np_case("delete_list_flat", "np._internal.delete", [data(2, 3), data(values=[[0, 4]], dtype="int64")], dynamic=None, imperative=True)
np_case("delete_list_i32", "np._internal.delete", [data(2, 5, dtype="int32"), data(values=[2], dtype="int64")], dict(axis=1), imperative=True)
np_case("delete_rank0", "np._internal.delete", [data()], dict(int_ind=0, axis=0), error="has rank 0")

# ---- insert
V = data(4)
for name, attrs, v in (("one", dict(int_ind=1, axis=0), [V]),
                       ("one_rows", dict(int_ind=-1, axis=0), [data(2, 4)]), ("one_flat", dict(int_ind=3, val=2.0), []),
                       ("one_columns", dict(int_ind=1, axis=1), [data(2, 3)]), ("one_end", dict(int_ind=3, axis=0), [data(1, 4)]),
                       ("one_many_flat", dict(int_ind=3), [data(3)])):
    np_case("insert_" + name, "np._internal.insert_scalar", [data(3, 4)] + v, attrs, dynamic=[{}] + [None] * len(v))
np_case("insert_one_open", "np._internal.insert_scalar", [data(3, 4), data(4)], dict(int_ind=1, axis=0), dynamic=[{0: "n", 1: "m"}, {0: "m"}])
np_case("insert_val_i32", "np._internal.insert_scalar", [data(3, dtype="int32")], dict(int_ind=1, axis=0, val=2.7))
np_case("insert_types", "np._internal.insert_scalar", [data(3, dtype="int32"), data(values=[1.5, -1.5])], dict(int_ind=1, axis=0), dynamic=None)
np_case("insert_outside", "np._internal.insert_scalar", [data(3)], dict(int_ind=4, axis=0, val=1.0), error="outside")
for name, attrs, v in (("slice", dict(start=1, stop=6, step=2, axis=1), [data(3, 3)]),
                       ("slice_none", dict(start=2, stop=1, step=1, axis=0), [data(7)]), ("slice_back", dict(start=-1, step=-3, axis=1), [data(1, 3)]),
                       ("slice_flat", dict(start=3, stop=-3, step=4), [data(4)]), ("slice_one", dict(start=2, stop=3, step=1, axis=1), [data(3, 4)]),
                       ("slice_wide", dict(start=0, stop=2, step=1, axis=0), [data(7)])):
    np_case("insert_" + name, "np._internal.insert_slice", [data(3, 7)] + v, attrs, dynamic=None)
np_case("insert_slice_dynamic", "np._internal.insert_slice", [data(4, 3), data(4, 3)], dict(start=0, step=1, axis=0),
        dynamic=[{0: "n"}, {0: "m"}], dynamic_error="must be a number")
PLACES = data(values=[2, 0, -1, 2], dtype="int64")
np_case("insert_list", "np._internal.insert_tensor", [data(3, 5), data(4, 5), PLACES], dict(axis=0), dynamic=[{0: "n", 1: "m"}, {1: "m"}, None])
np_case("insert_list_flat", "np._internal.insert_tensor", [data(3, 5), data(4), PLACES], dynamic=NM + [None, None])
np_case("insert_list_column", "np._internal.insert_tensor", [data(3, 5), data(3, 1), PLACES], dict(axis=1), dynamic=None)
np_case("insert_at_one", "np._internal.insert_tensor", [data(3, 5), data(3, 2), data(values=[-2], dtype="int64")], dict(axis=1), dynamic=None)
np_case("insert_at_number", "np._internal.insert_tensor", [data(3, 5), data(3, 3), data(values=3, dtype="int64")], dict(axis=1), dynamic=None)
np_case("insert_at_number_1", "np._internal.insert_tensor", [data(3, 5), data(), data(values=-2, dtype="int64")], dict(axis=1), dynamic=NM + [None, None])
np_case("insert_at_number_odd", "np._internal.insert_tensor", [data(3, 5), data(2, 3), data(values=3, dtype="int64")], dict(axis=1), dynamic=None,
        error="values")
np_case("insert_list_i32", "np._internal.insert_tensor", [data(3, dtype="int32"), data(4), PLACES], dict(axis=0), dynamic=None)

# ---- ediff1d
np_case("ediff1d", "np._internal.ediff1d", [data(3, 4)], dynamic=NM)
np_case("ediff1d_ends", "np._internal.ediff1d", [data(5)], dict(to_begin_scalar=1.5, to_end_scalar=-2.5))
np_case("ediff1d_arrays", "np._internal.ediff1d", [data(5), data(2), data(2, 2)], dict(to_begin_arr_given=True, to_end_arr_given=True),
        dynamic=[{0: "n"}, {0: "a"}, {0: "b"}])
np_case("ediff1d_begin", "np._internal.ediff1d", [data(5), data(2)], dict(to_begin_arr_given=True, to_end_scalar=3.0))
np_case("ediff1d_end", "np._internal.ediff1d", [data(5), data(2)], dict(to_end_arr_given=True))
np_case("ediff1d_none", "np._internal.ediff1d", [data(0)], dict(to_begin_scalar=1.5, to_end_scalar=3.0), dynamic=None)
np_case("ediff1d_one", "np._internal.ediff1d", [data(1)], dict(to_end_scalar=3.0))
np_case("ediff1d_i32", "np._internal.ediff1d", [data(5, dtype="int32")], dict(to_end_scalar=3.7))

# ---- diagflat, bincount, diag_indices_from
for k in (0, 2, -1):
    np_case("diagflat_%s" % str(k).replace("-", "m"), "np.diagflat", [data(2, 3)], dict(k=k), dynamic=NM)
np_case("diagflat_i32", "np.diagflat", [data(3, dtype="int32")])
for t in ("int32", "int64", "uint8", "int8"):
    np_case("bincount_" + t, "np._internal.bincount", [data(9, dtype=t, low=0, high=5)], dict(minlength=3), imperative=True)
np_case("bincount_least", "np._internal.bincount", [data(3, dtype="int32", low=0, high=2)], dict(minlength=7), imperative=True)
np_case("bincount_weights", "np._internal.bincount", [data(9, dtype="int64", low=0, high=5), data(9)], dict(has_weights=True), imperative=True)
np_case("bincount_weights_i32", "np._internal.bincount", [data(9, dtype="int32", low=0, high=5), data(9, dtype="int32")], dict(has_weights=True), imperative=True)
np_case("bincount_run", "np._internal.bincount", [data(3, dtype="int32", low=0, high=4)], dict(minlength=2), sizes={"batch": 0}, imperative=True)
np_case("bincount_f32", "np._internal.bincount", [data(3)], error="must be an integer type")
np_case("diag_indices_from", "np._internal.diag_indices_from", [data(3, 3)], dynamic=[{0: "n", 1: "n"}])
np_case("diag_indices_from_3", "np._internal.diag_indices_from", [data(2, 2, 2, dtype="int32")], dynamic=None)

# ---- unique, nonzero
WITH = dict(return_index=True, return_inverse=True, return_counts=True)
for t in ("float32", "float64", "int32", "int64", "int8", "uint8", "float16"):
    np_case("unique_" + t, "np._internal.unique", [data(3, 4, dtype=t, low=0, high=4, kind="int")], WITH, dynamic=NM, imperative=True)
np_case("unique_axis", "np._internal.unique", [data(values=[[1, 0, 1, 2], [3, 1, 3, 1]])], dict(axis=1, return_inverse=True),
        dynamic=NM, imperative=True)
np_case("unique_axis_0", "np._internal.unique", [data(values=[[1, 2], [0, 5], [1, 2]])], dict(axis=-2, return_counts=True, return_index=True),
        dynamic=NM, imperative=True)
np_case("unique_plain", "np._internal.unique", [data(values=[3, 1, 2, 3, 1])], imperative=True)
np_case("unique_counts", "np._internal.unique", [data(values=[3, 1, 2, 3, 1])], dict(return_counts=True), imperative=True)
for t in ("float32", "float64", "int32", "int64", "bool", "uint8"):
    np_case("nonzero_" + t, "npx.nonzero", [data(3, 4, dtype=t, low=0, high=1, kind="int")], dynamic=NM, imperative=True)
np_case("nonzero_vector", "npx.nonzero", [data(values=[0, 1, 0, -2])], imperative=True)
np_case("nonzero_3", "npx.nonzero", [data(2, 2, 3, low=0, high=1, kind="int")], imperative=True)

# ---- constraint_check, lcm, polyval
np_case("constraint_check", "npx.constraint_check", [data(values=[True, True], dtype="bool")])
for t in ("int32", "int64", "uint8", "int8"):
    np_case("lcm_" + t, "np.lcm", [data(3, 4, dtype=t, low=0, high=9), data(4, dtype=t, low=0, high=9)],
            dynamic=[{0: "n", 1: "m"}, {0: "m"}])
np_case("lcm_negative", "np.lcm", [data(values=[-4, 6, -6, 0, 0], dtype="int32"), data(values=[6, -4, -9, 5, 0], dtype="int32")])
np_case("lcm_run", "np.lcm", [data(3, dtype="int32"), data(3, dtype="int32")], sizes={"batch": 0})
np_case("lcm_number", "np._internal.lcm_scalar", [data(5, dtype="int32")], dict(scalar=6, is_int=True))
np_case("lcm_number_back", "np._internal.lcm_scalar", [data(5, dtype="int64", low=-9, high=9)], dict(scalar=-4, is_int=True))
np_case("lcm_fraction", "np._internal.lcm_scalar", [data(3, dtype="int32")], dict(scalar=2.5, is_int=False), error="must be an integer")
np_case("lcm_f32", "np.lcm", [data(3), data(3)], error="integers only")
np_case("polyval", "np.polyval", [data(4), data(2, 3)], dynamic=[None, NM[0]])
np_case("polyval_open", "np.polyval", [data(4), data(2, 3)], dynamic=[{0: "k"}, NM[0]])
np_case("polyval_long", "np.polyval", [data(40), data(3)], dynamic=[None, {0: "n"}])
np_case("polyval_one", "np.polyval", [data(1), data(3)], dynamic=None)
np_case("polyval_wild", "np.polyval", [data(2), data(values=[float("inf"), float("nan"), 1.0])], dynamic=None)
np_case("polyval_f64", "np.polyval", [data(3, dtype="float64"), data(3, dtype="float64")], dynamic=None)
np_case("polyval_i32", "np.polyval", [data(3, dtype="int32"), data(3, dtype="int32")], dynamic=None)

# ---- x[mask] = tensor
MASK = data(values=[[True, False, True], [False, False, True]], dtype="bool")


def assigned(axis):
    """MXNet assigns in place only, so not to a variable."""
    def make(mx):
        x, mask, value = (mx.sym.Variable(n).as_np_ndarray() for n in ("x", "mask", "value"))
        return mx.sym.np._internal.boolean_mask_assign_tensor(mx.sym.np._internal.multiply_scalar(x, scalar=2), mask, value,
                                                              start_axis=axis)
    return make


for name, x, value, axis, dynamic in (
        ("rows", data(2, 3, 4), data(3, 4), 0, {"x": {2: "m"}, "value": {1: "m"}}), ("row", data(2, 3, 4), data(1, 4), 0, None),
        ("numbers", data(2, 3), data(3), 0, None), ("number", data(2, 3, 4), data(), 0, {"x": {2: "m"}}),
        ("behind", data(5, 2, 3, 4), data(5, 3, 4), 1, {"x": {0: "n"}, "value": {0: "n"}}),
        ("behind_one", data(5, 2, 3), data(5, 1), 1, None), ("behind_number", data(5, 2, 3, 2), data(), 1, None),
        ("i32", data(2, 3, dtype="int32"), data(3, dtype="int32"), 0, None),
        ("rank", data(2, 3, 4), data(4), 0, None)):
    CASES.append(build("assign_" + name, assigned(axis), {"x": x, "mask": MASK, "value": value}, dynamic=dynamic, np_shape=True,
                       error="value" if name == "rank" else None))
