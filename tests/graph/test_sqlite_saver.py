import sqlite3
from contextlib import closing

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver

from crab_graph.graph.checkpoint import open_saver
from crab_graph.graph.sqlite_saver import CompactSaver

TASK = "0bbd7a3c-51b5-4a39-9d3e-5f2c8d3c4a11"
NO_TASK = "00000000-0000-0000-0000-000000000000"


def place(checkpoint_id=None):
    named = {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": checkpoint_id}
    return {"configurable": named}


def checkpoint(name):
    return {**empty_checkpoint(), "id": name}


def pending(saver, name):
    return saver.get_tuple(place(name)).pending_writes


def rows(path, table):
    """Return how many rows another process would see."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_what_a_step_wrote_is_kept_with_the_checkpoint_that_follows(tmp_path):
    path = tmp_path / "c.sqlite"
    with open_saver(path) as saver:
        saver.put(place(), checkpoint("1"), {}, {})
        saver.put_writes(place("1"), [("turn", "agent"), ("counts", {"seq": 1})], TASK)
        assert rows(path, "writes") == 0
        saver.put(place("1"), checkpoint("2"), {}, {})
        assert rows(path, "writes") == rows(path, "checkpoints") == 2
        kept = pending(saver, "1")
    assert kept == [(TASK, "turn", "agent"), (TASK, "counts", {"seq": 1})]


def test_what_no_step_would_write_again_is_kept_at_once(tmp_path):
    path = tmp_path / "c.sqlite"
    with open_saver(path) as saver:
        saver.put(place(), checkpoint("1"), {}, {})
        saver.put_writes(place("1"), [("turn", "agent")], TASK)
        saver.put_writes(place("1"), [("__interrupt__", "?")], f"{TASK}0")
        assert rows(path, "writes") == 2
        saver.put_writes(place("1"), [("turn", "user")], NO_TASK)
        assert rows(path, "writes") == 3


def test_a_step_that_runs_again_before_its_checkpoint_is_kept_as_it_ran_last(tmp_path):
    with open_saver(tmp_path / "c.sqlite") as saver:
        saver.put(place(), checkpoint("1"), {}, {})
        for turn in ("agent", "user"):
            saver.put_writes(place("1"), [("turn", turn)], TASK)
        saver.put(place("1"), checkpoint("2"), {}, {})
        assert pending(saver, "1") == [(TASK, "turn", "user")]


def test_a_thread_that_is_forgotten_leaves_nothing_waiting(tmp_path):
    path = tmp_path / "c.sqlite"
    with open_saver(path) as saver:
        saver.put_writes(place("1"), [("turn", "agent")], TASK)
        saver.delete_thread("t")
        saver.put(place(), checkpoint("1"), {}, {})
    assert rows(path, "writes") == 0


def test_versions_grow_whichever_saver_goes_on_with_a_thread():
    with closing(sqlite3.connect(":memory:")) as connection:
        ours, theirs = CompactSaver(connection), SqliteSaver(connection)
        versions = [ours.get_next_version(None, None)]
        for saver in (*[ours] * 120, *[theirs] * 3, *[ours] * 3, theirs):
            versions.append(saver.get_next_version(versions[-1], None))
    assert versions == sorted(set(versions))
    assert len(versions[100]) < 20
