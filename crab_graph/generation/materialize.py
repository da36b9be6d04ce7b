"""Writing a task's tables to DuckDB (section 3.2.4, A.5): in bulk, or action by action.

An initialization action is a value: a call with its arguments. The domain says which rows each call
inserts. The bulk load gives the same tables much faster.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from crab_graph.schema import digest
from crab_graph.tools.tables import Row, Table

if TYPE_CHECKING:
    import duckdb

PRIVATE_SCHEMA = "private"


def create_tables(connection: "duckdb.DuckDBPyConnection", tables: Sequence[Table]) -> None:
    """Create a benchmark's tables; each gets the task's id as its first column."""
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {PRIVATE_SCHEMA}")
    for table in tables:
        columns = ", ".join(f'"{name}" {kind}' for name, kind in table.columns.items())
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {qualified(table)} (task_id VARCHAR, {columns})"
        )


def load_rows(
    connection: "duckdb.DuckDBPyConnection",
    tables: Sequence[Table],
    task_id: str,
    rows: Mapping[str, Sequence[Row]],
) -> None:
    """Insert a task's rows, one statement a table."""
    for table in tables:
        own = rows.get(table.name, ())
        if own:
            values = {name: [row[name] for row in own] for name in table.columns}
            insert_columns(connection, qualified(table), task_id, values, table.columns)


def insert_columns(
    connection: "duckdb.DuckDBPyConnection",
    target: str,
    task_id: str,
    values: Mapping[str, Sequence[Any]],
    kinds: Mapping[str, str],
) -> None:
    """Insert columns, in the table's order, behind a first one that holds the task's id.

    `target` is the table as SQL names it, `kinds` has the SQL type of each column.
    """
    # DuckDB reads arrays as they are: row by row takes a hundred times as long, and lists as
    # parameters take three times as long.
    arrays = {}
    for name, own in values.items():
        numbers = all(type(value) is int for value in own)
        arrays[name] = np.array(own, dtype=np.int64 if numbers else object)
    columns = ", ".join(f'"{name}"::{kinds[name]}' for name in arrays)
    connection.register("arrays", arrays)
    connection.execute(f"INSERT INTO {target} SELECT ?, {columns} FROM arrays", [task_id])  # noqa: S608
    connection.unregister("arrays")


def read_rows(
    connection: "duckdb.DuckDBPyConnection", tables: Sequence[Table], task_id: str
) -> dict[str, list[Row]]:
    """Return a task's rows by table, ordered by key; dates are ISO strings."""
    rows: dict[str, list[Row]] = {}
    for table in tables:
        columns = ", ".join(
            f'"{name}"::VARCHAR' if kind == "DATE" else f'"{name}"'
            for name, kind in table.columns.items()
        )
        found = connection.execute(
            f'SELECT {columns} FROM {qualified(table)} WHERE task_id = ? ORDER BY "{table.key}"',  # noqa: S608
            [task_id],
        ).fetchall()
        rows[table.name] = [dict(zip(table.columns, values, strict=True)) for values in found]
    return rows


def hash_rows(tables: Iterable[Table], rows: Mapping[str, Sequence[Row]]) -> str:
    """Return the SHA-256 of a task's rows, whatever order they are in.

    Rows are hashed because a DuckDB file of the same rows is not the same bytes.
    """
    return digest(
        {
            table.name: sorted(
                ([row[name] for name in table.columns] for row in rows.get(table.name, ())),
                key=lambda values: str(values[0]),
            )
            for table in tables
        }
    )


def hash_provenance(rows: Iterable[Sequence[str]]) -> str:
    """Return the SHA-256 of what a task's distractors were made for, whatever order they are in."""
    return digest(sorted(map(list, rows)))


def hash_stored_rows(
    connection: "duckdb.DuckDBPyConnection", tables: Sequence[Table], task_ids: Sequence[str]
) -> dict[str, str]:
    """Return for each task what `hash_rows` returns, of the rows a connection sees.

    DuckDB writes the JSON that is hashed, for many tasks in one query: their rows need not become
    Python values.
    """
    selects = []
    for table in tables:
        columns = ", ".join(f'"{name}"' for name in table.columns)
        selects.append(
            f"SELECT task_id, '{table.name}', "  # noqa: S608
            f"string_agg(json_array({columns})::VARCHAR, ',' ORDER BY \"{table.key}\") "
            f"FROM {qualified(table)} WHERE task_id IN (SELECT unnest($tasks)) GROUP BY task_id"
        )
    found = connection.execute(" UNION ALL ".join(selects), {"tasks": list(task_ids)}).fetchall()
    stored = {(task_id, name): rows for task_id, name, rows in found}
    names = sorted(table.name for table in tables)
    hashes: dict[str, str] = {}
    for task_id in task_ids:
        parts = [f'"{name}":[{stored.get((task_id, name), "")}]' for name in names]
        hashes[task_id] = hashlib.sha256(f"{{{','.join(parts)}}}".encode()).hexdigest()
    return hashes


def qualified(table: Table) -> str:
    """Return a table's name with its schema."""
    return f"{PRIVATE_SCHEMA}.{table.name}" if table.private else f'main."{table.name}"'


class InitializationAction(NamedTuple):
    """One database insertion call by its name, such as `add_doctor`."""

    name: str
    arguments: Mapping[str, Any]


Insertion = Callable[[Mapping[str, Any]], Iterator[tuple[str, Row]]]
"""Yields the rows that a call inserts, each with the name of its table."""


def execute_actions(
    connection: "duckdb.DuckDBPyConnection",
    tables: Sequence[Table],
    insertions: Mapping[str, Insertion],
    task_id: str,
    actions: Iterable[InitializationAction],
    *,
    together: bool = True,
) -> None:
    """Execute actions in their order on tables made by `create_tables`, row by row.

    All are executed or none, unless not `together`: then each is committed by itself.
    """
    columns = {table.name: tuple(table.columns) for table in tables}
    statements = {
        table.name: f"INSERT INTO {qualified(table)} VALUES (?{', ?' * len(table.columns)})"  # noqa: S608
        for table in tables
    }
    for batch in (actions,) if together else ((action,) for action in actions):
        connection.execute("BEGIN")
        try:
            for action in batch:
                for name, row in insertions[action.name](action.arguments):
                    values = [task_id, *(row[column] for column in columns[name])]
                    connection.execute(statements[name], values)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
