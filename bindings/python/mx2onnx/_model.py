"""The class over the C handle."""

from __future__ import annotations

import ctypes
import io
import json
import logging
import os
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union, cast

from . import _arguments as arguments
from ._arrays import Borrowed, read_part, to_numpy
from ._custom import CustomOperator, Handler, Node, NodeError, Outputs, Refused, c_array, custom_operator, dtype_number
from ._errors import Diagnostic, InvalidArgumentError, error_of, text_of
from ._library import CUSTOM_FN, LOG_FN, OUTPUTS_FN, PROGRESS_FN, READ_FN, RELEASE_FN, WRITE_FN, CDiagnostic, CHandler, lib
from ._options import Option, Switch, Text, Unless, Word
from ._readonly import read_only_dict, read_only_list
from ._signals import Waiting
from ._types import Array, Block, Bytes, DType, Numbers, Params, Path, Shape, Symbol, Symbolic, Writable

_SEVERITIES = {0: "error", 1: "warning", 2: "note"}
_log = logging.getLogger("mx2onnx")
_NO_RELEASE = RELEASE_FN()  # memory and functions are kept by the Model itself
_PUBLISHED = ["shapes", "normalization"]  # MX2ONNX_PUBLISHED_...
_GRAPHS = ["mxnet", "onnx"]  # MX2ONNX_GRAPH_...
_PRECISIONS = [None, "float32", "float16"]  # MX2ONNX_PRECISION_...
_VARIABLES = ["input", "weight", "unused"]  # MX2ONNX_VARIABLE_...
_PHASES = ["other", "load", "infer", "lower", "write"]  # MX2ONNX_PHASE_...
_LEVELS = [logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG]  # MX2ONNX_SEVERITY_...
_UNSUPPORTED = -6
_CANCELLED = -10

_T = TypeVar("_T")
_Target = TypeVar("_Target", bound=Union[Path, Writable])


class Value(NamedTuple):
    """An input or output. shape is None while the rank is unknown; otherwise it is a tuple of sizes, names, and None where unknown."""

    name: str
    dtype: Optional[str]
    shape: Optional[Tuple[Union[int, str, None], ...]]


class Operator(NamedTuple):
    name: str
    uses: int
    supported: bool


class Variable(NamedTuple):
    """A variable without a value."""

    name: str
    kind: str  #: "input"; "weight", one that no parameter file holds; "unused", such as a label; "other"


class Candidate(NamedTuple):
    """A published net that the parameters fit."""

    name: str  #: for load_net
    title: str  #: with its sizes, "resnet50_v1 with 10 classes"


class Progress(NamedTuple):
    """How far a call is."""

    phase: str  #: "load", "infer", "lower", "write" or "other"
    done: int  #: bytes written, while the phase is "write"
    total: int  #: bytes to be written; 0 in other phases
    node: str  #: the node at which it is, or ""


class Written(NamedTuple):
    opset: int
    nodes: int
    bytes: int
    files: Tuple[str, ...]  #: without a folder: the model, its side file, and parameter files that belong to it


def known(names: Sequence[_T], number: int, other: _T) -> _T:
    """The name of a number of the library's; a later version may have others."""
    return names[number] if 0 <= number < len(names) else other


def _text(data: Optional[bytes]) -> str:
    return "" if data is None else data.decode("utf-8", "replace")


class Param:
    """An array of a parameter file. It is in the file alone until numpy() or bytes() reads it."""

    def __init__(self, model: "Model", index: int) -> None:
        handle = model._handle
        self._model = model
        self._index = index
        self.name = _text(lib.param_name(handle, index))
        self.dtype = _text(lib.dtype_name(lib.param_dtype(handle, index)))
        dims = lib.param_dims(handle, index)
        self.shape = tuple(dims[i] for i in range(lib.param_rank(handle, index)))
        self.nbytes = lib.param_size(handle, index)
        self.used = bool(lib.param_used(handle, index))

    def _read(self, function: Any, offset: int = 0, size: Optional[int] = None) -> bytearray:
        return read_part(self.nbytes, offset, size, lambda *part: self._model._call(function, self._index, *part))

    def bytes(self, offset: int = 0, size: Optional[int] = None) -> bytes:
        """Its bytes from `offset` on."""
        return bytes(self._read(lib.param_read, offset, size))

    def numpy(self) -> Any:
        """A NumPy array, which is read-only: change a copy(), and give it to Model.set_param."""
        array = to_numpy(self._read(lib.param_read), self.dtype, self.shape)
        array.flags.writeable = False
        return array

    def __repr__(self) -> str:
        return "Param(%r, %s, %r)" % (self.name, self.dtype, self.shape)


def _graph_of(block: Any) -> Any:
    """The Symbol of a HybridBlock of Gluon's; anything else as it is."""
    if hasattr(block, "get_params"):
        raise TypeError("a Module of MXNet's is not taken; give its symbol and its parameters: export_model(mod.symbol, mod.get_params(), ...)")
    if not hasattr(block, "collect_params"):
        return block
    graph, kind = getattr(block, "_cached_graph", None), type(block).__name__
    if graph is None:
        raise ValueError("the block %s is not a HybridBlock, so it has no graph: make it one (HybridSequential in place of Sequential), call "
                         "hybridize(), then the block with data once" % kind)
    if not graph:
        raise ValueError("the block %s has no graph yet: call hybridize(), then the block with data once" % kind)
    return graph[1]


def _text_of(d: Diagnostic) -> str:
    """A diagnostic in a line, as the library logs it."""
    where = "node '%s' (%s): " % (d.node, d.op) if d.node else "'%s': " % d.name if d.name else ""
    return where + ("'%s': " % d.attribute if d.attribute else "") + d.message + (d.advice and "; " + d.advice)


class Model:
    """An MXNet model: load it, look at it, choose options, export it.

    Options are attributes: `model.opset = 17` sets one, `del model.opset` sets it back to its default. Model("resnet-symbol.json") loads
    a symbol file with the parameters next to it, a prefix, a folder or an archive, as load() does. Model() is empty.

    Threads: any thread may use a model, but only one at a time. Different models are independent. Other Python threads run while the
    library works. Functions that are given to a model (progress, log, handlers) run in the thread of the call that they belong to, before
    it returns, and must not call the model.
    """

    __slots__ = (  # assigning another name is an error
        "_handle", "_owner", "_keep", "_raised", "_stopped", "_callbacks", "_inside", "_running", "_waiting", "_unheard", "__weakref__",
    )

    opset = Unless(1, 0, "The opset to write, in opset_range(); None for 17, or the oldest above it that the model needs; for a target that does not read 17, the "
        "newest that it reads.")
    float16 = Word(2, [None, "all", "inside"], 'A float16 model of half the size: "all" or True; "inside": inputs and outputs keep '
                   "their types; None or False: as the model is.", also={True: 1, False: 0})
    trust_indices = Switch(3, "Write Embedding and take without a Clip; all indices must be inside their tables.")
    keep_batch_norm = Switch(4, "Keep BatchNorm after a convolution as a node instead of folding it into the weights.")
    initializers_as_inputs = Switch(5, "List the parameters as graph inputs, too.")
    seed = Unless(6, -1, "The seed of random operators, which give the same values at every run, though never MXNet's.")
    external_data = Word(7, ["auto", "never", "always", "in-place", "link"], 'Weights in a side file: "auto" (over 2 GiB), "never", '
                         '"always"; "in-place" and "link" leave arrays that need no change in the parameter file.')
    external_threshold: Option[int] = Option(8, "The least bytes of an array that is stored outside of the model file.")
    full_checksum = Switch(9, "Record checksums of whole side files and parameter files, not of samples of them.")
    fsync = Switch(10, "Flush files to the disk before they are renamed.")
    classes: Option[int] = Option(11, "Without a symbol file: loads consider only published models with so many classes; 0 reads it from the parameters.")
    crop: Option[int] = Option(12, "The same for segmentation models: the side of the square images; 0: as published.")
    segments: Option[int] = Option(13, "The same for video models: the number of segments; 0: as published.")
    vocabulary: Option[int] = Option(14, "The same for language models: the number of words; 0 reads it from the parameters.")
    memory_limit: Option[int] = Option(15, "The limit of bytes used by the graph and its constants; lib/LIMITS.md explains limits.")
    expansion_limit: Option[int] = Option(16, "The limit of bytes of unpacked archives and sparse arrays.")
    nodes_limit: Option[int] = Option(17, "The limit of ONNX nodes that an export writes.")
    output_limit: Option[int] = Option(18, "The limit of bytes that an export writes.")
    fold_input_scale = Switch(19, "Merge a factor of an input into the first convolution. Its node is what InsightFace's package looks for.")
    node_metadata = Switch(20, "Add the name and operator of the MXNet node to the metadata of each ONNX node; the model then has IR version 10.")
    structural_names = Switch(21, "Match the names of Gluon's save_parameters to the symbol's by kind, shape and order.")
    target = Text(1, "The program that will read the file, if it does not read all of ONNX: one of targets().")
    unknown_domain = Text(2, 'The domain ("mxnet") in which unknown operators are written, for a runtime that has them; None makes them an error.')
    param_prefix = Text(3, "A prefix to ignore when names of the symbol and of the parameter files are matched.")
    producer = Text(4, "The producer_name of the ONNX model.")
    doc_string = Text(5, "The doc_string of the ONNX model.")
    side_file = Text(6, "The name of the side file for weights, without a folder.")
    source_name = Text(7, "The name that messages use for bytes and file objects that are loaded after it is set.")

    def __init__(self, path: Union[Path, Bytes, BinaryIO, Symbol, Block, None] = None) -> None:
        self._handle = ctypes.c_void_p()
        self._owner = True
        self._keep: List[Any] = []  # memory and functions that the library borrows
        self._raised: Optional[BaseException] = None  # an exception of a callback, on its way out
        self._unheard = False  # the exception is a log's, which cannot end the call
        self._stopped = False  # by the progress function
        self._callbacks: Dict[str, Any] = {}
        self._inside = 0  # callbacks that are running
        self._running = 0  # calls of C
        self._waiting = self._signals()
        self._check(lib.model_new(ctypes.byref(self._handle)))
        self.set_progress(None)
        if path is not None:
            try:
                self.load(path)
            except BaseException:
                self.close()
                raise

    @classmethod
    def _borrow(cls, handle: int) -> "Model":
        """A model of C that the caller made and frees, for its handlers alone."""
        model = cls.__new__(cls)
        model._handle = ctypes.c_void_p(handle)
        model._keep, model._callbacks, model._owner = [], {}, False
        model._raised, model._unheard, model._stopped = None, False, False
        model._inside = model._running = 0
        model._waiting = model._signals()
        return model

    # ---- life

    def close(self) -> None:
        if self._running:  # C would not free it, and may yet call what is kept here
            raise InvalidArgumentError("the model is in use: close it after the call that is running", "INVALID_ARGUMENT")
        if self._handle:
            if self._owner:
                lib.model_free(self._handle)
            self._handle = ctypes.c_void_p()
            self._keep = []
            self._callbacks = {}

    def cancel(self) -> None:
        """Ends the call that is running: it raises CancelledError. Another thread or a callback may call this. Later calls are not
        affected."""
        lib.cancel(self._open())

    def reset(self) -> None:
        """Makes the model empty, as Model() does: removes what was loaded and chosen, and all functions."""
        self._call(lib.model_reset)
        self._keep = []
        self._callbacks = {}
        self.set_progress(None)

    def __repr__(self) -> str:
        if not self._handle:
            return "<mx2onnx.Model: closed>"
        nodes = sum(lib.operator_node_count(self._handle, i) for i in range(lib.operator_count(self._handle)))
        return "<mx2onnx.Model: %d nodes, %d parameters>" % (nodes, lib.param_count(self._handle))

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def _open(self) -> Any:
        if not self._handle:
            raise ValueError("the model is closed")
        return self._handle

    def _check(self, status: int, file: Optional[Path] = None, missing: bool = False) -> None:
        if status != 0:
            raise error_of(status, self._error_text(), self.diagnostics if self._handle else [], file, missing)

    def _signals(self) -> Waiting:
        return Waiting(lambda: self._inside > 0)

    def _run(self, work: Callable[[Any], _T]) -> _T:
        """Calls of C on the handle. What a callback raises in them is raised here, and nowhere else."""
        handle = self._open()
        if self._inside:  # of a callback of this model: C refuses, or only looks
            return work(handle)
        self._stopped = False
        self._waiting = self._signals()
        try:
            with self._waiting:
                self._running += 1
                try:
                    result = work(handle)
                finally:
                    self._running -= 1
        finally:
            raised, self._raised, self._unheard = self._raised, None, False
        if raised is not None:
            raise raised
        return result

    def _call(self, function: Any, *values: Any) -> None:
        """A function of C that returns a status."""
        self._check(self._run(lambda handle: function(handle, *values)))

    def _call_path(self, function: Any, path: Path, what: str = "a path") -> None:
        """A function of C that takes a path; what is not found may be a net, too, if the file is there."""
        encoded = arguments.path(path, what)
        status = self._run(lambda handle: function(handle, encoded))
        self._check(status, path, function is lib.check_external_data or not os.path.exists(encoded))

    def _look(self, work: Callable[[Any], _T]) -> _T:
        """Functions of C that return no status, but may ask the progress function."""
        result = self._run(work)
        if self._stopped and not self._inside:
            raise error_of(_CANCELLED, "")
        return result

    def _error_text(self) -> str:
        return text_of(lib.error(self._handle))

    # ---- load

    def load(self, source: Union[Path, Bytes, BinaryIO, Symbol, Block]) -> None:
        """Loads a whole model: from a path of a symbol file with the parameters next to it, a prefix, a folder or an archive; from the
        bytes or a binary file object of an archive or a symbol; or from MXNet's memory: a Symbol, or a HybridBlock that was
        hybridized and called, with its parameters. A file object is read piece by piece and must stay open until the model is closed."""
        if hasattr(source, "collect_params"):
            self.load_symbol(source)
            self.load_params(source.collect_params())
        elif hasattr(source, "tojson") or hasattr(source, "get_params"):
            self.load_symbol(source)
        elif isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)
            self._keep.append(data)
            self._call(lib.load_memory, data, len(data), None, _NO_RELEASE)
        elif hasattr(source, "read"):
            self._load_file(lib.load_callback, cast(BinaryIO, source))
        else:
            self._call_path(lib.load, source, "a path, an mxnet.sym.Symbol or a HybridBlock")

    def _load_file(self, function: Any, file: BinaryIO) -> None:
        size = arguments.uint64(file.seek(0, io.SEEK_END), "the result of seek")

        def read(offset: int, buffer: int, count: int, _: Any) -> int:
            file.seek(offset)
            while count:
                found: Any = file.read(count)
                if isinstance(found, str):
                    raise TypeError("the file object gives text, not bytes: open it with 'rb'")
                data = memoryview(found).cast("B")
                if not data:
                    return 1
                if len(data) > count:
                    raise ValueError("read(%d) of the file object gave %d bytes" % (count, len(data)))
                ctypes.memmove(buffer, bytes(data), len(data))
                buffer, count = buffer + len(data), count - len(data)
            return 0

        callback = READ_FN(self._guarded(read, 1))
        self._keep.append(callback)
        self._call(function, size, callback, None, _NO_RELEASE)

    def load_symbol(self, symbol: Symbolic) -> None:
        """Loads the graph: from a path or a prefix, the JSON itself as text or bytes, a file object, or an object with tojson() such as
        mxnet.sym.Symbol."""
        found: Any = _graph_of(symbol)
        is_path = not hasattr(found, "read") and not hasattr(found, "tojson")
        if hasattr(found, "read"):
            found = found.read()
        if hasattr(found, "tojson"):
            found = found.tojson()
        if isinstance(found, str) and (not is_path or found.lstrip("\ufeff \t\r\n").startswith("{")):
            found = found.encode("utf-8")
        if isinstance(found, (bytes, bytearray, memoryview)):
            found = bytes(found)
            self._call(lib.load_symbol_memory, found, len(found))
        else:
            self._call_path(lib.load_symbol_file, found, "the path of a symbol file, its JSON text, an mxnet.sym.Symbol or a HybridBlock")

    def load_params(self, params: Params, copy: bool = True) -> None:
        """Adds parameters: from a path (.params, .npz, .npy), from the bytes of such a file, from a binary file object, which must stay
        open until the model is closed, or from a dict of arrays such as set_param takes. May be called several times."""
        if isinstance(params, (bytes, bytearray, memoryview)):
            data = bytes(params)
            self._keep.append(data)
            self._call(lib.load_params_memory, data, len(data), None, _NO_RELEASE)
        elif hasattr(params, "items"):
            for name, value in params.items():
                self.set_param(name, value, copy)
        elif hasattr(params, "read"):
            self._load_file(lib.load_params_callback, cast(BinaryIO, params))
        else:
            self._call_path(lib.load_params_file, params, "the path of a parameter file, or a dict of names to arrays")

    def load_net(self, name: Optional[str] = None) -> None:
        """Makes the graph for parameters without a symbol: that of the published model of this name, or of the one that they fit."""
        self._call(lib.load_net, arguments.text_or_none(name, "the name"))

    def identify_net(self) -> List[Candidate]:
        """Finds all published models that the parameters fit."""
        self._call(lib.identify_net)
        handle = self._open()
        count = lib.candidate_count(handle)
        return [Candidate(_text(lib.candidate_name(handle, i)), _text(lib.candidate_title(handle, i))) for i in range(count)]

    def use_published(self, what: str) -> None:
        """Uses what was published with the model for its inputs: "shapes", with any batch, or "normalization", which is mean and scale for
        RGB images of 0 to 255."""
        if what not in _PUBLISHED:
            raise ValueError("what to use is %s, not %r" % (" or ".join(map(repr, _PUBLISHED)), what))
        self._call(lib.use_published, _PUBLISHED.index(what))

    def load_catalogue(self, source: Union[Path, Bytes]) -> None:
        """Uses another catalogue of published models than the one in the library: a path, or the bytes of the file."""
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)
            self._call(lib.load_catalogue_memory, data, len(data))
        else:
            self._call_path(lib.load_catalogue_file, source)

    @property
    def net_title(self) -> Optional[str]:
        """The published model that the graph was made for, "resnet18_v1 with 10 classes"; None if the graph came from a symbol."""
        title = lib.net_title(self._open())
        return None if title is None else _text(title)

    @property
    def nets(self) -> List[Dict[str, Any]]:
        """The published models of the catalogue, a dict for each: "name", "source", "inputs" (shapes), sizes such as "classes", "mean" and
        "deviation". lib/schema describes them."""
        return self._look(
            lambda handle: [json.loads(lib.catalogue_json(handle, i)) for i in range(lib.catalogue_count(handle))]
        )

    @property
    def catalogue(self) -> Dict[str, str]:
        """The published models of the catalogue: a dict of names to a line about each. Where GluonCV and MXNet published a model of one
        name, the line is about that of MXNet."""
        return self._look(
            lambda handle: {
                _text(lib.catalogue_name(handle, i)): _text(lib.catalogue_text(handle, i)) for i in range(lib.catalogue_count(handle))
            }
        )

    def set_param(self, name: str, value: Array, copy: bool = True) -> None:
        """Sets the value of a variable: of a parameter, or of an input that becomes a constant. copy=False borrows the memory of the array,
        which must then not change until the model is closed."""
        encoded = self._param_name(name)
        data = Borrowed(value, copy)
        self._give("param %r" % encoded, data, lib.set_param, encoded, ctypes.byref(c_array(data)), None, _NO_RELEASE)

    def remove_param(self, name: str) -> None:
        """Removes the value that set_param set. The array with this name in a parameter file is used again."""
        encoded = self._param_name(name)
        self._call(lib.remove_param, encoded)
        self._callbacks.pop("param %r" % encoded, None)

    @staticmethod
    def _param_name(name: str) -> bytes:
        encoded = arguments.text(name, "the name")
        return encoded[4:] if encoded.startswith((b"arg:", b"aux:")) else encoded

    # ---- choose

    def set_input_shape(self, name: str, shape: Optional[Shape]) -> None:
        """Sets the shape of an input. A dimension is a size, a name ("batch") or None. A name makes it dynamic, and dimensions with
        one name have the same size. None leaves it to inference. None as the shape removes it. The whole shape is replaced, names too;
        a shape that is refused changes nothing."""
        if shape is None:
            self._call(lib.set_input_shape, arguments.text(name, "the name"), -1, None, None)
            return
        if isinstance(shape, (str, bytes)):
            raise TypeError("the shape of '%s' must be a sequence such as (1, 3, 224, 224), not the text %r" % (name, shape))
        if not isinstance(shape, Iterable):
            raise TypeError("the shape of '%s' must be a sequence such as (1, 3, 224, 224), not %r" % (name, shape))
        encoded, shape = arguments.text(name, "the name"), list(shape)
        texts = [arguments.text(d, "dim %d" % axis) if isinstance(d, str) else None for axis, d in enumerate(shape)]
        dims = arguments.dims([None if isinstance(d, str) else d for d in shape])
        self._call(lib.set_input_shape, encoded, len(shape), dims, (ctypes.c_char_p * max(1, len(texts)))(*texts))

    def set_input_dim_name(self, input: str, axis: int, name: Optional[str]) -> None:
        """Makes a dimension dynamic and names it; None makes it fixed again."""
        encoded = arguments.text(input, "the input's name")
        self._call(lib.set_input_dim_name, encoded, arguments.size(axis, "axis"), arguments.text_or_none(name, "the name"))

    def set_input_dtype(self, name: str, dtype: Optional[DType]) -> None:
        """Sets the element type of an input; None sets it back to the default."""
        self._call(lib.set_input_dtype, arguments.text(name, "the name"), -1 if dtype is None else dtype_number(dtype))

    def set_input_channels_last(self, name: str, on: bool = True) -> None:
        """Makes the ONNX input (n, h, w, c) although the MXNet model has (n, c, h, w). Shapes are given in the order of the MXNet model."""
        self._call(lib.set_input_channels_last, arguments.text(name, "the name"), bool(on))

    def set_input_channels_reversed(self, name: str, on: bool = True) -> None:
        """Makes the ONNX input BGR for a model of RGB, or the reverse."""
        self._call(lib.set_input_channels_reversed, arguments.text(name, "the name"), bool(on))

    def _set_values(self, function: Any, name: str, values: Any) -> None:
        values = [arguments.number(v, "a value") for v in (values if hasattr(values, "__len__") else [values])]
        self._call(function, arguments.text(name, "the name"), len(values), (ctypes.c_double * len(values))(*values))

    def set_input_mean(self, name: str, mean: Numbers) -> None:
        """Sets the mean: the model gets (x - mean) * scale. Pass a value for each channel, or one. The input may then be integers."""
        self._set_values(lib.set_input_mean, name, mean)

    def set_input_scale(self, name: str, scale: Numbers) -> None:
        """Sets the scale, as set_input_mean the mean."""
        self._set_values(lib.set_input_scale, name, scale)

    def input_channels_last(self, name: str) -> bool:
        """What set_input_channels_last set."""
        return bool(lib.get_input_channels_last(self._open(), arguments.text(name, "the name")))

    def input_channels_reversed(self, name: str) -> bool:
        """What set_input_channels_reversed set."""
        return bool(lib.get_input_channels_reversed(self._open(), arguments.text(name, "the name")))

    def _get_values(self, function: Any, name: str) -> List[float]:
        count = ctypes.c_size_t()
        values = function(self._open(), arguments.text(name, "the name"), ctypes.byref(count))
        return [values[i] for i in range(count.value)]

    def input_mean(self, name: str) -> List[float]:
        """What set_input_mean or use_published set; [] if nothing was."""
        return self._get_values(lib.get_input_mean, name)

    def input_scale(self, name: str) -> List[float]:
        """What set_input_scale or use_published set; [] if nothing was."""
        return self._get_values(lib.get_input_scale, name)

    def chosen_shape(self, name: str) -> Optional[List[Union[int, str, None]]]:
        """The shape that was set for an input; None if none was."""
        rank, name_ = ctypes.c_int32(), arguments.text(name, "the name")
        dims = lib.get_input_shape(self._open(), name_, ctypes.byref(rank))
        if rank.value < 0:
            return None
        names = [lib.get_input_dim_name(self._open(), name_, i) for i in range(rank.value)]
        return [n.decode() if n else None if dims[i] < 0 else dims[i] for i, n in enumerate(names)]

    def chosen_dtype(self, name: str) -> Optional[str]:
        """The element type that was set for an input; None if none was."""
        dtype = lib.get_input_dtype(self._open(), arguments.text(name, "the name"))
        return _text(lib.dtype_name(dtype)) if dtype >= 0 else None

    def chosen_name(self, old: str) -> Optional[str]:
        """The name that rename() set; None if it set none."""
        new = lib.get_rename(self._open(), arguments.text(old, "the old name"))
        return new.decode() if new else None

    def add_output(self, name: str) -> None:
        """Adds an output by its MXNet name ("fc1_output"). The first call replaces the outputs of the file."""
        self._call(lib.add_output, arguments.text(name, "the name"))

    def clear_outputs(self) -> None:
        """Removes what add_output added: the outputs are those of the file again."""
        self._call(lib.clear_outputs)

    def rename(self, old: str, new: Optional[str]) -> None:
        """Renames an input, output or parameter in the ONNX file. `old` is the name in the MXNet file; None as the new name removes it."""
        self._call(lib.rename, arguments.text(old, "the old name"), arguments.text_or_none(new, "the new name"))

    def set_node_precision(self, name: str, precision: Optional[str]) -> None:
        """For float16: keeps a node, or all nodes of an operator, in "float32", or makes them "float16" although the library would keep
        them in float32. None leaves the decision to the library."""
        if precision not in _PRECISIONS:
            raise ValueError("a precision is 'float32', 'float16' or None, not %r" % (precision,))
        self._call(lib.set_node_precision, arguments.text(name, "the name"), _PRECISIONS.index(precision))

    def node_precision(self, name: str) -> Optional[str]:
        """What set_node_precision set."""
        return known(_PRECISIONS, lib.get_node_precision(self._open(), arguments.text(name, "the name")), None)

    def set_domain_version(self, domain: str, version: int) -> None:
        """Sets the version with which the ONNX model imports a domain other than ONNX's own; 0 sets it back to 1."""
        self._call(lib.set_domain_version, arguments.text(domain, "the domain"), arguments.int32(version, "the version"))

    def domain_version(self, domain: str) -> int:
        """The version with which a domain is imported."""
        version: int = lib.get_domain_version(self._open(), arguments.text(domain, "the domain"))
        return version

    def set_metadata(self, key: str, value: Optional[str]) -> None:
        """Sets an entry of the ONNX model's metadata_props; None removes it."""
        self._call(lib.set_metadata, arguments.text(key, "the key"), arguments.text_or_none(value, "the value"))

    def clear_metadata(self) -> None:
        """Removes all entries that were set."""
        self._call(lib.set_metadata, None, None)

    @property
    def metadata(self) -> Dict[str, str]:
        """The entries that were set, sorted by key; read-only."""
        handle = self._open()
        keys = [lib.metadata_key(handle, i) for i in range(lib.metadata_count(handle))]
        return read_only_dict({_text(key): _text(lib.get_metadata(handle, key)) for key in keys}, "use set_metadata")

    def check_external_data(self, path: Path) -> None:
        """Checks the files that an ONNX model names: each must exist, be long enough and unchanged. `diagnostics` has a note on each."""
        self._call_path(lib.check_external_data, path)

    def _guarded(self, function: Callable[..., Any], stop: Any) -> Callable[..., Any]:
        """The function for C: an exception stops the call and is raised again by it. After one no function of the caller runs."""

        def call(*values: Any) -> Any:
            if self._raised is not None:
                return stop
            try:
                self._inside += 1
                self._waiting.run()
                return function(*values)
            except BaseException as e:  # also KeyboardInterrupt: C cannot carry it
                self._unheard = stop is None if self._raised is None else self._unheard
                self._raised = e if self._raised is None else self._raised
                return stop
            finally:
                self._inside -= 1

        return call

    def _give(self, key: str, callbacks: object, function: Any, *values: Any) -> None:
        """Gives functions to C, or takes them back; they live as long as C has them, whatever the call raises."""

        def work(handle: Any) -> int:
            status: int = function(handle, *values)
            if status == 0:
                self._callbacks[key] = callbacks
            return status

        self._check(self._run(work))

    def set_log(self, function: Optional[Callable[[int, str], object]], least: int = logging.INFO) -> None:
        """Calls function(level, message) for each line of the level `least` or above. Levels are those of logging: ERROR, WARNING, INFO for
        notes, and DEBUG, which has the ONNX graph after each pass of graph_text("onnx"). None turns the log off."""
        callback = LOG_FN()
        if function is not None:

            def line(entry: Any, _: Any) -> None:
                severity = entry.contents.severity
                function(known(_LEVELS, severity, logging.DEBUG), text_of(entry.contents.message))

            callback = LOG_FN(self._guarded(line, None))
        level = arguments.int32(least, "least")
        severity = max([i for i, other in enumerate(_LEVELS) if other >= level], default=0)
        self._give("log", [callback] if function is not None else [], lib.set_log, severity, callback, None, _NO_RELEASE)

    def set_progress(self, function: Optional[Callable[[Progress], object]]) -> None:
        """Calls function(Progress) from time to time during a call. A true result stops the call, which raises CancelledError. None removes
        the function."""
        # Set even without a function: Python hears of a signal only when it runs.
        def call(progress: Any, _: Any) -> int:
            if function is None:
                return 0
            p = progress.contents
            phase = known(_PHASES, p.phase, "other")
            if function(Progress(phase, p.done, p.total, _text(p.node))):
                self._stopped = True
                return 1
            return 0

        guarded = self._guarded(call, 1)
        # What raised ends the call itself, unless it is a log.
        callback = PROGRESS_FN(lambda *values: guarded(*values) if self._raised is None else int(self._unheard))
        self._give("progress", [callback], lib.set_progress, callback, None, _NO_RELEASE)

    # ---- operators of the caller

    def add_custom_operator(self, operator: CustomOperator) -> None:
        """Registers a handler that @mx2onnx.custom_operator made; a second one of the same name replaces the first."""
        infer = CUSTOM_FN(self._handler(operator.run_infer))
        lower = CUSTOM_FN(self._handler(operator.run_lower)) if operator.lower is not None else CUSTOM_FN()
        counts = callable(operator.outputs)
        count = OUTPUTS_FN(self._counter(operator.outputs)) if counts else OUTPUTS_FN()
        name, outputs = arguments.text(operator.name, "the name"), 0 if counts else arguments.size(operator.outputs, "outputs")
        handler = CHandler(ctypes.sizeof(CHandler), outputs, bool(operator.overrides), infer, lower, count)
        key = "operator " + operator.name
        self._give(key, [infer, lower, count], lib.set_custom_operator, name, ctypes.byref(handler), None, _NO_RELEASE)

    def custom_operator(
        self, name: str, outputs: Outputs = 1, infer: Optional[Handler] = None, overrides: bool = False
    ) -> Callable[[Handler], CustomOperator]:
        """The decorator mx2onnx.custom_operator, which also registers the handler with this model."""

        def wrap(lower: Handler) -> CustomOperator:
            operator = custom_operator(name, outputs, infer, overrides)(lower)
            self.add_custom_operator(operator)
            return operator

        return wrap

    def remove_custom_operator(self, name: Optional[str] = None) -> None:
        """Removes a handler, or all handlers if no name is given."""
        encoded = arguments.text_or_none(name, "the name")
        if name is not None:
            self._give("operator " + name, [], lib.set_custom_operator, encoded, None, None, _NO_RELEASE)
            return
        self._call(lib.set_custom_operator, None, None, None, _NO_RELEASE)
        for key in [key for key in self._callbacks if key.startswith("operator ")]:
            del self._callbacks[key]

    def _counter(self, count: Any) -> Callable[[int, Any], int]:
        def call(handle: int, _: Any) -> int:
            node = Node(handle, self)
            try:
                return arguments.size(count(node), "the number of outputs")
            except Refused:
                return 0
            finally:
                node._handle = None

        return self._guarded(call, 0)

    def _handler(self, function: Callable[[Node], None]) -> Callable[[int, Any], int]:
        def call(handle: int, _: Any) -> int:
            node = Node(handle, self)
            try:
                function(node)
                return 0
            except Refused:
                return _UNSUPPORTED
            except NodeError as e:
                return e.code
            finally:
                node._handle = None

        return self._guarded(call, _UNSUPPORTED)

    # ---- look

    def infer(self) -> None:
        """Infers shapes and types with the options set so far."""
        self._call(lib.infer)

    def _values(self, count: Any, name: Any, dtype: Any, rank: Any, dim: Any, dim_name: Any) -> List[Value]:
        """Inputs or outputs, by C's functions for them."""

        def value(handle: Any, i: int) -> Value:
            dims = [dim(handle, i, axis) for axis in range(rank(handle, i))]
            shape = tuple(d if d >= 0 else _text(dim_name(handle, i, axis)) or None for axis, d in enumerate(dims))
            kind = dtype(handle, i)
            return Value(
                _text(name(handle, i)), _text(lib.dtype_name(kind)) if kind >= 0 else None, shape if rank(handle, i) >= 0 else None
            )

        return self._look(lambda handle: [value(handle, i) for i in range(count(handle))])

    @property
    def inputs(self) -> List[Value]:
        """The inputs by their names in the symbol. Types and shapes are None until infer() or an export finds them."""
        found = self._values(
            lib.input_count, lib.input_name, lib.input_dtype, lib.input_rank, lib.input_dim, lib.input_dim_name
        )
        return read_only_list(found, "use set_input_shape, set_input_dtype, rename or set_param")

    @property
    def outputs(self) -> List[Value]:
        """The outputs, with types and shapes as in inputs."""
        found = self._values(
            lib.output_count, lib.output_name, lib.output_dtype, lib.output_rank, lib.output_dim, lib.output_dim_name
        )
        return read_only_list(found, "use clear_outputs, add_output or rename")

    @property
    def params(self) -> Dict[str, Param]:
        """The arrays of the parameter files: a dict of name to Param, read-only."""
        found = self._look(lambda handle: [Param(self, i) for i in range(lib.param_count(handle))])
        return read_only_dict({p.name: p for p in found}, "use set_param or remove_param")

    @property
    def variables(self) -> List[Variable]:
        """The variables without a value, in the order of MXNet's list_inputs(): inputs, labels, and weights that are missing from the
        parameter files but needed for an export."""
        return self._look(
            lambda handle: [
                Variable(_text(lib.variable_name(handle, i)), known(_VARIABLES, lib.variable_kind(handle, i), "other"))
                for i in range(lib.variable_count(handle))
            ]
        )

    @property
    def operators(self) -> List[Operator]:
        return self._look(
            lambda handle: [
                Operator(
                    _text(lib.operator_name(handle, i)),
                    lib.operator_node_count(handle, i),
                    bool(lib.operator_supported(handle, i)),
                )
                for i in range(lib.operator_count(handle))
            ]
        )

    # ---- export

    def export(self, target: _Target) -> _Target:
        """Writes the ONNX file to a path or a file object, and returns that. If the export fails, the file at the path is untouched.
        Warnings go to the function of set_log, or without one to the logger "mx2onnx"."""
        if hasattr(target, "write"):
            self.export_to(cast(Writable, target))
        else:
            self._call_path(lib.export_file, cast(Path, target))
            self._warn()
        return target

    def _warn(self) -> None:
        """Says what an export warns of, where no function for the log hears it."""
        for d in () if self._callbacks.get("log") else self.diagnostics:
            if d.severity == "warning":
                _log.warning("%s", _text_of(d))

    def export_bytes(self) -> bytes:
        # Not through export_memory: bytes would be a second copy of the model.
        buffer = io.BytesIO()
        self.export_to(buffer)
        return buffer.getvalue()

    def export_to(self, write: Union[Writable, Callable[[bytes], object]]) -> None:
        """Passes the file's bytes in order to write(bytes), or to the write method of a file object. If that returns an integer, it is the
        number of bytes that were written, and it is called again with the rest."""
        if isinstance(write, io.TextIOBase):
            raise TypeError("the file object takes text, not bytes: open it with 'wb'")
        put = cast(Callable[[bytes], Any], write.write if hasattr(write, "write") else write)
        raw = isinstance(write, io.RawIOBase)  # gives None where it would block

        def forward(data: int, size: int, _: Any) -> int:
            block = ctypes.string_at(data, size)
            while block:
                written = put(block)
                if written is None and raw:
                    raise BlockingIOError("the file object takes no bytes now; give one that blocks")
                block = b"" if written is None else block[arguments.integer(written, "the result of write", 1, len(block)) :]
            return 0

        self._call(lib.export_callback, WRITE_FN(self._guarded(forward, 1)), None, _NO_RELEASE)
        self._warn()

    # ---- report

    @property
    def diagnostics(self) -> List[Diagnostic]:
        """Errors, warnings and notes about the model in its current state, and about the last call if it failed."""
        handle = self._open()
        found = []
        for i in range(lib.diagnostic_count(handle)):
            d = CDiagnostic(struct_size=ctypes.sizeof(CDiagnostic))
            if lib.diagnostic_get(handle, i, ctypes.byref(d)) == 0:
                texts = [text_of(t) for t in (d.node, d.op, d.attribute, d.name, d.message, d.advice)]
                severity = _SEVERITIES.get(d.severity, str(d.severity))
                found.append(Diagnostic(severity, _text(lib.status_name(d.status)), *texts))
        return found

    def _graph(self, function: Any, which: str) -> str:
        if which not in _GRAPHS:
            raise InvalidArgumentError("the graph is one of %s, not %r" % (", ".join(_GRAPHS), which), "INVALID_ARGUMENT")
        text = ctypes.c_char_p()
        self._call(function, _GRAPHS.index(which), ctypes.byref(text))
        return _text(text.value)

    @property
    def written(self) -> Written:
        """The opset, the number of nodes, the bytes (with those of a side file) and the files of the last export; 0 before the first."""
        handle = self._open()
        files = tuple(_text(lib.written_file_name(handle, i)) for i in range(lib.written_file_count(handle)))
        return Written(lib.written_opset(handle), lib.written_node_count(handle), lib.written_size(handle), files)

    @property
    def report(self) -> Dict[str, Any]:
        """Everything known about the model and the last export, as a dict."""
        text = ctypes.c_char_p()
        status = self._run(lambda handle: lib.report_json(handle, ctypes.byref(text)))
        if status != 0:  # the report holds the diagnostics, so this status is not among them
            raise error_of(status, "")
        found: Dict[str, Any] = json.loads(_text(text.value))
        return found

    def graph(self, which: str = "onnx") -> Dict[str, Any]:
        """A graph of the model as a dict: "onnx" is the one that an export would write, "mxnet" is MXNet's as it is converted. If inference
        fails, unknown values are None in MXNet's. lib/schema/graph.json describes both."""
        found: Dict[str, Any] = json.loads(self._graph(lib.graph_json, which))
        return found

    def graph_text(self, which: str = "onnx") -> str:
        """The graph as text for people: a node on each line, with types and dimensions of every value."""
        return self._graph(lib.graph_text, which)
