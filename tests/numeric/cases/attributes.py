# SPDX-License-Identifier: Apache-2.0
"""Values of attributes that no other case shows (test_attributes.py)."""
from . import aux, build, case, data, param

CASES = []


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


# ---- layers

def conv(name, op, shape, kernel, transposed=False, bias=True, **attrs):
    weight = (shape[1], 4) if transposed else (4, shape[1])
    return case("%s_%s" % (op, name), op, [data(*shape), param(*weight, *kernel)] + ([param(4)] if bias else []),
                dict(attrs, kernel=kernel, num_filter=4, no_bias=not bias))


CASES += [
    conv("ncw", "Deconvolution", (2, 3, 7), (3,), True, layout="NCW"),
    conv("nchw", "Deconvolution", (2, 3, 5, 6), (3, 2), True, bias=False, layout="NCHW"),
    conv("ncdhw", "Deconvolution", (1, 2, 3, 4, 3), (2, 2, 2), True, layout="NCDHW"),
    conv("nchw", "Convolution_v1", (2, 3, 7, 6), (3, 3), bias=False, layout="NCHW"),
    conv("dilate", "Convolution_v1", (2, 3, 7, 7), (3, 2), dilate=(2, 1)),
    case("Pooling_ncw", "Pooling", [data(2, 3, 7)], dict(kernel=(3,), layout="NCW")),
    case("Pooling_nchw", "Pooling", [data(2, 3, 7, 6)], dict(kernel=(3, 2), layout="NCHW", pool_type="avg")),
    case("Pooling_ncdhw", "Pooling", [data(2, 3, 4, 5, 4)], dict(kernel=(2, 2, 2), layout="NCDHW")),
    build("BatchNorm_v1_mean_var", lambda mx: mx.sym.BatchNorm_v1(mx.sym.Variable("data"), output_mean_var=True, name="bn"),
          inputs={"data": data(2, 3, 4, 2)},
          params={"bn_gamma": param(3), "bn_beta": param(3), "bn_moving_mean": aux(3), "bn_moving_var": aux(3, low=.5)}),
    case("BatchNormWithReLU_mean_var", "contrib.BatchNormWithReLU",
         [data(2, 3, 4, 3), param(3), param(3), aux(3), aux(3, low=.5)], dict(output_mean_var=True, fix_gamma=False)),
    case("cast_storage_rows", "cast_storage", [data(3, 2)], dict(stype="row_sparse")),
    case("deformable_nchw", "contrib.ModulatedDeformableConvolution",
         [data(2, 4, 5, 5), data(2, 18, 3, 3), data(2, 9, 3, 3), param(4, 4, 3, 3), param(4)],
         dict(kernel=(3, 3), num_filter=4, layout="NCHW")),
]


# ---- 8-bit integers

def end(v):
    return param(values=[v])


def byte(*shape, dtype="int8"):
    return data(*shape, dtype=dtype, low=0 if dtype == "uint8" else -128, high=255 if dtype == "uint8" else 127)


for name, attrs in (("padded", dict(kernel=(2, 2), pool_type="avg", pad=(1, 1), count_include_pad=True)),
                    ("nchw", dict(kernel=(2, 2), layout="NCHW")), ("p", dict(kernel=(2, 2), p_value=2))):
    CASES.append(case("quantized_pooling_" + name, "contrib.quantized_pooling", [byte(2, 3, 5, 5), end(-1), end(2)], attrs))
CASES.append(case("quantized_pooling_volume", "contrib.quantized_pooling", [byte(2, 3, 4, 5, 5), end(-1), end(2)],
                  dict(kernel=(2, 3, 2), layout="NCDHW")))
CASES.append(case("quantized_pooling_same", "contrib.quantized_pooling", [byte(2, 3, 5, 5), end(-1), end(2)],
                  dict(kernel=(2, 2), pooling_convention="same"), error="pooling_convention"))
CASES.append(case("quantized_batch_norm_eps", "contrib.quantized_batch_norm",
                  [byte(2, 3, 4, 4), param(3), param(3), aux(3), aux(3, low=.5), end(-1), end(2)],
                  dict(eps=.125, min_calib_range=-3, max_calib_range=3)))


# ---- numbers

CASES += [
    case("hypot_number", "_internal._hypot_scalar", [data(2, 3, dtype="float64")], dict(scalar=1.5, is_int=False)),
    case("smooth_l1_number", "smooth_l1", [data(2, 3)], dict(scalar=1.5, is_int=False)),
    case("scatter_plus", "_internal._scatter_plus_scalar", [data(2, 3)], dict(scalar=1.5, is_int=False)),
    case("scatter_minus", "_internal._scatter_minus_scalar", [data(2, 3)], dict(scalar=1.5, is_int=False)),
    case("scatter_minus_int", "_internal._scatter_minus_scalar", [data(2, 3)], dict(scalar=2)),
    build("zeros", lambda mx: mx.sym.Variable("x") + mx.sym._internal._zeros_without_dtype(shape=(2, 3)),
          {"x": data(2, 3)}, dynamic=None),
    build("zeros_vector", lambda mx: mx.sym.Variable("x") + mx.sym._internal._zeros_without_dtype(shape=(4,)),
          {"x": data(4, dtype="float64")}, dynamic=None),
    case("rnn_param_rows", "_internal._rnn_param_concat", [param(2, 3), param(2, 4)], dict(dim=1)),
    np_case("arctan2_int", "np._internal.arctan2_scalar", [data(5, dtype="int32", low=1)], dict(scalar=2, is_int=True)),
    np_case("rarctan2_int", "np._internal.rarctan2_scalar", [data(5, dtype="int32", low=1)], dict(scalar=2, is_int=True)),
    np_case("arctan2_int_signs", "np._internal.arctan2_scalar", [data(values=[3, -3, 0, 1, -1, 7], dtype="int32")],
            dict(scalar=-2, is_int=True)),
    np_case("arctan2_int_zero", "np._internal.arctan2_scalar", [data(values=[3, -3, 0, 1, -1, 7], dtype="int8")],
            dict(scalar=0, is_int=True)),
    np_case("rarctan2_int_signs", "np._internal.rarctan2_scalar", [data(values=[-2, 0, 2, 5, -7, 1], dtype="int64")],
            dict(scalar=3, is_int=True)),
    np_case("copysign_int", "np._internal.copysign_scalar", [data(5)], dict(scalar=-2, is_int=True)),
    np_case("rcopysign_int", "np._internal.rcopysign_scalar", [data(5)], dict(scalar=-2, is_int=True)),
    np_case("ldexp_fraction", "np._internal.ldexp_scalar", [data(5)], dict(scalar=1.5, is_int=False)),
    np_case("rldexp_fraction", "np._internal.rldexp_scalar", [data(5)], dict(scalar=1.5, is_int=False)),
    np_case("pad_value", "np._internal.pad", [data(2, 3)], dict(pad_width=((1, 1), (0, 2)), constant_value=2.5)),
    np_case("hstack_two", "np._internal.hstack", [data(2, 3), data(2, 1)], dict(num_args=2)),
    # The axis of these is their own, whatever the file says.
    np_case("hsplit_axis", "np._internal.hsplit", [data(2, 4)], dict(indices=(0,), axis=0, sections=2)),
    np_case("hsplit_squeeze", "np._internal.hsplit", [data(2, 3)], dict(indices=(0,), squeeze_axis=True, sections=3)),
    np_case("dsplit_squeeze", "np._internal.dsplit", [data(2, 3, 4)],
            dict(indices=(0,), axis=2, squeeze_axis=True, sections=4)),
]
for op in ("and", "or", "xor"):
    CASES.append(np_case("bitwise_%s_fraction" % op, "np._internal.bitwise_%s_scalar" % op, [data(5, dtype="int32")],
                         dict(scalar=3.0, is_int=False), opsets=(18, 21, 26)))
for window in ("hanning", "hamming", "blackman"):
    CASES.append(np_case(window, "np." + window, [], dict(M=9, dtype="float64"), dynamic=None, rtol=1e-6))
for n in (1, 2, 3):
    CASES.append(build("atleast_%dd_two" % n,
                       lambda mx, n=n: mx.sym.Group(getattr(mx.sym.np, "atleast_%dd" % n)(
                           *[mx.sym.Variable(v).as_np_ndarray() for v in "xy"])),
                       {"x": data(3), "y": data(2, 3)}, np_shape=True))
