"""Whether places that are played back in an order stand in the order in which a user goes there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from crab_graph.personas.plan_conflicts import lead_words
from crab_graph.personas.wordbook import FactWords

_FEWEST = 3
_NEXT = re.compile(
    r"\s*(?:first)?[\s,;]*(?:to|→|->|–|—|-|>|⇒|=>|and then|then|before|followed by)"
    r"(?: (?:on|back))?(?: to)?\s*"
)
"""What stands between a place and the next one."""


def route_of(
    facts: Mapping[str, FactWords], places: Sequence[str], known: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the keys of the places of one journey with several stops, in order; mostly none.

    Of one start and one end nothing is to be put in order.
    """
    for target in places:
        alike = [
            k for k in places if k in known and facts[k].cues.keys() == facts[target].cues.keys()
        ]
        if len(alike) >= _FEWEST and any("to" in lead_words(facts[key]) for key in alike):
            return tuple(alike)
    return ()


def against_route(
    text: str, route: Sequence[str], known: Mapping[str, Any], facts: Mapping[str, FactWords]
) -> tuple[list[str], str]:
    """Return the stops that a text names in another order, and the text without these places."""
    own = [str(known[key]) for key in route]
    steps = {*pairwise([*own, own[0]])}
    cues = facts[route[0]].cues
    found = sorted(
        (match.start(), match.end(), value)
        for value, cue in cues.items()
        for match in cue.finditer(text)
    )
    wrong: dict[str, None] = {}
    for one, two in pairwise(found):
        is_step = _NEXT.fullmatch(text[one[1] : two[0]]) is not None
        if is_step and (one[2], two[2]) not in steps:
            wrong |= dict.fromkeys(_meant(one[2], two[2], route, own))
            text = _blank(_blank(text, one), two)
    return list(wrong), text


def _meant(here: str, there: str, route: Sequence[str], own: Sequence[str]) -> Iterator[str]:
    """Yield the stops that a step between two places is wrong about; the start is none."""
    at, last = [own.index(one) if one in own else -1 for one in (here, there)]
    before = last - 1 if at < 0 < last else -1
    for number in sorted({at, at + 1 if at >= 0 else -1, last if at >= 0 else -1, before}):
        if 0 < number < len(route):
            yield route[number]


def _blank(text: str, found: tuple[int, int, str]) -> str:
    return text[: found[0]] + " " * (found[1] - found[0]) + text[found[1] :]
