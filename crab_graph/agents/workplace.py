"""Where an agent with a loop of its own works: its tools, its memory, and who else is there.

The graph of the episode opens a workplace for each step of the agent. An agent that only answers
needs none of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Protocol

from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp

from crab_graph.agents.reply import Call
from crab_graph.models.recall import Recorder, recording
from crab_graph.tools.environment_tools import Answered, Invocation, answering
from crab_graph.tools.registry import Owner, ToolRegistry

Memory = dict[str, Any]
"""What an agent remembers at the end of a turn, as `thread_memory` writes it."""


class TurnOver(GraphBubbleUp):
    """The episode reached a limit in the middle of a turn; nothing more is asked or called in it.

    LangGraph hands signals of this kind through error handlers and retries.
    """


class Workplace(Recorder, Protocol):
    """What one step of an agent is given, and tells."""

    thread: str
    """The agent's own thread in this episode."""

    memory: Memory | None
    """What it remembers; `None` at its first turn."""

    unseen: int
    """How many of the messages it is handed, at their end, are new since it remembered."""

    def start(self) -> None:
        """Begin; called in the context in which the agent runs."""

    def invoke(self, invocation: Invocation) -> Answered:
        """Run a call of a tool in the environment."""

    def leave(self, calls: Sequence[Call]) -> None:
        """Record calls of tools that nobody has, which no tool answered."""

    def called(self) -> set[str]:
        """Return the names of the tools that were called in this step."""

    def ask_person(self, value: Any) -> Any:
        """Stop until whoever plays the episode has answered."""

    def again(self) -> None:
        """Begin the turn again: what was answered in it is answered alike."""


_WORKPLACE: ContextVar[Workplace | None] = ContextVar("crab_graph_workplace", default=None)


@contextmanager
def at_work(workplace: Workplace | None) -> Iterator[None]:
    """Let the agent that is asked inside find its workplace."""
    token = _WORKPLACE.set(workplace)
    try:
        yield
    finally:
        _WORKPLACE.reset(token)


def current_workplace() -> Workplace | None:
    """Return the workplace of the step that is taken in this context, if it has one."""
    return _WORKPLACE.get()


class Toolbox:
    """The tools that one agent is handed for one episode; they work where its present step does."""

    def __init__(self, registry: ToolRegistry) -> None:
        """Begin without a step."""
        self._registry = registry
        self._workplace: Workplace | None = None

    @cached_property
    def tools(self) -> list[BaseTool]:
        """The agent's tools."""
        return self._registry.langchain_tools(Owner.AGENT, self._invoke)

    @contextmanager
    def opened(self) -> Iterator[Workplace | None]:
        """Let tools work in the workplace of the present step, and its models be recorded."""
        workplace = current_workplace()
        if workplace is None:
            yield None
            return
        workplace.start()
        self._workplace = workplace
        try:
            with recording(workplace), answering(workplace.invoke):
                yield workplace
        finally:
            self._workplace = None

    def _invoke(self, invocation: Invocation) -> Answered:
        if self._workplace is None:
            raise RuntimeError(f"'{invocation.name}' was invoked when it was not the agent's turn")
        return self._workplace.invoke(invocation)


def caller_of(metadata: Mapping[str, Any]) -> str:
    """Return who acts, by the metadata of a runnable: an agent's name, or the path of its nodes."""
    named = metadata.get("lc_agent_name")
    path = path_of(metadata)
    return str(named) if named else path.removesuffix("tools").rstrip("/")


def path_of(metadata: Mapping[str, Any]) -> str:
    """Return the names of the nodes in which a runnable runs, from the outermost graph on."""
    namespace = str(metadata.get("langgraph_checkpoint_ns") or "")
    return "/".join(part.partition(":")[0] for part in namespace.split("|"))
