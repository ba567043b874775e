#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MXNet's own exporter, for quality.py: runs where mxnet and an onnx that it works with are (1.12, or 1.14).

Reads a JSON text a line, {"folder", "inputs": {name: [shape, type]}, "labels": {name: shape}, "seconds"}, writes
exporter.onnx into the folder and a JSON text, {} or {"error"}. Each model is exported in a child: some take the process down.

What is changed in it leaves the graph as it is: the opset is the newest that it knows, not the newest that onnx knows;
weights go into the file as bytes, not as lists of numbers; an error names the operator.
"""
import os
import sys

import mxnet as mx
import onnx
import onnx.numpy_helper
from mxnet.onnx.mx2onnx._export_onnx import MXNetGraph

import child

OPSET = 13  # mx2onnx/_op_translations has 12 and 13
CONVERT, VARIABLE = MXNetGraph.convert_layer, MXNetGraph.registry_[12]["null"]


def variable(node, **kwargs):
    if kwargs["is_input"]:
        return VARIABLE(node, **kwargs)
    name, array = node["name"], kwargs["weights"][node["name"]]
    tensor = onnx.numpy_helper.from_array(array, name)
    kwargs["initializer"].append(tensor)
    return [onnx.helper.make_tensor_value_info(name, tensor.data_type, array.shape)], (array.dtype,)


def layer(node, **kwargs):
    try:
        return CONVERT(node, **kwargs)
    except Exception as e:
        text = str(e) if node["op"] in str(e) else "%s: %s: %s" % (node["op"], type(e).__name__, e)
        raise RuntimeError(text) from e


def export(ask):
    """Labels become parameters: one that it knows by its name it leaves out, and then fails without it."""
    symbol, params = mx.sym.load(ask["folder"] + "/net-symbol.json"), mx.nd.load(ask["folder"] + "/net-0000.params")
    params, inputs = {n.split(":", 1)[1]: a for n, a in params.items()}, ask["inputs"]
    names = symbol.list_arguments()
    given = {n: tuple(s) for n, s in dict(ask["labels"], **{n: s for n, (s, _) in inputs.items()}).items() if n in names}
    shapes = dict(zip(names, symbol.infer_shape_partial(**given)[0]), **given)
    params.update({n: mx.nd.zeros(shapes[n]) for n in names if n not in inputs and n not in params})
    read = [n for n in names if n in inputs]
    mx.onnx.export_model(symbol, params, [given[n] for n in read], [inputs[n][1] for n in read],
                         os.path.join(ask["folder"], "exporter.onnx"))
    return {}


def main():
    onnx.defs.onnx_opset_version = lambda: OPSET
    onnx.checker.DEFAULT_CONTEXT.opset_imports = {"": OPSET}
    MXNetGraph.registry_[12]["null"] = variable
    MXNetGraph.convert_layer = staticmethod(layer)
    child.serve(export)


if __name__ == "__main__":
    sys.exit(main())
