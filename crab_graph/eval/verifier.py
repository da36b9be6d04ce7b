"""What a verifier is: a rule with an id, a judge, and what strict grading adds (rulebook §4 to §6).

Verifiers stand in the modules of `crab_graph.eval.verifiers`; see there how one is added.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from crab_graph.eval.checks import (
    CheckResult,
    CheckVerdict,
    Evidence,
    FailureMode,
    Part,
    Results,
    judge,
    part_of_check,
    seen,
)
from crab_graph.eval.reading import Episode


@dataclass(frozen=True, slots=True)
class Duty:
    """What strict grading asks for where parity grading would find nothing to judge (§6).

    Attributes:
        unmet: Yields what was not said.
        binds: Whether the episode did anything that the duty applies to.
    """

    unmet: Callable[[Episode], Iterable[Evidence]]
    binds: Callable[[Episode], bool]


@dataclass(frozen=True, slots=True)
class Verifier:
    """One rule of the rulebook.

    Attributes:
        id: Its id, such as `D05` or `F-PT`; verdicts list checks by part, then by id.
        title: What it says, in a few words; empty where the domain says it.
        judge: Returns its verdict on an episode with the evidence; the docstring cites the rule.
        mode: The failure mode that its failure alone shows, if it does.
        duty: What strict grading asks for, if it asks for more than parity.
        coverage: Returns how many of how many opportunities to say what it judges were used (§7).
    """

    id: str
    title: str
    judge: Callable[[Episode], CheckResult]
    mode: FailureMode | None = None
    duty: Duty | None = None
    coverage: Callable[[Episode], tuple[int, int]] | None = None

    @property
    def part(self) -> Part:
        """The part of the verdict it belongs to."""
        return part_of_check(self.id)


def undisclosed(text: str, booking_id: str = "") -> Evidence:
    """Return evidence of an unmet duty."""
    rows = [f"bookings/{booking_id}"] if booking_id else []
    return seen(f"undisclosed: {text}", rows=rows)


def strict_checks(
    episode: Episode, parity: Results, verifiers: Iterable[Verifier]
) -> dict[str, CheckResult]:
    """Return the strict results of all checks, given the parity ones."""
    results = dict(parity)
    for one in verifiers:
        if one.duty is not None:
            results[one.id] = _with_duty(episode, parity[one.id], one.duty)
    return results


def _with_duty(episode: Episode, parity: CheckResult, duty: Duty) -> CheckResult:
    unmet = tuple(duty.unmet(episode))
    if unmet:
        wrong = parity.evidence if parity.is_failure else ()
        return CheckResult(CheckVerdict.FAIL, (*wrong, *unmet))
    if parity.verdict is CheckVerdict.NOT_TRIGGERED and duty.binds(episode):
        return judge(())
    return parity
