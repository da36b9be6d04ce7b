"""In which context agent and user run: what of a graph's config reaches them.

The agent gets the callbacks, tags, metadata and settings that whoever runs the graph passed, and
nothing by which the state could be read or left. The user gets what an interrupt needs, and no
callbacks: what a model is told to play it is private.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import Context, ContextVar, copy_context
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackManager, CallbackManager
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context, var_child_runnable_config
from langchain_core.tracers.context import tracing_v2_callback_var
from langsmith import tracing_context

from crab_graph.graph.told import is_apart

_OF_LANGGRAPH = ("langgraph_", "checkpoint_", "ls_", "lc_", "__")
_PLACES = frozenset({"thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map"})
_REQUEST = frozenset({"bench", "task", "agent", "user", "seat", "seed", "toolset", "personas"})
"""What a request to the served graph names: which user it is is not for the agent to know."""

_ENTERED: ContextVar[AbstractContextManager[Any] | None] = ContextVar("entered", default=None)
"""What was entered in a context for as long as the context lives."""


def agent_context() -> Context:
    """Return the context of an agent's step in the step of the graph that is running here."""
    config = _passed_on(var_child_runnable_config.get())
    if config is None:
        return Context()
    told = set_config_context(config)
    context: Context = Context().run(told.__enter__)
    context.run(_ENTERED.set, told)
    return context


def user_context() -> Context:
    """Return the context of a user's step."""
    context = copy_context()
    config = var_child_runnable_config.get()
    if config is not None:
        kept = cast(RunnableConfig, {**config, "callbacks": None, "tags": [], "metadata": {}})
        context.run(var_child_runnable_config.set, kept)
    if not is_apart():
        untraced = tracing_context(enabled=False)
        context.run(untraced.__enter__)
        context.run(_ENTERED.set, untraced)
        context.run(tracing_v2_callback_var.set, None)
    return context


def _passed_on(config: Mapping[str, Any] | None) -> RunnableConfig | None:
    """Return what an agent is told of the config of its step; `None` where that is nothing."""
    manager = None if config is None else config.get("callbacks")
    if config is None or not isinstance(manager, BaseCallbackManager):
        return None
    metadata = {
        name: value
        for name, value in (config.get("metadata") or {}).items()
        if name not in _PLACES and not name.startswith(_OF_LANGGRAPH)
    }
    configurable = {
        name: value
        for name, value in (config.get("configurable") or {}).items()
        if name not in _PLACES | _REQUEST and not name.startswith(_OF_LANGGRAPH)
    }
    tags = manager.inheritable_tags
    if not (manager.handlers or tags or metadata or configurable):
        return None
    handlers = list(manager.inheritable_handlers)
    about = {name: one for name, one in manager.metadata.items() if name not in _PLACES}
    callbacks = CallbackManager(
        handlers=handlers,
        inheritable_handlers=list(handlers),
        parent_run_id=manager.parent_run_id,
        tags=list(tags),
        inheritable_tags=list(tags),
        metadata=about,
        inheritable_metadata=dict(about),
    )
    return RunnableConfig(
        callbacks=callbacks, tags=list(tags), metadata=metadata, configurable=configurable
    )
