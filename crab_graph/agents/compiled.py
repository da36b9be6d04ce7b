"""Compiled LangGraph agents with a tool loop of their own, such as those of `create_agent`.

The inner loop runs up to its first call of a tool that belongs to the environment and is left
there; the environment runs the call as a step of the episode, and the agent goes on from the
history. So every call is recorded, in order, and checkpointed; tools that the agent brought itself
run inside. What the inner graph keeps beside its messages does not outlive a step.
"""

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NoReturn

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.errors import GraphBubbleUp

from crab_graph.agents.reply import BadReply, Reply, calls_of, clean_text, inner_lines, read_reply

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


class CallDeferred(GraphBubbleUp):
    """Leaves an agent's tool loop: the environment runs the call.

    LangGraph hands signals of this kind through error handlers and retries.
    """


def defer(name: str, arguments: dict[str, Any]) -> NoReturn:
    """Leave the loop; the body of every tool that is handed to a factory."""
    del arguments
    raise CallDeferred(
        f"'{name}' is run by the environment: return the compiled agent itself, or return its calls"
    )


class CompiledAgent:
    """Answers with a compiled graph over `messages`."""

    def __init__(
        self, graph: "CompiledStateGraph[Any, Any, Any, Any]", tools: Sequence[str]
    ) -> None:
        """Wrap a graph.

        Args:
            graph: The compiled agent; it is run without a checkpointer.
            tools: Names of the environment's tools.
        """
        self._graph = graph.copy(update={"checkpointer": None}) if graph.checkpointer else graph
        self._tools = frozenset(tools)

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
        except Exception as error:
            if not self._is_deferral(error, new):
                raise
        return self._reply(new)

    def _states(self, messages: list[BaseMessage]) -> Generator[dict[str, Any], None, None]:
        yield from self._graph.stream({"messages": messages}, stream_mode="values")

    def _refused(self, new: Sequence[BaseMessage]) -> bool:
        """Tell whether the inner loop itself answered a call that the environment has to record."""
        names = {
            call["id"]: call["name"]
            for message in new
            if isinstance(message, AIMessage)
            for call in message.tool_calls
        }
        return any(
            isinstance(message, ToolMessage)
            and (names.get(message.tool_call_id) in self._tools or message.status == "error")
            for message in new
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
                return Reply(clean_text(str(last.text)), calls, inner_lines(new[:end]))
        raise BadReply("the compiled agent ended without an AIMessage")
