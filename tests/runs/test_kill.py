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
from tests.soak.works import WORKS

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


def struck(out, trials, *works):
    """Strike works again and again in two processes at once; return what became of them."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    program = [sys.executable, "-m", "tests.soak.killing"]
    processes = [
        subprocess.Popen(
            [*program, str(out / f"seed-{seed}"), str(seed), str(trials), *works],
            env=environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in (1, 2)
    ]
    found = []
    for process in processes:
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        found.append(json.JSONDecoder().raw_decode(output)[0])
    return found


def strikes_in(found):
    return sum(count for one in found for *_, count in one["strikes"])


@pytest.mark.slow
def test_two_hundred_strikes_at_every_point_change_nothing(tmp_path):
    found = struck(tmp_path, 70, "a function")
    points = {point for one in found for points in one["points"].values() for point in points}
    assert {point for one in found for _, point, _, _ in one["strikes"]} >= points
    assert strikes_in(found) >= 200
    assert [one["differing"] for one in found] == [[], []]


@pytest.mark.slow
def test_strikes_in_the_middle_of_turns_change_nothing(tmp_path):
    found = struck(tmp_path, 12, "an agent with a loop")
    assert strikes_in(found) >= 40
    assert [one["differing"] for one in found] == [[], []]


@pytest.mark.slow
def test_strikes_at_every_command_that_writes_change_nothing(tmp_path):
    found = struck(tmp_path, len(WORKS))
    assert {work for one in found for work, *_ in one["strikes"]} == set(WORKS)
    assert [one["differing"] for one in found] == [[], []]


@pytest.mark.slow
def test_the_same_strikes_tell_a_naive_store(tmp_path):
    found = struck(tmp_path, 23, "a naive store")
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
