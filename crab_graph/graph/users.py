"""The user's side of an episode: an engine under a condition, or a callable (paper section 3.3)."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel

from crab_graph.agents.adapters import call_synchronously, dotted_name
from crab_graph.agents.agent_types import AgentFunction
from crab_graph.agents.any_form import in_any_form
from crab_graph.agents.reply import Call, ask_model, read_reply
from crab_graph.domains.task import Task
from crab_graph.errors import UsageError
from crab_graph.graph.journal import ask_once
from crab_graph.graph.person import PERSON, SeatedUser, ask_user
from crab_graph.graph.state import Message, is_delivered
from crab_graph.graph.view import View
from crab_graph.models.chat import build_chat_model, is_address, is_provider, provider_of
from crab_graph.models.meter import current_meter, metered
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.models.secrets import (
    public_spec,
    remember_environment_secrets,
    remember_model_secrets,
)
from crab_graph.models.usage import Usage
from crab_graph.personas.briefing import UserBriefing, first_wish
from crab_graph.personas.changing_models import ChangingModelUser
from crab_graph.personas.condition import Condition, ResolvedCondition, parse_condition, resolve
from crab_graph.personas.fragment_set import Fragments, load_fragments
from crab_graph.personas.model_users import Ask, HybridUser, LlmUser, ModelReply
from crab_graph.personas.prompt import compose_prompt, compose_wording_prompt, condition_behavior
from crab_graph.personas.recognition import told_after
from crab_graph.personas.rules_user import RulesUser
from crab_graph.personas.second_thoughts import ChangingUser, Mind, told_around_changes
from crab_graph.randomness import derive_seed
from crab_graph.settings import Engine, EpisodeSettings
from crab_graph.text.phrases import without_tokens
from crab_graph.tools.registry import Owner

UserSpec = str | Condition | SeatedUser | AgentFunction
"""A condition such as `ruse`, a person under one, or a callable `f(messages, tools)`."""

CUSTOM_CONDITION = "custom"
_MODEL_HINT = "a model plays one with `engine=llm` and `user_model=`"


@dataclass(frozen=True, slots=True)
class Setup:
    """What the episodes of a worker share: settings, with all that they name.

    The user's `model` is opened when it is first needed. What agents kept for themselves is read
    if this user wrote it, or `trusts` whoever did.
    """

    settings: EpisodeSettings
    model: Any
    fragments: Fragments
    prices: Prices
    trusts: bool = False

    @property
    def engine(self) -> Engine:
        """What plays a condition."""
        return Engine(self.settings.engine)


@dataclass(frozen=True, slots=True)
class UserReply:
    """What the user did: a text to deliver, or calls of its own tools; and its state after that."""

    text: str
    calls: tuple[Call, ...]
    state: dict[str, Any]


Step = Callable[[Mapping[str, Any], Sequence[Message]], UserReply]
"""Returns the next step, from the user's state and its view alone."""


Tell = Callable[[Mapping[str, Any], Sequence[Message], str], dict[str, Any]]
"""Returns the user's state after it said a text that did not come from itself."""


class UserSide(NamedTuple):
    """Anything that can be the user.

    A callable has no condition; the model and the hash of its prompt are there where one speaks.
    """

    engine: str
    step: Step
    condition: ResolvedCondition | None = None
    model: str | None = None
    prompt_sha256: str | None = None
    tell: Tell | None = None

    @property
    def name(self) -> str:
        """What its episodes are filed under: the condition it was asked to be."""
        return CUSTOM_CONDITION if self.condition is None else self.condition.name


def read_users(
    users: UserSpec | Sequence[UserSpec], fragments: Fragments
) -> tuple[Condition | SeatedUser | AgentFunction, ...]:
    """Return users of which some may be named, one by one or in a text with commas.

    Raises:
        UnknownName: a part of a condition is not known.
        UsageError: something is no user.
    """
    listed: list[Any] = []
    for one in users if isinstance(users, list | tuple) else (users,):
        listed += one.split(",") if isinstance(one, str) else [one]
    return tuple(read_user(one, fragments) for one in listed)


def read_user(user: UserSpec, fragments: Fragments) -> Condition | SeatedUser | AgentFunction:
    """Return a user that may be named by its condition; errors as for `read_users`."""
    if isinstance(user, Condition | SeatedUser):
        return user
    if isinstance(user, str):
        if is_address(user) or is_provider(user.partition(":")[0]):
            raise UsageError(f"'{public_spec(user)}' is no condition; {_MODEL_HINT}")
        return parse_condition(user, fragments.added)
    kind = type(user).__name__
    if isinstance(user, BaseChatModel):
        raise UsageError(f"{kind} is no user by itself; {_MODEL_HINT}")
    if not callable(user):
        raise UsageError(
            f"a user is a condition, such as 'ruse', or a function f(messages, tools), not {kind}"
        )
    if not _takes_two(user):
        raise UsageError(
            f"'{dotted_name(user)}' cannot be called with two arguments; a user is "
            "f(messages, tools)"
        )
    return user


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except ValueError:
        return True  # it does not tell
    except TypeError:
        return False
    return True


def build_user(task: Task, user: UserSpec, setup: Setup, trial: int, replica: int = 0) -> UserSide:
    """Return the user of one episode.

    Persona and wording are derived from the setup's seed, the task and the trial; a replica other
    than 0 gives the same persona other draws.

    Raises:
        UsageError: it is neither.
    """
    user = read_user(user, setup.fragments)
    if isinstance(user, Condition | SeatedUser):
        asked = user.condition if isinstance(user, SeatedUser) else user
        condition = resolve(asked, setup.settings.seed, task.id, trial)
        briefing = task.briefing
        if isinstance(user, SeatedUser):
            return _person(task, briefing, condition, setup)
        again = ("replica", replica) if replica else ()
        seed = derive_seed("user", setup.settings.seed, task.id, trial, *again)
        if setup.engine is Engine.LLM:
            side = _model_user(task, condition, setup, seed)
        else:
            side = _rules_user(task, condition, setup, seed)
        return side._replace(tell=_telling(task, condition, setup))
    return _callable_user(task, user)


def set_up(settings: EpisodeSettings, prices: Prices | None = None) -> Setup:
    """Open what settings name.

    Raises:
        UsageError: the engine lacks its model, a model is given to one that has none, or the
            directory of fragments cannot be read.
    """
    has_model = settings.user_model is not None
    if settings.engine == Engine.RULES and has_model:
        raise UsageError("a user model speaks only with `engine=llm` or hybrid")
    if settings.engine != Engine.RULES and not has_model:
        raise UsageError(
            f"the engine '{settings.engine}' needs a model for the user: `user_model=SPEC`"
        )
    folder = None if settings.personas is None else Path(settings.personas)
    return Setup(settings, settings.user_model, load_fragments(folder), prices or NO_PRICES)


def user_objects(players: Iterable[Any], settings: EpisodeSettings) -> list[Any]:
    """Return what of users is Python code: those that are callables, and a model of theirs."""
    found = [one for one in players if not isinstance(one, Condition | SeatedUser | str)]
    model = settings.user_model
    return found if model is None or isinstance(model, str) else [*found, model]


class UserModel(NamedTuple):
    """A chat model that plays users, and the name it is recorded by."""

    name: str
    model: Any


def with_open_model(setup: Setup) -> Setup:
    """Return setup whose model is open, for use in many episodes.

    Raises:
        UsageError: the model's name cannot be read, or it cannot be opened.
    """
    if setup.engine is Engine.RULES or isinstance(setup.model, UserModel):
        return setup
    model = setup.model
    if isinstance(model, BaseChatModel):
        remember_model_secrets(model)
        return replace(setup, model=UserModel(f"python:{dotted_name(model)}", in_any_form(model)))
    if not isinstance(model, str):
        raise UsageError(f"a user model is a spec or a chat model, not {type(model).__name__}")
    if not is_address(model) and not is_provider(model.partition(":")[0]):
        provider = provider_of(model)
        meant = "" if provider is None else f"; did you mean {provider}:{model}?"
        raise UsageError(
            f"user model '{public_spec(model)}' is neither provider:model nor "
            f"http://host/v1#model{meant}"
        )
    return replace(setup, model=UserModel(public_spec(model), build_chat_model(model)))


def condition_name(user: Condition | SeatedUser | AgentFunction) -> str:
    """Return what an episode with this user is filed under."""
    if isinstance(user, SeatedUser):
        user = user.condition
    return str(user) if isinstance(user, Condition) else CUSTOM_CONDITION


def minds_of(task: Task) -> list[Mind]:
    """Return what the user of a task changes its mind about, in order.

    A change is final where a slot that must be booked otherwise has no tool that cancels. Fewer
    people take other bookings of everything.
    """
    if task.changed is None:
        return []
    slots, known = task.domain.slots, task.domain.registry().names(Owner.AGENT)
    found: list[Mind] = []
    for change, (before, after) in zip(task.spec.changes, pairwise(task.requests), strict=True):
        moved = [one for one in slots if change.people is not None or one.id in change.moves]
        tools = [task.domain.kinds[slot.kind].tools for slot in moved]
        is_final = any(one is None or one.cancel not in known for one in tools)
        about = (str(change.kind), before.briefing, after.briefing, is_final)
        found.append(Mind(*about, place=len(found)))
    return found


def ruled_user(
    task: Task, condition: ResolvedCondition, seed: int, fragments: Fragments | None = None
) -> RulesUser | ChangingUser:
    """Return the user of a task that the rules decide for."""
    minds = minds_of(task)
    if not minds:
        return RulesUser(task.briefing, condition, seed, fragments=fragments)
    changing = [key for mind in minds for key in mind.keys]
    users = [
        RulesUser(one.briefing, condition, seed, fragments=fragments, changing=changing)
        for one in task.requests
    ]
    return ChangingUser(users, minds, seed)


def _rules_user(task: Task, condition: ResolvedCondition, setup: Setup, seed: int) -> UserSide:
    """Return a user that the rules decide for, and that they or a model give words to."""
    briefing = task.requests[-1].briefing
    setup.fragments.check_facts(briefing.lexicon.facts)
    rules = ruled_user(task, condition, seed, setup.fragments)
    if setup.engine is Engine.RULES:
        return UserSide(Engine.RULES.value, _replying(rules), condition)
    prompt = compose_wording_prompt(condition, fragments=setup.fragments)
    name, model = with_open_model(setup).model
    user = HybridUser(rules, briefing, _asking(model, prompt.text))
    return UserSide(Engine.HYBRID.value, _replying(user), condition, name, prompt.sha256)


def _model_user(task: Task, condition: ResolvedCondition, setup: Setup, seed: int) -> UserSide:
    briefing, minds = task.briefing, minds_of(task)
    is_steady = bool(minds)
    prompt = compose_prompt(condition, briefing, fragments=setup.fragments, is_steady=is_steady)
    name, model = with_open_model(setup).model
    bound = model.bind_tools(task.domain.registry().openai_schemas(Owner.USER))
    if minds:
        changing = _changing_model_user(minds, condition, setup, seed, bound, prompt.text)
        return UserSide(Engine.LLM.value, _replying(changing), condition, name, prompt.sha256)
    first = first_wish(briefing, condition_behavior(condition, setup.fragments))
    rules = RulesUser(briefing, condition, seed, fragments=setup.fragments)
    user = LlmUser(rules, briefing, _asking(bound, prompt.text), first)
    return UserSide(Engine.LLM.value, _replying(user), condition, name, prompt.sha256)


def _changing_model_user(
    minds: Sequence[Mind],
    condition: ResolvedCondition,
    setup: Setup,
    seed: int,
    bound: Any,
    prompt: str,
) -> ChangingModelUser:
    """Return the user of a model that changes its mind; it goes by `prompt` until then."""
    pieces, changing = setup.fragments, [key for mind in minds for key in mind.keys]

    def later(mind: Mind) -> str:
        before = mind.before
        return compose_prompt(
            condition, mind.after, fragments=pieces, before=before, is_steady=True
        ).text

    known = [(minds[0].before, prompt), *((mind.after, later(mind)) for mind in minds)]
    users = [
        LlmUser(
            RulesUser(briefing, condition, seed, fragments=pieces, changing=changing),
            briefing,
            _asking(bound, text),
        )
        for briefing, text in known
    ]
    return ChangingModelUser(users, minds, seed)


def _person(
    task: Task, briefing: UserBriefing, condition: ResolvedCondition, setup: Setup
) -> UserSide:
    tools = task.domain.registry().names(Owner.USER)
    tell = _telling(task, condition, setup)

    def step(state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        reply = ask_user(messages, tools)
        if reply.calls:
            return UserReply(reply.text, reply.calls, dict(state))
        return UserReply(reply.text, (), tell(state, messages, reply.text))

    return UserSide(PERSON, step, condition, tell=tell)


def _telling(task: Task, condition: ResolvedCondition, setup: Setup) -> Tell:
    """Return how it is kept what a user told by words that somebody put into its mouth."""
    briefing, minds = task.briefing, minds_of(task)
    first = first_wish(briefing, condition_behavior(condition, setup.fragments))

    def tell(state: Mapping[str, Any], messages: Sequence[Message], text: str) -> dict[str, Any]:
        visible = [one for one in messages if is_delivered(one)]
        heard = [str(one["content"]) for one in visible if one["role"] == "assistant"]
        spoken = without_tokens(text), heard[-1] if heard else "", len(visible) + 1
        if minds:
            return told_around_changes(state, *spoken, minds)
        told = told_after(state.get("disclosed", ()), *spoken, briefing, first)
        return {**state, "disclosed": told}

    return tell


def _callable_user(task: Task, user: Callable[..., Any]) -> UserSide:
    tools = task.domain.registry().langchain_tools(Owner.USER)
    known = "\n".join(
        f"- {fact.key}{f' ({fact.slot})' if fact.slot else ''}: {fact.value}" for fact in task.facts
    )
    remember_environment_secrets()
    template = files("crab_graph.graph").joinpath("callable_user.md").read_text(encoding="utf-8")
    known += "".join(f"\n\n{mind.due}" for mind in minds_of(task))
    view = View(template.replace("{facts}", known), "user")

    def step(state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        reply = read_reply(call_synchronously(user, view.of(messages), list(tools)))
        return UserReply(reply.text, reply.calls, dict(state))

    return UserSide(f"python:{dotted_name(user)}", step)


def _replying(
    engine: RulesUser | ChangingUser | HybridUser | LlmUser | ChangingModelUser,
) -> Step:
    """Return an engine's steps with their calls apart."""

    def step(state: Mapping[str, Any], messages: Sequence[Message]) -> UserReply:
        taken = engine.step(dict(state), messages)
        asked = taken.message.get("tool_calls") or ()
        calls = tuple(Call(call["name"], call["arguments"]) for call in asked)
        return UserReply(taken.message["content"], calls, taken.state)

    return step


def _asking(model: Any, prompt: str) -> Ask:
    """Return a model that follows a prompt, as the engines ask it."""
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
