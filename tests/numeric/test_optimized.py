# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime's own fusions find in the library's graphs of transformers and LSTMs: the nodes that are left at session time.
tests/bench/inference.py compares times with torch's exporter."""
import collections

import numpy as np
import onnx
import onnxruntime
import pytest

import mx2onnx
from test_sequences import Net
from test_split_products import interleaved, turned


def operators(path):
    return collections.Counter(n.op_type for n in onnx.load(path).graph.node)


def optimized(path):
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = path + ".optimized"
    options.log_severity_level = 3
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return operators(path + ".optimized")


def graphs(converter, name, opset, folder):
    """The operators of a recorded net of fixed sizes, written and left."""
    net, out = Net(name, folder), str(folder / "net.onnx")
    converter(net.symbol, net.params, net.inputs, {}, opset, out)
    return operators(out), optimized(out)


@pytest.mark.parametrize("opset", [17, 20])
def test_bert_keeps_only_the_nodes_it_needs(converter, opset, tmp_path):
    """A layer is six products, two of attention that read their parts transposed as they are, one GELU, two LayerNorms with the sum
    before them, a Min, a Softmax and a Mul. Reshapes copy nothing."""
    layers = 2
    written, left = graphs(converter, "bert_classifier_2_64_4", opset, tmp_path)
    assert written["LayerNormalization"] == 2 * layers + 1
    assert (written["Gelu"], written["Erf"]) == ((layers, 0) if opset >= 20 else (0, layers))
    assert left["SkipLayerNormalization"] == 2 * layers + 1 and left["LayerNormalization"] == 0
    assert left["Gelu"] + left["BiasGelu"] == layers and left["Erf"] == 0
    assert left["FusedMatMul"] == 2 * layers and left["MatMul"] == 0 and left["Split"] == 0
    assert left["Gemm"] == 6 * layers + 1  # and the pooler's FusedGemm
    assert left["Transpose"] <= layers + 2
    assert sum(n for op, n in left.items() if op != "Reshape") <= 56


def test_lstm_layers_stay_single_nodes(converter, tmp_path):
    _, left = graphs(converter, "standard_lstm_lm_200", 17, tmp_path)
    assert left["LSTM"] == 2
    assert sum(left.values()) <= 13


@pytest.mark.parametrize("kind, shape", [(interleaved, (4, 2, 5)), (turned, (1, 4, 5))])
def test_interleaved_attention_keeps_one_transpose(tmp_path, kind, shape):
    """One Transpose is left: of what comes out of interleaved attention, of the keys that are an output."""
    path = str(tmp_path / "x.onnx")
    with mx2onnx.Model() as m:
        m.load_symbol(kind(2, 8, True))
        m.set_input_shape("x", shape)
        m.set_param("w", np.ones((48, 5), np.float32))
        m.set_param("b", np.ones(48, np.float32))
        m.export(path)
    left = optimized(path)
    assert left["FusedMatMul"] == 2 and left["Transpose"] == 1 and left["Split"] == 0
