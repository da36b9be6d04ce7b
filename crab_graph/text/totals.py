"""Total statements: an amount bound to a cue such as `total`, and its scope (§2.8, §2.9)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from crab_graph.text.amounts import Amount, has_unit_mark, stated_amounts
from crab_graph.text.lexicon import fragment, lexicon, pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.utterance import Clause, Line, Utterance
from crab_graph.text.vocabulary import TextVocabulary


class CueFamily(StrEnum):
    """What kind of word makes an amount a total."""

    TOTAL = "total"
    CHARGE = "charge"
    CHARGED = "charged"


PRE_CHARGE_CUES = frozenset({CueFamily.TOTAL, CueFamily.CHARGE})
SUMMARY_CUES = frozenset({CueFamily.TOTAL, CueFamily.CHARGED})
ALL_CUES = frozenset(CueFamily)

_CUES = {
    family: re.compile(rf"(?<!sub-)(?<!sub ){fragment('totals', family)}") for family in CueFamily
}
_DETERMINED = re.compile(
    rf"{fragment('totals', 'determiners')} "
    rf"(?:{'|'.join(fragment('totals', family) for family in CueFamily)})\Z"
    r"|(?<!\w)(?:grand total|overall \w+)\Z"
)
"""A cue that `the`, `your` or the like determines, or that says itself that it is the whole."""
_DETERMINER = max(map(len, lexicon()["totals"]["determiners"])) + 1
_FOR_PHRASE = re.compile(r"\s+for\s[^,:;()\[\]$]*")


class Scope(StrEnum):
    """What a total is the total of."""

    WHOLE = "whole"
    UNSCOPED = "unscoped"
    SLOTS = "slots"
    BARE = "bare"


class TotalStatement(NamedTuple):
    """A total that a message states; the references are to slots, and scope it for scope `slots`.

    It is void where it states nothing: conditional, running, an option's, a unit price.
    """

    amount: Amount
    family: CueFamily
    scope: Scope
    references: tuple[Reference, ...]
    is_void: bool
    clause: Clause

    @property
    def is_of_all(self) -> bool:
        """Whether it speaks of everything, or of no slot in particular."""
        return self.scope in (Scope.WHOLE, Scope.UNSCOPED)


class _Cue(NamedTuple):
    family: CueFamily
    start: int
    end: int


class _Reading(NamedTuple):
    """A message with its references, the scope that a span reads, and the label of a line."""

    utterance: Utterance
    references: Sequence[Reference]
    scope_of: "Callable[[tuple[int, int]], tuple[Scope, tuple[Reference, ...]]]"
    is_labelled: Callable[[Line], bool]


def find_totals(
    utterance: Utterance,
    amounts: Sequence[Amount],
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
    families: frozenset[CueFamily],
) -> tuple[TotalStatement, ...]:
    """Return the totals a message states by cues of some families, void ones too, in text order."""
    found: list[TotalStatement] = []
    # What a line says is read once, however many lines it is the parent of.
    reading = _Reading(
        utterance,
        references,
        cache(lambda span: _scope_of(references_within(references, *span), vocabulary)),
        cache(lambda line: _is_labelled(utterance.text, line)),
    )
    for clause, stated in stated_amounts(utterance, amounts).items():
        cues = _find_cues(utterance.text, clause, families)
        if cues:
            found += _clause_totals(reading, clause, stated, cues, vocabulary)
    return tuple(found)


def _clause_totals(
    reading: _Reading,
    clause: Clause,
    stated: Sequence[Amount],
    cues: Sequence[_Cue],
    vocabulary: TextVocabulary,
) -> Iterable[TotalStatement]:
    """Yield one total for each amount bound to a cue; a real total cue goes before a charge cue.

    What stands before the previous total's amount scopes that total, and not the next one.
    """
    text = reading.utterance.text
    parent = reading.utterance.parent(clause)
    is_void = (
        any(
            pattern("totals", key).search(text, clause.start, clause.end)
            for key in ("conditions", "running")
        )
        or _is_labelled(text, clause)
        or (parent is not None and reading.is_labelled(parent))
    )
    if len(stated) > 1 and "=" not in reading.utterance.words(clause):
        is_void = is_void or all(cue.family is not CueFamily.TOTAL for cue in cues)
    bound: dict[int, _Cue] = {}
    for cue in sorted(cues, key=lambda cue: (cue.family is not CueFamily.TOTAL, cue.start)):
        bound.setdefault(_bind(text, clause, stated, cue).start, cue)
    start = clause.start
    for amount in stated:
        if amount.start not in bound:
            continue
        cue = bound[amount.start]
        own = Clause(min(start, cue.start), clause.end, clause.line)
        scope, scoped = _scope(reading, own, cue, amount)
        start = amount.end
        void = is_void or scope is Scope.BARE or has_unit_mark(text, clause, amount, vocabulary)
        yield TotalStatement(amount, cue.family, scope, scoped, void, clause)


def _is_labelled(text: str, span: Clause | Line) -> bool:
    return pattern("totals", "option_labels").search(text, span.start, span.end) is not None


def _find_cues(text: str, clause: Clause, families: frozenset[CueFamily]) -> list[_Cue]:
    cues: list[_Cue] = []
    taken: set[int] = set()
    for family in CueFamily:
        if family in families:
            for match in _CUES[family].finditer(text, clause.start, clause.end):
                if match.start() not in taken:
                    taken.update(range(*match.span()))
                    cues.append(_Cue(family, *match.span()))
    return sorted(cues, key=lambda cue: cue.start)


def _bind(text: str, clause: Clause, stated: Sequence[Amount], cue: _Cue) -> Amount:
    """Return the amount that a cue makes a total."""
    equals = text.rfind("=", clause.start, clause.end)
    if 0 <= equals < stated[-1].start:
        return stated[bisect_right(stated, equals, key=lambda amount: amount.start)]
    before = bisect_right(stated, cue.start, key=lambda amount: amount.end) - 1
    if before >= 0 and text[stated[before].end : cue.start] in (" ", " in "):
        return stated[before]
    after = bisect_left(stated, cue.end, key=lambda amount: amount.start)
    return stated[after if after < len(stated) else max(before, 0)]


def _scope(
    reading: _Reading, clause: Clause, cue: _Cue, amount: Amount
) -> tuple[Scope, tuple[Reference, ...]]:
    """Read the scope where it stands nearest to the cue first."""
    is_bare = False
    for span in _regions(reading, clause, cue, amount):
        scope, scoped = reading.scope_of(span)
        if scope in (Scope.WHOLE, Scope.SLOTS):
            return scope, scoped
        is_bare = is_bare or scope is Scope.BARE
    return (Scope.BARE if is_bare else Scope.UNSCOPED), ()


def _scope_of(
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
    reading: _Reading, clause: Clause, cue: _Cue, amount: Amount
) -> Iterable[tuple[int, int]]:
    """Yield the spans to read, in order."""
    text = reading.utterance.text
    first, last = (cue, amount) if cue.start < amount.start else (amount, cue)
    yield first.end, last.start
    phrase = _FOR_PHRASE.match(text, last.end, clause.end)
    if phrase:
        yield phrase.span()
    # References do not overlap: the last one before the cue is the only one that can touch it.
    before = bisect_left(reading.references, cue.start, key=lambda one: one.start) - 1
    if before >= 0 and text[reading.references[before].end : cue.start] == " ":
        adjacent = reading.references[before]
        if adjacent.form is ReferenceForm.WHOLE_WORD:
            yield adjacent.start, adjacent.end
    if _DETERMINED.search(text, max(clause.start, cue.start - _DETERMINER), cue.end):
        return
    yield clause.start, cue.start
    if cue.family is not CueFamily.TOTAL:
        yield clause.start, clause.end
    parent = reading.utterance.parent(clause)
    if parent is not None:
        yield parent.start, parent.end
