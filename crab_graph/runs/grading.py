"""The verdict's part of an episode's record: what grading found, now or again (section 3.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crab_graph.models.secrets import without_secrets
from crab_graph.runs.versions import versions

if TYPE_CHECKING:
    from crab_graph.domains.task import Task
    from crab_graph.eval.user_facts import UserConduct
    from crab_graph.eval.verdict import Verdict

CRASH = "grading: "
"""How the error of an episode begins whose grading crashed."""
UNSOUND = "environment: "
"""How the error of an episode begins in whose tables the verifiers found a contradiction."""

VERDICT_FIELDS = tuple("outcome passed fault error checks strict failures primary_failure".split())
"""The fields of a record that say how an episode came out."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Why an episode could not be played to its end: whose fault it was, and what was raised."""

    fault: str
    error: str


def grade_fields(
    task: "Task",
    messages: Sequence[Mapping[str, Any]],
    ended: str,
    breakdown: Breakdown | None = None,
    user_faults: Sequence[Mapping[str, Any]] = (),
    conduct: "UserConduct | None" = None,
    *,
    is_own_world: bool = True,
) -> dict[str, Any]:
    """Return the verdict's fields of a record; a crash of grading is an environment's error.

    Args:
        task: The task.
        messages: The transcript.
        ended: `token`, `budget` or `infra`.
        breakdown: Why the episode broke down, if it did.
        user_faults: What was found wrong in the user's turns while they were made.
        conduct: The user's condition and what it told when, where that is known.
        is_own_world: Whether the dialogue was made with these tables and tools: a recorded result
            that they do not give is then the environment's error.
    """
    from crab_graph.eval.stamp import grading_stamp  # noqa: PLC0415
    from crab_graph.eval.verdict import grade  # noqa: PLC0415

    stamp = {"package": versions()["crab-graph"], **grading_stamp(task)}
    try:
        verdict = grade(task, messages, termination=ended, user_faults=user_faults, conduct=conduct)
        fields = _fields_of(verdict, is_own_world)
    except Exception as error:  # the dialogue is kept, and can be graded again
        text = without_secrets(f"{CRASH}{type(error).__name__}: {error}")
        fields = {"outcome": "infra_error", "passed": False, "fault": "environment", "error": text}
        fields |= _UNGRADED
    if breakdown is not None:
        fields |= {"outcome": "infra_error", "passed": False}
        fields |= {"fault": breakdown.fault, "error": breakdown.error}
    return {**fields, "stamp": stamp}


def _fields_of(verdict: "Verdict", is_own_world: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "outcome": str(verdict.outcome),
        "passed": verdict.passed,
        "fault": None if verdict.fault is None else str(verdict.fault),
        "error": None,
        "checks": dict(verdict.checks),
        "evidence": {name: tuple(found) for name, found in verdict.evidence.items()},
        "strict": dict(verdict.strict),
        "failures": tuple(verdict.failures),
        "primary_failure": verdict.primary_failure,
        "metrics": dict(verdict.metrics),
        "explanation": None if verdict.explanation is None else verdict.explanation.as_json(),
        "fact_fates": dict(verdict.fact_fates),
    }
    contradicted = verdict.unconfirmed[0] if verdict.unconfirmed and is_own_world else None
    if verdict.outcome == "infra_error":
        reasons = [one["text"] for one in verdict.evidence.get("D24", ())]
        otherwise = "the verdict contradicts the task's certificate"
        fields["error"] = f"{UNSOUND}{'; '.join(reasons) or otherwise}"
    elif contradicted is not None and not verdict.passed:
        text = f"{contradicted.name} answered at step {contradicted.seq} what the tables do not say"
        fields |= {"outcome": "infra_error", "fault": "environment", "error": f"{UNSOUND}{text}"}
    return fields


_UNGRADED: dict[str, Any] = {
    "checks": {},
    "evidence": {},
    "strict": {},
    "failures": (),
    "primary_failure": None,
    "metrics": {},
    "explanation": None,
    "fact_fates": {},
}
