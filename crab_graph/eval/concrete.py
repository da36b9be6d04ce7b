"""Concrete-state checks: the booked trip against the task (rulebook §4, D01–D18 and D25)."""

from collections import Counter
from collections.abc import Iterable, Iterator

from crab_graph.domains.grading import DomainCheck
from crab_graph.eval.checks import (
    NOT_EVALUATED,
    CheckResult,
    Evidence,
    Results,
    judge,
    seen,
)
from crab_graph.eval.episode import Episode
from crab_graph.eval.integrity import integrity_checks
from crab_graph.eval.payments import payment_checks
from crab_graph.generation.constraints import Constraint
from crab_graph.schema import canonical_json
from crab_graph.text.normalise import name_form, normalise


def concrete_checks(episode: Episode) -> dict[str, CheckResult]:
    """Return the results of D01 to D25."""
    results = {
        **dict(_slot_checks(episode)),
        "D05": _no_surplus(episode),
        "D07": _travellers(episode),
        **dict(_constraint_checks(episode)),
        **payment_checks(episode),
        **integrity_checks(episode),
    }
    return dict(sorted(results.items()))


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


def _slot_checks(episode: Episode) -> Iterator[tuple[str, CheckResult]]:
    """D01–D04: each slot has at least one active booking."""
    for number, slot in enumerate(episode.reading.slots, start=1):
        held = episode.trip.slots[slot]
        missing = [] if held else [seen(f"nothing is booked for {slot}")]
        yield f"D{number:02d}", judge(missing, [_row(booking.booking_id) for booking in held])


def _no_surplus(episode: Episode) -> CheckResult:
    """D05: no active booking fits no slot or comes second in one."""
    return judge(
        seen(
            f"{booking.booking_id} ({booking.entity_id}) is surplus",
            rows=[f"bookings/{booking.booking_id}"],
        )
        for booking in episode.trip.surplus
    )


def _travellers(episode: Episode) -> CheckResult:
    """D07: every traveller stored equals a distinct traveller of the profile."""
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


def _constraint_checks(episode: Episode) -> Iterator[tuple[str, CheckResult]]:
    """D06, D08–D18, D25: the declared constraints, on the records of the slots filled once."""
    for check in episode.reading.checks:
        yield check.id, _constraint_check(episode, check)


def _constraint_check(episode: Episode, check: DomainCheck) -> CheckResult:
    evaluated = [item for item in check.constraints if set(item.nodes) <= set(episode.filled)]
    if not evaluated:
        return NOT_EVALUATED
    verdicts = [(item, item.holds(episode.values)) for item in evaluated]
    return judge(
        (_told(episode, item, "broken") for item, holds in verdicts if not holds),
        (_told(episode, item, "holds") for item, holds in verdicts if holds),
    )


def _told(episode: Episode, constraint: Constraint, verdict: str) -> Evidence:
    values = episode.values
    shown = ", ".join(f"{node}.{name} = {values[node, name]}" for node, name in constraint.refs)
    said = f" ({constraint.sentence})" if constraint.sentence else ""
    ids = (episode.filled[node].booking_id for node in constraint.nodes)
    return seen(f"{constraint.name} {verdict}{said}: {shown}", rows=_booking_rows(ids))


def _booking_rows(booking_ids: Iterable[str]) -> list[str]:
    return [f"bookings/{booking_id}" for booking_id in booking_ids]


def _row(booking_id: str) -> Evidence:
    return seen("booked", rows=_booking_rows([booking_id]))
