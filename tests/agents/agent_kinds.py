"""Every kind of agent that we know of, and what must hold for each of them.

`python -m tests.agents.agent_kinds` does the checks and writes the table into docs/agents.md.
"""

import asyncio
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm
from pydantic import BaseModel

from crab_graph import build_graph
from crab_graph.graph.restart import hidden_state, state_after, visible_ends
from crab_graph.graph.state import transcript_of
from crab_graph.runs.episode import trace_of
from crab_graph.testing import Answer, ScriptedServer, tool_call_reply
from tests.graph.builders import CUSTOMER, STOP, Killed, build_task, killed_once, scripted

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "agents.md"
LOOKUP = ("get_customer_information", {"customer_id": CUSTOMER})
TURNS = ("Hello", "And?", "More?", STOP)
EXPECTED = ["turn 1", "turn 2", "turn 3"]
KILLED_AFTER = (2, 5, 8)
CONFIG: Any = {"configurable": {"thread_id": "t"}}
BEGINNING: Any = {}
ASKED: list[str] = []
"""What models were asked, by any of them."""


def next_reply(messages: Any, *, first: Any = LOOKUP) -> AIMessage:
    """Return what a model says: in each turn a call, and then which turn it is."""
    ASKED.append(str(messages[-1].text))
    turn = sum(isinstance(one, HumanMessage) for one in messages)
    since = list(messages[max(i for i, m in enumerate(messages) if m.type == "human") :])
    called = {call["name"] for one in since for call in getattr(one, "tool_calls", ())}
    name = first if isinstance(first, str) else first[0]
    return AIMessage(f"turn {turn}") if name in called else tool_call_reply(first)


class Desk(BaseChatModel):
    """A model that looks up its customer in each turn, and says which turn it is."""

    first: Any = LOOKUP

    @property
    def _llm_type(self) -> str:
        return "desk"

    def bind_tools(self, tools: Any, **how: Any) -> Any:
        return self

    def _generate(self, messages: Any, *given: Any, **how: Any) -> ChatResult:
        reply = next_reply(messages, first=self.first)
        return ChatResult(generations=[ChatGeneration(message=reply)])


class AsyncDesk(Desk):
    """One that can only be awaited."""

    def _generate(self, messages: Any, *given: Any, **how: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(self, messages: Any, *given: Any, **how: Any) -> ChatResult:
        return Desk._generate(self, messages)


class StreamedDesk(Desk):
    """One that can only be streamed."""

    def _generate(self, messages: Any, *given: Any, **how: Any) -> ChatResult:
        raise NotImplementedError

    def _stream(self, messages: Any, *given: Any, **how: Any) -> Iterator[ChatGenerationChunk]:
        whole = Desk._generate(self, messages).generations[0].message
        assert isinstance(whole, AIMessage)
        calls = [
            {"name": c["name"], "args": str(c["args"]).replace("'", '"'), "id": c["id"], "index": 0}
            for c in whole.tool_calls
        ]
        chunk = AIMessageChunk(content=whole.content, tool_call_chunks=calls)
        yield ChatGenerationChunk(message=chunk)


class Noting(AgentMiddleware):
    """Counts the turns in the agent's state, and tells the count instead of the model's."""

    class Notes(AgentState):
        turns: int

    state_schema = Notes

    def before_agent(self, state: Any, runtime: Any) -> Any:
        return {"turns": state.get("turns", 0) + 1}

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        answer = handler(request)
        is_call = bool(answer.result[-1].tool_calls)
        return answer if is_call else AIMessage(f"turn {request.state['turns']}")


class Awaited(AgentMiddleware):
    """Middleware with the asynchronous form alone."""

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)


class Said(BaseModel):
    """What is said."""

    message: str


class Structuring(Desk):
    """A model that says what it says as structured output."""

    def _generate(self, messages: Any, *given: Any, **how: Any) -> ChatResult:
        reply = next_reply(messages, first=self.first)
        if not reply.tool_calls:
            reply = tool_call_reply(("Said", {"message": str(reply.text)}))
        return ChatResult(generations=[ChatGeneration(message=reply)])


def supervisor(tools: Any) -> Any:
    worker = create_agent(Desk(), tools, name="worker")
    return create_supervisor([worker], model=Desk(first="transfer_to_worker")).compile()


def swarm(tools: Any) -> Any:
    ann = create_agent(
        Desk(first="transfer_to_bob"), [create_handoff_tool(agent_name="bob")], name="ann"
    )
    bob = create_agent(Desk(), tools, name="bob")
    return create_swarm([ann, bob], default_active_agent="ann").compile()


def subgraph(tools: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("desk", create_agent(Desk(), tools))
    graph.add_edge(START, "desk")
    return graph.compile()


def called_subgraph(tools: Any) -> Any:
    inner: Any = create_agent(Desk(), tools)

    def desk(state: MessagesState) -> Any:
        return {"messages": [inner.invoke({"messages": state["messages"]})["messages"][-1]]}

    return _one_node(desk)


def asynchronous_nodes(tools: Any) -> Any:
    by_name = {one.name: one for one in tools}

    async def desk(state: MessagesState) -> Any:
        await by_name[LOOKUP[0]].ainvoke(LOOKUP[1])
        turn = sum(isinstance(one, HumanMessage) for one in state["messages"])
        return {"messages": [AIMessage(f"turn {turn}")]}

    inner = _one_node(desk)
    graph = StateGraph(MessagesState)
    graph.add_node("inner", inner)
    graph.add_edge(START, "inner")
    return graph.compile()


def _one_node(node: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("desk", node)
    graph.add_edge(START, "desk")
    return graph.compile()


def agent_as_tool(tools: Any) -> Any:
    expert = create_agent(Desk(), tools, name="expert")

    @tool
    def ask() -> str:
        """Ask the expert."""
        return str(expert.invoke({"messages": [HumanMessage("?")]})["messages"][-1].text)

    return create_agent(Desk(first="ask"), [ask])


def workflow(tools: Any) -> Any:
    by_name = {one.name: one for one in tools}

    @entrypoint(checkpointer=InMemorySaver())
    def run(messages: Any, *, previous: Any = None) -> Any:
        by_name[LOOKUP[0]].invoke(LOOKUP[1])
        number = (previous or 0) + 1
        return entrypoint.final(value=f"turn {number}", save=number)

    return run


def returns_calls(messages: Any, tools: Any) -> Any:
    return next_reply(messages)


async def awaits_and_returns_calls(messages: Any, tools: Any) -> Any:
    return next_reply(messages)


def invokes_tools(messages: Any, tools: Any) -> str:
    {one.name: one for one in tools}[LOOKUP[0]].invoke(LOOKUP[1])
    return f"turn {sum(one.type == 'human' for one in messages)}"


async def awaits_tools(messages: Any, tools: Any) -> str:
    await {one.name: one for one in tools}[LOOKUP[0]].ainvoke(LOOKUP[1])
    return f"turn {sum(one.type == 'human' for one in messages)}"


def example(name: str) -> Callable[[str], Any]:
    """Return the agent of an example, asking the server at an address."""

    def make(address: str) -> Any:
        os.environ["EXAMPLE_MODEL_URL"] = address
        spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.make

    return make


@dataclass(frozen=True)
class Kind:
    """A kind of agent: how one is made for the address of a model, and what is special of it."""

    make: Callable[[str], Any]
    asks_again: bool = False


def _plain(agent: Any) -> Kind:
    return Kind(lambda address: agent)


KINDS: dict[str, Kind] = {
    "a model by its name": Kind(lambda address: f"{address}#scripted"),
    "a chat model": Kind(lambda address: Desk()),
    "a chat model that is only asynchronous": Kind(lambda address: AsyncDesk()),
    "a chat model that only streams": Kind(lambda address: StreamedDesk()),
    "a `Runnable`": _plain(RunnableLambda(lambda messages: next_reply(messages))),
    "a factory of a chain": _plain(lambda tools: RunnableLambda(list) | Desk().bind_tools(tools)),
    "a function that returns calls": _plain(returns_calls),
    "an `async` function that returns calls": _plain(awaits_and_returns_calls),
    "a function that invokes its tools": _plain(invokes_tools),
    "an `async` function that invokes its tools": _plain(awaits_tools),
    "`create_agent`": _plain(lambda tools: create_agent(Desk(), tools)),
    "`create_agent`, state of its middleware": _plain(
        lambda tools: create_agent(Desk(), tools, middleware=[Noting()])
    ),
    "`create_agent`, its own checkpointer": _plain(
        lambda tools: create_agent(
            Desk(), tools, middleware=[Noting()], checkpointer=InMemorySaver()
        )
    ),
    "`create_agent`, `awrap_model_call` alone": _plain(
        lambda tools: create_agent(Desk(), tools, middleware=[Awaited()])
    ),
    "`create_agent`, structured output": _plain(
        lambda tools: create_agent(Structuring(), tools, response_format=ToolStrategy(Said))
    ),
    "`create_agent(…).with_retry()` and the like": _plain(
        lambda tools: create_agent(Desk(), tools).with_retry()
    ),
    "a subgraph as a node": _plain(subgraph),
    "a graph called in a node": _plain(called_subgraph),
    "asynchronous nodes in a subgraph": _plain(asynchronous_nodes),
    "an agent as a tool": _plain(agent_as_tool),
    "langgraph-supervisor": _plain(supervisor),
    "langgraph-swarm": _plain(swarm),
    "a workflow of the functional API": _plain(workflow),
    "OpenAI Agents SDK": Kind(example("openai_agents_sdk"), asks_again=True),
    "Pydantic AI": Kind(example("pydantic_ai_agent"), asks_again=True),
}
ASKED_AGAIN = "yes, its model is asked again"


@contextmanager
def model_server() -> Iterator[str]:
    """Serve the model of `next_reply` over HTTP."""

    def reply(messages: Any) -> Any:
        ASKED.append(str(messages[-1].get("content")))
        if messages[-1]["role"] == "tool":
            return f"turn {sum(one['role'] == 'user' for one in messages)}"
        return Answer(calls=[LOOKUP])

    with ScriptedServer(reply) as server:
        yield server.spec.partition("#")[0]


def _played(agent: Any, saver: Any = None, given: Any = BEGINNING) -> Any:
    graph = build_graph(build_task(), agent, scripted(*TURNS), saver)
    return graph.invoke(given, CONFIG, **_durable(saver))


def _durable(saver: Any) -> Any:
    return {"durability": "sync"} if saver is not None else {}


def _said(state: Any) -> list[str]:
    lines = transcript_of(state)
    return [x["content"] for x in lines if x["role"] == "assistant" and not x.get("tool_calls")]


def works(agent: Any) -> str:
    """Check that it plays a turn: its call is run once, and its words are said."""
    state = _played(agent)
    called = [one["name"] for one in trace_of(state)]
    is_right = _said(state)[:1] == EXPECTED[:1] and called == [LOOKUP[0]] * len(called)
    return "yes" if is_right and called else f"no: {state['ending']}"


def keeps_memory(agent: Any) -> str:
    """Check that it knows in its third turn of the two before, and forgets with the episode."""
    found = [_said(_played(agent)) for _ in range(2)]
    return "yes" if found == [EXPECTED, EXPECTED] else f"no: {found}"


def is_killed_and_resumed(agent: Any) -> str:
    """Check that a killed episode comes out alike, and whether a model is asked again."""
    ASKED.clear()
    whole = _played(agent)
    asked, again = len(ASKED), 0
    for number in KILLED_AFTER:
        saver = InMemorySaver()
        ASKED.clear()
        with pytest.MonkeyPatch.context() as patched:
            killed_once(saver, number, patched, of_replies=False)
            try:
                _played(agent, saver)
                return "no: it was never killed"
            except Killed:
                pass
        state = _played(agent, saver, given=None)
        if (transcript_of(state), state["events"]) != (transcript_of(whole), whole["events"]):
            return f"no: it came out otherwise after {number} checkpoints"
        again += len(ASKED) - asked
    return "yes" if not again else ASKED_AGAIN


def is_forked(agent: Any) -> str:
    """Check that it goes on from the end of each of its turns as it did."""
    whole = _played(agent, InMemorySaver())
    lines, hidden = transcript_of(whole), hidden_state(whole)
    for end in visible_ends(lines)[:-1]:
        start = state_after(lines, trace_of(whole), hidden, end, "")
        if _said(_played(agent, given=start)) != _said(whole):
            return f"no: from message {end}"
    return "yes"


def plays_in_a_notebook(agent: Any) -> str:
    """Check that it is played from synchronous code inside a running event loop."""

    async def cell() -> Any:
        return _played(agent)

    return "yes" if _said(asyncio.run(cell())) == EXPECTED else "no"


PROPERTIES: dict[str, Callable[[Any], str]] = {
    "works": works,
    "memory kept": keeps_memory,
    "killed and resumed": is_killed_and_resumed,
    "forked": is_forked,
    "in a notebook": plays_in_a_notebook,
}


def expected(kind: str, what: str) -> str:
    """Return what the page may say."""
    is_asked = what == "killed and resumed" and KINDS[kind].asks_again
    return ASKED_AGAIN if is_asked else "yes"


def checked(kind: str, what: str, address: str) -> str:
    """Return what is found of a kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other packages, about each other
        return PROPERTIES[what](KINDS[kind].make(address))


def table(found: Callable[[str, str], str]) -> str:
    """Return the table of what is found of each kind."""
    lines = [f"| agent | {' | '.join(PROPERTIES)} |", "|---" * (1 + len(PROPERTIES)) + "|"]
    for kind in KINDS:
        lines.append(f"| {kind} | {' | '.join(found(kind, what) for what in PROPERTIES)} |")
    return "\n".join(lines)


def main() -> None:
    """Check all, and write the table into the page."""
    with model_server() as address:
        made = table(lambda kind, what: checked(kind, what, address))
    text = PAGE.read_text("utf-8")
    first = f"| agent | {next(iter(PROPERTIES))} |"
    start = text.index(first)
    end = text.index("\n\n", start)
    PAGE.write_text(text[:start] + made + text[end:], "utf-8")
    sys.exit("not all is so" if "no" in made.replace("notebook", "") else 0)


if __name__ == "__main__":
    main()
