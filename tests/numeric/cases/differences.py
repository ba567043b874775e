# SPDX-License-Identifier: Apache-2.0
"""What is converted, and whose result differs from MXNet's as 'mx2onnx ops' says: test_ops.DIFFERENCES names each line's cases."""
from . import case, data

NAN, INFINITY = float("nan"), float("inf")
NOT_COMPARED = "the result differs, as the operator says"


def differs(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, dynamic=None, check_only=NOT_COMPARED, **options)


def with_nan(name, op, **attrs):
    return differs(name, op, [data(values=[[1, NAN, 3], [NAN, 2, 0], [4, 5, NAN], [6, 8, 7]])], attrs)


CASES = [
    differs("cast", "Cast", [data(values=[NAN, 3e10, -3e10, INFINITY])], dict(dtype="int32")),
    differs("pooling_v1_outside", "Pooling_v1", [data(1, 1, 6, 6)],
            dict(kernel=(1, 1), stride=(4, 4), pool_type="max", pooling_convention="full")),
    with_nan("argmax", "argmax", axis=1),
    with_nan("argmin", "argmin", axis=1),
    with_nan("argmax_channel", "argmax_channel"),
    with_nan("max", "max", axis=1),
    with_nan("min", "min", axis=1),
    with_nan("np_max", "np.max", axis=1),
    with_nan("np_min", "np.min", axis=1),
    with_nan("np_argmax", "np.argmax", axis=1),
    with_nan("np_argmin", "np.argmin", axis=1),
    differs("correlation_empty", "Correlation", [data(1, 0, 4, 4), data(1, 0, 4, 4)], dict(max_displacement=1, pad_size=1), np_shape=True),
    differs("gamma", "gamma", [data(values=[-1, -2, -0.0, 0.5])]),
    differs("softmax_length_nan", "softmax", [data(values=[[1, 2, NAN], [1, NAN, NAN]]), data(values=[2, 1], dtype="int32")],
            dict(axis=1, use_length=True)),
    differs("softmax_length_0", "softmax", [data(values=[[-INFINITY] * 3, [1, 2, 3]]), data(values=[0, 3], dtype="int32")],
            dict(axis=1, use_length=True)),
    differs("syevd_equal", "linalg.syevd", [data(values=[[2, 0, 0], [0, 2, 0], [0, 0, 2]])]),
    differs("eigh_equal", "np.linalg.eigh", [data(values=[[2, 0, 0], [0, 2, 0], [0, 0, 2]])]),
    differs("svd_equal", "np.linalg.svd", [data(values=[[2, 0, 0], [0, 2, 0], [0, 0, 2]])]),
    differs("svd_deficient", "np.linalg.svd", [data(values=[[1, 2, 3], [2, 4, 6]])]),
    differs("output_flatten_4d", "SoftmaxOutput", [data(2, 3, 2, 2)]),
    differs("sign_nan", "sign", [data(values=[NAN, -2, 0])]),
    differs("rcbrt_negative_zero", "rcbrt", [data(values=[-0.0, 8])]),
    differs("gammaln_infinite", "gammaln", [data(values=[-INFINITY, 3])]),
    differs("nansum_infinite", "nansum", [data(values=[INFINITY, 1])]),
    differs("moments_infinite", "moments", [data(values=[INFINITY, 1])], dict(axes=(0,))),
    differs("mean_int", "mean", [data(values=[100, 100, 100], dtype="uint8")], dict(axis=0)),
    differs("moments_int", "moments", [data(values=[100, 100, 100], dtype="uint8")], dict(axes=(0,))),
    differs("erf_int", "erf", [data(values=[4, 5, -5, 2], dtype="int32")]),
    differs("scatter_nd_negative", "scatter_nd", [data(values=[5]), data(values=[[2], [-1]], dtype="int32")], dict(shape=(3, 3))),
    differs("scatter_set_nd_negative", "_internal._scatter_set_nd", [data(3, 3), data(values=[5]), data(values=[[2], [-1]], dtype="int32")],
            dict(shape=(3, 3)), in_place=True),
    differs("roi_align_negative", "contrib.ROIAlign", [data(1, 1, 4, 4), data(values=[[0, 0, 0, 3, 3], [-1, 0, 0, 3, 3]])],
            dict(pooled_size=(1, 1), spatial_scale=1, sample_ratio=2)),
    differs("topk_ties", "topk", [data(values=[0] * 17)], dict(k=4)),
    differs("topk_nan", "topk", [data(values=[1, NAN, 3, 2, 0])], dict(k=2)),
    differs("argsort_ties", "argsort", [data(values=[0] * 17)]),
    differs("argsort_nan", "argsort", [data(values=[1, NAN, 3, 2, 0])]),
    differs("sort_nan", "sort", [data(values=[1, NAN, 3, 2, 0])]),
    differs("percentile_nan", "np.percentile", [data(values=[1, NAN, 3])], dict(q=50), np_shape=True),
    differs("norm_int", "norm", [data(values=[3, 4], dtype="int32")]),
]
for name, op in (("same", "_internal._hypot"), ("broadcast", "broadcast_hypot"), ("np", "np.hypot")):
    CASES.append(differs("hypot_nan_" + name, op, [data(values=[NAN, INFINITY]), data(values=[INFINITY, NAN])], np_shape=op[:2] == "np"))
CASES.append(differs("hypot_nan_number", "_internal._hypot_scalar", [data(values=[NAN, 1])], dict(scalar=INFINITY)))
WIDE = data(values=[2 ** 63 - 1, -2 ** 63 + 1, 7], dtype="int64")
for name, op in (("same", "_internal._mod"), ("broadcast", "broadcast_mod"), ("np", "np.mod")):
    CASES.append(differs("mod_wide_" + name, op, [WIDE, data(values=[4, 3, 2], dtype="int64")], np_shape=op[:2] == "np"))
for name in ("_mod_scalar", "_rmod_scalar"):
    CASES.append(differs("mod_wide" + name, "_internal." + name, [WIDE], dict(scalar=4)))
for name in ("sum", "mean", "std", "var"):
    CASES.append(differs("np_%s_infinite" % name, "np." + name, [data(values=[6e4, 6e4, 6e4], dtype="float16")], np_shape=True))
    if name != "mean":
        CASES.append(differs("np_%s_float16" % name, "np." + name, [data(values=[31.9, -12.7, 5.3, 40.1], dtype="float16")], dict(dtype="float64"),
                             np_shape=True))
CASES += [differs("np_average_infinite", "np._internal.average", [data(values=[INFINITY, 1])], dict(weighted=False), np_shape=True),
          differs("norm_large", "norm", [data(values=[[1e30, 2e30], [1e-30, 1e-30], [INFINITY, INFINITY]])], dict(axis=1)),
          differs("np_norm_large", "np._internal.norm", [data(values=[[1e30, 2e30], [1e-30, 1e-30]])], dict(axis=(1,)), np_shape=True)]
