"""Small files that try to cost much, converted one by one with time and peak memory measured, against lib/LIMITS.md's rule:

    memory   64 MiB + 64 n + 1 KiB a node          n: bytes of the files; a node: of ONNX, written; above the program itself
    time     1 s + 10 s a GB written + 1 s for 100,000 nodes

    python3 tests/fuzz/attack.py build/examples/mx2onnx [--quick] [WORD...]

Each line is a file: what it tries, its size, what it cost, and whether it was converted or refused with which status. Exit 1 if one
breaks the rule, ends by a signal, or ends in another way than it should: a file that is refused before it reaches what it aims at
tries nothing. REFUSED names the files that a limit or the format forbids, with the reason; all others convert. --quick: the files that take a moment, and
no look at the time, for the test suite.
"""
import argparse
import io
import itertools
import json
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

MIB = 1 << 20
PROCESS = 10 * MIB  # code, libraries, the table of operators (5 MiB for a model of one node), and the unfilled ends of blocks


# ---- files

class Graph:
    """A symbol in the making; node() gives the number to read it by."""

    def __init__(self):
        self.nodes = []
        self.attrs = {"mxnet_version": ["int", 10901]}

    def node(self, op, inputs=(), name=None, **attrs):
        edges = [e if isinstance(e, list) else [e, 0, 0] for e in inputs]
        entry = {"op": op, "name": name if name is not None else "n%d" % len(self.nodes), "inputs": edges}
        if attrs:
            entry["attrs"] = {k: str(v) for k, v in attrs.items()}
        self.nodes.append(entry)
        return len(self.nodes) - 1

    def data(self, name="data"):
        return self.node("null", name=name)

    def text(self, *heads):
        heads = [h if isinstance(h, list) else [h, 0, 0] for h in heads or [len(self.nodes) - 1]]
        args = [i for i, n in enumerate(self.nodes) if n["op"] == "null"]
        return json.dumps({"nodes": self.nodes, "arg_nodes": args, "heads": heads,
                           "attrs": self.attrs}, separators=(",", ":")).encode()


def params(arrays):
    """An NDArray list of float32 zeros: {name: dims}."""
    out = [struct.pack("<QQQ", 0x112, 0, len(arrays))]
    for dims in arrays.values():
        count = 1
        for d in dims:
            count *= d
        out.append(struct.pack("<IiI", 0xF993FAC9, 0, len(dims)) + b"".join(struct.pack("<q", d) for d in dims)
                   + struct.pack("<iii", 1, 0, 0) + b"\1\2\3\4" * count)
    out.append(struct.pack("<Q", len(arrays)))
    for name in arrays:
        out.append(struct.pack("<Q", len(name) + 4) + b"arg:" + name.encode())
    return b"".join(out)


def sparse(rows, columns):
    """A row_sparse array of that shape with one stored row."""
    head = struct.pack("<IiI", 0xF993FAC9, 1, 2) + struct.pack("<qq", 1, columns) + struct.pack("<I", 2) + struct.pack("<qq", rows, columns)
    head += struct.pack("<iii", 1, 0, 0) + struct.pack("<i", 6) + struct.pack("<I", 1) + struct.pack("<q", 1)
    return (struct.pack("<QQQ", 0x112, 0, 1) + head + b"\0" * (4 * columns) + struct.pack("<q", 0)
            + struct.pack("<QQ", 1, 5) + b"arg:w")


def npz_overlapping(entries, size):
    """A zip whose directory names one deflated member many times."""
    header = b"\x93NUMPY\x01\x00v\x00" + ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % (size // 4)).ljust(117).encode() + b"\n"
    raw = header + b"\0" * size
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(raw) + packer.flush()
    fixed = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, zlib.crc32(raw), len(packed), len(raw), 7, 0)
    out = io.BytesIO()
    out.write(b"PK\3\4" + fixed + b"a00.npy" + packed)
    start = out.tell()
    for i in range(entries):
        name = ("%07d" % i).encode()
        out.write(b"PK\1\2" + struct.pack("<H", 20) + fixed[:-4] + struct.pack("<HHHHHII", 7, 0, 0, 0, 0, 0, 0) + name)
    length = out.tell() - start
    out.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, min(entries, 65535), min(entries, 65535), length, start, 0))
    return out.getvalue()


def zipped(members, level=9):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as z:
        for name, data in members.items():
            z.writestr(name, data)
    return out.getvalue()


# ---- attacks: name -> (files, arguments); the first file is the model

ATTACKS = {}


def attack(name, quick=True):
    def add(make):
        ATTACKS[name] = (make, quick)
        return make
    return add


def one_operator(label, op, quick=True, shape=None, **attrs):
    """A node alone, or of one input of that shape."""
    def make():
        g = Graph()
        g.node(op, [g.data()] if shape else [], **attrs)
        return {"m-symbol.json": g.text()}, ["--input", "data=" + shape] if shape else []
    ATTACKS[label] = (make, quick)


def many(label, op, count, quick=True, shape=None, change=None, **attrs):
    """Nodes of one kind side by side, each read by the model's outputs; `change` is counted up so that none is another's."""
    def make():
        g = Graph()
        x = [g.data()] if shape else []
        heads = []
        for i in range(count):
            own = dict(attrs)
            if change:
                own[change] = attrs[change] + i
            heads.append(g.node(op, x, **own))
        return {"m-symbol.json": g.text(*heads)}, ["--input", "data=" + shape] if shape else []
    ATTACKS[label] = (make, quick)


def chain(label, op, count, source=None, quick=True, shape="2x3", inputs=1, **attrs):
    def make():
        g = Graph()
        x = source(g) if source else g.data()
        for _ in range(count):
            x = g.node(op, [x] * inputs, **attrs)
        return {"m-symbol.json": g.text()}, [] if source else ["--input", "data=" + shape]
    ATTACKS[label] = (make, quick)


def arange(n):
    return lambda g: g.node("_arange", start=0, stop=n)


for side in (256, 60):
    for depth in (3, 6):
        def make(side=side, depth=depth):
            g = Graph()
            w, v = g.data("w"), g.data("v")
            x = w
            for _ in range(depth):
                x = g.node("dot", [x, v])
            return {"m-symbol.json": g.text(), "m-0000.params": params({"w": (side, side), "v": (side, side)})}, []
        ATTACKS["D1 dot of dots of constants, %d of %d" % (depth, side)] = (make, side == 60)

one_operator("D2 eye of 8,000", "_eye", False, N=8000)
many("D2 eight eyes of 10,000", "_eye", 8, False, N=10000, k=0, change="k")
many("D2 eight eyes of 12,000", "_eye", 8, False, N=12000, k=0, change="k")
many("D2 600 ranges of a million", "_arange", 600, False, start=0, stop=1000000, change="start")
many("D2 2,000 ranges of 4,096", "_arange", 2000, True, start=0, stop=4096, change="start")
many("D2 2,000 ranges of 8,000", "_arange", 2000, True, start=0, stop=8000, change="start")
chain("D2 20 nested Concats of a constant", "Concat", 20, arange(4096), inputs=2, num_args=2, dim=0)
chain("D2 12 nested Concats of a long constant", "Concat", 12, arange(1000000), True, inputs=2, num_args=2, dim=0)


@attack("D2 300 chained Casts of a constant")
def casts():
    g = Graph()
    x = g.node("_arange", start=0, stop=1000000)
    for i in range(300):
        x = g.node("Cast", [x], dtype="float16" if i % 2 else "float32")
    return {"m-symbol.json": g.text()}, []


one_operator("D2 tri of a million", "_npi_tri", N=1000000, M=1000000, k=0)
one_operator("D2 a few tril_indices of 2^31 rows", "_npi_tril_indices", n=2147483647, m=1, k=-2147483000)
many("D2 200 tril_indices of 2^31 rows", "_npi_tril_indices", 200, n=2147483647, m=1, k=-2147483000)
many("D2 1,000 slices of nothing deleted", "_npi_delete", 1000, shape="4000000", start=0, stop=0, step=1, axis=0)
one_operator("D2 eye of 2^40", "_eye", N=1 << 40)
one_operator("D2 hanning of 2^26", "_npi_hanning", False, M=1 << 26)
one_operator("D2 hanning of 2^22", "_npi_hanning", M=1 << 22)
one_operator("D2 slice_assign_scalar", "_slice_assign_scalar", False, shape="30000000", begin="(1,)", end="(29999999,)", scalar=1)
one_operator("D2 slice_assign_scalar of a matrix", "_slice_assign_scalar", shape="20000x20000", begin="(1,1)", end="(9999,9999)", scalar=1)
one_operator("D2 MultiBoxPrior", "_contrib_MultiBoxPrior", False, shape="1x3x2000x2000", sizes="(0.5,0.4,0.3,0.2)", ratios="(1,2,3,4,5)")
one_operator("D2 MultiBoxPrior, small", "_contrib_MultiBoxPrior", shape="1x3x400x400", sizes="(0.5,0.4,0.3,0.2)", ratios="(1,2,3,4,5)")
one_operator("D2 logspace", "_npi_logspace", False, start=0, stop=1, num=1 << 26)
one_operator("D2 indices", "_npi_indices", False, dimensions="(4000,4000)")
one_operator("D2 linspace", "_linspace", start=0, stop=1, num=1 << 20)
one_operator("D2 tri, small", "_npi_tri", N=1000, M=1000, k=0)
one_operator("D2 slice_assign_scalar, small", "_slice_assign_scalar", shape="3000000", begin="(1,)", end="(2999999,)", scalar=1)
one_operator("D2 maketrian, small", "_linalg_maketrian", shape="500500")
one_operator("D2 tri", "_npi_tri", False, N=8000, M=8000, k=0)
one_operator("D2 maketrian", "_linalg_maketrian", False, shape="8386560")
one_operator("D2 extracttrian", "_linalg_extracttrian", False, shape="4096x4096")
one_operator("D2 tile", "tile", shape="2x2", reps="(100000,100000)")
one_operator("D2 repeat", "repeat", shape="60000", repeats=1000000)
one_operator("D2 one_hot", "one_hot", shape="1000", depth=100000000)
one_operator("D2 Pad of a reflection", "_npi_pad", shape="1000000", pad_width="((999999,999999),)", mode="reflect")
one_operator("D2 histogram", "_histogram", shape="10", bin_cnt=1048576, range="(0,1)")
one_operator("D2 diag", "diag", shape="100000x100000")
one_operator("D2 im2col of 40 x 40", "im2col", shape="1x3x64x64", kernel="(40,40)")
one_operator("D2 im2col of 2,000 x 2,000", "im2col", shape="1x3x2048x2048", kernel="(2000,2000)")
one_operator("D2 col2im of 300 x 300", "col2im", shape="1x90000x1", kernel="(300,300)", output_size="(300,300)")
one_operator("D2 AdaptiveAvgPooling", "_contrib_AdaptiveAvgPooling2D", False, shape="1x1x4001x4001", output_size="(4000,4000)")
one_operator("D2 GridGenerator", "GridGenerator", False, shape="1x6", transform_type="affine", target_shape="(10000,10000)")
one_operator("D2 GridGenerator of 30,000", "GridGenerator", shape="1x6", transform_type="affine", target_shape="(30000,30000)")
one_operator("D2 BilinearResize2D", "_contrib_BilinearResize2D", shape="1x1x2x2", scale_height=16000, scale_width=16000)
one_operator("D2 split into 100,000", "SliceChannel", shape="1x100000", num_outputs=100000, axis=1)


@attack("D2 full of 10^10")
def full():
    g = Graph()
    g.node("_full", value=1.5, shape="(100000,100000)")
    return {"m-symbol.json": g.text()}, []


one_operator("D2 a number with 4 MB of blanks after it", "sum", shape="2x3", axis="0" + " " * (4 * MIB))


@attack("D2 split into 60,000")
def parts():
    g = Graph()
    g.node("SliceChannel", [g.data()], num_outputs=60000, axis=1)
    return {"m-symbol.json": g.text(*[[1, i, 0] for i in range(60000)])}, ["--input", "data=1x60000"]


for deep in (1000, 20000):
    def layers(deep=deep):
        g = Graph()
        g.node("RNN", [g.data(), g.data("w"), g.data("s")], state_size=1, num_layers=deep, mode="gru")
        arrays = {"w": (21 + 12 * (deep - 1),), "s": (deep, 3, 1)}
        return {"m-symbol.json": g.text(), "m-0000.params": params(arrays)}, ["--input", "data=2x3x4"]
    ATTACKS["D2 RNN of %d layers" % deep] = (layers, deep == 1000)


for far in (10, 10000):
    def correlation(far=far):
        g = Graph()
        g.node("Correlation", [g.data(), g.data("other")], max_displacement=far, pad_size=far)
        return {"m-symbol.json": g.text()}, ["--input", "data=1x1x10x10", "--input", "other=1x1x10x10"]
    ATTACKS["D2 Correlation over %d" % far] = (correlation, True)

for side in (100, 1000):
    def proposal(side=side):
        g = Graph()
        g.node("_contrib_Proposal", [g.data(), g.data("boxes"), g.data("info")], scales="(%s)" % ("1," * side), ratios="(%s)" % ("1," * side))
        anchors = side * side
        return {"m-symbol.json": g.text()}, ["--input", "data=1x%dx4x4" % (2 * anchors), "--input", "boxes=1x%dx4x4" % (4 * anchors),
                                             "--input", "info=1x3"]
    ATTACKS["D2 Proposal of %d anchors" % (side * side)] = (proposal, True)


@attack("D3 16,000 heads of one name")
def heads():
    g = Graph()
    x = g.data()
    return {"m-symbol.json": g.text(*[g.node("relu", [x], name="same") for _ in range(16000)])}, ["--input", "data=2"]


@attack("D3 60,000 heads that are one node")
def heads_of_one():
    g = Graph()
    x = g.node("relu", [g.data()])
    return {"m-symbol.json": g.text(*[x] * 60000)}, ["--input", "data=2"]


@attack("D3 20,000 heads that are renamed")
def heads_renamed():
    g = Graph()
    x = g.data()
    heads = [g.node("_plus_scalar", [x], name="h%d" % i, scalar=i) for i in range(20000)]
    return ({"m-symbol.json": g.text(*heads)},
            ["--input", "data=2", *itertools.chain.from_iterable(("--rename", "h%d=o%d" % (i, i)) for i in range(20000))])


@attack("D3 20,000 names that are numbered already")
def numbered():
    g = Graph()
    x = g.data()
    for i in range(20000):
        x = g.node("relu", [x], name="same_%d" % i if i % 2 else "same")
    return {"m-symbol.json": g.text()}, ["--input", "data=2"]


@attack("D3 10,000 nodes without a name")
def nameless():
    g = Graph()
    x = g.data()
    for _ in range(10000):
        x = g.node("relu", [x], name="")
    return {"m-symbol.json": g.text()}, ["--input", "data=2"]


@attack("D4 .npz of 10,000 entries that are one member")
def overlapping():
    g = Graph()
    return ({"m-symbol.json": g.text(g.node("relu", [g.data()])), "m.npz": npz_overlapping(10000, MIB)}, ["m.npz", "--input", "data=2"])


@attack("D4 a member that expands 1,000 times")
def bomb():
    g = Graph()
    g.node("relu", [g.data()])
    return {"m.zip": zipped({"m-symbol.json": g.text(), "m-0000.params": b"\0" * (300 * MIB)})}, []


@attack("D5 a symbol with 200 MB of blanks, deflated")
def blanks():
    g = Graph()
    g.node("relu", [g.data()])
    return {"m.zip": zipped({"m-symbol.json": g.text() + b" " * (200 * MIB)})}, []


@attack("D5 a symbol with 20 MB of blanks")
def plain_blanks():
    g = Graph()
    g.node("relu", [g.data()])
    return {"m-symbol.json": b"{" + b" " * (20 * MIB) + g.text()[1:]}, ["--input", "data=2"]


@attack("D6 2,000 reductions of one constant")
def reductions():
    g = Graph()
    w = g.data("w")
    r = [g.node("sum", [w], axis=i % 2) for i in range(2000)]
    return {"m-symbol.json": g.text(*r), "m-0000.params": params({"w": (360, 360)})}, []


@attack("D7 10,000 Mul by channel")
def muls():
    g = Graph()
    x = g.node("Convolution", [g.data(), g.data("w")], kernel="(1,1)", num_filter=64, no_bias="True")
    arrays = {"w": (64, 64, 1, 1)}
    for i in range(10000):
        x = g.node("broadcast_mul", [x, g.data("s%d" % i)])
        arrays["s%d" % i] = (1, 64, 1, 1)
    return {"m-symbol.json": g.text(), "m-0000.params": params(arrays)}, ["--input", "data=1x64x4x4"]


@attack("D7 10,000 Mul by the same 8,192 channels")
def wide_muls():
    g = Graph()
    x, w = g.data(), g.data("w")
    for _ in range(10000):
        x = g.node("broadcast_mul", [x, w])
    return {"m-symbol.json": g.text(), "m-0000.params": params({"w": (1, 8192, 1, 1)})}, ["--input", "data=1x8192x2x2"]


@attack("D7 20,000 take")
def takes():
    g = Graph()
    x, index = g.data(), g.node("_arange", start=0, stop=3)
    for _ in range(20000):
        x = g.node("take", [x, index])
    return {"m-symbol.json": g.text()}, ["--input", "data=3x2"]


many("D7 50,000 slices of one value", "slice_axis", 50000, shape="50000x2", change="begin", axis=0, begin=0, end=None)


@attack("D7 5,000 attention masks")
def masks():
    """Of one width; each is of other scores."""
    g = Graph()
    x, dilation, length = g.data(), g.data("dilation"), g.data("length")
    heads = [g.node("_contrib_sldwin_atten_mask_like", [g.node("_plus_scalar", [x], scalar=i), dilation, length], w=1, symmetric=True)
             for i in range(5000)]
    return {"m-symbol.json": g.text(*heads)}, ["--input", "data=2x8x2x3", "--input", "dilation=2", "--input", "length=2"]


@attack("sparse: one row of a billion")
def one_row():
    g = Graph()
    g.node("relu", [g.data("w")])
    return {"m-symbol.json": g.text(), "m-0000.params": sparse(1 << 30, 2)}, []


@attack("params: a count of 2^24 arrays")
def count():
    g = Graph()
    g.node("relu", [g.data("w")])
    return {"m-symbol.json": g.text(), "m-0000.params": struct.pack("<QQQ", 0x112, 0, 1 << 24)}, []


@attack("params: 20,000 empty arrays")
def empty_arrays():
    g = Graph()
    g.node("relu", [g.data()])
    return {"m-symbol.json": g.text(), "m-0000.params": params({"p%d" % i: (0,) for i in range(20000)})}, ["--input", "data=2"]


JSON = {
    "json: 2 MB of [": lambda: b'{"nodes":' + b"[" * (2 * MIB),
    "json: 3 MB of empty arrays": lambda: b'{"nodes":[' + b"[]," * MIB + b"[]]}",
    "json: 3 MB of empty objects": lambda: b'{"nodes":[' + b"{}," * MIB + b"{}]}",
    "json: 3 MB of numbers": lambda: b'{"nodes":[' + b"0," * (3 * MIB // 2) + b"0]}",
    "json: a text of 8 MB": lambda: b'{"nodes":[{"op":"null","name":"' + b"x" * (8 * MIB) + b'","inputs":[]}],"arg_nodes":[0],"heads":[[0,0,0]]}',
    "json: 300,000 keys of a node": lambda: b'{"nodes":[{"op":"null","name":"x","inputs":[],"attrs":{'
    + b",".join(b'"k%d":"1"' % i for i in range(300000)) + b'}}],"arg_nodes":[0],"heads":[[0,0,0]]}',
}
for label, text in JSON.items():
    ATTACKS[label] = (lambda text=text: ({"m-symbol.json": text()}, ["--input", "2"]), True)

@attack("json: a gigabyte for 12 MB of {}")
def empty_objects():
    return {"m-symbol.json": b'{"nodes":[[' + b"{}," * (4 * MIB) + b"0]]}"}, []


@attack("json: outputs that are 4 million arrays")
def empty_arrays_as_heads():
    return {"m-symbol.json": b'{"heads":[' + b"[]," * (4 * MIB) + b"0]}"}, []


chain("nodes: a chain of 20,000", "relu", 20000)


@attack("nodes: a chain of 20,000 with a loss, each an output")
def chain_with_loss():
    g = Graph()
    heads = [g.data()]
    for _ in range(20000):
        heads.append(g.node("relu", [heads[-1]]))
    return {"m-symbol.json": g.text(*heads[1:], g.node("MakeLoss", [heads[-1]]))}, ["--input", "data=2"]


@attack("nodes: 20,000 Concats of the one before and the input")
def concats():
    g = Graph()
    x = data = g.data()
    for _ in range(20000):
        x = g.node("Concat", [x, data], num_args=2, dim=1)
    return {"m-symbol.json": g.text()}, ["--input", "data=2x3"]


chain("nodes: 60 times its own double", "elemwise_add", 60, inputs=2)
chain("nodes: 20,000 transposes", "transpose", 20000)
chain("nodes: 5,000 sums of a range", "_plus_scalar", 5000, arange(4096), scalar=1)
chain("nodes: 300 sums of a long range", "_plus_scalar", 300, arange(100000), scalar=1)
chain("nodes: 3,000 slices of a range", "slice_axis", 3000, arange(1000000), axis=0, begin=1, end="None")
chain("nodes: 2,000 reversals of a range", "reverse", 2000, arange(4096), axis=0)


@attack("nodes: one reads 50,000")
def wide():
    g = Graph()
    x = g.data()
    g.node("add_n", [g.node("relu", [x]) for _ in range(50000)], num_args=50000)
    return {"m-symbol.json": g.text()}, ["--input", "data=2"]


@attack("nodes: a node with 30,000 attributes, kept")
def attributes():
    g = Graph()
    x = g.data()
    g.node("elemwise_add", [g.node("nobody_knows", [x], **{"k%d" % i: i for i in range(30000)}), x])
    return {"m-symbol.json": g.text()}, ["--input", "data=2", "--keep-unknown=my.domain"]


@attack("nodes: an attribute of 4 MB")
def long_attribute():
    g = Graph()
    g.node("transpose", [g.data()], axes="(" + "0," * (2 * MIB) + ")")
    return {"m-symbol.json": g.text()}, ["--input", "data=2"]


@attack("nodes: einsum of 2,000 operands")
def einsum():
    g = Graph()
    x = g.data()
    g.node("_npi_einsum", [x] * 2000, num_args=2000, subscripts=",".join(["ij"] * 2000) + "->ij")
    return {"m-symbol.json": g.text()}, ["--input", "data=2x2"]


def nest(depth):
    inner = Graph()
    inner.node("relu", [inner.data()])
    text = json.loads(inner.text())
    for _ in range(depth):
        outer = Graph()
        outer.node("_foreach", [outer.data()], num_args=2, num_outputs=1, num_out_data=1, in_data_locs="(0,)", in_state_locs="()",
                   remain_locs="()")
        whole = json.loads(outer.text())
        whole["nodes"][-1]["subgraphs"] = [text]
        text = whole
    return {"m-symbol.json": json.dumps(text).encode()}, ["--input", "data=2"]


for depth in (15, 60):
    ATTACKS["subgraphs: %d in one another" % depth] = (lambda depth=depth: nest(depth), True)

# ---- lists as long as the file

@attack("D5 a symbol of 25 MB, deflated to 1.3 MB")
def unpacked():
    g = Graph()
    x = g.data()
    for _ in range(500000):
        x = g.node("relu", [x], name="n")
    return {"m.zip": zipped({"m-symbol.json": g.text(), "m-0000.params": params({})})}, ["--input", "data=2"]


@attack("D5 a symbol of 19 MB, deflated to 2 MB")
def unpacked_variables():
    g = Graph()
    g.data()
    for _ in range(500000):
        g.node("null", name="")
    return {"m.zip": zipped({"m-symbol.json": g.text(*range(1, 500000)), "m-0000.params": params({})})}, ["--input", "data=2"]


def nodes_with(count, **attrs):
    def make():
        g = Graph()
        x = g.data()
        for i in range(count):
            x = g.node("Activation", [x], act_type="relu", **{k: i for k in attrs})
        return {"m-symbol.json": g.text()}, ["--input", "data=2"]
    return make


ATTACKS["lists: 100,000 nodes with 5 notes"] = (nodes_with(100000, __a__=1, __b__=1, __c__=1, __d__=1, __e__=1), False)
ATTACKS["lists: 10,000 nodes with 5 unknown attributes"] = (nodes_with(10000, a=1, b=1, c=1, d=1, e=1), True)


@attack("lists: a node with 100,000 notes")
def notes():
    g = Graph()
    g.node("Pooling", [g.data()], kernel="(1,1)", **{"__k%d__" % i: i for i in range(100000)})
    return {"m-symbol.json": g.text()}, ["--input", "data=1x1x2x2"]


@attack("lists: a node with 100,000 unknown attributes")
def unknown_attributes():
    g = Graph()
    g.node("Pooling", [g.data()], kernel="(1,1)", **{"k%d" % i: i for i in range(100000)})
    return {"m-symbol.json": g.text()}, ["--input", "data=1x1x2x2"]


@attack("lists: a name of a megabyte in a thousand messages")
def long_name():
    g = Graph()
    g.node("Pooling", [g.data()], name="n" * MIB, kernel="(1,1)", **{"k%d" % i: i for i in range(1000)})
    return {"m-symbol.json": g.text()}, ["--input", "data=1x1x2x2"]


@attack("lists: a node that hints at each of its 20,000 inputs")
def hints():
    g = Graph()
    inputs = [g.data("v%d" % i) for i in range(20000)]
    g.node("add_n", inputs, num_args=20000, **{"args%d_%s" % (i, k): 1 for i in range(20000) for k in ("lr_mult", "force_mirroring")})
    return {"m-symbol.json": g.text()}, ["--input", "v0=2"]


@attack("lists: 50,000 nodes that hint at one variable of 50,000 attributes", False)
def hints_at_one():
    g = Graph()
    x, w = g.data(), g.node("null", name="w", __lr_mult__=1, **{"k%d" % i: i for i in range(50000)})
    for _ in range(50000):
        x = g.node("broadcast_add", [x, w], rhs_lr_mult=1)
    return {"m-symbol.json": g.text()}, ["--input", "data=2", "--input", "w=2"]


@attack("lists: 100,000 heads", False)
def many_heads():
    g = Graph()
    x = g.data()
    return {"m-symbol.json": g.text(*[g.node("_plus_scalar", [x], scalar=i) for i in range(100000)])}, ["--input", "data=2"]


@attack("lists: 100,000 attributes of the file itself")
def file_attributes():
    g = Graph()
    g.node("relu", [g.data()])
    g.attrs.update({"key%d" % i: ["int", i] for i in range(100000)})
    return {"m-symbol.json": g.text()}, ["--input", "data=2"]


@attack("lists: 100,000 arrays with one prefix")
def arrays_with_prefix():
    g = Graph()
    g.node("relu", [g.data()])
    return ({"m-symbol.json": g.text(), "m-0000.params": params({"net0_p%d" % i: (1,) for i in range(100000)})},
            ["--input", "data=2", "--prefix", "net0_"])


@attack("lists: 50,000 weights that are there under a prefix")
def missing_prefix():
    g = Graph()
    x = g.data()
    for i in range(50000):
        x = g.node("FullyConnected", [x, g.data("w%d" % i)], num_hidden=1, no_bias="True")
    return ({"m-symbol.json": g.text(), "m-0000.params": params({"net0_w%d" % i: (1, 1) for i in range(50000)})},
            ["--input", "data=1x1"])


@attack("lists: 50,000 inputs with shapes in a file next to the symbol")
def shapes_next_to_the_symbol():
    g = Graph()
    names = ["v%d" % i for i in range(50000)]
    g.node("add_n", [g.data(n) for n in names], num_args=50000)
    shapes = json.dumps([{"name": n, "shape": [1, 2]} for n in reversed(names)]).encode()
    return {"m.zip": zipped({"m-symbol.json": g.text(), "m-0000.params": params({}), "m-shapes.json": shapes}, 1)}, []


@attack("lists: 50,000 inputs without a shape")
def no_shapes():
    g = Graph()
    return {"m-symbol.json": g.text(*[g.node("relu", [g.data("i%d" % i)]) for i in range(50000)])}, []


@attack("lists: 50,000 inputs with open dims")
def open_dims():
    g = Graph()
    return {"m-symbol.json": g.text(*[g.node("relu", [g.node("null", name="i%d" % i, __shape__="(0,0,3)")]) for i in range(50000)])}, []


@attack("lists: shapes that depend on each other in 20,000 inputs")
def to_and_fro():
    g = Graph()
    count = 20000
    inputs = [g.data("v%d" % i) for i in range(count)]
    order = sorted(range(count - 1), key=lambda i: i * 7919 % count)
    return ({"m-symbol.json": g.text(*[g.node("elemwise_add", [inputs[i], inputs[i + 1]]) for i in order])},
            ["--input", "v%d=2x3" % (count // 2)])


@attack("lists: one Concat of 1,000 open sizes")
def open_sum():
    g = Graph()
    g.node("Concat", [g.node("null", name="i%d" % i, __shape__="(0,3)") for i in range(1000)], num_args=1000, dim=0)
    return {"m-symbol.json": g.text()}, []


for words in ([], ["--float16"]):
    def multicast(words=words):
        g = Graph()
        g.node("amp_multicast", [g.data()] * 40000, num_outputs=40000)
        return {"m-symbol.json": g.text()}, ["--input", "data=2x2", *words]
    ATTACKS[" ".join(["lists: amp_multicast of 40,000 inputs", *words])] = (multicast, True)


@attack("lists: 16,000 members of a zip that are not models")
def members():
    g = Graph()
    g.node("relu", [g.data()])
    files = {"d/f%d.txt" % i: b"" for i in range(16000)}
    return {"m.zip": zipped({**files, "m-symbol.json": g.text(), "m-0000.params": params({})}, 1)}, ["--input", "data=2"]


@attack("lists: 20,000 loops that read one value")
def loops():
    inner = Graph()
    x, c = inner.data("x"), inner.data("c")
    inner.node("elemwise_add", [x, inner.node("sqrt", [c])])
    body = json.loads(inner.text())
    g = Graph()
    x, c = g.data(), g.data("c")
    for _ in range(20000):
        x = g.node("_foreach", [x, c], num_args=3, num_outputs=1, num_out_data=1, in_data_locs="(0,)", in_state_locs="()",
                   remain_locs="(1,)")
        g.nodes[x]["subgraphs"] = [body]
    return {"m-symbol.json": g.text()}, ["--input", "data=2x3", "--input", "c=3"]


def fnv(text, start=2166136261):
    h = start
    for c in text:
        h = (h ^ ord(c)) * 16777619 & 0xFFFFFFFF
    return h


@attack("lists: 16,384 names with one hash under FNV-1a")
def colliding():
    letters, names, state = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", [""], 2166136261
    for _ in range(14):  # two pieces that lead from one state to one other, and so on: every choice of pieces ends in one hash
        seen, i = {}, 0
        while True:
            piece = "".join(letters[i // 62 ** k % 62] for k in range(4))
            h = fnv(piece, state)
            if h in seen:
                names, state = [n + p for n in names for p in (seen[h], piece)], h
                break
            seen[h] = piece
            i += 1
    g = Graph()
    x = g.data()
    return {"m-symbol.json": g.text(*[g.node("relu", [x], name=n) for n in names])}, ["--input", "data=2"]


# ---- archives that make the reader work for what is not read

def small_model():
    g = Graph()
    g.node("relu", [g.data()])
    return g.text()


def tar_header(name, size, kind=b"0"):
    """ustar; the kind of an entry: 0 a file, 1 a hard link, 5 a folder, L the next one's name, x its attributes."""
    h = bytearray(512)
    h[0:len(name)], h[100:107], h[108:124], h[124:135] = name, b"0000644", b"0000000\0" * 2, b"%011o" % size
    h[136:147], h[148:156], h[156:157], h[257:265] = b"0" * 11, b" " * 8, kind, b"ustar\00000"
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h)


def tar_entry(name, data, kind=b"0"):
    return tar_header(name, len(data), kind) + data + b"\0" * (-len(data) % 512)


def packed(pieces):
    """gzip of the pieces, with the model after them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = [packer.compress(p) for p in pieces]
    return b"".join(out) + packer.compress(tar_entry(b"m-symbol.json", small_model()) + b"\0" * 1024) + packer.flush()


def tarred(label, pieces, quick=True):
    ATTACKS[label] = (lambda: ({"m.tar.gz": packed(pieces())}, ["--input", "data=2"]), quick)


def long_names(length, count):
    return lambda: (tar_entry(b"././@LongLink", b"a" * length + b"\0", b"L") + tar_entry(b"x", b"") for _ in range(count))


tarred("D8 a tar of 300 names of a megabyte", long_names(1000000, 300))
tarred("D8 a tar of 100 names of 4,095 bytes", long_names(4095, 100))
tarred("D8 a tar of 50,000 files that are JSON", lambda: (tar_entry(b"d/%060d.json" % i, b"{}") for i in range(50000)))
tarred("D8 a tar of 100,000 folders", lambda: (tar_entry(b"x", b"", b"5") for _ in range(100000)))
tarred("D8 a tar of a million folders", lambda: (tar_entry(b"x", b"", b"5") * 1000 for _ in range(1000)), False)
tarred("D8 a tar with a hard link of a gigabyte",
       lambda: [tar_entry(b"pax", b"30 path=xxxxxxxxxxxxxxxxxxxxx\n", b"x"), tar_header(b"x", 1 << 30, b"1")] + [b"\0" * MIB] * 1024)
ATTACKS["D8 a tar of 200,000 streams of gzip"] = (
    lambda: ({"m.tar.gz": zlib.compress(b"", 9, 31) * 200000 + packed([])}, ["--input", "data=2"]), True)


def colliding_names(pairs):
    """Names with one value of Bernstein's hash, h * 33 + c, which libzip has."""
    return ["".join(p) for p in itertools.product(("Ez", "FY"), repeat=pairs)]


for power in (13, 16):
    def collide(power=power):
        return {"m.zip": zipped({**{n: b"" for n in colliding_names(power)}, "m-symbol.json": small_model()}, 1)}, ["--input", "data=2"]
    ATTACKS["D8 a zip of %s names with one hash in libzip" % format(1 << power, ",")] = (collide, True)


@attack("D8 a zip that ends 1,000 times")
def ends():
    return {"m.zip": zipped({"m-symbol.json": small_model()}) + (b"PK\5\6" + b"\0" * 18) * 1000}, ["--input", "data=2"]


# ---- arrays that are put in another order

def npy(descr, fortran, shape, data):
    head = ("{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }" % (descr, fortran, ",".join(map(str, shape)))).encode()
    head += b" " * (63 - (len(head) + 10) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + data


def reordered(label, quick=True, **arrays):
    def make():
        return {"m-symbol.json": small_model(), "m.npz": zipped({n + ".npy": a() for n, a in arrays.items()})}, ["m.npz", "--input", "data=2"]
    ATTACKS["D10 " + label] = (make, quick)


reordered("a vector of 25 MB with 32 axes in Fortran order", w=lambda: npy("|i1", True, [25000000] + [1] * 31, bytes(25000000)))
reordered("a matrix of 25 MB in Fortran order", w=lambda: npy("|i1", True, [5000, 5000], bytes(25000000)))
reordered("25 MB of big-endian numbers", w=lambda: npy(">f8", False, [3125000], bytes(25000000)))
reordered("25 MB that are neither true nor false", w=lambda: npy("|b1", False, [25000000], b"\2" * 25000000))
reordered("a matrix of 60 MB in Fortran order", w=lambda: npy("|i1", True, [8000, 7500], bytes(60000000)))
reordered("a million rows that are one", **{
    "s/" + n: a for n, a in {
        "data": lambda: npy("<f4", False, [1000000, 1], bytes(4000000)), "indices": lambda: npy("<i8", False, [1000000], bytes(8000000)),
        "shape": lambda: npy("<i8", False, [2], struct.pack("<qq", 10, 1)), "format": lambda: npy("|S10", False, [], b"row_sparse")}.items()})
reordered("a million values of one row", **{
    "s/" + n: a for n, a in {
        "data": lambda: npy("<f4", False, [1000000], bytes(4000000)), "indices": lambda: npy("<i8", False, [1000000], bytes(8000000)),
        "indptr": lambda: npy("<i8", False, [2], struct.pack("<qq", 0, 1000000)),
        "shape": lambda: npy("<i8", False, [2], struct.pack("<qq", 1, 10)), "format": lambda: npy("|S3", False, [], b"csr")}.items()})


# ---- catalogues

def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def varints(*numbers):
    return b"".join(map(varint, numbers))


def catalogue(classes, attrs=0, text=b"x"):
    """Nets that are a relu of a parameter w of two values, one for each number of classes; the operator has that many attributes, of
    `text` each. lib/catalogue/README.md has the format."""
    strings = [b"net", b"", b"w", b"relu", text]
    graph = varints(2, 0, 0, 0, 0, 1, 2, 0, 0, 1, 2, 0, 2, 0, 1, 3, 1, 4, 1, 4, 0)
    out = b"MXNETS1\n" + varint(len(strings)) + b"".join(varint(len(s)) + s for s in strings)
    out += varints(1, 3, attrs) + varint(4) * (2 * attrs) + varint(0)
    out += varints(1, 1, 4) + varints(1, 1, 1, 0, len(graph)) + graph
    out += varint(len(classes)) + b"".join(varints(0, 1, 1, 1, 0, n, 0, 0, 0, 0) for n in classes)
    return {"m.params": params({"w": (2,)}), "c.zip": zipped({"nets": out})}, ["--catalogue", "c.zip"]


ATTACKS["D9 a net with an attribute of 8 MB"] = (lambda: catalogue([0], 4, b"x" * MIB), True)
ATTACKS["D9 a net with 4,000 attributes of 200 KB"] = (lambda: catalogue([0], 4000, b"x" * 100000), True)
ATTACKS["D9 200,000 nets that fit"] = (lambda: catalogue(range(1, 200001)), True)
ATTACKS["D9 100,000 nets that fit, and are one"] = (lambda: catalogue([0] * 100000), True)


# What must be refused, with which status and why; the numbers are those of lib/LIMITS.md. All else must convert.
REFUSED = {
    "D2 eight eyes of 12,000": ("TOO_LARGE", "8 x 12,000^2 x 4 bytes are 4.6 GB; 4 GiB of output are allowed"),
    "D2 tri of a million": ("TOO_LARGE", "10^12 elements of 4 bytes; 4 GiB of output are allowed"),
    "D2 eye of 2^40": ("TOO_LARGE", "2^80 elements; 2^40 are the most"),
    "D2 GridGenerator of 30,000": ("TOO_LARGE", "the grid is 2 x 30,000^2 x 4 bytes, 7.2 GB; 4 GiB of output are allowed"),
    "D2 20 nested Concats of a constant": ("TOO_LARGE", "2^20 x 4096 elements of 4 bytes are 17 GB; 4 GiB of output are allowed"),
    "D2 12 nested Concats of a long constant": ("TOO_LARGE", "2^12 x 10^6 elements of 4 bytes are 16 GB; 4 GiB of output are allowed"),
    "D2 im2col of 2,000 x 2,000": ("TOO_LARGE", "a window covers 4,000,000 cells; 4096 are the most"),
    "D2 col2im of 300 x 300": ("TOO_LARGE", "a window covers 90,000 cells; 4096 are the most"),
    "D2 split into 100,000": ("TOO_LARGE", "a node has 100,000 outputs; 65,536 are the most"),
    "D2 Proposal of 1000000 anchors": ("TOO_LARGE", "3 million inputs and outputs of channels are sliced, each a constant: over 64 MiB"),
    "D2 RNN of 20000 layers": ("TOO_LARGE", "1024 are the most"),
    "D2 Correlation over 10000": ("TOO_LARGE", "20,001^2 displacements; 4096 are the most"),
    "lists: 10,000 nodes with 5 unknown attributes": ("UNSUPPORTED", "MXNet refuses them"),
    "lists: a node with 100,000 unknown attributes": ("UNSUPPORTED", "MXNet refuses them"),
    "lists: a name of a megabyte in a thousand messages": ("UNSUPPORTED", "MXNet refuses the attributes"),
    "D4 .npz of 10,000 entries that are one member": ("FORMAT", "members of an archive do not overlap"),
    "D4 a member that expands 1,000 times": ("TOO_LARGE", "300 MiB out of 300 KB; 64 MiB + 64 x 300 KB are allowed"),
    "D5 a symbol with 200 MB of blanks, deflated": ("TOO_LARGE", "200 MiB out of 200 KB; 64 MiB + 64 x 200 KB are allowed"),
    "D5 a symbol of 25 MB, deflated to 1.3 MB": ("TOO_LARGE", "500,000 nodes take more than the 64 MiB + 64 x 1.3 MB that are allowed"),
    "D5 a symbol of 19 MB, deflated to 2 MB": ("TOO_LARGE", "500,000 nodes take 200 MiB; 64 MiB + 64 x 2 MB are allowed"),
    "D8 a tar of 300 names of a megabyte": ("FORMAT", "a name has 4095 bytes at most"),
    "D8 a tar of a million folders": ("TOO_LARGE", "512 MB of headers out of 1.5 MB; 64 MiB + 64 x 1.5 MB are allowed"),
    "D8 a tar with a hard link of a gigabyte": ("TOO_LARGE", "1 GiB out of 1 MB, passed over; 64 MiB + 64 x 1 MB are allowed"),
    "D8 a zip of 65,536 names with one hash in libzip": ("TOO_LARGE", "16,384 members are the most"),
    "D8 a zip that ends 1,000 times": ("FORMAT", "16 are the most"),
    "D10 a matrix of 60 MB in Fortran order": ("TOO_LARGE", "60 MB unpacked, and 60 MB in order, out of 60 KB; 64 MiB + 64 x 60 KB are allowed"),
    "D9 a net with 4,000 attributes of 200 KB": ("TOO_LARGE", "the symbol would have 800 MB; 16 MiB are the most"),
    "D9 200,000 nets that fit": ("INVALID_ARGUMENT", "each has another number of classes"),
    "sparse: one row of a billion": ("TOO_LARGE", "2^30 x 2 elements become dense, 8 GiB; 64 MiB + 64 x 304 bytes are allowed"),
    "params: a count of 2^24 arrays": ("FORMAT", "the file ends after the count"),
    "json: 2 MB of [": ("FORMAT", "JSON that nests deeper than jansson reads, 2048, is not a symbol"),
    "json: 3 MB of empty arrays": ("FORMAT", "a node is an object"),
    "json: 3 MB of empty objects": ("FORMAT", "a node has a name"),
    "json: 3 MB of numbers": ("FORMAT", "a node is an object"),
    "json: a gigabyte for 12 MB of {}": ("TOO_LARGE", "4 Mi objects of 240 bytes are 960 MiB; 64 MiB + 64 x 12 MiB are allowed"),
    "json: outputs that are 4 million arrays": ("FORMAT", "there are no nodes"),
    "D2 a number with 4 MB of blanks after it": ("TOO_LARGE", "the text of an attribute has 256 KiB at most"),
    "nodes: an attribute of 4 MB": ("TOO_LARGE", "the text of an attribute has 256 KiB at most"),
    "subgraphs: 60 in one another": ("TOO_LARGE", "16 are the most"),
    "lists: 50,000 weights that are there under a prefix": ("MISSING_PARAMETER", "no array has the name that the symbol asks for"),
    "lists: 50,000 inputs without a shape": ("SHAPE", "nothing determines the ranks of the inputs"),
    "lists: shapes that depend on each other in 20,000 inputs": ("TOO_LARGE", "about 10,000 looks at the graph are needed; 64 + 2^20 / 40,000 are the most"),
}


# ---- the run

def write_files(make, folder):
    """In a separate process: what the child has at its start counts as its peak, so this one stays small."""
    child = os.fork()
    if child == 0:
        files, arguments = make()
        for name, data in files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        with open(os.path.join(folder, "arguments"), "w", encoding="utf-8") as f:
            json.dump([list(files), arguments], f)
        os._exit(0)
    os.waitpid(child, 0)
    with open(os.path.join(folder, "arguments"), encoding="utf-8") as f:
        return json.load(f)


def convert(tool, make, folder):
    files, arguments = write_files(make, folder)
    with open(os.path.join(folder, "log"), "w+b") as log:
        start = time.monotonic()
        command = [files[0], *arguments, "-o", "out.onnx"]
        child = subprocess.Popen([tool, *command], cwd=folder, stdout=log, stderr=log,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (30, 30)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        seconds = time.monotonic() - start
        log.seek(max(0, log.tell() - (1 << 20)))  # the report's last lines have the number of nodes
        text = log.read().decode("utf-8", "replace")
    out = [os.path.join(folder, "out.onnx" + e) for e in ("", ".data")]
    written = sum(os.path.getsize(f) for f in out if os.path.exists(f))
    found = (re.findall(r"([\d,]+) nodes?\b", text) or [None])[-1]
    return {"status": status, "command": command, "seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss * 1024,
            "written": written, "nodes": int(found.replace(",", "")) if found and written else 0,
            "text": text, "bytes": sum(os.path.getsize(os.path.join(folder, f)) for f in files)}


def breaches(r, timed):
    memory = PROCESS + 64 * MIB + 64 * r["bytes"] + 1024 * r["nodes"]
    seconds = 1 + 10 * r["written"] / 1e9 + r["nodes"] / 1e5
    if os.WIFSIGNALED(r["status"]):
        yield "signal %d" % os.WTERMSIG(r["status"])
    if r["memory"] > memory:
        yield "memory %.0f of %.0f MiB" % (r["memory"] / MIB, memory / MIB)
    if timed and r["cpu"] > seconds:
        yield "time %.1f of %.1f s" % (r["cpu"], seconds)


def status_of(r, tool, folder, command):
    """"converted", or the status that the report names."""
    if r["status"] == 0:
        return "converted"
    if os.WIFSIGNALED(r["status"]):
        return "ended by a signal"
    p = subprocess.run([tool, *command, "--json"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found = [d["status"] for d in json.loads(p.stdout or b"{}").get("diagnostics", []) if d["severity"] == "error"]
    return found[-1] if found else "no status"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--quick", action="store_true")
    o = parser.parse_args()
    tool, broken, count = os.path.abspath(o.tool), 0, 0
    for label, (make, quick) in ATTACKS.items():
        if (o.quick and not quick) or (o.words and not any(w in label for w in o.words)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            r = convert(tool, make, folder)
            end = status_of(r, tool, folder, r["command"])
        found = list(breaches(r, not o.quick))
        wanted, why = REFUSED.get(label, ("converted", "no limit forbids it"))
        if end != wanted:
            found.append("it should be %s: %s" % (wanted, why))
        count += 1
        broken += bool(found)
        print("%-46s %9d B %7.2f s %6.0f MiB %8d nodes %8.1f MB  %s%s%s" % (
            label[:46], r["bytes"], r["cpu"], r["memory"] / MIB, r["nodes"], r["written"] / 1e6,
            "BREAKS THE RULE: " + ", ".join(found) + "; " if found else "", end,
            "" if end == "converted" else ": " + (re.search(r"error: (.*)", r["text"]) or re.search(r"(.*)", r["text"])).group(1)[:60]), flush=True)
    print("%d files, %d break the rule" % (count, broken))
    return 1 if broken or not count else 0


if __name__ == "__main__":
    sys.exit(main())
