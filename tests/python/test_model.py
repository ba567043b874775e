# SPDX-License-Identifier: Apache-2.0
"""The class over the handle."""
import copy
import inspect
import io
import json
import logging
import os
import pickle
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import threading
import zipfile
import zlib
import typing
from typing import Any

import mx2onnx
import numpy as np
import pytest
from conftest import ROOT

SHAPE = (1, 1, 8, 8)
BESIDE = os.path.dirname(os.path.dirname(mx2onnx.__file__))  # the folder of the tested package


@pytest.fixture
def model(digits):
    with mx2onnx.Model(digits.symbol) as m:
        yield m


def test_the_error_of_an_unknown_target_has_the_targets():
    model = mx2onnx.Model()
    with pytest.raises(mx2onnx.NotFoundError, match=r"'opencv': no target has this name.*did you mean opencv4 or opencv5\? the targets are .*, tract"):
        model.target = "opencv"
    with pytest.raises(mx2onnx.NotFoundError, match="; the targets are "):
        model.target = "nothing"


def test_an_exception_counts_the_errors_that_it_does_not_name():
    node = {"op": "MyOp", "name": "a", "inputs": [[0, 0, 0]]}
    nodes = [{"op": "null", "name": "x", "inputs": []}, node, dict(node, op="MyOther", name="b", inputs=[[1, 0, 0]])]
    symbol = json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})
    with pytest.raises(mx2onnx.UnsupportedError, match=r"'MyOp' is unknown.* \(the diagnostics have 1 more error\)$") as e:
        mx2onnx.export_model(symbol, {}, in_shapes=[(1, 2)])
    assert [d.op for d in e.value.diagnostics] == ["MyOp", "MyOther"]


def test_errors_go_to_other_processes():
    """multiprocessing and Dask pickle what a worker raises."""
    for wrong in (lambda: mx2onnx.Model("no/such"), lambda: mx2onnx.Model(b"<html>"), lambda: mx2onnx.Model().export_bytes()):
        with pytest.raises(mx2onnx.Error) as e:
            wrong()
        same = pickle.loads(pickle.dumps(e.value))
        assert type(same) is type(e.value) and str(same) == str(e.value) and same.status == e.value.status
        assert same.diagnostics == e.value.diagnostics and getattr(same, "filename", None) == getattr(e.value, "filename", None)


def test_repr_counts_nodes_and_parameters(digits):
    with mx2onnx.Model(digits.symbol) as m:
        assert repr(m) == "<mx2onnx.Model: 14 nodes, 14 parameters>"
    assert repr(m) == "<mx2onnx.Model: closed>"


def test_version_agrees():
    assert mx2onnx.__version__ == mx2onnx.library_version()
    numbers = [int(n) for n in mx2onnx.library_version().split(".")]
    assert mx2onnx.version_number() == numbers[0] * 1000000 + numbers[1] * 1000 + numbers[2]


def test_features_of_the_library_are_reported():
    assert mx2onnx.has_feature("zip") and not mx2onnx.has_feature("nosuch")
    known = {o.name: o for o in mx2onnx.known_operators()}
    assert known["Convolution"].opset == 11 and "elemwise_add" not in known["Convolution"].aliases
    assert known["Pooling"].status == "partial" and any('"same"' in line for line in known["Pooling"].refuses)
    assert known["Cast"].status == "differs" and not known["Cast"].refuses and len(known["Cast"].differs) == 1
    assert any("elemwise_add" in (o.name, *o.aliases) for o in known.values())


def test_errors_have_relatives(digits, tmp_path):
    """Who writes `except OSError` or `except MemoryError` around a load caught neither."""
    relatives = {mx2onnx.FileError: OSError, mx2onnx.OutOfMemoryError: MemoryError, mx2onnx.NotFoundError: LookupError,
                 mx2onnx.MissingFileError: FileNotFoundError, mx2onnx.InvalidArgumentError: ValueError, mx2onnx.FormatError: ValueError}
    for ours, pythons in relatives.items():
        assert issubclass(ours, pythons) and issubclass(ours, mx2onnx.Error)
        error = ours("a text", "STATUS")
        assert str(error) == "a text" and error.status == "STATUS" and error.diagnostics == []
    missing = str(tmp_path / "nosuch-symbol.json")
    for call in (lambda m: m.load(missing), lambda m: m.load_symbol(missing), lambda m: m.load_params(missing), lambda m: m.check_external_data(missing),
                 lambda m: m.load_catalogue(missing)):
        with mx2onnx.Model() as m, pytest.raises(FileNotFoundError, match="nosuch") as e:
            call(m)
        assert e.value.errno == 2 and e.value.diagnostics and isinstance(e.value, mx2onnx.NotFoundError)
        assert e.value.filename == missing and str(e.value) == e.value.args[0] and e.value.strerror == os.strerror(2)
    with mx2onnx.Model(digits.symbol) as m:
        with pytest.raises(LookupError) as e:
            m.set_input_shape("nosuch", (1,))
        assert not isinstance(e.value, OSError)
        target = tmp_path / "no folder" / "model.onnx"
        with pytest.raises(FileNotFoundError) as e:
            m.export(target)
        assert e.value.filename == str(target) and "no folder" in str(e.value)
    with mx2onnx.Model() as m, pytest.raises(FileNotFoundError) as e:
        m.check_external_data(os.fsencode(missing))
    assert e.value.filename == os.fsencode(missing)


def test_the_file_that_is_missing_may_be_one_that_the_model_names(digits, tmp_path):
    with mx2onnx.Model(digits.symbol) as m:
        m.set_input_shape("data", SHAPE)
        m.external_data, m.external_threshold = "always", 1
        m.export(tmp_path / "model.onnx")
    side = tmp_path / "model.onnx.data"
    side.unlink()
    with mx2onnx.Model() as m, pytest.raises(FileNotFoundError) as e:
        m.check_external_data(tmp_path / "model.onnx")
    assert e.value.filename == str(side)


def functions_of(thing):
    """The functions of a class, and those of its properties; a function itself."""
    for name, member in vars(thing).items() if inspect.isclass(thing) else [(thing.__name__, thing)]:
        member = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if inspect.isfunction(member) and not name.startswith("_"):
            yield "%s.%s" % (thing.__name__, name), member


def test_arguments_have_types(digits):
    """Any helps no author of a program; what is given back of NumPy's has no name without it."""
    for thing in [getattr(mx2onnx, name) for name in mx2onnx.__all__]:
        for name, function in functions_of(thing):
            untyped = {a for a, kind in typing.get_type_hints(function).items() if kind is Any}
            assert untyped <= ({"return"} if name.endswith(".numpy") else set()), name
            assert set(inspect.signature(function).parameters) - {"self", "cls"} <= set(function.__annotations__), name
    with mx2onnx.Model(digits.symbol) as m, pytest.raises(mx2onnx.InvalidArgumentError, match="one of mxnet, onnx") as e:
        m.graph("other")
    assert e.value.status == "INVALID_ARGUMENT"


def test_options_are_none_until_set(digits):
    with mx2onnx.Model(digits.symbol) as m:
        low, high = mx2onnx.opset_range()
        assert low <= mx2onnx.opset_default() <= high and m.opset is None and m.seed is None and m.float16 is None and m.external_data == "auto"
        m.opset, m.seed, m.float16, m.external_data, m.keep_batch_norm, m.target = low, 3, True, "in-place", True, "opencv4"
        assert (m.opset, m.seed, m.float16, m.external_data, m.keep_batch_norm, m.target) == (low, 3, "all", "in-place", True, "opencv4")
        m.opset = m.seed = m.float16 = m.external_data = m.keep_batch_norm = m.target = None
        assert (m.opset, m.seed, m.float16, m.external_data, m.keep_batch_norm, m.target) == (None, None, None, "auto", False, None)
        default = m.memory_limit
        m.memory_limit = default + 1
        assert m.memory_limit == default + 1
        del m.memory_limit
        assert m.memory_limit == default and m.external_threshold == 1024
        with pytest.raises(mx2onnx.InvalidArgumentError, match="^Model.opset is"):
            m.opset = high + 1
        with pytest.raises(mx2onnx.NotFoundError):
            m.target = "nosuch"
        for name, value, error in (("float16", "half", ValueError), ("float16", 2, ValueError), ("fsync", "yes", TypeError), ("opset", "17", TypeError),
                                   ("target", 4, TypeError), ("external_data", None, None), ("opsett", 17, AttributeError)):
            if error:
                with pytest.raises(error):
                    setattr(m, name, value)
        m.set_input_shape("data", SHAPE)
        m.producer, m.doc_string = "a test", "of digits"
        assert b"a test" in m.export_bytes() and b"of digits" in m.export_bytes()


def test_the_side_file_can_have_another_name(digits, tmp_path):
    with mx2onnx.Model(digits.symbol) as m:
        m.set_input_shape("data", SHAPE)
        m.external_data, m.external_threshold, m.side_file = "always", 1, "weights.bin"
        m.export(tmp_path / "model.onnx")
        assert sorted(os.listdir(tmp_path)) == sorted(m.written.files) == ["model.onnx", "weights.bin"]


def test_resetting_options_restores_the_bytes(digits):
    with mx2onnx.Model(digits.symbol) as m:
        m.set_input_shape("data", SHAPE)
        want = m.export_bytes()
        lines = []
        m.set_log(lambda level, text: lines.append(text))
        m.set_progress(lambda p: True)
        with pytest.raises(mx2onnx.CancelledError):
            m.export_bytes()
        m.reset()
        del lines[:]
        assert m.inputs == [] and m.params == {} and m.diagnostics == []
        m.load(digits.symbol)
        m.set_input_shape("data", SHAPE)
        assert m.export_bytes() == want and lines == []
        m.set_progress(lambda p: m.reset())
        with pytest.raises(mx2onnx.InvalidArgumentError):
            m.export_bytes()


def test_choices_can_come_before_the_load(digits):
    with mx2onnx.Model(digits.symbol) as m:
        m.set_input_shape("data", SHAPE)
        want = m.export_bytes()
    with mx2onnx.Model() as m:
        m.set_input_shape("data", SHAPE)
        m.load(digits.symbol)
        assert m.export_bytes() == want
    with mx2onnx.Model() as m:
        m.set_input_shape("nosuch", SHAPE)
        m.load(digits.symbol)
        with pytest.raises(mx2onnx.NotFoundError, match="nosuch"):
            m.infer()


def test_a_parameter_is_copied(digits):
    """A later change of the array changed the export."""
    np = pytest.importorskip("numpy")
    weight = {p.name: p for p in mx2onnx.Model(digits.symbol).params.values()}["fc1_bias"].numpy().copy()
    for change, same in (({}, True), ({"copy": False}, False)):
        with mx2onnx.Model(digits.symbol) as m:
            m.set_input_shape("data", SHAPE)
            value = weight.copy()
            m.set_param("fc1_bias", value, **change)
            before = m.export_bytes()
            value[:] = np.arange(value.size)
            assert (m.export_bytes() == before) is same


def test_queries_describe_the_model(model):
    model.set_input_shape("data", SHAPE)
    model.infer()
    assert model.inputs == [mx2onnx.Value("data", "float32", SHAPE)]
    assert model.outputs == [mx2onnx.Value("softmax", "float32", (1, 10))]
    operators = {o.name: o for o in model.operators}
    assert operators["Convolution"].uses == 2
    assert all(o.supported for o in model.operators)
    assert [o.uses for o in model.operators] == sorted((o.uses for o in model.operators), reverse=True)


def test_missing_weights_are_not_inputs(model, digits, tmp_path):
    assert all(v.kind != "weight" for v in model.variables)
    alone = tmp_path / "net-symbol.json"
    alone.write_bytes(open(digits.symbol, "rb").read())
    with mx2onnx.Model(str(alone)) as m:
        assert [v.name for v in m.inputs] == ["data"]
        assert mx2onnx.Variable("conv1_weight", "weight") in m.variables and mx2onnx.Variable("data", "input") in m.variables
        with pytest.raises(mx2onnx.Error, match="conv1_weight"):
            m.set_input_shape("data", SHAPE)
            m.export_bytes()


def test_a_second_parameter_file_that_replaces_arrays_is_said(digits):
    """Of two epochs the later file was used without a word."""
    with mx2onnx.Model() as m:
        m.load(digits.symbol)
        assert not [d for d in m.diagnostics if "replaces" in d.message]
        m.load_params(digits.symbol.replace("symbol.json", "0000.params"))
        said, = (d for d in m.diagnostics if "replaces" in d.message)
        assert said.severity == "warning" and "'conv1_weight' and other arrays" in said.message, said


def test_dynamic_dims_have_names(model):
    model.set_input_shape("data", ("batch", 1, 8, 8))
    model.infer()
    assert model.inputs[0].shape == ("batch", 1, 8, 8)
    assert model.outputs[0].shape == ("batch", 10)


def test_params_are_arrays_of_numpy(model):
    np = pytest.importorskip("numpy")
    weight = model.params["conv1_weight"]
    assert (weight.dtype, weight.shape, weight.nbytes, weight.used) == ("float32", (16, 1, 3, 3), 576, True)
    values = weight.numpy()
    assert values.shape == (16, 1, 3, 3) and values.dtype == np.float32
    assert values.tobytes() == weight.bytes()
    assert np.isfinite(values).all() and values.any()


def test_dicts_and_lists_of_a_model_are_read_only(model):
    """Writing to it changed nothing, and nothing said so."""
    np = pytest.importorskip("numpy")
    for write, advice in ((lambda: model.params.__setitem__("fc1_weight", np.zeros(3)), "set_param"), (lambda: model.params.clear(), "set_param"),
                          (lambda: model.metadata.update(a="b"), "set_metadata"), (lambda: model.outputs.append("x"), "add_output"),
                          (lambda: model.inputs.__setitem__(0, None), "set_input_shape")):
        with pytest.raises(TypeError, match=advice):
            write()
    with pytest.raises(ValueError, match="read-only"):
        model.params["conv1_weight"].numpy()[:] = 0
    copied = copy.copy(model.metadata)
    copied["a"] = "b"
    assert type(copied) is dict and type(pickle.loads(pickle.dumps(model.outputs))) is list and json.dumps(model.metadata) == "{}"


def test_params_are_what_was_given():
    np = pytest.importorskip("numpy")
    given = {
        "a": np.arange(6, dtype=np.int64).reshape(2, 3),
        "b": np.array([1.5, -2], np.float16),
        "c": np.array([True, False]),
        "d": np.zeros((0, 3), np.float64),
        "e": np.array([[1, 2], [3, 4]], np.uint8)[:, ::-1],
    }
    with mx2onnx.Model() as m:
        m.load_params({"arg:" + k: v for k, v in given.items()})
        assert list(m.params) == list(given)
        for name, value in given.items():
            back = m.params[name].numpy()
            assert back.dtype == value.dtype and back.shape == value.shape
            assert (back == value).all()


def test_params_of_the_wrong_kind_are_refused(model):
    with pytest.raises(TypeError, match="buffer protocol"):
        model.set_param("data", [1, 2, 3])
    np = pytest.importorskip("numpy")
    with pytest.raises(TypeError, match="complex64"):
        model.set_param("data", np.zeros(2, np.complex64))


def test_export_forms_agree(model, digits, tmp_path):
    model.set_input_shape("data", SHAPE)
    data = model.export_bytes()
    path = tmp_path / "net.onnx"
    assert model.export(path) == path
    assert path.read_bytes() == data
    out = io.BytesIO()
    model.export_to(out.write)
    assert out.getvalue() == data
    digits.check(data)


def test_symbol_and_params_can_be_in_memory(digits):
    with open(digits.symbol, "rb") as f, open(digits.params, "rb") as g, mx2onnx.Model() as m:
        m.load_symbol(f.read())
        m.load_params(g.read())
        m.set_input_shape("data", SHAPE)
        digits.check(m.export_bytes())


@pytest.mark.parametrize("of", [bytes, bytearray, memoryview, io.BytesIO, lambda b: io.StringIO(b.decode())])
def test_the_contents_of_a_symbol_may_have_any_form(of, digits):
    with open(digits.symbol, "rb") as f, mx2onnx.Model() as m:
        m.load_symbol(of(f.read()))
        assert m.variables


def test_the_contents_of_a_symbol_are_not_a_path(digits):
    """A text that is not JSON was opened as a file, whatever it came from."""
    class Symbol:
        def tojson(self):
            return digits.symbol

    for symbol in (io.StringIO(digits.symbol), Symbol()):
        with mx2onnx.Model() as m, pytest.raises(mx2onnx.FormatError):
            m.load_symbol(symbol)


@pytest.mark.parametrize("name", ["score", "softmax", "softmax_output"])
def test_the_output_of_a_linear_learner_has_two_names(name, digits, tmp_path):
    """The name that is shown was not accepted."""
    shutil.copy(digits.symbol, tmp_path / "net-symbol.json")
    shutil.copy(digits.params, tmp_path / "net-0000.params")
    (tmp_path / "additional-params.json").write_text('{"predictor_type": "regressor"}')
    with mx2onnx.Model(tmp_path) as m:
        m.set_input_shape("data", SHAPE)
        assert [o.name for o in m.outputs] == ["score"]
        m.rename(name if name == "score" else "softmax", "y")
        m.add_output(name)
        m.infer()
        assert [o.name for o in m.outputs] == ["y"]


def test_an_archive_of_sagemaker_has_its_shapes(digits, tmp_path):
    """The shape comes from model-shapes.json, except the batch, which is that of the training."""
    with tarfile.open(tmp_path / "model.tar.gz", "w:gz") as archive:
        archive.add(digits.symbol, "image-classification-symbol.json")
        archive.add(digits.params, "image-classification-0010.params")
        shapes = b'[{"shape": [32, 1, 8, 8], "name": "data"}]'
        info = tarfile.TarInfo("model-shapes.json")
        info.size = len(shapes)
        archive.addfile(info, io.BytesIO(shapes))
    with mx2onnx.Model(tmp_path / "model.tar.gz") as m:
        m.infer()
        assert m.inputs == [mx2onnx.Value("data", "float32", ("batch", 1, 8, 8))]
        m.export(tmp_path / "net.onnx")
    digits.check(tmp_path / "net.onnx")
    with mx2onnx.Model(tmp_path / "model.tar.gz") as m:
        m.set_input_shape("data", SHAPE)
        m.infer()
        assert m.outputs == [mx2onnx.Value("softmax", "float32", (1, 10))]


def test_an_input_can_be_frozen(model):
    np = pytest.importorskip("numpy")
    model.set_param("data", np.zeros(SHAPE, np.float32))
    model.infer()
    assert model.inputs == []
    assert model.outputs[0].shape == (1, 10)


def test_graphs_can_be_printed(model):
    model.set_input_shape("data", SHAPE)
    assert "Convolution" in model.graph_text("mxnet")
    assert "Conv" in model.graph_text()
    model.export_bytes()
    report = model.report
    assert [i["name"] for i in report["inputs"]] == ["data"]


def test_an_error_has_a_status_and_a_message(model):
    with pytest.raises(mx2onnx.Error) as info:
        model.set_input_shape("no_such", (1,))
    assert info.value.status == "NOT_FOUND"
    assert "no_such" in str(info.value)
    assert info.value.diagnostics[-1].severity == "error"
    with pytest.raises(mx2onnx.Error) as info:
        model.opset = 10
    assert info.value.status == "INVALID_ARGUMENT"
    with pytest.raises(ValueError, match="never"):
        model.external_data = "sometimes"
    with pytest.raises(TypeError, match="float33"):
        model.set_input_dtype("data", "float33")


def test_graph_text_raises_errors():
    with mx2onnx.Model() as m:
        with pytest.raises(mx2onnx.Error):
            m.graph_text()


def test_a_closed_model_refuses_every_call(digits):
    m = mx2onnx.Model(digits.symbol)
    m.close()
    m.close()
    for use in (m.infer, m.export_bytes, lambda: m.inputs, lambda: m.params, lambda: m.load(digits.symbol)):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_progress_is_reported(model):
    model.set_input_shape("data", SHAPE)
    seen = []
    model.set_progress(lambda p: seen.append(p))
    size = len(model.export_bytes())
    assert seen and seen[-1][:3] == ("write", size, size)
    assert all(0 <= p.done <= p.total for p in seen)
    assert {p.phase for p in seen} >= {"lower", "write"} and {p.phase for p in seen if p.total} == {"write"}
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    model.set_progress(lambda p: True)
    with pytest.raises(mx2onnx.Error) as info:
        model.export_bytes()
    assert info.value.status == "CANCELLED"
    model.set_progress(None)
    assert len(model.export_bytes()) == size


def test_exceptions_of_callbacks_come_through(model):
    model.set_input_shape("data", SHAPE)

    def fail(*_):
        raise KeyError("from the callback")

    model.set_progress(fail)
    with pytest.raises(KeyError, match="from the callback"):
        model.export_bytes()
    model.set_progress(None)
    with pytest.raises(KeyError, match="from the callback"):
        model.export_to(fail)
    assert model.export_bytes()


def test_ctrl_c_stops_an_export(model):
    """Ctrl-C while C runs stops the export, and the handler is Python's again."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    try:
        interrupt(model)
    finally:
        signal.signal(signal.SIGINT, before)


def interrupt(model):
    model.set_input_shape("data", SHAPE)
    model.set_progress(lambda p: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        model.export_bytes()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    model.set_progress(None)
    assert model.export_bytes()


def test_a_failed_call_is_logged(model):
    lines = []
    model.set_log(lambda level, text: lines.append((level, text)))
    with pytest.raises(mx2onnx.Error):
        model.add_output("no_such_output")
    assert any(level == logging.ERROR and "no_such_output" in text for level, text in lines)


def test_a_log_has_a_least_level(model):
    model.set_input_shape("data", SHAPE)
    found = {}
    for least in (logging.ERROR, logging.INFO, logging.DEBUG):
        lines = found[least] = []
        model.set_log(lambda level, text: lines.append(level), least)
        model.graph_text()
        with pytest.raises(mx2onnx.Error):
            model.add_output("nosuch")
    assert set(found[logging.ERROR]) == {logging.ERROR} and logging.DEBUG not in found[logging.INFO]
    assert set(found[logging.DEBUG]) >= {logging.ERROR, logging.DEBUG}


def test_each_choice_can_be_taken_back(digits):
    with mx2onnx.Model(digits.symbol) as m:
        m.set_input_shape("data", SHAPE)
        want = m.export_bytes()
        m.set_input_shape("data", (2, 1, 8, 8))
        m.set_input_dtype("data", "float64")
        m.add_output("fc1_output")
        m.rename("data", "pixels")
        assert m.export_bytes() != want
        m.set_input_dtype("data", None)
        m.clear_outputs()
        m.rename("data", None)
        m.set_input_shape("data", None)
        m.set_input_shape("data", SHAPE)
        assert m.export_bytes() == want
        assert m.node_precision("softmax") is None
        m.set_node_precision("softmax", "float16")
        assert m.node_precision("softmax") == "float16"
        m.set_node_precision("softmax", None)
        assert m.node_precision("softmax") is None
        with pytest.raises(ValueError):
            m.set_node_precision("softmax", "half")


def test_options_can_be_read_and_reset(digits):
    onnx = pytest.importorskip("onnx")
    np = pytest.importorskip("numpy")
    with mx2onnx.Model(digits.symbol) as m:
        m.set_input_shape("data", ("batch", 1, 8, 8))
        want = m.export_bytes()
        m.set_metadata("b", "two")
        m.set_metadata("a", "")
        assert list(m.metadata.items()) == [("a", ""), ("b", "two")]
        written = [(p.key, p.value) for p in onnx.load_model_from_string(m.export_bytes()).metadata_props]
        assert written == [("source_framework", "Apache MXNet"), ("a", ""), ("b", "two")]
        onnx.checker.check_model(m.export_bytes())
        with pytest.raises(mx2onnx.InvalidArgumentError):
            m.set_metadata("input:data", "x")
        m.set_metadata("a", None)
        assert m.metadata == {"b": "two"}
        m.clear_metadata()
        assert m.metadata == {}
        chosen = mx2onnx.Model()
        assert (chosen.chosen_shape("data"), chosen.chosen_dtype("data"), chosen.chosen_name("data")) == (None, None, None)
        chosen.set_input_shape("data", ("n", 1, -1))
        chosen.set_input_dtype("data", "uint8")
        chosen.rename("data", "pixels")
        assert (chosen.chosen_shape("data"), chosen.chosen_dtype("data"), chosen.chosen_name("data")) == (["n", 1, None], "uint8", "pixels")
        m.set_input_mean("data", 1)
        m.set_input_scale("data", [0.5])
        m.set_input_channels_last("data")
        assert (m.input_mean("data"), m.input_scale("data")) == ([1.0], [0.5])
        assert m.input_channels_last("data") and not m.input_channels_reversed("data")
        m.set_input_mean("data", [])
        m.set_input_scale("data", [])
        m.set_input_channels_last("data", False)
        assert (m.input_mean("data"), m.input_scale("data"), m.input_channels_last("data")) == ([], [], False)
        bias = m.params["fc1_bias"]
        m.set_param("arg:fc1_bias", np.ones(bias.shape, bias.dtype))
        assert m.export_bytes() != want
        m.remove_param("fc1_bias")
        assert m.export_bytes() == want
        with pytest.raises(mx2onnx.NotFoundError):
            m.remove_param("fc1_bias")
        m.set_domain_version("ai.onnx.ml", 3)
        assert m.domain_version("ai.onnx.ml") == 3
        m.set_domain_version("ai.onnx.ml", 0)
        assert m.domain_version("ai.onnx.ml") == 1
        with pytest.raises(mx2onnx.InvalidArgumentError, match="^Model.set_metadata: 'mx2onnx_file:x' is .* does not begin with 'input:' or 'mx2onnx_file:'$"):
            m.set_metadata("mx2onnx_file:x", "v")  # a key of the library is not the name of a function
        with open(os.path.join(ROOT, "bindings", "cases", "nets.zip"), "rb") as f:
            m.load_catalogue(f.read())
        assert m.catalogue
        with pytest.raises(mx2onnx.NotFoundError, match="^the parameters match"):  # there is a symbol
            m.identify_net()


def test_numbers_of_a_later_library_are_accepted():
    from mx2onnx import _errors, _model

    assert [_model.known(["a", "b"], n, "other") for n in (0, 1, 2, -1)] == ["a", "b", "other", "other"]
    assert type(_errors.error_of(-99, "x")) is mx2onnx.Error
    assert _model.lib.dtype_name(99) == b"unknown"


def test_a_part_of_a_parameter_can_be_read(digits):
    with mx2onnx.Model(digits.symbol) as m:
        p = m.params["fc1_weight"]
        whole = p.bytes()
        assert p.bytes(4, 8) == whole[4:12] and p.bytes(p.nbytes - 4) == whole[-4:] and p.bytes(p.nbytes) == b"" and p.bytes(8, 0) == b""
        for offset, size in ((p.nbytes, 1), (1, p.nbytes), (0, p.nbytes + 1)):
            with pytest.raises(ValueError):
                p.bytes(offset, size)


def test_cancel_stops_an_export(digits):
    with mx2onnx.Model(digits.symbol) as m:
        m.set_input_shape("data", SHAPE)
        m.set_progress(lambda p: m.cancel())
        with pytest.raises(mx2onnx.CancelledError):
            m.export_bytes()
        entered, leave = threading.Event(), threading.Event()

        def wait(progress):
            entered.set()
            leave.wait()

        def cancel():
            entered.wait()
            m.cancel()
            leave.set()

        m.set_progress(wait)
        other = threading.Thread(target=cancel)
        other.start()
        with pytest.raises(mx2onnx.CancelledError):
            m.export_bytes()
        other.join()
        m.set_progress(None)
        m.cancel()
        assert m.export_bytes()


def test_models_can_be_converted_in_several_threads(digits):
    results = {}

    def convert(opset):
        with mx2onnx.Model(digits.symbol) as m:
            m.set_input_shape("data", SHAPE)
            m.opset = opset
            results[opset] = m.export_bytes()

    threads = [threading.Thread(target=convert, args=(opset,)) for opset in (12, 13, 17, 21)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for opset in (12, 13, 17, 21):
        expected = results[opset]
        convert(opset)
        assert results[opset] == expected


def test_numpy_is_not_needed(digits, tmp_path):
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "import mx2onnx\n"
        "path = mx2onnx.export_model(%r, %r, [(1, 1, 8, 8)], onnx_file_path=%r)\n"
        "m = mx2onnx.Model(%r)\n"
        "m.set_param('data', b'\\0' * 4)\n"
        "assert m.params['conv1_weight'].bytes()\n"
        % (digits.symbol, digits.params, str(tmp_path / "net.onnx"), digits.symbol)
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=BESIDE)
    digits.check(tmp_path / "net.onnx")


def test_missing_library_says_what_to_do():
    p = subprocess.run([sys.executable, "-c", "import mx2onnx"], cwd=BESIDE, capture_output=True,
                       text=True, env={"MX2ONNX_LIBRARY": "/no/such/library.so", "PATH": ""})
    assert p.returncode != 0
    assert "ImportError" in p.stderr and "MX2ONNX_LIBRARY" in p.stderr


@pytest.mark.parametrize("pack", ["zip", "tar"])
def test_unpacking_can_be_cancelled(pack, tmp_path):
    """A long member is not unpacked to its end before anybody is asked."""
    symbol = b'{"nodes": [{"op": "null", "name": "x", "inputs": []}], "arg_nodes": [0], "heads": [[0, 0, 0]]}'
    members = {"m-symbol.json": symbol, "m-0000.params": bytes(range(256)) * (48 << 12)}
    path = tmp_path / ("m." + pack)
    if pack == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
            for name, data in members.items():
                z.writestr(name, data)
    else:
        with tarfile.open(path, "w:gz") as t:
            for name, data in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                t.addfile(entry, io.BytesIO(data))
    asked = []
    m = mx2onnx.Model()
    m.set_progress(lambda p: asked.append(0))
    with pytest.raises(mx2onnx.Error, match="m-0000.params"):  # it is not a parameter file, which is found out at its end
        m.load(str(path))
    assert len(asked) >= (48 << 20) // (4 << 20)
    asked.clear()
    m = mx2onnx.Model()
    m.set_progress(lambda p: asked.append(1) or len(asked) > 6)
    with pytest.raises(mx2onnx.CancelledError):
        m.load(str(path))
    assert len(asked) == 7


class Parameter:
    """As Gluon's: data() gives an array."""

    def __init__(self, value):
        self.value = value

    def list_data(self):
        return [self.value]

    def data(self):
        return self.value


class Block:
    """As a HybridBlock of Gluon's."""

    def __init__(self, symbol, params):
        self._cached_graph, self.params = (), params
        self.symbol = symbol

    def hybridize(self):
        text = self.symbol

        class Symbol:
            def tojson(self):
                return text
        self._cached_graph = ([], Symbol())

    def collect_params(self):
        return {name: Parameter(value) for name, value in self.params.items()}


def test_a_block_in_memory_is_a_model():
    np = pytest.importorskip("numpy")
    nodes = [{"op": "null", "name": n, "inputs": []} for n in ("data", "w")]
    nodes.append({"op": "broadcast_mul", "name": "y", "inputs": [[0, 0, 0], [1, 0, 0]]})
    text = json.dumps({"nodes": nodes, "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})
    block = Block(text, {"w": np.array([2, 3], np.float32)})
    with pytest.raises(ValueError, match="call hybridize"):
        mx2onnx.Model(block)
    block.hybridize()
    with mx2onnx.Model(block) as m:
        m.set_input_shape("data", ("n", 2))
        assert b"libmx2onnx" in m.export_bytes() and [v.kind for v in m.variables] == ["input"]
    with mx2onnx.Model(block._cached_graph[1]) as m:
        assert [i.name for i in m.inputs] == ["data", "w"]


def test_objects_of_mxnet_without_a_graph_are_refused(tmp_path):
    """hybridize() was advised for a block that cannot be hybridized, and a Module was not known."""
    class Sequential:
        def collect_params(self):
            return {}

    class Module:
        def get_params(self):
            return {}, {}

    for take in mx2onnx.Model, lambda given: mx2onnx.export_model(given, onnx_file_path=str(tmp_path / "net.onnx")):
        with pytest.raises(ValueError, match="the block Sequential is not a HybridBlock.*HybridSequential in place of Sequential"):
            take(Sequential())
        with pytest.raises(TypeError, match=r"export_model\(mod.symbol, mod.get_params\(\), ...\)"):
            take(Module())


@pytest.mark.parametrize("shapes", [[(2, 1, 8, 8)], (2, 1, 8, 8), [[2, 1, 8, 8]], {"data": (2, 1, 8, 8)}, [("batch", 1, 8, 8)], [(None, 1, 8, 8)]], ids=str)
def test_shapes_in_the_place_of_parameters_are_refused(digits, tmp_path, shapes):
    """The second argument is params, as in mxnet.onnx.export_model: the message spoke of the path of a parameter file."""
    with pytest.raises(TypeError) as found:
        mx2onnx.export_model(digits.symbol, shapes, onnx_file_path=str(tmp_path / "net.onnx"))
    assert str(found.value) == "the second argument is params, and %r is a shape or shapes: write in_shapes=%r" % (shapes, shapes)
    with pytest.raises(TypeError, match="the second argument is params, and 'net.ONNX' is an ONNX file: write onnx_file_path='net.ONNX'"):
        mx2onnx.export_model(digits.symbol, "net.ONNX", shapes)
    mx2onnx.export_model(digits.symbol, in_shapes=shapes, onnx_file_path=str(tmp_path / "net.onnx"))


def test_shapes_that_are_not_sequences_of_sizes_are_refused():
    with mx2onnx.Model() as m:
        m.load_symbol(json.dumps({"nodes": [{"op": "null", "name": "data", "inputs": []}, {"op": "relu", "name": "y", "inputs": [[0, 0, 0]]}],
                                  "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}))
        with pytest.raises(TypeError, match="not the text '2x3'"):
            m.set_input_shape("data", "2x3")
        with pytest.raises(TypeError, match="must be a sequence such as .*, not 5"):
            m.set_input_shape("data", 5)
        with pytest.raises(ValueError, match="what to use is 'shapes' or 'normalization', not 'x'"):
            m.use_published("x")
        with pytest.raises(mx2onnx.Error, match="'1' is not a name for dimension 0"):
            m.set_input_shape("data", ("1", "4"))
        for text in ("-1", "0", "4.5", "None", "?", "*", "-", "any", " n", "n ", "1_000", "-1_000", "+0x1F", "0b11", "0O17"):
            with pytest.raises(mx2onnx.Error, match="is not a name for dimension 0"):
                m.set_input_shape("data", (text, 4))
        for name in ("_1", "0x", "1x0", "0y1", "+", "0x_1", "x1F"):
            m.set_input_shape("data", (name, 4))
        for open_dim in (-1, None, 0):
            m.set_input_shape("data", (open_dim, 4))
            m.infer()
            assert m.inputs[0].shape[1] == 4 and m.inputs[0].shape[0] == "batch", open_dim


def test_one_shape_need_not_be_in_a_list(tmp_path):
    text = json.dumps({"nodes": [{"op": "null", "name": "data", "inputs": []}, {"op": "relu", "name": "y", "inputs": [[0, 0, 0]]}],
                       "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})
    assert os.path.exists(mx2onnx.export_model(text, {}, (1, 4), onnx_file_path=str(tmp_path / "m.onnx")))


def test_values_may_be_for_variables_that_were_renamed(tmp_path):
    """Two variables of one name: the second becomes w_1, which no list of the file has. A value for it ended the process after a look."""
    nodes = [{"op": "null", "name": n, "inputs": []} for n in ("data", "w", "w")] + [
        {"op": "broadcast_add", "name": n, "inputs": [[a, 0, 0], [b, 0, 0]]} for n, a, b in (("a", 0, 1), ("b", 3, 2))]
    m = mx2onnx.Model()
    m.load_symbol(json.dumps({"nodes": nodes, "arg_nodes": [0, 1, 2], "heads": [[4, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}))
    np.savez(tmp_path / "m.npz", w=np.ones(3, np.float32))
    m.load_params(tmp_path / "m.npz")
    assert [i.name for i in m.inputs] == ["data", "w_1"]
    m.set_param("w_1", np.ones(3, np.float32))
    assert [i.name for i in m.inputs] == ["data"] == [v.name for v in m.variables]
    m.set_param("data", np.ones(3, np.float32))
    assert (m.inputs, m.variables) == ([], [])


def test_a_compressed_member_may_be_as_long_as_its_content(tmp_path):
    """It is not taken for a stored one, whose bytes are copied from the archive."""
    def npz(array):
        content = io.BytesIO()
        np.save(content, array)
        with zipfile.ZipFile(tmp_path / "m.npz", "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("arg:w.npy", content.getvalue())
            return z.infolist()[0]

    random = np.random.RandomState(1)
    for size in range(1, 2000):
        w = random.randint(0, 256, size).astype(np.uint8)
        member = npz(w)
        if member.compress_size == member.file_size:
            break
    assert member.compress_size == member.file_size
    m = mx2onnx.Model()
    m.load_symbol(b'{"nodes": [{"op": "null", "name": "w", "inputs": []}], "arg_nodes": [0], "heads": [[0, 0, 0]]}')
    m.load_params(str(tmp_path / "m.npz"))
    assert (m.params["w"].numpy() == w).all()


def test_a_stored_member_may_not_end_after_its_archive(tmp_path):
    """The directory comes first, and the member is in the comment, cut short. Its bytes are not taken for a part of the file."""
    def header(crc, size, name):
        return struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 0, 0, 0x21, crc, size, size, len(name), 0) + name

    content = io.BytesIO()
    np.save(content, np.arange(1000, dtype=np.float32))
    content, name = content.getvalue(), b"arg:w.npy"
    crc, size = zlib.crc32(content), len(content)
    padding = header(0, 0, b"x") + bytes(9000)
    for length in (size, 1000):
        member = header(crc, size, name) + content[:length]
        entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 0, 0, 0x21, crc, size, size, len(name), 0, 0, 0, 0, 0,
                            len(padding) + 46 + len(name) + 22) + name
        end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(entry), len(padding), len(member))
        (tmp_path / "m.npz").write_bytes(padding + entry + end + member)
        with mx2onnx.Model() as m:
            if length == size:
                m.load_params(str(tmp_path / "m.npz"))
                assert (m.params["w"].numpy() == np.arange(1000)).all()
            else:
                with pytest.raises(mx2onnx.FormatError, match="'arg:w.npy' cannot be read"):
                    m.load_params(str(tmp_path / "m.npz"))


@pytest.mark.parametrize("form", ["big-endian", "Fortran order"])
def test_an_array_of_megabytes_is_expanded_by_pieces(form, tmp_path):
    """It is read piece by piece, and expanded."""
    array = np.arange(900000, dtype=np.float32).reshape(900, 1000)
    np.savez(tmp_path / "m.npz", w=array.astype(">f4") if form == "big-endian" else np.asfortranarray(array))
    with mx2onnx.Model() as m:
        m.load_symbol(variables_and("x", heads=[0]))
        m.load_params(tmp_path / "m.npz")
        assert (m.params["w"].numpy() == array).all()


def variables_and(*nodes, heads):
    """A symbol of variables, which are names, and operators with their inputs and attributes."""
    made = [{"op": "null", "name": n, "inputs": []} if isinstance(n, str)
            else {"op": n[0], "name": "n%d" % i, "inputs": [[k, 0, 0] for k in n[1]], "attrs": n[2]} for i, n in enumerate(nodes)]
    return json.dumps({"nodes": made, "arg_nodes": [i for i, n in enumerate(nodes) if isinstance(n, str)],
                       "heads": [[i, 0, 0] for i in heads], "attrs": {"mxnet_version": ["int", 10901]}})


EMBEDDED = ("Embedding", (0, 1), {"input_dim": "2", "output_dim": "2"})


@pytest.mark.parametrize("call", ["outputs", "infer", "export_bytes", "graph_text", "report"])
def test_outputs_have_the_names_of_the_file_whatever_failed_before(call):
    """A weight is missing, so nothing can be inferred or exported. An output that is a variable gets another name than the input."""
    with mx2onnx.Model() as m:
        m.load_symbol(variables_and("data", "w", EMBEDDED, "lab", ("broadcast_add", (2, 3), {}), heads=[4, 3]))
        m.set_input_shape("data", (2, 2))
        m.set_input_shape("lab", (2, 2, 2))
        m.rename("n4", "sum")
        if call in ("infer", "export_bytes"):
            with pytest.raises(mx2onnx.MissingParameterError):
                getattr(m, call)()
        elif call == "graph_text":
            m.graph_text("mxnet")
        else:
            getattr(m, call)
        assert [o.name for o in m.outputs] == ["sum", "lab_1"]
        m.rename("n4", "total")
        assert [o.name for o in m.outputs] == ["total", "lab_1"]
        m.set_param("w", np.ones((2, 2), np.float32))
        assert m.export_bytes() and [o.name for o in m.outputs] == ["total", "lab_1"]


def test_a_missing_weight_that_is_an_output_becomes_an_input():
    """Then the output has another name, also if it was looked at before."""
    for looks in (False, True):
        with mx2onnx.Model() as m:
            m.load_symbol(variables_and("data", "w", EMBEDDED, heads=[2, 1]))
            m.set_input_shape("data", (2, 2))
            if looks:
                assert [o.name for o in m.outputs] == ["n2", "w"]
            m.set_input_shape("w", (2, 2))
            assert [i.name for i in m.inputs] == ["data", "w"] and [o.name for o in m.outputs] == ["n2", "w_1"]


def test_a_name_is_not_found_in_a_model_without_inputs():
    for fails in (False, True):
        with mx2onnx.Model() as m:
            m.load_symbol(variables_and("data", "w", EMBEDDED, heads=[2]))
            m.set_param("data", np.zeros((2, 2), np.float32))
            if fails:
                with pytest.raises(mx2onnx.MissingParameterError):
                    m.export_bytes()
            with pytest.raises(mx2onnx.NotFoundError, match="the model has no inputs"):
                m.set_input_shape("nope", (1,))


def test_the_gates_of_variables_with_one_name_are_looked_for_once():
    count = 3000
    nodes = [{"op": "null", "name": "parameters", "inputs": []} for _ in range(count)]
    nodes.append({"op": "add_n", "name": "sum", "attrs": {"num_args": str(count)}, "inputs": [[i, 0, 0] for i in range(count)]})
    symbol = {"nodes": nodes, "arg_nodes": list(range(count)), "heads": [[count, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    with mx2onnx.Model(json.dumps(symbol).encode()) as m:
        m.load_params({"l%d_i2h_i_weight" % i: np.zeros(1, np.float32) for i in range(count)})
        with pytest.raises(mx2onnx.FormatError, match="two inputs of the model have this name"):
            m.infer()
