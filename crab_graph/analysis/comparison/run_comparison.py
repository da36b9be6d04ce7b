"""Runs compared task by task: what was fixed, broken or flaky, and which checks moved.

An arm is one agent with one kind of user in one run. Each arm of a later run stands against the
arm of the first run with the same user; where both runs have one arm alone, these are compared.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from crab_graph import markup
from crab_graph.analysis.comparison.arm_pairs import ArmPair, MovedCheck, TaskPair, TaskStanding
from crab_graph.analysis.labels import check_titles
from crab_graph.analysis.report import measures
from crab_graph.analysis.report.study import Arm, Study, load_study
from crab_graph.errors import UnknownName, UsageError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import label

COMPARED = (*measures.VERDICTS, *measures.WORK)

_MARKS = {"pass": "●", "infra_error": "·"}

_Task = tuple[str, str | None]
"""A task is known by its id and the hash of what it is: another benchmark has others by that id."""


@dataclass(frozen=True, slots=True, repr=False)
class RunComparison:
    """Runs side by side: the episodes of every task in every arm, and each arm by its reference."""

    study: Study
    cells: Mapping[str, tuple[tuple[EpisodeRecord, ...], ...]]
    pairs: tuple[ArmPair, ...]

    def __repr__(self) -> str:
        """Return how much it compares."""
        return f"<RunComparison: {len(self.arms)} arms, {len(self.cells)} tasks>"

    @property
    def arms(self) -> tuple[Arm, ...]:
        """One agent with one kind of user in one run each, in the order of the runs."""
        return self.study.arms

    @property
    def outcomes(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """How the trials of each task came out in each arm."""
        return {task: tuple(map(_outcomes, cells)) for task, cells in self.cells.items()}

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
                {
                    "task": task_id,
                    "outcomes": [list(_outcomes(own)) for own in cells],
                    "episodes": [[one.episode_id for one in own] for own in cells],
                }
                for task_id, cells in self.cells.items()
            ],
            "pairs": [self._pair_json(pair) for pair in self.pairs],
        }

    def grid(self, only: str | None = None) -> list[tuple[str, ...]]:
        """Return a row for each task, or those with a standing: its name, standings and marks.

        A mark stands for a trial: ● passed, ○ not passed, · no verdict.
        """
        standings = self.standings
        rows = []
        for task_id, outcomes in self.outcomes.items():
            own = list(dict.fromkeys(filter(None, standings[task_id])))
            if only is None or only in own:
                marks = ("".join(_MARKS.get(one, "○") for one in trials) for trials in outcomes)
                rows.append((task_id, ", ".join(own), *marks))
        return rows

    def partners(self, episode_id: str) -> list[tuple[ArmPair, EpisodeRecord, EpisodeRecord]]:
        """Return the episodes that an episode is compared with, in each pair: before and after.

        Raises:
            UnknownName: there is none.
        """
        found = [(pair, *both) for pair in self.pairs for both in pair.partners(episode_id)]
        if not found:
            known = {one.episode_id for arm in self.arms for one in arm.records}
            raise UnknownName("episode", episode_id, known)
        return found

    @property
    def title(self) -> str:
        """Which runs are compared."""
        first, *rest = (run.name for run in self.study.runs)
        return f"{first} and {rest[0] if len(rest) == 1 else f'{len(rest)} other runs'}, compared"

    @property
    def lead(self) -> str:
        """How much was run, in one line."""
        episodes = sum(len(arm.records) for arm in self.arms)
        return (
            f"{len(self.study.runs)} runs, {len(self.arms)} arms (one agent with one kind of user "
            f"each), {len(self.cells):,} tasks, {episodes:,} episodes"
        )

    @property
    def standings(self) -> dict[str, list[str]]:
        """What became of each task in each pair of arms; nothing where only one was given it."""
        found: dict[str, list[str]] = {task_id: [] for task_id in self.cells}
        for pair in self.pairs:
            own = {one.name: str(one.standing) for one in pair.tasks}
            for task_id, listed in found.items():
                listed.append(own.get(task_id, ""))
        return found

    @property
    def heads(self) -> list[str]:
        """The heads of the grid's columns of marks."""
        return [f"{arm.who}, {arm.user}" for arm in self.arms]

    @property
    def heads_in_lines(self) -> list[tuple[str, str, str]]:
        """The same in three lines: the agent, how it is labelled, and the user."""
        return [(one.agent_label, one.tag and f"({one.tag})", one.user) for one in self.arms]

    @property
    def legend(self) -> str:
        """What the grid's marks mean."""
        return f"● {label('passed')}  ○ {label('not_passed')}  · {label('no_verdict')}"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what changed between arms, and every task."""
        counts = [
            (pair.title, *pair.counts.values(), ", ".join(one.check_id for one in pair.checks))
            for pair in self.pairs
        ]
        names = list(map(label, TaskStanding))
        changed = markup.table(
            (label("tasks"), *names, label("moved_checks")), counts, numbers=names
        )
        grid = markup.table((label("task"), "", *self.heads), self.grid())
        marks = markup.paragraph(self.legend)
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
            "differences": [_pairing_json(one) for one in pair.differences],
            "parts": [{"part": title, **_pairing_json(one)} for title, one in pair.parts],
        }


def _pairing_json(found: measures.Pairing) -> dict[str, Any]:
    return {
        "measure": found.measure.key,
        "from": found.first,
        "to": found.second,
        "difference": found.contrast.difference,
        **found.contrast.interval.as_json(),
        "p": found.contrast.p,
        "p_holm": found.p_holm,
        "tasks": found.contrast.tasks,
        "pairs": found.pairs,
    }


def compare_runs(directories: Sequence[Path]) -> RunComparison:
    """Compare runs with the first of them, task by task; errors as for `compare`."""
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
    named = {task: _named(task, tasks) for task in sorted(tasks, key=str)}
    return RunComparison(
        study=study,
        cells={
            name: tuple(tuple(own.get(task, ())) for own in episodes)
            for task, name in named.items()
        },
        pairs=tuple(
            ArmPair(
                reference=study.arms[was],
                arm=study.arms[now],
                tasks=tuple(_task_pairs(episodes[was], episodes[now], named)),
                checks=tuple(_moved(study, study.arms[was], study.arms[now])),
                differences=tuple(found),
                parts=tuple(_parts(study.arms[was].records, study.arms[now].records)),
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
    before: Mapping[_Task, Sequence[EpisodeRecord]],
    after: Mapping[_Task, Sequence[EpisodeRecord]],
    names: Mapping[_Task, str],
) -> Iterator[TaskPair]:
    for task in sorted(before.keys() & after.keys(), key=str):
        yield TaskPair(task[0], _outcomes(before[task]), _outcomes(after[task]), names[task])


def _parts(
    before: Sequence[EpisodeRecord], after: Sequence[EpisodeRecord]
) -> Iterator[tuple[str, measures.Pairing]]:
    """Yield the differences in pass@1 on the tasks of each level and kind of difficulty."""
    levels = sorted({one.level for one in before})
    parts: dict[str, Callable[[EpisodeRecord], bool]] = {}
    if len(levels) > 1:
        parts = {f"{label('level')} {one}": partial(_is_of, level=one) for one in levels}
    kinds = sorted({kind for one in before for kind in one.difficulties})
    parts |= {f"with {kind}": partial(_is_of, kind=kind) for kind in kinds}
    pairings = {}
    for title, is_in in parts.items():
        was, now = (list(filter(is_in, own)) for own in (before, after))
        if found := measures.pair(was, now, [measures.PASS]):
            pairings[title] = found
    adjusted = measures.adjust(list(pairings.values()))
    yield from zip(pairings, chain.from_iterable(adjusted), strict=True)


def _is_of(record: EpisodeRecord, *, level: int | None = None, kind: str | None = None) -> bool:
    return record.level == level or kind in record.difficulties


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
