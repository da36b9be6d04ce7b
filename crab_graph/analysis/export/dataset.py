"""A benchmark or a run as a dataset folder: one Parquet file a table, and a data card.

The card's head lists the files as configurations, so that a hub shows each as a table.
"""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import jinja2

from crab_graph.analysis.benchmark_stats import describe_benchmark, table_cells
from crab_graph.analysis.export.exporters import Exporter, run_stamp
from crab_graph.domains.benchmark import MANIFEST, Benchmark
from crab_graph.domains.task import Task
from crab_graph.errors import StorageError
from crab_graph.generation.materialize import qualified
from crab_graph.runs.parts import connect
from crab_graph.runs.run import Run
from crab_graph.runs.sql import load_runs
from crab_graph.schema import canonical_json
from crab_graph.workers import take_place, unfinished_path

_CARD = "README.md"
_STAMP = "run.json"
_TASKS = """
CREATE TEMP TABLE task_list (
    task_id VARCHAR, stratum INTEGER, level INTEGER, difficulty JSON,
    faults VARCHAR[], changes VARCHAR[], {axes}
    today DATE, customer_id VARCHAR,
    solutions BIGINT, node_distractors INTEGER, edge_distractors INTEGER,
    active_edges VARCHAR[], fitting JSON, shortcuts VARCHAR[],
    facts JSON, constraints JSON, request JSON, rows_sha256 VARCHAR
);
CREATE TEMP TABLE solution_list (task_id VARCHAR, number INTEGER, solution JSON);
"""
_OF_TASKS = "WHERE task_id IN (SELECT task_id FROM temp.task_list)"
_AT_ONCE = 256
"""Tasks gathered before they are inserted: memory stays the same for a benchmark of any size."""


def export_benchmark(bench: Benchmark, out: Path) -> dict[str, int]:
    """Write a benchmark as a dataset folder, and return the number of rows of each file.

    `OUT/data/NAME.parquet` holds the tasks, their certified solutions, what each distractor breaks
    (`provenance`), every booking table and the user's private ones; `OUT/manifest.json` is the
    benchmark's own, with seed, versions and the hash of each task's rows; `OUT/README.md` is the
    data card.

    Raises:
        BenchmarkError: the benchmark is damaged.
    """
    # Each in an order that does not depend on how it was stored, and what the manifest vouches for.
    queries = {
        "tasks": "SELECT * FROM temp.task_list ORDER BY task_id",
        "solutions": "SELECT * FROM temp.solution_list ORDER BY task_id, number",
        "provenance": f"SELECT * FROM sealed.provenance {_OF_TASKS} ORDER BY ALL",  # noqa: S608
    }
    for table in bench.domain.tables:
        # Of another version of the domain whichever columns there are were hashed.
        columns = ", ".join(f'"{one}"' for one in ("task_id", *table.columns))
        queries[table.name] = (
            f"SELECT {columns if bench.is_current else '*'} FROM {qualified(table)} "  # noqa: S608
            f'{_OF_TASKS} ORDER BY task_id, "{table.key}"'
        )
    with bench.reading(unfinished_path(out)) as connection:
        connection.execute(_TASKS.format(axes=_axis_columns(bench)))
        for start in range(0, len(bench), _AT_ONCE):
            tasks = bench[start : start + _AT_ONCE]
            task_ids = [task.id for task in tasks]
            bench.check_rows(connection, task_ids)
            bench.check_provenance(connection, task_ids)
            _insert(connection, "task_list", [_task_row(task) for task in tasks])
            solutions = [
                {"task_id": task.id, "number": number, "solution": canonical_json(solution)}
                for task in tasks
                for number, solution in enumerate(task.kept_solutions, start=1)
            ]
            _insert(connection, "solution_list", solutions)
        about = {MANIFEST: bench.manifest.to_json()}
        return _write(out, connection, queries, about, partial(_benchmark_card, bench, out.name))


def export_tables(run: Run, out: Path) -> dict[str, int]:
    """Write a run's tables as a dataset folder, and return the number of rows of each file.

    `OUT/data/NAME.parquet` holds a table, `OUT/run.json` what the run depends on, and
    `OUT/README.md` the data card.

    Raises:
        RunError: the run is damaged.
    """
    with connect() as connection:
        names = load_runs(connection, [run.directory]).names
        queries = {name: f'SELECT * FROM "{name}" ORDER BY ALL' for name in names}  # noqa: S608
        about = {_STAMP: json.dumps(run_stamp(run), indent=1) + "\n"}
        return _write(out, connection, queries, about, partial(_run_card, run, out.name))


PARQUET = Exporter(export_tables, benchmark=export_benchmark)


def _write(
    out: Path,
    connection: duckdb.DuckDBPyConnection,
    queries: Mapping[str, str],
    about: Mapping[str, str],
    card: Callable[[Mapping[str, int]], str],
) -> dict[str, int]:
    """Write a Parquet file for each query, other files by name, and a card of the row counts."""
    rows = {}
    unfinished = unfinished_path(out)
    data = unfinished / "data"
    try:
        data.mkdir(parents=True)
        for name, query in queries.items():
            target = str(data / f"{name}.parquet").replace("'", "''")
            copy = f"COPY ({query}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
            found = connection.execute(copy).fetchone()
            rows[name] = int(found[0]) if found else 0
        for name, text in {**about, _CARD: card(rows)}.items():
            (unfinished / name).write_text(text, encoding="utf-8", newline="\n")
        if out.is_dir():
            shutil.rmtree(out)
        else:
            out.unlink(missing_ok=True)
        take_place(unfinished, out)
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0].replace(str(unfinished), str(out))
        raise StorageError(f"{out}: cannot be written: {reason}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return rows


def _axis_columns(bench: Benchmark) -> str:
    kinds = (
        (axis.name, "INTEGER" if axis.holds_numbers else "VARCHAR") for axis in bench.card.axes
    )
    return "".join(f'"{name}" {kind}, ' for name, kind in kinds)


def _insert(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Mapping[str, Any]]
) -> None:
    unnested = "SELECT one.* FROM (SELECT unnest(?) AS one)"
    connection.execute(f"INSERT INTO temp.{table} BY NAME {unnested}", [rows])


def _task_row(task: Task) -> dict[str, Any]:
    constraints = [
        {"name": one.name, "nodes": list(one.nodes), "sentence": one.sentence}
        for one in task.graph.constraints
    ]
    summary = task.summary()
    return {
        "task_id": summary.pop("id"),
        **summary,
        "difficulty": canonical_json(summary["difficulty"]),
        "fitting": None if task.spec.fitting is None else canonical_json(task.spec.fitting),
        "today": task.today,
        "customer_id": task.customer_id,
        "facts": canonical_json([fact.as_json() for fact in task.facts]),
        "constraints": canonical_json(constraints),
        "request": canonical_json(task.spec.request),
        "rows_sha256": task.spec.rows_sha256,
    }


def _benchmark_card(bench: Benchmark, name: str, rows: Mapping[str, int]) -> str:
    settings, stats = bench.manifest.settings, describe_benchmark(bench)
    seed = f"a private seed, announced as {settings.commitment}"
    if settings.seed is not None:
        seed = f"seed {settings.seed}"
    axis = bench.card.first_axis
    columns = [dict(table_cells(column, axis)) for column in stats.table]
    return _card(
        "benchmark.md",
        name=name,
        rows=rows,
        tag=settings.domain,
        bench=bench,
        seed=seed,
        made_with=", ".join(f"{name} {one}" for name, one in bench.manifest.versions.items()),
        stats=stats,
        lines=[[one, *(column[one] for column in columns)] for one in columns[0]],
    )


def _run_card(run: Run, name: str, rows: Mapping[str, int]) -> str:
    stamp = run_stamp(run)
    reference = " (a reference agent)" if stamp["agent_is_reference"] else ""
    is_rules = stamp["user_is_rule_based"]
    return _card(
        "run.md",
        name=name,
        rows=rows,
        tag="trajectories",
        run=run,
        agent=f"{run.config.agent_label}{reference}",
        played="follows rules, without a model" if is_rules else "is played by a model",
        by_user={user: [one for one in run if one.condition == user] for user in run.config.users},
    )


def _card(template: str, name: str, **values: Any) -> str:
    """Return a data card; its head is what a hub reads to show each file as a table."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "cards"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(name=name, title=json.dumps(name), **values)
