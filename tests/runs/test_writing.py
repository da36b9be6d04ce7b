"""A disk that is full: one line, nothing lost, and the run goes on when there is space again."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import crab_graph as cg
from crab_graph.errors import StorageError
from crab_graph.runs.store import Shard
from crab_graph.runs.writing import keeping
from crab_graph.schema import canonical_json

resource = pytest.importorskip("resource")
ROOT = Path(__file__).resolve().parents[2]


def canonical(path):
    left_out = {"stamp"}
    run = cg.open_run(path)
    return [canonical_json(one.model_dump(mode="json", exclude=left_out)) for one in run]


def limited(arguments, size, cwd):
    """Run a command in whose process no file may grow beyond a size, as if the disk were full."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "crab_graph", *map(str, arguments)],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
    )


def check_one_line(done, out):
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("crab-graph: ")]
    assert len(lines) == 1
    assert f"go on with: crab-graph resume {out}" in lines[0]
    return lines[0]


@pytest.mark.slow
def test_a_file_that_cannot_grow_stops_the_run_with_one_line(bench, tmp_path):
    out = tmp_path / "run"
    arguments = ["run", bench.directory, "--agent", "solver", "--tasks", "S1", "--out", out]
    check_one_line(limited(arguments, 40_000, tmp_path), out)
    run = cg.resume_run(out, allow_mismatch=True)
    assert run.is_complete
    whole = cg.run(bench, "solver", "ruse", 1, tmp_path / "whole", tasks=["S1"])
    assert canonical(out) == canonical(whole.directory)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_stops_the_run_and_space_lets_it_go_on(bench, tmp_path, jobs):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        out = disk / "run"
        command = ["run", bench.directory, "--agent", "solver", "--user", "generic,ruse"]
        unlimited = resource.RLIM_INFINITY
        arguments = [*command, "--out", out, "--jobs", jobs]
        line = check_one_line(limited(arguments, unlimited, tmp_path), out)
        assert "no space is left on the disk" in line
        again = limited(["resume", out], unlimited, tmp_path)
        check_one_line(again, out)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        assert cg.resume_run(out, allow_mismatch=True).is_complete
        cg.run(bench, "solver", ["generic", "ruse"], 1, tmp_path / "whole")
        assert canonical(out) == canonical(tmp_path / "whole")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_record_that_does_not_fit_leaves_nothing_behind(bench, tmp_path, monkeypatch):
    record = cg.run_episode(bench[0], "silent", "generic")
    shard = Shard(tmp_path / "shards" / "part-0.jsonl")
    shard.append(record)
    before = (tmp_path / "shards" / "part-0.jsonl").read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            shard.append(record)
    assert (tmp_path / "shards" / "part-0.jsonl").read_bytes() == before
    shard.append(record)
    shard.close()


def test_other_failures_are_not_taken_for_a_full_disk(tmp_path):
    with pytest.raises(ZeroDivisionError), keeping(tmp_path):
        raise ZeroDivisionError
    with (
        pytest.raises(StorageError, match="Permission denied") as told,
        keeping(tmp_path),
        keeping(tmp_path),
        keeping(tmp_path),
    ):
        raise PermissionError(13, "Permission denied")
    assert str(told.value).count("cannot be written") == 1
