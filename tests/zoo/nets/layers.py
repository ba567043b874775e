# SPDX-License-Identifier: Apache-2.0
"""What the nets of the Module API are made of, as the scripts of 2015 to 2020 called their layers."""


class Symbols:
    """mx.sym, read when it is used: listing the nets needs no MXNet."""

    def __getattr__(self, name):
        import mxnet as mx
        return getattr(mx.sym, name)


S = Symbols()


def conv(x, filters, kernel, stride=1, pad=None, name=None, groups=1, bias=False, dilate=1):
    """A square one; by default the padding keeps the size."""
    pad = dilate * (kernel - 1) // 2 if pad is None else pad
    return S.Convolution(x, num_filter=filters, kernel=(kernel, kernel), stride=(stride, stride), pad=(pad, pad),
                         dilate=(dilate, dilate), num_group=groups, no_bias=not bias, name=name)


def bn(x, name, fix_gamma=False, eps=2e-5, **options):
    return S.BatchNorm(x, fix_gamma=fix_gamma, eps=eps, momentum=0.9, name=name, **options)


def relu(x, name=None):
    return S.Activation(x, act_type="relu", name=name)


def prelu(x, name):
    return S.LeakyReLU(x, act_type="prelu", name=name)


def preactivated(x, filters, stride, match, name, dilate=1, middle=None, use_global_stats=False):
    """A bottleneck of ResNet v2 as example/image-classification and example/rcnn write it. middle: another layer in
    place of the 3x3 convolution."""
    def norm(y, k):
        return relu(bn(y, name + "_bn%d" % k, use_global_stats=use_global_stats), name + "_relu%d" % k)

    first = norm(x, 1)
    y = norm(conv(first, filters // 4, 1, name=name + "_conv1"), 2)
    if middle:
        y = middle(y, filters // 4, name)
    else:
        y = conv(y, filters // 4, 3, stride, name=name + "_conv2", dilate=dilate)
    y = conv(norm(y, 3), filters, 1, name=name + "_conv3")
    return y + (x if match else conv(first, filters, 1, stride, name=name + "_sc"))


def resnet_v2(x, units, filters=(64, 256, 512, 1024, 2048), stages=4, use_global_stats=False):
    """The outputs of the stages, and of none further than `stages`."""
    x = bn(x, "bn_data", fix_gamma=True, use_global_stats=use_global_stats)
    x = relu(bn(conv(x, filters[0], 7, 2, name="conv0"), "bn0", use_global_stats=use_global_stats), "relu0")
    x = S.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max", name="pooling0")
    found = []
    for stage in range(1, stages + 1):
        for unit in range(1, units[stage - 1] + 1):
            x = preactivated(x, filters[stage], 2 if stage > 1 and unit == 1 else 1, unit > 1,
                             "stage%d_unit%d" % (stage, unit), use_global_stats=use_global_stats)
        found.append(x)
    return found


def vgg16(x, pad=1, width=1.0, pool5=True):
    """Layer name -> symbol; width scales the filters."""
    found = {}
    for block, (filters, layers) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)), 1):
        for k in range(1, layers + 1):
            name = "%d_%d" % (block, k)
            x = conv(x, int(filters * width), 3, pad=pad if name == "1_1" else 1, name="conv" + name, bias=True)
            x = found["relu" + name] = relu(x, "relu" + name)
        if block < 5 or pool5:
            x = found["pool%d" % block] = S.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2),
                                                    pooling_convention="full", name="pool%d" % block)
    return found


def batches(*names):
    """`dynamic` and `sizes` of a net whose inputs have the batch in front."""
    return {"dynamic": {n: {0: "batch"} for n in names}, "sizes": [{"batch": b} for b in (2, 3, 5)]}
