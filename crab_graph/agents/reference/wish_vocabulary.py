"""The words by which the wishes of one domain are told, as patterns."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from crab_graph.agents.reference.phrasings import FactPhrasings, lead_words, phrasings_of
from crab_graph.domain.declaration import Declaration
from crab_graph.domain.fields import Choice, Several
from crab_graph.domain.request_types import fixed_values
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.wordbook import DomainLexicon, FactWords, ValueForm

Wishes = dict[str, Any]

PERSONAL = CUSTOMER, EMAIL, METHOD, CARD = "customer_id", "email", "payment_method", "card_last4"
"""What every domain's users tell of themselves; the card by its last digits."""

_OWN = (CUSTOMER, EMAIL, CARD_FACT)


@cache
def wish_cues() -> Mapping[str, str]:
    """Return how values of what every domain has are told, as regular expressions."""
    text = files("crab_graph.agents.reference").joinpath("wishes.toml").read_text("utf-8")
    return tomllib.loads(text)


class WishVocabulary:
    """The words by which wishes of one domain are told, as patterns."""

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
        self.joint = {key: one for key, one in self.facts.items() if one.words.is_joint}
        self.phrasings = phrasings_of(lexicon, self.facts)
        self.leads = {key: lead_words(lexicon, key) for key in self.facts}
        noun = "(?!)" if self.people is None else rf"{re.escape(self.people.noun)}s?"
        self.cues = {
            name: re.compile(cue.replace("{people}", noun)) for name, cue in wish_cues().items()
        }

    def of_form(self, *forms: ValueForm) -> Iterator[tuple[str, FactPhrasings]]:
        """Yield the facts whose values are written in some forms, by key; joint wishes apart."""
        plain = ((key, one) for key, one in self.facts.items() if not one.words.is_joint)
        return ((key, one) for key, one in plain if one.words.form in forms)


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
