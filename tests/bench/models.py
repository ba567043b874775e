"""Models of any size for the benchmarks: symbol files of four shapes, and parameter files.

    python3 tests/bench/models.py SHAPE NODES PREFIX     PREFIX-symbol.json, PREFIX-0000.params; prints the input's shape

`chain`: one operator after another. `fan`: many readers of the pieces of one input, and operators that read them all.
`constants`: readers with their own constants. `resnet`: ResNet-50, for which the number is not used. `rnn`: LSTM cells unrolled over a long sequence, as mx.rnn writes them.
Files are written node by node: a million of them fit.
"""
import array
import json
import os
import random as rng
import struct
import sys

UNARY = ("sin", "tanh", "sigmoid", "erf")
BLOCK = 1 << 20
SPLIT = 10000  # outputs of one SliceChannel


class Graph:
    """A symbol file under construction; a node is known by its number, an output by (node, index)."""

    def __init__(self, file):
        self.file = file
        self.count = 0
        self.variables = []
        self.file.write('{"nodes": [')

    def variable(self, name):
        self.variables.append(self.count)
        return self.node("null", name)

    def node(self, op, name, inputs=(), **attrs):
        node = {"op": op, "name": name, "inputs": [[i, 0, 0] if isinstance(i, int) else list(i) + [0] for i in inputs]}
        if attrs:
            node["attrs"] = {k: str(v) for k, v in attrs.items()}
        self.file.write(("," if self.count else "") + "\n" + json.dumps(node))
        self.count += 1
        return self.count - 1

    def finish(self, head):
        self.file.write('],\n"arg_nodes": %s,\n"heads": [[%d, 0, 0]],\n"attrs": {"mxnet_version": ["int", 10901]}}\n'
                        % (self.variables, head))


def chain(g, nodes):
    x = g.variable("data")
    for i in range(nodes - 1):
        x = g.node(UNARY[i % 4], "op%d" % i, [x])
    g.finish(x)
    return (1, 16), {}


def pieces(g, count, axis):
    """The input in `count` pieces along the axis."""
    data, found = g.variable("data"), []
    for first in range(0, count, SPLIT):
        some = min(SPLIT, count - first)
        part = g.node("slice_axis", "part%d" % first, [data], axis=axis, begin=first, end=first + some)
        split = g.node("SliceChannel", "split%d" % first, [part], num_outputs=some, axis=axis, squeeze_axis=True)
        found += [(split, k) for k in range(some)]
    return found


def fan(g, nodes):
    """Half of the readers are added, half are joined. No two of them are alike: they would be written once."""
    count = (nodes - 8) // 4
    inputs = pieces(g, count, 0)
    readers = [g.node(op, "%s%d" % (op, i), [x]) for i, x in enumerate(inputs) for op in UNARY]
    half = len(readers) // 2
    added = g.node("add_n", "sum", readers[:half], num_args=half)
    joined = g.node("Concat", "join", readers[half:], num_args=len(readers) - half, dim=0)
    mean = g.node("mean", "mean", [joined], axis="(0,)", keepdims=True)
    g.finish(g.node("broadcast_add", "out", [added, mean]))
    return (count, 16), {}


def constants(g, nodes):
    """Half of the readers have their own factor, half the bounds of a slice: each becomes one or more initialisers."""
    count = (nodes - 4) // 2
    data = g.variable("data")
    scaled = [g.node("_mul_scalar", "scaled%d" % i, [data], scalar=i + 0.5) for i in range(count)]
    rows = [g.node("slice_axis", "row%d" % i, [data], axis=0, begin=i, end=i + 1) for i in range(count)]
    added = g.node("add_n", "sum", scaled, num_args=count)
    joined = g.node("Concat", "join", rows, num_args=count, dim=0)
    g.finish(g.node("broadcast_add", "out", [added, joined]))
    return (count, 16), {}


def rnn(g, nodes):
    width, each = 16, 13
    steps = max(1, (nodes - 8) // each)
    x = pieces(g, steps, 1)
    shapes = {"lstm_i2h_weight": (4 * width, width), "lstm_i2h_bias": (4 * width,),
              "lstm_h2h_weight": (4 * width, width), "lstm_h2h_bias": (4 * width,)}
    weights = [g.variable(name) for name in shapes]
    h = g.node("_zeros", "begin_h", shape="(1, %d)" % width)
    c = g.node("_zeros", "begin_c", shape="(1, %d)" % width)
    for t in range(steps):
        p = "lstm_t%d_" % t
        i2h = g.node("FullyConnected", p + "i2h", [x[t]] + weights[:2], num_hidden=4 * width)
        h2h = g.node("FullyConnected", p + "h2h", [h] + weights[2:], num_hidden=4 * width)
        gates = g.node("SliceChannel", p + "slice", [g.node("elemwise_add", p + "plus", [i2h, h2h])], num_outputs=4)
        i, f, o = (g.node("Activation", p + name, [(gates, k)], act_type="sigmoid")
                   for name, k in (("i", 0), ("f", 1), ("o", 3)))
        new = g.node("Activation", p + "c", [(gates, 2)], act_type="tanh")
        c = g.node("elemwise_add", p + "state",
                   [g.node("elemwise_mul", p + "keep", [f, c]), g.node("elemwise_mul", p + "add", [i, new])])
        h = g.node("elemwise_mul", p + "out", [o, g.node("Activation", p + "squash", [c], act_type="tanh")])
    g.finish(h)
    return (1, steps, width), shapes


def scales(g, count):
    """A chain of products, each with its own variable."""
    x = g.variable("data")
    for i in range(count):
        x = g.node("broadcast_mul", "scale%d" % i, [x, g.variable("factor%d" % i)])
    g.finish(x)
    return (1, 16), {"factor%d" % i: (1,) for i in range(count)}


def mlp(g, layers, width=4096, flatten=True):
    """Fully connected layers, each of width * width weights, which are written transposed if they do not flatten."""
    x = g.variable("data")
    for i in range(layers):
        x = g.node("FullyConnected", "fc%d" % i, [x, g.variable("fc%d_weight" % i)], num_hidden=width, no_bias=True,
                   flatten=flatten)
    g.finish(x)
    return (1, width) if flatten else (1, 2, width), {"fc%d_weight" % i: (width, width) for i in range(layers)}


def resnet(g, _):
    """ResNet-50's layers and weights: bottlenecks in four stages."""
    shapes = {}

    def conv(name, x, channels, out, kernel, stride=1, act=True):
        shapes[name + "_weight"] = (out, channels, kernel, kernel)
        x = g.node("Convolution", name, [x, g.variable(name + "_weight")], num_filter=out, kernel=(kernel, kernel),
                   stride=(stride, stride), pad=(kernel // 2, kernel // 2), no_bias=True)
        parts = [name + "_" + part for part in ("gamma", "beta", "mean", "var")]
        shapes.update((part, (out,)) for part in parts)
        x = g.node("BatchNorm", name + "_bn", [x] + [g.variable(part) for part in parts], fix_gamma=False)
        return g.node("Activation", name + "_relu", [x], act_type="relu") if act else x

    x = conv("conv0", g.variable("data"), 3, 64, 7, 2)
    x = g.node("Pooling", "pool0", [x], kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
    channels = 64
    for stage, (count, width) in enumerate(zip((3, 4, 6, 3), (64, 128, 256, 512))):
        for i in range(count):
            name, stride = "stage%d_block%d_" % (stage, i), 2 if stage and i == 0 else 1
            short = x if i else conv(name + "short", x, channels, 4 * width, 1, stride, False)
            x = conv(name + "a", x, channels, width, 1, stride)
            x = conv(name + "c", conv(name + "b", x, width, width, 3), width, 4 * width, 1, 1, False)
            x = g.node("Activation", name + "relu", [g.node("elemwise_add", name + "add", [x, short])], act_type="relu")
            channels = 4 * width
    x = g.node("Flatten", "flat", [g.node("Pooling", "pool1", [x], kernel=(7, 7), global_pool=True, pool_type="avg")])
    shapes.update({"fc_weight": (1000, channels), "fc_bias": (1000,)})
    g.finish(g.node("FullyConnected", "fc", [x, g.variable("fc_weight"), g.variable("fc_bias")], num_hidden=1000))
    return (1, 3, 224, 224), shapes


def weights():
    """A block of numbers as weights are; random bits would be NaN and denormal at times, which slows arithmetic down."""
    draw = rng.Random(1)
    return array.array("f", (draw.gauss(0, 0.02) for _ in range(BLOCK // 4))).tobytes()


def write_params(path, shapes, random=True):
    """An NDArray list of float32 arrays, as MXNet 1.9 saves it; not random: holes in the file, which read as zeros."""
    block = weights() if random else b""
    ones = array.array("f", [1.0]).tobytes() * (BLOCK // 4)
    with open(path, "wb") as f:
        f.write(struct.pack("<QQQ", 0x112, 0, len(shapes)))
        for name, shape in shapes.items():
            f.write(struct.pack("<IiI%dqiIi" % len(shape), 0xF993FAC9, 0, len(shape), *shape, 1, 0, 0))
            size = 4
            for dim in shape:
                size *= dim
            if not random:
                f.seek(size, os.SEEK_CUR)
                continue
            positive = name.endswith("_var")
            for at in range(0, size, BLOCK):
                f.write((ones if positive else block)[:size - at])
        f.write(struct.pack("<Q", len(shapes)))
        for name in shapes:
            text = ("arg:" + name).encode()
            f.write(struct.pack("<Q", len(text)) + text)


def write(make, size, prefix, random=True):
    """Both files; their paths and the shape of the input `data`."""
    symbol, params = prefix + "-symbol.json", prefix + "-0000.params"
    with open(symbol, "w") as f:
        shape, shapes = make(Graph(f), size)
    write_params(params, shapes, random)
    return symbol, params, shape


if __name__ == "__main__":
    shapes_of = {"chain": chain, "fan": fan, "constants": constants, "rnn": rnn, "mlp": mlp, "resnet": resnet}
    made = write(shapes_of[sys.argv[1]], int(sys.argv[2]), sys.argv[3])
    print("x".join(map(str, made[2])))
