"""Runs that stop, go on or fork around a change of mind are what they would be."""

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

import crab_graph as cg
from crab_graph.agents.reference.desk import Desk
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.runs.grading import regrade_run
from tests.runs.test_runs_under_faults import ROOT, kept

pytestmark = pytest.mark.slow

KINDS = (
    pytest.param(("travel", ""), id="after the plan"),
    pytest.param(
        ("clinic", "waits_for_booking: 1\n\n"), marks=pytest.mark.slow, id="after booking"
    ),
)


@pytest.fixture(scope="module", params=KINDS)
def played(request, tmp_path_factory):
    """A run that nothing stopped on a task with a change of mind, and which turn that is."""
    domain, fields = request.param
    folder = tmp_path_factory.mktemp("changes")
    (folder / "thinker_default.md").write_text(f"{fields}You think again.\n")
    settings: dict[str, Any] = {"personas": str(folder), "name": "desk"}
    bench = generate_benchmark(
        folder / "bench", 1, strata=(1,), seed=5, distractors=400, changes=True, domain=domain
    )
    desk = Desk(find_domain(domain)).__call__
    run = cg.run(bench, desk, "thinker", 1, folder / "run", **settings)
    (record,) = run
    said = record.metrics["last_word"]["message"]
    turns = [one["role"] for one in shown(record)[:said]].count("user")
    assert record.passed and record.metrics["last_word"]["request"] == "changed"
    cancelled = [one for one in record.trace if one["name"].startswith("cancel_")]
    assert bool(cancelled) == bool(fields)
    return bench, run, settings, turns


def shown(record):
    return [
        one
        for one in record.messages
        if one["role"] in ("user", "assistant") and "tool_calls" not in one
    ]


def stopping(domain, turns, stop):
    """Return a careful agent that stops as soon as it has heard so many turns."""
    desk = Desk(find_domain(domain))
    struck: list[int] = []

    def agent(messages, tools):
        if not struck and [one.type for one in messages].count("human") == turns:
            struck.append(turns)
            stop()
        return desk(messages, tools)

    return agent


def test_a_run_that_stops_at_a_change_goes_on_as_if_nothing_was(played):
    bench, run, settings, turns = played
    stop = stopping(bench[0].domain.name, turns, lambda: signal.raise_signal(signal.SIGINT))
    out = run.directory.parent / "stopped"
    with pytest.raises(KeyboardInterrupt):
        cg.run(bench, stop, "thinker", 1, out, **settings)
    assert not len(cg.open_run(out))
    again = cg.run(bench, stop, "thinker", 1, out, **settings)
    assert kept(again) == kept(run)


KILLED = """
import os, signal, sys
import crab_graph as cg
from tests.runs.test_runs_under_changes import stopping
bench, out, personas, turns = sys.argv[1:]
bench = cg.load_benchmark(bench)
kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
agent = stopping(bench[0].domain.name, int(turns), kill)
cg.run(bench, agent, "thinker", 1, out, name="desk", personas=personas)
"""


@pytest.mark.slow
def test_a_run_that_is_killed_after_a_change_goes_on_as_if_nothing_was(played):
    bench, run, settings, turns = played
    out = run.directory.parent / "killed"
    named = (str(bench.directory), str(out), settings["personas"], str(turns))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-c", KILLED, *named]
    assert subprocess.run(program, env=environment, cwd=ROOT, check=False).returncode == -9
    assert list((out / "checkpoints").glob("*.sqlite"))
    desk = Desk(find_domain(bench[0].domain.name)).__call__
    again = cg.run(bench, desk, "thinker", 1, out, allow_mismatch=True, **settings)
    assert kept(again) == kept(run)


@pytest.mark.slow
def test_a_fork_before_the_change_and_after_it_hears_the_same(played):
    bench, run, _, _ = played
    desk = Desk(find_domain(bench[0].domain.name)).__call__
    (record,) = run
    for turn in range(1, len(shown(record)) - 1):
        out = run.directory.parent / f"fork-{turn}"
        (fork,) = cg.fork_episode(run.directory, record.episode_id, turn, out, agent=desk)
        assert (fork.messages, fork.trace, fork.checks, fork.metrics["last_word"]) == (
            record.messages,
            record.trace,
            record.checks,
            record.metrics["last_word"],
        )


def test_graded_again_the_same_request_counts(played):
    _, run, _, _ = played
    before = [(one.checks, one.metrics["last_word"]) for one in run]
    found = regrade_run(run.directory)
    assert not found.changes
    assert [(one.checks, one.metrics["last_word"]) for one in cg.open_run(run.directory)] == before
