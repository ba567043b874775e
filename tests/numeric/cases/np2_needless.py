# SPDX-License-Identifier: Apache-2.0
"""What was refused of MXNet 2's operators though ONNX can say it."""
from . import case, data, param

ORACLE = "2.0.0b1"
CASES = []


def add(name, op, inputs, attrs=None, **options):
    CASES.append(case(name, op, inputs, attrs, np_shape=True, **options))


# ---- qr of any size
MN = [{0: "m", 1: "n"}]
add("qr_wide_open", "np._internal.qr", [data(3, 5)], dynamic=MN, sizes={"m": 2, "n": 5})
add("qr_turns_high", "np._internal.qr", [data(3, 5)], dynamic=MN, sizes={"m": 6, "n": 2})
add("qr_turns_wide", "np._internal.qr", [data(2, 5, 3, dtype="float64")], dynamic=[{0: "b", 1: "m", 2: "n"}], sizes={"m": 1, "n": 4}, rtol=1e-6)
add("qr_square_open", "np._internal.qr", [data(4, 4)], dynamic=[{0: "n", 1: "n"}], sizes={"n": 1})
add("qr_done_open", "np._internal.qr", [data(values=[[2.0, 1, 5], [0, -3, 1], [0, 0, 4], [0, 0, 0]])], dynamic=[{0: "m"}], sizes={"m": 3})
add("qr_large", "np._internal.qr", [data(70, 66)], dynamic=None, rtol=1e-3)
for name, shape in (("rows", (0, 3)), ("columns", (3, 0)), ("batch", (0, 3, 2)), ("inside", (2, 0, 3))):
    add("qr_no_" + name, "np._internal.qr", [data(*shape)], dynamic=None)

# ---- lstsq
EPS = dict(finfoEps32=2 ** -23, finfoEps64=2.0 ** -52)
DEFAULT, OLD, NEW = dict(EPS, rcond=-1.0), dict(EPS, rcond=0.01), dict(EPS, rcond=1.0, new_default=True)
HIGH = [[1.0, 2, 0], [3, 4, 1], [5, 7, -1], [2, 2, 3], [0, 1, 1]]
DEFICIENT = [[1.0, 2, 3], [2, 4, 6], [0, 1, 5], [1, 3, 8]]


def lstsq(name, a, b, attrs, **options):
    options.setdefault("dynamic", None)
    add("lstsq_" + name, "np._internal.lstsq", [a, b], attrs, imperative=True, **options)


lstsq("vector", data(values=HIGH), data(5), DEFAULT)
lstsq("matrix", data(values=HIGH), data(5, 2), NEW)
lstsq("wide", data(2, 4), data(2), DEFAULT)
lstsq("square", data(3, 3), data(3, 2), NEW)
lstsq("one", data(1, 1, low=1, high=2), data(1), DEFAULT)
lstsq("cut", data(values=HIGH), data(5), dict(EPS, rcond=0.5))
lstsq("deficient", data(values=DEFICIENT), data(4, 2), OLD)
lstsq("zeros", data(values=[[0.0, 0], [0, 0], [0, 0]]), data(3), DEFAULT)
lstsq("f64", data(4, 3, dtype="float64"), data(4, dtype="float64"), DEFAULT)
lstsq("mixed", data(4, 3), data(4, dtype="float64"), NEW)
lstsq("no_column", data(3, 0), data(3, 2), DEFAULT)
lstsq("no_row", data(0, 3), data(0, 2), DEFAULT)
lstsq("no_right_side", data(4, 3), data(4, 0), DEFAULT)
lstsq("precision", data(values=DEFICIENT), data(4), dict(rcond=1.0, new_default=True, finfoEps32=0.1, finfoEps64=2.0 ** -52))
lstsq("precision_f64", data(values=DEFICIENT, dtype="float64"), data(4, dtype="float64"), dict(rcond=1.0, new_default=True, finfoEps32=2 ** -23, finfoEps64=0.1))
for tag, sizes in (("higher", {"m": 7, "n": 2, "k": 1}), ("wider", {"m": 2, "n": 4, "k": 3})):
    lstsq("open_" + tag, data(5, 3), data(5, 2), NEW, dynamic=[{0: "m", 1: "n"}, {0: "m", 1: "k"}], sizes=sizes)
lstsq("open_rows", data(5, 3), data(5), DEFAULT, dynamic=[{0: "m"}, {0: "m"}], sizes={"m": 3})
lstsq("open_square", data(3, 3), data(3), OLD, dynamic=[{0: "m", 1: "m"}, {0: "m"}], sizes={"m": 1})
lstsq("i32", data(3, 2, dtype="int32"), data(3), DEFAULT, error="float32 and float64 only")

# ---- diagonals of any size
for wrap in (False, True):
    for tag, sizes in (("high", {"h": 7, "w": 2}), ("wide", {"h": 2, "w": 5}), ("one", {"h": 1, "w": 1})):
        add("fill_%s%s" % (tag, "_wrap" * wrap), "np._internal.fill_diagonal", [data(3, 4)], dict(val=(5.0,), wrap=wrap), dynamic=[{0: "h", 1: "w"}], sizes=sizes, in_place=True)
        add("fill_several_%s%s" % (tag, "_wrap" * wrap), "np._internal.fill_diagonal", [data(6, 3, dtype="int32")], dict(val=(5.0, 2.5), wrap=wrap),
            dynamic=[{0: "h", 1: "w"}], sizes=sizes, in_place=True)
add("fill_cube", "np._internal.fill_diagonal", [data(3, 3, 3)], dict(val=(5.0, 7.0)), dynamic=[{0: "n", 1: "n", 2: "n"}], sizes={"n": 1}, in_place=True)

# ---- sizes that come when the model runs
for name, shape, sizes in (("plain", (2, 6), (4, 3)), ("open", (2, 6), (-1, 3)), ("copy", (2, 6), (0, 2, -1)), ("flat", (2, 3, 2), (-1,)), ("rank0", (1, 1), (1,))):
    add("dynamic_reshape_" + name, "contrib.dynamic_reshape", [data(*shape), data(values=sizes, dtype="int64")], dynamic=None)
add("dynamic_reshape_batch", "contrib.dynamic_reshape", [data(2, 6), data(values=(0, 3, -1), dtype="int64")], dynamic=[{0: "n"}, None])
add("dynamic_reshape_i32", "contrib.dynamic_reshape", [data(2, 6), data(values=(3, 4), dtype="int32")], dynamic=None)
for name, sizes in (("codes", (-2, 3)), ("elements", (5, 3))):
    add("dynamic_reshape_" + name, "contrib.dynamic_reshape", [data(2, 6), param(values=sizes, dtype="int64")], dynamic=None, error="does not match")
add("repeats_0", "np._internal.repeats", [data(2, 3)], dict(repeats=(0,)))
add("repeats_0_axis", "np._internal.repeats", [data(2, 3)], dict(repeats=(0,), axis=0))
for name, numbers, axis in (("none", (), None), ("none_axis", (), 0), ("none_second", (), 1), ("0_second", (0,), 1), ("zeros", (0, 0), 0),
                            ("other_zeros", (0, 0, 0, 0), 0), ("zeros_second", (0, 0, 0), 1), ("zeros_flat", (0,) * 6, None)):
    add("repeats_" + name, "np._internal.repeats", [data(2, 3)], dict(repeats=numbers, axis=axis))
