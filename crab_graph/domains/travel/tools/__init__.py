"""The travel tools, and the registries of all tools of an episode (paper table 6).

With the platform's, payments' and the user's they are the paper's 26. The extended toolset has five
more for the agent, which cancel and change bookings of every kind.
"""

from functools import cache
from itertools import chain

from crab_graph.domains.travel.offers import KINDS
from crab_graph.domains.travel.tools.attractions import ATTRACTION_TOOLS
from crab_graph.domains.travel.tools.flights import FLIGHT_TOOLS
from crab_graph.domains.travel.tools.hotels import HOTEL_TOOLS
from crab_graph.settings import Toolset
from crab_graph.tools.platform import PAYMENT_TOOLS, PLATFORM_TOOLS
from crab_graph.tools.registry import ToolRegistry
from crab_graph.tools.user_tools import user_tools


@cache
def build_travel_registry(toolset: Toolset = Toolset.PARITY) -> ToolRegistry:
    """Return the registry of all tools of a toolset, in the paper's order."""
    of_kinds = (FLIGHT_TOOLS, HOTEL_TOOLS, ATTRACTION_TOOLS)
    travel = chain.from_iterable(tools[toolset] for tools in of_kinds)
    tools = (*PLATFORM_TOOLS, *travel, *PAYMENT_TOOLS, *user_tools("trip"))
    return ToolRegistry(tools, {name: kind.named for name, kind in KINDS.items()})
