"""A key never reaches an artefact, also where a server echoes it in errors, headers and answers."""

import json
import logging
import os
import sys
import traceback
from contextlib import suppress
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

import pytest

import crab_graph as cg
from crab_graph import build_graph
from crab_graph.cli import main
from crab_graph.errors import CrabGraphError, UsageError
from crab_graph.graph.savers import open_saver
from crab_graph.models import retrying
from crab_graph.models.chat import build_chat_model
from crab_graph.models.secrets import (
    public_spec,
    remember_secret,
    remember_spec_secrets,
    without_used_secrets,
)
from crab_graph.testing import Answer, Attempts, FaultyAnswer, ScriptedServer
from crab_graph.testing.faults import rate_limited, unauthorised
from tests.graph.builders import STOP, build_task, scripted

KEY = "canary-key-0f3a9b7c5d1e"
LOGIN = "canary-login-77aa55"
QUERY = "canary-query-31415926"
SETTING = "canary-setting-27182818"
HEADER = "canary-header-16180339"
HELD = "canary-held-14142135"
CLOSED_OVER = "canary-closed-over-17320508"
SECRETS = (KEY, LOGIN, QUERY, SETTING, HEADER, HELD, CLOSED_OVER)
SENT = f"{QUERY} {HEADER} me:{LOGIN}"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def named(server, more=""):
    """Return a spec that holds further secrets: a login, a part of the query, and a header."""
    address = server.address.replace("://", f"://me:{LOGIN}@")
    headers = quote(json.dumps({"X-Login": HEADER}))
    return f"{address}?api_key={QUERY}#scripted?default_headers={headers}{more}"


def echo(status=401):
    body = {"error": {"message": f"bad key {{key}} {SENT}", "code": "x"}}
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
    two = tmp_path / "two"
    with ScriptedServer(talk) as agent, ScriptedServer(user) as other:
        arguments = ["run", str(bench.directory), "--agent", named(agent), "--tasks", "S1"]
        arguments += ["--engine", "llm", "--user-model", named(other), "--out", str(out)]
        assert main(arguments) == 1  # the agent's key is refused in the end
        assert all(key.endswith(KEY) or key.startswith("Basic") for key in agent.keys)
        assert {*agent.user_agents, *other.user_agents} == {f"crab-graph/{version('crab-graph')}"}
        arguments = ["ablate", str(bench.directory), "--agent", named(agent, f"&api_key={SETTING}")]
        main([*arguments, "--conditions", "generic,d1", "--tasks", "S1", "--out", str(two)])
    kept = list((out / "checkpoints").glob("*"))
    assert kept and not files_with_secrets(tmp_path)
    episode, work = "S1-001.ruse.0", str(out)
    commands = [
        ["report", work, "--html", str(exports / "report.html")],
        ["show", work, episode],
        ["sql", work, "SELECT * FROM messages"],
        ["resume", work],
        ["regrade", work],
        ["compact", work],
        ["fork", work, episode, "--turn", "1", "--out", str(exports / "fork")],
        ["compare", work, str(two)],
        ["fidelity", work],
        ["tasks", str(bench.directory)],
        *(
            ["export", work, "--format", format, "--out", str(exports / format), *more]
            for format, *more in (("openai", "--rewards"), ("parquet",), ("langsmith",))
        ),
    ]
    for command in commands:
        with suppress(CrabGraphError):  # as with `--debug`
            main(["--debug", *command])
    printed = capfd.readouterr()
    assert (exports / "report.html").exists()
    assert not files_with_secrets(tmp_path)
    assert not [secret for secret in SECRETS if secret in printed.out + printed.err]
    record = json.loads((out / "shards" / "part-0.jsonl").read_text().splitlines()[-1])
    assert "***" in record["error"]
    assert any("***" in str(message["content"]) for message in record["messages"])


class Holding:
    """An agent of one's own that holds a key, and tells it in what it raises."""

    def __init__(self):
        self.api_key = HELD

    def __call__(self, messages, tools):
        raise ConnectionError(f"401 for {self.api_key}")


def test_what_an_object_holds_as_a_credential_is_in_no_artefact(bench, tmp_path, capfd):
    secret = CLOSED_OVER

    def agent(messages, tools):
        raise ConnectionError(f"401 for {secret}")

    agents: list[Any] = [Holding(), agent]
    for number, one in enumerate(agents):
        out = tmp_path / f"run-{number}"
        (record,) = cg.run(bench, one, "generic", 1, out, tasks=["S1"], name="mine")
        assert record.error == "ConnectionError: 401 for ***"
        assert "***" in str(cg.run_episode(bench[0], one, "generic").error)
    assert not files_with_secrets(tmp_path)
    assert not [one for one in SECRETS if one in str(capfd.readouterr())]


def test_what_ones_own_code_takes_from_the_environment_is_in_no_artefact(
    bench, tmp_path, monkeypatch
):
    monkeypatch.setenv("A_SERVICE_TOKEN", HELD)

    def agent(messages, tools):
        return f"I was opened with {os.environ['A_SERVICE_TOKEN']}."

    def user(messages, tools):
        return f"And I with {os.environ['A_SERVICE_TOKEN']}. ###STOP###"

    (record,) = cg.run(bench, agent, user, 1, tmp_path, tasks=["S1"], name="mine")
    assert "And I with ***." in str(record.messages)
    assert not files_with_secrets(tmp_path)


def test_no_log_of_anybody_holds_a_key(caplog):
    remember_secret(HEADER)
    log = logging.getLogger("somebody.elses.client")
    with caplog.at_level(logging.DEBUG):
        log.debug("answered: %s", [("X-Echo", HEADER)])
        try:
            raise ConnectionError(f"refused: {HEADER}")
        except ConnectionError:
            log.exception("that was %s", "all")
    assert "answered: [('X-Echo', '***')]" in caplog.text and "refused: ***" in caplog.text
    assert HEADER not in caplog.text


def test_no_traceback_of_the_command_line_holds_a_key(monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(sys, "argv", ["crab-graph", "tasks", "--help"])
    assert main() == 0
    try:
        try:
            raise ConnectionError(f"refused: {KEY}\x1b[2J")
        except ConnectionError as error:
            raise RuntimeError("not opened") from error
    except RuntimeError as error:
        sys.excepthook(RuntimeError, error, error.__traceback__)
    said = capsys.readouterr().err
    assert "ConnectionError: refused: ***�[2J" in said and "RuntimeError: not opened" in said


def test_no_cause_of_an_error_shows_a_key():
    with pytest.raises(UsageError, match="cannot be opened") as raised:
        build_chat_model(f"openai:m?temperature={SETTING}&api_key={SETTING}")
    shown = "".join(traceback.format_exception(raised.value))
    assert SETTING not in shown


def test_a_login_in_an_address_within_settings_is_masked():
    spec = f"openai:m?base_url=http://me:{LOGIN}@localhost:9/v1&temperature=0.2"
    assert public_spec(spec) == "openai:m?base_url=http://***@localhost:9/v1&temperature=0.2"
    remember_spec_secrets(spec)
    assert without_used_secrets(f"401 for {LOGIN}") == "401 for ***"


def test_a_word_that_is_called_a_key_stays_readable(bench, tmp_path):
    key, tokens = "destination", ["departure", "customer_id"]

    def agent(messages, tools):
        return f"Which {key}, {tokens[0]} and {tokens[1]}?"

    (record,) = cg.run(bench, agent, "generic", 1, tmp_path, tasks=["S1"], name="mine")
    said = [one["content"] for one in record.messages if one["role"] == "assistant"]
    assert said[0] == "Which destination, departure and customer_id?"


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
