"""What the tables held after each turn: bookings, what they take, and what was paid (section 3.1).

The fold of the events an episode wrote. Initial rows are the task's and not the episode's, so this
is what the episode added to them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crab_graph.analysis.viewer.exchanges import Exchange, RowChange, describe_change
from crab_graph.money import format_dollars
from crab_graph.tools.bookings import BookingStatus, TransactionKind


@dataclass(frozen=True, slots=True)
class HeldBooking:
    """A booking as the tables have it."""

    booking_id: str
    kind: str
    entity_id: str
    status: str
    total_cents: int
    paid_cents: int = 0
    """Charges less refunds."""
    approved_cents: int | None = None
    """The approval recorded last, which is the user's and private."""
    items: tuple[str, ...] = ()
    """What it takes, a line each: seats with their travellers, a room, tickets."""

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

    def after(self, change: RowChange) -> "HeldBooking":
        """Return it once a row about it was written: itself, a payment, or what it takes."""
        values = change.values
        match change.table:
            case "bookings":
                known = {name: values[name] for name in ("status", "total_cents") if name in values}
                return replace(self, **known)
            case "transactions":
                sign = 1 if values["kind"] == TransactionKind.CHARGE else -1
                return replace(self, paid_cents=self.paid_cents + sign * values["amount_cents"])
            case "approvals":
                return replace(self, approved_cents=values["amount_cents"])
        rest = {name: value for name, value in values.items() if name != "booking_id"}
        line = describe_change(change._replace(values=rest))
        if change.op != "remove":
            return replace(self, items=(*self.items, line))
        return replace(self, items=tuple(item for item in self.items if item != line))


@dataclass(frozen=True, slots=True)
class Holdings:
    """What an episode's writes have come to so far."""

    bookings: tuple[HeldBooking, ...] = ()
    """In the order in which they were made, cancelled ones too."""
    stock: Mapping[str, int] = field(default_factory=dict)
    """By how much each counted stock differs from before the episode, where it does."""
    others: tuple[str, ...] = ()
    """Other rows that were added or changed, a line each."""

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
        stock = Counter(self.stock)
        others = list(self.others)
        for change in changes:
            table, key, op, row = change
            booking_id = key if table == "bookings" else row.get("booking_id")
            if op == "add":
                for column, delta in row.items():
                    name = f"{table} {key} {column}"
                    stock[name] += delta
                    if not stock[name]:
                        del stock[name]
            elif table == "bookings" and op == "insert":
                about = (row["kind"], row["entity_id"], row["status"], row["total_cents"])
                bookings[key] = HeldBooking(key, *about)
            elif booking_id in bookings:
                bookings[booking_id] = bookings[booking_id].after(change)
            else:
                others.append(f"{table} {key} {describe_change(change)}")
        return Holdings(tuple(bookings.values()), dict(stock), tuple(others))


def follow_holdings(exchanges: Sequence[Exchange]) -> list[Holdings]:
    """Return what the tables held after each exchange; where nothing was written, as before."""
    held = Holdings()
    followed = []
    for exchange in exchanges:
        changes = [change for call in exchange.calls for change in call.changes]
        held = held.after(changes) if changes else held
        followed.append(held)
    return followed
