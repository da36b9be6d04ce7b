"""Generation: the fast path beside the paper's algorithms as written, certified alike.

As written means: SolveNode and SampleCSP on python-constraint, one insertion call after another
(A.5), and solutions counted by the solver the paper names. The paper's path is measured with the
repair, for without it most flexible tasks have millions of solutions, which no solver lists.

Calls that fill a store before the dialogue are each committed in a database file; the fast path
writes to such a file as well, and both are timed by the clock, since commits wait for the disk. The
same comparison in memory, all calls in one transaction, is in processor time.

`BENCH=full` makes 200 tasks with two processes instead of eight with one; it takes minutes.
"""

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import duckdb

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.contract import Draft
from crab_graph.domain.request_types import Profile
from crab_graph.domain.stocking import initialization_actions, insertions
from crab_graph.domains import generate
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.construction import (
    OVERSAMPLE,
    CandidatePlan,
    Scouted,
    TaskPlan,
    build_task,
    closure_band,
    populate_draft,
    scout,
)
from crab_graph.domains.generate import recipe_of
from crab_graph.domains.proof import certify_benchmark
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.domains.workbench import Workbench, open_workbench
from crab_graph.generation.certify import count_offers, count_sql, fetch_columns
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.generation.counting import EliminationCounter
from crab_graph.generation.csp import Link, list_bindings
from crab_graph.generation.grouped_csp import count_by_csp
from crab_graph.generation.materialize import create_tables, execute_actions, load_rows, qualified
from crab_graph.generation.objects import Columns, valid_rows
from crab_graph.generation.paper import PaperParameters
from crab_graph.generation.population import POSSIBLE, Population
from crab_graph.generation.search import search_solutions
from crab_graph.generation.seeds import sample_solutions
from crab_graph.randomness import derive_array_rng
from crab_graph.settings import GenerationSettings

BLUEPRINT = Blueprint(TRAVEL.declaration, TRAVEL.request_type, Profile)

Row = tuple[str, str, str]
Offer = dict[str, Any]

TASKS = 8
"""Tasks measured: two of each stratum, one of each date mode."""
DISTRACTORS = 2000
PAPER = PaperParameters()

GROUPED = "python-constraint, rows that are alike grouped"


@dataclass
class Times:
    """Milliseconds that each run took: of processor time, and by the clock."""

    cpu: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)


def timed(times: Times, call: Callable[[], Any]) -> Any:
    """Run something, note how long it took, and return what it returns.

    Everything here runs in one thread of this process, and its processor time depends little on
    what else the machine does.
    """
    cpu, clock = time.process_time(), time.perf_counter()
    result = call()
    times.cpu.append(1000 * (time.process_time() - cpu))
    times.clock.append(1000 * (time.perf_counter() - clock))
    return result


@dataclass
class FastTimes:
    """What the fast path takes: tasks certified, written to a file, and their objects alone.

    Of the objects the seeds, which python-constraint draws.
    """

    built: Times = field(default_factory=Times)
    kept: Times = field(default_factory=Times)
    objects: Times = field(default_factory=Times)
    seeds: Times = field(default_factory=Times)


@dataclass
class PaperTimes:
    """What the paper's path takes: objects, insertion calls in two ways, the solver's count."""

    objects: Times = field(default_factory=Times)
    together: Times = field(default_factory=Times)
    committed: Times = field(default_factory=Times)
    counted: Times = field(default_factory=Times)


def added(*parts: Sequence[float]) -> list[float]:
    """Return the sum of each run's parts."""
    return [sum(own) for own in zip(*parts, strict=True)]


def shown(measured: Sequence[float]) -> str:
    return f"{median(measured):,.0f} ms" if median(measured) >= 10 else f"{median(measured):.1f} ms"


def ratio(slow: Sequence[float], fast: Sequence[float]) -> str:
    return f"{median(slow) / median(fast):.0f} ×"


def scouted_task(number: int, paper: PaperParameters | None) -> Scouted:
    """Return a candidate; strata and date modes take turns, the same for both methods."""
    return scout(
        CandidatePlan(
            domain="travel",
            stratum=number % 4 + 1,
            number=number,
            axes={
                "date_mode": "flexible" if number >= TASKS // 2 else "fixed",
                "party": number % 4 + 1,
            },
            distractors=DISTRACTORS,
            benchmark_seed=7,
            paper=paper,
        )
    )


def draft_of(one: Scouted) -> Draft:
    return TRAVEL.draft(one.seed, one.axes)


def offers_of(connection: duckdb.DuckDBPyConnection, task: str) -> dict[str, list[Offer]]:
    """Return the rows of each node type as they stand in the tables of a task."""
    offers: dict[str, list[Offer]] = {}
    for name, sql in TRAVEL.sources.items():
        cursor = connection.execute(sql, {"task": task})
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


def bench_task() -> list[Row]:
    """One task by the fast path and by the paper's, in memory and in a file, taking turns."""
    fast, paper = FastTimes(), PaperTimes()
    settings = recipe_of(GenerationSettings(tasks=TASKS, distractors=DISTRACTORS))
    with (
        tempfile.TemporaryDirectory() as directory,
        open_workbench(Path(directory) / "bench", settings) as bench,
        duckdb.connect(":memory:", config={"threads": 1}) as memory,
        duckdb.connect(f"{directory}/store.duckdb", config={"threads": 1}) as file,
    ):
        create_tables(memory, TRAVEL.tables)
        create_tables(file, TRAVEL.tables)
        for number in range(TASKS):
            time_fast(fast, bench, f"T-{number}", scouted_task(number, None))
            time_paper(paper, memory, file, f"T-{number}", scouted_task(number, PAPER))
    in_memory = added(paper.objects.cpu, paper.together.cpu, paper.counted.cpu)
    in_file = added(paper.objects.clock, paper.committed.clock, paper.counted.clock)
    fast_in_file = added(fast.built.clock, fast.kept.clock)
    return [
        ("one task: generation + load + certification, CPU", shown(fast.built.cpu), "≤ 120 ms"),
        ("the same into a file, by the clock", shown(fast_in_file), ""),
        ("as written, each call committed in a file, by the clock", shown(in_file), ""),
        ("as written / fast, both in a file, by the clock", ratio(in_file, fast_in_file), "≥ 30 ×"),
        ("as written, one transaction in memory, CPU", shown(in_memory), ""),
        ("as written / fast, both in memory, CPU", ratio(in_memory, fast.built.cpu), "≥ 30 ×"),
        ("objects alone: fast, CPU", shown(fast.objects.cpu), ""),
        ("of these the seeds, by python-constraint, CPU", shown(fast.seeds.cpu), "≤ 60 ms"),
        ("objects alone: the paper's algorithms, repaired, CPU", shown(paper.objects.cpu), ""),
        ("insertion calls, one transaction in memory, CPU", shown(paper.together.cpu), ""),
        ("insertion calls, each committed in a file, CPU", shown(paper.committed.cpu), ""),
        (
            "insertion calls, each committed in a file, by the clock",
            shown(paper.committed.clock),
            "",
        ),
        ("counting by python-constraint, CPU", shown(paper.counted.cpu), ""),
    ]


def time_fast(times: FastTimes, bench: Workbench, task: str, one: Scouted) -> None:
    """Build a task and write it to a file; draw its objects once more to time these alone."""
    plan = TaskPlan(task, "travel", DISTRACTORS, one)
    built = timed(times.built, partial(build_task, plan))
    timed(times.kept, partial(bench.keep_task, built))
    timed(times.objects, partial(objects_of, one, None))
    folded = draft_of(one).folded
    folded.domains  # noqa: B018  (they are there when seeds are drawn)
    rng = derive_array_rng(one.seed, "sampled solutions")
    timed(times.seeds, partial(sample_solutions, folded, POSSIBLE, rng))


def time_paper(
    times: PaperTimes,
    memory: duckdb.DuckDBPyConnection,
    file: duckdb.DuckDBPyConnection,
    task: str,
    one: Scouted,
) -> None:
    """Run the paper's path: its algorithms, its insertion calls in two ways, the solver's count."""
    population = timed(times.objects, partial(objects_of, one, PAPER))

    def insert(connection: duckdb.DuckDBPyConnection, *, together: bool) -> None:
        actions = initialization_actions(BLUEPRINT, population, one.seed)
        execute_actions(
            connection, TRAVEL.tables, insertions(BLUEPRINT), task, actions, together=together
        )

    timed(times.together, partial(insert, memory, together=True))
    timed(times.committed, partial(insert, file, together=False))
    counted = timed(times.counted, partial(count_stored, file, task, draft_of(one)))
    if counted not in closure_band(one.stratum, len(TRAVEL.slots)):
        raise RuntimeError(f"the solver counts {counted} solutions of an S{one.stratum} task")


def count_stored(connection: duckdb.DuckDBPyConnection, task: str, draft: Draft) -> int:
    """Count a stored task's solutions as the paper would, with the solver it names."""
    return count_by_rows(draft, offers_of(connection, task))


def objects_of(one: Scouted, paper: PaperParameters | None) -> Population:
    return populate_draft(draft_of(one), one.stratum, DISTRACTORS, one.seed, paper)


def bench_certification() -> list[Row]:
    """One task counted by each method on the same tables."""
    times: dict[str, Times] = {}
    given_up = 0
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        create_tables(connection, TRAVEL.tables)
        for number in range(TASKS):
            one = scouted_task(number, None)
            draft = draft_of(one)
            graph = draft.folded.graph
            population = objects_of(one, None)
            connection.execute("BEGIN")
            tables = TRAVEL.materialize(population, one.seed).tables
            load_rows(connection, TRAVEL.tables, "t", tables)
            offers = offers_of(connection, "t")
            columns = {
                name: fetch_columns(connection, sql, {"task": "t"})
                for name, sql in TRAVEL.sources.items()
            }
            rows = {node.id: offers[node.type] for node in graph.nodes}
            methods: dict[str, Callable[[], int | None]] = {
                "SQL": partial(count_by_sql, connection, draft),
                "arrays": partial(count_offers, graph, columns),
                "plain search": partial(count_by_search, graph, rows),
                GROUPED: partial(count_by_csp, graph, rows, 10_000),
                "python-constraint, rows": partial(count_by_rows, draft, offers),
                "python-constraint, profiles": partial(count_by_profiles, draft, offers),
            }
            counts = {
                timed(times.setdefault(name, Times()), count) for name, count in methods.items()
            }
            # Where it is too much work the solver gives up, and plain search counts in its place.
            given_up += None in counts
            if counts - {None} != {population.closure}:
                raise RuntimeError(f"the counts differ: {counts}")
            connection.execute("ROLLBACK")
    return [
        *(
            (f"certification: {name}", shown(own.cpu), "≤ 3 s" if name == GROUPED else "")
            for name, own in times.items()
        ),
        ("  of these counts the first solver gave up", f"{given_up} of {TASKS}", ""),
    ]


def bench_least_sum() -> list[Row]:
    """A task with a wish for the least sum, counted with truth tables of few offers and of all."""
    few, every = Times(), Times()
    with tempfile.TemporaryDirectory() as directory:
        made = generate.generate_benchmark(
            Path(directory) / "bench", 1, level=[5], strata=[2], distractors=DISTRACTORS, seed=3
        )
        (task,) = made
        with made.reading() as connection:
            columns = {
                name: fetch_columns(connection, sql, {"task": task.id})
                for name, sql in TRAVEL.sources.items()
            }
    for _ in range(TASKS):
        counts = {
            timed(few, partial(count_offers, task.graph, columns)),
            timed(every, partial(count_tried_on_all, task.graph, columns)),
        }
        if counts != {len(task.solutions)}:
            raise RuntimeError(f"the counts differ: {counts}")
    return [
        ("count a task of level 5, edges tried out on valid offers", shown(few.cpu), ""),
        ("  on all offers / on valid ones", ratio(every.cpu, few.cpu), "≥ 10 ×"),
    ]


def bench_tours() -> list[Row]:
    """A tour of seven slots among the most distractors, beside a trip of four at usual size."""
    sizes = {"tour": 5000, "travel": DISTRACTORS}
    times = {name: Times() for name in sizes}
    with tempfile.TemporaryDirectory() as directory:
        for name, distractors in sizes.items():
            made = generate.generate_benchmark(
                Path(directory) / name, TASKS, domain=name, distractors=distractors, seed=3
            )
            with made.reading() as connection:
                for task in made:
                    certify: Callable[[], Any] = partial(
                        list, made.certify_tasks([task], connection)
                    )
                    [certificate] = timed(times[name], certify)
                    if not certificate.ok:
                        raise RuntimeError(f"{task.id} of {name} is not certified")
    tours, trips = times["tour"].cpu, times["travel"].cpu
    return [
        ("certify a tour, 5,000 distractors", shown(tours), ""),
        ("the slowest of 8 such tours", f"{max(tours):,.0f} ms", "≤ 1 s"),
        ("a tour beside a trip, 2,000 distractors", ratio(tours, trips), ""),
    ]


def count_by_sql(connection: duckdb.DuckDBPyConnection, draft: Draft) -> int:
    sql = count_sql(draft.folded.graph, TRAVEL.sources)
    return int(connection.execute(sql, {"task": "t"}).fetchall()[0][0])


def count_tried_on_all(graph: ConstraintGraph, offers: Mapping[str, Columns]) -> int:
    """Count by arrays, as `count_offers` does, with truth tables of all offers."""
    objects = {node.id: offers[node.type] for node in graph.nodes}
    counter = EliminationCounter(graph.node_ids, graph.edge_constraints, objects)
    return counter.count(
        {node: valid_rows(own, graph.node_constraints(node)) for node, own in objects.items()}
    )


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
    candidates = OVERSAMPLE if choosing else 1
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
    rows = [*bench_task(), *bench_certification(), *bench_least_sum(), *bench_tours()]
    if os.environ.get("BENCH") != "full":
        return [*rows, *bench_benchmark(8, 1, choosing=True)]
    return [
        *rows,
        *bench_benchmark(200, 2, choosing=True),
        *bench_benchmark(200, 2, choosing=False),
    ]
