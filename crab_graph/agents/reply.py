"""What an agent or a callable user answered, normalised: text, and calls for the environment."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage

_INT64 = 2**63


class Call(NamedTuple):
    """A tool call as it was asked for; malformed arguments stay the text they came as."""

    name: str
    arguments: dict[str, Any] | str


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    Attributes:
        text: What was said; not delivered when there are calls.
        calls: Calls for the environment, in order.
        inner: Messages between an agent and tools of its own that came before, as transcript lines.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    inner: tuple[dict[str, Any], ...] = ()


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
    return Reply(clean_text(str(answer.text)), calls_of(answer))


def calls_of(message: AIMessage) -> tuple[Call, ...]:
    """Return the calls of a message: the well-formed ones in order, then the unreadable ones."""
    good = ((call["name"], plain(call["args"])) for call in message.tool_calls)
    bad = ((call["name"], _parsed(call["args"] or "")) for call in message.invalid_tool_calls)
    return tuple(Call(clean_text(name or ""), given) for name, given in (*good, *bad))


def _parsed(arguments: str) -> dict[str, Any] | str:
    """Return arguments that were called unreadable as an object, if they are one after all."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    return plain(value) if isinstance(value, dict) else clean_text(arguments)


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
    """Return a text without lone surrogates, which no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def inner_lines(messages: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    """Return messages between an agent and its own tools as transcript lines."""
    lines: list[dict[str, Any]] = []
    for message in messages:
        line: dict[str, Any] = {"role": message.type, "content": clean_text(str(message.text))}
        if isinstance(message, AIMessage):
            line["tool_calls"] = [
                {"id": str(call["id"]), "name": call["name"], "arguments": plain(call["args"])}
                for call in message.tool_calls
            ]
        elif message.type == "tool":
            line["tool_call_id"] = str(message.tool_call_id)
        lines.append(line)
    return tuple(lines)
