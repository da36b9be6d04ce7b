"""What can be booked: the slots of a trip, and the kinds of bookings that fill them."""

from collections.abc import Mapping

from crab_graph.domains.domain import Slot
from crab_graph.domains.kind import Kind

OUTBOUND, RETURN, HOTEL, ATTRACTION = SLOTS = ("outbound", "return", "hotel", "attraction")

KINDS: Mapping[str, Kind] = {
    "flight": Kind("flight", unit="passenger", count="party_size"),
    "hotel": Kind("hotel", unit="night", count="nights"),
    "attraction": Kind("attraction", unit="ticket", count="party_size"),
}

TRAVEL_SLOTS = (
    Slot(OUTBOUND, "flight", "outbound flight"),
    Slot(RETURN, "flight", "return flight"),
    Slot(HOTEL, "hotel", "hotel"),
    Slot(ATTRACTION, "attraction", "attraction"),
)


def kinds_of_slots() -> dict[str, Kind]:
    """Return the kind of booking that fills each slot."""
    return {slot.id: KINDS[slot.kind] for slot in TRAVEL_SLOTS}
