# SPDX-License-Identifier: Apache-2.0
from serve import serve, tool


def run(model, inputs, outputs):
    """By way of ncnn's own files, which pnnx writes."""
    import os
    import shutil
    import sysconfig
    import tempfile
    import ncnn
    import numpy as np
    pnnx = os.path.join(sysconfig.get_path("purelib"), "pnnx", "pnnx")  # the package's own program wants PyTorch
    os.chmod(pnnx, 0o755)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(model, os.path.join(folder, "net.onnx"))
        tool(pnnx, "net.onnx", "fp16=0", cwd=folder)
        layers = os.path.join(folder, "net.ncnn.param")
        with open(layers) as f:
            types = {line.split()[0] for line in f.read().split("\n")[2:] if line}
        unknown = sorted(t for t in types if ncnn.layer_to_index(t) < 0)
        if unknown:
            raise RuntimeError("no layer %s" % ", ".join(unknown))
        net = ncnn.Net()
        net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
        if net.load_param(layers) != 0 or net.load_model(layers.replace(".param", ".bin")) != 0:
            raise RuntimeError("ncnn does not read what pnnx wrote")
    extractor = net.create_extractor()
    for k, array in enumerate(inputs.values()):
        array = np.ascontiguousarray(array if array.dtype.kind == "f" else array.astype(np.int32))
        extractor.input("in%d" % k, ncnn.Mat(array, batch_index=0).clone())
    got = [extractor.extract("out%d" % k) for k in range(len(outputs))]
    if any(status != 0 for status, _ in got):
        raise RuntimeError("ncnn does not compute output %d" % [status != 0 for status, _ in got].index(True))
    return [mat.numpy(batch_index=0) for _, mat in got]


serve(run)
