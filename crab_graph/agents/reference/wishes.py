"""What a user wants of a job, read from what the user said, by the words of its domain.

Wishes stand under the keys of facts: a window as first and last day, other dates in ISO form, money
in cents, names and birth dates as tuples. `None` is never among them.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from crab_graph.agents.reference.phrasings import (
    SENTENCE,
    FactPhrasings,
    lead_words,
    phrasings_of,
)
from crab_graph.agents.reference.spoken_wishes import CUSTOMER, EMAIL, SpokenSentence, Wishes
from crab_graph.domain.declaration import Declaration
from crab_graph.domain.fields import Choice, Several
from crab_graph.domain.request_types import fixed_values
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.wordbook import DomainLexicon, FactWords, ValueForm

_KEPT = 2000
"""Texts of which a reader remembers what they say."""
_OWN = (CUSTOMER, EMAIL, CARD_FACT)


@cache
def _cues() -> Mapping[str, str]:
    text = files("crab_graph.agents.reference").joinpath("wishes.toml").read_text("utf-8")
    return tomllib.loads(text)


def says_no_more(texts: Sequence[str]) -> bool:
    """Tell whether the user said that there is nothing else to know."""
    return any(re.search(_cues()["no_more"], text.casefold()) for text in texts)


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
        self.whole = frozenset(whole)
        self.lexicon = lexicon
        self.people = declaration.people
        window = declaration.window
        self.window = None if window is None else window.key
        self.window_slot = None if window is None else window.on.partition(".")[0]
        self.facts = {
            key: FactPhrasings(words, _known(words, declaration))
            for key, words in lexicon.facts.items()
            if key not in _OWN
        }
        self.phrasings = phrasings_of(lexicon, self.facts)
        self.leads = {key: lead_words(lexicon, key) for key in self.facts}
        noun = "(?!)" if self.people is None else rf"{re.escape(self.people.noun)}s?"
        self.cues = {
            name: re.compile(cue.replace("{people}", noun)) for name, cue in _cues().items()
        }
        self._read: dict[tuple[str, str], Understood] = {}

    def understand(self, texts: Sequence[str], today: str) -> Understood:
        """Read all that a user has said; later statements replace earlier ones."""
        known = _NOTHING
        for text in texts:
            known = known.then(self._read_text(text, today))
        return known

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

    def of_form(self, *forms: ValueForm) -> Iterator[tuple[str, FactPhrasings]]:
        """Yield the facts whose values are written in some forms, by key."""
        return ((key, one) for key, one in self.facts.items() if one.words.form in forms)

    def _read_text(self, text: str, today: str) -> Understood:
        known = self._read.get((text, today))
        if known is None:
            known = _NOTHING
            for sentence in SENTENCE.split(text.replace("’", "'")):
                statement = SpokenSentence(self, sentence, today)
                known = known.then(Understood(statement.read(), statement.doubted()))
            if len(self._read) >= _KEPT:
                self._read.clear()
            self._read[text, today] = known
        return known


def _known(words: FactWords, declaration: Declaration) -> dict[str, Any]:
    """Return the values that a fact can have by casefolded words, as far as they are declared."""
    if words.form not in (ValueForm.TEXT, ValueForm.CHOICE):
        return {}
    want = next((one for one in declaration.wants if one.key == words.key), None)
    values: Sequence[Any] = () if want is None else fixed_values(want)
    for field in map(declaration.field_at, () if values or want is None else want.on):
        if isinstance(field, Choice | Several):
            values = field.values
    return {str(value).casefold(): value for value in values or (*words.choices, *words.codes)}
