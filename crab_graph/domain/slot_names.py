"""Slots called by what one user wants: by its place or by what it is to be.

Where a job leads to several places, agents call its parts by these; and by what they are to be,
where a wish says that. Which part is meant follows from the values that the user wants.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain

from crab_graph.domain.declaration import Declaration, Slot
from crab_graph.domain.derived_vocabulary import kind_words, names_of
from crab_graph.domain.english import any_of
from crab_graph.domain.requirements import trace_rule
from crab_graph.domain.subjects import Subject, kinds_of, says_kind, subjects
from crab_graph.personas.wordbook import DomainLexicon, FactWords, ValueForm

_FEWEST = 3
"""Places of a job from which on its parts are called by them."""
_PAIR = 2
_AREA = "district|area|neighbou?rhood|quarter|part"
_WAY = r"(?:\s*\([a-z]{2,4}\))?\s*(?:to|→|->|–|—|-|>|⇒|=>)\s*"


def place_wishes(declaration: Declaration) -> tuple[Subject, ...]:
    """Return the wishes that say where the parts of a job take place, where there are several."""
    roles = [one for one in subjects(declaration) if one.is_role and len(one.slots) > 1]
    places = [one for one in roles if one.form is ValueForm.CHOICE and one.known == roles[0].known]
    return tuple(places) if len(places) >= _FEWEST else ()


@cache
def naming_wishes(declaration: Declaration) -> frozenset[str]:
    """Return the keys of the wishes by whose values parts of a job are called."""
    kinds = (one for one in subjects(declaration) if says_kind(declaration, one))
    return frozenset(one.key for one in (*place_wishes(declaration), *kinds))


@cache
def _places(declaration: Declaration) -> dict[str, list[str]]:
    """Return the keys of the wishes that say where each slot takes place, by slot."""
    wishes = place_wishes(declaration)
    return {
        slot.id: [one.key for one in wishes if slot.id in one.slots] for slot in declaration.slots
    }


def with_names(
    declaration: Declaration, lexicon: DomainLexicon, values: Mapping[str, str]
) -> DomainLexicon:
    """Return the words of a user who wants these values, by the keys of `naming_wishes`."""
    slots, places = dict(lexicon.slots), _places(declaration)
    for slot in declaration.slots:
        own = places[slot.id]
        called = _called(declaration, slot, own, values) if values.keys() >= {*own} else []
        for one in kinds_of(declaration, slot):
            if one.key in values:
                called.append(lexicon.facts[one.key].cues[values[one.key]].pattern)
        if called and slot.id in slots:
            cues = "|".join((slots[slot.id].pattern, *called))
            slots[slot.id] = re.compile(f"(?:{cues})")
    facts = {**lexicon.facts, **dict(_joint_words(declaration, lexicon, values))}
    at = {
        slot: re.compile(rf"{_place(values[own[0]])}|\b{own[0].replace('_', '[ _-]')}\b")
        for slot, own in places.items()
        if len(own) == 1 and own[0] in values
    }
    return lexicon.model_copy(update={"slots": slots, "facts": facts, "places": at})


def _place(value: str) -> str:
    return rf"\b{re.escape(value.casefold())}\b"


def _joint_words(
    declaration: Declaration, lexicon: DomainLexicon, values: Mapping[str, str]
) -> Iterator[tuple[str, FactWords]]:
    """Yield the joint wishes between slots that are told by their places, too.

    `Cheaper in Paris than in Brussels` tells that the second is cheaper than the first.
    """
    places = _places(declaration)
    titles = {slot.id: slot.title for slot in declaration.slots}
    for rule in declaration.joint_rules:
        words = lexicon.facts.get(rule.name)
        between = {slot for slot, _ in trace_rule(declaration, rule).refs}
        called = {slot: places[slot][0] for slot in between if len(places[slot]) == 1}
        if words is None or len(called) < _PAIR or {*called.values()} - {*values}:
            continue
        told = {
            value: tuple(_or_place(part, titles, called, values) for part in parts)
            for value, parts in words.parts.items()
        }
        yield rule.name, words.model_copy(update={"parts": told})


def _or_place(
    part: re.Pattern[str],
    titles: Mapping[str, str],
    called: Mapping[str, str],
    values: Mapping[str, str],
) -> re.Pattern[str]:
    """Return the pattern of a part that names one of the slots, with the place of that slot.

    One that names slots in an order has a group for each, called as the slot is.
    """
    text = part.pattern
    for slot in called.keys() & part.groupindex.keys():
        text = text.replace(f"(?P<{slot}>", f"(?P<{slot}>{_place(values[called[slot]])}|")
    if text != part.pattern:
        return re.compile(text)
    named = [slot for slot in called if part.search(titles[slot].casefold())]
    if len(named) != 1:
        return part
    return re.compile(rf"{part.pattern}|{_place(values[called[named[0]]])}")


def _called(
    declaration: Declaration, slot: Slot, keys: Sequence[str], values: Mapping[str, str]
) -> list[str]:
    """Return the patterns by which a slot at one place, or between two, is called."""
    named = {key: _place(values[key]) for key in keys}
    if len(keys) > 1:
        ends = {field: named[key] for key, field in _fields(declaration, slot, keys)}
        first, last = (ends[name] for name in slot.offer.fields if name in ends)
        return [f"{first}{_WAY}{last}"]
    if not keys:
        return []
    (place,) = named.values()
    kind = rf"\b{any_of((*kind_words(slot.offer), *names_of(slot.offer)))}\b"
    return [
        rf"{place}(?:.s)?(?: (?!and\b)\w+)? {kind}",
        rf"{kind}(?: (?!in\b|at\b)\w+){{0,3}}? (?:in|at|for) {place}",
        rf"{place}(?:.s)? (?:{_AREA})\b",
        rf"\bin {place},? (?:the |your |an? )?(?:\w+ and (?:the |your |an? )?)?{kind}",
    ]


def _fields(declaration: Declaration, slot: Slot, keys: Sequence[str]) -> list[tuple[str, str]]:
    """Return which field of a slot each wish for a place is about."""
    wants = {one.key: one.on for one in declaration.wants}
    refs = chain.from_iterable(((key, ref) for ref in wants[key]) for key in keys)
    return [(key, ref.partition(".")[2]) for key, ref in refs if ref.partition(".")[0] == slot.id]
