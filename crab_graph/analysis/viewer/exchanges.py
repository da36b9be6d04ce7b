"""One dialogue, said against done: each visible message beside the tool calls that led up to it.

The page and `show` draw the same exchanges; this module knows neither.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crab_graph.money import format_dollars

Message = Mapping[str, Any]

SIGNS: Mapping[str, str] = {"insert": "+", "update": "~", "add": "~", "remove": "-"}

_LONGEST_BRIEF = 90


class RowChange(NamedTuple):
    """One row that a call inserted, changed, or took back."""

    table: str
    key: str
    op: str
    """`insert`, `update`, `add` or `remove`."""
    values: Mapping[str, Any]
    """The row, or what was set in it; for `add`, the column and by how much it moved."""


class ShownCall(NamedTuple):
    """One tool call, and what came of it: a result or an error, and rows that it wrote."""

    number: int
    """Its place among the calls of the episode, from 1."""
    place: int
    """Its place among calls and visible messages, which is how verdicts number acts."""
    owner: str
    """`agent` or `user`; a user's call is private."""
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
    """A visible message, and the calls its speaker (`agent`, `user`) made since its last one."""

    speaker: str
    turn: int | None = None
    """Its place among the visible messages, from 1; `None` where calls were left unanswered."""
    text: str = ""
    calls: list[ShownCall] = field(default_factory=list)


def read_exchanges(
    messages: Sequence[Message], trace: Sequence[Mapping[str, Any]] = ()
) -> list[Exchange]:
    """Return a transcript as exchanges; the trace of the calls adds the rows they wrote."""
    answers = _answers(messages)
    steps = iter(trace)
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
            result = error = None
            changes: tuple[RowChange, ...] = ()
            if number in answers:  # one that was cut short has no answer, and no step
                result = answers[number]
                changes = tuple(map(_read_change, next(steps, {}).get("events") or ()))
                if isinstance(result, dict) and "error" in result:
                    result, error = None, result
            about = (number, number + turn, speaker, call["name"], call["arguments"])
            exchange.calls.append(ShownCall(*about, result, error, changes))
        if not message.get("tool_calls"):
            turn += 1
            exchange.turn, exchange.text = turn, message.get("content") or ""
            exchanges.append(pending.pop(speaker))
    return exchanges + list(pending.values())


def calls_of(exchanges: Sequence[Exchange]) -> Iterator[ShownCall]:
    """Yield every call of a dialogue in order."""
    for exchange in exchanges:
        yield from exchange.calls


def describe_change(change: RowChange) -> str:
    """Return the values of a change as words: `kind flight, status pending, total $300.00`.

    Left out: what the key says already, and the customer, who is the same all along.
    """
    shown = {
        name: value
        for name, value in change.values.items()
        if value is not None
        and name != "customer_id"
        and not f"{change.key}/".startswith(f"{value}/")
    }
    if change.op == "add":
        return ", ".join(f"{name} {value:+d}".replace("-", "−") for name, value in shown.items())
    arrow = " → " if change.op == "update" else " "
    words = {name: name.removesuffix("_cents").replace("_", " ") for name in shown}
    return ", ".join(f"{words[name]}{arrow}{_value(name, value)}" for name, value in shown.items())


def brief_arguments(arguments: Any) -> str:
    """Return a call's arguments in a few words: values alone, `2 items` for a list."""
    if not isinstance(arguments, Mapping):
        return _brief(arguments)
    text = ", ".join(map(_brief, arguments.values()))
    return text if len(text) <= _LONGEST_BRIEF else f"{text[:_LONGEST_BRIEF]}…"


def _answers(messages: Sequence[Message]) -> dict[int, Any]:
    """Return what the tools answered, by the number of the call; ids may come up again."""
    waiting: dict[str, int] = {}
    answers: dict[int, Any] = {}
    number = 0
    for message in messages:
        for call in message.get("tool_calls") or ():
            number += 1
            waiting[call["id"]] = number
        if message["role"] == "tool" and message["tool_call_id"] in waiting:
            try:
                answer = json.loads(message["content"])
            except ValueError:
                answer = message["content"]
            answers[waiting.pop(message["tool_call_id"])] = answer
    return answers


def _read_change(event: Mapping[str, Any]) -> RowChange:
    if event["op"] == "add":
        values = {event["column"]: event["delta"]}
    else:
        values = event["set" if event["op"] == "update" else "row"]
    return RowChange(event["table"], event["key"], event["op"], values)


def _brief(value: Any) -> str:
    if isinstance(value, list):
        return _brief(value[0]) if len(value) == 1 else f"{len(value)} items"
    if isinstance(value, Mapping):
        return " ".join(map(_brief, list(value.values())[:2]))
    return str(value)


def _value(name: str, value: Any) -> str:
    if name.endswith("_cents") and isinstance(value, int):
        return format_dollars(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
