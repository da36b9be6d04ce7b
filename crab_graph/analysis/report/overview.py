"""Who passed and why the others failed, in short: what the demonstration prints."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from crab_graph.analysis import labels
from crab_graph.analysis.labels import agent_name, plain, titled_table
from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import interval_text
from crab_graph.analysis.report.study import study_records
from crab_graph.domain.verification import Part
from crab_graph.eval.statistics import Estimate
from crab_graph.runs.record import EpisodeRecord

_PARTS = (measures.PASS, measures.CONCRETE, measures.FACTUALITY, measures.COMPLETION)


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes of one agent with one kind of user.

    `rates` are pass@1 and the parts of the verdict over scored episodes (without any, their value
    is `None`), `rates_if_booked` the same over those with a booking: who books nothing says nothing
    wrong. `tasks` are those of all episodes, each rate has its own. The rest counts episodes.
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

    def as_json(self) -> dict[str, Any]:
        """Return the group as `demo --json` prints it."""
        found = asdict(self)
        for rates in ("rates", "rates_if_booked"):
            found[rates] = {part: rate.as_json() for part, rate in getattr(self, rates).items()}
        return found


def summarise(records: Sequence[EpisodeRecord]) -> list[Group]:
    """Return the figures of some episodes, by agent and user in order of appearance."""
    groups = []
    for arm in study_records(records).arms:
        outcomes = Counter(str(record.outcome) for record in arm.records)
        own = measures.scored(arm.records)
        booked = [record for record in own if record.metrics.get("job_state") != "none"]
        group = Group(
            agent=arm.agent,
            is_reference=arm.is_reference,
            user=arm.user,
            user_engine=arm.user_engine,
            tasks=len({record.task_id for record in arm.records}),
            outcomes={outcome: outcomes[outcome] for outcome in labels.OUTCOMES},
            rates=_rates(own),
            rates_if_booked=_rates(booked),
            failure_modes=_counted(one.primary_failure for one in own if one.primary_failure),
            failed_checks=_counted(check for one in own for check in measures.failed_checks(one)),
        )
        groups.append(group)
    return groups


def print_overview(console: Console, groups: Sequence[Group]) -> None:
    """Print the rates of each agent with each user, and why episodes failed.

    A narrow terminal leaves out the parts of the verdict.
    """
    is_wide = console.width >= 100
    parts = (*map(str, Part), "if booked") if is_wide else ()
    table = titled_table("Who passed", "agent", "user")
    for name in ("tasks", "episodes", "pass@1 (95 %)", *parts, "outcomes"):
        table.add_column(name, justify="right")
    for group in groups:
        rate = group.rates["pass_at_1"]
        interval = "" if rate.value is None else f" ({interval_text(rate.ends)})"
        passed = Text(_percent(rate), style="bold").append(interval, style="not bold")
        shares = [*(_percent(group.rates[part]) for part in parts[:-1]), _if_booked(group)]
        outcomes = "/".join(map(str, group.outcomes.values()))
        basis = (str(rate.tasks), str(rate.episodes))
        table.add_row(*_who(group), *basis, passed, *(shares if is_wide else ()), outcomes)
    console.print(table)
    for note in dict.fromkeys(group.rates["pass_at_1"].note for group in groups):
        if note:
            console.print(f"(–): {note}.")
    failed = [group for group in groups if group.failure_modes]
    if failed:
        heads = ("agent", "user", "first failure (episodes)", "failed checks (episodes)")
        table = titled_table("Why the others failed", *heads)
        for group in failed:
            modes = {labels.words(mode): count for mode, count in group.failure_modes.items()}
            table.add_row(*_who(group), _counts(modes), _counts(group.failed_checks))
        console.print("", table, sep="\n")
    note = f" {labels.NOTES['if_booked']}" if is_wide else ""
    console.print("", f"Outcomes: {'/'.join(labels.OUTCOMES.values())}.{note}", sep="\n")


def _rates(records: Sequence[EpisodeRecord]) -> dict[str, Estimate]:
    found = measures.estimate(records, _PARTS)
    return {one.key: rate for one, rate in zip(_PARTS, found, strict=True)}


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _who(group: Group) -> tuple[Text, Text]:
    return agent_name(group.agent, group.is_reference), plain(group.user)


def _if_booked(group: Group) -> str:
    """Return factuality and completion of the episodes with a booking, and how many those are."""
    rates = [group.rates_if_booked[part] for part in ("factuality", "completion")]
    if rates[0].value is None:
        return "–"
    return f"{' and '.join(map(_percent, rates))} of {rates[0].basis}"


def _percent(rate: Estimate) -> str:
    return "–" if rate.value is None else f"{rate.value:.0%}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
