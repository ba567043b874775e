# SPDX-License-Identifier: Apache-2.0
"""Proposal, MultiProposal."""
import numpy as np

from . import case, data


def rpn(seed, n, anchors, h, w, stride=8, sizes=None, scale=1.0, spread=0.3, ties=False):
    """cls_prob, bbox_pred, im_info of a map."""
    r = np.random.RandomState(seed)
    prob = r.uniform(0, 1, size=(n, 2 * anchors, h, w))
    if ties:
        prob = np.round(prob, 1)
    delta = r.normal(size=(n, 4 * anchors, h, w)) * spread
    info = np.array([(sizes or [(h * stride, w * stride)] * n)[i] + (scale,) for i in range(n)])
    return [data(values=prob), data(values=delta), data(values=info)]


ONE, MANY = "contrib.Proposal", "contrib.MultiProposal"
FEW = dict(feature_stride=8, scales=(2, 4), ratios=(0.5, 1, 2), rpn_pre_nms_top_n=100, rpn_post_nms_top_n=20, rpn_min_size=4)
ANY = [{0: "n"}, {0: "n"}, {0: "n"}]
# the map grows, the image of im_info does not: cells outside it are ignored
GROWING = [{2: "h", 3: "w"}, {2: "h", 3: "w"}, None]
EVERY = [{0: "n", 2: "h", 3: "w"}, {0: "n", 2: "h", 3: "w"}, {0: "n"}]

CASES = [
    case("proposal", ONE, rpn(0, 1, 6, 7, 9), FEW, dynamic=GROWING),
    case("proposal_defaults", ONE, rpn(1, 1, 12, 6, 8, stride=16), dynamic=GROWING),
    case("proposal_score", ONE, rpn(2, 1, 6, 7, 9), dict(FEW, output_score=True), dynamic=GROWING),
    case("proposal_all", ONE, rpn(3, 1, 6, 5, 5), dict(FEW, rpn_pre_nms_top_n=0, output_score=True), dynamic=GROWING),
    case("proposal_few", ONE, rpn(4, 1, 6, 3, 3, spread=0.05),
         dict(FEW, threshold=0.2, rpn_post_nms_top_n=50, output_score=True), dynamic=GROWING),
    case("proposal_more_than_boxes", ONE, rpn(5, 1, 6, 2, 3), dict(FEW, rpn_post_nms_top_n=70), dynamic=GROWING),
    case("proposal_min_size", ONE, rpn(6, 1, 6, 7, 9, scale=1.7), dict(FEW, rpn_min_size=16, output_score=True),
         dynamic=GROWING),
    case("proposal_small_image", ONE, rpn(7, 1, 6, 7, 9, sizes=[(35, 50)]), dict(FEW, output_score=True), dynamic=GROWING),
    case("proposal_ties", ONE, rpn(8, 1, 6, 7, 9, ties=True), dict(FEW, output_score=True), dynamic=GROWING),
    case("proposal_iou_loss", ONE, rpn(9, 1, 6, 7, 9, spread=6), dict(FEW, iou_loss=True, output_score=True), dynamic=GROWING),
    case("proposal_anchor", ONE, rpn(10, 1, 2, 7, 9),
         dict(FEW, scales=(3.5,), ratios=(0.3, 1.7), feature_stride=8), dynamic=GROWING),
    case("proposal_threshold_one", ONE, rpn(11, 1, 6, 4, 4), dict(FEW, threshold=1.0), dynamic=GROWING),
    case("proposal_threshold_negative", ONE, rpn(11, 1, 6, 4, 4), dict(FEW, threshold=-0.1), error="threshold"),
    case("proposals_threshold_negative", MANY, rpn(11, 2, 6, 4, 4), dict(FEW, threshold=-0.1), error="threshold"),
    case("proposal_no_stride", ONE, rpn(11, 1, 6, 4, 4), dict(FEW, feature_stride=0), error="feature_stride"),
    case("proposal_none_wanted", ONE, rpn(11, 1, 6, 4, 4), dict(FEW, rpn_post_nms_top_n=0), error="rpn_post_nms_top_n"),
    case("proposal_anchors_differ", ONE, rpn(11, 1, 5, 4, 4), FEW, error="has shape"),
    case("proposal_two_images", ONE, rpn(12, 2, 6, 4, 4), FEW, error="has shape"),
    case("multi", MANY, rpn(13, 3, 6, 7, 9, sizes=[(56, 72), (40, 50), (56, 60)]), dict(FEW, output_score=True), dynamic=ANY),
    case("multi_one", MANY, rpn(14, 1, 6, 7, 9), dict(FEW, output_score=True), dynamic=EVERY),
    case("multi_few", MANY, rpn(15, 2, 6, 3, 4, spread=0.05), dict(FEW, threshold=0.2, rpn_post_nms_top_n=50, output_score=True),
         dynamic=EVERY),
    case("multi_iou_loss", MANY, rpn(16, 2, 6, 7, 9, spread=6), dict(FEW, iou_loss=True), dynamic=EVERY),
]
