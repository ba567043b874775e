# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(outputs, inputs)


serve(run)
