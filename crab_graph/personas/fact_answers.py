"""How a user answers questions: which of its facts a turn gives, what it says without one."""

import re
from collections.abc import Sequence
from typing import Any

from crab_graph.personas.absences import absence_words, absent_facts, bound_choices, closing_words
from crab_graph.personas.briefing import Fact, Reason
from crab_graph.personas.fact_choice import PARTICULAR, asked_which, chosen_facts, is_known_well
from crab_graph.personas.fact_scopes import is_asked_by_name, is_named, slots_of
from crab_graph.personas.founded_denials import stands_in
from crab_graph.personas.later_halves import halves
from crab_graph.personas.noted_facts import is_listed_again
from crab_graph.personas.open_bounds import EXAMPLES, asks_any_wish, asks_for_more
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.pinned_facts import asks_same_order, pinned_again
from crab_graph.personas.plain_requests import asks_if_complete, offers_to_show
from crab_graph.personas.plan_answers import (
    other_card_words,
    wants_yes,
    yes_act,
)
from crab_graph.personas.played_clauses import asks_extras_alone
from crab_graph.personas.pointed_questions import OR, asked_throughout
from crab_graph.personas.sought_facts import (
    asked_facts,
    asks_openly,
    bounds_of,
    new_facts,
    spared_by,
    spent_wishes,
)
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.unwished import asked_unwished
from crab_graph.personas.wordbook import ValueForm

_LISTENS = re.compile(
    r"\W*(?:(?:sure|of course|ok(?:ay)?|no (?:problem|worries|rush|hurry)|al(?:l )?right|great|fine"
    r"|thanks?|thank you|got it|noted|understood|certainly|gladly|please|and|with|go (?:on|ahead)"
    r"|continue|carry on|take your time|i(?:'m| am) (?:listening|ready|here|all ears)"
    r"|(?:whenever|when) you(?:'re| are) ready|ready when you are|tell me (?:more|the rest)"
    r"|i(?:'ll| will) wait|the rest|(?:so,? )?what(?:'s| is)?(?: the rest| (?:comes )?next)|next"
    r"|one (?:by one|(?:thing )?at a time)(?:,? then)?)\b\W*)+",
    re.I,
)
"""Says nothing but that one is listening."""
_AS_BEFORE = re.compile(
    r"\b(?:the rest|everything else|all else|(?:the |all |your )?(?:the )?others?(?: \w+)?"
    r"|nothing else)\b[^?.]{0,40}"
    r"\b(?:as before|the same|unchanged|as it was|stays?|stands?|holds?|remains?)\b[^?]*\?",
    re.I,
)
"""Asks whether what was said before holds."""
_FEW_WORDS = 3

_WHICH_PARTS = re.compile(r"\b(?:for|of|to|on) which (?:of |two |three |parts?|ones?\b|ends?)")
"""Asks of which parts something holds, and for none of several by name."""


def answer(turn: Turn) -> Decision | None:
    """Return the turn that answers questions about facts; `None` where there was none."""
    reading, speaker = turn.reading, turn.speaker
    asked = asked_facts(turn)
    if asks_extras_alone(reading) and not (asks_openly(turn) or _is_pointed(turn, asked)):
        return None
    if not asked and not asks_openly(turn):
        return _of_no_fact(turn)
    if _is_of_deeds(turn, asked):
        return None
    new, chosen = new_facts(turn), chosen_facts(turn)
    certain = _certain_of(turn, chosen)
    if enough := _of_nothing_new(turn, chosen, certain):
        return Decision((enough,), is_answer=True, is_content=True)
    # Who still has wishes to tell says no yes beside one of them.
    is_left = len({*new} - {fact.key for fact in chosen}) > 0
    approves = wants_yes(turn) and not is_left
    are_settled = all(turn.memory.record.is_settled(fact.key) for fact in chosen)
    are_whole = approves or are_settled or bool(turn.said)
    _, later = halves(chosen, speaker, are_whole=are_whole)
    # What was told for sure and is asked for once more is no news to come.
    later = tuple(key for key in later if not turn.memory.record.is_settled(key))
    facts = [fact for fact in chosen if fact.key not in {*later, *certain}]
    told = told_as_asked(facts)
    parts = []
    pointed = (*asked_throughout(turn.reading), *pinned_again(turn))
    is_again = facts and all(_is_told(turn, one.key) and one.key not in pointed for one in facts)
    if is_again and all(_asks_plainly(turn, fact.key) for fact in facts):
        parts = [speaker.phrase("said_before")]
    parts += [turn.speaker.none_certain(certain)] if certain else []
    parts += [speaker.fact(fact) for fact in facts]
    if approves:
        return _with_yes(turn, parts, told)
    without, declined = absence_words(turn, facts)
    spoken = _spoken_of(turn) if without and not facts else []
    parts += [*map(speaker.fact, spoken[:1]), *without]
    known, is_listed = _known_of(turn, asked)
    if not (parts or known or is_listed or {*reading.asked}.isdisjoint(turn.said)):
        return None  # what was left to say has answered it
    known = known or _spoken_of(turn)
    if not parts and known:
        parts = [speaker.fact(known[0])]
        told = told_as_asked(known[:1])
    elif not parts:
        parts = [speaker.phrase("nothing_else") if asks_openly(turn) else _no_more(turn)]
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


def _of_nothing_new(turn: Turn, chosen: Sequence[Fact], certain: set[str]) -> str:
    """Return what is said where nothing is left to say of what is asked; else nothing."""
    if wants_yes(turn):
        return ""
    if _is_nothing_else(turn, chosen, certain):
        return turn.speaker.none_certain(certain)
    return _no_more(turn) if _is_all_noted(turn, chosen) else ""


def _is_of_deeds(turn: Turn, asked: Sequence[str]) -> bool:
    """Tell whether a message is about what is done or offered, and no fact is left to tell."""
    reading = turn.reading
    # Whether notes are complete is no claim that all is booked.
    notes = turn.playback.right and asks_if_complete(reading.segments)
    if reading.claims_done and not (asked or notes) and (turn.missing or turn.wallet.pending):
        return True
    shows = offers_to_show(reading.segments)
    if shows and not (asked or new_facts(turn)):
        return True
    is_left = new_facts(turn) or absent_facts(turn) or reading.exactly or asks_openly(turn)
    is_left = is_left or asked_throughout(reading)
    return not is_left and (_asks_for_less(turn, asked) or shows)


def _is_pointed(turn: Turn, asked: Sequence[str]) -> bool:
    """Tell whether something is asked for by its name, or stands open beside extras in a list."""
    if bounds_of(turn) is not None or any(is_named(turn, key) for key in asked):
        return True
    new = new_facts(turn)
    return any("how:cue" in how.facts.get(key, ()) for key in new for how in turn.reading.features)


def _known_of(turn: Turn, asked: Sequence[str]) -> tuple[list[Fact], bool]:
    """Return what is known of what is asked, and whether some is left out that was noted."""
    known = [turn.facts[key] for key in asked if key in turn.facts]
    again = [one for one in known if not is_listed_again(turn, one.key)]
    return again, len(again) < len(known)


def _of_no_fact(turn: Turn) -> Decision | None:
    """Return the turn that answers what asks for nothing that the user could have told."""
    if unwished := asked_unwished(turn):
        words = turn.briefing.lexicon.unwished
        said = turn.speaker.without([words[name] for name in unwished])
        return Decision(tuple(said), declined=tuple(unwished), is_answer=True, is_content=True)
    # A plan that only touches on what was told wants a yes.
    is_spent = spent_wishes(turn) and not wants_yes(turn)
    if not (is_spent or bounds_of(turn) is not None):
        return None
    return Decision((_no_more(turn),), is_answer=True, is_content=True)


def _spoken_of(turn: Turn) -> list[Fact]:
    """Return what was told for sure that a question of few words hints at.

    A value beside the part that it names, as `And in Paris?`, says where that is.
    """
    return [
        turn.facts[key]
        for segment, how in turn.reading.clauses
        if segment.is_request and len(segment.text.split()) <= _FEW_WORDS
        for key, shows in how.facts.items()
        if how.names(key) and key in turn.facts and _is_told(turn, key)
        if not (segment.named and "how:value" in shows)
    ]


def _no_more(turn: Turn) -> str:
    """Return what is said of a thing on which no wish is left."""
    bounds, reading = bounds_of(turn), turn.reading
    is_rest = bounds is not None and (
        asks_for_more(reading.utterance.text) or not bounds.isdisjoint(turn.facts)
    )
    # Of whole parts nobody says that they do not matter who told some of it.
    asking = [(one, how) for one, how in reading.clauses if one.is_request]
    general = [one for one, how in asking if how.topics or asks_any_wish(one.text)]
    named = {slot for one in general for slot in one.named}
    is_rest |= any(named & slots_of(turn, key) for key in turn.facts if _is_told(turn, key))
    return turn.speaker.phrase("nothing_there" if is_rest else "no_wish")


def _with_yes(turn: Turn, parts: Sequence[str], told: Sequence[tuple[str, Reason]]) -> Decision:
    """Return the turn that approves a plan behind the answers to what else was asked."""
    speaker, words = turn.speaker, turn.briefing.lexicon.facts
    card, also = other_card_words(turn) if CARD_FACT not in dict(told) else ([], ())
    beside = [key for key in absent_facts(turn) if is_asked_by_name(turn, key)]
    said = (
        *speaker.without([words[key] for key in beside]),
        *(*parts, speaker.phrase(yes_act(turn)), *card),
    )
    return Decision(said, told=(*told, *also), is_content=True, moved=True, approved=True)


def go_on(turn: Turn) -> Decision | None:
    """Return the turn that says what it said would follow, to one who only waits for it."""
    if turn.clarification is not None:
        return None
    asking = [one.text for one in turn.reading.segments if one.is_request]
    waits = _LISTENS.fullmatch(turn.text) or (asking and all(map(_LISTENS.fullmatch, asking)))
    return promised(turn) if waits else None


def promised(turn: Turn) -> Decision | None:
    """Return the turn that says, unasked, what it said would follow; `None` where it did not."""
    record, seen = turn.memory.record, turn.memory.seen
    spared = spared_by(turn, [key for key in turn.facts if record.has(key)])
    left = [
        key for key in turn.facts if f"?{key}" in seen and not (record.has(key) or key in spared)
    ]
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
    settled, asks_more = turn.memory.record.is_settled, asks_for_more(turn.text.casefold())
    is_noted = all(
        is_known_well(turn, fact.key) or (asks_more and settled(fact.key)) for fact in chosen
    )
    return bounds_of(turn) is not None and is_noted and not absent_facts(turn)


def _certain_of(turn: Turn, chosen: Sequence[Fact]) -> set[str]:
    """Return of what no certain one is wished, though not any will do, where it is asked which one.

    It is what is only to be the same, as told, or what such a wish binds.
    """
    words, clauses = turn.reading.lexicon.facts, turn.reading.clauses
    found = set[str]()
    for key in (fact.key for fact in chosen):
        is_alike = words[key].form is ValueForm.FLAG and words[key].conflict
        asking = [(one.text, how) for one, how in clauses if one.is_request and key in how.facts]
        asking = [one for one in asking if one[1].names(key)] or asking
        which = (PARTICULAR.search(one) and not _WHICH_PARTS.search(one) for one, _ in asking)
        if is_alike and turn.memory.record.is_settled(key) and asking and all(which):
            found.add(key)
    return found | bound_choices(turn)


def _is_nothing_else(turn: Turn, chosen: Sequence[Fact], certain: set[str]) -> bool:
    """Tell whether all that is asked is which one it is to be of what need not be a certain one."""
    is_beside = absent_facts(turn) or asked_unwished(turn)
    return bool(certain) and certain.issuperset(one.key for one in chosen) and not is_beside


def _first_words(turn: Turn, given: Sequence[Fact]) -> list[str]:
    """Return what is said of the first question before others are answered; mostly nothing."""
    is_noted = asks_as_before(turn) or asks_same_order(turn)
    if is_noted and not turn.playback.wrong:
        return [turn.speaker.phrase("right")]
    return _first_spent(turn, given)


def asks_as_before(turn: Turn) -> bool:
    """Tell whether a question is if what was said before holds."""
    return _AS_BEFORE.search(turn.text) is not None


def _first_spent(turn: Turn, given: Sequence[Fact]) -> list[str]:
    """Return what to say of a first question that needs no more words, where others get some."""
    if not given:
        return []
    spent = {*spent_wishes(turn)}
    clauses = turn.reading.clauses
    questions = ((one, how) for one, how in clauses if one.is_request and "?" in one.text)
    first, how = next(questions, (None, None))
    if first is None or how is None:
        return []
    is_example = EXAMPLES.search(first.text) is not None
    which = set[str]() if is_example else asked_which(turn, first, how)
    if (asks_any_wish(first.text) and not which) or (is_example and asks_openly(turn)):
        return []
    spent |= which
    is_given = any(how.names(fact.key) if which else fact.key in how.facts for fact in given)
    # What asks for others by their words only hints at one that has nothing left to say.
    is_of_others = any("how:cue" in shows for key, shows in how.facts.items() if key not in spent)
    meant = {key for key in spent if how.names(key)}
    meant = {key for key in meant if "how:cue" in how.facts[key]} if is_of_others else meant
    if not meant or is_given:
        return []
    return [turn.speaker.none_certain(which) if which else turn.speaker.phrase("no_wish")]


def _is_told(turn: Turn, key: str) -> bool:
    """Tell whether the user has told a fact for sure in its own words, and not only affirmed it."""
    said = turn.speaker.said.casefold()
    return turn.memory.record.is_settled(key) and stands_in(said, key, turn.briefing)


def _asks_plainly(turn: Turn, key: str) -> bool:
    """Tell whether a question asks for a fact by its name, and for nothing more of it.

    To one that names its value, or what it may be instead, nobody has said the answer yet.
    """
    asking = [(one, how) for one, how in turn.reading.clauses if one.is_request]
    shown = [(one.text, how.facts[key]) for one, how in asking if key in how.facts]
    return any("how:cue" in shows and "value" not in shows for _, shows in shown) and not any(
        OR.search(text) for text, _ in shown
    )


def name_detail(turn: Turn, act: str, key: str, reason: Reason, **effects: Any) -> Decision:
    """Return the turn that names one detail after a phrase, and answers what else was asked."""
    others = chosen_facts(turn, (key,))
    facts = [turn.facts[key], *others] if key in turn.facts else others
    told = ((key, reason), *told_as_asked(others))
    parts = (turn.speaker.phrase(act), *map(turn.speaker.fact, facts))
    return Decision(parts, told=told, **effects)
