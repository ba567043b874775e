"""Reads what verify needs of an ONNX file, without the onnx package: nodes, names, attributes. Field numbers are those of
onnx.proto3."""
import struct
from typing import Any, Dict, Iterator, List, Sequence, Tuple

Span = Tuple[int, int]  # begin and end of a text or a message

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_GIVE_ONNX = "give the .onnx file that was converted from the model"

# What is read, and what is near it: number to name, wire type (of a list of numbers that of one, True), and the message inside. Any
# other field is of a later version of ONNX. examples/cli/onnx_nodes.c has the same tables and says the same.
_Rules = Dict[int, Tuple[Any, ...]]
_ATTRIBUTE: _Rules = {
    1: ("name", _BYTES), 2: ("f", _FIXED32), 3: ("i", _VARINT), 4: ("s", _BYTES), 5: ("t", _BYTES), 6: ("g", _BYTES),
    7: ("floats", _FIXED32, True), 8: ("ints", _VARINT, True), 9: ("strings", _BYTES), 10: ("tensors", _BYTES), 11: ("graphs", _BYTES),
    20: ("type", _VARINT),
}
_NODE: _Rules = {
    1: ("input", _BYTES), 2: ("output", _BYTES), 3: ("name", _BYTES), 4: ("op_type", _BYTES),
    5: ("attribute", _BYTES, False, "AttributeProto", _ATTRIBUTE), 7: ("domain", _BYTES),
}
_GRAPH: _Rules = {
    1: ("node", _BYTES, False, "NodeProto", _NODE), 2: ("name", _BYTES), 5: ("initializer", _BYTES), 11: ("input", _BYTES),
    12: ("output", _BYTES), 13: ("value_info", _BYTES),
}
_MODEL: _Rules = {
    1: ("ir_version", _VARINT), 5: ("model_version", _VARINT), 7: ("graph", _BYTES, False, "GraphProto", _GRAPH),
    8: ("opset_import", _BYTES),
}


class _Damaged(Exception):
    """A field that ends outside its message, or whose number or wire type does not exist."""


def _read(data: bytes, begin: int, end: int) -> Iterator[Tuple[Span, int, int, Any]]:
    """(where, number, wire type, value) of each field of a message; what consists of bytes as its (begin, end)."""
    value: Any
    while begin < end:
        at = begin
        key, begin = _varint(data, begin, end)
        number, kind = key >> 3, key & 7
        if not 0 < number < 1 << 29:
            raise _Damaged
        if kind == _VARINT:
            value, begin = _varint(data, begin, end)
        else:
            if kind == _BYTES:
                size, begin = _varint(data, begin, end)
            elif kind in (_FIXED64, _FIXED32):
                size = 8 if kind == _FIXED64 else 4
            else:
                raise _Damaged
            value, begin = (begin, begin + size), begin + size
        if begin > end:
            raise _Damaged
        yield (at, begin), number, kind, value


def fields(data: bytes, begin: int, end: int) -> Iterator[Tuple[int, Any]]:
    """(number, value) of each field of a message that check() has passed."""
    return ((number, value) for _, number, _, value in _read(data, begin, end))


def _varint(data: bytes, at: int, end: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        if at >= end or shift > 63:
            raise _Damaged
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value & (1 << 64) - 1, at


def check(data: bytes) -> None:
    """ValueError with what is wrong and where, if this is not an ONNX file or is a damaged one."""
    _check(data, (0, len(data)), "ModelProto", _MODEL)
    if all(number != 7 for number, _ in fields(data, 0, len(data))):
        raise ValueError("the file has no graph; " + _GIVE_ONNX)


def _check(data: bytes, span: Span, message: str, rules: _Rules) -> None:
    last = span[0]
    try:
        for (at, last), number, kind, value in _read(data, *span):
            if number in rules:
                _check_field(data, at, message, kind, value, *rules[number])
    except _Damaged:
        raise _error(last, "a field of %s ends outside it or is not a field" % message) from None


def _check_field(
    data: bytes, at: int, message: str, kind: int, value: Any,
    name: str, wanted: int, many: bool = False, inside: str = "", rules: Any = None,
) -> None:
    if kind != wanted and not (many and kind == _BYTES):
        raise _error(at, "field '%s' of %s has wire type %d instead of %d" % (name, message, kind, wanted))
    if many and kind == _BYTES:
        try:
            numbers = list(_packed(data, value)) if wanted == _VARINT else []
        except _Damaged:
            numbers = None
        if numbers is None or (wanted == _FIXED32 and (value[1] - value[0]) % 4):
            raise _error(at, "field '%s' of %s ends within a number" % (name, message))
    if rules is not None:
        _check(data, value, inside, rules)


def _error(at: int, what: str) -> ValueError:
    return ValueError("the ONNX file is damaged at byte %d: %s" % (at, what) if at > 0 else "the file is not an ONNX model; " + _GIVE_ONNX)


def _text(data: bytes, span: Span) -> str:
    return bytes(data[slice(*span)]).decode("utf-8", "replace")


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _attribute(data: bytes, span: Span) -> Tuple[str, Any]:
    name = ""
    values: List[Any] = []
    for number, value in fields(data, *span):
        if number == 1:
            name = _text(data, value)
        elif number == 3:
            values.append(_signed(value))
        elif number == 4:
            values.append(_text(data, value))
        elif number in (2, 7):
            values += struct.unpack("<%df" % ((value[1] - value[0]) // 4), data[slice(*value)])
        elif number == 8:
            values += [_signed(v) for v in _packed(data, value)] if isinstance(value, tuple) else [_signed(value)]
    return name, values[0] if len(values) == 1 else values


def _packed(data: bytes, span: Span) -> Iterator[int]:
    at, end = span
    while at < end:
        value, at = _varint(data, at, end)
        yield value


class Node:
    """A node of the graph; attributes as name to a number, text or list."""

    def __init__(self, data: bytes, span: Span) -> None:
        self.inputs: List[str] = []
        self.outputs: List[str] = []
        self.op_type = self.domain = ""
        self.attributes: Dict[str, Any] = {}
        for number, value in fields(data, *span):
            if number in (1, 2):
                (self.inputs, self.outputs)[number - 1].append(_text(data, value))
            elif number == 4:
                self.op_type = _text(data, value)
            elif number == 7:
                self.domain = _text(data, value)
            elif number == 5:
                name, attribute = _attribute(data, value)
                self.attributes[name] = attribute


def nodes(data: bytes) -> List[Node]:
    """The nodes of the main graph, in the order of the file; ValueError if it is damaged."""
    check(data)
    return [Node(data, node) for number, graph in fields(data, 0, len(data)) if number == 7
            for inner, node in fields(data, *graph) if inner == 1]


def with_outputs(data: bytes, names: Sequence[str]) -> bytes:
    """The file with further graph outputs. Messages that follow each other are one: only this is appended."""
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
