# SPDX-License-Identifier: Apache-2.0
"""Operators that MXNet 2 gave another name: cases of MXNet 1.9.1's, recorded with MXNet 2."""
import copy

from . import case, data, numpy_more, numpy_reduce, numpy_shape

ORACLE = "2.0.0b1"


def again(module, *parts):
    """The cases whose name begins with one of these."""
    return [copy.copy(c) for c in module.CASES if c.name.startswith(parts) and c.error is None]


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


CASES = (
    again(numpy_reduce, "sum_all", "sum_two", "sum_keep", "sum_bool_to", "sum_int8", "prod_1", "prod_keep_all", "max_last",
          "max_none", "max_nothing_left", "min_unsorted", "min_rank0", "mean_int32", "all_0", "all_keep", "all_values",
          "any_1", "any_empty", "any_rank1", "prod_empty", "std_ddof", "var_ddof")
    + again(numpy_shape, "atleast_", "moveaxis", "roll", "squeeze", "transpose")
    + again(numpy_more, "indices")
    + [np_case("prod_to_float", "np._internal.prod", [data(3, 4, dtype="int32", low=1, high=3)], dict(axis=1, dtype="float32")),
       np_case("prod_to_int64", "np._internal.prod", [data(3, 4, dtype="int32", low=1, high=3)], dict(dtype="int64")),
       np_case("add", "npx.add_n", [data(2, 3), data(2, 3), data(2, 3)]),
       np_case("pad", "npx.pad", [data(1, 2, 3, 4)], dict(mode="constant", pad_width=(0, 0, 0, 0, 1, 2, 2, 1),
                                                          constant_value=1.5)),
       np_case("np_pad_value", "np._internal.pad", [data(3, 4)],
               dict(pad_width=((1, 2), (0, 1)), mode="constant", constant_values=2.5)),
       np_case("norm", "npx.norm", [data(3, 4)], dict(axis=1)),
       np_case("softsign", "npx.softsign", [data(3, 4)]),
       np_case("stop_gradient", "npx.stop_gradient", [data(3, 4)]),
       np_case("slice_channel", "npx.slice_channel", [data(3, 4)], dict(num_outputs=2, axis=1)),
       np_case("slice_like", "npx.slice_like", [data(3, 4), data(2, 3)], dynamic=None),
       np_case("broadcast_like", "npx.broadcast_like", [data(1, 4), data(3, 4)], dynamic=[None, {0: "n"}]),
       np_case("broadcast_greater", "npx.broadcast_greater", [data(3, 4), data(1, 4)], dynamic=[{0: "n"}, None]),
       np_case("diagflat", "np.diagflat", [data(3)], dict(k=1)),
       np_case("diagflat_matrix", "np.diagflat", [data(2, 3)], dict(k=-2), dynamic=None),
       np_case("round_ste", "npx.round_ste", [data(3, 4, low=-3, high=3)]),
       np_case("sign_ste", "npx.sign_ste", [data(values=[-1.5, 0.0, 2.0])]),
       np_case("copy", "np.copy", [data(3, 4)]),
       np_case("cumsum", "np.cumsum", [data(3, 4)]),
       np_case("cumsum_axis", "np.cumsum", [data(3, 4)], dict(axis=1, dtype="int32")),
       np_case("diag", "np.diag", [data(4)], dict(k=1)),
       np_case("diag_of_matrix", "np.diag", [data(3, 4)], dict(k=-1), dynamic=None),
       np_case("diagonal", "np.diagonal", [data(2, 3, 4)], dict(offset=1, axis1=1, axis2=2)),
       np_case("trace", "np.trace", [data(3, 4)], dynamic=None),
       np_case("dot", "np.dot", [data(3, 4), data(4, 5)], dynamic=[{0: "n"}, None]),
       np_case("dot_vector", "np.dot", [data(2, 3, 4), data(4)], dynamic=[{0: "n"}, None]),
       np_case("array_split", "np._internal.array_split", [data(3, 6)], dict(indices=(0, 2, 4), axis=1, squeeze_axis=False)),
       np_case("repeat", "np._internal.repeat", [data(3, 2)], dict(repeats=2, axis=1)),
       np_case("unravel_index", "np._internal.unravel_index", [data(5, dtype="int64", low=0, high=11)], dict(shape=(3, 4))),
       np_case("rollaxis", "np.rollaxis", [data(2, 3, 4)], dict(axis=2)),
       np_case("rollaxis_to_end", "np.rollaxis", [data(2, 3, 4)], dict(axis=0, start=3)),
       np_case("rollaxis_negative", "np.rollaxis", [data(2, 3, 4)], dict(axis=-1, start=-2)),
       np_case("rollaxis_stays", "np.rollaxis", [data(2, 3, 4)], dict(axis=1, start=2)),
       np_case("sequence_last", "npx.sequence_last", [data(4, 2, 3), data(2, dtype="int32", values=[3, 1])],
               dict(use_sequence_length=True), dynamic=[{0: "n"}, None]),
       np_case("sequence_reverse", "npx.sequence_reverse", [data(4, 2, 3), data(2, dtype="int32", values=[3, 1])],
               dict(use_sequence_length=True), dynamic=[{0: "n"}, None]),
       np_case("instance_norm", "npx.instance_norm", [data(2, 3, 4), data(3), data(3)], dict(eps=1e-3),
               dynamic=[{0: "n"}, None, None]),
       ]
)
