"""What a model gives: dicts and lists of its state at the time of the call. Writing to one would change nothing in the model, so it is an error."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Tuple, TypeVar

_T = TypeVar("_T")


def _refuse(self: Any, *values: Any, **more: Any) -> Any:
    raise TypeError("this %s is a copy, and writing to it would not change the model: %s" % ("dict" if isinstance(self, dict) else "list", self._advice))


def _refusing(cls: type) -> type:
    """All methods that change the dict or list."""
    for name in ("__setitem__", "__delitem__", "__iadd__", "__imul__", "__ior__", "append", "clear", "extend", "insert", "pop", "popitem",
                 "remove", "reverse", "setdefault", "sort", "update"):
        if hasattr(cls, name):
            setattr(cls, name, _refuse)
    return cls


class _Dict(Dict[str, _T]):
    _advice = ""

    def __reduce__(self) -> Tuple[Any, ...]:  # a copy, and what another process gets
        return dict, (dict(self),)


class _List(List[_T]):
    _advice = ""

    def __reduce__(self) -> Tuple[Any, ...]:
        return list, (list(self),)


_refusing(_Dict)
_refusing(_List)


def read_only_dict(values: Dict[str, _T], advice: str) -> Dict[str, _T]:
    found: _Dict[_T] = _Dict(values)
    found._advice = advice
    return found


def read_only_list(values: Iterable[_T], advice: str) -> List[_T]:
    found: _List[_T] = _List(values)
    found._advice = advice
    return found
