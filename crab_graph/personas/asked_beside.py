"""Which wishes a question names beside those that it is known to ask for.

A reader that is not sure of the third of four things named in one question is right about the first
two more often than not: what stands in one list with them is asked as they are.
"""

import re
from functools import lru_cache

from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.played_clauses import asks_check
from crab_graph.personas.segments import Segment
from crab_graph.personas.understanding import AS_MANY, HEARD_AT_ONCE, Reading
from crab_graph.personas.wordbook import FactWords, ValueForm

_ASKED = -1.5
"""The log-odds from which on a clause is taken to ask for a fact that its message asks for."""
_BY_WORDS, _BY_HINT = -8.0, -4.0
"""Those from which on one beside it is asked, too: by words that ask for it, or that hint at it."""
_LIKELY_ALONE = -2.0
"""Those from which on a fact is asked for by a question of which nothing else is read."""
_NAMED = frozenset({"how:cue", "how:hint"})
_PLEASE = re.compile(r"\b(?:please|pls|plz)\b")
_OTHER_QUESTIONS = ("open", "closing", "wait", "check", "booking_act", "alteration", "payment")
_CHOSEN = frozenset({ValueForm.CHOICE, ValueForm.COUNT, ValueForm.FLAG, ValueForm.MONEY})


@lru_cache(maxsize=HEARD_AT_ONCE)
def asked_beside(reading: Reading) -> tuple[str, ...]:
    """Return the keys of the wishes that a message likely asks for beside others, in its order.

    Days are left out where another day is asked for: one noun serves them all.
    """
    facts = reading.lexicon.facts
    places = {key: place for place, key in enumerate(facts)}
    found: dict[str, None] = {}
    for row, (segment, features) in enumerate(reading.clauses):
        scores = {key: float(reading.fact_scores[row, places[key]]) for key in features.facts}
        asked = [key for key in scores if key in reading.asked and scores[key] > _ASKED]
        is_list = segment.is_request or len(_bare_cues(features)) > AS_MANY
        if not is_list or not any(facts[key].conflict or facts[key].lent for key in asked):
            continue
        has_day = any(facts[key].form is ValueForm.DATE for key in asked)
        for key, score in scores.items():
            is_new = key not in reading.asked and key not in reading.checked
            if is_new and score > _least(facts[key], segment, features, has_day=has_day):
                found[key] = None
    return tuple(found)


@lru_cache(maxsize=HEARD_AT_ONCE)
def asked_alone(reading: Reading) -> tuple[str, ...]:
    """Return the keys of the wishes that questions likely ask for of which nothing else is read.

    No question is passed over: the likeliest wish is meant, where the question names no other. What
    is named and nothing else, with a "please", is asked for as if by a question.
    """
    facts = reading.lexicon.facts
    places = {key: place for place, key in enumerate(facts)}
    found: dict[str, None] = {}
    for row, (segment, features) in enumerate(reading.clauses):
        is_question = segment.text.rstrip().endswith("?") or _PLEASE.search(segment.text)
        if (
            not (segment.is_request and is_question)
            or asks_check(reading, row)
            or segment.says(*_OTHER_QUESTIONS)
        ):
            continue
        is_foreign = segment.says("foreign") or reading.lexicon.extras.search(segment.text)
        scores = {
            key: float(reading.fact_scores[row, places[key]])
            for key, how in features.facts.items()
            if not how.isdisjoint(_NAMED) and ("how:cue" in how or not is_foreign)
        }
        is_read = any(key in scores for key in (*reading.asked, *reading.checked))
        best = max(scores, key=scores.__getitem__, default="")
        least = _BY_WORDS if _is_all_named(segment, features) else _LIKELY_ALONE
        if best and not is_read and scores[best] > least:
            found[best] = None
    return tuple(found)


def _is_all_named(segment: Segment, features: ClauseFeatures) -> bool:
    """Tell whether a clause without a verb says "please" and names one fact by words of its own."""
    named = [how for how in features.facts.values() if "how:cue" in how]
    is_bare = len(named) == 1 and "how:cue&verbless" in named[0]
    return is_bare and _PLEASE.search(segment.text) is not None


def _bare_cues(features: ClauseFeatures) -> list[str]:
    """Return the facts that a clause names by words of their own, and no value of."""
    return [k for k, how in features.facts.items() if "how:cue" in how and "value" not in how]


def _least(words: FactWords, segment: Segment, features: ClauseFeatures, *, has_day: bool) -> float:
    """Return the log-odds above which a fact is asked for beside others; infinite for never."""
    how = features.facts[words.key]
    slots = {*(words.slots or (words.conflict.slots if words.conflict else ()))}
    is_near = not segment.scope.isdisjoint(slots)
    is_day = words.form is ValueForm.DATE and is_near and not has_day
    is_stated = "value" in how and not _is_menu(words, segment)
    if is_stated or words.conflict is None or not (words.form in _CHOSEN or is_day):
        return float("inf")
    if "how:cue" in how:
        return _BY_WORDS
    return _BY_HINT if "how:hint" in how and is_near and not is_day else float("inf")


def _is_menu(words: FactWords, segment: Segment) -> bool:
    """Tell whether a clause names several values of a fact, to choose from."""
    return sum(cue.search(segment.text) is not None for cue in words.cues.values()) > 1
