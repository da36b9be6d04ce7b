"""Which facts a message asks for, of those that a user has and of those on which it has no wish."""

import re
from collections.abc import Sequence

from crab_graph.personas.asked_beside import asked_alone, asked_beside
from crab_graph.personas.doubted_facts import doubted
from crab_graph.personas.fact_scopes import (
    is_lent,
    is_named,
    is_open,
    is_wish,
    names_somebody,
    slots_of,
)
from crab_graph.personas.memory import OPEN
from crab_graph.personas.mentioned_facts import (
    is_elsewhere,
    is_joint_elsewhere,
    is_mention,
    is_of_noted_joint,
    is_told_elsewhere,
)
from crab_graph.personas.open_bounds import asks_any_wish, asks_of_part, open_bounds
from crab_graph.personas.pinned_facts import asks_same_order, by_hours, pointed_at
from crab_graph.personas.pointed_questions import (
    OR,
)
from crab_graph.personas.turns import Turn, once_a_turn
from crab_graph.personas.unwished import asked_of_parts
from crab_graph.personas.wordbook import OF_PERSONS, ValueForm

_PAIR = 2
_ELLIPSIS: frozenset[str] = frozenset()
_ASKS_REST = re.compile(
    r"\b(?:what(?:'s| is|’s) (?:the |there )?(?:more|rest|others?)|(?:the|your) rest\b[^.?!]*\?"
    r"|(?:some|any)thing (?:that )?you (?:still )?(?:want|wish|need|would like) to (?:tell|add|say)"
    r"|(?:some|any)thing new to be (?:added|noted)|shall i add anything|any more(?=\W*\?)"
    r"|(?:everything|all) (?:that(?:.s| is) )?(?:still )?(?:missing|left|open)\b"
    r"|(?:go ahead|go on|carry on|continue) with (?:the |your )?(?:rest|others?|remaining|next)"
    r"|(?:do |please )?(?:go on|carry on|tell me more))\b",
    re.I,
)
"""Asks for what somebody said that there is more of."""
_YOU_TOLD = re.compile(
    r"\byou(?:'ve|’ve| have)? (?:already |just )?(?:told|given|said|named|mentioned|sent)\b"
)
"""Says what was told."""
_ELSE = re.compile(
    r"\b(?:anything|something) (?:else|more|further)\b|\banything\b[^?]{0,12}\bfor\b"
)
"""Asks for what is left."""
_ONCE_MORE = re.compile(
    r"\bwhich (?:one )?is (?:the )?(?:right|correct)(?: one)?\W*\?"
    r"|^(?:and |so |please,? |sorry,? )*(?:what (?:was|were|is|are|did you say)"
    r" (?:it|that|this|they|those)?\b"
    r"|(?:could|can|would|will) you (?:please )?(?:repeat|say|tell)\b"
    r"|(?:is|was) there (?:one|any)\b(?! (?:of|that|which|you))|(?:do|did) you have (?:one|any)\b"
    r"|have you (?:got )?(?:one|any)\b|(?:come|say that|once|say it) (?:again|more)\b)[^?]{0,20}\?"
)
"""A question that names nothing and asks for what was just spoken of."""
_WANTS = re.compile(
    r"\b(?:please|pls|plz|send|give me|tell me|share|(?:do|will|would|still|just|only|also) need"
    r"|i(?:'ll| will|'d| would)? (?:also |still |just |only )*(?:need|miss|lack|require)"
    r"|(?:still|are|is) missing|waiting for|without)\b"
)
"""Asks for what is named beside it."""


@once_a_turn
def asked_facts(turn: Turn) -> tuple[str, ...]:
    """Return the keys the message asks for, an open question standing for all that is left.

    What nobody needs any more is not left, nor is it told beside what spares it.
    """
    record = turn.memory.record
    keys = [*doubted(turn), *(key for key in turn.reading.asked if not _is_noted(turn, key))]
    keys += [key for key in asked_beside(turn.reading) if is_open(turn, key)]
    keys += read_alone(turn)
    keys += owed_of_persons(turn)
    passed_by = (is_mention, is_of_noted_joint, is_joint_elsewhere, is_told_elsewhere)
    keys = [key for key in keys if not any(tells(turn, key) for tells in passed_by)]
    bound = ((key, one) for key in keys for one in bound_by(turn, key))
    keys += [one for key, one in bound if is_open(turn, one) or is_named(turn, key)]
    spent = spent_wishes(turn)
    keys = [key for key in keys if key not in spent]
    firm = turn.reading.exactly
    keys += [k for k in turn.reading.checked if k in firm or not record.is_settled(k)]
    if turn.reading.asks_choice:
        keys += turn.choices
    keys += pointed_at(turn)
    keys += _of_several(turn)
    keys += _of_named(turn)
    if by_hours(turn):
        keys = [key for key in keys if not is_lent(turn, key)]
    keys = keys or _asked_again(turn)
    if not keys:
        hinted = (key for key in turn.reading.hinted if not is_elsewhere(turn, key))
        keys = [key for key in hinted if is_open(turn, key)]
    named = _without_either(turn, dict.fromkeys(keys))
    if asks_openly(turn) or bounds_of(turn) is not None:
        named = _with_open_ones(turn, named)
    done = {*turn.said, *asked_of_parts(turn)}
    done |= {key for key in named if is_booked(turn, key)}
    if asks_same_order(turn):
        done |= {key for key in named if names_somebody(turn, key) and record.is_settled(key)}
    return tuple(key for key in named if key not in done)


def _with_open_ones(turn: Turn, named: Sequence[str]) -> list[str]:
    """Return keys with all that is left to say of what an open question is about.

    What it only hints at elsewhere it does not ask for.
    """
    bounds, bound = bounds_of(turn), turn.briefing.lexicon.bounds
    if bounds is not None:
        # By its name is asked, too, what binds something that is.
        named = [
            key
            for key in named
            if key in bounds or any(is_named(turn, one) for one in (key, *bound.get(key, ())))
        ]
    found = list(named)
    said = [key for key in turn.facts if turn.memory.record.has(key)]
    for key in sorted(turn.facts, key=lambda one: names_somebody(turn, one)):
        is_left = key not in said and key not in found and not _says_who(turn, key)
        if bounds is not None and key not in bounds:
            continue
        if key in turn.met and turn.reading.asks_booking and not is_named(turn, key):
            # Of a plan that fits it nobody need be told.
            continue
        if is_left and key not in spared_by(turn, [*found, *said]):
            found.append(key)
    return found


def read_alone(turn: Turn) -> list[str]:
    """Return what questions likely ask for of which nothing else is read, beside no deal."""
    reading = turn.reading
    is_deal = reading.ids or reading.asks_booking or reading.asks_choice or reading.asks_wallet
    played = {*turn.playback.right, *turn.playback.wrong, *turn.playback.mixed}
    return [] if is_deal else [key for key in asked_alone(reading) if key not in played]


def is_booked(turn: Turn, key: str) -> bool:
    """Tell whether a wish was told for sure, and all is booked that may meet or miss it."""
    is_told = turn.memory.record.is_settled(key) and is_wish(turn, key)
    return is_told and turn.is_all_booked


def spent_wishes(turn: Turn) -> list[str]:
    """Return the joint wishes told for sure that only what they replace asks for.

    Who wants nothing to visit behind a journey by night has no more to say of hours of travel.
    """
    record = turn.memory.record
    asked = (*turn.reading.asked, *read_alone(turn))
    return [key for key in asked if record.is_settled(key) and is_lent(turn, key)]


def owed_of_persons(turn: Turn) -> list[str]:
    """Return what a message wants to know of people, and was not told yet, whatever stands beside.

    A plan that stands before it hides it from the reader.
    """
    words = turn.briefing.lexicon.facts
    named: dict[str, None] = {}
    for segment, how in turn.reading.clauses:
        wants = segment.is_request or _WANTS.search(segment.text) is not None
        for key, shows in how.facts.items() if wants else ():
            is_own = words[key].conflict is None and words[key].form in OF_PERSONS
            is_bare = "how:cue" in shows and "value" not in shows
            if is_own and is_bare and key in turn.facts and not turn.memory.record.has(key):
                named[key] = None
    return list(named)


def _asked_again(turn: Turn) -> list[str]:
    """Return what stands before a question that only asks to have it said once more."""
    named: list[str] = []
    for segment, how in turn.reading.clauses:
        if segment.is_request and named and _ONCE_MORE.search(segment.text):
            return named
        named = [key for key in how.facts if key in turn.facts and how.names(key)]
    return []


def _of_several(turn: Turn) -> list[str]:
    """Return the wishes on what some things have in common, where any wish about these is asked.

    Those that were told for sure are left out, and on no such wish nothing need be said.
    """
    named = {
        slot
        for segment, how in turn.reading.clauses
        if segment.is_request and asks_any_wish(segment.text) and how.topics
        for slot in segment.named
    }
    compared = turn.briefing.lexicon.compared
    known = {key: slots_of(turn, key) | compared(key) for key in turn.facts if is_open(turn, key)}
    return [key for key, slots in known.items() if len(slots) > 1 and slots <= named]


def _of_named(turn: Turn) -> list[str]:
    """Return what is left to say of the slots for which a question asks any wish, or any more."""
    found: dict[str, None] = {}
    for segment, _ in turn.reading.clauses:
        text = segment.text
        is_general = segment.is_request and (asks_any_wish(text) or _ELSE.search(text) is not None)
        for key in turn.facts if is_general and segment.named else ():
            slots = slots_of(turn, key) | turn.briefing.lexicon.compared(key)
            # What one part has in common with another is a wish for either.
            is_of = slots <= segment.named or (len(slots) == _PAIR and slots & segment.named)
            if slots and is_of and is_open(turn, key):
                found[key] = None
    return list(found)


@once_a_turn
def asks_openly(turn: Turn) -> bool:
    """Tell whether a message asks for whatever is left to say.

    A question whether that is all ends nothing while nothing is booked. What was asked for openly
    and is still left is owed when a plan is to be approved, too.
    """
    reading = turn.reading
    is_early = not (turn.wallet.bookings or reading.claims_done)
    is_plan = bool(reading.ids) and reading.asks_booking
    is_owed = is_early and is_plan and OPEN in turn.memory.seen
    # What is booked may be asked about in words that else ask for what is left to say.
    asks = reading.is_open_question
    asks = asks or ((reading.is_open_by_meaning or reading.is_closing) and is_early)
    is_open = asks and open_bounds(turn) is None
    is_unsure = reading.is_unclear or not any(is_named(turn, one) for one in reading.asked)
    return is_open or is_owed or (is_unsure and _ASKS_REST.search(turn.text) is not None)


def bounds_of(turn: Turn) -> frozenset[str] | None:
    """Return the facts about which a message asks openly, where it keeps to some."""
    reading = turn.reading
    asks = reading.is_open_question or reading.is_closing or asks_of_part(turn)
    return open_bounds(turn) if asks else None


def _says_who(turn: Turn, key: str) -> bool:
    """Tell whether a fact says who somebody is: nobody is asked for that beside a plan."""
    reading = turn.reading
    is_beside_plan = bool(reading.ids) and (reading.asks_booking or reading.asks_choice)
    return is_beside_plan and names_somebody(turn, key)


def _is_noted(turn: Turn, key: str) -> bool:
    """Tell whether a message notes a wish rightly, and no clause that asks names it.

    What was told for sure is noted by being named beside another question.
    """
    played, clauses = turn.playback, turn.reading.clauses
    if key not in turn.facts or key in (*played.questioned, *played.wrong):
        return False
    asking = [how for one, how in clauses if one.is_request]
    told = [how for one, how in clauses if _YOU_TOLD.search(one.text) and not one.is_request]
    if any("how:cue" in how.facts.get(key, ()) for how in told):
        return not any(how.names(key) for how in asking)
    words = turn.briefing.lexicon.facts[key]
    # By where it is, or by what it is, a question may only call a part.
    is_place = words.form is ValueForm.TEXT or words.is_kind
    shown = [how.facts[key] for how in asking if key in how.facts]
    is_only_named = is_place and all("value" in it and "how:cue" not in it for it in shown)
    if key in played.right or (is_only_named and turn.memory.record.is_settled(key)):
        return is_only_named or not shown
    is_beside = bool(asking) and turn.memory.record.is_settled(key)
    return is_beside and not any(how.names(key) for how in asking)


def spared_by(turn: Turn, keys: Sequence[str]) -> set[str]:
    """Return the facts that others spare."""
    words = turn.briefing.lexicon.facts
    return {words[key].spares for key in keys if key in words and key in turn.facts}


def _without_either(turn: Turn, keys: dict[str, None]) -> list[str]:
    """Return keys without those that the message asks for as another way to say one of them."""
    words = turn.briefing.lexicon.facts
    spared: set[str] = set()
    for key in keys:
        other = words[key].spares if key in words else ""
        if other in keys and key not in spared and key in turn.facts:
            spared |= {other} if _is_either(turn, key, other) else set()
    return [key for key in keys if key not in spared]


def _is_either(turn: Turn, key: str, other: str) -> bool:
    """Tell whether a clause asks for one fact or another."""
    words = turn.briefing.lexicon.facts
    for segment in turn.reading.segments:
        found = [
            [match for cue in words[name].asks if (match := cue.search(segment.text))]
            for name in (key, other)
        ]
        if all(found):
            first, last = sorted((matches[0] for matches in found), key=re.Match.start)
            return OR.search(segment.text[first.end() : last.start()]) is not None
    return False


@once_a_turn
def new_facts(turn: Turn) -> tuple[str, ...]:
    """Return the keys asked for that the user knows and has not said, or not for sure."""
    record = turn.memory.record
    asked = asked_facts(turn)
    return tuple(key for key in asked if key in turn.facts and not record.is_settled(key))


def bound_by(turn: Turn, key: str) -> list[str]:
    """Return the joint wishes by which not anything will do of what the user has no wish on itself.

    Who wants no visit next to a journey by night cannot say that any day will do.
    """
    bounds = turn.briefing.lexicon.bounds
    if key in turn.facts:
        return []
    return [joint for joint, keys in bounds.items() if joint in turn.facts and key in keys]
