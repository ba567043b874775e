# SPDX-License-Identifier: Apache-2.0
"""mx2onnx.verify, on the values inside the sample net and on small ones that tests/oracle/record_internals.py recorded from MXNet."""
import glob
import importlib.util
import json
import os
import subprocess
import sys
import zipfile

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


def test_a_converted_model_agrees_with_the_recording(tmp_path):
    found = mx2onnx.verify(export(tmp_path / "m.onnx"), RECORDED)
    assert found and [c.name for c in found.outputs] == ["softmax"] and found.outputs[0].error < 1e-5
    assert {"bn1", "pool2", "fc1", "fc2"} <= {c.name for c in found.values}
    assert "conv1" not in {c.name for c in found.values}, "BatchNorm is in its weights"
    assert found.first is None and found.node is None and str(found).startswith("compared with MXNet: 1 output, ") and "\nok    softmax" in str(found)


def test_a_side_file_is_read(tmp_path):
    model = export(tmp_path / "m.onnx", external_data="always")
    assert os.path.exists(model + ".data") and mx2onnx.verify(model, RECORDED)


def symbol(wrong):
    """The symbol of the digits net; a wrong one pools by averages at its second pooling."""
    with open(Digits.symbol, encoding="utf-8") as f:
        text = f.read()
    at = text.index('"pool2"')
    return text[:at] + (text[at:].replace('"pool_type": "max"', '"pool_type": "avg"', 1) if wrong else text[at:])


def test_the_first_node_that_differs_is_named(tmp_path, recorded):
    """A pool of another kind: what is before it agrees, the first that differs is named with its operator."""
    found = mx2onnx.verify(export(tmp_path / "m.onnx", symbol(wrong=True)), recorded)
    assert not found and found.first.name == "pool2" and found.node.op_type == "AveragePool"
    assert found.node.inputs == ["relu2"] and found.node.attributes["kernel_shape"] == [2, 2]
    text = str(found)
    assert "WRONG softmax" in text and "input relu2: " in text and "the first that differs is of AveragePool" in text
    assert next(c for c in found.values if c.name == "relu2").error < 1e-5
    assert repr(found).startswith("<mx2onnx.Verification: compared with MXNet: 1 output, ") and "\n" not in repr(found)


def test_outputs_are_compared_alone(tmp_path, recorded):
    wrong = {"input:data": recorded["input:data"], "output:softmax_output": recorded["output:softmax_output"].copy()}
    model = export(tmp_path / "m.onnx")
    assert mx2onnx.verify(model, wrong) and [c.name for c in mx2onnx.verify(model, wrong).values] == ["softmax"]
    wrong["output:softmax_output"][1, 3] += 0.25
    found = mx2onnx.verify(model, wrong)
    assert not found and found.outputs[0].where == (1, 3)
    assert found.outputs[0].want - found.outputs[0].got == pytest.approx(0.25, abs=1e-5)
    assert mx2onnx.verify(model, wrong, tolerance=0.5)


@pytest.mark.parametrize("change,why", [(lambda w: w[:1], "shape"), (lambda w: w * np.nan, "NaN")])
def test_other_shapes_and_nan_are_differences(tmp_path, recorded, change, why):
    data = dict(recorded)
    data["output:softmax_output"] = change(data["output:softmax_output"])
    found = mx2onnx.verify(export(tmp_path / "m.onnx"), data)
    assert not found and found.outputs[0].error == float("inf") and why in found.outputs[0].why


def test_data_must_fit(tmp_path, recorded):
    model = export(tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", recorded["input:data"])
    with pytest.raises(ValueError, match="x.npy is one array; verify needs an .npz"):
        mx2onnx.verify(model, tmp_path / "x.npy")
    np.savez(tmp_path / "short.npz", **recorded)
    whole = (tmp_path / "short.npz").read_bytes()
    (tmp_path / "short.npz").write_bytes(whole[:-30])
    with pytest.raises(ValueError, match="short.npz is not an .npz of arrays, or is damaged"):
        mx2onnx.verify(model, tmp_path / "short.npz")
    with zipfile.ZipFile(tmp_path / "header.npz", "w") as z:
        z.writestr("input:data.npy", b"\x93NUMPY\1\0" + b"x" * 50)
    with pytest.raises(ValueError, match=r"header.npz is damaged \(.+\); copy or record it again"):
        mx2onnx.verify(model, tmp_path / "header.npz")
    with pytest.raises(ValueError, match="no input:data; the model reads data, and the data has image"):
        mx2onnx.verify(model, {"input:image": recorded["input:data"], "output:x": recorded["input:data"]})
    with pytest.raises(ValueError, match="output softmax"):
        mx2onnx.verify(model, {"input:data": recorded["input:data"], "output:x_output": recorded["input:data"]})
    with pytest.raises(ValueError, match='called "output:NAME"'):
        mx2onnx.verify(model, {"input:data": recorded["input:data"]})


def test_programs_say_the_same_of_data_that_does_not_fit(tmp_path, recorded):
    """The C program said of data without inputs that it has no "input:NAME" or "output:NAME", and did not say what is recorded."""
    model, x = export(tmp_path / "m.onnx"), recorded["input:data"]
    inside = {n: a for n, a in recorded.items() if n.startswith("output:") and n != "output:softmax_output"}
    for data, text in (({"x": x}, 'the data has no arrays that are called "input:NAME" and "output:NAME"'),
                       ({"output:softmax_output": x}, 'the data has no arrays that are called "input:NAME"'),
                       ({"input:data": x}, 'the data has no arrays that are called "output:NAME"'),
                       ({"input:image": x, "output:softmax_output": x}, "the data has no input:data; the model reads data, and the data has image"),
                       ({"input:data": x, **inside}, "no value is recorded for the output softmax; the data has bn1, ")):
        np.savez(tmp_path / "data.npz", **data)
        said = [subprocess.run(p + [model, "--data", str(tmp_path / "data.npz")], capture_output=True, text=True).stderr for p in PROGRAMS.values()]
        assert text in said[0] and text in said[1]
        said = [one_line(s) for s in said]
        assert all(s.endswith("record data of this model with the script that 'mx2onnx verify --recorder' prints\n") for s in said)
        if "softmax;" in text or "input:data;" in text:
            renamed = "; if it has another name in the data, save its array as %s; else record" % ("input:data" if "input:data;" in text else "output:softmax")
            assert renamed in said[0] and renamed in said[1]
        if "softmax;" in text:
            assert ", ...; " in said[0] and said[1].endswith(said[0].split("the data has")[1])


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
def test_a_cut_file_is_refused(tmp_path, cut):
    with open(export(tmp_path / "m.onnx"), "rb") as f:
        file = f.read()
    with pytest.raises(ValueError):
        _wire.nodes(file[:-cut])


RUNTIME = glob.glob(os.path.join(os.path.dirname(onnxruntime.__file__), "capi", "libonnxruntime.so.*"))
TOOL = os.environ.get("MX2ONNX_TOOL", os.path.join(ROOT, "build", "examples", "mx2onnx"))
PYTHON = """import argparse, sys, mx2onnx
p = argparse.ArgumentParser()
p.add_argument("model")
p.add_argument("--data")
p.add_argument("--tolerance", type=float)
given = p.parse_args()
try:
    found = mx2onnx.verify(given.model, given.data, given.tolerance)
except (ValueError, OSError) as e:
    sys.exit("mx2onnx: %s" % e)
print(found)
sys.exit(not found)
"""
PROGRAMS = {"python": [sys.executable, "-c", PYTHON], "c": [TOOL, "verify", "--runtime", *RUNTIME]}


@pytest.fixture(params=list(PROGRAMS))
def run(request):
    return lambda *arguments: subprocess.run(PROGRAMS[request.param] + list(arguments), capture_output=True, text=True)


def turned(recorded, axes, wrong=0):
    """As if the file had the values inside with other axes than MXNet."""
    data = dict(recorded)
    for name in ("output:bn1_output", "output:pool2_output"):
        data[name] = data[name].transpose(axes)
    data["output:pool2_output"] = data["output:pool2_output"] + np.float32(wrong)
    return data


@pytest.mark.parametrize("axes", [(0, 2, 3, 1), (0, 1, 3, 2)], ids=str)
def test_an_inner_value_may_have_moved_axes(tmp_path, recorded, axes):
    """Where the converter moves a Transpose, the value before it keeps its name: such a value, which is right, was the first that differs."""
    model = export(tmp_path / "m.onnx")
    found = mx2onnx.verify(model, turned(recorded, axes))
    values = {c.name: c for c in found.values}
    assert found and found.first is None and values["bn1"].axes == values["pool2"].axes == axes and values["fc1"].axes is None
    assert str(values["bn1"]).endswith("; after a Transpose by %s" % list(axes)) and values["bn1"].error < 1e-5
    wrong = mx2onnx.verify(model, turned(recorded, axes, wrong=1))
    assert wrong.first.name == "pool2" and wrong.first.axes == (axes if axes[1] == 2 else None)
    data = dict(recorded)
    data["output:softmax_output"] = data["output:softmax_output"].T.reshape(10, 2)
    assert not mx2onnx.verify(model, data), "an output has MXNet's axes"


@pytest.mark.parametrize("change", ["none", "pool", "nan", "shape", "float16", "float16_wrong", "alone", "turned", "turned_wrong", "turned_nan",
                                    "square"])
def test_programs_say_the_same(tmp_path, recorded, change):
    text = symbol(wrong=change == "pool")
    model = export(tmp_path / "m.onnx", text, **({"float16": True} if "float16" in change else {}))
    data = dict(recorded)
    if change == "nan":
        data["output:fc1_output"] = np.where(np.arange(data["output:fc1_output"].size) == 3, np.nan, data["output:fc1_output"].ravel()).reshape(
            data["output:fc1_output"].shape)
    if change == "shape":
        data["output:softmax_output"] = data["output:softmax_output"][:, :9]
    if change == "float16_wrong":
        data["output:softmax_output"] = data["output:softmax_output"] + np.float32(0.01)
    if change == "alone":
        data = {n: a for n, a in data.items() if n.startswith("input:") or n == "output:softmax_output"}
        data["output:softmax_output"] = data["output:softmax_output"] + np.float32(0.01)
    if change == "square":
        data = turned(recorded, (0, 1, 3, 2))
    if "turned" in change:
        data = turned(recorded, (0, 2, 3, 1), {"turned": 0, "turned_wrong": 1, "turned_nan": np.nan}[change])
    if "turned" in change or change == "square":
        data["output:fc1_output"] = data["output:fc1_output"] + np.float32(1)
    np.savez_compressed(tmp_path / "data.npz", **data)
    said = [subprocess.run(p + [model, "--data", str(tmp_path / "data.npz"), "--tolerance", "1e-5"], capture_output=True, text=True)
            for p in PROGRAMS.values()]
    assert said[0].returncode == said[1].returncode == (1 if change in ("pool", "shape", "float16_wrong", "alone") else 0)
    assert said[0].stdout == said[1].stdout and said[0].stdout.count("\n") > 1
    assert ("the first that differs" in said[0].stdout) == (change not in ("none", "alone"))
    assert ("after a Transpose by" in said[0].stdout) == (change in ("turned_wrong", "turned_nan"))
    assert ("float16, for which a tolerance of 2e-2 is usual" in said[0].stdout) == ("float16" in change)
    assert ("if the data has values of inner nodes" in said[0].stdout) == (change == "alone")
    assert "weight: not recorded" not in said[0].stdout


@pytest.mark.parametrize("kind", [True, "inside"])
def test_a_float16_file_has_its_own_tolerance(tmp_path, recorded, run, kind):
    """It was that of float32, so a good file was refused, with the advice to give another."""
    model = export(tmp_path / "m.onnx", float16=kind)
    data = dict(recorded, **{"output:softmax_output": recorded["output:softmax_output"] + np.float32(0.005)})
    np.savez(tmp_path / "data.npz", **data)
    found = mx2onnx.verify(model, data)
    assert found and found.float16 and found.tolerance == 2e-2 and max(c.error for c in found.outputs) > 1e-4
    done = run(model, "--data", str(tmp_path / "data.npz"))
    assert done.returncode == 0 and "\nthe file computes in float16, so the tolerance is 2e-2\n" in done.stdout, done.stdout + done.stderr
    done = run(model, "--data", str(tmp_path / "data.npz"), "--tolerance", "1e-9")
    assert done.returncode == 1 and "float16, for which a tolerance of 2e-2 is usual" in done.stdout
    plain = mx2onnx.verify(export(tmp_path / "plain.onnx"), data)
    assert not plain and not plain.float16 and plain.tolerance == 1e-4


@pytest.mark.parametrize("change", ["none", "pool", "nan", "shape", "alone", "turned"])
def test_json_has_what_python_finds(tmp_path, recorded, change):
    """The figures of the C program are those of mx2onnx.verify."""
    text = symbol(wrong=change == "pool")
    model, data = export(tmp_path / "m.onnx", text), dict(recorded)
    if change == "nan":
        data["output:fc1_output"] = np.full_like(data["output:fc1_output"], np.nan)
    if change == "shape":
        data["output:softmax_output"] = data["output:softmax_output"][:, :9]
    if change == "alone":
        data = {n: a for n, a in data.items() if n.startswith("input:") or n == "output:softmax_output"}
    if change == "turned":
        data = turned(recorded, (0, 3, 1, 2))
    np.savez(tmp_path / "data.npz", **data)
    done = subprocess.run(PROGRAMS["c"] + [model, "--data", str(tmp_path / "data.npz"), "--tolerance", "1e-5", "--json"], capture_output=True, text=True)
    said, found = json.loads(done.stdout), mx2onnx.verify(model, data, 1e-5)
    assert (said["schema"], said["agrees"], said["tolerance"]) == (1, bool(found), 1e-5) and done.returncode == (0 if found else 1)
    assert [v["name"] for v in said["outputs"]] == [v.name for v in found.outputs]
    assert sorted(v["name"] for v in said["outputs"] + said["inside"]) == sorted(v.name for v in found.values)
    values = {v.name: v for v in found.values}
    for v in said["outputs"] + said["inside"]:
        want = values[v["name"]]
        assert v["ok"] == (want.error <= 1e-5) and ("why" in v) == bool(want.why) and (v["error"] is None) == np.isinf(want.error)
        if v["error"] is not None:
            assert v["error"] == pytest.approx(want.error, rel=1e-3, abs=1e-12)
        assert v.get("axes", []) == list(want.axes or ())
        if "where" in v:
            assert (tuple(v["where"]), v["got"], v["want"]) == (want.where, pytest.approx(want.got), pytest.approx(want.want))
    if found.first:
        assert (said["first"]["operator"], said["first"]["value"]["name"]) == (found.node.op_type, found.first.name)
    else:
        assert said["first"] is None
    assert (change in ("pool", "nan")) <= (said["first"] is not None)


def test_the_first_output_of_several_is_compared(tmp_path):
    """Gluon's LSTM gives lstm0_rnn0_output, which is lstm0_rnn00 in the file: no value was recorded for it."""
    onnx = pytest.importorskip("onnx")
    x, y = (onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in ("x", "rnn10"))
    given = np.array([-1, 4], np.float32)
    np.savez(tmp_path / "data.npz", **{"input:x": given, "output:rnn1_output": np.maximum(given, 0)})
    for between, text in (("h", "ok    rnn10: no difference"), ("rnn1", "no value is recorded for the output rnn10; the data has rnn1")):
        nodes = [onnx.helper.make_node("Relu", ["x"], [between]), onnx.helper.make_node("Relu", [between], ["rnn10"])]
        graph = onnx.helper.make_graph(nodes, "g", [x], [y])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), tmp_path / "m.onnx")
        for p in PROGRAMS.values():
            done = subprocess.run(p + [str(tmp_path / "m.onnx"), "--data", str(tmp_path / "data.npz")], capture_output=True, text=True)
            assert text in done.stdout + done.stderr


RECORDER = os.path.join(ROOT, "tests", "data", "recorded", "recorder")
OUTPUTS = {"states": ["dense0_fwd", "lstm0_rnn01", "lstm0_rnn02"], "words": ["topk", "nms", "proposal0", "proposal1"],
           "numpy_shapes": ["concatenate0"], "int8": ["fc2_dequantize"], "float16": ["dense0_fwd"], "label": ["softmax"]}


@pytest.mark.parametrize("net", sorted(os.path.splitext(name)[0] for name in os.listdir(RECORDER)))
def test_each_output_in_a_recording_of_the_script_is_compared(tmp_path, run, net):
    """MXNet calls the states of an LSTM lstm0_rnn0_state_output and the one value of topk topk_output0, and no value was recorded for them;
    the others the script did not record at all."""
    with zipfile.ZipFile(os.path.join(RECORDER, net + ".zip")) as z:
        z.extractall(tmp_path)
    data, model = str(tmp_path / "recorded.npz"), str(tmp_path / "net.onnx")
    with np.load(data) as arrays, mx2onnx.Model() as m:
        m.load(str(tmp_path / "net"))
        for x in m.inputs:
            m.set_input_shape(x.name, arrays["input:" + x.name].shape)
        m.export(model)
    done = run(model, "--data", data)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("ok ")] == [name + ":" for name in OUTPUTS[net]]


MXNET = """import types
class Symbol:
    list_arguments = lambda self: ["data", "label"]
    list_auxiliary_states = lambda self: []
    attr_dict = lambda self: {}
    get_internals = lambda self: self
    tojson = lambda self: '{"nodes": [{"op": "null"}], "heads": [[0, 0, 0]]}'
    __iter__ = lambda self: iter([self])
    def simple_bind(self, *_, **shapes):
        raise RuntimeError("cannot decide shapes of label")
sym = types.SimpleNamespace(load=lambda file: Symbol(), Group=lambda symbols: Symbol())
nd = types.SimpleNamespace(load=lambda file: [])
cpu = lambda: None
"""


def test_the_recorder_names_the_inputs_that_are_not_given(tmp_path):
    """MXNet's message alone did not say that a label can be given, as zeros. MXNet loads a file without parameters as a list."""
    (tmp_path / "mxnet.py").write_text(MXNET)
    (tmp_path / "net-symbol.json").write_text("{}")
    np.save(tmp_path / "data.npy", np.zeros(1, np.float32))
    script = subprocess.run([TOOL, "verify", "--recorder"], capture_output=True, text=True, check=True).stdout
    done = subprocess.run([sys.executable, "-", "net-symbol.json", "net-symbol.json", "data=data.npy"], input=script, capture_output=True, text=True,
                          cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(tmp_path)))
    assert (done.returncode, done.stderr) == (1, "cannot decide shapes of label\nnot given: ['label']; give a label as zeros\n")


def test_nan_in_both_is_counted(tmp_path):
    """Half of the numbers were NaN in MXNet and here, which the report did not say."""
    onnx = pytest.importorskip("onnx")
    x, y = (onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [4]) for n in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Sqrt", ["x"], ["y"])], "g", [x], [y])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), tmp_path / "m.onnx")
    given = np.array([-1, 4, -9, 16], np.float32)
    np.savez(tmp_path / "data.npz", **{"input:x": given, "output:y_output": np.array([np.nan, 2, np.nan, 4], np.float32)})
    for p in PROGRAMS.values():
        done = subprocess.run(p + [str(tmp_path / "m.onnx"), "--data", str(tmp_path / "data.npz")], capture_output=True, text=True)
        assert "ok    y: no difference; NaN in both: 2" in done.stdout, done.stdout + done.stderr


def saved(path, nodes, x, y, **more):
    onnx = pytest.importorskip("onnx")
    values = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, dims) for n, dims in (("x", x), ("y", y))]
    graph = onnx.helper.make_graph([onnx.helper.make_node(*n, **more) for n in nodes], "g", values[:1], values[1:])
    opsets = [onnx.helper.make_opsetid(d, v) for d, v in (("", 13), ("my.domain", 1))]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return str(path)


def one_line(said):
    """The help that the program prints below an error, and Python after it."""
    return said.replace("\n    help: ", "; ")


def test_there_must_be_numbers_to_compare(tmp_path, run):
    """NaN alone, and arrays without a number, were equal."""
    model, file = saved(tmp_path / "m.onnx", [("Sqrt", ["x"], ["y"])], ["n"], ["n"]), str(tmp_path / "data.npz")
    for given, status, text in (([-1, -4], 1, "WRONG y: all numbers are NaN in both, so nothing is compared"),
                                ([], 1, ": the outputs have no numbers, so nothing is compared; record an input")):
        x = np.array(given, np.float32)
        with np.errstate(invalid="ignore"):
            np.savez(file, **{"input:x": x, "output:y_output": np.sqrt(x)})
        done = run(model, "--data", file)
        assert (done.returncode, text in done.stdout + one_line(done.stderr)) == (status, True), done.stdout + done.stderr
        if given:
            found = mx2onnx.verify(model, file)
            assert not found and found.outputs[0].why == "all numbers are NaN in both, so nothing is compared"
        else:
            with pytest.raises(ValueError, match="the outputs have no numbers, so nothing is compared"):
                mx2onnx.verify(model, file)


def test_data_of_another_shape_is_refused(tmp_path, run):
    model, file = saved(tmp_path / "m.onnx", [("Relu", ["x"], ["y"])], ["n", 3], ["n", 3]), str(tmp_path / "data.npz")
    for shape in ((2, 4), (3,)):
        np.savez(file, **{"input:x": np.ones(shape, np.float32), "output:y_output": np.ones(shape, np.float32)})
        text = "input:x has the shape %s, but the model takes [?, 3]" % list(shape)
        done = run(model, "--data", file)
        assert done.returncode == 1 and text + "; record data of this shape, or convert the model with " in one_line(done.stderr)
        with pytest.raises(ValueError) as e:
            mx2onnx.verify(model, file)
        assert text in str(e.value)


def test_data_for_channels_last_has_its_own_advice(tmp_path, run):
    """The advice was to record data of this shape, which MXNet does not take."""
    model, file = saved(tmp_path / "m.onnx", [("Relu", ["x"], ["y"])], ["n", 4, 5, 3], ["n", 4, 5, 3]), str(tmp_path / "data.npz")
    np.savez(file, **{"input:x": np.ones((2, 3, 4, 5), np.float32), "output:y_output": np.ones(1, np.float32)})
    said = one_line(run(model, "--data", file).stderr)
    assert "the model takes [?, 4, 5, 3]; for a file " in said and "save the array after a Transpose by [0, 2, 3, 1]; or compare" in said, said


@pytest.mark.parametrize("given", ["1", "2", "nan", "-1", "inf"])
def test_a_tolerance_is_a_share(tmp_path, run, recorded, given):
    """One of 1 or more accepts anything."""
    done = run(export(tmp_path / "m.onnx"), "--data", RECORDED, "--tolerance=" + given)
    assert done.returncode != 0 and "a tolerance is a share of the largest number, from 0 to below 1" in done.stderr


def test_arguments_of_python_are_checked():
    for arguments, said in (((b"m.onnx", RECORDED), "the model is the path"), ((None, None), "the model is the path"),
                            (("m.onnx", None), "the data is the path"), (("m.onnx", {}, "1e-3"), "a tolerance must be a number, not '1e-3'")):
        with pytest.raises(TypeError, match=said):
            mx2onnx.verify(*arguments)


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install numpy onnxruntime"):
        mx2onnx.verify("m.onnx", {})


def test_nan_on_one_side_is_a_difference(tmp_path):
    model, file = saved(tmp_path / "m.onnx", [("Relu", ["x"], ["y"])], [4], [4]), str(tmp_path / "data.npz")
    nan, inf = np.nan, np.inf
    for x, y, said in (([nan, inf, 1, 2], [0, 1, 1, 2], "y: NaN or infinity where MXNet has numbers: 2 of 4\n"),
                       ([1, 1, 1, 2], [nan, 1, 1, 2], "y: numbers where MXNet has NaN or infinity: 1 of 4\n"),
                       ([nan, 1, inf, 2], [0, nan, nan, 2], "y: NaN or infinity where MXNet has numbers: 1 of 4, numbers where MXNet has NaN or "
                                                            "infinity: 1 of 4, a NaN or infinity other than MXNet has: 1 of 4\n")):
        np.savez(file, **{"input:x": np.array(x, np.float32), "output:y_output": np.array(y, np.float32)})
        out = [subprocess.run(p + [model, "--data", file], capture_output=True, text=True).stdout for p in PROGRAMS.values()]
        assert out[0] == out[1] and said in out[0] and ("MXNET_MKLDNN_ENABLED=0" in out[0]) == ("where MXNet has numbers" in said)


def test_the_runtimes_own_words_are_one_line(tmp_path):
    """They ended in a backslash and n, below a line of the runtime's log."""
    model, file = saved(tmp_path / "m.onnx", [("Relu", ["x"], ["y"]), ("NoSuchOperator", ["x"], ["z"])], [4], [4]), str(tmp_path / "data.npz")
    np.savez(file, **{"input:x": np.ones(4, np.float32), "output:y_output": np.ones(4, np.float32)})
    said = subprocess.run(PROGRAMS["c"] + [model, "--data", file], capture_output=True, text=True).stderr
    assert "\\n" not in said and said.startswith("mx2onnx: error: ") and said.count("\n") == 2, said


def quantised(path, shared):
    """250 times 127, eight times, in uint8 and int8: two of these products exceed an int16. `shared`: two nodes read the weight."""
    onnx = pytest.importorskip("onnx")
    constants = {"one": np.float32(1), "thousand": np.float32(1000), "zero": np.uint8(0), "signed": np.int8(0), "w": np.full((8, 4), 127, np.int8)}
    nodes = [("QuantizeLinear", ["x", "one", "zero"], ["q"]), ("DequantizeLinear", ["q", "one", "zero"], ["a"])]
    for y in ["y", "other"][:1 + shared]:
        nodes += [("DequantizeLinear", ["w", "one", "signed"], [y + "w"]), ("MatMul", ["a", y + "w"], [y + "m"]),
                  ("QuantizeLinear", [y + "m", "thousand", "zero"], [y + "q"]), ("DequantizeLinear", [y + "q", "thousand", "zero"], [y])]
    values = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, d)
              for n, d in [("x", [2, 8]), ("y", [2, 4]), ("other", [2, 4])][:2 + shared]]
    graph = onnx.helper.make_graph([onnx.helper.make_node(*n) for n in nodes], "g", values[:1], values[1:],
                                   [onnx.numpy_helper.from_array(np.asarray(a), n) for n, a in constants.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), path)
    return str(path)


@pytest.mark.parametrize("shared", [False, True])
def test_sums_of_int8_products_are_exact(tmp_path, run, shared):
    """Without VNNI, ONNX Runtime's sums saturate unless exact ones are asked for, which it refuses where nodes share a weight: a right
    model was reported as wrong. With VNNI they are exact always."""
    model, file = quantised(tmp_path / "m.onnx", shared), str(tmp_path / "data.npz")
    y = np.full((2, 4), round(250 * 127 * 8 / 1000) * 1000, np.float32)
    np.savez(file, **{"input:x": np.full((2, 8), 250, np.float32), "output:y_output": y, "output:other_output": y})
    done = run(model, "--data", file)
    assert done.returncode == 0 and "ok    y: no difference" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("vnni, level", [(True, "ORT_ENABLE_ALL"), (False, "ORT_DISABLE_ALL")])
def test_with_vnni_a_net_that_shares_weights_stays_fused(tmp_path, monkeypatch, vnni, level):
    """As it is written, halves are rounded in another way than MXNet's kernels do: a deep int8 net was reported as wrong."""
    import mx2onnx._verify as verify
    opened, asked = verify._opened, []

    def record(*arguments):
        asked.append((arguments[-2], arguments[-1].name))
        return opened(*arguments)
    monkeypatch.setattr(verify, "_opened", record)
    monkeypatch.setattr(verify, "_has_vnni", lambda: vnni)
    x, y = np.zeros((2, 8), np.float32), np.zeros((2, 4), np.float32)  # no sum that could saturate
    assert mx2onnx.verify(quantised(tmp_path / "m.onnx", True), {"input:x": x, "output:y_output": y, "output:other_output": y})
    assert asked == [("1", "ORT_ENABLE_ALL"), ("0", level)]


def test_an_operator_of_another_domain_is_refused(tmp_path, run):
    model, file = saved(tmp_path / "m.onnx", [("Mine", ["x"], ["y"])], [3], [3], domain="my.domain"), str(tmp_path / "data.npz")
    np.savez(file, **{"input:x": np.ones(3, np.float32), "output:y_output": np.ones(3, np.float32)})
    text = "ONNX Runtime does not have the operator 'Mine' of the domain 'my.domain'"
    done = run(model, "--data", file)
    assert done.returncode == 1 and text + "; compare in a program that registers this operator" in one_line(done.stderr)
    with pytest.raises(ValueError) as e:
        mx2onnx.verify(model, file)
    assert text in str(e.value)


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_runtime_of_the_active_environment_is_found(tmp_path, variable):
    """A program that was not installed by pip asked for --runtime."""
    folder = tmp_path / "an [env]" / "lib" / "python3.99" / "site-packages" / "onnxruntime"
    command = [TOOL, "verify", export(tmp_path / "m.onnx"), "--data", RECORDED]
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    environment[variable] = str(tmp_path / "an [env]")
    before = subprocess.run(command, capture_output=True, text=True, env=environment)
    folder.mkdir(parents=True)
    os.symlink(os.path.dirname(RUNTIME[0]), folder / "capi")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "\nok    softmax" in done.stdout, done.stderr
    if before.returncode:  # the system has none
        assert "ONNX Runtime was not found\n    help: activate a Python or conda environment that has it (pip install onnxruntime)" in before.stderr


def test_a_library_that_is_not_the_runtime_is_refused(tmp_path):
    done = subprocess.run([TOOL, "verify", export(tmp_path / "m.onnx"), "--data", RECORDED, "--runtime", RECORDED], capture_output=True,
                          text=True)
    assert done.returncode == 1 and "not ONNX Runtime" in done.stderr and RECORDED in done.stderr


def test_an_integer_input_becomes_the_models_type(tmp_path, recorded, run):
    """What is recorded as float64 or uint8 is given as the float32 that the model reads."""
    data = {"input:data": np.round(recorded["input:data"].astype(np.float64)), "output:softmax_output": recorded["output:softmax_output"]}
    model = export(tmp_path / "m.onnx")
    np.savez(tmp_path / "float64.npz", **data)
    np.savez(tmp_path / "uint8.npz", **dict(data, **{"input:data": data["input:data"].astype(np.uint8)}))
    said = [run(model, "--data", str(tmp_path / name), "--tolerance", "0.99").stdout for name in ("float64.npz", "uint8.npz")]
    assert said[0] == said[1] and said[0].startswith("compared with MXNet: 1 output; the data has no values of inner nodes\nok    softmax")


def test_an_input_of_bfloat16_is_rounded(tmp_path):
    """The C program gave zeros. Python's NumPy has no such type, and says so."""
    onnx = pytest.importorskip("onnx")
    x, y = (onnx.helper.make_tensor_value_info(n, t, [8]) for n, t in (("x", onnx.TensorProto.BFLOAT16), ("y", onnx.TensorProto.FLOAT)))
    graph = onnx.helper.make_graph([onnx.helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT)], "g", [x], [y])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), tmp_path / "m.onnx")
    given = [1, -2.5, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, 65537, np.inf, 3.4028235e38]  # ties go to the even one
    want = [1, -2.5, 1, 1 + 2**-6, 1 + 2**-7, 65536, np.inf, np.inf]
    np.savez(tmp_path / "data.npz", **{"input:x": np.array(given, np.float64), "output:y_output": np.array(want, np.float32)})
    done = subprocess.run(PROGRAMS["c"] + [str(tmp_path / "m.onnx"), "--data", str(tmp_path / "data.npz"), "--tolerance", "0"],
                          capture_output=True, text=True)
    assert done.stdout.endswith("\nok    y: no difference\n"), done.stdout + done.stderr
    with pytest.raises(ValueError, match="input 'x'.*bfloat16"):
        mx2onnx.verify(tmp_path / "m.onnx", tmp_path / "data.npz")


def test_the_program_reports_each_output(tmp_path, recorded, run):
    model = export(tmp_path / "m.onnx")
    done = run(model, "--data", RECORDED)
    assert done.returncode == 0 and "ok    softmax" in done.stdout and not done.stderr
    data = dict(recorded)
    data["output:softmax_output"] = data["output:softmax_output"] + 1
    np.savez(tmp_path / "wrong.npz", **data)
    done = run(model, "--data", str(tmp_path / "wrong.npz"))
    assert done.returncode == 1 and "WRONG softmax" in done.stdout
    done = run(model, "--data", str(tmp_path / "none.npz"))
    assert done.returncode == 1 and "none.npz" in done.stderr and "Traceback" not in done.stderr
    done = run(Digits.symbol, "--data", RECORDED)
    assert done.returncode == 1 and done.stderr and "Traceback" not in done.stderr


# ---- files that are not ONNX models, or damaged ones

def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, kind, value=b""):
    """A field of a wire type: a number, or bytes."""
    payload = {0: lambda: varint(value), 1: lambda: value, 2: lambda: varint(len(value)) + value, 5: lambda: value}[kind]()
    return varint(number << 3 | kind) + payload


ZERO = {0: 0, 1: bytes(8), 2: b"", 5: bytes(4)}
ATTRIBUTE = {"name": (1, 2), "f": (2, 5), "i": (3, 0), "s": (4, 2), "t": (5, 2), "g": (6, 2), "floats": (7, 5), "ints": (8, 0),
             "strings": (9, 2), "tensors": (10, 2), "graphs": (11, 2), "type": (20, 0)}
NODE = {"input": (1, 2), "output": (2, 2), "name": (3, 2), "op_type": (4, 2), "attribute": (5, 2), "domain": (7, 2)}
GRAPH = {"node": (1, 2), "name": (2, 2), "initializer": (5, 2), "input": (11, 2), "output": (12, 2), "value_info": (13, 2)}
MODEL = {"ir_version": (1, 0), "model_version": (5, 0), "graph": (7, 2), "opset_import": (8, 2)}
PATHS = {"ModelProto": (), "GraphProto": (7,), "NodeProto": (7, 1), "AttributeProto": (7, 1, 5)}


def inside(message, content):
    """A file with `content` in its first message of that kind, and where it begins."""
    head = field(1, 0, 8)
    whole = content
    for number in reversed(PATHS[message]):
        whole = field(number, 2, whole)
    return head + whole + (b"" if PATHS[message] else field(7, 2)), len(head) + len(whole) - len(content)


def wrong_types():
    for message, fields in (("ModelProto", MODEL), ("GraphProto", GRAPH), ("NodeProto", NODE), ("AttributeProto", ATTRIBUTE)):
        for name, (number, kind) in fields.items():
            for other in sorted({0, 1, 2, 5} - {kind} - ({2} if name in ("floats", "ints") else set())):
                file, at = inside(message, field(number, other, ZERO[other]))
                yield file, "at byte %d: field '%s' of %s has wire type %d instead of %d" % (at, name, message, other, kind)


def broken_fields():
    no_field = "a field of %s ends outside it or is not a field"
    for message in PATHS:
        for content in (varint(99 << 3 | 3), varint(99 << 3 | 4), varint(99 << 3 | 6), varint(99 << 3 | 7), b"\0\0", b"\x80", b"\x98\x06",
                        varint(1 << 32 | 7) + b"\0", varint((7 + (1 << 32)) << 3 | 2) + b"\0", varint(99 << 3 | 2) + varint(1 << 60),
                        varint(99 << 3 | 2) + b"\xff" * 10, varint(99 << 3 | 1) + b"1234567", varint(99 << 3 | 5) + b"123",
                        varint(99 << 3) + b"\xff" * 10 + b"\1"):
            file, at = inside(message, content)
            if message == "ModelProto":  # what follows the field belongs to it
                file = file[:at] + content
            yield file, "at byte %d: %s" % (at, no_field % message)
    for content, name in ((field(7, 2, b"12345"), "floats"), (field(8, 2, b"\1\x80"), "ints"), (field(8, 2, b"\xff" * 10 + b"\1"), "ints")):
        file, at = inside("AttributeProto", field(1, 2, b"a") + content)
        yield file, "at byte %d: field '%s' of AttributeProto ends within a number" % (at + 3, name)
    for file in (b"", field(1, 0, 8)):
        yield file, "has no graph"


@pytest.fixture(scope="module")
def some_data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "data.npz"
    np.savez(path, **{"input:x": np.zeros(1, np.float32), "output:y_output": np.zeros(1, np.float32)})
    return str(path)


def said_of(program, file, data, folder):
    (folder / "broken.onnx").write_bytes(file)
    done = subprocess.run(program + [str(folder / "broken.onnx"), "--data", data], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "", done.stderr
    return done.stderr


@pytest.mark.parametrize("cases", [wrong_types, broken_fields])
def test_a_damaged_file_is_an_error_that_says_where(cases, some_data, tmp_path):
    """A wrong wire type in an attribute made the C program read past the end of the file, and the Python one fail with a TypeError."""
    checked = 0
    for file, text in cases():
        with pytest.raises(ValueError) as found:
            _wire.nodes(file)
        assert text in str(found.value)
        said = one_line(said_of(PROGRAMS["c"], file, some_data, tmp_path))
        assert said == "mx2onnx: error: %s: %s\n" % (tmp_path / "broken.onnx", found.value)
        checked += 1
    assert checked > 50


def test_another_file_is_not_an_onnx_model(some_data, tmp_path):
    """It was called a damaged one, and then nothing said which file to give."""
    for file in (b"{}", b"\x93NUMPY"):
        with pytest.raises(ValueError) as found:
            _wire.nodes(file)
        assert str(found.value) == "the file is not an ONNX model; give the .onnx file that was converted from the model", file
        said = one_line(said_of(PROGRAMS["c"], file, some_data, tmp_path))
        assert said == "mx2onnx: error: %s: %s\n" % (tmp_path / "broken.onnx", found.value)


def test_the_model_in_place_of_the_data_is_named(some_data, tmp_path):
    """With swapped arguments NumPy's own message spoke of pickles."""
    model = tmp_path / "net.onnx"
    model.write_bytes(field(1, 0, 8))
    with pytest.raises(ValueError) as found:
        mx2onnx.verify(some_data, model)
    model = tmp_path / "whole.onnx"
    model.write_bytes(inside("NodeProto", b"")[0])
    said = subprocess.run(PROGRAMS["c"] + [some_data, "--data", str(model)], capture_output=True, text=True).stderr
    assert said == ("mx2onnx: error: %s: the data is an ONNX model\n    help: name the ONNX file first, and the recorded data with --data\n" % model)
    model = tmp_path / "net.onnx"
    assert str(found.value) == "%s is not an .npz of arrays, or is damaged; the first argument is the ONNX file, the second the data" % model


def test_a_damaged_file_is_an_error_of_the_python_program(some_data, tmp_path):
    for file, text in [next(wrong_types()), list(wrong_types())[-1], next(broken_fields())]:
        said = said_of(PROGRAMS["python"], file, some_data, tmp_path)
        assert said.startswith("mx2onnx: %s: " % (tmp_path / "broken.onnx")) and text in said and said.count("\n") == 1


def test_fields_of_a_later_onnx_are_passed_over(tmp_path):
    attribute = field(1, 2, b"a") + field(99, 1, bytes(8)) + field(8, 0, 3) + field(8, 2, varint(2**64 - 5)) + field(536870911, 5, bytes(4))
    node = field(2, 2, b"\xff") + field(4, 2, b"Op") + field(30, 0, 1) + field(5, 2, attribute)
    (n,) = _wire.nodes(field(100, 2, b"123") + field(7, 2, field(1, 2, node)))
    assert (n.op_type, n.outputs, n.attributes) == ("Op", ["\ufffd"], {"a": [3, -5]})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no FIFOs")
def test_a_fifo_is_refused_and_not_waited_for(some_data, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for words in ([str(fifo), "--data", some_data], [some_data, "--data", str(fifo)]):
        found = subprocess.run(PROGRAMS["c"] + words, capture_output=True, text=True, timeout=60)
        assert found.returncode == 1 and "it is not a regular file" in found.stderr, found.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot limit the memory of a process in this way")
def test_data_of_another_kind_is_not_read_into_memory(some_data, tmp_path):
    large = tmp_path / "large"
    with open(large, "wb") as f:
        f.truncate(1 << 40)
    limited = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31)); os.execv(sys.argv[1], sys.argv[1:])"
    for words, why in (([some_data, "--data", str(large)], "is not"), ([str(large), "--data", some_data], "more than 2 GiB")):
        found = subprocess.run([sys.executable, "-c", limited] + PROGRAMS["c"] + words, capture_output=True, text=True)
        assert found.returncode == 1 and why in found.stderr, found.stderr
