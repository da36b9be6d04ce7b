"""Amounts that are a part of what stands beside them (§2.14).

`$580.00 of it` is a part of a total; `both: $300.00 out and $280.00 home` says what each side of a
group costs. Neither is added to what stands beside it, or is a total itself.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from crab_graph.text.amounts import Amount, says_part
from crab_graph.text.lexicon import alternatives, fragment
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.utterance import REACH, Clause
from crab_graph.text.vocabulary import TextVocabulary

_PART_AHEAD = re.compile(rf"{fragment('totals', 'part_ahead')}[:,]? (?:the )?\Z")
_PARTED = re.compile(r"[,;:()\[\]/$]")
_REST = re.compile(r"[^,;:()\[\]/$]*(?:\([^()$]*\))?")
_AND = re.compile(r" (?:and|plus|&) ")
_OF_SLOTS = {
    *(ReferenceForm.ENTITY, ReferenceForm.BOOKING),
    *(ReferenceForm.SLOT_WORD, ReferenceForm.GROUP_WORD),
}
_FEWEST_SIDES = 2


class PartialAmount(NamedTuple):
    """An amount that is a part, and of what; one of a side says which slot, not of what total."""

    amount: Amount
    references: tuple[Reference, ...]
    is_side: bool


def find_partial_amounts(
    text: str,
    clause: Clause,
    stated: Sequence[Amount],
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
) -> list[PartialAmount]:
    """Return the amounts of a clause that are parts of others, in text order."""
    found = list(_sides(text, clause, stated, references, vocabulary))
    of_sides = {one.amount for one in found}
    edges = [clause.start, *(one.end for one in stated)]
    for amount, edge in zip(stated, edges, strict=False):
        if amount not in of_sides and (ahead := _is_part(text, clause, amount)) is not None:
            named = _named(text, clause, amount, references, None if ahead else edge)
            found.append(PartialAmount(amount, named, is_side=False))
    return sorted(found, key=lambda one: one.amount.start)


def _is_part(text: str, clause: Clause, amount: Amount) -> bool | None:
    """Tell whether the words ahead of an amount make it a part; `None` where none do."""
    if says_part(text, amount.end, clause.end):
        return False
    reach = max(clause.start, amount.start - REACH)
    return True if _PART_AHEAD.search(text, reach, amount.start) is not None else None


def _named(
    text: str,
    clause: Clause,
    amount: Amount,
    references: Sequence[Reference],
    edge: int | None,
) -> tuple[Reference, ...]:
    """Return what a part is the price of: what its own words name before it, else behind it."""
    if edge is not None:
        start = max(edge, amount.start - REACH)
        for match in _PARTED.finditer(text, start, amount.start):
            start = match.end()
        joint = _AND.search(text, start, amount.start) if edge > clause.start else None
        before = _items(references, joint.end() if joint else start, amount.start)
        if before:
            return before
    rest = _REST.match(text, amount.end, min(clause.end, amount.end + REACH))
    end = rest.end() if rest else amount.end
    if text.startswith("$", end):
        joints = [match.start() for match in _AND.finditer(text, amount.end, end)]
        end = joints[-1] if joints else end
    return _items(references, amount.end, end)


def _items(references: Sequence[Reference], start: int, end: int) -> tuple[Reference, ...]:
    found = references_within(references, start, end)
    if any(one.form is ReferenceForm.WHOLE_WORD for one in found):
        return ()
    return tuple(one for one in found if one.form in _OF_SLOTS)


def _sides(
    text: str,
    clause: Clause,
    stated: Sequence[Amount],
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
) -> Iterator[PartialAmount]:
    """Yield the prices of the sides of what a clause names before them, two at least."""
    if len(stated) < _FEWEST_SIDES or not vocabulary.side_words:
        return
    before, after = _side_forms(vocabulary)
    leads = before.search(text, max(clause.start, stated[0].start - REACH), stated[0].start)
    told: dict[str, Amount] = {}
    for amount in stated:
        if leads:
            side = before.search(text, max(clause.start, amount.start - REACH), amount.start)
        else:
            side = after.match(text, amount.end, min(clause.end, amount.end + REACH))
        slot = _slot_of(vocabulary)[side[1]] if side else None
        if slot is not None:
            told.setdefault(slot, amount)
    if len(told) < _FEWEST_SIDES:
        return
    meant: dict[str, Reference] = {}
    for one in references_within(references, clause.start, clause.end):
        for slot in one.slots if one.form in _OF_SLOTS else ():
            is_ahead, held = one.start < stated[0].start, meant.get(slot)
            if held is not None and held.id and one.id not in ("", held.id):
                return
            if (held is None and is_ahead) or (held is not None and one.id):
                word = one.form if one.id else ReferenceForm.SLOT_WORD
                meant[slot] = one._replace(form=word, slots=(slot,))
    if meant.keys() >= told.keys():
        yield from (
            PartialAmount(amount, (meant[slot],), is_side=True) for slot, amount in told.items()
        )


@cache
def _slot_of(vocabulary: TextVocabulary) -> Mapping[str, str]:
    return {word: slot for slot, words in vocabulary.side_words.items() for word in words}


@cache
def _side_forms(vocabulary: TextVocabulary) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return how the word of a side stands before its amount, and how behind it."""
    words = alternatives(map(re.escape, _slot_of(vocabulary)))
    return (
        re.compile(rf"({words})(?: [a-z]+)?[\s:=(]*\Z"),
        re.compile(rf"\s?\(?(?!and |plus )(?:[a-z]+ ){{0,3}}?({words})"),
    )
