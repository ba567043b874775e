#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which operators ONNX Runtime does not outlive, or refuses, where a size is 0 when a model runs.

    python tests/oracle/empty.py            needs onnx and onnxruntime, no MXNet

One node a model, all dims open, each size 0 in turn, each run in a separate process. Printed is what does not give a
result; the forms are those that this library writes with dims that a run decides.
"""
import multiprocessing
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SIZES = dict(n=2, c=4, h=5, w=6, k=3, t=3, m=2, o=4, d=3, r=2)


def fixed(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


def recurrent(op, gates):
    """X is (time, batch, data); the size of the data is known when a model is written."""
    states = [("f", "1n4")] * (2 if op == "LSTM" else 1)
    return (op, [("f", "tn3"), fixed(1, gates * 4, 3), fixed(1, gates * 4, 4), fixed(1, gates * 8), None] + states,
            dict(hidden_size=4, **({"linear_before_reset": 1} if op == "GRU" else {})))


def forms():
    """(operator, inputs, attributes): an input is a type with a letter or digit for each dim, or a constant."""
    yield from (recurrent(op, gates) for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)))
    for equation, a, b in (("ij,jk->ik", "nk", "ko"), ("ij,kj->ik", "nk", "ok"), ("bij,bjk->bik", "mnk", "mko"),
                           ("bij,bkj->bik", "mnk", "mok"), ("ab,ba->a", "nk", "kn"), ("cea,adc->ace", "kno", "omk"),
                           ("i,j->ij", "n", "k")):
        yield "Einsum", [("f", a), ("f", b)], dict(equation=equation)
    for a, b in (("nk", "ko"), ("mnk", "mko"), ("mnk", "ko"), ("k", "k"), ("nk", "k")):
        yield "MatMul", [("f", a), ("f", b)], {}
    for perm, b in (((0, 2, 1), "mok"), ((1, 0, 2), "kmo"), ((1, 2, 0), "omk")):
        yield "Transpose and MatMul", [("f", "mnk"), ("f", b)], dict(perm=perm)
    for attrs in ({}, dict(scan_output_axes=[1])):
        body = helper.make_graph([helper.make_node("Abs", ["row"], ["made"])], "body",
                                 [helper.make_tensor_value_info("row", TensorProto.FLOAT, ["r0", "r1"])],
                                 [helper.make_tensor_value_info("made", TensorProto.FLOAT, ["r0", "r1"])])
        yield "Scan", [("f", "nck")], dict(attrs, body=body, num_scan_inputs=1)
    yield "Gemm", [("f", "nk"), ("f", "ko"), ("f", "o")], {}
    for a, kernel in (("nch", (3,)), ("nchw", (3, 3))):
        pads = [1] * 2 * len(kernel)
        yield "Conv", [("f", a.replace("c", "4")), fixed(4, 4, *kernel)], dict(pads=pads)
        yield "ConvTranspose", [("f", a.replace("c", "4")), fixed(4, 4, *kernel)], dict(pads=pads)
        for op in ("MaxPool", "AveragePool"):
            yield op, [("f", a)], dict(kernel_shape=kernel, pads=pads)
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        yield op, [("f", "nchw")], {}
    for op in ("ArgMax", "ArgMin", "Softmax", "LogSoftmax"):
        yield op, [("f", "nck")], dict(axis=1)
    for op in ("ReduceMax", "ReduceMean", "ReduceProd", "ReduceL2", "ReduceLogSumExp"):
        yield op, [("f", "nck")], dict(axes=[1])
    for mode in ("edge", "reflect"):
        yield "Pad", [("f", "nk"), np.array([1, 1, 1, 1])], dict(mode=mode)
    yield "Reshape", [("f", "nk"), np.array([0, -1])], {}
    yield "Resize", [("f", "nchw"), None, None, np.array([2, 4, 3, 3])], dict(mode="linear")
    yield "GridSample", [("f", "nchw"), ("f", "nkt2")], {}
    yield "RoiAlign", [("f", "nchw"), ("f", "r4"), ("i", "r")], dict(output_height=2, output_width=2)
    yield "MaxRoiPool", [("f", "nchw"), ("f", "r5")], dict(pooled_shape=[2, 2])
    yield "Gather", [("f", "nck"), ("i", "m")], dict(axis=1)
    yield "ScatterND", [("f", "nck"), ("i", "r2"), ("f", "rk")], {}
    yield "TopK", [("f", "nk"), np.array([1])], {}
    yield "CumSum", [("f", "nk"), np.array(1)], {}
    yield "Multinomial", [("f", "nk")], dict(sample_size=3)
    yield "NonMaxSuppression", [("f", "nd4"), ("f", "nkd"), np.array([3]), np.array([.5], np.float32)], {}


def model(op, inputs, attrs):
    names, open_, constants = [], [], []
    for i, x in enumerate(inputs):
        names.append("" if x is None else "x%d" % i)
        if isinstance(x, np.ndarray):
            constants.append(numpy_helper.from_array(x, names[-1]))
        elif x is not None:
            open_.append(helper.make_tensor_value_info(names[-1], TensorProto.FLOAT if x[0] == "f" else TensorProto.INT64, [
                int(d) if d.isdigit() else "%s%d" % (d, a) for a, d in enumerate(x[1])]))
    nodes = [helper.make_node(op, names, ["y"], **attrs)]
    if op == "Transpose and MatMul":
        nodes = [helper.make_node("Transpose", ["x1"], ["turned"], **attrs), helper.make_node("MatMul", ["x0", "turned"], ["y"])]
    outputs = [onnx.ValueInfoProto(name="y")]
    made = helper.make_model(helper.make_graph(nodes, op, open_, outputs, constants),
                             opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnx.shape_inference.infer_shapes(made).SerializeToString()


def attempt(content, fed, pipe):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"]).run(None, fed)
        pipe.send(None)
    except Exception as e:
        pipe.send(str(e).splitlines()[0][-120:])


def outcome(content, fed):
    ours, theirs = multiprocessing.Pipe()
    p = multiprocessing.Process(target=attempt, args=(content, fed, theirs))
    p.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        p.join()
        return "ends its process (%d)" % p.exitcode
    finally:
        p.join()


def main():
    died = 0
    for op, inputs, attrs in forms():
        content, given = model(op, inputs, attrs), [x for x in inputs if isinstance(x, tuple)]
        for letter in sorted({d for _, dims in given for d in dims if not d.isdigit()}):
            fed = {"x%d" % i: np.ones([int(d) if d.isdigit() else 0 if d == letter else SIZES[d] for d in x[1]],
                                      np.float32 if x[0] == "f" else np.int64) for i, x in enumerate(inputs) if isinstance(x, tuple)}
            what = outcome(content, fed)
            if what:
                died += what.startswith("ends")
                said = {name: value for name, value in attrs.items() if name != "body"}
                print("%-20s %s %s: %s" % (op, [a.shape for a in fed.values()], said, what), flush=True)
    print("%d forms end the process of ONNX Runtime %s" % (died, onnxruntime.__version__))


if __name__ == "__main__":
    sys.exit(main())
