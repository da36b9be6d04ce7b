"""The booked trip against the task (rulebook §4, D01 to D18 and D25)."""

from collections import Counter
from functools import partial

from crab_graph.domain.verification import DomainCheck
from crab_graph.eval.checks import (
    NOT_EVALUATED,
    CheckResult,
    Evidence,
    FailureMode,
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

_MODES = {
    "D06": FailureMode.PARTY_OR_TRAVELLER,
    **dict.fromkeys(("D08", "D09", "D10", "D11", "D12"), FailureMode.NODE_CONSTRAINT),
}
"""Failure modes of the checks that constraints decide; of all others, that things do not fit."""


def declared_verifiers(reading: TaskReading) -> tuple[Verifier, ...]:
    """Return the verifiers of a task's slots and of the constraints that its domain declares."""
    slots = [
        Verifier(f"D{number:02d}", "", partial(_filled, slot), FailureMode.MISSING_ENTITY)
        for number, slot in enumerate(reading.slots, start=1)
    ]
    fitting = FailureMode.INTER_ENTITY_CONSTRAINT
    constraints = [
        Verifier(check.id, "", partial(_constraints_hold, check), _MODES.get(check.id, fitting))
        for check in reading.checks
    ]
    return (*slots, *constraints)


def agrees_with_certificate(episode: Episode, results: Results) -> bool:
    """Return whether the constraint checks agree with membership in the certified solutions.

    A trip whose slots are not filled once each, or not for the party, is no candidate.
    """
    if set(episode.filled) != set(episode.reading.slots) or results["D06"].is_failure:
        return True
    if any(booking.total_cents != booking.due_cents for booking in episode.filled.values()):
        return True
    solution = episode.reading.grading.solution_of(episode.trip)
    is_certified = canonical_json(solution) in episode.reading.solutions
    return is_certified != any(results[check.id].is_failure for check in episode.reading.checks)


def _filled(slot: str, episode: Episode) -> CheckResult:
    """D01 to D04: a slot has at least one active booking (§4)."""
    held = episode.trip.slots[slot]
    missing = [] if held else [seen(f"nothing is booked for {slot}")]
    return judge(missing, [seen_on(booking.booking_id, "booked") for booking in held])


@verifier("D05", "nothing surplus booked", FailureMode.SURPLUS)
def no_surplus(episode: Episode) -> CheckResult:
    """D05: no active booking fits no slot or comes second in one (§3, §4)."""
    return judge(
        seen_on(booking.booking_id, f"{booking.booking_id} ({booking.entity_id}) is surplus")
        for booking in episode.trip.surplus
    )


@verifier("D07", "travellers as they are", FailureMode.PARTY_OR_TRAVELLER)
def travellers(episode: Episode) -> CheckResult:
    """D07: every traveller stored equals a distinct traveller of the profile (§4)."""
    stored = [booking for booking in episode.filled.values() if booking.travellers]
    violations = []
    for booking in stored:
        left = Counter(episode.reading.travellers)
        for name, birth_date in booking.travellers:
            traveller = (name_form(normalise(name)), birth_date)
            if left[traveller] < 1:
                text = f"{name}, born {birth_date}, is no (further) traveller of the profile"
                violations.append(seen_on(booking.booking_id, text))
            left[traveller] -= 1
    return judge(violations) if stored else NOT_EVALUATED


def _constraints_hold(check: DomainCheck, episode: Episode) -> CheckResult:
    """D06, D08 to D18, D25: the declared constraints hold on the slots filled once (§4)."""
    evaluated = [item for item in check.constraints if episode.filled.keys() >= set(item.nodes)]
    broken = [item for item in evaluated if not item.holds(episode.values)]
    if not evaluated:
        return NOT_EVALUATED
    return judge(
        (_told(episode, item, "broken") for item in broken),
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
