"""A benchmark: one directory with a manifest and a DuckDB file (design §6)."""

import json
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Literal, overload
from weakref import WeakValueDictionary

import duckdb
from pydantic import Field, ValidationError

from crab_graph.domain.card import DomainCard
from crab_graph.domain.contract import Domain, find_domain
from crab_graph.domains.database_file import GENERATE_AGAIN, open_read_only, reading
from crab_graph.domains.stored_layout import show_as, stored_tables
from crab_graph.domains.task import Task, TaskSpec, check_playable, of_another_version
from crab_graph.domains.task_certification import certify_spec
from crab_graph.domains.task_markup import benchmark_html
from crab_graph.enclosed import PLAIN_NAME, check_enclosed
from crab_graph.errors import BenchmarkError, UnknownName, UsageError
from crab_graph.generation.certify import Certificate
from crab_graph.generation.materialize import (
    hash_provenance,
    hash_rows,
    hash_stored_rows,
    read_rows,
)
from crab_graph.generation.paper import PaperParameters
from crab_graph.generation.seeds import Sampler
from crab_graph.schema import FileModel, digest, first_error, text_sha256
from crab_graph.seals import SEAL, SEALED, DamagedFile, read_document, sealed
from crab_graph.settings import Toolset
from crab_graph.tools.fault_schedule import FaultKind
from crab_graph.tools.tables import Row

MANIFEST = "manifest.json"
DATABASE = "benchmark.duckdb"

_SPECS = "SELECT task_id, spec FROM sealed.tasks WHERE task_id IN (SELECT unnest(?))"

_READ_AT_ONCE = 64
"""Tasks read together while all are gone through."""


class SweepMember(FileModel):
    """Which part of a sweep a benchmark is: what varies, in this one and in all.

    `source` is the hash of the benchmark whose tasks are varied.
    """

    vary: Literal["distractors", "edges", "solutions"]
    value: int
    values: tuple[int, ...]
    source: str
    tasks: tuple[str, ...]


class Recipe(FileModel):
    """What a benchmark is generated from; the same recipe gives the same rows.

    A private split does not tell its seed, but what it was announced by; `paper` has the parameters
    of the paper's algorithms, where these are the method. What the ladder adds is left out of files
    where it adds nothing.
    """

    domain: str
    seed: int | None
    tasks: int
    strata: tuple[int, ...]
    distractors: int
    commitment: str | None = None
    sweep: SweepMember | None = None
    paper: PaperParameters | None = None
    levels: tuple[int, ...] = Field((1,), exclude_if=lambda levels: levels == (1,))
    faults: bool = Field(False, exclude_if=lambda faults: not faults)
    changes: bool = Field(False, exclude_if=lambda changes: not changes)
    fees: bool = Field(False, exclude_if=lambda fees: not fees)
    fault_kinds: tuple[FaultKind, ...] = Field(
        tuple(FaultKind), exclude_if=lambda kinds: kinds == tuple(FaultKind)
    )


class TaskEntry(FileModel):
    """One task as the manifest lists it; made without repair it need not be certified.

    Beside the hash of its rows stand those of what it was drawn from, and of what each distractor
    was made for; a manifest of format 1 lacks these two.
    """

    id: str = Field(pattern=PLAIN_NAME)
    rows_sha256: str
    spec_sha256: str | None = None
    provenance_sha256: str | None = None
    certificate: Certificate
    certified: bool = True
    seeds_drawn_by: Sampler | None = None


class Selection(FileModel):
    """How the tasks of one stratum were chosen, and why drafts became no candidates, how often.

    `too_large` counts those passed over because SampleCSP cannot enumerate their solutions.
    """

    stratum: int
    candidates: int
    chosen: int
    solved_by_shortcut: int
    duplicates: int
    rejected: dict[str, int]
    too_large: int = 0


class Manifest(FileModel):
    """The manifest file; a benchmark without one is half-written.

    One of an earlier version has no card. From format 2 on it carries a checksum over all of it
    (`seals.sealed`), which is the hash of the whole benchmark: it names that of everything else.
    """

    schema_version: Literal[1, 2] = 2
    seal: str | None = None
    settings: Recipe
    card: DomainCard | None = None
    versions: dict[str, str]
    selection: tuple[Selection, ...]
    tasks: tuple[TaskEntry, ...]

    @property
    def domain_version(self) -> int:
        """The version of its domain that made it; 0 before manifests said so."""
        return 0 if self.card is None else self.card.version

    def to_json(self) -> str:
        """Return the manifest as it is written."""
        fields = self.model_dump(mode="json", exclude={SEAL})
        whole = sealed(fields) if self.schema_version >= SEALED else fields
        return json.dumps(whole, indent=1) + "\n"


class Benchmark(Sequence[Task]):
    """The tasks of a benchmark directory, in order; also found by id: `bench["S1-001"]`.

    The DuckDB file is opened read-only, and only while something is read from it. A task is read
    when it is asked for, and forgotten when it is not used any more: a benchmark of any size takes
    little memory.
    """

    def __init__(self, directory: Path, manifest: Manifest, toolset: str = Toolset.PARITY) -> None:
        self.directory = directory
        self._place = directory.absolute()  # whoever plays here may leave the working directory
        self.manifest = manifest
        self.toolset = toolset
        self._loaded: WeakValueDictionary[str, Task] = WeakValueDictionary()
        # So many tasks are kept, with their tables, when nobody else holds them.
        self._recent: deque[Task] = deque(maxlen=16)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        """Return the number of tasks and the directory."""
        return f"<Benchmark {self.directory}: {len(self)} {self.manifest.settings.domain} tasks>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first tasks."""
        return benchmark_html(self)

    def __fspath__(self) -> str:
        """Return its directory: whatever takes the directory of a benchmark takes the benchmark."""
        return str(self.directory)

    def __len__(self) -> int:
        """Return the number of tasks."""
        return len(self.manifest.tasks)

    @overload
    def __getitem__(self, key: int | str) -> Task: ...

    @overload
    def __getitem__(self, key: slice) -> list[Task]: ...

    def __getitem__(self, key: int | str | slice) -> Task | list[Task]:
        """Return the task at a position or with an id.

        Raises:
            UnknownName: no task has the id.
            IndexError: there are not so many.
            UsageError: it is neither place nor id.
        """
        if not isinstance(key, int | str | slice):
            raise UsageError(f"a task is found by its place or its id, not by {key!r}")
        if isinstance(key, slice):
            return self.load([entry.id for entry in self.manifest.tasks[key]])
        return self.load([key if isinstance(key, str) else self.manifest.tasks[key].id])[0]

    def __iter__(self) -> Iterator[Task]:
        """Yield the tasks in order, a few at a time in memory."""
        for start in range(0, len(self), _READ_AT_ONCE):
            yield from self[start : start + _READ_AT_ONCE]

    @cached_property
    def domain(self) -> Domain:
        """The domain of all tasks.

        Raises:
            BenchmarkError: it reads no benchmarks of the version that made this one.
        """
        domain = find_domain(self.manifest.settings.domain).with_toolset(self.toolset)
        version = self.manifest.domain_version
        readable = (domain.card.version, *domain.declaration.reads)
        if version not in readable:
            raise BenchmarkError(
                f"{self.directory / MANIFEST}: made by version {version} of the domain "
                f"'{domain.name}', which reads version {' and '.join(map(str, readable))}; "
                "generate the benchmark again, or install that version"
            )
        return domain

    @property
    def is_current(self) -> bool:
        """Whether the domain as it is installed made it; else it is read, but not played."""
        return self.manifest.domain_version == self.domain.card.version

    def check_playable(self) -> None:
        """Refuse to let agents work on tables of another version than their tools.

        Raises:
            BenchmarkError: another version of the domain made it.
        """
        check_playable(str(self.directory), self.domain, self.manifest.domain_version)

    @property
    def card(self) -> DomainCard:
        """What its domain calls things, as it did when the benchmark was made."""
        return self.manifest.card or self.domain.card

    def with_toolset(self, toolset: str | None) -> "Benchmark":
        """Return the benchmark with the tools and the policy of a toolset; `None` keeps its own.

        Raises:
            UnknownName: there is no such toolset, or not in its domain.
        """
        if toolset is None or toolset == self.toolset:
            return self
        other = Benchmark(self.directory, self.manifest, toolset)
        other.domain  # noqa: B018  (an unknown name is refused now)
        return other

    @cached_property
    def sha256(self) -> str:
        """Hash of what the benchmark is: its settings and the hashes of its tasks."""
        rows = {entry.id: entry.rows_sha256 for entry in self.manifest.tasks}
        specs = {entry.id: entry.spec_sha256 for entry in self.manifest.tasks if entry.spec_sha256}
        settings = self.manifest.settings.model_dump(mode="json", exclude_none=True)
        return digest([settings, rows, *([specs] if specs else [])])

    @cached_property
    def _entries(self) -> dict[str, TaskEntry]:
        return {entry.id: entry for entry in self.manifest.tasks}

    def entry(self, task_id: str) -> TaskEntry:
        """Return what the manifest says of a task.

        Raises:
            UnknownName: no task has the id.
        """
        if task_id not in self._entries:
            raise UnknownName("task", task_id, self._entries)
        return self._entries[task_id]

    def load(self, task_ids: Sequence[str]) -> list[Task]:
        """Return tasks by id; what somebody holds already is not read again.

        Raises:
            UnknownName: no task has one of the ids.
            BenchmarkError: the file does not hold a task of the manifest, or another one.
        """
        for task_id in task_ids:
            self.entry(task_id)
        with self._lock:
            found = {one: self._loaded[one] for one in task_ids if one in self._loaded}
            missing = [one for one in task_ids if one not in found]
            stored: dict[str, str] = {}
            if missing:
                with self.reading() as connection:
                    stored = dict(connection.execute(_SPECS, [missing]).fetchall())
            for task_id in missing:
                if task_id not in stored:
                    path = self.directory / DATABASE
                    raise BenchmarkError(f"{path}: task '{task_id}' is missing")
                found[task_id] = self._loaded[task_id] = self._open(task_id, stored[task_id])
            if len(task_ids) == 1:
                self._recent.append(found[task_ids[0]])
            return [found[task_id] for task_id in task_ids]

    def _open(self, task_id: str, stored: str) -> Task:
        def read() -> dict[str, list[Row]]:
            with self.reading() as connection, self._of_this_version(task_id):
                if not self.is_current:
                    self.check_rows(connection, [task_id])
                rows = read_rows(connection, self.domain.tables, task_id)
            if self.is_current:
                self._compare(task_id, hash_rows(self.domain.tables, rows))
            return rows

        if self.entry(task_id).spec_sha256 not in (None, text_sha256(stored)):
            raise self._changed(task_id, "wishes and solutions")
        try:
            spec = TaskSpec.model_validate_json(stored)
            return Task(spec, self.domain, read, self.manifest.domain_version)
        except ValidationError as error:
            place = f"{self.directory / DATABASE}: task '{task_id}'"
            raise BenchmarkError(f"{place}, {first_error(error)}; {GENERATE_AGAIN}") from None

    @contextmanager
    def _of_this_version(self, task_id: str) -> Iterator[None]:
        """Refuse tables that are not laid out as the domain's are."""
        try:
            yield
        except (duckdb.BinderException, duckdb.CatalogException) as error:
            reason = str(error).splitlines()[0]
            raise of_another_version(task_id, self.domain.name, reason) from None

    def connect(self, writing_to: Path | None = None) -> duckdb.DuckDBPyConnection:
        """Return a connection that reads the benchmark's tables, whoever else has them open.

        It reaches no other file; it can write in one folder, if one is named.

        Raises:
            BenchmarkError: the file is damaged, holds other things than tables, or is written.
        """
        _check_is_whole(self._place)
        connection = open_read_only(self._place / DATABASE, writing_to)
        if not self.is_current:
            show_as(connection, self.domain.tables)
        return connection

    @contextmanager
    def reading(self, writing_to: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a connection as `connect` does, for as long as it is needed.

        Raises:
            BenchmarkError: as there, or what is read turns out to be damaged.
        """
        with self.connect(writing_to) as connection, reading(self.directory / DATABASE):
            yield connection

    def row_hashes(
        self, connection: duckdb.DuckDBPyConnection, task_ids: Sequence[str]
    ) -> dict[str, str]:
        """Return the hashes of the rows of tasks as they are stored.

        Raises:
            BenchmarkError: they are laid out as another version of the domain does.
        """
        tables = self.domain.tables if self.is_current else stored_tables(connection)
        with self._of_this_version(task_ids[0]):
            return hash_stored_rows(connection, tables, task_ids)

    def check_rows(self, connection: duckdb.DuckDBPyConnection, task_ids: Sequence[str]) -> None:
        """Compare the rows of tasks with the hashes that the manifest names; errors as there.

        Raises:
            BenchmarkError: the rows of a task were changed.
        """
        for task_id, found in self.row_hashes(connection, task_ids).items():
            self._compare(task_id, found)

    def spec_hashes(
        self, connection: duckdb.DuckDBPyConnection, task_ids: Sequence[str]
    ) -> dict[str, str]:
        """Return the hashes of what tasks were drawn from, of those that are stored."""
        found = connection.execute(_SPECS, [list(task_ids)]).fetchall()
        return {task_id: text_sha256(spec) for task_id, spec in found}

    def provenance_hashes(
        self, connection: duckdb.DuckDBPyConnection, task_ids: Sequence[str]
    ) -> dict[str, str]:
        """Return the hashes of what the distractors of tasks were made for, as it is stored."""
        query = (
            "SELECT task_id, entity_id, node, origin, broken FROM sealed.provenance "
            "WHERE task_id IN (SELECT unnest(?))"
        )
        rows: dict[str, list[tuple[str, ...]]] = {task_id: [] for task_id in task_ids}
        for task_id, *row in connection.execute(query, [list(task_ids)]).fetchall():
            rows[task_id].append(tuple(row))
        return {task_id: hash_provenance(own) for task_id, own in rows.items()}

    def check_provenance(
        self, connection: duckdb.DuckDBPyConnection, task_ids: Sequence[str]
    ) -> None:
        """Compare what distractors were made for with the hashes that the manifest names.

        Raises:
            BenchmarkError: that of a task was changed.
        """
        for task_id, found in self.provenance_hashes(connection, task_ids).items():
            if self.entry(task_id).provenance_sha256 not in (None, found):
                raise self._changed(task_id, "the origins of the rows")

    def _compare(self, task_id: str, found: str) -> None:
        if found != self.entry(task_id).rows_sha256:
            raise self._changed(task_id, "the rows")

    def _changed(self, task_id: str, what: str) -> BenchmarkError:
        return BenchmarkError(
            f"{self.directory / DATABASE}: {what} of task '{task_id}' are not those of {MANIFEST}: "
            f"they were changed; {GENERATE_AGAIN}"
        )

    def certify_tasks(
        self, tasks: Sequence[Task], connection: duckdb.DuckDBPyConnection
    ) -> Iterator[Certificate]:
        """Count the solutions of tasks again on the stored tables, three ways.

        The stored rows must also be the ones the manifest names; where they are not, the counts are
        those of other tables. They are checked together, first.

        Raises:
            BenchmarkError: the rows of a task were changed after generation, or are laid out as
                another version of the domain does.
        """
        self.check_rows(connection, [task.id for task in tasks])
        for task in tasks:
            yield self._certified(task, self.entry(task.id).certificate.expected, connection)

    def _certified(
        self, task: Task, expected: int, connection: duckdb.DuckDBPyConnection
    ) -> Certificate:
        about = (task.request, task.id, expected, task.spec.faults)
        found = certify_spec(connection, self.domain, *about)
        if (later := task.changed) is None:
            return found
        after = self._certified(later, later.spec.certificate.expected, connection)
        return found.model_copy(update={"changed": after})


def load_benchmark(path: str | os.PathLike[str]) -> Benchmark:
    """Open a benchmark directory.

    Raises:
        BenchmarkError: the directory is missing, foreign, half-written or damaged.
        UsageError: it is none.
    """
    if not isinstance(path, str | os.PathLike):
        raise UsageError(
            f"a benchmark is a Benchmark or its directory, not {type(path).__name__}; "
            "`tasks=` chooses among its tasks"
        )
    directory = Path(path)
    return Benchmark(directory, read_manifest(directory))


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a benchmark directory.

    Raises:
        BenchmarkError: the directory is missing, half-written, or no benchmark.
    """
    _check_is_whole(directory)
    path = directory / MANIFEST
    try:
        return Manifest.model_validate(read_document(path))
    except DamagedFile as error:
        raise BenchmarkError(f"{path}: {error}; {GENERATE_AGAIN}") from None
    except ValidationError as error:
        raise BenchmarkError(f"{path}: {first_error(error)}; {GENERATE_AGAIN}") from None


def _check_is_whole(directory: Path) -> None:
    if not directory.is_dir():
        raise BenchmarkError(
            f"{directory}: no such directory; make one with: crab-graph generate {directory}"
        )
    if not (directory / MANIFEST).exists():
        if (directory / DATABASE).exists():
            raise BenchmarkError(
                f"{directory}: the benchmark is half-written ({MANIFEST} is missing); "
                "run the same `crab-graph generate` again to finish it"
            )
        is_run = (directory / "run.json").exists()
        advice = ", but a run: `report`, `show` and open_run read it" if is_run else ""
        raise BenchmarkError(f"{directory}: not a benchmark ({MANIFEST} is missing){advice}")
    if not (directory / DATABASE).exists():
        raise BenchmarkError(f"{directory}: the benchmark is incomplete ({DATABASE} is missing)")
    check_enclosed(directory, BenchmarkError, MANIFEST, DATABASE, f"{DATABASE}.wal")
