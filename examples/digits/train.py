#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the sample model with MXNet 1.9.1 and writes the files of this folder.

Needs the environment of tests/oracle (mxnet==1.9.1, numpy==1.23.5, scikit-learn). The data are the 1,797 handwritten
digits of 8x8 pixels that come with scikit-learn; every fifth image is kept for testing.

    python examples/digits/train.py [--folder FOLDER] [--epochs N]

Writes digits-symbol.json, digits-0000.params, digits-test.json (ten test images, one of each digit, with their labels
and the probabilities that MXNet computes for them) and recorded.npz, which has the same images and probabilities for
mx2onnx verify.
"""
import argparse
import json
import os
import random

os.environ["OMP_NUM_THREADS"] = "1"  # the same result at every run

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402
from sklearn.datasets import load_digits  # noqa: E402


def network():
    """Two blocks of convolution, batch normalisation and activation, in the manner of the Module API."""
    x = mx.sym.Variable("data")
    for i, filters in enumerate((16, 32), 1):
        x = mx.sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=filters, no_bias=True, name="conv%d" % i)
        x = mx.sym.BatchNorm(x, fix_gamma=False, name="bn%d" % i)
        x = mx.sym.Activation(x, act_type="relu", name="relu%d" % i)
        x = mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool%d" % i)
    x = mx.sym.Flatten(x, name="flatten")
    x = mx.sym.FullyConnected(x, num_hidden=64, name="fc1")
    x = mx.sym.Activation(x, act_type="relu", name="relu3")
    x = mx.sym.Dropout(x, p=0.3, name="drop")
    x = mx.sym.FullyConnected(x, num_hidden=10, name="fc2")
    return mx.sym.SoftmaxOutput(x, name="softmax")


def split():
    """((images, labels) to train, (images, labels) to test); a pixel is 0 to 1."""
    digits = load_digits()
    x = (digits.images / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    y = digits.target.astype(np.float32)
    test = np.arange(len(x)) % 5 == 4
    return (x[~test], y[~test]), (x[test], y[test])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=os.path.dirname(os.path.abspath(__file__)), help="where the files go")
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    random.seed(7)
    np.random.seed(7)
    mx.random.seed(7)
    (x, y), (test_x, test_y) = split()
    module = mx.mod.Module(network(), context=mx.cpu())
    module.fit(mx.io.NDArrayIter(x, y, batch_size=64, shuffle=True), num_epoch=args.epochs, optimizer="adam",
               optimizer_params={"learning_rate": 0.002}, initializer=mx.init.Xavier())
    # predict() wants whole batches, and the order kept
    guess = module.predict(mx.io.NDArrayIter(test_x, None, batch_size=64)).asnumpy()
    right = int((guess.argmax(axis=1) == test_y).sum())
    print("test accuracy: %d of %d (%.1f %%)" % (right, len(test_y), 100.0 * right / len(test_y)))
    module.save_checkpoint(os.path.join(args.folder, "digits"), 0)
    ten = [int(np.flatnonzero(test_y == d)[0]) for d in range(10)]
    with open(os.path.join(args.folder, "digits-test.json"), "w") as f:
        rows = [json.dumps({"label": int(test_y[i]), "image": np.round(test_x[i, 0] * 16).astype(int).tolist(),
                            "probabilities": [float("%.9g" % v) for v in guess[i]]}) for i in ten]
        f.write('{"note": "pixels are 0 to 16: divide by 16 and give them to the input data of shape (batch, 1, 8, 8)",'
                '\n "images": [\n  %s\n]}\n' % ",\n  ".join(rows))
    np.savez(os.path.join(args.folder, "recorded.npz"), **{"input:data": test_x[ten], "output:softmax_output": guess[ten]})


if __name__ == "__main__":
    main()
