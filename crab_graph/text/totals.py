"""Total statements: an amount bound to a cue such as `total`, and its scope (§2.8, §2.9, §2.14)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
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
from crab_graph.text.lexicon import alternatives, fragment, lexicon, pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.partial_amounts import find_partial_amounts
from crab_graph.text.utterance import Clause, InOrder, Line, Utterance
from crab_graph.text.vocabulary import TextVocabulary


class CueFamily(StrEnum):
    """What kind of word makes an amount a total."""

    TOTAL = "total"
    CHARGE = "charge"
    CHARGED = "charged"


PRE_CHARGE_CUES = frozenset({CueFamily.TOTAL, CueFamily.CHARGE})
SUMMARY_CUES = frozenset({CueFamily.TOTAL, CueFamily.CHARGED})
ALL_CUES = frozenset(CueFamily)

_CUES = tuple(
    (family, re.compile(rf"(?<!sub-)(?<!sub ){fragment('totals', family)}")) for family in CueFamily
)
_DETERMINED = re.compile(
    rf"{fragment('totals', 'determiners')} "
    rf"(?:{'|'.join(fragment('totals', family) for family in CueFamily)})\Z"
    r"|(?<!\w)(?:grand total|overall \w+)\Z"
)
"""A cue that `the`, `your` or the like determines, or that says itself that it is the whole."""
_DETERMINER = max(map(len, lexicon()["totals"]["determiners"])) + 1
_UP_TO_TWO_WORDS = re.compile(r":?(?: [a-z']+){0,2} ")
TOLD_BEFORE = re.compile(
    r"(?: (?:(?:was|is|were|are|has|have|been|now|just|in|total|altogether|charged|billed|debited"
    r"|paid) )*)?"
)
"""What may stand between an amount and the cue that it goes before: `$X was charged in total`."""
_THAT_IS = re.compile(r"(?:(?<!\w)(?:that's|that is|it's|so|makes)|[:=])\s*\Z")
_FEWEST_PARTS = 3
_LOOKS_BACK = len("sub ")
"""Characters before a clause that may bear on its words."""
_ADDED = re.compile(
    r"(?<!\w)with (?:the |both |your |all )+\w+(?: \w+)?,? (?:it |that |this |we )?\Z"
)
"""`with the others it makes`: what is added to the parts is not all that the sum is of."""
_AND = re.compile(r" and (?!(?:.{0,60}[.;:]))")
AND_THEN = re.compile(r"(?<!\w)and then(?!\w)")
"""Says of what stands behind it that it comes after what the amount before it is of."""
_BEGINS_WITH_SUM = re.compile(r"= ?\$")
_ARROW = re.compile(r" ?(?:->|=>|→|⇒) ?(?:now )?")
_BESIDE = re.compile(r"[\s():=-]{0,5}")
_SENTENCE_END = re.compile(r"[.!?](?= )")
_EACH_WHOLE = re.compile(r"\bfor (?:the |each )?(?:whole|entire|full) bookings?\b")
"""Says of each amount before it that it is of all that one booking holds."""
_BOTH = re.compile(r"\b(?:both|(?:the|these|those) two) (?:whole |entire |full )?bookings?\W*\Z")
"""What leads up to a total of the last two that were named, and not of everything."""
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

    def again(self, clause: Clause, amount: Amount) -> "TotalStatement":
        """Return the same said again in another clause."""
        said = self.family, self.scope, self.references, self.is_void
        how = self.is_share, self.is_loose, self.is_growing, self.parts
        return TotalStatement(amount, *said, clause, *how)  # `_replace` takes three times as long


class _Cue(NamedTuple):
    family: CueFamily
    start: int
    end: int


_START = attrgetter("start")


class _Spoken(NamedTuple):
    """A message with its references, the scope that a span reads, and the label of a line."""

    utterance: Utterance
    references: InOrder[Reference]
    scope_of: "Callable[[tuple[int, int]], tuple[Scope, tuple[Reference, ...]]]"
    is_labelled: Callable[[Line], bool]


@dataclass(slots=True)
class _CuedClause:
    """A clause that may hold cues, with its amounts and cues, and the totals that some make."""

    clause: Clause
    stated: Sequence[Amount]
    cues: Sequence[_Cue]
    costs: Sequence[_Cue]
    known: list[tuple[list[_Cue], Sequence[TotalStatement]]] = field(default_factory=list)
    by_families: dict[frozenset[CueFamily], Sequence[TotalStatement]] = field(default_factory=dict)

    def chosen(self, text: str, families: frozenset[CueFamily]) -> list[_Cue]:
        """Return the cues of some families; where there are none, the `=` before a sum is one."""
        found: list[_Cue] = []
        taken: set[int] = set()
        for cue in self.cues:
            if cue.family in families and cue.start not in taken:
                found.append(cue)
                if len(self.cues) > 1:
                    taken.update(range(cue.start, cue.end))
        found.sort(key=_START)
        return [*(found or _sum_cues(text, self.clause, self.stated)), *self.costs]


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
        self._spoken = _Spoken(
            utterance,
            InOrder(references),
            cache(lambda span: _scope_of(references_within(references, *span), vocabulary)),
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
        if len(stated) > 1 or not _names_nothing(self._spoken.references, clause):
            return None
        (amount,), utterance = stated, self._spoken.utterance
        before = utterance.text[max(0, clause.start - _LOOKS_BACK) : amount.start]
        after = utterance.text[amount.end : clause.end]
        return before, amount.start - clause.start, after, utterance.lines[clause.line].parent

    def _cues_in(self, clause: Clause, stated: Sequence[Amount]) -> "_CuedClause | None":
        """Return a clause with its cues; nothing where it holds no word of any."""
        words = _cue_words(self._vocabulary.priced_words)
        if words.search(self._text, clause.start, clause.end) is None:
            return None
        costs = list(_cost_cues(self._text, clause, stated, self._vocabulary))
        return _CuedClause(clause, stated, _find_cues(self._text, clause), costs)

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
    spoken: _Spoken,
    clause: Clause,
    stated: Sequence[Amount],
    cues: Sequence[_Cue],
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
        scope, scoped, is_loose = _scope(spoken, own, cue, amount, stated)
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
    spoken: _Spoken, clause: Clause, entries: Sequence[Amount], cues: Sequence[_Cue]
) -> dict[Amount, _Cue]:
    """Return the amounts that cues are bound to, each with the cue that makes it a total."""
    bound: dict[Amount, _Cue] = {}
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
        if len(run) == _FEWEST_PARTS - 1 and text[run[0].end : run[1].start].strip() == ",":
            before = bisect_left(references, run[0].start, key=lambda one: one.start) - 1
            if before >= 0 and _BESIDE.fullmatch(text, references[before].end, run[0].start):
                yield from run
                continue
        if len(run) >= _FEWEST_PARTS and run[-1].cents == sum(one.cents for one in run[:-1]):
            yield summed(run[:-1])
            yield run[-1]
        else:
            yield summed(run) if len(run) > 1 else run[0]


def _with_parts(
    spoken: _Spoken,
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


def _find_cues(text: str, clause: Clause) -> list[_Cue]:
    """Return the cues of each family, one after the other; those of two may share words."""
    return [
        _Cue(family, *match.span())
        for family, form in _CUES
        for match in form.finditer(text, clause.start, clause.end)
    ]


def _cost_cues(
    text: str, clause: Clause, stated: Sequence[Amount], vocabulary: TextVocabulary
) -> Iterable[_Cue]:
    """Yield `costs` and the like between a word for the whole and an amount."""
    for match in _cost_pattern(vocabulary.priced_words).finditer(text, clause.start, clause.end):
        after = bisect_left(stated, match.end(), key=lambda amount: amount.start)
        for amount in stated[after : after + 1]:
            if _UP_TO_TWO_WORDS.fullmatch(text, match.end(), amount.start):
                yield _Cue(CueFamily.TOTAL, *match.span(str(match.lastgroup)))
    for amount in stated:
        before = max(clause.start, amount.start - _DETERMINER)
        if _for_pattern(vocabulary.priced_words).match(
            text, amount.end, clause.end
        ) and _THAT_IS.search(text, before, amount.start):
            yield _Cue(CueFamily.TOTAL, amount.end, amount.end)


def _sum_cues(text: str, clause: Clause, stated: Sequence[Amount]) -> Iterable[_Cue]:
    """Yield the `=` before an amount that begins a clause, or follows others with `+` between."""
    if _BEGINS_WITH_SUM.match(text, clause.start, stated[0].start + 1):
        yield _Cue(CueFamily.TOTAL, clause.start, clause.start + 1)
        return
    if not text.endswith(("=", "= "), 0, stated[-1].start):
        return
    place = text.rindex("=", 0, stated[-1].start)
    if len(stated) >= _FEWEST_PARTS:
        is_of_parts = "+" in text[stated[0].end : stated[1].start]
    else:
        # What each card was charged is no amount of these, but is added up like any.
        last = text.rfind("$", clause.start, place)
        first = text.rfind("$", clause.start, max(last, clause.start))
        is_of_parts = first >= 0 and "+" in text[first:last]
    if is_of_parts:
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
    whole = alternatives(map(re.escape, words))
    return re.compile(
        rf"{whole}(?: (?P<costs>{fragment('totals', 'costs')})"
        r"|(?P<is>['\u2019]s)(?= (?:now|then|just|only) \$))"
        rf"|{fragment('totals', 'makes')} (?:the |your )(?:whole |entire |full )?{whole}"
        r"(?P<made>(?: at)?)(?= (?:now |then )?\$)"
    )


def _bind(spoken: _Spoken, clause: Clause, stated: Sequence[Amount], cue: _Cue) -> Amount | None:
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


def _scope(
    spoken: _Spoken, clause: Clause, cue: _Cue, amount: Amount, stated: Sequence[Amount]
) -> tuple[Scope, tuple[Reference, ...], bool]:
    """Read the scope where it stands nearest to the cue first, and tell whether it is loose."""
    if _names_nothing(spoken.references, clause) and spoken.utterance.parent(clause) is None:
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


def _last_two(spoken: _Spoken, place: int) -> tuple[Reference, ...]:
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


def _is_of_payer(text: str, scoped: Sequence[Reference], cue: _Cue) -> bool:
    """Tell whether who pays stands between what scopes a total and its cue: `X is booked, and you`.

    Then it may as well be what that one pays in all.
    """
    end = max((one.end for one in scoped), default=cue.start)
    return pattern("totals", "payers").search(text, end, max(end, cue.start)) is not None


def _names_nothing(references: InOrder[Reference], clause: Clause) -> bool:
    """Tell whether no reference stands in a clause, or touches it from before."""
    last = bisect_left(references.starts, clause.end) - 1
    return last < 0 or references[last].end < clause.start - 1


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
    spoken: _Spoken, clause: Clause, cue: _Cue, amount: Amount
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
    if _DETERMINED.search(text, max(clause.start, cue.start - _DETERMINER), cue.end):
        return
    yield clause.start, cue.start, False
    if cue.family is not CueFamily.TOTAL:
        yield clause.start, clause.end, True
    parent = spoken.utterance.parent(clause)
    if parent is not None:
        yield parent.start, parent.end, False
