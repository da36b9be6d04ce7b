"""Whether conditions took: what users did beside what they were set to do, and people (§3.3).

A gate holds where what was measured lies where the condition lets it be expected. Where that is a
rate at which things are drawn, its 95 % interval has to reach there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, isfinite
from operator import mul
from typing import Any

from crab_graph.analysis.fidelity.conduct import CASES, Band, Case
from crab_graph.analysis.fidelity.heard_turns import Lived
from crab_graph.analysis.fidelity.published import Figure, figures
from crab_graph.analysis.fidelity.turn_rates import Measured
from crab_graph.eval.intervals import (
    COUNT_BOUNDS,
    exact_interval,
    mean_intervals,
    share_intervals,
)

_ROUNDING = 1e-9
_SURE_TO_SHOW = 3
"""Cases expected at the least, of which one at least has to show."""
_MOST_BREACHES = 0.02
"""The share of cases that may lie outside where each is to lie inside."""


class GateState(StrEnum):
    """Whether a condition took; it is untested where there was no occasion, or nothing was set."""

    HELD = "held"
    FAILED = "failed"
    UNTESTED = "untested"


@dataclass(frozen=True, slots=True)
class ManipulationCheck:
    """One figure of the users of one engine and condition.

    Attributes:
        cases: On how many occasions it was measured, in how many tasks.
        measured: The mean over the cases, with its interval; `None` without any.
        set_to: The values of the fields that set it, by name, of all users in the group.
        band: Where the mean is expected to lie, its ends averaged over the cases.
        breaches: The share of cases outside their own band, where each should lie in it.
    """

    engine: str
    condition: str
    figure: Figure
    cases: int
    tasks: int
    measured: Measured | None
    set_to: Mapping[str, tuple[Any, ...]]
    band: Band | None
    breaches: float

    @property
    def gate(self) -> GateState:
        """Whether the condition took."""
        if self.measured is None or self.band is None:
            return GateState.UNTESTED
        value, low, high = self.measured.value, self.band.low - _ROUNDING, self.band.high
        if self.band.is_of_each:
            return GateState.HELD if self.breaches <= _MOST_BREACHES else GateState.FAILED
        least, most = value, value
        is_absent = value == 0 and self.band.low * self.cases >= _SURE_TO_SHOW
        if self.figure.is_share and value == 1:
            is_absent = (1 - self.band.high) * self.cases >= _SURE_TO_SHOW
        if self.band.is_drawn and not is_absent:
            # Of one task alone the draws of its episodes have to do.
            own = exact_interval(round(value * self.cases), self.cases)
            least, most = self.measured.interval.ends or own.ends or (-inf, inf)
        return GateState.HELD if least <= high + _ROUNDING and low <= most else GateState.FAILED

    def as_json(self) -> dict[str, Any]:
        """Return the check as `fidelity --json` prints it."""
        people, band = self.figure.people, self.band
        return {
            "engine": self.engine,
            "condition": self.condition,
            "figure": self.figure.key,
            "about": self.figure.about,
            "cases": self.cases,
            "tasks": self.tasks,
            "measured": None if self.measured is None else self.measured.as_json(),
            "set": {name: list(values) for name, values in self.set_to.items()},
            "people": None if people is None else people._asdict(),
            "expected": None
            if band is None
            else {
                "low": band.low,
                "high": band.high if isfinite(band.high) else None,
                "is_drawn": band.is_drawn,
                "is_of_each": band.is_of_each,
            },
            "breaches": self.breaches,
            "gate": str(self.gate),
        }


def check_manipulations(episodes: Iterable[Lived]) -> list[ManipulationCheck]:
    """Return the checks of each engine and condition, in order of appearance and of the figures."""
    groups: dict[tuple[str, str], list[Lived]] = {}
    for lived in episodes:
        key = lived.record.user_engine, lived.record.condition
        groups.setdefault(key, []).append(lived)
    return [
        _check(engine, condition, figure, group)
        for (engine, condition), group in groups.items()
        for figure in figures().values()
    ]


def _check(
    engine: str, condition: str, figure: Figure, group: Sequence[Lived]
) -> ManipulationCheck:
    by_task: dict[str, list[Case]] = {}
    strata: dict[str, int] = {}
    for lived in group:
        found = list(CASES[figure.key](lived))
        if found:
            by_task.setdefault(lived.task.id, []).extend(found)
            strata[lived.task.id] = lived.record.stratum
    every = [case for cases in by_task.values() for case in cases]
    return ManipulationCheck(
        engine,
        condition,
        figure,
        len(every),
        len(by_task),
        _measure(figure, list(by_task.values()), list(strata.values())),
        dict(_set_values(figure, group)),
        _expected(every),
        sum(map(_is_breach, every)) / len(every) if every else 0.0,
    )


def _measure(
    figure: Figure, by_task: Sequence[Sequence[Case]], strata: Sequence[int]
) -> Measured | None:
    """Return the mean over all cases, each counting alike, with its interval over tasks."""
    if not by_task:
        return None
    weights = [len(cases) for cases in by_task]
    means = [sum(case.value for case in cases) / len(cases) for cases in by_task]
    value = sum(map(mul, means, weights)) / sum(weights)
    if figure.is_share:
        (interval,) = share_intervals([means], strata, sum(weights), weights=weights)
    else:
        (interval,) = mean_intervals([means], strata, weights=weights, bounds=COUNT_BOUNDS)
    return Measured(value, interval)


def _set_values(figure: Figure, group: Iterable[Lived]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    behaviors = dict.fromkeys(one.behavior for one in group if one.behavior is not None)
    for name in figure.fields if behaviors else ():
        yield name, tuple(dict.fromkeys(getattr(one, name) for one in behaviors))


def _expected(cases: Sequence[Case]) -> Band | None:
    bands = [case.band for case in cases if case.band is not None]
    if not bands or len(bands) < len(cases):
        return None
    return Band(
        sum(one.low for one in bands) / len(bands),
        sum(one.high for one in bands) / len(bands),
        is_drawn=any(one.is_drawn for one in bands),
        is_of_each=any(one.is_of_each for one in bands),
    )


def _is_breach(case: Case) -> bool:
    band = case.band
    return band is not None and band.is_of_each and not band.low <= case.value <= band.high
