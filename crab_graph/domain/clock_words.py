"""What words for times of the day mean in clock hours: said where agents read or give them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crab_graph.dates import clock_time
from crab_graph.domain.declaration import Offer
from crab_graph.domain.english import joined
from crab_graph.domain.fields import Choice, Clock, Given, Later
from crab_graph.generation.constraints import Value


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

    Where parts of the day are declared, these are their hours; elsewhere those between the first
    and the last time that a value decides, such as beginning and end.
    """
    for of, choice in offer.fields.items():
        if not isinstance(choice, Choice) or only not in (None, of):
            continue
        clocks = {
            field.shown or name: field
            for name, field in offer.fields.items()
            if isinstance(field, Clock)
            and of in field.sources
            and (choice.hours or len(field.sources) == 1)
        }
        if clocks:
            begins = {value: f"{value} {_said(*hours)}" for value, hours in choice.hours.items()}
            verb = " takes" if begins else ""
            words = (
                begins.get(value) or f"{value}{verb} {_said(*_reach(offer, of, value))}"
                for value in choice.values
            )
            text = ", ".join(words)
            yield ClockWords(of, joined([f"`{name}`" for name in clocks]), text)


def _reach(offer: Offer, of: str, value: Value) -> tuple[int, int]:
    """Return the first minute that a value decides, and the one after the last."""
    minutes: list[int] = []
    for name, field in offer.fields.items():
        if isinstance(field, Clock) and of in field.sources:
            spans = _spans(field, of, value)
            amounts = [0, *_amounts(offer, name, of, value)]
            minutes += [first + min(amounts) for first, _ in spans]
            minutes += [end + max(amounts) for _, end in spans]
    return min(minutes), max(minutes)


def _spans(clock: Clock, of: str, value: Value) -> list[tuple[int, int]]:
    if clock.sources == (of,):
        found = [clock.of_value((value,))]
    else:
        place = clock.sources.index(of)
        found = [clock.of_value(key) for key in clock.hours if key[place] == value]
    return [one for one in found if one is not None]


def _amounts(offer: Offer, after: str, of: str, value: Value) -> Sequence[int]:
    """Return by how much what a value decides as well lies behind a time."""
    return [
        amount
        for field in offer.fields.values()
        if isinstance(field, Later) and field.after == after
        if isinstance(given := field.by, Given) and of in given.of
        for key, amount in given.amounts.items()
        if key[given.of.index(of)] == value
    ]


def _said(first: int, end: int) -> str:
    return clock_time(first) if end - first == 1 else f"{clock_time(first)}-{clock_time(end - 1)}"
