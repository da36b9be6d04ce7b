"""Errors in how the user talks, and those that its engine recorded (rulebook §10).

The rules are conservative: what they cannot see stays with the agent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crab_graph.domain.verification import Role
from crab_graph.eval.blame import UserError
from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.heard import heard, stated
from crab_graph.eval.reading import Episode
from crab_graph.eval.user_endings import UNFINISHED
from crab_graph.eval.user_payments import PAYMENT, calls_between
from crab_graph.text.approvals import requests_booking
from crab_graph.text.lexicon import fragment, pattern
from crab_graph.text.utterance import Utterance

_ALL_LOST = UNFINISHED | {Role.ENDED_FULL}
_LOOP = 3
_TAIL = re.compile(rf"(?P<apart>[,;:–-] ?)?{fragment('attribution', 'yes_no_tails')}\W*\Z")
_BEGINS = re.compile(
    rf"(?:\A|[^\w\s'$%&*+/]|(?<!\w)(?:and|or|so|but|then|also|now|well)(?!\w))\W*"
    rf"(?!{fragment('attribution', 'openings_of_requests')})"
    rf"{fragment('attribution', 'yes_no_openings')}"
)
"""Where in a question one begins that is answered with yes or no, and asks for nothing else."""

_RECORDED = {
    "ends_on_approval": ("U4", UNFINISHED),
    "invents_person": ("U1", frozenset({Role.UNITS, Role.PERSON})),
    "claims_payment": ("U6", PAYMENT | {Role.SLOT_FILLED}),
    "plays_agent": ("U7", _ALL_LOST),
    "says_nothing": ("U7", _ALL_LOST),
    "reveals_instructions": ("U7", _ALL_LOST),
    "ends_early": ("U4", UNFINISHED),
    "wrong_token": ("U5", frozenset({Role.IN_SCOPE, Role.ENDED_PARTIAL, Role.ENDED_NONE})),
    "invents_value": ("U1", frozenset()),
    "approves_unasked": ("U6", frozenset()),
}


def recorded_errors(faults: Iterable[Mapping[str, Any]]) -> list[UserError]:
    """Return the errors that a user's engine recorded, with the checks they explain."""
    return [
        UserError(code, int(fault["turn"]), f"{fault['kind']}: {fault['text']}", covers)
        for fault in faults
        for code, covers in [_RECORDED.get(str(fault["kind"]), ("U7", frozenset()))]
    ]


def role_errors(episode: Episode) -> Iterator[UserError]:
    """Yield what shows that the user goes round in circles, or is no user: U7."""
    yield from _loops(episode)
    for message in episode.dialogue.user:
        if _has("role_breaks", message.utterance):
            yield UserError("U7", message.number, "left the role of the user", _ALL_LOST)


def asks_yes_or_no(utterance: Utterance) -> bool:
    """Return whether an agent's message can be answered with yes or no."""
    if requests_booking(utterance):
        return True
    said = (utterance.words(clause).split("?") for clause in utterance.clauses)
    return any(_is_yes_or_no(question) for *questions, _ in said for question in questions)


def _is_yes_or_no(question: str) -> bool:
    if _BEGINS.search(question):
        return True
    tail = _TAIL.search(question)
    is_open = pattern("attribution", "open_questions").search(question) is not None
    return tail is not None and (tail["apart"] is not None or not is_open)


def says_yes_or_no(utterance: Utterance) -> bool:
    """Return whether an answer is a yes or a no."""
    return _has("yes_no", utterance)


def _has(key: str, utterance: Utterance) -> bool:
    return pattern("attribution", key).search(utterance.text) is not None


def _loops(episode: Episode) -> Iterator[UserError]:
    """U7: three user turns in a row say the same, act on nothing and answer nothing.

    To an agent that says nothing, or the same again, there is nothing else to say.
    """
    idle: list[str] = []
    asked: set[str] = set()
    for request, answer in episode.dialogue.answers:
        text, question = answer.utterance.text, request.utterance.text
        is_idle = not _answers(episode, request, answer)
        if not is_idle or not question or question in asked or idle[-1:] != [text]:
            idle, asked = [], set()
        if is_idle and question:
            idle.append(text)
            asked.add(question)
        if len(idle) == _LOOP:
            yield UserError("U7", answer.number, "said the same three times", _ALL_LOST)


def _answers(episode: Episode, request: AgentMessage, answer: UserMessage) -> bool:
    """Return whether a turn does what it was asked for: a call, a yes or no, or a fact."""
    if calls_between(episode, request, answer):
        return True
    if says_yes_or_no(answer.utterance) and asks_yes_or_no(request.utterance):
        return True
    asked = set(heard(episode, request).asked)
    return not asked.isdisjoint(stated(episode, answer, asked))
