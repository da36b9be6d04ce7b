"""Total statements: an amount bound to a cue such as `total`, and its scope (§2.8, §2.9, §2.14)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import NamedTuple

from crab_graph.text.amounts import (
    Amount,
    amount_runs,
    has_person_mark,
    has_unit_mark,
    says_person,
    stated_amounts,
    summed,
)
from crab_graph.text.lexicon import alternatives, fragment, lexicon, pattern
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
_UP_TO_TWO_WORDS = re.compile(r":?(?: [a-z']+){0,2} ")
_TOLD_BEFORE = re.compile(
    r"(?: (?:(?:was|is|were|are|has|have|been|now|just|in|total|altogether|charged|billed|debited"
    r"|paid) )*)?"
)
"""What may stand between an amount and the cue that it goes before: `$X was charged in total`."""
_THAT_IS = re.compile(r"(?:(?<!\w)(?:that's|that is|it's|so|makes)|[:=])\s*\Z")
_FEWEST_PARTS = 3
_SENTENCE_END = re.compile(r"[.!?](?= )")
_FOR_PHRASE = re.compile(r"\s+for\s[^,:;()\[\]$]*")


class Scope(StrEnum):
    """What a total is the total of."""

    WHOLE = "whole"
    UNSCOPED = "unscoped"
    SLOTS = "slots"
    BARE = "bare"


class TotalStatement(NamedTuple):
    """A total that a message states; the references are to slots, and scope it for scope `slots`.

    It is void where it states nothing: conditional, running, an option's, a unit price. It is a
    share where it is what one person pays. Where the items that scope it have prices of their own
    before it, or it is a running one, it is loose: it may be of these, or of all that was told.
    It is growing where it says so, and nothing else makes it void. Its parts are the amounts that
    its clause lists beside it, naming no items, and what they come to.
    """

    amount: Amount
    family: CueFamily
    scope: Scope
    references: tuple[Reference, ...]
    is_void: bool
    clause: Clause
    is_share: bool = False
    is_loose: bool = False
    is_growing: bool = False
    parts: Amount | None = None

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


class MessageTotals:
    """The totals of one message; what several families of cues have in common is read once."""

    def __init__(
        self,
        utterance: Utterance,
        amounts: Sequence[Amount],
        references: Sequence[Reference],
        vocabulary: TextVocabulary,
    ) -> None:
        self._text, self._vocabulary = utterance.text, vocabulary
        # What a line says is read once, however many lines it is the parent of.
        self._reading = _Reading(
            utterance,
            references,
            cache(lambda span: _scope_of(references_within(references, *span), vocabulary)),
            cache(lambda line: _is_labelled(utterance.text, line)),
        )
        stated = stated_amounts(utterance, amounts)
        words = _cue_words(vocabulary.priced_words)
        marks = [match.span() for match in words.finditer(utterance.text)] if stated else []
        starts, ends = [start for start, _ in marks], [end for _, end in marks]
        self._stated = [
            (clause, own)
            for clause, own in stated.items()
            if bisect_right(ends, clause.start) < bisect_left(starts, clause.end)
        ]
        """The clauses that may hold a cue, with their amounts."""
        self._known: dict[tuple[_Cue, ...], Sequence[TotalStatement]] = {}
        self._totals: dict[frozenset[CueFamily], tuple[TotalStatement, ...]] = {}

    def by(self, families: frozenset[CueFamily]) -> tuple[TotalStatement, ...]:
        """Return the totals stated by cues of some families, void ones too, in text order."""
        if families not in self._totals:
            found = (self._within(clause, own, families) for clause, own in self._stated)
            self._totals[families] = tuple(chain.from_iterable(found))
        return self._totals[families]

    def _within(
        self, clause: Clause, stated: Sequence[Amount], families: frozenset[CueFamily]
    ) -> Sequence[TotalStatement]:
        cues = _find_cues(self._text, clause, families)
        cues += _sum_cues(self._text, stated) if not cues else ()
        cues += _cost_cues(self._text, clause, stated, self._vocabulary)
        key = tuple(cues)
        if key not in self._known:
            self._known[key] = (
                _clause_totals(self._reading, clause, stated, cues, self._vocabulary)
                if cues
                else ()
            )
        return self._known[key]


def _clause_totals(
    reading: _Reading,
    clause: Clause,
    stated: Sequence[Amount],
    cues: Sequence[_Cue],
    vocabulary: TextVocabulary,
) -> Sequence[TotalStatement]:
    """Return one total for each amount bound to a cue; a real total cue goes before a charge cue.

    What stands before the previous total's amount scopes that total, and not the next one.
    """
    text = reading.utterance.text
    parent = reading.utterance.parent(clause)

    def says(key: str) -> bool:
        return pattern("totals", key).search(text, clause.start, clause.end) is not None

    is_void = _is_labelled(text, clause) or (parent is not None and reading.is_labelled(parent))
    if len(stated) > 1 and "=" not in reading.utterance.words(clause):
        is_void = is_void or all(cue.family is not CueFamily.TOTAL for cue in cues)
    entries = list(_entries(text, stated))
    says_growing, is_running = says("growing"), says("running")
    is_growing, states_nothing = says_growing or is_running, is_void or is_running
    bound: dict[Amount, _Cue] = {}
    for cue in sorted(cues, key=lambda cue: (cue.family is not CueFamily.TOTAL, cue.start)):
        bound.setdefault(_bind(text, clause, entries, cue), cue)
    found: list[TotalStatement] = []
    start = clause.start
    for amount in entries:
        if amount not in bound:
            continue
        cue = bound[amount]
        own = Clause(min(start, cue.start), clause.end, clause.line)
        scope, scoped, is_loose = _scope(reading, own, cue, amount, stated)
        start = amount.end
        first, last = (cue, amount) if cue.start < amount.start else (amount, cue)
        is_share = has_person_mark(text, clause, amount, vocabulary) or says_person(
            text, first.end, last.start, vocabulary
        )
        is_unit = is_share or has_unit_mark(text, clause, amount, vocabulary)
        is_sum = text.startswith("=", cue.start)
        is_idle = scope is Scope.BARE or is_unit or (is_sum and scope is Scope.UNSCOPED)
        is_idle = is_idle or _is_conditional(text, clause, amount)
        found.append(
            TotalStatement(
                *(amount, cue.family, scope, scoped, states_nothing or is_idle, clause),
                is_share=is_share,
                is_loose=is_loose or says_growing,
                is_growing=is_growing and not is_void and not is_idle,
            )
        )
    return _with_parts(reading, entries, stated, found)


def _is_conditional(text: str, clause: Clause, amount: Amount) -> bool:
    """Tell whether an amount's sentence has a condition; one in small letters ends no clause."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text, clause.start, clause.end)]
    start = max((end for end in ends if end <= amount.start), default=clause.start)
    end = min((end for end in ends if end >= amount.end), default=clause.end)
    return pattern("totals", "conditions").search(text, start, end) is not None


def _entries(text: str, stated: Sequence[Amount]) -> Iterable[Amount]:
    """Yield the amounts that a cue can be about: of a list what it comes to, and its sum."""
    for run in amount_runs(text, stated):
        if len(run) >= _FEWEST_PARTS and run[-1].cents == sum(one.cents for one in run[:-1]):
            yield summed(run[:-1])
            yield run[-1]
        else:
            yield summed(run)


def _with_parts(
    reading: _Reading,
    entries: Sequence[Amount],
    stated: Sequence[Amount],
    totals: list[TotalStatement],
) -> list[TotalStatement]:
    """Return the totals of a clause; a list beside its only one, naming no item, is its parts."""
    listed = [one for one in entries if one not in stated]
    wholes = [one for one in totals if one.is_of_all and one.amount not in listed]
    if len(listed) != 1 or len(wholes) != 1:
        return totals
    (parts,), (whole,) = listed, wholes
    clause = whole.clause
    named = references_within(reading.references, clause.start, clause.end)
    is_bare = all(one.form is ReferenceForm.WHOLE_WORD for one in named)
    if whole.is_share or not is_bare or "=" in reading.utterance.words(clause):
        return totals
    others = [one for one in totals if one is not whole and one.amount != parts]
    return [*others, whole._replace(parts=parts)]


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


def _cost_cues(
    text: str, clause: Clause, stated: Sequence[Amount], vocabulary: TextVocabulary
) -> Iterable[_Cue]:
    """Yield `costs` and the like between a word for the whole and an amount."""
    for match in _cost_pattern(vocabulary.priced_words).finditer(text, clause.start, clause.end):
        after = bisect_left(stated, match.end(), key=lambda amount: amount.start)
        for amount in stated[after : after + 1]:
            if _UP_TO_TWO_WORDS.fullmatch(text, match.end(), amount.start):
                yield _Cue(CueFamily.TOTAL, *match.span(1))
    for amount in stated:
        before = max(clause.start, amount.start - _DETERMINER)
        if _for_pattern(vocabulary.priced_words).match(
            text, amount.end, clause.end
        ) and _THAT_IS.search(text, before, amount.start):
            yield _Cue(CueFamily.TOTAL, amount.end, amount.end)


def _sum_cues(text: str, stated: Sequence[Amount]) -> Iterable[_Cue]:
    """Yield the `=` before an amount that follows others with `+` between."""
    is_result = text.endswith(("=", "= "), 0, stated[-1].start)
    if is_result and len(stated) >= _FEWEST_PARTS and "+" in text[stated[0].end : stated[1].start]:
        place = text.rindex("=", 0, stated[-1].start)
        yield _Cue(CueFamily.TOTAL, place, place + 1)


@cache
def _cue_words(priced: tuple[str, ...]) -> re.Pattern[str]:
    """Return what no cue is without: one of its words, also as a part of another, or a `=`."""
    words = [word for family in CueFamily for word in lexicon()["totals"][family]]
    return re.compile("|".join(["=", *words, *map(re.escape, priced)]))


@cache
def _for_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf" for (?:the |your )?(?:whole |entire )?{alternatives(map(re.escape, words))}"
    )


@cache
def _cost_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{alternatives(map(re.escape, words))} ({fragment('totals', 'costs')})")


def _bind(text: str, clause: Clause, stated: Sequence[Amount], cue: _Cue) -> Amount:
    """Return the amount that a cue makes a total."""
    equals = text.rfind("=", clause.start, clause.end)
    is_told_after = equals < cue.start and cue.end <= stated[-1].start
    if 0 <= equals < stated[-1].start and not is_told_after:
        return stated[bisect_right(stated, equals, key=lambda amount: amount.start)]
    before = bisect_right(stated, cue.start, key=lambda amount: amount.end) - 1
    if _TOLD_BEFORE.fullmatch(text, stated[before].end, cue.start):
        return stated[before]
    after = bisect_left(stated, cue.end, key=lambda amount: amount.start)
    return stated[after if after < len(stated) else max(before, 0)]


def _scope(
    reading: _Reading, clause: Clause, cue: _Cue, amount: Amount, stated: Sequence[Amount]
) -> tuple[Scope, tuple[Reference, ...], bool]:
    """Read the scope where it stands nearest to the cue first, and tell whether it is loose."""
    is_bare = False
    for start, end, is_near in _regions(reading, clause, cue, amount):
        scope, scoped = reading.scope_of((start, end))
        if scope in (Scope.WHOLE, Scope.SLOTS):
            earlier = bisect_left(stated, start, key=lambda one: one.start)
            has_own = earlier < len(stated) and stated[earlier].end <= min(cue.start, amount.start)
            return scope, scoped, has_own and not is_near
        is_bare = is_bare or scope is Scope.BARE
    return (Scope.BARE if is_bare else Scope.UNSCOPED), (), False


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
) -> Iterable[tuple[int, int, bool]]:
    """Yield the spans to read, in order, and whether the words of each are the total's own."""
    text = reading.utterance.text
    first, last = (cue, amount) if cue.start < amount.start else (amount, cue)
    yield first.end, last.start, True
    phrase = _FOR_PHRASE.match(text, last.end, clause.end)
    if phrase:
        yield *phrase.span(), True
    # References do not overlap: the last one before the cue is the only one that can touch it.
    before = bisect_left(reading.references, cue.start, key=lambda one: one.start) - 1
    if before >= 0 and text.startswith(" ", cue.start - 1):
        adjacent = reading.references[before]
        if adjacent.end == cue.start - 1 and adjacent.form is ReferenceForm.WHOLE_WORD:
            yield adjacent.start, adjacent.end, True
    if _DETERMINED.search(text, max(clause.start, cue.start - _DETERMINER), cue.end):
        return
    yield clause.start, cue.start, False
    if cue.family is not CueFamily.TOTAL:
        yield clause.start, clause.end, True
    parent = reading.utterance.parent(clause)
    if parent is not None:
        yield parent.start, parent.end, False
