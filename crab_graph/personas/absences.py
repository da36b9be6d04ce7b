"""On what a user has no wish: which of the facts asked for, and what it says of them."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from crab_graph.personas.briefing import Fact
from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.fact_scopes import (
    is_asked_by_name,
    is_named,
    is_wish,
    names_somebody,
    slots_of,
)
from crab_graph.personas.noted_facts import is_listed_again, notes_absence
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.pinned_facts import unwished_throughout
from crab_graph.personas.pointed_questions import OR
from crab_graph.personas.questions import has_rival
from crab_graph.personas.segments import Segment
from crab_graph.personas.slot_scopes import asked_scopes
from crab_graph.personas.sought_facts import asked_facts, asks_openly, bound_by, new_facts
from crab_graph.personas.turns import Turn
from crab_graph.personas.unwished import asked_in, asked_unwished
from crab_graph.personas.wordbook import DomainLexicon, FactWords, UnwishedWords

_FEW_ABSENCES = 2
"""So many facts that the user lacks are spoken of by name where it has told all its wishes."""
_FEW_QUESTIONS = 3
"""Beside no more questions what is free is said as often as it is asked."""
_NAMED_ABSENCES = 12
"""Who may say all at once names no more of them in one breath."""
_SOME_ABSENCES = 4
"""Others name no more of them."""
_APART = re.compile(r"\b(?:apart from|aside from|besides|other than|except(?: for)?)\b")
"""Leads to what is not asked for."""


def absent_facts(turn: Turn) -> list[str]:
    """Return the keys asked for on which the user has no wish, and has not said so.

    It says so again where a question names the thing again, and does not play that back.
    """
    if turn.is_all_booked:
        return []  # what is booked leaves nothing to wish for
    known, declined = turn.facts, turn.memory.declined
    words = turn.briefing.lexicon.facts
    asked = (
        key
        for key in asked_facts(turn)
        if key in words
        and key not in known
        and not (bound_by(turn, key) or is_asked_elsewhere(turn, key))
    )
    noting = [how for one, how in turn.reading.clauses if notes_absence(one)]
    noted = {key for how in noting for key in how.facts if how.names(key)}
    noted |= {key for one, how in turn.reading.clauses for key in _set_apart(one, how, words)}
    noted -= {*unwished_throughout(turn)}
    return [
        key
        for key in asked
        if key not in declined
        or (key not in noted and is_asked_by_name(turn, key) and not is_listed_again(turn, key))
    ]


def _set_apart(
    segment: Segment, how: ClauseFeatures, words: Mapping[str, FactWords]
) -> Iterator[str]:
    """Yield the facts that a clause only names as those that it does not ask for."""
    found = _APART.search(segment.text)
    if found is None:
        return
    asked = segment.text[: found.start()]
    for key in how.facts:
        if how.names(key) and not any(cue.search(asked) for cue in words[key].asks):
            yield key


def is_asked_elsewhere(turn: Turn, key: str) -> bool:
    """Tell whether all that asks by words of a fact, or hints at it, names other slots."""
    lexicon = turn.briefing.lexicon
    words = lexicon.facts[key]
    people = [one for one in lexicon.facts if names_somebody(turn, one)]
    reading = turn.reading
    scopes = dict(zip(map(id, reading.segments), asked_scopes(reading), strict=True))
    asking = [
        one
        for one, how in reading.clauses
        if one.is_request
        and ("how:cue" in how.facts.get(key, ()) or _is_hinted_of_rival(one, how, words, lexicon))
        and not any("how:cue" in how.facts.get(other, ()) for other in people)
    ]
    if not asking:
        # What only the topic of a clause stands for is asked of the slots that it names.
        shown = [(one, how) for one, how in reading.clauses if key in how.facts]
        asking = [] if any(how.names(key) for _, how in shown) else [one for one, _ in shown]
    slots = slots_of(turn, key)
    # What has its like elsewhere is meant of the slots at hand, also where none is named.
    own = [scopes[id(one)] if words.slots else one.named for one in asking]
    return bool(own and slots) and all(scope and scope.isdisjoint(slots) for scope in own)


def _is_hinted_of_rival(
    segment: Segment, how: ClauseFeatures, words: FactWords, lexicon: DomainLexicon
) -> bool:
    """Tell whether a clause that hints at a fact is of slots that have its like."""
    return how.names(words.key) and has_rival(words, segment.named, lexicon)


def absence_words(
    turn: Turn, given: Sequence[Fact], played: Sequence[str] = (), unknown: Sequence[str] = ()
) -> tuple[list[str], tuple[str, ...]]:
    """Say on which of the facts asked for the user has no wish, and return their keys.

    They take nothing of what one answer holds; those that are asked behind what waits wait with it,
    once.
    Of many it speaks as of the rest, but not while it has wishes that the agent does not know.
    What was `played` back is not asked for beside that, but for what is `unknown` to the user.
    """
    asked = asked_facts(turn)
    lexicon, speaker = turn.briefing.lexicon, turn.speaker
    words: Mapping[str, UnwishedWords] = {**lexicon.facts, **lexicon.unwished}
    new = [key for key in new_facts(turn) if key not in played]
    absent = [key for key in absent_facts(turn) if key not in played]
    waiting = [key for key in new if key not in {fact.key for fact in given}]
    if waiting:
        seen, first = turn.memory.seen, asked.index(waiting[0])
        absent = [key for key in absent if asked.index(key) < first or f"?{key}" in seen]
    unknown = [key for key in unknown if key in words and not bound_by(turn, key)]
    absent = list(dict.fromkeys([*unknown, *absent]))
    absent += asked_unwished(turn, before=waiting)
    dropped = _said_enough(turn, absent, given)
    absent = [key for key in absent if key not in dropped]
    ends = asks_openly(turn) and not given and not waiting
    if not absent and not ends:
        return [], ()
    limit = turn.behavior.facts_per_answer
    most = _NAMED_ABSENCES if limit is None else _SOME_ABSENCES
    if ends:
        # Of one thing after another, what is asked for by itself is answered all the same.
        lacking = absent if limit != 1 or unknown or len(absent) <= _FEW_ABSENCES else []
        own = speaker.without([words[key] for key in lacking]) if lacking else []
        own = [speaker.phrase("no_wish")] if len(lacking) > most else own
        return [*own, speaker.phrase("nothing_else")], tuple(absent)
    record = turn.memory.record
    told = {fact.key for fact in given}
    has_untold = any(
        not record.has(key) and key not in told for key in turn.facts if is_wish(turn, key)
    )
    # Of the rest nobody says that it does not matter who told some of it before.
    has_more = has_untold or any(
        key in turn.facts and key not in told and is_named(turn, key) for key in asked
    )
    few = _SOME_ABSENCES if limit is None else _FEW_ABSENCES
    if len(absent) <= few or has_more or waiting or played:
        absent = _of_first_kinds(absent, words, most)
        said = speaker.without([words[key] for key in absent])
        is_whole = dropped and not has_untold
        return [*said, *([speaker.phrase("no_more_wish")] if is_whole else ())], tuple(absent)
    has_some = any(key in turn.facts for key in asked)
    return [speaker.phrase("no_more_wish" if has_some else "no_wish")], tuple(absent)


def _said_enough(turn: Turn, absent: Collection[str], given: Sequence[Fact]) -> list[str]:
    """Return what is not named a third time beside what is new, for all that it is asked again."""
    if all(turn.memory.record.is_settled(fact.key) for fact in given):
        return []
    pinned = _asked_which(turn) | _asked_of_part(turn) | _offered_in(turn)
    return [key for key in absent if key not in pinned and turn.memory.has_declined_again(key)]


def _of_first_kinds(
    keys: Sequence[str], words: Mapping[str, UnwishedWords], most: int
) -> list[str]:
    """Return the keys of so many kinds: one thing of several parts is of one kind."""
    kinds = {key: _kind(key, words[key].slots) for key in keys}
    first = list(dict.fromkeys(kinds.values()))[:most]
    return [key for key in keys if kinds[key] in first]


def _kind(key: str, slots: Sequence[str]) -> str:
    """Return what a key asks for, whatever part it asks that of."""
    return next((key.removeprefix(f"{one}_") for one in slots if key.startswith(f"{one}_")), key)


def _asked_which(turn: Turn) -> set[str]:
    """Return the facts of which a question names values to choose from."""
    return {
        key
        for one, how in turn.reading.clauses
        if one.is_request and OR.search(one.text)
        for key, shows in how.facts.items()
        if {"how:cue", "value"} <= shows
    }


def bound_choices(turn: Turn) -> set[str]:
    """Return what a question names values of to choose from, and only a joint wish, told, binds."""
    known = turn.memory.record.is_settled
    asked = _asked_which(turn)
    return {
        key
        for key in asked_facts(turn)
        if key in asked and (joint := bound_by(turn, key)) and all(map(known, joint))
    }


def _asked_of_part(turn: Turn) -> set[str]:
    """Return what no user has a wish on, of no part, that a question asks for of one of them."""
    unwished = turn.briefing.lexicon.unwished
    return {
        name
        for one, _ in turn.reading.clauses
        if one.is_request and len(one.named) == 1
        for name in asked_in(turn, one)
        if not unwished[name].slots
    }


def _offered_in(turn: Turn) -> set[str]:
    """Return what no user has a wish on of which a question of its own offers answers.

    Of a wish that others have it is enough to be named by a question, where few are asked.
    """
    asking = [(one, how) for one, how in turn.reading.clauses if one.is_request and "?" in one.text]
    offering = (one for one, _ in asking if OR.search(one.text))
    own = [found for one in offering if len(found := asked_in(turn, one)) == 1]
    few = asking if len(asking) <= _FEW_QUESTIONS else []
    named = {key for _, how in few for key, shows in how.facts.items() if "how:cue" in shows}
    return {name for found in own for name in found} | named


def closing_words(turn: Turn, given: Sequence[Fact], without: Sequence[str]) -> list[str]:
    """Say that nothing is left where that was asked beside what is answered, and it is so.

    It is said already where the user speaks of all the rest in what it says to be `without`.
    """
    if turn.speaker.phrase("no_more_wish") in without:
        return []
    # With what it pays is no wish.
    left = {key for key in new_facts(turn) if key in turn.facts} - {CARD_FACT}
    left -= {fact.key for fact in given} | {*turn.playback.right, *turn.playback.wrong}
    is_again = all(turn.memory.record.is_settled(fact.key) for fact in given)
    is_beside = bool(turn.reading.asked) or is_again
    if not given or left or not asks_openly(turn) or not is_beside:
        return []
    return [turn.speaker.phrase("nothing_else")]
