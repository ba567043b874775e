# SPDX-License-Identifier: Apache-2.0
"""Detection heads as parts of networks: anchors of a dynamic map, and their predictions."""
from . import build, data, param


def ssd(mx, **attrs):
    """A head on one map."""
    x = mx.sym.Variable("data")
    anchor = mx.sym.contrib.MultiBoxPrior(x, sizes=(0.4, 0.6), ratios=(1, 2), name="anchor")
    cls = mx.sym.Convolution(x, mx.sym.Variable("wc"), no_bias=True, kernel=(1, 1), num_filter=9)
    cls = mx.sym.Reshape(mx.sym.transpose(cls, axes=(0, 2, 3, 1)), shape=(0, -1, 3))
    cls = mx.sym.softmax(mx.sym.transpose(cls, axes=(0, 2, 1)), axis=1)
    loc = mx.sym.Convolution(x, mx.sym.Variable("wl"), no_bias=True, kernel=(1, 1), num_filter=12)
    loc = mx.sym.Flatten(mx.sym.transpose(loc, axes=(0, 2, 3, 1)))
    return mx.sym.contrib.MultiBoxDetection(cls, loc, anchor, name="det", **attrs)


def ssd_of_two(mx):
    """A head on two maps, the second half as large."""
    maps = [mx.sym.Variable("data")]
    maps.append(mx.sym.Pooling(maps[0], kernel=(2, 2), stride=(2, 2), pool_type="max", pooling_convention="full"))
    parts = [[], [], []]
    for i, x in enumerate(maps):
        parts[0].append(mx.sym.contrib.MultiBoxPrior(x, sizes=(0.3 + 0.3 * i, 0.5), ratios=(1, 2)))
        cls = mx.sym.Convolution(x, mx.sym.Variable("wc"), no_bias=True, kernel=(1, 1), num_filter=9)
        parts[1].append(mx.sym.Flatten(mx.sym.transpose(cls, axes=(0, 2, 3, 1))))
        loc = mx.sym.Convolution(x, mx.sym.Variable("wl"), no_bias=True, kernel=(1, 1), num_filter=12)
        parts[2].append(mx.sym.Flatten(mx.sym.transpose(loc, axes=(0, 2, 3, 1))))
    anchor, cls, loc = (mx.sym.Concat(*p, dim=1) for p in parts)
    cls = mx.sym.transpose(mx.sym.Reshape(cls, shape=(0, -1, 3)), axes=(0, 2, 1))
    return mx.sym.contrib.MultiBoxDetection(mx.sym.SoftmaxActivation(cls, mode="channel"), loc, anchor, nms_topk=20)


def yolo(mx):
    """Boxes of several classes, decoded and suppressed, the best of them."""
    box = mx.sym.contrib.box_decode(mx.sym.Variable("box"), mx.sym.Variable("anchor"), std0=0.1, std1=0.1, std2=0.2, std3=0.2)
    score = mx.sym.Variable("score")
    found = []
    for i in range(2):
        one = mx.sym.slice_axis(score, axis=-1, begin=i, end=i + 1)
        found.append(mx.sym.concat(mx.sym.ones_like(one) * i, one, box, dim=-1))
    found = mx.sym.concat(*found, dim=1)
    found = mx.sym.contrib.box_nms(found, overlap_thresh=0.45, valid_thresh=0.01, topk=40, id_index=0, score_index=1,
                                   coord_start=2, force_suppress=False)
    found = mx.sym.slice_axis(found, axis=1, begin=0, end=10)
    return mx.sym.Group([mx.sym.slice_axis(found, axis=2, begin=a, end=b) for a, b in ((0, 1), (1, 2), (2, 6))])


def rcnn(mx):
    """Regions that the network proposes, pooled."""
    score, delta, x = mx.sym.Variable("score"), mx.sym.Variable("delta"), mx.sym.Variable("data")
    rois = mx.sym.contrib.Proposal(score, delta, mx.sym.Variable("info"), feature_stride=8, scales=(2, 4), ratios=(0.5, 1, 2),
                                   rpn_pre_nms_top_n=80, rpn_post_nms_top_n=12, rpn_min_size=4)
    return mx.sym.contrib.ROIAlign(x, rois, pooled_size=(2, 2), spatial_scale=0.125, sample_ratio=2)


WEIGHTS = {"wc": param(9, 4, 1, 1), "wl": param(12, 4, 1, 1)}
MAP = {"data": {0: "n", 2: "h", 3: "w"}}

CASES = [
    build("ssd", ssd, {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS, dynamic=MAP),
    build("ssd_topk", lambda mx: ssd(mx, nms_topk=15, nms_threshold=0.4), {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS,
          dynamic=MAP),
    build("ssd_topk_more", lambda mx: ssd(mx, nms_topk=100), {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS, dynamic=MAP),
    build("ssd_plain", lambda mx: ssd(mx, nms_threshold=0, threshold=0.4), {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS,
          dynamic=MAP),
    build("ssd_two_maps", ssd_of_two, {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS, dynamic=MAP),
    build("yolo", yolo, {"box": data(2, 30, 4), "anchor": data(1, 30, 4, low=0.1, high=0.6), "score": data(2, 30, 2, low=0)},
          dynamic={"box": {0: "n", 1: "a"}, "anchor": {1: "a"}, "score": {0: "n", 1: "a"}}),
    build("rcnn", rcnn, {"score": data(1, 12, 5, 6, kind="distinct", low=0.0, high=1.0), "delta": data(1, 24, 5, 6, low=-0.3, high=0.3),
                         "info": data(values=[[40, 48, 1]]), "data": data(1, 3, 5, 6)},
          dynamic={"score": {2: "h", 3: "w"}, "delta": {2: "h", 3: "w"}, "data": {2: "h", 3: "w"}}),
]
