"""A job as it is rehearsed: what to book for a solution, and the same with one thing changed.

The audit books certified solutions and minimal changes of them (verification rulebook §13). All of
it follows from a domain's kinds, slots and tables.
"""

from dataclasses import dataclass, replace
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.kind import BookingTerms, Kind, KindTools, SearchStep
from crab_graph.domain.verification import SlotBooking, booking_values
from crab_graph.domains.task import SolutionIds, Task
from crab_graph.errors import UsageError
from crab_graph.eval.reading import read_task
from crab_graph.generation.constraints import Ref, Value
from crab_graph.tools.tables import Row

People = tuple[tuple[str, str], ...]
Days = tuple[str, str]

_NUMBERED = ("Prime", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to book in a slot: an offer, for whom, how much of it and, by the day, when.

    Its offer is the entity itself where it is sold as it stands; the surcharge is in cents, beyond
    the price; it is new where its rows differ from the task's. People are names and birth dates.
    """

    slot: TaskSlot
    kind: Kind
    entity: Row
    offer: Row
    customer_id: str
    count: int
    people: People
    party: int
    days: Days | None = None
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
        if self.days is None:
            return self.count
        return day_number(self.days[1]) - day_number(self.days[0])

    @property
    def is_free(self) -> bool:
        """Whether it has no price, so that nothing is said of one, approved or charged."""
        return self.kind.is_free

    @property
    def unit_cents(self) -> int:
        """Price of one unit."""
        return int(self.offer.get("price_cents", 0))

    @property
    def cents(self) -> int:
        """What is asked for all."""
        if self.is_free:
            return 0
        return int(self.kind.price(self.unit_cents, self.units)) + self.surcharge

    @property
    def tools(self) -> KindTools:
        """How it is found, booked and cancelled.

        Raises:
            UsageError: the domain does not say.
        """
        if self.kind.tools is None:
            raise UsageError(f"kind '{self.kind.name}' does not say which tools book it")
        return self.kind.tools

    @property
    def arguments(self) -> dict[str, Any]:
        """What the tool that books it is called with."""
        named = self.people[: self.count] if self.kind.people is not None else ()
        offer_id = str(self.offer[self.kind.offer.key])
        terms = (self.customer_id, self.entity_id, offer_id, self.units)
        return self.tools.arguments(BookingTerms(*terms, named, self.days, self.party))

    @property
    def values(self) -> dict[Ref, Value]:
        """What constraints can ask of it once it is booked."""
        kind, columns = self.kind, self.kind.interval or ()
        held = dict(zip(columns, map(day_number, self.days or ()), strict=True))
        due = self.cents - self.surcharge
        booking = SlotBooking(
            "",
            kind.name,
            self.slot.id,
            self.entity_id,
            self.name,
            "pending",
            self.cents,
            due,
            self.unit_cents,
            self.units,
            self.offer[kind.places] if kind.places else self.units,
            is_one_offer=True,
            properties={**kind.properties(self.entity, self.offer), **held},
            people=(),
        )
        return booking_values(self.slot.id, booking)

    def look_up(self, step: SearchStep) -> dict[str, Any] | None:
        """Return the needed arguments of a look-up that finds it; `None` where one is not known."""
        known: dict[str, Any] = dict(zip(self.kind.interval or (), self.days or (), strict=True))
        for table, row in ((self.kind.entity, self.entity), (self.kind.offer, self.offer)):
            known |= {one.name: row[one.column] for one in self.kind.readings(table)}
        asked = {name: known.get(step.arguments[name]) for name in step.needed}
        return None if None in asked.values() else asked

    def rows(self) -> list[tuple[str, str, Row]]:
        """Return its rows with table and key."""
        entity, offer = self.kind.entity, self.kind.offer
        found = [(entity.name, self.entity_id, self.entity)]
        if offer is not entity:
            found.append((offer.name, str(self.offer[offer.key]), self.offer))
        return found

    def copied(self, number: int, **columns: Any) -> "Item":
        """Return a new offer that differs in some columns, and in its ids and name."""
        keys = dict.fromkeys((self.kind.entity.key, self.kind.offer.key))
        fresh = {
            key: f"{prefix}-99{number:05d}"
            for key, (prefix, _) in zip(keys, self.kind.prefixes, strict=True)
        }
        if self.name is not None:
            fresh["name"] = f"Quillon Vantry {_NUMBERED[number % len(_NUMBERED)]}"
        changed = {**fresh, **columns}
        entity = self.entity | {k: v for k, v in changed.items() if k in self.entity}
        offer = self.offer | {k: v for k, v in changed.items() if k in self.offer}
        return replace(self, entity=entity, offer=offer, is_new=True)

    def columns_of(self, name: str) -> dict[str, str]:
        """Return the columns that hold a property, each with the table it stands in."""
        return {
            one.column: table.name
            for table in (self.kind.entity, self.kind.offer)
            for one in self.kind.readings(table)
            if one.name == name
        }

    @property
    def dates(self) -> dict[str, str]:
        """Its dates by column."""
        types = {**self.kind.entity.columns, **self.kind.offer.columns}
        row = {**self.entity, **self.offer}
        return {name: day for name, day in row.items() if types.get(name) == "DATE"}

    def shifted(self, days: int, number: int) -> "Item":
        """Return a new offer of which every date lies some days later."""
        dates = {name: _later(day, days) for name, day in self.dates.items()}
        held = self.days and (_later(self.days[0], days), _later(self.days[1], days))
        return replace(self.copied(number, **dates), days=held)

    def held(self, first: int, last: int, number: int) -> "Item | None":
        """Return a new offer held from and until so many days later, which can be had then.

        `None` where it is not held by the day, or there is no day between.
        """
        if self.days is None:
            return None
        begins, ends = days = (_later(self.days[0], first), _later(self.days[1], last))
        if begins >= ends:
            return None
        # What opened by the first day opens by the new one, and closes likewise.
        open_days = {
            column: min(day, begins) if day <= self.days[0] else max(day, ends)
            for column, day in self.dates.items()
            if day <= self.days[0] or day >= self.days[1]
        }
        return replace(self.copied(number, **open_days), days=days)


def _later(day: str, days: int) -> str:
    return iso_date(day_number(day) + days)


def items_of(task: Task, solution: SolutionIds) -> tuple[Item, ...]:
    """Return what a solution books, in the order of the slots."""
    tables, request = task.world.tables, task.request
    facts, known_as = read_task(task).facts, task.domain.grading.profile_facts
    names, births = (facts.get(known_as.get(one, "")) for one in ("name", "date_of_birth"))
    people: People = ()
    if isinstance(names, list) and isinstance(births, list):
        people = tuple(zip(names, births, strict=True))
    items = []
    for slot in task.domain.slots:
        kind, ids = task.domain.kinds[slot.kind], solution[slot.id]
        entity, offer = (tables[own.name][ids[own.key]] for own in (kind.entity, kind.offer))
        count = kind.wanted(request)
        days = (ids[kind.interval[0]], ids[kind.interval[1]]) if kind.interval else None
        customer, party = task.customer_id, max(len(people), 1)
        items.append(Item(slot, kind, entity, offer, customer, count, people, party, days))
    return tuple(items)
