"""Which cues can be found in a text at all, told by three letters that every match of one holds.

Most cues occur in no clause at hand. To look three letters up is much faster than to search.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SIZE = 3
_MOST = 64
"""Beginnings that are followed up in one pattern."""

Strings = frozenset[str]


def parts_of(text: str) -> Strings:
    """Return all runs of three letters of a text."""
    return frozenset(text[at : at + SIZE] for at in range(len(text) - SIZE + 1))


@lru_cache(maxsize=100_000)
def needed_parts(cue: re.Pattern[str]) -> Strings | None:
    """Return runs of three letters of which every match of a cue has one; `None` if unknown."""
    if cue.flags & re.IGNORECASE:
        return None
    found = _best(parser.parse(cue.pattern))
    return None if found is None else frozenset(found)


def search(cue: re.Pattern[str], text: str, parts: Strings) -> re.Match[str] | None:
    """Return the first match of a cue in a text, of which the runs of three letters are given."""
    needed = needed_parts(cue)
    if needed is not None and needed.isdisjoint(parts):
        return None
    return cue.search(text)


def _best(tokens: Iterable[Any]) -> set[str] | None:
    """Return the needed parts of a sequence: the fewest that one of its pieces gives."""
    found: list[set[str]] = []
    strings = {""}
    for kind, value in tokens:
        own = _strings(kind, value)
        if own is not None and len(own) * len(strings) <= _MOST:
            strings = {start + end for start in strings for end in own}
            continue
        _keep(strings, found)
        strings = {""}
        inner = _inner(kind, value)
        if inner is not None:
            found.append(inner)
    _keep(strings, found)
    return min(found, key=len, default=None)


def _keep(strings: set[str], found: list[set[str]]) -> None:
    if all(len(one) >= SIZE for one in strings):
        found.append({one[-SIZE:] for one in strings})


def _strings(kind: Any, value: Any) -> set[str] | None:
    """Return all that a piece matches, where that is not much."""
    if kind is kinds.LITERAL:
        return {chr(value)}
    if kind in {kinds.AT, kinds.ASSERT, kinds.ASSERT_NOT}:
        return {""}
    if kind is kinds.SUBPATTERN:
        return _all_of(value[-1])
    if kind is kinds.BRANCH:
        branches = [_all_of(one) for one in value[1]]
        known = [one for one in branches if one is not None]
        return set().union(*known) if len(known) == len(branches) else None
    if kind is kinds.MAX_REPEAT and value[:2] == (0, 1):
        once = _all_of(value[2])
        return None if once is None else {"", *once}
    if kind is kinds.IN and all(one is kinds.LITERAL for one, _ in value):
        return {chr(code) for _, code in value}
    return None


def _all_of(tokens: Iterable[Any]) -> set[str] | None:
    strings = {""}
    for kind, value in tokens:
        own = _strings(kind, value)
        if own is None or len(own) * len(strings) > _MOST:
            return None
        strings = {start + end for start in strings for end in own}
    return strings


def _inner(kind: Any, value: Any) -> set[str] | None:
    """Return the needed parts of a piece that matches too much to be listed."""
    if kind is kinds.SUBPATTERN:
        return _best(value[-1])
    if kind is kinds.BRANCH:
        branches: Sequence[set[str] | None] = [_best(one) for one in value[1]]
        known = [one for one in branches if one is not None]
        return set().union(*known) if len(known) == len(branches) else None
    if kind is kinds.MAX_REPEAT and value[0] > 0:
        return _best(value[2])
    return None
