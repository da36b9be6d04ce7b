"""What is booked against the task: the checks that a domain declares, and D05 and D07 (§4)."""

from collections import Counter
from functools import partial

from crab_graph.domain.verification import DomainCheck, Role
from crab_graph.eval.checks import (
    NOT_EVALUATED,
    CheckResult,
    Evidence,
    Results,
    judge,
    seen,
    seen_on,
)
from crab_graph.eval.reading import Episode, TaskReading
from crab_graph.eval.verifier import Verifier, verifier
from crab_graph.generation.constraints import Constraint
from crab_graph.schema import canonical_json
from crab_graph.text.utterance import name_form, normalise


def declared_verifiers(reading: TaskReading) -> tuple[Verifier, ...]:
    """Return the verifiers of what a task's domain declares: slots, and constraints."""
    return tuple(
        Verifier(
            check.id,
            check.role,
            check.title,
            partial(_filled if check.role is Role.SLOT_FILLED else _constraints_hold, check),
        )
        for check in reading.checks
    )


def agrees_with_certificate(episode: Episode, results: Results) -> bool:
    """Return whether the constraint checks agree with membership in the certified solutions.

    A job whose slots are not filled once each, or with other units than needed, is no candidate.
    """
    failed = {check.role for check in episode.reading.checks if results[check.id].is_failure}
    if set(episode.filled) != set(episode.reading.slots) or Role.UNITS in failed:
        return True
    if any(booking.total_cents != booking.due_cents for booking in episode.filled.values()):
        return True
    solution = episode.reading.grading.solution_of(episode.job)
    known = episode.reading.solutions
    is_certified = canonical_json(solution) in known
    certificate = episode.reading.task.spec.certificate
    if not is_certified and not certificate.ok and len(known) < certificate.sql:
        return True  # made without repair, the task has more solutions than are kept
    return is_certified != bool(failed)


def _filled(check: DomainCheck, episode: Episode) -> CheckResult:
    """`slot_filled`: a slot has at least one active booking (§4)."""
    held = episode.job.slots[check.slot or ""]
    missing = [] if held else [seen(f"nothing is booked for {check.slot}")]
    return judge(missing, [seen_on(booking.booking_id, "booked") for booking in held])


@verifier("D05", Role.SURPLUS, "nothing surplus booked")
def no_surplus(episode: Episode) -> CheckResult:
    """D05: no active booking fits no slot or comes second in one (§3, §4)."""
    return judge(
        seen_on(booking.booking_id, f"{booking.booking_id} ({booking.entity_id}) is surplus")
        for booking in episode.job.surplus
    )


@verifier("D07", Role.PERSON, "people as they are")
def people(episode: Episode) -> CheckResult:
    """D07: everyone stored on a booking equals somebody else of the profile (§4)."""
    stored = [booking for booking in episode.filled.values() if booking.people]
    violations = []
    for booking in stored:
        left = Counter(episode.reading.people)
        for name, birth_date in booking.people:
            person = (name_form(normalise(name)), birth_date)
            if left[person] < 1:
                text = f"{name}, born {birth_date}, is nobody (else) of the profile"
                violations.append(seen_on(booking.booking_id, text))
            left[person] -= 1
    return judge(violations) if stored else NOT_EVALUATED


def _constraints_hold(check: DomainCheck, episode: Episode) -> CheckResult:
    """`units`, `wish`, `window`, `edge`, `budget`: constraints hold on slots filled once (§4)."""
    evaluated = [item for item in check.constraints if episode.filled.keys() >= set(item.nodes)]
    if not evaluated:
        return NOT_EVALUATED
    return judge(
        (_told(episode, item, "broken") for item in episode.broken(check)),
        (_told(episode, item, "holds") for item in evaluated),
    )


def _told(episode: Episode, constraint: Constraint, verdict: str) -> Evidence:
    show = episode.reading.grading.show_value
    shown = ", ".join(
        f"{node}.{name} = {show(name, episode.values[node, name])}"
        for node, name in constraint.refs
    )
    said = f" ({constraint.sentence})" if constraint.sentence else ""
    rows = (f"bookings/{episode.filled[node].booking_id}" for node in constraint.nodes)
    return seen(f"{constraint.name} {verdict}{said}: {shown}", *rows)
