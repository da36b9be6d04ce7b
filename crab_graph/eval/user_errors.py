"""Errors of the user that rules can see (rulebook §10).

The rules are conservative: what they cannot see stays with the agent.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, NamedTuple

from crab_graph.domain.verification import Role
from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.history import Payment
from crab_graph.eval.reading import Episode, JobState
from crab_graph.eval.replay import CallStep
from crab_graph.eval.verifiers.completion import has_final_offer
from crab_graph.personas.understanding import ANY_ID
from crab_graph.text.approvals import requests_booking
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import TerminalToken
from crab_graph.text.utterance import Utterance
from crab_graph.tools.registry import Owner

_PAYMENT = frozenset({Role.PAID, Role.METHOD, Role.CHARGE_APPROVED})
_UNFINISHED = frozenset({Role.SLOT_FILLED, Role.PAID, Role.ENDED_PARTIAL, Role.ENDED_NONE})
_ALL_LOST = _UNFINISHED | {Role.ENDED_FULL}
_LOOP = 3


class UserError(NamedTuple):
    """An error of the user, the visible message that shows it, and the failures it explains.

    They are those of the checks that it covers, by their ids or by their roles.
    """

    code: str
    message: int
    text: str
    covers: Set[str]


_RECORDED = {
    "ends_on_approval": ("U4", _UNFINISHED),
    "invents_person": ("U1", frozenset({Role.UNITS, Role.PERSON})),
    "claims_payment": ("U6", _PAYMENT | {Role.SLOT_FILLED}),
    "plays_agent": ("U7", _ALL_LOST),
    "says_nothing": ("U7", _ALL_LOST),
    "reveals_instructions": ("U7", _ALL_LOST),
    "ends_early": ("U4", _UNFINISHED),
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


def conduct_errors(episode: Episode) -> Iterator[UserError]:
    """Yield the errors in how the user ended, paid and answered: U4 to U7."""
    yield from _premature_end(episode)
    yield from _wrong_token(episode)
    yield from _payment_errors(episode)
    yield from _loops(episode)
    for message in episode.dialogue.user:
        if _has("role_breaks", message.utterance):
            yield UserError("U7", message.number, "left the role of the user", _ALL_LOST)


def _has(key: str, utterance: Utterance) -> bool:
    return pattern("attribution", key).search(utterance.text) is not None


def _premature_end(episode: Episode) -> Iterator[UserError]:
    """U4: the user ends while the agent, not at its wits' end, asks something that moves on.

    A message that brings something new is progress, so patience cannot have run out with it.
    """
    is_ended = episode.trajectory.token in (TerminalToken.STOP, TerminalToken.TRANSFER)
    answered = episode.dialogue.answers
    if not is_ended or episode.state is JobState.FULL or not answered:
        return
    last, ending = answered[-1]
    is_request = "?" in last.utterance.text or _has("please", last.utterance)
    if ending is not episode.dialogue.user[-1] or not is_request:
        return
    if _has("inability", last.utterance) or has_final_offer(episode):
        return
    if _news(last).difference(*map(_news, episode.dialogue.agent_before(last.seq))):
        yield UserError("U4", ending.number, "ended while asked to go on", _UNFINISHED)


def _news(message: AgentMessage) -> set[str | int]:
    """Return what a message may bring: entities and amounts."""
    entities = {mention.entity_id for mention in message.mentions}
    return entities | {amount.cents for amount in message.amounts}


def _wrong_token(episode: Episode) -> Iterator[UserError]:
    """U5: out of scope, or a transfer that was neither offered nor made.

    The window of `ended_partial` is too narrow here: any offer may have led to the token.
    """
    token, user = episode.trajectory.token, episode.dialogue.user
    number = user[-1].number if user else 0
    if token is TerminalToken.OUT_OF_SCOPE:
        yield UserError("U5", number, "every task is in scope", frozenset({Role.IN_SCOPE}))
    elif token is TerminalToken.TRANSFER and not (
        episode.history.transferred_at
        or any(message.offers_transfer for message in episode.dialogue.agent)
    ):
        covers = frozenset({Role.ENDED_PARTIAL, Role.ENDED_NONE})
        yield UserError("U5", number, "a transfer was neither offered nor made", covers)


def _payment_errors(episode: Episode) -> Iterator[UserError]:
    """U6: says that a payment is approved without approving it, or approves another than asked.

    It explains missing bookings too where the agent stopped for it.
    """
    history = episode.history
    for request, answer in episode.dialogue.answers:
        if not _has("payment_requests", request.utterance):
            continue
        covers = _PAYMENT
        if history.last_write < answer.seq:
            covers |= {Role.SLOT_FILLED}
        for approval in history.approvals:
            if request.seq < approval.seq < answer.seq:
                wrong = _wrong_part(episode, request, approval)
                if wrong is not None:
                    text = f"approved another {wrong} for {approval.booking_id}"
                    yield UserError("U6", answer.number, text, covers)
        is_idle = not any(call.events for call in _calls_between(episode, request, answer))
        if is_idle and _claims_payment(answer.utterance) and _awaits_approval(episode, answer.seq):
            yield UserError("U6", answer.number, "claimed an approval not given", covers)


def _calls_between(episode: Episode, request: AgentMessage, answer: UserMessage) -> list[CallStep]:
    """Return the user's calls between a message and the answer to it."""
    calls = episode.trajectory.calls
    first = bisect_right(calls, request.seq, key=lambda call: call.seq)
    last = bisect_left(calls, answer.seq, first, key=lambda call: call.seq)
    return [call for call in calls[first:last] if call.owner is Owner.USER]


def _wrong_part(episode: Episode, request: AgentMessage, approval: Payment) -> str | None:
    """Return which part of an approval is not as the agent asked, and could have been.

    What is due is what the booking cost when it was approved: a later change is not the user's
    doing. To refuse the method of a stranger is no error.
    """
    ledger = episode.trajectory.ledger
    price = episode.history.price_before(approval.booking_id, approval.seq)
    row = ledger.get("bookings", approval.booking_id)
    due = price.cents if price else approval.cents if row is None else int(row["total_cents"])
    if approval.cents != due and due in {amount.cents for amount in request.amounts}:
        return "amount"
    named = {token.upper() for token in ANY_ID.findall(request.utterance.text)}
    methods = ledger.find("payment_methods", "customer_id", episode.reading.task.customer_id)
    is_own_named = any(method["payment_method_id"] in named for method in methods)
    if is_own_named and approval.payment_method_id not in named:
        return "method"
    bookings = named & episode.history.by_id.keys()
    return "booking" if bookings and approval.booking_id not in bookings else None


def _claims_payment(utterance: Utterance) -> bool:
    claims, denials = pattern("attribution", "payment_claims"), pattern("attribution", "denials")
    return any(
        claims.search(words) and not denials.search(words) and "?" not in words
        for words in map(utterance.words, utterance.clauses)
    )


def _awaits_approval(episode: Episode, seq: int) -> bool:
    """Return whether a booking waits for an approval since it was made, or last changed."""
    history = episode.history
    approved = set()
    for item in history.approvals:
        price = history.price_before(item.booking_id, seq)
        if item.seq < seq and (price is None or price.seq < item.seq):
            approved.add(item.booking_id)
    return any(
        booking.is_active(seq)
        and booking.booking_id not in approved
        and history.charged_at(booking.booking_id) > seq
        for booking in history.bookings
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
        asks_yes_or_no = requests_booking(request.utterance) or (
            "?" in question and _has("yes_no_openings", request.utterance)
        )
        is_idle = not asks_yes_or_no and not _calls_between(episode, request, answer)
        if not is_idle or not question or question in asked or idle[-1:] != [text]:
            idle, asked = [], set()
        if is_idle and question:
            idle.append(text)
            asked.add(question)
        if len(idle) == _LOOP:
            yield UserError("U7", answer.number, "said the same three times", _ALL_LOST)
