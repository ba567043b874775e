# SPDX-License-Identifier: Apache-2.0
"""Random cases: recurrent layers, sequences of different lengths, ordering, positions, writing at indices."""
from . import NUMBERS, at_least, case, data, one, op, options, param, with_elements

ORDERED = ("float32", "float32", "float64", "int32", "int64", "uint8", "int8")


@op("RNN")
def rnn(r):
    mode, layers, ways = r.pick("lstm", "gru", "rnn_relu", "rnn_tanh"), r.int(1, 3), r.int(1, 2)
    time, batch, inputs, hidden = r.int(1, 6), r.int(1, 4), r.int(1, 5), r.int(1, 6)
    projected = r.int(1, 6) if mode == "lstm" and r.chance(.3) else None
    width, rows = projected or hidden, {"lstm": 4, "gru": 3}.get(mode, 1) * hidden
    size = sum(ways * (rows * ((inputs if i == 0 else ways * width) + width + 2) + (projected or 0) * hidden)
               for i in range(layers))
    attrs = dict(state_size=hidden, num_layers=layers, mode=mode)
    attrs.update(r.attrs(p=lambda: 0.3))
    attrs.update({"bidirectional": True} if ways == 2 else {})
    if projected:
        attrs["projection_size"] = projected
    if projected or r.chance():  # MXNet crashes on a projection without states
        attrs["state_outputs"] = True
    dtype = r.pick("float32", "float32", "float64")
    d = r.pick({}, {1: "n"}, {0: "t"}, {0: "t", 1: "n"})
    fed = r.chance(.2)
    states = [data(layers * ways, batch, w, dtype=dtype) for w in ([width, hidden] if mode == "lstm" else [width])]
    of_state = {a: n for a, n in d.items() if a == 1}
    vector = (data if fed else param)(size, dtype=dtype, low=-0.7, high=0.7)
    c = case("case", "RNN", [data(time, batch, inputs, dtype=dtype), vector] + states, attrs, rtol=1e-4,
             **options(r, d, *([{}] if fed else []), *[of_state for _ in states]))
    return at_least(c, {"t": 1})  # MXNet 1.9.1 refuses 0, 2.0.0b1 leaves the states unset


def sequence(r, name, axes, least, attrs=None):
    shape = r.shape(least, 4, most=4)
    axis = r.pick(*axes)
    batch, d = shape[1 - axis], r.dims(len(shape)) or {}
    attrs = dict(attrs or {})
    if axis or r.chance():
        attrs["axis"] = axis
    if r.chance(.2):
        return case("case", name, [data(*shape, dtype=r.pick(*NUMBERS))], attrs, **options(r, d))
    attrs["use_sequence_length"] = True
    low = 0 if name == "SequenceMask" else 1
    return case("case", name, [data(*shape, dtype=r.pick(*NUMBERS)),
                               data(batch, dtype=r.pick("float32", "int32", "int64"), kind="int", low=low,
                                    high=shape[axis] + (2 if name == "SequenceMask" else 0))],
                attrs, **options(r, d, {0: d[1 - axis]} if 1 - axis in d else {}))


@op("SequenceMask")
def sequence_mask(r):
    return sequence(r, "SequenceMask", (0, 1), 2, r.attrs(value=lambda: float(r.int(-3, 3))))


@op("SequenceLast")
def sequence_last(r):
    return at_least(sequence(r, "SequenceLast", (0, 1), 2))  # the lengths are within the declared ones


@op("SequenceReverse")
def sequence_reverse(r):
    return at_least(sequence(r, "SequenceReverse", (0,), 2))


def ordered(r, name, attrs, shape):
    flat = attrs.get("axis", -1) is None  # MXNet's sort is not stable beyond 16 elements
    dtype = r.pick(*(ORDERED[:5] if flat else ORDERED))
    kind = "distinct" if flat or (r.chance() and dtype not in ("int8", "uint8")) else "int"  # ties too
    return one(r, name, shape, attrs, dtype, kind=kind, low=0, high=3000 if kind == "distinct" else 6)


def axis_of(r, rank):
    return r.pick({}, {"axis": None}, {"axis": r.int(-rank, rank - 1)})


@op("topk")
def topk(r):
    shape = r.shape(1, 4, least=3)
    attrs = dict(axis_of(r, len(shape)), **r.attrs(
        k=lambda: r.int(0, 3), ret_typ=lambda: r.pick("value", "indices", "mask", "both"),
        is_ascend=lambda: r.chance(), dtype=lambda: r.pick("float32", "float64", "float16", "int32", "int64", "uint8")))
    return ordered(r, "topk", attrs, shape)


@op("sort")
def sort(r):
    shape = r.shape(1, 4)
    return ordered(r, "sort", dict(axis_of(r, len(shape)), **r.attrs(is_ascend=lambda: r.chance())), shape)


@op("argsort")
def argsort(r):
    shape = r.shape(1, 4)
    attrs = dict(axis_of(r, len(shape)), **r.attrs(
        is_ascend=lambda: r.chance(), dtype=lambda: r.pick("float32", "float64", "int32", "int64")))
    return ordered(r, "argsort", attrs, shape)


@op("arange_like")
def arange_like(r):
    shape = r.shape(1, 4)
    attrs = dict(axis_of(r, len(shape)), **r.attrs(start=lambda: r.real(-3, 3), step=lambda: r.pick(-1.5, .25, 2.0, 1.0),
                                                   repeat=lambda: r.int(1, 3)))
    return one(r, "contrib.arange_like", shape, attrs, r.pick(*NUMBERS))


@op("index_array")
def index_array(r):
    shape = r.shape(1, 4)
    axes = r.attrs(axes=lambda: r.tuple(r.int(1, 3), -len(shape), len(shape) - 1))
    return one(r, "contrib.index_array", shape, axes)


@op("cumsum")
def cumsum(r):
    shape = r.shape(1, 4)
    attrs = r.attrs(axis=lambda: r.int(0, len(shape) - 1), dtype=lambda: r.pick("float32", "float64", "int32", "int64"))
    dtype = r.pick(*NUMBERS)
    return one(r, "cumsum", shape, attrs, dtype, kind="int", low=0 if dtype == "uint8" else -4, high=4)


@op("boolean_mask")
def boolean_mask(r):
    shape = r.shape(1, 3, least=2)
    d = r.dims(len(shape)) or {}
    mask = [r.int(-1, 1) for _ in range(shape[0])]
    if r.nothing:
        raise ValueError("nothing")
    mask[0] = 1  # an empty result is none in MXNet's legacy shapes; under NumPy's its executor loses the size
    return with_elements(case("case", "contrib.boolean_mask", [data(*shape, dtype=r.pick(*NUMBERS)), data(values=mask)],
                              **options(r, d, {0: d[0]} if 0 in d else {})))


@op("index_copy")
def index_copy(r):
    shape = r.shape(1, 3, least=2)
    rows = [int(i) for i in r.rng.permutation(shape[0])[:r.int(1, shape[0])]]
    dtype, d = r.pick(*NUMBERS), {a: n for a, n in (r.dims(len(shape)) or {}).items() if a > 0}
    return case("case", "contrib.index_copy", [data(*shape, dtype=dtype), data(values=rows, dtype=r.pick(
        "float32", "int32", "int64")), data(len(rows), *shape[1:], dtype=dtype)], **options(r, d, {}, d))


@op("scatter_nd")
def scatter_nd(r):
    shape = r.shape(1, 3)
    m = r.int(1, len(shape))
    cells = 1
    for s in shape[:m]:
        cells *= s
    chosen = r.rng.permutation(cells)[:r.int(1, cells)]  # no cell twice: which one stays is not defined
    index = []
    for s in reversed(shape[:m]):
        index.insert(0, [int(i) for i in chosen % s])
        chosen = chosen // s
    return case("case", "scatter_nd", [data(len(index[0]), *shape[m:], dtype=r.pick(*NUMBERS)),
                                       data(values=index, dtype=r.pick("float32", "int32", "int64"))],
                dict(shape=shape), **options(r, {}, {}))


@op("unravel_index")
def unravel_index(r):
    shape = r.shape(1, 4)
    return one(r, "unravel_index", (r.int(1, 6),), dict(shape=shape), r.pick("float32", "int32", "int64"), kind="int",
               low=0, high=100)


@op("ravel_multi_index")
def ravel_multi_index(r):
    shape = r.shape(1, 4)
    return one(r, "ravel_multi_index", (len(shape), r.int(1, 5)), dict(shape=shape), r.pick("float32", "int32", "int64"),
               axes=(1,), kind="int", low=0, high=4)


@op("histogram")
def histogram(r):
    dtype, bins = r.pick("float32", "float64", "int32"), r.int(1, 6)
    low = r.int(-4, 0) if dtype == "int32" else r.real(-2, 1)
    width = bins * r.int(1, 2) if dtype == "int32" else r.real(0.1, 3)
    return one(r, "_internal._histogram", r.shape(1, 3), dict(bin_cnt=bins, range=(low, low + width)), dtype)


@op("khatri_rao")
def khatri_rao(r):
    n, columns = r.int(1, 3), r.int(1, 4)
    sizes = [r.int(1, 4) for _ in range(n)]
    return case("case", "khatri_rao", [data(s, columns) for s in sizes], dict(num_args=n),
                **options(r, *[r.pick({}, {0: "d%d" % i}) for i in range(n)]))
