# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    """As a module of PyTorch, which onnx2torch makes."""
    import onnx2torch
    import torch
    net = onnx2torch.convert(model).eval()
    with torch.no_grad():
        got = net(*[torch.from_numpy(array) for array in inputs.values()])
    return [o.numpy() for o in ([got] if isinstance(got, torch.Tensor) else got)]


serve(run)
