"""Which episodes a run consists of (paper section 4): tasks, users and trials."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crab_graph.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from crab_graph.domains.benchmark import Benchmark
    from crab_graph.runs.store import IndexEntry

MAX_ATTEMPTS = 3

_STRATUM = re.compile(r"S[1-4]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlannedEpisode:
    """One episode to be run, or a fork that goes on after the visible turn `turn` of another.

    `user` is the place of its user, attempts count from 1, `checkpoint` is the file that holds its
    thread, and `lost_usage` what models took in steps of earlier attempts that failed, by party.
    """

    task_id: str
    user: int
    condition: str
    trial: int
    attempt: int = 1
    checkpoint: str | None = None
    lost_usage: Mapping[str, Any] = field(default_factory=dict)
    turn: int | None = None

    @property
    def id(self) -> str:
        """Task, condition and trial; for a fork the turn too."""
        return episode_id(self.task_id, self.condition, self.trial, self.turn)

    def thread(self, suffix: str) -> str:
        """Return the name of its thread in a run; a further attempt goes on in it."""
        return f"{self.id}.{suffix}"


def episode_id(task_id: str, condition: str, trial: int, turn: int | None = None) -> str:
    """Return the id of an episode, such as `S1-001.ruse.0`, or `S1-001.ruse.0@7` for a fork."""
    return f"{task_id}.{condition}.{trial}{'' if turn is None else f'@{turn}'}"


def select_tasks(bench: "Benchmark", wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Return the tasks wanted by ids and strata (`S2`), or all, in the benchmark's order.

    They may stand in one text with commas, as on the command line.

    Raises:
        UnknownName: a task or stratum is not in the benchmark.
    """
    strata = {task.id: f"S{task.stratum}" for task in bench}
    if wanted is None:
        return tuple(strata)
    if isinstance(wanted, str):
        wanted = wanted.split(",")
    if not wanted:
        raise UsageError("no task is chosen")
    chosen: set[str] = set()
    for name in wanted:
        key = name.strip().upper()
        found = {key} & strata.keys()
        if _STRATUM.fullmatch(key):
            found = {task_id for task_id, stratum in strata.items() if stratum == key}
        if not found:
            raise UnknownName("task", name, {*strata, *strata.values()})
        chosen |= found
    return tuple(task_id for task_id in strata if task_id in chosen)


def plan_episodes(
    tasks: Sequence[str],
    users: Sequence[str],
    trials: int,
    turns: Sequence[int | None] = (None,),
) -> Iterator[PlannedEpisode]:
    """Yield all episodes of a run; those of one task, which share its tables, stand together."""
    for task_id in tasks:
        for place, condition in enumerate(users):
            for turn in turns:
                for trial in range(trials):
                    yield PlannedEpisode(task_id, place, condition, trial, turn=turn)


def is_settled(latest: "IndexEntry | None") -> bool:
    """Return whether an episode needs no (further) attempt, given its latest one."""
    if latest is None:
        return False
    return latest.outcome != "infra_error" or latest.attempts >= MAX_ATTEMPTS
