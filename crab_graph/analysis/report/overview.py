"""Who passed and why the others failed, in short: what the demonstration prints."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crab_graph.analysis.report import labels, measures
from crab_graph.analysis.report.rendering import agent_name, plain, titled_table
from crab_graph.eval.statistics import Estimate
from crab_graph.runs.record import EpisodeRecord

_WIDE = 100
_PARTS = (measures.PASS, measures.CONCRETE, measures.FACTUALITY, measures.COMPLETION)


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes of one agent with one kind of user.

    Attributes:
        agent: Agent spec, with its toolset where that is not the paper's.
        is_reference: Whether the agent is one of ours that needs no model.
        user: Condition of the user.
        user_engine: What speaks for the user.
        tasks: Number of distinct tasks.
        outcomes: How many episodes ended in each of the five outcomes.
        rates: pass@1 and the parts of the verdict over scored episodes; without any, their value is
            `None`.
        rates_if_booked: The same over those with a booking: who books nothing says nothing wrong.
        failure_modes: How many episodes have each primary failure.
        failed_checks: In how many episodes each check failed.
    """

    agent: str
    is_reference: bool
    user: str
    user_engine: str
    tasks: int
    outcomes: Mapping[str, int]
    rates: Mapping[str, Estimate]
    rates_if_booked: Mapping[str, Estimate]
    failure_modes: Mapping[str, int]
    failed_checks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Summary:
    """Each agent with each user."""

    overall: tuple[Group, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the groups as JSON values."""
        return {"groups": [_document(group) for group in self.overall]}


def summarise(records: Iterable[EpisodeRecord]) -> Summary:
    """Return the figures of some episodes, by agent and user in order of appearance."""
    groups: dict[tuple[str, ...], list[EpisodeRecord]] = {}
    for record in records:
        key = (record.agent_label, record.condition, record.user_engine)
        groups.setdefault(key, []).append(record)
    return Summary(tuple(map(_group, groups.values())))


def _document(group: Group) -> dict[str, Any]:
    """Return a group as JSON values, its rates by the names of their parts."""
    rates = {
        field: {name: rate._asdict() for name, rate in getattr(group, field).items()}
        for field in ("rates", "rates_if_booked")
    }
    return {**asdict(group), **rates}


def _group(records: Sequence[EpisodeRecord]) -> Group:
    first = records[0]
    outcomes = Counter(str(record.outcome) for record in records)
    scored = measures.scored(records)
    booked = [record for record in scored if record.metrics.get("trip_state") != "none"]
    return Group(
        agent=first.agent_label,
        is_reference=first.agent_is_reference,
        user=first.condition,
        user_engine=first.user_engine,
        tasks=len({record.task_id for record in records}),
        outcomes={outcome: outcomes[outcome] for outcome in labels.OUTCOMES},
        rates=_rates(scored),
        rates_if_booked=_rates(booked),
        failure_modes=_counted(r.primary_failure for r in scored if r.primary_failure),
        failed_checks=_counted(
            check for r in scored for check, verdict in r.checks.items() if verdict == "fail"
        ),
    )


def _rates(records: Sequence[EpisodeRecord]) -> dict[str, Estimate]:
    found = measures.estimate(records, _PARTS)
    return {one.key: rate for one, rate in zip(_PARTS, found, strict=True)}


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Return how often each name occurs, the most frequent first."""
    counts = Counter(names)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


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
    table = titled_table(title, "agent", "user")
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


def _failures_table(groups: Iterable[Group]) -> Table:
    table = titled_table("Why the others failed", "agent", "user")
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
