"""Finds libmx2onnx and declares its functions, as include/mx2onnx.h does."""

import ctypes
import ctypes.util
import os
import sys
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Dict, List, Optional, Tuple

class CLogEntry(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("severity", c_int32), ("message", c_char_p)]


class CProgress(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("phase", c_int32), ("node", c_char_p), ("done", c_uint64), ("total", c_uint64)]


LOG_FN = CFUNCTYPE(None, POINTER(CLogEntry), c_void_p)
PROGRESS_FN = CFUNCTYPE(c_int32, POINTER(CProgress), c_void_p)
WRITE_FN = CFUNCTYPE(c_int32, c_void_p, c_size_t, c_void_p)
READ_FN = CFUNCTYPE(c_int32, c_uint64, c_void_p, c_size_t, c_void_p)
RELEASE_FN = CFUNCTYPE(None, c_void_p)
CUSTOM_FN = CFUNCTYPE(c_int32, c_void_p, c_void_p)
OUTPUTS_FN = CFUNCTYPE(c_size_t, c_void_p, c_void_p)


class CHandler(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("output_count", c_size_t),
        ("overrides", c_int32),
        ("infer", CUSTOM_FN),
        ("lower", CUSTOM_FN),
        ("count_outputs", OUTPUTS_FN),
    ]


class CArray(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("dtype", c_int32),
        ("rank", c_int32),
        ("dims", POINTER(c_int64)),
        ("data", c_void_p),
        ("size", c_size_t),
    ]


class COnnxNode(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("op_type", c_char_p),
        ("domain", c_char_p),
        ("attributes", c_char_p),
        ("input_count", c_size_t),
        ("inputs", POINTER(c_int32)),
        ("output_count", c_size_t),
    ]


class CDiagnostic(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("severity", c_int32),
        ("status", c_int32),
        ("node", c_char_p),
        ("op", c_char_p),
        ("attribute", c_char_p),
        ("name", c_char_p),
        ("message", c_char_p),
        ("advice", c_char_p),
    ]


_MODEL = c_void_p
_NODE = c_void_p
_DIMS = POINTER(c_int64)
_VALUES = POINTER(c_int32)
_OWNER = [c_void_p, RELEASE_FN]  # user, release

# name: (result, arguments)
_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "status_name": (c_char_p, [c_int32]),
    "status_text": (c_char_p, [c_int32]),
    "version": (c_char_p, []),
    "version_number": (c_int32, []),
    "has_feature": (c_int32, [c_int32]),
    "dtype_name": (c_char_p, [c_int32]),
    "dtype_from_name": (c_int32, [c_char_p]),
    "model_new": (c_int32, [POINTER(_MODEL)]),
    "model_free": (None, [_MODEL]),
    "model_reset": (c_int32, [_MODEL]),
    "load": (c_int32, [_MODEL, c_char_p]),
    "load_memory": (c_int32, [_MODEL, c_char_p, c_size_t] + _OWNER),
    "load_callback": (c_int32, [_MODEL, c_uint64, READ_FN] + _OWNER),
    "load_symbol_file": (c_int32, [_MODEL, c_char_p]),
    "load_symbol_memory": (c_int32, [_MODEL, c_char_p, c_size_t]),
    "load_params_file": (c_int32, [_MODEL, c_char_p]),
    "load_params_memory": (c_int32, [_MODEL, c_void_p, c_size_t] + _OWNER),
    "load_params_callback": (c_int32, [_MODEL, c_uint64, READ_FN] + _OWNER),
    "load_net": (c_int32, [_MODEL, c_char_p]),
    "identify_net": (c_int32, [_MODEL]),
    "candidate_count": (c_size_t, [_MODEL]),
    "candidate_name": (c_char_p, [_MODEL, c_size_t]),
    "candidate_title": (c_char_p, [_MODEL, c_size_t]),
    "net_title": (c_char_p, [_MODEL]),
    "use_published": (c_int32, [_MODEL, c_int32]),
    "catalogue_count": (c_size_t, [_MODEL]),
    "catalogue_name": (c_char_p, [_MODEL, c_size_t]),
    "catalogue_text": (c_char_p, [_MODEL, c_size_t]),
    "catalogue_json": (c_char_p, [_MODEL, c_size_t]),
    "load_catalogue_file": (c_int32, [_MODEL, c_char_p]),
    "load_catalogue_memory": (c_int32, [_MODEL, c_char_p, c_size_t]),
    "set_param": (c_int32, [_MODEL, c_char_p, POINTER(CArray)] + _OWNER),
    "remove_param": (c_int32, [_MODEL, c_char_p]),
    "set_input_shape": (c_int32, [_MODEL, c_char_p, c_int32, _DIMS, POINTER(c_char_p)]),
    "set_input_dim_name": (c_int32, [_MODEL, c_char_p, c_size_t, c_char_p]),
    "set_input_dtype": (c_int32, [_MODEL, c_char_p, c_int32]),
    "add_output": (c_int32, [_MODEL, c_char_p]),
    "rename": (c_int32, [_MODEL, c_char_p, c_char_p]),
    "target_count": (c_size_t, []),
    "target_name": (c_char_p, [c_size_t]),
    "target_text": (c_char_p, [c_size_t]),
    "set_option": (c_int32, [_MODEL, c_int32, c_int64]),
    "get_option": (c_int64, [_MODEL, c_int32]),
    "reset_option": (c_int32, [_MODEL, c_int32]),
    "set_text": (c_int32, [_MODEL, c_int32, c_char_p]),
    "get_text": (c_char_p, [_MODEL, c_int32]),
    "set_domain_version": (c_int32, [_MODEL, c_char_p, c_int32]),
    "get_domain_version": (c_int32, [_MODEL, c_char_p]),
    "set_metadata": (c_int32, [_MODEL, c_char_p, c_char_p]),
    "get_metadata": (c_char_p, [_MODEL, c_char_p]),
    "metadata_count": (c_size_t, [_MODEL]),
    "metadata_key": (c_char_p, [_MODEL, c_size_t]),
    "opset_min": (c_int32, []),
    "opset_max": (c_int32, []),
    "opset_default": (c_int32, []),
    "check_external_data": (c_int32, [_MODEL, c_char_p]),
    "set_input_channels_last": (c_int32, [_MODEL, c_char_p, c_int32]),
    "set_input_channels_reversed": (c_int32, [_MODEL, c_char_p, c_int32]),
    "set_input_mean": (c_int32, [_MODEL, c_char_p, c_size_t, POINTER(c_double)]),
    "set_input_scale": (c_int32, [_MODEL, c_char_p, c_size_t, POINTER(c_double)]),
    "get_input_shape": (POINTER(c_int64), [_MODEL, c_char_p, POINTER(c_int32)]),
    "get_input_dim_name": (c_char_p, [_MODEL, c_char_p, c_size_t]),
    "get_input_dtype": (c_int32, [_MODEL, c_char_p]),
    "get_rename": (c_char_p, [_MODEL, c_char_p]),
    "get_input_channels_last": (c_int32, [_MODEL, c_char_p]),
    "get_input_channels_reversed": (c_int32, [_MODEL, c_char_p]),
    "get_input_mean": (POINTER(c_double), [_MODEL, c_char_p, POINTER(c_size_t)]),
    "get_input_scale": (POINTER(c_double), [_MODEL, c_char_p, POINTER(c_size_t)]),
    "set_node_precision": (c_int32, [_MODEL, c_char_p, c_int32]),
    "get_node_precision": (c_int32, [_MODEL, c_char_p]),
    "clear_outputs": (c_int32, [_MODEL]),
    "set_log": (c_int32, [_MODEL, c_int32, LOG_FN] + _OWNER),
    "set_progress": (c_int32, [_MODEL, PROGRESS_FN] + _OWNER),
    "set_custom_operator": (c_int32, [_MODEL, c_char_p, POINTER(CHandler)] + _OWNER),
    "infer": (c_int32, [_MODEL]),
    "input_count": (c_size_t, [_MODEL]),
    "input_name": (c_char_p, [_MODEL, c_size_t]),
    "input_dtype": (c_int32, [_MODEL, c_size_t]),
    "input_rank": (c_int32, [_MODEL, c_size_t]),
    "input_dim": (c_int64, [_MODEL, c_size_t, c_size_t]),
    "input_dim_name": (c_char_p, [_MODEL, c_size_t, c_size_t]),
    "output_count": (c_size_t, [_MODEL]),
    "output_name": (c_char_p, [_MODEL, c_size_t]),
    "output_dtype": (c_int32, [_MODEL, c_size_t]),
    "output_rank": (c_int32, [_MODEL, c_size_t]),
    "output_dim": (c_int64, [_MODEL, c_size_t, c_size_t]),
    "output_dim_name": (c_char_p, [_MODEL, c_size_t, c_size_t]),
    "param_count": (c_size_t, [_MODEL]),
    "param_name": (c_char_p, [_MODEL, c_size_t]),
    "param_dtype": (c_int32, [_MODEL, c_size_t]),
    "param_rank": (c_int32, [_MODEL, c_size_t]),
    "param_dims": (_DIMS, [_MODEL, c_size_t]),
    "param_size": (c_uint64, [_MODEL, c_size_t]),
    "param_used": (c_int32, [_MODEL, c_size_t]),
    "param_read": (c_int32, [_MODEL, c_size_t, c_uint64, c_void_p, c_size_t]),
    "variable_count": (c_size_t, [_MODEL]),
    "variable_name": (c_char_p, [_MODEL, c_size_t]),
    "variable_kind": (c_int32, [_MODEL, c_size_t]),
    "written_opset": (c_int32, [_MODEL]),
    "written_node_count": (c_size_t, [_MODEL]),
    "written_size": (c_uint64, [_MODEL]),
    "written_file_count": (c_size_t, [_MODEL]),
    "written_file_name": (c_char_p, [_MODEL, c_size_t]),
    "cancel": (None, [_MODEL]),
    "operator_count": (c_size_t, [_MODEL]),
    "operator_name": (c_char_p, [_MODEL, c_size_t]),
    "operator_node_count": (c_size_t, [_MODEL, c_size_t]),
    "operator_supported": (c_int32, [_MODEL, c_size_t]),
    "known_operator_count": (c_size_t, []),
    "known_operator_name": (c_char_p, [c_size_t]),
    "known_operator_aliases": (c_char_p, [c_size_t]),
    "known_operator_opset": (c_int32, [c_size_t]),
    "known_operator_status": (c_char_p, [c_size_t]),
    "known_operator_refuses": (c_char_p, [c_size_t]),
    "known_operator_differs": (c_char_p, [c_size_t]),
    "export_file": (c_int32, [_MODEL, c_char_p]),
    "export_memory": (c_int32, [_MODEL, POINTER(c_void_p), POINTER(c_size_t)]),
    "memory_new": (c_void_p, [c_size_t]),
    "memory_free": (None, [c_void_p]),
    "export_callback": (c_int32, [_MODEL, WRITE_FN] + _OWNER),
    "diagnostic_count": (c_size_t, [_MODEL]),
    "diagnostic_get": (c_int32, [_MODEL, c_size_t, POINTER(CDiagnostic)]),
    "error": (c_char_p, [_MODEL]),
    "report_json": (c_int32, [_MODEL, POINTER(c_char_p)]),
    "graph_text": (c_int32, [_MODEL, c_int32, POINTER(c_char_p)]),
    "graph_json": (c_int32, [_MODEL, c_int32, POINTER(c_char_p)]),
    "node_name": (c_char_p, [_NODE]),
    "node_operator": (c_char_p, [_NODE]),
    "node_opset": (c_int32, [_NODE]),
    "node_domain": (c_char_p, [_NODE]),
    "node_attribute": (c_char_p, [_NODE, c_char_p]),
    "node_attribute_count": (c_size_t, [_NODE]),
    "node_attribute_key": (c_char_p, [_NODE, c_size_t]),
    "node_attribute_value": (c_char_p, [_NODE, c_size_t]),
    "node_output_count": (c_size_t, [_NODE]),
    "node_input_count": (c_size_t, [_NODE]),
    "node_input_name": (c_char_p, [_NODE, c_size_t]),
    "node_input_dtype": (c_int32, [_NODE, c_size_t]),
    "node_input_rank": (c_int32, [_NODE, c_size_t]),
    "node_input_dim": (c_int64, [_NODE, c_size_t, c_size_t]),
    "node_input_stored_dtype": (c_int32, [_NODE, c_size_t]),
    "node_input_size": (c_uint64, [_NODE, c_size_t]),
    "node_input_read": (c_int32, [_NODE, c_size_t, c_uint64, c_void_p, c_size_t]),
    "node_fail": (c_int32, [_NODE, c_char_p]),
    "node_set_output_like": (c_int32, [_NODE, c_size_t, c_size_t]),
    "node_set_output": (c_int32, [_NODE, c_size_t, c_int32, c_int32, _DIMS]),
    "node_set_output_dim": (c_int32, [_NODE, c_size_t, c_size_t, c_size_t, c_size_t]),
    "node_input_value": (c_int32, [_NODE, c_size_t]),
    "node_add_constant": (c_int32, [_NODE, POINTER(CArray), _VALUES]),
    "node_add": (c_int32, [_NODE, POINTER(COnnxNode), _VALUES]),
    "node_set_result": (c_int32, [_NODE, c_size_t, c_int32]),
}


class Library:
    """The functions of the shared library without their prefix: lib.model_new(...)."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.handle = ctypes.CDLL(path)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self.handle, "mx2onnx_" + name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _file_names() -> List[str]:
    if sys.platform == "win32":
        return ["mx2onnx.dll", "libmx2onnx.dll"]
    if sys.platform == "darwin":
        return ["libmx2onnx.dylib", "libmx2onnx.0.dylib"]
    return ["libmx2onnx.so", "libmx2onnx.so.0"]


def own() -> Optional[str]:
    """The library in the package, which a wheel brings."""
    folder = os.path.dirname(os.path.abspath(__file__))
    return next((path for path in (os.path.join(folder, name) for name in _file_names()) if os.path.exists(path)), None)


def find() -> str:
    """Where the library is: MX2ONNX_LIBRARY, else next to this file (a wheel), else where the system looks."""
    return os.environ.get("MX2ONNX_LIBRARY") or own() or ctypes.util.find_library("mx2onnx") or _file_names()[-1]


def load() -> Library:
    try:
        return Library(find())
    except OSError as e:
        why = "libmx2onnx cannot be loaded: %s" % e
        advice = ("install the package with its own library (pip install ./bindings/python in libmx2onnx's sources), or name the file of a library "
                  "in the environment variable MX2ONNX_LIBRARY")
        if sys.argv[:1] == ["-m"] and "mx2onnx" in getattr(sys, "orig_argv", ()):  # the program, which has no traceback
            raise SystemExit("mx2onnx: error: %s\n    help: %s" % (why, advice)) from None
        raise ImportError("%s; %s" % (why, advice)) from e


lib = load()
