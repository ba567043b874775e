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


@pytest.fixture(scope="module", params=RUNTIMES)
def runtime(request):
    program, packages, target = consumers.RUNTIMES[request.param]
    folder = os.path.join(convert.ROOT, "build", "consumers", "env-" + request.param)
    server = child.Server(consumers.environment(folder, packages), os.path.join(HERE, "runtimes", program))
    yield request.param, server, target
    server.process.kill()


@pytest.mark.parametrize("name", NETS)
def test_net(runtime, name, tmp_path):
    what, server, target = runtime
    if name in SLOW.get(what, ()):
        pytest.skip("%s takes minutes" % what)
    net = test_nets.Net(name, tmp_path)
    tool = os.environ.get("MX2ONNX_TOOL", os.path.join(convert.ROOT, "build", "examples", "mx2onnx"))
    data, model, out = {"data": net.data(1)}, str(tmp_path / "net.onnx"), str(tmp_path / "out.npz")
    consumers.convert(tool, name, [net.symbol, net.params], data, target, 17, model)
    np.savez(tmp_path / "in.npz", **data)
    names = [o.name for o in onnx.load(model).graph.output]
    told = server.ask(model=model, inputs=str(tmp_path / "in.npz"), names=names, outputs=out, processor=300,
                      seconds=900)
    assert "error" not in told, told
    with np.load(out) as stored:
        got = [stored[n] for n in stored.files]
    assert len(got) == len(net.outputs[1])
    for g, w in zip(got, net.outputs[1]):
        assert g.size == w.size
        assert np.abs(g.reshape(w.shape).astype(np.float64) - w).max() <= TOLERANCE * np.abs(w).max()


def test_opencv5_pools_no_levels(tmp_path):
    """OpenCV 5's own defect, which resnet50_v1_int8 meets: QuantizeLinear, DequantizeLinear, MaxPool. When this fails, it is
    mended: measure the net again."""
    helper, floats = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [helper.make_node("QuantizeLinear", ["x", "step", "zero"], ["q"]),
             helper.make_node("DequantizeLinear", ["q", "step", "zero"], ["d"]),
             helper.make_node("MaxPool", ["d"], ["y"], kernel_shape=[2, 2], strides=[2, 2])]
    constants = [onnx.numpy_helper.from_array(np.array(0.5, np.float32), "step"),
                 onnx.numpy_helper.from_array(np.array(0, np.int8), "zero")]
    graph = helper.make_graph(nodes, "pool", [helper.make_tensor_value_info("x", floats, [1, 1, 4, 4])],
                              [helper.make_tensor_value_info("y", floats, [1, 1, 2, 2])], constants)
    model, given = str(tmp_path / "pool.onnx"), str(tmp_path / "in.npz")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    onnx.checker.check_model(model, full_check=True)
    np.savez(given, x=np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    program, packages, _ = consumers.RUNTIMES["opencv5"]
    folder = os.path.join(convert.ROOT, "build", "consumers", "env-opencv5")
    server = child.Server(consumers.environment(folder, packages), os.path.join(HERE, "runtimes", program))
    told = server.ask(model=model, inputs=given, names=["y"], outputs=str(tmp_path / "out.npz"), processor=60, seconds=300)
    server.process.kill()
    assert "inptype == CV_8SC1" in told.get("error", ""), told


def test_table():
    """README's table is that of results.json."""
    done = subprocess.run([sys.executable, os.path.join(HERE, "table.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
