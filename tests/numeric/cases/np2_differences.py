# SPDX-License-Identifier: Apache-2.0
"""The same as differences.py, for operators that MXNet 2 has alone."""
from . import data
from .differences import WIDE, differs

ORACLE = "2.0.0b1"

CASES = [
    differs("floor_divide_halves", "np._internal.floor_divide", [data(values=[1000], dtype="float16"), data(values=[0.3])], np_shape=True),
    differs("floor_divide_wide", "np._internal.floor_divide", [WIDE, data(values=[4, 3, 2], dtype="int64")], np_shape=True),
    differs("floor_divide_scalar_wide", "np._internal.floor_divide_scalar", [WIDE], dict(scalar=4), np_shape=True),
    differs("rfloor_divide_scalar_wide", "np._internal.rfloor_divide_scalar", [WIDE], dict(scalar=2 ** 62), np_shape=True),
]
