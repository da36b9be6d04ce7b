"""The 13 travel tools, and the registry of all 26 that a travel episode has (paper table 6)."""

from functools import cache

from crab_graph.domains.travel.tools.attractions import ATTRACTION_TOOLS
from crab_graph.domains.travel.tools.flights import FLIGHT_TOOLS
from crab_graph.domains.travel.tools.hotels import HOTEL_TOOLS
from crab_graph.tools.payments import PAYMENT_TOOLS
from crab_graph.tools.platform import PLATFORM_TOOLS
from crab_graph.tools.registry import ToolRegistry
from crab_graph.tools.wallet import WALLET_TOOLS
from crab_graph.tools.world import EntityTable

TRAVEL_TOOLS = (*FLIGHT_TOOLS, *HOTEL_TOOLS, *ATTRACTION_TOOLS)

TRAVEL_ENTITIES = {
    "flight": EntityTable("flights", None),
    "hotel": EntityTable("hotels", "name"),
    "attraction": EntityTable("attractions", "name"),
}


@cache
def build_travel_registry() -> ToolRegistry:
    """Return the registry of all travel tools, in the paper's order."""
    tools = (*PLATFORM_TOOLS, *TRAVEL_TOOLS, *PAYMENT_TOOLS, *WALLET_TOOLS)
    return ToolRegistry(tools, TRAVEL_ENTITIES)
