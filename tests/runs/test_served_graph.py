"""The graph that `langgraph dev` serves, in this process and over the server's own API."""

import asyncio
import inspect
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from crab_graph.errors import UsageError
from crab_graph.graph.episode_graph import EpisodeGraph
from crab_graph.runs.served_graph import BENCH_VARIABLE, make_graph

ROOT = Path(__file__).resolve().parents[2]


def test_a_request_says_which_episode_it_is(bench, monkeypatch):
    monkeypatch.setenv(BENCH_VARIABLE, str(bench.directory))
    config: Any = {"configurable": {"task": "S1-001", "agent": "silent", "user": "terse"}}
    graph = make_graph(config)
    assert isinstance(graph, EpisodeGraph)
    state = graph.invoke({})
    assert state["status"] == "ended"
    assert {line["content"] for line in state["messages"] if line["role"] == "assistant"} == {""}


AGENT = """
async def agent(messages, tools):
    return "Good day."
"""


def test_the_module_of_an_agent_is_read_beside_the_event_loop_of_a_server(
    bench, monkeypatch, tmp_path
):
    (tmp_path / "agent_of_mine.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    blocking = os.getcwd

    def getcwd():
        assert threading.current_thread() is not threading.main_thread()
        return blocking()

    asked = {"bench": str(bench.directory), "agent": "agent_of_mine:agent", "user": "terse"}

    async def serve() -> Any:
        graph = make_graph({"configurable": asked})
        assert inspect.isawaitable(graph)
        return await (await graph).ainvoke({})

    monkeypatch.setattr(os, "getcwd", getcwd)
    state = asyncio.run(serve())
    assert state["messages"][1]["content"] == "Good day."


def test_a_seat_that_there_is_not_is_refused(bench):
    with pytest.raises(UsageError, match="sits as user or agent"):
        make_graph({"configurable": {"bench": str(bench.directory), "seat": "judge"}})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def call(port, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.loads(answer.read())


def wait_for(port, process):
    for _ in range(600):
        assert process.poll() is None
        try:
            return call(port, "/ok")
        except OSError:
            time.sleep(0.2)
    raise TimeoutError


@pytest.mark.slow
def test_the_server_plays_an_episode_and_asks_a_person(bench, tmp_path):
    pytest.importorskip("langgraph_api")
    shutil.copy(ROOT / "langgraph.json", tmp_path)
    (tmp_path / "agent_of_mine.py").write_text(AGENT)
    port = free_port()
    quiet = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    process = subprocess.Popen(
        [
            *(str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser"),
            *("--no-reload", "--host", "127.0.0.1", "--port", str(port)),
        ],
        env={**os.environ, **quiet, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    asked = {"bench": str(bench.directory), "task": "S1-001"}
    try:
        wait_for(port, process)
        path = f"/threads/{call(port, '/threads', {})['thread_id']}/runs/wait"
        body = {"assistant_id": "episode", "input": {}, "config": {"configurable": asked}}
        state = call(port, path, body)
        assert (state["status"], state["ending"]["reason"]) == ("ended", "STOP")
        path = f"/threads/{call(port, '/threads', {})['thread_id']}/runs/wait"
        body["config"] = {"configurable": {**asked, "agent": "agent_of_mine:agent"}}
        assert call(port, path, body)["messages"][1]["content"] == "Good day."
        path = f"/threads/{call(port, '/threads', {})['thread_id']}/runs/wait"
        body["config"] = {"configurable": {**asked, "seat": "user"}}
        state = call(port, path, body)
        assert state["__interrupt__"][0]["value"]["seat"] == "user"
        del body["input"]
        state = call(port, path, {**body, "command": {"resume": "Never mind. ###STOP###"}})
        assert state["ending"]["reason"] == "STOP"
    finally:
        process.terminate()
        process.wait()
