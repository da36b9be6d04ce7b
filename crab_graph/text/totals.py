"""Total statements: an amount bound to a cue such as `total`, and its scope (§2.8, §2.9, §2.14)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from crab_graph.text.amounts import (
    Amount,
    amount_runs,
    has_person_mark,
    has_unit_mark,
    is_headed_personal,
    says_person,
    stated_amounts,
    summed,
)
from crab_graph.text.lexicon import pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.partial_amounts import find_partial_amounts
from crab_graph.text.total_cues import (
    FEWEST_PARTS,
    CueFamily,
    TotalCue,
    cost_cues,
    cue_words,
    find_cues,
    sum_cues,
)
from crab_graph.text.total_scopes import Scope, Spoken, names_nothing, scope_of, total_scope
from crab_graph.text.utterance import Clause, InOrder, Line, Utterance
from crab_graph.text.vocabulary import TextVocabulary

TOLD_BEFORE = re.compile(
    r"(?: (?:(?:was|is|were|are|has|have|been|now|just|in|total|altogether|charged|billed|debited"
    r"|paid) )*)?"
)
"""What may stand between an amount and the cue that it goes before: `$X was charged in total`."""
_LOOKS_BACK = len("sub ")
"""Characters before a clause that may bear on its words."""
_ADDED = re.compile(
    r"(?<!\w)with (?:the |both |your |all )+\w+(?: \w+)?,? (?:it |that |this |we )?\Z"
)
"""`with the others it makes`: what is added to the parts is not all that the sum is of."""
_AND = re.compile(r" and (?!(?:.{0,60}[.;:]))")
AND_THEN = re.compile(r"(?<!\w)and then(?!\w)")
"""Says of what stands behind it that it comes after what the amount before it is of."""
_ARROW = re.compile(r" ?(?:->|=>|→|⇒) ?(?:now )?")
_BESIDE = re.compile(r"[\s():=-]{0,5}")
_SENTENCE_END = re.compile(r"[.!?](?= )")


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

    def again(self, clause: Clause, amount: Amount) -> "TotalStatement":
        """Return the same said again in another clause."""
        said = self.family, self.scope, self.references, self.is_void
        how = self.is_share, self.is_loose, self.is_growing, self.parts
        return TotalStatement(amount, *said, clause, *how)  # `_replace` takes three times as long


_START = attrgetter("start")


@dataclass(slots=True)
class _CuedClause:
    """A clause that may hold cues, with its amounts and cues, and the totals that some make."""

    clause: Clause
    stated: Sequence[Amount]
    cues: Sequence[TotalCue]
    costs: Sequence[TotalCue]
    known: list[tuple[list[TotalCue], Sequence[TotalStatement]]] = field(default_factory=list)
    by_families: dict[frozenset[CueFamily], Sequence[TotalStatement]] = field(default_factory=dict)

    def chosen(self, text: str, families: frozenset[CueFamily]) -> list[TotalCue]:
        """Return the cues of some families; where there are none, the `=` before a sum is one."""
        found: list[TotalCue] = []
        taken: set[int] = set()
        for cue in self.cues:
            if cue.family in families and cue.start not in taken:
                found.append(cue)
                if len(self.cues) > 1:
                    taken.update(range(cue.start, cue.end))
        found.sort(key=_START)
        return [*(found or sum_cues(text, self.clause, self.stated)), *self.costs]


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
        stated = _unparted(utterance, amounts, references, vocabulary)
        # What a line says is read once, however many lines it is the parent of.
        self._spoken = Spoken(
            utterance,
            InOrder(references),
            cache(lambda span: scope_of(references_within(references, *span), vocabulary)),
            cache(lambda line: _is_labelled(utterance.text, line)),
        )
        self._alike: dict[object, _CuedClause | None] = {}
        read = ((self._read(clause, own), clause, own) for clause, own in stated.items())
        self._cued = [(cued, clause, own) for cued, clause, own in read if cued is not None]
        self._totals: dict[frozenset[CueFamily], tuple[TotalStatement, ...]] = {}

    def _read(self, clause: Clause, stated: Sequence[Amount]) -> "_CuedClause | None":
        """Return a clause with its cues, or the first one that says the same of another amount."""
        alike = self._what_tells(clause, stated)
        if alike is None:
            return self._cues_in(clause, stated)
        if alike not in self._alike:
            self._alike[alike] = self._cues_in(clause, stated)
        return self._alike[alike]

    def _what_tells(self, clause: Clause, stated: Sequence[Amount]) -> object:
        """Return all that tells what a clause with one amount and no references says, or `None`."""
        if len(stated) > 1 or not names_nothing(self._spoken.references, clause):
            return None
        (amount,), utterance = stated, self._spoken.utterance
        before = utterance.text[max(0, clause.start - _LOOKS_BACK) : amount.start]
        after = utterance.text[amount.end : clause.end]
        return before, amount.start - clause.start, after, utterance.lines[clause.line].parent

    def _cues_in(self, clause: Clause, stated: Sequence[Amount]) -> "_CuedClause | None":
        """Return a clause with its cues; nothing where it holds no word of any."""
        words = cue_words(self._vocabulary.priced_words)
        if words.search(self._text, clause.start, clause.end) is None:
            return None
        costs = list(cost_cues(self._text, clause, stated, self._vocabulary))
        return _CuedClause(clause, stated, find_cues(self._text, clause), costs)

    def by(self, families: frozenset[CueFamily]) -> tuple[TotalStatement, ...]:
        """Return the totals stated by cues of some families, void ones too, in text order."""
        if families not in self._totals:
            found: list[TotalStatement] = []
            for cued, clause, stated in self._cued:
                totals = cued.by_families.get(families)
                if totals is None:
                    totals = cued.by_families[families] = self._within(cued, families)
                is_first = clause is cued.clause
                found += totals if is_first else [one.again(clause, *stated) for one in totals]
            self._totals[families] = tuple(found)
        return self._totals[families]

    def _within(
        self, cued: _CuedClause, families: frozenset[CueFamily]
    ) -> Sequence[TotalStatement]:
        cues = cued.chosen(self._text, families)
        if not cues:
            return ()
        known = next((totals for own, totals in cued.known if own == cues), None)
        if known is None:
            known = _clause_totals(self._spoken, cued.clause, cued.stated, cues, self._vocabulary)
            cued.known.append((cues, known))
        return known


def _unparted(
    utterance: Utterance,
    amounts: Sequence[Amount],
    references: Sequence[Reference],
    vocabulary: TextVocabulary,
) -> dict[Clause, list[Amount]]:
    """Return the amounts that state a price by their clauses, but for parts of others."""
    stated = stated_amounts(utterance, amounts)
    for clause, own in list(stated.items()):
        parts = find_partial_amounts(utterance.text, clause, own, references, vocabulary)
        if parts:
            aside = {one.amount for one in parts}
            stated[clause] = [one for one in own if one not in aside]
    return {clause: own for clause, own in stated.items() if own}


def _clause_totals(
    spoken: Spoken,
    clause: Clause,
    stated: Sequence[Amount],
    cues: Sequence[TotalCue],
    vocabulary: TextVocabulary,
) -> Sequence[TotalStatement]:
    """Return one total for each amount bound to a cue; a real total cue goes before a charge cue.

    What stands before the previous total's amount scopes that total, and not the next one.
    """
    text = spoken.utterance.text
    parent = spoken.utterance.parent(clause)

    def says(key: str) -> bool:
        return pattern("totals", key).search(text, clause.start, clause.end) is not None

    is_void = _is_labelled(text, clause) or (parent is not None and spoken.is_labelled(parent))
    if len(stated) > 1 and "=" not in spoken.utterance.words(clause):
        is_void = is_void or all(cue.family is not CueFamily.TOTAL for cue in cues)
    entries = list(_entries(text, stated, spoken.references))
    says_growing, is_running = says("growing"), says("running")
    is_growing, states_nothing = says_growing or is_running, is_void or is_running
    is_conditional = _conditionals(text, clause)
    bound = _bound(spoken, clause, entries, cues)
    found: list[TotalStatement] = []
    start = clause.start
    for amount in entries:
        if amount not in bound:
            continue
        cue = bound[amount]
        own = Clause(min(start, cue.start), clause.end, clause.line)
        scope, scoped, is_loose = total_scope(spoken, own, cue, amount, stated)
        if _ADDED.search(text, own.start, cue.start) is not None:
            scope, scoped = Scope.UNSCOPED, ()
        start = amount.end
        first, last = (cue, amount) if cue.start < amount.start else (amount, cue)
        is_share = has_person_mark(text, clause, amount, vocabulary) or says_person(
            text, first.end, last.start, vocabulary
        )
        is_share &= pattern("totals", "each_payment").search(text, first.end, last.start) is None
        is_leading = first is cue and amount == entries[0]
        is_share |= is_leading and is_headed_personal(text, clause, amount, vocabulary)
        is_unit = is_share or has_unit_mark(text, clause, amount, vocabulary)
        is_sum = text.startswith("=", cue.start) and cue.start > clause.start
        is_idle = cue.family is CueFamily.CHARGED and _is_last_of_list(text, entries, amount)
        is_idle = is_idle or scope is Scope.BARE or is_unit or (is_sum and scope is Scope.UNSCOPED)
        is_idle = is_idle or is_conditional(amount)
        found.append(
            TotalStatement(
                *(amount, cue.family, scope, scoped, states_nothing or is_idle, clause),
                is_share=is_share,
                is_loose=is_loose or says_growing,
                is_growing=is_growing and not is_void and not is_idle,
            )
        )
    return _with_parts(spoken, entries, stated, found)


def _bound(
    spoken: Spoken, clause: Clause, entries: Sequence[Amount], cues: Sequence[TotalCue]
) -> dict[Amount, TotalCue]:
    """Return the amounts that cues are bound to, each with the cue that makes it a total."""
    bound: dict[Amount, TotalCue] = {}
    for cue in sorted(cues, key=lambda cue: (cue.family is not CueFamily.TOTAL, cue.start)):
        amount = _bind(spoken, clause, entries, cue)
        if amount is None:
            continue
        earlier = bound.setdefault(amount, cue)
        is_nearer = earlier.start < cue.start < amount.start
        if is_nearer and earlier.family is cue.family is CueFamily.CHARGED:
            bound[amount] = cue  # `the room is paid, the tickets are paid, and $X is gone`
    return bound


def _is_last_of_list(text: str, stated: Sequence[Amount], amount: Amount) -> bool:
    """Tell whether an amount is one of several, as in `$1 for this and $2 for that are paid`."""
    before = bisect_right(stated, amount.start, key=lambda one: one.end) - 1
    return before >= 0 and _AND.search(text, stated[before].end, amount.start) is not None


def _conditionals(text: str, clause: Clause) -> Callable[[Amount], bool]:
    """Return what tells whether an amount's sentence has a condition; one may end in a clause."""
    conditions = pattern("totals", "conditions")
    if conditions.search(text, clause.start, clause.end) is None:
        return lambda amount: False
    ends = [match.end() for match in _SENTENCE_END.finditer(text, clause.start, clause.end)]
    known = cache(lambda start, end: conditions.search(text, start, end) is not None)

    def is_conditional(amount: Amount) -> bool:
        first, last = bisect_right(ends, amount.start), bisect_left(ends, amount.end)
        start = ends[first - 1] if first else clause.start
        return known(start, ends[last] if last < len(ends) else clause.end)

    return is_conditional


def _entries(
    text: str, stated: Sequence[Amount], references: Sequence[Reference]
) -> Iterable[Amount]:
    """Yield the amounts that a cue can be about: of a list what it comes to, and its sum.

    Behind a comma, after the price of what stands right before it, an amount is by itself.
    """
    for run in amount_runs(text, stated):
        if len(run) == FEWEST_PARTS - 1 and text[run[0].end : run[1].start].strip() == ",":
            before = bisect_left(references, run[0].start, key=lambda one: one.start) - 1
            if before >= 0 and _BESIDE.fullmatch(text, references[before].end, run[0].start):
                yield from run
                continue
        if len(run) >= FEWEST_PARTS and run[-1].cents == sum(one.cents for one in run[:-1]):
            yield summed(run[:-1])
            yield run[-1]
        else:
            yield summed(run) if len(run) > 1 else run[0]


def _with_parts(
    spoken: Spoken,
    entries: Sequence[Amount],
    stated: Sequence[Amount],
    totals: list[TotalStatement],
) -> list[TotalStatement]:
    """Return the totals of a clause; a list beside its only one, naming no item, is its parts."""
    single = set(stated)
    listed = [one for one in entries if one not in single]
    if len(listed) != 1:
        return totals
    (parts,) = listed
    wholes = [one for one in totals if one.is_of_all and one.amount != parts]
    if len(wholes) != 1:
        return totals
    (whole,) = wholes
    clause = whole.clause
    named = references_within(spoken.references, clause.start, clause.end)
    is_bare = all(one.form is ReferenceForm.WHOLE_WORD for one in named)
    if whole.is_share or not is_bare or "=" in spoken.utterance.words(clause):
        return totals
    others = [one for one in totals if one is not whole and one.amount != parts]
    return [*others, whole._replace(parts=parts)]


def _is_labelled(text: str, span: Clause | Line) -> bool:
    return pattern("totals", "option_labels").search(text, span.start, span.end) is not None


def _bind(spoken: Spoken, clause: Clause, stated: Sequence[Amount], cue: TotalCue) -> Amount | None:
    """Return the amount that a cue makes a total; none where all are in brackets with an item.

    Nor is the last of several a total that stands in brackets right behind its item.
    """
    text = spoken.utterance.text
    equals = text.rfind("=", clause.start, clause.end)
    is_told_after = equals < cue.start and cue.end <= stated[-1].start
    if 0 <= equals < stated[-1].start and not is_told_after:
        return stated[bisect_right(stated, equals, key=lambda amount: amount.start)]
    before = bisect_right(stated, cue.start, key=lambda amount: amount.end) - 1
    if TOLD_BEFORE.fullmatch(text, stated[before].end, cue.start):
        return stated[before]
    after = bisect_left(stated, cue.end, key=lambda amount: amount.start)
    if after < len(stated):
        while after + 1 < len(stated) and _ARROW.fullmatch(
            text, stated[after].end, stated[after + 1].start
        ):
            after += 1  # `total $X -> $Y`: it was the one, and is the other
        return stated[after]
    last = stated[max(before, 0)]
    is_of_rest = pattern("totals", "rest").match(text, cue.end + 1, clause.end) is not None
    is_next = cue.family is CueFamily.CHARGE and AND_THEN.search(text, last.end, cue.start)
    if (is_of_rest or is_next) and last.end <= cue.start:
        return None  # `shall I try the $X again, and charge the others then?`
    bracket = text.rfind("(", clause.start, last.start)
    closed = text.find(")", bracket) if bracket >= 0 else -1
    if last.end <= closed < cue.start:
        is_listed = len(stated) > 1 and _ends_at(spoken.references, bracket - 1)
        if is_listed or references_within(spoken.references, bracket, closed):
            return None
    return last


def _ends_at(references: InOrder[Reference], place: int) -> bool:
    """Tell whether a reference ends at a place."""
    last = bisect_right(references.starts, place) - 1
    return last >= 0 and references[last].end == place
