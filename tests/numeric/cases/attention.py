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


CASES = [
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
