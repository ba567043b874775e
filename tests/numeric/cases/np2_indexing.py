# SPDX-License-Identifier: Apache-2.0
"""x[index] as MXNet 2 writes it."""
from . import case, data

ORACLE = "2.0.0b1"


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


ONE, SEVERAL = "np._internal.advanced_indexing", "np._internal.advanced_indexing_multiple"
CASES = [
    np_case("rows", ONE, [data(4, 3), data(5, dtype="int64", low=0, high=3)], dynamic=[{0: "n"}, {0: "k"}]),
    np_case("rows_i32", ONE, [data(4, 3), data(2, 2, dtype="int32", low=0, high=3)], dynamic=[{0: "n"}, {0: "k"}]),
    np_case("row", ONE, [data(4, 3), data(values=2, dtype="int32")], dynamic=None),
    np_case("elements", ONE, [data(4), data(2, 3, dtype="int64", low=0, high=3)], dynamic=[{0: "n"}, {0: "k"}]),
    np_case("rows_of_ints", ONE, [data(4, 3, dtype="int32"), data(5, dtype="int64", low=0, high=3)]),
    np_case("mask", ONE, [data(4, 3), data(4, dtype="bool", values=[1, 0, 1, 1])], dynamic=[{0: "n"}, {0: "n"}]),
    np_case("mask_vector", ONE, [data(4, dtype="int64"), data(4, dtype="bool", values=[0, 0, 1, 0])],
            dynamic=[{0: "n"}, {0: "n"}]),
    np_case("mask_nothing", ONE, [data(4, 3), data(4, dtype="bool", values=[0, 0, 0, 0])]),
    np_case("coordinates", SEVERAL, [data(4, 3), data(2, 5, dtype="int64", low=-3, high=2)], dynamic=[{0: "n"}, {1: "k"}]),
    np_case("coordinates_rows", SEVERAL, [data(4, 3, 2), data(2, 5, dtype="int32", low=0, high=2)],
            dynamic=[{0: "n"}, {1: "k"}]),
    np_case("coordinates_square", SEVERAL, [data(4, 3), data(2, 2, 2, dtype="int64", low=0, high=2)],
            dynamic=[{0: "n"}, {1: "k"}]),
    np_case("coordinates_one", SEVERAL, [data(4, 3), data(1, 5, dtype="int64", low=-4, high=3)], dynamic=[None, {1: "k"}]),
]
