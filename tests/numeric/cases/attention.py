# SPDX-License-Identifier: Apache-2.0
"""Attention with interleaved heads, division by the root of the last axis."""
from . import build, case, data, param

TN = [{0: "t", 1: "n"}]


def selfatt(name, t, n, heads, d, **options):
    dtype = options.pop("dtype", "float32")
    options.setdefault("dynamic", TN)
    return case("selfatt_qk_" + name, "contrib.interleaved_matmul_selfatt_qk",
                [data(t, n, heads * 3 * d, dtype=dtype)], dict(heads=heads), **options)


def valatt(name, t, n, heads, d, **options):
    dtype = options.pop("dtype", "float32")
    return case("selfatt_valatt_" + name, "contrib.interleaved_matmul_selfatt_valatt",
                [data(t, n, heads * 3 * d, dtype=dtype), data(n * heads, t, t, dtype=dtype)], dict(heads=heads),
                **options)


def block(mx):
    """Self-attention as GluonNLP writes it."""
    x = mx.sym.Variable("x")
    qkv = mx.sym.FullyConnected(x, mx.sym.Variable("w"), mx.sym.Variable("b"), num_hidden=24, flatten=False)
    a = mx.sym.softmax(mx.sym.contrib.interleaved_matmul_selfatt_qk(qkv, heads=2))
    return mx.sym.contrib.interleaved_matmul_selfatt_valatt(qkv, a, heads=2)


def cross(mx):
    q, kv = mx.sym.Variable("q"), mx.sym.Variable("kv")
    a = mx.sym.softmax(mx.sym.contrib.interleaved_matmul_encdec_qk(q, kv, heads=2))
    return mx.sym.contrib.interleaved_matmul_encdec_valatt(kv, a, heads=2)


def by_lengths(mx):
    """Self-attention over lengths as BERT of GluonNLP writes it: a length for each head and query."""
    x, n = mx.sym.Variable("x"), mx.sym.Variable("n")
    zeros = mx.sym.reshape(mx.sym.zeros_like(mx.sym.contrib.arange_like(x, axis=2)), shape=(1, -1))
    each = mx.sym.broadcast_add(mx.sym.reshape(n, shape=(-1, 1)), zeros).astype("int32")
    heads = mx.sym.reshape(mx.sym.broadcast_axis(mx.sym.expand_dims(each, axis=1), axis=1, size=2), shape=(-1, 0), reverse=True)
    return mx.sym.softmax(mx.sym.reshape(x, shape=(-3, 0, 0)), heads, use_length=True)


def causal(mx):
    """A mask that is concatenated for the heads as GPT-2 of GluonNLP writes it; it and what it is compared with are large."""
    x = mx.sym.Variable("x")
    place = mx.sym.contrib.arange_like(x, axis=1)
    mask = mx.sym.broadcast_lesser_equal(mx.sym.reshape(place, shape=(1, 1, -1)), mx.sym.reshape(place, shape=(1, -1, 1)))
    heads = mx.sym.concat(mask, mask, dim=0)
    share = mx.sym.softmax(mx.sym.where(heads, x, -1e18 * mx.sym.ones_like(x)))
    return mx.sym.Group([share * heads, heads])


CASES = [
    build("lengths", by_lengths, {"x": data(3, 2, 4, 4), "n": data(values=[2, 0, 4])}, dynamic={"x": {0: "n", 2: "t", 3: "t"}, "n": {0: "n"}}),
    build("lengths_of_one", by_lengths, {"x": data(1, 2, 4, 4), "n": data(values=[3])}, dynamic={"x": {2: "t", 3: "t"}}),
    build("lengths_of_none", by_lengths, {"x": data(1, 2, 4, 4), "n": data(values=[0])}),
    build("causal", causal, {"x": data(2, 70, 70)}, dynamic={"x": {1: "t", 2: "t"}}),
    selfatt("heads2", 4, 3, 2, 5),
    selfatt("heads1", 3, 2, 1, 4),
    selfatt("heads4_d1", 2, 1, 4, 1),
    selfatt("length1", 1, 2, 2, 3),
    selfatt("batch", 4, 3, 2, 5, dynamic=[{1: "n"}]),
    selfatt("length", 4, 3, 2, 5, dynamic=[{0: "t"}]),
    case("selfatt_qk_undivided", "contrib.interleaved_matmul_selfatt_qk", [data(2, 2, 12)], dict(heads=5),
         error="heads"),
    valatt("heads2", 4, 3, 2, 5, dynamic=None),
    valatt("heads1", 3, 2, 1, 4, dynamic=[{0: "t", 1: "n"}, {0: "n", 1: "t", 2: "t"}]),
    valatt("length", 3, 2, 2, 4, dynamic=[{0: "t"}, {1: "t", 2: "t"}]),
    build("selfatt", block, {"x": data(4, 3, 6)}, {"w": param(24, 6), "b": param(24)}, dynamic={"x": {0: "t", 1: "n"}}),
    case("encdec_qk", "contrib.interleaved_matmul_encdec_qk", [data(4, 3, 10), data(5, 3, 20)], dict(heads=2),
         dynamic=[{0: "t", 1: "n"}, {0: "s", 1: "n"}], sizes={"t": 2, "s": 7, "n": 1}),
    case("encdec_qk_heads1", "contrib.interleaved_matmul_encdec_qk", [data(4, 3, 5), data(2, 3, 10)], dict(heads=1),
         dynamic=[{1: "n"}, {1: "n"}]),
    case("encdec_qk_open", "contrib.interleaved_matmul_encdec_qk", [data(4, 3, 10), data(5, 3, 20)], dict(heads=2),
         dynamic=[{1: "n"}, {1: "n", 2: "w"}], sizes={"n": 2, "w": 20}),
    case("encdec_valatt", "contrib.interleaved_matmul_encdec_valatt", [data(5, 3, 20), data(6, 4, 5)], dict(heads=2),
         dynamic=[{0: "s"}, {1: "t", 2: "s"}], sizes={"t": 2, "s": 3}),
    case("encdec_valatt_heads1", "contrib.interleaved_matmul_encdec_valatt", [data(5, 3, 8), data(3, 4, 5)],
         dict(heads=1), dynamic=[{0: "s", 1: "n"}, {0: "n", 1: "t", 2: "s"}]),
    build("encdec", cross, {"q": data(4, 3, 6), "kv": data(5, 3, 12)},
          dynamic={"q": {0: "t", 1: "n"}, "kv": {0: "s", 1: "n"}}),
    case("div_sqrt_dim", "contrib.div_sqrt_dim", [data(2, 3, 5)], dynamic=[{0: "n", 1: "t"}]),
    case("div_sqrt_dim_dynamic", "contrib.div_sqrt_dim", [data(2, 3, 5)], dynamic=[{2: "d"}]),
    case("div_sqrt_dim_vector", "contrib.div_sqrt_dim", [data(7)]),
    case("div_sqrt_dim_f16", "contrib.div_sqrt_dim", [data(2, 3, dtype="float16")]),
    case("div_sqrt_dim_f16_dynamic", "contrib.div_sqrt_dim", [data(2, 3, dtype="float16")],
         dynamic=[{0: "n", 1: "d"}]),
    case("div_sqrt_dim_f64", "contrib.div_sqrt_dim", [data(2, 3, dtype="float64")]),
]
