"""An overview of episodes, and one dialogue, in a terminal.

What an agent, a user or a tool said is printed as plain text: rich markup in it stays as it is, and
control characters, which could steer the terminal, are shown as `�`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from crab_graph.analysis.report import labels
from crab_graph.analysis.report.cells import agent_name, plain, titled_table
from crab_graph.analysis.report.reasons import print_why
from crab_graph.analysis.report.summary import Group, Summary
from crab_graph.analysis.report.titles import check_titles
from crab_graph.analysis.viewer.changes import SIGNS, describe_change
from crab_graph.analysis.viewer.dialogue import Call, Exchange, read_exchanges
from crab_graph.eval.statistics import Estimate
from crab_graph.runs.record import EpisodeRecord

_LONGEST_VALUE = 400
_WIDE = 100


def print_overview(console: Console, summary: Summary) -> None:
    """Print the rates of each agent with each user, and why episodes failed."""
    console.print(_rates_table(console, "Who passed", summary.overall))
    failing = [group for group in summary.overall if group.failure_modes]
    if failing:
        console.print("", _failures_table(failing), sep="\n")
    notes = [labels.OUTCOMES_NOTE, *([labels.IF_BOOKED_NOTE] if console.width >= _WIDE else ())]
    console.print("", " ".join(notes), sep="\n")


def print_episode(
    console: Console, record: EpisodeRecord, *, every_call: bool = False, why: bool = False
) -> None:
    """Print one dialogue, said against done, and its checks.

    Args:
        console: Where to.
        record: The episode.
        every_call: Print each lookup, where runs of three and more are one line otherwise.
        why: Print what separates it from the nearest solution too.
    """
    console.print(_head(record))
    for exchange in read_exchanges(record.messages, record.trace):
        _print_exchange(console, exchange, every_call)
    _print_checks(console, record)
    if why:
        print_why(console, record)


def _rates_table(console: Console, title: str, groups: Iterable[Group]) -> Table:
    """Return rates beside outcomes; a narrow terminal leaves out the parts of the verdict."""
    parts = console.width >= _WIDE
    table = _table(title)
    for name in ("tasks", "pass@1 (95 %)", *(labels.PARTS.values() if parts else ()), "outcomes"):
        table.add_column(name, justify="left" if name == "tasks" else "right")
    for group in groups:
        rate = group.rates["pass_at_1"]
        table.add_row(
            *_who(group),
            str(group.tasks),
            Text(_percent(rate), style="bold").append(_interval(rate), style="not bold"),
            *(_parts(group) if parts else ()),
            "/".join(str(count) for count in group.outcomes.values()),
        )
    return table


def _parts(group: Group) -> tuple[str, str, str]:
    """Return the rates of a verdict's parts; of the abstract ones also where there is a booking."""
    factuality, completion = (
        f"{_percent(group.rates[part])} ({_percent(group.rates_if_booked[part])})"
        for part in ("factuality", "completion")
    )
    return _percent(group.rates["concrete"]), factuality, completion


def _table(title: str) -> Table:
    """Return a table with the columns that say whose row it is."""
    return titled_table(title, "agent", "user")


def _failures_table(groups: Iterable[Group]) -> Table:
    table = _table("Why the others failed")
    for name in ("first failure (episodes)", "failed checks (episodes)"):
        table.add_column(name)
    for group in groups:
        table.add_row(
            *_who(group),
            _counts({labels.words(mode): n for mode, n in group.failure_modes.items()}),
            _counts(group.failed_checks),
        )
    return table


def _who(group: Group) -> tuple[Text, Text]:
    return agent_name(group.agent, group.is_reference), plain(group.user)


def _head(record: EpisodeRecord) -> Text:
    persona = f"{record.persona}, " if labels.has_drawn_persona(record) else ""
    user = f"{record.condition} user ({persona}{record.user_engine})"
    head = Text(f"{record.episode_id}  ", style="bold")
    head.append_text(agent_name(record.agent, record.agent_is_reference))
    head.append(f" with a {user}: ")
    head.append(labels.OUTCOMES[record.outcome], style="green" if record.passed else "red")
    if record.primary_failure:
        head.append(f", first failure: {labels.words(record.primary_failure)}")
    return head


def _print_exchange(console: Console, exchange: Exchange, every_call: bool) -> None:
    for is_lookup, group in groupby(exchange.calls, key=lambda call: call.is_lookup):
        calls = list(group)
        if is_lookup and len(calls) > 2 and not every_call:
            names = Counter(call.name for call in calls)
            listed = ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in names.items())
            line = f"{len(calls)} lookups: {listed}"
            console.print(_indented(plain(line), 6), style="dim")
        else:
            for call in calls:
                _print_call(console, call)
    if exchange.turn is None:
        return
    colour = "cyan" if exchange.speaker == "user" else "yellow"
    console.print()
    console.print(Text(f"{exchange.turn:>3} {exchange.speaker}", style=f"bold {colour}"))
    said = plain(exchange.text) if exchange.text.strip() else Text("(empty message)", style="dim")
    console.print(_indented(said, 4))


def _print_call(console: Console, call: Call) -> None:
    line = Text("      ")
    line.append("user's own: " if call.owner == "user" else "", style="dim")
    line.append(call.name, style="red" if call.error else "bold" if call.changes else "default")
    line.append_text(Text(" ").append_text(plain(_compact(call.arguments))))
    console.print(line, no_wrap=True, overflow="ellipsis")
    if call.error:
        console.print(_indented(plain(f"refused: {_compact(call.error)}"), 8), style="red")
    for change in call.changes:
        text = f"{SIGNS[change.op]} {change.table} {change.key} {describe_change(change)}"
        console.print(_indented(plain(text), 8), style="green")


def _indented(text: Text, columns: int) -> Padding:
    return Padding(text, (0, 0, 0, columns), expand=False)


def _print_checks(console: Console, record: EpisodeRecord) -> None:
    console.print()
    titles = check_titles()
    verdicts = {check: str(verdict) for check, verdict in record.checks.items()}
    for check, verdict in verdicts.items():
        if verdict == "fail":
            line = Text(f"✗ {check:<7}{titles.get(check, '')}", style="red")
            line.append(": ")
            console.print(line.append_text(_evidence(record.evidence.get(check, ()))))
    for error in record.metrics.get("user_errors", ()):
        found = f"the user's {error['code']}: {error['text']} (message {error['message']})"
        console.print(plain(found), style="yellow")
    passed = [check for check, verdict in verdicts.items() if verdict == "pass"]
    idle = [check for check, verdict in verdicts.items() if verdict not in ("pass", "fail")]
    console.print(Text(f"✓ passed {' '.join(passed)}", style="green"))
    if idle:
        console.print(Text(f"– nothing to judge {' '.join(idle)}", style="dim"))


def _evidence(evidence: Sequence[Mapping[str, Any]]) -> Text:
    found = (
        f"{item['text']} (message {item['message']})" if "message" in item else item["text"]
        for item in evidence
    )
    return plain("; ".join(found))


def _interval(rate: Estimate) -> str:
    return "" if rate.value is None else f" ({100 * rate.low:.0f}–{100 * rate.high:.0f})"


def _percent(rate: Estimate) -> str:
    return "–" if rate.value is None else f"{rate.value:.0%}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _compact(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
