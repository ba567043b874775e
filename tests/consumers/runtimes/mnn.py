# SPDX-License-Identifier: Apache-2.0
from serve import serve, tool


def run(model, inputs, outputs):
    """By way of MNN's own file."""
    import os
    import sys
    import MNN
    import numpy as np
    import onnx
    out = model + ".mnn"
    tool(os.path.join(os.path.dirname(sys.executable), "mnnconvert"), "-f", "ONNX", "--modelFile", model, "--MNNModel", out,
         "--bizCode", "x", cwd=os.path.dirname(model))
    graph = onnx.load(model, load_external_data=False).graph
    names = [i.name for i in graph.input]
    net = MNN.nn.load_module_from_file(out, names, outputs)
    to = MNN.expr.const
    given = [to(np.ascontiguousarray(inputs[n]), inputs[n].shape, MNN.expr.NCHW, MNN.expr.float if inputs[n].dtype.kind == "f" else MNN.expr.int) for n in names]
    return [np.array(v.read()) for v in net.forward(given)]


serve(run)
