"""What an agent plays back of a user's wishes, compared with them fact by fact (design §8).

A message plays back where it asks whether something is right, or says what was noted. What it
states is right, wrong, or about something on which the user has no wish; what it leaves out is no
error. That there is no wish is a statement, too.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.founded_denials import PlayedMark, founded
from crab_graph.personas.passages import read_stretches
from crab_graph.personas.played_clauses import (
    asks_check,
    asks_extras_alone,
    asks_of_value,
    played_clauses,
)
from crab_graph.personas.played_joints import claimed_outcomes
from crab_graph.personas.played_wishes import PlayedWishes
from crab_graph.personas.understanding import Reading

_FEW = 2
_WHICH = re.compile(r"\b(?:any|what|which|when|how|where)\b")
"""Asks for something, and not whether it is so."""


@dataclass(frozen=True, slots=True)
class PlayBack:
    """What a message plays back, by the keys of facts.

    `is_asked` says whether it wants to be told if that is right; `unknown` are what the user has
    no wish on; `said` is what was said instead, as written, where it is one value; `mixed` are told
    both rightly and otherwise. `questioned` are those of which it only asks if they are so, one or
    two at once. Of those that are `beyond` the user it says how they come out, which prices decide.
    """

    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    is_asked: bool = False
    said: Mapping[str, str] = field(default_factory=dict)
    mixed: tuple[str, ...] = ()
    questioned: frozenset[str] = frozenset()
    beyond: tuple[str, ...] = ()

    @property
    def states(self) -> bool:
        """Whether it states anything."""
        return bool(self.right or self.wrong or self.unknown or self.mixed or self.beyond)


_THERE_IS_NO = re.compile(
    r"\bthere(?:'s| is| are|.s) (?:simply |just )?no \w+ (?!of\b)\w+ing\b"
    r"|\bthere (?:is ?n.t|are ?n.t|is not|are not) (?:a single|any|one)\b"
    r"|\b(?:so|is|are|comes?|would be|already) too (?:late|early|expensive|dear|far)\b"
)
"""Says of things of some kind that there are none, or none that would do."""


def _is_lacking(reading: Reading, number: int) -> bool:
    found = _THERE_IS_NO.search(reading.segments[number].text)
    return found is not None and not asks_check(reading, number)


def read_play_back(
    reading: Reading,
    briefing: UserBriefing,
    known: Mapping[str, str] | None = None,
    untold: Collection[str] = (),
) -> PlayBack:
    """Compare what a message plays back with what the user wants in the end.

    Items of earlier messages are `known`, with their slots. A joint wish that is still `untold` was
    never heard: what sounds like it in part is of something else, or only touches upon it where
    nothing is asked.
    """
    chosen = played_clauses(reading)
    claimed = claimed_outcomes(reading, briefing.lexicon, {one.key: 0 for one in briefing.facts})
    beyond, asks_beyond = _beyond(claimed, chosen, reading)
    beyond = [key for key in beyond if key not in untold]
    if not chosen:
        return PlayBack(is_asked=bool(beyond), beyond=tuple(beyond))
    comparison = PlayedWishes(reading, briefing)
    # What is not to be had tells nobody's wishes.
    lacking = {n for n in chosen if _is_lacking(reading, n)}
    for one in read_stretches(reading, briefing.slots, known or {}, is_list=True):
        if one.segment in chosen and one.segment not in lacking:
            comparison.add(one)
    confirms = reading.confirms and not asks_extras_alone(reading)
    asks = confirms or any(asks_check(reading, n) for n in chosen)
    comparison.add_joints(chosen, untold if asks else briefing.lexicon.facts)
    comparison.add_people(chosen)
    order = [*briefing.ordered_keys(), *briefing.lexicon.facts]
    denied, left_open, mixed = founded(comparison.marks, reading, briefing)
    # That all dates are named makes none of them right that stands beside another's name.
    denied |= comparison.swapped
    mixed -= comparison.swapped
    wrong = tuple(dict.fromkeys(key for key in order if key in denied))
    stated = comparison.right - denied - left_open - mixed
    right = tuple(dict.fromkeys(key for key in order if key in stated))
    unknown = tuple(dict.fromkeys(key for key in order if key in comparison.unknown))
    questioned, mentioned, asked = _questioned(comparison.marks, reading, briefing)
    right = tuple(key for key in right if key not in mentioned)
    told_twice = tuple(dict.fromkeys(key for key in order if key in mixed))
    is_asked = asks or not asked.isdisjoint({*right, *wrong})
    is_asked = is_asked or asks_beyond
    left = tuple(key for key in beyond if key not in wrong)
    return PlayBack(right, wrong, unknown, is_asked, comparison.said, told_twice, questioned, left)


def _beyond(
    claimed: Mapping[str, Sequence[int]], chosen: Collection[int], reading: Reading
) -> tuple[list[str], bool]:
    """Return the wishes of which a message says how they come out, and whether it asks if so.

    A clause that names an item plays no wish back; it may ask if that is what the wish comes to.
    """
    asked = {n for own in claimed.values() for n in own if asks_check(reading, n)}
    found = [key for key, own in claimed.items() if not asked.union(chosen).isdisjoint(own)]
    return found, bool(asked)


def _questioned(
    marks: Sequence[PlayedMark], reading: Reading, briefing: UserBriefing
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return what is told only in questions whether that is so, each of one thing or two.

    And what such questions only mention, as they name the slot by it that they are about, and all
    that is told in them, noted elsewhere or not.
    """
    by_clause: dict[int, set[str]] = {}
    for one in marks:
        by_clause.setdefault(one.segment, set()).add(one.key)
    asking, mentioned, asked = set[int](), set[str](), set[str]()
    for number, keys in by_clause.items():
        nouns = {key for key in keys if _names_slot(key, briefing)}
        cued = {k for k, how in reading.features[number].facts.items() if "how:cue" in how}
        is_open = _WHICH.search(reading.segments[number].text) is not None
        meant = keys - nouns or (frozenset() if cued - keys or is_open else keys)
        if _things(meant, briefing) <= _FEW and _asks_if(reading, number):
            asking.add(number)
            mentioned |= keys - meant
            asked |= meant
    noted = {one.key for one in marks if one.segment not in asking}
    questioned = {one.key for one in marks} - noted - mentioned
    return frozenset(questioned), frozenset(mentioned - noted - questioned), frozenset(asked)


def _things(keys: Collection[str], briefing: UserBriefing) -> int:
    """Return how many things facts are: the places of one journey are one."""
    facts = briefing.lexicon.facts
    places = sum(facts[key].is_place for key in keys)
    return len(keys) - max(0, places - 1)


def _names_slot(key: str, briefing: UserBriefing) -> bool:
    """Tell whether the value that a user wants of a fact is a word for a slot."""
    fact, slots = briefing.fact(key), briefing.lexicon.slots
    words = briefing.lexicon.facts[key]
    is_choice = fact is not None and str(fact.value) in words.cues
    if is_choice and (words.is_name or words.is_kind):
        return words.is_name
    return is_choice and any(cue.search(str(fact.value)) for cue in slots.values() if fact)


def _asks_if(reading: Reading, number: int) -> bool:
    text = reading.segments[number].text.rstrip()
    is_question = text.endswith("?") and asks_check(reading, number)
    return is_question or asks_of_value(reading, number)
