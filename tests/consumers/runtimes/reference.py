# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    from onnx.reference import ReferenceEvaluator
    return ReferenceEvaluator(model).run(outputs, inputs)


serve(run)
