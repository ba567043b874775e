#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""onnxsim, for quality.py: reads {"model": path, "seconds"} a line, writes {"nodes": {operator: count}}."""
import collections
import sys

import onnx
import onnxsim

import child


def simplify(ask):
    model, _ = onnxsim.simplify(onnx.load(ask["model"]))
    return {"nodes": collections.Counter(n.op_type for n in model.graph.node)}


if __name__ == "__main__":
    sys.exit(child.serve(simplify))
