"""Two arms of runs beside each other: their tasks, the checks that moved, paired differences.

An arm is one agent with one kind of user in one run.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from crab_graph.analysis.report.measures import UNSCORED, Pairing
from crab_graph.analysis.report.study import Arm
from crab_graph.runs.record import EpisodeRecord


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
    """A task in two arms: the outcomes of its trials in each, in order.

    Its name tells it from another task with the same id, where there is one.
    """

    task_id: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    name: str = ""

    @property
    def standing(self) -> TaskStanding:
        """What became of it."""
        was, now = (
            {outcome == "pass" for outcome in outcomes if outcome != UNSCORED}
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

    Checks and differences are over episodes of the same task, trial and seed. Parts are the
    differences in pass@1 on the tasks of each level of the ladder and with each kind of difficulty,
    where there is more than one; p is adjusted over them.
    """

    reference: Arm
    arm: Arm
    tasks: tuple[TaskPair, ...]
    checks: tuple[MovedCheck, ...]
    differences: tuple[Pairing, ...]
    parts: tuple[tuple[str, Pairing], ...] = ()

    def having(self, standing: TaskStanding | str) -> list[str]:
        """Return the tasks with a standing."""
        return [one.task_id for one in self.tasks if one.standing == standing]

    @property
    def arms(self) -> tuple[Arm, Arm]:
        """Both, the reference first."""
        return self.reference, self.arm

    def partners(self, episode_id: str) -> list[tuple[EpisodeRecord, EpisodeRecord]]:
        """Return an episode of either arm with the other's of the same task and trial."""
        return [both for both in self.matched() if episode_id in (one.episode_id for one in both)]

    def matched(self) -> list[tuple[EpisodeRecord, EpisodeRecord]]:
        """Return the episodes of both arms that have task and trial in common."""
        before, after = (
            {(one.task_id, one.stamp.get("task"), one.trial): one for one in own.records}
            for own in self.arms
        )
        return [(before[key], after[key]) for key in before if key in after]

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
