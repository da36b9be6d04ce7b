"""Rates by stratum, date mode, persona and condition: the paper's Figures 4 to 7."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import (
    Cell,
    Chart,
    ChartMark,
    Exhibit,
    Head,
    Point,
    count_cell,
    estimate_cell,
    rows_of,
    text_cell,
)
from crab_graph.analysis.report.measures import Measure
from crab_graph.analysis.report.study import Arm, Study
from crab_graph.analysis.report.verdict_exhibits import WHO, WORK
from crab_graph.eval.statistics import Estimate
from crab_graph.runs.record import EpisodeRecord

DATE_MODES = ("fixed", "flexible")
PERSONA_MEASURES = (
    measures.PASS,
    measures.CONCRETE,
    *WORK,
)


def by_stratum(study: Study) -> Exhibit | None:
    """Return the concrete pass rate by stratum: the paper's Figure 4."""
    strata = sorted({str(record.stratum) for record in study.records})
    if len(strata) < 2:
        return None
    return _crossed(
        study.arms,
        measures.CONCRETE,
        {f"S{stratum}": _is("stratum", stratum) for stratum in strata},
        "stratum",
        {f"S{stratum}": stratum for stratum in strata},
        id="figure-4",
        paper="Figure 4",
        title="Concrete state by number of solutions",
        caption="Share of episodes in which no check of the final tables fails, by stratum: a task "
        "of S1 grows from one seed solution, one of S4 from four. n counts episodes.",
        x_title="stratum",
        mark="line",
    )


def by_dates(study: Study) -> Exhibit | None:
    """Return pass@1 by date mode, with the edges that are active: the paper's Figure 5."""
    modes = [
        mode for mode in DATE_MODES if any(record.date_mode == mode for record in study.records)
    ]
    if len(modes) < 2:
        return None
    edges = {mode: _mean_edges(study, mode) for mode in modes}
    titles = {
        mode: mode if edges[mode] is None else f"{mode} ({edges[mode]:.1f} edges)" for mode in modes
    }
    return _crossed(
        study.arms,
        measures.PASS,
        {titles[mode]: _is("date_mode", mode) for mode in modes},
        "dates",
        {titles[mode]: mode for mode in modes},
        id="figure-5",
        paper="Figure 5",
        title="Fixed against flexible dates",
        caption="pass@1 by whether the departure is a day or a window of days, with the mean "
        "number of edge constraints that are active on such tasks. n counts episodes.",
        x_title="departure",
        mark="dot",
    )


def by_persona(study: Study) -> Exhibit | None:
    """Return all measures by persona: the paper's Figure 6."""
    rows, points = [], []
    for arm in study.arms:
        personas = sorted({record.persona for record in arm.records} - {"none"})
        for persona in personas if len(personas) > 1 else ():
            own = [record for record in arm.records if record.persona == persona]
            where = arm.where(persona=persona)
            found = measures.estimate(own, PERSONA_MEASURES)
            rows.append(
                (
                    *arm.cells(),
                    text_cell(persona),
                    count_cell(len(measures.scored(own)), where),
                    *(
                        estimate_cell(one, is_share=measure.is_share, where=where)
                        for measure, one in zip(PERSONA_MEASURES, found, strict=True)
                    ),
                )
            )
            points += [
                _point(measure.title, arm, persona, one, where)
                for measure, one in zip(PERSONA_MEASURES, found, strict=True)
                if one.value is not None
            ]
    if not rows:
        return None
    return Exhibit(
        id="figure-6",
        paper="Figure 6",
        title="Personas",
        caption="How an agent fares with each persona a user may draw. Personas are drawn per task "
        "and trial, so they meet different tasks: their differences are not paired.",
        columns=(
            *WHO,
            Head("persona", "persona", is_number=False),
            Head("episodes", "n"),
            *(Head(one.key, one.title) for one in PERSONA_MEASURES),
        ),
        rows=rows_of(rows),
        chart=Chart(
            "dot",
            "persona",
            "",
            tuple(points),
            alt=_alt("each measure by persona", points),
            counts=frozenset(one.title for one in PERSONA_MEASURES if not one.is_share),
        ),
    )


def by_condition(study: Study) -> Exhibit | None:
    """Return pass@1 under each kind of user, where there are three or more: Figure 7."""
    wanted = (measures.PASS, measures.CONCRETE, measures.FACTUALITY, measures.COMPLETION)
    rows, points = [], []
    for arms in study.agents():
        for arm in arms if len(arms) > 2 else ():
            found = measures.estimate(arm.records, wanted)
            agent, user = arm.cells()
            rows.append(
                (
                    agent,
                    user,
                    count_cell(len(measures.scored(arm.records)), arm.where()),
                    *(estimate_cell(one, is_share=True, where=arm.where()) for one in found),
                )
            )
            if found[0].value is not None:
                points.append(_point("", arm, arm.user, found[0], arm.where(), by_user=False))
    if not rows:
        return None
    return Exhibit(
        id="figure-7",
        paper="Figure 7",
        title="One factor of the user at a time",
        caption="pass@1 under each kind of user, on the same tasks and trials: a persona alone, "
        "one behaviour dimension alone, or all together. Paired differences: “What a user "
        "costs”.",
        columns=(
            *WHO,
            Head("episodes", "n"),
            *(Head(one.key, one.title) for one in wanted),
        ),
        rows=rows_of(rows),
        chart=Chart(
            "dot", "user", "pass@1", tuple(points), alt=_alt("pass@1 by kind of user", points)
        ),
    )


def by_edges(study: Study) -> Exhibit | None:
    """Return pass@1 by how many edge constraints are active on a task."""
    counts = sorted(
        {edges for record in study.records if (edges := _edges(study, record)) is not None}
    )
    if len(counts) < 2:
        return None
    return _crossed(
        study.arms,
        measures.PASS,
        {str(count): _has_edges(study, count) for count in counts},
        None,
        {},
        id="edges",
        paper="",
        title="Active edge constraints",
        caption="pass@1 by how many dependencies between entities are not already decided by the "
        "wishes for single ones. n counts episodes; tasks differ in more than this, unless they "
        "come from a sweep.",
        x_title="active edges",
        mark="line",
    )


def _crossed(
    arms: Iterable[Arm],
    measure: Measure,
    groups: Mapping[str, Callable[[Arm, EpisodeRecord], bool]],
    filter_name: str | None,
    filter_values: Mapping[str, str],
    *,
    id: str,
    paper: str,
    title: str,
    caption: str,
    x_title: str,
    mark: ChartMark,
) -> Exhibit:
    """Return one measure of each arm, a column for each group of its episodes."""
    rows, points = [], []
    for arm in arms:
        cells: list[Cell] = list(arm.cells())
        for group, belongs in groups.items():
            own = [record for record in arm.records if belongs(arm, record)]
            where = (
                None if filter_name is None else arm.where(**{filter_name: filter_values[group]})
            )
            (found,) = measures.estimate(own, [measure])
            cells.append(estimate_cell(found, is_share=True, where=where, count=True))
            if found.value is not None:
                points.append(_point("", arm, group, found, where))
        rows.append(cells)
    return Exhibit(
        id=id,
        paper=paper,
        title=title,
        caption=caption,
        columns=(*WHO, *(Head(group, group) for group in groups)),
        rows=rows_of(rows),
        chart=Chart(
            mark,
            x_title,
            measure.title if measure is measures.PASS else f"{measure.title} pass rate",
            tuple(points),
            alt=_alt(f"{measure.title} by {x_title}", points),
        ),
    )


def _point(
    panel: str,
    arm: Arm,
    x: str,
    found: Estimate,
    where: Mapping[str, str] | None,
    *,
    by_user: bool = True,
) -> Point:
    return Point(
        panel,
        arm.who,
        arm.user_label if by_user else "",
        x,
        found.value or 0.0,
        found.low,
        found.high,
        f"{found.trials} episodes on {found.tasks} tasks",
        where,
    )


def _alt(what: str, points: Sequence[Point]) -> str:
    """Return a chart in words; its numbers stand in the table below it."""
    series = list(dict.fromkeys(point.series for point in points))
    return f"Chart of {what} for {'; '.join(series)}. The table below holds its numbers."


def _is(name: str, value: str) -> Callable[[Arm, EpisodeRecord], bool]:
    return lambda arm, record: str(getattr(record, name)) == value


def _has_edges(study: Study, count: int) -> Callable[[Arm, EpisodeRecord], bool]:
    def has(arm: Arm, record: EpisodeRecord) -> bool:
        figures = (study.runs[arm.run].tasks or {}).get(record.task_id)
        return figures is not None and figures.active_edges == count

    return has


def _edges(study: Study, record: EpisodeRecord) -> int | None:
    for run in study.runs:
        figures = (run.tasks or {}).get(record.task_id)
        if figures is not None:
            return figures.active_edges
    return None


def _mean_edges(study: Study, mode: str) -> float | None:
    """Return the mean number of active edges of the tasks with a date mode that were run."""
    found = {
        (number, record.task_id): run.tasks[record.task_id].active_edges
        for number, run in enumerate(study.runs)
        for record in run.records
        if run.tasks and record.date_mode == mode and record.task_id in run.tasks
    }
    return fmean(found.values()) if found else None
