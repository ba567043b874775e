# SPDX-License-Identifier: Apache-2.0
"""A float16 model of a float32 one, through the package."""
import os

import numpy
import pytest

import mx2onnx

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "examples", "digits")
SYMBOL, PARAMS = (os.path.join(FOLDER, f) for f in ("digits-symbol.json", "digits-0000.params"))
onnx = pytest.importorskip("onnx")


def export(tmp_path, **options):
    path = mx2onnx.export_model(SYMBOL, PARAMS, [(1, 1, 8, 8)], onnx_file_path=str(tmp_path / "x.onnx"), **options)
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    types = {t.name: t.data_type for t in model.graph.initializer}
    return os.path.getsize(path), types, model.graph.input[0].type.tensor_type.elem_type


def test_float16_changes_weights_and_inputs(tmp_path):
    single, _, _ = export(tmp_path)
    half, types, data = export(tmp_path, float16=True)
    assert half < 0.6 * single
    assert types["conv1_weight"] == types["fc1_bias"] == data == onnx.TensorProto.FLOAT16


def test_inside_keeps_inputs_in_float32(tmp_path):
    _, types, data = export(tmp_path, float16="inside")
    assert types["conv1_weight"] == onnx.TensorProto.FLOAT16
    assert data == onnx.TensorProto.FLOAT


def test_kept_nodes_stay_float32(tmp_path):
    _, types, data = export(tmp_path, float16=True, keep_float32=["Convolution", "fc1"])
    assert types["conv1_weight"] == types["conv2_weight"] == types["fc1_weight"] == data == onnx.TensorProto.FLOAT
    assert types["fc2_weight"] == onnx.TensorProto.FLOAT16


def test_types_are_known_before_the_export():
    with mx2onnx.Model(SYMBOL) as m:
        m.set_input_shape("data", ("batch", 1, 8, 8))
        m.float16 = True
        m.infer()
        assert [v.dtype for v in m.inputs + m.outputs] == ["float16", "float32"]
        m.set_node_precision("softmax", "float16")
        m.infer()
        assert [v.dtype for v in m.inputs + m.outputs] == ["float16", "float16"]
        m.float16 = False
        m.infer()
        assert [v.dtype for v in m.inputs + m.outputs] == ["float32", "float32"]


@pytest.mark.parametrize("value", [1, numpy.True_])
def test_a_truth_need_not_be_a_bool(value):
    with mx2onnx.Model(SYMBOL) as m:
        m.float16 = value
        assert m.float16 == "all"
        m.float16 = 0
        assert m.float16 is None
        with pytest.raises(ValueError, match="float16 is one of"):
            m.float16 = 2


def test_wrong_words_are_refused():
    with mx2onnx.Model(SYMBOL) as m:
        with pytest.raises(ValueError):
            m.float16 = "half"
        with pytest.raises(mx2onnx.Error) as e:
            m.set_node_precision("missing", "float32")
        assert e.value.status == "NOT_FOUND"
