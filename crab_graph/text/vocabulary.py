"""The domain's words as the text layer needs them, and the entities a text can name."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import NamedTuple

from crab_graph.schema import digest
from crab_graph.text.utterance import name_form, normalise


class HumanWords(NamedTuple):
    """What means a human agent in a domain, beside the shared words; regular expressions.

    `others` are words that share their look with the shared ones and mean none, such as
    `specialists?` where a consultation is booked with one.
    """

    more: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def read(self, text: str) -> str:
        """Return a casefolded text in which human agents, and nobody else, read `human`."""
        for words, said in ((self.others, "party"), (self.more, "human")):
            if words:
                text = _whole_words(words).sub(said, text)
        return text


@cache
def _whole_words(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b")


_SHARED_ALONE = HumanWords()


@dataclass(frozen=True, slots=True, eq=False)
class TextVocabulary:
    """A domain's closed word lists; each domain has one, so identity serves as equality.

    Attributes:
        prefixes: Id prefix of each kind of entity that can be booked, such as `{"doctor": "DR"}`.
        slots: The kind of each slot, in the domain's order.
        group_words: Words that mean several slots.
        bare_words: Words that mean a kind, without saying which of its slots.
        item_words: The bare words that mean the item itself where one slot of the kind is booked.
        unit_phrases: Phrases after an amount that make it the price of one unit.
        whole_words: Words that mean everything together.
        priced_words: The whole words of which `is` and `costs` say a price.
        person_phrases: Phrases after an amount that make it the share of one person.
        counted_words: Words after `for N` that make an amount the price of a whole item.
        summary_words: Words that announce a closing summary once something was charged.
        side_words: Words that mean a slot beside the price of one side of a group, and only there.
        human: What means a human agent.
    """

    prefixes: Mapping[str, str]
    named_kinds: frozenset[str]
    booking_prefix: str
    slots: Mapping[str, str]
    slot_words: Mapping[str, tuple[str, ...]]
    group_words: Mapping[str, tuple[str, ...]]
    bare_words: Mapping[str, tuple[str, ...]]
    item_words: frozenset[str]
    whole_words: tuple[str, ...]
    priced_words: tuple[str, ...]
    unit_phrases: tuple[str, ...]
    person_phrases: tuple[str, ...]
    counted_words: tuple[str, ...]
    summary_words: tuple[str, ...] = ()
    side_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    human: HumanWords = _SHARED_ALONE

    @property
    def sha256(self) -> str:
        """Hash of all words, stamped on verdicts."""
        words = ((one.name, getattr(self, one.name)) for one in fields(self))
        listed = {name: sorted(own) if isinstance(own, frozenset) else own for name, own in words}
        return digest(listed)


NAME_WORD = re.compile(r"[^\W_]+")


class NamedEntity(NamedTuple):
    """An entity whose name a text may mention."""

    kind: str
    entity_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What can be mentioned in one task: the domain's words, the names, and the slot an id fits.

    Names are in the form they are compared in, longest first, by their first word.
    """

    vocabulary: TextVocabulary
    names: Mapping[str, tuple[NamedEntity, ...]]
    slot_of: Callable[[str], str | None]


def build_catalogue(
    vocabulary: TextVocabulary,
    entities: Iterable[NamedEntity],
    slot_of: Callable[[str], str | None],
) -> Catalogue:
    """Return the catalogue of one task's entities."""
    by_first_word: dict[str, list[NamedEntity]] = {}
    for entity in entities:
        form = name_form(normalise(entity.name))
        first_word = NAME_WORD.search(form)
        if first_word is not None:
            by_first_word.setdefault(first_word[0], []).append(entity._replace(name=form))
    names = {
        word: tuple(sorted(group, key=lambda entity: (-len(entity.name), entity)))
        for word, group in by_first_word.items()
    }
    return Catalogue(vocabulary, names, slot_of)
