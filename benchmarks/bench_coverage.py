"""How often 95 % intervals hold the truth, simulated: of rates, and of paired differences.

Tasks come in four strata. Each has a chance of its own to pass, drawn from a Beta distribution with
the wanted mean: at likeness 0 all tasks are equally hard, at 1 every task always passes or always
fails. A pair has the same task, and with it the same kind of chance, under two conditions.
`docs/statistics.md` holds the figures of the whole grid, which this prints when run by itself; it
takes minutes, `--quick` half of one.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.eval.intervals import Interval, difference_intervals, share_intervals

STRATA = 4
TASKS = (1, 2, 5, 15, 50)
"""Tasks a stratum."""
TRIALS = (1, 4)
RATES = tuple(np.round(np.arange(0.05, 0.951, 0.05), 2).tolist())
REPEATS = 2500
DRAWS = 1500
TARGET = 0.93

Array = NDArray[np.float64]


class Grid(NamedTuple):
    """What is simulated at each size and number of trials."""

    rates: Sequence[float] = RATES
    compared: Sequence[float] = RATES[::3]
    """Rates of the first of two conditions."""
    changes: Sequence[float] = (0.0, 0.03, -0.03, 0.1, -0.1, -0.3, -0.7)
    likeness: Sequence[float] = (0.0, 0.2, 0.5, 1.0)
    sizes: Sequence[int] = TASKS


QUICK = Grid(RATES[::3], RATES[::3], (0.0, -0.1), (0.0, 0.5))


class Cell(NamedTuple):
    """One place of the grid, and how often the interval held the truth there."""

    tasks: int
    trials: int
    likeness: float
    rate: float
    change: float | None
    covered: float
    width: float


def chances(
    rng: np.random.Generator, rate: float, likeness: float, shape: tuple[int, int]
) -> Array:
    """Return the chance of each task to pass."""
    if likeness == 0:
        return np.full(shape, rate)
    if likeness == 1:
        return (rng.random(shape) < rate).astype(float)
    weight = (1 - likeness) / likeness
    return rng.beta(rate * weight, (1 - rate) * weight, shape)


def cover_rates(
    tasks: int, trials: int, likeness: float, rate: float, repeats: int, draws: int
) -> Cell:
    """Simulate the interval of a rate."""
    rng = np.random.default_rng([tasks, trials, round(100 * likeness), round(100 * rate)])
    shape = (repeats, STRATA * tasks)
    passed = rng.binomial(trials, chances(rng, rate, likeness, shape)) / trials

    intervals = share_intervals(passed, _strata(tasks), trials * shape[1], draws=draws)
    return Cell(tasks, trials, likeness, rate, None, *_held(intervals, rate))


def cover_changes(
    tasks: int, trials: int, likeness: float, rate: float, change: float, repeats: int, draws: int
) -> Cell:
    """Simulate the interval of a paired difference; the same tasks stay the harder ones."""
    key = [tasks, trials, round(100 * likeness), round(100 * rate), round(100 * (change + 1))]
    rng = np.random.default_rng(key)
    shape = (repeats, STRATA * tasks)
    before = chances(rng, rate, likeness, shape)
    if change <= 0:
        after = before * (rate + change) / rate
    else:
        after = 1 - (1 - before) * (1 - rate - change) / (1 - rate)
    rows = (rng.binomial(trials, after) - rng.binomial(trials, before)) / trials

    intervals = difference_intervals(rows, _strata(tasks), trials * shape[1], draws=draws)
    return Cell(tasks, trials, likeness, rate, change, *_held(intervals, change))


def rate_cells(grid: Grid, repeats: int = REPEATS, draws: int = DRAWS) -> Iterator[Cell]:
    """Simulate the interval of a rate at every place of a grid."""
    for tasks, trials, likeness, rate in product(grid.sizes, TRIALS, grid.likeness, grid.rates):
        if trials > 1 or likeness == 0:  # with one trial it is all the same
            yield cover_rates(tasks, trials, likeness, rate, repeats, draws)


def change_cells(grid: Grid, repeats: int = REPEATS, draws: int = DRAWS) -> Iterator[Cell]:
    """Simulate the interval of a paired difference at every place of a grid."""
    for tasks, trials, likeness, rate, change in product(
        grid.sizes,
        TRIALS,
        grid.likeness,
        grid.compared,
        grid.changes,
    ):
        if 0 < rate + change < 1:
            yield cover_changes(tasks, trials, likeness, rate, change, repeats, draws)


def _strata(tasks: int) -> list[int]:
    return [stratum for stratum in range(1, STRATA + 1) for _ in range(tasks)]


def _held(intervals: Sequence[Interval], truth: float) -> tuple[float, float]:
    """Return how often the truth was held, and the mean width."""
    low, high = np.array([one.ends for one in intervals]).T
    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    return float(held.mean()), float((high - low).mean())


def _worst(cells: Sequence[Cell]) -> list[tuple[str, Cell, float]]:
    found = []
    for tasks, trials in product(TASKS, TRIALS):
        own = [one for one in cells if (one.tasks, one.trials) == (tasks, trials)]
        mean = sum(one.covered for one in own) / len(own)
        found.append(
            (f"{tasks:2} x 4 tasks, {trials} trials", min(own, key=lambda one: one.covered), mean)
        )
    return found


def main(grid: Grid = QUICK) -> list[tuple[str, str, str]]:
    """Return the least coverage by tasks a stratum and trials."""
    rows = []
    for what, cells in (("rates", rate_cells), ("differences", change_cells)):
        for where, worst, mean in _worst(list(cells(grid))):
            change = "" if worst.change is None else f" {worst.change:+.2f}"
            measured = (
                f"{100 * worst.covered:.1f} % (mean {100 * mean:.1f} %; "
                f"at {worst.rate:.2f}{change}, likeness {worst.likeness:g})"
            )
            rows.append((f"95 % intervals of {what}: least coverage, {where}", measured, "≥ 93 %"))
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a part of the grid")
    for line in main(QUICK if parser.parse_args().quick else Grid()):
        print(" | ".join(line))
