import json
from dataclasses import replace

import pytest

import crab_graph as cg
from crab_graph.cli.application import main
from crab_graph.errors import ResumeMismatch, RunError
from crab_graph.eval import verdict
from crab_graph.eval.checks import judge, seen
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.runs.config import CONFIG, SHARDS
from crab_graph.runs.grading import regrade_run
from crab_graph.seals import seal_line
from tests.editing import edit_document, edit_lines


@pytest.fixture
def run(bench, tmp_path):
    return cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1", "S2"])


def stored(run):
    return {path: path.read_bytes() for path in (run.directory / SHARDS).iterdir()}


def tamper(run, **fields):
    """Change the stored verdict of the first episode."""
    path = next((run.directory / SHARDS).iterdir())
    first = run[0].episode_id
    edit_lines(path, lambda one: one | fields if one["episode_id"] == first else one)
    return first


def test_verdicts_are_reproduced_byte_for_byte(run):
    before = stored(run)
    found = regrade_run(run.directory)
    assert found.is_same and found.episodes == len(run) and not found.reasons
    assert stored(run) == before


def test_a_changed_verdict_is_told_and_the_old_one_kept(run, capsys):
    checks = {**run[0].checks, "D05": "fail"}
    episode_id = tamper(run, outcome="pass", passed=True, checks=checks, failures=[])
    assert main(["regrade", str(run.directory)]) == 1
    told = capsys.readouterr().out
    assert episode_id in told and "passed → failed" in told
    assert "D05: failed → passed" in told and "nothing surplus booked" in told
    again = cg.open_run(run.directory)[episode_id]
    assert again.model_copy(update={"history": ()}) == run[0]
    assert [(one["outcome"], one["checks"]["D05"]) for one in again.history] == [("pass", "fail")]
    assert main(["regrade", str(run.directory), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"] == []


def test_the_rule_that_changed_is_named(run, monkeypatch):
    def never(reading):
        wrong = {"D05": lambda episode: judge([seen("never")])}
        return [replace(one, judge=wrong.get(one.id, one.judge)) for one in verifiers_of(reading)]

    monkeypatch.setattr(verdict, "verifiers_of", never)
    (change, *_) = regrade_run(run.directory).changes
    assert change.checks == {"D05": ("pass", "fail")} and change.before == change.after == "fail"


def test_a_crash_of_a_verifier_keeps_the_episode_which_can_be_graded_again(
    bench, tmp_path, monkeypatch, capsys
):
    def crash(episode):
        raise ZeroDivisionError("a verifier's mistake")

    with monkeypatch.context() as broken:
        broken.setattr(verdict, "efficiency", crash)
        run = cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"])
        (episode,) = run
        assert (episode.outcome, episode.fault) == ("infra_error", "environment")
        assert "a verifier's mistake" in (episode.error or "") and episode.messages
        assert main(["regrade", str(run.directory)]) == 1
        assert "ZeroDivisionError: a verifier's mistake" in capsys.readouterr().out
    (change,) = regrade_run(run.directory).changes
    assert (change.before, change.after) == ("infra_error", "fail")
    mended = cg.open_run(run.directory)[0]
    assert mended.error is None and mended.checks["D01"] == "fail"


def test_an_episode_that_broke_down_stays_broken(bench, tmp_path):
    def outage(messages, tools):
        raise ConnectionError("no route")

    run = cg.run(bench, outage, "generic", 1, tmp_path / "run", tasks=["S1"])
    assert regrade_run(run.directory).is_same
    again = cg.open_run(run.directory)[0]
    assert (again.outcome, again.fault, again.error) == (
        *("infra_error", "infra"),
        "ConnectionError: no route",
    )


def test_an_exhausted_budget_stays_one(bench, tmp_path):
    limits = cg.Limits(max_turns=2)
    run = cg.run(bench, "solver", "ruse", 1, tmp_path / "run", tasks=["S1"], limits=limits)
    assert run[0].outcome == "budget_exhausted"
    assert regrade_run(run.directory).is_same


def test_another_benchmark_is_refused_before_anything_is_written(run, tmp_path, capsys):
    other = {"benchmark_sha256": "0" * 64}
    edit_document(run.directory / CONFIG, lambda fields: fields.update(other))
    before = stored(run)
    assert main(["regrade", str(run.directory), "--trust"]) == 2
    assert "other tasks" in capsys.readouterr().err
    assert stored(run) == before
    assert regrade_run(run.directory, allow_mismatch=True).is_same


def test_other_tools_than_the_run_was_made_with_are_refused(run):
    tamper(run, stamp={**run[0].stamp, "tools": "0" * 64, "lexicon": "0" * 64})
    with pytest.raises(ResumeMismatch, match="another tools"):
        regrade_run(run.directory)
    found = regrade_run(run.directory, allow_mismatch=True)
    assert found.is_same and found.reasons == {"lexicon": 1, "tools": 1}


def test_an_interrupt_keeps_what_was_graded_and_the_rest_as_it_was(run):
    episode_id = tamper(run, outcome="pass")

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        regrade_run(run.directory, progress=interrupt)
    again = cg.open_run(run.directory)
    assert again[episode_id].outcome == "fail" and len(again[episode_id].history) == 1
    assert again[1] == run[1]
    assert [path.name for path in (run.directory / SHARDS).iterdir()] == ["part-0.jsonl"]


def test_a_damaged_line_is_named_and_nothing_is_written(run):
    path = next((run.directory / SHARDS).iterdir())
    path.write_bytes(path.read_bytes() + b"{}\n")
    before = stored(run)
    with pytest.raises(RunError, match=f"line {len(run) + 1}"):
        regrade_run(run.directory)
    assert stored(run) == before


def test_of_several_attempts_the_one_that_stands_is_graded(bench, tmp_path, monkeypatch):
    def outage(messages, tools):
        raise ConnectionError("no route")

    run = cg.run(bench, outage, "generic", 1, tmp_path / "run", tasks=["S1"])
    (path,) = (run.directory / SHARDS).iterdir()
    (first,) = run
    again = first.model_copy(update={"attempts": 2, "error": None, "fault": "agent"})
    again = again.model_copy(update={"outcome": "fail", "termination": "STOP"})
    line = path.read_bytes()
    path.write_bytes(line + seal_line(again.model_dump_json().encode(), 2))
    found = regrade_run(run.directory)
    assert found.episodes == 1 and found.as_json()["rules"] == found.rules
    # The attempt before it is kept as it was.
    assert path.read_bytes().startswith(line)
    assert len(path.read_bytes().splitlines()) == 2


def test_a_recorded_result_that_the_tables_contradict_is_the_environments_fault(bench, tmp_path):
    run = cg.run(bench, "rt04", "generic", 1, tmp_path / "run", tasks=["S1"])
    lookup = {"id": "c1", "name": "list_all_airports", "arguments": {}}
    asked = {"role": "assistant", "owner": "agent", "content": "", "tool_calls": [lookup]}
    told = {"role": "tool", "owner": "agent", "tool_call_id": "c1", "content": '{"airports": []}'}
    messages = [*run[0].messages[:1], asked, told, *run[0].messages[1:]]
    tamper(run, messages=messages)
    (change,) = regrade_run(run.directory).changes
    assert (change.before, change.after) == ("fail", "infra_error")
    again = cg.open_run(run.directory)[0]
    assert again.fault == "environment" and "list_all_airports answered" in (again.error or "")
    # With other tools than it was made with, an answer proves nothing.
    tamper(run, stamp={**again.stamp, "tools": "0" * 64})
    regrade_run(run.directory, allow_mismatch=True)
    assert cg.open_run(run.directory)[0].outcome == "fail"
