# SPDX-License-Identifier: Apache-2.0
"""Small graphs of several operators: what the library, and the runtime that loads its file, make of nodes that meet.

A Net keeps the values that there are so far as (step, shape). A step is called with mxnet.symbol and the symbols before it. Sizes that are
written into an attribute are those at export, so a graph with such a size opens its batch alone, or nothing.
"""
import numpy as np

from . import at_least, aux, build, data, op, param


class Net:
    def __init__(self, r):
        self.r, self.steps, self.shapes, self.params = r, [], [], {}
        self.fixed = False  # sizes of images are written somewhere
        self.alone = False  # the batch too

    def add(self, shape, make):
        if len(shape) > 6 or np.prod(shape) > 4000 or min(shape) < 1:
            return
        self.steps.append(make)
        self.shapes.append(tuple(int(d) for d in shape))

    def pick(self, *ranks):
        """A value, one of the last more often."""
        found = [i for i, s in enumerate(self.shapes) if not ranks or len(s) in ranks]
        if not found:
            return None
        return found[-1] if self.r.chance(.7) else self.r.pick(*found)

    def param(self, *shape, make=param, **options):
        name = "p%d" % len(self.params)
        self.params[name] = make(*shape, **options)
        return name


class Anything:
    """Stands for mxnet.symbol and for each symbol."""

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    __getitem__ = __add__ = __mul__ = __rsub__ = __truediv__ = __call__


class Read(list):
    """Values, and which of them were read."""

    def __init__(self, n):
        super().__init__([Anything()] * n)
        self.read = set()

    def __getitem__(self, i):
        self.read.add(i)
        return super().__getitem__(i)


def windows(r, size, kernel, stride, pad, full=False):
    rest = size + 2 * pad - kernel
    if rest < 0:
        raise ValueError("the kernel is larger than the image")
    return (-(-rest // stride) if full else rest // stride) + 1


UNARY = ("relu", "sigmoid", "tanh", "negative", "abs", "square", "softsign", "identity", "BlockGrad", "erf", "cos")


def unary(net, r):
    i, name = net.pick(), r.pick(*UNARY)
    net.add(net.shapes[i], lambda s, v: getattr(s, name)(v[i]))


def scalar(net, r):
    i, k, how = net.pick(), r.real(-2, 2), r.int(0, 4)
    forms = (lambda x: x + k, lambda x: x * k, lambda x: k - x, lambda x: x.clip(min(k, 0), max(k, 0)), lambda x: x / (abs(k) + .5))
    net.add(net.shapes[i], lambda s, v: forms[how](v[i]))


def pad(net, r):
    i = net.pick(4, 5)
    if i is None:
        return
    shape = net.shapes[i]
    mode = r.pick("constant", "constant", "constant", "edge", "reflect")
    most = min(shape[2:]) - 1 if mode == "reflect" else 3
    if most < 1:
        return
    spatial = r.tuple(2 * len(shape) - 4, 0, most)
    value = r.pick(0, 0, 1.5)
    net.add(shape[:2] + tuple(d + spatial[2 * k] + spatial[2 * k + 1] for k, d in enumerate(shape[2:])),
            lambda s, v: s.Pad(v[i], mode=mode, pad_width=(0,) * 4 + spatial, constant_value=value))


def pooling(net, r):
    i = net.pick(3, 4, 5)
    if i is None:
        return
    shape = net.shapes[i]
    n = len(shape) - 2
    kernel, stride = r.tuple(n, 1, 3), r.tuple(n, 1, 2)
    own = tuple(r.int(0, k - 1) for k in kernel)
    attrs = dict(kernel=kernel, stride=stride, pad=own, pool_type=r.pick("max", "max", "avg", "sum"),
                 pooling_convention=r.pick("valid", "valid", "full"), count_include_pad=r.chance())
    full = attrs["pooling_convention"] == "full"
    if full:  # no window is wholly outside
        attrs["stride"] = stride = tuple(min(t, k - p) for t, k, p in zip(stride, kernel, own))
    if r.chance(.15):
        attrs, out = dict(global_pool=True, kernel=kernel, pool_type=attrs["pool_type"]), (1,) * n
    else:
        out = tuple(windows(r, *w, full) for w in zip(shape[2:], kernel, stride, own))
    net.add(shape[:2] + out, lambda s, v: s.Pooling(v[i], **attrs))


def convolution(net, r):
    i = net.pick(3, 4)
    if i is None:
        return
    shape = net.shapes[i]
    n = len(shape) - 2
    groups = r.pick(1, 1, shape[1])
    kernel, stride, own = r.tuple(n, 1, 3), r.tuple(n, 1, 2), r.tuple(n, 0, 2)
    filters = groups * r.int(1, 3)
    attrs = dict(kernel=kernel, stride=stride, pad=own, num_filter=filters, num_group=groups)
    out = tuple(windows(r, *w) for w in zip(shape[2:], kernel, stride, own))
    w = net.param(filters, shape[1] // groups, *kernel)
    b = net.param(filters) if r.chance() else None
    more = [b] if b else []
    net.add((shape[0], filters) + out, lambda s, v: s.Convolution(
        v[i], *[s.Variable(p) for p in [w] + more], no_bias=not more, **attrs))


def deconvolution(net, r):
    i = net.pick(4)
    if i is None:
        return
    shape = net.shapes[i]
    kernel, stride = r.tuple(2, 1, 3), r.tuple(2, 1, 2)
    own = tuple(r.int(0, k // 2) for k in kernel)
    filters = r.int(1, 3)
    w = net.param(shape[1], filters, *kernel)
    net.add((shape[0], filters) + tuple((d - 1) * t - 2 * p + k for d, t, p, k in zip(shape[2:], stride, own, kernel)),
            lambda s, v: s.Deconvolution(v[i], s.Variable(w), kernel=kernel, stride=stride, pad=own, num_filter=filters, no_bias=True))


def batch_norm(net, r):
    i = net.pick(2, 3, 4, 5)
    if i is None:
        return
    shape = net.shapes[i]
    axis = r.pick(1, 1, 1, len(shape) - 1)
    net.fixed = net.fixed or axis > 1
    c = shape[axis]
    names = [net.param(c, low=.5, high=2), net.param(c), net.param(c, make=aux), net.param(c, make=aux, low=.3, high=2)]
    attrs = dict(fix_gamma=r.chance(), axis=axis, eps=r.pick(1e-5, 1e-3))
    net.add(shape, lambda s, v: s.BatchNorm(v[i], *[s.Variable(p) for p in names], **attrs))


def norm(net, r):
    i = net.pick(3, 4)
    if i is None:
        return
    shape = net.shapes[i]
    how = r.pick("LayerNorm", "InstanceNorm", "L2Normalization", "softmax", "log_softmax", "LRN")
    if how in ("LayerNorm", "InstanceNorm"):
        net.fixed = net.fixed or how == "LayerNorm"
        c = shape[-1] if how == "LayerNorm" else shape[1]
        names = [net.param(c, low=.5, high=2), net.param(c)]
        net.add(shape, lambda s, v: getattr(s, how)(v[i], *[s.Variable(p) for p in names], eps=.05))
    elif how == "L2Normalization":
        mode = r.pick("instance", "channel", "spatial")
        net.add(shape, lambda s, v: s.L2Normalization(v[i], mode=mode, eps=.1))
    elif how == "LRN":
        if len(shape) == 4:
            net.add(shape, lambda s, v: s.LRN(v[i], nsize=3, alpha=.1))
    else:
        axis = r.int(-1, len(shape) - 1)
        net.add(shape, lambda s, v: getattr(s, how)(v[i], axis=axis))


def transpose(net, r):
    i = net.pick(2, 3, 4, 5, 6)
    shape = net.shapes[i]
    perm = tuple(int(k) for k in r.rng.permutation(len(shape)))
    if r.chance(.5):
        perm = r.pick(*{3: ((0, 2, 1), (1, 0, 2)), 4: ((0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1, 3))}.get(len(shape), (perm,)))
    net.alone = net.alone or perm[0] != 0
    net.fixed = True  # what follows may write a size that was another axis's
    net.add([shape[k] for k in perm], lambda s, v: s.transpose(v[i], axes=perm))


def reshape(net, r):
    i = net.pick()
    shape = net.shapes[i]
    how = r.int(0, 6)
    if how == 0:
        net.fixed = True  # a later layer's weights
        net.add((shape[0], int(np.prod(shape[1:]))), lambda s, v: s.Flatten(v[i]))
    elif how == 1 and len(shape) > 2:
        net.fixed = True
        net.add(shape[:1] + (shape[1] * shape[2],) + shape[3:], lambda s, v: s.reshape(v[i], shape=(0, -3, -2)))
    elif how == 2 and len(shape) > 1:
        parts = [k for k in range(1, shape[1] + 1) if shape[1] % k == 0]
        k = r.pick(*parts)
        net.fixed = True
        net.add((shape[0], k, shape[1] // k) + shape[2:], lambda s, v: s.reshape(v[i], shape=(0, -4, k, -1, -2)))
    elif how == 3:
        axis = r.int(0, len(shape))
        net.alone = net.alone or axis == 0
        net.add(shape[:axis] + (1,) + shape[axis:], lambda s, v: s.expand_dims(v[i], axis=axis))
    elif how == 4 and len(shape) > 2:
        net.fixed = True
        net.add((shape[0], int(np.prod(shape[1:-1])), shape[-1]), lambda s, v: s.reshape(v[i], shape=(0, -1, shape[-1])))
    elif how == 5:
        net.alone = True
        net.add((int(np.prod(shape[:-1])), shape[-1]), lambda s, v: s.reshape(v[i], shape=(-3,) * (len(shape) == 3) + (-1, shape[-1])
                                                                             if len(shape) != 3 else (-3, 0)))
    elif 1 in shape[1:]:
        axis = 1 + shape[1:].index(1)
        net.fixed = True
        net.add(shape[:axis] + shape[axis + 1:], lambda s, v: s.squeeze(v[i], axis=axis))


def slices(net, r):
    i = net.pick()
    shape = net.shapes[i]
    axis = r.int(0 if len(shape) == 1 or net.alone else 1, len(shape) - 1)
    net.alone = net.alone or axis == 0
    if r.chance():
        begin = r.int(0, shape[axis] - 1)
        end = r.pick(None, r.int(begin + 1, shape[axis]))
        net.fixed = net.fixed or end is not None
        net.add(shape[:axis] + ((end or shape[axis]) - begin,) + shape[axis + 1:],
                lambda s, v: s.slice_axis(v[i], axis=axis, begin=begin, end=end))
    else:
        step = r.pick(2, -1, -2)
        at = (None,) * axis
        net.add(shape[:axis] + (-(-shape[axis] // abs(step)),) + shape[axis + 1:],
                lambda s, v: s.slice(v[i], begin=at + (None,), end=at + (None,), step=at + (step,)))


def split(net, r):
    i = net.pick()
    shape = net.shapes[i]
    axis = r.int(1, len(shape) - 1) if len(shape) > 1 else 0
    n = r.pick(*[k for k in range(1, shape[axis] + 1) if shape[axis] % k == 0])
    which = r.int(0, n - 1)
    net.fixed = True
    net.alone = net.alone or axis == 0
    net.add(shape[:axis] + (shape[axis] // n,) + shape[axis + 1:],
            lambda s, v: s.SliceChannel(v[i], num_outputs=n, axis=axis)[which])


def join(net, r):
    """Two values of one rank: their sum, product or maximum where shapes agree, else a Concat on the only axis that differs."""
    i = net.pick()
    same = [k for k, s in enumerate(net.shapes) if s == net.shapes[i]]
    j = r.pick(*same)
    shape = net.shapes[i]
    if r.chance(.6):
        name = r.pick("elemwise_add", "elemwise_mul", "elemwise_sub", "broadcast_maximum", "broadcast_add", "add_n")
        net.add(shape, lambda s, v: getattr(s, name)(v[i], v[j]))
    else:
        axis = r.int(1, len(shape) - 1) if len(shape) > 1 else 0
        net.alone = net.alone or axis == 0
        if r.chance(.3):
            net.add(shape[:axis] + (2,) + shape[axis:], lambda s, v: s.stack(v[i], v[j], axis=axis))
        else:
            net.add(shape[:axis] + (2 * shape[axis],) + shape[axis + 1:], lambda s, v: s.concat(v[i], v[j], dim=axis))


def broadcast(net, r):
    i = net.pick()
    shape = net.shapes[i]
    given = tuple(d if k and r.chance() else 1 for k, d in enumerate(shape))
    net.fixed = net.fixed or any(d != 1 for d in given[2:])
    p = net.param(*given, low=.5, high=2)
    name = r.pick("broadcast_add", "broadcast_mul", "broadcast_sub", "broadcast_div")
    net.add(shape, lambda s, v: getattr(s, name)(v[i], s.Variable(p)))


def reduce(net, r):
    i = net.pick()
    shape = net.shapes[i]
    axes = tuple(k for k in range(1, len(shape)) if r.chance()) or (len(shape) - 1,)
    net.alone = net.alone or 0 in axes
    keep, name = r.chance(), r.pick("mean", "sum", "max", "min")
    net.fixed = net.fixed or not keep  # what follows takes an axis for another
    out = [1 if k in axes else d for k, d in enumerate(shape) if keep or k not in axes]
    net.add(out or [1], lambda s, v: getattr(s, name)(v[i], axis=axes, keepdims=keep))


def products(net, r):
    i = net.pick(2, 3, 4)
    if i is None:
        return
    shape = net.shapes[i]
    how = r.int(0, 2)
    if how == 0:
        flat = r.chance()
        hidden, width = r.int(1, 5), int(np.prod(shape[1:])) if flat else shape[-1]
        net.fixed = True
        w, b = net.param(hidden, width), net.param(hidden)
        net.add((shape[0], hidden) if flat else shape[:-1] + (hidden,),
                lambda s, v: s.FullyConnected(v[i], s.Variable(w), s.Variable(b), num_hidden=hidden, flatten=flat))
    elif how == 1 and len(shape) == 3:
        other = r.chance()
        net.add((shape[0], shape[1], shape[1]) if other else (shape[0], shape[2], shape[2]),
                lambda s, v: s.batch_dot(v[i], v[i], transpose_a=not other, transpose_b=other))
    else:
        width = r.int(1, 4)
        w = net.param(shape[-1], width)
        net.fixed = True
        net.add(shape[:-1] + (width,), lambda s, v: s.dot(v[i], s.Variable(w)))


def grow(net, r):
    i = net.pick(2, 3, 4)
    if i is None:
        return
    shape = net.shapes[i]
    if len(shape) == 4 and r.chance():
        net.add(shape[:2] + (2 * shape[2], 2 * shape[3]), lambda s, v: s.UpSampling(v[i], scale=2, sample_type="nearest"))
        return
    axis, name = r.int(1, len(shape) - 1), r.pick("repeat", "flip", "tile")
    if name == "flip":
        net.add(shape, lambda s, v: s.flip(v[i], axis=axis))
    elif name == "repeat":
        net.add(shape[:axis] + (2 * shape[axis],) + shape[axis + 1:], lambda s, v: s.repeat(v[i], repeats=2, axis=axis))
    else:
        net.add(shape[:axis] + (2 * shape[axis],) + shape[axis + 1:],
                lambda s, v: s.tile(v[i], reps=tuple(2 if k == axis else 1 for k in range(len(shape)))))


STEPS = (unary, unary, scalar, pad, pooling, pooling, convolution, deconvolution, batch_norm, norm, transpose, transpose, reshape, reshape,
         slices, split, join, join, broadcast, reduce, products, grow)


@op("graph")
def graph(r):
    r.nothing = False  # an axis of 0 is each operator's own business
    net = Net(r)
    net.add((r.int(1, 3), r.int(1, 4)) + r.tuple(2, 2, 7), lambda s, v: s.Variable("data"))
    for _ in range(r.int(2, 9)):
        r.pick(*STEPS)(net, r)
    values = Read(len(net.steps))
    for step in net.steps:
        step(Anything(), values)
    results = sorted(set(range(len(net.steps))) - values.read | {k for k in range(1, len(net.steps)) if r.chance(.15)})

    def make(mx):
        values = []
        for step in net.steps:
            values.append(step(mx.sym, values))
        return mx.sym.Group([mx.sym.identity(values[k]) for k in results])
    dims = {} if net.alone else {0: "n"} if net.fixed or r.chance() else {0: "n", 2: "h", 3: "w"}
    c = build("case", make, {"data": data(*net.shapes[0])}, net.params, opsets=(r.opset,), dynamic=[dims] if dims else None, rtol=2e-5, atol=2e-5)
    c.closed = True
    return at_least(c)
