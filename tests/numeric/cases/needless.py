# SPDX-License-Identifier: Apache-2.0
"""What was refused though ONNX can say it: parts and results without an element, diagonals and slices of any size."""
import numpy as np

from . import build, case, data, param

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

# ---- averages of windows without a cell of the input, which are 0
NHW = [{0: "n", 2: "h", 3: "w"}]


def average(name, shape, kernel, stride, pad=(0, 0), full=True, dynamic=NHW, sizes=None, dtype="float32", **attrs):
    CASES.append(case("avg_" + name, "Pooling", [data(*shape, dtype=dtype)], dict(
        pool_type="avg", kernel=kernel, stride=stride, pad=pad, pooling_convention="full" if full else "valid", **attrs),
        dynamic=dynamic, sizes=sizes, native=True))


for tag, include in (("", {}), ("_exclude", dict(count_include_pad=False))):
    average("beyond" + tag, (2, 3, 5, 5), (1, 1), (3, 3), sizes={"h": 7, "w": 6}, **include)
    average("beyond_wide" + tag, (2, 3, 8, 9), (2, 3), (5, 4), sizes={"h": 1 + 5, "w": 12}, **include)
    average("wide_pad" + tag, (2, 3, 4, 4), (2, 2), (1, 1), (2, 3), full=False, sizes={"h": 1, "w": 2}, **include)
    average("wide_pad_full" + tag, (2, 3, 5, 5), (2, 2), (3, 3), (2, 2), sizes={"h": 6, "w": 1}, **include)
    average("f16" + tag, (2, 3, 5, 5), (1, 1), (3, 3), dtype="float16", **include)
for tag, include in (("", {}), ("_exclude", dict(count_include_pad=False))):
    average("3d" + tag, (1, 2, 5, 4, 5), (1, 2, 1), (3, 3, 2), (0, 0, 0), dynamic=[{2: "d"}], sizes={"d": 6}, **include)
    average("3d_pad" + tag, (1, 2, 5, 4, 5), (2, 2, 1), (1, 3, 2), (3, 0, 1), dynamic=[{2: "d", 4: "w"}], sizes={"d": 6, "w": 3}, **include)
average("nhwc", (2, 5, 5, 3), (1, 1), (3, 3), layout="NHWC", dynamic=[{1: "h"}])

# ---- triangles of any size
for offset in (0, 1, -2):
    for low in (True, False):
        tag = "%s_%s" % (str(offset).replace("-", "m"), "lower" if low else "upper")
        CASES.append(case("extracttrian_" + tag, "linalg.extracttrian", [data(2, 3, 3)], dict(offset=offset, lower=low),
                          dynamic=[{0: "n", 1: "k", 2: "k"}], sizes={"k": 5}))
        CASES.append(case("maketrian_" + tag, "linalg.maketrian", [data(2, 6)], dict(offset=offset, lower=low),
                          dynamic=[{0: "n", 1: "k"}], sizes={"k": 1}))
CASES.append(case("extracttrian_one", "linalg.extracttrian", [data(3, 3, dtype="float64")], dynamic=[{0: "k", 1: "k"}], sizes={"k": 1}))
CASES.append(case("maketrian_one", "linalg.maketrian", [data(1, dtype="float64")], dynamic=[{0: "k"}], sizes={"k": 15}))
CASES.append(build("trian_round", lambda mx: mx.sym.linalg.maketrian(mx.sym.linalg.extracttrian(mx.sym.Variable("x"))) * 2,
                   {"x": data(2, 4, 4)}, dynamic={"x": {1: "k", 2: "k"}}, sizes={"k": 2}))

# ---- scales that are not a fraction of a power of two
for mode in ("size", "odd_scale"):
    for tag, h, w, corners in (("third", 0.3, 0.7, True), ("up", 1.7, 2.3, False), ("one_open", 2, 1.1, True)):
        CASES.append(case("resize_%s_%s" % (mode, tag), "contrib.BilinearResize2D", [data(1, 2, 10, 9)],
                          dict(mode=mode, scale_height=h, scale_width=w, align_corners=corners), dynamic=NHW, sizes={"h": 17, "w": 6}))

# ---- indices that are not numbers read the first row
NO_NUMBERS = [float("nan"), 1, float("inf"), -float("inf"), 7, -1, 2.7, 5e9, 1e19, -1e19]
for t in ("float32", "float64"):
    CASES.append(case("embedding_nan_" + t, "Embedding", [data(values=NO_NUMBERS, dtype=t), param(4, 3)], dict(input_dim=4, output_dim=3)))
    CASES.append(case("take_nan_" + t, "take", [param(4, 3), data(values=NO_NUMBERS, dtype=t)]))
CASES.append(case("embedding_nan_f16", "Embedding", [data(values=NO_NUMBERS[:6], dtype="float16"), param(4, 3)], dict(input_dim=4, output_dim=3)))

# ---- norms by singular values of matrices of any size
for flag, ord in ((2, 2), (0, 2), (0, -2)):
    for tag, sizes in (("square", {"h": 3, "w": 3}), ("wide", {"h": 1, "w": 3})):
        add("norm_%s%s_%s" % ("nuclear" if flag else "spectral", str(ord).replace("-", "m"), tag), "np._internal.norm", [data(3, 4)],
            dict(flag=flag, ord=ord, axis=(0, 1)), dynamic=HW, sizes=sizes, atol=1e-5)

# ---- empty results outside of NumPy's shapes
def old(name, op, inputs, attrs, **options):
    CASES.append(case("old_" + name, op, inputs, attrs, **options))


for name, part in (("", slice(None)), ("_part", 1)):
    CASES.append(build("old_split_empty" + name, lambda mx, part=part: mx.sym.split_v2(mx.sym.Variable("x"), (1, 1, 3), axis=1)[part], {"x": data(3, 4)}))
old("repeat_0", "repeat", [data(2, 3)], dict(repeats=0, axis=1))
old("one_hot_0", "one_hot", [data(values=[1, 0])], dict(depth=0))
old("assign_nothing", "_internal._slice_assign_scalar", [data(3, 4)], dict(scalar=2.0, begin=(2,), end=(2,), step=(1,)))

# ---- zeros whose shape is known from the nodes that read them
BACK = {"x": {0: "n"}}


def zeros_chosen(mx):
    x = mx.sym.Variable("x")
    return mx.sym.where(x > 0, mx.sym.zeros((0, 0)), x)


CASES += [
    build("zeros_joined", lambda mx: mx.sym.concat(mx.sym.zeros((0, 4)), mx.sym.Variable("x"), dim=1), {"x": data(3, 5)}, dynamic=BACK),
    build("zeros_chosen", zeros_chosen, {"x": data(3, 4)}, dynamic=BACK),
    build("ones_dense", lambda mx: mx.sym.FullyConnected(mx.sym.ones((0, 5)), mx.sym.Variable("x"), num_hidden=3, no_bias=True)
          + mx.sym.zeros((2, 3)), {"x": data(3, 5)}, dynamic=None),
    build("ones_added", lambda mx: mx.sym.elemwise_add(mx.sym.ones((0, 4)), mx.sym.Variable("x")), {"x": data(3, 4)}, dynamic=BACK),
]

# ---- products of integers wrap around
LARGE = dict(int8=100, uint8=200, int32=10 ** 6, int64=2 ** 40)
for t, most in LARGE.items():
    for op in ("prod", "nanprod"):
        CASES.append(case("%s_%s" % (op, t), op, [data(3, 7, 4, dtype=t, low=0 if t == "uint8" else -most, high=most)], dict(axis=1),
                          dynamic=[{0: "n", 1: "m"}], sizes={"n": 1, "m": 12}))
    CASES.append(case("prod_all_" + t, "prod", [data(2, 3, dtype=t, low=1, high=most)], dynamic=[{0: "n"}], sizes={"n": 1}))
    CASES.append(case("prod_keep_" + t, "prod", [data(4, 3, 2, dtype=t, low=1, high=most)], dict(axis=(0, 2), keepdims=True), dynamic=[{0: "n"}]))
    add("np_prod_" + t, "np.prod", [data(4, 3, dtype=t, low=1, high=most)], dict(axis=0), dynamic=[{0: "n", 1: "m"}], sizes={"n": 0, "m": 1})
    add("np_prod_all_" + t, "np.prod", [data(2, 3, dtype=t, low=1, high=most)], dynamic=[{0: "n"}])
CASES.append(case("prod_one", "prod", [data(1, 3, dtype="int32")], dict(axis=0), dynamic=None))
add("prod_to_i64", "np.prod", [data(3, 3, dtype="int32", low=10 ** 8, high=10 ** 9)], dict(axis=0, dtype="int64"))

# ---- sums of 8-bit integers without a calibrated range
def ranged(*ends):
    return [data(values=[v]) for v in ends]


WIDE = [[127, -127, 100, -3, 0, 1], [5, -128, 50, 127, 64, -64]]


def open_sum(mx):
    total = mx.sym.contrib.quantized_elemwise_add(*[mx.sym.Variable(n) for n in ("l", "r", "l0", "l1", "r0", "r1")])
    return mx.sym.Group([mx.sym.contrib.requantize(*total, min_calib_range=-2.0, max_calib_range=3.0)[0], total[1], total[2]])


for name, left, right in (("int8", "int8", "int8"), ("uint8", "uint8", "uint8"), ("uint8_int8", "uint8", "int8"), ("int8_uint8", "int8", "uint8"),
                          ("none", "int8", "int8")):
    values = {"int8": WIDE, "uint8": [[0, 255, 200, 17, 1, 2], [128, 127, 3, 250, 99, 0]]}
    CASES.append(build("add_open_" + name, open_sum, dict(
        zip(("l", "r", "l0", "l1", "r0", "r1"), [data(values=values[left], dtype=left), data(values=values[right][::-1], dtype=right)]
            + (ranged(0, 0, -3, 1.5) if name == "none" else ranged(-1, 2, -3, 1.5)))), dynamic={"l": {0: "n"}, "r": {0: "n"}}, sizes={"n": 1}, ties=0.1))

# ---- slices of an axis of any size, and values on a diagonal
for name, at in (("all", dict(step=1)), ("middle", dict(start=1, stop=4, step=1)), ("back", dict(start=-2, stop=-9, step=-2)), ("far", dict(start=2, stop=99, step=3)),
                 ("before", dict(start=-7, stop=-9, step=-1)), ("downward", dict(start=4, stop=1, step=-2))):
    for axis in (0, 1):
        add("delete_%s_%d" % (name, axis), "np._internal.delete", [data(5, 6)], dict(axis=axis, **at), dynamic=HW, sizes={"h": 3, "w": 8}, imperative=True)
        add("insert_%s_%d" % (name, axis), "np._internal.insert_slice", [data(5, 6), data(*((1, 6) if axis == 0 else (5, 1)))], dict(axis=axis, **at),
            dynamic=[{axis: "n"}, None], sizes={"n": 9})
add("delete_flat", "np._internal.delete", [data(5, 6)], dict(start=3, stop=-3, step=2), dynamic=HW, imperative=True)
add("insert_rows", "np._internal.insert_slice", [data(5, 3), data(2, 3)], dict(start=1, stop=3, step=1, axis=0), dynamic=[{0: "h"}, None])
add("insert_row", "np._internal.insert_slice", [data(5, 3), data(1, 3)], dict(start=-1, step=-2, axis=0), dynamic=[{0: "h"}, None])
add("insert_at_one", "np._internal.insert_slice", [data(5, 3), data(4, 3)], dict(start=2, stop=3, step=1, axis=0), dynamic=[{0: "h"}, None])
add("insert_flat", "np._internal.insert_slice", [data(3, 3), data(1)], dict(start=1, stop=7, step=3), dynamic=[{0: "h"}, None])
add("nonzero_scalar", "npx.nonzero", [data(values=np.float32(3))], imperative=True)
add("nonzero_scalar_0", "npx.nonzero", [data(values=np.float32(0))], imperative=True)

# ---- sides that keep the ratio of an image
for size in (3, 5):
    for t in ("float32", "uint8"):
        CASES.append(case("ratio_%d_%s" % (size, t), "image.resize", [data(4, 6, 3, dtype=t, low=0, high=200)], dict(size=size, keep_ratio=True),
                          dynamic=HW, sizes={"h": 7, "w": 4}, ties=1 if t == "uint8" else 0))
CASES.append(case("ratio_batch", "image.resize", [data(2, 5, 4, 1)], dict(size=7, keep_ratio=True), dynamic=[{0: "n", 1: "h", 2: "w"}], sizes={"h": 4}))

# ---- any number of letters
for blank in ("first", "last"):
    CASES.append(case("ctc_letters_" + blank, "CTCLoss", [data(6, 2, 5), data(values=[[1, 2, 3], [2, 2, 0 if blank == "first" else -1]])],
                      dict(blank_label=blank), dynamic=[{0: "t", 2: "c"}, None], sizes={"t": 9, "c": 7}))
for name, order in (("largest", 2), ("smallest", -2)):
    add("norm_of_nothing_" + name, "np._internal.norm", [data(0, 2, 3)], dict(keepdims=False, axis=(0, 1), ord=order, flag=0), dynamic=None)
for name, axis, order in (("largest", (0, 1), 2), ("smallest", (0, 1), -2), ("columns", (0, 1), 1), ("rows", (0, 1), -np.inf),
                          ("vector_power", (0,), -1), ("vector_sum", (0,), 3)):
    for none in "mn":
        add("norm_of_%s_%s" % (name, none), "np._internal.norm", [data(2, 3, 3)],
            dict(keepdims=False, axis=axis, ord=order, flag=0 if len(axis) == 2 else -1), dynamic=[{0: "m", 1: "n"}], sizes={none: 0})
