"""The words of a domain's users, from its declaration: how facts are asked for, said and denied.

What the author leaves out is filled into `templates.toml`, where each kind of wish has a template:
a day, a time of day, one of some values, a count, that slots are alike.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.declaration import Declaration, Wording, texts_of
from crab_graph.domain.derived_vocabulary import kind_words, names_of, vocabulary, whole_words
from crab_graph.domain.english import any_of, plural, spoken
from crab_graph.domain.fields import Several
from crab_graph.domain.joint_words import joint_words, words_with
from crab_graph.domain.requirements import trace_rule
from crab_graph.domain.slot_names import naming_wishes, with_names
from crab_graph.domain.subjects import Subject, clock_hours, says_kind, subjects
from crab_graph.domain.templates import filled, merged, templates
from crab_graph.domain.tracing import UntraceablePredicate
from crab_graph.domain.unwished_words import (
    days_bound_by_wishes,
    hour_words,
    unwished_hours,
    unwished_in_slots,
    unwished_words,
)
from crab_graph.domain.wish_words import (
    ANY_OF_SLOT,
    NOTHING,
    counted_slots,
    every_slot,
    is_measure,
    is_time,
    job_cue,
    noun_of,
    people_cue,
    said_of,
    shared_words,
    slot_cue,
    unit_words,
    value_cue,
)
from crab_graph.personas.briefing import BriefedSlot, Fact, UserBriefing
from crab_graph.personas.wordbook import ConflictKind, DomainLexicon, ValueForm, parse_lexicon

_SEVERAL = 2
_BOUNDS = {"at_least": "at least ", "at_most": "at most "}
_FREE = re.compile(r"Any (.+) is welcome\.")
"""How an author says what a user has no wish on."""
_LENGTHS = frozenset({"minutes", "hours"})
_HOW_LONG = r"\b(?:lengths?|durations?)\b|\bhow long\b"
"""Asks for a number of those."""


@cache
def lexicon(declaration: Declaration) -> DomainLexicon:
    """Return the words that users of a domain's tasks understand and say.

    Raises:
        UsageError: what `Declaration.lexicon` overrides does not fit; the message names the part.
    """
    return parse_lexicon(lexicon_document(declaration), f"of domain '{declaration.name}'")


@cache
def _narrowed(
    declaration: Declaration, present: frozenset[str], naming: tuple[tuple[str, str], ...]
) -> DomainLexicon:
    known = lexicon(declaration)
    known = words_with(declaration, known, present)
    return with_names(declaration, known, dict(naming)) if naming else known


def briefing(
    declaration: Declaration,
) -> Callable[[Sequence[TaskSlot], Sequence[Fact], str, str], UserBriefing]:
    """Return what tells a user what it knows, from `(slots, facts, task id, today)`.

    It has the words of those joint wishes alone that are among the facts, and calls parts of a job
    by the places and kinds among them.
    """
    by = naming_wishes(declaration)

    def brief(
        slots: Sequence[TaskSlot], facts: Sequence[Fact], task_id: str, today: str
    ) -> UserBriefing:
        prefixes = vocabulary(declaration).prefixes
        briefed = tuple(BriefedSlot(slot.id, prefixes[slot.kind], slot.word) for slot in slots)
        joint = {rule.name for rule in declaration.joint_rules}
        present = frozenset(fact.key for fact in facts if fact.key in joint)
        naming = tuple((fact.key, str(fact.value)) for fact in facts if fact.key in by)
        known = _narrowed(declaration, present, naming)
        return UserBriefing(tuple(facts), known, briefed, task_id, today, declaration.job)

    return brief


def lexicon_document(declaration: Declaration) -> dict[str, Any]:
    """Return the lexicon in the form of its files: the derived one, with what the author gives."""
    shared = filled(dict(templates()), shared_words(declaration))
    slots = {
        slot.id: slot.cue or rf"\b{slot_cue(declaration, slot)}\b" for slot in declaration.slots
    }
    amenities = [*shared["extras"], *texts_of(declaration.amenities)]
    asides = shared["asides"]
    derived = {
        "opening": _openings(declaration),
        "asides": {
            "full": texts_of(declaration.asides) or asides["full"],
            "short": texts_of(declaration.asides_short) or asides["short"],
        },
        "whole": _whole(declaration),
        "job": rf"\b{job_cue(declaration)}\b",
        "people": rf"\b{people_cue(declaration)}\b" if declaration.people else NOTHING,
        "human": {"more": texts_of(declaration.human), "others": texts_of(declaration.nobody)},
        "parts": [one.prefix.casefold() for one in declaration.offers if one.provider is not None],
        "extras": rf"\b(?:{'|'.join(amenities)})\b",
        "slots": slots,
        "groups": list(_groups(declaration)),
        "topics": _topics(declaration, slots, shared["topics"]),
        "facts": dict(_facts(declaration, shared)),
        "unwished": {
            **dict(unwished_words(declaration, shared["unwished"])),
            **dict(_unwished_in_slots(declaration, shared)),
        },
    }
    return merged(derived, declaration.lexicon)


def _facts(
    declaration: Declaration, shared: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the words of each fact, in the order in which details are told."""
    known, people = dict(shared["facts"]), declaration.people
    budget, card = known.pop("budget"), known.pop("payment_card")
    wishes = subjects(declaration)
    size = people.size if people else None
    for subject in wishes:
        if subject.is_basic:
            yield subject.key, _words(declaration, subject, shared, size)
    yield "customer_id", known["customer_id"]
    if people is not None:
        yield people.names, shared["people"]["names"]
        yield people.birth_dates, shared["people"]["birth_dates"]
    for subject in wishes:
        if not subject.is_basic:
            yield subject.key, _words(declaration, subject, shared, size)
    if declaration.budget is not None:
        yield "budget", {**budget, **_worded(declaration.budget.wording)}
    yield "email", known["email"]
    if not declaration.is_free:
        yield "payment_card", card


def _words(
    declaration: Declaration, subject: Subject, shared: Mapping[str, Any], size: str | None
) -> dict[str, Any]:
    """Return the words of a wish: those of its kind, but for what the author gives."""
    if subject.key == size:
        return {**shared["people"]["size"], **_worded(subject.wording)}
    if subject.joint:
        rule = next(one for one in declaration.joint_rules if one.name == subject.key)
        return joint_words(subject, rule, _worded(subject.wording))
    template, said = shared["wishes"][_kind(declaration, subject)], said_of(declaration, subject)
    words: dict[str, Any] = filled(template, said)
    synonyms = shared["synonyms"].get(said["noun"].split()[-1], ())
    words["asks"] += [rf"\b{filled(one, said)}\b" for one in synonyms]
    words["asks"] += _asks_by_kind(declaration, subject, said["own_cue"], shared["by_kind"])
    words["slots"], words["needs_slot"] = _scope(declaration, subject)
    conflict = words.get("conflict")
    if conflict is not None:
        is_bound = conflict["kind"] == ConflictKind.AT_MOST
        between = _slots_between(declaration, subject.key) if is_bound else ()
        conflict = {**conflict, "slots": list(subject.slots or between)}
        conflict["beside"] = list(_beside(declaration, subject))
        conflict["between"] = list(_between(declaration, subject))
        words["conflict"] = conflict
    if subject.same and not subject.known:
        del words["conflict"]
    if subject.same:
        words["noun"] = said["noun"]
    if subject.form is ValueForm.COUNT:
        words["repeats"] = max(1, len(counted_slots(declaration, subject)))
        words["one"], words["many"] = unit_words(declaration, subject)
    if subject.form is ValueForm.CHOICE:
        words["values"] = _values(declaration, subject)
        words["codes"] = dict(subject.codes or {})
        words["is_kind"] = says_kind(declaration, subject)
        words["is_name"] = _says_name(declaration, subject)
        words["is_set"] = _is_set(declaration, subject) or subject.wording.overlaps
    if subject.form in {ValueForm.CHOICE, ValueForm.COUNT}:
        words["others"] = list(subject.values)
    words |= _throughout(declaration, subject, words.get("none", ()))
    words |= _worded(subject.wording)
    if subject.form is ValueForm.COUNT and subject.wording.ask:
        # Whatever else asks for a number, it is asked for by its own word, too.
        number = rf"\b(?:how many|(?:number|no\.?) of) {said['noun_cue']}\b"
        words["asks"] = [*words["asks"], number]
    if subject.sentence and not subject.same:
        # A rule that is no likeness is known by what it says, whatever it is called.
        words["asks"] = [*words["asks"], re.escape(subject.sentence.casefold())]
    return words


def _slots_between(declaration: Declaration, key: str) -> tuple[str, ...]:
    """Return the slots of the rules that read a request's value, such as the most days between."""
    found: dict[str, None] = {}
    for rule in declaration.rules:
        with suppress(UntraceablePredicate):
            stated = trace_rule(declaration, rule)
            found |= dict.fromkeys(stated.owners if key in stated.given else ())
    return tuple(found)


def _throughout(declaration: Declaration, subject: Subject, none: Sequence[str]) -> dict[str, Any]:
    """Return how a wish on several slots is said to who asks if it holds for all of them."""
    is_told = subject.form in {ValueForm.CHOICE, ValueForm.COUNT} and not subject.is_role
    if not is_told or len(subject.slots) < _SEVERAL:
        return {}
    said = {**said_of(declaration, subject), "bound": _BOUNDS.get(subject.compare, "")}
    said["all"] = every_slot(declaration, subject)
    own = declaration.lexicon.get("facts", {}).get(subject.key, {}).get("none", none)
    free = next(filter(None, map(_FREE.fullmatch, texts_of(own))), None)
    said["anything"] = free[1] if free else said["noun"]
    return {
        "throughout": [filled("{bound}{value} for {all}.", said)],
        "none_throughout": [filled("Any {anything} will do for {all}.", said)],
    }


def _is_set(declaration: Declaration, subject: Subject) -> bool:
    """Tell whether what fills the slots of a wish may have several of the values wished for."""
    fields = (one.offer.fields.get(subject.field) for one in declaration.slots)
    return any(isinstance(field, Several) for field in fields)


def _says_name(declaration: Declaration, subject: Subject) -> bool:
    """Tell whether what fills the slots of a wish has its name by what is wished."""
    offers = [one.offer for one in declaration.slots if one.id in subject.slots]
    return any(one.names is not None and one.names.by == subject.field for one in offers)


def _unwished_in_slots(
    declaration: Declaration, shared: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the words of what is wished of some slots, for each of those of which nobody does."""
    bound = days_bound_by_wishes(declaration)
    for subject in unwished_in_slots(declaration):
        said = said_of(declaration, subject)
        if subject.form is ValueForm.DATE:
            # Who wants it soon after another day cannot say that any will do.
            own = {**said, "bound": " that fits" if bound.intersection(subject.slots) else ""}
            words = filled(shared["unwished"]["day"], own)
        else:
            words = _words(declaration, subject, shared, None)
            is_number = subject.form is ValueForm.COUNT and said["noun"].endswith(("s", "people"))
            noun = f"number of {said['noun']}" if is_number else said["noun"]
            noun = "time of day" if is_time(subject) else noun
            words["none"] = [filled(ANY_OF_SLOT, {**said, "noun": noun})]
            if said["noun"] in _LENGTHS:
                words["asks"] = [*words["asks"], _HOW_LONG]
        yield _of_slots(subject, words)
    for subject in unwished_hours(declaration):
        own = {"values_cue": any_of(map(str, subject.known)), "apart": hour_words(declaration)}
        said = {**said_of(declaration, subject), **own}
        yield _of_slots(subject, filled(shared["unwished"]["hours"], said))


def _of_slots(subject: Subject, words: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the words of what nobody wishes of some slots, under its key."""
    own = {name: words[name] for name in ("asks", "none")}
    return subject.key, {**own, "slots": list(subject.slots)}


def _kind(declaration: Declaration, subject: Subject) -> str:
    """Return the template that fits a wish."""
    every = len(subject.slots) in {0, len(declaration.slots)}
    match subject.form:
        case ValueForm.DATE:
            is_window = declaration.window is not None and declaration.window.key == subject.key
            return "window" if is_window else "date"
        case ValueForm.COUNT if is_measure(declaration, subject):
            is_equal = subject.compare == "equals"
            return "measure" if is_equal else f"measure_{subject.compare}"
        case ValueForm.COUNT if subject.compare == "equals":
            return (
                "count_of_slot" if subject.slots or counted_slots(declaration, subject) else "count"
            )
        case ValueForm.COUNT:
            return subject.compare
        case ValueForm.FLAG if subject.sentence:
            return "same" if subject.same else "rule"
        case ValueForm.CHOICE if is_time(subject) and subject.slots:
            return "time"
        case ValueForm.CHOICE:
            return "everywhere" if every else "several" if len(subject.slots) > 1 else "choice"
    return "flag" if subject.form is ValueForm.FLAG else "text"


def _asks_by_kind(
    declaration: Declaration, subject: Subject, own: str, cues: Sequence[str]
) -> list[str]:
    """Return how `what kind of specialist?` asks for the one wish that says what is meant."""
    is_kind = says_kind(declaration, subject)
    return [filled(cue, {"own_cue": own}) for cue in cues] if is_kind else []


def _scope(declaration: Declaration, subject: Subject) -> tuple[list[str], bool]:
    """Return the slots whose naming makes a question one for a wish, and whether one is needed.

    A day, a time or what several wishes are about is asked for where the wish's slot or none is
    named; a day is the window's where none is. Whatever else has a word of its own.
    """
    window, rivals = declaration.window, _rivals(declaration, subject)
    if window is not None and window.key == subject.key:
        return [], False
    noun = noun_of(declaration, subject)
    is_shared = any(noun_of(declaration, other) == noun for other in rivals)
    is_bound = is_shared or subject.form is ValueForm.DATE or is_time(subject)
    is_bound |= subject.form is ValueForm.COUNT and _is_elsewhere(declaration, subject)
    if subject.same:
        return list(subject.slots), False
    if subject.form is ValueForm.FLAG or not is_bound:
        return [], False
    return list(subject.slots), subject.form is ValueForm.DATE and window is not None


def _is_elsewhere(declaration: Declaration, subject: Subject) -> bool:
    """Tell whether slots that a wish is not about have a field of its name."""
    others = (slot for slot in declaration.slots if slot.id not in subject.slots)
    return bool(subject.slots) and any(subject.field in slot.offer.fields for slot in others)


def _rivals(declaration: Declaration, subject: Subject) -> list[Subject]:
    wishes = (one for one in subjects(declaration) if one is not subject)
    return [one for one in wishes if one.form is subject.form]


def _beside(declaration: Declaration, subject: Subject) -> Iterator[str]:
    """Yield the facts that draw from the same values in the same slots."""
    for other in _rivals(declaration, subject):
        if {*other.known} & {*subject.known} and {*other.slots} & {*subject.slots}:
            yield other.key


def _between(declaration: Declaration, subject: Subject) -> tuple[str, ...]:
    """Return the two slots whose days lie as far apart as a wish counts, where stays say so."""
    for slot in counted_slots(declaration, subject):
        if (stay := slot.stay) is not None:
            first, last = (ref.partition(".")[0] for ref in (stay.begins, stay.ends))
            return (first, last) if first != last else ()
    return ()


def _values(declaration: Declaration, subject: Subject) -> dict[str, dict[str, Any]]:
    """Return how each value is said and found."""
    times, hours = templates()["times"], clock_hours(declaration, subject)
    wording, values = subject.wording, {}
    for value in subject.known:
        words: dict[str, Any] = dict(times.get(str(value), {})) if is_time(subject) else {}
        words.setdefault("cue", rf"(?<!\w){value_cue(str(value), subject.known)}(?!\w)")
        if value in hours:
            words["hours"] = hours[value]
        given = (("phrase", wording.phrases), ("cue", wording.cues), ("hours", wording.hours))
        words |= {name: one[value] for name, one in given if value in one}
        values[str(value)] = words
    return values


def _worded(wording: Wording) -> dict[str, Any]:
    """Return what an author words of a fact, in the form of a lexicon's files."""
    given = {
        "full": texts_of(wording.say),
        "short": texts_of(wording.short),
        "none": texts_of(wording.none),
        "asks": texts_of(wording.ask),
        "trade": texts_of(wording.trade),
    }
    worded: dict[str, Any] = {name: texts for name, texts in given.items() if texts}
    if wording.unit is not None:
        worded |= {"one": wording.unit[0], "many": wording.unit[1]}
    return worded


def _whole(declaration: Declaration) -> str:
    *own, number = whole_words(declaration)
    words = [word for word in own if word not in {"all", "bookings"}]
    return rf"\b(?:{any_of(words)}|all {number}|overall|grand)\b"


def _groups(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Yield the words that mean several slots: all, those given, and of a kind that fills them."""
    number = whole_words(declaration)[-1]
    every = rf"\b(?:all|each|every one|any)(?: of)?(?: the| these| those| your)? {number}\b"
    yield {"words": every, "slots": [slot.id for slot in declaration.slots]}
    for words, slots in declaration.groups.items():
        yield {"words": rf"\b(?:{words})\b", "slots": list(slots)}
    for offer in declaration.offers:
        slots = [slot.id for slot in declaration.slots if slot.kind == offer.booked_as]
        if len(slots) > 1:
            called = any_of((*kind_words(offer), *names_of(offer)))
            yield {"words": rf"\b{called}\b", "slots": slots}


def _topics(
    declaration: Declaration, slots: Mapping[str, str], shared: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return what is asked for by a subject: a slot, a kind that fills several, the job, people."""
    wishes = subjects(declaration)
    window = declaration.window.key if declaration.window else None
    # What is said first says which offers are meant and when; all else is a preference.
    details = [one for one in wishes if not (one.is_role and one.is_basic) and one.key != window]
    about = {slot: [one.key for one in details if slot in one.slots] for slot in slots}
    topics = {slot: {"words": slots[slot], "facts": facts} for slot, facts in about.items()}
    for offer in declaration.offers:
        mine = {slot.id for slot in declaration.slots if slot.kind == offer.booked_as}
        facts = [one.key for one in details if mine & {*one.slots}]
        if len(mine) > 1:
            words = any_of((kind_words(offer)[0], spoken(offer.booked_as)))
            topics[plural(spoken(offer.booked_as))] = {"words": rf"\b{words}\b", "facts": facts}
    topics["job"] = {
        "words": rf"\b{job_cue(declaration)}\b",
        "facts": [one.key for one in wishes if one.is_basic],
    }
    people = declaration.people
    if people is not None:
        topics["people"] = {**shared["people"], "facts": [people.names, people.birth_dates]}
    return topics


def _openings(declaration: Declaration) -> dict[str, list[str]]:
    """Return the first turns; those in fragments name the slots, and say what is basic bare."""
    titles = ", ".join(slot.title for slot in declaration.slots)
    basic = ", ".join(f"{{{one.key}}}" for one in subjects(declaration) if one.is_basic)
    short = [f"Need {titles}: {basic}.", f"{titles}. {basic}."] if basic else [f"Need {titles}."]
    opening = {
        "full": texts_of(declaration.opening),
        "short": texts_of(declaration.opening_short) or short,
        "trade": texts_of(declaration.opening_trade),
    }
    return {name: texts for name, texts in opening.items() if texts}
