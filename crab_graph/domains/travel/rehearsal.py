"""A trip as it is rehearsed: what to book for a solution, and the same with one thing changed.

The audit books certified solutions and minimal changes of them (verification rulebook §13).
"""

from dataclasses import dataclass, replace
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.kind import Kind
from crab_graph.domains.task import SolutionIds, Task
from crab_graph.domains.travel.offers import HOTEL, kinds_of_slots
from crab_graph.domains.travel.request import WISHES
from crab_graph.tools.tables import Row

_TOOLS = {
    "flight": "book_flight_with_seats",
    "hotel": "book_hotel_with_rooms",
    "attraction": "book_attraction",
}
_ORDINALS = ("Prime", "Second", "Third", "Fourth", "Fifth")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to book for a party of names and birth dates, over a stay from day to day.

    Its offer is the entity itself where it is sold as it stands; the surcharge is in cents, beyond
    the price; it is new where its rows differ from the task's.
    """

    slot: str
    kind: Kind
    entity: Row
    offer: Row
    customer_id: str
    party: tuple[tuple[str, str], ...]
    stay: tuple[str, str] | None = None
    surcharge: int = 0
    is_new: bool = False

    @property
    def entity_id(self) -> str:
        """Id of what is booked."""
        return str(self.entity[self.kind.entity.key])

    @property
    def name(self) -> str | None:
        """Name of what is booked, where it has one."""
        return self.entity.get("name")

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
        return _TOOLS[self.kind.name]

    @property
    def arguments(self) -> dict[str, Any]:
        """What the tool is called with."""
        booked = {"customer_id": self.customer_id, self.kind.entity.key: self.entity_id}
        if self.kind.people is not None:
            seat = {self.kind.offer.key: self.offer[self.kind.offer.key]}
            people = [dict(zip(self.kind.people, one, strict=True)) for one in self.party]
            return {**booked, "seats": [seat | person for person in people]}
        if self.stay is None:
            return {**booked, "tickets": len(self.party)}
        stay = dict(zip(("check_in", "check_out"), self.stay, strict=True))
        return {**booked, "room_ids": [self.offer["room_id"]], **stay, "guests": len(self.party)}

    def rows(self) -> list[tuple[str, str, Row]]:
        """Return its rows with table and key."""
        entity, offer = self.kind.entity, self.kind.offer
        found = [(entity.name, self.entity_id, self.entity)]
        if offer is not entity:
            found.append((offer.name, str(self.offer[offer.key]), self.offer))
        return found

    def changed(self, **columns: Any) -> "Item":
        """Return it with other values in its own rows, wherever the column stands."""
        entity = self.entity | {k: v for k, v in columns.items() if k in self.entity}
        offer = self.offer | {k: v for k, v in columns.items() if k in self.offer}
        return replace(self, entity=entity, offer=offer, is_new=True)

    def copied(self, number: int, **columns: Any) -> "Item":
        """Return a new offer that differs in some columns, and in its ids and name."""
        keys = dict.fromkeys((self.kind.entity.key, self.kind.offer.key))
        fresh = {
            key: f"{prefix}-99{number:05d}"
            for key, (prefix, _) in zip(keys, self.kind.prefixes, strict=True)
        }
        if self.name is not None:
            fresh["name"] = f"Quillon Vantry {_ORDINALS[number % len(_ORDINALS)]}"
        return self.changed(**{**fresh, **columns})

    def shifted(self, days: int, number: int) -> "Item":
        """Return a new offer of which every date lies some days later."""

        def later(day: str) -> str:
            return iso_date(day_number(day) + days)

        types = {**self.kind.entity.columns, **self.kind.offer.columns}
        row = {**self.entity, **self.offer}
        dates = {name: later(day) for name, day in row.items() if types.get(name) == "DATE"}
        stay = self.stay and (later(self.stay[0]), later(self.stay[1]))
        return replace(self.copied(number, **dates), stay=stay)


def items_of(task: Task, solution: SolutionIds) -> tuple[Item, ...]:
    """Return what a solution books, in the order of the slots."""
    tables = task.world.tables
    party = tuple((one.name, one.date_of_birth) for one in task.profile.travellers)
    items = []
    for slot, kind in kinds_of_slots().items():
        ids = solution[slot]
        entity, offer = (tables[own.name][ids[own.key]] for own in (kind.entity, kind.offer))
        stay = (ids["check_in"], ids["check_out"]) if slot == HOTEL else None
        items.append(Item(slot, kind, entity, offer, task.customer_id, party, stay))
    return tuple(items)


_OTHER = {
    "time_of_day": ("morning", "night"),
    "seat_type": ("business", "economy"),
    "seat_position": ("window", "aisle"),
    "room_type": ("suite", "standard"),
    "bed_type": ("king", "queen"),
    "category": ("show", "museum"),
}
"""Values of each column; the second stands where the first is the one that is wished."""


def unwished(task: Task, item: Item, number: int) -> Item | None:
    """Return an offer that breaks one wish about its own slot; `None` where there is none."""
    for name, wish in WISHES.items():
        value = getattr(task.request, name)
        if value is None or item.slot not in wish.slots:
            continue
        if isinstance(value, int):
            return item.copied(number, **{wish.name: value - 1})
        if wish.name in _OTHER:
            other = next(one for one in _OTHER[wish.name] if one != value)
            return item.copied(number, **{wish.name: other})
    return None
