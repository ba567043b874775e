# SPDX-License-Identifier: Apache-2.0
"""Detection and segmentation by the Module API: SSD, Faster R-CNN, R-FCN, Deformable R-FCN, FCN-xs, with the training
symbols that checkpoints hold."""
from net import Input, Net, uniform
from nets.layers import S, bn, conv, preactivated, relu, resnet_v2, vgg16

CLASSES = 20


# ---- SSD (example/ssd)

def ssd_vgg16_layers(data):
    """VGG16 reduced and the layers after it, for 300 x 300."""
    found = vgg16(data, pool5=False)
    x = S.Pooling(found["relu5_3"], pool_type="max", kernel=(3, 3), stride=(1, 1), pad=(1, 1), name="pool5")
    x = relu(conv(x, 1024, 3, pad=6, dilate=6, name="fc6", bias=True), "relu6")
    x = relu(conv(x, 1024, 1, name="fc7", bias=True), "relu7")
    layers = [found["relu4_3"], x]
    for k, (filters, stride, pad) in enumerate(((512, 2, 1), (256, 2, 1), (256, 1, 0), (256, 1, 0)), 8):
        x = relu(conv(x, filters // 2, 1, name="multi_feat_%d_conv_1x1_conv" % k, bias=True))
        x = relu(conv(x, filters, 3, stride, pad, name="multi_feat_%d_conv_3x3_conv" % k, bias=True))
        layers.append(x)
    return layers


def ssd_resnet50_layers(data):
    """What SageMaker's object-detection calls resnet-50: two stages of the backbone and four small layers."""
    found = resnet_v2(data, (3, 4, 6, 3))
    x, layers = relu(bn(found[3], "bn1"), "relu1"), [found[2]]
    layers.append(x)
    for k, (filters, stride) in enumerate(((512, 2), (256, 2), (256, 2), (128, 2))):
        x = relu(conv(x, filters // 2, 1, name="multi_feat_%d_conv_1x1_conv" % (k + 2), bias=True))
        x = relu(conv(x, filters, 3, stride, 1, name="multi_feat_%d_conv_3x3_conv" % (k + 2), bias=True))
        layers.append(x)
    return layers


def ssd(layers, normalized, training, steps=None):
    sizes = [(.1, .141), (.2, .272), (.37, .447), (.54, .619), (.71, .79), (.88, .961)]
    ratios = [(1, 2, .5), (1, 2, .5, 3, 1. / 3), (1, 2, .5, 3, 1. / 3), (1, 2, .5, 3, 1. / 3), (1, 2, .5), (1, 2, .5)]

    def make():
        locations, scores, anchors = [], [], []
        for k, x in enumerate(layers(S.Variable("data"))):
            if k == 0 and normalized:
                x = S.L2Normalization(x, mode="channel", name="relu4_3_norm")
                x = S.broadcast_mul(S.Variable("relu4_3_scale", shape=(1, 512, 1, 1)), x)
            count, name = len(sizes[k]) + len(ratios[k]) - 1, "layer%d" % k
            for out, width, kind in ((locations, 4, "loc"), (scores, CLASSES + 1, "cls")):
                y = conv(x, width * count, 3, name="%s_%s_pred_conv" % (name, kind), bias=True)
                out.append(S.Flatten(S.transpose(y, axes=(0, 2, 3, 1))))
            step = {"steps": (steps[k], steps[k])} if steps else {}
            anchors.append(S.Flatten(S.contrib.MultiBoxPrior(x, sizes=sizes[k], ratios=ratios[k], clip=False,
                                                             name=name + "_anchors", **step)))
        location = S.Concat(*locations, dim=1, name="multibox_loc_pred")
        score = S.Reshape(S.Concat(*scores, dim=1), shape=(0, -1, CLASSES + 1))
        score = S.transpose(score, axes=(0, 2, 1), name="multibox_cls_pred")
        anchor = S.Reshape(S.Concat(*anchors, dim=1), shape=(0, -1, 4), name="multibox_anchors")
        options = dict(nms_threshold=.45, force_suppress=False, variances=(.1, .1, .2, .2), nms_topk=100,
                       name="detection")
        if not training:
            score = S.SoftmaxActivation(score, mode="channel", name="cls_prob")
            return S.contrib.MultiBoxDetection(score, location, anchor, **options)
        target = S.contrib.MultiBoxTarget(
            anchor, S.Variable("label"), score, overlap_threshold=.5, ignore_label=-1, negative_mining_ratio=3,
            minimum_negative_samples=0, negative_mining_thresh=.5, variances=(.1, .1, .2, .2), name="multibox_target")
        prob = S.SoftmaxOutput(score, target[2], ignore_label=-1, use_ignore=True, grad_scale=1., multi_output=True,
                               normalization="valid", name="cls_prob")
        loss = S.smooth_l1(target[1] * (location - target[0]), scalar=1.0, name="loc_loss_")
        loss = S.MakeLoss(loss, grad_scale=1., normalization="valid", name="loc_loss")
        label = S.MakeLoss(target[2], grad_scale=0, name="cls_label")
        found = S.MakeLoss(S.contrib.MultiBoxDetection(prob, location, anchor, **options), grad_scale=0, name="det_out")
        return S.Group([prob, loss, label, found])
    return make


# ---- Faster R-CNN, R-FCN, Deformable R-FCN (example/rcnn and its successors)

ANCHORS = dict(scales=(2, 4, 8), ratios=(.5, 1, 2))
PER_PLACE = 9


def rpn(x, filters=512):
    x = relu(conv(x, filters, 3, name="rpn_conv_3x3", bias=True), "rpn_relu")
    return (conv(x, 2 * PER_PLACE, 1, name="rpn_cls_score", bias=True),
            conv(x, 4 * PER_PLACE, 1, name="rpn_bbox_pred", bias=True))


def proposals(x, batched=False):
    score, box = rpn(x)
    score = S.Reshape(score, shape=(0, 2, -1, 0), name="rpn_cls_score_reshape")
    score = S.SoftmaxActivation(score, mode="channel", name="rpn_cls_prob")
    score = S.Reshape(score, shape=(0, 2 * PER_PLACE, -1, 0), name="rpn_cls_prob_reshape")
    operator = S.contrib.MultiProposal if batched else S.contrib.Proposal
    return operator(cls_prob=score, bbox_pred=box, im_info=S.Variable("im_info"), feature_stride=16,
                    rpn_pre_nms_top_n=400, rpn_post_nms_top_n=40, threshold=.7, rpn_min_size=16, name="rois", **ANCHORS)


def two_heads(x, rois, classes=CLASSES + 1):
    score = S.softmax(S.FullyConnected(x, num_hidden=classes, name="cls_score"), axis=1, name="cls_prob")
    box = S.FullyConnected(x, num_hidden=4 * classes, name="bbox_pred")
    return S.Group([rois, S.Reshape(score, shape=(1, -1, classes), name="cls_prob_reshape"),
                    S.Reshape(box, shape=(1, -1, 4 * classes), name="bbox_pred_reshape")])


def rcnn_vgg16():
    x = vgg16(S.Variable("data"), pool5=False)["relu5_3"]
    rois = proposals(x)
    x = S.Flatten(S.ROIPooling(x, rois, pooled_size=(7, 7), spatial_scale=.0625, name="roi_pool5"))
    for k in (6, 7):
        x = relu(S.FullyConnected(x, num_hidden=512, name="fc%d" % k), "relu%d" % k)
        x = S.Dropout(x, p=.5, name="drop%d" % k)
    return two_heads(x, rois)


def rcnn_resnet():
    x = resnet_v2(S.Variable("data"), (3, 4, 6), stages=3, use_global_stats=True)[-1]
    rois = proposals(x)
    x = S.ROIPooling(x, rois, pooled_size=(14, 14), spatial_scale=.0625, name="roi_pool5")
    for k in range(1, 4):
        x = preactivated(x, 2048, 2 if k == 1 else 1, k > 1, "stage4_unit%d" % k, use_global_stats=True)
    x = relu(bn(x, "bn1", use_global_stats=True), "relu1")
    return two_heads(S.Flatten(S.Pooling(x, global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")), rois)


def rpn_training():
    """The symbol of the first of the four steps: its labels and weights are inputs, one of its two heads is a loss."""
    score, box = rpn(vgg16(S.Variable("data"), pool5=False)["relu5_3"])
    score = S.Reshape(score, shape=(0, 2, -1, 0), name="rpn_cls_score_reshape")
    prob = S.SoftmaxOutput(score, S.Variable("label"), multi_output=True, normalization="valid", use_ignore=True,
                           ignore_label=-1, name="rpn_cls_prob")
    loss = S.smooth_l1(S.Variable("bbox_weight") * (box - S.Variable("bbox_target")), scalar=3.0, name="rpn_bbox_loss_")
    return S.Group([prob, S.MakeLoss(loss, grad_scale=1. / 256, name="rpn_bbox_loss")])


def fast_rcnn_training():
    """Regions come from a file; the class head is a SoftmaxOutput, that of the boxes a loss."""
    x = vgg16(S.Variable("data"), pool5=False)["relu5_3"]
    x = S.Flatten(S.ROIPooling(x, S.Variable("rois"), pooled_size=(7, 7), spatial_scale=.0625, name="roi_pool5"))
    x = S.Dropout(relu(S.FullyConnected(x, num_hidden=512, name="fc6"), "relu6"), p=.5, name="drop6")
    score = S.FullyConnected(x, num_hidden=CLASSES + 1, name="cls_score")
    prob = S.SoftmaxOutput(score, S.Variable("label"), normalization="batch", name="cls_prob")
    box = S.FullyConnected(x, num_hidden=4 * (CLASSES + 1), name="bbox_pred")
    loss = S.smooth_l1(S.Variable("bbox_weight") * (box - S.Variable("bbox_target")), scalar=1.0, name="bbox_loss_")
    loss = S.MakeLoss(loss, grad_scale=1. / 128, name="bbox_loss")
    return S.Group([S.Reshape(prob, shape=(1, -1, CLASSES + 1), name="cls_prob_reshape"),
                    S.Reshape(loss, shape=(1, -1, 4 * (CLASSES + 1)), name="bbox_loss_reshape")])


def deformable(x, filters, name):
    offset = conv(x, 72, 3, pad=2, dilate=2, name=name + "_conv2_offset", bias=True)
    return S.contrib.DeformableConvolution(x, offset, num_filter=filters, kernel=(3, 3), pad=(2, 2), dilate=(2, 2),
                                           num_deformable_group=4, no_bias=True, name=name + "_conv2")


def rfcn(is_deformable, batched=False):
    def make():
        x = resnet_v2(S.Variable("data"), (3, 4, 6), filters=(32, 128, 256, 512), stages=3, use_global_stats=True)[-1]
        rois = proposals(x, batched)
        for k in range(1, 4):
            x = preactivated(x, 1024, 1, k > 1, "stage4_unit%d" % k, dilate=2, use_global_stats=True,
                             middle=deformable if is_deformable else None)
        x = relu(bn(x, "bn1", use_global_stats=True), "relu1")
        x = relu(conv(x, 256, 1, name="conv_new_1", bias=True), "conv_new_1_relu")
        maps = {"cls": conv(x, 49 * (CLASSES + 1), 1, name="rfcn_cls", bias=True),
                "bbox": conv(x, 49 * 8, 1, name="rfcn_bbox", bias=True)}
        if is_deformable:
            pooled = S.contrib.DeformablePSROIPooling(
                conv(x, 98, 1, name="rfcn_offset", bias=True), rois, no_trans=True, group_size=1, pooled_size=7,
                output_dim=98, spatial_scale=.0625, sample_per_part=4, part_size=7, trans_std=.1, name="offset_pool")
            shift = S.FullyConnected(pooled, num_hidden=98, name="offset")
            shift = S.Reshape(shift, shape=(-1, 2, 7, 7), name="offset_reshape")
        heads = []
        for name, width in (("cls", CLASSES + 1), ("bbox", 8)):
            if is_deformable:
                y = S.contrib.DeformablePSROIPooling(maps[name], rois, shift, group_size=7, pooled_size=7, part_size=7,
                                                     sample_per_part=4, trans_std=.1, output_dim=width,
                                                     spatial_scale=.0625, name="psroipooled_" + name)
            else:
                y = S.contrib.PSROIPooling(maps[name], rois, group_size=7, pooled_size=7, output_dim=width,
                                           spatial_scale=.0625, name="psroipooled_" + name)
            y = S.Pooling(y, pool_type="avg", global_pool=True, kernel=(7, 7), name="ave_" + name)
            heads.append(S.Reshape(y, shape=(-1, width)))
        return S.Group([rois, S.SoftmaxActivation(heads[0], name="cls_prob"), heads[1]])
    return make


# ---- FCN-xs (example/fcn-xs)

def fcn(stride):
    """The classifier's layers are narrower than the authors' 4096."""
    def up(x, factor, name):
        return S.Deconvolution(x, num_filter=CLASSES + 1, kernel=(2 * factor, 2 * factor), stride=(factor, factor),
                               no_bias=True, name=name)

    def make():
        data = S.Variable("data")
        found = vgg16(data, pad=100, width=.5)
        x = S.Dropout(relu(conv(found["pool5"], 256, 7, pad=0, name="fc6", bias=True), "relu6"), p=.5, name="drop6")
        x = S.Dropout(relu(conv(x, 256, 1, name="fc7", bias=True), "relu7"), p=.5, name="drop7")
        x, factor, offset = conv(x, CLASSES + 1, 1, name="score", bias=True), 32, 19
        for layer, low, step in (("pool4", 16, 5), ("pool3", 8, 9)):
            if stride <= low:
                x = up(x, 2, "score_%d" % low)
                score = conv(found[layer], CLASSES + 1, 1, name="score_" + layer, bias=True)
                x = x + S.Crop(score, x, offset=(step, step), name="score_%sc" % layer)
                factor, offset = low, {16: 27, 8: 31}[low]
        x = S.Crop(up(x, factor, "bigscore"), data, offset=(offset, offset), name="upscore")
        return S.SoftmaxOutput(x, S.Variable("softmax_label"), multi_output=True, use_ignore=True, ignore_label=255,
                               name="softmax")
    return make


# ---- the list

IMAGE = {"data": Input((1, 3, 300, 300), draw=uniform(-120, 130))}
BATCH = {"dynamic": {"data": {0: "batch"}}, "sizes": [{"batch": b} for b in (2, 3, 4)]}
IMAGES = {"dynamic": {"data": {0: "batch", 2: "height", 3: "width"}},
          "sizes": [{"batch": 2, "height": 320, "width": 304}, {"batch": 1, "height": 336, "width": 310},
                    {"batch": 3, "height": 308, "width": 350}]}  # VGG's last layers want 300 at least


def boxes(shapes):
    return shapes["data"][0], 8, 6


def ssd_net(name, layers, normalized, steps=None):
    options = dict(IMAGES, tune=small_steps)
    return [Net(name, "detection", ssd(layers, normalized, False, steps), IMAGE, compare="detections", **options),
            Net(name + "_training", "detection", ssd(layers, normalized, True, steps), IMAGE, labels={"label": boxes},
                kept=(0, 3), compare=with_scores, **options)]


def with_scores(got, want):
    """The first output as it is, the second as detections."""
    import sets
    return max(sets.elements(got[:1], want[:1]), sets.detections(got[1:], want[1:]))


def to_one(params):
    """VGG has no BatchNorm that would bring the pixels to a scale of 1, and scores in the hundreds make a softmax of
    nothing but zeros and ones."""
    if "conv1_1_weight" in params:
        params["conv1_1_weight"] /= 70


def small_steps(params):
    """Trained regressions are small numbers; by the rule's weights all regions would leave the image, and scores of 1
    would tie."""
    to_one(params)
    for n in params:
        if n in ("rpn_bbox_pred_weight", "bbox_pred_weight", "rpn_cls_score_weight") or n.endswith("_pred_conv_weight"):
            params[n] *= .1


def bilinear(params):
    """The authors' start of the enlarging layers: each class by itself, linear between the places."""
    import numpy as np
    to_one(params)
    for n, a in params.items():
        if "score" in n and a.ndim == 4 and a.shape[2] > 1:
            size = a.shape[2]
            line = 1 - np.abs(np.arange(size) - (size - 1) / 2) / (size / 2)
            a[:] = 0
            a[range(len(a)), range(len(a))] = np.outer(line, line)


def region_net(name, make, batched=False):
    """Images of any size, one or many; the part of them that is not padding is the same. Of three images of 240 x 400 two regions have scores
    that are equal up to rounding, so their order depends on the processor."""
    inputs = {"data": Input((1, 3, 224, 256), draw=uniform(-120, 130)),
              "im_info": Input((1, 3), draw=lambda rng, shape: [[224, 224, 1.]] * shape[0])}
    batch = {0: "batch"} if batched else {}
    return Net(name, "detection", make, inputs, tune=small_steps,
               dynamic={"data": {**batch, 2: "height", 3: "width"}, **({"im_info": batch} if batched else {})},
               sizes=[{"height": 256, "width": 224, "batch": 2}, {"height": 320, "width": 288, "batch": 1},
                      {"height": 240, "width": 384 if batched else 400, "batch": 3}])


def strided(shapes, *front):
    return shapes["data"][:1] + front + tuple(d // 16 for d in shapes["data"][2:])


NETS = [
    *ssd_net("ssd_vgg16_reduced_300", ssd_vgg16_layers, True, (8 / 300., 16 / 300., 32 / 300., 64 / 300., .33, 1.)),
    *ssd_net("ssd_resnet50_300", ssd_resnet50_layers, False),
    region_net("faster_rcnn_vgg16", rcnn_vgg16),
    region_net("faster_rcnn_resnet50", rcnn_resnet),
    region_net("rfcn", rfcn(False)),
    region_net("rfcn_of_batches", rfcn(False, batched=True), batched=True),
    region_net("deformable_rfcn", rfcn(True)),
    Net("rpn_training", "detection", rpn_training, {"data": Input((1, 3, 224, 256), draw=uniform(-120, 130))},
        dynamic={"data": {2: "height", 3: "width"}}, kept=(0,), tune=to_one,
        sizes=[{"height": 256, "width": 224}, {"height": 320, "width": 288}, {"height": 240, "width": 400}],
        labels={"label": lambda s: (1, PER_PLACE * strided(s)[1], strided(s)[2]),
                "bbox_weight": lambda s: strided(s, 4 * PER_PLACE),
                "bbox_target": lambda s: strided(s, 4 * PER_PLACE)}),
    Net("fast_rcnn_training", "detection", fast_rcnn_training, kept=(0,), tune=to_one, inputs={
            "data": Input((1, 3, 224, 256), draw=uniform(-120, 130)),
            "rois": Input((5, 5), draw=lambda rng, shape: [[0] + sorted(rng.randint(0, 100, 2)) + [130 + k, 200]
                                                           for k in range(shape[0])])},
        dynamic={"data": {2: "height", 3: "width"}, "rois": {0: "regions"}},
        sizes=[{"height": 256, "width": 224, "regions": 2}, {"height": 320, "width": 288, "regions": 7},
               {"height": 240, "width": 400, "regions": 1}],
        labels={"label": lambda s: s["rois"][:1], "bbox_weight": lambda s: (s["rois"][0], 4 * (CLASSES + 1)),
                "bbox_target": lambda s: (s["rois"][0], 4 * (CLASSES + 1))}),
    *(Net("fcn%ds" % stride, "segmentation", fcn(stride), {"data": Input((1, 3, 96, 128), draw=uniform(-120, 130))},
          tune=bilinear, dynamic={"data": {0: "batch", 2: "height", 3: "width"}},
          sizes=[{"batch": 2, "height": 128, "width": 96}, {"batch": 1, "height": 100, "width": 150},
                 {"batch": 3, "height": 65, "width": 72}]) for stride in (32, 16, 8)),
]
