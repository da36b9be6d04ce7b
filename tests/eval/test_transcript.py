import json
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.errors import TranscriptError
from crab_graph.eval.replay import CallStep, MessageStep, replay
from crab_graph.eval.transcript import load_transcript, read_transcript
from crab_graph.eval.verdict import grade
from tests.eval.builders import OUT, Plan, Script, flight, small_task


def user_says(text, **more):
    return {"role": "user", "content": text, **more}


def calling(name="list_all_airports", arguments=None, call_id="c1", **more):
    call = {"id": call_id, "name": name, "arguments": {} if arguments is None else arguments}
    return {"role": "assistant", "content": "", "tool_calls": [call], **more}


def trajectory(*messages):
    return replay(small_task(), read_transcript(messages))


def test_openai_form_and_flat_form_read_alike():
    flat = [calling(arguments={"a": 1}), user_says("hi")]
    function = {"name": "list_all_airports", "arguments": '{"a": 1}'}
    nested_call = {"id": "c1", "type": "function", "function": function}
    nested = [{"role": "assistant", "content": None, "tool_calls": [nested_call]}, user_says("hi")]
    assert read_transcript(flat) == read_transcript(nested)


def test_tool_lines_may_be_left_out():
    messages = Plan().write().messages
    bare = [message for message in messages if message["role"] != "tool"]
    full, short = grade(small_task(), messages), grade(small_task(), bare)
    assert full.as_json() == short.as_json() and full.passed


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("hello", "JSON object"),
        ({"role": "robot", "content": ""}, "'role'"),
        ({"role": ["user"], "content": ""}, "'role'"),
        ({"role": "user", "content": 3}, "'content'"),
        ({"role": "user", "content": "", "owner": "me"}, "'owner'"),
        ({"role": "assistant", "content": "", "owner": "user"}, "belongs to"),
        ({"role": "assistant", "tool_calls": {}}, "'tool_calls'"),
        ({"role": "assistant", "tool_calls": [{}]}, "'name'"),
        ({"role": "assistant", "tool_calls": ["x"]}, "tool call"),
        ({"role": "tool", "content": "{}", "tool_call_id": "nowhere"}, "earlier call"),
        ({"role": "tool", "content": "{}"}, "earlier call"),
        ({"role": "system", "tool_calls": [{"name": "x"}]}, "makes no calls"),
    ],
)
def test_a_malformed_message_is_named(message, said):
    with pytest.raises(TranscriptError, match=f"message 2: .*{said}"):
        read_transcript([user_says("hi"), message])


@pytest.mark.parametrize("messages", ["hello", {"role": "user"}])
def test_what_is_no_list_of_messages_is_refused(messages):
    with pytest.raises(TranscriptError):
        read_transcript(messages)


def test_a_file_names_its_malformed_line(tmp_path):
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(user_says("hi")) + "\n\n{not json\n")
    with pytest.raises(TranscriptError, match=r"talk\.jsonl, line 3: not JSON"):
        load_transcript(path)
    path.write_text(json.dumps(user_says("hi")) + "\n")
    assert load_transcript(path) == read_transcript([user_says("hi")])
    path.write_text("\n")
    with pytest.raises(TranscriptError, match="empty"):
        load_transcript(path)
    with pytest.raises(TranscriptError, match="cannot be read"):
        load_transcript(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"role": "assistant", "tool_calls": [{"name": "x", "arguments": {"a": NaN}}]}', "NaN"),
        ('{"role": "user", "content": 1e999}', "too large"),
        ('{"role": "user", "content": ' + "9" * 5000 + "}", "not JSON"),
        ('{"role": "user", "content": "x"} {"role": "user"}', "not JSON"),
        ('{"role": "assistant", "function_call": {"name": "x"}}', "'tool_calls'"),
        ('{"messages": 3}', "'role'"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_odd_lines_are_refused_in_one_line(tmp_path, line, said):
    path = tmp_path / "talk.jsonl"
    path.write_text(line)
    with pytest.raises(TranscriptError, match=said) as refused:
        load_transcript(path)
    assert "\n" not in str(refused.value)


def test_what_a_strict_reader_would_stumble_over_is_read(tmp_path):
    path = tmp_path / "talk.jsonl"
    call = {"id": "c1", "name": "list_all_airports", "arguments": {}}
    lines = [
        user_says("one\u2028two \ud800"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": {"airports": []}},
    ]
    text = "\r\n".join(json.dumps(line) for line in lines).replace("\\u2028", "\u2028")
    path.write_text("\ufeff" + text, encoding="utf-8", newline="")
    found = load_transcript(path)
    assert found[0].content == "one\u2028two \ufffd"
    assert json.loads(found[2].content) == {"airports": []}


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 400))
def test_a_damaged_file_is_read_or_refused_with_its_name(noise, place):
    text = "\n".join(json.dumps(message) for message in Plan().write().messages[:4]).encode()
    with NamedTemporaryFile() as file:
        file.write(text[:place] + noise + text[place:])
        file.flush()
        try:
            load_transcript(file.name)
        except TranscriptError as error:
            assert str(error).startswith(file.name)


def test_text_beside_calls_is_not_visible():
    found = trajectory(calling(content=f"I book {OUT}"), user_says("hi ###STOP###"))
    assert [type(step) for step in found.steps] == [CallStep, MessageStep]
    assert [step.seq for step in found.steps] == [1, 2]
    assert found.messages[0].text == "hi "


def test_calls_of_a_batch_are_numbered_in_order():
    batch = calling()
    batch["tool_calls"].append({"id": "c2", "name": "nothing", "arguments": "{broken"})
    found = trajectory(batch, user_says("x"))
    assert [(call.seq, call.name) for call in found.calls] == [
        (1, "list_all_airports"),
        (2, "nothing"),
    ]
    assert found.calls[1].as_json()["error"]["error"] == "unknown_tool"


def test_the_first_token_of_a_user_turn_ends_the_episode():
    found = trajectory(
        {"role": "assistant", "content": "###STOP### Hello"},
        user_says("Bye ###TRANSFER### or ###STOP###"),
        calling("transfer_to_human_agents", {"summary": "x"}),
    )
    assert found.token == "###TRANSFER###" and not found.calls
    assert found.messages[0].text == " Hello"


def test_user_calls_run_before_the_token_takes_effect():
    call = {"id": "u1", "name": "get_my_payment_cards", "arguments": {}}
    found = trajectory(user_says("###STOP###", owner="user", tool_calls=[call]))
    assert found.token == "###STOP###" and found.calls[0].as_json()["result"]["cards"]


def test_neither_party_can_call_the_others_tools():
    found = trajectory(calling("get_my_payment_cards"), user_says("hi"))
    assert found.calls[0].as_json()["error"]["error"] == "unknown_tool"


def test_a_recorded_result_that_the_replay_does_not_confirm_is_listed():
    script = Script()
    script.book(flight("outbound", OUT))
    script.messages[-1]["content"] = '{"booking_id": "BK-1"}'
    script.user("###STOP###")
    found = replay(script.task, read_transcript(script.messages))
    assert [item.name for item in found.discrepancies] == ["book_flight_with_seats"]
    assert grade(script.task, script.messages).metrics["unconfirmed_results"] == 1


def test_after_a_transfer_writes_are_frozen_and_reads_are_not():
    script = Script()
    script.call("transfer_to_human_agents", summary="x")
    assert "error" in script.call("charge_booking", booking_id="BK-1", payment_method_id="PM-1")
    assert "airports" in script.call("list_all_airports")


def test_the_verdict_is_the_contracts_document():
    document = grade(small_task(), Plan().write().messages).as_json()
    assert list(document) == [
        "task",
        "outcome",
        "passed",
        "fault",
        "checks",
        "strict",
        "primary_failure",
        "failures",
        "metrics",
        "trace",
        "unconfirmed",
        "explanation",
    ]
    assert json.loads(json.dumps(document)) == document
    assert set(document["trace"][0]) == {"seq", "owner", "name", "arguments", "result"}
