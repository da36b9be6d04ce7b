"""The whole report of some runs: what to know first, and every table and figure they allow.

A figure is a function from a study to the exhibits that its runs allow, which may be none. Other
packages add theirs under the entry point group `crab_graph.figures` (docs/analytics.md); they stand
after ours, in the order of their names.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from crab_graph.analysis import labels
from crab_graph.analysis.report import measures
from crab_graph.analysis.report.comparisons import compare_users
from crab_graph.analysis.report.exhibit import Exhibit, Report, interval_text, points_text
from crab_graph.analysis.report.study import Study, incomplete_runs
from crab_graph.errors import CrabGraphError, UsageError
from crab_graph.eval.statistics import rests_on
from crab_graph.plugins import Seam

Figure = Callable[[Study], Iterable[Exhibit]]

_HERE = "crab_graph.analysis.report"
FIGURES = Seam(
    "crab_graph.figures",
    "figure",
    {
        "by_user": f"{_HERE}.verdict_exhibits:by_user",
        "passed": f"{_HERE}.verdict_exhibits:passed",
        "users": f"{_HERE}.comparisons:users_compared",
        "agents": f"{_HERE}.comparisons:agents_compared",
        "strata": f"{_HERE}.breakdowns:by_stratum",
        "axis": f"{_HERE}.breakdowns:by_axis",
        "conditions": f"{_HERE}.breakdowns:by_condition",
        "sweeps": f"{_HERE}.comparisons:sweeps",
        "trials": f"{_HERE}.breakdowns:by_trials",
        "work": f"{_HERE}.verdict_exhibits:work",
        "personas": f"{_HERE}.breakdowns:by_persona",
        "effort": f"{_HERE}.verdict_exhibits:more_work",
        "coverage": f"{_HERE}.verdict_exhibits:coverage",
        "failures": f"{_HERE}.failure_exhibits:failure_modes",
        "checks": f"{_HERE}.failure_exhibits:failed_checks",
        "parts": f"{_HERE}.failure_exhibits:missed_parts",
        "facts": f"{_HERE}.failure_exhibits:fact_fates",
        "breaches": f"{_HERE}.failure_exhibits:user_breaches",
        "edges": f"{_HERE}.breakdowns:by_edges",
        "pivots": f"{_HERE}.failure_exhibits:turning_points",
        "benchmarks": f"{_HERE}.task_exhibits:benchmarks",
    },
)
"""Every table and figure, the most important first."""


def make_report(study: Study, title: str | None = None) -> Report:
    """Return the report of some runs.

    Raises:
        UsageError: a figure of another package cannot be loaded or made.
    """
    tasks = len({(record.stamp.get("task"), record.task_id) for record in study.records})
    agents = len({arm.agent_label for arm in study.arms})
    users = len({arm.user for arm in study.arms})
    notes = [*incomplete_runs(study), *labels.notes_on(study.records), *_left_out(study)]
    return Report(
        title=title or " and ".join(run.name for run in study.runs),
        lead=(
            f"{len(study.records):,} episodes on {tasks:,} tasks: {_counted(agents, 'agent')} with "
            f"{_counted(users, 'kind')} of user, graded by rules on the final tables and on what "
            "was said."
        ),
        findings=[*_rate_findings(study), *_user_findings(study), *_failure_findings(study)],
        labels=notes,
        exhibits=_exhibits(study),
    )


def _left_out(study: Study) -> Iterator[str]:
    """Say what cannot be shown of the tasks."""
    unread = [run for run in study.runs if run.config is not None and run.benchmark is None]
    missing = ", ".join(run.name for run in unread if not run.active_edges)
    if missing:
        yield (
            f"The benchmark of {missing} is not where the run says, or is another one by now: "
            "Table 1, Figure 8 and what depends on edges are left out."
        )
    other = ", ".join(run.name for run in unread if run.active_edges)
    if other:
        yield (
            f"The tasks of {other} were made by another version of their domain: Table 1 and "
            "Figure 8 are left out."
        )


def _exhibits(study: Study) -> list[Exhibit]:
    found = [one for name in FIGURES.built_in for one in FIGURES.find(name)(study)]
    for name in FIGURES.names():
        if name in FIGURES.built_in:
            continue
        try:
            added = list(FIGURES.find(name)(study))
        except CrabGraphError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(f"figure '{name}' cannot be made of these runs: {reason}") from error
        for one in added:
            # It is the name of a file, and of a place in the page.
            if not re.fullmatch("[a-z0-9-]+", one.id) or one.id in {other.id for other in found}:
                raise UsageError(f"figure '{name}': the id '{one.id}' is taken, or no such id")
            found.append(one)
    return found


def _counted(count: int, noun: str) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    number = words[count] if count < len(words) else str(count)
    return f"{number} {noun}{'' if count == 1 else 's'}"


def _rate_findings(study: Study) -> Iterator[str]:
    for arms in study.agents():
        rates = []
        for arm in arms:
            (rate,) = measures.estimate(arm.records, [measures.PASS])
            if rate.value is not None:
                interval = interval_text(rate.ends)
                rates.append(f"{rate.value:.0%} ({interval}; {rate.basis}) with {arm.user}")
        if rates:
            yield f"{arms[0].who} passes {', '.join(rates)}."


def _user_findings(study: Study) -> Iterator[str]:
    """Name, for each agent, the user that costs most against its reference."""
    for arms in study.agents():
        compared = compare_users(arms, [measures.PASS])
        if not compared:
            continue
        worst = min(compared, key=lambda one: one.pairings[0].contrast.difference)
        (found,) = worst.pairings
        contrast, who = found.contrast, worst.reference.who
        if contrast.difference == 0 and not found.detectable:
            yield f"No user makes a difference to {who}: every task came out alike."
            continue
        ends, basis = contrast.interval.ends, rests_on(contrast.tasks, found.pairs, "pair")
        between = contrast.interval.note if ends is None else " to ".join(map(points_text, ends))
        sentence = (
            f"Of all users {worst.arm.user} costs {who} most: {points_text(contrast.difference)} "
            f"points against {worst.reference.user} ({between}; {basis}), task by task"
        )
        if found.is_null and found.detectable:
            least = f"{100 * found.detectable:.0f}"
            sentence += f"; that may be chance, since {least} points are what so few tasks can show"
        yield f"{sentence}."


def _failure_findings(study: Study) -> Iterator[str]:
    failed = [one for one in measures.scored(study.records) if not one.passed]
    counts = Counter(record.primary_failure or "no label" for record in failed)
    for mode, count in counts.most_common(1):
        share, what = count / len(failed), labels.words(mode)
        basis = rests_on(len({record.task_id for record in failed}), len(failed))
        yield f"Of the failures ({basis}), {count:,} ({share:.0%}) begin with: {what}."
