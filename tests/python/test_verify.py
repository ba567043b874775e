# SPDX-License-Identifier: Apache-2.0
"""mx2onnx.verify, on the values inside the sample net that tests/oracle/record_internals.py recorded from MXNet."""
import glob
import os
import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")
onnxruntime = pytest.importorskip("onnxruntime")
import mx2onnx  # noqa: E402
from mx2onnx import _wire  # noqa: E402

from conftest import ROOT, Digits  # noqa: E402

RECORDED = os.path.join(ROOT, "tests", "data", "recorded", "internals.npz")


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED) as stored:
        return {n: stored[n] for n in stored.files}


def export(path, symbol=Digits.symbol, **options):
    return mx2onnx.export_model(symbol, Digits.params, [(2, 1, 8, 8)], onnx_file_path=str(path), **options)


def test_agrees(tmp_path):
    found = mx2onnx.verify(export(tmp_path / "m.onnx"), RECORDED)
    assert found and [c.name for c in found.outputs] == ["softmax"] and found.outputs[0].error < 1e-5
    assert {"bn1", "pool2", "fc1", "fc2"} <= {c.name for c in found.values}
    assert "conv1" not in {c.name for c in found.values}, "BatchNorm is in its weights"
    assert found.first is None and found.node is None and str(found).startswith("ok    softmax")


def test_side_file(tmp_path):
    model = export(tmp_path / "m.onnx", external_data="always")
    assert os.path.exists(model + ".data") and mx2onnx.verify(model, RECORDED)


def test_first_node_that_differs(tmp_path, recorded):
    """A pool of another kind: what is before it agrees, the first that differs is named with its operator."""
    with open(Digits.symbol, encoding="utf-8") as f:
        text = f.read()
    at = text.index('"pool2"')
    changed = text[:at] + text[at:].replace('"pool_type": "max"', '"pool_type": "avg"', 1)
    assert changed != text
    found = mx2onnx.verify(export(tmp_path / "m.onnx", changed), recorded)
    assert not found and found.first.name == "pool2" and found.node.op_type == "AveragePool"
    assert found.node.inputs == ["relu2"] and found.node.attributes["kernel_shape"] == [2, 2]
    text = str(found)
    assert "WRONG softmax" in text and "input relu2: " in text and "the first that differs is of AveragePool" in text
    assert next(c for c in found.values if c.name == "relu2").error < 1e-5


def test_outputs_alone(tmp_path, recorded):
    wrong = {"input:data": recorded["input:data"], "output:softmax_output": recorded["output:softmax_output"].copy()}
    model = export(tmp_path / "m.onnx")
    assert mx2onnx.verify(model, wrong) and [c.name for c in mx2onnx.verify(model, wrong).values] == ["softmax"]
    wrong["output:softmax_output"][1, 3] += 0.25
    found = mx2onnx.verify(model, wrong)
    assert not found and found.outputs[0].where == (1, 3)
    assert found.outputs[0].want - found.outputs[0].got == pytest.approx(0.25, abs=1e-5)
    assert mx2onnx.verify(model, wrong, tolerance=0.5)


@pytest.mark.parametrize("change,why", [(lambda w: w[:1], "shape"), (lambda w: w * np.nan, "NaN")])
def test_other_shapes_and_nan(tmp_path, recorded, change, why):
    data = dict(recorded)
    data["output:softmax_output"] = change(data["output:softmax_output"])
    found = mx2onnx.verify(export(tmp_path / "m.onnx"), data)
    assert not found and found.outputs[0].error == float("inf") and why in found.outputs[0].why


def test_data_that_does_not_fit(tmp_path, recorded):
    model = export(tmp_path / "m.onnx")
    with pytest.raises(ValueError, match="input:data"):
        mx2onnx.verify(model, {"input:image": recorded["input:data"], "output:x": recorded["input:data"]})
    with pytest.raises(ValueError, match="output softmax"):
        mx2onnx.verify(model, {"input:data": recorded["input:data"], "output:x_output": recorded["input:data"]})
    with pytest.raises(ValueError, match="output:"):
        mx2onnx.verify(model, {"input:data": recorded["input:data"]})


def test_wire_agrees_with_onnx(tmp_path):
    onnx = pytest.importorskip("onnx")
    model = export(tmp_path / "m.onnx")
    with open(model, "rb") as f:
        file = f.read()
    want = onnx.load(model).graph.node
    got = _wire.nodes(file)
    assert [(n.op_type, n.inputs, n.outputs) for n in got] == [(n.op_type, list(n.input), list(n.output)) for n in want]
    for g, w in zip(got, want):
        values = {a.name: onnx.helper.get_attribute_value(a) for a in w.attribute}
        for name, v in values.items():
            v = v.decode() if isinstance(v, bytes) else v[0] if isinstance(v, list) and len(v) == 1 else v
            assert g.attributes[name] == v, name
    more = onnx.load_from_string(_wire.with_outputs(file, ["bn1", "x" * 200]))
    assert [o.name for o in more.graph.output] == ["softmax", "bn1", "x" * 200]


@pytest.mark.parametrize("cut", [1, 5, 100, 1000])
def test_wire_of_a_cut_file(tmp_path, cut):
    with open(export(tmp_path / "m.onnx"), "rb") as f:
        file = f.read()
    with pytest.raises(ValueError):
        _wire.nodes(file[:-cut])


RUNTIME = glob.glob(os.path.join(os.path.dirname(onnxruntime.__file__), "capi", "libonnxruntime.so.*"))
TOOL = os.environ.get("MX2ONNX_TOOL", os.path.join(ROOT, "build", "examples", "mx2onnx"))
PROGRAMS = {"python": [sys.executable, "-m", "mx2onnx", "verify"], "c": [TOOL, "verify", "--runtime", *RUNTIME]}


@pytest.fixture(params=list(PROGRAMS))
def run(request):
    return lambda *arguments: subprocess.run(PROGRAMS[request.param] + list(arguments), capture_output=True, text=True)


@pytest.mark.parametrize("change", ["none", "pool", "nan", "shape", "float16"])
def test_programs_say_the_same(tmp_path, recorded, change):
    with open(Digits.symbol, encoding="utf-8") as f:
        text = f.read()
    at = text.index('"pool2"')
    if change == "pool":
        text = text[:at] + text[at:].replace('"pool_type": "max"', '"pool_type": "avg"', 1)
    model = export(tmp_path / "m.onnx", text, **({"float16": True} if change == "float16" else {}))
    data = dict(recorded)
    if change == "nan":
        data["output:fc1_output"] = np.where(np.arange(data["output:fc1_output"].size) == 3, np.nan, data["output:fc1_output"].ravel()).reshape(
            data["output:fc1_output"].shape)
    if change == "shape":
        data["output:softmax_output"] = data["output:softmax_output"][:, :9]
    np.savez_compressed(tmp_path / "data.npz", **data)
    said = [subprocess.run(p + [model, "--data", str(tmp_path / "data.npz"), "--tolerance", "1e-5"], capture_output=True, text=True)
            for p in PROGRAMS.values()]
    assert said[0].returncode == said[1].returncode == (1 if change in ("pool", "shape") else 0)
    assert said[0].stdout == said[1].stdout and said[0].stdout.count("\n") > 1
    assert ("the first that differs" in said[0].stdout) == (change != "none")


def test_no_runtime(tmp_path):
    done = subprocess.run([TOOL, "verify", export(tmp_path / "m.onnx"), "--data", RECORDED, "--runtime", RECORDED], capture_output=True,
                          text=True)
    assert done.returncode == 2 and "no ONNX Runtime" in done.stderr and RECORDED in done.stderr


def test_an_integer_input_becomes_the_models_type(tmp_path, recorded, run):
    """What is recorded as float64 or uint8 is given as the float32 that the model reads."""
    data = {"input:data": np.round(recorded["input:data"].astype(np.float64)), "output:softmax_output": recorded["output:softmax_output"]}
    model = export(tmp_path / "m.onnx")
    np.savez(tmp_path / "float64.npz", **data)
    np.savez(tmp_path / "uint8.npz", **dict(data, **{"input:data": data["input:data"].astype(np.uint8)}))
    said = [run(model, "--data", str(tmp_path / name), "--tolerance", "10").stdout for name in ("float64.npz", "uint8.npz")]
    assert said[0] == said[1] and said[0].startswith("ok    softmax")


def test_program(tmp_path, recorded, run):
    model = export(tmp_path / "m.onnx")
    done = run(model, "--data", RECORDED)
    assert done.returncode == 0 and "ok    softmax" in done.stdout and not done.stderr
    data = dict(recorded)
    data["output:softmax_output"] = data["output:softmax_output"] + 1
    np.savez(tmp_path / "wrong.npz", **data)
    done = run(model, "--data", str(tmp_path / "wrong.npz"))
    assert done.returncode == 1 and "WRONG softmax" in done.stdout
    done = run(model, "--data", str(tmp_path / "none.npz"))
    assert done.returncode == 2 and "none.npz" in done.stderr and "Traceback" not in done.stderr
    done = run(Digits.symbol, "--data", RECORDED)
    assert done.returncode == 2 and done.stderr and "Traceback" not in done.stderr
