"""The whole report of some runs: what to know first, and every table and figure they allow."""

from collections.abc import Sequence

from crab_graph.analysis.report import labels, measures
from crab_graph.analysis.report.breakdowns import (
    by_condition,
    by_dates,
    by_edges,
    by_persona,
    by_stratum,
)
from crab_graph.analysis.report.comparisons import VERDICTS, agents_compared, users_compared
from crab_graph.analysis.report.exhibit import Exhibit, Report, points_text
from crab_graph.analysis.report.fact_exhibit import fact_fates
from crab_graph.analysis.report.failure_exhibits import failed_checks, failure_modes, missed_parts
from crab_graph.analysis.report.pivots import pivots
from crab_graph.analysis.report.reliability import reliability
from crab_graph.analysis.report.study import REFERENCE_USER, Study, incomplete_runs
from crab_graph.analysis.report.sweeps import sweeps
from crab_graph.analysis.report.task_exhibits import benchmarks
from crab_graph.analysis.report.verdict_exhibits import coverage, more_work, passed, work


def make_report(study: Study, title: str | None = None) -> Report:
    """Return the report of some runs."""
    return Report(
        title=title or " and ".join(run.name for run in study.runs),
        lead=_lead(study),
        findings=tuple(_findings(study)),
        labels=tuple(_labels(study)),
        exhibits=tuple(_exhibits(study)),
    )


def _exhibits(study: Study) -> list[Exhibit]:
    """Return every exhibit that the runs allow, the most important first."""
    wanted: Sequence[Exhibit | None] = (
        passed(study),
        *users_compared(study),
        *agents_compared(study),
        by_stratum(study),
        by_dates(study),
        by_condition(study),
        *sweeps(study),
        reliability(study),
        work(study),
        by_persona(study),
        more_work(study),
        coverage(study),
        *failure_modes(study),
        failed_checks(study),
        missed_parts(study),
        fact_fates(study),
        by_edges(study),
        pivots(study),
        *benchmarks(study),
    )
    return [one for one in wanted if one is not None]


def _lead(study: Study) -> str:
    records = study.records
    tasks = len({(record.stamp.get("task"), record.task_id) for record in records})
    agents = len({arm.agent_label for arm in study.arms})
    users = len({arm.user for arm in study.arms})
    return (
        f"{len(records):,} episodes on {tasks:,} tasks: {_counted(agents, 'agent')} with "
        f"{_counted(users, 'kind')} of user, graded by rules on the final tables and on what was "
        "said."
    )


def _counted(count: int, noun: str) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    number = words[count] if count < len(words) else str(count)
    return f"{number} {noun}{'' if count == 1 else 's'}"


def _findings(study: Study) -> list[str]:
    """Return who passed how often, what a user costs, and what failures have in common."""
    return [*_rate_findings(study), *_user_findings(study), *_failure_findings(study)]


def _rate_findings(study: Study) -> list[str]:
    found = []
    for arms in study.agents():
        rates = []
        for arm in arms:
            (rate,) = measures.estimate(arm.records, [measures.PASS])
            if rate.value is not None:
                interval = f"{100 * rate.low:.0f}–{100 * rate.high:.0f}"
                rates.append(f"{rate.value:.0%} ({interval}) with {arm.user}")
        if rates:
            who = f"{arms[0].agent_label}{' (reference)' if arms[0].is_reference else ''}"
            found.append(f"{who} passes {', '.join(rates)}.")
    return found


def _user_findings(study: Study) -> list[str]:
    """Return, for each agent, the user that costs most against its reference."""
    found = []
    for arms in study.agents():
        reference = next((arm for arm in arms if arm.user == REFERENCE_USER), arms[0])
        compared = {
            arm.user: pairings
            for arm in arms
            if arm is not reference
            and (pairings := measures.pair(reference.records, arm.records, VERDICTS[:1]))
        }
        if not compared:
            continue
        adjusted = dict(zip(compared, measures.adjust(list(compared.values())), strict=True))
        user, (worst,) = min(adjusted.items(), key=lambda item: item[1][0].contrast.difference)
        contrast = worst.contrast
        who = f"{arms[0].agent_label}{' (reference)' if arms[0].is_reference else ''}"
        interval = f"{points_text(contrast.low, True)} to {points_text(contrast.high, True)}"
        if contrast.difference == 0 and not worst.detectable:
            found.append(f"No user makes a difference to {who}: every task came out alike.")
            continue
        sentence = (
            f"Of all users {user} costs {who} most: {points_text(contrast.difference, True)} "
            f"points against {reference.user} ({interval}), task by task"
        )
        if worst.is_null and worst.detectable:
            least = f"{100 * worst.detectable:.0f}"
            sentence += f"; that may be chance, since {least} points are what so few tasks can show"
        found.append(f"{sentence}.")
    return found


def _failure_findings(study: Study) -> list[str]:
    records = [one for one in measures.scored(study.records) if not one.passed]
    if not records:
        return []
    counts: dict[str, int] = {}
    for record in records:
        mode = record.primary_failure or "no label"
        counts[mode] = counts.get(mode, 0) + 1
    mode, count = max(counts.items(), key=lambda item: item[1])
    share = count / len(records)
    return [
        f"Of {len(records):,} failures, {count:,} ({share:.0%}) begin with: {labels.words(mode)}."
    ]


def _labels(study: Study) -> list[str]:
    missing = [run.name for run in study.runs if run.config is not None and not run.tasks]
    notes = [*incomplete_runs(study), *labels.notes_on(study.records)]
    if missing:
        notes.append(
            f"The benchmark of {', '.join(missing)} is not where the run says, or is another one "
            "by now: Table 1, Figure 8 and what depends on edges are left out."
        )
    return notes
