"""Who passed, and how they talked and worked: the paper's Tables 2 and 3."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import (
    Cell,
    Exhibit,
    Head,
    count_cell,
    estimate_cell,
    rows_of,
    share_cell,
)
from crab_graph.analysis.report.labels import COVERAGE, OUTCOME_HEADS, OUTCOMES
from crab_graph.analysis.report.study import Arm, Study
from crab_graph.eval.statistics import Estimate
from crab_graph.runs.record import EpisodeRecord

WHO = (Head("agent", "agent", is_number=False), Head("user", "user", is_number=False))
PARTS = (
    measures.PASS,
    measures.CONCRETE,
    measures.ABSTRACT,
    measures.STRICT,
)
WORK = (
    measures.FACTUALITY,
    measures.COMPLETION,
    measures.EFFORTS["redundant_calls"],
    measures.EFFORTS["call_cancellation"],
    measures.EFFORTS["admitted_errors"],
)
MORE_WORK = (
    measures.EFFORTS["total_tool_calls"],
    measures.EFFORTS["failed_tool_calls"],
    measures.EFFORTS["redundant_calls_stale_aware"],
    measures.EFFORTS["unadmitted_corrections"],
    measures.TURNS,
)

_INTERVALS = (
    "In brackets the 95 % interval of a bootstrap over tasks within strata; where all episodes end "
    "alike it has no width, so read the counts."
)


def passed(study: Study) -> Exhibit:
    """Return pass@1 and the parts of the verdict: the paper's Table 2."""
    columns = (
        *WHO,
        Head("tasks", "tasks"),
        *(Head(one.key, one.title) for one in PARTS),
        *(Head(outcome, head) for outcome, head in OUTCOME_HEADS.items()),
    )
    rows = []
    for arm in study.arms:
        found = measures.estimate(arm.records, PARTS)
        outcomes = Counter(str(record.outcome) for record in arm.records)
        rows.append(
            (
                *arm.cells(),
                count_cell(len({record.task_id for record in arm.records}), arm.where()),
                *(_rate(one, estimated, arm) for one, estimated in zip(PARTS, found, strict=True)),
                *(count_cell(outcomes[one], arm.where(outcome=one)) for one in OUTCOMES),
            )
        )
    return Exhibit(
        id="table-2",
        paper="Table 2",
        title="Who passed",
        caption="An episode passes when every check does: what was booked (concrete), and what was "
        "said and how it ended (abstract: factuality and completion). Strict grading also fails "
        f"what was never said. {_INTERVALS}",
        columns=columns,
        rows=rows_of(rows),
        notes=(_if_booked_note(study),),
    )


def work(study: Study) -> Exhibit:
    """Return communication and efficiency: the paper's Table 3."""
    return Exhibit(
        id="table-3",
        paper="Table 3",
        title="Communication and efficiency",
        caption="Shares of episodes without a false statement and with a proper ending, and means "
        f"per episode of what describes the work but never decides a pass. {_INTERVALS}",
        columns=(*WHO, *(Head(one.key, one.title) for one in WORK)),
        rows=_estimates(study.arms, WORK),
    )


def more_work(study: Study) -> Exhibit:
    """Return what else describes the work."""
    return Exhibit(
        id="effort",
        title="More on the effort",
        caption="Means per episode. “No write between” leaves out calls repeated after the tables "
        "had changed; unadmitted corrections are acts or claims put right without a word.",
        columns=(*WHO, *(Head(one.key, one.title) for one in MORE_WORK)),
        rows=_estimates(study.arms, MORE_WORK),
    )


def coverage(study: Study) -> Exhibit:
    """Return how much of what could be judged was said at all (rulebook §7)."""
    rows = [
        (*arm.cells(), *(share_cell(value) for value in _coverage(arm.records)))
        for arm in study.arms
    ]
    return Exhibit(
        id="coverage",
        title="How much was said at all",
        caption="Of what each factuality check could judge, the share about which anything was "
        "said; means over the episodes in which there was something to say. An agent that says "
        "nothing says nothing false.",
        columns=(*WHO, *(Head(check, title) for check, title in COVERAGE.items())),
        rows=rows_of(rows),
    )


def _rate(measure: measures.Measure, found: Estimate, arm: Arm) -> Cell:
    cell = estimate_cell(found, is_share=True, where=arm.where())
    if measure is not measures.PASS:
        return cell
    where = arm.where(outcome="pass") if found.value else arm.where()
    return Cell(cell.text, cell.value, cell.note, where, is_strong=True)


def _estimates(
    arms: Iterable[Arm], wanted: Sequence[measures.Measure]
) -> tuple[tuple[Cell, ...], ...]:
    return rows_of(
        [
            (
                *arm.cells(),
                *(
                    estimate_cell(found, is_share=one.is_share, where=arm.where())
                    for one, found in zip(
                        wanted, measures.estimate(arm.records, wanted), strict=True
                    )
                ),
            )
            for arm in arms
        ]
    )


def _if_booked_note(study: Study) -> str:
    """Say what abstract rates are without the episodes in which nothing was booked."""
    found = []
    for arm in study.arms:
        booked = [
            record for record in arm.records if record.metrics.get("trip_state", "none") != "none"
        ]
        (rate,) = measures.estimate(booked, [measures.ABSTRACT])
        value = "nothing booked" if rate.value is None else f"{rate.value:.0%} of {rate.trials}"
        found.append(f"{arm.label}: {value}")
    return (
        "An agent that books nothing says nothing wrong. Abstract rates over the episodes with a "
        f"booking: {'; '.join(found)}."
    )


def _coverage(records: Sequence[EpisodeRecord]) -> list[float | None]:
    shares: dict[str, list[float]] = {check: [] for check in COVERAGE}
    for record in measures.scored(records):
        for check, found in record.metrics.get("coverage", {}).items():
            if found["opportunities"]:
                shares[check].append(found["covered"] / found["opportunities"])
        precision = record.metrics.get("disclosure_precision")
        if precision is not None:
            shares["disclosure_precision"].append(precision)
    return [fmean(values) if values else None for values in shares.values()]
