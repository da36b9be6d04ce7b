"""Transcripts as anyone may write them, read into one form (design §11)."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from itertools import count
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from crab_graph.errors import TranscriptError
from crab_graph.settings import reply_length
from crab_graph.text.phrases import find_token
from crab_graph.text.transcript_marks import PLACE, USER_NAME
from crab_graph.tools.registry import Owner

GIVE_ALL = "give the state of the graph, the episode, or what cg.messages(…) makes of them"


class MessageRole(StrEnum):
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
    """One message: its role, whose message, call or result it is, and what it holds.

    A tool message answers the call `tool_call_id`; one `is_owned` that says itself whose it is.
    """

    role: MessageRole
    owner: Owner
    content: str
    tool_calls: tuple[TranscriptCall, ...] = ()
    tool_call_id: str | None = None
    is_owned: bool = True


def until_overlong(
    messages: Sequence[TranscriptMessage], limit: int
) -> Sequence[TranscriptMessage] | None:
    """Return what was said up to a reply of the agent that is longer than it may be, with it.

    `None` where there is none. Its calls are not run: with any it is left out.
    """
    for number, message in enumerate(messages):
        if message.role is MessageRole.USER and find_token(message.content) is not None:
            return None
        is_reply = message.role is MessageRole.ASSISTANT and message.owner is Owner.AGENT
        arguments = (call.arguments for call in message.tool_calls)
        if is_reply and reply_length(message.content, arguments) > limit:
            return messages[: number if message.tool_calls else number + 1]
    return None


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
    messages = _read_document(text, path)
    places: Iterable[str] = (f"{path}, message {number}" for number in count(1))
    if messages is None:
        # Other separators of lines may stand inside the texts of a line.
        lines = {number: line for number, line in enumerate(text.split("\n"), 1) if line.strip()}
        places = [f"{path}, line {number}" for number in lines]
        messages = []
        for place, line in zip(places, lines.values(), strict=True):
            try:
                messages.append(_parse_json(line))
            except (ValueError, RecursionError) as error:
                raise TranscriptError(f"{place}: not JSON ({error})") from None
    if not messages:
        raise TranscriptError(f"{path}: the transcript is empty")
    return _read_all(messages, places)


def _read_document(text: str, path: str | Path) -> list[Any] | None:
    """Return the messages of a file that is one JSON document, `None` where it is lines of it."""
    try:
        document = _parse_json(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("["):
            line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
            raise TranscriptError(f"{path}{line}: not JSON ({error})") from None
        return None
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        document = document["messages"]
    return document if isinstance(document, list) else None


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
    return _read_all(listed, (f"message {number}" for number in count(1)))


def _read_all(messages: Iterable[Any], places: Iterable[str]) -> list[TranscriptMessage]:
    messages = list(messages)
    _check_places(messages)
    read: list[TranscriptMessage] = []
    callers: dict[str, Owner] = {}
    for message, place in zip(messages, places, strict=False):
        try:
            parsed = _read_message(message, callers)
        except ValueError as error:
            raise TranscriptError(f"{place}: {error}") from None
        callers |= {call.id: parsed.owner for call in parsed.tool_calls}
        read.append(parsed)
    return read


def _check_places(messages: Iterable[Any]) -> None:
    """Raise `TranscriptError` where messages say that others of their episode are missing."""
    known = [place for place in map(_place_of, messages) if place is not None]
    for before, after in zip([-1, *known], known, strict=False):
        if after == before + 1:
            continue
        if after <= before:
            raise TranscriptError("these are the messages of several episodes; grade each alone")
        raise TranscriptError(
            f"{after - before - 1} of the episode's messages are missing before its number {after}"
            f", such as the user's own calls, which the agent never sees; {GIVE_ALL}"
        )


def _place_of(message: Any) -> int | None:
    if isinstance(message, Mapping):
        place = message.get("seq")
        about = message.get("response_metadata")
    else:
        place, about = None, getattr(message, "response_metadata", None)
    if place is None and isinstance(about, Mapping):
        place = about.get(PLACE)
    return place if isinstance(place, int) else None


_ROLES = {str(role): role for role in MessageRole}


def _read_message(message: Any, callers: Mapping[str, Owner]) -> TranscriptMessage:
    message = _as_transcript_message(message)
    if not isinstance(message, Mapping):
        raise ValueError("a message is a JSON object")
    name = message.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise ValueError(f"'role' is one of {', '.join(MessageRole)}, not {name!r}")
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise ValueError("'tool_calls' is a list")
    if calls and role is MessageRole.ASSISTANT and message.get("name") == USER_NAME:
        role = MessageRole.USER
    tool_calls = tuple(map(_read_call, calls)) if calls else ()
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str | None):
        raise ValueError("'tool_call_id' is a string")
    # A result is the caller's; what else does not say whose it is, is its speaker's.
    owner = Owner.USER if role is MessageRole.USER else Owner.AGENT
    if role is MessageRole.TOOL:
        if call_id not in callers:
            text = f"a tool message answers an earlier call, and none has the id {call_id!r}"
            raise ValueError(text)
        owner = callers[call_id or ""]
    if tool_calls and role in {MessageRole.TOOL, MessageRole.SYSTEM}:
        raise ValueError(f"a {role} message makes no calls")
    if message.get("function_call") is not None:
        raise ValueError("'function_call' is not read: calls stand in 'tool_calls'")
    said = message.get("owner")
    if said not in (None, "agent", "user"):
        raise ValueError(f"'owner' is agent or user, not {said!r}")
    if said not in (None, owner) and role is not MessageRole.SYSTEM:
        raise ValueError(f"a {role} message here belongs to the {owner}, not to the {said}")
    content = message.get("content")
    if role is MessageRole.TOOL and isinstance(content, Mapping):
        content = json.dumps(content)
    text = _read_content(content)
    return TranscriptMessage(role, owner, text, tool_calls, call_id, said is not None)


_OTHER_ROLES = {"human": "user", "ai": "assistant", "developer": "system"}
"""What LangChain and OpenAI call roles otherwise."""


def _as_transcript_message(message: Any) -> Any:
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
        is_renamed = isinstance(role, str) and role in _OTHER_ROLES
        return {**message, "role": _OTHER_ROLES[role]} if is_renamed else message
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
        "role": _OTHER_ROLES.get(kind, kind),
        "content": fields.get("content"),
        "tool_calls": _calls_of(fields),
        **{name: fields[name] for name in ("tool_call_id", "owner", "name") if name in fields},
    }


def _calls_of(fields: Mapping[str, Any]) -> Any:
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


_TEXT_PARTS = ("text", "input_text", "output_text")


def _read_content(value: Any) -> str:
    if isinstance(value, str | None):
        return value or ""
    if isinstance(value, list):
        parts = [part if isinstance(part, Mapping) else {"text": part} for part in value]
        texts = [part.get("text") for part in parts if part.get("type", "text") in _TEXT_PARTS]
        if all(isinstance(text, str) for text in texts):
            return "".join(map(str, texts))
    raise ValueError("'content' is a text")


def _read_call(call: Any) -> TranscriptCall:
    """Read a call; arguments that are no JSON are the caller's error, and stay as they are."""
    if not isinstance(call, Mapping):
        raise ValueError("a tool call is a JSON object")
    function = call.get("function", call)
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise ValueError("a tool call has a 'name'")
    call_id = call.get("id")
    if not isinstance(call_id, str | None):
        raise ValueError("the 'id' of a tool call is a string")
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = _parse_json(arguments or "{}")
    return TranscriptCall(call_id or "", function["name"], arguments)


_HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def _parse_json(text: str) -> Any:
    """Return the value of a JSON text as the standard has it: no NaN, no number too large.

    Half a character in it becomes U+FFFD. What is nested too deeply raises a `RecursionError`.
    """
    value = json.loads(text, parse_constant=_refuse, parse_float=_parse_float)
    if _HALF.search(text):
        written = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return json.loads(written.decode("utf-16", "replace"))
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _parse_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number
