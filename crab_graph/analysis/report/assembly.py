"""The whole report of some runs: what to know first, and every table and figure they allow.

A figure is a function from a study to the exhibits that its runs allow, which may be none. Other
packages add theirs under the entry point group `crab_graph.figures` (docs/analytics.md); they stand
after ours, in the order of their names.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from crab_graph.analysis import labels
from crab_graph.analysis.report import findings
from crab_graph.analysis.report.exhibit import Exhibit, Report
from crab_graph.analysis.report.study import Study, incomplete_runs
from crab_graph.errors import CrabGraphError, UsageError
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
        "levels": f"{_HERE}.breakdowns:by_level",
        "difficulties": f"{_HERE}.breakdowns:by_difficulty",
        "axis": f"{_HERE}.breakdowns:by_axis",
        "conditions": f"{_HERE}.breakdowns:by_condition",
        "sweeps": f"{_HERE}.comparisons:sweeps",
        "trials": f"{_HERE}.breakdowns:by_trials",
        "work": f"{_HERE}.verdict_exhibits:work",
        "personas": f"{_HERE}.breakdowns:by_persona",
        "effort": f"{_HERE}.verdict_exhibits:more_work",
        "coverage": f"{_HERE}.verdict_exhibits:coverage",
        "spending": f"{_HERE}.spending_exhibits:spending",
        "tools": f"{_HERE}.tool_exhibits:tools",
        "failures": f"{_HERE}.failure_exhibits:failure_modes",
        "checks": f"{_HERE}.failure_exhibits:failed_checks",
        "parts": f"{_HERE}.failure_exhibits:missed_parts",
        "facts": f"{_HERE}.failure_exhibits:fact_fates",
        "breaches": f"{_HERE}.failure_exhibits:user_breaches",
        "edges": f"{_HERE}.breakdowns:by_edges",
        "pivots": f"{_HERE}.failure_exhibits:turning_points",
        "notes": f"{_HERE}.note_exhibits:notes",
        "benchmarks": f"{_HERE}.task_exhibits:benchmarks",
    },
)
"""Every table and figure, the most important first."""


def make_report(study: Study, title: str | None = None) -> Report:
    """Return the report of some runs.

    Raises:
        UsageError: a figure of another package cannot be loaded or made.
    """
    notes = [
        *_runs(study),
        *incomplete_runs(study),
        *labels.notes_on(study.records),
        *_left_out(study),
    ]
    return Report(
        title=title or study.named(),
        lead=f"{study.counted()}.",
        findings=findings.find(study),
        labels=notes,
        exhibits=_exhibits(study),
    )


def _runs(study: Study) -> Iterator[str]:
    if len(study.runs) > 1:
        yield f"Runs: {', '.join(run.name for run in study.runs)}."


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
