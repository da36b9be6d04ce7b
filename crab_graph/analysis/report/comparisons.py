"""Arms compared in pairs, task by task: what a user costs, which agent does better, and sweeps."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import (
    BASIS,
    Cell,
    Chart,
    Exhibit,
    Head,
    Point,
    basis_cells,
    captioned,
    count_cell,
    named_heads,
    points_text,
)
from crab_graph.analysis.report.measures import Key, Measure, Pairing
from crab_graph.analysis.report.study import REFERENCE_USER, WHO, Arm, Study
from crab_graph.eval.statistics import rests_on
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import NOTES, label

_LEAST_P = 0.001
_COLUMNS = (
    *named_heads("measure", is_number=False),
    *named_heads("tasks", "pairs", "first", "second", "difference", "relative_drop"),
    Head("p", label("p_holm")),
    *named_heads("detectable"),
)
_DIFFERENCE = 5
_VARIED = ("distractors", "edges", "solutions")
"""What sweeps vary."""

_COMPARED = (*measures.VERDICTS, *measures.WORK)
_SWEPT = (measures.PASS, measures.CONCRETE)


class Comparison(NamedTuple):
    """An arm beside the reference of its family, by several measures."""

    reference: Arm
    arm: Arm
    pairings: Sequence[Pairing]


def compare_users(arms: Sequence[Arm], wanted: Sequence[Measure]) -> list[Comparison]:
    """Compare an agent's users with the generic one, or with the first where there is none."""
    reference = next((arm for arm in arms if arm.user == REFERENCE_USER), arms[0])
    return _compare(reference, arms, wanted)


def difference_point(one: Comparison, group: str, x: str) -> Point:
    """Return the difference that an arm makes by the first measure, as a row of a forest plot."""
    pairing = one.pairings[0]
    contrast = pairing.contrast
    low, high = contrast.interval.ends or (None, None)
    basis = rests_on(contrast.tasks, pairing.pairs, "pair")
    return Point("", group, "", x, contrast.difference, low, high, basis, one.arm.where())


def difference_cell(one: Comparison) -> Cell:
    """Return the same as a cell."""
    return _difference_cells(one, one.pairings[0])[_DIFFERENCE]


def users_compared(study: Study) -> Iterator[Exhibit]:
    """Show each agent's users against its reference: the Δ of the paper's Tables 2 and 3."""

    def names(one: Comparison) -> tuple[Cell, Cell]:
        user = f"{one.arm.user_label} after {one.reference.user}"
        return Cell(one.arm.agent_label, tag=one.arm.tag), Cell(user)

    yield from _exhibits(
        [one for arms in study.agents() for one in compare_users(arms, _COMPARED)],
        WHO,
        names,
        "table-2-users",
        "table-3-users",
    )


def agents_compared(study: Study) -> Iterator[Exhibit]:
    """Show the agents against the first one, under each kind of user."""
    found = [one for arms in study.users() for one in _compare(arms[0], arms, _COMPARED)]
    points = [difference_point(one, one.arm.who, one.arm.user_label) for one in found]
    first = next((one.reference.who for one in found), "")

    def names(one: Comparison) -> tuple[Cell, Cell]:
        agent = f"{one.arm.agent_label} after {one.reference.agent_label}"
        tag = one.arm.tag if one.reference.is_reference else ""
        return Cell(one.arm.user_label, one.arm.user), Cell(agent, one.arm.agent_label, tag=tag)

    yield from _exhibits(
        found,
        WHO[::-1],
        names,
        "agents",
        "agents-work",
        Chart("difference", "", label("points_against").format(reference=first), points),
    )


def sweeps(study: Study) -> Iterator[Exhibit]:
    """Show each thing that was varied over the runs, and its values in pairs."""
    for vary in _VARIED:
        lines = _lines(study, vary)
        if any(len(line) > 1 for line in lines):
            yield _swept(vary, lines)
            yield from _swept_compared(vary, lines)


def _compare(
    reference: Arm,
    arms: Iterable[Arm],
    wanted: Sequence[Measure],
    key: Callable[[EpisodeRecord], Key] = measures.by_task_and_trial,
) -> list[Comparison]:
    """Compare arms with a reference among them: a family, within which p is adjusted."""
    found = [
        (arm, pairings)
        for arm in arms
        if arm is not reference
        and (pairings := measures.pair(reference.records, arm.records, wanted, key))
    ]
    adjusted = measures.adjust([pairings for _, pairings in found])
    return [Comparison(reference, arm, own) for (arm, _), own in zip(found, adjusted, strict=True)]


def _exhibits(
    comparisons: Sequence[Comparison],
    columns: Sequence[Head],
    names: Callable[[Comparison], Sequence[Cell]],
    verdicts: str,
    work: str,
    chart: Chart | None = None,
) -> Iterator[Exhibit]:
    """Show verdicts and the work apart; a measure of the work only where it occurred."""
    for part in (verdicts, work) if comparisons else ():
        yield captioned(
            part,
            columns=(*columns, *_COLUMNS),
            rows=[
                (*names(comparison), *_difference_cells(comparison, one))
                for comparison in comparisons
                for one in comparison.pairings
                if (one.measure in measures.VERDICTS) == (part == verdicts)
                and (part == verdicts or one.first != 0 or one.second != 0)
            ],
            notes=(NOTES["pairs"],),
            chart=chart if part == verdicts else None,
        )


def _difference_cells(comparison: Comparison, one: Pairing) -> Sequence[Cell]:
    """Return the cells of a comparison by one measure, from the measure's name on."""
    share, contrast = one.measure.is_share, one.contrast
    detectable = Cell("")
    if one.is_null and one.detectable is not None:
        text = f"{100 * one.detectable:.1f}" if share else f"{one.detectable:.2f}"
        # Without spread in it nothing is known.
        detectable = Cell(text if one.detectable else "no spread", one.detectable)
    ends = contrast.interval.ends
    told = "–" if ends is None else " to ".join(points_text(end, share) for end in ends)
    drop = contrast.relative_drop
    return (
        Cell(one.measure.title),
        Cell(str(contrast.tasks), contrast.tasks),
        Cell(str(one.pairs), one.pairs),
        _level(one.first, share, comparison.reference),
        _level(one.second, share, comparison.arm),
        Cell(
            points_text(contrast.difference, share),
            {
                "value": contrast.difference,
                **contrast.interval.as_json(),
                "is_null": one.is_null,
            },
            note=f"({told})",
            is_strong=not one.is_null,
        ),
        # What the paper prints: the change relative to the reference, a drop with a minus.
        Cell("–" if drop is None else f"{-drop:+.0%}".replace("-", "−"), drop),
        Cell(
            _p_text(contrast.p),
            {"p": contrast.p, "holm": one.p_holm, "mcnemar": one.p_mcnemar},
            note=f"({_p_text(one.p_holm)})",
        ),
        detectable,
    )


def _level(value: float, is_share: bool, arm: Arm) -> Cell:
    return Cell(f"{value:.0%}" if is_share else f"{value:.2f}", value, where=arm.where())


def _p_text(p: float) -> str:
    return f"<{_LEAST_P}" if p < _LEAST_P else f"{p:.3f}"


def _lines(study: Study, vary: str) -> list[Mapping[int, Arm]]:
    """Return the arms of each agent and user by the value that was varied."""
    lines: dict[tuple[str, str], dict[int, Arm]] = {}
    for arm in study.arms:
        member = study.runs[arm.run].sweep
        if member is not None and member.vary == vary:
            line = lines.setdefault((arm.agent, arm.user_label), {})
            line[member.value] = replace(arm, run_name=None)
    return [dict(sorted(arms.items())) for arms in lines.values()]


def _swept(vary: str, lines: Iterable[Mapping[int, Arm]]) -> Exhibit:
    axis = label(f"axis_{vary}")
    rows: list[Sequence[Cell]] = []
    points: list[Point] = []
    for line in lines:
        for value, arm in line.items():
            found = measures.estimate(arm.records, _SWEPT)
            rates = measures.estimate_cells(found, _SWEPT, arm.where())
            rows.append(
                (*arm.cells(), count_cell(value), *basis_cells(found[0], arm.where()), *rates)
            )
            points += arm.points(str(value), found[0], arm.where())
    return captioned(
        "sweep",
        id=f"sweep-{vary}",
        axis=axis,
        columns=(*WHO, Head("value", label(vary)), *BASIS, *measures.heads_of(_SWEPT)),
        rows=rows,
        chart=Chart("line", axis, measures.PASS.title, points),
    )


def _swept_compared(vary: str, lines: Iterable[Mapping[int, Arm]]) -> Iterator[Exhibit]:
    def corresponding(record: EpisodeRecord) -> Key:
        # With more seed solutions a task moves to another stratum, and keeps its number.
        task = record.task_id.partition("-")[2] if vary == "solutions" else record.task_id
        return (task, record.trial, record.seed)

    rows = []
    for line in lines:
        least, first = next(iter(line.items()))
        values = {arm.run: value for value, arm in line.items()}
        rows += [
            (
                *one.arm.cells(),
                Cell(f"{values[one.arm.run]:,} after {least:,}", values[one.arm.run]),
                *_difference_cells(one, pairing),
            )
            for one in _compare(first, line.values(), _SWEPT, corresponding)
            for pairing in one.pairings
        ]
    if rows:
        yield captioned(
            "sweep-compared",
            id=f"sweep-{vary}-compared",
            columns=(
                *WHO,
                Head("value", label(vary), is_number=False),
                *_COLUMNS,
            ),
            rows=rows,
            notes=(NOTES["pairs"],),
        )
