"""Which of the facts asked for one answer gives, and in which order."""

import re
from collections.abc import Collection, Sequence

from crab_graph.personas.absences import absent_facts, is_asked_elsewhere
from crab_graph.personas.briefing import Fact
from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.doubted_facts import doubted
from crab_graph.personas.fact_scopes import is_apart, is_lent, is_named, slots_of
from crab_graph.personas.founded_denials import stands_in
from crab_graph.personas.noted_facts import is_listed_again, was_noted
from crab_graph.personas.pinned_facts import (
    names_own_places,
    pinned_again,
    pointed_at,
    whose_births,
)
from crab_graph.personas.plan_answers import wants_yes
from crab_graph.personas.pointed_questions import ONE_OF_TWO, OR, asked_throughout
from crab_graph.personas.segments import Segment
from crab_graph.personas.sought_facts import (
    asked_facts,
    asks_openly,
    is_booked,
    new_facts,
    owed_of_persons,
    read_alone,
)
from crab_graph.personas.stated_values import ALIKE
from crab_graph.personas.turns import Turn
from crab_graph.personas.unwished import asked_of_parts
from crab_graph.personas.wordbook import ValueForm

_BY_TOPIC = frozenset({"how:topic", "how:hint"})
_ASKS = re.compile(r"(?:and |so |then )*(?:what|which|how|where|when|who|any)\b")
_WHICH = re.compile(
    r"(?:[^:?]{2,40}: )?(?:and:? |so |then |also )*(?:what|which|how many|when)\b[^:]*\?"
)
_ANY_WISH = re.compile(
    r"(?:and:? |so |then |also )*any (?:\w+ ){1,3}(?:wish|preference)(?:e?s)?\b[^:]*\?"
    r"|[^?]*\b(?:matters?|important|count|care about|mind)\W*\?"
)
"""Asks for one thing in so many words."""
_NAMES_ONE = re.compile(
    r"(?:and:? |so |then |also |plus )*(?:the |your |any )?(?:\w+ ){0,2}\w+\W*\?\W*\Z"
)
"""Asks for one thing by its name and nothing else."""
_OR_NOT = re.compile(
    r"\bor (?:does(?:n.t| not)(?: it)? matter|(?:do you )?(?:not|don.t) care|no matter"
    r"|is (?:any|either)|any(?:where|thing|one|body)?(?: \w+)?)\b[^?]{0,20}\?"
)
"""Asks if one thing is wished, or none."""
_MISSES = re.compile(
    r"\b(?:again|repeat|re-?send|once more|one more time|still (?:need|miss|lack|require|wait|want"
    r"|do not|don'?t|haven'?t|have not|without|open|missing|to come)\w*"
    r"|(?:only|just) (?:miss|lack|need)\b|missing|lacking|(?:got|get|was|were) (?:lost|cut)"
    r"|(?:did not|didn'?t|have not|haven'?t|never) (?:quite )?(?:get|got|catch|caught|receive\w*"
    r"|see|seen|come|came|arrive\w*))\b",
    re.I,
)
"""Says that something was not received that may have been told."""
_FURTHER = re.compile(
    r"\b(?:further|additional|what (?:else|more|other)|any (?:other|more)"
    r"|(?:any|some)thing (?:else|more))\b"
)
"""Asks for what was not told."""
_WHATEVER = re.compile(r"\b(?:any|some)thing\b")
"""Says of nothing in particular that it is missing."""
PARTICULAR = re.compile(
    r"\b(?:particular|specific|certain|which|favou?rite|preferred|avoid|exclude|dislike"
    r"|one in mind|any of (?:the|these|those) (?:two|three|four|five|six|\d+)"
    r"|(?:like|prefer) (?:best|most)|does any"
    r"|(?:is there|have you|in mind) (?:any )?(?:one|an? \w+) (?:\w+ )?(?:that )?"
    r"you(?:'d|.d| would)? (?:like|prefer|rather|favou?r|wish|want)"
    r"|(?:do|would) you (?:\w+ )?favou?r|any\b[^?]{0,30}\bas long as"
    r"|or (?:is|are|would|will) any (?:\w+ )?(?:fine|ok(?:ay)?|good|all right|welcome|do))\b",
    re.I,
)
"""Asks for one of several by name."""
_TIMES_AGAIN = 3
"""So often a fact is said that is asked for again while others wait."""


def chosen_facts(turn: Turn, but: Collection[str] = ()) -> list[Fact]:
    """Choose which of the facts asked for one answer gives: new ones, in the question's order.

    None of those is chosen that are answered otherwise, and named with `but`.

    When there is nothing new to say, those said least often: an agent that asks again does get all
    of them. What it wants exactly is said again beside anything but a yes or a payment.
    """
    record, facts = turn.memory.record, turn.facts
    known = [key for key in asked_facts(turn) if key in facts]
    known = [key for key in known if not (record.is_settled(key) and _is_of_others(turn, key))]
    # What a question points at is said, whatever else is new.
    wanted = {*new_facts(turn), *pointed_at(turn)}
    missed = [key for key in known if _is_missed(turn, key)]
    wanted |= {*missed}
    chosen = [key for key in known if key in wanted]
    if not (turn.reading.asks_approval or wants_yes(turn)):
        wanted |= {*turn.reading.exactly, *_asked_again(turn)}
        chosen = [key for key in known if key in wanted]
        if not (chosen or absent_facts(turn) or asks_openly(turn)):
            again = [key for key in known if not is_listed_again(turn, key)]
            chosen = [*_topics_of(turn), *sorted(again, key=record.times)]
        if not (chosen or asks_openly(turn)):
            # What is asked for again by its name is said again beside what has no wish.
            chosen = [k for k in known if is_named(turn, k) and not is_listed_again(turn, k)]
    chosen = [key for key in chosen if key not in but]
    # What is noted rightly and was told for sure is said again only where nothing else is.
    chosen = [
        key for key in chosen if not (is_known_well(turn, key) or _is_joint_unnamed(turn, key))
    ] or chosen
    limit = turn.behavior.facts_per_answer
    if limit is not None:
        # What was asked for before and is still open comes before what is asked for now.
        waited = {key for key in new_facts(turn) if f"?{key}" in turn.memory.seen}
        chosen.sort(key=lambda key: _rank(turn, key, is_waiting=key in waited or key in missed))
    pinned = [*pinned_again(turn), *whose_births(turn)] if limit is not None else []
    # Whether it holds for all is asked of what was told, and is nothing new.
    words = turn.briefing.lexicon.facts
    for_all = (key for key in asked_throughout(turn.reading) if key in facts and record.has(key))
    are_choices = (key for key in for_all if words[key].form is ValueForm.CHOICE)
    pinned += are_choices if limit is not None else ()
    pinned = [key for key in pinned if key not in but]
    taken = [key for key in chosen if key not in pinned][:limit]
    people = _beside_people(turn, taken)
    anew = _asked_anew(turn) if limit is not None else []
    if taken:
        anew = [key for key in anew if not _is_joint_unnamed(turn, key)]
    told = dict.fromkeys([*pinned, *people, *taken])
    told |= dict.fromkeys(key for key in anew if key not in but)
    return [facts[key] for key in told]


def _is_of_others(turn: Turn, key: str) -> bool:
    """Tell whether what seems to ask for a fact is of other slots, or only names where they are."""
    return names_own_places(turn, key) or is_asked_elsewhere(turn, key)


def _asked_anew(turn: Turn) -> list[str]:
    """Return what was told for sure and a question asks for once more, by words of its own.

    It is nothing new, so that it takes nothing of what one answer holds.
    """
    known, words = {*turn.playback.right, *asked_of_parts(turn)}, turn.briefing.lexicon.facts
    questions = [(one, how) for one, how in turn.reading.clauses if one.is_request]

    def asks(segment: Segment, how: ClauseFeatures, key: str) -> bool:
        named = [one for one, shows in how.facts.items() if "how:cue" in shows]
        if key not in named or _FURTHER.search(segment.text) or _is_of_others(turn, key):
            return False
        near = [one for one in named if not is_apart(turn, one, segment)]
        is_of_like = key not in near and any(words[one].form is words[key].form for one in near)
        if is_of_like or is_listed_again(turn, key):
            return False
        if _asks_which_noted(turn, key, segment, how):
            # Which one it is to be is another question than if it is to be the same.
            return False
        is_of_choice = words[key].form is ValueForm.CHOICE and "value" in how.facts[key]
        if is_of_choice and OR.search(segment.text) and not words[key].is_joint:
            return True
        if words[key].form is ValueForm.COUNT and ONE_OF_TWO.search(segment.text):
            return True
        is_only = len(questions) == 1 and words[key].is_joint
        patterns = (_ANY_WISH.match, _OR_NOT.search, _NAMES_ONE.match)
        is_wish = len(named) == 1 and any(finds(segment.text) for finds in patterns)
        return is_only or is_wish or _WHICH.match(segment.text) is not None

    return [
        key
        for key in turn.reading.asked
        if key in turn.facts
        and turn.memory.record.is_settled(key)
        and key not in known
        and not is_booked(turn, key)
        and any(asks(one, how, key) for one, how in questions)
    ]


def _beside_people(turn: Turn, taken: Sequence[str]) -> list[str]:
    """Return what is told in one breath with what is taken, where a clause names both.

    Whoever is asked for all dates of birth says whose they are, and of one person alone also when
    it was born beside its name.
    """
    words, is_for_one = turn.reading.lexicon.facts, turn.briefing.is_for_one

    def is_of_people(key: str) -> bool:
        return words[key].conflict is None and words[key].form in (ValueForm.NAMES, ValueForm.DATES)

    told = {key for key in taken if is_of_people(key)}
    return [
        key
        for key in turn.facts
        if key not in taken and is_of_people(key) and not turn.memory.record.has(key)
        if is_for_one or words[key].form is ValueForm.NAMES
        if any(how.names(key) and told & how.facts.keys() for _, how in turn.reading.clauses)
    ]


def _is_missed(turn: Turn, key: str) -> bool:
    """Tell whether a clause asks by name for what was told for sure, as it was not received."""
    record = turn.memory.record
    if not record.is_settled(key) or record.times(key) >= _TIMES_AGAIN:
        return False
    if is_listed_again(turn, key):
        return False
    clauses = turn.reading.clauses
    texts = [one.text for one, _ in clauses]
    before = ["" if _WHATEVER.search(text) else text for text in ("", *texts)]
    near = [" ".join(pair) for pair in zip(before, texts, strict=False)]
    return any(
        one.is_request
        and "how:cue" in how.facts.get(key, ())
        and _MISSES.search(said) is not None
        and key not in asked_which(turn, one, how)
        for (one, how), said in zip(clauses, near, strict=True)
    )


def _rank(turn: Turn, key: str, *, is_waiting: bool) -> tuple[int, bool, int]:
    """Return the place of a fact among those asked for, the least first.

    Nothing is passed over a second time for what is asked for the first time, but for what is
    asked for by its own words where that is not.
    """
    urgency, clauses = _urgency(turn, key), turn.reading.clauses
    is_behind = not is_named(turn, key) and _names_another(turn, key)
    if is_waiting and urgency == 0 and is_behind:
        return (1, False, 0)
    naming = (
        number
        for number, (one, how) in enumerate(clauses)
        if one.is_request and "how:cue" in how.facts.get(key, ())
    )
    first = next(naming, len(clauses)) if is_waiting else 0
    return (min(urgency, -1) if is_waiting and urgency <= 0 else urgency, not is_waiting, first)


def _urgency(turn: Turn, key: str) -> int:
    """Return how soon a fact is said by who says few at once, the least first.

    Behind what a message asks for comes what it only seems to, as it names the topic of that, and
    last what was said for sure and stands in it rightly.
    """
    reading = turn.reading
    if key in doubted(turn):
        return 0 if _is_only_noted(turn, key) else -2
    if key in pointed_at(turn) or key in owed_of_persons(turn):
        return -1
    is_only_left = asks_openly(turn) and key not in reading.asked
    if is_only_left and any(is_named(turn, one) for one in new_facts(turn)):
        # What is named comes before what is only left.
        return 1
    if is_only_left and _is_of_unnamed_slots(turn, key):
        return 1
    if turn.memory.record.is_settled(key):
        if is_named(turn, key):
            return 0
        return 2 if stands_in(reading.utterance.text, key, turn.briefing) else 0
    if _is_of_other_slots(turn, key):
        return 1
    has_waited = f"?{key}" in turn.memory.seen
    if reading.lexicon.facts[key].form is ValueForm.FLAG and is_lent(turn, key) and not has_waited:
        # A mere condition is no value to choose: what others ask for comes first, once.
        return int(any(is_named(turn, one) for one in reading.asked if one != key))
    named = [how for how in reading.features if key in how.facts]
    is_beside = bool(named) and all(_is_beside_topic(turn, key, how) for how in named)
    return int(is_beside or (_is_by_topic(named, key) and _are_pressed(turn, key)))


def _is_only_noted(turn: Turn, key: str) -> bool:
    """Tell whether a doubt is told of while the questions are for something else by its name."""
    is_asked = any(key in how.facts for one, how in turn.reading.clauses if one.is_request)
    return not is_asked and _names_another(turn, key)


def _names_another(turn: Turn, key: str) -> bool:
    """Tell whether a message asks by its name for another fact that is to be said."""
    return any(is_named(turn, one) for one in new_facts(turn) if one != key)


def _is_of_unnamed_slots(turn: Turn, key: str) -> bool:
    """Tell whether questions name slots, and what a fact is about is none of them."""
    named = {slot for one in turn.reading.segments if one.is_request for slot in one.named}
    slots = slots_of(turn, key)
    return bool(named and slots) and slots.isdisjoint(named)


def _is_by_topic(named: Sequence[ClauseFeatures], key: str) -> bool:
    """Tell whether clauses ask for a fact as for all that there is of a whole part."""
    return bool(named) and not any(how.names(key) for how in named)


def _are_pressed(turn: Turn, key: str) -> bool:
    """Tell whether people's own data, asked for by name, are to be told beside a fact."""
    words = turn.reading.lexicon.facts
    return any(
        words[one].conflict is None and is_named(turn, one)
        for one in new_facts(turn)
        if one != key and one in words
    )


def _is_of_other_slots(turn: Turn, key: str) -> bool:
    """Tell whether the clause that likeliest asks for a fact names other slots than it is of.

    Words of its own ask for it wherever they stand, but not those that are lent to a joint wish.
    """
    slots, reading = slots_of(turn, key), turn.reading
    if not reading.lexicon.facts[key].lent and is_named(turn, key):
        return False
    place = list(reading.lexicon.facts).index(key)
    rows = [
        (float(reading.fact_scores[row, place]), one)
        for row, (one, how) in enumerate(reading.clauses)
        if one.is_request and key in how.facts
    ]
    if not (slots and rows):
        return False
    named = max(rows, key=lambda one: one[0])[1].named
    return bool(named) and named.isdisjoint(slots)


def _is_beside_topic(turn: Turn, key: str, how: ClauseFeatures) -> bool:
    """Tell whether a clause names only the topic of a fact, and others of its slots by words."""
    if how.names(key):
        return False
    slots = slots_of(turn, key)
    settled = turn.memory.record.is_settled
    named = (other for other in how.facts if how.names(other) and not settled(other))
    return any(slots & slots_of(turn, other) for other in named)


def is_known_well(turn: Turn, key: str) -> bool:
    """Tell whether the user has told a fact for sure, and a message notes it rightly, unasked."""
    played = turn.playback
    is_asked = key in played.questioned or key in pointed_at(turn)
    return key in played.right and not is_asked and turn.memory.record.is_settled(key)


def asked_which(turn: Turn, segment: Segment, how: ClauseFeatures) -> set[str]:
    """Return the told conditions of which a clause asks which one it is to be of several."""
    if not PARTICULAR.search(segment.text):
        return set()
    words, record = turn.reading.lexicon.facts, turn.memory.record
    return {
        key
        for key in how.facts
        if how.names(key) and words[key].form is ValueForm.FLAG and record.is_settled(key)
    }


def _asks_which_noted(turn: Turn, key: str, segment: Segment, how: ClauseFeatures) -> bool:
    """Tell whether a clause asks which one of what was noted to be one, here or before."""
    is_noted = was_noted(turn, key) or ALIKE.search(segment.text) is not None
    return is_noted and key in asked_which(turn, segment, how)


def _is_joint_unnamed(turn: Turn, key: str) -> bool:
    """Tell whether a joint wish was told for sure, and no question speaks of it."""
    words = turn.briefing.lexicon.facts[key]
    asked = (one.text for one in turn.reading.segments if one.is_request)
    is_told = words.is_joint and turn.memory.record.is_settled(key)
    return is_told and not any(map(words.about.search, asked))


def _asked_again(turn: Turn) -> list[str]:
    """Return what a question names beside what is new.

    Only who may say all at once says it once more.
    """
    if turn.behavior.facts_per_answer is not None:
        return []
    clauses = turn.reading.clauses
    named = [
        key
        for key in turn.reading.asked
        if any(
            (one.is_request or _ASKS.match(one.text))
            and not _FURTHER.search(one.text)
            and "how:cue" in how.facts.get(key, ())
            and not is_apart(turn, key, one)
            and not _asks_which_noted(turn, key, one, how)
            for one, how in clauses
        )
        and not is_listed_again(turn, key)
    ]
    return [key for key in (*named, *read_alone(turn)) if key in turn.facts]


def _topics_of(turn: Turn) -> list[str]:
    """Return what the user has not told for sure of the slots that a question names by topic.

    It is what fits a question best of which only what was said before is understood; but not of
    what that is about.
    """
    record, asked = turn.memory.record, asked_facts(turn)
    spoken = {slot for key in asked for slot in slots_of(turn, key)}
    found: dict[str, None] = {}
    for segment, one in turn.reading.clauses:
        for key, how in one.facts.items() if segment.is_request else ():
            slots = slots_of(turn, key)
            is_near = not segment.scope.isdisjoint(slots) and spoken.isdisjoint(slots)
            is_new = key in turn.facts and not record.is_settled(key)
            if is_near and is_new and not how.isdisjoint(_BY_TOPIC):
                found[key] = None
    return list(found)
