"""Why an episode failed, in a terminal, and everything the user knew."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crab_graph.analysis.report import labels
from crab_graph.analysis.report.rendering import plain, titled_table
from crab_graph.analysis.viewer.exchanges import Exchange, ShownCall, calls_of, read_exchanges
from crab_graph.analysis.viewer.screen import MARKS, Deed, print_indented
from crab_graph.runs.record import EpisodeRecord

_COLOURS: Mapping[str, str] = {
    "booked": "green",
    "never_searched": "yellow",
    "passed_over": "red",
    "lost": "red",
}


def print_why(console: Console, record: EpisodeRecord, deeds: Sequence[Deed]) -> None:
    """Print what separates an episode from the nearest solution, and what was said and done.

    Args:
        console: Where to.
        record: The episode.
        deeds: Claims beside deeds, in the order of the deeds.
    """
    console.print()
    if record.explanation is None:
        text = "it passed" if record.passed else "not explained; `crab-graph regrade` does that"
        console.print(f"Why: {text}", markup=False)
    else:
        exchanges = read_exchanges(record.messages, record.trace)
        _print_explanation(console, record.explanation, exchanges)
    _print_timeline(console, deeds)


def print_facts(console: Console, record: EpisodeRecord, values: Mapping[str, str]) -> None:
    """Print what the user knew, and when and why it said it.

    Args:
        console: Where to.
        record: The episode.
        values: What each fact says, by its key, where that is known.
    """
    if not record.facts:
        return
    said = sum(fact.get("turn") is not None for fact in record.facts)
    title = f"What the user knew: {said} of {len(record.facts)} facts were said"
    table = _table("fact", *(["value"] if values else []), "level", "said in", "why", "got")
    for fact in record.facts:
        turn = fact.get("turn")
        table.add_row(
            plain(labels.words(fact["key"])),
            *([plain(values.get(fact["key"], ""))] if values else []),
            plain(fact.get("level") or ""),
            "never" if turn is None else f"message {turn}",
            plain(fact.get("reason") or ""),
            plain(labels.words(record.fact_fates.get(fact["key"], ""))),
        )
    console.print("", Text(title, style="bold"), table, sep="\n")


def _print_explanation(
    console: Console, explanation: Mapping[str, Any], exchanges: Sequence[Exchange]
) -> None:
    console.print(Text("Why: beside the nearest certified solution", style="bold"))
    calls = {call.place: call for call in calls_of(exchanges)}
    for part in explanation["parts"]:
        print_indented(console, _part(part, exchanges, calls), 2)
        for words in part["broken"]:
            print_indented(console, plain(words), 6, "red")
    for words in explanation["between"]:
        print_indented(console, plain(f"together: {words}"), 2, "red")
    counts = explanation.get("counts", {})
    found = [f"{counts[name]} {words}" for name, words in labels.FOUND.items() if counts.get(name)]
    if found:
        print_indented(console, plain(f"of its parts: {', '.join(found)}"), 2)
    if explanation["failing"]:
        failing = " ".join(explanation["failing"])
        print_indented(console, plain(f"beside the trip itself failed: {failing}"), 2)


def _part(
    part: Mapping[str, Any], exchanges: Sequence[Exchange], calls: Mapping[int, ShownCall]
) -> Text:
    line = plain(f"{part['slot']}: ")
    if not part["differs"]:
        return line.append("as in the solution", style="green")
    held = "nothing" if part["booked"] is None else _ids(part["booked"], part["differs"])
    line.append_text(plain(f"{held}, not {_ids(part['nearest'], part['differs'])}: "))
    line.append(labels.FOUND[part["found"]], style=_COLOURS[part["found"]])
    call = calls.get(part["seen_at"])
    if call is not None:
        turn = next((one.turn for one in exchanges if call in one.calls), None)
        where = f"before message {turn}" if turn else "after the last message"
        line.append_text(_dim(f" (seen in {call.name}, {where})"))
    return line


def _ids(ids: Mapping[str, str], names: Sequence[str]) -> str:
    return " ".join(ids[name] for name in names if name in ids) or "nothing"


def _dim(text: str) -> Text:
    found = plain(text)
    found.stylize("dim")
    return found


def _print_timeline(console: Console, deeds: Sequence[Deed]) -> None:
    if not deeds:
        return
    table = _table("", "said in", "claim", "what was done")
    for deed in deeds:
        mark, colour = MARKS[deed["match"]]
        table.add_row(
            Text(mark, style=colour),
            "–" if deed["message"] is None else f"message {deed['message']}",
            plain(deed["claim"]),
            plain(deed["action"]),
        )
    console.print("", Text("Said and done", style="bold"), table, sep="\n")


def _table(*columns: str) -> Table:
    table = titled_table("", *columns)
    table.title = None
    return table
