"""Whether an amount is the price of one unit or of a whole item (§2.10)."""

import re
from functools import cache

from crab_graph.text.amounts import Amount
from crab_graph.text.clauses import Clause
from crab_graph.text.lexicon import alternatives, fragment
from crab_graph.text.vocabulary import TextVocabulary

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
