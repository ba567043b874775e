# SPDX-License-Identifier: Apache-2.0
"""Pooling of regions."""
import numpy as np

from . import case, data


def regions(seed, n, images=2, size=64.0, dtype="float32", bad=(), first=0):
    """(n, 5): image and corners in pixels; some leave the image, some are smaller than a cell, the last is inside out."""
    r = np.random.RandomState(seed)
    a = np.zeros((n, 5))
    a[:, 0] = r.randint(first, images, size=n)
    a[:, 1:3] = r.uniform(-0.2 * size, 0.8 * size, size=(n, 2))
    a[:, 3:5] = a[:, 1:3] + r.uniform(0.02 * size, 0.7 * size, size=(n, 2))
    a[0, 3:5] = a[0, 1:3] + 1
    for i, image in bad:
        a[i, 0] = image
    return data(values=a, dtype=dtype)


ALIGN, POOL = "contrib.ROIAlign", "ROIPooling"
EIGHTH = dict(pooled_size=(3, 4), spatial_scale=0.125)
R = [None, {0: "r"}]
EVERY = [{0: "n", 2: "h", 3: "w"}, {0: "r"}]
UP_TO_21 = (12, 13, 15, 16, 17, 21)  # MaxRoiPool has a kernel there
HALVES = [0, 3.5, 4.5, 20.5, 28.5]  # corners that fall between pixels
INSIDE_OUT = [0, 30.0, 30.0, 10.0, 14.0]

CASES = [
    case("align", ALIGN, [data(2, 3, 8, 9), regions(0, 7)], EIGHTH, dynamic=EVERY),
    case("align_samples", ALIGN, [data(2, 3, 8, 9), regions(1, 7)], dict(EIGHTH, sample_ratio=2), dynamic=EVERY),
    case("align_samples_3", ALIGN, [data(2, 3, 8, 9), regions(2, 7)], dict(EIGHTH, sample_ratio=3), dynamic=R),
    case("align_aligned", ALIGN, [data(2, 3, 8, 9), regions(3, 7)], dict(EIGHTH, aligned=True), dynamic=EVERY,
         opsets=(12, 15, 16, 17, 21, 22, 26)),
    case("align_aligned_samples", ALIGN, [data(2, 3, 8, 9), regions(4, 7)], dict(EIGHTH, aligned=True, sample_ratio=2),
         dynamic=EVERY, opsets=(12, 15, 16, 17, 21, 22, 26)),
    case("align_scale_1", ALIGN, [data(2, 3, 8, 9), regions(5, 7, size=9)], dict(pooled_size=(2, 2), spatial_scale=1.0),
         dynamic=R),
    case("align_one_bin", ALIGN, [data(2, 3, 8, 9), regions(6, 7)], dict(pooled_size=(1, 1), spatial_scale=0.125), dynamic=R),
    case("align_position", ALIGN, [data(2, 24, 8, 9), regions(7, 7)], dict(EIGHTH, position_sensitive=True), dynamic=EVERY),
    case("align_position_aligned", ALIGN, [data(2, 12, 8, 9), regions(8, 7)],
         dict(EIGHTH, position_sensitive=True, aligned=True, sample_ratio=2), dynamic=R),
    case("align_inside_out", ALIGN, [data(1, 3, 8, 9), data(values=[INSIDE_OUT, HALVES])], EIGHTH, dynamic=R),
    case("align_f16", ALIGN, [data(2, 3, 8, 9, dtype="float16"), regions(9, 7, dtype="float16")], EIGHTH, dynamic=R, atol=0.02),
    case("align_f64", ALIGN, [data(2, 3, 8, 9, dtype="float64"), regions(10, 7, dtype="float64")], EIGHTH, dynamic=R),
    case("align_channels", ALIGN, [data(2, 13, 8, 9), regions(7, 7)], dict(EIGHTH, position_sensitive=True),
         error="position_sensitive"),
    case("align_columns", ALIGN, [data(2, 13, 8, 9), data(3, 6)], EIGHTH, error="its shape"),
    case("pool", POOL, [data(2, 3, 8, 9), regions(20, 7)], EIGHTH, opsets=UP_TO_21, dynamic=EVERY),
    case("pool_no_image", POOL, [data(2, 3, 8, 9), regions(21, 7, bad=[(2, -1), (4, 2), (5, -0.5)])], EIGHTH,
         opsets=UP_TO_21, dynamic=R),
    case("pool_halves", POOL, [data(1, 3, 8, 9), data(values=[HALVES, INSIDE_OUT, [0, 100.0, 100.0, 150.0, 150.0]])], EIGHTH,
         opsets=UP_TO_21, dynamic=R),
    case("pool_scale_1", POOL, [data(2, 3, 8, 9), regions(22, 7, size=9)], dict(pooled_size=(2, 2), spatial_scale=1.0),
         opsets=UP_TO_21, dynamic=R),
    case("pool_f16", POOL, [data(2, 3, 8, 9, dtype="float16"), regions(23, 7, dtype="float16")], EIGHTH, opsets=UP_TO_21,
         dynamic=R),
    case("pool_f64", POOL, [data(2, 3, 8, 9, dtype="float64"), regions(24, 7, dtype="float64")], EIGHTH, opsets=UP_TO_21,
         dynamic=R, rtol=1e-6),
    case("pool_no_kernel", POOL, [data(2, 3, 8, 9), regions(25, 7)], EIGHTH, opsets=(22, 26), dynamic=R,
         check_only="MaxRoiPool has no kernel from opset 22 on"),
]
