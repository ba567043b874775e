# SPDX-License-Identifier: Apache-2.0
"""Pooling, Pooling_v1, AdaptiveAvgPooling2D."""
from . import case, data

HW = [{0: "n", 2: "h", 3: "w"}]
SIZES = {"h": 12, "w": 7}


def pool(name, shape, pool_type, kernel, op="Pooling", dtype="float32", kind=None, **kw):
    options = {k: kw.pop(k) for k in ("dynamic", "sizes", "error", "dynamic_error", "rtol", "native") if k in kw}
    return case(name, op, [data(*shape, dtype=dtype, kind=kind, low=-4, high=4)],
                dict(pool_type=pool_type, kernel=kernel, **kw), **options)


def all_types(name, shape, kernel, op="Pooling", types=("max", "avg", "sum"), **kw):
    return [pool("%s_%s" % (name, t), shape, t, kernel, op=op, **kw) for t in types]


def globally(name, shape, pool_type, op="Pooling", **kw):
    options = {k: kw.pop(k) for k in ("dynamic", "dtype", "rtol") if k in kw}
    return case(name, op, [data(*shape, dtype=options.pop("dtype", "float32"))],
                dict(pool_type=pool_type, global_pool=True, **kw), **options)


FULL = dict(pooling_convention="full")
CASES = [
    case("defaults", "Pooling", [data(2, 3, 6, 6)], dict(kernel=(2, 2))),
    *all_types("valid", (2, 3, 9, 8), (3, 2), stride=(2, 3), dynamic=HW, sizes=SIZES),
    *all_types("pad", (2, 3, 9, 8), (3, 3), stride=(2, 2), pad=(1, 1), dynamic=HW, sizes=SIZES),
    *all_types("full", (2, 3, 8, 8), (3, 3), stride=(2, 2), **FULL),
    *all_types("full_dynamic", (2, 3, 8, 8), (3, 3), stride=(2, 2), dynamic=HW, sizes=SIZES, **FULL),
    *all_types("full_pad", (2, 3, 6, 6), (3, 3), stride=(2, 2), pad=(1, 1), **FULL),
    *all_types("full_pad_dynamic", (2, 3, 6, 6), (3, 3), stride=(2, 2), pad=(1, 1), dynamic=HW, sizes=SIZES, **FULL),
    *all_types("full_pad_far", (2, 3, 6, 7), (3, 2), stride=(3, 3), pad=(2, 1), types=("max", "sum"), **FULL),
    *all_types("full_pad_far_dynamic", (2, 3, 6, 7), (3, 2), stride=(3, 3), pad=(2, 1), types=("max", "sum"), dynamic=HW,
               sizes=SIZES, **FULL),
    *all_types("full_exact", (2, 3, 7, 7), (3, 3), stride=(2, 2), **FULL),
    *all_types("exclude", (2, 3, 9, 8), (3, 3), types=("avg",), stride=(2, 2), pad=(1, 1), count_include_pad=False,
               dynamic=HW, sizes=SIZES),
    *all_types("exclude_full", (2, 3, 6, 6), (3, 3), types=("avg",), stride=(2, 2), pad=(1, 1), count_include_pad=False,
               **FULL),
    *all_types("exclude_full_dynamic", (2, 3, 6, 6), (3, 3), types=("avg",), stride=(2, 2), pad=(1, 1),
               count_include_pad=False, dynamic=HW, sizes=SIZES, **FULL),
    *all_types("include_text", (2, 3, 6, 6), (3, 3), types=("avg",), pad=(1, 1), count_include_pad="1"),
    *all_types("include_none", (2, 3, 6, 6), (3, 3), types=("avg",), pad=(1, 1), count_include_pad="None"),
    *all_types("1d", (2, 3, 9), (3,), stride=(2,), pad=(1,), dynamic=[{0: "n", 2: "l"}]),
    *all_types("1d_full", (2, 3, 10), (3,), stride=(2,), **FULL),
    *all_types("3d", (1, 2, 5, 6, 7), (2, 3, 2), stride=(2, 2, 1), pad=(1, 1, 0)),
    *all_types("3d_full", (1, 2, 5, 6, 7), (2, 3, 2), stride=(2, 2, 2), pad=(1, 1, 0),
               dynamic=[{0: "n", 2: "d", 3: "h", 4: "w"}], **FULL),
    *all_types("nhwc", (2, 9, 8, 3), (3, 3), stride=(2, 2), pad=(1, 1), layout="NHWC",
               dynamic=[{0: "n", 1: "h", 2: "w"}]),
    *all_types("nhwc_full", (2, 8, 8, 3), (3, 3), stride=(2, 2), layout="NHWC", **FULL),
    *all_types("nwc", (2, 9, 3), (3,), layout="NWC"),
    *all_types("ndhwc", (1, 5, 6, 7, 2), (2, 2, 2), layout="NDHWC"),
    *all_types("one_cell", (1, 1, 1, 1), (1, 1)),
    *all_types("float16", (2, 3, 9, 8), (3, 3), dtype="float16", stride=(2, 2)),
    *all_types("float64", (2, 3, 9, 8), (3, 3), dtype="float64", stride=(2, 2), rtol=1e-5),
    # A pad that is not smaller than the kernel; windows beyond the input.
    *all_types("wide_pad", (2, 3, 4, 4), (2, 2), pad=(2, 3), types=("max", "avg", "sum"), native=True),
    *all_types("beyond", (2, 3, 5, 5), (1, 1), stride=(3, 3), types=("max", "sum"), native=True, **FULL),
    pool("lp1", (2, 3, 6, 7), "lp", (3, 2), p_value=1, stride=(2, 2)),
    pool("lp2", (2, 3, 6, 7), "lp", (3, 2), p_value=2, stride=(2, 2), dynamic=HW),
    pool("lp2_full_pad", (2, 3, 6, 6), "lp", (3, 3), p_value=2, stride=(2, 2), pad=(1, 1), **FULL),
    pool("lp3", (2, 3, 6, 7), "lp", (3, 2), p_value=3),
    pool("lp3_full", (2, 3, 6, 7), "lp", (3, 2), p_value=3, stride=(2, 2), dynamic=HW, **FULL),
    pool("lp2_nhwc", (2, 6, 7, 3), "lp", (3, 2), p_value=2, layout="NHWC"),
    pool("same", (2, 3, 9), "max", (3,), pooling_convention="same", error="pooling_convention"),
    pool("too_large", (2, 3, 4, 4), "max", (5, 5), dynamic=None, error="kernel"),

    globally("global_max", (2, 3, 5, 4), "max", dynamic=HW),
    globally("global_avg", (2, 3, 5, 4), "avg", dynamic=HW),
    globally("global_sum", (2, 3, 5, 4), "sum", dynamic=HW),
    globally("global_lp1", (2, 3, 5, 4), "lp", p_value=1),
    globally("global_lp2", (2, 3, 5, 4), "lp", p_value=2, dynamic=HW),
    globally("global_lp3", (2, 3, 5, 4), "lp", p_value=3),
    globally("global_pad", (2, 3, 5, 4), "avg", kernel=(7, 7), pad=(3, 3), stride=(2, 2)),
    globally("global_3d", (2, 3, 5), "avg", dynamic=[{0: "n", 2: "l"}]),
    globally("global_5d", (1, 2, 3, 4, 2), "max"),
    globally("global_nhwc_avg", (2, 5, 4, 3), "avg", layout="NHWC", kernel=(1, 1)),
    globally("global_nhwc_max", (2, 5, 4, 3), "max", layout="NHWC", kernel=(1, 1)),
    globally("global_float64_avg", (2, 3, 5, 4), "avg", dtype="float64"),
    globally("global_float64_max", (2, 3, 5, 4), "max", dtype="float64"),
    globally("global_float16_avg", (2, 3, 5, 4), "avg", dtype="float16"),

    *all_types("v1", (2, 3, 9, 8), (3, 3), op="Pooling_v1", stride=(2, 2)),
    *all_types("v1_pad", (2, 3, 9, 8), (3, 3), op="Pooling_v1", stride=(2, 2), pad=(1, 1), dynamic=HW, sizes=SIZES),
    *all_types("v1_full", (2, 3, 8, 8), (3, 3), op="Pooling_v1", stride=(2, 2), **FULL),
    *all_types("v1_full_pad", (2, 3, 6, 6), (3, 3), op="Pooling_v1", stride=(2, 2), pad=(1, 1), dynamic=HW, sizes=SIZES,
               **FULL),
    globally("v1_global", (2, 3, 5, 4), "avg", op="Pooling_v1", kernel=(1, 1), pad=(0, 0)),
    globally("v1_global_sum", (2, 3, 5, 4), "sum", op="Pooling_v1", kernel=(1, 1), pad=(1, 1)),

    *[case("adaptive_" + name, "contrib.AdaptiveAvgPooling2D", [data(*shape)],
           {} if size is None else dict(output_size=size), dynamic=dynamic, sizes=sizes)
      for name, shape, size, dynamic, sizes in (
          ("default", (2, 3, 5, 7), None, HW, None),
          ("one", (2, 3, 5, 7), 1, HW, None),
          ("square", (2, 3, 5, 7), 3, "batch", None),
          ("divides", (2, 3, 6, 8), (3, 4), "batch", None),
          ("divides_rows", (2, 3, 6, 7), (3, 4), "batch", None),
          ("larger", (2, 3, 2, 3), (5, 4), "batch", None),
          ("same", (2, 3, 4, 6), (4, 6), "batch", None),
          ("same_rows", (2, 3, 4, 5), (4, 3), "batch", None),
          ("column", (2, 3, 5, 7), (1, 3), "batch", None),
          ("dynamic", (2, 3, 5, 7), (3, 2), HW, {"h": 7, "w": 2}),
          ("dynamic_larger", (2, 3, 2, 3), (4, 4), HW, {"h": 5, "w": 8}),
          ("dynamic_width", (2, 3, 6, 7), (3, 4), [{0: "n", 3: "w"}], None),
      )],
    case("adaptive_float16", "contrib.AdaptiveAvgPooling2D", [data(2, 3, 5, 7, dtype="float16")], dict(output_size=(2, 3))),
    case("adaptive_float64", "contrib.AdaptiveAvgPooling2D", [data(2, 3, 5, 7, dtype="float64")], dict(output_size=(2, 3))),
    case("adaptive_size", "contrib.AdaptiveAvgPooling2D", [data(1, 1, 4, 4)], dict(output_size=(40000, 1)),
         error="output_size"),
    case("adaptive_matrix", "contrib.AdaptiveAvgPooling2D", [data(1, 1, 8191, 2)], dict(output_size=(8190, 2)),
         error="output_size"),
    case("adaptive_one_float64", "contrib.AdaptiveAvgPooling2D", [data(2, 3, 5, 7, dtype="float64")], {}),
]
