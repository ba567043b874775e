# SPDX-License-Identifier: Apache-2.0
"""Whole nets over sequences, of fixed and of any batch and length, against what MXNet 1.9.1 computed
(tests/oracle/record_sequences.py)."""
import os

import pytest

import compare
import ndarray_list
import recorded
import weights

OPSETS = (11, 13, 17, 21, 26)
FOLDER = os.path.dirname(recorded.path("sequences", "x"))


class Net:
    """A recorded net with its files in its own folder."""

    def __init__(self, name, folder):
        reader = recorded.Reader(recorded.path("sequences", name))
        index = reader.index
        self.runs = [(run["sizes"], {n: reader.get(e) for n, e in run["inputs"].items()},
                      [reader.get(e) for e in run["outputs"]]) for run in index["runs"]]
        self.inputs = {n: (a.shape, a.dtype.name) for n, a in self.runs[0][1].items()}
        self.dynamic = {n: {axis: d for axis, d in enumerate(dims) if isinstance(d, str)}
                        for n, dims in index["dynamic"].items()}
        self.symbol, self.params = str(folder / "net-symbol.json"), str(folder / "net-0000.params")
        with open(self.symbol, "w") as f:
            f.write(index["symbol"])
        made = weights.make(index["symbol"], index["params"], {})
        ndarray_list.save(self.params, {"arg:" + n: a for n, a in made.items()})


@pytest.fixture(scope="module", params=sorted(f[:-4] for f in os.listdir(FOLDER) if f.endswith(".zip")))
def net(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("net")
    yield Net(request.param, folder)
    for f in folder.iterdir():
        f.unlink()


def check(converter, net, opset, dynamic, runs, out, named=True):
    converter(net.symbol, net.params, net.inputs, dynamic, opset, out)
    compare.check(out, opset)
    s = compare.session(out)
    os.unlink(out)
    if named:
        compare.check_signature(s, net.inputs, dynamic)
    for sizes, inputs, want in runs:
        compare.agree(compare.run(s, inputs, sizes if named else {}), want, rtol=1e-4)


@pytest.mark.parametrize("opset", OPSETS)
def test_a_net_agrees_at_fixed_sizes(converter, net, opset, tmp_path):
    check(converter, net, opset, {}, net.runs[:1], str(tmp_path / "net.onnx"))


@pytest.mark.parametrize("opset", OPSETS)
def test_a_net_agrees_at_any_size(converter, net, opset, tmp_path):
    check(converter, net, opset, net.dynamic, net.runs[1:], str(tmp_path / "net.onnx"))


def test_dims_without_names_run_at_every_size(converter, net, tmp_path):
    """The same dims dynamic, with no name given."""
    check(converter, net, 17, {n: dict.fromkeys(dims) for n, dims in net.dynamic.items()}, net.runs[1:], str(tmp_path / "net.onnx"),
          False)
