"""What an offer shows: its typed fields (paper A.5, node types and their properties).

A field becomes a property of constraints, a column of a table, and a value in tools' results. The
engine value is an integer or a string: days are day numbers, clock times minutes, prices cents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from crab_graph.generation.constraints import Value

Minutes = tuple[int, int]
"""The first minute of a day and the one after the last."""

LEVEL = "price level"
"""What decides a price beside fields: a number that no table shows, one of those of its `Price`.

It is drawn for each offer, or for each provider that names it among what its offers share; times
can be drawn for each level as well. No field can be called so.
"""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Field:
    """What every field has. Fields are the same where they are one object.

    Attributes:
        column: Its column, where that has another name.
        shown: Its name in tools' results, where that is another one.
    """

    column: str | None = None
    shown: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Field):
    """One of some values.

    Attributes:
        values: All of one type, integers or strings.
        sample: How many of them the world of one task has, those that its user wants among them; by
            default all. Fields that are the same `Choice` share the draw.
        codes: What else tools understand for a value, such as the code of a place.
        listed_by: The tool that lists the values, to which errors point who gives another one.
        hours: For values that are parts of the day, the minutes within which what is of one begins.
    """

    values: Sequence[Value]
    sample: int | None = None
    codes: Mapping[Any, str] = field(default_factory=dict)
    listed_by: str = ""
    hours: Mapping[Any, Minutes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Several(Field):
    """A set of some values, such as the insurance plans that a practice takes.

    A wish about it names one value, which the set must hold. As an engine value a set is its values
    in order, joined by `, `.
    """

    values: Sequence[str]
    least: int = 1
    most: int = 2

    @property
    def sets(self) -> tuple[str, ...]:
        """All that the field can be."""
        sizes = range(self.least, self.most + 1)
        return tuple(", ".join(one) for size in sizes for one in combinations(self.values, size))

    def holding(self, value: str) -> tuple[str, ...]:
        """Return the sets that hold a value."""
        return tuple(one for one in self.sets if value in one.split(", "))


@dataclass(frozen=True, slots=True, eq=False)
class Day(Field):
    """A day within the task's horizon."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A number that some fields decide: by their values, in the order of `of`."""

    of: Sequence[str]
    amounts: Mapping[tuple[Value, ...], int]


@dataclass(frozen=True, slots=True, eq=False)
class Clock(Field):
    """A minute of the day that other fields decide, drawn from the hours of their values.

    Attributes:
        of: The field that decides it, such as `time_of_day`, or several.
        hours: For each of its values the minute, or first and last minute to draw from, in steps of
            five; of several fields for each combination of values that there is.
        per: Further fields: for each combination of these a time is drawn anew, so that offers
            which share them share the time. Those of different levels of price, where `LEVEL` is
            among them, differ.
        takes: The minutes that what begins then takes: it ends on the same day.
    """

    of: str | Sequence[str]
    hours: Mapping[Any, int | Minutes]
    per: Sequence[str] = ()
    takes: Given | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The fields that decide from which hours it is drawn."""
        return (self.of,) if isinstance(self.of, str) else tuple(self.of)

    def of_value(self, values: tuple[Value, ...]) -> Minutes | None:
        """Return the first minute and the one after the last for values of the sources, if any."""
        found = self.hours.get(values[0] if isinstance(self.of, str) else values)
        return (found, found + 1) if isinstance(found, int) else found


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """A number drawn from `[low, high]` in steps, for each combination of some fields."""

    low: int
    high: int
    step: int = 1
    per: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Later(Field):
    """A day or a minute behind another field of its kind.

    By a field's value, by what other fields decide, or by a span.
    """

    after: str
    by: str | Span | Given


@dataclass(frozen=True, slots=True, eq=False)
class Price(Field):
    """The price of one unit, in cents, whole dimes: levels around a base.

    Its field is called `price`. What has none is free.

    Attributes:
        base: Dollars by the value of the field `by`.
        by: The field that decides the base.
        percent: Percentages by the values of further fields, such as `{"room": {"suite": 190}}`;
            of a day by its weekday, Monday first, such as `{"date": WEEKDAYS}`.
        levels: Lowest and highest level, in percent of the base.
        season: Percentages from which one is drawn for a task.
        steps: How many levels there are, evenly spaced.
    """

    base: Mapping[Any, int]
    by: str
    percent: Mapping[str, Mapping[Any, int] | Sequence[int]] = field(default_factory=dict)
    levels: tuple[int, int] = (70, 180)
    season: tuple[int, int] = (90, 111)
    steps: int = 12


@dataclass(frozen=True, slots=True, eq=False)
class Stock(Field):
    """How many units are left of an offer; bookings take from it. No part of what an offer is.

    Its column is `available`.
    """

    values: Sequence[int]


@dataclass(frozen=True, slots=True, eq=False)
class Capacity(Field):
    """How many people an offer is for that is booked whole, or how many units one booking holds."""

    values: Sequence[int]


def root(fields: Mapping[str, Field], name: str) -> Field:
    """Return the field that another one lies behind, in any number of steps, or else itself."""
    found = fields[name]
    return root(fields, found.after) if isinstance(found, Later) else found
