# SPDX-License-Identifier: Apache-2.0
"""Image classification by the Module API: the nets of MXNet's first model zoo (example/image-classification/symbols and
the nets that came from Caffe), as checkpoints hold them: with a SoftmaxOutput and its label."""
import json
import os

from net import Input, Net, uniform
from nets.layers import S, batches, bn, conv, preactivated, relu

CLASSES = 1000


def head(x, flat=True):
    x = S.FullyConnected(S.Flatten(x) if flat else x, num_hidden=CLASSES, name="fc1")
    return S.SoftmaxOutput(x, name="softmax")


def pool(x, kernel, stride, kind="max", pad=0, name=None, convention="valid"):
    return S.Pooling(x, kernel=(kernel, kernel), stride=(stride, stride), pad=(pad, pad), pool_type=kind, name=name,
                     pooling_convention=convention)


def caffenet():
    """Caffe's AlexNet: normalisation across channels, grouped convolutions, pooling that rounds up."""
    def big(x, filters, kernel, stride, pad, groups, name):
        return relu(conv(x, filters, kernel, stride, pad, "conv" + name, groups, bias=True), "relu" + name)

    def norm(x, name):
        return S.LRN(x, alpha=1e-4, beta=.75, knorm=1, nsize=5, name=name)

    x = norm(pool(big(S.Variable("data"), 96, 11, 4, 0, 1, "1"), 3, 2, convention="full"), "norm1")
    x = norm(pool(big(x, 256, 5, 1, 2, 2, "2"), 3, 2, convention="full"), "norm2")
    x = big(big(x, 384, 3, 1, 1, 1, "3"), 384, 3, 1, 1, 2, "4")
    x = S.Flatten(pool(big(x, 256, 3, 1, 1, 2, "5"), 3, 2, convention="full"))
    for k in (6, 7):
        x = S.Dropout(relu(S.FullyConnected(x, num_hidden=4096, name="fc%d" % k)), p=.5)
    return head(x, flat=False)


def nin():
    x = S.Variable("data")
    for k, (filters, kernel, stride, pad) in enumerate(((96, 11, 4, 0), (256, 5, 1, 2), (384, 3, 1, 1), (1024, 3, 1, 1)), 1):
        x = relu(conv(x, filters, kernel, stride, pad, "conv%d" % k, bias=True))
        for c in (1, 2):
            x = relu(conv(x, CLASSES if (k, c) == (4, 2) else filters, 1, name="cccp%d_%d" % (k, c), bias=True))
        if k < 4:
            x = pool(x, 3, 2, convention="full")
        if k == 3:
            x = S.Dropout(x, p=.5)
    x = S.Pooling(x, kernel=(6, 6), global_pool=True, pool_type="avg")
    return S.SoftmaxOutput(S.Flatten(x), name="softmax")


# ---- Inception

def unit(x, filters, kernel, stride, pad, name):
    """A convolution of any form with its BatchNorm."""
    x = S.Convolution(x, num_filter=filters, kernel=kernel, stride=(stride, stride), pad=pad, no_bias=True,
                      name="conv_" + name)
    return relu(bn(x, "bn_" + name, fix_gamma=True, eps=1e-3), "relu_" + name)


def square(x, filters, size, name, stride=1, pad=None):
    pad = size // 2 if pad is None else pad
    return unit(x, filters, (size, size), stride, (pad, pad), name)


def inception_bn():
    def block(x, c1, r3, c3, rd, d3, kind, project, name):
        """Without c1 the block halves the size."""
        stride = 1 if c1 else 2
        parts = [square(x, c1, 1, name + "_1x1")] if c1 else []
        parts.append(square(square(x, r3, 1, name + "_3x3_reduce"), c3, 3, name + "_3x3", stride))
        y = square(square(x, rd, 1, name + "_double_reduce"), d3, 3, name + "_double_0")
        parts.append(square(y, d3, 3, name + "_double_1", stride))
        y = pool(x, 3, stride, kind, 1, name + "_pool")
        parts.append(square(y, project, 1, name + "_proj") if project else y)
        return S.Concat(*parts, name="ch_concat_%s_chconcat" % name)

    x = pool(square(S.Variable("data"), 64, 7, "1", 2, 3), 3, 2, name="pool_1")
    x = pool(square(square(x, 64, 1, "2_red"), 192, 3, "2"), 3, 2, name="pool_2")
    for row in ((64, 64, 64, 64, 96, "avg", 32, "3a"), (64, 64, 96, 64, 96, "avg", 64, "3b"),
                (0, 128, 160, 64, 96, "max", 0, "3c"), (224, 64, 96, 96, 128, "avg", 128, "4a"),
                (192, 96, 128, 96, 128, "avg", 128, "4b"), (160, 128, 160, 128, 160, "avg", 128, "4c"),
                (96, 128, 192, 160, 192, "avg", 128, "4d"), (0, 128, 192, 192, 256, "max", 0, "4e"),
                (352, 192, 320, 160, 224, "avg", 128, "5a"), (352, 192, 320, 192, 224, "max", 128, "5b")):
        x = block(x, *row)
    return head(S.Pooling(x, kernel=(7, 7), stride=(1, 1), pool_type="avg", global_pool=True, name="global_pool"))


def inception_resnet_v2(repeats=(2, 2, 2)):
    """Fewer repetitions of the residual blocks than the published 10, 20, 9, which are all alike."""
    def residual(x, parts, filters, scale, name, act=True):
        y = S.Convolution(S.Concat(*parts), num_filter=filters, kernel=(1, 1), name="conv_%s_up" % name)
        x = x + y * scale
        return relu(x) if act else x

    x = square(S.Variable("data"), 32, 3, "1a", 2, 0)
    x = pool(square(square(x, 32, 3, "2a", pad=0), 64, 3, "2b"), 3, 2)
    x = pool(square(square(x, 80, 1, "3b"), 192, 3, "4a", pad=0), 3, 2)
    towers = [square(x, 96, 1, "5a_0"), square(square(x, 48, 1, "5a_1_0"), 64, 5, "5a_1_1"),
              square(square(square(x, 64, 1, "5a_2_0"), 96, 3, "5a_2_1"), 96, 3, "5a_2_2"),
              square(pool(x, 3, 1, "avg", 1), 64, 1, "5a_3")]
    x = S.Concat(*towers)
    for k in range(repeats[0]):
        n = "35_%d" % k
        x = residual(x, [square(x, 32, 1, n + "_0"), square(square(x, 32, 1, n + "_1_0"), 32, 3, n + "_1_1"),
                         square(square(square(x, 32, 1, n + "_2_0"), 48, 3, n + "_2_1"), 64, 3, n + "_2_2")], 320, .17, n)
    x = S.Concat(square(x, 384, 3, "6a_0", 2, 0), pool(x, 3, 2),
                 square(square(square(x, 256, 1, "6a_1_0"), 256, 3, "6a_1_1"), 384, 3, "6a_1_2", 2, 0))
    for k in range(repeats[1]):
        n = "17_%d" % k
        y = unit(square(x, 129, 1, n + "_1_0"), 160, (1, 7), 1, (1, 2), n + "_1_1")
        x = residual(x, [square(x, 192, 1, n + "_0"), unit(y, 192, (7, 1), 1, (2, 1), n + "_1_2")], 1088, .1, n)
    x = S.Concat(square(square(x, 256, 1, "7a_0_0"), 384, 3, "7a_0_1", 2, 0),
                 square(square(x, 256, 1, "7a_1_0"), 288, 3, "7a_1_1", 2, 0),
                 square(square(square(x, 256, 1, "7a_2_0"), 288, 3, "7a_2_1"), 320, 3, "7a_2_2", 2, 0), pool(x, 3, 2))
    for k in range(repeats[2]):
        n = "8_%d" % k
        y = unit(square(x, 192, 1, n + "_1_0"), 224, (1, 3), 1, (0, 1), n + "_1_1")
        x = residual(x, [square(x, 192, 1, n + "_0"), unit(y, 256, (3, 1), 1, (1, 0), n + "_1_2")], 2080, .2, n,
                     k + 1 < repeats[2])
    x = S.Pooling(square(x, 1536, 1, "final"), kernel=(1, 1), global_pool=True, pool_type="avg")
    return head(S.Dropout(S.Flatten(x), p=.2), flat=False)


# ---- residual nets

def resnet(units, filters=(256, 512, 1024, 2048)):
    """The resnet-50 and resnet-152 of the first model zoo."""
    def make():
        x = bn(S.Variable("data"), "bn_data", fix_gamma=True)
        x = pool(relu(bn(conv(x, 64, 7, 2, name="conv0"), "bn0"), "relu0"), 3, 2, pad=1)
        for stage, (count, wide) in enumerate(zip(units, filters), 1):
            for k in range(1, count + 1):
                x = preactivated(x, wide, 2 if stage > 1 and k == 1 else 1, k > 1, "stage%d_unit%d" % (stage, k))
        x = S.Pooling(relu(bn(x, "bn1"), "relu1"), global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")
        return head(x)
    return make


def resnext(units=(3, 4, 6, 3), groups=32):
    def block(x, filters, stride, match, name):
        y = relu(bn(conv(x, filters // 2, 1, name=name + "_conv1"), name + "_bn1"))
        y = relu(bn(conv(y, filters // 2, 3, stride, name=name + "_conv2", groups=groups), name + "_bn2"))
        y = bn(conv(y, filters, 1, name=name + "_conv3"), name + "_bn3")
        return relu((x if match else bn(conv(x, filters, 1, stride, name=name + "_sc"), name + "_sc_bn")) + y)

    def make():
        x = bn(S.Variable("data"), "bn_data", fix_gamma=True)
        x = pool(relu(bn(conv(x, 64, 7, 2, name="conv0"), "bn0"), "relu0"), 3, 2, pad=1)
        for stage, (count, wide) in enumerate(zip(units, (256, 512, 1024, 2048)), 1):
            for k in range(1, count + 1):
                x = block(x, wide, 2 if stage > 1 and k == 1 else 1, k > 1, "stage%d_unit%d" % (stage, k))
        return head(S.Pooling(x, global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1"))
    return make


def squeezenet():
    x = pool(relu(conv(S.Variable("data"), 96, 7, 2, 0, "conv1", bias=True)), 3, 2, convention="full")
    for k, wide in enumerate((64, 64, 128, 128, 192, 192, 256, 256), 2):
        y = relu(conv(x, wide // 4, 1, name="fire%d_squeeze1x1" % k, bias=True))
        x = S.Concat(*(relu(conv(y, wide, s, name="fire%d_expand%dx%d" % (k, s, s), bias=True)) for s in (1, 3)), dim=1)
        if k in (4, 8):
            x = pool(x, 3, 2, convention="full")
    x = relu(conv(S.Dropout(x, p=.5), CLASSES, 1, pad=1, name="conv10", bias=True))
    return S.SoftmaxOutput(S.Flatten(S.Pooling(x, kernel=(13, 13), global_pool=True, pool_type="avg")), name="softmax")


def multi_task():
    """example/multi-task: two heads on one body."""
    x = S.Flatten(S.Variable("data"))
    for k, width in enumerate((128, 64)):
        x = relu(S.FullyConnected(x, num_hidden=width, name="fc%d" % k))
    x = S.FullyConnected(x, num_hidden=10, name="fc3")
    return S.Group([S.SoftmaxOutput(x, name="softmax1"), S.SoftmaxOutput(x, name="softmax2")])


def first_years(folder):
    """The symbol as MXNet 0.7 and 0.8 wrote it: parameters of operators apart from attributes, sources as pairs, no
    auxiliary states among the inputs."""
    with open(os.path.join(folder, "net-symbol.json")) as f:
        graph = json.load(f)
    states = {i[0] for n in graph["nodes"] if n["op"] == "BatchNorm" for i in n["inputs"][3:]}
    numbers = {k: i for i, k in enumerate(k for k in range(len(graph["nodes"])) if k not in states)}
    nodes = [{"op": n["op"], "param": n.get("attrs", {}), "name": n["name"], "backward_source_id": -1,
              "inputs": [[numbers[i[0]], i[1]] for i in n["inputs"] if i[0] not in states]}
             for k, n in enumerate(graph["nodes"]) if k not in states]
    old = {"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"],
           "heads": [[numbers[h[0]], h[1]] for h in graph["heads"]]}
    with open(os.path.join(folder, "net-symbol.json"), "w") as f:
        json.dump(old, f)
    return "net-symbol.json"


def imagenet(name, make, size=224):
    return Net(name, "module", make, {"data": Input((1, 3, size, size), draw=uniform(-2, 2))}, **batches("data"))


NETS = [
    imagenet("caffenet", caffenet, 227),
    imagenet("nin", nin),
    imagenet("inception_bn", inception_bn),
    Net("inception_bn_of_0.8", "module", inception_bn, {"data": Input((1, 3, 224, 224), draw=uniform(-2, 2))},
        pack=first_years, **batches("data")),
    imagenet("inception_resnet_v2", inception_resnet_v2, 299),
    imagenet("module_resnet50", resnet((3, 4, 6, 3))),
    imagenet("module_resnet152", resnet((3, 8, 36, 3))),
    imagenet("module_resnext50", resnext()),
    imagenet("module_squeezenet", squeezenet),
    Net("multi_task", "module", multi_task, {"data": Input((1, 1, 28, 28))}, **batches("data")),
]
