"""Why one episode failed, in a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from crab_graph.analysis.report import labels
from crab_graph.analysis.report.cells import plain, titled_table
from crab_graph.runs.record import EpisodeRecord

_MATCH = {True: "✓", False: "✗", None: "–"}


def print_why(console: Console, record: EpisodeRecord) -> None:
    """Print what separates an episode from the nearest solution, and what was said and done."""
    console.print()
    if record.explanation is None:
        text = "it passed" if record.passed else "not explained; `crab-graph regrade` does that"
        console.print(f"Why: {text}", markup=False)
        return
    console.print(Text("Why: beside the nearest certified solution", style="bold"))
    for part in record.explanation["parts"]:
        console.print(_part(part))
        for words in part["broken"]:
            console.print(plain(f"      {words}"), style="red")
    for words in record.explanation["between"]:
        console.print(plain(f"  together: {words}"), style="red")
    if record.explanation["failing"]:
        failing = " ".join(record.explanation["failing"])
        console.print(f"  beside the trip itself failed: {failing}", markup=False)
    _print_timeline(console, record.explanation["timeline"])


def _part(part: Mapping[str, Any]) -> Text:
    line = Text(f"  {part['slot']}: ")
    if not part["differs"]:
        return line.append("as in the solution", style="green")
    booked = part["booked"]
    held = "nothing" if booked is None else _ids(booked, part["differs"])
    line.append(
        f"{held}, not {_ids(part['nearest'], part['differs'])}: {labels.FOUND[part['found']]}"
    )
    if part["seen_at"] is not None:
        line.append(f" (step {part['seen_at']})", style="dim")
    return line


def _ids(ids: Mapping[str, str], names: Sequence[str]) -> str:
    return " ".join(ids[name] for name in names if name in ids)


def _print_timeline(console: Console, timeline: Sequence[Mapping[str, Any]]) -> None:
    if not timeline:
        return
    table = titled_table("Said and done", "", "message", "said", "step", "done")
    for deed in timeline:
        table.add_row(
            Text(_MATCH[deed["match"]], style="red" if deed["match"] is False else ""),
            "" if deed["message"] is None else str(deed["message"]),
            plain(deed["claim"]),
            "end" if deed["seq"] is None else str(deed["seq"]),
            plain(deed["action"]),
        )
    console.print("", table, sep="\n")
