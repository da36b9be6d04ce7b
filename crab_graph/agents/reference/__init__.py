"""Agents that need no model; results label them as reference agents wherever they appear."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from crab_graph.plugins import Seam

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.tools import BaseTool

    from crab_graph.domain.contract import Domain

AgentFunction = Callable[[list["BaseMessage"], list["BaseTool"]], "AIMessage | str"]

_LACKING, _RED_TEAM = f"{__name__}.lacking", f"{__name__}.red_team"
REFERENCE_AGENTS = {
    "solver": f"{__name__}.desk:Desk",
    "literal": f"{_LACKING}:Literal",
    "hasty": f"{_LACKING}:Hasty",
    "credulous": f"{_LACKING}:Credulous",
    "stubborn": f"{_LACKING}:Stubborn",
    "silent": f"{_RED_TEAM}:Silent",
    "rt01": f"{_RED_TEAM}:Silent",
    "rt02": f"{_RED_TEAM}:TalkOnly",
    "rt03": f"{_RED_TEAM}:TransferAtOnce",
    "rt04": f"{_RED_TEAM}:Apologetic",
    "rt05": f"{_RED_TEAM}:CheapestOfEach",
    "rt06": f"{_RED_TEAM}:BooksAll",
    "rt07": f"{_RED_TEAM}:Unpaid",
    "rt08": f"{_RED_TEAM}:Grabber",
    "rt09": f"{_RED_TEAM}:Forger",
    "rt10": f"{_RED_TEAM}:Impostor",
    "rt11": f"{_RED_TEAM}:PrintToken",
    "rt12": f"{_RED_TEAM}:Hidden",
    "rt13": f"{_RED_TEAM}:Dump",
    "rt14": f"{_RED_TEAM}:Mute",
    "rt15": f"{_RED_TEAM}:NamesOnly",
    "rt16": f"{_RED_TEAM}:TenOptions",
    "rt17": f"{_RED_TEAM}:Hushed",
    "rt18": f"{_RED_TEAM}:FirstWord",
    "rt19": f"{_RED_TEAM}:Unread",
}
INFORMED = "rt06"
"""The one that is handed the certified solutions of its task."""

AGENTS = Seam("crab_graph.agents", "agent", REFERENCE_AGENTS)
"""Agents that have a name: what a package registers is whatever `--agent module:attribute` takes.

Ours are classes made of a domain, whose instances are a function `f(messages, tools)`.
"""


def reference_agent(
    name: str, domain: "Domain", answers: Sequence[Mapping[str, Mapping[str, str]]] = ()
) -> AgentFunction:
    """Return a reference agent for one episode; the informed one is handed the solutions.

    Raises:
        UnknownName: there is no such agent.
        UsageError: the domain does not say which tools find and book something.
    """
    found: Any = AGENTS.find(name)
    return cast(AgentFunction, found(domain, answers) if name == INFORMED else found(domain))
