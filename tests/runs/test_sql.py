import pytest

import crab_graph as cg
from crab_graph.errors import UsageError
from crab_graph.runs.sql import TABLES, query_records


@pytest.fixture(scope="module")
def run(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("sql") / "run"
    return cg.run(bench, "solver", ["generic", "ruse"], 1, out, tasks=["S1", "S2"])


def test_episodes_and_checks_are_rows(run):
    rows = run.sql("SELECT episode_id, passed, trial FROM episodes ORDER BY 1")
    assert rows[0] == {"episode_id": "S1-001.generic.0", "passed": True, "trial": 0}
    assert len(rows) == 4
    (row,) = run.sql("SELECT count(*) AS n FROM checks WHERE verdict = 'pass'")
    assert row["n"] == sum(v == "pass" for one in run for v in one.checks.values())


def test_what_was_said_called_and_told_are_rows(run):
    assert run.sql("SELECT count(*) AS n FROM messages WHERE role = 'user' AND turn = 1") == [
        {"n": 4}
    ]
    names = {row["name"] for row in run.sql("SELECT DISTINCT name FROM tool_calls")}
    assert {"charge_booking", "record_payment_approval"} <= names
    told = run.sql(
        "SELECT DISTINCT reason FROM facts WHERE level = 'basic' AND episode_id LIKE '%ruse%'"
    )
    assert {"reason": "volunteered"} in told
    total = "SELECT count(*) AS n FROM tool_calls WHERE result->>'status' = 'confirmed'"
    assert run.sql(total)[0]["n"] == 16


def test_neither_clocks_nor_paths_are_in_episodes_and_checks():
    for table in ("episodes", "checks"):
        assert not {"path", "directory", "time", "seconds", "started"} & set(TABLES[table])


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM read_text('/etc/hostname')",
        "COPY episodes TO 'stolen.csv'",
        "ATTACH 'other.duckdb' AS other",
        "EXPORT DATABASE 'stolen'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET enable_external_access",
        "SELECT * FROM glob('/*')",
        "SELECT nothing FROM episodes",
        "SELEC 1",
    ],
)
def test_a_query_does_not_reach_beyond_the_run(run, query, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^sql: ") as caught:
        run.sql(query)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_run_can_be_queried():
    assert query_records([], "SELECT count(*) FROM episodes").rows == [(0,)]
