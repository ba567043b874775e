"""Reads what verify needs of an ONNX file, without the onnx package: nodes, names, attributes. Field numbers are those of
onnx.proto3."""
import struct
from typing import Any, Dict, Iterator, List, Sequence, Tuple

Span = Tuple[int, int]  # begin and end of a text or a message


def fields(data: bytes, begin: int, end: int) -> Iterator[Tuple[int, Any]]:
    """(number, value) of each field of a message; a text or a message as its (begin, end)."""
    value: Any
    while begin < end:
        key, begin = _varint(data, begin)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, begin = _varint(data, begin)
        elif kind == 2:
            size, begin = _varint(data, begin)
            value, begin = (begin, begin + size), begin + size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, begin = data[begin:begin + size], begin + size
        else:
            raise ValueError("not an ONNX file")
        if begin > end:
            raise ValueError("the ONNX file is cut short")
        yield number, value


def _varint(data: bytes, at: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("the ONNX file is cut short")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _attribute(data: bytes, span: Span) -> Tuple[str, Any]:
    name = ""
    values: List[Any] = []
    for number, value in fields(data, *span):
        if number == 1:
            name = bytes(data[slice(*value)]).decode()
        elif number == 2:
            values.append(struct.unpack("<f", value)[0])
        elif number == 3:
            values.append(_signed(value))
        elif number == 4:
            values.append(bytes(data[slice(*value)]).decode("utf-8", "replace"))
        elif number == 7:
            packed = data[slice(*value)] if isinstance(value, tuple) else value
            values += struct.unpack("<%df" % (len(packed) // 4), packed)
        elif number == 8:
            values += [_signed(v) for v in _packed(data, value)] if isinstance(value, tuple) else [_signed(value)]
    return name, values[0] if len(values) == 1 else values


def _packed(data: bytes, span: Span) -> Iterator[int]:
    at, end = span
    while at < end:
        value, at = _varint(data, at)
        yield value


class Node:
    """A node of the graph; attributes as name to a number, text or list."""

    def __init__(self, data: bytes, span: Span) -> None:
        self.inputs: List[str] = []
        self.outputs: List[str] = []
        self.op_type = ""
        self.attributes: Dict[str, Any] = {}
        for number, value in fields(data, *span):
            if number in (1, 2):
                (self.inputs, self.outputs)[number - 1].append(bytes(data[slice(*value)]).decode())
            elif number == 4:
                self.op_type = bytes(data[slice(*value)]).decode()
            elif number == 5:
                name, attribute = _attribute(data, value)
                self.attributes[name] = attribute


def nodes(data: bytes) -> List[Node]:
    """The nodes of the main graph, in the order of the file."""
    return [Node(data, node) for number, graph in fields(data, 0, len(data)) if number == 7
            for inner, node in fields(data, *graph) if inner == 1]


def with_outputs(data: bytes, names: Sequence[str]) -> bytes:
    """The file with further graph outputs. Messages that follow each other are one: only this is put behind it."""
    graph = b"".join(_field(12, _field(1, name.encode())) for name in names)
    return bytes(data) + _field(7, graph)


def _field(number: int, payload: bytes) -> bytes:
    return _number(number << 3 | 2) + _number(len(payload)) + payload


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))
