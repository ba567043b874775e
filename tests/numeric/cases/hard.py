# SPDX-License-Identifier: Apache-2.0
"""Numbers at which computations round, overflow or vanish. Each case holds numbers of one size, since outputs are compared by their
largest element."""
from . import build, case, data, param

NAN, INF = float("nan"), float("inf")
LARGE = {"float16": [1025, 2047, 1023.5], "float32": [8388609, 16777215, 4194304.5], "float64": [2.0 ** 52 + 1, 2.0 ** 53 - 1, 2.0 ** 51 + .5]}
BELOW_HALF = {"float16": .49975586, "float32": .49999997, "float64": .49999999999999994}

CASES = []
for name in ("rint", "round"):
    for t, large in LARGE.items():
        CASES += [case("%s_large_%s" % (name, t), name, [data(values=large + [-v for v in large], dtype=t)], rtol=0),
                  case("%s_half_%s" % (name, t), name, [data(values=[s * v for v in (BELOW_HALF[t], .5, 1.5, 2.5, 3.5) for s in (1, -1)],
                                                             dtype=t)], rtol=0)]
    CASES += [case(name + "_infinite", name, [data(values=[INF, -INF, NAN, 0.0, -0.0])]),
              build(name + "_constant", lambda mx, op=name: mx.sym.Variable("x") + getattr(mx.sym, op)(mx.sym.Variable("w")),
                    {"x": data(6, low=0, high=0)}, {"w": param(values=[8388609, 16777215, 4194304.5, .49999997, -8388609, 2.5])}, dynamic=None,
                    rtol=0)]

for name in ("log1p", "expm1"):
    CASES += [case(name + "_tiny", name, [data(values=[1e-9, -1e-9, 3e-9, 1e-30])], atol=0),
              case(name + "_smaller", name, [data(values=[1e-30, -1e-30])], atol=0),
              case(name + "_small", name, [data(values=[1e-5, -2e-5, 1.5e-5])], rtol=1e-6, atol=0),
              case(name + "_tiny_float64", name, [data(values=[1e-18, -1e-18], dtype="float64")], atol=0),
              case(name + "_ends", name, [data(values=[-1.0, -1.5, -2.0, -3.0, 0.0, 80.0, NAN, INF, -INF])])]
CASES += [
    case("log1p_large", "log1p", [data(values=[1, .99999994, 2, 1e4, 1e8, 1e30, -.5, -.9999999])], rtol=1e-6),
    case("expm1_large", "expm1", [data(values=[-1, -20, -100, 88.5, 100])], rtol=2e-6),
    case("rcbrt_zero", "rcbrt", [data(values=[0.0, 8.0, -27.0, INF, -INF])]),
    case("gammaln_tiny", "gammaln", [data(values=[-1e-30, 1e-30, 1e-9, -1e-9, -1e-6])]),
    case("gammaln_poles", "gammaln", [data(values=[0, -1, -3, -8388609, 0.5, INF, NAN])]),
    case("gamma_tiny", "gamma", [data(values=[-1e-9, 2e-9, -3e-9])]),
    case("gamma_infinite", "gamma", [data(values=[INF, 200, 0.5, NAN])]),

    case("hypot_large", "broadcast_hypot", [data(values=[[1e30, 3e30, -2e38, 0]]), data(values=[[1e30], [-4e30], [2e38]])], dynamic=None),
    case("hypot_tiny", "broadcast_hypot", [data(values=[1e-30, 3e-30, 0]), data(values=[1e-30, -4e-30, -0.0])], atol=0),
    case("hypot_ends", "_internal._hypot", [data(values=[0, INF, -INF, 1, NAN, 3e38, 5]), data(values=[0, INF, 2, -INF, 1, 3e38, 12])]),
    case("hypot_float64", "np.hypot", [data(values=[1e200, 1e-200], dtype="float64"), data(values=[1e200, 1e-200], dtype="float64")],
         np_shape=True),
    case("hypot_float16", "np.hypot", [data(values=[300, 4e4], dtype="float16"), data(values=[400, 3e4], dtype="float16")], np_shape=True),
    case("mod_tiny", "broadcast_mod", [data(values=[1e-30, -1e-30, 3e-30, -3e-30]), data(values=[-3e-30, 3e-30, 1e-30, -2e-30])], atol=0),
    case("mod_tiny_divisor", "_internal._rmod_scalar", [data(values=[-1e-30, -3e-30, 2e-30])], dict(scalar=.477), atol=0),
    case("rdiv_of_a_large_number", "_internal._rdiv_scalar", [data(values=[2, 3, 7, -5, 1000], dtype="int32")], dict(scalar=2147483646), rtol=0),
    case("rdiv_of_2_to_24", "_internal._rdiv_scalar", [data(values=[1, 16777217, -16777217, 3], dtype="int32")], dict(scalar=16777216), rtol=0),
    case("rdiv_of_a_large_int64", "_internal._rdiv_scalar", [data(values=[2, 3, 7, -5, 1000], dtype="int64")], dict(scalar=-100000001), rtol=0),
    case("clip_infinite_above", "clip", [data(values=[INF, -INF, NAN, 5])], dict(a_min=1, a_max="inf")),
    case("clip_infinite_below", "clip", [data(values=[INF, -INF, NAN, 5])], dict(a_min="-inf", a_max=2)),
    case("clip_to_infinity", "clip", [data(values=[INF, -INF, 5])], dict(a_min="inf", a_max="inf")),
    case("clip_to_minus_infinity", "clip", [data(values=[INF, -INF, 5])], dict(a_min="-inf", a_max="-inf")),
    case("clip_between_crossed_ends", "clip", [data(values=[INF, -INF, 5, 1])], dict(a_min="inf", a_max=2)),
    case("copysign_nan", "np.copysign", [data(values=[1, -2, 3, -4, NAN]), data(values=[NAN, NAN, -0.0, 5, 1])], np_shape=True),
    case("copysign_nan_number", "np._internal.copysign_scalar", [data(values=[1, -2, INF])], dict(scalar=NAN, is_int=False), np_shape=True),
]


def read(take, texts):
    """What MXNet reads the texts of an attribute as (dmlc/strtonum.h, ParseFloat): the result of take() for each."""
    def make(mx):
        x = mx.sym.var("x")
        return mx.sym.Group([take(mx.sym, x, text) for text in texts])
    return make


CASES += [
    build("numbers_read_as_double", read(lambda sym, x, text: sym._internal._plus_scalar(x, scalar=text), (
        "2.486", "1.777", "-3.986", "7.123456789e-12", "-8.41E21", "1.5e308", "1.001e-05", "100000000000000000000", "9007199254740993.25",
        "0.12345678901234567890123", ".5", "7.", "+1e+2")), {"x": data(values=[0.0], dtype="float64")}, rtol=0, atol=0),
    build("numbers_read_as_float", read(lambda sym, x, text: sym.clip(x, a_min=text, a_max=text), (
        "1.353", "-10.553", "1.001e-05", "1.25e-38", "3.4e38", "-16777217.5", "100000000000000000000", "0.12345678901234567890123", ".7",
        "9.", "+1.1e+2")), {"x": data(values=[0.0])}, rtol=0, atol=0),
    build("largest_float_is_infinite", read(lambda sym, x, text: sym.clip(x, a_min="-1", a_max=text), (
        "3.4028234663852886e+38", "3.4028235e+38", "3.402823466e+38", "3.40282e+38")), {"x": data(values=[INF, -INF, 5])}, rtol=0, atol=0),
]
