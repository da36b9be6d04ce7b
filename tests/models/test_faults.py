"""What a provider can do wrong, over real HTTP, in both seats: the table of docs/models.md."""

import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI

from crab_graph import build_graph
from crab_graph.errors import UsageError
from crab_graph.graph.state import transcript_of
from crab_graph.models import retrying
from crab_graph.models.chat import build_chat_model
from crab_graph.models.failures import FailureKind
from crab_graph.models.prices import Prices, TokenPrice
from crab_graph.settings import Limits
from crab_graph.testing import Answer, Attempts, ScriptedServer
from crab_graph.testing.faults import (
    FaultyAnswer,
    content_filtered,
    context_overflow,
    dripping,
    error_in_answer,
    not_json,
    out_of_quota,
    rate_limited,
    server_error,
    stalling,
    truncated,
    unauthorised,
    without_choices,
)
from tests.graph.builders import CUSTOMER, STOP, build_task, scripted

LOOKUP = [("get_customer_information", {"customer_id": CUSTOMER})]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-0123456789")


def play(*script, settings="", limits=None, user=None):
    """Let a model on a server that follows a script be the agent."""
    with ScriptedServer(list(script)) as server:
        agent = server.spec + settings
        user = user or scripted("Hello", STOP)
        graph = build_graph(build_task(), agent, user, limits=limits or Limits())
        state = graph.invoke({})
    return SimpleNamespace(
        state=state,
        outcome=(state["status"], state["ending"]["reason"] if "ending" in state else None),
        error=(state.get("ending") or {}).get("error"),
        usage=state["spent"].get("agent", {}).get("scripted", {}),
        lost=state["spent"].get("lost", {}).get("agent", {}).get("scripted", {}),
        said=[line["content"] for line in transcript_of(state) if line["role"] == "assistant"],
        requests=server.requests,
    )


RETRIED = {
    "rate limit": (rate_limited(0.05), FailureKind.RATE_LIMIT),
    "server error": (server_error(), FailureKind.SERVER_ERROR),
    "overloaded": (server_error(529), FailureKind.SERVER_ERROR),
    "broken off": (truncated(), FailureKind.CONNECTION),
    "not JSON": (not_json(), FailureKind.UNREADABLE),
    "error in a 200": (error_in_answer(), FailureKind.UNREADABLE),
    "rate limit in a 200": (error_in_answer(429), FailureKind.RATE_LIMIT),
    "bad gateway in a 200": (error_in_answer(502), FailureKind.SERVER_ERROR),
    "no choices": (without_choices(), FailureKind.UNREADABLE),
    "null choices": (without_choices(None), FailureKind.UNREADABLE),
}


@pytest.mark.parametrize(("fault", "kind"), RETRIED.values(), ids=RETRIED)
def test_a_passing_fault_is_tried_again_and_counted(fault, kind):
    found = play(Attempts(fault, "Hello"))
    assert found.outcome == ("ended", "STOP")
    assert found.said == ["Hello"]
    assert len(found.requests) == 2
    assert (found.usage["calls"], found.usage["failed"]) == (1, {kind: 1})
    assert found.usage["input_tokens"] > 0 and found.usage["output_tokens"] == 2


@pytest.mark.parametrize(("fault", "kind"), RETRIED.values(), ids=RETRIED)
def test_a_lasting_fault_ends_the_episode_as_an_infrastructure_error(fault, kind):
    found = play(Attempts(fault), settings="?max_retries=1")
    assert found.outcome == ("infra_error", "agent_error")
    assert found.error and "\n" not in found.error
    assert found.lost["failed"] == {kind: 2}
    assert len(found.requests) == 2


ODD = [
    '{"error": "overloaded"}',
    '{"choices": [{}]}',
    '{"choices": [{"message": null}]}',
    "{}",
    "[]",
    "null",
]
STREAMED = ['{"error": {"message": "overloaded"}}', '{"choices": []}', *ODD]


@pytest.mark.parametrize("body", ODD)
def test_whatever_else_stands_for_an_answer_is_asked_for_again(body):
    found = play(Attempts(not_json(body), "Hello"))
    assert (found.outcome, found.said, len(found.requests)) == (("ended", "STOP"), ["Hello"], 2)
    assert sum(found.usage["failed"].values()) == 1


@pytest.mark.parametrize("body", STREAMED)
def test_a_stream_without_an_answer_is_asked_for_again(body):
    fault = FaultyAnswer(
        raw=f"data: {body}\n\ndata: [DONE]\n\n", headers={"Content-Type": "text/event-stream"}
    )
    found = play(Attempts(fault, "Hello"), settings="?streaming=true")
    assert (found.outcome, found.said, len(found.requests)) == (("ended", "STOP"), ["Hello"], 2)


def test_what_an_error_in_a_200_says_of_itself_is_heard():
    overflow = "This model's maximum context length is 8192 tokens"
    found = play(LOOKUP, error_in_answer(400, overflow))
    assert found.outcome == ("budget_exhausted", "context_overflow")
    found = play(Attempts(error_in_answer(None, "insufficient_quota"), "Hello"))
    assert found.lost["failed"] == {FailureKind.QUOTA: 1}


@pytest.mark.parametrize("fault", [error_in_answer(), without_choices()], ids=["error", "none"])
def test_an_object_of_the_users_is_asked_again_for_an_answer_that_is_none(fault):
    with ScriptedServer([Attempts(fault, "Hello")]) as server:
        key: Any = "own-key-0123456789"
        model = ChatOpenAI(model="m", base_url=server.address, api_key=key, max_retries=0)
        state = build_graph(build_task(), model, scripted("Hi", STOP)).invoke({})
    assert state["status"] == "ended"
    assert len(server.requests) == 2


HOPELESS = {
    "key": (unauthorised(), FailureKind.REFUSED),
    "quota": (out_of_quota(), FailureKind.QUOTA),
    "filtered request": (content_filtered(), FailureKind.CONTENT_FILTER),
}


@pytest.mark.parametrize(("fault", "kind"), HOPELESS.values(), ids=HOPELESS)
def test_a_fault_that_no_waiting_helps_is_not_tried_again(fault, kind):
    found = play(Attempts(fault, "Hello"))
    assert found.outcome == ("infra_error", "agent_error")
    assert found.lost["failed"] == {kind: 1}
    assert len(found.requests) == 1
    assert "test-key-0123456789" not in found.error


def test_retry_after_is_waited_for_by_everybody_who_asks_the_model():
    with ScriptedServer([Attempts(rate_limited(0.4), "Hello")]) as server:
        model = build_chat_model(server.spec)
        begun = time.monotonic()
        assert model.invoke([HumanMessage("Hi")]).text == "Hello"
        assert time.monotonic() - begun >= 0.4
        model._pace.hold(0.3)
        begun = time.monotonic()
        model.bind_tools([]).invoke([HumanMessage("Another")])
        assert time.monotonic() - begun >= 0.3


def test_a_wait_of_minutes_is_not_waited_for():
    found = play(Attempts(rate_limited(3600), "Hello"))
    assert found.outcome == ("infra_error", "agent_error")
    assert len(found.requests) == 1


@pytest.mark.parametrize("fault", [stalling(10), dripping(0.1, 100)], ids=["silent", "dripping"])
def test_a_time_limit_interrupts_whatever_the_server_does(fault):
    begun = time.monotonic()
    found = play(Attempts(fault, "Hello"), settings="?timeout=0.5")
    assert time.monotonic() - begun < 8
    assert found.outcome == ("ended", "STOP")
    assert found.usage["failed"] == {FailureKind.TIMEOUT: 1}


def test_an_episode_out_of_time_is_an_infrastructure_error():
    begun = time.monotonic()
    found = play(stalling(10), limits=Limits(max_seconds=0.6))
    assert time.monotonic() - begun < 8
    assert found.outcome == ("infra_error", "max_seconds")
    assert "max_seconds" in found.error


def test_a_step_that_was_given_up_asks_no_model_any_more():
    with ScriptedServer([stalling(0.5)]) as server:
        agent = server.spec + "?timeout=0.4&max_retries=5"
        limits = Limits(max_seconds=0.2)
        build_graph(build_task(), agent, scripted("Hi"), limits=limits).invoke({})
        time.sleep(1.2)
        assert len(server.requests) == 1


def test_a_context_that_overflows_is_the_agents_budget():
    found = play(LOOKUP, context_overflow())
    assert found.outcome == ("budget_exhausted", "context_overflow")
    assert found.usage["failed"] == {FailureKind.CONTEXT_OVERFLOW: 1}
    assert len(found.requests) == 2


def test_a_filtered_answer_is_an_empty_turn():
    found = play(Answer("", finish_reason="content_filter"))
    assert found.said == [""]
    assert found.usage["failed"] == {FailureKind.CONTENT_FILTER: 1}


def test_arguments_that_break_off_are_the_agents_mistake():
    cut = Answer(
        calls=[("get_customer_information", '{"customer_id": "CU')], finish_reason="length"
    )
    found = play(cut, "Sorry", user=scripted("Hello", STOP))
    assert found.outcome == ("ended", "STOP")
    results = [line["content"] for line in found.state["messages"] if line["role"] == "tool"]
    assert "invalid_arguments" in results[0]
    assert found.state["counts"]["tool_errors"] == 1


def test_an_answer_without_token_counts_is_said_to_be_uncounted():
    found = play(Answer("Hello", usage=False))
    assert (found.usage["calls"], found.usage["uncounted"]) == (1, 1)


@pytest.mark.parametrize(
    ("counts", "known"),
    [
        ({"prompt_tokens": None, "completion_tokens": None, "total_tokens": None}, {}),
        ({"prompt_tokens": 70, "completion_tokens": None}, {"input_tokens": 70}),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, {}),
        ({"prompt_tokens": 70, "completion_tokens": 2}, {"input_tokens": 70, "output_tokens": 2}),
    ],
)
def test_token_counts_that_are_null_are_unknown_and_not_free(counts, known):
    found = play(Answer("Hello", usage=counts))
    told = {name: n for name, n in found.usage.items() if name.endswith("put_tokens")}
    assert told == known
    assert found.usage.get("uncounted", 0) == (0 if len(known) == 2 else 1)
    cost = Prices(models={"scripted": TokenPrice(input=1, output=1)}).cost(
        {"scripted": found.usage}
    )
    assert cost.is_known == (len(known) == 2)


@pytest.mark.parametrize("settings", ["", "?streaming=true"])
def test_streams_give_the_same_dialogue_and_the_same_counts(settings):
    found = play(Answer("One moment.", LOOKUP), "Hello Ana, all is well.", settings=settings)
    assert found.outcome == ("ended", "STOP")
    assert found.said == ["One moment.", "Hello Ana, all is well."]
    assert (found.usage["calls"], found.usage["output_tokens"]) == (2, 24)
    assert bool(found.requests[0].get("stream")) is bool(settings)


def test_what_a_model_was_asked_with_is_recorded():
    found = play("Hello", settings="?temperature=0.2&seed=7")
    assert found.usage["settings"]["temperature"] == 0.2
    assert found.requests[0]["temperature"] == 0.2
    assert found.requests[0]["seed"] == 7


@pytest.mark.parametrize("settings", ["?timeout=0", "?timeout=soon", "?max_retries=-1"])
def test_a_setting_out_of_range_is_refused(settings):
    with pytest.raises(UsageError, match=r"timeout must be|max_retries must be"):
        build_chat_model(f"http://127.0.0.1:9/v1#m{settings}")


def test_a_setting_before_the_model_s_name_is_refused_and_what_is_the_server_s_is_not():
    with pytest.raises(UsageError, match=r"timeout stands before .* as in #m\?timeout=900"):
        build_chat_model("http://127.0.0.1:9/v1?timeout=900#m")
    assert build_chat_model("http://127.0.0.1:9/v1?api-version=1#m?timeout=900")


def test_an_object_of_the_users_keeps_its_own_retries():
    with ScriptedServer([Attempts(server_error(), "Hello")]) as server:
        key: Any = "own-key-0123456789"
        model = ChatOpenAI(model="m", base_url=server.address, api_key=key, max_retries=2)
        graph = build_graph(build_task(), model, scripted("Hi", STOP))
        state = graph.invoke({})
    assert state["status"] == "ended"
    assert len(server.requests) == 2
    assert "failed" not in state["spent"]["agent"]["m"]  # its own client does not tell


def test_a_server_that_is_not_there_is_a_lost_connection():
    graph = build_graph(
        build_task(), "http://127.0.0.1:9/v1#m?max_retries=0", scripted("Hello", STOP)
    )
    state = graph.invoke({})
    assert state["ending"]["reason"] == "agent_error"
    assert "refused" in state["ending"]["error"]
    assert state["spent"]["lost"]["agent"]["m"]["failed"] == {"connection": 1}


def test_the_page_has_a_row_for_each_kind():
    rows = re.findall(r"^\| .*\|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = {kind for kind in FailureKind if any(f"`{kind}`" in row for row in rows)}
    assert named == set(FailureKind)
