# SPDX-License-Identifier: Apache-2.0
"""Recorded nets in OpenCV 4 and 5, OpenVINO and onnx's own evaluator: a small part of consumers.py, without MXNet."""
import os
import subprocess
import sys

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "numeric"), os.path.join(HERE, os.pardir, "zoo")]

import child  # noqa: E402
import consumers  # noqa: E402
import convert  # noqa: E402
import onnx  # noqa: E402
import test_nets  # noqa: E402

RUNTIMES = ("opencv4", "opencv5", "openvino", "reference")
# inceptionv3 and resnest50 average padded windows, text_cnn reads rows of a table: all three were wrong in OpenCV 4
NETS = ("cifar_resnet20_v1", "inceptionv3", "lenet", "mobilefacenet", "resnest50", "squeezenet1.1", "text_cnn")
SLOW = {"reference": ("inceptionv3", "resnest50", "mobilefacenet", "squeezenet1.1")}  # a convolution takes it seconds
TOLERANCE = 1e-4


PAIRS = [(r, n) for r in RUNTIMES for n in NETS if n not in SLOW.get(r, ())]


@pytest.fixture(scope="module")
def runtime(request):
    program, packages, target = consumers.RUNTIMES[request.param]
    folder = os.path.join(convert.ROOT, "build", "consumers", "env-" + request.param)
    server = child.Server(consumers.environment(folder, packages), os.path.join(HERE, "runtimes", program))
    yield server, target
    server.process.kill()


@pytest.mark.parametrize("runtime, name", PAIRS, indirect=["runtime"])
def test_a_small_net_agrees_with_mxnet(runtime, name, tmp_path):
    server, target = runtime
    net = test_nets.Net(name, tmp_path)
    tool = os.environ.get("MX2ONNX_TOOL", os.path.join(convert.ROOT, "build", "examples", "mx2onnx"))
    data, model, out = {"data": net.data(1)}, str(tmp_path / "net.onnx"), str(tmp_path / "out.npz")
    consumers.convert(tool, name, [net.symbol, net.params], data, target, "auto", model)
    np.savez(tmp_path / "in.npz", **data)
    names = [o.name for o in onnx.load(model).graph.output]
    told = server.ask(model=model, inputs=str(tmp_path / "in.npz"), names=names, outputs=out, processor=900,
                      seconds=3600)
    assert "error" not in told, told
    with np.load(out) as stored:
        got = [stored[n] for n in stored.files]
    assert len(got) == len(net.outputs[1])
    for g, w in zip(got, net.outputs[1]):
        assert g.size == w.size
        assert np.abs(g.reshape(w.shape).astype(np.float64) - w).max() <= TOLERANCE * np.abs(w).max()


def test_the_table_is_made_of_the_results():
    """README's table is that of results.json."""
    done = subprocess.run([sys.executable, os.path.join(HERE, "table.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
