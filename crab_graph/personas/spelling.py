"""Slips of the keyboard in what an agent wrote: the word that was meant, where only one is near.

The words come with the weights of the reader (`reader_model`): those of the labelled messages that
it was learned from. One edit is mended (a letter left out, put in, two exchanged, or the key beside
hit: optimal string alignment), but for the last letter, in which the forms of a word differ.
Reading stays linear: a word is compared with words of its first letter and length.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby

from crab_graph.personas.reader_model import spelled_words

_WORD = re.compile(r"(?<![\w'’@./-])[a-z]{4,20}(?![\w'’@/-])")
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BELOW = dict(zip(_KEYS, (*_KEYS[1:], ""), strict=True))
_NEARBY = {
    frozenset((key, near))
    for row, below in _BELOW.items()
    for at, key in enumerate(row)
    for near in (*row[at + 1 : at + 2], *below[max(at - 1, 0) : at + 1])
}
"""Keys that stand beside each other."""
_VARIANTS = frozenset({"er", "re"})
"""Ends of words that are spelled either way, as `center` and `centre`."""
_LONG = 6
"""Letters of the longer of two words from which on they are taken for one."""
_USUAL = 5
"""Times a word is met from which on another may be meant by a slip for it."""


class Speller:
    """Knows words and mends those that are next to one of the usual ones."""

    def __init__(self, words: Iterable[str], usual: Iterable[str]) -> None:
        def place(word: str) -> tuple[str, int]:
            return word[0], len(word)

        self._known = frozenset(words)
        self._usual = {
            at: tuple(found) for at, found in groupby(sorted(usual, key=place), key=place)
        }
        self._meant = lru_cache(maxsize=20_000)(self._meant_by)

    def mended(self, text: str) -> str:
        """Return a text with its slips mended; capitals are names, and stay as they are."""
        return _WORD.sub(lambda found: self._meant(found[0]), text)

    def _meant_by(self, word: str) -> str:
        if word in self._known:
            return word
        near = [other for other in self._candidates(word) if is_slip(word, other)]
        return near[0] if len(near) == 1 else word

    def _candidates(self, word: str) -> Iterator[str]:
        for size in range(len(word) - 1, len(word) + 2):
            if max(size, len(word)) >= _LONG:
                yield from self._usual.get((word[0], size), ())


def is_slip(word: str, other: str) -> bool:
    """Tell whether one word may be a slip for another: one edit, no ending, a key nearby."""
    short, long = sorted((word, other), key=len)
    pairs = enumerate(zip(short, long, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), len(short))
    if at == len(short) or (at == len(short) - 1 and len(short) == len(long)):
        return False
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    if short[at + 1 :] == long[at + 1 :]:
        return frozenset((short[at], long[at])) in _NEARBY
    if short[at:] in _VARIANTS and long[at:] in _VARIANTS:
        return False
    return short[at + 2 :] == long[at + 2 :] and short[at : at + 2] == long[at + 1 : at - 1 : -1]


def words_of(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the words that texts hold, and the usual ones of them, in order.

    A word met once that is next to a usual one may be a slip itself, and is not known.
    """
    met = Counter(word for text in texts for word in set(_WORD.findall(text)))
    usual = sorted(word for word, times in met.items() if times >= _USUAL)
    speller = Speller(usual, usual)
    known = (word for word, times in met.items() if times > 1 or speller.mended(word) == word)
    return sorted(known), usual


@cache
def speller(learned: str = "") -> Speller:
    """Return the speller of what the reader was learned from, with a domain's own words.

    Raises:
        UsageError: there is no such file, or it holds no words; the message names it.
    """
    return Speller(*spelled_words(learned))
