"""What arguments may be, in words for type checkers."""

import array
import os
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, Mapping, Protocol, Sequence, TextIO, Union

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Bytes = Union[bytes, bytearray, memoryview]


class NumpyArray(Protocol):
    """An array or a number of NumPy's."""

    @property
    def __array_interface__(self) -> Dict[str, Any]: ...


class NDArray(Protocol):
    """An array of MXNet's."""

    def asnumpy(self) -> object: ...


class Parameter(Protocol):
    """A parameter of Gluon's."""

    def list_data(self) -> object: ...

    def data(self) -> NDArray: ...


class Symbol(Protocol):
    """A symbol of MXNet's."""

    def tojson(self) -> str: ...


class Block(Protocol):
    """A block of Gluon's that was hybridized and called."""

    def collect_params(self) -> Mapping[str, Any]: ...


class Writable(Protocol):
    """A binary file object, as far as it is written to."""

    def write(self, __data: bytes) -> object: ...


class Named(Protocol):
    """An element type of NumPy's."""

    @property
    def name(self) -> str: ...


if TYPE_CHECKING:
    TypedArray = array.array[Any]
else:
    TypedArray = array.array  # a class without [] before Python 3.12

Array = Union[Bytes, TypedArray, NumpyArray, NDArray, Parameter]
Symbolic = Union[Path, Bytes, TextIO, BinaryIO, Symbol, Block]  #: a symbol; a text that begins with "{" and bytes are its JSON
Params = Union[Path, Bytes, BinaryIO, Mapping[str, Array]]
DType = Union[str, type, Named]
Numbers = Union[float, Sequence[float], NumpyArray]  #: a number a channel, or one for all
Shape = Sequence[Union[int, str, None]]
Shapes = Union[Sequence[Shape], Shape, Mapping[str, Shape]]  #: in order, the one of the only input, or by name
Types = Union[DType, Sequence[DType], Mapping[str, DType]]  #: one for all inputs, in order, or by name
