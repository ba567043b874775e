# SPDX-License-Identifier: Apache-2.0
"""How a net of the zoo is declared. A module in nets/ holds `NETS`, a list of these, and is a row in nets/__init__.py.

    def bert():
        import gluonnlp                             # only here: listing must not need MXNet
        ...
        return trace(block, "data0", "data1")       # or: symbol; or: (symbol, {parameter: NumPy array})

    NETS = [Net("bert_12_768_12", "nlp", bert, matrix="gluonnlp",
                inputs={"data0": Input((1, 16), draw=words(30522)), "data1": Input((1, 16), draw=words(2))},
                dynamic={"data0": {0: "batch", 1: "length"}, "data1": {0: "batch", 1: "length"}},
                sizes=[{"batch": 2, "length": 7}, {"batch": 1, "length": 32}, {"batch": 3, "length": 5}])]

Building happens in `make` alone, in a separate process where MXNet is; the modules are also read where it is not.
Parameters that `make` does not give are made by a rule (tests/numeric/weights.py): He-uniform weights, and for each
BatchNorm running statistics that fit what it really reads. Arguments that are neither parameters nor in `inputs` and
whose names end in "label" are labels, and so are those of `labels`: MXNet gets zeros, the converter nothing.
"""
import json
import zlib

BOUND = 1e-4  # max|difference| <= BOUND * max|reference|
MATRICES = {"gluoncv": "GluonCV 0.10", "gluonnlp": "GluonNLP 0.10"}


class Input:
    """An input at its static size. `draw(rng, shape)` gives its values (a numpy.random.RandomState); default: normal."""

    def __init__(self, shape, dtype="float32", draw=None):
        self.shape, self.dtype = tuple(shape), dtype
        self.draw = draw or (lambda rng, shape: rng.normal(size=shape))

    def array(self, rng, shape):
        import numpy as np
        return np.asarray(self.draw(rng, shape)).astype(self.dtype)


class Net:
    """A net. Only the first four are needed.

    make      () -> symbol, or (symbol, {name: array}) with some or all of its parameters
    inputs    {name: Input}
    matrix    the published support matrix that names it (a key of MATRICES), or None
    dynamic   {input: {axis: dim name}}
    sizes     three {dim name: size}, other than those of `inputs`
    compare   "elements"; "detections" for rows that are sets (of outputs of shape (batch, rows) or (batch, rows, n), side by
              side: first the class, -1 if there is none, then the score, then the rest); or a function (got, want) ->
              the greatest relative difference, given lists of arrays
    bound     greatest relative difference; another than BOUND needs a `reason`, which is printed in the table
    tune      f({name: array}): changes the parameters that the rule made, in place
    reference f(symbol) -> symbol that MXNet runs in its place, where MXNet's kernel leaves results undefined; needs a `reason`
    labels    {argument: f({input: shape}) -> shape} of labels that are called otherwise or whose shape MXNet does not find
    kept      numbers of the outputs that are left when what only training needs is gone; None: all
    options   further arguments of the command line
    mxnet     the version of MXNet that builds and runs it
    environment  {variable: text} for it
    pack      f(folder) -> file name: rearranges net-symbol.json and net-0000.params in the folder (an archive, a layout
              of another program) and names what the command line is given instead of them
    """

    def __init__(self, name, family, make, inputs, matrix=None, dynamic=None, sizes=(), compare="elements",
                 bound=BOUND, reason="", tune=None, reference=None, labels=None, kept=None, options=(),
                 pack=None, mxnet="1.9.1", environment=None):
        if (bound != BOUND or reference) and not reason:
            raise ValueError("%s: another bound or reference needs a reason" % name)
        if matrix is not None and matrix not in MATRICES:
            raise ValueError("%s: no matrix %s" % (name, matrix))
        if dynamic and len(sizes) != 3:
            raise ValueError("%s: three sizes are wanted" % name)
        self.name, self.family, self.make, self.inputs, self.matrix = name, family, make, inputs, matrix
        self.dynamic, self.sizes, self.compare = dynamic or {}, list(sizes), compare
        self.bound, self.reason, self.tune, self.reference = bound, reason, tune, reference
        self.options, self.pack, self.mxnet = tuple(options), pack, mxnet
        self.labels, self.kept, self.environment = labels or {}, kept, environment or {}

    def shapes(self, sizes=None):
        """{input: shape} at these sizes of the dynamic dims; without them the static ones."""
        def dim(name, axis, d):
            return d if sizes is None else sizes.get(self.dynamic.get(name, {}).get(axis), d)
        return {n: tuple(dim(n, axis, d) for axis, d in enumerate(i.shape)) for n, i in self.inputs.items()}

    def arrays(self, sizes=None, draw=0):
        """{input: array} at these sizes; another `draw` gives others."""
        import numpy as np
        seed = zlib.crc32(json.dumps([self.name, sizes, draw], sort_keys=True).encode()) & 0x7FFFFFFF
        rng, shapes = np.random.RandomState(seed), self.shapes(sizes)
        return {n: i.array(rng, shapes[n]) for n, i in self.inputs.items()}

    def label_shapes(self, sizes=None):
        return {n: tuple(shape(self.shapes(sizes))) for n, shape in self.labels.items()}


def words(count):
    """draw: integers below `count`."""
    return lambda rng, shape: rng.randint(0, count, size=shape)


def uniform(low, high):
    return lambda rng, shape: rng.uniform(low, high, size=shape)


def trace(block, *inputs):
    """(symbol, constants) of a Gluon block: what HybridBlock.export writes, without running it. An input is the name of
    a variable (default "data") or a list of such for a nested argument."""
    import mxnet as mx

    def variable(i):
        return [variable(n) for n in i] if isinstance(i, (list, tuple)) else mx.sym.Variable(i)
    out = block(*[variable(i) for i in inputs or ("data",)])
    return mx.sym.Group(flatten(out)) if isinstance(out, (list, tuple)) else out, constants(block)


def constants(block):
    import mxnet as mx
    return {n: p.value.asnumpy() for n, p in block.collect_params().items() if isinstance(p, mx.gluon.Constant)}


def flatten(nested):
    if isinstance(nested, (list, tuple)):
        return [x for n in nested for x in flatten(n)]
    return [nested]


def rewired(symbol, replacement):
    """The symbol in which the readers of a node i read the entry replacement(add, i, node) instead, unless that is None. New
    nodes come from add(operator, entries, attributes...)."""
    import mxnet as mx
    graph = json.loads(symbol.tojson())
    nodes, moved = graph["nodes"], {}

    def add(op, inputs, **attrs):
        nodes.append({"op": op, "name": "%s_%d" % (op, len(nodes)), "attrs": attrs, "inputs": inputs})
        return [len(nodes) - 1, 0, 0]

    own = list(nodes)
    for i, node in enumerate(own):
        entry = replacement(add, i, node)
        if entry:
            moved[i] = entry
    for node in own:
        node["inputs"] = [moved.get(e[0], e) for e in node["inputs"]]
    graph["heads"] = [moved.get(e[0], e) for e in graph["heads"]]
    graph.pop("node_row_ptr", None)
    return mx.sym.load_json(json.dumps(graph))
