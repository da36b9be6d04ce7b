"""Whether places that are played back in an order stand in the order in which a user goes there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from crab_graph.personas.plan_conflicts import lead_words
from crab_graph.personas.played_days import Compared, conflict_slots
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.wordbook import DomainLexicon, FactWords

_FEWEST = 3
_NEXT = re.compile(
    r"\s*(?:first)?[\s,;]*(?:to|→|->|–|—|-|>|⇒|=>|and then|then|before|followed by)"
    r"(?: (?:on|back))?(?: to)?\s*"
)
"""What stands between a place and the next one."""
_TO = re.compile(r"(?:\s*\([a-z]{2,4}\))?\s*(?:to|→|->|–|—|-|>|⇄|↔|⇒|=>|/)\s*")
"""What stands between where one starts and where one goes."""


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
        # A place named twice in a row is where one step ends and the next begins.
        if is_step and one[2] != two[2] and (one[2], two[2]) not in steps:
            wrong |= dict.fromkeys(_meant(one[2], two[2], route, own))
            text = _blank(_blank(text, *one[:2]), *two[:2])
    return list(wrong), text


def without_routes(
    text: str, passage: Stretch, known: Mapping[str, Any], lexicon: DomainLexicon, whole: str
) -> tuple[list[Compared], str]:
    """Compare where one starts and goes with `A to B` in a passage of a whole message.

    Return that, and the text without those places that are told of rightly, or in another order.
    """
    facts = lexicon.facts
    places = [key for key, words in facts.items() if words.cues and not words.hours]
    route = route_of(facts, places, known)
    if route:
        wrong, text = against_route(text, route, known, facts)
        return [Compared(key, is_right=False, is_surely_wrong=True) for key in wrong], text
    compared: list[Compared] = []
    for target in [key for key in places if "to" in lead_words(facts[key])]:
        alike = (k for k in places if facts[k].cues.keys() == facts[target].cues.keys())
        start = next((key for key in alike if key != target), "")
        if not start or not {start, target} <= known.keys():
            continue
        first, last = (facts[target].cues[str(known[key])] for key in (start, target))
        is_known = _way(whole, first, last) is not None
        is_back = passage.slot in conflict_slots(facts[target])[1:]
        for found, is_right in (
            (_way(text, first, last), True),
            (_way(text, last, first), is_known or is_back),
        ):
            if found is not None:
                compared += [Compared(key, is_right=is_right) for key in (start, target)]
                text = _blank(text, *found)
        for value, cue in facts[target].cues.items():
            # The one end is right, so that the other is told of the same way.
            if value != str(known[target]) and _way(text, first, cue):
                compared.append(Compared(target, is_right=False, said=value))
            elif value != str(known[start]) and _way(text, cue, last):
                compared.append(Compared(start, is_right=False, said=value))
    return compared, text


def _way(text: str, first: re.Pattern[str], last: re.Pattern[str]) -> tuple[int, int] | None:
    """Return where one value stands with another behind it and a word or sign for `to` between."""
    for match in first.finditer(text):
        for other in last.finditer(text, match.end()):
            if _TO.fullmatch(text[match.end() : other.start()]):
                return match.start(), other.end()
            break
    return None


def _meant(here: str, there: str, route: Sequence[str], own: Sequence[str]) -> Iterator[str]:
    """Yield the stops that a step between two places is wrong about; the start is none."""
    at, last = [own.index(one) if one in own else -1 for one in (here, there)]
    before = last - 1 if at < 0 < last else -1
    for number in sorted({at, at + 1 if at >= 0 else -1, last if at >= 0 else -1, before}):
        if 0 < number < len(route):
            yield route[number]


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
