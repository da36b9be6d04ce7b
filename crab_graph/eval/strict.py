"""Strict grading: what parity leaves untriggered becomes a duty (rulebook §6)."""

from collections.abc import Iterable

from crab_graph.eval.checks import CheckResult, CheckVerdict, Results, judge
from crab_graph.eval.episode import Episode
from crab_graph.eval.verifier import Duty, Verifier


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
