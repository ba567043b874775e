# SPDX-License-Identifier: Apache-2.0
"""Where other converters of MXNet's models went wrong: seen by running MXNet and its own exporter on one model, or reported
by several users. Each line is a name here, with the recorded cases that it would fail, or with its own test."""
import glob
import json
import os
import shutil

import numpy as np
import onnx
import onnxruntime
import pytest

import cases
import compare
import convert
import ndarray_list
import test_ops
import test_samples

OPSETS = (11, 17, 26)

# "*" means that the case must be dynamic: the sizes of the second run are others than those of the export.
WRONG_NUMBERS = {
    "BatchNorm's fix_gamma is ignored": "mistakes/gamma_fixed mistakes/gamma_learned nn_norm/batch_fix_gamma",
    "fix_gamma is ignored where it is absent, or taken as False": "mistakes/gamma_absent nn_norm/batch_v1_defaults",
    "box_nms suppresses across classes": "mistakes/nms_classes vision_boxes/nms_class",
    "box_nms takes topk for the number of boxes to keep": "mistakes/nms_topk vision_boxes/nms_topk",
    "LRN without knorm takes 1": "mistakes/lrn nn_norm/lrn",
    "SoftmaxOutput is always over axis 1":
        "mistakes/softmax_preserve mistakes/softmax_flat nn_head/output_preserve nn_head/output_flatten_4d",
    "SoftmaxOutput's multi_output is ignored": "mistakes/softmax_multi nn_head/output_multi nn_head/output_both",
    "Softmax flattens below opset 13": "mistakes/softmax_axis",
    "two outputs of one name become one": "mistakes/one_name",
    "outputs come in the order of the nodes": "mistakes/backwards",
    "Pooling rounds down where it should round up": "nn_pool/full_max nn_pool/full_avg nn_pool/full_dynamic_max",
    "Pooling's count_include_pad is ignored": "nn_pool/exclude_avg nn_pool/pad_avg nn_pool/exclude_full_avg",
    "global pooling heeds pads": "nn_pool/global_pad nn_pool/global_avg",
    "the example's batch is in a Reshape": "tensor_shape/reshape_minus_4_batch* tensor_shape/reshape_copy_rest*",
    "the example's batch is in a begin state": "rnn/lstm_zeros* rnn/gru_zeros_like* rnn/lstm_cell*",
    "the example's batch is in slice_like": "tensor_shape/slice_like* tensor_shape/slice_like_axes*",
    "the example's batch is in what pools regions": "vision_roi/pool* vision_roi/align* vision_detection/ssd*",
}

REFUSED = {
    "PReLU's slope of shape (C,) is left as it is": "nn_act/prelu nn_act/prelu_4d",
    "a net that ends in SoftmaxOutput with its label": "mistakes/label nn_head/output",
    "a label of another name": "mistakes/label",
    "a label after a Reshape": "mistakes/label_behind_reshape",
    "_zeros as begin states of an unknown batch": "rnn/lstm_zeros* rnn/lstm_zeros_deep* tensor_shape/zeros_open*",
    "L2Normalization instance and spatial": "nn_norm/l2_instance nn_norm/l2_spatial",
    "RNN both ways": "rnn/lstm_both_ways rnn/gru_both_ways rnn/lstm_deep_both_ways",
    "RNN of several layers": "rnn/lstm_deep rnn/gru_deep rnn/rnn_tanh_deep",
    "RNN without state_outputs": "rnn/lstm rnn/gru rnn/rnn_relu",
    "Deconvolution's target_shape": "nn_conv/transposed_target nn_conv/transposed_target_even",
    "Reshape -4": "tensor_shape/reshape_minus_4 tensor_shape/reshape_minus_4_heads",
    "AdaptiveAvgPooling2D beyond 1x1": "nn_pool/adaptive_square nn_pool/adaptive_divides",
    "BilinearResize2D like": "nn_spatial/resize_like",
    "int8 nets": "fused/chain fused/sum_norm quantize/net",
    "SoftmaxActivation": "nn_head/activation nn_head/activation_channel",
    "MultiBox": "vision_boxes/prior vision_boxes/det vision_detection/ssd",
    "Proposal": "vision_proposal/proposal vision_proposal/multi",
    "PSROIPooling": "vision_roi/ps",
    "Deformable": "vision_sample/deform vision_sample/modulated vision_roi/deformable",
    "RegressionOutput": "nn_head/linear nn_head/logistic nn_head/mae",
    "SVMOutput": "nn_head/svm",
    "SpatialTransformer": "vision_sample/transformer",
    "SequenceLast": "sequence/last sequence/last_axis_1",
    "smooth_l1": "tensor_arith/smooth_l1",
}

FILES_AND_GRAPHS = {
    "the text None goes to an integer parser":
        "tensor_reduce/sum_none tensor_shape/slice_axis_none tensor_shape/squeeze_none ordering/sort_flat "
        "nn_pool/include_none_avg nn_head/softmax_temperature_none",
    "outputs are the nodes without readers": "mistakes/backwards",
    "all weights become float32": "mistakes/double nn_norm/batch_float64 nn_conv/transposed_float64",
    "double constants with float data": "tensor_arith/smooth_l1 nn_act/gelu tensor_arith/operators",
    "pads that are not smaller than the kernel": "nn_pool/full_pad_far_max nn_pool/full_pad_far_sum",
    "two nodes of one name": "mistakes/one_name",
}

RUNS = [pytest.param(name, opset, id="%s: %s-%d" % (line, name, opset))
        for lines in (WRONG_NUMBERS, REFUSED, FILES_AND_GRAPHS) for line, names in lines.items()
        for name in names.split() for opset in OPSETS]


def find(name):
    """The recorded case; none of that name, or one that is not converted, fails."""
    group, _, name = name.rstrip("*").partition("/")
    found = [c for c in cases.load(group) if c.name == name]
    assert found, "there is no case %s/%s any more" % (group, name)
    assert found[0].error is None and found[0].check_only is None, "%s/%s is not run" % (group, name)
    return found[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mistake")


@pytest.mark.parametrize("name, opset", RUNS)
def test_a_case_of_a_known_mistake_agrees(converter, name, opset, folder):
    c = find(name)
    opset = opset if opset in c.opsets else c.opsets[0]
    test_ops.test_a_case_agrees_with_static_dims(converter, c, opset, folder)
    assert c.dynamic or not name.endswith("*")
    if c.dynamic and not c.dynamic_error:
        test_ops.test_a_case_agrees_with_dynamic_dims(converter, c, opset, folder)


# ---- do the cases find the mistakes?

def outputs(name):
    c = find(name)
    return test_ops.STORED.outputs(c, 0)


def rows(name):
    """How many boxes are kept."""
    return int((outputs(name)[0][..., 1] >= 0).sum())


def test_cases_differ_from_what_the_mistake_gives():
    """What the mistake gives is not what is recorded."""
    fixed, learned, absent = (outputs("mistakes/gamma_" + k)[0] for k in ("fixed", "learned", "absent"))
    assert np.abs(absent - learned).max() > 0.5 * np.abs(learned).max()
    assert absent.shape == fixed.shape
    assert rows("mistakes/nms_all_classes") < rows("mistakes/nms_classes") < 300
    assert rows("mistakes/nms_topk") < 100 < rows("mistakes/nms_no_topk")
    assert np.abs(outputs("mistakes/lrn")[0] - outputs("mistakes/lrn_1")[0]).max() > 0.1
    for name, axis in (("softmax_multi", 1), ("softmax_preserve", -1), ("softmax_flat", (1, 2)), ("softmax_axis", 1)):
        assert np.allclose(outputs("mistakes/" + name)[0].sum(axis), 1, atol=1e-5)
    first, second = outputs("mistakes/one_name")
    assert np.abs(first - second).max() > 0.1
    second, first = outputs("mistakes/backwards")
    assert np.allclose(second, np.tanh(first), atol=1e-5) and not np.allclose(first, second, atol=1e-2)


# ---- stamps

@pytest.mark.parametrize("opset", range(11, 29))
def test_nodes_are_of_the_stamp(converter, opset, folder):
    """Nodes of one opset under the stamp of another: ReduceSum's axes are an input from 13, ReduceMax's from 18 on."""
    for name, op, since in (("tensor_reduce/sum_1", "ReduceSum", 13), ("tensor_reduce/max_1", "ReduceMax", 18)):
        c = find(name)
        model = compare.check(test_ops.convert_case(converter, c, opset, folder, False), opset)
        node = next(n for n in model.graph.node if n.op_type == op)
        assert ("axes" in [a.name for a in node.attribute]) == (opset < since)
        assert (len(node.input) == 2) == (opset >= since)


# ---- dims

@pytest.mark.parametrize("opset", OPSETS)
def test_known_dims_stay_known(converter, opset, folder):
    """Every dim of every output made unknown by "dynamic": those that are known stay, of outputs and inner values."""
    c = find("fused/dynamic_size" if opset > 12 else "vision_detection/ssd")
    path = test_ops.export(converter, c, opset, folder, True)
    names = set(d for dims in c.dynamic.values() for d in dims.values())
    model = onnx.load(path)
    wants = test_ops.STORED.outputs(c, 0), test_ops.STORED.outputs(c, 1)
    for o, first, second in zip(model.graph.output, *wants):
        for dim, a, b in zip(o.type.tensor_type.shape.dim, first.shape, second.shape):
            assert dim.dim_value == a if a == b and not dim.dim_param else dim.dim_param
    declared = [v for v in model.graph.value_info if v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT]
    assert declared and all(v.type.tensor_type.HasField("shape") for v in declared)
    assert any(d.dim_param in names for v in declared for d in v.type.tensor_type.shape.dim)


# ---- files and graphs

def export(converter, name, folder, opset=17):
    return onnx.load(test_ops.export(converter, find(name), opset, folder, False))


@pytest.mark.parametrize("name", ["mistakes/gamma_absent", "mistakes/one_name", "rnn/lstm", "fused/chain"])
def test_weights_are_not_inputs(converter, name, folder):
    model, c = export(converter, name, folder), find(name)
    assert {i.name for i in model.graph.input} == {n for n, a in c.inputs.items() if a.role == "data"}
    assert model.graph.initializer


@pytest.mark.parametrize("name", ["mistakes/label", "mistakes/label_behind_reshape", "nn_head/output",
                                  "nn_head/linear"])
def test_labels_are_not_fed(converter, name, folder):
    """Nor is their shape asked for."""
    c = find(name)
    data = [n for n in c.inputs if n in ("x", "data0")]
    stored = {"arg:" + n: a for n, a in c.arrays().items() if c.inputs[n].role == "param"}
    symbol, params, out = (str(folder / f) for f in ("label-symbol.json", "label.params", "label.onnx"))
    with open(symbol, "w") as f:
        f.write(test_ops.STORED.entry(c)["symbol"])
    if stored:
        ndarray_list.save(params, stored)
    converter(symbol, params if stored else None, {n: test_ops.signature(c)[n] for n in data}, {}, 17, out)
    s = compare.session(out)
    assert [i.name for i in s.get_inputs()] == data
    compare.agree(compare.run(s, {n: c.arrays()[n] for n in data}), test_ops.STORED.outputs(c, 0))


def test_there_is_one_external_file(request, tmp_path):
    """Not one for each tensor."""
    tool = convert.route("cli", request.config.getoption("--library"), request.config.getoption("--tool"))
    tool.options = ["--external", "always:1"]
    net = os.path.join(test_samples.SAMPLES, "nets", "1.9.1", "convbn")
    shape = test_samples.load("nets", "expected.json")["1.9.1"]["convbn"]["inputs"]
    tool(net + "-symbol.json", net + "-0000.params", {n: (tuple(s), "float32") for n, s in shape.items()}, {}, 17,
         str(tmp_path / "net.onnx"))
    assert sorted(os.listdir(tmp_path)) == ["net.onnx", "net.onnx.data"]
    model = onnx.load(str(tmp_path / "net.onnx"), load_external_data=False)
    places = [e.value for t in model.graph.initializer for e in t.external_data if e.key == "location"]
    assert len(places) >= 2 and set(places) == {"net.onnx.data"}
    onnxruntime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("symbol, params", [("model.json", "weights.bin"), ("a-b-0001x", "0000"),
                                            ("net v2.1-sym", "x-.params")])
def test_files_may_have_any_name(converter, symbol, params, tmp_path):
    """File names parsed for prefix and epoch."""
    net = os.path.join(test_samples.SAMPLES, "nets", "1.9.1", "convbn")
    expected = test_samples.load("nets", "expected.json")["1.9.1"]["convbn"]
    for source, name in ((net + "-symbol.json", symbol), (net + "-0000.params", params)):
        shutil.copy(source, str(tmp_path / name))
    test_samples.run_net(converter, str(tmp_path / symbol), str(tmp_path / params), expected["inputs"],
                         expected["outputs"], tmp_path, 17)


def test_heads_are_the_outputs(converter, folder):
    """Outputs are not the nodes without readers: one head is read by another node, and nodes that are not heads are gone."""
    model = export(converter, "mistakes/backwards", folder)
    assert [n.op_type for n in model.graph.node] == ["Gemm", "Tanh"]
    assert [o.name for o in model.graph.output] == [model.graph.node[1].output[0], model.graph.node[0].output[0]]


@pytest.mark.parametrize("name, dtype", [
    ("mistakes/double", "DOUBLE"), ("nn_act/gelu", "FLOAT"), ("tensor_arith/operators", "FLOAT"),
    ("nn_act/gelu_float16", "FLOAT16"), ("tensor_arith/smooth_l1_f16", "FLOAT16")])
def test_constants_have_the_type_of_the_data(converter, name, dtype, folder):
    """Neither weights nor constants have another float type than the data."""
    floats = {"FLOAT", "FLOAT16", "DOUBLE"}
    for opset in OPSETS:
        model = export(converter, name, folder, opset)
        assert {onnx.TensorProto.DataType.Name(t.data_type) for t in model.graph.initializer} & floats <= {dtype}


def test_names_are_unique(converter, folder):
    model = export(converter, "mistakes/one_name", folder)
    names = [n.name for n in model.graph.node] + [o for n in model.graph.node for o in n.output]
    assert len(model.graph.output) == 2 and len(model.graph.node) >= 2
    assert len({n.name for n in model.graph.node}) == len(model.graph.node)
    assert len({o for n in model.graph.node for o in n.output}) == len(names) - len(model.graph.node)


def test_float16_weights_keep_each_bit(converter, tmp_path):
    """Every pattern, the smallest numbers and NaN as well: a text in between loses some."""
    bits = np.arange(1 << 16, dtype=np.uint16).reshape(256, 256)
    symbol = {"nodes": [{"op": "null", "name": n, "inputs": []} for n in ("x", "w")]
              + [{"op": "broadcast_add", "name": "y", "inputs": [[0, 0, 0], [1, 0, 0]]}],
              "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    with open(str(tmp_path / "net-symbol.json"), "w") as f:
        json.dump(symbol, f)
    ndarray_list.save(str(tmp_path / "net.params"), {"arg:w": bits.view(np.float16)})
    out = str(tmp_path / "net.onnx")
    converter(str(tmp_path / "net-symbol.json"), str(tmp_path / "net.params"), {"x": ((256, 256), "float16")}, {}, 17,
              out)
    weight = onnx.load(out).graph.initializer[0]
    assert weight.data_type == onnx.TensorProto.FLOAT16 and weight.raw_data == bits.tobytes()
    assert not glob.glob(str(tmp_path / "*.data"))
