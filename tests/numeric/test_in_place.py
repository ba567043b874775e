# SPDX-License-Identifier: Apache-2.0
"""Weights that stay in their parameter file (external_data="in-place"): the onnx package and ONNX Runtime read the arrays where MXNet
wrote them, at whatever byte that is; what comes out is what MXNet computed, and what an ordinary file gives."""
import json
import os
import shutil
import struct
import sys

import numpy as np
import onnx
import onnx.external_data_helper
import onnx.numpy_helper
import onnxruntime
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
import mx2onnx  # noqa: E402

DIGITS = os.path.join(ROOT, "examples", "digits", "digits-%s")
RECORDED = os.path.join(ROOT, "tests", "data", "recorded", "internals.npz")


def digits(folder, keep_batch_norm, mode="in-place"):
    """The sample net, converted into a folder with a copy of its parameters."""
    params = shutil.copy(DIGITS % "0000.params", folder / "net.params")
    with mx2onnx.Model() as m:
        m.load_symbol(DIGITS % "symbol.json")
        m.load_params(params)
        m.set_input_shape("data", (2, 1, 8, 8))
        m.keep_batch_norm = keep_batch_norm
        m.external_data, m.external_threshold = mode, 1
        m.export(folder / "net.onnx")
    return str(folder / "net.onnx")


def places(path):
    """{initialiser: (file, offset)} of those outside of the model."""
    found = {}
    for t in onnx.load(path, load_external_data=False).graph.initializer:
        if onnx.external_data_helper.uses_external_data(t):
            info = onnx.external_data_helper.ExternalDataInfo(t)
            found[t.name] = info.location, info.offset
    return found


def run(path, x):
    return onnxruntime.InferenceSession(path).run(None, {"data": x})[0]


@pytest.mark.parametrize("keep", [True, False], ids=["all stay", "some are computed"])
def test_weights_are_read_in_place(tmp_path, keep):
    path = digits(tmp_path, keep)
    onnx.checker.check_model(path, full_check=True)
    outside = places(path)
    stay = {name for name, (file, _) in outside.items() if file == "net.params"}
    assert {"fc1_weight", "fc2_weight"} <= stay
    assert ("conv1_weight" in stay) == keep and os.path.exists(path + ".data") != keep
    assert any(at % 16 for file, at in outside.values() if file == "net.params"), "MXNet aligns nothing"
    raw = (tmp_path / "net.params").read_bytes()
    for t in onnx.load(path).graph.initializer:
        if t.name in stay:
            value = onnx.numpy_helper.to_array(t)
            assert raw[outside[t.name][1]:][:value.nbytes] == value.tobytes(), t.name
    assert mx2onnx.verify(path, RECORDED)


def test_weights_in_place_give_the_bytes_of_an_ordinary_file(tmp_path):
    x = np.random.default_rng(1).uniform(0, 16, (2, 1, 8, 8)).astype(np.float32)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for keep in (True, False):
        a, b = digits(tmp_path / "a", keep), digits(tmp_path / "b", keep, "never")
        assert run(a, x).tobytes() == run(b, x).tobytes()


def write_list(path, arrays):
    """MXNet 1.9's NDArray list, one array right after the other (src/ndarray/ndarray.cc, NDArray::Save)."""
    with open(path, "wb") as f:
        f.write(struct.pack("<QQQ", 0x112, 0, len(arrays)))
        for value in arrays.values():
            f.write(struct.pack("<IiI%dqiIi" % value.ndim, 0xF993FAC9, 0, value.ndim, *value.shape, 1, 0, {"f4": 0, "i1": 5}[value.dtype.str[1:]]))
            f.write(value.tobytes())
        f.write(struct.pack("<Q", len(arrays)))
        for name in arrays:
            f.write(struct.pack("<Q", len(name)) + name.encode())


@pytest.mark.parametrize("odd", [1, 2, 3])
def test_weights_may_begin_at_any_byte(tmp_path, odd):
    w = np.random.default_rng(odd).standard_normal((40, 30)).astype(np.float32)
    write_list(tmp_path / "net.params", {"unused": np.ones(odd, np.int8), "w": w})
    with mx2onnx.Model() as m:
        m.load_symbol(chain(["w"]))
        m.load_params(tmp_path / "net.params")
        m.set_input_shape("data", (3, 40))
        m.external_data, m.external_threshold = "in-place", 1
        m.export(tmp_path / "net.onnx")
    path = str(tmp_path / "net.onnx")
    file, at = places(path)["w"]
    assert file == "net.params" and at % 4 == odd
    onnx.checker.check_model(path, full_check=True)
    assert (onnx.numpy_helper.to_array(onnx.load(path).graph.initializer[0]) == w).all()
    x = np.random.default_rng(4).standard_normal((3, 40)).astype(np.float32)
    assert np.abs(run(path, x) - x.astype(np.float64) @ w).max() < 1e-4


def write_npz(path, save):
    rng = np.random.default_rng(2)
    save(path, w=rng.standard_normal((40, 30)).astype(np.float32), turned=np.asfortranarray(rng.standard_normal((30, 50)).astype(np.float32)),
         swapped=rng.standard_normal((50, 20)).astype(">f4"))
    with np.load(path) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


@pytest.mark.parametrize("save, stay", [(np.savez, {"w"}), (np.savez_compressed, set())], ids=["stored", "compressed"])
def test_only_arrays_in_the_needed_form_stay_in_an_npz(tmp_path, save, stay):
    """An array of an npz stays in place if it is stored in the needed form: not compressed, not by columns, not with reversed bytes."""
    values = write_npz(tmp_path / "net.npz", save)
    data = chain(["w", "turned", "swapped"])
    with mx2onnx.Model() as m:
        m.load_symbol(data)
        m.load_params(tmp_path / "net.npz")
        m.set_input_shape("data", (3, 40))
        m.external_data, m.external_threshold = "in-place", 1
        m.export(tmp_path / "net.onnx")
    path = str(tmp_path / "net.onnx")
    assert {name for name, (file, _) in places(path).items() if file == "net.npz"} == stay
    x = np.random.default_rng(3).standard_normal((3, 40)).astype(np.float32)
    wanted = x.astype(np.float64) @ values["w"] @ values["turned"] @ values["swapped"]
    assert np.abs(run(path, x) - wanted).max() < 1e-3
    with mx2onnx.Model() as m:
        m.check_external_data(path)


def chain(weights):
    """data times one weight after the other."""
    nodes, last = [{"op": "null", "name": "data", "inputs": []}], 0
    for name in weights:
        nodes.append({"op": "null", "name": name, "inputs": []})
        nodes.append({"op": "dot", "name": "times_" + name, "inputs": [[last, 0, 0], [len(nodes) - 1, 0, 0]]})
        last = len(nodes) - 1
    return json.dumps({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"], "heads": [[last, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 10901]}})


@pytest.mark.skipif(sys.platform == "win32", reason="os.link")
def test_a_link_can_be_read(tmp_path):
    """ONNX Runtime reads a file of two names."""
    store = tmp_path / "store"
    store.mkdir()
    shutil.copy(DIGITS % "0000.params", store / "net.params")
    with mx2onnx.Model() as m:
        m.load_symbol(DIGITS % "symbol.json")
        m.load_params(store / "net.params")
        m.set_input_shape("data", (2, 1, 8, 8))
        m.external_data, m.external_threshold = "link", 1
        m.export(tmp_path / "net.onnx")
    assert mx2onnx.verify(str(tmp_path / "net.onnx"), RECORDED)
