"""The words of a clause as a model reads them that knows no domain: names, values, ids as kinds."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from crab_graph.personas.spoken_dates import MONTHS, NUMBERS
from crab_graph.personas.wordbook import DomainLexicon

_TOKEN = re.compile(
    r"[$€£] ?\d[\d.,]*k?|\d{1,2}:\d\d|(?<!\w)[a-z]{2,4}-(?=[a-z]{0,8}\d)[0-9a-z]{2,12}"
    r"|\d+(?:[.,/]\d+)*(?:st|nd|rd|th)?|[^\W\d_]+(?:'[^\W\d_]+)?|[^\w\s]"
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_DATES = {name.casefold() for name in MONTHS if name != "May"} | {*_DAYS}
_DATES |= {name[:3] for name in _DATES}
_PLATFORM = {"bk": "<booking>", "pm": "<method>", "tx": "<charge>"}
_MONEY = frozenset("€ $ £ eur euro euros usd dollar dollars bucks pounds quid gbp".split())
_TICKS = {
    **dict.fromkeys("✓✔✅☑🟩🟢", "<settled>"),
    **dict.fromkeys("☐⬜◻◽□▢🔲❓❔🟨🟡", "<open>"),
}
_LONG, _STEM, _PIECE = 6, 5, 4

MOST_WORDS = 80
"""Words of a clause that are looked at."""


class ClauseWords:
    """Reads clauses of one domain; what a word is, is kept."""

    def __init__(self, lexicon: DomainLexicon, prefixes: Iterable[str]) -> None:
        self._lexicon = lexicon
        self._prefixes = frozenset(prefixes)
        self.kind_of = lru_cache(maxsize=20_000)(self._kind)

    def tokens(self, text: str) -> list[tuple[int, int, str]]:
        """Return start, end and raw word of each token of a casefolded clause."""
        found = [(one.start(), one.end(), one[0]) for one in _TOKEN.finditer(text)]
        return found[:MOST_WORDS]

    def _kind(self, word: str) -> str:
        """Return the kind of a word, such as `<n>`, or the word itself."""
        plain = numeral(word)
        if plain != word:
            return plain
        if "-" in word and len(word) > 1:
            start = word.partition("-")[0]
            if start in self._prefixes:
                return "<item>"
            return "<part>" if start in self._lexicon.parts else _PLATFORM.get(start, "<id>")
        if word in _DATES:
            return "<date>"
        if word in NUMBERS and word != "one":
            return "<n>"
        if word in _MONEY:
            return "<currency>"
        return self._name(word) or ("<sign>" if len(word) == 1 and not word.isascii() else word)

    def _name(self, word: str) -> str:
        """Return the kind of a word of the domain; empty of another."""
        lexicon = self._lexicon
        if lexicon.job.fullmatch(word) or lexicon.whole.fullmatch(word):
            return "<job>"
        cues = (cue for words in lexicon.facts.values() for cue in words.cues.values())
        if any(cue.fullmatch(word) for cue in cues):
            return "<value>"
        slots = (*lexicon.slots.values(), *(group.words for group in lexicon.groups))
        if any(cue.fullmatch(word) for cue in slots):
            return "<slot>"
        if lexicon.people.fullmatch(word):
            return "<people>"
        return "<extra>" if lexicon.extras.fullmatch(word) else ""


def numeral(word: str) -> str:
    """Return the kind of an amount, a clock time, a number or a tick; another word as it is."""
    if word[0] in "$€£" and len(word) > 1:
        return "<money>"
    if word[0].isdigit():
        return "<time>" if ":" in word else "<n>"
    return _TICKS.get(word, word)


def grams(words: Sequence[str], longest: int, mark: str = "") -> set[str]:
    """Return all runs of up to `longest` words, the ends of the clause among them."""
    padded = ["^", *words, "$"]
    found = {mark + word for word in words}
    for size in range(2, longest + 1):
        found.update(
            mark + " ".join(padded[at : at + size]) for at in range(len(padded) - size + 1)
        )
    return found


def stems(words: Iterable[str], mark: str) -> set[str]:
    """Return the beginnings of long words, which those of one family share."""
    return {mark + word[:_STEM] for word in words if len(word) >= _LONG and word.isalpha()}


def pieces(words: Iterable[str], mark: str) -> set[str]:
    """Return all runs of four letters, which words that are alike share, as misspelled ones do."""
    edged = [f"^{word}$" for word in set(words) if word.isalpha()]
    return {
        mark + word[at : at + _PIECE]
        for word in edged
        for at in range(max(1, len(word) - _PIECE + 1))
    }
