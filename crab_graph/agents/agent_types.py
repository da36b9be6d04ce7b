"""What an agent can be, for type checkers and for readers: the union that `agent=` takes.

How each kind is told from the others, and what becomes of it, is said in `docs/agents.md`.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

Answer = BaseMessage | str | Mapping[str, Any]
"""What a turn comes to: an `AIMessage`, a text, or the state of a graph with `messages`."""


class AgentFunction(Protocol):
    """An agent, or a user, as a function; it may be asynchronous."""

    def __call__(
        self, messages: list[BaseMessage], tools: list[BaseTool], /
    ) -> Answer | Awaitable[Answer]:
        """Return the next turn from the messages so far, with the tools on offer."""


class AgentFactory(Protocol):
    """What makes the agent of one episode."""

    def __call__(
        self, tools: list[BaseTool], /
    ) -> (
        Runnable[Any, Any]
        | AgentFunction
        | Callable[[list[BaseMessage]], Answer | Awaitable[Answer]]
    ):
        """Return an agent from the tools; one that holds them may take the messages alone."""


class AgentClass(Protocol):
    """A class without parameters whose objects are agents."""

    def __call__(self) -> AgentFunction:
        """Return an agent."""


AgentSpec = str | Runnable[Any, Any] | AgentFunction | AgentFactory | AgentClass
"""A spec, a chat model, a graph or another `Runnable`, a function, a factory or a class."""
