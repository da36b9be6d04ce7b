"""Who passed, and how they talked and worked: the paper's Tables 2 and 3."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from crab_graph.analysis.labels import COVERAGE, OUTCOME_HEADS, OUTCOMES
from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import (
    Exhibit,
    Head,
    captioned,
    count_cell,
    heads,
    share_cell,
)
from crab_graph.analysis.report.measures import estimate, estimate_cells, heads_of
from crab_graph.analysis.report.study import WHO, Study
from crab_graph.eval.attribution import Fault
from crab_graph.runs.record import EpisodeRecord

_PARTS = (*measures.VERDICTS, measures.STRICT)


def passed(study: Study) -> Iterator[Exhibit]:
    """Show pass@1 and the parts of the verdict: the paper's Table 2."""
    columns = (*WHO, Head("tasks", "tasks"), *heads_of(_PARTS), *heads(OUTCOME_HEADS))
    said = []  # what abstract rates are without the episodes in which nothing was booked
    valid = []  # what pass@1 is without the episodes that failed by the user's fault (rulebook §11)
    rows = []
    for arm in study.arms:
        rate, *others = estimate_cells(estimate(arm.records, _PARTS), _PARTS, arm.where())
        found = arm.where(outcome="pass") if rate.value["value"] else arm.where()
        outcomes = Counter(str(record.outcome) for record in arm.records)
        row = (
            *arm.cells(),
            count_cell(len({record.task_id for record in arm.records}), arm.where()),
            replace(rate, where=found, is_strong=True),
            *others,
            *(count_cell(outcomes[one], arm.where(outcome=one)) for one in OUTCOMES),
        )
        rows.append(row)
        booked = [one for one in arm.records if one.metrics.get("job_state", "none") != "none"]
        (if_booked,) = estimate(booked, [measures.ABSTRACT])
        is_known = if_booked.value is not None
        value = f"{if_booked.value:.0%} of {if_booked.trials}" if is_known else "nothing booked"
        said.append(f"{arm.label}: {value}")
        if kept := _without_user_faults(arm.records):
            valid.append(f"{arm.label}: {kept}")
    notes = [
        "An agent that books nothing says nothing wrong. Abstract rates over the episodes with a "
        f"booking: {'; '.join(said)}."
    ]
    if valid:
        notes.append(f"pass@1 without the user's faults: {'; '.join(valid)}.")
    yield captioned("table-2", columns, rows, notes=tuple(notes))


def _without_user_faults(records: Sequence[EpisodeRecord]) -> str:
    """Return pass@1 over the episodes that did not fail by the user's fault, if any did."""
    kept = [record for record in records if record.fault != Fault.USER]
    if len(kept) == len(records):
        return ""
    (rate,) = estimate(kept, [measures.PASS])
    return "none left" if rate.value is None else f"{rate.value:.0%} of {rate.trials}"


def work(study: Study) -> Iterator[Exhibit]:
    """Show communication and efficiency: the paper's Table 3."""
    yield _estimates("table-3", study, measures.WORK)


def more_work(study: Study) -> Iterator[Exhibit]:
    """Show what else describes the work."""
    yield _estimates("effort", study, measures.MORE_WORK)


def coverage(study: Study) -> Iterator[Exhibit]:
    """Show how much of what could be judged was said at all (rulebook §7)."""
    rows = [(*arm.cells(), *map(share_cell, _coverage(arm.records))) for arm in study.arms]
    yield captioned("coverage", (*WHO, *heads(COVERAGE)), rows)


def _estimates(id: str, study: Study, wanted: Sequence[measures.Measure]) -> Exhibit:
    rows = [
        (*arm.cells(), *estimate_cells(estimate(arm.records, wanted), wanted, arm.where()))
        for arm in study.arms
    ]
    return captioned(id, (*WHO, *heads_of(wanted)), rows)


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
