"""Wishes that the user keeps back when it is asked for whatever is left (rulebook §10, U3)."""

from collections.abc import Iterator

from crab_graph.eval.blame import UserError
from crab_graph.eval.checks import Results
from crab_graph.eval.dialogue import UserMessage
from crab_graph.eval.false_yes import last_booked_at
from crab_graph.eval.heard import heard
from crab_graph.eval.reading import Episode
from crab_graph.eval.user_facts import (
    UserConduct,
    covered_checks,
    is_broken,
    read_told,
    told_or_spoken_of,
)
from crab_graph.personas.understanding import Reading
from crab_graph.text.approvals import ActKind
from crab_graph.text.lexicon import pattern


def kept_back(
    episode: Episode, results: Results, conduct: UserConduct | None
) -> Iterator[UserError]:
    """U3: asked for any further wish, says that there is none, or approves, and had one.

    It was never told, and what was booked after that goes against it.
    """
    told = {**read_told(episode), **(conduct.told if conduct is not None else {})}
    told = told_or_spoken_of(episode, told)
    kept = {
        fact.key: fact.slot
        for fact in episode.reading.task.facts
        if fact.key not in told and is_broken(episode, results, fact.key)
    }
    for request, answer in episode.dialogue.answers:
        if not (kept and _asks_for_more(heard(episode, request)) and _says_that_is_all(answer)):
            continue
        for key, slot in tuple(kept.items()):
            if answer.seq < last_booked_at(episode, slot):
                del kept[key]
                text = f"kept back {key}, asked for any further wish"
                yield UserError("U3", answer.number, text, covered_checks(episode, key))


def _asks_for_more(reading: Reading) -> bool:
    """Tell whether a message asks for whatever is left, be it by `say so if anything matters`."""
    asking = pattern("approval", "conditions")
    return reading.is_open_question or any(
        one.says("open") and (one.is_request or asking.search(one.text)) for one in reading.segments
    )


def _says_that_is_all(answer: UserMessage) -> bool:
    """Tell whether an answer says that nothing is left, or approves what was proposed."""
    if any(act.kind is ActKind.APPROVE for act in answer.acts):
        return True
    return pattern("attribution", "nothing_left").search(answer.utterance.text) is not None
