"""What is measured of an episode, estimated over tasks, and compared in pairs (rulebook §12)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from crab_graph.analysis.report.exhibit import Cell, Filter, Head, estimate_cell, heads
from crab_graph.domain.verification import Part
from crab_graph.eval.intervals import (
    COUNT_BOUNDS,
    Interval,
    mean_intervals,
    share_intervals,
)
from crab_graph.eval.statistics import (
    Contrast,
    Estimate,
    compare,
    estimated,
    holm,
    mcnemar_p,
    minimal_detectable_effect,
)
from crab_graph.eval.verifiers import part_of_check
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import EFFORT, label

UNSCORED = "infra_error"
ALPHA = 0.05

Key = tuple[object, ...]
"""What two episodes share that are compared; its first part is the task."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Something read from every episode with a verdict; where it is a yes or no, a share.

    `key` is its name in JSON, `title` that for people.
    """

    key: str
    title: str
    read: Callable[[EpisodeRecord], float]
    is_share: bool = True


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two groups of episodes compared in pairs by one measure; p adjusted within the family.

    So many tasks find the `detectable` difference with 80 % power. McNemar's p is exact, and there
    where each task has one pair.
    """

    measure: Measure
    contrast: Contrast
    first: float
    second: float
    pairs: int
    detectable: float | None
    p_holm: float
    p_mcnemar: float | None

    @property
    def is_null(self) -> bool:
        """Whether the adjusted p leaves it open that there is no difference."""
        return self.p_holm > ALPHA


def scored(records: Iterable[EpisodeRecord]) -> list[EpisodeRecord]:
    """Return the episodes that have a verdict."""
    return [record for record in records if record.outcome != UNSCORED]


def failed_checks(record: EpisodeRecord) -> list[str]:
    """Return the checks that an episode failed."""
    return [check for check, verdict in record.checks.items() if verdict == "fail"]


def parts_passed(record: EpisodeRecord) -> dict[str, bool]:
    """Return which parts of the verdict an episode passed; `abstract` is all but `concrete`."""
    failed = set(map(part_of_check, failed_checks(record)))
    passed = {str(part): part not in failed for part in Part}
    return {**passed, "abstract": passed["factuality"] and passed["completion"]}


def _part(name: str) -> Measure:
    return Measure(name, label(name), lambda record: float(parts_passed(record)[name]))


def _effort(name: str) -> Measure:
    return Measure(name, EFFORT[name], lambda record: float(record.metrics.get(name) or 0), False)


PASS = Measure("pass_at_1", label("pass_at_1"), lambda record: float(record.passed))
CONCRETE = _part("concrete")
ABSTRACT = _part("abstract")
FACTUALITY = _part("factuality")
COMPLETION = _part("completion")
STRICT = Measure("strict", label("strict"), lambda record: float(bool(record.strict.get("passed"))))

VERDICTS = (PASS, CONCRETE, ABSTRACT)
WORK = (
    FACTUALITY,
    COMPLETION,
    _effort("redundant_calls"),
    _effort("call_cancellation"),
    _effort("admitted_errors"),
)
MORE_WORK = (
    _effort("total_tool_calls"),
    _effort("failed_tool_calls"),
    _effort("redundant_calls_stale_aware"),
    _effort("unadmitted_corrections"),
    _effort("visible_messages"),
)


def estimate(records: Iterable[EpisodeRecord], measures: Sequence[Measure]) -> list[Estimate]:
    """Return the mean over tasks of each measure, with its interval, over scored episodes."""
    counted = scored(records)
    if not counted:
        return [Estimate() for _ in measures]
    by_task: dict[str, list[EpisodeRecord]] = {}
    for record in counted:
        by_task.setdefault(record.task_id, []).append(record)
    tasks = [by_task[task_id] for task_id in sorted(by_task)]
    rows = [[fmean(map(measure.read, own)) for own in tasks] for measure in measures]
    intervals = _intervals(measures, rows, [own[0].stratum for own in tasks], len(counted))
    return [
        estimated(fmean(row), interval, len(tasks), len(counted))
        for row, interval in zip(rows, intervals, strict=True)
    ]


def _intervals(
    measures: Sequence[Measure],
    rows: Sequence[Sequence[float]],
    strata: Sequence[int],
    episodes: int,
) -> list[Interval]:
    """Return the interval of each measure, those of one kind made together."""
    shares = [row for measure, row in zip(measures, rows, strict=True) if measure.is_share]
    means = [row for measure, row in zip(measures, rows, strict=True) if not measure.is_share]
    of_shares = iter(share_intervals(shares, strata, episodes) if shares else ())
    of_means = iter(mean_intervals(means, strata, bounds=COUNT_BOUNDS) if means else ())
    return [next(of_shares if measure.is_share else of_means) for measure in measures]


def estimate_cells(
    found: Iterable[Estimate], measures: Iterable[Measure], where: Filter | None = None
) -> list[Cell]:
    """Return a cell with the estimate of each measure."""
    return [
        estimate_cell(one, is_share=measure.is_share, where=where)
        for one, measure in zip(found, measures, strict=True)
    ]


def heads_of(measures: Iterable[Measure]) -> list[Head]:
    """Return the head of a column for each measure."""
    return heads({one.key: one.title for one in measures})


def by_task_and_trial(record: EpisodeRecord) -> Key:
    """Return what episodes share that differ in agent or user alone."""
    return (record.task_id, record.stamp.get("task"), record.trial, record.seed)


def pair(
    first: Sequence[EpisodeRecord],
    second: Sequence[EpisodeRecord],
    measures: Sequence[Measure],
    key: Callable[[EpisodeRecord], Key] = by_task_and_trial,
) -> list[Pairing]:
    """Compare a group of episodes with the first in pairs, which share a `key`; nothing without."""
    before, after = ({key(one): one for one in scored(group)} for group in (first, second))
    by_task: dict[object, list[tuple[EpisodeRecord, EpisodeRecord]]] = {}
    for one in sorted(before.keys() & after.keys(), key=str):
        by_task.setdefault(one[0], []).append((before[one], after[one]))
    if not by_task:
        return []
    pairings = []
    for measure in measures:
        tasks = list(by_task.values())
        firsts = [fmean(measure.read(before) for before, _ in pairs) for pairs in tasks]
        seconds = [fmean(measure.read(after) for _, after in pairs) for pairs in tasks]
        count = sum(map(len, tasks))
        strata = [pairs[0][0].stratum for pairs in tasks]
        contrast = compare(firsts, seconds, strata, count if measure.is_share else None)
        differences = [late - early for early, late in zip(firsts, seconds, strict=True)]
        mcnemar = None
        if measure.is_share and count == len(tasks):
            worse, better = (sum(sign * one > 0 for one in differences) for sign in (-1, 1))
            mcnemar = mcnemar_p(worse, better)
        means = (fmean(firsts), fmean(seconds))
        detectable = minimal_detectable_effect(differences)
        pairings.append(Pairing(measure, contrast, *means, count, detectable, contrast.p, mcnemar))
    return pairings


def adjust(comparisons: Sequence[Sequence[Pairing]]) -> list[list[Pairing]]:
    """Return the pairings of each comparison with p adjusted over all, measure by measure."""
    adjusted: list[list[Pairing]] = [[] for _ in comparisons]
    for column in zip(*comparisons, strict=True):
        found = holm({str(place): one.contrast.p for place, one in enumerate(column)})
        for place, one in enumerate(column):
            adjusted[place].append(replace(one, p_holm=found[str(place)]))
    return adjusted
