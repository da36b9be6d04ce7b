"""Messages as LangChain and LangGraph hold them, turned into the form transcripts have (§11)."""

from collections.abc import Mapping
from typing import Any

_ROLES = {"human": "user", "ai": "assistant", "developer": "system"}


def as_transcript_message(message: Any) -> Any:
    """Return a message in the form transcripts have; what is in no known form stays as it is.

    Known are LangChain's message objects, and what `model_dump`, `messages_to_dict` and `dumpd`
    make of them.
    """
    if not isinstance(message, Mapping):
        dump = getattr(message, "model_dump", None)
        message = dump() if callable(dump) else message
        if not isinstance(message, Mapping):
            return message
    if "role" in message:
        role = message["role"]
        is_renamed = isinstance(role, str) and role in _ROLES
        return {**message, "role": _ROLES[role]} if is_renamed else message
    kind, fields = message.get("type"), message
    if kind == "constructor" and isinstance(message.get("kwargs"), Mapping):
        path, fields = message.get("id"), message["kwargs"]
        kind = str(path[-1]) if isinstance(path, list) and path else ""
    elif isinstance(message.get("data"), Mapping):
        fields = message["data"]
    if not isinstance(kind, str):
        return message
    kind = kind.removesuffix("MessageChunk").removesuffix("Message").lower()
    return {
        "role": _ROLES.get(kind, kind),
        "content": fields.get("content"),
        "tool_calls": _calls(fields),
        **{name: fields[name] for name in ("tool_call_id", "owner") if name in fields},
    }


def _calls(fields: Mapping[str, Any]) -> Any:
    """Return the calls; one whose arguments a model garbled is its error, and counts."""
    calls, invalid = fields.get("tool_calls"), fields.get("invalid_tool_calls")
    if not isinstance(calls, list | None) or not isinstance(invalid, list | None):
        return calls
    # A garbled call without a name calls nothing.
    garbled = [
        {**call, "name": call.get("name") or ""} if isinstance(call, Mapping) else call
        for call in invalid or ()
    ]
    return [
        {"id": call.get("id"), "name": call.get("name"), "arguments": call["args"]}
        if isinstance(call, Mapping) and "args" in call
        else call
        for call in (*(calls or ()), *garbled)
    ] or None
