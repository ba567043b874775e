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
    MissingFileError,
    MissingParameterError,
    NotFoundError,
    OutOfMemoryError,
    ShapeError,
    TooLargeError,
    UnsupportedError,
)
from ._export import (
    KnownOperator,
    export_model,
    get_operator_support,
    has_feature,
    known_operators,
    library_version,
    opset_default,
    opset_range,
    targets,
    version_number,
)
from ._model import Candidate, Model, Operator, Param, Progress, Value, Variable, Written
from ._verify import Comparison, Verification, verify

#: The version of this package; library_version() is that of the library that is loaded.
__version__ = "0.9.0"

__all__ = [
    "CancelledError",
    "Candidate",
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
    "KnownOperator",
    "MissingFileError",
    "MissingParameterError",
    "Model",
    "Node",
    "NotFoundError",
    "Operator",
    "OutOfMemoryError",
    "Param",
    "Progress",
    "Result",
    "ShapeError",
    "TooLargeError",
    "UnsupportedError",
    "Value",
    "Variable",
    "Verification",
    "Written",
    "custom_operator",
    "export_model",
    "get_operator_support",
    "has_feature",
    "known_operators",
    "library_version",
    "opset_default",
    "opset_range",
    "targets",
    "verify",
    "version_number",
]
