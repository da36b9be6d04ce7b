"""What an agent has stated that contradicts what the user wants (design §8).

Only what was said counts: a proposal that leaves a property out contradicts nothing. Where a
message names several values for one thing, as a list of options does, one that fits is enough.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import BriefedSlot, Fact, UserBriefing
from crab_graph.personas.questions import Segment
from crab_graph.personas.spoken_dates import NUMBERS, find_dates
from crab_graph.personas.understanding import ANY_ID, Reading
from crab_graph.personas.wordbook import Conflict, ConflictKind, DomainLexicon, FactWords
from crab_graph.text.amounts import Amount
from crab_graph.text.lexicon import pattern
from crab_graph.text.mentions import find_ids
from crab_graph.text.utterance import starting_within

_CLOCK = re.compile(
    r"(?<![\d:])(?=\d{1,2}(?::|\s?[ap]\.?m))(\d{1,2})(?::(\d\d))?\s?(?:([ap])\.?m\b)?"
)
_JOINT = " ; "


@dataclass(frozen=True, slots=True)
class StatedPlan:
    """What a message states: the text about each slot that has an item in it, and about any item.

    Totals are those of everything together, in cents.
    """

    words: Mapping[str, str]
    everywhere: str
    totals: tuple[int, ...]


def read_plan(
    reading: Reading, slots: Sequence[BriefedSlot], *, is_recap: bool = False
) -> StatedPlan:
    """Gather what a message states about each slot.

    Where it is a recap of what the user said, slots without an item count too.
    """
    lexicon = reading.lexicon
    stated = [segment for segment in reading.segments if not segment.says("denied")]
    words: dict[str, list[str]] = defaultdict(list)
    prefixes = {slot.id: slot.id_prefix for slot in slots}
    with_item: set[str] = set()
    for segment in stated:
        for slot_id, portion in _portions(segment, lexicon):
            words[slot_id].append(portion)
            if slot_id in prefixes and any(True for _ in find_ids(portion, prefixes[slot_id])):
                with_item.add(slot_id)
    stands = words if is_recap else with_item
    return StatedPlan(
        words={slot: _JOINT.join(parts) for slot, parts in words.items() if slot in stands},
        everywhere=_JOINT.join(segment.text for segment in stated if not segment.is_request),
        totals=tuple(_totals(reading.stated, stated, lexicon)),
    )


def contradictions(plan: StatedPlan, briefing: UserBriefing) -> list[str]:
    """Return the keys of the facts that a stated plan contradicts, in the order facts are told."""
    return [
        fact.key
        for key in briefing.ordered_keys()
        if (fact := briefing.fact(key)) is not None
        and (words := briefing.lexicon.facts.get(key)) is not None
        and words.conflict is not None
        and _contradicts(plan, fact, words, words.conflict, briefing)
    ]


def open_choices(plan: StatedPlan, briefing: UserBriefing) -> list[str]:
    """Return the keys of the facts on which the options of a message differ."""
    return [
        key
        for key, words in briefing.lexicon.facts.items()
        if words.conflict is not None
        and any(
            len(_options(plan.words.get(slot, ""), words, words.conflict, briefing)) > 1
            for slot in words.conflict.slots
        )
    ]


def _portions(segment: Segment, lexicon: DomainLexicon) -> Iterator[tuple[str, str]]:
    """Split a clause that names several slots at the places where it names them."""
    if len(segment.named) < 2:
        for slot in segment.scope if len(segment.scope) == 1 else ():
            yield slot, segment.text
        return
    starts = sorted(
        (match.start(), slot)
        for slot, cue in lexicon.slots.items()
        if (match := cue.search(segment.text))
    )
    for index, (start, slot) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(segment.text)
        yield slot, segment.text[start if index else 0 : end]


def _options(
    part: str, words: FactWords, conflict: Conflict, briefing: UserBriefing
) -> set[str] | set[int]:
    if conflict.kind is ConflictKind.CHOICE:
        return _named_values(part, words) - _spared(conflict, briefing)
    is_bound = conflict.kind in {ConflictKind.AT_LEAST, ConflictKind.AT_MOST}
    return set(_counts(part, conflict)) if is_bound else set()


def _contradicts(
    plan: StatedPlan, fact: Fact, words: FactWords, conflict: Conflict, briefing: UserBriefing
) -> bool:
    parts = [plan.words[slot] for slot in conflict.slots if slot in plan.words]
    if not conflict.slots:
        parts = [*plan.words.values()] or [plan.everywhere]
    match conflict.kind:
        case ConflictKind.CHOICE:
            named = [_named_values(part, words) - _spared(conflict, briefing) for part in parts]
            return any(_misses(values, str(fact.value)) for values in named)
        case ConflictKind.COUNT:
            return any(_misses(_counts(part, conflict), int(fact.value)) for part in parts)
        case ConflictKind.AT_LEAST:
            return any(max(_counts(part, conflict), default=99) < fact.value for part in parts)
        case ConflictKind.AT_MOST:
            return any(min(_counts(part, conflict), default=0) > fact.value for part in parts)
        case ConflictKind.DATE:
            wanted = fact.value if isinstance(fact.value, list) else [fact.value]
            days = [[found.iso for found in find_dates(part, briefing.today)] for part in parts]
            return any(
                dates and not any(wanted[0] <= iso <= wanted[-1] for iso in dates) for dates in days
            )
        case ConflictKind.TOTAL:
            return any(total > parse_cents(fact.value) for total in plan.totals)
        case ConflictKind.SAME:
            if conflict.pattern is None or len(parts) < 2:
                return False
            found = [set(conflict.pattern.findall(part)) for part in parts]
            return all(len(values) == 1 for values in found) and len(set.union(*found)) > 1


def _spared(conflict: Conflict, briefing: UserBriefing) -> set[str]:
    """Return the values that contradict nothing since another fact has them."""
    facts = map(briefing.fact, conflict.beside)
    return {str(fact.value) for fact in facts if fact is not None}


def _misses(stated: Iterable[object], wanted: object) -> bool:
    values = set(stated)
    return bool(values) and wanted not in values


def _named_values(part: str, words: FactWords) -> set[str]:
    """Return the values a text names by word or, where they have hours, by a clause's first time.

    A later time of a clause is an end or an arrival, which says nothing of when the thing begins.
    """
    named = {value for value, cue in words.cues.items() if cue.search(part)}
    clocks = [_CLOCK.search(clause) for clause in part.split(_JOINT)] if words.hours else []
    times = [
        (int(clock[1]) % 12 + 12 * (clock[3] == "p") if clock[3] else int(clock[1]))
        + int(clock[2] or 0) / 60
        for clock in clocks
        if clock is not None
    ]
    hours = words.hours.items()
    return named | {value for time in times for value, (start, end) in hours if start <= time < end}


def _counts(part: str, conflict: Conflict) -> list[int]:
    if conflict.pattern is None:
        return []
    matches = conflict.pattern.finditer(part)
    words = [next(filter(None, match.groups()), "") for match in matches]
    numbers = [int(word) if word.isdigit() else NUMBERS.get(word) for word in words]
    return [number for number in numbers if number is not None]


def _totals(
    amounts: Sequence[Amount], segments: Sequence[Segment], lexicon: DomainLexicon
) -> Iterator[int]:
    for segment in segments:
        cue = pattern("totals", "total").search(segment.text)
        is_partial = segment.named and not lexicon.whole.search(segment.text)
        if cue is None or is_partial or ANY_ID.search(segment.text):
            continue
        within = starting_within(amounts, segment.start, segment.end)
        inside = [amount for amount in within if not amount.is_inert]
        after = [a for a in inside if a.start >= segment.start + cue.start()]
        if inside:
            yield (after or inside[::-1])[0].cents
