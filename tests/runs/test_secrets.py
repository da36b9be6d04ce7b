"""A key never reaches an artefact, also where a server echoes it in errors, headers and answers."""

import json
from typing import Any

import pytest

from crab_graph.cli import main
from crab_graph.graph.build import build_graph
from crab_graph.graph.savers import open_saver
from crab_graph.models import retrying
from crab_graph.testing import Answer, Attempts, FaultyAnswer, ScriptedServer
from crab_graph.testing.faults import rate_limited, unauthorised
from tests.graph.builders import STOP, build_task, scripted

KEY = "canary-key-0f3a9b7c5d1e"
LOGIN = "canary-login-77aa55"
QUERY = "canary-query-31415926"
SECRETS = (KEY, LOGIN, QUERY)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def named(server):
    """Return a spec that holds two further secrets: a login, and a part of the query."""
    address = server.address.replace("://", f"://me:{LOGIN}@")
    return f"{address}?api_key={QUERY}#scripted"


def echo(status=401):
    body = {"error": {"message": f"bad key {{key}} {QUERY} me:{LOGIN}", "code": "x"}}
    return FaultyAnswer(status, body, {"X-Echo": "{key}", "Retry-After": "0.01"})


def files_with_secrets(directory):
    return [
        (path.name, secret)
        for path in directory.rglob("*")
        if path.is_file()
        for secret in SECRETS
        if secret.encode() in path.read_bytes()
    ]


@pytest.mark.slow
def test_no_artefact_of_a_run_holds_a_key(bench, tmp_path, capfd):
    talk: list[Any] = [
        Attempts(echo(429), echo(500), "Which seat type would you like?"),
        Answer(f"My key is {KEY}.", [("get_customer_information", {"customer_id": KEY})]),
        Attempts(unauthorised()),
    ]
    user: list[Any] = [
        Attempts(echo(500), f"A trip, please. {KEY}"),
        Attempts(rate_limited(0.01), "Aisle."),
    ]
    out, exports = tmp_path / "run", tmp_path / "out"
    exports.mkdir()
    with ScriptedServer(talk) as agent, ScriptedServer(user) as other:
        arguments = ["run", str(bench.directory), "--agent", named(agent), "--tasks", "S1"]
        arguments += ["--engine", "llm", "--user-model", named(other), "--out", str(out)]
        assert main(arguments) == 1  # the agent's key is refused in the end
        assert all(key.endswith(KEY) or key.startswith("Basic") for key in agent.keys)
    kept = list((out / "checkpoints").glob("*"))
    assert kept and not files_with_secrets(tmp_path)
    shown = [["report", str(out), "--html", str(exports / "report.html")], ["show", str(out)]]
    shown[1].append("S1-001.ruse.0")
    shown += [["sql", str(out), "SELECT * FROM messages"], ["resume", str(out)]]
    shown += [["export", str(out), "--format", "openai", "--out", str(exports / "train.jsonl")]]
    for command in shown:
        main(["--debug", *command] if command[0] == "show" else command)
    printed = capfd.readouterr()
    assert (exports / "report.html").exists()
    assert not files_with_secrets(tmp_path)
    assert not [secret for secret in SECRETS if secret in printed.out + printed.err]
    record = json.loads((out / "shards" / "part-0.jsonl").read_text().splitlines()[-1])
    assert "***" in record["error"]
    assert any("***" in str(message["content"]) for message in record["messages"])


def test_a_checkpoint_of_an_episode_under_way_holds_no_key(tmp_path):
    with ScriptedServer([Attempts(echo(503), f"Hello {KEY}"), Attempts(echo(500))]) as server:
        with open_saver(tmp_path / "c.sqlite") as saver:
            graph = build_graph(
                build_task(), named(server), scripted("Hello", "And then?", STOP), saver
            )
            state = graph.invoke({}, {"configurable": {"thread_id": "t"}})
        assert len(server.requests) >= 3
    assert "bad key" in state["ending"]["error"] and "***" in state["ending"]["error"]
    assert not files_with_secrets(tmp_path)
