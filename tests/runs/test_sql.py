"""SQL over runs: what it sees, and that it sees and does nothing else."""

import datetime
import json
import shutil
from pathlib import Path

import pytest
from pydantic import ValidationError

import crab_graph as cg
from crab_graph.cli.application import main
from crab_graph.domain.card import EARLIER_AXES, AxisCard, TableCard
from crab_graph.errors import UsageError
from crab_graph.runs.final_tables import final_relations
from crab_graph.runs.owner import Authorship, authorship_of
from crab_graph.runs.relations import RELATIONS, relations_with, rows_of
from crab_graph.runs.sql import query_runs, relate_runs
from crab_graph.runs.warehouse import compact_run
from tests.editing import edit_document, edit_lines

ANALYTICS = (Path(__file__).parents[2] / "docs" / "analytics.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def run(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("sql") / "run"
    return cg.run(bench, "solver", ["generic", "ruse"], 1, out, tasks=["S1", "S2"])


@pytest.fixture(scope="module")
def other(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("sql") / "other"
    return cg.run(bench, "silent", "generic", 1, out, tasks=["S1"])


@pytest.fixture(scope="module")
def cheap(bench, tmp_path_factory):
    """A run whose agent books the cheapest of everything."""
    out = tmp_path_factory.mktemp("sql") / "cheap"
    return cg.run(bench, "rt05", "generic", 1, out, tasks=["S1"])


def rows(run, query):
    return query_runs([run.directory], query).objects()


def test_episodes_and_checks_are_rows(run):
    found = rows(run, "SELECT episode_id, passed, trial FROM episodes")
    assert found[0] == {"episode_id": "S1-001.generic.0", "passed": True, "trial": 0}
    assert len(found) == 4
    (row,) = rows(run, "SELECT count(*) AS n FROM checks WHERE verdict = 'pass'")
    assert row["n"] == sum(v == "pass" for one in run for v in one.checks.values())


def test_what_was_said_called_and_told_are_rows(run):
    assert rows(run, "SELECT count(*) AS n FROM messages WHERE role = 'user' AND turn = 1") == [
        {"n": 4}
    ]
    names = {row["name"] for row in rows(run, "SELECT DISTINCT name FROM tool_calls")}
    assert {"charge_booking", "record_payment_approval"} <= names
    told = rows(
        run, "SELECT DISTINCT reason FROM facts WHERE level = 'basic' AND episode_id LIKE '%ruse%'"
    )
    assert {"reason": "volunteered"} in told
    total = "SELECT count(*) AS n FROM tool_calls WHERE result->>'status' = 'confirmed'"
    assert rows(run, total)[0]["n"] == 16


def test_a_turn_counts_what_its_speaker_did_before_it(run):
    counted = "SELECT sum(calls) AS calls, sum(writes) AS writes FROM turns"
    of_calls = "SELECT count(*) AS calls, sum(writes) AS writes FROM tool_calls WHERE turn NOT NULL"
    assert rows(run, counted) == rows(run, of_calls)
    first = rows(run, "SELECT speaker, words, facts FROM turns WHERE turn = 1 LIMIT 1")[0]
    assert first["speaker"] == "user"
    assert first["words"] > 5
    assert first["facts"] > 5


def test_what_models_took_is_a_row_for_each_seat(run):
    took = {"calls": 3, "input_tokens": 900, "output_tokens": 60, "failed": {"timeout": 2}}
    record = run[0].model_copy(update={"usage": {"agent": {"m": took}}, "cost": {"agent": 0.5}})
    (row,) = rows_of(record)["costs"]
    assert (row["party"], row["model"], row["failed_calls"]) == ("agent", "m", 2)
    assert (row["input_tokens"], row["cached_tokens"], row["party_cost"]) == (900, 0, 0.5)
    assert rows(run, "SELECT count(*) AS n FROM costs") == [{"n": 0}]


def test_what_steps_took_and_how_often_answers_are_read_is_in_rows(run):
    record = run[0]
    assert rows_of(record)["steps"] == []
    assert rows_of(record)["tool_calls"][0].get("result_tokens") is None
    models = {"m": {"calls": 1, "input_tokens": 900, "output_tokens": 60}}
    took = {"seconds": 1.5, "models": models, "dollars": 0.25}
    place = next(n for n, one in enumerate(record.messages) if one["role"] == "assistant")
    asked = {"hidden": {"beside": [{"seq": place, "took": took}]}, "usage": {"agent": models}}
    found = rows_of(record.model_copy(update=asked))
    (step,) = found["steps"]
    assert (step["number"], step["party"], step["calls"]) == (place + 1, "agent", 1)
    assert (step["input_tokens"], step["dollars"], step["seconds"]) == (900, 0.25, 1.5)
    answers = [n for n, one in enumerate(record.messages) if one["role"] == "tool"]
    for call, at in zip(found["tool_calls"], answers, strict=True):
        if call["owner"] == "user":
            assert call.get("reread_tokens") is None
            continue
        later = sum(one["role"] == "assistant" for one in record.messages[at:])
        size = -(-len(record.messages[at]["content"].encode()) // 4)
        assert (call["result_tokens"], call["later_steps"]) == (size, later)
        assert call["reread_tokens"] == size * later


def test_every_table_has_the_documented_columns_in_order(run):
    tables = cg.open_tables(run)
    documented = [*relations_with(run.config.axes), *final_relations(run.config.tables)]
    assert list(tables) == [table.name for table in documented]
    for table in documented:
        found = tables[table.name]
        assert found.columns == ["run", *(column.name for column in table.columns)]
        types = [str(type) for type in found.types]
        assert types == ["INTEGER", *(column.type for column in table.columns)]


def test_each_axis_of_the_runs_domain_is_a_column(run):
    query = "SELECT DISTINCT task_id, date_mode, party, axes FROM episodes ORDER BY task_id"
    found = relate_runs([run.directory], query)
    assert [str(type) for type in found.types] == ["VARCHAR", "VARCHAR", "INTEGER", "JSON"]
    for task_id, date_mode, party, axes in found.fetchall():
        assert run[f"{task_id}.generic.0"].axes == {"date_mode": date_mode, "party": party}
        assert json.loads(axes) == {"date_mode": date_mode, "party": party}


def test_axes_of_two_domains_stand_side_by_side():
    insurance = AxisCard(name="insurance", title="insurance", values=("basic", "none"))
    hours = AxisCard(name="party", title="hours", values=("early", "late"))
    taken = AxisCard(name="agent", title="agent", values=(1, 2))
    episodes = relations_with([*EARLIER_AXES, insurance, hours, taken])[1]
    added = {column.name: column.type for column in episodes.columns if column.within}
    assert added == {"date_mode": "VARCHAR", "party": "VARCHAR", "insurance": "VARCHAR"}


def test_records_and_runs_of_earlier_versions_have_their_axes(run, tmp_path):
    earlier = tmp_path / "earlier"
    shutil.copytree(run.directory, earlier)
    edit_document(earlier / "run.json", lambda fields: fields.pop("card"))
    for shard in (earlier / "shards").glob("*.jsonl"):
        edit_lines(shard, lambda record: record | record.pop("axes"))
    assert [one.axes for one in cg.open_run(earlier)] == [one.axes for one in run]
    query = "SELECT task_id, date_mode, party FROM episodes ORDER BY ALL"
    assert query_runs([earlier], query).rows == query_runs([run.directory], query).rows
    assert query_runs([earlier], "SELECT domain FROM runs").rows == [(None,)]


BOOKED_INSTEAD = ANALYTICS.partition("```sql\n")[2].partition("```")[0]
"""The query that the documentation shows."""


def test_what_was_booked_and_paid_is_rows_beside_what_was_said(run):
    """The final tables are what the log of writes comes to, and what was graded."""
    booked = rows(run, "SELECT * FROM final_bookings ORDER BY episode_id, booking_id")
    assert len(booked) == sum(one.metrics["job_state"] == "full" for one in run) * 4 == 16
    paid = "SELECT sum(amount_cents) AS cents FROM final_transactions WHERE kind = 'charge'"
    assert rows(run, paid)[0]["cents"] == sum(one["total_cents"] for one in booked)
    written = (
        "SELECT DISTINCT episode_id, key FROM events WHERE table_name = 'bookings' ORDER BY ALL"
    )
    ids = [(one["episode_id"], one["booking_id"]) for one in booked]
    assert query_runs([run.directory], written).rows == ids
    joined = """SELECT final_hotels.name, check_in, slots.total_cents = b.total_cents AS same
        FROM final_bookings b JOIN slots USING (run, episode_id, booking_id)
        JOIN final_booked_rooms USING (run, episode_id, booking_id)
        JOIN final_rooms USING (run, episode_id, room_id)
        JOIN final_hotels USING (run, episode_id, hotel_id)
        JOIN tool_calls c USING (run, episode_id) JOIN events e USING (run, episode_id)
        WHERE e.call = c.number AND e.key = b.booking_id AND op = 'insert' AND slot = 'hotel'"""
    stays = rows(run, joined)
    assert len(stays) == len(run) and all(one["same"] for one in stays)
    assert isinstance(stays[0]["check_in"], datetime.date)
    assert rows(run, "SELECT DISTINCT found, differs FROM slots") == [
        {"found": "booked", "differs": ""}
    ]


def test_the_query_that_is_documented_tells_which_hotels_were_booked_instead(run, cheap):
    assert rows(run, BOOKED_INSTEAD) == []
    (found,) = rows(cheap, BOOKED_INSTEAD)
    part = next(one for one in cheap[0].explanation["parts"] if one["slot"] == "hotel")
    names = dict(query_runs([cheap.directory], "SELECT hotel_id, name FROM final_hotels").rows)
    assert found["wanted"] == names[part["nearest"]["hotel_id"]]
    assert found["booked"] == names[part["booked"]["hotel_id"]]
    assert found["episodes"] == 1
    assert cg.open_tables(run, cheap).sql(BOOKED_INSTEAD).fetchall() == [tuple(found.values())]


def test_a_run_of_an_earlier_version_says_that_it_has_no_final_tables(cheap, tmp_path, capsys):
    earlier, query = tmp_path / "earlier", "SELECT * FROM final_bookings"
    shutil.copytree(cheap.directory, earlier, ignore=shutil.ignore_patterns("warehouse"))
    place = str((cheap.directory / cheap.config.benchmark).resolve())
    edit_document(
        earlier / "run.json", lambda one: (one.update(benchmark=place), one.pop("tables"))
    )
    shard = earlier / "shards" / "part-0.jsonl"
    edit_lines(shard, lambda one: {key: one[key] for key in one if key != "final"})
    assert main(["sql", str(earlier), query]) == 0
    told = capsys.readouterr()
    assert told.out.count("\n") == 1 and told.err.count("\n") == 1
    assert "1 of 1 episodes hold no final tables" in told.err and "regrade" in told.err
    with pytest.warns(UserWarning, match="earlier versions did not keep"):
        assert cg.open_tables(earlier)["slots"].fetchall() == []
    assert len(cg.open_tables(earlier)["events"]) > 0
    assert cg.regrade_run(earlier, trust=True).is_same
    assert authorship_of(earlier / "run.json") is Authorship.TRUSTED  # still nobody's own
    assert cg.open_run(earlier).config.tables == cheap.config.tables
    assert query_runs([earlier], query) == query_runs([cheap.directory], query)
    compact_run(earlier)
    assert query_runs([earlier], BOOKED_INSTEAD) == query_runs([cheap.directory], BOOKED_INSTEAD)


def test_final_tables_of_two_domains_stand_side_by_side():
    first = TableCard(name="rooms", key="room_id", columns={"room_id": "VARCHAR", "size": "DATE"})
    second = TableCard(name="rooms", key="room_id", columns={"size": "INTEGER", "view": "VARCHAR"})
    *shared, found = final_relations([first, second])
    assert {"final_bookings", "final_transactions"} < {one.name for one in shared}
    columns = {column.name: column.type for column in found.columns[1:]}
    assert columns == {"room_id": "VARCHAR", "size": "VARCHAR", "view": "VARCHAR"}
    with pytest.raises(ValidationError, match="pattern"):
        TableCard(name="x", key="y", columns={"y": 'INT); DROP TABLE "runs'})


def test_neither_clocks_nor_paths_are_in_the_tables(run):
    clocks = [one.name for one in RELATIONS if any(c.name == "seconds" for c in one.columns)]
    assert clocks == ["tool_calls", "steps"]
    assert rows(run, "SELECT count(seconds) AS n FROM tool_calls") == [{"n": 0}]  # of no model
    names = {column.name for table in RELATIONS for column in table.columns}
    assert not {"path", "directory", "time", "started"} & names


def test_several_runs_are_told_apart_by_their_number(run, other):
    found = query_runs(
        [run.directory, other.directory],
        "SELECT runs.agent, count(*) FROM episodes JOIN runs USING (run) GROUP BY ALL ORDER BY 2",
    )
    assert found.rows == [("silent", 1), ("solver", 4)]


def test_an_opened_run_gives_a_relation(run):
    relation = cg.open_run(run.directory).sql("SELECT trial, passed FROM episodes LIMIT 1")
    assert (relation.columns, relation.fetchall()) == (["trial", "passed"], [(0, True)])
    assert relation.filter("passed").aggregate("count(*)").fetchall() == [(1,)]


def test_tables_of_dialogues_are_there_however_they_are_reached(run):
    direct = rows(run, "SELECT count(*) AS n FROM messages")
    assert direct[0]["n"] > 50
    assert rows(run, "SELECT count(*) AS n FROM query_table('mess' || 'ages')") == direct
    sizes = "SELECT estimated_size AS n FROM duckdb_tables() WHERE table_name LIKE 'mess%'"
    assert rows(run, sizes) == direct


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_blob('/etc/hostname')",
        "SELECT * FROM read_json('/etc/hostname')",
        "SELECT * FROM read_parquet('/etc/hostname')",
        "SELECT * FROM parquet_metadata('/etc/hostname')",
        "SELECT * FROM sniff_csv('/etc/hostname')",
        "SELECT * FROM glob('/*')",
        "SELECT getenv('HOME')",
        "SELECT * FROM query('SELECT * FROM read_text(''/etc/hostname'')')",
        "COPY episodes TO 'stolen.csv'",
        "COPY (SELECT 1) TO '/dev/stdout'",
        "EXPLAIN ANALYZE COPY episodes TO 'stolen.csv'",
        "ATTACH 'other.duckdb' AS other",
        "EXPORT DATABASE 'stolen'",
        "IMPORT DATABASE 'stolen'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET enable_external_access",
        "PRAGMA enable_profiling",
        "PRAGMA profiling_output = 'profile.json'",
        "PRAGMA log_query_path = 'log.txt'",
        "CALL enable_logging(storage = 'file', storage_config = {'path': 'logs'})",
        "CALL start_ui()",
        "CREATE PERSISTENT SECRET one (TYPE http, BEARER_TOKEN 'x')",
        "CREATE TABLE more AS SELECT 1",
        "DELETE FROM episodes",
        "SELECT 1; SELECT 2",
        "SELECT * FROM a_variable",
        "SELECT nothing FROM episodes",
        "SELEC 1",
        "",
    ],
)
def test_a_query_does_nothing_but_read_the_run(run, query, tmp_path, monkeypatch):
    a_variable = [{"secret": 1}]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^sql: ") as caught:
        rows(run, query)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    del a_variable


def test_a_relation_is_as_confined_as_a_query(run, tmp_path, monkeypatch):
    import duckdb  # noqa: PLC0415

    monkeypatch.chdir(tmp_path)
    relation = run.sql("SELECT 1 AS one")
    with pytest.raises(duckdb.Error):
        relation.write_csv("stolen.csv")
    with pytest.raises(duckdb.Error):
        relation.query("it", "SELECT * FROM read_text('/etc/hostname')").fetchall()
    assert list(tmp_path.iterdir()) == []


def test_the_command_prints_csv_or_a_list_of_objects(run, other, capsys):
    names = [str(run.directory), str(other.directory)]
    query = (
        "SELECT run, count(*) AS n, 1.50 AS price, DATE '2027-03-08' AS day FROM runs GROUP BY 1"
    )
    assert main(["sql", *names, f"{query} ORDER BY 1"]) == 0
    assert capsys.readouterr().out == "run,n,price,day\n1,1,1.50,2027-03-08\n2,1,1.50,2027-03-08\n"
    assert main(["sql", *names, f"{query} ORDER BY 1", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert first == {"run": 1, "n": 1, "price": 1.5, "day": "2027-03-08"}


def test_a_query_without_a_run_is_refused_in_one_line(capsys):
    assert main(["sql", "SELECT 1"]) == 2
    assert "name a run and a query" in capsys.readouterr().err
