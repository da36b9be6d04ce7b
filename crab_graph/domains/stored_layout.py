"""Tables as a benchmark's file has them, where another version of its domain made it.

What a version adds to the tables, those of an earlier one lack. Queries name tables and columns as
the domain has them now; they find views in which what is lacking is NULL.
"""

import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import duckdb

from crab_graph.generation.materialize import PRIVATE_SCHEMA, create_tables
from crab_graph.tools.tables import Table

_COLUMNS = """
    SELECT schema_name, table_name, list([column_name, data_type] ORDER BY column_index)
    FROM duckdb_columns() WHERE database_name = 'benchmark' AND NOT internal GROUP BY ALL
    ORDER BY ALL
"""
TASK = "task_id"
"""The column of every table of tasks that says whose row it is."""

_SEALED = "sealed"

_lock = threading.Lock()
"""Connections to one copy of a file share the views."""


class StoredTable(NamedTuple):
    """A table of the file: its columns, each with its type, in their order."""

    schema: str
    name: str
    columns: dict[str, str]


def stored_tables(connection: duckdb.DuckDBPyConnection) -> tuple[Table, ...]:
    """Return the tables of tasks as they are stored, whose rows are what was hashed."""
    found = []
    for schema, name, columns in stored_layout(connection):
        if schema != _SEALED and next(iter(columns)) == TASK:
            del columns[TASK]
            found.append(Table(name, next(iter(columns)), columns, schema == PRIVATE_SCHEMA))
    return tuple(found)


def show_as(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table]) -> None:
    """Let a connection of `open_read_only` find the tables laid out as a domain's.

    A table that is not stored is empty; stored columns that are in none of these stay.
    """
    wanted = {(PRIVATE_SCHEMA if table.private else "main", table.name): table for table in tables}
    with _lock:
        connection.execute("USE memory")
        for schema in (PRIVATE_SCHEMA, _SEALED):
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        for schema, name, columns in stored_layout(connection):
            table = wanted.pop((schema, name), None)
            lacking = (
                f', NULL::{kind} AS "{column}"'
                for column, kind in (table.columns.items() if table else ())
                if column not in columns
            )
            connection.execute(
                f'CREATE VIEW IF NOT EXISTS {schema}."{name}" AS '  # noqa: S608
                f'SELECT *{"".join(lacking)} FROM benchmark.{schema}."{name}"'
            )
        create_tables(connection, list(wanted.values()))


def stored_layout(connection: duckdb.DuckDBPyConnection) -> Iterator[StoredTable]:
    """Yield every table of a file that `open_read_only` has opened."""
    for schema, name, columns in connection.execute(_COLUMNS).fetchall():
        yield StoredTable(schema, name, dict(columns))
