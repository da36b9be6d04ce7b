import os
import signal
import sys
import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage

import crab_graph as cg
from crab_graph.agents.adapters import resolve_agent
from crab_graph.errors import ResumeMismatch, RunError, UnknownName, UsageError
from crab_graph.eval import verdict
from crab_graph.runs.config import CHECKPOINTS, SHARDS
from crab_graph.runs.writing import hold_run
from crab_graph.schema import canonical_json

SOLVER = resolve_agent("solver")


def canonical(run):
    return [canonical_json(episode.model_dump(mode="json")) for episode in run]


@pytest.fixture(scope="module")
def finished(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("finished") / "run"
    return cg.run(bench, "solver", ["generic", "ruse"], 1, out, seed=5)


def test_every_planned_episode_is_graded_in_the_order_of_the_plan(bench, finished):
    expected = [f"{task.id}.{user}.0" for task in bench for user in ("generic", "ruse")]
    assert [episode.episode_id for episode in finished] == expected
    assert finished.is_complete
    assert finished.pass_at_1 == 1.0
    episode = finished[expected[1]]
    assert (episode.agent, episode.agent_is_reference, episode.user_engine) == (
        "solver",
        True,
        "rules",
    )
    assert episode.persona in {"terse", "neutral", "impatient"}
    assert episode.termination == "STOP"
    assert {fact["level"] for fact in episode.facts} == {"basic", "detail"}
    assert any(step["events"] for step in episode.trace)
    assert not (finished.directory / CHECKPOINTS).exists()


def test_a_run_is_what_its_episodes_are_one_by_one(bench, finished):
    alone = cg.run_episode(bench[0], "solver", "ruse", seed=5)
    assert alone == finished[alone.episode_id]


def test_grading_the_transcript_again_gives_the_same_checks(bench, finished):
    episode = finished[1]
    again = cg.grade(bench[episode.task_id], episode.messages)
    assert (again.passed, again.outcome, dict(again.checks)) == (
        episode.passed,
        episode.outcome,
        episode.checks,
    )


@pytest.mark.slow
def test_processes_and_threads_change_nothing(bench, finished, tmp_path):
    other = cg.run(
        bench.directory,
        "solver",
        ["generic", "ruse"],
        1,
        tmp_path / "run",
        seed=5,
        jobs=2,
        concurrency=2,
    )
    assert canonical(other) == canonical(finished)


def test_a_finished_run_is_left_as_it_is(bench, finished):
    shards = {path: path.read_bytes() for path in (finished.directory / SHARDS).iterdir()}
    seen: list[Any] = []
    again = cg.run(
        bench, "solver", ["generic", "ruse"], 1, finished.directory, seed=5, progress=seen.append
    )
    assert [(one.done, one.total) for one in seen] == [(8, 8)]
    assert canonical(again) == canonical(finished)
    assert shards == {path: path.read_bytes() for path in (finished.directory / SHARDS).iterdir()}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"agent": "hasty"}, "agent"),
        ({"user": "generic"}, "users"),
        ({"trials": 2}, "trials"),
        ({"seed": 6}, "seed"),
        ({"tasks": ["S1"]}, "tasks"),
        ({"limits": cg.Limits(max_turns=7)}, "max_turns"),
    ],
)
def test_other_settings_on_the_same_directory_are_refused(bench, finished, change, field):
    settings = {"agent": "solver", "user": ["generic", "ruse"], "trials": 1, "seed": 5} | change
    with pytest.raises(ResumeMismatch, match=f"begun with {field} "):
        cg.run(bench, out=finished.directory, **settings)


def test_force_starts_over(bench, tmp_path):
    cg.run(bench, "silent", "generic", 1, tmp_path, tasks=["S1"])
    other = cg.run(bench, "silent", "generic", 2, tmp_path, tasks=["S1"], force=True)
    assert len(other) == other.planned == 2


def test_a_run_killed_before_its_settings_stood_is_begun_again(bench, tmp_path):
    (tmp_path / ".run.json.4711").write_text("{")
    (tmp_path / "owner.json").write_text('{"seals": []}')
    assert len(cg.run(bench, "silent", "generic", 1, tmp_path, tasks=["S1"])) == 1


def test_a_directory_that_is_no_run_is_left_alone(bench, tmp_path):
    (tmp_path / "thesis.tex").write_text("important")
    with pytest.raises(RunError, match="holds no run"):
        cg.run(bench, "silent", "generic", 1, tmp_path)
    with pytest.raises(RunError, match="is no run"):
        cg.open_run(tmp_path)
    with pytest.raises(RunError, match="is a file"):
        cg.run(bench, "silent", "generic", 1, tmp_path / "thesis.tex")
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_two_writers_do_not_share_a_run(bench, tmp_path):
    cg.run(bench, "silent", "generic", 1, tmp_path, tasks=["S1"])
    with hold_run(tmp_path), pytest.raises(RunError, match="another process"):
        cg.run(bench, "silent", "generic", 1, tmp_path, tasks=["S1"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"agent": "solvr"}, UnknownName, "did you mean solver"),
        ({"user": "rusty"}, UnknownName, "rusty"),
        ({"tasks": ["S1-999"]}, UnknownName, "unknown task 'S1-999'"),
        ({"tasks": ["S5"]}, UnknownName, "unknown task 'S5'"),
        ({"trials": 0}, UsageError, "trials must be 1 or more"),
        ({"jobs": 0}, UsageError, "jobs must be 1 or more"),
        ({"agent": lambda messages, tools: "hi", "jobs": 2}, UsageError, "jobs > 1"),
        ({"user": ["ruse", "ruse"]}, UsageError, "that differ"),
    ],
)
def test_unusable_arguments_leave_no_directory(bench, tmp_path, arguments, error, message):
    settings = {"agent": "silent", "user": "generic", "trials": 1} | arguments
    out = tmp_path / "run"
    with pytest.raises(error, match=message):
        cg.run(bench, out=out, **settings)
    assert not out.exists()


class Flaky:
    """Fails in one task until the line is mended."""

    def __init__(self, *, broken):
        self.mended = threading.Event()
        self.solver = SOLVER
        if not broken:
            self.mended.set()

    def __call__(self, messages, tools):
        if not self.mended.is_set() and len(messages) > 3:
            raise ConnectionError("the line is dead")
        return "Please wait."


def test_a_failing_agent_costs_its_episodes_alone_and_is_tried_again_three_times(bench, tmp_path):
    agent = Flaky(broken=True)
    attempts = []
    for _ in range(4):
        run = cg.run(bench, agent, "generic", 1, tmp_path, tasks=["S1"])
        (episode,) = run.failed
        attempts.append(episode.attempts)
        assert (episode.outcome, episode.fault, episode.termination) == (
            "infra_error",
            "infra",
            "agent_error",
        )
        assert episode.error == "ConnectionError: the line is dead"
        assert len(episode.messages) == 3
        assert not run.is_complete
    assert attempts == [1, 2, 3, 3]


def test_a_mended_agent_gets_its_verdict(bench, tmp_path):
    agent = Flaky(broken=True)
    assert cg.run(bench, agent, "generic", 1, tmp_path, tasks=["S1"]).failed
    agent.mended.set()
    run = cg.run(bench, agent, "generic", 1, tmp_path, tasks=["S1"])
    assert run.is_complete
    assert run[0].attempts == 2
    assert len(run) == 1


def test_a_crash_of_the_grading_keeps_the_dialogue(bench, monkeypatch):
    def crash(*arguments, **options):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(verdict, "grade", crash)
    episode = cg.run_episode(bench[0], "silent", "generic")
    assert (episode.outcome, episode.fault) == ("infra_error", "environment")
    assert episode.error == "grading: ZeroDivisionError: a bug"
    assert episode.messages


def test_an_interrupted_episode_goes_on_at_its_message(bench, finished, tmp_path):
    solver = SOLVER.open_for(bench.domain, tuple)
    asked = []

    def agent(messages, tools):
        asked.append(len(messages))
        if len(asked) == 4:
            signal.raise_signal(signal.SIGINT)
        reply = solver(messages)
        calls = [
            {"name": call.name, "args": call.arguments, "id": str(n), "type": "tool_call"}
            for n, call in enumerate(reply.calls)
        ]
        return AIMessage(reply.text, tool_calls=calls)

    settings = {"user": "ruse", "trials": 1, "out": tmp_path, "seed": 5, "tasks": ["S1"]}
    with pytest.raises(KeyboardInterrupt):
        cg.run(bench, agent, **settings)
    run = cg.run(bench, agent, **settings)
    assert run[0].messages == finished["S1-001.ruse.0"].messages
    assert asked == sorted(asked)
    assert len(asked) == len(set(asked)) + 1


def test_a_run_of_python_objects_is_resumed_in_python_alone(bench, tmp_path):
    cg.run(bench, lambda messages, tools: "Hello", "generic", 1, tmp_path, tasks=["S1"])
    with pytest.raises(UsageError, match="made with Python objects"):
        cg.resume_run(tmp_path)


def test_a_callable_user_knows_the_facts_and_ends_with_a_token(bench):
    heard = []

    def user(messages, tools):
        heard.append((messages, [tool.name for tool in tools]))
        return "###OUT-OF-SCOPE###" if len(heard) > 1 else "Hello"

    episode = cg.run_episode(bench[0], "silent", user)
    assert (episode.condition, episode.termination) == ("custom", "OUT-OF-SCOPE")
    system = heard[0][0][0].content
    assert all(fact.key in system for fact in bench[0].facts)
    assert "get_my_payment_cards" in heard[0][1]
    assert (
        episode.user_engine == f"python:{__name__}.{sys._getframe().f_code.co_name}.<locals>.user"
    )
