"""One dialogue, said against done: each visible message beside the tool calls that led up to it.

The page and `show` draw the same exchanges; this module knows neither.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row that a call inserted, changed, or took back.

    Attributes:
        table: The table.
        key: The row's key.
        op: `insert`, `update`, `add` or `remove`.
        values: The row, or what was set in it; for `add`, the column and by how much it moved.
    """

    table: str
    key: str
    op: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShownCall:
    """One tool call and what came of it.

    Attributes:
        number: Its place among the calls of the episode, from 1.
        place: Its place among calls and visible messages, which is how verdicts number acts.
        owner: `agent` or `user`; a user's call is private.
        name: Tool name.
        arguments: Arguments as they were given.
        result: What the tool answered, or `None` if it refused.
        error: Code and message of the refusal, or `None`.
        changes: The rows it wrote.
    """

    number: int
    place: int
    owner: str
    name: str
    arguments: Any
    result: Any
    error: Mapping[str, Any] | None
    changes: tuple[RowChange, ...]

    @property
    def is_lookup(self) -> bool:
        """Whether the agent only read something, and got it."""
        return self.owner == "agent" and self.error is None and not self.changes


@dataclass(slots=True)
class Exchange:
    """A visible message, and the calls its speaker made before it.

    Attributes:
        speaker: `agent` or `user`.
        turn: Its place among the visible messages, from 1; `None` where calls were left unanswered.
        text: What was said.
        calls: Calls since the speaker's last message.
    """

    speaker: str
    turn: int | None = None
    text: str = ""
    calls: list[ShownCall] = field(default_factory=list)


def read_exchanges(
    messages: Sequence[Message], trace: Sequence[Mapping[str, Any]] = ()
) -> list[Exchange]:
    """Return a transcript as exchanges; the trace of the calls adds the rows they wrote."""
    answers = _answers(messages)
    changes = iter([_changes(step) for step in trace])
    exchanges: list[Exchange] = []
    pending: dict[str, Exchange] = {}
    turn = number = 0
    for message in messages:
        if message["role"] not in ("assistant", "user"):
            continue
        speaker = "agent" if message["role"] == "assistant" else "user"
        exchange = pending.setdefault(speaker, Exchange(speaker))
        for call in message.get("tool_calls") or ():
            number += 1
            answer = answers.get(number)
            # The trace holds the calls that ran; one that was cut short has no answer.
            written = () if answer is None else next(changes, ())
            place = number + turn
            exchange.calls.append(_read_call(number, place, speaker, call, answer, written))
        if not message.get("tool_calls"):
            turn += 1
            exchange.turn, exchange.text = turn, message.get("content") or ""
            exchanges.append(pending.pop(speaker))
    return exchanges + list(pending.values())


def calls_of(exchanges: Sequence[Exchange]) -> Iterator[ShownCall]:
    """Yield every call of a dialogue in order."""
    for exchange in exchanges:
        yield from exchange.calls


def _answers(messages: Sequence[Message]) -> dict[int, str]:
    """Return what the tools answered, by the number of the call; ids may come up again."""
    waiting: dict[str, int] = {}
    answers: dict[int, str] = {}
    number = 0
    for message in messages:
        for call in message.get("tool_calls") or ():
            number += 1
            waiting[call["id"]] = number
        if message["role"] == "tool" and message["tool_call_id"] in waiting:
            answers[waiting.pop(message["tool_call_id"])] = message["content"]
    return answers


def _read_call(
    number: int,
    place: int,
    owner: str,
    call: Mapping[str, Any],
    content: str | None,
    changes: tuple[RowChange, ...],
) -> ShownCall:
    answer = _parse(content)
    refused = isinstance(answer, dict) and "error" in answer
    return ShownCall(
        number=number,
        place=place,
        owner=owner,
        name=call["name"],
        arguments=call["arguments"],
        result=None if refused else answer,
        error=answer if refused else None,
        changes=changes,
    )


def _parse(content: str | None) -> Any:
    """Return a tool's answer as JSON, or as the text it is."""
    if content is None:
        return None
    try:
        return json.loads(content)
    except ValueError:
        return content


def _changes(step: Mapping[str, Any]) -> tuple[RowChange, ...]:
    return tuple(_read_change(event) for event in step.get("events") or ())


def _read_change(event: Mapping[str, Any]) -> RowChange:
    match event["op"]:
        case "insert" | "remove":
            values = event["row"]
        case "update":
            values = event["set"]
        case _:
            values = {event["column"]: event["delta"]}
    return RowChange(event["table"], event["key"], event["op"], values)
