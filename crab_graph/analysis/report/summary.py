"""A run in figures: rates with intervals, outcomes, effort and failures (paper Tables 2-5)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from crab_graph.analysis.report.contrasts import UNSCORED, ConditionContrast, contrasts_of
from crab_graph.analysis.report.failures import failure_tables, solution_parts
from crab_graph.analysis.report.labels import COVERAGE, EFFORT, OUTCOMES, PARTS
from crab_graph.eval.statistics import Estimate, estimate_rate
from crab_graph.runs.record import EpisodeRecord


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes of one agent with one kind of user, of one stratum or of all.

    Attributes:
        agent: Agent spec.
        is_reference: Whether the agent is one of ours that needs no model.
        user: Condition of the user.
        user_engine: What speaks for the user.
        stratum: Stratum, or `None` for all.
        tasks: Number of distinct tasks.
        outcomes: How many episodes ended in each of the five outcomes.
        rates: pass@1 and its parts, over scored episodes; without any, their value is `None`.
        effort: Mean of each efficiency metric per scored episode.
        coverage: How much of what a factuality check could judge was said at all, and
            `disclosure_precision`: booked ids over disclosed ones.
        failure_modes: How many episodes have each primary failure.
        failed_checks: In how many episodes each check failed.
        failures: For each part of the verdict, all failure modes with counts and shares.
        solution_parts: In how many failed episodes a part of the nearest solution was booked, never
            searched, passed over or lost.
    """

    agent: str
    is_reference: bool
    user: str
    user_engine: str
    stratum: int | None
    tasks: int
    outcomes: Mapping[str, int]
    rates: Mapping[str, Estimate]
    effort: Mapping[str, float | None]
    coverage: Mapping[str, float | None]
    failure_modes: Mapping[str, int]
    failed_checks: Mapping[str, int]
    failures: Mapping[str, Mapping[str, Any]]
    solution_parts: Mapping[str, Any]

    @property
    def episodes(self) -> int:
        """Number of episodes, those without a score included."""
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True)
class Summary:
    """All figures of a report.

    Attributes:
        overall: Each agent with each user.
        by_stratum: The same by stratum.
        contrasts: Users compared in pairs.
        failures: Failure modes of all episodes together (paper tables 4 and 5).
    """

    overall: tuple[Group, ...]
    by_stratum: tuple[Group, ...]
    contrasts: tuple[ConditionContrast, ...]
    failures: Mapping[str, Mapping[str, Any]]

    def as_json(self) -> dict[str, Any]:
        """Return the summary in the form that `report --json` prints."""
        return {
            "groups": [_as_json(group) for group in (*self.overall, *self.by_stratum)],
            "contrasts": [contrast.as_json() for contrast in self.contrasts],
            "failures": {part: dict(table) for part, table in self.failures.items()},
        }


def summarise(records: Iterable[EpisodeRecord]) -> Summary:
    """Return the figures of some episodes, by agent and user in order of appearance."""
    records = list(records)
    groups: dict[tuple[str, ...], list[EpisodeRecord]] = {}
    for record in records:
        groups.setdefault((record.agent, record.condition, record.user_engine), []).append(record)
    overall: list[Group] = []
    by_stratum: list[Group] = []
    for episodes in groups.values():
        overall.append(_group(episodes, None))
        by_stratum += [
            _group([record for record in episodes if record.stratum == stratum], stratum)
            for stratum in sorted({record.stratum for record in episodes})
        ]
    return Summary(
        tuple(overall),
        tuple(by_stratum),
        tuple(contrasts_of(records)),
        failure_tables(record for record in records if record.outcome != UNSCORED),
    )


def parts_passed(record: EpisodeRecord) -> dict[str, bool]:
    """Return which parts of the verdict an episode passed; `abstract` is all but `concrete`."""
    failed = {PARTS[check[0]] for check, verdict in record.checks.items() if verdict == "fail"}
    passed = {part: part not in failed for part in PARTS.values()}
    return {**passed, "abstract": passed["factuality"] and passed["completion"]}


def _group(records: Sequence[EpisodeRecord], stratum: int | None) -> Group:
    first = records[0]
    outcomes = Counter(str(record.outcome) for record in records)
    scored = [record for record in records if record.outcome != UNSCORED]
    return Group(
        agent=first.agent,
        is_reference=first.agent_is_reference,
        user=first.condition,
        user_engine=first.user_engine,
        stratum=stratum,
        tasks=len({record.task_id for record in records}),
        outcomes={outcome: outcomes[outcome] for outcome in OUTCOMES},
        rates=_rates(scored),
        effort=_effort(scored),
        coverage=_coverage(scored),
        failure_modes=_counted(r.primary_failure for r in scored if r.primary_failure),
        failed_checks=_counted(
            check for r in scored for check, verdict in r.checks.items() if verdict == "fail"
        ),
        failures=failure_tables(scored),
        solution_parts=solution_parts(scored),
    )


def _rates(scored: Sequence[EpisodeRecord]) -> dict[str, Estimate]:
    parts = [parts_passed(record) for record in scored]
    rates = {"pass_at_1": _rate(scored, [record.passed for record in scored])}
    # An agent that books nothing says nothing wrong: abstract rates are also given without it.
    booked = [
        (record, passed)
        for record, passed in zip(scored, parts, strict=True)
        if record.metrics.get("trip_state") != "none"
    ]
    for part in (*PARTS.values(), "abstract"):
        rates[part] = _rate(scored, [passed[part] for passed in parts])
        rates[f"{part}_if_booked"] = _rate(
            [record for record, _ in booked], [passed[part] for _, passed in booked]
        )
    valid = [record for record in scored if record.fault != "user"]
    rates["pass_at_1_valid"] = _rate(valid, [record.passed for record in valid])
    return rates


def _rate(records: Sequence[EpisodeRecord], passed: Sequence[bool]) -> Estimate:
    strata = {record.task_id: record.stratum for record in records}
    results: dict[str, list[bool]] = {task_id: [] for task_id in strata}
    for record, value in zip(records, passed, strict=True):
        results[record.task_id].append(value)
    return estimate_rate(results, strata)


def _effort(scored: Sequence[EpisodeRecord]) -> dict[str, float | None]:
    return {
        name: _mean(record.metrics[name] for record in scored if name in record.metrics)
        for name in EFFORT
    }


def _coverage(scored: Sequence[EpisodeRecord]) -> dict[str, float | None]:
    shares: dict[str, list[float]] = {check: [] for check in COVERAGE}
    for record in scored:
        for check, found in record.metrics.get("coverage", {}).items():
            if found["opportunities"]:
                shares[check].append(found["covered"] / found["opportunities"])
        precision = record.metrics.get("disclosure_precision")
        if precision is not None:
            shares["disclosure_precision"].append(precision)
    return {check: _mean(values) for check, values in shares.items()}


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return fmean(listed) if listed else None


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Return how often each name occurs, the most frequent first."""
    counts = Counter(names)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _as_json(group: Group) -> dict[str, Any]:
    rates = {name: rate._asdict() for name, rate in group.rates.items()}
    return {**asdict(group), "rates": rates, "episodes": group.episodes}
