# SPDX-License-Identifier: Apache-2.0
"""Nets that releases of MXNet from 0.9.5 to 2.0 wrote, against the outputs that those releases computed."""
import json
import os

import numpy as np
import pytest

import compare
import convert

SAMPLES = os.path.join(convert.ROOT, "tests", "data", "samples")

# Symbols with operators that are not converted yet: the error must list exactly these.
UNSUPPORTED = {
    "custom": ["Custom"],
}


def load(*path):
    with open(os.path.join(SAMPLES, *path)) as f:
        return json.load(f)


def rule_d(shape):
    """Element k of an input: samples/README.md."""
    k = np.arange(int(np.prod(shape)))
    return ((5 * k % 17 - 8) / 8).astype(np.float32).reshape(shape)


def rule_p(name, shape):
    """Element k of a parameter: samples/README.md."""
    k = np.arange(int(np.prod(shape)))
    return (((7 * k + len(name)) % 13 - 6) / 16).astype(np.float32).reshape(shape)


def params_beside(folder, net):
    """Each way in which the release saved the net's parameters that carries the names of its symbol."""
    for suffix in ("-0000.params", "-collect_params.params"):
        path = os.path.join(folder, net + suffix)
        if os.path.exists(path):
            yield path


def nets():
    for version, by_net in load("nets", "expected.json").items():
        folder = os.path.join(SAMPLES, "nets", version)
        for net, expected in by_net.items():
            if net != "attrs":
                for params in params_beside(folder, net):
                    yield pytest.param(folder, net, params, expected,
                                       id="%s/%s" % (version, os.path.basename(params)))
    expected = load("nets", "expected.json")["1.9.1"]  # samples/README.md: 0.8's form computes what 1.9.1 does
    folder = os.path.join(SAMPLES, "nets", "0.8-form")
    for net in ("mlp", "convbn"):
        yield pytest.param(folder, net, os.path.join(folder, net + "-0000.params"), expected[net], id="0.8/" + net)


def run_net(converter, symbol, params, shapes, expected, tmp_path, opset, dynamic=None):
    out = str(tmp_path / "net.onnx")
    converter(symbol, params, {n: (tuple(s), "float32") for n, s in shapes.items()}, dynamic or {}, opset, out)
    compare.check(out, opset)
    session = compare.session(out)
    got = session.run(None, {i.name: rule_d(shapes[i.name]) for i in session.get_inputs()})
    assert len(got) == len(expected)
    for g, want in zip(got, expected):
        want = np.asarray(want, dtype=g.dtype)
        assert g.shape == want.shape
        assert np.abs(g - want).max() <= 1e-5 * max(1, np.abs(want).max())


@pytest.mark.parametrize("opset", [11, 17, 26])
@pytest.mark.parametrize("folder, net, params, expected", list(nets()))
def test_a_sample_net_agrees_with_mxnet(converter, folder, net, params, expected, opset, tmp_path):
    run_net(converter, os.path.join(folder, net + "-symbol.json"), params, expected["inputs"], expected["outputs"],
            tmp_path, opset)


@pytest.mark.parametrize("version", [v for v, nets in load("nets", "expected.json").items() if "attrs" in nets])
def test_hidden_attributes_and_groups_agree_with_mxnet(converter, version, tmp_path):
    """Hidden attributes, odd texts, and a Group whose outputs are not in the order of the nodes."""
    import ndarray_list
    expected = load("nets", "expected.json")[version]["attrs"]
    params = str(tmp_path / "attrs.params")
    ndarray_list.save(params, {"arg:w": rule_p("w", (4, 5))})
    run_net(converter, os.path.join(SAMPLES, "nets", version, "attrs-symbol.json"), params, expected["inputs"],
            expected["outputs"], tmp_path, 17)


@pytest.mark.parametrize("name, expected", [pytest.param(n, e, id=n) for n, e in
                                            load("symbols", "1.9.1", "expected.json").items()
                                            if n in UNSUPPORTED or e.get("result") is not None])
def test_a_sample_symbol_agrees_or_is_refused(converter, name, expected, tmp_path):
    folder = os.path.join(SAMPLES, "symbols", "1.9.1")
    params = os.path.join(folder, name + "-0000.params")
    if name in UNSUPPORTED:
        with pytest.raises(convert.ConversionError) as error:
            converter(os.path.join(folder, name + "-symbol.json"), params, {}, {}, 17, str(tmp_path / "net.onnx"))
        for op in UNSUPPORTED[name]:
            assert op in str(error.value)
        return
    several = "outputs" in expected or len(load("symbols", "1.9.1", name + "-symbol.json")["heads"]) > 1
    results = expected["result"] if several else [expected["result"]]  # a Gluon block gives one array
    run_net(converter, os.path.join(folder, name + "-symbol.json"), params, expected["data_shapes"], results, tmp_path,
            17)


def test_a_fused_convolution_agrees_with_mxnet(converter, tmp_path):
    """Convolution, BatchNorm and LeakyReLU inside one node of MKLDNN's graph pass, not quantized."""
    folder = os.path.join(SAMPLES, "symbols", "1.9.1-quantized")
    expected = load("nets", "expected.json")["1.9.1"]["convbn"]  # the net that the pass was run on
    run_net(converter, os.path.join(folder, "mkldnn_fused-symbol.json"),
            os.path.join(folder, "mkldnn_fused-0000.params"), expected["inputs"], expected["outputs"], tmp_path, 17)


@pytest.mark.parametrize("name, opset", [(n, o) for n in ("quant_uint8", "quant_none", "quant_naive", "quant_mkldnn")
                                         for o in ((13, 17, 26) if n == "quant_mkldnn" else (12, 17, 26))])
def test_a_quantised_net_is_close_to_the_float_net(converter, name, opset, tmp_path):
    """What quantize_model made of convbn. The plain int8 forms do not run on MXNet's CPU build; they are near the float
    net."""
    folder = os.path.join(SAMPLES, "symbols", "1.9.1-quantized")
    result = load("symbols", "1.9.1-quantized", "expected.json")[name].get("result")
    float_net = load("nets", "expected.json")["1.9.1"]["convbn"]
    inputs = float_net["inputs"]
    out = str(tmp_path / "net.onnx")
    converter(os.path.join(folder, name + "-symbol.json"), os.path.join(folder, name + "-0000.params"),
              {n: (tuple(s), "float32") for n, s in inputs.items()}, {}, opset, out)
    compare.check(out, opset)
    session = compare.session(out)
    got, = session.run(None, {i.name: rule_d(inputs[i.name]) for i in session.get_inputs()})
    want = np.asarray(result or float_net["outputs"])[0]
    assert got.shape == want.shape
    assert np.abs(got - want).max() <= (1e-5 if result else 2e-3)
