"""A benchmark as a dataset folder: one Parquet file a table, and a data card (paper Table 1).

The card's head lists the files as configurations, so that a hub shows each as a table.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.analysis.benchmark_stats import BenchmarkStats, describe_benchmark, table_cells
from crab_graph.analysis.export.folder import whole_folder
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.manifest import MANIFEST
from crab_graph.domains.task import Task
from crab_graph.generation.materialize import qualified
from crab_graph.schema import canonical_json
from crab_graph.tools.tables import Table

if TYPE_CHECKING:
    import duckdb

CARD = "README.md"

_TASK_COLUMNS: Mapping[str, str] = {
    "task_id": "VARCHAR",
    "stratum": "INTEGER",
    "date_mode": "VARCHAR",
    "party": "INTEGER",
    "today": "DATE",
    "customer_id": "VARCHAR",
    "solutions": "INTEGER",
    "node_distractors": "INTEGER",
    "edge_distractors": "INTEGER",
    "active_edges": "VARCHAR[]",
    "facts": "JSON",
    "constraints": "JSON",
    "request": "JSON",
    "rows_sha256": "VARCHAR",
}
_SOLUTION_COLUMNS: Mapping[str, str] = {
    "task_id": "VARCHAR",
    "number": "INTEGER",
    "solution": "JSON",
}
_AT_ONCE = 256
"""Tasks gathered before they are inserted: memory stays the same for a benchmark of any size."""


def export_dataset(bench: Benchmark, out: Path, *, force: bool = False) -> dict[str, int]:
    """Write a benchmark as a dataset folder, and return the number of rows of each file.

    `OUT/data/NAME.parquet` holds the tasks, their certified solutions, what each distractor breaks
    (`provenance`), every booking table and the user's private ones; `OUT/manifest.json` is the
    benchmark's own, with seed, versions and the hash of each task's rows; `OUT/README.md` is the
    data card.

    Args:
        bench: The benchmark.
        out: The folder; it appears when all of it is written.
        force: Whether what is there is replaced.

    Raises:
        UsageError: something is there, and `force` is not given.
        BenchmarkError: the benchmark is damaged.
    """
    with whole_folder(out, force=force) as folder:
        data = folder / "data"
        data.mkdir()
        with bench.connect() as connection:
            _fill_tasks(connection, bench)
            rows = {
                name: write_parquet(connection, query, data / f"{name}.parquet")
                for name, query in _queries(bench.domain.tables).items()
            }
        (folder / MANIFEST).write_text(bench.manifest.to_json(), encoding="utf-8")
        card = _card(bench, describe_benchmark(bench), rows, out.name)
        (folder / CARD).write_text(card, encoding="utf-8")
    return rows


def write_parquet(connection: "duckdb.DuckDBPyConnection", query: str, path: Path) -> int:
    """Write the rows of a query to a Parquet file, and return how many they are."""
    target = str(path).replace("'", "''")
    answer = connection.execute(f"COPY ({query}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
    found = answer.fetchone()
    return int(found[0]) if found else 0


def card_head(title: str, tags: Sequence[str], files: Iterable[str]) -> str:
    """Return the head of a data card: what a hub reads to show each file as a table."""
    lines = [
        "---",
        f"pretty_name: {json.dumps(title)}",
        "tags:",
        *(f"- {tag}" for tag in tags),
        "configs:",
    ]
    for name in files:
        lines += [f"- config_name: {name}", f"  data_files: data/{name}.parquet"]
    return "\n".join([*lines, "---", ""])


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table whose columns after the first are aligned to the right."""
    lines = [f"| {' | '.join(heading)} |", f"|---|{'---:|' * (len(heading) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _queries(tables: Sequence[Table]) -> dict[str, str]:
    """Return what each file holds, in an order that does not depend on how it was stored."""
    stored = {
        table.name: f'SELECT * FROM {qualified(table)} ORDER BY task_id, "{table.key}"'  # noqa: S608
        for table in tables
    }
    return {
        "tasks": "SELECT * FROM temp.task_list ORDER BY task_id",
        "solutions": "SELECT * FROM temp.solution_list ORDER BY task_id, number",
        "provenance": "SELECT * FROM sealed.provenance ORDER BY ALL",
        **stored,
    }


def _fill_tasks(connection: "duckdb.DuckDBPyConnection", bench: Benchmark) -> None:
    for name, columns in (("task_list", _TASK_COLUMNS), ("solution_list", _SOLUTION_COLUMNS)):
        declared = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        connection.execute(f"CREATE TEMP TABLE {name} ({declared})")
    for start in range(0, len(bench), _AT_ONCE):
        tasks = bench[start : start + _AT_ONCE]
        _insert(connection, "task_list", _TASK_COLUMNS, [_task_row(task) for task in tasks])
        solutions = [
            {"task_id": task.id, "number": number, "solution": canonical_json(solution)}
            for task in tasks
            for number, solution in enumerate(task.solutions, start=1)
        ]
        _insert(connection, "solution_list", _SOLUTION_COLUMNS, solutions)


def _insert(
    connection: "duckdb.DuckDBPyConnection",
    table: str,
    columns: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    unnested = ", ".join(f"unnest(?::{kind}[])" for kind in columns.values())
    values = [[row[name] for row in rows] for name in columns]
    connection.execute(f"INSERT INTO temp.{table} SELECT {unnested}", values)


def _task_row(task: Task) -> dict[str, Any]:
    constraints = [
        {"name": one.name, "nodes": list(one.nodes), "sentence": one.sentence}
        for one in task.graph.constraints
    ]
    return {
        **task.summary(),
        "task_id": task.id,
        "today": task.today,
        "customer_id": task.customer_id,
        "facts": canonical_json([fact.as_json() for fact in task.facts]),
        "constraints": canonical_json(constraints),
        "request": canonical_json(task.spec.request),
        "rows_sha256": task.spec.rows_sha256,
    }


def _card(bench: Benchmark, stats: BenchmarkStats, rows: Mapping[str, int], name: str) -> str:
    settings, versions = bench.manifest.settings, bench.manifest.versions
    seed = (
        f"seed {settings.seed}"
        if settings.seed is not None
        else f"a private seed, announced as {settings.commitment}"
    )
    made_with = ", ".join(f"{package} {version}" for package, version in versions.items())
    table = markdown_table(
        ["", *(column.stratum for column in stats.table)],
        (
            (cells[0][0], *(text for _, text in cells))
            for cells in zip(*map(table_cells, stats.table), strict=True)
        ),
    )
    counts = [
        f"- {one.property}: " + "; ".join(f"{value} ({n})" for value, n in one.counts.items())
        for one in stats.distributions
    ]
    files = markdown_table(["file", "rows"], ((one, f"{n:,}") for one, n in rows.items()))
    return f"""{card_head(name, ("agents", "user-simulation", settings.domain), rows)}
# {name}

{len(bench)} {settings.domain} tasks of crab-graph for an agent that talks to a simulated user.
Each asks for one offer per node ({", ".join(slot.id for slot in bench.domain.slots)}) out of
thousands of misleading candidates. How many combinations are valid was counted on these very tables
by three independent methods; `solutions` lists every one of them.

Generated from {seed} by {made_with}.
People, companies and addresses are invented: all rows were made by a program.

## What the tasks are

{table}

Numbers are means over tasks (and the least to the greatest).

Tasks by property:

{chr(10).join(counts)}

## Files

{files}

`tasks` has one row a task: what the user knows (`facts`: `basic` ones may be said upfront,
`detail` ones only when asked) and the `constraints` that a solution meets. `provenance` says which
constraint each distractor breaks: neither it nor `solutions`, `cards` and `approvals` may be shown
to an agent. Money is in integer cents, `task_id` ties all files together, and `rows_sha256` is the
hash of a task's booking and private rows, as `{MANIFEST}` lists it for the whole benchmark
(`{bench.sha256}`).
"""
