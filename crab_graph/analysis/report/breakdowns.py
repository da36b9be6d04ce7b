"""Rates by what a task, a user or a trial is: the paper's Figures 4 to 7 and 9, and more."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Literal, NamedTuple

from crab_graph.analysis.report import measures
from crab_graph.analysis.report.comparisons import (
    compare_users,
    difference_cell,
    difference_point,
)
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
    estimate_cell,
    heads,
    named_heads,
)
from crab_graph.analysis.report.measures import Measure, heads_of
from crab_graph.analysis.report.study import WHO, Arm, Study
from crab_graph.analysis.viewer.listing import AXIS
from crab_graph.domain.card import AxisCard
from crab_graph.eval.intervals import share_intervals
from crab_graph.eval.statistics import (
    Estimate,
    Trials,
    count_trials,
    estimated,
    pass_at_k,
    pass_hat_k,
)
from crab_graph.generation.constraints import Value
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import label

_PERSONA_MEASURES = (measures.PASS, measures.CONCRETE, *measures.WORK)
_CONDITION_MEASURES = (measures.PASS, measures.CONCRETE, measures.FACTUALITY, measures.COMPLETION)
_KINDS = {label("pass_hat_k"): pass_hat_k, label("pass_at_k"): pass_at_k}


_Has = Callable[[Arm, EpisodeRecord], bool]


class _Group(NamedTuple):
    """Episodes that have a column: which, the column's title, and what finds them."""

    has: _Has
    title: str
    where: Mapping[str, str] | None = None


def _valued(read: Callable[[Arm, EpisodeRecord], object], value: object) -> _Has:
    return lambda arm, record: read(arm, record) == value


def _having(kind: str) -> _Has:
    return lambda _, record: kind in record.difficulties


def _stratum(_: Arm, record: EpisodeRecord) -> int:
    return record.stratum


def _level(_: Arm, record: EpisodeRecord) -> int:
    return record.level


def by_stratum(study: Study) -> Iterator[Exhibit]:
    """Show the concrete part of the verdict by stratum: the paper's Figure 4."""
    strata = sorted({record.stratum for record in study.records})
    if len(strata) < 2:
        return
    groups = [_Group(_valued(_stratum, one), f"S{one}", {"stratum": str(one)}) for one in strata]
    yield _crossed("figure-4", study.arms, measures.CONCRETE, groups, "line", label("stratum"))


def by_level(study: Study) -> Iterator[Exhibit]:
    """Show pass@1 by level of the ladder, the levels in order."""
    levels = sorted({record.level for record in study.records})
    if len(levels) < 2:
        return
    groups = [_Group(_valued(_level, one), str(one), {"level": str(one)}) for one in levels]
    yield _crossed("levels", study.arms, measures.PASS, groups, "line", label("level"))


def by_difficulty(study: Study) -> Iterator[Exhibit]:
    """Show pass@1 on tasks that have a kind of difficulty, and on those that have none.

    A task of two kinds counts for each.
    """
    kinds = sorted({kind for record in study.records for kind in record.difficulties})
    if not kinds:
        return
    groups = [_Group(lambda _, record: not record.difficulties, "none")]
    groups += [_Group(_having(one), one, {"difficulty": one}) for one in kinds]
    yield _crossed("difficulties", study.arms, measures.PASS, groups, "dot", label("difficulty"))


def by_axis(study: Study) -> Iterator[Exhibit]:
    """Show pass@1 by the first axis, with the edges that are active: the paper's Figure 5.

    Domains whose first axes differ have an exhibit each.
    """
    arms_by_axis: dict[AxisCard, list[Arm]] = {}
    for arm in study.arms:
        if (first := study.runs[arm.run].card.first_axis) is not None:
            arms_by_axis.setdefault(first, []).append(arm)
    shown = 0
    for axis, arms in arms_by_axis.items():
        groups = [group for value in axis.values if (group := _of_value(study, arms, axis, value))]
        if len(groups) < 2:
            continue
        shown += 1
        names = dict.fromkeys(study.runs[arm.run].card.name for arm in arms)
        of_domains = f" ({', '.join(names)})" if len(arms_by_axis) > 1 else ""

        exhibit = _crossed(
            "figure-5",
            arms,
            measures.PASS,
            groups,
            "dot",
            axis.title,
            axis=axis.title,
            compared=f"{axis.comparison}{of_domains}",
        )
        yield exhibit if shown == 1 else replace(exhibit, id=f"figure-5-{shown}")


def _of_value(study: Study, arms: Sequence[Arm], axis: AxisCard, value: Value) -> _Group | None:
    """Return the episodes on tasks with one value of an axis, if there are any."""
    records = ((arm.run, one) for arm in arms for one in arm.records)
    own = {(run, one.task_id) for run, one in records if one.axes.get(axis.name) == value}
    if not own:
        return None
    edges = [
        study.runs[run].active_edges[task]
        for run, task in sorted(own)
        if task in study.runs[run].active_edges
    ]
    title = f"{value} ({fmean(edges):.1f} edges)" if edges else str(value)
    where = {f"{AXIS}{axis.name}": str(value)}
    return _Group(lambda _, record: record.axes.get(axis.name) == value, title, where)


def by_edges(study: Study) -> Iterator[Exhibit]:
    """Show pass@1 by how many edge constraints are active on a task."""

    def edges(arm: Arm, record: EpisodeRecord) -> int | None:
        return study.runs[arm.run].active_edges.get(record.task_id)

    found = (edges(arm, record) for arm in study.arms for record in arm.records)
    counts = sorted({count for count in found if count is not None})
    if len(counts) < 2:
        return
    groups = [_Group(_valued(edges, count), str(count)) for count in counts]
    yield _crossed("edges", study.arms, measures.PASS, groups, "line", label("active_edges"))


def by_persona(study: Study) -> Iterator[Exhibit]:
    """Show all measures by persona: the paper's Figure 6."""
    rows: list[Sequence[Cell]] = []
    points: list[Point] = []
    for arm in study.arms:
        personas = sorted({record.persona for record in arm.records} - {"none"})
        for persona in personas if len(personas) > 1 else ():
            own = [record for record in arm.records if record.persona == persona]
            where = arm.where(persona=persona)
            found = measures.estimate(own, _PERSONA_MEASURES)
            cells = measures.estimate_cells(found, _PERSONA_MEASURES, where)
            basis = basis_cells(found[0], where)
            rows.append((*arm.cells(), Cell(persona), *basis, *cells))
            for measure, one in zip(_PERSONA_MEASURES, found, strict=True):
                points += arm.points(persona, one, where, panel=measure.title)
    if not rows:
        return
    columns = (*WHO, *named_heads("persona", is_number=False), *BASIS, *heads_of(_PERSONA_MEASURES))
    counts = frozenset(one.title for one in _PERSONA_MEASURES if not one.is_share)
    chart = Chart("dot", "", "", points, counts=counts)
    yield captioned("figure-6", columns, rows, chart=chart)


def by_condition(study: Study) -> Iterator[Exhibit]:
    """Show what each kind of user does to pass@1, where there are three or more: Figure 7."""
    rows: list[Sequence[Cell]] = []
    points: list[Point] = []
    reference = ""
    for arms in (own for own in study.agents() if len(own) > 2):
        compared = compare_users(arms, [measures.PASS])
        differences = {one.arm.user_label: difference_cell(one) for one in compared}
        reference = next((one.reference.user for one in compared), reference)
        points += (difference_point(one, one.arm.who, one.arm.user_label) for one in compared)
        for arm in arms:
            found = measures.estimate(arm.records, _CONDITION_MEASURES)
            cells = measures.estimate_cells(found, _CONDITION_MEASURES, arm.where())
            difference = differences.get(arm.user_label, Cell(""))
            rows.append((*arm.cells(), *basis_cells(found[0], arm.where()), *cells, difference))
    if not rows:
        return
    against = Head("difference", f"pass@1 against {reference}")
    columns = (*WHO, *BASIS, *heads_of(_CONDITION_MEASURES), against)
    title = label("points_against").format(reference=reference)
    chart = Chart("difference", "", title, points)
    yield captioned("figure-7", columns, rows, chart=chart, reference=reference)


def by_trials(study: Study) -> Iterator[Exhibit]:
    """Show pass^k and pass@k for each k that every task has trials for: the paper's Figure 9."""
    counted = []
    for arm in study.arms:
        results: dict[str, list[bool]] = {}
        strata: dict[str, int] = {}
        for record in measures.scored(arm.records):
            results.setdefault(record.task_id, []).append(record.passed)
            strata[record.task_id] = record.stratum
        counted.append((arm, count_trials(results, strata)))
    deepest = max((_fewest(trials) for _, trials in counted), default=0)
    if deepest < 2:
        return
    rows: list[Sequence[Cell]] = []
    points: list[Point] = []
    for arm, trials in counted:
        counts = (len(trials), sum(one.total for one in trials))
        basis = [count_cell(count, arm.where()) for count in counts]
        for name, of_trials in _KINDS.items():
            cells = []
            for k in range(1, deepest + 1):
                found = _chance(trials, of_trials, k)
                cells.append(estimate_cell(found, is_share=True, where=arm.where()))
                points += arm.points(str(k), found, arm.where(), panel=name)
            rows.append((*arm.cells(), Cell(name), *basis, *cells))
    depths = heads({f"k{k}": f"{label('k')} = {k}" for k in range(1, deepest + 1)})
    columns = (*WHO, Head("kind", "", is_number=False), *BASIS, *depths)
    yield captioned("figure-9", columns, rows, chart=Chart("line", label("k"), "", points))


def _crossed(
    id: str,
    arms: Sequence[Arm],
    measure: Measure,
    groups: Sequence[_Group],
    mark: Literal["line", "dot"],
    x_title: str,
    **said: str,
) -> Exhibit:
    """Show one measure of each arm, a column for each group of its episodes, and as a chart."""
    rows: list[Sequence[Cell]] = []
    points: list[Point] = []
    for arm in arms:
        cells = list(arm.cells())
        for group in groups:
            own = [record for record in arm.records if group.has(arm, record)]
            where = None if group.where is None else arm.where(**group.where)
            (found,) = measures.estimate(own, [measure])
            cells.append(estimate_cell(found, is_share=True, where=where, basis=True))
            points += arm.points(group.title, found, where)
        rows.append(cells)
    columns = (*WHO, *(Head(group.title, group.title) for group in groups))
    return captioned(id, columns, rows, chart=Chart(mark, x_title, measure.title, points), **said)


def _fewest(trials: Sequence[Trials]) -> int:
    return min((one.total for one in trials), default=0)


def _chance(
    trials: Sequence[Trials], of_trials: Callable[[Sequence[Trials], int], float], k: int
) -> Estimate:
    """Return the mean over tasks; nothing for more trials than every task has."""
    if k > _fewest(trials):
        return Estimate()
    values = [of_trials([one], k) for one in trials]
    total = sum(one.total for one in trials)
    # k trials are one that passes or not.
    (interval,) = share_intervals([values], [one.stratum for one in trials], total / k)
    return estimated(of_trials(trials, k), interval, len(trials), total)
