"""Amounts of money in a message, which of them state a price, and of how much (§2.7, §2.10)."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from crab_graph.text.lexicon import alternatives, fragment, lexicon
from crab_graph.text.utterance import Clause, Utterance
from crab_graph.text.vocabulary import TextVocabulary

_NUMBER = (
    r"(?P<{name}>\d{{1,3}}(?:,\d{{3}}){{1,4}}(?:\.\d{{1,2}})?|\d{{1,15}}(?:\.\d{{1,2}})?)"
    r"(?!\d|[.,]\d|[km]\b)"
)
_AMOUNT = re.compile(
    rf"(?<![^\W_])(?:us\s?\$|\$|usd)\s?{_NUMBER.format(name='marked')}(?:\s?(?:usd|dollars)\b)?"
    rf"|(?<![\w$.,]){_NUMBER.format(name='plain')}\s?(?:usd|dollars)\b"
)
_WORDS = ("usd", "dollars", "us$", "us $")
_SIGNED = re.compile(rf"\$(?<![^\W_]\$)\s?{_NUMBER.format(name='marked')}")
"""What an amount is in a text without those words; the search for a sign is fast."""
_WORD = r"[^\W_]+(?:['-][^\W_]+)*"
_OPEN = r"[^\w$,:()\[\]{}–-]"
"""A character between two words that does not part them: no comma, colon, dash or bracket."""
_DASHED = re.compile(r"\s?[-–]\s?")
_BETWEEN = re.compile(r"(?<!\w)between\W*\Z")


class Amount(NamedTuple):
    """An amount of money.

    Attributes:
        cents: Its value.
        start: Where it starts in the utterance.
        end: Where it ends.
        is_inert: Whether it states no price: hedged, a difference, a range, denied, or a budget.
    """

    cents: int
    start: int
    end: int
    is_inert: bool


def find_amounts(utterance: Utterance) -> tuple[Amount, ...]:
    """Return the amounts of a message, in text order; a number without currency is none."""
    text = utterance.text
    if any(map(text.__contains__, _WORDS)):
        found = list(_AMOUNT.finditer(text))
    else:
        found = list(_SIGNED.finditer(text)) if "$" in text else []
    if not found:
        return ()
    first, last = utterance.clause_at(found[0].start()).start, found[-1].start()
    cues = [match.span() for match in _before().finditer(text, first, last)]
    amounts = [
        Amount(
            _cents(next(filter(None, match.groups()))),
            match.start(),
            match.end(),
            _is_inert(utterance, *match.span(), cues),
        )
        for match in found
    ]
    _mark_ranges(utterance, amounts)
    return tuple(amounts)


def stated_amounts(amounts: Sequence[Amount], clause: Clause) -> list[Amount]:
    """Return the amounts of a clause that state a price."""
    return [
        amount
        for amount in amounts
        if not amount.is_inert and clause.start <= amount.start < clause.end
    ]


def _cents(number: str) -> int:
    whole, _, fraction = number.replace(",", "").partition(".")
    return int(whole) * 100 + int(fraction.ljust(2, "0") or 0)


def _is_inert(utterance: Utterance, start: int, end: int, cues: Sequence[tuple[int, int]]) -> bool:
    text = utterance.text
    clause = utterance.clause_at(start)
    return (
        _is_inert_by_words_before(text, clause.start, start, cues)
        or _inert_after().match(text, end, clause.end) is not None
        or (start - 2 >= clause.start and text[start - 1] in "-–" and text[start - 2].isdecimal())
    )


def _is_inert_by_words_before(
    text: str, clause_start: int, start: int, cues: Sequence[tuple[int, int]]
) -> bool:
    if not any(first < start and last > clause_start for first, last in cues):
        return False
    return any(before.search(text, clause_start, start) for before in _inert_before())


def _mark_ranges(utterance: Utterance, amounts: list[Amount]) -> None:
    """Make both ends of every range inert."""
    text = utterance.text
    for index, (first, last) in enumerate(pairwise(amounts)):
        clause = utterance.clause_at(first.start)
        if last.start < clause.end and _is_range(text, clause.start, first, last):
            amounts[index] = first._replace(is_inert=True)
            amounts[index + 1] = last._replace(is_inert=True)


def _is_range(text: str, clause_start: int, first: Amount, last: Amount) -> bool:
    gap = text[first.end : last.start]
    if _DASHED.fullmatch(gap):
        # A long dash is folded to ` - ` as well, so only an ascending pair is a range.
        return first.cents < last.cents
    if gap == " and ":
        return _BETWEEN.search(text, clause_start, first.start) is not None
    return gap == " to "


@cache
def _before() -> re.Pattern[str]:
    """Any of the words that begin what makes an amount inert: few clauses hold one."""
    words = lexicon()["amounts"]
    keys = ("hedges", "directly_before", "negators", "attached", "budget_labels")
    return re.compile(alternatives(word for key in keys for word in words[key]))


@cache
def _inert_before() -> tuple[re.Pattern[str], ...]:
    attached = fragment("amounts", "attached")
    labels = "|".join(re.escape(label) for label in lexicon()["amounts"]["budget_labels"])
    return (
        re.compile(rf"{fragment('amounts', 'hedges')}(?:{_OPEN}+{_WORD})?{_OPEN}*\Z"),
        re.compile(rf"{fragment('amounts', 'directly_before')}{_OPEN}*\Z"),
        re.compile(rf"{fragment('amounts', 'negators')}(?:[^\w$]+{_WORD}){{0,2}}[^\w$]*\Z"),
        re.compile(rf"{attached}(?:{_OPEN}+{_WORD}){{0,2}}{_OPEN}*\Z"),
        re.compile(rf"(?<!\w)(?:{labels})\s*\Z"),
    )


@cache
def _inert_after() -> re.Pattern[str]:
    differences = fragment("amounts", "differences")
    after = "|".join(lexicon()["amounts"]["directly_after"])
    attached = rf"(?:{_OPEN}+{_WORD}){{0,2}}{_OPEN}+{fragment('amounts', 'attached')}"
    return re.compile(rf"[-–]\d|\s*(?:(?:{after})(?!\w)|{differences})|{attached}")


_WORD = r"[^\W_]+(?:['-][^\W_]+)*"
_ADJACENT_BEFORE = re.compile(r"(?:×|(?<![^\W\d_])x|\*)\s*\Z")
_ADJACENT_AFTER = re.compile(r"\s*(?:×|x(?!\w)|x(?=\d)|\*)")


def has_unit_mark(text: str, clause: Clause, amount: Amount, vocabulary: TextVocabulary) -> bool:
    """Return whether an amount is marked as the price of one unit."""
    # Words are parted by single spaces: a sign before the amount is one of two characters.
    before = max(clause.start, amount.start - 2)
    return (
        _ADJACENT_BEFORE.search(text, before, amount.start) is not None
        or _ADJACENT_AFTER.match(text, amount.end, clause.end) is not None
        or _unit_mark(vocabulary.unit_phrases).match(text, amount.end, clause.end) is not None
    )


def has_whole_mark(text: str, clause: Clause, amount: Amount, vocabulary: TextVocabulary) -> bool:
    """Return whether an amount is marked as the price of a whole item by what follows it."""
    return _whole_mark(vocabulary.counted_words).match(text, amount.end, clause.end) is not None


@cache
def _unit_mark(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = f"{fragment('marks', 'unit')}|{'|'.join(phrases)}"
    return re.compile(rf"(?:[^\w$]*{_WORD})?[^\w$]*?(?:{words})(?!\w)")


@cache
def _whole_mark(counted: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        r"\s+(?:(?:in )?total )?for (?:the |all |your )?"
        rf"{fragment('marks', 'numbers')} (?:{_WORD} )?{alternatives(counted)}"
    )
