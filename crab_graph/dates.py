"""Dates as day numbers and times as minutes, the forms constraints compute with.

There is one clock and no time zone. A day number counts days since 1970-01-01; a minute counts from
midnight of its day.
"""

from datetime import date
from functools import cache

EPOCH = date(1970, 1, 1)
MINUTES_A_DAY = 24 * 60


def day_number(iso: str) -> int:
    """Return the day number of an ISO date.

    Raises:
        ValueError: the text is not a date written as YYYY-MM-DD.
    """
    return (date.fromisoformat(iso) - EPOCH).days


def iso_date(day: int) -> str:
    """Return the ISO date of a day number."""
    return date.fromordinal(EPOCH.toordinal() + day).isoformat()


def weekday(day: int) -> int:
    """Return the weekday of a day number, 0 for Monday."""
    return (day + EPOCH.weekday()) % 7


@cache  # tools show many of the few that there are
def clock_time(minute: int) -> str:
    """Return a minute of the day as `HH:MM`."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def timestamp(day: int, minute: int) -> str:
    """Return `YYYY-MM-DDTHH:MM`."""
    return f"{iso_date(day)}T{clock_time(minute)}"
