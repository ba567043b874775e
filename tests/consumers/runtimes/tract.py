# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    import tract
    loaded = tract.onnx().load(model)
    names = [loaded.input_name(i) for i in range(loaded.input_count())]
    return [v.to_numpy() for v in loaded.into_model().into_runnable().run([inputs[n] for n in names])]


serve(run)
