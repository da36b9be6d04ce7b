"""How a user answers questions: which of its facts a turn gives, what it says without one."""

import re
from collections.abc import Collection, Sequence
from typing import Any

from crab_graph.personas.briefing import Fact, Reason
from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.founded_denials import stands_in
from crab_graph.personas.later_halves import halves
from crab_graph.personas.open_bounds import asks_any_wish
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.plain_requests import offers_to_show
from crab_graph.personas.plan_answers import asks_for_plan, can_approve, other_card_words
from crab_graph.personas.pointed_questions import asked_throughout
from crab_graph.personas.sought_facts import (
    absent_facts,
    asked_facts,
    asks_openly,
    asks_within_bounds,
    doubted,
    is_apart,
    is_asked_by_name,
    is_lent,
    is_named,
    new_facts,
    owed_of_persons,
    pointed_at,
    read_alone,
    slots_of,
    spent_wishes,
)
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.unwished import asked_unwished
from crab_graph.personas.wordbook import ValueForm

_BY_TOPIC = frozenset({"how:topic", "how:hint"})
_ASKS = re.compile(r"(?:and |so |then )*(?:what|which|how|where|when|who|any)\b")
_LISTENS = re.compile(
    r"\W*(?:(?:sure|of course|ok(?:ay)?|no (?:problem|worries|rush|hurry)|al(?:l )?right|great|fine"
    r"|thanks?|thank you|got it|noted|understood|certainly|gladly|please|and|go (?:on|ahead)"
    r"|continue|carry on|take your time|i(?:'m| am) (?:listening|ready|here|all ears)"
    r"|(?:whenever|when) you(?:'re| are) ready|ready when you are|tell me (?:more|the rest)"
    r"|i(?:'ll| will) wait|the rest|what(?:'s| is) the rest)\b\W*)+",
    re.I,
)
"""Says nothing but that one is listening."""
_WHICH = re.compile(r"(?:and |so |then |also )*(?:what|which|how many|when)\b[^:]*\?")
"""Asks for one thing in so many words."""
_MISSES = re.compile(
    r"\b(?:again|repeat|re-?send|once more|one more time|still (?:need|miss|lack|require|wait|want"
    r"|do not|don'?t|haven'?t|have not|without|open|missing|to come)\w*"
    r"|(?:only|just) (?:miss|lack|need)\b|missing|lacking|(?:got|get|was|were) (?:lost|cut)"
    r"|(?:did not|didn'?t|have not|haven'?t|never) (?:quite )?(?:get|got|catch|caught|receive\w*"
    r"|see|seen|come|came|arrive\w*))\b",
    re.I,
)
"""Says that something was not received that may have been told."""
_AS_BEFORE = re.compile(
    r"\b(?:the rest|everything else|all else|(?:the |all |your )?(?:the )?others?(?: \w+)?"
    r"|nothing else)\b[^?.]{0,40}"
    r"\b(?:as before|the same|unchanged|as it was|stays?|stands?|holds?|remains?)\b[^?]*\?",
    re.I,
)
"""Asks whether what was said before holds."""
_FURTHER = re.compile(r"\b(?:further|additional|any (?:other|more)|(?:any|some)thing (?:else|more))\b")
"""Asks for what was not told."""
_PARTICULAR = re.compile(
    r"\b(?:particular|specific|certain|which|favou?rite|preferred|avoid|exclude|dislike)\b", re.I
)
"""Asks for one of several by name."""
_TIMES_AGAIN = 3
"""So often a fact is said that is asked for again while others wait."""
_FEW_ABSENCES = 2
"""So many facts that the user lacks are spoken of by name where it has told all its wishes."""
_NAMED_ABSENCES = 12
"""Who may say all at once names no more of them in one breath."""
_SOME_ABSENCES = 4
"""Others name no more of them."""


def chosen_facts(turn: Turn, but: Collection[str] = ()) -> list[Fact]:
    """Choose which of the facts asked for one answer gives: new ones, in the question's order.

    None of those is chosen that are answered otherwise, and named with `but`.

    When there is nothing new to say, those said least often: an agent that asks again does get all
    of them. What it wants exactly is said again beside anything but a yes or a payment.
    """
    record, facts = turn.memory.record, turn.facts
    known = [key for key in asked_facts(turn) if key in facts]
    # What a question points at is said, whatever else is new.
    wanted = {*new_facts(turn), *pointed_at(turn)}
    missed = [key for key in known if _is_missed(turn, key)]
    wanted |= {*missed}
    chosen = [key for key in known if key in wanted]
    if not (turn.reading.asks_approval or (asks_for_plan(turn) and can_approve(turn))):
        wanted |= {*turn.reading.exactly, *_asked_again(turn)}
        chosen = [key for key in known if key in wanted]
        if not (chosen or absent_facts(turn) or asks_openly(turn)):
            chosen = [*_topics_of(turn), *sorted(known, key=record.times)]
    chosen = [key for key in chosen if key not in but]
    # What is noted rightly and was told for sure is said again only where nothing else is.
    chosen = [key for key in chosen if not _is_known_well(turn, key)] or chosen
    limit = turn.behavior.facts_per_answer
    if limit is not None:
        # What was asked for before and is still open comes before what is asked for now.
        waited = {key for key in new_facts(turn) if f"?{key}" in turn.memory.seen}
        waited |= {*missed}
        chosen.sort(key=lambda key: (_urgency(turn, key), key not in waited))
    taken = chosen[:limit]
    beside = _beside_name(turn, taken, chosen) if turn.briefing.is_for_one else []
    if limit is not None:
        beside += [key for key in _asked_anew(turn) if key not in (*taken, *but)]
    return [facts[key] for key in (*taken, *beside)]


def _asked_anew(turn: Turn) -> list[str]:
    """Return what was told for sure and a question asks for once more, by words of its own.

    It is nothing new, so that it takes nothing of what one answer holds.
    """
    clauses = zip(turn.reading.segments, turn.reading.features, strict=True)
    asking = [how for one, how in clauses if one.is_request and _WHICH.match(one.text)]
    return [
        key
        for key in turn.facts
        if turn.memory.record.is_settled(key)
        and key not in turn.playback.right
        and any("how:cue" in how.facts.get(key, ()) for how in asking)
    ]


def _beside_name(turn: Turn, taken: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return what is told in one breath with one's name, where a clause asks for both."""
    words = turn.reading.lexicon.facts

    def is_of_people(key: str) -> bool:
        return words[key].conflict is None and words[key].form in (ValueForm.NAMES, ValueForm.DATES)

    told = {key for key in taken if is_of_people(key)}
    clauses = zip(turn.reading.segments, turn.reading.features, strict=True)
    asking = [how.facts for one, how in clauses if one.is_request]
    return [
        key
        for key in chosen
        if key not in taken and is_of_people(key) and not turn.memory.record.has(key)
        if any(key in facts and told & facts.keys() for facts in asking)
    ]


def _is_missed(turn: Turn, key: str) -> bool:
    """Tell whether a clause asks by name for what was told for sure, as it was not received."""
    record = turn.memory.record
    if not record.is_settled(key) or record.times(key) >= _TIMES_AGAIN:
        return False
    clauses = list(zip(turn.reading.segments, turn.reading.features, strict=True))
    near = [
        " ".join(two.text for two, _ in clauses[max(at - 1, 0) : at + 1])
        for at in range(len(clauses))
    ]
    return any(
        one.is_request and "how:cue" in how.facts.get(key, ()) and _MISSES.search(said) is not None
        for (one, how), said in zip(clauses, near, strict=True)
    )


def _urgency(turn: Turn, key: str) -> int:
    """Return how soon a fact is said by who says few at once, the least first.

    Behind what a message asks for comes what it only seems to, as it names the topic of that, and
    last what was said for sure and stands in it rightly.
    """
    reading = turn.reading
    if key in doubted(turn):
        return -2
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
        for row, (one, how) in enumerate(zip(reading.segments, reading.features, strict=True))
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


def _is_known_well(turn: Turn, key: str) -> bool:
    """Tell whether the user has told a fact for sure, and a message notes it rightly, unasked."""
    played = turn.playback
    is_asked = key in played.questioned or key in pointed_at(turn)
    return key in played.right and not is_asked and turn.memory.record.is_settled(key)


def _asked_again(turn: Turn) -> list[str]:
    """Return what a question names beside what is new.

    Only who may say all at once says it once more.
    """
    if turn.behavior.facts_per_answer is not None:
        return []
    clauses = list(zip(turn.reading.segments, turn.reading.features, strict=True))
    named = [
        key
        for key in turn.reading.asked
        if any(
            (one.is_request or _ASKS.match(one.text))
            and not _FURTHER.search(one.text)
            and "how:cue" in how.facts.get(key, ())
            and not is_apart(turn, key, one)
            for one, how in clauses
        )
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
    for segment, one in zip(turn.reading.segments, turn.reading.features, strict=True):
        for key, how in one.facts.items() if segment.is_request else ():
            slots = slots_of(turn, key)
            is_near = not segment.scope.isdisjoint(slots) and spoken.isdisjoint(slots)
            is_new = key in turn.facts and not record.is_settled(key)
            if is_near and is_new and not how.isdisjoint(_BY_TOPIC):
                found[key] = None
    return list(found)


def answer(turn: Turn) -> Decision | None:
    """Return the turn that answers questions about facts; `None` where there was none."""
    reading, speaker = turn.reading, turn.speaker
    asked = asked_facts(turn)
    if not asked and not asks_openly(turn):
        if unwished := asked_unwished(turn):
            words = tuple(speaker.without([*unwished.values()]))
            return Decision(words, declined=tuple(unwished), is_answer=True, is_content=True)
        if not (spent_wishes(turn) or asks_within_bounds(turn)):
            return None
        return Decision((speaker.phrase("no_wish"),), is_answer=True, is_content=True)
    if reading.claims_done and not asked and (turn.missing or turn.wallet.pending):
        return None
    is_left = new_facts(turn) or absent_facts(turn) or reading.exactly or asks_openly(turn)
    if not is_left and (_asks_for_less(turn, asked) or offers_to_show(reading.segments)):
        return None
    new, chosen = new_facts(turn), chosen_facts(turn)
    if _is_all_noted(turn, chosen) or _asks_which_one(turn, chosen):
        return Decision((speaker.phrase("no_wish"),), is_answer=True, is_content=True)
    # Who still has wishes to tell says no yes beside one of them.
    is_left = len({*new} - {fact.key for fact in chosen}) > 0
    approves = asks_for_plan(turn) and can_approve(turn) and not is_left
    is_again = all(turn.memory.record.is_settled(fact.key) for fact in chosen)
    are_whole = approves or is_again or bool(turn.said)
    facts, later = halves(chosen, speaker, are_whole=are_whole)
    told = told_as_asked(facts)
    parts = []
    pointed = asked_throughout(turn.reading)
    if facts and all(_is_told(turn, fact.key) and fact.key not in pointed for fact in facts):
        parts = [speaker.phrase("said_before")]
    parts += [speaker.fact(fact) for fact in facts]
    if approves:
        card, also = other_card_words(turn) if CARD_FACT not in dict(told) else ([], ())
        parts += [speaker.phrase("approve"), *card]
        told = (*told, *also)
        beside = [key for key in absent_facts(turn) if is_asked_by_name(turn, key)]
        words = turn.briefing.lexicon.facts
        parts = [*speaker.without([words[key] for key in beside]), *parts]
        return Decision(tuple(parts), told=told, is_content=True, moved=True, approved=True)
    without, declined = absence_words(turn, facts)
    parts += without
    known = [turn.facts[key] for key in asked if key in turn.facts]
    if not parts and known:
        parts = [speaker.fact(known[0])]
        told = told_as_asked(known[:1])
    elif not parts:
        parts = [speaker.phrase("nothing_else" if asks_openly(turn) else "no_wish")]
    elif not later:
        parts += closing_words(turn, facts, without)
    parts = _first_words(turn, facts) + parts
    return Decision(
        tuple(parts),
        tail=(speaker.phrase("more_to_come"),) if later else (),
        told=told,
        declined=declined,
        is_answer=True,
        is_content=True,
        later=later,
    )


def go_on(turn: Turn) -> Decision | None:
    """Return the turn that says what it said would follow, to one who only waits for it."""
    return promised(turn) if _LISTENS.fullmatch(turn.text) else None


def promised(turn: Turn) -> Decision | None:
    """Return the turn that says, unasked, what it said would follow; `None` where it did not."""
    record, seen = turn.memory.record, turn.memory.seen
    left = [key for key in turn.facts if f"?{key}" in seen and not record.has(key)]
    if not (turn.memory.promises and left):
        return None
    facts = [turn.facts[key] for key in left[: turn.behavior.facts_per_answer]]
    is_more = len(facts) < len(left)
    return Decision(
        tuple(map(turn.speaker.fact, facts)),
        tail=(turn.speaker.phrase("rest_waits"),) if is_more else (),
        told=told_as_asked(facts),
        is_answer=True,
        is_content=True,
        promises=is_more,
    )


def _asks_for_less(turn: Turn, asked: Sequence[str]) -> bool:
    """Tell whether a message asks to give up a wish.

    Asked how flexible a date is, who wants one of several gives up none by saying so.
    """
    if not turn.reading.asks_change or turn.reading.ids or turn.reading.is_unable:
        return turn.reading.asks_change
    words = turn.briefing.lexicon.facts
    dates = (key for key in asked if key in turn.facts and words[key].form is ValueForm.DATE)
    return not any(isinstance(turn.facts[key].value, list) for key in dates)


def _is_all_noted(turn: Turn, chosen: Sequence[Fact]) -> bool:
    """Tell whether a question keeps to some facts, and all that is to say of them is noted."""
    is_noted = all(_is_known_well(turn, fact.key) for fact in chosen)
    return asks_within_bounds(turn) and is_noted and not absent_facts(turn)


def _asks_which_one(turn: Turn, chosen: Sequence[Fact]) -> bool:
    """Tell whether questions ask which one it is to be of what is only to be the same, as told."""
    words, keys = turn.reading.lexicon.facts, {fact.key for fact in chosen}
    are_told = all(turn.memory.record.is_settled(key) for key in keys)
    if not (keys and are_told and all(words[key].form is ValueForm.FLAG for key in keys)):
        return False
    clauses = zip(turn.reading.segments, turn.reading.features, strict=True)
    asking = [one.text for one, how in clauses if one.is_request and keys & how.facts.keys()]
    return bool(asking) and all(_PARTICULAR.search(text) for text in asking)


def _first_words(turn: Turn, given: Sequence[Fact]) -> list[str]:
    """Return what is said of the first question before others are answered; mostly nothing."""
    if asks_as_before(turn) and not turn.playback.wrong:
        return [turn.speaker.phrase("right")]
    return [turn.speaker.phrase("no_wish")] if _is_first_spent(turn, given) else []


def asks_as_before(turn: Turn) -> bool:
    """Tell whether a question is if what was said before holds."""
    return _AS_BEFORE.search(turn.text) is not None


def _which_ones(turn: Turn, text: str, how: ClauseFeatures) -> set[str]:
    """Return the told conditions of which a question asks which one it is to be of several."""
    words, record = turn.reading.lexicon.facts, turn.memory.record
    if not _PARTICULAR.search(text):
        return set()
    return {
        key
        for key in how.facts
        if how.names(key) and words[key].form is ValueForm.FLAG and record.is_settled(key)
    }


def _is_first_spent(turn: Turn, given: Sequence[Fact]) -> bool:
    """Tell whether what the first question asks for needs no more words, and others get some."""
    if not given:
        return False
    spent = {*spent_wishes(turn)}
    clauses = zip(turn.reading.segments, turn.reading.features, strict=True)
    questions = ((one, how) for one, how in clauses if one.is_request and "?" in one.text)
    first, how = next(questions, (None, None))
    if first is None or how is None:
        return False
    which = _which_ones(turn, first.text, how)
    if asks_any_wish(first.text) and not which:
        return False
    spent |= which
    is_given = any(how.names(fact.key) if which else fact.key in how.facts for fact in given)
    return not is_given and any(how.names(key) for key in spent)


def _is_told(turn: Turn, key: str) -> bool:
    """Tell whether the user has told a fact for sure in its own words, and not only affirmed it."""
    said = turn.speaker.said.casefold()
    return turn.memory.record.is_settled(key) and stands_in(said, key, turn.briefing)


def absence_words(
    turn: Turn, given: Sequence[Fact], played: Sequence[str] = (), unknown: Sequence[str] = ()
) -> tuple[list[str], tuple[str, ...]]:
    """Say on which of the facts asked for the user has no wish, and return their keys.

    They take nothing of what one answer holds; those that are asked behind what waits wait with it.
    Of many it speaks as of the rest, but not while it has wishes that the agent does not know.
    What was `played` back is not asked for beside that, but for what is `unknown` to the user.
    """
    asked = asked_facts(turn)
    words, speaker = turn.briefing.lexicon.facts, turn.speaker
    new = [key for key in new_facts(turn) if key not in played]
    absent = [key for key in absent_facts(turn) if key not in played]
    waiting = [key for key in new if key not in {fact.key for fact in given}]
    if waiting:
        absent = [key for key in absent if asked.index(key) < asked.index(waiting[0])]
    absent = list(dict.fromkeys([*(key for key in unknown if key in words), *absent]))
    unwished = asked_unwished(turn, before=waiting[0] if waiting else "")
    words, absent = {**words, **unwished}, [*absent, *unwished]
    ends = asks_openly(turn) and not given and not waiting
    if not absent and not ends:
        return [], ()
    limit = turn.behavior.facts_per_answer
    most = _NAMED_ABSENCES if limit is None else _SOME_ABSENCES
    if ends:
        lacking = absent if limit != 1 or unknown else []
        own = speaker.without([words[key] for key in lacking]) if lacking else []
        own = [speaker.phrase("no_wish")] if len(lacking) > most else own
        return [*own, speaker.phrase("nothing_else")], tuple(absent)
    record = turn.memory.record
    told = {fact.key for fact in given}
    has_more = any(
        not record.has(key) and key not in told for key in turn.facts if _is_wish(turn, key)
    )
    few = _SOME_ABSENCES if limit is None else _FEW_ABSENCES
    if len(absent) <= few or has_more or waiting or played:
        absent = absent[:most]
        return speaker.without([words[key] for key in absent]), tuple(absent)
    has_some = any(key in turn.facts for key in asked)
    return [speaker.phrase("no_more_wish" if has_some else "no_wish")], tuple(absent)


def closing_words(turn: Turn, given: Sequence[Fact], without: Sequence[str]) -> list[str]:
    """Say that nothing is left where that was asked beside what is answered, and it is so.

    It is said already where the user speaks of all the rest in what it says to be `without`.
    """
    if turn.speaker.phrase("no_more_wish") in without:
        return []
    left = {key for key in new_facts(turn) if key in turn.facts} - {fact.key for fact in given}
    if not given or left or not asks_openly(turn) or not turn.reading.asked:
        return []
    return [turn.speaker.phrase("nothing_else")]


def _is_wish(turn: Turn, key: str) -> bool:
    """Tell whether a fact is one that what the agent finds may meet or miss."""
    words = turn.briefing.lexicon.facts.get(key)
    return words is not None and (words.conflict is not None or words.is_joint)


def name_detail(turn: Turn, act: str, key: str, reason: Reason, **effects: Any) -> Decision:
    """Return the turn that names one detail after a phrase, and answers what else was asked."""
    others = chosen_facts(turn, (key,))
    facts = [turn.facts[key], *others] if key in turn.facts else others
    told = ((key, reason), *told_as_asked(others))
    parts = (turn.speaker.phrase(act), *map(turn.speaker.fact, facts))
    return Decision(parts, told=told, **effects)
