# SPDX-License-Identifier: Apache-2.0
"""Every float32 case and net as a float16 model: what MXNet computed in float32, within what float16 can hold."""
import os

import numpy as np
import onnx
import pytest

import compare
import ndarray_list
import test_nets
import test_ops
import test_zoo
from test_nets import net  # noqa: F401
from test_zoo import whole  # noqa: F401

UNIT = 2.0 ** -11  # the largest relative error of one rounding to float16
LARGEST = 65504.0
FORMS = ((12, "all"), (17, "inside"), (21, "all"))
JUMPS = {
    "tensor_arith/broadcast_mod": "the remainder of values close to a multiple of the divisor",
    "numpy_tail/percentile_higher": "a percentile of 100 that is rounded up is none",
    **{"numpy_tail/unique_" + name: "rounding tells apart what was equal" for name in ("axis", "counts", "float32", "plain")},
    **{"hard/mod_" + name: "float16 does not hold numbers as small as the divisor" for name in ("tiny", "tiny_divisor")},
    "numpy_shape/broadcast_to_empty": "ONNX Runtime 1.31 does not expand float16 to an empty shape",
}


def is_single(c):
    return any(np.dtype(a.dtype) == np.float32 for a in c.inputs.values())


CASES = [c for c in test_ops.ALL if not c.error and is_single(c)]


def rounded(arrays, seed):
    """The arrays, float32 elements off by one rounding to float16, up or down."""
    random = np.random.RandomState(seed)
    return {n: np.asarray(a * (1 + UNIT * random.choice([-1, 1], a.shape)), a.dtype) if a.dtype == np.float32 else a
            for n, a in arrays.items()}


def convert(converter, c, arrays, opset, folder, float16):
    symbol, params, out = (str(folder / f) for f in ("case-symbol.json", "case.params", "case.onnx"))
    with open(symbol, "w") as f:
        f.write(test_ops.STORED.entry(c)["symbol"])
    stored = {("aux:" if c.inputs[n].role == "aux" else "arg:") + n: a for n, a in arrays.items()
              if c.inputs[n].role != "data"}
    if stored:
        ndarray_list.save(params, stored)
    converter(symbol, params if stored else None, test_ops.signature(c), {}, opset, out, float16)
    compare.check(out, opset)
    return out


def run(path, arrays):
    """With the inputs in the types that the model asks for."""
    s = compare.session(path)
    wanted = {i.name: np.float16 for i in s.get_inputs() if i.type == "tensor(float16)"}
    with np.errstate(over="ignore"):
        return compare.run(s, {n: a.astype(wanted.get(n, a.dtype)) for n, a in arrays.items()})


def cut(a):
    return np.clip(a.astype(np.float32), -LARGEST, LARGEST)


def agree(got, want, noise):
    """Differs no more than by what the same roundings of the inputs do in float32, and by some of the output itself."""
    assert len(got) == len(want)
    for i, (g, w) in enumerate(zip(got, want)):
        others = [n[i] for n in noise]
        assert g.shape == w.shape
        if w.dtype != np.float32:
            assert g.dtype == w.dtype
            assert (g == w).all() or any((other != w).any() for other in others), "output %d:\n%s\nMXNet:\n%s" % (i, g, w)
            continue
        assert g.dtype in (np.float16, np.float32)
        assert np.array_equal(np.isnan(g), np.isnan(w)), "output %d: NaN elsewhere:\n%s\nMXNet:\n%s" % (i, g, w)
        known = ~np.isnan(w)  # what a rounding takes out of the domain of a function says nothing
        spread = max(np.abs(np.nan_to_num(cut(other)[known] - cut(w)[known])).max(initial=0) for other in others)
        most, scale = compare.difference(cut(g), cut(w))
        bound = 3 * spread + 6 * UNIT * scale + 1e-7
        assert most <= bound, "output %d: differs by %.3g where %.3g is allowed:\n%s\nMXNet:\n%s" % (i, most, bound, g, w)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("half")


@pytest.mark.parametrize("c", [pytest.param(c, id="%s/%s" % (c.group, c.name)) for c in CASES])
def test_a_case_agrees_in_float16(converter, c, folder):
    noise = None
    for opset, float16 in [f for f in FORMS if f[0] in c.opsets] or [(c.opsets[0], "all")]:
        out = convert(converter, c, c.arrays(), opset, folder, float16)
        if c.check_only is not None or "%s/%s" % (c.group, c.name) in JUMPS:
            continue
        got = run(out, c.arrays())
        if noise is None:
            noise = [run(convert(converter, c, a, opset, folder, None), a)
                     for a in (rounded(c.arrays(), seed) for seed in (1, 2, 3))]
        agree(got, test_ops.STORED.outputs(c, 0), noise)


# ---- nets


# Nets that read positions in a table: float16 counts to 2048 only, so these inputs stay float32.
WORDS = ("text_cnn",)


def wide_weights(path):
    """Initialisers of float32 that are neither vectors nor scalars."""
    return [t.name for t in onnx.load(path).graph.initializer
            if t.data_type == onnx.TensorProto.FLOAT and sum(d > 1 for d in t.dims) > 1]


@pytest.mark.parametrize("opset,float16", FORMS)
def test_a_net_agrees_in_float16(converter, net, opset, float16, tmp_path):  # noqa: F811
    out = str(tmp_path / "net.onnx")
    converter(net.symbol, net.params, {"data": ((1,) + net.dims, "float32")}, {"data": {0: "batch"}}, opset, out, float16)
    compare.check(out, opset)
    assert not wide_weights(out), "only what BatchNorm learned stays float32"
    s = compare.session(out)
    half = np.float16 if float16 == "all" and net.name not in WORDS else np.float32
    assert s.get_inputs()[0].type == {np.float16: "tensor(float16)", np.float32: "tensor(float)"}[half]
    for batch in test_nets.BATCHES:
        got = compare.run(s, {"data": net.data(batch).astype(half)}, {"batch": batch})
        for g, w in zip(got, net.outputs[batch]):
            most, scale = compare.difference(g, w)
            assert most <= compare.TOLERANCE["float16"] * scale
    os.unlink(out)


def test_a_net_of_the_zoo_agrees_in_float16(converter, whole, tmp_path):  # noqa: F811
    """Detections, masks, poses and what else nets give, from the numbers that MXNet gave in float32."""
    out, run = str(tmp_path / "net.onnx"), whole.runs[0]
    inputs = {n: (shape, whole.net.inputs[n].dtype) for n, shape in whole.net.shapes().items()}
    converter(whole.symbol, whole.params, inputs, {}, 17, out, "inside")
    compare.check(out, 17)
    got = compare.run(compare.session(out), whole.net.arrays(run["sizes"], run["draw"]), run["sizes"])
    want = [whole.reader.get(e) for e in run["outputs"]]
    found = test_zoo.sets.difference(whole.net, [test_zoo.sets.thin(whole.net, g) for g in got], want, others=0.02)
    assert found <= compare.TOLERANCE["float16"]
    os.unlink(out)
