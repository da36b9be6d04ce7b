"""Prices a message states about single items, or about groups of them (§2.10)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import NamedTuple

from crab_graph.text.amounts import Amount, has_unit_mark, has_whole_mark, stated_amounts
from crab_graph.text.lexicon import fragment, pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.totals import Scope, TotalStatement
from crab_graph.text.utterance import Clause, Line, Utterance
from crab_graph.text.vocabulary import TextVocabulary

_FOR = re.compile(r"\s+for(?: [a-z'-]+){0,3} ")
_AND_NUMBERS = re.compile(rf"(?<!\w)and(?!\w)|{fragment('marks', 'numbers')}")
_OPENING = re.compile(r"\s*\(")
_CLOSING = re.compile(r"[^()$]*\)")


class Mark(StrEnum):
    """What an amount is said to be the price of."""

    UNIT = "unit"
    WHOLE = "whole"
    UNMARKED = "unmarked"


class ItemPrice(NamedTuple):
    """A price said of an item, or the total said of some slots, which several references name."""

    amount: Amount
    mark: Mark
    references: tuple[Reference, ...]


def find_item_prices(
    utterance: Utterance,
    amounts: Sequence[Amount],
    references: Sequence[Reference],
    totals: Sequence[TotalStatement],
    vocabulary: TextVocabulary,
    filled: frozenset[str],
) -> tuple[ItemPrice, ...]:
    """Return the item prices of a message with these totals, by cues of any family.

    `filled` are the slots that exactly one active booking fills when the message is said.
    """
    text = utterance.text
    total_at = {total.amount.start: total for total in totals}
    only_in = cache(lambda line: _only(_items(line, references, vocabulary, filled)))
    found: list[ItemPrice] = []
    for clause, stated in stated_amounts(utterance, amounts).items():
        if pattern("marks", "distributive").search(text, clause.start, clause.end):
            continue
        items, parent = _items(clause, references, vocabulary, filled), utterance.parent(clause)
        for amount in stated:
            total = total_at.get(amount.start)
            if total is not None and total.is_of_all:
                continue
            if total is not None and total.scope is Scope.SLOTS and not total.is_void:
                found.append(ItemPrice(amount, Mark.WHOLE, total.references))
                continue
            item = _meant(text, clause, items, amount)
            if item is None and parent is not None:
                item = only_in(parent)
            if item is not None:
                mark = _mark(text, clause, amount, total, vocabulary)
                found.append(ItemPrice(amount, mark, (item,)))
    return tuple(found)


def _items(
    span: Clause | Line,
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
    filled: frozenset[str],
) -> list[Reference]:
    """Return what means one item in a span; a bare word only where nothing says it better."""
    within = references_within(references, span.start, span.end)
    named = (one.slots for one in within if one.form is not ReferenceForm.BARE_WORD)
    exact = set(chain.from_iterable(named))
    items: list[Reference] = []
    for reference in within:
        match reference.form:
            case ReferenceForm.ENTITY | ReferenceForm.BOOKING:
                items.append(reference)
            case ReferenceForm.SLOT_WORD if reference.slots[0] in filled:
                items.append(reference)
            case ReferenceForm.BARE_WORD if reference.word in vocabulary.item_words:
                meant = tuple(slot for slot in reference.slots if slot in filled)
                if len(meant) == 1 and not exact & set(reference.slots):
                    items.append(reference._replace(form=ReferenceForm.SLOT_WORD, slots=meant))
    return items


def _meant(
    text: str, clause: Clause, items: Sequence[Reference], amount: Amount
) -> Reference | None:
    """Return the item a phrase right after the amount names; else the nearest, preceding first."""
    after = bisect_left(items, amount.end, key=lambda item: item.start)
    following = items[after] if after < len(items) else None
    if following is not None:  # `$X for the item` or `$X (item)`
        between = text[amount.end : following.start]
        if _FOR.fullmatch(between):
            is_attached = _AND_NUMBERS.search(between) is None
        else:
            closing = _CLOSING.match(text, following.end, clause.end)
            is_attached = _OPENING.fullmatch(between) is not None and closing is not None
        if is_attached:
            return following
    before = bisect_right(items, amount.start, key=lambda item: item.end) - 1
    return items[before] if before >= 0 else following


def _only(items: Sequence[Reference]) -> Reference | None:
    """Return what a parent line is about, if that is one slot and one item."""
    exact = [item for item in items if item.form is not ReferenceForm.SLOT_WORD]
    if len({item.slots for item in items}) != 1 or len({item.id for item in exact}) > 1:
        return None
    return (exact or items)[0]


def _mark(
    text: str,
    clause: Clause,
    amount: Amount,
    total: TotalStatement | None,
    vocabulary: TextVocabulary,
) -> Mark:
    if has_unit_mark(text, clause, amount, vocabulary):
        return Mark.UNIT
    if total is not None or has_whole_mark(text, clause, amount, vocabulary):
        return Mark.WHOLE
    is_result = text.endswith(("=", "= "), clause.start, amount.start)
    return Mark.WHOLE if is_result else Mark.UNMARKED
