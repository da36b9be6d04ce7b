"""Money: all is paid, by a sound method, as approved and as priced (rulebook §4, D19 to D22)."""

from crab_graph.domain.verification import Role
from crab_graph.eval.checks import CheckResult, Evidence, judge, seen, seen_on
from crab_graph.eval.history import Payment
from crab_graph.eval.reading import Episode
from crab_graph.eval.verifier import verifier
from crab_graph.money import format_dollars
from crab_graph.tools.bookings import BookingStatus


@verifier("D19", Role.PAID, "every booking paid in full")
def paid(episode: Episode) -> CheckResult:
    """D19: every active booking of a slot without surplus is confirmed and paid in full (§4)."""
    violations = []
    for booking in episode.filled.values():
        captured = episode.history.captured(booking.booking_id)
        if booking.status != BookingStatus.CONFIRMED or captured != booking.total_cents:
            text = (
                f"{booking.booking_id} is {booking.status}, {format_dollars(captured)}"
                f" of {format_dollars(booking.total_cents)} captured"
            )
            violations.append(seen_on(booking.booking_id, text))
    return judge(violations)


@verifier("D20", Role.METHOD, "paid with the customer's own method")
def own_method(episode: Episode) -> CheckResult:
    """D20: each capture used a method of the task customer, registered at that time (§4)."""
    customer_id = episode.reading.task.customer_id
    registered_at = {
        event["key"]: step.seq
        for step in episode.trajectory.calls
        for event in step.events
        if event["op"] == "insert" and event["table"] == "payment_methods"
    }
    violations = []
    for charge in episode.history.charges:
        method_id = charge.payment_method_id
        method = episode.trajectory.ledger.get("payment_methods", method_id)
        is_own = method is not None and method["customer_id"] == customer_id
        if not is_own or registered_at.get(method_id, 0) > charge.seq:
            violations.append(
                _seen_on_charge(charge, f"{method_id} was no method of {customer_id}")
            )
    return judge(violations)


@verifier("D21", Role.CHARGE_APPROVED, "every charge approved before")
def approved(episode: Episode) -> CheckResult:
    """D21: each capture is covered by an earlier approval of its own, equal in every part (§4)."""
    unused = list(episode.history.approvals)
    violations = []
    for charge in episode.history.charges:
        for approval in unused:
            if approval.seq < charge.seq and approval.terms == charge.terms:
                unused.remove(approval)
                break
        else:
            violations.append(_seen_on_charge(charge, "no earlier approval covers it exactly"))
    return judge(violations)


@verifier("D22", Role.AMOUNT, "amounts as priced")
def amounts(episode: Episode) -> CheckResult:
    """D22: active bookings amount to the price due; no money is held outside them (§4)."""
    violations = [
        seen_on(
            booking.booking_id,
            f"{booking.booking_id} amounts to {format_dollars(booking.total_cents)},"
            f" {format_dollars(booking.due_cents)} are due",
        )
        for booking in episode.active.values()
        if booking.total_cents != booking.due_cents
    ]
    for charge in episode.history.charges:
        held = episode.history.captured(charge.booking_id)
        if charge.booking_id not in episode.active and held:
            text = f"{format_dollars(held)} are held for {charge.booking_id}, which is not active"
            violations.append(_seen_on_charge(charge, text))
    return judge(violations)


def _seen_on_charge(charge: Payment, text: str) -> Evidence:
    said = f"{charge.transaction_id} ({format_dollars(charge.cents)}): {text}"
    return seen(said, f"transactions/{charge.transaction_id}")
