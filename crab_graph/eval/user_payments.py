"""Errors of the user in how it pays (rulebook §10, U6)."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Set
from itertools import chain

from crab_graph.domain.verification import Role
from crab_graph.eval.blame import UserError
from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.heard import heard
from crab_graph.eval.history import Payment
from crab_graph.eval.reading import Episode
from crab_graph.eval.replay import CallStep
from crab_graph.personas.asked_payments import asks_for_others
from crab_graph.personas.declined_cards import is_declined
from crab_graph.personas.failed_cards import wants_retry
from crab_graph.personas.message_text import ANY_ID
from crab_graph.text.lexicon import pattern
from crab_graph.text.utterance import Utterance
from crab_graph.tools.fault_schedule import FaultKind
from crab_graph.tools.registry import Owner
from crab_graph.tools.tables import WORLD_FAULTS

PAYMENT = frozenset({Role.PAID, Role.METHOD, Role.CHARGE_APPROVED})
"""What an error in how the user pays explains."""

_LEFT_UNPAID = frozenset({Role.ENDED_PARTIAL, Role.ENDED_NONE})
_INSISTS = 2
"""Times from which it is an error to want a card tried that bears no more."""


def payment_errors(episode: Episode) -> Iterator[UserError]:
    """U6: says that a payment is approved or a card added without doing it, or does another thing.

    It explains missing bookings too where the agent stopped for it.
    """
    history = episode.history
    for request, answer in episode.dialogue.answers:
        if not _says("payment_requests", request.utterance.text):
            continue
        covers: Set[str] = PAYMENT
        if history.last_write < answer.seq:
            covers = PAYMENT | {Role.SLOT_FILLED}
        for approval in history.approvals:
            if request.seq < approval.seq < answer.seq:
                told = {token.upper() for token in ANY_ID.findall(answer.utterance.text)}
                wrong = _wrong_part(episode, request, approval, told)
                if wrong is not None:
                    text = f"approved another {wrong} for {approval.booking_id}"
                    yield UserError("U6", answer.number, text, covers)
        undone = _claimed_undone(episode, request, answer)
        if undone is not None:
            yield UserError("U6", answer.number, f"claimed {undone}", covers)
    yield from _insistence(episode)


def _insistence(episode: Episode) -> Iterator[UserError]:
    """Yield an error where a card is to be tried again and again that was said to bear no more.

    Once is no error. The limit is the bank's, of a task with that fault: another card of the
    customer's bears the job.
    """
    spent = _spent_cards(episode)
    times: Counter[str] = Counter()
    is_told = False
    for request, answer in episode.dialogue.answers:
        amounts = {amount.cents for amount in request.amounts}
        is_told = is_told or not amounts.isdisjoint(episode.history.limits)
        if not (is_told and wants_retry(answer.utterance.text)):
            continue
        named = {token.upper() for token in ANY_ID.findall(answer.utterance.text)}
        for method in named & spent.keys():
            times[method] += spent[method] < request.seq
            if times[method] == _INSISTS:
                text = f"insisted on {method}, which bears no more"
                yield UserError("U6", answer.number, text, PAYMENT | _LEFT_UNPAID)


def _spent_cards(episode: Episode) -> dict[str, int]:
    """Return the payment methods that went beyond what they bear a day, with the first charge."""
    found: dict[str, int] = {}
    for call in episode.trajectory.calls:
        for event in call.events:
            if event["table"] == WORLD_FAULTS.name and "subject" in event.get("set", ()):
                row = episode.trajectory.ledger.world.get(WORLD_FAULTS.name, event["key"]) or {}
                if row["kind"] == FaultKind.LIMIT:
                    found.setdefault(str(event["set"]["subject"]), call.seq)
    return found


def calls_between(episode: Episode, request: AgentMessage, answer: UserMessage) -> list[CallStep]:
    """Return the user's calls between a message and the answer to it."""
    calls = episode.trajectory.calls
    first = bisect_right(calls, request.seq, key=lambda call: call.seq)
    last = bisect_left(calls, answer.seq, first, key=lambda call: call.seq)
    return [call for call in calls[first:last] if call.owner is Owner.USER]


def _says(key: str, words: str) -> bool:
    return pattern("attribution", key).search(words) is not None


def _claimed_undone(episode: Episode, request: AgentMessage, answer: UserMessage) -> str | None:
    """Return what an answer claims to have done that was asked for, and was not done."""
    events = chain.from_iterable(call.events for call in calls_between(episode, request, answer))
    done = {event["table"] for event in events}
    asked = request.utterance.text
    waiting = _awaiting(episode, answer.seq)
    is_asked_approval = _says("approval_requests", asked) and bool(waiting)
    is_asked_card = _says("card_requests", asked) and not _has_card(episode, asked, answer.seq)
    left = waiting & {token.upper() for token in ANY_ID.findall(asked)}
    for words in _claims(answer.utterance):
        is_either = _says("either_claims", words)
        if is_asked_approval and (is_either or _says("approval_claims", words)):
            is_of_all = bool(left) and _says("all_of_them", words)
            if "approvals" not in done or is_of_all:
                return "an approval not given"
        if is_asked_card and (_says("card_claims", words) or (is_either and not done)):
            return "a card that it had not added"
    return None


def _claims(utterance: Utterance) -> Iterator[str]:
    """Yield the clauses that deny nothing, ask nothing and wait for nothing."""
    denials = pattern("attribution", "denials")
    for words in map(utterance.words, utterance.clauses):
        if not denials.search(words) and "?" not in words:
            yield words


def _wrong_part(
    episode: Episode, request: AgentMessage, approval: Payment, told: Set[str]
) -> str | None:
    """Return which part of an approval is not as the agent asked, and could have been.

    What is due is what the booking cost when it was approved: a later change is not the user's
    doing. To refuse the method of a stranger is no error. The answer has `told` some ids.
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
    # In place of a card that failed the customer takes which it will, and says so.
    is_free = approval.payment_method_id in told and is_declined(heard(episode, request))
    if is_own_named and approval.payment_method_id not in named and not is_free:
        return "method"
    if asks_for_others(request.utterance.text):
        return None
    bookings = named & episode.history.by_id.keys()
    return "booking" if bookings and approval.booking_id not in bookings else None


def _awaiting(episode: Episode, seq: int) -> set[str]:
    """Return the bookings that wait for an approval since they were made, or last changed."""
    history = episode.history
    approved = set()
    for item in history.approvals:
        price = history.price_before(item.booking_id, seq)
        if item.seq < seq and (price is None or price.seq < item.seq):
            approved.add(item.booking_id)
    return {
        booking.booking_id
        for booking in history.bookings
        if booking.is_active(seq)
        and booking.booking_id not in approved
        and history.charged_at(booking.booking_id) > seq
    }


def _has_card(episode: Episode, asked: str, seq: int) -> bool:
    """Return whether the customer has the card asked for on the platform by then, or any."""
    customer_id = episode.reading.task.customer_id
    rows = episode.trajectory.ledger.find("payment_methods", "customer_id", customer_id)
    calls = episode.trajectory.calls
    later = {event["key"] for call in calls if call.seq > seq for event in call.events}
    held = [row for row in rows if row["payment_method_id"] not in later]
    named = [row for row in held if str(row["last4"]) in asked]
    cards = episode.trajectory.ledger.rows("cards")
    is_named = any(str(card["last4"]) in asked for card in cards)
    return bool(named if is_named else held)
