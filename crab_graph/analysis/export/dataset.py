"""A benchmark or a run as a dataset folder: one Parquet file a table, and a data card.

The card's head lists the files as configurations, so that a hub shows each as a table.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.analysis.benchmark_stats import describe_benchmark, table_cells
from crab_graph.analysis.export.exporters import Exporter, run_stamp, whole_folder
from crab_graph.domains.benchmark import MANIFEST, Benchmark
from crab_graph.domains.task import Task
from crab_graph.generation.materialize import qualified
from crab_graph.runs.parts import connect
from crab_graph.runs.relations import RELATIONS
from crab_graph.runs.run import Run
from crab_graph.runs.sql import load_runs
from crab_graph.schema import canonical_json

if TYPE_CHECKING:
    import duckdb

_CARD = "README.md"
_STAMP = "run.json"
_TASKS = """
CREATE TEMP TABLE task_list (
    task_id VARCHAR, stratum INTEGER, date_mode VARCHAR, party INTEGER, today DATE,
    customer_id VARCHAR, solutions INTEGER, node_distractors INTEGER, edge_distractors INTEGER,
    active_edges VARCHAR[], facts JSON, constraints JSON, request JSON, rows_sha256 VARCHAR
);
CREATE TEMP TABLE solution_list (task_id VARCHAR, number INTEGER, solution JSON);
"""
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
    # Each in an order that does not depend on how it was stored.
    queries = {
        "tasks": "SELECT * FROM temp.task_list ORDER BY task_id",
        "solutions": "SELECT * FROM temp.solution_list ORDER BY task_id, number",
        "provenance": "SELECT * FROM sealed.provenance ORDER BY ALL",
    }
    for table in bench.domain.tables:
        ordered = f'SELECT * FROM {qualified(table)} ORDER BY task_id, "{table.key}"'  # noqa: S608
        queries[table.name] = ordered
    with bench.connect() as connection:
        connection.execute(_TASKS)
        for start in range(0, len(bench), _AT_ONCE):
            tasks = bench[start : start + _AT_ONCE]
            _insert(connection, "task_list", [_task_row(task) for task in tasks])
            solutions = [
                {"task_id": task.id, "number": number, "solution": canonical_json(solution)}
                for task in tasks
                for number, solution in enumerate(task.solutions, start=1)
            ]
            _insert(connection, "solution_list", solutions)
        about = {MANIFEST: bench.manifest.to_json()}
        return _write(out, connection, queries, about, lambda rows: _card(bench, rows, out.name))


def export_tables(run: Run, out: Path) -> dict[str, int]:
    """Write a run's tables as a dataset folder, and return the number of rows of each file.

    `OUT/data/NAME.parquet` holds a table, `OUT/run.json` what the run depends on, and
    `OUT/README.md` the data card.

    Raises:
        RunError: the run is damaged.
    """
    queries = {
        table.name: f'SELECT * FROM "{table.name}" ORDER BY ALL'  # noqa: S608
        for table in RELATIONS
    }
    with connect() as connection:
        load_runs(connection, [run.directory], RELATIONS)
        about = {_STAMP: json.dumps(run_stamp(run), indent=1) + "\n"}
        return _write(out, connection, queries, about, lambda rows: _run_card(run, rows, out.name))


PARQUET = Exporter(export_tables, benchmark=export_benchmark)


def _write(
    out: Path,
    connection: "duckdb.DuckDBPyConnection",
    queries: Mapping[str, str],
    about: Mapping[str, str],
    card: Callable[[Mapping[str, int]], str],
) -> dict[str, int]:
    """Write a Parquet file for each query, other files by name, and a card of the row counts."""
    rows = {}
    with whole_folder(out) as folder:
        data = folder / "data"
        data.mkdir()
        for name, query in queries.items():
            target = str(data / f"{name}.parquet").replace("'", "''")
            copy = f"COPY ({query}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
            found = connection.execute(copy).fetchone()
            rows[name] = int(found[0]) if found else 0
        for name, text in {**about, _CARD: card(rows)}.items():
            (folder / name).write_text(text, encoding="utf-8")
    return rows


def _insert(
    connection: "duckdb.DuckDBPyConnection", table: str, rows: Sequence[Mapping[str, Any]]
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
        "today": task.today,
        "customer_id": task.customer_id,
        "facts": canonical_json([fact.as_json() for fact in task.facts]),
        "constraints": canonical_json(constraints),
        "request": canonical_json(task.spec.request),
        "rows_sha256": task.spec.rows_sha256,
    }


def _card_head(name: str, tags: Sequence[str], files: Iterable[str]) -> str:
    """Return the head of a data card: what a hub reads to show each file as a table."""
    lines = ["---", f"pretty_name: {json.dumps(name)}", "tags:", *(f"- {tag}" for tag in tags)]
    lines.append("configs:")
    for file in files:
        lines += [f"- config_name: {file}", f"  data_files: data/{file}.parquet"]
    return "\n".join([*lines, "---", "", f"# {name}"])


def _markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table whose columns after the first are aligned to the right."""
    lines = [f"| {' | '.join(heading)} |", f"|---|{'---:|' * (len(heading) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _files(rows: Mapping[str, int]) -> str:
    return _markdown_table(["file", "rows"], ((one, f"{n:,}") for one, n in rows.items()))


def _card(bench: Benchmark, rows: Mapping[str, int], name: str) -> str:
    settings, versions = bench.manifest.settings, bench.manifest.versions
    seed = (
        f"seed {settings.seed}"
        if settings.seed is not None
        else f"a private seed, announced as {settings.commitment}"
    )
    made_with = ", ".join(f"{package} {version}" for package, version in versions.items())
    stats = describe_benchmark(bench)
    table = _markdown_table(
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
    return f"""{_card_head(name, ("agents", "user-simulation", settings.domain), rows)}

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

{_files(rows)}

`tasks` has one row a task: what the user knows (`facts`: `basic` ones may be said upfront,
`detail` ones only when asked) and the `constraints` that a solution meets. `provenance` says which
constraint each distractor breaks: neither it nor `solutions`, `cards` and `approvals` may be shown
to an agent. Money is in integer cents, `task_id` ties all files together, and `rows_sha256` is the
hash of a task's booking and private rows, as `{MANIFEST}` lists it for the whole benchmark
(`{bench.sha256}`).
"""


def _run_card(run: Run, rows: Mapping[str, int], name: str) -> str:
    stamp = run_stamp(run)
    reference = " (a reference agent)" if stamp["agent_is_reference"] else ""
    agent = f"{run.config.agent_label}{reference}"
    played = "is played by a model"
    if stamp["user_is_rule_based"]:
        played = "follows rules, without a model"
    by_user = {user: [one for one in run if one.condition == user] for user in run.config.users}
    outcomes = _markdown_table(
        ["user", "episodes", "passed", "infra_error"],
        (
            (
                user,
                str(len(own)),
                str(sum(one.passed for one in own)),
                str(sum(one.outcome == "infra_error" for one in own)),
            )
            for user, own in by_user.items()
            if own
        ),
    )
    return f"""{_card_head(name, ("agents", "user-simulation", "trajectories"), rows)}

{len(run)} of {run.planned} episodes of crab-graph: {agent} in dialogue with a simulated user that
{played}. Graded on the final database and on whether the agent's words match its deeds.

{outcomes}

An episode without a verdict (`infra_error`) is never scored.

## Files

{_files(rows)}

`episode_id` ties the files together. `messages` and `tool_calls` hold the user's private calls too
(`owner = 'user'`), which the agent never saw. `{_STAMP}` says what the results depend on: seed,
limits, versions, and the hash of the tasks (`{run.config.benchmark_sha256}`).
"""
