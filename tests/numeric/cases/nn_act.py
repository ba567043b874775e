# SPDX-License-Identifier: Apache-2.0
"""Activation, LeakyReLU, hard_sigmoid, Dropout."""
from . import FROM_12, build, case, data, param

WIDE = dict(low=-6, high=6)


def act(kind, **kw):
    return case(kind, "Activation", [data(2, 3, 4, **WIDE)], dict(act_type=kind), **kw)


def leaky(name, shape=(2, 3, 4), dtype="float32", dynamic="batch", rtol=None, **attrs):
    return case(name, "LeakyReLU", [data(*shape, dtype=dtype, **WIDE)], attrs, dynamic=dynamic, rtol=rtol)


def prelu(name, shape, gamma, dynamic="batch", **kw):
    return case(name, "LeakyReLU", [data(*shape, **WIDE), param(*gamma)], dict(act_type="prelu"), dynamic=dynamic, **kw)


CASES = [
    act("relu"), act("sigmoid"), act("softrelu"), act("tanh"), act("softsign"),
    case("softrelu_large", "Activation", [data(values=[[-100, -30, 0, 30, 100]], dtype="float32")],
         dict(act_type="softrelu")),
    case("sigmoid_float16", "Activation", [data(2, 3, dtype="float16")], dict(act_type="sigmoid")),
    case("softrelu_float16", "Activation", [data(2, 3, dtype="float16")], dict(act_type="softrelu")),
    case("softsign_float64", "Activation", [data(2, 3, dtype="float64")], dict(act_type="softsign"), rtol=1e-6),
    case("tanh_float64", "Activation", [data(2, 3, dtype="float64")], dict(act_type="tanh")),
    case("relu_1d", "Activation", [data(5)], dict(act_type="relu")),
    case("relu_5d", "Activation", [data(1, 2, 1, 3, 2)], dict(act_type="relu"), dynamic=[{0: "a", 1: "b", 4: "c"}]),

    leaky("leaky_default"),
    leaky("leaky_slope", slope=0.1),
    leaky("leaky_1d", shape=(6,)),
    leaky("leaky_float16", dtype="float16"),
    leaky("leaky_float64", dtype="float64", rtol=1e-6),
    leaky("elu_default", act_type="elu"),
    leaky("elu_slope", act_type="elu", slope=1.0),
    leaky("selu", act_type="selu"),
    leaky("selu_float64", act_type="selu", dtype="float64", rtol=1e-6),
    leaky("gelu", act_type="gelu"),
    leaky("gelu_5d", act_type="gelu", shape=(1, 2, 3, 1, 2)),
    leaky("gelu_float16", act_type="gelu", dtype="float16"),
    case("rrelu", "LeakyReLU", [data(2, 3, 4, **WIDE)], dict(act_type="rrelu"), outputs=[0]),
    case("rrelu_bounds", "LeakyReLU", [data(2, 3, 4, **WIDE)],
         dict(act_type="rrelu", lower_bound=0.2, upper_bound=0.6), outputs=[0]),
    prelu("prelu", (2, 3, 4), (3,)),
    prelu("prelu_4d", (2, 3, 4, 5), (3,), dynamic=[{0: "n", 2: "h", 3: "w"}]),
    prelu("prelu_2d", (2, 3), (3,)),
    prelu("prelu_open_channels", (3, 3, 4), (3,), dynamic=[{1: "c", 2: "w"}], sizes={"c": 3, "w": 5}),
    prelu("prelu_open_channels_2d", (3, 3), (3,), dynamic=[{0: "n", 1: "c"}], sizes={"n": 2, "c": 3}),
    prelu("prelu_one", (2, 3, 4), (1,)),
    prelu("prelu_one_2d", (2, 3), (1,)),
    prelu("prelu_1d", (3,), (3,), dynamic=None),
    prelu("prelu_matrix", (2, 3, 4), (2, 3), dynamic=None),
    prelu("prelu_row", (2, 3, 4), (1, 3)),
    prelu("prelu_batch", (2, 3, 4), (2,), dynamic=None),
    case("prelu_input", "LeakyReLU", [data(2, 3, 4), data(3)], dict(act_type="prelu"), dynamic=[{0: "n"}, None]),
    case("prelu_float64", "LeakyReLU", [data(2, 3, 4, dtype="float64"), param(3, dtype="float64")],
         dict(act_type="prelu"), rtol=1e-6),
    case("prelu_wrong", "LeakyReLU", [data(2, 3, 4), param(4)], dict(act_type="prelu"), dynamic=None, error="gamma"),

    case("hard_sigmoid", "hard_sigmoid", [data(2, 3, 4, **WIDE)]),
    case("hard_sigmoid_params", "hard_sigmoid", [data(2, 7, **WIDE)], dict(alpha=0.1, beta=0.3)),
    case("hard_sigmoid_float64", "hard_sigmoid", [data(2, 7, dtype="float64", **WIDE)], rtol=1e-6),

    case("dropout", "Dropout", [data(2, 3)], dict(p=0.5)),
    case("dropout_axes", "Dropout", [data(2, 3)], dict(p=0.5, axes=(0,))),
    case("dropout_always_nothing", "Dropout", [data(2, 3)], dict(p=0.0, mode="always")),
    # Random masks cannot be compared; where nothing is positive or negative, what survives is still seen.
    build("dropout_always", lambda mx: mx.sym.clip(mx.sym.Dropout(mx.sym.Variable("x"), p=0.5, mode="always"), 0, 0),
          inputs={"x": data(4, 5)}, opsets=FROM_12),
    build("dropout_always_axes",
          lambda mx: mx.sym.clip(mx.sym.Dropout(mx.sym.Variable("x"), p=0.5, mode="always", axes=(1,)), 0, 0),
          inputs={"x": data(4, 5, 2)}, opsets=FROM_12),
    # With p so small that nothing is dropped, the scale 1 / (1 - p) is 1 within the tolerance.
    case("dropout_always_scale", "Dropout", [data(3, 4)], dict(p=1e-7, mode="always"), opsets=FROM_12),
    case("dropout_always_axes_scale", "Dropout", [data(3, 4, 2)], dict(p=1e-7, mode="always", axes=(0, 2)), opsets=FROM_12),
]
