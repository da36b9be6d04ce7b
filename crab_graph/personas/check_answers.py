"""How a user answers what is played back to it: it affirms, corrects, or says it has no wish."""

from collections.abc import Sequence

from crab_graph.personas.briefing import Fact, Reason
from crab_graph.personas.fact_answers import (
    OR,
    absence_words,
    asks_openly,
    chosen_facts,
    closing_words,
    is_asked_by_name,
    pointed_at,
    read_alone,
)
from crab_graph.personas.played_clauses import FAULTS
from crab_graph.personas.turns import Decision, Turn, told_as_asked


def check(turn: Turn) -> Decision | None:
    """Return the turn that answers a play-back; `None` where there is nothing to say of one.

    What is wrong is corrected whether that was asked or not; what is right is affirmed if asked.
    """
    played = turn.playback
    unknown = [key for key in played.unknown if key not in turn.memory.declined]
    if not played.wrong and not (played.is_asked and played.states) and not unknown:
        return None
    speaker = turn.speaker
    wrong = [turn.facts[key] for key in played.wrong if key in turn.facts]
    right = _right(turn)
    parts = []
    if wrong:
        parts = [speaker.phrase(_denial(turn)), *map(speaker.fact, wrong)]
        is_rest = played.is_asked and len(right) > 1 and not (played.unknown or played.mixed)
        parts += [speaker.phrase("rest_right")] if is_rest else []
    elif right and played.is_asked and not played.mixed:
        parts = _affirmation(turn, right)
    unknown = unknown if unknown or parts else list(played.unknown)
    mixed = [turn.facts[key] for key in played.mixed if key in turn.facts and played.is_asked]
    others = [*mixed, *(fact for fact in _others(turn) if fact not in mixed)]
    absent, declined = absence_words(turn, others, _played(turn), unknown)
    affirmed = [
        key
        for key in right
        if played.is_asked and key in turn.facts and not turn.memory.record.is_settled(key)
    ]
    told = (
        *((key, Reason.CORRECTED) for key in played.wrong if key in turn.facts),
        *((key, Reason.ASKED) for key in affirmed),
        *told_as_asked(others),
    )
    return Decision(
        (*parts, *map(speaker.fact, others), *absent, *closing_words(turn, others)),
        told=told,
        declined=declined,
        is_answer=True,
        is_content=True,
        moved=bool(wrong),
    )


def _denial(turn: Turn) -> str:
    """Return the act that denies what is played back wrong: one's own slip, a question, a claim."""
    wrong = [key for key in turn.playback.wrong if key in turn.facts]
    if all(turn.memory.record.is_slip(key) for key in wrong):
        return "misspoke"
    return "not_so" if turn.playback.questioned.issuperset(wrong) else "correct"


def _affirmation(turn: Turn, right: Sequence[str]) -> list[str]:
    """Affirm what is played back: of what is asked by itself, say it, lest it be left open."""
    speaker, played = turn.speaker, turn.playback
    named = [turn.facts[key] for key in right if key in played.questioned and key in turn.facts]
    is_noted = any(key in turn.facts and key not in played.questioned for key in right)
    # Beside an item a yes would be one to it.
    lead = "right" if is_noted or turn.reading.ids or not named else "yes"
    if lead == "right" and any(FAULTS.search(one.text) for one in turn.reading.segments):
        lead = "nothing_wrong"
    return [speaker.phrase(lead), *map(speaker.fact, named)]


def _others(turn: Turn) -> list[Fact]:
    """Return what else the message asks for, and the play-back does not answer."""
    reading, pointed = turn.reading, {*pointed_at(turn)}
    done = {*_right(turn), *turn.playback.wrong} - (pointed - turn.playback.questioned)
    done |= {*turn.playback.wrong}
    is_asked = reading.asked or reading.exactly or pointed or read_alone(turn)
    if not (is_asked or asks_openly(turn)):
        return []
    return chosen_facts(turn, done)


def _right(turn: Turn) -> list[str]:
    """Return what is played back rightly, without what a message plays back as one of several."""
    reading = turn.reading
    clauses = zip(reading.segments, reading.features, strict=True)
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
