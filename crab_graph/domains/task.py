"""A task: what the user wants, what they know, and the world in which it must be done."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal, overload

from pydantic import Field, ValidationError

from crab_graph.domain.contract import Domain
from crab_graph.domains.ladder import LADDER, Difficulty
from crab_graph.domains.task_markup import task_html
from crab_graph.errors import BenchmarkError, UsageError
from crab_graph.generation.certify import Certificate
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Value
from crab_graph.generation.seeds import Sampler
from crab_graph.personas.briefing import Fact, UserBriefing
from crab_graph.schema import FileModel, first_error
from crab_graph.tools.fault_schedule import WorldFault
from crab_graph.tools.tables import WORLD_FAULTS, Row, World
from crab_graph.tools.world_faults import fault_rows

SolutionIds = dict[str, dict[str, str]]


class ChangeKind(StrEnum):
    """What a user changes its mind about; a budget changes along with a wish."""

    WISH = "wish"
    DATE = "date"
    PARTY = "party"
    BUDGET = "budget"


class Change(FileModel):
    """A change of mind that a task admits, and what was certified of the request after it.

    `keys` are the facts that change, `new` the fields of the request after it, `old` those before,
    `people` how many are left of the profile's; `moves` the slots of which another offer is wanted,
    so that what is booked for all others can stay, whichever solution it is part of.
    """

    kind: ChangeKind
    keys: tuple[str, ...]
    old: dict[str, Any]
    new: dict[str, Any]
    people: int | None = None
    moves: tuple[str, ...]
    solutions: tuple[SolutionIds, ...]
    certificate: Certificate


class TaskSpec(FileModel):
    """A task as a benchmark stores it: what it was drawn from, and what was certified of it.

    Node distractors break a constraint of one node, edge distractors none; the active edges are
    those that node constraints do not decide. Of each node it is said how many offers fit its
    wishes, which shortcuts solve the task and what drew the seeds; one of an earlier version does
    not say. Its level is said where the ladder adds something (`domains.ladder`), and which `fees`
    lists leave out, if any (`tools.fees`).
    """

    schema_version: Literal[1] = 1
    id: str
    domain: str
    stratum: int
    seed: int
    today: str
    request: dict[str, Any]
    profile: dict[str, Any]
    solutions: tuple[SolutionIds, ...]
    node_distractors: int
    edge_distractors: int
    active_edges: tuple[str, ...]
    fitting: dict[str, int] | None = None
    shortcuts: tuple[str, ...] | None = None
    certificate: Certificate
    rows_sha256: str
    seeds_drawn_by: Sampler | None = None
    level: int = Field(1, exclude_if=lambda level: level == 1)
    difficulty: Difficulty = Field(LADDER[1], exclude_if=lambda found: not found.kinds)
    faults: tuple[WorldFault, ...] = Field((), exclude_if=lambda faults: not faults)
    changes: tuple[Change, ...] = Field((), exclude_if=lambda changes: not changes)
    fees: int = Field(0, exclude_if=lambda fees: not fees)


class CountedSolutions(Sequence[SolutionIds]):
    """The solutions of a task without repair: all are counted, the first ones found are kept.

    `len` is the true number. What lies beyond those kept cannot be listed: a position, a slice or
    a loop that gets there is refused, and so is to look for what is not among them.

    Raises:
        BenchmarkError: a solution is asked for that is not kept.
    """

    def __init__(self, task_id: str, kept: Sequence[SolutionIds], number: int) -> None:
        self._task_id = task_id
        self._kept = kept
        self._number = number

    def __len__(self) -> int:
        """Return how many there are."""
        return self._number

    def __repr__(self) -> str:
        """Return how many there are, and how many are kept."""
        return f"<{self._number:,} solutions of '{self._task_id}', {len(self._kept):,} kept>"

    @overload
    def __getitem__(self, key: int) -> SolutionIds: ...

    @overload
    def __getitem__(self, key: slice) -> list[SolutionIds]: ...

    def __getitem__(self, key: int | slice) -> SolutionIds | list[SolutionIds]:
        """Return one of those kept, or some."""
        wanted = range(self._number)[key]
        places = wanted if isinstance(wanted, range) else range(wanted, wanted + 1)
        if places and max(places[0], places[-1]) >= len(self._kept):
            raise BenchmarkError(
                f"task '{self._task_id}' has {self._number:,} solutions, of which the first "
                f"{len(self._kept):,} found are kept and can be listed: "
                f"task.solutions[:{len(self._kept)}]"
            )
        found = [self._kept[place] for place in places]
        return found if isinstance(key, slice) else found[0]


def of_another_version(task_id: str, domain: str, reason: str) -> BenchmarkError:
    """Return the error of a task that the domain, as it is installed, cannot read."""
    return BenchmarkError(
        f"task '{task_id}' was made by another version of the domain '{domain}' ({reason}); "
        "generate the benchmark again, or install that version"
    )


def check_playable(place: str, domain: Domain, version: int) -> None:
    """Refuse to play what was made by another version of its domain than is installed.

    Raises:
        BenchmarkError: tools and rows are not made for each other.
    """
    now = domain.card.version
    if version != now:
        raise BenchmarkError(
            f"{place}: made by version {version} of the domain '{domain.name}', and agents run on "
            f"version {now} alone; generate the benchmark again, or install that version"
        )


def check_task(value: object) -> None:
    """Refuse what is given for a task and is none, by a `UsageError` that says what to give."""
    if not (isinstance(value, Task) or hasattr(value, "today")):
        raise UsageError(
            "a task is one of a benchmark, such as bench[0] or bench['S1-001'], "
            f"not {type(value).__name__}"
        )


class Task:
    """One task of a benchmark; its tables are read when they are first needed.

    It was made by a version of its domain, which need not be the one of the tools.
    """

    def __init__(
        self,
        spec: TaskSpec,
        domain: Domain,
        read_rows: Callable[[], Mapping[str, list[Row]]],
        version: int | None = None,
        first: "Task | None" = None,
    ) -> None:
        self.spec = spec
        self.domain = domain
        self.version = domain.card.version if version is None else version
        self._read_rows = read_rows
        self._first = first
        self._others: dict[str, Task] = {}

    def __repr__(self) -> str:
        """Return the id and what makes the task hard."""
        solutions = f"{self.spec.certificate.sql:,} solutions"
        return f"<Task {self.id}: {', '.join((*self.phrases, solutions))}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what the user knows, and what must hold."""
        return task_html(self)

    @property
    def id(self) -> str:
        """Id of the task, such as `S1-017`."""
        return self.spec.id

    @property
    def stratum(self) -> int:
        """Number of seed solutions, 1 (hardest) to 4."""
        return self.spec.stratum

    @property
    def level(self) -> int:
        """Its level on the ladder of difficulty, 1 (the paper's) to 5."""
        return self.spec.level

    @property
    def difficulties(self) -> tuple[str, ...]:
        """The kinds of difficulty that the ladder added: `joint`, `faults`, `changes`, `fees`."""
        return self.spec.difficulty.kinds

    @property
    def today(self) -> str:
        """ISO date on which the conversation takes place."""
        return self.spec.today

    @property
    def solutions(self) -> Sequence[SolutionIds]:
        """Ids of every valid solution, sorted: a list, or `CountedSolutions` without repair."""
        kept = self.kept_solutions
        number = self.spec.certificate.sql
        return kept if number == len(kept) else CountedSolutions(self.id, kept, number)

    @property
    def kept_solutions(self) -> list[SolutionIds]:
        """Ids of the solutions that are kept: every one, but of a task without repair the first."""
        return [dict(solution) for solution in self.spec.solutions]

    @cached_property
    def request(self) -> Any:
        """What the user wants, as the domain's request model.

        Raises:
            BenchmarkError: the domain's requests are others by now.
        """
        return self._read(self.domain.request_type, self.spec.request)

    @cached_property
    def profile(self) -> Any:
        """Who the user is, as the domain's profile model.

        Raises:
            BenchmarkError: the domain's profiles are others by now.
        """
        return self._read(self.domain.profile_type, self.spec.profile)

    def _read(self, kind: type[FileModel], fields: Mapping[str, Any]) -> FileModel:
        try:
            return kind.model_validate(fields)
        except ValidationError as error:
            raise of_another_version(self.id, self.domain.name, first_error(error)) from None

    @cached_property
    def axes(self) -> Mapping[str, Value]:
        """Its value on each axis of the domain, by name."""
        return self.domain.axis_values(self.request)

    @property
    def policy(self) -> str:
        """The agent's instructions: of faults of the world, and of fees, where the task has any."""
        return self.domain.policy(self.today, bool(self.spec.faults), self.spec.fees > 0)

    @property
    def phrases(self) -> tuple[str, ...]:
        """Its value on each axis, as said: `fixed dates`, `party of 2`."""
        axes = self.domain.card.axes
        return tuple(axis.phrase(self.axes[axis.name]) for axis in axes)

    @property
    def customer_id(self) -> str:
        """The user's customer id on the platform."""
        return str(self.profile.customer_id)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What the user knows."""
        return self.domain.facts(self.request, self.profile)

    @property
    def briefing(self) -> UserBriefing:
        """What whoever plays the user is told."""
        return self.domain.briefing(self.domain.slots, self.facts, self.id, self.today)

    @cached_property
    def changed(self) -> "Task | None":
        """The task that it is once the user has changed its mind; `None` where that cannot be.

        It has the changes that may follow.
        """
        if not self.spec.changes:
            return None
        change, *later = self.spec.changes
        profile = dict(self.spec.profile)
        if change.people is not None:
            profile["people"] = profile["people"][: change.people]
        after = {
            "request": {**self.spec.request, **change.new},
            "profile": profile,
            "solutions": change.solutions,
            "certificate": change.certificate,
            "changes": tuple(later),
        }
        spec = self.spec.model_copy(update=after)
        return Task(spec, self.domain, self._read_rows, self.version, first=self)

    @cached_property
    def requests(self) -> "tuple[Task, ...]":
        """The task as it is, and as it is after each change of mind, in order."""
        return (self, *(() if self.changed is None else self.changed.requests))

    @cached_property
    def graph(self) -> ConstraintGraph:
        """The task's constraint graph."""
        return self.domain.build_graph(self.request)

    @cached_property
    def world(self) -> World:
        """The initial tables, indexed; shared by all episodes of the task, whatever is wanted."""
        if self._first is not None:
            return self._first.world
        return World(
            task_id=self.id,
            today=self.today,
            customer_id=self.customer_id,
            schema=(*self.domain.tables, *([WORLD_FAULTS] if self.spec.faults else [])),
            rows={**self._read_rows(), WORLD_FAULTS.name: fault_rows(self.spec.faults)},
            faults=self.spec.faults,
            fees=self.spec.fees,
        )

    @property
    def is_current(self) -> bool:
        """Whether the domain as it is installed made it; else it is read, but not played."""
        return self.version == self.domain.card.version

    def check_playable(self) -> None:
        """Refuse to play a task of another version of its domain; errors as `check_playable`."""
        check_playable(f"task '{self.id}'", self.domain, self.version)

    def with_toolset(self, toolset: str | None) -> "Task":
        """Return the task with the tools and the policy of a toolset; `None` keeps its own.

        It is the same one each time, and has tables of its own in memory.

        Raises:
            UnknownName: there is no such toolset, or not in this domain.
        """
        if toolset is None or toolset == self.domain.toolset:
            return self
        if toolset not in self._others:
            domain = self.domain.with_toolset(toolset)
            self._others[toolset] = Task(self.spec, domain, self._read_rows, self.version)
        return self._others[toolset]

    def summary(self) -> dict[str, Any]:
        """Return the task's line of `tasks --json`."""
        return {
            "id": self.id,
            "stratum": self.stratum,
            "level": self.level,
            "difficulty": dict(self.spec.difficulty),
            "faults": [str(fault.kind) for fault in self.spec.faults],
            "changes": [str(change.kind) for change in self.spec.changes],
            **self.axes,
            "solutions": self.spec.certificate.sql,
            "node_distractors": self.spec.node_distractors,
            "edge_distractors": self.spec.edge_distractors,
            "active_edges": list(self.spec.active_edges),
            "fitting": self.spec.fitting,
            "shortcuts": None if self.spec.shortcuts is None else list(self.spec.shortcuts),
        }
