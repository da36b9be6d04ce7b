"""One dialogue in a terminal: what was said, what was done for it, and what the tables then held.

What an agent, a user or a tool said is printed as plain text: rich markup in it stays as it is, and
control characters, which could steer the terminal, are shown as `�`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from crab_graph import terms
from crab_graph.analysis import labels
from crab_graph.analysis.labels import agent_name, plain
from crab_graph.analysis.viewer.changed_minds import changed_minds, last_word
from crab_graph.analysis.viewer.exchanges import (
    SIGNS,
    Exchange,
    ShownCall,
    brief_arguments,
    describe_change,
    follow_holdings,
    read_exchanges,
)
from crab_graph.domain.card import EARLIER_CARD, DomainCard
from crab_graph.runs.notes import Note
from crab_graph.runs.record import EpisodeRecord

Deed = Mapping[str, Any]

MARKS: Mapping[bool | None, tuple[str, str]] = {
    True: ("✓", "green"),
    False: ("✗", "red"),
    None: ("–", "dim"),
}
"""How a claim and a deed compare, and in which colour that is said."""

_FOLDED = 3


def print_episode(
    console: Console,
    record: EpisodeRecord,
    deeds: Sequence[Deed] = (),
    *,
    card: DomainCard = EARLIER_CARD,
    every_call: bool = False,
    private: bool = False,
) -> None:
    """Print one dialogue, said against done, and its checks.

    Of the claims beside deeds those that are contradicted are printed under their message. Three
    lookups and more in a row are one line, but for `every_call`; `private` prints the user's own
    calls too, and which facts it told in a message.
    """
    print_indented(console, head_of(record), 0)
    exchanges = read_exchanges(record.messages, record.trace)
    before = "nothing booked"
    for exchange, held in zip(exchanges, follow_holdings(exchanges), strict=True):
        console.print()
        now = held.summary if held.summary != before else None
        print_exchange(console, exchange, now, every_call=every_call, private=private)
        before = held.summary
        if exchange.turn is not None:
            for deed in deeds:
                if deed["message"] == exchange.turn and deed["match"] is False:
                    print_indented(console, deed_line(deed), 4)
            print_changed_minds(console, record, exchange.turn)
            if private:
                print_told(console, record, exchange)
    _print_checks(console, record, card)


def print_exchange(
    console: Console,
    exchange: Exchange,
    held: str | None = None,
    *,
    every_call: bool = False,
    private: bool = False,
) -> None:
    """Print a message below the calls made for it, and what the tables then `held`."""
    print_speaker(console, exchange)
    _print_calls(console, exchange, every_call=every_call, private=private)
    if held is not None:
        print_indented(console, f"= {held}", 6, "bold")
    if exchange.turn is not None:
        print_text(console, exchange)


def head_of(record: EpisodeRecord) -> Text:
    """Return who talked to whom, and what came of it."""
    persona = f"{record.persona}, " if labels.has_drawn_persona(record) else ""
    user = f"{record.condition} user ({persona}{record.user_engine})"
    head = styled(f"{record.episode_id}  ", "bold")
    head.append_text(agent_name(record.agent_label, record.agent_is_reference))
    head.append_text(plain(f" with a {user}: "))
    head.append(terms.OUTCOMES[record.outcome], style="green" if record.passed else "red")
    if record.primary_failure:
        head.append_text(plain(f", first failure: {terms.words(record.primary_failure)}"))
    if record.error:
        head.append_text(plain(f", {record.error}"))
    return head


def print_speaker(console: Console, exchange: Exchange) -> None:
    """Print the line above a message: its number and who speaks."""
    style = "bold cyan" if exchange.speaker == "user" else "bold yellow"
    line = f"    {exchange.speaker}, without a further message"
    if exchange.turn is not None:
        line = f"{exchange.turn:>3} {exchange.speaker}"
    console.print(Text(line, style=style))


def print_text(console: Console, exchange: Exchange) -> None:
    """Print a message."""
    is_empty = not exchange.text.strip()
    said = Text("(empty message)", style="dim") if is_empty else plain(exchange.text)
    print_indented(console, said, 4)


def print_changed_minds(console: Console, record: EpisodeRecord, turn: int) -> None:
    """Print what the user wants otherwise from a message on."""
    for one in changed_minds(record):
        if one.turn == turn:
            print_indented(console, one.text, 4, "magenta")


def print_told(console: Console, record: EpisodeRecord, exchange: Exchange) -> None:
    """Print which facts the user disclosed in a message, and why."""
    told: dict[str, list[str]] = {}
    for fact in record.facts:
        if exchange.turn is not None and fact.get("turn") == exchange.turn:
            told.setdefault(str(fact.get("reason")), []).append(terms.words(fact["key"]))
    for reason, names in told.items():
        print_indented(console, f"told, {reason}: {', '.join(names)}", 4, "dim")


def print_changes(console: Console, call: ShownCall) -> None:
    """Print why a call was refused, or the rows it wrote."""
    if call.error:
        reason = call.error.get("message") or call.error.get("error")
        print_indented(console, f"refused: {reason}", 8, "red")
    for change in call.changes:
        text = f"{SIGNS[change.op]} {change.table} {change.key} {describe_change(change)}"
        print_indented(console, text, 8, "green")


def deed_line(deed: Deed) -> Text:
    """Return a claim beside what was done, marked by whether they agree."""
    mark, colour = MARKS[deed["match"]]
    line = Text(f"{mark} ", style=colour)
    return line.append_text(plain(f"{deed['claim']}; done: {deed['action']}"))


def evidence_text(evidence: Sequence[Mapping[str, Any]]) -> Text:
    """Return the pieces of evidence of a check as one text."""
    found = (
        f"{item['text']} (message {item['message']})" if "message" in item else item["text"]
        for item in evidence
    )
    return plain("; ".join(found))


def styled(text: str, style: str) -> Text:
    """Return what somebody said as text in one style."""
    found = plain(text)
    found.stylize(style)
    return found


def print_notes(console: Console, notes: Sequence[Note]) -> None:
    """Print what people noted on an episode."""
    if notes:
        console.print(Text(f"\n{terms.HEADINGS['notes']}", style="bold"))
    for note in notes:
        where = "" if note.turn is None else f"message {note.turn}: "
        what = f"{note.check_id or 'the outcome'} ({terms.verdict_word(note.verdict)})"
        tags = f" [{', '.join(note.tags)}]" if note.tags else ""
        said = f"{where}{f'disputes {what}; ' if note.disputed else ''}{note.text}{tags}"
        print_indented(console, said.removesuffix("; "), 2, "yellow" if note.disputed else "")


def print_indented(console: Console, text: Text | str, columns: int, style: str = "") -> None:
    """Print text with some columns left free before each of its lines, and none after them."""
    shown = plain(text) if isinstance(text, str) else text
    shown.stylize_before(style)
    width = max(20, console.width - columns)
    for line in shown.wrap(console, width):
        line.rstrip()
        line.pad_left(columns if line else 0)
        console.print(line, soft_wrap=True)


def _print_calls(console: Console, exchange: Exchange, *, every_call: bool, private: bool) -> None:
    calls = [call for call in exchange.calls if private or call.owner == "agent"]
    hidden = len(exchange.calls) - len(calls)
    if hidden:
        noun = "call" if hidden == 1 else "calls"
        private_calls = f"{hidden} private {noun} of the user (--private shows them)"
        print_indented(console, private_calls, 6, "dim")
    for is_lookup, group in groupby(calls, key=lambda call: call.is_lookup):
        alike = list(group)
        if is_lookup and len(alike) >= _FOLDED and not every_call:
            names = Counter(call.name for call in alike)
            listed = ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in names.items())
            print_indented(console, f"{len(alike)} lookups: {listed}", 6, "dim")
            continue
        for call in alike:
            whose = "user's own" if call.owner == "user" else call.caller
            line = Text(f"{whose}: " if whose else "", style="dim")
            style = "red" if call.error else "bold" if call.changes else "default"
            line.append_text(styled(call.name, style))
            line.append_text(styled(f" {brief_arguments(call.arguments)}", "dim"))
            line.truncate(max(20, console.width - 6), overflow="ellipsis")
            print_indented(console, line, 6)
            print_changes(console, call)


def _print_checks(console: Console, record: EpisodeRecord, card: DomainCard) -> None:
    console.print()
    titles = labels.check_titles(card)
    by_verdict: dict[str, list[str]] = {}
    for check, verdict in record.checks.items():
        by_verdict.setdefault(str(verdict), []).append(check)
    failed = by_verdict.pop("fail", ())
    width = max((7, *(len(check) + 1 for check in failed)))
    for check in failed:
        line = Text(f"✗ {check:<{width}}{titles.get(check, '')}", style="red")
        evidence = evidence_text(record.evidence.get(check, ()))
        if evidence:
            line.append(": ").append_text(evidence)
        print_indented(console, line, 0)
    if (counted := last_word(record.metrics)) is not None:
        console.print(plain(counted))
    for error in record.metrics.get("user_errors", ()):
        found = f"the user's {error['code']}: {error['text']} (message {error['message']})"
        console.print(plain(found), style="yellow")
    if record.over_disclosed:
        told = f"the user told {record.over_disclosed} details beyond what its condition lets it"
        console.print(plain(told), style="yellow")
    passed = by_verdict.pop("pass", ())
    if passed:
        console.print(Text(f"✓ {terms.VERDICTS['pass']} {' '.join(passed)}", style="green"))
    for verdict, idle in by_verdict.items():
        told = f"– {terms.VERDICTS[verdict]} {' '.join(idle)}"
        console.print(Text(told, style="dim"))
