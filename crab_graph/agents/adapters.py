"""Agents of every kind behind one call: messages in, a reply out.

An agent is named by a spec (`solver` or another registered name, `provider:model`, an address,
`package.module:attribute`) or is a chat model, a compiled graph, another `Runnable` or a callable.
The calls it asks for come back as data, and the environment runs them; what has a loop of its own
is handed tools that work in place.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from crab_graph.agents.agent_hints import (
    not_importable,
    refuse_answer,
    refuse_listener,
    refuse_lookalike,
    unknown_agent,
)
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.agents.event_loop import run_to_end
from crab_graph.agents.reference import AGENTS, INFORMED, reference_agent
from crab_graph.agents.reply import Reply, ask_model, read_reply
from crab_graph.errors import UnknownName, UsageError
from crab_graph.models.chat import build_chat_model, is_address, is_provider
from crab_graph.models.retrying import RetryingModel
from crab_graph.models.secrets import (
    public_spec,
    remember_environment_secrets,
    remember_model_secrets,
)
from crab_graph.plugins import import_attribute
from crab_graph.tools.registry import Owner, ToolRegistry

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from crab_graph.agents.workplace import Toolbox
    from crab_graph.domain.contract import Domain

Respond = Callable[[list["BaseMessage"]], Reply]
Answers = Sequence[Mapping[str, Mapping[str, str]]]
"""The certified solutions of a task."""

PYTHON_PREFIX = "python:"


class Agent(NamedTuple):
    """An agent that can be put into any number of episodes, which `open` readies it for.

    Its name is the spec without credentials, or `python:…` for an object.
    """

    name: str
    is_reference: bool
    open: Callable[[ToolRegistry], Respond]

    def open_for(self, domain: "Domain", answers: Callable[[], Answers]) -> Respond:
        """Ready it for one episode.

        Reference agents know the domain. One agent of the red team is handed the certified
        solutions of the task, which `answers` returns. No other agent has these doors.
        """
        registry = domain.registry()
        if not self.is_reference:
            return self.open(registry)
        told = answers() if self.name == INFORMED else ()
        return _reference(reference_agent(self.name, domain, told), registry)


def resolve_agent(spec: AgentSpec | Agent) -> Agent:
    """Return the agent that a spec names, or that an object is.

    A callable with one required parameter is a factory `make(tools)`.

    Raises:
        UnknownName: no agent is registered under that name.
        UsageError: the spec cannot be read, or what it names is no agent.
    """
    if isinstance(spec, Agent):
        return spec
    if not isinstance(spec, str):
        return Agent(PYTHON_PREFIX + dotted_name(spec), False, _opener(spec))
    spec = spec.strip()
    if ":" not in spec:
        try:
            found = AGENTS.find(spec)  # refuses an unknown name now, not in an episode
        except UnknownName:
            raise unknown_agent(spec, AGENTS.names()) from None
        if spec in AGENTS.built_in:
            return Agent(spec, True, _knows_its_domain)
        return Agent(spec, False, _opener(found))
    if is_address(spec):
        return Agent(public_spec(spec), False, _opener(build_chat_model(spec)))
    module = spec.partition(":")[0]
    if "." not in module and is_provider(module):
        return Agent(public_spec(spec), False, _opener(build_chat_model(spec)))
    found = import_attribute("agent", spec, missing=not_importable(spec))
    return Agent(spec, False, _opener(found))


def _knows_its_domain(registry: ToolRegistry) -> Respond:
    raise UsageError("a reference agent works in the domain of a task; open it for one")


def _opener(value: Any) -> Callable[[ToolRegistry], Respond]:
    """Return how an object becomes the agent of an episode; refuse it now if it is none."""
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415
    from langchain_core.runnables import Runnable  # noqa: PLC0415

    if isinstance(value, BaseChatModel | RetryingModel):
        from crab_graph.agents.any_form import in_any_form  # noqa: PLC0415

        remember_model_secrets(value)
        model = value if isinstance(value, RetryingModel) else in_any_form(value)
        # Tools are bound when the first episode needs them, not in each one.
        bound = cache(lambda registry: model.bind_tools(registry.openai_schemas(Owner.AGENT)))
        return lambda registry: partial(ask_model, bound(registry))
    remember_environment_secrets()
    if isinstance(value, Runnable):
        return partial(_runnable, value)
    refuse_lookalike(value)
    if inspect.isclass(value) and required_arguments(value) == 0:
        value = _instance(value)
        refuse_lookalike(value)
    needed = required_arguments(value)
    if needed == 1:
        refuse_listener(value)
        return partial(_made, value)
    if needed == 2 and not inspect.isclass(value):
        return partial(_callable, value)
    raise UsageError(
        f"'{dotted_name(value)}' takes {needed} required arguments; "
        "an agent is f(messages, tools), a factory make(tools)"
    )


def _instance(kind: Callable[[], Any]) -> Any:
    try:
        return kind()
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"'{dotted_name(kind)}' cannot be made: {reason}") from error


def _runnable(runnable: Any, registry: ToolRegistry, toolbox: "Toolbox | None" = None) -> Respond:
    """Return a runnable's answers; `toolbox` has the tools that it was made with, if it has any."""
    from langchain_core.runnables import RunnableLambda  # noqa: PLC0415
    from langgraph.graph.state import CompiledStateGraph  # noqa: PLC0415
    from langgraph.pregel import Pregel  # noqa: PLC0415

    from crab_graph.agents.compiled import CompiledAgent  # noqa: PLC0415
    from crab_graph.agents.workplace import Toolbox  # noqa: PLC0415

    toolbox = toolbox or Toolbox(registry)
    if isinstance(runnable, Pregel):
        return CompiledAgent(runnable, registry, toolbox)
    is_async = isinstance(runnable, RunnableLambda) and not hasattr(runnable, "func")
    run = runnable.ainvoke if is_async else runnable.invoke
    first = runnable  # of a sequence, or in a binding, as of `with_retry`
    while inner := next((one for name in _INNER if (one := getattr(first, name, None))), None):
        first = inner
    if isinstance(first, CompiledStateGraph):
        return _working(lambda messages: run({"messages": messages}), toolbox)
    return _working(run, toolbox)


_INNER = ("bound", "runnable", "first")


def _callable(function: Callable[..., Any], registry: ToolRegistry) -> Respond:
    from crab_graph.agents.workplace import Toolbox  # noqa: PLC0415

    toolbox = Toolbox(registry)
    return _working(lambda messages: function(messages, list(toolbox.tools)), toolbox)


def _reference(function: Callable[..., Any], registry: ToolRegistry) -> Respond:
    """Return the answers of an agent of ours, which only asks for calls."""
    tools = registry.langchain_tools(Owner.AGENT)
    return lambda messages: read_reply(function(messages, tools))


def _made(factory: Callable[..., Any], registry: ToolRegistry) -> Respond:
    """Make the agent of one episode; it may have closed over the tools and take messages alone."""
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415
    from langchain_core.runnables import Runnable  # noqa: PLC0415

    from crab_graph.agents.workplace import Toolbox  # noqa: PLC0415

    toolbox = Toolbox(registry)
    made = factory(list(toolbox.tools))
    refuse_answer(factory, made)
    if isinstance(made, Runnable) and not isinstance(made, BaseChatModel):
        return _runnable(made, registry, toolbox)
    if callable(made) and not hasattr(made, "invoke"):
        needed = required_arguments(made)
        if needed == 1:
            return _working(made, toolbox)
        if needed == 2 and not inspect.isclass(made):
            return _working(lambda messages: made(messages, list(toolbox.tools)), toolbox)
    return _opener(made)(registry)


def _working(function: Callable[..., Any], toolbox: "Toolbox") -> Respond:
    """Return the answers of something that takes messages, and may use the tools of a toolbox."""

    def respond(messages: list["BaseMessage"]) -> Reply:
        with toolbox.opened():
            return read_reply(call_synchronously(function, messages))

    return respond


_POSITIONAL = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}


def required_arguments(function: Callable[..., Any]) -> int:
    """Return how many arguments a callable must be given by position.

    Raises:
        UsageError: it needs keyword arguments too, or does not tell what it takes.
    """
    name = dotted_name(function)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise UsageError(f"'{name}' does not tell which arguments it takes") from error
    needed = [one for one in parameters if one.default is one.empty]
    if any(one.kind is one.KEYWORD_ONLY for one in needed):
        raise UsageError(f"'{name}' needs keyword arguments, which nobody gives it")
    if any(one.kind is one.VAR_POSITIONAL for one in needed):
        return 2
    return sum(one.kind in _POSITIONAL for one in needed)


def call_synchronously(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; where it is asynchronous, run it to its end."""
    answer = function(*arguments)
    return run_to_end(answer) if inspect.isawaitable(answer) else answer


def dotted_name(value: object) -> str:
    """Return `module.name` of a function or class, or of the class of any other object."""
    named = value if inspect.isroutine(value) or inspect.isclass(value) else type(value)
    return f"{named.__module__}.{named.__qualname__}"
