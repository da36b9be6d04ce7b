"""SQL over runs, in a database in memory that holds nothing else and can reach nothing else.

The tables are loaded, then the connection is locked for good: no files, no network, no extension,
no setting, no variable of the program. A view over the files could not be locked like that.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from crab_graph.errors import NoticeWarning, UnknownName, UsageError
from crab_graph.given_values import a_text
from crab_graph.runs.config import RunConfig, RunPaths, paths_of, read_config
from crab_graph.runs.final_tables import NEEDING, final_relations, lacking
from crab_graph.runs.notes import read_notes
from crab_graph.runs.parts import ParquetPart, connect
from crab_graph.runs.relations import NOTED, RELATIONS, RUN, RUNS, Relation, relations_with
from crab_graph.runs.warehouse import choose, load_table, with_parts

_READING = ("SELECT", "EXPLAIN")
_LIGHT = {table.name for table in RELATIONS} - {"messages", "tool_calls", "notes"}
"""Tables that are loaded for every query; others for one that may reach them."""
_INDIRECT = re.compile(
    r"\bquery(_table)?\b|\bduckdb_|\binformation_schema\b|\bpg_|\bsqlite_|\bsummarize\b"
)
"""Ways to reach a table without writing its name."""
_NEEDING = re.compile(rf"\b({'|'.join(NEEDING)})", re.IGNORECASE)
_LACKING = """
SELECT run, count(*) FILTER (NOT has_final_tables), count(*) FROM episodes
GROUP BY run HAVING NOT bool_and(has_final_tables) ORDER BY run
"""


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

    def __init__(self, connection: duckdb.DuckDBPyConnection, loaded: "Loaded") -> None:
        """Hold a connection that is locked, and what it holds."""
        self._connection = connection
        self._names = loaded.names
        self._lacking = loaded.lacking

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
        self._warn(name)
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
        self._warn(query)
        with _as_usage_errors():
            relation: duckdb.DuckDBPyRelation = self._connection.sql(query)
        return relation

    def _warn(self, text: str) -> None:
        """Say of runs of an earlier version that they lack what a text asks for."""
        if _NEEDING.search(text):
            for line in self._lacking:
                warnings.warn(line, NoticeWarning, stacklevel=3)


class Loaded(NamedTuple):
    """What was loaded: the names of the tables, and what is to be said of runs that lack some."""

    names: tuple[str, ...]
    lacking: tuple[str, ...]


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
    with connect() as connection:
        _check_reading(connection, query)  # before anything is loaded
    return _open(
        directories, lambda name: is_indirect or name in _LIGHT or name.casefold() in text
    ).sql(query)


def _open(directories: Sequence[Path], is_wanted: Callable[[str], bool] | None = None) -> RunTables:
    connection = connect()
    try:
        loaded = load_runs(connection, directories, is_wanted)
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return RunTables(connection, loaded)


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
    connection: duckdb.DuckDBPyConnection,
    directories: Sequence[Path],
    is_wanted: Callable[[str], bool] | None = None,
) -> Loaded:
    """Create every table, and fill those that are wanted; errors as `relate_runs`."""
    configs = list(map(read_config, directories))
    tables = [
        *relations_with(axis for config in configs for axis in config.axes),
        *final_relations(table for config in configs for table in config.tables),
    ]
    wanted = [table for table in tables if is_wanted is None or is_wanted(table.name)]
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
        _insert(connection, number, RUNS, about)
        if NOTED in wanted:
            for note in read_notes(directory):
                _insert(connection, number, NOTED, note.as_row())
    counted = connection.execute(_LACKING).fetchall()
    return Loaded(
        tuple(table.name for table in tables),
        tuple(lacking(directories[run - 1], *counts) for run, *counts in counted),
    )


def _insert(
    connection: duckdb.DuckDBPyConnection, run: int, table: Relation, row: Mapping[str, Any]
) -> None:
    values = [run, *(row[column.name] for column in table.columns)]
    marks = ", ".join("?" for _ in values)
    connection.execute(f"INSERT INTO {table.name} VALUES ({marks})", values)  # noqa: S608


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
            if table not in (RUNS, NOTED):
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
