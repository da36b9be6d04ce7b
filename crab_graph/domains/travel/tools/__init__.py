"""The travel tools, and the registries of all tools of an episode (paper table 6).

With the platform's, payments' and the user's they are the paper's 26. The extended toolset has five
more for the agent, which cancel and change bookings of every kind.
"""

from functools import cache

from crab_graph.domains.travel.offers import KINDS
from crab_graph.domains.travel.tools.attractions import (
    ATTRACTION_TOOLS,
    EXTENDED_ATTRACTION_TOOLS,
)
from crab_graph.domains.travel.tools.flights import EXTENDED_FLIGHT_TOOLS, FLIGHT_TOOLS
from crab_graph.domains.travel.tools.hotels import EXTENDED_HOTEL_TOOLS, HOTEL_TOOLS
from crab_graph.settings import Toolset
from crab_graph.tools.platform import PAYMENT_TOOLS, PLATFORM_TOOLS
from crab_graph.tools.registry import Tool, ToolRegistry
from crab_graph.tools.user_tools import USER_TOOLS

TRAVEL_TOOLS = (*FLIGHT_TOOLS, *HOTEL_TOOLS, *ATTRACTION_TOOLS)

_OF_TOOLSET: dict[Toolset, tuple[Tool, ...]] = {
    Toolset.PARITY: TRAVEL_TOOLS,
    Toolset.EXTENDED: (
        *EXTENDED_FLIGHT_TOOLS,
        *EXTENDED_HOTEL_TOOLS,
        *EXTENDED_ATTRACTION_TOOLS,
    ),
}


@cache
def build_travel_registry(toolset: Toolset = Toolset.PARITY) -> ToolRegistry:
    """Return the registry of all tools of a toolset, in the paper's order."""
    tools = (*PLATFORM_TOOLS, *_OF_TOOLSET[toolset], *PAYMENT_TOOLS, *USER_TOOLS)
    return ToolRegistry(tools, {name: kind.named for name, kind in KINDS.items()})
