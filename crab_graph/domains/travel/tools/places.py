"""Airports and cities as callers write them."""

from crab_graph.errors import ToolCallError
from crab_graph.tools.arguments import shown
from crab_graph.tools.tool import ErrorCode, ToolCall


def resolve_airport(call: ToolCall, place: str) -> str:
    """Return the code of an airport that is given by its code or by its city.

    Raises:
        ToolCallError: no airport is called so, or the city has several.
    """
    if call.tables.get("airports", place) is not None:
        return place
    wanted = place.casefold()
    codes: list[str] = [
        row["airport_code"]
        for row in call.tables.rows("airports")
        if wanted in (row["airport_code"].casefold(), row["city"].casefold())
    ]
    if not codes:
        text = f"there is no airport or city {shown(place)}; list them with list_all_airports"
        raise ToolCallError(ErrorCode.UNKNOWN_ID, text)
    if len(codes) > 1:
        text = f"{shown(place)} has several airports; give one of {', '.join(codes)}"
        raise ToolCallError(ErrorCode.AMBIGUOUS_CITY, text)
    return codes[0]


def resolve_city(call: ToolCall, place: str) -> str:
    """Return a city by its name, whatever its case.

    Raises:
        ToolCallError: there is no such city.
    """
    wanted = place.casefold()
    for row in call.tables.rows("airports"):
        if row["city"].casefold() == wanted:
            city: str = row["city"]
            return city
    text = f"there is no city {shown(place)}; list the cities with list_all_airports"
    raise ToolCallError(ErrorCode.UNKNOWN_ID, text)
