"""An episode driven from outside: whoever trains an agent hands in one message after the other.

What plays are the nodes of the graph, called in the order in which its edges lead to them, and
their updates are put together as its channels do; so the same replies make the same episode, to the
byte. Without a graph and a checkpoint a step costs what its nodes cost, and the state is a value
that can be kept, and gone on with any number of times.
"""

import threading
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage

from crab_graph.agents.adapters import Agent, Respond
from crab_graph.agents.reply import Reply, read_reply
from crab_graph.graph.nodes import EpisodeNodes
from crab_graph.graph.state import AgentInput, EpisodeState, is_finished, joined
from crab_graph.models.meter import current_meter, usage_of
from crab_graph.tools.registry import ToolRegistry

State = Mapping[str, Any]
"""An episode's state, a JSON value; it is never changed in place."""

ROLLOUT = "rollout"
"""How an agent is recorded whose messages are handed in."""


class AgentSeat:
    """The agent's seat of an episode, where the next reply is what was handed in."""

    def __init__(self) -> None:
        """Begin with nothing handed in."""
        self._given: Reply | AIMessage | Exception | None = None
        self._lock = threading.Lock()

    @property
    def agent(self) -> Agent:
        """What sits there, for the nodes of the episode."""
        return Agent(ROLLOUT, False, self._open)

    def take(
        self, nodes: EpisodeNodes, state: State, given: Reply | AIMessage | Exception
    ) -> dict[str, Any]:
        """Return the state in which the agent has answered, and is on turn again or at its end.

        An exception counts as one that the agent raised.

        Raises:
            CrabGraphError: the episode cannot be gone on with, as without a price that a limit
                needs; the state before is as good as ever.
        """
        with self._lock:  # a step that nobody waits for any more may still be under way
            self._given = given
            said = joined(state, nodes.agent(cast(AgentInput, state)))
        return until_agent(nodes, said)

    def _open(self, registry: ToolRegistry) -> Respond:
        del registry
        return self._respond

    def _respond(self, messages: list[BaseMessage]) -> Reply:
        del messages
        given, meter = self._given, current_meter()
        if isinstance(given, Exception):
            raise given
        if isinstance(given, AIMessage) and given.usage_metadata is not None and meter is not None:
            meter.add(usage_of(given))  # nobody saw the model that was asked
        return read_reply(given)


def until_agent(nodes: EpisodeNodes, state: State) -> dict[str, Any]:
    """Let user and environment act until the agent is on turn, or the episode is over."""
    at = dict(state)
    while not is_finished(at) and (turn := at.get("turn", "user")) != "agent":
        act = nodes.user if turn == "user" else nodes.environment
        at = joined(at, act(cast(EpisodeState, at)))
    return at
