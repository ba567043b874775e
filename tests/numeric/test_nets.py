# SPDX-License-Identifier: Apache-2.0
"""Whole nets, converted and run in ONNX Runtime, against what MXNet 1.9.1 computed (tests/oracle/record_nets.py)."""
import json
import os

import numpy as np
import pytest

import compare
import convert
import ndarray_list
import recorded
import weights

OPSETS = (11, 13, 17, 21, 26)
NEWEST = 28  # written and checked; no runtime takes it yet
BATCHES = (1, 3)
FOLDER = os.path.dirname(recorded.path("nets", "x"))
DIGITS = os.path.join(convert.ROOT, "examples", "digits")


class Net:
    """A recorded net with its files in its own folder."""

    def __init__(self, name, folder):
        reader = recorded.Reader(recorded.path("nets", name))
        index = reader.index
        self.name, self.dims, self.range = name, tuple(index["dims"]), index["range"]
        self.outputs = {int(b): [reader.get(e) for e in out] for b, out in index["runs"].items()}
        self.symbol, self.params = str(folder / "net-symbol.json"), str(folder / "net-0000.params")
        with open(self.symbol, "w") as f:
            f.write(index["symbol"])
        made = weights.make(index["symbol"], index["params"], index["scales"])
        ndarray_list.save(self.params, {("aux:" if n in index["aux"] else "arg:") + n: a for n, a in made.items()})

    def data(self, batch):
        return weights.data(self.name, (batch,) + self.dims, *self.range)


@pytest.fixture(scope="module", params=sorted(f[:-4] for f in os.listdir(FOLDER) if f.endswith(".zip")))
def net(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("net")
    yield Net(request.param, folder)
    for f in folder.iterdir():
        f.unlink()


def export(converter, net, opset, batch, out):
    """Converts with a fixed batch, or with a dynamic one for None."""
    inputs = {"data": ((batch or 1,) + net.dims, "float32")}
    dynamic = {} if batch else {"data": {0: "batch"}}
    converter(net.symbol, net.params, inputs, dynamic, opset, out)
    compare.check(out, opset)
    if opset == NEWEST:
        return None
    s = compare.session(out)
    compare.check_signature(s, inputs, dynamic)
    return s


@pytest.mark.parametrize("opset", OPSETS + (NEWEST,))
def test_a_net_agrees_with_a_fixed_batch(converter, net, opset, tmp_path):
    s = export(converter, net, opset, 1, str(tmp_path / "net.onnx"))
    if s is not None:
        compare.agree(compare.run(s, {"data": net.data(1)}), net.outputs[1])
    os.unlink(tmp_path / "net.onnx")


@pytest.mark.parametrize("opset", OPSETS + (NEWEST,))
def test_a_net_agrees_with_a_dynamic_batch(converter, net, opset, tmp_path):
    s = export(converter, net, opset, None, str(tmp_path / "net.onnx"))
    for batch in BATCHES if s is not None else ():
        compare.agree(compare.run(s, {"data": net.data(batch)}, {"batch": batch}), net.outputs[batch])
    os.unlink(tmp_path / "net.onnx")


def test_a_detector_of_any_size_is_prepared_for_quantisation(converter, tmp_path):
    """quant_pre_process comes before quantize_static. Without skip_symbolic_shape it fails for such a net."""
    from onnxruntime.quantization.shape_inference import quant_pre_process

    net, out, prepared = Net("retinaface_mnet025", tmp_path), str(tmp_path / "net.onnx"), str(tmp_path / "prepared.onnx")
    converter(net.symbol, net.params, {"data": ((1,) + net.dims, "float32")}, {"data": {0: "batch", 2: "height", 3: "width"}}, 17, out)
    quant_pre_process(out, prepared, skip_symbolic_shape=True)
    s = compare.session(prepared)
    for batch in BATCHES:
        compare.agree(compare.run(s, {"data": net.data(batch)}), net.outputs[batch])


@pytest.mark.parametrize("opset", OPSETS)
def test_the_sample_model_agrees_with_mxnet(converter, opset, tmp_path):
    """The model of examples/digits, which MXNet trained, sees what MXNet sees."""
    out = str(tmp_path / "digits.onnx")
    converter(os.path.join(DIGITS, "digits-symbol.json"), os.path.join(DIGITS, "digits-0000.params"),
              {"data": ((1, 1, 8, 8), "float32")}, {"data": {0: "batch"}}, opset, out)
    compare.check(out, opset)
    with open(os.path.join(DIGITS, "digits-test.json")) as f:
        images = json.load(f)["images"]
    pixels = np.array([i["image"] for i in images], np.float32)[:, None] / 16
    want = np.array([i["probabilities"] for i in images], np.float32)
    for batch in (1, 3, 10):
        got = compare.run(compare.session(out), {"data": pixels[:batch]}, {"batch": batch})
        compare.agree(got, [want[:batch]])
        assert (got[0].argmax(1) == want[:batch].argmax(1)).all()
