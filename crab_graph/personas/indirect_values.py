"""Values in words that take careful reading, all of them exact (D1, paper section 3.3).

A day is told by the calendar, by today or by a day said before, an amount in thousands, a time of
day by its hours, another choice by the values that it is not. Each follows from the fact's form
and the values that its domain declares, and can be worked out from the words, the date of today and
what was said before.
"""

from collections.abc import Collection, Iterator
from datetime import date
from random import Random
from typing import Any

from crab_graph.money import parse_cents
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import Fact, FactLevel, How, Saying, UserBriefing
from crab_graph.personas.doubt_values import saying_words
from crab_graph.personas.spoken_dates import MONTHS, NUMBERS, spell_date
from crab_graph.personas.wordbook import FactWords, ValueForm
from crab_graph.personas.wording import join_words
from crab_graph.randomness import derive_rng

FEWEST_INDIRECT = 2
"""Facts of an episode that are said so, where the user says any so."""
_MOST_VALUES = 5
"""Values of a list of which all but one can be named."""
_WEEK, _MOST_WEEKS, _MOST_DAYS = 7, 4, 10
_THOUSAND, _SHORT = 1_000_00, 10_00
"""Cents: amounts from the one on, and of whole multiples of the other, are told in thousands."""
_COUNTED = {number: word for word, number in NUMBERS.items()}


def indirect_keys(
    briefing: UserBriefing, behavior: Behavior, seed: int, *, direct: Collection[str]
) -> tuple[str, ...]:
    """Return the facts that a user says in such words, but for those that it says `direct`.

    Hardly anyone names a choice by all that it is not: only where too few are left otherwise.
    """
    drawn = {
        fact.key: derive_rng("indirect", seed, briefing.task_id, fact.key).random()
        for fact in briefing.facts
        if fact.key not in direct and any(_ways(fact, briefing, (), Random(0)))
    }
    by_others = {key for key in drawn if is_by_others(key, briefing)}
    chosen = sorted(drawn, key=lambda key: (key in by_others, drawn[key]))
    count = sum(draw < behavior.indirect for draw in drawn.values())
    most = max(min(count, len(drawn) - len(by_others)), FEWEST_INDIRECT)
    return tuple(chosen[:most]) if behavior.indirect else ()


def indirect_sayings(
    briefing: UserBriefing, keys: Collection[str], seed: int, known: Collection[str]
) -> dict[str, Saying]:
    """Return how some facts are said indirectly; `known` are those that were said before."""
    sayings = {}
    for key in keys:
        fact = briefing.fact(key)
        if fact is not None:
            rng = derive_rng("indirect words", seed, briefing.task_id, key)
            sayings[key] = rng.choice(list(_ways(fact, briefing, known, rng)))
    return sayings


def is_by_others(key: str, briefing: UserBriefing) -> bool:
    """Tell whether a fact can only be told by the values that it is not."""
    words = briefing.lexicon.facts[key]
    return words.form is ValueForm.CHOICE and words.hours.keys() != words.choices.keys()


def label_of(key: str) -> str:
    """Return what a fact is called where it is spoken of by its name."""
    return key.replace("_", " ")


def _ways(
    fact: Fact, briefing: UserBriefing, known: Collection[str], rng: Random
) -> Iterator[Saying]:
    """Yield the ways in which a fact can be said; none where it can only be said plainly."""
    words = briefing.lexicon.facts.get(fact.key)
    if words is None or words.is_joint:
        return
    match words.form:
        case ValueForm.DATE if isinstance(fact.value, list):
            found = _window(fact.value, rng)
        case ValueForm.DATE:
            found = _day(fact, briefing, known)
        case ValueForm.COUNT if words.is_certain:
            found = _party(int(fact.value))
        case ValueForm.MONEY:
            found = _money(parse_cents(fact.value))
        case ValueForm.CHOICE if fact.level is FactLevel.DETAIL:
            yield from _choice(fact, words, briefing, known)
            return
        case _:
            return
    for said in found:
        yield Saying(How.EXACT, said, said)


def _words(name: str, place: int | None = None, **values: Any) -> str:
    template: Any = saying_words()["indirect"][name]
    return str(template if place is None else template[place]).format(**values)


def _day(fact: Fact, briefing: UserBriefing, known: Collection[str]) -> Iterator[str]:
    """Yield a day by another that was said before, by today, or else by the calendar."""
    day = date.fromisoformat(fact.value)
    today = date.fromisoformat(briefing.today)
    away = (day - today).days
    anchors = list(_days_said(fact, briefing, known))
    for other, before in anchors:
        yield _from_day(day, (day - before).days, label_of(other))
    if away % _WEEK == 0 and 1 < away // _WEEK <= _MOST_WEEKS:
        yield _words("from_today", n=_COUNTED[away // _WEEK])
    if _is_next(day, today):
        yield _words("on", day=_words("next", weekday=_weekday(day)))
    if not anchors:
        yield _words("on", day=_by_calendar(day))


def _is_next(day: date, today: date) -> bool:
    """Tell whether a day is the next of its name, and of the next calendar week as well.

    On a Wednesday the Friday two days on would be `this Friday` to some, and `next` to others.
    """
    return 0 < (day - today).days <= _WEEK and day.weekday() <= today.weekday()


def _days_said(
    fact: Fact, briefing: UserBriefing, known: Collection[str]
) -> Iterator[tuple[str, date]]:
    """Yield the facts said before that are a day shortly before this one."""
    for other in briefing.facts:
        words = briefing.lexicon.facts.get(other.key)
        is_day = words is not None and words.form is ValueForm.DATE and isinstance(other.value, str)
        if other.key == fact.key or not is_day or other.key not in known:
            continue
        before = date.fromisoformat(other.value)
        if 0 <= (date.fromisoformat(fact.value) - before).days <= _MOST_DAYS:
            yield other.key, before


def _from_day(day: date, days: int, other: str) -> str:
    """Return on which day something is, by how long after another day it is."""
    special = {0: "same_day", 1: "next_day"}
    if days in special:
        return _words("on", day=_words(special[days], other=other))
    if days == _WEEK:
        return _words("week_after", other=other)
    if days > _WEEK or days % 2:
        return _words("after", 0, n=_COUNTED[days], other=other)
    return _words("on", day=_words("after", 1, weekday=_weekday(day), other=other))


def _by_calendar(day: date) -> str:
    ordinal = saying_words()["indirect"]["ordinals"][(day.day - 1) // _WEEK]
    month = MONTHS[day.month - 1]
    return _words("calendar", ordinal=ordinal, weekday=_weekday(day), month=month, year=day.year)


def _weekday(day: date) -> str:
    return str(saying_words()["indirect"]["weekdays"][day.weekday()])


def _window(value: list[str], rng: Random) -> Iterator[str]:
    """Yield a window by its first day and how far the last one is from it."""
    first, last = map(date.fromisoformat, value)
    days = (last - first).days
    if 0 < days <= _MOST_DAYS:
        spelled = spell_date(value[0], rng.randrange(3))
        yield _words("window", 0, first=spelled, n=_COUNTED.get(days, days))
    if 0 < days < _WEEK:
        yield _words("window", 1, first=_by_calendar(first), weekday=_weekday(last))


def _party(number: int) -> Iterator[str]:
    if number in _COUNTED:
        yield _words("alone") if number == 1 else _words("party", n=_COUNTED[number])


def _money(cents: int) -> Iterator[str]:
    if cents >= _THOUSAND and cents % _SHORT == 0:
        yield _words("thousands", n=f"{cents / _THOUSAND:g}")


def _choice(
    fact: Fact, words: FactWords, briefing: UserBriefing, known: Collection[str]
) -> Iterator[Saying]:
    """Yield a choice by its hours, by a like one that was said before, or by all the others."""
    template = _words("labelled", label=label_of(fact.key))
    for other in briefing.facts:  # in its order: what is known comes in any
        theirs = briefing.lexicon.facts.get(other.key)
        if theirs is None or theirs.is_joint or other.key == fact.key or other.key not in known:
            continue
        if theirs.choices == words.choices and other.value == fact.value:
            said = _words("same_value", other=label_of(other.key))
            yield Saying(How.EXACT, said, said, template=template)
    rest = [value for value in words.choices if value != str(fact.value)]
    if words.hours.keys() == words.choices.keys():
        yield _labelled(_by_hours(str(fact.value), words), template)
    elif 0 < len(rest) < _MOST_VALUES and not words.is_set:
        either = join_words(rest).replace(" and ", " or ")
        yield _labelled(_words("others", others=either), template)


def said_by_hours(fact: Fact, briefing: UserBriefing) -> Saying:
    """Return how a time of day is said by its hours."""
    template = _words("labelled", label=label_of(fact.key))
    return _labelled(_by_hours(str(fact.value), briefing.lexicon.facts[fact.key]), template)


def _by_hours(value: str, words: FactWords) -> str:
    """Return a time of day by where it begins and ends among the others."""
    ordered = sorted(words.hours, key=lambda one: words.hours[one])
    place = {ordered[0]: 0, ordered[-1]: 2}.get(value, 1)
    begin, until = map(_clock, words.hours[value])
    return _words("hours", place, begin=begin, until=until)


def _clock(hour: float) -> str:
    return f"{int(hour):02d}:{round(60 * (hour % 1)):02d}"


def _labelled(said: str, template: str) -> Saying:
    return Saying(How.EXACT, said, said, template=template)
