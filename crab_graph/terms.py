"""What things are called, wherever people read of them; nothing else names them."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files

_WORDS = tomllib.loads((files(__package__) / "terms.toml").read_text(encoding="utf-8"))
OUTCOMES: Mapping[str, str] = _WORDS["outcomes"]
VERDICTS: Mapping[str, str] = _WORDS["verdicts"]
USERS: Mapping[str, str] = _WORDS["users"]
"""What kinds of user are, and the parts of a mix, by their names."""
FAULTS: Mapping[str, str] = _WORDS["faults"]
LABELS: Mapping[str, str] = _WORDS["labels"]
"""Heads of columns and rows, names of filters, axes of figures, by their names in JSON."""
PARTS: Mapping[str, str] = _WORDS["parts"]
TITLES: Mapping[str, str] = _WORDS["titles"]
HEADINGS: Mapping[str, str] = _WORDS["headings"]
EFFORT: Mapping[str, str] = _WORDS["effort"]
COVERAGE: Mapping[str, str] = _WORDS["coverage"]
FOUND: Mapping[str, str] = _WORDS["found"]
FATES: Mapping[str, str] = _WORDS["fates"]
NOTES: Mapping[str, str] = _WORDS["notes"]
INSTEAD: Mapping[str, list[str]] = _WORDS["instead"]
"""Words by what used to stand for them, which nothing says any more."""
TURNS_INTO = " → "
"""Stands between what something was and what it is now."""


def label(name: str) -> str:
    """Return what a column, a row or an axis is called; nothing where it needs no name.

    Raises:
        KeyError: the vocabulary has no such name.
    """
    return LABELS[name] if name else ""


def words(name: str) -> str:
    """Return an identifier as words: `inter_entity_constraint` → `inter entity constraint`."""
    return name.replace("_", " ")


def verdict_word(verdict: str | None) -> str:
    """Return what a verdict or an outcome is called; what is neither stays as it is."""
    if verdict is None:
        return ""
    return VERDICTS.get(verdict) or OUTCOMES.get(verdict, verdict)
