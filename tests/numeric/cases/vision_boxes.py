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

# ---- MultiBoxPrior
PRIOR = "contrib.MultiBoxPrior"
MAP = [{0: "n", 2: "h", 3: "w"}]
CASES += [
    case("prior", PRIOR, [data(1, 3, 4, 5)], dict(sizes=(0.5, 0.25, 0.1), ratios=(1, 2, 0.5)), dynamic=MAP),
    case("prior_default", PRIOR, [data(2, 3, 3, 2)], dynamic=MAP),
    case("prior_first_ratio", PRIOR, [data(1, 3, 7, 5)], dict(sizes=(0.3, 0.7), ratios=(3, 0.7)), dynamic=MAP),
    case("prior_clip", PRIOR, [data(1, 3, 4, 4)], dict(sizes=(0.8, 1.2), ratios=(1, 2), clip=True), dynamic=MAP),
    case("prior_steps", PRIOR, [data(1, 3, 4, 6)], dict(sizes=(0.4,), steps=(0.2, 0.125)), dynamic=[{2: "h"}]),
    case("prior_offsets", PRIOR, [data(1, 3, 4, 6)], dict(sizes=(0.4,), offsets=(0, 1)), dynamic=[{3: "w"}]),
    case("prior_offset_zero", PRIOR, [data(1, 3, 4, 6)], dict(sizes=(0.129, 0.514), offsets=(0.0, 0.432)), dynamic=MAP),
    case("prior_one_step", PRIOR, [data(1, 3, 4, 6)], dict(sizes=(0.4,), steps=(0, 0.125)), dynamic=MAP),
    case("prior_rank3", PRIOR, [data(1, 3, 4)], error="at least 4 dimensions"),
    case("prior_steps_differ", PRIOR, [data(1, 3, 4, 4)], dict(steps=(-1, 0.5)), error="steps"),
    case("prior_offset_out", PRIOR, [data(1, 3, 4, 4)], dict(offsets=(0.5, 1.5)), error="offsets"),
]


# ---- MultiBoxDetection
def head(seed, n, classes, anchors, dtype="float32", ties=False, low=0.0):
    """cls_prob, loc_pred, anchor of a detection head; neighbouring anchors overlap."""
    r = np.random.RandomState(seed)
    prob = r.uniform(low, 1, size=(n, classes, anchors)) ** 2
    if ties:
        prob = np.round(prob, 1)
    loc = r.normal(size=(n, 4 * anchors)) * 0.7
    corner = r.uniform(0, 0.7, size=(1, anchors, 2))
    anchor = np.concatenate([corner, corner + r.uniform(0.1, 0.5, size=(1, anchors, 2))], axis=2)
    return [data(values=prob, dtype=dtype), data(values=loc, dtype=dtype), data(values=anchor, dtype=dtype)]


DET = "contrib.MultiBoxDetection"
BATCH = [{0: "n"}, {0: "n"}, None]
CASES += [
    case("det", DET, head(0, 2, 4, 50), dynamic=BATCH),
    case("det_one_class", DET, head(1, 2, 2, 30), dynamic=BATCH),
    case("det_background_only", DET, head(2, 2, 1, 10), dynamic=BATCH),
    case("det_threshold", DET, head(3, 2, 4, 50), dict(threshold=0.6), dynamic=BATCH),
    case("det_threshold_none", DET, head(4, 2, 4, 20), dict(threshold=1.5), dynamic=BATCH),
    case("det_threshold_negative", DET, head(5, 2, 4, 20, low=-1), dict(threshold=-2), dynamic=BATCH),
    case("det_ties", DET, head(6, 2, 4, 50, ties=True), dict(nms_threshold=0.3), dynamic=BATCH),
    case("det_force", DET, head(7, 2, 4, 50), dict(force_suppress=True, nms_threshold=0.4), dynamic=BATCH),
    case("det_no_nms", DET, head(8, 2, 4, 50), dict(nms_threshold=-1, threshold=0.5), dynamic=BATCH),
    case("det_nms_above_1", DET, head(9, 2, 4, 50), dict(nms_threshold=1.5, threshold=0.5, nms_topk=5), dynamic=BATCH),
    case("det_nms_one", DET, head(10, 2, 4, 20), dict(nms_threshold=1), dynamic=BATCH),
    case("det_topk", DET, head(11, 2, 4, 50), dict(nms_topk=12), dynamic=BATCH),
    case("det_topk_few_valid", DET, head(12, 2, 4, 50), dict(nms_topk=30, threshold=0.7), dynamic=BATCH),
    case("det_topk_ties", DET, head(13, 2, 4, 50, ties=True), dict(nms_topk=12, force_suppress=True), dynamic=BATCH),
    case("det_topk_all", DET, head(14, 2, 4, 20), dict(nms_topk=20), dynamic=BATCH),
    case("det_no_clip", DET, head(15, 2, 4, 50), dict(clip=False), dynamic=BATCH),
    case("det_variances", DET, head(16, 2, 4, 50), dict(variances=(0.2, 0.3, 0.1, 0.15), clip=False), dynamic=BATCH),
    case("det_equal_overlap", DET, [data(values=[[[0.1, 0.1, 0.1], [0.9, 0.8, 0.7]]]), data(values=np.zeros((1, 12))),
                                    data(values=[[[0, 0, 0.5, 0.5], [0, 0, 0.5, 1.0], [0, 0, 0.25, 0.5]]])],
         dict(nms_threshold=0.5), dynamic=BATCH),
    case("det_variances_three", DET, head(19, 2, 4, 20), dict(variances=(1, 1, 1)), error="variances"),
]


# ---- box_decode, box_encode, box_iou, bipartite_matching
def corners(seed, *shape, dtype="float32"):
    r = np.random.RandomState(seed)
    low = r.uniform(0, 0.6, size=shape + (2,))
    a = np.concatenate([low, low + r.uniform(0.1, 0.5, size=shape + (2,))], axis=-1)
    return data(values=a, dtype=dtype)


DECODE, ENCODE, IOU, MATCH = ("contrib." + n for n in ("box_decode", "box_encode", "box_iou", "bipartite_matching"))
SOME = [{0: "n", 1: "boxes"}, {1: "boxes"}]
BOTH = [{0: "l"}, {0: "r"}]


def encoded(seed, n, boxes, refs, dtype="float32"):
    """samples, matches, anchors, refs, means, stds."""
    r = np.random.RandomState(seed)
    return [data(values=r.randint(-1, 2, size=(n, boxes)), dtype=dtype),
            data(values=r.randint(0, refs, size=(n, boxes)), dtype=dtype),
            corners(seed + 1, n, boxes, dtype=dtype), corners(seed + 2, n, refs, dtype=dtype),
            data(values=[0.1, -0.1, 0.2, 0], dtype=dtype), data(values=[0.1, 0.1, 0.2, 0.3], dtype=dtype)]


CASES += [
    case("decode", DECODE, [data(2, 7, 4), corners(0, 1, 7)], dynamic=SOME),
    case("decode_corner", DECODE, [data(2, 7, 4), corners(1, 1, 7)], dict(format="corner"), dynamic=SOME),
    case("decode_stds", DECODE, [data(2, 7, 4), corners(2, 1, 7)], dict(std0=0.1, std1=0.2, std2=0.3, std3=0.4), dynamic=SOME),
    case("decode_clip", DECODE, [data(2, 7, 4, low=-3, high=3), corners(3, 1, 7)], dict(clip=0.5, std2=0.5), dynamic=SOME),
    case("decode_clip_zero", DECODE, [data(2, 7, 4), corners(4, 1, 7)], dict(clip=0), dynamic=SOME),
    case("decode_f16", DECODE, [data(2, 7, 4, dtype="float16"), corners(5, 1, 7, dtype="float16")], dynamic=SOME),
    case("decode_f64", DECODE, [data(2, 7, 4, dtype="float64"), corners(6, 1, 7, dtype="float64")], dict(clip=0.5),
         dynamic=SOME),
    case("encode", ENCODE, encoded(10, 2, 7, 3),
         dynamic=[{0: "n", 1: "b"}, {0: "n", 1: "b"}, {0: "n", 1: "b"}, {0: "n", 1: "m"}, None, None]),
    case("encode_f64", ENCODE, encoded(20, 2, 7, 3, dtype="float64"), dynamic=None),
    case("iou", IOU, [corners(30, 5), corners(31, 6)], dynamic=BOTH),
    case("iou_rank3", IOU, [corners(32, 2, 3), corners(33, 4)], dynamic=[{0: "l", 1: "m"}, {0: "r"}]),
    case("iou_center", IOU, [corners(34, 5), corners(35, 6)], dict(format="center"), dynamic=BOTH),
    case("iou_inside_out", IOU, [data(values=[[0.5, 0, 0, 0.5], [0.5, 0.5, 0, 0], [0, 0, 0, 1], [0, 0, 0.6, 0.6]]),
                                 data(values=[[0, 0, 1, 1], [0.2, 0.2, 0.2, 0.2], [0.4, 0.3, 0.1, 0.2]])], dynamic=BOTH),
    case("iou_negative_size", IOU, [data(values=[[0.5, 0.5, -0.2, 0.5], [0.5, 0.5, -1, -1], [0.5, 0.5, 1, 1]]),
                                    data(values=[[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, -0.3, -0.3]])], dict(format="center"),
         dynamic=BOTH),
    case("iou_f16", IOU, [corners(36, 5, dtype="float16"), corners(37, 6, dtype="float16")], dynamic=BOTH),
    case("iou_f64", IOU, [corners(38, 5, dtype="float64"), corners(39, 6, dtype="float64")], dynamic=BOTH),
    case("iou_vector", IOU, [data(4), corners(40, 3)], dynamic=None, error="at least 2 dimensions"),
    case("match", MATCH, [data(2, 4, 6, kind="distinct")], dict(threshold=-0.5), dynamic=[{0: "n", 1: "r", 2: "c"}]),
    case("match_tall", MATCH, [data(2, 7, 3, kind="distinct")], dict(threshold=-2.0), dynamic=[{0: "n", 1: "r", 2: "c"}]),
    case("match_matrix", MATCH, [data(4, 6, kind="distinct")], dict(threshold=0.2), dynamic=[{0: "r", 1: "c"}]),
    case("match_rank4", MATCH, [data(2, 2, 4, 3, kind="distinct")], dict(threshold=0.2), dynamic=[{0: "n"}]),
    case("match_ascend", MATCH, [data(2, 4, 6, kind="distinct")], dict(threshold=0.3, is_ascend=True)),
    case("match_topk", MATCH, [data(2, 5, 6, kind="distinct")], dict(threshold=-1, topk=2), dynamic=[{1: "r"}]),
    case("match_topk_most", MATCH, [data(2, 5, 6, kind="distinct")], dict(threshold=-1, topk=2147483647), dynamic=[{1: "r"}]),
    case("match_none", MATCH, [data(2, 5, 6, kind="distinct")], dict(threshold=2)),
    case("match_ties", MATCH, [data(2, 5, 6, kind="int", low=0, high=3)], dict(threshold=0.5)),
    case("match_f16", MATCH, [data(2, 5, 6, kind="distinct", dtype="float16")], dict(threshold=0.5)),
    case("match_f64", MATCH, [data(2, 5, 6, kind="distinct", dtype="float64")], dict(threshold=0.5)),
    case("match_vector", MATCH, [data(6)], dict(threshold=0.5), error="at least 2 dimensions"),
]
