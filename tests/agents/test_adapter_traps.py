"""What breaks agents that bring a loop of their own, and what is made of it (docs/agents.md)."""

import json
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command

from crab_graph import build_graph
from crab_graph.graph.state import transcript_of
from crab_graph.testing import Answer, ScriptedChatModel, ScriptedServer, tool_call_reply
from tests.graph.builders import CANARY, CARD, CUSTOMER, STOP, build_task, patient_user, scripted

LOOKUP = ("get_customer_information", {"customer_id": CUSTOMER})
CHANGE = ("update_customer", {"customer_id": CUSTOMER, "phone": "312-555-0177"})
PAYMENTS = ("get_recent_payment_transactions", {"customer_id": CUSTOMER})


@tool
def roll() -> str:
    """Roll a die."""
    return "4"


@tool
async def slow_roll() -> str:
    """Roll a die, asynchronously only."""
    return "5"


@tool
def leave() -> Command[Any]:
    """Try to overwrite what is outside."""
    return Command(graph=Command.PARENT, goto="user", update={"user_state": {"hacked": True}})


def played(agent: Any, user: Any = None) -> Any:
    return build_graph(build_task(), agent, user or scripted("Hello", STOP)).invoke({})


def asked(state):
    return [
        call["name"]
        for line in transcript_of(state)
        for call in line.get("tool_calls", ())
        if line["role"] == "assistant"
    ]


def results(state):
    return [json.loads(m["content"]) for m in state["messages"] if m["role"] == "tool"]


def looping(*replies, tools=(), **how):
    """Return a factory of a hand-made graph with its own tools node."""

    def make(given):
        model = ScriptedChatModel(replies=list(replies))
        graph = StateGraph(MessagesState)
        graph.add_node("think", lambda state: {"messages": [model.invoke(state["messages"])]})
        graph.add_node("tools", ToolNode([*given, *tools]))
        graph.add_edge(START, "think")
        graph.add_conditional_edges("think", tools_condition)
        graph.add_edge("tools", "think")
        return graph.compile(**how)

    return make


def agent_of(kind, *replies):
    """Return the same script as each kind of agent."""
    model = ScriptedChatModel(replies=list(replies))
    return {
        "chat model": model,
        "runnable": RunnableLambda(lambda messages: model.invoke(messages)),
        "function": lambda messages, tools: model.invoke(messages),
        "factory": lambda tools: RunnableLambda(lambda messages: model.invoke(messages)),
        "create_agent": lambda tools: create_agent(model, [*tools, roll]),
        "middleware": lambda tools: create_agent(model, tools, middleware=[Routing()]),
        "routed": looping(*replies),
        "externalised": looping(*replies, interrupt_before=["tools"]),
    }[kind]


class Routing(AgentMiddleware):
    """Middleware around tool calls."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request)


KINDS = [
    "chat model",
    "runnable",
    "function",
    "factory",
    "create_agent",
    "middleware",
    "routed",
    "externalised",
]


@pytest.mark.parametrize("kind", KINDS)
def test_parallel_calls_keep_their_order_and_may_share_an_id(kind):
    calls = tool_call_reply(PAYMENTS, CHANGE, LOOKUP, CHANGE)
    for call in calls.tool_calls:
        call["id"] = "call_0"
    state = played(agent_of(kind, calls, "Done"))
    assert asked(state) == [PAYMENTS[0], CHANGE[0], LOOKUP[0], CHANGE[0]]
    ids = [m["tool_call_id"] for m in state["messages"] if m["role"] == "tool"]
    assert ids == ["call_1", "call_2", "call_3", "call_4"]
    assert results(state)[2]["phone"] == "312-555-0177"
    assert transcript_of(state)[-2]["content"] == "Done"


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_tool_is_the_agents_error(kind):
    state = played(agent_of(kind, tool_call_reply("no_such_tool", LOOKUP), "Sorry"))
    assert state["status"] == "ended"
    assert asked(state)[0] == "no_such_tool"
    assert results(state)[0]["error"] == "unknown_tool"
    assert state["counts"]["tool_errors"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_reply_is_an_empty_turn(kind):
    state = played(agent_of(kind, "", "Sorry?"), scripted("Hello", "Are you there?", STOP))
    said = [line["content"] for line in transcript_of(state) if line["role"] == "assistant"]
    assert said == ["", "Sorry?"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_private_reaches_an_agent_of_any_kind(kind, monkeypatch):
    seen: list[str] = []
    original = ScriptedChatModel._generate

    def watching(self, messages, *args, **kwargs):
        seen.append(repr([message.model_dump() for message in messages]) + repr(kwargs))
        return original(self, messages, *args, **kwargs)

    monkeypatch.setattr(ScriptedChatModel, "_generate", watching)
    replies = ["How can I help?", tool_call_reply(LOOKUP, CHANGE), "Changed.", "Anything else?"]
    state = played(agent_of(kind, *replies), patient_user())
    assert CANARY in repr(state["user_messages"])  # it is there to be found
    assert state["status"] == "ended"
    assert len(seen) >= 4
    for secret in (CANARY, "not to be said", CARD, "get_my_payment_cards", "user_call"):
        assert not any(secret in one for one in seen)


def test_malformed_arguments_come_last_where_nothing_tells_their_place():
    first = Answer(calls=[PAYMENTS, ("update_customer", "{oops"), LOOKUP], ids=["a", "b", "c"])
    with ScriptedServer([first, "Sorry"]) as server:
        state = played(server.spec)
    assert asked(state) == [PAYMENTS[0], LOOKUP[0], "update_customer"]
    assert [one.get("error") for one in results(state)] == [None, None, "invalid_arguments"]


def test_content_in_blocks_tells_where_a_malformed_call_stood():
    blocks: list[Any] = [
        {"type": "tool_use", "id": "a", "name": PAYMENTS[0], "input": {}},
        {"type": "tool_use", "id": "b", "name": "update_customer", "input": {}},
        {"type": "tool_use", "id": "c", "name": LOOKUP[0], "input": {}},
    ]
    message = AIMessage(
        content=blocks,
        tool_calls=[
            {"name": PAYMENTS[0], "args": PAYMENTS[1], "id": "a"},
            {"name": LOOKUP[0], "args": LOOKUP[1], "id": "c"},
        ],
        invalid_tool_calls=[{"name": "update_customer", "args": "{", "id": "b", "error": None}],
    )
    state = played(scripted(message, "Sorry"))
    assert asked(state) == [PAYMENTS[0], "update_customer", LOOKUP[0]]


def test_reasoning_comes_back_to_the_agent_with_its_own_message_alone():
    reply = tool_call_reply(LOOKUP, CHANGE)
    reply.content = [
        {"type": "thinking", "thinking": "hm", "signature": "sig-1"},
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "id": "scripted_0", "name": LOOKUP[0], "input": LOOKUP[1]},
        {"type": "tool_use", "id": "scripted_1", "name": CHANGE[0], "input": CHANGE[1]},
    ]
    reply.additional_kwargs = {"signatures": {"scripted_1": "sig-2"}, "tool_calls": []}
    reply.response_metadata = {"model_provider": "anthropic", "model_name": "m"}
    views: list[Any] = []

    def agent(messages, tools):
        views.append(messages)
        own = [message for message in messages if isinstance(message, AIMessage)]
        return "Done" if own else reply

    heard: list[Any] = []

    def user(messages, tools):
        heard.append(repr(messages))
        return scripted("Hello", STOP)(messages, tools)

    state = played(agent, user)
    own = views[1][2]
    assert [block["type"] for block in own.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert own.content[0]["signature"] == "sig-1"
    assert [block["id"] for block in own.content[2:]] == ["call_1", "call_2"]
    assert [call["id"] for call in own.tool_calls] == ["call_1", "call_2"]
    assert own.additional_kwargs == {"signatures": {"call_2": "sig-2"}}
    assert own.response_metadata == {"model_provider": "anthropic"}
    assert not any("sig-" in one or "thinking" in one for one in heard)
    assert "sig-" not in json.dumps(transcript_of(state))


def test_reasoning_inside_a_compiled_agent_comes_back_too():
    views: list[Any] = []

    class Watching(ScriptedChatModel):
        def _generate(self, messages, *args, **kwargs):
            views.append(list(messages))
            return super()._generate(messages, *args, **kwargs)

    own = tool_call_reply("roll")
    own.content = [{"type": "thinking", "thinking": "hm", "signature": "sig-1"}]
    model = Watching(replies=[own, tool_call_reply(LOOKUP), "Done"])
    played(lambda tools: create_agent(model, [*tools, roll]))
    assert views[-1][2].content[0]["signature"] == "sig-1"


def test_a_field_that_the_providers_package_drops_reaches_no_transcript():
    first = Answer("Hello", fields={"reasoning_content": "secret thought"})
    with ScriptedServer([first, "Bye"]) as server:
        state = played(server.spec, scripted("Hello", "And?", STOP))
    assert "secret thought" not in json.dumps(transcript_of(state))
    assert state["status"] == "ended"


@pytest.mark.parametrize("make", [looping, None], ids=["state graph", "create_agent"])
def test_a_tool_that_is_asynchronous_only_is_run(make):
    replies = [tool_call_reply("slow_roll"), tool_call_reply(LOOKUP), "Done"]
    agent: Any = (
        looping(*replies, tools=[slow_roll])
        if make
        else lambda tools: create_agent(ScriptedChatModel(replies=replies), [*tools, slow_roll])
    )
    state = played(agent)
    assert state["status"] == "ended"
    assert asked(state) == [LOOKUP[0]]
    assert transcript_of(state)[-2]["content"] == "Done"


def test_asynchronous_nodes_and_runnables_are_run():
    async def think(state):
        return {"messages": [AIMessage("Hello")]}

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_edge(START, "think")

    async def answer(messages):
        return AIMessage("Hello")

    for agent in (graph.compile(), RunnableLambda(answer)):
        assert transcript_of(played(agent))[1]["content"] == "Hello"


def test_a_batch_with_a_tool_of_its_own_leaves_the_environments_calls():
    state = played(
        lambda tools: create_agent(
            ScriptedChatModel(replies=[tool_call_reply("roll", LOOKUP), "Done"]), [*tools, roll]
        )
    )
    assert asked(state) == [LOOKUP[0]]
    assert state["counts"]["tool_errors"] == 0


def test_an_error_of_its_own_tool_stays_inside():
    @tool
    def picky(number: int) -> str:
        """Take a number."""
        return str(number)

    replies = [tool_call_reply(("picky", {"number": "x"})), tool_call_reply(LOOKUP), "Done"]
    state = played(lambda tools: create_agent(ScriptedChatModel(replies=replies), [*tools, picky]))
    assert asked(state) == [LOOKUP[0]]
    assert state["counts"]["tool_errors"] == 0


def test_a_command_to_the_graph_around_it_is_refused():
    replies = [tool_call_reply("leave"), "Done"]
    state = played(lambda tools: create_agent(ScriptedChatModel(replies=replies), [*tools, leave]))
    assert state["ending"]["reason"] == "agent_error"
    assert "Command(graph=PARENT)" in state["ending"]["error"]
    assert "hacked" not in repr(state)


def test_a_command_inside_works():
    @tool
    def note() -> Command[Any]:
        """Answer with a command."""
        said = ToolMessage("noted", tool_call_id="scripted_0")
        return Command(update={"messages": [said]})

    replies = [tool_call_reply("note"), "Done"]
    state = played(lambda tools: create_agent(ScriptedChatModel(replies=replies), [*tools, note]))
    assert transcript_of(state)[1]["content"] == "Done"


def test_no_agent_sees_a_name_or_metadata_of_the_users():
    def user(messages, tools):
        del tools
        said = sum(isinstance(message, AIMessage) for message in messages)
        text = STOP if said else "Hello"
        return AIMessage(text, name=CANARY, additional_kwargs={"x": CANARY}, id=CANARY)

    seen = []

    def agent(messages, tools):
        seen.append(repr(messages))
        assert [type(message) for message in messages] == [SystemMessage, HumanMessage]
        return "Hi"

    assert played(agent, user)["status"] == "ended"
    assert CANARY not in "".join(seen)
