"""What a message states of each slot: its items, what is said of them, and the totals (design §8).

What earlier messages said of an item still stands.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import BriefedSlot, UserBriefing
from crab_graph.personas.message_text import ANY_ID, BOOKING_ID
from crab_graph.personas.passages import read_stretches
from crab_graph.personas.segments import Segment
from crab_graph.personas.stated_values import (
    is_lost,
    is_taken_back,
    without_denied,
)
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.understanding import Reading, reading_of
from crab_graph.text.lexicon import pattern
from crab_graph.text.totals import TOLD_BEFORE
from crab_graph.text.utterance import starting_within

_BARE_BEFORE = re.compile(r"(\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d+\.\d\d)\W{0,3}(?:in )?\Z")
_COMPARED = re.compile(
    r"\b(?:more|less|dearer|cheaper|better|higher|lower|later|earlier|rather) than "
    r"(?:the|a|an|with|in|for|by)\b[^,;:.()\n]*"
)
"""What something is compared with is none of it."""
_OTHER_CHOICE = re.compile(
    r"\b(?:such|cheapest|least expensive|otherwise|instead|alternatives?|next best|would have)\b"
)
_OVER_LIMIT = re.compile(
    r"\b(?:over (?:your|the)|exceeds?|breaks? (?:your|the)|above your|beyond)\b"
)
"""Says of another choice, or of the only one, that it is too dear."""
_PLAN_AT = re.compile(
    r"\b(?:plan|package|proposal)s?:? (?:at|for|costs?|comes? to|is|=)? ?(?=[$\d])"
)
"""What names a total by what it is of."""
_BRINGS_TO = re.compile(
    r"\b(?:you(?:.d| would|.ll| will) be at|bring(?:s|ing)? (?:the |your )?(?:whole )?"
    r"(?:trip|it|all|everything|you) (?:up )?to)(?= \$?\d)"
)
"""What says what everything comes to with what was named before."""
_GIVES_UP = re.compile(
    r"\b(?:cancel(?:s|led|ling)?|drop(?:s|ped|ping)?|releas(?:e|es|ed|ing)|remov(?:e|es|ed|ing)"
    r"|replac(?:e|es|ed|ing)|swap(?:s|ped|ping)?|scrap(?:s|ped|ping)?|giv(?:e|ing) up"
    r"|tak(?:e|ing) out|instead of|in (?:the )?place of)"
    r"(?:(?!\b(?:book|reserv|add|tak)\w*|\b(?:for|with|by|fees?|new)\b|[.;?!\n])[^\n]){0,70}\Z"
)
"""Leads to what is no longer to be booked."""
_OUT, _IN = re.compile(r"\W*out: [^;?!\n]{0,60}\Z"), re.compile(r"\W*in: ")
"""The same, of two lines for what goes and what comes in; a way out stands beside one back."""
_AS_IT_WAS = re.compile(
    r"^\W*(?:(?:\d|[a-c])[.):]\W*)?no\b,? (?:keep|leave|stay|stick)\b"
    r"|\b(?:those|they|these|the old (?:ones|bookings)) (?:still )?(?:include|contain|hold)\b"
)
"""Says what it would stay with who takes no new plan, or what was booked before it."""
_BARE_TOTAL = re.compile(r"\D{0,24}?(\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d+\.\d\d)(?!\d|%)")


@dataclass(frozen=True, slots=True)
class Showing:
    """One item that a message shows for a slot: its id, where it has one, and what is said of it.

    `details` are what this message says, `before` what each message before it said, the last first.
    """

    slot: str
    item: str
    option: str
    details: tuple[Stretch, ...]
    before: tuple[tuple[Stretch, ...], ...] = ()

    @property
    def earlier(self) -> tuple[Stretch, ...]:
        """What messages before this one say, the last first."""
        return tuple(chain.from_iterable(self.before))

    @property
    def named(self) -> tuple[Stretch, ...]:
        """What this message says from where it names the item: not why another one does not do."""
        item = self.item.casefold()
        places = (at for at, part in enumerate(self.details) if item in part.text)
        return self.details[next(places, 0) :]


@dataclass(frozen=True, slots=True)
class StatedPlan:
    """What a message states: the candidates of each slot, and what is about several or none.

    Totals are those of everything together, in cents, `sums` what is said beside one item to be a
    total: of that, or of everything with it.
    """

    candidates: Mapping[str, tuple[Showing, ...]] = field(default_factory=dict)
    shared: tuple[Stretch, ...] = ()
    totals: tuple[int, ...] = ()
    said: str = ""
    sums: tuple[int, ...] = ()

    @property
    def has_options(self) -> bool:
        """Whether it shows several whole plans: options that fill more slots than one."""
        slots: dict[str, set[str]] = {}
        for own in self.candidates.values():
            for one in own:
                slots.setdefault(one.option, set()).add(one.slot)
        return sum(len(own) > 1 for option, own in slots.items() if option) > 1

    @property
    def items(self) -> dict[str, str]:
        """The slot of each item, by its id."""
        every = (one for found in self.candidates.values() for one in found)
        return {one.item: one.slot for one in every if one.item}

    def of_slots_with(self, ids: Collection[str]) -> "StatedPlan":
        """Return what it states of the slots of some ids; all of it where none of them is shown.

        What else was shown before is offered no more.
        """
        shown = {slot for item, slot in self.items.items() if item in ids}
        if not shown:
            return self
        kept = {slot: own for slot, own in self.candidates.items() if slot in shown}
        return replace(self, candidates=kept)


def read_plan(
    reading: Reading, slots: Sequence[BriefedSlot], earlier: Sequence[StatedPlan] = ()
) -> StatedPlan:
    """Gather what a message states about each slot.

    Where it asks to book, a slot of which it shows no item has the one that was shown last before.
    """
    known = {item: slot for plan in earlier for item, slot in plan.items.items()}
    given_up = _given_up(reading)
    known |= _in_place_of_lost(reading, known, given_up)
    stated = list(_stated(reading, read_stretches(reading, slots, known), given_up))
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
    totals = tuple(_totals(reading, len(slots)))
    stands = bool(candidates)
    shared = tuple(one for one in stated if not one.slot) if stands else ()
    return StatedPlan(
        candidates,
        shared,
        totals,
        reading.said if stands else "",
        () if totals else _sums(reading, candidates),
    )


def _given_up(reading: Reading) -> set[str]:
    """Return the items that others of their kind are to take the place of, as a message says."""
    gone, told = set[str](), set[str]()
    is_swap = any(_IN.match(one.text) for one in reading.segments)
    for one in reading.segments:
        start = 0
        for found in ANY_ID.finditer(one.text):
            before = one.text[start : found.start()]
            is_gone = _GIVES_UP.search(before) is not None
            is_gone |= is_swap and _OUT.match(before) is not None
            (gone if is_gone else told).add(found[0].upper())
            start = found.end()
    kinds = {name.partition("-")[0] for name in told - gone}
    return {name for name in gone - told if name.partition("-")[0] in kinds}


def _in_place_of_lost(
    reading: Reading, known: Mapping[str, str], given_up: Collection[str]
) -> dict[str, str]:
    """Return the slot of an item that a message names for one that was sold, or is given up."""
    told = [name.upper() for one in reading.segments for name in ANY_ID.findall(one.text)]
    gone = [
        name.upper()
        for one in reading.segments
        if is_lost(one.text)
        for name in ANY_ID.findall(one.text)
    ]
    gone += [name for name in given_up if name not in gone]
    found: dict[str, str] = {}
    for lost in {name for name in gone if name in known}:
        start = f"{lost.partition('-')[0]}-"
        new = {name for name in told if name.startswith(start)} - known.keys() - {*gone}
        if len(new) == 1 and sum(name.startswith(start) for name in {*gone}) == 1:
            found[new.pop()] = known[lost]
    return found


def read_plans(texts: Iterable[str], briefing: UserBriefing) -> list[StatedPlan]:
    """Read what messages state, one after the other."""
    plans: list[StatedPlan] = []
    for text in texts:
        reading = reading_of(text, briefing.lexicon, briefing.slots)
        plans.append(read_plan(reading, briefing.slots, plans))
    return plans


def _stated(
    reading: Reading, passages: Iterable[Stretch], given_up: Collection[str]
) -> Iterator[Stretch]:
    """Yield what is stated, not asked, with what is denied left blank.

    Of what was sold to others, or is given up, nothing is stated, nor by a clause behind that one.
    """
    lost, kept = set[str](), set[str]()
    for segment in reading.segments:
        (lost if is_lost(segment.text) else kept).update(ANY_ID.findall(segment.text))
    gone = {name.upper() for name in lost - kept}.union(given_up)
    for one in passages:
        segment = reading.segments[one.segment]
        if segment.is_request and not (ANY_ID.search(segment.text) or segment.says("booking_act")):
            continue
        is_no_plan = is_taken_back(segment.text) or _AS_IT_WAS.search(segment.text)
        if is_no_plan and not ANY_ID.search(segment.text):
            continue
        if is_lost(segment.text) or one.item in gone or _is_of_other_booking(one, segment):
            continue
        words = _COMPARED.sub(lambda match: " " * len(match[0]), without_denied(one.text))
        if words.strip():
            yield replace(one, text=words, is_listed=segment.is_item)


def _is_of_other_booking(one: Stretch, clause: Segment) -> bool:
    """Tell whether a clause is about a booking of its own, and only stands below an item's."""
    ids = ANY_ID.findall(clause.text)
    is_booking = bool(ids) and all(name.startswith(BOOKING_ID) for name in ids)
    return is_booking and bool(one.item) and one.slot not in clause.named


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
    before: dict[str, tuple[tuple[Stretch, ...], ...]] = defaultdict(tuple)
    for plan in reversed(earlier):
        for one in plan.candidates.get(slot, ()):
            before[one.item] += (one.named,)
    return tuple(
        Showing(slot, item, option, (*general, *said), before[item])
        for (option, item), said in named.items()
    )


def _totals(reading: Reading, slots: int) -> list[int]:
    """Return the amounts that are said to be the total of everything, which so many slots are.

    Beside what it comes to, what another choice would come to is none.
    """
    found = list(_stated_totals(reading, slots))
    return [cents for cents, is_other, is_over in found if not (is_other or is_over)] or [
        cents for cents, _, _ in found
    ]


def _sums(reading: Reading, candidates: Mapping[str, Sequence[Showing]]) -> tuple[int, ...]:
    """Return the totals that stand beside what is to be booked, where it has no alternative."""
    is_one = all(len(own) == 1 for own in candidates.values())
    if not (is_one and (reading.asks_booking or reading.asks_approval)):
        return ()
    found = [(cents, is_over) for cents, other, is_over in _stated_totals(reading, 0) if not other]
    return tuple(cents for cents, is_over in found if not is_over) or tuple(c for c, _ in found)


def _stated_totals(reading: Reading, slots: int) -> Iterator[tuple[int, bool, bool]]:
    """Yield totals, and whether their clauses are about another choice, or say it is too dear."""
    lexicon = reading.lexicon
    cue = pattern("totals", "total")
    for segment in reading.segments:
        brings = _BRINGS_TO.search(segment.text)
        match = brings or cue.search(segment.text) or _PLAN_AT.search(segment.text)
        if match is None:
            continue
        items = len(set(ANY_ID.findall(segment.text)))
        is_whole = lexicon.whole.search(segment.text) and not items
        if (segment.named or items) and not is_whole and items < slots:
            continue
        within = starting_within(reading.stated, segment.start, segment.end)
        inside = [amount for amount in within if not amount.is_inert]
        after = [a for a in inside if a.start >= segment.start + match.start()]
        is_other = brings is None and _OTHER_CHOICE.search(segment.text) is not None
        is_over = _OVER_LIMIT.search(segment.text) is not None
        at = segment.start + match.start()
        told = (a for a in inside if a.end <= at)
        right_before = [a for a in told if TOLD_BEFORE.fullmatch(reading.utterance.text, a.end, at)]
        if inside:
            yield (right_before or after or inside[::-1])[0].cents, is_other, is_over
        else:
            bare = _BARE_BEFORE.search(segment.text[: match.start()])
            bare = bare or _BARE_TOTAL.match(segment.text, match.end())
            if bare is not None:
                yield parse_cents(bare[1]), is_other, is_over
