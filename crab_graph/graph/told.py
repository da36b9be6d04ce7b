"""What callbacks and tracers are told of an episode: a small public view, under one root each.

LangGraph tells every handler the whole state with each step. In an episode that is much, and it
holds what only the user knows. So its own runs are told to nobody, and handlers hear of these
instead: the run of the episode, which says which one it is and in the end what was said; and inside
it a run of each step, which says the message before it and what it adds that the agent may see. The
agent's own runs are inside its steps, as they are.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial, wraps
from typing import Any, ParamSpec, cast

from langchain_core.callbacks import (
    BaseCallbackHandler,
    CallbackManager,
    CallbackManagerForChainRun,
)
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tracers.context import tracing_v2_callback_var
from langsmith import get_tracing_context, tracing_context

from crab_graph.graph.spoken import said_key, spoken
from crab_graph.graph.state import Message, is_delivered

EPISODE = "episode_id"
"""Name, in the metadata of an episode's own run, of its id."""

_LONGEST_INPUT = 300
"""Characters of the message before a step that are told with it."""

_SHOWN = ("turn", "status", "ending")

State = Mapping[str, Any]

Given = ParamSpec("Given")


class EpisodeRun:
    """The run of an episode, as handlers hear of it."""

    def __init__(self, run: CallbackManagerForChainRun) -> None:
        """Take a run that was begun, and the context in which it is told."""
        self.run = run
        self.context = copy_context()
        self._shown: dict[str, Any] = {}

    @property
    def output(self) -> dict[str, Any]:
        """What was said until its last step, and how it stands."""
        return self._shown

    def after(self, state: State, update: State) -> None:
        """Remember where it stands after a step."""
        said = [line for line in (*_lines(state), *_lines(update)) if is_delivered(line)]
        self._shown = {"messages": spoken(said)} | _beside({**state, **update})


_EPISODE: ContextVar[EpisodeRun | None] = ContextVar("episode_run", default=None)


def is_apart() -> bool:
    """Return whether this runs in an episode that LangGraph works on without handlers."""
    return _EPISODE.get() is not None


@contextmanager
def apart(episode: EpisodeRun) -> Iterator[None]:
    """Let LangGraph work on an episode without handlers, those around it included."""
    with tracing_context(enabled=False):
        tracer = tracing_v2_callback_var.set(None)
        config = var_child_runnable_config.set(None)
        ours = _EPISODE.set(episode)
        try:
            yield
        finally:
            _EPISODE.reset(ours)
            var_child_runnable_config.reset(config)
            tracing_v2_callback_var.reset(tracer)


@contextmanager
def traced_if_asked(*, asks_models: bool) -> Iterator[None]:
    """Send nothing of an episode that asks no model, unless code said that it is to be traced.

    A variable of the environment that asks LangSmith for traces was set for models.
    """
    if asks_models or get_tracing_context()["enabled"] is not None:
        yield
        return
    with tracing_context(enabled=False):
        yield


def told(node: Callable[Given, dict[str, Any]]) -> Callable[Given, dict[str, Any]]:
    """Return a node whose steps handlers hear of; inside a step, the config has its callbacks."""

    @wraps(node)
    def step(*given: Given.args, **options: Given.kwargs) -> dict[str, Any]:
        episode, config = _EPISODE.get(), var_child_runnable_config.get()
        if episode is None or config is None:
            return node(*given, **options)
        state = cast(State, given[0])
        manager, inner = episode.run.get_child(), cast(CallbackManager, config["callbacks"])
        for handler in inner.handlers:  # such as that of the stream mode `messages`
            manager.add_handler(handler)
        manager.add_metadata(inner.metadata)
        tell = episode.context.run
        shown = _input(state) if manager.handlers else {}
        run = tell(partial(manager.on_chain_start, None, shown, name=node.__name__))
        child, models = run.get_child(), _SaidByModels()
        if child.handlers:
            child.add_handler(models)
        around = cast(RunnableConfig, {**config, "callbacks": child})
        token = var_child_runnable_config.set(around)
        try:
            update = node(*given, **options)
        except BaseException as error:
            tell(run.on_chain_error, error)
            raise
        finally:
            var_child_runnable_config.reset(token)
        if run.handlers:
            said = spoken(_lines(update), models.ids)
            tell(run.on_chain_end, {"messages": said} | _beside(update))
            episode.after(state, update)
        return update

    return step


class _SaidByModels(BaseCallbackHandler):
    """Remembers under which id a model said something, so that it is told as one message."""

    run_inline = True

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        for one in (one for several in response.generations for one in several):
            if isinstance(one, ChatGeneration) and isinstance(one.message, AIMessage):
                said = one.message
                if said.id is not None:
                    line = {"content": str(said.text), "tool_calls": said.tool_calls}
                    self.ids[said_key(line)] = said.id


def _input(state: State) -> dict[str, Any]:
    """Return the message before a step, which the step before it told whole."""
    last = [{**line, "content": _cut(line["content"])} for line in _lines(state)[-1:]]
    return {"messages": spoken(last)} | _beside(state)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_INPUT else f"{text[:_LONGEST_INPUT]}…"


def _lines(part: State) -> list[Message]:
    """Return the lines of a state or of an update that are the agent's to see."""
    found = part.get("messages", ())
    return list(found["lines"] if isinstance(found, Mapping) else found)


def _beside(part: State) -> dict[str, Any]:
    return {name: part[name] for name in _SHOWN if name in part}
