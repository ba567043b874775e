# SPDX-License-Identifier: Apache-2.0
"""Quantised layers as `--for tensorrt` writes them, which NVIDIA's documents describe ("Working with Quantized Types";
onnx-tensorrt, docs/operators.md): QuantizeLinear and DequantizeLinear with int8, zero points of 0 and constant steps, always in
pairs, biases in float32. ONNX Runtime computes from them what MXNet did, except for the bit that uint8 lost."""
import json
import os
import subprocess

import numpy as np
import onnx
import pytest

import cases
import compare
import convert
import explicit_quantisation
import test_ops

# those without a calibrated range are computed in integers, which TensorRT does not support
WHOLE = ("chain", "empty_range", "uncalibrated", "all_at_run_time")
CASES = [c for c in cases.load("fused") if not c.error and not any(word in c.name for word in WHOLE)]


def write(c, folder):
    """With floats as outputs: levels and their range are dequantised."""
    def converter(symbol, params, inputs, dynamic, opset, out):
        with open(symbol) as f:
            graph = json.load(f)
        if len(graph["heads"]) == 3:
            graph["nodes"].append({"op": "_contrib_dequantize", "name": "floats", "inputs": graph["heads"]})
            graph["heads"] = [[len(graph["nodes"]) - 1, 0, 0]]
        with open(symbol, "w") as f:
            json.dump(graph, f)
        command = [os.environ.get("MX2ONNX_TOOL", os.path.join(convert.ROOT, "build", "examples", "mx2onnx")), symbol]
        command += [params] if params else []
        for name, (shape, dtype) in inputs.items():
            command += ["--input", "%s=%s:%s" % (name, "x".join(map(str, shape)), dtype)]
        subprocess.run([*command, "-o", out, "--for", "tensorrt"], check=True, capture_output=True)
    return test_ops.convert_case(converter, c, 17, folder, False)


def floats(outputs):
    """MXNet's levels as floats, and what a step of int8 is."""
    if len(outputs) == 1:
        return outputs[0], 0
    whole, low, high = outputs
    reach = max(abs(low.item()), abs(high.item()))
    return whole * np.float32(reach / (255.5 if whole.dtype == np.uint8 else 127.5)), reach / 127


@pytest.mark.parametrize("c", [pytest.param(c, id=c.name) for c in CASES])
def test_a_net_for_tensorrt_agrees_with_mxnet(c, tmp_path):
    path = write(c, tmp_path)
    onnx.checker.check_model(path, full_check=True)
    count, found = explicit_quantisation.check(onnx.load(path).graph)
    assert count > 0 and found == []
    got, = compare.run(compare.session(path), c.arrays())
    want, step = floats(test_ops.STORED.outputs(c, 0))
    assert np.abs(got - want).max() <= 2 * step + 3e-3 * np.abs(want).max()
