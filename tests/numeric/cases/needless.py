# SPDX-License-Identifier: Apache-2.0
"""What was refused though ONNX can say it: parts and results without an element, diagonals and slices of any size."""
from . import case, data

CASES = []


def add(name, op, inputs, attrs=None, **options):
    CASES.append(case(name, op, inputs, attrs, np_shape=True, **options))


# ---- empty
add("hsplit_empty", "np.hsplit", [data(3, 4)], dict(indices_or_sections=(0, 2, 2)))
add("split_empty_end", "np.split", [data(3, 4)], dict(indices_or_sections=(1, 4), axis=1))
add("repeat_0", "np.repeat", [data(3, 4)], dict(repeats=0, axis=1))
add("repeat_0_flat", "np.repeat", [data(3, 4)], dict(repeats=0))
add("one_hot_0", "npx.one_hot", [data(values=[1, 0])], dict(depth=0))
add("assign_nothing", "_internal._slice_assign_scalar", [data(3, 4)], dict(scalar=2.0, begin=(2,), end=(2,), step=(1,)))
add("index_array_scalar", "contrib.index_array", [data()])
add("tensorinv_2", "np.linalg.tensorinv", [data(1, 1, low=1, high=2)], dict(ind=2), dynamic=None)
add("tensorsolve_scalars", "np.linalg.tensorsolve", [data(low=1, high=2), data()])
add("tensorsolve_ranks", "np.linalg.tensorsolve", [data(1, 1, low=1, high=2), data(1, 1)], dynamic=None)

# ---- dynamic
HW = [{0: "h", 1: "w"}]
for k in (0, 1, -2):
    tag = str(k).replace("-", "m")
    add("diag_" + tag, "np.diag", [data(3, 4)], dict(k=k), dynamic=HW, sizes={"h": 5, "w": 3})
    add("diagonal_" + tag, "np.diagonal", [data(3, 2, 4)], dict(offset=k, axis1=0, axis2=2), dynamic=[{0: "h", 2: "w"}], sizes={"h": 5, "w": 3})
    add("trace_" + tag, "np.trace", [data(3, 4, 2)], dict(offset=k), dynamic=HW, sizes={"h": 5, "w": 3})
add("diagonal_none", "np.diagonal", [data(3, 4)], dict(offset=2), dynamic=HW, sizes={"h": 2, "w": 1})
add("trace_none", "np.trace", [data(3, 4)], dict(offset=2), dynamic=HW, sizes={"h": 2, "w": 1})
CASES.append(case("diag_old", "diag", [data(3, 4)], dict(k=1), dynamic=HW, sizes={"h": 5, "w": 3}))
for name, begin, end, step in (("front", (1,), (3,), (1,)), ("back", (-2,), (None,), (1,)), ("step", (None,), (None,), (2,)),
                               ("turned", (None,), (None,), (-1,)), ("turned_step", (-1,), (0,), (-2,)), ("far", (0,), (99,), (3,)),
                               ("two", (1, 0), (None, 2), (1, 1))):
    add("assign_" + name, "_internal._slice_assign_scalar", [data(5, 4)], dict(scalar=2.0, begin=begin, end=end, step=step), dynamic=HW)
add("assign_values", "_internal._slice_assign", [data(5, 4), data(2, 4)], dict(begin=(1,), end=(3,), step=(1,)),
    dynamic=[{0: "h", 1: "w"}, {1: "w"}])
add("assign_values_step", "_internal._slice_assign", [data(5, 4), data(3, 2)], dict(begin=(None, 1), end=(None, 3), step=(-2, 1)),
    dynamic=[{0: "h"}, {0: "v"}], sizes={"h": 4, "v": 2})
CASES.append(case("normalize_open", "image.normalize", [data(3, 5, 4)], dict(mean=0.5, std=0.25), dynamic=[{0: "c", 1: "h"}], sizes={"c": 1}))
for t in ("uint8", "int8"):
    CASES.append(case("quantize_v2_empty_" + t, "contrib.quantize_v2", [data(values=[0.0, -1.0, 2.0, 0.0])],
                      dict(min_calib_range=0.0, max_calib_range=0.0, out_type=t)))
