"""The public face: names, lightness, and the contract of the Python interface."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver

import crab_graph as cg

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"langchain", "langchain_core", "langgraph", "duckdb", "numpy", "scipy", "pydantic"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return cg.generate_benchmark(
        tmp_path_factory.mktemp("public") / "bench", tasks=4, seed=0, distractors=400
    )


def test_every_public_name_loads_and_is_listed():
    assert sorted(cg.__all__) == [
        "Ablation",
        "AgentSpec",
        "Benchmark",
        "CrabGraphError",
        "Environment",
        "EnvironmentBatch",
        "Episode",
        "Limits",
        "Prices",
        "Run",
        "RunComparison",
        "RunLimits",
        "RunTables",
        "Sweep",
        "Task",
        "UserSpec",
        "Verdict",
        "__version__",
        "ablate",
        "arun",
        "arun_episode",
        "audit_benchmark",
        "build_graph",
        "certify_benchmark",
        "compact_run",
        "compare",
        "demonstrate",
        "describe_benchmark",
        "disputes",
        "environment",
        "estimate_run",
        "export",
        "fork_episode",
        "generate_benchmark",
        "grade",
        "load_benchmark",
        "load_prices",
        "load_sweep",
        "load_transcript",
        "messages",
        "open_mock_server",
        "open_run",
        "open_tables",
        "pivot_episode",
        "regrade_run",
        "report",
        "resume_run",
        "review_domain",
        "run",
        "run_episode",
        "study_users",
        "sweep_benchmark",
        "user_prompt",
        "verify",
    ]
    unions = {"AgentSpec", "UserSpec"}  # which cannot hold a docstring
    assert all(getattr(cg, name).__doc__ for name in set(cg.__all__) - unions)
    assert set(cg.__all__) <= set(dir(cg))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = cg.nothing  # type: ignore[attr-defined]


def test_the_import_is_light():
    program = "import crab_graph, json, sys; print(json.dumps(sorted(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, check=True
    )
    assert not HEAVY & set(json.loads(done.stdout))


def test_the_documented_lines_work(bench, tmp_path):
    assert cg.load_benchmark(bench.directory)["S1-001"].id == bench[0].id
    task = bench[0]
    assert task.solutions
    assert {"key", "value", "level", "slot"} == set(task.facts[0].as_json())
    episode = cg.run_episode(task, agent="solver", user="ruse", seed=0)
    assert episode.outcome == "pass"
    assert episode.metrics["total_tool_calls"] > 0
    assert episode.messages[0]["role"] == "user"
    verdict = cg.grade(task, episode.messages)
    assert verdict.passed
    assert dict(verdict.checks) == episode.checks
    run = cg.run(bench, agent="silent", user="ruse", trials=2, out=tmp_path / "a")
    assert len(run) == 8
    assert run.pass_at_1 == 0
    assert list(cg.open_run(tmp_path / "a")) == list(run)
    assert repr(verdict) == "<Verdict on S1-001: pass>"
    assert repr(cg.grade(task, run[0].messages)).startswith("<Verdict on S1-001: fail, fault: ")


def test_the_compiled_graph_is_langgraphs_own(bench):
    saver = InMemorySaver()
    graph = cg.build_graph(bench[0], agent="solver", user="ruse", checkpointer=saver)
    state = graph.invoke({}, {"configurable": {"thread_id": "mine"}})
    assert state["status"] == "ended"
    assert set(graph.get_graph().nodes) == {"__start__", "agent", "user", "environment", "__end__"}
    episode = cg.run_episode(bench[0], "solver", "ruse", checkpointer=saver, thread_id="mine")
    assert len(episode.messages) == state["counts"]["seq"]


def test_an_episode_does_not_go_on_as_another(bench):
    saver = InMemorySaver()
    cg.run_episode(bench[0], "silent", "generic", checkpointer=saver, thread_id="t")
    with pytest.raises(cg.CrabGraphError, match="another task, agent, user, seed or limit"):
        cg.run_episode(bench[0], "solver", "generic", checkpointer=saver, thread_id="t")
