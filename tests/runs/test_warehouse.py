"""The tables of a run after appends, kills and regrading, and with several makers at once."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

import crab_graph as cg
from crab_graph.cli.application import main
from crab_graph.errors import DamageWarning, MendedWarning
from crab_graph.runs.parts import parts_in
from crab_graph.runs.sql import query_runs
from crab_graph.runs.store import Shard, load_records
from crab_graph.runs.warehouse import WAREHOUSE, compact_run, load_summaries
from tests.editing import edit_lines


@pytest.fixture(scope="module")
def finished(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("warehouse") / "run"
    cg.run(bench, "silent", ["generic", "ruse"], 2, out, tasks=["S1", "S2"])
    return out


@pytest.fixture
def run(finished, tmp_path):
    """A run that nobody has looked at yet."""
    shutil.copytree(finished, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / WAREHOUSE, ignore_errors=True)
    return tmp_path / "run"


def everything(run):
    tables = cg.open_tables(run)
    return [tables[name].fetchall() for name in tables if name != "runs"]


def append(run, record, shard="part-1.jsonl"):
    opened = Shard(run / "shards" / shard)
    opened.append(record)
    opened.close()


def test_summaries_are_the_records_without_their_dialogue(run):
    for light, full in zip(load_summaries(run), load_records(run), strict=True):
        heavy = {"messages", "trace", "evidence", "history", "hidden", "final"}
        assert light.model_dump(exclude=heavy) == full.model_dump(exclude=heavy)
        assert (light.messages, light.trace) == ([], ())


@pytest.mark.slow
def test_episodes_that_are_added_join_those_that_are_there(run):
    lines = (run / "shards" / "part-0.jsonl").read_bytes().splitlines(keepends=True)
    whole = everything(run)
    shutil.rmtree(run / WAREHOUSE)
    for count in (1, 3, 4, len(lines)):
        (run / "shards" / "part-0.jsonl").write_bytes(b"".join(lines[:count]))
        assert len(load_summaries(run)) == count
    assert len(parts_in(run / WAREHOUSE)) == 4
    assert everything(run) == whole


@pytest.mark.slow
def test_many_parts_become_one(run):
    lines = (run / "shards" / "part-0.jsonl").read_bytes().splitlines(keepends=True)
    whole = everything(run)
    shutil.rmtree(run / WAREHOUSE)
    for count in range(1, len(lines) + 1):
        (run / "shards" / "part-0.jsonl").write_bytes(b"".join(lines[:count]))
        load_summaries(run)
    done = compact_run(run)
    assert (done.episodes, done.after) == (len(lines), 1)
    assert compact_run(run) == done._replace(before=1)
    assert everything(run) == whole


def test_a_torn_line_waits_until_it_is_whole(run):
    shard = run / "shards" / "part-0.jsonl"
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-10])
    before = len(load_summaries(run))
    shard.write_bytes(whole)
    assert len(load_summaries(run)) == before + 1


def test_of_two_attempts_the_later_one_counts_whatever_shard_it_is_in(run):
    record = load_records(run)[3]
    load_summaries(run)
    append(run, record.model_copy(update={"attempts": 2, "fault": "user", "outcome": "user_fault"}))
    append(run, record)
    rows = query_runs([run], "SELECT episode_id, attempts, fault FROM episodes").rows
    assert rows[3] == (record.episode_id, 2, "user")
    assert len(rows) == len(load_records(run))
    calls = query_runs([run], f"SELECT count(*) FROM checks WHERE episode_id='{rows[3][0]}'").rows
    assert calls == [(len(record.checks),)]
    assert compact_run(run).episodes == len(rows)


def test_what_was_graded_again_is_read_again(run):
    shard = run / "shards" / "part-0.jsonl"
    assert query_runs([run], "SELECT DISTINCT agent FROM episodes").rows == [("silent",)]
    edit_lines(shard, lambda record: record | {"agent": "talked"})
    assert query_runs([run], "SELECT DISTINCT agent FROM episodes").rows == [("talked",)]
    assert compact_run(run).after == 1


def test_several_at_once_make_the_same_tables(run):
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: len(load_summaries(run)), range(4)))
    assert found == [len(load_records(run))] * 4
    assert len(parts_in(run / WAREHOUSE)) == 1
    assert [path for path in (run / WAREHOUSE).iterdir() if path.name.startswith(".")] == []


def test_a_part_that_cannot_be_read_is_made_again(run):
    whole = everything(run)
    for file in (run / WAREHOUSE).glob("*/*.parquet"):
        file.write_bytes(b"torn")
    with pytest.warns(MendedWarning, match="made again from its shard"):
        assert everything(run) == whole


def test_a_run_that_cannot_be_written_is_read_all_the_same(run, monkeypatch):
    monkeypatch.setattr("crab_graph.runs.warehouse._is_writable", lambda home: False)
    assert len(load_summaries(run)) == len(load_records(run))
    assert not (run / WAREHOUSE).exists()


def test_a_run_without_episodes_has_empty_tables(run):
    shutil.rmtree(run / "shards")
    assert load_summaries(run) == []
    assert query_runs([run], "SELECT count(*) FROM messages").rows == [(0,)]


def test_a_damaged_line_is_named_and_hides_no_other(run):
    whole = len(load_summaries(run))
    with (run / "shards" / "part-0.jsonl").open("ab") as file:
        file.write(b"{}\n")
    for _ in range(2):  # the second time they come from the part
        with pytest.warns(DamageWarning, match=rf"part-0\.jsonl, line {whole + 1}: damaged: "):
            assert len(load_summaries(run)) == whole


def test_the_command_says_what_there_is(run, capsys):
    assert main(["compact", str(run)]) == 0
    assert "8 episodes in 1 part (before: 0)" in capsys.readouterr().out
    assert main(["compact", str(run / "nothing")]) == 2
