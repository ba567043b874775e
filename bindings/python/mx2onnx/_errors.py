"""A status of the library as an exception, in Python's words."""

from __future__ import annotations

import errno
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Type, Union

from ._library import lib
from ._types import Path


class Diagnostic(NamedTuple):
    severity: str  #: "error", "warning" or "note"
    status: str  #: "UNSUPPORTED" and so on; "OK" for a warning or a note
    node: str  #: MXNet's name of the node; "" if none is meant, so with the others
    op: str
    attribute: str
    name: str  #: the input, output, parameter or file that is meant instead of a node
    message: str
    advice: str


class Error(Exception):
    """A model cannot be read, converted or written. Each status has a subclass.

    status: "FORMAT", "UNSUPPORTED", "SHAPE" and so on (MX2ONNX_STATUS_MAP of the C header)
    diagnostics: a list of Diagnostic with everything that was found
    """

    def __init__(self, message: str, status: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.diagnostics: List[Diagnostic] = list(diagnostics)

    def __reduce__(self) -> Tuple[Any, ...]:  # for processes of others: multiprocessing, Dask
        state = dict(self.__dict__, filename=self.filename) if isinstance(self, OSError) else self.__dict__
        return type(self), (str(self), self.status, self.diagnostics), state

    def __str__(self) -> str:  # an OSError with a file name would make another text of its parts
        return str(self.args[0])


class InvalidArgumentError(Error, ValueError):
    """An argument is not valid, or the model is called inside one of its own callbacks."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""


class FileError(Error, OSError):
    """A file cannot be read or written. If it was passed as a path, `filename` is that path."""


class NotFoundError(Error, LookupError):
    """An input, output, model or other name does not exist. MissingFileError, a subclass, is for files."""


class MissingFileError(NotFoundError, FileError, FileNotFoundError):
    """The file does not exist."""

    def __init__(self, message: str, status: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message, status, diagnostics)
        self.errno = errno.ENOENT
        self.strerror = os.strerror(errno.ENOENT)


class FormatError(Error, ValueError):
    """A file is damaged or not of an MXNet format."""


class UnsupportedError(Error):
    """An operator, attribute value or type has no form in ONNX."""


class ShapeError(Error):
    """Shapes or element types do not fit together or are not known."""


class MissingParameterError(Error):
    """The graph needs a parameter that no file holds."""


class TooLargeError(Error):
    """A limit of ONNX or of the library is exceeded."""


class CancelledError(Error):
    """The call was cancelled, by the progress function or by `cancel`."""


class InternalError(Error):
    """An invariant of the library does not hold. Report it."""


ERRORS: Dict[str, Type[Error]] = {
    "INVALID_ARGUMENT": InvalidArgumentError,
    "OUT_OF_MEMORY": OutOfMemoryError,
    "IO": FileError,
    "NOT_FOUND": NotFoundError,
    "FORMAT": FormatError,
    "UNSUPPORTED": UnsupportedError,
    "SHAPE": ShapeError,
    "MISSING_PARAMETER": MissingParameterError,
    "TOO_LARGE": TooLargeError,
    "CANCELLED": CancelledError,
    "INTERNAL": InternalError,
}

# C's functions whose names are others in Python; all else is a method of Model, or of Node, under the same name.
_WORDS = {
    "model_reset": "Model.reset",
    "catalogue_name": "Model.catalogue",
    "param_size": "Param.nbytes",
    "load_catalogue_file": "Model.load_catalogue",
    "node_input_size": "Input.nbytes",
    "node_add_constant": "Node.constant",
    "load_symbol_file": "Model.load_symbol",
    "load_params_file": "Model.load_params",
    "load_params_memory": "Model.load_params",
    "set_custom_operator": "Model.custom_operator (export_model: custom_operators)",
    "add_output": "Model.add_output (export_model: outputs)",
}


def _word(match: 're.Match[str]') -> str:
    name: str = match.group(1)
    if name in _WORDS:
        return _WORDS[name]
    return "Node." + name[len("node_") :] if name.startswith("node_") else "Model." + name


def _shape(match: 're.Match[str]') -> str:
    """mx2onnx_set_input_shape: data=1x3x224x224, the form of the command line, is in_shapes={"data": (1, 3, 224, 224)} here."""
    name, dims = match.groups()
    sizes = [d if d.isdigit() or d.isupper() else "None" if d == "?" else '"%s"' % d for d in dims.split("," if "," in dims else "x")]
    shape = dims if dims == "DIMS" else "(%s%s)" % (", ".join(sizes), "," if len(sizes) == 1 else "")
    return 'Model.set_input_shape("%s", %s) (export_model: in_shapes={"%s": %s})' % (name, shape, name, shape)


def text_of(data: Optional[bytes]) -> str:
    """A text of the library; its advice names C's functions and options, here Python's."""
    text = "" if data is None else data.decode("utf-8", "replace")
    text = re.sub(r"\bmx2onnx_set_option: ([A-Z0-9_]+) ", lambda m: "Model.%s " % m.group(1).lower(), text)
    text = re.sub(r"\bmx2onnx_set_(?:option|text): ", "", text)  # what follows is about the value
    text = re.sub(r"\bmx2onnx_set_input_shape: ([^\s=]+)=([\w?,]*[\w?])", _shape, text)
    text = re.sub(r"\bMX2ONNX_OPTION_OPSET\b", "Model.opset (export_model: opset_version)", text)
    text = re.sub(r"\bMX2ONNX_(?:OPTION|TEXT)_(\w+)", lambda m: "Model." + m.group(1).lower(), text)
    return re.sub(r"(?<![^\s(])mx2onnx_(\w+)", _word, text)  # not a part of a path or a name


def error_of(
    status: int, message: str, diagnostics: Sequence[Diagnostic] = (), file: Optional[Path] = None, missing: bool = False
) -> Error:
    """The exception for a status, of a call for a file, if one is given; missing: NOT_FOUND means that it, or one that belongs to it, is
    not there."""
    name = lib.status_name(status).decode()
    kind = MissingFileError if missing and name == "NOT_FOUND" else ERRORS.get(name, Error)
    error = kind(message or lib.status_text(status).decode(), name, diagnostics)
    if isinstance(error, OSError) and file is not None:
        error.filename = _file_of(os.fspath(file), diagnostics)
    return error


def _file_of(path: Union[str, bytes], diagnostics: Sequence[Diagnostic]) -> Union[str, bytes]:
    """The path that was given, or that of a file next to it which it names."""
    named = next((d.name for d in diagnostics if d.severity == "error" and d.name), "")
    folder, base = os.path.split(os.fsdecode(path))
    return path if not os.path.exists(path) or named in ("", base, os.fsdecode(path)) else os.path.join(folder, named)
