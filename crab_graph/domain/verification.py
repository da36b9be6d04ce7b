"""What a domain tells the verifiers: its words and checks, and what was booked (rulebook §3)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from crab_graph.dates import day_number
from crab_graph.domain.kind import Kind
from crab_graph.errors import UsageError
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.text.vocabulary import TextVocabulary
from crab_graph.tools.bookings import BookingStatus
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.tables import Row, World


class Part(StrEnum):
    """The part of a verdict that a check belongs to (paper section 3.4)."""

    CONCRETE = "concrete"
    FACTUALITY = "factuality"
    COMPLETION = "completion"


class Role(StrEnum):
    """What a check is about, whatever its id; verdicts list checks in this order.

    A domain declares checks of the roles up to `BUDGET`; the rulebook's own have all others.
    """

    SLOT_FILLED = "slot_filled"
    SURPLUS = "surplus"
    UNITS = "units"
    PERSON = "person"
    WISH = "wish"
    WINDOW = "window"
    EDGE = "edge"
    BUDGET = "budget"
    PAID = "paid"
    METHOD = "method"
    CHARGE_APPROVED = "charge_approved"
    AMOUNT = "amount"
    COLLATERAL = "collateral"
    SOUND = "sound"
    TOTAL_TOLD = "total_told"
    SUMMARY_TOLD = "summary_told"
    ID_TOLD = "id_told"
    NAME_TOLD = "name_told"
    PRICE_TOLD = "price_told"
    PLAN_APPROVED = "plan_approved"
    MISHAP_TOLD = "mishap_told"
    IN_SCOPE = "in_scope"
    ENDED_FULL = "ended_full"
    ENDED_PARTIAL = "ended_partial"
    ENDED_NONE = "ended_none"

    @property
    def part(self) -> Part:
        """The part of the verdict that its checks belong to."""
        if self in _SAID:
            return Part.FACTUALITY
        return Part.COMPLETION if self in _ENDED else Part.CONCRETE


_SAID = frozenset(
    {
        Role.TOTAL_TOLD,
        Role.SUMMARY_TOLD,
        Role.ID_TOLD,
        Role.NAME_TOLD,
        Role.PRICE_TOLD,
        Role.PLAN_APPROVED,
        Role.MISHAP_TOLD,
    }
)
_ENDED = frozenset({Role.IN_SCOPE, Role.ENDED_FULL, Role.ENDED_PARTIAL, Role.ENDED_NONE})
_DECLARED = frozenset(
    {Role.SLOT_FILLED, Role.UNITS, Role.WISH, Role.WINDOW, Role.EDGE, Role.BUDGET}
)


RULEBOOK_LABELS = frozenset(
    (
        "D05 D07 D19 D20 D21 D22 D23 D24 F-AP F-ID F-IP F-NM F-PS F-PT F-WF C-FULL C-NONE C-OOS"
        " C-PART"
    ).split()
)
"""Labels of the checks that are the same in every domain."""


class Person(NamedTuple):
    """Whom a booking is for, as stored on it or in the user's profile."""

    name: str
    date_of_birth: str


class SlotBooking(NamedTuple):
    """One active booking made in the episode; its slot is `None` where it fits none.

    The total is the amount stored on the booking, what is due the price recomputed from the initial
    tables. It is one offer where all units come from one row. Places are for people; properties are
    the offer's, as constraints name them.
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
    people: tuple[Person, ...]


class Job(NamedTuple):
    """All active bookings of the episode, by slot; those in surplus fit none, or come second."""

    slots: Mapping[str, tuple[SlotBooking, ...]]
    surplus: tuple[SlotBooking, ...]


def read_job(
    tables: BookingTables,
    kinds: Mapping[str, Kind],
    slots: Iterable[str],
    slot_of: Callable[[str], str | None],
    customer_id: str,
) -> Job:
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
    return Job(filled, tuple(surplus))


def _read_booking(tables: BookingTables, kind: Kind, booking: Row, slot: str | None) -> SlotBooking:
    items = tables.find(kind.items, "booking_id", booking["booking_id"])
    held = kind.units_by_offer(items)
    entity = tables.world.tables[kind.entity.name][booking["entity_id"]]
    offers = [_as_sold(tables, kind, key) for key in held]
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
        people=tuple(
            Person(*(item[column] for column in kind.people)) for item in items if kind.people
        ),
    )


def _as_sold(tables: BookingTables, kind: Kind, key: str) -> Row:
    """Return an offer as it was before the episode, at its price of now: a fault can raise that."""
    first: Row = tables.world.tables[kind.offer.name][key]
    now = tables.get(kind.offer.name, key)
    if now is None or "price_cents" not in first:
        return first
    return {**first, "price_cents": now["price_cents"]}


class DomainCheck(NamedTuple):
    """A concrete check that a domain declares.

    A slot is filled or not; all else is decided by the constraints that a task has for it, and not
    evaluated where it has none. Their refs are `(slot, property)`, see `booking_values`.

    Attributes:
        id: A label of its own, such as `D08` or `wish.gp`.
        role: What it is about.
        title: What it says, in a few words.
        constraints: Of one task; a domain's own list has none.
        slot: The one slot that it is about, where it is about one.
    """

    id: str
    role: Role
    title: str
    constraints: tuple[Constraint, ...] = ()
    slot: str | None = None


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
        applies: Whether there are such statements at all beside the facts; by default there are.
    """

    key: str
    pattern: str
    values: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[str, str], Sequence[tuple[Any, ...]]] | None = None
    agrees: Callable[[Mapping[str, Any], Any], bool] | None = None
    applies: Callable[[Mapping[str, Any]], bool] | None = None


@dataclass(frozen=True, slots=True)
class Grading:
    """A domain's part in grading.

    Attributes:
        declared: All its checks, without constraints, in the order in which verdicts list those of
            one role.
        constraints: What decides the checks of a task, by id, from `(request, graph)`; none for a
            check that is not named.
        slot_of: The slot an entity fits, from `(world, request, entity id)`.
        solution_of: The ids of a full job in the form certified solutions have.
        covered_checks: The checks that a wrong value of each fact can fail: ids of declared ones,
            or roles, which stand for all checks that have them.
        show_value: A property's value in words, from its name and engine value; the ids and days of
            solutions as solutions write them.
        deciding_checks: The checks whose failure means that a booking contradicts each fact.
        profile_facts: The user's fact that each column of a customer must equal; lists begin with
            the customer. Those of `name` and `date_of_birth` list all whom bookings may be for.
        wished: The properties on which each fact that is a wish bites, as refs; of a check about
            several wishes it tells which one is broken.
        modules: Modules and packages, by name, whose sources decide verdicts beside the engine's.
        charging_facts: Facts that are needed to charge, not to book.
        amenities: Patterns of what may be offered beside what users want, and nobody wants.
    """

    vocabulary: Callable[[], TextVocabulary]
    declared: tuple[DomainCheck, ...]
    constraints: Callable[[Any, ConstraintGraph], Mapping[str, tuple[Constraint, ...]]]
    slot_of: Callable[[World, Any, str], str | None]
    solution_of: Callable[[Job], dict[str, dict[str, str]]]
    claims: Sequence[Claim]
    covered_checks: Mapping[str, frozenset[str]]
    show_value: Callable[[str, Value], str]
    broken_rows: Callable[[World], Iterable[str]] = lambda world: ()
    deciding_checks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    charging_facts: frozenset[str] = frozenset()
    profile_facts: Mapping[str, str] = field(default_factory=lambda: {"email": "email"})
    wished: Mapping[str, frozenset[Ref]] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    amenities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse checks that cannot be told apart, or that are named and not declared.

        Raises:
            UsageError: an id stands twice, a role is the rulebook's own, or there is no such check.
        """
        for problem in _problems(self):
            raise UsageError(problem)

    def checks(self, request: Any, graph: ConstraintGraph) -> tuple[DomainCheck, ...]:
        """Return the checks of a task, with what decides them."""
        decided = self.constraints(request, graph)
        return tuple(one._replace(constraints=decided.get(one.id, ())) for one in self.declared)


def _problems(grading: Grading) -> Iterator[str]:
    ids = [one.id for one in grading.declared]
    for check, times in Counter(ids).items():
        if times > 1:
            yield f"two checks have the label '{check}'; give each a label of its own"
    for one in grading.declared:
        if one.role not in _DECLARED:
            yield f"check '{one.id}' has the role '{one.role}', which is the rulebook's own"
        if one.id in RULEBOOK_LABELS:
            yield f"check '{one.id}' has the label of one of the rulebook's own; choose another"
        if one.id in set(Role) - {one.role}:
            yield f"check '{one.id}' is about '{one.role}' and is called like another role"
        if one.role is Role.SLOT_FILLED and one.slot is None:
            yield f"check '{one.id}' does not say which slot is to be filled; give it one"
    for named in (grading.covered_checks, grading.deciding_checks):
        for fact, checks in named.items():
            for check in sorted(checks - set(ids) - set(Role)):
                yield f"fact '{fact}' names check '{check}', which is not declared"


TOTAL, IS_ONE_OFFER = "total", "is_one_offer"
# Not `units` and `places`, which fields may be called.
BOOKED_UNITS, BOOKED_PLACES = "booked_units", "booked_places"


def booking_values(slot: str, booking: SlotBooking) -> dict[Ref, Value]:
    """Return what constraints can ask of a booking: its offer's properties, and what was taken."""
    values = {(slot, name): value for name, value in booking.properties.items()}
    values[slot, TOTAL] = booking.total_cents
    values[slot, BOOKED_UNITS] = booking.units
    values[slot, BOOKED_PLACES] = booking.places
    values[slot, IS_ONE_OFFER] = int(booking.is_one_offer)
    return values
