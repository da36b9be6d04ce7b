"""Which bookings a plan is to take the place of: nobody pays for them while it is decided."""

from collections import Counter
from collections.abc import Collection, Sequence

from crab_graph.personas.briefing import BriefedSlot
from crab_graph.personas.own_tools import Booking


def replaced(
    items: Collection[str], bookings: Sequence[Booking], slots: Sequence[BriefedSlot]
) -> frozenset[str]:
    """Return the ids of the unpaid bookings in whose place a plan has other items.

    Of fewer items of a kind than are wanted nobody knows of which bookings they take the place.
    """
    wanted = Counter(slot.id_prefix for slot in slots)
    planned = Counter(map(_kind, items))
    return frozenset(
        one.booking_id
        for one in bookings
        if one.status == "pending" and one.entity_id not in items
        if planned[_kind(one.entity_id)] >= wanted[_kind(one.entity_id)]
    )


def _kind(item: str) -> str:
    return item.partition("-")[0]
