# SPDX-License-Identifier: Apache-2.0
"""The nets that are converted as a whole: how MXNet makes their symbols, and how they get weights.

Inputs are as small as the topology bears.
"""
import importlib
import os
import sys

import calibrate  # first: it sets MXNet up
import mxnet as mx
import numpy as np

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
sys.path.insert(0, os.path.join(TESTS, "numeric"))

import weights  # noqa: E402


def gluon(name, size, zoo="gluoncv"):
    def make():
        if zoo == "gluoncv":
            from gluoncv.model_zoo import get_model
        else:
            from mxnet.gluon.model_zoo.vision import get_model
        return get_model(name, pretrained=False)(mx.sym.Variable("data"))
    return make, (3, size, size), (-2.0, 2.0)


def zoo(module, make, dims, span=(-1.0, 1.0)):
    """A net of tests/zoo/nets."""
    def build():
        sys.path.insert(1, os.path.join(TESTS, "zoo"))
        sys.modules.pop("nets")  # this module: the zoo's package is called so, too
        return getattr(importlib.import_module("nets." + module), make)()
    return build, dims, span


def mlp():
    x = mx.sym.Flatten(mx.sym.Variable("data"))
    for i, hidden in enumerate((128, 64), 1):
        x = mx.sym.FullyConnected(x, num_hidden=hidden, name="fc%d" % i)
        x = mx.sym.Activation(x, act_type="relu", name="relu%d" % i)
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=10, name="fc3"), name="softmax")


def lenet():
    x = mx.sym.Variable("data")
    for i, filters in enumerate((20, 50), 1):
        x = mx.sym.Convolution(x, kernel=(5, 5), num_filter=filters, name="conv%d" % i)
        x = mx.sym.Activation(x, act_type="tanh", name="tanh%d" % i)
        x = mx.sym.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), name="pool%d" % i)
    x = mx.sym.FullyConnected(mx.sym.Flatten(x), num_hidden=500, name="fc1")
    x = mx.sym.Activation(x, act_type="tanh", name="tanh3")
    x = mx.sym.FullyConnected(x, num_hidden=10, name="fc2")
    return mx.sym.SoftmaxOutput(x, mx.sym.Variable("softmax_label"), name="softmax")


def arcface():
    """A face net in the manner of InsightFace: scaling inside the graph, PReLU, an embedding whose last BatchNorm has
    a fixed gamma, unit length."""
    def bn(x, name, fix_gamma=False):
        return mx.sym.BatchNorm(x, fix_gamma=fix_gamma, eps=2e-5, momentum=0.9, name=name)

    def conv(x, filters, kernel, stride, name):
        return mx.sym.Convolution(x, num_filter=filters, kernel=(kernel, kernel), stride=(stride, stride),
                                  pad=(kernel // 2, kernel // 2), no_bias=True, workspace=256, name=name)

    def prelu(x, name):
        return mx.sym.LeakyReLU(x, act_type="prelu", name=name)

    def unit(x, filters, stride, first, name):
        y = conv(bn(x, name + "_bn1"), filters, 3, 1, name + "_conv1")
        y = conv(prelu(bn(y, name + "_bn2"), name + "_relu1"), filters, 3, stride, name + "_conv2")
        y = bn(y, name + "_bn3")
        if first:
            x = bn(conv(x, filters, 1, stride, name + "_conv1sc"), name + "_sc")
        return y + x

    x = (mx.sym.Variable("data") - 127.5) * 0.0078125
    x = prelu(bn(conv(x, 64, 3, 1, "conv0"), "bn0", fix_gamma=True), "relu0")
    for stage, filters in enumerate((64, 128, 256, 512), 1):
        for k in (1, 2):
            x = unit(x, filters, 2 if k == 1 else 1, k == 1, "stage%d_unit%d" % (stage, k))
    x = mx.sym.Dropout(bn(x, "bn1"), p=0.4, name="dropout0")
    x = mx.sym.FullyConnected(x, num_hidden=512, name="pre_fc1")
    return mx.sym.L2Normalization(bn(x, "fc1", fix_gamma=True), name="embedding")


def bn_data():
    """Landmarks whose net normalises its input by a BatchNorm, which InsightFace's package knows by its name."""
    x = mx.sym.BatchNorm(mx.sym.Variable("data"), fix_gamma=True, eps=2e-5, name="bn_data")
    for i, filters in enumerate((8, 16, 16), 1):
        x = mx.sym.Convolution(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), num_filter=filters, name="conv%d" % i)
        x = mx.sym.Activation(mx.sym.BatchNorm(x, fix_gamma=False, name="bn%d" % i), act_type="relu", name="relu%d" % i)
    return mx.sym.FullyConnected(x, num_hidden=212, name="fc1")


def scrfd():
    """A detector with the outputs that InsightFace's package reads: scores, distances and points of three strides, in rows."""
    x, found = mx.sym.Variable("data"), []
    for i, filters in enumerate((8, 8, 16, 16, 16), 1):
        x = mx.sym.Convolution(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), num_filter=filters, name="conv%d" % i)
        x = mx.sym.Activation(mx.sym.BatchNorm(x, fix_gamma=False, name="bn%d" % i), act_type="relu", name="relu%d" % i)
        found.append(x)

    def head(x, columns, name, act=None):
        y = mx.sym.Convolution(x, kernel=(1, 1), num_filter=2 * columns, name=name)
        y = mx.sym.Reshape(mx.sym.transpose(y, axes=(0, 2, 3, 1)), shape=(-1, columns))
        return act(y) if act else y
    heads = [("score", 1, mx.sym.sigmoid), ("bbox", 4, mx.sym.relu), ("kps", 10, None)]
    return mx.sym.Group([head(x, columns, "%s_%d" % (name, stride), act)
                         for name, columns, act in heads for x, stride in zip(found[2:], (8, 16, 32))])


NETS = {  # name: (symbol maker, input, range of the input)
    "alexnet": gluon("alexnet", 64),
    "vgg16_bn": gluon("vgg16_bn", 32),
    "resnet18_v1": gluon("resnet18_v1", 64, "gluon"),
    "resnet50_v2": gluon("resnet50_v2", 64, "gluon"),
    "resnext50_32x4d": gluon("resnext50_32x4d", 64),
    "se_resnext50_32x4d": gluon("se_resnext50_32x4d", 64),
    "resnest50": gluon("resnest50", 64),
    "densenet121": gluon("densenet121", 224, "gluon"),
    "inceptionv3": gluon("inceptionv3", 299, "gluon"),
    "googlenet": gluon("googlenet", 224),
    "squeezenet1.1": gluon("squeezenet1.1", 224, "gluon"),
    "mobilenet1.0": gluon("mobilenet1.0", 64, "gluon"),
    "mobilenetv2_1.0": gluon("mobilenetv2_1.0", 64, "gluon"),
    "mobilenetv3_large": gluon("mobilenetv3_large", 64),
    "xception": gluon("xception", 96),
    "darknet53": gluon("darknet53", 64),
    "cifar_resnet20_v1": gluon("cifar_resnet20_v1", 32),
    "arcface": (arcface, (3, 112, 112), (0.0, 255.0)),
    "mobilefacenet": zoo("faces", "mobilefacenet", (3, 112, 112), (0.0, 255.0)),
    "retinaface_mnet025": zoo("faces", "retinaface_mnet", (3, 49, 72), (0.0, 255.0)),
    "gender_age": zoo("faces", "gender_age", (3, 112, 112), (0.0, 255.0)),
    "landmarks": zoo("faces", "landmarks", (3, 192, 192), (0.0, 255.0)),
    "bn_data": (bn_data, (3, 64, 64), (0.0, 255.0)),
    "scrfd": (scrfd, (3, 64, 96), (-1.0, 1.0)),
    "unet": zoo("general", "unet", (3, 33, 35)),
    "espcn": zoo("general", "espcn", (1, 9, 11)),
    "text_cnn": zoo("sequences", "text_cnn", (56,), (0.0, 9999.0)),
    "lenet": (lenet, (1, 28, 28), (-1.0, 1.0)),
    "mlp": (mlp, (1, 28, 28), (-1.0, 1.0)),
}


class Net:
    """A net with weights at one input size."""

    def __init__(self, name):
        self.name = name
        make, self.dims, self.range = NETS[name]
        self.symbol = make()
        self.text = self.symbol.tojson()
        self.aux = self.symbol.list_auxiliary_states()
        shapes, _, aux_shapes = self.symbol.infer_shape(data=(2,) + self.dims)
        self.shapes = {n: s for n, s in zip(self.symbol.list_arguments(), shapes)
                       if n != "data" and not n.endswith("label")}
        self.shapes.update(zip(self.aux, aux_shapes))
        self.scales = calibrate.scales(self.text, dict(weights.make(self.text, self.shapes, {}), data=self.data(4)))
        self.params = weights.make(self.text, self.shapes, self.scales)

    def data(self, batch):
        return weights.data(self.name, (batch,) + self.dims, *self.range)

    def run(self, batch, dtype=np.float32):
        given = {n: a.astype(dtype) for n, a in dict(self.params, data=self.data(batch)).items()}
        return [o.asnumpy() for o in calibrate.bind(self.symbol, given).forward(is_train=False)]

    def exact(self, batch):
        """In float64; in float32 where an operator of MXNet's first years knows no other type (Crop)."""
        try:
            return self.run(batch, np.float64)
        except mx.MXNetError:
            return self.run(batch)

    def arrays(self):
        """The parameters as a parameter file names them."""
        return {("aux:" if n in self.aux else "arg:") + n: a for n, a in self.params.items()}
