"""What an episode leaves behind: its final tables, and each slot beside the nearest solution.

For analysis only: a verdict rests on the checks alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crab_graph.domain.kind import Kind
from crab_graph.domain.verification import SlotBooking
from crab_graph.eval.explanation import Explanation, Found, SolutionPart
from crab_graph.eval.reading import Episode
from crab_graph.schema import FileModel
from crab_graph.tools.ledger import Ledger

Cell = str | int | float | bool | None


class SlotEnd(FileModel):
    """What fills a slot at the end, beside what the nearest certified solution has there.

    Attributes:
        bookings: Active bookings that fit it; what follows is of the first.
        booked_id: Which entity is booked, and `booked_offer_id` which offer of it.
        differs: The ids in which it differs from the nearest solution, with commas.
        found: What became of that solution's part, as in an `Explanation`.
    """

    slot: str
    kind: str
    bookings: int
    booking_id: str | None = None
    status: str | None = None
    total_cents: int | None = None
    booked_id: str | None = None
    booked_name: str | None = None
    booked_offer_id: str | None = None
    nearest_id: str | None = None
    nearest_name: str | None = None
    nearest_offer_id: str | None = None
    differs: str | None = None
    found: str | None = None


class FinalState(FileModel):
    """The rows of an episode's final tables, by table, and its slots.

    Of the thousands of rows that a task begins with those are left out that the episode left as
    they were, and that neither its bookings nor the nearest solution hold.
    """

    tables: dict[str, list[dict[str, Cell]]]
    slots: tuple[SlotEnd, ...]


def final_state(episode: Episode, explanation: Explanation | None, passed: bool) -> FinalState:
    """Return what an episode leaves behind; what passed is its own nearest solution."""
    parts = {} if explanation is None else {part.slot: part for part in explanation.parts}
    kinds, slots = episode.reading.task.domain.kinds, []
    for slot in episode.reading.task.domain.slots:
        held, kind = episode.job.slots[slot.id], kinds[slot.kind]
        booked = _booked(episode.trajectory.ledger, kind, held[0]) if held else {}
        nearest = _nearest(episode.trajectory.ledger, kind, parts.get(slot.id))
        if passed:
            same = ("id", "name", "offer_id")
            nearest = {f"nearest_{name}": booked[f"booked_{name}"] for name in same}
            nearest |= {"differs": "", "found": str(Found.BOOKED)}
        slots.append(SlotEnd(slot=slot.id, kind=slot.kind, bookings=len(held), **booked, **nearest))
    rows = _final_rows(episode.trajectory.ledger, kinds, slots)
    return FinalState(tables=rows, slots=tuple(slots))


def _booked(ledger: Ledger, kind: Kind, booking: SlotBooking) -> dict[str, Any]:
    return {
        "booking_id": booking.booking_id,
        "status": booking.status,
        "total_cents": booking.total_cents,
        "booked_id": booking.entity_id,
        "booked_name": booking.name,
        "booked_offer_id": next(iter(_offers(ledger, kind, booking.booking_id)), None),
    }


def _nearest(ledger: Ledger, kind: Kind, part: SolutionPart | None) -> dict[str, Any]:
    if part is None:
        return {}
    entity_id = part.nearest[kind.entity.key]
    return {
        "nearest_id": entity_id,
        "nearest_name": ledger.world.tables[kind.entity.name][entity_id].get("name"),
        "nearest_offer_id": part.nearest[kind.offer.key],
        "differs": ",".join(part.differs),
        "found": str(part.found),
    }


def _final_rows(
    ledger: Ledger, kinds: Mapping[str, Kind], slots: Iterable[SlotEnd]
) -> dict[str, list[dict[str, Cell]]]:
    """Return the rows that changed, and those of what is booked or would have been right."""
    found = {name: ledger.changed(name) for name in ledger.world.tables}
    for table, key in _held(ledger, kinds, slots):
        row = ledger.get(table, key)
        if row is not None:
            found[table].setdefault(key, row)
    return {name: [rows[key] for key in sorted(rows)] for name, rows in found.items() if rows}


def _held(
    ledger: Ledger, kinds: Mapping[str, Kind], slots: Iterable[SlotEnd]
) -> Iterator[tuple[str, str]]:
    """Yield table and key of every entity and offer that a booking or the nearest solution has."""
    for booking in ledger.inserted("bookings"):
        kind = kinds[booking["kind"]]
        yield kind.entity.name, booking["entity_id"]
        for key in _offers(ledger, kind, booking["booking_id"]):
            yield kind.offer.name, key
    for slot in slots:
        if slot.nearest_id is not None and slot.nearest_offer_id is not None:
            yield kinds[slot.kind].entity.name, slot.nearest_id
            yield kinds[slot.kind].offer.name, slot.nearest_offer_id


def _offers(ledger: Ledger, kind: Kind, booking_id: str) -> list[str]:
    """Return the ids of the offers that a booking holds."""
    items = ledger.find(kind.items, "booking_id", booking_id)
    return list(dict.fromkeys(str(item[kind.offer.key]) for item in items))
