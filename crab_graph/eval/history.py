"""The life of each booking made in an episode, with the places in the trace where it changed."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

from crab_graph.eval.replay import Trajectory
from crab_graph.tools.bookings import BookingStatus, TransactionKind
from crab_graph.tools.fault_schedule import FaultKind
from crab_graph.tools.ledger import WORLD, Event
from crab_graph.tools.registry import Owner
from crab_graph.tools.tables import Row

NEVER = float("inf")
_SHOWN = re.compile(r'"(\d+)\.(\d\d)"')
"""A price as answers show it."""


@dataclass(frozen=True, slots=True)
class Payment:
    """A charge, a refund, or an approval, whose id it then has; the amount is always positive."""

    seq: int
    transaction_id: str
    booking_id: str
    payment_method_id: str
    cents: int

    @classmethod
    def of(cls, seq: int, key: str, row: Row) -> Self:
        """Return what a row says that a call wrote."""
        return cls(seq, key, row["booking_id"], row["payment_method_id"], row["amount_cents"])

    @property
    def terms(self) -> tuple[str, str, int]:
        """What an approval and its charge have in common."""
        return self.booking_id, self.payment_method_id, self.cents


@dataclass(frozen=True, slots=True)
class BookingRecord:
    """A booking made in the episode, with the slot it fits, and its places in the trace."""

    booking_id: str
    kind: str
    entity_id: str
    slot: str | None
    made_at: int
    cancelled_at: float = NEVER
    confirmed_at: float = NEVER

    def is_active(self, seq: float) -> bool:
        """Return whether it is active just before a place in the trace."""
        return self.made_at < seq <= self.cancelled_at

    def is_confirmed(self, seq: float) -> bool:
        """Return whether it is active and confirmed just before a place in the trace."""
        return self.is_active(seq) and self.confirmed_at < seq


class BookingPrice(NamedTuple):
    """What a booking costs from a place in the trace on."""

    seq: int
    booking_id: str
    cents: int


@dataclass
class History:
    """What was booked, charged and refunded, and when; all of it in order.

    A price is noted each time a booking is made or changed; `writes` are places of the agent's
    booking writes, `transferred_at` those of successful calls that transfer to a human, and
    `limits` are what cards bear a day, as the bank tells where it declines one. `answers` are what
    the agent's calls returned, with their places, and `units` how many of an offer are needed.
    """

    by_id: dict[str, BookingRecord] = field(default_factory=dict)
    prices: list[BookingPrice] = field(default_factory=list)
    charges: list[Payment] = field(default_factory=list)
    refunds: list[Payment] = field(default_factory=list)
    approvals: list[Payment] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)
    transferred_at: list[int] = field(default_factory=list)
    limits: frozenset[int] = frozenset()
    answers: list[tuple[int, str]] = field(default_factory=list)
    units: frozenset[int] = frozenset()

    @property
    def bookings(self) -> list[BookingRecord]:
        """The bookings in the order in which they were made."""
        return list(self.by_id.values())

    @property
    def last_write(self) -> int:
        """Place of the last booking write; 0 if there is none."""
        return self.writes[-1] if self.writes else 0

    def filling(self, seq: float) -> dict[str, list[BookingRecord]]:
        """Return the active bookings of each slot just before a place in the trace."""
        slots: dict[str, list[BookingRecord]] = {}
        for booking in self.by_id.values():
            if booking.slot is not None and booking.is_active(seq):
                slots.setdefault(booking.slot, []).append(booking)
        return slots

    def price_before(self, booking_id: str, seq: float) -> BookingPrice | None:
        """Return what a booking made in the episode cost just before a place in the trace."""
        known = self._prices_before(booking_id, seq)
        return known[-1] if known else None

    def cents_before(self, booking: BookingRecord, seq: float) -> int:
        """Return what a booking, which was made by then, cost just before a place in the trace."""
        return self._prices_before(booking.booking_id, seq)[-1].cents

    def _prices_before(self, booking_id: str, seq: float) -> list[BookingPrice]:
        return [one for one in self.prices if one.booking_id == booking_id and one.seq < seq]

    def captured(self, booking_id: str | None = None) -> int:
        """Return charges minus refunds of a booking, or of all."""
        charged, refunded = (
            sum(one.cents for one in payments if booking_id in (None, one.booking_id))
            for payments in (self.charges, self.refunds)
        )
        return charged - refunded

    def charged_at(self, booking_id: str) -> float:
        """Return the place of a booking's last charge, or infinity."""
        places = [charge.seq for charge in self.charges if charge.booking_id == booking_id]
        return places[-1] if places else NEVER

    def shown(self, prices: Collection[int], seq: float) -> set[int]:
        """Return the prices that the agent was shown before a place, and those of needed units."""
        units = {1, *self.units}
        return {
            cents
            for cents in prices
            if any(
                cents % one == 0 and self._shown_at.get(cents // one, NEVER) < seq for one in units
            )
        }

    @cached_property
    def _shown_at(self) -> dict[int, int]:
        """Where each price first stood in an answer to the agent."""
        found: dict[int, int] = {}
        for seq, content in self.answers:
            for whole, cents in _SHOWN.findall(content):
                found.setdefault(int(whole) * 100 + int(cents), seq)
        return found


def read_history(
    trajectory: Trajectory,
    slot_of: Callable[[str], str | None],
    units: Collection[int] = (),
) -> History:
    """Return the history of an episode whose job needs some numbers of units."""
    faults = trajectory.ledger.world.faults
    limits = frozenset(one.cents for one in faults if one.kind is FaultKind.LIMIT)
    history = History(limits=limits, units=frozenset(units) - {0})
    for step in trajectory.calls:
        if step.owner is Owner.AGENT:
            history.answers.append((step.seq, step.content))
        for event in step.events:
            _record(history, step.seq, event, slot_of)
        tables = {event["table"] for event in step.events if event.get("owner") != WORLD}
        if step.owner is Owner.AGENT and tables & {"bookings", "transactions"}:
            history.writes.append(step.seq)
    return history


def _changed(booking: BookingRecord, status: str, seq: int) -> BookingRecord:
    """Return a booking whose status has changed."""
    if status == BookingStatus.CANCELLED:
        return replace(booking, cancelled_at=seq)
    return replace(booking, confirmed_at=seq) if status == BookingStatus.CONFIRMED else booking


def _record(history: History, seq: int, event: Event, slot_of: Callable[[str], str | None]) -> None:
    key, row = event["key"], event.get("row", {})
    match event["op"], event["table"]:
        case "insert", "bookings":
            entity_id, slot = row["entity_id"], slot_of(row["entity_id"])
            confirmed_at = seq if row["status"] == BookingStatus.CONFIRMED else NEVER
            history.by_id[key] = BookingRecord(
                key, row["kind"], entity_id, slot, seq, confirmed_at=confirmed_at
            )
            history.prices.append(BookingPrice(seq, key, row["total_cents"]))
        case "update", "bookings":
            values = event["set"]
            if key in history.by_id and "status" in values:
                history.by_id[key] = _changed(history.by_id[key], values["status"], seq)
            if "total_cents" in values:
                history.prices.append(BookingPrice(seq, key, values["total_cents"]))
        case "insert", "transactions":
            is_charge = row["kind"] == TransactionKind.CHARGE
            (history.charges if is_charge else history.refunds).append(Payment.of(seq, key, row))
        case "insert", "approvals":
            history.approvals.append(Payment.of(seq, key, row))
        case "insert", "transfers":
            history.transferred_at.append(seq)
