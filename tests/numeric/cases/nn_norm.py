# SPDX-License-Identifier: Apache-2.0
"""Normalisations."""
from . import aux, build, case, data, param

POSITIVE = dict(low=0.5, high=2)


def bn(name, shape, axis=1, op="BatchNorm", dtype="float32", dynamic="batch", outputs=None, rtol=None, **attrs):
    c, stats = shape[axis], "float32" if dtype == "float16" else dtype
    inputs = [data(*shape, dtype=dtype), param(c, dtype=stats), param(c, dtype=stats), aux(c, dtype=stats),
              aux(c, dtype=stats, **POSITIVE)]
    if axis != 1:
        attrs["axis"] = axis
    return case(name, op, inputs, attrs, dynamic=dynamic, outputs=outputs, rtol=rtol)


def ln(name, shape, axis=-1, dtype="float32", dynamic="batch", rtol=None, **attrs):
    c = shape[axis]
    if axis != -1:
        attrs["axis"] = axis
    return case(name, "LayerNorm", [data(*shape, dtype=dtype), param(c, dtype=dtype), param(c, dtype=dtype)], attrs,
                dynamic=dynamic, rtol=rtol)


def gn(name, shape, groups, dtype="float32", dynamic="batch", rtol=None, **attrs):
    inputs = [data(*shape, dtype=dtype), param(groups, dtype=dtype), param(groups, dtype=dtype)]
    return case(name, "GroupNorm", inputs, dict(num_groups=groups, **attrs), dynamic=dynamic, rtol=rtol)


def _network(mx):
    """Statistics shared by name with nothing; an unknown shape is found backwards from the parameters."""
    x = mx.sym.Variable("data")
    y = mx.sym.BatchNorm(x, mx.sym.Variable("gamma"), mx.sym.Variable("beta"), mx.sym.Variable("mean"),
                         mx.sym.Variable("var"), fix_gamma=False, name="bn")
    return mx.sym.Activation(y, act_type="relu", name="act")


# Operators of the old interface make their auxiliary states themselves.
V1 = {"bn_gamma": param(3), "bn_beta": param(3), "bn_moving_mean": aux(3), "bn_moving_var": aux(3, **POSITIVE)}

CASES = [
    bn("batch", (2, 3, 4, 5), fix_gamma=False, dynamic=[{0: "n", 2: "h", 3: "w"}]),
    bn("batch_defaults", (2, 3, 4, 5)),
    bn("batch_fix_gamma", (2, 3, 4, 5), fix_gamma=True, eps=1e-5),
    bn("batch_eps", (2, 3, 4), fix_gamma=False, eps=0.1, momentum=0.5),
    bn("batch_2d", (4, 3), fix_gamma=False),
    bn("batch_5d", (1, 3, 2, 2, 2), fix_gamma=False),
    bn("batch_1d", (3,), axis=0, fix_gamma=False, dynamic=None),
    bn("batch_last", (2, 4, 5, 3), axis=-1, fix_gamma=False, dynamic=[{0: "n", 1: "h", 2: "w"}]),
    bn("batch_last_3d", (2, 4, 3), axis=2, fix_gamma=False),
    bn("batch_middle", (2, 4, 3, 5), axis=2, fix_gamma=True),
    bn("batch_first", (3, 4), axis=0, fix_gamma=False, dynamic=[{1: "n"}]),
    bn("batch_global_stats", (2, 3, 4), use_global_stats=True, fix_gamma=False),
    bn("batch_mean_var", (2, 3, 4), output_mean_var=True, fix_gamma=False),
    bn("batch_mean_var_first", (2, 3, 4), output_mean_var=True, fix_gamma=False, outputs=[0]),
    bn("batch_mean_var_last", (2, 4, 3), axis=-1, output_mean_var=True, eps=0.01),
    bn("batch_float16", (2, 3, 4, 5), dtype="float16", fix_gamma=False),
    bn("batch_float64", (2, 3, 4, 5), dtype="float64", fix_gamma=False),
    build("batch_v1", lambda mx: mx.sym.BatchNorm_v1(mx.sym.Variable("data"), fix_gamma=False, name="bn"),
          inputs={"data": data(2, 3, 4, 5)}, params=V1),
    build("batch_v1_defaults", lambda mx: mx.sym.BatchNorm_v1(mx.sym.Variable("data"), name="bn"),
          inputs={"data": data(2, 3, 4, 5)}, params=V1),
    bn("batch_sync", (2, 3, 4, 5), op="contrib.SyncBatchNorm", fix_gamma=False, key="k", ndev=2),
    bn("batch_relu", (2, 3, 4, 5), op="contrib.BatchNormWithReLU", fix_gamma=False),
    build("batch_network", _network, inputs={"data": data(2, 3, 4, 5)},
          params={"gamma": param(3), "beta": param(3), "mean": aux(3), "var": aux(3, **POSITIVE)}),

    ln("layer", (2, 3, 8)),
    ln("layer_dynamic", (2, 3, 8), dynamic=[{0: "n", 1: "t"}]),
    ln("layer_2d", (2, 8), eps=0.01),
    ln("layer_1d", (8,), dynamic=None),
    ln("layer_5d", (1, 2, 3, 2, 4)),
    ln("layer_axis1", (2, 8, 3), axis=1, dynamic=[{0: "n", 2: "l"}]),
    ln("layer_axis_minus2", (2, 3, 4, 5), axis=-2),
    ln("layer_axis0", (6, 3), axis=0, dynamic=[{1: "n"}]),
    ln("layer_mean_var", (2, 3, 8), output_mean_var=True),
    ln("layer_mean_var_axis1", (2, 8, 3), axis=1, output_mean_var=True, eps=0.1),
    ln("layer_float16", (2, 3, 8), dtype="float16"),
    ln("layer_float64", (2, 3, 8), dtype="float64"),

    gn("group", (2, 6, 4, 5), 3, dynamic=[{0: "n", 2: "h", 3: "w"}]),
    gn("group_3d", (2, 6, 5), 2, eps=0.1),
    gn("group_one", (2, 6, 5), 1),
    gn("group_channels", (2, 6, 5, 3), 6),
    gn("group_5d", (1, 4, 2, 3, 2), 2),
    gn("group_mean_var", (2, 6, 4), 3, output_mean_var=True),
    gn("group_float16", (2, 6, 4, 5), 3, dtype="float16"),
    gn("group_float64", (2, 6, 4, 5), 3, dtype="float64", rtol=1e-5),

    case("instance", "InstanceNorm", [data(2, 3, 4, 5), param(3), param(3)], dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("instance_3d", "InstanceNorm", [data(2, 3, 7), param(3), param(3)], dict(eps=0.1)),
    case("instance_5d", "InstanceNorm", [data(1, 3, 2, 4, 2), param(3), param(3)]),
    case("instance_2d", "InstanceNorm", [data(2, 3), param(3), param(3)], error="3 dimensions"),

    case("l2_instance", "L2Normalization", [data(2, 3, 4)]),
    case("l2_instance_2d", "L2Normalization", [data(2, 3)], dict(mode="instance", eps=0.1)),
    case("l2_instance_1d", "L2Normalization", [data(4)], dict(eps=0.5)),
    case("l2_instance_4d", "L2Normalization", [data(2, 3, 4, 2)], dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("l2_channel", "L2Normalization", [data(2, 3, 4, 5)], dict(mode="channel"), dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("l2_channel_3d", "L2Normalization", [data(2, 3, 4)], dict(mode="channel", eps=0.1)),
    case("l2_spatial", "L2Normalization", [data(2, 3, 4, 5)], dict(mode="spatial"), dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("l2_spatial_3d", "L2Normalization", [data(2, 3, 4)], dict(mode="spatial")),
    case("l2_zero", "L2Normalization", [data(values=[[0, 0], [3, 4]], dtype="float32")], dynamic=None),
    case("l2_float64", "L2Normalization", [data(2, 3, 4, dtype="float64")]),
    case("l2_float16", "L2Normalization", [data(2, 3, 4, dtype="float16")], dict(eps=1e-3)),
    case("l2_channel_2d", "L2Normalization", [data(2, 3)], dict(mode="channel"), error="mode"),

    case("lrn", "LRN", [data(2, 8, 3, 4, low=-5, high=5)], dict(nsize=5)),
    case("lrn_params", "LRN", [data(2, 8, 3, 4, low=-5, high=5)], dict(nsize=3, alpha=0.1, beta=0.5, knorm=1.5),
         dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("lrn_one", "LRN", [data(2, 3, 2, 2, low=-5, high=5)], dict(nsize=1, alpha=0.5)),
    case("lrn_wider_than_channels", "LRN", [data(1, 3, 2, 2, low=-5, high=5)], dict(nsize=9, alpha=0.5)),
    case("lrn_even", "LRN", [data(2, 8, 3, 4, low=-5, high=5)], dict(nsize=4, alpha=0.5)),
]
