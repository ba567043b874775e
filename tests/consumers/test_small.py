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
from onnx.helper import make_node  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
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
    consumers.convert(tool, name, [net.symbol, net.params], data, target, "auto", model)
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


def levels(zero, *middle, at_the_end=None):
    """A value quantised, what is done with it, and the result quantised and dequantised where a type is given for it."""
    nodes = [make_node("QuantizeLinear", ["x", "step", zero], ["q"]), make_node("DequantizeLinear", ["q", "step", zero], ["d"]), *middle]
    if at_the_end:
        last, = nodes[-1].output
        nodes += [make_node("QuantizeLinear", [last, "step", at_the_end], ["r"]),
                  make_node("DequantizeLinear", ["r", "step", at_the_end], ["y"])]
    return nodes


CONVOLUTION = (make_node("DequantizeLinear", ["w", "step", "int8"], ["f"]), make_node("Conv", ["d", "f"], ["c"], kernel_shape=[1, 1]))
CONSTANTS = {"step": np.float32(0.5), "int8": np.int8(0), "uint8": np.uint8(0), "w": np.array([3, 5], np.int8).reshape(2, 1, 1, 1),
             "axis": np.array([1]), "boxes": np.array([[0, 0, 2, 2]], np.float32), "of": np.array([0]),
             "at": np.array([[0, 1]]), "rows": np.array([[[0, 0, 1, 1], [2, 2, 3, 3]]], np.float32), "most": np.array([2]), "half": np.array([0.5], np.float32),
             "gates": np.ones((1, 32, 8), np.float32)}
# Defects of runtimes on files of a few nodes: nodes, the dims of the input, what the runtime says, None where its numbers are others.
# When one of these fails, it is mended: measure the nets again.
DEFECTS = {
    "opencv4-has-no-And": ([make_node("Greater", ["x", "step"], ["g"]), make_node("And", ["g", "g"], ["a"]),
                            make_node("Cast", ["a"], ["y"], to=onnx.TensorProto.FLOAT)], (1, 1, 4, 4), "no layer of type And"),
    "opencv4-has-no-GatherND": ([make_node("GatherND", ["x", "at"], ["y"])], (1, 2, 4, 4), "no layer of type GatherND"),
    "opencv4-has-no-NonMaxSuppression": ([make_node("NonMaxSuppression", ["rows", "x", "most", "half", "half"], ["s"]),
                                          make_node("Cast", ["s"], ["y"], to=onnx.TensorProto.FLOAT)], (1, 1, 2),
                                         "no layer of type NonMaxSuppression"),
    "opencv5-pools-no-levels": (levels("int8", make_node("MaxPool", ["d"], ["y"], kernel_shape=[2, 2], strides=[2, 2])), (1, 1, 4, 4),
                                "inptype == CV_8SC1"),
    "opencv5-mixes-no-types": (levels("uint8", *CONVOLUTION, at_the_end="int8"), (1, 1, 4, 4), "inputs[0] == inputs[2]"),
    "opencv5-convolves-uint8": (levels("uint8", *CONVOLUTION, at_the_end="uint8"), (1, 1, 3, 3), None),
    "ncnn-loses-an-axis": ([make_node("Relu", ["x"], ["r"]), make_node("ReduceSum", ["r", "axis"], ["y"], keepdims=0)], (1, 8, 4, 4), None),
    "mnn-exchanges-axes": (levels("int8", make_node("Relu", ["d"], ["y"])), (2, 3, 4, 4), None),
    "mnn-ends-at-an-LSTM-of-one-output": ([make_node("LSTM", ["x", "gates", "gates"], ["l"], hidden_size=8),
                                           make_node("Squeeze", ["l", "axis"], ["y"])], (4, 1, 8), "mnnconvert ended by signal"),
    "tract-has-no-RoiAlign": ([make_node("RoiAlign", ["x", "boxes", "of"], ["y"], output_height=2, output_width=2)], (1, 1, 4, 4),
                              "Unimplemented(RoiAlign)"),
}


def asked(runtime, model, given, folder):
    """What the runtime says, and its numbers."""
    program, packages, _ = consumers.RUNTIMES[runtime]
    made = os.path.join(convert.ROOT, "build", "consumers", "env-" + runtime)
    if runtime not in RUNTIMES and not os.path.exists(made):
        pytest.skip("consumers.py --runtime %s makes its environment" % runtime)
    onnx.save(model, str(folder / "net.onnx"))
    np.savez(folder / "in.npz", x=given)
    server = child.Server(consumers.environment(made, packages), os.path.join(HERE, "runtimes", program))
    told = server.ask(model=str(folder / "net.onnx"), inputs=str(folder / "in.npz"), names=["y"], outputs=str(folder / "out.npz"),
                      processor=60, seconds=300)
    server.process.kill()
    return told, None if "error" in told else np.load(folder / "out.npz")["arr_0"]


@pytest.mark.parametrize("name", DEFECTS)
def test_defect(name, tmp_path):
    nodes, dims, said = DEFECTS[name]
    used = {i for n in nodes for i in n.input}
    constants = [onnx.numpy_helper.from_array(np.asarray(a), n) for n, a in CONSTANTS.items() if n in used]
    given = np.arange(np.prod(dims), dtype=np.float32).reshape(dims)
    make = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(nodes, "defect", [make("x", onnx.TensorProto.FLOAT, dims)], [make("y", onnx.TensorProto.FLOAT, None)],
                                   constants)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)], ir_version=9)
    want, = ReferenceEvaluator(model).run(None, {"x": given})
    graph.output[0].CopyFrom(make("y", onnx.TensorProto.FLOAT, want.shape))
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    told, got = asked(name.split("-")[0], model, given, tmp_path)
    if said:
        assert said in told.get("error", ""), told
    else:
        assert "error" not in told, told
        assert got.size != want.size or np.abs(got.reshape(want.shape) - want).max() > 0.1 * np.abs(want).max()


def test_table():
    """README's table is that of results.json."""
    done = subprocess.run([sys.executable, os.path.join(HERE, "table.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
