"""What is measured of an episode, estimated over tasks, and compared in pairs (rulebook §12)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from crab_graph.analysis.report.labels import EFFORT, PARTS
from crab_graph.eval.statistics import (
    Contrast,
    Estimate,
    bootstrap_intervals,
    compare,
    holm,
    mcnemar_p,
    minimal_detectable_effect,
)
from crab_graph.runs.record import EpisodeRecord

UNSCORED = "infra_error"
ALPHA = 0.05

Key = tuple[object, ...]
"""What two episodes share that are compared."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Something measured of every episode with a verdict.

    Attributes:
        key: Its name in JSON.
        title: Its name for people.
        read: Reads it from an episode.
        is_share: Whether it is a yes or no, and its mean a share.
    """

    key: str
    title: str
    read: Callable[[EpisodeRecord], float]
    is_share: bool = True


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two groups of episodes compared in pairs by one measure.

    Attributes:
        measure: The measure.
        contrast: Mean per-task difference with its interval, relative drop and p.
        first: Mean of the first group.
        second: Mean of the second.
        pairs: Number of pairs of episodes.
        detectable: Difference that so many tasks find with 80 % power.
        p_holm: p adjusted within the family.
        p_mcnemar: Exact McNemar p where each task has one pair.
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


def parts_passed(record: EpisodeRecord) -> dict[str, bool]:
    """Return which parts of the verdict an episode passed; `abstract` is all but `concrete`."""
    failed = {PARTS[check[0]] for check, verdict in record.checks.items() if verdict == "fail"}
    passed = {part: part not in failed for part in PARTS.values()}
    return {**passed, "abstract": passed["factuality"] and passed["completion"]}


def _part(name: str) -> Callable[[EpisodeRecord], float]:
    return lambda record: float(parts_passed(record)[name])


def _metric(name: str) -> Callable[[EpisodeRecord], float]:
    return lambda record: float(record.metrics.get(name) or 0)


PASS = Measure("pass_at_1", "pass@1", lambda record: float(record.passed))
CONCRETE = Measure("concrete", "concrete", _part("concrete"))
ABSTRACT = Measure("abstract", "abstract", _part("abstract"))
FACTUALITY = Measure("factuality", "factuality", _part("factuality"))
COMPLETION = Measure("completion", "completion", _part("completion"))
STRICT = Measure("strict", "strict", lambda record: float(bool(record.strict.get("passed"))))
EFFORTS: Mapping[str, Measure] = {
    key: Measure(key, title, _metric(key), is_share=False) for key, title in EFFORT.items()
}
TURNS = Measure("visible_messages", "visible turns", _metric("visible_messages"), is_share=False)


def estimate(records: Sequence[EpisodeRecord], measures: Sequence[Measure]) -> list[Estimate]:
    """Return the mean over tasks of each measure, with its interval, over scored episodes."""
    counted = scored(records)
    if not counted:
        return [Estimate(None, 0.0, 0.0, 0, 0) for _ in measures]
    by_task: dict[str, list[EpisodeRecord]] = {}
    for record in counted:
        by_task.setdefault(record.task_id, []).append(record)
    tasks = sorted(by_task)
    strata = [by_task[task_id][0].stratum for task_id in tasks]
    rows = [
        [fmean(map(measure.read, by_task[task_id])) for task_id in tasks] for measure in measures
    ]
    return [
        Estimate(fmean(row), low, high, len(tasks), len(counted))
        for row, (low, high) in zip(rows, bootstrap_intervals(rows, strata), strict=True)
    ]


def by_task_and_trial(record: EpisodeRecord) -> Key:
    """Return what episodes share that differ in agent or user alone."""
    return (record.task_id, record.stamp.get("task"), record.trial, record.seed)


def pair(
    first: Sequence[EpisodeRecord],
    second: Sequence[EpisodeRecord],
    measures: Sequence[Measure],
    key: Callable[[EpisodeRecord], Key] = by_task_and_trial,
) -> list[Pairing]:
    """Compare two groups of episodes in pairs; nothing where they share none.

    Args:
        first: The reference.
        second: The other group.
        measures: What is compared.
        key: What the episodes of a pair share; its first part is the task.
    """
    before, after = ({key(one): one for one in scored(group)} for group in (first, second))
    shared = sorted((one for one in before if one in after), key=str)
    if not shared:
        return []
    by_task: dict[object, list[Key]] = {}
    for one in shared:
        by_task.setdefault(one[0], []).append(one)
    strata = [before[keys[0]].stratum for keys in by_task.values()]
    return [_pairing(measure, before, after, by_task, strata) for measure in measures]


def adjust(families: Sequence[Sequence[Pairing]]) -> list[list[Pairing]]:
    """Return pairings with p adjusted by Holm over the comparisons, measure by measure.

    Args:
        families: For each comparison, its pairings by the same measures.
    """
    adjusted: list[list[Pairing]] = [[] for _ in families]
    for column in zip(*families, strict=True):
        found = holm({str(place): one.contrast.p for place, one in enumerate(column)})
        for place, one in enumerate(column):
            adjusted[place].append(_with_holm(one, found[str(place)]))
    return adjusted


def _with_holm(one: Pairing, p_holm: float) -> Pairing:
    return Pairing(
        one.measure,
        one.contrast,
        one.first,
        one.second,
        one.pairs,
        one.detectable,
        p_holm,
        one.p_mcnemar,
    )


def _pairing(
    measure: Measure,
    before: Mapping[Key, EpisodeRecord],
    after: Mapping[Key, EpisodeRecord],
    by_task: Mapping[object, Sequence[Key]],
    strata: Sequence[int],
) -> Pairing:
    firsts = [fmean(measure.read(before[one]) for one in keys) for keys in by_task.values()]
    seconds = [fmean(measure.read(after[one]) for one in keys) for keys in by_task.values()]
    contrast = compare(firsts, seconds, strata)
    pairs = sum(map(len, by_task.values()))
    return Pairing(
        measure=measure,
        contrast=contrast,
        first=fmean(firsts),
        second=fmean(seconds),
        pairs=pairs,
        detectable=minimal_detectable_effect(
            [late - early for early, late in zip(firsts, seconds, strict=True)]
        ),
        p_holm=contrast.p,
        p_mcnemar=_mcnemar(firsts, seconds) if measure.is_share and pairs == len(firsts) else None,
    )


def _mcnemar(firsts: Sequence[float], seconds: Sequence[float]) -> float:
    lost = sum(early > late for early, late in zip(firsts, seconds, strict=True))
    won = sum(early < late for early, late in zip(firsts, seconds, strict=True))
    return mcnemar_p(lost, won)
