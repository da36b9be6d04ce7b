"""What a message states of each slot, and what in it contradicts what the user wants (design §8).

Only what was said counts: a proposal that leaves a property out contradicts nothing. Of several
items for one slot one that fits is enough. What earlier messages said of an item still stands.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import BriefedSlot, Fact, UserBriefing
from crab_graph.personas.passages import read_stretches
from crab_graph.personas.stated_people import people_in
from crab_graph.personas.stated_values import (
    choices_in,
    counts_in,
    days_in,
    denies_alike,
    is_taken_back,
    without_denied,
)
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.understanding import ANY_ID, Reading
from crab_graph.personas.wordbook import Conflict, ConflictKind, FactWords, ValueForm
from crab_graph.text.lexicon import pattern
from crab_graph.text.utterance import starting_within

_BARE_BEFORE = re.compile(r"(\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d+\.\d\d)\W{0,3}(?:in )?\Z")
_BARE_TOTAL = re.compile(r"\D{0,24}?(\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d+\.\d\d)(?!\d|%)")


@dataclass(frozen=True, slots=True)
class Showing:
    """One item that a message shows for a slot: its id, where it has one, and what is said of it.

    `details` are what this message says, `earlier` what messages before it said.
    """

    slot: str
    item: str
    option: str
    details: tuple[Stretch, ...]
    earlier: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class StatedPlan:
    """What a message states: the candidates of each slot, and what is about several or none.

    Totals are those of everything together, in cents.
    """

    candidates: Mapping[str, tuple[Showing, ...]] = field(default_factory=dict)
    shared: tuple[Stretch, ...] = ()
    totals: tuple[int, ...] = ()
    said: str = ""

    @property
    def items(self) -> dict[str, str]:
        """The slot of each item, by its id."""
        every = (one for found in self.candidates.values() for one in found)
        return {one.item: one.slot for one in every if one.item}


def read_plan(
    reading: Reading, slots: Sequence[BriefedSlot], earlier: Sequence[StatedPlan] = ()
) -> StatedPlan:
    """Gather what a message states about each slot.

    Where it asks to book, a slot of which it shows no item has the one that was shown last before.
    """
    known = {item: slot for plan in earlier for item, slot in plan.items.items()}
    stated = list(_stated(reading, read_stretches(reading, slots, known)))
    found: dict[str, dict[tuple[str, str], list[Stretch]]] = defaultdict(dict)
    for one in stated:
        if one.slot and (one.item or reading.asks_booking):
            found[one.slot].setdefault((one.option, one.item), []).append(one)
    candidates = {
        slot: _candidates(slot, own, earlier) for slot, own in found.items() if _stands(own)
    }
    if reading.asks_booking and candidates:
        for plan in earlier:
            for slot, own in plan.candidates.items():
                if slot not in found:
                    candidates[slot] = own
    stands = bool(candidates)
    shared = tuple(one for one in stated if not one.slot) if stands else ()
    return StatedPlan(
        candidates, shared, tuple(_totals(reading, len(slots))), reading.said if stands else ""
    )


def read_plans(texts: Iterable[str], briefing: UserBriefing) -> list[StatedPlan]:
    """Read what messages state, one after the other."""
    plans: list[StatedPlan] = []
    for text in texts:
        reading = Reading(text, briefing.lexicon, briefing.slots)
        plans.append(read_plan(reading, briefing.slots, plans))
    return plans


def _stated(reading: Reading, passages: Iterable[Stretch]) -> Iterator[Stretch]:
    """Yield what is stated, not asked, with what is denied left blank."""
    for one in passages:
        segment = reading.segments[one.segment]
        if segment.is_request and not (ANY_ID.search(segment.text) or segment.says("booking_act")):
            continue
        if is_taken_back(segment.text) and not ANY_ID.search(segment.text):
            continue
        words = without_denied(one.text)
        if words.strip():
            yield Stretch(
                words, one.start, one.line, one.segment, one.slots, one.item, one.option, one.label
            )


def _stands(own: Mapping[tuple[str, str], Sequence[Stretch]]) -> bool:
    return any(own.values())


def _candidates(
    slot: str,
    own: Mapping[tuple[str, str], Sequence[Stretch]],
    earlier: Sequence[StatedPlan],
) -> tuple[Showing, ...]:
    """Return the candidates of a slot; what is said of no item in particular is said of each."""
    named = {key: tuple(said) for key, said in own.items() if key[1]}
    general = tuple(one for key, said in own.items() if not key[1] for one in said)
    if not named:
        return (Showing(slot, "", "", general),)
    before: dict[str, tuple[Stretch, ...]] = defaultdict(tuple)
    for plan in earlier:
        for one in plan.candidates.get(slot, ()):
            before[one.item] += one.details
    return tuple(
        Showing(slot, item, option, (*general, *said), before[item])
        for (option, item), said in named.items()
    )


def contradictions(plan: StatedPlan, briefing: UserBriefing) -> list[str]:
    """Return the keys of the facts that a stated plan contradicts, in the order facts are told."""
    wrong: set[str] = set()
    facts = list(_checked_facts(briefing))
    for own in plan.candidates.values():
        misses = [_misses_of(one, facts, briefing) for one in own]
        wrong |= min(misses, key=len)
    for fact, words, conflict in facts:
        if _shared_misses(plan, fact, words, conflict, briefing):
            wrong.add(fact.key)
    wrong |= set(_between_slots(plan, facts, briefing, wrong))
    wrong |= set(_people_misses(plan, briefing))
    if all(len(own) == 1 for own in plan.candidates.values()):
        same = [one for one in facts if one[2].kind is ConflictKind.SAME]
        wrong |= {fact.key for fact, words, _ in same if denies_alike(plan.said, words)}
    return [key for key in briefing.ordered_keys() if key in wrong]


_Checked = tuple[Fact, FactWords, Conflict]


def _checked_facts(briefing: UserBriefing) -> Iterator[_Checked]:
    for key in briefing.ordered_keys():
        fact, words = briefing.fact(key), briefing.lexicon.facts.get(key)
        if fact is not None and words is not None and words.conflict is not None:
            yield fact, words, words.conflict


def misses_of(candidate: Showing, briefing: UserBriefing) -> set[str]:
    """Return the keys of the facts that a candidate does not fit."""
    return _misses_of(candidate, list(_checked_facts(briefing)), briefing)


def _misses_of(candidate: Showing, facts: Sequence[_Checked], briefing: UserBriefing) -> set[str]:
    wrong = set()
    for fact, words, conflict in facts:
        if conflict.slots and candidate.slot not in conflict.slots:
            continue
        for said in (candidate.details, candidate.earlier):
            verdict = judge(_by_line(said), fact, words, briefing, candidate.slot)
            if verdict is False:
                wrong.add(fact.key)
            if verdict is not None:
                break
    return wrong


def _shared_misses(
    plan: StatedPlan, fact: Fact, words: FactWords, conflict: Conflict, briefing: UserBriefing
) -> bool:
    """Tell whether what is said of several slots together, or of none, contradicts a fact."""
    if conflict.kind is ConflictKind.TOTAL:
        return any(total > parse_cents(fact.value) for total in plan.totals)
    mine = set(conflict.slots)
    for one in plan.shared:
        is_mine = not mine or (one.slots & mine if one.slots else _is_own(fact, words, briefing))
        if is_mine and judge([one.text], fact, words, briefing) is False:
            return True
    return False


def _is_own(fact: Fact, words: FactWords, briefing: UserBriefing) -> bool:
    """Tell whether a value tells the fact wherever it stands: no other fact has the like."""
    if words.conflict is None or words.conflict.kind is ConflictKind.DATE:
        return False
    others = (one for key, one in briefing.lexicon.facts.items() if key != fact.key)
    return all(words.cues.keys().isdisjoint(one.cues) for one in others)


def judge(
    lines: Sequence[str], fact: Fact, words: FactWords, briefing: UserBriefing, slot: str = ""
) -> bool | None:
    """Tell whether lines about one thing fit a fact; `None` where they state nothing of it.

    Each line that states a value must hold the one wanted, but a clock time is told once for all.
    """
    conflict = words.conflict
    if conflict is None:
        return None
    if words.hours:
        lines = [" ; ".join(lines)]
    spared = _spared(conflict, briefing, slot)
    verdicts = [
        verdict
        for line in lines
        if (verdict := _fits(line, fact, words, conflict, spared, briefing)) is not None
    ]
    return all(verdicts) if verdicts else None


def _fits(
    text: str,
    fact: Fact,
    words: FactWords,
    conflict: Conflict,
    spared: Mapping[str, FactWords],
    briefing: UserBriefing,
) -> bool | None:
    value = fact.value
    match conflict.kind:
        case ConflictKind.CHOICE:
            named = choices_in(text, words)
            if spared and named and not named & {*spared, str(value)}:
                named = {one for one in named if not _led_elsewhere(text, one, words, spared)}
            named -= spared.keys()
            return str(value) in named if named else None
        case ConflictKind.COUNT:
            counts = counts_in(text, conflict)
            return int(value) in counts if counts else None
        case ConflictKind.AT_LEAST:
            counts = counts_in(text, conflict)
            return max(counts) >= value if counts else None
        case ConflictKind.AT_MOST:
            counts = counts_in(text, conflict)
            return min(counts) <= value if counts else None
        case ConflictKind.DATE:
            wanted = value if isinstance(value, list) else [value]
            # What is over is a date of birth, and says nothing of when something begins.
            days = [day for day in days_in(text, briefing.today) if day >= briefing.today]
            return any(wanted[0] <= day <= wanted[-1] for day in days) if days else None
        case _:
            return None


def _spared(conflict: Conflict, briefing: UserBriefing, slot: str = "") -> dict[str, FactWords]:
    """Return the values that contradict nothing since another fact has them, with its words.

    Said of one slot they do only where the other fact is about that slot, too.
    """
    spared = {}
    for fact in map(briefing.fact, conflict.beside):
        words = briefing.lexicon.facts[fact.key] if fact is not None else None
        if fact is None or words is None:
            continue
        if not slot or words.conflict is None or slot in words.conflict.slots:
            spared[str(fact.value)] = words
    return spared


def _led_elsewhere(
    text: str, value: str, words: FactWords, spared: Mapping[str, FactWords]
) -> bool:
    """Tell whether the word before a value, such as `to`, makes it one of a fact beside."""
    match = words.cues[value].search(text)
    before = text[: match.start()].split()[-1:] if match else []
    others = {word for one in spared.values() for word in lead_words(one)}
    return bool(before) and before[0] in others - lead_words(words)


def lead_words(words: FactWords) -> set[str]:
    """Return the words right before the value where the user states a fact, such as `from`."""
    parts = (text.casefold().partition("{value}") for text in (*words.full, *words.short))
    return {before.split()[-1] for before, value, _ in parts if value and before.split()}


def _by_line(passages: Sequence[Stretch]) -> list[str]:
    lines: dict[tuple[int, str], list[str]] = {}
    for one in passages:
        lines.setdefault((one.line, ""), []).append(one.text)
    return [" ; ".join(parts) for parts in lines.values()]


def _between_slots(
    plan: StatedPlan, facts: Sequence[_Checked], briefing: UserBriefing, wrong: Collection[str]
) -> Iterator[str]:
    """Yield the facts that what is stated of two slots contradicts together.

    Days say nothing of how far they lie apart where one of them is `wrong` itself.
    """
    dated = {
        slot
        for fact, _, conflict in facts
        if fact.key in wrong and conflict.kind is ConflictKind.DATE
        for slot in conflict.slots
    }
    alone = {slot: own[0] for slot, own in plan.candidates.items() if len(own) == 1}
    texts = {
        slot: " ; ".join(_by_line((*one.details, *one.earlier))) for slot, one in alone.items()
    }
    for fact, _, conflict in facts:
        if conflict.kind is ConflictKind.SAME and conflict.pattern is not None:
            found = [set(conflict.pattern.findall(texts.get(slot, ""))) for slot in conflict.slots]
            if all(len(values) == 1 for values in found) and len(set.union(*found)) > 1:
                yield fact.key
        elif (
            conflict.between
            and dated.isdisjoint(conflict.between)
            and _misses_length(int(fact.value), conflict.between, texts, briefing.today)
        ):
            yield fact.key


def _people_misses(plan: StatedPlan, briefing: UserBriefing) -> Iterator[str]:
    """Yield the facts that the people a plan names contradict."""
    for key, words in briefing.lexicon.facts.items():
        fact = briefing.fact(key)
        if words.form is ValueForm.NAMES and fact is not None and plan.said:
            known = [str(name) for name in fact.value]
            people = people_in(plan.said, known, briefing.lexicon, briefing.today)
            if any(one.name.casefold() not in map(str.casefold, known) for one in people):
                yield key


def _misses_length(
    length: int, between: Sequence[str], texts: Mapping[str, str], today: str
) -> bool:
    """Tell whether the first days of two slots, or the two of one, lie otherwise apart."""
    first, last = (days_in(texts.get(slot, ""), today) for slot in between)
    if first and last and _apart(first[0], last[0]) != length:
        return True
    for slot, text in texts.items():
        days = sorted(set(days_in(text, today))) if slot not in between else []
        if len(days) == 2 and _apart(*days) != length:
            return True
    return False


def _apart(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def open_choices(plan: StatedPlan, briefing: UserBriefing) -> list[str]:
    """Return the keys of the facts on which the options of a message differ."""
    found = []
    for key, words in briefing.lexicon.facts.items():
        conflict = words.conflict
        if conflict is None:
            continue
        for slot in conflict.slots:
            values = set()
            for one in plan.candidates.get(slot, ()):
                text = " ; ".join(_by_line(one.details))
                if conflict.kind is ConflictKind.CHOICE:
                    values |= {*choices_in(text, words)} - _spared(conflict, briefing).keys()
                elif conflict.kind in {ConflictKind.AT_LEAST, ConflictKind.AT_MOST}:
                    values |= {str(count) for count in counts_in(text, conflict)}
            if len(values) > 1:
                found.append(key)
                break
    return found


def _totals(reading: Reading, slots: int) -> Iterator[int]:
    """Yield the amounts that are said to be the total of everything, which so many slots are."""
    lexicon = reading.lexicon
    cue = pattern("totals", "total")
    for segment in reading.segments:
        match = cue.search(segment.text)
        if match is None:
            continue
        items = len(set(ANY_ID.findall(segment.text)))
        is_whole = lexicon.whole.search(segment.text) and not items
        if (segment.named or items) and not is_whole and items < slots:
            continue
        within = starting_within(reading.stated, segment.start, segment.end)
        inside = [amount for amount in within if not amount.is_inert]
        after = [a for a in inside if a.start >= segment.start + match.start()]
        if inside:
            yield (after or inside[::-1])[0].cents
        else:
            bare = _BARE_BEFORE.search(segment.text[: match.start()])
            bare = bare or _BARE_TOTAL.match(segment.text, match.end())
            if bare is not None:
                yield parse_cents(bare[1])
