"""MXNet models to ONNX, without MXNet.

    import mx2onnx
    mx2onnx.export_model("resnet-symbol.json", "resnet-0000.params", [(1, 3, 224, 224)], onnx_file_path="resnet.onnx")

export_model and get_operator_support are those of mxnet.onnx; Model gives the rest.
"""

from ._custom import CustomOperator, Dim, Input, Node, Result, custom_operator
from ._errors import (
    CancelledError,
    Diagnostic,
    Error,
    FileError,
    FormatError,
    InternalError,
    InvalidArgumentError,
    MissingParameterError,
    NotFoundError,
    OutOfMemoryError,
    ShapeError,
    TooLargeError,
    UnsupportedError,
)
from ._export import export_model, get_operator_support, targets
from ._library import lib as _lib
from ._model import Model, Operator, Param, Value, Written
from ._verify import Comparison, Verification, verify

#: The version of the library that is loaded.
__version__ = _lib.version().decode()

__all__ = [
    "CancelledError",
    "Comparison",
    "CustomOperator",
    "Diagnostic",
    "Dim",
    "Error",
    "FileError",
    "FormatError",
    "Input",
    "InternalError",
    "InvalidArgumentError",
    "MissingParameterError",
    "Model",
    "Node",
    "NotFoundError",
    "Operator",
    "OutOfMemoryError",
    "Param",
    "Result",
    "ShapeError",
    "TooLargeError",
    "UnsupportedError",
    "Value",
    "Verification",
    "Written",
    "custom_operator",
    "export_model",
    "get_operator_support",
    "targets",
    "verify",
]
