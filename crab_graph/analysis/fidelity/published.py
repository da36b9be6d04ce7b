"""What published studies say of people, beside what is measured of users."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from crab_graph.terms import label


class Rate(NamedTuple):
    """A rate of people as a range, and the study that it is from."""

    low: float
    high: float
    source: str


class Figure(NamedTuple):
    """One figure of how users behave: what it is about, people's rate, the fields that set it."""

    key: str
    label: str
    about: str
    is_share: bool
    people: Rate | None
    fields: tuple[str, ...]


@cache
def people_rates() -> Mapping[str, Rate]:
    """Return the known rates of people, by kind of turn."""
    document = _document()
    return {
        kind: Rate(rate["low"], rate["high"], document["sources"][rate["source"]])
        for kind, rate in document["people"].items()
    }


@cache
def figures() -> Mapping[str, Figure]:
    """Return the figures that checks of the manipulation are about, by key, in their order."""
    return {
        key: Figure(
            key,
            label(key),
            one["about"],
            one.get("unit", "share") == "share",
            people_rates()[one["people"]] if "people" in one else None,
            tuple(one.get("fields", ())),
        )
        for key, one in _document()["figures"].items()
    }


@cache
def _document() -> Mapping[str, Any]:
    text = files(__package__).joinpath("published.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
