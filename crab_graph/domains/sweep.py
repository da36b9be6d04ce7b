"""Sweeps: families of tasks that differ in one thing, one benchmark for each of its values.

They let the paper's questions (do more distractors hurt? do more dependencies?) be asked of any
agent, on pairs of tasks that are alike in everything else.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.generate import MAX_DISTRACTORS, Progress, stamped_versions
from crab_graph.domains.manifest import MANIFEST, Manifest, Recipe, SweepMember
from crab_graph.domains.task import Task
from crab_graph.domains.variation import MAX_SEEDS, Family, FamilyPlan, Vary, build_family
from crab_graph.domains.workbench import Workbench, clear, is_finished, open_workbench
from crab_graph.errors import BenchmarkError, UnknownName, UnsatisfiableTask, UsageError
from crab_graph.schema import FileModel
from crab_graph.workers import process_map, write_atomically

SWEEP = "sweep.json"


class MemberRecord(FileModel):
    """One benchmark of a sweep.

    Attributes:
        value: Its value of what varies.
        directory: Its directory within the sweep's.
        sha256: Hash of what it is.
    """

    value: int
    directory: str
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
    """The file `sweep.json`.

    Attributes:
        vary: What varies.
        values: Its values.
        source_sha256: Hash of the benchmark whose tasks were varied.
        benchmarks: One benchmark for each value.
        families: Which tasks correspond.
        left_out: Tasks that could not be varied.
    """

    schema_version: Literal[1] = 1
    vary: Vary
    values: tuple[int, ...]
    source_sha256: str
    benchmarks: tuple[MemberRecord, ...]
    families: tuple[FamilyRecord, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Sweep:
    """A finished sweep.

    Attributes:
        directory: Its directory.
        record: What varies, and which tasks correspond.
    """

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
        record = SweepRecord.model_validate_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BenchmarkError(f"{directory}: not a finished sweep ({SWEEP} is missing)") from None
    except (ValidationError, UnicodeDecodeError) as error:
        raise BenchmarkError(f"{file}: damaged ({str(error).splitlines()[0]})") from None
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
        jobs: Number of processes.
        force: Replace a sweep that was made with other settings.
        progress: Told of every family that is done.

    Raises:
        UsageError: an argument is out of range.
        UnknownName: there is no such task, or nothing of that name varies.
        BenchmarkError: a directory holds something else, or a sweep with other settings.
        UnsatisfiableTask: no task can take all the values.
    """
    source = bench if isinstance(bench, Benchmark) else load_benchmark(bench)
    directory = Path(out)
    settings = _settings(source, vary, values, tasks, jobs)
    _check_directory(directory, settings, source, force=force)
    finished = [
        is_finished(directory / name, settings[value]) for value, name in _names(settings).items()
    ]
    if all(finished) and (directory / SWEEP).exists():
        return load_sweep(directory)
    left_out = _build(directory, settings, _plans(source, settings), jobs, progress)
    record = _record(directory, settings, left_out)
    write_atomically(directory / SWEEP, json.dumps(record.model_dump(mode="json"), indent=1) + "\n")
    return Sweep(directory, record)


def _settings(
    source: Benchmark,
    vary: str,
    values: Sequence[int] | None,
    tasks: int | Sequence[str] | None,
    jobs: int,
) -> dict[int, Recipe]:
    """Return the settings of the benchmark of each value."""
    if vary not in set(Vary):
        raise UnknownName("thing to vary", vary, set(Vary))
    if jobs < 1:
        raise UsageError(f"jobs must be 1 or more, not {jobs}")
    if source.manifest.settings.sweep is not None:
        raise UsageError(f"{source.directory}: is part of a sweep; vary the benchmark it is from")
    chosen = _checked_values(source, Vary(vary), values)
    ids = _checked_tasks(source, tasks)
    return {
        value: source.manifest.settings.model_copy(
            update={
                "tasks": len(ids),
                "paper": None,  # the variants are made by the fast path
                "sweep": SweepMember(
                    vary=Vary(vary).value,
                    value=value,
                    values=chosen,
                    source=source.sha256,
                    tasks=ids,
                ),
                **({"distractors": value} if vary == Vary.DISTRACTORS else {}),
                **({"strata": (value,)} if vary == Vary.SOLUTIONS else {}),
            }
        )
        for value in chosen
    }


def _checked_values(source: Benchmark, vary: Vary, values: Sequence[int] | None) -> tuple[int, ...]:
    low, high = {
        Vary.DISTRACTORS: (0, MAX_DISTRACTORS),
        Vary.EDGES: (0, len(source.domain.optional_edges)),
        Vary.SOLUTIONS: (1, MAX_SEEDS),
    }[vary]
    if values is None:
        values = DISTRACTORS if vary == Vary.DISTRACTORS else range(low, high + 1)
    chosen = tuple(sorted(set(values)))
    if len(chosen) < 2:
        raise UsageError("a sweep compares two or more values")
    outside = [value for value in chosen if not low <= value <= high]
    if outside:
        raise UsageError(f"values of {vary} are from {low} to {high:,}, not {outside[0]}")
    return chosen


def _checked_tasks(source: Benchmark, tasks: int | Sequence[str] | None) -> tuple[str, ...]:
    known = [entry.id for entry in source.manifest.tasks]
    if tasks is None:
        return tuple(known)
    if isinstance(tasks, int):
        if not 1 <= tasks <= len(known):
            raise UsageError(f"tasks must be between 1 and {len(known)}, not {tasks}")
        return tuple(known[:tasks])
    for task_id in tasks:
        if task_id not in known:
            raise UnknownName("task", task_id, known)
    if not tasks:
        raise UsageError("no task to vary")
    return tuple(one for one in known if one in set(tasks))


def _names(settings: dict[int, Recipe]) -> dict[int, str]:
    """Return the directory of each value's benchmark."""
    return {
        value: f"{one.sweep.vary}-{value}"
        for value, one in settings.items()
        if one.sweep is not None
    }


def _sweep_of(settings: dict[int, Recipe]) -> SweepMember:
    """Return what all members of a sweep say of it."""
    member = next(iter(settings.values())).sweep
    if member is None:
        raise ValueError("these are no settings of a sweep")
    return member


def _check_directory(
    directory: Path, settings: dict[int, Recipe], source: Benchmark, *, force: bool
) -> None:
    """Refuse a directory that holds anything else; with `force`, empty one that holds a sweep."""
    if directory.resolve() == source.directory.resolve():
        raise BenchmarkError(f"{directory}: is the benchmark itself; choose another directory")
    if not directory.exists():
        return
    if not directory.is_dir():
        raise BenchmarkError(f"{directory}: is a file, not a directory")
    of_a_sweep = tuple(f"{vary}-" for vary in Vary)
    held = {entry.name: entry for entry in directory.iterdir()}
    foreign = [name for name in held if name != SWEEP and not name.startswith(of_a_sweep)]
    if foreign:
        raise BenchmarkError(
            f"{directory}: holds files that are no sweep's; choose another directory"
        )
    others = set(held) - {SWEEP, *_names(settings).values()}
    if others and not force:
        raise BenchmarkError(
            f"{directory}: holds a sweep of other values; choose another directory or use --force"
        )
    if force:
        for name, entry in held.items():
            if name != SWEEP and entry.is_dir():
                clear(entry)
                if not any(entry.iterdir()):
                    entry.rmdir()
        (directory / SWEEP).unlink(missing_ok=True)


def _plans(source: Benchmark, settings: dict[int, Recipe]) -> Iterator[FamilyPlan]:
    first = _sweep_of(settings)
    vary = Vary(first.vary)
    wanted = set(first.tasks)
    for number, task in enumerate((task for task in source if task.id in wanted), start=1):
        yield FamilyPlan(
            vary=vary,
            values=first.values,
            ids=tuple(
                # An id begins with the stratum, which is what varies here.
                f"S{value}-{number:03d}" if vary == Vary.SOLUTIONS else task.id
                for value in first.values
            ),
            source=task.id,
            domain=task.spec.domain,
            seed=task.spec.seed,
            request=task.spec.request,
            stratum=task.stratum,
            flexible=task.date_mode == "flexible",
            party_size=task.party,
            distractors=task.spec.node_distractors + task.spec.edge_distractors,
        )


def _build(
    directory: Path,
    settings: dict[int, Recipe],
    plans: Iterator[FamilyPlan],
    jobs: int,
    progress: Progress | None,
) -> list[LeftOut]:
    """Build every family that is not there yet, and write the manifests."""
    total = next(iter(settings.values())).tasks
    left_out: list[LeftOut] = []
    with ExitStack() as stack:
        benches = {
            value: stack.enter_context(open_workbench(directory / name, settings[value]))
            for value, name in _names(settings).items()
        }
        kept = {value: set(bench.entries()) for value, bench in benches.items()}
        wanted = list(plans)
        missing = [plan for plan in wanted if not _is_whole(plan, kept)]
        for done in range(1, total - len(missing) + 1):
            if progress is not None:
                progress(done, total)
        families = process_map(build_family, missing, jobs)
        for done, family in enumerate(families, start=total - len(missing) + 1):
            if family.reason is not None:
                left_out.append(LeftOut(task=family.source, reason=family.reason))
            _keep(family, benches, kept)
            if progress is not None:
                progress(done, total)
        if len(left_out) == total:
            raise UnsatisfiableTask(f"no task can take all the values: {left_out[0].reason}")
        for value, bench in benches.items():
            _write_manifest(directory, settings, value, bench, wanted)
    return sorted(left_out, key=lambda one: one.task)


def _is_whole(plan: FamilyPlan, kept: dict[int, set[str]]) -> bool:
    return all(task_id in kept[value] for value, task_id in zip(plan.values, plan.ids, strict=True))


def _keep(family: Family, benches: dict[int, Workbench], kept: dict[int, set[str]]) -> None:
    for built, (value, bench) in zip(family.members, benches.items(), strict=False):
        if built.spec.id not in kept[value]:
            bench.keep_task(built)


def _write_manifest(
    directory: Path,
    settings: dict[int, Recipe],
    value: int,
    bench: Workbench,
    plans: Sequence[FamilyPlan],
) -> None:
    entries = bench.entries()
    ids = [plan.ids[plan.values.index(value)] for plan in plans]
    manifest = Manifest(
        settings=settings[value],
        versions=stamped_versions(),
        selection=(),
        tasks=tuple(entries[task_id] for task_id in ids if task_id in entries),
    )
    write_atomically(directory / _names(settings)[value] / MANIFEST, manifest.to_json())


def _record(
    directory: Path, settings: dict[int, Recipe], left_out: Sequence[LeftOut]
) -> SweepRecord:
    names = _names(settings)
    benches = {value: load_benchmark(directory / name) for value, name in names.items()}
    member = _sweep_of(settings)
    skipped = {one.task for one in left_out}
    sources = [one for one in member.tasks if one not in skipped]
    return SweepRecord(
        vary=Vary(member.vary),
        values=member.values,
        source_sha256=member.source,
        benchmarks=tuple(
            MemberRecord(value=value, directory=names[value], sha256=bench.sha256)
            for value, bench in benches.items()
        ),
        families=tuple(
            FamilyRecord(
                source=source,
                tasks=tuple(
                    _variant(value, task) for value, task in zip(benches, tasks, strict=True)
                ),
            )
            for source, *tasks in zip(sources, *benches.values(), strict=True)
        ),
        left_out=tuple(left_out),
    )


def _variant(value: int, task: Task) -> VariantRecord:
    return VariantRecord(
        value=value,
        task=task.id,
        solutions=len(task.spec.solutions),
        node_distractors=task.spec.node_distractors,
        edge_distractors=task.spec.edge_distractors,
        active_edges=task.spec.active_edges,
    )
