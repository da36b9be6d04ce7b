"""A run works alike wherever locks, paths, processes and consoles are others."""

import io
import subprocess
import sys
import time

import pytest
from filelock import FileLock

import crab_graph as cg
from crab_graph import workers
from crab_graph.cli import main
from crab_graph.errors import RunError
from crab_graph.runs import sitting, writing
from crab_graph.runs.writing import hold_run, hold_worker
from crab_graph.schema import canonical_json

HOLDING = """
import sys, time
from pathlib import Path
from crab_graph.runs.writing import hold_run, hold_worker
with hold_run(Path(sys.argv[1])), hold_worker(Path(sys.argv[1]), 3):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_lock_is_held_until_its_process_is_killed(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(RunError, match="another process is working"), hold_run(tmp_path):
            pass
        holder.kill()
    with hold_run(tmp_path), hold_worker(tmp_path, 3):
        pass


def test_a_new_writer_waits_for_each_worker(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_PATIENCE_SECONDS", 0.2)
    with hold_worker(tmp_path, 0), hold_worker(tmp_path, 1):
        begun = time.monotonic()
        with pytest.raises(RunError, match="workers of an earlier process"), hold_run(tmp_path):
            pass
        assert time.monotonic() - begun >= 0.2
        with pytest.raises(RunError, match="workers of an earlier process"):
            hold_worker(tmp_path, 1).__enter__()
    with hold_run(tmp_path):
        pass


def test_a_file_system_without_locks_is_said_in_one_line(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise NotImplementedError("no flock")

    monkeypatch.setattr(FileLock, "acquire", refuse)
    with pytest.raises(RunError, match="its file system has no locks"), hold_run(tmp_path):
        pass


def test_a_benchmark_on_another_drive_is_found_again(bench, tmp_path, monkeypatch):
    def refuse(path, start):
        raise ValueError("path is on mount 'C:', start on mount 'D:'")

    monkeypatch.setattr(sitting, "relpath", refuse)
    run = cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"])
    assert run.config.benchmark == bench.directory.resolve().as_posix()
    assert cg.resume_run(run.directory).is_complete


def test_a_console_without_many_characters_gets_all_it_can_show(bench, monkeypatch):
    for encoding in ("cp1252", "ascii"):
        console = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", console)
        assert main(["tasks", str(bench.directory), "--stats"]) == 0
        assert b"tasks" in console.buffer.getvalue()


@pytest.mark.slow
def test_a_benchmark_made_by_spawned_processes_is_the_same(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "start_method", lambda: "spawn")
    made = cg.generate_benchmark(tmp_path / "b", tasks=4, distractors=400, seed=3, jobs=2)
    assert made.sha256 == bench.sha256


@pytest.mark.slow
def test_a_run_of_spawned_processes_is_the_same(bench, tmp_path, monkeypatch):
    one = cg.run(bench, "hasty", "generic", out=tmp_path / "one")
    monkeypatch.setattr(workers, "start_method", lambda: "spawn")
    two = cg.run(bench, "hasty", "generic", out=tmp_path / "two", jobs=2)
    assert [canonical_json(x.model_dump(mode="json")) for x in one] == [
        canonical_json(x.model_dump(mode="json")) for x in two
    ]
