"""Transcripts as anyone may write them, read into one form (design §11)."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from crab_graph.errors import TranscriptError
from crab_graph.eval.message_forms import OBJECT, as_transcript_message
from crab_graph.tools.tool import Owner


class Role(StrEnum):
    """Who or what a message comes from."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class TranscriptCall(NamedTuple):
    """A tool call of a message; `arguments` are as given, an object where they could be read."""

    id: str
    name: str
    arguments: Any


class TranscriptMessage(NamedTuple):
    """One message.

    Attributes:
        role: Its role.
        owner: Whose message, call or result it is.
        content: Its text.
        tool_calls: Its calls, in order.
        tool_call_id: For a tool message, the call it answers.
    """

    role: Role
    owner: Owner
    content: str
    tool_calls: tuple[TranscriptCall, ...] = ()
    tool_call_id: str | None = None


def load_transcript(path: str | Path) -> list[TranscriptMessage]:
    """Read a file: JSON Lines, one message a line, or one JSON list of messages.

    The list may also stand under `messages`, as in the state of a LangGraph agent.

    Raises:
        TranscriptError: the file or a message cannot be read; line or message are named.
    """
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TranscriptError(f"{path}: cannot be read ({error})") from None
    listed = _read_document(text, path)
    messages, lines = _read_lines(text, path) if listed is None else (listed, None)
    if not messages:
        raise TranscriptError(f"{path}: the transcript is empty")

    def place(number: int) -> str:
        return f"{path}, message {number}" if lines is None else f"{path}, line {lines[number - 1]}"

    return _read_all(messages, place)


def _read_document(text: str, path: str | Path) -> list[Any] | None:
    """Return the messages of a file that is one JSON document, `None` where it is lines of it."""
    is_list = text.lstrip().startswith("[")
    try:
        document = parse_json(text)
    except (ValueError, RecursionError) as error:
        if is_list:
            line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
            raise TranscriptError(f"{path}{line}: not JSON ({error})") from None
        return None
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        document = document["messages"]
    return document if isinstance(document, list) else None


def _read_lines(text: str, path: str | Path) -> tuple[list[Any], list[int]]:
    """Return the messages of a file, and the number of the line that each stands in."""
    messages: list[Any] = []
    lines: list[int] = []
    # Other separators of lines may stand inside the texts of a line.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            messages.append(parse_json(line))
        except (ValueError, RecursionError) as error:
            raise TranscriptError(f"{path}, line {number}: not JSON ({error})") from None
        lines.append(number)
    return messages, lines


def read_transcript(messages: Iterable[Any]) -> list[TranscriptMessage]:
    """Read messages given as dictionaries or as LangChain's objects.

    Raises:
        TranscriptError: a message is malformed; its number is named, from 1.
    """
    if isinstance(messages, Mapping) and isinstance(messages.get("messages"), list):
        messages = messages["messages"]
    if isinstance(messages, str | bytes | Mapping):
        raise TranscriptError("a transcript is a list of messages")
    listed = list(messages)
    if all(isinstance(message, TranscriptMessage) for message in listed):
        return listed
    return _read_all(listed, lambda number: f"message {number}")


def _read_all(messages: Sequence[Any], place: Callable[[int], str]) -> list[TranscriptMessage]:
    """Read messages; `place` tells where one is, by its number from 1."""
    read: list[TranscriptMessage] = []
    callers: dict[str, Owner] = {}
    for number, message in enumerate(messages, start=1):
        try:
            parsed = _read_message(message, callers)
        except ValueError as error:
            raise TranscriptError(f"{place(number)}: {error}") from None
        for call in parsed.tool_calls:
            callers[call.id] = parsed.owner
        read.append(parsed)
    return read


def _read_message(message: Any, callers: Mapping[str, Owner]) -> TranscriptMessage:
    if type(message) is not dict or message.get("role") not in _ROLE_NAMES:
        message = as_transcript_message(message)
        if not isinstance(message, OBJECT):
            raise ValueError("a message is a JSON object")
    role, default = _read_role(message.get("role"))
    listed = message.get("tool_calls")
    calls = () if listed is None else _read_calls(listed)
    call_id = message.get("tool_call_id")
    if call_id is not None and not isinstance(call_id, str):
        raise ValueError("'tool_call_id' is a string")
    if role is Role.TOOL:
        if call_id not in callers:
            text = f"a tool message answers an earlier call, and none has the id {call_id!r}"
            raise ValueError(text)
        default = callers[call_id or ""]
    if calls and (role is Role.TOOL or role is Role.SYSTEM):
        raise ValueError(f"a {role} message makes no calls")
    if message.get("function_call") is not None:
        raise ValueError("'function_call' is not read: calls stand in 'tool_calls'")
    owner = message.get("owner")
    if owner is not None:
        _check_owner(owner, role, default)
    content = message.get("content")
    if not isinstance(content, str):
        is_result = role is Role.TOOL and isinstance(content, OBJECT)
        content = json.dumps(content) if is_result else _read_content(content)
    return TranscriptMessage(role, default, content, calls, call_id)


_ROLES = {
    "user": (Role.USER, Owner.USER),
    "assistant": (Role.ASSISTANT, Owner.AGENT),
    "tool": (Role.TOOL, Owner.AGENT),
    "system": (Role.SYSTEM, Owner.AGENT),
}
"""Each role with whose a message is that does not say so; a result is the caller's."""
_ROLE_NAMES = tuple(_ROLES)


def _read_role(value: Any) -> tuple[Role, Owner]:
    found = _ROLES.get(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"'role' is one of {', '.join(Role)}, not {value!r}")
    return found


def _check_owner(value: Any, role: Role, default: Owner) -> None:
    if value not in ("agent", "user"):
        raise ValueError(f"'owner' is agent or user, not {value!r}")
    if role is not Role.SYSTEM and value != default:
        raise ValueError(f"a {role} message here belongs to the {default}, not to the {value}")


_TEXT_PARTS = ("text", "input_text", "output_text")


def _read_content(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        parts = [part if isinstance(part, Mapping) else {"text": part} for part in value]
        texts = [part.get("text") for part in parts if part.get("type", "text") in _TEXT_PARTS]
        if all(isinstance(text, str) for text in texts):
            return "".join(str(text) for text in texts)
    raise ValueError("'content' is a text")


def _read_calls(value: Any) -> tuple[TranscriptCall, ...]:
    if not isinstance(value, list):
        raise ValueError("'tool_calls' is a list")
    return tuple(map(_read_call, value))


def _read_call(call: Any) -> TranscriptCall:
    if not isinstance(call, OBJECT):
        raise ValueError("a tool call is a JSON object")
    function = call.get("function", call)
    if not isinstance(function, OBJECT) or not isinstance(function.get("name"), str):
        raise ValueError("a tool call has a 'name'")
    call_id = call.get("id")
    if call_id is not None and not isinstance(call_id, str):
        raise ValueError("the 'id' of a tool call is a string")
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        arguments = _read_arguments(arguments)
    return TranscriptCall(call_id or "", function["name"], arguments)


def _read_arguments(text: str) -> Any:
    """Return the arguments of a call; what is no JSON is the caller's error, and stays as it is."""
    try:
        return parse_json(text or "{}")
    except (ValueError, RecursionError):
        return text


_HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; half a character in it becomes U+FFFD.

    Raises:
        ValueError: it is no JSON, or holds a number that is none or is too large.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, parse_constant=_refuse, parse_float=_parse_float)
    return _whole(value) if _HALF.search(text) else value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _parse_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def _whole(value: Any) -> Any:
    """Return a JSON value with every half of a surrogate pair replaced."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value
