"""The words of joint wishes, and which of a domain's words a user has who has some of them.

A joint wish is told whole: a condition without its `unless`, or one of two alternatives, is another
wish. So its words have parts, which all stand where it is told.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from crab_graph.domain.declaration import Declaration, Rule, texts_of
from crab_graph.domain.english import joined
from crab_graph.domain.fields import Choice, Day, Price
from crab_graph.domain.requirements import trace_rule
from crab_graph.domain.subjects import Subject, subjects
from crab_graph.domain.tracing import UntraceablePredicate
from crab_graph.domain.unwished_words import PART_PRICE
from crab_graph.domain.wish_words import ANY_OF_SLOT, noun_of
from crab_graph.generation.constraints import Value
from crab_graph.personas.spoken_dates import NUMBERS
from crab_graph.personas.wordbook import (
    Cue,
    DomainLexicon,
    FactWords,
    JointTruth,
    Texts,
    Topic,
    Undecided,
    UnwishedWords,
    ValueForm,
)

_NUMBER = re.compile(r"\{n\}")


def joint_words(subject: Subject, rule: Rule, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words of a joint wish, in the form of a lexicon's files.

    `said` are those that its author gives.
    """
    words: dict[str, Any] = {"form": str(subject.form), "asks": [], "full": [], **said}
    words.setdefault("short", words["full"])
    words["slots"] = list(subject.slots) if len(subject.slots) == 1 else []
    words["others"] = []
    words["about"] = rule.wording.about or "(?!)"
    words["clarify"] = texts_of(rule.wording.clarify)
    words["parts"] = {str(value): _parts(rule, value) for value in rule.values or (True,)}
    if subject.form is ValueForm.CHOICE:
        phrases = rule.wording.phrases
        words["values"] = {
            str(value): {"cue": re.escape(str(value)), "phrase": phrases.get(value, str(value))}
            for value in rule.values
        }
    return words


def _parts(rule: Rule, value: Value) -> list[str]:
    """Return what stands where a value is told: numbers are found as figures and as words."""
    parts = rule.wording.parts
    own = texts_of(parts[value] if isinstance(parts, Mapping) else parts)
    words = [name for name, number in NUMBERS.items() if number == value]
    number = f"(?:{'|'.join(map(re.escape, (str(value), *words)))})"
    return [_NUMBER.sub(lambda _: number, one) for one in own]


def words_with(
    declaration: Declaration, lexicon: DomainLexicon, present: Collection[str]
) -> DomainLexicon:
    """Return the words of a user who has the joint wishes `present`, and no others.

    Not anything will do of what a wish between parts reads, as that two are of different kinds.
    What asks for a wish whose place one of them takes asks for that.
    """
    takes, gone = dict[str, str](), set[str]()
    for rule in declaration.joint_rules:
        if rule.name in present:
            takes |= dict.fromkeys((key for key in rule.instead), rule.name)
        else:
            gone.add(rule.name)
    facts = {key: words for key, words in lexicon.facts.items() if key not in takes.keys() | gone}
    for rule in declaration.joint_rules:
        if rule.name in present:
            replaced = [lexicon.facts[key] for key in rule.instead]
            facts[rule.name] = _with_cues_of(facts[rule.name], replaced)
    topics = {name: _about(topic, takes, facts) for name, topic in lexicon.topics.items()}
    truths = {
        rule.name: truth
        for rule in declaration.joint_rules
        if rule.name in present and (truth := _truth(declaration, lexicon, rule)) is not None
    }
    undecided = {
        rule.name: _undecided(declaration, rule)
        for rule in declaration.joint_rules
        if rule.name in present and rule.is_settled
    }
    reads = {
        rule.name: tuple(dict.fromkeys(slot for slot, _ in trace_rule(declaration, rule).refs))
        for rule in declaration.joint_rules
        if rule.name in present
    }
    bounds = {
        rule.name: read
        for rule in declaration.rules
        if rule.is_optional and (rule.name in present or rule not in declaration.joint_rules)
        if (read := _wishes_read(declaration, rule) + _free_read(declaration, rule, lexicon))
    }
    unwished = {
        key: one
        for rule in declaration.joint_rules
        for key in rule.instead
        if rule.name in present and key in lexicon.facts
        if (one := _free_beside(declaration, lexicon.facts[key], rule)) is not None
    }
    own = [rule for rule in declaration.joint_rules if rule.name in present]
    # Who bounds what a part may cost does not say that no part has a limit.
    bounded = {PART_PRICE} if any(_bounds_price(declaration, rule) for rule in own) else ()
    kept = {key: one for key, one in lexicon.unwished.items() if key not in bounded}
    update = {"facts": facts, "topics": topics, "truths": truths, "undecided": undecided}
    update |= {"reads": reads, "bounds": bounds, "unwished": {**kept, **unwished}}
    return lexicon.model_copy(update=update)


def _bounds_price(declaration: Declaration, rule: Rule) -> bool:
    """Tell whether a joint wish bounds what parts cost by a number or a share of its own."""
    offers = {slot.id: slot.offer for slot in declaration.slots}
    refs = trace_rule(declaration, rule).refs
    is_priced = any(isinstance(offers[slot].fields.get(name), Price) for slot, name in refs)
    return is_priced and bool(rule.values)


def _wishes_read(declaration: Declaration, rule: Rule) -> Texts:
    """Return the keys of wishes on single properties that a rule reads."""
    try:
        read = {f"{slot}.{name}" for slot, name in trace_rule(declaration, rule).refs}
    except UntraceablePredicate:
        return ()
    return tuple(want.key for want in declaration.wants if not read.isdisjoint(want.on))


def _free_read(declaration: Declaration, rule: Rule, lexicon: DomainLexicon) -> Texts:
    """Return the names of what nobody wishes of single slots that a rule reads."""
    try:
        read = {f"{slot}_{name}" for slot, name in trace_rule(declaration, rule).refs}
    except UntraceablePredicate:
        return ()
    return tuple(name for name in lexicon.unwished if name in read)


def _free_beside(declaration: Declaration, words: FactWords, rule: Rule) -> UnwishedWords | None:
    """Return the words of a wish that a joint one replaces, as far as this leaves it open.

    That is all of it where it reads no such wish, and else the slots that it does not read; there
    are none where it reads them all.
    """
    if words.key not in _wishes_read(declaration, rule):
        return UnwishedWords(key=words.key, asks=words.asks, none=words.none, slots=words.slots)
    wish = next(one for one in subjects(declaration) if one.key == words.key)
    read = {slot for slot, name in trace_rule(declaration, rule).refs if name == wish.field}
    left = [slot for slot in declaration.slots if slot.id in {*wish.slots} - read]
    if not left:
        return None
    title = joined([slot.title for slot in left])
    none = ANY_OF_SLOT.format(noun=noun_of(declaration, wish), title=title)
    slots = tuple(slot.id for slot in left)
    return UnwishedWords(key=words.key, asks=words.asks, none=(none,), slots=slots)


def _undecided(declaration: Declaration, rule: Rule) -> Undecided:
    """Return what of a joint wish the tables settle."""
    slots = dict.fromkeys(slot for slot, _ in trace_rule(declaration, rule).refs)
    claims = tuple(re.compile(one) for one in texts_of(rule.wording.outcome))
    return Undecided(tuple(slots), claims, _compared(declaration, rule))


def _truth(declaration: Declaration, lexicon: DomainLexicon, rule: Rule) -> JointTruth | None:
    """Return what a joint wish says of a plan; `None` where it gives way or reads what plans hide.

    Choices are read by the words of a wish for them, days as dates.
    """
    stated = trace_rule(declaration, rule)
    compared = _words_of_compared(declaration, lexicon, rule)
    reads = [
        (slot, compared or _words_of(declaration, lexicon, f"{slot}.{name}"))
        for slot, name in stated.refs
    ]
    found = [(slot, words) for slot, words in reads if words is not None]
    if rule.unless or len(found) < len(reads):
        return None
    return JointTruth(tuple(found), stated.given, stated.predicate)


def _words_of_compared(
    declaration: Declaration, lexicon: DomainLexicon, rule: Rule
) -> FactWords | None:
    """Return the words of the values of which a wish wants the cheaper: a plan has their names."""
    cues = _compared(declaration, rule)
    return lexicon.facts[rule.name].model_copy(update={"cues": cues}) if cues else None


def _compared(declaration: Declaration, rule: Rule) -> dict[str, Cue]:
    """Return what finds the values of which a wish wants the cheaper."""
    field = declaration.field_at(rule.whichever) if rule.whichever else None
    values = field.values if isinstance(field, Choice) else ()
    return {str(one): re.compile(rf"\b{re.escape(str(one).casefold())}\b") for one in values}


def _words_of(declaration: Declaration, lexicon: DomainLexicon, ref: str) -> FactWords | None:
    """Return the words by which a property is read in a plan."""
    if isinstance(declaration.field_at(ref), Day):
        return next((one for one in lexicon.facts.values() if one.form is ValueForm.DATE), None)
    keys = (want.key for want in declaration.wants if ref in want.on)
    words = (lexicon.facts[key] for key in keys)
    return next((one for one in words if one.form is ValueForm.CHOICE), None)


def _with_cues_of(words: FactWords, replaced: Sequence[FactWords]) -> FactWords:
    asks = dict.fromkeys((*words.asks, *(cue for one in replaced for cue in one.asks)))
    hints = dict.fromkeys((*words.hints, *(cue for one in replaced for cue in one.hints)))
    needs_slot = any(one.needs_slot for one in replaced)
    lent = tuple(cue for cue in asks if cue not in words.asks)
    update = {"asks": tuple(asks), "hints": tuple(hints), "needs_slot": needs_slot, "lent": lent}
    return words.model_copy(update=update)


def _about(topic: Topic, takes: Mapping[str, str], facts: Mapping[str, FactWords]) -> Topic:
    keys: Texts = tuple(dict.fromkeys(takes.get(key, key) for key in topic.facts))
    return topic.model_copy(update={"facts": tuple(key for key in keys if key in facts)})
