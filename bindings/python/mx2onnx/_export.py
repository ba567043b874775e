"""The functions of mxnet.onnx, with their signature and meaning (MXNet 1.9, python/mxnet/onnx/mx2onnx)."""

from __future__ import annotations

import contextlib
import logging
import os
from numbers import Integral
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from . import _arguments as arguments
from ._arrays import dtype_name
from ._custom import Operators, operators_of
from ._library import lib
from ._model import Model, Progress, _text
from ._types import Numbers, Params, Shapes, Symbolic, Types

_FLOAT32: Any = "float32"
try:
    from numpy import float32

    _FLOAT32 = float32
except ImportError:
    pass

FilePath = TypeVar("FilePath", str, "os.PathLike[str]")
_log = logging.getLogger("mx2onnx")


def targets() -> Dict[str, str]:
    """The programs for which files can be written, as `target`: a dict of their names to a sentence about each."""
    return {lib.target_name(i).decode(): lib.target_text(i).decode() for i in range(lib.target_count())}


_FEATURES = {"zip": 1, "tar": 2, "catalogue": 3}  # MX2ONNX_FEATURE_...


def library_version() -> str:
    """The version of the library that is loaded, "1.2.3"."""
    return _text(lib.version())


def version_number() -> int:
    """The version of the library as a number to compare: 1002003 is 1.2.3."""
    number: int = lib.version_number()
    return number


def opset_range() -> Tuple[int, int]:
    """The oldest and the newest opset that the library writes."""
    return lib.opset_min(), lib.opset_max()


def opset_default() -> int:
    """The opset that the library writes by default."""
    number: int = lib.opset_default()
    return number


def has_feature(name: str) -> bool:
    """Whether the library was built with "zip" (.zip, .mar, .model, .npz), "tar" (.tar, .tar.gz) or "catalogue" (published
    models)."""
    return name in _FEATURES and bool(lib.has_feature(_FEATURES[name]))


class KnownOperator(NamedTuple):
    name: str
    aliases: Tuple[str, ...]
    opset: int  #: the first in which it can be written
    status: str  #: how far it is converted: "full", "partial" (some nodes are refused), "differs", "random" or "training only"
    refuses: Tuple[str, ...]  #: which of its nodes are not converted, and result in an error: a line for each kind
    differs: Tuple[str, ...]  #: where its results may differ from MXNet's, and why: a line for each case


def known_operators() -> List[KnownOperator]:
    """The MXNet operators that the library knows."""
    return [
        KnownOperator(
            _text(lib.known_operator_name(i)),
            tuple(_text(lib.known_operator_aliases(i)).split()),
            lib.known_operator_opset(i),
            _text(lib.known_operator_status(i)),
            tuple(_text(lib.known_operator_refuses(i)).splitlines()),
            tuple(_text(lib.known_operator_differs(i)).splitlines()),
        )
        for i in range(lib.known_operator_count())
    ]


def _check_opset(opset: int) -> None:
    low, high = opset_range()
    if not low <= arguments.int64(opset, "opset_version") <= high:
        raise ValueError("opset_version is a number from %d to %d, or None for the default, not %r" % (low, high, opset))


def get_operator_support(opset_version: Optional[int] = None) -> List[str]:
    """The MXNet operators, by all their names, that can be written in an opset (default: the newest)."""
    names = set()
    if opset_version is not None:
        _check_opset(opset_version)
    for operator in known_operators():
        if opset_version is None or operator.opset <= opset_version:
            names.update([operator.name, *operator.aliases])
    return sorted(names)


class _Names:
    """What a list of shapes or types may stand for. mxnet.onnx takes an entry for every variable that has no value, in the
    order of list_inputs(); labels, and weights that are to be loaded still, may be left out."""

    def __init__(self, model: Model) -> None:
        self.inputs = [value.name for value in model.inputs]
        variables = model.variables
        self.unbound = [v.name for v in variables]
        read = {v.name for v in variables if v.kind != "unused"}
        self.without_labels = [name for name in self.unbound if name in read]

    def match(self, values: Any, what: str) -> Dict[str, Any]:
        """A list, or a dict by name, as a dict."""
        shapes = what.endswith("shapes")
        such_as = "a list of shapes, such as [(1, 3, 224, 224)]" if shapes else "a list of types, such as ['float32']"
        if isinstance(values, (str, bytes)):
            raise ValueError("%s is %s, not a text: %r" % (what, such_as, values))
        if not hasattr(values, "__iter__"):
            raise TypeError("%s is %s, or a dict by name, not %s" % (what, such_as, arguments.shown(values)))
        found = self._by_name(values, what)
        if not found and self.inputs:
            raise ValueError("%s is empty, but the model has %s: %s; give each, or leave %s out" % (
                what, _counted(len(self.inputs), "input"), ", ".join(self.inputs), what))
        for name, shape in found.items() if shapes else ():
            if isinstance(shape, (str, bytes)) or not hasattr(shape, "__iter__") or getattr(shape, "ndim", 1) != 1:
                raise TypeError("%s has %s for '%s', not a shape such as (1, 3, 224, 224)" % (what, arguments.shown(shape), name))
        return {name: tuple(shape) for name, shape in found.items()} if shapes else found

    def only(self, what: str) -> str:
        if len(self.inputs) != 1:
            raise ValueError("%s must name its inputs, because the model has %s: %s" % (
                what, _counted(len(self.inputs), "input"), ", ".join(self.inputs)))
        return self.inputs[0]

    def listed(self, values: Any, what: str) -> List[str]:
        """A list of names, or True for the model's only input."""
        return [self.only(what)] if values is True else [] if values is False else arguments.names(values, what)

    def valued(self, values: Any, what: str) -> Dict[str, Any]:
        """A dict by name, or the numbers of the model's only input."""
        if values is None:
            return {}
        given = hasattr(values, "items") or isinstance(values, (str, bytes, bool))
        return arguments.by_name(values, what) if given else {self.only(what): values}

    def _by_name(self, values: Any, what: str) -> Dict[str, Any]:
        if hasattr(values, "items"):
            return dict(values)
        values = list(values)
        if what.endswith("shapes") and values and all(map(_is_described, values)):
            return {name: shape for name, shape, *_ in values}
        if what.endswith("shapes") and any(isinstance(d, Integral) for d in values) and _is_shape(values):
            if len(self.inputs) == 1:
                return {self.inputs[0]: tuple(values)}
            raise ValueError("%s is a list of shapes, such as [(1, 3, 224, 224)], not one shape: %r" % (what, tuple(values)))
        for names in (self.unbound, self.without_labels, self.inputs):
            if len(names) == len(values):
                return dict(zip(names, values))
        raise ValueError(self._mismatch(len(values), what))

    def _mismatch(self, count: int, what: str) -> str:
        text = "%s has %s, but the model has %s: %s" % (
            what, _counted(count, "entry", "entries"), _counted(len(self.inputs), "input"), ", ".join(self.inputs)
        )
        if self.unbound != self.inputs:
            variables = _counted(len(self.unbound), "variable")
            text += "; it has %s without a value, in the order of list_inputs(): %s" % (variables, ", ".join(self.unbound))
        names = self.inputs if count < len(self.inputs) else self.unbound
        if count < len(names):
            return text + "; no entry is there for %s" % ", ".join(names[count:])
        return text + "; %s too many" % _counted(count - len(names), "entry is", "entries are")


def _counted(n: int, one: str, many: str = "") -> str:
    return "%d %s" % (n, one if n == 1 else many or one + "s")


def _shapes(names: _Names, in_shapes: Any, dynamic: bool, dynamic_input_shapes: Any) -> Dict[str, Any]:
    """Input name to shape, where None leaves a dim open; {} if nothing is asked for."""
    shapes = {} if in_shapes is None else names.match(in_shapes, "in_shapes")
    if not dynamic:
        if dynamic_input_shapes is not None:
            raise ValueError("dynamic_input_shapes has no effect without dynamic=True")
        return shapes
    if dynamic_input_shapes is None:
        return {name: tuple(d if isinstance(d, str) else None for d in shape) for name, shape in shapes.items()}
    dynamic_shapes = names.match(dynamic_input_shapes, "dynamic_input_shapes")
    for name, shape in dynamic_shapes.items():
        if name in shapes and len(shapes[name]) != len(shape):
            raise ValueError(
                "in_shapes and dynamic_input_shapes give input '%s' %d and %d dims" % (name, len(shapes[name]), len(shape))
            )
        for axis, (fixed, given) in enumerate(zip(shapes.get(name, ()), shape)):
            if isinstance(fixed, Integral) and isinstance(given, Integral) and fixed > 0 and given > 0 and fixed != given:
                raise ValueError(
                    "in_shapes and dynamic_input_shapes give input '%s' %d and %d at axis %d" % (name, fixed, given, axis)
                )
    return dict(shapes, **dynamic_shapes)


def _types(names: _Names, in_types: Any, shapes: Dict[str, Any]) -> Dict[str, Any]:
    if not isinstance(in_types, (list, tuple)) and not hasattr(in_types, "items"):
        return dict.fromkeys(names.inputs + [name for name in shapes if name not in names.inputs], in_types)
    return names.match(in_types, "in_types")


def _same_types(a: Any, b: Any) -> bool:
    """A type may be a text or NumPy's."""
    several = any(isinstance(t, (list, tuple)) or hasattr(t, "items") for t in (a, b))
    return bool(a == b) if several else dtype_name(a) == dtype_name(b)


def _one_of(name: str, value: Any, old_name: str, old: Any) -> Any:
    """An argument that has an older name, too."""
    if value is not None and old is not None:
        raise ValueError("%s is the older name of %s; give one of them" % (old_name, name))
    return value if old is None else old


def _is_described(value: Any) -> bool:
    """("data", (1, 3, 224, 224)), as in data_shapes of MXNet's Module; a DataDesc is such a tuple."""
    return isinstance(value, tuple) and len(value) > 1 and isinstance(value[0], str) and isinstance(value[1], (list, tuple))


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(d is None or isinstance(d, (Integral, str)) for d in value)


def _is_shapes(value: Any) -> bool:
    """A list of shapes, a dict of them or one shape: what in_shapes takes, and params does not."""
    values = list(value.values()) if isinstance(value, dict) else value
    each = isinstance(values, (list, tuple)) and len(values) > 0 and all(map(_is_shape, values))
    return each or (isinstance(value, (list, tuple)) and _is_shape(value) and not any(isinstance(d, str) for d in value))


def _load(model: Model, sym: Any, params: Any) -> None:
    if _is_shapes(params):
        raise TypeError("the second argument is params, and %r is a shape or shapes: write in_shapes=%r" % (params, params))
    if isinstance(params, (str, os.PathLike)) and os.fspath(params).lower().endswith(".onnx"):
        raise TypeError("the second argument is params, and %r is an ONNX file: write onnx_file_path=%r" % (params, params))
    if params is None and isinstance(sym, (str, os.PathLike)) and not str(sym).lstrip().startswith("{"):
        model.load(sym)
        return
    if params is None and hasattr(sym, "collect_params"):
        model.load(sym)
        return
    model.load_symbol(sym)
    if params is None:
        return
    for part in params if isinstance(params, (list, tuple)) else [params]:
        model.load_params(part, copy=False)  # the caller's arrays outlive the model


@contextlib.contextmanager
def _printed(verbose: bool) -> Iterator[None]:
    """Notes go to standard error while the block runs, if they are to be seen and the program has no handler for them."""
    handler, level = logging.StreamHandler(), _log.level
    if not verbose or _log.hasHandlers():
        yield
        return
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.removeHandler(handler)
        _log.setLevel(level)


def export_model(
    sym: Symbolic,
    params: Union[Params, Sequence[Params], None] = None,
    in_shapes: Optional[Shapes] = None,
    in_types: Types = _FLOAT32,
    onnx_file_path: FilePath = "model.onnx",  # type: ignore[assignment]
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Optional[Shapes] = None,
    run_shape_inference: bool = False,
    input_type: Optional[Types] = None,
    input_shape: Optional[Shapes] = None,
    large_model: bool = False,
    *,
    opset_version: Optional[int] = None,
    outputs: Optional[Sequence[str]] = None,
    rename: Optional[Mapping[str, str]] = None,
    prefix: Optional[str] = None,
    structural_names: bool = False,
    external_data: Optional[str] = None,
    external_threshold: Optional[int] = None,
    initializers_as_inputs: bool = False,
    keep_batch_norm: bool = False,
    target: Optional[str] = None,
    trust_indices: bool = False,
    fsync: bool = False,
    seed: Optional[int] = None,
    unknown_domain: Optional[str] = None,
    channels_last: Union[bool, Sequence[str]] = (),
    reverse_channels: Union[bool, Sequence[str]] = (),
    mean: Union[Mapping[str, Numbers], Numbers, None] = None,
    scale: Union[Mapping[str, Numbers], Numbers, None] = None,
    float16: Union[bool, str] = False,
    keep_float32: Sequence[str] = (),
    custom_operators: Operators = (),
    progress: Optional[Callable[[Progress], object]] = None,
) -> FilePath:
    """Converts an MXNet model to an ONNX file and returns its path. It replaces mxnet.onnx.export_model.

    sym: the path of the symbol file or its prefix, its JSON text, an object with tojson() (mxnet.sym.Symbol), or a HybridBlock of Gluon
        that was hybridized and called.
    params: the path of the parameter file; a dict of arrays by name (NumPy, or with asnumpy()); a list [arg, aux] of such dicts;
        what collect_params() of a block returns; or None (the default) for the file next to the symbol, or the block's own.
    in_shapes: a list of shapes, [(1, 3, 224, 224)], in the order of list_inputs(); a dict of shapes by name; or one shape, if the model
        has one input. data_shapes of a Module are such a list, too. Omit labels and weights. A weight that has a shape becomes an input.
    in_types: one element type for all inputs, a list of types in the same order, or a dict by name.
    onnx_file_path: where to write. If the conversion fails, the file is untouched.
    verbose: log notes and what was written to the logger "mx2onnx" at level INFO, or print them if the program has not configured logging;
        without it they have the level DEBUG. Warnings have the level WARNING always.
    dynamic: dimensions of the inputs may have any size: those that dynamic_input_shapes leaves open, or without it all, with the names
        in in_shapes.
    dynamic_input_shapes: a list of shapes (or a dict by name), where None is any size, a name ("batch") is any size that
        is the same wherever the name is used, and a number is fixed.
    run_shape_inference: has no effect, because the shapes of all values are always in the file.
    input_type, input_shape: older names of in_types and in_shapes.
    large_model: write the weights to a side file, onnx_file_path + ".data". Above 2 GiB they are always in one.

    Arguments that MXNet's function does not have:
    opset_version: the ONNX operator set, 11 to 28 (default: 17, or the oldest above it that the model needs; for a target that does
        not read 17, the newest that it reads).
    outputs: names of MXNet outputs ("fc1_output") to write instead of the model's own.
    rename: a dict of old to new names of inputs, outputs and parameters.
    prefix: a prefix to ignore when names of the symbol and of the parameter file are matched, such as "resnet_".
    structural_names: match the names of Gluon's save_parameters ("features.0.weight") to the symbol's by kind, shape and order.
    external_data, external_threshold: where the weights are stored: "auto", "never", "always", "in-place" or "link"; and the least bytes
        of an array that is stored there. With "in-place", arrays that need no change stay in the parameter file, which must be next to
        the model; with "link", it may be elsewhere and gets a hard link there.
    initializers_as_inputs: list the parameters as graph inputs too.
    target: the program that will read the file, if it does not read all of ONNX: one of targets().
    trust_indices: write Embedding and take without a Clip; all indices must be inside their tables.
    keep_batch_norm: keep BatchNorm after a convolution as a node instead of folding it into the weights.
    fsync: flush the file to the disk before it is renamed.
    seed: the seed of random operators. With one they return the same values at every run, though never MXNet's.
    unknown_domain: write unknown operators as nodes of this domain ("mxnet") instead of failing.
    channels_last: names of inputs that are (n, h, w, c) in the ONNX model although the MXNet model has (n, c, h, w). in_shapes
        keep the order of the MXNet model. True is enough if the model has one input.
    reverse_channels: names of inputs whose channels have the reverse order, or True: BGR for a model that was trained with RGB.
    mean, scale: numbers, one for each channel or one for all, or a dict of such numbers by input: the model gets (x - mean) * scale. With
        them an input may have integers: in_types="uint8".
    float16: True writes a float16 model of half the size, in which outputs of softmax and norms stay float32; "inside" one whose inputs
        and outputs keep their types.
    keep_float32: names of nodes or operators that stay float32 in it, in addition to those that the library keeps.
    custom_operators: handlers of operators that the library does not know, such as MXNet's Custom: a list of what
        @mx2onnx.custom_operator makes, or a dict that has for each op_type such an object, a function (lower) or a pair (infer, lower).
    progress: a function that takes a Progress: the phase, the bytes done and to be written (0 before the phase "write"), and the node. If
        it returns a true value, the export stops.

    Raises mx2onnx.Error with the diagnostics if the model cannot be converted.
    """
    if isinstance(dynamic, Integral) and not arguments.is_boolean(dynamic) and dynamic > 1:
        raise TypeError("dynamic is True or False, not %d: MXNet 1.8 had the opset here; write opset_version=%d" % (dynamic, dynamic))
    verbose, dynamic, large_model = (
        arguments.boolean(value, what) for value, what in ((verbose, "verbose"), (dynamic, "dynamic"), (large_model, "large_model"))
    )
    if in_types is not None and input_type is not None and _same_types(in_types, input_type):
        input_type = None
    in_types = _one_of("in_types", None if in_types is _FLOAT32 else in_types, "input_type", input_type)
    in_types = _FLOAT32 if in_types is None else in_types
    in_shapes = _one_of("in_shapes", in_shapes, "input_shape", input_shape)
    if arguments.names(keep_float32, "keep_float32") and not float16:
        raise ValueError("keep_float32 has no effect without float16=True")
    with _printed(verbose), Model() as model:
        model.set_log(lambda level, text: _log.log(level if verbose or level == logging.WARNING else logging.DEBUG, text), logging.DEBUG)
        _load(model, sym, params)
        if prefix is not None:
            model.param_prefix = prefix
        model.structural_names = structural_names
        names = _Names(model)
        shapes = _shapes(names, in_shapes, dynamic, dynamic_input_shapes)
        types = _types(names, in_types, shapes)
        for name, shape in shapes.items():
            model.set_input_shape(name, shape)
        for name, dtype in types.items():
            model.set_input_dtype(name, dtype)
        for name in () if outputs is None else arguments.names(outputs, "outputs"):
            model.add_output(name)
        for old, new in arguments.by_name({} if rename is None else rename, "rename").items():
            model.rename(old, new)
        if opset_version is not None:
            _check_opset(opset_version)
            model.opset = opset_version
        if large_model and external_data == "never":
            raise ValueError("large_model=True writes a side file, and external_data='never' none; give one of them")
        if external_data is not None or large_model:
            model.external_data = "always" if external_data is None else external_data
        elif external_threshold is not None:
            raise ValueError("external_threshold has no effect without external_data or large_model=True")
        model.external_threshold = external_threshold
        model.initializers_as_inputs = initializers_as_inputs
        model.keep_batch_norm = keep_batch_norm
        model.target = target
        model.trust_indices = trust_indices
        model.fsync = fsync
        if seed is not None:
            model.seed = seed
            if model.seed is None:
                raise ValueError("seed is a number of 0 or more, or None, not %r" % (seed,))
        for name in names.listed(channels_last, "channels_last"):
            model.set_input_channels_last(name)
        for name in names.listed(reverse_channels, "reverse_channels"):
            model.set_input_channels_reversed(name)
        for name, values in names.valued(mean, "mean").items():
            model.set_input_mean(name, values)
        for name, values in names.valued(scale, "scale").items():
            model.set_input_scale(name, values)
        for operator in operators_of(custom_operators):
            model.add_custom_operator(operator)
        model.unknown_domain = unknown_domain
        model.float16 = float16
        for name in arguments.names(keep_float32, "keep_float32"):
            model.set_node_precision(name, "float32")
        model.set_progress(progress)
        model.export(onnx_file_path)
        if verbose:
            _log.info("wrote %s: opset %d, %d nodes, %d bytes", onnx_file_path, *model.written[:3])
    return onnx_file_path
