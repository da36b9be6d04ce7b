"""The user's side of an episode: an engine under a condition, or a callable (paper section 3.3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from crab_graph.agents.adapters import call_synchronously, dotted_name
from crab_graph.agents.reply import Call, ask_model, read_reply
from crab_graph.errors import UsageError
from crab_graph.graph.journal import ask_once
from crab_graph.graph.person import PersonSide, SeatedUser
from crab_graph.graph.setup import Setup
from crab_graph.graph.state import Message, is_delivered
from crab_graph.graph.view import View
from crab_graph.models.chat import build_chat_model, is_address, is_provider
from crab_graph.models.meter import current_meter, metered
from crab_graph.models.secrets import public_spec, remember_model_secrets
from crab_graph.models.usage import Usage
from crab_graph.personas.condition import Condition, ResolvedCondition, parse_condition, resolve
from crab_graph.personas.recognition import told_after
from crab_graph.randomness import derive_seed
from crab_graph.settings import Engine
from crab_graph.text.phrases import without_tokens
from crab_graph.tools.registry import Owner, ToolRegistry

if TYPE_CHECKING:
    from crab_graph.domains.task import Task
    from crab_graph.personas.briefing import UserBriefing
    from crab_graph.personas.facts import Fact
    from crab_graph.personas.model_users import Ask
    from crab_graph.personas.rules_user import RulesUser, UserStep

UserSpec = str | Condition | SeatedUser | Callable[..., Any]
"""A condition such as `ruse`, a person under one, or a callable `f(messages, tools)`."""

CUSTOM_CONDITION = "custom"


@dataclass(frozen=True, slots=True)
class UserReply:
    """What the user did: a text to deliver, or calls of its own tools; and its state after that.

    `usage` is what the models that were asked for it took.
    """

    text: str
    calls: tuple[Call, ...]
    state: dict[str, Any]
    usage: dict[str, Any] = field(default_factory=dict)


class UserSide(Protocol):
    """Anything that can be the user."""

    @property
    def engine(self) -> str:
        """Name of the engine, as it is recorded."""

    @property
    def condition(self) -> ResolvedCondition | None:
        """The settled condition; `None` for a callable."""

    @property
    def model(self) -> str | None:
        """Name of the model that speaks, if one does."""

    @property
    def prompt_sha256(self) -> str | None:
        """Hash of the prompt that the model follows, if one does."""

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        """Return the next step, from the user's state and its view alone."""


def build_user(
    task: "Task",
    user: UserSpec,
    setup: Setup,
    trial: int,
    replica: int = 0,
) -> UserSide:
    """Return the user of one episode.

    Args:
        task: The task, whose facts the user knows.
        user: A condition, or a callable.
        setup: What plays a condition; persona and wording are derived from its seed, the task and
            the trial.
        trial: Number of the trial.
        replica: For the same persona with other draws: any number but 0.

    Raises:
        UsageError: it is neither.
    """
    seed = setup.settings.seed
    if isinstance(user, str):
        user = parse_condition(user, setup.fragments.added)
    if isinstance(user, Condition):
        condition = resolve(user, seed, task.id, trial)
        briefing = task.domain.briefing(task.domain.slots, task.facts, task.id, task.today)
        if setup.engine is Engine.LLM:
            return _LlmSide(task, briefing, condition, setup)
        from crab_graph.personas.rules_user import RulesUser  # noqa: PLC0415

        again = ("replica", replica) if replica else ()
        setup.fragments.check_facts(briefing.lexicon.facts)
        own_seed = derive_seed("user", seed, task.id, trial, *again)
        engine = RulesUser(briefing, condition, own_seed, fragments=setup.fragments)
        if setup.engine is Engine.HYBRID:
            return _HybridSide(engine, briefing, condition, setup)
        return _RulesSide(engine, condition)
    if isinstance(user, SeatedUser):
        condition = resolve(user.condition, seed, task.id, trial)
        briefing = task.domain.briefing(task.domain.slots, task.facts, task.id, task.today)
        return _PersonSide(task, briefing, condition, setup)
    if not callable(user):
        raise UsageError(f"a user is a condition or a callable, not {type(user).__name__}")
    return _CallableSide(task, user)


class UserModel:
    """A chat model that plays users; its tools are bound to it once, not in each episode."""

    def __init__(self, name: str, model: Any) -> None:
        """Hold a chat model under the name it is recorded by."""
        self.name = name
        self._model = model
        self._bound: dict[int, tuple[ToolRegistry, Any]] = {}

    @property
    def without_tools(self) -> Any:
        """The model as it is."""
        return self._model

    def bound_to(self, registry: ToolRegistry) -> Any:
        """Return the model with the user's tools."""
        if id(registry) not in self._bound:
            schemas = registry.openai_schemas(Owner.USER)
            self._bound[id(registry)] = (registry, self._model.bind_tools(schemas))
        return self._bound[id(registry)][1]


def with_open_model(setup: Setup) -> Setup:
    """Return setup whose model is open, for use in many episodes.

    Raises:
        UsageError: the model's name cannot be read, or it cannot be opened.
    """
    if setup.engine is Engine.RULES or isinstance(setup.model, UserModel):
        return setup
    return replace(setup, model=_open_model(setup.model))


def _open_model(model: Any) -> UserModel:
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415

    if isinstance(model, BaseChatModel):
        remember_model_secrets(model)
        return UserModel(f"python:{dotted_name(model)}", model)
    if not isinstance(model, str):
        raise UsageError(f"a user model is a spec or a chat model, not {type(model).__name__}")
    if not is_address(model) and not is_provider(model.partition(":")[0]):
        raise UsageError(
            f"user model '{public_spec(model)}' is neither provider:model nor http://host/v1#model"
        )
    return UserModel(public_spec(model), build_chat_model(model))


def condition_name(user: UserSpec) -> str:
    """Return what an episode with this user is filed under."""
    if isinstance(user, str):
        user = parse_condition(user)
    if isinstance(user, SeatedUser):
        user = user.condition
    return str(user) if isinstance(user, Condition) else CUSTOM_CONDITION


class _RulesSide:
    engine = str(Engine.RULES)
    model: str | None = None
    prompt_sha256: str | None = None

    def __init__(self, user: "RulesUser", condition: ResolvedCondition) -> None:
        self._user = user
        self.condition: ResolvedCondition | None = condition

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        return _step_of(self._user.step(dict(state), messages))


class _LlmSide:
    engine = str(Engine.LLM)

    def __init__(
        self,
        task: "Task",
        briefing: "UserBriefing",
        condition: ResolvedCondition,
        setup: Setup,
    ) -> None:
        from crab_graph.personas.model_users import LlmUser  # noqa: PLC0415
        from crab_graph.personas.prompt import compose_prompt  # noqa: PLC0415

        prompt = compose_prompt(condition, briefing, fragments=setup.fragments)
        model: UserModel = with_open_model(setup).model
        self.condition: ResolvedCondition | None = condition
        self.model: str | None = model.name
        self.prompt_sha256: str | None = prompt.sha256
        bound = model.bound_to(task.domain.registry())
        first = _first_wish(briefing, condition, setup)
        self._user = LlmUser(briefing, _asking(bound, prompt.text), first)

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        return _step_of(self._user.step(state, messages))


class _HybridSide:
    engine = str(Engine.HYBRID)

    def __init__(
        self,
        rules: "RulesUser",
        briefing: "UserBriefing",
        condition: ResolvedCondition,
        setup: Setup,
    ) -> None:
        from crab_graph.personas.model_users import HybridUser  # noqa: PLC0415
        from crab_graph.personas.prompt import compose_wording_prompt  # noqa: PLC0415

        prompt = compose_wording_prompt(condition, fragments=setup.fragments)
        model: UserModel = with_open_model(setup).model
        self.condition: ResolvedCondition | None = condition
        self.model: str | None = model.name
        self.prompt_sha256: str | None = prompt.sha256
        self._user = HybridUser(rules, briefing, _asking(model.without_tools, prompt.text))

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        return _step_of(self._user.step(state, messages))


class _PersonSide(PersonSide):
    def __init__(
        self,
        task: "Task",
        briefing: "UserBriefing",
        condition: ResolvedCondition,
        setup: Setup,
    ) -> None:
        super().__init__(task.domain.registry(), condition)
        self._briefing = briefing
        self._first = _first_wish(briefing, condition, setup)

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        reply = self.answer(messages)
        if reply.calls:
            return UserReply(reply.text, reply.calls, dict(state))
        visible = [one for one in messages if is_delivered(one)]
        heard = [str(one["content"]) for one in visible if one["role"] == "assistant"]
        told = told_after(
            state.get("disclosed", ()),
            without_tokens(reply.text),
            heard[-1] if heard else "",
            len(visible) + 1,
            self._briefing,
            self._first,
        )
        return UserReply(reply.text, (), {**state, "disclosed": told})


class _CallableSide:
    condition: ResolvedCondition | None = None
    model: str | None = None
    prompt_sha256: str | None = None

    def __init__(self, task: "Task", user: Callable[..., Any]) -> None:
        self._user = user
        self._tools = task.domain.registry().langchain_tools(Owner.USER)
        self._view = View(_instructions(task), "user")
        self.engine = f"python:{dotted_name(user)}"

    def step(self, state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        answer = call_synchronously(self._user, self._view.of(messages), list(self._tools))
        reply = read_reply(answer)
        return UserReply(reply.text, reply.calls, dict(state))


def _first_wish(
    briefing: "UserBriefing", condition: ResolvedCondition, setup: Setup
) -> "Fact | None":
    """Return what a user of this condition wants first and takes back later, if anything."""
    from crab_graph.personas.briefing import first_wish  # noqa: PLC0415
    from crab_graph.personas.prompt import condition_behavior  # noqa: PLC0415

    return first_wish(briefing, condition_behavior(condition, setup.fragments))


def _step_of(step: "UserStep") -> UserReply:
    """Return an engine's step with its calls apart."""
    asked = step.message.get("tool_calls") or ()
    calls = tuple(Call(call["name"], call["arguments"]) for call in asked)
    return UserReply(step.message["content"], calls, step.state)


def _asking(model: Any, prompt: str) -> "Ask":
    """Return a model that follows a prompt, as the engines ask it."""
    from crab_graph.personas.model_users import ModelReply  # noqa: PLC0415

    view = View(prompt, "user")

    def ask(lines: Sequence[Message]) -> ModelReply:
        taken: Usage = {}

        def answer() -> list[Any]:
            nonlocal taken
            with metered() as meter:
                reply = ask_model(model, view.of(lines))
            taken = meter.usage
            return [reply.text, reply.calls, taken]

        text, calls, usage = ask_once(answer)
        meter = current_meter()
        if meter is not None and not taken:
            meter.add(usage)  # it was paid for before the step was interrupted
        return ModelReply(text, tuple((name, arguments) for name, arguments in calls))

    return ask


@cache
def _template() -> str:
    return files("crab_graph.graph").joinpath("callable_user.md").read_text(encoding="utf-8")


def _instructions(task: "Task") -> str:
    text = _template()
    known = "\n".join(
        f"- {fact.key}{f' ({fact.slot})' if fact.slot else ''}: {fact.value}" for fact in task.facts
    )
    return text.replace("{facts}", known)
