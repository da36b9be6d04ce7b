"""Words put into an episode by `update_state`, and the lines that say why some cannot be."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import crab_graph as cg
from crab_graph.errors import UsageError
from crab_graph.graph.state import transcript_of
from crab_graph.testing import tool_call_reply
from tests.graph.builders import STOP, asking_agent, build_task, patient_user, scripted


def stopped_before(node: str, agent=None, user=None, config: Any = None) -> Any:
    """Return a graph and the thread of an episode that waits for a party's first answer."""
    graph = cg.build_graph(
        build_task(), agent or scripted("Yes?"), user or scripted("Hello", STOP), InMemorySaver()
    )
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke({}, config, interrupt_before=[node], durability="sync")
    return graph, config


def said(graph, config) -> list[tuple[str, str]]:
    return [(one["role"], one["content"]) for one in transcript_of(graph.get_state(config).values)]


SAYINGS = {
    "a message": [HumanMessage("I am Ana.")],
    "one message": HumanMessage("I am Ana."),
    "a line": [{"role": "user", "content": "I am Ana."}],
    "a pair": [("user", "I am Ana.")],
}


@pytest.mark.parametrize("as_node", [None, "user"])
@pytest.mark.parametrize("form", SAYINGS)
def test_words_of_the_user_are_put_in_as_anyone_writes_them(form, as_node):
    graph, config = stopped_before("agent")
    graph.update_state(config, {"messages": SAYINGS[form]}, as_node=as_node)
    assert graph.get_state(config).next == ("agent",)
    state = graph.invoke(None, config)
    lines = [(one["role"], one["content"]) for one in transcript_of(state)]
    assert lines[:3] == [("user", "Hello"), ("user", "I am Ana."), ("assistant", "Yes?")]
    assert [one["seq"] for one in state["messages"]] == list(range(len(lines)))
    assert state["counts"]["turns"] == len(lines) and state["status"] == "ended"


def test_words_of_the_agent_are_put_in():
    graph, config = stopped_before("agent", user=scripted("Hello", "Well", STOP))
    after = graph.update_state(config, {"messages": ["Good day."]}, as_node="agent")
    assert graph.get_state(after).next == ("user",)
    graph.invoke(None, config)
    assert said(graph, config)[1:3] == [("assistant", "Good day."), ("user", "Well")]


@pytest.mark.parametrize(
    "call",
    [
        tool_call_reply(("list_all_airports", {})),
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "x", "name": "list_all_airports", "arguments": {}}],
        },
    ],
)
def test_calls_of_the_agent_are_put_in_and_run(call):
    graph, config = stopped_before("agent")
    graph.update_state(config, {"messages": [call]}, as_node="agent")
    assert graph.get_state(config).next == ("environment",)
    lines = transcript_of(graph.invoke(None, config))
    assert lines[1]["tool_calls"][0]["id"] == lines[2]["tool_call_id"] == "call_1"


def test_several_words_are_put_in_at_once_and_an_empty_thread_is_begun_by_them():
    graph = cg.build_graph(build_task(), scripted("Yes?"), scripted(STOP), InMemorySaver())
    config: Any = {"configurable": {"thread_id": "new"}}
    put = {"messages": [HumanMessage("Hello"), AIMessage("Good day."), HumanMessage("So?")]}
    asyncio.run(graph.aupdate_state(config, put))
    graph.invoke(None, config)
    assert [text for _, text in said(graph, config)] == ["Hello", "Good day.", "So?", "Yes?", STOP]


def test_a_token_of_the_user_ends_the_talk():
    graph, config = stopped_before("agent")
    graph.update_state(config, {"messages": [HumanMessage(f"Bye {STOP}")]})
    assert graph.get_state(config).values["ending"]["reason"] == "STOP"


def test_the_whole_state_of_one_thread_begins_another():
    graph, config = stopped_before("environment", asking_agent(), patient_user())
    whole = graph.get_state(config).values
    other: Any = {"configurable": {"thread_id": "other"}}
    graph.update_state(other, whole)
    assert transcript_of(graph.invoke(None, other)) == transcript_of(graph.invoke(None, config))


def test_other_parts_of_the_state_are_put_in_as_they_are():
    graph, config = stopped_before("agent")
    graph.update_state(config, {"user_state": {"mood": "fine"}})
    assert graph.get_state(config).values["user_state"] == {"mood": "fine"}
    assert graph.invoke(None, config)["status"] == "ended"


REFUSED = {
    "another name": ({"question": "?"}, None, "no 'question'; it has messages, user_messages"),
    "no dict": ("Hello", None, "an update is a dict such as"),
    "a nameless text": ({"messages": ["Hello"]}, None, "who says it"),
    "another node": ({"messages": ["Hello"]}, "environment", "'user' or 'agent'"),
    "a result": ({"messages": [ToolMessage("1", tool_call_id="x")]}, None, "a ToolMessage cannot"),
    "a removal": ({"messages": [RemoveMessage(id="x")]}, None, "an earlier checkpoint"),
    "the wrong seat": ({"messages": [HumanMessage("Hi")]}, "agent", "as_node='user'"),
    "no message": ({"messages": [7]}, "user", "7 is no message"),
    "events": ({"events": [{}]}, None, "'events' follows from"),
}


@pytest.mark.parametrize("form", REFUSED)
def test_what_cannot_be_put_in_is_refused_in_one_line(form):
    values, as_node, why = REFUSED[form]
    graph, config = stopped_before("agent")
    with pytest.raises(UsageError, match=why) as refused:
        graph.update_state(config, values, as_node=as_node)
    assert "\n" not in str(refused.value)
    assert graph.invoke(None, config)["status"] == "ended"


def test_nothing_is_put_into_an_episode_that_is_over_or_waits_for_results():
    graph, config = stopped_before("environment", asking_agent(), patient_user())
    with pytest.raises(UsageError, match="waiting for their results"):
        graph.update_state(config, {"messages": [HumanMessage("Hi")]})
    graph.invoke(None, config)
    with pytest.raises(UsageError, match="the episode is over"):
        graph.update_state(config, {"messages": [HumanMessage("Hi")]})
    with pytest.raises(UsageError, match="update_state"):
        graph.invoke(Command(update={"messages": [HumanMessage("Hi")]}), config)
