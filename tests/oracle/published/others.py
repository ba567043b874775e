# SPDX-License-Identifier: Apache-2.0
"""Nets whose parameters are published alone, apart from the model zoos: written here from what is published of their layers, with
the names that these have in the files."""
import json

import mxnet as mx
from mxnet.gluon import nn


# ---- MTCNN as Seanlinx/mtcnn trained it: the p-, r- and o-net

def mtcnn(layers, dense):
    """layers: (filters, kernel, pooling kernel or 0); dense: width of a layer after them, or 0."""
    x = mx.sym.Variable("data")
    for k, (filters, kernel, down) in enumerate(layers, 1):
        x = prelu(mx.sym.Convolution(x, kernel=(kernel, kernel), num_filter=filters, name="conv%d" % k), k)
        if down:
            x = mx.sym.Pooling(x, kernel=(down, down), stride=(2, 2), pool_type="max", pooling_convention="full", name="pool%d" % k)
    k = len(layers) + 1
    if dense:
        x = prelu(mx.sym.FullyConnected(x, num_hidden=dense, name="fc1"), k)
        scores, boxes = (mx.sym.FullyConnected(x, num_hidden=n, name=name) for name, n in (("fc2", 2), ("fc3", 4)))
    else:
        scores, boxes = (mx.sym.Convolution(x, kernel=(1, 1), num_filter=n, name="conv%d_%d" % (k, i)) for i, n in ((1, 2), (2, 4)))
    scores = mx.sym.softmax(scores, axis=1, name="cls_prob")
    return mx.gluon.SymbolBlock(mx.sym.Group([scores, boxes]), [mx.sym.Variable("data")])


def prelu(x, number):
    return mx.sym.LeakyReLU(x, act_type="prelu", name="prelu%d" % number)


MTCNN = {"pnet": (12, (((10, 3, 2), (16, 3, 0), (32, 3, 0)), 0)),
         "rnet": (24, (((28, 3, 3), (48, 3, 3), (64, 2, 0)), 128)),
         "onet": (48, (((32, 3, 3), (64, 3, 3), (64, 3, 2), (128, 2, 0)), 256))}


# ---- the LeNet of the crash course of Dive into Deep Learning

def lenet(classes):
    net = nn.Sequential()
    with net.name_scope():
        net.add(nn.Conv2D(6, 5, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(16, 3, activation="relu"), nn.MaxPool2D(2, 2),
                nn.Flatten(), nn.Dense(120, activation="relu"), nn.Dense(84, activation="relu"), nn.Dense(classes))
    return net


# ---- MSG-Net (arXiv 1703.06953): an image in the style of another. Where blocks are made says what their parameters are called.

def norm(channels):
    return nn.InstanceNorm(in_channels=channels, epsilon=1e-5)


class ConvLayer(mx.gluon.Block):
    """A convolution of an image that is mirrored at its borders."""

    def __init__(self, channels, filters, kernel, stride):
        super().__init__()
        self.margin = kernel // 2
        self.conv2d = nn.Conv2D(filters, kernel, stride, in_channels=channels)

    def forward(self, x):
        return self.conv2d(mx.sym.pad(x, mode="reflect", pad_width=(0,) * 4 + (self.margin,) * 4))


class UpsampleConvLayer(mx.gluon.Block):
    """A convolution of the image at twice its size."""

    def __init__(self, channels, filters, kernel):
        super().__init__()
        self.conv2d = nn.Conv2D(filters, kernel, padding=kernel // 2, in_channels=channels)

    def forward(self, x):
        return self.conv2d(mx.sym.UpSampling(x, scale=2, sample_type="nearest", num_args=1))


class Residual(mx.gluon.Block):
    """Three convolutions, each after a normalisation, to four times as many channels as in the middle."""

    def __init__(self, channels, middle, beside, between):
        super().__init__()
        self.residual_layer = beside() if beside else None
        self.conv_block = nn.Sequential()
        with self.conv_block.name_scope():
            self.conv_block.add(norm(channels), nn.Activation("relu"), nn.Conv2D(middle, 1, in_channels=channels))
            self.conv_block.add(norm(middle), nn.Activation("relu"), between())
            self.conv_block.add(norm(middle), nn.Activation("relu"), nn.Conv2D(4 * middle, 1, in_channels=middle))

    def forward(self, x):
        return (self.residual_layer(x) if self.residual_layer else x) + self.conv_block(x)


def bottleneck(channels, middle, stride=None):
    beside = (lambda: nn.Conv2D(4 * middle, 1, stride, in_channels=channels)) if stride else None
    return Residual(channels, middle, beside, lambda: ConvLayer(middle, middle, 3, stride or 1))


def up(channels, middle):
    return Residual(channels, middle, lambda: UpsampleConvLayer(channels, 4 * middle, 1), lambda: UpsampleConvLayer(middle, middle, 3))


class Inspiration(mx.gluon.Block):
    """Features turned by what correlates in the style."""

    def __init__(self, channels):
        super().__init__()
        self.weight = self.params.get("weight", shape=(1, channels, channels))
        self.gram = None

    def forward(self, x):
        turn = mx.sym.SwapAxis(mx.sym.batch_dot(self.weight.var(), self.gram), dim1=1, dim2=2)
        turn = mx.sym.broadcast_like(turn, x, lhs_axes=(0,), rhs_axes=(0,))
        return mx.sym.reshape_like(mx.sym.batch_dot(turn, mx.sym.reshape(x, shape=(0, 0, -1))), x)


class Net(mx.gluon.Block):
    """block(data, style): `style` is one image."""

    def __init__(self, width=128, blocks=6, **named):
        super().__init__(**named)
        self.wide = 4 * width
        with self.name_scope():
            self.model1 = nn.Sequential()
            self.ins = Inspiration(self.wide)
            self.model = nn.Sequential()
            self.model1.add(ConvLayer(3, 64, 7, 1), norm(64), nn.Activation("relu"))
            self.model1.add(bottleneck(64, 32, 2), bottleneck(128, width, 2))
            self.model.add(self.model1, self.ins)
            for _ in range(blocks):
                self.model.add(bottleneck(self.wide, width))
            self.model.add(up(self.wide, 32), up(128, 16), norm(64), nn.Activation("relu"), ConvLayer(64, 3, 7, 1))

    def forward(self, data, style):
        seen = mx.sym.reshape(self.model1(style), shape=(0, 0, -1))
        places = mx.sym.sum(mx.sym.ones_like(mx.sym.slice_axis(seen, axis=1, begin=0, end=1)), axis=2, keepdims=True)
        self.ins.gram = mx.sym.broadcast_div(mx.sym.batch_dot(seen, seen, transpose_b=True), places * self.wide)
        return self.model(data)


def styled(block, data, style):
    """The symbol, in which what is computed of the style alone is called so: its blocks are called twice."""
    graph, alone = json.loads(block(data, style).tojson()), []
    for n in graph["nodes"]:
        read = [i[0] for i in n["inputs"]]
        alone.append(n["name"] == style.name or any(alone[i] for i in read)
                     and all(alone[i] or graph["nodes"][i]["op"] == "null" and graph["nodes"][i]["name"] != data.name for i in read))
        if alone[-1] and n["op"] != "null":
            n["name"] = "style_" + n["name"]
    return mx.sym.load_json(json.dumps(graph))
