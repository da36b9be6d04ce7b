"""Where a fork begins: another episode, after one of its visible turns."""

from typing import Any, NamedTuple

from crab_graph.domains.task import Task
from crab_graph.errors import UsageError
from crab_graph.graph.restart import state_after, visible_ends, with_line
from crab_graph.graph.users import minds_of
from crab_graph.personas.recognition import told_after
from crab_graph.personas.second_thoughts import told_around_changes
from crab_graph.runs.config import ForkPoint
from crab_graph.runs.record import EpisodeRecord


class Lineage(NamedTuple):
    """From which draws of another episode a fork's user draws its own.

    The trial that the other episode was settles the persona; replica 0 draws what that one drew.
    """

    trial: int
    replica: int


class Origin(NamedTuple):
    """A starting point: the visible turn of an episode after which it goes on otherwise."""

    record: EpisodeRecord
    point: ForkPoint
    turn: int

    def lineage(self, trial: int) -> Lineage:
        """Return what the user of a trial draws from."""
        return Lineage(self.record.trial, trial + self.point.fresh)

    def as_json(self) -> dict[str, Any]:
        """Return what a record says of it."""
        said = {} if self.point.said is None else {"said": self.point.said}
        about = {"run": self.point.run, "episode_id": self.record.episode_id, "turn": self.turn}
        return about | said

    def start(self, task: Task, spec: str) -> dict[str, Any]:
        """Return the state in which a fork with a spec begins; errors as for `check_turn`."""
        record = self.record
        check_turn(record, self.turn)
        end = visible_ends(record.messages)[self.turn]
        start = state_after(record.messages, record.trace, record.hidden, end, spec)
        if self.point.said is None:
            return start
        if start.get("turn", "user") == "agent":
            return with_line(start, "assistant", self.point.said, start["user_state"])
        state = dict(start.get("user_state", {}))
        said = start.get("messages", {"lines": ()})["lines"]
        heard = [one["content"] for one in said if one["role"] == "assistant" and one["content"]]
        # The user knows which facts are told now.
        before, number = state.get("disclosed", ()), self.turn + 1
        last = heard[-1] if heard else ""
        minds = minds_of(task)
        if minds:
            state = told_around_changes(state, self.point.said, last, number, minds)
        else:
            state["disclosed"] = told_after(before, self.point.said, last, number, task.briefing)
        return with_line({"spec": spec, **start}, "user", self.point.said, state)


def check_turn(record: EpisodeRecord, turn: int) -> None:
    """Refuse a turn after which an episode cannot go on.

    Raises:
        UsageError: it has no such turn, or ends with it, or its state was not kept.
    """
    last = len(visible_ends(record.messages)) - 1
    if record.termination in _TOKENS:
        last -= 1  # nothing comes after the turn that ends the talk
    if not 0 <= turn <= last:
        raise UsageError(
            f"episode '{record.episode_id}' goes on after turns 0 to {last}, not after {turn}"
        )
    if not record.hidden:
        raise UsageError(
            f"episode '{record.episode_id}' was made by a version that did not keep what a fork "
            "needs; run it again"
        )


_TOKENS = {"STOP", "TRANSFER", "OUT-OF-SCOPE"}
