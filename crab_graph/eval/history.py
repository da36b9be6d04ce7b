"""The life of each booking made in an episode, with the places in the trace where it changed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from crab_graph.eval.replay import CallStep, Trajectory
from crab_graph.tools.bookings import BookingStatus, TransactionKind
from crab_graph.tools.tool import Owner

_NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Payment:
    """A charge or a refund.

    Attributes:
        seq: Place of the call in the trace.
        transaction_id: Its id.
        booking_id: What it is for.
        payment_method_id: What it is charged to.
        cents: Its amount, positive for both.
    """

    seq: int
    transaction_id: str
    booking_id: str
    payment_method_id: str
    cents: int


@dataclass(frozen=True, slots=True)
class BookingRecord:
    """A booking made in the episode, cancelled ones too.

    Attributes:
        booking_id: Its id.
        kind: Its kind.
        entity_id: What was booked.
        slot: The slot that fits, or `None`.
        made_at: Place in the trace where it was made.
        cancelled_at: Place where it was cancelled, or infinity.
    """

    booking_id: str
    kind: str
    entity_id: str
    slot: str | None
    made_at: int
    cancelled_at: float = _NEVER

    def is_active(self, seq: float) -> bool:
        """Return whether it is active just before a place in the trace."""
        return self.made_at < seq <= self.cancelled_at


class BookingPrice(NamedTuple):
    """What a booking costs from a place in the trace on."""

    seq: int
    booking_id: str
    cents: int


@dataclass(frozen=True)
class History:
    """What was booked, charged and refunded, and when.

    Attributes:
        bookings: Bookings in the order in which they were made.
        prices: What they cost, each time one was made or changed.
        charges: Charges in order.
        refunds: Refunds in order.
        approvals: Recorded payment approvals in order; their `transaction_id` is the approval's id.
        writes: Places of the agent's booking writes.
        transferred_at: Places of successful calls that transfer to a human.
    """

    bookings: tuple[BookingRecord, ...]
    prices: tuple[BookingPrice, ...]
    charges: tuple[Payment, ...]
    refunds: tuple[Payment, ...]
    approvals: tuple[Payment, ...]
    writes: tuple[int, ...]
    transferred_at: tuple[int, ...]

    @cached_property
    def by_id(self) -> dict[str, BookingRecord]:
        """Bookings by id."""
        return {booking.booking_id: booking for booking in self.bookings}

    @property
    def last_write(self) -> int:
        """Place of the last booking write; 0 if there is none."""
        return self.writes[-1] if self.writes else 0

    def filling(self, seq: float) -> dict[str, list[BookingRecord]]:
        """Return the active bookings of each slot just before a place in the trace."""
        slots: dict[str, list[BookingRecord]] = {}
        for booking in self.bookings:
            if booking.slot is not None and booking.is_active(seq):
                slots.setdefault(booking.slot, []).append(booking)
        return slots

    def price_before(self, booking_id: str, seq: float) -> BookingPrice | None:
        """Return what a booking made in the episode cost just before a place in the trace."""
        known = [one for one in self.prices if one.booking_id == booking_id and one.seq < seq]
        return known[-1] if known else None

    def captured(self, booking_id: str) -> int:
        """Return charges minus refunds of a booking."""
        return _sum_for(self.charges, booking_id) - _sum_for(self.refunds, booking_id)

    def charged_at(self, booking_id: str) -> float:
        """Return the place of a booking's last charge, or infinity."""
        places = [charge.seq for charge in self.charges if charge.booking_id == booking_id]
        return places[-1] if places else _NEVER


def read_history(trajectory: Trajectory, slot_of: Callable[[str], str | None]) -> History:
    """Return the history of an episode."""
    recorder = _Recorder(slot_of)
    for step in filter(attrgetter("events"), trajectory.calls):
        recorder.record(step)
    return History(
        tuple(recorder.bookings.values()),
        tuple(recorder.prices),
        tuple(recorder.charges),
        tuple(recorder.refunds),
        tuple(recorder.approvals),
        tuple(recorder.writes),
        tuple(recorder.transferred_at),
    )


@dataclass
class _Recorder:
    slot_of: Callable[[str], str | None]
    bookings: dict[str, BookingRecord] = field(default_factory=dict)
    prices: list[BookingPrice] = field(default_factory=list)
    charges: list[Payment] = field(default_factory=list)
    refunds: list[Payment] = field(default_factory=list)
    approvals: list[Payment] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)
    transferred_at: list[int] = field(default_factory=list)

    def record(self, step: CallStep) -> None:
        for event in step.events:
            key = event["key"]
            match event["op"], event["table"]:
                case "insert", "bookings":
                    row = event["row"]
                    entity_id = row["entity_id"]
                    slot = self.slot_of(entity_id)
                    self.bookings[key] = BookingRecord(key, row["kind"], entity_id, slot, step.seq)
                    self.prices.append(BookingPrice(step.seq, key, row["total_cents"]))
                case "update", "bookings":
                    values = event["set"]
                    if values.get("status") == BookingStatus.CANCELLED and key in self.bookings:
                        self.bookings[key] = replace(self.bookings[key], cancelled_at=step.seq)
                    if "total_cents" in values:
                        self.prices.append(BookingPrice(step.seq, key, values["total_cents"]))
                case "insert", "transactions":
                    is_charge = event["row"]["kind"] == TransactionKind.CHARGE
                    payments = self.charges if is_charge else self.refunds
                    payments.append(_payment(step, key, event["row"]))
                case "insert", "approvals":
                    self.approvals.append(_payment(step, key, event["row"]))
                case "insert", "transfers":
                    self.transferred_at.append(step.seq)
        is_booking_write = any(event["table"] in _WRITTEN for event in step.events)
        if step.owner is Owner.AGENT and is_booking_write:
            self.writes.append(step.seq)


_WRITTEN = ("bookings", "transactions")


def _payment(step: CallStep, key: str, row: dict[str, object]) -> Payment:
    return Payment(
        step.seq,
        key,
        str(row["booking_id"]),
        str(row["payment_method_id"]),
        int(str(row["amount_cents"])),
    )


def _sum_for(payments: Iterable[Payment], booking_id: str) -> int:
    return sum(payment.cents for payment in payments if payment.booking_id == booking_id)
