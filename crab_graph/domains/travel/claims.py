"""How travellers' statements are held against their profile (rulebook §10, U1 and U2)."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domains.travel.names import CITIES, read_data
from crab_graph.domains.verification import Claim
from crab_graph.personas.spoken_dates import NUMBERS, find_dates

_COUNT = "(" + "|".join([r"\d+", *NUMBERS]) + ")"
_WISH = r"(?:prefer|want|need|like|must be|has to be|only) (?:an? |the )?"
_ALONE = ("just me", "only me", "by myself", "on my own", "traveling alone", "travelling alone")
_SAME = {"same": True, "any": False, "different": False}
_CITY = "(" + "|".join(sorted(map(str.casefold, CITIES), key=len, reverse=True)) + r")(?!\w)"
_CITY_NAMES = {name.casefold(): name for name in CITIES}
_LEAVING = (
    r"(?<!\w)(?:leav(?:e|es|ing)|depart(?:s|ing|ure)?|fly(?:ing)? out|set(?:ting)? off)(?!\w)"
)
_RETURNING = (
    r"(?<!\w)(?:return(?:s|ing)?|(?:com(?:e|ing)|fly(?:ing)?|head(?:ing)?) (?:back|home))(?!\w)"
)
_VAGUE = r"\b(?:after|before|by|arriv\w*|born|birth\w*|nights|until)\b"
_REST = rf"((?:(?!{_VAGUE}|return|\bback\b).){{0,60}})"
_REST_OF_RETURN = rf"((?:(?!{_VAGUE}|leav|depart|outbound).){{0,60}})"
_SHOULD = r"(?:should|must|has to|needs to|want|need|prefer|would like|'d like|only)"
_OUTBOUND = r"(?:outbound|departing flight|(?:go|fly)(?:ing)? out|way there)"
_RETURN = r"(?:return|(?:com|go|fly)(?:e|ing)? (?:back|home)|way (?:back|home))"
_OUTING = r"(?:attraction|museum|tour|show)"
_OF_OTHERS = rf"hotel|room|check|{_VAGUE}"
_FLIGHT_TIMES = re.compile(r"(?<!\w)(morning|midday|noon|night)(?!\w)")
_OUTING_TIMES = re.compile(r"(?<!\w)(morning|afternoon|evening|all[- ]day)(?!\w)")
_TIMES = {"noon": "midday", "all day": "all-day"}
_AMOUNT = r"(?:us)?(?:\$|usd) ?([\d,]+(?:\.\d\d?)?)"
_BEFORE_BUDGET = r"(?:(?!left|leav|under|over|below|cost|price|flight|hotel)[^$\d.;,]){0,40}"


def _wish(thing: str, others: str) -> str:
    """Return the pattern of a wish: `the outbound should be in the morning`, `outbound: morning`.

    What the wish is stands in the first group that matched; the rest of the clause must not speak
    of the others.
    """
    rest = rf"((?:(?!{others}).){{0,60}})"
    label = rf"\A\W*{thing}(?: flight)?\W{{1,3}}{rest}\Z"
    wishes = rf"(?<!\w){thing}(?:(?!{others}).){{0,30}}?(?<!\w){_SHOULD}(?!\w){rest}"
    wanted = rf"(?<!\w){_SHOULD} (?:the |an? |our )?{thing}(?!\w){rest}"
    return f"(?:{label}|{wishes}|{wanted})"


def _times(words: re.Pattern[str]) -> Callable[[str, str], list[tuple[Any, ...]]]:
    """Return how times of day are read: of several in one statement one must be right."""

    def read(text: str, today: str) -> list[tuple[Any, ...]]:
        del today
        times = tuple(_TIMES.get(word, word) for word in words.findall(text))
        return [times] if times else []

    return read


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


def _is_return_day(facts: Mapping[str, Any], iso: Any) -> bool:
    """Whether a day is the one of return for some day of departure."""
    return _is_in_window(facts, iso_date(day_number(iso) - int(facts["nights"])))


def _is_an_end(facts: Mapping[str, Any], city: Any) -> bool:
    """Whether a city is an end of the trip; which one, is a matter of the leg spoken of."""
    return city in (facts["origin"], facts["destination"])


def _is_wish(key: str) -> Callable[[Mapping[str, Any], Any], bool]:
    """Return whether a wish, or that there is none, agrees with the facts."""
    return lambda facts, value: bool(facts.get(key)) == value


def _wanted(key: str, *words: str) -> Claim:
    """Return the claim that one of some words is what the user wants."""
    return Claim(key, rf"{_WISH}({'|'.join(words)})(?!\w)", {})


TRAVEL_CLAIMS: Sequence[Claim] = (
    Claim("nights", rf"(?<!\w){_COUNT} nights?(?!\w)", NUMBERS),
    Claim(
        "party_size",
        rf"(?<!\w){_COUNT} (?:of us|people|passengers|travell?ers)(?!\w)",
        NUMBERS,
    ),
    Claim(
        "party_size",
        r"(?<!\w)(just me|only me|travell?ing alone|by myself|on my own)(?!\w)",
        dict.fromkeys(_ALONE, 1),
    ),
    Claim("budget", rf"(?<!\w)budget(?!\w){_BEFORE_BUDGET}{_AMOUNT}"),
    Claim(
        "budget",
        rf"(?<!\w)(?:spend|pay) (?:at most|up to|no more than|a maximum of) {_AMOUNT}",
    ),
    Claim("hotel_stars", rf"(?<!\w){_COUNT}[- ]stars?(?!\w)", NUMBERS),
    _wanted("seat_type", "economy", "premium economy", "business"),
    _wanted("seat_position", "window", "aisle", "middle"),
    _wanted("room_type", "standard", "deluxe", "suite"),
    _wanted("bed_type", "twin", "queen", "king"),
    _wanted("attraction_category", "museum", "tour", "show"),
    Claim(
        "outbound_time_of_day",
        _wish(_OUTBOUND, f"return|{_OF_OTHERS}"),
        read=_times(_FLIGHT_TIMES),
    ),
    Claim(
        "return_time_of_day",
        _wish(_RETURN, f"outbound|{_OF_OTHERS}"),
        read=_times(_FLIGHT_TIMES),
    ),
    Claim(
        "attraction_time_of_day",
        _wish(_OUTING, f"flight|{_OF_OTHERS}"),
        read=_times(_OUTING_TIMES),
    ),
    Claim(
        "attraction_date",
        _wish(_OUTING, f"flight|{_OF_OTHERS}"),
        read=_alternatives,
    ),
    Claim(
        "same_carrier",
        r"(?<!\w)(same|any|different) (?:airline|carrier)s?(?!\w)",
        _SAME,
        agrees=_is_wish("same_carrier"),
    ),
    Claim(
        "same_district",
        r"(?<!\w)(same|any|different) (?:districts?|neighbou?rhoods?|areas?|part of town)(?!\w)",
        _SAME,
        agrees=_is_wish("same_district"),
    ),
    Claim(
        "nights",
        _RETURNING + _REST_OF_RETURN,
        read=_alternatives,
        agrees=_is_return_day,
    ),
    Claim(
        "departure_date",
        _LEAVING + _REST,
        read=_alternatives,
        agrees=_is_in_window,
    ),
    Claim(
        "birth_dates",
        r"(?<!\w)(?:born|birth ?dates?|birthdays?|dates? of birth|dob)(?!\w)(.{0,120})",
        read=_each,
        agrees=lambda facts, iso: iso in facts["birth_dates"],
    ),
    Claim(
        "origin",
        rf"(?<!\w)from {_CITY}",
        _CITY_NAMES,
        agrees=_is_an_end,
    ),
    Claim(
        "destination",
        rf"(?<!\w)(?:to|visit|visiting) {_CITY}",
        _CITY_NAMES,
        agrees=_is_an_end,
    ),
)

TRAVEL_COVERED: Mapping[str, frozenset[str]] = {
    fact: frozenset(checks) for fact, checks in read_data("checks.toml")["covered"].items()
}

TRAVEL_DECIDING: Mapping[str, frozenset[str]] = {
    **{key: checks for key, checks in TRAVEL_COVERED.items() if "C-PART" not in checks},
    "departure_date": frozenset({"D12"}),
    "nights": frozenset({"D13", "D15"}),
    "party_size": frozenset({"D06"}),
}
"""Of the checks that a wrong fact can fail, those that compare a booking with that fact itself."""
