"""How users' statements are held against what they know, from a declaration (rulebook §10).

Each wish takes the claims of its kind from `claims.toml`; an author's own claims replace those of
their key. One is a `Claim`, or what stands for one in a file: `key`, `pattern`, and

- `values`: what the words of the pattern's group mean; `numbers`, or `values` for the wish's own;
- `read`: `values` or `one of the dates`, of which one must be right, or `each date`;
- `agrees`: `is wished`, `is known`, `is in window`, of a day that is as many days later as the fact
  `less` says, or `is among` the values of the `facts` named.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.declaration import Declaration
from crab_graph.domain.derived_lexicon import lexicon
from crab_graph.domain.derived_vocabulary import kind_words, slot_words
from crab_graph.domain.english import any_of, form_of
from crab_graph.domain.subjects import Subject, subjects
from crab_graph.domain.templates import templates
from crab_graph.domain.verification import Claim
from crab_graph.domain.wish_words import (
    COUNTED,
    NOTHING,
    count_cue,
    is_measure,
    noun_of,
    people_cue,
    shared_words,
    unit_words,
)
from crab_graph.personas.spoken_dates import NUMBERS, find_dates
from crab_graph.personas.wordbook import ValueForm

Facts = Mapping[str, Any]
Statements = list[tuple[Any, ...]]

_PLACE = re.compile(r"\{([a-z_]+)\}")
_PARTS = {"key", "pattern", "values", "read", "agrees", "less", "facts"}
"""The parts of a claim in a file; all else are fragments of its own."""


@cache
def claims(declaration: Declaration) -> tuple[Claim, ...]:
    """Return how statements of each fact are recognised; what is not seen stays unseen."""
    given = [
        one if isinstance(one, Claim) else _claim(declaration, one) for one in declaration.claims
    ]
    own = {claim.key for claim in given}
    derived = (_claim(declaration, one) for one in _derived(declaration) if one["key"] not in own)
    return tuple(_beside_joint_ones(declaration, claim) for claim in (*given, *derived))


def _beside_joint_ones(declaration: Declaration, claim: Claim) -> Claim:
    """Return a claim that applies where its words can mean its fact.

    A joint wish has the words of those that it stands for: `at least 4 stars, unless ...` states no
    number of stars by itself, and where nobody wishes it so, `4 stars` states that alone.
    """
    joint = declaration.joint_rules
    instead = {rule.name for rule in joint if claim.key in rule.instead}
    if any(rule.name == claim.key for rule in joint):
        return replace(claim, applies=lambda facts: claim.key in facts)
    if instead:
        return replace(claim, applies=instead.isdisjoint)
    return claim


def _derived(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Yield the claims of every fact, in the form of a file."""
    kinds, people = templates("claims.toml")["claims"], declaration.people
    for subject in subjects(declaration):
        for kind in _kinds(declaration, subject):
            yield {"key": subject.key, **kinds[kind]}
    if declaration.budget is not None:
        yield {"key": "budget", **kinds["budget"]}
        yield {"key": "budget", **kinds["spending"]}
    if people is not None:
        yield {"key": people.birth_dates, **kinds["births"]}


def _kinds(declaration: Declaration, subject: Subject) -> tuple[str, ...]:
    """Return the kinds of claims by which statements of a wish are seen."""
    window, people = declaration.window, declaration.people
    if people is not None and subject.key == people.size:
        return ("size", "alone")
    match subject.form:
        case ValueForm.DATE:
            is_window = window is not None and window.key == subject.key
            return ("window",) if is_window else ("date",)
        case ValueForm.COUNT if is_measure(declaration, subject):
            return ("measure",)
        case ValueForm.COUNT:
            return ("count",)
        case ValueForm.CHOICE if not _sharing(declaration, subject):
            return ("value",)
        case ValueForm.CHOICE if not _shares_slot(declaration, subject):
            return ("value_of",)
        case ValueForm.FLAG if subject.same and not _is_ambiguous(declaration, subject):
            return ("same",)
    return ()


def _sharing(declaration: Declaration, subject: Subject) -> list[Subject]:
    """Return the other wishes that can have one of its values."""
    values = {*map(str, subject.known)}
    wishes = (one for one in subjects(declaration) if one is not subject and not one.same)
    return [one for one in wishes if values & {*map(str, one.known)}]


def _shares_slot(declaration: Declaration, subject: Subject) -> bool:
    return any({*one.slots} & {*subject.slots} for one in _sharing(declaration, subject))


def _is_ambiguous(declaration: Declaration, subject: Subject) -> bool:
    nouns = (noun_of(declaration, one) for one in subjects(declaration) if one.same)
    return [*nouns].count(noun_of(declaration, subject)) > 1


def _claim(declaration: Declaration, one: Mapping[str, Any]) -> Claim:
    """Return the claim that stands in a file, its pattern filled in."""
    key, values = one["key"], one.get("values", {})
    wishes = {subject.key: subject for subject in subjects(declaration)}
    own = {name: part for name, part in one.items() if name not in _PARTS}
    fragments = {**_fragments(declaration, wishes.get(key)), **own}
    meanings: Mapping[str, Mapping[str, Any]] = {
        "numbers": NUMBERS,
        "values": {str(value).casefold(): value for value in _known(wishes.get(key))},
    }
    return Claim(
        key,
        _filled(one["pattern"], fragments),
        meanings[values] if isinstance(values, str) else values,
        _reader(declaration, one),
        _agreement(declaration, one),
    )


def _known(subject: Subject | None) -> Sequence[Any]:
    return () if subject is None else subject.known


def _fragments(declaration: Declaration, subject: Subject | None) -> dict[str, str]:
    """Return what a pattern can name: what all share, and what is a wish's own."""
    slots = {slot.id: any_of(_words(declaration, slot.id)) for slot in declaration.slots}
    shared: dict[str, str] = {
        **templates("claims.toml")["fragments"],
        "count": COUNTED,
        "people": people_cue(declaration),
        "sold": shared_words(declaration)["sold_cue"],
        **{slot.replace("-", "_"): cue for slot, cue in slots.items()},
    }
    if subject is None:
        return shared
    mine = [word for slot in subject.slots for word in _words(declaration, slot)]
    rest = [word for slot in slots for word in _words(declaration, slot) if word not in mine]
    kinds = [
        word
        for slot in declaration.slots
        if slot.id in subject.slots
        for word in kind_words(slot.offer)
    ]
    literal = sorted((re.escape(str(one).casefold()) for one in subject.known), key=len)
    return {
        **shared,
        "thing": any_of(mine) if mine else NOTHING,
        "kind": any_of(kinds) if kinds else NOTHING,
        "others": "|".join([rf"\b{any_of(rest)}\b", "{vague}"] if rest else ["{vague}"]),
        "noun": form_of(noun_of(declaration, subject)),
        "units": count_cue(unit_words(declaration, subject), COUNTED),
        "values": "|".join(reversed(literal)),
    }


def _words(declaration: Declaration, slot_id: str) -> tuple[str, ...]:
    """Return the words for a slot, its title's before the rest of it."""
    slot = next(one for one in declaration.slots if one.id == slot_id)
    return (slot.title, *slot_words(declaration, slot))


def _filled(pattern: str, fragments: Mapping[str, Any]) -> str:
    """Return a pattern with the fragments that it names, and those that these name."""
    while (named := _PLACE.search(pattern)) is not None:
        pattern = pattern.replace(named[0], fragments[named[1]])
    return pattern


def _reader(
    declaration: Declaration, one: Mapping[str, Any]
) -> Callable[[str, str], Statements] | None:
    match one.get("read"):
        case "values":
            return partial(_read_values, declaration, one["key"])
        case "one of the dates":
            return _read_dates
        case "each date":
            return _read_each_date
    return None


def _read_values(declaration: Declaration, key: str, text: str, today: str) -> Statements:
    """Read the values that a text names: of several in one statement one must be right."""
    del today
    cues = lexicon(declaration).facts[key].cues
    named = tuple(value for value, cue in cues.items() if cue.search(text))
    return [named] if named else []


def _read_dates(text: str, today: str) -> Statements:
    """Read `3 or 4 May` as one statement, which is right where one of them is."""
    dates = tuple(found.iso for found in find_dates(text, today))
    return [dates] if dates else []


def _read_each_date(text: str, today: str) -> Statements:
    return [(found.iso,) for found in find_dates(text, today)]


def _agreement(
    declaration: Declaration, one: Mapping[str, Any]
) -> Callable[[Facts, Any], bool] | None:
    key, window = one["key"], declaration.window
    match one.get("agrees"):
        case "is wished":
            return lambda facts, value: bool(facts.get(key)) == value
        case "is known":
            return lambda facts, value: value in facts[key]
        case "is in window" if window is not None:
            return partial(_is_in_window, window.key, one.get("less"))
        case "is among":
            return lambda facts, value: value in [facts[name] for name in one["facts"]]
    return None


def _is_in_window(key: str, less: str | None, facts: Facts, iso: Any) -> bool:
    """Return whether a day, or the one a number of days before it, is in the window."""
    first, last = facts[key] if isinstance(facts[key], list) else (facts[key], facts[key])
    day = iso if less is None else iso_date(day_number(iso) - int(facts[less]))
    return bool(first <= day <= last)
