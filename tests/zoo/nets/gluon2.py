# SPDX-License-Identifier: Apache-2.0
"""Nets of Gluon 2, as MXNet 2.0.0b1 exports them: its vision zoo, attention, recurrent layers, and code in np and npx."""
from net import Input, Net, words

MXNET = "2.0.0b1"
FAMILY = "gluon 2"
BATCH, ANY = {0: "batch"}, {0: "batch", 2: "height", 3: "width"}


def exported(block, *inputs):
    """(symbol, constants) of a block, as HybridBlock.export gives them; inputs: (shape, type) of each argument."""
    import mxnet as mx
    block.initialize()
    block.hybridize()
    block(*[mx.np.ones(shape, dtype=dtype) for shape, dtype in inputs])
    symbol, _ = block.export(None)
    return symbol, {n: p.value.asnumpy() for n, p in block.collect_params().items() if isinstance(p, mx.gluon.Constant)}


def maker(make, inputs):
    return lambda: exported(make(), *[(i.shape, i.dtype) for i in inputs.values()])


def net(name, make, inputs, dynamic, sizes, **more):
    return Net(name, FAMILY, maker(make, inputs), inputs, dynamic=dynamic, sizes=sizes, mxnet=MXNET, **more)


# With oneDNN's layouts MXNet 2.0.0b1 fails at means and views, which the statistics of BatchNorms are found with.
NATIVE = {"MXNET_ONEDNN_ENABLED": "0", "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}


def batches(*sizes):
    return [{"batch": b} for b in sizes]


# ---- the vision zoo

VISION = """
alexnet densenet121 densenet161 densenet169 densenet201 inceptionv3 mobilenet0.25 mobilenet0.5 mobilenet0.75 mobilenet1.0
mobilenetv2_0.25 mobilenetv2_0.5 mobilenetv2_0.75 mobilenetv2_1.0 resnet101_v1 resnet101_v2 resnet152_v1 resnet152_v2
resnet18_v1 resnet18_v2 resnet34_v1 resnet34_v2 resnet50_v1 resnet50_v2 squeezenet1.0 squeezenet1.1 vgg11 vgg11_bn vgg13
vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn
"""
SIZES = {"inceptionv3": 299, "densenet": 224, "alexnet": 224, "vgg": 64, "squeezenet": 224}


def vision(name):
    def make():
        from mxnet.gluon.model_zoo.vision import get_model
        return get_model(name, pretrained=False)
    size = next((s for begin, s in SIZES.items() if name.startswith(begin)), 64)
    inputs = {"data": Input((1, 3, size, size))}
    if name.startswith(("mobilenet", "resnet")):  # global pooling at the end
        return net("mx2_" + name, make, inputs, {"data": ANY},
                   [{"batch": b, "height": h, "width": w} for b, h, w in ((2, 96, 64), (3, 64, 96), (1, 128, 128))], environment=NATIVE)
    return net("mx2_" + name, make, inputs, {"data": BATCH}, batches(2, 3, 5), environment=NATIVE)


# ---- attention

def encoder(layers=2, width=64, heads=4, vocabulary=1000):
    """A transformer encoder over tokens with valid lengths, as gluon-nlp 1.0's: masked softmax, learned positions."""
    import mxnet as mx
    from mxnet import np, npx
    from mxnet.gluon import HybridBlock, nn

    class Attention(HybridBlock):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Dense(3 * width, flatten=False), nn.Dense(width, flatten=False)

        def forward(self, x, mask):
            q, k, v = np.split(self.qkv(x), 3, axis=-1)
            q, k, v = (npx.reshape(t, (-2, -2, heads, -1)).transpose((0, 2, 1, 3)) for t in (q, k, v))
            score = np.matmul(q, k.swapaxes(2, 3)) / (width // heads) ** .5
            weight = npx.masked_softmax(score, np.expand_dims(mask, 1), axis=-1, temperature=1.0)
            return self.out(npx.reshape(np.matmul(weight, v).transpose((0, 2, 1, 3)), (-2, -2, -1)))

    class Layer(HybridBlock):
        def __init__(self):
            super().__init__()
            self.attention, self.norm1, self.norm2 = Attention(), nn.LayerNorm(epsilon=1e-12), nn.LayerNorm(epsilon=1e-12)
            self.ffn1, self.act, self.ffn2 = nn.Dense(4 * width, flatten=False), nn.GELU(), nn.Dense(width, flatten=False)
            self.drop = nn.Dropout(.1)

        def forward(self, x, mask):
            x = self.norm1(x + self.drop(self.attention(x, mask)))
            return self.norm2(x + self.drop(self.ffn2(self.act(self.ffn1(x)))))

    class Encoder(HybridBlock):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(128, width)
            self.layers = nn.HybridSequential()
            for _ in range(layers):
                self.layers.add(Layer())
            self.pooler = nn.Dense(width, flatten=False, activation="tanh")

        def forward(self, tokens, length):
            place = npx.arange_like(tokens, axis=1)
            mask = np.expand_dims(place, 0) < np.expand_dims(length, 1)
            both = np.logical_and(np.expand_dims(mask, 1), np.expand_dims(mask, 2))
            x = self.words(tokens) + np.expand_dims(self.places(place), 0)
            for layer in self.layers:
                x = layer(x, both)
            return x, self.pooler(x[:, 0, :])

    del mx
    return Encoder()


def lengths(rng, shape):
    return rng.randint(3, 6, size=shape)


ATTENTION = [net("mx2_encoder", encoder, {"data0": Input((2, 8), "int32", words(1000)), "data1": Input((2,), "float32", lengths)},
                 {"data0": {0: "batch", 1: "length"}, "data1": {0: "batch"}},
                 [{"batch": b, "length": t} for b, t in ((1, 6), (3, 11), (2, 5))])]


# ---- recurrent layers

def language_model(cell, **more):
    def make():
        from mxnet.gluon import HybridBlock, nn, rnn

        class Model(HybridBlock):
            def __init__(self):
                super().__init__()
                self.embed, self.rnn = nn.Embedding(500, 32), getattr(rnn, cell)(48, 2, layout="NTC", input_size=32, **more)
                self.out = nn.Dense(500, flatten=False, in_units=48 * (2 if more.get("bidirectional") else 1))

            def forward(self, tokens, *states):
                if not states:  # zeros, of the batch that the block is exported with
                    return self.out(self.rnn(self.embed(tokens)))
                y, states = self.rnn(self.embed(tokens), list(states))
                return self.out(y), *states
        return Model()
    return make


def stepping(cell):
    """Cells that are unrolled."""
    def make():
        from mxnet import np
        from mxnet.gluon import HybridBlock, nn, rnn

        class Model(HybridBlock):
            def __init__(self):
                super().__init__()
                self.cell, self.out = getattr(rnn, cell)(24, input_size=16), nn.Dense(5, in_units=24)

            def forward(self, x):
                steps, _ = self.cell.unroll(4, x, layout="NTC", merge_outputs=False)
                return self.out(np.stack(steps, axis=1).mean(axis=1))
        return Model()
    return make


def fed(count, directions=1):
    """Tokens and states."""
    inputs = {"data0": Input((2, 9), "int32", words(500))}
    inputs.update({"data%d" % (k + 1): Input((2 * directions, 2, 48)) for k in range(count)})
    return inputs


def fed_dims(count):
    return dict({"data0": {0: "batch", 1: "length"}}, **{"data%d" % (k + 1): {1: "batch"} for k in range(count)})


TOKENS = {"data": Input((2, 9), "int32", words(500))}
T, LONGER = {"data": {1: "length"}}, [{"length": t} for t in (4, 12, 1)]
LENGTHS = [{"batch": b, "length": t} for b, t in ((1, 4), (3, 12), (5, 1))]
RECURRENT = [
    net("mx2_lstm", language_model("LSTM"), fed(2), fed_dims(2), LENGTHS),
    net("mx2_lstm_both_ways", language_model("LSTM", bidirectional=True), fed(2, 2), fed_dims(2), LENGTHS),
    net("mx2_lstm_from_zeros", language_model("LSTM"), TOKENS, T, LONGER),
    net("mx2_gru", language_model("GRU"), fed(1), fed_dims(1), LENGTHS),
    net("mx2_rnn", language_model("RNN", activation="tanh"), fed(1), fed_dims(1), LENGTHS),
    net("mx2_lstm_cells", stepping("LSTMCell"), {"data": Input((2, 4, 16))}, {}, []),
    net("mx2_gru_cells", stepping("GRUCell"), {"data": Input((2, 4, 16))}, {}, []),
]


# ---- np and npx

def indexing():
    """x[i], x[i, j], x[mask], slices with steps and negative indices."""
    from mxnet.gluon import HybridBlock, nn

    class Model(HybridBlock):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(6, flatten=False, in_units=5)

        def forward(self, x, rows, columns, mask):
            y = self.fc(x)
            return y[(rows, columns)], y[(rows,)], y[mask], y[:, 1:4, ::2], y[:, -1, :], y[0], y[::-1], y[1:, 0, 2:5]
    return Model()


def interpolation():
    """Values looked up in a table, and a resized image."""
    from mxnet import np, npx
    from mxnet.gluon import HybridBlock, nn

    class Model(HybridBlock):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(4, 3, padding=1, in_channels=3)

        def forward(self, image, at):
            y = self.conv(image)
            table = np.cumsum(np.abs(y.mean(axis=(0, 2, 3))) + 1).astype("float64")
            z = np.interp(at, table, np.arange(4, dtype="float64"))
            up = np.repeat(y, 2, axis=0)
            return z.astype("float32"), npx.softmax(up, axis=1), np.pad(y, ((0, 0), (0, 0), (1, 2), (2, 1)), mode="reflect")
    return Model()


def statistics():
    """What NumPy code computes of a batch: moments, orders, truth, products."""
    from mxnet import np, npx
    from mxnet.gluon import HybridBlock

    class Model(HybridBlock):
        def forward(self, x, y):
            centred = x - x.mean(axis=0, keepdims=True)
            covariance = np.dot(centred.T, centred) / 7
            order = np.argsort(x, axis=1)
            best = npx.topk(x, k=2, ret_typ="value")
            close = np.logical_and(np.abs(x) < 1, np.logical_not(x > y))
            return (covariance, order, best, close, np.where(close, x, y), np.maximum(x, y).sum(axis=-1), np.einsum("ij,kj->ik", x, y),
                    np.tensordot(x, y, axes=([1], [1])), x.std(axis=0), x.var(axis=1, ddof=1), np.prod(x, axis=1), x // .5,
                    np.fmod(x, .3), np.floor(x), np.square(x).max(axis=1), np.concatenate([x, y], axis=1), np.stack([x, y], axis=1),
                    np.all(close, axis=1), np.any(close, axis=0), np.cumsum(x, axis=1), np.tril(covariance), np.triu(covariance),
                    np.kron(covariance, covariance), np.roll(x, 1, axis=1), np.flip(x, 1), np.clip(x, -.5, .5), np.sign(x) * np.cbrt(x),
                    np.logaddexp(x, y), np.array_split(x, 3, axis=1)[0], np.diff(x, axis=1))
    return Model()


def deformable():
    """Gluon 2.0.0b1's own layer with a mask calls an operator that is not there."""
    from mxnet import npx
    from mxnet.gluon import HybridBlock, Parameter, nn

    class Model(HybridBlock):
        def __init__(self):
            super().__init__()
            self.conv = nn.DeformableConvolution(8, kernel_size=(3, 3), padding=(1, 1), in_channels=4)
            self.offset, self.mask = nn.Conv2D(18, 3, padding=1, in_channels=8), nn.Conv2D(9, 3, padding=1, in_channels=8)
            self.weight, self.norm = Parameter("weight", shape=(8, 8, 3, 3)), nn.GroupNorm(num_groups=4, in_channels=8)

        def forward(self, x):
            y = self.conv(x)
            y = npx.modulated_deformable_convolution(y, self.offset(y), npx.sigmoid(self.mask(y)), self.weight.data(), kernel=(3, 3),
                                                     pad=(1, 1), num_filter=8, no_bias=True)
            return self.norm(y)
    return Model()


def layers():
    """Gluon 2's other layers, one after the other."""
    from mxnet.gluon import nn
    block = nn.HybridSequential()
    block.add(nn.Conv2D(8, 3, padding=1, in_channels=3), nn.GroupNorm(num_groups=2, in_channels=8), nn.SiLU(),
              nn.Conv2DTranspose(6, 3, strides=2, padding=1, output_padding=1, in_channels=8), nn.InstanceNorm(in_channels=6),
              nn.PReLU(in_channels=6), nn.AvgPool2D(2), nn.BatchNorm(in_channels=6), nn.ReflectionPad2D(1), nn.ELU(.9), nn.SELU(),
              nn.Conv2D(4, 1, in_channels=6, activation="log_sigmoid"), nn.Swish(1.5), nn.GELU(), nn.LeakyReLU(.2),
              nn.Conv2D(4, 1, in_channels=4, activation="mish"), nn.PixelShuffle2D(2), nn.MaxPool2D(2, ceil_mode=True),
              nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(7, in_units=1), nn.LayerNorm(in_channels=7), nn.HybridLambda("tanh"))
    return block


# ---- control flow, as symbols: of a loop that HybridBlock.export traced 2.0.0b1 writes no attributes, nor can it load the file

def variables(names):
    import mxnet as mx
    return [mx.sym.var(name).as_np_ndarray() for name in names.split()]


def dense(x, name, units, width):
    import mxnet as mx
    weight, bias = (mx.sym.var(name + end, shape=shape).as_np_ndarray() for end, shape in (("_weight", (units, width)), ("_bias", (units,))))
    return mx.sym.npx.fully_connected(x, weight, bias, num_hidden=units, flatten=False)


def turned(x, way):
    """All symbols in x by as_nd_ndarray or as_np_ndarray: the loops' functions are of the old kind, what is in them of the new."""
    return [turned(y, way) for y in x] if isinstance(x, (list, tuple)) else getattr(x, way)()


def body(f):
    return lambda *x: turned(f(*turned(x, "as_np_ndarray")), "as_nd_ndarray")


def loop(name, *inputs, **options):
    """A function of mx.sym.contrib, given functions and symbols in np."""
    import mxnet as mx
    return turned(getattr(mx.sym.contrib, name)(*[body(x) if callable(x) and not isinstance(x, mx.sym.Symbol)
                                                  else turned(x, "as_nd_ndarray") for x in inputs], **options), "as_np_ndarray")


def scanned():
    """A gated cell over time with a layer after it: a loop with two states, which reads weights from outside."""
    import mxnet as mx
    np, npx = mx.sym.np, mx.sym.npx
    x, h, total = variables("data0 data1 data2")

    def cell(x, states):
        z = npx.sigmoid(dense(x, "gate_x", 12, 8) + dense(states[0], "gate_h", 12, 12))
        h = z * states[0] + (1 - z) * np.tanh(dense(x, "new_x", 12, 8) + dense(states[0], "new_h", 12, 12))
        return h, [h, states[1] + np.abs(h)]
    out, states = loop("foreach", cell, x, [h, total])
    return mx.sym.Group([dense(out, "head", 5, 12)] + states)


def iterated():
    """Sweeps that go on until a number is reached, 8 at the most, between two layers."""
    import mxnet as mx
    np = mx.sym.np
    x, limit = variables("data0 data1")

    def sweep(x, size):
        x = x + np.tanh(dense(x, "sweep", 6, 6))
        return [x.mean(axis=1)], [x, size + np.max(np.abs(x))]
    _, states = loop("while_loop", lambda x, size: (size < limit).astype("int64"), sweep, [dense(x, "first", 6, 6), limit * 0], max_iterations=8)
    return mx.sym.Group([dense(states[0], "last", 3, 6), states[1]])


def branching():
    """One of two stacks of layers, by the sign of a number."""
    import mxnet as mx
    np, npx = mx.sym.np, mx.sym.npx
    x, level = variables("data0 data1")
    y = npx.relu(dense(x, "body", 8, 6))

    def deep():
        return np.tanh(dense(npx.relu(dense(y, "deep1", 8, 8)), "deep2", 4, 8))

    def plain():
        return dense(y, "plain", 4, 8) * level
    return loop("cond", (level > 0).astype("float32"), deep, plain)


def signs(rng, shape):
    return rng.choice([-1.5, 1.5], size=shape)


STATES = {"data0": {0: "time", 1: "batch"}, "data1": {0: "batch"}, "data2": {0: "batch"}}


def symbol(name, make, inputs, dynamic, sizes):
    return Net(name, FAMILY, make, inputs, dynamic=dynamic, sizes=sizes, mxnet=MXNET)


CONTROL = [
    symbol("mx2_foreach", scanned, {"data0": Input((4, 2, 8)), "data1": Input((2, 12)), "data2": Input((2, 12))}, STATES,
        [{"time": t, "batch": b} for t, b in ((7, 3), (1, 2), (5, 1))]),
    symbol("mx2_while_loop", iterated, {"data0": Input((3, 6)), "data1": Input((1,), draw=lambda r, s: r.uniform(2, 4, size=s))},
        {"data0": BATCH}, batches(2, 5, 1)),
    symbol("mx2_cond", branching, {"data0": Input((3, 6)), "data1": Input((1,), draw=signs)}, {"data0": BATCH}, batches(2, 5, 1)),
]

CODE = [
    net("mx2_indexing", indexing, {"data0": Input((4, 5, 5)), "data1": Input((3,), "int64", words(4)),
                                   "data2": Input((3,), "int64", words(5)), "data3": Input((4,), "bool", words(2))},
        {"data1": {0: "k"}, "data2": {0: "k"}}, [{"k": k} for k in (2, 6, 1)]),  # what a mask reads has its shape in the symbol
    net("mx2_interpolation", interpolation, {"data0": Input((1, 3, 6, 6)), "data1": Input((5,), "float64", lambda r, s: r.uniform(0, 6, size=s))},
        {"data0": {0: "batch", 2: "height"}, "data1": {0: "k"}},
        [{"batch": b, "height": h, "k": k} for b, h, k in ((2, 7, 3), (3, 5, 9), (1, 9, 1))]),
    net("mx2_statistics", statistics, {"data0": Input((5, 7)), "data1": Input((5, 7))}, {"data0": BATCH, "data1": BATCH},
        batches(3, 8, 2)),
    net("mx2_deformable", deformable, {"data": Input((1, 4, 9, 9))}, {"data": BATCH}, batches(2, 3, 5)),
    net("mx2_layers", layers, {"data": Input((1, 3, 8, 8))}, {"data": ANY},
        [{"batch": b, "height": h, "width": w} for b, h, w in ((2, 10, 8), (3, 8, 14), (1, 12, 12))], environment=NATIVE),
]

NETS = [vision(name) for name in VISION.split()] + ATTENTION + RECURRENT + CONTROL + CODE
