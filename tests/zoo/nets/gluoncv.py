# SPDX-License-Identifier: Apache-2.0
"""GluonCV's model zoo, and Gluon's own vision nets (mx_*).

Images are as small as a net's topology bears. Nets of one topology stand in one row: what differs is the number of
classes. The published matrix names those in MATRIX.
"""
from net import Input, Net, trace

IMAGE = {0: "batch"}
ANY_SIZE = {0: "batch", 2: "height", 3: "width"}


def gluoncv(name, *inputs, **options):
    def make():
        from gluoncv.model_zoo import get_model
        return trace(get_model(name, pretrained=False, **options), *inputs)
    return make


def gluon(name):
    def make():
        from mxnet.gluon.model_zoo.vision import get_model
        return trace(get_model(name, pretrained=False))
    return make


def batches(*sizes):
    return [{"batch": b} for b in sizes]


def classification(name, make, size, matrix):
    """Global pooling at the end makes most of them free in height and width; what the published nets fix is the batch."""
    return Net(name, "classification", make, {"data": Input((1, 3, size, size))}, matrix, {"data": IMAGE}, batches(2, 3, 5))


NETS = [
    classification("resnet18_v1", gluoncv("resnet18_v1"), 64, "gluoncv"),
]
