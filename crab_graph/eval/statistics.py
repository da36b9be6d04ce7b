"""Rates over episodes and how sure they are (rulebook §12)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import comb, hypot, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.errors import MissingExtra, UsageError
from crab_graph.randomness import derive_array_rng

DRAWS = 10_000
CONFIDENCE = 0.95
MDE_FACTOR = 2.80
"""z(.975) + z(.80): the effect, in standard errors, that is found with 80 % power."""


class Trials(NamedTuple):
    """A task's trials: how many, and how many passed."""

    stratum: int
    passed: int
    total: int


class Estimate(NamedTuple):
    """A rate, `None` without trials, with its interval and what it rests on."""

    value: float | None
    low: float
    high: float
    tasks: int
    trials: int


class Contrast(NamedTuple):
    """A paired difference of two conditions: the mean over tasks, second minus first.

    The relative drop is `None` where the first condition has 0; p is that of a two-sided sign-flip
    permutation.
    """

    difference: float
    low: float
    high: float
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


def bootstrap_interval(
    values: Sequence[float], strata: Sequence[int], seed: int = 0, draws: int = DRAWS
) -> tuple[float, float]:
    """Return the percentile interval of one measure; errors as for `bootstrap_intervals`."""
    return bootstrap_intervals([values], strata, seed, draws)[0]


def bootstrap_intervals(
    rows: Sequence[Sequence[float]], strata: Sequence[int], seed: int = 0, draws: int = DRAWS
) -> list[tuple[float, float]]:
    """Return percentile intervals of the means of measures of the same tasks, within strata.

    Raises:
        UsageError: there are no values.
    """
    values = np.asarray(rows, dtype=float)
    if values.ndim != 2 or not values.shape[1] or values.shape[1] != len(strata):
        raise UsageError("a bootstrap needs at least one task, and a stratum for each")
    sums = np.zeros((len(values), draws))
    labels = np.asarray(strata)
    for stratum in sorted(set(strata)):
        members = values[:, labels == stratum]
        sums += members @ _resamples(seed, stratum, members.shape[1], draws)
    means = sums / values.shape[1]
    tail = (1 - CONFIDENCE) / 2 * 100
    lows, highs = np.percentile(means, [tail, 100 - tail], axis=1)
    # Rounded sums may miss a constant by the last digit.
    return [
        (min(float(low), mean), max(float(high), mean))
        for low, high, mean in zip(lows, highs, map(_mean, rows), strict=True)
    ]


def compare(
    first: Sequence[float],
    second: Sequence[float],
    strata: Sequence[int],
    seed: int = 0,
    draws: int = DRAWS,
) -> Contrast:
    """Compare per-task rates of a condition with those of a reference, the first, paired by task.

    Raises:
        UsageError: the sequences differ in length or are empty.
    """
    if not len(first) == len(second) == len(strata):
        raise UsageError("a paired comparison needs both rates of every task")
    differences = [after - before for before, after in zip(first, second, strict=True)]
    low, high = bootstrap_interval(differences, strata, seed, draws)
    reference, difference = _mean(first), _mean(differences)
    drop = -difference / reference if reference else None
    p = sign_flip_p(differences, seed, draws)
    return Contrast(difference, low, high, drop, p, len(differences))


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


def exact_interval(passed: int, total: int) -> tuple[float, float]:
    """Return the Clopper–Pearson 95 % interval of a rate of independent trials.

    Raises:
        UsageError: there are no trials.
        MissingExtra: SciPy is not installed.
    """
    if not 0 <= passed <= total or not total:
        raise UsageError(f"{passed} of {total} is no rate")
    try:
        from scipy.stats import binomtest  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("an exact interval", "stats") from None
    interval = binomtest(passed, total).proportion_ci(CONFIDENCE, "exact")
    return float(interval.low), float(interval.high)


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


@lru_cache(maxsize=32)
def _resamples(seed: int, stratum: int, size: int, draws: int) -> NDArray[np.float64]:
    """Return how often each of `size` tasks is drawn, a column for each resample.

    The mean of a resample is then a matrix product; a report asks for the same ones many times.
    """
    rng = derive_array_rng("bootstrap", seed, stratum)
    counts = rng.multinomial(size, np.full(size, 1 / size), size=draws)
    return np.ascontiguousarray(counts.T, dtype=float)


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


_Z = 1.959963984540054  # the 97.5th percentile of the standard normal distribution


class Share(NamedTuple):
    """A share of `n` independent trials with its 95 % interval."""

    passed: int
    n: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share itself; one half of nothing where nothing was tried."""
        return self.passed / self.n if self.n else 0.5

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its interval; `None` where nothing was tried."""
        return (self.low, self.high) if self.n else None


class ShareChange(NamedTuple):
    """The difference of two shares, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves no room for no difference."""
        return self.low > 0 or self.high < 0


def wilson_rate(passed: int, n: int) -> Share:
    """Return a share with Wilson's score interval (Wilson 1927); without trials it is [0, 1]."""
    if not n:
        return Share(0, 0, 0.0, 1.0)
    share = passed / n
    spread = _Z * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    scale = 1 + _Z**2 / n
    middle = share + _Z**2 / (2 * n)
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return Share(passed, n, 0.0 if passed == 0 else low, 1.0 if passed == n else high)


def certain_rate(is_passed: bool) -> Share:
    """Return what is known to have happened."""
    return Share(int(is_passed), 1, float(is_passed), float(is_passed))


def change(before: Share, after: Share) -> ShareChange:
    """Return by how much a share changed, with Newcombe's interval (1998, method 10)."""
    value = after.value - before.value
    down = hypot(after.value - after.low, before.high - before.value)
    up = hypot(after.high - after.value, before.value - before.low)
    return ShareChange(value, max(-1.0, value - down), min(1.0, value + up))
