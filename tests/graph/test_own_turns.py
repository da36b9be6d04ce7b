"""Agents with a loop of their own: tools that work in place, and what outlives a killed turn."""

import asyncio
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ModelCallLimitMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm
from pydantic import BaseModel
from typing_extensions import TypedDict

from crab_graph import build_graph
from crab_graph.analysis.viewer.exchanges import calls_of, read_exchanges
from crab_graph.graph.restart import hidden_state, state_after, visible_ends
from crab_graph.graph.state import transcript_of
from crab_graph.runs.episode import trace_of
from crab_graph.settings import Limits
from crab_graph.testing import ScriptedChatModel, tool_call_reply
from tests.graph.builders import CUSTOMER, STOP, Killed, build_task, killed_once, scripted

LOOKUP = ("get_customer_information", {"customer_id": CUSTOMER})
CHANGE = ("update_customer", {"customer_id": CUSTOMER, "phone": "312-555-0177"})
PAYMENTS = ("get_recent_payment_transactions", {"customer_id": CUSTOMER})
WRONG = ("get_customer_information", {"customer_id": "CU-0"})
CONFIG: Any = {"configurable": {"thread_id": "t"}}


class Model(ScriptedChatModel):
    """Tells what it was asked."""

    def _generate(self, messages: Any, *given: Any, **how: Any) -> Any:
        ASKED.append(str(messages[-1].text))
        return super()._generate(messages, *given, **how)


def model(*replies: Any) -> Any:
    return Model(replies=list(replies))


ASKED: list[str] = []


@pytest.fixture(autouse=True)
def nothing_asked():
    ASKED.clear()


def played(agent: Any, *says: str, saver: Any = None, **settings: Any) -> Any:
    graph = build_graph(
        build_task(), agent, scripted(*(says or ("Hello", STOP))), saver, **settings
    )
    return graph.invoke({}, CONFIG, durability="sync" if saver else None)


def said(state: Any) -> list[str]:
    lines = transcript_of(state)
    return [x["content"] for x in lines if x["role"] == "assistant" and not x.get("tool_calls")]


def called(state: Any) -> list[Any]:
    return [(one["name"], one.get("caller")) for one in trace_of(state)]


def error(state: Any) -> str:
    return str(state["ending"]["error"])


# Agents, each made anew for every episode


def supervised(tools: Any) -> Any:
    researcher = create_agent(
        model("-", tool_call_reply(LOOKUP, PAYMENTS), "Looked up."), tools, name="researcher"
    )
    boss = model(tool_call_reply("transfer_to_researcher"), *["-"] * 2, "All is done.")
    return create_supervisor([researcher], model=boss).compile()


def swarming(tools: Any) -> Any:
    to_bob = create_handoff_tool(agent_name="bob")
    alice = create_agent(model(tool_call_reply("transfer_to_bob")), [to_bob], name="alice")
    bob = create_agent(model("-", tool_call_reply(LOOKUP), "Bob here."), tools, name="bob")
    return create_swarm([alice, bob], default_active_agent="alice").compile()


def subgraph_as_node(tools: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("desk", create_agent(model(tool_call_reply(LOOKUP), "Found."), tools))
    graph.add_edge(START, "desk")
    return graph.compile()


def subgraph_called(tools: Any) -> Any:
    inner: Any = create_agent(model(tool_call_reply(LOOKUP), "Found."), tools)
    graph = StateGraph(MessagesState)

    def desk(state: MessagesState) -> Any:
        return {
            "messages": [
                AIMessage(inner.invoke({"messages": state["messages"]})["messages"][-1].text)
            ]
        }

    graph.add_node("desk", desk)
    graph.add_edge(START, "desk")
    return graph.compile()


def agent_as_tool(tools: Any) -> Any:
    expert = create_agent(model(tool_call_reply(LOOKUP), "Found."), tools, name="expert")

    @tool
    def ask(question: str) -> str:
        """Ask the expert."""
        return str(expert.invoke({"messages": [HumanMessage(question)]})["messages"][-1].text)

    return create_agent(model(tool_call_reply(("ask", {"question": "?"})), "Well."), [ask])


class Answer(BaseModel):
    """What is said, and whether all is done."""

    message: str
    done: bool


def structured(tools: Any) -> Any:
    given = tool_call_reply(("Answer", {"message": "All set.", "done": True}))
    script = model(tool_call_reply(LOOKUP), given, tool_call_reply(CHANGE), given)
    return create_agent(script, tools, response_format=ToolStrategy(Answer))


def in_branches(tools: Any) -> Any:
    by_name = {one.name: one for one in tools}
    graph = StateGraph(MessagesState)
    for node, (name, arguments) in {"first": LOOKUP, "second": PAYMENTS}.items():
        graph.add_node(node, lambda _, n=name, a=arguments: {"messages": [by_name[n].invoke(a)]})
        graph.add_edge(START, node)
    graph.add_node("join", lambda _: {"messages": [AIMessage("Joined.")]})
    graph.add_edge(["first", "second"], "join")
    return graph.compile()


MULTI = {
    "supervisor": (supervised, "All is done.", "researcher"),
    "swarm": (swarming, "Bob here.", "bob"),
    "subgraph as node": (subgraph_as_node, "Found.", "desk"),
    "subgraph called": (subgraph_called, "Found.", "desk"),
    "agent as tool": (agent_as_tool, "Well.", "expert"),
    "structured": (structured, "All set.", None),
}


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
@pytest.mark.parametrize("kind", MULTI)
def test_tools_work_in_place_and_tell_who_called_them(kind):
    make, text, caller = MULTI[kind]
    state = played(make)
    assert state["status"] == "ended", error(state)
    assert said(state) == [text]
    assert called(state)[0] == (LOOKUP[0], caller)
    asked = {name for name, _ in called(state)}
    assert asked <= {LOOKUP[0], PAYMENTS[0]}  # hand-offs and own tools stay inside
    shown = calls_of(read_exchanges(transcript_of(state), trace_of(state)))
    assert [(one.name, one.caller) for one in shown] == called(state)


def workflow(tools: Any) -> Any:
    by_name = {one.name: one for one in tools}
    script = model(tool_call_reply(LOOKUP), "Found.", "Again.")

    @entrypoint(checkpointer=InMemorySaver())
    def run(messages: list[Any], previous: int | None = None) -> Any:
        asked = [*messages]
        while (reply := script.invoke(asked)).tool_calls:
            asked += [reply, *(by_name[one["name"]].invoke(one) for one in reply.tool_calls)]
        number = (previous or 0) + 1
        return entrypoint.final(value=f"{reply.text} {number}", save=number)

    return run


def looking_up(tools: Any) -> Any:
    return create_agent(model(tool_call_reply(LOOKUP), "Found.", "Again."), tools)


AROUND = {
    "workflow": (workflow, ["Found. 1", "Again. 2"]),
    "bound": (lambda tools: looking_up(tools).with_config(tags=["x"]), ["Found.", "Again."]),
    "retried": (lambda tools: looking_up(tools).with_retry(), ["Found.", "Again."]),
    "with a fallback": (lambda tools: looking_up(tools).with_fallbacks([]), ["Found.", "Again."]),
    "in a sequence": (
        lambda tools: (
            RunnableLambda(lambda given: {"messages": given})
            | looking_up(tools)
            | (lambda state: state["messages"][-1])
        ),
        ["Found.", "Again."],
    ),
}


@pytest.mark.parametrize("kind", AROUND)
def test_workflows_and_graphs_in_other_runnables_play_too(kind):
    make, expected = AROUND[kind]
    state = played(make, "Hello", "And?", STOP)
    assert said(state) == expected, error(state)
    assert [name for name, _ in called(state)] == [LOOKUP[0]]


def test_structured_output_as_text_is_said_in_its_words():
    graph = StateGraph(MessagesState)
    written = AIMessage('{"message": "All set.", "done": true}')
    graph.add_node("say", lambda state: {"messages": [written.model_copy()]})
    graph.add_edge(START, "say")
    assert said(played(graph.compile())) == [written.content]

    class Structured(MessagesState):
        structured_response: Any

    graph = StateGraph(Structured)
    given = Answer(message="All set.", done=True)
    graph.add_node(
        "say", lambda state: {"messages": [written.model_copy()], "structured_response": given}
    )
    graph.add_edge(START, "say")
    assert said(played(graph.compile())) == ["All set."]


def test_calls_of_parallel_branches_are_all_recorded():
    assert sorted(called(played(in_branches))) == [(LOOKUP[0], "first"), (PAYMENTS[0], "second")]


def test_a_function_may_call_tools_from_threads_and_from_tasks():
    def in_threads(messages: Any, tools: Any) -> str:
        by_name = {one.name: one for one in tools}
        with ThreadPoolExecutor(2) as threads:
            for name, arguments in (LOOKUP, CHANGE):
                threads.submit(by_name[name].invoke, arguments).result()
        return "Done."

    async def in_tasks(messages: Any, tools: Any) -> str:
        by_name = {one.name: one for one in tools}
        await asyncio.gather(*(by_name[name].ainvoke(given) for name, given in (LOOKUP, CHANGE)))
        return "Done."

    for agent in (in_threads, in_tasks):
        state = played(agent)
        assert [name for name, _ in called(state)] == [LOOKUP[0], CHANGE[0]]
        assert len(state["events"]) == 1
        assert said(state) == ["Done."]


def test_invoked_calls_come_before_those_that_are_returned_in_one_turn():
    def agent(messages: Any, tools: Any) -> Any:
        if messages[-1].type == "human":
            tools[0].invoke(LOOKUP[1])
            return tool_call_reply(CHANGE)
        return f"{messages[-1].type} after {messages[-2].type}"

    state = played(agent)
    assert [name for name, _ in called(state)] == [LOOKUP[0], CHANGE[0]]
    assert said(state) == ["tool after ai"]
    ids = [x["tool_call_id"] for x in transcript_of(state) if x["role"] == "tool"]
    assert ids == ["call_1", "call_2"]


def test_a_refused_call_is_told_as_tools_of_langchain_do():
    told = []

    def agent(messages: Any, tools: Any) -> str:
        call = {"type": "tool_call", "id": "mine", "name": WRONG[0], "args": WRONG[1]}
        told.append(tools[0].invoke(call))
        told.append(tools[0].invoke(WRONG[1]))
        return "Sorry."

    state = played(agent)
    assert (told[0].status, told[0].tool_call_id) == ("error", "mine")
    assert json.loads(told[0].content)["error"] == json.loads(told[1])["error"] == "unknown_id"
    assert state["counts"]["tool_errors"] == 2


def test_tools_outside_a_turn_refuse():
    kept = []

    def agent(messages: Any, tools: Any) -> str:
        kept.extend(tools)
        return "Hello."

    state = played(agent)
    with pytest.raises(RuntimeError, match="not the agent's turn"):
        kept[0].invoke(LOOKUP[1])
    assert called(state) == []


# Asynchronous parts


class OnlyAsync(AgentMiddleware):
    """Middleware with the asynchronous form alone."""

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)


class AsyncModel(Model):
    """A model that can only be awaited."""

    def _generate(self, messages: Any, *given: Any, **how: Any) -> Any:
        raise NotImplementedError

    async def _agenerate(self, messages: Any, *given: Any, **how: Any) -> Any:
        return Model._generate(self, messages, *given, **how)


def asynchronous_subgraph(tools: Any) -> Any:
    async def think(state: MessagesState) -> Any:
        await {one.name: one for one in tools}[LOOKUP[0]].ainvoke(LOOKUP[1])
        return {"messages": [AIMessage("Found.")]}

    inner = StateGraph(MessagesState)
    inner.add_node("think", think)
    inner.add_edge(START, "think")
    outer = StateGraph(MessagesState)
    outer.add_node("desk", inner.compile())
    outer.add_edge(START, "desk")
    return outer.compile()


ASYNCHRONOUS = {
    "middleware": lambda tools: create_agent(
        model(tool_call_reply(LOOKUP), "Found."), tools, middleware=[OnlyAsync()]
    ),
    "model": lambda tools: create_agent(
        AsyncModel(replies=[tool_call_reply(LOOKUP), "Found."]), tools
    ),
    "subgraph": asynchronous_subgraph,
}


@pytest.mark.parametrize("kind", ASYNCHRONOUS)
@pytest.mark.parametrize("running", [False, True], ids=["", "in a running loop"])
def test_what_is_only_asynchronous_is_run(kind, running):
    async def in_a_loop() -> Any:
        return played(ASYNCHRONOUS[kind])

    state = asyncio.run(in_a_loop()) if running else played(ASYNCHRONOUS[kind])
    assert said(state) == ["Found."], error(state)
    assert [name for name, _ in called(state)] == [LOOKUP[0]]


# Memory


class Noting(AgentMiddleware):
    """Counts the turns in the agent's state."""

    class Notes(AgentState):
        turns: int

    state_schema = Notes

    def before_agent(self, state: Any, runtime: Any) -> Any:
        return {"turns": state.get("turns", 0) + 1}

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return AIMessage(f"turn {request.state['turns']}, {len(request.messages)} messages")

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return self.wrap_model_call(request, handler)


def noting(middleware: Any = None, **how: Any) -> Any:
    around = [one for one in (Noting(), middleware) if one is not None]
    return lambda tools: create_agent(model(), tools, middleware=around, **how)


TURNS = ("Hello", "And?", "More?", STOP)
COUNTED = ["turn 1, 2 messages", "turn 2, 4 messages", "turn 3, 6 messages"]


def storing(tools: Any, **how: Any) -> Any:
    @tool
    def note(runtime: ToolRuntime) -> str:
        """Write down one more."""
        assert runtime.store is not None
        found = runtime.store.get(("notes",), "n")
        number = 1 + (found.value["n"] if found else 0)
        runtime.store.put(("notes",), "n", {"n": number})
        return f"note {number}"

    class Telling(AgentMiddleware):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            last = request.messages[-1]
            return AIMessage(last.text) if last.type == "tool" else tool_call_reply("note")

    return create_agent(model(), [note], middleware=[Telling()], store=InMemoryStore(), **how)


STORED = ["note 1", "note 2", "note 3"]
REMEMBERING = {
    "ours": (noting(), COUNTED),
    "its own saver": (noting(checkpointer=InMemorySaver()), COUNTED),
    "store": (storing, STORED),
    "object": (noting()([]), COUNTED),
}


OTHERS = ("its own saver", "object")


@pytest.mark.parametrize("kind", REMEMBERING)
def test_memory_lives_as_long_as_the_episode(kind):
    agent, expected = REMEMBERING[kind]
    for _ in range(2):  # and no longer
        assert said(played(agent, *TURNS)) == expected


@pytest.mark.parametrize(
    "kind", ["ours", "store", *(pytest.param(one, marks=pytest.mark.slow) for one in OTHERS)]
)
def test_memory_outlives_the_process_and_is_forked(kind):
    agent, expected = REMEMBERING[kind]
    saver = InMemorySaver()
    whole = played(agent, *TURNS, saver=saver)
    assert said(whole) == expected
    lines, hidden = transcript_of(whole), json.loads(json.dumps(hidden_state(whole)))
    for turn, end in enumerate(visible_ends(lines)[:-1]):
        start = state_after(lines, trace_of(whole), hidden, end, "")
        forked = build_graph(build_task(), agent, scripted(*TURNS)).invoke(start)
        assert said(forked) == expected, turn
    for snapshot in build_graph(build_task(), agent, scripted(*TURNS), saver).get_state_history(
        CONFIG
    ):
        if snapshot.next:
            graph = build_graph(build_task(), agent, scripted(*TURNS), saver)
            assert said(graph.invoke(None, snapshot.config)) == expected


def test_an_own_saver_holds_the_thread():
    saver = InMemorySaver()
    played(noting(checkpointer=saver), *TURNS)
    (thread,) = {one.config["configurable"]["thread_id"] for one in saver.list(None)}
    found = saver.get_tuple({"configurable": {"thread_id": thread}})
    assert found is not None
    assert found.checkpoint["channel_values"]["turns"] == 3


def test_an_own_asynchronous_saver_is_used_in_the_loop_where_it_is_at_home(tmp_path):
    async def play() -> Any:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "own.sqlite")) as own:
            found = [noting(checkpointer=own), noting(checkpointer=own, middleware=OnlyAsync())]
            return [said(await asyncio.to_thread(played, one, *TURNS)) for one in found]

    assert asyncio.run(play()) == [COUNTED, COUNTED]


def test_memory_grows_with_the_talk_and_not_with_its_square():
    says = [f"Message {number} {'x' * 500}" for number in range(12)]
    state = played(noting(), *says, STOP)
    sizes = [len(json.dumps(one)) for one in state["agent_states"]]
    assert sizes[-1] < 2 * sizes[0]


def test_what_langgraph_cannot_write_is_forgotten_after_the_turn():
    class State(MessagesState):
        lock: Any

    graph = StateGraph(State)
    graph.add_node("a", lambda state: {"lock": threading.Lock()})
    graph.add_node(
        "b",
        lambda state: {"messages": [AIMessage(f"{len(state['messages'])} {state['lock']!r:.7}")]},
    )
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    assert said(played(graph.compile(), "Hello", "And?", STOP)) == ["2 <unlock", "4 <unlock"]


def test_a_graph_whose_messages_have_no_reducer_is_handed_all_of_them():
    class Plain(TypedDict):
        messages: list[Any]

    graph = StateGraph(Plain)
    graph.add_node("say", lambda state: {"messages": [AIMessage(f"{len(state['messages'])} seen")]})
    graph.add_edge(START, "say")
    assert said(played(graph.compile(), "Hello", "And?", STOP)) == ["2 seen", "4 seen"]


def test_calls_that_a_graph_leaves_are_answered_under_the_ids_it_knows():
    seen: list[Any] = []
    replies = iter([tool_call_reply(LOOKUP), "Found.", "Bye."])

    def think(state: MessagesState) -> Any:
        seen.append([getattr(one, "tool_call_id", one.type) for one in state["messages"]])
        reply = next(replies)
        return {"messages": [AIMessage(reply) if isinstance(reply, str) else reply]}

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_edge(START, "think")
    state = played(graph.compile(), "Hello", "And?", STOP)
    assert said(state) == ["Found.", "Bye."]
    assert seen[-1] == ["system", "human", "ai", "scripted_0", "ai", "human"]


@tool
def get_customer_information(customer_id: str) -> str:
    """Stand for the environment's tool, without its body."""
    return "nothing"


def test_a_graph_of_descriptions_that_stops_before_its_tools_leaves_them_to_the_environment():
    agent = create_agent(
        model(tool_call_reply(LOOKUP), "Found.", tool_call_reply(LOOKUP), "Again."),
        [get_customer_information],
        interrupt_before=["tools"],
    )
    state = played(agent, "Hello", "And?", STOP)
    assert said(state) == ["Found.", "Again."]
    results = [x["content"] for x in transcript_of(state) if x["role"] == "tool"]
    assert ["Ana Ruiz" in one for one in results] == [True, True]


def test_a_tool_that_stands_in_the_place_of_the_environments_is_refused():
    agent = create_agent(model(tool_call_reply(LOOKUP), "Found."), [get_customer_information])
    assert "has a tool 'get_customer_information' of its own" in error(played(agent))

    def wrapping(tools: Any) -> Any:
        inner = {one.name: one for one in tools}[LOOKUP[0]]
        around = StructuredTool.from_function(
            lambda customer_id: inner.invoke({"customer_id": customer_id}),
            name=LOOKUP[0],
            description="Look up, and more.",
        )
        return create_agent(model(tool_call_reply(LOOKUP), "Found."), [around])

    state = played(wrapping)
    assert (said(state), called(state)) == (["Found."], [(LOOKUP[0], None)])


def test_a_graph_that_ends_without_words_is_told_what_was_expected():
    graph = StateGraph(MessagesState)
    graph.add_node("nothing", lambda state: {})
    graph.add_edge(START, "nothing")
    state = played(graph.compile())
    assert "ends with an AIMessage whose text is for the customer" in error(state)


def test_the_result_of_a_tool_that_returns_directly_is_what_is_said():
    @tool(return_direct=True)
    def greet() -> str:
        """Greet."""
        return "Good day."

    state = played(lambda tools: create_agent(model(tool_call_reply("greet")), [*tools, greet]))
    assert said(state) == ["Good day."]


# Interrupts


def asking(tools: Any) -> Any:
    @tool
    def ask_boss(question: str) -> str:
        """Ask a person."""
        return f"{interrupt({'question': question})} then {interrupt('sure?')}"

    first = tool_call_reply(CHANGE, ("ask_boss", {"question": "May I?"}))
    return create_agent(model(first, "Thanks."), [*tools, ask_boss])


def test_an_interrupt_reaches_whoever_plays_the_graph():
    saver = InMemorySaver()
    graph = build_graph(build_task(), asking, scripted("Hello", STOP), saver)
    state = graph.invoke({}, CONFIG)
    assert state["__interrupt__"][0].value == {"question": "May I?"}
    state = build_graph(build_task(), asking, scripted("Hello", STOP), saver).invoke(
        Command(resume="yes"), CONFIG
    )
    assert state["__interrupt__"][0].value == "sure?"
    state = graph.invoke(Command(resume="very"), CONFIG)
    assert said(state) == ["Thanks."]
    assert len(state["events"]) == 1
    assert len(ASKED) == 2


# Limits


def test_a_limit_that_is_reached_inside_a_turn_ends_it_there():
    def agent(messages: Any, tools: Any) -> str:
        while True:
            tools[0].invoke(WRONG[1])

    state = played(agent, limits=Limits(max_tool_errors=3))
    assert state["ending"] == {"reason": "max_tool_errors", "fault": None, "error": None}
    assert state["counts"]["tool_errors"] == len(called(state)) == 3


@pytest.mark.parametrize("is_async", [False, True])
def test_a_limit_ends_a_turn_through_loops_that_catch_errors(is_async):
    class Catching(AgentMiddleware):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            try:
                return handler(request)
            except RuntimeError as caught:
                return ToolMessage(str(caught), tool_call_id=request.tool_call["id"])

    around: list[Any] = [OnlyAsync()] if is_async else [Catching()]
    replies = [tool_call_reply(WRONG, WRONG), tool_call_reply(LOOKUP), "Done."]
    state = played(
        lambda tools: create_agent(model(*replies), tools, middleware=around),
        limits=Limits(max_tool_errors=2),
    )
    assert state["ending"]["reason"] == "max_tool_errors", error(state)
    assert called(state) == [(WRONG[0], None)] * 2


def test_what_was_called_before_a_failure_is_shown_and_graded_where_the_episode_ends():
    def agent(messages: Any, tools: Any) -> str:
        {one.name: one for one in tools}[CHANGE[0]].invoke(CHANGE[1])
        raise ValueError("context_length_exceeded")

    state = played(agent)
    assert state["ending"]["reason"] == "context_overflow"
    assert (called(state), len(state["events"])) == ([(CHANGE[0], None)], 1)


def test_a_call_that_is_too_long_is_not_run():
    def agent(messages: Any, tools: Any) -> str:
        tools[0].invoke({"customer_id": "x" * 500})
        return "Done."

    state = played(agent, limits=Limits(max_reply_characters=100))
    assert state["ending"]["reason"] == "max_reply_characters"
    assert called(state) == []
    assert "its calls were not run" in said(state)[0]


def test_run_limits_of_middleware_count_within_a_turn():
    limited = ModelCallLimitMiddleware(run_limit=2, thread_limit=3)
    replies = [tool_call_reply(LOOKUP), tool_call_reply(LOOKUP), "never"]
    state = played(
        lambda tools: create_agent(model(*replies, "again"), tools, middleware=[limited]),
        *TURNS,
    )
    assert len(called(state)) == 2
    assert ["limit" in text for text in said(state)] == [True, False, True]


# Kills


def slow_branches(tools: Any) -> Any:
    """Two models asked at once, one of which calls tools."""
    graph = StateGraph(MessagesState)
    one, two = model(tool_call_reply(LOOKUP, CHANGE, CHANGE), "One."), model("Two.")
    graph.add_node("one", create_agent(one, tools))
    graph.add_node("two", lambda state: {"messages": [two.invoke(state["messages"])]})
    graph.add_node("end", lambda state: {"messages": [AIMessage("Both.")]})
    graph.add_edge(START, "one")
    graph.add_edge(START, "two")
    graph.add_edge(["one", "two"], "end")
    return graph.compile()


def streaming(tools: Any) -> Any:
    class Streamed(Model):
        def _stream(self, messages: Any, *given: Any, **how: Any) -> Any:
            whole = self._generate(messages).generations[0].message
            chunks = [dict(c, args=json.dumps(c["args"]), index=0) for c in whole.tool_calls]
            for word in whole.text.split(" ") or [""]:
                text = AIMessageChunk(content=f"{word} ", tool_call_chunks=chunks)
                chunks = []
                yield ChatGenerationChunk(message=text)

    script = Streamed(replies=[tool_call_reply(CHANGE), "All is done."])

    def agent(messages: Any) -> Any:
        by_name = {one.name: one for one in tools}
        asked = list(messages)
        while True:
            whole: Any = None
            for chunk in script.stream(asked):
                whole = chunk if whole is None else whole + chunk
            if not whole.tool_calls:
                return AIMessage(whole.text.strip())
            results = [by_name[one["name"]].invoke(one) for one in whole.tool_calls]
            asked += [AIMessage("", tool_calls=whole.tool_calls), *results]

    return agent


KILLED = {
    **{kind: make for kind, (make, _, _) in MULTI.items()},
    "branches": slow_branches,
    "streaming": streaming,
    "asynchronous": ASYNCHRONOUS["middleware"],
    "unknown tool": lambda tools: create_agent(
        model(tool_call_reply(LOOKUP, "no_such_tool", CHANGE), "Sorry."), tools
    ),
}


QUICK = ("streaming",)


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
@pytest.mark.parametrize(
    "kind",
    [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in KILLED],
)
def test_a_turn_that_is_killed_anywhere_is_played_again_alike_and_paid_once(kind, monkeypatch):
    def graph(saver: Any) -> Any:
        return build_graph(build_task(), KILLED[kind], scripted("Hello", "And?", STOP), saver)

    whole = graph(None).invoke({})
    assert whole["status"] == "ended", error(whole)
    asked = list(ASKED)
    deaths = 0
    for number in range(1, 40):
        ASKED.clear()
        saver = InMemorySaver()
        killed_once(saver, number, monkeypatch)
        try:
            graph(saver).invoke({}, CONFIG, durability="sync")
            break
        except Killed:
            deaths += 1
        monkeypatch.undo()
        state = graph(saver).invoke(None, CONFIG, durability="sync")
        for part in ("events", "counts", "status"):
            assert state[part] == whole[part], number
        assert transcript_of(state) == transcript_of(whole)
        assert trace_of(state) == trace_of(whole)
        again = (Counter(ASKED) - Counter(asked)).total()
        assert again <= (kind == "branches")  # a reply may be on its way when the process dies
    assert deaths >= 4


def test_a_turn_whose_prompts_hold_the_time_is_not_paid_twice(monkeypatch):
    clock = iter(range(1000))

    def agent(messages: Any, tools: Any) -> str:
        script = model("-", "First.", "Second.")
        for number in range(2):
            messages = [*messages, AIMessage(f"It is {next(clock)} o'clock, {number}.")]
            messages.append(script.invoke(messages))
        return str(messages[-1].text)

    saver = InMemorySaver()
    killed_once(saver, 3, monkeypatch)  # the user's greeting, and two replies
    with pytest.raises(Killed):
        played(agent, saver=saver)
    monkeypatch.undo()
    graph = build_graph(build_task(), agent, scripted("Hello", STOP), saver)
    graph.invoke(None, CONFIG, durability="sync")
    assert len(ASKED) == 2


def test_an_agent_that_asks_no_model_of_langchain_has_its_calls_run_once(monkeypatch):
    asked = []

    def agent(messages: Any, tools: Any) -> str:
        by_name = {one.name: one for one in tools}
        asked.append(1)
        for name, given in (CHANGE, LOOKUP, CHANGE):
            by_name[name].invoke(given)
        return "Done."

    whole = played(agent)
    for number in (2, 3, 4):
        saver = InMemorySaver()
        killed_once(saver, number, monkeypatch)
        with pytest.raises(Killed):
            played(agent, saver=saver)
        monkeypatch.undo()
        graph = build_graph(build_task(), agent, scripted("Hello", STOP), saver)
        state = graph.invoke(None, CONFIG, durability="sync")
        assert state["events"] == whole["events"]
        assert transcript_of(state) == transcript_of(whole)
