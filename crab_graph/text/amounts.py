"""Amounts of money in a message, which of them state a price, and of how much (§2.7, §2.10)."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from crab_graph.money import parse_cents
from crab_graph.text.lexicon import WORD, alternatives, fragment, lexicon
from crab_graph.text.utterance import REACH, Clause, Utterance
from crab_graph.text.vocabulary import TextVocabulary

_NUMBER = (
    r"(?P<{name}>\d{{1,3}}(?:,\d{{3}}){{1,4}}(?:\.\d{{1,2}})?|\d{{1,15}}(?:\.\d{{1,2}})?"
    r"|(?:\d{{1,3}}(?:\.\d{{3}}){{1,4}}|\d{{1,15}}),\d\d(?=[^\d,.]|[,.]\D|[,.]?\Z))"
    r"(?!\d|[.,]\d|[km]\b)"
)
_AMOUNT = re.compile(
    rf"(?<![^\W_])(?:us\s?\$|\$|usd)\s?{_NUMBER.format(name='marked')}(?:\s?(?:usd|dollars)\b)?"
    rf"|(?<![\w$.,])(?<![a-z]-){_NUMBER.format(name='plain')}\s?(?:usd|dollars)\b"
)
_CONTINENTAL, _SWAPPED = re.compile(r",\d\d\Z"), str.maketrans(".,", ",.")
"""`1.010,00`: a comma before two digits alone is that of the cents."""
_LONGEST_GAP = len(" and ")
"""Characters between the two ends of a range."""
_LONGEST_LABEL = 20
_DASHED = re.compile(r"\s?[-–]\s?")
_BETWEEN = re.compile(r"(?<!\w)between\W*\Z")

_CUES_BEFORE = (
    *("hedges", "directly_before", "negators", "attached"),
    *("left_over", "superseded"),
)
_OPEN = r"[^\w$,:()\[\]{}–-]"
"""A character between two words that does not part them: no comma, colon, dash or bracket."""
_WITHIN = r"[^\w$,:()\[\]{}–.!?;-]"
"""The same, of one sentence: those of a clause in small letters are not parted."""
_LABELS = "|".join(re.escape(label) for label in lexicon()["amounts"]["budget_labels"])
# Where a cue begins that may make an amount inert, no place within a word, and how many of them
# can bear on one amount.
_INERT_CUE = re.compile(
    r"(?:(?<!\w)|(?=[^\w\s]))"
    rf"(?={'|'.join(fragment('amounts', key) for key in _CUES_BEFORE)}|(?<!\w)(?:{_LABELS}))"
)
_NEAREST = 4
_INERT_BEFORE = re.compile(
    rf"(?:{fragment('amounts', 'hedges')}(?:{_OPEN}+{WORD})?{_OPEN}*"
    rf"|{fragment('amounts', 'directly_before')}{_OPEN}*"
    rf"|{fragment('amounts', 'negators')}(?:[^\w$]+{WORD}){{0,2}}[^\w$]*"
    rf"|{fragment('amounts', 'attached')}(?:{_OPEN}+{WORD}){{0,2}}{_OPEN}*"
    rf"|{fragment('amounts', 'left_over')}(?: you| us)?(?: with)?{_OPEN}*"
    rf"|{fragment('amounts', 'superseded')}(?:{_OPEN}+{WORD}){{0,2}}{_OPEN}*"
    rf"|(?<!\w)(?:{_LABELS})\s*)\Z"
)
_INERT_AFTER = re.compile(
    rf"[-–]\d|\s*(?:(?:{'|'.join(lexicon()['amounts']['directly_after'])})(?!\w)"
    rf"|{fragment('amounts', 'differences')})"
    rf"|(?:{_WITHIN}+{WORD}){{0,2}}{_WITHIN}+{fragment('amounts', 'attached')}"
)

_SUM_AFTER = re.compile(
    rf"\s*(?:(?:was |were )?{fragment('totals', 'charged')} )?(?:in )?{fragment('totals', 'total')}"
)
_MOVE = re.compile(rf"{fragment('amounts', 'moves')}(?: down| up)? from\s*\Z")
_JOINT = re.compile(r"\s?(?:[,;+&/]|plus|and|[,;] ?and)\s?")
_PART_BEHIND = re.compile(rf"(?: \([^()$]{{0,40}}\))? {fragment('totals', 'part_behind')}")
_TIMES_BEFORE = re.compile(r"(?:×|(?<![^\W\d_])x|\*)\s*\Z")
_TIMES_AFTER = re.compile(r"\s*(?:×|x(?!\w)|x(?=\d)|\*)")


class Amount(NamedTuple):
    """An amount of money in cents, with its span in the utterance.

    It is inert where it states no price: hedged, a difference, a range, denied, or a budget.
    """

    cents: int
    start: int
    end: int
    is_inert: bool


def find_amounts(utterance: Utterance) -> tuple[Amount, ...]:
    """Return the amounts of a message, in text order; a number without currency is none."""
    amounts: list[Amount] = []
    text = utterance.text
    matches = list(_AMOUNT.finditer(text))
    clauses = list(utterance.clauses_at(match.start() for match in matches))
    cues = [
        match.start() for span in _before(matches) for match in _INERT_CUE.finditer(text, *span)
    ]
    for match, clause in zip(matches, clauses, strict=True):
        start, end = match.span()
        reach, nearest = max(clause.start, start - REACH), bisect_left(cues, start)
        is_inert = (
            (
                nearest > 0
                and cues[nearest - 1] >= reach
                and any(
                    cue >= reach and _INERT_BEFORE.match(text, cue, start)
                    for cue in cues[max(0, nearest - _NEAREST) : nearest]
                )
            )
            or _INERT_AFTER.match(text, end, min(clause.end, end + REACH)) is not None
            or (
                start - 2 >= clause.start
                and text[start - 1] in "-–"
                and text[start - 2].isdecimal()
            )
        )
        cents = _cents(match["marked"] or match["plain"])
        amounts.append(Amount(cents, start, end, is_inert))
    for index, (first, last) in enumerate(pairwise(amounts)):
        is_beside = last.start < min(clauses[index].end, first.end + _LONGEST_GAP + 1)
        if is_beside and _is_range(text, clauses[index].start, first, last):
            amounts[index] = first._replace(is_inert=True)
            amounts[index + 1] = last._replace(is_inert=True)
    return tuple(amounts)


def _before(matches: Iterable[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text that lie within reach before one of some matches, in order."""
    first = last = 0
    for match in matches:
        if match.start() - REACH > last:
            yield first, last
            first = match.start() - REACH
        last = match.start()
    yield first, last


@lru_cache(4096)  # one message tells the same few prices again and again
def _cents(written: str) -> int:
    is_continental = _CONTINENTAL.search(written) is not None
    return parse_cents(written.translate(_SWAPPED) if is_continental else written)


def stated_amounts(utterance: Utterance, amounts: Iterable[Amount]) -> dict[Clause, list[Amount]]:
    """Return the amounts that state a price by their clauses, both in text order."""
    stated: dict[Clause, list[Amount]] = {}
    active = [amount for amount in amounts if not amount.is_inert]
    clauses = utterance.clauses_at(amount.start for amount in active)
    for amount, clause in zip(active, clauses, strict=True):
        stated.setdefault(clause, []).append(amount)
    return stated


def has_unit_mark(text: str, clause: Clause, amount: Amount, vocabulary: TextVocabulary) -> bool:
    """Return whether an amount is marked as the price of one unit."""
    # Words are parted by single spaces: a sign before the amount is one of two characters.
    before = max(clause.start, amount.start - 2)
    return (
        _TIMES_BEFORE.search(text, before, amount.start) is not None
        or _TIMES_AFTER.match(text, amount.end, clause.end) is not None
        or _unit_mark(vocabulary.unit_phrases).match(text, amount.end, clause.end) is not None
    )


def has_person_mark(text: str, clause: Clause, amount: Amount, vocabulary: TextVocabulary) -> bool:
    """Return whether what follows an amount marks it as the share of one person."""
    return _person_mark(vocabulary.person_phrases).match(text, amount.end, clause.end) is not None


def says_person(text: str, start: int, end: int, vocabulary: TextVocabulary) -> bool:
    """Return whether a span holds the mark of one person's share."""
    return _person_words(vocabulary.person_phrases).search(text, start, end) is not None


def is_headed_personal(
    text: str, clause: Clause, amount: Amount, vocabulary: TextVocabulary
) -> bool:
    """Return whether what a clause begins with marks its amounts as one person's.

    That is `Per traveller` and whatever follows it, or a short label before a colon that says so.
    """
    if _person_lead(vocabulary.person_phrases).match(text, clause.start, amount.start):
        return True
    colon = text.find(":", clause.start, min(amount.start, clause.start + _LONGEST_LABEL))
    return colon >= 0 and says_person(text, clause.start, colon, vocabulary)


def says_part(text: str, start: int, end: int) -> bool:
    """Tell whether what begins at a place makes the amount before it a part of another."""
    return _PART_BEHIND.match(text, start, end) is not None


def amount_runs(text: str, stated: Sequence[Amount]) -> list[list[Amount]]:
    """Return amounts of one clause in runs: those that nothing parts but a comma, `and` or `+`."""
    runs: list[list[Amount]] = []
    for amount in stated:
        if runs and _JOINT.fullmatch(text[runs[-1][-1].end : amount.start]):
            runs[-1].append(amount)
        else:
            runs.append([amount])
    return runs


def summed(run: Sequence[Amount]) -> Amount:
    """Return what several amounts come to, standing where they stand."""
    return Amount(sum(one.cents for one in run), run[0].start, run[-1].end, is_inert=False)


def has_whole_mark(text: str, clause: Clause, amount: Amount, vocabulary: TextVocabulary) -> bool:
    """Return whether an amount is marked as the price of a whole item by what follows it."""
    return _whole_mark(vocabulary.counted_words).match(text, amount.end, clause.end) is not None


def _is_range(text: str, clause_start: int, first: Amount, last: Amount) -> bool:
    gap = text[first.end : last.start]
    if _DASHED.fullmatch(gap):
        # A long dash is folded to ` - ` as well, so only an ascending pair is a range, and none
        # whose end is said to be a sum.
        is_sum = _SUM_AFTER.match(text, last.end) is not None
        return first.cents < last.cents and not is_sum
    if gap == " and ":
        reach = max(clause_start, first.start - REACH)
        return _BETWEEN.search(text, reach, first.start) is not None
    reach = max(clause_start, first.start - REACH)
    return gap == " to " and _MOVE.search(text, reach, first.start) is None


@cache
def _unit_mark(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = f"{fragment('marks', 'unit')}|{'|'.join(phrases)}"
    return re.compile(rf"(?:[^\w$]*{WORD})?[^\w$]*?(?:{words})(?!\w)")


@cache
def _person_words(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = f"{fragment('marks', 'person')}|{'|'.join(phrases)}"
    return re.compile(rf"(?<![^\W_])(?:{words})(?!\w)|/ ?person(?!\w)")


@cache
def _person_lead(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(phrases)
    return re.compile(rf"[^\w$]*(?:(?:so|that's|that is|i\.e\.),? )?(?=per )(?:{words})(?!\w)")


@cache
def _person_mark(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = f"{fragment('marks', 'person')}|{'|'.join(phrases)}"
    return re.compile(rf"(?: {WORD})? ?(?:(?<!\w)(?:{words})|/ ?person)(?!\w)")


@cache
def _whole_mark(counted: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        r"\s+(?:(?:in )?total )?for (?:the |all |your )?"
        rf"{fragment('marks', 'numbers')} (?:{WORD} )?{alternatives(counted)}"
    )
