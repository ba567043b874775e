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
    case("align_columns", ALIGN, [data(2, 13, 8, 9), data(3, 6)], EIGHTH, error="has shape"),
    case("pool", POOL, [data(2, 3, 8, 9), regions(20, 7)], EIGHTH, opsets=UP_TO_21, dynamic=EVERY),
    case("pool_no_image", POOL, [data(2, 3, 8, 9), regions(21, 7, bad=[(2, -1), (4, 2), (5, -0.5)])], EIGHTH,
         opsets=UP_TO_21, dynamic=R),
    case("pool_halves", POOL, [data(1, 3, 8, 9), data(values=[HALVES, INSIDE_OUT, [0, 100.0, 100.0, 150.0, 150.0]])], EIGHTH,
         opsets=UP_TO_21, dynamic=R),
    case("pool_scale_1", POOL, [data(2, 3, 8, 9), regions(22, 7, size=9)], dict(pooled_size=(2, 2), spatial_scale=1.0),
         opsets=UP_TO_21, dynamic=R),
    case("pool_scale_0", POOL, [data(2, 3, 8, 9), regions(26, 5, bad=[(2, -1)])], dict(pooled_size=(2, 2), spatial_scale=0.0),
         opsets=UP_TO_21, dynamic=R),
    case("pool_f16", POOL, [data(2, 3, 8, 9, dtype="float16"), regions(23, 7, dtype="float16")], EIGHTH, opsets=UP_TO_21,
         dynamic=R),
    case("pool_f64", POOL, [data(2, 3, 8, 9, dtype="float64"), regions(24, 7, dtype="float64")], EIGHTH, opsets=UP_TO_21,
         dynamic=R, rtol=1e-6),
    case("pool_no_kernel", POOL, [data(2, 3, 8, 9), regions(25, 7)], EIGHTH, opsets=(22, 26), dynamic=R,
         check_only="MaxRoiPool has no kernel from opset 22 on"),
]

# ---- PSROIPooling, DeformablePSROIPooling
PS, DEFORMABLE = "contrib.PSROIPooling", "contrib.DeformablePSROIPooling"
BINS = dict(spatial_scale=0.125, output_dim=2, pooled_size=3)
PARTS = dict(BINS, group_size=3, sample_per_part=2, trans_std=0.1)


def trans(n, classes, parts, dtype="float32"):
    return data(n, 2 * classes, parts, parts, dtype=dtype)


def turned(seed, n, images=2, size=64.0):
    """(n, 6): image, centre, width, height, angle."""
    r = np.random.RandomState(seed)
    a = np.zeros((n, 6))
    a[:, 0] = r.randint(0, images, size=n)
    a[:, 1:3] = r.uniform(0, size, size=(n, 2))
    a[:, 3:5] = r.uniform(0.02 * size, 0.7 * size, size=(n, 2))
    a[:, 5] = r.uniform(-180, 180, size=n)
    return data(values=a)


TRANS = [None, {0: "r"}, {0: "r"}]
ALL_TRANS = [{0: "n", 2: "h", 3: "w"}, {0: "r"}, {0: "r"}]

CASES += [
    case("ps", PS, [data(2, 18, 8, 9), regions(30, 7)], BINS, dynamic=EVERY),
    case("ps_group", PS, [data(2, 8, 8, 9), regions(31, 7)], dict(BINS, group_size=2), dynamic=R),
    case("ps_group_larger", PS, [data(2, 32, 8, 9), regions(32, 7)], dict(BINS, group_size=4), dynamic=R),
    case("ps_spare_channels", PS, [data(2, 20, 8, 9), regions(33, 7)], BINS, dynamic=R),
    case("ps_halves", PS, [data(1, 18, 8, 9), data(values=[HALVES, INSIDE_OUT, [0, 100.0, 100.0, 150.0, 150.0]])], BINS,
         dynamic=R),
    case("ps_f64", PS, [data(2, 18, 8, 9, dtype="float64"), regions(34, 7, dtype="float64")], BINS, dynamic=R),
    case("ps_channels", PS, [data(2, 17, 8, 9), regions(31, 7)], BINS, error="output_dim"),
    case("deformable", DEFORMABLE, [data(2, 18, 8, 9), regions(40, 7), trans(7, 1, 3)], PARTS, dynamic=ALL_TRANS),
    case("deformable_plain", DEFORMABLE, [data(2, 18, 8, 9), regions(41, 7)], dict(PARTS, no_trans=True), dynamic=EVERY),
    case("deformable_spare_channels", DEFORMABLE, [data(2, 20, 8, 9), regions(41, 7)], dict(PARTS, no_trans=True), dynamic=EVERY),
    case("deformable_classes", DEFORMABLE, [data(2, 54, 8, 9), regions(42, 7), trans(7, 3, 3)], dict(PARTS, output_dim=6),
         dynamic=ALL_TRANS),
    case("deformable_parts", DEFORMABLE, [data(2, 18, 8, 9), regions(43, 7), trans(7, 2, 2)], dict(PARTS, part_size=2),
         dynamic=TRANS),
    case("deformable_one_part", DEFORMABLE, [data(2, 18, 8, 9), regions(48, 7), trans(7, 1, 1)], dict(PARTS, part_size=1),
         dynamic=TRANS),
    case("deformable_more_parts", DEFORMABLE, [data(2, 18, 8, 9), regions(44, 7), trans(7, 1, 5)], dict(PARTS, part_size=5),
         dynamic=TRANS),
    case("deformable_group", DEFORMABLE, [data(2, 4, 8, 9), regions(45, 7), trans(7, 1, 3)],
         dict(PARTS, group_size=1, output_dim=4, sample_per_part=4), dynamic=TRANS),
    case("deformable_group_2", DEFORMABLE, [data(2, 8, 8, 9), regions(46, 7), trans(7, 1, 3)], dict(PARTS, group_size=2),
         dynamic=TRANS),
    case("deformable_far", DEFORMABLE, [data(2, 18, 8, 9), regions(47, 7), trans(7, 1, 3)], dict(PARTS, trans_std=1.0),
         dynamic=TRANS),
    case("deformable_seven", DEFORMABLE, [data(2, 49, 8, 9), regions(50, 7), trans(7, 1, 7)],
         dict(spatial_scale=0.125, output_dim=1, pooled_size=7, group_size=7, trans_std=0.5), dynamic=TRANS),
    case("deformable_49", DEFORMABLE, [data(1, 1, 8, 9), regions(51, 3, images=1), trans(3, 1, 49)],
         dict(spatial_scale=0.125, output_dim=1, pooled_size=49, group_size=1, trans_std=0.5), dynamic=TRANS),
    case("deformable_one_sample", DEFORMABLE, [data(2, 18, 8, 9), regions(48, 7), trans(7, 1, 3)], dict(PARTS, sample_per_part=1),
         dynamic=TRANS),
    case("deformable_f64", DEFORMABLE, [data(2, 18, 8, 9, dtype="float64"), regions(49, 7, dtype="float64"),
                                        trans(7, 1, 3, dtype="float64")], PARTS, dynamic=TRANS),
    case("deformable_classes_differ", DEFORMABLE, [data(2, 18, 8, 9), regions(42, 7), trans(7, 3, 3)], PARTS, error="output_dim"),
    case("turned", "contrib.RROIAlign", [data(2, 3, 8, 9), turned(50, 7)], dict(EIGHTH, sampling_ratio=2), dynamic=EVERY),
    case("turned_adaptive", "contrib.RROIAlign", [data(2, 3, 8, 9), turned(51, 7)], EIGHTH, dynamic=EVERY),
    case("turned_scale_1", "contrib.RROIAlign", [data(2, 3, 8, 9), turned(52, 7, size=9)],
         dict(pooled_size=(2, 2), spatial_scale=1.0), dynamic=R),
]
