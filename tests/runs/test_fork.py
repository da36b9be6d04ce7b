"""Forks of finished episodes, and the turn that decided them."""

import json
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import ResumeMismatch, RunError, UnknownName, UsageError
from crab_graph.runs import beginning
from crab_graph.runs.config import PIVOTS, ForkPoint, save_config
from crab_graph.runs.fork import Source, begin_fork, fork_points, prepare_fork
from crab_graph.runs.pivot import judge, load_pivots
from crab_graph.settings import ForkSettings, TrustSettings, WorkSettings

EPISODE = "S1-001.ruse.0"


@pytest.fixture(scope="module")
def finished(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("origin") / "run"
    return cg.run(bench, "solver", "ruse", 1, out, tasks=["S1-001"], seed=5)


def continued(run):
    return [(one.messages, one.trace, one.checks, one.facts, one.hidden) for one in run]


@pytest.mark.slow
def test_the_same_settings_continue_from_every_turn_as_before(finished, tmp_path):
    record = finished[EPISODE]
    turns = tuple(fork_points(record))
    point = ForkPoint(run="run", episode_id=EPISODE, turns=turns)
    source = Source(finished.directory, record, point, TrustSettings())
    sitting = prepare_fork(source, tmp_path / "all", ForkSettings(), WorkSettings())
    begin_fork(sitting)
    forks = cg.open_run(tmp_path / "all")
    assert [one.episode_id for one in forks] == [f"{EPISODE}@{turn}" for turn in turns]
    assert continued(forks) == continued([record]) * len(turns)
    assert forks.is_complete


def test_another_agent_goes_on_with_what_was_said(bench, finished, tmp_path):
    record = finished[EPISODE]
    fork = cg.fork_episode(finished.directory, EPISODE, 3, tmp_path / "f", agent="silent")
    (one,) = fork
    assert one.forked_from == {
        "run": str(finished.directory),
        "episode_id": EPISODE,
        "turn": 3,
    }
    visible = [line for line in record.messages if "tool_calls" not in line]
    kept = [line for line in visible if line["role"] in {"user", "assistant"}][:3]
    assert [line for line in one.messages if line["role"] != "tool"][:1] == kept[:1]
    assert kept[-1] in one.messages
    assert (one.agent, one.outcome, one.persona) == ("silent", "fail", record.persona)
    assert cg.resume_run(tmp_path / "f").is_complete
    with pytest.raises(ResumeMismatch, match="begun with agent silent, not solver"):
        cg.fork_episode(finished.directory, EPISODE, 3, tmp_path / "f", agent="solver")


def test_forks_that_were_stopped_when_their_settings_stood_go_on(finished, tmp_path, monkeypatch):
    def and_stop(*arguments):
        save_config(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(beginning, "save_config", and_stop)
    with pytest.raises(KeyboardInterrupt):
        cg.fork_episode(finished.directory, EPISODE, 3, tmp_path / "f", agent="silent")
    monkeypatch.undo()
    (one,) = cg.resume_run(tmp_path / "f")
    assert one.forked_from is not None and one.forked_from["episode_id"] == EPISODE


def test_forks_that_were_stopped_before_their_settings_stood_begin_again(
    finished, tmp_path, monkeypatch
):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(beginning, "save_config", stop)
    with pytest.raises(KeyboardInterrupt):
        cg.fork_episode(finished.directory, EPISODE, 3, tmp_path / "f", agent="silent")
    monkeypatch.undo()
    (one,) = cg.fork_episode(finished.directory, EPISODE, 3, tmp_path / "f", agent="silent")
    assert one.forked_from is not None and one.forked_from["episode_id"] == EPISODE


def test_another_persona_and_a_typed_message(finished, tmp_path):
    fork = cg.fork_episode(
        finished.directory, EPISODE, 0, tmp_path / "f", persona="terse", say="Hi, I need a trip."
    )
    assert fork[0].persona == "terse"
    assert fork[0].messages[0] == {"role": "user", "content": "Hi, I need a trip."}
    assert fork[0].forked_from is not None and fork[0].forked_from["said"] == "Hi, I need a trip."


def test_a_typed_message_counts_as_said_by_the_user(bench, finished, tmp_path):
    origin = next(fact for fact in bench["S1-001"].facts if fact.key == "origin")
    fork = cg.fork_episode(
        finished.directory, EPISODE, 0, tmp_path / "f", say=f"I leave from {origin.value}."
    )
    told = {fact["key"]: fact["turn"] for fact in fork[0].facts}
    assert told["origin"] == 1


def test_a_fork_that_was_stopped_goes_on(finished, tmp_path):
    calls = []

    def agent(messages, tools):
        calls.append(len(messages))
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return "One moment."

    settings: Any = {"agent": agent, "turn": 1, "out": tmp_path / "f"}
    with pytest.raises(KeyboardInterrupt):
        cg.fork_episode(finished.directory, EPISODE, **settings)
    assert cg.fork_episode(finished.directory, EPISODE, **settings).is_complete
    assert calls[1] == calls[2]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"turn": 99}, UsageError, "goes on after turns 0 to"),
        ({"turn": 1, "episode": "S1-009.ruse.0"}, UnknownName, "unknown episode"),
        ({"turn": 1, "agent": "solvr"}, UnknownName, "did you mean solver"),
        ({"turn": 1, "user": "rusty"}, UnknownName, "rusty"),
        ({"turn": 1, "engine": "llm"}, UsageError, "needs a model"),
        ({"turn": 1, "trials": 0}, UsageError, "trials must be 1 or more"),
        ({"turn": 1, "user": lambda m, t: "", "persona": "terse"}, UsageError, "has none"),
    ],
)
def test_what_cannot_be_forked_is_refused(finished, tmp_path, arguments, error, message):
    settings = {"episode": EPISODE} | arguments
    with pytest.raises(error, match=message):
        cg.fork_episode(finished.directory, out=tmp_path / "f", **settings)
    assert not (tmp_path / "f").exists()


def test_an_episode_without_its_hidden_state_is_refused(finished):
    with pytest.raises(UsageError, match="run it again"):
        fork_points(finished[EPISODE].model_copy(update={"hidden": {}}))


def dialogue(*said, passed=False):
    messages = [
        {"role": "user" if number % 2 == 0 else "assistant", "content": text}
        for number, text in enumerate(said)
    ]
    return SimpleNamespace(
        messages=messages,
        passed=passed,
        episode_id=EPISODE,
        agent_label="a",
        agent_is_reference=False,
        outcome="pass" if passed else "fail",
    )


def forks(**passed_at):
    return [
        SimpleNamespace(
            forked_from={"turn": int(turn[1:])}, passed=bool(one), outcome="fail", trial=trial
        )
        for turn, results in passed_at.items()
        for trial, one in enumerate(results)
    ]


def test_the_turn_after_which_the_chance_falls_most_is_decisive():
    record: Any = dialogue("I want X", "Here is Y", "Fine", "Done")
    some: Any = forks(t0=[1] * 10, t1=[1] * 9 + [0], t2=[0] * 10, t3=[0] * 10)
    found = judge(record, some, 10)
    assert [one.rate for one in found.turns] == [1.0, 0.9, 0.0, 0.0, 0.0]
    assert (found.decisive, found.is_clear) == (2, True)
    assert found.turns[2].text == "Here is Y"
    assert found.turns[2].change == pytest.approx(-0.9)
    # Clopper and Pearson's ends of 9 of 10.
    assert found.turns[1].low == pytest.approx(0.5550, abs=5e-5)
    assert found.turns[1].high == pytest.approx(0.9975, abs=5e-5)
    assert found.turns[-1].low == found.turns[-1].high == 0.0  # it is known


def test_in_a_passed_episode_it_is_where_the_chance_rises_most():
    record: Any = dialogue("I want X", "Which colour?", "Red", passed=True)
    some: Any = forks(t0=[0, 0, 1], t1=[0, 1, 1], t2=[1, 1, 1])
    found = judge(record, some, 3)
    assert found.decisive in {1, 2}
    assert not found.is_clear
    assert found.turns[-1].rate == 1.0


def test_without_a_change_no_turn_is_decisive():
    record: Any = dialogue("I want X", "No")
    assert judge(record, forks(t0=[0, 0], t1=[0, 0]), 2).decisive is None


def test_pivot_finds_the_turn_and_adds_trials(bench, tmp_path, capsys, monkeypatch):
    out = tmp_path / "run"
    limits = cg.Limits(max_turns=4)
    cg.run(bench, "silent", "ruse", 1, out, tasks=["S1-001"], limits=limits)
    assert main(["pivot", str(out), EPISODE, "--trials", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["turn"] for one in found["turns"]] == [0, 1, 2, 3, 4]
    assert {one["n"] for one in found["turns"]} == {1}
    assert [one["low"] for one in found["turns"]] == [None, None, None, None, 0.0]
    shards = Path(out) / PIVOTS / EPISODE / "shards" / "part-0.jsonl"
    before = shards.read_bytes()
    assert main(["pivot", str(out), EPISODE, "--trials", "2"]) == 0
    assert "No message changed the chance" in capsys.readouterr().out
    assert shards.read_bytes().startswith(before)
    assert shards.read_bytes().count(b"\n") == 8
    assert load_pivots(out)[EPISODE].trials == 2
    (out / PIVOTS / EPISODE / "pivot.json").write_text("{}")
    with pytest.raises(RunError, match="damaged"):
        load_pivots(out)
