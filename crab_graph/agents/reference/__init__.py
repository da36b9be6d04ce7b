"""Agents that need no model; results label them as reference agents wherever they appear."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from crab_graph.plugins import Seam

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.tools import BaseTool

AgentFunction = Callable[[list["BaseMessage"], list["BaseTool"]], "AIMessage | str"]

_DESK, _RED_TEAM = f"{__name__}.desk", f"{__name__}.red_team"
REFERENCE_AGENTS = {
    "solver": f"{_DESK}:Desk",
    "hasty": f"{_DESK}:Hasty",
    "silent": f"{_RED_TEAM}:stay_silent",
    "rt01": f"{_RED_TEAM}:stay_silent",
    "rt02": f"{_RED_TEAM}:talk_only",
    "rt03": f"{_RED_TEAM}:transfer_at_once",
    "rt04": f"{_RED_TEAM}:apologise",
    "rt05": f"{_RED_TEAM}:CheapestOfEach",
    "rt06": f"{_RED_TEAM}:BooksAll",
    "rt07": f"{_RED_TEAM}:Unpaid",
    "rt08": f"{_RED_TEAM}:Grabber",
    "rt09": f"{_RED_TEAM}:Forger",
    "rt10": f"{_RED_TEAM}:Impostor",
    "rt11": f"{_RED_TEAM}:print_token",
    "rt12": f"{_RED_TEAM}:Hidden",
    "rt13": f"{_RED_TEAM}:Dump",
    "rt14": f"{_RED_TEAM}:Mute",
    "rt15": f"{_RED_TEAM}:NamesOnly",
    "rt16": f"{_RED_TEAM}:TenOptions",
}
INFORMED = "rt06"
"""The one that is handed the certified solutions of its task."""

AGENTS = Seam("crab_graph.agents", "agent", REFERENCE_AGENTS)
"""Agents that have a name: what a package registers is whatever `--agent module:attribute` takes.

Each of ours is a function `f(messages, tools)`, or a class whose instances are one.
"""


def reference_agent(
    name: str, answers: Sequence[Mapping[str, Mapping[str, str]]] = ()
) -> AgentFunction:
    """Return a reference agent for one episode; the informed one is handed the solutions.

    Raises:
        UnknownName: there is no such agent.
    """
    found: Any = AGENTS.find(name)
    if name == INFORMED:
        return cast(AgentFunction, found(answers))
    return cast(AgentFunction, found() if inspect.isclass(found) else found)
