"""What an object is made of: its attributes, what holds credentials, what says nothing of it."""

import inspect
import re
import types
from typing import Any

from crab_graph.agents.written_code import dotted
from crab_graph.models.secrets import without_key_shapes

_SECRET_WORDS = frozenset(
    "key apikey token secret password passwd pwd auth authorization credential credentials "
    "signature cookie bearer".split()
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HTTP = frozenset("httpx httpx2".split())
INERT = _HTTP | frozenset(
    "_thread threading _weakref weakref _weakrefset logging asyncio _asyncio concurrent "
    "contextvars _contextvars ssl _ssl selectors httpcore httpcore2 anyio io _io".split()
)
"""Packages of locks, loops, logs and the like, of whose objects only the class is read."""


def names_secret(name: str) -> bool:
    """Return whether a name says that a credential stands there, word by word."""
    return not _SECRET_WORDS.isdisjoint(word.lower() for word in _WORD.findall(name))


def content_of(cell: types.CellType) -> Any:
    """Return what a function closed over; `None` where that has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def annotations_of(kind: type) -> dict[str, Any]:
    """Return the annotations of a class itself, by name."""
    try:
        return inspect.get_annotations(kind)
    except NameError:  # of something that is known to type checkers alone
        return {}


def attributes_of(value: Any) -> dict[str, Any] | None:
    """Return the attributes of an object but for special ones; `None` where it has no place."""
    slots = [one for base in type(value).__mro__ for one in _slots(base)]
    held = getattr(value, "__dict__", None)
    if held is None and not slots:
        return None
    in_slots = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    found = in_slots | (held or {})
    return {name: one for name, one in found.items() if not name.startswith("__")}


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def has_own_state(kind: type) -> bool:
    """Return whether a class says itself what its copies are made from."""
    names = ("__reduce_ex__", "__reduce__", "__getstate__")
    return any(getattr(kind, name) is not getattr(object, name) for name in names)


def inert_parts(value: Any, root: str) -> list[str]:
    """Return the class of a lock and the like; of a client that calls, where it does, too."""
    kind = type(value)
    if root in _HTTP and kind.__name__ == "URL":
        return ["text", without_key_shapes(str(value))]
    address = getattr(value, "base_url", None) if root in _HTTP else None
    return ["inert", dotted(kind), without_key_shapes(str(address))]
