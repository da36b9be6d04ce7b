"""One turn of a dialogue unfolded: calls in full, what they changed, what the tables then held."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from crab_graph.analysis.report.rendering import plain
from crab_graph.analysis.viewer.exchanges import Exchange, ShownCall, read_exchanges
from crab_graph.analysis.viewer.holdings import HeldBooking, Holdings, follow_holdings
from crab_graph.analysis.viewer.screen import (
    Deed,
    deed_line,
    evidence_text,
    head_of,
    print_changes,
    print_indented,
    print_speaker,
    print_text,
    print_told,
)
from crab_graph.errors import UsageError
from crab_graph.runs.record import EpisodeRecord

_MOST_LINES = 24


class TurnDetail(NamedTuple):
    """One visible message with all that belongs to it.

    Attributes:
        exchange: The message and the calls before it.
        held: What the tables held after it.
        deeds: Claims that it makes, beside deeds.
        checks: Evidence of checks that points to it, by check.
    """

    exchange: Exchange
    held: Holdings
    deeds: tuple[Deed, ...]
    checks: Mapping[str, tuple[Mapping[str, Any], ...]]

    def as_json(self, record: EpisodeRecord, *, private: bool) -> dict[str, Any]:
        """Return the document that `show --turn --json` prints."""
        exchange = self.exchange
        facts = [fact for fact in record.facts if fact.get("turn") == exchange.turn]
        held = self.held.as_json()
        if not private:
            held["bookings"] = [{**one, "approved": None} for one in held["bookings"]]
        return {
            "episode_id": record.episode_id,
            "turn": exchange.turn,
            "speaker": exchange.speaker,
            "text": exchange.text,
            "calls": [_call_json(call) for call in _shown(exchange, private)],
            "held": held,
            "deeds": [dict(deed) for deed in self.deeds],
            "facts": facts if private else [],
            "checks": {check: list(evidence) for check, evidence in self.checks.items()},
        }


def find_turn(record: EpisodeRecord, number: int, deeds: Sequence[Deed]) -> TurnDetail:
    """Return a turn of an episode.

    Raises:
        UsageError: the dialogue has no such message.
    """
    exchanges = read_exchanges(record.messages, record.trace)
    for exchange, held in zip(exchanges, follow_holdings(exchanges), strict=True):
        if exchange.turn == number:
            made = tuple(deed for deed in deeds if deed["message"] == number)
            return TurnDetail(exchange, held, made, _checks_of(record, number))
    last = max((exchange.turn or 0 for exchange in exchanges), default=0)
    raise UsageError(f"--turn {number}: the dialogue of {record.episode_id} has {last} messages")


def print_turn(console: Console, record: EpisodeRecord, turn: TurnDetail, *, private: bool) -> None:
    """Print a turn unfolded.

    Args:
        console: Where to.
        record: The episode.
        turn: The turn.
        private: Print the user's own calls, approvals and the facts it told too.
    """
    exchange = turn.exchange
    print_indented(console, head_of(record), 0)
    console.print()
    print_speaker(console, exchange)
    print_text(console, exchange)
    if private:
        print_told(console, record, exchange)
    shown = _shown(exchange, private)
    hidden = len(exchange.calls) - len(shown)
    if shown or hidden:
        console.print(Text("\nDone before saying it", style="bold"))
    if hidden:
        console.print(f"  {hidden} private of the user (--private shows them)", style="dim")
    for call in shown:
        _print_call(console, call)
    console.print(Text("\nHeld after it", style="bold"))
    _print_held(console, turn.held, private)
    if turn.deeds:
        console.print(Text("\nClaimed in it, and done", style="bold"))
        for deed in turn.deeds:
            print_indented(console, deed_line(deed), 2)
    if turn.checks:
        console.print(Text("\nChecks that point to it", style="bold"))
    for check, evidence in turn.checks.items():
        line = Text(f"{record.checks.get(check, ''):<7} {check:<7}")
        print_indented(console, line.append_text(evidence_text(evidence)), 2)


def _shown(exchange: Exchange, private: bool) -> list[ShownCall]:
    return [call for call in exchange.calls if private or call.owner == "agent"]


def _checks_of(record: EpisodeRecord, number: int) -> dict[str, tuple[Mapping[str, Any], ...]]:
    found = {
        check: tuple(item for item in evidence if item.get("message") == number)
        for check, evidence in record.evidence.items()
    }
    return {check: evidence for check, evidence in found.items() if evidence}


def _call_json(call: ShownCall) -> dict[str, Any]:
    return {
        "number": call.number,
        "owner": call.owner,
        "name": call.name,
        "arguments": call.arguments,
        "result": call.result,
        "error": call.error,
        "changes": [
            {
                "op": change.op,
                "table": change.table,
                "key": change.key,
                "values": dict(change.values),
            }
            for change in call.changes
        ],
    }


def _print_call(console: Console, call: ShownCall) -> None:
    line = Text("  ")
    line.append("user's own: " if call.owner == "user" else "", style="dim")
    name = plain(call.name)
    name.stylize("bold red" if call.error else "bold")
    console.print(line.append_text(name))
    for label, value in (("arguments", call.arguments), ("result", call.result)):
        if value is not None:
            console.print(f"    {label}", style="dim")
            print_indented(console, plain(_in_full(value)), 6)
    print_changes(console, call)


def _in_full(value: Any) -> str:
    """Return a JSON value over several lines; a long one says how many it leaves out."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    lines = text.split("\n")
    if len(lines) <= _MOST_LINES:
        return text
    left_out = f"… {len(lines) - _MOST_LINES} more lines (--json has them)"
    return "\n".join([*lines[:_MOST_LINES], left_out])


def _print_held(console: Console, held: Holdings, private: bool) -> None:
    console.print(f"  {held.summary}", markup=False)
    for booking in held.bookings:
        print_indented(console, plain(_booking(booking, private)), 2)
        for item in booking.items:
            print_indented(console, plain(item), 6, "dim")
    for name, delta in held.stock.items():
        moved = f"{delta:+d}".replace("-", "−")
        line = f"{name.replace('_', ' ')} {moved}"
        print_indented(console, plain(line), 2, "dim")
    for other in held.others:
        print_indented(console, plain(other), 2)


def _booking(booking: HeldBooking, private: bool) -> str:
    view = booking.as_json()
    approved = f", {view['approved']} approved" if private and view["approved"] else ""
    return (
        f"{view['id']} {view['status']}: {view['kind']} {view['entity']}, "
        f"costs {view['total']}, {view['paid']} paid{approved}"
    )
