"""The command line: the C program, which this package's copy of the library contains. Python adds what C cannot do: it runs the files
of --custom, and finds the onnxruntime package for verify."""

import ctypes
import glob
import importlib.util
import os
import runpy
import signal
import sys
import traceback
from typing import Any, Callable, Dict, List, Optional

from ._custom import CustomOperator, Node, NodeError, Refused
from ._errors import Error
from ._library import lib, own
from ._model import Model

_ADD_HANDLERS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


class _Host(ctypes.Structure):
    _fields_ = [("add_handlers", _ADD_HANDLERS), ("runtime", ctypes.c_char_p)]


def _where(e: BaseException, path: str) -> str:
    """ZeroDivisionError in line 7: division by zero"""
    lines = [frame.lineno for frame in traceback.extract_tb(e.__traceback__) if frame.filename == path]
    if isinstance(e, SyntaxError) and e.filename == path:
        lines = [e.lineno]
    return "%s%s: %s" % (type(e).__name__, " in line %d" % lines[-1] if lines and lines[-1] else "", e.msg if isinstance(e, SyntaxError) else e)


def _reported(function: Callable[[Node], Any], path: str) -> Callable[[Node], Any]:
    """An exception becomes the reason why the node is refused: there is no caller in Python that it could reach."""

    def call(node: Node) -> Any:
        try:
            return function(node)
        except (Refused, NodeError):
            raise
        except BaseException as e:
            node.fail("its handler in %s: %s" % (path, _where(e, path)))

    return call


def _run_file(path: str) -> List[CustomOperator]:
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    found: List[CustomOperator] = []
    for value in runpy.run_path(path).values():
        if isinstance(value, CustomOperator) and all(value is not other for other in found):
            found.append(value)
    for o in found:
        o._infer = _reported(o._infer, path)
        o.lower = None if o.lower is None else _reported(o.lower, path)
        o.outputs = _reported(o.outputs, path) if callable(o.outputs) else o.outputs
    return found


class _Handlers:
    """The handlers of each file, and the model of C that has them."""

    def __init__(self) -> None:
        self._files: Dict[str, List[CustomOperator]] = {}
        self._model: Optional[Model] = None
        self._by_name: Dict[str, str] = {}  # of the model: an operator, and the file with its handler

    def add(self, handle: int, path: str) -> None:
        if path not in self._files:
            self._files[path] = _run_file(path)
        if not self._files[path]:
            raise ValueError("it has no handler: no function with @mx2onnx.custom_operator(NAME)")
        if self._model is None or self._model._handle.value != handle:
            self._model = Model._borrow(handle)  # one model at a time: the one before is freed
            self._by_name = {}
        for operator in self._files[path]:
            other = self._by_name.setdefault(operator.name, path)
            if other != path or sum(operator.name == o.name for o in self._files[path]) > 1:
                raise ValueError("it has a handler for '%s', for which %s has one, too" % (operator.name, "the same file" if other == path else other))
            self._model.add_custom_operator(operator)

    def call(self, handle: int, file: bytes, why: Any, size: int) -> int:
        path = os.fsdecode(file)
        try:
            self.add(handle, path)
            return 0
        except (OSError, ValueError, Error) as e:
            of_file = any(frame.filename == path for frame in traceback.extract_tb(e.__traceback__))
            text = _where(e, path) if of_file else isinstance(e, OSError) and e.strerror or str(e)
        except BaseException as e:  # of the file
            text = _where(e, path)
        data = text.encode("utf-8", "replace")[: size - 1]
        ctypes.memmove(why, data + b"\0", len(data) + 1)
        return 1


def _runtime() -> Optional[bytes]:
    """ONNX Runtime's library in the onnxruntime package, which is not imported."""
    spec = importlib.util.find_spec("onnxruntime")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for pattern in ("libonnxruntime.so*", "libonnxruntime*.dylib", "onnxruntime.dll"):
            for path in sorted(glob.glob(os.path.join(glob.escape(folder), "capi", pattern))):
                return os.fsencode(path)
    return None


def _where_the_program_is() -> str:
    """The advice where the library that was loaded does not contain it."""
    if own():
        return "unset MX2ONNX_LIBRARY: the package's own library contains it"
    built = os.path.normpath(os.path.join(os.path.dirname(lib.path), os.pardir, "examples", os.path.basename(lib.path).replace("onnx", "onnx_python", 1)))
    if os.path.exists(built):
        return "use the library of the same build that contains it: MX2ONNX_LIBRARY=%s" % built
    return ("install the package with its own library, which contains it: with MX2ONNX_LIBRARY unset, run pip install ./bindings/python in "
            "libmx2onnx's sources")


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line, once in a process; gives its exit status."""
    words = ["mx2onnx", *(sys.argv[1:] if arguments is None else arguments)]
    try:
        program = lib.handle.mx2onnx_program
    except AttributeError:
        sys.stderr.write("mx2onnx: error: the library %s contains no program\n    help: %s\n" % (lib.path, _where_the_program_is()))
        return 1
    for name in ("SIGINT", "SIGPIPE"):  # they end a program of C
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) in (signal.default_int_handler, signal.SIG_IGN):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    sys.stdout = sys.stderr  # of handlers: standard output may be the model
    host = _Host(_ADD_HANDLERS(_Handlers().call), _runtime() if words[1:2] == ["verify"] else None)
    encoded = [os.fsencode(word) if sys.platform != "win32" else word.encode("utf-8") for word in words]
    program.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(_Host)]
    program.restype = ctypes.c_int
    status: int = program(len(encoded), (ctypes.c_char_p * (len(encoded) + 1))(*encoded, None), ctypes.byref(host))
    return status
