#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet 1.9.1's own mxnet.onnx.export_model makes of lists of shapes and types.

    python tests/oracle/drop_in.py      with an environment of tests/oracle/exporter-requirements.txt

Written to tests/data/recorded/drop_in.json: for each call the symbol, the parameters' shapes, the arguments, and the inputs of
the ONNX graph with type and shape, or the exception. tests/python/test_drop_in.py makes the same calls of mx2onnx.export_model.
"""
import json
import os
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, os.pardir, "data", "recorded", "drop_in.json")
V = mx.sym.Variable


def fc(x, name):
    return mx.sym.FullyConnected(x, num_hidden=3, name=name)


def classifier():
    return mx.sym.SoftmaxOutput(mx.sym.Activation(fc(V("data"), "fc"), act_type="relu"), name="softmax")


def regression():
    return mx.sym.LinearRegressionOutput(fc(V("data"), "fc"), name="lro")


def renamed_label():
    return mx.sym.SoftmaxOutput(fc(V("data"), "fc"), V("truth"), name="softmax")


def two_heads():
    x = V("data")
    return mx.sym.Group([mx.sym.SoftmaxOutput(fc(x, "a"), name="one"), mx.sym.SoftmaxOutput(fc(x, "b"), name="two")])


def two_inputs():
    return fc(mx.sym.concat(V("z"), V("a"), dim=1), "fc")


def normed():
    return mx.sym.BatchNorm(mx.sym.Convolution(V("data"), kernel=(1, 1), num_filter=2, name="conv"), name="bn")


def tokens():
    return mx.sym.Embedding(V("ids"), input_dim=9, output_dim=4, name="emb") + V("bias")


ALL = None  # every parameter has a value
# name: (symbol, the inputs' shapes for inference, parameters without a value, [arguments, ...])
CASES = {
    "classifier": (classifier, dict(data=(2, 4)), (), [dict(in_shapes=[(2, 4)]), dict(in_shapes=[(2, 4)], in_types=["float32"]),
                                                       dict(input_shape=[(2, 4)], input_type="float32"),
                                                       dict(in_shapes=[(2, 4)], dynamic=True),
                                                       dict(in_shapes=[(2, 4)], dynamic=True, dynamic_input_shapes=[("n", 4)]),
                                                       dict(in_shapes=[(2, 4)], dynamic=True, dynamic_input_shapes=[(None, 4)]),
                                                       dict(in_shapes=[(2, 4)], dynamic_input_shapes=[(None, 4)]),
                                                       dict(in_shapes=[(2, 4)], dynamic=True, dynamic_input_shapes=[(None,)]),
                                                       dict(in_shapes=[(2, 4)], in_types=["float32", "float32"]),
                                                       dict(in_shapes=[(2, 4), (2,)], in_types="float32")]),
    "classifier_labelled": (classifier, dict(data=(2, 4)), (), [dict(in_shapes=[(2, 4)]), dict(in_shapes=[(2, 4)], in_types=["float32"]),
                                                                dict(input_shape=[(2, 4)], input_type="float32"),
                                                                dict(in_shapes=[(2, 4)], dynamic=True),
                                                                dict(in_shapes=[(2, 4)], dynamic=True, dynamic_input_shapes=[("n", 4)]),
                                                                dict(in_shapes=[(2, 4)], dynamic=True, dynamic_input_shapes=[(None, 4)])]),
    "classifier_labelled_open": (classifier, dict(data=(2, 4)), ("fc_weight", "fc_bias"), [dict(in_shapes=[(2, 4), (3, 4), (3,)])]),
    "classifier_open": (classifier, dict(data=(2, 4)), ("fc_weight", "fc_bias"), [dict(in_shapes=[(2, 4), (3, 4), (3,)]),
                                                                                  dict(in_shapes=[(2, 4), (3, 4), (3,)], in_types=["float32"] * 3),
                                                                                  dict(in_shapes=[(2, 4), (3, 4)])]),
    "classifier_weight": (classifier, dict(data=(2, 4)), ("fc_weight",), [dict(in_shapes=[(2, 4), (3, 4)])]),
    "regression": (regression, dict(data=(2, 4)), (), [dict(in_shapes=[(2, 4)])]),
    "renamed_label": (renamed_label, dict(data=(2, 4)), (), [dict(in_shapes=[(2, 4), (2,)])]),
    "two_heads": (two_heads, dict(data=(2, 4)), (), [dict(in_shapes=[(2, 4), (2,)])]),
    "two_inputs": (two_inputs, dict(z=(2, 3), a=(2, 5)), (), [dict(in_shapes=[(2, 3), (2, 5)]),
                                                              dict(in_shapes=[(2, 3), (2, 5)], dynamic=True,
                                                                   dynamic_input_shapes=[("n", 3), ("n", 5)])]),
    "two_inputs_open": (two_inputs, dict(z=(2, 3), a=(2, 5)), ("fc_bias",), [dict(in_shapes=[(2, 3), (2, 5), (3,)])]),
    "normed": (normed, dict(data=(2, 3, 4, 4)), (), [dict(in_shapes=[(2, 3, 4, 4)])]),
    "normed_open": (normed, dict(data=(2, 3, 4, 4)), ("bn_gamma", "bn_moving_var"), [dict(in_shapes=[(2, 3, 4, 4), (2,), (2,)])]),
    "tokens": (tokens, dict(ids=(2, 5), bias=(2, 5, 4)), (), [dict(in_shapes=[(2, 5), (2, 5, 4)], in_types=["int32", "float32"])]),
}


def values(symbol, shapes, without, labels):
    """{name: array} of arguments and of states; labels are parameters too where they are asked for, as programs did it."""
    args, _, auxes = symbol.infer_shape(**shapes)
    found = [dict(zip(names, found)) for names, found in ((symbol.list_arguments(), args), (symbol.list_auxiliary_states(), auxes))]
    return [{n: mx.nd.ones(s) for n, s in part.items() if n not in without and n not in shapes
             and (labels or not n.endswith(("_label", "truth")))} for part in found]


def call(symbol, params, arguments, file):
    try:
        mx.onnx.export_model(symbol, params, onnx_file_path=file, **{k: convert(k, v) for k, v in arguments.items()})
    except Exception as e:  # whatever it raises is the fact
        return {"error": type(e).__name__}
    return {"inputs": [[i.name, onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type).name
                        if hasattr(onnx.helper, "tensor_dtype_to_np_dtype")
                        else np.dtype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[i.type.tensor_type.elem_type]).name,
                        [d.dim_param or d.dim_value or None for d in i.type.tensor_type.shape.dim]]
                       for i in onnx.load(file).graph.input]}


def convert(key, value):
    if "type" in key:
        return [np.dtype(t).type for t in value] if isinstance(value, list) else np.dtype(value).type
    return value


def main():
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, shapes, without, calls) in CASES.items():
            symbol = make()
            args, auxes = values(symbol, shapes, without, "_labelled" in name)
            for arguments in calls:
                row = {"name": name, "symbol": symbol.tojson(), "list_inputs": symbol.list_inputs(), "arguments": arguments,
                       "args": {n: a.shape for n, a in args.items()}, "auxes": {n: a.shape for n, a in auxes.items()}}
                row.update(call(symbol, [args, auxes], arguments, os.path.join(folder, "x.onnx")))
                found.append(row)
    with open(FILE, "w") as f:
        json.dump(found, f, indent=1)
        f.write("\n")
    print("%d calls, %d accepted" % (len(found), sum("inputs" in r for r in found)))


if __name__ == "__main__":
    main()
