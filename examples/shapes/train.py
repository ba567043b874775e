#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small detector of GluonCV, an SSD with its own features, with MXNet 1.9.1 and writes the files of this folder.

Needs the environment of tests/oracle. The data are pictures of shapes (picture.py), each seen once; minutes.

    python examples/shapes/train.py [--folder FOLDER] [--steps N]

Writes shapes-symbol.json and shapes-0000.params.
"""
import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"  # the same result at every run

import numpy as np  # noqa: E402

for missing in ("bool", "int", "float", "object"):  # what GluonCV knows from an older NumPy
    if missing not in np.__dict__:
        setattr(np, missing, getattr(__import__("builtins"), missing))

import mxnet as mx  # noqa: E402
from gluoncv.loss import SSDMultiBoxLoss  # noqa: E402
from gluoncv.model_zoo.ssd import SSD  # noqa: E402
from gluoncv.model_zoo.ssd.target import SSDTargetGenerator  # noqa: E402
from mxnet.gluon import nn  # noqa: E402

import picture  # noqa: E402

BATCH, MOST = 16, 4  # pictures, shapes in one
TEST = 100000  # where the numbers of pictures begin that are not learned


class Features(mx.gluon.HybridBlock):
    """Bytes of RGB to maps of 16 x 16 and 8 x 8."""

    def __init__(self, **more):
        super().__init__()
        with self.name_scope():
            self.fine, self.coarse = nn.HybridSequential(), nn.HybridSequential()
            for part, widths in ((self.fine, (8, 16, 24)), (self.coarse, (32,))):
                for width in widths:
                    part.add(nn.Conv2D(width, 3, 1, 1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())

    def hybrid_forward(self, F, x):
        fine = self.fine((x - 127.5) / 64)
        return [fine, self.coarse(fine)]


def detector():
    return SSD(None, picture.SIDE, Features, None, sizes=[28, 44, 68], ratios=[[1, 1.5, 0.67]] * 2, steps=[8, 16],
               classes=picture.NAMES, anchor_alloc_size=16, post_nms=20, prefix="shapes_")


def batch(first):
    pictures, boxes, kinds = [], np.full((BATCH, MOST, 4), -1.0), np.full((BATCH, MOST, 1), -1.0)
    for i in range(BATCH):
        p, found = picture.draw(first + i)
        pictures.append(p.transpose(2, 0, 1))
        for k, (kind, *box) in enumerate(found):
            boxes[i, k], kinds[i, k] = box, kind
    return mx.nd.array(np.stack(pictures)), mx.nd.array(boxes), mx.nd.array(kinds)


def train(net, steps):
    targets, loss = SSDTargetGenerator(), SSDMultiBoxLoss()
    rate = mx.lr_scheduler.CosineScheduler(steps, base_lr=0.01, final_lr=1e-4)
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": rate, "learning_rate": 0.01})
    for step in range(steps):
        x, boxes, kinds = batch(step * BATCH)
        with mx.autograd.record():
            scores, offsets, anchors = net(x)
            with mx.autograd.pause():
                wanted, places, _ = targets(anchors, scores, boxes, kinds)
            total, _, _ = loss(scores, offsets, wanted, places)
            mx.autograd.backward(total)
        trainer.step(1)
        if step % 100 == 0:
            print("%5d  loss %.3f" % (step, total[0].mean().asscalar()), flush=True)


def share(a, b):
    """The intersection of two boxes over their union."""
    common = picture.overlap(a, b)
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common)


def found(net):
    """How many shapes of 64 other pictures are found, how many there are, and how many boxes are shown."""
    hits = there = shown = 0
    for first in range(TEST, TEST + 64, BATCH):
        x, boxes, kinds = batch(first)
        out = [o.asnumpy() for o in net(x)]
        for ids, scores, rows, b, k in zip(*out, boxes.asnumpy(), kinds.asnumpy()):
            seen = [(i, r) for i, s, r in zip(ids[:, 0], scores[:, 0], rows) if s > 0.5]
            real = [(i, r) for i, r in zip(k[:, 0], b) if i >= 0]
            shown, there = shown + len(seen), there + len(real)
            hits += sum(any(i == j and share(r, s) > 0.6 for j, s in seen) for i, r in real)
    return hits, there, shown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    mx.random.seed(7)
    net = detector()
    net.initialize(mx.init.Xavier())
    train(net, args.steps)
    print("found %d shapes of %d, shown %d" % found(net))
    net.hybridize()
    net(batch(0)[0][:1])
    net.export(os.path.join(args.folder, "shapes"))


main()
