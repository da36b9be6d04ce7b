"""Slips of whoever types: names and dates that are nearly the right ones."""

from collections.abc import Iterator
from datetime import date

_FIRST, _LAST = date(1900, 1, 1), date(2020, 12, 31)
"""Between what days people are born, for one who types."""


def misspelt(name: str) -> list[str]:
    """Return a name with two letters exchanged, or one left out or doubled; never a first one."""
    return sorted({slip for at in range(len(name)) for slip in _at_letter(name, at)} - {name})


def _at_letter(name: str, at: int) -> Iterator[str]:
    before, one, two, after = name[:at], name[at : at + 1], name[at + 1 : at + 2], name[at + 2 :]
    if before[-1:].isalpha() and one.isalpha() and two.isalpha():
        yield f"{before}{two}{one}{after}"
        yield f"{before}{two}{after}"
        yield f"{before}{one}{one}{two}{after}"


def mistyped(day: str) -> list[str]:
    """Return an ISO date with two neighbouring digits exchanged, or one that is one off."""
    found = {slip for at in range(len(day)) for slip in _at_digit(day, at)} - {day}
    return sorted(slip for slip in found if _is_birth_date(slip))


def _at_digit(day: str, at: int) -> Iterator[str]:
    before, one, two, after = day[:at], day[at : at + 1], day[at + 1 : at + 2], day[at + 2 :]
    if one.isdigit():
        yield from (f"{before}{(int(one) + step) % 10}{two}{after}" for step in (-1, 1))
    if one.isdigit() and two.isdigit():
        yield f"{before}{two}{one}{after}"


def _is_birth_date(text: str) -> bool:
    try:
        return _FIRST <= date.fromisoformat(text) <= _LAST
    except ValueError:
        return False
