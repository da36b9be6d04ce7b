"""Pass rates along sweeps: the same tasks with more distractors, edges or solutions."""

from collections.abc import Callable, Mapping

from crab_graph.analysis.report import measures
from crab_graph.analysis.report.comparisons import NOTE, difference_cells
from crab_graph.analysis.report.exhibit import (
    Cell,
    Chart,
    Exhibit,
    Head,
    Point,
    count_cell,
    estimate_cell,
    rows_of,
)
from crab_graph.analysis.report.study import Arm, Study
from crab_graph.analysis.report.verdict_exhibits import WHO
from crab_graph.runs.record import EpisodeRecord

_TITLES = {
    "distractors": "More distractors",
    "edges": "More dependencies",
    "solutions": "More solutions",
}
_AXES = {
    "distractors": "distractors of a task",
    "edges": "optional edges of a task",
    "solutions": "seed solutions of a task",
}
_LINE = tuple[str, str, str, bool]
"""What the runs of one line share: agent, user, engine, whether the agent is a reference."""


def sweeps(study: Study) -> list[Exhibit]:
    """Return an exhibit for each thing that was varied over the runs, and its paired contrasts."""
    found = []
    for vary in _TITLES:
        lines = _lines(study, vary)
        if any(len(line) > 1 for line in lines.values()):
            found += _exhibits(vary, lines)
    return found


def _lines(study: Study, vary: str) -> dict[_LINE, dict[int, Arm]]:
    """Return the arms of each agent and user by the value that was varied."""
    lines: dict[_LINE, dict[int, Arm]] = {}
    for arm in study.arms:
        member = study.runs[arm.run].sweep
        if member is not None and member.vary == vary:
            line = (arm.agent, arm.user, arm.user_engine, arm.is_reference)
            lines.setdefault(line, {})[member.value] = arm
    return {line: dict(sorted(arms.items())) for line, arms in lines.items()}


def _exhibits(vary: str, lines: Mapping[_LINE, Mapping[int, Arm]]) -> list[Exhibit]:
    rows, points = [], []
    for (agent, user, engine, is_reference), arms in lines.items():
        tag = "reference" if is_reference else ""
        who = f"{agent}{' (reference)' if is_reference else ''}"
        for value, arm in arms.items():
            rate, concrete = measures.estimate(arm.records, (measures.PASS, measures.CONCRETE))
            rows.append(
                (
                    Cell(agent, agent, tag=tag),
                    Cell(f"{user} ({engine})", user),
                    Cell(f"{value:,}", value),
                    count_cell(len(measures.scored(arm.records)), arm.where()),
                    estimate_cell(rate, is_share=True, where=arm.where()),
                    estimate_cell(concrete, is_share=True, where=arm.where()),
                )
            )
            if rate.value is not None:
                n = f"{rate.trials} episodes on {rate.tasks} tasks"
                points.append(
                    Point(
                        "",
                        who,
                        f"{user} ({engine})",
                        str(value),
                        rate.value,
                        rate.low,
                        rate.high,
                        n,
                        arm.where(),
                    )
                )
    chart = Chart(
        "line",
        _AXES[vary],
        "pass@1",
        tuple(points),
        alt=f"Chart of pass@1 by {_AXES[vary]}. The table below holds its numbers.",
    )
    exhibit = Exhibit(
        id=f"sweep-{vary}",
        title=_TITLES[vary],
        caption=f"pass@1 by {_AXES[vary]}, on families of tasks that differ in nothing else.",
        columns=(
            *WHO,
            Head("value", vary),
            Head("episodes", "n"),
            Head("pass_at_1", "pass@1"),
            Head("concrete", "concrete"),
        ),
        rows=rows_of(rows),
        chart=chart,
    )
    return [exhibit, *_contrasts(vary, lines)]


def _contrasts(vary: str, lines: Mapping[_LINE, Mapping[int, Arm]]) -> list[Exhibit]:
    rows: list[tuple[Cell, ...]] = []
    for (agent, user, engine, is_reference), arms in lines.items():
        (least, first), *others = arms.items()
        found = [
            (value, arm, pairings)
            for value, arm in others
            if (
                pairings := measures.pair(
                    first.records, arm.records, (measures.PASS, measures.CONCRETE), _family(vary)
                )
            )
        ]
        adjusted = measures.adjust([pairings for _, _, pairings in found])
        tag = "reference" if is_reference else ""
        rows += [
            (
                Cell(agent, agent, tag=tag),
                Cell(f"{user} ({engine})", user),
                Cell(f"{value:,} after {least:,}", value),
                *difference_cells(one, first, arm),
            )
            for (value, arm, _), own in zip(found, adjusted, strict=True)
            for one in own
        ]
    if not rows:
        return []
    columns = (
        "tasks",
        "pairs",
        "from",
        "to",
        "difference (95 %)",
        "relative drop Δ",
        "p (Holm)",
        "detectable",
    )
    return [
        Exhibit(
            id=f"sweep-{vary}-compared",
            title=f"{_TITLES[vary]}: task by task",
            caption="Each value against the least, paired by family, trial and seed. Differences "
            "are in percentage points.",
            columns=(
                *WHO,
                Head("value", vary, is_number=False),
                Head("measure", "measure", is_number=False),
                *(Head(name.split(" ")[0], name) for name in columns),
            ),
            rows=tuple(rows),
            notes=(NOTE,),
        )
    ]


def _family(vary: str) -> Callable[[EpisodeRecord], measures.Key]:
    """Return what the episodes share whose tasks correspond to each other."""

    def key(record: EpisodeRecord) -> measures.Key:
        # With more seed solutions a task moves to another stratum, and keeps its number.
        task = record.task_id.partition("-")[2] if vary == "solutions" else record.task_id
        return (task, record.trial, record.seed)

    return key
