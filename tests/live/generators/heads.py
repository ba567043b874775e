# SPDX-License-Identifier: Apache-2.0
"""Random cases: softmax and losses."""
from . import case, data, one, op, options


def softmax(name):
    def make(r):
        shape = r.shape(1, 4)
        attrs = {}
        if r.chance():
            attrs["axis"] = r.int(-len(shape), len(shape) - 1)
        if r.chance(.3):
            attrs["temperature"] = r.real(.5, 3)
        dtype = r.pick("float32", "float32", "float16", "float64")
        return one(r, name, shape, attrs, dtype, low=-4, high=4, atol=1e-5)  # a logarithm of 1 is noise in oneDNN
    return make


for _name in ("softmax", "log_softmax", "softmin"):
    op(_name)(softmax(_name))


@op("SoftmaxActivation")
def softmax_activation(r):
    return one(r, "SoftmaxActivation", r.shape(2, 4), r.attrs(mode=lambda: r.pick("instance", "channel")))


@op("SoftmaxOutput")
def softmax_output(r):
    """Natively: oneDNN takes the last axis where MXNet's own kernel flattens."""
    return one(r, "SoftmaxOutput", r.shape(2, 4), r.attrs(multi_output=lambda: r.chance(), preserve_shape=lambda: r.chance(),
                                                          grad_scale=lambda: 2.0, use_ignore=lambda: True), native=True)


for _name in ("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"):
    op(_name)(lambda r, name=_name: one(r, name, r.shape(1, 3), r.attrs(grad_scale=lambda: 2.0)))
for _name in ("MakeLoss", "BlockGrad", "_copy", "ones_like", "zeros_like", "shape_array", "size_array", "Flatten"):
    op(_name)(lambda r, name=_name: one(r, name if name[0] != "_" else "_internal." + name, r.shape(), None,
                                        r.pick("float32", "float64", "float16")))


@op("softmax/dtype")
def softmax_dtype(r):
    return one(r, r.pick("softmax", "log_softmax", "softmin"), r.shape(1, 4), dict(dtype=r.pick("float32", "float64")),
               r.pick("float16", "float32"), low=-4, high=4, rtol=2e-3, atol=1e-5)


@op("softmax/length")
def softmax_length(r):
    shape = r.shape(2, 3)
    attrs = dict(use_length=True)
    axis = len(shape) - 1
    if r.chance(.3):
        axis = attrs["axis"] = r.int(1, len(shape) - 1)
    lengths = tuple(d for a, d in enumerate(shape) if a != axis)
    d = r.dims(len(shape), [0])
    return case("case", "softmax", [data(*shape), data(*lengths, dtype="int32", kind="int", low=1, high=shape[axis])],
                attrs, **options(r, d, d))


@op("SVMOutput")
def svm_output(r):
    return one(r, "SVMOutput", r.shape(2, 2), r.attrs(margin=lambda: .5, use_linear=lambda: True))
