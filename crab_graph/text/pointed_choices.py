"""What a choice points to: the second one, option B, the cheaper, the earlier one (§2.15)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from crab_graph.text.amounts import find_amounts
from crab_graph.text.lexicon import lexicon, pattern
from crab_graph.text.mentions import Mention, disclosed, find_mentions
from crab_graph.text.utterance import Utterance, starting_within
from crab_graph.text.vocabulary import Catalogue

_ORDERS: Mapping[str, str] = lexicon()["choices"]["superlatives"]
_PLACES: Mapping[str, str] = lexicon()["choices"]["places"]
_ENDED = r"(?: (?:one|option|choice|offer)|(?=[.,!]|\Z| or(?!\w)))"
_POINTER = re.compile(
    rf"(?<!\w)(?:the (?P<place>{'|'.join(_PLACES)}){_ENDED}"
    rf"|the (?P<order>{'|'.join(_ORDERS)}){_ENDED}"
    r"|(?:option|choice|plan|package|number|alternative) #?(?P<label>\d{1,2}|[a-h](?!\w)))"
)
_LABEL = re.compile(r"(?<!\w)(?:option|choice|plan|package|alternative) #?(\d{1,2}|[a-h])(?!\w)")
_CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2}):(\d\d)(?:\s?([ap])\.?m)?|(?<![\d:])(\d{1,2})\s?([ap])\.?m(?!\w)"
)


def pointed_to(utterance: Utterance, request: Utterance, catalogue: Catalogue) -> Mapping[str, str]:
    """Return what a choice points to in the message that it answers: one entity for a slot.

    Nothing where it points to nothing there, or to more than one; a question chooses nothing, nor
    does what hangs on a condition.
    """
    text = utterance.text
    found = {match[0]: match for match in _POINTER.finditer(text)}
    if len(found) != 1 or "?" in text or pattern("totals", "conditions").search(text):
        return {}
    (match,) = found.values()
    offered = disclosed(find_mentions(request, catalogue))
    chosen = _labelled(request, offered, match["label"], catalogue)
    if chosen is not None:
        return chosen
    crowded = _crowded(offered, catalogue)
    if len(crowded) != 1:
        return {}
    ((slot, firsts),) = crowded.items()
    if match["order"]:
        chosen_id = _by_value(request, firsts, match["order"])
    else:
        place = int(_PLACES[match["place"]]) if match["place"] else _number(match["label"])
        chosen_id = _by_place(firsts, place, match["place"])
    return {slot: chosen_id} if chosen_id else {}


def _crowded(offered: Sequence[Mention], catalogue: Catalogue) -> dict[str, list[Mention]]:
    """Return the first mentions of the entities of each slot that has several."""
    firsts: dict[str, dict[str, Mention]] = {}
    for mention in offered:
        slot = catalogue.slot_of(mention.entity_id)
        if slot is not None:
            firsts.setdefault(slot, {}).setdefault(mention.entity_id, mention)
    return {slot: list(held.values()) for slot, held in firsts.items() if len(held) > 1}


def _number(label: str) -> int:
    return int(label) if label.isdecimal() else ord(label) - ord("a") + 1


def _by_place(firsts: Sequence[Mention], place: int, word: str | None) -> str | None:
    """Return the entity in a place; of `former`, `latter` and `other` there are two."""
    if word in ("former", "latter") and len(firsts) != 2:
        return None
    if place == 0 or place > len(firsts):
        return None
    return firsts[place if place < 0 else place - 1].entity_id


def _labelled(
    request: Utterance, offered: Sequence[Mention], label: str | None, catalogue: Catalogue
) -> dict[str, str] | None:
    """Return what a labelled option holds, nothing where one of its slots has several entities.

    `None` if no option has the label and holds anything.
    """
    places = [(match.start(), match[1]) for match in _LABEL.finditer(request.text)]
    places.append((len(request.text), ""))
    for (start, own), (end, _) in pairwise(places):
        held: dict[str, set[str]] = {}
        for mention in starting_within(offered, start, end) if own == label else ():
            slot = catalogue.slot_of(mention.entity_id)
            if slot is not None:
                held.setdefault(slot, set()).add(mention.entity_id)
        if held:
            is_one = all(len(ids) == 1 for ids in held.values())
            return {slot: ids.pop() for slot, ids in held.items()} if is_one else {}
    return None


def _by_value(request: Utterance, firsts: Sequence[Mention], order: str) -> str | None:
    """Return the entity of the most or the least of a stated price or time, if one alone is."""
    what, _, end = _ORDERS[order].partition(" ")
    values = [
        next(iter(_values(request, start, stop, what)), None)
        for start, stop in _segments(request, firsts)
    ]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    best = max(known) if end == "most" else min(known)
    if known.count(best) != 1:
        return None
    return firsts[values.index(best)].entity_id


def _segments(request: Utterance, firsts: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Yield what is said of each entity: its line where that is its own, else up to the next."""
    starts = [line.start for line in request.lines]
    lines = [bisect_right(starts, one.start) - 1 for one in firsts]
    is_listed = len(set(lines)) == len(lines)
    ends = [*(one.start for one in firsts[1:]), len(request.text)]
    for one, line, end in zip(firsts, lines, ends, strict=True):
        if is_listed:
            yield request.lines[line].start, min(end, request.lines[line].end)
        else:
            yield one.end, end


def _values(request: Utterance, start: int, stop: int, what: str) -> Iterator[int]:
    if what == "price":
        amounts = find_amounts(request)
        first = bisect_left(amounts, start, key=lambda amount: amount.start)
        yield from (one.cents for one in amounts[first:] if one.end <= stop and not one.is_inert)
        return
    for match in _CLOCK.finditer(request.text, start, stop):
        hour, minute, half = match[1] or match[4], match[2] or "0", match[3] or match[5]
        yield (int(hour) % (12 if half else 24) + (12 if half == "p" else 0)) * 60 + int(minute)
