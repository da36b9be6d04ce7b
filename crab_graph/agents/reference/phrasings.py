"""The statements of a lexicon as patterns, by which an agent finds values in what a user says.

A template such as `The doctor should speak {value}.` becomes an expression whose groups take what
the fact can be: one of its words, a count with its unit, dates, names, money. Dates are read before
and stand as tokens in the text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from crab_graph.personas.spoken_dates import MONTHS, NUMBERS, find_dates
from crab_graph.personas.wordbook import DomainLexicon, FactWords, ValueForm
from crab_graph.personas.wording import as_one_person

SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
DATE = "⟦{}⟧"
NUMBER = rf"(?:\d+|{'|'.join(NUMBERS)})"
_ONE = r"(?:1|one|a single)"
_PERSON = (
    r"[A-ZÀ-Þ][\w'’-]*"
    r"(?: (?:de|la|da|van|von|der|den|bin|al|[A-ZÀ-Þ][\w'’.-]*))* [A-ZÀ-Þ][\w'’-]*"
)
NAME = re.compile(_PERSON)
_SUM = r"\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?"
AMOUNT = rf"(?:\$|\busd )\s?(?:{_SUM})|\b(?:{_SUM}) ?(?:usd|dollars)\b"
_DATE = r"⟦\d+⟧"
_LIST = r"(?:,? and |, ?| ?& ?)"
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_ANY_TEXT = r"\S.*?"
_ARTICLES = frozenset({"a", "an"})
"""Before a value the one that it takes, whichever a template has."""

_MIDDLES = {"early": 5, "mid": 15, "late": 25}
_THIRD = re.compile(rf"\b({'|'.join(_MIDDLES)})[- ]({'|'.join(MONTHS)})\b(?! \d)", re.IGNORECASE)

_FORMS = {
    ValueForm.DATE: rf"(?:(?:on|in|between|from) )?{_DATE}(?: (?:and|to|until|or|-|–) {_DATE})?",
    ValueForm.DATES: rf"{_DATE}(?:{_LIST}{_DATE})*",
    ValueForm.NAMES: rf"(?-i:{_PERSON}(?:{_LIST}{_PERSON})*)",
    ValueForm.MONEY: AMOUNT,
}


class Dated(NamedTuple):
    """A sentence with tokens in the place of its dates, which stand in `dates` by their number.

    The `vague` ones stand for a part of a month, by a day in it.
    """

    text: str
    dates: tuple[tuple[str, ...], ...]
    vague: frozenset[int] = frozenset()

    @classmethod
    def of(cls, sentence: str, today: str) -> "Dated":
        """Read a sentence; several dates that share a month are one token."""
        spans: dict[tuple[int, int], list[str]] = {}
        for start, end, iso in find_dates(sentence, today):
            spans.setdefault((start, end), []).append(iso)
        thirds = {span: [iso] for span, iso in _thirds(sentence, today)}
        spans = dict(sorted({**thirds, **spans}.items()))
        text, last = "", 0
        for number, (start, end) in enumerate(spans):
            text += sentence[last:start] + DATE.format(number)
            last = end
        vague = frozenset(number for number, span in enumerate(spans) if span in thirds)
        return cls(text + sentence[last:], tuple(map(tuple, spans.values())), vague)

    def is_vague(self, span: tuple[int, int]) -> bool:
        """Tell whether a part of the text has a date that stands for a part of a month."""
        tokens = re.findall(r"⟦(\d+)⟧", self.text[slice(*span)])
        return any(int(one) in self.vague for one in tokens)

    def dates_in(self, words: str) -> tuple[str, ...]:
        """Return the dates of the tokens in a part of the text."""
        return tuple(
            chain.from_iterable(self.dates[int(one)] for one in re.findall(r"⟦(\d+)⟧", words))
        )


def _thirds(sentence: str, today: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield where parts of months are named, as in `mid April`, each with a day in it."""
    for match in _THIRD.finditer(sentence):
        day = _MIDDLES[match[1].casefold()]
        for _, _, iso in find_dates(f"{day} {match[2]}", today):
            yield match.span(), iso


class SaidHere(NamedTuple):
    """What a phrasing found: the words that say each fact with their places in the sentence.

    The weight is how many letters of the phrasing are no values.
    """

    weight: int
    said: Mapping[str, tuple[int, int]]


class Phrasing(NamedTuple):
    """One wording as a pattern, whose groups say these facts in order; a flag's has none."""

    pattern: re.Pattern[str]
    keys: tuple[str, ...]
    weight: int

    def find(self, text: str) -> Iterator[SaidHere]:
        """Yield where a sentence says so."""
        for match in self.pattern.finditer(text):
            if match.lastindex is None:
                yield SaidHere(self.weight, {self.keys[0]: match.span()})
            else:
                spans = {key: match.span(place) for place, key in enumerate(self.keys, 1)}
                yield SaidHere(self.weight, spans)


@dataclass(frozen=True)
class FactPhrasings:
    """How the values of one fact look in text.

    Attributes:
        words: Its words.
        known: The values that it can have by casefolded words; empty where it can be anything.
    """

    words: FactWords
    known: Mapping[str, Any]

    @cached_property
    def cues(self) -> tuple[tuple[re.Pattern[str], Any], ...]:
        """Patterns over casefolded text that find a value, where values are words."""
        own = {name.casefold(): cue for name, cue in self.words.cues.items()}
        return tuple(
            (own.get(word) or re.compile(rf"(?<!\w){re.escape(word)}(?!\w)"), value)
            for word, value in ({name: self._value(name) for name in own} | {**self.known}).items()
            if not word.isdigit()
        )

    @cached_property
    def counted(self) -> re.Pattern[str] | None:
        """A pattern that finds a count by its unit; the number is its first group."""
        _, placed, unit = self.words.many.partition("{n}")
        if not placed or not unit.strip():
            return None
        many = re.escape(unit.strip())
        one = re.escape(self.words.one.partition(" ")[2]) or many
        return re.compile(rf"(?<!\w)({NUMBER})[- ](?:{many}|{one})(?!\w)", re.IGNORECASE)

    def group(self, *, is_bare: bool = False) -> str:
        """Return an expression for its value; bare, as the trade says it."""
        words = self.words
        if words.form is ValueForm.COUNT:
            if is_bare:
                return NUMBER
            many = re.escape(words.many).replace(re.escape("{n}"), NUMBER)
            one = re.sub(r"^1(?=\\? )", lambda _: _ONE, re.escape(words.one))
            return f"(?:{many}|{one})" if one else many
        if words.form in _FORMS:
            return _FORMS[words.form]
        options = sorted(self.options, key=len, reverse=True)
        return "|".join(map(re.escape, options)) or _ANY_TEXT

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """Each wording of a value, casefolded, with the value."""
        phrased = {
            phrase.casefold(): self._value(name) for name, phrase in self.words.choices.items()
        }
        coded = {code.casefold(): self._value(name) for name, code in self.words.codes.items()}
        return {**coded, **phrased, **self.known}

    def _value(self, name: str) -> Any:
        return self.known.get(name.casefold(), name)

    @property
    def is_open(self) -> bool:
        """Whether its value can be any text."""
        return self.words.form in (ValueForm.TEXT, ValueForm.CHOICE) and not self.options


def phrasings_of(lexicon: DomainLexicon, facts: Mapping[str, FactPhrasings]) -> list[Phrasing]:
    """Return the statements of some facts, and the parts of the opening lines, as patterns."""
    made: dict[str, Phrasing] = {}
    for key, fact in facts.items():
        for texts, is_bare in (
            ((*fact.words.full, *fact.words.short), False),
            (fact.words.trade, True),
        ):
            own = (key, fact.group(is_bare=is_bare))
            for text in () if fact.words.is_joint else texts:
                for said in (text, as_one_person(text)):
                    _add(made, said, dict.fromkeys(("value", "phrase", "code"), own), key)
    for texts, is_bare in (
        ((*lexicon.opening_full, *lexicon.opening_short), False),
        (lexicon.opening_trade, True),
    ):
        groups = {
            name: (key, fact.group(is_bare=is_bare))
            for key, fact in facts.items()
            if not fact.is_open
            for name in (key, f"{key}_code")
        }
        for part in chain.from_iterable(map(_parts, texts)):
            _add(made, part, groups)
    # A word that stands alone is no wording of one fact; it may be a value of several.
    return [one for one in made.values() if one.weight or not facts[one.keys[0]].options]


def lead_words(lexicon: DomainLexicon, key: str) -> frozenset[str]:
    """Return the words right before a fact's value in its statements and the opening lines."""
    words = lexicon.facts[key]
    own = [
        (text, r"\{(?:value|phrase|code)\}") for text in (*words.full, *words.short, *words.trade)
    ]
    openings = (*lexicon.opening_full, *lexicon.opening_short, *lexicon.opening_trade)
    own += [(text, rf"\{{{key}\}}") for text in openings]
    found = frozenset(
        match[1].casefold()
        for text, value in own
        for match in re.finditer(rf"(\w+)(?<!\bon)[^\w{{}}]+{value}", text)
    )
    return found if found.isdisjoint(_ARTICLES) else found | _ARTICLES


def _parts(opening: str) -> Iterator[str]:
    """Yield the parts of an opening line that hold values, and values with what joins them."""
    for part in re.split(r"[,:;.!?](?:\s|$)", opening):
        places = list(_PLACEHOLDER.finditer(part))
        if places:
            yield part
        if len(places) > 1:
            yield part[places[0].start() : places[-1].end()]


def _add(
    made: dict[str, Phrasing],
    template: str,
    groups: Mapping[str, tuple[str, str]],
    flag: str = "",
) -> None:
    """Add a template's pattern; one whose values cannot be told from other text is left out.

    `groups` have the fact that each placeholder says, and what it can be. A template without any
    says a flag.
    """
    text = template.strip(" .!")
    names = _PLACEHOLDER.findall(text)
    first, *others = _PLACEHOLDER.split(text)[::2]
    if not groups.keys() >= set(names):
        return
    pattern, keys = _literal(first), list[str]()
    for name, literal in zip(names, others, strict=True):
        key, group = groups[name]
        # A value may be said with its code, which is then the same again.
        pattern += (r"[\w ]+?" if key in keys else f"({group})") + _literal(literal)
        keys += [] if key in keys else [key]
    weight = len(text) - sum(len(name) + 2 for name in names)
    if any(groups[name][1] == _ANY_TEXT for name in names):
        whole = rf"^\W*{pattern}[.!]?$" if weight else ""
    else:
        whole = rf"(?<!\w)(?:{pattern})(?!\w)" if keys or flag else ""
    if whole:
        compiled = re.compile(whole, re.IGNORECASE)
        made.setdefault(whole, Phrasing(compiled, tuple(keys) or (flag,), weight))


def _literal(text: str) -> str:
    """Return an expression for what stands before a value, with either article, or behind one."""
    pattern = r"\s+".join(map(re.escape, re.split(r"\s+", text)))
    return re.sub(r"(?<!\w)an?(?=\\s\+\Z)", "an?", pattern, flags=re.IGNORECASE)
