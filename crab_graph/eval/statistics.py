"""Rates over episodes and how sure they are (rulebook §12)."""

from collections.abc import Iterable, Mapping, Sequence
from math import comb, sqrt
from typing import Any, NamedTuple

import numpy as np

from crab_graph.errors import UsageError
from crab_graph.eval.intervals import DRAWS, Interval, difference_intervals, mean_intervals
from crab_graph.randomness import derive_array_rng

MDE_FACTOR = 2.80
"""z(.975) + z(.80): the effect, in standard errors, that is found with 80 % power."""


class Trials(NamedTuple):
    """A task's trials: how many, and how many passed."""

    stratum: int
    passed: int
    total: int


class Estimate(NamedTuple):
    """A rate or mean, `None` without episodes, with its interval and what it rests on.

    Where no interval is possible its ends are `None`, and `note` says why.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    tasks: int = 0
    episodes: int = 0
    method: str | None = None
    note: str = ""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends of the interval, where there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def as_json(self) -> dict[str, Any]:
        """Return the form that documents for programs hold."""
        return self._asdict() | {"note": self.note or None}

    @property
    def basis(self) -> str:
        """What it rests on: `8 tasks, 16 episodes`."""
        return rests_on(self.tasks, self.episodes)


def estimated(value: float, interval: Interval, tasks: int, episodes: int) -> Estimate:
    """Return a value with its interval and what it rests on."""
    low, high, method, note = interval
    return Estimate(value, low, high, tasks, episodes, method, note)


def rests_on(tasks: int, episodes: int, what: str = "episode") -> str:
    """Return what a rate is of, in words: tasks and episodes apart."""
    return ", ".join(
        f"{count:,} {noun}{'' if count == 1 else 's'}"
        for count, noun in ((tasks, "task"), (episodes, what))
    )


class Contrast(NamedTuple):
    """A paired difference of two conditions: the mean over tasks, second minus first.

    The relative drop is `None` where the first condition has 0; p is that of a two-sided sign-flip
    permutation. Where no interval is possible its `note` says why.
    """

    difference: float
    interval: Interval
    relative_drop: float | None
    p: float
    tasks: int


def pass_at_k(trials: Sequence[Trials], k: int) -> float:
    """Return the mean over tasks of 1 − C(n−c, k)/C(n, k): some of k trials passes."""
    _check_k(trials, k)
    return _mean(1 - comb(n - c, k) / comb(n, k) for _, c, n in trials)


def pass_hat_k(trials: Sequence[Trials], k: int) -> float:
    """Return the mean over tasks of C(c, k)/C(n, k): all of k trials pass."""
    _check_k(trials, k)
    return _mean(comb(c, k) / comb(n, k) for _, c, n in trials)


def count_trials(results: Mapping[str, Sequence[bool]], strata: Mapping[str, int]) -> list[Trials]:
    """Return the counts of each task that has trials, ordered by task.

    `results` says by task whether each trial passed.
    """
    return [
        Trials(strata[task_id], sum(passed), len(passed))
        for task_id, passed in sorted(results.items())
        if passed
    ]


def compare(
    first: Sequence[float],
    second: Sequence[float],
    strata: Sequence[int],
    pairs: float | None = None,
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> Contrast:
    """Compare per-task means of a condition with those of a reference, the first, paired by task.

    `pairs` is how many pairs of episodes shares are of; what is no share has none.

    Raises:
        UsageError: the sequences differ in length or are empty.
    """
    if not len(first) == len(second) == len(strata):
        raise UsageError("a paired comparison needs both rates of every task")
    differences = [after - before for before, after in zip(first, second, strict=True)]
    if pairs is None:
        (interval,) = mean_intervals([differences], strata, seed=seed, draws=draws)
    else:
        (interval,) = difference_intervals([differences], strata, pairs, seed=seed, draws=draws)
    reference, difference = _mean(first), _mean(differences)
    drop = -difference / reference if reference else None
    p = sign_flip_p(differences, seed, draws)
    return Contrast(difference, interval, drop, p, len(differences))


def sign_flip_p(differences: Sequence[float], seed: int = 0, draws: int = DRAWS) -> float:
    """Return the two-sided p of the mean difference under random flips of signs."""
    values = np.asarray([item for item in differences if item != 0], dtype=float)
    if not len(values):
        return 1.0
    rng = derive_array_rng("sign_flip", seed)
    observed = abs(float(values.sum()))
    signs = rng.randint(0, 2, size=(draws, len(values))).astype(np.int8) * 2 - 1
    flipped = np.abs(signs @ values)
    return (int(np.count_nonzero(flipped >= observed - 1e-9)) + 1) / (draws + 1)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Return the exact two-sided McNemar p of discordant pairs."""
    total = only_first + only_second
    if not total:
        return 1.0
    tail = sum(comb(total, i) for i in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / float(2**total))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return p values adjusted within a family by Holm's method."""
    adjusted: dict[str, float] = {}
    highest = 0.0
    ordered = sorted(p_values.items(), key=lambda item: (item[1], item[0]))
    for rank, (name, p) in enumerate(ordered):
        highest = max(highest, min(1.0, p * (len(ordered) - rank)))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}


def minimal_detectable_effect(differences: Sequence[float]) -> float | None:
    """Return the effect found with 80 % power at α = .05; `None` for fewer than two tasks."""
    count = len(differences)
    if count < 2:
        return None
    mean = _mean(differences)
    variance = sum((item - mean) ** 2 for item in differences) / (count - 1)
    return MDE_FACTOR * sqrt(variance / count)


def _check_k(trials: Sequence[Trials], k: int) -> None:
    if not trials:
        raise UsageError("there are no trials")
    fewest = min(trial.total for trial in trials)
    if not 1 <= k <= fewest:
        raise UsageError(f"k must be 1 to {fewest}, the number of trials of each task, not {k}")


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    if not listed:
        raise UsageError("there are no values")
    return sum(listed) / len(listed)
