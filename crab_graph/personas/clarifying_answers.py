"""How a user answers who asks what a wish means that it told: it says that wish once more."""

from dataclasses import replace

from crab_graph.personas.absences import absence_words
from crab_graph.personas.check_answers import check
from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.turns import Decision, Turn, told_as_asked

_OFTEN = 3
"""So often a wish may be said until who asks for it once more gets nowhere."""


def clarify(turn: Turn) -> Decision | None:
    """Return the turn that says wishes once more of which it is asked what they mean.

    What the rest of the message plays back or asks for is answered beside that.
    """
    if turn.clarification is None:
        return None
    speaker, record = turn.speaker, turn.memory.record
    keys, _, is_of_firmness, throughout = turn.clarification
    facts = [turn.facts[key] for key in keys]
    is_again = all(record.is_settled(key) and key not in throughout for key in keys)
    again = [speaker.phrase("said_before")] if is_again else []
    again = [speaker.phrase("is_must")] if is_of_firmness else again
    moved = all(record.times(key) < _OFTEN for key in keys)
    parts, told = [*again, *map(speaker.fact, facts)], told_as_asked(facts)
    # Of what is asked about, a part that is noted beside that is no error.
    wrong = tuple(key for key in turn.playback.wrong if key not in keys)
    turn = replace(turn, playback=replace(turn.playback, wrong=wrong))
    beside = check(turn)
    if beside is not None:
        own = [*beside.parts, *(again if is_of_firmness else ()), *map(speaker.fact, facts)]
        return replace(beside, parts=tuple(own), told=(*beside.told, *told), moved=moved)
    others = chosen_facts(turn, keys)
    absent, declined = absence_words(turn, others)
    return Decision(
        (*parts, *map(speaker.fact, others), *absent),
        told=(*told, *told_as_asked(others)),
        declined=declined,
        is_answer=True,
        is_content=True,
        moved=moved,
    )
