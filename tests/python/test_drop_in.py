# SPDX-License-Identifier: Apache-2.0
"""The calls that MXNet 1.9.1's own mxnet.onnx.export_model took (tests/oracle/drop_in.py): the same inputs come out."""
import json
import os

import mx2onnx
import pytest
from conftest import ROOT

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx")

with open(os.path.join(ROOT, "tests", "data", "recorded", "drop_in.json")) as f:
    CALLS = json.load(f)


def is_label(name):
    """A label, which MXNet wrote as an input that nothing reads."""
    return name.endswith("_label") or name == "truth"


def export(row, tmp_path, **more):
    params = [{n: np.ones(s, np.float32) for n, s in row[part].items()} for part in ("args", "auxes")]
    return mx2onnx.export_model(row["symbol"], params, onnx_file_path=str(tmp_path / "x.onnx"), **dict(row["arguments"], **more))


def inputs(path):
    return [[i.name, onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type).name,
             [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim]] for i in onnx.load(path).graph.input]


ACCEPTED = [r for r in CALLS if "inputs" in r]


@pytest.mark.parametrize("row", ACCEPTED, ids=["%s-%d" % (r["name"], i) for i, r in enumerate(ACCEPTED)])
def test_calls_that_mxnet_accepts_are_accepted(row, tmp_path):
    """MXNet lists parameters as inputs, too. A dim that it leaves open has a name here, or the size that the weights allow."""
    valued = set(row["args"]) | set(row["auxes"])
    want = [i for i in row["inputs"] if i[0] not in valued and not is_label(i[0])]
    got = inputs(export(row, tmp_path))
    assert [g[:2] for g in got] == [w[:2] for w in want]
    for (name, _, g), (_, _, w) in zip(got, want):
        assert len(g) == len(w), name
        assert all(b is None or a == b for a, b in zip(g, w)), (name, g, w)


@pytest.mark.parametrize("i", [i for i, r in enumerate(CALLS) if r.get("error") == "AssertionError" and "in_types" not in r["arguments"]])
def test_calls_that_mxnet_refuses_are_refused(i, tmp_path):
    with pytest.raises(ValueError):
        export(CALLS[i], tmp_path)


def of(name):
    return next(r for r in CALLS if r["name"] == name)


@pytest.mark.parametrize("shapes,names", [([(2, 4), (3, 4), (3,), (2,)], ["data", "fc_weight", "fc_bias"]),
                                          ([(2, 4), (3, 4), (3,)], ["data", "fc_weight", "fc_bias"])])
def test_labels_may_be_omitted(shapes, names, tmp_path):
    assert [i[0] for i in inputs(export(of("classifier_open"), tmp_path, in_shapes=shapes, in_types="float32"))] == names


def test_the_shape_of_a_label_after_that_of_the_data_is_ignored(tmp_path):
    for shapes in ([(2, 4)], [(2, 4), (2,)]):
        row = dict(of("classifier"), arguments={"in_shapes": shapes})
        assert inputs(export(row, tmp_path)) == [["data", "float32", [2, 4]]]


def test_types_are_in_the_order_of_shapes(tmp_path):
    row = dict(of("tokens"), arguments={"in_shapes": [(2, 5), (2, 5, 4)], "in_types": ["int32", "float32"]})
    assert [i[:2] for i in inputs(export(row, tmp_path))] == [["ids", "int32"], ["bias", "float32"]]
    row = dict(of("tokens"), args={}, arguments={"in_shapes": [(2, 5), (9, 4), (2, 5, 4)], "in_types": ["int64", "float32", "float32"]})
    assert inputs(export(row, tmp_path)) == [["ids", "int64", [2, 5]], ["emb_weight", "float32", [9, 4]], ["bias", "float32", [2, 5, 4]]]


@pytest.mark.parametrize("shape, dims", [((1, 4), [1, 4]), ([2, 4], [2, 4]), (("batch", 4), ["batch", 4])])
def test_one_shape_may_have_names_too(shape, dims, tmp_path):
    """("batch", 4) was taken as two entries of a list."""
    symbol = json.dumps({"nodes": [{"op": "null", "name": "data", "inputs": []}, {"op": "relu", "name": "y", "inputs": [[0, 0, 0]]}],
                         "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})
    assert inputs(mx2onnx.export_model(symbol, {}, shape, onnx_file_path=str(tmp_path / "m.onnx"))) == [["data", "float32", dims]]


@pytest.mark.parametrize("what", ["in_shapes", "in_types", "dynamic_input_shapes"])
def test_a_wrong_list_names_both_lists_and_what_is_missing(what, tmp_path):
    row = of("classifier_open")
    values = {"in_types": ["float32"] * 2}.get(what, [(2, 4), (3, 4)])
    arguments = dict(in_shapes=[(2, 4)], dynamic=what.startswith("dynamic"), **{} if what == "in_shapes" else {what: values})
    arguments["in_shapes"] = values if what == "in_shapes" else arguments["in_shapes"]
    with pytest.raises(ValueError, match=r"%s has 2 entries, but the model has 1 input: data; it has 4 variables without a value, in the order of "
                       r"list_inputs\(\): data, fc_weight, fc_bias, softmax_label; no entry is there for fc_bias, softmax_label" % what):
        export(dict(row, arguments=arguments), tmp_path)
    with pytest.raises(ValueError, match="has 9 entries.*; 5 entries are too many"):
        export(dict(row, arguments=dict(arguments, **{what: [values[0]] * 9})), tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_wrong_model_or_parameters_are_an_error_with_what_can_be_given(tmp_path):
    file = str(tmp_path / "x.onnx")
    for sym, params, said in ((3, None, "expected the path of a symbol file, its JSON text, .*, not an object of type int"),
                              (None, None, "not an object of type NoneType"), (np.zeros(2), {}, "not an object of type ndarray"),
                              (of("two_inputs")["symbol"], 3, "expected the path of a parameter file, .*, not an object of type int")):
        with pytest.raises(TypeError, match=said):
            mx2onnx.export_model(sym, params, onnx_file_path=file)
    with pytest.raises(ValueError, match=r"in_shapes is a list of shapes, such as \[\(1, 3, 224, 224\)\], not a text: '1x4'"):
        mx2onnx.export_model(of("two_inputs")["symbol"], {}, "1x4", onnx_file_path=file)


def test_parameters_are_found_next_to_the_symbol(tmp_path):
    digits = os.path.join(os.path.dirname(__file__), "../../examples/digits/digits")
    for sym in (digits, digits + "-symbol.json"):
        for params in (None, digits + "-0000.params"):  # with parameters, a prefix was an error
            file = str(tmp_path / "x.onnx")
            assert mx2onnx.export_model(sym, params, in_shapes=[(1, 1, 8, 8)], onnx_file_path=file) == file


def test_list_inputs_is_mxnets():
    for row in CALLS:
        with mx2onnx.Model() as m:
            m.load_symbol(row["symbol"])
            assert [v.name for v in m.variables] == row["list_inputs"]
            for part in ("args", "auxes"):
                m.load_params({n: np.ones(s, np.float32) for n, s in row[part].items()})
            assert [v.name for v in m.variables] == [n for n in row["list_inputs"] if n not in row["args"] and n not in row["auxes"]]


def test_a_prefix_matches_parameters_of_other_names(tmp_path):
    """Gluon's strip_prefix, and the other way round."""
    row = of("two_inputs")
    shapes = dict(in_shapes={"z": (2, 3), "a": (2, 5)})
    for prefix, rename in (("fc_", lambda n: n[3:]), ("module.", lambda n: "module." + n)):
        renamed = dict(row, args={rename(n): s for n, s in row["args"].items()}, arguments=shapes)
        with pytest.raises(mx2onnx.Error, match="2 of 2 parameters.*'%s'" % prefix):
            export(renamed, tmp_path)
        assert [i[0] for i in inputs(export(renamed, tmp_path, prefix=prefix))] == ["z", "a"]
