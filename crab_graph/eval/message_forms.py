"""Messages as LangChain and LangGraph hold them, turned into the form transcripts have (§11)."""

from collections.abc import Mapping
from typing import Any

_ROLES = {"human": "user", "ai": "assistant", "developer": "system"}
_CLASS_ENDINGS = ("MessageChunk", "Message")


OBJECT = (dict, Mapping)
"""What a JSON object is an instance of; a dictionary is told at once."""


def as_transcript_message(message: Any) -> Any:
    """Return a message in the form transcripts have; what is in no known form stays as it is.

    Known are LangChain's message objects, and what `model_dump`, `messages_to_dict` and `dumpd`
    make of them.
    """
    if not isinstance(message, OBJECT):
        dump = getattr(message, "model_dump", None)
        message = dump() if callable(dump) else message
        if not isinstance(message, OBJECT):
            return message
    if "role" in message:
        role = message["role"]
        is_renamed = isinstance(role, str) and role in _ROLES
        return {**message, "role": _ROLES[role]} if is_renamed else message
    kind, fields = _unwrapped(message)
    if not isinstance(kind, str):
        return message
    return {
        "role": _ROLES.get(kind, kind),
        "content": fields.get("content"),
        "tool_calls": _calls(fields),
        **{name: fields[name] for name in ("tool_call_id", "owner") if name in fields},
    }


def _unwrapped(message: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """Return the type of a message and its fields, wherever they stand."""
    kind = message.get("type")
    if kind == "constructor" and isinstance(message.get("kwargs"), Mapping):
        path = message.get("id")
        name = str(path[-1]) if isinstance(path, list) and path else ""
        return _type_of_class(name), message["kwargs"]
    if isinstance(message.get("data"), Mapping):
        message = message["data"]
    return _type_of_class(kind) if isinstance(kind, str) else kind, message


def _type_of_class(name: str) -> str:
    for ending in _CLASS_ENDINGS:
        name = name.removesuffix(ending)
    return name.lower()


def _calls(fields: Mapping[str, Any]) -> Any:
    """Return the calls; one whose arguments a model garbled is its error, and counts."""
    calls, invalid = fields.get("tool_calls"), fields.get("invalid_tool_calls")
    if not isinstance(calls, list | None) or not isinstance(invalid, list | None):
        return calls
    garbled = [_named(call) for call in invalid or ()]
    return [_call(call) for call in (*(calls or ()), *garbled)] or None


def _named(call: Any) -> Any:
    """Return a garbled call with the name it has, if any: without one it calls nothing."""
    return {**call, "name": call.get("name") or ""} if isinstance(call, Mapping) else call


def _call(call: Any) -> Any:
    if not isinstance(call, Mapping) or "args" not in call:
        return call
    return {"id": call.get("id"), "name": call.get("name"), "arguments": call["args"]}
