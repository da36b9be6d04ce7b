"""Money: all is paid, by a sound method, as approved and as priced (rulebook §4, D19 to D22)."""

from crab_graph.eval.checks import CheckResult, Evidence, FailureMode, judge, seen
from crab_graph.eval.history import Payment
from crab_graph.eval.reading import Episode
from crab_graph.eval.verifier import Verifier
from crab_graph.money import format_dollars
from crab_graph.tools.bookings import BookingStatus


def _paid(episode: Episode) -> CheckResult:
    """D19: every active slot booking is confirmed, and its net capture is its amount (§4)."""
    violations: list[Evidence] = []
    for held in episode.trip.slots.values():
        for booking in held:
            captured = episode.history.captured(booking.booking_id)
            is_paid = captured == booking.total_cents
            if booking.status != BookingStatus.CONFIRMED or not is_paid:
                text = (
                    f"{booking.booking_id} is {booking.status}, {format_dollars(captured)}"
                    f" of {format_dollars(booking.total_cents)} captured"
                )
                violations.append(seen(text, rows=[f"bookings/{booking.booking_id}"]))
    return judge(violations)


def _registered_methods(episode: Episode) -> CheckResult:
    """D20: each capture used a method of the task customer, registered at that time (§4)."""
    customer_id = episode.reading.task.customer_id
    ledger = episode.trajectory.ledger
    registered_at = {
        event["key"]: step.seq
        for step in episode.trajectory.calls
        for event in step.events
        if event["op"] == "insert" and event["table"] == "payment_methods"
    }
    violations = []
    for charge in episode.history.charges:
        method = ledger.get("payment_methods", charge.payment_method_id)
        is_own = method is not None and method["customer_id"] == customer_id
        if not is_own or registered_at.get(charge.payment_method_id, 0) > charge.seq:
            violations.append(
                _told(charge, f"{charge.payment_method_id} was no method of {customer_id}")
            )
    return judge(violations)


def _approved(episode: Episode) -> CheckResult:
    """D21: each capture is covered by an earlier approval of its own, equal in every part (§4)."""
    unused = list(episode.history.approvals)
    violations = []
    for charge in episode.history.charges:
        covering = next((item for item in unused if _covers(item, charge)), None)
        if covering is None:
            violations.append(_told(charge, "no earlier approval covers it exactly"))
        else:
            unused.remove(covering)
    return judge(violations)


def _covers(approval: Payment, charge: Payment) -> bool:
    return (
        approval.seq < charge.seq
        and approval.booking_id == charge.booking_id
        and approval.payment_method_id == charge.payment_method_id
        and approval.cents == charge.cents
    )


def _amounts(episode: Episode) -> CheckResult:
    """D22: active bookings amount to the price due; no money is held outside them (§4)."""
    violations = [
        seen(
            f"{booking.booking_id} amounts to {format_dollars(booking.total_cents)},"
            f" {format_dollars(booking.due_cents)} are due",
            rows=[f"bookings/{booking.booking_id}"],
        )
        for booking in episode.active.values()
        if booking.total_cents != booking.due_cents
    ]
    for charge in episode.history.charges:
        held = episode.history.captured(charge.booking_id)
        if charge.booking_id not in episode.active and held:
            text = f"{format_dollars(held)} are held for {charge.booking_id}, which is not active"
            violations.append(_told(charge, text))
    return judge(violations)


def _told(charge: Payment, text: str) -> Evidence:
    said = f"{charge.transaction_id} ({format_dollars(charge.cents)}): {text}"
    return seen(said, rows=[f"transactions/{charge.transaction_id}"])


VERIFIERS = (
    Verifier("D19", "every booking paid in full", _paid, FailureMode.PAYMENT),
    Verifier(
        *("D20", "paid with the customer's own method", _registered_methods, FailureMode.PAYMENT)
    ),
    Verifier("D21", "every charge approved before", _approved, FailureMode.PAYMENT),
    Verifier("D22", "amounts as priced", _amounts, FailureMode.PAYMENT),
)
