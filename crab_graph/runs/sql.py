"""SQL over runs, in a database in memory that holds nothing else and can reach nothing else.

The tables are loaded, then the connection is locked for good: no files, no network, no extension,
no setting, no variable of the program. A view over the files could not be locked like that.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from crab_graph.errors import UnknownName, UsageError
from crab_graph.given_values import a_text
from crab_graph.runs.config import RunConfig, RunPaths, paths_of, read_config
from crab_graph.runs.parts import ParquetPart, connect
from crab_graph.runs.relations import RELATIONS, RUN, RUNS, Relation, relations_with
from crab_graph.runs.warehouse import choose, load_table, with_parts

_READING = ("SELECT", "EXPLAIN")
_HEAVY = ("messages", "tool_calls")
"""Tables that are loaded only for a query that names them, or may reach them indirectly."""
_INDIRECT = re.compile(
    r"\bquery(_table)?\b|\bduckdb_|\binformation_schema\b|\bpg_|\bsqlite_|\bsummarize\b"
)
"""Ways to reach a table without writing its name."""


class QueryResult(NamedTuple):
    """The answer to a query: columns and rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def objects(self) -> list[dict[str, Any]]:
        """Return each row by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class RunTables(Mapping[str, duckdb.DuckDBPyRelation]):
    """The tables of one or several runs, by name, as relations of DuckDB.

    They are one set, told apart by the column `run`, in one database in memory: any of them, and
    what `sql` returns, can be joined with any other. They are as the runs were when it was opened.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> None:
        """Hold a connection that is locked, and the names of its tables."""
        self._connection = connection
        self._names = tuple(names)

    def __repr__(self) -> str:
        """Return the names of the tables."""
        return f"<RunTables: {', '.join(self._names)}>"

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the tables."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self._names)

    def __getitem__(self, name: str) -> duckdb.DuckDBPyRelation:
        """Return a table.

        Raises:
            UnknownName: there is none of that name.
        """
        if name not in self._names:
            raise UnknownName("table", str(name), self._names)
        return self._connection.table(name)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a table of that name."""
        return name in self._names

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Return a query over the tables.

        Raises:
            UsageError: the query is wrong, or does something else than to read.
        """
        _check_reading(self._connection, query)
        with _as_usage_errors():
            relation: duckdb.DuckDBPyRelation = self._connection.sql(query)
        return relation


def open_tables(*runs: RunPaths) -> RunTables:
    """Return the tables of runs as one set, each row with the number of its run, from 1.

    A run is one that `run` or `open_run` returned, or its directory. `docs/analytics.md` says what
    the tables hold.

    Raises:
        RunError: there is no run, or it is damaged.
        UsageError: no run is named.
    """
    return _open(paths_of(runs))


def query_runs(directories: Sequence[Path], query: str) -> QueryResult:
    """Run a query over runs, and return its rows; errors as for `relate_runs`."""
    with _as_usage_errors():
        relation = relate_runs(directories, query)
        return QueryResult(tuple(relation.columns), relation.fetchall())


def relate_runs(directories: Sequence[Path], query: str) -> duckdb.DuckDBPyRelation:
    """Return a query over runs as a relation of DuckDB; no table is read that it does not need.

    Raises:
        RunError: there is no run, or it is damaged.
        UsageError: the query is wrong, or does something else than to read these runs.
    """
    text = a_text("a query", query).casefold()
    is_indirect = _INDIRECT.search(text) is not None
    unwanted = [one for one in _HEAVY if not is_indirect and one not in text]
    with connect() as connection:
        _check_reading(connection, query)  # before anything is loaded
    return _open(directories, unwanted).sql(query)


def _open(directories: Sequence[Path], unwanted: Sequence[str] = ()) -> RunTables:
    connection = connect()
    try:
        load_runs(connection, directories, unwanted)
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return RunTables(connection, [table.name for table in RELATIONS])


def _check_reading(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    with _as_usage_errors():
        statements = connection.extract_statements(query)
    if len(statements) != 1:
        count = "no statement" if not statements else f"{len(statements)} statements"
        raise UsageError(f"sql: the query holds {count}; give one")
    if (kind := statements[0].type.name) not in _READING:
        reading = "a query reads: SELECT, DESCRIBE, EXPLAIN"
        raise UsageError(f"sql: {kind} is not allowed; {reading}")


def load_runs(
    connection: duckdb.DuckDBPyConnection, directories: Sequence[Path], unwanted: Sequence[str] = ()
) -> None:
    """Create every table, and fill them, but those unwanted; errors as `relate_runs`."""
    configs = list(map(read_config, directories))
    tables = relations_with(axis for config in configs for axis in config.axes)
    wanted = [table for table in tables if table.name not in unwanted]
    for table in tables:
        columns = ", ".join(f'"{one.name}" {one.type}' for one in (RUN, *table.columns))
        connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
    for number, (directory, config) in enumerate(zip(directories, configs, strict=True), start=1):
        with_parts(directory, partial(_load, connection, number, config, wanted))
        about = {
            **config.as_json(),
            "agent": config.agent_name,
            "agent_spec": config.agent,
            "name": directory.resolve().name,
            "domain": config.card and config.card.name,
            "users": ",".join(config.users),
            "tasks": len(config.tasks),
            "planned": config.planned,
        }
        values = [number, *(about[column.name] for column in RUNS.columns)]
        marks = ", ".join("?" for _ in values)
        connection.execute(f"INSERT INTO {RUNS.name} VALUES ({marks})", values)  # noqa: S608


def _load(
    connection: duckdb.DuckDBPyConnection,
    number: int,
    config: RunConfig,
    wanted: Sequence[Relation],
    parts: Sequence[ParquetPart],
) -> None:
    connection.execute("BEGIN")
    try:
        choose(connection, config, parts)
        for table in wanted:
            if table is not RUNS:
                load_table(connection, number, table, parts)
        connection.execute("DROP TABLE chosen")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def _as_usage_errors() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        first, *rest = str(error).strip().splitlines()
        meant = next((f" {line}" for line in rest if line.startswith("Did you mean")), "")
        raise UsageError(f"sql: {first}{meant}") from error
