"""Who passed and why the others failed, in short: what the demonstration prints."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from crab_graph import terms
from crab_graph.analysis.labels import agent_name, plain, titled_table
from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import interval_text
from crab_graph.analysis.report.study import study_records
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
            outcomes={outcome: outcomes[outcome] for outcome in terms.OUTCOMES},
            rates=_rates(own),
            rates_if_booked=_rates(booked),
            failure_modes=_counted(one.primary_failure for one in own if one.primary_failure),
            failed_checks=_counted(check for one in own for check in measures.failed_checks(one)),
        )
        groups.append(group)
    return groups


def print_overview(console: Console, groups: Sequence[Group]) -> None:
    """Print what share of episodes each agent passes with each user, and why others failed.

    A narrow terminal leaves out the intervals.
    """
    users = list(dict.fromkeys(group.user for group in groups))
    bases = dict.fromkeys(group.rates["pass_at_1"].basis for group in groups)
    table = titled_table(f"{terms.TITLES['by-user']}: {terms.label('rate')}", "agent")
    for user in users:
        table.add_column(plain(user), justify="right")
    for agent, is_reference in dict.fromkeys((one.agent, one.is_reference) for one in groups):
        own = {one.user: one for one in groups if one.agent == agent}
        cells = (own.get(user) for user in users)
        is_wide, has_basis = console.width >= 100, len(bases) > 1
        shown = (_passed(one, interval=is_wide, basis=has_basis) for one in cells)
        table.add_row(agent_name(agent, is_reference), *shown)
    console.print(table)
    for note in dict.fromkeys(group.rates["pass_at_1"].note for group in groups):
        if note:
            console.print(f"(–): {note}.")
    failed = [group for group in groups if group.failure_modes]
    if failed:
        counts = ("first_failures_counted", "failed_checks_counted")
        table = titled_table(terms.TITLES["reasons"], "agent", "user", "outcomes", *counts)
        for group in failed:
            modes = {terms.words(mode): count for mode, count in group.failure_modes.items()}
            outcomes = "/".join(map(str, group.outcomes.values()))
            who = agent_name(group.agent, group.is_reference), plain(group.user)
            table.add_row(*who, outcomes, _counts(modes), _counts(group.failed_checks))
        console.print("", table, sep="\n")
    each = f" Each is of {next(iter(bases))}." if len(bases) == 1 else ""
    told = f"Rates are means over tasks.{each} Outcomes: {'/'.join(terms.OUTCOMES.values())}."
    console.print("", told, sep="\n")


def _passed(group: Group | None, *, interval: bool, basis: bool) -> Text:
    """Return the share of episodes that passed, with what it rests on where that is asked for."""
    if group is None:
        return Text("")
    rate = group.rates["pass_at_1"]
    text = Text(_percent(rate), style="bold")
    if rate.value is None:
        return text
    told = f" ({interval_text(rate.ends)})" if interval else ""
    return text.append(told + (f" {rate.basis}" if basis else ""), style="not bold")


def _rates(records: Sequence[EpisodeRecord]) -> dict[str, Estimate]:
    found = measures.estimate(records, _PARTS)
    return {one.key: rate for one, rate in zip(_PARTS, found, strict=True)}


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _percent(rate: Estimate) -> str:
    return "–" if rate.value is None else f"{rate.value:.0%}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
