# SPDX-License-Identifier: Apache-2.0
"""Detection heads as parts of networks: anchors of a dynamic map beside their predictions."""
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


WEIGHTS = {"wc": param(9, 4, 1, 1), "wl": param(12, 4, 1, 1)}
MAP = {"data": {0: "n", 2: "h", 3: "w"}}

CASES = [
    build("ssd", ssd, {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS, dynamic=MAP),
    build("ssd_topk", lambda mx: ssd(mx, nms_topk=15, nms_threshold=0.4), {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS,
          dynamic=MAP),
    build("ssd_topk_more", lambda mx: ssd(mx, nms_topk=100), {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS, dynamic=MAP),
    build("ssd_plain", lambda mx: ssd(mx, nms_threshold=0, threshold=0.4), {"data": data(2, 4, 5, 6, low=-3, high=3)}, WEIGHTS,
          dynamic=MAP),
]
