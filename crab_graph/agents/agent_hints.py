"""What to say to whoever gives as an agent what is none: the likeliest mistake, and its mending."""

import inspect
import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from crab_graph.errors import UnknownName, UsageError
from crab_graph.models.chat import provider_names, provider_of

KINDS = (
    "provider:model, such as openai:gpt-5-mini; http(s)://host/v1#model; package.module:attribute"
)
_SIGNATURES = "an agent is f(messages, tools), a factory make(tools)"
_OF_MESSAGES = {"chat", "conversation", "history", "message", "messages", "msgs", "state"}
"""What a parameter is called that is for messages: no factory has it."""
_MAKERS = ("langchain.", "langgraph.")


def unknown_agent(spec: str, known: Iterable[str]) -> UsageError:
    """Return the error of a text without a colon that names no agent."""
    provider = provider_of(spec)
    before, slash, model = spec.partition("/")
    names = sorted(known)
    if provider is not None:
        hint = f"did you mean {provider}:{spec}?"
    elif slash and before in provider_names():
        hint = f"did you mean {before}:{model}?"
    elif spec.endswith(".py"):
        hint = f"did you mean {PurePath(spec).stem}:NAME, what the file calls it?"
    elif close := get_close_matches(spec, names, n=3):
        hint = f"did you mean {', '.join(close)}?"
    else:
        own = ", ".join(name for name in names if not re.fullmatch(r"rt\d+", name))
        hint = f"an agent is one of {own}; {KINDS}"
    return UnknownName("agent", spec, names, hint)


def not_importable(spec: str) -> str:
    """Return what is wrong with `module:attribute` whose module is not there."""
    before, _, rest = spec.partition(":")
    module = provider = ""
    if before.endswith(".py") or "/" in before:
        module = f" (did you mean {PurePath(before).with_suffix('').name}:{rest}?)"
    elif close := get_close_matches(before, provider_names(), n=1):
        provider = f" (did you mean {close[0]}:{rest}?)"
    return f"is no model provider{provider} and no module{module}"


def refuse_lookalike(value: Any) -> None:
    """Refuse an object that is no agent, though much like one or near to it.

    Raises:
        UsageError: it is; the message says what to give instead.
    """
    owner = getattr(value, "__self__", None)
    name = _named(value)
    if inspect.isclass(value) and issubclass(value, Runnable):
        raise UsageError(f"'{name}' is a class: give an object of it, {value.__name__}(…)")
    if inspect.ismethod(value) and isinstance(owner, Runnable):
        raise UsageError(f"'{name}' is a method: give the {type(owner).__name__} itself")
    if hasattr(value, "compile") and hasattr(value, "add_node"):
        raise UsageError(f"'{name}' is a graph that is not compiled: give graph.compile()")
    if inspect.isfunction(value) and (value.__module__ or "").startswith(_MAKERS):
        raise UsageError(
            f"'{name}' makes agents: give what it returns, or a factory such as "
            f"lambda tools: {value.__name__}(model, tools)"
        )
    if not callable(value):
        is_several = isinstance(value, list | tuple)
        advice = "one agent at a time" if is_several else f"{_SIGNATURES}, or a text: {KINDS}"
        told = value if value is None else repr(name)
        raise UsageError(f"{told} is no agent: neither a Runnable nor callable; {advice}")


def refuse_listener(function: Any) -> None:
    """Refuse a function of the messages alone, which would be taken for a factory.

    Raises:
        UsageError: by the name of its only parameter it is one.
    """
    needed = [
        one.name
        for one in inspect.signature(function).parameters.values()
        if one.default is one.empty and one.kind is not one.VAR_KEYWORD
    ]
    if needed and needed[0].casefold() in _OF_MESSAGES:
        raise UsageError(
            f"'{_named(function)}' takes {needed[0]} alone: an agent takes two parameters, "
            "f(messages, tools); with one it is a factory make(tools)"
        )


def refuse_answer(factory: Any, made: Any) -> None:
    """Refuse what a factory returned, where it is an answer and no agent.

    Raises:
        UsageError: it is.
    """
    if made is None or isinstance(made, str | BaseMessage | list | dict):
        raise UsageError(
            f"'{_named(factory)}' has one parameter, so it is a factory make(tools), but it "
            f"returned {type(made).__name__}: an agent takes two, f(messages, tools)"
        )


def _named(value: Any) -> str:
    named = value if inspect.isroutine(value) or inspect.isclass(value) else type(value)
    return f"{named.__module__}.{named.__qualname__}"
