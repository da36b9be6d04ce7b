"""How travellers' statements are held against their profile (rulebook §10, U1 and U2)."""

from collections.abc import Mapping, Sequence
from typing import Any

from crab_graph.domains.grading import Claim
from crab_graph.domains.travel.names import CITIES
from crab_graph.personas.spoken_dates import find_dates

_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=1
    )
}
_COUNT = "(" + "|".join([r"\d+", *_NUMBERS]) + ")"
_WISH = r"(?:prefer|want|need|like|must be|has to be|only) (?:an? |the )?"
_CITY = "(" + "|".join(sorted(map(str.casefold, CITIES), key=len, reverse=True)) + r")(?!\w)"
_CITY_NAMES = {name.casefold(): name for name in CITIES}
_LEAVING = (
    r"(?<!\w)(?:leav(?:e|es|ing)|depart(?:s|ing|ure)?|fly(?:ing)? out|set(?:ting)? off)(?!\w)"
)
_REST = r"((?:(?!return|\bback\b|\bborn\b|birth|night|until|arriv).){0,60})"


def _alternatives(text: str, today: str) -> list[tuple[Any, ...]]:
    """Return the dates of a text as one statement: `3 or 4 May` is right where one of them is."""
    dates = tuple(found.iso for found in find_dates(text, today))
    return [dates] if dates else []


def _each(text: str, today: str) -> list[tuple[Any, ...]]:
    """Return every date of a text as a statement of its own."""
    return [(found.iso,) for found in find_dates(text, today)]


def _is_in_window(facts: Mapping[str, Any], iso: Any) -> bool:
    known = facts["departure_date"]
    first, last = known if isinstance(known, list) else (known, known)
    return bool(first <= iso <= last)


def _is_an_end(facts: Mapping[str, Any], city: Any) -> bool:
    """Whether a city is an end of the trip; which one, is a matter of the leg spoken of."""
    return city in (facts["origin"], facts["destination"])


def _is_someones(facts: Mapping[str, Any], iso: Any) -> bool:
    return iso in facts["birth_dates"]


TRAVEL_CLAIMS: Sequence[Claim] = (
    Claim("nights", rf"(?<!\w){_COUNT} nights?(?!\w)", _NUMBERS),
    Claim(
        "party_size", rf"(?<!\w){_COUNT} (?:of us|people|passengers|travell?ers)(?!\w)", _NUMBERS
    ),
    Claim("budget", r"budget (?:is |of )?\$([\d,]+(?:\.\d+)?)", {}),
    Claim("hotel_stars", rf"(?<!\w){_COUNT}[- ]stars?(?!\w)", _NUMBERS),
    Claim("seat_type", rf"{_WISH}(economy|premium economy|business)(?!\w)", {}),
    Claim("seat_position", rf"{_WISH}(window|aisle|middle)(?!\w)", {}),
    Claim("room_type", rf"{_WISH}(standard|deluxe|suite)(?!\w)", {}),
    Claim("bed_type", rf"{_WISH}(twin|queen|king)(?!\w)", {}),
    Claim("attraction_category", rf"{_WISH}(museum|tour|show)(?!\w)", {}),
    Claim("departure_date", _LEAVING + _REST, read=_alternatives, agrees=_is_in_window),
    Claim(
        "birth_dates",
        r"(?<!\w)(?:born|birth ?dates?|birthdays?|dates? of birth|dob)(?!\w)(.{0,120})",
        read=_each,
        agrees=_is_someones,
    ),
    Claim("origin", rf"(?<!\w)from {_CITY}", _CITY_NAMES, agrees=_is_an_end),
    Claim("destination", rf"(?<!\w)(?:to|visit|visiting) {_CITY}", _CITY_NAMES, agrees=_is_an_end),
)

_NO_SLOT = frozenset({"D05", "C-PART"})
"""What is booked at another place fits no slot, and to the agent the trip is not partial."""

TRAVEL_COVERED: Mapping[str, frozenset[str]] = {
    "origin": frozenset({"D01", "D02"}) | _NO_SLOT,
    "destination": frozenset({"D01", "D02", "D03", "D04"}) | _NO_SLOT,
    "departure_date": frozenset({"D12", "D13", "D14", "D15", "D16"}),
    "nights": frozenset({"D13", "D15", "D16", "D17"}),
    "party_size": frozenset({"D06", "D07", "D17"}),
    "traveller_names": frozenset({"D07"}),
    "birth_dates": frozenset({"D07"}),
    "budget": frozenset({"D17"}),
    "outbound_time_of_day": frozenset({"D08"}),
    "return_time_of_day": frozenset({"D09"}),
    "seat_type": frozenset({"D08", "D09"}),
    "seat_position": frozenset({"D08", "D09"}),
    "hotel_stars": frozenset({"D10"}),
    "room_type": frozenset({"D10"}),
    "bed_type": frozenset({"D10"}),
    "attraction_category": frozenset({"D11"}),
    "attraction_time_of_day": frozenset({"D11"}),
    "attraction_date": frozenset({"D11"}),
    "same_carrier": frozenset({"D18"}),
    "same_district": frozenset({"D25"}),
}
