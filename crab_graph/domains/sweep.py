"""Sweeps: families of tasks that differ in one thing, one benchmark for each of its values.

They let the paper's questions (do more distractors hurt? do more dependencies?) be asked of any
agent, on pairs of tasks that are alike in everything else.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from crab_graph.domain.card import DomainCard
from crab_graph.domains.benchmark import (
    MANIFEST,
    Benchmark,
    Manifest,
    Recipe,
    SweepMember,
    load_benchmark,
)
from crab_graph.domains.generate import MAX_DISTRACTORS, Progress, stamped_versions
from crab_graph.domains.task import Task
from crab_graph.domains.variation import MAX_SEEDS, FamilyPlan, Vary, build_family
from crab_graph.domains.workbench import clear, is_finished, open_workbench
from crab_graph.enclosed import PLAIN_NAME
from crab_graph.errors import BenchmarkError, UnknownName, UnsatisfiableTask, UsageError
from crab_graph.given_values import check_kind
from crab_graph.schema import FileModel
from crab_graph.seals import DamagedFile, read_model, sealed
from crab_graph.settings import About
from crab_graph.workers import entries_of, process_map, write_atomically

SWEEP = "sweep.json"
_AGAIN = "remove it, and the same `crab-graph sweep` writes it again"


class MemberRecord(FileModel):
    """One benchmark of a sweep: its value, its directory within the sweep's, and its hash."""

    value: int
    directory: str = Field(pattern=PLAIN_NAME)
    sha256: str


class VariantRecord(FileModel):
    """One task of a family."""

    value: int
    task: str
    solutions: int
    node_distractors: int
    edge_distractors: int
    active_edges: tuple[str, ...]


class FamilyRecord(FileModel):
    """The tasks that were made from one: they correspond to each other."""

    source: str
    tasks: tuple[VariantRecord, ...]


class LeftOut(FileModel):
    """A task without a family, since some value cannot be met."""

    task: str
    reason: str


class SweepRecord(FileModel):
    """The file `sweep.json`: what varies, each value's benchmark, and which tasks correspond."""

    schema_version: Literal[1, 2] = 2
    vary: Vary
    values: tuple[int, ...]
    source_sha256: str
    benchmarks: tuple[MemberRecord, ...]
    families: tuple[FamilyRecord, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Sweep:
    """A finished sweep."""

    directory: Path
    record: SweepRecord

    @property
    def benchmarks(self) -> dict[int, Benchmark]:
        """The benchmark of each value."""
        return {
            one.value: load_benchmark(self.directory / one.directory)
            for one in self.record.benchmarks
        }


def load_sweep(path: str | Path) -> Sweep:
    """Open a finished sweep.

    Raises:
        BenchmarkError: the directory holds none.
    """
    directory = Path(path)
    file = directory / SWEEP
    try:
        record = read_model(file, SweepRecord)
    except FileNotFoundError:
        raise BenchmarkError(f"{directory}: not a finished sweep ({SWEEP} is missing)") from None
    except DamagedFile as error:
        raise BenchmarkError(f"{file}: damaged: {error}; {_AGAIN}") from None
    return Sweep(directory, record)


DISTRACTORS = (0, 500, 1000, 2000, 5000)
"""Numbers of distractors that are compared by default."""


def sweep_benchmark(
    bench: Benchmark | str | Path,
    out: str | Path,
    *,
    vary: str,
    values: Sequence[int] | None = None,
    tasks: int | Sequence[str] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Progress | None = None,
) -> Sweep:
    """Make families of tasks that differ in one thing, or finish those that were begun.

    Args:
        bench: The benchmark whose tasks are varied.
        out: Directory of the sweep, in which each value gets a benchmark of its own.
        vary: `distractors`, `edges` (how many of the optional ones) or `solutions` (seeds).
        values: Values to compare; all that make sense by default.
        tasks: Ids of the tasks to vary, or how many, from the first on; all by default.
        force: Replace a sweep that was made with other settings.
        progress: Told of every family that is done.

    Raises:
        UsageError: an argument is out of range.
        UnknownName: there is no such task, or nothing of that name varies.
        BenchmarkError: a directory holds something else, or a sweep with other settings; or another
            version of the domain made the benchmark.
        UnsatisfiableTask: no task can take all the values.
    """
    source = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    source.check_playable()
    About(low=1).check("jobs", jobs)
    plan = _plan(source, Path(out), vary, values, tasks)
    _check_directory(plan, source, force=force)
    finished = [is_finished(plan.paths[value], one) for value, one in plan.recipes.items()]
    record = plan.directory / SWEEP
    if not all(finished) or not record.exists():
        left_out = _build(plan, jobs, progress)
        document = _record(plan, left_out).model_dump(mode="json")
        write_atomically(record, json.dumps(sealed(document), indent=1) + "\n")
    return load_sweep(plan.directory)


class _Plan(NamedTuple):
    """A sweep to be made: recipe and directory of each value's benchmark, and the families."""

    directory: Path
    vary: Vary
    source_sha256: str
    card: DomainCard
    recipes: Mapping[int, Recipe]
    paths: Mapping[int, Path]
    families: Sequence[FamilyPlan]


def _plan(
    source: Benchmark,
    directory: Path,
    vary: str,
    values: Sequence[int] | None,
    tasks: int | Sequence[str] | None,
) -> _Plan:
    if vary not in set(Vary):
        raise UnknownName("thing to vary", vary, set(Vary))
    recipe, what = source.manifest.settings, Vary(vary)
    if recipe.sweep is not None:
        raise UsageError(f"{source.directory}: is part of a sweep; vary the benchmark it is from")
    chosen, ids = _checked_values(source, what, values), _checked_tasks(source, tasks)
    recipes = {
        value: recipe.model_copy(
            update={
                "tasks": len(ids),
                "paper": None,  # the variants are made by the fast path
                "sweep": SweepMember(
                    vary=what.value, value=value, values=chosen, source=source.sha256, tasks=ids
                ),
                **({"distractors": value} if what == Vary.DISTRACTORS else {}),
                **({"strata": (value,)} if what == Vary.SOLUTIONS else {}),
            }
        )
        for value in chosen
    }
    families = [
        FamilyPlan(
            vary=what,
            values=chosen,
            # An id begins with the stratum, which is what varies with the solutions.
            ids=tuple(
                f"S{value}-{number:03d}" if what == Vary.SOLUTIONS else task.id for value in chosen
            ),
            source=task.spec,
            axes=task.axes,
        )
        for number, task in enumerate(source.load(ids), start=1)
    ]
    paths = {value: directory / f"{what}-{value}" for value in chosen}
    return _Plan(directory, what, source.sha256, source.domain.card, recipes, paths, families)


def _checked_values(source: Benchmark, vary: Vary, values: Sequence[int] | None) -> tuple[int, ...]:
    low, high = {
        Vary.DISTRACTORS: (0, MAX_DISTRACTORS),
        Vary.EDGES: (0, len(source.domain.optional_edges)),
        Vary.SOLUTIONS: (1, MAX_SEEDS),
    }[vary]
    if values is None:
        values = DISTRACTORS if vary == Vary.DISTRACTORS else range(low, high + 1)
    check_kind("values", Sequence[int], values)
    chosen = tuple(sorted(set(values)))
    if len(chosen) < 2:
        raise UsageError("a sweep compares two or more values")
    for value in chosen:
        if not low <= value <= high:
            raise UsageError(f"values of {vary} are from {low} to {high:,}, not {value}")
    return chosen


def _checked_tasks(source: Benchmark, tasks: int | Sequence[str] | None) -> tuple[str, ...]:
    known = tuple(entry.id for entry in source.manifest.tasks)
    if tasks is None:
        return known
    if isinstance(tasks, int):
        if not 1 <= tasks <= len(known):
            raise UsageError(f"tasks must be between 1 and {len(known)}, not {tasks}")
        return known[:tasks]
    for task_id in tasks:
        source.entry(task_id)
    if not tasks:
        raise UsageError("no task to vary")
    return tuple(one for one in known if one in set(tasks))


def _check_directory(plan: _Plan, source: Benchmark, *, force: bool) -> None:
    """Refuse a directory that holds anything else; with `force`, empty one that holds a sweep."""
    directory = plan.directory
    if directory.resolve() == source.directory.resolve():
        raise BenchmarkError(f"{directory}: is the benchmark itself; choose another directory")
    if not directory.exists():
        return
    if not directory.is_dir():
        raise BenchmarkError(f"{directory}: is a file, not a directory")
    of_a_sweep = tuple(f"{vary}-" for vary in Vary)
    held = {entry.name: entry for entry in entries_of(directory) if entry.name != SWEEP}
    if not all(name.startswith(of_a_sweep) for name in held):
        raise BenchmarkError(
            f"{directory}: holds files that are no sweep's; choose another directory"
        )
    if not force:
        if held.keys() - {path.name for path in plan.paths.values()}:
            raise BenchmarkError(
                f"{directory}: holds a sweep of other values; "
                "choose another directory or use `force=True`"
            )
        return
    for entry in held.values():
        if entry.is_dir():
            clear(entry)
            if not any(entry.iterdir()):
                entry.rmdir()
    (directory / SWEEP).unlink(missing_ok=True)


def _build(plan: _Plan, jobs: int, progress: Progress | None) -> list[LeftOut]:
    """Build every family that is not there yet, and write the manifests."""
    total = len(plan.families)
    left_out: list[LeftOut] = []
    steps = count(1)

    def advance() -> None:
        if progress is not None:
            progress(next(steps), total)

    with ExitStack() as stack:
        benches = {
            value: stack.enter_context(open_workbench(plan.paths[value], recipe))
            for value, recipe in plan.recipes.items()
        }
        kept = [set(bench.entries()) for bench in benches.values()]
        missing = []
        for family in plan.families:
            if all(one in own for one, own in zip(family.ids, kept, strict=True)):
                advance()
            else:
                missing.append(family)
        for built in process_map(build_family, missing, jobs):
            if built.reason is not None:
                left_out.append(LeftOut(task=built.source, reason=built.reason))
            for member, bench, own in zip(built.members, benches.values(), kept, strict=False):
                if member.spec.id not in own:
                    bench.keep_task(member)
            advance()
        if len(left_out) == total:
            raise UnsatisfiableTask(f"no task can take all the values: {left_out[0].reason}")
        for value, bench in benches.items():
            entries = bench.entries()
            ids = [family.ids[family.values.index(value)] for family in plan.families]
            manifest = Manifest(
                settings=plan.recipes[value],
                card=plan.card,
                versions=stamped_versions(plan.recipes[value].domain),
                selection=(),
                tasks=tuple(entries[task_id] for task_id in ids if task_id in entries),
            )
            write_atomically(plan.paths[value] / MANIFEST, manifest.to_json())
    return sorted(left_out, key=lambda one: one.task)


def _record(plan: _Plan, left_out: Sequence[LeftOut]) -> SweepRecord:
    benches = {value: load_benchmark(path) for value, path in plan.paths.items()}
    skipped = {one.task for one in left_out}
    sources = [one.source.id for one in plan.families if one.source.id not in skipped]
    return SweepRecord(
        vary=plan.vary,
        values=tuple(plan.recipes),
        source_sha256=plan.source_sha256,
        benchmarks=tuple(
            MemberRecord(value=value, directory=plan.paths[value].name, sha256=bench.sha256)
            for value, bench in benches.items()
        ),
        families=tuple(
            FamilyRecord(source=source, tasks=tuple(map(_variant, benches, tasks)))
            for source, *tasks in zip(sources, *benches.values(), strict=True)
        ),
        left_out=tuple(left_out),
    )


def _variant(value: int, task: Task) -> VariantRecord:
    return VariantRecord(
        value=value,
        task=task.id,
        solutions=len(task.solutions),
        node_distractors=task.spec.node_distractors,
        edge_distractors=task.spec.edge_distractors,
        active_edges=task.spec.active_edges,
    )
