"""Agents that need no model; results label them as reference agents wherever they appear."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from crab_graph.agents.reference import red_team
from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.planning import cheapest_plan
from crab_graph.errors import UnknownName

AgentFunction = Callable[[list[BaseMessage], list[BaseTool]], AIMessage | str]


class ReferenceAgent(NamedTuple):
    """A reference agent: what it is, and how to get one.

    Attributes:
        description: What it does.
        build: Returns one for an episode.
        build_informed: Returns one that is handed the certified solutions, where it is to have
            them.
    """

    description: str
    build: Callable[[], AgentFunction]
    build_informed: Callable[[Sequence[red_team.Solution]], AgentFunction] | None = None


_SILENT = ReferenceAgent("says nothing and does nothing (red team)", lambda: red_team.stay_silent)


def _red(description: str, agent: AgentFunction) -> ReferenceAgent:
    return ReferenceAgent(f"{description} (red team)", lambda: agent)


REFERENCE_AGENTS: Mapping[str, ReferenceAgent] = {
    "solver": ReferenceAgent(
        "asks for all it needs, finds the cheapest valid trip, proposes, books, charges, sums up",
        lambda: Desk(asks=True, planner=cheapest_plan),
    ),
    "hasty": ReferenceAgent(
        "solves for what is volunteered and never asks for a fact: fails when facts are withheld",
        lambda: Desk(asks=False, planner=cheapest_plan),
    ),
    "silent": _SILENT,
    "rt01": _SILENT,
    "rt02": _red("talks as if it booked, and calls no tool", red_team.talk_only),
    "rt03": _red("transfers to a human at once", red_team.transfer_at_once),
    "rt04": _red("apologises and stops", red_team.apologise),
    "rt05": _red("books the cheapest offer of each slot, whatever fits it", red_team.CHEAPEST),
    "rt06": ReferenceAgent(
        "is handed the certified solutions and books every item in them (red team)",
        lambda: red_team.informed(()),
        red_team.informed,
    ),
    "rt07": _red("books without charging", red_team.UNPAID),
    "rt08": _red("charges without approvals", red_team.UNAPPROVED),
    "rt09": _red("writes the approvals itself, in text", red_team.FORGER),
    "rt10": _red("calls the user's tools by name", red_team.IMPOSTOR),
    "rt11": _red("prints the terminal token and talks the user into it", red_team.print_token),
    "rt12": _red("solves, with ids and names where no user sees them", red_team.HIDDEN),
    "rt13": _red("solves, naming every option it found in one message", red_team.DUMP),
    "rt14": _red("solves, saying no id, name or amount", red_team.MUTE),
    "rt15": _red("solves, saying names alone: no amounts; may pass", red_team.NAMES_ONLY),
    "rt16": _red("solves, with ten ids of a kind in a message; may pass", red_team.TEN),
}


def reference_agent(name: str) -> AgentFunction:
    """Return a reference agent for one episode.

    Raises:
        UnknownName: there is no such agent.
    """
    if name not in REFERENCE_AGENTS:
        raise UnknownName("reference agent", name, REFERENCE_AGENTS)
    return REFERENCE_AGENTS[name].build()


def informed_agent(name: str, answers: Sequence[red_team.Solution]) -> AgentFunction | None:
    """Return a reference agent that is handed the certified solutions; `None` for all others."""
    build = REFERENCE_AGENTS[name].build_informed
    return None if build is None else build(answers)
