"""Runs that stop, go on or fork exactly where the world breaks something are what they would be."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import crab_graph as cg
from crab_graph.agents.reference.desk import Desk
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.eval.replay import replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.runs.grading import regrade_run
from crab_graph.schema import canonical_json
from crab_graph.tools.fault_schedule import FaultKind

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CODES = {
    "sold": "sold_out",
    "quote": "price_expired",
    "declined": "declined",
    "limit": "declined",
    "timeout": "timed_out",
    "unconfirmed": "unconfirmed",
    "misentered": "passenger_name",
}
"""What a call that is struck, or that shows what was, comes back with."""
KINDS = [
    pytest.param(str(kind), marks=[] if kind in ("sold", "limit") else pytest.mark.slow)
    for kind in FaultKind
]


@pytest.fixture(scope="module", params=KINDS)
def played(request, tmp_path_factory):
    """A benchmark of one task with a fault of a kind, and a run that nothing stopped."""
    kind = request.param
    folder = tmp_path_factory.mktemp(kind)
    wanted: dict[str, Any] = {"level": (3,), "fault_kinds": (kind,)}
    bench = generate_benchmark(
        folder / "bench", tasks=1, strata=(3,), distractors=60, seed=4, **wanted
    )
    assert [str(one.kind) for one in bench[0].spec.faults] == [kind]
    desk = Desk(find_domain("travel"))
    run = cg.run(bench, desk.__call__, "generic", 1, folder / "run", name="desk")
    assert CODES[kind] in canonical_json(run[0].trace) and run[0].passed
    return kind, bench, run


def kept(run):
    """Return all of a run's one episode that does not tell the time, with its final tables."""
    (one,) = run
    bench = cg.load_benchmark(run.directory.parent / "bench")
    tables = replay(bench[one.task_id], read_transcript(one.messages)).ledger
    changed = {name: dict(tables.changed(name)) for name in tables.world.tables}
    record = one.model_dump(mode="json", include={"messages", "trace", "checks", "facts", "strict"})
    return canonical_json([record, changed])


def stopping(code, stop):
    """Return a careful agent that stops the first time that it is handed a code of the world's."""
    desk = Desk(find_domain("travel"))
    struck: list[int] = []

    def agent(messages, tools):
        if not struck and any(code in str(one.content) for one in messages[1:][-4:]):
            struck.append(len(messages))
            stop()
        return desk(messages, tools)

    return agent


def test_a_run_that_stops_at_a_fault_goes_on_as_if_nothing_was(played):
    kind, bench, run = played
    stop = stopping(CODES[kind], lambda: signal.raise_signal(signal.SIGINT))
    settings: dict[str, Any] = {"name": "desk"}
    out = run.directory.parent / "stopped"
    with pytest.raises(KeyboardInterrupt):
        cg.run(bench, stop, "generic", 1, out, **settings)
    assert not len(cg.open_run(out))
    again = cg.run(bench, stop, "generic", 1, out, **settings)
    assert kept(again) == kept(run)


KILLED = """
import os, signal, sys
import crab_graph as cg
from tests.runs.test_runs_under_faults import stopping
stop = stopping(sys.argv[3], lambda: os.kill(os.getpid(), signal.SIGKILL))
cg.run(cg.load_benchmark(sys.argv[1]), stop, "generic", 1, sys.argv[2], name="desk")
"""


@pytest.mark.slow
def test_a_run_that_is_killed_at_a_fault_goes_on_as_if_nothing_was(played):
    kind, bench, run = played
    out = run.directory.parent / "killed"
    program = [sys.executable, "-c", KILLED, str(bench.directory), str(out), CODES[kind]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run(program, env=environment, cwd=ROOT, check=False).returncode == -9
    assert list((out / "checkpoints").glob("*.sqlite"))
    desk = Desk(find_domain("travel")).__call__
    again = cg.run(bench, desk, "generic", 1, out, name="desk", allow_mismatch=True)
    assert kept(again) == kept(run)


@pytest.mark.slow
def test_a_fork_from_any_turn_meets_the_fault_as_before(played):
    _, _, run = played
    desk = Desk(find_domain("travel")).__call__
    (record,) = run
    visible = [
        one
        for one in record.messages
        if one["role"] in ("user", "assistant") and "tool_calls" not in one
    ]
    for turn in range(1, len(visible) - 1):
        out = run.directory.parent / f"fork-{turn}"
        (fork,) = cg.fork_episode(run.directory, record.episode_id, turn, out, agent=desk)
        assert (fork.messages, fork.trace, fork.checks) == (
            record.messages,
            record.trace,
            record.checks,
        )


def test_a_run_under_faults_is_graded_again_alike(played):
    _, _, run = played
    before = {path: path.read_bytes() for path in (run.directory / "shards").iterdir()}
    assert regrade_run(run.directory).is_same
    assert {path: path.read_bytes() for path in (run.directory / "shards").iterdir()} == before
    assert json.loads(json.dumps(run[0].checks))["F-WF"] in ("pass", "not_triggered")
