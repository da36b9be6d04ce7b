"""Words of what agents ask for and nobody wants.

Fields of offers that no wish reads, prices of parts, and which of several plans that fit.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from crab_graph.domain.declaration import Declaration
from crab_graph.domain.english import any_of, spoken
from crab_graph.domain.fields import Choice
from crab_graph.domain.subjects import subjects
from crab_graph.domain.templates import filled

_MOST_VALUES = 6
"""Of a field with more values nobody asks which of them it is to be."""


def unwished_words(
    declaration: Declaration, shared: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the words of each such thing, under a name of its own."""
    for name, field in _unwished_fields(declaration):
        noun = spoken(name).removesuffix(" name")
        words = {
            "noun": noun,
            "noun_cue": any_of((noun,)),
            "values_cue": any_of(map(str, field.values)),
        }
        yield name, filled(shared["choice"], words)
    if declaration.budget is not None:
        yield "part_price", shared["part_price"]
        yield "pick", shared["pick"]


def _unwished_fields(declaration: Declaration) -> Iterator[tuple[str, Choice]]:
    """Yield the fields of offers in words that no wish is about, each name once."""
    seen = {one.field for one in subjects(declaration)}
    for offer in declaration.offers:
        for name, field in offer.fields.items():
            if name in seen or not isinstance(field, Choice) or len(field.values) > _MOST_VALUES:
                continue
            if all(isinstance(value, str) for value in field.values):
                seen.add(name)
                yield name, field
