"""One episode looked at closely: a turn unfolded, why it failed, and everything the user knew."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from crab_graph import terms
from crab_graph.analysis.labels import plain, titled_table
from crab_graph.analysis.viewer.exchanges import (
    Exchange,
    Holdings,
    ShownCall,
    calls_of,
    follow_holdings,
    read_exchanges,
)
from crab_graph.analysis.viewer.screen import (
    MARKS,
    Deed,
    deed_line,
    evidence_text,
    head_of,
    print_changed_minds,
    print_changes,
    print_indented,
    print_speaker,
    print_text,
    print_told,
    styled,
)
from crab_graph.analysis.viewer.spending import turn_costs, turn_spending
from crab_graph.domain.card import EARLIER_CARD, DomainCard
from crab_graph.errors import UsageError
from crab_graph.eval.explanation import readings_of
from crab_graph.runs.record import EpisodeRecord

_MOST_LINES = 24
_COLOURS: Mapping[str, str] = {
    "booked": "green",
    "never_searched": "yellow",
    "passed_over": "red",
    "lost": "red",
}


class TurnDetail(NamedTuple):
    """One visible message, what the tables held after it, and its claims beside deeds."""

    exchange: Exchange
    held: Holdings
    deeds: list[Deed]
    checks: Mapping[str, Sequence[Mapping[str, Any]]]
    """Evidence that points to it, by check."""

    def as_json(self, record: EpisodeRecord, *, private: bool) -> dict[str, Any]:
        """Return the document that `show --turn --json` prints."""
        exchange = self.exchange
        facts = [fact for fact in record.facts if fact.get("turn") == exchange.turn]
        calls = [call._asdict() for call in self.calls(private)]
        for call in calls:
            del call["place"]
            call["changes"] = [{"op": one.op, **one._asdict()} for one in call["changes"]]
        took = None if exchange.turn is None else turn_costs(record, exchange.turn)
        if took is not None and not private:
            took["calls"] = [one for one in took["calls"] if one["party"] == "agent"]
        held = self.held.as_json()
        if not private:
            held["bookings"] = [{**one, "approved": None} for one in held["bookings"]]
        return {
            "episode_id": record.episode_id,
            "turn": exchange.turn,
            "speaker": exchange.speaker,
            "text": exchange.text,
            "calls": calls,
            "held": held,
            "deeds": self.deeds,
            "facts": facts if private else [],
            "checks": self.checks,
            "took": took,
        }

    def calls(self, private: bool) -> list[ShownCall]:
        """Return the calls before the message, the user's own only where they are asked for."""
        return [call for call in self.exchange.calls if private or call.owner == "agent"]


def find_turn(record: EpisodeRecord, number: int, deeds: Sequence[Deed]) -> TurnDetail:
    """Return a turn of an episode.

    Raises:
        UsageError: the dialogue has no such message.
    """
    exchanges = read_exchanges(record.messages, record.trace)
    for exchange, held in zip(exchanges, follow_holdings(exchanges), strict=True):
        if exchange.turn == number:
            made = [deed for deed in deeds if deed["message"] == number]
            checks = {
                check: own
                for check, found in record.evidence.items()
                if (own := [item for item in found if item.get("message") == number])
            }
            return TurnDetail(exchange, held, made, checks)
    last = max((exchange.turn or 0 for exchange in exchanges), default=0)
    raise UsageError(f"--turn {number}: the dialogue of {record.episode_id} has {last} messages")


def print_turn(console: Console, record: EpisodeRecord, turn: TurnDetail, *, private: bool) -> None:
    """Print a turn unfolded; with the user's own calls, approvals and facts where `private`."""
    exchange = turn.exchange
    print_indented(console, head_of(record), 0)
    console.print()
    print_speaker(console, exchange)
    print_text(console, exchange)
    if exchange.turn is not None:
        print_changed_minds(console, record, exchange.turn)
    if private:
        print_told(console, record, exchange)
    if exchange.turn is not None and (took := turn_spending(record, exchange.turn)):
        print_indented(console, f"took {took}", 4, "dim")
    if exchange.calls:
        console.print(Text(f"\n{terms.HEADINGS['before']}", style="bold"))
    shown = turn.calls(private)
    hidden = len(exchange.calls) - len(shown)
    if hidden:
        console.print(f"  {hidden} private of the user (--private shows them)", style="dim")
    for call in shown:
        _print_call(console, call)
    console.print(Text(f"\n{terms.HEADINGS['after']}", style="bold"))
    _print_held(console, turn.held, private)
    if turn.deeds:
        console.print(Text(f"\n{terms.HEADINGS['deeds']}", style="bold"))
        for deed in turn.deeds:
            print_indented(console, deed_line(deed), 2)
    if turn.checks:
        console.print(Text(f"\n{terms.HEADINGS['pointing']}", style="bold"))
    for check, evidence in turn.checks.items():
        line = Text(f"{terms.verdict_word(record.checks.get(check, '')):<7} {check:<7}")
        print_indented(console, line.append_text(evidence_text(evidence)), 2)


def print_why(
    console: Console,
    record: EpisodeRecord,
    deeds: Sequence[Deed],
    card: DomainCard = EARLIER_CARD,
) -> None:
    """Print what separates an episode from the nearest solution, and what was said and done."""
    console.print()
    if record.explanation is None:
        text = "it passed" if record.passed else "not explained; `crab-graph regrade` does that"
        text = text if record.has_verdict else "it broke down, which says nothing of the agent"
        console.print(f"Why: {text}", markup=False)
    else:
        exchanges = read_exchanges(record.messages, record.trace)
        _print_explanation(console, record.explanation, exchanges, card)
    _print_readings(console, record)
    if not deeds:
        return
    table = titled_table("", "", "said_in", "claim", "done")
    for deed in deeds:
        mark, colour = MARKS[deed["match"]]
        table.add_row(
            Text(mark, style=colour),
            "–" if deed["message"] is None else f"message {deed['message']}",
            plain(deed["claim"]),
            plain(deed["action"]),
        )
    console.print("", Text(terms.HEADINGS["deeds"], style="bold"), table, sep="\n")


def _print_readings(console: Console, record: EpisodeRecord) -> None:
    """Print how statements were read in doubt, and what those that fail were compared with."""
    found = readings_of(record.evidence)
    if not found:
        return
    table = titled_table("check", "verdict", "said_in", "how_read")
    for check, pieces in found.items():
        for one in pieces:
            place = f"message {one['message']}" if "message" in one else "–"
            table.add_row(
                check, terms.verdict_word(record.checks.get(check, "")), place, plain(one["text"])
            )
    console.print("", Text(terms.HEADINGS["readings"], style="bold"), table, sep="\n")


def print_facts(console: Console, record: EpisodeRecord, values: Mapping[str, str]) -> None:
    """Print what the user knew, and when, why and how it said it; with `values` where known."""
    if not record.facts:
        return
    said = sum(fact.get("turn") is not None for fact in record.facts)
    title = f"{terms.HEADINGS['facts']}: {said} of {len(record.facts)} facts were said"
    heading = ["value"] if values else []
    table = titled_table("", "fact", *heading, "level", "said_in", "why", "how", "got")
    for fact in record.facts:
        turn = fact.get("turn")
        table.add_row(
            plain(terms.words(fact["key"])),
            *(plain(values.get(fact["key"], "")) for _ in heading),
            plain(fact.get("level") or ""),
            "never" if turn is None else f"message {turn}",
            plain(fact.get("reason") or ""),
            plain(fact.get("how") or ""),
            plain(terms.words(record.fact_fates.get(fact["key"], ""))),
        )
    console.print("", Text(title, style="bold"), table, sep="\n")


def _print_call(console: Console, call: ShownCall) -> None:
    line = Text("  ")
    whose = "user's own" if call.owner == "user" else call.caller
    line.append(f"{whose}: " if whose else "", style="dim")
    console.print(line.append_text(styled(call.name, "bold red" if call.error else "bold")))
    for label, value in (("arguments", call.arguments), ("result", call.result)):
        if value is not None:
            console.print(f"    {label}", style="dim")
            text = (
                value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
            )
            lines = text.split("\n")
            more = len(lines) - _MOST_LINES
            left_out = [f"… {more} more lines (--json has them)"] if more > 0 else []
            print_indented(console, "\n".join(lines[:_MOST_LINES] + left_out), 6)
    print_changes(console, call)


def _print_held(console: Console, held: Holdings, private: bool) -> None:
    console.print(f"  {held.summary}", markup=False)
    for booking in held.bookings:
        view = booking.as_json()
        approved = f", {view['approved']} approved" if private and view["approved"] else ""
        about = (
            f"{view['id']} {view['status']}: {view['kind']} {view['entity']}, "
            f"costs {view['total']}, {view['paid']} paid{approved}"
        )
        print_indented(console, about, 2)
        for item in booking.items:
            print_indented(console, item, 6, "dim")
    for name, delta in held.stock.items():
        moved = f"{delta:+d}".replace("-", "−")
        print_indented(console, f"{name.replace('_', ' ')} {moved}", 2, "dim")
    for other in held.others:
        print_indented(console, other, 2)


def _print_explanation(
    console: Console,
    explanation: Mapping[str, Any],
    exchanges: Sequence[Exchange],
    card: DomainCard,
) -> None:
    console.print(Text(terms.HEADINGS["why"], style="bold"))
    calls = {call.place: call for call in calls_of(exchanges)}
    for part in explanation["parts"]:
        line = plain(f"{card.slot_title(part['slot'])}: ")
        if part["differs"]:
            held = "nothing" if part["booked"] is None else _ids(part["booked"], part["differs"])
            line.append_text(plain(f"{held}, not {_ids(part['nearest'], part['differs'])}: "))
            line.append(terms.FOUND[part["found"]], style=_COLOURS[part["found"]])
            if part["seen_at"] in calls:
                call = calls[part["seen_at"]]
                turn = next((one.turn for one in exchanges if call in one.calls), None)
                where = f"before message {turn}" if turn else "after the last message"
                line.append_text(styled(f" (seen in {call.name}, {where})", "dim"))
        else:
            line.append("as in the solution", style="green")
        print_indented(console, line, 2)
        for words in part["broken"]:
            print_indented(console, words, 6, "red")
    for words in explanation["between"]:
        print_indented(console, f"together: {words}", 2, "red")
    counts = explanation.get("counts", {})
    found = [f"{counts[name]} {words}" for name, words in terms.FOUND.items() if counts.get(name)]
    if found:
        print_indented(console, f"of its parts: {', '.join(found)}", 2)
    if explanation["failing"]:
        failing = " ".join(explanation["failing"])
        print_indented(console, f"other checks that failed: {failing}", 2)


def _ids(ids: Mapping[str, str], names: Sequence[str]) -> str:
    return " ".join(ids[name] for name in names if name in ids) or "nothing"
