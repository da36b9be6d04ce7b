"""95 % intervals of means over tasks, each made in the way that covers (rulebook §12).

A bootstrap over tasks within strata needs many tasks, and some of both outcomes. Where it has fewer
a share gets an exact interval, on as many tasks as its spread says that the trials are worth. What
is no share gets Student's. docs/statistics.md says when which, and shows the simulated coverage.
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, stdtrit

from crab_graph.errors import UsageError
from crab_graph.randomness import derive_array_rng

DRAWS = 10_000
CONFIDENCE = 0.95
FEWEST_TASKS = 15
"""A stratum with fewer is too small for a bootstrap."""
FEWEST_WORTH = 10
"""So many tasks' worth of passes, and of failures, a bootstrap needs; at 5 some rates are covered
in 92 % of simulations."""
COUNT_BOUNDS = (0.0, inf)
TOO_FEW = "no interval below 2 tasks"
ALL_ALIKE = "no interval: every task came out alike"

_TAIL = (1 - CONFIDENCE) / 2
_ROUNDING = 1e-9
_MOST_COUNTS = 2_000_000
"""Of resamples in memory at a time: all of them for 200 tasks."""

Array = NDArray[np.float64]


class Method(StrEnum):
    """How an interval was made."""

    BOOTSTRAP = "bootstrap"
    EXACT = "exact"
    STUDENT = "student"
    COMBINED = "combined"
    """From the intervals of what a figure is made of."""


class Interval(NamedTuple):
    """The ends of a 95 % interval; where none is possible `note` says why."""

    low: float | None = None
    high: float | None = None
    method: Method | None = None
    note: str = ""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends, where there are any."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def as_json(self) -> dict[str, Any]:
        """Return the form that documents for programs hold."""
        return self._asdict() | {"note": self.note or None}


class _Ends(NamedTuple):
    low: Array
    high: Array


class _Sample:
    """Measures of the same tasks, a row each, whose weighted means are estimated."""

    def __init__(
        self,
        rows: Sequence[Sequence[float]] | Array,
        strata: Sequence[int],
        weights: Sequence[float] | None,
    ):
        values = np.asarray(rows, dtype=float)
        if values.ndim != 2 or not values.shape[1] or values.shape[1] != len(strata):
            raise UsageError("an interval needs at least one task, and a stratum for each")
        self.values, self.strata = values, np.asarray(strata)
        sizes = np.ones(len(strata)) if weights is None else np.asarray(weights, dtype=float)
        self.weights = sizes / sizes.mean()
        self.tasks = len(strata)
        self.means: Array = (values * self.weights).mean(axis=1)

    @property
    def variances(self) -> Array:
        """The variance of task means, N times that of the estimate.

        With weights it is the jackknife's, since what weighs much draws the estimate to itself.
        """
        parts = self.weights / self.tasks
        pulls = (self.values - self.means[:, None]) * parts / np.maximum(1 - parts, _ROUNDING)
        found: Array = (self.tasks - 1) * (pulls**2).sum(axis=1)
        return found

    @property
    def worth(self) -> float:
        """How many tasks of equal weight it is worth (Kish)."""
        return float(self.tasks / np.mean(self.weights**2))

    @property
    def freedom(self) -> float:
        """The most degrees of freedom that its variance has."""
        return max(self.worth - 1, 1.0)


def share_intervals(
    rows: Sequence[Sequence[float]] | Array,
    strata: Sequence[int],
    episodes: float,
    *,
    weights: Sequence[float] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> list[Interval]:
    """Return the intervals of means of shares.

    Args:
        rows: For each measure, the share of each task, from 0 to 1.
        strata: The stratum of each task.
        episodes: How many episodes, or other trials, the shares are of.
        weights: What each task counts; where shares are pooled, how many trials it has.
        seed: Of the resamples.
        draws: How many resamples.

    Raises:
        UsageError: there is no task, or not a stratum for each.
    """
    sample = _Sample(rows, strata, weights)
    if sample.tasks < 2:
        return [Interval(note=TOO_FEW)] * len(sample.means)
    exact = _exact(sample, episodes)
    smaller = sample.worth * np.minimum(sample.means, 1 - sample.means)
    return _choose(sample, smaller, _Ends(*exact), Method.EXACT, seed, draws)


def difference_intervals(
    rows: Sequence[Sequence[float]] | Array,
    strata: Sequence[int],
    pairs: float,
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> list[Interval]:
    """Return the intervals of means of paired differences of shares.

    Where the bootstrap does not cover, what rose and what fell have an exact interval each, put
    together as Zou and Donner do (Statistics in Medicine 27, 2008), with the correlation that rises
    and falls have where a task does one or the other.

    Args:
        rows: For each measure, the difference of each task, from -1 to 1.
        strata: The stratum of each task.
        pairs: How many pairs of episodes the differences are of.
        seed: Of the resamples.
        draws: How many resamples.

    Raises:
        UsageError: there is no task, or not a stratum for each.
    """
    sample = _Sample(rows, strata, None)
    if sample.tasks < 2:
        return [Interval(note=TOO_FEW)] * len(sample.means)
    rises, falls = (
        _Sample(np.maximum(sign * sample.values, 0), strata, None) for sign in (1.0, -1.0)
    )
    rise, fall = rises.means, falls.means
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.where((rise < 1) & (fall < 1), rise * fall / ((1 - rise) * (1 - fall)), 0.0)
    ends = _difference(
        (rise, *_exact(rises, pairs)), (fall, *_exact(falls, pairs)), -np.sqrt(np.minimum(odds, 1))
    )
    moved = np.abs(sample.values).mean(axis=1)
    smaller = sample.tasks * np.minimum(moved, 1 - moved)
    return _choose(sample, smaller, ends, Method.EXACT, seed, draws)


def mean_intervals(
    rows: Sequence[Sequence[float]] | Array,
    strata: Sequence[int],
    *,
    weights: Sequence[float] | None = None,
    bounds: tuple[float, float] = (-inf, inf),
    seed: int = 0,
    draws: int = DRAWS,
) -> list[Interval]:
    """Return the intervals of means of what is no share, such as counts.

    None reaches beyond the `bounds` of what it measures. Other arguments, and errors, are those of
    `share_intervals`.
    """
    sample = _Sample(rows, strata, weights)
    if sample.tasks < 2:
        return [Interval(note=TOO_FEW)] * len(sample.means)
    variances = sample.variances
    reach = stdtrit(sample.freedom, 1 - _TAIL) * np.sqrt(variances / sample.tasks)
    least, most = bounds
    ends = _Ends(np.maximum(sample.means - reach, least), np.minimum(sample.means + reach, most))
    commonest = [Counter(row).most_common(1)[0][1] for row in sample.values.tolist()]
    apart = sample.tasks - np.array(commonest, dtype=float)
    found = _choose(sample, apart, ends, Method.STUDENT, seed, draws)
    return [
        one if variance > _ROUNDING**2 else Interval(note=ALL_ALIKE)
        for one, variance in zip(found, variances, strict=True)
    ]


def exact_interval(passed: int, total: int) -> Interval:
    """Return the Clopper–Pearson interval of the share of independent trials that passed.

    Raises:
        UsageError: more passed than there were, or fewer than none.
    """
    if not 0 <= passed <= total:
        raise UsageError(f"{passed} of {total} is no rate")
    if total < 2:
        return Interval(note="no interval below 2 trials")
    low, high = _clopper_pearson(np.array([passed / total]), np.array([float(total)]))
    return Interval(float(low[0]), float(high[0]), Method.EXACT)


def change_interval(
    before: tuple[float, float, float], after: tuple[float, float, float]
) -> tuple[float, float]:
    """Return the ends of the difference of two independent shares, each with its own ends."""
    low, high = _difference(
        tuple(np.array([one]) for one in after),  # type: ignore[arg-type]
        tuple(np.array([one]) for one in before),  # type: ignore[arg-type]
        np.zeros(1),
    )
    return float(low[0]), float(high[0])


def _choose(
    sample: _Sample, smaller: Array, otherwise: _Ends, method: Method, seed: int, draws: int
) -> list[Interval]:
    """Return the bootstrap's interval where it covers, else the other one.

    `smaller` is what each measure has of tasks' worth of the rarer outcome.
    """
    low, high = otherwise.low.copy(), otherwise.high.copy()
    resampled = np.zeros(len(low), dtype=bool)
    fewest = min(Counter(sample.strata.tolist()).values())
    if fewest * sample.worth >= (FEWEST_TASKS - _ROUNDING) * sample.tasks:
        places = np.flatnonzero(smaller >= FEWEST_WORTH - _ROUNDING)
        ends = _bootstrap(sample, places, seed, draws)
        wide = ends.high - ends.low > _ROUNDING
        resampled[places[wide]] = True
        low[resampled], high[resampled] = ends.low[wide], ends.high[wide]
    return [
        Interval(float(one), float(other), Method.BOOTSTRAP if is_resampled else method)
        for one, other, is_resampled in zip(low, high, resampled, strict=True)
    ]


def _bootstrap(sample: _Sample, places: NDArray[np.intp], seed: int, draws: int) -> _Ends:
    """Return the percentiles of resampled means, of the measures at some places.

    Tails are those of Hesterberg's expanded percentiles (The American Statistician 69, 2015): as
    they stand, percentiles are too narrow by what a sample's spread and normal quantiles lack.
    """
    sums = np.zeros((len(places), draws))
    sizes = np.zeros(draws)
    strata = sorted(set(sample.strata.tolist()))
    for stratum in strata:
        members = np.flatnonzero(sample.strata == stratum)
        weights = sample.weights[members]
        weighted = sample.values[np.ix_(places, members)] * weights
        step = max(1, _MOST_COUNTS // len(members))
        for first in range(0, draws, step):
            block = slice(first, min(first + step, draws))
            counts = _resamples(seed, stratum, len(members), first, block.stop - first)
            sums[:, block] += weighted @ counts
            sizes[block] += weights @ counts
    left = sample.tasks - len(strata)
    reach = sqrt(sample.tasks / left) * stdtrit(left, 1 - _TAIL)
    tail = float(ndtr(-reach))
    low, high = np.quantile(sums / sizes, [tail, 1 - tail], axis=1)
    means = sample.means[places]
    # Rounded sums may miss a constant by the last digit.
    return _Ends(np.minimum(low, means), np.maximum(high, means))


@lru_cache(maxsize=12)
def _resamples(seed: int, stratum: int, size: int, first: int, draws: int) -> Array:
    """Return how often each of `size` tasks is drawn, a column for each resample from `first` on.

    The mean of a resample is then a matrix product; a report asks for the same ones many times.
    """
    rng = derive_array_rng("bootstrap", seed, stratum, first)
    counts = rng.multinomial(size, np.full(size, 1 / size), size=draws)
    return np.ascontiguousarray(counts.T, dtype=float)


def _exact(sample: _Sample, most: float) -> _Ends:
    """Return Clopper–Pearson ends on an effective number of tasks.

    That number is p̂(1−p̂)·N/s², no fewer than the N tasks and no more than the episodes. Since s²
    is itself only estimated it is cut, as Korn and Graubard do (Survey Methodology 24, 1998), by
    the ratio of Student's quantiles; degrees of freedom are the tasks that tell of the spread: of
    those with a pass and those with a failure the fewer.
    """
    values, variances = sample.values, sample.variances
    telling = np.minimum((values > _ROUNDING).sum(axis=1), (values < 1 - _ROUNDING).sum(axis=1))
    freedom = np.clip(telling, 1, sample.freedom)
    most = max(most, sample.tasks)
    cut = (stdtrit(most - 1, 1 - _TAIL) / stdtrit(freedom, 1 - _TAIL)) ** 2
    spread = sample.means * (1 - sample.means)
    is_known = variances > _ROUNDING**2
    found = np.where(is_known, spread * sample.tasks / np.where(is_known, variances, 1), 0) * cut
    return _clopper_pearson(sample.means, np.clip(found, sample.worth, most))


def _clopper_pearson(shares: Array, tasks: Array) -> _Ends:
    """Return the ends as quantiles of Beta, which need no whole numbers."""
    passed = shares * tasks
    failed = tasks - passed
    some_passed, some_failed = passed > _ROUNDING, failed > _ROUNDING
    low = betaincinv(np.where(some_passed, passed, 1), failed + 1, _TAIL)
    high = betaincinv(passed + 1, np.where(some_failed, failed, 1), 1 - _TAIL)
    return _Ends(np.where(some_passed, low, 0.0), np.where(some_failed, high, 1.0))


def _difference(
    first: tuple[Array, Array, Array], second: tuple[Array, Array, Array], correlation: Array
) -> _Ends:
    """Return the ends of a difference of shares from their values and ends (MOVER)."""
    (one, one_low, one_high), (other, other_low, other_high) = first, second

    def reach(up: Array, down: Array) -> Array:
        return np.sqrt(np.maximum(up**2 + down**2 - 2 * correlation * up * down, 0))

    value = one - other
    low = value - reach(one - one_low, other_high - other)
    high = value + reach(one_high - one, other - other_low)
    return _Ends(np.maximum(low, -1), np.minimum(high, 1))
