"""A trip as it is rehearsed: what to book for a solution, and the same with one thing changed.

The audit books certified solutions and minimal changes of them (verification rulebook §13).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domains.kind import Kind
from crab_graph.domains.task import SolutionIds, Task
from crab_graph.domains.travel.offers import (
    ATTRACTION,
    HOTEL,
    OUTBOUND,
    RETURN,
    SLOTS,
    kinds_of_slots,
)
from crab_graph.tools.tables import Row

_TABLES = {OUTBOUND: "flights", RETURN: "flights", HOTEL: "hotels", ATTRACTION: "attractions"}
_KEYS = {"flights": "flight_id", "hotels": "hotel_id", "attractions": "attraction_id"}
_OFFERS = {"flights": ("fares", "fare_id"), "hotels": ("rooms", "room_id")}
_PREFIXES = {"flights": ("FL", "FA"), "hotels": ("HT", "RM"), "attractions": ("AT", "AT")}
_TOOLS = {
    "flights": "book_flight_with_seats",
    "hotels": "book_hotel_with_rooms",
    "attractions": "book_attraction",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to book.

    Attributes:
        slot: The slot it fills.
        entity: Row of the flight, hotel or attraction.
        offer: Row of the fare or room; the entity itself where it is sold as it stands.
        customer_id: Who books.
        party: Names and birth dates of those it is booked for.
        stay: Days of arrival and departure, for a room.
        surcharge: Cents asked for beyond the price.
        is_new: Whether its rows differ from the task's.
    """

    slot: str
    entity: Row
    offer: Row
    customer_id: str
    party: tuple[tuple[str, str], ...]
    stay: tuple[str, str] | None = None
    surcharge: int = 0
    is_new: bool = False

    @property
    def table(self) -> str:
        """Table of the entity."""
        return _TABLES[self.slot]

    @property
    def entity_id(self) -> str:
        """Id of what is booked."""
        return str(self.entity[_KEYS[self.table]])

    @property
    def name(self) -> str | None:
        """Name of what is booked, where it has one."""
        return self.entity.get("name")

    @property
    def kind(self) -> Kind:
        """The kind of its booking."""
        return kinds_of_slots()[self.slot]

    @property
    def units(self) -> int:
        """How many are booked."""
        if self.stay is None:
            return len(self.party)
        return day_number(self.stay[1]) - day_number(self.stay[0])

    @property
    def unit_cents(self) -> int:
        """Price of one unit."""
        return int(self.offer["price_cents"])

    @property
    def cents(self) -> int:
        """What is asked for all."""
        return int(self.kind.price(self.unit_cents, self.units)) + self.surcharge

    @property
    def tool(self) -> str:
        """The tool that books it."""
        return _TOOLS[self.table]

    @property
    def arguments(self) -> dict[str, Any]:
        """What the tool is called with."""
        who = {"customer_id": self.customer_id}
        if self.table == "flights":
            seats = [
                {
                    "fare_id": self.offer["fare_id"],
                    "passenger_name": name,
                    "date_of_birth": born,
                }
                for name, born in self.party
            ]
            return {**who, "flight_id": self.entity_id, "seats": seats}
        if self.stay is None:
            return {**who, "attraction_id": self.entity_id, "tickets": len(self.party)}
        return {
            **who,
            "hotel_id": self.entity_id,
            "room_ids": [self.offer["room_id"]],
            "check_in": self.stay[0],
            "check_out": self.stay[1],
            "guests": len(self.party),
        }

    def rows(self) -> list[tuple[str, str, Row]]:
        """Return its rows with table and key."""
        found = [(self.table, self.entity_id, self.entity)]
        if self.table in _OFFERS:
            table, key = _OFFERS[self.table]
            found.append((table, str(self.offer[key]), self.offer))
        return found

    def changed(self, **columns: Any) -> "Item":
        """Return it with other values in its own rows, wherever the column stands."""
        entity = self.entity | {k: v for k, v in columns.items() if k in self.entity}
        offer = self.offer | {k: v for k, v in columns.items() if k in self.offer}
        return replace(self, entity=entity, offer=offer, is_new=True)

    def copied(self, number: int, **columns: Any) -> "Item":
        """Return a new offer that differs in some columns, and in its ids and name."""
        entity_prefix, offer_prefix = _PREFIXES[self.table]
        fresh = {_KEYS[self.table]: f"{entity_prefix}-99{number:05d}"}
        if self.table in _OFFERS:
            fresh[_OFFERS[self.table][1]] = f"{offer_prefix}-99{number:05d}"
        if self.name is not None:
            fresh["name"] = f"Quillon Vantry {_ORDINALS[number % len(_ORDINALS)]}"
        return self.changed(**{**fresh, **columns})

    def shifted(self, days: int, number: int) -> "Item":
        """Return a new offer of which every date lies some days later."""
        dates = {
            column: _later(value, days)
            for row in (self.entity, self.offer)
            for column, value in row.items()
            if column in _DATES
        }
        stay = (
            None if self.stay is None else (_later(self.stay[0], days), _later(self.stay[1], days))
        )
        return replace(self.copied(number, **dates), stay=stay)


_ORDINALS = ("Prime", "Second", "Third", "Fourth", "Fifth")
_DATES = ("departure_date", "date", "available_from", "available_until")


def _later(day: str, days: int) -> str:
    return iso_date(day_number(day) + days)


def items_of(task: Task, solution: SolutionIds) -> tuple[Item, ...]:
    """Return what a solution books, in the order of the slots."""
    tables = task.world.tables
    party = tuple((one.name, one.date_of_birth) for one in task.profile.travellers)
    items = []
    for slot in SLOTS:
        ids, table = solution[slot], _TABLES[slot]
        entity = tables[table][ids[_KEYS[table]]]
        offer = entity
        if table in _OFFERS:
            offer_table, key = _OFFERS[table]
            offer = tables[offer_table][ids[key]]
        stay = (ids["check_in"], ids["check_out"]) if slot == HOTEL else None
        items.append(Item(slot, entity, offer, task.customer_id, party, stay))
    return tuple(items)


def unwished(task: Task, item: Item, number: int) -> Item | None:
    """Return an offer that breaks one wish about its own slot; `None` where there is none."""
    request = task.request
    wishes: Mapping[str, tuple[tuple[str, Any], ...]] = {
        OUTBOUND: (("time_of_day", request.outbound_time_of_day), *_seats(request)),
        RETURN: (("time_of_day", request.return_time_of_day), *_seats(request)),
        HOTEL: (
            ("stars", request.hotel_stars),
            ("room_type", request.room_type),
            ("bed_type", request.bed_type),
        ),
        ATTRACTION: (
            ("category", request.attraction_category),
            ("time_of_day", request.attraction_time_of_day),
        ),
    }
    for column, value in wishes[item.slot]:
        if value is not None:
            other = value - 1 if isinstance(value, int) else _OTHER[column, value == "morning"]
            if other == value:
                other = _OTHER[column, True]
            return item.copied(number, **{column: other})
    return None


def _seats(request: Any) -> tuple[tuple[str, Any], ...]:
    return (("seat_type", request.seat_type), ("seat_position", request.seat_position))


_OTHER = {
    ("time_of_day", True): "night",
    ("time_of_day", False): "morning",
    ("seat_type", True): "economy",
    ("seat_type", False): "business",
    ("seat_position", True): "aisle",
    ("seat_position", False): "window",
    ("room_type", True): "standard",
    ("room_type", False): "suite",
    ("bed_type", True): "queen",
    ("bed_type", False): "king",
    ("category", True): "museum",
    ("category", False): "show",
}
"""Another value of each column; the second where the first is the one that is wished."""
