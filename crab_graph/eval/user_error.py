"""An error of the user, with the checks whose failure it explains (rulebook §10)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.episode import Episode
from crab_graph.eval.replay import CallStep
from crab_graph.tools.tool import Owner

TRIP = frozenset({"D01", "D02", "D03", "D04"})
NODES = frozenset({"D08", "D09", "D10", "D11"})
ENDINGS = frozenset({"C-FULL", "C-PART", "C-NONE"})


@dataclass(frozen=True, slots=True)
class UserError:
    """An error of the user.

    Attributes:
        code: `U1` to `U7`.
        message: Number of the visible message that shows it.
        text: What was found.
        covers: The checks whose failure it explains.
    """

    code: str
    message: int
    text: str
    covers: frozenset[str]


def covered(errors: Iterable[UserError]) -> frozenset[str]:
    """Return the checks that some error explains."""
    return frozenset[str]().union(*(error.covers for error in errors))


def calls_between(
    episode: Episode, request: AgentMessage, answer: UserMessage
) -> Iterator[CallStep]:
    """Yield the user's calls between a message and the answer to it."""
    # `seq` counts steps from 1, so it is also a position.
    for step in episode.trajectory.steps[request.seq : answer.seq - 1]:
        if isinstance(step, CallStep) and step.owner is Owner.USER:
            yield step
