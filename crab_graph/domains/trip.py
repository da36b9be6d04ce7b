"""What an agent has booked, read by structure from the final tables (verification rulebook §3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Traveller(NamedTuple):
    """A traveller as stored on a booking or in the user's profile."""

    name: str
    date_of_birth: str


@dataclass(frozen=True, slots=True)
class SlotBooking:
    """One active booking made in the episode.

    Attributes:
        booking_id: Id of the booking.
        kind: The domain's booking kind, such as `flight`.
        slot: The slot it fills, or `None` where it fits none.
        entity_id: Id of the booked entity.
        name: Name of the entity, where its kind has one.
        status: `pending` or `confirmed`.
        total_cents: The amount stored on the booking.
        due_cents: The price due, recomputed from the initial tables.
        unit_cents: Price of one unit (seat, night, ticket).
        units: Units sold (seats, nights, tickets).
        places: How many people the booking holds a place for (seats, tickets, the room's
            occupancy).
        is_one_offer: Whether all units come from one offer (one fare row, one room).
        properties: The offer's properties as the constraints name them, in engine values.
        travellers: Travellers stored on the booking; empty where the kind stores none.
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


@dataclass(frozen=True, slots=True)
class Trip:
    """All active bookings of the episode.

    Attributes:
        slots: The bookings that fit each slot, in the order in which they were made.
        surplus: Bookings that fit no slot, and all but the first of each slot.
    """

    slots: Mapping[str, tuple[SlotBooking, ...]]
    surplus: tuple[SlotBooking, ...]
