"""How the values of an agent's graph are handed on within a turn, and written down after it."""

import dataclasses
import sys
from enum import Enum
from functools import lru_cache
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel


class ByReference:
    """Keeps the values themselves, of whatever kind, as a graph without a checkpointer does.

    Lists and dictionaries are copied: LangGraph goes on writing into those of its own.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._values: list[Any] = []

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return the place of a value."""
        self._values.append(_copied(obj))
        return "reference", str(len(self._values) - 1).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value at a place."""
        return _copied(self._values[int(data[1])])


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {key: _copied(one) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copied(one) for one in value)
    return value


def dumps(value: Any) -> tuple[str, bytes] | None:
    """Return a value as LangGraph writes it; `None` for what it cannot write."""
    try:
        return _serializer(frozenset()).dumps_typed(value)
    except (TypeError, ValueError):
        return None


def loads(kind: str, data: bytes) -> Any:
    """Return a value that was written.

    Only data types of modules that this process has imported already are made again; of any other
    the fields are returned. So what a file holds can call nothing.
    """
    named: set[tuple[str, str]] = set()
    if kind == "msgpack":
        _find_types(data, named)
    allowed = frozenset(one for one in named if _is_data_type(*one))
    return _serializer(allowed).loads_typed((kind, data))


@lru_cache(64)
def _serializer(allowed: frozenset[tuple[str, str]]) -> JsonPlusSerializer:
    return JsonPlusSerializer(allowed_msgpack_modules=allowed)


def _find_types(data: bytes, found: set[tuple[str, str]]) -> None:
    """Add the types that are named in a value, and in what is packed in it."""

    def look(code: int, inner: bytes) -> None:
        parts = ormsgpack.unpackb(inner, ext_hook=look, option=ormsgpack.OPT_NON_STR_KEYS)
        if isinstance(parts, list) and [type(one) for one in parts[:2]] == [str, str]:
            found.add((parts[0], parts[1]))

    ormsgpack.unpackb(data, ext_hook=look, option=ormsgpack.OPT_NON_STR_KEYS)


def _is_data_type(module: str, name: str) -> bool:
    found = getattr(sys.modules.get(module), name, None)
    if not isinstance(found, type):
        return False
    is_tuple = issubclass(found, tuple) and hasattr(found, "_fields")
    return is_tuple or dataclasses.is_dataclass(found) or issubclass(found, BaseModel | Enum)
