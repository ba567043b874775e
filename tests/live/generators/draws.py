# SPDX-License-Identifier: Apache-2.0
"""Random cases: random operators. No value can agree with MXNet's; the distributions do."""
import numpy as np

from . import case, data, op

MANY = 4000
OPSETS = range(11, 22)  # ONNX Runtime has no kernels of random operators from opset 22 on
ENOUGH = 500    # fewer numbers say nothing of where they come from
ERRORS = 6              # standard errors: a difference by chance in 10^9


def alike(leading):
    """Compares what is drawn: each distribution along the `leading` axes by itself."""
    def agree(got, want, rtol=None, atol=None):
        assert len(got) == len(want), "%d outputs, MXNet has %d" % (len(got), len(want))
        for i, (g, w) in enumerate(zip(got, want)):
            assert g.dtype == w.dtype and g.shape == w.shape, "output %d is %s %s, MXNet's %s %s" % (
                i, g.dtype, g.shape, w.dtype, w.shape)
            if w.size < ENOUGH:
                continue
            rows = int(np.prod(w.shape[:leading], dtype=np.int64))
            for a, b in zip(g.reshape(rows, -1).astype(np.float64), w.reshape(rows, -1).astype(np.float64)):
                same_moments(a, b)
                same_quantiles(a, b)
    return agree


def same_moments(a, b):
    """Mean and variance; their errors follow from the samples' own moments."""
    scale = 1e-3 * max(np.abs(b).max(), 1e-6)  # float16 rounds
    for what, x, y in (("mean", a, b), ("variance", (a - a.mean()) ** 2, (b - b.mean()) ** 2)):
        error = np.sqrt(x.var() / x.size + y.var() / y.size)
        assert abs(x.mean() - y.mean()) <= ERRORS * error + scale, "%s %g, MXNet's %g +- %g" % (
            what, x.mean(), y.mean(), error)


def same_quantiles(a, b):
    """The shares below quantiles of both samples together; a little above them, where single values (logarithms of
    probabilities) differ in their last bits."""
    both = np.concatenate([a, b])
    for at in np.quantile(both, [.02, .1, .3, .5, .7, .9, .98]) + 1e-5 * np.abs(both).max():
        below = (a <= at).mean(), (b <= at).mean()
        p = sum(below) / 2
        error = np.sqrt(2 * p * (1 - p) / a.size)
        assert abs(below[0] - below[1]) <= ERRORS * error + 2 / a.size, "below %g: %g, MXNet's %g +- %g" % (
            (at,) + below + (error,))


def rows(got, want, rtol=None, atol=None):
    """The same rows in another order."""
    (g,), (w,) = got, want
    assert g.dtype == w.dtype and g.shape == w.shape
    assert not w.size or sorted(g.reshape(len(g), -1).tolist()) == sorted(w.reshape(len(w), -1).tolist())


def drawn(c, agree):
    c.agree = agree
    return c


def opsets(r):
    return dict(opsets=(r.pick(*OPSETS),))


# name: its parameters, and how each is drawn
KINDS = {
    "uniform": dict(low=lambda r: r.real(-3, 0), high=lambda r: r.real(1, 4)),
    "normal": dict(loc=lambda r: r.real(-2, 2), scale=lambda r: r.real(.1, 3)),
    "exponential": dict(lam=lambda r: r.real(.2, 5)),
    "gamma": dict(alpha=lambda r: r.real(.2, 8), beta=lambda r: r.real(.2, 3)),
    "poisson": dict(lam=lambda r: r.real(.1, 30)),
    "negative_binomial": dict(k=lambda r: r.int(1, 8), p=lambda r: r.real(.2, .9)),
    "generalized_negative_binomial": dict(mu=lambda r: r.real(.5, 8), alpha=lambda r: r.real(.05, 1)),
}
TYPES = ("float32", "float32", "float64", "float16")


def attributes(kind):
    def make(r):
        attrs = r.attrs(**{name: lambda f=f: f(r) for name, f in KINDS[kind].items()},
                        dtype=lambda: r.pick("None", *TYPES))
        if kind == "negative_binomial":  # p = 1, the default, is always 0
            attrs["p"] = KINDS[kind]["p"](r)
        shape = (MANY // 4, 4) if r.chance() else (MANY,)
        return drawn(case("case", "_internal._random_" + kind, [], dict(attrs, shape=shape), dynamic=None, **opsets(r)),
                     alike(0))
    return make


def like(kind):
    def make(r):
        attrs = {name: f(r) for name, f in KINDS[kind].items()}
        c = case("case", "random.%s_like" % kind, [data(MANY // 2, 2, dtype=r.pick(*TYPES))], attrs,
                 dynamic=[{0: "n"} if r.chance() else {}], **opsets(r))
        return drawn(c, alike(0))
    return make


def sample(kind):
    def make(r):
        shape = r.shape(1, 2, 3)
        count = int(np.prod(shape))
        inputs = [data(*shape, values=np.array([f(r) for _ in range(count)]).reshape(shape))
                  for f in KINDS[kind].values()]
        attrs = dict(r.attrs(dtype=lambda: r.pick("None", *TYPES)), shape=(MANY // 2, 2) if r.chance() else MANY)
        dims = {a: "d%d" % a for a in range(len(shape)) if r.chance(.3)}
        c = case("case", "_internal._sample_" + kind, inputs, attrs, dynamic=[dims] * len(inputs), **opsets(r))
        return drawn(c, alike(len(shape)))
    return make


for name in KINDS:
    op("_random_" + name)(attributes(name))
    op("_random_%s_like" % name)(like(name))
    op("_sample_" + name)(sample(name))


@op("_random_randint")
def randint(r):
    low = r.int(-20, 20)
    attrs = dict(r.attrs(dtype=lambda: r.pick("int32", "int64")), low=low, high=low + r.int(1, 50), shape=(MANY,))
    return drawn(case("case", "_internal._random_randint", [], attrs, dynamic=None, **opsets(r)), alike(0))


@op("_sample_multinomial")
def multinomial(r):
    batch, k = r.shape(0, 2, 3), r.int(1, 6)
    p = r.rng.uniform(.05, 1, size=batch + (k,))
    attrs = dict(r.attrs(get_prob=lambda: r.chance(), dtype=lambda: r.pick("int32", "float32", "float64", "uint8")),
                 shape=MANY)
    c = case("case", "_internal._sample_multinomial", [data(*p.shape, values=p / p.sum(-1, keepdims=True))], attrs,
             dynamic=[{0: "n"} if batch and r.chance() else {}], **opsets(r))
    return drawn(c, alike(len(batch)))


@op("_shuffle")
def shuffle(r):
    shape = r.shape(1, 3)
    c = case("case", "_internal._shuffle", [data(*shape, dtype=r.pick("float32", "float64", "int32"))], {},
             dynamic=[{0: "n"} if r.chance() else {}], **opsets(r))
    return drawn(c, rows)
