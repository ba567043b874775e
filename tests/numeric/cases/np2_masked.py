# SPDX-License-Identifier: Apache-2.0
"""MXNet 2's softmax under a mask."""
from . import case, data

ORACLE = "2.0.0b1"
NT = [{0: "n", 1: "t"}, {0: "n", 1: "t"}]
CASES = []


def mask(*shape, **values):
    return data(*shape, dtype="bool", **values)


for op in ("masked_softmax", "masked_log_softmax"):
    def add(name, inputs, attrs=None, **options):
        CASES.append(case(op + name, options.pop("op", op), inputs, attrs, np_shape=True, **options))

    add("", [data(2, 3, 4, low=-3, high=3), mask(2, 3, 4)], dynamic=NT)
    add("_axis", [data(2, 3, 4), mask(2, 3, 4)], dict(axis=1), dynamic=NT)
    add("_temperature", [data(2, 3, 4), mask(2, 3, 4)], dict(temperature=2.5), dynamic=NT)
    add("_raw", [data(2, 3, 4), mask(2, 3, 4)], dict(normalize=False), dynamic=NT)
    add("_one_for_all", [data(2, 3, 4), mask(1, 1, 4)], dynamic=[{0: "n"}, None])
    add("_rows", [data(2, 3, 4), mask(2, 1, 4)], dynamic=[{0: "n", 1: "t"}, {0: "n"}])
    add("_nothing", [data(2, 4), mask(2, 4, values=[[1, 0, 1, 0], [0, 0, 0, 0]])])
    add("_everything", [data(2, 4), mask(2, 4, values=[[1, 1, 1, 1], [1, 1, 1, 1]])])
    add("_numpy", [data(2, 4), mask(2, 4)], op="npx." + op)
    for t in ("float16", "float64"):
        add("_" + t, [data(2, 4, dtype=t), mask(2, 4)], rtol=1e-6 if t == "float64" else None)
CASES.append(case("masked_softmax_empty", "masked_softmax", [data(2, 0), mask(2, 0)], np_shape=True, dynamic=None))
