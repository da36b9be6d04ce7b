"""Mutations of money and of rows that are nobody's business: M19–M26."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from crab_graph.analysis.audit.operator import Operator, operator
from crab_graph.analysis.audit.telling import Telling
from crab_graph.eval.replay import CallStep, Trajectory
from crab_graph.tools.ledger import Event, Ledger

_SLOT = "outbound"
_UNKNOWN_METHOD = "PM-99999999"
_DOLLAR = 100


def with_events(trajectory: Trajectory, change: Callable[[Event], Event]) -> Trajectory:
    """Return a trajectory whose calls wrote something else."""
    steps = tuple(
        step._replace(events=tuple(change(event) for event in step.events))
        if isinstance(step, CallStep)
        else step
        for step in trajectory.steps
    )
    events = [event for step in steps if isinstance(step, CallStep) for event in step.events]
    ledger = Ledger.fold(trajectory.ledger.world, events)
    return Trajectory(steps, ledger, trajectory.token, trajectory.discrepancies)


def _unregistered(trajectory: Trajectory, booking_ids: Mapping[str, str]) -> Trajectory:
    def change(event: Event) -> Event:
        row = event.get("row", {})
        if row.get("booking_id") != booking_ids[_SLOT] or "payment_method_id" not in row:
            return event
        return event | {"row": row | {"payment_method_id": _UNKNOWN_METHOD}}

    return with_events(trajectory, change)


def _raised(trajectory: Trajectory, booking_ids: Mapping[str, str]) -> Trajectory:
    def change(event: Event) -> Event:
        row = event.get("row", {})
        if row.get("booking_id") != booking_ids[_SLOT]:
            return event
        raised = {
            column: row[column] + _DOLLAR
            for column in ("total_cents", "amount_cents")
            if column in row
        }
        return event | {"row": row | raised}

    return with_events(trajectory, change)


def _one_pending(telling: Telling) -> Telling:
    return replace(telling, uncharged=frozenset({_SLOT}), offers_transfer=True)


def _dearer_than_due(telling: Telling) -> Telling | None:
    budget = telling.task.request.budget_cents
    if budget is not None and telling.cents + _DOLLAR > budget:
        return None
    asked = replace(telling.item(_SLOT), surcharge=_DOLLAR)
    return replace(telling.swapped(asked), changes=(*telling.changes, _raised))


def _other_amount(telling: Telling) -> Telling:
    return replace(telling, approved_cents={_SLOT: telling.item(_SLOT).cents - 1})


def _other_customer(telling: Telling) -> Telling | None:
    customers = telling.task.world.rows("customers")
    others = (row["customer_id"] for row in customers)
    other = next((one for one in others if one != telling.task.customer_id), None)
    if other is None:
        return None
    call = ("update_customer", {"customer_id": other, "address": "12 Nowhere Lane"})
    return replace(telling, calls=(*telling.calls, call))


def _baseline_cancelled(telling: Telling) -> Telling | None:
    bookings = telling.task.world.rows("bookings")
    baseline = next(
        (row for row in bookings if row["kind"] == "flight" and row["status"] == "confirmed"), None
    )
    if baseline is None:
        return None
    call = ("cancel_flight", {"booking_id": baseline["booking_id"]})
    return replace(telling, calls=(*telling.calls, call))


PAYMENT_MUTATIONS: tuple[Operator, ...] = (
    operator("M19", _one_pending, "D19"),
    operator("M20", lambda old: replace(old, changes=(*old.changes, _unregistered)), "D20"),
    operator("M21", lambda old: replace(old, unapproved=frozenset({_SLOT})), "D21"),
    operator("M22", lambda old: replace(old, late=frozenset({_SLOT})), "D21"),
    operator("M23", _other_amount, "D21"),
    operator("M24", _dearer_than_due, "D22"),
    operator("M25", _other_customer, "D23"),
    operator("M26", _baseline_cancelled, "D23"),
)
