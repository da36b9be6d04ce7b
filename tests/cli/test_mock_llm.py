"""`mock-llm` as a newcomer starts it: a process, its address, a run against it, Ctrl-C."""

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import crab_graph as cg
from crab_graph.agents.mock_service import open_mock_server, read_knowledge, read_replies
from crab_graph.cli import main
from crab_graph.domains.generate import generate_benchmark
from crab_graph.errors import UsageError
from crab_graph.models.usage import MOCK_MODEL
from crab_graph.testing import Answer, FaultyAnswer

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_it_says_where_it_is_and_ends_when_it_is_interrupted():
    command = [sys.executable, "-m", "crab_graph", "mock-llm", "--port", "0", "--json"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        assert ready["address"].startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{ready['address']}/models", timeout=120) as answer:
            names = {one["id"] for one in json.load(answer)["data"]}
        assert {"mock", "solver", "hasty", "rt05"} <= names
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=600)
        assert (process.returncode, rest, errors.strip()) == (0, "", "stopped")
    finally:
        process.kill()


def test_a_run_against_it_gets_verdicts_and_says_what_it_is(bench, tmp_path, capsys):
    with open_mock_server() as server:
        model = f"{server.address}#mock"
        arguments = ["run", str(bench.directory), "--agent", model, "--tasks", "S1", "--user"]
        arguments += ["ruse,generic", "--engine", "llm", "--user-model", model]
        assert main([*arguments, "--out", str(tmp_path / "run")]) == 0
    printed = capsys.readouterr().out
    assert "No language model spoke for the agent and the user" in printed
    run = cg.open_run(tmp_path / "run")
    assert [one.outcome for one in run] == ["pass", "pass"]
    assert all(one.agent_is_reference for one in run)
    assert {one.mock_seats for one in run} == {("agent", "user")}
    assert run[0].usage["user"]["mock"]["answered_by"] == MOCK_MODEL
    assert main(["report", str(tmp_path / "run")]) == 0
    assert "crab-graph mock-llm did" in " ".join(capsys.readouterr().out.split())


def test_other_agents_answer_to_their_names_and_strangers_are_refused(bench):
    with open_mock_server() as server:
        hasty = cg.run_episode(bench[0], f"{server.address}#hasty", "ruse")
        stranger = cg.run_episode(bench[0], f"{server.address}#gpt-9", "ruse")
        worded = cg.run_episode(
            bench[0], "solver", "ruse", engine="hybrid", user_model=f"{server.address}#mock"
        )
    assert hasty.primary_failure == "no_booking"
    assert stranger.outcome == "infra_error" and "no model 'gpt-9'" in str(stranger.error)
    assert worded.outcome == "pass" and worded.user_wordings["replaced"] == 0


def test_it_plays_both_seats_in_any_domain(tmp_path):
    clinic = generate_benchmark(tmp_path, 1, domain="clinic", strata=(1,), distractors=120)
    with open_mock_server(domain="clinic") as server:
        model = f"{server.address}#mock"
        record = cg.run_episode(clinic[0], model, "generic", engine="llm", user_model=model)
    assert record.outcome == "pass", record.error


def test_a_prompt_is_read_for_what_the_user_knows():
    prompt = (
        "# Role\n- no fact\n\n# What you know\n\nBasic facts:\n- origin: We start from A.\n\n"
        "Details:\n"
        "- payment card: I'll pay with my Visa ending in 1234.\n\n# How you share it\n- nor this\n"
    )
    known = read_knowledge(prompt)
    assert known.basics == {"origin": "We start from A."}
    assert (known.card, known.is_open) == ("1234", False)
    assert read_knowledge(prompt + "Say everything you know.").is_open


def test_replies_can_come_from_a_file(tmp_path):
    path = tmp_path / "replies.json"
    path.write_text(
        json.dumps(["Hi", {"calls": [{"name": "a", "arguments": {}}]}, {"status": 429}])
    )
    assert read_replies(path) == [Answer("Hi"), Answer(calls=[("a", {})]), FaultyAnswer(429)]


@pytest.mark.parametrize("text", ["{}", "[]", "[3]", '[{"nonsense": 1}]', "oops"])
def test_an_unusable_file_gets_one_line(tmp_path, text):
    path = tmp_path / "replies.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"replies\.json"):
        read_replies(path)


def test_a_port_that_is_taken_is_named():
    with open_mock_server() as server:
        taken = int(server.address.rsplit(":", 1)[1].removesuffix("/v1"))
        with pytest.raises(UsageError, match=f"port {taken} cannot be used"):
            open_mock_server(taken)


def test_a_domain_that_there_is_not_is_refused_in_one_line(capsys):
    assert main(["mock-llm", "--port", "0", "--domain", "nowhere"]) == 2
    told = capsys.readouterr().err
    assert "nowhere" in told and told.count("\n") == 1
