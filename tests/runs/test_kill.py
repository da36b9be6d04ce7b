"""`kill -9` at any moment, then `resume`: the same records as without it."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import crab_graph as cg
from crab_graph.schema import canonical_json

ROOT = Path(__file__).resolve().parents[2]


def heed_interrupts():
    """A shell lets what it runs in the background ignore them, and that is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def command(*arguments, cwd):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "crab_graph", *map(str, arguments)],
        env=environment,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )


def canonical(path):
    return [canonical_json(episode.model_dump(mode="json")) for episode in cg.open_run(path)]


def kill_and_resume(bench, path, options, moments):
    """Begin a run, kill it at each moment (seconds after its first checkpoint), and finish it."""
    process = command("run", bench.directory, "--out", path, *options, cwd=path.parent)
    for moment in moments:
        files = path / "checkpoints"
        while process.poll() is None and not list(files.glob("*.sqlite")):
            time.sleep(0.005)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        process = command("resume", path, "--jobs", 1 + len(str(moment)) % 2, cwd=path.parent)
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 0, output + errors


OPTIONS = ("--agent", "solver", "--user", "generic,ruse")


@pytest.fixture(scope="module")
def whole(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "run"
    return canonical(cg.run(bench, "solver", ["generic", "ruse"], 1, out).directory)


@pytest.mark.slow
def test_a_killed_run_is_finished_with_the_same_records(bench, whole, tmp_path):
    kill_and_resume(bench, tmp_path / "run", OPTIONS, [0.4])
    assert canonical(tmp_path / "run") == whole


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_kills_at_random_moments_change_nothing(bench, whole, tmp_path, seed):
    rng = random.Random(seed)
    moments = [rng.uniform(0, 2.5) for _ in range(4)]
    jobs = ("--jobs", str(1 + seed % 2), "--concurrency", str(1 + seed % 3))
    kill_and_resume(bench, tmp_path / "run", (*OPTIONS, *jobs), moments)
    assert canonical(tmp_path / "run") == whole
    assert all(path.stat().st_size == 0 for path in (tmp_path / "run").glob("*.lock"))


def kills_of(bench, out, store, trials, seeds):
    """Kill runs again and again in two processes at once; return what became of them."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    program = [sys.executable, "-m", "tests.runs.killing", str(bench.directory)]
    processes = [
        subprocess.Popen(
            [*program, str(out / f"{store}-{seed}"), store, str(seed), str(trials)],
            env=environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in seeds
    ]
    found = []
    for process in processes:
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        found.append(json.loads(output))
    return found


@pytest.mark.slow
def test_two_hundred_kills_at_every_point_change_nothing(bench, tmp_path):
    found = kills_of(bench, tmp_path, "ours", 66, (1, 2))
    points = {point for one in found for point in one["points"]}
    killed = {point for one in found for point in one["kills"]}
    assert killed == points
    assert sum(sum(one["kills"].values()) for one in found) >= 200
    assert [one["differing"] for one in found] == [[], []]


@pytest.mark.slow
def test_kills_in_the_middle_of_turns_change_nothing(bench, tmp_path):
    found = kills_of(bench, tmp_path, "in-place", 12, (1, 2))
    assert sum(sum(one["kills"].values()) for one in found) >= 40
    assert [one["differing"] for one in found] == [[], []]


@pytest.mark.slow
def test_the_same_kills_tell_a_naive_store(bench, tmp_path):
    found = kills_of(bench, tmp_path, "naive", 23, (1, 2))
    assert any(one["differing"] for one in found)


@pytest.mark.slow
def test_an_interrupt_says_how_to_go_on(bench, tmp_path):
    path = tmp_path / "run"
    process = command("run", bench.directory, "--out", path, *OPTIONS, cwd=tmp_path)
    while process.poll() is None and not list((path / "checkpoints").glob("*.sqlite")):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 130
    assert f"go on with: crab-graph resume {path}" in errors
    assert "Traceback" not in errors
