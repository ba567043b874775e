# SPDX-License-Identifier: Apache-2.0
"""NumPy's random operators: shape, type and moments of what they draw, as test_random.py."""
import math

import numpy as np
import pytest

from test_random import CHECKED, MANY, OPSETS, close, draw

# name: parameters, mean, variance
LAWS = {
    "uniform": (dict(low=-2, high=3), 0.5, 25 / 12),
    "uniform_n": (dict(low=-2, high=3), 0.5, 25 / 12),
    "normal": (dict(loc=1.5, scale=2), 1.5, 4),
    "normal_n": (dict(loc=1.5, scale=2), 1.5, 4),
    "gamma": (dict(shape=2.5, scale=0.5), 1.25, 0.625),
    "gumbel": (dict(loc=1, scale=2), 1 + 2 * 0.5772156649, 4 * math.pi ** 2 / 6),
    "logistic": (dict(loc=1, scale=2), 1, 4 * math.pi ** 2 / 3),
    "exponential": (dict(scale=4), 4, 16),
    "rayleigh": (dict(scale=2), 2 * math.sqrt(math.pi / 2), 4 * (4 - math.pi) / 2),
    "weibull": (dict(a=2), math.gamma(1.5), 1 - math.gamma(1.5) ** 2),
    "powerd": (dict(a=3), 3 / 4, 3 / 80),
    "pareto": (dict(a=10), 1 / 9, 10 / 81 / 8),
}
TYPED = ("uniform", "uniform_n", "normal", "normal_n", "gamma")


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
@pytest.mark.parametrize("name", LAWS)
def test_draws_with_numbers_have_the_moments(converter, tmp_path, name, opset):
    attrs, mean, variance = LAWS[name]
    got = draw(converter, tmp_path, "_npi_" + name, dict(attrs, size=(MANY // 4, 4)), opset=opset)
    if got:
        x, = got
        assert x.shape == (MANY // 4, 4) and x.dtype == np.float32 and np.isfinite(x).all()
        close(x, mean, variance)


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
@pytest.mark.parametrize("name", LAWS)
def test_draws_with_tensors_have_the_moments(converter, tmp_path, name, opset):
    """All parameters are tensors; their axis is the last one of the result, and dynamic where size does not say it."""
    attrs, mean, variance = LAWS[name]
    inputs = {p: np.array([v, v], np.float32) for p, v in attrs.items()}
    own = name.endswith("_n")
    got = draw(converter, tmp_path, "_npi_" + name,
               dict(dict.fromkeys(attrs), size=(MANY,) if own else (MANY, 2)), inputs=inputs, opset=opset,
               dynamic={p: {0: "n"} for p in inputs} if own else None)
    if got:
        x, = got
        assert x.shape == (MANY, 2) and x.dtype == np.float32
        close(x[:, 0], mean, variance)
        close(x[:, 1], mean, variance)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("name", TYPED)
def test_draws_have_the_requested_type(converter, tmp_path, name, dtype):
    x, = draw(converter, tmp_path, "_npi_" + name, dict(LAWS[name][0], size=(MANY,), dtype=dtype))
    assert x.dtype == dtype
    close(x, *LAWS[name][1:])


@pytest.mark.parametrize("size, want", [(None, ()), ((), ()), ((0, 3), (0, 3)), ((2, 3), (2, 3))])
def test_draws_have_the_requested_size(converter, tmp_path, size, want):
    for name, (attrs, _, _) in LAWS.items():
        x, = draw(converter, tmp_path, "_npi_" + name, dict(attrs, size=size))
        assert x.shape == want


def test_draws_have_the_shape_of_their_parameters(converter, tmp_path):
    """Without a size the parameters' own: what they broadcast to."""
    low, high = np.zeros((3, 1), np.float32), np.ones((1, 4), np.float32)
    x, = draw(converter, tmp_path, "_npi_uniform", dict(low=None, high=None), inputs={"low": low, "high": high},
              dynamic={"low": {0: "n"}, "high": {1: "m"}})
    assert x.shape == (3, 4) and x.min() >= 0 and x.max() <= 1


def test_an_integer_tensor_makes_the_other_operand_an_integer(converter, tmp_path):
    """A number becomes an integer if the other operand is an integer tensor; 1 / a of an integer is 0."""
    x, = draw(converter, tmp_path, "_npi_uniform", dict(low=-0.9, high=None, size=(MANY, 1)),
              inputs={"high": np.array([3], np.int32)})
    close(x, 1.5, 9 / 12)
    x, = draw(converter, tmp_path, "_npi_powerd", dict(a=None, size=(MANY, 1)), inputs={"a": np.array([2], np.int32)})
    assert (x == 1).all()


@pytest.mark.parametrize("name", ["normal", "normal_n", "gumbel", "logistic"])
def test_a_scale_next_to_an_integer_location_is_truncated(converter, tmp_path, name):
    attrs, _, variance = LAWS[name]
    own = name.endswith("_n")
    x, = draw(converter, tmp_path, "_npi_" + name, dict(loc=None, scale=attrs["scale"] + 0.9, size=(MANY,) if own else (MANY, 1)),
              inputs={"loc": np.array([0], np.int32)})
    assert abs(x.var() - variance) <= 0.1 * variance


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "float32", "float64"])
def test_bernoulli_draws_have_the_probability(converter, tmp_path, dtype, opset):
    logit = math.log(0.3 / 0.7)
    for attrs in (dict(prob=0.3, logit=None, is_logit=False), dict(prob=None, logit=logit, is_logit=True)):
        got = draw(converter, tmp_path, "_npi_bernoulli", dict(attrs, size=(MANY,), dtype=dtype), opset=opset)
        if got:
            assert got[0].dtype == dtype and set(np.unique(got[0].astype(int))) == {0, 1}
            close(got[0], 0.3, 0.21)


@pytest.mark.parametrize("is_logit", [False, True])
def test_bernoulli_draws_have_the_probabilities_of_a_tensor(converter, tmp_path, is_logit):
    p = np.array([0.2, 0.9])
    x, = draw(converter, tmp_path, "_npi_bernoulli", dict(prob=None, logit=None, is_logit=is_logit, size=(MANY, 2)),
              inputs={"p": np.log(p / (1 - p)).astype(np.float32) if is_logit else p})
    close(x[:, 0], 0.2, 0.16)
    close(x[:, 1], 0.9, 0.09)


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
def test_choices_follow_the_weights(converter, tmp_path, opset):
    weights = np.array([0.1, 0.2, 0.7], np.float32)
    for attrs, inputs, p in ((dict(a=3), {}, [1 / 3] * 3), (dict(a=None), {"x": np.zeros(3, np.int64)}, [1 / 3] * 3),
                             (dict(a=3, weighted=True), {"p": weights}, weights)):
        got = draw(converter, tmp_path, "_npi_choice", dict(attrs, size=(MANY // 4, 4)), inputs=inputs, opset=opset)
        if got:
            assert got[0].shape == (MANY // 4, 4) and got[0].dtype == np.int64
            share = np.bincount(got[0].ravel(), minlength=3) / MANY
            assert np.abs(share - p).max() < 5 * np.sqrt(0.25 / MANY)


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
def test_choices_without_replacing_are_all_different(converter, tmp_path, opset):
    """The first of two items is each with its own probability; none comes twice."""
    weights = np.arange(1, 2001, dtype=np.float32)
    for attrs, inputs, mean in ((dict(a=2000), {}, 999.5),
                                (dict(a=2000, weighted=True), {"p": weights / weights.sum()}, None)):
        got = draw(converter, tmp_path, "_npi_choice", dict(attrs, replace=False, size=(1000,)), inputs=inputs, opset=opset)
        if got:
            x, = got
            assert len(set(x.tolist())) == 1000 and 0 <= x.min() and x.max() < 2000
            assert abs(x.mean() - mean) < 60 if mean else x.mean() > 1150


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
def test_the_last_class_has_the_remaining_probability(converter, tmp_path, opset):
    p = np.array([0.1, 0.2, 0.65])  # what is missing to 1 goes to the last one
    for attrs, inputs in ((dict(pvals=tuple(p.tolist())), {}), (dict(pvals=None), {"p": p})):
        got = draw(converter, tmp_path, "_npi_multinomial", dict(attrs, n=7, size=(MANY // 2, 2)), inputs=inputs, opset=opset)
        if got:
            x, = got
            assert x.shape == (MANY // 2, 2, 3) and x.dtype == np.int64 and (x.sum(-1) == 7).all()
            for k, mean in enumerate((0.1, 0.2, 0.7)):
                close(x[..., k], 7 * mean, 7 * mean * (1 - mean))
