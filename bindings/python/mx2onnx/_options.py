"""Options of a model as attributes: `model.opset = 17` sets one, `del model.opset` or None gives it its default again."""

from __future__ import annotations

from typing import Any, Dict, Generic, List, Optional, TypeVar, Union

from . import _arguments as arguments
from ._library import lib

_T = TypeVar("_T")


class Option(Generic[_T]):
    """A number of C (MX2ONNX_OPTION_...) as an attribute."""

    def __init__(self, code: int, text: str) -> None:
        self._code = code
        self.__doc__ = text

    def __set_name__(self, owner: Any, name: str) -> None:
        self._name = name

    def _to_c(self, value: Any) -> int:
        return arguments.int64(value, self._name)

    def _from_c(self, number: int) -> Any:
        return number

    def __get__(self, model: Any, owner: Any = None) -> _T:
        if model is None:
            return self  # type: ignore[return-value]
        found: _T = self._from_c(lib.get_option(model._open(), self._code))
        return found

    def __set__(self, model: Any, value: Optional[_T]) -> None:
        if value is None:
            self.__delete__(model)
        else:
            model._call(lib.set_option, self._code, self._to_c(value))

    def __delete__(self, model: Any) -> None:
        model._call(lib.reset_option, self._code)


class Unless(Option[Optional[int]]):
    """The number that means None."""

    def __init__(self, code: int, none: int, text: str) -> None:
        super().__init__(code, text)
        self._none = none

    def _from_c(self, number: int) -> Optional[int]:
        return None if number == self._none else number


class Switch(Option[bool]):
    def _to_c(self, value: Any) -> int:
        return int(arguments.boolean(value, self._name))

    def _from_c(self, number: int) -> bool:
        return number != 0


class Word(Option[Optional[str]]):
    """A word in place of the number; True, False and None are accepted for some."""

    def __init__(self, code: int, words: List[Any], text: str, also: Optional[Dict[bool, int]] = None) -> None:
        super().__init__(code, text)
        self._words = words
        self._also = also or {}

    def __set__(self, model: Any, value: Union[str, bool, None]) -> None:
        super().__set__(model, value)  # type: ignore[arg-type]

    def _to_c(self, value: Any) -> int:
        if (arguments.is_boolean(value) or (isinstance(value, int) and value in (0, 1))) and bool(value) in self._also:
            return self._also[bool(value)]
        if not isinstance(value, str) or value not in self._words:
            known = ["%r" % w for w in self._words if w is not None] + ["%s" % w for w in self._also]
            raise ValueError("%s is one of %s, not %r" % (self._name, ", ".join(known), value))
        return self._words.index(value)

    def _from_c(self, number: int) -> Any:
        return self._words[number] if number < len(self._words) else str(number)


class Text:
    """A text of C (MX2ONNX_TEXT_...) as an attribute; None is its default."""

    def __init__(self, code: int, text: str) -> None:
        self._code = code
        self.__doc__ = text

    def __set_name__(self, owner: Any, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: Any = None) -> Optional[str]:
        if model is None:
            return self  # type: ignore[return-value]
        found = lib.get_text(model._open(), self._code)
        return None if found is None else str(found.decode("utf-8", "replace"))

    def __set__(self, model: Any, value: Optional[str]) -> None:
        model._call(lib.set_text, self._code, arguments.text_or_none(value, self._name))

    def __delete__(self, model: Any) -> None:
        model._call(lib.set_text, self._code, None)
