"""Runs that machines share: checkpoints in PostgreSQL, work on Ray, with what dies on the way."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

import crab_graph as cg
from crab_graph.graph.savers import open_saver
from crab_graph.schema import canonical_json
from tests.postgres_server import PASSWORD, postgres_server

psycopg = pytest.importorskip("psycopg")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = ("--agent", "solver", "--user", "generic,ruse")


@pytest.fixture(scope="module")
def server():
    with postgres_server() as (address, control):
        yield address, control


@pytest.fixture(scope="module")
def whole(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "run"
    return canonical(cg.run(bench, "solver", ["generic", "ruse"], 1, out).directory)


def canonical(path):
    return [canonical_json(episode.model_dump(mode="json")) for episode in cg.open_run(path)]


def command(*arguments, cwd, **environment):
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "RAY_DEDUP_LOGS": "0", **environment}
    return subprocess.Popen(
        [sys.executable, "-m", "crab_graph", *map(str, arguments)],
        env=variables,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 0, output + errors
    return output


def threads(address):
    with open_saver(address), psycopg.connect(address) as connection:
        rows = connection.execute("SELECT DISTINCT thread_id FROM checkpoints").fetchall()
        return {thread for (thread,) in rows}


def wait_until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_a_killed_run_goes_on_from_checkpoints_in_the_database(bench, whole, server, tmp_path):
    address, _ = server
    path = tmp_path / "run"
    began = ("run", bench.directory, "--out", path, *OPTIONS, "--checkpoint", address)
    process = command(*began, cwd=tmp_path)
    wait_until(lambda: threads(address))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    finish(command("resume", path, cwd=tmp_path, CRAB_CHECKPOINT=address))
    assert canonical(path) == whole
    assert threads(address) == set()
    assert not (path / "checkpoints").exists()
    for file in path.rglob("*"):
        assert file.is_dir() or PASSWORD.encode() not in file.read_bytes()


def test_a_database_that_goes_down_leaves_one_line_and_a_run_to_resume(
    bench, whole, server, tmp_path
):
    address, control = server
    path = tmp_path / "run"
    process = command(
        "run", bench.directory, "--out", path, *OPTIONS, "--checkpoint", address, cwd=tmp_path
    )
    wait_until(lambda: threads(address))
    control.stop()
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 2
    assert f"crab-graph resume {path}" in errors.splitlines()[-1]
    assert "Traceback" not in errors and PASSWORD not in errors
    control.start()
    finish(command("resume", path, "--checkpoint", address, cwd=tmp_path))
    assert canonical(path) == whole


def test_a_login_is_not_kept_so_resume_asks_for_it(bench, server, tmp_path):
    address, _ = server
    path = tmp_path / "run"
    options = ("--agent", "silent", "--tasks", "S1", "--checkpoint", address)
    finish(command("run", bench.directory, "--out", path, *options, cwd=tmp_path))
    process = command("resume", path, cwd=tmp_path)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 2 and "--checkpoint" in errors and PASSWORD not in errors


def test_an_episode_does_not_wait_until_another_is_kept_in_the_database(
    bench, server, tmp_path, monkeypatch
):
    saver = pytest.importorskip("langgraph.checkpoint.postgres").PostgresSaver
    put, both, met = saver.put, threading.Barrier(2), threading.Event()

    def meet(*arguments):
        if not met.is_set():
            both.wait(30)
            met.set()
        return put(*arguments)

    monkeypatch.setattr(saver, "put", meet)
    run = cg.run(bench, "solver", concurrency=2, checkpoint=server[0], out=tmp_path / "run")
    assert met.is_set()
    assert run.pass_at_1 == 1.0


def test_a_run_on_ray_loses_nothing_when_a_worker_is_killed(bench, whole, tmp_path):
    pytest.importorskip("ray")
    path = tmp_path / "run"
    options = (*OPTIONS, "--executor", "ray", "--jobs", "2")
    process = command("run", bench.directory, "--out", path, *options, cwd=tmp_path)

    def workers():
        children = psutil.Process(process.pid).children(recursive=True)
        return [one for one in children if "_Worker" in " ".join(one.cmdline())]

    wait_until(lambda: list(path.glob("checkpoints/*.sqlite")), 120)
    wait_until(workers)
    workers()[0].kill()
    output = finish(process)
    assert "(raylet)" not in output
    assert canonical(path) == whole
