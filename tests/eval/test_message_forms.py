import json

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)

from crab_graph.errors import TranscriptError
from crab_graph.eval.transcript import load_transcript, read_transcript
from crab_graph.eval.verdict import grade
from tests.eval.builders import Plan, small_task


def langchain(messages):
    """The agent's side of a transcript as LangChain's message objects."""
    converted: list[BaseMessage] = [SystemMessage("Be helpful.")]
    for message in messages:
        calls = [
            {"id": call["id"], "name": call["name"], "args": call["arguments"]}
            for call in message.get("tool_calls", ())
        ]
        if message["role"] == "assistant":
            converted.append(AIMessage(message["content"], tool_calls=calls))
        elif message["role"] == "tool":
            converted.append(ToolMessage(message["content"], tool_call_id=message["tool_call_id"]))
        else:
            converted.append(HumanMessage(message["content"]))
    return converted


def openai(messages):
    converted = [{"role": "developer", "content": "Be helpful."}]
    for message in messages:
        line = {name: message[name] for name in ("role", "content") if name in message}
        if message.get("tool_calls"):
            line["content"] = None
            line["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
                }
                for call in message["tool_calls"]
            ]
        if message["role"] == "tool":
            line["tool_call_id"] = message["tool_call_id"]
        converted.append(line)
    return converted


@pytest.fixture(scope="module")
def agents_side():
    """What an agent sees of an episode in which it does nothing that hangs on the user's calls."""
    lines = Plan(charges=False).write().messages
    return [line for line in lines if line.get("owner") != "user"]


@pytest.mark.parametrize(
    "convert",
    [
        langchain,
        lambda lines: {"messages": langchain(lines)},
        lambda lines: [message.model_dump() for message in langchain(lines)],
        lambda lines: messages_to_dict(langchain(lines)),
        lambda lines: [dumpd(message) for message in langchain(lines)],
        openai,
    ],
)
def test_every_form_gives_the_same_verdict(agents_side, convert):
    expected = grade(small_task(), agents_side)
    again = grade(small_task(), convert(agents_side))
    assert again.checks == expected.checks and again.trace == expected.trace
    assert "fail" in again.checks.values()


@pytest.mark.parametrize("form", ["lines", "list", "state"])
def test_a_file_is_lines_or_a_list_or_a_state(agents_side, tmp_path, form):
    messages = messages_to_dict(langchain(agents_side))
    path = tmp_path / "talk.json"
    texts = {
        "lines": "\n".join(map(json.dumps, messages)),
        "list": json.dumps(messages, indent=2),
        "state": json.dumps({"messages": messages}, indent=2),
    }
    path.write_text(texts[form])
    assert load_transcript(path) == read_transcript(messages)


def test_arguments_a_model_garbled_are_its_failed_call():
    invalid = {"id": "c1", "name": "list_all_airports", "args": "{oops", "error": None}
    messages = [
        AIMessage("", invalid_tool_calls=[invalid | {"type": "invalid_tool_call"}]),
        HumanMessage("###STOP###"),
    ]
    metrics = grade(small_task(), messages).metrics
    assert (metrics["total_tool_calls"], metrics["failed_tool_calls"]) == (1, 1)


def test_a_garbled_call_without_a_name_is_a_failed_call_too():
    message = {"type": "ai", "invalid_tool_calls": [{"name": None, "args": "{", "id": None}]}
    metrics = grade(small_task(), [message, HumanMessage("###STOP###")]).metrics
    assert (metrics["total_tool_calls"], metrics["failed_tool_calls"]) == (1, 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[{"role": "user", "content": "hi"},\n {"role": "user"', "line 2: not JSON"),
        ('[{"type": "human", "content": "hi"}, {"type": "alien"}]', "message 2: 'role' is one of"),
        ('[{"type": "human", "content": 3}]', "message 1: 'content' is a text"),
        ("[]", "empty"),
        ('{"messages": []}', "empty"),
        ("[1]", "message 1: a message is a JSON object"),
        ('{"type": "constructor", "id": 3, "kwargs": {}}', "message 1|line 1"),
        ('{"type": "ai", "data": {"tool_calls": 3}}', "line 1: 'tool_calls' is a list"),
    ],
)
def test_what_cannot_be_read_is_named_by_line_or_message(tmp_path, text, found):
    path = tmp_path / "talk.json"
    path.write_text(text)
    with pytest.raises(TranscriptError, match=found):
        load_transcript(path)
