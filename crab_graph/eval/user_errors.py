"""Errors of the user that rules can see (rulebook §10).

The rules are conservative: what they cannot see stays with the agent.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.history import Payment
from crab_graph.eval.reading import Episode, TripState
from crab_graph.eval.replay import CallStep
from crab_graph.eval.verifiers.completion import has_final_offer
from crab_graph.personas.understanding import ANY_ID
from crab_graph.text.approvals import requests_booking
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import TerminalToken, offers_transfer
from crab_graph.text.utterance import Utterance
from crab_graph.tools.tool import Owner

TRIP = frozenset({"D01", "D02", "D03", "D04"})
NODES = frozenset({"D08", "D09", "D10", "D11"})
ENDINGS = frozenset({"C-FULL", "C-PART", "C-NONE"})


@dataclass(frozen=True, slots=True)
class UserError:
    """An error of the user.

    Attributes:
        code: `U1` to `U7`.
        message: Number of the visible message that shows it.
        text: What was found.
        covers: The checks whose failure it explains.
    """

    code: str
    message: int
    text: str
    covers: frozenset[str]


def covered(errors: Iterable[UserError]) -> frozenset[str]:
    """Return the checks that some error explains."""
    return frozenset[str]().union(*(error.covers for error in errors))


def calls_between(
    episode: Episode, request: AgentMessage, answer: UserMessage
) -> Iterator[CallStep]:
    """Yield the user's calls between a message and the answer to it."""
    # `seq` counts steps from 1, so it is also a position.
    for step in episode.trajectory.steps[request.seq : answer.seq - 1]:
        if isinstance(step, CallStep) and step.owner is Owner.USER:
            yield step


_LOOP = 3


_RECORDED = {
    "ends_on_approval": ("U4", TRIP | {"D19", "C-PART", "C-NONE"}),
    "invents_traveller": ("U1", frozenset({"D06", "D07"})),
    "claims_payment": ("U6", TRIP | {"D19", "D20", "D21"}),
    "plays_agent": ("U7", TRIP | ENDINGS | {"D19"}),
    "says_nothing": ("U7", TRIP | ENDINGS | {"D19"}),
}


def conduct_errors(episode: Episode) -> Iterator[UserError]:
    """Yield the errors in how the user ended, answered and paid: U4 to U7."""
    yield from _premature_end(episode)
    yield from _wrong_token(episode)
    yield from payment_errors(episode)
    yield from _loops(episode)
    yield from _role_breaks(episode)


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


def payment_errors(episode: Episode) -> Iterator[UserError]:
    """U6: says that a payment is approved without approving it, or approves another than asked."""
    for request, answer in episode.dialogue.answers:
        if not _asks_for_payment(request.utterance):
            continue
        made = [
            approval
            for approval in episode.history.approvals
            if request.seq < approval.seq < answer.seq
        ]
        covers = _covered_by_payment(episode, answer)
        for approval in made:
            wrong = _wrong_part(episode, request, approval)
            if wrong is not None:
                text = f"approved another {wrong} for {approval.booking_id}"
                yield UserError("U6", answer.number, text, covers)
        is_idle = not any(call.events for call in calls_between(episode, request, answer))
        if is_idle and _claims_payment(answer.utterance) and _awaits_approval(episode, answer.seq):
            yield UserError("U6", answer.number, "claimed an approval not given", covers)


def _covered_by_payment(episode: Episode, answer: UserMessage) -> frozenset[str]:
    """Return what a wrong payment explains: missing bookings too where the agent stopped for it."""
    stopped = episode.history.last_write < answer.seq
    return frozenset({"D19", "D20", "D21"}) | (TRIP if stopped else frozenset())


def _wrong_part(episode: Episode, request: AgentMessage, approval: Payment) -> str | None:
    """Return which part of an approval is not as the agent asked, and could have been."""
    due = _due_at(episode, approval)
    if approval.cents != due and due in {amount.cents for amount in request.amounts}:
        return "amount"
    named = {token.upper() for token in ANY_ID.findall(request.utterance.text)}
    if _own_methods(episode) & named and approval.payment_method_id not in named:
        return "method"
    bookings = named & set(episode.history.by_id)
    return "booking" if bookings and approval.booking_id not in bookings else None


def _due_at(episode: Episode, approval: Payment) -> int:
    """Return what the booking cost when it was approved: a later change is not the user's doing."""
    price = episode.history.price_before(approval.booking_id, approval.seq)
    if price is not None:
        return price.cents
    row = episode.trajectory.ledger.get("bookings", approval.booking_id)
    return approval.cents if row is None else int(row["total_cents"])


def _own_methods(episode: Episode) -> set[str]:
    """Return the customer's own methods: to refuse a stranger's is no error."""
    customer_id = episode.reading.task.customer_id
    rows = episode.trajectory.ledger.find("payment_methods", "customer_id", customer_id)
    return {row["payment_method_id"] for row in rows}


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
        and episode.history.charged_at(booking.booking_id) > seq
        for booking in episode.history.bookings
    )


def _asks_for_payment(utterance: Utterance) -> bool:
    return pattern("attribution", "payment_requests").search(utterance.text) is not None
