"""What a total is the total of, by what stands around its cue (§2.9)."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from crab_graph.text.amounts import Amount
from crab_graph.text.lexicon import pattern
from crab_graph.text.mentions import Reference, ReferenceForm
from crab_graph.text.total_cues import DETERMINED, DETERMINER, CueFamily, TotalCue
from crab_graph.text.utterance import Clause, InOrder, Line, Utterance
from crab_graph.text.vocabulary import TextVocabulary


class Scope(StrEnum):
    """What a total is the total of."""

    WHOLE = "whole"
    UNSCOPED = "unscoped"
    SLOTS = "slots"
    BARE = "bare"


_BOTH = re.compile(r"\b(?:both|(?:the|these|those) two) (?:whole |entire |full )?bookings?\W*\Z")
"""What leads up to a total of the last two that were named, and not of everything."""
_EACH_WHOLE = re.compile(r"\bfor (?:the |each )?(?:whole|entire|full) bookings?\b")
"""Says of each amount before it that it is of all that one booking holds."""
_FOR_PHRASE = re.compile(r"\s+for\s[^,:;()\[\]$]*")


class Spoken(NamedTuple):
    """A message with its references, the scope that a span reads, and the label of a line."""

    utterance: Utterance
    references: InOrder[Reference]
    scope_of: "Callable[[tuple[int, int]], tuple[Scope, tuple[Reference, ...]]]"
    is_labelled: Callable[[Line], bool]


def total_scope(
    spoken: Spoken, clause: Clause, cue: TotalCue, amount: Amount, stated: Sequence[Amount]
) -> tuple[Scope, tuple[Reference, ...], bool]:
    """Read the scope where it stands nearest to the cue first, and tell whether it is loose."""
    if names_nothing(spoken.references, clause) and spoken.utterance.parent(clause) is None:
        return Scope.UNSCOPED, (), False
    is_bare = False
    for start, end, is_near in _regions(spoken, clause, cue, amount):
        scope, scoped = spoken.scope_of((start, end))
        if scope is Scope.WHOLE and _BOTH.search(spoken.utterance.text[start : cue.start]):
            scoped = _last_two(spoken, cue.start)
            scope = Scope.SLOTS if scoped else Scope.UNSCOPED
        if scope in (Scope.WHOLE, Scope.SLOTS):
            earlier = bisect_left(stated, start, key=lambda one: one.start)
            has_own = earlier < len(stated) and stated[earlier].end <= min(cue.start, amount.start)
            is_loose = has_own or _is_of_payer(spoken.utterance.text, scoped, cue)
            return scope, scoped, is_loose and not is_near
        is_bare = is_bare or scope is Scope.BARE
    return (Scope.BARE if is_bare else Scope.UNSCOPED), (), False


def _last_two(spoken: Spoken, place: int) -> tuple[Reference, ...]:
    """Return the two last things that a line names before a place, by ids where there are."""
    begin = spoken.utterance.text.rfind("\n", 0, place) + 1
    found = [
        one
        for one in spoken.references
        if begin <= one.start < place
        and one.form not in (ReferenceForm.WHOLE_WORD, ReferenceForm.BARE_WORD)
    ]
    named = {(one.slots, one.id): one for one in found if one.id} or {
        (one.slots, one.id): one for one in found
    }
    return tuple(named.values())[-2:]


def _is_of_payer(text: str, scoped: Sequence[Reference], cue: TotalCue) -> bool:
    """Tell whether who pays stands between what scopes a total and its cue: `X is booked, and you`.

    Then it may as well be what that one pays in all.
    """
    end = max((one.end for one in scoped), default=cue.start)
    return pattern("totals", "payers").search(text, end, max(end, cue.start)) is not None


def names_nothing(references: InOrder[Reference], clause: Clause) -> bool:
    """Tell whether no reference stands in a clause, or touches it from before."""
    last = bisect_left(references.starts, clause.end) - 1
    return last < 0 or references[last].end < clause.start - 1


def scope_of(
    found: Sequence[Reference], vocabulary: TextVocabulary
) -> tuple[Scope, tuple[Reference, ...]]:
    """Return the scope that references give, and of those to slots the first of each meaning."""
    if any(reference.form is ReferenceForm.WHOLE_WORD for reference in found):
        return Scope.WHOLE, ()
    scoped: dict[tuple[tuple[str, ...], str], Reference] = {}
    for reference in found:
        if reference.form is not ReferenceForm.BARE_WORD:
            scoped.setdefault((reference.slots, reference.id), reference)
    if scoped:
        slots = {slot for slots, _ in scoped for slot in slots}
        is_whole = slots == set(vocabulary.slots)
        return (Scope.WHOLE, ()) if is_whole else (Scope.SLOTS, tuple(scoped.values()))
    return (Scope.BARE if found else Scope.UNSCOPED), ()


def _regions(
    spoken: Spoken, clause: Clause, cue: TotalCue, amount: Amount
) -> Iterable[tuple[int, int, bool]]:
    """Yield the spans to read, in order, and whether the words of each are the total's own."""
    text = spoken.utterance.text
    first, last = (cue, amount) if cue.start < amount.start else (amount, cue)
    yield first.end, last.start, True
    phrase = _FOR_PHRASE.match(text, last.end, clause.end)
    if phrase and not _EACH_WHOLE.search(phrase[0]):
        yield *phrase.span(), True
    # References do not overlap: the last one before the cue is the only one that can touch it.
    before = bisect_left(spoken.references, cue.start, key=lambda one: one.start) - 1
    if before >= 0 and text.startswith(" ", cue.start - 1):
        adjacent = spoken.references[before]
        if adjacent.end == cue.start - 1 and adjacent.form is ReferenceForm.WHOLE_WORD:
            yield adjacent.start, adjacent.end, True
    if DETERMINED.search(text, max(clause.start, cue.start - DETERMINER), cue.end):
        return
    yield clause.start, cue.start, False
    if cue.family is not CueFamily.TOTAL:
        yield clause.start, clause.end, True
    parent = spoken.utterance.parent(clause)
    if parent is not None:
        yield parent.start, parent.end, False
