# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    """As a module of PyTorch, which onnx2torch makes: it returns all outputs of a node even if one is wanted."""
    import onnx
    import onnx2torch
    import torch
    made = {o: n for n in onnx.load(model, load_external_data=False).graph.node for o in n.output}
    makers = list(dict.fromkeys(made[o].name for o in outputs))
    net = onnx2torch.convert(model).eval()
    with torch.no_grad():
        got = net(*[torch.from_numpy(array) for array in inputs.values()])
    got = dict(zip(makers, [got] if len(makers) == 1 else got))
    return [(t if isinstance(t, torch.Tensor) else t[list(made[o].output).index(o)]).numpy()
            for o in outputs for t in [got[made[o].name]]]


serve(run)
