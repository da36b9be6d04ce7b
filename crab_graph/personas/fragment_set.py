"""Prompt fragments: the built-in Markdown files, and those that a directory adds (paper A.2).

A directory may replace built-in fragments, and add personas: `persona_anxious.md` makes `anxious` a
persona, `d2_anxious.md` its variant of D2. A persona whose file begins with a line `like: terse`
takes the variants it lacks, and its rates, from `terse`; without that line it brings all four
variants, and has the rates of `neutral`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter

from crab_graph.errors import UsageError
from crab_graph.personas.condition import DIMENSIONS, PERSONAS, Persona
from crab_graph.schema import digest

PLACEHOLDERS = ("basic", "details", "facts_per_answer", "patience", "today", "words")

_NAME = re.compile(r"(?P<part>persona|d[1-4])_(?P<persona>[a-z][a-z0-9-]*)")
_RESERVED = {"generic", "persona", "ruse", "none", "default", *DIMENSIONS}
_LIKE = re.compile(r"\Alike:[ \t]*(\S*)[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Fragments:
    """Every fragment by name.

    Attributes:
        texts: Their texts, with placeholders.
        added: Personas that files added, and the built-in one that each behaves like.
        sha256: Hash of it all, or `None` for the built-in fragments alone.
    """

    texts: Mapping[str, str]
    added: Mapping[str, Persona]
    sha256: str | None = None


@cache
def built_in_fragments() -> Fragments:
    """Return the fragments that come with the package."""
    folder = files("crab_graph.personas").joinpath("fragments")
    texts = {
        entry.name.removesuffix(".md"): entry.read_text("utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".md")
    }
    return Fragments(texts, {})


def load_fragments(directory: Path | None) -> Fragments:
    """Return the built-in fragments, replaced and extended by the Markdown files of a directory.

    Raises:
        UsageError: the directory holds none, or a file has a name, a placeholder or a `like:` that
            is not known, or an added persona lacks a variant; the message names the file.
    """
    built_in = built_in_fragments()
    if directory is None:
        return built_in
    paths = sorted(directory.glob("*.md")) if directory.is_dir() else []
    if not paths:
        raise UsageError(f"{directory}: no directory with fragments (*.md)")
    given = {path.stem: _read(path) for path in paths}
    added: dict[str, Persona] = {}
    alone: set[str] = set()
    for path in paths:
        name = _added_persona(path, built_in)
        if name is None:
            continue
        like = _LIKE.match(given[path.stem])
        added[name] = Persona.NEUTRAL if like is None else _like(path, like[1])
        given[path.stem] = _LIKE.sub("", given[path.stem])
        alone |= {name} if like is None else set()
    for path in paths:
        _check_name(path, built_in, added)
        _check_placeholders(path, given[path.stem])
    texts = {**built_in.texts, **given}
    for name, like_persona in added.items():
        for dimension in DIMENSIONS:
            variant = f"{dimension}_{name}"
            if variant not in texts and name in alone:
                raise UsageError(
                    f"{directory / variant}.md: missing; persona '{name}' needs a variant of each "
                    "dimension, or a first line such as 'like: terse' in its own file"
                )
            texts.setdefault(variant, texts[f"{dimension}_{like_persona}"])
    # The names too: the same text under another name is another user.
    return Fragments(
        texts, added, digest([texts, {name: str(like) for name, like in added.items()}])
    )


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason})") from error


def _added_persona(path: Path, built_in: Fragments) -> str | None:
    named = _NAME.fullmatch(path.stem)
    if named is None or named["part"] != "persona" or path.stem in built_in.texts:
        return None
    if named["persona"] in _RESERVED:
        raise UsageError(f"{path}: '{named['persona']}' is taken; name the persona otherwise")
    return named["persona"]


def _like(path: Path, name: str) -> Persona:
    if name not in PERSONAS:
        raise UsageError(f"{path}: 'like: {name}' must name one of {', '.join(PERSONAS)}")
    return Persona(name)


def _check_name(path: Path, built_in: Fragments, added: Mapping[str, Persona]) -> None:
    named = _NAME.fullmatch(path.stem)
    if path.stem in built_in.texts or (named is not None and named["persona"] in added):
        return
    if named is not None:
        raise UsageError(
            f"{path}: there is no persona '{named['persona']}'; known: "
            f"{', '.join((*PERSONAS, *added))}; persona_{named['persona']}.md would add it"
        )
    raise UsageError(
        f"{path}: no fragment has that name; known: {', '.join(built_in.texts)}, or "
        "persona_NAME and d1_NAME to d4_NAME for a persona of your own"
    )


def _check_placeholders(path: Path, text: str) -> None:
    known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    try:
        fields = [part for part in Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise UsageError(f"{path}: {error}; write a brace twice to mean itself") from error
    for _, name, spec, conversion in fields:
        if name not in PLACEHOLDERS or spec or conversion:
            raise UsageError(f"{path}: unknown placeholder '{{{name}}}'; known: {known}")
