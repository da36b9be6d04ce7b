"""What a benchmark's file holds that nothing vouches for: tables, columns and rows beside its own.

The manifest has a hash for the rows of each of its tasks. What stands beside them is not read, and
tells that somebody wrote in the file since.
"""

from collections.abc import Iterator, Mapping

import duckdb

from crab_graph.domains.benchmark import MANIFEST, Benchmark
from crab_graph.domains.stored_layout import TASK, stored_layout
from crab_graph.domains.workbench import SEALED_TABLES
from crab_graph.generation.materialize import PRIVATE_SCHEMA

_Columns = Mapping[tuple[str, str], frozenset[str] | None]
"""By schema and name; `None` where the hash of the rows is over whichever there are."""


def surplus(bench: Benchmark, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield in words what the file holds beside what the manifest names."""
    known = _known(bench)
    for schema, name, columns in stored_layout(connection):
        shown = name if schema == "main" else f"{schema}.{name}"
        is_of_tasks = schema != "sealed" and next(iter(columns)) == TASK
        expected = known.get((schema, name), frozenset())
        if expected is None or (not bench.is_current and is_of_tasks):
            expected = frozenset(columns)
        if not expected:
            yield f"a table '{shown}'"
        elif more := [one for one in columns if one not in expected]:
            yield f"a column '{more[0]}' of '{shown}'"
        elif TASK in columns and (rows := _foreign_rows(bench, connection, schema, name)):
            yield f"{rows:,} rows of '{shown}' of no task that {MANIFEST} names"


def _known(bench: Benchmark) -> _Columns:
    own = {
        (PRIVATE_SCHEMA if one.private else "main", one.name): frozenset({TASK, *one.columns})
        for one in bench.domain.tables
    }
    return own | {("sealed", name): columns for name, columns in SEALED_TABLES.items()}


def _foreign_rows(
    bench: Benchmark, connection: duckdb.DuckDBPyConnection, schema: str, name: str
) -> int:
    """Return how many rows of a table are of no task, and of wishes how many are there twice."""
    rows = f'benchmark."{schema}"."{name}"'
    tasks = [entry.id for entry in bench.manifest.tasks]
    query = (
        f"SELECT count(*) FROM {rows} "  # noqa: S608
        f"WHERE NOT coalesce({TASK} IN (SELECT unnest(?)), false)"
    )
    ((found,),) = connection.execute(query, [tasks]).fetchall()
    if (schema, name) == ("sealed", "tasks"):
        query = f"SELECT count(*) - count(DISTINCT {TASK}) FROM {rows}"  # noqa: S608
        ((twice,),) = connection.execute(query).fetchall()
        found += twice
    return int(found)
