"""What the tables held after each turn: bookings, what they take, and what was paid (section 3.1).

The fold of the events an episode wrote. Initial rows are the task's and not the episode's, so this
is what the episode added to them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crab_graph.analysis.viewer.changes import describe_change
from crab_graph.analysis.viewer.exchanges import Exchange, RowChange
from crab_graph.money import format_dollars
from crab_graph.tools.bookings import BookingStatus, TransactionKind


@dataclass(frozen=True, slots=True)
class HeldBooking:
    """A booking as the tables have it.

    Attributes:
        booking_id: Its id.
        kind: Its kind.
        entity_id: What is booked.
        status: pending, confirmed or cancelled.
        total_cents: What it costs.
        paid_cents: Charges less refunds.
        approved_cents: The approval recorded last, which is the user's and private, or `None`.
        items: What it takes, a line each: seats with their travellers, a room, tickets.
    """

    booking_id: str
    kind: str
    entity_id: str
    status: str
    total_cents: int
    paid_cents: int = 0
    approved_cents: int | None = None
    items: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the booking for the page and for `show --json`, amounts as people write them."""
        approved = self.approved_cents
        return {
            "id": self.booking_id,
            "kind": self.kind,
            "entity": self.entity_id,
            "status": self.status,
            "total": format_dollars(self.total_cents),
            "paid": format_dollars(self.paid_cents),
            "approved": None if approved is None else format_dollars(approved),
            "items": list(self.items),
        }


@dataclass(frozen=True, slots=True)
class Holdings:
    """What an episode's writes have come to so far.

    Attributes:
        bookings: Bookings in the order in which they were made, cancelled ones too.
        stock: By how much each counted stock differs from before the episode, where it does.
        others: Other rows that were added or changed, a line each.
    """

    bookings: tuple[HeldBooking, ...] = ()
    stock: Mapping[str, int] = field(default_factory=dict)
    others: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """What is held in a few words, such as `2 bookings (1 pending), $265.00 paid`."""
        if not self.bookings:
            return "nothing booked"
        counts = Counter(one.status for one in self.bookings)
        active = len(self.bookings) - counts[BookingStatus.CANCELLED]
        states = [
            f"{counts[status]} {status}"
            for status in (BookingStatus.PENDING, BookingStatus.CANCELLED)
            if counts[status]
        ]
        brackets = f" ({', '.join(states)})" if states else ""
        paid = format_dollars(sum(one.paid_cents for one in self.bookings))
        return f"{active} {'booking' if active == 1 else 'bookings'}{brackets}, {paid} paid"

    def as_json(self) -> dict[str, Any]:
        """Return what is held for the page and for `show --json`."""
        return {
            "summary": self.summary,
            "bookings": [booking.as_json() for booking in self.bookings],
            "stock": dict(self.stock),
            "others": list(self.others),
        }

    def after(self, changes: Iterable[RowChange]) -> "Holdings":
        """Return what is held once some rows were written."""
        bookings = {booking.booking_id: booking for booking in self.bookings}
        stock = dict(self.stock)
        others = list(self.others)
        for change in changes:
            booking_id = _booking_id(change)
            if change.op == "add":
                _count(stock, change)
            elif change.table == "bookings" and change.op == "insert":
                bookings[change.key] = _opened(change)
            elif booking_id in bookings:
                bookings[booking_id] = _amended(bookings[booking_id], change)
            else:
                others.append(f"{change.table} {change.key} {describe_change(change)}")
        return Holdings(tuple(bookings.values()), stock, tuple(others))


def follow_holdings(exchanges: Sequence[Exchange]) -> list[Holdings]:
    """Return what the tables held after each exchange; where nothing was written, as before."""
    held = Holdings()
    followed = []
    for exchange in exchanges:
        changes = [change for call in exchange.calls for change in call.changes]
        held = held.after(changes) if changes else held
        followed.append(held)
    return followed


def _booking_id(change: RowChange) -> str:
    return change.key if change.table == "bookings" else str(change.values.get("booking_id", ""))


def _opened(change: RowChange) -> HeldBooking:
    row = change.values
    return HeldBooking(
        change.key,
        str(row.get("kind", "")),
        str(row.get("entity_id", "")),
        str(row.get("status", "")),
        int(row.get("total_cents", 0)),
    )


def _amended(booking: HeldBooking, change: RowChange) -> HeldBooking:
    """Return a booking once a row about it was written: itself, a payment, or what it takes."""
    values = change.values
    match change.table:
        case "bookings":
            known = {name: values[name] for name in ("status", "total_cents") if name in values}
            return replace(booking, **known)
        case "transactions":
            cents = int(values.get("amount_cents", 0))
            sign = 1 if values.get("kind") == TransactionKind.CHARGE else -1
            return replace(booking, paid_cents=booking.paid_cents + sign * cents)
        case "approvals":
            return replace(booking, approved_cents=int(values.get("amount_cents", 0)))
    rest = {name: value for name, value in values.items() if name != "booking_id"}
    line = describe_change(replace(change, values=rest))
    if change.op != "remove":
        return replace(booking, items=(*booking.items, line))
    return replace(booking, items=tuple(item for item in booking.items if item != line))


def _count(stock: dict[str, int], change: RowChange) -> None:
    for column, delta in change.values.items():
        name = f"{change.table} {change.key} {column}"
        stock[name] = stock.get(name, 0) + delta
        if not stock[name]:
            del stock[name]
