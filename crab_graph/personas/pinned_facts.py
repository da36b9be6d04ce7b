"""Facts that a question points at: by a value, by whose they are, by how much they hold for."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from crab_graph.personas.fact_scopes import is_apart, slots_of
from crab_graph.personas.played_routes import route_of
from crab_graph.personas.pointed_questions import (
    asked_by_values,
    asked_hours,
    asked_throughout,
    asks_throughout,
)
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.spoken_sums import find_sums
from crab_graph.personas.stated_values import choices_in, counts_in, names_value
from crab_graph.personas.turns import Turn, once_a_turn
from crab_graph.personas.wordbook import ConflictKind, FactWords, ValueForm

_FEW = 4
"""Questions of one meaning."""
_PINS = re.compile(
    r"\bor (?:would you|do you|is it|another|a different|other|more|less|some)\b"
    r"|\b(?:another|a different) (?:number|one|amount|value)\b"
    r"|\b(?:hold|keep|stick) (?:to|with|at)\b"
    r"|\b(?:firm|certain|for sure|exactly|a must|yes or no)\b|\byes,? or\b"
)
"""Asks if something is as it was told, or otherwise."""
_MUST_IT = re.compile(
    r"\A\W*(?:(?:\d|[a-d])[.)] )?(?:[^?:]{2,30}: )?(?:(?:and|so|then|but) )*"
    r"(?:must|should|does|do|has|have|need|is|are)\b(?!n.t)[^?]{4,80}"
    r"\bor (?:would|may|might|could|can|will|is|are|does|do) (?!you\b)[^?]*\?"
)
"""Asks if something has to be as it was told, or may be otherwise."""
_END = re.compile(
    r"\b(?:latest|earliest|last|first) (?:possible |departure |travel )?(?:day|date)\b"
)
"""Asks for one end of a window."""
_WHOSE = re.compile(
    r"\b(?:dates?(?: of birth)?|birth ?dates?|birthdays?|dobs?)\b[^.?\n]{0,40}"
    r"\b(?:match\w*|order|right (?:person|people|name)\w*|belong\w*|whose)\b[^.?\n]*\?"
    r"|\bwhich\b[^?.]{0,30}\b(?:dates?|one)\b[^?.]{0,20}\b(?:is|are|was)\b[^?.]{0,20}"
    r"(?:\byours|\bhis|\bhers|\w's)\b[^.?\n]*\?"
    r"|\b(?:match\w*|same order|whose)\b[^.?\n]{0,40}"
    r"\b(?:dates? of birth|birth ?dates?|birthdays?)\b[^.?\n]*\?"
    r"|\bwhich (?:birth ?dates?|dates? of birth|dobs?)\b[^?\n]*\?"
    r"|\b(?:who|which (?:one|of \w+)) (?:was|is|were|are) born\b[^?\n]*\?"
    r"|\bborn (?:on |in )?(?:\.\.\.|…|_{2,}|when) ?\?"
)
"""Asks whose each date of birth is."""
_IN_ORDER = re.compile(
    r"\b(?:match|pair|take|assign|assume|right|correct)\w*\b[^?]{0,60}\bdates\b[^?]{0,60}"
    r"\bin the (?:same )?order\b[^?]*\?"
    r"|\bassign\w*\b[^?]{0,30}\bdates\b[^?]{0,30}\b(?:correct|right)\w*\b[^?]*\?"
)
"""Asks if names and dates stand in one order."""
_ASKS_WHERE = re.compile(
    r"\b(?:where(?! in\b)|destination|(?:which|what) (?:cit|place|town)\w*|start\w*|ends?|back|home"
    r"|return\w*)\b"
)
"""Asks for a place, and names none in passing."""
_TO_WHERE = re.compile(
    r"\b(?:where|destination|(?:which|what) (?:cit|place|town)\w*)\b|\b(?:back|home) to\b"
)
"""Asks where something leads to."""
_ORDERED = re.compile(r"(?<!which )(?<!what )\border\b(?!.*\b(?:whose|which|whom|belong\w*)\b)")
"""Names their order alone."""
_OF_HOURS = re.compile(
    r"\d|\b(?:hours?|o.?clock|times?|when|early|earl\w+|late\w*|from|until|till|before|after|noon"
    r"|midday|mornings?|afternoons?|evenings?|nights?|starts?|ends?|counts?|means?)\b",
    re.I,
)
"""Without which a message asks of no hours."""
_FITS: Mapping[str, Callable[[FactWords], bool]] = {
    "scope": lambda words: words.form is ValueForm.MONEY and bool(words.throughout),
    "both": lambda words: words.conflict is not None and bool(words.throughout),
    "at_least": lambda words: (
        words.conflict is not None and words.conflict.kind is ConflictKind.AT_LEAST
    ),
    "hours": lambda words: bool(words.hours) and not words.is_joint,
}
"""Which wishes a message may ask about that means so."""


def pointed_at(turn: Turn) -> tuple[str, ...]:
    """Return the keys of what a question points at by values: the user says it, known or not."""
    reading = turn.reading
    own = [key for key in asked_by_values(reading) if not names_own_places(turn, key)]
    own += (*asked_throughout(reading), *by_hours(turn), *asked_ends(turn))
    return (*own, *pinned_again(turn), *whose_births(turn), *meant_wishes(turn))


def asked_ends(turn: Turn) -> list[str]:
    """Return where a journey of several stops begins and ends, where it is asked to which it is."""
    words, known = turn.briefing.lexicon.facts, {k: one.value for k, one in turn.facts.items()}
    ends = route_of(words, [key for key in known if key in words], known)[:1]
    asking = [(one.text, how) for one, how in turn.reading.clauses if one.is_request]
    return [
        key
        for key in ends
        if turn.memory.record.has(key)
        and any("how:cue" in how.facts.get(key, ()) and _TO_WHERE.search(t) for t, how in asking)
    ]


def names_own_places(turn: Turn, key: str) -> bool:
    """Tell whether a question only names the places of a user's own, `in Zurich or Munich`."""
    words, known = turn.briefing.lexicon.facts, {str(one.value) for one in turn.facts.values()}
    if words[key].form is not ValueForm.TEXT:
        return False
    asking = [one.text for one, how in turn.reading.clauses if one.is_request and key in how.facts]
    named = {value for value, cue in words[key].cues.items() if any(map(cue.search, asking))}
    return bool(named) and named <= known and not any(map(_ASKS_WHERE.search, asking))


@once_a_turn
def meant_wishes(turn: Turn) -> tuple[str, ...]:
    """Return the wishes that were told of which the whole asks how much they hold for, or when.

    They are those that it names, else those that were told last; a whole of many questions means no
    one thing. Who asks how to pay asks for the card, told or not.
    """
    reading, words = turn.reading, turn.briefing.lexicon.facts
    fits = next((fit for meant, fit in _FITS.items() if reading.means(meant)), None)
    if fits is _FITS["hours"] and _OF_HOURS.search(turn.text) is None:
        return ()
    if reading.means("which_card"):
        return tuple(k for k in turn.facts if k in words and words[k].form is ValueForm.CARD)
    asking = sum(one.is_request for one in reading.segments)
    if fits is None or turn.reading.ids or asking > _FEW or asked_throughout(reading):
        return ()
    told = [key for key in turn.facts if key in words and turn.memory.record.has(key)]
    meant = [key for key in told if fits(words[key])]
    slots = {slot for one in turn.reading.segments for slot in one.named}
    meant = [key for key in meant if not slots.isdisjoint(slots_of(turn, key))] or meant
    just_told = turn.memory.record.told_last
    named = [key for key in meant if any(how.names(key) for how in turn.reading.features)]
    return tuple(named or [key for key in meant if key in just_told] or meant[:1])


def meant_throughout(turn: Turn) -> tuple[str, ...]:
    """Return those of them of which it is asked if they hold for all."""
    return meant_wishes(turn) if turn.reading.means("scope", "both") else ()


def asked_of_a_part(turn: Turn) -> list[str]:
    """Return the wishes on several parts that a message asks for of some of these alone.

    Who tells such a wish says of what all it holds: asked again of the others it has told it.
    """
    words, has = turn.briefing.lexicon.facts, turn.memory.record.has
    asking = [(one, how) for one, how in turn.reading.clauses if one.is_request]

    def is_of_part(key: str) -> bool:
        slots = slots_of(turn, key)
        scopes = [one.scope for one, how in asking if "how:cue" in how.facts.get(key, ())]
        return bool(scopes) and all(one and slots - one and slots & one for one in scopes)

    return [
        key
        for key in turn.facts
        if key in words and words[key].throughout and not has(key) and is_of_part(key)
    ]


def unwished_throughout(turn: Turn) -> list[str]:
    """Return what has no wish, as was said, of which it is asked if that holds for all."""
    words = turn.briefing.lexicon.facts
    return [
        key
        for one, how in turn.reading.clauses
        if one.is_request and asks_throughout(one)
        for key in how.facts
        if key in turn.memory.declined and words[key].none_throughout
        if "how:cue" in how.facts[key]
    ]


@once_a_turn
def pinned_again(turn: Turn) -> list[str]:
    """Return what was told of which a question names a value and asks if it is that, or another."""
    words, record = turn.briefing.lexicon.facts, turn.memory.record
    asking = [(one.text, how) for one, how in turn.reading.clauses if one.is_request]
    pinned = [
        key
        for text, how in asking
        for key, shows in how.facts.items()
        if "how:cue" in shows
        and key in turn.facts
        and record.is_settled(key)
        and _pins(text, words[key], turn.facts[key].value)
    ]
    pinned += [
        key
        for one, _ in turn.reading.clauses
        if one.is_request and _MUST_IT.search(one.text)
        for key in turn.facts
        if record.is_settled(key) and not is_apart(turn, key, one)
        if key in words and _names_own(one.text, words[key], turn.facts[key].value)
    ]
    windows = [key for key in turn.facts if any(of_two_windows(turn, t, key) for t, _ in asking)]
    return pinned + [k for k in windows if record.is_settled(k) and k not in turn.playback.right]


def of_two_windows(turn: Turn, text: str, key: str) -> bool:
    """Tell whether a text names the days of a window that was told, and others beside it."""
    value = turn.facts[key].value
    words = turn.briefing.lexicon.facts.get(key)
    if words is None or words.form is not ValueForm.DATE or not isinstance(value, list):
        return False
    named = {one.iso for one in find_dates(text, turn.briefing.today)}
    own = {day for day in named if value[0] <= day <= value[-1]}
    return value[0] in own and len(named - own) > 1


def _names_own(text: str, words: FactWords, value: Any) -> bool:
    """Tell whether a text names the very value that a user wants of several."""
    if words.is_joint or words.conflict is None:
        return False
    if words.form is ValueForm.COUNT:
        return value in counts_in(text, words.conflict)
    return words.form is ValueForm.CHOICE and value in choices_in(text, words)


def _pins(text: str, words: FactWords, value: Any) -> bool:
    """Tell whether a question pins a wish: asks if a value is the one, or which end of a window."""
    if words.form is ValueForm.DATE:
        is_end = isinstance(value, list) and _END.search(text) is not None
        return is_end and (names_value(text, words) or any(map(str.isdigit, text)))
    is_sum = words.form is ValueForm.MONEY
    own_name = words.key.replace("_", " ")
    is_sum = is_sum and (own_name in text or next(find_sums(text), None) is not None)
    is_named = is_sum or names_value(text, words)
    has_others = words.form in (ValueForm.COUNT, ValueForm.CHOICE, ValueForm.MONEY)
    has_others |= words.is_place
    return has_others and is_named and _PINS.search(text) is not None


def whose_births(turn: Turn) -> list[str]:
    """Return the dates of birth where it is asked whose each is, and not if their order holds."""
    key, text = _key_of_births(turn), turn.reading.utterance.text
    is_open = _WHOSE.search(text) is not None and not asks_same_order(turn)
    is_checked = turn.playback.is_asked and key in turn.playback.right
    return [key] if is_open and not is_checked and turn.memory.record.has(key) else []


def asks_same_order(turn: Turn) -> bool:
    """Tell whether a message asks if dates of birth that were told stand in the names' order."""
    found = _WHOSE.search(turn.reading.utterance.text)
    is_told = turn.memory.record.has(_key_of_births(turn))
    is_of_order = found is not None and _ORDERED.search(found[0]) is not None
    return is_told and (is_of_order or _IN_ORDER.search(turn.reading.utterance.text) is not None)


def _key_of_births(turn: Turn) -> str:
    known = turn.briefing.lexicon.facts.items()
    return next((key for key, one in known if _is_of_births(one) and key in turn.facts), "")


def _is_of_births(words: FactWords) -> bool:
    return words.form is ValueForm.DATES and words.conflict is None


def by_hours(turn: Turn) -> list[str]:
    """Return the wishes of which a question asks what hours they mean, by their own words."""
    asked = asked_hours(turn.reading).items()
    return [key for key, said in asked if key in turn.facts and str(turn.facts[key].value) in said]
