# SPDX-License-Identifier: Apache-2.0
"""Random operators: shape, type and moments of what they draw; no value can agree with MXNet's.

Bounds are five standard errors and more, so that a run in a million fails."""
import json

import numpy as np
import pytest

import compare
import ndarray_list

OPSETS = (11, 17, 21)
CHECKED = (26, 28)  # ONNX Runtime has no kernels of random operators from opset 22 on
MANY = 40000


def symbol(op, attrs, inputs, n_out=1):
    nodes = [{"op": "null", "name": n, "inputs": []} for n in inputs]
    nodes.append({"op": op, "name": "draw", "attrs": {k: str(v) for k, v in attrs.items()},
                  "inputs": [[i, 0, 0] for i in range(len(inputs))]})
    return json.dumps({"nodes": nodes, "arg_nodes": list(range(len(inputs))),
                       "heads": [[len(inputs), i, 0] for i in range(n_out)],
                       "attrs": {"mxnet_version": ["int", 10901]}})


def draw(converter, tmp_path, op, attrs, inputs=None, opset=17, params=None, dynamic=None, n_out=1):
    """The outputs of one node; inputs are graph inputs, params come from a file."""
    inputs, params = inputs or {}, params or {}
    file, out, stored = str(tmp_path / "x-symbol.json"), str(tmp_path / "x.onnx"), str(tmp_path / "x.params")
    with open(file, "w") as f:
        f.write(symbol(op, attrs, list(inputs) + list(params), n_out))
    if params:
        ndarray_list.save(stored, {"arg:" + n: a for n, a in params.items()})
    converter(file, stored if params else None, {n: (a.shape, a.dtype.name) for n, a in inputs.items()},
              dynamic or {}, opset, out)
    compare.check(out, opset)
    return compare.session(out).run(None, inputs) if opset not in CHECKED else None


def close(x, mean, variance):
    """Mean within 5 standard errors, variance within 10 percent (more samples for heavy tails)."""
    x = np.asarray(x, np.float64)
    error = np.sqrt(variance / x.size)
    assert abs(x.mean() - mean) <= 5 * error + 1e-7, "mean %g, not %g +- %g" % (x.mean(), mean, error)
    assert abs(x.var() - variance) <= 0.1 * variance + 1e-7, "variance %g, not %g" % (x.var(), variance)


# name: attributes, names of the tensors of _sample_*, mean, variance
KINDS = {
    "uniform": (dict(low=-2, high=3), ("low", "high"), 0.5, 25 / 12),
    "normal": (dict(loc=1.5, scale=2), ("mu", "sigma"), 1.5, 4),
    "exponential": (dict(lam=4), ("lam",), 0.25, 1 / 16),
    "gamma": (dict(alpha=2.5, beta=0.5), ("alpha", "beta"), 1.25, 0.625),
    "poisson": (dict(lam=3.5), ("lam",), 3.5, 3.5),
    "negative_binomial": (dict(k=4, p=0.4), ("k", "p"), 6, 15),
    "generalized_negative_binomial": (dict(mu=3, alpha=0.25), ("mu", "alpha"), 3, 3 + 0.25 * 9),
}
WHOLE = ("poisson", "negative_binomial", "generalized_negative_binomial")


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
@pytest.mark.parametrize("kind", KINDS)
def test_draws_with_attributes_have_the_moments(converter, tmp_path, kind, opset):
    attrs, _, mean, variance = KINDS[kind]
    got = draw(converter, tmp_path, "_random_" + kind, dict(attrs, shape=(MANY // 4, 4)), opset=opset)
    if got:
        x, = got
        assert x.shape == (MANY // 4, 4) and x.dtype == np.float32
        close(x, mean, variance)
        assert kind not in WHOLE or (x == np.floor(x)).all() and x.min() >= 0


@pytest.mark.parametrize("dtype", ["float16", "float64", "None"])
@pytest.mark.parametrize("kind", KINDS)
def test_draws_have_the_requested_type(converter, tmp_path, kind, dtype):
    x, = draw(converter, tmp_path, "_random_" + kind, dict(KINDS[kind][0], shape=(MANY,), dtype=dtype))
    assert x.dtype == (np.float32 if dtype == "None" else dtype)
    close(x, *KINDS[kind][2:])


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("kind", KINDS)
def test_draws_take_the_shape_of_their_input(converter, tmp_path, kind, opset):
    """Shape and type of the data, whose rows are dynamic."""
    for dtype in ("float32", "float64"):
        x, = draw(converter, tmp_path, "_random_%s_like" % kind, KINDS[kind][0], opset=opset,
                  inputs={"data": np.zeros((MANY // 2, 2), dtype)}, dynamic={"data": {0: "n"}})
        assert x.shape == (MANY // 2, 2) and x.dtype == dtype
        close(x, *KINDS[kind][2:])


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_moments_of_each_distribution(converter, tmp_path, kind, opset):
    """Two distributions in one call: the second has its own parameters if that changes the moments in a known way."""
    attrs, names, mean, variance = KINDS[kind]
    inputs = {n: np.array([v, v], np.float32) for n, v in zip(names, attrs.values())}
    if kind == "normal":
        inputs["mu"][1] = -7
    got = draw(converter, tmp_path, "_sample_" + kind, dict(shape=(MANY,)), inputs=inputs, opset=opset,
               dynamic={n: {0: "n"} for n in inputs})
    if got:
        x, = got
        assert x.shape == (2, MANY) and x.dtype == np.float32
        close(x[0], mean, variance)
        close(x[1], -7 if kind == "normal" else mean, variance)


def test_samples_have_their_shapes(converter, tmp_path):
    mu = np.zeros((2, 3), np.float32)
    for shape, want in (((), (2, 3)), ((4, 5), (2, 3, 4, 5))):
        x, = draw(converter, tmp_path, "_sample_normal", dict(shape=shape), inputs={"mu": mu, "sigma": mu})
        assert x.shape == want and (x == 0).all()


def test_a_draw_without_a_shape_has_one_element(converter, tmp_path):
    x, = draw(converter, tmp_path, "_random_uniform", dict(low=2, high=2.5))
    assert x.shape == (1,) and 2 <= x[0] <= 2.5


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1, 30])
def test_gamma_has_its_moments_for_each_shape_parameter(converter, tmp_path, alpha):
    """Against SciPy-free quantiles: moments up to the third, which a wrong rejection would miss."""
    x, = draw(converter, tmp_path, "_random_gamma", dict(alpha=alpha, beta=2, shape=(4 * MANY,)))
    x = np.asarray(x, np.float64)
    assert x.min() >= 0
    close(x, 2 * alpha, 4 * alpha)
    skew = ((x - x.mean()) ** 3).mean() / x.std() ** 3
    assert abs(skew - 2 / np.sqrt(alpha)) < 0.15 * max(1, 2 / np.sqrt(alpha))


@pytest.mark.parametrize("lam", [0, 0.2, 50, 900])
def test_poisson_has_its_moments_for_each_mean(converter, tmp_path, lam):
    x, = draw(converter, tmp_path, "_random_poisson", dict(lam=lam, shape=(MANY,)))
    close(x, lam, lam)


def test_a_dispersion_of_zero_is_poisson(converter, tmp_path):
    x, = draw(converter, tmp_path, "_random_generalized_negative_binomial", dict(mu=3, alpha=0, shape=(MANY,)))
    close(x, 3, 3)


def test_exponential_draws_have_their_quantiles(converter, tmp_path):
    """The whole distribution, against its quantiles."""
    x, = draw(converter, tmp_path, "_random_exponential", dict(lam=2, shape=(MANY,)))
    assert np.isfinite(x).all()
    for q in (0.1, 0.5, 0.9, 0.99):
        assert abs((x < -np.log(1 - q) / 2).mean() - q) < 5 * np.sqrt(q * (1 - q) / MANY)


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
@pytest.mark.parametrize("dtype", ["None", "int32", "int64"])
def test_integers_cover_their_range(converter, tmp_path, dtype, opset):
    got = draw(converter, tmp_path, "_random_randint", dict(low=-2, high=4, shape=(MANY,), dtype=dtype), opset=opset)
    if got:
        x, = got
        assert x.dtype == (np.int64 if dtype == "int64" else np.int32)
        values, counts = np.unique(x, return_counts=True)
        assert values.tolist() == [-2, -1, 0, 1, 2, 3]
        assert np.abs(counts / MANY - 1 / 6).max() < 5 * np.sqrt(5 / 36 / MANY)


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
def test_classes_are_drawn_by_their_probabilities(converter, tmp_path, opset):
    p = np.array([[0.1, 0.2, 0.7, 0], [0.25, 0.25, 0.25, 0.25]], np.float32)
    got = draw(converter, tmp_path, "_sample_multinomial", dict(shape=(MANY // 4, 4), get_prob=True),
               inputs={"data": p}, opset=opset, dynamic={"data": {0: "n"}}, n_out=2)
    if got:
        x, log = got
        assert x.shape == (2, MANY // 4, 4) and x.dtype == np.int32 and log.dtype == np.float32
        for row in range(2):
            share = np.bincount(x[row].ravel(), minlength=4) / MANY
            assert np.abs(share - p[row]).max() < 5 * np.sqrt(0.25 / MANY)
            assert np.abs(log[row] - np.log(p[row][x[row]])).max() < 1e-5


@pytest.mark.parametrize("shape, attrs, want", [((3,), {}, (1,)), ((2, 3), {}, (2,)), ((3,), dict(shape=5), (5,)),
                                                ((2, 4, 3), dict(shape=(1, 2), dtype="float32"), (2, 4, 1, 2))])
def test_multinomial_draws_have_their_shape(converter, tmp_path, shape, attrs, want):
    p = np.full(shape, 1 / 3, np.float32)
    x, = draw(converter, tmp_path, "_sample_multinomial", attrs, inputs={"data": p})
    assert x.shape == want and x.dtype == attrs.get("dtype", "int32")
    assert 0 <= x.min() and x.max() <= 2


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_a_shuffle_permutes_the_rows(converter, tmp_path, dtype, opset):
    data = np.arange(2000).reshape(1000, 2).astype(dtype)
    got = draw(converter, tmp_path, "_shuffle", {}, inputs={"data": data}, opset=opset, dynamic={"data": {0: "n"}})
    if got:
        x, = got
        assert x.dtype == dtype and (x[:, 0] % 2 == 0).all() and (x[:, 1] == x[:, 0] + 1).all()
        assert sorted(x[:, 0].tolist()) == list(range(0, 2000, 2))
        moved = np.abs(x[:, 0] - data[:, 0]).mean()  # 2 * 1000 / 3 when all orders are alike
        assert 550 < moved < 800


def test_two_draws_differ(converter, tmp_path):
    """Two nodes of equal attributes are two draws, and a second run is another one."""
    nodes = [{"op": "_random_normal", "name": n, "attrs": {"shape": "(1000,)"}, "inputs": []} for n in "ab"]
    text = json.dumps({"nodes": nodes, "arg_nodes": [], "heads": [[0, 0, 0], [1, 0, 0]]})
    file, out = str(tmp_path / "two-symbol.json"), str(tmp_path / "two.onnx")
    with open(file, "w") as f:
        f.write(text)
    converter(file, None, {}, {}, 17, out)
    session = compare.session(out)
    a, b = session.run(None, {})
    c, d = session.run(None, {})
    for x, y in ((a, b), (a, c), (b, d)):
        assert abs(np.corrcoef(x, y)[0, 1]) < 0.2
