"""Intervals for rates of a few independent trials, and for how much two of them differ."""

import math
from typing import NamedTuple

_Z = 1.959963984540054  # the 97.5th percentile of the standard normal distribution


class Rate(NamedTuple):
    """A share of trials.

    Attributes:
        passed: How many passed.
        n: Of how many.
        low: Lower end of the 95 % interval.
        high: Upper end.
    """

    passed: int
    n: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share itself; one half of nothing where nothing was tried."""
        return self.passed / self.n if self.n else 0.5


class Change(NamedTuple):
    """The difference of two shares, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves no room for no difference."""
        return self.low > 0 or self.high < 0


def wilson_rate(passed: int, n: int) -> Rate:
    """Return a share with Wilson's score interval (Wilson 1927); without trials it is [0, 1]."""
    if not n:
        return Rate(0, 0, 0.0, 1.0)
    share = passed / n
    spread = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    scale = 1 + _Z**2 / n
    middle = share + _Z**2 / (2 * n)
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return Rate(passed, n, 0.0 if passed == 0 else low, 1.0 if passed == n else high)


def certain_rate(is_passed: bool) -> Rate:
    """Return what is known to have happened."""
    return Rate(int(is_passed), 1, float(is_passed), float(is_passed))


def change(before: Rate, after: Rate) -> Change:
    """Return by how much a share changed, with Newcombe's interval (1998, method 10)."""
    value = after.value - before.value
    down = math.hypot(after.value - after.low, before.high - before.value)
    up = math.hypot(after.high - after.value, before.value - before.low)
    return Change(value, max(-1.0, value - down), min(1.0, value + up))
