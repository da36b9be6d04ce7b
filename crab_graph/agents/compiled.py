"""Compiled LangGraph agents with a tool loop of their own, such as those of `create_agent`.

The inner loop runs up to its first call of a tool that belongs to the environment and is left
there; the environment runs the call as a step of the episode, and the agent goes on from the
history. So every call is recorded, in order, and checkpointed; tools that the agent brought itself
run inside. What the inner graph keeps beside its messages does not outlive a step.

The loop is left in one of three ways: a tool of ours is reached (a graph made by a factory, or one
built with the tools that refuse to run), the graph stops before its tools by itself (compiled with
`interrupt_before`), or it answers the call itself, as it does with tools that nobody has.
"""

import asyncio
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NoReturn

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.errors import GraphBubbleUp, ParentCommand

from crab_graph.agents.reply import (
    BadReply,
    Reply,
    calls_of,
    clean_text,
    inner_lines,
    own_content,
    read_reply,
)

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


class CallDeferred(GraphBubbleUp):
    """Leaves an agent's tool loop: the environment runs the call.

    LangGraph hands signals of this kind through error handlers and retries.
    """


def defer(name: str, arguments: dict[str, Any]) -> NoReturn:
    """Leave the loop; the body of every tool that is handed to a factory."""
    raise CallDeferred(
        f"'{name}' is run by the environment: return the compiled agent itself, or return its calls"
    )


class CompiledAgent:
    """Answers with a compiled graph over `messages`."""

    def __init__(
        self, graph: "CompiledStateGraph[Any, Any, Any, Any]", tools: Sequence[str]
    ) -> None:
        """Wrap a graph, which is run without a checkpointer; `tools` are the environment's."""
        self._graph = graph.copy(update={"checkpointer": None}) if graph.checkpointer else graph
        self._tools = frozenset(tools)
        found = _tools_of(graph)
        self._brought = found.keys() - self._tools
        self._is_async = any(
            getattr(one, "func", None) is None
            and (getattr(one, "afunc", None) or getattr(one, "coroutine", None)) is not None
            for one in (*_nodes_of(graph), *found.values())
        )

    def __call__(self, messages: list[BaseMessage]) -> Reply:
        """Return the graph's final text, or the first calls that the environment has to run."""
        given = {message.id for message in messages}
        new: list[BaseMessage] = []
        try:
            with closing(self._states(messages)) as states:
                for state in states:
                    new = [message for message in state["messages"] if message.id not in given]
                    if self._refused(new):
                        break
        except ParentCommand as error:
            raise BadReply("the agent tried to leave its graph: Command(graph=PARENT)") from error
        except Exception as error:
            if not self._is_deferral(error, new):
                raise
        return self._reply(new)

    def _states(self, messages: list[BaseMessage]) -> Generator[dict[str, Any], None, None]:
        given = {"messages": messages}
        if not self._is_async:
            yield from self._graph.stream(given, stream_mode="values")
            return
        states = self._graph.astream(given, stream_mode="values")
        with asyncio.Runner() as loop:
            try:
                while (state := loop.run(_next_of(states))) is not None:
                    yield state
            finally:
                loop.run(_close(states))

    def _refused(self, new: Sequence[BaseMessage]) -> bool:
        """Tell whether the inner loop itself answered a call that the environment has to record."""
        ours = {
            call["id"]
            for message in new
            if isinstance(message, AIMessage)
            for call in message.tool_calls
            if call["name"] in self._tools
        }
        return any(
            (message.tool_call_id in ours or message.status == "error")
            and message.name not in self._brought  # ids repeat: one may stand for a call of each
            for message in new
            if isinstance(message, ToolMessage)
        )

    def _is_deferral(self, error: Exception, new: Sequence[BaseMessage]) -> bool:
        """Return whether a tool of the environment was reached.

        A graph that was built with tools that refuse to run raises their error, not our signal.
        """
        if isinstance(error, CallDeferred):
            return True
        last = new[-1] if new else None
        return (
            isinstance(error, RuntimeError)
            and isinstance(last, AIMessage)
            and any(call["name"] in self._tools for call in last.tool_calls)
        )

    def _reply(self, new: Sequence[BaseMessage]) -> Reply:
        for end in reversed(range(len(new))):
            last = new[end]
            if isinstance(last, AIMessage):
                if not (calls := calls_of(last)):
                    return read_reply(last)
                inner = inner_lines(new[:end])
                if not self._brought.intersection(call.name for call in calls):
                    return Reply(clean_text(str(last.text)), calls, inner, own_content(last))
                # A batch of both kinds: what the loop answered of it is lost with the loop, so the
                # agent is shown a message with our calls alone, and asks for its own ones again.
                kept = tuple(call for call in calls if call.name not in self._brought)
                if not kept:
                    raise BadReply(f"the compiled agent left its own tool '{calls[0].name}' unrun")
                return Reply(clean_text(str(last.text)), kept, inner)
        raise BadReply("the compiled agent ended without an AIMessage")


def _nodes_of(graph: Any) -> list[Any]:
    return [getattr(node, "bound", None) for node in graph.nodes.values()]


def _tools_of(graph: Any) -> dict[str, Any]:
    known = [getattr(node, "tools_by_name", None) for node in _nodes_of(graph)]
    return {name: tool for one in known if isinstance(one, Mapping) for name, tool in one.items()}


async def _next_of(states: AsyncIterator[Any]) -> dict[str, Any] | None:
    found: dict[str, Any] | None = await anext(states, None)
    return found


async def _close(states: Any) -> None:
    await states.aclose()
