"""Arrays in and out. NumPy is used where it is there, and never needed for anything else."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable, Optional, Tuple

from . import _arguments as arguments

# struct codes of memoryview.format, for arrays that are not NumPy's; "l" and "L" depend on the platform
_FORMATS = {
    "f": "float32",
    "d": "float64",
    "e": "float16",
    "?": "bool",
    "b": "int8",
    "B": "uint8",
    "c": "uint8",
    "h": "int16",
    "H": "uint16",
    "i": "int32",
    "I": "uint32",
    "l": "int%d" % (8 * ctypes.sizeof(ctypes.c_long)),
    "L": "uint%d" % (8 * ctypes.sizeof(ctypes.c_long)),
    "q": "int64",
    "Q": "uint64",
}


def dtype_name(dtype: Any) -> str:
    """The name of an element type: of np.float32, np.dtype("float32"), "float32" or "<f4"."""
    name = getattr(dtype, "name", None)
    if isinstance(name, str):
        return name
    if isinstance(dtype, str) and dtype.isidentifier():
        return dtype
    if isinstance(dtype, type) and dtype.__module__.startswith(("numpy", "ml_dtypes")):
        return "bool" if dtype.__name__ in ("bool_", "bool") else dtype.__name__
    import numpy

    return str(numpy.dtype(dtype).name)


class Borrowed:
    """The memory of an array, or of a copy: name of the type, shape, address, size. Keeps what it points to alive."""

    dtype: str
    shape: Tuple[int, ...]
    size: int
    address: Any
    keep: Any

    def __init__(self, value: Any, copy: bool = False) -> None:
        if hasattr(value, "list_data"):  # a Parameter of Gluon's
            value = value.data()
        if hasattr(value, "asnumpy"):
            value, copy = value.asnumpy(), False
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
            self._from_numpy(numpy, value, copy)
        else:
            self._from_buffer(value)

    def _from_numpy(self, numpy: Any, value: Any, copy: bool) -> None:
        # Not ascontiguousarray, which makes a vector of a scalar.
        array = numpy.array(value, order="C") if copy else numpy.asarray(value, order="C")
        if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
            array = array.astype(array.dtype.newbyteorder("<"))
        self.keep = array
        self.dtype = array.dtype.name
        self.shape = array.shape
        self.size = array.nbytes
        self.address = array.ctypes.data

    def _from_buffer(self, value: Any) -> None:
        try:
            view = memoryview(value)
        except TypeError:
            raise TypeError(
                "a parameter is a NumPy array, an object with asnumpy() or one with the buffer protocol, not %s"
                % type(value).__name__
            ) from None
        code = view.format.lstrip("<=@")
        if code not in _FORMATS:
            raise TypeError("elements of buffer format '%s' have no type in MXNet" % view.format)
        self.dtype = _FORMATS[code]
        self.shape = view.shape or ()
        self.size = view.nbytes
        self.keep = view.tobytes()
        self.address = ctypes.cast(ctypes.c_char_p(self.keep), ctypes.c_void_p).value

    def dims(self) -> Any:
        return arguments.dims(self.shape)


def read_part(whole: int, offset: int, size: Optional[int], read: Callable[[int, Any, int], Any]) -> bytearray:
    """What read(offset, memory, size) puts into memory; without a size, all from the offset on."""
    offset = arguments.uint64(offset, "offset")
    size = max(0, whole - offset) if size is None else arguments.size(size, "size")
    if size > whole:
        raise ValueError("there are %d bytes, not %d" % (whole, size))
    data = bytearray(size)
    read(offset, (ctypes.c_char * size).from_buffer(data) if size else None, size)
    return data


def to_numpy(data: Any, dtype: Any, shape: Any) -> Any:
    """A NumPy array over a bytearray; bfloat16 as uint16, or as ml_dtypes' type where that is loaded."""
    import numpy

    if dtype == "bfloat16":
        ml_dtypes = sys.modules.get("ml_dtypes")
        np_dtype = numpy.dtype(ml_dtypes.bfloat16 if ml_dtypes else "<u2")
    else:
        np_dtype = numpy.dtype(dtype).newbyteorder("<")
    return numpy.frombuffer(data, dtype=np_dtype).reshape(shape)
