"""What a verifier is: a rule with a role, a judge, and what strict grading adds (rulebook §4 on).

Verifiers stand in the modules of `crab_graph.eval.verifiers`; see there how one is added.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from crab_graph.domain.verification import Role
from crab_graph.eval.checks import (
    CheckResult,
    CheckVerdict,
    Evidence,
    Results,
    judge,
    seen,
    seen_on,
)
from crab_graph.eval.reading import Episode

Judge = Callable[[Episode], CheckResult]


@dataclass(frozen=True, slots=True)
class Duty:
    """What strict grading asks for where parity grading would find nothing to judge (§6).

    `unmet` yields what was not said; `binds` tells if the episode did what the duty applies to.
    """

    unmet: Callable[[Episode], Iterable[Evidence]]
    binds: Callable[[Episode], bool]


@dataclass(frozen=True, slots=True)
class Verifier:
    """One rule of the rulebook; its id is a label, and what it is about its role.

    The docstring of `judge` cites the rule. `duty` is what strict grading asks for beyond parity;
    `coverage` returns how many of how many opportunities to say it were used (§7); `letter` judges
    without the benefit of the doubt that parity grading gives, where it gives any (§2.14).
    """

    id: str
    role: Role
    title: str
    judge: Judge
    duty: Duty | None = None
    coverage: Callable[[Episode], tuple[int, int]] | None = None
    letter: Judge | None = None


def verifier(
    id: str,
    role: Role,
    title: str,
    duty: Duty | None = None,
    coverage: Callable[[Episode], tuple[int, int]] | None = None,
    letter: Judge | None = None,
) -> Callable[[Judge], Verifier]:
    """Make the verifier of a rule of a function that judges; arguments as for `Verifier`."""
    return lambda judge: Verifier(id, role, title, judge, duty, coverage, letter)


def undisclosed(text: str, booking_id: str = "") -> Evidence:
    """Return evidence of an unmet duty."""
    said = f"undisclosed: {text}"
    return seen_on(booking_id, said) if booking_id else seen(said)


def strict_checks(
    episode: Episode, parity: Results, verifiers: Iterable[Verifier]
) -> dict[str, CheckResult]:
    """Return the strict results of all checks, given the parity ones: silence breaks a duty."""
    results = dict(parity)
    for one in verifiers:
        if one.letter is not None:
            results[one.id] = one.letter(episode)
        if one.duty is None:
            continue
        is_silent = results[one.id].verdict is CheckVerdict.NOT_TRIGGERED
        if unmet := tuple(one.duty.unmet(episode)):
            results[one.id] = CheckResult(CheckVerdict.FAIL, unmet)
        elif is_silent and one.duty.binds(episode):
            results[one.id] = judge(())
    return results
