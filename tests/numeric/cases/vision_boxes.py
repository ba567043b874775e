# SPDX-License-Identifier: Apache-2.0
"""Boxes: suppression, decoding, overlaps, anchors, detection heads."""
import numpy as np

from . import case, data


def rows(seed, *shape, classes=3, width=6, ids=True, center=False, dtype="float32", ties=False):
    """Boxes as rows: class, score, corners (or center and size), and what else a row has. Some are background, some
    score badly, some are turned inside out."""
    r = np.random.RandomState(seed)
    a = r.uniform(-1, 1, size=shape + (width,))
    a[..., 0] = r.randint(-1, classes, size=shape) if ids else a[..., 0]
    a[..., 1] = r.uniform(-0.2, 1, size=shape)
    if ties:
        a[..., 1] = np.round(a[..., 1], 1)
    a[..., 2:4] = r.uniform(-0.1, 0.6, size=shape + (2,))
    a[..., 4:6] = r.uniform(0.1, 0.6, size=shape + (2,)) + (0 if center else a[..., 2:4])
    a[..., 0, 4] = a[..., 0, 2] - 0.3
    return data(values=a, dtype=dtype)


NMS = "contrib.box_nms"
BY_CLASS = dict(id_index=0)

CASES = [
    case("nms", NMS, [rows(0, 1, 40)]),
    case("nms_batch", NMS, [rows(1, 3, 30)], dynamic=[{0: "n", 1: "boxes"}]),
    case("nms_matrix", NMS, [rows(2, 30)], dynamic=[{0: "boxes"}]),
    case("nms_rank4", NMS, [rows(3, 2, 3, 20)], BY_CLASS, dynamic=[{0: "n", 2: "boxes"}]),
    case("nms_class", NMS, [rows(4, 2, 60)], BY_CLASS, dynamic=[{0: "n", 1: "boxes"}]),
    case("nms_class_ties", NMS, [rows(5, 2, 60, ties=True)], dict(id_index=0, overlap_thresh=0.3)),
    case("nms_odd_ids", NMS, [data(values=rows(6, 2, 30).values * np.array([2.7, 1, 1, 1, 1, 1]))], BY_CLASS),
    case("nms_large_ids", NMS, [data(values=rows(7, 2, 30).values * np.array([1e6, 1, 1, 1, 1, 1]))], BY_CLASS),
    case("nms_force", NMS, [rows(8, 2, 40)], dict(id_index=0, force_suppress=True), dynamic=[{0: "n", 1: "boxes"}]),
    case("nms_background", NMS, [rows(9, 2, 40)], dict(id_index=0, background_id=1)),
    case("nms_background_force", NMS, [rows(10, 2, 40)], dict(id_index=0, background_id=0, force_suppress=True)),
    case("nms_topk", NMS, [rows(11, 2, 40)], dict(topk=12, id_index=0), dynamic=[{0: "n", 1: "boxes"}]),
    case("nms_topk_ties", NMS, [rows(12, 2, 40, ties=True)], dict(topk=12), dynamic=[{0: "n", 1: "boxes"}]),
    case("nms_topk_few", NMS, [rows(13, 2, 9)], dict(topk=12, id_index=0), dynamic=[{1: "boxes"}], sizes={"boxes": 15}),
    case("nms_topk_more_than_valid", NMS, [rows(14, 2, 30)], dict(topk=20, id_index=0, valid_thresh=0.7),
         dynamic=[{0: "n", 1: "boxes"}]),
    case("nms_topk_one", NMS, [rows(15, 2, 30)], dict(topk=1)),
    case("nms_topk_zero", NMS, [rows(16, 2, 30)], dict(topk=0, out_format="center")),
    case("nms_valid_thresh", NMS, [rows(17, 2, 40)], dict(valid_thresh=0.4)),
    case("nms_valid_thresh_negative", NMS, [rows(18, 2, 40)], dict(valid_thresh=-1, id_index=0)),
    case("nms_none_valid", NMS, [rows(19, 2, 20)], dict(valid_thresh=2.0, id_index=0)),
    case("nms_one_image_empty", NMS, [data(values=rows(20, 2, 20).values * np.array([[[1]], [[-1]]]))], dict(id_index=0)),
    case("nms_overlap_high", NMS, [rows(21, 2, 40)], dict(overlap_thresh=0.9)),
    case("nms_overlap_zero", NMS, [rows(22, 2, 40)], dict(overlap_thresh=0)),
    case("nms_overlap_one", NMS, [rows(23, 2, 40)], dict(overlap_thresh=1)),
    case("nms_overlap_beyond", NMS, [rows(24, 2, 40)], dict(overlap_thresh=1.5)),
    case("nms_overlap_negative", NMS, [rows(24, 2, 40)], dict(overlap_thresh=-0.5), error="overlap_thresh"),
    case("nms_to_center", NMS, [rows(25, 2, 40)], dict(out_format="center"), dynamic=[{0: "n", 1: "boxes"}]),
    case("nms_from_center", NMS, [rows(26, 2, 40, center=True)], dict(in_format="center", id_index=0)),
    case("nms_center", NMS, [rows(27, 2, 40, center=True)], dict(in_format="center", out_format="center")),
    case("nms_columns", NMS, [data(values=np.roll(rows(28, 2, 40, width=8).values, -2, axis=2))],
         dict(coord_start=0, score_index=7, id_index=6, out_format="center", topk=30)),
    case("nms_last_columns", NMS, [data(values=np.roll(rows(29, 2, 40, width=9).values, 3, axis=2))],
         dict(coord_start=5, score_index=4, id_index=3, out_format="center", topk=30)),
    case("nms_f16", NMS, [rows(30, 2, 30, dtype="float16")], dict(id_index=0, topk=25)),
    case("nms_f64", NMS, [rows(31, 2, 30, dtype="float64")], dict(id_index=0, topk=25)),
    case("nms_f64_all", NMS, [rows(32, 2, 30, dtype="float64")]),
]
