# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    """Compiled by LLVM for this processor, without tuned schedules."""
    import onnx
    import tvm
    from tvm.relax.frontend.onnx import from_onnx
    compiled = tvm.compile(from_onnx(onnx.load(model)), target="llvm")
    machine = tvm.relax.VirtualMachine(compiled, tvm.cpu())
    given = [tvm.runtime.tensor(array) for array in inputs.values()]
    got = machine["main"](*given)
    return [o.numpy() for o in ([got] if hasattr(got, "numpy") else got)]


serve(run)
