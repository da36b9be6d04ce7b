"""How a user answers what is played back to it: it affirms, corrects, or says it has no wish."""

import re
from collections.abc import Sequence
from dataclasses import replace

from crab_graph.personas.absences import absence_words, absent_facts, closing_words
from crab_graph.personas.briefing import Fact, FactLevel, Reason
from crab_graph.personas.doubted_facts import doubted
from crab_graph.personas.fact_choice import asked_which, chosen_facts
from crab_graph.personas.fact_scopes import is_asked_by_name, names_somebody, slots_of
from crab_graph.personas.pinned_facts import asked_ends, pointed_at
from crab_graph.personas.plain_requests import WISH, asks_if_complete, asks_what_else
from crab_graph.personas.plan_answers import asks_for_plan
from crab_graph.personas.played_clauses import (
    FAULTS,
    TO_CONFIRM,
    asks_check,
    asks_of_value,
    is_check,
    is_tag,
)
from crab_graph.personas.pointed_questions import OR
from crab_graph.personas.sought_facts import (
    asks_openly,
    bounds_of,
    new_facts,
    read_alone,
)
from crab_graph.personas.stated_values import names_value
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.unwished import checked_unwished
from crab_graph.personas.wordbook import ValueForm

_EITHER = re.compile(
    r"(?:, |\A)or (?:that|do|does|would|should|shall|is|are|will|may|can|could|did|rather|must)\b"
    r"(?! (?:not|there|something|anything|i (?:missing|wrong)"
    r"|(?:i|we) (?:now )?(?:go|move|continue|proceed|carry|start|begin|search|look)))[^?]*\?"
)
"""Asks which of two things is so."""
_OR_ELSE = re.compile(r"\bor (?:something|anything|somewhere|some other\w*|others?) else\b[^?]*\?")
"""Asks whether it is to be as elsewhere, or how."""
_OR_IF = re.compile(r"\bor (?:(?:is|are|will|would|does|do) (?!there\b)|any\b)[^?]*\?")
"""Asks which it is to be, or if any is."""
_REST = re.compile(
    r"\b(?:everything|all|anything) (?:else|other)\b|\bthe (?:rest|others?|remainder)\b"
    r"|\b(?:other|remaining) (?:wishes|points|details|items)\b"
)
"""What is checked beside what is in doubt."""
_FEW = 2
_A_LIST = 4
"""So many wishes noted make a list of all."""
_NO_WISH = re.compile(
    rf"\b(?:no|without) (?:\w+ ){{0,2}}{WISH}\b[^?]*\?"
    r"|\b(?:flexible|open|free|easy|relaxed) (?:about|on|as to|with|regarding)\b[^?]*\?"
    r"|\bnothing (?:more|else|further)\b[^?]{0,12}\b(?:on|for|about|regarding|as to)\b[^?]*\?"
)
"""Asks if nothing is wished."""


def check(turn: Turn) -> Decision | None:
    """Return the turn that answers a play-back; `None` where there is nothing to say of one.

    What is wrong is corrected whether that was asked or not; what is right is affirmed if asked.
    """
    played = turn.playback
    if turn.wallet.bookings:
        # What is said of a booking plays no wish back.
        asked = tuple(key for key in played.unknown if key in played.questioned)
        if len(asked) > 1 and played.is_asked and not played.wrong:
            # What was booked beside what was wished is as good as anything.
            return turn.say("right", is_answer=True, is_content=True)
        played = replace(played, unknown=asked)
        turn = replace(turn, playback=played)
    free = checked_unwished(turn) if played.is_asked and not played.wrong else []
    if free:
        said = turn.speaker.without([turn.briefing.lexicon.unwished[name] for name in free])
        return Decision(tuple(said), declined=tuple(free), is_answer=True, is_content=True)
    # What was said to be free is said again to who asks of it, and not where it is only noted.
    is_pointed = played.is_asked and bool(played.questioned)
    named = {*turn.reading.asked, *turn.reading.checked} if is_pointed else set()
    unknown = [k for k in played.unknown if k in named or k not in turn.memory.declined]
    states = played.states or _vague(turn)
    if not played.wrong and not (played.is_asked and states) and not unknown:
        return None
    speaker = turn.speaker
    wrong = [turn.facts[key] for key in played.wrong if key in turn.facts]
    right = _right(turn)
    parts = _lead(turn, wrong, right)
    parts += [speaker.phrase("relies")] if beyond_asked(turn) else []
    told_twice = dict.fromkeys([*played.mixed, *_vague(turn)])
    mixed = [turn.facts[key] for key in told_twice if _is_to_say(turn, key)]
    # Where another doubt is settled no yes is said to what is asked by itself.
    pinned = [turn.facts[key] for key in right if key in turn.facts and _is_pinned(turn, key)]
    is_told_apart = bool(played.mixed) or _settles_a_doubt(turn)
    mixed += pinned if played.is_asked and is_told_apart and not (parts or wrong) else []
    mixed += [] if wrong or mixed else _lacking(turn)
    mixed += _unsaid(turn, right) if wrong else []
    others = [*mixed, *(fact for fact in _others(turn) if fact not in mixed)]
    others = [fact for fact in others if speaker.fact(fact) not in parts]
    # What is noted of no wish, as was said, is said again only where nothing else is.
    unknown = unknown if unknown or parts or others else list(played.unknown)
    absent, declined = absence_words(turn, others, _played(turn), unknown)
    told = (
        *((key, Reason.CORRECTED) for key in played.wrong if key in turn.facts),
        *((key, Reason.ASKED) for key in _affirmed(turn, right, is_said=bool(parts and not wrong))),
        *told_as_asked(others),
    )
    rest = [speaker.phrase("rest_right")] if _asks_of_rest(turn, parts) else []
    closing = closing_words(turn, others, absent)
    return Decision(
        (*parts, *map(speaker.fact, others), *rest, *absent, *closing),
        told=told,
        declined=declined,
        is_answer=True,
        is_content=True,
        moved=bool(wrong),
    )


def _affirmed(turn: Turn, right: Sequence[str], *, is_said: bool) -> list[str]:
    """Return what is told by a yes to it; what was never told is told by no silence."""
    record = turn.memory.record
    return [
        key
        for key in right
        if turn.playback.is_asked and key in turn.facts and not record.is_settled(key)
        if (is_said or record.has(key)) and _names_all(turn, key)
    ]


def _unsaid(turn: Turn, right: Sequence[str]) -> list[Fact]:
    """Return what a question by itself rightly names beside what is wrong, and nobody has told."""
    has, questioned = turn.memory.record.has, turn.playback.questioned
    return [
        turn.facts[key] for key in right if key in questioned & turn.facts.keys() and not has(key)
    ]


def _names_all(turn: Turn, key: str) -> bool:
    """Tell whether a message names all the people that a fact does, where it is such a one.

    Who is greeted by its own name has told nobody who comes along.
    """
    if turn.briefing.lexicon.facts[key].form is not ValueForm.NAMES:
        return True
    said = turn.reading.said.casefold()
    return all(str(name).casefold() in said for name in turn.facts[key].value)


def _lacking(turn: Turn) -> list[Fact]:
    """Return what was told for sure and a list that is to be complete has no word of; the first.

    A condition may stand there in words of its own.
    """
    played, briefing = turn.playback, turn.briefing
    if len(played.right) < _A_LIST or not asks_if_complete(turn.reading.segments):
        return []
    words, text = briefing.lexicon.facts, turn.reading.utterance.text
    return [
        fact
        for key, fact in turn.facts.items()
        if key in words
        and words[key].form in (ValueForm.CHOICE, ValueForm.FLAG)
        and words[key].conflict is not None
        and turn.memory.record.is_settled(key)
        and key not in (*played.right, *played.wrong, *played.mixed)
        and not any(cue.search(text) for cue in (*words[key].asks, *words[key].hints))
        and not names_value(text, words[key])
    ][:1]


def _vague(turn: Turn) -> list[str]:
    """Return what is played back as vaguely as it was told: it is said exactly then."""
    played, record = turn.playback, turn.memory.record
    decided = {*played.right, *played.wrong, *played.mixed}
    # What is told beside another number is as open as it was.
    decided -= {key for key in played.right if key in played.said} - played.questioned
    return [key for key in played.said if key not in decided and record.is_doubted(key)]


def _lead(turn: Turn, wrong: Sequence[Fact], right: Sequence[str]) -> list[str]:
    """Return what is said of what is played back: a correction, a yes, or nothing."""
    speaker, played = turn.speaker, turn.playback
    if wrong:
        places = range(len(turn.reading.segments))
        checks = sum(asks_check(turn.reading, n) or asks_of_value(turn.reading, n) for n in places)
        is_rest = played.is_asked and (len(right) > 1 or (bool(right) and checks > 1))
        is_rest &= not (played.unknown or played.mixed or _has_other_doubts(turn, right))
        rest = [speaker.phrase("rest_right")] if is_rest else []
        return [*_denial_words(turn), *map(speaker.fact, wrong), *rest]
    if not right or not played.is_asked:
        return []
    others = _others(turn)
    answers = bool(others or absent_facts(turn))
    if (
        any(_is_to_say(turn, key) for key in played.mixed)
        or _vague(turn)
        or _lacking(turn)
        or _settles_a_doubt(turn)
        or (answers and _is_clear(turn))
    ):
        return []
    if any(_OR_ELSE.search(one.text) for one in turn.reading.segments if one.is_request):
        return []
    asking = sum(one.is_request for one in turn.reading.segments)
    if asking <= _FEW and _takes_for_none(turn, [fact.key for fact in others]):
        # Of many questions nobody knows which one a bare no is to.
        return [speaker.phrase("not_so")]
    asks = [
        asked_which(turn, one, how)
        for one, how in turn.reading.clauses
        if one.is_request and _OR_IF.search(one.text)
    ]
    if asks and all(asks) and not played.questioned:
        # Which one it is to be is told by no yes.
        return [speaker.none_certain(set[str]().union(*asks))]
    return _affirmation(turn, right)


def _has_other_doubts(turn: Turn, right: Sequence[str]) -> bool:
    """Tell whether something was said with doubt of which it is not said here how it is."""
    said = {*right, *turn.playback.wrong}
    return any(turn.memory.record.is_doubted(key) for key in turn.facts if key not in said)


def beyond_asked(turn: Turn) -> Sequence[str]:
    """Return the wishes of which the user is to confirm how they come out, and cannot know it.

    Of a plan that is put to it, it lets the agent say so.
    """
    is_asked = turn.playback.is_asked and not asks_for_plan(turn)
    return turn.playback.beyond if is_asked else ()


def _is_to_say(turn: Turn, key: str) -> bool:
    """Tell whether to say what is told two ways: not a condition that is only touched upon."""
    if key not in turn.facts or not turn.playback.is_asked:
        return False
    words = turn.briefing.lexicon.facts[key]
    is_condition = words.is_joint or words.form is ValueForm.FLAG
    return not (is_condition and turn.memory.record.is_settled(key))


def _asks_of_rest(turn: Turn, lead: Sequence[str]) -> bool:
    """Tell whether all is right but a doubt that is settled, which no word has said so far."""
    played = turn.playback
    is_right = played.is_asked and played.right and not (played.wrong or played.mixed or lead)
    asking = (one.text for one in turn.reading.segments if is_check(one))
    return bool(is_right) and _settles_a_doubt(turn) and any(map(_REST.search, asking))


def _settles_a_doubt(turn: Turn) -> bool:
    """Tell whether the answer says surely what was said with doubt: it is no mere yes."""
    record = turn.memory.record
    return any(record.has(one.key) and not record.is_settled(one.key) for one in _others(turn))


def _is_pinned(turn: Turn, key: str) -> bool:
    """Tell whether what is played back is asked about by itself, or is to be confirmed."""
    clauses = turn.reading.clauses
    return key in turn.playback.questioned or any(
        one.is_request and TO_CONFIRM.search(one.text) and "how:cue" in how.facts.get(key, ())
        for one, how in clauses
    )


def _is_clear(turn: Turn) -> bool:
    """Tell whether all that is played back was said for sure, and no question is about that."""
    played, reading = turn.playback, turn.reading
    is_known = all(map(turn.memory.record.is_settled, (k for k in played.right if k in turn.facts)))
    if not is_known or not played.questioned.isdisjoint(played.right):
        return False
    return not any(is_check(one) or TO_CONFIRM.search(one.text) for one in reading.segments)


def _denial_words(turn: Turn) -> list[str]:
    """Return what is said before a correction; what was only told about is made exact at once."""
    record = turn.memory.record
    wrong = [key for key in turn.playback.wrong if key in turn.facts]
    is_about = all(record.is_doubted(key) and not record.is_slip(key) for key in wrong)
    words = turn.briefing.lexicon.facts
    if wrong and all(words[key].is_joint and record.is_settled(key) for key in wrong):
        # A condition in other words, or half of it, is as likely meant right: it is said once more.
        return []
    return [] if is_about else [turn.speaker.phrase(_denial(turn))]


def _denial(turn: Turn) -> str:
    """Return the act that denies what is played back wrong: one's own slip, a question, a claim."""
    wrong = [key for key in turn.playback.wrong if key in turn.facts]
    if all(turn.memory.record.is_slip(key) for key in wrong):
        return "misspoke"
    return "not_so" if turn.playback.questioned.issuperset(wrong) else "correct"


def _affirmation(turn: Turn, right: Sequence[str]) -> list[str]:
    """Affirm what is played back: of what is asked by itself, say it, lest it be left open."""
    speaker, played = turn.speaker, turn.playback
    if meant := _one_of_two(turn, right):
        return [speaker.fact(turn.facts[key]) for key in meant]
    questioned = [key for key in right if key in played.questioned and key in turn.facts]
    # A yes is enough where what was said for sure is only to be confirmed.
    named = [turn.facts[key] for key in questioned if not _is_tagged(turn, key)]
    is_noted = any(key in turn.facts and key not in played.questioned for key in right)
    # Beside an item a yes would be one to it.
    lead = "right" if is_noted or turn.reading.ids or not named else "yes"
    is_of_faults = any(FAULTS.search(one.text) for one in turn.reading.segments)
    if lead == "right" and is_of_faults and not _others(turn):
        lead = "nothing_wrong"
    return [speaker.phrase(lead), *map(speaker.fact, named)]


def _takes_for_none(turn: Turn, told: Sequence[str]) -> bool:
    """Tell whether a question takes it that nothing is wished of slots of which some is told."""
    return any(
        one.is_request
        and _NO_WISH.search(one.text) is not None
        and any(not one.named.isdisjoint(slots_of(turn, key)) for key in told)
        for one in turn.reading.segments
    )


def _one_of_two(turn: Turn, right: Sequence[str]) -> list[str]:
    """Return what to say to who asks which of two it is: no yes says that."""
    played, facts = turn.playback, turn.facts
    windows = [key for key in right if key in facts and isinstance(facts[key].value, list)]
    asks_which = any("which" in one.text for one in turn.reading.segments if one.is_request)
    two_ways = [key for key in windows if key in played.said and asks_which]
    if two_ways:
        return two_ways
    asking = [
        how
        for one, how in turn.reading.clauses
        if one.is_request and _EITHER.search(one.text)
        if not (asks_if_complete([one]) or asks_what_else([one]))
    ]
    if not asking:
        return []
    cued = {key for how in asking for key, shows in how.facts.items() if "how:cue" in shows}
    named = {key for how in asking for key in how.facts if how.names(key)}
    if cued.isdisjoint(right) and not named.isdisjoint(turn.memory.declined):
        return []
    meant = [key for key in right if key in turn.facts and (not cued or key in cued)]
    spoken = {*turn.reading.asked, *turn.playback.questioned}
    meant = [key for key in meant if key in spoken] or ([] if cued else meant[:_FEW])
    # Of a list that is told before nobody asks which of two each of it is.
    is_of_list = len(meant) > _FEW or (len(right) > 1 and not (cued or named))
    return [*filter(turn.memory.record.is_doubted, meant)] if is_of_list else meant


def _is_tagged(turn: Turn, key: str) -> bool:
    """Tell whether what was said for sure, or at the outset, only needs a yes."""
    if not turn.memory.record.is_settled(key) or key in asked_ends(turn):
        return False
    if names_somebody(turn, key):
        return True
    clauses = turn.reading.clauses
    # Names and dates of birth have no words by which a clause would be about them.
    about = [one for one, how in clauses if key in how.facts] or [one for one, _ in clauses]
    # What is asked for once more is said, and not only affirmed.
    is_known = turn.facts[key].level is FactLevel.BASIC and f"?{key}" not in turn.memory.seen
    return any(map(is_tag, about)) or is_known


def _others(turn: Turn) -> list[Fact]:
    """Return what else the message asks for, and the play-back does not answer."""
    reading, pointed = turn.reading, {*pointed_at(turn)}
    done = {*_right(turn), *turn.playback.wrong} - (pointed - turn.playback.questioned)
    done |= {*turn.playback.wrong}
    is_asked = reading.asked or reading.exactly or pointed or read_alone(turn) or doubted(turn)
    is_open = asks_openly(turn) or bounds_of(turn) is not None
    if not (is_asked or is_open or _takes_for_none(turn, new_facts(turn))):
        return []
    return chosen_facts(turn, done)


def _right(turn: Turn) -> list[str]:
    """Return what is played back rightly, without what a message plays back as one of several."""
    reading = turn.reading
    clauses = reading.clauses
    several = {key for one, how in clauses if OR.search(one.text) for key in how.facts}
    several &= {*reading.exactly}
    return [key for key in turn.playback.right if key not in several]


def _played(turn: Turn) -> list[str]:
    """Return what a message plays back, and what it seems to ask for by words that are of that.

    What needs its slot is not meant by words that name none.
    """
    words, played = turn.briefing.lexicon.facts, turn.playback
    seeming = [
        key
        for key in turn.reading.asked
        if key in words
        and key not in turn.facts
        and words[key].needs_slot
        and not is_asked_by_name(turn, key)
    ]
    right = [k for k in played.right if k in turn.facts or not is_asked_by_name(turn, k)]
    return [*right, *played.wrong, *played.unknown, *seeming]
