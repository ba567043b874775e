# SPDX-License-Identifier: Apache-2.0
"""InsightFace's nets: recognition (fresnet, MobileFaceNet), detection (RetinaFace), landmarks, gender and age; and the detectors that
others trained with MXNet, MTCNN and LFFD.

InsightFace's are built as the symbol scripts of its MXNet years build them; each scales its input in the graph.
"""
import os

from net import Input, Net, uniform
from nets.layers import S, batches, bn, conv, prelu, preactivated, relu


def scaled():
    return (S.identity(S.Variable("data"), name="id") - 127.5) * 0.0078125


# ---- recognition

def residual_unit(x, filters, stride, match, name, se=False):
    """fresnet's unit version 3."""
    y = conv(bn(x, name + "_bn1"), filters, 3, name=name + "_conv1")
    y = prelu(bn(y, name + "_bn2"), name + "_relu1")
    y = bn(conv(y, filters, 3, stride, name=name + "_conv2"), name + "_bn3")
    if se:
        gate = S.Pooling(y, global_pool=True, kernel=(7, 7), pool_type="avg", name=name + "_se_pool1")
        gate = prelu(conv(gate, filters // 16, 1, name=name + "_se_conv1", bias=True), name + "_se_relu1")
        gate = S.Activation(conv(gate, filters, 1, name=name + "_se_conv2", bias=True), act_type="sigmoid",
                            name=name + "_se_sigmoid")
        y = S.broadcast_mul(y, gate)
    return y + (x if match else bn(conv(x, filters, 1, stride, name=name + "_conv1sc"), name + "_sc"))


def arcface(units, se=False):
    def make():
        x = prelu(bn(conv(scaled(), 64, 3, name="conv0"), "bn0"), "relu0")
        for stage, (filters, count) in enumerate(zip((64, 128, 256, 512), units), 1):
            for k in range(1, count + 1):
                x = residual_unit(x, filters, 2 if k == 1 else 1, k > 1, "stage%d_unit%d" % (stage, k), se)
        x = S.Dropout(bn(x, "bn1"), p=0.4)
        return bn(S.FullyConnected(x, num_hidden=512, name="pre_fc1"), "fc1", fix_gamma=True)
    return make


def mobilefacenet():
    def unit(x, filters, kernel, stride, name, groups=1, pad=None, act=True):
        x = bn(conv(x, filters, kernel, stride, pad, name + "_conv2d", groups), name + "_batchnorm", eps=1e-3)
        return prelu(x, name + "_relu") if act else x

    def bottleneck(x, out, stride, middle, name):
        x = unit(x, middle, 1, 1, name + "_conv_sep")
        x = unit(x, middle, 3, stride, name + "_conv_dw", groups=middle)
        return unit(x, out, 1, 1, name + "_conv_proj", act=False)

    x = unit(scaled(), 64, 3, 2, "conv_1")
    x = unit(x, 64, 3, 1, "conv_2_dw", groups=64)
    stages = ((64, 128, 4, 128), (128, 256, 6, 256), (128, 512, 2, 256))
    for stage, (out, middle, repeat, inner) in enumerate(stages, 2):
        x = bottleneck(x, out, 2, middle, "dconv_%d%d" % (stage, stage + 1))
        for k in range(repeat):
            x = x + bottleneck(x, out, 1, inner, "res_%d_block%d" % (stage + 1, k))
    x = unit(x, 512, 1, 1, "conv_6sep")
    x = unit(x, 512, 7, 1, "conv_6dw7_7", groups=512, pad=0, act=False)
    return bn(S.FullyConnected(x, num_hidden=128, name="pre_fc1"), "fc1", fix_gamma=True)


def arcface_training(margin=.5, scale=64.):
    """What a checkpoint of the training holds: the classes' centres, the margin at the true class, its loss. Labels are read
    by more than the loss, so that users cut at fc1."""
    import math
    label = S.Variable("softmax_label")
    centres = S.L2Normalization(S.Variable("fc7_weight", shape=(100, 512)), mode="instance")
    embedding = S.L2Normalization(arcface((2, 2, 2, 2))(), mode="instance", name="fc1n") * scale
    fc7 = S.FullyConnected(embedding, centres, no_bias=True, num_hidden=100, name="fc7")
    true = S.pick(fc7, label, axis=1)
    cos = true / scale
    sin = S.sqrt(1.0 - cos * cos)
    moved = (cos * math.cos(margin) - sin * math.sin(margin)) * scale
    moved = S.where(S.Activation(cos - math.cos(math.pi - margin), act_type="relu"), moved,
                    true - scale * margin * math.sin(margin))
    change = S.broadcast_mul(S.one_hot(label, depth=100, on_value=1.0, off_value=0.0), S.expand_dims(moved - true, 1))
    return S.Group([S.BlockGrad(embedding), S.SoftmaxOutput(fc7 + change, label, name="softmax", normalization="valid")])


# ---- MTCNN, which finds and aligns the faces

def cascade(x, layers, suffix=""):
    """layers: (filters, kernel, pooling kernel or 0)"""
    for k, (filters, kernel, down) in enumerate(layers, 1):
        x = S.Convolution(x, kernel=(kernel, kernel), num_filter=filters, name="conv%d%s" % (k, suffix))
        x = prelu(x, "prelu%d%s" % (k, suffix))
        if down:
            x = S.Pooling(x, kernel=(down, down), stride=(2, 2), pool_type="max", pooling_convention="full",
                          name="pool%d%s" % (k, suffix))
    return x


PNET, RNET = ((10, 3, 2), (16, 3, 0), (32, 3, 0)), ((28, 3, 3), (48, 3, 3), (64, 2, 0))
ONET = ((32, 3, 3), (64, 3, 3), (64, 3, 2), (128, 2, 0))


def det(layers, dense, heads):
    """det1, det2, det3, as they came from Caffe. dense: width of a layer after the convolutions or 0. Without it the net is
    convolutional to its heads and takes images of any size."""
    def make():
        x = cascade(S.Variable("data"), layers)
        if dense:
            x = prelu(S.FullyConnected(x, num_hidden=dense, name="conv%d" % (len(layers) + 1)), "preluf")
        out = []
        for k, width in enumerate(heads, 1):
            name = "conv%d-%d" % (len(layers) + 1 + bool(dense), k)
            y = S.FullyConnected(x, num_hidden=width, name=name) if dense else conv(x, width, 1, name=name, bias=True)
            if k == 1:
                y = S.SoftmaxOutput(y, name="prob1") if dense else S.SoftmaxActivation(y, mode="channel", name="prob1")
            out.append(y)
        return S.Group(out)
    return make


def det4():
    """Refines five points, each by the patch about it."""
    parts = S.SliceChannel(S.Variable("data"), num_outputs=5, axis=1, name="slice")
    x = S.Concat(*(cascade(parts[k], RNET, "_%d" % (k + 1)) for k in range(5)), dim=1, name="concat")
    x, out = prelu(S.FullyConnected(x, num_hidden=256, name="fc4"), "prelu4"), []
    for k in range(1, 6):
        y = prelu(S.FullyConnected(x, num_hidden=64, name="fc4_%d" % k), "prelu4_%d" % k)
        out.append(S.FullyConnected(y, num_hidden=2, name="fc5_%d" % k))
    return S.Group(out)


def mtcnn(layers, dense):
    """The p-, r- and o-net as they were trained with MXNet: scores and boxes, no points."""
    def make():
        x, k = cascade(S.Variable("data"), layers), len(layers) + 1
        if dense:
            x = prelu(S.FullyConnected(x, num_hidden=dense, name="fc1"), "prelu%d" % k)
            scores, boxes = (S.FullyConnected(x, num_hidden=n, name=name) for n, name in ((2, "fc2"), (4, "fc3")))
            return S.Group([S.SoftmaxOutput(scores, S.Variable("label"), use_ignore=True, name="cls_prob"), boxes])
        scores, boxes = (conv(x, n, 1, name="conv%d_%d" % (k, i), bias=True) for i, n in ((1, 2), (2, 4)))
        return S.Group([S.SoftmaxActivation(scores, mode="channel", name="cls_prob"), boxes])
    return make


# ---- LFFD, whose heads each see faces of another size

def lffd(*stages):
    """A stage: filters, and for each of its residual pairs whether a head follows."""
    def head(x, name):
        def chain(y, kind, width):
            y = relu(conv(y, 128, 1, name="%s_2_%s" % (name, kind), bias=True), "relu_%s_2_%s" % (name, kind))
            return conv(y, width, 1, name="%s_3_%s" % (name, kind), bias=True)

        x = relu(conv(x, 128, 1, name=name + "_1", bias=True), "relu_%s_1" % name)
        return [S.slice_axis(S.softmax(chain(x, "score", 2), axis=1), axis=1, begin=0, end=1), chain(x, "bbox", 4)]

    def make():
        x, k, out = (S.Variable("data") - 127.5) / 127.5, 0, []
        for number, (filters, pairs) in enumerate(stages):
            for _ in range(1 if number else 2):
                k += 1
                whole = conv(x, filters, 3, 2, 0, "conv%d" % k, bias=True)
                x = relu(whole, "relu_conv%d" % k)
            for ends in pairs:
                y = relu(conv(x, filters, 3, name="conv%d" % (k + 1), bias=True), "relu_conv%d" % (k + 1))
                whole = whole + conv(y, filters, 3, name="conv%d" % (k + 2), bias=True)
                k += 2
                x = relu(whole, "relu_conv%d" % k)
                out += head(x, "conv%d" % k) if ends else []
        return S.Group(out)
    return make


def iterations(folder):
    """The names that its training gives the files: neither refers to the other."""
    out = os.path.join(folder, "model")
    os.mkdir(out)
    os.rename(os.path.join(folder, "net-symbol.json"), os.path.join(out, "symbol_10_320_20L_5scales_v2_deploy.json"))
    os.rename(os.path.join(folder, "net-0000.params"), os.path.join(out, "train_10_320_20L_5scales_v2_iter_1000000.params"))
    return "model"


# ---- MobileNet under RetinaFace, the landmarks, gender and age

def mobilenet(x, width, act=relu, last=13):
    """The output of each of the thirteen separable layers."""
    def unit(x, filters, kernel, stride, name, groups=1):
        return act(bn(conv(x, filters, kernel, stride, name=name + "_conv2d", groups=groups), name + "_batchnorm"),
                   name + "_relu")

    filters = [int(f * width) for f in (32, 64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024)]
    strides = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1)
    x, found = unit(x, filters[0], 3, 2, "conv_1"), []
    for k in range(last):
        x = unit(x, filters[k], 3, strides[k], "conv_%d_dw" % (k + 2), groups=filters[k])
        x = unit(x, filters[k + 1], 1, 1, "conv_%d" % (k + 2))
        found.append(x)
    return found


def landmarks():
    """2d106det: a MobileNet of half width, two coordinates of 106 points."""
    x = mobilenet(scaled(), 0.5, prelu)[-1]
    x = prelu(bn(conv(x, 64, 3, 2, name="conv_15_conv2d"), "conv_15_batchnorm"), "conv_15_relu")
    return S.FullyConnected(S.Flatten(x), num_hidden=212, name="fc1")


def gender_age():
    """A logit pair for the sex, then one for each of 100 years."""
    x = mobilenet(scaled(), 0.25, prelu)[-1]
    x = S.Pooling(x, global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")
    return bn(S.FullyConnected(S.Flatten(x), num_hidden=202, name="pre_fc1"), "fc1", fix_gamma=True)


# ---- detection

def ssh(x, filters, name):
    """The context module of SSH."""
    def unit(x, filters, name, act=True):
        x = bn(conv(x, filters, 3, name=name, bias=True), name + "_bn")
        return relu(x, name + "_relu") if act else x

    context = unit(x, filters // 4, name + "_context_conv1")
    third = unit(unit(context, filters // 4, name + "_context_conv3_1"), filters // 4, name + "_context_conv3_2", False)
    parts = [unit(x, filters // 2, name + "_conv1", False),
             unit(context, filters // 4, name + "_context_conv2", False), third]
    return relu(S.Concat(*parts, dim=1, name=name + "_concat"), name + "_concat_relu")


def heads(x, stride, anchors=2):
    """Scores, boxes and landmarks of one stride, as RetinaFace's test symbol gives them."""
    name = "face_rpn_%s_stride" + str(stride)
    score = conv(x, 2 * anchors, 1, name=name % "cls_score", bias=True)
    score = S.Reshape(score, shape=(0, 2, -1, 0), name=name % "cls_score_reshape")
    score = S.SoftmaxActivation(score, mode="channel", name=name % "cls_prob")
    return [S.Reshape(score, shape=(0, 2 * anchors, -1, 0), name=name % "cls_prob_reshape"),
            conv(x, 4 * anchors, 1, name=name % "bbox_pred", bias=True),
            conv(x, 10 * anchors, 1, name=name % "landmark_pred", bias=True)]


def retinaface(c1, c2, c3, filters):
    def lateral(x, kernel, name):
        return relu(bn(conv(x, filters, kernel, name=name, bias=True), name + "_bn"), name + "_relu")

    def joined(low, high, name):
        up = S.UpSampling(high, scale=2, sample_type="nearest", num_args=1, name=name + "_upsampling")
        return lateral(low + S.Crop(up, low, name=name + "_crop"), 3, name + "_aggr")

    p3 = lateral(c3, 1, "rf_c3_lateral")
    p2 = joined(lateral(c2, 1, "rf_c2_lateral"), p3, "rf_c3")
    p1 = joined(lateral(c1, 1, "rf_c1_red_conv"), p2, "rf_c2")
    out = []
    for x, stride in ((p3, 32), (p2, 16), (p1, 8)):
        out += heads(ssh(x, filters, "rf_head_stride%d_det" % stride), stride)
    return S.Group(out)


def retinaface_mnet():
    found = mobilenet(S.Variable("data"), 0.25)
    return retinaface(found[4], found[10], found[12], 64)


def retinaface_r50():
    x = bn(S.Variable("data"), "bn_data", fix_gamma=True, use_global_stats=True)
    x = S.Pooling(relu(bn(conv(x, 64, 7, 2, name="conv0"), "bn0", use_global_stats=True), "relu0"), kernel=(3, 3),
                  stride=(2, 2), pad=(1, 1), pool_type="max", name="pooling0")
    found = []
    for stage, (units, filters) in enumerate(zip((3, 4, 6, 3), (256, 512, 1024, 2048)), 1):
        for k in range(1, units + 1):
            x = preactivated(x, filters, 2 if stage > 1 and k == 1 else 1, k > 1, "stage%d_unit%d" % (stage, k),
                             use_global_stats=True)
        found.append(x)
    last = relu(bn(x, "bn1", use_global_stats=True), "relu1")
    return retinaface(found[1], found[2], last, 256)


def face(name, make, size=112):
    return Net(name, "insightface", make, {"data": Input((1, 3, size, size), draw=uniform(0, 255))}, **batches("data"))


def detector(name, make):
    """Sizes that are not multiples of 32 make the crops do something."""
    return Net(name, "insightface", make, {"data": Input((1, 3, 96, 128), draw=uniform(0, 255))},
               dynamic={"data": {0: "batch", 2: "height", 3: "width"}},
               sizes=[{"batch": 2, "height": 128, "width": 96}, {"batch": 1, "height": 100, "width": 150},
                      {"batch": 3, "height": 65, "width": 72}])


def patches(name, make, side, channels=3, **options):
    return Net(name, "faces", make, {"data": Input((1, channels, side, side), draw=uniform(-1, 1))}, **batches("data"), **options)


def pyramid(name, make, draw, sizes, **options):
    """Images of any size; `sizes`: heights and widths."""
    return Net(name, "faces", make, {"data": Input((1, 3) + sizes[0], draw=draw)},
               dynamic={"data": {0: "batch", 2: "height", 3: "width"}},
               sizes=[{"batch": b, "height": h, "width": w} for b, (h, w) in zip((2, 1, 3), sizes[1:])], **options)


MTCNN_SIZES, LFFD_SIZES = ((48, 64), (12, 12), (101, 77), (33, 50)), ((160, 224), (170, 161), (300, 200), (256, 129))

NETS = [
    face("arcface_r18", arcface((2, 2, 2, 2))),
    face("arcface_r34", arcface((3, 4, 6, 3))),
    face("arcface_r50", arcface((3, 4, 14, 3))),
    face("arcface_r100", arcface((3, 13, 30, 3))),
    face("arcface_r50_se", arcface((3, 4, 14, 3), se=True)),
    Net("arcface_r18_training", "insightface", arcface_training, {"data": Input((1, 3, 112, 112), draw=uniform(0, 255))},
        options=("--output", "fc1_output"), reference=lambda symbol: symbol.get_internals()["fc1_output"],
        reason="cut at fc1, as its users do", **batches("data")),
    face("mobilefacenet", mobilefacenet),
    face("2d106det", landmarks, 192),
    face("gender_age", gender_age),
    detector("retinaface_mnet025", retinaface_mnet),
    detector("retinaface_r50", retinaface_r50),
    pyramid("mtcnn_det1", det(PNET, 0, (2, 4)), uniform(-1, 1), MTCNN_SIZES),
    patches("mtcnn_det2", det(RNET, 128, (2, 4)), 24),
    patches("mtcnn_det3", det(ONET, 256, (2, 4, 10)), 48),
    patches("mtcnn_det4", det4, 24, 15),
    pyramid("mtcnn_pnet", mtcnn(PNET, 0), uniform(-1, 1), MTCNN_SIZES),
    patches("mtcnn_rnet", mtcnn(RNET, 128), 24),
    patches("mtcnn_onet", mtcnn(ONET, 256), 48),
    pyramid("lffd_5scales", lffd((64, (0, 0, 1)), (64, (1,)), (64, (1,)), (128, (1,)), (128, (1,))), uniform(0, 255), LFFD_SIZES,
            pack=iterations),
    pyramid("lffd_8scales", lffd((64, (0, 0, 1, 1)), (64, (1, 1)), (128, (1,)), (128, (1, 1, 1))), uniform(0, 255), LFFD_SIZES),
]
