"""An overview of episodes in a terminal: who passed, and why the others failed."""

from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crab_graph.analysis.report import labels
from crab_graph.analysis.report.cells import agent_name, plain, titled_table
from crab_graph.analysis.report.summary import Group, Summary
from crab_graph.eval.statistics import Estimate

_WIDE = 100


def print_overview(console: Console, summary: Summary) -> None:
    """Print the rates of each agent with each user, and why episodes failed."""
    console.print(_rates_table(console, "Who passed", summary.overall))
    failing = [group for group in summary.overall if group.failure_modes]
    if failing:
        console.print("", _failures_table(failing), sep="\n")
    notes = [labels.OUTCOMES_NOTE, *([labels.IF_BOOKED_NOTE] if console.width >= _WIDE else ())]
    console.print("", " ".join(notes), sep="\n")


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


def _interval(rate: Estimate) -> str:
    return "" if rate.value is None else f" ({100 * rate.low:.0f}–{100 * rate.high:.0f})"


def _percent(rate: Estimate) -> str:
    return "–" if rate.value is None else f"{rate.value:.0%}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
