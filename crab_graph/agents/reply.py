"""What an agent or a callable user answered, normalised: text, and calls for the environment."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage
from pydantic import ValidationError

from crab_graph.models.secrets import without_used_secrets

PLACE_MARK = "call-place:"
"""Stands, with a number after it, for the id of a call in what a provider wrote."""

_INT64 = 2**63
_OF_CALL = (("args",), ("name",))
_GARBLED = "malformed_call"
"""The name of a call that LangChain refuses; no tool has it."""
_CALL_BLOCKS = frozenset({"tool_use", "tool_call", "function_call", "invalid_tool_call"})
_REPEATED = frozenset({"tool_calls", "function_call", "parsed", "audio"})
_FORMAT = ("model_provider", "output_version")


class Call(NamedTuple):
    """A tool call as it was asked for; malformed arguments stay the text they came as."""

    name: str
    arguments: dict[str, Any] | str


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; its text is not delivered when there are calls for the environment.

    `own` is what the provider put beside the text, such as reasoning with its signature; it is
    handed back to the agent with its message, and to nobody else. `memory` is what an agent with a
    memory of its own remembers now, as far as that is new.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    own: dict[str, Any] = field(default_factory=dict)
    memory: dict[str, Any] | None = None


class BadReply(TypeError):
    """An agent returned something that is no reply."""


def read_reply(answer: object) -> Reply:
    """Return what an `AIMessage`, a text or a graph's output says.

    Raises:
        BadReply: it is none of these.
    """
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, Mapping) and isinstance(answer.get("messages"), Sequence):
        answer = answer["messages"][-1] if answer["messages"] else ""
    if isinstance(answer, str):
        return Reply(clean_text(answer))
    if not isinstance(answer, AIMessage):
        kind = type(answer).__name__
        raise BadReply(f"an agent must return an AIMessage or a str, not {kind}")
    return Reply(clean_text(str(answer.text)), calls_of(answer), own=own_content(answer))


def ask_model(model: Any, messages: Sequence[Any]) -> Reply:
    """Return what a chat model answers.

    LangChain refuses a message with a call whose arguments are JSON but no object, or that has no
    name: the model's mistake, so these calls stand in the reply, and fail in the environment.

    Raises:
        BadReply: the answer is none.
        Exception: whatever the model fails with.
    """
    try:
        return read_reply(model.invoke(messages))
    except ValidationError as error:
        calls = _refused_calls(error)
        if not calls:
            raise
        return Reply(calls=calls)


def _refused_calls(error: ValidationError) -> tuple[Call, ...]:
    """Return the calls for which alone LangChain refused a message, none where it had others."""
    if error.title != AIMessage.__name__:
        return ()
    found = error.errors(include_url=False, include_context=False)
    if any(one["loc"][:1] != ("tool_calls",) or one["loc"][2:] not in _OF_CALL for one in found):
        return ()
    return tuple(Call(_GARBLED, clean_text(json.dumps(plain(one["input"])))) for one in found)


def calls_of(message: AIMessage) -> tuple[Call, ...]:
    """Return the calls of a message in the order in which they were written.

    LangChain keeps the unreadable ones apart; where the message does not tell how they stood
    among the others, they come last.
    """
    calls = _calls_in_order(message)
    return tuple(Call(clean_text(call["name"] or ""), _arguments(call["args"])) for call in calls)


def call_ids_of(message: AIMessage) -> list[str]:
    """Return the ids of the calls of a message, in the order of `calls_of`."""
    return [_id(call) for call in _calls_in_order(message)]


def _calls_in_order(message: AIMessage) -> list[Any]:
    written: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
    listed, known = _written_ids(message), [_id(call) for call in written]
    is_told = sorted(listed) == sorted(known) and len(set(known)) == len(known)
    if message.tool_calls and message.invalid_tool_calls and is_told:
        written.sort(key=lambda call: listed.index(_id(call)))
    return written


def _id(call: Mapping[str, Any]) -> str:
    return str(call.get("id") or "")


def _written_ids(message: AIMessage) -> list[str]:
    """Return the ids of all calls as the provider listed them: in a field, or among the content."""
    listed = message.additional_kwargs.get("tool_calls")
    if isinstance(listed, Sequence):
        return [_id(call) for call in listed if isinstance(call, Mapping)]
    blocks = message.content if isinstance(message.content, list) else []
    return [
        str(block.get("call_id") or block.get("id") or "")
        for block in blocks
        if isinstance(block, dict) and block.get("type") in _CALL_BLOCKS
    ]


def own_content(message: AIMessage) -> dict[str, Any]:
    """Return what a message holds beside its text and calls, with the calls numbered.

    Content in blocks (reasoning, signatures, citations) and a provider's extra fields have to come
    back to it as they were. Ids of calls in them become places, which `View` turns into the ids
    that the calls have in the episode.
    """
    extra = {
        name: value
        for name, value in message.additional_kwargs.items()
        if name not in _REPEATED and value is not None
    }
    found: dict[str, Any] = {}
    if isinstance(message.content, list):
        written = message.response_metadata
        about = {name: written[name] for name in _FORMAT if name in written}
        found = {"content": message.content} | ({"metadata": about} if about else {})
    if extra:
        found["extra"] = extra
    if not found:
        return {}
    ids = [_id(call) for call in (*message.tool_calls, *message.invalid_tool_calls)]
    listed = _written_ids(message)
    numbered: dict[str, Any] = renamed(plain(found), listed if len(listed) == len(ids) else ids)
    return numbered


def renamed(value: Any, ids: Sequence[str], new: Sequence[str] | None = None) -> Any:
    """Return a JSON value in which each id, as a text or a key, has its new name.

    Where one id stands for several calls, as some providers number them, its n-th appearance is
    that of the n-th call. By default an id becomes a mark with the place of its call.
    """
    names: dict[str, list[str]] = {}
    for place, identity in enumerate(ids):
        if identity:
            target = f"{PLACE_MARK}{place}" if new is None else new[place]
            names.setdefault(identity, []).append(target)

    def name_of(text: str) -> str:
        known = names.get(text)
        if not known:
            return text
        return known.pop(0) if len(known) > 1 else known[0]

    def walk(part: Any) -> Any:
        if isinstance(part, str):
            return name_of(part)
        if isinstance(part, dict):
            return {name_of(key): walk(item) for key, item in part.items()}
        return [walk(item) for item in part] if isinstance(part, list) else part

    return walk(value)


def _arguments(written: Mapping[str, Any] | str | None) -> dict[str, Any] | str:
    """Return arguments; those called unreadable are an object too, if they are one after all."""
    value: Any = written
    if not isinstance(written, Mapping):
        try:
            value = json.loads(written or "")
        except (ValueError, RecursionError):
            value = None
    return plain(value) if isinstance(value, Mapping) else clean_text(str(written or ""))


def plain(value: Any) -> Any:
    """Return a value as JSON that survives a checkpoint: no tuples, huge integers or odd floats."""
    if isinstance(value, Mapping):
        return {clean_text(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, str):
        return clean_text(str(value))
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -_INT64 <= value < _INT64 else str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, Sequence | set | frozenset):
        return [plain(item) for item in value]
    return clean_text(str(value))


def clean_text(text: str) -> str:
    """Return a text without lone surrogates, which no file can hold, and without used keys."""
    text = without_used_secrets(text)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
