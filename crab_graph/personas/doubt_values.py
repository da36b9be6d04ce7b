"""What a user is not sure of at first: vague values and slips, marked (D3, paper section 3.3).

Which facts these are is drawn once for an episode. What is said first has a mark of doubt; asked
again, or played back, the user holds to the fact itself. Names, ids and what else identifies a
person or a card are never in doubt, and neither is what is said under a text form.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from crab_graph.money import format_dollars, parse_cents
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import Fact, How, Saying, UserBriefing
from crab_graph.personas.spoken_dates import MONTHS
from crab_graph.personas.wordbook import ConflictKind, FactWords, ValueForm
from crab_graph.personas.wording import word_value
from crab_graph.randomness import derive_rng

_DAYS_OFF, _WINDOW_OFF = 1, 7
_DOLLARS = 100_00
_THIRDS = ((10, "early"), (20, "mid"), (31, "late"))
_BOUNDS = (ConflictKind.AT_LEAST, ConflictKind.AT_MOST)
_SURE = {ValueForm.TEXT, ValueForm.NAMES, ValueForm.DATES, ValueForm.CARD, ValueForm.FLAG}


@cache
def saying_words() -> Mapping[str, Mapping[str, Any]]:
    """Return the words of values that are not said plainly, by part and kind."""
    text = files("crab_graph.personas").joinpath("sayings.toml").read_text("utf-8")
    return tomllib.loads(text)


def doubtful_sayings(
    briefing: UserBriefing, behavior: Behavior, seed: int, *, sure_of: Collection[str] = ()
) -> dict[str, Saying]:
    """Return the facts that a user says with doubt at first, by key, and how it says them.

    As many are slips as its behaviour says, before all those by which a job can go wrong; then
    values that are vague, then such as are right. It is a function of the briefing and the seed.
    """
    rng = derive_rng("doubt", seed, briefing.task_id)
    said = [one for one in briefing.facts if one.key not in sure_of and _may_doubt(one, briefing)]
    said.sort(key=lambda fact: derive_rng("doubt of", seed, briefing.task_id, fact.key).random())
    slips: dict[str, Saying] = {}
    for fact in sorted(said, key=lambda one: not _matters(one, briefing)):
        wrong = _neighbours(fact, briefing) if len(slips) < behavior.slips else []
        if wrong:
            slips[fact.key] = _saying(How.WRONG, rng.choice(wrong), fact, briefing, behavior, rng)
    rest = [fact for fact in said if fact.key not in slips]
    vague = [fact for fact in rest if behavior.doubts > len(slips)][: behavior.doubts - len(slips)]
    doubts = slips | {fact.key: _vague(fact, briefing, behavior, rng) for fact in vague}
    for fact in rest:
        if fact.key not in doubts and rng.random() < behavior.uncertain:
            doubts[fact.key] = _saying(How.EXACT, fact.value, fact, briefing, behavior, rng)
    return doubts


def _may_doubt(fact: Fact, briefing: UserBriefing) -> bool:
    words = briefing.lexicon.facts.get(fact.key)
    return (
        words is not None and words.form not in _SURE and not (words.is_certain or words.is_joint)
    )


def _matters(fact: Fact, briefing: UserBriefing) -> bool:
    """Tell whether a job that goes by the wrong value can hardly be the right one, unseen.

    What names its slot, such as the kind of a thing, is seen in what the thing is called.
    """
    words, slots = briefing.lexicon.facts[fact.key], briefing.lexicon.slots
    is_bound = words.conflict is not None and words.conflict.kind in _BOUNDS
    is_called = any(slots[slot].search(str(fact.value).casefold()) for slot in words.slots)
    return not (words.form is ValueForm.MONEY or is_bound or is_called)


def _neighbours(fact: Fact, briefing: UserBriefing) -> list[Any]:
    """Return the wrong values that a user could have in mind; the nearest, where there is an order.

    Of a bound it is one that lets in more than the user would take.
    """
    words, value = briefing.lexicon.facts[fact.key], fact.value
    match words.form:
        case ValueForm.CHOICE:
            return [one for one in words.others if one != value]
        case ValueForm.COUNT:
            return _nearest_counts(int(value), words)
        case ValueForm.DATE if isinstance(value, list):
            return [_moved_window(value, days) for days in _steps(value[0], _WINDOW_OFF, briefing)]
        case ValueForm.DATE:
            return [_moved(value, days) for days in _steps(value, _DAYS_OFF, briefing)]
    return []


def _nearest_counts(value: int, words: FactWords) -> list[int]:
    kind = words.conflict.kind if words.conflict is not None else ConflictKind.COUNT
    allowed = [int(one) for one in words.others] or list(range(1, value + 2))
    below = [one for one in allowed if one < value][-1:]
    above = [one for one in allowed if one > value][:1]
    if kind is ConflictKind.AT_LEAST:
        return below
    return above if kind is ConflictKind.AT_MOST else below + above


def _steps(first: str, days: int, briefing: UserBriefing) -> Iterator[int]:
    """Yield how many days a date can be off without being in the past."""
    yield days
    if _moved(first, -days) > briefing.today:
        yield -days


def _moved(iso: str, days: int) -> str:
    return (date.fromisoformat(iso) + timedelta(days=days)).isoformat()


def _moved_window(window: Sequence[str], days: int) -> list[str]:
    return [_moved(iso, days) for iso in window]


def _saying(
    how: How, value: Any, fact: Fact, briefing: UserBriefing, behavior: Behavior, rng: Random
) -> Saying:
    """Return how a value is said that has its edges."""
    words = briefing.lexicon.facts[fact.key]
    said = word_value(words.form, value, words, rng.randrange(3))
    return Saying(how, said, words.choices.get(str(value), said), _mark(behavior, rng))


def _vague(fact: Fact, briefing: UserBriefing, behavior: Behavior, rng: Random) -> Saying:
    """Return how a fact is said vaguely; one with no vague form is said as it is, with a mark."""
    words, kinds = briefing.lexicon.facts[fact.key], saying_words()["vague"]
    others, value, phrase = _neighbours(fact, briefing), fact.value, ""
    match words.form:
        case ValueForm.DATE:
            day = date.fromisoformat(value[0] if isinstance(value, list) else value)
            third = next(name for last, name in _THIRDS if day.day <= last)
            said = kinds[third].format(month=MONTHS[day.month - 1])
        case ValueForm.MONEY:
            near = round(parse_cents(value) / _DOLLARS) * _DOLLARS
            said = kinds["money"].format(amount=format_dollars(near).removesuffix(".00"))
        case ValueForm.COUNT if others:
            other = rng.choice(others)
            either = kinds["either"].format(other=min(other, value), value=max(other, value))
            about = kinds["about"].format(value=words.many.format(n=other))
            said = rng.choice([words.many.format(n=either), about])
        case ValueForm.CHOICE if others:
            other = rng.choice(others)
            said = kinds["either"].format(other=other, value=value)
            pair = (words.choices[str(one)] for one in (other, value))
            phrase = kinds["either"].format(**dict(zip(("other", "value"), pair, strict=True)))
        case _:
            return _saying(How.EXACT, value, fact, briefing, behavior, rng)
    return Saying(How.VAGUE, said, phrase or said, _mark(behavior, rng))


def _mark(behavior: Behavior, rng: Random) -> str:
    marks = saying_words()["doubt"]
    return str(rng.choice(marks[str(behavior.manner)]))
