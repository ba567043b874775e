# SPDX-License-Identifier: Apache-2.0
"""Sequences of different lengths, positions, running sums, writing at indices."""
from . import build, case, data, param

TN = {0: "t", 1: "n"}
NT = {0: "n", 1: "t"}
FLOATS = ("float16", "float32", "float64")
ALL = FLOATS + ("int32", "int64", "int8", "uint8")


def lengths(*values, dtype="float32"):
    return data(values=list(values), dtype=dtype)


CASES = [
    # ---- SequenceMask
    case("mask", "SequenceMask", [data(4, 3, 2), lengths(1, 4, 2)], dict(use_sequence_length=True),
         dynamic=[TN, {0: "n"}]),
    case("mask_off", "SequenceMask", [data(4, 3, 2)], dynamic=[TN]),
    case("mask_value", "SequenceMask", [data(4, 3, 2), lengths(1, 4, 2)], dict(use_sequence_length=True, value=-1.5),
         dynamic=[TN, {0: "n"}]),
    case("mask_axis_1", "SequenceMask", [data(3, 4, 2), lengths(1, 4, 2)],
         dict(use_sequence_length=True, axis=1, value=7), dynamic=[NT, {0: "n"}]),
    case("mask_rank_2", "SequenceMask", [data(4, 3), lengths(1, 4, 2)], dict(use_sequence_length=True),
         dynamic=[TN, {0: "n"}]),
    case("mask_rank_2_axis_1", "SequenceMask", [data(3, 4), lengths(1, 4, 2)], dict(use_sequence_length=True, axis=1),
         dynamic=[NT, {0: "n"}]),
    case("mask_rank_5", "SequenceMask", [data(4, 3, 2, 1, 2), lengths(0, 3, 2)], dict(use_sequence_length=True),
         dynamic=[TN, {0: "n"}]),
    case("mask_batch_only", "SequenceMask", [data(4, 3, 2), lengths(0, 9, 1.9)], dict(use_sequence_length=True),
         dynamic=[{1: "n"}, {0: "n"}]),
    case("mask_lengths_i32", "SequenceMask", [data(4, 3, 2), lengths(0, 9, 1, dtype="int32")],
         dict(use_sequence_length=True), dynamic=[{1: "n"}, {0: "n"}]),
    case("mask_lengths_i64", "SequenceMask", [data(4, 3, 2), lengths(0, 9, 1, dtype="int64")],
         dict(use_sequence_length=True), dynamic=[TN, {0: "n"}]),
    case("mask_lengths_stored", "SequenceMask", [data(4, 3, 2), param(values=[1, 4, 2])],
         dict(use_sequence_length=True), dynamic=None),
    *[case("mask_%s" % t, "SequenceMask", [data(4, 3, 2, dtype=t), lengths(1, 4, 2, dtype="int32")],
           dict(use_sequence_length=True, value=2), dynamic=[TN, {0: "n"}]) for t in ALL],
    case("mask_wrap", "SequenceMask", [data(4, 3, 2, dtype="uint8"), lengths(1, 4, 2)],
         dict(use_sequence_length=True, value=-1.7)),
    *[case("mask_beyond_" + t, "SequenceMask", [data(4, 3, 2, dtype=t), lengths(1, 4, 2)],
           dict(use_sequence_length=True, value=3e9)) for t in ("int8", "uint8", "int32", "int64")],
    case("mask_bad_axis", "SequenceMask", [data(4, 3, 2), lengths(1, 4)], dict(use_sequence_length=True, axis=1),
         error="sequence_length"),

    # ---- SequenceLast
    case("last", "SequenceLast", [data(4, 3, 2), lengths(1, 4, 2)], dict(use_sequence_length=True),
         dynamic=[TN, {0: "n"}]),
    case("last_off", "SequenceLast", [data(4, 3, 2)], dynamic=[TN]),
    case("last_off_axis_1", "SequenceLast", [data(3, 4, 2)], dict(axis=1), dynamic=[NT]),
    case("last_axis_1", "SequenceLast", [data(3, 4, 2), lengths(1, 4, 2)], dict(use_sequence_length=True, axis=1),
         dynamic=[NT, {0: "n"}]),
    case("last_rank_2", "SequenceLast", [data(4, 3), lengths(1, 4, 2)], dict(use_sequence_length=True),
         dynamic=[TN, {0: "n"}]),
    case("last_rank_2_axis_1", "SequenceLast", [data(3, 4), lengths(1, 4, 2)], dict(use_sequence_length=True, axis=1),
         dynamic=[NT, {0: "n"}]),
    case("last_rank_4", "SequenceLast", [data(4, 3, 2, 2), lengths(1.9, 4, 2)], dict(use_sequence_length=True),
         dynamic=None),
    case("last_rank_4_axis_1", "SequenceLast", [data(3, 4, 2, 2), lengths(1, 4, 2, dtype="int32")],
         dict(use_sequence_length=True, axis=1), dynamic=None),
    *[case("last_%s" % t, "SequenceLast", [data(4, 3, 2, dtype=t), lengths(1, 4, 2, dtype="int64")],
           dict(use_sequence_length=True), dynamic=[TN, {0: "n"}]) for t in ALL],

    # ---- SequenceReverse
    case("reverse", "SequenceReverse", [data(4, 3, 2), lengths(1, 4, 2)], dict(use_sequence_length=True),
         dynamic=[TN, {0: "n"}]),
    case("reverse_off", "SequenceReverse", [data(4, 3, 2)], dynamic=[TN]),
    case("reverse_zero", "SequenceReverse", [data(4, 3, 2), lengths(0, 3, 1, dtype="int32")],
         dict(use_sequence_length=True), dynamic=[TN, {0: "n"}]),
    case("reverse_rank_2", "SequenceReverse", [data(4, 3), lengths(1, 4, 2)], dict(use_sequence_length=True),
         dynamic=[TN, {0: "n"}]),
    case("reverse_rank_4", "SequenceReverse", [data(4, 3, 2, 2), lengths(1, 4, 2)], dict(use_sequence_length=True),
         dynamic=None),
    *[case("reverse_%s" % t, "SequenceReverse", [data(4, 3, 2, dtype=t), lengths(1, 4, 2, dtype="int32")],
           dict(use_sequence_length=True), dynamic=[TN, {0: "n"}]) for t in ALL],
    build("reverse_both_ways", lambda mx: (lambda x: mx.sym.Concat(
        x, mx.sym.SequenceReverse(x, mx.sym.Variable("n"), use_sequence_length=True), dim=2))(mx.sym.Variable("x")),
          {"x": data(4, 3, 2), "n": lengths(1, 4, 2)}, dynamic={"x": TN, "n": {0: "n"}}),

    # ---- arange_like, index_array
    case("arange_like", "contrib.arange_like", [data(2, 3)], dynamic=[NT]),
    case("arange_like_axis", "contrib.arange_like", [data(2, 3)], dict(axis=1), dynamic=[NT]),
    case("arange_like_axis_0", "contrib.arange_like", [data(2, 3)], dict(axis=0, start=1.5), dynamic=[NT]),
    case("arange_like_negative", "contrib.arange_like", [data(2, 3)], dict(axis=-1, start=2, step=-0.5),
         dynamic=[NT]),
    case("arange_like_repeat", "contrib.arange_like", [data(2, 3)], dict(repeat=2), dynamic=[NT]),
    case("arange_like_repeat_axis", "contrib.arange_like", [data(2, 5)], dict(repeat=2, axis=1, step=0.25),
         dynamic=[NT]),
    case("arange_like_static", "contrib.arange_like", [data(2, 3)], dict(start=0.1, step=0.3), dynamic=None),
    case("arange_like_large", "contrib.arange_like", [data(70, 70)], dict(step=2), dynamic=None),
    *[case("arange_like_%s" % t, "contrib.arange_like", [data(2, 3, dtype=t)], dict(axis=1, start=1.5, step=1.5),
           dynamic=[NT]) for t in ALL],
    case("arange_like_wrap", "contrib.arange_like", [data(2, 3, dtype="uint8")], dict(step=-1.5), dynamic=[NT]),
    case("index_array", "contrib.index_array", [data(2, 3, 2)], dynamic=[NT]),
    case("index_array_axes", "contrib.index_array", [data(2, 3, 2)], dict(axes=(2, 0)), dynamic=[NT]),
    case("index_array_negative", "contrib.index_array", [data(2, 3)], dict(axes=(-1,)), dynamic=[NT]),
    case("index_array_static", "contrib.index_array", [data(3, dtype="int32")], dynamic=None),
    build("arange_like_positions", lambda mx: (lambda x: mx.sym.broadcast_add(
        x, mx.sym.expand_dims(mx.sym.contrib.arange_like(x, axis=1), axis=0)))(mx.sym.Variable("x")),
          {"x": data(2, 3)}, dynamic={"x": NT}),

    # ---- cumsum
    case("cumsum", "cumsum", [data(2, 3)], dynamic=[NT]),
    case("cumsum_axis_0", "cumsum", [data(2, 3, 2)], dict(axis=0), dynamic=[NT]),
    case("cumsum_axis_1", "cumsum", [data(2, 3, 2)], dict(axis=1), dynamic=[NT]),
    case("cumsum_vector", "cumsum", [data(5)], dict(axis=0)),
    case("cumsum_to_i32", "cumsum", [data(2, 4, low=-3, high=3)], dict(axis=1, dtype="int32"), dynamic=[NT]),
    case("cumsum_to_f64", "cumsum", [data(2, 4)], dict(axis=1, dtype="float64"), rtol=1e-6, dynamic=[NT]),
    case("cumsum_np", "np.cumsum", [data(2, 3)], dict(axis=1), np_shape=True, dynamic=[NT]),
    *[case("cumsum_%s" % t, "cumsum", [data(2, 3, dtype=t)], dict(axis=1), dynamic=[NT]) for t in ALL],

    # ---- boolean_mask, index_copy
    case("boolean_mask", "contrib.boolean_mask", [data(4, 3), data(values=[0, 1, 0, 1])],
         dynamic=[{0: "n", 1: "c"}, {0: "n"}]),
    case("boolean_mask_values", "contrib.boolean_mask", [data(4, 3, 2), data(values=[0.5, 0, -1, 2])], dynamic=None),
    case("boolean_mask_vector", "contrib.boolean_mask", [data(4), data(values=[0, 1, 1, 1], dtype="int32")]),
    *[case("boolean_mask_%s" % t, "contrib.boolean_mask", [data(4, 3, dtype=t), data(values=[1, 1, 0, 1], dtype=t)])
      for t in ALL],
    build("boolean_mask_used", lambda mx: mx.sym.sum(mx.sym.relu(mx.sym.contrib.boolean_mask(
        mx.sym.Variable("x"), mx.sym.Variable("m"))), axis=0), {"x": data(4, 3), "m": data(values=[0, 1, 0, 1])},
          dynamic={"x": {0: "n"}, "m": {0: "n"}}),
    case("index_copy", "contrib.index_copy", [data(5, 3), data(values=[3, 0]), data(2, 3)],
         dynamic=[{0: "n", 1: "c"}, None, {1: "c"}]),
    case("index_copy_i64", "contrib.index_copy", [data(5, 2, 2), data(values=[4, 1], dtype="int64"), data(2, 2, 2)],
         dynamic=None),
    *[case("index_copy_%s" % t, "contrib.index_copy", [data(5, 3, dtype=t), data(values=[3, 0], dtype="int32"),
                                                       data(2, 3, dtype=t)], dynamic=[{0: "n"}, None, None])
      for t in ALL],

    # ---- scatter_nd, fill_element_0index
    case("scatter_nd", "scatter_nd", [data(3), data(values=[[0, 2, 1], [3, 1, 1]])], dict(shape=(3, 4)), dynamic=None),
    case("scatter_nd_rows", "scatter_nd", [data(2, 4), data(values=[[2, 0]], dtype="int32")], dict(shape=(3, 4)),
         dynamic=None),
    case("scatter_nd_dynamic", "scatter_nd", [data(2, 4), data(values=[[2, 0]], dtype="int64")], dict(shape=(5, 4)),
         dynamic=[{0: "n"}, {1: "n"}], sizes={"n": 1}),
    case("scatter_nd_rank_3", "scatter_nd", [data(2, 2, 2), data(values=[[[0, 1], [2, 2]], [[3, 0], [1, 2]]])],
         dict(shape=(3, 4, 2)), dynamic=None),
    *[case("scatter_nd_%s" % t, "scatter_nd", [data(3, dtype=t), data(values=[[0, 2, 1], [3, 1, 1]], dtype="int32")],
           dict(shape=(3, 4)), dynamic=None) for t in ALL],
    # in place in MXNet: the first input has to be an intermediate result
    build("scatter_set_nd", lambda mx: mx.sym._internal._scatter_set_nd(
        mx.sym.Variable("x") * 2, mx.sym.Variable("v"), mx.sym.Variable("i"), shape=(3, 4)),
          {"x": data(3, 4), "v": data(3), "i": data(values=[[0, 2, 1], [3, 1, 1]])}, dynamic=None),
    build("scatter_set_nd_rows", lambda mx: mx.sym._internal._scatter_set_nd(
        mx.sym.Variable("x") + 1, mx.sym.Variable("v"), mx.sym.Variable("i"), shape=(3, 4)),
          {"x": data(3, 4, dtype="int32"), "v": data(2, 4, dtype="int32"),
           "i": data(values=[[2, 0]], dtype="int32")}, dynamic=None),

    # ---- ravel, unravel
    case("unravel", "unravel_index", [data(values=[22, 41, 37])], dict(shape=(7, 6))),
    case("unravel_3", "unravel_index", [data(values=[0, 59, 31, 20])], dict(shape=(3, 4, 5))),
    case("unravel_one", "unravel_index", [data(values=[3, 1])], dict(shape=(7,))),
    case("unravel_beyond", "unravel_index", [data(values=[100, 41.9])], dict(shape=(7, 6))),
    case("unravel_open", "unravel_index", [data(values=[100, 41])], dict(shape=(-1, 6))),
    *[case("unravel_%s" % t, "unravel_index", [data(values=[22, 41, 37], dtype=t)], dict(shape=(7, 6))) for t in ALL],
    case("ravel", "ravel_multi_index", [data(values=[[3, 6, 6], [4, 5, 1]])], dict(shape=(7, 6)), dynamic=[{1: "n"}]),
    case("ravel_3", "ravel_multi_index", [data(values=[[2, 0], [3, 1], [4, 4]])], dict(shape=(3, 4, 5)),
         dynamic=[{1: "n"}]),
    case("ravel_fraction", "ravel_multi_index", [data(values=[[3.9, 6], [4, 5.5]])], dict(shape=(7, 6)), dynamic=None),
    case("ravel_open", "ravel_multi_index", [data(values=[[3, 60], [4, 5]])], dict(shape=(-1, 6)), dynamic=None),
    *[case("ravel_%s" % t, "ravel_multi_index", [data(values=[[3, 6, 6], [4, 5, 1]], dtype=t)], dict(shape=(7, 6)),
           dynamic=None) for t in ALL],

    # ---- histogram, khatri_rao
    case("histogram", "_internal._histogram", [data(values=[0, 1, 2, 2, 3, 4, 5, 5.1, -0.1])],
         dict(bin_cnt=5, range=(0, 5))),
    case("histogram_fine", "_internal._histogram", [data(8, 9)], dict(bin_cnt=7, range=(-0.7, 0.8)), dynamic=[NT]),
    case("histogram_point", "_internal._histogram", [data(values=[1.9, 2, 2.5, 2.6])], dict(bin_cnt=3, range=(2, 2))),
    case("histogram_one", "_internal._histogram", [data(6)], dict(bin_cnt=1, range=(-0.5, 0.5))),
    case("histogram_edges", "_internal._histogram", [data(values=[0, 1, 2.1, 2, 3, 3.1, -1]),
                                                     data(values=[0, 2.1, 3])], dynamic=[{0: "n"}, None]),
    case("histogram_i32", "_internal._histogram", [data(values=[0, 1, 2, 2, 3, 4, 5, 9, 10, 11], dtype="int32")],
         dict(bin_cnt=5, range=(0, 10))),
    case("histogram_i32_edges", "_internal._histogram", [data(values=[0, 1, 2], dtype="int32")],
         dict(bin_cnt=4, range=(0, 10)), error="the edge 2.5 is not an integer"),
    case("histogram_f64", "_internal._histogram", [data(40, dtype="float64")], dict(bin_cnt=4, range=(-1, 1))),
    case("khatri_rao", "khatri_rao", [data(2, 3), data(4, 3)], dict(num_args=2), dynamic=[{0: "n"}, {0: "m"}]),
    case("khatri_rao_3", "khatri_rao", [data(2, 3), data(4, 3), data(2, 3)], dict(num_args=3), dynamic=None),
    case("khatri_rao_1", "khatri_rao", [data(2, 3)], dict(num_args=1)),
]
