# SPDX-License-Identifier: Apache-2.0
"""One net of each family of the zoo (tests/zoo), converted and run in ONNX Runtime, against what MXNet 1.9.1 computed
(tests/zoo/record.py)."""
import os
import sys

import numpy as np
import pytest

import compare
import convert
import ndarray_list
import recorded
import weights

sys.path.insert(1, os.path.join(convert.ROOT, "tests", "zoo"))

import nets as zoo  # noqa: E402
import sets  # noqa: E402

STATIC, DYNAMIC = (11, 17), (21,)
FIRST = {"mx2_statistics": 12}  # Einsum is not in opset 11
FOLDER = os.path.dirname(recorded.path("zoo", "x"))
KNOWN = zoo.load()


class Recorded:
    """A recorded net, its files in a folder."""

    def __init__(self, name, folder):
        reader = recorded.Reader(recorded.path("zoo", name))
        index = reader.index
        self.net, self.runs, self.reader = KNOWN[name], index["runs"], reader
        self.symbol, self.params = str(folder / "net-symbol.json"), str(folder / "net-0000.params")
        with open(self.symbol, "w") as f:
            f.write(index["symbol"])
        made = weights.make(index["symbol"], index["params"], index["scales"])
        made = {n: a * np.float32(index["factors"].get(n, 1)) for n, a in made.items()}
        made.update({n: reader.get(e) for n, e in index["given"].items()})
        ndarray_list.save(self.params, {("aux:" if n in index["aux"] else "arg:") + n: a for n, a in made.items()})

    def check(self, path, runs, named=True):
        s = compare.session(path)
        for run in runs:
            got = compare.run(s, self.net.arrays(run["sizes"], run["draw"]), run["sizes"] if named else {})
            assert [list(g.shape) for g in got] == run["shapes"]
            want = [self.reader.get(e) for e in run["outputs"]]
            assert sets.difference(self.net, [sets.thin(self.net, g) for g in got], want) <= self.net.bound


@pytest.fixture(scope="module", params=sorted(f[:-4] for f in os.listdir(FOLDER) if f.endswith(".zip")))
def whole(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("net")
    yield Recorded(request.param, folder)
    for f in folder.iterdir():
        f.unlink()


def test_a_net_agrees_fixed_and_dynamic(converter, whole, tmp_path):
    """Fixed at two opsets; dynamic at another, run at a size that it was not exported with."""
    net, out = whole.net, str(tmp_path / "net.onnx")
    inputs = {n: (shape, net.inputs[n].dtype) for n, shape in net.shapes().items()}
    for names, opsets in ({}, STATIC), (net.dynamic, DYNAMIC if net.dynamic else ()):
        for opset in opsets:
            opset = max(opset, FIRST.get(net.name, opset))
            converter(whole.symbol, whole.params, inputs, names, opset, out)
            compare.check(out, opset)
            whole.check(out, whole.runs[1:] if names else whole.runs[:1])
            os.unlink(out)


def test_a_net_agrees_with_open_dims(converter, whole, tmp_path):
    """The same dims dynamic, with no name given: what the net reads together still fits together."""
    net, out = whole.net, str(tmp_path / "net.onnx")
    if net.dynamic:
        inputs = {n: (shape, net.inputs[n].dtype) for n, shape in net.shapes().items()}
        converter(whole.symbol, whole.params, inputs, {n: dict.fromkeys(dims) for n, dims in net.dynamic.items()}, 17, out)
        compare.check(out, 17)
        whole.check(out, whole.runs[1:], False)
