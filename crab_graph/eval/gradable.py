"""What can be graded: a graph's state, an episode, or messages in any of the known forms.

What cannot be told from what is given is refused in one line. A verdict on half of an episode would
blame the agent for the other half.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crab_graph.errors import TranscriptError
from crab_graph.eval.transcript import GIVE_ALL, TranscriptMessage, read_transcript
from crab_graph.eval.user_facts import UserConduct
from crab_graph.models.failures import FailureKind
from crab_graph.settings import OVERLONG_REPLY
from crab_graph.tools.registry import Owner

CRASH = "grading: "
"""How the error of an episode begins whose grading crashed."""
UNSOUND = "environment: "
"""How the error of an episode begins in whose tables the verifiers found a contradiction."""

TAKEN = "a graph's state or get_state(…), an episode, or a list of messages"


@dataclass(frozen=True, slots=True)
class Gradable:
    """What is known of an episode beside what was said and done in it.

    `is_told` where the messages themselves say whose they are; `going_on` who is next in one that
    is not over, `breakdown` whose fault it was that it broke down, and why.
    """

    messages: Sequence[TranscriptMessage]
    task_id: str | None = None
    toolset: str | None = None
    reason: str | None = None
    going_on: str | None = None
    breakdown: tuple[str, str] | None = None
    user_faults: Sequence[Mapping[str, Any]] = ()
    conduct: UserConduct | None = None
    is_told: bool = True

    @property
    def ended(self) -> str | None:
        """What ended it: `token`, `budget`, `reply` or `infra`; `None` where nothing says it."""
        if self.breakdown is not None:
            return "infra"
        return None if self.reason is None else ended_by(self.reason)

    def check_over(self, task_id: str) -> None:
        """Refuse an episode of another task, and one that goes on."""
        if self.task_id not in (None, task_id):
            raise TranscriptError(f"this is an episode of '{self.task_id}', not of '{task_id}'")
        if self.going_on is not None:
            raise TranscriptError(
                f"the episode is not over: the {self.going_on} is next. Go on with "
                "invoke(None, config), or grade what there is: cg.grade(task, cg.messages(state))"
            )

    def check_whole(self, unconfirmed: Iterable[tuple[str, bool]]) -> None:
        """Refuse messages that were recorded where a user did things that they do not show.

        `unconfirmed` are the calls whose recorded result the replay contradicts: each with its
        name, and whether it was recorded as done and cannot be done here.
        """
        calls = (one for one in self.messages if one.owner is Owner.USER and one.tool_calls)
        if self.is_told or any(calls):
            return
        for name, is_undone in unconfirmed:
            if is_undone:
                raise TranscriptError(
                    f"'{name}' was done where these messages come from, and cannot be done as they "
                    f"stand: the user's own calls are not among them; {GIVE_ALL}"
                )


def read_gradable(given: Any) -> Gradable:
    """Read what is given.

    Raises:
        TranscriptError: it is nothing of the kind, or only part of an episode.
    """
    given = _unwrapped(given)
    if isinstance(given, Mapping):
        return _of_state(given)
    if hasattr(given, "episode_id") and hasattr(given, "messages"):
        return _of_record(given)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TranscriptError(f"{TAKEN} can be graded, not {_kind_of(given)}")
    return _of_messages(list(given))


def ended_by(reason: str) -> str:
    """Return what ended an episode, by the token or the limit that its record names."""
    if reason == OVERLONG_REPLY:
        return "reply"
    is_limit = reason.startswith("max_") or reason == FailureKind.CONTEXT_OVERFLOW
    return "budget" if is_limit else "token"


def _unwrapped(given: Any) -> Any:
    """Return the state in what LangGraph hands out: snapshots, outputs, what a node returned."""
    if isinstance(given, tuple) and hasattr(given, "values") and hasattr(given, "next"):
        if not given.values:
            raise TranscriptError("there is no episode in this thread of the graph")
        return given.values
    if hasattr(given, "value") and hasattr(given, "interrupts"):
        return given.value
    state = getattr(given, "state", None)
    return state if isinstance(given, Mapping) and isinstance(state, Mapping) else given


def _of_state(state: Mapping[str, Any]) -> Gradable:
    if not isinstance(state.get("messages"), list):
        raise TranscriptError(
            f"{TAKEN} can be graded; this has no list of 'messages', but {_listed(state)}"
        )
    if "counts" not in state:
        return _of_messages(state["messages"])
    lines = [*state["messages"], *state.get("user_messages", ())]
    ordered = sorted(lines, key=lambda line: int(line["seq"]))
    status, ending = state.get("status"), state.get("ending") or {}
    breakdown = None
    if status == "infra_error":
        breakdown = str(ending.get("fault")), str(ending.get("error"))
    return Gradable(
        read_transcript(ordered),
        reason=ending.get("reason"),
        going_on=str(state.get("turn")) if status == "running" else None,
        breakdown=breakdown,
        user_faults=tuple(state.get("user_state", {}).get("faults", ())),
    )


def _of_record(record: Any) -> Gradable:
    """Read an `Episode`; one that broke down has its reason where others have a limit."""
    is_broken = record.outcome == "infra_error"
    is_broken = is_broken and not str(record.error).startswith((CRASH, UNSOUND))
    return Gradable(
        read_transcript(record.messages),
        task_id=record.task_id,
        toolset=record.toolset,
        reason=record.termination,
        breakdown=(record.fault or "infra", record.error or "") if is_broken else None,
        user_faults=record.user_faults,
        conduct=UserConduct.from_record(record.persona, record.dimensions, record.facts),
    )


def _of_messages(messages: list[Any]) -> Gradable:
    read = read_transcript(messages)
    return Gradable(read, is_told=any(one.is_owned for one in read))


def _kind_of(value: Any) -> str:
    if isinstance(value, str):
        return "a text; a file is read by cg.load_transcript"
    return f"a value of type {type(value).__name__}"


def _listed(state: Mapping[str, Any]) -> str:
    names = ", ".join(f"'{name}'" for name in list(state)[:5])
    return names or "nothing at all"
