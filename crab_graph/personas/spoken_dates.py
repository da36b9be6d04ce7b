"""Numbers and dates as people write them: `3 May 2027`, `May 3, 2027`, `3-7 May`, `2027-05-03`.

Of `5/3/2027` the month stands first, of `3.5.2027` the day. Without a year `9/23` and `09-23` are
dates only where they can hardly be anything else, such as hours or a fraction.
"""

import re
from datetime import date
from itertools import chain
from typing import NamedTuple

MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
_MONTHS = len(MONTHS)
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS = {word: number for number, word in enumerate(_WORDS, start=1)}

_DIGIT = re.compile(r"\d")
_MONTH_NUMBER = {name.casefold(): number for number, name in enumerate(MONTHS, 1)}
_MONTH_NUMBER |= {name[:3]: number for name, number in _MONTH_NUMBER.items()} | {"sept": 9}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTH_NUMBER, key=len, reverse=True))})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_TO = (
    r"(?:\s*(?:-|–|to|and|until|through)\s*(?:the\s+)?(?P<last>[0-3]?\d)(?:st|nd|rd|th)?"
    r"(?!\d|:|\s+(?:people|person|night|day|adult|[a-z]{3,}s)\b))?"
)
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d)\b)?"
_NO_UNIT = (
    r"(?![\d/:%-]|\.\d|\s*(?:h\b|hrs?\b|hours?|min|days?\b|nights?|stars?|people|[ap]m\b|[ap]\.m))"
)
_WRITTEN = (
    re.compile(r"(?<![\d/-])(?P<year>(?:19|20)\d\d)([/-])(?P<number>\d\d)\2(?P<day>\d\d)(?!\d)"),
    re.compile(rf"(?<![\d.,$-]){_DAY}{_TO}\s+(?:of\s+)?{_MONTH}{_YEAR}", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?!\d){_TO}{_YEAR}", re.IGNORECASE),
    re.compile(r"(?<![\d/])(?P<number>\d{1,2})/(?P<day>\d{1,2})/(?P<year>(?:19|20)\d\d)(?![\d/])"),
    re.compile(r"(?<![\d.,$])(?P<day>\d{1,2})\.(?P<number>\d{1,2})\.(?P<year>(?:19|20)\d\d)(?!\d)"),
    re.compile(rf"(?<![\w/.,$:-])(?P<number>0?[1-9]|1[0-2])/(?P<day>1[3-9]|2\d|3[01]){_NO_UNIT}"),
    re.compile(rf"(?<![\w/.,$:-])(?P<number>0[1-9])/(?P<day>0[1-9]|1[0-2]){_NO_UNIT}"),
    re.compile(rf"(?<![\w/.,$:-])(?P<number>0[1-9])-(?P<day>1[3-9]|2\d|3[01]){_NO_UNIT}"),
    re.compile(rf"(?<![\w/.,$:-])(?P<number>1[0-2])-(?P<day>2[5-9]|3[01]){_NO_UNIT}"),
)


class SpokenDate(NamedTuple):
    """A date found in text, with where it starts and ends."""

    start: int
    end: int
    iso: str


def find_dates(text: str, today: str) -> list[SpokenDate]:
    """Return the dates a text mentions, in order; a missing year is the next one not yet past."""
    found: list[SpokenDate] = []
    forms = _WRITTEN if _DIGIT.search(text) else ()
    taken = bytearray(len(text))
    for match in chain.from_iterable(form.finditer(text) for form in forms):
        start, end, parts = match.start(), match.end(), match.groupdict()
        if any(taken[start:end]):
            continue
        number = parts.get("number")
        month = int(number) if number else _MONTH_NUMBER[parts["month"].casefold()]
        days = [int(day) for day in (parts["day"], parts.get("last")) if day]
        if month > _MONTHS >= days[0]:
            month, days = days[0], [month]  # `25/12/2027` can be one date only
        dates = [_date_or_none(parts.get("year"), month, day, today) for day in days]
        read = [SpokenDate(start, end, iso) for iso in dates if iso is not None]
        if read:
            taken[start:end] = b"\1" * (end - start)
        found += read
    return sorted(found)


def spell_date(iso: str, style: int = 0) -> str:
    """Return a date in one of three unambiguous spellings."""
    day = date.fromisoformat(iso)
    month = MONTHS[day.month - 1]
    spellings = (f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", iso)
    return spellings[style % len(spellings)]


def _date_or_none(year: str | None, month: int, day: int, today: str) -> str | None:
    now = date.fromisoformat(today)
    for candidate in [int(year)] if year else [now.year, now.year + 1]:
        try:
            found = date(candidate, month, day)
        except ValueError:
            continue
        if year or found >= now:
            return found.isoformat()
    return None
