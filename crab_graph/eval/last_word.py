"""Which request counts where the user may change its mind: the last word that it said (§10).

What is booked in the end is held against the request after the last change that was said, else
against the first one. Of the user's own turns each is held against what it wanted then.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
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
    """The task as it counts; `said_at` are the visible messages that announced other requests."""

    first: Task
    said_at: tuple[int, ...] = ()

    @property
    def task(self) -> Task:
        """The task whose request counts."""
        return self.first.requests[len(self.said_at)]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The facts that were changed."""
        changes = self.first.spec.changes[: len(self.said_at)]
        return frozenset(key for change in changes for key in change.keys)

    def told(self) -> dict[str, Any]:
        """Return what a verdict says of it; nothing where the task knows no change.

        It is of the last change that was said; where none was, of the first that might have been.
        """
        if not self.first.spec.changes:
            return {}
        said = len(self.said_at)
        change = self.first.spec.changes[max(said, 1) - 1]
        word: dict[str, Any] = {"request": "changed" if said else "first"}
        word |= {"kind": str(change.kind), "facts": list(change.keys)}
        if said:
            word["message"] = self.said_at[-1]
        if len(self.first.spec.changes) > 1:
            word |= {"messages": list(self.said_at), "changes": len(self.first.spec.changes)}
        return {"last_word": word}

    def errors(
        self,
        find: Errors,
        episode: Episode,
        conduct: UserConduct | None,
        listing_cap: int | None,
    ) -> Iterator[UserError]:
        """Yield the user's errors: before a change those that are some by the request of then, too.

        What it wanted first was no error, and neither is to say so when it takes it back.
        """
        found = list(find(episode, conduct))
        if not self.said_at:
            yield from found
            return
        at_first = None if conduct is None else at_first_told(conduct)
        known: list[set[tuple[str, int]]] = []
        for task in self.first.requests[: len(self.said_at)]:
            earlier = lay_out(read_task(task), episode.trajectory, listing_cap)
            known.append({(one.code, one.message) for one in find(earlier, at_first)})
        for one in found:
            is_slip = one.message in self.said_at and one.code in _SLIPS
            by_then = known[bisect_right(self.said_at, one.message) :]
            if not is_slip and (not by_then or (one.code, one.message) in by_then[0]):
                yield one


def find_last_word(task: Task, trajectory: Trajectory, conduct: UserConduct | None) -> LastWord:
    """Return which request of a task counts, by the user's record or else by its words."""
    said_at: list[int] = []
    said = [one for one in trajectory.messages if one.speaker is not Owner.AGENT]
    for change, (before, after) in zip(task.spec.changes, pairwise(task.requests), strict=True):
        if conduct is not None:
            turns = [turn for key, turn in conduct.renewed.items() if key in change.keys]
        else:
            later = [one for one in said if not said_at or one.number > said_at[-1]]
            both = (before.briefing, after.briefing)
            turns = [one.number for one in later if says_change(one.text, *both)]
        if not turns:
            break
        said_at.append(min(turns))
    return LastWord(task, tuple(said_at))


def at_first_told(conduct: UserConduct) -> UserConduct:
    """Return a conduct in which what was taken back counts as told when it was said first."""
    told, settled = ({**known, **conduct.first_told} for known in (conduct.told, conduct.settled))
    return conduct._replace(told=told, settled=settled)
