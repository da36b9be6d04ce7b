"""Prompt fragments: the built-in Markdown files, and those that a directory adds (paper A.2).

A directory may replace built-in fragments, and add personas and dimensions. `persona_anxious.md`
makes `anxious` a persona, `d2_anxious.md` is its variant of D2. A persona whose file has the field
`like: terse` takes the variants it lacks, and its rates, from `terse`; without that field it brings
all four variants, and has the rates of `neutral`. `mood_default.md` makes `mood` a dimension, and
`mood_terse.md` is its variant for one persona; personas without one take the default. The shipped
dimensions beyond the paper's are files of that kind: a `d5_default.md` replaces all of D5.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter

from crab_graph.enclosed import check_enclosed
from crab_graph.errors import UsageError
from crab_graph.personas.behavior import LIKE, FieldValue, read_fields, split_fields
from crab_graph.personas.condition import DIMENSIONS, PERSONAS, SHIPPED, Added, Persona
from crab_graph.schema import digest

PLACEHOLDERS = tuple(
    "basic details facts_per_answer final_wish first_wish job patience things today words".split()
)

_NAME = re.compile(r"(?P<part>[a-z][a-z0-9-]*)_(?P<variant>[a-z][a-z0-9-]*)")
_PERSONA, _DEFAULT = "persona", "default"
_RESERVED = {"generic", "persona", "ruse", "none", "default", "disclosure", *DIMENSIONS, *PERSONAS}


@dataclass(frozen=True, slots=True)
class Fragments:
    """The text of every fragment by name, with placeholders, and the fields at its head.

    `facts` are the keys of facts that fragments name, with the file that does; the hash is that of
    it all, or `None` for the built-in fragments alone.
    """

    texts: Mapping[str, str]
    added: Added = field(default_factory=Added)
    fields: Mapping[str, Mapping[str, FieldValue]] = field(default_factory=dict)
    facts: Mapping[str, Path] = field(default_factory=dict)
    sha256: str | None = None

    def variant(self, part: str, persona: str) -> str:
        """Return the name of the fragment of a part for a persona, or of its default."""
        name = f"{part}_{persona}"
        return name if name in self.texts else f"{part}_{_DEFAULT}"

    @property
    def text_only(self) -> tuple[str, ...]:
        """The added dimensions without fields, which only a user that reads them can follow."""
        with_fields = {name.partition("_")[0] for name, values in self.fields.items() if values}
        return tuple(name for name in self.added.dimensions if name not in with_fields)

    def check_facts(self, known: Collection[str]) -> None:
        """Refuse fragments that name a fact which a domain lacks.

        Raises:
            UsageError: one does; the message names the file and what is known.
        """
        for key, path in self.facts.items():
            if key not in known:
                names = ", ".join(f"{{{name}}}" for name in (*PLACEHOLDERS, *known))
                raise UsageError(f"{path}: unknown placeholder '{{{key}}}'; known: {names}")


@cache
def built_in_fragments() -> Fragments:
    """Return the fragments that come with the package."""
    folder = files("crab_graph.personas").joinpath("fragments")
    texts: dict[str, str] = {}
    rates: dict[str, Mapping[str, FieldValue]] = {}
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = Path(entry.name)
        texts[path.stem] = entry.read_text("utf-8")
        if path.stem.partition("_")[0] in SHIPPED.dimensions:
            written, texts[path.stem] = split_fields(path, texts[path.stem])
            rates[path.stem] = read_fields(path, written)
    return Fragments(texts, SHIPPED, rates)


def load_fragments(directory: Path | None, facts: Collection[str] | None = None) -> Fragments:
    """Return the built-in fragments, replaced and extended by the Markdown files of a directory.

    Fragments may name the domain's facts, whose keys are unchecked where `facts` is `None`.

    Raises:
        UsageError: the directory holds none, or a file has a name, a placeholder, a field or a
            value that is not known, or an added persona lacks a variant; the message names it.
    """
    built_in = built_in_fragments()
    if directory is None:
        return built_in
    paths = sorted(directory.glob("*.md")) if directory.is_dir() else []
    if not paths:
        raise UsageError(f"{directory}: no directory with fragments (*.md)")
    check_enclosed(directory, UsageError, *(path.name for path in paths))
    written: dict[str, dict[str, str]] = {}
    given: dict[str, str] = {}
    for path in paths:
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: not UTF-8 text ({error.reason})") from error
        head = ({}, text) if _is_fixed(path.stem, built_in) else split_fields(path, text)
        written[path.stem], given[path.stem] = head
    added = _added(directory, built_in, written)
    for path in paths:
        _check_name(path, built_in, added)
    replaced = tuple(f"{name}_" for name in SHIPPED.dimensions if f"{name}_{_DEFAULT}" in given)
    kept = {stem: text for stem, text in built_in.texts.items() if not stem.startswith(replaced)}
    texts = {**kept, **given}
    for name, like in added.personas.items():
        for dimension in DIMENSIONS:
            variant = f"{dimension}_{name}"
            if variant not in texts and LIKE not in written[f"{_PERSONA}_{name}"]:
                raise UsageError(
                    f"{directory / variant}.md: missing; persona '{name}' needs a variant of each "
                    f"dimension, or a first line such as 'like: terse' in persona_{name}.md"
                )
            texts.setdefault(variant, texts[f"{dimension}_{like}"])
    rates = {stem: values for stem, values in built_in.fields.items() if stem in kept}
    loaded = Fragments(
        texts,
        added,
        rates | {path.stem: read_fields(path, written[path.stem]) for path in paths},
        {key: path for path in reversed(paths) for key in _facts_named(path, given[path.stem])},
        # The fields too: the same text under other rates or another name is another user.
        digest([texts, {stem: fields for stem, fields in written.items() if fields}]),
    )
    if facts is not None:
        loaded.check_facts(facts)
    return loaded


def _is_fixed(stem: str, built_in: Fragments) -> bool:
    """Tell whether a name is that of a fragment every condition is made of; it has no fields."""
    return stem in built_in.texts and stem.partition("_")[0] not in SHIPPED.dimensions


def _added(directory: Path, built_in: Fragments, written: Mapping[str, Mapping[str, str]]) -> Added:
    """Return the personas and dimensions that the files of a directory add."""
    personas: dict[str, Persona] = {}
    dimensions = []
    for stem, fields in written.items():
        path, named = directory / f"{stem}.md", _NAME.fullmatch(stem)
        part = named["part"] if named else ""
        if named is None or _is_fixed(stem, built_in):
            continue
        if part == _PERSONA:
            if named["variant"] in _RESERVED:
                raise UsageError(
                    f"{path}: '{named['variant']}' is taken; name the persona otherwise"
                )
            like = fields.get(LIKE, Persona.NEUTRAL)
            if like not in PERSONAS:
                known = ", ".join(PERSONAS)
                raise UsageError(f"{path}: 'like: {like}' must name one of {known}")
            personas[named["variant"]] = Persona(like)
        elif LIKE in fields:
            raise UsageError(f"{path}: the field 'like' stands in a persona's own file")
        elif named["variant"] == _DEFAULT and part not in _RESERVED:
            dimensions.append(part)
    both = next((name for name in (*SHIPPED.dimensions, *dimensions) if name in personas), None)
    if both is not None:
        raise UsageError(f"{directory}: '{both}' is a persona and a dimension; name one otherwise")
    return Added(personas, tuple(sorted({*SHIPPED.dimensions, *dimensions})))


def _check_name(path: Path, built_in: Fragments, added: Added) -> None:
    named = _NAME.fullmatch(path.stem)
    if path.stem in built_in.texts:
        return
    if named is None or named["part"] in _RESERVED - {_PERSONA, *DIMENSIONS}:
        raise UsageError(
            f"{path}: no fragment has that name; known: {', '.join(built_in.texts)}, "
            "persona_NAME and d1_NAME to d4_NAME for a persona of your own, or NAME_default and "
            "NAME_PERSONA for a dimension"
        )
    dimensions = (_PERSONA, *DIMENSIONS, *added.dimensions)
    if named["part"] not in dimensions:
        raise UsageError(
            f"{path}: there is no dimension '{named['part']}'; known: "
            f"{', '.join(dimensions[1:])}; {named['part']}_default.md would add it"
        )
    personas = (*PERSONAS, *added.personas)
    if named["variant"] not in {*personas, _DEFAULT}:
        raise UsageError(
            f"{path}: there is no persona '{named['variant']}'; known: {', '.join(personas)}; "
            f"persona_{named['variant']}.md would add it"
        )


def _facts_named(path: Path, text: str) -> list[str]:
    """Return the placeholders of a fragment that can only be keys of facts."""
    try:
        found = [part for part in Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise UsageError(f"{path}: {error}; write a brace twice to mean itself") from error
    for _, name, spec, conversion in found:
        if spec or conversion or not re.fullmatch(r"[a-z][a-z0-9_]*", name or ""):
            known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
            raise UsageError(
                f"{path}: unknown placeholder '{{{name}}}'; known: {known}, and facts by key"
            )
    return [str(name) for _, name, _, _ in found if name not in PLACEHOLDERS]
