"""The user's side of an episode: an engine under a condition, or a callable (paper section 3.3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from crab_graph.agents.callables import call_synchronously, dotted_name
from crab_graph.agents.reply import Call, read_reply
from crab_graph.errors import UsageError
from crab_graph.graph.state import Message
from crab_graph.graph.view import View
from crab_graph.personas.condition import Condition, ResolvedCondition, parse_condition, resolve
from crab_graph.randomness import derive_seed
from crab_graph.tools.registry import Owner

if TYPE_CHECKING:
    from crab_graph.domains.task import Task
    from crab_graph.personas.engines.rules import RulesUser

UserSpec = str | Condition | Callable[..., Any]
"""A condition such as `ruse`, or a callable `f(messages, tools)`."""

CUSTOM_CONDITION = "custom"


@dataclass(frozen=True, slots=True)
class UserStep:
    """What the user did: a text to deliver, or calls of its own tools; and its state after that."""

    text: str
    calls: tuple[Call, ...]
    state: dict[str, Any]


class UserSide(Protocol):
    """Anything that can be the user."""

    @property
    def engine(self) -> str:
        """Name of the engine, as it is recorded."""

    @property
    def condition(self) -> ResolvedCondition | None:
        """The settled condition; `None` for a callable."""

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        """Return the next step, from the user's state and its view alone."""


def build_user(task: "Task", user: UserSpec, *, seed: int, trial: int) -> UserSide:
    """Return the user of one episode.

    Args:
        task: The task, whose facts the user knows.
        user: A condition, or a callable.
        seed: Seed of the run; persona and wording are derived from it, the task and the trial.
        trial: Number of the trial.

    Raises:
        UsageError: it is neither.
    """
    if isinstance(user, str):
        user = parse_condition(user)
    if isinstance(user, Condition):
        from crab_graph.personas.engines.rules import RulesUser  # noqa: PLC0415

        condition = resolve(user, seed, task.id, trial)
        briefing = task.domain.briefing(task.domain.slots, task.facts, task.id, task.today)
        engine = RulesUser(briefing, condition, derive_seed("user", seed, task.id, trial))
        return _RulesSide(engine, condition)
    if not callable(user):
        raise UsageError(f"a user is a condition or a callable, not {type(user).__name__}")
    return _CallableSide(task, user)


def condition_name(user: UserSpec) -> str:
    """Return what an episode with this user is filed under."""
    if isinstance(user, str):
        user = parse_condition(user)
    return str(user) if isinstance(user, Condition) else CUSTOM_CONDITION


class _RulesSide:
    engine = "rules"

    def __init__(self, user: "RulesUser", condition: ResolvedCondition) -> None:
        self._user = user
        self.condition: ResolvedCondition | None = condition

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        step = self._user.step(dict(state), messages)
        asked = step.message.get("tool_calls") or ()
        calls = tuple(Call(call["name"], call["arguments"]) for call in asked)
        return UserStep(step.message["content"], calls, step.state)


class _CallableSide:
    condition: ResolvedCondition | None = None

    def __init__(self, task: "Task", user: Callable[..., Any]) -> None:
        self._user = user
        self._tools = task.domain.registry().langchain_tools(Owner.USER)
        self._view = View(_instructions(task), "user")
        self.engine = f"python:{dotted_name(user)}"

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserStep:
        answer = call_synchronously(self._user, self._view.of(messages), list(self._tools))
        reply = read_reply(answer)
        return UserStep(reply.text, reply.calls, dict(state))


def _instructions(task: "Task") -> str:
    text = files("crab_graph.graph").joinpath("callable_user.md").read_text(encoding="utf-8")
    known = "\n".join(
        f"- {fact.key}{f' ({fact.slot})' if fact.slot else ''}: {fact.value}" for fact in task.facts
    )
    return text.replace("{facts}", known)
