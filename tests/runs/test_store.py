import os

import pytest

import crab_graph as cg
from crab_graph.errors import DamageWarning, RunError, UnknownName
from crab_graph.runs.config import SHARDS
from crab_graph.runs.store import Shard, load_record, load_records


@pytest.fixture
def run(bench, tmp_path):
    return cg.run(bench, "silent", ["generic", "ruse"], 1, tmp_path / "run")


@pytest.fixture
def shard(run):
    return run.directory / SHARDS / "part-0.jsonl"


def test_records_are_read_back_as_they_were_written(run):
    assert load_records(run.directory) == list(run)
    assert load_record(run.directory, "S1-001.ruse.0") == run["S1-001.ruse.0"]
    with pytest.raises(UnknownName, match="unknown episode"):
        load_record(run.directory, "S1-001.ruse.9")


def test_a_torn_last_line_is_ignored_and_its_episode_run_again(bench, run, shard):
    whole = shard.read_bytes()
    os.truncate(shard, len(whole) - 100)
    assert len(cg.open_run(run.directory)) == len(run) - 1
    again = cg.resume_run(run.directory)
    assert list(again) == list(run)
    assert shard.read_bytes().count(b"\n") == len(run)


def test_a_damaged_line_is_named(run, shard):
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(lines[0] + b"{oops\n" + b"".join(lines[1:]))
    with pytest.warns(DamageWarning, match="line 2: damaged"):
        assert list(cg.open_run(run.directory)) == list(run)


def test_a_damaged_configuration_is_named(run):
    (run.directory / "run.json").write_text('{"agent": 3}')
    with pytest.raises(RunError, match=r"run\.json: damaged, .* user_engine: field required"):
        cg.open_run(run.directory)


def test_the_latest_attempt_counts_wherever_it_was_written(run):
    later = run[0].model_copy(update={"attempts": 2, "outcome": "fail"})
    for name, record in (("part-7.jsonl", later), ("part-9.jsonl", run[0])):
        other = Shard(run.directory / SHARDS / name)
        other.append(record)
        other.close()
    assert cg.open_run(run.directory)[0].attempts == 2
    assert len(cg.open_run(run.directory)) == len(run)


def test_appending_does_not_read_or_write_what_is_there(run, shard):
    before = shard.stat()
    other = Shard(shard)
    other.append(run[0])
    other.close()
    after = shard.stat()
    assert after.st_ino == before.st_ino
    assert shard.read_bytes()[before.st_size :].count(b"\n") == 1
