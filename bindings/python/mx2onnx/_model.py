"""The class over the C handle."""

import collections
import contextlib
import ctypes
import io
import json
import os
import signal
import threading

from ._arrays import Borrowed, dtype_name, to_numpy
from ._library import LOG_FN, PROGRESS_FN, RELEASE_FN, WRITE_FN, CDiagnostic, lib

_SEVERITIES = {0: "error", 1: "warning", 2: "note"}
_FLOAT16 = {False: 0, None: 0, True: 1, "all": 1, "inside": 2}
_NO_RELEASE = RELEASE_FN()  # memory and functions are kept by the Model itself
_EXTERNAL = {"auto": 0, "never": 1, "always": 2}

#: An input or output. shape: None while the rank is unknown, else a tuple of sizes, names and None.
Value = collections.namedtuple("Value", "name dtype shape")
Operator = collections.namedtuple("Operator", "name uses supported")
Diagnostic = collections.namedtuple("Diagnostic", "severity status node op attribute name message advice")


def _text(data):
    return None if data is None else data.decode("utf-8", "replace")


def _path(path):
    return os.fsencode(path)


_LIMITS = ["memory", "expansion", "nodes", "output"]  # MX2ONNX_LIMIT_...


class Error(Exception):
    """A model cannot be read, converted or written.

    status: "FORMAT", "UNSUPPORTED", "SHAPE" and so on (MX2ONNX_STATUS_MAP of the C header);
    diagnostics: everything that was found, a list of Diagnostic.
    """

    def __init__(self, message, status, diagnostics=()):
        super().__init__(message)
        self.status = status
        self.diagnostics = list(diagnostics)


class Param:
    """An array of a parameter file. numpy() and bytes() read it; nothing is kept in memory before."""

    def __init__(self, model, index):
        handle = model._handle
        self._model = model
        self._index = index
        self.name = _text(lib.param_name(handle, index))
        self.dtype = _text(lib.dtype_name(lib.param_dtype(handle, index)))
        dims = lib.param_dims(handle, index)
        self.shape = tuple(dims[i] for i in range(lib.param_rank(handle, index)))
        self.nbytes = lib.param_bytes(handle, index)
        self.used = bool(lib.param_used(handle, index))

    def _read(self):
        data = bytearray(self.nbytes)
        memory = (ctypes.c_char * self.nbytes).from_buffer(data) if self.nbytes else None
        self._model._check(lib.param_read(self._model._open(), self._index, memory, self.nbytes))
        return data

    def bytes(self):
        return bytes(self._read())

    def numpy(self):
        return to_numpy(self._read(), self.dtype, self.shape)

    def __repr__(self):
        return "Param(%r, %s, %r)" % (self.name, self.dtype, self.shape)


class Model:
    """An MXNet model on its way to ONNX: load, look, choose, export.

    Model("resnet-symbol.json") loads a symbol file with the parameters beside it, a prefix, a folder or an archive;
    Model() starts empty. Not for use by two threads at once; different models are independent.
    """

    def __init__(self, path=None):
        self._handle = ctypes.c_void_p()
        self._keep = []  # memory that the library borrows
        self._raised = None  # an exception of a callback, on its way out
        self._callbacks = {}
        self._check(lib.model_new(ctypes.byref(self._handle)))
        self.set_progress(None)
        if path is not None:
            try:
                self.load(path)
            except BaseException:
                self.close()
                raise

    # ---- life

    def close(self):
        if self._handle:
            lib.model_free(self._handle)
            self._handle = ctypes.c_void_p()
            self._keep = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def _open(self):
        if not self._handle:
            raise ValueError("the model is closed")
        return self._handle

    def _check(self, status):
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        if status != 0:
            message = _text(lib.error(self._handle)) or _text(lib.status_text(status))
            diagnostics = self.diagnostics if self._handle else []
            raise Error(message, _text(lib.status_name(status)), diagnostics)

    # ---- load

    def load(self, path):
        """A symbol file with the parameters beside it, a prefix, a folder, or an archive."""
        self._check(lib.load(self._open(), _path(path)))

    def load_symbol(self, symbol):
        """A path, the JSON text itself, or an object with tojson() such as mxnet.sym.Symbol."""
        if hasattr(symbol, "tojson"):
            symbol = symbol.tojson()
        if isinstance(symbol, str) and symbol.lstrip("\ufeff \t\r\n").startswith("{"):
            symbol = symbol.encode("utf-8")
        if isinstance(symbol, bytes):
            self._check(lib.load_symbol_memory(self._open(), symbol, len(symbol)))
        else:
            self._check(lib.load_symbol_file(self._open(), _path(symbol)))

    def load_params(self, params):
        """A path (.params, .npz, .npy), the bytes of such a file, or a dict of arrays. May be called several times."""
        if isinstance(params, (bytes, bytearray)):
            data = bytes(params)
            self._keep.append(data)
            self._check(lib.load_params_memory(self._open(), data, len(data), None, _NO_RELEASE))
        elif hasattr(params, "items"):
            for name, value in params.items():
                self.set_param(name, value)
        else:
            self._check(lib.load_params_file(self._open(), _path(params)))

    def set_param_prefix(self, prefix):
        """Names in the symbol and in the parameter files are the same if they are without this prefix."""
        self._check(lib.set_param_prefix(self._open(), None if prefix is None else prefix.encode("utf-8")))

    def set_param(self, name, value):
        """Gives a value to a variable: a parameter, or an input that is to be frozen. The memory is borrowed: leave
        the array as it is until the model is closed."""
        for prefix in ("arg:", "aux:"):
            if name.startswith(prefix):
                name = name[len(prefix) :]
        data = Borrowed(value)
        status = lib.set_param(
            self._open(),
            name.encode("utf-8"),
            self._dtype(data.dtype),
            len(data.shape),
            data.dims(),
            data.address,
            data.size,
            None,
            _NO_RELEASE,
        )
        self._keep.append(data)
        self._check(status)

    # ---- choose

    @staticmethod
    def _dtype(dtype):
        name = dtype_name(dtype)
        number = lib.dtype_from_name(name.encode("utf-8"))
        if number < 0:
            raise TypeError("there is no element type '%s' in MXNet" % name)
        return number

    def set_input_shape(self, name, shape):
        """A dim is a size; a name ("batch"): dynamic, and one name promises one size; or None: left to inference."""
        sizes = [d if isinstance(d, str) or d is None else int(d) for d in shape]
        dims = (ctypes.c_int64 * max(1, len(sizes)))(*[-1 if d is None or isinstance(d, str) else d for d in sizes])
        encoded = name.encode("utf-8")
        self._check(lib.set_input_shape(self._open(), encoded, len(sizes), dims))
        for axis, d in enumerate(sizes):
            if isinstance(d, str):
                self._check(lib.set_input_dim_name(self._handle, encoded, axis, d.encode("utf-8")))

    def set_input_dtype(self, name, dtype):
        self._check(lib.set_input_dtype(self._open(), name.encode("utf-8"), self._dtype(dtype)))

    def set_input_channels_last(self, name, on=True):
        """The ONNX input is (n, h, w, c) where the net has (n, c, h, w); shapes are given in the net's order."""
        self._check(lib.set_input_channels_last(self._open(), name.encode("utf-8"), int(on)))

    def set_input_channels_reversed(self, name, on=True):
        """The ONNX input is BGR where the net reads RGB, or the other way round."""
        self._check(lib.set_input_channels_reversed(self._open(), name.encode("utf-8"), int(on)))

    def _set_values(self, function, name, values):
        values = [float(v) for v in (values if hasattr(values, "__len__") else [values])]
        self._check(function(self._open(), name.encode("utf-8"), len(values), (ctypes.c_double * len(values))(*values)))

    def set_input_mean(self, name, mean):
        """The net gets (x - mean) * scale: a value a channel, or one for all. The input may then be of integers."""
        self._set_values(lib.set_input_mean, name, mean)

    def set_input_scale(self, name, scale):
        """See set_input_mean."""
        self._set_values(lib.set_input_scale, name, scale)

    def add_output(self, name):
        """An output by MXNet's name ("fc1_output"); the first call replaces the file's outputs."""
        self._check(lib.add_output(self._open(), name.encode("utf-8")))

    def rename(self, old, new):
        self._check(lib.rename(self._open(), old.encode("utf-8"), new.encode("utf-8")))

    def set_opset(self, opset):
        self._check(lib.set_opset(self._open(), 0 if opset is None else opset))

    def set_limit(self, which, value):
        """What the model may cost: which is "memory", "expansion", "nodes" or "output"; see lib/LIMITS.md."""
        self._check(lib.set_limit(self._open(), _LIMITS.index(which), value))

    def limit(self, which):
        return lib.get_limit(self._open(), _LIMITS.index(which))

    def set_seed(self, seed):
        """The seed of random operators, which then give the same values at every run, though never MXNet's."""
        self._check(lib.set_seed(self._open(), seed))

    def set_unknown_domain(self, domain="mxnet"):
        """Operators that are not known are kept as nodes of this domain, for a runtime that has them; None: an error."""
        self._check(lib.set_unknown_domain(self._open(), None if domain is None else domain.encode("utf-8")))

    def set_float16(self, mode=True):
        """A float16 model of half the size. "inside": inputs and outputs keep their types; False: as the model is."""
        if mode not in _FLOAT16:
            raise ValueError("float16 is True, 'all', 'inside' or False, not %r" % (mode,))
        self._check(lib.set_float16(self._open(), _FLOAT16[mode]))

    def keep_float32(self, name, keep=True):
        """With set_float16: a node, or all nodes of an operator, that stay float32; keep=False: that do not, although
        the library would keep them so."""
        self._check(lib.keep_float32(self._open(), name.encode("utf-8"), int(keep)))

    def set_external_data(self, mode, threshold=0):
        """Weights in a side file: "auto" (over 2 GiB), "never", "always" for arrays of `threshold` bytes and more."""
        if mode not in _EXTERNAL:
            raise ValueError("external data is 'auto', 'never' or 'always', not %r" % (mode,))
        self._check(lib.set_external_data(self._open(), _EXTERNAL[mode], threshold))

    def set_target(self, name):
        """Writes for a program that does not read all of ONNX, one of targets(); None takes the choice back."""
        self._check(lib.set_target(self._open(), None if name is None else name.encode()))

    def set_trust_indices(self, on=True):
        """Indices of Embedding and take are inside their tables: nothing brings them there."""
        self._check(lib.set_trust_indices(self._open(), int(on)))

    def set_keep_batch_norm(self, on=True):
        self._check(lib.set_keep_batch_norm(self._open(), int(on)))

    def set_initializers_as_inputs(self, on=True):
        self._check(lib.set_initializers_as_inputs(self._open(), int(on)))

    def set_fsync(self, on=True):
        self._check(lib.set_fsync(self._open(), int(on)))

    def _guarded(self, function, stop):
        """The function for C: an exception stops the export and is raised again outside."""

        def call(*arguments):
            try:
                return function(*arguments)
            except BaseException as e:  # also KeyboardInterrupt: C cannot carry it
                self._raised = e
                return stop

        return call

    def set_log(self, function):
        """function(level, message), level 0 error, 1 warning, 2 note, 3 debug; None for silence."""
        callback = LOG_FN()
        if function is not None:
            callback = LOG_FN(self._guarded(lambda level, text, _: function(level, _text(text)), None))
        self._check(lib.set_log(self._open(), callback, None, _NO_RELEASE))
        self._callbacks["log"] = callback

    def set_progress(self, function):
        """function(done, total) with bytes while an export writes; a true result stops it. None for none."""
        # Set even without a function: Python hears of a signal only when it runs.
        def call(done, total, _):
            stop = function(done, total) if function is not None and self._raised is None else False
            return 1 if stop or self._raised is not None else 0

        callback = PROGRESS_FN(self._guarded(call, 1))
        self._check(lib.set_progress(self._open(), callback, None, _NO_RELEASE))
        self._callbacks["progress"] = callback

    # ---- look

    def infer(self):
        """Finds shapes and types with the choices made so far."""
        self._check(lib.infer(self._open()))

    def _values(self, side):
        handle = self._open()

        def get(what, *arguments):
            return getattr(lib, side + "_" + what)(handle, *arguments)

        values = []
        for i in range(get("count")):
            rank = get("rank", i)
            shape = None
            if rank >= 0:
                sizes = [get("dim", i, axis) for axis in range(rank)]
                shape = tuple(d if d >= 0 else _text(get("dim_name", i, axis)) for axis, d in enumerate(sizes))
            dtype = get("dtype", i)
            values.append(Value(_text(get("name", i)), _text(lib.dtype_name(dtype)) if dtype >= 0 else None, shape))
        return values

    @property
    def inputs(self):
        return self._values("input")

    @property
    def outputs(self):
        return self._values("output")

    @property
    def params(self):
        """The arrays of the parameter files: a dict of name to Param."""
        found = (Param(self, i) for i in range(lib.param_count(self._open())))
        return {p.name: p for p in found}

    @property
    def missing(self):
        """The names of the weights that no parameter file holds; an export needs them."""
        handle = self._open()
        return [_text(lib.missing_name(handle, i)) for i in range(lib.missing_count(handle))]

    @property
    def unbound(self):
        """The names of all variables without a value, in the order of MXNet's list_inputs(): inputs, labels, weights."""
        handle = self._open()
        return [_text(lib.unbound_name(handle, i)) for i in range(lib.unbound_count(handle))]

    @property
    def operators(self):
        handle = self._open()
        return [
            Operator(
                _text(lib.operator_name(handle, i)),
                lib.operator_uses(handle, i),
                bool(lib.operator_supported(handle, i)),
            )
            for i in range(lib.operator_count(handle))
        ]

    # ---- export

    @contextlib.contextmanager
    def _interruptible(self):
        """Ctrl-C stops an export. An exception that Python raises as a callback begins would be lost in C, so the
        handler only takes a note, which the progress function reads."""
        ours = threading.current_thread() is threading.main_thread() and (
            signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if not ours:
            yield
            return

        def note(*_):
            self._raised = KeyboardInterrupt()

        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def export(self, path):
        """Writes the ONNX file: whole, or the target is untouched. Gives the path."""
        handle = self._open()
        with self._interruptible():
            status = lib.export_file(handle, _path(path))
        self._check(status)
        return path

    def export_bytes(self):
        # Not by way of export_memory: bytes would be a second copy of the whole.
        buffer = io.BytesIO()
        self.export_to(buffer.write)
        return buffer.getvalue()

    def export_to(self, write):
        """Calls write(bytes) with the file's bytes in order: export_to(open_file.write)."""

        def forward(data, size, _):
            write(ctypes.string_at(data, size))
            return 0

        callback = WRITE_FN(self._guarded(forward, 1))
        handle = self._open()
        with self._interruptible():
            status = lib.export_callback(handle, callback, None)
        self._check(status)

    # ---- report

    @property
    def diagnostics(self):
        """What there is to say of the model as it stands, and of the last call if it failed."""
        handle = self._open()
        found = []
        for i in range(lib.diagnostic_count(handle)):
            d = CDiagnostic(struct_size=ctypes.sizeof(CDiagnostic))
            if lib.diagnostic_get(handle, i, ctypes.byref(d)) == 0:
                texts = [_text(t) for t in (d.node, d.op, d.attribute, d.name, d.message, d.advice)]
                severity = _SEVERITIES.get(d.severity, str(d.severity))
                found.append(Diagnostic(severity, _text(lib.status_name(d.status)), *texts))
        return found

    def _report(self, function):
        text = function(self._open())
        if text is None:
            self._check(-2)
        return _text(text)

    def _graph(self, function):
        text = ctypes.c_char_p()
        self._check(function(self._open(), ctypes.byref(text)))
        return _text(text.value)

    @property
    def report(self):
        """Everything known about the model and the last export, as a dict."""
        return json.loads(self._report(lib.report_json))

    @property
    def report_text(self):
        return self._report(lib.report_text)

    def graph_text(self):
        """The ONNX graph as text, a node a line, with types and dims of every value."""
        return self._graph(lib.graph_text)

    def symbol_text(self):
        """The MXNet graph after inference, in the same manner."""
        return self._graph(lib.symbol_text)
