"""What is said of a wish, and by what patterns it is found: its noun, unit, values and slots."""

import re
from collections.abc import Collection, Iterable

from crab_graph.domain.declaration import Declaration, Slot, texts_of
from crab_graph.domain.derived_vocabulary import kind_words, people_words, slot_words, units_of
from crab_graph.domain.english import (
    any_of,
    form_of,
    joined,
    plural,
    science_form,
    singular,
    spoken,
)
from crab_graph.domain.subjects import Subject
from crab_graph.domain.templates import templates
from crab_graph.generation.constraints import Value
from crab_graph.personas.spoken_dates import NUMBERS

ANY_OF_SLOT = "Any {noun} is welcome for the {title}."
"""Says of one slot what is only said of a wish elsewhere."""
_TWO = 2
NOTHING = "(?!)"
"""A pattern that matches nowhere."""

_NTH = frozenset(
    "first second third fourth last final 1st 2nd 3rd 4th 1 2 3 4 one two three four".split()
)
"""Words that number one of several of a kind."""
_AND = r"(?:,? (?:and|or|as well as|plus) |, | ?[/&] ?)(?:the |your )?"
"""What stands between two of these."""
_AT_MOST = r"(?:within|at (?:the )?most|max(?:imum)?\.?|up to|no (?:more|later) than)"
"""What comes before the most that something may be."""
_PARTS = {"all", "everything", "bookings", *NUMBERS}
COUNTED = "(" + "|".join([r"\d+", *NUMBERS]) + ")"
"""The fragment of a number, in figures or in words."""
_ADJECTIVE = r"(?!(?:of|or|to|and|more|per|a|an|the|for|in|on|at|were|are|have|had)\b)[a-z]+"
"""Words that mean everything together, but no job: there are four payments too."""


def shared_words(declaration: Declaration) -> dict[str, str]:
    """Return what is filled into every template of a domain."""
    alone = declaration.people is None
    things = [word for slot in declaration.slots for word in slot_words(declaration, slot)]
    things += [word for offer in declaration.offers for word in kind_words(offer)]
    named = dict.fromkeys(word for word in things if " " not in word)
    people = people_words(declaration)
    size = declaration.people.size if declaration.people else None
    each = [
        unit for one in declaration.offers if size and one.units == size for unit in units_of(one)
    ]
    return {
        "we": "I" if alone else "we",
        "me": "me" if alone else "us",
        "our": "my" if alone else "our",
        "are": "am" if alone else "are",
        "job": declaration.job,
        "job_cue": job_cue(declaration),
        "people": plural(people[0]) if people else "people",
        "person": people[0] if people else "person",
        "people_cue": people_cue(declaration),
        "person_cue": any_of(people) if people else NOTHING,
        "each_cue": any_of(each) if each else NOTHING,
        "sold_cue": any_of(things),
        "unnamed": "".join(f"(?<!{re.escape(word)} )" for word in named),
    }


def job_cue(declaration: Declaration) -> str:
    """Return the fragment that finds the words for a job as a whole."""
    return any_of(
        (declaration.job, *(one for one in declaration.whole if one.casefold() not in _PARTS))
    )


def people_cue(declaration: Declaration) -> str:
    """Return the fragment that finds those whom a job is for."""
    return f"(?:people|persons?|{any_of(people_words(declaration) or ('customer',))})"


def slot_cue(declaration: Declaration, slot: Slot) -> str:
    """Return the fragment that finds the words for a slot.

    One of several that words number, as the first leg, is called so by each word of its kind, and
    beside others that are numbered.
    """
    words = (*slot_words(declaration, slot), slot.title)
    likes = [one for one in declaration.slots if one.kind == slot.kind and one != slot]
    cues = [any_of(words)]
    kinds = any_of(kind_words(slot.offer))
    for place, (lead, end) in {0: ("", f" {kinds}"), 2: (f"{kinds} ", "")}.items():
        own = _numbers(slot, words, place)
        others = [n for one in likes for n in _numbers(one, slot_words(declaration, one), place)]
        if own and others:
            of_own, of_others = any_of(own), any_of(others)
            cues.append(f"{lead}(?:{of_others}{_AND})*{of_own}(?:{_AND}{of_others})*{end}")
    return cues[0] if len(cues) == 1 else f"(?:{'|'.join(cues)})"


def _numbers(slot: Slot, words: Iterable[str], place: int) -> tuple[str, ...]:
    """Return the words that number a slot before the word of its kind, at place 0, or behind it.

    There are none where it is the only one of its kind.
    """
    kinds = kind_words(slot.offer)
    parts = [word.casefold().partition(" ") for word in words]
    return tuple(
        dict.fromkeys(one[place] for one in parts if one[2 - place] in kinds and one[place] in _NTH)
    )


def noun_of(declaration: Declaration, subject: Subject) -> str:
    """Return what a wish is about, in a word or a few, such as `language`.

    It is the wish's key, without the slot or kind that comes first; that slots are alike is said of
    their field.
    """
    if subject.same:
        return spoken(subject.field)
    starts = [*subject.slots, *(one.booked_as for one in declaration.offers)]
    start = next((one for one in starts if subject.key.startswith(f"{one}_")), None)
    return spoken(subject.key if start is None else subject.key[len(start) + 1 :])


def is_time(subject: Subject) -> bool:
    """Tell whether a wish is one for a time of day."""
    return bool(subject.known) and {*map(str, subject.known)} <= templates()["times"].keys()


def is_measure(declaration: Declaration, subject: Subject) -> bool:
    """Tell whether a number is no number of things: its word, such as `rating`, is no plural."""
    noun = noun_of(declaration, subject)
    return subject.wording.unit is None and bool(subject.slots) and noun == singular(noun)


def values_cue(values: Iterable[Value], endings: Collection[str] = ()) -> str:
    """Return the fragment that finds any of some values, none within a longer one.

    They are found without their `endings`, too.
    """
    last = re.compile(rf"\[ -\](?:{'|'.join(map(re.escape, endings)) or NOTHING})\Z")
    found = [last.sub(r"(?:\g<0>)?", value_cue(str(value), values)) for value in values]
    return f"(?:{'|'.join(sorted(found, key=len, reverse=True))})" if found else NOTHING


def value_cue(value: str, others: Iterable[Value]) -> str:
    """Return the fragment that finds a value, and not where it is part of another one."""
    low = value.casefold()
    cue = science_form(re.sub(r"\\[ -]", "[ -]", re.escape(low)))
    for other in {str(one).casefold() for one in others} - {low}:
        before, is_part, after = other.partition(low)
        if is_part and before.endswith(" ") and not after:
            cue = f"(?<!{re.escape(before)}){cue}"
        elif is_part and after.startswith(" ") and not before:
            cue = f"{cue}(?!{re.escape(after)})"
    return cue


def unit_words(declaration: Declaration, subject: Subject) -> tuple[str, str]:
    """Return how a count is said: of one, and of `{n}`."""
    if subject.wording.unit is not None:
        return subject.wording.unit
    noun = noun_of(declaration, subject)
    if is_measure(declaration, subject):
        return "1", "{n}"
    return f"1 {singular(noun)}", f"{{n}} {plural(singular(noun))}"


def count_cue(units: tuple[str, str], number: str = r"(\w+)") -> str:
    """Return the fragment that finds a count in the words of its unit, with the number as group."""
    before, _, after = units[1].casefold().partition("{n}")
    nouns = f"[- ]{form_of(after.strip())}\\b" if after.strip() else ""
    return rf"\b{re.escape(before)}{number}{nouns}"


def bound_of(units: tuple[str, str], noun: str, subject: Subject) -> tuple[str, str]:
    """Return how a count that is of no slot is contradicted: the kind, and the fragment for it.

    What has a unit of another name, as a wait has days, is found behind the word that comes before
    it where the user says it: of days there are others in a plan.
    """
    before, _, unit = units[1].partition("{n}")
    said = next(iter(texts_of(subject.wording.say)), "")
    lead = (before or said.partition("{value}")[0]).split()[-1:]
    is_bound = lead in [["within"], ["most"], ["to"]]
    kind = "at_most" if is_bound else "count"
    if singular(unit.strip()) == singular(noun):
        return kind, f"{count_cue(units)}|{_labelled_count(noun)}"
    if before.strip():
        return kind, count_cue(units)
    return kind, rf"\b{_AT_MOST} {count_cue(units)}" if is_bound else NOTHING


def _labelled_count(noun: str) -> str:
    """Return a pattern for a number behind a noun: `hours 3`, `hour: 3`, but not `hour 3 on`."""
    label = f"(?:{form_of(noun)}(?=[^\\w,;\\s])|{re.escape(plural(singular(noun.casefold())))})"
    return f"\\b{label}[^\\w,;$]{{1,3}}(\\d+)\\b"


def counted_slots(declaration: Declaration, subject: Subject) -> list[Slot]:
    """Return the slots whose units a wish counts."""
    return [slot for slot in declaration.slots if slot.offer.units == subject.key]


def titles_of(declaration: Declaration, subject: Subject) -> list[str]:
    """Return what the slots of a wish are called, or those whose units it counts."""
    slots = {slot.id: slot.title for slot in declaration.slots}
    counted = [slot.id for slot in counted_slots(declaration, subject)]
    return [slots[slot] for slot in subject.slots or counted if slot in slots]


def every_slot(declaration: Declaration, subject: Subject) -> str:
    """Return how all slots of a wish are spoken of together: `both stays`, `all four parts`."""
    titles = titles_of(declaration, subject)
    kinds = {title.split()[-1] for title in titles}
    noun = plural(kinds.pop()) if len(kinds) == 1 else "parts"
    count = len(titles)
    number = next((word for word, one in NUMBERS.items() if one == count), str(count))
    return f"both {noun}" if count == _TWO else f"all {number} {noun}"


def said_of(declaration: Declaration, subject: Subject) -> dict[str, str]:
    """Return what is filled into the template of a wish."""
    noun = noun_of(declaration, subject)
    titles = joined(titles_of(declaration, subject) or [declaration.job])
    nouns = [noun] if subject.field in {"", noun} else [noun, spoken(subject.field)]
    mine = [slot for slot in declaration.slots if slot.id in subject.slots]
    mine = mine or counted_slots(declaration, subject)
    mine_words = [word for slot in mine for word in slot_words(declaration, slot)]
    things = [*mine_words, *(word for slot in mine for word in kind_words(slot.offer))]
    others = [
        word
        for slot in declaration.slots
        if slot.id not in subject.slots
        for word in slot_words(declaration, slot)
        if word not in things
    ]
    units = unit_words(declaration, subject)
    unit = units[1].partition("{n}")[2].strip() or units[1]
    bound, bound_cue = bound_of(units, noun, subject)
    # `3 physio sessions`, `three long nights`
    many = re.escape(plural(singular(unit.casefold())))
    of_kind = rf"\b{COUNTED} {_ADJECTIVE}[ -]{many}\b"
    if mine_words:
        of_kind = rf"{of_kind}|\b{COUNTED} {any_of(mine_words)}[ -]{form_of(unit)}\b"
    return {
        "title": titles,
        "titles": titles,
        "noun": noun,
        "noun_cue": any_of(nouns),
        "units": unit,
        "unit_cue": form_of(unit),
        "count_cue": f"{count_cue(units)}|{of_kind}|{_labelled_count(noun)}",
        "measure_cue": rf"\b{form_of(noun)}\b[^\d,;.]{{0,60}}?(\d+)\b|\b(\d+)[- ]{form_of(noun)}\b",
        "own_cue": any_of(mine_words) if mine_words else NOTHING,
        "bound": bound,
        "bound_cue": bound_cue,
        "thing_cue": any_of(things) if things else NOTHING,
        "other_cue": any_of(others) if others else NOTHING,
        "values_cue": values_cue(subject.known, texts_of(subject.wording.endings)),
        "sentence": subject.sentence,
    }
