#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the converted sample model in ONNX Runtime on the ten test images next to this file.

    python examples/digits/classify.py digits.onnx

Prints label and top-1 of each image and the greatest difference from what MXNet computed. The exit status is 0 if every
top-1 is MXNet's and no probability differs by more than 1e-4.
"""
import argparse
import json
import os
import sys

import numpy as np
import onnxruntime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="the ONNX file")
    args = parser.parse_args()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "digits-test.json")) as f:
        images = json.load(f)["images"]
    session = onnxruntime.InferenceSession(args.model, providers=["CPUExecutionProvider"])
    data = session.get_inputs()[0]
    batch = data.shape[0] if isinstance(data.shape[0], int) else len(images)
    pixels = np.array([i["image"] for i in images], np.float32)[:, None] / 16
    got = np.concatenate([session.run(None, {data.name: pixels[k:k + batch]})[0]
                          for k in range(0, len(images), batch)])
    want = np.array([i["probabilities"] for i in images])
    for image, row in zip(images, got):
        print("label %d   top-1 %d with %.4f" % (image["label"], row.argmax(), row.max()))
    difference = np.abs(got - want).max()
    print("greatest difference from MXNet: %.1e" % difference)
    return 0 if (got.argmax(1) == want.argmax(1)).all() and difference <= 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
