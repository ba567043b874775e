# SPDX-License-Identifier: Apache-2.0
"""Pixels as programs have them, in a model that does itself what comes before the net."""
import json
import os

import numpy as np
import pytest

import compare
import convert
import test_nets

OPSETS = (11, 17, 26)


@pytest.fixture(scope="module")
def export():
    package = convert.route("python").mx2onnx

    def call(symbol, params, out, opset, shape, **options):
        package.export_model(symbol, params, [shape], onnx_file_path=str(out), opset_version=opset, **options)
        compare.check(str(out), opset)
        return compare.session(str(out))

    return call


@pytest.mark.parametrize("opset", OPSETS)
def test_bytes_channels_last_agree_with_mxnet(export, opset, tmp_path):
    """The sample model over its pixels, which are 0 to 16, as uint8 and channels last: MXNet's probabilities."""
    s = export(os.path.join(test_nets.DIGITS, "digits-symbol.json"), os.path.join(test_nets.DIGITS, "digits-0000.params"),
               tmp_path / "digits.onnx", opset, ("batch", 1, 8, 8), in_types="uint8", channels_last=["data"],
               scale={"data": 1 / 16})
    assert s.get_inputs()[0].shape == ["batch", 8, 8, 1] and s.get_inputs()[0].type == "tensor(uint8)"
    with open(os.path.join(test_nets.DIGITS, "digits-test.json")) as f:
        images = json.load(f)["images"]
    pixels = np.array([i["image"] for i in images], np.uint8)[..., None]
    want = np.array([i["probabilities"] for i in images], np.float32)
    compare.agree(compare.run(s, {"data": pixels}, {"batch": len(images)}), [want])


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    return test_nets.Net("cifar_resnet20_v1", tmp_path_factory.mktemp("net"))


MEAN, SCALE = np.array([123.675, 116.28, 103.53]), np.array([0.0171, 0.0175, 0.0174])


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("last,reversed_", [(False, False), (False, True), (True, False), (True, True)])
def test_preprocessing_in_the_model_agrees_with_mxnet(export, net, opset, last, reversed_, tmp_path):
    """What NumPy makes of a net's data, backwards through scale, mean, order and layout, comes to MXNet's outputs."""
    options = dict(mean={"data": list(MEAN)}, scale={"data": SCALE}, channels_last=["data"] if last else [],
                   reverse_channels=["data"] if reversed_ else [])
    s = export(net.symbol, net.params, tmp_path / "net.onnx", opset, ("batch",) + net.dims, **options)
    h, w = net.dims[1:]
    assert s.get_inputs()[0].shape == (["batch", h, w, 3] if last else ["batch", 3, h, w])
    for batch in test_nets.BATCHES:
        x = net.data(batch) / SCALE[:, None, None] + MEAN[:, None, None]
        x = x[:, ::-1] if reversed_ else x
        x = x.transpose(0, 2, 3, 1) if last else x
        got = compare.run(s, {"data": np.ascontiguousarray(x, np.float32)}, {"batch": batch})
        compare.agree(got, net.outputs[batch], rtol=1e-3)


def test_a_net_agrees_where_it_takes_bytes(export, net, tmp_path):
    """Whole pixels through the model and, by NumPy in float32, through the plain one, are the same."""
    pixels = np.random.RandomState(0).randint(0, 256, (2, 32, 32, 3)).astype(np.uint8)
    plain = export(net.symbol, net.params, tmp_path / "plain.onnx", 17, ("batch",) + net.dims)
    s = export(net.symbol, net.params, tmp_path / "net.onnx", 17, ("batch",) + net.dims, in_types="uint8",
               channels_last=["data"], mean={"data": MEAN}, scale={"data": SCALE})
    x = (pixels.transpose(0, 3, 1, 2).astype(np.float32) - MEAN[:, None, None].astype(np.float32)) \
        * SCALE[:, None, None].astype(np.float32)
    want = compare.run(plain, {"data": x}, {"batch": 2})
    compare.agree(compare.run(s, {"data": pixels}, {"batch": 2}), want, rtol=1e-6)
