"""Errors of the user that rules can see (rulebook §10, U1 to U7).

The rules are conservative: what they cannot see stays with the agent.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crab_graph.eval.checks import Results
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.episode import Episode, TripState
from crab_graph.eval.user_error import ENDINGS, TRIP, UserError, calls_between
from crab_graph.eval.user_payments import payment_errors
from crab_graph.eval.verifiers.completion import has_final_offer
from crab_graph.eval.withheld import UserConduct, withheld_facts
from crab_graph.eval.wrong_facts import wrong_facts
from crab_graph.text.approvals import requests_booking
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import TerminalToken, offers_transfer
from crab_graph.text.utterance import Utterance

_LOOP = 3


def user_errors(
    episode: Episode, results: Results, conduct: UserConduct | None = None
) -> list[UserError]:
    """Return the user's errors in an episode, found or not to matter.

    Args:
        episode: The episode.
        results: The parity results.
        conduct: What is known of the user beside what it said; by default what it said alone.
    """
    return [
        *wrong_facts(episode, results),
        *withheld_facts(episode, conduct),
        *_premature_end(episode),
        *_wrong_token(episode),
        *payment_errors(episode),
        *_loops(episode),
        *_role_breaks(episode),
    ]


_RECORDED = {
    "ends_on_approval": ("U4", TRIP | {"D19", "C-PART", "C-NONE"}),
    "invents_traveller": ("U1", frozenset({"D06", "D07"})),
    "claims_payment": ("U6", TRIP | {"D19", "D20", "D21"}),
    "plays_agent": ("U7", TRIP | ENDINGS | {"D19"}),
    "says_nothing": ("U7", TRIP | ENDINGS | {"D19"}),
}


def recorded_errors(faults: Iterable[Mapping[str, Any]]) -> list[UserError]:
    """Return the errors that a user's engine recorded, with the checks they explain."""
    return [
        UserError(code, int(fault["turn"]), str(fault["text"]), covers)
        for fault in faults
        for code, covers in [_RECORDED.get(str(fault["kind"]), ("U7", frozenset()))]
    ]


def _premature_end(episode: Episode) -> Iterator[UserError]:
    """U4: the user ends while the agent, not at its wits' end, asks something that moves on.

    A message that brings something new is progress, so patience cannot have run out with it.
    """
    is_ended = episode.trajectory.token in (TerminalToken.STOP, TerminalToken.TRANSFER)
    answered = episode.dialogue.answers
    if not is_ended or episode.state is TripState.FULL or not answered:
        return
    last, ending = answered[-1]
    if ending is not episode.dialogue.user[-1]:
        return
    is_request = "?" in last.utterance.text or _has("please", last.utterance)
    if not is_request or _has("inability", last.utterance) or has_final_offer(episode):
        return
    if _brings_news(episode, last):
        covers = TRIP | {"D19", "C-PART", "C-NONE"}
        yield UserError("U4", ending.number, "ended while asked to go on", covers)


def _brings_news(episode: Episode, message: AgentMessage) -> bool:
    earlier = episode.dialogue.agent_before(message.seq)
    known = {mention.entity_id for other in earlier for mention in other.mentions}
    prices = {amount.cents for other in earlier for amount in other.amounts}
    return any(mention.entity_id not in known for mention in message.mentions) or any(
        amount.cents not in prices for amount in message.amounts
    )


def _wrong_token(episode: Episode) -> Iterator[UserError]:
    """U5: out of scope, or a transfer that was neither offered nor made."""
    token, user = episode.trajectory.token, episode.dialogue.user
    number = user[-1].number if user else 0
    if token is TerminalToken.OUT_OF_SCOPE:
        yield UserError("U5", number, "every task is in scope", frozenset({"C-OOS"}))
    elif token is TerminalToken.TRANSFER and not _was_transfer_offered(episode):
        covers = frozenset({"C-PART", "C-NONE"})
        yield UserError("U5", number, "a transfer was neither offered nor made", covers)


def _was_transfer_offered(episode: Episode) -> bool:
    # The window of C-PART is too narrow here: any offer may have led to the token.
    messages = episode.dialogue.agent
    return bool(episode.history.transferred_at) or any(
        offers_transfer(message.utterance) for message in messages
    )


def _loops(episode: Episode) -> Iterator[UserError]:
    """U7: three user turns in a row say the same, act on nothing and answer nothing.

    To an agent that says nothing, or the same again, there is nothing else to say.
    """
    said = Counter(answer.utterance.text for _, answer in episode.dialogue.answers)
    if max(said.values(), default=0) < _LOOP:
        return
    idle: list[str] = []
    asked: set[str] = set()
    for request, answer in episode.dialogue.answers:
        text, question = answer.utterance.text, request.utterance.text
        has_called = any(True for _ in calls_between(episode, request, answer))
        is_idle = not has_called and not _asks_yes_or_no(request.utterance)
        if not is_idle or not question or question in asked or idle[-1:] != [text]:
            idle, asked = [], set()
        if is_idle and question:
            idle.append(text)
            asked.add(question)
        if len(idle) == _LOOP:
            covers = TRIP | ENDINGS | {"D19"}
            yield UserError("U7", answer.number, "said the same three times", covers)


def _asks_yes_or_no(utterance: Utterance) -> bool:
    return requests_booking(utterance) or (
        "?" in utterance.text and _has("yes_no_openings", utterance)
    )


def _role_breaks(episode: Episode) -> Iterator[UserError]:
    """U7: the user speaks as the agent, or of being simulated."""
    for message in episode.dialogue.user:
        if _has("role_breaks", message.utterance):
            covers = TRIP | ENDINGS | {"D19"}
            yield UserError("U7", message.number, "left the role of the user", covers)


def _has(key: str, utterance: Utterance) -> bool:
    return pattern("attribution", key).search(utterance.text) is not None
