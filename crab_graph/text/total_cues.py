"""Words that make an amount a total, such as `total`, and where they stand (§2.8)."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from crab_graph.text.amounts import Amount
from crab_graph.text.lexicon import alternatives, fragment, lexicon
from crab_graph.text.utterance import Clause
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

DETERMINED = re.compile(
    rf"{fragment('totals', 'determiners')} "
    rf"(?:{'|'.join(fragment('totals', family) for family in CueFamily)})\Z"
    r"|(?<!\w)(?:grand total|overall \w+)\Z"
)
"""A cue that `the`, `your` or the like determines, or that says itself that it is the whole."""
DETERMINER = max(map(len, lexicon()["totals"]["determiners"])) + 1

_UP_TO_TWO_WORDS = re.compile(r":?(?: [a-z']+){0,2} ")
_THAT_IS = re.compile(r"(?:(?<!\w)(?:that's|that is|it's|so|makes)|[:=])\s*\Z")

FEWEST_PARTS = 3

_BEGINS_WITH_SUM = re.compile(r"= ?\$")


class TotalCue(NamedTuple):
    """A cue and where it stands; the sign before a sum is one of no words."""

    family: CueFamily
    start: int
    end: int


def find_cues(text: str, clause: Clause) -> list[TotalCue]:
    """Return the cues of each family, one after the other; those of two may share words."""
    return [
        TotalCue(family, *match.span())
        for family, form in _CUES
        for match in form.finditer(text, clause.start, clause.end)
    ]


def cost_cues(
    text: str, clause: Clause, stated: Sequence[Amount], vocabulary: TextVocabulary
) -> Iterable[TotalCue]:
    """Yield `costs` and the like between a word for the whole and an amount."""
    for match in _cost_pattern(vocabulary.priced_words).finditer(text, clause.start, clause.end):
        after = bisect_left(stated, match.end(), key=lambda amount: amount.start)
        for amount in stated[after : after + 1]:
            if _UP_TO_TWO_WORDS.fullmatch(text, match.end(), amount.start):
                yield TotalCue(CueFamily.TOTAL, *match.span(str(match.lastgroup)))
    for amount in stated:
        before = max(clause.start, amount.start - DETERMINER)
        if _for_pattern(vocabulary.priced_words).match(
            text, amount.end, clause.end
        ) and _THAT_IS.search(text, before, amount.start):
            yield TotalCue(CueFamily.TOTAL, amount.end, amount.end)


def sum_cues(text: str, clause: Clause, stated: Sequence[Amount]) -> Iterable[TotalCue]:
    """Yield the `=` before an amount that begins a clause, or follows others with `+` between."""
    if _BEGINS_WITH_SUM.match(text, clause.start, stated[0].start + 1):
        yield TotalCue(CueFamily.TOTAL, clause.start, clause.start + 1)
        return
    if not text.endswith(("=", "= "), 0, stated[-1].start):
        return
    place = text.rindex("=", 0, stated[-1].start)
    if len(stated) >= FEWEST_PARTS:
        is_of_parts = "+" in text[stated[0].end : stated[1].start]
    else:
        # What each card was charged is no amount of these, but is added up like any.
        last = text.rfind("$", clause.start, place)
        first = text.rfind("$", clause.start, max(last, clause.start))
        is_of_parts = first >= 0 and "+" in text[first:last]
    if is_of_parts:
        yield TotalCue(CueFamily.TOTAL, place, place + 1)


@cache
def cue_words(priced: tuple[str, ...]) -> re.Pattern[str]:
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
