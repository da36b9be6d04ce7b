"""Compiled LangGraph agents, such as those of `create_agent`: a turn of theirs is one step.

A workflow of the functional API (`entrypoint`) is one too: it is handed all messages, and returns
what is said.

The tools of the environment work inside them. A graph runs in a thread of its own; what it
remembers at the end of a turn is written down, and put back where the next turn begins elsewhere.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import ParentCommand
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, StateSnapshot

from crab_graph.agents.event_loop import run_to_end
from crab_graph.agents.reply import BadReply, Call, Reply, call_ids_of, calls_of, read_reply
from crab_graph.agents.thread_memory import (
    Remembered,
    copy_store,
    filled_store,
    last_checkpoint,
    restore_threads,
    write_store,
    write_threads,
)
from crab_graph.agents.value_serializers import ByReference
from crab_graph.agents.workplace import Memory, Toolbox, Workplace
from crab_graph.tools.environment_tools import EnvironmentTool
from crab_graph.tools.registry import Owner, ToolRegistry

Graph = Pregel[Any, Any, Any, Any]

_SAID_IN = ("message", "reply", "response", "answer", "text", "content")
"""The fields of structured output in which the words for the customer are looked for."""

_EXPECTED = "a turn ends with an AIMessage whose text is for the customer"


class CompiledAgent:
    """Answers with a compiled graph over `messages`, or a workflow."""

    def __init__(
        self, graph: Graph, registry: ToolRegistry, toolbox: Toolbox | None = None
    ) -> None:
        """Ready a graph for one episode; `toolbox` has the tools that it was made with."""
        own = graph.checkpointer
        self._saver = own if isinstance(own, BaseCheckpointSaver) else None
        self._graph = graph
        self._is_workflow = not isinstance(graph, CompiledStateGraph)
        self._toolbox = toolbox or Toolbox(registry)
        self._tools = frozenset(registry.names(Owner.AGENT))
        found = _tools_of(graph)
        self._brought = found.keys() - self._tools
        self._working = {name for name, one in found.items() if isinstance(one, EnvironmentTool)}
        self._replaced = (found.keys() & self._tools) - self._working
        self._is_async = _has_asynchronous_parts(graph)
        messages = graph.channels.get("messages")
        self._adds_up = isinstance(messages, BinaryOperatorAggregate | DeltaChannel)

    def __call__(self, messages: list[BaseMessage]) -> Reply:
        """Return what the graph comes to in one turn."""
        with self._toolbox.opened() as place:
            try:
                return self._turn(messages, place)
            except ParentCommand as error:
                text = "the agent tried to leave its graph: Command(graph=PARENT)"
                raise BadReply(text) from error
            except (NotImplementedError, TypeError) as error:
                if self._is_async or not _lacks_synchronous_code(error):
                    raise
            self._is_async = True
            if place is not None:
                place.again()
            return self._turn(messages, place)

    def _turn(self, messages: list[BaseMessage], place: Workplace | None) -> Reply:
        memory = None if place is None else place.memory
        saver = self._saver or InMemorySaver(serde=ByReference())
        held = Remembered(None if memory is None else memory["blobs"])
        thread = "agent" if place is None else place.thread
        if last_checkpoint(saver, thread) != (memory or {}).get("last"):
            restore_threads(saver, thread, (memory or {}).get("threads", {}), held)
        store = _own_store(self._graph, memory, held)
        graph = self._graph.copy(update={"checkpointer": saver, "store": store})
        before = list(_messages_in(graph, thread)) if memory and self._adds_up else []
        given = self._unseen(messages, place, before)
        state = self._play(graph, given, thread, place)
        if self._is_workflow:
            reply = read_reply(state.values)
        else:
            known = {one.id for one in (*before, *given)}
            reply = self._reply(state.values, len(before), known, place)
        if place is None:
            return reply
        kept: Memory = {
            "thread": thread,
            "last": state.config["configurable"]["checkpoint_id"],
            "threads": write_threads(saver, thread, state.values, graph, held),
        }
        if isinstance(store, InMemoryStore):
            kept["store"] = write_store(store, held)
        return replace(reply, memory=kept | {"blobs": held.new})

    def _unseen(
        self, messages: list[BaseMessage], place: Workplace | None, before: Sequence[BaseMessage]
    ) -> list[BaseMessage]:
        """Return what the graph is handed: all there is, or what it has not seen.

        Results of calls that it left to the environment answer to the ids that it knows.
        """
        if place is None or place.memory is None or not self._adds_up:
            return messages
        new = messages[len(messages) - place.unseen :]
        last = before[-1] if before else None
        ids = iter(call_ids_of(last) if isinstance(last, AIMessage) else ())
        return [
            one.model_copy(update={"tool_call_id": next(ids, one.tool_call_id)})
            if isinstance(one, ToolMessage)
            else one
            for one in new
        ]

    def _play(
        self, graph: Graph, given: Sequence[BaseMessage], thread: str, place: Workplace | None
    ) -> StateSnapshot:
        """Run the graph to the end of its turn.

        It is gone on with where a person answered, and where it only stops before or after a node:
        unless it stopped before calls that the environment has to run for it.
        """
        config = {"configurable": {"thread_id": thread}}
        asked: Any = list(given) if self._is_workflow else {"messages": list(given)}
        while True:
            state = self._run(graph, asked, config)
            if state.interrupts:
                if place is None:
                    raise BadReply("the agent asks a person: interrupt()")
                asked = Command(resume={i.id: place.ask_person(i.value) for i in state.interrupts})
            elif not state.next or self._is_left(state.values):
                return state
            else:
                asked = None

    def _is_left(self, state: Any) -> bool:
        last = (state.get("messages") or [None])[-1] if isinstance(state, Mapping) else None
        calls = calls_of(last) if isinstance(last, AIMessage) else ()
        return any(call.name in self._tools - self._working for call in calls)

    def _run(self, graph: Graph, asked: Any, config: Any) -> StateSnapshot:
        how: dict[str, Any] = {"stream_mode": "values"}
        if self._saver is None:
            how["durability"] = "exit"
        if self._is_async:
            home = getattr(self._saver, "loop", None)  # of an asynchronous saver
            return run_to_end(_run_asynchronously(graph, asked, config, how), home)
        for _ in graph.stream(asked, config, **how):
            pass
        return graph.get_state(config)

    def _reply(
        self, state: Mapping[str, Any], before: int, known: set[str | None], place: Workplace | None
    ) -> Reply:
        messages: Sequence[BaseMessage] = state.get("messages") or ()
        new = [
            one
            for number, one in enumerate(messages)
            if (number >= before if one.id is None else one.id not in known)
        ]
        if place is not None:
            if left := self._left(new):
                place.leave(left)
            self._check_tools(new, place)
        last = new[-1] if new else None
        said = self._said(last, state.get("structured_response"))
        if said is None:
            ended = "nothing new" if last is None else f"a {type(last).__name__}"
            raise BadReply(f"the agent's graph ended with {ended}; {_EXPECTED}")
        return read_reply(said)

    def _check_tools(self, new: Sequence[BaseMessage], place: Workplace) -> None:
        """Refuse tools that only bear the names of the environment's: nothing of theirs is true."""
        answered = {str(one.name) for one in new if isinstance(one, ToolMessage)}
        for name in sorted(answered & self._replaced - place.called()):
            raise BadReply(
                f"the agent's graph has a tool '{name}' of its own in the place of the "
                "environment's: build it with the tools that a factory make(tools) is handed"
            )

    def _said(self, last: BaseMessage | None, structured: Any) -> AIMessage | str | None:
        """Return how a turn may end: with words, structured output, or what is as good as words."""
        if isinstance(last, AIMessage):
            is_output = not last.tool_calls and _is_json(last.text)
            return (_said_in(structured) if is_output else None) or last
        if isinstance(last, ToolMessage) and last.name in self._brought:
            return str(last.text)  # of a tool that returns directly
        if isinstance(last, ToolMessage) and last.name not in self._tools:
            return _said_in(structured)
        is_members = isinstance(last, HumanMessage) and last.name is not None
        return str(last.text) if last is not None and is_members else None

    def _left(self, new: Sequence[BaseMessage]) -> list[Call]:
        """Return the calls of tools that nobody has, which the inner loop itself refused."""
        refused = {
            one.tool_call_id: one.name
            for one in new
            if isinstance(one, ToolMessage) and one.status == "error"
        }
        return [
            call
            for message in new
            if isinstance(message, AIMessage)
            for call, id in zip(calls_of(message), call_ids_of(message), strict=True)
            if id in refused and call.name not in self._tools | self._brought
        ]


def _own_store(graph: Graph, memory: Memory | None, held: Remembered) -> Any:
    """Return the graph's store; one that is in memory alone is each episode's own."""
    store = graph.store
    if not isinstance(store, InMemoryStore):
        return store
    if memory is None:
        return copy_store(store)
    kept = memory.get("store", ())
    return filled_store(store, ((space, key, held.value(name)) for space, key, name in kept))


def _messages_in(graph: Graph, thread: str) -> Sequence[BaseMessage]:
    state = graph.get_state({"configurable": {"thread_id": thread}})
    found: Sequence[BaseMessage] = state.values.get("messages") or ()
    return found


async def _run_asynchronously(
    graph: Graph, asked: Any, config: Any, how: Mapping[str, Any]
) -> StateSnapshot:
    async for _ in graph.astream(asked, config, **how):
        pass
    return await graph.aget_state(config)


def _said_in(structured: Any) -> str | None:
    """Return the words for the customer in structured output, if they can be told."""
    if isinstance(structured, str):
        return structured
    fields = structured if isinstance(structured, Mapping) else getattr(structured, "__dict__", {})
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    for name in _SAID_IN:
        if name in texts:
            return texts[name]
    return next(iter(texts.values())) if len(texts) == 1 else None


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _parts_of(graph: Graph) -> list[Any]:
    graphs: list[Any] = [graph, *(one for _, one in graph.get_subgraphs(recurse=True))]
    return [getattr(node, "bound", None) for one in graphs for node in one.nodes.values()]


def _tools_of(graph: Graph) -> dict[str, Any]:
    known = [getattr(part, "tools_by_name", None) for part in _parts_of(graph)]
    return {name: tool for one in known if isinstance(one, Mapping) for name, tool in one.items()}


def _has_asynchronous_parts(graph: Graph) -> bool:
    """Return whether a node or tool is asynchronous only; what else is will be told by an error."""
    return any(
        getattr(one, "func", None) is None
        and (getattr(one, "afunc", None) or getattr(one, "coroutine", None)) is not None
        for one in (*_parts_of(graph), *_tools_of(graph).values())
    )


def _lacks_synchronous_code(error: BaseException) -> bool:
    return isinstance(error, NotImplementedError) or "No synchronous function" in str(error)
