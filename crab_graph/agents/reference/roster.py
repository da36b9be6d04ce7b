"""The reference agents by name."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.planning import chained_plan, cheapest_plan
from crab_graph.agents.reference.red_team import stay_silent
from crab_graph.errors import UnknownName

AgentFunction = Callable[[list[BaseMessage], list[BaseTool]], AIMessage | str]


class ReferenceAgent(NamedTuple):
    """A reference agent: what it is, and how to get one."""

    description: str
    build: Callable[[], AgentFunction]


_SILENT = ReferenceAgent("says nothing and does nothing (red team)", lambda: stay_silent)

REFERENCE_AGENTS: Mapping[str, ReferenceAgent] = {
    "solver": ReferenceAgent(
        "asks for all it needs, finds the cheapest valid trip, proposes, books, charges, sums up",
        lambda: Desk(asks=True, planner=cheapest_plan),
    ),
    "hasty": ReferenceAgent(
        "acts on what is volunteered, never asks, takes the cheapest compatible offer next",
        lambda: Desk(asks=False, planner=chained_plan),
    ),
    "silent": _SILENT,
    "rt01": _SILENT,
}


def reference_agent(name: str) -> AgentFunction:
    """Return a reference agent for one episode.

    Raises:
        UnknownName: there is no such agent.
    """
    if name not in REFERENCE_AGENTS:
        raise UnknownName("reference agent", name, REFERENCE_AGENTS)
    return REFERENCE_AGENTS[name].build()
