"""Which request counts where the user may change its mind: the last word that it said (§10).

What is booked in the end is held against the request after the change where that was said, else
against the first one. Of the user's own turns each is held against what it wanted then.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crab_graph.domains.task import Task
from crab_graph.eval.blame import UserError
from crab_graph.eval.reading import Episode, lay_out, read_task
from crab_graph.eval.replay import Trajectory
from crab_graph.eval.user_facts import UserConduct
from crab_graph.personas.second_thoughts import says_change
from crab_graph.tools.registry import Owner

Errors = Callable[[Episode, UserConduct | None], Iterable[UserError]]
"""What the user did wrong, as an episode of one request and a conduct show it."""

_SLIPS = frozenset({"U1", "U2"})
"""What a message may seem to get wrong that tells the old wish beside the new one."""


@dataclass(frozen=True)
class LastWord:
    """The task as it counts; `said_at` is the visible message that announced another one."""

    first: Task
    said_at: int | None = None

    @property
    def task(self) -> Task:
        """The task whose request counts."""
        second = self.first.second
        return self.first if self.said_at is None or second is None else second

    @cached_property
    def keys(self) -> frozenset[str]:
        """The facts that were changed."""
        changes = self.first.spec.changes if self.said_at is not None else ()
        return frozenset(key for change in changes for key in change.keys)

    def told(self) -> dict[str, Any]:
        """Return what a verdict says of it; nothing where the task knows no change."""
        if not self.first.spec.changes:
            return {}
        change = self.first.spec.changes[0]
        word = {"request": "first", "kind": str(change.kind), "facts": list(change.keys)}
        if self.said_at is None:
            return {"last_word": word}
        return {"last_word": {**word, "request": "changed", "message": self.said_at}}

    def errors(
        self,
        find: Errors,
        episode: Episode,
        conduct: UserConduct | None,
        listing_cap: int | None,
    ) -> Iterator[UserError]:
        """Yield the user's errors: before the change those that are some by either request.

        What it wanted first was no error, and neither is to say so when it takes it back.
        """
        found = list(find(episode, conduct))
        if self.said_at is None:
            yield from found
            return
        earlier = lay_out(read_task(self.first), episode.trajectory, listing_cap)
        at_first = None if conduct is None else at_first_told(conduct)
        known = {(one.code, one.message) for one in find(earlier, at_first)}
        for one in found:
            is_slip = one.message == self.said_at and one.code in _SLIPS
            is_before = one.message < self.said_at
            if not is_slip and (not is_before or (one.code, one.message) in known):
                yield one


def find_last_word(task: Task, trajectory: Trajectory, conduct: UserConduct | None) -> LastWord:
    """Return which request of a task counts, by the user's record or else by its words."""
    if task.second is None:
        return LastWord(task)
    if conduct is not None:
        changed = task.spec.changes[0].keys
        turns = (turn for key, turn in conduct.renewed.items() if key in changed)
        return LastWord(task, min(turns, default=None))
    said = (one for one in trajectory.messages if one.speaker is not Owner.AGENT)
    both = task.briefing, task.second.briefing
    return LastWord(task, next((one.number for one in said if says_change(one.text, *both)), None))


def at_first_told(conduct: UserConduct) -> UserConduct:
    """Return a conduct in which what was taken back counts as told when it was said first."""
    told, settled = ({**known, **conduct.first_told} for known in (conduct.told, conduct.settled))
    return conduct._replace(told=told, settled=settled)
