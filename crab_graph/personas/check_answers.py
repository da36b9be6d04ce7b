"""How a user answers what is played back to it: it affirms, corrects, or says it has no wish."""

from crab_graph.personas.briefing import Fact, Reason
from crab_graph.personas.fact_answers import NAMED_ABSENCES, OR, chosen_facts
from crab_graph.personas.turns import Decision, Turn, told_as_asked


def check(turn: Turn) -> Decision | None:
    """Return the turn that answers a play-back; `None` where there is nothing to say of one.

    What is wrong is corrected whether that was asked or not; what is right is affirmed if asked.
    """
    played = turn.playback
    unknown = [key for key in played.unknown if key not in turn.memory.declined]
    if not played.wrong and not (played.is_asked and played.states) and not unknown:
        return None
    speaker, lexicon = turn.speaker, turn.briefing.lexicon
    wrong = [turn.facts[key] for key in played.wrong if key in turn.facts]
    right = _right(turn)
    parts = []
    if wrong:
        parts = [speaker.phrase("correct"), *map(speaker.fact, wrong)]
        parts += [speaker.phrase("rest_right")] if right and played.is_asked else []
    elif right and played.is_asked:
        parts = [speaker.phrase("right")]
    unknown = unknown if unknown or parts else list(played.unknown)
    free = _free(turn)
    unknown = list(dict.fromkeys([*unknown, *free]))
    absent = speaker.without([lexicon.facts[key] for key in unknown if key in lexicon.facts])
    affirmed = [
        key
        for key in right
        if played.is_asked and key in turn.facts and not turn.memory.record.is_settled(key)
    ]
    others = _others(turn)
    told = (
        *((key, Reason.CORRECTED) for key in played.wrong if key in turn.facts),
        *((key, Reason.ASKED) for key in affirmed),
        *told_as_asked(others),
    )
    return Decision(
        (*parts, *absent, *map(speaker.fact, others)),
        told=told,
        declined=tuple(unknown),
        is_answer=True,
        is_content=True,
        moved=bool(wrong),
    )


def _others(turn: Turn) -> list[Fact]:
    """Return what else the message asks for, and the play-back does not answer."""
    done = {*_right(turn), *turn.playback.wrong}
    reading = turn.reading
    if not (reading.asked or reading.exactly or reading.is_open_question):
        return []
    return [fact for fact in chosen_facts(turn) if fact.key not in done]


def _right(turn: Turn) -> list[str]:
    """Return what is played back rightly, without what a message plays back as one of several."""
    reading = turn.reading
    clauses = zip(reading.segments, reading.features, strict=True)
    several = {key for one, how in clauses if OR.search(one.text) for key in how.facts}
    several &= {*reading.exactly}
    return [key for key in turn.playback.right if key not in several]


def _free(turn: Turn) -> list[str]:
    """Return what else the message asks for on which there is no wish, a few of them.

    What needs its slot is not meant by words that name none: they are of what is played back.
    """
    words = turn.briefing.lexicon.facts
    named = {slot for segment in turn.reading.segments for slot in segment.named}
    played = {*turn.playback.right, *turn.playback.wrong, *turn.playback.unknown}
    keys = [key for key in turn.reading.asked if key in words and key not in turn.facts]
    keys = [
        key
        for key in keys
        if key not in played and not (words[key].needs_slot and _is_of_days(turn, key))
    ]
    return [key for key in keys if named or not words[key].needs_slot][:NAMED_ABSENCES]


def _is_of_days(turn: Turn, key: str) -> bool:
    """Tell whether the days that are asked about are those of something that is played back."""
    words = turn.briefing.lexicon.facts
    return any(
        other != key and words[other].form is words[key].form
        for other in turn.playback.right
        if other in words
    )
