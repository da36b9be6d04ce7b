"""Generating a benchmark, task by task; an interrupted generation goes on where it stopped."""

import json
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from crab_graph.domains.benchmark import Benchmark, load_benchmark, stored_settings
from crab_graph.domains.build import BuiltTask, TaskPlan, build_task
from crab_graph.domains.manifest import (
    DATABASE,
    MANIFEST,
    Manifest,
    Settings,
    TaskEntry,
    read_manifest,
)
from crab_graph.domains.registry import find_domain
from crab_graph.errors import BenchmarkError, UsageError
from crab_graph.generation.materialize import create_tables, load_rows
from crab_graph.workers import process_map, write_atomically

if TYPE_CHECKING:
    import duckdb

Progress = Callable[[int, int], None]
"""Called with the number of finished tasks and of all tasks."""

MAX_TASKS = 1_000_000
MAX_DISTRACTORS = 20_000
_STAMPED = ("crab-graph", "duckdb", "numpy", "python-constraint2")


def generate_benchmark(
    path: str | Path,
    tasks: int = 200,
    *,
    seed: int = 0,
    strata: Sequence[int] = (1, 2, 3, 4),
    domain: str = "travel",
    distractors: int = 2000,
    jobs: int = 1,
    force: bool = False,
    progress: Progress | None = None,
) -> Benchmark:
    """Generate a certified benchmark in a directory, or finish one that was begun there.

    Args:
        path: Directory of the benchmark.
        tasks: Number of tasks, split evenly over the strata, lower ones first.
        seed: Everything is drawn from it: the same seed gives the same rows.
        strata: Numbers of seed solutions, from 1 to 4.
        domain: Name of the domain.
        distractors: Distractors of each task.
        jobs: Number of processes.
        force: Replace a benchmark that was made with other settings.
        progress: Told of every finished task.

    Raises:
        UsageError: an argument is out of range.
        UnknownName: there is no such domain.
        BenchmarkError: the directory holds something else, or a benchmark with other settings.
        UnsatisfiableTask: a task could not be built with so many distractors.
    """
    settings = _checked(tasks, seed, strata, domain, distractors, jobs)
    directory = Path(path)
    if _is_finished(directory, settings, force):
        if progress is not None:
            progress(tasks, tasks)
        return load_benchmark(directory)
    with _open_for_writing(directory, settings) as connection:
        done = dict(connection.execute("SELECT task_id, entry FROM sealed.entries").fetchall())
        missing = [plan for plan in plan_tasks(settings) if plan.id not in done]
        for built in process_map(build_task, missing, jobs):
            _store(connection, settings, built)
            done[built.spec.id] = _entry(built).model_dump_json()
            if progress is not None:
                progress(len(done), tasks)
    entries = [TaskEntry.model_validate_json(done[plan.id]) for plan in plan_tasks(settings)]
    manifest = Manifest(settings=settings, versions=_versions(), tasks=tuple(entries))
    write_atomically(directory / MANIFEST, manifest.to_json())
    return load_benchmark(directory)


def plan_tasks(settings: Settings) -> Iterator[TaskPlan]:
    """Yield the plan of each task: date modes and party sizes take turns within a stratum."""
    share, rest = divmod(settings.tasks, len(settings.strata))
    for order, stratum in enumerate(settings.strata):
        for number in range(share + (order < rest)):
            yield TaskPlan(
                id=f"S{stratum}-{number + 1:03d}",
                domain=settings.domain,
                stratum=stratum,
                flexible=(number + stratum) % 2 == 0,
                party_size=(number // 2 + stratum - 1) % 4 + 1,
                distractors=settings.distractors,
                benchmark_seed=settings.seed,
            )


def _checked(
    tasks: int, seed: int, strata: Sequence[int], domain: str, distractors: int, jobs: int
) -> Settings:
    find_domain(domain)
    wanted = tuple(sorted(set(strata)))
    if not wanted or not set(wanted) <= {1, 2, 3, 4}:
        raise UsageError(
            f"strata must be among 1, 2, 3 and 4, not {', '.join(map(str, strata)) or 'none'}"
        )
    if not len(wanted) <= tasks <= MAX_TASKS:
        raise UsageError(
            f"tasks must be between {len(wanted)} (one a stratum) and {MAX_TASKS:,}, not {tasks}"
        )
    if not 0 <= distractors <= MAX_DISTRACTORS:
        raise UsageError(
            f"distractors must be between 0 and {MAX_DISTRACTORS:,}, not {distractors}"
        )
    if jobs < 1:
        raise UsageError(f"jobs must be 1 or more, not {jobs}")
    return Settings(domain=domain, seed=seed, tasks=tasks, strata=wanted, distractors=distractors)


def _is_finished(directory: Path, settings: Settings, force: bool) -> bool:
    """Whether the directory already holds this very benchmark; with `force`, clear another one."""
    if directory.exists() and not directory.is_dir():
        raise BenchmarkError(f"{directory}: is a file, not a directory")
    own = {MANIFEST, DATABASE, f"{DATABASE}.wal"}
    if directory.exists() and {entry.name for entry in directory.iterdir()} - own:
        raise BenchmarkError(
            f"{directory}: holds files that are no benchmark's; choose another directory"
        )
    if not (directory / MANIFEST).exists():
        if force:
            _clear(directory, own)
        return False
    if force:
        _clear(directory, own)
        return False
    made_with = read_manifest(directory).settings
    if made_with != settings:
        raise BenchmarkError(
            f"{directory}: made with other settings ({_difference(made_with, settings)}); "
            "choose another directory or use --force"
        )
    return True


def _clear(directory: Path, names: set[str]) -> None:
    for name in sorted(names, reverse=True):
        (directory / name).unlink(missing_ok=True)


def _difference(old: Settings, new: Settings) -> str:
    before, after = old.model_dump(mode="json"), new.model_dump(mode="json")
    return ", ".join(
        f"{key} {before[key]}, not {after[key]}" for key in before if before[key] != after[key]
    )


def _open_for_writing(directory: Path, settings: Settings) -> "duckdb.DuckDBPyConnection":
    import duckdb  # noqa: PLC0415

    directory.mkdir(parents=True, exist_ok=True)
    path = directory / DATABASE
    fresh = not path.exists()
    connection = duckdb.connect(":memory:", config={"threads": 1})
    try:
        # Small blocks: 140 KB a task instead of 1.5 MB.
        connection.execute(
            f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS benchmark (BLOCK_SIZE 16384)"
        )
    except duckdb.Error as error:
        connection.close()
        raise BenchmarkError(f"{path}: cannot be written ({str(error).splitlines()[0]})") from None
    connection.execute("USE benchmark")
    if fresh:
        _lay_out(connection, settings)
        return connection
    begun = stored_settings(connection)
    if begun is None or Settings.model_validate(begun) != settings:
        connection.close()
        reason = "not begun by crab-graph" if begun is None else "begun with other settings"
        raise BenchmarkError(f"{path}: {reason}; choose another directory or use --force")
    return connection


def _lay_out(connection: "duckdb.DuckDBPyConnection", settings: Settings) -> None:
    connection.execute("BEGIN")
    create_tables(connection, find_domain(settings.domain).tables)
    connection.execute("CREATE SCHEMA sealed")
    connection.execute("CREATE TABLE sealed.settings (settings VARCHAR)")
    connection.execute(
        "INSERT INTO sealed.settings VALUES (?)", [json.dumps(settings.model_dump(mode="json"))]
    )
    connection.execute("CREATE TABLE sealed.tasks (task_id VARCHAR, spec VARCHAR)")
    connection.execute("CREATE TABLE sealed.entries (task_id VARCHAR, entry VARCHAR)")
    connection.execute(
        "CREATE TABLE sealed.provenance "
        "(task_id VARCHAR, entity_id VARCHAR, node VARCHAR, origin VARCHAR, broken VARCHAR)"
    )
    connection.execute("COMMIT")


def _store(connection: "duckdb.DuckDBPyConnection", settings: Settings, built: BuiltTask) -> None:
    """Write a task whole or not at all."""
    task_id = built.spec.id
    connection.execute("BEGIN")
    load_rows(connection, find_domain(settings.domain).tables, task_id, built.rows)
    columns = [list(column) for column in zip(*built.provenance, strict=True)]
    connection.execute(
        "INSERT INTO sealed.provenance SELECT ?, unnest(?), unnest(?), unnest(?), unnest(?)",
        [task_id, *columns],
    )
    connection.execute(
        "INSERT INTO sealed.tasks VALUES (?, ?)", [task_id, built.spec.model_dump_json()]
    )
    connection.execute(
        "INSERT INTO sealed.entries VALUES (?, ?)", [task_id, _entry(built).model_dump_json()]
    )
    connection.execute("COMMIT")


def _entry(built: BuiltTask) -> TaskEntry:
    return TaskEntry(
        id=built.spec.id,
        rows_sha256=built.spec.rows_sha256,
        certificate=built.spec.certificate,
        rejected=built.rejected,
    )


def _versions() -> dict[str, str]:
    stamped: dict[str, str] = {}
    for name in _STAMPED:
        try:
            stamped[name] = version(name)
        except PackageNotFoundError:
            stamped[name] = "not installed"
    return stamped
