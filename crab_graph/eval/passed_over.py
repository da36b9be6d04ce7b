"""Questions that the user passes over (rulebook §10, U9)."""

from collections import Counter
from collections.abc import Iterator, Set

from crab_graph.domain.verification import Role
from crab_graph.eval.blame import UserError
from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.false_yes import is_given_in_time
from crab_graph.eval.heard import heard, speaks_of, stated
from crab_graph.eval.reading import Episode
from crab_graph.eval.user_errors import asks_yes_or_no, says_yes_or_no
from crab_graph.eval.user_facts import UserConduct, covered_checks
from crab_graph.eval.user_payments import calls_between
from crab_graph.personas.behavior import least_questions
from crab_graph.personas.understanding import Reading
from crab_graph.text.approvals import ActKind

_TWICE = 2


def passed_over(episode: Episode, conduct: UserConduct | None) -> Iterator[UserError]:
    """U9: two turns that give nothing they are asked for, the same held fact asked for in both.

    It explains what was booked without the fact: nothing, where the fact was given in time.
    """
    task = episode.reading.task
    held = {fact.key: fact for fact in task.facts}
    times: Counter[str] = Counter()
    for request, answer in episode.dialogue.answers:
        reading = heard(episode, request)
        asked = [key for key in reading.asked if key in held]
        if _is_excused(episode, request, answer, reading, conduct):
            continue
        given = _given(episode, answer, asked, conduct)
        # Who asks for anything at all has asked for whatever is told.
        if given if reading.is_open_question else not given.isdisjoint(asked):
            continue
        for key in asked:
            times[key] += 1
            if times[key] == _TWICE:
                is_harmless = is_given_in_time(episode, held[key], conduct)
                covers: Set[str] = frozenset()
                if not is_harmless:
                    covers = covered_checks(episode, key) | {Role.SLOT_FILLED}
                yield UserError("U9", answer.number, f"passed over {key}, asked twice", covers)


def _given(
    episode: Episode, answer: UserMessage, asked: list[str], conduct: UserConduct | None
) -> set[str]:
    """Return the facts that an answer gives, or says something of, by its words or its record."""
    given = set(stated(episode, answer, asked))
    given.update(key for key in asked if speaks_of(episode, answer, key))
    if conduct is not None:
        for noted in (conduct.told, conduct.settled):
            given.update(key for key, number in noted.items() if number == answer.number)
    return given


def _is_excused(
    episode: Episode,
    request: AgentMessage,
    answer: UserMessage,
    reading: Reading,
    conduct: UserConduct | None,
) -> bool:
    """Tell whether a turn may leave a question open: it does, asks or objects to what it may.

    That is an approval or payment that was asked for, a yes or no, a question back, or an
    objection to more questions than its condition takes.
    """
    if "?" in answer.text or calls_between(episode, request, answer):
        return True
    if any(act.kind is ActKind.APPROVE for act in answer.acts):
        return True
    if says_yes_or_no(answer.utterance) and asks_yes_or_no(request.utterance):
        return True
    most = least_questions() if conduct is None else conduct.most_questions
    return most is not None and len(reading.asked) > most
