# SPDX-License-Identifier: Apache-2.0
"""export_model and get_operator_support: the signature and meaning of mxnet.onnx."""
import array
import collections
import inspect
import json
import logging
import os
import pathlib
import re
import subprocess
import sys

import mx2onnx
import pytest

np = pytest.importorskip("numpy")

SHAPE = (1, 1, 8, 8)


def input_shape(session):
    return session.get_inputs()[0].shape


def load_params(digits):
    with mx2onnx.Model() as m:
        m.load_params(digits.params)
        return {name: p.numpy() for name, p in m.params.items()}


class NDArray:
    """As much of mxnet.nd.NDArray as the package may use."""

    def __init__(self, value):
        self.value = value

    def asnumpy(self):
        return self.value


class Symbol:
    """As much of mxnet.sym.Symbol as the package may use."""

    def __init__(self, path):
        self.path = path

    def tojson(self):
        with open(self.path, encoding="utf-8") as f:
            return f.read()


def test_signature_is_mxnets():
    parameters = inspect.signature(mx2onnx.export_model).parameters.values()
    positional = [(p.name, p.default) for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == [
        ("sym", inspect.Parameter.empty),
        ("params", None),  # which has no default in MXNet
        ("in_shapes", None),
        ("in_types", np.float32),
        ("onnx_file_path", "model.onnx"),
        ("verbose", False),
        ("dynamic", False),
        ("dynamic_input_shapes", None),
        ("run_shape_inference", False),
        ("input_type", None),
        ("input_shape", None),
        ("large_model", False),
    ]


def test_export_model_converts_files(digits, tmp_path):
    target = str(tmp_path / "net.onnx")
    assert mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], np.float32, target) == target
    session = digits.check(target)
    assert input_shape(session) == list(SHAPE)
    assert [o.name for o in session.get_outputs()] == ["softmax"]


def test_the_default_path_is_model_onnx(digits, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert mx2onnx.export_model(digits.symbol, digits.params, [SHAPE]) == "model.onnx"
    digits.check(tmp_path / "model.onnx")


def test_paths_may_be_those_of_pathlib(digits, tmp_path):
    target = tmp_path / "net.onnx"
    assert mx2onnx.export_model(pathlib.Path(digits.symbol), pathlib.Path(digits.params), [SHAPE],
                                onnx_file_path=target) == target
    digits.check(target)


@pytest.mark.parametrize("form", ["dict", "asnumpy", "prefixed", "list", "next_to"])
def test_params_may_have_any_form(digits, tmp_path, form):
    arrays = load_params(digits)
    params = {
        "dict": arrays,
        "asnumpy": {k: NDArray(v) for k, v in arrays.items()},
        "prefixed": {("aux:" if "moving" in k else "arg:") + k: v for k, v in arrays.items()},
        "list": [{k: v for k, v in arrays.items() if "moving" not in k},
                 {k: v for k, v in arrays.items() if "moving" in k}],
        "next_to": None,
    }[form]
    digits.check(mx2onnx.export_model(digits.symbol, params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx")))


def test_arrays_may_have_any_order(digits, tmp_path):
    """Strided, big-endian and read-only arrays hold the same numbers."""
    arrays = load_params(digits)
    arrays["fc1_weight"] = np.asfortranarray(arrays["fc1_weight"])
    arrays["fc1_bias"] = arrays["fc1_bias"].astype(">f4")
    arrays["fc2_weight"] = np.repeat(arrays["fc2_weight"], 2, axis=1)[:, ::2]
    arrays["fc2_bias"].setflags(write=False)
    digits.check(mx2onnx.export_model(digits.symbol, arrays, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx")))


def test_buffers_need_not_be_those_of_numpy(digits, tmp_path):
    arrays = load_params(digits)
    arrays["fc2_bias"] = array.array("f", arrays["fc2_bias"].tolist())
    digits.check(mx2onnx.export_model(digits.symbol, arrays, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx")))


@pytest.mark.parametrize("form", ["json", "object"])
def test_sym_may_have_any_form(digits, tmp_path, form):
    sym = Symbol(digits.symbol)
    sym = sym.tojson() if form == "json" else sym
    digits.check(mx2onnx.export_model(sym, digits.params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx")))


@pytest.mark.parametrize("types", [np.float32, "float32", np.dtype("float32"), [np.float32], {"data": "float32"}])
def test_in_types_may_have_any_form(digits, tmp_path, types):
    digits.check(mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], types, str(tmp_path / "net.onnx")))


def test_old_names_of_arguments_are_accepted(digits, tmp_path):
    digits.check(mx2onnx.export_model(digits.symbol, digits.params, input_shape=[SHAPE], input_type=np.float32,
                                      onnx_file_path=str(tmp_path / "net.onnx")))


def test_shapes_may_be_given_by_name(digits, tmp_path):
    digits.check(mx2onnx.export_model(digits.symbol, digits.params, {"data": SHAPE},
                                      onnx_file_path=str(tmp_path / "net.onnx")))


@pytest.mark.parametrize("shapes", [[(None, 1, 8, 8)], [("batch", 1, 8, 8)], {"data": ("n", 1, 8, 8)}])
def test_dynamic_shapes_have_names(digits, tmp_path, shapes):
    target = mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], np.float32, str(tmp_path / "net.onnx"),
                                  dynamic=True, dynamic_input_shapes=shapes)
    session = digits.check(target)
    shape = input_shape(session)
    assert not isinstance(shape[0], int) and shape[1:] == [1, 8, 8]
    asked = (shapes["data"] if isinstance(shapes, dict) else shapes[0])[0]
    assert asked is None or shape[0] == asked
    assert session.get_outputs()[0].shape == [shape[0], 10]


def test_dynamic_needs_its_flag(digits, tmp_path):
    with pytest.raises(ValueError, match="dynamic=True"):
        mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx"),
                             dynamic_input_shapes=[(None, 1, 8, 8)])
    with pytest.raises(ValueError, match="4 and 2 dims"):
        mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx"),
                             dynamic=True, dynamic_input_shapes=[(None, 1)])
    with pytest.raises(ValueError, match="in_shapes and dynamic_input_shapes give input 'data' 8 and 9 at axis 2"):
        mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx"),
                             dynamic=True, dynamic_input_shapes=[(None, 1, 9, 8)])
    assert os.listdir(tmp_path) == []


def test_wrong_number_of_shapes_names_the_inputs(digits, tmp_path):
    with pytest.raises(ValueError, match="3 entries.*1 input: data"):
        mx2onnx.export_model(digits.symbol, digits.params, [SHAPE, (1,), (1,)], onnx_file_path=str(tmp_path / "net.onnx"))


@pytest.mark.parametrize("opset", [11, 12, 13, 17, 21])
def test_the_opset_can_be_chosen(digits, tmp_path, opset):
    onnx = pytest.importorskip("onnx")
    target = mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx"),
                                  opset_version=opset)
    model = onnx.load(target)
    onnx.checker.check_model(model, full_check=True)
    assert [(o.domain, o.version) for o in model.opset_import] == [("", opset)]
    digits.check(target)


def test_a_large_model_has_a_side_file(digits, tmp_path):
    target = mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx"),
                                  large_model=True)
    assert sorted(os.listdir(tmp_path)) == ["net.onnx", "net.onnx.data"]
    digits.check(target)


def test_outputs_are_chosen_and_renamed(digits, tmp_path):
    ort = pytest.importorskip("onnxruntime")
    target = mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx"),
                                  outputs=["fc1_output", "softmax_output"], rename={"fc1": "hidden", "data": "image"})
    session = ort.InferenceSession(target, providers=["CPUExecutionProvider"])
    assert [i.name for i in session.get_inputs()] == ["image"]
    assert [o.name for o in session.get_outputs()] == ["hidden", "softmax"]


def test_initializers_can_be_inputs(digits, tmp_path):
    onnx = pytest.importorskip("onnx")
    path = str(tmp_path / "net.onnx")
    plain = onnx.load(mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=path))
    assert [i.name for i in plain.graph.input] == ["data"]
    both = onnx.load(mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=path,
                                          initializers_as_inputs=True))
    names = {i.name for i in both.graph.input}
    assert names >= {"data", "fc1_weight", "fc2_bias"}


def test_verbose_puts_a_line_into_the_log(digits, tmp_path, caplog):
    with caplog.at_level(logging.DEBUG, "mx2onnx"):
        mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx"),
                             verbose=True)
        quiet = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert quiet == []
    assert re.fullmatch(r"wrote .*net\.onnx: opset \d+, 11 nodes, \d+ bytes", [r.getMessage() for r in caplog.records if r.levelno == logging.INFO][-1])


def test_warnings_are_always_logged(digits, tmp_path, caplog):
    """A misspelt parameter was not used, and nothing said so."""
    path, extra = str(tmp_path / "net.onnx"), {"fc1_wieght": np.zeros(3, np.float32)}
    said = "'fc1_wieght': the model has no variable of this name, so the value is not used; the nearest is 'fc1_weight'"

    def warned(export):
        caplog.clear()
        export()
        return [r.getMessage() for r in caplog.records if r.name == "mx2onnx" and r.levelno == logging.WARNING]

    for verbose in (False, True):
        assert warned(lambda: mx2onnx.export_model(digits.symbol, [digits.params, extra], [SHAPE], onnx_file_path=path, verbose=verbose)) == [said]
    with mx2onnx.Model(digits.symbol) as m:
        m.load_params(extra)
        m.set_input_shape("data", SHAPE)
        assert warned(lambda: m.export(path)) == [said] == warned(m.export_bytes)
        heard = []
        m.set_log(lambda level, text: heard.append(text), logging.WARNING)
        assert warned(lambda: m.export(path)) == []


def test_more_slips_than_are_searched_for_are_counted(digits, caplog):
    with mx2onnx.Model(digits.symbol) as m:
        m.load_params({"fc1_weight%d" % i: np.zeros(3, np.float32) for i in range(10)})
        m.set_input_shape("data", SHAPE)
        m.infer()
        said = [(d.message, d.advice) for d in m.diagnostics]
    assert [advice for _, advice in said] == ["the nearest is 'fc1_weight'"] * 8 + [""]
    assert "nor of those of 1 other array that was set" in said[-1][0]


def test_names_of_in_shapes_stay(digits, tmp_path):
    target = mx2onnx.export_model(digits.symbol, digits.params, [("n", 1, 8, 8)], onnx_file_path=str(tmp_path / "net.onnx"), dynamic=True)
    assert input_shape(digits.check(target))[0] == "n"


def test_files_must_be_binary(digits, tmp_path):
    with open(digits.params, encoding="latin-1", newline="") as file, pytest.raises(TypeError, match="open it with 'rb'"):
        mx2onnx.export_model(digits.symbol, file, [SHAPE], onnx_file_path=str(tmp_path / "net.onnx"))
    with mx2onnx.Model(digits.symbol) as m, open(tmp_path / "out", "w") as file, pytest.raises(TypeError, match="open it with 'wb'"):
        m.export(file)


def test_a_module_names_its_parts(tmp_path):
    class Module:
        symbol = None

        def get_params(self):
            return {}, {}

    for params in (None, {}):
        with pytest.raises(TypeError, match="mod.symbol, mod.get_params"):
            mx2onnx.export_model(Module(), params, onnx_file_path=str(tmp_path / "x.onnx"))


def test_errors_carry_diagnostics(digits, tmp_path):
    target = tmp_path / "net.onnx"
    target.write_text("as it was")
    text = Symbol(digits.symbol).tojson().replace('"Pooling"', '"PoolingOfTomorrow"')
    with pytest.raises(mx2onnx.Error) as info:
        mx2onnx.export_model(text, digits.params, [SHAPE], onnx_file_path=str(target))
    assert info.value.status == "UNSUPPORTED"
    assert "PoolingOfTomorrow" in str(info.value)
    found = [d for d in info.value.diagnostics if d.severity == "error"]
    assert {d.node for d in found} >= {"pool1", "pool2"}
    assert target.read_text() == "as it was"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(mx2onnx.Error) as info:
        mx2onnx.export_model("no-such-symbol.json", "no-such-0000.params", [SHAPE],
                             onnx_file_path=str(tmp_path / "net.onnx"))
    assert info.value.status == "NOT_FOUND"
    assert "no-such-symbol.json" in str(info.value)


def test_operator_support_is_a_sorted_list():
    names = mx2onnx.get_operator_support()
    assert names == sorted(set(names))
    assert {"Convolution", "BatchNorm", "SoftmaxOutput"} <= set(names)
    assert set(mx2onnx.get_operator_support(11)) <= set(names)
    assert "Convolution" in mx2onnx.get_operator_support(11)
    for opset in (9, 10, mx2onnx.opset_range()[1] + 1):
        with pytest.raises(ValueError, match="opset_version is a number from 11 to"):
            mx2onnx.get_operator_support(opset)


def test_operator_support_is_the_table():
    """ops/SUPPORT.md, which tests/api/table.py compares with the command line."""
    rows = []
    for line in pathlib.Path(__file__).parents[2].joinpath("ops", "SUPPORT.md").read_text().splitlines():
        if line.startswith("| `"):
            name, aliases, status, refused = line.split("|")[1:5]
            if status.strip() != "no":
                below = re.match(r" An opset below (\d+)\.", refused)
                rows.append(((name + aliases).replace("`", " ").split(), int(below.group(1)) if below else 11))
    assert len(rows) > 400
    for opset in (11, 12, 17, None):
        assert mx2onnx.get_operator_support(opset) == sorted(n for names, first in rows for n in names
                                                             if opset is None or first <= opset)


@pytest.mark.parametrize("arguments,error,said", [
    ({"in_shapes": {}}, ValueError, "in_shapes is empty, but the model has 1 input: data; give each, or leave in_shapes out"),
    ({"in_shapes": []}, ValueError, "in_shapes has 0 entries|in_shapes is empty"),
    ({"in_shapes": ""}, ValueError, "in_shapes is a list of shapes, such as .*, not a text: ''"),
    ({"in_shapes": 5}, TypeError, "in_shapes is a list of shapes, such as .*, or a dict by name, not 5"),
    ({"in_shapes": [None]}, TypeError, "in_shapes has None for 'data', not a shape such as"),
    ({"in_shapes": {"data": 4}}, TypeError, "in_shapes has 4 for 'data', not a shape such as"),
    ({"in_shapes": {"data": "1x1x8x8"}}, TypeError, "in_shapes has '1x1x8x8' for 'data', not a shape"),
    ({"dynamic": True, "dynamic_input_shapes": ()}, ValueError, "dynamic_input_shapes has 0 entries|dynamic_input_shapes is empty"),
    ({"dynamic": True, "dynamic_input_shapes": [None]}, TypeError, "dynamic_input_shapes has None for 'data'"),
    ({"in_types": {}}, ValueError, "in_types is empty"),
    ({"opset_version": 0}, ValueError, "opset_version is a number from 11 to 28, or None for the default, not 0"),
    ({"opset_version": 9}, ValueError, "opset_version is a number from 11 to 28, or None for the default, not 9"),
    ({"opset_version": 29}, ValueError, "opset_version is a number from 11 to 28, or None for the default, not 29"),
    ({"opset_version": ""}, TypeError, "opset_version must be an integer, not ''"),
    ({"opset_version": False}, TypeError, "opset_version must be an integer, not False"),
    ({"seed": -1}, ValueError, "seed is a number of 0 or more, or None, not -1"),
    ({"custom_operators": 5}, TypeError, "custom operators are a dict .*, not 5"),
    ({"custom_operators": ""}, TypeError, "custom operators are a dict .*, not ''"),
    ({"custom_operators": None}, TypeError, "custom operators are a dict .*, not None"),
    ({"custom_operators": [mx2onnx.custom_operator("one")(len), mx2onnx.custom_operator("one")(abs)]}, ValueError,
     "two handlers are given for the operator 'one': remove one of them"),
    ({"outputs": "fc1_output"}, TypeError, r"outputs is a list of names, such as \['data'\], not 'fc1_output'"),
    ({"channels_last": "data"}, TypeError, "channels_last is a list of names"), ({"keep_float32": 3}, TypeError, "keep_float32 is a list of names"),
    ({"mean": "0.5"}, TypeError, "mean is a dict by name, such as .*, not '0.5'"), ({"scale": True}, TypeError, "scale is a dict by name"),
    ({"rename": "a=b"}, TypeError, "rename is a dict by name"), ({"mean": {"data": float("nan")}}, ValueError, "'data': .*the value of channel 0 is nan, but must be finite"),
    ({"external_data": ""}, ValueError, "external_data is one of"),
    ({"in_shapes": [(-3, 1, 8, 8)]}, ValueError, "'data': .*dimension 0 is -3, but must be 0 or more"),
    ({"input_shape": [[np.int64(1), 1, 8, 8]]}, ValueError, "give one of them"),
    ({"large_model": True, "external_data": "never"}, ValueError, "external_data='never' none; give one of them"),
    ({"input_shape": [(2, 1, 8, 8)]}, ValueError, "input_shape is the older name of in_shapes; give one of them"),
    ({"in_types": "float64", "input_type": "float16"}, ValueError, "input_type is the older name of in_types; give one of them"),
    ({"dynamic": "False"}, TypeError, "dynamic is True or False, not 'False'"),
    ({"dynamic": 12}, TypeError, "dynamic is True or False, not 12: MXNet 1.8 had the opset here; write opset_version=12"),
    ({"verbose": 7}, TypeError, "verbose is True or False, not 7"),
    ({"in_shapes": [np.ones((1, 1, 8, 8))]}, TypeError,
     r"in_shapes has an array of type ndarray and shape \(1, 1, 8, 8\) for 'data', not a shape such as \(1, 3, 224, 224\)$"),
    ({"in_shapes": [(1, 1, 8, np.ones(99))]}, TypeError, r"dim 3 must be an integer, not an array of type ndarray and shape \(99,\)$"),
    ({"keep_float32": ["fc1"]}, ValueError, "keep_float32 has no effect without float16"),
    ({"external_threshold": 5}, ValueError, "external_threshold has no effect without external_data"),
    ({"custom_operators": {"mine": "b"}}, TypeError, "the handler of 'mine' is a function, .*, not 'b'"),
])
def test_values_without_a_meaning_are_refused(arguments, error, said, digits, tmp_path):
    """Some were taken for nothing at all, and some ended in a line of this package."""
    with pytest.raises(error, match=said):
        mx2onnx.export_model(digits.symbol, digits.params, **dict({"in_shapes": [(1, 1, 8, 8)]}, **arguments), onnx_file_path=str(tmp_path / "x.onnx"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("given", [
    {"in_shapes": [np.array([1, 1, 8, 8])]}, {"in_shapes": np.array([1, 1, 8, 8])}, {"in_shapes": tuple(np.int64(d) for d in (1, 1, 8, 8))},
    {"in_shapes": {"data": (np.int64(1), 1, np.int32(8), 8)}}, {"in_shapes": [(1, 1, 8, 8)], "in_types": "float32", "input_type": np.float32},
    {"in_shapes": [(1, 1, 8, 8)], "in_types": np.float32, "input_type": "float32"},
    {"in_shapes": [(1, 1, 8, 8)], "dynamic": True, "dynamic_input_shapes": [(np.int64(1), 1, 8, 8)]},
])
def test_numbers_and_types_may_be_those_of_numpy(given, digits, tmp_path):
    """A shape of numpy.int64 was taken for a list of shapes, and a type in two spellings for two types."""
    path, plain = str(tmp_path / "x.onnx"), str(tmp_path / "plain.onnx")
    mx2onnx.export_model(digits.symbol, digits.params, onnx_file_path=path, **given)
    mx2onnx.export_model(digits.symbol, digits.params, in_shapes=[(1, 1, 8, 8)], onnx_file_path=plain)
    assert open(path, "rb").read() == open(plain, "rb").read()


def test_data_shapes_of_a_module_are_accepted(digits, tmp_path):
    """They are pairs, or DataDesc, which is a tuple that begins with name and shape; each was taken for a shape."""
    desc = collections.namedtuple("DataDesc", "name shape dtype layout")("data", (1, 1, 8, 8), np.float32, "NCHW")
    for i, shapes in enumerate(([(1, 1, 8, 8)], [("data", (1, 1, 8, 8))], [desc])):
        mx2onnx.export_model(digits.symbol, digits.params, shapes, onnx_file_path=str(tmp_path / ("%d.onnx" % i)))
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1
    with pytest.raises(mx2onnx.NotFoundError, match="'picture': the model has no input of this name"):
        mx2onnx.export_model(digits.symbol, digits.params, [("picture", (1, 1, 8, 8))], onnx_file_path=str(tmp_path / "x.onnx"))


def test_a_fixed_size_and_another_of_numpy_contradict_each_other(digits, tmp_path):
    with pytest.raises(ValueError, match="give input 'data' 1 and 2 at axis 0"):
        mx2onnx.export_model(digits.symbol, digits.params, in_shapes=[(np.int64(1), 1, 8, 8)], dynamic=True,
                             dynamic_input_shapes=[(np.int64(2), 1, 8, 8)], onnx_file_path=str(tmp_path / "x.onnx"))


def test_an_opset_above_that_of_the_target_is_warned_of(digits, tmp_path, caplog):
    mx2onnx.export_model(digits.symbol, digits.params, in_shapes=[(1, 1, 8, 8)], opset_version=20, target="opencv4", onnx_file_path=str(tmp_path / "x.onnx"))
    assert [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING] == [
        "opencv4 reads opsets up to 17, but 20 is written; leave Model.opset (export_model: opset_version) at its default"]


def test_parameters_may_not_be_missing_from_a_dict(digits, tmp_path):
    """They were missing "from the parameter files"."""
    with mx2onnx.Model(digits.symbol) as m:
        arg_params = {name: p.numpy() for name, p in m.params.items() if "moving" not in name}
    with pytest.raises(mx2onnx.MissingParameterError) as e:
        mx2onnx.export_model(digits.symbol, arg_params, [SHAPE], onnx_file_path=str(tmp_path / "x.onnx"))
    assert "are missing from those that were given: 'bn1_moving_mean'" in str(e.value)
    assert "; give them, too: MXNet keeps auxiliary parameters (aux_params) apart, or make an input" in str(e.value)


def test_the_only_input_needs_no_name(digits, tmp_path):
    def written(**options):
        path = tmp_path / "x.onnx"
        mx2onnx.export_model(digits.symbol, digits.params, [SHAPE], onnx_file_path=str(path), **options)
        return path.read_bytes()

    for short, full in (({"channels_last": True}, {"channels_last": ["data"]}), ({"reverse_channels": True}, {"reverse_channels": ["data"]}),
                        ({"mean": [2.5]}, {"mean": {"data": [2.5]}}), ({"mean": 2, "scale": 0.5}, {"mean": {"data": 2}, "scale": {"data": 0.5}}),
                        ({"scale": np.array([0.5])}, {"scale": {"data": 0.5}}), ({"channels_last": False}, {})):
        assert written(**short) == written(**full)
    two = ('{"nodes": [{"op": "null", "name": "a", "inputs": []}, {"op": "null", "name": "b", "inputs": []}, {"op": "elemwise_add", "name": "s", '
           '"inputs": [[0, 0, 0], [1, 0, 0]]}], "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}')
    for name, value in (("channels_last", True), ("mean", 1), ("scale", [1, 2])):
        with pytest.raises(ValueError, match="%s must name its inputs, because the model has 2 inputs: a, b" % name):
            mx2onnx.export_model(two, {}, [(2, 3), (2, 3)], onnx_file_path=str(tmp_path / "x.onnx"), **{name: value})


def test_verbose_is_seen_without_a_configuration(digits, tmp_path):
    """Nothing was printed: the level of INFO has no handler then."""
    program = ("import mx2onnx, sys; mx2onnx.export_model(%r, %r, [%r], onnx_file_path=%r, verbose=sys.argv[1] == 'yes')"
               % (digits.symbol, digits.params, SHAPE, str(tmp_path / "x.onnx")))
    for setup, verbose, seen in (("", "yes", True), ("", "no", False), ("import logging; logging.basicConfig(level=logging.ERROR); ", "yes", False)):
        done = subprocess.run([sys.executable, "-c", setup + program, verbose], capture_output=True, text=True, check=True)
        assert (done.stderr.startswith("wrote ") or "\nwrote " in done.stderr) == seen, done.stderr


def test_advice_to_set_a_shape_is_pythons(tmp_path):
    """It was the command line's: data=1x3x224x224."""
    symbol = ('{"nodes": [{"op": "null", "name": "data", "inputs": []}, {"op": "transpose", "name": "t", "inputs": [[0, 0, 0]]}], '
              '"arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}')
    with pytest.raises(mx2onnx.ShapeError) as e:
        mx2onnx.export_model(symbol, {}, onnx_file_path=str(tmp_path / "x.onnx"))
    assert str(e.value).endswith('set it with Model.set_input_shape("data", DIMS) (export_model: in_shapes={"data": DIMS}), where DIMS are the '
                                 'sizes that it had in MXNet'), str(e.value)
    text = mx2onnx._errors.text_of(b"add the batch dimension with mx2onnx_set_input_shape: data=1x3x?")
    assert text == 'add the batch dimension with Model.set_input_shape("data", (1, 3, None)) (export_model: in_shapes={"data": (1, 3, None)})'
    text = mx2onnx._errors.text_of(b"fix the size with mx2onnx_set_input_shape: data=?x3xSIZE")  # SIZE is for the reader to replace, not a name
    assert text == 'fix the size with Model.set_input_shape("data", (None, 3, SIZE)) (export_model: in_shapes={"data": (None, 3, SIZE)})'
    text = mx2onnx._errors.text_of(b"fix the size with mx2onnx_set_input_shape: data=n,?,max")
    assert text == 'fix the size with Model.set_input_shape("data", ("n", None, "max")) (export_model: in_shapes={"data": ("n", None, "max")})'
    text = mx2onnx._errors.text_of(b"set it with mx2onnx_set_input_shape: my_label=batch, or choose")  # the shape that fits the data's
    assert text == 'set it with Model.set_input_shape("my_label", ("batch",)) (export_model: in_shapes={"my_label": ("batch",)}), or choose'
    text = mx2onnx._errors.text_of(b"'mx2onnx_fc1' of '/tmp/mx2onnx_data/mx2onnx_net.params' (mx2onnx_add_output)")  # the caller's own names
    assert text == "'mx2onnx_fc1' of '/tmp/mx2onnx_data/mx2onnx_net.params' (Model.add_output (export_model: outputs))"


def test_a_net_may_need_a_batch_of_one(tmp_path):
    """GluonCV's Faster R-CNN joins the regions of a batch with those of one image."""
    nodes = [{"op": "null", "name": "data", "inputs": []}, {"op": "Reshape", "name": "rois", "attrs": {"shape": "(-1, 4)"}, "inputs": [[0, 0, 0]]},
             {"op": "_zeros", "name": "image", "attrs": {"shape": "(48, 1)", "dtype": "float32"}, "inputs": []},
             {"op": "Concat", "name": "all", "attrs": {"dim": "1", "num_args": "2"}, "inputs": [[2, 0, 0], [1, 0, 0]]}]
    symbol = json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[3, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})
    path = str(tmp_path / "x.onnx")
    with pytest.raises(mx2onnx.ShapeError) as e:
        mx2onnx.export_model(symbol, {}, in_shapes=[(2, 3, 8, 8)], onnx_file_path=path)
    assert 'in_shapes={"data": (1, 3, 8, 8)})' in str(e.value), str(e.value)
    mx2onnx.export_model(symbol, {}, in_shapes={"data": (1, 3, 8, 8)}, onnx_file_path=path)
