# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    from openvino import Core
    core = Core()
    exact = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    compiled = core.compile_model(core.read_model(model), "CPU", exact)
    result = compiled(inputs)
    return [result[o] for o in compiled.outputs]


serve(run)
