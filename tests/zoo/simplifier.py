#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""onnxsim and onnxslim, for quality.py and simplified.py: reads {"model": path, "seconds"} and, for onnxslim, {"tool": "onnxslim"} a
line, writes {"nodes": {operator: count}}."""
import collections
import sys

import onnx

import child


def onnxsim(path):
    import onnxsim
    return onnxsim.simplify(onnx.load(path))[0]


def onnxslim(path):
    import onnxslim
    return onnxslim.slim(onnx.load(path))


TOOLS = {"onnxsim": onnxsim, "onnxslim": onnxslim}


def simplify(ask):
    model = TOOLS[ask.get("tool", "onnxsim")](ask["model"])
    return {"nodes": collections.Counter(n.op_type for n in model.graph.node)}


if __name__ == "__main__":
    sys.exit(child.serve(simplify))
