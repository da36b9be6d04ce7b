"""How travellers' statements are held against their profile (rulebook §10, U1 and U2)."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domains.travel.names import CITIES, read_data
from crab_graph.domains.verification import Claim
from crab_graph.personas.spoken_dates import NUMBERS, find_dates

Facts = Mapping[str, Any]
Statements = list[tuple[Any, ...]]

_CHECKS = read_data("checks.toml")
_FRAGMENTS: Mapping[str, str] = {
    **_CHECKS["fragments"],
    "count": "(" + "|".join([r"\d+", *NUMBERS]) + ")",
    "city": f"({'|'.join(sorted(map(str.casefold, CITIES), key=len, reverse=True))})(?!\\w)",
}
_VALUES = {"numbers": NUMBERS, "cities": {name.casefold(): name for name in CITIES}}
_TIMES = {"noon": "midday", "all day": "all-day"}


def _filled(pattern: str, fragments: Mapping[str, Any]) -> str:
    """Return a pattern with the fragments that it names, and those that these name."""
    named = re.search(r"\{([a-z_]+)\}", pattern)
    if named is None:
        return pattern
    return _filled(pattern.replace(named[0], fragments[named[1]]), fragments)


def _times(words: str) -> Callable[[str, str], Statements]:
    """Return how times of day are read: of several in one statement one must be right."""
    pattern = re.compile(rf"(?<!\w)({words})(?!\w)")

    def read(text: str, today: str) -> Statements:
        del today
        times = tuple(_TIMES.get(word, word) for word in pattern.findall(text))
        return [times] if times else []

    return read


def _one_of_the_dates(text: str, today: str) -> Statements:
    """Return the dates of a text as one statement: `3 or 4 May` is right where one of them is."""
    dates = tuple(found.iso for found in find_dates(text, today))
    return [dates] if dates else []


_READ: Mapping[str | None, Callable[[str, str], Statements] | None] = {
    None: None,
    "flight times": _times("morning|midday|noon|night"),
    "outing times": _times("morning|afternoon|evening|all[- ]day"),
    "one of the dates": _one_of_the_dates,
    "each date": lambda text, today: [(found.iso,) for found in find_dates(text, today)],
}


def _is_in_window(facts: Facts, iso: Any) -> bool:
    known = facts["departure_date"]
    first, last = known if isinstance(known, list) else (known, known)
    return bool(first <= iso <= last)


def _agreement(name: str | None, key: str) -> Callable[[Facts, Any], bool] | None:
    """Return whether a value agrees with the facts, by the name of the rule for a key."""
    rules: Mapping[str | None, Callable[[Facts, Any], bool] | None] = {
        None: None,
        # A wish, or that there is none.
        "is wished": lambda facts, value: bool(facts.get(key)) == value,
        "is known": lambda facts, value: value in facts[key],
        "is in window": _is_in_window,
        # The day of return for some day of departure.
        "is return day": lambda facts, iso: _is_in_window(
            facts, iso_date(day_number(iso) - int(facts["nights"]))
        ),
        # Which end of the trip a city is, is a matter of the leg spoken of.
        "is an end": lambda facts, city: city in (facts["origin"], facts["destination"]),
    }
    return rules[name]


TRAVEL_CLAIMS: Sequence[Claim] = tuple(
    Claim(
        one["key"],
        _filled(one["pattern"], {**_FRAGMENTS, **one}),
        _VALUES[values] if isinstance(values := one.get("values", {}), str) else values,
        _READ[one.get("read")],
        _agreement(one.get("agrees"), one["key"]),
    )
    for one in _CHECKS["claims"]
)

TRAVEL_COVERED: Mapping[str, frozenset[str]] = {
    fact: frozenset(checks) for fact, checks in _CHECKS["covered"].items()
}

TRAVEL_DECIDING: Mapping[str, frozenset[str]] = {
    **{key: checks for key, checks in TRAVEL_COVERED.items() if "C-PART" not in checks},
    "departure_date": frozenset({"D12"}),
    "nights": frozenset({"D13", "D15"}),
    "party_size": frozenset({"D06"}),
}
"""Of the checks that a wrong fact can fail, those that compare a booking with that fact itself."""
