"""What a user wants of a job, read from what the user said, by the words of its domain.

Wishes stand under the keys of facts: a window as first and last day, other dates in ISO form, money
in cents, names and birth dates as tuples. `None` is never among them.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from crab_graph.agents.reference.phrasings import SENTENCE
from crab_graph.agents.reference.spoken_wishes import SpokenSentence
from crab_graph.agents.reference.wish_vocabulary import Wishes, WishVocabulary, wish_cues
from crab_graph.domain.declaration import Declaration
from crab_graph.personas.wordbook import DomainLexicon

_KEPT = 2000
"""Texts of which a reader remembers what they say."""


def says_no_more(texts: Sequence[str]) -> bool:
    """Tell whether the user said that there is nothing else to know."""
    return any(re.search(wish_cues()["no_more"], text.casefold()) for text in texts)


class Understood(NamedTuple):
    """What somebody wants who said something, and the keys of what was said with doubt so far."""

    wishes: Wishes
    doubted: frozenset[str]

    def then(self, later: "Understood") -> "Understood":
        """Return what is known when something is said after it, which replaces what it says."""
        sure = later.wishes.keys() - later.doubted
        return Understood(self.wishes | later.wishes, (self.doubted - sure) | later.doubted)


_NOTHING = Understood({}, frozenset())


class WishReader:
    """Reads what users of one domain say."""

    def __init__(
        self, lexicon: DomainLexicon, declaration: Declaration, whole: Collection[str] = ()
    ) -> None:
        """Compile the words of a domain; those that mean the whole job are no values."""
        self.words = WishVocabulary(lexicon, declaration, whole)
        self._instead = {rule.name: rule.instead for rule in declaration.joint_rules}
        self._read: dict[tuple[str, str], Understood] = {}

    def understand(self, texts: Sequence[str], today: str) -> Understood:
        """Read all that a user has said; later statements replace earlier ones.

        A joint wish stands for those whose place it takes, which its words may seem to tell.
        """
        known = _NOTHING
        for text in texts:
            known = known.then(self._read_text(text, today))
        gone = {key for name in self._instead.keys() & known.wishes for key in self._instead[name]}
        wishes = {key: wish for key, wish in known.wishes.items() if key not in gone}
        return Understood(wishes, known.doubted - gone)

    def read(self, texts: Sequence[str], today: str) -> Wishes:
        """Return what a user wants who said all this."""
        return self.understand(texts, today).wishes

    def count_fruitless(self, texts: Sequence[str], today: str) -> int:
        """Return after how many of the last turns nothing new was known."""
        known, fruitless = _NOTHING, 0
        for text in texts:
            merged = known.then(self._read_text(text, today))
            fruitless = fruitless + 1 if merged == known else 0
            known = merged
        return fruitless

    def _read_text(self, text: str, today: str) -> Understood:
        known = self._read.get((text, today))
        if known is None:
            known = _NOTHING
            for sentence in SENTENCE.split(text.replace("’", "'")):
                if re.search(wish_cues()["free"], sentence.casefold()):
                    continue
                statement = SpokenSentence(self.words, sentence, today)
                known = known.then(Understood(statement.read(), statement.doubted()))
            if len(self._read) >= _KEPT:
                self._read.clear()
            self._read[text, today] = known
        return known
