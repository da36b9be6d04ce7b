"""The words of a domain as values: how facts are asked for, stated and contradicted.

A domain keeps them in a TOML file; nothing here knows which domain it is. The general cues and
phrases that every domain shares stand in `phrases.toml` beside this module.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from crab_graph.errors import UsageError

NOTHING = "(?!)"
"""A pattern that no text matches."""


class ValueForm(StrEnum):
    """How a fact's value is written out."""

    TEXT = "text"
    DATE = "date"
    DATES = "dates"
    NAMES = "names"
    COUNT = "count"
    MONEY = "money"
    CHOICE = "choice"
    FLAG = "flag"
    CARD = "card"


class ConflictKind(StrEnum):
    """What to look for in an agent's words to see that they contradict a fact."""

    CHOICE = "choice"
    COUNT = "count"
    AT_LEAST = "at_least"
    DATE = "date"
    TOTAL = "total"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Conflict:
    """How a statement by the agent can contradict a fact.

    Attributes:
        kind: What is compared.
        slots: Slots in whose lines it is looked for; empty for anywhere.
        pattern: Finds a count (group 1) or a value that must be the same in all `slots`.
    """

    kind: ConflictKind
    slots: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class FactWords:
    """The words for one fact key.

    Attributes:
        key: The fact key.
        form: How its value is written.
        asks: Cues that ask for it, matched against one casefolded sentence.
        needs_slot: Whether a cue counts only where the fact's slot is named.
        slots: Slots whose naming makes a cue count; empty when the fact is not about one.
        full: Statements as sentences; `{value}` and `{phrase}` stand for the value.
        short: Statements as fragments.
        none: What to answer when the user has no such fact.
        choices: Each value's phrase, for choices.
        cues: Each value's pattern in an agent's words, for choices.
        hours: Each value's hours of the day, `[from, until)`, where a clock time tells the value.
        units: Singular and plural unit, for counts.
        conflict: How an agent's statement can contradict it.
        trade: Statements in the words of the trade; `{value}` is plain, `{code}` a value's code.
        codes: Each value's code in the trade.
        others: Values among which a user can change its mind.
    """

    key: str
    form: ValueForm
    asks: tuple[re.Pattern[str], ...]
    needs_slot: bool
    slots: tuple[str, ...]
    full: tuple[str, ...]
    short: tuple[str, ...]
    none: tuple[str, ...]
    choices: Mapping[str, str]
    cues: Mapping[str, re.Pattern[str]]
    hours: Mapping[str, tuple[float, float]]
    units: tuple[str, str]
    conflict: Conflict | None
    trade: tuple[str, ...]
    codes: Mapping[str, str]
    others: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject whose naming in a question about preferences asks for several facts at once."""

    name: str
    words: re.Pattern[str]
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DomainLexicon:
    """All the words users of a domain need.

    Attributes:
        opening_full: First-turn sentences; they may use the basic facts by key.
        opening_short: First-turn fragments.
        opening_trade: First turns in the words of the trade.
        asides: Sentences off the topic, which state nothing that matters.
        asides_short: The same in a few words.
        whole: Words that mean everything together.
        slots: Each slot's pattern in an agent's words.
        groups: Patterns that mean several slots where none of them is named by itself.
        facts: The words of each fact key, in the order details are told.
        topics: Subjects of questions.
        extras: Words of what an agent may offer beside what the facts are about.
        parts: Id prefixes, casefolded, of parts of what can be booked, beside those of the slots.
    """

    opening_full: tuple[str, ...]
    opening_short: tuple[str, ...]
    opening_trade: tuple[str, ...]
    asides: tuple[str, ...]
    asides_short: tuple[str, ...]
    whole: re.Pattern[str]
    slots: Mapping[str, re.Pattern[str]]
    groups: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
    facts: Mapping[str, FactWords]
    topics: tuple[Topic, ...]
    extras: re.Pattern[str]
    parts: tuple[str, ...]

    def named_slots(self, words: str) -> frozenset[str]:
        """Return the slots that a casefolded text names."""
        named = {slot for slot, pattern in self.slots.items() if pattern.search(words)}
        for pattern, members in self.groups:
            if not named & set(members) and pattern.search(words):
                named |= set(members)
        return frozenset(named)


def parse_lexicon(document: Mapping[str, Any], source: str) -> DomainLexicon:
    """Build a lexicon from a parsed TOML document.

    Raises:
        UsageError: a part is missing or malformed; the message names it and the source.
    """
    try:
        return DomainLexicon(
            opening_full=tuple(document["opening"]["full"]),
            opening_short=tuple(document["opening"]["short"]),
            opening_trade=tuple(document["opening"].get("trade", ())),
            asides=tuple(document.get("asides", {}).get("full", ())),
            asides_short=tuple(document.get("asides", {}).get("short", ())),
            whole=re.compile(document["whole"]),
            slots={slot: re.compile(cue) for slot, cue in document["slots"].items()},
            groups=tuple(
                (re.compile(group["words"]), tuple(group["slots"])) for group in document["groups"]
            ),
            facts={key: _fact_words(key, words) for key, words in document["facts"].items()},
            topics=tuple(
                Topic(name, re.compile(topic["words"]), tuple(topic["facts"]))
                for name, topic in document["topics"].items()
            ),
            extras=re.compile(document.get("extras", NOTHING)),
            parts=tuple(document.get("parts", ())),
        )
    except (KeyError, TypeError, ValueError, re.error) as error:
        raise UsageError(f"lexicon {source}: missing or malformed part: {error}") from error


def _fact_words(key: str, words: Mapping[str, Any]) -> FactWords:
    values: Mapping[str, Mapping[str, Any]] = words.get("values", {})
    conflict = words.get("conflict")
    return FactWords(
        key=key,
        form=ValueForm(words["form"]),
        asks=tuple(re.compile(cue) for cue in words["asks"]),
        needs_slot=bool(words.get("needs_slot", False)),
        slots=tuple(words.get("slots", ())),
        full=tuple(words["full"]),
        short=tuple(words["short"]),
        none=tuple(words.get("none", ())),
        choices={value: parts.get("phrase", value) for value, parts in values.items()},
        cues={
            value: re.compile(parts.get("cue", rf"\b{re.escape(value)}\b"))
            for value, parts in values.items()
        },
        hours={
            value: (float(parts["hours"][0]), float(parts["hours"][1]))
            for value, parts in values.items()
            if "hours" in parts
        },
        units=(words.get("one", ""), words.get("many", "")),
        conflict=None if conflict is None else _conflict(conflict),
        trade=tuple(words.get("trade", ())),
        codes=words.get("codes", {}),
        others=tuple(words.get("others", values)),
    )


def _conflict(document: Mapping[str, Any]) -> Conflict:
    pattern = document.get("pattern")
    return Conflict(
        kind=ConflictKind(document["kind"]),
        slots=tuple(document.get("slots", ())),
        pattern=None if pattern is None else re.compile(pattern),
    )


@dataclass(frozen=True, slots=True)
class PhraseBook:
    """The shared cues and phrases.

    Attributes:
        cues: Patterns over casefolded clauses, by what they tell.
        phrases: Phrases by act and by voice or temper.
    """

    cues: Mapping[str, re.Pattern[str]]
    phrases: Mapping[str, Mapping[str, tuple[str, ...]]]

    def says(self, cue: str, words: str) -> bool:
        """Tell whether a text holds a cue."""
        return self.cues[cue].search(words) is not None

    def without(self, cue: str, words: str) -> str:
        """Return a text without what a cue finds in it."""
        return self.cues[cue].sub("", words).strip()

    def phrase(self, act: str, voice: str, rng: Random) -> str:
        """Draw a phrase for an act; an act that a voice leaves out is empty."""
        by_voice = self.phrases[act]
        choices = by_voice.get(voice, by_voice["plain"])
        return rng.choice(choices) if choices else ""


@cache
def phrase_book() -> PhraseBook:
    """Return the shared phrase book."""
    text = files("crab_graph.personas").joinpath("phrases.toml").read_text("utf-8")
    document = tomllib.loads(text)
    return PhraseBook(
        cues={name: re.compile(cue) for name, cue in document["cues"].items()},
        phrases={
            act: {voice: tuple(choices) for voice, choices in by_voice.items()}
            for act, by_voice in document["phrases"].items()
        },
    )
