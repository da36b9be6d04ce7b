import copy
import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config

from crab_graph import build_graph
from crab_graph.graph.nodes import EpisodeNodes
from crab_graph.graph.savers import open_saver, stored_threads
from crab_graph.graph.state import transcript_of
from crab_graph.settings import Limits
from crab_graph.testing import tool_call_reply
from crab_graph.tools.ledger import Ledger
from tests.graph.builders import (
    CANARY,
    CUSTOMER,
    STOP,
    asking_agent,
    build_task,
    patient_user,
    scripted,
)


@pytest.fixture(autouse=True)
def strict_checkpoints(monkeypatch):
    monkeypatch.setattr("langgraph.checkpoint.serde._msgpack.STRICT_MSGPACK_ENABLED", True)


def play(agent, user, *, limits=None, saver=None, thread="t"):
    graph = build_graph(build_task(), agent, user, saver, limits=limits or Limits())
    config: Any = {"configurable": {"thread_id": thread}}
    return graph.invoke({}, config, durability="sync") if saver else graph.invoke({})


def test_a_whole_episode_is_recorded_as_a_transcript():
    state = play(asking_agent(), patient_user())
    lines = transcript_of(state)
    assert [(line["role"], line.get("owner")) for line in lines] == [
        ("user", None),
        ("assistant", None),
        ("user", None),
        ("assistant", "agent"),
        ("tool", "agent"),
        ("tool", "agent"),
        ("assistant", None),
        ("user", "user"),
        ("tool", "user"),
        ("user", "user"),
        ("tool", "user"),
        ("user", None),
        ("assistant", None),
        ("user", None),
    ]
    assert set(lines[3]) == {"role", "owner", "content", "tool_calls"}
    assert state["status"] == "ended"
    assert state["ending"]["reason"] == "STOP"
    ledger = Ledger.fold(build_task().world, state["events"])
    customer = ledger.get("customers", CUSTOMER)
    assert customer is not None and customer["phone"] == "312-555-0177"
    assert [event["seq"] for event in state["events"]] == [5, 10]


def test_tool_call_ids_are_ours_and_never_repeat():
    agent = scripted(tool_call_reply("list_all_airports"), tool_call_reply("nothing"), "Hi")
    lines = transcript_of(play(agent, scripted("Hello", STOP)))
    ids = [call["id"] for line in lines for call in line.get("tool_calls", ())]
    assert ids == ["call_1", "call_2"]
    assert [line["tool_call_id"] for line in lines if line["role"] == "tool"] == ids


def test_the_agent_is_handed_nothing_private():
    seen = []

    def spy(messages, tools):
        seen.append((list(messages), [tool.name for tool in tools]))
        return asking_agent()(messages, tools)

    play(spy, patient_user())
    everything = repr(seen)
    assert CANARY not in everything
    assert "not to be said" not in everything
    assert "get_my_payment_cards" not in everything
    messages = seen[-1][0]
    assert isinstance(messages[0], SystemMessage)
    assert [message.id for message in messages] == [f"m{n}" for n in range(len(messages))]
    assert all(
        not m.additional_kwargs and not m.response_metadata and m.name is None for m in messages
    )
    assert {type(message) for message in messages[1:]} == {HumanMessage, AIMessage, ToolMessage}


def test_the_agent_cannot_reach_the_state_through_the_context():
    def prying(messages, tools):
        return f"found {get_config()}"

    state = play(prying, scripted("Hello", STOP))
    assert state["status"] == "infra_error"
    assert CANARY not in json.dumps(state["ending"])


def test_a_user_may_look_at_its_cards_before_anybody_has_said_a_word():
    user = scripted(tool_call_reply("get_my_payment_cards"), "Hello", f"Bye. {STOP}")
    state = play(asking_agent(), user)
    assert [one["role"] for one in state["user_messages"]] == ["user", "tool"]
    assert next(one["content"] for one in state["messages"] if one["role"] == "user") == "Hello"


def test_text_beside_tool_calls_reaches_nobody():
    heard: list[Any] = []

    def user(messages, tools):
        heard.extend(message.content for message in messages if isinstance(message, HumanMessage))
        return patient_user()(messages, tools)

    play(asking_agent(), user)
    assert "One moment." not in heard
    assert "Your number is changed." in heard


def test_terminal_tokens_of_the_agent_are_dropped():
    state = play(scripted(f"Done {STOP}"), scripted("Hello", "Is that all?", STOP))
    lines = transcript_of(state)
    assert lines[1]["content"] == "Done"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ok ###TRANSFER### or ###STOP###", "TRANSFER"),
        ("###OUT-OF-SCOPE###", "OUT-OF-SCOPE"),
    ],
)
def test_the_first_token_in_a_user_turn_ends_the_talk(text, reason):
    assert play(scripted("Hi"), scripted(text))["ending"]["reason"] == reason


def test_the_calls_of_a_user_run_before_its_token_counts():
    last = tool_call_reply("get_my_payment_cards", text=STOP)
    state = play(scripted("Hi"), scripted("Hello", last))
    assert state["ending"]["reason"] == "STOP"
    assert transcript_of(state)[-1]["role"] == "tool"


def test_an_unknown_tool_and_malformed_arguments_are_answered_and_recorded():
    bad = AIMessage(
        "",
        tool_calls=[{"name": "get_my_payment_cards", "args": {}, "id": "x", "type": "tool_call"}],
        invalid_tool_calls=[
            {"name": "update_customer", "args": "{oops", "id": "x", "error": "no JSON"}
        ],
    )
    state = play(scripted(bad, "Sorry"), scripted("Hello", STOP))
    results = [json.loads(m["content"]) for m in state["messages"] if m["role"] == "tool"]
    assert [result["error"] for result in results] == ["unknown_tool", "invalid_arguments"]
    assert state["counts"]["tool_errors"] == 2


LONG_CALL = tool_call_reply(("search_hotels_by_city", {"city": "Pittsburgh"}))


@pytest.mark.parametrize(
    ("limits", "agent", "reason"),
    [
        (Limits(max_messages=10), scripted("Hi"), "max_messages"),
        (Limits(max_turns=5), scripted("Hi"), "max_turns"),
        (Limits(max_tool_errors=3), scripted(tool_call_reply("no_tool")), "max_tool_errors"),
        (Limits(max_reply_characters=9), scripted("x" * 10), "max_reply_characters"),
        (Limits(max_reply_characters=9), scripted(LONG_CALL), "max_reply_characters"),
    ],
)
def test_a_limit_ends_the_episode_without_a_pending_call(limits, agent, reason):
    state = play(agent, scripted("Hello"), limits=limits)
    assert (state["status"], state["ending"]["reason"]) == ("budget_exhausted", reason)
    assert transcript_of(state)[-1].get("tool_calls") is None


def test_a_failing_agent_ends_its_episode_as_an_infrastructure_error(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "very-secret-value")
    agent = scripted("Hi", ConnectionError("no route with very-secret-value"))
    state = play(agent, scripted("Hello"))
    assert state["status"] == "infra_error"
    assert state["ending"] == {
        "reason": "agent_error",
        "fault": "infra",
        "error": "ConnectionError: no route with ***",
    }
    assert len(transcript_of(state)) == 3


def test_an_empty_reply_is_delivered_as_an_empty_turn():
    state = play(scripted(""), scripted("Hello", "Are you there?", STOP))
    assert [line["content"] for line in transcript_of(state)][1] == ""


def test_nodes_change_nothing_they_are_handed(monkeypatch):
    for name in ("agent", "user", "environment"):
        original = getattr(EpisodeNodes, name)

        def checked(self, state, original=original):
            before = copy.deepcopy(dict(state))
            update = original(self, state)
            assert dict(state) == before
            return update

        monkeypatch.setattr(EpisodeNodes, name, checked)
    assert play(asking_agent(), patient_user())["status"] == "ended"


def test_the_episode_resumes_from_each_checkpoint_with_the_same_outcome(tmp_path):
    with open_saver(tmp_path / "c.sqlite") as saver:
        whole = play(asking_agent(), patient_user(), saver=saver)
        graph = build_graph(build_task(), asking_agent(), patient_user(), saver)
        config: Any = {"configurable": {"thread_id": "t"}}
        snapshots = [s for s in graph.get_state_history(config) if s.next]
        assert len(snapshots) == len(transcript_of(whole))  # one of them before the first message
        for snapshot in snapshots:
            again = graph.invoke(None, snapshot.config, durability="sync")
            assert again["events"] == whole["events"]
            assert transcript_of(again) == transcript_of(whole)
    assert stored_threads(tmp_path / "c.sqlite") == {"t"}


def test_a_stopped_episode_goes_on_where_it_stopped(tmp_path):
    calls = []

    def counting(messages, tools):
        calls.append(len(messages))
        return asking_agent()(messages, tools)

    whole = play(asking_agent(), patient_user())
    config: Any = {"configurable": {"thread_id": "t"}}
    for _ in range(len(transcript_of(whole)) + 1):
        with open_saver(tmp_path / "c.sqlite") as saver:
            graph = build_graph(build_task(), counting, patient_user(), saver)
            begun = bool(graph.get_state(config).values)
            for _ in graph.stream(None if begun else {}, config, durability="sync"):
                break
    with open_saver(tmp_path / "c.sqlite") as saver:
        state = build_graph(build_task(), counting, patient_user(), saver).get_state(config).values
    assert transcript_of(state) == transcript_of(whole)
    assert len(calls) == len(set(calls)) == 4


def test_one_graph_serves_several_threads():
    graph = build_graph(build_task(), asking_agent(), patient_user(), InMemorySaver())
    states = [graph.invoke({}, {"configurable": {"thread_id": name}}) for name in "ab"]
    assert transcript_of(states[0]) == transcript_of(states[1])
