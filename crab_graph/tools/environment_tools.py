"""One party's tools as LangChain's, which work in place where they are invoked.

A refused call is what LangChain's tools make of an error: its text, with the status `error`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, NoReturn

from langchain_core.tools import BaseTool, StructuredTool, ToolException


class Invocation(NamedTuple):
    """A tool that was invoked: its name, arguments, and the id of the call, if it had one.

    It may wait for others, unless it is invoked in an event loop.
    """

    name: str
    arguments: dict[str, Any]
    call_id: str | None
    may_wait: bool


class Answered(NamedTuple):
    """What an invocation gives: the text of a result or an error."""

    content: str
    is_error: bool


Invoked = Callable[[Invocation], Answered]

_ANSWERING: ContextVar[Invoked | None] = ContextVar("crab_graph_answering", default=None)
_CALL_ID: ContextVar[str | None] = ContextVar("crab_graph_call_id", default=None)


class EnvironmentTool(StructuredTool):
    """A tool of the environment, which knows the id of the call that it answers."""

    def run(self, *given: Any, tool_call_id: str | None = None, **options: Any) -> Any:
        """Run it as LangChain does."""
        token = _CALL_ID.set(tool_call_id)
        try:
            return super().run(*given, tool_call_id=tool_call_id, **options)
        finally:
            _CALL_ID.reset(token)

    async def arun(self, *given: Any, tool_call_id: str | None = None, **options: Any) -> Any:
        """Run it as LangChain does."""
        token = _CALL_ID.set(tool_call_id)
        try:
            return await super().arun(*given, tool_call_id=tool_call_id, **options)
        finally:
            _CALL_ID.reset(token)


@contextmanager
def answering(invoked: Invoked) -> Iterator[None]:
    """Let every tool that is invoked in this context be answered by `invoked`."""
    token = _ANSWERING.set(invoked)
    try:
        yield
    finally:
        _ANSWERING.reset(token)


def build_tools(
    schemas: Iterable[Mapping[str, Any]], elsewhere: Invoked | None = None
) -> list[BaseTool]:
    """Return tools with OpenAI's schemas.

    Where nobody answers in the context of an invocation, as in a plain thread, `elsewhere` does.
    """
    return [_build(elsewhere or _refuse, **schema["function"]) for schema in schemas]


def _build(
    elsewhere: Invoked, name: str, description: str, parameters: dict[str, Any]
) -> EnvironmentTool:
    def invoke(**arguments: Any) -> str:
        invoked = _ANSWERING.get() or elsewhere
        return _told(invoked(Invocation(name, arguments, _CALL_ID.get(), True)))

    async def ainvoke(**arguments: Any) -> str:
        invoked = _ANSWERING.get() or elsewhere
        return _told(invoked(Invocation(name, arguments, _CALL_ID.get(), False)))

    return EnvironmentTool(
        func=invoke,
        coroutine=ainvoke,
        name=name,
        description=description,
        # Not a model: malformed arguments must reach the environment and be recorded.
        args_schema=parameters,
        handle_tool_error=True,
    )


def _refuse(invocation: Invocation) -> NoReturn:
    raise RuntimeError(
        f"'{invocation.name}' cannot be run here: tools work in a turn of the agent they are for"
    )


def _told(answered: Answered) -> str:
    if answered.is_error:
        raise ToolException(answered.content)
    return answered.content
