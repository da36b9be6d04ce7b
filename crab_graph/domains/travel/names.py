"""Names that read like the real thing, of the lists in `names.toml`: only cities are real."""

import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from random import Random
from typing import Any, NamedTuple


class City(NamedTuple):
    """The airport of a city."""

    code: str
    airport: str


@cache
def read_text(name: str) -> str:
    """Return a file of the travel domain."""
    return files("crab_graph.domains.travel").joinpath(name).read_text("utf-8")


@cache
def read_data(name: str) -> dict[str, Any]:
    """Return the content of a TOML file of the travel domain."""
    return tomllib.loads(read_text(name))


_LISTS = read_data("names.toml")

CITIES = {name: City(**city) for name, city in _LISTS["cities"].items()}
CARRIERS: tuple[str, ...] = tuple(_LISTS["carriers"])
DISTRICTS: tuple[str, ...] = tuple(_LISTS["districts"])
CARD_BRANDS: tuple[str, ...] = tuple(_LISTS["card_brands"])


def person_names(rng: Random, count: int) -> list[str]:
    """Return distinct names of invented people."""
    names = list(product(_LISTS["given"], _LISTS["family"]))
    return [" ".join(name) for name in rng.sample(names, count)]


def email_of(name: str) -> str:
    """Return the address of an invented person."""
    return f"{name.lower().replace(' ', '.')}@example.com"


def street_address(rng: Random, city: str) -> str:
    """Return an invented address."""
    return f"{rng.randrange(1, 400)} {rng.choice(_LISTS['streets'])}, {city}"


def hotel_names(rng: Random, count: int) -> list[str]:
    """Return distinct hotel names of three words."""
    choices = list(product(*(_LISTS[f"hotel_{part}"] for part in ("first", "second", "kind"))))
    return [" ".join(words) for words in rng.sample(choices, count)]


def attraction_names(rng: Random, categories: Sequence[str]) -> list[str]:
    """Return a distinct name for each attraction, one that fits its category.

    Where a category has more attractions than short names, the same share of every category gets a
    family's name in front.
    """
    counts = Counter(categories)
    short = {
        category: [f"{place} {theme}" for place, theme in product(_LISTS["places"], themes)]
        for category, themes in _LISTS["themes"].items()
    }
    plain = min(map(len, short.values()))
    share = max(0.0, 1 - plain / max(counts.values(), default=1))
    names = {
        category: _names_of(rng, short[category], count, round(share * count))
        for category, count in sorted(counts.items())
    }
    return [names[category].pop() for category in categories]


def _names_of(rng: Random, short: Sequence[str], count: int, long: int) -> list[str]:
    """Return distinct names in random order, so many of them with a family's name in front."""
    families = _LISTS["family"]
    names = rng.sample(short, count - long)
    for number in rng.sample(range(len(families) * len(short)), long):
        family, place = divmod(number, len(short))
        names.append(f"{families[family]} {short[place]}")
    rng.shuffle(names)
    return names
