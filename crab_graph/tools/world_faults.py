"""Faults of the world: what goes wrong through nobody's fault, and how it can be mended.

A schedule says at which of the agent's own steps each fault strikes: its n-th search, booking or
charge of those that would have gone through. No clock has a part in it. What has struck is told by
events of the owner `world` beside those of the call, so that the tables stay the fold of the log.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from crab_graph.money import CURRENCY, format_cents
from crab_graph.randomness import derive_rng
from crab_graph.tools.fault_schedule import FaultKind, WorldFault
from crab_graph.tools.ledger import WORLD, BookingTables, Event
from crab_graph.tools.slips import misspelt, mistyped
from crab_graph.tools.tables import WORLD_FAULTS, Row


class ToolDeed(StrEnum):
    """What a tool does that a fault can strike, or mend."""

    FIND = "find"
    QUOTE = "quote"
    BOOK = "book"
    LOOK_UP = "look_up"
    CHARGE = "charge"


class Stage(StrEnum):
    """How far a fault has come: `open` as long as a step of the agent's is needed to mend it."""

    WAITING = "waiting"
    OPEN = "open"
    OVER = "over"


class ToolDuty(NamedTuple):
    """What a tool does, and where what it does is stored.

    Attributes:
        kind: The kind of booking it is about; nothing for charges.
        items: Table of what bookings of it hold, and `key` the column that names the offer there.
        offers: Table of the offers.
        mend: The tool that finds offers again, and `details` the one that shows a booking.
        price: The tool that tells whole prices, where lists may leave fees out.
        noun: What an offer is called.
        people: The columns of such a booking with the name and birth date of whom it is for.
    """

    deed: ToolDeed
    kind: str = ""
    items: str = ""
    key: str = ""
    offers: str = ""
    mend: str = ""
    details: str = ""
    noun: str = "offer"
    people: tuple[str, str] | None = None
    price: str = ""


class Struck(NamedTuple):
    """What a fault makes of a call: the error it is refused with, or the result it has instead.

    The events are the world's, and stand beside those of the call where it was not refused.
    """

    events: tuple[Event, ...]
    error: tuple[str, str] | None = None
    result: dict[str, Any] | None = None


class Ran(NamedTuple):
    """A call that went through: what it was given, what it answers, and what it writes."""

    values: dict[str, Any]
    content: str
    events: tuple[Event, ...]


TIMED_OUT, PRICE_EXPIRED, UNCONFIRMED = "timed_out", "price_expired", "unconfirmed"
OUT_OF_DATE = "out_of_date"
"""Why a call is refused, beside the codes that tools have for the same."""
_CHARGE = "charge"
"""The kind of a transaction that takes money (`tools.bookings`)."""


def fault_rows(faults: Sequence[WorldFault]) -> list[Row]:
    """Return the rows in which is counted how far each fault of a schedule has come."""
    return [
        {
            "fault_id": f"W{number:02}",
            "kind": str(fault.kind),
            "seen": 0,
            "stage": str(Stage.WAITING),
            "subject": None,
        }
        for number, fault in enumerate(faults, start=1)
    ]


def scheduled(tables: BookingTables) -> Iterator[tuple[WorldFault, Row]]:
    """Yield the faults of a task, each with how far it has come; none where it has no schedule."""
    if tables.world.faults:
        yield from zip(tables.world.faults, tables.rows(WORLD_FAULTS.name), strict=True)


def sold_offers(tables: BookingTables) -> frozenset[str]:
    """Return the offers that were sold to somebody else in the episode."""
    return frozenset(
        row["subject"]
        for fault, row in scheduled(tables)
        if fault.kind is FaultKind.SOLD and row["stage"] != Stage.WAITING
    )


def mended_before(
    tables: BookingTables, duty: ToolDuty, values: dict[str, Any]
) -> tuple[Event, ...]:
    """Return the events that come before a call: a booking that is looked up is confirmed by it."""
    if duty.deed is not ToolDeed.LOOK_UP:
        return ()
    for fault, row in scheduled(tables):
        is_open = fault.kind is FaultKind.UNCONFIRMED and row["stage"] == Stage.OPEN
        booking_id, _, status = str(row["subject"]).partition(" ")
        if is_open and booking_id == values.get("booking_id"):
            booking = tables.get("bookings", booking_id)
            is_left = booking is not None and booking["status"] == UNCONFIRMED
            confirmed = [_update("bookings", booking_id, status=status)] if is_left else []
            return (*confirmed, _moved(row, stage=Stage.OVER))
    return ()


def struck(tables: BookingTables, duty: ToolDuty, ran: Ran) -> Struck:
    """Return what the faults of a task make of a call that would have gone through."""
    counted: list[Event] = []
    offers = _offers_held(duty, ran.events)
    if not (tables.world.fees and duty.price):
        # Lists tell what things cost.
        duty = duty._replace(price=duty.mend)
    for fault, row in scheduled(tables):
        # What an open fault refuses cannot be struck by another.
        if row["stage"] == Stage.OPEN and (found := _again(fault, row, duty, ran, offers)):
            if found.error:
                return found
            counted += found.events
    for fault, row in scheduled(tables):
        if row["stage"] == Stage.OPEN and _is_over_limit(tables, fault, row, ran):
            hit = _over_limit(fault, row, duty, ran)
            return hit._replace(events=(*counted, _moved(row, seen=row["seen"] + 1)))
        if row["stage"] != Stage.WAITING or not _is_reached(tables, fault, duty, ran, offers):
            continue
        if row["seen"] + 1 < fault.nth:
            counted.append(_moved(row, seen=row["seen"] + 1))
            continue
        hit = _STRIKES[fault.kind](fault, row, duty, ran)
        return hit._replace(events=(*counted, *hit.events))
    return Struck(tuple(counted))


_REACHED = {
    FaultKind.SOLD: ToolDeed.BOOK,
    FaultKind.QUOTE: ToolDeed.BOOK,
    FaultKind.UNCONFIRMED: ToolDeed.BOOK,
    FaultKind.DECLINED: ToolDeed.CHARGE,
    FaultKind.LIMIT: ToolDeed.CHARGE,
    FaultKind.TIMEOUT: ToolDeed.FIND,
    FaultKind.MISENTERED: ToolDeed.BOOK,
}


def _is_reached(
    tables: BookingTables, fault: WorldFault, duty: ToolDuty, ran: Ran, offers: Sequence[str]
) -> bool:
    """Tell whether a call is one of those among which a fault strikes the n-th.

    Nothing is sold once something is booked, which could stand in the way of all that is left.
    """
    if duty.deed is not _REACHED[fault.kind] or fault.of not in (None, duty.kind):
        return False
    if fault.kind is FaultKind.LIMIT:
        return _exceeds(tables, fault.cents, ran)
    if fault.kind is not FaultKind.SOLD:
        return True
    held = (row["status"] != "cancelled" for row in tables.inserted("bookings"))
    return any(one in fault.offers for one in offers) and not any(held)


def _is_over_limit(tables: BookingTables, fault: WorldFault, row: Row, ran: Ran) -> bool:
    """Tell whether a charge goes once more beyond what a card bears, whose limit is known now."""
    is_same = ran.values.get("payment_method_id") == row["subject"]
    return fault.kind is FaultKind.LIMIT and is_same and _exceeds(tables, fault.cents, ran)


def _exceeds(tables: BookingTables, cents: int, ran: Ran) -> bool:
    """Tell whether the charges on a payment method, with one to come, are more than so many cents.

    Whatever is charged in an episode is charged on one day.
    """
    written = (one for one in ran.events if one["op"] == "insert")
    added = [one["row"] for one in written if one["table"] == "transactions"]
    method = ran.values.get("payment_method_id")
    charged = sum(
        row["amount_cents"]
        for row in (*tables.inserted("transactions"), *added)
        if row["payment_method_id"] == method and row["kind"] == _CHARGE
    )
    return bool(added) and charged > cents


def _offers_held(duty: ToolDuty, events: Iterable[Event]) -> list[str]:
    """Return the offers that a booking takes."""
    if duty.deed is not ToolDeed.BOOK:
        return []
    written = (one["row"] for one in events if one["op"] == "insert" and one["table"] == duty.items)
    return list(dict.fromkeys(row[duty.key] for row in written))


def _again(
    fault: WorldFault, row: Row, duty: ToolDuty, ran: Ran, offers: Sequence[str]
) -> Struck | None:
    """Return what comes of a fault that waits for a step: that, or one more refusal.

    What was sold makes all that was found out of date, a price that has expired that price alone.
    """
    if fault.kind is FaultKind.SOLD and duty.deed is ToolDeed.FIND:
        return Struck((_moved(row, stage=Stage.OVER),))
    if fault.kind is FaultKind.SOLD and duty.deed is ToolDeed.BOOK:
        text = (
            f"what was found before '{row['subject']}' was sold is out of date, and nothing was"
            f" booked; look again with {duty.mend} before you book anything"
        )
        return Struck((_moved(row, stage=Stage.OPEN),), (OUT_OF_DATE, text))
    if fault.kind is not FaultKind.QUOTE or fault.of != duty.kind:
        return None
    if duty.deed in (ToolDeed.FIND, ToolDeed.QUOTE) and json.dumps(row["subject"]) in ran.content:
        return Struck((_moved(row, stage=Stage.OVER),))
    return Struck((), _expired(row["subject"], duty)) if row["subject"] in offers else None


def _sell(fault: WorldFault, row: Row, duty: ToolDuty, ran: Ran) -> Struck:
    sold = next(one for one in _offers_held(duty, ran.events) if one in fault.offers)
    text = (
        f"{duty.noun} '{sold}' was sold to somebody else a moment ago, and nothing was booked;"
        f" find another with {duty.mend}, tell the customer, and have it approved"
    )
    event = _moved(row, seen=row["seen"] + 1, stage=Stage.OPEN, subject=sold)
    return Struck((event,), ("sold_out", text))


def _expire(fault: WorldFault, row: Row, duty: ToolDuty, ran: Ran) -> Struck:
    offer = _offers_held(duty, ran.events)[0]
    events = [_moved(row, seen=row["seen"] + 1, stage=Stage.OPEN, subject=offer)]
    if fault.cents:
        risen = {"op": "add", "table": duty.offers, "key": offer, "column": "price_cents"}
        events.append({**risen, "delta": fault.cents, "owner": WORLD})
    return Struck(tuple(events), _expired(offer, duty))


def _expired(offer: str, duty: ToolDuty) -> tuple[str, str]:
    text = (
        f"the price quoted for {duty.noun} '{offer}' has expired, and nothing was booked; see what"
        f" it costs now with {duty.price}, and have a new price approved before you book it"
    )
    return PRICE_EXPIRED, text


def _decline(fault: WorldFault, row: Row, duty: ToolDuty, ran: Ran) -> Struck:
    del fault, duty
    method = str(ran.values["payment_method_id"])
    text = (
        f"the bank has declined the card of '{method}' this time, and nothing was charged; tell the"
        " customer, and ask whether to try it again or to take another payment method"
    )
    event = _moved(row, seen=row["seen"] + 1, stage=Stage.OVER, subject=method)
    return Struck((event,), ("declined", text))


def _over_limit(fault: WorldFault, row: Row, duty: ToolDuty, ran: Ran) -> Struck:
    del duty
    method, cents = str(ran.values["payment_method_id"]), format_cents(fault.cents)
    text = (
        f"the bank has declined the card of '{method}': it bears {cents} {CURRENCY} a day, and this"
        " would be more; nothing was charged; tell the customer, and ask for another payment method"
    )
    event = _moved(row, seen=row["seen"] + 1, stage=Stage.OPEN, subject=method)
    return Struck((event,), ("declined", text))


def _time_out(fault: WorldFault, row: Row, duty: ToolDuty, ran: Ran) -> Struck:
    del fault, duty, ran
    text = "no answer came in time, so nothing is known of what there is; call it again"
    event = _moved(row, seen=row["seen"] + 1, stage=Stage.OVER)
    return Struck((event,), (TIMED_OUT, text))


def _leave_open(fault: WorldFault, row: Row, duty: ToolDuty, ran: Ran) -> Struck:
    del fault
    made = next(
        one["row"] for one in ran.events if one["op"] == "insert" and one["table"] == "bookings"
    )
    booking_id, subject = made["booking_id"], f"{made['booking_id']} {made['status']}"
    events = (
        _update("bookings", booking_id, status=UNCONFIRMED),
        _moved(row, seen=row["seen"] + 1, stage=Stage.OPEN, subject=subject),
    )
    text = (
        f"it was booked, but no confirmation came back; look it up with {duty.details} to have it"
        " confirmed, and do not book it again"
    )
    result = {"booking_id": booking_id, "status": UNCONFIRMED, "message": text}
    return Struck(events, result=result)


def _misenter(fault: WorldFault, row: Row, duty: ToolDuty, ran: Ran) -> Struck:
    """Store a name or a birth date with a slip, which only who looks the booking up can see."""
    del fault
    held = [one for one in ran.events if one["op"] == "insert" and one["table"] == duty.items]
    if duty.people is None or not held:
        return Struck(())
    rng = derive_rng("slip", held[0]["key"])
    one = rng.choice(held)
    name, birth_date = duty.people
    slips = {name: misspelt(one["row"][name]), birth_date: mistyped(one["row"][birth_date])}
    column = rng.choice([column for column, found in slips.items() if found])
    wrong = _update(duty.items, one["key"], **{column: rng.choice(slips[column])})
    booking_id = one["row"]["booking_id"]
    stage = _moved(row, seen=row["seen"] + 1, stage=Stage.OVER, subject=booking_id)
    return Struck((wrong, stage))


_STRIKES: dict[FaultKind, Callable[[WorldFault, Row, ToolDuty, Ran], Struck]] = {
    FaultKind.SOLD: _sell,
    FaultKind.QUOTE: _expire,
    FaultKind.DECLINED: _decline,
    FaultKind.LIMIT: _over_limit,
    FaultKind.TIMEOUT: _time_out,
    FaultKind.UNCONFIRMED: _leave_open,
    FaultKind.MISENTERED: _misenter,
}


def _moved(row: Row, **values: Any) -> Event:
    return _update(WORLD_FAULTS.name, row["fault_id"], **values)


def _update(table: str, key: str, **values: Any) -> Event:
    plain = {name: str(one) if isinstance(one, StrEnum) else one for name, one in values.items()}
    return {"op": "update", "table": table, "key": key, "set": plain, "owner": WORLD}
