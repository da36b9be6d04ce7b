"""What words for times of the day mean in clock hours: said where agents read or give them."""

from collections.abc import Iterator
from typing import NamedTuple

from crab_graph.dates import clock_time
from crab_graph.domain.declaration import Offer
from crab_graph.domain.english import joined
from crab_graph.domain.fields import Clock


class ClockWords(NamedTuple):
    """The values of a field that stand for hours.

    Attributes:
        field: Such as `time_of_day`.
        shown: What they are the hours of, as results call it.
        text: Each value with its first and last time.
    """

    field: str
    shown: str
    text: str


def clock_words(offer: Offer, only: str | None = None) -> Iterator[ClockWords]:
    """Yield the fields of an offer, or one, whose values decide times of the day.

    Where one decides several times, such as beginning and end, its hours reach over all of them.
    """
    clocks: dict[str, dict[str, Clock]] = {}
    for name, field in offer.fields.items():
        if isinstance(field, Clock) and only in (None, field.of):
            clocks.setdefault(field.of, {})[field.shown or name] = field
    for of, fields in clocks.items():
        values = list(dict.fromkeys(value for one in fields.values() for value in one.hours))
        text = ", ".join(f"{value} {_reach(list(fields.values()), value)}" for value in values)
        yield ClockWords(of, joined([f"`{name}`" for name in fields]), text)


def _reach(clocks: list[Clock], value: str) -> str:
    minutes: list[int] = []
    for hours in (one.hours[value] for one in clocks if value in one.hours):
        minutes += [hours] if isinstance(hours, int) else hours
    first, last = clock_time(min(minutes)), clock_time(max(minutes))
    return first if first == last else f"{first}-{last}"
