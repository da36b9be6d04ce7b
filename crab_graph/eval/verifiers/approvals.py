"""What is booked beside what the user approved (rulebook §5 to §7, paper A.1)."""

from collections.abc import Iterator

from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, Evidence, judge, seen
from crab_graph.eval.episode import Episode
from crab_graph.eval.failure_mode import FailureMode
from crab_graph.eval.verifier import Duty, Verifier, undisclosed


def _approved_plan(episode: Episode) -> CheckResult:
    """F-AP: what is booked is what the user approved last, and nothing it had rejected (§5)."""
    approved = episode.dialogue.approvals.approved
    violations, support, triggered = [], [], False
    for booking_id, booking in episode.active.items():
        record = episode.history.by_id[booking_id]
        held = approved.get(record.slot or "", frozenset())
        was_rejected = booking.entity_id in (
            episode.dialogue.approvals_before(record.made_at).rejected
        )
        if not held and not was_rejected:
            continue
        triggered = True
        rows = [f"bookings/{booking_id}"]
        is_healed = episode.dialogue.is_approved_after(booking.entity_id, record.made_at)
        if was_rejected and not is_healed:
            text = f"{booking.entity_id} was booked after the user had rejected it"
            violations.append(seen(text, rows=rows))
        elif held and booking.entity_id not in held:
            text = f"{booking.entity_id} is booked, {', '.join(sorted(held))} was approved"
            violations.append(seen(text, rows=rows))
        else:
            support.append(seen(f"{booking.entity_id} was approved", rows=rows))
    return judge(violations, support) if triggered else NOT_TRIGGERED


def _unapproved(episode: Episode) -> Iterator[Evidence]:
    for booking_id, booking in episode.active.items():
        record = episode.history.by_id[booking_id]
        standing = episode.dialogue.approvals_before(record.made_at).approved
        if booking.entity_id not in standing.get(record.slot or "", frozenset()):
            yield undisclosed(f"approval of {booking.entity_id} when it was booked", booking_id)


def _approved(episode: Episode) -> tuple[int, int]:
    approved = episode.dialogue.approvals.approved
    booked = episode.active.values()
    return sum(bool(approved.get(booking.slot or "")) for booking in booked), len(booked)


VERIFIERS = (
    Verifier(
        "F-AP",
        "booked what the user approved",
        _approved_plan,
        FailureMode.PLAN_DEVIATION,
        Duty(_unapproved, lambda episode: bool(episode.active)),
        _approved,
    ),
)
