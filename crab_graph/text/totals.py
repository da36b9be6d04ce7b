"""Total statements: an amount bound to a cue such as `total`, and its scope (§2.8, §2.9)."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from crab_graph.text.amounts import Amount, has_unit_mark, stated_amounts
from crab_graph.text.lexicon import fragment, pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.utterance import Clause, Utterance
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


def find_totals(
    utterance: Utterance,
    amounts: Sequence[Amount],
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
    families: frozenset[CueFamily],
) -> tuple[TotalStatement, ...]:
    """Return the totals a message states by cues of some families, void ones too, in text order."""
    found: list[TotalStatement] = []
    for clause in utterance.clauses:
        stated = stated_amounts(amounts, clause)
        cues = _find_cues(utterance.text, clause, families) if stated else []
        if cues:
            found += _clause_totals(utterance, clause, stated, cues, references, vocabulary)
    return tuple(found)


def _clause_totals(
    utterance: Utterance,
    clause: Clause,
    stated: Sequence[Amount],
    cues: Sequence[_Cue],
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
) -> Iterable[TotalStatement]:
    """Yield one total for each amount bound to a cue; a real total cue goes before a charge cue.

    What stands before the previous total's amount scopes that total, and not the next one.
    """
    text = utterance.text
    parent = utterance.parent(clause)
    looked = [(key, clause.start, clause.end) for key in ("conditions", "running", "option_labels")]
    if parent is not None:
        looked.append(("option_labels", parent.start, parent.end))
    is_void = any(pattern("totals", key).search(text, start, end) for key, start, end in looked)
    if len(stated) > 1 and "=" not in utterance.words(clause):
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
        scope, scoped = _scope(utterance, own, cue, amount, references, vocabulary)
        start = amount.end
        void = is_void or scope is Scope.BARE or has_unit_mark(text, clause, amount, vocabulary)
        yield TotalStatement(amount, cue.family, scope, scoped, void, clause)


def _find_cues(text: str, clause: Clause, families: frozenset[CueFamily]) -> list[_Cue]:
    cues: list[_Cue] = []
    for family in CueFamily:
        if family in families:
            for match in _CUES[family].finditer(text, clause.start, clause.end):
                if not any(cue.start <= match.start() < cue.end for cue in cues):
                    cues.append(_Cue(family, *match.span()))
    return sorted(cues, key=lambda cue: cue.start)


def _bind(text: str, clause: Clause, stated: Sequence[Amount], cue: _Cue) -> Amount:
    """Return the amount that a cue makes a total."""
    equals = text.rfind("=", clause.start, clause.end)
    results = [amount for amount in stated if equals >= 0 and amount.start > equals]
    if results:
        return results[0]
    before = [amount for amount in stated if amount.end <= cue.start]
    if before and text[before[-1].end : cue.start] in (" ", " in "):
        return before[-1]
    after = [amount for amount in stated if amount.start >= cue.end]
    return after[0] if after else before[-1] if before else stated[0]


def _scope(
    utterance: Utterance,
    clause: Clause,
    cue: _Cue,
    amount: Amount,
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
) -> tuple[Scope, tuple[Reference, ...]]:
    """Read the scope where it stands nearest to the cue first."""
    is_bare = False
    for span in _regions(utterance, clause, cue, amount, references):
        found = references_within(references, *span)
        if any(reference.form is ReferenceForm.WHOLE_WORD for reference in found):
            return Scope.WHOLE, ()
        scoped = tuple(item for item in found if item.form is not ReferenceForm.BARE_WORD)
        if scoped:
            slots = {slot for reference in scoped for slot in reference.slots}
            return (Scope.WHOLE, ()) if slots == set(vocabulary.slots) else (Scope.SLOTS, scoped)
        is_bare = is_bare or bool(found)
    return (Scope.BARE if is_bare else Scope.UNSCOPED), ()


def _regions(
    utterance: Utterance,
    clause: Clause,
    cue: _Cue,
    amount: Amount,
    references: Sequence[Reference],
) -> Iterable[tuple[int, int]]:
    """Yield the spans to read, in order."""
    text = utterance.text
    first, last = (cue, amount) if cue.start < amount.start else (amount, cue)
    yield first.end, last.start
    phrase = _FOR_PHRASE.match(text, last.end, clause.end)
    if phrase:
        yield phrase.span()
    for reference in references:
        is_adjacent = text[reference.end : cue.start] == " "
        if is_adjacent and reference.form is ReferenceForm.WHOLE_WORD:
            yield reference.start, reference.end
    if _DETERMINED.search(text, clause.start, cue.end):
        return
    yield clause.start, cue.start
    if cue.family is not CueFamily.TOTAL:
        yield clause.start, clause.end
    parent = utterance.parent(clause)
    if parent is not None:
        yield parent.start, parent.end
