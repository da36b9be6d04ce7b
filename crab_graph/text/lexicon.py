"""The closed lexicons of the text layer, read once, with the hash stamped on verdicts (§2)."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from crab_graph.schema import digest

WORD = r"[^\W_]++(?:['-][^\W_]++)*"
"""A word, as a regular-expression fragment; it may end before a hyphen, not between letters."""


@cache
def lexicon() -> Mapping[str, Any]:
    """Return the parsed lexicon."""
    return tomllib.loads(files("crab_graph.text").joinpath("lexicon.toml").read_text("utf-8"))


@cache
def lexicon_hash() -> str:
    """Return the hash of the lexicon's content."""
    return digest(lexicon())


def alternatives(words: Iterable[str]) -> str:
    """Return a group that matches any of `words` as whole words, longest first; signs anywhere."""
    listed = sorted(words, key=lambda word: (-len(word), word))
    signs = [word for word in listed if not any(letter.isalnum() for letter in word)]
    whole = "|".join(word for word in listed if word not in signs)
    return "(?:" + "|".join([rf"(?<!\w)(?:{whole})(?!\w)", *signs]) + ")"


@cache
def fragment(section: str, key: str) -> str:
    """Return the alternatives of one lexicon entry as a regular-expression fragment."""
    return alternatives(lexicon()[section][key])


@cache
def pattern(section: str, key: str) -> re.Pattern[str]:
    """Return one lexicon entry as a compiled pattern."""
    return re.compile(fragment(section, key))
