# SPDX-License-Identifier: Apache-2.0
"""Nodes that graph passes of MXNet made of several, quantised as mx.contrib.quantization quantises. Where a product is
half way between two levels, the order of the float operations decides: `ties` are allowed for."""
from . import DEFAULT_OPSETS, aux, build, data, param

TIES = 0.02
OPSETS = (13, 17, 21, 26)  # levels of rows


def quantized(make, ranges, whole=(), rows=False, dtype="auto", first=False):
    """The symbol of `make`, quantised. `ranges` are those of the layers in the order in which MXNet lists them, None
    for one that is not calibrated; `whole` names weights that the parameter file holds as integers; `rows`: dense
    layers have a level for each row. The outputs are the last node's integers and their range, or the first one's."""
    def symbol(mx):
        q = mx.contrib.quantization
        net = make(mx).get_backend_symbol("MKLDNN_QUANTIZE")
        net, layers = q._quantize_symbol(net, mx.cpu(), offline_params=list(whole), quantized_dtype=dtype,
                                         quantize_mode="full",
                                         quantize_granularity="channel-wise" if rows else "tensor-wise")
        assert len(layers) == len(ranges), layers
        net = q._calibrate_quantized_sym(net, {name: r for name, r in zip(layers, ranges) if r})
        net = net.get_backend_symbol("MKLDNN_QUANTIZE")
        if first:
            inside = net.get_internals()
            names = [n for n in inside.list_outputs() if n.startswith("quantized_sg_")][:3]
            return mx.sym.Group([inside[n] for n in names])
        return mx.sym.Group(list(net.get_children())) if net.name.endswith("_dequantize") else net
    return symbol


def conv(mx, x, name, filters=4, kernel=(3, 3), **attrs):
    return mx.sym.Convolution(x, kernel=kernel, num_filter=filters, name=name, **attrs)


def relu(mx, x):
    return mx.sym.Activation(x, act_type="relu")


def norm(mx, x, name, **attrs):
    return mx.sym.BatchNorm(x, name=name, **attrs)


def norm_params(name, channels):
    return {name + "_gamma": param(channels, low=0.5, high=2), name + "_beta": param(channels),
            name + "_moving_mean": aux(channels), name + "_moving_var": aux(channels, low=0.5, high=2)}


def weights(name, *shape, bias=True):
    found = {name + "_weight": param(*shape, kind="normal")}
    return dict(found, **{name + "_bias": param(shape[0])}) if bias else found


X = {"x": data(2, 3, 6, 6)}
C = weights("c", 4, 3, 3, 3)


def layer(name, last, low, high, params=C, x=None, first=(-1, 1), **options):
    """A convolution of x and what `last(mx, y)` puts after it."""
    conv_attrs = options.pop("conv", {})
    pick = {k: options.pop(k) for k in ("whole", "rows", "dtype") if k in options}
    make = quantized(lambda mx: last(mx, conv(mx, mx.sym.Variable("x"), "c", **conv_attrs)),
                     [first, None if low is None else (low, high)], **pick)
    return build(name, make, {"x": x} if x else X, params, ties=TIES,
                 **dict({"opsets": OPSETS}, **options))


def none(mx, y):
    return y


def with_norm(**attrs):
    return lambda mx, y: norm(mx, y, "n", **attrs)


def sum_net(act, second_act):
    """Two convolutions of x, one added to the other. The sum is int8, or uint8 after a ReLU."""
    def make(mx):
        x = mx.sym.Variable("x")
        a = conv(mx, x, "a", kernel=(1, 1))
        y = mx.sym.elemwise_add(conv(mx, x, "c", pad=(1, 1), no_bias=True), relu(mx, a) if act else a)
        return relu(mx, y) if second_act else y
    return make


SUM = dict(weights("a", 4, 3, 1, 1), **weights("c", 4, 3, 3, 3, bias=False))


def sum_left(mx):
    x = mx.sym.Variable("x")
    a = mx.sym.Pooling(relu(mx, conv(mx, x, "a", kernel=(1, 1))), kernel=(3, 3), pad=(1, 1), pool_type="max")
    return relu(mx, mx.sym.elemwise_add(a, conv(mx, x, "c", pad=(1, 1), no_bias=True)))


def sum_of_data(mx):
    """A block whose one layer reads what is added."""
    a = relu(mx, conv(mx, mx.sym.Variable("x"), "a", kernel=(1, 1)))
    return relu(mx, mx.sym.elemwise_add(conv(mx, a, "c", pad=(1, 1)), a))


def norm_sum(mx):
    x = mx.sym.Variable("x")
    a = relu(mx, norm(mx, conv(mx, x, "a", kernel=(1, 1)), "m"))
    return relu(mx, mx.sym.elemwise_add(norm(mx, conv(mx, x, "c", pad=(1, 1)), "n", fix_gamma=False), a))


def chain(mx):
    """As published nets are: the data's range is found at run time; pooling and flattening between."""
    y = relu(mx, norm(mx, conv(mx, mx.sym.Variable("x"), "c"), "n", fix_gamma=False))
    y = mx.sym.Pooling(y, kernel=(2, 2), stride=(2, 2), pool_type="max")
    y = relu(mx, conv(mx, y, "d", filters=8, kernel=(1, 1)))
    y = mx.sym.Pooling(y, kernel=(1, 1), global_pool=True, pool_type="avg")
    return mx.sym.FullyConnected(mx.sym.Flatten(y), num_hidden=3, name="f")


def dense_params(width, bias, rows):
    """Of the layer f: floats where each row has its own level, else integers and ranges."""
    if rows:
        return weights("f", 4, width, bias=bias)
    found = {}
    for name, shape, reach in [("f_weight", (4, width), 0.75)] + ([("f_bias", (4,), 1.5)] if bias else []):
        found[name + "_quantize"] = param(*shape, dtype="int8", low=-127, high=127)
        found[name + "_quantize_min"] = param(values=[-reach])
        found[name + "_quantize_max"] = param(values=[reach])
    return found


def dense(name, last, ranges, bias=True, x=None, width=7, flatten=True, rows=False, **options):
    x = x or data(5, 7)

    def make(mx):
        return last(mx, mx.sym.FullyConnected(mx.sym.Variable("x"), num_hidden=4, name="f", no_bias=not bias,
                                              flatten=flatten))
    whole = [] if rows else ["f_weight"] + (["f_bias"] if bias else [])
    return build("dense_" + name, quantized(make, ranges, whole=whole, rows=rows), {"x": x},
                 dense_params(width, bias, rows), ties=TIES,
                 opsets=OPSETS if rows else DEFAULT_OPSETS, **options)


def dense_whole(name, last, low, high, rows=False, x=None, first=(-1, 1), **options):
    """A dense layer whose outputs are integers, since another one follows."""
    def make(mx):
        y = last(mx, mx.sym.FullyConnected(mx.sym.Variable("x"), num_hidden=4, name="f"))
        return mx.sym.FullyConnected(y, num_hidden=3, name="g", no_bias=True)
    whole = [] if rows else ["f_weight", "f_bias", "g_weight"]
    symbol = quantized(make, [first, (low, high) if high else None, None], whole=whole, rows=rows, first=True)
    return build("dense_" + name, symbol, {"x": x or data(5, 7)}, dense_params(7, True, rows), ties=TIES,
                 opsets=OPSETS if rows else DEFAULT_OPSETS, **options)


CASES = [
    layer("plain", none, -6, 6),
    layer("rows_at_12", none, -6, 6, opsets=(12,), error="opset 13"),
    build("weights_from_outside", quantized(lambda mx: conv(mx, mx.sym.Variable("x"), "c"), [(-1, 1), (-6, 6)]),
          {"x": data(2, 3, 6, 6), "c_weight": data(4, 3, 3, 3)}, {"c_bias": param(4)}, opsets=OPSETS, dynamic=None, error="weights"),
    dense_whole("whole_gelu", lambda mx, y: mx.sym.LeakyReLU(y, act_type="gelu"), -1, 6, error="quantised values"),
    build("dense_rows_at_12", quantized(lambda mx: mx.sym.FullyConnected(mx.sym.Variable("x"), num_hidden=4, name="f"), [(-1, 1), (-6, 6)], rows=True),
          {"x": data(5, 7)}, dense_params(7, True, True), opsets=(12,), error="opset 13"),
    build("dense_weights_from_outside", quantized(lambda mx: mx.sym.FullyConnected(mx.sym.Variable("x"), num_hidden=4, name="f"), [(-1, 1), (-6, 6)], rows=True),
          {"x": data(5, 7), "f_weight": data(4, 7)}, {"f_bias": param(4)}, opsets=OPSETS, dynamic=None, error="weights"),
    layer("dynamic_size", none, -6, 6, dynamic=[{0: "batch", 2: "h", 3: "w"}]),
    layer("small_range", none, -1.5, 1),
    layer("no_bias", none, -6, 6, conv={"no_bias": True}, params=weights("c", 4, 3, 3, 3, bias=False)),
    layer("uint8_data", none, -6, 6, x=data(2, 3, 6, 6, low=0, high=1), first=(0, 1)),
    layer("attrs", none, -6, 6, conv={"stride": (2, 1), "pad": (1, 0), "dilate": (1, 2)}),
    layer("groups", none, -3, 3, conv={"num_group": 4, "filters": 8}, x=data(2, 4, 6, 6),
          params=weights("c", 8, 1, 3, 3)),
    layer("depthwise", none, -3, 3, conv={"num_group": 4, "pad": (1, 1)}, x=data(2, 4, 6, 6),
          params=weights("c", 4, 1, 3, 3)),
    layer("volume", none, -6, 6, conv={"kernel": (3, 3, 2)}, x=data(1, 3, 4, 5, 4), params=weights("c", 4, 3, 3, 3, 2)),
    layer("relu", relu, 0, 5),
    layer("relu_negative_range", relu, -5, 4),
    layer("bounded", lambda mx, y: mx.sym.clip(y, a_min=0, a_max=3), 0, 3),
    layer("bounded_below", lambda mx, y: mx.sym.clip(y, a_min=0, a_max=6), 0, 4),
    layer("leaky", lambda mx, y: mx.sym.LeakyReLU(y, act_type="leaky", slope=0.1), -1, 6),
    layer("group_of_rows", none, -3, 3, conv={"num_group": 2, "filters": 6, "no_bias": True}, x=data(2, 4, 6, 6),
          params=weights("c", 6, 2, 3, 3, bias=False)),
    layer("gelu", lambda mx, y: mx.sym.LeakyReLU(y, act_type="gelu"), -1, 6, error="quantised values"),
    layer("norm", with_norm(), -8, 8, params=dict(C, **norm_params("n", 4))),
    layer("norm_gamma", with_norm(fix_gamma=False, eps=0.1), -8, 8, params=dict(C, **norm_params("n", 4))),
    layer("norm_relu", lambda mx, y: relu(mx, norm(mx, y, "n", fix_gamma=False)), 0, 8,
          params=dict(C, **norm_params("n", 4)), dynamic=[{0: "batch", 2: "h", 3: "w"}]),
    layer("norm_no_bias", with_norm(fix_gamma=False), -8, 8, conv={"no_bias": True},
          params=dict(weights("c", 4, 3, 3, 3, bias=False), **norm_params("n", 4))),
    layer("dead_rows", none, -2, 2, params={
        "c_weight": param(4, 3, 3, 3, values=[[[[v] * 3] * 3] * 3 for v in (0.0, 1e-9, 1e-6, 0.1)]),
        "c_bias": param(values=[0.5, 1.0, -1.5, 0.0])}),
    layer("empty_range", none, 0, 0, conv={"no_bias": True}, params=weights("c", 4, 3, 3, 3, bias=False)),
    layer("range_at_run_time", relu, 0, 5, first=None),
    layer("uncalibrated", none, None, None),
    layer("uncalibrated_relu", relu, None, None),
    layer("uncalibrated_uint8", none, None, None, x=data(2, 3, 6, 6, low=0, high=1), first=(0, 1)),
    layer("all_at_run_time", none, None, None, first=None),

    build("sum", quantized(sum_net(False, False), [(-1, 1), (-3, 3), (-7, 7)]), X, SUM, opsets=OPSETS, ties=TIES),
    build("sum_relu", quantized(sum_net(True, True), [(-1, 1), (0, 3), (0, 7)]), X, SUM, opsets=OPSETS, ties=TIES,
          dynamic=[{0: "batch", 2: "h", 3: "w"}]),
    build("sum_int8_relu", quantized(sum_net(False, True), [(-1, 1), (-3, 3), (0, 7)]), X, SUM, opsets=OPSETS, ties=TIES),
    build("sum_uint8", quantized(sum_net(True, False), [(-1, 1), (0, 3), (-7, 7)]), X, SUM, error="uint8 buffer"),
    build("sum_uncalibrated", quantized(sum_net(False, False), [(-1, 1), (-3, 3), None]), X, SUM, opsets=OPSETS, ties=TIES),
    build("sum_on_the_left", quantized(sum_left, [(-1, 1), (0, 3), (0, 7)]), X, SUM, opsets=OPSETS, ties=TIES),
    build("sum_of_data", quantized(sum_of_data, [(-1, 1), (0, 3), (0, 9)]), X,
          dict(weights("a", 4, 3, 1, 1), **weights("c", 4, 4, 3, 3)), opsets=OPSETS, ties=TIES),
    build("sum_norm", quantized(norm_sum, [(-1, 1), (0, 3), (0, 9)]), X,
          dict(weights("a", 4, 3, 1, 1), **C, **norm_params("m", 4), **norm_params("n", 4)), opsets=OPSETS,
          ties=TIES),

    build("chain", quantized(chain, [None, (0, 6), (0, 9), None], whole=["f_weight", "f_bias"]), {"x": data(2, 3, 8, 8)},
          dict(C, **norm_params("n", 4), **weights("d", 8, 4, 1, 1),
               f_weight_quantize=param(3, 8, dtype="int8", low=-127, high=127),
               f_weight_quantize_min=param(values=[-0.5]), f_weight_quantize_max=param(values=[0.5]),
               f_bias_quantize=param(3, dtype="int8", low=-127, high=127),
               f_bias_quantize_min=param(values=[-1.0]), f_bias_quantize_max=param(values=[1.0])), opsets=OPSETS, rtol=1e-2),

    dense("floats", none, [(-1, 1), (-4, 4)]),
    dense("floats_rows", none, [(-1, 1), (-4, 4)], rows=True),
    dense("floats_relu", relu, [(-1, 1), (-4, 4)]),
    dense("floats_gelu", lambda mx, y: mx.sym.LeakyReLU(y, act_type="gelu"), [(-1, 1), (-4, 4)]),
    dense("no_bias", none, [(-1, 1), (-4, 4)], bias=False),
    dense("uint8_data", none, [(0, 1), (-4, 4)], x=data(5, 7, low=0, high=1)),
    dense("flatten", none, [(-1, 1), (-4, 4)], x=data(3, 2, 3, 2), width=12, dynamic=[{0: "batch"}]),
    dense("keep", none, [(-1, 1), (-4, 4)], x=data(2, 3, 7), flatten=False),
    dense("range_at_run_time", none, [None, (-4, 4)]),
    dense_whole("int8", none, -4, 4),
    dense_whole("int8_rows", none, -4, 4, rows=True),
    dense_whole("relu", relu, 0, 4),
    dense_whole("relu_rows", relu, 0, 4, rows=True),
    dense_whole("leaky", lambda mx, y: mx.sym.LeakyReLU(y, act_type="leaky", slope=0.1), -1, 4),
    dense_whole("bounded", lambda mx, y: mx.sym.clip(y, a_min=0, a_max=3), 0, 3),
    dense_whole("abs", lambda mx, y: mx.sym.abs(y), 0, 4),
    dense_whole("abs_uncalibrated", lambda mx, y: mx.sym.abs(y), None, None),
    dense_whole("uncalibrated", none, None, None),
    dense_whole("uncalibrated_uint8", none, None, None, x=data(5, 7, low=0, high=1), first=(0, 1)),
    dense_whole("all_at_run_time", none, None, None, first=None),
]
