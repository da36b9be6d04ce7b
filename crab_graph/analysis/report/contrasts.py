"""Conditions compared in pairs: the same tasks and trials under two kinds of user (section 4.2)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from crab_graph.eval.statistics import compare, holm, mcnemar_p, minimal_detectable_effect
from crab_graph.runs.record import EpisodeRecord

REFERENCE = "generic"
UNSCORED = "infra_error"
ALPHA = 0.05

_Pairing = tuple[str, int, int]
"""Task, trial and seed: what two episodes share that are compared."""


@dataclass(frozen=True, slots=True)
class ConditionContrast:
    """pass@1 of one agent under two conditions, paired by task and trial.

    Attributes:
        agent: The agent.
        user_engine: What speaks for the user.
        reference: The condition compared with.
        user: The condition compared.
        tasks: Tasks that both have.
        pairs: Episodes of each that are paired.
        first: Rate under the reference.
        second: Rate under the other.
        difference: Mean per-task difference, second minus first.
        low: Lower end of its 95 % interval.
        high: Upper end.
        relative_drop: Drop relative to the reference, or `None` where that is 0.
        p: Two-sided sign-flip permutation p.
        p_holm: The same, adjusted within the agent's contrasts.
        p_mcnemar: Exact McNemar p where each task has one pair, else `None`.
        detectable: The difference found with 80 % power; `None` for one task.
    """

    agent: str
    user_engine: str
    reference: str
    user: str
    tasks: int
    pairs: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    relative_drop: float | None
    p: float
    p_holm: float
    p_mcnemar: float | None
    detectable: float | None

    @property
    def is_null(self) -> bool:
        """Whether the difference is none that the adjusted p supports."""
        return self.p_holm > ALPHA

    def as_json(self) -> dict[str, Any]:
        """Return the contrast as `report --json` prints it."""
        return asdict(self)


def contrasts_of(records: Iterable[EpisodeRecord]) -> list[ConditionContrast]:
    """Return each agent's conditions against its reference: `generic`, or else its first one."""
    families: dict[tuple[str, str], dict[str, list[EpisodeRecord]]] = {}
    for record in records:
        if record.outcome != UNSCORED:
            family = families.setdefault((record.agent, record.user_engine), {})
            family.setdefault(record.condition, []).append(record)
    return [contrast for family in families.values() for contrast in _of_family(family)]


def _of_family(conditions: Mapping[str, Sequence[EpisodeRecord]]) -> list[ConditionContrast]:
    reference = REFERENCE if REFERENCE in conditions else next(iter(conditions))
    found = [
        contrast
        for user, episodes in conditions.items()
        if user != reference
        and (contrast := _contrast(reference, conditions[reference], user, episodes)) is not None
    ]
    adjusted = holm({contrast.user: contrast.p for contrast in found})
    return [replace(contrast, p_holm=adjusted[contrast.user]) for contrast in found]


def _contrast(
    reference: str, first: Sequence[EpisodeRecord], user: str, second: Sequence[EpisodeRecord]
) -> ConditionContrast | None:
    """Return the contrast of the pairs that both have, or `None` if there are none."""
    before, after = _passed(first), _passed(second)
    shared = [pairing for pairing in before if pairing in after]
    if not shared:
        return None
    strata = {record.task_id: record.stratum for record in first}
    tasks = list(dict.fromkeys(task_id for task_id, *_ in shared))
    pairs = {
        task_id: [(before[item], after[item]) for item in shared if item[0] == task_id]
        for task_id in tasks
    }
    rates = [
        [sum(pair[side] for pair in pairs[task_id]) / len(pairs[task_id]) for task_id in tasks]
        for side in (0, 1)
    ]
    result = compare(rates[0], rates[1], [strata[task_id] for task_id in tasks])
    discordant = [pair for own in pairs.values() for pair in own if pair[0] != pair[1]]
    only_first = sum(pair[0] for pair in discordant)
    is_single = len(shared) == len(tasks)
    return ConditionContrast(
        agent=first[0].agent,
        user_engine=first[0].user_engine,
        reference=reference,
        user=user,
        tasks=len(tasks),
        pairs=len(shared),
        first=sum(rates[0]) / len(tasks),
        second=sum(rates[1]) / len(tasks),
        difference=result.difference,
        low=result.low,
        high=result.high,
        relative_drop=result.relative_drop,
        p=result.p,
        p_holm=result.p,
        p_mcnemar=mcnemar_p(only_first, len(discordant) - only_first) if is_single else None,
        detectable=minimal_detectable_effect(
            [after_rate - rate for rate, after_rate in zip(*rates, strict=True)]
        ),
    )


def _passed(episodes: Sequence[EpisodeRecord]) -> dict[_Pairing, bool]:
    return {(record.task_id, record.trial, record.seed): record.passed for record in episodes}
