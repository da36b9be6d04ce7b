"""`a` or `an`: before a noun, and before what is filled into a sentence."""

import re
from typing import Any

_AN = re.compile(
    r"(?!eu|on(?:e|ce)\b|u(?:s(?:e|ual)|ni(?![nm])|tili))[aeiou]|hour|honest|hono|heir|8|1[18](?!\d)",
    re.I,
)
"""How what sounds like a vowel begins: `an hour` and `an 8-seater`, but `a unit` and `a euro`."""
_PLACE = re.compile(r"\b([Aa])n? (\{[^{}]*\})")


def with_article(noun: str) -> str:
    """Return a noun behind `a` or `an`."""
    return f"{'an' if _AN.match(noun) else 'a'} {noun}"


def filled_in(template: str, /, *places: Any, **values: Any) -> str:
    """Return a template with the values in its places, each behind the article that it takes."""

    def with_own(place: re.Match[str]) -> str:
        article, _, _ = with_article(place[2].format(*places, **values)).partition(" ")
        return f"{place[1]}{article[1:]} {place[2]}"

    return _PLACE.sub(with_own, template).format(*places, **values)
