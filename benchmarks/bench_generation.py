"""Generation: the fast path beside the paper's algorithms as written, certified alike.

As written means: SolveNode and SampleCSP on python-constraint, one insertion call after another
(A.5), and solutions counted by the solver the paper names. The paper's path is measured with the
repair, for without it most flexible tasks have millions of solutions, which no solver lists.

`BENCH=full` makes 200 tasks with two processes instead of eight with one; it takes minutes.
"""

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import duckdb

from crab_graph.domains import generate
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.build import TaskPlan, build_task
from crab_graph.domains.certification import certify_benchmark
from crab_graph.domains.domain import Draft
from crab_graph.domains.scout import (
    CLOSURE_BANDS,
    OVERSAMPLE,
    CandidatePlan,
    Scouted,
    populate_draft,
    scout,
)
from crab_graph.domains.travel.domain import SOURCES, TRAVEL
from crab_graph.domains.travel.initialization import INSERTIONS, initialization_actions
from crab_graph.generation.certify import count_offers, fetch_columns
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.generation.csp import Link, list_bindings
from crab_graph.generation.initialization import execute_actions
from crab_graph.generation.materialize import create_tables, load_rows, qualified
from crab_graph.generation.paper_population import PaperParameters
from crab_graph.generation.population import Population
from crab_graph.generation.search import search_solutions
from crab_graph.generation.sql_count import count_sql

Row = tuple[str, str, str]
Offer = dict[str, Any]

TASKS = 8
"""Tasks measured: two of each stratum, one of each date mode."""
DISTRACTORS = 2000
PAPER = PaperParameters()


def timed(measured: list[float], call: Callable[[], Any]) -> Any:
    """Run something, note the milliseconds of CPU it took, and return what it returns.

    Everything here runs in one thread of this process, and CPU time does not depend on what else
    the machine does.
    """
    started = time.process_time()
    result = call()
    measured.append(1000 * (time.process_time() - started))
    return result


def milliseconds(measured: Sequence[float]) -> str:
    return f"{median(measured):,.0f} ms" if median(measured) >= 10 else f"{median(measured):.1f} ms"


def scouted_tasks(paper: PaperParameters | None) -> list[Scouted]:
    """Return candidates of every stratum and date mode, the same requests for both methods."""
    return [
        scout(
            CandidatePlan(
                domain="travel",
                stratum=number % 4 + 1,
                number=number,
                flexible=number >= TASKS // 2,
                party_size=number % 4 + 1,
                distractors=DISTRACTORS,
                benchmark_seed=7,
                paper=paper,
            )
        )
        for number in range(TASKS)
    ]


def draft_of(one: Scouted) -> Draft:
    return TRAVEL.draft(one.seed, one.flexible, one.party_size)


def offers_of(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Offer]]:
    """Return the rows of each node type as they stand in the tables of the task `t`."""
    offers: dict[str, list[Offer]] = {}
    for name, sql in SOURCES.items():
        cursor = connection.execute(sql, {"task": "t"})
        names = [column[0] for column in cursor.description or []]
        offers[name] = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return offers


def valid_offers(draft: Draft, offers: Mapping[str, list[Offer]]) -> dict[str, list[Offer]]:
    """Return for each node the rows that meet its own constraints."""
    return {
        node.id: [
            row
            for row in offers[node.type]
            if all(
                item.holds({ref: row[ref[1]] for ref in item.refs})
                for item in draft.folded.node_constraints[node.id]
            )
        ]
        for node in draft.folded.graph.nodes
    }


def count_by_rows(draft: Draft, offers: Mapping[str, list[Offer]]) -> int:
    """Count with python-constraint: a variable a node, whose values are its rows."""
    valid = valid_offers(draft, offers)

    def over_rows(edge: Constraint) -> Constraint:
        def holds(*positions: int) -> bool:
            chosen = dict(zip(edge.nodes, positions, strict=True))
            return edge.holds({ref: valid[ref[0]][chosen[ref[0]]][ref[1]] for ref in edge.refs})

        return Constraint(edge.name, tuple((node, "row") for node in edge.nodes), holds)

    domains = {(node, "row"): range(len(rows)) for node, rows in valid.items()}
    return len(list_bindings(domains, [over_rows(edge) for edge in draft.folded.edges], ()))


def count_by_profiles(draft: Draft, offers: Mapping[str, list[Offer]]) -> int:
    """Count with python-constraint over what edges read, rows bound to it: as good as it gets."""
    domains: dict[Ref, Sequence[Value]] = {}
    links: list[Link] = []
    for node, rows in valid_offers(draft, offers).items():
        names = draft.folded.edge_properties(node)
        refs = tuple((node, name) for name in names)
        shown = [tuple(row[name] for name in names) for row in rows]
        domains.update({(node, name): sorted({r[name] for r in rows}, key=repr) for name in names})
        domains[(node, "row")] = range(len(rows))
        bound = frozenset((number, *values) for number, values in enumerate(shown))
        links.append(Link(((node, "row"), *refs), bound))
        if len(refs) > 1:
            links.append(Link(refs, frozenset(shown)))
    return len(list_bindings(domains, draft.folded.edges, links))


def as_written(one: Scouted) -> int:
    """Run the paper's path: algorithms, insertion calls one by one, the solver's count."""
    draft = draft_of(one)
    population = populate_draft(draft, one.stratum, DISTRACTORS, one.seed, PAPER)
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        create_tables(connection, TRAVEL.tables)
        actions = initialization_actions(population, one.seed)
        execute_actions(connection, TRAVEL.tables, INSERTIONS, "t", actions)
        return count_by_rows(draft, offers_of(connection))


def bench_task() -> list[Row]:
    """One task by the fast path and by the paper's, and the objects of each alone."""
    fast: list[float] = []
    written: list[float] = []
    own: list[float] = []
    theirs: list[float] = []
    for one in scouted_tasks(None):
        timed(fast, partial(build_task, TaskPlan("t", "travel", DISTRACTORS, one)))
        timed(own, partial(objects_of, one, None))
    for one in scouted_tasks(PAPER):
        counted = timed(written, partial(as_written, one))
        if counted not in CLOSURE_BANDS[one.stratum]:
            raise RuntimeError(f"the solver counts {counted} solutions of an S{one.stratum} task")
        timed(theirs, partial(objects_of, one, PAPER))
    return [
        ("one task: generation + load + certification, CPU", milliseconds(fast), "≤ 120 ms"),
        ("the same as the paper writes it, CPU", milliseconds(written), ""),
        ("as written / fast", f"{median(written) / median(fast):.0f} ×", "≥ 30 ×"),
        ("objects alone: fast", milliseconds(own), ""),
        ("objects alone: the paper's algorithms, repaired", milliseconds(theirs), ""),
    ]


def objects_of(one: Scouted, paper: PaperParameters | None) -> Population:
    return populate_draft(draft_of(one), one.stratum, DISTRACTORS, one.seed, paper)


def bench_certification() -> list[Row]:
    """One task counted by each method on the same tables."""
    times: dict[str, list[float]] = {}
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        create_tables(connection, TRAVEL.tables)
        for one in scouted_tasks(None):
            draft = draft_of(one)
            graph = draft.folded.graph
            population = objects_of(one, None)
            connection.execute("BEGIN")
            tables = TRAVEL.materialize(population, one.seed).tables
            load_rows(connection, TRAVEL.tables, "t", tables)
            offers = offers_of(connection)
            columns = {
                name: fetch_columns(connection, sql, {"task": "t"}) for name, sql in SOURCES.items()
            }
            rows = {node.id: offers[node.type] for node in graph.nodes}
            methods: dict[str, Callable[[], int]] = {
                "SQL": partial(count_by_sql, connection, draft),
                "arrays": partial(count_offers, graph, columns),
                "plain search": partial(count_by_search, graph, rows),
                "python-constraint, rows": partial(count_by_rows, draft, offers),
                "python-constraint, profiles": partial(count_by_profiles, draft, offers),
            }
            counts = {timed(times.setdefault(name, []), count) for name, count in methods.items()}
            if counts != {population.closure}:
                raise RuntimeError(f"the counts differ: {counts}")
            connection.execute("ROLLBACK")
    return [(f"certification: {name}", milliseconds(own), "") for name, own in times.items()]


def count_by_sql(connection: duckdb.DuckDBPyConnection, draft: Draft) -> int:
    sql = count_sql(draft.folded.graph, SOURCES)
    return int(connection.execute(sql, {"task": "t"}).fetchall()[0][0])


def count_by_search(graph: ConstraintGraph, rows: Mapping[str, Sequence[Any]]) -> int:
    return len(search_solutions(graph, rows, 10_000))


def bench_benchmark(tasks: int, jobs: int, *, choosing: bool) -> list[Row]:
    """A whole benchmark: its time, what a task takes on disk, and to certify all of it again.

    Args:
        tasks: Number of tasks.
        jobs: Number of processes.
        choosing: Whether tasks are chosen among more candidates, as usual; otherwise only the time
            is measured.
    """
    full = tasks == 200
    how = "chosen as usual" if choosing else "without over-generation"
    made = f"{tasks} tasks, {how}, {jobs} process{'es' * (jobs > 1)}"
    candidates = OVERSAMPLE if choosing else dict.fromkeys(OVERSAMPLE, 1)
    with tempfile.TemporaryDirectory() as directory:
        started = time.perf_counter()
        path = Path(directory) / "bench"
        with patch.object(generate, "OVERSAMPLE", candidates):
            generate.generate_benchmark(path, tasks, jobs=jobs)
        seconds = time.perf_counter() - started
        rows = [(made, f"{seconds:.0f} s", ("≤ 90 s" if choosing else "≤ 30 s") * full)]
        if not choosing:
            return rows
        benchmark = load_benchmark(path)
        size = sum(one.stat().st_size for one in path.iterdir()) / tasks / 1000
        compressed = parquet_size(benchmark, Path(directory)) / tasks / 1000
        started = time.perf_counter()
        certify_benchmark(benchmark, [entry.id for entry in benchmark.manifest.tasks])
        seconds = time.perf_counter() - started
    return [
        *rows,
        (f"size of a task in DuckDB ({tasks} tasks)", f"{size:.0f} KB", "≤ 160 KB"),
        ("size of a task in Parquet, zstd", f"{compressed:.0f} KB", "≤ 40 KB"),
        (f"certify again, {tasks} tasks, all cores", f"{seconds:.1f} s", "≤ 10 s" * full),
    ]


def parquet_size(benchmark: Benchmark, directory: Path) -> int:
    """Return the bytes of a benchmark's tables as compressed Parquet, one file a table."""
    files = [directory / f"{table.name}.parquet" for table in benchmark.domain.tables]
    with benchmark.connect() as connection:
        for table, path in zip(benchmark.domain.tables, files, strict=True):
            connection.execute(
                f"COPY {qualified(table)} TO '{path}' (FORMAT parquet, COMPRESSION zstd)"
            )
    return sum(path.stat().st_size for path in files)


def main() -> list[Row]:
    rows = [*bench_task(), *bench_certification()]
    if os.environ.get("BENCH") != "full":
        return [*rows, *bench_benchmark(8, 1, choosing=True)]
    return [
        *rows,
        *bench_benchmark(200, 2, choosing=True),
        *bench_benchmark(200, 2, choosing=False),
    ]
