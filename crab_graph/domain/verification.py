"""What a domain tells the verifiers: its words and checks, and what was booked (rulebook §3)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crab_graph.dates import day_number
from crab_graph.domain.kind import Kind
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.text.vocabulary import TextVocabulary
from crab_graph.tools.bookings import BookingStatus
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.tables import Row, World


class Traveller(NamedTuple):
    """A traveller as stored on a booking or in the user's profile."""

    name: str
    date_of_birth: str


class SlotBooking(NamedTuple):
    """One active booking made in the episode; its slot is `None` where it fits none.

    The total is the amount stored on the booking, what is due the price recomputed from the initial
    tables. Units are seats, nights or tickets; it is one offer where all come from one fare or one
    room. Places are for people; properties are the offer's, as constraints name them.
    """

    booking_id: str
    kind: str
    slot: str | None
    entity_id: str
    name: str | None
    status: str
    total_cents: int
    due_cents: int
    unit_cents: int
    units: int
    places: int
    is_one_offer: bool
    properties: Mapping[str, int | str]
    travellers: tuple[Traveller, ...]


class Trip(NamedTuple):
    """All active bookings of the episode, by slot; those in surplus fit none, or come second."""

    slots: Mapping[str, tuple[SlotBooking, ...]]
    surplus: tuple[SlotBooking, ...]


def read_trip(
    tables: BookingTables,
    kinds: Mapping[str, Kind],
    slots: Iterable[str],
    slot_of: Callable[[str], str | None],
    customer_id: str,
) -> Trip:
    """Return the active bookings that the episode made for a customer, by slot.

    A slot lists all bookings that fit it, in the order in which they were made. All but its first,
    and the bookings that fit no slot, are also listed as surplus. `slot_of` says the slot that an
    entity fits.
    """
    filled: dict[str, tuple[SlotBooking, ...]] = {slot: () for slot in slots}
    surplus: list[SlotBooking] = []
    for row in tables.inserted("bookings"):
        if row["customer_id"] != customer_id or row["status"] == BookingStatus.CANCELLED:
            continue
        booking = _read_booking(tables, kinds[row["kind"]], row, slot_of(row["entity_id"]))
        if booking.slot is None or filled[booking.slot]:
            surplus.append(booking)
        if booking.slot is not None:
            filled[booking.slot] = (*filled[booking.slot], booking)
    return Trip(filled, tuple(surplus))


def _read_booking(tables: BookingTables, kind: Kind, booking: Row, slot: str | None) -> SlotBooking:
    items = tables.find(kind.items, "booking_id", booking["booking_id"])
    held = kind.units_by_offer(items)
    entity = tables.world.tables[kind.entity.name][booking["entity_id"]]
    offers = [tables.world.tables[kind.offer.name][key] for key in held]
    days = {column: day_number(items[0][column]) for column in kind.interval or ()}
    # By the day all offers are held together; otherwise each unit is of one of them.
    units = kind.units(items[0]) if days else held.total()
    prices = [0 if kind.is_free else offer["price_cents"] for offer in offers]
    return SlotBooking(
        booking_id=booking["booking_id"],
        kind=kind.name,
        slot=slot,
        entity_id=booking["entity_id"],
        name=entity.get("name"),
        status=booking["status"],
        total_cents=booking["total_cents"],
        due_cents=kind.total(tables, items),
        unit_cents=sum(prices) if days else prices[0],
        units=units,
        places=sum(offer[kind.places] for offer in offers) if kind.places else units,
        is_one_offer=len(held) == 1,
        properties={**kind.properties(entity, offers[0]), **days},
        travellers=tuple(
            Traveller(*(item[column] for column in kind.people)) for item in items if kind.people
        ),
    )


class DomainCheck(NamedTuple):
    """A concrete check that constraints decide; without any it is not evaluated.

    Their refs are `(slot, property)`, see `booking_values`.
    """

    id: str
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """How a user's statement of a fact is recognised; what it cannot see stays unseen.

    Attributes:
        pattern: Regular expression over a normalised clause; its first group that matched is the
            value.
        values: What the words of the group mean; a word that is missing means itself.
        read: Reads statements from the words of the group instead, given today's date; each is a
            tuple of values, of which one must be right.
        agrees: Whether a value agrees with the facts, which may lack the key; by default where it
            is the fact's own.
    """

    key: str
    pattern: str
    values: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[str, str], Sequence[tuple[Any, ...]]] | None = None
    agrees: Callable[[Mapping[str, Any], Any], bool] | None = None


@dataclass(frozen=True, slots=True)
class Grading:
    """A domain's part in grading.

    Attributes:
        checks: The checks that constraints decide, from `(request, graph)`.
        slot_of: The slot an entity fits, from `(world, request, entity id)`.
        solution_of: The ids of a full trip in the form certified solutions have.
        covered_checks: The checks that a wrong value of each fact can fail.
        show_value: A property's value in words, from its name and engine value; the ids and days of
            solutions as solutions write them.
        titles: What the checks about its slots and constraints say, in a few words.
        deciding_checks: The checks whose failure means that a booking contradicts each fact.
        charging_facts: Facts that are needed to charge, not to book.
    """

    vocabulary: Callable[[], TextVocabulary]
    checks: Callable[[Any, ConstraintGraph], tuple[DomainCheck, ...]]
    slot_of: Callable[[World, Any, str], str | None]
    solution_of: Callable[[Trip], dict[str, dict[str, str]]]
    claims: Sequence[Claim]
    covered_checks: Mapping[str, frozenset[str]]
    show_value: Callable[[str, Value], str]
    titles: Mapping[str, str]
    broken_rows: Callable[[World], Iterable[str]] = lambda world: ()
    deciding_checks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    charging_facts: frozenset[str] = frozenset()


def booking_values(slot: str, booking: SlotBooking) -> dict[Ref, Value]:
    """Return what constraints can ask of a booking: its offer's properties, and what was taken."""
    values = {(slot, name): value for name, value in booking.properties.items()}
    values[slot, "total"] = booking.total_cents
    values[slot, "units"] = booking.units
    values[slot, "places"] = booking.places
    values[slot, "is_one_offer"] = int(booking.is_one_offer)
    return values
