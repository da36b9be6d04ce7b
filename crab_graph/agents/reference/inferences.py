"""What a user means by words that take careful reading, put in plain words (design §8, D1).

A day is worked out from the calendar, from today or from a day said before, an amount from its
thousands, a time of day from its hours, another choice from the values that it is not. What is
worked out stands in the user's text in the lexicon's own words, so that whoever reads plain
statements reads it too.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from crab_graph.agents.reference.conversation import Conversation
from crab_graph.agents.reference.wish_vocabulary import Wishes
from crab_graph.agents.reference.wishes import WishReader
from crab_graph.money import format_dollars
from crab_graph.personas.spoken_dates import MONTHS, NUMBERS, find_dates
from crab_graph.personas.wordbook import DomainLexicon, FactWords, ValueForm
from crab_graph.text.articles import filled_in

_ORDINALS = ("first", "second", "third", "fourth", "last")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = "|".join(_WEEKDAYS)
_ISO = r"\d{4}-\d\d-\d\d"
_CALENDAR = re.compile(
    rf"\bthe ({'|'.join(_ORDINALS)}) ({_DAY}) (?:of|in) ({'|'.join(MONTHS)}),? (\d{{4}})\b", re.I
)
_DAYS_LATER = re.compile(r"\bbetween ([^.;\n]{4,40}?) and (\w+) days later\b", re.I)
_DAY_AFTER = re.compile(rf"\bbetween ({_ISO}) and the ({_DAY}) after\b(?! the)", re.I)
_FROM_TODAY = re.compile(r"\b(?:on )?(\w+) weeks from today\b", re.I)
_NEXT = re.compile(rf"\b(?:on )?next ({_DAY})\b", re.I)
_THOUSANDS = re.compile(r"\$(\d+(?:\.\d+)?)k\b", re.I)
_CLOCK = r"(\d\d):(\d\d)"
_BETWEEN_VALUES = re.compile(r",\s*|\s+(?:or|nor|and)\s+")
_MINUTE = 1 / 60
_KEPT = 500
"""Conversations of which it is remembered what they come to."""


class Inference:
    """Works out what users of one domain mean."""

    def __init__(self, reader: WishReader, lexicon: DomainLexicon) -> None:
        self._reader = reader
        facts = lexicon.facts
        days = [key for key, one in facts.items() if one.form is ValueForm.DATE]
        self._days = {key.replace("_", " "): key for key in days}
        labels = "|".join(map(re.escape, sorted(self._days, key=len, reverse=True))) or "(?!)"
        self._after = re.compile(
            rf"\b(?:on )?(?:the (same day|day|{_DAY})|(\w+) (?:days|(week))) (?:as|after) the"
            rf" ({labels})\b",
            re.I,
        )
        choices = {key: one for key, one in facts.items() if one.form is ValueForm.CHOICE}
        self._choices = {key.replace("_", " "): one for key, one in choices.items()}
        names = "|".join(map(re.escape, sorted(self._choices, key=len, reverse=True))) or "(?!)"
        self._labelled = re.compile(
            rf"(?<![\w])({names}): (anything but|the same as the) ([^.;!?\n]+)", re.I
        )
        self._timed = re.compile(
            rf"(?<![\w])({names}): (not before|before|between) {_CLOCK}(?: and {_CLOCK})?", re.I
        )
        self._known: dict[tuple[str, ...], list[str]] = {}

    def plain(self, conversation: Conversation) -> Conversation:
        """Return a conversation in which the user has said plainly what it means."""
        texts = iter(self._plain(tuple(conversation.user_texts), conversation.today))
        turns = tuple(
            turn._replace(text=next(texts)) if turn.is_user else turn for turn in conversation.turns
        )
        return conversation._replace(turns=turns)

    def _plain(self, texts: Sequence[str], today: str) -> list[str]:
        key = (today, *texts)
        if key not in self._known:
            before = self._plain(texts[:-1], today) if texts else []
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = [*before, self._meant(texts[-1], before, today)] if texts else []
        return self._known[key]

    def _meant(self, text: str, before: Sequence[str], today: str) -> str:
        """Return a text in plain words, given what was said before it."""
        text = _CALENDAR.sub(_by_calendar, text)
        text = _DAYS_LATER.sub(lambda found: _days_later(found, today), text)
        text = _DAY_AFTER.sub(_until_weekday, text)
        text = _FROM_TODAY.sub(lambda found: _from_today(found, today), text)
        text = _NEXT.sub(lambda found: _next_of_name(found, today), text)
        text = _THOUSANDS.sub(_in_full, text)
        text = self._timed.sub(self._by_hours, text)
        if not (self._after.search(text) or self._labelled.search(text)):
            return text
        known = self._reader.read([*before, text], today)
        text = self._after.sub(lambda found: self._from_day(found, known), text)
        return self._labelled.sub(lambda found: self._chosen(found, known), text)

    def _by_hours(self, found: re.Match[str]) -> str:
        """Return a time of day told by its hours; the words themselves where none has these."""
        words = self._choices[found[1].casefold()]
        hours = [int(found[place]) + int(found[place + 1]) / 60 for place in (3, 5) if found[place]]
        is_begin = found[2].casefold() != "before"
        left = [
            value
            for value, (begin, until) in words.hours.items()
            if abs((begin if is_begin else until) - hours[0]) < _MINUTE
        ]
        return _stated(words, left[0]) if len(left) == 1 else found[0]

    def _from_day(self, found: re.Match[str], known: Wishes) -> str:
        """Return a day told by another; the words themselves where that one is not known."""
        value = known.get(self._days[found[4].casefold()])
        if value is None:
            return found[0]
        before = date.fromisoformat(value if isinstance(value, str) else value[0])
        named = (found[1] or "").casefold()
        if named in _WEEKDAYS:
            return f"on {_next(before, named)}"
        if found[3]:
            return f"on {before + timedelta(days=7)}"
        days = {"same day": 0, "day": 1}.get(named, _number(found[2] or ""))
        return found[0] if days is None else f"on {before + timedelta(days=days)}"

    def _chosen(self, found: re.Match[str], known: Wishes) -> str:
        """Return the statement of a choice told by others, or by that of another fact."""
        words = self._choices[found[1].casefold()]
        values = {value.casefold(): value for value in words.choices}
        said = found[3].strip().casefold()
        if found[2].casefold().startswith("the same"):
            other = self._choices.get(said)
            left = [known[other.key]] if other is not None and other.key in known else []
        else:
            named = set(_BETWEEN_VALUES.split(said))
            left = [value for low, value in values.items() if low not in named]
        return _stated(words, str(left[0])) if len(left) == 1 else found[0]


def _stated(words: FactWords, value: str) -> str:
    template = words.full[0].removesuffix(".")
    return filled_in(template, value=value, phrase=words.choices.get(value, value))


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() else NUMBERS.get(word.casefold())


def _next(before: date, weekday: str) -> date:
    """Return the first day of that name after another day."""
    return before + timedelta(days=(_WEEKDAYS.index(weekday) - before.weekday() - 1) % 7 + 1)


def _by_calendar(found: re.Match[str]) -> str:
    months: Mapping[str, int] = {name.casefold(): place for place, name in enumerate(MONTHS, 1)}
    first = date(int(found[4]), months[found[3].casefold()], 1)
    ahead = (_WEEKDAYS.index(found[2].casefold()) - first.weekday()) % 7
    weeks = _ORDINALS.index(found[1].casefold())
    day = first + timedelta(days=ahead + 7 * weeks)
    # There is not always a fifth.
    return (day if day.month == first.month else day - timedelta(days=7)).isoformat()


def _days_later(found: re.Match[str], today: str) -> str:
    days, first = _number(found[2]), find_dates(found[1], today)
    if days is None or not first:
        return found[0]
    last = date.fromisoformat(first[0].iso) + timedelta(days=days)
    return f"between {first[0].iso} and {last}"


def _until_weekday(found: re.Match[str]) -> str:
    return f"between {found[1]} and {_next(date.fromisoformat(found[1]), found[2].casefold())}"


def _next_of_name(found: re.Match[str], today: str) -> str:
    return f"on {_next(date.fromisoformat(today), found[1].casefold())}"


def _from_today(found: re.Match[str], today: str) -> str:
    weeks = _number(found[1])
    return found[0] if weeks is None else f"on {date.fromisoformat(today) + weeks * timedelta(7)}"


def _in_full(found: re.Match[str]) -> str:
    return format_dollars(round(float(found[1]) * 1_000_00))
