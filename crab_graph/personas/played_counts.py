"""The numbers of things that an agent plays back, compared with those a user wants."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crab_graph.personas.played_days import Compared
from crab_graph.personas.stated_values import counts_in, number_of
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import ConflictKind, DomainLexicon, FactWords, ValueForm

_IS_IT = re.compile(
    r"\b(?:is|are|was|were) (?:it|that|they|this|these) (?:\w+ )?(\d{1,2})\b(?![.,:/-]?\d)[^?\d]*\?"
)
"""Asks if a number is the one."""
_EXACTLY = re.compile(
    r"\b(?:exactly|precisely|no more(?: and no less)? than|at most|up to)\b (?:\w+ )?\d"
    r"|\b\d[^,.;\d]{0,12}\b(?:exactly|precisely|only|no more|at most|max(?:imum)?"
    r"|or (?:less|fewer|below|lower))\b"
)
"""Makes of a bound the one number that will do."""
_LIES = re.compile(
    r"\b(?:is|are|lies|falls|comes|would be) (?:just |only |exactly )?\w+ \w+ "
    r"(?:after|behind|from)\b"
)
"""Says how far something lies from another, and not how far it may."""
_ONE_OR = re.compile(r"\b(\w+),? or (?:maybe |perhaps )?(\w+)\b")
_CAN = r"(?! (?:can|could|may|might|must|have|know|will|need|see|are able)\b)"
_ALONE = re.compile(
    rf"\bjust (?:you|me)\b{_CAN}|\bonly you\b{_CAN}|\bsolo\b"
    r"|\bjust one(?= person\b| ?(?:[,.;!?]|\Z))"
    r"|\b(?:you|you're|travel\w*|fly\w*|go|going|goes) (?:all )?(?:alone|by yourself|on your own)\b"
)
_SPACING = re.compile(r"\b(?:apart|between|spac\w+)\b")
"""Tells how far apart things of one part are."""
_THE_OTHERS = re.compile(r"\b((?:other|remaining|further)) (?:\d+|two|three|four|five)\b")
"""Counts those beside one, and not all."""
_LONGEST_LABEL = 4
"""Words."""
_AND_OTHERS = re.compile(
    r"\byou(?:rself)? (?:and|plus|with) (\w+) (?:others?|more|companions?|friends?|fellow)\b"
)
"""Says how many come with one."""


def compared_counts(
    text: str, passage: Stretch, facts: Mapping[str, Any], reading: Reading
) -> Iterator[Compared]:
    """Yield how the numbers of a passage compare with those of a user's facts, by key."""
    lexicon = reading.lexicon
    text = _THE_OTHERS.sub(r"\1", text)
    for key, words in lexicon.facts.items():
        if words.form is not ValueForm.COUNT or words.conflict is None:
            continue
        if _is_of_other_part(passage, words, reading):
            continue
        counts = counts_in(text, words.conflict) or _loose_counts(text, words, lexicon)
        counts = counts or _labelled_counts(text, key)
        counts = counts or _asked_count(text, key, passage, reading)
        counts = [*_offered_beside(text, counts), *counts]
        is_bound = words.conflict.kind is ConflictKind.AT_LEAST and len(counts) == 1
        is_exact = is_bound and _EXACTLY.search(text) is not None
        is_kept = words.conflict.kind is ConflictKind.AT_MOST and _LIES.search(text) is not None
        for count in counts:
            mine = facts.get(key)
            is_right = (mine == count and not is_exact) or (is_kept and _is_within(count, mine))
            yield Compared(key, is_right=is_right, said=str(count))


def _is_within(count: int, bound: Any) -> bool:
    return isinstance(bound, int) and count <= bound


def _is_of_other_part(passage: Stretch, words: FactWords, reading: Reading) -> bool:
    """Tell whether a line is of parts of which a bound between two others says nothing.

    It is labelled by them, or tells how far apart what is of one of them is.
    """
    conflict = words.conflict
    if conflict is None or conflict.kind is not ConflictKind.AT_MOST:
        return False
    segment = reading.segments[passage.segment]
    label, colon, _ = segment.text.partition(":")
    is_label = bool(colon) and len(label.split()) <= _LONGEST_LABEL
    named = reading.lexicon.named_slots(label) if is_label else frozenset[str]()
    if _SPACING.search(segment.text) and len(segment.named) == 1:
        named = segment.named
    return bool(named) and named.isdisjoint(conflict.slots)


def _offered_beside(text: str, counts: Sequence[int]) -> list[int]:
    """Return the numbers that stand before others as what it may be instead."""
    pairs = ((number_of(one), number_of(other)) for one, other in _ONE_OR.findall(text))
    return [one for one, other in pairs if one is not None and one != other and other in counts]


def without_counts(text: str, lexicon: DomainLexicon) -> str:
    """Return a text with blanks where it counts something."""

    def blank(match: re.Match[str]) -> str:
        is_count = any(number_of(one) is not None for one in match.groups() if one)
        return " " * len(match[0]) if is_count else match[0]

    for words in lexicon.facts.values():
        if words.form is ValueForm.COUNT and words.conflict and words.conflict.pattern:
            text = words.conflict.pattern.sub(blank, text)
    return text


def _asked_count(text: str, key: str, passage: Stretch, reading: Reading) -> list[int]:
    """Return the number of which a clause that is about one count asks if it is that."""
    found = _IS_IT.search(text)
    named = reading.features[passage.segment].facts
    cued = [one for one, how in named.items() if "how:cue" in how]
    return [int(found[1])] if found and cued == [key] else []


def _loose_counts(text: str, words: FactWords, lexicon: DomainLexicon) -> list[int]:
    """Return numbers before the unit of a count, as people put them."""
    unit = words.many.partition("{n}")[2].strip()
    is_people = unit == "people"
    people = rf"{lexicon.people.pattern}|adults|ppl|folks"
    nouns = people if is_people else re.escape(unit.rstrip("s")) + "s?"
    counted = rf"(?<!\d-)\b(\w+)\+?[- ](?:adult |full )?(?:{nouns})\b"
    found = re.findall(counted, text) if unit else []
    numbers = [number for number in map(number_of, found) if number is not None]
    if not numbers and is_people:
        beside = [number_of(one) for one in _AND_OTHERS.findall(text)]
        numbers = [1 + number for number in beside if number is not None]
    if not numbers and is_people and _ALONE.search(text):
        return [1]
    return numbers


def _labelled_counts(text: str, key: str) -> list[int]:
    """Return numbers behind a fact's own name, as in a list of labels."""
    label = re.escape(key.replace("_", " "))
    said = r"(?:you (?:said|told me|mentioned|thought of|wanted|gave) |is |are )?"
    found = re.findall(rf"\b{label}(?:[^\w$]{{1,3}}| is | are ){said}(\w+)\b", text)
    return [number for number in map(number_of, found) if number is not None]
