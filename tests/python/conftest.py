# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys

import pytest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
if "MX2ONNX_INSTALLED" not in os.environ:  # else the package that is installed is tested
    sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
    os.environ.setdefault("MX2ONNX_LIBRARY", os.path.join(ROOT, "build", "lib", "libmx2onnx.so"))


class Digits:
    """The sample model, and what MXNet computed for ten images."""

    folder = os.path.join(ROOT, "examples", "digits")
    symbol = os.path.join(folder, "digits-symbol.json")
    params = os.path.join(folder, "digits-0000.params")

    def __init__(self):
        with open(os.path.join(self.folder, "digits-test.json"), encoding="utf-8") as f:
            self.images = json.load(f)["images"]

    def check(self, model):
        """Runs an ONNX file or its bytes on all images and on the first three; gives the session."""
        np = pytest.importorskip("numpy")
        ort = pytest.importorskip("onnxruntime")
        session = ort.InferenceSession(str(model) if not isinstance(model, bytes) else model,
                                       providers=["CPUExecutionProvider"])
        data = session.get_inputs()[0]
        pixels = np.array([i["image"] for i in self.images], np.float32)[:, None] / 16
        want = np.array([i["probabilities"] for i in self.images], np.float32)
        batches = [data.shape[0]] if isinstance(data.shape[0], int) else [1, 3, len(pixels)]
        for n in batches:
            got = session.run(None, {data.name: pixels[:n]})[0]
            assert got.shape == (n, 10)
            assert np.abs(got - want[:n]).max() <= 1e-4
        return session


@pytest.fixture(scope="session")
def digits():
    return Digits()
