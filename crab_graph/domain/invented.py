"""Invented people: their names, how they are reached, where they live and what they pay with.

The lists are in `invented.toml`. Addresses are of domains and numbers reserved for examples.
"""

import tomllib
from importlib.resources import files
from itertools import product
from random import Random

from crab_graph.dates import day_number, iso_date
from crab_graph.tools.tables import Row

_LISTS = tomllib.loads(files(__package__).joinpath("invented.toml").read_text("utf-8"))

FAMILIES: tuple[str, ...] = tuple(_LISTS["family"])
PEOPLE = tuple(" ".join(name) for name in product(_LISTS["given"], FAMILIES))
"""Names of people."""


def person_names(rng: Random, count: int) -> list[str]:
    """Draw distinct names of people."""
    return rng.sample(PEOPLE, count)


def email_of(name: str) -> str:
    """Return the address of a person."""
    return f"{name.lower().replace(' ', '.')}@example.com"


def birth_date(rng: Random) -> str:
    """Draw the ISO date of birth of an adult."""
    return iso_date(day_number("1955-01-01") + rng.randrange(50 * 365))


def phone_number(rng: Random) -> str:
    """Draw a number of the range that is reserved for fiction."""
    return f"555-01{rng.randrange(100):02d}"


def street_address(rng: Random) -> str:
    """Draw an address."""
    return f"{rng.randrange(1, 400)} {rng.choice(_LISTS['streets'])}, {rng.choice(_LISTS['towns'])}"


def drawn_card(rng: Random, card_id: str) -> Row:
    """Draw what a card with an id shows: `card_id`, `brand` and `last4`."""
    brand = rng.choice(_LISTS["card_brands"])
    return {"card_id": card_id, "brand": brand, "last4": f"{rng.randrange(10000):04d}"}
