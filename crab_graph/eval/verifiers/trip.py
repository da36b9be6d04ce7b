"""The booked trip against the task (rulebook §4, D01 to D18 and D25)."""

from collections import Counter
from collections.abc import Iterable
from functools import partial

from crab_graph.domains.verification import DomainCheck
from crab_graph.eval.checks import (
    NOT_EVALUATED,
    CheckResult,
    Evidence,
    FailureMode,
    Results,
    judge,
    seen,
)
from crab_graph.eval.reading import Episode, TaskReading
from crab_graph.eval.verifier import Verifier
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
    return (*slots, *(_declared(check) for check in reading.checks))


def _declared(check: DomainCheck) -> Verifier:
    mode = _MODES.get(check.id, FailureMode.INTER_ENTITY_CONSTRAINT)
    return Verifier(check.id, "", partial(_constraints_hold, check), mode)


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
    holds = not any(results[check.id].is_failure for check in episode.reading.checks)
    return is_certified == holds


def _filled(slot: str, episode: Episode) -> CheckResult:
    """D01 to D04: a slot has at least one active booking (§4)."""
    held = episode.trip.slots[slot]
    missing = [] if held else [seen(f"nothing is booked for {slot}")]
    return judge(missing, [_row(booking.booking_id) for booking in held])


def _no_surplus(episode: Episode) -> CheckResult:
    """D05: no active booking fits no slot or comes second in one (§3, §4)."""
    return judge(
        seen(
            f"{booking.booking_id} ({booking.entity_id}) is surplus",
            rows=[f"bookings/{booking.booking_id}"],
        )
        for booking in episode.trip.surplus
    )


def _travellers(episode: Episode) -> CheckResult:
    """D07: every traveller stored equals a distinct traveller of the profile (§4)."""
    stored = {slot: item.travellers for slot, item in episode.filled.items() if item.travellers}
    if not stored:
        return NOT_EVALUATED
    violations: list[Evidence] = []
    for slot, travellers in stored.items():
        booking_id = episode.filled[slot].booking_id
        left = Counter(episode.reading.travellers)
        for name, birth_date in travellers:
            traveller = (name_form(normalise(name)), birth_date)
            if left[traveller] < 1:
                text = f"{name}, born {birth_date}, is no (further) traveller of the profile"
                violations.append(seen(text, rows=[f"bookings/{booking_id}"]))
            left[traveller] -= 1
    return judge(violations)


def _constraints_hold(check: DomainCheck, episode: Episode) -> CheckResult:
    """D06, D08 to D18, D25: the declared constraints hold on the slots filled once (§4)."""
    filled = episode.filled.keys()
    evaluated = [item for item in check.constraints if filled >= set(item.nodes)]
    if not evaluated:
        return NOT_EVALUATED
    verdicts = [(item, item.holds(episode.values)) for item in evaluated]
    return judge(
        (_told(episode, item, "broken") for item, holds in verdicts if not holds),
        (_told(episode, item, "holds") for item, holds in verdicts if holds),
    )


def _told(episode: Episode, constraint: Constraint, verdict: str) -> Evidence:
    show = episode.reading.grading.show_value
    shown = ", ".join(
        f"{node}.{name} = {show(name, episode.values[node, name])}"
        for node, name in constraint.refs
    )
    said = f" ({constraint.sentence})" if constraint.sentence else ""
    ids = (episode.filled[node].booking_id for node in constraint.nodes)
    return seen(f"{constraint.name} {verdict}{said}: {shown}", rows=_booking_rows(ids))


def _booking_rows(booking_ids: Iterable[str]) -> list[str]:
    return [f"bookings/{booking_id}" for booking_id in booking_ids]


def _row(booking_id: str) -> Evidence:
    return seen("booked", rows=_booking_rows([booking_id]))


VERIFIERS = (
    Verifier("D05", "nothing surplus booked", _no_surplus, FailureMode.SURPLUS),
    Verifier("D07", "travellers as they are", _travellers, FailureMode.PARTY_OR_TRAVELLER),
)
