"""The verdict on one episode (rulebook §1 and §11)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any

from crab_graph.domain.verification import Role
from crab_graph.domains.task import Task, check_task
from crab_graph.eval.attribution import Fault, attribute, failure_modes, id_mismatch_reasons
from crab_graph.eval.blame import UserError
from crab_graph.eval.checks import Evidence, FailureMode, Results
from crab_graph.eval.explanation import Explanation, explain
from crab_graph.eval.false_yes import false_yeses
from crab_graph.eval.final_state import FinalState, final_state
from crab_graph.eval.gradable import read_gradable
from crab_graph.eval.invented_demands import demanded_extras
from crab_graph.eval.kept_back import kept_back
from crab_graph.eval.last_word import find_last_word
from crab_graph.eval.metrics import disclosure_coverage, efficiency
from crab_graph.eval.passed_over import passed_over
from crab_graph.eval.reading import Episode, lay_out, read_task
from crab_graph.eval.replay import CallStep, Discrepancy, Trajectory, replay
from crab_graph.eval.transcript import until_overlong
from crab_graph.eval.user_endings import ending_errors
from crab_graph.eval.user_errors import recorded_errors, role_errors
from crab_graph.eval.user_facts import UserConduct, fact_fates, withheld_facts, wrong_facts
from crab_graph.eval.user_payments import payment_errors
from crab_graph.eval.verifier import Verifier, strict_checks
from crab_graph.eval.verifiers import shared_verifiers, verifiers_of
from crab_graph.eval.verifiers.job import agrees_with_certificate
from crab_graph.garbage import uncollected
from crab_graph.settings import MAX_REPLY_CHARACTERS
from crab_graph.text.mentions import LISTING_CAP


class Termination(StrEnum):
    """What ended an episode; a reply, one of the agent that is longer than a run lets it be."""

    TOKEN = "token"
    BUDGET = "budget"
    REPLY = "reply"
    INFRA = "infra"


MUCH_TEXT = 100_000
"""Characters of an episode from which on the collector of cycles rests while it is graded."""
OVERLONG = "a reply of the agent is longer than max_reply_characters"
"""What a verdict says of an episode that such a reply ended."""


class Outcome(StrEnum):
    """What an episode comes to."""

    PASS = "pass"
    FAIL = "fail"
    BUDGET_EXHAUSTED = "budget_exhausted"
    USER_FAULT = "user_fault"
    INFRA_ERROR = "infra_error"


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """What grading an episode found; an `infra_error` says nothing of the agent, so has no checks.

    Attributes:
        passed: Whether every concrete and every triggered abstract check passes.
        checks: Verdict of each check, parity grading.
        strict: `passed` and `checks` under strict grading.
        failures: All failure modes that apply, the primary one first.
        error: Why there is no verdict, or which reply of the agent was too long.
        unconfirmed: Recorded results of calls that the replay contradicts.
        fact_fates: What became of each fact the user knew, where it is recorded what it told.
        final: Its final tables, and what fills each slot.
    """

    task_id: str
    outcome: Outcome
    passed: bool
    fault: Fault | None
    checks: Mapping[str, str]
    evidence: Mapping[str, list[Evidence]]
    strict: Mapping[str, Any]
    primary_failure: str | None
    failures: list[str]
    metrics: Mapping[str, Any]
    calls: tuple[CallStep, ...]
    error: str | None = None
    unconfirmed: tuple[Discrepancy, ...] = ()
    explanation: Explanation | None = None
    fact_fates: Mapping[str, str] = field(default_factory=dict)
    final: FinalState | None = None

    def __repr__(self) -> str:
        """Return the outcome, whose fault it is, and the checks that fail."""
        failed = [check for check, verdict in self.checks.items() if verdict == "fail"]
        fault = "" if self.fault is None else f", fault: {self.fault}"
        why = f"; failed: {', '.join(failed)}" if failed else ""
        return f"<Verdict on {self.task_id}: {self.outcome}{fault}{why}>"

    @property
    def trace(self) -> list[dict[str, Any]]:
        """The calls with their results, as JSON has them."""
        return [call.as_json() for call in self.calls]

    def as_json(self) -> dict[str, Any]:
        """Return the document that `grade --json` prints."""
        return {
            "task": self.task_id,
            **{name: getattr(self, name) for name in _PRINTED},
            **({} if self.error is None else {"error": self.error}),
            "trace": self.trace,
            "unconfirmed": [
                {"seq": one.seq, "name": one.name, "recorded": one.recorded}
                for one in self.unconfirmed
            ],
            "explanation": None if self.explanation is None else self.explanation.as_json(),
        }


_PRINTED = tuple("outcome passed fault checks strict primary_failure failures metrics".split())


def grade(
    task: Task,
    messages: Any,
    *,
    termination: Termination | str | None = None,
    listing_cap: int | None = LISTING_CAP,
    max_reply_characters: int | None = MAX_REPLY_CHARACTERS,
    user_faults: Sequence[Mapping[str, Any]] = (),
    conduct: UserConduct | None = None,
    toolset: str | None = None,
) -> Verdict:
    """Replay what was played on fresh tables and grade it.

    Args:
        task: The task it was made for.
        messages: The state of a graph or its `get_state(…)`, an `Episode`, or the messages: as
            dictionaries of this project, of OpenAI or of LangChain, or as LangChain's objects.
        termination: What ended the episode, where that is known and nothing given says it.
        listing_cap: More ids or names of one type in one message disclose none; `None` for no cap.
        max_reply_characters: A reply of the agent that is longer ends the episode, as it ends a run
            (`Termination.REPLY`); `None` for no limit. An episode that was played kept its own.
        user_faults: What the user's engine found wrong in its own turns, as its record has it.
        conduct: The user's condition and what it told when; by default what its words tell.
        toolset: The tools it was made with, `parity` or `extended`; by default the task's.

    Raises:
        TranscriptError: a message is malformed, or what is given is not the whole of an episode.
    """
    check_task(task)
    played = read_gradable(messages)
    task = task.with_toolset(toolset or played.toolset)
    if termination is None:
        played.check_over(task.id)
        termination = played.ended
    said, limit = played.messages, None if played.reason else max_reply_characters
    stopped = None if limit is None else until_overlong(said, limit)
    if stopped is not None:
        said, termination = stopped, Termination.REPLY
    trajectory = replay(task, said)
    played.check_whole((one.name, one.is_undone) for one in trajectory.discrepancies)
    with uncollected(if_=sum(len(one.text) for one in trajectory.messages) > MUCH_TEXT):
        verdict = grade_trajectory(
            task,
            trajectory,
            termination=termination,
            listing_cap=listing_cap,
            user_faults=user_faults or played.user_faults,
            conduct=conduct or played.conduct,
        )
    return verdict if played.breakdown is None else _broken(verdict, *played.breakdown)


def _broken(verdict: Verdict, fault: str, error: str) -> Verdict:
    """Return the verdict on an episode that broke down, which says nothing of the agent."""
    return replace(
        verdict,
        outcome=Outcome.INFRA_ERROR,
        passed=False,
        fault=Fault(fault),
        checks={},
        evidence={},
        strict={"passed": False, "checks": {}},
        primary_failure=None,
        failures=[],
        error=error,
        explanation=None,
        fact_fates={},
    )


def grade_trajectory(
    task: Task,
    trajectory: Trajectory,
    *,
    termination: Termination | str | None = None,
    listing_cap: int | None = LISTING_CAP,
    user_faults: Sequence[Mapping[str, Any]] = (),
    conduct: UserConduct | None = None,
) -> Verdict:
    """Grade a replayed transcript; arguments as for `grade`."""
    ended = None if termination is None else Termination(termination)
    word = find_last_word(task, trajectory, conduct)
    episode = lay_out(read_task(word.task), trajectory, listing_cap)
    verifiers = verifiers_of(episode.reading)
    results = {one.id: one.judge(episode) for one in verifiers}
    strict = strict_checks(episode, results, verifiers)
    passed = _passes(results)
    seen = word.errors(partial(_errors_seen, results=results), episode, conduct, listing_cap)
    errors = [*seen, *recorded_errors(user_faults)]
    fault = attribute(
        [one for one in verifiers if results[one.id].is_failure],
        errors,
        is_certain=agrees_with_certificate(episode, results),
        is_infra=ended is Termination.INFRA,
        is_overlong=ended is Termination.REPLY,
    )
    outcome = _outcome(episode, passed, fault, ended)
    metrics = {**_metrics(episode, verifiers, errors), **word.told()}
    if outcome is Outcome.INFRA_ERROR:
        return _unsound(episode, fault, metrics, results)
    failures = [] if passed else failure_modes(episode, results)
    if FailureMode.ID_MISMATCH in failures:
        metrics["id_mismatch"] = id_mismatch_reasons(episode)
    explanation = None if passed else explain(episode, results)
    return Verdict(
        task_id=task.id,
        outcome=outcome,
        passed=passed,
        fault=fault,
        checks=_verdicts(results),
        evidence={check: list(one.evidence) for check, one in results.items() if one.evidence},
        strict={"passed": _passes(strict), "checks": _verdicts(strict)},
        primary_failure=str(failures[0]) if failures else None,
        failures=[str(mode) for mode in failures],
        metrics=metrics,
        calls=trajectory.calls,
        error=OVERLONG if ended is Termination.REPLY else None,
        unconfirmed=trajectory.discrepancies,
        explanation=explanation,
        fact_fates=(
            {} if conduct is None else fact_fates(episode, results, conduct.told, word.keys)
        ),
        final=final_state(episode, explanation, passed),
    )


def _unsound(
    episode: Episode, fault: Fault | None, metrics: Mapping[str, Any], results: Results
) -> Verdict:
    """Return the verdict on an episode that is an `infra_error`, and so holds no checks."""
    trajectory = episode.trajectory
    return Verdict(
        *(episode.reading.task.id, Outcome.INFRA_ERROR, False, fault, {}, {}),
        *({"passed": False, "checks": {}}, None, [], metrics, trajectory.calls),
        error="the episode broke down" if fault is Fault.INFRA else _contradiction(results),
        unconfirmed=trajectory.discrepancies,
        final=final_state(episode, None, False),
    )


def _errors_seen(
    episode: Episode, conduct: UserConduct | None, results: Results
) -> Iterator[UserError]:
    """Yield the errors of the user that rules can see (§10)."""
    yield from wrong_facts(episode, results, conduct)
    yield from demanded_extras(episode)
    yield from withheld_facts(episode, conduct)
    yield from kept_back(episode, results, conduct)
    yield from false_yeses(episode, conduct)
    yield from passed_over(episode, conduct)
    yield from ending_errors(episode, conduct)
    yield from payment_errors(episode)
    yield from role_errors(episode)


def _metrics(
    episode: Episode, verifiers: Sequence[Verifier], errors: Iterable[UserError]
) -> dict[str, Any]:
    """Return what is measured beside the verdict."""
    return {
        **efficiency(episode),
        "job_state": str(episode.state),
        "visible_messages": len(episode.trajectory.messages),
        **disclosure_coverage(episode, verifiers),
        "user_errors": [
            {"code": error.code, "message": error.message, "text": error.text} for error in errors
        ],
        "unconfirmed_results": len(episode.trajectory.discrepancies),
    }


def _contradiction(results: Results) -> str:
    """Return how the tables contradict themselves, or the task's certificate."""
    unsound = (one.id for one in shared_verifiers() if one.role is Role.SOUND)
    reasons = [one["text"] for check in unsound for one in results[check].evidence]
    return "; ".join(reasons) or "the verdict contradicts the task's certificate"


def _passes(results: Results) -> bool:
    return not any(result.is_failure for result in results.values())


def _verdicts(results: Results) -> dict[str, str]:
    return {check: str(result.verdict) for check, result in results.items()}


def _outcome(
    episode: Episode, passed: bool, fault: Fault | None, ended: Termination | None
) -> Outcome:
    """Return the first outcome that matches, in the rulebook's order."""
    if fault in (Fault.INFRA, Fault.ENVIRONMENT) and not passed:
        return Outcome.INFRA_ERROR
    if passed:
        return Outcome.PASS
    is_over = ended in (Termination.BUDGET, Termination.REPLY)
    if is_over and episode.trajectory.token is None:
        return Outcome.BUDGET_EXHAUSTED
    return Outcome.USER_FAULT if fault is Fault.USER else Outcome.FAIL
