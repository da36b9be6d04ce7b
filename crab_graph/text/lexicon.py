"""The closed lexicons of the text layer, read once, with the hash stamped on verdicts (§2)."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from crab_graph.schema import digest


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
    whole = _whole_words([word for word in listed if word not in signs])
    return "(?:" + "|".join([whole, *signs]) + ")" if signs else whole


def _whole_words(words: Sequence[str]) -> str:
    """Return a group that matches any of `words` as whole words, the first that does.

    Where each begins with a letter, they are put together by it, and what must not stand before is
    looked at after it: a search then skips all places with other letters, in half the time.
    """
    spread = [form for word in words for form in _spread(word)]
    if not all(_PLAIN_START.match(form) for form in spread):
        return rf"(?:(?<!\w)(?:{'|'.join(words)})(?!\w))"
    endings: dict[str, list[str]] = {}
    for form in spread:
        endings.setdefault(form[0], []).append(form[1:])
    groups = (rf"{first}(?<!\w{first})(?:{'|'.join(rest)})" for first, rest in endings.items())
    return rf"(?:(?:{'|'.join(groups)})(?!\w))"


_PLAIN_START = re.compile(r"[^\W_](?![?*+{|])")
_LEADING_GROUP = re.compile(r"\(\?:([^()\[\]\\]*)\)(?![?*+{])")


def _spread(word: str) -> list[str]:
    """Return the forms of a word that begins with a group of choices, in their order."""
    group = _LEADING_GROUP.match(word)
    if group is None:
        return [word]
    return [choice + word[group.end() :] for choice in group[1].split("|")]


@cache
def fragment(section: str, key: str) -> str:
    """Return the alternatives of one lexicon entry as a regular-expression fragment."""
    return alternatives(lexicon()[section][key])


@cache
def pattern(section: str, key: str) -> re.Pattern[str]:
    """Return one lexicon entry as a compiled pattern."""
    return re.compile(fragment(section, key))


@cache
def cues(section: str, key: str) -> tuple[str, ...]:
    """Return texts of which whatever one lexicon entry matches holds one.

    To look for them costs a fraction of a search. An entry with a word that is no plain text has
    the empty text alone, which everything holds.
    """
    words = lexicon()[section][key]
    if any(re.escape(word) != word.replace(" ", "\\ ").replace("-", "\\-") for word in words):
        return ("",)
    return tuple(
        word for word in words if not any(other in word for other in words if other != word)
    )


def may_hold(text: str, section: str, key: str) -> bool:
    """Return whether a text holds a cue of a lexicon entry, without which it matches nothing."""
    return any(map(text.__contains__, cues(section, key)))
