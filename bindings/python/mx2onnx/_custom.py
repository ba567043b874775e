"""Operators that the caller converts: MXNet's Custom, which is Python code that no file holds, and those of plugins."""

from __future__ import annotations

import array
import ctypes
import json
from types import MappingProxyType
from typing import Any, Callable, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload

from . import _arguments as arguments
from ._arrays import Borrowed, dtype_name, read_part, to_numpy
from ._errors import Error, error_of
from ._library import CArray, COnnxNode, lib
from ._types import Array, DType, NumpyArray

_MOST_OUTPUTS = 4096  # of a node, for C
Constant = Union[float, Sequence[float], Array]
Attribute = Union[float, str, Sequence[float], Sequence[str], NumpyArray]


class Dim(NamedTuple):
    """The size of an axis of an input that is not known before the model runs."""

    input: int
    axis: int


class Result:
    """A value of the ONNX graph, which Node.add and Node.constant return. Only the handler that called them can use it."""

    __slots__ = ("_node", "number")

    def __init__(self, node: "Node", number: int) -> None:
        self._node = node
        self.number = number

    def __repr__(self) -> str:
        return "Result(%d)" % self.number


class Refused(Exception):
    """Node.fail: the library has the text already."""


class NodeError(Error):
    """A call of a Node failed; the call that led to the handler says so with all diagnostics."""

    code: int = -11


def dtype_number(dtype: Any) -> int:
    name = dtype_name(dtype)
    number: int = lib.dtype_from_name(arguments.text(name, "an element type"))
    if number < 0:
        raise TypeError("'%s' is not an element type; use one of MXNet's, such as float32 or int64" % name)
    return number


def c_array(value: Borrowed) -> CArray:
    """Of a value that the caller keeps."""
    shape = value.shape
    return CArray(ctypes.sizeof(CArray), dtype_number(value.dtype), len(shape), value.dims(), value.address, value.size)


def _name_of(dtype: int) -> Optional[str]:
    return lib.dtype_name(dtype).decode() if dtype >= 0 else None


def _string(data: Optional[bytes]) -> str:
    return "" if data is None else data.decode("utf-8", "replace")


class Input:
    """An input of a Node. shape is None while the rank is unknown; otherwise it has a number for each size, or a Dim for a dynamic one."""

    def __init__(self, node: "Node", index: int) -> None:
        self._node = node
        self._index = index
        handle = node._open()
        self.name = _string(lib.node_input_name(handle, index))
        self.dtype = _name_of(lib.node_input_dtype(handle, index))
        self.shape: Optional[Tuple[Union[int, Dim], ...]] = None
        rank = lib.node_input_rank(handle, index)
        if rank >= 0:
            sizes = [lib.node_input_dim(handle, index, axis) for axis in range(rank)]
            self.shape = tuple(d if d >= 0 else Dim(index, axis) for axis, d in enumerate(sizes))
        #: The type and size of a parameter's bytes in its file; None and 0 for an input that is not a parameter.
        self.stored_dtype = _name_of(lib.node_input_stored_dtype(handle, index))
        self.nbytes: int = lib.node_input_size(handle, index)

    @property
    def is_parameter(self) -> bool:
        return self.stored_dtype is not None

    def _read(self, function: Any, offset: int = 0, size: Optional[int] = None) -> bytearray:
        if not self.is_parameter:
            raise ValueError("input '%s' is not a parameter: its value is not known before the model runs" % self.name)
        return read_part(self.nbytes, offset, size, lambda *part: self._node._check(function(self._node._open(), self._index, *part)))

    def bytes(self, offset: int = 0, size: Optional[int] = None) -> bytes:
        """Returns a parameter's contents from `offset` on: dense, row-major, little-endian, of the type stored_dtype."""
        return bytes(self._read(lib.node_input_read, offset, size))

    def numpy(self) -> Any:
        """The same as a NumPy array."""
        return to_numpy(self._read(lib.node_input_read), self.stored_dtype, self.shape)

    def __repr__(self) -> str:
        return "Input(%r, %s, %r)" % (self.name, self.dtype, self.shape)


class Node:
    """A node of MXNet's graph, as a handler gets it. It is valid until the handler returns.

    name, operator (the name that the handler is registered for), attributes (name to text, as the file has them), inputs,
    output_count, opset, domain (of Model.unknown_domain, or None).
    """

    def __init__(self, handle: int, model: Any) -> None:
        self._handle: Optional[int] = handle
        self._model = model
        self.name = _string(lib.node_name(handle))
        self.operator = _string(lib.node_operator(handle))
        self.opset: int = lib.node_opset(handle)
        domain = lib.node_domain(handle)
        self.domain = None if domain is None else _string(domain)
        self.output_count: int = lib.node_output_count(handle)
        self.attributes: Mapping[str, str] = MappingProxyType(
            {
                _string(lib.node_attribute_key(handle, i)): _string(lib.node_attribute_value(handle, i))
                for i in range(lib.node_attribute_count(handle))
            }
        )
        self.inputs: List[Input] = [Input(self, i) for i in range(lib.node_input_count(handle))]

    def _open(self) -> int:
        if self._handle is None:
            raise ValueError("the node was used after its handler returned; use it inside the handler only")
        return self._handle

    def _check(self, status: int) -> None:
        if status != 0:
            base = error_of(status, self._model._error_text())
            error = NodeError(str(base), base.status)
            error.code = status
            raise error

    def fail(self, message: str) -> None:
        """Refuses the node: the call that led here raises an UnsupportedError with this text and the node's name."""
        lib.node_fail(self._open(), arguments.text(message, "the message"))
        raise Refused(message)

    # ---- in infer

    def set_output(
        self,
        output: int = 0,
        dtype: Optional[DType] = None,
        shape: Optional[Sequence[Union[int, Dim, None]]] = None,
        like: Optional[int] = None,
    ) -> None:
        """Sets type and shape of an output: those of the input `like`, or a shape of sizes, Dims of inputs, and None for an independent
        size. Without a dtype, the type is that of input 0."""
        handle, output = self._open(), arguments.size(output, "output")
        of = arguments.size(0 if like is None else like, "like")
        if shape is None:
            self._check(lib.node_set_output_like(handle, output, of))
            return
        number, shape = dtype_number(self.inputs[of].dtype if dtype is None else dtype), list(shape)
        dims = arguments.dims([None if isinstance(d, Dim) else d for d in shape])
        self._check(lib.node_set_output(handle, output, number, len(shape), dims))
        for axis, d in enumerate(shape):
            if isinstance(d, Dim):
                from_input, from_axis = arguments.size(d.input, "Dim.input"), arguments.size(d.axis, "Dim.axis")
                self._check(lib.node_set_output_dim(handle, output, axis, from_input, from_axis))

    # ---- in lower

    def constant(self, data: Constant, dtype: Optional[DType] = None, shape: Optional[Sequence[int]] = None) -> Result:
        """Makes a constant of a NumPy array or any other buffer; of a number or a flat list of numbers (float32 for floats, int64 for
        integers); or of bytes with dtype and shape."""
        if isinstance(data, (bytes, bytearray)):
            if dtype is None or shape is None:
                raise TypeError("give dtype and shape with a constant of bytes")
            value = Borrowed(data)
            value.dtype, value.shape = dtype_name(dtype), tuple(shape)
        else:
            if isinstance(data, (int, float)):
                value = Borrowed(_numbers([data], dtype))
                value.shape = ()
            else:
                value = Borrowed(_numbers(data, dtype) if isinstance(data, (list, tuple)) else data)
            if shape is not None:
                value.shape = tuple(shape)
        number = ctypes.c_int32()
        self._check(lib.node_add_constant(self._open(), ctypes.byref(c_array(value)), ctypes.byref(number)))
        return Result(self, number.value)

    def _value(self, value: "Operand") -> int:
        if value is None:
            return 0
        if isinstance(value, Result):
            value._node._open()
            return value.number
        if isinstance(value, Input):
            number: int = lib.node_input_value(value._node._open(), value._index)
            return number
        return self.constant(value).number

    @overload
    def add(  # type: ignore[overload-overlap]
        self, op_type: str, *inputs: "Operand", domain: Optional[str] = None, outputs: Literal[1] = 1, **attributes: Attribute
    ) -> Result: ...

    @overload
    def add(
        self, op_type: str, *inputs: "Operand", domain: Optional[str] = None, outputs: int, **attributes: Attribute
    ) -> Tuple[Result, ...]: ...

    def add(
        self, op_type: str, *inputs: "Operand", domain: Optional[str] = None, outputs: int = 1, **attributes: Attribute
    ) -> Union[Result, Tuple[Result, ...]]:
        """Adds an ONNX node, of ONNX's own domain or another. ONNX's own operators are given in their newest form, which the library
        converts to that of the opset. An input is one of node.inputs, a Result, None for an omitted one, or what constant() takes.
        Returns a Result, or a tuple of them. A float attribute must be a float in Python: alpha=1.0."""
        outputs = arguments.integer(outputs, "outputs", 1, _MOST_OUTPUTS)
        name, in_domain = arguments.text(op_type, "op_type"), arguments.text_or_none(domain, "domain")
        text = json.dumps({k: _plain(v) for k, v in attributes.items()}, allow_nan=False).encode("utf-8") if attributes else None
        numbers = [self._value(v) for v in inputs]
        given = (ctypes.c_int32 * max(1, len(numbers)))(*numbers)
        made = (ctypes.c_int32 * outputs)()
        node = COnnxNode(ctypes.sizeof(COnnxNode), name, in_domain, text, len(numbers), given, outputs)
        self._check(lib.node_add(self._open(), ctypes.byref(node), made))
        results = tuple(Result(self, made[i]) for i in range(outputs))
        return results[0] if outputs == 1 else results

    def set_result(self, output: int, value: "Operand") -> None:
        """Sets the value of an output of the MXNet node."""
        self._check(lib.node_set_result(self._open(), arguments.size(output, "output"), self._value(value)))


def _numbers(values: Sequence[Any], dtype: Any) -> Any:
    codes = {"float32": "f", "float64": "d", "int64": "q", "int32": "i", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H"}
    codes.update({"uint32": "I", "uint64": "Q"})
    name = dtype_name(dtype) if dtype is not None else "float32" if any(isinstance(v, float) for v in values) else "int64"
    if name not in codes:
        raise TypeError("give a NumPy array, or bytes with dtype and shape, for a constant of type '%s'" % name)
    return array.array(codes[name], values)


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def _like_input(node: Node) -> None:
    for i in range(node.output_count):
        node.set_output(i, like=0)


Operand = Union[Input, Result, Constant, None]
Handler = Callable[[Node], Union[Operand, Sequence[Operand]]]
Outputs = Union[int, Callable[[Node], int]]


class CustomOperator:
    """A handler that @custom_operator made, for Model.add_custom_operator and export_model(custom_operators=[...])."""

    def __init__(
        self, name: str, lower: Optional[Handler], infer: Optional[Handler] = None, outputs: Outputs = 1, overrides: bool = False
    ) -> None:
        self.name = name
        self.lower = lower
        self.outputs = outputs
        self.overrides = overrides
        self._infer: Handler = infer or _like_input

    def infer(self, function: Handler) -> Handler:
        """A decorator for the function that sets the types and shapes of the outputs. Without it they are those of the first input."""
        self._infer = function
        return function

    def __call__(self, node: Node) -> Union[Operand, Sequence[Operand]]:
        return self.lower(node) if self.lower is not None else None

    def run_infer(self, node: Node) -> None:
        self._infer(node)

    def run_lower(self, node: Node) -> None:
        results: Any = self(node)
        if results is not None:
            single = not isinstance(results, (tuple, list)) or isinstance(results, Result)
            for i, value in enumerate([results] if single else results):
                node.set_result(i, value)


def custom_operator(
    name: str, outputs: Outputs = 1, infer: Optional[Handler] = None, overrides: bool = False
) -> Callable[[Handler], CustomOperator]:
    """Makes a handler for nodes whose operator, or whose op_type (MXNet's Custom), is `name`:

        @mx2onnx.custom_operator("my_leaky")
        def my_leaky(node):                       # writes the node as ONNX; returns the value of each output
            return node.add("LeakyRelu", node.inputs[0], alpha=float(node.attributes["slope"]))

        @my_leaky.infer                           # type and shape; without it, those of the first input
        def shapes(node):
            node.set_output(0, dtype="float32", shape=node.inputs[0].shape)

        mx2onnx.export_model(..., custom_operators=[my_leaky])

    outputs: the number of outputs of a node, or a function of the node that returns it; at that time the node has only its name,
        its attributes and the names of its inputs.
    overrides: whether the handler also replaces an operator that the library knows.
    The decorator registers nothing. The call that runs a handler raises its exception unchanged. node.fail() refuses a node.
    """

    def wrap(lower: Handler) -> CustomOperator:
        return CustomOperator(name, lower, infer, outputs, overrides)

    return wrap


Operators = Union[Sequence[CustomOperator], Mapping[str, Any]]  #: see operators_of


def operators_of(given: Operators) -> List[CustomOperator]:
    """A list of CustomOperator, or a dict of op_type to one, to a function (lower), to a pair (infer, lower), or to an object
    with infer and lower."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise TypeError("custom operators are a dict of op_type to a handler, or a list of what @mx2onnx.custom_operator makes, not %r" % (given,))
    if hasattr(given, "items"):
        return [_operator_of(name, value) for name, value in given.items()]
    found = list(given)
    for i, o in enumerate(found):
        if not isinstance(o, CustomOperator):
            raise TypeError("a list of custom operators holds what @mx2onnx.custom_operator makes, not %r" % (o,))
        if any(o.name == other.name and o is not other for other in found[:i]):
            raise ValueError("two handlers are given for the operator '%s': remove one of them" % o.name)
    return found


def _operator_of(name: str, value: Any) -> CustomOperator:
    if isinstance(value, CustomOperator):
        return CustomOperator(name, value.lower, value._infer, value.outputs, value.overrides)
    if isinstance(value, tuple):
        infer, lower = value
        return CustomOperator(name, lower, infer)
    if hasattr(value, "lower") and not isinstance(value, (str, bytes)):
        value = value() if isinstance(value, type) else value
        return CustomOperator(name, value.lower, getattr(value, "infer", None), getattr(value, "outputs", 1))
    if not callable(value):
        raise TypeError("the handler of '%s' is a function, a pair (infer, lower) or an object that has both, not %r" % (name, value))
    return CustomOperator(name, value)
