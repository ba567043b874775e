# SPDX-License-Identifier: Apache-2.0
"""Softmax in its variants, heads of networks, Embedding."""
from . import aux, build, case, data, param

INF = float("inf")


def softmax(name, shape, op="softmax", dtype="float32", dynamic="batch", rtol=None, error=None, **attrs):
    return case(name, op, [data(*shape, dtype=dtype, low=-3, high=3)], attrs, dynamic=dynamic, rtol=rtol, error=error)


def by_length(name, shape, lengths, axis=-1, dynamic="batch", length_dtype="int32", **attrs):
    return case(name, "softmax", [data(*shape, low=-3, high=3), data(values=lengths, dtype=length_dtype)],
                dict(axis=axis, use_length=True, **attrs), dynamic=dynamic)


def embed(name, values, dtype="float32", rows=5, width=3, dynamic="batch", weight="float32", **attrs):
    return case(name, "Embedding", [data(values=values, dtype=dtype), param(rows, width, dtype=weight, low=-9, high=9)],
                dict(input_dim=rows, output_dim=width, **attrs), dynamic=dynamic)


def _heads(mx):
    """Two losses in a group, each its own output."""
    x = mx.sym.Variable("data")
    a = mx.sym.SoftmaxOutput(x, mx.sym.Variable("a_label"), name="a")
    b = mx.sym.LogisticRegressionOutput(x, mx.sym.Variable("b_label"), name="b")
    return mx.sym.Group([a, b, mx.sym.BlockGrad(x)])


def _margin(mx):
    """A training head whose label is read by more than the loss: it stays an input."""
    label = mx.sym.Variable("label")
    hot = mx.sym.one_hot(label, depth=5, on_value=0.5)
    return mx.sym.SoftmaxOutput(mx.sym.Variable("data") - hot, label, name="softmax")


CASES = [
    softmax("softmax", (2, 3, 4)),
    softmax("softmax_axis1", (2, 3, 4), axis=1, dynamic=[{0: "n", 2: "l"}]),
    softmax("softmax_axis0", (2, 3, 4), axis=0),
    softmax("softmax_axis_minus2", (2, 3, 4, 2), axis=-2),
    softmax("softmax_1d", (6,)),
    softmax("softmax_5d", (1, 2, 3, 2, 2), axis=2),
    softmax("softmax_one", (3, 1)),
    softmax("softmax_temperature", (2, 3), temperature=2.5),
    softmax("softmax_temperature_none", (2, 3), temperature="None"),
    softmax("softmax_float16", (2, 3), dtype="float16"),
    softmax("softmax_float64", (2, 3), dtype="float64"),
    # MXNet subtracts the maximum in float16.
    case("softmax_widen", "softmax", [data(2, 3, dtype="float16")], dict(dtype="float32"), rtol=1e-3),
    case("softmax_narrow", "softmax", [data(2, 3)], dict(dtype="float16")),
    case("softmax_same_dtype", "softmax", [data(2, 3)], dict(dtype="float32")),
    case("softmax_scalar", "softmax", [data()], np_shape=True),
    case("log_softmax_scalar", "log_softmax", [data()], dict(axis=0), np_shape=True),
    case("softmin_scalar", "softmin", [data()], dict(axis=-1), np_shape=True),
    case("softmax_integer", "softmax", [data(2, 3, dtype="int32")], error="needs a float type"),
    case("softmax_integer_dtype", "softmax", [data(2, 3, dtype="int32")], dict(dtype="float32"), error="needs a float type"),
    case("log_softmax_integer", "log_softmax", [data(2, 3, dtype="int64")], error="needs a float type"),
    case("softmin_integer", "softmin", [data(2, 3, dtype="uint8")], dict(dtype="float64"), error="needs a float type"),
    softmax("softmax_axis_outside", (2, 3), axis=2, error="axis"),
    by_length("length", (2, 3, 4), [[1, 2, 4], [3, 4, 0]]),
    by_length("length_axis1", (2, 3, 4), [[1, 2, 3, 0], [3, 3, 2, 1]], axis=1),
    by_length("length_axis0", (3, 2), [1, 3], axis=0, dynamic=None),
    by_length("length_2d", (2, 4), [2, 4]),
    by_length("length_1d", (5,), [3], dynamic=None),
    by_length("length_dynamic", (2, 3, 4), [[1, 2, 4], [3, 4, 0]],
              dynamic=[{0: "n", 1: "t", 2: "s"}, {0: "n", 1: "t"}]),
    by_length("length_int64", (2, 4), [2, 3], length_dtype="int64"),
    # elements from the length on are not read; with a length of 0, none are
    case("length_infinity", "softmax",
         [data(values=[[1, 2, INF, -INF], [-INF, 3, INF, 1], [1, 2, 3, 4], [1, 2, 3, -INF]]),
          data(values=[2, 2, 0, 4], dtype="int32")], dict(axis=-1, use_length=True)),
    by_length("length_temperature", (2, 4), [2, 3], temperature=0.5),
    softmax("log_softmax", (2, 3, 4), op="log_softmax"),
    softmax("log_softmax_axis1", (2, 3, 4), op="log_softmax", axis=1),
    softmax("log_softmax_temperature", (2, 3), op="log_softmax", temperature=0.5),
    softmax("log_softmax_float64", (2, 3), op="log_softmax", dtype="float64"),
    case("log_softmax_dtype", "log_softmax", [data(2, 3, dtype="float16")], dict(dtype="float32"), rtol=1e-3),
    softmax("softmin", (2, 3, 4), op="softmin"),
    softmax("softmin_axis0", (2, 3, 4), op="softmin", axis=0, temperature=3.0),

    case("output", "SoftmaxOutput", [data(2, 5)]),
    case("output_flatten", "SoftmaxOutput", [data(2, 2, 3)]),
    case("output_flatten_4d", "SoftmaxOutput", [data(2, 3, 2, 2)], native=True, dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("output_multi", "SoftmaxOutput", [data(2, 3, 4)], dict(multi_output=True)),
    case("output_multi_4d", "SoftmaxOutput", [data(2, 3, 4, 2)], dict(multi_output=True, use_ignore=True),
         dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("output_preserve", "SoftmaxOutput", [data(2, 3, 4)], dict(preserve_shape=True)),
    case("output_both", "SoftmaxOutput", [data(2, 3, 4, 2)], dict(preserve_shape=True, multi_output=True)),
    case("output_multi_2d", "SoftmaxOutput", [data(2, 4)], dict(multi_output=True)),
    case("output_training", "SoftmaxOutput", [data(2, 5)],
         dict(grad_scale=0.5, ignore_label=3, use_ignore=True, normalization="valid", out_grad=True, smooth_alpha=0.1)),
    case("output_float64", "SoftmaxOutput", [data(2, 5, dtype="float64"), data(2, dtype="float64")]),
    build("output_margin", _margin, inputs={"data": data(3, 5), "label": data(values=[4, 0, 2])}),
    build("output_old_name", lambda mx: mx.sym.Softmax(mx.sym.Variable("data"), name="softmax"),
          inputs={"data": data(2, 5)}),
    case("activation", "SoftmaxActivation", [data(2, 5)]),
    case("activation_4d", "SoftmaxActivation", [data(2, 3, 2, 4)], dict(mode="instance")),
    case("activation_channel", "SoftmaxActivation", [data(2, 3, 2, 4)], dict(mode="channel"),
         dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("activation_channel_3d", "SoftmaxActivation", [data(2, 3, 4)], dict(mode="channel")),

    case("linear", "LinearRegressionOutput", [data(2, 3)]),
    case("logistic", "LogisticRegressionOutput", [data(2, 3)], dict(grad_scale=2)),
    case("mae", "MAERegressionOutput", [data(2, 1)]),
    case("svm", "SVMOutput", [data(2, 3)], dict(margin=0.5, use_linear=True)),
    case("make_loss", "MakeLoss", [data(2, 3)], dict(grad_scale=3, normalization="batch")),
    case("make_loss_plain", "make_loss", [data(2, 3)]),
    build("sparse_reg", lambda mx: mx.sym.IdentityAttachKLSparseReg(mx.sym.Variable("data"), penalty=0.1, name="reg"),
          inputs={"data": data(2, 3, low=0.1, high=0.9)}, params={"reg_moving_avg": aux(3)}),
    build("heads", _heads, inputs={"data": data(2, 3)}),
    case("cross_entropy", "softmax_cross_entropy", [data(3, 4), data(values=[0, 3, 1], dtype="float32")]),
    case("cross_entropy_floor", "softmax_cross_entropy",
         [data(values=[[60, 0, 0], [0, 1, 2]], dtype="float32"), data(values=[1, 2], dtype="float32")], dynamic=None),
    case("cross_entropy_float64", "softmax_cross_entropy",
         [data(3, 4, dtype="float64"), data(values=[0, 3, 1], dtype="float64")]),

    embed("embedding", [[0, 1], [4, 2]]),
    embed("embedding_outside", [[-1, 5], [100, -7]]),
    embed("embedding_fractions", [[0.5, 1.99, 2.0, -0.5, 3.7]]),
    embed("embedding_int32", [[0, 1, -2], [4, 2, 9]], dtype="int32", dynamic=[{0: "n", 1: "t"}]),
    embed("embedding_int64", [3, 0], dtype="int64"),
    embed("embedding_uint8", [3, 0, 200], dtype="uint8"),
    embed("embedding_float16", [3, 0], dtype="float16"),
    embed("embedding_4d", [[[[1, 2]], [[3, 4]]]]),
    embed("embedding_weight_float16", [1, 2], weight="float16", dtype="float32"),
    embed("embedding_sparse_grad", [1, 2], sparse_grad=True),
    embed("embedding_one_row", [0, 0, 5], rows=1),
    case("embedding_dtype", "Embedding", [data(values=[1, 2], dtype="float32"), param(5, 3, dtype="float16")],
         dict(input_dim=5, output_dim=3, dtype="float16")),
    case("embedding_table_input", "Embedding", [data(values=[1, 2], dtype="float32"), data(5, 3)],
         dict(input_dim=5, output_dim=3), dynamic=[{0: "n"}, None]),
]
