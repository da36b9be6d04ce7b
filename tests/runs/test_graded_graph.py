"""The public graph of an episode of a real task: what it hands out, and what tracers are sent."""

import json
import re
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import langsmith
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

import crab_graph as cg
from crab_graph.errors import TranscriptError
from crab_graph.testing import ScriptedChatModel


class Own(MessagesState):
    verdict: dict[str, Any]


def test_a_node_hands_out_its_verdict(bench):
    builder = StateGraph(Own)
    builder.add_node("episode", cg.build_graph(bench[0], agent="solver", user="generic"))
    builder.add_edge(START, "episode")
    begin: Any = {"messages": []}
    state = builder.compile().invoke(begin)
    verdict = state["verdict"]
    assert verdict["outcome"] == "pass" and set(verdict["checks"].values()) >= {"pass"}


def test_the_state_of_a_graph_is_graded_as_its_episode(bench):
    graph = cg.build_graph(bench[1], agent="solver", checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    state = graph.invoke({}, config)
    for played in (state, graph.get_state(config), cg.messages(state)):
        assert cg.grade(bench[1], played).passed
    with pytest.raises(TranscriptError, match="the user's own calls"):
        cg.grade(bench[1], state["messages"])


@pytest.mark.slow
def test_the_page_about_the_graph_runs_as_it_stands(bench, capsys):
    page = (Path(__file__).resolve().parents[2] / "docs" / "graph.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"bench": bench}
    for snippet in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(snippet, names)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "pass" and printed[-2:] == ["pass", "ended"]


class Received:
    """What a tracer posted to a server on this machine."""

    def __init__(self, server: Any) -> None:
        self.client = langsmith.Client(api_url=server.url_for(""), api_key="none")
        self._server = server

    @contextmanager
    def tracing(self):
        with langsmith.tracing_context(enabled=True, client=self.client):
            yield
        self.client.flush()

    @property
    def _posts(self):
        return [one for one in self._server.log if one[0].method == "POST"]

    @property
    def body(self) -> bytes:
        return b"".join(request.data for request, _ in self._posts)

    @property
    def runs(self) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for request, _ in self._posts:
            sent = json.loads(request.data)
            for run in (*sent.get("post", ()), *sent.get("patch", ())):
                found.setdefault(run["id"], {}).update(run)
        return list(found.values())


IN_BATCHES = {
    "use_multipart_endpoint": False,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 1,
    "scale_down_nempty_trigger": 4,
    "size_limit": 100,
    "size_limit_bytes": 20_000_000,
}


@pytest.fixture
def received(httpserver):
    httpserver.expect_request("/info").respond_with_json({"batch_ingest_config": IN_BATCHES})
    httpserver.expect_request("/runs/batch").respond_with_data("{}", status=202)
    return Received(httpserver)


def test_a_tracer_is_sent_a_small_public_view_with_one_root_an_episode(bench, received):
    with received.tracing():
        played = [cg.run_episode(task, agent="solver", user="ruse") for task in bench[:2]]
    roots = [run for run in received.runs if not run.get("parent_run_id")]
    assert [root["name"] for root in roots] == [one.episode_id for one in played]
    about = roots[0]["extra"]["metadata"]
    assert about["episode_id"] == played[0].episode_id and about["agent"] == "solver"
    said = [one for one in played[0].messages if one["role"] != "tool"]
    visible = [one["content"] for one in said if not one.get("tool_calls")]
    assert [one["content"] for one in roots[0]["outputs"]["messages"]] == visible
    own_tools = {call["name"] for call in played[0].trace if call["owner"] == "user"}
    private = {*own_tools, "user_state", "disclosed", "patience", "card_id"}
    assert own_tools and not [word for word in private if word.encode() in received.body]
    assert len(received.body) < 2 * 250_000


def test_models_of_the_agent_are_traced_inside_its_steps_and_those_of_a_user_are_not(
    bench, received
):
    model = ScriptedChatModel(replies=[], otherwise="Yes?")

    def user(messages, tools):
        return model.invoke(messages) if len(messages) < 4 else "###STOP###"

    with received.tracing():
        cg.run_episode(bench[0], agent=lambda messages, tools: model.invoke(messages), user=user)
    runs = {run["id"]: run for run in received.runs}
    asked = [run for run in runs.values() if run["run_type"] == "llm"]
    assert {runs[run["parent_run_id"]]["name"] for run in asked} == {"agent"}
    assert len({run["trace_id"] for run in runs.values()}) == 1
    assert str(bench[0].facts[0].value).encode() not in received.body
