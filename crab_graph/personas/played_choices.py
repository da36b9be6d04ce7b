"""The values with words of their own that an agent plays back, compared with a user's own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crab_graph.personas.plan_conflicts import lead_words
from crab_graph.personas.played_counts import without_counts
from crab_graph.personas.played_days import SEPARATOR, Compared, asks_with, conflict_slots
from crab_graph.personas.played_joints import speaks_of_joint
from crab_graph.personas.played_routes import route_of, without_routes
from crab_graph.personas.stated_values import choices_in, names_slot
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import DomainLexicon

NEGATED = re.compile(
    r"\b(?:not|no|n't|neither|nor|without|never|avoid(?:ing)?|except(?: for)?|excluding"
    r"|(?:other|rather) than|instead of|besides|(?:apart|aside) from)(?:[ /]\w+){0,3}[ /*_'\"(-]*\Z"
)
"""Ends right before what is ruled out."""
_NEAR = 20
"""Characters beside a place in which words tell what somebody does there."""
_ON_WAY = re.compile(
    r"\b(?:from|to|via|through|start\w*|begin\w*|leav\w*|depart\w*|end(?:s|ing)?|back|home|first|then"
    r"|next|go(?:es|ing)?|cit(?:y|ies)|stops?|route|return\w*|arriv\w*|visit\w*)\b|[→>]"
)
_BOTH = re.compile(r"\b(?:both|all|each|every|either)\b")


class PlayedChoices:
    """What a user chose among values, with which passages are compared."""

    def __init__(self, facts: Mapping[str, Any], lexicon: DomainLexicon, reading: Reading) -> None:
        self._facts = facts
        self._lexicon = lexicon
        self._segments = reading.segments
        self._whole = reading.utterance.text

    def compare(self, text: str, passage: Stretch) -> Iterator[Compared]:
        """Compare the values of a passage, each with the facts that could have them."""
        found: dict[str, list[tuple[str, bool]]] = {}
        plain = without_counts(text, self._lexicon)
        against, text = without_routes(text, passage, self._facts, self._lexicon, self._whole)
        yield from against
        for key, words in self._lexicon.facts.items():
            if words.cues and words.conflict is not None:
                if words.hours and passage.slots.isdisjoint(words.conflict.slots or words.slots):
                    continue
                clean = plain if words.hours else text
                for value in sorted(choices_in(clean, words)):
                    cue = words.cues.get(value)
                    match = cue.search(clean) if cue else None
                    is_own = str(self._facts.get(key)) == value
                    if is_own and match and names_slot(clean, match.end(), words, self._lexicon):
                        continue
                    is_negated = match is not None and bool(NEGATED.search(clean[: match.start()]))
                    found.setdefault(value, []).append((key, is_negated))
        for value, keys in found.items():
            yield from self._value(value, keys, text, passage)
        for key, value in self._facts.items():
            ruled_out = {one for one, keys in found.items() if (key, True) in keys}
            if ruled_out and ruled_out == self._lexicon.facts[key].cues.keys() - {str(value)}:
                yield Compared(key, is_right=True)

    def _value(
        self, value: str, keys: Sequence[tuple[str, bool]], text: str, passage: Stretch
    ) -> Iterator[Compared]:
        if self._is_stop(value, [key for key, _ in keys]) and not self._is_on_way(value, text):
            return
        fitting = self._in_scope([key for key, _ in keys], value, text, passage)
        is_negated = any(negated for _, negated in keys)
        mine = [key for key in fitting if key in self._facts]
        if is_negated:
            # What a joint wish rules out of some things it does not deny of all.
            for key in [] if self._is_of_joint(passage) else mine:
                if str(self._facts[key]) == value:
                    yield Compared(key, is_right=False)
            return
        equal = [key for key in mine if str(self._facts[key]) == value]
        apart = {self._lexicon.facts[key].slots for key in fitting}
        equal = equal or self._reversed(mine, value, passage)
        strict = len(apart) > 1 and len(passage.slots) > 1 and _BOTH.search(text)
        if strict:
            for key in fitting:
                yield Compared(key, is_right=str(self._facts.get(key)) == value, said=value)
        elif equal:
            for key in equal:
                yield Compared(key, is_right=True)
        elif mine:
            yield Compared(mine[0], is_right=False, said=value)
        elif fitting:
            yield Compared(fitting[0], is_right=False, said=value)

    def _reversed(self, keys: Sequence[str], value: str, passage: Stretch) -> list[str]:
        """Return the fact that a value is that of where it is told of the last of two slots.

        On the way back things are the other way round: where it starts is where one wanted to go.
        """
        facts = self._lexicon.facts
        slots = {conflict_slots(facts[key])[:2] for key in keys if not facts[key].hours}
        backs = {pair[1] for pair in map(tuple, slots) if len(pair) > 1}
        if len(passage.slots) != 1 or not passage.slots <= backs:
            return []
        return [
            key
            for key, words in facts.items()
            if key in self._facts
            and any(words.choices == facts[one].choices for one in keys)
            and words.cues.keys() & {value}
            and str(self._facts[key]) == value
        ]

    def _in_scope(self, keys: Sequence[str], value: str, text: str, passage: Stretch) -> list[str]:
        """Return the facts that a value can be meant of where it stands."""
        if len(keys) == 1:
            return list(keys)
        facts = self._lexicon.facts
        match = facts[keys[0]].cues[value].search(text) if value in facts[keys[0]].cues else None
        if match is not None and not facts[keys[0]].hours:
            part = SEPARATOR.split(text[: match.start()])[-1]
            before = part.split()[-4:]
            led = [key for key in keys if {*before[-1:]} & lead_words(facts[key])]
            is_stop = self._is_stop(value, keys)
            if is_stop:
                led = []  # one comes to each place of a journey, and goes on from there
            if not (led or (is_stop and self._segments[passage.segment].named)):
                led = [key for key in keys if asks_with(facts[key], f"where {' '.join(before)}")]
            if led and len(led) < len(keys):
                return led
        slots = {key: set(facts[key].slots or conflict_slots(facts[key])) for key in keys}
        if passage.slots:
            near = [key for key in keys if slots[key] & passage.slots]
            return near
        return list(keys)

    def _is_on_way(self, value: str, text: str) -> bool:
        """Tell whether a place is one that a text says somebody comes to, or leaves."""
        cues = (words.cues.get(value) for words in self._lexicon.facts.values())
        spans = (match.span() for cue in cues if cue for match in cue.finditer(text))
        return any(_ON_WAY.search(text[max(0, a - _NEAR) : b + _NEAR]) for a, b in spans)

    def _is_stop(self, value: str, keys: Sequence[str]) -> bool:
        """Tell whether a value is one of the places of a journey with several stops."""
        route = route_of(self._lexicon.facts, keys, self._facts)
        return any(str(self._facts[key]) == value for key in route)

    def _is_of_joint(self, passage: Stretch) -> bool:
        return speaks_of_joint(self._segments[passage.segment].text, self._lexicon, self._facts)
