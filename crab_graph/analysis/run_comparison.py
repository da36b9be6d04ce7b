"""Runs compared task by task: what was fixed, broken or flaky, and which checks moved.

An arm is one agent with one kind of user in one run. Each arm of a later run stands against the
arm of the first run with the same user; where both runs have one arm alone, these are compared.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from crab_graph import markup
from crab_graph.analysis.labels import check_titles
from crab_graph.analysis.report import measures
from crab_graph.analysis.report.measures import Pairing
from crab_graph.analysis.report.study import Arm, Study, load_study
from crab_graph.errors import UsageError
from crab_graph.runs.config import RunPaths, paths_of
from crab_graph.runs.record import EpisodeRecord

COMPARED = (*measures.VERDICTS, *measures.WORK)

_MARKS = {"pass": "●", "infra_error": "·"}

_Task = tuple[str, str | None]
"""A task is known by its id and the hash of what it is: another benchmark has others by that id."""


class TaskStanding(StrEnum):
    """How a task that two arms were given came out, over all its trials."""

    FIXED = "fixed"
    """Never passed before, always after."""
    BROKEN = "broken"
    """Always passed before, never after."""
    FLAKY = "flaky"
    """Passed in some trials and not in others, before or after."""
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """No verdict on one side."""


@dataclass(frozen=True, slots=True)
class TaskPair:
    """A task in two arms: the outcomes of its trials in each, in order."""

    task_id: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def standing(self) -> TaskStanding:
        """What became of it."""
        was, now = (
            {outcome == "pass" for outcome in outcomes if outcome != measures.UNSCORED}
            for outcomes in (self.before, self.after)
        )
        if not was or not now:
            return TaskStanding.UNKNOWN
        if len(was) > 1 or len(now) > 1:
            return TaskStanding.FLAKY
        if was == now:
            return TaskStanding.PASSED if True in now else TaskStanding.FAILED
        return TaskStanding.FIXED if True in now else TaskStanding.BROKEN


@dataclass(frozen=True, slots=True)
class MovedCheck:
    """A check that fails in one arm and not in the other: the episodes in which it does so."""

    check_id: str
    title: str
    fixed: tuple[str, ...]
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArmPair:
    """An arm beside its reference: every shared task, checks that moved, paired differences.

    Checks and differences are over episodes of the same task, trial and seed.
    """

    reference: Arm
    arm: Arm
    tasks: tuple[TaskPair, ...]
    checks: tuple[MovedCheck, ...]
    differences: tuple[Pairing, ...]

    def having(self, standing: TaskStanding | str) -> list[str]:
        """Return the tasks with a standing."""
        return [one.task_id for one in self.tasks if one.standing == standing]

    @property
    def counts(self) -> dict[str, int]:
        """How many tasks have each standing."""
        found = Counter(one.standing for one in self.tasks)
        return {str(standing): found[standing] for standing in TaskStanding}

    @property
    def title(self) -> str:
        """What is compared with what."""
        now, was = self.arm, self.reference
        who = now.who if now.agent_label == was.agent_label else f"{now.who} after {was.who}"
        user = now.user if now.user == was.user else f"{now.user} after {was.user}"
        return f"{who} with {user}"


@dataclass(frozen=True, slots=True, repr=False)
class RunComparison:
    """Runs side by side: the outcomes of every task in every arm, and each arm by its reference."""

    arms: tuple[Arm, ...]
    outcomes: Mapping[str, tuple[tuple[str, ...], ...]]
    pairs: tuple[ArmPair, ...]

    def __repr__(self) -> str:
        """Return how much it compares."""
        return f"<RunComparison: {len(self.arms)} arms, {len(self.outcomes)} tasks>"

    def as_json(self) -> dict[str, Any]:
        """Return the document that `compare --json` prints; arms are told by their place."""
        return {
            "arms": [
                {
                    "run": arm.run,
                    "agent": arm.agent,
                    "user": arm.user,
                    "user_engine": arm.user_engine,
                }
                for arm in self.arms
            ],
            "tasks": [
                {"task": task_id, "outcomes": [list(own) for own in outcomes]}
                for task_id, outcomes in self.outcomes.items()
            ],
            "pairs": [self._pair_json(pair) for pair in self.pairs],
        }

    def grid(self, only: str | None = None) -> list[tuple[str, ...]]:
        """Return a row for each task, or those with a standing: its name, standings and marks.

        A mark stands for a trial: ● passed, ○ not passed, · no verdict.
        """
        standings: dict[str, list[str]] = {}
        for pair in self.pairs:
            for one in pair.tasks:
                standings.setdefault(one.task_id, []).append(str(one.standing))
        rows = []
        for task_id, outcomes in self.outcomes.items():
            own = list(dict.fromkeys(standings.get(task_id, ())))
            if only is None or only in own:
                marks = ("".join(_MARKS.get(one, "○") for one in trials) for trials in outcomes)
                rows.append((task_id, ", ".join(own), *marks))
        return rows

    @property
    def heads(self) -> list[str]:
        """The heads of the grid's columns of marks."""
        return [f"{arm.who}, {arm.user}" for arm in self.arms]

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what changed between arms, and every task."""
        counts = [
            (pair.title, *pair.counts.values(), ", ".join(one.check_id for one in pair.checks))
            for pair in self.pairs
        ]
        names = [str(standing) for standing in TaskStanding]
        changed = markup.table(("tasks", *names, "moved checks"), counts, numbers=names)
        grid = markup.table(("task", "", *self.heads), self.grid())
        marks = markup.paragraph("● passed  ○ not passed  · no verdict")
        return markup.shown("Runs compared", changed, grid, marks)

    def _pair_json(self, pair: ArmPair) -> dict[str, Any]:
        return {
            "reference": self.arms.index(pair.reference),
            "arm": self.arms.index(pair.arm),
            "tasks": {one.task_id: str(one.standing) for one in pair.tasks},
            "counts": pair.counts,
            "checks": [
                {
                    "check": one.check_id,
                    "title": one.title,
                    "fixed": list(one.fixed),
                    "broken": list(one.broken),
                }
                for one in pair.checks
            ],
            "differences": [
                {
                    "measure": one.measure.key,
                    "from": one.first,
                    "to": one.second,
                    "difference": one.contrast.difference,
                    **one.contrast.interval.as_json(),
                    "p": one.contrast.p,
                    "p_holm": one.p_holm,
                    "tasks": one.contrast.tasks,
                    "pairs": one.pairs,
                }
                for one in pair.differences
            ],
        }


def compare(*runs: RunPaths) -> RunComparison:
    """Compare runs with the first of them, task by task.

    Args:
        runs: Two or more: what `run` or `open_run` returned, or directories of runs.

    Raises:
        RunError: one is no run, or is damaged, or no episode of any has ended.
        UsageError: there are fewer than two, or they share no task or no kind of user.
    """
    directories = paths_of(runs)
    if len(directories) < 2:
        raise UsageError(
            "a comparison is of two runs or more; conditions within one are compared by `ablate` "
            "and `report`"
        )
    study = load_study(directories)
    episodes = [_by_task(arm.records) for arm in study.arms]
    pairs = [(study.arms.index(was), study.arms.index(now)) for was, now in _pairs(study)]
    shared = [(was, now) for was, now in pairs if episodes[was].keys() & episodes[now].keys()]
    if not shared:
        names = " and ".join(run.name for run in study.runs)
        what = "task: they were made on other benchmarks" if pairs else "kind of user"
        raise UsageError(f"{names} share no {what}")
    differences = measures.adjust(
        [
            measures.pair(study.arms[was].records, study.arms[now].records, COMPARED)
            for was, now in shared
        ]
    )
    tasks = dict.fromkeys(task for own in episodes for task in own)
    return RunComparison(
        arms=study.arms,
        outcomes={
            _named(task, tasks): tuple(_outcomes(own.get(task, ())) for own in episodes)
            for task in sorted(tasks, key=str)
        },
        pairs=tuple(
            ArmPair(
                reference=study.arms[was],
                arm=study.arms[now],
                tasks=tuple(_task_pairs(episodes[was], episodes[now])),
                checks=tuple(_moved(study, study.arms[was], study.arms[now])),
                differences=tuple(found),
            )
            for (was, now), found in zip(shared, differences, strict=True)
        ),
    )


def _pairs(study: Study) -> Iterator[tuple[Arm, Arm]]:
    """Yield each arm of a later run with its reference in the first."""
    first = [arm for arm in study.arms if arm.run == 0]
    for number in range(1, len(study.runs)):
        own = [arm for arm in study.arms if arm.run == number]
        if len(first) == len(own) == 1:
            yield first[0], own[0]
            continue
        for arm in own:
            key = (arm.user, arm.user_engine)
            yield from ((one, arm) for one in first if (one.user, one.user_engine) == key)


def _by_task(records: Sequence[EpisodeRecord]) -> dict[_Task, list[EpisodeRecord]]:
    found: dict[_Task, list[EpisodeRecord]] = {}
    for record in sorted(records, key=lambda one: one.trial):
        found.setdefault((record.task_id, record.stamp.get("task")), []).append(record)
    return found


def _outcomes(records: Sequence[EpisodeRecord]) -> tuple[str, ...]:
    return tuple(record.outcome for record in records)


def _named(task: _Task, tasks: Mapping[_Task, None]) -> str:
    """Return the id of a task, told from another one's by the beginning of its hash."""
    is_alone = sum(other[0] == task[0] for other in tasks) == 1
    return task[0] if is_alone else f"{task[0]} {str(task[1])[:8]}"


def _task_pairs(
    before: Mapping[_Task, Sequence[EpisodeRecord]], after: Mapping[_Task, Sequence[EpisodeRecord]]
) -> Iterator[TaskPair]:
    for task in sorted(before.keys() & after.keys(), key=str):
        yield TaskPair(task[0], _outcomes(before[task]), _outcomes(after[task]))


def _moved(study: Study, reference: Arm, arm: Arm) -> Iterator[MovedCheck]:
    """Yield the checks that failed in an episode of one arm and not in that of the other."""
    before, after = (
        {measures.by_task_and_trial(one): one for one in measures.scored(own.records)}
        for own in (reference, arm)
    )
    fixed: dict[str, list[str]] = {}
    broken: dict[str, list[str]] = {}
    for key in sorted(before.keys() & after.keys(), key=str):
        was, now = (set(measures.failed_checks(one[key])) for one in (before, after))
        for check in was - now:
            fixed.setdefault(check, []).append(after[key].episode_id)
        for check in now - was:
            broken.setdefault(check, []).append(after[key].episode_id)
    titles = check_titles(study.runs[arm.run].card)
    for check in sorted(fixed.keys() | broken.keys()):
        lost, won = tuple(broken.get(check, ())), tuple(fixed.get(check, ()))
        yield MovedCheck(check, titles.get(check, ""), won, lost)
