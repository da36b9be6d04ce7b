"""Whose fault it is when something breaks, over a real socket (rulebook §10 and §11)."""

import json

import pytest

import crab_graph as cg
from crab_graph.analysis.viewer.listing import row_of
from crab_graph.cli.application import main
from crab_graph.eval import verdict
from crab_graph.seals import open_line
from crab_graph.testing.faults import FaultyAnswer
from crab_graph.testing.server import Answer, ScriptedServer
from tests.editing import write_lines

GIVES_UP = "I am sorry, I cannot help you. Goodbye."


def played(bench, tmp_path, *replies):
    with ScriptedServer(list(replies)) as server:
        spec = f"{server.spec}?max_retries=0"
        limits = cg.Limits(max_turns=6)
        return cg.run(bench, spec, "generic", 1, tmp_path / "run", tasks=["S1-001"], limits=limits)


@pytest.mark.parametrize("arguments", ["{oops", "[1]", "null", '"text"', '{"city": NaN}', "7"])
def test_a_call_that_a_model_garbled_is_the_agents_failure(bench, tmp_path, arguments):
    calls = [("search_hotels_by_city", arguments)]
    (episode,) = played(bench, tmp_path, calls, GIVES_UP)
    assert (episode.passed, episode.fault) == (False, "agent")
    assert episode.outcome in ("fail", "budget_exhausted")
    assert episode.metrics["total_tool_calls"] == episode.metrics["failed_tool_calls"] == 1


@pytest.mark.parametrize(
    "fault", [FaultyAnswer(status=500), FaultyAnswer(status=429), FaultyAnswer(raw="<html>")]
)
def test_an_outage_of_the_provider_is_an_infrastructure_error_and_in_the_table(
    bench, tmp_path, fault, capsys
):
    run = played(bench, tmp_path, fault)
    (episode,) = run
    assert (episode.outcome, episode.fault, episode.passed) == ("infra_error", "infra", False)
    assert episode.error
    main(["report", str(run.directory), "--json"])
    row = json.loads(capsys.readouterr().out)["exhibits"][0]["rows"][0]
    assert row["infra_error"] == 1


def test_a_reply_that_is_too_long_is_the_agents_error(bench, tmp_path, capsys):
    limits = cg.Limits(max_reply_characters=100)
    with ScriptedServer(["Total: $1.00. " * 8]) as server:
        run = cg.run(
            bench, server.spec, "generic", 1, tmp_path / "run", tasks=["S1-001"], limits=limits
        )
    (episode,) = run
    assert (episode.outcome, episode.fault) == ("budget_exhausted", "agent")
    assert episode.termination == "max_reply_characters" in (episode.error or "")
    said = episode.messages[-1]["content"]
    assert said.endswith(
        "[a reply of 112 characters, at most 100 are allowed; the rest is cut off]"
    )
    main(["report", str(run.directory), "--json"])
    assert "longer than the run's limit" in capsys.readouterr().out
    assert main(["regrade", str(run.directory)]) == 0


LONG_TEXT = "Total: $1.00. " * 8
LONG_CALLS = Answer("", [("search_hotels_by_city", json.dumps({"city": "x" * 100}))])


@pytest.mark.parametrize("reply", [LONG_TEXT, LONG_CALLS], ids=["text", "calls"])
@pytest.mark.parametrize("settings", ["", "?streaming=true"])
def test_the_command_run_ends_an_episode_at_a_reply_that_is_too_long(
    bench, tmp_path, capsys, monkeypatch, settings, reply
):
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-0123456789")
    directory = tmp_path / "run"
    with ScriptedServer([reply]) as server:
        agent = ["--agent", server.spec + settings, "--user", "generic"]
        given = [*agent, "--tasks", "S1-001", "--max-reply-characters", "100"]
        assert main(["run", str(bench.directory), *given, "--out", str(directory)]) == 0
        assert len(server.requests) == 1
    capsys.readouterr()
    (episode,) = cg.open_run(directory)
    assert (episode.outcome, episode.fault) == ("budget_exhausted", "agent")
    assert episode.termination == "max_reply_characters" in (episode.error or "")
    assert "at most 100 are allowed" in episode.messages[-1]["content"]
    assert not any(line["role"] == "tool" for line in episode.messages)
    main(["show", str(directory), "S1-001.generic.0"])
    assert "max_reply_characters" in capsys.readouterr().out


def test_a_reply_as_long_as_the_limit_ends_nothing(bench, tmp_path):
    limits = cg.Limits(max_reply_characters=len(GIVES_UP), max_turns=6)
    with ScriptedServer([GIVES_UP]) as server:
        (episode,) = cg.run(
            bench, server.spec, "generic", 1, tmp_path / "run", tasks=["S1-001"], limits=limits
        )
    assert episode.termination != "max_reply_characters"


def test_an_infrastructure_error_says_nothing_of_the_agent(bench, tmp_path, capsys):
    """Nor does one that an earlier version wrote with checks."""
    run = played(bench, tmp_path, FaultyAnswer(status=500))
    (shard,) = (run.directory / "shards").glob("*.jsonl")
    written = json.loads(open_line(shard.read_bytes()).body)
    earlier = {"checks": {"D01": "fail"}, "strict": {"passed": False, "checks": {"D01": "fail"}}}
    earlier |= {"failures": ["no_booking"], "primary_failure": "no_booking"}
    for fields in (written, {**written, **earlier}):
        write_lines(shard, [json.dumps(fields)])
        (episode,) = cg.open_run(run.directory)
        assert (episode.checks, episode.strict, episode.evidence) == ({}, {}, {})
        assert (episode.failures, episode.primary_failure, episode.explanation) == ((), None, None)
        assert row_of(1, fields)["failure"] is None and not row_of(1, fields)["failed"]
        main(["sql", str(run.directory), "SELECT passed, primary_failure FROM episodes", "--json"])
        assert json.loads(capsys.readouterr().out) == [{"passed": None, "primary_failure": None}]
        assert main(["sql", str(run.directory), "SELECT * FROM checks", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == []
    main(["regrade", str(run.directory)])
    (episode,) = cg.open_run(run.directory)
    assert (episode.outcome, episode.checks, episode.primary_failure) == ("infra_error", {}, None)


def test_a_crash_of_a_verifier_is_the_environments_and_leaves_a_dialogue_to_grade(
    bench, tmp_path, monkeypatch, capsys
):
    def crash(episode, verifiers):
        raise RuntimeError("a bug in a verifier")

    with monkeypatch.context() as broken:
        broken.setattr(verdict, "disclosure_coverage", crash)
        run = played(bench, tmp_path, GIVES_UP)
        (episode,) = run
    assert (episode.outcome, episode.fault) == ("infra_error", "environment")
    assert "a bug in a verifier" in (episode.error or "") and len(episode.messages) > 1
    assert main(["regrade", str(run.directory)]) == 1
    assert "infra error →" in capsys.readouterr().out
    (again,) = cg.open_run(run.directory)
    assert again.fault == "agent" and again.error is None and again.history
