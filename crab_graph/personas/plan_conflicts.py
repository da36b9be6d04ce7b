"""What in a stated plan contradicts what the user wants (design §8).

Only what was said counts: a proposal that leaves a property out contradicts nothing. Of several
items for one slot one that fits is enough.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import Fact, UserBriefing
from crab_graph.personas.joint_conflicts import joint_hits, joint_misses
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.stated_people import people_in
from crab_graph.personas.stated_plans import Showing, StatedPlan
from crab_graph.personas.stated_values import (
    choices_in,
    counts_in,
    days_in,
    denies_alike,
    hours_in,
    names_value,
)
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.wordbook import Conflict, ConflictKind, FactWords, ValueForm

_UNTIL_LAST = re.compile(
    r"\b(?:last|final|end(?:s|ing)?|finish\w*|done|over|complete\w*)\b[^,;.]{0,24}"
    r"\b(?:within|at most|up to) \w+ \w+"
)
"""By when all of something is over, and not when it begins."""
_OF_ALL = re.compile(r"\b(?:lot|all|whole|total\w*|altogether|together|tour|trip)\b")
_UNTIL_DAY = re.compile(r".{0,16}(?:\b(?:to|until|till|through|thru|out)\b|[-–—→>]).{0,16}", re.S)
"""What stands between the first day of a stay and the last."""


def contradictions(plan: StatedPlan, briefing: UserBriefing) -> list[str]:
    """Return the keys of the facts that a stated plan contradicts, in the order facts are told."""
    wrong: set[str] = set()
    facts = list(_checked_facts(briefing))
    known = {one[0].key for one in facts if _is_of_length(plan, *one, briefing)}
    for own in plan.candidates.values():
        misses = [_misses_of(one, facts, briefing, known) for one in own]
        wrong |= min(misses, key=len)
    for fact, words, conflict in facts:
        if _shared_misses(plan, fact, words, conflict, briefing):
            wrong.add(fact.key)
    wrong |= set(_between_slots(plan, facts, briefing, wrong))
    wrong |= {*_people_misses(plan, briefing), *joint_misses(plan, briefing)}
    if all(len(own) == 1 for own in plan.candidates.values()):
        same = [one for one in facts if one[2].kind is ConflictKind.SAME]
        wrong |= {fact.key for fact, words, _ in same if denies_alike(plan.said, words)}
    return [key for key in briefing.ordered_keys() if key in wrong]


def exceeded(total: int, briefing: UserBriefing) -> list[str]:
    """Return the keys of the facts that limit a total, in cents, and are exceeded by one."""
    limits = (one for one in _checked_facts(briefing) if one[2].kind is ConflictKind.TOTAL)
    return [fact.key for fact, _, _ in limits if total > parse_cents(fact.value)]


def fulfilled(plan: StatedPlan, briefing: UserBriefing, amounts: Sequence[int]) -> list[str]:
    """Return the keys of the facts that a stated plan plainly fits, in the order facts are told.

    Where it says no total, none of its `amounts` in cents may be above a limit.
    """
    facts = _checked_facts(briefing)
    fits = {one[0].key for one in facts if _is_fulfilled(plan, *one, briefing, amounts)}
    fits |= set(joint_hits(plan, briefing))
    return [key for key in briefing.ordered_keys() if key in fits]


def _is_fulfilled(
    plan: StatedPlan,
    fact: Fact,
    words: FactWords,
    conflict: Conflict,
    briefing: UserBriefing,
    amounts: Sequence[int],
) -> bool:
    if conflict.kind is ConflictKind.TOTAL:
        said = plan.totals or (amounts if plan.candidates else ())
        return bool(said) and max(said) <= parse_cents(fact.value)
    offered = [one for slot in conflict.slots for one in plan.candidates.get(slot, ())]
    if conflict.kind is ConflictKind.SAME and conflict.pattern is not None:
        texts = (" ; ".join(by_line((*one.details, *one.earlier))) for one in offered)
        found = [set(conflict.pattern.findall(text)) for text in texts]
        is_alike = all(len(own) == 1 and own == found[0] for own in found)
        is_told = any(names_value(one.text, words) for own in offered for one in own.details)
        is_told = is_told and not denies_alike(plan.said, words)
        return is_told or (is_alike and len(found) >= len(conflict.slots) > 0)
    verdicts = (
        next(
            (
                verdict
                for said in (one.details, *one.before)
                if (verdict := judge(by_line(said), fact, words, briefing, one.slot)) is not None
            ),
            False,
        )
        for one in offered
    )
    return bool(offered) and all(verdicts)


_Checked = tuple[Fact, FactWords, Conflict]


def _checked_facts(briefing: UserBriefing) -> Iterator[_Checked]:
    for key in briefing.ordered_keys():
        fact, words = briefing.fact(key), briefing.lexicon.facts.get(key)
        if fact is not None and words is not None and words.conflict is not None:
            yield fact, words, words.conflict


def misses_of(candidate: Showing, briefing: UserBriefing) -> set[str]:
    """Return the keys of the facts that a candidate does not fit."""
    return _misses_of(candidate, list(_checked_facts(briefing)), briefing)


def _misses_of(
    candidate: Showing,
    facts: Sequence[_Checked],
    briefing: UserBriefing,
    known: Collection[str] = (),
) -> set[str]:
    """Return what a candidate does not fit; what is `known` now was otherwise only before."""
    wrong = set()
    for fact, words, conflict in facts:
        if conflict.slots and candidate.slot not in conflict.slots:
            continue
        for said in (candidate.details, *(() if fact.key in known else candidate.before)):
            lines = by_line(said)
            if conflict.kind is ConflictKind.DATE:
                lines = _dated_lines(lines, candidate, briefing) or lines
            verdict = judge(lines, fact, words, briefing, candidate.slot)
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
        # Of several whole plans one that fits is enough.
        said = plan.totals or plan.sums
        most = min(said, default=0) if plan.has_options else max(said, default=0)
        return most > parse_cents(fact.value)
    mine = set(conflict.slots)
    is_of_one = conflict.kind is ConflictKind.DATE or words.is_name
    for one in plan.shared:
        if is_of_one and one.slots - mine:
            # Of which of them a day is, or a name that says a kind, does not show.
            continue
        is_mine = not mine or (one.slots & mine if one.slots else _is_own(fact, words, briefing))
        if is_mine and judge([one.text], fact, words, briefing) is False:
            # What each is its own lines say; this may be of what was planned before.
            return not _is_met(plan, fact, words, conflict, briefing)
    return False


def _is_met(
    plan: StatedPlan, fact: Fact, words: FactWords, conflict: Conflict, briefing: UserBriefing
) -> bool:
    """Tell whether all that is offered for the slots of a fact is said to fit it."""
    offered = [one for slot in conflict.slots for one in plan.candidates.get(slot, ())]
    return bool(offered) and all(
        judge(by_line(one.details), fact, words, briefing, one.slot) for one in offered
    )


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
    spared = spared_by(conflict, briefing, slot)
    if conflict.kind is ConflictKind.COUNT and words.repeats > 1:
        # Of all of several stays what they are long together may be told.
        whole = replace(fact, value=int(fact.value) * words.repeats)
        lines = [
            one
            for one in lines
            if not (_OF_ALL.search(one) and _fits(one, whole, words, conflict, spared, briefing))
        ]
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
            if words.hours and len(days_in(text, briefing.today)) > 1:
                # Of two days each has its own hour.
                named |= hours_in(text, words)
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
            counts = counts_in(_UNTIL_LAST.sub("", text), conflict)
            return min(counts) <= value if counts else None
        case ConflictKind.DATE:
            wanted = value if isinstance(value, list) else [value]
            # What is over is a date of birth, and says nothing of when something begins.
            days = [day for day in days_in(text, briefing.today) if day >= briefing.today]
            return any(wanted[0] <= day <= wanted[-1] for day in days) if days else None
        case _:
            return None


def spared_by(conflict: Conflict, briefing: UserBriefing, slot: str = "") -> dict[str, FactWords]:
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


def by_line(passages: Sequence[Stretch]) -> list[str]:
    """Return what passages say, line by line."""
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
    texts = {slot: " ; ".join(by_line((*one.named, *one.earlier))) for slot, one in alone.items()}
    named = {slot: own for slot, one in alone.items() if (own := _named_days(one, briefing))}
    for fact, _, conflict in facts:
        if conflict.kind is ConflictKind.SAME and conflict.pattern is not None:
            found = [set(conflict.pattern.findall(texts.get(slot, ""))) for slot in conflict.slots]
            if all(len(values) == 1 for values in found) and not _is_one(set.union(*found)):
                yield fact.key
        elif (
            conflict.between
            and dated.isdisjoint(conflict.between)
            and _misses_length(int(fact.value), conflict.between, texts | named, named, briefing)
        ):
            yield fact.key


def _is_of_length(
    plan: StatedPlan, fact: Fact, words: FactWords, conflict: Conflict, briefing: UserBriefing
) -> bool:
    """Tell whether two slots have days in a message that lie as far apart as wished."""
    ends = [plan.candidates.get(slot, ()) for slot in conflict.between]
    if not ends or any(len(own) != 1 for own in ends):
        return False
    days = [_coming_days(_named_days(own[0], briefing), briefing) for own in ends]
    return all(days) and _apart(days[0][0], days[-1][0]) == int(fact.value)


def _is_one(values: Collection[str]) -> bool:
    """Tell whether values are one, which may be called by the beginning of its name."""
    longest = max(values, key=len)
    return all(longest.startswith(value) for value in values)


def _dated_lines(lines: Sequence[str], one: Showing, briefing: UserBriefing) -> list[str]:
    """Return the lines that tell a day beside a candidate's id: others may be of the whole."""
    item = one.item.casefold()
    return [line for line in lines if item and item in line and days_in(line, briefing.today)]


def _named_days(one: Showing, briefing: UserBriefing) -> str:
    """Return what is said of a candidate from its name on, where that tells a day: not the wish.

    Lines elsewhere, behind those of others or the list, are of what days mean for something else.
    """
    apart = (
        at
        for at, (said, after) in enumerate(pairwise(one.named), 1)
        if after.line > said.line + 1 or said.is_listed > after.is_listed
    )
    own = " ; ".join(by_line(one.named[: next(apart, len(one.named))]))
    return own if one.item and days_in(own, briefing.today) else ""


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
    length: int,
    between: Sequence[str],
    texts: Mapping[str, str],
    named: Mapping[str, str],
    briefing: UserBriefing,
) -> bool:
    """Tell whether the first days of two slots, or the two of one, lie otherwise apart.

    Of one slot only the days count that are `named` with it now: before it was of another length.
    Two slots that are told in one breath have two days in common.
    """
    first, last = (_coming_days(texts.get(slot, ""), briefing) for slot in between)
    if first == last and len(first) == 2:
        last = last[1:]
    if first and last and _apart(first[0], last[0]) != length:
        return True
    stays = (_stay_in(text, briefing) for slot, text in named.items() if slot not in between)
    return any(stay is not None and _apart(*stay) != length for stay in stays)


def _stay_in(text: str, briefing: UserBriefing) -> tuple[str, str] | None:
    """Return the first two days that a text names as those from which and until which it is."""
    days = [one for one in find_dates(text, briefing.today) if one.iso >= briefing.today]
    for one, other in pairwise(days):
        is_range = one.start == other.start or _UNTIL_DAY.fullmatch(text, one.end, other.start)
        if is_range and one.iso < other.iso:
            return one.iso, other.iso
    return None


def _coming_days(text: str, briefing: UserBriefing) -> list[str]:
    """Return the days that a text names; one that is over is none of a booking, but of a birth."""
    return [day for day in days_in(text, briefing.today) if day >= briefing.today]


def _apart(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days
