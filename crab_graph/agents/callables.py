"""Python callables as agents or users: how many arguments they take, and how they are called."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from crab_graph.errors import UsageError

_POSITIONAL = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}


def required_arguments(function: Callable[..., Any]) -> int:
    """Return how many arguments a callable must be given by position.

    Raises:
        UsageError: it needs keyword arguments too, or does not tell what it takes.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"'{dotted_name(function)}' does not tell which arguments it takes"
        ) from error
    needed = [one for one in parameters if one.default is one.empty]
    if any(one.kind is one.KEYWORD_ONLY for one in needed):
        raise UsageError(
            f"'{dotted_name(function)}' needs keyword arguments, which nobody gives it"
        )
    if any(one.kind is one.VAR_POSITIONAL for one in needed):
        return 2
    return sum(one.kind in _POSITIONAL for one in needed)


def call_synchronously(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; where it is asynchronous, run it to its end."""
    answer = function(*arguments)
    return asyncio.run(_awaited(answer)) if inspect.isawaitable(answer) else answer


def dotted_name(value: object) -> str:
    """Return `module.name` of a function or class, or of the class of any other object."""
    named = value if inspect.isroutine(value) or inspect.isclass(value) else type(value)
    return f"{named.__module__}.{named.__qualname__}"


async def _awaited(answer: Any) -> Any:
    return await answer
