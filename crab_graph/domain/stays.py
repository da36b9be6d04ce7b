"""Offers that are held by the day: which days are meant, and what is free on all of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from crab_graph.dates import day_number
from crab_graph.domain.declaration import Stay
from crab_graph.domain.derived_arguments import Argument
from crab_graph.domain.showing import OfferView
from crab_graph.errors import ToolCallError
from crab_graph.tools.arguments import IsoDate, shown
from crab_graph.tools.bookings import BookingStatus
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.registry import ErrorCode
from crab_graph.tools.tables import Row


class Days(NamedTuple):
    """The first day of a stay, and the one after its last."""

    first: str
    last: str


@dataclass(frozen=True)
class Calendar:
    """When offers of one kind can be had, and for how many people."""

    view: OfferView
    stay: Stay

    @property
    def units(self) -> str:
        """Key of results for how many days it is."""
        return f"{self.view.offer.unit.replace(' ', '_')}s"

    def arguments(self, *, is_needed: bool) -> tuple[Argument, ...]:
        """Return the arguments that say the days."""
        unit = self.view.offer.unit
        return (
            Argument(self.stay.first, IsoDate, f"First {unit}, YYYY-MM-DD.", is_needed),
            Argument(self.stay.last, IsoDate, f"Day after the last {unit}, YYYY-MM-DD.", is_needed),
        )

    def filters(self) -> Iterator[Argument]:
        """Yield the argument that says for how many people it must be, where that is asked for."""
        if self.view.people is not None:
            text = f"Only {self.view.kind.offer.name} for at least so many people."
            yield Argument(self.view.people, int, text, is_needed=False)

    def count(self, days: Days) -> int:
        """Return how many units a stay is.

        Raises:
            ToolCallError: it ends before it begins.
        """
        units = day_number(days.last) - day_number(days.first)
        if units < 1:
            first, last = self.stay.first, self.stay.last
            text = f"{last} {days.last} must be after {first} {days.first}"
            raise ToolCallError(ErrorCode.WRONG_DATES, text)
        return units

    def check_people(self, people: int) -> None:
        """See that a stay is for anybody.

        Raises:
            ToolCallError: it is not.
        """
        if people < 1:
            text = f"argument '{self.view.people}' must be at least 1"
            raise ToolCallError(ErrorCode.WRONG_PARTY, text)

    def free(
        self, tables: BookingTables, rows: Iterable[Row], days: Days | None, people: int | None
    ) -> list[Row]:
        """Return the offers that are free on every day, and for so many people.

        Raises:
            ToolCallError: days or number of people are not possible.
        """
        if people is not None:
            self.check_people(people)
        places = self.view.kind.places
        found = [row for row in rows if places is None or row[places] >= (people or 1)]
        if days is None:
            return found
        self.count(days)
        held, key = self.held(tables, days), self.view.kind.offer.key
        (first, last), (opens, closes) = days, self._open
        return [
            row
            for row in found
            if row[opens] <= first and last <= row[closes] and row[key] not in held
        ]

    @cached_property
    def _open(self) -> tuple[str, str]:
        """The columns that say from when until when an offer can be had."""
        return self.view.columns[self.stay.opens], self.view.columns[self.stay.closes]

    def held(self, tables: BookingTables, days: Days, changed: str | None = None) -> set[str]:
        """Return the offers that an active booking has on one of the days.

        The booking that is to be changed, if one is, is no obstacle to itself.
        """
        kind, (first, last) = self.view.kind, (self.stay.first, self.stay.last)
        return {
            item[kind.offer.key]
            for item in tables.rows(kind.items)
            if item[first] < days.last
            and days.first < item[last]
            and item["booking_id"] != changed
            and (booking := tables.get("bookings", item["booking_id"])) is not None
            and booking["status"] != BookingStatus.CANCELLED
        }

    def require(self, row: Row, days: Days, held: set[str]) -> None:
        """See that an offer is free on all days; `held` are those that are booked on some.

        Raises:
            ToolCallError: it is not.
        """
        noun, key = self.view.noun, row[self.view.kind.offer.key]
        opens, closes = (row[column] for column in self._open)
        if days.first < opens or closes < days.last:
            text = (
                f"{noun} {shown(key)} is available from {opens} until {closes}, not from"
                f" {days.first} until {days.last}; choose other dates or another {noun}"
            )
            raise ToolCallError(ErrorCode.WRONG_DATES, text)
        if key in held:
            unit = self.view.offer.unit
            text = f"{noun} {shown(key)} is booked on some of these {unit}s; choose another {noun}"
            raise ToolCallError(ErrorCode.SOLD_OUT, text)
