"""Who passed, and how they talked and worked: the paper's Tables 2 and 3."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import (
    BASIS,
    OVERVIEW,
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
)
from crab_graph.analysis.report.measures import estimate, estimate_cells, heads_of
from crab_graph.analysis.report.study import WHO, Arm, Study
from crab_graph.eval.attribution import Fault
from crab_graph.eval.intervals import share_intervals
from crab_graph.eval.statistics import Estimate, estimated
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import COVERAGE, OUTCOMES, label

_PARTS = (*measures.VERDICTS, measures.STRICT)


def by_user(study: Study) -> Iterator[Exhibit]:
    """Show pass@1 of several agents with several kinds of user, an agent a row."""
    agents, users = study.agents(), [arms[0] for arms in study.users()]
    if len(agents) < 2 or len(users) < 2:
        return
    columns = (WHO[0], *(Head(arm.user_label, arm.user_label) for arm in users))
    rows = []
    for arms in agents:
        own = {arm.user_label: arm for arm in arms}
        cells = [_rate_cell(own.get(arm.user_label)) for arm in users]
        rows.append((arms[0].cells()[0], *cells))
    yield captioned("by-user", columns, rows)


def _rate_cell(arm: Arm | None) -> Cell:
    if arm is None:
        return Cell("")
    (rate,) = estimate(arm.records, [measures.PASS])
    return estimate_cell(rate, is_share=True, where=arm.where(), basis=True)


def passed(study: Study) -> Iterator[Exhibit]:
    """Show pass@1 and the parts of the verdict: the paper's Table 2."""
    columns = (*WHO, *BASIS, *heads_of(_PARTS), *heads(OUTCOMES))
    points: list[Point] = []
    said = []  # what abstract rates are without the episodes in which nothing was booked
    valid = []  # what pass@1 is without the episodes of a user fault (rulebook §11)
    rows = []
    for arm in study.arms:
        estimates = estimate(arm.records, _PARTS)
        rate, *others = estimate_cells(estimates, _PARTS, arm.where())
        found = arm.where(outcome="pass") if rate.value["value"] else arm.where()
        outcomes = Counter(str(record.outcome) for record in arm.records)
        row = (
            *arm.cells(),
            *basis_cells(estimates[0], arm.where()),
            replace(rate, where=found, is_strong=True),
            *others,
            *(count_cell(outcomes[one], arm.where(outcome=one)) for one in OUTCOMES),
        )
        rows.append(row)
        points += (
            replace(point, group="", member=arm.who)
            for point in arm.points(arm.user_label, estimates[0], arm.where())
        )
        booked = [one for one in arm.records if one.metrics.get("job_state", "none") != "none"]
        if len(booked) < len(arm.records):
            (if_booked,) = estimate(booked, [measures.ABSTRACT])
            said.append(f"{arm.label}: {_told(if_booked, 'nothing booked')}")
        if kept := _without_user_faults(arm.records):
            valid.append(f"{arm.label}: {kept}")
    notes = []
    if said:
        notes.append(
            "An agent that books nothing says nothing wrong. Abstract rates over the episodes with "
            f"a booking, where some have none: {'; '.join(said)}."
        )
    if valid:
        notes.append(f"pass@1 without user faults: {'; '.join(valid)}.")
    chart = Chart("dot", "", label("pass_interval"), points)
    yield captioned(OVERVIEW, columns, rows, notes=tuple(notes), chart=chart)


def _without_user_faults(records: Sequence[EpisodeRecord]) -> str:
    """Return pass@1 over the episodes that are no user fault, if any is."""
    kept = [record for record in records if record.fault != Fault.USER]
    if len(kept) == len(records):
        return ""
    (rate,) = estimate(kept, [measures.PASS])
    return _told(rate, "none left")


def _told(rate: Estimate, without: str) -> str:
    """Return a rate of some episodes with its interval and what it is of, as a note has it."""
    if rate.value is None:
        return without
    return estimate_cell(rate, is_share=True, basis=True).plain


def work(study: Study) -> Iterator[Exhibit]:
    """Show communication and efficiency: the paper's Table 3."""
    yield _estimates("table-3", study, measures.WORK)


def more_work(study: Study) -> Iterator[Exhibit]:
    """Show what else describes the work."""
    yield _estimates("effort", study, measures.MORE_WORK)


def coverage(study: Study) -> Iterator[Exhibit]:
    """Show how much of what could be judged was said at all (rulebook §7)."""
    rows = [
        (
            *arm.cells(),
            *(estimate_cell(one, is_share=True, basis=True) for one in _coverage(arm.records)),
        )
        for arm in study.arms
    ]
    yield captioned("coverage", (*WHO, *heads(COVERAGE)), rows)


def _estimates(id: str, study: Study, wanted: Sequence[measures.Measure]) -> Exhibit:
    rows = []
    for arm in study.arms:
        found = estimate(arm.records, wanted)
        basis = basis_cells(found[0], arm.where())
        rows.append((*arm.cells(), *basis, *estimate_cells(found, wanted, arm.where())))
    return captioned(id, (*WHO, *BASIS, *heads_of(wanted)), rows)


def _coverage(records: Sequence[EpisodeRecord]) -> list[Estimate]:
    shares: dict[str, dict[str, list[float]]] = {check: {} for check in COVERAGE}
    strata = {record.task_id: record.stratum for record in records}
    for record in measures.scored(records):
        for check, found in record.metrics.get("coverage", {}).items():
            if found["opportunities"]:
                share = found["covered"] / found["opportunities"]
                shares[check].setdefault(record.task_id, []).append(share)
        precision = record.metrics.get("disclosure_precision")
        if precision is not None:
            shares["disclosure_precision"].setdefault(record.task_id, []).append(precision)
    return [_pooled(by_task, strata) for by_task in shares.values()]


def _pooled(by_task: Mapping[str, Sequence[float]], strata: Mapping[str, int]) -> Estimate:
    """Return the mean over episodes, of which a task may have any number."""
    if not by_task:
        return Estimate()
    counts = [len(own) for own in by_task.values()]
    (interval,) = share_intervals(
        [list(map(fmean, by_task.values()))],
        [strata[task_id] for task_id in by_task],
        sum(counts),
        weights=counts,
    )
    mean = fmean(share for own in by_task.values() for share in own)
    return estimated(mean, interval, len(counts), sum(counts))
