"""An episode goes on from any of its messages as it did, from what is kept of it alone."""

from typing import Any

from crab_graph import build_graph
from crab_graph.graph.restart import hidden_state, state_after, steps_of, visible_ends, with_line
from crab_graph.graph.state import transcript_of
from crab_graph.runs.episode import trace_of
from tests.graph.builders import STOP, asking_agent, build_task, patient_user, scripted


def play(agent: Any, user: Any, start: Any = None) -> Any:
    return build_graph(build_task(), agent, user).invoke(start or {})


def test_the_continuation_from_every_step_is_the_one_it_had():
    whole = play(asking_agent(), patient_user())
    lines, trace, hidden = transcript_of(whole), trace_of(whole), hidden_state(whole)
    ends = steps_of(lines)
    assert ends[0] == 0 and ends[-1] == len(lines)
    for end in ends[:-1]:
        start = state_after(lines, trace, hidden, end, "spec")
        again = play(asking_agent(), patient_user(), start)
        assert transcript_of(again) == lines
        assert again["events"] == whole["events"]
        assert again["counts"] == whole["counts"]


def test_a_step_ends_when_all_calls_of_a_message_have_their_results():
    whole = play(asking_agent(), patient_user())
    lines = transcript_of(whole)
    for end in steps_of(lines)[1:]:
        answered = {line["tool_call_id"] for line in lines[:end] if line["role"] == "tool"}
        calls = [call["id"] for line in lines[:end] for call in line.get("tool_calls", ())]
        waiting = [call for call in calls if call not in answered]
        last = [call["id"] for call in lines[end - 1].get("tool_calls", ())]
        assert waiting in ([], last)


def test_what_is_typed_stands_before_the_continuation():
    whole = play(asking_agent(), patient_user())
    lines, trace, hidden = transcript_of(whole), trace_of(whole), hidden_state(whole)
    end = visible_ends(lines)[1]
    start = state_after(lines, trace, hidden, end, "spec")
    said = with_line(start, "assistant", "Who are you?", start["user_state"])
    again = transcript_of(play(scripted("Fine"), scripted("Hello", "Me.", STOP), said))
    assert [line["content"] for line in again[end:]] == ["Who are you?", "Me.", "Fine", STOP]


def test_a_typed_token_ends_the_talk():
    start = with_line({"spec": "s"}, "user", f"Never mind {STOP}", {})
    state = play(scripted("Hi"), scripted("Hello"), start)
    assert (state["status"], state["ending"]["reason"]) == ("ended", "STOP")
    assert len(transcript_of(state)) == 1
