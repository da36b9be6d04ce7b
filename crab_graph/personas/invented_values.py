"""Values in a user's own words that its facts do not have (rulebook §10, U1 and U2)."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.message_text import ANY_ID
from crab_graph.personas.questions import read_segments
from crab_graph.personas.segments import Segment
from crab_graph.personas.spoken_dates import MONTHS, NUMBERS, find_dates
from crab_graph.personas.user_guide import fact_label, user_guide
from crab_graph.personas.wordbook import FactWords, ValueForm, says
from crab_graph.text.amounts import find_amounts

_FULL_NAME = re.compile(r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)+")
_MONTH_WORDS = {month.casefold() for month in MONTHS}
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_DAYS_AROUND = 31
_REFUSAL = re.compile(r"^(?:no|nope)\b[\s,!.:-]*")


def invented_person(text: str, heard: Sequence[str], briefing: UserBriefing) -> str | None:
    """Return a full name or a past date that neither the facts nor the agent ever mentioned."""
    spoken = " ".join([*(str(fact.value) for fact in briefing.facts), *heard])
    known = {*re.findall(r"\w+(?:['-]\w+)*", spoken.casefold()), *_MONTH_WORDS}
    dates = {date.iso for one in heard for date in find_dates(one, briefing.today)}
    dates |= set(_own_days(briefing))
    for found in find_dates(text, briefing.today):
        if found.iso < briefing.today and dates.isdisjoint({found.iso, _swapped(found.iso)}):
            return text[found.start : found.end]
    for line in re.split(r"[.!?;\n]", text):
        low = line.casefold()
        speaks = says("person", low) or briefing.lexicon.people.search(low) is not None
        for name in _FULL_NAME.findall(line) if speaks else ():
            if name.split()[-1].casefold() not in known:
                return str(name)
    return None


def _swapped(iso: str) -> str:
    """Return a date with day and month in the other order, as one in numbers alone may be meant."""
    year, month, day = iso.split("-")
    return f"{year}-{day}-{month}"


def invented_value(
    text: str, heard: Sequence[str], briefing: UserBriefing, excused: Collection[str] = ()
) -> str | None:
    """Return in words a value that a text states of the user's wishes and that is not its own.

    What the agent named, what a clause denies or asks, and what is said of the facts in `excused`
    is no invention.
    """
    known = " ".join([*(str(fact.value) for fact in briefing.facts), *heard]).casefold()
    for name in [*ANY_ID.findall(text.casefold()), *_ADDRESS.findall(text.casefold())]:
        if name not in known:
            return str(name)
    _, segments = read_segments(text, briefing.lexicon)
    stated = [one for one in segments if _is_stated(one.text)]
    named = " ".join(heard).casefold()
    for key, words in briefing.lexicon.facts.items():
        if key in excused:
            continue
        for segment in stated:
            value = _wrong_value(words, segment, named, briefing)
            if value is not None:
                return f"{fact_label(key)}: {value}"
    return _wrong_day(text, heard, briefing, excused)


def _is_stated(clause: str) -> bool:
    """Tell whether a clause states something; a "no" before it refuses something else."""
    return "?" not in clause and not says("not_stated", _REFUSAL.sub("", clause))


def _wrong_value(
    words: FactWords, segment: Segment, named: str, briefing: UserBriefing
) -> str | None:
    match words.form:
        case ValueForm.CHOICE:
            return _wrong_choice(words, segment, named, briefing)
        case ValueForm.COUNT:
            return _wrong_count(words, segment, named, briefing)
        case ValueForm.MONEY:
            return _wrong_limit(words, segment, named, briefing)
    return None


def _wrong_choice(
    words: FactWords, segment: Segment, named: str, briefing: UserBriefing
) -> str | None:
    """Return a value of a choice that no wish of the user has, and that the agent did not name."""
    said = _choices(words, segment.text)
    own = {str(fact.value) for fact in briefing.facts}
    if briefing.fact(words.key) is None and not words.slots:
        # A word of many meanings, unless it answers a question.
        said = said if any(cue.search(named) for cue in words.asks) else set()
    if not said or said & own or said & _choices(words, named):
        return None
    others = (one for one in briefing.lexicon.facts.values() if one.key != words.key)
    is_shared = any(said & set(one.choices) for one in others)
    is_about = not (words.slots or is_shared) or bool(segment.scope & set(words.slots))
    return " or ".join(sorted(said)) if is_about or not is_shared else None


def _choices(words: FactWords, text: str) -> set[str]:
    """Return the values of a choice that a text names, the longest where one is within another."""
    found = {value for value, cue in words.cues.items() if cue.search(text)}
    return {one for one in found if not any(one != other and one in other for other in found)}


def _wrong_count(
    words: FactWords, segment: Segment, named: str, briefing: UserBriefing
) -> str | None:
    fact = briefing.fact(words.key)
    said = set(_counts(words, segment.text, briefing))
    if not said or (fact is not None and int(fact.value) in said):
        return None
    said -= set(_counts(words, named, briefing))
    return str(min(said)) if said else None


def _counts(words: FactWords, text: str, briefing: UserBriefing) -> Iterator[int]:
    nouns = "|".join(re.escape(unit.split()[-1]) for unit in (words.one, words.many) if unit)
    forms = [re.compile(rf"\b(\w+)[- ](?:{nouns})\b")] if nouns else []
    people = briefing.lexicon.people
    if people.search(words.many):
        forms.append(re.compile(rf"\b(\w+) (?:of us\b|{people.pattern})"))
    if words.conflict is not None and words.conflict.pattern is not None:
        forms.append(words.conflict.pattern)
    for form in forms:
        for found in form.finditer(text):
            word = next(filter(None, found.groups()), "")
            number = int(word) if word.isdigit() else NUMBERS.get(word)
            if number is not None:
                yield number


def _wrong_limit(
    words: FactWords, segment: Segment, named: str, briefing: UserBriefing
) -> str | None:
    """Return an amount that a clause gives as a limit and that is not the user's."""
    is_limit = user_guide().says("limits", segment.text) or any(
        cue.search(segment.text) for cue in words.asks
    )
    if not is_limit:
        return None
    fact = briefing.fact(words.key)
    own = None if fact is None else parse_cents(fact.value)
    utterance, _ = read_segments(segment.text, briefing.lexicon)
    said = {amount.cents for amount in find_amounts(utterance)}
    if not said or own in said:
        return None
    agents, _ = read_segments(named, briefing.lexicon)
    said -= {amount.cents for amount in find_amounts(agents)}
    return f"${min(said) / 100:,.2f}" if said else None


def _wrong_day(
    text: str, heard: Sequence[str], briefing: UserBriefing, excused: Collection[str]
) -> str | None:
    """Return a day to come that lies far from all the user's and that the agent did not name."""
    own = [day for day in _own_days(briefing) if day >= briefing.today]
    dated = [one for one in briefing.facts if _is_dated(one.key, briefing)]
    if not own or any(one.key in excused for one in dated):
        return None
    least, most = min(own), _after(max(own), _longest(briefing))
    dates = {day.iso for one in heard for day in find_dates(one, briefing.today)}
    for found in find_dates(text, briefing.today):
        is_own = least <= found.iso <= most or found.iso < briefing.today
        if not is_own and found.iso not in dates:
            return text[found.start : found.end]
    return None


def _own_days(briefing: UserBriefing) -> Iterator[str]:
    for fact in briefing.facts:
        if _is_dated(fact.key, briefing):
            yield from fact.value if isinstance(fact.value, list) else [fact.value]


def _is_dated(key: str, briefing: UserBriefing) -> bool:
    words = briefing.lexicon.facts.get(key)
    return words is not None and words.form in {ValueForm.DATE, ValueForm.DATES}


def _longest(briefing: UserBriefing) -> int:
    """Return for how many days after the last of its days the user may speak of days."""
    lexicon = briefing.lexicon.facts
    counts = [
        int(fact.value)
        for fact in briefing.facts
        if fact.key in lexicon and lexicon[fact.key].form is ValueForm.COUNT
    ]
    return min(max(counts, default=0), _DAYS_AROUND)


def _after(iso: str, days: int) -> str:
    return (date.fromisoformat(iso) + timedelta(days=days)).isoformat()
