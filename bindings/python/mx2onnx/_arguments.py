"""Arguments of C's functions. ctypes cuts an integer to the width of C's type and a text at a NUL; here both are errors."""

import ctypes
import operator
import os
from typing import Any, Dict, List, Optional, Sequence


def integer(value: Any, what: str, low: int, high: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError("%s must be an integer, not %s" % (what, shown(value))) from None
    if not low <= number <= high:
        raise OverflowError("%s must be from %d to %d, not %d" % (what, low, high, number))
    return number


def int32(value: Any, what: str) -> int:
    return integer(value, what, -(1 << 31), (1 << 31) - 1)


def int64(value: Any, what: str) -> int:
    return integer(value, what, -(1 << 63), (1 << 63) - 1)


def uint64(value: Any, what: str) -> int:
    return integer(value, what, 0, (1 << 64) - 1)


def size(value: Any, what: str) -> int:
    return integer(value, what, 0, (1 << 8 * ctypes.sizeof(ctypes.c_size_t)) - 1)


def dims(values: Sequence[Any]) -> Any:
    """int64_t[]; None is -1."""
    numbers = [-1 if d is None else int64(d, "dim %d" % axis) for axis, d in enumerate(values)]
    return (ctypes.c_int64 * max(1, len(numbers)))(*numbers)


def number(value: Any, what: str) -> float:
    if isinstance(value, (str, bytes, bytearray, bool)):
        raise TypeError("%s must be a number, not %r" % (what, value))
    return float(value)


def is_boolean(value: Any) -> bool:
    """True for NumPy's, too."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def boolean(value: Any, what: str) -> bool:
    if not is_boolean(value) and not (isinstance(value, int) and value in (0, 1)):
        raise TypeError("%s is True or False, not %s" % (what, shown(value)))
    return bool(value)


def shown(value: Any) -> str:
    """A value in a message: an array by its type and shape, since its numbers may be millions."""
    shape = getattr(value, "shape", None)
    return repr(value) if not shape or isinstance(value, tuple) else "an array of type %s and shape %r" % (type(value).__name__, tuple(shape))


def text(value: Any, what: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError("%s must be a str, not %r" % (what, value))
    encoded = value.encode("utf-8")  # a lone surrogate is a UnicodeEncodeError, which is a ValueError
    return _whole(encoded, what, value)


def text_or_none(value: Any, what: str) -> Optional[bytes]:
    return None if value is None else text(value, what)


def names(values: Any, what: str) -> List[Any]:
    """A list of names. A single text is refused: as a sequence, it would be a name for each letter."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError("%s is a list of names, such as ['data'], not %r" % (what, values))
    return list(values)


def by_name(values: Any, what: str) -> Dict[str, Any]:
    if not hasattr(values, "items"):
        raise TypeError("%s is a dict by name, such as {'data': ...}, not %r" % (what, values))
    return dict(values)


def path(value: Any, what: str = "a path") -> bytes:
    """`what`: all that the caller takes, with a path among it."""
    try:
        encoded = os.fsencode(value)
    except TypeError:
        raise TypeError("expected %s, not an object of type %s" % (what, type(value).__name__)) from None
    return _whole(encoded, "a path", value)


def _whole(encoded: bytes, what: str, value: Any) -> bytes:
    if b"\0" in encoded:
        raise ValueError("%s must not contain a NUL character: %r" % (what, value))
    return encoded
