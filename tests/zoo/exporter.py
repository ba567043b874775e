#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MXNet's own exporter, for quality.py: runs where mxnet and an onnx that it works with are (onnx 1.14).

Reads a JSON text a line, {"folder", "inputs": {name: [shape, type]}, "seconds"}, writes exporter.onnx into the folder and
a JSON text, {} or {"error"}. Each model is exported in a child: some take the process down.
"""
import json
import os
import sys

import mxnet as mx

import child


def export(ask):
    prefix, inputs = os.path.join(ask["folder"], "net"), ask["inputs"]
    read = [n for n in mx.sym.load(prefix + "-symbol.json").list_inputs() if n in inputs]
    mx.onnx.export_model(prefix + "-symbol.json", prefix + "-0000.params", [tuple(inputs[n][0]) for n in read],
                         [inputs[n][1] for n in read], os.path.join(ask["folder"], "exporter.onnx"))
    return {}


if __name__ == "__main__":
    sys.exit(child.serve(export))
