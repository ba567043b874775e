# SPDX-License-Identifier: Apache-2.0
"""Every float32 case and net as a float16 model: what MXNet computed in float32, within what float16 can hold."""
import numpy as np
import pytest

import compare
import ndarray_list
import recorded
import test_nets
import test_ops

UNIT = 2.0 ** -11  # the largest relative error of one rounding to float16
LARGEST = 65504.0
OPSETS = (12, 17, 21)


def is_single(c):
    return any(np.dtype(a.dtype) == np.float32 for a in c.inputs.values())


CASES = [c for c in test_ops.ALL if not c.error and is_single(c)]


def rounded(arrays, seed):
    """float32 arrays with every element off by up to a rounding to float16; `seed` 0: as they are."""
    random = np.random.RandomState(seed)
    return {n: (a * (1 + UNIT * random.choice([-1, 1], a.shape))).astype(a.dtype) if seed and a.dtype == np.float32 else a
            for n, a in arrays.items()}


def save(c, arrays, folder):
    symbol, params = str(folder / "case-symbol.json"), str(folder / "case.params")
    with open(symbol, "w") as f:
        f.write(test_ops.STORED.entry(c)["symbol"])
    stored = {("aux:" if c.inputs[n].role == "aux" else "arg:") + n: a for n, a in arrays.items()
              if c.inputs[n].role != "data"}
    if stored:
        ndarray_list.save(params, stored)
    return symbol, params if stored else None


def run(converter, c, arrays, opset, folder, float16):
    out = str(folder / "case.onnx")
    converter(*save(c, arrays, folder), test_ops.signature(c), {}, opset, out, float16)
    compare.check(out, opset)
    s = compare.session(out)
    types = {i.name: {"tensor(float16)": np.float16}.get(i.type) for i in s.get_inputs()}
    return compare.run(s, {n: a.astype(types.get(n) or a.dtype) for n, a in arrays.items()})


def agree(got, want, noise):
    """Within the roundings of the inputs and of a few results, each to the output's largest value."""
    assert len(got) == len(want)
    for i, (g, w) in enumerate(zip(got, want)):
        assert g.shape == w.shape and g.dtype == w.dtype or (g.dtype, w.dtype) == (np.float16, np.float32)
        if w.dtype != np.float32:
            assert all((g == other[i]).all() for other in noise if (w == other[i]).all()), "output %d" % i
            continue
        with np.errstate(over="ignore"):
            w = w.astype(np.float16).astype(np.float32) if g.dtype == np.float16 else w
        spread, _ = zip(*[compare.difference(other[i], w) for other in noise])
        most, scale = compare.difference(np.clip(g.astype(np.float32), -LARGEST, LARGEST), np.clip(w, -LARGEST, LARGEST))
        bound = 4 * max(spread) + 8 * UNIT * scale + 1e-6
        print("XX", i, most, bound, scale)
        assert most <= bound, "output %d: differs by %.3g where %.3g is allowed:\n%s\nMXNet:\n%s" % (i, most, bound, g, w)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("half")


@pytest.mark.parametrize("c", [pytest.param(c, id="%s/%s" % (c.group, c.name)) for c in CASES])
def test_case(converter, c, folder):
    want = test_ops.STORED.entry(c) and test_ops.STORED.outputs(c, 0)
    for opset in [o for o in OPSETS if o in c.opsets] or c.opsets[:1]:
        got = run(converter, c, c.arrays(), opset, folder, "inside")
        if c.check_only is None:
            noise = [run(converter, c, rounded(c.arrays(), seed), opset, folder, None) for seed in (1, 2, 3)]
            agree(got, want, noise)
