# SPDX-License-Identifier: Apache-2.0
"""Convolution, Deconvolution, FullyConnected."""
from . import build, case, data, param


def conv(name, shape, filters, kernel, op="Convolution", groups=1, bias=True, dtype="float32", **kw):
    """A convolution whose parameters have the shapes that MXNet wants."""
    options = {k: kw.pop(k) for k in ("dynamic", "sizes", "error", "rtol", "native") if k in kw}
    channels = shape[1]
    if op == "Deconvolution":
        weight = (channels, filters // groups) + kernel
    else:
        weight = (filters, channels // groups) + kernel
    inputs = [data(*shape, dtype=dtype), param(*weight, dtype=dtype)]
    if bias:
        inputs.append(param(filters, dtype=dtype))
    attrs = dict(kernel=kernel, num_filter=filters, num_group=groups, no_bias=not bias, **kw)
    return case(name, op, inputs, attrs, **options)


HW = [{0: "n", 2: "h", 3: "w"}]
L = [{0: "n", 2: "l"}]

CASES = [
    conv("2d", (2, 3, 8, 7), 4, (3, 3)),
    conv("2d_dynamic", (2, 3, 8, 7), 4, (3, 3), pad=(1, 1), stride=(2, 2), dynamic=HW, sizes={"h": 13, "w": 10}),
    conv("2d_stride_pad_dilate", (1, 2, 11, 12), 3, (3, 2), stride=(2, 3), pad=(2, 1), dilate=(2, 3)),
    conv("2d_no_bias", (2, 3, 5, 5), 4, (1, 1), bias=False),
    conv("2d_depthwise", (2, 4, 6, 6), 4, (3, 3), groups=4, pad=(1, 1)),
    conv("2d_groups", (2, 6, 6, 6), 4, (3, 3), groups=2, dynamic=HW),
    conv("2d_layout", (2, 3, 6, 6), 4, (3, 3), layout="NCHW"),
    conv("2d_empty_tuples", (2, 3, 6, 6), 4, (3, 3), stride=(), pad=(), dilate=()),
    conv("2d_pad_over_kernel", (2, 3, 6, 6), 4, (1, 1), pad=(2, 2)),
    conv("2d_one_cell", (1, 1, 1, 1), 1, (1, 1)),
    conv("2d_float64", (2, 3, 6, 6), 4, (3, 3), dtype="float64", rtol=1e-5),
    conv("2d_ignored", (2, 3, 6, 6), 4, (3, 3), workspace=256, cudnn_tune="fastest", cudnn_off=True),
    conv("1d", (2, 3, 9), 4, (3,)),
    conv("1d_dynamic", (2, 3, 9), 4, (3,), stride=(2,), pad=(1,), dilate=(2,), dynamic=L, sizes={"l": 14}),
    conv("1d_groups", (2, 4, 9), 4, (3,), groups=2, bias=False, layout="NCW"),
    conv("3d", (1, 2, 5, 6, 7), 3, (3, 2, 3), stride=(1, 2, 1), pad=(1, 0, 1)),
    conv("3d_dynamic", (1, 2, 5, 6, 7), 4, (2, 2, 2), groups=2, layout="NCDHW",
         dynamic=[{0: "n", 2: "d", 3: "h", 4: "w"}]),
    case("2d_weight_input", "Convolution", [data(2, 3, 6, 6), data(4, 3, 3, 3), data(4)],
         dict(kernel=(3, 3), num_filter=4), dynamic=[{0: "n"}, None, None]),
    case("2d_v1", "Convolution_v1", [data(2, 4, 8, 8), param(6, 2, 3, 3), param(6)],
         dict(kernel=(3, 3), num_filter=6, num_group=2, stride=(2, 2), pad=(1, 1)), dynamic=HW),
    case("window_too_large", "Convolution", [data(1, 3, 4, 4), param(2, 3, 5, 5), param(2)],
         dict(kernel=(5, 5), num_filter=2), dynamic=None, error="kernel"),

    conv("transposed", (2, 3, 5, 6), 4, (3, 3), op="Deconvolution", bias=False),
    conv("transposed_dynamic", (2, 3, 5, 6), 4, (4, 4), op="Deconvolution", bias=False, stride=(2, 2), pad=(1, 1),
         dynamic=HW, sizes={"h": 3, "w": 9}),
    conv("transposed_bias", (2, 3, 5, 6), 4, (3, 3), op="Deconvolution", stride=(2, 2), adj=(1, 1), pad=(1, 1)),
    conv("transposed_groups", (2, 4, 5, 6), 6, (3, 3), op="Deconvolution", groups=2, stride=(3, 2), adj=(2, 1)),
    conv("transposed_depthwise", (1, 4, 5, 5), 4, (4, 4), op="Deconvolution", groups=4, bias=False, stride=(2, 2),
         pad=(1, 1)),
    conv("transposed_dilate", (1, 2, 5, 5), 3, (3, 2), op="Deconvolution", bias=False, dilate=(2, 3)),
    conv("transposed_two_pads", (1, 2, 5, 5), 3, (3, 4), op="Deconvolution", bias=False, stride=(2, 1), pad=(0, 2)),
    conv("transposed_1d", (2, 3, 7), 4, (4,), op="Deconvolution", stride=(2,), pad=(1,), bias=False, dynamic=L),
    conv("transposed_3d", (1, 2, 3, 4, 3), 2, (2, 2, 2), op="Deconvolution", stride=(2, 2, 2), bias=False),
    conv("transposed_target", (1, 2, 5, 5), 3, (3, 3), op="Deconvolution", stride=(2, 2), target_shape=(10, 9),
         bias=False, native=True),
    conv("transposed_target_even", (1, 2, 5, 5), 3, (4, 4), op="Deconvolution", stride=(2, 2), target_shape=(10, 10),
         bias=False, native=True, pad=(3, 3), adj=(1, 1)),
    conv("transposed_target_dynamic", (1, 2, 5, 5), 3, (3, 3), op="Deconvolution", stride=(2, 2), native=True,
         target_shape=(10, 9), dynamic=HW, sizes={"h": 6, "w": 7}),
    conv("transposed_target_zero", (1, 2, 5, 5), 3, (3, 3), op="Deconvolution", stride=(2, 2), target_shape=(0, 0),
         pad=(1, 1), bias=False),
    conv("transposed_float64", (1, 2, 5, 5), 3, (3, 3), op="Deconvolution", bias=False, dtype="float64", rtol=1e-5),

    case("dense", "FullyConnected", [data(2, 8), param(4, 8), param(4)], dict(num_hidden=4)),
    case("dense_no_bias", "FullyConnected", [data(2, 8), param(4, 8)], dict(num_hidden=4, no_bias=True)),
    case("dense_flatten_4d", "FullyConnected", [data(2, 3, 2, 4), param(5, 24), param(5)], dict(num_hidden=5)),
    case("dense_flatten_3d", "FullyConnected", [data(2, 3, 4), param(5, 12), param(5)], dict(num_hidden=5)),
    case("dense_flatten_1d", "FullyConnected", [data(3), param(5, 1), param(5)], dict(num_hidden=5)),
    case("dense_last_2d", "FullyConnected", [data(2, 8), param(4, 8), param(4)], dict(num_hidden=4, flatten=False)),
    case("dense_last_3d", "FullyConnected", [data(2, 3, 8), param(4, 8), param(4)],
         dict(num_hidden=4, flatten=False), dynamic=[{0: "n", 1: "t"}]),
    case("dense_last_4d_no_bias", "FullyConnected", [data(2, 3, 2, 8), param(4, 8)],
         dict(num_hidden=4, flatten=False, no_bias=True)),
    case("dense_last_1d", "FullyConnected", [data(8), param(4, 8), param(4)], dict(num_hidden=4, flatten=False),
         dynamic=None),
    case("dense_float64", "FullyConnected",
         [data(2, 3, 8, dtype="float64"), param(4, 8, dtype="float64"), param(4, dtype="float64")],
         dict(num_hidden=4, flatten=False)),
    case("dense_weight_input", "FullyConnected", [data(2, 8), data(4, 8), data(4)], dict(num_hidden=4),
         dynamic=[{0: "n"}, None, None]),
    case("dense_last_weight_input", "FullyConnected", [data(2, 3, 8), data(4, 8), data(4)],
         dict(num_hidden=4, flatten=False), dynamic=[{0: "n"}, None, None]),
    case("dense_one_hidden", "FullyConnected", [data(2, 8), param(1, 8), param(1)], dict(num_hidden=1)),
    case("dense_width", "FullyConnected", [data(2, 8), param(4, 7), param(4)], dict(num_hidden=4), error="weight"),
    build("dense_shared", lambda mx: _shared(mx), inputs={"data": data(2, 6)},
          params={"w": param(6, 6), "b": param(6)}),
]


def _shared(mx):
    """One weight read by two layers."""
    x, w, b = (mx.sym.Variable(n) for n in ("data", "w", "b"))
    h = mx.sym.FullyConnected(x, w, b, num_hidden=6, name="first")
    return mx.sym.FullyConnected(mx.sym.Activation(h, act_type="relu"), w, no_bias=True, num_hidden=6, name="second")
