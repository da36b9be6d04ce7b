"""A benchmark can be read beside anybody's own connection to its file, and keeps nobody out."""

import subprocess
import sys
from contextlib import contextmanager
from typing import Any

import duckdb
import pytest

import crab_graph as cg
from crab_graph.domains.database_file import open_read_only
from crab_graph.errors import BenchmarkError

_COUNT = "SELECT count(*) FROM sealed.tasks"
_ELSEWHERE = """
import sys, duckdb
with duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "True"):
    print("open", flush=True)
    sys.stdin.read()
"""
OWN: dict[str, dict[str, Any]] = {
    "writes": {"read_only": False},
    "reads": {"read_only": True},
    "writes as configured": {"read_only": False, "config": {"threads": 2, "memory_limit": "1GB"}},
    "reads as configured": {"read_only": True, "config": {"enable_external_access": "false"}},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("beside") / "bench of o'hara"
    cg.generate_benchmark(home, domain="clinic", tasks=2, distractors=40, seed=3, strata=(1,))
    return home


@pytest.fixture(scope="module")
def path(home):
    return home / "benchmark.duckdb"


@contextmanager
def opened_elsewhere(path, *, read_only):
    """Another process has the file open; gives the line with which it was refused, or nothing."""
    command = [sys.executable, "-c", _ELSEWHERE, str(path), str(read_only)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin and process.stdout and process.stderr
        told = process.stdout.readline()
        yield "" if told else process.stderr.read()
        process.stdin.close()


@pytest.mark.parametrize("own", OWN.values(), ids=OWN)
def test_a_connection_of_ones_own_keeps_no_task_from_being_read(home, path, own):
    with duckdb.connect(str(path), **own) as mine:
        bench = cg.load_benchmark(home)
        assert all(any(task.world.tables.values()) for task in bench)
        assert mine.execute(_COUNT).fetchone() == (2,)


@pytest.mark.parametrize("own", OWN.values(), ids=OWN)
def test_what_was_loaded_keeps_no_connection_of_ones_own_out(home, path, own):
    bench = cg.load_benchmark(home)
    assert any(bench[1].world.tables.values())
    with duckdb.connect(str(path), **own) as mine:
        assert mine.execute(_COUNT).fetchone() == (2,)


def test_a_reader_is_welcome_while_tables_are_read(path):
    mine = duckdb.connect(str(path), read_only=True)
    with mine, open_read_only(path) as ours, open_read_only(path) as another:
        assert {one.execute(_COUNT).fetchone() for one in (ours, mine, another)} == {(2,)}


def test_what_a_writer_committed_is_read_and_nothing_else(path):
    with duckdb.connect(str(path)) as mine:
        mine.execute("CREATE OR REPLACE TABLE notes AS SELECT 'seen' AS note")
        mine.execute("BEGIN")
        mine.execute("INSERT INTO notes VALUES ('not yet')")
        with open_read_only(path) as ours:
            assert ours.execute("FROM notes").fetchall() == [("seen",)]
        mine.execute("COMMIT")
        with open_read_only(path) as ours:
            assert len(ours.execute("FROM notes").fetchall()) == 2
            with pytest.raises(duckdb.Error, match="read-only"):
                ours.execute("DROP TABLE notes")
        mine.execute("DROP TABLE notes")


def test_a_writer_keeps_its_lock_while_the_file_is_read(path):
    with duckdb.connect(str(path)):
        open_read_only(path).close()
        with opened_elsewhere(path, read_only=False) as refused:
            assert "Conflicting lock" in refused


@pytest.mark.parametrize("read_only", [True, False])
def test_another_process_keeps_no_task_from_being_read(home, path, read_only):
    with opened_elsewhere(path, read_only=read_only) as refused:
        assert not refused
        assert [task.id for task in cg.load_benchmark(home)] == ["S1-001", "S1-002"]


def test_one_may_write_during_a_run_and_after_it(home, path, tmp_path):
    for out, own in (("one", OWN["writes"]), ("two", OWN["writes as configured"])):
        with duckdb.connect(str(path), **own) as mine:
            run = cg.run(home, agent="solver", user="generic", tasks=["S1-002"], out=tmp_path / out)
            assert [episode.passed for episode in run] == [True]
            assert mine.execute(_COUNT).fetchone() == (2,)


@pytest.mark.slow
def test_workers_read_what_the_process_that_started_them_writes(home, path, tmp_path):
    with duckdb.connect(str(path)):
        run = cg.run(home, agent="solver", user="generic", out=tmp_path / "run", jobs=2)
    assert [episode.passed for episode in run] == [True, True]


def test_a_file_that_cannot_be_copied_while_it_is_written_is_one_line(path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with duckdb.connect(str(path)) as mine:
        mine.execute("CREATE OR REPLACE TABLE more AS SELECT 1 AS x")
        with pytest.raises(
            BenchmarkError, match=r"is being written by another connection; close"
        ) as told:
            open_read_only(path)
        mine.execute("DROP TABLE more")
    assert len(str(told.value).splitlines()) == 1


def test_a_file_that_is_no_database_is_one_line(tmp_path):
    path = tmp_path / "benchmark.duckdb"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(BenchmarkError, match="cannot be read"):
        open_read_only(path)


def test_a_benchmark_that_is_made_anew_is_not_read(home, path, tmp_path):
    (tmp_path / "benchmark.duckdb").write_bytes(path.read_bytes())
    (tmp_path / "manifest.json").write_text((home / "manifest.json").read_text())
    bench = cg.load_benchmark(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(BenchmarkError, match="half-written"):
        bench[0]
