"""Slots called by their places: `the Zurich hotel`, `the train from Zurich to Munich`.

Where a job leads to several places, agents call its parts by these. Which part is meant follows
from the places that one user wants.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from crab_graph.domain.declaration import Declaration, Slot
from crab_graph.domain.derived_vocabulary import kind_words, names_of
from crab_graph.domain.english import any_of
from crab_graph.domain.subjects import Subject, subjects
from crab_graph.personas.wordbook import DomainLexicon, ValueForm

_FEWEST = 3
"""Places of a job from which on its parts are called by them."""
_WAY = r"(?:\s*\([a-z]{2,4}\))?\s*(?:to|→|->|–|—|-|>|⇒|=>)\s*"


def place_wishes(declaration: Declaration) -> tuple[Subject, ...]:
    """Return the wishes that say where the parts of a job take place, where there are several."""
    roles = [one for one in subjects(declaration) if one.is_role and len(one.slots) > 1]
    places = [one for one in roles if one.form is ValueForm.CHOICE and one.known == roles[0].known]
    return tuple(places) if len(places) >= _FEWEST else ()


def with_places(
    declaration: Declaration, lexicon: DomainLexicon, values: Mapping[str, str]
) -> DomainLexicon:
    """Return the words of a user who wants these places, by the keys of the wishes for them."""
    slots = dict(lexicon.slots)
    for slot in declaration.slots:
        own = [one.key for one in place_wishes(declaration) if slot.id in one.slots]
        called = list(_called(declaration, slot, own, values)) if values.keys() >= {*own} else []
        if called and slot.id in slots:
            cues = "|".join((slots[slot.id].pattern, *called))
            slots[slot.id] = re.compile(f"(?:{cues})")
    return lexicon.model_copy(update={"slots": slots})


def _called(
    declaration: Declaration, slot: Slot, keys: Sequence[str], values: Mapping[str, str]
) -> list[str]:
    """Return the patterns by which a slot at one place, or between two, is called."""
    named = {key: rf"\b{re.escape(values[key].casefold())}\b" for key in keys}
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
        rf"\bin {place},? (?:the |your |an? )?(?:\w+ and (?:the |your |an? )?)?{kind}",
    ]


def _fields(declaration: Declaration, slot: Slot, keys: Sequence[str]) -> list[tuple[str, str]]:
    """Return which field of a slot each wish for a place is about."""
    wants = {one.key: one.on for one in declaration.wants}
    refs = chain.from_iterable(((key, ref) for ref in wants[key]) for key in keys)
    return [(key, ref.partition(".")[2]) for key, ref in refs if ref.partition(".")[0] == slot.id]
