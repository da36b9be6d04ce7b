"""One dialogue, said against done: each visible message beside the tool calls that led up to it.

With it what the tables held after each message (section 3.1): the fold of the events an episode
wrote. Initial rows are the task's and not the episode's, so this is what the episode added to them.
The page and `show` draw the same exchanges; this module knows neither.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from crab_graph.money import format_dollars
from crab_graph.tools.bookings import BookingStatus, TransactionKind

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
    caller: str | None = None
    """The member of the agent that made it, where that is known."""

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
            step: Mapping[str, Any] = {}
            if number in answers:  # one that was cut short has no answer, and no step
                result = answers[number]
                step = next(steps, {})
                if isinstance(result, dict) and "error" in result:
                    result, error = None, result
            changes = tuple(map(_read_change, step.get("events") or ()))
            about = (number, number + turn, speaker, call["name"], call["arguments"])
            shown = ShownCall(*about, result, error, changes, step.get("caller"))
            exchange.calls.append(shown)
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
    """Return the values of a change as words: `kind visit, status pending, total $300.00`.

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
    for name, value in shown.items():
        if name.endswith("_cents") and isinstance(value, int):
            shown[name] = format_dollars(value)
        elif isinstance(value, bool):
            shown[name] = "yes" if value else "no"
    return ", ".join(f"{words[name]}{arrow}{value}" for name, value in shown.items())


def brief_arguments(arguments: Any) -> str:
    """Return a call's arguments in a few words: values alone, `2 items` for a list."""
    if not isinstance(arguments, Mapping):
        return _brief(arguments)
    text = ", ".join(map(_brief, arguments.values()))
    return text if len(text) <= _LONGEST_BRIEF else f"{text[:_LONGEST_BRIEF]}…"


@dataclass(frozen=True, slots=True)
class HeldBooking:
    """A booking as the tables have it."""

    booking_id: str
    kind: str
    entity_id: str
    status: str
    total_cents: int
    paid_cents: int = 0
    """Charges less refunds."""
    approved_cents: int | None = None
    """The approval recorded last, which is the user's and private."""
    items: tuple[str, ...] = ()
    """What it takes, a line each: people with their places, days, units."""

    def as_json(self) -> dict[str, Any]:
        """Return the booking for the page and for `show --json`, amounts as people write them."""
        approved = self.approved_cents
        return {
            "id": self.booking_id,
            "kind": self.kind,
            "entity": self.entity_id,
            "status": self.status,
            "total": format_dollars(self.total_cents),
            "paid": format_dollars(self.paid_cents),
            "approved": None if approved is None else format_dollars(approved),
            "items": list(self.items),
        }

    def after(self, change: RowChange) -> "HeldBooking":
        """Return it once a row about it was written: itself, a payment, or what it takes."""
        values = change.values
        match change.table:
            case "bookings":
                known = {name: values[name] for name in ("status", "total_cents") if name in values}
                return replace(self, **known)
            case "transactions":
                sign = 1 if values["kind"] == TransactionKind.CHARGE else -1
                return replace(self, paid_cents=self.paid_cents + sign * values["amount_cents"])
            case "approvals":
                return replace(self, approved_cents=values["amount_cents"])
        rest = {name: value for name, value in values.items() if name != "booking_id"}
        line = describe_change(change._replace(values=rest))
        if change.op != "remove":
            return replace(self, items=(*self.items, line))
        return replace(self, items=tuple(item for item in self.items if item != line))


@dataclass(frozen=True, slots=True)
class Holdings:
    """What an episode's writes have come to so far."""

    bookings: tuple[HeldBooking, ...] = ()
    """In the order in which they were made, cancelled ones too."""
    stock: Mapping[str, int] = field(default_factory=dict)
    """By how much each counted stock differs from before the episode, where it does."""
    others: tuple[str, ...] = ()
    """Other rows that were added or changed, a line each."""

    @property
    def summary(self) -> str:
        """What is held in a few words, such as `2 bookings (1 pending), $265.00 paid`."""
        if not self.bookings:
            return "nothing booked"
        counts = Counter(one.status for one in self.bookings)
        active = len(self.bookings) - counts[BookingStatus.CANCELLED]
        states = [
            f"{counts[status]} {status}"
            for status in (BookingStatus.PENDING, BookingStatus.CANCELLED)
            if counts[status]
        ]
        brackets = f" ({', '.join(states)})" if states else ""
        paid = format_dollars(sum(one.paid_cents for one in self.bookings))
        return f"{active} {'booking' if active == 1 else 'bookings'}{brackets}, {paid} paid"

    def as_json(self) -> dict[str, Any]:
        """Return what is held for the page and for `show --json`."""
        return {
            "summary": self.summary,
            "bookings": [booking.as_json() for booking in self.bookings],
            "stock": dict(self.stock),
            "others": list(self.others),
        }

    def after(self, changes: Iterable[RowChange]) -> "Holdings":
        """Return what is held once some rows were written."""
        bookings = {booking.booking_id: booking for booking in self.bookings}
        stock = Counter(self.stock)
        others = list(self.others)
        for change in changes:
            table, key, op, row = change
            booking_id = key if table == "bookings" else row.get("booking_id")
            if op == "add":
                for column, delta in row.items():
                    name = f"{table} {key} {column}"
                    stock[name] += delta
                    if not stock[name]:
                        del stock[name]
            elif table == "bookings" and op == "insert":
                about = (row["kind"], row["entity_id"], row["status"], row["total_cents"])
                bookings[key] = HeldBooking(key, *about)
            elif booking_id in bookings:
                bookings[booking_id] = bookings[booking_id].after(change)
            else:
                others.append(f"{table} {key} {describe_change(change)}")
        return Holdings(tuple(bookings.values()), dict(stock), tuple(others))


def follow_holdings(exchanges: Sequence[Exchange]) -> list[Holdings]:
    """Return what the tables held after each exchange; where nothing was written, as before."""
    held = Holdings()
    followed = []
    for exchange in exchanges:
        held = held.after(change for call in exchange.calls for change in call.changes)
        followed.append(held)
    return followed


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
