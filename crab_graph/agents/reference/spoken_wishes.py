"""What one sentence of a user says: values by the words of a domain, and which are in doubt."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from crab_graph.agents.reference.phrasings import AMOUNT, NAME, NUMBER, Dated
from crab_graph.agents.reference.wish_vocabulary import (
    CARD,
    CUSTOMER,
    EMAIL,
    METHOD,
    Wishes,
    WishVocabulary,
)
from crab_graph.money import parse_cents
from crab_graph.personas.spoken_dates import NUMBERS
from crab_graph.personas.wordbook import ValueForm

Span = tuple[int, int]

_COUNTED = {**NUMBERS, "just me": 1, "alone": 1}
_BEFORE_DATES = {"on", "between", "from", "the"}
_NO_NAMES = re.compile(r"⟦\d+⟧|\b(?:Born|Dates?|Birth|DOB)\b")
_BETWEEN_NAMES = re.compile(r",| and (?=[A-ZÀ-Þ])")
_OTHER_MEANING = re.compile(
    r"\b(?:date|time) $|\b(?:not|no|never|without|instead of|rather than|except) (?:\w+ ){0,2}$"
)
"""Words before a value that take it back, or make it no value."""
_NEAR = 20
"""Letters after `same` in which it is said what is to be so."""
_NOWHERE = 10_000
_BRACKET = re.compile(r"\s*\(([^()]*)\)")


class SpokenSentence:
    """One sentence, what was read in it, and where."""

    def __init__(self, words: WishVocabulary, sentence: str, today: str) -> None:
        self._reader = words
        self._today = today
        self._dated, self._doubts = _without_doubts(Dated.of(sentence, today), words.cues["doubt"])
        self._words = self._dated.text.casefold()
        self._found: Wishes = {}
        self._places: dict[str, Span] = {}
        self._taken: list[Span] = []

    def read(self) -> Wishes:
        """Return what the sentence says: as the lexicon words it first, then in other words."""
        text = self._dated.text
        found = [one for phrasing in self._reader.phrasings for one in phrasing.find(text)]
        for _, said in sorted(found, key=lambda one: -one.weight):
            values = {key: self._value(key, text[slice(*span)]) for key, span in said.items()}
            if None not in values.values() and self._found.keys().isdisjoint(values):
                self._take(values, said)
        self._read_identity()
        self._read_joints()
        self._read_words()
        self._read_dates()
        self._read_counts()
        self._read_flags()
        return self._found

    def doubted(self) -> frozenset[str]:
        """Return the keys of what it says with doubt: what stands before a mark, or all of it."""
        if self._reader.cues["doubt"].search(self._words):
            return frozenset(self._places)
        ends = {key: end for key, (_, end) in self._places.items()}
        places = [*self._doubts, *_starts(self._reader.cues["about"], self._words)]
        before = [[key for key in ends if ends[key] <= place] for place in places]
        doubted = {max(keys, key=ends.__getitem__) for keys in before if keys}
        vague = {key for key, span in self._places.items() if self._dated.is_vague(span)}
        return frozenset(doubted | vague)

    def _take(self, values: Wishes, places: Mapping[str, Span]) -> None:
        """Keep what stands where nothing else was read."""
        if all(self._is_free(span) for span in places.values()):
            self._found |= values
            self._places |= places
            self._taken += places.values()

    def _is_free(self, span: Span) -> bool:
        return not any(span[0] < end and start < span[1] for start, end in self._taken)

    def _value(self, key: str, said: str) -> Any:
        """Return the value that words say of a fact; `None` where they say none."""
        fact = self._reader.facts[key]
        match fact.words.form:
            case ValueForm.COUNT:
                return _number(said) or 1  # `a single night`
            case ValueForm.DATE:
                days = [day for day in self._dated.dates_in(said) if day >= self._today]
                if not days:
                    return None
                return (min(days), max(days)) if key == self._reader.window else days[0]
            case ValueForm.DATES:
                return self._dated.dates_in(said) or None
            case ValueForm.NAMES:
                return tuple(_names(said)) or None
            case ValueForm.MONEY:
                return parse_cents(re.sub(r"[^\d.,]", "", said))
            case ValueForm.FLAG:
                return True
            case _:
                text = re.sub(r"\s+", " ", said.casefold())
                return fact.options.get(text) if fact.options else said.strip(" .")

    def _read_identity(self) -> None:
        text, cues = self._dated.text, self._reader.cues
        for name in (CUSTOMER, METHOD, EMAIL, CARD):
            if match := cues[name].search(text):
                said = match[match.lastindex or 0]
                self._found[name] = said.upper() if name in (CUSTOMER, METHOD) else said
        people = self._reader.people
        cue = cues["names"].search(text)
        if people is None or people.names in self._found:
            return
        if cue and (names := tuple(_names(text[cue.end() :]))):
            self._found[people.names] = names

    def _read_joints(self) -> None:
        """Read joint wishes that are told whole; what they name may seem to tell others, too."""
        for key, fact in self._reader.joint.items():
            for value in fact.words.parts:
                if fact.words.tells(self._words, value):
                    is_count = fact.words.form is ValueForm.COUNT
                    is_flag = fact.words.form is ValueForm.FLAG
                    self._found[key] = int(value) if is_count else True if is_flag else value
                    break

    def _read_words(self) -> None:
        """Read values by their own words, each for the fact that it is said of."""
        told = frozenset(self._found)
        said: dict[Span, dict[str, Any]] = {}
        for key, fact in self._reader.of_form(ValueForm.CHOICE, ValueForm.TEXT):
            for cue, value in fact.cues:
                for match in cue.finditer(self._words):
                    is_other = _OTHER_MEANING.search(self._words[: match.start()])
                    if not is_other and match[0] not in self._reader.whole:
                        said.setdefault(match.span(), {})[key] = value
        longest_first = sorted(said, key=lambda span: span[0] - span[1])
        for span in longest_first:
            if self._is_free(span):
                self._taken.append(span)
            else:
                del said[span]
        for span, values in sorted(said.items()):
            meant = self._meant(span, values)
            if meant is not None and meant not in told:
                self._found[meant] = values[meant]
                self._places[meant] = span

    def _meant(self, span: Span, keys: Iterable[str]) -> str | None:
        """Return the fact of which a value is said: by the word before it, or the slot nearby."""
        reader, candidates = self._reader, list(keys)
        often = Counter(chain.from_iterable(reader.leads[key] for key in candidates))
        leads = {
            key: [word for word in reader.leads[key] if often[word] == 1] for key in candidates
        }
        if len(candidates) > 1 or any(one in self._found for one in candidates):
            before = re.findall(r"\w+", self._words[: span[0]])
            if self._words[span[0]] == "⟦":
                while before and before[-1] in _BEFORE_DATES:
                    before.pop()
            led = [one for one in candidates if before and before[-1] in leads[one]]
            if len(led) == 1:
                return led[0]
        far = {key: self._distance(span, key, leads[key]) for key in candidates}
        near = [key for key in candidates if far[key] == min(far.values()) < _NOWHERE]
        if len(near) == 1:
            return near[0]
        if len(candidates) == 1 and not reader.facts[candidates[0]].words.needs_slot:
            return candidates[0]
        return None

    def _distance(self, span: Span, key: str, leads: Iterable[str]) -> int:
        """Return how far from a place the words stand that lead to a fact, or name its slot."""
        reader = self._reader
        slots = reader.facts[key].words.slots
        if key == reader.window:
            slots = (str(reader.window_slot),)
        cues = [reader.lexicon.slots[slot] for slot in slots]
        cues += [re.compile(rf"\b{word}\b") for word in leads]
        places = [match.span() for cue in cues for match in cue.finditer(self._words)]
        return min(
            (min(abs(span[0] - end), abs(start - span[1])) for start, end in places),
            default=_NOWHERE,
        )

    def _read_dates(self) -> None:
        """Read dates that no statement of the lexicon has: births, days wished, the window."""
        tokens = [
            (match.span(), self._dated.dates_in(match[0]))
            for match in re.finditer(r"⟦\d+⟧", self._words)
            if self._is_free(match.span())
        ]
        past = tuple(day for _, days in tokens for day in days if day < self._today)
        people = self._reader.people
        if people is not None and past:
            self._found[people.birth_dates] = past
            names = tuple(_names(_NO_NAMES.sub(";", self._dated.text)))
            if len(names) == len(past):
                self._found[people.names] = names
        keys = [key for key, _ in self._reader.of_form(ValueForm.DATE)]
        said: dict[str, list[str]] = {}
        for span, days in tokens if keys else ():
            key = self._meant(span, keys) or self._reader.window
            if key is not None and key not in self._found:
                said.setdefault(key, []).extend(day for day in days if day >= self._today)
                self._places[key] = span
        for key, all_days in said.items():
            if all_days:
                window = (min(all_days), max(all_days))
                self._found[key] = window if key == self._reader.window else all_days[0]

    def _read_counts(self) -> None:
        """Read counts by their units, and money where a bound is spoken of."""
        for key, fact in self._reader.of_form(ValueForm.COUNT):
            conflict = fact.words.conflict
            patterns = [fact.counted, conflict.pattern if conflict is not None else None]
            if self._reader.people is not None and key == self._reader.people.size:
                patterns.append(self._reader.cues["people"])
            for pattern in filter(None, patterns if key not in self._found else ()):
                for match in pattern.finditer(self._words):
                    number = _number(match[match.lastindex or 0])
                    if number is not None and self._is_free(match.span()):
                        self._found[key] = number
                        self._places[key] = match.span()
        amount = re.search(AMOUNT, self._words)
        for key, fact in self._reader.of_form(ValueForm.MONEY):
            cues = (self._reader.cues["budget"], *fact.words.asks)
            is_meant = any(cue.search(self._words) for cue in cues)
            if amount and key not in self._found and is_meant:
                self._found[key] = self._value(key, amount[0])
                self._places[key] = amount.span()

    def _read_flags(self) -> None:
        """Read that parts are to be alike, where that is what a fact says.

        Where several facts say so of one thing, it is those whose slots are all spoken of, if any.
        """
        alike = self._reader.cues["alike"]
        for match in alike.finditer(self._words):
            rest = self._words[match.end() : match.end() + _NEAR]
            told = [
                key
                for key, fact in self._reader.of_form(ValueForm.FLAG)
                if any(alike.search(text.casefold()) for text in fact.words.full)
                and any(cue.search(rest) for cue in fact.words.asks)
            ]
            named = [key for key in told if self._names_slots(key)]
            self._found |= dict.fromkeys((named or told) if len(told) > 1 else told, True)

    def _names_slots(self, key: str) -> bool:
        """Tell whether all slots of a fact are spoken of."""
        cues = [self._reader.lexicon.slots[slot] for slot in self._reader.facts[key].words.slots]
        return bool(cues) and all(cue.search(self._words) for cue in cues)


def _without_doubts(dated: Dated, mark: re.Pattern[str]) -> tuple[Dated, list[int]]:
    """Return a sentence without marks of doubt in brackets, and the places where they stood."""
    text, places, last = "", [], 0
    for match in _BRACKET.finditer(dated.text):
        if mark.search(match[1].casefold()):
            text += dated.text[last : match.start()]
            places.append(len(text))
            last = match.end()
    return dated._replace(text=text + dated.text[last:]), places


def _starts(cue: re.Pattern[str], words: str) -> list[int]:
    return [match.start() for match in cue.finditer(words)]


def _number(said: str) -> int | None:
    words = said.casefold()
    if words in _COUNTED:
        return _COUNTED[words]
    found = re.search(rf"(?<!\w){NUMBER}", words)
    return None if found is None else _COUNTED.get(found[0]) or int(found[0])


def _names(text: str) -> list[str]:
    return NAME.findall(_BETWEEN_NAMES.sub(";", text))
