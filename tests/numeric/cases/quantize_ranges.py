# SPDX-License-Identifier: Apache-2.0
"""Quantised operators whose ranges are empty, as calibration finds them for values that are always 0, or so narrow that a bias does not
fit into steps of data times weight. What is compared here does not depend on the processor, unlike other fused layers."""
from . import data, param
from .fused import C, dense, dense_whole, layer, none, norm_params, relu, with_norm

EMPTY = (0, 0)
LITTLE = data(5, 7, low=0, high=0.4)  # data that their empty range saturates, and no product of these


def ranges(c, **ends):
    """A case of a dense layer with other ranges of its weight or bias, and with weights that no processor saturates."""
    for name, end in ends.items():
        c.inputs["f_%s_quantize_min" % name] = param(values=[-end])
        c.inputs["f_%s_quantize_max" % name] = param(values=[end])
        if end == 0:
            c.inputs["f_%s_quantize" % name] = param(values=[[0] * 7] * 4 if name == "weight" else [0] * 4, dtype="int8")
    if ends.get("weight"):
        c.inputs["f_weight_quantize"] = param(4, 7, dtype="int8", low=-60, high=60)
    return c


def narrow(name, reach, low=None, high=None, whole=True, **ends):
    x = data(5, 7, low=-reach, high=reach)
    name, first = "narrow_" + name, (-reach, reach)
    return ranges(dense_whole(name, none, low, high, x=x, first=first) if whole else dense(name, none, [first, (-1, 2)], x=x), **ends)


CASES = [
    # ---- fused layers: the bias remains
    layer("empty_data", none, -1, 2, first=EMPTY),
    layer("empty_data_int8", none, -1, 2, first=EMPTY, dtype="int8"),
    layer("empty_data_relu", relu, -1, 2, first=EMPTY),
    layer("empty_data_norm", with_norm(fix_gamma=False), -1, 2, dict(C, **norm_params("n", 4)), first=EMPTY),
    dense("empty_data", none, [EMPTY, (-1, 2)], x=LITTLE),
    dense("empty_data_relu", relu, [EMPTY, (-1, 2)], x=LITTLE),
    dense("empty_data_rows", none, [EMPTY, (-1, 2)], x=LITTLE, rows=True),
    dense_whole("empty_data_whole", none, -1, 2, x=LITTLE, first=EMPTY),
    dense_whole("empty_data_open", relu, None, None, x=LITTLE, first=EMPTY),
    ranges(dense("empty_weight", none, [(-1, 1), (-1, 2)], x=LITTLE), weight=0),
    ranges(dense("empty_weight_and_data", none, [EMPTY, (-1, 2)], x=LITTLE), weight=0),
    narrow("floats", 1e-4, whole=False, weight=0.5, bias=20),
    narrow("whole", 1e-3, -1, 2, weight=1e-2, bias=1),
    narrow("open", 1e-2, weight=1e-2, bias=7),
]
