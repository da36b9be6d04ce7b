"""What a checkpoint may hold: plain values and LangChain's messages, and nothing that acts.

LangGraph's own serializer makes again whatever a checkpoint names, by importing and calling it: a
file from somebody else could run anything. This one writes the same form, but reads JSON-like
values, bytes, the message types of LangChain, the question of an interrupt and LangGraph's snapshot
of a channel of deltas. All else is refused by its name, never replaced by something like it.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

import ormsgpack
from langchain_core import messages
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import (
    EXT_CONSTRUCTOR_KW_ARGS,
    EXT_DELTA_SNAPSHOT,
    EXT_PYDANTIC_V2,
    JsonPlusSerializer,
)
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Interrupt
from typing_extensions import override

from crab_graph.errors import RunError

_KINDS = "Human System AI Tool Chat Function"
_MESSAGES: dict[tuple[str, str], type[BaseMessage]] = {
    (one.__module__, one.__name__): one
    for kind in _KINDS.split()
    for one in (getattr(messages, f"{kind}Message"), getattr(messages, f"{kind}MessageChunk"))
} | {(messages.RemoveMessage.__module__, "RemoveMessage"): messages.RemoveMessage}
_INTERRUPT = (Interrupt.__module__, Interrupt.__name__)
_MADE: dict[tuple[int, str, str], Callable[..., Any]] = {
    **{(EXT_PYDANTIC_V2, *name): kind for name, kind in _MESSAGES.items()},
    (EXT_CONSTRUCTOR_KW_ARGS, *_INTERRUPT): Interrupt,
}
"""All that is made again, by LangGraph's code of how, its module and its name."""

_READ = ormsgpack.OPT_NON_STR_KEYS
_WRITE = (
    ormsgpack.OPT_NON_STR_KEYS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
    | ormsgpack.OPT_REPLACE_SURROGATES
)


class StrictSerializer(JsonPlusSerializer):
    """Reads and writes the values of checkpoints at one place, which its errors name."""

    def __init__(self, place: str) -> None:
        """Serve the checkpoints of a file or a database."""
        super().__init__(allowed_msgpack_modules=None)
        self._place = place

    @override
    def with_msgpack_allowlist(
        self, extra_allowlist: Iterable[tuple[str, ...] | type]
    ) -> "StrictSerializer":
        """Return itself: what a graph's schema names is no reason to make more."""
        return self

    @override
    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return a value as it is written; errors as of `ormsgpack` for what is none of ours."""
        if obj is None:
            return "null", b""
        if isinstance(obj, bytes):
            return "bytes", obj
        return "msgpack", _packed(obj)

    @override
    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return a value that was written.

        Raises:
            RunError: it is no value of a checkpoint; nothing of it was imported or called.
        """
        kind, packed = data
        if kind == "null":
            return None
        if kind == "bytes":
            return packed
        if kind != "msgpack":
            raise self._refusal(f"a value in the form '{kind}'")
        reading = _Unpacking()
        try:
            return reading.of(packed)
        except (ValueError, TypeError, RecursionError):
            raise self._refusal(reading.refused or "what is no value") from None

    def _refusal(self, what: str) -> RunError:
        return RunError(
            f"{self._place}: holds {what}, which no checkpoint of crab-graph does, and is not "
            "read; take that file away, and its episodes begin anew"
        )


class _Unpacking:
    """One reading of packed values; it knows what it stopped at, which `ormsgpack` does not say."""

    def __init__(self) -> None:
        self.refused: str | None = None

    def of(self, packed: bytes) -> Any:
        return ormsgpack.unpackb(packed, ext_hook=self._made, option=_READ)

    def _made(self, code: int, packed: bytes) -> Any:
        if code == EXT_DELTA_SNAPSHOT:
            return _DeltaSnapshot(self.of(packed))
        named = _named(packed)
        if named is not None and (code, *named) in _MADE:
            fields = self.of(packed)[2]
            try:
                return _MADE[code, *named](**fields)
            except (ValueError, TypeError):
                pass  # it bears the name alone
        if self.refused is None:
            what = ".".join(named)[:80] if named else "unknown"
            self.refused = f"a value of the type {what!a}"
        raise ValueError(self.refused)


def _named(packed: bytes) -> tuple[str, str] | None:
    """Return the module and name of a packed value, without making anything of it."""
    parts = ormsgpack.unpackb(packed, ext_hook=lambda code, data: None, option=_READ)
    if not isinstance(parts, list) or [type(one) for one in parts[:2]] != [str, str]:
        return None
    return parts[0], parts[1]


def _packed(value: Any) -> bytes:
    return ormsgpack.packb(value, default=_reduced, option=_WRITE)


def _reduced(value: Any) -> Any:
    """Return what is written for a value that is none of JSON's."""
    if isinstance(value, _DeltaSnapshot):
        return ormsgpack.Ext(EXT_DELTA_SNAPSHOT, _packed(value.value))
    kind = type(value)
    name = (kind.__module__, kind.__name__)
    if name in _MESSAGES:
        whole = (*name, value.model_dump(), "model_validate_json")
        return ormsgpack.Ext(EXT_PYDANTIC_V2, _packed(whole))
    if isinstance(value, Interrupt):
        fields = {"value": _plain(value.value), "id": value.id}
        return ormsgpack.Ext(EXT_CONSTRUCTOR_KW_ARGS, _packed((*_INTERRUPT, fields)))
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, BaseException):
        return repr(value)  # LangGraph keeps what a step raised
    raise TypeError(f"a checkpoint holds plain values, not {kind.__module__}.{kind.__name__}")


def _plain(value: Any) -> Any:
    """Return a question of an agent's own, of whatever kind, in plain values."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    if isinstance(value, str | int | float | None) or type(value) in _MESSAGES_TYPES:
        return value
    if hasattr(value, "model_dump"):
        return _plain(value.model_dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    return str(value)


_MESSAGES_TYPES = frozenset(_MESSAGES.values())
