# SPDX-License-Identifier: Apache-2.0
"""InsightFace's own package (PyPI, without its models) with converted nets: what it computes is what MXNet computed.

The package divides pictures by 127.5 itself, unless it finds among the first eight nodes of a file names by which the net does that:
_minusscalar0 and _mulscalar0, or bn_data.
"""
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "numeric")]

import convert  # noqa: E402
import test_nets  # noqa: E402

pytest.importorskip("insightface", reason="InsightFace's package is not there: pip install insightface opencv-python-headless scikit-image "
                                          "scipy tqdm requests")
from insightface.app.common import Face  # noqa: E402
from insightface.model_zoo.arcface_onnx import ArcFaceONNX  # noqa: E402
from insightface.model_zoo.attribute import Attribute  # noqa: E402
from insightface.model_zoo.landmark import Landmark  # noqa: E402
from insightface.model_zoo.retinaface import RetinaFace  # noqa: E402
from insightface.model_zoo.scrfd import SCRFD  # noqa: E402


def converted(name, folder, *options):
    net, out = test_nets.Net(name, folder), str(folder / "net.onnx")
    tool = os.environ.get("MX2ONNX_TOOL", os.path.join(convert.ROOT, "build", "examples", "mx2onnx"))
    shape = "x".join(map(str, (1,) + net.dims))
    subprocess.run([tool, net.symbol, net.params, "-o", out, "--input", "data=" + shape, *options], check=True, stdout=subprocess.DEVNULL)
    return net, out


def cosine(a, b):
    a, b = np.ravel(a).astype(np.float64), np.ravel(b).astype(np.float64)
    return a @ b / np.sqrt(a @ a * (b @ b))


def picture(net):
    """The recorded input as the package takes pictures: rows of BGR; in floats, so that it is exactly what MXNet was given."""
    return np.ascontiguousarray(net.data(1)[0].transpose(1, 2, 0)[:, :, ::-1])


def whole(net):
    """A face whose crop is the whole picture: the package adds a quarter of the box at each side."""
    height, width = net.dims[1:]
    box = np.array([width / 6, height / 6, width * 5 / 6, height * 5 / 6])
    return Face(bbox=box, kps=None)


@pytest.mark.parametrize("name", ["arcface", "mobilefacenet"])
def test_embeddings_agree_with_mxnet(name, tmp_path):
    net, path = converted(name, tmp_path)
    told = {p.key: p.value for p in onnx.load(path).metadata_props}
    assert told["input:data"] == "normalised by the model: (x - 127.5) * 0.0078125"
    model = ArcFaceONNX(model_file=path)
    assert (model.input_mean, model.input_std) == (0, 1)
    assert cosine(model.get_feat(picture(net)), net.outputs[1][0]) >= 0.9999
    assert cosine(model.forward(net.data(1)), net.outputs[1][0]) >= 0.9999


def test_folding_is_what_it_cannot_know(tmp_path):
    """The test can fail: with the factor in the weights the package normalises a second time."""
    net, path = converted("mobilefacenet", tmp_path, "--fold-input-scale")
    assert cosine(ArcFaceONNX(model_file=path).get_feat(picture(net)), net.outputs[1][0]) < 0.99


def test_attributes_agree_with_mxnet(tmp_path):
    net, path = converted("gender_age", tmp_path)
    assert cosine(Attribute(model_file=path).get(picture(net), whole(net)), net.outputs[1][0]) >= 0.9999


@pytest.mark.parametrize("name", ["landmarks", "bn_data"])
def test_landmarks_agree_with_mxnet(name, tmp_path):
    net, path = converted(name, tmp_path)
    model = Landmark(model_file=path)
    want = (net.outputs[1][0].reshape(-1, 2) + 1) * (net.dims[1] // 2)
    got = model.get(picture(net), whole(net))
    assert got.shape == want.shape == (106, 2)
    assert cosine(got - net.dims[1] // 2, want - net.dims[1] // 2) >= 0.9999


class Recorded:
    """A session that returns what MXNet computed."""

    def __init__(self, session, outputs):
        self.session, self.outputs = session, outputs

    def __getattr__(self, name):
        return getattr(self.session, name)

    def run(self, names, feed):
        return self.outputs


@pytest.mark.parametrize("detector", [RetinaFace, SCRFD])
def test_boxes_of_the_detector_agree_with_mxnet(detector, tmp_path):
    """Its nets read pictures that the package normalised; the boxes are those of MXNet's outputs."""
    net, path = converted("scrfd", tmp_path)
    size = net.dims[:0:-1]
    image = picture(net) * np.float32(128) + np.float32(127.5)
    ours, theirs = detector(model_file=path), detector(model_file=path)
    theirs.session = Recorded(theirs.session, net.outputs[1])
    found = []
    for model in (ours, theirs):
        model.prepare(-1 if model is ours else 0, det_thresh=0.3, input_size=size)
        found.append(model.forward(image, 0.3))
    for got, want in zip(*found):
        assert len(got) == len(want) == 3 and sum(len(w) for w in want) > 10
        for g, w in zip(got, want):
            np.testing.assert_allclose(g, w, atol=1e-4 * max(1, np.abs(w).max()))
