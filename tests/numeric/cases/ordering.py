# SPDX-License-Identifier: Apache-2.0
"""topk, sort, argsort."""
from . import build, case, data

NC = {0: "n", 1: "c"}
FLOATS = ("float32", "float64")
INTS = ("int32", "int64", "int8", "uint8")
RET = ("value", "indices", "mask", "both")
TIES = [[3, 1, 3, 2, 1], [0, 0, 0, 5, 5]]


def some(*shape, dtype="float32"):
    return data(*shape, dtype=dtype, kind="distinct", low=0, high=100)


CASES = [
    # ---- topk
    case("topk", "topk", [some(3, 5)], dynamic=[NC]),
    *[case("topk_%s" % r, "topk", [some(3, 5)], dict(k=2, ret_typ=r), dynamic=[NC]) for r in RET],
    *[case("topk_ascend_%s" % r, "topk", [some(3, 5)], dict(k=3, ret_typ=r, is_ascend=True), dynamic=[NC]) for r in RET],
    *[case("topk_axis_0_%s" % r, "topk", [some(4, 3, 2)], dict(k=2, axis=0, ret_typ=r), dynamic=[NC]) for r in RET],
    *[case("topk_axis_1_%s" % r, "topk", [some(2, 5, 3)], dict(k=2, axis=1, ret_typ=r), dynamic=[NC]) for r in RET],
    *[case("topk_flat_%s" % r, "topk", [some(3, 5)], dict(k=4, axis=None, ret_typ=r), dynamic=[NC]) for r in RET],
    *[case("topk_all_%s" % r, "topk", [some(3, 5)], dict(k=0, ret_typ=r), dynamic=[NC]) for r in RET],
    *[case("topk_flat_all_%s" % r, "topk", [some(3, 5)], dict(k=0, axis=None, ret_typ=r), dynamic=[NC]) for r in RET],
    *[case("topk_static_%s" % r, "topk", [some(3, 5)], dict(k=2, ret_typ=r), dynamic=None) for r in RET],
    *[case("topk_ties_%s" % r, "topk", [data(values=TIES)], dict(k=3, ret_typ=r)) for r in RET],
    *[case("topk_ties_ascend_%s" % r, "topk", [data(values=TIES)], dict(k=3, ret_typ=r, is_ascend=True)) for r in RET],
    case("topk_negative_k", "topk", [some(3, 5)], dict(k=-1, ret_typ="value"), dynamic=[NC]),
    case("topk_vector", "topk", [some(6)], dict(k=2, ret_typ="both")),
    case("topk_rank_4", "topk", [some(2, 3, 4, 2)], dict(k=2, axis=-2, ret_typ="both"), dynamic=[NC]),
    *[case("topk_to_%s" % t, "topk", [some(3, 5)], dict(k=2, ret_typ="both", dtype=t))
      for t in ("float16", "float32", "float64", "int32", "int64", "uint8")],
    case("topk_indices_to_i64", "topk", [some(3, 5)], dict(k=2, dtype="int64")),
    *[case("topk_%s_%s" % (r, t), "topk", [some(3, 5, dtype=t)], dict(k=2, ret_typ=r, dtype="int32"))
      for t in ("float16",) + FLOATS + INTS for r in ("both", "mask")],
    case("topk_too_many", "topk", [some(3, 5)], dict(k=6), error="the axis has only 5 elements"),
    case("topk_npx", "npx.topk", [some(3, 5)], dict(k=2, axis=1), np_shape=True, dynamic=[NC]),
    build("topk_take", lambda mx: mx.sym.take(mx.sym.Variable("w"), mx.sym.topk(mx.sym.Variable("x"), k=2)),
          {"x": some(3, 5), "w": data(5, 2)}, dynamic={"x": {0: "n"}}),
    build("topk_pick", lambda mx: (lambda x: mx.sym.pick(x, mx.sym.topk(x, k=1), axis=1, keepdims=True))(
        mx.sym.Variable("x")), {"x": some(3, 5)}, dynamic={"x": NC}),
    build("topk_second_output", lambda mx: mx.sym.topk(mx.sym.Variable("x"), k=2, ret_typ="both")[1] + 1,
          {"x": some(3, 5)}, dynamic={"x": NC}),

    # ---- sort, argsort
    *[case("%s_%s" % (op, name), op, [some(3, 5, 2)], a, dynamic=[NC]) for op in ("sort", "argsort")
      for name, a in [("last", {}), ("axis_0", dict(axis=0)), ("axis_1", dict(axis=1)), ("flat", dict(axis=None)),
                      ("descend", dict(is_ascend=False)), ("flat_descend", dict(axis=None, is_ascend=False))]],
    *[case("%s_ties" % op, op, [data(values=TIES)], dict(is_ascend=up)) for op, up in
      [("sort", True), ("argsort", True)]],
    case("argsort_ties_descend", "argsort", [data(values=TIES)], dict(is_ascend=False)),
    *[case("%s_%s" % (op, t), op, [some(3, 5, dtype=t)]) for op in ("sort", "argsort") for t in FLOATS + INTS],
    *[case("argsort_to_%s" % t, "argsort", [some(3, 5)], dict(dtype=t))
      for t in ("float16", "float64", "int32", "int64", "uint8")],
    case("argsort_static", "argsort", [some(3, 5)], dict(axis=0), dynamic=None),
    case("argsort_np", "np.argsort", [some(3, 5)], dict(axis=0), np_shape=True, dynamic=[NC]),
    case("sort_np", "np.sort", [some(3, 5)], dict(axis=1), np_shape=True, dynamic=[NC]),
]
