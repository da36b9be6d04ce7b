"""One episode laid out for the verifiers: trace, history, dialogue and the final trip (§1, §3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from crab_graph.domains.verification import SlotBooking, Trip, booking_values
from crab_graph.eval.dialogue import Dialogue
from crab_graph.eval.history import History, read_history
from crab_graph.eval.replay import Trajectory
from crab_graph.eval.task_reading import TaskReading
from crab_graph.generation.constraints import Ref, Value
from crab_graph.text.mentions import LISTING_CAP
from crab_graph.tools.bookings import BookingStatus


class TripState(StrEnum):
    """How much of the trip is booked at the end (rulebook §3)."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"


@dataclass(frozen=True, eq=False)
class Episode:
    """What the verifiers read.

    Attributes:
        reading: The task, prepared.
        trajectory: What happened.
        history: The life of each booking.
        dialogue: What was said.
        trip: What is booked at the end.
    """

    reading: TaskReading
    trajectory: Trajectory
    history: History
    dialogue: Dialogue
    trip: Trip

    @cached_property
    def active(self) -> Mapping[str, SlotBooking]:
        """All active bookings at the end, by id, surplus included."""
        filling = (booking for slot in self.trip.slots.values() for booking in slot)
        return {booking.booking_id: booking for booking in (*filling, *self.trip.surplus)}

    @cached_property
    def confirmed(self) -> Mapping[str, SlotBooking]:
        """The active bookings that are confirmed."""
        return {
            booking_id: booking
            for booking_id, booking in self.active.items()
            if booking.status == BookingStatus.CONFIRMED
        }

    @cached_property
    def filled(self) -> Mapping[str, SlotBooking]:
        """The booking of each slot that exactly one booking fills."""
        return {slot: held[0] for slot, held in self.trip.slots.items() if len(held) == 1}

    @cached_property
    def values(self) -> Mapping[Ref, Value]:
        """What constraints can ask of the slots that one booking fills."""
        values: dict[Ref, Value] = {}
        for slot, booking in self.filled.items():
            values.update(booking_values(slot, booking))
        return values

    @cached_property
    def state(self) -> TripState:
        """How much of the trip is booked."""
        if not self.active:
            return TripState.NONE
        is_full = (
            set(self.filled) == set(self.reading.slots)
            and not self.trip.surplus
            and all(
                booking.status == BookingStatus.CONFIRMED
                and self.history.captured(booking.booking_id) == booking.total_cents
                for booking in self.filled.values()
            )
        )
        return TripState.FULL if is_full else TripState.PARTIAL


def lay_out(
    reading: TaskReading, trajectory: Trajectory, listing_cap: int | None = LISTING_CAP
) -> Episode:
    """Lay out a replayed episode for the verifiers."""
    task = reading.task
    history = read_history(trajectory, reading.catalogue.slot_of)
    return Episode(
        reading=reading,
        trajectory=trajectory,
        history=history,
        dialogue=Dialogue(trajectory, reading.catalogue, history, listing_cap),
        trip=task.domain.read_trip(trajectory.ledger, task.request, task.customer_id),
    )
