"""Prices a message states about single items, or about groups of them (§2.10)."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from crab_graph.text.amounts import Amount, has_unit_mark, has_whole_mark, stated_amounts
from crab_graph.text.lexicon import fragment, may_hold, pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.totals import Scope, TotalStatement
from crab_graph.text.utterance import Clause, Utterance
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
    """A price said of an item, or the total said of some slots.

    Attributes:
        amount: The amount stated.
        mark: Whether it is a unit price.
        references: What it is said of; several for the total of a group.
    """

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
    """Return the item prices of a message.

    Args:
        utterance: The message.
        amounts: Its amounts.
        references: Its references.
        totals: Its totals, by cues of any family.
        vocabulary: The domain's words.
        filled: The slots that exactly one active booking fills when the message is said.
    """
    total_at = {total.amount.start: total for total in totals}
    found: list[ItemPrice] = []
    for clause in utterance.clauses:
        stated = stated_amounts(amounts, clause)
        if not stated or _is_distributive(utterance.words(clause)):
            continue
        items = _items(clause, references, vocabulary, filled)
        for amount in stated:
            total = total_at.get(amount.start)
            if total is not None and total.is_whole_trip:
                continue
            if total is not None and total.scope is Scope.SLOTS and not total.is_void:
                found.append(ItemPrice(amount, Mark.WHOLE, total.references))
                continue
            item = _meant(utterance.text, clause, items, amount) or _parent_item(
                utterance, clause, references, vocabulary, filled
            )
            if item is not None:
                mark = _mark(utterance, clause, amount, total, vocabulary)
                found.append(ItemPrice(amount, mark, (item,)))
    return tuple(found)


def _is_distributive(words: str) -> bool:
    is_possible = may_hold(words, "marks", "distributive")
    return is_possible and pattern("marks", "distributive").search(words) is not None


def _items(
    span: Clause,
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
    filled: frozenset[str],
) -> list[Reference]:
    within = references_within(references, span.start, span.end)
    return list(_resolved(within, vocabulary, filled))


def _resolved(
    references: Sequence[Reference], vocabulary: TextVocabulary, filled: frozenset[str]
) -> Iterable[Reference]:
    """Yield the references that mean one item; a bare word only where nothing says it better."""
    exact = {
        slot
        for reference in references
        if reference.form is not ReferenceForm.BARE_WORD
        for slot in reference.slots
    }
    for reference in references:
        match reference.form:
            case ReferenceForm.ENTITY | ReferenceForm.BOOKING:
                yield reference
            case ReferenceForm.SLOT_WORD if reference.slots[0] in filled:
                yield reference
            case ReferenceForm.BARE_WORD if reference.word in vocabulary.item_words:
                meant = [slot for slot in reference.slots if slot in filled]
                if len(meant) == 1 and not exact & set(reference.slots):
                    yield Reference(
                        ReferenceForm.SLOT_WORD,
                        reference.start,
                        reference.end,
                        (meant[0],),
                        word=reference.word,
                    )


def _meant(
    text: str, clause: Clause, items: Sequence[Reference], amount: Amount
) -> Reference | None:
    """Return the item a phrase right after the amount names; else the nearest, preceding first."""
    following = next((item for item in items if item.start >= amount.end), None)
    if following is not None and _is_attached(text, clause, amount, following):
        return following
    preceding = [item for item in items if item.end <= amount.start]
    return preceding[-1] if preceding else following


def _is_attached(text: str, clause: Clause, amount: Amount, item: Reference) -> bool:
    """Return whether `$X for the item` or `$X (item)` says what the amount is for."""
    between = text[amount.end : item.start]
    if _FOR.fullmatch(between):
        return _AND_NUMBERS.search(between) is None
    opens = _OPENING.fullmatch(between) is not None
    return opens and _CLOSING.match(text, item.end, clause.end) is not None


def _parent_item(
    utterance: Utterance,
    clause: Clause,
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
    filled: frozenset[str],
) -> Reference | None:
    """Return what the parent line is about, if that is one slot and one item."""
    parent = utterance.parent(clause)
    if parent is None:
        return None
    within = references_within(references, parent.start, parent.end)
    items = list(_resolved(within, vocabulary, filled))
    if len({item.slots for item in items}) != 1:
        return None
    exact = [item for item in items if item.form is not ReferenceForm.SLOT_WORD]
    if len({item.id for item in exact}) > 1:
        return None
    return exact[0] if exact else items[0]


def _mark(
    utterance: Utterance,
    clause: Clause,
    amount: Amount,
    total: TotalStatement | None,
    vocabulary: TextVocabulary,
) -> Mark:
    text = utterance.text
    if has_unit_mark(text, clause, amount, vocabulary):
        return Mark.UNIT
    if total is not None or has_whole_mark(text, clause, amount, vocabulary):
        return Mark.WHOLE
    if text[clause.start : amount.start].rstrip().endswith("="):
        return Mark.WHOLE
    return Mark.UNMARKED
