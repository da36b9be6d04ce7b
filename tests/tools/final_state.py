"""Writes an episode's final state to DuckDB, for analytics and SQL checks (section 3.1)."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from crab_graph.tools.ledger import Ledger
from crab_graph.tools.tables import Row, Table

if TYPE_CHECKING:
    import duckdb

PREFIX = "final_"


def final_rows(ledger: Ledger) -> dict[str, list[Row]]:
    """Return, by table, the rows that the episode added or left different from the initial ones.

    Tables without such rows are left out; rows come ordered by key.
    """
    changed = {table: ledger.changed(table) for table in ledger.world.tables}
    return {table: list(rows.values()) for table, rows in changed.items() if rows}


def write_final_state(
    connection: "duckdb.DuckDBPyConnection",
    episode_id: str,
    ledger: Ledger,
    schema: Sequence[Table],
) -> None:
    """Write the changed rows of one episode; `write_final_states` is cheaper for many."""
    write_final_states(connection, [(episode_id, ledger)], schema)


def write_final_states(
    connection: "duckdb.DuckDBPyConnection",
    episodes: Iterable[tuple[str, Ledger]],
    schema: Sequence[Table],
) -> None:
    """Write the changed rows of episodes into the tables `final_<name>`, which are made if missing.

    Each has the columns of its table after an `episode_id`. The final tables of an episode are its
    initial ones with these rows laid over. What it had there before is kept: write it once.

    Args:
        connection: An open, writable database.
        episodes: Ids of the episodes, and their final ledgers.
        schema: All tables of the domain.
    """
    collected: dict[str, list[tuple[str, Row]]] = {}
    for episode_id, ledger in episodes:
        for name, rows in final_rows(ledger).items():
            collected.setdefault(name, []).extend((episode_id, row) for row in rows)
    _create_tables(connection, schema)
    for table in schema:
        if table.name in collected:
            changed = collected[table.name]
            ids = [episode_id for episode_id, _ in changed]
            columns = [[row[name] for _, row in changed] for name in table.columns]
            connection.execute(_insertion(table), [ids, *columns])


def _create_tables(connection: "duckdb.DuckDBPyConnection", schema: Sequence[Table]) -> None:
    # To ask which there are takes a tenth of the time of a statement for each.
    known = {name for (name,) in connection.execute(_KNOWN).fetchall()}
    missing = [table for table in schema if f"{PREFIX}{table.name}" not in known]
    if missing:
        connection.execute(_creation(missing))


_KNOWN = """
SELECT table_name FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = current_schema()
"""


def _creation(schema: Sequence[Table]) -> str:
    return ";".join(
        f'CREATE TABLE IF NOT EXISTS "{PREFIX}{table.name}" (episode_id VARCHAR, '
        + ", ".join(f'"{name}" {kind}' for name, kind in table.columns.items())
        + ")"
        for table in schema
    )


def _insertion(table: Table) -> str:
    # One list parameter a column: executemany costs about a hundred times as much.
    values = ", ".join(f"unnest(CAST(? AS {kind}[]))" for kind in table.columns.values())
    return f'INSERT INTO "{PREFIX}{table.name}" SELECT unnest(CAST(? AS VARCHAR[])), {values}'
