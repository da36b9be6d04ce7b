"""Names of what can be booked, after a pattern, drawn without repetition."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from typing import Any

from crab_graph.domain.declaration import Names
from crab_graph.domain.invented import FAMILIES, PEOPLE
from crab_graph.errors import UsageError

_PART = re.compile(r"\{(\w+)\}")
_OWN: Mapping[str, Sequence[str]] = {"person": PEOPLE, "family": FAMILIES}
"""The lists that every pattern can name."""


def parts_of(names: Names) -> tuple[str, ...]:
    """Return the parts that a pattern is made of, in order."""
    return tuple(_PART.findall(names.pattern))


def draw_names(names: Names, rng: Random, entities: Sequence[Mapping[str, Any]]) -> list[str]:
    """Draw a distinct name for each entity, given their properties.

    Where a value that decides the lists has more entities than names, the same share of the
    entities of every value gets a family's name in front, so that the length of a name does not
    tell what an entity is.

    Raises:
        UsageError: there are too few names.
    """
    values = [None if names.by is None else str(one[names.by]) for one in entities]
    counts = Counter(values)
    lists = {value: _lists(names, value) for value in counts}
    fewest = min((prod(map(len, one)) for one in lists.values()), default=1)
    share = max(0.0, 1 - fewest / max(counts.values(), default=1))
    drawn = {
        value: _drawn(names, lists[value], rng, count, round(share * count))
        for value, count in sorted(counts.items(), key=str)
    }
    return [drawn[value].pop() for value in values]


def _lists(names: Names, value: str | None) -> list[Sequence[str]]:
    """Return the words of each part of the pattern, for a value of the field that decides them."""
    chosen = []
    for part in parts_of(names):
        words = names.lists.get(part) or _OWN[part]
        chosen.append(words[str(value)] if isinstance(words, Mapping) else words)
    return chosen


def _drawn(
    names: Names, lists: Sequence[Sequence[str]], rng: Random, count: int, long: int
) -> list[str]:
    """Draw distinct names in random order, so many of them with a family's name in front."""
    short = prod(map(len, lists))
    if count > short * (1 + len(FAMILIES)):
        raise UsageError(
            f"the names '{names.pattern}' are too few for {count}; give their lists more words"
        )
    found = [_name(names, lists, number) for number in rng.sample(range(short), count - long)]
    for number in rng.sample(range(len(FAMILIES) * short), long):
        family, place = divmod(number, short)
        found.append(f"{FAMILIES[family]} {_name(names, lists, place)}")
    rng.shuffle(found)
    return found


def _name(names: Names, lists: Sequence[Sequence[str]], number: int) -> str:
    """Return the name of a number, as one reads the digits of a number."""
    words = []
    for choices in lists:
        number, place = divmod(number, len(choices))
        words.append(choices[place])
    remaining = iter(words)
    return _PART.sub(lambda _: next(remaining), names.pattern)
