"""The travel domain's words for the text layer, read once from `text.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from crab_graph.text.vocabulary import TextVocabulary


@cache
def travel_vocabulary() -> TextVocabulary:
    """Return the words of the travel domain."""
    source = files("crab_graph.domains.travel").joinpath("text.toml").read_text("utf-8")
    words = tomllib.loads(source)
    return TextVocabulary(
        prefixes=words["prefixes"],
        named_kinds=frozenset(words["named_kinds"]),
        booking_prefix=words["booking_prefix"],
        slots=words["slots"],
        slot_words=_tuples(words["slot_words"]),
        group_words=_tuples(words["group_words"]),
        bare_words=_tuples(words["bare_words"]),
        item_words=frozenset(words["item_words"]),
        trip_words=tuple(words["trip_words"]),
        unit_phrases=tuple(words["unit_phrases"]),
        counted_words=tuple(words["counted_words"]),
    )


def _tuples(lists: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in lists.items()}
