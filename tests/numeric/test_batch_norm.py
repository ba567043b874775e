# SPDX-License-Identifier: Apache-2.0
"""BatchNorm that goes into the weights of the convolution before it: against the definition, computed in float64."""
import json

import numpy as np
import onnx
import onnx.numpy_helper
import pytest

import compare
import mx2onnx

EPS, FILTERS = 1e-3, 6


def net(bias=False, groups=1, heads=("norm",), shared=False, op="Convolution", twin=None, again=False, other=None, filters=FILTERS):
    """data -> conv -> norm, as MXNet saves it; `shared`: another convolution with the same weight; `twin`: another with
    the same weight, its own input, and a norm with these attributes in addition to the first's; `again`: the same norm
    of the norm's result; `other`: the operator and the bias of the other convolution."""
    nodes, index = [], {}

    def add(op, name, inputs=(), **attrs):
        index[name] = len(nodes)
        nodes.append({"op": op, "name": name, "inputs": [[index[i], 0, 0] for i in inputs],
                      "attrs": {k: str(v) for k, v in attrs.items()}})
    layer = dict(kernel="(3, 3)", pad="(1, 1)", num_filter=filters, num_group=groups, no_bias=not bias)
    for name in ["data", "weight"] + ["bias"] * bias + ["gamma", "beta", "mean", "var"] + ["more"] * (twin is not None):
        add("null", name)
    add(op, "conv", ["data", "weight"] + ["bias"] * bias, **layer)
    add("BatchNorm", "norm", ["conv", "gamma", "beta", "mean", "var"], eps=EPS, fix_gamma=False)
    if shared or twin is not None:
        other_op, other_bias = other or (op, "bias" if bias else None)
        if other_bias and other_bias != "bias":
            add("null", other_bias)
        given = ["more" if twin is not None else "data", "weight"] + ([other_bias] if other_bias else [])
        add(other_op, "other", given, **dict(layer, no_bias=not other_bias))
    if twin is not None:
        add("BatchNorm", "twin", ["other", "gamma", "beta", "mean", "var"], **dict(dict(eps=EPS, fix_gamma=False), **twin))
    if again:
        add("BatchNorm", "again", ["norm", "gamma", "beta", "mean", "var"], eps=EPS, fix_gamma=False)
    return json.dumps({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"],
                       "heads": [[index[h], 0, 0] for h in heads], "attrs": {"mxnet_version": ["int", 10901]}})


def arrays(groups=1, bias=False):
    r = np.random.RandomState(7)
    p = {"weight": r.normal(size=(FILTERS, 4 // groups, 3, 3)), "gamma": r.uniform(-2, 2, FILTERS),
         "beta": r.normal(size=FILTERS), "mean": r.normal(size=FILTERS), "var": r.uniform(0.1, 4, FILTERS)}
    if bias:
        p["bias"] = r.normal(size=FILTERS)
    return {k: v.astype("float32") for k, v in p.items()}


def convert(path, symbol, params, opset=17, **options):
    model = onnx.load(mx2onnx.export_model(symbol, params, [(2, 4, 5, 5)] * (1 + ('"more"' in symbol)), onnx_file_path=str(path), opset_version=opset,
                                           **options))
    onnx.checker.check_model(model, full_check=True)
    return model, {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}


def operators(model):
    return [n.op_type for n in model.graph.node]


@pytest.mark.parametrize("opset", [11, 17, 26])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("groups", [1, 2])
def test_weights_are_the_definition_s(tmp_path, bias, groups, opset):
    p = arrays(groups, bias)
    model, found = convert(tmp_path / "net.onnx", net(bias, groups), p, opset)
    assert operators(model) == ["Conv"]
    assert [n.name for n in model.graph.node] == ["conv"] and list(model.graph.node[0].output) == ["norm"]
    wide = {k: v.astype("float64") for k, v in p.items()}
    factor = wide["gamma"] / np.sqrt(wide["var"] + EPS)
    names = model.graph.node[0].input
    assert names[1] == "weight" and len(found) == 2
    np.testing.assert_allclose(found["weight"], wide["weight"] * factor[:, None, None, None], rtol=2e-7)
    shift = wide["beta"] + factor * (wide.get("bias", 0) - wide["mean"])
    np.testing.assert_allclose(found[names[2]], shift, rtol=2e-7)


@pytest.mark.parametrize("bias", [False, True])
def test_results_are_those_of_the_node(tmp_path, bias):
    p, x = arrays(bias=bias), np.random.RandomState(1).normal(size=(2, 4, 5, 5)).astype("float32")
    folded, _ = convert(tmp_path / "folded.onnx", net(bias), p)
    kept, found = convert(tmp_path / "kept.onnx", net(bias), p, keep_batch_norm=True)
    assert operators(folded) == ["Conv"] and operators(kept) == ["Conv", "BatchNormalization"]
    assert all(np.array_equal(found[k], v) for k, v in p.items())
    one, two = [compare.session(str(tmp_path / f)).run(None, {"data": x})[0] for f in ("folded.onnx", "kept.onnx")]
    np.testing.assert_allclose(one, two, rtol=0, atol=2e-6 * np.abs(two).max())


@pytest.mark.parametrize("options", [dict(heads=("conv", "norm")), dict(heads=("norm", "other"), shared=True)],
                         ids=["the convolution's result is an output", "another reads the weight"])
def test_a_norm_stays_if_another_node_reads_its_convolution_or_weight(tmp_path, options):
    model, found = convert(tmp_path / "net.onnx", net(**options), arrays())
    assert "BatchNormalization" in operators(model)
    assert np.array_equal(found["weight"], arrays()["weight"])


@pytest.mark.parametrize("opset", [11, 17, 26])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("groups", [1, 2])
def test_a_norm_folds_into_a_deconvolution(tmp_path, bias, groups, opset):
    """Its weight is (in, out / groups, ...): the channels' factors are on axis 1."""
    p, x = arrays(bias=bias), np.random.RandomState(1).normal(size=(2, 4, 5, 5)).astype("float32")
    p["weight"] = np.random.RandomState(2).normal(size=(4, FILTERS // groups, 3, 3)).astype("float32")
    symbol = net(bias, groups, op="Deconvolution")
    model, found = convert(tmp_path / "folded.onnx", symbol, p, opset)
    assert operators(model) == ["ConvTranspose"] and len(found) == 2
    factor = p["gamma"].astype("float64") / np.sqrt(p["var"].astype("float64") + EPS)
    wanted = [w * f for half, fs in zip(np.split(p["weight"], groups), np.split(factor, groups))
              for w, f in ((w, fs[:, None, None]) for w in half)]
    np.testing.assert_allclose(found["weight"], wanted, rtol=2e-7)
    kept, _ = convert(tmp_path / "kept.onnx", symbol, p, opset, keep_batch_norm=True)
    assert operators(kept) == ["ConvTranspose", "BatchNormalization"]
    one, two = [compare.session(str(tmp_path / f)).run(None, {"data": x})[0] for f in ("folded.onnx", "kept.onnx")]
    np.testing.assert_allclose(one, two, rtol=0, atol=2e-6 * np.abs(two).max())


@pytest.mark.parametrize("bias", [False, True])
def test_twins_share_what_they_get(tmp_path, bias):
    """A Siamese net: two branches of the same layers."""
    p, x = arrays(bias=bias), np.random.RandomState(1).normal(size=(2, 4, 5, 5)).astype("float32")
    symbol = net(bias, twin={}, heads=("norm", "twin"))
    model, found = convert(tmp_path / "folded.onnx", symbol, p)
    assert operators(model).count("BatchNormalization") == 0 and len(found) == 2
    kept, _ = convert(tmp_path / "kept.onnx", symbol, p, keep_batch_norm=True)
    for one, two in zip(*[compare.session(str(tmp_path / f)).run(None, {"data": x, "more": 2 - x})
                          for f in ("folded.onnx", "kept.onnx")]):
        np.testing.assert_allclose(one, two, rtol=0, atol=2e-6 * np.abs(two).max())


@pytest.mark.parametrize("twin, left", [(None, 0), ({}, 1)], ids=["alone", "with a twin"])
def test_a_second_norm_folds_unless_a_twin_shares_the_weight(tmp_path, twin, left):
    p, x = arrays(), np.random.RandomState(1).normal(size=(2, 4, 5, 5)).astype("float32")
    heads = ("again",) if twin is None else ("again", "twin")
    symbol = net(twin=twin, heads=heads, again=True)
    folded, _ = convert(tmp_path / "folded.onnx", symbol, p)
    assert operators(folded).count("BatchNormalization") == left
    kept, _ = convert(tmp_path / "kept.onnx", symbol, p, keep_batch_norm=True)
    assert operators(kept).count("BatchNormalization") == 1 + len(heads)
    feed = {"data": x} if twin is None else {"data": x, "more": 2 - x}
    for one, two in zip(*[compare.session(str(tmp_path / f)).run(None, feed) for f in ("folded.onnx", "kept.onnx")]):
        np.testing.assert_allclose(one, two, rtol=0, atol=2e-6 * np.abs(two).max())


@pytest.mark.parametrize("twin, other", [({"eps": 2 * EPS}, None), ({"eps": EPS / 2}, None), ({"fix_gamma": True}, None),
                                         ({}, ("Convolution", "second")), ({}, ("Convolution", None)), ({}, ("Deconvolution", "bias"))])
def test_other_norms_of_one_weight_stay(tmp_path, twin, other):
    p = {k: v[:4] for k, v in arrays(bias=True).items()}
    p["second"] = p["bias"] + 1
    model, found = convert(tmp_path / "net.onnx", net(bias=True, twin=twin, heads=("norm", "twin"), other=other, filters=4), p)
    assert operators(model).count("BatchNormalization") == 2
    assert np.array_equal(found["weight"], p["weight"])


def test_numbers_that_would_not_fit_stay(tmp_path):
    p = dict(arrays(), gamma=np.full(FILTERS, 1e30, "float32"))
    model, _ = convert(tmp_path / "net.onnx", net(), p)
    assert "BatchNormalization" in operators(model)


@pytest.mark.parametrize("of, dtype, folds", [("weight", "float32", True), ("ones", "float32", False), ("weight weight", "float32", True),
                                              ("weight ones", "float32", False), ("ones weight", "float32", False),
                                              ("weight / full", "float32", False), ("weight", "float16", False)])
def test_a_float16_weight_is_multiplied_only_where_its_file_has_float32(tmp_path, of, dtype, folds):
    """Parts of it, or the bias after "/", may be numbers that are float16 already, which have other names than "weight" here."""
    nodes = [{"op": "null", "name": n, "inputs": []} for n in ("data", "weight", "bias", "gamma", "beta", "mean", "var")]

    def add(op, *inputs, **attrs):
        nodes.append({"op": op, "name": "n%d" % len(nodes), "inputs": [[i, 0, 0] for i in inputs], "attrs": {k: str(v) for k, v in attrs.items()}})
        return len(nodes) - 1
    of, _, numbers = of.partition(" / ")
    bias = add("_full", shape=(FILTERS,), value=0.5) if numbers else 2
    parts = [1 if part == "weight" else add("_full", shape=(FILTERS, 4, 3, 3), value=0.375) for part in of.split()]
    joined = add("Concat", *parts, dim=0, num_args=len(parts)) if len(parts) > 1 else parts[0]
    filters = FILTERS * len(parts)
    conv = add("Convolution", 0, joined, bias, kernel=(3, 3), num_filter=filters)
    head = add("BatchNorm", conv, 3, 4, 5, 6, eps=EPS, fix_gamma=False)
    symbol = json.dumps({"nodes": nodes, "arg_nodes": list(range(7)), "heads": [[head, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})
    p = {k: v.astype(dtype) if k == "weight" else np.concatenate([v] * len(parts)) for k, v in arrays(bias=True).items()}
    x = np.random.RandomState(1).normal(size=(2, 4, 5, 5)).astype("float32")
    results = []
    for name, options in (("whole", {}), ("half", {"float16": "inside"})):
        model, _ = convert(tmp_path / (name + ".onnx"), symbol, p, **options)
        results.append(compare.session(str(tmp_path / (name + ".onnx"))).run(None, {"data": x})[0])
    assert ("BatchNormalization" not in operators(model)) == folds
    np.testing.assert_allclose(results[1], results[0], rtol=0, atol=4e-3 * np.abs(results[0]).max())


def test_parameters_as_inputs_stay(tmp_path):
    model, found = convert(tmp_path / "net.onnx", net(), arrays(), initializers_as_inputs=True)
    assert "BatchNormalization" in operators(model) and np.array_equal(found["weight"], arrays()["weight"])


def nvidia(fused):
    """What NVIDIA's builds write (act_type, BatchNormAddRelu), or the same in nodes of MXNet."""
    nodes = [{"op": "null", "name": n, "inputs": []} for n in ("data", "gamma", "beta", "mean", "var", "more")]
    attrs = {"eps": str(EPS), "fix_gamma": "False"}

    def add(op, inputs, **attrs):
        nodes.append({"op": op, "name": "n%d" % len(nodes), "attrs": attrs, "inputs": [[i, 0, 0] for i in inputs]})
        return len(nodes) - 1
    if fused:
        first = add("BatchNorm", [0, 1, 2, 3, 4], act_type="relu", bn_group="1", **attrs)
        last = add("BatchNormAddRelu", [first, 1, 2, 5, 3, 4], **attrs)
    else:
        first = add("relu", [add("BatchNorm", [0, 1, 2, 3, 4], **attrs)])
        last = add("relu", [add("elemwise_add", [add("BatchNorm", [first, 1, 2, 3, 4], **attrs), 5])])
    return json.dumps({"nodes": nodes, "arg_nodes": list(range(6)), "heads": [[first, 0, 0], [last, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 10901]}})


def test_activations_of_nvidia_are_kept(tmp_path):
    """The activation was lost with a warning."""
    r = np.random.RandomState(3)
    p = {n: r.uniform(0.5, 2, 4).astype("float32") for n in ("gamma", "beta", "mean", "var")}
    feed = {n: r.normal(size=(2, 4, 3, 3)).astype("float32") for n in ("data", "more")}
    results = []
    for fused in (True, False):
        path = str(tmp_path / ("%s.onnx" % fused))
        mx2onnx.export_model(nvidia(fused), p, {"data": (2, 4, 3, 3), "more": (2, 4, 3, 3)}, onnx_file_path=path)
        results.append(compare.session(path).run(None, feed))
    for one, two in zip(*results):
        assert np.array_equal(one, two) and (one == 0).any() and (one > 0).any()
