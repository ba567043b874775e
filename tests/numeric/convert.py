# SPDX-License-Identifier: Apache-2.0
"""Three ways into the converter, one signature: the C API, the Python package, the command line.

    convert = route("capi", library="build/libmx2onnx.so")
    convert(symbol_file, params_file, {"data": (shape, dtype)}, {"data": {0: "batch"}}, opset, out_file)

A dim that is called None stays open. Raises ConversionError with the converter's text. A last argument "all" or "inside" asks for float16.
"""
import ctypes
import os
import subprocess
import sys

FLAGS = {"float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6, "bool": 7}
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))


class ConversionError(Exception):
    """The converter's text; `status` is its number, or None if the route does not report it."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


OPSET, FLOAT16 = 1, 2  # of mx2onnx_option


class CApi:
    """libmx2onnx through ctypes: what a C program calls."""

    def __init__(self, library):
        lib = self.lib = ctypes.CDLL(os.path.abspath(library))
        p, s, i32 = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
        for name, result, arguments in (
                ("model_new", i32, [ctypes.POINTER(p)]), ("model_free", None, [p]), ("error", s, [p]),
                ("load_symbol_file", i32, [p, s]), ("load_params_file", i32, [p, s]),
                ("set_input_shape", i32, [p, s, i32, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(s)]), ("set_input_dtype", i32, [p, s, i32]),
                ("set_option", i32, [p, i32, ctypes.c_int64]), ("export_file", i32, [p, s])):
            f = getattr(lib, "mx2onnx_" + name)
            f.restype, f.argtypes = result, arguments

    def __call__(self, symbol, params, inputs, dynamic, opset, out, float16=None):
        model = ctypes.c_void_p()
        if self.lib.mx2onnx_model_new(ctypes.byref(model)) != 0:
            raise ConversionError("no model")
        try:
            self._convert(model, symbol, params, inputs, dynamic, opset, out, float16)
        finally:
            self.lib.mx2onnx_model_free(model)

    def _convert(self, model, symbol, params, inputs, dynamic, opset, out, float16):
        def call(name, *arguments):
            status = getattr(self.lib, "mx2onnx_" + name)(model, *arguments)
            if status != 0:
                text = self.lib.mx2onnx_error(model).decode()
                raise ConversionError(text or "no text from mx2onnx_" + name, status)

        call("load_symbol_file", symbol.encode())
        if params:
            call("load_params_file", params.encode())
        for name, (shape, dtype) in inputs.items():
            names = dynamic.get(name, {})
            dims = [-1 if axis in names else d for axis, d in enumerate(shape)]
            called = [names[axis].encode() if names.get(axis) else None for axis in range(len(dims))]
            call("set_input_shape", name.encode(), len(dims), (ctypes.c_int64 * len(dims))(*dims), (ctypes.c_char_p * len(dims))(*called))
            call("set_input_dtype", name.encode(), FLAGS[dtype])
        call("set_option", OPSET, opset)
        call("set_option", FLOAT16, {None: 0, "all": 1, "inside": 2}[float16])
        call("export_file", out.encode())


class Tool:
    """The command line, with further options; `model` is given to it instead of the two files."""

    def __init__(self, tool, options=(), model=None):
        self.tool, self.options, self.model = os.path.abspath(tool), list(options), model

    def __call__(self, symbol, params, inputs, dynamic, opset, out, float16=None):
        files = [self.model] if self.model else [symbol] + ([params] if params else [])
        command = [self.tool, "convert"] + files + ["-o", out, "--opset", str(opset), "--quiet"] + self.options
        command += ["--float16=" + float16] if float16 else []
        for name, (shape, dtype) in inputs.items():
            dims = [str(d) for d in shape]
            if dynamic.get(name):
                command += ["--dynamic", "%s=%s:%s" % (name, ",".join(
                    dynamic[name].get(axis, d) or "?" for axis, d in enumerate(dims)), dtype)]
            else:
                command += ["--input", "%s=%s:%s" % (name, "x".join(dims) or "()", dtype)]
        p = subprocess.run(command, capture_output=True, text=True)
        if p.returncode != 0:
            raise ConversionError(p.stderr.strip() or "exit status %d" % p.returncode)


class Package:
    """The Python package, with the signature of MXNet's own exporter."""

    def __init__(self, library):
        os.environ["MX2ONNX_LIBRARY"] = os.path.abspath(library)
        folder = os.path.join(ROOT, "bindings", "python")
        if os.path.isdir(folder):
            sys.path.insert(0, folder)
        import mx2onnx
        self.mx2onnx = mx2onnx

    def __call__(self, symbol, params, inputs, dynamic, opset, out, float16=None):
        fixed = {n: shape for n, (shape, _) in inputs.items()}
        types = {n: dtype for n, (_, dtype) in inputs.items()}
        open_ = {n: tuple(dynamic.get(n, {}).get(axis, d) for axis, d in enumerate(shape))
                 for n, shape in fixed.items()} if dynamic else None
        if len(inputs) == 1:  # lists, as MXNet's exporter takes them; by name where inference may read fewer inputs
            fixed, types, open_ = list(fixed.values()), list(types.values()), open_ and list(open_.values())
        try:
            self.mx2onnx.export_model(symbol, params if params else {}, fixed, types, out, dynamic=bool(dynamic),
                                      dynamic_input_shapes=open_, opset_version=opset, float16=float16)
        except Exception as e:
            raise ConversionError(str(e)) from e


def program(tool=None):
    """The path of the command line."""
    return tool or os.environ.get("MX2ONNX_TOOL") or os.path.join(ROOT, "build", "examples", "mx2onnx")


def library(path=None):
    """The path of the library."""
    return path or os.environ.get("MX2ONNX_LIBRARY") or os.path.join(ROOT, "build", "lib", "libmx2onnx.so")


def route(name, path=None, tool=None):
    """The converter of that name: "capi", "python" or "cli"."""
    return {"capi": lambda: CApi(library(path)), "python": lambda: Package(library(path)), "cli": lambda: Tool(program(tool))}[name]()
