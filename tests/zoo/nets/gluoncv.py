# SPDX-License-Identifier: Apache-2.0
"""GluonCV's model zoo, and Gluon's own vision nets (mx_*).

A star marks what the published support matrix names. Images are as small as a net's topology bears; sides are multiples
of 32 where branches of other strides meet again. Pretrained files are never read.
"""
import re

from net import Input, Net, rewired, trace, uniform

BATCH = {0: "batch"}
ANY = {0: "batch", 2: "height", 3: "width"}
RCNN = {2: "height", 3: "width"}  # the batch is 1 in the symbol
ROIS = 40  # instead of 300 or 1000: the graph is the same


def split(text):
    """[(name, matrix)]"""
    return [(n.rstrip("*"), "gluoncv" if n.endswith("*") else None) for n in text.split()]


def gluoncv(name, *inputs, change=None, **options):
    def make():
        import mxnet as mx
        from gluoncv.model_zoo import get_model, model_store
        mx.gluon.ParameterDict.reset_ctx = lambda self, ctx: None  # some move parameters that are not there yet
        model_store.get_model_file = lambda *name, **more: None  # some read their backbone's file in any case
        mx.gluon.Block.load_parameters = lambda *file, **more: None
        block = get_model(name, pretrained=False, **options)
        if change:
            change(block)
        return trace(block, *inputs)
    return make


def gluon(name):
    def make():
        from mxnet.gluon.model_zoo.vision import get_model
        return trace(get_model(name, pretrained=False))
    return make


def batches(*sizes):
    return [{"batch": b} for b in sizes]


def images(*sizes):
    """[{batch, height, width}]"""
    return [dict(zip(("batch", "height", "width"), s)) for s in sizes]


def rows(text, family, size, dynamic, sizes, channels=3, draw=None, prefix="", maker=gluoncv, options=None, **more):
    """A net for each name, with square images of this size."""
    return [Net(prefix + name, family, maker(name, **(options(name) if options else {})),
                {"data": Input((1, channels, size, size), draw=draw)}, matrix, {"data": dynamic}, sizes, **more)
            for name, matrix in split(text)]


# Global pooling at the end: any size of image.

POOLED = """
darknet53* dla34 mobilenet0.25* mobilenet0.5* mobilenet0.75* mobilenet1.0* mobilenetv2_0.25* mobilenetv2_0.5*
mobilenetv2_0.75* mobilenetv2_1.0* mobilenetv3_large* mobilenetv3_small* nasnet_4_1056 nasnet_5_1538 nasnet_6_4032 nasnet_7_1920
resnest101* resnest14* resnest200* resnest26* resnest269* resnest50* resnet101_v1* resnet101_v1b resnet101_v1c resnet101_v1d
resnet101_v1d_0.73* resnet101_v1d_0.76* resnet101_v1e resnet101_v1s resnet101_v2* resnet152_v1* resnet152_v1b resnet152_v1c
resnet152_v1d resnet152_v1e resnet152_v1s resnet152_v2* resnet18_v1* resnet18_v1b resnet18_v1b_0.89* resnet18_v2* resnet34_v1*
resnet34_v1b resnet34_v2* resnet50_v1* resnet50_v1b resnet50_v1c resnet50_v1d resnet50_v1d_0.11* resnet50_v1d_0.37*
resnet50_v1d_0.48* resnet50_v1d_0.86* resnet50_v1e resnet50_v1s resnet50_v2* resnext101_32x4d* resnext101_64x4d*
resnext101e_64x4d resnext50_32x4d* se_resnet101_v1 se_resnet101_v2 se_resnet152_v1 se_resnet152_v2 se_resnet18_v1
se_resnet18_v2 se_resnet34_v1 se_resnet34_v2 se_resnet50_v1 se_resnet50_v2 se_resnext101_32x4d* se_resnext101_64x4d*
se_resnext101e_64x4d se_resnext50_32x4d* senet_154* senet_154e shufflenet_v1 shufflenet_v2 xception* xception71
"""
HRNET = """
hrnet_w18_c hrnet_w18_small_v1_c hrnet_w18_small_v2_c hrnet_w30_c hrnet_w32_c hrnet_w40_c hrnet_w44_c hrnet_w48_c hrnet_w64_c
"""
CIFAR = """
cifar_resnet110_v1* cifar_resnet110_v2* cifar_resnet20_v1* cifar_resnet20_v2* cifar_resnet56_v1* cifar_resnet56_v2*
cifar_resnext29_16x64d* cifar_resnext29_32x4d cifar_wideresnet16_10* cifar_wideresnet28_10* cifar_wideresnet40_8*
cifar_residualattentionnet452 cifar_residualattentionnet56 cifar_residualattentionnet92
"""

# Windows or layers at the end that fix the size of the image.

VGG = "vgg11* vgg11_bn* vgg13* vgg13_bn* vgg16* vgg16_bn* vgg19* vgg19_bn*"
WINDOWED = """
densenet121* densenet161* densenet169* densenet201* googlenet* residualattentionnet128 residualattentionnet164
residualattentionnet200 residualattentionnet236 residualattentionnet452 residualattentionnet56 residualattentionnet92
squeezenet1.0* squeezenet1.1*
"""

GLUON_POOLED = """
mobilenet0.25 mobilenet0.5 mobilenet0.75 mobilenet1.0 mobilenetv2_0.25 mobilenetv2_0.5 mobilenetv2_0.75 mobilenetv2_1.0
resnet101_v1 resnet101_v2 resnet152_v1 resnet152_v2 resnet18_v1 resnet18_v2 resnet34_v1 resnet34_v2 resnet50_v1 resnet50_v2
"""


def classification():
    family, pooled = "classification", images((2, 64, 96), (1, 96, 64), (3, 64, 64))
    yield from rows(POOLED, family, 64, ANY, pooled)
    yield from rows(HRNET, family, 64, ANY, pooled)
    yield from rows(CIFAR, family, 32, BATCH, batches(2, 3, 5))
    yield from rows("alexnet*", family, 64, BATCH, batches(2, 3, 5))
    yield from rows(VGG, family, 32, BATCH, batches(2, 3, 5))
    yield from rows(WINDOWED, family, 224, BATCH, batches(2, 3, 4))
    yield from rows("inceptionv3*", family, 299, BATCH, batches(2, 3, 4))
    vision = {"maker": gluon, "prefix": "mx_"}
    yield from rows(GLUON_POOLED, "mxnet_vision", 64, ANY, pooled, **vision)
    yield from rows("alexnet", "mxnet_vision", 64, BATCH, batches(2, 3, 5), **vision)
    yield from rows(VGG.replace("*", ""), "mxnet_vision", 32, BATCH, batches(2, 3, 5), **vision)
    yield from rows("densenet121 densenet161 densenet169 densenet201 squeezenet1.0 squeezenet1.1", "mxnet_vision", 224,
                    BATCH, batches(2, 3, 4), **vision)
    yield from rows("inceptionv3", "mxnet_vision", 299, BATCH, batches(2, 3, 4), **vision)


SSD = """
ssd_300_mobilenet0.25_coco ssd_300_mobilenet0.25_custom ssd_300_mobilenet0.25_voc ssd_300_mobilenet1.0_lite_coco
ssd_512_mobilenet1.0_coco* ssd_512_mobilenet1.0_custom ssd_512_mobilenet1.0_voc* ssd_512_resnet101_v2_voc
ssd_512_resnet152_v2_voc ssd_512_resnet18_v1_coco ssd_512_resnet18_v1_voc ssd_512_resnet50_v1_coco*
ssd_512_resnet50_v1_custom ssd_512_resnet50_v1_voc*
"""
SSD_LARGE = """
ssd_300_resnet34_v1b_coco* ssd_300_resnet34_v1b_custom ssd_300_resnet34_v1b_voc ssd_300_vgg16_atrous_coco*
ssd_300_vgg16_atrous_custom ssd_300_vgg16_atrous_voc* ssd_512_vgg16_atrous_coco* ssd_512_vgg16_atrous_custom
ssd_512_vgg16_atrous_voc*
"""
YOLO = """
yolo3_darknet53_coco* yolo3_darknet53_custom yolo3_darknet53_voc* yolo3_mobilenet0.25_coco yolo3_mobilenet0.25_custom
yolo3_mobilenet0.25_voc yolo3_mobilenet1.0_coco* yolo3_mobilenet1.0_custom yolo3_mobilenet1.0_voc*
"""
CENTER = """
center_net_dla34_coco center_net_dla34_dcnv2_coco center_net_dla34_dcnv2_voc center_net_dla34_voc
center_net_mobilenetv3_large_duc_coco center_net_mobilenetv3_large_duc_voc center_net_mobilenetv3_small_duc_coco
center_net_mobilenetv3_small_duc_voc center_net_resnet101_v1b_coco* center_net_resnet101_v1b_dcnv2_coco
center_net_resnet101_v1b_dcnv2_voc center_net_resnet101_v1b_voc* center_net_resnet18_v1b_coco*
center_net_resnet18_v1b_dcnv2_coco center_net_resnet18_v1b_dcnv2_voc center_net_resnet18_v1b_voc*
center_net_resnet50_v1b_coco* center_net_resnet50_v1b_dcnv2_coco center_net_resnet50_v1b_dcnv2_voc
center_net_resnet50_v1b_voc*
"""
FASTER = """
doublehead_rcnn_resnet50_v1b_voc faster_rcnn_resnet101_v1d_coco* faster_rcnn_resnet101_v1d_custom
faster_rcnn_resnet101_v1d_voc faster_rcnn_resnet50_v1b_coco* faster_rcnn_resnet50_v1b_custom faster_rcnn_resnet50_v1b_voc*
"""
FASTER_FPN = """
faster_rcnn_fpn_resnet101_v1d_coco* faster_rcnn_fpn_resnet50_v1b_coco* faster_rcnn_fpn_syncbn_resnest101_coco
faster_rcnn_fpn_syncbn_resnest269_coco faster_rcnn_fpn_syncbn_resnest50_coco faster_rcnn_fpn_syncbn_resnet101_v1d_coco
faster_rcnn_fpn_syncbn_resnet50_v1b_coco
"""
MASK = "mask_rcnn_resnet101_v1d_coco* mask_rcnn_resnet18_v1b_coco* mask_rcnn_resnet50_v1b_coco*"
MASK_FPN = """
mask_rcnn_fpn_resnet101_v1d_coco* mask_rcnn_fpn_resnet18_v1b_coco* mask_rcnn_fpn_resnet50_v1b_coco*
mask_rcnn_fpn_syncbn_mobilenet1_0_coco mask_rcnn_fpn_syncbn_resnet18_v1b_coco custom_mask_rcnn_fpn
"""


def detector(name):
    return dict({"pretrained_base": False}, **({"classes": ["a", "b", "c"]} if "custom" in name else {}))


def rois(block):
    """Fewer proposals. The class head has 80 boxes for each of them: they are all in the output."""
    block._rpn_test_post_nms = block.rpn._test_post_nms = ROIS


HEADS = (  # what random heads say is too much: sure scores are ties, large boxes are all clipped alike
    (r"rpn\d+_(rpnhead\d+_)?conv1_weight", 0.1), (r"rpn\d+_(rpnhead\d+_)?conv2_weight", 0.02),
    (r"rcnn\d+_dense0_weight", 0.2), (r"rcnn\d+_dense1_weight", 0.02),
)


def calm(params):
    for pattern, factor in HEADS:
        found = [n for n in params if re.search(pattern, n)]
        assert len(found) == 1, "parameters of the heads: %s" % found
        params[found[0]] *= factor


def near(params):
    """Offsets of deformable convolutions: taps stay in the neighbourhood, as where the net was trained. The heat map's
    scores are spread."""
    for n in params:
        if n.endswith("offset_weight"):
            params[n] *= 0.1
    params["centernet0_conv1_weight"] *= 0.2


def predictors(params):
    """SSD's heads, those of classes and of boxes by turns: as `calm`."""
    for n in params:
        found = re.search(r"convpredictor(\d+)_conv0_weight", n)
        if found:
            params[n] *= 0.01 if int(found.group(1)) % 2 else 0.1


def masks(block):
    rois(block)
    block._rcnn_max_dets = ROIS // 2


LEVELS = """MXNet's ROIAlign for the CPU leaves regions of the image -1 unwritten and clears elements of the first region in
their stead (src/operator/contrib/roi_align.cc); the reference clears the regions, as its kernel for GPUs does""".replace("\n", " ")


def cleared(symbol):
    """The symbol where what ROIAlign says of an image -1 is replaced by zeros."""
    def of_images(add, i, node):
        if node["op"] != "_contrib_ROIAlign":
            return None
        regions = node["inputs"][1]
        image = add("slice_axis", [regions], axis="1", begin="0", end="1")
        there = add("Reshape", [add("_greater_equal_scalar", [image], scalar="0")], shape="(-1,)")
        node["inputs"][1] = add("where", [there, regions, add("zeros_like", [regions])])
        return add("where", [there, [i, 0, 0], add("zeros_like", [[i, 0, 0]])])

    return rewired(symbol, of_images)


def detection():
    family = "detection"
    sets = {"options": detector, "compare": "detections"}
    yield from rows(SSD, family, 128, ANY, images((2, 128, 160), (1, 192, 128), (1, 96, 96)), tune=predictors, **sets)
    yield from rows(SSD_LARGE, family, 300, ANY, images((2, 300, 332), (1, 364, 300), (1, 332, 332)), tune=predictors, **sets)
    yield from rows(YOLO, family, 96, ANY, images((2, 96, 128), (1, 160, 96), (1, 64, 64)), **sets)
    yield from rows(CENTER, family, 64, ANY, images((2, 64, 96), (1, 128, 64), (1, 96, 96)), tune=near, **sets)
    two = images((1, 96, 128), (1, 160, 96), (1, 128, 128))
    sets.update(options=lambda name: dict(detector(name), change=rois), tune=calm)
    yield from rows(FASTER, family, 96, RCNN, two, **sets)
    levels = {"reference": cleared, "reason": LEVELS}
    yield from rows(FASTER_FPN, family, 64, RCNN, two, **sets, **levels)
    sets["options"] = lambda name: dict(detector(name), change=masks)
    yield from rows(MASK, family, 96, RCNN, two, **sets)
    yield from rows(MASK_FPN, family, 64, RCNN, two, **sets, **levels)


# Sizes to which features are resized are fixed in the symbol: if they meet other features, the image has one size.

SEGMENTED = """
deeplab_resnest101_ade* deeplab_resnest200_ade deeplab_resnest269_ade* deeplab_resnest50_ade* deeplab_resnet101_ade*
deeplab_resnet101_citys* deeplab_resnet101_coco* deeplab_resnet101_voc* deeplab_resnet152_coco deeplab_resnet152_voc*
deeplab_resnet50_ade* deeplab_resnet50_citys* deeplab_v3b_plus_wideresnet_citys* fastscnn_citys icnet_resnet50_citys
icnet_resnet50_mhpv1 psp_resnet101_ade psp_resnet101_citys psp_resnet101_coco psp_resnet101_voc psp_resnet50_ade
"""
SEGMENTED_ANY = """
danet_resnet101_citys* danet_resnet50_citys* fcn_resnet101_ade* fcn_resnet101_coco* fcn_resnet101_voc* fcn_resnet50_ade*
fcn_resnet50_voc
"""


def segmentation():
    family, any_size = "segmentation", images((2, 64, 96), (1, 96, 64), (1, 128, 96))
    base = {"pretrained_base": False, "crop_size": 64, "height": 64, "width": 64}
    yield from rows(SEGMENTED, family, 64, BATCH, batches(2, 3, 4), options=lambda name: base)
    yield from rows(SEGMENTED_ANY, family, 64, ANY, any_size, options=lambda name: base)
    yield from rows("hrnet_w18_small_v1_s hrnet_w18_small_v2_s hrnet_w48_s", family, 64, ANY, any_size)


POSE = """
alpha_pose_resnet101_v1b_coco* mobile_pose_mobilenet1.0* mobile_pose_mobilenetv2_1.0* mobile_pose_mobilenetv3_large*
mobile_pose_mobilenetv3_small* mobile_pose_resnet18_v1b* mobile_pose_resnet50_v1b* simple_pose_resnet101_v1b*
simple_pose_resnet101_v1d* simple_pose_resnet152_v1b* simple_pose_resnet152_v1d* simple_pose_resnet18_v1b*
simple_pose_resnet50_v1b* simple_pose_resnet50_v1d*
"""
ACTION = """
resnet101_v1b_kinetics400* resnet101_v1b_sthsthv2 resnet152_v1b_kinetics400* resnet152_v1b_sthsthv2 resnet18_v1b_kinetics400*
resnet18_v1b_sthsthv2 resnet34_v1b_kinetics400* resnet34_v1b_sthsthv2 resnet50_v1b_hmdb51* resnet50_v1b_kinetics400*
resnet50_v1b_sthsthv2* resnet50_v1b_ucf101 vgg16_hmdb51 vgg16_kinetics400 vgg16_sthsthv2 vgg16_ucf101*
"""
ACTION_224 = "inceptionv1_hmdb51 inceptionv1_kinetics400* inceptionv1_sthsthv2 inceptionv1_ucf101"
ACTION_299 = "inceptionv3_hmdb51 inceptionv3_kinetics400* inceptionv3_sthsthv2 inceptionv3_ucf101*"

# Clips: (names, frames, size of the image)

CLIPS = (
    ("c3d_kinetics400", 16, 112),
    ("p3d_resnet101_kinetics400 p3d_resnet50_kinetics400", 16, 64),
    ("r2plus1d_resnet101_kinetics400 r2plus1d_resnet152_kinetics400 r2plus1d_resnet18_kinetics400"
     " r2plus1d_resnet34_kinetics400 r2plus1d_resnet50_kinetics400", 8, 64),
    ("i3d_inceptionv1_kinetics400", 16, 64),
    ("i3d_inceptionv3_kinetics400", 16, 96),
    ("i3d_nl10_resnet101_v1_kinetics400 i3d_nl10_resnet50_v1_kinetics400 i3d_nl5_resnet101_v1_kinetics400"
     " i3d_nl5_resnet50_v1_kinetics400 i3d_resnet101_v1_kinetics400 i3d_resnet50_v1_custom i3d_resnet50_v1_hmdb51"
     " i3d_resnet50_v1_kinetics400 i3d_resnet50_v1_sthsthv2 i3d_resnet50_v1_ucf101"
     " i3d_slow_resnet101_f16s4_kinetics700", 16, 64),
    ("slowfast_4x16_resnet101_kinetics400 slowfast_4x16_resnet50_custom slowfast_4x16_resnet50_kinetics400", 36, 64),
    ("slowfast_8x8_resnet101_kinetics400 slowfast_8x8_resnet50_kinetics400", 40, 64),
    ("slowfast_16x8_resnet101_50_50_kinetics400 slowfast_16x8_resnet101_kinetics400", 80, 64),
)
TRANSFERRED = ("i3d_resnet50_v1_custom", "i3d_resnet50_v1_hmdb51", "i3d_resnet50_v1_ucf101", "slowfast_4x16_resnet50_custom")


def video():
    base = {"pretrained_base": False}
    yield from rows(ACTION, "action", 64, BATCH, batches(2, 3, 5), options=lambda name: base)
    yield from rows(ACTION_224, "action", 224, BATCH, batches(2, 3, 4), options=lambda name: base)
    yield from rows(ACTION_299, "action", 299, BATCH, batches(2, 3, 4), options=lambda name: base)
    for names, frames, size in CLIPS:
        for name, matrix in split(names):
            more = {"use_kinetics_pretrain": False} if name in TRANSFERRED else {}
            yield Net(name, "action3d", gluoncv(name, **base, **more), {"data": Input((1, 3, frames, size, size))}, matrix,
                      {"data": BATCH}, batches(2, 3, 4))


DEPTH = "monodepth2_resnet18_kitti_%s_640x192"
POSES = "monodepth2_resnet18_posenet_kitti_%s_640x192"


def others():
    any_size, base = images((2, 64, 96), (1, 128, 64), (1, 96, 96)), {"pretrained_base": False}
    yield from rows(POSE, "pose", 64, ANY, any_size, options=lambda name: base)
    for data in ("mono", "mono_stereo", "stereo"):
        yield from rows(DEPTH % data, "depth", 64, ANY, any_size, draw=uniform(0, 1), options=lambda name: base)
    for data in ("mono", "mono_stereo"):
        yield from rows(POSES % data, "depth", 64, ANY, any_size, channels=6, draw=uniform(0, 1), options=lambda name: base)
    track, sizes = "siamrpn_alexnet_v2_otb15", ((127, 134, 290, 294), (130, 127, 288, 287), (134, 132, 294, 291))
    yield Net(track, "tracking", gluoncv(track, "template", "search"), {
        "template": Input((1, 3, 127, 127)), "search": Input((1, 3, 287, 287))}, None,
        {"template": {2: "rows", 3: "columns"}, "search": {2: "height", 3: "width"}},  # as far as the features stay 4 and 24
        [dict(zip(("rows", "columns", "height", "width"), s)) for s in sizes])


NETS = [n for make in (classification, detection, segmentation, others, video) for n in make()]
