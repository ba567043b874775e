# SPDX-License-Identifier: Apache-2.0
"""How a numeric case is declared.

A file <group>.py in this folder holds a list CASES. It is read twice: by tests/oracle/record.py, which runs MXNet
and stores symbol and outputs, and by tests/numeric/test_ops.py, which converts and runs the result. It must
not import mxnet. MXNet is 1.9.1; a file of what only MXNet 2 has says ORACLE = "2.0.0b1".

    from . import aux, build, case, data, param

    CASES = [
        case("max_full", "Pooling", [data(2, 3, 9, 9)],
             dict(kernel=(3, 3), pool_type="max", pooling_convention="full")),
        case("fc", "FullyConnected", [data(2, 8), param(4, 8), param(4)], dict(num_hidden=4)),
        case("add", "broadcast_add", [data(2, 3, 4), data(2, 1, 4)], dynamic=[{0: "n", 2: "w"}, {0: "n", 2: "w"}]),
        case("same", "Pooling", [data(2, 3, 9, 9)], dict(...), error="pooling_convention"),
        build("twice", lambda mx: mx.sym.relu(mx.sym.Variable("x")) * 2, inputs={"x": data(2, 3)}),
    ]

Inputs are made again from a seed wherever they are needed (numpy.random.RandomState, whose streams are frozen), so
that only outputs are stored.
"""
import importlib
import json
import pkgutil
import zlib

import numpy as np

DEFAULT_OPSETS = (11, 13, 17, 21, 26)
FROM_12 = (12, 13, 17, 21, 26)  # Einsum and a Dropout that drops are not in opset 11


class Array:
    """One input of a case. `role` is "data" (a graph input), "param" or "aux" (both from the parameter file)."""

    def __init__(self, role, shape, dtype, values, low, high, kind):
        self.role, self.dtype, self.low, self.high, self.kind = role, dtype, low, high, kind
        self.values = None if values is None else np.asarray(values).astype(dtype)
        if self.values is not None and not shape:
            shape = self.values.shape
        self.shape = tuple(int(d) for d in shape)

    def make(self, seed, shape=None):
        """The array, at its own shape or at another one (a run with other sizes of the dynamic dims)."""
        shape = self.shape if shape is None else tuple(shape)
        if self.values is not None:
            return np.resize(self.values, shape).astype(self.dtype)
        rng = np.random.RandomState(zlib.crc32(seed.encode()) & 0x7FFFFFFF)
        if self.kind == "uniform":
            a = rng.uniform(self.low, self.high, size=shape)
        elif self.kind == "normal":
            a = rng.normal(size=shape)
        elif self.kind == "int":
            a = rng.randint(int(self.low), int(self.high) + 1, size=shape)
        elif self.kind == "distinct":  # a shuffled ramp: no two elements are equal, so that ties decide nothing
            n = int(np.prod(shape, dtype=np.int64))
            a = rng.permutation(n).reshape(shape) * ((self.high - self.low) / max(n, 1)) + self.low
        else:
            raise ValueError("kind=%r" % (self.kind,))
        return np.asarray(a).astype(self.dtype, order="C")

    def text(self):
        v = None if self.values is None else [self.values.tolist()]
        return [self.role, list(self.shape), str(self.dtype), v, self.low, self.high, self.kind]


def _array(role, shape, dtype, values, low, high, kind):
    if kind is None:
        kind = "uniform" if np.dtype(dtype).kind == "f" else "int"
    if low is None:
        low = {"f": -1.0, "i": -5, "u": 0, "b": 0}[np.dtype(dtype).kind]
    if high is None:
        high = {"f": 1.0, "i": 5, "u": 10, "b": 1}[np.dtype(dtype).kind]
    return Array(role, shape, dtype, values, low, high, kind)


def data(*shape, dtype="float32", values=None, low=None, high=None, kind=None):
    """A graph input. kind: "uniform" in [low, high), "normal", "int" in [low, high], "distinct" (no two elements
    equal). `values` (a list or array) is used as it is; at a run of another size it is repeated or cut."""
    return _array("data", shape, dtype, values, low, high, kind)


def param(*shape, dtype="float32", values=None, low=None, high=None, kind=None):
    """The same, stored in the parameter file."""
    return _array("param", shape, dtype, values, low, high, kind)


def aux(*shape, dtype="float32", values=None, low=None, high=None, kind=None):
    """The same, stored in the parameter file as an auxiliary state (BatchNorm's moving mean and variance)."""
    return _array("aux", shape, dtype, values, low, high, kind)


class Case:
    def __init__(self, name, op, make, inputs, attrs, options):
        self.name, self.op, self.make, self.inputs, self.attrs = name, op, make, inputs, attrs
        self.group = None  # set by load()
        self.drawn = None  # set by drawn.py: the declaration, which the recording keeps
        self.dynamic = _dynamic(inputs, options.pop("dynamic", "batch"))
        self.sizes = dict(options.pop("sizes", None) or {})
        self.outputs = options.pop("outputs", None)
        self.rtol = options.pop("rtol", None)
        self.atol = options.pop("atol", None)
        self.ties = options.pop("ties", 0)
        self.opsets = tuple(options.pop("opsets", DEFAULT_OPSETS))
        self.error = options.pop("error", None)
        self.dynamic_error = options.pop("dynamic_error", None)
        self.open_error = options.pop("open_error", None)
        self.check_only = options.pop("check_only", None)
        self.native = options.pop("native", False)
        self.np_shape = options.pop("np_shape", False)
        self.in_place = options.pop("in_place", False)
        self.imperative = options.pop("imperative", False)
        if options:
            raise TypeError("%s: unknown options %s" % (name, sorted(options)))
        unknown = set(self.sizes) - set(self.static_sizes())
        if unknown:
            raise ValueError("%s: sizes names %s, which no input has" % (name, sorted(unknown)))

    def static_sizes(self):
        """{dim name: size} at the declared shapes."""
        found = {}
        for name, dims in self.dynamic.items():
            for axis, dim in dims.items():
                size = self.inputs[name].shape[axis]
                if found.setdefault(dim, size) != size:
                    raise ValueError("%s: dim '%s' is %d and %d" % (self.name, dim, found[dim], size))
        return found

    def other_sizes(self):
        return {dim: self.sizes.get(dim, size + 1) for dim, size in self.static_sizes().items()}

    def runs(self):
        """The sizes of each run: the declared ones, then, for a case with dynamic dims, others."""
        return [self.static_sizes()] + ([self.other_sizes()] if self.dynamic and self.error is None
                                        and self.dynamic_error is None else [])

    def arrays(self, run=0):
        """{input name: array} of a run. Parameters are the same in all runs."""
        sizes = self.runs()[run]
        made = {}
        for i, (name, a) in enumerate(self.inputs.items()):
            shape = list(a.shape)
            for axis, dim in self.dynamic.get(name, {}).items():
                shape[axis] = sizes[dim]
            seed = "%s/%s/%d" % (self.group, self.name, i)
            made[name] = a.make(seed + ("/%d" % run if a.role == "data" and run else ""), shape)
        return made

    def digest(self):
        """Changes when the recording has to be made again."""
        text = json.dumps([self.name, self.op, sorted((k, repr(v)) for k, v in self.attrs.items()),
                           [(k, a.text()) for k, a in self.inputs.items()],
                           sorted((k, sorted(v.items())) for k, v in self.dynamic.items()), self.runs(),
                           self.native, self.np_shape] + ["in place"] * self.in_place + ["imperative"] * self.imperative,
                           sort_keys=True)
        return "%08x" % (zlib.crc32(text.encode()) & 0xFFFFFFFF)


def _dynamic(inputs, dynamic):
    """{data input: {axis: dim name}}."""
    names = [n for n, a in inputs.items() if a.role == "data"]
    if dynamic is None or not names:
        return {}
    if dynamic == "batch":
        ranked = [n for n in names if inputs[n].shape]
        if not ranked:
            return {}
        size = inputs[ranked[0]].shape[0]  # an input of another length (1: broadcast, rois) is not a batch
        return {n: {0: "batch"} for n in ranked if inputs[n].shape[0] == size}
    if isinstance(dynamic, dict):
        return {n: dict(d) for n, d in dynamic.items() if d}
    if len(dynamic) != len(names):
        raise ValueError("dynamic has %d entries for %d data inputs" % (len(dynamic), len(names)))
    return {n: dict(d) for n, d in zip(names, dynamic) if d}


def case(name, op, inputs, attrs=None, **options):
    """One operator. `op` is its path below mx.sym ("Pooling", "contrib.ROIAlign", "_internal._plus_scalar",
    "linalg.gemm2", "np.add"), `inputs` its inputs in order, `attrs` its attributes as Python values or as the strings
    of a symbol file. Options:

    dynamic   "batch" (default): axis 0 of the first data input, and of every other of the same length, is dynamic;
              None: static only; a list with one {axis: dim name} (or None) for each data input
    sizes     {dim name: size} of the second run; default the declared size + 1
    outputs   indices of the outputs to keep as graph outputs; default all visible ones
    rtol      bound of max|difference| / max|reference|; default by dtype (float32 1e-4, float16 1e-2, float64 1e-9)
    atol      absolute bound, added to it
    ties      share of the integers in an output that may be off by one (values half way between two; at least one)
    opsets    opsets to try; the newest one is always tried with the checker alone
    error     a text that the error of the conversion must contain: the case cannot be converted
    dynamic_error   the same for the conversion with dynamic dims, where the static one works
    open_error      the same for the conversion with dims that have no names
    check_only      a reason: ONNX Runtime has no kernel; only the checker looks at it
    native    True: recorded without oneDNN (where that is known to deviate from MXNet's own kernels)
    np_shape  True: recorded under NumPy shape semantics (zero-size and zero-rank arrays)
    in_place  True: recorded by calling the operator with its first input as its output
    imperative  True: recorded by calling the operator: an executor loses outputs whose size only the values say
    """
    role = {"data": "data", "param": "param", "aux": "aux"}
    named = {"%s%d" % (role[a.role], i): a for i, a in enumerate(inputs)}
    return Case(name, op, None, named, dict(attrs or {}), options)


def build(name, make, inputs, params=None, **options):
    """A graph of several nodes: `make` gets the mxnet module and returns the symbol (called only when recording).
    `inputs` and `params` say what its variables are ({name: data(...)}, {name: param(...) or aux(...)})."""
    named = dict(inputs)
    named.update(params or {})
    return Case(name, None, make, named, {}, options)


def groups():
    """The names of all case files."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def oracle(group):
    """The version of MXNet that a file is recorded with."""
    return getattr(importlib.import_module("%s.%s" % (__name__, group)), "ORACLE", "1.9.1")


def load(group):
    """The cases of one file."""
    cases = importlib.import_module("%s.%s" % (__name__, group)).CASES
    seen = set()
    for c in cases:
        if c.name in seen:
            raise ValueError("%s: two cases are called '%s'" % (group, c.name))
        seen.add(c.name)
        c.group = group
        c.static_sizes()
    return cases
