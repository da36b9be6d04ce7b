"""The days that an agent plays back, compared with those a user wants (design §8).

Each is told of the fact that the words before it or its slot make it one of. A day on which
something ends follows from its first day and its length.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.spoken_dates import SpokenDate, find_dates
from crab_graph.personas.stated_values import fits_day
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.wordbook import ConflictKind, DomainLexicon, FactWords, ValueForm

_RANGE = re.compile(
    r"\s*(?:-|–|to|and|until|till|through|→|,?\s+and)\s*"
    r"(?:(?!back|home|return)\w+,? )?"
)
SEPARATOR = re.compile(r"[;,]|\band\b|\.\s")
"""Between the things that a passage lists."""
_WEEKDAY_NAME = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s*\Z")
_TO_END = re.compile(
    r"(?:\b(?:back|home|until|till?|through|to|check(?:ing)?[- ]?out|end(?:s|ing)?|last)"
    r"|->|→|–)(?: (?:on|is|the|by))*\W*\Z"
)
"""Before a day on which something ends."""
_BY = re.compile(
    r"\b(?:by|until|till|no later than|not later than|at (?:the )?latest(?: by| on)?)"
    r"(?: the)?\W*\Z"
)
"""Before the last day on which something may be."""
_FROM = re.compile(r"\b(?:(?:somewhere|any ?time|sometime) )?(?:between|from)\W*\Z")
"""Leads to the first of several days."""
_FEW_SLOTS = 2


class Compared(NamedTuple):
    """Whether what was said of one fact is right; `said` is that, where it is one value.

    It is surely wrong where the value is the right one, and is said of something else.
    """

    key: str
    is_right: bool
    said: str = ""
    is_surely_wrong: bool = False


class PlayedDays:
    """Days of a user's facts, by key, with which those of passages are compared."""

    def __init__(self, facts: Mapping[str, Any], briefing: UserBriefing, message: str) -> None:
        self._facts = facts
        self._lexicon: DomainLexicon = briefing.lexicon
        self._today = today = briefing.today
        self._starts: list[str] = []
        self._whole: dict[int, list[SpokenDate]] = {}
        for one in find_dates(message, today):
            self._whole.setdefault(one.start, []).append(one)
        known = [str(name) for name in _listed(facts, briefing, ValueForm.NAMES)]
        names = "|".join(map(re.escape, map(str.casefold, known)))
        self._name = re.compile(rf"(?:{names})\W{{1,3}}(?:born|\*)?\W*\Z") if names else None

    def compare(self, text: str, passage: Stretch) -> Iterator[Compared]:
        """Compare days, each with the fact that the words before it or its slot make it one of.

        That it ends so long after a first day said before is right, be that first day wrong.
        """
        found = list(self._compared(text, passage))
        lengths = self._lengths()
        first = {self._first_key(_between(self._lexicon.facts[key])[0]) for key in lengths}
        self._starts += [one.said for one in found if one.key in first and one.said]
        for one in found:
            is_end = one.key in lengths and one.said and not one.is_right
            if is_end and any(one.said in self._last_days([day]) for day in self._starts):
                one = one._replace(is_right=True)
            yield one

    def _compared(self, text: str, passage: Stretch) -> Iterator[Compared]:
        today = self._today
        named = self._in_full(find_dates(text, today), passage.start)
        dates = [one for one in named if one.iso >= today and not self._is_birth(text, one.start)]
        if named and not dates:
            return
        if not dates:
            yield from self._bare_days(text, passage)
            return
        groups: list[list[SpokenDate]] = []
        for one in dates:
            last = groups[-1][-1] if groups else None
            if last is not None and (
                last.start == one.start or _RANGE.fullmatch(text[last.end : one.start])
            ):
                groups[-1].append(one)
            else:
                groups.append([one])
        for group in groups:
            before = _WEEKDAY_NAME.sub(" ", text[: group[0].start])
            part = SEPARATOR.split(before)[-1]
            own = passage
            if self._is_bracket(text[: group[-1].end], text[group[-1].end :]):
                own = replace(passage, slots=frozenset())
            yield from self._compare_days([one.iso for one in group], part, own)

    def _is_bracket(self, head: str, rest: str) -> bool:
        """Tell whether only brackets behind a day name a slot: the day is of no such thing."""
        opened, bracket, _ = rest.partition("(")
        return bool(bracket) and not self._lexicon.named_slots(head + opened)

    def _in_full(self, dates: Sequence[SpokenDate], start: int) -> list[SpokenDate]:
        """Return dates as the message has them, of which a passage may lack the year."""
        full: list[SpokenDate] = []
        for number, one in enumerate(dates):
            whole = self._whole.get(start + one.start, ())
            same = [other.start for other in dates[:number]].count(one.start)
            full.append(one._replace(iso=whole[same].iso) if same < len(whole) else one)
        return full

    def _is_birth(self, text: str, start: int) -> bool:
        """Tell whether a day stands right behind somebody's name, as a date of birth does."""
        return self._name is not None and self._name.search(text[:start].casefold()) is not None

    def _compare_days(self, days: Sequence[str], part: str, passage: Stretch) -> Iterator[Compared]:
        key = self._dated(part, passage)
        if not key:
            return
        words = self._lexicon.facts[key]
        if words.conflict is not None and words.conflict.between:
            first = self._first_days(words.conflict.between[0])
            last = self._last_days(first)
            if last and not {*days} & {*_days_of(first)} - {*last}:
                yield Compared(key, days[-1] in last, days[-1])
            return
        value = self._facts.get(key)
        wanted = [] if value is None else value if isinstance(value, list) else [value]
        allowed, last = _days_of(wanted), self._last_days(wanted)
        length = next((k for k in self._lengths() if k in self._facts), "")
        if (limit := self._limit()) and _BY.search(part):
            # The last day of so many is told of their number.
            until = self._last_of(limit, allowed)
            yield Compared(limit, {*days} <= {*until}, days[0])
            return
        # Between several stays one leaves as one does at the outset.
        is_between = bool(length) and self._lexicon.facts[length].repeats > 1
        if (is_between or _TO_END.search(_FROM.sub("", part))) and {*days} <= {*last}:
            if length:
                yield Compared(length, True, days[0])
            return
        if len(days) > 1 and [*days[:2]] != [*wanted]:
            yield Compared(key, days[0] in allowed, days[0])
            if days[0] in allowed and length:
                yield Compared(length, days[1] in last, days[1])
            return
        is_right = set(days) <= set(allowed) or [*days] == [*wanted]
        led = part.strip(" \t.*:-")
        is_led = self._lexicon.named_slots(led) or (led and asks_with(words, f"when {led}"))
        if not (is_right or is_led) and {*days} <= {*self._every_day()}:
            # Where no word says what it is the day of, it may be that of another thing.
            return
        yield Compared(key, bool(wanted) and is_right, days[0])

    def _dated(self, part: str, passage: Stretch) -> str:
        """Return the fact that a day is one of: by the words before it, else by its slot."""
        facts = self._lexicon.facts
        keys = [k for k, w in facts.items() if w.conflict and w.conflict.kind is ConflictKind.DATE]
        lengths = self._lengths()
        named = self._lexicon.named_slots(part)
        for key in [k for k in keys if facts[k].needs_slot or not facts[k].slots]:
            if named & set(conflict_slots(facts[key])) and len(named) == 1:
                return key
        led = [k for k in (*keys, *lengths) if not facts[k].needs_slot]
        # Behind a comma and no word of its own a day is that of what it stands under.
        is_bare = not part.strip(" \t.*:-") and bool(passage.slots)
        led = [k for k in led if not is_bare and asks_with(facts[k], f"when {part.strip()}")]
        own = [k for k in led if not facts[k].slots]
        if len(own) == 1:
            return own[0]
        # Under a heading that names nearly all, a day is that of no one thing.
        slots = passage.slots if len(passage.slots) <= _FEW_SLOTS else frozenset()
        scoped = [k for k in keys if slots & set(conflict_slots(facts[k]))]
        if scoped:
            return scoped[0]
        ends = [k for k in lengths if _between(facts[k])[1] in slots]
        return (ends or ([] if slots else keys) or [""])[0]

    def _lengths(self) -> list[str]:
        facts = self._lexicon.facts.items()
        return [
            key for key, words in facts if words.conflict is not None and words.conflict.between
        ]

    def _limit(self) -> str:
        """Return the fact that says within how many days of another one something is to be."""
        facts = self._lexicon.facts
        return next((key for key in self._facts if _is_limit(facts.get(key))), "")

    def _last_of(self, limit: str, days: Sequence[str]) -> list[str]:
        number = timedelta(int(self._facts[limit]))
        return [(date.fromisoformat(day) + number).isoformat() for day in days]

    def _bare_days(self, text: str, passage: Stretch) -> Iterator[Compared]:
        """Compare weekdays, and days of a month that is not named."""
        if fits_day(text, []) is None:
            return
        key = self._dated(text, passage)
        if not key or key not in self._facts:
            return
        if key in self._lengths():
            between = _between(self._lexicon.facts[key])
            days = self._last_days(self._first_days(between[0]))
        else:
            value = self._facts[key]
            days = _days_of(value if isinstance(value, list) else [value])
        # Where no word says what it is the day of, it may be that of another thing.
        is_led = asks_with(self._lexicon.facts[key], f"when {text.strip()}")
        others = [] if is_led else self._every_day()
        if days and (fits_day(text, days) or not fits_day(text, others)):
            yield Compared(key, bool(fits_day(text, days)))

    def _every_day(self) -> list[str]:
        """Return all days that anything is wanted on, or ends."""
        found: list[str] = []
        for key, words in self._lexicon.facts.items():
            if words.conflict and words.conflict.kind is ConflictKind.DATE and key in self._facts:
                value = self._facts[key]
                first = _days_of(value if isinstance(value, list) else [value])
                found += [*first, *self._last_days(first)]
        return found

    def _first_key(self, slot: str) -> str:
        for key, words in self._lexicon.facts.items():
            conflict = words.conflict
            if conflict and conflict.kind is ConflictKind.DATE and slot in conflict.slots:
                return key
        return ""

    def _first_days(self, slot: str) -> list[str]:
        value = self._facts.get(self._first_key(slot))
        return [] if value is None else value if isinstance(value, list) else [value]

    def _last_days(self, first: Sequence[str]) -> list[str]:
        """Return the days on which stays can end of which the first begins on some days."""
        for key, words in self._lexicon.facts.items():
            if words.conflict is not None and words.conflict.between and key in self._facts:
                length = timedelta(int(self._facts[key]))
                ends = [length * number for number in range(1, words.repeats + 1)]
                begins = map(date.fromisoformat, _days_of(first))
                return [(day + end).isoformat() for day in begins for end in ends]
        return []


def _listed(facts: Mapping[str, Any], briefing: UserBriefing, form: ValueForm) -> list[Any]:
    """Return what the facts of a form list."""
    words = briefing.lexicon.facts
    return [one for key in words if words[key].form is form for one in facts.get(key, ())]


def asks_with(words: FactWords, question: str) -> bool:
    """Tell whether a question asks for a fact."""
    return any(cue.search(question) for cue in words.asks)


def conflict_slots(words: FactWords) -> Sequence[str]:
    """Return the slots of which a contradiction of a fact is told."""
    return words.conflict.slots if words.conflict is not None else ()


def _is_limit(words: FactWords | None) -> bool:
    """Tell whether a fact is a number of days that is not to be exceeded."""
    kind = words.conflict.kind if words is not None and words.conflict is not None else None
    return words is not None and kind is ConflictKind.AT_MOST and words.many.endswith("days")


def _between(words: FactWords) -> Sequence[str]:
    return words.conflict.between if words.conflict is not None else ()


def _days_of(days: Sequence[str]) -> list[str]:
    if len(days) != 2:
        return list(days)
    first, last = map(date.fromisoformat, days)
    return [(first + timedelta(n)).isoformat() for n in range((last - first).days + 1)]
