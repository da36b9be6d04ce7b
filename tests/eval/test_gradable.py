"""Every form in which an episode is graded: the same verdict, or one line that says why not."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, convert_to_openai_messages
from langgraph.types import GraphOutput, StateSnapshot

import crab_graph as cg
from crab_graph.errors import TranscriptError
from tests.eval.builders import Plan, small_task

TASK = small_task()
LINES = Plan().write().messages


def state_of(lines=LINES, **more: Any) -> dict[str, Any]:
    """Return the state of a graph in which this was said and done."""
    placed = [{**line, "seq": place} for place, line in enumerate(lines)]
    return {
        "messages": [line for line in placed if line.get("owner") != "user" or not calls(line)],
        "user_messages": [line for line in placed if line.get("owner") == "user" and calls(line)],
        "counts": {"seq": len(lines)},
        "turn": "agent",
        "status": "ended",
        "ending": {"reason": "STOP", "fault": None, "error": None},
        "spec": "s",
        **more,
    }


def calls(line: Any) -> bool:
    return bool(line.get("tool_calls") or line["role"] == "tool")


def snapshot(state: dict[str, Any]) -> StateSnapshot:
    return StateSnapshot(state, (), {}, None, None, None, (), ())


class NodeOutput(dict[str, Any]):
    state = state_of()


GIVEN = {
    "state": lambda: state_of(),
    "snapshot": lambda: snapshot(state_of()),
    "output": lambda: GraphOutput(state_of(), ()),
    "node": lambda: NodeOutput(messages=[]),
    "lines": lambda: LINES,
    "a state of messages": lambda: {"messages": LINES},
    "langchain": lambda: cg.messages(LINES),
    "langchain of a state": lambda: cg.messages(snapshot(state_of())),
    "openai": lambda: convert_to_openai_messages(cg.messages(LINES)),
}


@pytest.mark.parametrize("form", GIVEN)
def test_every_form_of_an_episode_gets_the_same_verdict(form):
    expected = cg.grade(TASK, LINES)
    verdict = cg.grade(TASK, GIVEN[form]())
    assert verdict.passed and not verdict.unconfirmed
    assert (verdict.checks, verdict.strict) == (expected.checks, expected.strict)


REFUSED = {
    "the agent's messages of a state": (lambda: state_of()["messages"], "messages are missing"),
    "the agent's LangChain messages": (
        lambda: cg.messages(LINES, seen_by="agent"),
        "the user's own calls, which the agent never sees; give the state",
    ),
    "the agent's OpenAI messages": (
        lambda: convert_to_openai_messages(cg.messages(LINES, seen_by="agent")),
        "the user's own calls are not among them",
    ),
    "two episodes": (lambda: [*cg.messages(LINES), *cg.messages(LINES)], "of several episodes"),
    "a talk that goes on": (lambda: state_of(status="running"), "not over: the agent is next"),
    "an empty thread": (lambda: snapshot({}), "no episode in this thread"),
    "another state": (lambda: {"question": "?"}, "no list of 'messages', but 'question'"),
    "nothing": (lambda: None, "a graph's state .* can be graded, not a value of type NoneType"),
    "a text": (lambda: "talk.jsonl", "not a text; a file is read by cg.load_transcript"),
    "an episode of another task": (
        lambda: record(task_id="S2-001"),
        "an episode of 'S2-001', not of 'S1-001'",
    ),
}


def record(**more: Any) -> Any:
    about: dict[str, Any] = {
        "episode_id": "e",
        "task_id": "S1-001",
        "toolset": None,
        "user_faults": (),
    }
    about |= {"persona": "none", "dimensions": (), "facts": ()}
    about |= {"outcome": "pass", "error": None}
    about |= {"messages": LINES, "termination": "STOP", "fault": None}
    return SimpleNamespace(**(about | more))


@pytest.mark.parametrize("form", REFUSED)
def test_what_cannot_be_told_is_refused_in_one_line(form):
    given, why = REFUSED[form]
    with pytest.raises(TranscriptError, match=why) as refused:
        cg.grade(TASK, given())
    assert "\n" not in str(refused.value)


def test_how_a_state_ended_is_graded_too():
    spent = {"reason": "max_turns", "fault": None, "error": None}
    said = cg.grade(TASK, state_of(LINES[:3], status="budget_exhausted", ending=spent))
    assert said.outcome == "budget_exhausted"
    lost = {"reason": "agent_error", "fault": "infra", "error": "ConnectionError: gone"}
    broken = cg.grade(TASK, state_of(LINES[:3], status="infra_error", ending=lost))
    assert (broken.outcome, broken.fault, broken.error) == ("infra_error", "infra", lost["error"])
    assert not broken.checks


def test_an_episode_is_graded_as_it_was():
    assert cg.grade(TASK, record()).passed
    broken = cg.grade(TASK, record(outcome="infra_error", fault="infra", error="gone"))
    assert broken.outcome == "infra_error"


def test_what_there_is_of_a_talk_that_goes_on_can_be_graded():
    going_on = state_of(LINES[:5], status="running")
    assert not cg.grade(TASK, cg.messages(going_on)).passed


def test_messages_are_langchains_and_keep_who_said_and_called_what():
    said = cg.messages(LINES)
    assert len(said) == len(LINES)
    assert isinstance(said[0], HumanMessage) and isinstance(said[1], AIMessage)
    own = [one for one in said if one.name == "user"]
    assert own and all(isinstance(one, AIMessage) and one.tool_calls for one in own)
    seen = cg.messages(LINES, seen_by="agent")
    names = {call["name"] for one in seen for call in getattr(one, "tool_calls", ())}
    assert "charge_booking" in names and not any(one.name == "user" for one in seen)
    assert "get_my" not in repr(seen)


def test_arguments_that_are_no_object_survive():
    call = {"id": "call_1", "name": "charge_booking", "arguments": "{oops"}
    lines = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
    ]
    (_, said) = cg.messages(lines)
    assert isinstance(said, AIMessage) and said.invalid_tool_calls[0]["args"] == "{oops"
    assert cg.grade(TASK, [*cg.messages(lines)]).calls[0].arguments == "{oops"


def test_a_file_of_the_agents_side_is_refused_too(tmp_path):
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(map(json.dumps, state_of()["messages"])))
    with pytest.raises(TranscriptError, match="messages are missing"):
        cg.load_transcript(path)
    written = convert_to_openai_messages(cg.messages(LINES, seen_by="agent"))
    path.write_text(json.dumps(written))
    with pytest.raises(TranscriptError, match="own calls are not among them"):
        cg.grade(TASK, cg.load_transcript(path))
